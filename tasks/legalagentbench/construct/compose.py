"""Words for a plan: a scene, a remark that leads nowhere, the path as a phrase that nests or is cut, the request.

All words are parts in `parts.toml` (or a file of the user's); none is a template of a path. A part is used again only
when its list has no fresh one left.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from graphlib import CycleError, TopologicalSorter
from importlib.resources import files
from random import Random
from typing import Annotated

from pydantic import Field, ValidationError

from store.errors import BadInput
from store.files import toml_of
from store.tables import TomlTable
from tasks.agents.prompts import fill_text
from tasks.legalagentbench.construct.follow import MEASURES, ROWS_OF, PlanResult
from tasks.legalagentbench.construct.plans import Plan, PlanStep
from tasks.legalagentbench.construct.tree import AMOUNTS, DATES, IDENTITY, PLACE, kind_of

_NAME = re.compile(r"\{([a-z]+)\}")
_FIELDS = dict.fromkeys((*"xlwumvdkbcsafo", "pick", "role"), "")
"""What a form may name beside slots."""
_NAMED = "Name a list of [slot] in braces, or what the shipped parts.toml names there."
_START = "Start from the shipped parts.toml."
Lists = dict[str, Annotated[list[str], Field(min_length=1)]]
TOPICS: dict[str, str] = {
    **dict.fromkeys(("CompanyInfo", "CompanyRegister", "SubCompanyInfo"), "company"),
    **dict.fromkeys(("LegalDoc", "LegalAbstract"), "lawsuit"),
    **dict.fromkeys(("RestrictionCase", "FinalizedCase", "DishonestyCase"), "enforcement"),
    **dict.fromkeys(("LawfirmInfo", "LawfirmLog"), "firm"), **dict.fromkeys(("CourtInfo", "CourtCode"), "court"),
    "AdministrativeCase": "penalty", "AddrInfo": "place",
}  # fmt: skip
"""Table that is asked for in the end -> scenes that need it."""
ANY_SCENE = 0.12
YEARS = "years"
"""A request that says itself where its days stand."""
NOUN = 0.35
"""How often a request is worded as a thing wanted."""
LONG_PHRASE = 14
CUT = 0.3
"""How much each link adds to the chance that the phrase is cut there and taken up again."""


class _FormsFile(TomlTable):
    """The file of parts: lists of forms by section and key."""

    scene: Lists
    context: Lists
    start: Lists
    again: Lists
    text: Lists
    rows: Lists
    role_of: Lists
    pick: Lists
    link: Lists
    wh: Lists
    how: Lists
    reply: Lists
    slot: Lists = {}
    row: Lists = {}
    label: Lists = {}
    what: Lists = {}
    alias: dict[str, str] = {}
    """A kind whose questions take the context of another."""


class Parts:
    """Lists of forms by their key, drawn without repetition."""

    def __init__(self, text: str, rng: Random) -> None:
        try:
            file = _FormsFile.model_validate(toml_of("The file of parts", text))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise BadInput(f"The file of parts: {place}: {first['msg']}", _START) from None
        groups: dict[str, Lists] = file.model_dump(exclude={"alias"})
        self._alias = file.alias
        self._forms = {f"{group}.{key}": forms for group, lists in groups.items() for key, forms in lists.items()}
        _sound(self._forms)
        self._rng, self._left = rng, dict[str, list[str]]()

    def __contains__(self, key: str) -> bool:
        return key in self._forms

    def draw(self, key: str, default: str = "{x}", said: str = "") -> str:
        """One form of a list, its slots filled; `default` where there is no such list.

        A long thing `said` stands first if it can.
        """
        forms = self._forms.get(key)
        if not forms:
            return default
        if len(said) > LONG_PHRASE and (first := [form for form in forms if form.startswith("{x}")]):
            return self._filled(self._rng.choice(first))
        if not self._left.get(key):
            self._left[key] = self._rng.sample(forms, len(forms))
        return self._filled(self._left[key].pop())

    def forms(self, key: str) -> Sequence[str]:
        """All forms of a list, with their slots; none where there is no such list."""
        return self._forms.get(key, ())

    def first(self, key: str, default: str = "{x}") -> str:
        """The first form of a list: for reference answers, which need no variety."""
        return self._forms.get(key, [default])[0]

    def _filled(self, form: str) -> str:
        """A form with one of the forms of each slot it names, which may name slots themselves."""
        return _NAME.sub(lambda m: self.draw(f"slot.{m[1]}", m[0]), form)

    def context(self, kind: str) -> str:
        """A context for a question that starts from this kind."""
        return self.draw(f"context.{self._alias.get(kind, kind)}", "")


def _sound(lists: Mapping[str, Sequence[str]]) -> None:
    """See that the braces of all forms name something, and that no slot names itself."""
    slots = {key.removeprefix("slot."): forms for key, forms in lists.items() if key.startswith("slot.")}
    for key, forms in lists.items():
        for form in forms:
            left = _NAME.sub(lambda m: "" if m[1] in _FIELDS or m[1] in slots else m[0], form)
            if "{" in left or "}" in left:
                raise BadInput(f"The file of parts: {key} has a form with braces that name nothing: {form}", _NAMED)
    try:
        TopologicalSorter({slot: _NAME.findall("".join(forms)) for slot, forms in slots.items()}).prepare()
    except CycleError as error:
        raise BadInput(f"The file of parts: slot.{error.args[1][0]} names itself", _NAMED) from None


def _fill(form: str, **values: str) -> str:
    """A form with what stands for its fields; for those that mean nothing there, nothing."""
    return fill_text(form, **{**_FIELDS, **values})


def shipped_parts() -> str:
    """The parts that come with Moot."""
    return files("tasks.legalagentbench.construct").joinpath("parts.toml").read_text(encoding="utf-8")


class Composer:
    """Puts questions and answers together."""

    def __init__(self, parts: Parts, rng: Random) -> None:
        self._parts, self._rng = parts, rng

    def compose(self, plan: Plan, start: Sequence[str], made: PlanResult) -> tuple[str, str]:
        """The question and the reference answer of a followed plan."""
        draw, last = self._parts.draw, plan.steps[-1]
        said, setup = self._set_out(plan, "".join(dict.fromkeys(start)))
        asked, noun = self._request(last, said, made)
        notes = draw("text.money_note") if any(shape.endswith("元2") for shape in made.shapes) else ""
        if made.ask.how == "columns" and any(column in DATES.get(last.table, ()) for column in made.ask.columns):
            notes += draw("text.day_note")
        scene = "any" if self._rng.random() < ANY_SCENE else TOPICS.get(last.table, plan.kind)
        words = {
            "b": draw(f"scene.{scene}"), "c": self._parts.context(plan.kind), "s": setup,
            "a": _fill(draw("text.give" if noun else "text.ask"), o=asked), "f": notes,
        }  # fmt: skip
        return _fill(draw("text.order"), **words), self._answer(last, made)

    def _set_out(self, plan: Plan, shown: str) -> tuple[str, str]:
        """What the last step is asked with, as a phrase, and the sentences before it."""
        draw, setup, since = self._parts.draw, "", 0
        said = _fill(draw(f"start.{plan.kind}"), x=shown)
        for step in plan.steps[:-1]:
            said = self._linked(step, self._row(step, said) if step.many else said)
            since += 1 + bool(step.pick)
            if self._rng.random() < since * CUT:
                setup += _fill(draw("text.setup" if not setup else "text.further"), x=said)
                link = f"again.{step.table}.{step.link}"
                said, since = draw(link if link in self._parts else f"again.{_gives(step)}", said), 0
        return said, setup

    def _row(self, step: PlanStep, said: str) -> str:
        if step.via:
            return _fill(self._parts.draw(_read_out(step), said=said), x=said)
        if step.many and not step.pick:
            return _fill(self._parts.draw(f"rows.{step.tool}", said=said), x=said, role=self._role(step))
        how, _, column = step.pick.partition(":")
        pick = _fill(self._parts.draw(f"pick.{how}", ""), l=self._label(column)) if how else ""
        return _fill(self._parts.draw(f"row.{step.tool}", said=said), x=said, role=self._role(step), pick=pick)

    def _role(self, step: PlanStep) -> str:
        return self._parts.draw(f"role_of.{step.role}", "")

    def _linked(self, step: PlanStep, said: str) -> str:
        if step.link == IDENTITY[step.table] and not step.via:
            return said
        return _fill(self._parts.draw(f"link.{step.table}.{step.link}", said=said), x=said)

    def _label(self, column: str) -> str:
        return self._parts.draw(f"label.{column}", _plain(column))

    def _request(self, step: PlanStep, said: str, made: PlanResult) -> tuple[str, bool]:
        """What is wanted, and whether as a thing and not as a question."""
        ask, draw = made.ask, self._parts.draw
        how, label, asked = ask.how, "", "default"
        said = said if how == YEARS else self._row(step, said)
        if how == "columns":
            label = self._labels(step, made)
            if len(ask.columns) == 1:
                how = "amount" if ask.columns[0] in AMOUNTS.get(step.table, ()) else "column"
                label, asked = self._label(ask.columns[0]), ask.columns[0]
                asked = asked if f"wh.{asked}" in self._parts else _who(step.table, asked, label)
        elif ask.columns:
            label = self._label(ask.columns[-1])
        noun = f"what.{how}" in self._parts and self._rng.random() < NOUN
        words = {**_words(step, made), "x": said, "l": label, "w": ""}
        words["w"] = draw(f"wh.{asked}" if f"wh.{asked}" in self._parts else "wh.default")
        words["d"] = self._label(ask.columns[0]) if ask.columns else ""
        return _fill(draw(f"{'what' if noun else 'how'}.{how}", said=said), **words), noun

    def _labels(self, step: PlanStep, made: PlanResult) -> str:
        labels = [
            f"{self._label(column)}（以{shape.removesuffix('2')}计）"
            if column in AMOUNTS.get(step.table, ()) and column not in MEASURES
            else self._label(column)
            for column, shape in zip(made.ask.columns, made.shapes, strict=False)
        ]
        return "、".join(labels[:-1]) + (self._rng.choice(("和", "以及", "、")) if labels[1:] else "") + labels[-1]

    def _answer(self, step: PlanStep, made: PlanResult) -> str:
        """The reference answer: it names what the last step was asked with, not the way there."""
        ask, first = made.ask, self._parts.first
        picked, _, column = step.pick.partition(":")
        pick = _fill(first(f"pick.{picked}", ""), l=_plain(column))
        form = first(
            _read_out(step) if step.via else f"{'row' if step.pick or not step.many else 'rows'}.{step.tool}"
        )
        about = _fill(first(f"start.{step.opened}"), x=made.about)
        form = "{x}" if ask.how == YEARS else form
        said = _fill(form, x=about, role=first(f"role_of.{step.role}", ""), pick=pick)
        words = {**_words(step, made), "x": said, "d": _plain(ask.columns[0]) if ask.columns else ""}
        if ask.how == "columns":
            told = [
                _fill(first("reply.columns"), x=said if not n else "", l=_plain(column), k=key).removeprefix("的")
                for n, (column, key) in enumerate(zip(ask.columns, made.keys, strict=True))
            ]
            return f"经查询，{'，'.join(told)}。"
        words["l"] = _plain(ask.columns[-1]) if ask.columns else ""
        return f"经查询，{_fill(first(f'reply.{ask.how}'), **words, k='、'.join(made.keys))}。"


def _read_out(step: PlanStep) -> str:
    """The list that names what is read out of a thing: the court of a case number."""
    return f"link.{step.table}.{IDENTITY[step.table]}"


def _words(step: PlanStep, made: PlanResult) -> dict[str, str]:
    ask = made.ask
    bound = f"{Decimal(ask.value) / 10_000:f}万元" if ask.how == "over" else ask.value
    return {"u": made.shapes[0].removesuffix("2"), "m": ROWS_OF.get(step.table, ""), "v": bound}


def _who(table: str, column: str, label: str) -> str:
    """The kind of thing that is asked for; "" where a name is asked for as a name."""
    return "" if label.endswith("称") else kind_of(table, column)


def _plain(column: str) -> str:
    return column.partition("（")[0]


def _gives(step: PlanStep) -> str:
    return PLACE if step.link == PLACE else kind_of(step.table, step.link or IDENTITY[step.table])
