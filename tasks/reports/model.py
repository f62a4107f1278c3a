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
from tasks.reports.words import phrase, word

RATES: tuple[tuple[str, str], ...] = (
    ("compat", "success"),
    ("compat", "process"),
    ("strict", "success"),
    ("strict", "process"),
    ("strict", "success_not_given"),
    ("strict", "all_keys"),
)
"""(rule, rate) in the order of the tables."""
SHOWN_HASH = 16
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
        """Hop groups in the order of the published tables, then `all`."""
        return list(self.block["groups"])


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
    clusters: int
    design_effect: float | None
    effective_n: float


def _at(tree: Any, *path: str) -> Any:
    for name in path:
        if not isinstance(tree, Mapping) or name not in tree:
            return None
        tree = tree[name]
    return tree


def lines(report: Report, groups: Sequence[str] | None = None) -> list[Line]:
    """The lines of a block, rate by rate; only some groups if asked."""
    block = report.block
    made = []
    for rule, rate in RATES:
        for group in groups if groups is not None else report.groups:
            low, high = _at(block, "intervals", rule, rate, group) or (None, None)
            scored = _at(block, "strict", "n_scored_by_group", group) if rule == "strict" else None
            made.append(
                Line(
                    rule=rule,
                    rate=rate,
                    group=group,
                    n=block["groups"][group] if scored is None else scored,
                    value=_at(block, rule, rate, group),
                    low=low,
                    high=high,
                    method=_at(block, "interval_methods", rule, rate, group) or "",
                    floor=_at(block, "floor", rule, rate, group),
                    reference=_at(block, "ceiling", "reference", rule, rate, group),
                    walker=_at(block, "ceiling", "walker", rule, rate, group),
                    clusters=block["clusters"][group],
                    design_effect=block["design_effect"][group],
                    effective_n=block["effective_n"][group],
                )
            )
    return made


def fictional(report: Report) -> bool:
    """Whether the run used authored data: every table of it says so."""
    return "authored" in (_at(report.header, "pack", "provenance") or ())


def agent(report: Report, language: str) -> str:
    """Who was tested: the policy's label, and its model or source file."""
    name = str(_at(report.header, "spec", "agent") or "")
    behind = _at(report.header, "spec", "model") or _at(report.header, "imported", "file") or ""
    label = word(f"agent.{name}", language) if name else ""
    people = report.block.get("flags", {}).get("human", 0)
    if people and name != "human":
        label += word("agent.helped", language).format(n=people)
    return f"{label} · {behind}" if behind else label


def facts(report: Report, language: str) -> list[tuple[str, str]]:
    """Label and text of everything the header says that a reader needs, empty ones left out."""
    header, block = report.header, report.block
    pack = _at(header, "pack", "name") or ""
    marks = f" · {word('fictional', language)}" if fictional(report) else ""
    engines = {**(_at(header, "engines") or {}), **(_at(header, "prompts") or {})}
    parent = _at(header, "parent")
    rows = [
        ("agent", agent(report, language)),
        ("pack", f"{pack} {_hash(_at(header, 'pack', 'hash'))}{marks}".strip()),
        ("task_file", f"{_at(header, 'tasks', 'file') or ''} {_hash(_at(header, 'tasks', 'sha256'))}".strip()),
        ("engines", "; ".join(f"{name} {_described(what)}".strip() for name, what in engines.items())),
        ("harness", ", ".join(f"{name} {version}" for name, version in (_at(header, "versions") or {}).items())),
        ("scorers", ", ".join(block.get("scorers", {}).values())),
        (
            "parent",
            f"{parent['run']} · {parent['episode']} · {parent['step']}" if isinstance(parent, Mapping) else "",
        ),
        ("created", str(_at(header, "created") or "")),
        ("command", " ".join(map(str, _at(header, "command") or ()))),
    ]
    return [(word(key, language), printable(text)) for key, text in rows if text]


def _hash(value: Any) -> str:
    return f"({str(value)[:SHOWN_HASH]})" if value else ""


def _described(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_described(item)}" for key, item in value.items())
    text = str(value)
    if len(text) > LONGEST_FACT:
        return text_hash(text)[:SHOWN_HASH]
    return text[:SHOWN_HASH] if re.fullmatch(r"[0-9a-f]{40,}", text) else text


def counts(report: Report, language: str) -> list[tuple[str, str]]:
    """Label and text of what was counted: outcomes (they add up to n), flags, tokens, bounds."""
    block = report.block
    outcomes = [f"{word(f'outcome.{name}', language)} {count}" for name, count in block["outcomes"].items() if count]
    flags = [f"{word(f'flag.{name}', language)} {count}" for name, count in block["flags"].items() if count]
    bounds = [
        show(_at(block, "strict", "bounds", way, "success", "all"))
        for way in ("errors_as_zero", "errors_excluded", "errors_as_one")
    ]
    rows = [
        ("outcomes", f"{' · '.join(outcomes)} = {block['n']}"),
        ("flags", " · ".join(flags)),
        ("bounds", " / ".join(bounds)),
        ("epochs", str(block["epochs"])),
        ("evidence_rate", show(_at(block, "evidence_rate", "all")) if block["evidence_rate"] else ""),
        ("evidence_rate_literal", show(_at(block, "evidence_rate_literal", "all")) if block["evidence_rate"] else ""),
        ("tokens", f"{block['tokens']['total']:,}" if block["tokens"]["total"] else ""),
        ("walker", phrase(str(_at(block, "ceiling", "walker_reason") or ""), language)),
    ]
    return [(word(key, language), printable(text)) for key, text in rows if text]


def show(value: float | None, places: int = 4) -> str:
    """A rate for a table; a dash when there is none."""
    return "–" if value is None else f"{value:.{places}f}"


def show_interval(line: Line, places: int = 4) -> str:
    """The interval for a table."""
    if line.low is None or line.high is None:
        return "–"
    return f"[{line.low:.{places}f}, {line.high:.{places}f}]"


def printable(text: str) -> str:
    """The text on one line without control, bidi, private-use or undefined characters: each run becomes one mark."""
    kept = ["\0" if unicodedata.category(character).startswith("C") else character for character in text]
    return re.sub("\0+", "⍰", "".join(kept).replace("\u2028", "\0").replace("\u2029", "\0"))
