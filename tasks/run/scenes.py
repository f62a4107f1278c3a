"""Scenes: does a model fit in a seat? A few fixed tasks of the sample a seat, cut short, played as ordinary runs.

A trial of a seat is a run of named tasks with the model there and everybody else by rules or `gold`; its figures are
a fold of the record. Tasks and turns are chosen so that a model of 1.5B needs about twenty minutes for all seats on
two cores; every model plays the same. It tells whether replies can be read and say something, not whether they are
right.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from models.engine import Ask, Engine, Listener, Reply
from models.engine import EngineError as Failure
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
from tasks.scoring.replies import FIGURES, replies_of

LAB, LAW, COURTS = "legalagentbench", "legalsearch", "courts"
READ = 0.5
"""Share of turns in which the first reply must be read as it stands."""
CUT = 0.5
"""Share of replies that may run into their limit."""
DEGENERATE = 0.3
"""Share of replies that may be an echo, a recital, a repeat, or a loop."""


class Scene(NamedTuple):
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
SCENES: Mapping[str, Scene] = {
    scene.seat: scene
    for scene in (
        Scene("react", LAB, _HOPS, 3, "react"),
        Scene("plan-solve", LAB, _HOPS, 3, "plan-solve"),
        Scene("plan-execute", LAB, _HOPS, 3, "plan-execute"),
        Scene("direct", LAB, (*_HOPS, "sample-106"), 1),
        Scene("search", LAW, ("sample-lar-001", "sample-travel-01a"), 3, "search"),
        Scene("trainee", COURTS, _ADVICE, 3),
        Scene("client", COURTS, _ADVICE, 3, "gold", "client"),
        Scene("party", COURTS, _DRAFTS, 3, "gold", "plaintiff"),
        Scene("drafter", COURTS, _DRAFTS, 3),
        Scene("counsel", COURTS, _CIVIL, 8, "gold", "plaintiff_lawyer"),
        Scene("judge", COURTS, _CIVIL, 3, settings={"aid": "duties"}),
        Scene("procurator", COURTS, _CRIMINAL, 8, "gold", "procurator"),
        Scene("accused", COURTS, _CRIMINAL, 8, "gold", "defendant"),
        Scene("defender", COURTS, _CRIMINAL, 12, "gold", "defence_lawyer"),
        Scene(GRADER, COURTS, _ADVICE, 15, "gold", GRADER),
    )
}
COUNTED = (*FIGURES, "turns", "ended", "no_tool", "loops")
"""As in `tasks.scoring.replies`; turns in which something was asked of the seat; episodes that ended, and those of a
method with tools that answered without one; replies and episodes that went in circles."""
Watched = Callable[[Callable[[], None]], AbstractContextManager[threading.Event]]
"""Given what cuts the calls in flight, an event that is set when somebody wants an end."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A model in a seat. figures: `COUNTED`; seconds: of its calls; failed: the sentence of what failed."""

    seat: str
    form: str
    figures: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0))
    seconds: float = 0.0
    quote: str = ""
    failed: str = ""

    def share(self, name: str) -> float:
        """Of its calls."""
        return self.figures[name] / (self.figures["calls"] or 1)

    @property
    def read(self) -> float:
        """Share of its turns in which the first reply was read as it stands."""
        unread = self.figures["repaired"] + self.figures["rejected"]
        return max(0.0, 1 - unread / (self.figures["turns"] or 1))

    @property
    def why(self) -> str:
        """What speaks against it, the worst first: the engine failed, nobody answered, replies not read at once,
        replies without an end, no tool where there are some, replies in which nothing is said; '' for nothing."""
        degenerate = sum(self.share(name) for name in (*EMPTY, "repetition"))
        found = {
            "failed": self.failed, "silent": not self.quote, "unread": self.read < READ,
            "cut": self.share("length") > CUT, "no_tool": 0 < self.figures["no_tool"] == self.figures["ended"],
            "degenerate": degenerate > DEGENERATE,
        }  # fmt: skip
        return next((name for name, holds in found.items() if holds), "")

    @property
    def verdict(self) -> str:
        """`usable`, `repeats` or `not usable`."""
        return {"": "usable", "degenerate": "repeats"}.get(self.why, "not usable")

    def data(self) -> dict[str, object]:
        """As JSON data; tokens a second: of those read anew and written."""
        tokens = self.figures["evaluated"] + self.figures["generated"]
        return {
            "seat": self.seat, "form": self.form, "verdict": self.verdict, "reason": self.why, "failed": self.failed,
            "read_at_once": self.read, **self.figures,
            **{f"{name}_each": self.share(name) for name in ("evaluated", "reused", "generated")},
            "tokens_per_second": tokens / self.seconds if self.seconds else 0.0,
            "seconds": self.seconds, "quote": self.quote,
        }  # fmt: skip


