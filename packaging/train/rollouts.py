"""Training text: tasks over freshly drawn fictional jurisdictions, walked as `gold` walks them, written as `react
--calls compact` sends them.

Jurisdictions come from the makers of the sample pack, with other seeds and with every character of their names
replaced by one drawn for the jurisdiction. Paths, entities, questions and answers come from the constructor, tools
answer as the product's do, and the conversation is the product's own class, so the text is what the product sends (a
test compares).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, cast

from maker.places import FIRST, SECOND, Namer, person, places
from maker.world import rows_of
from vocabulary import NOT_FOUND

from models.engine import Message
from store.pack import Pack
from store.schema import LOOKUPS, TABLES, Found, Lookup, Row
from tasks.agents.conversation import Conversation
from tasks.agents.history import Step
from tasks.agents.prompts import COMPACT as WORDS
from tasks.agents.prompts import fill, phrase
from tasks.legalagentbench.agents.acting import action_call
from tasks.legalagentbench.agents.cards import action_object
from tasks.legalagentbench.agents.methods import COMPACT, seen
from tasks.legalagentbench.construct.compose import Composer, Parts, shipped_parts
from tasks.legalagentbench.construct.follow import MOST_NAMES, follow
from tasks.legalagentbench.construct.plans import Plan, Skeleton, dressed, skeletons
from tasks.legalagentbench.construct.source import Record, Rejected, RowSource
from tasks.legalagentbench.construct.tree import AMOUNTS, PLACE, PLACES
from tasks.legalagentbench.parser import compat_input
from tasks.legalagentbench.schemas import FINAL, trimmed
from tasks.legalagentbench.tools import TOOLS, Toolbox
from tasks.sample.build import rows

Task = dict[str, Any]
HELD = 5
"""One wording in so many of a list, and one path of two or three hops in twice as many, is held out."""
SEED = 19
"""Of the shipped model: its splits, its data and the numbers it begins with."""
COLUMNS = 2
"""Asked for at most."""
_TRIES = 12
_KEPT = set("初民执终刑字号年月日大中高级人法院区市县省路道有限公司律师所事务证券")
"""Never replaced: case numbers, dates and the words that tell a court from a company."""
LEFT_OUT = frozenset({"LegalAbstract", "RestrictionCase", "FinalizedCase", "DishonestyCase"})
"""Tables that no supported path reads: whole texts, and three kinds of cases that share their wordings and
columns."""


# --- jurisdictions --------------------------------------------------------------------------------------------------


@cache
def _name_letters() -> list[str]:
    """The characters that names of the sample's makers are drawn from."""
    rng = Random(0)
    firms = Namer(rng)
    found = {
        *FIRST,
        *SECOND,
        *(c for place in places() for c in place.province[:-1] + place.city[:-1] + place.county[:-1]),
    }
    found |= {c for _ in range(2000) for c in person(rng)} | {c for _ in range(300) for c in firms.firm("")}
    return sorted(c for c in found if c not in _KEPT)


class Jurisdiction:
    """Rows, the tools over them, and the values that paths start from."""

    def __init__(self, rows: Mapping[str, Sequence[Record]]) -> None:
        self.rows = rows
        self.source = RowSource(rows)
        self.toolbox = Toolbox(cast(Pack, self))
        self._starts: dict[str, list[tuple[str, ...]]] = {}

    def find(self, lookup: Lookup, values: Sequence[Any]) -> Found:
        """What a pack of these rows would find."""
        found = self.source.find(lookup.tool, [str(value) for value in values]) or []
        rows = tuple(Row(n, lookup.table, row, "authored") for n, row in enumerate(found))
        return Found("rows", rows) if rows else Found("miss")

    def starts(self, start: str) -> list[tuple[str, ...]]:
        """Entities of a start: Table.column or Table.place."""
        if start not in self._starts:
            table, _, column = start.partition(".")
            found: list[tuple[str, ...]] = (
                [tuple(each) for each in self.source.places(table, PLACES[table])]
                if column == PLACE
                else [(value,) for value in self.source.values(table, column)]
            )
            self._starts[start] = [e for e in found if all(v.strip() not in ("", "-") and "," not in v for v in e)]
        return self._starts[start]


