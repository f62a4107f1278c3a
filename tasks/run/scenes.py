"""Scenes: does a model fit in a seat? A few fixed tasks of the sample a seat, cut short, played as ordinary runs.

A trial of a seat is a run of named tasks with the model there and everybody else by rules or `gold`; its figures are
a fold of the record. Tasks and turns are chosen so that a model of 1.5B needs about twenty minutes for all seats on
two cores; every model plays the same. It tells whether replies can be read and say something, not whether they are
right.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from models.engine import Ask, Engine, EngineError, Listener, Reply
from models.errors import BadEngine
from store.errors import StoreError
from tasks.agents.degenerate import EMPTY
from tasks.agents.modes import CALLS, Calls, mode_of
from tasks.benchmark import benchmark
from tasks.episode.events import ActionParsed, Answered, Event, ModelCalled, Record, Said, Stopped
from tasks.episode.state import fold
from tasks.errors import TaskError, UsageError
from tasks.run.engines import open_engine
from tasks.run.reading import GRADER, read_episode
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tasks.scoring.grader import grade_run
from tasks.scoring.result import FIGURES, replies_of

LAB, LAW, COURTS = "legalagentbench", "legalsearch", "courts"
READ = 0.5
"""Share of turns in which the first reply must be read as it stands."""
CUT = 0.5
"""Share of replies that may run into their limit."""
DEGENERATE = 0.3
"""Share of replies that may be an echo, a recital, a repeat, or a loop."""


class SeatTryout(NamedTuple):
    """Tasks of the sample with the model in one seat. role: '' where it is the tested one, whose method is then
    `agent`; else `agent` is who sits in the tested seat. turns: after which an episode is cut."""

    seat: str
    benchmark: str
    tasks: Sequence[str]
    turns: int
    agent: str = "direct"
    role: str = ""
    settings: Mapping[str, str] = {}


_HOPS = ("sample-101", "sample-103")
_ADVICE, _DRAFTS, _CIVIL, _CRIMINAL = ((f"{env}-0001", f"{env}-0002") for env in ("KQ", "CD", "CI", "CR"))
SCENES: Mapping[str, SeatTryout] = {
    scene.seat: scene
    for scene in (
        SeatTryout("react", LAB, _HOPS, 3, "react"),
        SeatTryout("plan-solve", LAB, _HOPS, 3, "plan-solve"),
        SeatTryout("plan-execute", LAB, _HOPS, 3, "plan-execute"),
        SeatTryout("direct", LAB, (*_HOPS, "sample-106"), 1),
        SeatTryout("search", LAW, ("sample-lar-001", "sample-travel-01a"), 3, "search"),
        SeatTryout("trainee", COURTS, _ADVICE, 3),
        SeatTryout("client", COURTS, _ADVICE, 3, "gold", "client"),
        SeatTryout("party", COURTS, _DRAFTS, 3, "gold", "plaintiff"),
        SeatTryout("drafter", COURTS, _DRAFTS, 3),
        SeatTryout("counsel", COURTS, _CIVIL, 8, "gold", "plaintiff_lawyer"),
        SeatTryout("judge", COURTS, _CIVIL[:1], 6, settings={"aid": "duties"}),
        SeatTryout("procurator", COURTS, _CRIMINAL, 8, "gold", "procurator"),
        SeatTryout("accused", COURTS, _CRIMINAL, 8, "gold", "defendant"),
        SeatTryout("defender", COURTS, _CRIMINAL, 12, "gold", "defence_lawyer"),
        SeatTryout(GRADER, COURTS, _ADVICE, 15, "gold", GRADER),
    )
}
Row = dict[str, Any]
"""What a scene came to, as JSON data: the figures of `tasks.scoring.result` with their mean a reply in tokens;
verdict: usable, repeats or not usable; reason: failed, silent, unread, cut, no_tool, degenerate, '' for none; loops:
replies and episodes that went in circles; tokens_per_second: of those read anew and written."""
Watched = Callable[[Callable[[], None]], AbstractContextManager[threading.Event]]
"""Given what cuts the calls in flight, an event that is set when somebody wants an end."""


def scenes(seats: Sequence[str]) -> list[tuple[SeatTryout, Calls | None]]:
    """What is to be tried: every seat in the form that its model was trained for (None), or of those named every form
    that a method knows. No seat of the courts has tools here: the law of the sample is fictional.

    Raises:
        UsageError: there is no such seat.
    """
    found: list[tuple[SeatTryout, Calls | None]] = []
    for seat in dict.fromkeys(seats):
        if seat not in SCENES:
            raise UsageError(f"there is no seat '{seat}' to try", f"Name one of {', '.join(SCENES)}.")
        scene, bench = SCENES[seat], benchmark(SCENES[seat].benchmark)
        known = set(bench.modes(bench.agents[scene.agent][0])) - ({"native"} if scene.benchmark == COURTS else set())
        found += [(scene, form) for form in CALLS if mode_of(form, paper=False) in known] or [(scene, None)]
    return found if seats else [(scene, None) for scene in SCENES.values()]


def play(
    scene: SeatTryout, model: str, form: Calls | None, folder: Path,
    watched: Watched = lambda _: nullcontext(threading.Event()),
) -> Row | None:  # fmt: skip
    """Play a scene with the model of a SPEC; the run file lies in `folder`. None where `watched` ended it before."""
    simulated = scene.role not in ("", GRADER)
    spec = RunSpec.model_validate({
        "benchmark": scene.benchmark, "agent": scene.agent, "model": "" if scene.role else model,
        "task_ids": scene.tasks, "max_turns": scene.turns, "seats": {scene.role: model} if simulated else {},
        **({"calls": form} if form else {}), **({"measured": scene.role} if simulated else {}), **scene.settings,
    })  # fmt: skip
    try:
        with start_run(spec, out=folder / f"{scene.seat}-{form}.moot") as run:
            with watched(run.scheduler.interrupt) as stopped:
                run.go(lambda: not stopped.is_set())
            episodes = [(row, read_episode(run.journal, row.id)) for row in run.journal.episodes()]
            results = [run.bench.result(row.task_id, row.epoch, fold(own)) for row, own in episodes]
            events = [record.event for _, own in episodes for record in own]
            if scene.role == GRADER and not stopped.is_set():
                grader = _Grader(open_engine(model))
                with watched(grader.cancel) as stopped:
                    grade_run(run.journal, run.bench, run.by_id, grader, model)
                grader.close()
                events = grader.events
    except (BadEngine, StoreError, TaskError) as error:
        return _row(scene, form or "", "", [], failed=str(error))
    no_tool = all("no_tool" in result.flags for result in results)
    form_then = "" if scene.role else run.spec.calls
    return None if stopped.is_set() else _row(scene, form_then, scene.role or run.bench.seat, events, no_tool=no_tool)


def _row(
    scene: SeatTryout, form: str, seat: str, events: Sequence[Event], *, failed: str = "", no_tool: bool = False
) -> Row:  # fmt: skip
    own = [event for event in events if getattr(event, "seat", "") == seat]
    calls = [event for event in own if isinstance(event, ModelCalled)]
    said = [event.text for event in own if isinstance(event, Said) and event.turn > 0]
    said += [event.res for event in own if isinstance(event, Answered)]
    ends = [event for event in events if isinstance(event, Stopped)]
    counts = replies_of(Record(0, 0, None, 0.0, event) for event in events).get(seat) or dict.fromkeys(FIGURES, 0)
    share = {name: count / (len(calls) or 1) for name, count in counts.items()}
    turns = max(len(said), sum(isinstance(event, ActionParsed) for event in own), 1)
    read = max(0.0, 1 - (counts["repaired"] + counts["rejected"]) / turns)
    failed = failed or next((end.reason for end in ends if end.outcome == "error"), "")
    texts = (*said, *(call.text for call in reversed(calls)))
    quote = next((text.strip() for text in texts if text.strip()), "")
    seconds = sum(call.milliseconds for call in calls) / 1000
    faults = {
        "failed": failed, "silent": not quote, "unread": read < READ, "cut": share["length"] > CUT,
        "no_tool": no_tool, "degenerate": sum(share[name] for name in (*EMPTY, "repetition")) > DEGENERATE,
    }  # fmt: skip
    reason = next((name for name, holds in faults.items() if holds), "")
    return {
        "seat": scene.seat, "form": form, "reason": reason, "failed": failed,
        "verdict": {"": "usable", "degenerate": "repeats"}.get(reason, "not usable"), "read_at_once": read, **counts,
        "loops": counts["repetition"] + sum(end.outcome == "loop" for end in ends),
        **{f"{name}_each": share[name] for name in ("evaluated", "reused", "generated")}, "seconds": seconds,
        "tokens_per_second": (counts["evaluated"] + counts["generated"]) / (seconds or 1), "quote": quote,
    }  # fmt: skip


class _Grader:
    """A grader's engine that keeps what it answered as events of an episode: gradings belong to none."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.describe, self.cancel, self.close = engine.describe, engine.cancel, engine.close
        self.events: list[Event] = []

    def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
        answers = self._engine.answer(asks, listen)
        for ask, answer in zip(asks, answers, strict=True):
            if isinstance(answer, EngineError):
                self.events.append(Stopped(outcome="error", reason=str(answer)))
                continue
            again = ActionParsed(seat=GRADER, result="rejected")
            self.events.append(again if ask.attempt > 1 else Answered(seat=GRADER, res=answer.text, summary=""))
            use = answer.usage
            self.events.append(ModelCalled(
                seat=GRADER, call=0, prompt=ask.prompt, asked="", messages=(), settings={}, text=answer.text,
                finish=answer.finish, evaluated=use.evaluated, reused=use.reused, generated=use.generated,
                milliseconds=use.milliseconds,
            ))  # fmt: skip
        return answers
