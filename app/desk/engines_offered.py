"""Which engines a person can choose on the desk: models of the library, recorded runs, or any SPEC typed by hand.

Slow (files are read): called from workers. A damaged file is left out of the list, never a failure of the list.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from app import library
from app.desk.episode.renderers import one, player_name
from app.desk.models.listing import models
from app.library import RunLine
from app.strings import t
from models.engine import EngineError
from models.errors import BadEngine
from store.errors import StoreError
from tasks.benchmark import benchmark
from tasks.errors import TaskError
from tasks.run.cast import Cast
from tasks.run.engines import open_engine
from tasks.run.opened import check_calls
from tasks.run.spec import RunSpec

MOST_RUNS = 20
"""Recorded runs that are offered, newest first."""
FAULTS = (BadEngine, EngineError, StoreError, TaskError)
"""What opening an engine may raise; each says in its title what is wrong."""


@dataclass(frozen=True)
class Offer:
    """One engine to choose: its SPEC and how it is called in a list."""

    spec: str
    label: str


def offered(runs: Iterable[RunLine] | None = None) -> list[Offer]:
    """Models of the library by name, then recorded runs of models, newest first."""
    return [*_models(), *_recorded(library.runs() if runs is None else runs)]


def _models() -> list[Offer]:
    try:
        lines = models()
    except BadEngine:
        return []
    able = [line for line in lines if not line.fault and not line.is_embedding]
    able.sort(key=lambda line: line.entry.shipped)  # nobody measures the one for demonstration by not choosing
    return [Offer(f"llama:{line.name}", line.summary) for line in able]


def _recorded(runs: Iterable[RunLine]) -> list[Offer]:
    played = [line for line in runs if line.model and not line.error and line.finished][:MOST_RUNS]
    return [Offer(f"recorded:{line.id}", _run_label(line)) for line in played]


def _run_label(line: RunLine) -> str:
    try:
        when = f"{datetime.fromisoformat(line.created).astimezone():%m-%d %H:%M}"
    except ValueError:
        when = one(line.id)
    return t("engine.recorded", when=when, policy=player_name(line))


def refusal(spec: RunSpec) -> str:
    """Why those who sit in a run cannot play with their engines, in one sentence; '' when they can.

    The engines are opened, one after the other, and closed again.
    """
    try:
        cast = Cast.of(benchmark(spec.benchmark), spec)
        for wanted in cast.engines:
            engine = open_engine(wanted)
            try:
                check_calls([sits for sits in (cast.tested, *cast.others) if sits.engine == wanted], {wanted: engine})
            finally:
                engine.close()
    except FAULTS as error:
        return one(error.title)
    except OSError as error:
        return one(error.strerror or str(error))
    return ""
