"""Task files, prediction rows, what a response says, and the roles of the days that a question names."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import BadInput
from store.search.query import Span
from store.search.times import periods
from store.statutes.applicable import judge_version
from store.statutes.model import LawVersion
from store.text.charges import canonical, charge_f1, charges, same_charges, table
from store.text.normalise import fold_width
from tasks.legalsearch.answers import Term, letters, strict_answer, term
from tasks.legalsearch.dates import case_dates, span_mentions
from tasks.legalsearch.predictions import match, read_predictions
from tasks.legalsearch.questions import load_questions, options
from tasks.legalsearch.settings import KINDS

Data = Callable[..., Path]
RECITAL = {
    "id": "lar_1",
    "type": "lar",
    "question": "请复述2004年3月施行的《中华人民共和国刑法》第七十四条。",
    "answer": "对于累犯，不适用缓刑。",
    "task_prompt": "背诵",
    "deepresearch_task_prompt": "背诵",
}
CHOICE = {"id": "kqa_1", "type": "kqa", "question": "问题: 哪项?\nA: 甲\nB: 乙\nC: 丙\nD: 丁\n", "answer": "AC"}
ROW = {
    "data_source": "kqa",
    "prompt": [{"role": "user", "content": "选。\n问题: 哪项?\nA: 甲\nB: 乙"}],
    "reward_model": {"style": "rule", "ground_truth": "B", "question": "…"},
    "extra_info": {
        "index": "kqa_9",
        "type": "kqa",
        "question": "选。\n问题: 哪项?\nA: 甲\nB: 乙",
        "answer": "B",
        "system_prompt": "你是",
        "deepresearch_task_prompt": "\n选。\n",
    },
}


def write(path: Path, rows: list[Any]) -> Path:
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["lines", "array", "packed"])
def test_both_shapes_are_read_by_content(tmp_path: Path, form: str) -> None:
    rows = [RECITAL, CHOICE, ROW]
    text = json.dumps(rows) if form == "array" else "\n\n".join(map(json.dumps, rows))
    path = tmp_path / "tasks.any"
    path.write_bytes(gzip.compress(text.encode()) if form == "packed" else text.encode())
    recital, choice, row = load_questions(path)
    assert (recital.kind.form, recital.temporal, recital.options) == ("article", True, {})
    assert choice.options == {"A": "甲", "B": "乙", "C": "丙", "D": "丁"}
    assert (row.id, row.kind.id, row.gold.answer) == ("kqa_9", "kqa", "B")
    assert row.text == "问题: 哪项?\nA: 甲\nB: 乙"
    assert not row.temporal


def test_the_card_holds_no_gold(tmp_path: Path) -> None:
    for question in load_questions(write(tmp_path / "t", [RECITAL, CHOICE, ROW])):
        assert "answer" not in question.card
        assert question.gold.answer not in json.dumps({k: v for k, v in question.card.items() if k != "question"})


def test_clusters_and_pairs(tmp_path: Path) -> None:
    later = {**RECITAL, "id": "lar_2", "question": RECITAL["question"].replace("2004", "2012")}
    pair = [{**CHOICE, "id": f"kqa_{n}", "pair": "p1"} for n in (1, 2)]
    first, second, third, fourth = load_questions(write(tmp_path / "t", [RECITAL, later, *pair]))
    assert first.gold.cluster == second.gold.cluster == "中华人民共和国刑法第七十四条"
    assert third.gold.pair == fourth.gold.pair == third.gold.cluster == "p1"


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "type": ({**CHOICE, "type": "xyz"}, "unknown type 'xyz'"),
    "no question": ({**CHOICE, "question": " "}, "'question'"),
    "no options": ({**CHOICE, "question": "哪项?"}, "lists no options"),
    "foreign letter": ({**CHOICE, "answer": "AE"}, "names options"),
    "no answer": ({**RECITAL, "answer": None}, "'answer'"),
    "no id": ({**RECITAL, "id": True}, "'id'"),
    "row without extra": ({"data_source": "kqa", "reward_model": {"ground_truth": "A"}}, "'extra_info'"),
    "row without gold": ({**ROW, "reward_model": {}}, "'ground_truth'"),
    "prompt": ({**RECITAL, "task_prompt": 3}, "'task_prompt'"),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_bad_tasks_name_file_line_and_field(tmp_path: Path, name: str) -> None:
    row, needed = BAD[name]
    with pytest.raises(BadInput) as caught:
        load_questions(write(tmp_path / "tasks.jsonl", [{**CHOICE, "id": "other"}, row]))
    assert "tasks.jsonl, line 2" in caught.value.title
    assert needed in caught.value.title
    assert "\n" not in caught.value.title


def test_empty_and_double(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no tasks"):
        load_questions(write(tmp_path / "t", []))
    with pytest.raises(BadInput, match="line 2.*second time"):
        load_questions(write(tmp_path / "t", [CHOICE, CHOICE]))


def test_options() -> None:
    assert options("A. 甲方诉\nB：乙\n仍是乙\nC、丙") == {"A": "甲方诉", "B": "乙仍是乙", "C": "丙"}
    assert options("A: 背景\n材料\nA: 甲\nB: 乙\nD: 丁") == {"A": "甲", "B": "乙"}
    assert options("没有") == {}


def test_development_files(data: Data) -> None:
    folder = data("legalsearch_r1")
    inside, outside = (load_questions(folder / name) for name in ("evaluation_dev.jsonl", "ood_dev.jsonl"))
    count = Counter(question.kind.id for question in [*inside, *outside])
    assert count == dict.fromkeys(KINDS, 64)
    temporal = Counter(question.kind.id for question in [*inside, *outside] if question.temporal)
    assert temporal == {
        "lar": 64, "lcs": 4, "kqa": 2, "lap": 60, "ccp": 62, "ptp": 62, "lca": 12,
        "cpa": 64, "pae": 64, "nje": 64, "ungee": 64, "lbk": 1, "pfe": 28,
    }  # fmt: skip
    for question in [*inside, *outside]:
        if question.kind.form == "letters":
            assert letters(question.gold.answer, question.options) == set(question.gold.answer)
        if question.kind.form == "months":
            assert term(question.gold.answer) == Term(float(question.gold.answer.removesuffix("个月")))
    assert len(load_questions(folder / "train_sample_10.json")) == 10


def test_predictions_are_matched_by_index(tmp_path: Path) -> None:
    questions = load_questions(write(tmp_path / "t", [RECITAL, CHOICE, ROW]))
    rows = [
        {"data_source": "kqa", "index": "kqa_1", "response": "A", "reward_model": {"ground_truth": "AC"}},
        {"data_source": "kqa", "index": "kqa_1", "response": "AC", "reward_model": {"ground_truth": "AB"}},
        {"data_source": "kqa", "index": 7, "response": ""},
    ]
    results, notes = match(questions, read_predictions(write(tmp_path / "p", rows)))
    assert [(result.task_id, result.res) for result in results] == [("kqa_1", "AC")]
    text = " | ".join(notes)
    for needed in ("more than once", "left out (1): 7", "count as errors (2): lar_1, kqa_9", "differs from the task"):
        assert needed in text
    for row, wrong in (({"response": ""}, "'index'"), ({"index": 1, "response": 2}, "'response'")):
        with pytest.raises(BadInput, match="line 1.*" + wrong):
            read_predictions(write(tmp_path / "p", [row]))


CHOICES = {"A": "甲", "B": "乙", "C": "丙丁", "D": "己"}


@pytest.mark.parametrize(
    ("said", "chosen"),
    [
        ("BA", "AB"), ("a,b", "AB"), ("A、B 和 D。", "ABD"), ("Ａ，Ｂ", "AB"), ("（A）（B）", "AB"), ("答案：C", "C"),
        ("正确答案是 A 和 C。", "AC"), ("A. 甲\nC：丙丁", "AC"), ("丙 丁。", "C"), ("不选A，应选B", "B"),
        ("选D项", "D"),
        ("ABE", None), ("Apple", None), ("", None), ("都不对", None), ("E", None),
    ],
)  # fmt: skip
def test_letters(said: str, chosen: str | None) -> None:
    assert letters(said, CHOICES) == (None if chosen is None else frozenset(chosen))


@pytest.mark.parametrize(
    ("said", "months"),
    [
        ("12个月", 12), ("1年", 12), ("一年六个月", 18), ("1.5年", 18), ("一年半", 18), ("半年", 6),
        ("一个半月", 1.5),
        ("12", 12), ("12月", 12), ("十二个月", 12), ("３年（36个月）", 36),
        ("有期徒刑三年，缓刑四年，并处罚金2000元", 36),
        ("总和刑期五年，决定执行有期徒刑四年六个月", 54), ("两年零三个月", 27),
        ("三年以上七年以下", None), ("3-4年", None), ("2015年12月", None), ("十二或十五", None), ("1年或2年", None),
        ("", None),
        ("0个月", None), ("9999", None),
    ],
)  # fmt: skip
def test_terms(said: str, months: float | None) -> None:
    assert term(said) == (None if months is None else Term(months))


def test_life_and_death_are_no_months() -> None:
    assert term("无期徒刑") == Term(None, "life")
    assert term("死刑，缓期二年执行") == Term(None, "death")


def test_strict_answer_is_the_agents_last_word() -> None:
    assert strict_answer("<answer>A</answer><answer> B </answer>") == "B"
    assert strict_answer("<tool_response><answer>A</answer></tool_response><think>C</think>D") == "D"
    assert strict_answer("<think>没完") == ""
    assert strict_answer("就是 A") == "就是 A"


CHARGES = [
    ("盗窃罪", "盗窃"),
    ("被告人构成盗窃罪和诈骗罪。", "诈骗;盗窃"),
    ("贩卖毒品罪", "走私、贩卖、运输、制造毒品"),
    ("伪造国家机关证件罪", "伪造、变造、买卖国家机关公文、证件、印章"),
    ("逃税", "偷税罪"),
    ("容留卖淫罪", "组织、强迫、引诱、容留、介绍卖淫;引诱、容留、介绍卖淫"),
    ("偷越国（边）境罪", "偷越国(边)境"),
]
DIFFERENT = [
    ("盗窃", "抢劫"),
    ("盗窃", "盗窃;抢劫"),
    ("盗窃", "盗窃、抢夺枪支、弹药、爆炸物"),
    ("组织卖淫", "强迫卖淫"),
    ("", "盗窃"),
]


@pytest.mark.parametrize(("first", "second"), CHARGES)
def test_one_charge_in_two_spellings(first: str, second: str) -> None:
    assert same_charges(charges(first), charges(second))
    assert charge_f1(charges(first), charges(second)) == 1.0


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_different_charges(first: str, second: str) -> None:
    assert not same_charges(charges(first), charges(second))
    assert charge_f1(charges(first), charges(second)) < 1.0


def test_tables_of_charges_agree() -> None:
    for name, (official, basis) in {**table().renamed, **table().short}.items():
        assert canonical(name) == canonical(f"{name}罪") == canonical(official) == official
        assert "刑法第" in basis
    renamed = table().renamed
    for name in table().selective:
        assert canonical(name) == (renamed[name][0] if name in renamed else name)
    for members in table().sections.values():
        assert all(canonical(member) == member for member in members)


DRUNK = "2010年5月3日张某醉酒驾驶机动车被查获，2012年3月1日法院开庭审理，如何适用刑法第一百三十三条之一？"


def spans(text: str) -> tuple[Span, ...]:
    unique: dict[tuple[date, date], Span] = {}
    for one in periods(fold_width(text))[0]:
        unique.setdefault((one.first, one.last), Span(one.first, one.last, one.said))
    return tuple(unique.values())


def read(text: str) -> tuple[str | None, ...]:
    """acted, acted_until, proceeding, judged of a text, as texts."""
    dates = case_dates(text, spans(text))
    days = (dates.acted, dates.acted_until, dates.proceeding, dates.judged)
    return tuple(day.isoformat() if day else None for day in days)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DRUNK, ("2010-05-03", None, "2012-03-01", None)),
        ("行为时为2010年5月3日，裁判时为2012年3月1日，适用哪一版？", ("2010-05-03", None, None, "2012-03-01")),
        ("行为时：2010年5月3日；诉讼时：2011年6月1日。", ("2010-05-03", None, "2011-06-01", None)),
        (
            "被告人鲁某，1985年3月5日出生，2006年7月因犯盗窃罪被判处有期徒刑一年。2014年9月3日，鲁某醉酒驾驶拖拉机。"
            "2015年12月1日提起公诉。",
            ("2014-09-03", None, "2015-12-01", None),
        ),
        (
            "鲁某曾因诈骗于2008年4月1日被判处拘役，2008年9月30日刑满释放。2014年9月3日，鲁某在河边盗窃风筝。",
            ("2014-09-03", None, None, None),
        ),
        ("被告人鲁某（女，1985年3月5日生）于2014年9月3日盗窃风筝。", ("2014-09-03", None, None, None)),
        ("2014年9月3日，鲁某盗窃路灯。案发后，鲁某于2014年10月1日外逃。", ("2014-09-03", None, None, None)),
        ("2014年9月3日，鲁某砸毁路灯。2014年9月20日，经鉴定，路灯价值三百元。", ("2014-09-03", None, None, None)),
        ("2014年9月3日，鲁某盗窃路灯。2016年3月1日，鲁某在家属陪同下，到公安机关投案。",
            ("2014-09-03", None, "2016-03-01", None)),
        ("2014年9月3日，鲁某盗窃后被刑事拘留，2014年10月8日被逮捕。", ("2014-09-03", None, "2014-10-08", None)),
        (
            "甲与乙于2019年3月1日签订借款合同，2020年6月2日甲向法院起诉，2021年2月3日法院作出一审判决。",
            ("2019-03-01", None, "2020-06-02", "2021-02-03"),
        ),
    ],
)  # fmt: skip
def test_roles(text: str, expected: tuple[str | None, ...]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("从2010年5月1日至2012年3月1日，鲁某非法经营路灯。", ("2010-05-01", "2012-03-01")),
        ("2010年5月至2012年3月期间，被告人鲁某收受风筝。", ("2010-05-01", "2012-03-31")),
        ("2010年5月3日、2011年6月4日，鲁某先后盗窃路灯。", ("2010-05-03", "2011-06-04")),
        ("具体如下：1、2010年5月3日，鲁某盗窃路灯。2、2012年6月4日，鲁某盗窃路灯。", ("2010-05-03", "2012-06-04")),
        ("2010年5月开始，鲁某销售假灯油。2012年8月6日，公安机关在店内查获灯油。", ("2010-05-01", "2012-08-06")),
        ("2010年5月3日，鲁某盗窃路灯。2010年8月4日，鲁某殴打看灯人。", ("2010-05-03", None)),
        ("2010年5月3日，鲁某盗窃路灯。2013年8月4日，鲁某殴打看灯人。", (None, None)),
        ("2010年5月3日晴。2010年5月20日雨。", ("2010-05-03", None)),
        ("2010年，被告人鲁某盗窃路灯。", (None, None)),
        ("2010年我借给邻居一盏灯，他不还。", ("2010-01-01", "2010-12-31")),
    ],
)
def test_conduct_goes_on_only_where_the_text_says_so(text: str, expected: tuple[str | None, str | None]) -> None:
    assert read(text)[:2] == expected


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("请提供2015年1月1日时有效的《刑事诉讼法》第七十三条。", "2015-01-01", "2015-01-01"),
        ("现在是2018年11月，请背诵正在施行的《民事诉讼法》第一条。", "2018-11-01", "2018-11-30"),
        ("在2016年的时间背景下，盗窃罪如何处罚？", "2016-01-01", "2016-12-31"),
        ("2016年3月1日，路灯法第三条怎么说？", "2016-03-01", "2016-03-01"),
    ],
)
def test_a_day_as_of_which_a_text_is_asked(text: str, first: str, last: str) -> None:
    assert read(text) == (first, last, last, None)


def test_one_bare_day_of_a_question_about_procedure() -> None:
    assert read("2016年3月1日，被告收到传票，答辩期限多长，向哪个法院提出管辖异议？")[2] == "2016-03-01"
    assert read("2016年3月1日天晴，风筝断线，谁来赔？")[2] is None


def test_days_that_only_options_name_are_none_of_the_case() -> None:
    assert read("问题: 下列哪项正确?\n选项:\nA: 2010年3月1日起诉\nB: 2011年3月1日签订合同") == (None,) * 4
    assert read("甲2010年3月1日签订合同。\n选项:\nA: 2012年3月1日起诉")[::2] == ("2010-03-01", None)


def test_a_later_law_is_not_the_law_of_an_earlier_act() -> None:
    later = LawVersion("中华人民共和国刑法", "2011修正", date(2011, 5, 1), None)
    then = LawVersion("中华人民共和国刑法", "2009修正", date(2009, 2, 28), date(2011, 4, 30))
    dates = case_dates(DRUNK, spans(DRUNK))
    assert judge_version(later, dates).verdict == "possible"
    assert (judge_version(then, dates).verdict, judge_version(then, dates).rule.key) == (
        "applicable",
        "criminal_at_act",
    )


def test_the_same_day_may_be_named_twice() -> None:
    text = "2014年8月27日，鲁某在家中贩卖灯油时被查获。2014年8月27日，鲁某被刑事拘留。"
    assert [sorted(day.roles) for day in span_mentions(text, spans(text))] == [["acted", "caught"], ["proceeding"]]
    assert read(text) == ("2014-08-27", None, "2014-08-27", None)


WORDS = st.sampled_from(
    "2010年5月3日 2012年 2012年3月至5月 2015年以前 2014年开始 同年7月1日 次日 ， 。 ； （ ） 《 》 被告人 鲁某 出生 "
    "投案 判决 多次 盗窃 "
    "被判处 曾 因 1、 行为时为 时有效的 第三条 \n选项: 至 从 期间 案发后".split(" ")
)


@given(st.lists(WORDS | st.text(max_size=6), max_size=24).map("".join))
def test_total_on_any_text(text: str) -> None:
    found = case_dates(text, spans(text))
    assert found.acted is None or found.acted_until is None or found.acted <= found.acted_until
