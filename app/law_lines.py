"""One article on a day: its words and window, or why there are none — 尚未施行, 已废止, 版本表缺口, 未收录文本, each
in its own way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from app.desk.episode.renderers import Line, Piece, many, one
from app.desk.law.events import STATES
from app.law_reading import ArticleView, Days, LawTimespan
from app.law_words import answer_line, counterpart_line, doubt_words, following_line, period, place
from app.strings import t
from app.terminal import pad, width
from store.statutes.book import ArticleFound, Gap, NoText, NotYetInForce, RepealedArticle, UnknownArticle
from store.statutes.model import Article, LawVersion
from store.statutes.names import short_name
from store.statutes.timeline import wording

FULL, EMPTY, HOLE, TICK, WITHIN = "▮", "▯", "✘", "◊", "♦"
"""In the window; outside; no version at all; the day asked about, outside and within. All are one cell wide
everywhere."""
_DAY = timedelta(days=1)


def period_bar(
    window: tuple[date | None, date | None], life: LawTimespan, cells: int, day: date | None = None
) -> list[Piece]:
    """The window of one version over the life of its law, `cells` wide."""
    marks = [EMPTY] * cells
    first, last = window
    within = day is not None and first is not None and first <= day and (last is None or day <= last)
    if first is not None:
        for cell in _covered((first, last or life.last), life, cells):
            marks[cell] = FULL
    if day is not None:
        marks[_cell(day, life, cells)] = WITHIN if within else TICK
    return _pieces(marks)


def law_bar(life: LawTimespan, cells: int) -> list[Piece]:
    """All versions of a law over its life, with the holes between them."""
    marks = [EMPTY] * cells
    for first, last in life.windows:
        for cell in _covered((first, last or life.last), life, cells):
            marks[cell] = FULL
    for hole in life.holes:
        for cell in _covered(hole, life, cells):
            marks[cell] = HOLE
    return _pieces(marks)


def with_years(bar: Sequence[Piece], life: LawTimespan) -> list[Piece]:
    """The bar between the years in which the life begins and ends."""
    last = t("law.open") if any(end is None for _, end in life.windows) else f"{life.last.year}"
    return [(f"{life.first.year} ", "dim"), *bar, (f" {last}", "dim")]


def years_width(life: LawTimespan) -> int:
    """Cells that the years beside a bar take."""
    return sum(width(text) for text, _ in with_years((), life))


def pointer(life: LawTimespan, cells: int, day: date) -> Line:
    """The line below a bar with its years that points at a day and names it."""
    before = width(f"{life.first.year} ") + _cell(day, life, cells)
    named = day.isoformat()
    if before + 2 + len(named) > years_width(life) + cells:
        return ((" " * (before - len(named) - 1), "dim"), (named, "text"), (f" {TICK}", "mark"))
    return ((" " * before, "dim"), (f"{TICK} ", "mark"), (named, "text"))


def _covered(days: Days, life: LawTimespan, cells: int) -> list[int]:
    first, last = max(days[0], life.first), min(days[1], life.last)
    if first > last:
        return []
    total = (life.last - life.first).days + 1
    begin, end = (first - life.first).days * cells / total, ((last - life.first).days + 1) * cells / total
    half = [
        cell for cell in range(int(begin), min(cells, int(end) + 1)) if min(end, cell + 1) - max(begin, cell) >= 0.5
    ]
    return half or [min(cells - 1, int(begin))]


def _pieces(marks: list[str]) -> list[Piece]:
    pieces: list[Piece] = []
    for mark in marks:
        role = {FULL: "label", EMPTY: "rule", HOLE: "bad", TICK: "warn", WITHIN: "mark"}[mark]
        if pieces and pieces[-1][1] == role:
            pieces[-1] = (pieces[-1][0] + mark, role)
        else:
            pieces.append((mark, role))
    return pieces


def _cell(day: date, life: LawTimespan, cells: int) -> int:
    """The cell of a day; days outside the life stand at its ends."""
    total = (life.last - life.first).days + 1
    return min(max((day - life.first).days * cells // total, 0), cells - 1)


LABEL = 10
"""Cells of the names of facts."""
LONGEST_BAR = 40
NAMED = 3
"""Laws that are named of each kind of relation."""
HEADS = {"found": "", "no_text": "warn", "not_yet": "warn", "repealed": "bad", "gap": "bad", "unknown": "bad"}
"""Kind of answer -> role of the word above it; a found text needs none."""


def reading_lines(reading: ArticleView, width: int, *, keys: bool = True) -> Iterator[Line]:
    """All lines of a reading for a width in cells; bars and rules fill it. keys: name the keys that lead further."""
    law = one(short_name(reading.law.name))
    title = reading.article.title if reading.article else ""
    yield ((f"{law}{reading.number.chinese}", "question"), *(((f"　{one(title)}", "label"),) if title else ()))
    answer = reading.answer
    if reading.doubt:
        yield ((f"▌{t('law.state.doubtful')}", "warn"), (f"　{(reading.day or reading.today).isoformat()}", "text"))
    if role := HEADS[answer.kind]:
        day, word = reading.day or reading.today, t(f"law_screen.head.{answer.kind}")
        yield ((f"▌{word}", role), (f"　{day.isoformat()}", "text"))
        yield ((one(answer_line(answer, reading.doubt is not None)).removeprefix(word).lstrip("：: "), role),)
    if reading.life is not None:
        yield from _bar(reading, width)
    for line in doubt_words(reading.doubt, reading.stale):
        yield ((one(line), "warn"),)
    if reading.counterpart is not None:
        yield (("c " if keys else "", "label"), (one(counterpart_line(reading.counterpart)), "text"))
    match answer:
        case ArticleFound(article, version, others) | NoText(article, version, others):
            yield from version_lines(reading, version, article, width)
            for other in others:
                yield ((t("law.other", label=one(other.label), period=period(other)), "warn"),)
            yield from _without_text(reading) if keys and isinstance(answer, NoText) else ()
            for cited in reading.cited:
                yield ((one(following_line(cited)), "label"),)
            yield from _near(reading, width, keys)
        case Gap():
            yield from _gap(reading, answer, width, keys)
        case NotYetInForce(first, article, current):
            yield from _instead(current)
            yield ((t("law_screen.later_text"), "label"),)
            yield from version_lines(reading, first, article, width)
        case RepealedArticle(last, article, successors, current):
            yield from _instead(current)
            for link in successors:
                name = f"《{link.to_law}》{link.to_number.chinese if link.to_number else ''}"
                yield ((t("law.successor", law=one(name), on=link.on.isoformat(), basis=one(link.basis)), "label"),)
            yield ((t("law_screen.last_text"), "label"),)
            yield from version_lines(reading, last, article, width)
        case UnknownArticle(what, _, near):
            if near:
                yield ((t("law_screen.near", laws="、".join(map(one, near))), "text"),)
            yield ((t(f"law_screen.unknown.{what}"), "dim"),)


def around(reading: ArticleView) -> Iterator[Line]:
    """What the check of the law's versions found, and the laws around it, a line each."""
    if reading.findings:
        kinds = Counter(finding.kind for finding in reading.findings)
        told = "；".join(f"{t(f'law.kind.{kind}')} {n}" for kind, n in kinds.items())
        yield ((_name("findings"), "dim"), (told, "warn"))
    if reading.kin:
        told = "；".join(
            t(f"law.relation.{kind}", n=len(kin)) + "、".join(f"《{one(short_name(name))}》" for name in kin[:NAMED])
            for kind, kin in reading.kin.items()
        )
        yield ((_name("related"), "dim"), (told, "text"))


