"""Token ids of a local model, made as its child process makes them; llama.cpp is loaded on use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from models.engine import Message
from models.llama.engine import LlamaEngine
from models.llama.template import ChatTemplate

if TYPE_CHECKING:
    from models.llama.native import Model


@lru_cache(maxsize=4)
def _vocabulary(path: Path) -> Model:
    from models.llama import native

    native.start()
    return native.Model(str(path), lambda _: True, words_only=True)


def tokens_of(engine: LlamaEngine, messages: Sequence[Message], *, thinking: bool = True) -> list[int]:
    """The token ids of a prompt, as the model would get them."""
    from models.llama.serving import Prompter

    model = _vocabulary(engine.path)
    specials, ends = model.specials(), (model.name_of(model.bos), model.name_of(model.eos))
    prompter = Prompter(model, ChatTemplate(engine.header.template, *ends, specials), specials)
    segments, _ = prompter.runs(messages, thinking=thinking, own=lambda text: ([], text))
    return [token for segment in segments for token in segment.tokens]


def tokenize(engine: LlamaEngine, text: str) -> list[int]:
    """Token ids of plain text."""
    return _vocabulary(engine.path).tokenize(text, special=False)
