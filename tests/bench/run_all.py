"""Run every benchmark beside this file, one process each, and say which failed. Started by `make bench`."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    """Each `bench_*.py` prints its own figures and exits 0 when what it promises held."""
    failed = []
    here = Path(__file__).resolve().parent
    for script in sorted(here.glob("bench_*.py")):
        print(f"== {script.stem}", flush=True)
        started = time.monotonic()
        done = subprocess.run([sys.executable, str(script), *sys.argv[1:]], cwd=here.parents[1], check=False)
        print(f"-- {script.stem}: exit {done.returncode} after {time.monotonic() - started:.1f} s", flush=True)
        if done.returncode:
            failed.append(script.stem)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
