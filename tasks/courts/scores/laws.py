"""LAW: which articles a judgment cites, against those of the gold.

Compat is the published rule with its faults: full titles in 《》 only, an article counts anywhere in the text, the
numeral reader loses a leading 十, a gold law without an article is never earned, and nothing is lost by citing too
much. Strict reads citations as (law, article, 之), with laws under all their names, and tells three faults of a
citation apart: the law is known and never had such an article (LAW_FAKE, 虚构条文); it had one, but none in force on
the days of the case (LAW_OLD, 非有效条文); neither a loaded pack nor the shipped list of national laws has the law,
or the version of these days (LAW_UNK, 不在索引), which proves nothing: local rules, treaties and what is younger than
the list are real law too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Literal

from store.statutes.applicable import CaseDates
from store.statutes.model import ArticleNumber, LawVersion
from store.statutes.names import ABBREVIATIONS, LIFETIMES, aliases_of, is_revision, key_of_name
from store.text.citation import citations
from store.text.normalise import fold_width
from tasks.courts.casefile.law import Laws, all_laws, shipped_laws
from tasks.courts.casefile.people import LawRef

Why = Literal["no_article", "not_in_force", "not_listed"]
"""The law is known and has no such article; it had none on the days of the case; nobody knows the law, or that
version."""

_PUBLISHED_TITLE = re.compile(r"《.*》")
_PUBLISHED_ARTICLE = re.compile(r"第[^第、]*条.*")
_PUBLISHED_PARAGRAPH = re.compile(r"第[^第条]*款")
_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")}
_UNITS = {"十": 10, "百": 100, "千": 1000}

_ORGANS = re.compile(
    r"^(?:(?:印发|关于印发)?(?:最高人民法院|最高人民检察院|公安部|司法部|国家安全部|海关总署|国务院"
    r"|全国人民代表大会常务委员会|全国人大常委会"
    r"|两高|最高法院|最高法|最高检)[、和与]?)+(?=.*(?:关于|规定|解释|意见|批复))"
)
_NO_LAW = re.compile(r"(?:合同|协议书?|章程|清单|保证书?|公约|规约|手册|守则|说明书|承诺书|借条|欠条|函|表|单|证)$")
_LAW = re.compile(r"法|条例|规定|解释|办法|意见|批复|决定|通则|总则|细则|规则|纪要|通知|标准|答复")
_PARTS = re.compile(
    r" ?(?:第 ?)?\(?[0-9一二三四五六七八九十]{1,3}\)?(?: ?[、,和及至] ?第? "
    r"?\(?[0-9一二三四五六七八九十]{1,3}\)?(?=[^条])){0,8} ?[款项]"
)
"""Paragraphs and items behind an article: 第一、四款; an article list goes on behind them."""
_FIRST = "（一）"
_MARKS = str.maketrans("〈〉", "《》")
"""Marks of a title within a title: either glyph is typography."""
_LONGEST_TITLE = 160


@dataclass(frozen=True, slots=True, order=True)
class CitedArticle:
    """One article of a law as scores compare it; `law` is its official title where that is known."""

    law: str
    number: int
    sub: int = 0

    @property
    def chinese(self) -> str:
        """《中华人民共和国刑法》第一百三十三条之一."""
        return f"《{self.law}》{ArticleNumber(self.number, self.sub).chinese}"


@dataclass(frozen=True, slots=True)
class DoubtfulCitation:
    """A cited article that is not the law of the case, or that nobody knows, and why."""

    article: CitedArticle
    why: Why


@dataclass(frozen=True, slots=True)
class LawScore:
    """Recall, precision and F1 of the cited articles, and what is doubtful among them.

    precision is None where nothing is cited, recall where the gold names no article. unnamed: articles cited without
    a law.
    """

    recall: float | None
    precision: float | None
    f1: float | None
    doubts: tuple[DoubtfulCitation, ...]
    cited: tuple[CitedArticle, ...]
    missing: tuple[CitedArticle, ...]
    extra: tuple[CitedArticle, ...]
    unnamed: tuple[str, ...]

    def doubtful(self, why: Why) -> float | None:
        """The share of the cited articles that is doubtful for one reason; None where nothing is cited."""
        return sum(doubt.why == why for doubt in self.doubts) / len(self.cited) if self.cited else None


# --- as published ---------------------------------------------------------------------------------------------------


def published_laws(gold: Sequence[str], text: str) -> float | None:
    """The published LAW of a judgment: gold articles whose 《title》 and whose number occur in it, of all; None
    without gold.

    〈〉 and 《》 of a title within a title count as one.

    Args:
        gold: entries such as 《中华人民共和国刑法》第六十七条第三款、第五十二条. A title that holds 、 is kept whole.
        text: the utterance of the judgment.
    """
    earned = total = 0
    plain = text.translate(_MARKS)
    for title, articles in published_gold(gold):
        total += max(1, len(articles))
        if title.translate(_MARKS) in plain:
            earned += sum(article in text or f"第{published_number(article)}条" in text for article in articles)
    return earned / total if total else None


def published_gold(gold: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Gold entries as the published code groups them: a title in 《》 and its articles without 款; 项 stays."""
    grouped: dict[str, list[str]] = {}
    title = ""
    for entry in gold:
        for part in re.split(r"、(?![^《]*》)", entry):
            named = _PUBLISHED_TITLE.search(part)
            title = named[0] if named else title
            rest = part[named.end() :] if named else part
            articles = grouped.setdefault(title, [])
            if found := _PUBLISHED_ARTICLE.search(rest):
                articles.append(_PUBLISHED_PARAGRAPH.sub("", found[0]))
    return list(grouped.items())


