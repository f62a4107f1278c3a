"""Vocabularies of the model files that tests write: single characters, word pieces, byte pairs. Made here, nothing
copied.

Each function writes a vocabulary into a file in the making; tokens are in the order of their ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gguf
import numpy as np
from gguf import TokenType

SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
"""Control tokens of all chat models here; `<|im_end|>` ends a turn."""


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
