"""Kills a run 300 times at random moments: no acknowledged event lost or doubled, every resumed run ends the same."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

KILLS = 300


def main() -> int:
    """Exit code 0 when every promise held."""
    if sys.platform == "win32":
        print("skipped: kills with POSIX signals")
        return 0
    from tests.support.kill_harness import run_trials

    with tempfile.TemporaryDirectory() as home:
        os.environ["MOOT_HOME"] = home
        started = time.monotonic()
        report = run_trials(Path(home), kills=KILLS)
    print(f"kills {report.kills}, resumed {report.resumed}, lost {len(report.lost)}, different {len(report.different)}, "
          f"{time.monotonic() - started:.0f} s")  # fmt: skip
    for line in report.lost[:20] + report.different[:20]:
        print(line)
    return 1 if report.lost or report.different or report.kills < KILLS else 0


if __name__ == "__main__":
    sys.exit(main())
