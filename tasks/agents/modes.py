"""Names of policies with their mode: "react/2" is lean, "react/2+free" and "react/2+paper" the other two."""

from __future__ import annotations

from typing import Literal

Mode = Literal["lean", "free", "paper"]
TURNS = 10
"""T of the paper (§5): steps of a method before the answer is asked for, unless a run sets its own."""


def named(policy: str, *, paper: bool = False, free: bool = False) -> str:
    """The name of a policy in a mode."""
    return f"{policy}+paper" if paper else f"{policy}+free" if free else policy


def split(name: str) -> tuple[str, Mode]:
    """Policy and mode of a name; a mode that does not exist is left in the name."""
    policy, plus, mode = name.partition("+")
    if mode == "paper":
        return policy, "paper"
    if mode == "free":
        return policy, "free"
    return policy + plus + mode, "lean"


def method(name: str) -> str:
    """The method of a policy, without version and mode: "react"."""
    return name.split("/")[0]
