"""What several court runs say together: drivers of the simulated roles, model sizes, turn limits, repeats.

Runs belong together where nothing but the thing compared differs: same agent and settings, same tasks, same profile.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from statistics import mean, stdev

from tasks.courts.environment import environment
from tasks.courts.scores.columns import OVERALL, overall_name
from tasks.reports import court_published as published
from tasks.reports.court_rows import (
    HEADS,
    columns_of,
    court_table,
    driver,
    envs_of,
    figure,
    heads,
    mean_of,
    model_label,
    named,
    place,
    published_rows,
    reference,
    total,
    words_of,
)
from tasks.reports.model import agent, at, printable
from tasks.reports.words import word
from tasks.run.header import size_of
from tasks.scoring.metrics import EMPTY, RULES, Cell, Kind, Report, Summary, Table, TableRow

_AGENT = ("agent", "model", "paper", "calls", "temperature", "tools", "law_pack")
_FIELD = ("profile", "pack", "env", "task_ids", "types", "limit")
Key = tuple[str, ...]


def tested(report: Report) -> Key:
    """What was tested: agent, model and the settings that are its own."""
    return _settings(report, _AGENT)


def field_of(report: Report) -> Key:
    """On what: tasks and profile; of a sample, which one."""
    return (
        str(at(report.header, "tasks", "sha256")),
        *(f"{group.name} {group.n}" for group in report.summary.groups),
        *_settings(report, _FIELD),
        *(_settings(report, ("task_seed",)) if at(report.header, "spec", "limit") else ()),
    )


def _settings(report: Report, names: Sequence[str]) -> Key:
    spec = at(report.header, "spec") or {}
    return tuple(str(spec.get(name)) for name in names)


def _limit(report: Report) -> int | None:
    found = at(report.header, "spec", "max_turns")
    return found if isinstance(found, int) else None


def _grouped(reports: Sequence[Report], *keys: Callable[[Report], object]) -> list[list[Report]]:
    """Runs that agree in all keys, in order of their first; runs without a header agree with nobody."""
    groups: dict[tuple[object, ...], list[Report]] = {}
    for report in reports:
        if report.header:
            groups.setdefault(tuple(key(report) for key in keys), []).append(report)
    return list(groups.values())


def _driver(report: Report) -> str:
    return driver(report, "en")


def driver_table(reports: Sequence[Report], language: str) -> Table:
    """Table 5: our runs before roles that are not played by rules, and the published rows before both models."""
    columns = columns_of(published.MAIN, envs_of(reports))
    rows: list[TableRow] = []
    for report in sorted(reports, key=lambda report: (field_of(report), tested(report), _driver(report))):
        if _driver(report) == word("court.rules", "en"):
            continue
        for rule in RULES:
            cells = [figure(report.summary, rule, column, language) for column in columns]
            rows.append(
                TableRow(
                    (*heads(report, language), word(f"{rule}.all", language)), (*cells, total(report.summary, rule))
                )
            )
    both = {model: published.table("2")[model] for model in published.table("5")}
    rows += published_rows(both, columns, language, published.DRIVER, True)
    rows += published_rows(published.table("5"), columns, language, published.OTHER_DRIVER, True)
    values = (*named(columns, language), overall_name(language))
    return court_table("table.5", language, words_of(HEADS, language), values, rows, reference(language))


def rank_table(reports: Sequence[Report], language: str) -> Table:
    """Figure 6: the overall scores of the same agents before two drivers, and how far these rank them alike."""
    columns = columns_of(published.MAIN, envs_of(reports))
    rows: list[TableRow] = []
    for group in _grouped(reports, field_of, _limit):
        by_driver: dict[str, dict[Key, Report]] = {}
        for report in group:
            if report.summary.tally.flags.get("human"):  # what a person did ranks no model
                continue
            by_driver.setdefault(_driver(report), {}).setdefault(tested(report), report)
        names = list(by_driver)
        for first, second in combinations(names, 2):
            for rule in RULES:
                rows += _ranked(by_driver[first], by_driver[second], rule, language)
    shared = list(published.table("5"))
    pair = [
        [mean_of(table[model], columns) or 0.0 for model in shared]
        for table in (published.table("2"), published.table("5"))
    ]
    title = f"{published.DRIVER} / {published.OTHER_DRIVER}"
    rows += _agreement(
        [model_label(model) for model in shared], pair, title, word("court.paper", language), "published", language
    )
    overall, *statistics = words_of(("overall", "tau", "rho"), language)
    values = (f"{overall} A", f"{overall} B", *statistics)
    note = word("court.overall_note", language)
    return court_table("figure.6", language, words_of(("driver", "agent", "rule"), language), values, rows, note)


def _ranked(first: dict[Key, Report], second: dict[Key, Report], rule: str, language: str) -> list[TableRow]:
    shared = [who for who in first if who in second]
    values = [[one[who].summary.value(rule, OVERALL, OVERALL) for who in shared] for one in (first, second)]
    known = [index for index in range(len(shared)) if values[0][index] is not None and values[1][index] is not None]
    if len(known) < 2:
        return []
    pair = [[float(column[index] or 0.0) for index in known] for column in values]
    title = f"{driver(first[shared[0]], language)} / {driver(second[shared[0]], language)}"
    names = [agent(first[shared[index]], language) or "–" for index in known]
    return _agreement(names, pair, title, word(f"{rule}.all", language), "own", language)


def _agreement(
    names: Sequence[str], pair: Sequence[Sequence[float]], title: str, rule: str, kind: Kind, language: str
) -> list[TableRow]:
    rows = [
        TableRow((title, name, rule), (Cell(first), Cell(second), EMPTY, EMPTY), kind)
        for name, first, second in zip(names, *pair, strict=True)
    ]
    common = f"{word('court.common', language)}: {len(names)}"
    return [*rows, TableRow((title, common, rule), (EMPTY, EMPTY, Cell(kendall(*pair)), Cell(spearman(*pair))), kind)]


def kendall(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b (1945), from -1 to 1; None where one of the two does not rank at all, or for fewer than two."""
    pairs = [(i, j) for i in range(len(first)) for j in range(i)]
    signs = [(_sign(first[i] - first[j]), _sign(second[i] - second[j])) for i, j in pairs]
    ranked = math.sqrt(sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs))
    return sum(a * b for a, b in signs) / ranked if ranked else None


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rho: the correlation of ranks, equal values share the mean of theirs; None as for `kendall`."""
    a, b = ranks(first), ranks(second)
    middle = (len(a) + 1) / 2
    over = sum((x - middle) * (y - middle) for x, y in zip(a, b, strict=True))
    under = math.sqrt(sum((x - middle) ** 2 for x in a) * sum((y - middle) ** 2 for y in b))
    return over / under if under else None


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1 (the least), ties at the mean of their places."""
    return [sum(other < value for other in values) + (values.count(value) + 1) / 2 for value in values]


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def size_table(reports: Sequence[Report], language: str) -> Table:
    """Figure 4: overall scores by size; a note names those whose size is not known or whose score is not whole."""
    columns = columns_of(published.MAIN, envs_of(reports))
    rows: list[TableRow] = []
    left: list[str] = []
    for report in reports:
        size, whole = size_of(report.header), total(report.summary, "compat")
        name = agent(report, language) or printable(report.summary.run)
        by_env = report.summary.value("compat", OVERALL, "by_env", "overall")
        rows.append(TableRow(heads(report, language)[:2], (Cell(size), whole, Cell(by_env))))
        if size is None or whole.note or whole.value is None:
            left.append(name)
    for model in published.models():
        main = published.table("2")[model.name]
        value = mean_of(main, columns)
        every = Cell(published.by_env(main)) if len(columns) == len(published.MAIN) else EMPTY
        rows.append(
            TableRow(
                (word("court.published", language), model_label(model.name)),
                (Cell(model.size), Cell(value), every),
                "published",
            )
        )
    notes = [word("court.overall_note", language)]
    notes += [word("court.no_size", language).format(names=", ".join(dict.fromkeys(left)))] if left else []
    values = words_of(("size", "overall", "by_env"), language)
    return court_table("figure.4", language, words_of(HEADS[:2], language), values, rows, *notes)


