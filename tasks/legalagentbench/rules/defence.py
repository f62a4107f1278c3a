"""Points a defence can be built on: a table of general Chinese civil law, one entry of `defence.toml` a point.

A row names the words of a complaint that raise the point, the query that finds the article, and the argument.
Articles are cited only as the retriever gave them; the table holds no article numbers.
"""

from __future__ import annotations

import re

from store.tables import Table, beside
from tasks.legalagentbench.rules.complaint import Complaint


class Point(Table):
    """when: pattern over cause, claims and facts; unless: pattern that rules it out; queries: texts for the
    retriever; mentions: pattern that a fitting article contains, others are not cited under this point."""

    title: str
    queries: tuple[str, ...]
    argument: str
    when: str = ""
    unless: str = ""
    mentions: str = ""


class _Points(Table):
    """general: the point of every defence."""

    points: tuple[Point, ...]
    general: Point


MOST_POINTS = 5


def _fact_points(complaint: Complaint) -> list[Point]:
    """Points of the facts the complaint leaves out: each fact is its own query."""
    points: list[Point] = []
    for fact in complaint.own_facts[:4]:
        query = fact
        for name in (*complaint.plaintiffs, *complaint.defendants):
            query = query.replace(name, "")
        argument = f"{fact.rstrip('。；;')}。该事实直接影响本案责任的认定，被答辩人在起诉状中未予陈述。"
        points.append(Point(title="关于起诉状未陈述的事实", queries=(query[:120],), argument=argument))
    return points


def points_for(complaint: Complaint) -> list[Point]:
    """The points a complaint raises, weightiest first, and the burden of proof last."""
    text = f"{complaint.cause}\n{complaint.body}\n{''.join(complaint.own_facts)}"
    table = beside(__package__, "defence", _Points)
    raised = [p for p in table.points if re.search(p.when, text) and not (p.unless and re.search(p.unless, text))]
    claims = "".join(complaint.claims)
    raised.sort(
        key=lambda p: (
            -(
                6 * bool(re.search(p.when, complaint.cause))
                + 4 * bool(re.search(p.when, claims))
                + len(re.findall(p.when, text))
            )
        )
    )
    return [*_fact_points(complaint), *raised[:MOST_POINTS], table.general]


def closeness(query: str, article: str) -> float:
    """Share of the query's two-character pieces that an article contains."""
    pieces = {
        query[i : i + 2]
        for i in range(len(query) - 1)
        if " " not in query[i : i + 2] and "，" not in query[i : i + 2]
    }
    return sum(piece in article for piece in pieces) / len(pieces) if pieces else 0.0


_HEADING = re.compile(
    r"^\s*(?P<law>[^：\n]{2,60}?第[一二三四五六七八九十百千零〇\d]+条(?:之[一二三四五六七八九十]+)?)[：:\s]\s*"
    r"(?P<text>.*)",
    re.DOTALL,
)


def cited(article: str) -> tuple[str, str] | None:
    """(法名第X条, text) of a retrieved article, as it stands."""
    match = _HEADING.match(article)
    if not match:
        return None
    body = re.sub(r"(?:\\n|\s)+", "", match["text"])
    return match["law"], body
