"""Errors of this package beside `EngineError`: an engine that cannot be had at all."""

from __future__ import annotations

from store.errors import BadParameter, MootError


class BadEngine(MootError):
    """A SPEC names no engine, or its file is not what it should be."""

    exit_code = 2


class BadEngineSetting(BadEngine, BadParameter):
    """A setting behind the '#' of a SPEC that its engine does not have, or no value of it."""


def chat_model(name: str) -> BadEngine:
    """The refusal of a model for vectors that was made to talk."""
    return BadEngine(
        f"'{name}' is a chat model, its vectors say little of meaning", "Name an embedding model, or add --force."
    )


class ForeignHost(BadEngine):
    """A SPEC leads beyond this machine, to a host that nobody allowed; nothing was sent to it."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"endpoint host {host} is not this machine, and nobody allowed it",
            f"Allow it once with --allow-host {host}, or for good with `moot config hosts allow {host}`.",
        )
        self.host = host