def scenes(seats: Sequence[str]) -> list[tuple[Scene, Calls | None]]:
    """What is to be tried: every seat in the form that its model was trained for, or of those named every form.

    Raises:
        UsageError: there is no such seat.
    """
    for seat in seats:
        if seat not in SCENES:
            raise UsageError(f"there is no seat '{seat}' to try", f"Name one of {', '.join(SCENES)}.")
    if not seats:
        return [(scene, None) for scene in SCENES.values()]
    return [(SCENES[seat], form) for seat in dict.fromkeys(seats) for form in _forms(SCENES[seat])]


def _forms(scene: Scene) -> Sequence[Calls | None]:
    """The forms of calls that a method knows. No seat of the courts has tools here: the law of the sample is
    fictional."""
    if scene.role:
        return (None,)
    bench = benchmark(scene.benchmark)
    known = bench.modes(bench.agents[scene.agent][0])
    forms = [form for form in CALLS if mode_of(form, paper=False) in known]
    return [form for form in forms if scene.benchmark != COURTS or form != "native"]


def trial(
    scene: Scene,
    model: str,
    form: Calls | None,
    folder: Path,
    watched: Watched = lambda _: nullcontext(threading.Event()),
) -> Trial:
    """Play a scene with a model, and count.

    Args:
        scene: of `SCENES`.
        model: its SPEC.
        form: of its calls; None for the one that it was trained for.
        folder: for the run file.
        watched: ends the scene before it is over; what was said by then is counted.
    """
    simulated = scene.role not in ("", GRADER)
    spec = RunSpec.model_validate({
        "benchmark": scene.benchmark, "agent": scene.agent, "model": "" if scene.role else model,
        "task_ids": scene.tasks, "max_turns": scene.turns, "seats": {scene.role: model} if simulated else {},
        **({"calls": form} if form else {}), **({"measured": scene.role} if simulated else {}), **scene.settings,
    })  # fmt: skip
    figures, records = Counter[str](), list[Record]()
    try:
        with start_run(spec, out=folder / f"{scene.seat}-{form}.moot") as run:
            with watched(run.scheduler.interrupt) as stopped:
                run.go(lambda: not stopped.is_set())
            if scene.role == GRADER:
                grader = _Grader(open_engine(model))
                with watched(grader.cancel):
                    grade_run(run.journal, run.bench, run.by_id, grader, model)
                grader.close()
                records = grader.records
            else:
                for row in run.journal.episodes():
                    own = read_episode(run.journal, row.id)
                    figures.update(run.bench.result(row.task_id, row.epoch, fold(own)).flags & {"no_tool"})
                    records.extend(own)
    except (BadEngine, StoreError, TaskError) as error:
        return Trial(scene.seat, form or "", failed=str(error))
    return _counted(scene, "" if scene.role else run.spec.calls, figures, scene.role or run.bench.seat, records)


def _counted(scene: Scene, form: str, figures: Counter[str], seat: str, records: Sequence[Record]) -> Trial:
    figures.update(replies_of(records).get(seat, {}))
    events = [record.event for record in records]
    calls = [event for event in events if isinstance(event, ModelCalled) and event.seat == seat]
    parsed = [event for event in events if isinstance(event, ActionParsed) and event.seat == seat]
    said = [event.text for event in events if isinstance(event, Said) and event.seat == seat and event.turn > 0]
    said += [event.res for event in events if isinstance(event, Answered) and event.seat == seat]
    ends = [event for event in events if isinstance(event, Stopped)]
    figures.update(
        turns=max(len(parsed), len(said)),
        ended=len(ends),
        loops=figures["repetition"] + sum(end.outcome == "loop" for end in ends),
    )
    return Trial(
        scene.seat,
        form,
        {name: figures[name] for name in COUNTED},
        sum(call.milliseconds for call in calls) / 1000,
        next((text.strip() for text in (*said, *(call.text for call in reversed(calls))) if text.strip()), ""),
        next((end.reason for end in ends if end.outcome == "error"), ""),
    )


class _Grader:
    """A grader's engine that keeps what it answered as the record of an episode would: gradings belong to none."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.describe, self.cancel, self.close = engine.describe, engine.cancel, engine.close
        self.records: list[Record] = []

    def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | Failure]:
        answers = self._engine.answer(asks, listen)
        for ask, answer in zip(asks, answers, strict=True):
            first = ask.attempt == 1
            text = "" if isinstance(answer, Failure) else answer.text
            self._note(
                Answered(seat=GRADER, res=text, summary="") if first else ActionParsed(seat=GRADER, result="rejected")
            )
            if isinstance(answer, Failure):
                self._note(Stopped(outcome="error", reason=str(answer)))
                continue
            usage = answer.usage
            self._note(ModelCalled(
                seat=GRADER, call=len(self.records), prompt=ask.prompt, asked="", messages=(), settings={},
                text=answer.text, finish=answer.finish, evaluated=usage.evaluated, reused=usage.reused,
                generated=usage.generated, milliseconds=usage.milliseconds,
            ))  # fmt: skip
        return answers

    def _note(self, event: Event) -> None:
        self.records.append(Record(len(self.records), 1, None, 0.0, event))