def version_lines(reading: ArticleView, version: LawVersion, article: Article | None, width: int) -> Iterator[Line]:
    """The facts of a version and of the article in it, then the words."""
    state = reading.states.get(version.label, "unknown")
    days = f"{period(version)}{t('law.inferred') if version.inferred else ''}　"
    yield ((_name("period"), "dim"), (days, "text"), (t(f"law.state.{state}"), STATES.get(state, "dim")))
    yield _fact("version", version.label)
    if article is None:
        return
    known = wording(reading.entries, version.label)
    if known is not None and known != (version.valid_from, version.valid_to):
        last = known[1].isoformat() if known[1] else t("law.open")
        yield _fact("wording", t("law.span", first=known[0].isoformat() if known[0] else "?", last=last))
    yield (("─" * width, "rule"),)
    yield from many(article.text) if article.text is not None else (((t("law.no_words"), "warn"),),)
    facts = (
        ("place", place(article)),
        ("amended_by", article.amended_by),
        ("source", f"{article.text_source}{t('law.derived') if article.derived else ''}"),
        ("listed", article.listed),
    )
    if any(text for _, text in facts):
        yield (("─" * width, "rule"),)
    yield from (_fact(name, text) for name, text in facts if text)


def _bar(reading: ArticleView, width: int) -> Iterator[Line]:
    life = reading.life
    assert life is not None
    cells = min(LONGEST_BAR, max(8, width - years_width(life)))
    version, answer = reading.version, reading.answer
    whole = isinstance(answer, Gap) or version is None
    day = reading.day
    if whole:
        bar = law_bar(life, cells)
    else:
        assert version is not None
        bar = period_bar((version.valid_from, version.valid_to), life, cells)
    yield tuple(with_years(bar, life))
    if day is not None:
        yield pointer(life, cells, day)
    if whole and life.holes:
        legend = [(f"{FULL} ", "label"), (t("law_screen.legend.any"), "dim")]
        yield (*legend, (f"　{HOLE} ", "bad"), (t("law_screen.legend.hole"), "dim"))


