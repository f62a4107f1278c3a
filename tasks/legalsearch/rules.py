"""The policy `law-rules/1`: no model, no memory.

An article is recited as in force on a day, everything else is chosen by the characters that it shares with the
retrieved articles. Rules do not judge facts: of a term they know the range of the article, of a charge its heading.

It acts through `rag_retrieve` alone and answers from what came back: what a run hides from the tool, the policy does
not know either; values in another shape (another agent in the same episode) give nothing. Each move runs a solver
from the start on the recorded results. Days are calendar days, both ends inclusive.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from pydantic import BaseModel, TypeAdapter, ValidationError

from store.search.law_search import LawSearch, SearchSettings
from store.search.query import LawQuery
from store.text.citation import citations
from store.text.dates import plain_date
from store.text.ideographs import HAN
from store.text.normalise import fold_width
from store.text.numerals import chinese_to_int
from tasks.episode.events import Planned, Thought, ToolReturned
from tasks.episode.seats import Answer, CallTool, Move, View, emit
from tasks.legalsearch.dates import case_dates
from tasks.legalsearch.questions import options


class ArticleResult(BaseModel):
    """One article of one version as the search showed it; text None: the pack has its number only."""

    law: str
    label: str
    number: str
    chinese: str
    title: str
    text: str | None
    valid_from: date | None
    valid_to: date | None

    def distance(self, first: date, last: date) -> int:
        """Days between the version and these days; 0 where they meet."""
        if self.valid_to is not None and self.valid_to < first:
            return (first - self.valid_to).days
        return (self.valid_from - last).days if self.valid_from is not None and last < self.valid_from else 0


class QueryResult(BaseModel):
    """One query's articles, best first, and what the search said of laws and days: codes with what they are about."""

    hits: tuple[ArticleResult, ...] = ()
    notes: tuple[str, ...] = ()


_LOOKS = TypeAdapter(tuple[QueryResult, ...])


@dataclass(frozen=True, slots=True)
class Query:
    """What to ask next, and one visible sentence saying why."""

    texts: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class RulesAnswer:
    """An answer, how it came about, and what to say beside it. `abstained`: the answer says why there is none."""

    answer: str
    why: str
    summary: str = ""
    abstained: bool = False


Work = Generator[Query, tuple[QueryResult, ...], RulesAnswer]


def looks(value: object) -> tuple[QueryResult, ...]:
    """The value of a `rag_retrieve` as queries with articles."""
    try:
        return _LOOKS.validate_python(value)
    except ValidationError:
        return ()


def articles(found: Sequence[QueryResult]) -> list[ArticleResult]:
    """All articles in their order, each of each version once."""
    unique: dict[tuple[str, str], ArticleResult] = {}
    for look in found:
        for hit in look.hits:
            unique.setdefault((hit.label, hit.number), hit)
    return list(unique.values())


_PIECE = re.compile(rf"[{HAN}A-Za-z0-9]+")


@lru_cache(maxsize=2048)
def _pairs(text: str) -> frozenset[str]:
    """Pairs of neighbouring characters within stretches without punctuation; a stretch of one character is itself."""
    found: set[str] = set()
    for piece in _PIECE.findall(fold_width(text)):
        found |= {piece[start : start + 2] for start in range(len(piece) - 1)} or {piece}
    return frozenset(found)


def contained(part: str, whole: str) -> float:
    """The share of the pairs of neighbouring characters of `part` that `whole` has too; punctuation never counts."""
    wanted = _pairs(part)
    return len(wanted & _pairs(whole)) / len(wanted) if wanted else 0.0


_NOTHING = {
    "not_yet": "该条在所问日期尚未施行，没有可以复述的文本。",
    "repealed": "所问日期该法（该条）已经废止，没有可以复述的文本。",
}
"""Absence -> what there is to say instead of a text."""
_ABSENT = re.compile(r"(?:^|:)(not_yet|repealed|gap)(?=:|$)")


