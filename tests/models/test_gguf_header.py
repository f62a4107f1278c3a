"""The header check is total: any bytes give a sound header or one sentence, in little time and memory."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from models.errors import BadEngine
from models.llama import ggml
from models.llama.header import read_header

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
        _, block, block_bytes = ggml.TYPES.get(kind, ("", 1, 4))
        numbers = 1
        for length in shape:
            numbers *= length
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


def refused(path: Path) -> str:
    with pytest.raises(BadEngine) as caught:
        read_header(path)
    sentence = str(caught.value)
    assert caught.value.exit_code == 2
    assert "\n" not in sentence and len(sentence) < 600 and sentence.startswith("'")
    return sentence


# --- what a sound file says -----------------------------------------------------------------------------------------


def test_a_sound_header_is_read(tmp_path: Path) -> None:
    header = read_header(sound().write(tmp_path / "模型.gguf"))
    assert (header.version, header.architecture, header.name, header.quantisation) == (3, "llama", "小模型", "Q8_0")
    assert (header.layers, header.heads, header.heads_kv, header.embedding, header.context) == (1, 2, 1, 32, 512)
    assert (header.key_length, header.value_length, header.vocabulary) == (16, 16, 6)
    assert header.parameters == 32 * 6 + 32 * 32 and header.weights == 32 * 6 * 4 + 32 * 34
    assert (header.template, header.tokenizer) == ("{{ messages[0].content }}", "llama")
    assert (header.is_embedding, header.recurrent, header.kv_heads) == (False, False, (1,))
    assert header.metadata["llama.context_length"] == 512 and "tokenizer.chat_template" not in header.metadata
    with pytest.raises(TypeError):
        header.metadata["x"] = 1  # type: ignore[index]


def test_files_of_the_gguf_library_are_read(tiny_gguf: Path, bert_gguf: Path, tmp_path: Path) -> None:
    header = read_header(tiny_gguf)
    assert header.architecture == "llama" and header.template and not header.is_embedding
    bert = read_header(bert_gguf)
    assert bert.is_embedding and bert.template is None and set(bert.kv_heads) == {0}


def test_older_version_no_template_no_name(tmp_path: Path) -> None:
    gguf = sound(general__name=(TEXT, " "), tokenizer__chat_template=(TEXT, ""))
    gguf.version = 2
    header = read_header(gguf.write(tmp_path / "alt.gguf"))
    assert (header.version, header.name, header.template) == (2, "alt", None)


def test_the_quantisation_is_guessed_where_the_file_does_not_say(tmp_path: Path) -> None:
    gguf = sound()
    del gguf.pairs["general.file_type"]
    gguf.tensors |= {f"blk.0.norm{n}.weight": ((32,), 0) for n in range(40)}
    assert read_header(gguf.write(tmp_path / "m.gguf")).quantisation == "Q8_0"
    guessed = sound(general__file_type=(U32, 1024 + 15))
    assert read_header(guessed.write(tmp_path / "n.gguf")).quantisation == "Q4_K_M"


@pytest.mark.parametrize(
    ("architecture", "more", "expected"),
    [
        ("bert", {}, True),
        ("llama-embed", {}, True),
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


def deep(architecture: str, layers: int, **more: Value) -> Gguf:
    gguf = sound(architecture, **{f"{architecture}__block_count": (U32, layers)}, **more)
    gguf.tensors |= {f"blk.{layer}.x.weight": ((32,), 0) for layer in range(layers)}
    return gguf


@pytest.mark.parametrize(
    ("gguf", "kv_heads", "states"),
    [
        (deep("mamba", 2, mamba__attention__head_count=(U32, 0)), (0, 0), 2),
        (deep("rwkv7", 2), (0, 0), 2),
        (deep("jamba", 4, jamba__attention__head_count_kv=(ARRAY, (I32, [0, 2, 0, 2]))), (0, 2, 0, 2), 2),
        (
            deep(
                "nemotron_h", 3,
                nemotron_h__attention__head_count_kv=(ARRAY, (I32, [0, 2, 0])),
                nemotron_h__feed_forward_length=(ARRAY, (I32, [0, 0, 64])),
            ),
            (0, 2, 0), 1,
        ),
        (deep("qwen3next", 4), (0, 0, 0, 1), 3),
        (deep("qwen35", 4, qwen35__full_attention_interval=(U32, 2)), (0, 1, 0, 1), 2),
        (deep("qwen3next", 2, qwen3next__attention__recurrent_layers=(ARRAY, (BOOL, [False, True]))), (1, 0), 1),
        (deep("falcon-h1", 2), (1, 1), 2),
        (deep("brandnew", 2, brandnew__ssm__state_size=(U32, 16)), (1, 1), 2),
    ],
)  # fmt: skip
def test_what_cannot_be_rolled_back_is_recognised(
    tmp_path: Path, gguf: Gguf, kv_heads: tuple[int, ...], states: int
) -> None:
    header = read_header(gguf.write(tmp_path / "m.gguf"))
    assert header.recurrent
    assert (header.kv_heads, header.state_layers) == (kv_heads, states)


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
        (b"GGUF\x03\0\0", "middle of its header"),
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


BAD: dict[str, tuple[Gguf, str]] = {
    "version 1": (reshaped({}, version=1), "too old"),
    "version 4": (reshaped({}, version=4), "unknown here"),
    "version 0": (reshaped({}, version=0), "too old"),
    "big endian": (reshaped({}, version=3 << 24), "big-endian"),
    "more keys than there are": (reshaped({}, counts=(None, 1000)), "'"),
    "no tensors": (reshaped({}, counts=(0, None)), "no weights"),
    "duplicate key": (reshaped({}, again=[("general.name", (TEXT, "x"))]), "twice"),
    "empty key": (changed(**{"": (U32, 1)}), "0 bytes"),
    "long key": (changed(**{"k" * 300: (U32, 1)}), "300 bytes"),
    "key no text": (Gguf({b"\xff\xfe": (U32, 1)}, sound().tensors), "not text"),
    "unknown type": (changed(x=(13, b"")), "unknown type 13"),
    "array of arrays": (changed(x=(ARRAY, struct.pack("<IQ", ARRAY, 1))), "unknown type 9"),
    "array of unknown": (changed(x=(ARRAY, struct.pack("<IQ", 99, 1))), "unknown type 99"),
    "huge array": (changed(x=(ARRAY, struct.pack("<IQ", U64, 2**61))), "middle of its header"),
    "huge text array": (changed(x=(ARRAY, struct.pack("<IQ", TEXT, 2**60))), "middle of its header"),
    "huge text": (changed(x=(TEXT, struct.pack("<Q", 2**63))), "middle of its header"),
    "template no text": (changed(tokenizer__chat_template=(TEXT, text(b"\xff{{"))), "not text"),
    "template a number": (changed(tokenizer__chat_template=(U32, 1)), "should be text"),
    "no architecture": (without("general.architecture"), "what architecture"),
    "architecture a number": (changed(general__architecture=(U32, 1)), "should be text"),
    "architecture nonsense": (changed(general__architecture=(TEXT, "../x\n")), "no known architecture"),
    "no context": (without("llama.context_length"), "llama.context_length"),
    "context zero": (changed(llama__context_length=(U32, 0)), "cannot be"),
    "context a text": (changed(llama__context_length=(TEXT, "4096")), "cannot be"),
    "context a truth": (changed(llama__context_length=(BOOL, True)), "cannot be"),
    "context a float": (changed(llama__context_length=(F32, 1.0)), "cannot be"),
    "layers too many": (changed(llama__block_count=(U32, 513)), "cannot be"),
    "layers beside tensors": (changed(llama__block_count=(U32, 0)), "cannot be"),
    "no heads": (without("llama.attention.head_count", "llama.attention.head_count_kv"), "attention heads"),
    "heads of wrong length": (changed(llama__attention__head_count_kv=(ARRAY, (I32, [1, 1]))), "for 1 layers"),
    "heads negative": (changed(llama__attention__head_count_kv=(ARRAY, (I32, [-1]))), "cannot be"),
    "pooling": (changed(llama__pooling_type=(U32, 9)), "cannot be"),
    "no tokenizer": (without("tokenizer.ggml.model"), "no tokenizer"),
    "no tokens": (without("tokenizer.ggml.tokens"), "no tokenizer"),
    "tokens a text": (changed(tokenizer__ggml__tokens=(TEXT, "x")), "no tokenizer"),
    "tokens no texts": (changed(tokenizer__ggml__tokens=(ARRAY, (U32, [1] * 6))), "no tokenizer"),
    "part of several": (changed(split__count=(U32, 3)), "--merge"),
    "adapter": (changed(general__type=(TEXT, "adapter")), "LoRA"),
    "projector": (sound("clip"), "multimodal"),
    "diffusion": (sound("llada"), "diffusion"),
    "alignment zero": (changed(general__alignment=(U32, 0)), "cannot be"),
    "tensor name long": (reshaped({"x" * 64: ((32,), 0)}), "64 bytes"),
    "tensor name empty": (reshaped({"": ((32,), 0)}), "0 bytes"),
    "five dimensions": (reshaped({"x": ((1, 1, 1, 1, 1), 0)}), "impossible shape"),
    "zero length": (reshaped({"x": ((0, 4), 0)}), "impossible shape"),
    "negative length": (reshaped({"x": ((2**64 - 32, 4), 0)}), "impossible shape"),
    "overflowing shape": (reshaped({"x": ((2**32, 2**32, 2**32, 2**32), 0)}), "impossible shape"),
    "huge but possible": (reshaped({"x": ((2**40, 8), 0)}), "cut short"),
    "unknown tensor type": (reshaped({"x": ((32,), 77)}), "unknown type 77"),
    "offset far": (reshaped({}, offsets={"blk.0.attn_q.weight": 2**63}), "cut short"),
    "one byte short": (reshaped({}, tail=-33), "cut short"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_damaged_or_hostile_header_is_refused_in_one_sentence(tmp_path: Path, name: str) -> None:
    gguf, said = BAD[name]
    assert said in refused(gguf.write(tmp_path / "m.gguf"))


def test_a_cut_copy_says_how_much_is_there(tmp_path: Path) -> None:
    raw = sound().bytes()
    (tmp_path / "m.gguf").write_bytes(raw[:-100])
    assert f"{len(raw) - 100} of {len(raw)} bytes" in refused(tmp_path / "m.gguf")


# --- any other file -----------------------------------------------------------------------------------------------
