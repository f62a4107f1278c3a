"""From messages to the token ids of a prompt. Special tokens live in the frame of the template and nowhere else.

Turns that the engine itself spoke are put in as the very tokens it generated, never tokenised again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import groupby

from models.engine import Message, Tool
from models.llama.native import Model
from models.llama.sequences import Run
from models.llama.template import ChatTemplate, Piece

OwnTurn = Callable[[str], tuple[list[int], str]]
"""Text of an assistant message -> (the generated tokens, the text that they leave over)."""


class Prompter:
    """Makes prompts for one model and its template."""

    def __init__(self, model: Model, template: ChatTemplate, specials: Collection[str]) -> None:
        self._model = model
        self._template = template
        longest_first = sorted(specials, key=len, reverse=True)
        self._special = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def runs(
        self, messages: Sequence[Message], *, thinking: bool, own: OwnTurn, tools: Sequence[Tool] = ()
    ) -> tuple[list[Run], str]:
        """The prompt as stretches of tokens, and the text of its last frame (it may open a reasoning block)."""
        pieces = self._template.pieces(messages, thinking=thinking, tools=tools)
        runs: list[Run] = []
        waiting: list[Piece] = []
        for piece in pieces:
            at = piece.message
            spoken: list[int] = []
            rest = piece.text
            if piece.kind == "content" and at is not None and messages[at].role == "assistant":
                spoken, rest = own(piece.text)
            if not spoken:
                waiting.append(piece)
                continue
            self._flush(waiting, runs)
            runs.append(Run(tuple(spoken), spoken=True))
            waiting = [Piece(rest, "content", at)] if rest else []
        self._flush(waiting, runs)
        if self._model.adds_bos and not (runs and runs[0].tokens and runs[0].tokens[0] == self._model.bos):
            first = runs.pop(0) if runs and not runs[0].spoken else Run(())
            runs.insert(0, Run((self._model.bos, *first.tokens)))
        return runs, pieces[-1].text if pieces and pieces[-1].kind == "frame" else ""

    def _flush(self, pieces: list[Piece], runs: list[Run]) -> None:
        """Tokenise a stretch of text: as a whole where no content looks like a special token, else piece by piece."""
        joined = "".join(piece.text for piece in pieces)
        tokens: list[int] = []
        if self._specials_in(joined) == sum(self._specials_in(p.text) for p in pieces if p.kind == "frame"):
            tokens = self._model.tokenize(joined, special=True)
        else:
            for kind, group in groupby(pieces, key=lambda piece: piece.kind):
                text = "".join(piece.text for piece in group)
                tokens += self._model.tokenize(text, special=kind == "frame")
        if tokens:
            runs.append(Run(tuple(tokens)))
        pieces.clear()

    def _specials_in(self, text: str) -> int:
        return len(self._special.findall(text)) if self._special else 0