@cache
def _worded() -> frozenset[str]:
    """The characters of the wordings that are trained on. What a held-out wording is written in is nobody's business
    here: names may hold it."""
    return frozenset(wordings(SEED, "known"))


def fresh(seed: str, letters: Sequence[str]) -> Jurisdiction:
    """A jurisdiction of its own seed, whose names are written in characters drawn for it.

    Characters that known questions are worded in are drawn only if names of the sample have them too, none in some
    jurisdictions and up to a third in others, as in the sample: so that where a name begins can be seen by what it is
    written in.
    """
    rng = Random(f"moot-train/{seed}")
    names = _name_letters()
    both = [c for c in names if c in _worded()]
    stock = [c for c in letters if c not in _KEPT and c not in _worded()]
    mixed = rng.sample(both, min(len(both), rng.randint(0, len(names) // 3))) if rng.random() < 0.5 else []
    drawn = [*mixed, *rng.sample(stock, len(names) - len(mixed))]
    mapped = str.maketrans(dict(zip(names, rng.sample(drawn, len(names)), strict=True)))
    return Jurisdiction({
        table: [{c: cell.translate(mapped) if isinstance(cell, str) else cell for c, cell in row.items()}
            for row in rows]
        for table, rows in rows_of(0.5, rng.randrange(10**6, 10**9)).items()
    })  # fmt: skip


def shipped() -> Jurisdiction:
    """The jurisdiction of the sample pack: never trained on."""
    return Jurisdiction({table: list(rows(table)) for table in TABLES})


# --- paths and wordings ---------------------------------------------------------------------------------------------


def _share(seed: int, text: str) -> int:
    return int.from_bytes(sha256(f"{seed}/{text}".encode()).digest()[:4])


def _one(tool: str) -> bool:
    return LOOKUPS[tool].shape != "many"


@cache
def paths(hops: int, seed: int, held: bool) -> tuple[Skeleton, ...]:
    """The supported paths of a length: single rows on the way, one row or a list in the end; trained on, or
    `held`."""
    found = [
        one for one in skeletons(hops, Random(f"paths/{seed}"), 20_000)
        if all(map(_one, one.tools[:-1])) and not LEFT_OUT & {LOOKUPS[tool].table for tool in one.tools}
    ]  # fmt: skip
    found.sort(key=repr)
    return tuple(one for one in found if (hops > 1 and _share(seed, repr(one)) % (2 * HELD) == 0) == held)


def supported(plan: Plan, keys: Sequence[str]) -> bool:
    """Whether a request is one the model learns: values copied from a row, names of a list, a count; no money."""
    last = plan.steps[-1]
    if last.many:
        few = (
            int("".join(filter(str.isdigit, keys[0]))) <= MOST_NAMES
            if plan.ask.how == "count"
            else len(keys) <= MOST_NAMES
        )
        return plan.ask.how in ("names", "count") and few
    money = {*AMOUNTS.get(last.table, ()), "首发价格（元）"}
    return plan.ask.how == "columns" and not money & set(plan.ask.columns)


def _plain(plan: Plan) -> Plan:
    """A plan without what the model does not learn: rows that are picked by the part a company has in them, and more
    than two columns."""
    ask = replace(plan.ask, columns=plan.ask.columns[:COLUMNS])
    return replace(plan, steps=tuple(replace(step, role="") for step in plan.steps), ask=ask)


def _spread(form: str) -> list[str]:
    """[a|b] in a form: all forms that it stands for."""
    pieces = re.split(r"\[([^\]]*\|[^\]]*)\]", form)
    ways = [piece.split("|") if at % 2 else [piece] for at, piece in enumerate(pieces)]
    return ["".join(way) for way in product(*ways)]


def wordings(seed: int, keep: str) -> str:
    """The parts of questions as TOML: ours and the constructor's, or the sides "known" and "held" of a split of ours.

    keep "constructor": the constructor's alone.
    """
    shipped = tomllib.loads(shipped_parts())
    if keep == "constructor":
        return shipped_parts()
    ours = tomllib.loads(Path(__file__).with_name("parts.toml").read_text(encoding="utf-8"))
    made: dict[str, Any] = {}
    for group, lists in shipped.items():
        made[group] = lists
        if isinstance(lists, dict):
            made[group] = {
                key: _side(f"{group}.{key}", lists.get(key, []), ours.get(group, {}).get(key, []), seed, keep)
                if isinstance(lists.get(key, []), list)
                else lists[key]
                for key in dict.fromkeys([*lists, *ours.get(group, {})])
            }
    return _toml(made)


STRANGE = (
    "text.setup",
    "text.further",
    "text.ask",
    "text.give",
    "context.",
    "scene.",
    "start.",
    "how.column",
    "what.column",
)
"""Lists whose words only frame what is asked; of `how` and `what` those of columns alone."""
_NEXT = 3
"""To so many forms of such a list one is added whose words are drawn."""
_HAN = re.compile("[\u4e00-\u9fff]+")


def strange(text: str, rng: Random) -> str:
    """The parts with further forms in the lists of STRANGE: frames of drawn words, {x} and {o} where they stood.

    The words are pieces of the frames themselves, one to three characters each, in any order. So nothing is learned
    of such a frame but that it is one, which is what has to be known of all the frames that nobody has written yet.
    """
    data = tomllib.loads(text)
    lists = {
        f"{group}.{key}": forms
        for group, keys in data.items()
        if isinstance(keys, dict)
        for key, forms in keys.items()
    }
    framing = {key: forms for key, forms in lists.items() if key.startswith(STRANGE)}
    literal = [
        piece for forms in framing.values() for form in forms for piece in _HAN.findall(re.sub(r"{.*?}", "", form))
    ]

    def words(said: re.Match[str]) -> str:
        length, made = max(1, len(said[0]) + rng.randint(-2, 2)), ""
        while len(made) < length:
            piece = rng.choice(literal)
            at = rng.randrange(len(piece))
            made += piece[at : at + rng.randint(1, 3)]
        return made[:length]

    for forms in framing.values():
        forms += [_HAN.sub(words, rng.choice(forms)) for _ in range(-(-len(forms) // _NEXT))]
    return _toml(data)


def _toml(data: Mapping[str, Any]) -> str:
    """Lists, and tables of lists, as TOML."""
    lines = [
        f"{json.dumps(k)} = {json.dumps(v, ensure_ascii=False)}" for k, v in data.items() if not isinstance(v, dict)
    ]
    for group, keys in data.items():
        if isinstance(keys, dict):
            lines.append(f"[{group}]")
            lines += [
                f"{json.dumps(k, ensure_ascii=False)} = {json.dumps(v, ensure_ascii=False)}" for k, v in keys.items()
            ]
    return "\n".join(lines)


def _side(key: str, shipped: list[str], own: list[str], seed: int, keep: str) -> list[str]:
    forms = list(dict.fromkeys([*shipped, *own])) if key != "text.order" else [*shipped, *own]
    if key != "text.order" and len(forms) >= 4:
        ranked = sorted(forms, key=lambda form: _share(seed, f"{key}/{form}"))
        held = max(1, len(forms) // HELD)
        forms = ranked[:held] if keep == "held" else ranked[held:]
    return [spread for form in forms for spread in _spread(form)]


# --- tasks and conversations ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Split:
    """What tasks are drawn with: one side of the wordings and of the paths; strange: what frames of drawn words are
    drawn from, "" for none of those."""

    seed: int
    wordings: str = "known"
    held_paths: bool = False
    strange: str = ""


class Maker:
    """Draws tasks of a jurisdiction and writes their conversations."""

    def __init__(self, land: Jurisdiction, rng: Random, split: Split, strangers: Jurisdiction | None = None) -> None:
        self._land, self._rng, self._split = land, rng, split
        parts = _parts(split.seed, split.wordings)
        parts = strange(parts, Random(f"strange/{split.strange}")) if split.strange else parts
        self._composer = Composer(Parts(parts, rng), rng)
        self._abroad = Maker(strangers, rng, split) if strangers else None

    def task(self, hops: int) -> Task | None:
        """A task of a length; None when the draw gave none."""
        return self.along(self._rng.choice(paths(hops, self._split.seed, self._split.held_paths)))

    def along(self, skeleton: Skeleton) -> Task | None:
        """A task along a path; None when the draw gave none."""
        rng = self._rng
        many = not _one(skeleton.tools[-1])
        how = rng.choice(("names", "count")) if many else "columns"
        plan = _plain(dressed(skeleton, rng, how))
        starts = self._land.starts(skeleton.start)
        for entity in rng.sample(starts, min(len(starts), _TRIES)):
            try:
                made = follow(plan, entity, self._land.source, rng.choice)
            except Rejected:
                continue
            final = Plan(plan.kind, plan.start, plan.steps, made.ask)
            if not supported(final, made.keys):
                return None
            question, _ = self._composer.compose(final, entity, made)
            if any(key in question for key in made.keys):
                continue
            return _line(final, entity, made.calls, made.keys, question, _answer(final, made.keys))
        return None

    def stranger(self, hops: int) -> Task | None:
        """A question about an entity that this jurisdiction does not have: the first call finds nothing."""
        task = self._abroad.task(hops) if self._abroad else None
        if task is None:
            return None
        tool, given = task["path"][0]["tool"], task["path"][0]["input"]
        if self._land.toolbox.call(tool, given).status != "no_data":
            return None
        return {**task, "path": task["path"][:1], "answer": NOT_FOUND, "key": ["未查到"]}

    def conversation(self, task: Task) -> list[Message]:
        """What is said in the task: the conversation of the compact form, the last answer included."""
        talk = Conversation(fill(COMPACT), words=WORDS)
        talk.hear(phrase("turn", "question", words=WORDS, question=task["question"]))
        for call in task["path"]:
            tool, given = call["tool"], trimmed(call["tool"], call["input"])
            result = self._land.toolbox.call(tool, compat_input(tool, given))
            talk.say([action_object(tool, given)], _call())
            step = Step("", tool=tool, input=given, observation=result.observation, status=result.status)
            talk.hear(seen(step, WORDS))
        return [*talk.messages(), Message("assistant", action_object(FINAL, task["answer"]))]


@cache
def _parts(seed: int, keep: str) -> str:
    return wordings(seed, keep)


@cache
def _call() -> Any:
    return action_call(COMPACT, "lean", tuple(TOOLS.values()))


def _answer(plan: Plan, keys: Sequence[str]) -> str:
    """The answer in few words: each value after the name of its column, or the count."""
    ask = plan.ask
    if ask.how == "count":
        return f"经查询，共{keys[0]}。"
    columns = ask.columns if ask.how == "columns" else ask.columns * len(keys)
    return (
        "经查询，" + "；".join(f"{c.partition('（')[0]}：{key}" for c, key in zip(columns, keys, strict=True)) + "。"
    )


def _line(plan: Plan, entity: Sequence[str], calls: Any, keys: list[str], question: str, answer: str) -> Task:
    return {
        "question": question, "answer": answer, "key": keys, "key_middle": [], "type": f"{len(calls)}-1",
        "way": plan.way,
        "hops": len(plan.steps), "path": [{"tool": tool, "input": given} for tool, given in calls],
        "start": {"value": list(entity), "way": plan.way}, "plan": plan.as_dict(),
    }  # fmt: skip


HOPS = (1, 1, 1, 2, 2, 2, 3, 3)
STRANGERS = 0.06


def tasks_of(
    maker: Maker, rng: Random, count: int, hops: Sequence[int] = HOPS, strangers: float = STRANGERS
) -> Iterator[Task]:
    """So many tasks, some of them about entities that do not exist."""
    made = 0
    while made < count:
        draw: Callable[[int], Task | None] = maker.stranger if rng.random() < strangers else maker.task
        task = draw(rng.choice(hops))
        if task is not None:
            made += 1
            yield task
