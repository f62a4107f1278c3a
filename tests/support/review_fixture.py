"""A pack with a few court cases and hand-made ended runs of them, for tests and pictures of the Review screen. All is
invented."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from store import places
from store.builder import PackBuilder
from store.journal import SUFFIX, EpisodeRow, Journal, ScoreRow
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase
from tasks.courts.environment import environment
from tasks.courts.scores.drafted import ceiling_document, with_end_mark
from tasks.courts.scores.judgment import gold_text
from tasks.episode.events import (
    AttemptStarted,
    Event,
    Record,
    Said,
    Seated,
    StageEntered,
    StepEnded,
    Stopped,
    TopicTracked,
    entry_of,
)
from tasks.sample.build import court_cases
from tests.support.desk_fixture import header

CASES = {case.id: case for case in court_cases()}
FEW = ("CI-0001", "CR-0001", "KQ-0001", "CD-0001")
SHORTER = 300
"""Characters that the judge of a fixture takes from the reasons: some points are missing, so that there is something
to score."""
GRADED = {"REA": (0.6, "主要理由一致，抵充顺序和律师费两点没有写到。"), "JUD": (0.9, "各项请求的处理一致。")}
"""What the grader of a fixture said: metric -> value and reason."""


def build_cases(name: str = "courts", cases: Sequence[str] = FEW) -> Path:
    """A pack with these cases as tasks."""
    with PackBuilder(
        name, jurisdiction="虚构法域", source="tests", licence="MIT", coverage="complete", as_of="2024-12-31"
    ) as builder:
        builder.add_row(
            "CourtCode", {"法院名称": "云溪县人民法院", "法院代字": "云溪0101", "行政级别": "区县"}, "authored"
        )
        builder.add_tasks("courts", [json.dumps(CASES[one].fields(), ensure_ascii=False) for one in cases])
    return places.packs() / name


def spoken(case: Case) -> Iterator[Event]:
    """A short episode of a case; what the tested seat says in the end is what people score."""
    if isinstance(case, AdviceCase):
        yield from _advice(case)
    elif case.env == "CI" and isinstance(case, CivilCase):
        yield from _civil(case)
    elif isinstance(case, CriminalCase):
        yield from _criminal(case)
    else:
        assert isinstance(case, CivilCase)
        client, lawyer = ("plaintiff", "agent") if case.env == "CD" else ("defendant", "agent")
        yield Said(seat=lawyer, text="请说说纠纷的经过和您的请求。", to=(client,), turn=1)
        yield Said(seat=client, text=case.complaint, turn=1)
        yield Said(seat=lawyer, text=with_end_mark(ceiling_document(case)), to=(client,), turn=2)


def _advice(case: AdviceCase) -> Iterator[Event]:
    for turn, topic in enumerate(case.topics, 1):
        yield Said(seat="client", text=topic.question, to=("trainee",), turn=turn)
        yield Said(seat="agent", text=topic.answer, to=("client",), turn=turn)
        yield TopicTracked(seat="tracker", pointer=topic.id, topic=topic.id, answered=True, verdict="yes")


def _civil(case: CivilCase) -> Iterator[Event]:
    plaintiff, defendant = "plaintiff_lawyer", "defendant_lawyer"
    court = case.court.name
    yield Said(seat="clerk", text="请当事人、诉讼代理人入庭。现在宣布法庭纪律。全体人员不得鼓掌、喧哗、哄闹。")
    yield Said(
        seat="agent",
        text=f"现在开庭。{court}依法公开开庭审理{case.cause}一案。请原告陈述诉讼请求及事实和理由。",
        to=(plaintiff,),
        turn=1,
    )
    yield StageEntered(stage="inquiry", name="法庭调查")
    yield Said(seat=plaintiff, text="诉讼请求：" + "；".join(claim.text for claim in case.claims) + "。", turn=1)
    yield Said(seat="agent", text="请被告答辩。", to=(defendant,), turn=2)
    yield Said(seat=defendant, text=case.answer, turn=2)
    for turn, issue in enumerate(case.gold.issues, 3):
        yield Said(seat="agent", text=f"关于“{issue}”，请双方发表辩论意见。", to=(plaintiff, defendant), turn=turn)
        if turn == 3:
            yield StageEntered(stage="debate", name="法庭辩论")
        yield Said(seat=plaintiff, text="坚持起诉意见，以当庭出示的证据为准。", turn=turn)
        yield Said(seat=defendant, text="坚持答辩意见。", turn=turn)
    yield Said(seat="agent", text=f"{_shortened(case)}\n现在闭庭。", turn=len(case.gold.issues) + 3)
    yield StageEntered(stage="judgment", name="宣判")


def _criminal(case: CriminalCase) -> Iterator[Event]:
    yield Said(seat="agent", text="现在开庭。传被告人到庭。请公诉人宣读起诉书。", to=("procurator",), turn=1)
    yield StageEntered(stage="inquiry", name="法庭调查")
    yield Said(seat="procurator", text=case.criminal.indictment, turn=1)
    yield Said(seat="agent", text="被告人对起诉书指控的事实和罪名有无异议？", to=("defendant",), turn=2)
    yield Said(seat="defendant", text=case.criminal.plea.facts or "没有异议。", turn=2)
    yield Said(seat="agent", text=f"{_shortened(case)}\n现在闭庭。", turn=3)


def _shortened(case: CivilCase | CriminalCase) -> str:
    reason = case.gold.reason
    return gold_text(case).replace(reason.strip().rstrip("。"), f"{reason[:SHORTER].rpartition('。')[0]}")


def records_of(case: Case, outcome: str) -> list[Record]:
    """The records of an episode, a step an utterance; without an outcome it has not ended and a person sits in the
    tested seat."""
    card = {"id": case.id, "env": case.env, "question": case.id}
    seats = ("agent", *environment(case.env).others)
    start: list[Event] = [AttemptStarted(benchmark="courts", task_id=case.id, attempt=1, seed=0, card=card)]
    start += [Seated(seat=seat, policy="tracker-rules/1" if seat == "tracker" else "court-rules/1") for seat in seats]
    start += [] if outcome else [Seated(seat="agent", policy="court-human/1", engine="human")]
    events, step = [(0, event) for event in start], 0
    for event in spoken(case):
        step += isinstance(event, Said)
        events.append((step, event))
    if outcome:
        events += [(step, Stopped(outcome=outcome, reason="closed")), (step, StepEnded(milliseconds=1.0))]
    return [Record(seq, at, None, 1.7e9, event) for seq, (at, event) in enumerate(events)]


def court_run(
    pack: Path, tasks: Sequence[str] = FEW, run: str = "20261121-120000-courts-rules-0001",
    outcomes: Sequence[str] = ()
) -> Path:  # fmt: skip
    """A stored run; a task that is named again is another repeat of it. A grader has scored REA and JUD of every
    ended episode."""
    path = places.runs() / f"{run}{SUFFIX}"
    rows = [
        EpisodeRow(task if task not in tasks[:n] else f"{task}.{n}", n, task, tasks[:n].count(task))
        for n, task in enumerate(tasks)
    ]
    told = header(run, pack, benchmark="courts", created="2026-11-21T12:00:00+00:00")
    with Journal.create(path, told, rows) as journal:
        for n, row in enumerate(rows):
            (attempt,) = journal.attempts(row.id)
            outcome = outcomes[n] if outcomes else "finished"
            journal.append([entry_of(attempt.id, record) for record in records_of(CASES[row.task_id], outcome)])
            if outcome and CASES[row.task_id].env in ("CI", "CR"):
                journal.add_scores(
                    [
                        graded(attempt.id, name, *given)
                        for name, given in GRADED.items()
                        if name == "REA" or CASES[row.task_id].env == "CI"
                    ]
                )
    return path


def graded(attempt: int, metric: str, value: float, reason: str, spec: str = "scripted:grader.json") -> ScoreRow:
    """A row as a grader appends it."""
    settings = {"prompt": "p", "engine": f"e {spec}", "spec": spec}
    return ScoreRow(
        attempt,
        "grader",
        "grader-reasons/1",
        settings,
        {metric: value},
        [{"verdict": metric, "reason": reason}],
        spec,
    )
