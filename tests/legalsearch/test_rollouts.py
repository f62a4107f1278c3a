"""Rollouts of a stored run: rewards, advantages and shaped advantages against cases computed by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from store.journal import EpisodeRow, Journal, ScoreRow
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
from tasks.legalsearch.measures import Verdict
from tasks.legalsearch.questions import LawGold, LawQuestion
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
from tasks.run.header import file_hash

PLAN = ("<think>", "想", "</think>", "<plan>", "查", "</plan>")
CALL = (
    "<think>",
    "查",
    "</think>",
    "<tool_call>",
    '{"name": "rag_retrieve", "arguments": {"query": ["刑法 2009年"]}}',
    "</tool_call>",
)
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


def question(kind: str = "kqa", gold: str = "A", number: int = 1) -> LawQuestion:
    card = {"id": f"{kind}_{number}", "type": kind, "question": "2004年？\nA: 甲\nB: 乙\nC: 丙\nD: 丁"}
    return LawQuestion(card["id"], card, LawGold(gold, card["id"]))


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
