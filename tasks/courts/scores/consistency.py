"""Whether a simulated role stays in its case: the deterministic part of behaviour consistency (shares from 0 to 1).

Read in each of its messages: a day, an amount, a number or a name that stands neither in what the role holds nor in
what was said before; words of another role; talk of being a model; runs of somebody else's field; a turn in which
nobody of the case speaks (no Chinese, an echo, a repetition, something else than the case; see `simulated`). Style
markers are counted apart, for they say how, not what. Numbers of articles and of list items are nobody's facts. Below
0.85 a run is not comparable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from store.text.citation import citations
from store.text.dates import parse_date
from store.text.ideographs import HAN
from store.text.money import by_value, sums
from store.text.normalise import fold_width
from store.text.numerals import to_decimal
from tasks.courts.casefile.case import Case, Env
from tasks.courts.casefile.people import Level
from tasks.courts.casefile.visibility import FORMULAS, grant, leaks, leaves
from tasks.courts.procedure.model import Reason
from tasks.courts.scores.bigrams import sentences

COMPARABLE = 0.85
"""A simulator below this is not comparable with others."""
LONGEST = 20_000
"""Characters of a message that are read."""
SHOWN = 80
"""Characters of a message that is a slip as a whole."""
Kind = Literal["day", "amount", "number", "name", "role_break", "model_talk", "leak"] | Reason


@dataclass(frozen=True, slots=True)
class RoleMessage:
    """One message of the dialogue, in order; `role` as the visibility table names it."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Slip:
    """Something in a message that its speaker cannot know or should not say; `message`: its number in the
    dialogue."""

    kind: Kind
    message: int
    text: str


@dataclass(frozen=True, slots=True)
class Consistency:
    """Of one role in one dialogue. `score`: share of its messages without a slip, None when it said nothing; `style`:
    share of the style markers that fit, None without markers."""

    role: str
    messages: int
    score: float | None
    slips: tuple[Slip, ...]
    style: float | None


def consistency(
    case: Case, env: Env, role: str, dialogue: Sequence[RoleMessage], traits: Mapping[str, Level] | None = None,
    nonsense: Mapping[int, Reason] | None = None,
) -> Consistency:  # fmt: skip
    """Reads the messages of a role against its grants and the record so far.

    Args:
        case: the case file.
        env: its environment.
        role: as in the visibility table; an unknown one raises UsageError.
        dialogue: everything that was said, by everybody.
        traits: levels of the five traits as drawn for the run; medium and missing traits have no markers.
        nonsense: number of a message -> why nobody of the case speaks in it.
    """
    holds = grant(env, role).holds
    held = "\n".join([*FORMULAS, *(str(value) for path, value in leaves(case) if path in holds)])
    known = _RoleKnowledge(held)
    slips: list[Slip] = []
    own: list[str] = []
    record: list[str] = []
    for number, message in enumerate(dialogue):
        text = message.text[:LONGEST]
        if message.role == role:
            own.append(text)
            slips += (Slip(kind, number, said) for kind, said in _slips(text, role, known))
            if kind := (nonsense or {}).get(number):
                slips.append(Slip(kind, number, text[:SHOWN]))
            slips += (Slip("leak", number, leak.text) for leak in leaks(text, case, env, role, record))
        record.append(text)
        known.add(text)
    broken = {slip.message for slip in slips}
    score = 1 - len(broken) / len(own) if own else None
    return Consistency(role, len(own), score, tuple(slips), style_share(own, traits or {}))


