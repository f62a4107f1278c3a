"""Tasks a second of the rules agent through the command line: the sample pack, and the development half when
present."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "legalagentbench"


def moot(home: str, *arguments: str) -> str:
    """What the command prints on stdout; its failure is ours."""
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", *arguments], cwd=ROOT, env={**os.environ, "MOOT_HOME": home},
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"moot {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def measure(home: str, *arguments: str) -> None:
    """Print tasks a second and the compat scores of one run."""
    started = time.monotonic()
    block = json.loads(moot(home, "run", "legalagentbench", "--agent", "rules", "--json", *arguments))
    seconds = time.monotonic() - started
    success, process = (block["compat"][rate]["all"] for rate in ("success", "process"))
    print(f"{' '.join(arguments)}: n {block['n']}, {seconds:.1f} s, {block['n'] / seconds:.1f} tasks/s, "
          f"success {success:.4f}, process {process:.4f}")  # fmt: skip


def main() -> int:
    """Exit code 0 when every run came to its end."""
    with tempfile.TemporaryDirectory() as home:
        moot(home, "data", "build", "sample")
        measure(home, "--pack", "sample")
        if DATA.is_dir():
            moot(home, "data", "import", "legalagentbench", str(DATA), "--name", "legalagentbench")
            measure(home, "--pack", "legalagentbench", "--tasks", str(DATA / "dataset_dev.json"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
