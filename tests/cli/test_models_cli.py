"""`moot models`: what it prints, its exit codes, and that the page about models says what the program computes."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from models.llama import memory
from models.llama.header import GgufHeader, read_header
from tasks.run.estimate import speed_of
from tests.support.gguf_files import BROKEN, tiny_llama
from tests.support.typed import moot

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def model(tmp_path: Path, tiny_gguf: Path) -> Path:
    return Path(shutil.copy(tiny_gguf, tmp_path / "小模型 F32.gguf"))


def sizes_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(moot("models", "check", path, "--json")[1])
    return found


def test_add_list_check_remove(model: Path, moot_home: Path) -> None:
    code, out, err = moot("models", "list")
    assert (code, out) == (0, "") and "moot models add" in err
    code, out, err = moot("models", "add", model, "--json")
    added = json.loads(out)
    assert code == 0 and err == ""
    assert (added["name"], added["copied"], added["state"]) == ("小模型-F32", False, "ok")
    assert added["sha256"] == sha256(model.read_bytes()).hexdigest()
    code, out, _ = moot("models", "add", model, "--copy", "--name", "qwen")
    assert code == 0 and "qwen" in out and str(moot_home) in out

    code, out, _ = moot("models", "list", "--json")
    listed = json.loads(out)
    assert listed["library"] == str(moot_home / "models")
    assert [one["name"] for one in listed["models"]] == ["qwen", "小模型-F32"]
    assert set(added) == set(listed["models"][0])
    code, out, _ = moot("models", "list")
    assert out.count("\n") == 2 and "对话模型" in out and "627K" in out

    code, out, _ = moot("models", "check", "qwen")
    assert code == 0 and added["sha256"] in out and "文件自带" in out
    code, out, _ = moot("models", "remove", "qwen", "--json")
    assert code == 0 and json.loads(out)["deleted"] is True and not Path(json.loads(out)["path"]).exists()
    code, out, _ = moot("models", "remove", "小模型-F32")
    assert code == 0 and "文件保留在" in out and model.exists()


def test_check_says_what_a_file_is(model: Path, bert_gguf: Path, recurrent_gguf: Path) -> None:
    found = sizes_of(model)
    expected = {
        "ok": True, "architecture": "llama", "quantisation": "F32", "context": 4096, "template": "file",
        "tokenizer": "llama", "embedding": False, "recurrent": False, "expected_sha256": None,
    }  # fmt: skip
    assert {key: found[key] for key in expected} == expected
    assert [need["slots"] for need in found["memory"]["needs"]] == [1, 4, 8]
    header = read_header(model)
    assert found["memory"]["needs"][1]["total"] == memory.estimate(header, 4096, 4).total
    bert = sizes_of(bert_gguf)
    assert bert["embedding"] and [need["slots"] for need in bert["memory"]["needs"]] == [1]
    assert "向量模型" in moot("models", "check", bert_gguf)[1]
    assert "不能回退" in moot("models", "check", recurrent_gguf)[1]


def test_check_says_what_fits_when_it_does_not(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = read_header(model)
    enough = memory.estimate(header, 4096, 4).total
    monkeypatch.setattr(memory, "available", lambda: enough)
    code, out, _ = moot("models", "check", model)
    assert code == 0 and out.count("✔ ") == 3 and out.count("✘ ") == 1 and "#ctx=4096,slots=" in out
    assert sizes_of(model)["memory"]["needs"][2]["fits"] is False
    monkeypatch.setattr(memory, "available", lambda: 1)
    code, out, _ = moot("models", "check", model)
    assert code == 0 and "怎样设置都装不下" in out
    monkeypatch.setattr(memory, "available", lambda: 0)
    assert "系统没有给出" in moot("models", "check", model)[1]


def test_check_compares_the_sum(model: Path) -> None:
    digest = sha256(model.read_bytes()).hexdigest()
    code, out, _ = moot("models", "check", model, "--sha256", f" {digest.upper()} ")
    assert code == 0 and "一致" in out
    code, _, err = moot("models", "check", model, "--sha256", "abc")
    assert code == 2 and "64" in err
    code, out, _ = moot("models", "check", model, "--sha256", "ab" * 32, "--json")
    assert code == 1 and json.loads(out)["ok"] is False and json.loads(out)["sha256"] == digest
    code, out, err = moot("models", "check", model, "--sha256", "\x1b[31mabc")
    assert code == 2 and "\x1b" not in out + err


def test_the_speed_of_a_model_is_measured_and_kept(tmp_path: Path) -> None:
    model = tiny_llama(tmp_path / "tiny.gguf", ends=0.0)
    assert "4 路合计" in moot("models", "check", model, "--speed")[1]
    code, out, err = moot("models", "check", model, "--speed", "--json")
    assert code == 0, err
    found = json.loads(out)["speed"]
    assert found["prefill"] > 0 and found["decode"] > 0 and found["together"]["4"] > 0 and found["threads"] >= 1
    kept = speed_of(model)
    assert kept is not None and (kept["prefill"], kept["decode"]) == (found["prefill"], found["decode"])


def test_an_unsound_file_is_a_result(tmp_path: Path, model: Path) -> None:
    model.write_bytes(model.read_bytes()[:-1000])
    code, out, err = moot("models", "check", model)
    assert code == 1 and "不可用" in out and "llama.cpp can read" in out and err == ""
    code, out, _ = moot("models", "check", model, "--json")
    assert code == 1 and json.loads(out)["ok"] is False and "llama.cpp can read" in json.loads(out)["reason"]
    code, out, err = moot("models", "add", model)
    assert (code, out) == (2, "") and err.startswith("moot: ") and err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [("check", "nothing"), ("check", "no/such.gguf"), ("add", "no.gguf"), ("add",)],
)
def test_what_is_not_there_is_a_usage_error(arguments: tuple[str, ...]) -> None:
    code, out, err = moot("models", *arguments)
    assert (code, out) == (2, "") and err.startswith("moot: ") and err.count("\n") == 1


def test_a_file_that_is_gone_is_marked_in_the_list(model: Path) -> None:
    moot("models", "add", model, "--name", "m")
    model.unlink()
    code, out, _ = moot("models", "list")
    assert code == 0 and "✘ 文件不在" in out
    code, _, err = moot("models", "check", "m")
    assert code == 2 and "moot models remove m" in err


def test_names_and_words_of_a_file_are_cleaned(tmp_path: Path, tiny_gguf: Path) -> None:
    raw = tiny_gguf.read_bytes().replace(b"tiny random llama", b"tiny\x1b]0;x\x07 llama1")
    path = tmp_path / "m.gguf"
    path.write_bytes(raw)
    code, out, _ = moot("models", "check", path)
    assert code == 0 and "\x1b" not in out and "llama1" in out


def test_no_command_prints_the_help() -> None:
    code, out, err = moot("models")
    assert (code, out) == (2, "") and err.startswith("Usage: moot models") and "remove" in err


@pytest.mark.slow
def test_doctor_counts_the_models(moot_home: Path, model: Path) -> None:
    def row() -> dict[str, Any]:
        checks = json.loads(moot("doctor", "--json")[1])["checks"]
        return next(check for check in checks if check["key"] == "models")

    assert row()["status"] == "absent"
    moot("models", "add", model, "--name", "m")
    assert (row()["status"], row()["detail"]) == ("ok", "1 个：m")
    model.unlink()
    assert row()["status"] == "failed" and "m" in row()["hint"]
    (moot_home / "models" / "catalogue.json").write_text("{")
    assert row()["status"] == "failed" and row()["hint"]


# --- the page -------------------------------------------------------------------------------------------------------

SHAPES: dict[str, tuple[int, int, int, int, int, int]] = {
    "Qwen2.5-0.5B": (24, 896, 14, 2, 64, 151_936),
    "Qwen2.5-1.5B": (28, 1536, 12, 2, 128, 151_936),
    "Qwen2.5-3B": (36, 2048, 16, 2, 128, 151_936),
    "Qwen2.5-7B": (28, 3584, 28, 4, 128, 152_064),
    "Qwen2.5-14B": (48, 5120, 40, 8, 128, 152_064),
    "Qwen3-0.6B": (28, 1024, 16, 8, 128, 151_936),
    "Qwen3-1.7B": (28, 2048, 16, 8, 128, 151_936),
    "Qwen3-4B": (36, 2560, 32, 8, 128, 151_936),
    "Qwen3-8B": (36, 4096, 32, 8, 128, 151_936),
    "Qwen3-14B": (40, 5120, 40, 8, 128, 151_936),
    "Qwen3-30B-A3B": (48, 2048, 32, 4, 128, 151_936),
}
"""Layers, width, heads, key-value heads, length of a head, vocabulary."""


def of_shape(tiny: GgufHeader, name: str, weights: float) -> GgufHeader:
    layers, width, heads, heads_kv, head, vocabulary = SHAPES[name]
    return replace(
        tiny, layers=layers, embedding=width, heads=heads, heads_kv=heads_kv,
        key_length=head, value_length=head, vocabulary=vocabulary, weights=int(weights * 1e9), context=32_768,
    )  # fmt: skip


def test_the_memory_on_the_page_is_what_the_program_estimates(tiny_gguf: Path) -> None:
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    tiny = read_header(tiny_gguf)
    rows = [line for line in page.splitlines() if line.startswith("| Qwen")]
    assert len(rows) == len(SHAPES)
    for row in rows:
        name = row.split("|")[1].strip()
        for weights, one, four in re.findall(r"([\d.]+) GB \| ([\d.]+) / ([\d.]+) GB", row):
            header = of_shape(tiny, name, float(weights))
            for said, slots in ((one, 1), (four, 4)):
                assert f"{memory.estimate(header, 8192, slots).total / 1e9:.1f}" == said, (name, weights, slots)


def test_check_says_that_a_template_cannot_be_used(tmp_path: Path) -> None:
    path = tiny_llama(tmp_path / "broken.gguf", template=BROKEN)
    code, out, _ = moot("models", "check", path)
    assert code == 0 and "模板不能用" in out
    assert "always fails" in out
