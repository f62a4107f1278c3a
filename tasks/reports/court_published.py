"""Published reference figures of J1-Eval ("Ready Jurist One", main results and appendices), as facts: other data,
other grader.

Tables by their numbers in the paper, values from 0 to 100 unless said otherwise. None is the paper's dash, a task
that the model failed to accomplish. VER, SEN and FINE are better when low.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tasks.courts.casefile.case import Env
from tasks.courts.environment import PUBLISHED, environment
from tasks.courts.scores.of_run.columns import averaged
from tasks.scoring.published import Place, Published

Figure = float | None
Row = Mapping[str, Figure]
"""Column -> figure; columns are named `CI PFS`."""
Table = Mapping[str, Row]
"""Model -> its row, in the order of the paper."""

DRIVER = "GPT-4o"
"""The model behind the simulated roles of the main table."""
OTHER_DRIVER = "Qwen3-it. 32B"
GRADER = "gpt-4o-2024-11-20"


@dataclass(frozen=True, slots=True)
class Model:
    """A model of the paper. size: billions of parameters, None where its maker does not say; group: as tables part
    them."""

    name: str
    size: float | None
    group: str


MODELS: tuple[Model, ...] = tuple(
    Model(name, float(size) if size else None, group)
    for group, names in {
        "closed": (("GPT-4o", ""), ("Claude-3.7", "")),
        "open": (
            ("Deepseek-v3", "671"), ("Deepseek-r1", "671"), ("Llama3.3-it.", "70"), ("Qwen3-it. 32B", "32"),
            ("Gemma3-it. 27B", "27"), ("Qwen3-it. 14B", "14"), ("Gemma3-it. 12B", "12"), ("GLM4", "9"),
            ("Qwen3-it. 8B", "8"), ("InternLM3-it.", "8"), ("Ministral-it.", "8"), ("Qwen2.5-it.", "7"),
            ("Qwen3-it. 4B", "4"),
        ),
        "legal": (("LawLLM", "13"), ("Chatlaw2", "7")),
    }.items()
    for name, size in names
)  # fmt: skip
"""The 17 models in the order of the main table."""


def _columns(text: str) -> tuple[str, ...]:
    """`KQ: BIN NBIN; …` one name a column: `KQ BIN`."""
    return tuple(
        f"{env.strip()} {name}"
        for part in text.split(";")
        for env, _, names in [part.partition(":")]
        for name in names.split()
    )


def _table(columns: Sequence[str], text: str, names: Sequence[str] = ()) -> Table:
    """Lines of figures as a table: named `name | figures`, else by the given names in order."""
    made: dict[str, Row] = {}
    for line, name in zip(text.strip().splitlines(), names or [""] * len(text.strip().splitlines()), strict=True):
        head, bar, rest = line.partition("|")
        figures = (rest if bar else head).split()
        made[head.strip() if bar else name] = {
            column: None if figure == "-" else float(figure) for column, figure in zip(columns, figures, strict=True)
        }
    return made


_ALL = tuple(model.name for model in MODELS)
MAIN = tuple(f"{env} {metric}" for env in PUBLISHED for metric in environment(env).reported)
"""The columns of Tables 2 and 5."""

TABLE_2 = _table(MAIN, """
69.70 62.73 55.85 45.05 58.92 89.86 45.38 84.79 64.22 31.18 53.12 14.12 29.17 92.75 7.65 63.19 41.45
68.41 60.69 52.42 49.57 68.82 89.23 38.71 68.76 59.69 26.88 46.45 17.83 25.36 89.86 14.28 73.04 41.81
67.11 60.71 54.50 49.65 84.73 63.60 57.20 76.25 28.85 14.30 19.57 10.83 16.39 81.16 30.76 60.29 33.44
72.46 62.78 57.19 48.28 69.89 46.44 36.34 47.89 14.42 7.63 9.68 5.13 2.45 7.25 97.88 6.09 4.08
64.76 50.07 43.88 23.60 97.85 84.52 32.26 62.35 56.01 20.54 38.17 6.07 21.83 86.96 19.76 54.49 18.62
69.64 66.16 58.33 47.24 91.18 84.42 46.67 63.46 45.99 22.69 43.87 19.19 19.02 82.61 20.94 68.12 39.35
64.09 49.50 54.10 26.01 96.34 84.83 37.85 68.82 52.05 21.83 43.87 7.12 28.71 52.17 17.04 37.68 17.60
67.70 62.84 56.18 44.33 63.87 89.15 36.56 62.38 1.40 1.40 1.83 1.09 31.88 85.51 16.96 65.07 47.04
62.03 41.98 47.85 19.22 51.83 84.14 35.27 63.85 43.94 16.24 34.19 3.91 20.38 82.61 15.16 46.81 12.39
65.95 54.86 54.03 32.35 56.56 82.21 40.43 52.20 44.85 12.47 26.45 3.22 24.82 68.12 42.09 41.88 17.91
66.24 57.14 54.97 36.90 74.19 72.70 17.63 22.82 12.84 10.32 21.72 10.06 8.61 50.72 42.50 36.52 29.48
65.25 55.26 55.51 42.35 90.97 72.19 36.13 53.82 8.30 11.29 12.15 - 17.66 47.83 58.80 14.49 0.41
59.60 37.60 51.48 14.53 60.00 2.84 34.19 13.99 25.23 7.42 16.88 0.54 2.17 5.80 96.06 3.48 1.09
67.21 54.92 52.60 31.28 89.46 81.41 47.10 59.71 23.40 1.61 10.22 3.49 21.65 55.07 46.90 36.23 26.85
62.17 55.90 50.67 37.15 51.40 83.68 33.12 51.45 26.74 13.87 23.01 8.99 15.58 65.22 38.32 48.70 26.99
56.25 47.25 44.92 20.79 12.90 2.85 - - - - - - - - 100.00 - -
60.64 53.11 50.40 25.01 22.37 16.97 1.29 0.89 - 1.08 0.54 - - - 98.55 - -
""", _ALL)  # fmt: skip
"""Table 2: agents before roles that GPT-4o plays."""

TABLE_5 = _table(MAIN, """
GPT-4o | 61.46 59.08 51.14 41.60 69.46 80.57 41.72 69.09 58.23 27.31 49.14 21.11 28.08 85.51 16.46 65.51 44.45
Deepseek-v3 | 51.00 54.53 49.60 44.81 96.34 72.49 36.77 55.09 57.85 26.67 40.11 20.14 30.34 85.51 17.77 60.14 31.01
Qwen3-it. 14B | 55.42 57.94 54.03 40.20 57.85 80.94 34.84 60.98 7.15 3.76 5.81 4.34 28.26 82.61 24.10 68.41 49.84
Gemma3-it. 12B | 54.49 42.89 40.93 20.11 58.49 72.79 37.85 56.05 37.87 17.31 31.72 9.74 18.38 81.16 20.75 50.29 18.84
Chatlaw2 | 53.27 51.05 41.13 23.04 12.69 10.42 0.43 0.36 - 1.08 0.65 - - 7.25 95.08 4.64 0.91
""")  # fmt: skip
"""Table 5: the same before roles that Qwen3-Instruct-32B plays."""

TABLE_6 = _table(_columns("CD: PLA DEF CLA EVI F&R"), """
92.69 96.27 97.31 77.74 85.27
92.04 93.12 96.24 85.16 79.57
71.40 87.67 67.31 35.16 56.45
75.34 71.04 44.30 11.72 29.78
78.85 93.12 97.96 66.67 86.02
73.98 94.27 98.49 76.02 79.35
86.52 94.41 98.39 74.73 70.11
93.98 94.48 97.10 79.68 80.54
80.43 91.47 96.88 73.76 78.17
80.80 83.87 89.35 73.55 83.76
76.27 77.13 80.97 60.86 68.28
77.42 52.11 79.57 76.99 74.84
- 14.19 - - -
84.16 94.05 91.83 52.26 84.73
89.32 91.11 94.84 76.13 66.99
0.22 2.08 4.95 3.98 3.01
6.88 16.70 23.33 14.95 23.01
""", _ALL)  # fmt: skip
"""Table 6: the parts of DOC in complaints."""

TABLE_7 = _table(_columns("DD: RES DEF EVI"), """
92.54 86.56 75.27
79.93 85.27 41.08
73.91 74.30 80.54
73.55 53.66 16.45
71.04 71.94 44.09
73.41 79.25 37.74
78.92 80.22 47.31
77.13 76.24 33.76
68.32 83.66 39.57
69.82 61.61 25.16
25.66 27.85 14.95
47.38 70.86 43.23
14.12 20.22 7.63
69.25 73.55 36.34
68.83 56.13 29.68
- - -
1.07 1.61 -
""", _ALL)  # fmt: skip
"""Table 7: the parts of DOC in defences."""

TABLE_8 = _table(_columns("CI: STA ACT UNI"), """
61.02 67.41 90.32
54.03 65.34 74.19
25.27 32.42 39.78
12.63 16.21 19.35
41.13 70.89 96.77
39.78 52.19 70.97
42.47 61.62 84.95
0.81 1.99 3.23
37.10 50.79 67.74
40.32 49.38 54.84
10.22 15.47 39.78
7.26 9.35 54.84
20.43 30.02 36.56
20.16 26.63 31.18
24.19 29.28 44.09
- - -
- - 5.38
""", _ALL)  # fmt: skip
"""Table 8: the parts of PFS in the civil court."""

TABLE_9 = _table(_columns("CR: STA ACT UNI SEN FINE"), """
1.45 56.88 100.00 8.84 6.46
- 50.72 97.10 20.20 8.36
- 32.79 82.61 32.52 29.01
0.72 4.17 7.25 98.53 97.24
- 43.66 91.30 15.84 23.67
- 38.04 88.41 25.16 16.71
3.62 53.80 98.55 16.71 17.38
4.35 59.42 88.41 17.11 16.80
0.72 40.04 98.55 15.70 14.63
2.17 47.46 71.01 43.97 4.21
- 17.21 63.77 42.52 42.48
- 35.33 72.46 54.56 63.03
0.72 3.62 5.80 96.30 95.83
6.52 36.78 59.42 45.74 48.05
0.72 30.43 71.01 40.19 36.44
- - - - -
- - 1.45 98.55 98.55
""", _ALL)  # fmt: skip
"""Table 9: the parts of PFS and VER in the criminal court."""

TABLE_10 = _table(PUBLISHED, """
5.91 4.92 6.70 5.17 35.30 15.29
5.89 5.04 12.77 9.18 37.48 11.61
6.32 4.94 12.96 4.90 6.90 7.22
5.97 5.31 10.84 4.83 3.22 1.33
5.93 5.18 6.97 5.01 17.45 8.88
5.92 4.93 9.06 7.55 33.26 21.00
5.89 5.09 7.70 6.11 31.52 11.39
6.01 4.97 6.09 6.66 32.94 16.88
5.91 5.18 8.73 7.12 26.53 14.48
6.01 5.19 13.47 5.03 5.54 7.32
6.06 4.83 14.26 14.06 32.25 13.07
5.94 5.61 2.71 4.29 1.05 1.38
6.24 6.05 1.00 2.35 29.44 27.07
5.93 4.93 5.60 5.24 32.35 20.00
6.02 5.17 8.12 8.18 24.15 15.52
6.14 5.42 20.00 15.00 2.45 25.30
7.15 7.90 6.74 6.34 21.77 15.17
""", _ALL)  # fmt: skip
"""Table 10: average turns, a plain number."""

ROLES = (
    "KQ client", "LC client", "CD plaintiff", "DD defendant", "CI plaintiff_lawyer", "CI defendant_lawyer",
    "CR defendant", "CR defence_lawyer", "CR procurator",
)  # fmt: skip
"""The columns of Tables 11 and 12; the paper heads the two lawyers of CI by their clients."""

TABLE_11: Mapping[str, Table] = {
    DRIVER: _table(ROLES, """
