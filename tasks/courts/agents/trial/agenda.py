"""The agenda of a hearing as data: who is asked what, in which order, in which words, and what is left out where
turns run out.

Each court has a table of steps (hearing.toml). A step has its place by procedure and profile, is open as long as its
condition holds and it was not answered, and is put twice at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from store.tables import beside
from store.text.numerals import int_to_chinese
from tasks.courts.agents.own_words import quotable
from tasks.courts.agents.trial.heard import Exhibit, Heard
from tasks.courts.procedure.tables import ProfileName

_T = TypeVar("_T")
FIELDS = ("id", "to", "kinds", "need", "procedure", "profile", "when", "once", "announces", "stage")


@dataclass(frozen=True, slots=True)
class Step:
    """One question of the hearing. to: whom it is put to; kinds: of question; words: form -> words of it.

    need: how badly it is needed; procedure, profile: where it has a place, everywhere without; when: name of a
    condition; once: put once; announces: what was not announced is announced before it; stage: that it opens.
    """

    id: str
    to: str
    kinds: tuple[str, ...]
    words: Mapping[str, str]
    need: str = ""
    procedure: str = ""
    profile: str = ""
    when: str = ""
    once: bool = False
    announces: bool = False
    stage: str = ""


@dataclass(frozen=True, slots=True)
class Due:
    """What is said next: a step, to whom, in which form of its words, on which exhibits."""

    step: Step
    to: tuple[str, ...] = ()
    form: str = "say"
    about: tuple[Exhibit, ...] = ()


@cache
def steps(package: str) -> tuple[Step, ...]:
    """All steps of a court in their order, by the package that holds its table."""
    return tuple(
        Step(
            **{key: value for key, value in entry.items() if key in FIELDS and key != "kinds"},
            kinds=tuple(entry.get("kinds", [entry["id"]])),
            words={key: text for key, text in entry.items() if key not in FIELDS},
        )
        for entry in beside(package, "hearing")["steps"]
    )


def placed(package: str, procedure: str, profile: ProfileName) -> Iterator[Step]:
    """The steps that have a place in a hearing; procedure: 普通, 简易 or 速裁."""
    for step in steps(package):
        if (not step.procedure or procedure in step.procedure) and step.profile in ("", profile):
            yield step


def spared(
    open_steps: Sequence[_T], left: int, last: Callable[[_T], int | None], cost: Callable[[_T], int] = lambda _: 1
) -> list[_T]:
    """The open steps without those for which there are no turns.

    Args:
        open_steps: in their order.
        left: turns.
        last: when a step is left out, the lowest first and the dearest, the latest first of these; None: never.
        cost: turns that it takes.
    """
    kept = list(open_steps)
    ranked = [(rank, cost(step), step) for step in reversed(kept) if (rank := last(step)) is not None]
    for _, _, step in sorted(ranked, key=lambda one: (one[0], -one[1])):
        if sum(map(cost, kept)) <= left:
            break
        kept.remove(step)
    return kept


def opening(heard: Heard, words: Mapping[str, str], **values: str) -> str:
    """That the court hears a case, in public, or why not. words: of its table; values: of the case, by field."""
    reason = quotable(heard.bench.get("closed_reason", ""), 60)
    form = "public" if heard.bench.get("public", True) else "closed" if reason else "closed_bare"
    return filled(words[form], {"court": heard.bench.get("name") or "本院", "reason": reason, **values})


def sitting(heard: Heard, words: Mapping[str, str]) -> str:
    """Who sits: a panel by name, a panel, or a judge alone; and who takes the record."""
    court = heard.bench
    members = "、".join(f"{one.get('title', '审判员')}{one.get('name', '')}" for one in court.get("panel", ()))
    form = "presides" if members else "panel" if heard.collegial else "sole"
    judge, clerk = (
        court.get("presiding", {}).get("name", ""),
        filled(words["clerk"], {"clerk": court.get("clerk", "")}),
    )
    return filled(words[form], {"judge": judge, "members": members, "clerk": clerk})


def orders(items: Sequence[str]) -> list[str]:
    """The items of a ruling, numbered where there are several."""
    numbered = [f"{int_to_chinese(place)}、{item}" for place, item in enumerate(items, 1)]
    return numbered if len(items) > 1 else list(items)


def filled(text: str, values: Mapping[str, object]) -> str:
    """A phrase with its fields; the full stop of a value gives way to that of the phrase."""
    for key, value in values.items():
        words = str(value).strip()
        after = text.partition("{" + key + "}")[2][:1]
        if after in "。；，" and after:
            words = words.rstrip("。；，")
        text = text.replace("{" + key + "}", words)
    return text
