"""Errors of this room: each is one clear sentence (what, where), a hint (what to do) and an exit code."""

from __future__ import annotations


class TaskError(Exception):
    """A run cannot start or go on."""

    exit_code = 1

    def __init__(self, title: str, hint: str = "") -> None:
        super().__init__(f"{title}. {hint}" if hint else title)
        self.title = title
        self.hint = hint


class UsageError(TaskError):
    """What was asked for has no meaning: an unknown task, agent, or pair of agent and engine."""

    exit_code = 2


class RecordMismatch(TaskError):
    """What is on disk differs from what the journal recorded: resume would mix two experiments."""