def sweep_table(reports: Sequence[Report], language: str) -> Table | None:
    """Figures 8 and 9: the same agent under several turn limits; None where the runs have only one."""
    columns = columns_of(published.MAIN, envs_of(reports))
    rows: list[TableRow] = []
    for group in _grouped(reports, field_of, tested, _driver):
        if len({_limit(report) for report in group}) < 2:
            continue
        for report in sorted(group, key=lambda report: (_limit(report) is None, _limit(report) or 0)):
            limit = _limit(report)
            label = word("court.default", language) if limit is None else str(limit)
            for rule in RULES:
                cells = [figure(report.summary, rule, column, language) for column in columns]
                turns = [Cell(report.summary.value("", env, "mean", "turns")) for env in envs_of(reports)]
                rows.append(
                    TableRow(
                        (*heads(report, language), label, word(f"{rule}.all", language)),
                        (*cells, total(report.summary, rule), *turns),
                    )
                )
    if not rows:
        return None
    turns_of = tuple(
        f"{environment(env).label[language == 'en']} {word('court.turns', language)}" for env in envs_of(reports)
    )
    limits = {env: ", ".join(map(str, values)) for env, values in published.TURN_LIMITS.items()}
    note = word("court.figure8", language).format(ci=limits["CI"], cr=limits["CR"])
    values = (*named(columns, language), overall_name(language), *turns_of)
    return court_table("figure.8", language, words_of((*HEADS[:3], "limit", HEADS[3]), language), values, rows, note)


