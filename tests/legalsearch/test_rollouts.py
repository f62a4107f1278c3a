"""Rollouts of a stored run: format, rewards, advantages and shaped advantages against cases computed by hand; how
queries name a time, and what a trainer is handed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from store.journal import EpisodeRow, Journal, ScoreRow
from tasks.agents.tags import TAGS
from tasks.episode.events import (
    Answered,
    AttemptStarted,
    Event,
    ModelCalled,
    Record,
    Seated,
    StepEnded,
    Stopped,
    ToolCalled,
    ToolReturned,
    entry_of,
)
from tasks.errors import UsageError
from tasks.legalsearch import published
from tasks.legalsearch.agents.trajectory_pieces import entropy_of_top
from tasks.legalsearch.exporting import rows
from tasks.legalsearch.measures import Verdict
from tasks.legalsearch.questions import LawGold, LawQuestion, load_questions
from tasks.legalsearch.rewards import faults_of, first_round, group_advantages, reward, shaped_advantages, token_kinds
from tasks.legalsearch.rollouts import (
    GroupMember,
    RolloutGroup,
    entropy_label,
    kinds_of,
    make_group,
    read_groups,
    token_rows,
    trajectory_tokens,
    verdict_of,
)
from tasks.legalsearch.temporal import PairMember, awareness, consistency, queries_of, time_kind
from tasks.run.header import file_hash

PLAN = ("<think>", "想", "</think>", "<plan>", "查", "</plan>")
SEARCHED = '{"name": "rag_retrieve", "arguments": {"query": ["刑法 2009年"]}}'
CALL = ("<think>", "查", "</think>", "<tool_call>", SEARCHED, "</tool_call>")
SEEN = "文"


def answer(said: str) -> tuple[str, ...]:
    return ("<think>", "答", "</think>", "<answer>", said, "</answer>")


def called(tokens: Sequence[str], number: int, entropy: float | None, how: str = "exact") -> ModelCalled:
    """A call whose tokens all have the same entropy; an endpoint tells two likely tokens of a half each."""
    half = ((tokens[0], -math.log(2)), ("x", -math.log(2)))
    rows = tuple((token, -0.5, half if how == "top" else ()) for token in tokens)
    return ModelCalled(
        seat="agent", call=number, prompt="search-paper/1", asked=f"{number}", messages=(), settings={},
        text="".join(tokens),
        finish="stop", generated=len(tokens), tokens=tuple(range(len(tokens))) if how == "exact" else (),
        logprobs=rows if how != "none" else (),
        entropies=(entropy,) * len(tokens) if how == "exact" and entropy is not None else (),
    )  # fmt: skip


def episode(
    said: str,
    *,
    how: str = "exact",
    entropies: tuple[float, float, float] = (2.0, 5.0, 0.5),
    outcome: str = "finished",
) -> list[Record]:
    """Plan, one search, answer; in the published form. `entropies` of the three calls."""
    first, second, third = entropies
    events: list[tuple[int, Event]] = [
        (0, AttemptStarted(benchmark="legalsearch", task_id="kqa_1", attempt=1, seed=0, card={})),
        (0, Seated(seat="agent", policy="search/1+paper", engine="m")),
        (1, called(PLAN, 1, first, how)),
        (1, StepEnded(milliseconds=1)),
        (2, called(CALL, 2, second, how)),
        (2, ToolCalled(seat="agent", tool="rag_retrieve", input={"query": ["刑法 2009年"]})),
        (2, ToolReturned(seat="agent", tool="rag_retrieve", status="ok", observation=SEEN)),
        (2, StepEnded(milliseconds=1)),
        (3, called(answer(said), 3, third, how)),
        (3, Answered(seat="agent", res=said, summary="")),
        (3, Stopped.model_validate({"outcome": outcome, "reason": ""})),
    ]
    return [Record(seq, step, None, 0.0, event) for seq, (step, event) in enumerate(events)]


def question(kind: str = "kqa", gold: str = "A", number: int = 1, pair: str = "") -> LawQuestion:
    card = {"id": f"{kind}_{number}", "type": kind, "question": "2004年？\nA: 甲\nB: 乙\nC: 丙\nD: 丁"}
    return LawQuestion(card["id"], card, LawGold(gold, pair or card["id"], pair))


def group(answers: Sequence[str], asked: LawQuestion | None = None, **how: str) -> RolloutGroup:
    members = [GroupMember(number, episode(said, **how)) for number, said in enumerate(answers, 1)]  # type: ignore[arg-type]
    return make_group(asked or question(), members)


def test_advantages_of_one_right_answer_of_four() -> None:
    """R = 1 0 0 0: mean 1/4, population std sqrt(3)/4."""
    made = group(["A", "B", "B", "C"])
    root = math.sqrt(3)
    assert [rollout.rewards["code"].value for rollout in made.rollouts] == [1.0, 0.0, 0.0, 0.0]
    assert [rollout.advantages["paper"] for rollout in made.rollouts] == pytest.approx([root, *[-1 / root] * 3])
    assert [rollout.advantages["code"] for rollout in made.rollouts] == pytest.approx(
        [0.75 / (root / 4 + 1e-6), *[-0.25 / (root / 4 + 1e-6)] * 3], rel=1e-12
    )
    assert made.left_out == {} and made.failed == ()


def test_shaped_advantages_by_hand() -> None:
    """A = sqrt 3: plan 0.1 x 2 = 0.2, call 0.1 x 5 = 0.5 (below A / 2), answer 0.05. A = -1/sqrt 3: A / 2 = 0.2887 is
    the most."""
    made = group(["A", "B", "B", "C"])
    root = math.sqrt(3)
    for rollout, whole, planned, searched, answered in (
        (made.rollouts[0], root, root + 0.2, root + 0.5, root + 0.05),
        (made.rollouts[1], -1 / root, -1 / root + 0.2, -0.5 / root, -1 / root + 0.05),
    ):
        for reading, calls, said in (("paper", whole, whole), ("code", searched, answered)):
            shaped = [row.shaped for row in rollout.tokens[reading] if row.kind != "tool" and row.shaped is not None]  # type: ignore[index]
            assert shaped == pytest.approx([planned] * 6 + [calls] * 6 + [said] * 6, abs=2e-5)
        assert {row.shaped for row in rollout.tokens["code"] if row.kind == "tool"} == {0.0}
    assert all(math.copysign(1, row.shaped) == -1 for row in made.rollouts[1].tokens["code"] if row.shaped)


@pytest.mark.parametrize(
    ("how", "label", "entropy"),
    [("exact", "exact", 2.0), ("top", "top-n estimate", math.log(2)), ("none", "absent", None)],
)
def test_where_entropies_come_from(how: str, label: str, entropy: float | None) -> None:
    pieces = trajectory_tokens(episode("A", how=how))
    kinds = kinds_of(pieces)
    assert entropy_label(pieces) == label
    rows = [row for row in token_rows(pieces, kinds, 1.0, "paper") if row.kind == "plan" and row.text.strip()]
    assert all(row.exact is (how == "exact") for row in rows)
    if entropy is None:
        assert all(row.entropy is row.shaped is None for row in rows)
        assert all(
            row.shaped in (1.0, None) for row in token_rows(pieces, kinds, 1.0, "paper") if row.kind == "agent"
        )
        assert {row.shaped for row in token_rows(pieces, kinds, 0.0, "code")} <= {0.0, None}
    else:
        assert [row.entropy for row in rows] == pytest.approx([entropy] * len(rows))
        assert [row.shaped for row in rows] == pytest.approx([1.0 + 0.1 * entropy] * len(rows))


def test_a_consultation_without_a_grader_is_left_out_with_its_reason() -> None:
    asked = question("lcs", "依据")
    made = group(["x", "y"], asked)
    assert made.left_out == {reading: "no grader has seen 2 of 2 rollouts" for reading in ("paper", "code")}
    assert {rollout.advantages["code"] for rollout in made.rollouts} == {None}
    assert all(row.shaped is None for rollout in made.rollouts for row in rollout.tokens["paper"])
    line = made.lines()[0]
    assert line["reward"] == line["advantage"] == {"paper": None, "code": None} and line["left_out"]
    graded = [GroupMember(1, episode("x"), Verdict(True, True)), GroupMember(2, episode("y"), Verdict(True, False))]
    assert [rollout.advantages["paper"] for rollout in make_group(asked, graded).rollouts] == [1.0, -1.0]
    assert verdict_of({"answer": 1.0, "basis": 0.0}) == Verdict(True, False)
    assert verdict_of(None) is verdict_of({"answer": 1.0, "basis": None}) is None


def test_a_bad_form_needs_no_grader() -> None:
    bad = [Record(r.seq, r.step, None, 0.0, r.event) for r in episode("x")[:4]] + [episode("x")[-1]]
    made = make_group(question("lcs", "依据"), [GroupMember(1, bad), GroupMember(2, bad)])
    assert made.left_out == {"paper": "no grader has seen 2 of 2 rollouts"}, (
        "the paper minds no missing answer, the code does"
    )
    assert [rollout.advantages["code"] for rollout in made.rollouts] == [0.0, 0.0]


def test_rollouts_that_the_machinery_cut_short_are_named() -> None:
    members = [
        GroupMember(1, episode("A")),
        GroupMember(2, episode("B", outcome="error")),
        GroupMember(3, episode("B")),
        GroupMember(4, episode("B")[:5]),
    ]
    made = make_group(question(), members)
    assert (made.failed, [rollout.number for rollout in made.rollouts]) == ((2, 4), [1, 3])
    assert [rollout.advantages["paper"] for rollout in made.rollouts] == [1.0, -1.0]
    alone = make_group(question(), members[:2])
    assert alone.left_out["code"] == "1 of 2 rollouts came to an end" and alone.rollouts[0].advantages == {
        "paper": None,
        "code": None,
    }


def stored(
    tmp_path: Path, episodes: Sequence[tuple[str, list[Record]]], epochs: int, benchmark: str = "legalsearch"
) -> Path:
    """A run file of kqa_1 and lcs_2, each played `epochs` times."""
    tasks = tmp_path / "tasks.jsonl"
    cards = [question("kqa", "A", 1), question("lcs", "依据", 2)]
    tasks.write_text(
        "".join(json.dumps({**q.card, "answer": q.gold.answer}, ensure_ascii=False) + "\n" for q in cards),
        encoding="utf-8",
    )
    rows = [EpisodeRow(f"{task}#{n % epochs + 1}", n, task, n % epochs) for n, (task, _) in enumerate(episodes)]
    header = {
        "run": "r", "spec": {"benchmark": benchmark, "agent": "search", "model": "m", "pack": "lamps",
            "tasks": str(tasks), "epochs": epochs},
        "tasks": {"file": tasks.name, "sha256": file_hash(tasks)},
        "pack": {"name": "lamps", "hash": ""},
    }  # fmt: skip
    path = tmp_path / "r.moot"
    with Journal.create(path, header, rows) as journal:
        for row, (_, records) in zip(rows, episodes, strict=True):
            (attempt,) = journal.attempts(row.id)
            journal.append([entry_of(attempt.id, record) for record in records])
            if row.task_id == "lcs_2" and row.epoch == 0:
                journal.add_scores(
                    [ScoreRow(attempt.id, "grader", "1", {}, {"answer": 1.0, "basis": 1.0}, [], "moot")]
                )
    return path


def test_groups_of_a_stored_run(tmp_path: Path) -> None:
    said = (("kqa_1", "A"), ("kqa_1", "B"), ("lcs_2", "x"), ("lcs_2", "y"))
    path = stored(tmp_path, [(task, episode(text)) for task, text in said], 2)
    kqa, lcs = read_groups(path)
    assert (kqa.task, [rollout.advantages["paper"] for rollout in kqa.rollouts]) == ("kqa_1", [1.0, -1.0])
    assert lcs.left_out["code"] == "no grader has seen 1 of 2 rollouts"
    line = json.loads(json.dumps(kqa.lines()[1]))
    assert (line["task"], line["rollout"], line["group"], line["entropy"]) == ("kqa_1", 2, 2, "exact")
    assert set(line["tokens"][0]) == {"text", "kind", "entropy", "shaped_paper", "shaped_code"}


def test_runs_without_groups_are_refused(tmp_path: Path) -> None:
    path = stored(tmp_path, [("kqa_1", episode("A"))], 1)
    with pytest.raises(UsageError, match="plays every task once"):
        list(read_groups(path))
    path.unlink()
    path = stored(tmp_path, [("kqa_1", episode("A"))], 1, "legalagentbench")
    with pytest.raises(UsageError, match="is of legalagentbench"):
        list(read_groups(path))


Data = Callable[..., Path]
PLAN_TEXT = "<think>想</think><plan>查</plan>"
CALL_TEXT = "<think>查</think><tool_call>{}</tool_call>"
SEEN_TEXT = "<tool_response>文</tool_response>"


def done(answer: str) -> str:
    return f"{PLAN_TEXT}{CALL_TEXT}{SEEN_TEXT}<think>答</think><answer>{answer}</answer>"


@pytest.mark.parametrize(
    ("text", "paper", "code"),
    [
        (done("A"), True, True),
        (f"{PLAN_TEXT}<think>答</think><answer>A</answer>", True, False),  # no call: only the code minds
        (done("A").replace("文", "文</think>"), True, False),  # a stray tag of a tool
        (done("A").replace("文", "文<think>x</think>"), True, False),
        (done("A") + "<think>", False, False),
        (f"{CALL_TEXT}{SEEN_TEXT}{PLAN_TEXT}<think>答</think><answer>A</answer>", False, True),  # planned too late
        (done("A").replace("<think>答</think>", ""), True, False),  # one think too few
        (f"<think>{PLAN_TEXT}</think>{CALL_TEXT}{SEEN_TEXT}<answer>A</answer>", False, True),  # nested
        ("A", False, False),
        ("", False, False),
    ],
)
def test_format_in_both_readings(text: str, paper: bool, code: bool) -> None:
    assert (not faults_of(text, "paper")) is paper
    assert (not faults_of(text, "code")) is code


def test_format_says_what_is_wrong() -> None:
    assert faults_of("A", "code")[:2] == ("no <think>", "no <plan>")
    assert not faults_of(PLAN_TEXT + done("A"), "code")
    assert faults_of(done("A").replace("<think>答</think>", ""), "code") == (
        "2 think for 3 plan, tool_call and answer together",
    )
    assert faults_of("<think>a</plan>", "paper") == (
        "</plan> inside <think>", "<think> is never closed", "no plan in the first round",
    )  # fmt: skip
    assert first_round(done("A")) == PLAN_TEXT
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
    text = done("A").replace("文", "<answer>B</answer>").replace(CALL_TEXT, CALL_TEXT + "<think>又</think>")
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
    assert TAGS == published.TAGS
    assert entropy_of_top([math.log(0.5), math.log(0.25)]) == pytest.approx(1.5 * math.log(2))
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
