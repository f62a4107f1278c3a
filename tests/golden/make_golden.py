"""Makes the golden runs anew: `python tests/golden/make_golden.py FOLDER` writes them into FOLDER.

NAME.moot is a run with its task file NAME.tasks.json and, in NAME.expected.json, the digests of its episodes and the
score block: `legalagentbench` is played before a scripted model, with a change of seats and a cancelled call, the
others by `gold` on the sample pack. Until a first release they are recorded anew whenever what they say is changed on
purpose; from then on runs of a release must open, rewind, fork and come to the same scores for ever.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

EVERY = {"legalsearch": 32, "courts": 12}
"""Which of the tasks of the sample pack a golden run plays: one in so many."""


def with_a_model(folder: Path, name: str) -> None:
    from tasks.episode.events import Seated
    from tasks.run.runner import start_run
    from tasks.run.spec import RunSpec
    from tests.support.kill_harness import prepare

    spec = prepare(folder, tasks=3)
    (folder / "tasks.json").rename(folder / f"{name}.tasks.json")
    spec |= {"tasks": f"{name}.tasks.json", "model": "scripted:script.json"}
    with start_run(RunSpec.model_validate(spec), out=folder / f"{name}.moot") as run:
        run.scheduler.step("1")
        run.scheduler.seat("1", Seated(seat="agent", policy="human/1", engine="human"))
        run.scheduler.step("1")
        run.scheduler.answer("1", "甲公司的代码是999001")
        run.scheduler.step("2")
        run.scheduler.cancel("2")
        finish(run, folder / f"{name}.expected.json")


def by_gold(folder: Path, name: str, benchmark: str) -> None:
    from store.pack import Pack
    from tasks.run.runner import start_run
    from tasks.run.spec import RunSpec

    tasks = folder / f"{name}.tasks.json"
    with Pack.open("sample") as pack:
        own = pack.task_file(benchmark)
    assert own is not None
    lines = own.read_text("utf-8").splitlines()[:: EVERY[benchmark]]
    tasks.write_text(f"[{','.join(lines)}]", "utf-8")
    spec = RunSpec(benchmark=benchmark, agent="gold", tasks=tasks.name, pack="sample")
    with start_run(spec, out=folder / f"{name}.moot") as run:
        finish(run, folder / f"{name}.expected.json")


def finish(run: Any, expected: Path) -> None:
    from tasks.episode.state import digest
    from tasks.run.reading import attempts_of, grades, read_episode
    from tasks.scoring.result import ScoreContext

    run.go()
    run.record_scores()
    digests = {row.id: digest(read_episode(run.journal, row.id)) for row in run.journal.episodes()}
    context = ScoreContext(run.pack, grades(run.journal), run.spec)
    block = run.bench.summary("", run.questions, attempts_of(run.journal, run.bench), context).block()
    made = {"digests": digests, "block": block}
    counted = run.summary().block() | {"run": ""}
    if counted != block:  # without what a person did
        made["counted"] = counted
    expected.write_text(json.dumps(made, ensure_ascii=False, indent=1), "utf-8")


def main(folder: Path) -> None:
    os.environ["MOOT_HOME"] = str(folder)
    platform.platform = lambda *_, **__: "golden"  # type: ignore[assignment]
    os.chdir(folder)
    from tasks.sample.build import build_sample

    build_sample()
    with_a_model(folder, "legalagentbench")
    for benchmark in EVERY:
        by_gold(folder, benchmark, benchmark)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
