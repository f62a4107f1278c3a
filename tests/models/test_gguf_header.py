"""What a GGUF says of itself, as llama.cpp reads it: a sound file gives a header, any other one sentence."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from models.errors import BadEngine
from models.llama.header import read_header
from models.llama.process import EngineProcess

pytest.importorskip("llama_cpp")
pytestmark = pytest.mark.slow

SHAPE = {
    "context_length": 512,
    "embedding_length": 32,
    "block_count": 1,
    "attention.head_count": 2,
    "attention.head_count_kv": 1,
}
WORDS = ["<unk>", "<s>", "</s>", "法", "院", "a"]


def sound(
    path: Path, more: Mapping[str, Any] | None = None, *, architecture: str = "llama", without: str = ""
) -> Path:
    """A model of one layer, width 32, 2 heads over 1, six tokens."""
    writer = gguf.GGUFWriter(str(path), architecture)
    facts: dict[str, Any] = {
        "general.name": "小模型",
        "general.file_type": 7,
        **{f"{architecture}.{key}": value for key, value in SHAPE.items()},
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": WORDS,
        "tokenizer.ggml.scores": [0.0] * len(WORDS),
        "tokenizer.ggml.token_type": [1] * len(WORDS),
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.chat_template": "{{ messages[0].content }}",
        **(more or {}),
    }
    for key, value in facts.items():
        kind = gguf.GGUFValueType.UINT32 if type(value) is int and value >= 0 else gguf.GGUFValueType.get_type(value)
        writer.add_key_value(key, value, kind)
    if without:
        del writer.kv_data[0][without]
    writer.add_tensor("token_embd.weight", np.zeros((6, 32), np.float32))
    q8 = gguf.GGMLQuantizationType.Q8_0
    writer.add_tensor("blk.0.attn_q.weight", np.zeros((32, 34), np.uint8), raw_dtype=q8)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def patched(path: Path, after: str, offset: int, raw: bytes) -> Path:
    """A sound file with other bytes so far after a key or the name of a tensor; without one, from the beginning."""
    content = bytearray(sound(path).read_bytes())
    at = (content.index(after.encode()) + len(after) if after else 0) + offset
    content[at : at + len(raw)] = raw
    path.write_bytes(content)
    return path


@pytest.fixture(scope="module")
def child() -> Iterator[EngineProcess]:
    process = EngineProcess()
    yield process
    process.close()


def refused(path: Path, child: EngineProcess | None = None) -> str:
    with pytest.raises(BadEngine) as caught:
        read_header(path, child)
    sentence = str(caught.value)
    assert caught.value.exit_code == 2
    assert "\n" not in sentence and len(sentence) < 600 and sentence.startswith("'")
    return sentence


# --- what a sound file says -----------------------------------------------------------------------------------------


def test_a_sound_header_is_read(tmp_path: Path) -> None:
    header = read_header(sound(tmp_path / "模型.gguf"))
    assert (header.architecture, header.name, header.quantisation) == ("llama", "小模型", "Q8_0")
    assert (header.layers, header.heads, header.heads_kv, header.embedding, header.context) == (1, 2, 1, 32, 512)
    assert (header.key_length, header.value_length, header.vocabulary) == (16, 16, 6)
    assert header.parameters == 32 * 6 + 32 * 32 and header.weights == 32 * 6 * 4 + 32 * 34
    assert (header.template, header.tokenizer) == ("{{ messages[0].content }}", "llama")
    assert (header.is_embedding, header.recurrent) == (False, False)
    assert header.metadata["llama.context_length"] == "512" and "tokenizer.chat_template" not in header.metadata
    with pytest.raises(TypeError):
        header.metadata["x"] = "1"  # type: ignore[index]


def test_older_version_no_template_no_name_no_quantisation(tmp_path: Path, child: EngineProcess) -> None:
    bare = {"general.name": " ", "tokenizer.chat_template": ""}
    path = sound(tmp_path / "alt.gguf", bare, without="general.file_type")
    path.write_bytes(b"GGUF\2" + path.read_bytes()[5:])
    header = read_header(path, child)
    assert (header.name, header.template, header.quantisation) == ("alt", None, "")


def test_a_file_that_changed_is_read_again(tmp_path: Path, child: EngineProcess) -> None:
    path = sound(tmp_path / "m.gguf")
    assert read_header(path, child) is read_header(path, child)
    assert read_header(sound(path, {"general.name": "another"}), child).name == "another"


@pytest.mark.parametrize(
    ("architecture", "more", "expected"),
    [
        ("qwen3", {"qwen3.pooling_type": 3}, True),
        ("qwen3", {"qwen3.pooling_type": 0}, False),
        ("llama", {"llama.attention.causal": False}, True),
    ],
)
def test_embedding_models_are_recognised(
    tmp_path: Path, child: EngineProcess, architecture: str, more: dict[str, Any], expected: bool
) -> None:
    assert read_header(sound(tmp_path / "m.gguf", more, architecture=architecture), child).is_embedding is expected


def test_a_memory_that_cannot_be_rolled_back_is_recognised(recurrent_gguf: Path, child: EngineProcess) -> None:
    assert read_header(recurrent_gguf, child).recurrent


# --- what is refused, and how ---------------------------------------------------------------------------------------


def test_what_is_no_file_at_all(tmp_path: Path) -> None:
    assert "does not exist" in refused(tmp_path / "none.gguf")
    assert "is a folder" in refused(tmp_path)
    assert "cannot be read" in refused(Path("a\0b.gguf"))
    (tmp_path / "empty.gguf").touch()
    assert "is empty" in refused(tmp_path / "empty.gguf")
    if Path("/dev/zero").exists():
        assert "not an ordinary file" in refused(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (b"<!DOCTYPE html><html>", "web page"),
        (b"\xef\xbb\xbf\r\n <html>", "web page"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
        (b"PK\x03\x04zip", "ZIP"),
        (b"tjgg\x03\0\0\0", "old GGML"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"GGU", "not a GGUF"),
        (b"GGUF\x03\0\0", "llama.cpp can read"),
        (b"just some words", "not a GGUF"),
    ],
)
def test_what_was_mistaken_for_a_gguf_is_named(tmp_path: Path, start: bytes, said: str) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(start)
    assert said in refused(path)


NATIVE = "is not a file that llama.cpp can read: "
BYTES: dict[str, tuple[str, int, bytes, str]] = {
    "version 1": ("GGUF", 0, b"\1", NATIVE),
    "big endian": ("GGUF", 0, b"\0\0\0\3", NATIVE),
    "more keys than there are": ("", 16, struct.pack("<Q", 1000), NATIVE),
    "no tensors": ("", 8, struct.pack("<Q", 0), "no weights"),
    "unknown type": ("general.name", 0, b"\x0d", NATIVE),
    "array of arrays": ("tokenizer.ggml.tokens", 4, b"\x09", NATIVE),
    "huge array": ("tokenizer.ggml.tokens", 8, struct.pack("<Q", 2**61), NATIVE),
    "huge text": ("general.name", 4, struct.pack("<Q", 2**63), NATIVE),
    "five dimensions": ("token_embd.weight", 0, b"\5", NATIVE),
    "overflowing shape": ("token_embd.weight", 4, struct.pack("<Q", 2**63 - 1), NATIVE),
    "unknown tensor type": ("token_embd.weight", 20, b"\x4d", NATIVE),
    "offset far": ("token_embd.weight", 24, struct.pack("<Q", 2**63), NATIVE),
}
"""Kind of damage -> where it is, what stands there, what is said."""
FACTS: dict[str, tuple[dict[str, Any], str]] = {
    "no architecture": ({"without": "general.architecture"}, NATIVE),
    "architecture nonsense": ({"architecture": "../x\n"}, NATIVE),
    "no context": ({"without": "llama.context_length"}, "llama.context_length"),
    "context a truth": ({"more": {"llama.context_length": True}}, "llama.context_length"),
    "no tokenizer": ({"without": "tokenizer.ggml.model"}, NATIVE),
    "tokens no texts": ({"more": {"tokenizer.ggml.tokens": [1] * 6}}, NATIVE),
    "alignment zero": ({"more": {"general.alignment": 0}}, NATIVE),
    "adapter": ({"more": {"general.type": "adapter"}}, "LoRA"),
    "projector": ({"architecture": "clip"}, NATIVE),
    "diffusion": ({"architecture": "llada"}, "diffusion"),
    "encoder and decoder": ({"architecture": "t5"}, "encoder-decoder"),
}
"""What a file says wrongly -> how it is made, what is said."""


def test_a_damaged_or_hostile_header_is_refused_in_one_sentence(tmp_path: Path, child: EngineProcess) -> None:
    sentences = {}
    for number, (name, (after, offset, raw, said)) in enumerate(BYTES.items()):
        sentences[name] = (said, refused(patched(tmp_path / f"b{number}.gguf", after, offset, raw), child))
    for number, (name, (how, said)) in enumerate(FACTS.items()):
        sentences[name] = (said, refused(sound(tmp_path / f"f{number}.gguf", **how), child))
    short = sound(tmp_path / "short.gguf")
    short.write_bytes(short.read_bytes()[:-1])
    sentences["one byte short"] = (NATIVE, refused(short, child))
    assert {name: pair for name, pair in sentences.items() if pair[0] not in pair[1]} == {}


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone counts memory")
def test_a_header_that_wants_more_memory_than_a_reader_has_is_refused(tmp_path: Path, child: EngineProcess) -> None:
    numbers = 400_000_000  # 1.6 GB, which take no room on the disk
    path = sound(tmp_path / "m.gguf", {"general.x": [1]})
    content = path.read_bytes()
    cut = content.index(b"general.x") + len(b"general.x") + 4 + 4
    with path.open("wb") as file:
        file.write(content[:cut] + struct.pack("<Q", numbers))
        file.seek(cut + 8 + 4 * numbers)
        file.write(content[cut + 8 + 4 :])
    assert NATIVE in refused(path, child)
    assert read_header(sound(tmp_path / "sound.gguf"), child).architecture == "llama"


def test_a_child_that_dies_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.llama.process.command", lambda word: [sys.executable, "-c", "raise SystemExit(3)"])
    assert "died (exit code 3)" in refused(sound(tmp_path / "m.gguf"))


def test_without_llama_cpp_python_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "llama_cpp.py").write_text("raise ImportError\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(BadEngine, match="^llama-cpp-python is not installed. Install it: pip"):
        read_header(sound(tmp_path / "m.gguf"))