def repeat_table(reports: Sequence[Report], language: str) -> Table | None:
    """Tables 13 and 14: each repeat of the same evaluation with mean, standard deviation and range between them."""
    columns = columns_of(published.MAIN, envs_of(reports))
    rows: list[TableRow] = []
    for group in _grouped(reports, field_of, tested, _driver, _limit):
        for rule in RULES:
            repeats = [figures for report in group for figures in _figures(report.summary, rule, columns)]
            if len(repeats) > 1:
                who = (agent(group[0], language) or "–", driver(group[0], language), word(f"{rule}.all", language))
                rows += _repeats(who, repeats, "own", language)
    if not rows:
        return None
    for _, model, runs in published.repeats():
        names = [*columns, OVERALL] if all(column in columns for column in runs[0] if column != OVERALL) else columns
        figures = [[run.get(name) if name in names else None for name in (*columns, OVERALL)] for run in runs]
        if any(value is not None for value in figures[0]):
            who = (model_label(model), "–", word("court.paper", language))
            rows += _repeats(who, figures, "published", language)
    values = (*named(columns, language), overall_name(language))
    return court_table(
        "table.13",
        language,
        (*words_of(HEADS[1:], language), word("epochs", language)),
        values,
        rows,
        reference(language),
    )


def _figures(summary: Summary, rule: str, columns: Sequence[str]) -> list[list[float | None]]:
    """The figures of each repeat; of the run itself where its tasks ran once."""
    epochs = summary.tally.epochs
    sections = [f"repeat {epoch}" for epoch in range(epochs)] if epochs > 1 else [""]
    places = [*map(place, columns), (OVERALL, OVERALL)]
    return [[summary.value(rule, env, metric, section) for env, metric in places] for section in sections]


def _repeats(
    who: tuple[str, ...], figures: Sequence[Sequence[float | None]], kind: Kind, language: str
) -> list[TableRow]:
    rows = [
        TableRow((*who, word("court.repeat", language).format(n=number)), tuple(_there(value) for value in run), kind)
        for number, run in enumerate(figures, 1)
    ]
    spread: dict[str, list[Cell]] = {"court.mean": [], "court.sd": [], "court.range": []}
    for column in zip(*figures, strict=True):
        known = [value for value in column if value is not None]
        whole = len(known) == len(column) > 1
        spread["court.mean"].append(Cell(mean(known)) if whole else EMPTY)
        spread["court.sd"].append(Cell(stdev(known)) if whole else EMPTY)
        spread["court.range"].append(Cell(max(known) - min(known)) if whole else EMPTY)
    return [*rows, *(TableRow((*who, word(key, language)), tuple(cells), "spread") for key, cells in spread.items())]


def _there(value: float | None) -> Cell:
    return EMPTY if value is None else Cell(value)
