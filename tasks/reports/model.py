"""What every report shows, whatever its format: the lines of a score block and the facts of the run's header.

A number never stands alone: each line carries its interval and method, its n and clusters, floor and ceilings. Rates are
shares from 0 to 1; what does not exist is None and is shown as such.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from store.journal import text_hash
from tasks.benchmark import benchmark
from tasks.errors import UsageError
from tasks.reports.layouts import DOMAINS, RULES, CourtLayout, Layout, at, layout_of
from tasks.reports.words import WORDS, phrase, word
from tasks.run.header import is_fictional
from tasks.run.spec import RunSpec

COLUMNS = (
    "n", "value", "interval", "method", "clusters", "design_effect", "effective_n", "floor", "reference", "walker",
)  # fmt: skip
"""What a table of HTML or Markdown says of a line, in its order."""
SHOWN_HASH = 16
SETTINGS = ("paper", "free", "seed", "epochs")
LONGEST_FACT = 300
"""Characters of a fact of an engine that are shown; of a longer text (a chat template) its hash is."""
"""Characters of a hash that a person compares by eye."""


@dataclass(frozen=True, slots=True)
class Report:
    """A score block together with the header of its run ({} when there is none)."""

    block: Mapping[str, Any]
    header: Mapping[str, Any] = field(default_factory=dict)

    @property
    def groups(self) -> list[str]:
        """Groups in the order of the published tables, then the overall ones."""
        return self.layout.groups(self.block)

    @property
    def layout(self) -> Layout:
        """How its block is laid out."""
        return layout_of(self.block)


@dataclass(frozen=True, slots=True)
class Line:
    """One rate of one group with everything needed to judge it."""

    rule: str
    rate: str
    group: str
    n: int
    value: float | None
    low: float | None
    high: float | None
    method: str
    floor: float | None
    reference: float | None
    walker: float | None
    clusters: int | None
    design_effect: float | None
    effective_n: float | None
    places: int = 4
    top: float = 1.0


def lines(report: Report, groups: Sequence[str] | None = None) -> list[Line]:
    """The lines of a block, rate by rate; only some groups if asked."""
    block, layout = report.block, report.layout
    made = []
    for rule, rate in layout.rates_of(block):
        for group in groups if groups is not None else report.groups:
            if not layout.has(block, rate, group):
                continue
            low, high = layout.beside("intervals", block, rule, rate, group) or (None, None)
            made.append(
                Line(
                    rule=rule,
                    rate=rate,
                    group=group,
                    n=layout.count(block, rule, rate, group),
                    value=layout.value(block, rule, rate, group),
                    low=low,
                    high=high,
                    method=layout.beside("interval_methods", block, rule, rate, group) or "",
                    floor=layout.limit("floor", block, rule, rate, group),
                    reference=layout.limit("reference", block, rule, rate, group),
                    walker=layout.limit("walker", block, rule, rate, group),
                    clusters=block["clusters"].get(group),
                    design_effect=block["design_effect"].get(group),
                    effective_n=block["effective_n"].get(group),
                    places=layout.places,
                    top=layout.top,
                )
            )
    return made


def fictional(report: Report) -> bool:
    """Whether the run used authored data: every table of it says so."""
    return is_fictional(report.header)


def agent(report: Report, language: str) -> str:
    """Who was tested: the policy's label, and its model or source file."""
    name = str(at(report.header, "spec", "agent") or "")
    behind = at(report.header, "spec", "model") or at(report.header, "imported", "file") or ""
    label = word(f"agent.{name}", language) if name else ""
    people = report.block.get("flags", {}).get("human", 0)
    if people and name != "human":
        label += word("agent.helped", language).format(n=people)
    return f"{label} · {behind}" if behind else label


def facts(report: Report, language: str) -> list[tuple[str, str]]:
    """Label and text of everything the header says that a reader needs, empty ones left out."""
    header, block = report.header, report.block
    pack = at(header, "pack", "name") or ""
    marks = f" · {word('fictional', language)}" if fictional(report) else ""
    engines = {**(at(header, "engines") or {}), **(at(header, "prompts") or {})}
    parent = at(header, "parent")
    rows = [
        ("agent", agent(report, language)),
        ("pack", f"{pack} {_hash(at(header, 'pack', 'hash'))}{marks}".strip()),
        ("task_file", f"{at(header, 'tasks', 'file') or ''} {_hash(at(header, 'tasks', 'sha256'))}".strip()),
        ("engines", "; ".join(f"{name} {_described(what)}".strip() for name, what in engines.items())),
        ("harness", ", ".join(f"{name} {version}" for name, version in (at(header, "versions") or {}).items())),
        ("scorers", ", ".join(block.get("scorers", {}).values())),
        (
            "parent",
            f"{parent['run']} · {parent['episode']} · {parent['step']}" if isinstance(parent, Mapping) else "",
        ),
        ("settings", _settings(at(header, "spec") or {})),
        ("created", str(at(header, "created") or "")),
        ("command", " ".join(map(str, at(header, "command") or ()))),
    ]
    return [(word(key, language), printable(text)) for key, text in rows if text]


