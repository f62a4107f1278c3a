"""The tools of the tested seat: search of statutes, one article, search of cases, all as of the day of the case.

Rules policies use the same search. Cases are under real law, so a pack of fictional law is never searched.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

from store.pack import Pack
from store.search.law_search import LawSearch
from tasks.courts.casefile.case import Case
from tasks.courts.play import lookups
from tasks.courts.play.episode import law_day
from tasks.courts.settings import CourtSettings, settings_of
from tasks.episode.actions import Steps, emit
from tasks.episode.events import ToolCalled
from tasks.episode.plain import plain
from tasks.episode.state import State
from tasks.episode.with_tools import SEAT, returned
from tasks.errors import UsageError
from tasks.legalsearch.toolbox import Returned
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
        search = LawSearch(books, embed=embedder_of(books)) if lookups.real_statutes(books) else None
        judgments = books if lookups.real_cases(books) else None
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

    def _returned(self, tool: str, given: object, day: date | None) -> Returned:
        if tool not in self.offered:
            known = "、".join(self.offered) or "无"
            return Returned("call_error", f"没有名为 {tool[:60]} 的工具。可用的工具：{known}。")
        names = ARGUMENTS[tool]
        texts = lookups.texts_of(given, *names)
        if texts is None:
            wanted = ", ".join(f'"{name}": "…"' for name in names)
            return Returned("call_error", f"{tool} 的参数应为 {{{wanted}}}，各项都是不空的文本。")
        return self._tools()[tool](texts, day)

    def _tools(self) -> Mapping[str, Callable[[tuple[str, ...], date | None], Returned]]:
        found: dict[str, Callable[[tuple[str, ...], date | None], Returned]] = {}
        if (search := self.search) is not None:
            found[SEARCH_LAW] = lambda texts, day: lookups.search_law(search, texts[0], day)
            found[SHOW_LAW] = lambda texts, day: lookups.show_law(search, texts[0], texts[1], day)
        if (judgments := self.judgments) is not None:
            found[SEARCH_CASES] = lambda texts, day: lookups.search_cases(judgments, texts[0])
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
    if not lookups.real_statutes(opened):
        raise UsageError(
            f"pack '{name}' holds no real statutes",
            "Court cases are under real law: name a pack of imported statutes.",
        )  # fmt: skip
    return opened
