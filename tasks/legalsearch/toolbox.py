"""The three tools of the search agent: statutes by version, pages of the web snapshot, reading a page (paper §3.2).

A tool is a generator: it may put questions to the seats beside the agent, the analyser of queries and the reader of
pages, and without a model in them keeps to rules (rule analysis, verbatim windows). Nothing here raises for what a
model wrote.

Limits are the published ones: 3 queries a call, 5 hits a query, 5 pages a call, 5 windows a page.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from store.pack import Pack
from store.search.law_search import Hit, LawResults, LawSearch, SearchSettings
from store.search.notes import sentences
from store.search.query import LawQuery, from_analyser
from store.statutes.applicable import CaseDates, judge_version
from store.statutes.book import StatuteBook
from store.statutes.model import LawVersion
from store.web import PAPER_WINDOW, WINDOW, Page, WebSnapshot
from tasks.episode.events import ToolCalled, ToolReturned
from tasks.episode.plain import plain
from tasks.episode.seats import Sent, Steps, Yield, emit
from tasks.episode.state import State
from tasks.episode.with_tools import SEAT, ToolResult, returned
from tasks.errors import UsageError
from tasks.legalsearch.agents.briefing import ARGUMENT, BROWSE, RAG, TOOLS, WEB
from tasks.legalsearch.dates import case_dates
from tasks.legalsearch.seats import analyse_with, read_window
from tasks.legalsearch.settings import LegalSearchSettings, settings_of
from tasks.run.spec import RunSpec

OFFERED: Mapping[str, tuple[str, ...]] = {"on": TOOLS, "rag": (RAG,), "web": (WEB, BROWSE), "off": ()}
"""What `--tools` says -> the tools an agent has."""
MOST = {RAG: 3, WEB: 3, BROWSE: 5}
"""Texts of one call that are looked at; further ones are dropped, as published."""
HITS = 5
WINDOWS = 5
LONGEST = 4000
"""Characters of a query that are looked at."""
READ_OUT = "该网页已经读完。"
AGAIN = "另有 {n} 条已列在前面的查询里，不再重复。"
NO_STATUTES = "本数据包没有法条，不能检索。"

Told = Generator[Yield, Sent, ToolResult]


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """How the tools of a run work. `today` is a setting of the run, never the clock: None, and 去年 has no year."""

    offered: tuple[str, ...] = OFFERED["on"]
    search: SearchSettings = SearchSettings(k=HITS)
    today: date | None = None
    window: int = WINDOW
    """Characters of a page that are read at once."""

    @classmethod
    def of(cls, spec: RunSpec) -> ToolSettings:
        """From the settings of a run; `--paper` searches as the published code does."""
        chosen = settings_of(spec)
        search = SearchSettings(
            k=HITS, window=chosen.window, law_filter=chosen.law_filter, paper=spec.paper, today=chosen.day
        )
        if chosen.channels:
            search = replace(search, channels=chosen.channels)
        return cls(OFFERED[chosen.tools], search, chosen.day, PAPER_WINDOW if spec.paper else WINDOW)


class LawToolbox:
    """Carries out the tool calls of episodes over one pack and, where there is one, a web snapshot.

    `offered`: the tools of the settings, those for web pages only with a snapshot.
    """

    def __init__(self, search: LawSearch | None, snapshot: WebSnapshot | None, settings: ToolSettings) -> None:
        self.search = search
        self.snapshot = snapshot
        self.settings = settings
        self.offered = tuple(tool for tool in settings.offered if tool == RAG or snapshot is not None)
        self._tools: dict[str, Callable[[State, list[str], int], Told]] = {
            RAG: self._retrieve,
            WEB: self._search_web,
            BROWSE: self._browse,
        }

    def call(self, state: State, tool: str, arguments: object) -> Steps:
        """One call with the events that come of it."""
        asked = yield from emit(ToolCalled(seat=SEAT, tool=tool, input=plain(arguments)))
        started = time.perf_counter()
        texts = texts_of(tool, arguments)
        if tool not in self.offered:
            known = "、".join(self.offered) or "无"
            result = ToolResult("call_error", f"没有名为 {tool[:60]} 的工具。可用的工具：{known}。")
        elif isinstance(texts, str):
            result = ToolResult("call_error", texts)
        elif tool == RAG and self.search is None:
            result = ToolResult("no_data", NO_STATUTES)
        else:
            result = yield from self._tools[tool](state, texts, asked)
        parts = (result.status, result.observation, result.value, result.provenance)
        event = returned(state, tool, started, *parts)
        yield from emit(event, parent=asked)

    def _retrieve(self, state: State, queries: list[str], call: int) -> Told:
        assert self.search is not None
        dates = self.dates_of(str(state.card.get("question", "")))
        value, shown, provenance = [], [], set()
        listed: set[int] = set()
        for text in queries:
            query = yield from self._analysed(state, text, call)
            answer = self.search.search(query, self.settings.search)
            day = dates.judged or dates.proceeding or dates.ended or self.settings.today
            value.append(retrieved(answer, dates, self._state_of, self.search.book, day))
            shown.append(_told(answer, listed))
            listed |= {hit.id for hit in answer.hits}
            provenance |= {hit.provenance for hit in answer.hits}
        status = "ok" if any(one["hits"] for one in value) else "no_data"
        return ToolResult(status, _text(shown), value, tuple(sorted(provenance)))

    def dates_of(self, question: str) -> CaseDates:
        """The days of the case that a question tells."""
        assert self.search is not None
        return case_dates(question, self.search.analyse(question, today=self.settings.today).spans)

    def _state_of(self, version: LawVersion) -> str:
        """Whether a version is in force today, as the run has it; without a today the last word of the book."""
        assert self.search is not None
        return self.search.book.state(version, self.settings.today or date.max)

    def _analysed(self, state: State, text: str, call: int) -> Generator[Yield, Sent, LawQuery]:
        assert self.search is not None
        sits = state.seats.get("analyser")
        if sits is None or not sits.engine:
            return self.search.analyse(text, today=self.settings.today)
        value = yield from analyse_with(text, call)
        if not value:
            return self.search.analyse(text, today=self.settings.today)
        return from_analyser(text, value, self.search.book)

    def _search_web(self, state: State, queries: list[str], call: int) -> Told:
        yield from ()  # asks nobody
        assert self.snapshot is not None
        value, listed, provenance = [], [], set()
        for text in queries:
            hits = self.snapshot.search(text, HITS)
            pages = [
                {"url": hit.page.url, "title": hit.page.title, "day": _day(hit.page.day), "snippet": hit.snippet}
                for hit in hits
            ]
            value.append({"query": text, "pages": pages})
            shown = [
                {"title": page["title"], "url": page["url"], "date": page["day"], "quick_summary": page["snippet"]}
                for page in pages
            ]
            listed.append({"search_query": text, "web_page_info_list": shown})
            provenance |= {hit.page.provenance for hit in hits}
        status = "ok" if any(one["pages"] for one in value) else "no_data"
        return ToolResult(status, _text(listed), value, tuple(sorted(provenance)))

    def _browse(self, state: State, urls: list[str], call: int) -> Told:
        assert self.snapshot is not None
        known = _found_urls(state)
        value: list[dict[str, object]] = []
        listed: list[dict[str, object]] = []
        provenance: set[str] = set()
        for url in urls:
            page = self.snapshot.page(url) if url in known else None
            if page is None:
                why = "快照中没有该网页" if url in known else "该网址不在此前 web_search 的结果中"
                listed.append({"url": url, "error": why})
                continue
            windows = yield from self._read(state, page, call)
            value.append({"url": page.url, "title": page.title, "day": _day(page.day), "windows": windows})
            shown = [_shown(window) for window in windows]
            listed.append({"url": page.url, "title": page.title, "date": _day(page.day), "information": shown})
            provenance.add(page.provenance)
        return ToolResult("ok" if value else "no_data", _text(listed), value, tuple(sorted(provenance)))

    def _read(self, state: State, page: Page, call: int) -> Generator[Yield, Sent, list[dict[str, Any]]]:
        """The windows of a page: read one after the other by the reader, or the next one word for word."""
        assert self.snapshot is not None
        windows = self.snapshot.windows(page, self.settings.window, WINDOWS)
        sits = state.seats.get("reader")
        if sits is None or not sits.engine:
            place = _times_browsed(state, page.url)
            if place >= len(windows):
                return [{"number": len(windows), "of": len(windows), "text": READ_OUT}] if windows else []
            return [{"number": place + 1, "of": len(windows), "text": windows[place]}]
        read: list[dict[str, Any]] = []
        question = str(state.card.get("question", ""))
        for number, text in enumerate(windows, 1):
            known = "\n".join(one["summary"] for one in read)
            said = yield from read_window(question, page, text, number, len(windows), call, known=known)
            read.append(
                {"number": number, "of": len(windows), "summary": said.summary, "extracted": said.extracted_info}
            )
            if not said.page_down:
                break
        return read


def snapshot_of(settings: LegalSearchSettings, pack: Pack) -> WebSnapshot | None:
    """The web snapshot of a run: in the pack that `--web` names, else in its own."""
    if not settings.web:
        return WebSnapshot.of(pack)
    found = WebSnapshot.of(Pack.open(settings.web))
    if found is None:
        raise UsageError(f"pack '{settings.web}' holds no web snapshot", "Import one: moot data import web FOLDER.")
    return found


def texts_of(tool: str, arguments: object) -> list[str] | str:
    """The texts of a call in their order, repeats and blanks dropped; or a sentence about what is wrong with it."""
    name = ARGUMENT.get(tool, "query")
    value = arguments.get(name) if isinstance(arguments, Mapping) else None
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
        return f'{tool[:60]} 的参数应为 {{"{name}": ["…"]}}：一个由 1 至 {MOST.get(tool, 3)} 个字符串组成的列表。'
    texts = list(dict.fromkeys(text.strip()[:LONGEST] for text in given if text.strip()))
    return texts[: MOST.get(tool, 3)] or f"{tool[:60]} 的 {name} 是空的。"


def retrieved(
    answer: LawResults,
    dates: CaseDates,
    state_of: Callable[[LawVersion], str],
    book: StatuteBook | None = None,
    day: date | None = None,
) -> dict[str, Any]:
    """One query of `rag_retrieve` as data: how it was read, what the filters left, every hit with its mark.

    day: the last one of the case; a hit of a law that had ended by then has the counterpart that followed.
    """
    query = answer.query
    return {
        "query": query.text,
        "analysis": {
            "spans": [[span.first.isoformat(), span.last.isoformat(), span.said] for span in query.spans],
            "laws": list(query.laws),
            "numbers": [number.key for number in query.numbers],
            "headings": list(query.headings),
            "keywords": list(query.keywords),
            "made_by": query.made_by,
        },
        "allowed": answer.allowed,
        "of": answer.of,
        "notes": list(answer.notes),
        "hits": [_hit(hit, dates, state_of(hit.version), book, day) for hit in answer.hits],
    }


def _hit(hit: Hit, dates: CaseDates, state: str, book: StatuteBook | None, day: date | None) -> dict[str, Any]:
    article, version = hit.article, hit.version
    doubt = book.relations.doubt(version.law) if book else None
    ended = doubt.since if doubt else None
    marked = judge_version(
        version, dates, number=article.number, parent_ended=ended, as_of=book.as_of if book else None
    )
    now = book.counterparts.of(article.law, article.number, day) if book and day else None
    counterpart = {"law": now.law, "number": now.number.key, "sure": now.sure} if now else None
    basis = marked.rule.basis
    if basis and hit.provenance == "authored":
        basis = f"虚构法域，比照{basis}"
    return {
        "id": hit.id, "law": article.law, "label": article.label, "number": article.number.key,
        "chinese": article.number.chinese, "title": article.title, "text": article.text,
        "valid_from": _day(version.valid_from), "valid_to": _day(version.valid_to),
        "score": round(hit.score, 6), "ranks": dict(hit.ranks), "kept": list(hit.kept),
        "mark": marked.verdict, "rule": marked.rule.key, "basis": basis, "says": marked.rule.says, "state": state,
        **({"counterpart": counterpart} if counterpart else {}),
    }  # fmt: skip


def _told(answer: LawResults, listed: Set[int]) -> dict[str, object]:
    """One query of `rag_retrieve` as a model reads it; what earlier queries of the call have `listed` is only
    counted."""
    results = []
    for hit in answer.hits:
        if hit.id in listed:
            continue
        article, version = hit.article, hit.version
        title = f"【{article.title}】" if article.title else ""
        results.append(
            {
                "id": hit.id,
                "法律": article.label,
                "条号": article.number.chinese,
                "法条内容": f"{title}{article.text}" if article.text is not None else "（数据包未收录本条文本）",
                "施行时间": _day(version.valid_from) or "不明",
                "失效时间": _day(version.valid_to) or "现行有效",
                "相关度分数": round(hit.score, 4),
            }
        )
    said = sentences(answer.notes)
    if again := len(answer.hits) - len(results):
        said.append(AGAIN.format(n=again))
    return {
        "query": answer.query.text,
        "result_count": len(results),
        **({"说明": said} if said else {}),
        "results": results,
    }


def _found_urls(state: State) -> set[str]:
    found = set()
    for record in state.records:
        event = record.event
        if isinstance(event, ToolReturned) and event.tool == WEB and isinstance(event.value, list):
            found |= {page["url"] for one in event.value for page in one.get("pages", ())}
    return found


def _times_browsed(state: State, url: str) -> int:
    """How often a page was browsed before: each time shows its next window."""
    values = [r.event.value for r in state.records if isinstance(r.event, ToolReturned) and r.event.tool == BROWSE]
    return sum(one.get("url") == url for value in values if isinstance(value, list) for one in value)


def _shown(window: Mapping[str, object]) -> dict[str, Any]:
    place = f"{window['number']}/{window['of']}"
    if "text" in window:
        return {"page_number": place, "page_text": window["text"]}
    return {"page_number": place, "page_summary": window["summary"], "extracted_info": window["extracted"]}


def _text(told: Sequence[object]) -> str:
    return json.dumps(list(told), ensure_ascii=False)


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None