_DAY = re.compile(
    r"(?P<full>\d{4} ?年 ?\d{1,2} ?月 ?\d{1,2} ?[日号]|\d{4}[-/.]\d{1,2}[-/.]\d{1,2})"
    r"|(?P<short>\d{1,2}月\d{1,2}[日号])"
    r"|(?P<month>\d{4}年\d{1,2}月(?!\d))|(?P<year>(?<!\d)(?:19|20)\d{2}年(?!\d))"
)
_NUMBER = re.compile(r"(?<![\dA-Za-z.])\d[\d,]*(?:\.\d+)?(?![\dA-Za-z])")
_ITEM = re.compile(r"^[ \t]*[(（]?\d{1,2}[)）.、．]", re.MULTILINE)
_TEN = 10
"""Smaller numbers count what the speaker says: 两点, 3份."""
_NAMED = re.compile(
    rf"(?:我叫|我的名字是|名字叫|姓名[是为:：]?|名叫)(?P<person>[{HAN}]{{2,4}}?)(?=[,，。.;；、!！\s]|的|男|女"
    r"|$)"
)
_ORGANISATION = re.compile(
    rf"(?P<own>[{HAN}]{{3}})(?P<kind>有限公司|有限责任公司|股份有限公司|律师事务所|派出所|保险公司)"
    rf"|(?P<place>[{HAN}]{{2}}[省市区县州旗])(?P<court>人民法院|人民检察院|中级人民法院)"
)
_GENERIC = re.compile(r"[这那该贵本我你您他她们某一家个的了在到去向和与及是由找请为从]$")


class _RoleKnowledge:
    """What a role may say: its own material and the record, as text and as values."""

    def __init__(self, held: str) -> None:
        self.text = ""
        self.days: set[str] = set()
        self.numbers: set[str] = set()
        self.add(held)

    def add(self, text: str) -> None:
        """More that everybody has heard."""
        folded = fold_width(text)
        self.text += "\n" + folded
        for match in _DAY.finditer(folded):
            self.days |= set(_forms(match.group()))
        for match in re.finditer(r"\d{4}-\d{2}-\d{2}", folded):
            self.days |= set(_forms(match.group()))
        self.numbers |= {one.value for one in sums(folded)}
        self.numbers |= {by_value(match.group()) for match in re.finditer(r"\d[\d,]*(?:\.\d+)?", folded)}


def _forms(day: str) -> Iterator[str]:
    """The ways in which one may name a known day without naming another: itself, month and day, month, year."""
    found = parse_date(day)
    if found is not None:
        yield from (found.isoformat(), f"{found.month}-{found.day}", f"{found:%Y-%m}", f"{found:%Y}")
        return
    numbers = [int(number) for number in re.findall(r"\d+", day)]
    if len(numbers) == 2 and numbers[0] > 31:
        yield from (f"{numbers[0]}-{numbers[1]:02}", f"{numbers[0]}")
    elif len(numbers) == 2:
        yield f"{numbers[0]}-{numbers[1]}"
    elif numbers:
        yield str(numbers[0])


def _slips(text: str, role: str, known: _RoleKnowledge) -> Iterator[tuple[Kind, str]]:
    folded = fold_width(text)
    yield from _other_voices(folded, role)
    if match := _MODEL.search(folded):
        yield "model_talk", match.group()
    yield from _strange_names(folded, known)
    rest = _ITEM.sub(_blank, folded)
    for cited in reversed(citations(rest)):
        rest = rest[: cited.start] + " " * (cited.end - cited.start) + rest[cited.end :]
    for match in _DAY.finditer(rest):
        # The most exact form comes first; a known year does not make a day known.
        form = next(iter(_forms(match.group())), "")
        if form and form not in known.days:
            yield "day", match.group()
    rest = _DAY.sub(_blank, rest)
    for value, start, end in list(sums(rest)):
        if value not in known.numbers:
            yield "amount", rest[start:end]
        rest = rest[:start] + " " * (end - start) + rest[end:]
    for match in _NUMBER.finditer(rest):
        value = by_value(match.group())
        amount = to_decimal(match.group())
        if value not in known.numbers and amount is not None and amount >= _TEN:
            yield "number", match.group()


