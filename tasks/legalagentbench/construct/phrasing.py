"""Questions as people put them: who asks and why, then the core question, with wording drawn without repetition."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from random import Random


class Phrasing:
    """Openers by topic. An opener is used again only when its topic has no fresh one left."""

    def __init__(self, text: str, rng: Random) -> None:
        self._openers: dict[str, list[str]] = tomllib.loads(text)["opener"]
        self._rng = rng
        self._left: dict[str, list[str]] = {}

    def question(self, topic: str, core: str, bindings: Mapping[str, object]) -> str:
        """A whole question; `core` may stand alone when it starts with a dash sign ^."""
        if core.startswith("^"):
            return core[1:].format(**bindings)
        return f"{self._opener(topic)}{core.format(**bindings)}"

    def _opener(self, topic: str) -> str:
        if not self._left.get(topic):
            fresh = list(self._openers[topic])
            self._rng.shuffle(fresh)
            self._left[topic] = fresh
        return self._left[topic].pop()
