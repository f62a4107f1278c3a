"""The engine beside plain llama.cpp on the 0.5B shape: prompt tokens, speeds, parallel calls, overhead; ratios only.

The model is written once into Moot's cache (532 MB). Takes about ten minutes on two cores; leave the machine alone.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def measure(path: Path, *options: str) -> dict[str, Any]:
    """What `moot models bench FILE --json` prints."""
    from click.testing import CliRunner

    from app.cli.models_bench import bench

    done = CliRunner().invoke(bench, [str(path), "--json", *options], catch_exceptions=False)
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def hearing(path: Path) -> dict[str, Any]:
    """The prompt tokens of a short hearing alone."""
    from models.llama import bench
    from store.places import models

    sizes = bench.Sizes(**bench.QUICK)
    header, context = bench.check(path, sizes)
    with bench.pair(path, sizes, context=context, streams=sizes.seats, library=models()) as both:
        return bench.prompt_tokens(both, header, sizes, lambda *told: None)


def main() -> int:
    """Exit code 0 when every promise held."""
    from app.terminal import json_text
    from tests.support.gguf_files import REWRITING, THINKING, half_billion

    found = measure(half_billion(Path("unused"), cached=True), *(["--quick"] if "--quick" in sys.argv else []))
    print(json_text(found))
    for name, template in (("drops reasoning", THINKING), ("marks the last message", REWRITING)):
        with tempfile.TemporaryDirectory() as folder:
            rewritten = hearing(half_billion(Path(folder) / "rewriting.gguf", template=template))
        print(f"a template that rewrites history ({name}): {json_text(rewritten)}")
    promises = [
        (
            "prompt tokens evaluated / new, worst seat",
            max(found["prompt_tokens"]["engine"]["by_seat"].values()),
            "<=",
            1.05,
        ),
        ("reading / plain loop", found["prefill"]["ratio"]["median"], ">=", 0.95),
        ("speaking / plain loop", found["decode"]["ratio"]["median"], ">=", 0.97),
        *(
            (f"{row['n']} calls / plain batched loop", row["ratio"]["median"], ">=", 0.95)
            for row in found["parallel"]
            if row["n"] > 1
        ),
        ("share of a turn beside the model", found["overhead"]["share"]["median"], "<=", 0.03),
    ]
    missed = 0
    for what, value, sign, bound in promises:
        held = value <= bound if sign == "<=" else value >= bound
        missed += not held
        print(f"{'held  ' if held else 'MISSED'} {what}: {value:.4f} {sign} {bound}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
