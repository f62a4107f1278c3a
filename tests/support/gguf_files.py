"""Model files for tests and benchmarks, written on the spot: no weights are committed.

All weights are random, from a seed, so a file has true form, speed and memory and no ability. Sizes in bytes,
contexts in tokens. `tiny_*` take about 0.1 s each; `half_billion` has the exact shape of a common 0.5B chat model
(531 MB as Q8_0).
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Quant

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.support.gguf_vocabularies import (  # noqa: E402
    byte_pair_words,
    byte_pairs,
    characters,
    speaking,
    word_pieces,
)

VERSION = 1
"""Part of the name of a cached file: raise it when the bytes change."""

CHATML = """\
{%- for message in messages -%}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt -%}
<|im_start|>assistant
{% endif -%}
"""
"""Append-only: each turn of the record only adds to the prompt."""

BROKEN = '{{ raise_exception("this template always fails") }}'

_TYPES = {
    "F32": gguf.LlamaFileType.ALL_F32,
    "F16": gguf.LlamaFileType.MOSTLY_F16,
    "Q4_0": gguf.LlamaFileType.MOSTLY_Q4_0,
    "Q8_0": gguf.LlamaFileType.MOSTLY_Q8_0,
}


# --- tiny chat models -----------------------------------------------------------------------------------------------


def tiny_llama(
    path: Path,
    *,
    quantised: str = "F32",
    context: int = 4096,
    template: str | None = CHATML,
    seed: int = 1,
    ends: float = 2.0,
    layers: int = 2,
    width: int = 64,
    split: int = 0,
) -> Path:
    """A llama of 2 layers and 4,200 tokens: every ASCII and common Chinese character is a token, the rest are bytes.

    `split`: as parts of so many tensors at most, `STEM-00001-of-0000N.gguf`; the first is given back.
    `ends` scales how readily it ends its turn: about every 30 tokens at 2.0 with temperature 0, never at 0.0.
    """
    rng = np.random.default_rng(seed)
    writer = _writer(path, "llama", "tiny random llama", quantised)
    writer.split_max_tensors = split
    heads, feed = width // 16, 2 * width
    _transformer(writer, context, width, layers, heads, heads // 2 or 1, feed)
    writer.add_rope_dimension_count(width // heads)
    vocabulary = characters(writer, template)
    kept = _Tensors(writer, rng, quantised)
    kept.add("token_embd.weight", (vocabulary, width), 1.0)
    for layer in range(layers):
        _attention_block(kept, layer, width, heads, heads // 2 or 1, feed)
    kept.norm("output_norm.weight", width)
    kept.put("output.weight", speaking(rng, vocabulary, width, ends))
    return _finish(writer, path)


def tiny_recurrent(path: Path, *, template: str | None = CHATML, context: int = 4096, seed: int = 1) -> Path:
    """A mamba of 2 layers with the tokens of `tiny_llama`: its memory cannot be rolled back."""
    rng = np.random.default_rng(seed)
    width, inner, state, rank, kernel = 64, 128, 16, 4, 4
    writer = _writer(path, "mamba", "tiny random mamba", "F32")
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(0)
    writer.add_head_count(0)
    writer.add_block_count(2)
    writer.add_ssm_conv_kernel(kernel)
    writer.add_ssm_inner_size(inner)
    writer.add_ssm_state_size(state)
    writer.add_ssm_time_step_rank(rank)
    writer.add_layer_norm_rms_eps(1e-5)
    vocabulary = characters(writer, template)
    kept = _Tensors(writer, rng, "F32")
    kept.add("token_embd.weight", (vocabulary, width), 1.0)
    for layer in range(2):
        name = f"blk.{layer}."
        kept.norm(f"{name}attn_norm.weight", width)
        kept.add(f"{name}ssm_in.weight", (2 * inner, width), width**-0.5)
        kept.add(f"{name}ssm_conv1d.weight", (inner, kernel), kernel**-0.5)
        kept.add(f"{name}ssm_conv1d.bias", (inner,), 0.1)
        kept.add(f"{name}ssm_x.weight", (rank + 2 * state, inner), inner**-0.5)
        kept.add(f"{name}ssm_dt.weight", (inner, rank), rank**-0.5)
        kept.add(f"{name}ssm_dt.bias", (inner,), 0.1)
        decay = -np.tile(np.arange(1, state + 1, dtype=np.float32) / state, (inner, 1))
        kept.put(f"{name}ssm_a", decay, plain=True)
        kept.put(f"{name}ssm_d", np.ones(inner, dtype=np.float32), plain=True)
        kept.add(f"{name}ssm_out.weight", (width, inner), 2 * inner**-0.5)
    kept.norm("output_norm.weight", width)
    kept.put("output.weight", speaking(rng, vocabulary, width, 2.0))
    return _finish(writer, path)


def tiny_bert(path: Path, *, context: int = 512, pooling: str = "MEAN", seed: int = 1, width: int = 64) -> Path:
    """A BERT of 2 layers with a WordPiece vocabulary: ASCII pieces and single Chinese characters.

    `pooling` is NONE, MEAN or CLS: what the file asks for, where nothing else is said.
    """
    rng = np.random.default_rng(seed)
    writer = _writer(path, "bert", "tiny random bert", "F32")
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(2 * width)
    writer.add_block_count(2)
    writer.add_head_count(4)
    writer.add_layer_norm_eps(1e-12)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType[pooling])
    vocabulary = word_pieces(writer)
    kept = _Tensors(writer, rng, "F32")
    kept.add("token_embd.weight", (vocabulary, width), 1.0)
    kept.add("token_types.weight", (2, width), 0.1)
    kept.add("position_embd.weight", (context, width), 0.5)
    kept.norm("token_embd_norm.weight", width)
    kept.zeros("token_embd_norm.bias", width)
    for layer in range(2):
        name = f"blk.{layer}."
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            kept.add(f"{name}{part}.weight", (width, width), width**-0.5)
            kept.zeros(f"{name}{part}.bias", width)
        kept.add(f"{name}ffn_up.weight", (2 * width, width), width**-0.5)
        kept.zeros(f"{name}ffn_up.bias", 2 * width)
        kept.add(f"{name}ffn_down.weight", (width, 2 * width), width**-0.5)
        kept.zeros(f"{name}ffn_down.bias", width)
        for part in ("attn_output_norm", "layer_output_norm"):
            kept.norm(f"{name}{part}.weight", width)
            kept.zeros(f"{name}{part}.bias", width)
    return _finish(writer, path)


# --- the 0.5B shape -------------------------------------------------------------------------------------------------


def half_billion(
    path: Path, *, template: str | None = CHATML, context: int = 32768, seed: int = 1, cached: bool = False
) -> Path:
    """A qwen2 of 24 layers, width 896, 14 heads over 2, feed-forward 4,864 and 151,936 tokens, Q8_0: 531 MB in
    seconds.

    With `cached` the file is kept in Moot's cache folder under its seed and version, `path` is unused, and the path
    of the kept file is returned.
    """
    if cached:
        from store.places import cache

        style = hashlib.sha256(f"{template}{context}".encode()).hexdigest()[:8]
        path = cache() / "models" / f"half-billion-{VERSION}-{seed}-{style}.gguf"
        if path.is_file():
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    width, layers, heads, heads_kv, feed, vocabulary = 896, 24, 14, 2, 4864, 151_936
    writer = _writer(path, "qwen2", "random 0.5B shape", "Q8_0")
    _transformer(writer, context, width, layers, heads, heads_kv, feed, base=1e6, epsilon=1e-6)
    tokens, merges = byte_pair_words(vocabulary)
    byte_pairs(writer, tokens, merges, template)
    kept = _Tensors(writer, rng, "Q8_0", rough=True)
    kept.add("token_embd.weight", (vocabulary, width), 0.3)
    for layer in range(layers):
        _attention_block(kept, layer, width, heads, heads_kv, feed, biased=True)
    kept.norm("output_norm.weight", width)
    return _finish(writer, path)


# --- writing --------------------------------------------------------------------------------------------------------


class _Tensors:
    """Adds random tensors to a writer. `rough` draws the quantised blocks themselves: quick, for large files."""

    def __init__(
        self, writer: gguf.GGUFWriter, rng: np.random.Generator, quantised: str, rough: bool = False
    ) -> None:
        self.writer = writer
        self.rng = rng
        self.type = Quant[quantised]
        self.rough = rough

    def add(self, name: str, shape: tuple[int, ...], scale: float) -> None:
        """A tensor of normal numbers (rough: uniform ones) with this standard deviation."""
        if self.rough and len(shape) > 1:
            self._blocks(name, shape, scale)
        else:
            plain = len(shape) == 1 or "ssm_" in name or "position_embd" in name or "token_types" in name
            self.put(name, self.rng.normal(0.0, scale, shape).astype(np.float32), plain=plain)

    def put(self, name: str, values: np.ndarray, *, plain: bool = False) -> None:
        """A tensor of these numbers; `plain` keeps 32 bits a number."""
        if plain or self.type is Quant.F32:
            self.writer.add_tensor(name, values)
            return
        self.writer.add_tensor(name, gguf.quants.quantize(values, self.type), raw_dtype=self.type)

    def norm(self, name: str, width: int) -> None:
        """Weights of a normalisation."""
        self.put(name, np.ones(width, dtype=np.float32), plain=True)

    def zeros(self, name: str, width: int) -> None:
        """A bias that does nothing."""
        self.put(name, np.zeros(width, dtype=np.float32), plain=True)

    def _blocks(self, name: str, shape: tuple[int, ...], scale: float) -> None:
        """Q8_0: blocks of 32 numbers, a half-precision scale before 32 signed bytes."""
        rows, columns = shape
        blocks = np.empty((rows, columns // 32, 34), dtype=np.uint8)
        step = np.float16(scale * 3**0.5 / 127)
        blocks[:, :, :2] = np.frombuffer(step.tobytes(), dtype=np.uint8)
        drawn = np.frombuffer(self.rng.bytes(rows * columns), dtype=np.int8).reshape(rows, columns // 32, 32)
        blocks[:, :, 2:] = np.maximum(drawn, -127).view(np.uint8)
        self.writer.add_tensor(name, blocks.reshape(rows, -1), raw_dtype=Quant.Q8_0)


def _writer(path: Path, architecture: str, name: str, quantised: str) -> gguf.GGUFWriter:
    writer = gguf.GGUFWriter(str(_partial(path)), architecture)
    writer.add_name(name)
    writer.add_file_type(_TYPES[quantised])
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    return writer


def _partial(path: Path) -> Path:
    return path.with_name(f"{path.name}.{os.getpid()}.part")


def _finish(writer: gguf.GGUFWriter, path: Path) -> Path:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    made = writer.format_shard_names(_partial(path))
    named = writer.format_shard_names(path)
    for part, name in zip(made, named, strict=True):
        os.replace(part, name)
    return named[0]


def _transformer(
    writer: gguf.GGUFWriter,
    context: int,
    width: int,
    layers: int,
    heads: int,
    heads_kv: int,
    feed: int,
    *,
    base: float = 10_000.0,
    epsilon: float = 1e-5,
) -> None:
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(feed)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads_kv)
    writer.add_rope_freq_base(base)
    writer.add_layer_norm_rms_eps(epsilon)


def _attention_block(
    kept: _Tensors, layer: int, width: int, heads: int, heads_kv: int, feed: int, *, biased: bool = False
) -> None:
    """One layer. Its own part outweighs what it adds to, so that a random model does not repeat its last token."""
    name, keys = f"blk.{layer}.", width // heads * heads_kv
    kept.norm(f"{name}attn_norm.weight", width)
    kept.add(f"{name}attn_q.weight", (width, width), 2 * width**-0.5)
    kept.add(f"{name}attn_k.weight", (keys, width), 2 * width**-0.5)
    kept.add(f"{name}attn_v.weight", (keys, width), width**-0.5)
    kept.add(f"{name}attn_output.weight", (width, width), 2 * width**-0.5)
    if biased:
        for part, size in (("attn_q", width), ("attn_k", keys), ("attn_v", keys)):
            kept.zeros(f"{name}{part}.bias", size)
    kept.norm(f"{name}ffn_norm.weight", width)
    kept.add(f"{name}ffn_gate.weight", (feed, width), width**-0.5)
    kept.add(f"{name}ffn_up.weight", (feed, width), width**-0.5)
    kept.add(f"{name}ffn_down.weight", (width, feed), 2 * feed**-0.5)


BUILDERS: dict[str, Callable[..., Path]] = {
    "tiny": tiny_llama,
    "bert": tiny_bert,
    "recurrent": tiny_recurrent,
    "half-billion": half_billion,
}


def main() -> int:
    """`python tests/support/gguf_files.py tiny FILE.gguf` writes one model."""
    if len(sys.argv) != 3 or sys.argv[1] not in BUILDERS:
        print(f"usage: python tests/support/gguf_files.py {'|'.join(BUILDERS)} FILE.gguf", file=sys.stderr)
        return 2
    print(BUILDERS[sys.argv[1]](Path(sys.argv[2])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