def recite(question: str, read: LawQuery, *, dated: bool = True, abstain: bool = True) -> Work:
    """The article of the named law and number whose version covers the day: its heading in 【】, then its paragraphs.

    Without `dated` (the search does not filter by day) what comes first is recited, so that a run with the window off
    shows what the filter is worth. Without `abstain` the nearest version stands in for a text that is missing.
    """
    days = (read.spans[0].first, read.spans[0].last) if dated and read.spans else None
    found = yield Query((question.strip(),), "按题目所说的法律、条号和时间检索施行中的版本。")
    notes = (_ABSENT.search(note) for look in found for note in look.notes if dated)
    absence = next((match[1] for match in notes if match), "")
    if absence in _NOTHING:
        return RulesAnswer("", _NOTHING[absence], _NOTHING[absence])
    best = _version(articles(found), read, days)
    away = best is not None and days is not None and best.distance(*days) > 0
    if abstain and dated and found and (best is None or best.text is None or away):
        named = f"《{best.label}》{best.chinese}" if best else "该条"
        why = "版本表在所问日期有缺口" if absence == "gap" else f"数据包未收录{named}在所问日期的文本"
        return RulesAnswer(f"{why}，不以其他版本代替，不作答。", f"{why}，弃答。", abstained=True)
    if (best is None or best.text is None) and read.pairs:
        texts = tuple(f"《{law}》{number.chinese}" for law, number in read.pairs[:2])
        again = yield Query(texts, "当日版本未收录文本，去掉时间再查相邻版本。")
        best = _version([hit for hit in articles(again) if hit.text is not None], read, days) or best
        away = best is not None and days is not None and best.distance(*days) > 0
    if best is None or best.text is None:
        return RulesAnswer("", "检索没有返回该条的文本。", "未检索到该条文本，无法复述。")
    text, said = f"【{best.title}】{best.text}" if best.title else best.text, f"《{best.label}》{best.chinese}"
    if away:
        why = "版本表在当日有缺口" if absence == "gap" else "当日版本未收录文本"
        return RulesAnswer(text, f"{said}：{why}，以相邻版本代替。", f"{why}，以下为{said}的文本。")
    return RulesAnswer(text, f"{said}，{'取排在最前的版本' if days is None else '施行期间覆盖所问日期'}。")


def _version(hits: Sequence[ArticleResult], read: LawQuery, days: tuple[date, date] | None) -> ArticleResult | None:
    """Of the named law and number the version nearest to the days; the first among equals."""
    numbers = {number.key for number in read.numbers}
    named = [
        hit for hit in hits if (not read.laws or hit.law in read.laws) and (not numbers or hit.number in numbers)
    ]
    return min(named, key=lambda hit: hit.distance(*days) if days else 0, default=None)


BASE = 0.3
"""What support counts before the article shares a word with the question."""
LEAST = 0.1
"""Support below which no option counts as supported."""
SAID = 0.8
"""The share of an option that one article must have for the article to say it."""
DEFAULT = "B"

_OPTIONS = re.compile(r"\n\s*选项\s*[:：]|\n\s*相关法条\s*[:：]")
_HEAD = re.compile(r"^\s*(?:问题|题目|案件事实)\s*[:：]\s*")
_SEVERAL = re.compile(r"哪些|哪几|的有|包括[^A-Za-z]{0,3}$|有[:：?？（(\s]*$")
_ONE = re.compile(r"哪一|哪项|哪个|何者")
_SENTENCE = re.compile("[。；;]")
_REVERSED = re.compile(
    r"不正确|错误|不属于|不包括|不符合|不构成|不是|不应|不能|不得|不可以|有误|不当|不合法|不包含|除外|不需要|不具有"
    r"|不成立|不恰当|不会|不必|不享有|不适用"
)


def stem_of(question: str) -> str:
    """The question without its heading and its options."""
    return _HEAD.sub("", _OPTIONS.split(question, maxsplit=1)[0]).strip()


def wants_several(stem: str) -> bool:
    """Whether the words of the question ask for more than one option."""
    tail = stem[-60:]
    return _SEVERAL.search(tail) is not None and _ONE.search(tail) is None


def is_reversed(stem: str) -> bool:
    """Whether the question asks for what is wrong."""
    return _REVERSED.search(_SENTENCE.split(stem.rstrip("。；;"))[-1][-40:]) is not None


def choose(question: str, choices: Mapping[str, str], *, only_one: bool) -> Work:
    """The option that an article for the question contains most of, the more so the more of the question the article
    contains too; of several right options those that articles say nearly word for word.

    Where no article supports one option the answer is the default: all of them where several are asked for, B where
    one is, and so for questions about what is wrong. only_one: the task never has more than one right option.
    """
    stem = stem_of(question)
    hits = articles((yield Query((stem,), "按题干中的时间、法律和关键词检索条文。")))
    if not choices:
        return RulesAnswer("", "题目没有列出选项。")
    texts = [f"{hit.title}\n{hit.text}" for hit in hits if hit.text]
    if not only_one and wants_several(stem):
        said = [letter for letter, one in choices.items() if any(contained(one, text) >= SAID for text in texts)]
        if 1 < len(said) < len(choices) and not is_reversed(stem):
            return RulesAnswer("".join(said), "条文中有这些选项的文字，没有其余选项的文字。")
        return RulesAnswer("".join(choices), "题干要求选出多项；条文不足以排除任何一项，按默认全选。")
    default = DEFAULT if DEFAULT in choices else next(iter(choices))
    if is_reversed(stem):
        return RulesAnswer(default, "题干要求选出不符合的一项；条文不足以判断，按默认选项作答。")
    points = {
        letter: max((contained(one, text) * (BASE + contained(stem, text)) for text in texts), default=0.0)
        for letter, one in choices.items()
    }
    best = max(points, key=lambda letter: (points[letter], letter == default))
    if points[best] < LEAST:
        return RulesAnswer(default, "检索到的条文不支持任何选项，按默认选项作答。")
    return RulesAnswer(best, f"条文支持选项 {best} 的程度最高：{points[best]:.2f}。")


