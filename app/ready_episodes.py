"""Ready episodes, for the command line and the desk, on the sample pack: a task of several hops or a question that a
person asks, and a criminal trial.

The model that comes with Moot plays the first two where llama.cpp is installed, the rules agent everywhere else.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from typing import Any

from app.strings import t
from app.strings.sentences import error_text
from models.errors import BadEngine
from models.llama import library, shipped
from store import places
from store.pack import Pack
from tasks.legalagentbench.questions import load_questions, question_file
from tasks.run.opened import Run
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec

RULES = "rules"
SAMPLE = "sample"
"""The pack of the fictional jurisdiction."""
TASK = "sample-504"
"""A case number, a listed company, its code, its address and the court there: four hops that a person can follow."""

TRIAL = "CR-0001"
"""A criminal trial in which the accused pleads guilty."""


def ensure_sample(announce: Callable[[], None] = lambda: None) -> None:
    """Build the sample pack if it is not there; `announce` is called before."""
    if (places.packs() / SAMPLE / "manifest.json").is_file():
        return
    from tasks.sample.build import build_sample

    announce()
    build_sample()


def lacking() -> str:
    """Why the model that comes with Moot cannot play here, and what to do about it; '' where it can."""
    about = shipped.card()
    if about is None or not about.kinds:
        return t("demo.no_model")
    if not all(map(importlib.util.find_spec, ("llama_cpp", "llguidance"))):
        return t("demo.no_llama")
    try:
        library.resolve(about.name, places.models())
    except BadEngine as error:
        return error_text(error)
    return ""


def demo_run(question: str = "") -> tuple[Run, str]:
    """A run of a question, else of the ready one; nothing has been driven yet. Beside it why the rules play, where no
    model does. The ready one of the model is the longest that it has solved, that of the rules a task of the sample
    pack.

    Raises:
        UsageError: the question is too long.
    """
    ensure_sample()
    about, why = shipped.card(), lacking()
    if about is not None and not why:
        asked = str(question_file(question or about.kinds[-1].example))
        try:
            return _started(agent="react", model=about.spec, tasks=asked), ""
        except BadEngine as error:  # llama.cpp is there and cannot start
            why = error_text(error)
    return _started(**({"tasks": str(question_file(question))} if question else {"task_ids": (_ready(),)})), why


def asked_run(question: str, pack: str, engine: str) -> Run:
    """A run of a question on any pack, by the model of a SPEC, or by the rules where that is "rules"; nothing has
    been driven yet.

    Raises:
        UsageError: the question is too long.
        BadEngine, StoreError: the engine or the pack cannot be had.
    """
    who = {} if engine == RULES else {"agent": "react", "model": engine}
    return _started(tasks=str(question_file(question)), pack=pack, **who)


def _started(**spec: Any) -> Run:
    return start_run(RunSpec(benchmark="legalagentbench", **spec), argv=sys.argv[1:])


def _ready() -> str:
    with Pack.open(SAMPLE) as pack:
        path = pack.task_file("legalagentbench")
        tasks = [question.id for question in load_questions(path)] if path else []
    return TASK if TASK in tasks or not tasks else tasks[0]


def trial_run() -> Run:
    """A run of one criminal trial by rules, its judgment the authored reference; nothing has been driven yet."""
    ensure_sample()
    return start_run(RunSpec(benchmark="courts", agent="gold", task_ids=(TRIAL,)), argv=sys.argv[1:])
