"""Chat templates: from messages to the text a model was trained on, with every content known to be content.

`ChatTemplate.pieces` gives the rendering in pieces: frames, where special tokens are live, and contents, which are plain
text whatever they hold. Contents are followed through the template as `Traced` strings, so trims, splits and tests of a
template do what they do for its makers. A model file without a template gets ChatML.

Where a template does not take a conversation (it raises, or silently leaves out what a system, a tool or a user said),
the conversation is put differently, in this order: tool messages as user messages; the system text in front of the next
user message; both; and neighbours of one role as one message. What none of these mends is tried with an empty list of tools,
which some templates want to go through, and is then an `EngineError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Any, Literal

from jinja2.exceptions import UndefinedError

from models.engine import EngineError, Message
from models.llama.sandbox import Sandbox
from models.llama.traced import TooMuch, Traced, joined, metered, runs_of

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
LONGEST_SOURCE = 1 << 17
"""Characters of a template; those of published models have up to 30,000."""
FIXED_DAY = date(2025, 1, 1)
"""The day told to a template that insists on one when none is given: a prompt must not change overnight."""
_BETWEEN = "\n\n"
_MUST_APPEAR = ("system", "user", "tool")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the rendering. `message` is the index of the message a content came from, None for a frame."""

    text: str
    kind: Kind
    message: int | None = None


@dataclass(frozen=True, slots=True)
class _Turn:
    role: str
    content: str


class ChatTemplate:
    """A compiled chat template. `name` is "file" or "chatml", `digest` the sha256 of its source `text`.

    `bos` and `eos` are the texts of those tokens, `specials` the texts of all special tokens (for `marked`), `day` what a
    template is told of today. Raises EngineError if the source is no template.
    """

    def __init__(
        self, source: str | None, bos: str, eos: str, specials: Collection[str] = (), day: date | None = None
    ) -> None:
        self.name = "chatml" if source is None else "file"
        self.text = CHATML if source is None else source
        self.digest = sha256(self.text.encode("utf-8", "replace")).hexdigest()
        self.specials = frozenset(specials)
        self._day = day
        self._tokens = {"bos_token": bos, "eos_token": eos}
        if len(self.text) > LONGEST_SOURCE:
            raise EngineError(f"the chat template has {len(self.text)} characters, at most {LONGEST_SOURCE} are read")
        try:
            with metered():
                self._template = Sandbox().metered_template(self.text)
        except (Exception, RecursionError, MemoryError) as error:
            raise EngineError(f"the chat template cannot be read: {_sentence(error)}") from error

    def pieces(self, messages: Sequence[Message], *, thinking: bool, generate: bool = True) -> list[Piece]:
        """The rendering of a conversation, in order; `generate` adds the opening of the model's turn.

        `thinking` is passed on as `enable_thinking` and `thinking`; templates without a thinking mode ignore it.
        """
        turns = [_Turn(message.role, Traced.content(message.content, at)) for at, message in enumerate(messages)]
        first: Exception | None = None
        for mended, tools in _ways(turns):
            try:
                text = self._render(
                    mended, {"enable_thinking": thinking, "thinking": thinking, "tools": tools}, generate
                )
                _check_all_there(messages, text)
            except TooMuch as error:
                raise EngineError(f"the chat template was stopped: {_sentence(error)}") from error
            except (Exception, RecursionError, MemoryError) as error:
                first = first or error
                continue
            return _pieces(text)
        assert first is not None
        raise EngineError(f"the chat template does not take this conversation: {_sentence(first)}") from first

    def _render(self, turns: Sequence[_Turn], given: Mapping[str, Any], generate: bool) -> str:
        values = {
            "messages": [{"role": turn.role, "content": turn.content} for turn in turns],
            "add_generation_prompt": generate,
            "documents": None,
            **self._tokens,
            **given,
        }
        with metered(sum(len(turn.content) for turn in turns), len(turns)):
            if self._day is not None:
                return str(self._template.render(values, strftime_now=_clock(self._day)))
            try:
                return str(self._template.render(values))
            except UndefinedError as error:
                if "strftime_now" not in str(error):
                    raise
                return str(self._template.render(values, strftime_now=_clock(FIXED_DAY)))


def complaint(source: str | None) -> str:
    """Why a file's template cannot be used, in one sentence; '' when it takes an ordinary conversation."""
    conversation = (Message("system", "甲"), Message("user", "乙"), Message("assistant", "丙"), Message("user", "丁"))
    try:
        ChatTemplate(source, "<s>", "</s>").pieces(conversation, thinking=True)
    except EngineError as error:
        return error.title
    return ""