GPT-4o | 86.84 80.53 90.11 86.67 98.60 97.93 100.00 100.00 99.73
Deepseek-v3 | 87.55 85.74 66.24 82.04 96.56 96.27 100.00 97.25 98.13
Qwen3-it. 14B | 85.10 81.47 85.16 85.16 92.59 92.50 96.96 88.00 98.00
"""),
    OTHER_DRIVER: _table(ROLES, """
GPT-4o | 92.55 90.32 92.80 89.14 97.69 96.24 100.00 94.93 99.40
Deepseek-v3 | 94.39 89.35 86.24 88.92 96.56 97.65 99.28 95.11 99.09
Qwen3-it. 14B | 92.87 90.81 89.35 89.35 94.24 100.00 95.51 97.14 100.00
"""),
}  # fmt: skip
"""Table 11: consistency of roles, rated by GPT-4o; driver -> agent -> role."""
TABLE_12: Mapping[str, Table] = {
    DRIVER: _table(ROLES, """
GPT-4o | 82.50 86.50 85.50 85.50 86.50 87.00 88.00 89.50 89.00
Deepseek-v3 | 85.50 85.50 83.50 84.00 88.00 85.00 85.50 89.50 89.00
Qwen3-it. 14B | 82.50 84.50 84.50 84.50 83.00 86.25 85.50 90.00 80.00
"""),
    OTHER_DRIVER: _table(ROLES, """
