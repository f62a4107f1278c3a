"""`moot models try`: every seat gives a row with a verdict, whatever its model says."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from store import places
from tasks.run.scenes import SCENES
from tests.support.gguf_files import tiny_llama
from tests.support.typed import moot

SAID = [
    "合同约定三月付款，对方一直没有付。",
    "转账记录和聊天记录我都留着。",
    "我想请他把货款还给我。",
    "逾期利息也请一并算上。",
]


def script(folder: Path, *replies: str, **more: Any) -> str:
    file = folder / "script.json"
    file.write_text(json.dumps({"otherwise": replies, **more}, ensure_ascii=False), "utf-8")
    return f"scripted:{file}"


def tried(model: str, *seats: str) -> list[dict[str, Any]]:
    options = [word for seat in seats for word in ("--seat", seat)]
    code, out, err = moot("models", "try", model, "--json", *options)
    assert code == 0 and "Traceback" not in err
    found: list[dict[str, Any]] = json.loads(out)["seats"]
    return found


@pytest.mark.slow
def test_every_seat_gives_a_row(sample_pack: Path, tmp_path: Path) -> None:
    rows = tried(script(tmp_path, *SAID))
    assert [row["seat"] for row in rows] == list(SCENES)
    assert all(row["calls"] and row["quote"] in SAID for row in rows)
    assert {row["verdict"] for row in rows} <= {"usable", "repeats", "not usable"}
    assert not list(places.runs().glob("*.moot")), "its runs are not kept"


def test_a_seat_that_is_named_is_tried_in_every_form(sample_pack: Path, tmp_path: Path) -> None:
    schema, free, client = tried(script(tmp_path, *SAID), "trainee", "client")
    assert [(row["seat"], row["form"]) for row in (schema, free, client)] == [
        ("trainee", "schema"), ("trainee", "free"), ("client", ""),
    ]  # fmt: skip
    assert (schema["verdict"], schema["reason"], schema["read_at_once"]) == ("not usable", "unread", 0.0)
    assert free["read_at_once"] == 1.0 and free["spoken"] >= 4 and free["evaluated_each"] > 0
    forms = [row["form"] for row in tried(script(tmp_path, *SAID), "react")]
    assert forms == ["schema", "native", "compact", "free"]


@pytest.mark.parametrize(
    ("replies", "seat", "form", "said"),
    [
        (("您好，请先说说您遇到的是什么事情，我再答复您。",), "trainee", "free", ("repeats", "degenerate")),
        (("",), "trainee", "free", ("not usable", "silent")),
        (("不知道",), "react", "native", ("not usable", "no_tool")),
        (("{}",), "grader", "", ("not usable", "unread")),
    ],
)  # fmt: skip
def test_a_model_that_is_no_use_has_a_verdict_and_a_reason(
    replies: tuple[str, ...], seat: str, form: str, said: tuple[str, str], sample_pack: Path, tmp_path: Path,
) -> None:  # fmt: skip
    (row,) = [row for row in tried(script(tmp_path, *replies), seat) if row["form"] == form]
    assert (row["verdict"], row["reason"]) == said


def test_an_engine_that_fails_is_a_row_too(sample_pack: Path, tmp_path: Path) -> None:
    model = script(tmp_path, "好", failure_rate=1.0)
    for row in tried(model, "accused", "grader"):
        assert (row["verdict"], row["reason"]) == ("not usable", "failed") and "scripted failure" in row["failed"]


def test_a_model_without_a_template_that_never_stops(sample_pack: Path, tmp_path: Path) -> None:
    """Random weights: they say nothing that means anything, without an end."""
    pytest.importorskip("llama_cpp")
    tiny_llama(tmp_path / "bare.gguf", template=None)
    (row,) = tried(f"llama:{tmp_path / 'bare.gguf'}#ctx=4096", "accused")
    assert row["verdict"] != "usable" and row["reason"]


def test_lines_for_people(sample_pack: Path, tmp_path: Path) -> None:
    code, out, err = moot(
        "models", "try", script(tmp_path, f"\x1b[31m{'长' * 99}"), "--seat", "client", "--seat", "accused"
    )
    lines = out.splitlines()
    assert code == 0 and [line.split()[0] for line in lines] == ["client", "accused"]
    assert "\x1b" not in out and "长" * 50 in out and "长" * 61 not in out
    assert "（1/2）client" in err and "（2/2）accused" in err


@pytest.mark.chinese_sentences
def test_what_is_wrong_is_one_sentence(tmp_path: Path, moot_home: Path) -> None:
    code, out, err = moot("models", "try", script(tmp_path, "好"), "--seat", "bailiff")
    assert code == 2 and not out and "没有可试的席位“bailiff”" in err and "react" in err and err.count("\n") == 1


def test_a_model_that_cannot_be_opened_is_said_before_anything_is_played(sample_pack: Path) -> None:
    for model in ("llama:nowhere.gguf", "endpoint:http://far.example/v1#m", "qwen"):
        code, out, err = moot("models", "try", model, "--seat", "client")
        assert code == 2 and not out and err.count("\n") == 1


def test_ctrl_c_shows_what_was_done(sample_pack: Path, tmp_path: Path) -> None:
    model = script(tmp_path, *SAID, delay_ms=[400, 400])
    timer = threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    code, out, err = moot("models", "try", model, "--json", "--seat", "client", "--seat", "search")
    timer.join()
    assert code == 1 and len(json.loads(out)["seats"]) < 3 and "已停止" in err and "Traceback" not in err
