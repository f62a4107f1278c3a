"""Terms of imprisonment: the usual term of the charge in its graver or lighter form, within the range of the article.

Months, printed "N个月". The tables are `terms.toml`; the range comes from the text of the article that the search
returned. A term of one case is not to be known from its facts: this is a reference line that a constant answer nearly
reaches.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from store.search.query import LawQuery
from store.tables import Table, beside
from store.text.citation import citations
from store.text.numerals import chinese_to_int
from tasks.legalsearch.charges import canonical
from tasks.legalsearch.rules.baseline import computed_term
from tasks.legalsearch.rules.crimes import charge_query, day_of
from tasks.legalsearch.rules.facts import Facts, by_canonical, read_facts
from tasks.legalsearch.rules.looking import Query, Reply, Seen, Work, hits_of

DEFAULT = 12
"""Months where nothing is known."""
SHARE = 1 / 3
"""Where in a range from nothing to a highest term the usual term lies."""

_ARTICLES = re.compile(r"相关法条\s*[:：](.*)", re.DOTALL)
_RANGE = re.compile(
    r"处(?:(?P<low>[一二三四五六七八九十]+)年以上)?(?:(?P<high>[一二三四五六七八九十]+)年以下)?有期徒刑"
)
_SUM = re.compile(r"(?P<number>[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?)(?P<unit>万)?(?:余|多)?元")


class Terms(Table):
    """The tables: charge -> months, charge -> cue -> months, charge -> yuan -> months, cue -> factor; the usual
    steps."""

    grid: tuple[int, ...]
    usual: dict[str, int]
    graver: dict[str, dict[str, int]]
    amounts: dict[str, dict[int, int]]
    change: dict[str, float]


def tables() -> Terms:
    """The tables of `terms.toml`."""
    return beside(__package__, "terms", Terms)


def sentence(question: str, read: LawQuery) -> Work:
    """The term of a case whose articles the question names."""
    facts = read_facts(question)
    match = _ARTICLES.search(question)
    named = "".join(match[1].split()) if match else ""
    queries = tuple(text for text in (f"{day_of(read)}{named}" if named else "", charge_query(read, facts)) if text)
    found = hits_of((yield Query(queries, "查相关法条在行为时的法定刑。")))
    numbers = {one.number.key for one in citations(named)}
    cited = [hit for hit in found if hit.number in numbers]
    charge = _charge(facts, cited)
    months, why = _months(charge, facts.told)
    if months is None:
        months = next((start for hit in cited if (start := _start(hit.text or "")) is not None), DEFAULT)
        why = "该罪没有常见刑期，取法定刑幅度的三分之一处。" if cited else "没有检索到法定刑，取默认刑期。"
    computed = computed_term([hit.text for hit in cited if hit.text], _largest(facts.told))
    if computed is not None:
        return Reply(f"{computed}个月", f"{charge or '罪名不明'}：依条文规定的基准刑和增减比例计算。")
    changed, said = _changed(months, facts.told)
    return Reply(f"{changed}个月", f"{charge or '罪名不明'}：{why}{said}")


def _charge(facts: Facts, cited: Sequence[Seen]) -> str:
    """The charge among those in the headings of the cited articles that the facts bear out best; '' without one.

    Official name of today. An article whose heading is no known charge leaves the facts alone to speak.
    """
    headings = {canonical(hit.title) for hit in cited if canonical(hit.title) in by_canonical()}
    spoken = {canonical(name): points for name, points in sorted(facts.points.items(), key=lambda row: row[1])}
    known = headings & set(spoken)
    if known:
        return max(sorted(known), key=lambda name: spoken[name])
    if headings and not cited[0].text:
        return sorted(headings)[0]
    return max(spoken, key=lambda name: spoken[name]) if spoken else next(iter(sorted(headings)), "")


def _months(charge: str, told: str) -> tuple[int | None, str]:
    """The usual term of a charge in the form that the facts show, and how it was found."""
    known = tables()
    months, why = known.usual.get(charge), "常见起点刑。"
    for cue, graver in known.graver.get(charge, {}).items():
        if re.search(cue, told):
            months, why = graver, f"有“{cue.split('|')[0]}”一类情节。"
    largest = _largest(told)
    for least, term in known.amounts.get(charge, {}).items():
        if largest >= least:
            months, why = term, f"数额达到{least}元。"
    return months, why


def _largest(told: str) -> float:
    """The largest sum that the facts name, in yuan; 0 without one."""
    sums = [float(m["number"].replace(",", "")) * (10_000 if m["unit"] else 1) for m in _SUM.finditer(told)]
    return max(sums, default=0.0)


def _start(text: str) -> int | None:
    """A usual term within the first range of an article."""
    match = _RANGE.search(text)
    if match is None:
        return None
    low = 12 * (chinese_to_int(match["low"]) or 0) if match["low"] else 0
    high = 12 * (chinese_to_int(match["high"]) or 0) if match["high"] else 180
    return round(low if low else high * SHARE)


def _changed(months: int, told: str) -> tuple[int, str]:
    """The term after circumstances, on the grid of terms that courts give."""
    known, factor, said = tables(), 1.0, []
    for cue, change in known.change.items():
        if re.search(cue, told):
            factor *= change
            said.append(cue.split("|")[0])
    wanted = months * factor
    nearest = min(known.grid, key=lambda step: (abs(step - wanted), step))
    return nearest, f"情节：{'、'.join(said)}。" if said else ""
