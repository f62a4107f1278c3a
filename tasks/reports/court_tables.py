"""The tables of court runs, shaped like those of the paper: our rows by both rules, published rows beside them for
reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tasks.courts.casefile.case import Env
from tasks.courts.casefile.roles import role_name
from tasks.courts.environment import environment
from tasks.courts.procedure.answers import VALID
from tasks.courts.scores.columns import metrics, overall_name
from tasks.reports import court_published as published
from tasks.reports.court_rows import (
    HEADS,
    columns_of,
    court_table,
    driver,
    envs_of,
    heads,
    model_label,
    named,
    own_rows,
    place,
    published_rows,
    reference,
    words_of,
)
from tasks.reports.court_series import driver_table, rank_table, repeat_table, size_table, sweep_table
from tasks.reports.model import agent
from tasks.reports.words import phrase, word
from tasks.scoring.metrics import EMPTY, RULES, Cell, Report, Summary, Table, TableRow
from tasks.scoring.names import called, measure_name


def court_tables(reports: Sequence[Report], language: str = "zh") -> list[Table]:
    """All tables that these runs of the courts fill."""
    made = [
        _main(reports, language),
        *_parts(reports, language),
        *_stages(reports, language),
        _turns(reports, language),
        _answers(reports, language),
        *_consistency(reports, language),
        driver_table(reports, language),
        rank_table(reports, language),
        size_table(reports, language),
        sweep_table(reports, language),
        repeat_table(reports, language),
        _cases(reports, language),
    ]
    return [table for table in made if table is not None]


def _envs(envs: Iterable[Env], language: str) -> tuple[str, ...]:
    return tuple(environment(env).label[language == "en"] for env in envs)


def _role(column: str, language: str) -> str:
    env, role = place(column)
    names = environment(env).names
    return called(column, (f"{names[0]} {role_name(role, env)}", f"{names[1]} {role.replace('_', ' ')}"), language)


def _main(reports: Sequence[Report], language: str) -> Table:
    columns = columns_of(published.MAIN, envs_of(reports))
    rows = [
        *own_rows(reports, columns, language, True),
        *published_rows(published.table("2"), columns, language, overall=True),
    ]
    notes = [word(f"court.{key}", language) for key in ("overall_note", "intervals")]
    notes += [word("court.lower", language)] if "CR VER" in columns else []
    notes += (
        [word("court.grading", language)]
        if any(row.waits for report in reports for row in report.summary.scores)
        else []
    )
    values = (*named(columns, language), overall_name(language))
    return court_table("table.2", language, words_of(HEADS, language), values, rows, *notes, reference(language))


_PARTS: Mapping[str, tuple[Env, tuple[str, ...]]] = {
    "6": ("CD", ("FOR", "Label", "Seq", "DOC")),
    "7": ("DD", ("FOR", "Label", "Seq", "DOC")),
    "8": ("CI", ("PFS", "JUD", "REA", "LAW")),
    "9": ("CR", ("PFS", "CRI", "VER", "REA", "LAW")),
}
"""Table -> its environment, and metrics of it that stand elsewhere."""


def _parts(reports: Sequence[Report], language: str) -> Iterator[Table]:
    """Tables 6 to 9: the parts of DOC, PFS and VER, and our own metrics behind them."""
    for number, (env, elsewhere) in _PARTS.items():
        mine = [report for report in reports if any(group.name == env for group in report.summary.groups)]
        if not mine:
            continue
        columns = [
            f"{env} {metric}"
            for metric in metrics("strict", env)
            if metric not in elsewhere or metric in ("Label", "Seq")
        ]
        rows = [*own_rows(mine, columns, language), *published_rows(published.table(number), columns, language)]
        notes = [reference(language)] + ([word("court.misprint", language)] if number == "9" else [])
        values = [measure_name(place(column)[1], language) for column in columns]
        yield court_table(f"table.{number}", language, words_of(HEADS, language), values, rows, *notes)


def _stages(reports: Sequence[Report], language: str) -> Iterator[Table]:
    """Figure 5 as tables; the stages of the two rules are not the same."""
    for env in envs_of(reports):
        for rule in RULES:
            found = [(report, stages) for report in reports if (stages := _completed(report.summary, rule, env))]
            names = tuple(dict.fromkeys(name for _, stages in found for name in stages))
            if not names:
                continue
            rows = tuple(
                TableRow(
                    (*heads(report, language), word(f"{rule}.all", language)),
                    tuple(Cell(stages[name]) if name in stages else EMPTY for name in names),
                )
                for report, stages in found
            )
            title = f"{word('figure.5', language)} · {environment(env).label[language == 'en']}"
            yield Table(f"figure-5-{env}-{rule}", title, words_of(HEADS, language), names, rows)


def _completed(summary: Summary, rule: str, env: str) -> dict[str, float | None]:
    rows = [row for row in summary.section("stages") if (row.measure.rule, row.group.name) == (rule, env)]
    return {row.measure.name: row.value for row in rows}


def _turns(reports: Sequence[Report], language: str) -> Table:
    envs = envs_of(reports)
    label = word("court.turns", language)
    rows = [
        TableRow(
            (*heads(report, language), label),
            tuple(
                Cell(row.value) if (row := report.summary.row("", env, "mean", "turns")) else EMPTY for env in envs
            ),
        )
        for report in reports
    ]
    limits = tuple(Cell(text=str(published.LIMITS[env])) for env in published.CASES if env in envs)
    published_ = word("court.published", language)
    rows.append(TableRow((published_, "", "", word("court.limit", language)), limits, "published"))
    rows += [
        TableRow(
            (published_, model_label(model), published.DRIVER, label),
            tuple(Cell(row[env]) for env in envs),
            "published",
        )
        for model, row in published.table("10").items()
    ]
    return court_table(
        "table.10", language, words_of(HEADS, language), _envs(envs, language), rows, reference(language)
    )


def _answers(reports: Sequence[Report], language: str) -> Table | None:
    """How far the simulated roles answered what they were asked, one row a run and role."""
    rows = []
    for report in reports:
        for row in report.summary.section("validity"):
            env, role = row.group, row.measure.names[language == "en"]
            name = called(f"{env.name} {role}", (f"{env.label[0]} {role}", f"{env.label[1]} {role}"), language)
            cells = (Cell(row.value), Cell(text=str(row.n)), Cell(text=phrase(row.why, language) or "–"))
            rows.append(TableRow((*heads(report, language)[:2], name), cells))
    columns = words_of(("validity", "asked", "invalid"), language)
    note = word("court.validity_note", language).format(least=f"{100 * VALID:g}")
    return (
        court_table("table.valid", language, words_of(("run", "agent", "role"), language), columns, rows, note)
        if rows
        else None
    )


def _consistency(reports: Sequence[Report], language: str) -> Iterator[Table]:
    """Table 3, the mean over roles, and Tables 11 and 12, role by role."""
    roles = columns_of(published.ROLES, envs_of(reports))
    titles = words_of(("rater", "agent", "driver"), language)
    rows, means = [], []
    for report in reports:
        for rater, section in (("by_rules", "consistency"), ("by_grader", "graded")):
            seen = [report.summary.row("", *place(role), section) for role in roles]
            cells = [Cell(row.value) if row else EMPTY for row in seen]
            known = [cell.value for cell in cells if cell.value is not None]
            first = (word(f"court.{rater}", language), agent(report, language) or "–", driver(report, language))
            if known:
                rows.append(TableRow(first, tuple(cells)))
                means.append(TableRow(first, (Cell(sum(known) / len(known)),)))
    raters = (("gpt-4o", "by_gpt", "11"), ("human", "by_people", "12"))
    for rater, label, number in raters:
        name = f"{word('court.published', language)}: {word(f'court.{label}', language)}"
        for model, by_driver in published.means()[rater].items():
            means += [
                TableRow((name, model_label(model), who), (Cell(value),), "published")
                for who, value in by_driver.items()
            ]
        for who, table in published.rated(number).items():
            rows += [
                TableRow((name, model_label(model), who), tuple(Cell(row[role]) for role in roles), "published")
                for model, row in table.items()
            ]
    whole = words_of(("consistency",), language)
    yield court_table("table.3", language, titles, whole, means, word("court.table3", language), reference(language))
    named_roles = [_role(role, language) for role in roles]
    note = word("court.table11", language)
    yield court_table("table.11", language, titles, named_roles, rows, note, reference(language))


def _cases(reports: Sequence[Report], language: str) -> Table:
    envs = [*published.CASES]
    label = word("court.cases", language)
    rows = [
        TableRow(
            (*heads(report, language)[:2], label),
            tuple(Cell(text=str(counts.get(env, 0))) for env in envs),
            "own",
        )
        for report in reports
        for counts in [{group.name: group.n for group in report.summary.groups}]
    ]
    printed = tuple(Cell(text=str(published.CASES[env])) for env in published.CASES)
    rows.append(TableRow((word("court.published", language), "J1-Eval", label), printed, "published"))
    first = (*words_of(HEADS[:2], language), "")
    return court_table("table.4", language, first, _envs(envs, language), rows)
