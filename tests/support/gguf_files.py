"""Model files for tests and benchmarks, written on the spot: no weights are committed.

All weights are random, from a seed, so a file has true form, speed and memory and no ability. Sizes in bytes,
contexts in tokens. `tiny_*` take about 0.1 s each; `half_billion` has the exact shape of a common 0.5B chat model
(531 MB as Q8_0).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Quant
from gguf import TokenType

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

SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
"""Control tokens of all chat models here; `<|im_end|>` ends a turn."""

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


# --- vocabularies: each function writes one, tokens in the order of their ids ---------------------------------------


def gb2312(level: int = 1) -> list[str]:
    """The Chinese characters of GB 2312: level 1 has 3,755 common ones, level 2 another 3,008."""
    first, last = {1: (0xB0, 0xD7), 2: (0xD8, 0xF7)}[level]
    codes = (bytes((high, low)) for high in range(first, last + 1) for low in range(0xA1, 0xFF))
    return [code.decode("gb2312") for code in codes if code[0] != 0xD7 or code[1] <= 0xF9]


def _punctuation() -> list[str]:
    """The punctuation row of GB 2312 and its full-width forms."""
    codes = (bytes((high, low)) for high in (0xA1, 0xA3) for low in range(0xA1, 0xFF))
    return [code.decode("gb2312") for code in codes if code != b"\xa1\xa1"]


def character_tokens() -> list[tuple[str, TokenType]]:
    """Unknown, the control tokens, 256 bytes, then single characters."""
    characters = ["▁", *map(chr, range(0x21, 0x7F)), "\n", "·", "—", *_punctuation(), *gb2312(1)]
    listed = [("<unk>", TokenType.UNKNOWN), *((name, TokenType.CONTROL) for name in SPECIALS)]
    listed += [(f"<0x{value:02X}>", TokenType.BYTE) for value in range(256)]
    listed += [(character, TokenType.NORMAL) for character in dict.fromkeys(characters)]
    spare = -len(listed) % 32
    return listed + [(f"<|spare_{number}|>", TokenType.UNUSED) for number in range(spare)]


def characters(writer: gguf.GGUFWriter, template: str | None) -> int:
    """A SentencePiece vocabulary of single characters; returns its size."""
    listed = character_tokens()
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([name for name, _ in listed])
    writer.add_token_scores(
        [0.0 if kind is not TokenType.NORMAL else -float(i) for i, (_, kind) in enumerate(listed)]
    )
    writer.add_token_types([kind for _, kind in listed])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(3)
    writer.add_eot_token_id(3)
    writer.add_add_bos_token(False)
    writer.add_add_eos_token(False)
    writer.add_add_space_prefix(False)
    if template is not None:
        writer.add_chat_template(template)
    writer.add_vocab_size(len(listed))
    return len(listed)


def speaking(rng: np.random.Generator, vocabulary: int, width: int, ends: float) -> np.ndarray:
    """Output rows: characters are likely, the end of a turn is `ends` times as extreme, the rest is never said."""
    scale = np.array([kind is TokenType.NORMAL for _, kind in character_tokens()], dtype=np.float32)
    scale[SPECIALS.index("<|im_end|>") + 1] = ends
    rows = rng.normal(0.0, 3 * width**-0.5, (vocabulary, width)).astype(np.float32)
    return rows * scale[:, None]


def word_pieces(writer: gguf.GGUFWriter) -> int:
    """A WordPiece vocabulary; word starts carry the mark that GGUF files use for them."""
    letters = [chr(code) for code in (*range(0x21, 0x41), *range(0x5B, 0x7F))]
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    characters = dict.fromkeys([*letters, *_punctuation(), *gb2312(1)])
    tokens = [*specials, *(f"▁{character}" for character in characters), *letters]
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types([TokenType.CONTROL if i < len(specials) else TokenType.NORMAL for i in range(len(tokens))])
    writer.add_token_type_count(2)
    writer.add_pad_token_id(0)
    writer.add_unk_token_id(1)
    writer.add_bos_token_id(2)
    writer.add_eos_token_id(3)
    writer.add_sep_token_id(3)
    writer.add_mask_token_id(4)
    writer.add_vocab_size(len(tokens))
    return len(tokens)


def _visible_bytes() -> dict[int, str]:
    """Byte -> the printable character that stands for it in byte-level vocabularies (those of GPT-2 and its
    heirs)."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [value for value in range(256) if value not in set(plain)]
    return {value: chr(value) for value in plain} | {value: chr(256 + i) for i, value in enumerate(hidden)}


def byte_pair_words(size: int) -> tuple[list[str], list[str]]:
    """Byte-level tokens and merges: bytes, characters of GB 2312, then common words of the dictionary of jieba.

    A token is the concatenation of the two parts of its merge, and both parts are tokens before it.
    """
    shown = _visible_bytes()
    order = [*range(0x21, 0x7F), *(value for value in range(256) if not 0x21 <= value < 0x7F)]
    tokens = dict.fromkeys(shown[value] for value in order)
    merges: list[str] = []

    def learn(left: str, right: str) -> None:
        if left + right not in tokens:
            tokens[left + right] = None
            merges.append(f"{left} {right}")

    def spell(text: str) -> str:
        return "".join(shown[value] for value in text.encode())

    for character in (*_punctuation(), *gb2312(1), *gb2312(2)):
        spelled = spell(character)
        for end in range(2, len(spelled) + 1):
            learn(spelled[: end - 1], spelled[end - 1])
    for left, right in _splits():
        if len(tokens) >= size - len(SPECIALS):
            break
        if spell(left) in tokens and spell(right) in tokens:
            learn(spell(left), spell(right))
    return list(tokens), merges


def _splits() -> Iterator[tuple[str, str]]:
    """Each word of the dictionary, shortest first and common before rare, as two shorter parts."""
    import jieba

    lines = Path(jieba.__file__).with_name("dict.txt").read_text(encoding="utf-8").splitlines()
    counted = [(line.split(" ")[0], int(line.split(" ")[1])) for line in lines]
    words = sorted((word for word in counted if len(word[0]) > 1), key=lambda word: (len(word[0]), -word[1], word[0]))
    for word, _ in words:
        for cut in sorted(range(1, len(word)), key=lambda at: (abs(2 * at - len(word)), at)):
            yield word[:cut], word[cut:]


def byte_pairs(writer: gguf.GGUFWriter, tokens: list[str], merges: list[str], template: str | None) -> None:
    listed = [*tokens, *SPECIALS]
    listed += [f"[PAD{number}]" for number in range(len(listed), 151_936)]
    kinds = [TokenType.NORMAL] * len(tokens) + [TokenType.CONTROL] * len(SPECIALS)
    kinds += [TokenType.UNUSED] * (len(listed) - len(kinds))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(listed)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_bos_token_id(len(tokens))
    writer.add_eos_token_id(len(tokens) + 2)
    writer.add_add_bos_token(False)
    if template is not None:
        writer.add_chat_template(template)
    writer.add_vocab_size(len(listed))
