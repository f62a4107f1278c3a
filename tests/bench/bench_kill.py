"""Kills a run 300 times at random moments, and 300 times one with 16 calls in flight at a server: no acknowledged
event lost or doubled, every resumed run ends the same."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

KILLS = 300
TOGETHER = 16
LATENCY = 0.03
"""Seconds that the server takes at most for an answer."""


def main() -> int:
    """Exit code 0 when every promise held."""
    if sys.platform == "win32":
        print("skipped: kills with POSIX signals")
        return 0
    from tests.support.fake_endpoint import Call, fake_server
    from tests.support.kill_harness import CALL, END, MISS, ODD

    def chat(call: Call) -> None:
        """The answer follows from the question alone; how long it takes, too."""
        asked = hashlib.sha256(json.dumps(call.body["messages"], ensure_ascii=False).encode()).digest()
        time.sleep(asked[1] / 255 * LATENCY)
        call.speak((CALL, MISS, ODD, CALL, END)[asked[0] % 5])

    failed = trials("scripted")
    with fake_server() as server:
        server.chat = chat
        model = f"endpoint:{server.spec.removeprefix('endpoint:')}"
        failed += trials(f"{TOGETHER} calls in flight", tasks=2 * TOGETHER, model=model, parallel=TOGETHER)
    return 1 if failed else 0


def trials(name: str, **changes: Any) -> int:
    """Kill a run so often; whether a promise was broken."""
    from tests.support.kill_harness import run_trials

    with tempfile.TemporaryDirectory() as home:
        os.environ["MOOT_HOME"] = home
        started = time.monotonic()
        report = run_trials(Path(home), kills=KILLS, **changes)
    print(f"{name}: kills {report.kills}, resumed {report.resumed}, lost {len(report.lost)}, "
          f"different {len(report.different)}, {time.monotonic() - started:.0f} s", flush=True)  # fmt: skip
    for line in report.lost[:20] + report.different[:20]:
        print(line)
    return bool(report.lost or report.different or report.kills < KILLS)


if __name__ == "__main__":
    sys.exit(main())
