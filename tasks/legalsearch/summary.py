"""What a run of LegalSearch came to: its rows, what is counted beside them, the published block and the notes of a
report; and the tables that its runs have together in a report.

Figures are means from 0 to 100. Groups are the tasks, and the means of both domains over those of their tasks that
have a score; the measure `covered` is over the questions whose statute the pack holds.

Tables stand beside the printed rows of the paper (Tables 2 and 4), and show recitals by the year of their question
(its Figure 2), by the published rule. The printed rows were made on 128 questions a task, consultations
graded by another model: facts to stand beside, not to be compared to the digit. The paper prints Figure 2 as a
picture only, so none of its curves stands here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tasks.legalsearch.settings import IN_DOMAIN, KINDS, OUT_OF_DOMAIN
from tasks.reports.model import agent
from tasks.reports.plots import scores
from tasks.reports.words import show, word
from tasks.scoring.metrics import EMPTY, RULES, Cell, Metric, Pick, Report, Summary, Table, TableRow, Tree, Value
from tasks.scoring.names import Names, called
from tasks.scoring.published import PublishedRow, published
from tasks.scoring.statistics import Interval

ALL = "all"
SOURCE = Path(__file__).with_name("published.toml")
TABLES = (("Table 2", (*IN_DOMAIN, "in_domain")), ("Table 4", (*OUT_OF_DOMAIN, "out_of_domain")))
"""A table of the paper and its columns."""


def together(reports: Sequence[Report], language: str) -> Iterator[Table]:
    """The printed tables of which a run played some task, and the recitals by year where there are any."""
    rows = published(SOURCE)
    for name, groups in TABLES:
        columns = [group for group in groups if any(_has(report, group, groups) for report in reports)]
        if columns:
            yield _printed(name, columns, groups, reports, rows, language)
    years = sorted({row.group.name for report in reports for row in _by_year(report)})
    if years:
        yield _years(years, reports, language)


def _printed(
    name: str,
    columns: Sequence[str],
    groups: Sequence[str],
    reports: Sequence[Report],
    rows: Sequence[PublishedRow],
    language: str,
) -> Table:
    labels = [KINDS[one].short[language == "en"] if one in KINDS else word(one, language) for one in columns]
    own = [
        TableRow(
            (agent(report, language), "", report.summary.run), tuple(_own(report, one, groups) for one in columns)
        )
        for report in reports
    ]
    printed = [
        TableRow(
            (row.model, row.way, f"{row.paper}, {name}"),
            tuple(Cell(row.values[ALL, one]) for one in columns),
            "published",
        )
        for row in rows
        if all((ALL, one) in row.values for one in columns)
    ]
    title = word("beside.printed", language).format(table=name)
    heads = tuple(word(key, language) for key in ("agent", "beside.way", "beside.source"))
    return Table(f"printed {name}", title, heads, tuple(labels), (*own, *printed), (word("beside.note", language),))


def _has(report: Report, group: str, groups: Sequence[str]) -> bool:
    """Whether a run has a figure to stand in a column; a mean only where no task of the domain is missing."""
    needed = [one for one in groups if one in KINDS] if group not in KINDS else [group]
    return all(report.summary.value("compat", one, ALL) is not None for one in needed)


def _own(report: Report, group: str, groups: Sequence[str]) -> Cell:
    row = report.summary.row("compat", group, ALL)
    if row is None or not _has(report, group, groups):
        return EMPTY
    low, high = (row.interval.low, row.interval.high) if row.interval else (None, None)
    return Cell(row.value, low, high, note=f"n={row.n}")


def _by_year(report: Report) -> list[Metric]:
    return [row for row in report.summary.section("year") if row.measure.name == ALL and row.value is not None]


def _years(years: Sequence[str], reports: Sequence[Report], language: str) -> Table:
    lines = [(report, {row.group.name: row for row in _by_year(report)}) for report in reports]
    rows = [
        TableRow(
            (report.summary.run,),
            tuple(Cell(found[year].value, note=f"n={found[year].n}") if year in found else EMPTY for year in years),
        )
        for report, found in lines
    ]
    title = word("beside.years", language)
    drawn = (
        scores([(year, found[year]) for year in years if year in found], f"{title} · {report.summary.run}", language)
        for report, found in lines
    )
    return Table("years", title, (word("beside.run", language),), tuple(years), tuple(rows), plot="".join(drawn))


COVERED = "covered"
DOMAINS: Mapping[str, tuple[str, ...]] = {"in_domain": IN_DOMAIN, "out_of_domain": OUT_OF_DOMAIN}
GROUPS: Mapping[str, Names] = {
    **{kind.id: kind.short for kind in KINDS.values()},
    "in_domain": ("域内平均", "In-domain mean"), "out_of_domain": ("域外平均", "Out-of-domain mean"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class VersionConfusion:
    """How often a recital is the article of another day. rate: over the `n` that are some version of it, 0 to 100;
    abstained: said that the text is missing."""

    rate: Value = None
    interval: Interval | None = None
    n: int = 0
    right: int = 0
    wrong: int = 0
    neither: int = 0
    abstained: int = 0

    def data(self) -> Tree:
        """As JSON data."""
        span = None if self.interval is None else [self.interval.low, self.interval.high]
        return {**asdict(self), "interval": span}


@dataclass(frozen=True, slots=True)
class ToolsetFacts:
    """The tools an agent had; rag_only: statutes were all that it could search; web_snapshot: None when nobody
    knows."""

    offered: list[str]
    web_snapshot: bool | None
    rag_only: bool


@dataclass(frozen=True)
class LawSummary(Summary):
    """constants: (rule, task) -> the constant answer that is its floor; ungraded: attempts that wait for a grader;
    wrong_version: of all recitals and of the covered ones; dated: task -> questions that hang on a day; tools: None
    when nobody knows; rules: whether the rules played."""

    limits = {
        "floor": ("下限：最佳常数答案", "Floor: best constant answer"),
        "reference": ("上限：参照答案", "Ceiling: gold answer"),
    }
    constants: Mapping[tuple[str, str], str] = field(default_factory=dict)
    ungraded: int = 0
    wrong_version: tuple[VersionConfusion, VersionConfusion] | None = None
    dated: Mapping[str, int] = field(default_factory=dict)
    tools: ToolsetFacts | None = None
    rules: bool = False

    def tree(self, rows: Iterable[Metric], pick: Pick) -> Tree:
        """Task -> part; a task of which nobody looked what is covered says so."""
        made: dict[str, Tree] = {}
        for row in rows:
            if row.group.n is not None:
                made.setdefault(row.group.name, {ALL: None, COVERED: None})[row.measure.name] = pick(row)
        return dict(made)

    def block(self) -> Tree:
        """The published block: one object a task."""
        tasks = [row for row in self.scores if row.group.n is not None and row.measure.name == ALL]
        of_rule: dict[str, list[Metric]] = {
            rule: [row for row in tasks if row.measure.rule == rule] for rule in RULES
        }
        details = self.section("details")
        return {
            **super().block(),
            **{rule: {row.group.name: self._part(row) for row in rows} for rule, rows in of_rule.items()},
            "details": {
                rule: Summary.tree(self, [row for row in details if row.measure.rule == rule], lambda row: row.value)
                for rule in RULES
            },
            "overall": {rule: {domain: self._overall(rule, domain) for domain in DOMAINS} for rule in RULES},
            "floor": {
                "rule": "best constant answer",
                **{rule: {row.group.name: self._floor(row) for row in rows} for rule, rows in of_rule.items()},
            },
            "ceiling": {
                "rule": "gold answer",
                **{
                    rule: {row.group.name: {ALL: row.limits["reference"]} for row in rows}
                    for rule, rows in of_rule.items()
                },
            },
            "applies": {name: {"applies": not why, "why": why} for name, why in self._applies().items()}
            if self.rules
            else None,
            "ungraded": self.ungraded,
            "wrong_version": self.mixed_up(),
            "lar_by_year": {
                row.group.name: self._part(row) for row in self.section("year") if row.measure.name == ALL
            },
            "temporal": dict(self.dated),
            "tools": None if self.tools is None else asdict(self.tools),
        }

    def _applies(self) -> dict[str, str]:
        """Task -> why the rules are no reference line for it; '' where they reach its best constant answer."""
        rows = [row for row in self.scores if row.measure.rule == "compat" and row.measure.name == ALL]
        made = {}
        for row in rows:
            floor = row.limits.get("floor")
            if row.group.n is not None and row.value is not None and floor is not None:
                below = row.value < floor
                made[row.group.name] = f"{row.value:.2f} < {floor:.2f}: below the constant answer" if below else ""
        return made

    def tables(self, reports: Sequence[Report], language: str) -> list[Table]:
        """Beside the printed rows of the paper, and recitals by year."""
        return list(together(reports, language))

    def _part(self, row: Metric) -> Tree:
        covered = self.row(row.measure.rule, row.group.name, COVERED, row.measure.section)
        made: Tree = {
            ALL: row.value, COVERED: covered and covered.value, "n": row.group.n, "n_covered": covered and covered.n,
            "n_scored": row.n,
        }  # fmt: skip
        if row.bounds:
            made["bounds"] = {"errors_as_zero": row.bounds[0], "errors_as_one": row.bounds[1]}
        return made

    def _floor(self, row: Metric) -> Tree | None:
        answer = self.constants.get((row.measure.rule, row.group.name))
        return None if answer is None else {ALL: row.limits["floor"], "answer": answer}

    def _overall(self, rule: str, domain: str) -> Tree:
        there = [task for task in DOMAINS[domain] if self.value(rule, task, ALL) is not None]
        return {
            "mean": self.value(rule, domain, ALL),
            "tasks": there,
            "missing": [t for t in DOMAINS[domain] if t not in there],
        }

    def mixed_up(self) -> Tree | None:
        """The wrong-version rate as JSON data; None where no recital was compared."""
        if self.wrong_version is None:
            return None
        every, covered = self.wrong_version
        return {**every.data(), COVERED: covered.data()}

    def notes(self, language: str) -> list[tuple[str, str]]:
        """Coverage, mixed up versions, what no grader has seen, tools, tasks that are in no mean."""
        lar, recited = self.row("compat", "lar", ALL), self.row("compat", "lar", COVERED)
        parts = list(zip(("group.all", COVERED), self.wrong_version or (), strict=False))
        below = [
            f"{called(name, GROUPS[name], language)} ({why.partition(':')[0]})"
            for name, why in self._applies().items()
            if why and self.rules
        ]
        missing = [
            f"{word(domain, language)}: {', '.join(names)}"
            for domain, tasks in DOMAINS.items()
            if self.row("compat", domain, ALL)
            and (
                names := [
                    called(task, GROUPS[task], language) for task in tasks if self.value("compat", task, ALL) is None
                ]
            )
        ]
        return [
            ("applies", word("applies.not", language).format(tasks=", ".join(below)) if below else ""),
            ("coverage", f"{recited.n} / {lar.group.n}" if lar and recited else ""),
            ("wrong_version", " · ".join(
                _said(word(name, language), one, language) for name, one in reversed(parts) if one.n or one.abstained
            )),
            ("ungraded", str(self.ungraded) if self.ungraded else ""),
            ("tools", word("flag.rag_only", language) if self.tools and self.tools.rag_only else ""),
            ("left_out", "; ".join(missing)),
        ]  # fmt: skip


def _said(label: str, found: VersionConfusion, language: str) -> str:
    span = found.interval and f"{show(found.interval.low, 2)}–{show(found.interval.high, 2)}"
    silent = f" ({word('flag.abstained', language)} {found.abstained})" if found.abstained else ""
    return f"{label} {show(found.rate, 2)} [{span or '–'}], n = {found.n}{silent}"
