"""`moot models bench` and `embed`: what is counted is counted from the record, and the comparison does the same
work."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.cli import models_bench
from app.cli.models_bench import bench, embed
from models.engine import Ask, EngineError, Listener, Message, Reply, Usage
from models.errors import BadEngine
from models.llama import bench as parts
from models.llama.benching import hearing, talk
from models.llama.benching.figures import Pairs, spread
from models.llama.benching.process import RawProcess
from models.llama.template import ChatTemplate
from store.errors import BadInput, NotFound
from tasks.errors import UsageError
from tasks.run.overhead import overhead
from tests.support.gguf_files import CHATML, REWRITING, tiny_llama

pytestmark = pytest.mark.slow

SHIPPED = Path(__file__).resolve().parents[2] / "models" / "tiny" / "moot-tiny.gguf"
live = pytest.mark.skipif(importlib.util.find_spec("llama_cpp") is None, reason="llama-cpp-python is not installed")


class Characters:
    """Stands for the plain loops: a token is a character, and every loop takes a millisecond."""

    adds_bos = False

    def __init__(self) -> None:
        self.ran: list[dict[str, Any]] = []

    def count(self, pieces: Sequence[tuple[str, bool]]) -> list[int]:
        return [len(text) for text, _ in pieces]

    def run(self, loop: str, **values: Any) -> dict[str, float]:
        self.ran.append(values)
        return {"prefill": 0.5, "decode": 0.5}


class Parrot:
    """An engine that says its own seat and counts nothing right: the counts must not come from it."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails

    def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
        if self.fails:
            return [EngineError("the model's process died") for _ in asks]
        return [
            Reply(f"{a.seat}发言{a.step}", Usage(10**6, 5, 4, 1.0), tokens=(7, 8, 9, 9), finish="length")
            for a in asks
        ]

    def describe(self) -> dict[str, Any]:
        return {}

    def cancel(self) -> None: ...
    def close(self) -> None: ...


