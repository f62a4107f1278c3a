"""Words for a plan: role, need, a context that leads nowhere, the path as a phrase that nests or is cut in two, the request.

All words are parts in `parts.toml` (or a file of the user's); none is a template of a path. A part is used again only
when its list has no fresh one left.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from decimal import Decimal
from hashlib import sha256
from importlib.resources import files
from random import Random
from typing import Any

from store.errors import BadInput
from tasks.legalagentbench.construct.follow import MEASURES, ROWS_OF, Followed
from tasks.legalagentbench.construct.plans import Plan, Step
from tasks.legalagentbench.construct.tree import AMOUNTS, DATES, IDENTITY, PLACE, kind_of

_NEEDED = ("role", "need", "context", "start", "again", "text", "rows", "role_of", "pick", "link", "how")
LONG_PHRASE = 22
CUT = 0.3
"""How much each link adds to the chance that the phrase is cut there and taken up again."""
HELD_SHARE = 5
"""One form in so many is held out, of lists that have at least three."""


class Parts:
    """Lists of forms by their key, drawn without repetition.

    keep: "" for all forms, "known" or "held" for the one or the other side of a split by `seed`.
    """

    def __init__(self, text: str, rng: Random, keep: str = "", seed: int = 0) -> None:
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise BadInput(f"The file of parts is no TOML: {error}", "Start from the shipped parts.toml.") from error
        lacking = [name for name in _NEEDED if name not in data]
        if lacking:
            raise BadInput(f"The file of parts lacks {', '.join(lacking)}", "Start from the shipped parts.toml.")
        self._alias: dict[str, str] = data.pop("alias", {})
        self._forms = {key: _kept(key, forms, keep, seed) for key, forms in _flat(data)}
        self._rng, self._left = rng, dict[str, list[str]]()

    def draw(self, key: str, default: str = "{x}", said: str = "") -> str:
        """One form of a list; `default` where there is no such list. A long thing `said` stands first if it can."""
        forms = self._forms.get(key)
        if not forms:
            return default
        if len(said) > LONG_PHRASE and (first := [form for form in forms if form.startswith("{x}")]):
            return self._rng.choice(first)
        if not self._left.get(key):
            self._left[key] = self._rng.sample(forms, len(forms))
        return self._left[key].pop()

    def context(self, kind: str) -> str:
        """A context for a question that starts from this kind."""
        return self.draw(f"context.{self._alias.get(kind, kind)}", "")


def _flat(data: dict[str, Any], prefix: str = "") -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for key, value in data.items():
        if isinstance(value, dict):
            found += _flat(value, f"{prefix}{key}.")
        elif isinstance(value, list) and value and all(isinstance(form, str) for form in value):
            found.append((f"{prefix}{key}", value))
        else:
            name = f"{prefix}{key}"
            raise BadInput(f"The file of parts: {name} is no list of texts", "Write a list of forms.")
    return found


def _kept(key: str, forms: list[str], keep: str, seed: int) -> list[str]:
    if not keep or len(forms) < 3:
        return forms
    ranked = sorted(forms, key=lambda form: sha256(f"{seed}/{key}/{form}".encode()).digest())
    held = max(1, len(forms) // HELD_SHARE)
    return ranked[:held] if keep == "held" else ranked[held:]


def shipped_parts() -> str:
    """The parts that come with Moot."""
    return files("tasks.legalagentbench.construct").joinpath("parts.toml").read_text(encoding="utf-8")


class Composer:
    """Puts questions and answers together."""

    def __init__(self, parts: Parts, rng: Random) -> None:
        self._parts, self._rng = parts, rng

    def compose(self, plan: Plan, start: Sequence[str], made: Followed) -> tuple[str, str]:
        """The question and the reference answer of a followed plan."""
        draw = self._parts.draw
        shown = "".join(dict.fromkeys(start))
        said, setup = draw(f"start.{plan.kind}").format(x=shown), ""
        since = 0
        for step in plan.steps[:-1]:
            said = self._linked(step, self._row(step, said) if step.many else said)
            since += 1 + bool(step.pick)
            if self._rng.random() < since * CUT:
                setup += draw("text.setup" if not setup else "text.further").format(x=said)
                said, since = draw(f"again.{_gives(step)}", said), 0
        request, labels = self._request(plan.steps[-1], said, made)
        notes = draw("text.money_note") if any(shape.endswith("元2") for shape in made.shapes) else ""
        if (
            any(column in DATES.get(plan.steps[-1].table, ()) for column in made.ask.columns)
            and made.ask.how == "columns"
        ):
            notes += draw("text.day_note")
        words = {
            "r": draw("role"), "n": draw("need"), "c": self._parts.context(plan.kind), "s": setup,
            "a": draw("text.ask").format(o=request), "f": notes,
        }  # fmt: skip
        question = draw("text.order").format(**words).replace("。。", "。").removeprefix("。")
        return question, "经查询，" + "；".join(
            f"{label}：{key}" for label, key in zip(labels, made.keys, strict=True)
        ) + "。"

    def _row(self, step: Step, said: str) -> str:
        if step.many and not step.pick:
            return self._parts.draw(f"rows.{step.tool}", said=said).format(x=said, role=self._role(step))
        how, _, column = step.pick.partition(":")
        pick = self._parts.draw(f"pick.{how}", "").format(l=self._label(column)) if how else ""
        return self._parts.draw(f"row.{step.tool}", said=said).format(x=said, role=self._role(step), pick=pick)

    def _role(self, step: Step) -> str:
        return self._parts.draw(f"role_of.{step.role}", "")

    def _linked(self, step: Step, said: str) -> str:
        if step.link == IDENTITY[step.table] and not step.via:
            return said
        return self._parts.draw(f"link.{step.table}.{step.link}", said=said).format(x=said)

    def _label(self, column: str) -> str:
        return self._parts.draw(f"label.{column}", column.partition("（")[0])

    def _request(self, step: Step, said: str, made: Followed) -> tuple[str, list[str]]:
        ask, said = made.ask, self._row(step, said)
        draw = self._parts.draw
        if ask.how == "columns":
            return self._columns(step, said, made)
        column = ask.columns[-1] if ask.columns else ""
        label = self._label(column) if column else ""
        unit = made.shapes[0].removesuffix("2")
        bound = f"{Decimal(ask.value) / 10_000:f}万元" if ask.how == "over" else ask.value
        words = {"x": said, "l": label, "u": unit, "m": ROWS_OF.get(step.table, ""), "v": bound,
                 "d": self._label(ask.columns[0]) if ask.columns else ""}  # fmt: skip
        request = draw(f"how.{ask.how}", said=said).format(**words)
        return request, [label if ask.how in ("names", "order") else "结果"] * len(made.keys)

    def _columns(self, step: Step, said: str, made: Followed) -> tuple[str, list[str]]:
        columns = made.ask.columns
        plain = [column.partition("（")[0] for column in columns]
        labels = [self._label(column) for column in columns]
        money = [column in AMOUNTS.get(step.table, ()) for column in columns]
        if len(columns) == 1 and money[0]:
            form = self._parts.draw("how.amount", said=said)
            return form.format(x=said, l=labels[0], u=made.shapes[0].removesuffix("2")), plain
        labels = [
            f"{label}（以{shape.removesuffix('2')}计）" if paid and column not in MEASURES else label
            for label, column, shape, paid in zip(labels, columns, made.shapes, money, strict=True)
        ]
        joined = (
            "、".join(labels[:-1]) + (self._rng.choice(("和", "以及", "、")) if len(labels) > 1 else "") + labels[-1]
        )
        return self._parts.draw("how.columns" if len(columns) > 1 else "how.column", said=said).format(
            x=said, l=joined
        ), plain


def _gives(step: Step) -> str:
    return PLACE if step.link == PLACE else kind_of(step.table, step.link or IDENTITY[step.table])
