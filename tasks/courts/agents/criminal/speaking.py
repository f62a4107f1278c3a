"""Who speaks in a criminal trial for one side: answers each kind of question from a table of its own, in the words of
its role."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from tasks.courts.agents.criminal.asking import Floor, acts_of, contested
from tasks.courts.agents.criminal.objections import grounds
from tasks.courts.agents.own_words import meeting, parts_of, unsaid
from tasks.courts.agents.quoting import gist
from tasks.courts.environment import Role


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

    def objected(self) -> list[str]:
        """What this side holds against exhibits of the other."""
        held = (grounds(item.get("objections", ())) for item in self.floor.others_exhibits)
        return parts_of(text for one in held for text in one.values())

    def proofs(self) -> list[str]:
        """What the own exhibits show."""
        shown = (item for item in self.floor.own_exhibits if str(item.get("purpose", "")).startswith("证明"))
        return [f"{item['title']}能够{item['purpose'].rstrip('。')}" for item in shown]

    def answered(self, other: Role, own: Sequence[str]) -> str:
        """What this side has against points that the other has made in debate; only where the charge is contested."""
        said: dict[str, str] = {"": ""}
        asked = False
        for turn in self.floor.view.record:
            if turn.speaker == "judge":
                asked = any(act.act in ("prosecution", "defence", "mutual") for act in acts_of(turn.text))
            elif asked:
                said[turn.speaker] = said.get(turn.speaker, "") + turn.text
        mine = said.get(self.floor.view.role, "")
        points = [one for one in parts_of([said.get(other, "")]) if gist(one) not in mine and "“" not in one]
        heard = " ".join(turn.text for turn in self.floor.view.record if turn.speaker == "defendant")
        if not contested(heard):
            return self.floor.say("mutual")
        told = [f"针对“{gist(point)}”的意见，{text}。" for point, text in meeting(points, unsaid(own, mine))]
        return self.floor.say("answered", points="".join(told)) if told else self.floor.say("mutual")

    @property
    def examined(self) -> bool:
        """Whether this role has put its questions to the accused."""
        return any("defendant" in turn.to for turn in self.floor.view.own)

    @property
    def may_examine(self) -> bool:
        """Whether it may put questions to the accused itself."""
        return self.floor.view.profile != "j1" and "defendant" in self.floor.view.there