def marked(pieces: Sequence[Piece], specials: Collection[str]) -> list[tuple[str, Mark]]:
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


def append_only(template: ChatTemplate) -> bool:
    """Whether a longer conversation always begins with the shorter one and the reply to it.

    Probed with four turns, thinking and not, and with replies that hold reasoning: a template that drops or adds a
    reasoning block, or puts instructions in front of the last message, rewrites history. Contents without blanks at
    their ends are used, because most templates trim.
    """
    for thinking in (True, False):
        for reply in ("答复{}。", "<think>\n思考{}。\n</think>\n\n答复{}。"):
            if not _grows(template, thinking, reply):
                return False
    return True


def _grows(template: ChatTemplate, thinking: bool, reply: str) -> bool:
    messages = [Message("system", "你是法官助理。")]
    expected = ""
    for turn in range(1, 5):
        messages.append(Message("user", f"问题{turn}。"))
        try:
            text = "".join(piece.text for piece in template.pieces(messages, thinking=thinking))
        except EngineError:
            return False
        if not text.startswith(expected):
            return False
        messages.append(Message("assistant", reply.format(turn, turn)))
        expected = text + messages[-1].content
    return True


def _pieces(text: str) -> list[Piece]:
    result: list[Piece] = []
    at = 0
    for length, message in runs_of(text):
        if length:
            kind: Kind = "frame" if message is None else "content"
            result.append(Piece(str.__getitem__(text, slice(at, at + length)), kind, message))
        at += length
    return result


class _LeftOut(Exception):
    """The template rendered, but somebody's words are missing."""


def _check_all_there(messages: Sequence[Message], text: str) -> None:
    there = {message for _, message in runs_of(text)}
    for at, message in enumerate(messages):
        if message.role in _MUST_APPEAR and at not in there and message.content.strip():
            raise _LeftOut(f"it leaves out message {at + 1}, of the {message.role}")


def _ways(turns: list[_Turn]) -> Iterator[tuple[list[_Turn], list[Any] | None]]:
    """All ways to put a conversation, with a list of tools or none, without repetition."""
    ways: list[list[_Turn]] = []
    for mend in _MENDS:
        if (mended := mend(turns)) not in ways:
            ways.append(mended)
    yield from ((way, None) for way in ways)
    yield from ((way, []) for way in ways)


def _tools_as_user(turns: list[_Turn]) -> list[_Turn]:
    return [_Turn("user", turn.content) if turn.role == "tool" else turn for turn in turns]


def _system_in_user(turns: list[_Turn]) -> list[_Turn]:
    """System text in front of the next user message; at the end of a conversation it becomes one."""
    result: list[_Turn] = []
    waiting: list[str] = []
    for turn in turns:
        if turn.role == "system":
            waiting.append(turn.content)
        elif turn.role == "user" and waiting:
            result.append(_Turn("user", _together([*waiting, turn.content])))
            waiting = []
        else:
            result.append(turn)
    return [*result, _Turn("user", _together(waiting))] if waiting else result


def _neighbours_as_one(turns: list[_Turn]) -> list[_Turn]:
    result: list[_Turn] = []
    for turn in turns:
        if result and result[-1].role == turn.role:
            result[-1] = _Turn(turn.role, _together([result[-1].content, turn.content]))
        else:
            result.append(turn)
    return result


def _together(texts: Sequence[str]) -> str:
    """Several contents as one; the gap belongs to the one before it."""
    parts: list[str] = []
    for text in texts:
        if parts:
            parts.append(Traced(_BETWEEN, ((len(_BETWEEN), runs_of(parts[-1])[-1][1]),)) if parts[-1] else "")
        parts.append(text)
    return joined(parts)


_MENDS: tuple[Callable[[list[_Turn]], list[_Turn]], ...] = (
    lambda turns: turns,
    _tools_as_user,
    _system_in_user,
    lambda turns: _system_in_user(_tools_as_user(turns)),
    lambda turns: _neighbours_as_one(_system_in_user(_tools_as_user(turns))),
)


def _clock(day: date) -> Callable[[str], str]:
    def strftime_now(form: str) -> str:
        if len(form) > 100 or not re.fullmatch(r"(?:[^%]|%-?[A-Za-z%])*", form):
            raise ValueError("strftime_now with an odd format")
        return day.strftime(str(form))

    return strftime_now


def _sentence(error: BaseException) -> str:
    """What an error says, on one line of bounded length."""
    if isinstance(error, RecursionError):
        return "it calls itself without end"
    text = " ".join("".join(c if c.isprintable() else " " for c in str(error)).split())
    return f"{text[:200]}…" if len(text) > 200 else text or type(error).__name__