CRIMINAL_LAW = "中华人民共和国刑法"
CHOSEN = 0.8
"""An offered article needs this share of the overlap of the best one."""
TERM = 36
"""Months, within the range of the article: up to three years 缓刑 may be given (刑法 第七十二条)."""

_LAW = re.compile(rf"《?(?P<law>[{HAN}]{{2,30}}?(?:法|法典|条例))》?第")
_CHARGED = re.compile(r"(?:认为|已?构成)[,，:：]?([^。]{10,200})")
_RANGE = re.compile(
    r"处(?:(?P<low>[一二三四五六七八九十]+)年以上)?(?:(?P<high>[一二三四五六七八九十]+)年以下)?有期徒刑"
)


def _facts(question: str, read: LawQuery) -> tuple[str, str]:
    """The facts of a case, and the day of the act before which its law is asked: 从旧兼从轻; '' without one."""
    dates = case_dates(read.text, read.spans)
    day = dates.acted_until or dates.acted
    return "".join(stem_of(question).split()), plain_date(day) if day else ""


def _of_facts(facts: str, day: str) -> tuple[str, ...]:
    """Queries for the facts: their beginning, and what the prosecution says they come to."""
    charged = [match[1][:200] for match in _CHARGED.finditer(facts)]
    return tuple(f"{day}《{CRIMINAL_LAW}》{text}" for text in (facts[:200], *charged[-1:]))


def _fit(hit: ArticleResult, facts: str) -> float:
    """How well a crime's article fits the facts: what they have of its heading, and of its text."""
    return contained(hit.title.removesuffix("罪"), facts) + contained(hit.text or "", facts)


def accuse(question: str, read: LawQuery) -> Work:
    """The heading of the retrieved article that fits the facts best."""
    facts, day = _facts(question, read)
    found = articles((yield Query(_of_facts(facts, day), "按行为时间和案件事实检索罪名条文。")))
    crimes = [hit for hit in found if hit.title.endswith("罪")]
    if not crimes:
        return RulesAnswer("", "检索没有返回罪名条文。")
    best = max(crimes, key=lambda hit: _fit(hit, facts))
    return RulesAnswer(best.title.removesuffix("罪"), f"与事实最接近的罪名条文：《{best.label}》{best.chinese}。")


def apply_articles(question: str, read: LawQuery, choices: Mapping[str, str]) -> Work:
    """The options whose articles, those inserted behind them too (第一百三十三条之一), fit the facts best."""
    facts, day = _facts(question, read)
    law = next((match["law"] for text in choices.values() if (match := _LAW.search(text))), CRIMINAL_LAW)
    numbers = {letter: [one.number for one in citations(text)] for letter, text in choices.items()}
    named = list(dict.fromkeys(number.chinese for listed in numbers.values() for number in listed))
    behind = "、".join(f"{number}之一" for number in named if "之" not in number)
    queries = (f"{day}《{law}》{'、'.join(named)}", f"{day}《{law}》{behind}")
    fits: dict[str, float] = {}
    for hit in articles((yield Query(queries, "查各选项法条在行为时的条文。"))):
        number = hit.number.partition("-")[0]
        fits[number] = max(fits.get(number, 0.0), _fit(hit, facts))
    points = {
        letter: max((fits.get(str(one.number), 0.0) for one in listed), default=0.0)
        for letter, listed in numbers.items()
    }
    best = max(points.values(), default=0.0)
    if best <= 0:
        return RulesAnswer(DEFAULT if DEFAULT in choices else "", "没有检索到与事实相符的选项条文，按默认选项作答。")
    chosen = "".join(letter for letter, value in points.items() if value >= CHOSEN * best)
    return RulesAnswer(chosen, f"选项 {chosen} 的条文与事实最相符：{best:.2f}。")


