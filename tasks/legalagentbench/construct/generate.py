"""Makes a set of tasks: paths drawn layer by layer from the planning tree, entities whose whole chain succeeds,
checks.

Selection goes by hop level. Within a level the first tool with the fewest paths is served next, and of its paths the
one that adds most that no path has yet and shares least with those chosen on any level. Every task is checked before
it is kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any

from store.pack import Pack
from store.schema import LOOKUPS, TABLES, UnknownType
from tasks.legalagentbench.construct.brute import BruteSolver, agrees
from tasks.legalagentbench.construct.compose import Composer, Parts
from tasks.legalagentbench.construct.follow import PlanResult, follow, linked
from tasks.legalagentbench.construct.plans import Plan, PlanStep, Skeleton, dressed, requests, skeletons
from tasks.legalagentbench.construct.source import PackSource, Record, RowSource, Source, WalkRejected
from tasks.legalagentbench.construct.tree import PLACE, PLACES, Branch, court_code, starts
from tasks.legalagentbench.tools import TOOLS, Toolbox
from tasks.scoring.strict import strict_hit

PAIR = 2
"""Entities a path."""
TRIES = 40
"""Entities tried with one dress of a path before another is tried."""
DRESSES = 6
DISTRIBUTION = (80, 80, 60, 40, 20, 20)
"""Tasks of 1 to 5 hops and of writing, as published."""
SHORTEST_NAME = 3
_NAMES = (
    "CompanyInfo.公司名称", "CompanyRegister.公司名称", "SubCompanyInfo.公司名称", "CourtInfo.法院名称",
    "LawfirmInfo.律师事务所名称",
)  # fmt: skip
_CANDIDATES = 25
_DRAWN = 1500
Progress = Callable[[str, int, int | None], None]
Task = dict[str, Any]
Entity = tuple[str, ...]


def _silent(what: str, done: int, total: int | None) -> None:
    del what, done, total


@dataclass
class ConstructedTasks:
    """The tasks, and what they cover and what was thrown away."""

    tasks: list[Task]
    report: dict[str, Any]


@dataclass
class Generator:
    """Everything that a construction needs."""

    source: Source
    brute: BruteSolver
    toolbox: Toolbox
    composer: Composer
    rng: Random
    prefix: str
    progress: Progress = _silent
    fallen: Counter[str] = field(default_factory=Counter)
    used: set[tuple[str, Entity]] = field(default_factory=set)
    sparse: bool = False
    """The source holds part of the rows: only entities from which a path can be walked at all are tried."""
    _reached: ReachableStarts | None = None
    _chosen: Counter[str] = field(default_factory=Counter)
    _values: dict[str, list[Entity]] = field(default_factory=dict)

    def level(self, hops: int, wanted: int) -> list[Task]:
        """Tasks of a hop level, two a path, as many as wanted or as the rows give."""
        pool: dict[str, list[Skeleton]] = defaultdict(list)
        for skeleton in skeletons(hops, self.rng, _DRAWN, self._leads):
            if self._begins(skeleton):
                pool[skeleton.tools[0]].append(skeleton)
        made: list[Task] = []
        served: Counter[str] = Counter()
        asked: Counter[tuple[str, str]] = Counter()
        while len(made) < wanted and any(pool.values()):
            tool = min((t for t in pool if pool[t]), key=lambda t: (served[t], self.rng.random()))
            skeleton = self._best(pool[tool])
            pair = self._pair(skeleton, asked, min(PAIR, wanted - len(made)))
            served[tool] += 1
            if not pair or hops > 1:
                pool[tool].remove(skeleton)
            if pair:
                self._chosen.update(skeleton.edges)
                made += pair
                self.progress(f"{hops}-hop", len(made), wanted)
        return made

    def names(self) -> frozenset[str]:
        """Names of all companies, courts and firms that a path may begin with."""
        return frozenset(name for start in _NAMES for (name,) in self._entities(start) if len(name) > SHORTEST_NAME)

    def _begins(self, skeleton: Skeleton) -> bool:
        return bool(self._entities(skeleton.start))

    def _leads(self, start: str, walked: tuple[Branch, ...]) -> bool:
        return not self.sparse or len(self._reach().front(start, walked)) >= PAIR

    def _entities(self, start: str) -> list[Entity]:
        if start not in self._values:
            table, _, column = start.partition(".")
            found: list[Entity] = (
                [tuple(each) for each in self.source.places(table, PLACES[table])]
                if column == PLACE
                else [(value,) for value in self.source.values(table, column)]
            )
            self._values[start] = [e for e in found if all(v.strip() not in ("", "-") and "," not in v for v in e)]
        return self._values[start]

    def _best(self, pool: list[Skeleton]) -> Skeleton:
        few = self.rng.sample(pool, min(len(pool), _CANDIDATES))
        return min(few, key=lambda one: sum(self._chosen[edge] for edge in one.edges) / len(one.edges))

    def _pair(self, skeleton: Skeleton, asked: Counter[tuple[str, str]], wanted: int) -> list[Task]:
        last = skeleton.tools[-1]
        ways = sorted(requests(last), key=lambda how: (asked[last, how], self.rng.random()))
        alive = self._reach().alive(skeleton) if self.sparse else self._entities(skeleton.start)
        for number in range(DRESSES if len(alive) >= wanted else 0):
            how = ways[number % len(ways)]
            plan = dressed(skeleton, self.rng, how)
            made = self._tasks(plan, wanted, alive)
            if len(made) == wanted:
                asked[last, how] += 1
                return made
            self._release(made)
        self.fallen["no two entities"] += 1
        return []

    def _release(self, tasks: Sequence[Task]) -> None:
        for task in tasks:
            self.used.discard((task["start"]["way"], tuple(task["start"]["value"])))

    def _reach(self) -> ReachableStarts:
        if self._reached is None:
            self._reached = ReachableStarts(self.source, self._entities)
        return self._reached

    def _tasks(self, plan: Plan, wanted: int, entities: Sequence[Entity] | None = None) -> list[Task]:
        made: list[Task] = []
        entities = self._entities(plan.start) if entities is None else entities
        for entity in self.rng.sample(entities, min(len(entities), TRIES)):
            if len(made) == wanted:
                break
            if (plan.way, entity) in self.used:
                continue
            try:
                made.append(self._task(plan, entity))
            except WalkRejected:
                continue
            self.used.add((plan.way, entity))
        return made

    def _task(self, plan: Plan, entity: Entity) -> Task:
        followed = follow(plan, entity, self.source, self.rng.choice)
        final = Plan(plan.kind, plan.start, plan.steps, followed.ask)
        question, answer = self.composer.compose(final, entity, followed)
        task = _line(final, entity, followed, question, answer)
        fault = check(task, self.toolbox, self.brute)
        if fault:
            self.fallen[fault] += 1
            raise WalkRejected(fault)
        return task


def _line(plan: Plan, entity: Entity, made: PlanResult, question: str, answer: str) -> Task:
    middle = [text for text in dict.fromkeys(made.middle) if text not in made.keys and text not in question]
    hops = len(plan.steps)
    return {
        "question": question, "answer": answer, "key": made.keys, "key_middle": middle,
        "type": f"{hops}-{list(LOOKUPS).index(plan.steps[0].tool) + 1}", "way": plan.way, "hops": hops,
        "path": [{"tool": tool, "input": given} for tool, given in made.calls],
        "start": {"value": list(entity), "way": plan.way}, "plan": plan.as_dict(),
    }  # fmt: skip


def check(task: Mapping[str, Any], toolbox: Toolbox, brute: BruteSolver) -> str:
    """What is wrong with a task, "" when nothing is: its calls run, gold hits every key, no key is given, one
    answer."""
    question, keys = task["question"], task["key"]
    if any(key in question or strict_hit(key, question) for key in keys):
        return "a key stands in the question"
    if any(tool in question for tool in TOOLS) or not all(value in question for value in task["start"]["value"]):
        return "the question names a tool or lacks its entity"
    if not all(strict_hit(key, task["answer"]) for key in keys):
        return "the answer does not hold its keys"
    for call in task["path"]:
        result = toolbox.call(call["tool"], call["input"])
        if result.status != "ok" or not result.complete or result.unknown:
            return f"a call of the path fails: {result.status}"
    answers = brute.answers(Plan.of(task["plan"]), task["start"]["value"])
    if len(answers) != 1:
        return "more than one answer by brute force"
    return "" if agrees(next(iter(answers)), keys) else "brute force disagrees"


def rows_of(pack: Pack) -> dict[str, list[dict[str, Any]]]:
    """All rows of a pack with the cells it knows."""
    return {
        table: [{c: v for c, v in row.cells.items() if not isinstance(v, UnknownType)} for row in pack.rows(table)]
        for table in TABLES
    }


def generator(pack: Pack, parts: Callable[[Random], Parts], seed: int, progress: Progress = _silent) -> Generator:
    """A generator over a pack; lookups that a harvested pack cannot answer wholly give no task."""
    rng = Random(f"legalagentbench-construct/{seed}")
    rows = rows_of(pack)
    source: Source = RowSource(rows) if pack.manifest.coverage == "complete" else PackSource(pack)
    made = Generator(source, BruteSolver(rows), Toolbox(pack), Composer(parts(rng), rng), rng, pack.name, progress)
    made.sparse = pack.manifest.coverage != "complete"
    return made


def construct_set(
    made: Generator, distribution: Sequence[int] = DISTRIBUTION, writing: Callable[[int], list[Task]] | None = None
) -> ConstructedTasks:
    """A set in a distribution over 1 to 5 hops and writing, with its report.

    Args:
        made: the generator.
        distribution: tasks wanted of 1 to 5 hops and of writing.
        writing: gives so many writing tasks; None where the pack has none.
    """
    groups: dict[str, list[Task]] = {}
    for hops, wanted in enumerate(distribution[:5], start=1):
        groups[str(hops)] = made.level(hops, wanted)
    groups["writing"] = list(islice(writing(distribution[5]), distribution[5])) if writing else []
    tasks = [
        {"id": f"{made.prefix}-{'w' if hops == 'writing' else hops}{number:03d}", **task}
        for hops, group in groups.items()
        for number, task in enumerate(group, start=1)
    ]
    asked = dict(zip(("1", "2", "3", "4", "5", "writing"), distribution, strict=True))
    return ConstructedTasks(tasks, {"wanted": asked, **coverage(tasks), "fallen": dict(made.fallen.most_common())})


def coverage(tasks: Sequence[Task]) -> dict[str, Any]:
    """What a set uses: tools, tables, columns, kinds of entities; how its paths overlap."""
    tools = Counter(call["tool"] for task in tasks for call in task["path"])
    columns = {
        f"{LOOKUPS[call['tool']].table}.{column}"
        for task in tasks for call in task["path"] if call["tool"] in LOOKUPS
        for column in call["input"]["columns"] or [LOOKUPS[call["tool"]].gives]
    }  # fmt: skip
    kinds = Counter(task["plan"]["kind"] for task in tasks if "plan" in task)
    ways = {task["way"]: task["hops"] for task in tasks if task["way"]}
    inside = sum(any(way != other and way in other for other in ways) for way in ways)
    hop = [task["question"] for task in tasks if task["way"]]
    return {
        "tools": dict(tools.most_common()),
        "kinds_of_tools": dict(Counter(TOOLS[tool].kind for tool in tools)),
        "tables": sorted({column.partition(".")[0] for column in columns}),
        "columns": len(columns), "columns_in_all": sum(map(len, TABLES.values())),
        "starts": dict(kinds), "starts_in_all": len({kind for kind, _, _ in starts()}),
        "paths": len(ways), "paths_inside_others": inside,
        "keys_a_task": round(sum(len(task["key"]) for task in tasks) / max(1, len(tasks)), 2),
        "question_length": round(sum(map(len, hop)) / max(1, len(hop)), 1),
    }  # fmt: skip


MOST_VALUES = 12
"""Values kept for an entity at each step."""


class ReachableStarts:
    """From which entities a path can be walked to its end at all, over a source that holds only part of the rows.
    entities: gives all entities of a start (Table.column).

    Every row is followed, whatever would be chosen of several; what is found for the beginning of a path is kept for
    all paths that begin so. Few paths of a harvested pack lead anywhere: to try entities one by one would be in vain.
    """

    def __init__(self, source: Source, entities: Callable[[str], list[Entity]]) -> None:
        self._source, self._entities = source, entities
        self._fronts: dict[tuple[str, tuple[Branch, ...]], dict[Entity, list[Entity]]] = {}

    def alive(self, skeleton: Skeleton) -> list[Entity]:
        """The entities from which rows are found at every step, in their order."""
        front = self.front(skeleton.start, skeleton.branches)
        tool, via = skeleton.tools[-1], skeleton.last[1]
        return [entity for entity, values in front.items() if any(self._rows(tool, via, value) for value in values)]

    def front(self, start: str, branches: tuple[Branch, ...]) -> dict[Entity, list[Entity]]:
        """Each entity from which rows are found along these branches, with what they lead to."""
        if not branches:
            return {entity: [entity] for entity in self._entities(start)}
        if (start, branches) not in self._fronts:
            before, branch = self.front(start, branches[:-1]), branches[-1]
            step = PlanStep(branch.tool, branch.opened, branch.via, branch.link)
            led = ((entity, self._led(step, values)) for entity, values in before.items())
            self._fronts[start, branches] = {entity: values for entity, values in led if values}
        return self._fronts[start, branches]

    def _led(self, step: PlanStep, values: Sequence[Entity]) -> list[Entity]:
        found: dict[Entity, None] = {}
        for value in values:
            for row in self._rows(step.tool, step.via, value):
                try:
                    found[linked(row, step)] = None
                except WalkRejected:
                    continue
                if len(found) == MOST_VALUES:
                    return list(found)
        return list(found)

    def _rows(self, tool: str, via: str, value: Entity) -> list[Record]:
        try:
            given = (court_code(value[0]),) if via else value
        except WalkRejected:
            return []
        return self._source.find(tool, given) or []
