"""Chat templates: from messages to the text a model was trained on, with every content known to be content.

`ChatTemplate.pieces` gives the rendering in pieces: frames, where special tokens are live, and contents, which are
plain text whatever they hold. A model file without a template gets ChatML. A template may hang or fill
the memory, so a worker renders it (`store.worker`, `rendering`), and one that needs too long costs an
`EngineError`.
"""

from __future__ import annotations

import atexit
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Literal

from models.calls import PROBE, form_of
from models.engine import EngineError, Message, ToolCall, ToolInfo, tools_data
from store.errors import StoreError
from store.worker import JobLimits, Worker

Kind = Literal["frame", "content"]
Mark = Literal["special", "frame", "content"]

CHATML = """\
{% for message in messages %}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}
{% if add_generation_prompt %}
<|im_start|>assistant
{% endif %}"""
"""For a model file without a template."""
_LIMITS = JobLimits(cpu=3, wall=60)
"""For an order. Honest templates take milliseconds, and 150 MB: 43 ms for four million characters."""
_worker = Worker()
atexit.register(_worker.close)
FROM_TOOLS = -1
"""What a rendering calls the message from which the text of tools comes (`rendering`, which needs jinja)."""


@dataclass(frozen=True, slots=True)
class RenderedPiece:
    """A stretch of the rendering. `message` is the index of the message a content came from, None for a frame and for
    what came from the tools."""

    text: str
    kind: Kind
    message: int | None = None


class ChatTemplate:
    """A compiled chat template. `name` is "file" or "chatml", `digest` the sha256 of its source `text`.

    `bos` and `eos` are the texts of those tokens, `specials` the texts of all special tokens (for
    `with_special_tokens`), `day` what a template is told of today. Raises EngineError if the source is no template.
    """

    def __init__(
        self, source: str | None, bos: str, eos: str, specials: Collection[str] = (), day: date | None = None
    ) -> None:
        self.name = "chatml" if source is None else "file"
        self.text = CHATML if source is None else source
        self.digest = sha256(self.text.encode("utf-8", "replace")).hexdigest()
        self.specials = frozenset(specials)
        self._order = {
            "source": self.text,
            "tokens": {"bos_token": bos, "eos_token": eos},
            "day": day.isoformat() if day is not None else None,
        }
        self._rendered([])

    def pieces(
        self, messages: Sequence[Message], *, thinking: bool, generate: bool = True, tools: Sequence[ToolInfo] = ()
    ) -> list[RenderedPiece]:
        """The rendering of a conversation, in order; `generate` adds the opening of the model's turn, `tools` are
        told.

        `thinking` is passed on as `enable_thinking` and `thinking`; templates without a thinking mode ignore it.
        """
        return self._rendered([(messages, thinking, generate)], tools)[0]

    def call_form(self) -> str:
        """The name of the form (`models.calls.FORMS`) in which this template has its model call tools.

        Raises:
            EngineError: the template does not take tools, or has its calls written in a form that is not known here.
        """
        made = ToolCall(PROBE.name, '{"text": "丙"}', "call00001")
        called = (Message("system", "甲"), Message("user", "乙"), Message("assistant", "", (made,)))
        whole = (*called, Message("tool", "丁", answers=made.id))
        wanted = [(called[:2], True, True), (called, True, False), (whole, True, True)]
        texts = ("".join(piece.text for piece in pieces) for pieces in self._rendered(wanted, (PROBE,)))
        opening, turn, _ = (text.rpartition("乙")[2] for text in texts)
        if form := form_of(turn, made, opening):
            return form
        raise EngineError("the chat template has calls of tools written in a form that is not known here")

    def _rendered(
        self, calls: Sequence[tuple[Sequence[Message], bool, bool]], tools: Sequence[ToolInfo] = ()
    ) -> list[list[RenderedPiece]]:
        orders = [
            {
                "messages": [(m.role, m.content, *m.carried()) for m in messages],
                "thinking": thinking,
                "generate": generate,
                "tools": tools_data(tools),
            }
            for messages, thinking, generate in calls
        ]
        order = {**self._order, "calls": orders}
        try:
            answer = _worker.run("models.llama.rendering:answer", order, label="the chat template", limits=_LIMITS)
        except StoreError as error:
            raise EngineError(error.title) from None
        if "failed" in answer:
            raise EngineError(answer["failed"])
        return [
            [
                RenderedPiece(
                    messages[at].content if text is None else text,
                    "frame" if at is None else "content",
                    None if at == FROM_TOOLS else at,
                )
                for text, at in stretches
            ]
            for (messages, _, _), stretches in zip(calls, answer["renderings"], strict=True)
        ]


def complaint(source: str | None) -> str:
    """Why a file's template cannot be used, in one sentence; '' when it takes an ordinary conversation."""
    conversation = (Message("system", "甲"), Message("user", "乙"), Message("assistant", "丙"), Message("user", "丁"))
    try:
        ChatTemplate(source, "<s>", "</s>").pieces(conversation, thinking=True)
    except EngineError as error:
        return error.title
    return ""


def with_special_tokens(pieces: Sequence[RenderedPiece], specials: Collection[str]) -> list[tuple[str, Mark]]:
    """The pieces with the special tokens of the frames on their own, for the raw prompt viewer."""
    names = sorted(filter(None, specials), key=len, reverse=True)
    if not names:
        return [(piece.text, piece.kind) for piece in pieces]
    pattern = re.compile("(" + "|".join(map(re.escape, names)) + ")")
    result: list[tuple[str, Mark]] = []
    for piece in pieces:
        if piece.kind == "content":
            result.append((piece.text, "content"))
            continue
        for at, part in enumerate(pattern.split(piece.text)):
            if part:
                result.append((part, "special" if at % 2 else "frame"))
    return result