GPT-4o | 84.00 86.00 83.00 86.50 82.00 79.50 85.00 87.50 85.50
Deepseek-v3 | 85.50 85.50 85.00 85.00 78.50 84.50 80.00 87.00 64.50
Qwen3-it. 14B | 84.50 85.50 86.00 87.00 80.50 90.00 86.50 78.00 64.00
"""),
}  # fmt: skip
"""Table 12: the same, rated by people on a tenth of the cases."""
TABLE_3: Mapping[str, Table] = {
    "gpt-4o": _table((DRIVER, OTHER_DRIVER), """
GPT-4o | 94.22 95.49
Deepseek-v3 | 90.97 94.71
Qwen3-it. 14B | 89.97 94.99
"""),
    "human": _table((DRIVER, OTHER_DRIVER), """
GPT-4o | 86.67 84.33
Deepseek-v3 | 84.30 83.15
Qwen3-it. 14B | 86.33 86.39
"""),
}  # fmt: skip
"""Table 3: evaluator -> agent -> consistency by driver. The means by GPT-4o are not those of Table 11; both as
printed."""

CASES: Mapping[Env, int] = {"KQ": 98, "LC": 62, "CD": 93, "DD": 93, "CI": 93, "CR": 69}
"""Table 4: 508 cases; CD, DD and CI are made from the same 93 judgments."""

_DRAFTS = ("CD FOR", "CD DOC", "DD FOR", "DD DOC")
TABLE_13: Mapping[str, tuple[Row, ...]] = {
    model: tuple(_table((*_DRAFTS, "overall"), text).values())
    for model, text in {
        "GPT-4o": """