def published_number(article: str) -> int:
    """The published reading of a Chinese article number, faults kept: 第十五条 is 5, 第一百三十三条之一 is 131."""
    total = digit = 0
    for character in article:
        if character in _DIGITS:
            digit = _DIGITS[character]
        elif character in _UNITS:
            total, digit = total + digit * _UNITS[character], 0
    return total + digit


# --- strict ---------------------------------------------------------------------------------------------------------


def official_title(name: str, book: Laws | None = None) -> str:
    """The official title of a name: full, without 中华人民共和国, in common use, or without the bodies that issued
    it.

    A name that nothing knows gives its own key, so that two spellings of it still meet.
    """
    if book is not None and book.versions(name):
        versions = book.versions(name)
        return versions[0].law
    known, bare = _titles()
    for written in (name, name + _FIRST):
        key = key_of_name(written)
        title = known.get(key) or bare.get(_bare(key))
        if title:
            return title
    return _bare(key_of_name(name))


def cited_articles(text: str, book: Laws | None = None) -> tuple[list[CitedArticle], list[str]]:
    """The articles that a text cites, each once and in order, and those it cites without naming a law.

    Articles of contracts, articles of association and the like (《房屋租赁合同》第三条) are no law and are left out.
    """
    marked, titles = _marked(fold_width(text.translate(_MARKS)))
    marked = _PARTS.sub("", marked)
    found: dict[CitedArticle, None] = {}
    unnamed: dict[str, None] = {}
    for cited in citations(marked):
        if cited.law is None:
            unnamed[cited.number.chinese] = None
            continue
        title = titles.get(cited.law, cited.law)
        law = official_title(title, book)
        if _NO_LAW.search(title) or not _LAW.search(law):
            continue
        found[CitedArticle(law, cited.number.number, cited.number.sub)] = None
    return list(found), list(unnamed)


def articles_of(laws: Iterable[LawRef], book: Laws | None = None) -> list[CitedArticle]:
    """The articles of a gold list, 款 and 项 aside."""
    return list(dict.fromkeys(CitedArticle(official_title(ref.law, book), ref.article, ref.sub) for ref in laws))


def score_laws(
    text: str, gold: Sequence[LawRef], dates: CaseDates, *, neutral: str = "", book: Laws | None = None
) -> LawScore:
    """The strict LAW of a judgment.

    Args:
        text: its utterance.
        gold: the articles that the gold lists.
        dates: days of the case; an article is known when a law had it on one of them.
        neutral: text of the gold; what it cites beside the list (interest on late payment, 民事诉讼法) neither earns
            nor costs anything.
        book: a statute book asked before the shipped index.
    """
    cited, unnamed = cited_articles(text, book)
    wanted = articles_of(gold, book)
    idle = set(cited_articles(neutral, book)[0]) - set(wanted)
    counted = [article for article in cited if article not in idle]
    hits = sum(article in wanted for article in counted)
    recall = hits / len(wanted) if wanted else None
    precision = hits / len(counted) if counted else None
    f1 = None if recall is None else 2 * hits / (len(counted) + len(wanted))
    return LawScore(
        recall,
        precision,
        f1,
        tuple(DoubtfulCitation(article, why) for article in cited if (why := unknown(article, dates, book))),
        tuple(cited),
        tuple(article for article in wanted if article not in cited),
        tuple(article for article in counted if article not in wanted),
        tuple(unnamed),
    )


