"""`moot doctor` says what works and never fails for want of something optional."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


def doctor(*arguments: str, code: int = 0, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", "doctor", *arguments],
        cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return done.stdout


def checks(**environment: str) -> dict[str, Any]:
    found = json.loads(doctor("--json", **environment))
    return {check["key"]: check for check in found["checks"]}


def test_a_fresh_machine_works() -> None:
    found = json.loads(doctor("--json"))
    assert found["ok"] is True
    assert {check["area"] for check in found["checks"]} == {"program", "data", "models", "terminal", "offline"}
    assert all(check["status"] in ("ok", "failed", "absent") for check in found["checks"])
    assert all(check["hint"] for check in found["checks"] if check["status"] == "failed")
    by_key = {check["key"]: check for check in found["checks"]}
    assert by_key["packs"]["status"] == "absent" and "moot data build sample" in by_key["packs"]["hint"]
    assert by_key["offline"]["status"] == "ok" and "192.0.2.1" in by_key["offline"]["detail"]
    assert by_key["offline_child"]["status"] == "ok" and by_key["offline_child"]["essential"]


def test_both_languages_say_the_same_lines() -> None:
    chinese, english = doctor(MOOT_LANG="zh"), doctor(MOOT_LANG="en")
    assert "联网拦截" in chinese and "Network guard" in english
    assert [line[2] for line in chinese.splitlines() if line[:2] == "  " and line[2] in "✔✘–"] == [
        line[2] for line in english.splitlines() if line[:2] == "  " and line[2] in "✔✘–"
    ]


def test_a_home_that_cannot_be_written_is_essential(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    printed = doctor(code=1, MOOT_HOME=str(tmp_path / "file" / "home"))
    assert "✘" in printed and "MOOT_HOME" in printed


def test_a_broken_pack_is_named(moot_home: Path) -> None:
    folder = moot_home / "packs" / "坏包"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    found = checks()["packs"]
    assert found["status"] == "failed" and "坏包" in found["detail"] and "moot data verify 坏包" in found["hint"]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX locales")
def test_a_locale_without_utf8_is_pointed_out() -> None:
    found = checks(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")["encoding"]
    assert found["status"] == "absent" and "UTF-8" in found["hint"]


def test_a_poor_terminal_is_pointed_out() -> None:
    assert checks(TERM="dumb")["colour"]["status"] == "absent"
    assert checks(TERM="xterm-256color", COLORTERM="truecolor")["colour"]["status"] == "ok"


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from app.cli.doctor import doctor\n"
        "CliRunner().invoke(doctor, ['--json'])\n"
        "print(sorted({'textual', 'numpy', 'usearch', 'jieba', 'llama_cpp'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
