"""Writes trained weights as a GGUF file: a llama with a SentencePiece vocabulary and its chat template.

The same weights give the same bytes.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import GGMLQuantizationType, TokenType
from network import EPSILON, Shape, begin, still
from vocabulary import CONTROL, END, TEMPLATE, Vocabulary, vocabulary

NAME = "moot-tiny"
KINDS = {
    "control": TokenType.CONTROL, "byte": TokenType.BYTE, "character": TokenType.NORMAL,
    "word": TokenType.USER_DEFINED,
    "unused": TokenType.UNUSED,
}  # fmt: skip
TENSORS = {
    "norm1": "attn_norm", "norm2": "ffn_norm", "q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output",
    "gate": "ffn_gate", "up": "ffn_up", "down": "ffn_down",
}  # fmt: skip
"""Ours -> llama's, in each layer."""


def write(path: Path, weights: dict[str, Any], shape: Shape, words: Vocabulary, kind: str = "Q8_0") -> str:
    """Write the file; gives its sha256. kind: Q8_0, Q4_0 or F32."""
    part = path.with_name(f"{path.name}.part")
    writer = gguf.GGUFWriter(str(part), "llama")
    writer.add_name(NAME)
    writer.add_description("Trained by packaging/train on fictional jurisdictions (虚构数据); for demonstration only")
    file_type = gguf.LlamaFileType["ALL_F32" if kind == "F32" else f"MOSTLY_{kind}"]
    writer.add_file_type(file_type)
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.feed)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.heads)
    writer.add_rope_freq_base(shape.base)
    writer.add_rope_dimension_count(shape.head)
    writer.add_layer_norm_rms_eps(EPSILON)
    _vocabulary(writer, words)
    quantised = GGMLQuantizationType[kind]

    def add(name: str, value: Any) -> None:
        numbers = np.ascontiguousarray(value, np.float32)
        if numbers.ndim == 1 or kind == "F32":
            writer.add_tensor(f"{name}.weight", numbers)
        else:
            writer.add_tensor(f"{name}.weight", gguf.quants.quantize(numbers, quantised), raw_dtype=quantised)

    add("token_embd", weights["embedding"])
    for layer in range(shape.layers):
        for ours, theirs in TENSORS.items():
            add(f"blk.{layer}.{theirs}", weights[ours][layer])
    add("output_norm", weights["last"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    os.replace(part, path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _vocabulary(writer: gguf.GGUFWriter, words: Vocabulary) -> None:
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([text for text, _ in words.tokens])
    writer.add_token_scores([0.0] * len(words))
    writer.add_token_types([TokenType.UNKNOWN if text == "<unk>" else KINDS[kind] for text, kind in words.tokens])
    writer.add_unk_token_id(CONTROL.index("<unk>"))
    writer.add_bos_token_id(CONTROL.index("<|system|>"))
    writer.add_eos_token_id(END)
    writer.add_eot_token_id(END)
    writer.add_add_bos_token(False)
    writer.add_add_eos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)
    writer.add_vocab_size(len(words))


def trained(folder: Path, shape: Shape | None = None) -> tuple[dict[str, Any], Shape, Vocabulary, dict[str, float]]:
    """Weights, shape, vocabulary and progress of a training folder."""
    from train import load

    words = vocabulary(folder / "vocabulary.json")
    shape = shape or Shape(len(words))
    weights = begin(shape, 0)
    weights, _, done = load(folder / "checkpoint.npz", weights, still(weights))
    return {name: np.asarray(value) for name, value in weights.items()}, shape, words, done
