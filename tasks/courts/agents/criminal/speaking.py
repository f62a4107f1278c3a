"""Who speaks in a criminal trial for one side: answers each kind of question from a table of its own, in the words of
its role."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from tasks.courts.agents.criminal.asking import Floor


class Speaks:
    """One utterance. to: whom it addresses, where that is not the court."""

    _ANSWERS: ClassVar[Mapping[str, Callable[[Any], str]]] = {}
    """Kind of question -> what answers it; a phrase of the table for other kinds."""

    def __init__(self, floor: Floor) -> None:
        self.floor = floor
        self.to: tuple[str, ...] = ()
        self.plea: Mapping[str, Any] = floor.matter.get("plea", {})

    def answer(self, kind: str) -> str:
        """The answer to one kind of question."""
        made = self._ANSWERS.get(kind)
        return made(self) if made else self.floor.say(kind)

    def otherwise(self) -> str:
        """What is said where nothing known is asked."""
        return self.floor.say("unknown")

    @property
    def denies(self) -> bool:
        """Whether the accused contests the charge in whole or in part."""
        return self.plea.get("stance") in ("partial", "not_guilty")

    @property
    def examined(self) -> bool:
        """Whether this role has put its questions to the accused."""
        return any("defendant" in turn.to for turn in self.floor.view.own)

    @property
    def may_examine(self) -> bool:
        """Whether it may put questions to the accused itself."""
        return self.floor.view.profile != "j1" and "defendant" in self.floor.view.there
