"""The history of a law: enactment, amendments, promulgation, entry into force, as the lines under its title tell it.

A line holds one decision or several; every date begins one. Lines without a date go on with the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from store.importers.law.parsed import EventKind, LawDecision, ParsedArticle, Repeal, plain
from store.text.dates import parse_date
from store.text.numerals import chinese_to_int

_DATE = (
    r"(?:[0-9０-９]{4} ?年 ?[0-9０-９]{1,2} ?月 ?[0-9０-９]{1,2} ?日"
    r"|[零〇○一二三四五六七八九]{4}年[一二三四五六七八九十]{1,2}月[一二三四五六七八九十]{1,3}日)"
)
_ENTERS = r"(?:正式|开始)?(?:施行|实施|执行|生效|试行|实行|起效)"
_ON_DAY = re.compile(
    rf"(?:自|从|于|以)? ?(?P<day>{_DATE})(?:[零0]时)?(?:之日)?"
    rf"(?:起|开始|正式|即|起正式|全国|在全国|范围内|，)* ?{_ENTERS}"
)
_AT_ONCE = re.compile(
    r"(?:自|从|于)?(?:公布|发布|颁布|通过|印发|下达|批准|签发|颁发|公告)(?:之日|日)?起?"
    rf"(?:(?P<after>[0-9一二三四五六七八九十]{{1,3}})(?P<unit>日|天|个月)后)? ?{_ENTERS}"
)
_PARTIAL = re.compile(r"第[0-9一二三四五六七八九十百零]{1,6}[条款项][^。；]{0,12}$|附件[^。；]{0,8}$")
_LAST_ARTICLES = 6

_SENTENCE = re.compile(r"[^。；\n]+")
_REPEAL = re.compile(r"废止|失效|停止执行|停止施行|失去效力")
_TITLE = re.compile(r"《(?P<title>[^《》]{2,160}(?:《[^《》]{1,80}》[^《》]{0,80}){0,2})》")
_NUMBERED_DOCUMENT = r"(?:[（(〔\[][^）)]{0,80}[）)〕\]])?"
_TO_REPEAL = re.compile(
    rf"{_NUMBERED_DOCUMENT}(?:等(?:[0-9一二三四五六七八九十]{{1,3}})?[^，。；、《]{{0,14}})?"
    r"[，、 ]?(?:同时|即行|即|均|自行|一并|亦|也|相应|予以|随之|停止|应当"
    r"|从即日起|自本[^，。；《]{1,12}起|不再适用[，、]|自[^，。；《]{2,20}起)*"
    r"(?:废止|失效|执行|施行|失去效力)"
)
_IN_PART = re.compile(
    r"第[0-9一二三四五六七八九十百零]{1,6}[条款项章节]|有关|中[的关有]|关于[^《]{0,30}规定|[的中]规定$"
)


@dataclass(frozen=True, slots=True)
class EntryIntoForce:
    """The day a version entered into force and the words or the rule that say so; None where nothing does."""

    day: date | None
    inferred: bool
    basis: str


def closing(articles: Sequence[ParsedArticle]) -> list[ParsedArticle]:
    """The articles that may speak of entry into force, the last first; of a text without articles all of it."""
    numbered = [article for article in articles if article.numbered]
    return list(reversed(numbered[-_LAST_ARTICLES:])) or list(articles[:1])


def entry_into_force(
    articles: Sequence[ParsedArticle],
    history: Sequence[LawDecision],
    state: date | None,
    changed: bool,
    published: date | None = None,
) -> EntryIntoForce:
    """When the version of a day began to apply.

    Args:
        articles: the version.
        history: its history.
        state: the day of the last change, or of enactment.
        changed: whether it was ever changed.
        published: the day that stands for its publication where the history names none.
    """
    published = published or state
    told = [event for event in history if event.kind == "in_force" or at_once(event)]
    told = [event for event in told if state is None or not changed or event.day >= state]
    if told:
        event = told[0] if changed else told[-1]
        return EntryIntoForce(event.day, False, f"历史沿革：{event.day.isoformat()} {event.text[:40]}".rstrip())
    for article in closing(articles):
        text = article.text
        name = article.number.chinese if article.numbered else "正文"
        stated = _stated_day(text)
        if stated is not None:
            day, words = stated
            if changed and state is not None and day < state:
                return EntryIntoForce(state, True, f"{name}“{words}”是原施行日，按修改之日推定")
            return EntryIntoForce(day, False, f"{name}：{words}")
        if match := _AT_ONCE.search(text):
            return _from_promulgation(match, name, history, state if changed else published, changed)
    if published is None:
        return EntryIntoForce(None, True, "没有日期")
    return EntryIntoForce(
        state if changed else published, True, "按修改之日推定" if changed else "未写明施行日，按通过或者公布之日推定"
    )


def _stated_day(text: str) -> tuple[date, str] | None:
    for match in _ON_DAY.finditer(text):
        if _PARTIAL.search(text[: match.start()]):
            continue
        day = parse_date(match["day"].replace(" ", ""))
        if day is not None:
            return day, match.group().strip()
    return None


def _from_promulgation(
    match: re.Match[str], name: str, history: Sequence[LawDecision], state: date | None, changed: bool
) -> EntryIntoForce:
    words = match.group()
    if changed:
        return EntryIntoForce(state, True, f"{name}“{words}”，按修改之日推定")
    days = [event.day for event in history if event.kind in ("promulgated", "other")]
    day = days[-1] if days else state
    if day is None:
        return EntryIntoForce(None, True, f"{name}“{words}”，没有公布日期")
    later = _later(day, match["after"], match["unit"])
    return EntryIntoForce(later, not days, f"{name}：{words}" + ("" if days else "，按通过之日推定"))


def _later(day: date, after: str | None, unit: str | None) -> date:
    count = chinese_to_int(after) if after and not after.isdigit() else int(after or 0)
    if not count:
        return day
    if unit != "个月":
        return day + timedelta(days=count)
    month = day.month - 1 + count
    return date(day.year + month // 12, month % 12 + 1, min(day.day, 28))


def closing_day(articles: Sequence[ParsedArticle]) -> date | None:
    """The day that a closing article names for entry into force, of whichever version it is."""
    for article in closing(articles):
        if stated := _stated_day(article.text):
            return stated[0]
    return None


def repeals(articles: Sequence[ParsedArticle]) -> tuple[Repeal, ...]:
    """Titles that the closing articles repeal as a whole, each with the sentence that does so.

    A repeal of single articles or of some rules of a law is no repeal of the law and is left out.
    """
    found: dict[str, str] = {}
    for article in closing(articles):
        for sentence in _SENTENCE.findall(article.text):
            if "《" not in sentence or not _REPEAL.search(sentence):
                continue
            for title in _titles_before_repeal(sentence):
                found.setdefault(title, sentence.strip()[:300])
    return tuple(Repeal(title, sentence) for title, sentence in found.items())


def _titles_before_repeal(sentence: str) -> list[str]:
    marks = list(_TITLE.finditer(sentence))
    kept: list[str] = []
    for place in range(len(marks) - 1, -1, -1):
        mark = marks[place]
        tail = sentence[mark.end() :]
        following = marks[place + 1] if place + 1 < len(marks) else None
        if following is not None:
            between = sentence[mark.end() : following.start()]
            # In a list what repeals the next one repeals this one, unless only a part of it is meant.
            if not kept or len(between) > 90 or _IN_PART.search(between) or _REPEAL.search(between):
                if _TO_REPEAL.match(tail):
                    kept.append(mark["title"])
                else:
                    break
                continue
            kept.append(mark["title"])
        elif _TO_REPEAL.match(tail):
            kept.append(mark["title"])
        else:
            continue
    return kept[::-1]


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
_IMMEDIATE = re.compile(r"公布(?:之日)?(?:起)?(?:施行|实施|生效)|(?:发布|公布|颁布)之日起?(?:施行|实施|执行|生效)")


def has_day(text: str) -> bool:
    """Whether a text names a day."""
    return _DAY.search(text) is not None


def read_history(lines: Iterable[str]) -> tuple[tuple[LawDecision, ...], list[str]]:
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
    events: list[LawDecision] = []
    for line in joined:
        events.extend(_events(line))
    return _without_repetition(events), before


def _events(line: str) -> list[LawDecision]:
    marks = list(_DAY.finditer(line))
    # A date inside the title of a decision begins nothing.
    marks = [
        mark for mark in marks if line.count("《", 0, mark.start()) <= line.count("》", 0, mark.start())
    ] or marks
    found: list[LawDecision] = []
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        day = parse_date(re.sub(" ", "", mark["day"]))
        if day is None:
            continue
        text = line[mark.end() : following.start() if following else len(line)].strip(" ，、；;。()（）")
        text = text.removesuffix("根据").strip(" ，、（(")
        found.append(_event(day, text, bool(mark["since"])))
    return found


def _event(day: date, text: str, since: bool) -> LawDecision:
    act = (_LONG_ACT.search(text) or _ACT.search(text)) if "《" in text else None
    outside = text.replace(act["act"], "") if act else text
    body = next((name for name in _BODIES if name in outside), "")
    if since and _FORCE.search(outside[:12]):
        return LawDecision(day, "in_force", text, body)
    title = act["act"] if act else ""
    if act and re.search("通过的?《", text) and re.search("修正案|决定|决议", title):
        return LawDecision(day, "changed", text, body, title)
    kind: EventKind = next((kind for kind, words in _KINDS if words.search(outside)), "other")
    return LawDecision(day, kind, text, body, title)


def _without_repetition(events: Sequence[LawDecision]) -> tuple[LawDecision, ...]:
    """Committees adopt again when they amend: a second 通过 by the same body is a change, whatever it is called."""
    told: list[LawDecision] = []
    adopted_by: dict[str, date] = {}
    for event in events:
        if event.kind == "adopted" and event.body:
            first = adopted_by.setdefault(event.body, event.day)
            if event.day > first and not re.search("批准", event.text):
                event = LawDecision(event.day, "changed", event.text, event.body, event.act)
        told.append(event)
    return tuple(told)


def last_change(history: Sequence[LawDecision]) -> LawDecision | None:
    """The latest change, or None for a law that was never changed."""
    return max((event for event in history if event.kind == "changed"), key=lambda event: event.day, default=None)


def enacted(history: Sequence[LawDecision]) -> date | None:
    """The day of enactment: the first adoption, else the first promulgation."""
    for kind in ("adopted", "promulgated", "changed", "other"):
        days = [event.day for event in history if event.kind == kind]
        if days:
            return min(days)
    return None


def at_once(event: LawDecision) -> bool:
    """Whether a line says that the law was in force from the day of its promulgation."""
    return bool(_IMMEDIATE.search(event.text))
