"""The engine beside plain llama.cpp on the 0.5B shape: prompt tokens, speeds, parallel calls, overhead; ratios only.

The model is written once into Moot's cache (532 MB). Takes about ten minutes on two cores; leave the machine alone.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def main() -> int:
    """Exit code 0 when every promise held."""
    from click.testing import CliRunner

    from app.cli.models_bench import bench
    from app.terminal import json_text
    from tests.gguf_files import REWRITING, half_billion

    def measure(path: Path, *options: str) -> dict[str, Any]:
        import json

        done = CliRunner().invoke(bench, [str(path), "--json", *options], catch_exceptions=False)
        found = json.loads(done.stdout)
        assert isinstance(found, dict)
        return found

    quick = ["--quick"] if "--quick" in sys.argv else []
    found = measure(half_billion(Path("unused"), cached=True), *quick)
    print(json_text(found))
    with tempfile.TemporaryDirectory() as folder:
        rewriting = measure(half_billion(Path(folder) / "rewriting.gguf", template=REWRITING), "--quick")[
            "prompt_tokens"
        ]
    print(f"a template that rewrites history: {json_text(rewriting)}")
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
