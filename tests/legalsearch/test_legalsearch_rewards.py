"""Format, rewards, advantages, temporal awareness, and what a trainer is handed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.legalsearch import published
from tasks.legalsearch.exporting import rows
from tasks.legalsearch.measures import Verdict
from tasks.legalsearch.questions import LawGold, LawQuestion, load_questions
from tasks.legalsearch.rewards import (
    faults_of,
    first_round,
    group_advantages,
    reward,
    shaped_advantages,
    token_kinds,
)
from tasks.legalsearch.temporal import PairMember, awareness, consistency, queries_of, time_kind

Data = Callable[..., Path]
PLAN = "<think>想</think><plan>查</plan>"
CALL = "<think>查</think><tool_call>{}</tool_call>"
SEEN = "<tool_response>文</tool_response>"


def done(answer: str) -> str:
    return f"{PLAN}{CALL}{SEEN}<think>答</think><answer>{answer}</answer>"


def question(kind: str, answer: str, number: int = 1, pair: str = "") -> LawQuestion:
    task_id = f"{kind}_{number}"
    text = "2004年？\nA: 甲\nB: 乙\nC: 丙\nD: 丁"
    card = {"id": task_id, "type": kind, "question": text, "deepresearch_task_prompt": "\n选。\n"}
    return LawQuestion(task_id, card, LawGold(answer, pair or task_id, pair))


@pytest.mark.parametrize(
    ("text", "paper", "code"),
    [
        (done("A"), True, True),
        (f"{PLAN}<think>答</think><answer>A</answer>", True, False),  # no call: only the code minds
        (done("A").replace("文", "文</think>"), True, False),  # a stray tag of a tool
        (done("A").replace("文", "文<think>x</think>"), True, False),
        (done("A") + "<think>", False, False),
        (f"{CALL}{SEEN}{PLAN}<think>答</think><answer>A</answer>", False, True),  # planned too late
        (done("A").replace("<think>答</think>", ""), True, False),  # one think too few
        (f"<think>{PLAN}</think>{CALL}{SEEN}<answer>A</answer>", False, True),  # nested
        ("A", False, False),
        ("", False, False),
    ],
)
def test_format_in_both_readings(text: str, paper: bool, code: bool) -> None:
    assert (not faults_of(text, "paper")) is paper
    assert (not faults_of(text, "code")) is code


def test_format_says_what_is_wrong() -> None:
    assert faults_of("A", "code")[:2] == ("no <think>", "no <plan>")
    assert not faults_of(PLAN + done("A"), "code")
    assert faults_of(done("A").replace("<think>答</think>", ""), "code") == (
        "2 think for 3 plan, tool_call and answer together",
    )
    assert faults_of("<think>a</plan>", "paper") == (
        "</plan> inside <think>", "<think> is never closed", "no plan in the first round",
    )  # fmt: skip
    assert first_round(done("A")) == PLAN
    assert first_round("<plan>x</plan><tool_response>") == "<plan>x</plan>"


REWARDS = [
    ("kqa", "AB", "AB", 1, 1),
    ("kqa", "AB", "BA", 0, 0),
    ("ptp", "12个月", "1年", 0, 0),
    ("ccp", "盗窃;诈骗", "诈骗罪;盗窃", 1, 1),
    ("ccp", "盗窃罪", "盗窃", 0, 1),
    # 19 of 20: R = 0.95, P = 1
    ("lar", "一二三四五六七八九十甲乙丙丁戊己庚辛壬癸", "一二三四五六七八九十甲乙丙丁戊己庚辛壬", 1, 1),
    # 18 of 20: code 2.44 * 0.9 / 2.34 = 0.938, paper 1.8 / 1.9 = 0.947
    ("lar", "一二三四五六七八九十甲乙丙丁戊己庚辛壬癸", "一二三四五六七八九十甲乙丙丁戊己庚辛", 0, 0),
    # 20 and 2 more: code 2.44 * 20/22 / (1 + 1.44 * 20/22) = 0.9606, paper 40/42 = 0.952
    ("lar", "一二三四五六七八九十甲乙丙丁戊己庚辛壬癸", "一二三四五六七八九十甲乙丙丁戊己庚辛壬癸甲乙", 1, 1),
    # 20 and 3 more: code 2.44 * 20/23 / (1 + 1.44 * 20/23) = 0.942, paper 40/43 = 0.930
    ("lar", "一二三四五六七八九十甲乙丙丁戊己庚辛壬癸", "一二三四五六七八九十甲乙丙丁戊己庚辛壬癸甲乙丙", 0, 0),
]


@pytest.mark.parametrize(("kind", "gold", "said", "code", "paper"), REWARDS)
def test_rewards(kind: str, gold: str, said: str, code: float, paper: float) -> None:
    asked = question(kind, gold)
    assert reward(asked, done(said), "code").value == code
    assert reward(asked, done(said), "paper").value == paper
    assert reward(asked, said, "code").value == reward(asked, said, "paper").value == 0.0


def test_the_first_tag_wins_in_code_and_the_agents_last_in_the_paper() -> None:
    text = done("A").replace("文", "<answer>B</answer>").replace(CALL, CALL + "<think>又</think>")
    assert not faults_of(text, "code")
    assert reward(question("kqa", "B"), text, "code").value == 1.0
    assert reward(question("kqa", "A"), text, "paper").value == 1.0


def test_consultations_are_rewarded_by_both_verdicts() -> None:
    asked = question("lcs", "依据")
    assert reward(asked, done("x"), "code").value is None
    assert reward(asked, done("x"), "code", Verdict(True, False)).value == 0.0
    assert reward(asked, done("x"), "code", Verdict(True, True)).value == 1.0
    assert reward(asked, "x", "code", Verdict(True, True)).value == 0.0


def test_advantages_at_their_edges() -> None:
    """The rest by hand in test_rollouts."""
    assert group_advantages([0.1] * 8) == [0.0] * 8
    assert group_advantages([1.0]) == pytest.approx([1 / (1 + 1e-6)])
    assert group_advantages([]) == []
    assert shaped_advantages(0.0, [2.0, 20.0], ["plan", "tool"], "code") == [0.0] * 2
    with pytest.raises(ValueError, match="entropies"):
        shaped_advantages(1.0, [1.0], [], "code")


def test_kinds_of_tokens() -> None:
    tokens = ["<think>", "想", "</think>", "\n<plan>", "查", "</plan>", "<think>", "再", "</think>",
        "<tool_call>{}</tool_call>",
              "<tool_response>", "文", "</tool_response>", "<think>", "答"]  # fmt: skip
    assert token_kinds(tokens) == ["plan"] * 6 + ["agent"] * 4 + ["tool"] * 3 + ["agent"] * 2


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("2004年3月1日施行的刑法第七十四条", "date"), ("刑法 2012-10-01", "date"), ("二〇一二年十月 刑法", "date"),
        ("2012.3 民诉法", "date"),
        ("刑事诉讼法(2012修正) 第五十三条", "version"), ("2009年第二次修正 刑法", "version"),
        ("刑法修正案（八）缓刑", "version"),
        ("97刑法 投机倒把", "version"), ("刑事诉讼法 1996年版", "version"),
        ("2015年 缓刑 累犯", "year"), ("刑法 2009", "year"), ("一九九七年 刑法", "year"),
        ("2010-2018 缓刑 规定", "year"),
        ("去年 劳动合同 补偿", "relative"), ("三年前 借款 时效", "relative"), ("修正前的刑法第七十四条", "relative"),
        ("现行刑法", "relative"),
        ("行为时 法律", "relative"), ("从旧兼从轻", "relative"),
        ("刑法第七十四条", None), ("(2015)京01民初123号", None), ("2000元 盗窃", None), ("三年以上有期徒刑", None),
        ("判处10年", None),
        ("年龄 前年龄", None), ("以后年度", None), ("刑法第2012条", None), ("", None),
    ],
)  # fmt: skip
def test_temporally_aware_queries(query: str, kind: str | None) -> None:
    assert time_kind(query) == kind


def test_queries_that_name_a_time_are_counted() -> None:
    assert queries_of({"query": ["a", 1, "b"]}) == ("a", "b")
    assert queries_of({"query": "a"}) == ("a",)
    assert queries_of({"url_list": ["a"]}) == queries_of(None) == queries_of({"query": 3}) == ()
    assert awareness(["刑法 2009年", "现行刑法", "刑法", "刑法"]) == {
        "queries": 4, "aware": 2, "explicit": 1, "share": 0.5,
        "kinds": {"date": 0, "version": 0, "year": 1, "relative": 1},
    }  # fmt: skip
    assert awareness([])["share"] is None


def test_temporal_consistency_over_pairs() -> None:
    def member(pair: str, number: int, right: bool, read: str) -> PairMember:
        return PairMember(question("kqa", "A", number, pair), right, read)

    members = [
        member("a", 1, True, "A"), member("a", 2, True, "B"),
        member("b", 3, True, "A"), member("b", 4, False, "A"),
        member("c", 5, False, "B"), member("c", 6, False, "A"),
        member("d", 7, True, "A"), member("d", 8, False, "C"),
        member("e", 9, True, "A"), PairMember(question("kqa", "A", 10), True, "A"),
    ]  # fmt: skip
    found = consistency(members)
    assert {key: found[key] for key in ("n", "incomplete", "consistent", "blind", "swapped", "other", "rate")} == {
        "n": 4, "incomplete": 1, "consistent": 1, "blind": 1, "swapped": 1, "other": 1, "rate": 0.25,
    }  # fmt: skip
    assert found["gain"] == pytest.approx(0.25 - 0.25)
    assert found["interval"][0] < 0.25 < found["interval"][1]
    assert consistency([])["rate"] is None


def test_rows_are_loaded_back(data: Data, tmp_path: Path) -> None:
    folder = data("legalsearch_r1")
    theirs = json.loads((folder / "train_sample_10.json").read_text(encoding="utf-8"))
    questions = load_questions(folder / "evaluation_dev.jsonl")
    made = rows(questions, "系统")
    for part in (None, "reward_model", "extra_info"):
        assert {tuple(row[part] if part else row) for row in made} == {tuple(theirs[0][part] if part else theirs[0])}
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in made), encoding="utf-8")
    back = load_questions(path)
    assert [(q.id, q.kind, q.text.strip(), q.gold.answer, q.gold.cluster) for q in back] == [
        (q.id, q.kind, q.text.strip(), q.gold.answer, q.gold.cluster) for q in questions
    ]
    again = rows(load_questions(folder / "train_sample_10.json"), theirs[0]["prompt"][0]["content"])
    for ours, published_row in zip(again, theirs, strict=True):
        assert ours["prompt"][1] == published_row["prompt"][1]
        assert ours["reward_model"] == published_row["reward_model"]
        assert ours["extra_info"]["tools_kwargs"] == published_row["extra_info"]["tools_kwargs"]


def test_a_trainer_may_bring_a_grader() -> None:
    def grade(asked: str, answer: str, gold: str) -> tuple[bool, bool]:
        return asked == "问" and answer == "x", gold == "依据"

    made = published.compute_score("lcs", done("x"), "依据", {"question": "问"}, grade=grade)
    assert made == {"score": 1.0, "format": 1.0, "scored": 1.0}
    assert published.compute_score("lcs", "x", "依据", None, grade=grade)["score"] == 0.0
    assert published.compute_score("other", done("Yes"), "yES")["score"] == 1.0
