"""The header of a GGUF file, read without llama.cpp: what a model is, and whether its file is whole.

`read_header` is total and bounded: whatever the bytes, it gives a `Header` or raises `BadEngine` with one sentence.
It never reads weights; what of them does not agree with the header llama.cpp says when it loads them, in a process of
its own. Source of the rules: the GGUF specification (version 3). Sizes are bytes, contexts are tokens.
"""

from __future__ import annotations

import re
import stat
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from types import MappingProxyType

from models.errors import BadEngine
from models.llama import ggml
from models.llama.metadata import TEMPLATE, TOKENS, Facts, Scalar, Unsound, Window, read_metadata, read_name, shown

LAYERS_LIMIT, DIMENSIONS_LIMIT = 512, 4
NAME_LIMIT = 63
"""Bytes of the longest tensor name that llama.cpp takes."""
LARGEST = 1 << 62
"""Bytes or numbers that no tensor has; keeps sums within what 64 bits count."""
AGAIN = "The copy is incomplete or damaged: fetch it again."


@dataclass(frozen=True, slots=True)
class Header:
    """What a sound GGUF says about itself."""

    path: Path
    size: int
    version: int
    architecture: str
    name: str
    quantisation: str
    """As quantisations are called, e.g. "Q4_K_M"."""
    parameters: int
    context: int
    """Tokens that the model was trained for."""
    layers: int
    heads: int
    heads_kv: int
    embedding: int
    """Width of the model: numbers in an embedding."""
    key_length: int
    value_length: int
    vocabulary: int
    template: str | None
    tokenizer: str
    is_embedding: bool
    recurrent: bool
    """Whether there is a state that cannot be rolled back to an earlier place."""
    metadata: Mapping[str, Scalar]
    """Everything but arrays, very long texts and the template."""
    weights: int
    """Bytes of all tensors."""
    kv_heads: tuple[int, ...]
    """Key-value heads of each layer that count for the cache: 0 where a layer has none."""
    state_layers: int
    """Layers with a recurrent state."""


@dataclass(frozen=True, slots=True)
class _Tensor:
    name: str
    shape: tuple[int, ...]
    kind: str
    size: int
    offset: int


def read_header(path: Path) -> Header:
    """The header of a GGUF file; `BadEngine` says in one sentence why it is none or not a sound one."""
    try:
        size = _regular(path)
        with path.open("rb") as file:
            return _read(path, Window(file, size))
    except Unsound as wrong:
        raise BadEngine(f"'{path}' {wrong.reason}", wrong.hint) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadEngine(f"'{path}' cannot be read: {reason}") from None


def _regular(path: Path) -> int:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise Unsound("does not exist", "`moot models list` shows what is in the library.") from None
    if stat.S_ISDIR(found.st_mode):
        raise Unsound("is a folder, not a GGUF file")
    if not stat.S_ISREG(found.st_mode):
        raise Unsound("is not an ordinary file")
    if found.st_size == 0:
        raise Unsound("is empty", AGAIN)
    return found.st_size


def _read(path: Path, window: Window) -> Header:
    version = _version(window)
    tensor_count, key_count = window.unsigned(8), window.unsigned(8)
    facts = read_metadata(window, key_count)
    architecture = _family(facts)
    if not tensor_count:
        raise Unsound(ggml.UNFIT_KINDS["vocab"])
    tensors = [_tensor(window) for _ in range(tensor_count)]
    weights = _whole(tensors, window, facts.count("general.alignment", 1, 1 << 20, 32))
    return _header(path, window.size, version, architecture, facts, tensors, weights)


def _version(window: Window) -> int:
    start = window.peek(min(24, window.size))
    if not start.startswith(ggml.MAGIC):
        for first, what in ggml.MISTAKEN:
            if start.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(first):
                raise Unsound(what)
        raise Unsound("is not a GGUF file")
    if window.size < 24:
        raise Unsound("ends in the middle of its header", AGAIN)
    window.skip(len(ggml.MAGIC))
    version = window.unsigned(4)
    if version and version & 0xFFFF == 0:
        raise Unsound("was written for big-endian machines")
    if version not in ggml.VERSIONS:
        age = "too old" if version < ggml.VERSIONS[0] else "unknown here"
        raise Unsound(f"is GGUF version {version}, which is {age}", "Versions 2 and 3 are read.")
    return version


def _family(facts: Facts) -> str:
    if facts.count("split.count", 0, 65_535, 1) > 1:
        hint = "Join all parts into one file with llama-gguf-split --merge."
        raise Unsound(f"is one of {facts.values['split.count']} parts of a model", hint)
    kind = facts.text("general.type")
    if kind in ggml.UNFIT_KINDS:
        raise Unsound(ggml.UNFIT_KINDS[kind])
    architecture = facts.text("general.architecture")
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,63}", architecture):
        raise Unsound("does not say what architecture it is" if not architecture else "names no known architecture")
    if architecture in ggml.UNFIT_FAMILIES:
        raise Unsound(ggml.UNFIT_FAMILIES[architecture])
    return architecture


# --- tensors --------------------------------------------------------------------------------------------------------