def sentence(question: str, read: LawQuery) -> Work:
    """A term within the first range of the article that the question names."""
    facts, day = _facts(question, read)
    named = "".join("".join(_OPTIONS.split(question, maxsplit=1)[1:]).split())
    queries = (f"{day}{named}",) if named else _of_facts(facts, day)
    found = articles((yield Query(queries, "查相关法条在行为时的法定刑。")))
    ranges = ((hit, match) for hit in found if (match := _RANGE.search(hit.text or "")))
    for hit, match in ranges:
        low, high = (12 * (chinese_to_int(match[name] or "") or 0) for name in ("low", "high"))
        months = max(low, min(TERM, high or TERM))
        return RulesAnswer(f"{months}个月", f"《{hit.label}》{hit.chinese}：法定刑幅度内最接近三年的刑期。")
    return RulesAnswer(f"{TERM}个月", "没有检索到法定刑，取三年。")


_ASKED = re.compile(r".*(?:用户提问|咨询|提问|问题)\s*[:：]", re.DOTALL)


def advise(question: str) -> Work:
    """What the first two retrieved articles say, and the articles as 法律依据, in the published two-part form."""
    asked = _ASKED.sub("", question).strip() or question.strip()
    found = [hit for hit in articles((yield Query((asked,), "按咨询内容检索有关条文。"))) if hit.text][:2]
    if not found:
        none = "回答:未检索到可以适用的法律条文，无法给出意见，建议补充事实后咨询律师。法律依据:无。"
        return RulesAnswer(none, "没有检索到带文本的条文。", abstained=True)
    first = (found[0].text or "").split("。", 1)[0].replace("\n", "")[:200]
    said = (
        f"根据《{found[0].law}》{found[0].chinese}的规定，{first}。您的情况与此相符的，按上述规定处理；"
        "具体结果取决于合同约定和能够证明的事实。"
    )
    basis = "".join(f"《{hit.law}》{hit.chinese}{''.join((hit.text or '').split())[:700]}" for hit in found)
    named = "、".join(f"《{hit.law}》{hit.chinese}" for hit in found)
    return RulesAnswer(f"回答:{said}法律依据:{basis}", f"检索排在最前的条文：{named}。")


TOOL = "rag_retrieve"
NO_TOOL = "没有法条检索工具，只能依题目文字作答。"
RECITING = ("确定法律、条号和日期", "检索当日施行的版本", "照录条文")
CHOOSING = ("按题目中的时间、法律和内容检索法条", "取与检索到的条文最接近的回答")


class LawRulesPolicy:
    """Recital by law, number and day; every other answer by overlap with the retrieved articles."""

    name = "law-rules/1"

    def __init__(
        self, search: LawSearch, settings: SearchSettings, offered: tuple[str, ...], *, abstain: bool = True
    ) -> None:
        self._search = search
        self._abstain = abstain
        self._settings = settings
        self._has_tool = TOOL in offered

    def move(self, view: View) -> Move:
        """The next query, or the answer."""
        kind, question = str(view.card.get("type", "")), str(view.card.get("question", ""))
        returned = [
            looks(record.event.value)
            for record in view.history
            if isinstance(record.event, ToolReturned) and record.event.tool == TOOL
        ]
        if view.step <= 1 and not returned:
            steps = RECITING if kind == "lar" else CHOOSING
            tools = (TOOL if self._has_tool else "", *[""] * (len(steps) - 1))
            yield from emit(Planned(seat=view.seat, steps=steps, tools=tools))
        may_ask = self._has_tool and (view.max_turns is None or view.step < view.max_turns)
        step = _replay(self._solver(kind, question), returned, may_ask)
        yield from emit(Thought(seat=view.seat, text=step.why if self._has_tool else f"{NO_TOOL}{step.why}"))
        if isinstance(step, Query):
            return CallTool(TOOL, {"query": list(step.texts)})
        return Answer(step.answer, step.summary, abstained=step.abstained)

    def _solver(self, kind: str, question: str) -> Work:
        read, choices = self._search.analyse(question), options(question)
        match kind:
            case "lar":
                return recite(question, read, dated=self._settings.window == "on", abstain=self._abstain)
            case "lcs":
                return advise(question)
            case "lap":
                return apply_articles(question, read, choices)
            case "ccp":
                return accuse(question, read)
            case "ptp":
                return sentence(question, read)
        return choose(question, choices, only_one=kind in ("lbk", "pfe"))


def _replay(work: Work, returned: list[tuple[QueryResult, ...]], may_ask: bool) -> Query | RulesAnswer:
    """Runs a solver on the recorded results: what it asks next, or its reply. Without a turn left it is sent
    nothing."""
    waiting = iter(returned)
    try:
        query = next(work)
        while True:
            result = next(waiting, None) if any(map(str.strip, query.texts)) else ()
            if result is None and may_ask:
                return Query(tuple(filter(str.strip, query.texts)), query.why)
            query = work.send(result or ())
    except StopIteration as stop:
        reply: RulesAnswer = stop.value
        return reply
