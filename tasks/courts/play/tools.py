"""The tools of the tested seat: search of statutes, one article, search of cases, all as of the day of the case.

Rules policies use the same search. Cases are under real law, so a pack of fictional law is never searched. Nothing
here raises for what a model wrote: arguments of any shape give an answer or a plain sentence. Days are calendar days.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from store.pack import Pack
from store.search import search_documents
from store.search.law_search import Hit, LawSearch, SearchSettings
from store.search.notes import sentences
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
from store.statutes.model import Article, LawVersion
from store.text.citation import parse_number
from store.text.dates import plain_date
from tasks.courts.casefile.case import Case
from tasks.courts.play.episode import law_day
from tasks.courts.settings import CourtSettings, settings_of
from tasks.episode.events import ToolCalled
from tasks.episode.plain import plain, plain_text
from tasks.episode.seats import Steps, emit
from tasks.episode.state import State
from tasks.episode.with_tools import SEAT, ToolResult, returned
from tasks.errors import UsageError
from tasks.run.engines import embedder_of
from tasks.run.spec import RunSpec

SEARCH_LAW, SHOW_LAW, SEARCH_CASES = "search_law", "show_law", "search_cases"
STATUTES = (SEARCH_LAW, SHOW_LAW)
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    SEARCH_LAW: ("query",),
    SHOW_LAW: ("law", "article"),
    SEARCH_CASES: ("query",),
}
"""Tool -> its arguments, all texts."""


@dataclass
class CourtTools:
    """What may be called; `search` is None where no real statutes are at hand, `judgments` where no real cases
    are."""

    search: LawSearch | None
    cases: Mapping[str, Case]
    offered: tuple[str, ...] = ()
    judgments: Pack | None = field(default=None, repr=False)

    @classmethod
    def of(cls, pack: Pack, spec: RunSpec, cases: Mapping[str, Case]) -> CourtTools:
        """The tools of a run: over the pack that `--law-pack` names, else over its own where its law is real.

        Raises:
            UsageError: the pack that was named holds no real law.
        """
        settings = settings_of(spec)
        books = _named(pack, settings.law_pack) if settings.law_pack else pack
        search = LawSearch(books, embed=embedder_of(books)) if real_statutes(books) else None
        judgments = books if real_cases(books) else None
        there = [*(STATUTES if search else ()), *((SEARCH_CASES,) if judgments else ())]
        return cls(search, cases, tuple(tool for tool in there if tool in _allowed(settings)), judgments)

    def call(self, state: State, tool: str, given: object) -> Steps:
        """Carry out a call, with the events that come of it."""
        asked = yield from emit(ToolCalled(seat=SEAT, tool=tool, input=plain(given)))
        started = time.perf_counter()
        result = self._returned(tool, given, law_day(self.cases[state.task_id]))
        parts = (result.status, result.observation, result.value, result.provenance)
        event = returned(state, tool, started, *parts)
        yield from emit(event, parent=asked)

    def _returned(self, tool: str, given: object, day: date | None) -> ToolResult:
        if tool not in self.offered:
            known = "、".join(self.offered) or "无"
            return ToolResult("call_error", f"没有名为 {tool[:60]} 的工具。可用的工具：{known}。")
        names = ARGUMENTS[tool]
        texts = texts_of(given, *names)
        if texts is None:
            wanted = ", ".join(f'"{name}": "…"' for name in names)
            return ToolResult("call_error", f"{tool} 的参数应为 {{{wanted}}}，各项都是不空的文本。")
        return self._tools()[tool](texts, day)

    def _tools(self) -> Mapping[str, Callable[[tuple[str, ...], date | None], ToolResult]]:
        found: dict[str, Callable[[tuple[str, ...], date | None], ToolResult]] = {}
        if (search := self.search) is not None:
            found[SEARCH_LAW] = lambda texts, day: search_law(search, texts[0], day)
            found[SHOW_LAW] = lambda texts, day: show_law(search, texts[0], texts[1], day)
        if (judgments := self.judgments) is not None:
            found[SEARCH_CASES] = lambda texts, day: search_cases(judgments, texts[0])
        return found


def _allowed(settings: CourtSettings) -> tuple[str, ...]:
    """What `--tools` allows: in `j1`, which knows no tools, statutes only where they are asked for by name (rag)."""
    if settings.tools == "rag":
        return STATUTES
    return (*STATUTES, SEARCH_CASES) if settings.tools == "on" and settings.profile == "law" else ()


def _named(pack: Pack, name: str) -> Pack:
    """The pack of that name, closed with the pack of the run."""
    opened = Pack.open(name)
    pack.accompany(opened)
    if not real_statutes(opened):
        raise UsageError(
            f"pack '{name}' holds no real statutes",
            "Court cases are under real law: name a pack of imported statutes.",
        )  # fmt: skip
    return opened


# --- look-ups -------------------------------------------------------------------------------------------------------

CASES = "LegalCases"
"""The corpus of judgments of a pack."""
HITS = 5
DOCUMENTS = 3
LONGEST = 400
"""Characters of a query that are looked at."""
EXCERPT = 300
"""Characters of a text in a list of hits; the whole article is one call away."""
FOREVER = date.max
"""The day of a case without days: the last word of the book."""
STATES: Mapping[str, str] = {
    "in_force": "当日有效", "doubtful": "当日效力存疑", "amended": "当日已修改", "repealed": "当日已废止",
    "not_yet": "当日尚未施行", "unknown": "施行日期不明",
}  # fmt: skip


def texts_of(given: object, *names: str) -> tuple[str, ...] | None:
    """The named arguments as texts; numbers count as texts, a list as its first text. None where one is missing or
    blank."""
    found = []
    for name in names:
        value = given.get(name) if isinstance(given, Mapping) else given if len(names) == 1 else None
        value = value[0] if isinstance(value, list) and value else value
        text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        found.append(plain_text(text.strip()[:LONGEST]))
    return tuple(found) if all(found) else None


def search_law(search: LawSearch, query: str, day: date | None) -> ToolResult:
    """The five best articles, each with its window and what it was on the day."""
    answer = search.search(query, SearchSettings(k=HITS, at=day))
    if not answer.hits:
        return ToolResult("no_data", "没有查到相关条文。", [])
    lines = [
        f"{number}. 《{hit.version.label}》{hit.article.number.chinese}（{_window(hit.version)}，"
        f"{_state(search.book, hit.version, day)}）：{_words(hit.article, EXCERPT)}"
        for number, hit in enumerate(answer.hits, 1)
    ]  # fmt: skip
    value = [_data(hit, search.book, day) for hit in answer.hits]
    return ToolResult("ok", "\n".join([*lines, *sentences(answer.notes)]), value, _provenance(answer.hits))


def show_law(search: LawSearch, law: str, article: str, day: date | None) -> ToolResult:
    """One article as it stood on the day, or a sentence on why there is none."""
    number = parse_number(article)
    if number is None:
        return ToolResult("call_error", f"“{article[:40]}”不是一个条次，请写成“第六百七十五条”。")
    entry = search.book.law(law.strip("《》 "))
    answer = search.book.on(entry.name if entry else law.strip("《》 "), number, day or FOREVER)
    status = "ok" if isinstance(answer, ArticleFound) else "no_data"
    provenance = (entry.provenance,) if entry else ()
    notes = search.book.uncertain([answer.version] if isinstance(answer, ArticleFound | NoText) else [], day)
    if (
        entry
        and isinstance(answer, RepealedArticle)
        and (now := search.book.counterparts.of(entry.name, number, day or FOREVER))
    ):
        notes.append(f"counterpart:{entry.name}:{number.chinese}:{now.law}:{now.number.chinese}:{now.sure}")
    return ToolResult(
        status,
        "\n".join([_told(answer, number.chinese), *sentences(notes)]),
        {"answer": answer.kind, "number": number.key},
        provenance,
    )


def search_cases(pack: Pack, query: str) -> ToolResult:
    """The three best judgments of the pack."""
    found = [one for one in search_documents(pack, CASES, query, DOCUMENTS) if one.provenance != "authored"]
    if not found:
        return ToolResult("no_data", "没有查到相关文书。", [])
    lines = [f"{number}. {_short(' '.join(one.text.split()))}" for number, one in enumerate(found, 1)]
    value = [{"id": one.number, "text": one.text} for one in found]
    return ToolResult("ok", "\n".join(lines), value, tuple(sorted({one.provenance for one in found})))


def real_statutes(pack: Pack) -> bool:
    """Whether a pack holds statutes, none of them invented."""
    if not pack.manifest.counts.statutes:
        return False
    return all(law.provenance != "authored" for law in StatuteBook(pack).laws())


def real_cases(pack: Pack) -> bool:
    """Whether a pack holds judgments, and not only invented ones."""
    if not pack.manifest.counts.documents.get(CASES):
        return False
    sql = "SELECT 1 FROM document WHERE corpus = ? AND provenance != 'authored' LIMIT 1"
    return bool(pack.reader.all(sql, (CASES,)))


def _told(answer: Answer, number: str) -> str:
    """An answer of the statute book in a sentence."""
    match answer:
        case ArticleFound():
            return f"《{answer.version.label}》{number}（{_window(answer.version)}）：{_words(answer.article)}"
        case NoText():
            return f"《{answer.version.label}》{number}当日有效，但没有收录它的文本。"
        case NotYetInForce():
            first = f"自{plain_date(answer.first.valid_from)}起施行的《{answer.first.label}》才有这一条。"
            now = f"当日施行的《{answer.current.label}》没有{number}" if answer.current else "该法当日尚未施行"
            return f"{now}；{first}"
        case RepealedArticle():
            after = "、".join(dict.fromkeys(f"《{link.to_law}》" for link in answer.successors))
            last = f"最后规定{number}的是《{answer.last.label}》（{_window(answer.last)}）。"
            now = f"当日施行的《{answer.current.label}》已经没有{number}" if answer.current else "该法当日已经废止"
            return f"{now}；{last}{f'其内容由{after}承接。' if after else ''}"
        case Gap():
            near = "、".join(f"《{one.label}》（{_window(one)}）" for one in (answer.before, answer.after) if one)
            gap = f"所收录的版本没有一个包含当日，这是数据的缺口，不能给出{number}当日的文本"
            return f"{gap}；相邻的版本：{near}。"
        case UnknownArticle(what="article"):
            return f"《{answer.law}》没有{number}。"
        case UnknownArticle(what="days"):
            return f"《{answer.law}》各版本的施行日期不明。"
    near = "、".join(f"《{name}》" for name in answer.near)
    return f"没有收录名为“{answer.law[:60]}”的法律。" + (f"名称相近的有{near}。" if near else "")


def _data(hit: Hit, book: StatuteBook, day: date | None) -> dict[str, Any]:
    article, version = hit.article, hit.version
    return {
        "id": hit.id, "law": article.law, "label": article.label, "number": article.number.key, "text": article.text,
        "valid_from": _iso(version.valid_from), "valid_to": _iso(version.valid_to),
        "state": book.state(version, day or FOREVER), "kept": list(hit.kept),
    }  # fmt: skip


def _provenance(hits: tuple[Hit, ...]) -> tuple[str, ...]:
    return tuple(sorted({hit.provenance for hit in hits}))


def _state(book: StatuteBook, version: LawVersion, day: date | None) -> str:
    word = STATES[book.state(version, day or FOREVER)]
    return word if day else word.removeprefix("当日")


def _window(version: LawVersion) -> str:
    if version.valid_from is None:
        return "施行日期不明"
    last = f"至{plain_date(version.valid_to)}" if version.valid_to else "起"
    return f"{plain_date(version.valid_from)}{last}施行"


def _words(article: Article, most: int | None = None) -> str:
    if article.text is None:
        return "（没有收录文本）"
    title = f"【{article.title}】" if article.title else ""
    return title + (_short(" ".join(article.text.split()), most) if most else article.text)


def _short(text: str, most: int = EXCERPT) -> str:
    return f"{text[:most]}……" if len(text) > most else text


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None