def _strange_names(text: str, known: _RoleKnowledge) -> Iterator[tuple[Kind, str]]:
    for match in _NAMED.finditer(text):
        if match["person"] not in known.text:
            yield "name", match["person"]
    for match in _ORGANISATION.finditer(text):
        own = match["own"] or match["place"]
        if match.group() not in known.text and not _GENERIC.search(own) and own[1:] not in known.text:
            yield "name", match.group()


_VOICES: Mapping[str, tuple[str, ...]] = {
    "client": ("律师", "客户", "咨询人", "群众", "当事人"),
    "trainee": ("实习生", "实习律师", "法律助理", "律师"),
    "plaintiff": ("原告", "当事人"),
    "defendant": ("被告", "被告人", "当事人"),
    "plaintiff_lawyer": ("原告", "原告代理人", "原告律师", "原告委托诉讼代理人", "律师"),
    "defendant_lawyer": ("被告", "被告代理人", "被告律师", "被告委托诉讼代理人", "律师"),
    "judge": ("审判长", "审判员", "法官", "独任审判员"),
    "clerk": ("书记员",),
    "procurator": ("公诉人", "检察员", "公诉机关"),
    "defence_lawyer": ("辩护人", "被告人辩护人", "律师"),
}
_LINE = re.compile(
    r"^[ \t*【\[]{0,6}(?P<voice>审判长|审判员|独任审判员|法官|书记员|公诉人|检察员|公诉机关|辩护人|被告人辩护人"
    r"|原告(?:代理人|律师|委托诉讼代理人)?|被告(?:人|代理人|律师|委托诉讼代理人)?|律师|实习律师|实习生|法律助理|客户"
    r"|咨询人|群众|当事人)"
    r"[】\]*]{0,4}[ \t]?[:：](?=[^\n]{2})",
    re.MULTILINE,
)
_DRAFTS = re.compile("民事起诉状|民事答辩状|答辩如下")
_MODEL = re.compile(
    r"(?:作为|我是|我只是)(?:一[个名款位])?[^，。,\n]{0,8}(?:人工智能|AI|语言模型|大模型|虚拟助手|聊天机器人)"
    r"|我(?:被设定|扮演的角色|正在扮演)"
    r"|根据(?:我的)?(?:角色设定|人物设定|系统提示|提示词)",
    re.IGNORECASE,
)


def _other_voices(text: str, role: str) -> Iterator[tuple[Kind, str]]:
    """Lines that begin with somebody else's label; a document has labels of its own."""
    if _DRAFTS.search(text):
        return
    own = _VOICES.get(role, ())
    for match in _LINE.finditer(text):
        if match["voice"] not in own:
            yield "role_break", match.group().strip()


_FILLERS = re.compile(r"呃|嗯|唉|哎|这个[，,…]|那个[，,…]|怎么办|担心|害怕|着急|急死")
_THANKS = re.compile(r"谢谢|感谢|麻烦您|辛苦|好的|听您的")
_SHORT, _LONG = 2, 4


def style_share(messages: Sequence[str], traits: Mapping[str, Level]) -> float | None:
    """The share of the markers of high and low traits that the messages bear out; None without such markers.

    Length in sentences is the marker of extraversion, fillers and worry that of stability, thanks that of
    agreeableness.
    """
    if not messages:
        return None
    lengths = sorted(len(sentences(text)) for text in messages)
    median = lengths[len(lengths) // 2]
    said = "\n".join(messages)
    checks: dict[tuple[str, Level], bool] = {
        ("extraversion", "low"): median <= _SHORT,
        ("extraversion", "high"): median >= _LONG or any(length >= _LONG for length in lengths[-len(lengths) // 2 :]),
        ("stability", "low"): bool(_FILLERS.search(said)),
        ("stability", "high"): not _FILLERS.search(said),
        ("agreeableness", "low"): not _THANKS.search(said),
        ("agreeableness", "high"): bool(_THANKS.search(said)),
    }
    asked = [fits for (trait, level), fits in checks.items() if traits.get(trait) == level]
    return sum(asked) / len(asked) if asked else None


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
