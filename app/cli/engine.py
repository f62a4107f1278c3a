"""The hidden command `moot _engine`: the child process that holds a model. The network guard comes first."""

from __future__ import annotations

from app.guard import install_guard, prove


def run() -> int:
    """Serve the parent over this process's own pipes."""
    install_guard()
    from models.llama.child import main

    return main(lambda: str(prove() or ""))
