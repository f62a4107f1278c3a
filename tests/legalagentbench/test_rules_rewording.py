"""Roundabout wording in plain terms: the same question asked in other words is read the same, and names stay
untouched."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.legalagentbench.rules.names import NameIndex
from tasks.legalagentbench.rules.phrase import form_of
from tasks.legalagentbench.rules.places import Place
from tasks.legalagentbench.rules.plan import plans_for
from tasks.legalagentbench.rules.recognise import recognise, tidy
from tasks.legalagentbench.rules.rewording import reword

PARENT, CHILD = "青岚松雪科技股份有限公司", "北岭霁月新能源有限公司"
COURT, FIRM, CASE = "青岚市望江区人民法院", "青岚和颂律师事务所", "（2020）皖0104执3号"
INDEX = NameIndex(
    {"company": [PARENT, CHILD], "court": [COURT], "firm": [FIRM]}, [Place("青岚省", "青岚市", "望江区")]
)


def way(question: str) -> list[tuple[str, str]]:
    """(kind, relation) of the frames that the best reading reaches, narrowed copies left out."""
    return [(frame.kind, frame.relation) for frame in plans_for(question, INDEX)[0].frames if frame.hop is not None]


def asked(question: str) -> list[tuple[str, str]]:
    wanted = [w for frame in plans_for(question, INDEX)[0].frames for w in frame.wanted]
    return [(w.kind, w.concept) for w in sorted(wanted, key=lambda w: w.at)]


def conditions(question: str) -> list[tuple[str, object]]:
    return [(m.op, m.value) for frame in plans_for(question, INDEX)[0].frames for m in frame.modifiers]


@pytest.mark.parametrize(
    "question",
    [
        f"控股{CHILD}的那家上市公司，董秘叫什么？",
        f"{CHILD}隶属于某上市公司，后者的董秘是谁？",
        f"持有{CHILD}股份的上市公司，董秘是哪位？",
        f"{CHILD}的控股股东，董秘是谁？",
        f"站在{CHILD}背后的上市公司，董秘是谁？",
    ],
)
def test_the_parent_under_other_names(question: str) -> None:
    assert way(question) == [("company", "parent")]
    assert ("attribute", "secretary") in asked(question)


def test_which_company_holds_it_is_itself_an_answer() -> None:
    for question in (f"{CHILD}是哪家上市公司出资设立的？", f"{CHILD}由谁投资控股？", f"哪家上市公司控股了{CHILD}？"):
        assert way(question) == [("company", "parent")]
        assert asked(question) == [("identity", "")]


@pytest.mark.parametrize(
    "question",
    [
        f"和{COURT}同处一个区的律所有几家？",
        f"{COURT}坐落的那个区一共有几家律所？",
        f"{COURT}设在某个区，这个区里的律所有几家？",
        f"{COURT}所处的省市区里，律所共有几家？",
    ],
)
def test_the_same_district(question: str) -> None:
    assert way(question) == [("place", "place"), ("firm", "firm")]
    assert asked(question) == [("count", "")]


@pytest.mark.parametrize(
    ("question", "choice"),
    [
        (f"{PARENT}拿钱最多的子公司是哪家？", "max"),
        (f"{PARENT}投钱最少的子公司是哪家？", "min"),
        (f"{COURT}所在区县注册资金最雄厚的律所是哪家？", "max"),
        (f"{CHILD}的终本案件里最晚办的那件由哪家法院执行？", "last"),
        (f"{CHILD}的官司里，办得最多的那家法院是哪家？", "mode"),
    ],
)
def test_choices(question: str, choice: str) -> None:
    assert choice in [op for op, _ in conditions(question)]


def test_ranks_in_an_order() -> None:
    plan = plans_for(f"{CHILD}的案件按标的额从高到低排，排在第三位的由哪家法院审理？", INDEX)[0]
    assert [(m.op, m.nth) for frame in plan.frames for m in frame.modifiers] == [("max", 3)]


def test_the_second_choice_starts_afresh() -> None:
    frames = plans_for(f"{PARENT}的子公司里，拿钱最多的那家注册在哪个城市，拿钱最少的那家又注册在哪个城市？", INDEX)[
        0
    ].frames
    chosen = [frame for frame in frames if any(m.op in ("max", "min") for m in frame.modifiers)]
    assert len(chosen) == 2 and chosen[0].parent == chosen[1].parent


@pytest.mark.parametrize("words", ["全额出资的", "百分之百持股的", "持股100%的", "百分百控股的"])
def test_whole_holdings(words: str) -> None:
    assert ("=", Decimal(100)) in conditions(f"{PARENT}{words}子公司有几家？")


@pytest.mark.parametrize(
    "words", ["写到小数点后两位", "小数点后留两位", "精确到分", "写到分", "两位小数", "精确到小数点后两位"]
)
def test_two_places(words: str) -> None:
    assert form_of(f"罚款合计多少元，{words}？").places == 2


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        (f"{CASE}还有多少元没有执行到位？", ("attribute", "unpaid")),
        (f"{CHILD}上市了没有？", ("listed", "")),
        (f"{PARENT}什么时候上市的？", ("attribute", "listing_date")),
        (f"{PARENT}挂牌用的代码是什么？", ("attribute", "stock_code")),
        (f"{FIRM}给上市公司提供过几次服务？", ("attribute", "served")),
        (f"{COURT}对应的区划代码是什么？", ("attribute", "division_code")),
        (f"{PARENT}对子公司投出去的钱加起来是多少元？", ("sum", "invested")),
    ],
)
def test_attributes_said_as_verbs(question: str, wanted: tuple[str, str]) -> None:
    assert asked(question) == [wanted]


def test_a_year_of_founding_does_not_date_the_cases() -> None:
    question = f"{COURT}所在区县2019年有新设的，2019年成立的律所代理过几起案件？"
    plan = plans_for(question, INDEX)[0]
    assert [m.concepts for frame in plan.frames for m in frame.modifiers if m.op == "in"] == [("founded",)]


def test_a_date_that_counts_stands_where_it_is_used() -> None:
    assert conditions(f"以审理日期落在2020年为准，{FIRM}那一年代理过多少次案件？") == [("in", (2020, 2020))]


def test_what_is_not_wanted_is_not_told() -> None:
    question = f"{CHILD}作为被告的案件中标的额最高的那件，原告请的是哪家律所且不用写，只告诉我律所的电话。"
    assert asked(question) == [("attribute", "phone")]


def test_names_stay_as_they_are() -> None:
    name = "北岭出资投资控股有限公司"
    text = tidy(f"投资{name}的上市公司是哪家？")
    plain, entities = reword(text, recognise(text, NameIndex({"company": [name]})))
    assert [plain[e.start : e.end] for e in entities] == [name] and plain == f"{name}的母公司是哪家？"


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(
            [
                PARENT,
                COURT,
                CASE,
                "由哪家",
                "法院",
                "的",
                "控股",
                "它",
                "最多",
                "同处一个区",
                "，",
                "谁",
                "2020年",
                "那一年",
                "被告",
            ]
        ),
        max_size=12,
    )
)
def test_entities_keep_their_places(pieces: list[str]) -> None:
    text = tidy("".join(pieces))
    entities = recognise(text, INDEX)
    plain, moved = reword(text, entities)
    assert all(plain[e.start : e.end] in text for e in moved) and len(moved) <= len(entities) + 4