def _gap(reading: ArticleView, gap: Gap, width: int, keys: bool) -> Iterator[Line]:
    if gap.basis:
        yield ((t("law.gap_basis", basis=one(gap.basis)), "text"),)
    if keys:
        yield ((t("law_screen.gap_todo" if gap.before and gap.after else "law_screen.gap_todo_one"), "dim"),)
    for word, side, article in (("before", gap.before, gap.article_before), ("after", gap.after, gap.article_after)):
        yield ((" ", "dim"),)
        if side is None:
            yield ((f"{t(f'law.{word}')}：", "label"), (t("law_screen.none_in_pack"), "dim"))
            continue
        article = _followed(reading, side) or article
        number = f"　{article.number.chinese}" if article else ""
        yield ((f"▌{t(f'law.{word}')}{number}", "label"),)
        if article is not None and article.number != reading.number:
            yield ((t("law.followed", old=reading.number.chinese, new=article.number.chinese), "warn"),)
        yield from version_lines(reading, side, article, width)
        if article is None:
            yield ((t("law.change.absent"), "warn"),)


def _followed(reading: ArticleView, version: LawVersion) -> Article | None:
    """The article in a version, under the number that it has there."""
    return next((entry.article for entry in reading.entries if entry.version.label == version.label), None)


def _instead(current: LawVersion | None) -> Iterator[Line]:
    """The version of the law on that day, where only the article is missing in it."""
    if current is not None:
        yield ((t("law_screen.current", label=one(current.label), period=period(current)), "text"),)


def _without_text(reading: ArticleView) -> Iterator[Line]:
    having = [
        entry.version for entry in reading.entries if entry.article is not None and entry.article.text is not None
    ]
    if having:
        names = "、".join(one(version.label) for version in having[:4])
        yield ((t("law_screen.text_elsewhere", labels=names), "text"),)
    else:
        yield ((t("law_screen.text_nowhere"), "dim"),)


def _near(reading: ArticleView, width: int, keys: bool) -> Iterator[Line]:
    signs = ("[ ", "] ") if keys else (_name("previous"), _name("next"))
    marks = [(sign, other) for sign, other in zip(signs, reading.near, strict=True) if other is not None]
    if marks:
        yield (("─" * width, "rule"),)
    for sign, other in marks:
        yield ((sign, "label"), (f"{other.number.chinese}　{one(other.title)}".rstrip("　"), "dim"))


def _fact(name: str, text: str) -> Line:
    return ((_name(name), "dim"), (one(text), "text"))


def _name(name: str) -> str:
    return pad(t(f"law.{name}"), LABEL)
