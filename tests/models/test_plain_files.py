"""A script or a file of the library that is a pipe, a device or endless is refused before anybody waits for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from models import scripted
from models.errors import BadEngine
from models.scripted import ScriptedEngine


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_makes_nobody_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "replies.json")
    with pytest.raises(BadEngine, match="no regular file"):
        ScriptedEngine.from_file(tmp_path / "replies.json")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device here")
def test_a_device_is_not_read_to_its_end() -> None:
    with pytest.raises(BadEngine, match="no regular file"):
        ScriptedEngine.from_file(Path("/dev/zero"))


def test_a_script_has_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "replies.json"
    path.write_text('{"otherwise": ["x"]}', "utf-8-sig")
    ScriptedEngine.from_file(path)
    monkeypatch.setattr(scripted, "LARGEST", 10)
    with pytest.raises(BadEngine, match="up to 10 bytes"):
        ScriptedEngine.from_file(path)
    with pytest.raises(BadEngine, match="no regular file"):
        ScriptedEngine.from_file(tmp_path)
    with pytest.raises(BadEngine, match="cannot read script"):
        ScriptedEngine.from_file(tmp_path / "absent")