def _tensor(window: Window) -> _Tensor:
    name = read_name(window, NAME_LIMIT, "a tensor name")
    dimensions = window.unsigned(4)
    shape = tuple(window.unsigned(8) for _ in range(dimensions)) if dimensions <= DIMENSIONS_LIMIT else (0,)
    kind, offset = window.unsigned(4), window.unsigned(8)
    if kind not in ggml.TYPES:
        hint = "Get a newer conversion of the model."
        raise Unsound(f"gives the tensor '{shown(name)}' the unknown type {kind}", hint)
    label, block, block_bytes = ggml.TYPES[kind]
    if not all(0 < length < LARGEST for length in shape) or prod(shape) >= LARGEST:
        raise Unsound(f"gives the tensor '{shown(name)}' an impossible shape")
    return _Tensor(name, shape, label, prod(shape) // block * block_bytes, offset)


def _whole(tensors: list[_Tensor], window: Window, alignment: int) -> int:
    """Bytes of all tensors, which must end inside the file."""
    last = max(tensor.offset + tensor.size for tensor in tensors)
    end = window.position + -window.position % alignment + last
    if end > window.size:
        raise Unsound(f"is cut short: {window.size} of {end} bytes are there", AGAIN)
    return sum(tensor.size for tensor in tensors)


# --- facts ----------------------------------------------------------------------------------------------------------


def _header(
    path: Path, size: int, version: int, architecture: str, facts: Facts, tensors: list[_Tensor], weights: int
) -> Header:
    own = f"{architecture}."
    layers = facts.count(f"{own}block_count", 1, LAYERS_LIMIT)
    width = facts.count(f"{own}embedding_length", 1, 1 << 20)
    heads = facts.per_layer(f"{own}attention.head_count", layers, (0,) * layers, 1 << 16)
    heads_kv = facts.per_layer(f"{own}attention.head_count_kv", layers, heads, 1 << 16)
    rule = _rule(architecture, facts)
    if rule is None and not (any(heads) and any(heads_kv)):
        raise Unsound("does not say how many attention heads it has")
    head = width // max(heads) if any(heads) else 0
    kv_heads, state_layers = _memory(architecture, rule, facts, layers, heads_kv)
    tokenizer, vocabulary = _tokenizer(facts)
    pooling = facts.count(f"{own}pooling_type", 0, 4) if f"{own}pooling_type" in facts.values else None
    causal = facts.values.get(f"{own}attention.causal", True)
    return Header(
        path=path,
        size=size,
        version=version,
        architecture=architecture,
        name=facts.text("general.name").strip()[:200] or path.stem,
        quantisation=_quantisation(facts, tensors),
        parameters=sum(prod(tensor.shape) for tensor in tensors),
        context=facts.count(f"{own}context_length", 1, (1 << 31) - 1),
        layers=layers,
        heads=max(heads),
        heads_kv=max(heads_kv),
        embedding=width,
        key_length=facts.count(f"{own}attention.key_length", 0, 1 << 16, head),
        value_length=facts.count(f"{own}attention.value_length", 0, 1 << 16, head),
        vocabulary=vocabulary,
        template=facts.text(TEMPLATE).strip("\x00") or None,
        tokenizer=tokenizer,
        is_embedding=architecture in ggml.EMBEDDERS or bool(pooling) or causal is False,
        recurrent=rule is not None,
        metadata=MappingProxyType({key: value for key, value in facts.values.items() if key != TEMPLATE}),
        weights=weights,
        kv_heads=kv_heads,
        state_layers=state_layers,
    )


def _rule(architecture: str, facts: Facts) -> ggml.Rule | None:
    known = ggml.RECURRENT.get(architecture)
    if known is None and any(f"{architecture}{sign}" in facts.values for sign in ggml.RECURRENT_SIGNS):
        return "both"
    return known


def _memory(
    architecture: str, rule: ggml.Rule | None, facts: Facts, layers: int, heads_kv: tuple[int, ...]
) -> tuple[tuple[int, ...], int]:
    """Key-value heads of each layer as the cache counts them, and how many layers have a recurrent state."""
    if architecture in ggml.ENCODERS:
        return (0,) * layers, 0
    if rule is None:
        shared = facts.count(f"{architecture}.attention.shared_kv_layers", 0, layers, 0)
        return heads_kv[: layers - shared] + (0,) * shared, 0
    every = facts.count(f"{architecture}.full_attention_interval", 1, layers + 1, min(4, layers + 1))
    by_place = tuple(int((layer + 1) % every != 0) for layer in range(layers))
    marked = facts.per_layer(f"{architecture}.attention.recurrent_layers", layers, by_place, 1)
    feed = facts.per_layer(f"{architecture}.feed_forward_length", layers, (0,) * layers, 1 << 24)
    recurrent = {
        "all": (True,) * layers,
        "both": (True,) * layers,
        "interval": tuple(bool(mark) for mark in marked),
        "no_heads": tuple(count == 0 for count in heads_kv),
        "no_heads_no_feed": tuple(count == 0 and wide == 0 for count, wide in zip(heads_kv, feed, strict=True)),
    }[rule]
    attends = rule == "both"
    kept = tuple(0 if state and not attends else count for count, state in zip(heads_kv, recurrent, strict=True))
    return kept, sum(recurrent)


def _tokenizer(facts: Facts) -> tuple[str, int]:
    """Kind of tokenizer and size of its vocabulary."""
    kind = facts.text("tokenizer.ggml.model")
    tokens = facts.arrays.get(TOKENS)
    if not kind or kind in ("none", "no_vocab") or tokens is None or tokens.kind != ggml.TEXT or not tokens.count:
        raise Unsound("holds no tokenizer", "Get a complete conversion of the model.")
    return shown(kind), tokens.count


def _quantisation(facts: Facts, tensors: list[_Tensor]) -> str:
    """As the file says, else the type that most numbers of its matrices have."""
    said = facts.values.get("general.file_type")
    if isinstance(said, int) and not isinstance(said, bool) and said & ~1024 in ggml.FILE_TYPES:
        return ggml.FILE_TYPES[said & ~1024]
    numbers: Counter[str] = Counter()
    for tensor in tensors:
        numbers[tensor.kind] += prod(tensor.shape) * (len(tensor.shape) > 1)
    return numbers.most_common(1)[0][0]
