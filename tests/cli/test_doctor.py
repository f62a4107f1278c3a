"""`moot doctor` says what works and never fails for want of something optional."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.typed import moot

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"textual", "numpy", "usearch", "jieba", "llama_cpp"}


def in_a_process(**environment: str) -> tuple[dict[str, dict[str, str]], set[str]]:
    """What a process of its own finds, by key, and which modules it had to import for that."""
    code = "import sys\nfrom app.cli.main import main\ntry: main(['doctor', '--json'])\nfinally: print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found, modules = done.stdout.rstrip("\n").rsplit("\n", 1)
    return {check["key"]: check for check in json.loads(found)["checks"]}, set(modules.split())


def test_a_fresh_machine_works_and_nothing_heavy_is_imported() -> None:
    found, modules = in_a_process(TERM="xterm-256color", COLORTERM="truecolor")
    assert {check["area"] for check in found.values()} == {"program", "data", "models", "terminal", "offline"}
    assert all(check["status"] in ("ok", "failed", "absent") for check in found.values())
    assert all(check["hint"] for check in found.values() if check["status"] == "failed")
    assert found["packs"]["status"] == "absent" and "moot data build sample" in found["packs"]["hint"]
    assert found["offline"]["status"] == "ok" and "192.0.2.1" in found["offline"]["detail"]
    assert found["offline_child"]["status"] == "ok" and found["offline_child"]["essential"]
    assert found["colour"]["status"] == "ok" and not HEAVY & modules


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX locales")
def test_a_poor_terminal_a_locale_without_utf8_and_a_broken_pack_are_pointed_out(moot_home: Path) -> None:
    folder = moot_home / "packs" / "bad"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    found, _ = in_a_process(TERM="dumb", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert found["colour"]["status"] == "absent"
    assert found["encoding"]["status"] == "absent" and "UTF-8" in found["encoding"]["hint"]
    packs = found["packs"]
    assert packs["status"] == "failed" and "bad" in packs["detail"] and "moot data verify bad" in packs["hint"]


def test_both_languages_say_the_same_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    marks = []
    for language, words in (("zh", "联网拦截"), ("en", "Network guard")):
        monkeypatch.setenv("MOOT_LANG", language)
        code, out, _ = moot("doctor")
        assert code == 0 and words in out
        marks.append([line[2] for line in out.splitlines() if line[:2] == "  " and line[2] in "✔✘–"])
    assert marks[0] == marks[1]


def test_a_home_that_cannot_be_written_is_essential(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("MOOT_HOME", str(tmp_path / "file" / "home"))
    code, out, _ = moot("doctor")
    assert code == 1 and "✘" in out and "MOOT_HOME" in out
