"""Names of policies with their mode: "react/1" is lean, "react/1+free" and so on are the others.

A mode says how a model is asked: for JSON under a schema, with calls in the form that it was trained with, for JSON
in a conversation that tells of no tool (for models trained on it), with free text, or with the published calls.
"""

from __future__ import annotations

from typing import Literal, get_args

Mode = Literal["lean", "native", "compact", "free", "paper"]
MODES: tuple[Mode, ...] = get_args(Mode)
Calls = Literal["schema", "native", "compact", "free"]
"""What `--calls` says: how a model calls tools."""
CALLS: tuple[Calls, ...] = get_args(Calls)
TURNS = 10
"""T of the paper (§5): steps of a method before the answer is asked for, unless a run sets its own."""


def mode_of(calls: Calls, *, paper: bool) -> Mode:
    """The mode that the settings of a run mean."""
    return "paper" if paper else "lean" if calls == "schema" else calls


def named(policy: str, mode: Mode = "lean") -> str:
    """The name of a policy in a mode."""
    return policy if mode == "lean" else f"{policy}+{mode}"


def split(name: str) -> tuple[str, Mode]:
    """Policy and mode of a name; a mode that does not exist is left in the name."""
    policy, plus, said = name.partition("+")
    mode = next((mode for mode in MODES[1:] if mode == said), None)
    return (policy, mode) if mode else (policy + plus + said, "lean")


def beside(mode: Mode) -> Mode:
    """The mode of all that is no call of a tool (plans, answers): under a schema where calls are native or
    compact."""
    return "lean" if mode in ("native", "compact") else mode


def method(name: str) -> str:
    """The method of a policy, without version and mode: "react"."""
    return name.split("/")[0]
