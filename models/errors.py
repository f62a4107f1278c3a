"""Errors of this room beside `EngineError`: an engine that cannot be had at all."""

from __future__ import annotations


class BadEngine(Exception):
    """A SPEC names no engine, or its file is not what it should be."""

    exit_code = 2

    def __init__(self, title: str, hint: str = "") -> None:
        super().__init__(f"{title}. {hint}" if hint else title)
        self.title = title
        self.hint = hint
