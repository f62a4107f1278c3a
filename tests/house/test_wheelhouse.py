"""The wheelhouse script: its sums find every change; gathering itself needs a network and is tried by hand."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def wheelhouse() -> ModuleType:
    spec = importlib.util.spec_from_file_location("wheelhouse", ROOT / "packaging" / "wheelhouse.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path: Path, wheelhouse: ModuleType) -> Path:
    (tmp_path / "a-1-py3-none-any.whl").write_bytes(b"wheel")
    (tmp_path / "INSTALL.txt").write_text("安装", encoding="utf-8")
    assert wheelhouse.write_sums(tmp_path) == 2
    return tmp_path


def test_a_whole_folder_passes(folder: Path, wheelhouse: ModuleType) -> None:
    assert wheelhouse.check_sums(folder) == []
    assert wheelhouse.main(["--check", str(folder)]) == 0


def test_each_kind_of_change_is_found(folder: Path, wheelhouse: ModuleType) -> None:
    (folder / "a-1-py3-none-any.whl").write_bytes(b"wheeL")
    (folder / "INSTALL.txt").unlink()
    (folder / "b.whl").write_bytes(b"")
    assert wheelhouse.check_sums(folder) == [
        "missing: INSTALL.txt",
        "not listed: b.whl",
        "changed: a-1-py3-none-any.whl",
    ]
    assert wheelhouse.main(["--check", str(folder)]) == 1


def test_it_runs_as_a_script() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "packaging" / "wheelhouse.py"), "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--llm" in done.stdout
