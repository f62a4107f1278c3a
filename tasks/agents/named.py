"""Policies by name: what a seat of a record or a run says becomes the policy that sits there, made once a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from tasks.agents.modes import split
from tasks.episode.seats import Policy
from tasks.errors import UsageError


def policies_by_name(
    modes: Callable[[str], Sequence[str]],
    models: Mapping[str, Callable[[str], Policy]],
    others: Mapping[str, Callable[[], Policy]],
) -> Callable[[str], Policy]:
    """A function from the name of a policy to the policy; `UsageError` for one of another release.

    Args:
        modes: the modes that a model policy knows, () for any other.
        models: policy without its mode -> what makes it, given the whole name.
        others: policy without a model -> what makes it.
    """

    @cache
    def named(name: str) -> Policy:
        if modes(name):
            return models[split(name)[0]](name)
        if name not in others:
            raise UsageError(
                f"this release has no policy {name}",
                "The run can be read and scored; to go on, fork it and seat somebody else with --seat agent=….",
            )
        return others[name]()

    return named