def test_prompts_of_the_hearing_only_grow() -> None:
    record: list[tuple[str, str]] = []
    before: dict[str, tuple[Message, ...]] = {}
    seats = talk.seats(3)
    for turn in range(12):
        seat = seats[turn % 3]
        messages = talk.prompt(seat, record)
        roles = [message.role for message in messages]
        assert roles == ["system", *["user", "assistant"] * (len(roles) // 2 - 1), "user"]
        assert messages[: len(before.get(seat, ()))] == before.get(seat, ())
        before[seat] = messages
        record.append((seat, f"{seat}第{turn}次发言"))
    own = [message.content for message in before[seats[2]] if message.role == "assistant"]
    assert own == [f"{seats[2]}第{turn}次发言" for turn in (2, 5, 8)]


def test_a_lone_seat_talks_with_itself() -> None:
    (seat,) = talk.seats(1)
    messages = talk.prompt(seat, [(seat, "甲"), (seat, "乙")])
    assert [message.role for message in messages] == ["system", "user", "assistant", "user", "assistant", "user"]


def test_new_tokens_come_from_the_record_alone() -> None:
    template = ChatTemplate(CHATML, "", "<|im_end|>")
    played = hearing.hold(Parrot(), turns=6, seats=2, speech=4)
    fresh = hearing.new_tokens(played, template, Characters())  # type: ignore[arg-type]
    texts = ["".join(piece.text for piece in template.pieces(turn.messages, thinking=False)) for turn in played]
    for at, turn in enumerate(played):
        earlier = max((i for i in range(at) if played[i].seat == turn.seat), default=None)
        seen = len(texts[earlier]) + len(played[earlier].words) if earlier is not None else 0
        assert fresh[at] == len(texts[at]) - seen
    assert hearing.grows(played, template)
    assert not hearing.grows(played, ChatTemplate(REWRITING, "", "<|im_end|>"))


def test_a_failing_engine_ends_the_measurement(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="process died"):
        hearing.hold(Parrot(fails=True), turns=2, seats=2, speech=4)
    with pytest.raises(EngineError, match="process died"):
        overhead(Parrot(fails=True), Characters(), tmp_path, turns=2, seats=2, speech=4, tell=bool)  # type: ignore[arg-type]


def test_overhead_goes_through_scheduler_and_journal(tmp_path: Path) -> None:
    loops = Characters()
    found = overhead(Parrot(), loops, tmp_path, turns=4, seats=2, speech=4, tell=bool)  # type: ignore[arg-type]
    assert found["turns"] == 4 == len(loops.ran)
    assert (tmp_path / "overhead.moot").is_file()
    assert found["milliseconds"]["raw"] == 1.0
    first, third = loops.ran[0], loops.ran[2]
    assert first["singly"] == [] and len(first["tokens"]) == 10**6
    assert len(third["singly"]) == 1 and len(third["tokens"]) == 10**6 - 1, (
        "the last word of a cut turn is read later"
    )


def test_figures() -> None:
    pairs = Pairs()
    for ours, raw in ((9.0, 10.0), (20.0, 20.0), (11.0, 10.0)):
        pairs.add(ours, raw)
    assert pairs.data() == {
        "tokens_per_second": 11.0,
        "raw_tokens_per_second": 10.0,
        "ratio": {"median": 1.0, "low": 0.9, "high": 1.1},
    }
    assert spread([3.0, 1.0, 2.0]) == {"median": 2.0, "low": 1.0, "high": 3.0}


@live
def test_the_count_of_the_chat_client_is_that_of_llama_cpp(tiny_gguf: Path) -> None:
    played = hearing.hold(Parrot(), turns=6, seats=3, speech=4)
    calls = [{"messages": [[m.role, m.content] for m in turn.messages], "max_tokens": 4} for turn in played]
    with RawProcess(tiny_gguf, length=2048, streams=1, threads=1, batch=256) as raw:
        kept = raw.chat(calls, length=2048, stateless=False)
        forgetful = raw.chat(calls, length=2048, stateless=True)
        with pytest.raises(EngineError, match="plain llama.cpp failed"):
            raw.run("speed", tokens=[1] * 3000, generate=1)
    assert [row["evaluated"] for row in kept] == [row["counted"] for row in kept]
    assert [row["evaluated"] for row in forgetful] == [row["prompt"] for row in forgetful]
    assert sum(row["evaluated"] for row in kept) < sum(row["evaluated"] for row in forgetful)


def measured(path: Path, *options: str) -> dict[str, Any]:
    done = CliRunner().invoke(
        bench, [str(path), "--quick", "--repeats", "1", "--threads", "1", *options, "--json"], catch_exceptions=False
    )
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@live
def test_bench_of_a_tiny_model(tmp_path: Path) -> None:
    path = tiny_llama(tmp_path / "tiny.gguf", ends=0.0)
    found = measured(path)
    prompts = found["prompt_tokens"]
    assert prompts["append_only"] and prompts["template_append_only"]
    assert all(ratio <= 1.05 for ratio in prompts["engine"]["by_seat"].values())
    assert prompts["engine"]["ratio"] < prompts["chat_api"]["ratio"] <= prompts["stateless"]["ratio"]
    assert {"prefill", "decode", "overhead", "engine", "sizes"} <= set(found)
    assert [row["n"] for row in found["parallel"]] == [1, 4, 8]
    assert all(row["ratio"]["low"] <= row["ratio"]["median"] <= row["ratio"]["high"] for row in found["parallel"])
    assert found["overhead"]["turns"] == 6
    assert found["sizes"]["repeats"] == 1 and found["engine"]["threads"] == 1
    assert not list((Path(tmp_path)).glob("**/*.moot"))


@live
def test_bench_says_when_a_template_rewrites_history(tmp_path: Path) -> None:
    path = tiny_llama(tmp_path / "tiny.gguf", ends=0.0, template=REWRITING)
    done = CliRunner().invoke(
        bench, [str(path), "--quick", "--repeats", "1", "--threads", "1"], catch_exceptions=False
    )
    assert "改写历史" in done.stdout
    assert "无记忆客户端" in done.stdout


def test_bench_refuses_what_it_cannot_measure(tmp_path: Path, bert_gguf: Path) -> None:
    with pytest.raises(BadEngine, match="too few to be measured"):
        parts.check(tiny_llama(tmp_path / "small.gguf", context=64), parts.Sizes())
    with pytest.raises(BadEngine, match="cannot speak"):
        parts.check(bert_gguf, parts.Sizes())
    with pytest.raises(BadEngine):
        CliRunner().invoke(bench, [str(tmp_path / "nowhere.gguf")], catch_exceptions=False)


@live
def test_embed_one_vector_a_text(bert_gguf: Path, tmp_path: Path) -> None:
    run = CliRunner()
    done = run.invoke(embed, [str(bert_gguf), "--text", "合同解除", "--text", "违约金"], catch_exceptions=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["text"] for row in rows] == ["合同解除", "违约金"]
    assert all(len(row["vector"]) == 64 for row in rows)
    whole = json.loads(
        run.invoke(embed, [str(bert_gguf), "--text", "合同解除", "--json"], catch_exceptions=False).stdout
    )
    assert (whole["pooling"], whole["width"], whole["vectors"]) == ("mean", 64, 1)
    assert whole["texts"][0]["vector"] == rows[0]["vector"]


@live
def test_embed_writes_files_whole(bert_gguf: Path, tmp_path: Path) -> None:
    import numpy as np

    source, table, lines = tmp_path / "in.jsonl", tmp_path / "out.npy", tmp_path / "out.jsonl"
    source.write_text('{"text": "合同解除"}\n\n"违约金"\n', encoding="utf-8")
    run = CliRunner()
    options = [str(bert_gguf), "--input", str(source), "--pooling", "none"]
    assert run.invoke(embed, [*options, "--out", str(table)], catch_exceptions=False).exit_code == 0
    assert run.invoke(embed, [*options, "--out", str(lines), "--json"], catch_exceptions=False).exit_code == 0
    rows = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    matrix = np.load(table)
    assert matrix.shape == (sum(len(row["vectors"]) for row in rows), 64) and matrix.dtype == np.float32
    assert np.allclose(matrix[0], rows[0]["vectors"][0])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl", "out.npy"]


def test_embed_says_what_is_wrong(bert_gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(error: type[Exception], match: str, *options: str, text: bytes = b"") -> None:
        with pytest.raises(error, match=match):
            CliRunner().invoke(embed, [str(bert_gguf), *options], input=text, catch_exceptions=False)

    fails(UsageError, "no text to embed")
    fails(UsageError, "Text 2 is empty", "--text", "甲", "--text", " ")
    fails(UsageError, "neither", "--text", "甲", "--out", str(tmp_path / "out.csv"))
    fails(BadInput, "line 2 has no text", "--input", "-", text='"甲"\n{"words": 1}\n'.encode())
    fails(BadInput, "not UTF-8", "--input", "-", text=b"\xff\xfe\n")
    fails(NotFound, "nowhere", "--input", str(tmp_path / "nowhere.jsonl"))
    monkeypatch.setattr(models_bench, "_MOST", 10)
    fails(BadInput, "standard input is larger than 10 bytes", "--input", "-", text=b" " * 11)
    assert list(tmp_path.iterdir()) == []


@live
def test_embed_keeps_an_old_file_when_it_fails(bert_gguf: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("old", encoding="utf-8")
    with pytest.raises(EngineError, match="tokens"):
        CliRunner().invoke(embed, [str(bert_gguf), "--text", "很" * 900, "--out", str(out)], catch_exceptions=False)
    assert out.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [out]


IN_PROCESS = """
import json, sys
from pathlib import Path
import llama_cpp as lib
from models.engine import Reply, Usage
from models.llama import native
from models.llama.benching import hearing
from models.llama.header import read_header
from models.llama.serving import Server
from models.llama.wire import Call, Options, reply_of

class Direct:
    def __init__(self, path):
        self.news = []
        native.start()
        self.server = Server(self.news.append, lambda order: False)
        self.server.load(1, Options(path, 2048, 3, 1, 10**8, read_header(Path(path)).template, 1))
    def answer(self, asks, listen=None):
        self.server.join(2, [Call(ask, "", ()) for ask in asks])
        while self.server.busy:
            self.server.step()
        return [reply_of(data) for data in self.news if data["event"] == "reply"][-len(asks):]

engine = Direct(sys.argv[1])
lib.llama_perf_context_reset(engine.server._context.raw)
played = hearing.hold(engine, turns=9, seats=3, speech=8)
counted = lib.llama_perf_context(engine.server._context.raw)
replies = [reply_of(data) for data in engine.news if data["event"] == "reply"]
said = sum(reply.usage.generated - (reply.finish == "length") for reply in replies)
evaluated = sum(turn.usage.evaluated for turn in played)
print(json.dumps([evaluated, counted.n_p_eval + counted.n_eval - said]))
"""


@live
def test_the_count_of_the_engine_is_that_of_llama_cpp(tiny_gguf: Path) -> None:
    """`Usage.evaluated` is what reached llama.cpp, by its own counters; the last token of a cut turn is read
    later."""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", IN_PROCESS, str(tiny_gguf)], capture_output=True, text=True, cwd=root, check=False
    )
    assert done.returncode == 0, done.stderr
    ours, counted = json.loads(done.stdout.splitlines()[-1])
    assert ours == counted


@live
def test_quantised_weights_pass_through_the_chat_client_too() -> None:
    """Where the processor has tiles (AMX) it would die of what `model_settings` keeps out of every other loop."""
    calls = [{"messages": [("user", "问题：" + "你好" * 40)], "max_tokens": 1}]
    with RawProcess(SHIPPED, length=256, streams=1, threads=1, batch=128) as raw:
        (turn,) = raw.chat(calls, length=256, stateless=True)
        assert turn["generated"] == 1 and raw.run("speed", tokens=list(range(300, 332)), generate=1)["decode"] > 0


@live
def test_loops_that_ended_are_said_to_have(tiny_gguf: Path) -> None:
    with (
        pytest.raises(EngineError, match="loops ended"),
        RawProcess(tiny_gguf, length=64, streams=1, threads=1, batch=32) as raw,
    ):
        raw._process.kill()
        raw._process.wait()
        raw.run("speed", tokens=[5] * 8, generate=1)