1 | 64.73 75.85 41.29 63.95 61.46
2 | 62.37 74.95 40.00 64.27 60.40
3 | 62.37 75.21 40.00 64.91 60.62
""",
        "Deepseek-v3": """
1 | 96.34 72.49 43.44 54.73 66.75
2 | 94.41 74.49 44.52 52.45 66.47
3 | 94.41 73.71 44.52 56.36 67.25
""",
        "Gemma3-it. 12B": """
1 | 58.06 67.15 37.85 56.05 54.78
2 | 56.13 69.00 37.85 55.81 54.70
3 | 56.13 68.87 37.85 55.42 54.57
""",
    }.items()
}
"""Table 13: three runs of three agents; before which roles, the paper does not say."""
TABLE_14: tuple[Row, ...] = tuple(_table(("KQ BIN", "KQ NBIN", "LC BIN", "LC NBIN", *_DRAFTS, "overall"), """
1 | 58.33 68.27 71.94 44.50 64.73 75.85 41.29 63.95 61.11
2 | 59.19 65.66 76.67 42.36 62.37 74.95 40.00 64.27 60.68
3 | 58.55 70.68 73.61 41.64 62.37 75.21 40.00 64.91 60.87
""").values())  # fmt: skip
"""Table 14: three runs of GPT-4o on half of the cases."""

TURN_LIMITS: Mapping[Env, tuple[int, ...]] = {"CI": (35, 40, 50), "CR": (30, 35)}
"""Limits that Figures 8 and 9 compare; their figures are drawn, not printed."""
LIMITS: Mapping[Env, int] = {env: environment(env).turns for env in PUBLISHED}
"""Appendix E."""


def overall(row: Row) -> float:
    """Mean of all columns of the main table except VER (§4.2); a dash counts 0, for the task was failed."""
    columns = [column for column in MAIN if not column.endswith(" VER")]
    return math.fsum(row[column] or 0.0 for column in columns) / len(columns)


def by_env(row: Row) -> float:
    """Mean of the means of the six environments, the other way to weigh them."""
    parts = [[row[f"{env} {metric}"] or 0.0 for metric in averaged(env)] for env in PUBLISHED]
    return math.fsum(math.fsum(own) / len(own) for own in parts) / len(parts)


def rows() -> list[Published]:
    """All that the tables print of a model, a row each: before both drivers, repeats, and how the simulated people of
    three agents were rated. A dash stays out, as in the plots of reports."""
    sizes = {model.name: model.size for model in MODELS}
    by_driver: dict[str, dict[str, Table]] = {}
    for name, driver, table in printed():
        by_driver.setdefault(driver, {})[name] = table
    found = [
        Published("J1-Eval", model, driver, ", ".join(tables), None, _values(model, tables.values()), sizes[model])
        for driver, tables in by_driver.items()
        for model in dict.fromkeys(model for table in tables.values() for model in table)
    ]
    for number, runs in (("13", TABLE_13.items()), ("14", [("GPT-4o", TABLE_14)])):
        for model, repeats in runs:
            for place, row in enumerate(repeats, 1):
                way = f"Table {number}, {place}/{len(repeats)}"
                parts = {column: value for column, value in row.items() if column != "overall"}
                found.append(Published("J1-Eval", model, way, f"Table {number}", None, _places(parts)))
    for number, rater, tables in (("11", GRADER, TABLE_11), ("12", "human", TABLE_12)):
        for driver, table in tables.items():
            for model, row in table.items():
                way = f"{driver}, rated by {rater}"
                found.append(Published("J1-Eval", model, way, f"Table {number}", None, _places(row, "graded.")))
    return found


def _values(model: str, tables: Iterable[Table]) -> Mapping[Place, float]:
    """What tables say of a model; Table 10 has turns under the names of environments."""
    found: dict[Place, float] = {}
    for row in (table[model] for table in tables if model in table):
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
    tables = {"2": TABLE_2, "6": TABLE_6, "7": TABLE_7, "8": TABLE_8, "9": TABLE_9, "10": TABLE_10}
    for number, table in tables.items():
        yield f"Table {number}", DRIVER, table
    yield "Table 5", OTHER_DRIVER, TABLE_5
