"""Reciting an article as in force on a day: the hit of that law and number whose window covers the day, word for
word.

Without the date filter of the search (`dated` False) nothing is dated here either: what comes first is recited, so
that a run with the window off shows what the filter is worth.

The form is the published one: the heading in 【】, then the paragraphs, one a line. Where the version of the day has
no text, the answer says so and is no recital. Without `abstain` the nearest version that was retrieved stands in, and
what is said beside the answer names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from store.search.query import LawQuery
from tasks.legalsearch.rules.likeness import contained
from tasks.legalsearch.rules.looking import Query, Reply, Seen, Work, hits_of

LIKE = 0.7
"""The share of a heading that the text of an article must have to be taken for the article of that heading."""


def recite(question: str, read: LawQuery, *, dated: bool = True, abstain: bool = True) -> Work:
    """Ask with the day and recite what came; without a text abstain, or ask once more without the day."""
    wanted = _Wanted(read, dated)
    seen = yield Query((question.strip(),), "按题目所说的法律、条号和时间检索施行中的版本。")
    absence = _absence([note for look in seen for note in look.notes]) if dated else ""
    if absence in _NOTHING:
        return Reply("", _NOTHING[absence], _NOTHING[absence])
    best = wanted.best(hits_of(seen))
    if abstain and dated and seen and (best is None or best.text is None or not wanted.applies(best)):
        return _abstained(best, absence)
    if (best is None or best.text is None) and wanted.named:
        title = best.title if best else ""
        again = yield Query(wanted.undated(title), "当日版本未收录文本，去掉时间再查相邻版本。")
        best = wanted.nearest(hits_of(again), title) or best
    if best is None or best.text is None:
        return Reply("", "检索没有返回该条的文本。", "未检索到该条文本，无法复述。")
    said = f"《{best.label}》{best.chinese}"
    if not dated:
        return Reply(_printed(best), f"{said}：检索未按时间筛选，取排在最前的版本。")
    if not wanted.named_day:
        return Reply(_printed(best), f"{said}：题目没有日期，取排在最前的版本。")
    if not wanted.applies(best):
        why = "版本表在当日有缺口" if absence == "gap" else "当日版本未收录文本"
        return Reply(_printed(best), f"{said}：{why}，以相邻版本代替。", f"{why}，以下为{said}的文本。")
    return Reply(_printed(best), f"{said}，施行期间覆盖所问日期。")


def _abstained(best: Seen | None, absence: str) -> Reply:
    """Says that the text of the day is missing, and that no other version is put in its place."""
    named = f"《{best.label}》{best.chinese}" if best else "该条"
    why = "版本表在所问日期有缺口" if absence == "gap" else f"数据包未收录{named}在所问日期的文本"
    return Reply(f"{why}，不以其他版本代替，不作答。", f"{why}，弃答。", abstained=True)


_NOTHING = {
    "not_yet": "该条在所问日期尚未施行，没有可以复述的文本。",
    "repealed": "所问日期该法（该条）已经废止，没有可以复述的文本。",
}
"""Absence -> what there is to say instead of a text."""


def _absence(notes: Sequence[str]) -> str:
    """Why a law had no such text on the day, as the search said: not_yet, repealed, gap, or nothing."""
    for note in notes:
        code, _, about = note.partition(":")
        state = about.rpartition(":")[2] if code == "no_article" else code
        if state in ("not_yet", "repealed", "gap"):
            return state
    return ""


class _Wanted:
    """The article and the days that a question is about."""

    def __init__(self, read: LawQuery, dated: bool) -> None:
        self._laws = frozenset(read.laws)
        self._numbers = frozenset(number.key for number in read.numbers)
        self._pairs = read.pairs
        self._days: tuple[date, date] | None = (
            (read.spans[0].first, read.spans[0].last) if dated and read.spans else None
        )

    @property
    def named_day(self) -> bool:
        """Whether the question names a day."""
        return self._days is not None

    @property
    def named(self) -> bool:
        """Whether the question names a law and an article."""
        return bool(self._laws and self._numbers)

    def undated(self, title: str) -> tuple[str, ...]:
        """The same article on any day, and what its heading says: it may stand under another number there."""
        numbers = [f"《{law}》{number.chinese}" for law, number in self._pairs[:2]]
        return (*numbers, *(f"《{law}》{title}" for law in sorted(self._laws)[:1] if title))

    def nearest(self, hits: Sequence[Seen], title: str) -> Seen | None:
        """The article with text that comes nearest: of the same heading, else what the heading says, else the number.

        Among several versions the one nearest to the days.
        """
        known = [hit for hit in hits if hit.text is not None and hit.law in self._laws]
        headed = [hit for hit in known if title and hit.title == title]
        likely = [hit for hit in known if title and contained(title, hit.text or "") >= LIKE]
        numbered = [hit for hit in known if hit.number in self._numbers]
        for group in (headed, likely if not any(hit.title for hit in numbered) else [], numbered):
            if group:
                return min(group, key=self._away)
        return None

    def _away(self, hit: Seen) -> int:
        return hit.distance(*self._days) if self._days else 0

    def applies(self, hit: Seen) -> bool:
        """Whether a version meets the days of the question; without days every one does."""
        return self._days is None or hit.distance(*self._days) == 0

    def best(self, hits: Sequence[Seen]) -> Seen | None:
        """The hit of the article whose version covers the days, else the nearest; first come among equals."""
        named = [
            hit
            for hit in hits
            if (not self._laws or hit.law in self._laws) and (not self._numbers or hit.number in self._numbers)
        ]
        if not named or self._days is None:
            return named[0] if named else None
        first, last = self._days
        return min(named, key=lambda hit: (not hit.covers(first, last), hit.distance(first, last)))


def _printed(hit: Seen) -> str:
    return f"【{hit.title}】{hit.text}" if hit.title else str(hit.text)
