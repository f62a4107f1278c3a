"""A client by rules: many ways to ask, whatever else may be said; the lawyer who interviews and drafts nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.courts.agents.advisers import Interviewer, Trainee
from tasks.courts.agents.clients.seat import AskingClient, TellingClient
from tasks.courts.casefile.case import AdviceCase, CivilCase
from tasks.courts.casefile.visibility import leaks
from tasks.courts.environment import environment
from tasks.courts.procedure.turns import Turn
from tasks.courts.scores.drafted import END_MARK, Kind
from tasks.courts.scores.drafts import floor_document, with_end_mark
from tasks.courts.simulated.asking import wanted
from tests.support.advice_plays import CASES, Play, said_by

PHRASES = (
    ("CD-0001", "请问您怎么称呼？", "周映川"),
    ("CD-0001", "请说一下您的姓名、性别、民族、出生日期。", "周映川，男，汉族，1979年4月12日"),
    ("CD-0001", "您家住在哪里？", "柳荫街26号3幢502室"),
    ("CD-0001", "您的联系电话是多少？", "0417"),
    ("CD-0001", "您是做什么工作的？", "茶叶店经营者"),
    ("CD-0001", "您的工作单位是哪里？", "不方便透露"),
    ("CD-0001", "对方叫什么名字？住在哪儿？", "石桥路9号1幢301室"),
    ("CD-0001", "被告的电话是多少？", "我不清楚"),
    ("CD-0001", "被告的性别、民族和出生年月呢？", "男，汉族，1981年11月3日"),
    ("CD-0001", "请您把双方的基本信息都说一下。", "罗成溪"),
    ("CD-0001", "您有哪些诉讼请求？", "归还我借款本金200000元"),
    ("CD-0001", "您希望法院判对方做什么？", "律师费8000元"),
    ("CD-0001", "这些钱是怎么算出来的？", "200000元为基数"),
    ("CD-0001", "请把借款的来龙去脉讲一遍。", "装修其经营的面馆"),
    ("CD-0001", "您是什么时候把钱借出去的？", "2023年3月15日"),
    ("CD-0001", "利息付到哪一天？", "2023年9月14日"),
    ("CD-0001", "您手上有什么证据吗？", "借条一张"),
    ("CD-0001", "借条是原件还是复印件？", "我持有的原件"),
    ("CD-0001", "微信聊天记录能证明什么？", "多次催要"),
    ("CD-0001", "有证人吗？", "没有证人"),
    ("CD-0001", "您想向哪个法院起诉？", "不懂"),
    ("CD-0001", "起诉状怎么写，您有要求吗？", "您是律师"),
    ("CD-0001", "您家养狗吗？", "不清楚"),
    ("CD-0003", "对方公司的全称是什么，法定代表人是谁，担任什么职务？", "司徒瑞"),
    ("CD-0004", "谁能作证？请说证人的姓名和住址。", "詹守田，住在望川省石堰县禾溪镇桥头村"),
    ("DD-0007", "贵公司的全称、住所地和法定代表人的姓名、职务是什么？", "温庭昀，职务是执行董事"),
    ("DD-0007", "原告叫什么名字，住哪里？", "虞星眠"),
    ("DD-0007", "对原告的起诉，您有什么意见？", "不构成欺诈"),
    ("DD-0007", "原告的哪些说法您不同意？", "不应退款"),
    ("DD-0007", "您有什么证据材料？从哪里来的？", "我们公司从店铺后台打印"),
    ("DD-0001", "您同意归还本金吗？", "现欠本金17万元"),
)


@pytest.mark.parametrize(("case_id", "question", "answer"), PHRASES)
def test_a_lawyer_may_ask_in_many_words(case_id: str, question: str, answer: str) -> None:
    case = CASES[case_id]
    role, record = (
        environment(case.env).others[0],
        [
            Turn(0, environment(case.env).others[0], (), "律师您好。"),
            Turn(1, environment(case.env).tested, (), question),
        ],
    )
    told = said_by(TellingClient(None), case, role, record)
    assert answer in told
    assert leaks(told, case, case.env, role, [turn.text for turn in record]) == []


def test_several_questions_are_answered_in_their_order() -> None:
    case = CASES["CD-0001"]
    record = [
        Turn(0, "plaintiff", (), "您好。"),
        Turn(1, "plaintiff_lawyer", (), "您叫什么名字？有什么诉讼请求？有哪些证据？"),
    ]
    told = said_by(TellingClient(None), case, "plaintiff", record)
    assert told.index("周映川") < told.index("200000元") < told.index("借条一张")


def test_days_and_sums_come_roughly_first_and_exactly_when_asked_again() -> None:
    case = CASES["CD-0001"]
    careless = {"conscientiousness": "low", "extraversion": "medium"}
    record = [Turn(0, "plaintiff", (), "您好。"), Turn(1, "plaintiff_lawyer", (), "您的诉讼请求是什么？")]
    first = said_by(TellingClient(None), case, "plaintiff", record, traits=careless)
    record += [Turn(1, "plaintiff", (), first), Turn(2, "plaintiff_lawyer", (), "诉讼请求的金额请说准确。")]
    second = said_by(TellingClient(None), case, "plaintiff", record, traits=careless)
    assert "200000元" not in first and "几十万" in first
    assert "200000元" in second and "13500元" in second


# --- the lawyer -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case_id", ["CD-0001", "DD-0003"])
@pytest.mark.parametrize("turns", [1, 3, 20])
def test_rules_interview_and_hand_in_the_empty_form_in_time(case_id: str, turns: int) -> None:
    one = Play(CASES[case_id], "law", turns=turns)
    assert one.outcome == "finished" and len(one.own) <= min(turns, 5)
    assert one.own[-1].startswith("民事") and one.own[-1].endswith(END_MARK)
    kind: Kind = "CD" if case_id.startswith("CD") else "DD"
    assert one.own[-1] == with_end_mark(floor_document(kind))


@pytest.mark.parametrize(
    ("question", "slots"),
    [
        ("您的诉讼请求是什么？", ["claims"]), ("这些证据从哪里来？", ["source"]), ("还有别的证据吗？", ["evidence"]),
        ("证人的姓名和住址是什么？", ["witness"]), ("好的，我记下了。", []), ("事情的经过是怎样的？", ["facts"]),
    ],
)  # fmt: skip
def test_what_a_question_asks_for(question: str, slots: list[str]) -> None:
    assert [want.slot for want in wanted(question, "plaintiff")] == slots


# --- anything may be said -------------------------------------------------------------------------------------------

WORDS = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from("第一是。；，？吗2023年3月5日20万元《民法典》我对方证据证人叫住在（）“”\n没有了询问结束"),
        max_size=60,
    ).map("".join),
)
FREELY = settings(max_examples=25)


@FREELY
@given(WORDS, st.sampled_from(["CD-0004", "DD-0007", "LC-0004", "KQ-0002"]))
def test_the_other_side_may_say_anything(text: str, case_id: str) -> None:
    case = CASES[case_id]
    tested, other = environment(case.env).tested, environment(case.env).others[0]
    policy: Any = Trainee(None) if case.env in ("KQ", "LC") else Interviewer(None)
    client: Any = AskingClient(None) if case.env in ("KQ", "LC") else TellingClient(None)
    heard = [Turn(0, other, (), text), Turn(1, tested, (), text), Turn(1, other, (), text)]
    assert said_by(policy, case, tested, heard).strip()
    assert isinstance(said_by(client, case, other, [*heard, Turn(2, tested, (), text)]), str)


def test_what_a_client_said_is_no_leak_in_the_words_of_a_document() -> None:
    case = CASES["CD-0001"]
    assert isinstance(case, CivilCase)
    heard = ["2023年3月15日，对方因装修其经营的面馆向我借款20万元，我当日通过银行转账交付。"]
    written = "2023年3月15日，被告因装修其经营的面馆向原告借款20万元，原告当日通过银行转账交付。"
    assert leaks(written, case, "CD", "plaintiff_lawyer", heard) == []
    assert leaks(written, case, "CD", "plaintiff_lawyer", [])[0].field == "complaint"
    advice = CASES["LC-0004"]
    assert isinstance(advice, AdviceCase)
    assert leaks("。".join(advice.topics[0].points), advice, "LC", "trainee") == []
    assert leaks("。".join(advice.topics[0].points), advice, "LC", "client") != []