def _settings(spec: Mapping[str, Any]) -> str:
    """Settings and seats of a run that differ from the defaults."""
    common = {name: spec[name] for name in SETTINGS if spec.get(name) not in (None, RunSpec.model_fields[name].default)}
    named = {**common, **_own(spec)}
    seats = {f"seat {role}": who for role, who in (spec.get("seats") or {}).items()}
    return ", ".join(f"{name} = {value}" for name, value in {**named, **seats}.items())


def _own(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the benchmark alone that differ from its defaults; all of them where it is not installed."""
    given = {name: value for name, value in spec.items() if name not in RunSpec.model_fields}
    name = str(spec.get("benchmark"))
    try:
        defaults = benchmark(name).settings.of({}, name).model_dump(mode="json")
    except UsageError:
        return given
    return {name: value for name, value in given.items() if name in defaults and value != defaults[name]}


def _hash(value: Any) -> str:
    return f"({str(value)[:SHOWN_HASH]})" if value else ""


def _described(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_described(item)}" for key, item in value.items())
    text = str(value)
    if len(text) > LONGEST_FACT:
        return text_hash(text)[:SHOWN_HASH]
    return text[:SHOWN_HASH] if re.fullmatch(r"[0-9a-f]{40,}", text) else text


def _law_counts(block: Mapping[str, Any], language: str) -> list[tuple[str, str]]:
    """What only a block of LegalSearch counts: coverage, mixed up versions, what no grader has seen, missing tasks."""
    recited, wrong = at(block, "compat", "lar"), block.get("wrong_version")
    coverage = f"{recited['n_covered']} / {recited['n']}" if recited and recited["n_covered"] is not None else ""
    mixed = ""
    if wrong:
        parts = [(word("covered", language), wrong.get("covered")), (word("group.all", language), wrong)]
        mixed = " · ".join(
            f"{label} {show(part['rate'], 2)} [{'–'.join(show(v, 2) for v in part['interval'] or ()) or '–'}], n = {part['n']}"
            for label, part in parts
            if part and part["n"]
        )
    missing = [
        f"{word(domain, language)}: {', '.join(at(block, 'overall', 'compat', domain, 'missing') or ())}"
        for domain in DOMAINS
        if at(block, "overall", "compat", domain, "missing") and at(block, "overall", "compat", domain, "tasks")
    ]
    ungraded = block.get("ungraded")
    only = word("flag.rag_only", language) if at(block, "tools", "rag_only") else ""
    return [
        ("lar_by_window", _windows(block, language)),
        ("coverage", coverage),
        ("wrong_version", mixed),
        ("ungraded", str(ungraded) if ungraded else ""),
        ("tools", only),
        ("left_out", "; ".join(missing)),
    ]


def _court_counts(block: Mapping[str, Any], language: str) -> list[tuple[str, str]]:
    """What only a block of the courts says: profile, what is unscored and why, faults, whether it may be compared."""
    reasons: dict[str, list[str]] = {}
    for env in block["groups"]:
        for rule in RULES:
            for metric, why in (at(block, "unscored", rule, env) or {}).items():
                names = reasons.setdefault(phrase(str(why), language), [])
                names += [f"{env} {metric}"] if f"{env} {metric}" not in names else []
    from tasks.courts.procedure.findings import CODES

    names_of = CODES if language != "en" else {}
    faults = [(names_of.get(code, code), count) for code, count in (block.get("violations") or {}).items()]
    why = "; ".join(phrase(str(reason), language) for reason in block.get("not_comparable") or ())
    may = "comparable.yes" if block.get("comparable") else "comparable.no"
    lost = {env: count for env, count in (block.get("unfinished") or {}).items() if count}
    return [
        ("profile", word(f"profile.{block.get('profile')}", language)),
        ("comparable", word(may, language).format(why=why)),
        ("overall_of", _overall_of(block, language)),
        ("limits", word("limits.order", language) if at(block, "ceiling", "compat") else ""),
        ("compat_ceiling", _short_of_full(block, language)),
        ("unscored", "; ".join(f"{reason}: {', '.join(names)}" for reason, names in reasons.items())),
        ("unfinished", ", ".join(f"{env} {count}" for env, count in lost.items())),
        ("violations", ", ".join(f"{code} {count}" for code, count in faults)),
        ("moved_by_text", "; ".join(f"{env}: {_numbered(metrics)}" for env, metrics in (block.get("moved_by_text") or {}).items())),
    ]


def _numbered(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _overall_of(block: Mapping[str, Any], language: str) -> str:
    """The columns that the overall scores rest on, where some lack."""
    made = {rule: at(block, "overall", rule) or {} for rule in RULES}
    if not any(one.get("missing") for one in made.values()):
        return ""
    said = {rule: word("overall.only", language).format(names=", ".join(one.get("columns") or ()) or "–") for rule, one in made.items()}
    if len(set(said.values())) == 1:
        return next(iter(said.values()))
    return "; ".join(f"{word(f'{rule}.all', language)} {text}" for rule, text in said.items())


def _short_of_full(block: Mapping[str, Any], language: str) -> str:
    """Metrics of which even the gold answer does not earn everything by the published rule, and why."""
    from tasks.courts.scores.of_run.columns import LOWER

    found: dict[str, list[str]] = {}
    for env in block["groups"]:
        for metric, value in (at(block, "ceiling", "compat", env) or {}).items():
            if value is not None and value < 100 and metric not in LOWER:
                why = "ceiling.labels" if (env, metric) == ("DD", "FOR") else "ceiling.gold"
                found.setdefault(why, []).append(f"{env} {metric} {show(value, 2)}")
    return "; ".join(f"{', '.join(names)} ({word(why, language)})" for why, names in found.items())


def _windows(block: Mapping[str, Any], language: str) -> str:
    """Recitals under each window: of all questions, and of the covered ones."""
    found = block.get("lar_by_window") or {}
    return " · ".join(
        f"{word(f'window.{name}', language)} {show(at(part, 'compat', 'all'), 2)}"
        f" ({word('covered', language)} {show(at(part, 'compat', 'covered'), 2)})"
        for name, part in found.items()
    )


def heading(reports: Sequence[Report], column: str, language: str) -> str:
    """The head of a column; each benchmark has a floor of its own."""
    kinds = {_kind(report) for report in reports}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return word(f"{column}{kind}" if column in ("floor", "reference") else column, language)


def _kind(report: Report) -> str:
    return ".courts" if isinstance(report.layout, CourtLayout) else ".law" if report.layout.across == "rows" else ""


def measure(line: Line, language: str) -> str:
    """What a line measures: the rate by its rule; metrics of the courts keep their names."""
    key = f"{line.rule}.{line.rate}"
    if key in WORDS:
        return word(key, language)
    rate = word(f"rate.{line.rate}", language) if f"rate.{line.rate}" in WORDS else line.rate
    return f"{word(f'{line.rule}.all', language)} {rate}"


def figure(line: Line, value: float | None) -> str:
    """A figure of a line in its unit."""
    return show(value, line.places)


def counts(report: Report, language: str) -> list[tuple[str, str]]:
    """Label and text of what was counted: outcomes (they add up to n), flags, tokens, bounds."""
    block = report.block
    outcomes = [f"{word(f'outcome.{name}', language)} {count}" for name, count in block["outcomes"].items() if count]
    flags = [f"{word(f'flag.{name}', language)} {count}" for name, count in block["flags"].items() if count]
    bounds = [
        show(at(block, "strict", "bounds", way, "success", "all"))
        for way in ("errors_as_zero", "errors_excluded", "errors_as_one")
    ]
    rows = [
        ("outcomes", f"{' · '.join(outcomes)} = {block['n']}"),
        ("flags", " · ".join(flags)),
        ("bounds", " / ".join(bounds) if report.layout.across == "columns" else ""),
        ("epochs", str(block["epochs"])),
        ("evidence_rate", show(at(block, "evidence_rate", "all")) if block.get("evidence_rate") else ""),
        ("evidence_rate_literal", show(at(block, "evidence_rate_literal", "all")) if block.get("evidence_rate") else ""),
        *_law_counts(block, language),
        *(_court_counts(block, language) if isinstance(report.layout, CourtLayout) else ()),
        ("tokens", f"{block['tokens']['total']:,}" if block["tokens"]["total"] else ""),
        ("walker", phrase(str(at(block, "ceiling", "walker_reason") or ""), language)),
    ]
    return [(word(key, language), printable(text)) for key, text in rows if text]


def show(value: float | None, places: int = 4) -> str:
    """A rate for a table; a dash when there is none."""
    return "–" if value is None else f"{value:.{places}f}"


def show_interval(line: Line) -> str:
    """The interval for a table."""
    if line.low is None or line.high is None:
        return "–"
    return f"[{line.low:.{line.places}f}, {line.high:.{line.places}f}]"


def printable(text: str) -> str:
    """The text on one line without control, bidi, private-use or undefined characters: each run becomes one mark."""
    kept = ["\0" if unicodedata.category(character).startswith("C") else character for character in text]
    return re.sub("\0+", "⍰", "".join(kept).replace("\u2028", "\0").replace("\u2029", "\0"))


def plain(text: str) -> str:
    """Text that Markdown shows as it is: no markup, no HTML, no line break, no link."""
    text = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|#~$!])", r"\\\1", text).replace("://", ":&#8203;//")