def unknown(article: CitedArticle, dates: CaseDates, book: Laws | None = None) -> Why | None:
    """Why an article is doubtful on the days of a case; None where the book knows it, or the shipped index, or, of a
    law that the index has not, the list.

    Days between or before listed versions of a law, on which it was in force in words that are not listed, prove
    nothing; nor do days of a version that were concluded.
    """
    shipped: Laws = shipped_laws() if shipped_laws().versions(article.law) else all_laws()
    answers = [_doubt(article, dates, laws) for laws in (book, shipped) if laws is not None]
    if None in answers:
        return None
    reasons: tuple[Why, ...] = ("not_in_force", "no_article", "not_listed")
    return next(why for why in reasons if why in answers)


def _doubt(article: CitedArticle, dates: CaseDates, laws: Laws) -> Why | None:
    versions = laws.versions(article.law)
    number = ArticleNumber(article.number, article.sub)
    having = [version for version in versions if number in laws.numbers(version.law, version.label)]
    days = [day for day in (dates.acted, dates.acted_until, dates.proceeding, dates.judged) if day]
    applied = [version for version in versions if not days or _touches(version, min(days), max(days))]
    if not having:
        return "no_article" if applied else "not_listed"
    if not days or any(version in applied or version.inferred for version in having):
        return None
    if applied:
        return "not_in_force"
    lifetime = LIFETIMES.get(article.law)
    if lifetime and any(lifetime.covers(day) for day in days):
        return None
    later = [version for version in versions if version.valid_from and version.valid_from > max(days)]
    earlier = [version for version in versions if version.valid_to and version.valid_to < min(days)]
    if later and (earlier or any(is_revision(version.label) for version in later[:1])):
        return None
    return "not_in_force"


def _touches(version: LawVersion, first: date, last: date) -> bool:
    """Whether a version applied on a day from first to last; one whose days are not known may have."""
    begins, ends = version.valid_from, version.valid_to
    return begins is None or (begins <= last and (ends is None or ends >= first))


def _bare(key: str) -> str:
    return _ORGANS.sub("", key)


@lru_cache(maxsize=1)
def _titles() -> tuple[dict[str, str], dict[str, str]]:
    """Key of a name -> official title; and the same without issuing bodies, where that means one title only.

    The shipped index has the first word, the list the last.
    """
    indexed = [*shipped_laws().names, *(name for name in ABBREVIATIONS if name not in shipped_laws().names)]
    known: dict[str, str] = {}
    bare: dict[str, str] = {}
    for names in (indexed, [name for name in all_laws().names if name not in indexed]):
        for name in names:
            for key in aliases_of(name):
                known.setdefault(key, name)
        without: dict[str, set[str]] = {}
        for name in names:
            without.setdefault(_bare(key_of_name(name)), set()).add(name)
        for key, found in without.items():
            if len(found) == 1:
                bare.setdefault(key, *found)
    return known, bare


@lru_cache(maxsize=1)
def _nested() -> re.Pattern[str]:
    """Known titles that hold a title and stand without 《》 of their own, longest first."""
    names = [fold_width(name) for name in (*shipped_laws().names, *all_laws().names) if "《" in name]
    written = {*names, *(name.removesuffix("(一)") for name in names)}
    titles = "|".join(re.escape(name) for name in sorted(written, key=len, reverse=True))
    return re.compile(rf"(?<!《)(?:{titles or '(?!)'})(?!\([一二三四五六]\))")


def _marked(text: str) -> tuple[str, dict[str, str]]:
    """The text with every title in brackets replaced by a short mark, and what each mark stands for.

    Titles hold titles (《…关于适用《…》…的解释》), and are longer than a reader of citations looks back.
    """
    titles: dict[str, str] = {}

    def mark(title: str) -> str:
        name = f"法§{len(titles)}"
        titles[name] = title
        return f"《{name}》"

    text = _nested().sub(lambda match: mark(match[0]), text)
    parts: list[str] = []
    depth = begin = last = 0
    for place, character in enumerate(text):
        if character == "《":
            begin = begin if depth else place
            depth += 1
        elif character == "》" and depth:
            depth -= 1
            inner = text[begin + 1 : place]
            if not depth and len(inner) <= _LONGEST_TITLE and inner not in titles:
                parts += [text[last:begin], mark(inner)]
                last = place + 1
        elif character == "\n":
            depth = 0
    return "".join(parts) + text[last:], titles
