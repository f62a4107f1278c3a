"""The model files that tests stand on: llama.cpp loads them, Chinese round-trips, they speak, and they are
repeatable."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.support.gguf_files import NO_SYSTEM, THINKING, tiny_bert, tiny_llama
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.slow

TEXT = '原告张三诉被告某某公司借款合同纠纷一案，本金3.87亿元 and 100 bytes\n{"a": [1]} 😀 鑫淼'
PROBE = """
import json, sys
import llama_cpp
from models.llama.native import model_settings
settings = model_settings()
llama_cpp.llama_cpp.llama_model_default_params = lambda: settings
path, text, embedding = sys.argv[1], sys.argv[2], sys.argv[3] == "embedding"
model = llama_cpp.Llama(path, n_ctx=512, n_threads=1, n_threads_batch=1, verbose=False, embedding=embedding)
ids = model.tokenize(text.encode(), add_bos=False, special=False)
out = {"ids": ids, "round_trip": model.detokenize(ids).decode(errors="replace") == text}
out["special"] = model.tokenize(b"<|im_start|>", add_bos=False, special=True)
out["plain"] = model.tokenize(b"<|im_start|>", add_bos=False, special=False)
if embedding:
    out["vector"] = model.embed(text)
else:
    out["said"] = []
    for words in ("请问本案如何处理？", "被告是谁？"):
        messages = [{"role": "system", "content": "你是法官。"}, {"role": "user", "content": words}]
        made = model.create_chat_completion(messages, temperature=0, max_tokens=24, repeat_penalty=1.0)
        out["said"].append(made["choices"][0]["message"]["content"])
    out["rolls_back"] = bool(llama_cpp.llama_memory_can_shift(llama_cpp.llama_get_memory(model.ctx)))
    out["recurrent"] = bool(llama_cpp.llama_model_is_recurrent(model.model))
print(json.dumps(out))
"""


def probe(path: Path, mode: str = "chat") -> dict[str, Any]:
    """What llama.cpp makes of a file, asked in a process of its own."""
    if importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("llama-cpp-python is not installed")
    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(path), TEXT, mode],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("quantised", ["F32", "F16", "Q8_0"])
def test_tiny_llama_loads_and_speaks(tmp_path: Path, quantised: str) -> None:
    found = probe(tiny_llama(tmp_path / "tiny.gguf", quantised=quantised))
    assert found["round_trip"]
    assert len(found["special"]) == 1
    assert len(found["plain"]) > 1, "special tokens inside content stay plain text"
    assert all(len(set(said)) > len(said) // 2 for said in found["said"]), "no endless repetition"
    assert found["said"][0] != found["said"][1], "what it says depends on what it read"
    assert not found["recurrent"]


def test_recurrent_model(recurrent_gguf: Path) -> None:
    found = probe(recurrent_gguf)
    assert found["round_trip"] and found["recurrent"]
    assert all(found["said"])


def test_bert_gives_vectors(bert_gguf: Path) -> None:
    found = probe(bert_gguf, "embedding")
    assert len(found["vector"]) == 64
    assert len(set(found["ids"])) > 20, "Chinese characters are tokens of their own"


def test_files_repeat_byte_for_byte(tmp_path: Path) -> None:
    def digest(path: Path) -> str:
        return sha256(path.read_bytes()).hexdigest()

    first, second = tiny_llama(tmp_path / "a.gguf"), tiny_llama(tmp_path / "b.gguf")
    assert digest(first) == digest(second)
    assert digest(tiny_llama(tmp_path / "c.gguf", seed=2)) != digest(first)
    assert digest(tiny_bert(tmp_path / "d.gguf")) == digest(tiny_bert(tmp_path / "e.gguf"))
    assert not list(tmp_path.glob("*.part"))


def test_options_reach_the_file(tmp_path: Path) -> None:
    gguf = pytest.importorskip("gguf")

    def fields(path: Path) -> dict[str, Any]:
        reader = gguf.GGUFReader(str(path))
        return {name: field.contents() for name, field in reader.fields.items() if "tokens" not in name}

    thinking = fields(tiny_llama(tmp_path / "a.gguf", template=THINKING, context=256))
    assert thinking["tokenizer.chat_template"] == THINKING
    assert thinking["llama.context_length"] == 256
    assert "tokenizer.chat_template" not in fields(tiny_llama(tmp_path / "b.gguf", template=None))
    assert fields(tiny_llama(tmp_path / "c.gguf", template=NO_SYSTEM))["tokenizer.chat_template"] == NO_SYSTEM
