"""Vocabulary of the model in the box: single characters, and whole strings for what stands in every call.

The characters (`characters.txt`) are those of the rows and wordings that the shipped model learnt from and 250 others
of GB 2312, so that names of other jurisdictions can be written. The vocabulary is of the SentencePiece kind in a GGUF
file ("llama", all scores 0). Whole strings are USER_DEFINED tokens: llama.cpp cuts a text at them first, the longest
in bytes before the others; `encode` does the same. Two of equal length that overlap would be a toss-up, so a test
compares both tokenisers. Turns begin and end with control tokens, none crosses a turn.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from models.engine import Message
from store.schema import TABLES
from tasks.agents.prompts import COMPACT as WORDS
from tasks.agents.prompts import fill, phrase
from tasks.legalagentbench.agents.methods import COMPACT
from tasks.legalagentbench.tools import NO_DATA, TOOLS

SEED = 19
CONTROL = ("<unk>", "<|system|>", "<|user|>", "<|assistant|>", "</s>")
END = CONTROL.index("</s>")
TEMPLATE = (
    "{%- for message in messages -%}<|{{ message.role }}|>{{ message.content }}"
    "{%- if message.role == 'assistant' -%}</s>{%- endif -%}{%- endfor -%}"
    "{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}"
)
NOT_FOUND = "未查到相关记录。"
_FRAMES = (
    '{"action": "', '", "action_input": {"identifier": "', '", "action_input": {"prov": "', '", "city": "',
    '", "county": "',
    '", "columns": ["', '", "', '"]}}', '"}}', '{"action": "Final Answer", "action_input": "', '。"}', '"}',
    "经查询，", NOT_FOUND,
    "{'", "': '", "', '", "'}", "[{'", "'}]", "'}, {'", "': ", ", '", "问题：", "观察：", NO_DATA, "股份有限公司",
    "有限公司", "有限责任公司",
    "人民法院", "律师事务所", "中级", "高级", "请问", "公司", "案件", "法院", "企业", "什么", "多少", "哪些", "省",
    "市", "分别", "登记", "地址",
    "日期", "上市公司", "限制高消费", "终结本次执行", "失信", "行政处罚", "保留两位小数", ".example",
)  # fmt: skip


def _words() -> list[str]:
    """The whole strings, without repetition."""
    columns = (column for columns in TABLES.values() for column in columns)
    given = (*_FRAMES, *TOOLS, *columns, fill(COMPACT), phrase("hint", "no_data", words=WORDS))
    return [word for word in dict.fromkeys(given) if len(word) > 1]


class Vocabulary:
    """Tokens in the order of their ids, and the tokeniser."""

    def __init__(self, tokens: Sequence[tuple[str, str]]) -> None:
        self.tokens = list(tokens)
        self._ids = {text: number for number, (text, _) in enumerate(self.tokens)}
        self._words = sorted((t for t, kind in self.tokens if kind == "word"), key=lambda t: -len(t.encode()))

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def letters(self) -> list[str]:
        """The Chinese characters that are tokens."""
        return [text for text, kind in self.tokens if kind == "character" and "\u4e00" <= text <= "\u9fff"]

    def encode(self, text: str) -> list[int]:
        """Token ids of a content."""
        found: list[int] = []
        self._cut(text, 0, found)
        return found

    def _cut(self, text: str, first: int, found: list[int]) -> None:
        for number in range(first, len(self._words)):
            word = self._words[number]
            if word in text:
                for at, part in enumerate(text.split(word)):
                    if at:
                        found.append(self._ids[word])
                    if part:
                        self._cut(part, number + 1, found)
                return
        for character in text:
            known = self._ids.get("▁" if character == " " else character)
            found += [known] if known is not None else [len(CONTROL) + byte for byte in character.encode()]

    def turns(self, messages: Sequence[Message]) -> tuple[list[int], list[bool]]:
        """Token ids of a conversation as the template puts it, and which of them the assistant says."""
        ids: list[int] = []
        own: list[bool] = []
        for message in messages:
            said = self.encode(message.content) + ([END] if message.role == "assistant" else [])
            ids += [self._ids[f"<|{message.role}|>"], *said]
            own += [False, *[message.role == "assistant"] * len(said)]
        return ids, own


def letters_of(model: Path) -> list[str]:
    """The Chinese characters that are tokens of a GGUF file."""
    import gguf

    field = gguf.GGUFReader(model).fields["tokenizer.ggml.tokens"]
    texts = (bytes(field.parts[at]).decode() for at in field.data)
    return [text for text in texts if len(text) == 1 and "\u4e00" <= text <= "\u9fff"]


def vocabulary(kept: Path | None = None) -> Vocabulary:
    """The vocabulary: control tokens, 256 bytes, characters, whole strings; from a file where it is kept in one."""
    if kept is not None and kept.exists():
        return Vocabulary([(text, kind) for text, kind in json.loads(kept.read_text(encoding="utf-8"))])
    own = Path(__file__).with_name("characters.txt").read_text(encoding="utf-8")
    letters = {*own, *map(chr, range(0x21, 0x7F))}
    listed = [(name, "control") for name in CONTROL]
    listed += [(f"<0x{value:02X}>", "byte") for value in range(256)]
    listed += [(c, "character") for c in ["▁", *sorted(letters)]]
    listed += [(word, "word") for word in sorted(_words())]
    listed += [(f"<|spare_{n}|>", "unused") for n in range(-len(listed) % 32)]
    if kept is not None:
        kept.write_text(json.dumps(listed, ensure_ascii=False), encoding="utf-8")
    return Vocabulary(listed)
