"""Criminal tasks: which charges the facts bear out, and which of the offered articles of the Criminal Law apply.

Charges come from the cues of `charges.toml`; what the search returns confirms them, and where no cue speaks its headings
are the charges. Numbers of articles mean nothing to the policy before the tool has shown what stands under them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from store.search.query import LawQuery
from store.statutes.model import ArticleNumber
from store.text.citation import citations
from tasks.legalsearch.charges import canonical
from tasks.policies.statutes.facts import Facts, by_canonical, read_facts, table
from tasks.policies.statutes.likeness import contained
from tasks.policies.statutes.looking import Query, Reply, Seen, Work, hits_of

LAW = "中华人民共和国刑法"
SECOND = 0.4
"""A further charge needs this share of the points of the first."""
CONFIRMED = 1.0
"""Points for a charge whose article the search returned for the facts."""
LEAST = 3.0
"""Points below which a charge is no finding."""
TITLED, MENTIONED, LIKENESS = 1.0, 0.6, 8.0
"""What a charge in the heading of an article counts, in its text, and likeness of facts and text."""
CHOSEN = 0.45
"""An article needs this share of the points of the best one."""

_OPTION_LAW = re.compile(r"《?(?P<law>[\u4e00-\u9fff]{2,30}?(?:法|法典|条例))》?第")


def charge_query(read: LawQuery, facts: Facts) -> str:
    """The facts in short with their day, for the search."""
    return f"{day_of(read)}{facts.told[:160]}"


def accuse(question: str, read: LawQuery) -> Work:
    """The charges of the facts, joined by ; in the published form."""
    facts = read_facts(question)
    found = hits_of((yield Query((charge_query(read, facts),), "按行为时间和案件事实检索罪名条文。")))
    names = charges_of(facts, found)
    printed = _printed(names)
    if not names:
        titles = [hit.title.removesuffix("罪") for hit in found if hit.title.endswith("罪")]
        return Reply(titles[0] if titles else "", "事实中没有罪名线索，取检索到的第一个罪名。")
    listed = "、".join(f"{name}（{facts.points.get(name, 0):g}）" for name in names)
    return Reply(";".join(printed), f"事实线索得分最高的罪名：{listed}。")


def charges_of(facts: Facts, found: Sequence[Seen]) -> list[str]:
    """The charges that the facts bear out, best first: one, or more where the text speaks of several crimes."""
    shown = {canonical(hit.title) for hit in found if hit.title}
    points = {
        charge.name: facts.points[charge.name] + CONFIRMED * (charge.canonical in shown)
        for charge in table()
        if charge.name in facts.points
    }
    ranked = sorted(points, key=lambda name: -points[name])
    ranked = [name for name in ranked if points[name] >= LEAST]
    if not ranked:
        return []
    names = ranked[:1]
    if facts.several:
        stated = [by_canonical()[name].name for name in facts.stated if by_canonical()[name].name in ranked]
        more = [*stated, *(name for name in ranked[1:3] if points[name] >= max(5.0, SECOND * points[ranked[0]]))]
        names = list(dict.fromkeys([*names, *more]))[:2]
    return names


def _printed(names: Sequence[str]) -> list[str]:
    """The names with the headings of sections that data sets print before them."""
    headings = {charge.name: charge.heading for charge in table()}
    return list(dict.fromkeys(part for name in names for part in (headings.get(name, ""), name) if part))


def apply_articles(question: str, read: LawQuery, choices: Mapping[str, str]) -> Work:
    """The options whose articles fit the facts. Each option names an article; the search shows what it says."""
    facts = read_facts(question)
    law = next((match["law"] for text in choices.values() if (match := _OPTION_LAW.search(text))), LAW)
    numbers = {letter: [one.number for one in citations(text)] for letter, text in choices.items()}
    named = list(dict.fromkeys(number.chinese for listed in numbers.values() for number in listed))
    # Such tasks often name an article for those that were inserted behind it: 第一百三十三条 for 第一百三十三条之一.
    behind = "、".join(f"{number}之一" for number in named if "之" not in number)
    day = day_of(read)
    queries = (f"{day}《{law}》{'、'.join(named)}", charge_query(read, facts), f"{day}《{law}》{behind}")
    found = hits_of((yield Query(queries, "查各选项法条在行为时的条文，并按事实检索。")))
    by_number: dict[str, list[Seen]] = {}
    for hit in found:
        if hit.law == found[0].law:
            by_number.setdefault(hit.number.partition("-")[0], []).append(hit)
    points = {
        letter: max((fit(facts, hit) for n in listed for hit in by_number.get(str(n.number), ())), default=0.0)
        for letter, listed in numbers.items()
    }
    best = max(points.values(), default=0.0)
    if best <= 0:
        return Reply("", "没有检索到选项所列条文。")
    chosen = {letter for letter, value in points.items() if value >= max(CHOSEN * best, 1.0)} or {
        letter for letter, value in points.items() if value == best
    }
    chosen |= _referred(chosen, numbers, by_number)
    listed = "，".join(f"{letter} {value:.1f}" for letter, value in points.items())
    return Reply("".join(sorted(chosen)), f"各选项条文与事实的相符程度：{listed}。")


def fit(facts: Facts, hit: Seen) -> float:
    """How well an article fits the facts: the charges in its heading and text, and likeness of words."""
    text = hit.text or ""
    points = max(
        (
            max(TITLED * _mentions(hit.title, name), MENTIONED * _mentions(text, name)) * value
            for name, value in facts.points.items()
        ),
        default=0.0,
    )
    return points + LIKENESS * contained(text, facts.told) if text else points


def _mentions(text: str, name: str) -> float:
    """1 where a text names a charge, else 0; a name of several acts need not be there in full."""
    return float(bool(text) and contained(name, text) >= 0.8)


def _referred(
    chosen: set[str], numbers: Mapping[str, Sequence[ArticleNumber]], shown: Mapping[str, Sequence[Seen]]
) -> set[str]:
    """Options whose articles a chosen article refers to: 依照本法第三百八十三条的规定处罚."""
    keys = {letter: {str(number.number) for number in listed} for letter, listed in numbers.items()}
    texts = [hit.text or "" for letter in chosen for key in keys[letter] for hit in shown.get(key, ())]
    cited = {str(one.number.number) for text in texts for one in citations(text)}
    return {letter for letter, listed in keys.items() if listed & cited}


def day_of(read: LawQuery) -> str:
    """The last day of conduct that the facts tell, as a text; '' without one. Days of birth lie before the law of 1979."""
    days = [
        span.last
        for span in read.spans
        if date(1980, 1, 1) <= span.last < date.max and (span.last - span.first).days < 32
    ]
    return f"{max(days).year}年{max(days).month}月{max(days).day}日" if days else ""
