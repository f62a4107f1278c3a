"""The history of a law: enactment, amendments, promulgation, entry into force, as the lines under its title tell it.

A line holds one decision or several; every date begins one. Lines without a date go on with the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from store.importers.law.lines import plain
from store.importers.law.parsed import Event, EventKind
from store.text.dates import parse_date

_DAY = re.compile(
    r"(?P<since>[自从于以])?(?P<day>[0-9０-９]{4} ?年 ?[0-9０-９]{1,2} ?月 ?[0-9０-９]{1,2} ?日"
    r"|[零〇○一二三四五六七八九]{4}年[一二三四五六七八九十]{1,2}月[一二三四五六七八九十]{1,3}日)"
)
_ACT = re.compile(r"《(?P<act>[^《》]{2,200})》?")
_LONG_ACT = re.compile(r"《(?P<act>.{2,400})》")
_BODIES = (
    "最高人民检察院",
    "最高人民法院",
    "全国人民代表大会",
    "国务院",
    "中央军事委员会",
    "政务院",
)

_KINDS: tuple[tuple[EventKind, re.Pattern[str]], ...] = (
    ("changed", re.compile(r"修正|修订|修改|通过的《[^》]*(?:修正案|决定)")),
    ("adopted", re.compile(r"通过|批准")),
    ("promulgated", re.compile(r"公布|发布|颁布|印发|令第|第\d+号令")),
    ("in_force", re.compile(r"施行|生效|实施|执行|起实行")),
    ("adopted", re.compile(r"会议|第[一二三四五六七八九十]+次$|委员会$")),
)
"""The first that is found in the words after a date, outside the title of the decision, says what happened."""

_FORCE = re.compile(r"施行|生效|实施|执行")
_SETTLED = re.compile(r"公布(?:之日)?(?:起)?(?:施行|实施|生效)|(?:发布|公布|颁布)之日起?(?:施行|实施|执行|生效)")


def has_day(text: str) -> bool:
    """Whether a text names a day."""
    return _DAY.search(text) is not None


def read_history(lines: Iterable[str]) -> tuple[tuple[Event, ...], list[str]]:
    """The events in the order of the lines, and the lines before the first date."""
    joined: list[str] = []
    before: list[str] = []
    for line in map(plain, lines):
        if not line:
            continue
        if _DAY.search(line) is None:
            if joined:
                joined[-1] += line
            else:
                before.append(line)
            continue
        joined.append(line)
    events: list[Event] = []
    for line in joined:
        events.extend(_events(line))
    return _without_repetition(events), before


def _events(line: str) -> list[Event]:
    marks = list(_DAY.finditer(line))
    # A date inside the title of a decision begins nothing.
    marks = [
        mark for mark in marks if line.count("《", 0, mark.start()) <= line.count("》", 0, mark.start())
    ] or marks
    found: list[Event] = []
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        day = parse_date(re.sub(" ", "", mark["day"]))
        if day is None:
            continue
        text = line[mark.end() : following.start() if following else len(line)].strip(" ，、；;。()（）")
        text = text.removesuffix("根据").strip(" ，、（(")
        found.append(_event(day, text, bool(mark["since"])))
    return found


def _event(day: date, text: str, since: bool) -> Event:
    act = (_LONG_ACT.search(text) or _ACT.search(text)) if "《" in text else None
    outside = text.replace(act["act"], "") if act else text
    body = next((name for name in _BODIES if name in outside), "")
    if since and _FORCE.search(outside[:12]):
        return Event(day, "in_force", text, body)
    title = act["act"] if act else ""
    if act and re.search("通过的?《", text) and re.search("修正案|决定|决议", title):
        return Event(day, "changed", text, body, title)
    kind: EventKind = next((kind for kind, words in _KINDS if words.search(outside)), "other")
    return Event(day, kind, text, body, title)


def _without_repetition(events: Sequence[Event]) -> tuple[Event, ...]:
    """Committees adopt again when they amend: a second 通过 by the same body is a change, whatever it is called."""
    told: list[Event] = []
    adopted_by: dict[str, date] = {}
    for event in events:
        if event.kind == "adopted" and event.body:
            first = adopted_by.setdefault(event.body, event.day)
            if event.day > first and not re.search("批准", event.text):
                event = Event(event.day, "changed", event.text, event.body, event.act)
        told.append(event)
    return tuple(told)


def last_change(history: Sequence[Event]) -> Event | None:
    """The latest change, or None for a law that was never changed."""
    return max((event for event in history if event.kind == "changed"), key=lambda event: event.day, default=None)


def enacted(history: Sequence[Event]) -> date | None:
    """The day of enactment: the first adoption, else the first promulgation."""
    for kind in ("adopted", "promulgated", "changed", "other"):
        days = [event.day for event in history if event.kind == kind]
        if days:
            return min(days)
    return None


def at_once(event: Event) -> bool:
    """Whether a line says that the law was in force from the day of its promulgation."""
    return bool(_SETTLED.search(event.text))
