"""What a GGUF says of itself, as llama.cpp reads it: a sound file gives a header, any other one sentence."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import pytest

from models.errors import BadEngine
from models.llama.header import read_header
from models.llama.process import EngineProcess

pytest.importorskip("llama_cpp")
pytestmark = pytest.mark.slow

U32, I32, F32, TEXT, ARRAY, U64, BOOL = 4, 5, 6, 8, 9, 10, 7
FORMS = {0: "<B", U32: "<I", I32: "<i", F32: "<f", U64: "<Q", BOOL: "<?"}
Value = tuple[int, Any]


def text(value: str | bytes) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(raw)) + raw


def value_bytes(kind: int, value: Any) -> bytes:
    """A value after its type; an array is (type, list); raw bytes stand for themselves."""
    if isinstance(value, bytes):
        return value
    if kind == TEXT:
        return text(value)
    if kind == ARRAY:
        inner, items = value
        return struct.pack("<IQ", inner, len(items)) + b"".join(value_bytes(inner, item) for item in items)
    return struct.pack(FORMS[kind], value)


@dataclass
class Gguf:
    """A small GGUF put together byte by byte, so that each part can be made wrong."""

    pairs: dict[str | bytes, Value] = field(default_factory=dict)
    tensors: dict[str, tuple[tuple[int, ...], int]] = field(default_factory=dict)
    offsets: dict[str, int] = field(default_factory=dict)
    magic: bytes = b"GGUF"
    version: int = 3
    counts: tuple[int | None, int | None] = (None, None)
    again: list[tuple[str, Value]] = field(default_factory=list)
    alignment: int = 32
    tail: int = 0
    """Bytes more (or fewer) than the tensors need."""

    def bytes(self) -> bytes:
        pairs = [*self.pairs.items(), *self.again]
        counted = (len(self.tensors), len(pairs))
        counts = [real if said is None else said for said, real in zip(self.counts, counted, strict=True)]
        head = self.magic + struct.pack("<IQQ", self.version, *(count % 2**64 for count in counts))
        for key, (kind, value) in pairs:
            head += text(key) + struct.pack("<I", kind) + value_bytes(kind, value)
        at = 0
        for name, (shape, kind) in self.tensors.items():
            offset = self.offsets.get(name, at) % 2**64
            head += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)
            size = self.size(shape, kind)
            at += size + -size % self.alignment
        head += b"\0" * (-len(head) % self.alignment)
        return head + b"\0" * max(0, at + self.tail)

    @staticmethod
    def size(shape: tuple[int, ...], kind: int) -> int:
        block, block_bytes = {8: (32, 34)}.get(kind, (1, 4))
        numbers = prod(shape)
        return min(numbers // block * block_bytes, 1 << 16)

    def write(self, path: Path) -> Path:
        path.write_bytes(self.bytes())
        return path


WORDS = ["<unk>", "<s>", "</s>", "法", "院", "a"]


def sound(architecture: str = "llama", **more: Value) -> Gguf:
    """A model of one layer, width 32, 2 heads over 1, six tokens."""
    own = {
        "context_length": (U32, 512), "embedding_length": (U32, 32), "block_count": (U32, 1),
        "attention.head_count": (U32, 2), "attention.head_count_kv": (U32, 1),
    }  # fmt: skip
    pairs: dict[str | bytes, Value] = {
        "general.architecture": (TEXT, architecture),
        "general.name": (TEXT, "小模型"),
        "general.file_type": (U32, 7),
        **{f"{architecture}.{key}": value for key, value in own.items()},
        "tokenizer.ggml.model": (TEXT, "llama"),
        "tokenizer.ggml.tokens": (ARRAY, (TEXT, WORDS)),
        "tokenizer.ggml.scores": (ARRAY, (F32, [0.0] * len(WORDS))),
        "tokenizer.ggml.token_type": (ARRAY, (I32, [1] * len(WORDS))),
        "tokenizer.ggml.bos_token_id": (U32, 1),
        "tokenizer.ggml.eos_token_id": (U32, 2),
        "tokenizer.chat_template": (TEXT, "{{ messages[0].content }}"),
    }
    pairs |= {key.replace("__", "."): value for key, value in more.items()}
    return Gguf(pairs, {"token_embd.weight": ((32, 6), 0), "blk.0.attn_q.weight": ((32, 32), 8)})


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
    header = read_header(sound().write(tmp_path / "模型.gguf"))
    assert (header.architecture, header.name, header.quantisation) == ("llama", "小模型", "Q8_0")
    assert (header.layers, header.heads, header.heads_kv, header.embedding, header.context) == (1, 2, 1, 32, 512)
    assert (header.key_length, header.value_length, header.vocabulary) == (16, 16, 6)
    assert header.parameters == 32 * 6 + 32 * 32 and header.weights == 32 * 6 * 4 + 32 * 34
    assert (header.template, header.tokenizer) == ("{{ messages[0].content }}", "llama")
    assert (header.is_embedding, header.recurrent) == (False, False)
    assert header.metadata["llama.context_length"] == "512" and "tokenizer.chat_template" not in header.metadata
    with pytest.raises(TypeError):
        header.metadata["x"] = "1"  # type: ignore[index]


def test_files_of_the_gguf_library_are_read(tiny_gguf: Path, bert_gguf: Path, recurrent_gguf: Path) -> None:
    header = read_header(tiny_gguf)
    assert header.architecture == "llama" and header.template and not header.is_embedding and not header.recurrent
    bert = read_header(bert_gguf)
    assert bert.is_embedding and bert.template is None
    assert read_header(recurrent_gguf).recurrent


def test_older_version_no_template_no_name_no_quantisation(tmp_path: Path) -> None:
    gguf = sound(general__name=(TEXT, " "), tokenizer__chat_template=(TEXT, ""))
    gguf.version = 2
    del gguf.pairs["general.file_type"]
    header = read_header(gguf.write(tmp_path / "alt.gguf"))
    assert (header.name, header.template, header.quantisation) == ("alt", None, "")


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = sound().write(tmp_path / "m.gguf")
    assert read_header(path) is read_header(path)
    assert read_header(sound(general__name=(TEXT, "another")).write(path)).name == "another"


@pytest.mark.parametrize(
    ("architecture", "more", "expected"),
    [
        ("qwen3", {"qwen3__pooling_type": (U32, 3)}, True),
        ("qwen3", {"qwen3__pooling_type": (U32, 0)}, False),
        ("llama", {"llama__attention__causal": (BOOL, False)}, True),
        ("llama", {}, False),
    ],
)
def test_embedding_models_are_recognised(
    tmp_path: Path, architecture: str, more: dict[str, Value], expected: bool
) -> None:
    assert read_header(sound(architecture, **more).write(tmp_path / "m.gguf")).is_embedding is expected


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


def changed(**more: Value) -> Gguf:
    return sound(**more)


def without(*keys: str) -> Gguf:
    gguf = sound()
    for key in keys:
        del gguf.pairs[key]
    return gguf


def reshaped(tensors: dict[str, tuple[tuple[int, ...], int]], **attributes: Any) -> Gguf:
    gguf = sound()
    gguf.tensors |= tensors
    for name, value in attributes.items():
        setattr(gguf, name, value)
    return gguf


NATIVE = "is not a file that llama.cpp can read: "
BAD: dict[str, tuple[Gguf, str]] = {
    "version 1": (reshaped({}, version=1), NATIVE),
    "version 4": (reshaped({}, version=4), NATIVE),
    "big endian": (reshaped({}, version=3 << 24), NATIVE),
    "more keys than there are": (reshaped({}, counts=(None, 1000)), NATIVE),
    "no tensors": (reshaped({}, counts=(0, None)), "no weights"),
    "duplicate key": (reshaped({}, again=[("general.name", (TEXT, "x"))]), NATIVE),
    "key no text": (Gguf({b"\xff\xfe": (U32, 1)}, sound().tensors), NATIVE),
    "unknown type": (changed(x=(13, b"")), NATIVE),
    "array of arrays": (changed(x=(ARRAY, struct.pack("<IQ", ARRAY, 1))), NATIVE),
    "huge array": (changed(x=(ARRAY, struct.pack("<IQ", U64, 2**61))), NATIVE),
    "huge text array": (changed(x=(ARRAY, struct.pack("<IQ", TEXT, 2**60))), NATIVE),
    "huge text": (changed(x=(TEXT, struct.pack("<Q", 2**63))), NATIVE),
    "no architecture": (without("general.architecture"), NATIVE),
    "architecture nonsense": (changed(general__architecture=(TEXT, "../x\n")), NATIVE),
    "no context": (without("llama.context_length"), "llama.context_length"),
    "context a truth": (changed(llama__context_length=(BOOL, True)), "llama.context_length"),
    "context a float": (changed(llama__context_length=(F32, 1.0)), "llama.context_length"),
    "no tokenizer": (without("tokenizer.ggml.model"), NATIVE),
    "tokens no texts": (changed(tokenizer__ggml__tokens=(ARRAY, (U32, [1] * 6))), NATIVE),
    "adapter": (changed(general__type=(TEXT, "adapter")), "LoRA"),
    "projector": (sound("clip"), NATIVE),
    "diffusion": (sound("llada"), "diffusion"),
    "encoder and decoder": (sound("t5"), "encoder-decoder"),
    "alignment zero": (changed(general__alignment=(U32, 0)), NATIVE),
    "five dimensions": (reshaped({"x": ((1, 1, 1, 1, 1), 0)}), NATIVE),
    "overflowing shape": (reshaped({"x": ((2**32, 2**32, 2**32, 2**32), 0)}), NATIVE),
    "unknown tensor type": (reshaped({"x": ((32,), 77)}), NATIVE),
    "offset far": (reshaped({}, offsets={"blk.0.attn_q.weight": 2**63}), NATIVE),
    "one byte short": (reshaped({}, tail=-33), NATIVE),
}


@pytest.mark.parametrize("name", BAD)
def test_a_damaged_or_hostile_header_is_refused_in_one_sentence(
    tmp_path: Path, child: EngineProcess, name: str
) -> None:
    gguf, said = BAD[name]
    assert said in refused(gguf.write(tmp_path / "m.gguf"), child)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone counts memory")
def test_a_header_that_wants_more_memory_than_a_reader_has_is_refused(tmp_path: Path, child: EngineProcess) -> None:
    numbers = 200_000_000  # 1.6 GB, which take no room on the disk
    head = changed(x=(ARRAY, struct.pack("<IQ", U64, numbers)))
    path = head.write(tmp_path / "m.gguf")
    cut = path.read_bytes().index(struct.pack("<IQ", U64, numbers)) + 12
    start, rest = path.read_bytes()[:cut], path.read_bytes()[cut:]
    with path.open("wb") as file:
        file.write(start)
        file.seek(cut + 8 * numbers)
        file.write(rest)
    assert NATIVE in refused(path, child)
    assert read_header(sound().write(tmp_path / "sound.gguf"), child).architecture == "llama"


def test_a_child_that_dies_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.llama.process.command", lambda word: [sys.executable, "-c", "raise SystemExit(3)"])
    assert "died (exit code 3)" in refused(sound().write(tmp_path / "m.gguf"))


def test_without_llama_cpp_python_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "llama_cpp.py").write_text("raise ImportError\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(BadEngine, match="^llama-cpp-python is not installed. Install it: pip"):
        read_header(sound().write(tmp_path / "m.gguf"))
