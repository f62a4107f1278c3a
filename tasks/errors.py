"""Errors of runs and tasks."""

from __future__ import annotations

from store.errors import BadParameter, MootError


class TaskError(MootError):
    """A run cannot start or go on."""


class UsageError(TaskError):
    """What was asked for has no meaning: an unknown task, agent, or pair of agent and engine."""

    exit_code = 2


class BadSetting(UsageError, BadParameter):
    """A setting of a run that its benchmark does not have, or no value of it."""


class RecordMismatch(TaskError):
    """What is on disk differs from what the journal recorded: resume would mix two experiments."""
