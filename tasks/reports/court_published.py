"""Published reference figures of J1-Eval ("Ready Jurist One", main results and appendices), as facts: other data,
other grader.

The tables are `court_published.toml`, by their numbers in the paper; values from 0 to 100 unless said otherwise. None
is the paper's dash, a task that the model failed to accomplish. VER, SEN and FINE are better when low.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from store import tables
from tasks.courts.casefile.case import Env
from tasks.courts.environment import PUBLISHED, environment
from tasks.courts.scores.columns import averaged
from tasks.scoring.published import Place, PublishedRow

Figure = float | None
Row = Mapping[str, Figure]
"""Column -> figure; columns are named `CI PFS`."""
Table = Mapping[str, Row]
"""Model -> its row, in the order of the paper."""

DRIVER = "GPT-4o"
"""The model behind the simulated roles of the main table."""
OTHER_DRIVER = "Qwen3-it. 32B"
GRADER = "gpt-4o-2024-11-20"
CASES: Mapping[Env, int] = {"KQ": 98, "LC": 62, "CD": 93, "DD": 93, "CI": 93, "CR": 69}
"""Table 4: 508 cases; CD, DD and CI are made from the same 93 judgments."""

TURN_LIMITS: Mapping[Env, tuple[int, ...]] = {"CI": (35, 40, 50), "CR": (30, 35)}
"""Limits that Figures 8 and 9 compare; their figures are drawn, not printed."""
LIMITS: Mapping[Env, int] = {env: environment(env).turns for env in PUBLISHED}
"""Appendix E."""

MAIN = tuple(f"{env} {metric}" for env in PUBLISHED for metric in environment(env).reported)
"""The columns of Tables 2 and 5."""
ROLES = (
    "KQ client", "LC client", "CD plaintiff", "DD defendant", "CI plaintiff_lawyer", "CI defendant_lawyer",
    "CR defendant", "CR defence_lawyer", "CR procurator",
)  # fmt: skip
"""The columns of Tables 11 and 12; the paper heads the two lawyers of CI by their clients."""
_DRAFTS = ("CD FOR", "CD DOC", "DD FOR", "DD DOC")
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "2": MAIN,
    "3": (DRIVER, OTHER_DRIVER),
    "5": MAIN,
    "6": ("CD PLA", "CD DEF", "CD CLA", "CD EVI", "CD F&R"),
    "7": ("DD RES", "DD DEF", "DD EVI"),
    "8": ("CI STA", "CI ACT", "CI UNI"),
    "9": ("CR STA", "CR ACT", "CR UNI", "CR SEN", "CR FINE"),
    "10": tuple(PUBLISHED),
    "11": ROLES,
    "12": ROLES,
    "13": (*_DRAFTS, "overall"),
    "14": ("KQ BIN", "KQ NBIN", "LC BIN", "LC NBIN", *_DRAFTS, "overall"),
}


class PaperModel(NamedTuple):
    """A model of the paper. size: billions of parameters, None where its maker does not say; group: as tables part
    them."""

    name: str
    group: str
    size: float | None = None


class _ReportTables(tables.TomlTable):
    models: tuple[PaperModel, ...]
    tables: dict[str, str]
    rated: dict[str, dict[str, str]]
    means: dict[str, str]
    repeats: dict[str, dict[str, str]]


def _printed() -> _ReportTables:
    return tables.beside(__package__, "court_published", _ReportTables)


def models() -> tuple[PaperModel, ...]:
    """The 17 models in the order of the main table."""
    return _printed().models


@cache
def table(number: str) -> Table:
    """Tables 2 and 5 to 10."""
    return _table(number, _printed().tables[number])


@cache
def rated(number: str) -> Mapping[str, Table]:
    """Tables 11 and 12: driver -> agent -> role."""
    return {driver: _table(number, text) for driver, text in _printed().rated[number].items()}


@cache
def means() -> Mapping[str, Table]:
    """Table 3: evaluator -> agent -> consistency by driver."""
    return {rater: _table("3", text) for rater, text in _printed().means.items()}


@cache
def repeats() -> tuple[tuple[str, str, tuple[Row, ...]], ...]:
    """Tables 13 and 14: number, agent, its runs."""
    return tuple(
        (number, model, tuple(_table(number, text).values()))
        for number, agents in _printed().repeats.items()
        for model, text in agents.items()
    )


def _table(number: str, text: str) -> Table:
    """Lines `name | figures` as a table."""
    made: dict[str, Row] = {}
    for line in text.strip().splitlines():
        name, _, figures = line.partition(" | ")
        pairs = zip(_COLUMNS[number], figures.split(), strict=True)
        made[name] = {column: None if figure == "-" else float(figure) for column, figure in pairs}
    return made


def overall(row: Row) -> float:
    """Mean of all columns of the main table except VER (§4.2); a dash counts 0, for the task was failed."""
    columns = [column for column in MAIN if not column.endswith(" VER")]
    return math.fsum(row[column] or 0.0 for column in columns) / len(columns)


def by_env(row: Row) -> float:
    """Mean of the means of the six environments, the other way to weigh them."""
    parts = [[row[f"{env} {metric}"] or 0.0 for metric in averaged(env)] for env in PUBLISHED]
    return math.fsum(math.fsum(own) / len(own) for own in parts) / len(parts)


def rows() -> list[PublishedRow]:
    """All that the tables print of a model, a row each: before both drivers, repeats, and how the simulated people of
    three agents were rated. A dash stays out, as in the plots of reports."""
    sizes = {model.name: model.size for model in models()}
    by_driver: dict[str, dict[str, Table]] = {}
    for name, driver, own in printed():
        by_driver.setdefault(driver, {})[name] = own
    found = [
        PublishedRow("J1-Eval", model, driver, ", ".join(own), None, _values(model, own.values()), sizes[model])
        for driver, own in by_driver.items()
        for model in dict.fromkeys(model for one in own.values() for model in one)
    ]
    for number, model, runs in repeats():
        for place, row in enumerate(runs, 1):
            way = f"Table {number}, {place}/{len(runs)}"
            parts = {column: value for column, value in row.items() if column != "overall"}
            found.append(PublishedRow("J1-Eval", model, way, f"Table {number}", None, _places(parts)))
    for number, rater in (("11", GRADER), ("12", "human")):
        for driver, one in rated(number).items():
            for model, row in one.items():
                way = f"{driver}, rated by {rater}"
                found.append(PublishedRow("J1-Eval", model, way, f"Table {number}", None, _places(row, "graded.")))
    return found


def _values(model: str, own: Iterable[Table]) -> Mapping[Place, float]:
    """What tables say of a model; Table 10 has turns under the names of environments."""
    found: dict[Place, float] = {}
    for row in (one[model] for one in own if model in one):
        found |= _places(
            {column if " " in column else f"{column} turns.mean": value for column, value in row.items()}
        )
        if row.keys() >= {*MAIN}:
            found["overall", "overall"] = overall(row)
    return found


def _places(row: Row, before: str = "") -> dict[Place, float]:
    """The figures of a row by measure and environment."""
    named = ((column.partition(" "), value) for column, value in row.items() if value is not None)
    return {(f"{before}{metric}", env): value for (env, _, metric), value in named}


def printed() -> Iterator[tuple[str, str, Table]]:
    """The tables with a row a model: name, driver of the simulated roles, table."""
    for number in ("2", "6", "7", "8", "9", "10"):
        yield f"Table {number}", DRIVER, table(number)
    yield "Table 5", OTHER_DRIVER, table("5")
