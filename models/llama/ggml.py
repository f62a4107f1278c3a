"""Tables of the GGUF format and of llama.cpp's model families: what a header may name, and what follows from it.

Facts of the format (its specification, version 3) and of the llama.cpp that Moot is built with. Sizes are bytes.
Nothing here computes; `header.py` and `memory.py` do.
"""

from __future__ import annotations

from typing import Literal

MAGIC = b"GGUF"
VERSIONS = (2, 3)

TEXT, ARRAY = 8, 9
NUMBERS: dict[int, tuple[str, int]] = {
    0: ("<B", 1), 1: ("<b", 1), 2: ("<H", 2), 3: ("<h", 2), 4: ("<I", 4), 5: ("<i", 4),
    6: ("<f", 4), 7: ("<?", 1), 10: ("<Q", 8), 11: ("<q", 8), 12: ("<d", 8),
}  # fmt: skip
"""Type of a metadata value -> how to unpack it, its size. Texts are 8 and arrays 9."""

TYPES: dict[int, tuple[str, int, int]] = {
    0: ("F32", 1, 4), 1: ("F16", 1, 2), 2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24), 8: ("Q8_0", 32, 34), 9: ("Q8_1", 32, 40), 10: ("Q2_K", 256, 84), 11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176), 14: ("Q6_K", 256, 210), 15: ("Q8_K", 256, 292),
    16: ("IQ2_XXS", 256, 66), 17: ("IQ2_XS", 256, 74), 18: ("IQ3_XXS", 256, 98), 19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18), 21: ("IQ3_S", 256, 110), 22: ("IQ2_S", 256, 82), 23: ("IQ4_XS", 256, 136),
    24: ("I8", 1, 1), 25: ("I16", 1, 2), 26: ("I32", 1, 4), 27: ("I64", 1, 8), 28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56), 30: ("BF16", 1, 2), 34: ("TQ1_0", 256, 54), 35: ("TQ2_0", 256, 66),
    39: ("MXFP4", 32, 17), 40: ("NVFP4", 64, 36), 41: ("Q1_0", 128, 18), 42: ("Q2_0", 64, 18),
}  # fmt: skip
"""Type of a tensor -> name, numbers in a block, bytes of a block."""
FILE_TYPES: dict[int, str] = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M",
    13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS",
    21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S",
    29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4", 39: "NVFP4",
    40: "Q1_0", 41: "Q2_0",
}  # fmt: skip
"""`general.file_type` -> the name that such a quantisation goes by."""

MISTAKEN: tuple[tuple[bytes, str], ...] = (
    (b"version https://git-lfs", "is a Git LFS pointer, not the model itself"),
    (b"tjgg", "is in the old GGML format"),
    (b"lmgg", "is in the old GGML format"),
    (b"fmgg", "is in the old GGML format"),
    (b"PK\x03\x04", "is a ZIP archive or a PyTorch file, not GGUF"),
    (b"\x1f\x8b", "is a gzip archive, not GGUF"),
    (b"7z\xbc\xaf", "is a 7z archive, not GGUF"),
    (b"Rar!", "is a RAR archive, not GGUF"),
    (b"\x80\x02", "is a Python pickle, not GGUF"),
    (b"%PDF", "is a PDF, not GGUF"),
    (b"<", "is a web page, not a model: the download went wrong"),
    (b"{", "is JSON text, not GGUF"),
)
"""First bytes of what is often mistaken for a GGUF -> what it is."""

UNFIT_KINDS: dict[str, str] = {
    "adapter": "is a LoRA adapter: it needs the model it was made for and does not run alone",
    "mmproj": "is the picture part of a multimodal model; Moot needs its language model",
    "imatrix": "is an importance matrix, a tool for quantising, not a model",
    "vocab": "holds a vocabulary and no weights",
}
"""`general.type` -> why such a file cannot be used."""
UNFIT_FAMILIES: dict[str, str] = {
    **dict.fromkeys(("clip",), UNFIT_KINDS["mmproj"]),
    **dict.fromkeys(("wavtokenizer-dec", "qwen3tts", "pockettts"), "is a speech model; Moot needs a language model"),
    **dict.fromkeys(("dream", "llada", "llada-moe", "rnd1"),
        "writes by diffusion, not word by word, which Moot cannot use"),
    **dict.fromkeys(("t5", "t5encoder"), "is an encoder-decoder model, which Moot cannot use"),
    **dict.fromkeys(("eagle3", "dflash", "gemma4-assistant"), "is a draft model: it only speeds another model up"),
}  # fmt: skip
"""Architecture -> why such a model cannot be used."""

ENCODERS = frozenset({
    "bert", "modern-bert", "nomic-bert", "nomic-bert-moe", "neo-bert", "jina-bert-v2", "jina-bert-v3", "eurobert",
    "gemma-embedding",
})  # fmt: skip
"""Embedding models that read a text at once and keep no memory of it."""
EMBEDDERS = ENCODERS | {"llama-embed"}

Rule = Literal["all", "no_heads", "no_heads_no_feed", "interval", "both"]
RECURRENT: dict[str, Rule] = {
    **dict.fromkeys(("mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"), "all"),
    **dict.fromkeys((
        "jamba", "plamo2", "granitehybrid", "lfm2", "lfm2moe", "kimi-linear", "kimi-k3", "bailingmoe3", "glm5-next",
    ), "no_heads"),
    **dict.fromkeys(("nemotron_h", "nemotron_h_moe"), "no_heads_no_feed"),
    **dict.fromkeys(("qwen3next", "qwen35", "qwen35moe", "qwen4exp", "minimax-01"), "interval"),
    **dict.fromkeys(("falcon-h1", "deepseek4"), "both"),
}  # fmt: skip
"""Families with a recurrent state, which cannot be rolled back to an earlier place -> which of their layers have it:
all; those without key-value heads; those with neither heads nor feed-forward; all but every n-th; all, beside
attention."""
RECURRENT_SIGNS = (".ssm.state_size", ".wkv.head_size", ".shortconv.l_cache", ".kda.head_dim")
"""Keys by which a recurrent family is known that is not in the table."""
