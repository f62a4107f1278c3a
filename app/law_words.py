"""Statutes in words and as JSON: answers, versions, findings, for the command line and the desk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from app.desk.law.events import days_words
from app.strings import known, t
from app.terminal import clean
from store.search.references import SucceededReference
from store.statutes.book import (
    Answer,
    ArticleFound,
    Gap,
    NoText,
    NotYetInForce,
    RepealedArticle,
    StatuteBook,
    UnknownArticle,
)
from store.statutes.check import StatuteFault
from store.statutes.counterparts import Counterpart
from store.statutes.model import Article, LawVersion, Link
from store.statutes.names import short_name
from store.statutes.relations import RELATION_KINDS, Doubt
from store.statutes.timeline import TimelineEntry
from store.text.citation import parse_number
from store.text.difference import Clause, DiffPiece

if TYPE_CHECKING:
    from store.search.query import LawQuery


def period(version: LawVersion) -> str:
    """施行期间: 2015-11-01 至 2017-11-03."""
    first = version.valid_from.isoformat() if version.valid_from else "?"
    return t("law.span", first=first, last=version.valid_to.isoformat() if version.valid_to else t("law.open"))


def state_key(book: StatuteBook, version: LawVersion, today: date) -> str:
    """The state of a version, as `law.state.…` words it: behind the data nobody knows what is in force."""
    state = book.state(version, today)
    return "in_force_known" if state == "in_force" and book.stale(today) else state


def state_word(book: StatuteBook, version: LawVersion, today: date) -> str:
    """现行有效, 据现有数据有效, 已修改, 已废止 or 尚未施行."""
    return t(f"law.state.{state_key(book, version, today)}")


def doubt_words(doubt: Doubt | None, stale: date | None) -> list[str]:
    """What makes an answer less than certain: the law behind it that ended, the day on which the data end."""
    said = []
    if doubt is not None:
        key = "law.doubt.partly" if doubt.partly else "law.doubt"
        said.append(t(key, other=doubt.other, since=doubt.since.isoformat(), place=doubt.relation.where))
    return [*said, t("law.stale", day=stale.isoformat())] if stale else said


def family_of(book: StatuteBook, law: str) -> dict[str, list[str]]:
    """The laws around a law by kind of relation, as `law.relation.…` words them; kinds without any are left out."""
    named = [(f"of.{one.kind}", one.other) for one in book.relations.of(law)]
    named += [(f"upon.{one.kind}", one.law) for one in book.relations.upon(law)]
    kinds = [f"{way}.{kind}" for way in ("of", "upon") for kind in RELATION_KINDS]
    found = {kind: list(dict.fromkeys(name for own, name in named if own == kind)) for kind in kinds}
    return {kind: names for kind, names in found.items() if names}


def counterpart_line(found: Counterpart) -> str:
    """Where the rule stands now, how sure that is, and what was compared."""
    by = t(f"law.counterpart.{found.by}", heading=found.heading)
    shown = f"《{found.law}》{found.number.chinese}"
    return t("law.counterpart", article=shown, on=found.on.isoformat(), sure=t(f"law.sure.{found.sure}"), by=by)


def following_line(found: SucceededReference) -> str:
    """An article of an ended law that a text refers to, and where its rule stands now."""
    old, new = (
        f"{short_name(law)}{number.chinese}"
        for law, number in ((found.law, found.number), (found.now.law, found.now.number))
    )
    return t("law.following", old=old, new=new, sure=t(f"law.sure.{found.now.sure}"))


def following_data(found: SucceededReference) -> dict[str, object]:
    """The same as JSON."""
    return {"law": found.law, "article": found.number.key, "counterpart": counterpart_data(found.now)}


def counterpart_data(found: Counterpart | None) -> dict[str, object] | None:
    """A counterpart as JSON."""
    return None if found is None else {
        "law": found.law, "article": found.number.key, "chinese": found.number.chinese, "on": found.on.isoformat(),
        "sure": found.sure, "by": found.by, "heading": found.heading,
    }  # fmt: skip


def clause_sides(row: Clause) -> dict[str, list[DiffPiece]]:
    """What each side that has it ("old", "new") reads of a clause; line ends are left out."""
    sides = {"old": (row.old, "added"), "new": (row.new, "removed")}
    return {
        side: [replace(piece, text=piece.text.replace("\n", "")) for piece in row.pieces if piece.kind != other]
        for side, (own, other) in sides.items()
        if own
    }


def change_word(entry: TimelineEntry) -> str:
    """What became of an article in a version."""
    word = t(f"law.change.{entry.change}")
    if entry.link is not None and entry.link.from_number and entry.article:
        word += t("law.change.renumbered", old=entry.link.from_number.chinese)
    return word + (t("law.change.uncertain") if entry.uncertain else "")


def place(article: Article) -> str:
    """Part, chapter and section."""
    return " › ".join(part for part in (article.part, article.chapter, article.section) if part)


def answer_line(answer: Answer, doubtful: bool = False, stale: bool = False) -> str:
    """The answer in one sentence; doubtful: a text that was found may have ended with the law behind it; stale: the
    day lies behind the data, which makes it possible at most."""
    match answer:
        case ArticleFound(version=version):
            return t(
                f"law.answer.{'doubtful' if doubtful else 'possible' if stale else 'found'}", label=version.label
            )
        case NoText(version=version, article=article):
            if article and doubtful:
                return t("law.answer.no_text_doubtful", label=version.label)
            return t("law.answer.no_text" if article else "law.answer.not_listed", label=version.label)
        case NotYetInForce(first=first, current=current):
            key = "law.answer.not_yet_article" if current else "law.answer.not_yet"
            return t(key, label=first.label, first=_iso(first.valid_from))
        case RepealedArticle(last=last, current=current):
            key = "law.answer.repealed_article" if current else "law.answer.repealed"
            return t(key, label=last.label, last=_iso(last.valid_to))
        case Gap(first=None, before=None, after=after) if after:
            return t("law.answer.gap_before", label=after.label, first=_iso(after.valid_from))
        case Gap(first=start, last=end):
            return t("law.answer.gap", first=_iso(start) or "?", last=_iso(end) or t("law.open"))
        case UnknownArticle(what, law, _):
            return t(f"law.answer.unknown_{what}", law=law)


def answer_data(book: StatuteBook, answer: Answer, today: date) -> dict[str, object]:
    """The answer as JSON: `answer` names its kind, the other keys hold what it offers."""
    data: dict[str, Any] = {"answer": answer.kind}
    match answer:
        case ArticleFound(article, version, others) | NoText(article, version, others):
            data |= {"version": version_data(book, version, today), **article_data(article)}
            data["others"] = [version_data(book, other, today) for other in others]
            near = book.neighbours(article) if article else (None, None)
            data |= {name: _near(other) for name, other in zip(("previous", "next"), near, strict=True)}
        case NotYetInForce(first, article, current):
            data |= {"version": version_data(book, first, today), **article_data(article)}
            data["current"] = version_data(book, current, today)
        case RepealedArticle(last, article, successors, current):
            data |= {"version": version_data(book, last, today), **article_data(article)}
            data["current"] = version_data(book, current, today)
            data["successors"] = [_successor(link) for link in successors]
        case Gap():
            data |= {"first": _iso(answer.first) or None, "last": _iso(answer.last) or None, "basis": answer.basis}
            sides = (("before", answer.before, answer.article_before), ("after", answer.after, answer.article_after))
            for name, side, words in sides:
                data[name] = side and {"version": version_data(book, side, today), **article_data(words)}
        case UnknownArticle(what, law, near_names):
            data |= {"what": what, "law": law, "near": list(near_names)}
    return data


def version_data(book: StatuteBook, version: LawVersion | None, today: date) -> dict[str, object] | None:
    """A version as JSON, with its state today."""
    if version is None:
        return None
    return {
        "label": version.label,
        "valid_from": _iso(version.valid_from) or None,
        "valid_to": _iso(version.valid_to) or None,
        "adopted": _iso(version.adopted) or None,
        "inferred": version.inferred,
        "source": version.source,
        "state": book.state(version, today),
        "state_word": state_word(book, version, today),
    }


def article_data(article: Article | None) -> dict[str, object]:
    """An article as JSON; all null where the pack has none."""
    keys = ("title", "text", "part", "chapter", "section", "amended_by", "text_source", "derived", "listed")
    return {key: getattr(article, key) if article else None for key in keys}


def entry_data(book: StatuteBook, entry: TimelineEntry, today: date) -> dict[str, object]:
    """One step of a timeline as JSON."""
    return {
        "version": version_data(book, entry.version, today),
        "article": entry.article.number.key if entry.article else None,
        "change": entry.change,
        "renumbered_from": entry.link.from_number.key if entry.link and entry.link.from_number else None,
        "uncertain": entry.uncertain,
    }


def finding_data(finding: StatuteFault) -> dict[str, Any]:
    """A finding as JSON: its values, and in words what it is and what to do."""
    where = f"{finding.label}{' ' + finding.number.chinese if finding.number else ''}"
    values = dict(finding.values)
    if finding.kind in ("gap", "overlap", "window_ends", "window_begins"):
        values |= {key: values[key] or t("law.open") for key in ("last", "listed", "known") if key in values}
    key = f"law.fault.{finding.kind}"
    if finding.kind == "duplicate" and not values["really"]:
        key += "_unknown"
    return {
        "kind": finding.kind,
        "law": finding.law,
        "version": finding.label,
        "article": finding.number.key if finding.number else None,
        "sure": finding.sure,
        "certainty": t(f"law.sure.{finding.sure}"),
        "what": t(key, where=where, law=finding.law, **values),
        "todo": t(f"law.todo.{finding.kind}"),
        **{name: value for name, value in finding.values.items() if name not in ("kind", "law")},
    }


def _near(article: Article | None) -> dict[str, str] | None:
    return {"article": article.number.key, "title": article.title} if article else None


def _successor(link: Link) -> dict[str, object]:
    return {
        "law": link.to_law,
        "article": link.to_number.key if link.to_number else None,
        "on": link.on.isoformat(),
        "basis": link.basis,
    }


def _iso(day: date | None) -> str:
    return day.isoformat() if day else ""


def query_words(query: LawQuery) -> str:
    """The question as understood: 时间, 法律, 条号, 章节, 关键词, and who understood it."""
    days = [span_words(span.first, span.last) for span in query.spans]
    parts = {
        "time": days,
        "law": [short_name(law) for law in query.laws],
        "number": [number.chinese for number in query.numbers],
        "heading": query.headings,
        "keyword": query.keywords,
    }
    return understood(parts, query.made_by)


def understood(parts: Mapping[str, Sequence[str]], made_by: object) -> str:
    """The parts of a question that was read, and who read it; '' where there are none and nobody is known."""
    shown = [
        f"{t(f'law_screen.understood.{name}')} {'、'.join(map(_line, said))}" for name, said in parts.items() if said
    ]
    made = f"law_screen.made_by.{made_by}"
    return " · ".join([*shown, *([t(made)] if known(made) else [])])


FIELDS: dict[str, tuple[str, ...]] = {
    "gap": ("law", "day"), "not_yet": ("law", "day"), "repealed": ("law", "day"), "succeeded": ("law", "to"),
    "no_article": ("law", "number", "kind"), "unknown_law": ("law",), "unknown_version": ("law",),
    "dropped": ("what",), "long_query": (),
    "no_such_date": ("said",), "reversed_range": ("said",), "relative_date": ("said",), "no_dense": (),
    "unclear_time": ("said",), "unclear_version": ("said",),
    "later": ("law", "article", "day", "first"), "later_near": ("law", "article", "day", "first", "near"),
    "ended": ("law", "article", "day", "last"),
    "counterpart": ("law", "article", "to", "number", "sure"),
    "before_all": ("day", "first"), "as_of": ("day",), "doubtful": ("law", "to", "day"),
}  # fmt: skip
"""Word of a note -> what stands after it, between colons."""


def note_words(code: str) -> str:
    """A note of the search in a sentence; one that is not known here as it is."""
    word, *values = code.split(":")
    names = FIELDS.get(word)
    if names is None or len(values) < len(names):
        return _line(code)
    said = (
        dict(zip(names, [*values[: len(names) - 1], ":".join(values[len(names) - 1 :])], strict=True))
        if names
        else {}
    )
    return t(f"law_screen.note.{word}", **{name: _value(name, value) for name, value in said.items()})


def _value(name: str, value: str) -> str:
    if name in ("law", "to"):
        return _line(short_name(value))
    if name == "number":
        number = parse_number(value)
        return number.chinese if number else _line(value)
    key = {
        "sure": f"law.sure.{value}",
        "kind": f"law_screen.head.{value}",
        "what": f"law_screen.understood.{value.removesuffix('s')}",
    }.get(name, "")
    return t(key) if known(key) else _line(value)


def span_words(first: date, last: date) -> str:
    """The days that a text names; an open end as such."""
    if first == date.min:
        return t("law_screen.until", day=last.isoformat())
    return t("law_screen.since", day=first.isoformat()) if last == date.max else days_words(first, last)


def _line(text: str) -> str:
    return clean(text, multiline=False)
