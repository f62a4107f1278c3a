"""What a judge does beyond speech acts: speaking for others, tags of stages, ruling on exhibits (认证), closing the
hearing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from store.text.ideographs import HAN
from tasks.courts.procedure.acts import MAX_TEXT, sentences
from tasks.courts.procedure.quoting import own_words
from tasks.courts.procedure.replies import items_named, numbers_named
from tasks.courts.procedure.tables import Profile
from tasks.courts.procedure.turns import Hearing, Item, Side

_TAG = re.compile(rf"<\s*([{HAN}]{{2,8}})\s*>")
_CLOSING = re.compile(r"(?:现在|宣布|可以)?闭庭(?!前|后|之前)|庭审(?:到此)?结束(?!前|后)|<\s*结束庭审\s*>")
_MARKS = re.compile(rf"{_CLOSING.pattern}|{_TAG.pattern}")
_REOPENED = re.compile(r"恢复(?:法庭)?(?:调查|辩论)|(?:重新|继续)(?:进行)?法庭(?:调查|辩论)")
_ROLE = (
    r"(?:原告|被告人|被告|公诉人|公诉机关|辩护人)(?:方|的?(?:委托诉讼代理人|诉讼代理人|代理人|代理律师|律师|辩护人))?"
)
_LINE = re.compile(
    rf"(?m)^[ \t　]{{0,8}}[（(【\[*]{{0,4}}{_ROLE}[】\])）*]{{0,4}}(?:回?答|说|表示)?"
    rf"[ \t]{{0,4}}[：:][ \t*]{{0,8}}(.+)$"
)
_ANSWERED = re.compile(rf"{_ROLE}(?:回答|答|回应|表示|说)\s*[：:]\s*[“\"「]")
_VOCATIVE = re.compile(
    r"\s*(?:请|你|您|现|对|是否|首先|先|有无|有没有|就|下面|本庭|法庭|围绕|针对|可以|继续|以上|刚才|根据)|.*[？?]\s*$"
)
_HEADER = re.compile(rf"[，,、]|[男女]|住|法定代表人|[{HAN}]族|出生|有限公司|律师事务所")
_JUDGMENT = re.compile(r"本院认为|判决如下|民事判决书|刑事判决书")
_SIMULATED = re.compile(r"模拟(?:原告|被告|公诉|辩护)")
_RULED = re.compile(
    r"(?P<no>(?:不予|不能|不应|难以|不)(?:采信|采纳|确认|认定))|(?:予以|应予|均予|可以|依法)(?:采信|采纳|确认|认定)"
    r"|采信"
)
_ALL = re.compile(
    r"上述|以上|前述|全部|各项|双方(?:提交|提供|出示)?的?(?:其他|其余)?证据|所举证据|无异议的证据|其余|(?<![与和同])"
    r"(?<![与和同][在本]案)其他证据"
)
_REASON = re.compile(r"因|由于|故|鉴于|缺乏|没有|未|不能|不足|无|印证|矛盾|不符|一致|单方|存疑|无法|并非|超过|违反")
_OWNERS: tuple[tuple[str, Side], ...] = (
    ("原告", "plaintiff"),
    ("被告人", "defence"),
    ("被告", "defendant"),
    ("公诉", "procurator"),
    ("辩护", "defence"),
)


@dataclass(frozen=True, slots=True)
class Ruled:
    """What was said about an exhibit in court. partly: only a part of it is admitted."""

    item: Item
    admitted: bool
    reason: str
    reasoned: bool
    partly: bool = False


def spoken_by_judge(text: str, texts: Sequence[str]) -> str:
    """An utterance of a judge without the marks of closing and of stages that it only quotes from the case file."""
    return own_words(text, _MARKS, texts)


def stages_tagged(text: str, profile: Profile) -> list[int]:
    """Indices of the stages whose tags stand in a text, in order, each once."""
    found = (profile.stage(match[1]) for match in _TAG.finditer(text))
    return list(dict.fromkeys(index for index in found if index >= 0))


def closing(text: str) -> int:
    """Where a text has declared the hearing closed; its length where it does not."""
    match = _CLOSING.search(text)
    return match.end() if match else len(text)


def closes(text: str) -> bool:
    """Whether the hearing is declared closed."""
    return bool(_CLOSING.search(text))


def reopens(text: str) -> bool:
    """Whether a return to an earlier stage is declared."""
    return bool(_REOPENED.search(text))


def speaks_for(text: str, own: Iterable[tuple[int, int]] = ()) -> str:
    """The words with which a judge answers in somebody's place; empty where there are none.

    A line that opens with a role and a colon is somebody's answer unless it addresses the role, is the head of a
    judgment, or does something that only a judge does (`own`: places of such words).
    """
    text = text[:MAX_TEXT]
    if match := _SIMULATED.search(text) or _ANSWERED.search(text):
        return text[match.start() : match.end() + 20]
    judgment = bool(_JUDGMENT.search(text))
    for match in _LINE.finditer(text):
        said = match[1].strip()
        if not said or _VOCATIVE.match(said) or (judgment and _HEADER.search(said)):
            continue
        if any(match.start() < end and start < match.end() for start, end in own):
            continue
        return match[0].strip()
    return ""


def rulings(text: str, hearing: Hearing, shown: Iterable[Item]) -> Iterator[Ruled]:
    """What a turn decides about exhibits: the words before each 采信 or 不予采信 name them and give the reason.

    X，其中……予以采信，……不予采信 admits a part of what it names.
    """
    offered = list(shown)
    taken: set[str] = set()
    for _, sentence in sentences(text):
        begin = 0
        last: list[Ruled] = []
        for match in _RULED.finditer(sentence):
            if sentence[max(0, match.start() - 12) : match.start()].find("量刑建议") >= 0:
                continue
            piece = sentence[begin : match.end()]
            begin, admitted = match.end(), not match["no"]
            if meant := _meant(piece, hearing, offered, taken):
                yield from last
                taken.update(item.id for item in meant)
                reason = (
                    piece[: len(piece) - len(match[0])].strip("，,。；; ").removesuffix("本院").rstrip("，,。；; ")
                )
                last = [Ruled(item, admitted, reason, bool(_REASON.search(reason))) for item in meant]
            elif last and last[0].admitted != admitted and (part := last[0].reason.find("其中")) >= 0:
                reason = sentence[sentence.index(last[0].reason) + part :].strip("。；; \n")
                last = [replace(one, admitted=True, partly=True, reason=reason) for one in last]
        yield from last


def _meant(piece: str, hearing: Hearing, offered: list[Item], taken: set[str]) -> list[Item]:
    # 原告证据四，对方以“与被告无关”为由: whose exhibit it is stands right before it, whoever else is spoken of.
    owners = {side for word, side in _OWNERS if re.search(f"{word}方?(?:提交|出示|提供|举示)?的?证据", piece)}
    sides = owners or {side for word, side in _OWNERS if word in piece}
    by_title = {
        item.id for side in hearing.sides for item in items_named(_without_numbers(piece), _of(hearing, side))
    }
    owned = {side for side in sides if len(sides) == 1} or ({"procurator"} if hearing.env == "CR" else set())
    numbers = numbers_named(piece)
    for place, item in enumerate(hearing.exhibits, 1):
        wanted = item.number in numbers and item.owner in owned if owned else place in numbers
        if wanted:
            by_title.add(item.id)
    if own := {item.id for item in hearing.exhibits if item.id in by_title and item.owner in owners}:
        by_title = own  # a word of its title may stand in one of the other side, too
    # Who names exhibits means these, though he says that 其他证据 bear them out.
    meant = [item for item in hearing.exhibits if item.id in by_title] or (offered if _ALL.search(piece) else [])
    return [item for item in meant if item.id not in taken]


def _of(hearing: Hearing, side: Side) -> tuple[Item, ...]:
    return tuple(item for item in hearing.exhibits if item.owner == side)


def _without_numbers(piece: str) -> str:
    return piece.replace("证据", "　")
