"""Flips 240 bits over every file of the sample pack: each is refused wherever the pack is used. Says what checking
costs.

Opening and `law search` are measured in turns with checking and without, in the same run, in seconds of processor
time, which other work on the machine leaves alone; figures are medians. `law search` is a whole process.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

FLIPS = 240
FLIPS_BY_COMMAND = 16
"""So many of them also go through commands in processes of their own."""
OPENINGS = 60
SEARCHES = 9
SLOWER_AT_MOST = 1.5
"""A later opening, or a search, may take so many times what it takes unchecked."""

COMMANDS: dict[str, list[str]] = {
    "law search": ["law", "search", "借款利息", "--pack", "sample"],
    "tools call": ["tools", "call", "get_company_info", "--input", '{"identifier": "甲", "columns": []}'],
    "run": ["run", "legalagentbench", "--first", "1"],
}
UNCHECKED = """
import contextlib, sys
from store import identity, manifest
manifest.check = lambda folder, made, files: {file: None for file in files}
identity.steady = lambda path, mark: contextlib.nullcontext()
from app.cli.main import main
main(sys.argv[1:])
"""
CHECKED = "import sys\nfrom app.cli.main import main\nmain(sys.argv[1:])\n"


def moot(code: str, arguments: list[str]) -> tuple[int, str, float]:
    """Exit code, stderr, seconds of processor time."""
    began = os.times()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    ended = os.times()
    spent = ended.children_user + ended.children_system - began.children_user - began.children_system
    return done.returncode, done.stderr, spent


def refused(use: Callable[[], Any]) -> bool:
    """Whether a use ends with one sentence about damage."""
    from store.errors import BadInput, Damaged

    try:
        use()
    except (Damaged, BadInput) as error:
        return "\n" not in str(error)
    return False


def flip_all(pack: Path) -> tuple[Counter[str], list[str]]:
    """How many flips were refused by each use, and what was not."""
    from store.pack import Pack
    from store.search.law_search import LawSearch
    from tasks.legalagentbench.tools import Toolbox
    from tasks.run.runner import start_run
    from tasks.run.spec import RunSpec
    from tests.support.flips import flipped, flips

    def searched() -> None:
        with Pack.open("sample") as opened:
            LawSearch(opened).search("借款利息")

    def called() -> None:
        with Pack.open("sample") as opened:
            Toolbox(opened).call("get_company_info", {"identifier": "甲", "columns": []})

    def run() -> None:
        with start_run(RunSpec(benchmark="legalagentbench", first=1), out=out) as started:
            started.go()

    out = pack.parent / "run.moot"
    uses = {"open": lambda: Pack.open("sample").close(), "law search": searched, "tool call": called, "run": run}
    count: Counter[str] = Counter()
    lost: list[str] = []
    every = flips(pack, FLIPS, seed=220)
    for number, flip in enumerate(every):
        with flipped(pack, flip):
            for name, use in uses.items():
                if refused(use):
                    count[name] += 1
                else:
                    lost.append(f"{name}: {flip}")
            if number % (FLIPS // FLIPS_BY_COMMAND) == 0:
                for name, arguments in COMMANDS.items():
                    code, said, _ = moot(CHECKED, [*arguments, *(["--out", str(out)] if name == "run" else [])])
                    if code == 1 and "Traceback" not in said and not out.exists():
                        count[f"moot {name}"] += 1
                    else:
                        lost.append(f"moot {name}: {flip}: exit {code}, {said[-200:]}")
    print(
        f"{len(every)} bits in {len({flip.file for flip in every})} files; refused: {dict(count)}; used: {len(lost)}"
    )
    for use in uses.values():
        assert not refused(use), "the pack is whole again"
        out.unlink(missing_ok=True)
    return count, lost


def cost(pack: Path) -> list[str]:
    """What checking costs an opening and a search; promises that broke."""
    from store import identity
    from store import manifest as manifests
    from store.pack import Pack

    def seconds(work: Callable[[], Any]) -> float:
        began = time.process_time()
        work()
        return time.process_time() - began

    def opening() -> None:
        Pack.open("sample").close()

    checking, steady = manifests.check, identity.steady
    size = sum(path.stat().st_size for path in pack.rglob("*") if path.is_file())
    times: dict[str, list[float]] = {"unchecked": [], "first": [], "another process": [], "later": []}
    time.sleep(2.5)  # until the files that were put back count as settled
    for _ in range(OPENINGS):
        manifests.check = lambda folder, made, files: dict.fromkeys(files)  # type: ignore[assignment, arg-type, return-value]
        identity.steady = lambda path, mark: nullcontext()  # type: ignore[assignment]
        times["unchecked"].append(seconds(opening))
        manifests.check, identity.steady = checking, steady
        (Path(os.environ["MOOT_HOME"]) / "cache" / identity.FILE).unlink(missing_ok=True)
        for kind in ("first", "another process", "later"):
            if kind != "later":
                identity._known.clear()
            times[kind].append(seconds(opening))
    middle = {kind: statistics.median(found) for kind, found in times.items()}
    for kind, median in middle.items():
        print(
            f"opening {size / 1e6:.1f} MB, {kind}: {1000 * median:.2f} ms, ratio {median / middle['unchecked']:.2f}"
        )
    runs: dict[str, list[float]] = {"checked": [], "unchecked": []}
    for _ in range(SEARCHES):
        for kind, code in (("checked", CHECKED), ("unchecked", UNCHECKED)):
            exit_code, said, spent = moot(code, COMMANDS["law search"])
            assert exit_code == 0, said
            runs[kind].append(spent)
    checked, unchecked = (statistics.median(runs[kind]) for kind in ("checked", "unchecked"))
    print(f"moot law search: {checked:.3f} s, unchecked {unchecked:.3f} s, ratio {checked / unchecked:.2f}")
    ratios = {"a later opening": middle["later"] / middle["unchecked"], "law search": checked / unchecked}
    return [f"{what} takes {ratio:.2f} times as long" for what, ratio in ratios.items() if ratio > SLOWER_AT_MOST]


def main() -> int:
    """Exit code 0 when every promise held."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["MOOT_HOME"] = home
        from tasks.sample.build import build_sample

        pack = build_sample()
        began = time.perf_counter()
        _, broken = flip_all(pack)
        print(f"flips: {time.perf_counter() - began:.0f} s")
        broken += cost(pack)
    for line in broken[:20]:
        print(line)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
