"""The circumstances of sentencing that a court finds, from what was said and shown: each with its articles.

A circumstance is found where the prosecution grants it, or where the defence claims it and something shown in court
bears it out. Articles of interpretations that are cited beside that of the charge are data (law.toml).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from store.tables import beside
from tasks.courts.agents.citing import CRIMINAL_PROCEDURE, Cited, cite
from tasks.courts.agents.criminal.case import Case, charged_facts
from tasks.courts.agents.trial.agenda import filled
from tasks.legalsearch.charges import canonical

_NOT = re.compile(r"(?:不|未|没有|并非|无|不能)[^，。；]{0,6}$")


@dataclass(frozen=True, slots=True)
class Circumstance:
    """One that is found, in the words of a judgment."""

    id: str
    text: str
    articles: tuple[Cited, ...] = ()


def words() -> Mapping[str, Any]:
    """The table of circumstances and phrases."""
    return beside(__package__, "judgment")


@cache
def _cue(name: str) -> re.Pattern[str]:
    return re.compile(words()["cues"][name])


class Circumstances:
    """What weighs for and against the accused."""

    def __init__(self, case: Case) -> None:
        self.case, self.name, self.facts = case, case.name, charged_facts(case)
        self.accusing = self.facts + "\n" + case.answers("procurator", "indictment", "opinion")
        self.defending = case.answers("defence_lawyer", "opinion", "mutual")
        self.told = case.answers("defendant", "question", "statement", "self_defence", "last")
        self.shown = "\n".join(one.offer.words for one in case.exhibits) + "\n" + case.answers("procurator", "detail")
        self.own = "".join(one.offer.words for one in case.exhibits if one.owner != "procurator")

    @cached_property
    def found(self) -> tuple[Circumstance, ...]:
        """All of them, in the order in which a judgment speaks of them."""
        made = (self._roles, self._surrender, self._plea, self._table, self._payment)
        return tuple(one for each in made for one in each())

    def has(self, identity: str) -> bool:
        """Whether a circumstance is found."""
        return any(one.id == identity for one in self.found)

    def _made(self, key: str, *articles: Cited, how: str = "") -> Circumstance:
        return Circumstance(key, filled(words()["reason"][key], {"name": self.name, "how": how}), articles)

    @staticmethod
    def _says(text: str, pattern: str) -> bool:
        """Whether a text says something without taking it back in the same clause."""
        return any(not _NOT.search(text[: match.start()]) for match in re.finditer(pattern, text))

    def _roles(self) -> Iterator[Circumstance]:
        """刑法第二十五条至第二十七条."""
        if _cue("joint").search(self.facts):
            part = next(
                (key for key in ("accessory", "principal") if self._says(self.accusing, words()["cues"][key])), ""
            )
            place = {"accessory": ("27",), "principal": ("26.1", "26.4")}.get(part, ())
            yield self._made(part or "joint", cite("25.1"), *map(cite, place))

    @cached_property
    def candid(self) -> bool:
        """Whether the accused told of the crime before the trial, or admits it now."""
        told = self.case.admits or bool(_cue("candid").search(self.accusing))
        return told and not _cue("untrue").search(self.accusing)

    @cached_property
    def signed(self) -> bool:
        """Whether the accused has confirmed in court that he signed the 具结书 of his own will."""
        told = self.case.answers("defendant", "signed")
        return bool(re.search(r"自愿|签了|是我签|属实|真实", told)) and not re.search(
            r"没有?签|未签|不是自愿|被逼|不真实", told
        )

    def _surrender(self) -> Iterator[Circumstance]:
        """刑法第六十七条: 自首, 坦白."""
        claimed = self._says(self.defending + self.told, "自首")
        granted = self._says(self.accusing, "(?:系|构成|具有|属于|有)自首")
        told = self.facts + self.shown + (self.accusing if claimed else "")
        came = any(not _cue("others").search(told[: match.start()]) for match in _cue("came").finditer(told))
        if granted or (came and self.candid and (claimed or not _cue("caught").search(self.facts))):
            yield self._made("surrender", cite("67.1"), interpretation("自首 1")[0])
        elif self.candid:
            yield self._made("confession", cite("67.3"))

    def _plea(self) -> Iterator[Circumstance]:
        """刑事诉讼法第十五条."""
        if self.signed and self.case.admits:
            yield self._made("plea", cite("15", CRIMINAL_PROCEDURE))
        elif self.case.admits and not self.candid:
            yield self._made("plea_court")

    def _payment(self) -> Iterator[Circumstance]:
        """赔偿, 退赃, 谅解."""
        told = _cue("unpaid").sub("", self.facts + self.own)
        if paid := _cue("paid").search(told):
            yield self._made("paid", how=paid[0])

    def _table(self) -> Iterator[Circumstance]:
        for row in words()["circumstances"]:
            cue, sure = (row.get(key, "(?!)") for key in ("cue", "sure"))
            shown = re.search(cue, self.shown + self.facts) and self._says(self.defending, row["said"])
            if shown or re.search(sure, self.facts + self.shown) or self._says(self.accusing, row["said"]):
                laws = tuple(cite(place) for place in row.get("law", ()))
                yield Circumstance(row["id"], filled(row["text"], {"name": self.name}), laws)


def table() -> Mapping[str, Any]:
    """interpretations: key -> title; see: charge -> entries."""
    return beside(__package__, "law")


def interpretations(charge: str) -> list[tuple[Cited, str]]:
    """The interpretations on a charge, each with the words of the facts on which it is cited; '' for always."""
    return [interpretation(entry) for entry in table()["see"].get(canonical(charge), ())]


def interpretation(entry: str) -> tuple[Cited, str]:
    """An entry of the table: 盗窃 3.4 扒窃."""
    key, place, cue = (*entry.split(), "")[:3]
    return cite(place, table()["interpretations"][key]), cue
