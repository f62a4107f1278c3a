"""Ready episodes, for the command line and the desk, on the sample pack: a task of several hops, and a civil trial."""

from __future__ import annotations

import sys
from collections.abc import Callable

from store import places
from store.pack import Pack
from tasks.legalagentbench.questions import load_questions
from tasks.run.opened import Run
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec

TASK = "sample-405"
"""A case number, a listed company, its code, its address and the court there: four hops that a person can follow."""

TRIAL = "CI-0002"
"""A civil trial whose dispute anybody understands."""


def ensure_sample(announce: Callable[[], None] = lambda: None) -> None:
    """Build the sample pack if it is not there; `announce` is called before."""
    if (places.packs() / "sample" / "manifest.json").is_file():
        return
    from tasks.sample.build import build_sample

    announce()
    build_sample()


def demo_run() -> Run:
    """A run of the rules agent on one task of the sample pack; nothing has been driven yet."""
    ensure_sample()
    with Pack.open("sample") as pack:
        path = pack.task_file("legalagentbench")
        tasks = [question.id for question in load_questions(path)] if path else []
    chosen = TASK if TASK in tasks or not tasks else tasks[0]
    return start_run(RunSpec(benchmark="legalagentbench", task_ids=(chosen,)), argv=sys.argv[1:])


def trial_run() -> Run:
    """A run of the rules in every seat of one civil trial; nothing has been driven yet."""
    ensure_sample()
    return start_run(RunSpec(benchmark="courts", task_ids=(TRIAL,)), argv=sys.argv[1:])
