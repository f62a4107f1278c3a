"""Models with real weights in every seat: the scenes of `moot models try`, for each GGUF file of `MOOT_WEIGHTS`.

Figures are printed, not held to a number: what must hold is that every seat gives a row and nothing comes down.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tasks.run.scenes import SCENES, play, scenes

WEIGHTS = os.environ.get("MOOT_WEIGHTS", "")
FILES = sorted(Path(WEIGHTS).glob("*.gguf")) if WEIGHTS else []

pytestmark = pytest.mark.skipif(not FILES, reason="MOOT_WEIGHTS names no folder with GGUF files")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_seat_gives_a_row(
    file: Path, sample_pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played = (play(scene, f"llama:{file}", form, tmp_path) for scene, form in scenes(()))
    rows = [row for row in played if row is not None]
    with capsys.disabled():
        print(f"\n{file.name}")
        for row in rows:
            print({name: round(value, 2) if isinstance(value, float) else value for name, value in row.items()})
    assert [row["seat"] for row in rows] == list(SCENES)
    assert all(row["verdict"] in ("usable", "repeats", "not usable") for row in rows)
    assert not [row["failed"] for row in rows if row["failed"]]
