"""Makes the golden journal of a release: `python tests/golden/make_golden.py FOLDER` writes FOLDER/golden.moot.

Copy it to tests/golden/VERSION.moot with FOLDER/tasks.json beside it as VERSION.tasks.json, once a release, and never
change it afterwards: runs of that release must open, rewind and be scored again for ever.
"""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def main(folder: Path) -> None:
    os.environ["MOOT_HOME"] = str(folder)
    platform.platform = lambda *_, **__: "golden"  # type: ignore[assignment]
    from tasks.events import Seated
    from tasks.runner import start_run
    from tasks.spec import RunSpec
    from tests.kill_harness import prepare

    spec = prepare(folder, tasks=3)
    os.chdir(folder)
    spec |= {"tasks": "tasks.json", "model": "scripted:script.json"}
    with start_run(RunSpec.model_validate(spec), out=folder / "golden.moot") as run:
        run.scheduler.step("1")
        run.scheduler.seat("1", Seated(seat="agent", policy="human/1", engine="human"))
        run.scheduler.step("1")
        run.scheduler.answer("1", "甲公司的代码是999001")
        run.scheduler.step("2")
        run.scheduler.cancel("2")
        run.go()
        run.record_scores()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
