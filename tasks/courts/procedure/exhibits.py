"""The exhibits of a trial on their way: 未出示, 已出示, 已质证, 采信, 部分采信 or 不采信 with the reason that was
given."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

from store.text.numerals import chinese_to_int
from tasks.courts.procedure.acts import sentences
from tasks.courts.procedure.answers import MAX_REPLY, responsive
from tasks.courts.procedure.model import (
    ActSpec,
    Duty,
    ExhibitState,
    ExhibitStatus,
    Hearing,
    ProcedureExhibit,
    Side,
    Turn,
    opposite,
)
from tasks.courts.scores.bigrams import bigrams, recall

_SOURCE = re.compile(r"来源(?:于|是|为|：)[^，。；\n]{0,80}")
"""Where an exhibit comes from (办案机关的询问笔录) names no other exhibit."""


class Exhibits:
    """State of every exhibit of a hearing, by id."""

    def __init__(self, hearing: Hearing, duties: Iterable[Duty]) -> None:
        self.hearing = hearing
        self.state = {item.id: ExhibitStatus() for item in hearing.exhibits}
        self.titles = {item.id: item.title for item in hearing.exhibits}
        self.excused: set[tuple[str, Side]] = set()
        """Exhibit and side that was asked about it and gave no valid answer: relying on it is no fault then."""
        self._owed: dict[str, set[Side]] = {}
        for duty in duties:
            if duty.mandatory and duty.spec.exhibits == "other" and duty.side:
                self._owed.setdefault(duty.exhibit, set()).add(duty.side)

    def unshown(self, side: Side) -> list[ProcedureExhibit]:
        """What a side has not offered yet."""
        return [item for item in self.hearing.exhibits if item.owner == side and self.state[item.id].shown is None]

    def to_hear(self, side: Side) -> list[ProcedureExhibit]:
        """What was offered and a side has not been heard on."""
        return [
            item
            for item in self.hearing.exhibits
            if side in opposite(item.owner, self.hearing)
            and self.state[item.id].shown is not None
            and side not in self.state[item.id].heard
        ]

    def unseen(self, text: str, sides: Iterable[Side]) -> bool:
        """Whether a text is about exhibits of others than these sides, and none that it names was offered yet."""
        theirs = {item.owner for item in self.hearing.exhibits} - set(sides)
        named = [
            item
            for side in theirs
            for item in items_named(text, [i for i in self.hearing.exhibits if i.owner == side])
        ]
        return bool(named) and all(self.state[item.id].shown is None for item in named)

    def misdirected(self, spec: ActSpec, text: str, sides: Collection[Side]) -> bool:
        """Whether words that ask to offer exhibits, or for a view on them, name those of one side alone, and are put
        to nobody who has them to offer, or to that side alone for its view on its own."""
        owners = {
            side
            for side in self.hearing.sides
            if items_named(text, [item for item in self.hearing.exhibits if item.owner == side])
        }
        if len(owners) != 1 or not sides:
            return False
        return not owners & set(sides) if spec.exhibits == "owner" else owners == set(sides)

    def begun(self) -> bool:
        """Whether anything was offered yet."""
        return any(one.shown is not None for one in self.state.values())

    def offered(self, side: Side, text: str) -> list[ProcedureExhibit]:
        """Exhibits that a side offers in these words for the first time."""
        mine = [item for item in self.hearing.exhibits if item.owner == side]
        return [item for item in items_named(_SOURCE.sub("", text), mine) if self.state[item.id].shown is None]

    def exhibits_of_opinion(self, side: Side, asked: str, text: str) -> list[ProcedureExhibit]:
        """Exhibits that an opinion is about: those named by judge or side, else all that wait for this side.

        Talk of something else is no opinion, however clearly the judge named the exhibit.
        """
        waiting = self.to_hear(side)
        named = {item.id for item in items_named(f"{asked}\n{text}", waiting)}
        if not (responsive("view", text) or (items_named(text, waiting) and responsive("short", text))):
            return []
        return [item for item in waiting if not named or item.id in named or ALL_MEANT.search(text)]

    def show(self, item: ProcedureExhibit, turn: Turn) -> None:
        """Note that an exhibit was offered."""
        self.state[item.id] = replace(self.state[item.id], state="已出示", shown=turn.number)

    def hear(self, item: ProcedureExhibit, side: Side, turn: Turn) -> None:
        """Note that a side was heard on an exhibit; it is 已质证 when all have been that must be."""
        known = self.state[item.id]
        heard = {**known.heard, side: turn.number}
        state = known.state
        if state in ("未出示", "已出示") and set(opposite(item.owner, self.hearing)) <= set(heard):
            state = "已质证"
        self.state[item.id] = replace(known, state=state, heard=heard)

    def rule(self, turn: Turn) -> Iterator[tuple[str, str]]:
        """Note what a turn decides about exhibits; yields the code of a violation and the title it concerns."""
        shown = [item for item in self.hearing.exhibits if self.state[item.id].shown is not None]
        for ruled in rulings(turn.text, self.hearing, shown):
            known = self.state[ruled.item.id]
            lacking = self._owed.get(ruled.item.id, set()) - set(known.heard)
            if ruled.admitted and any((ruled.item.id, side) not in self.excused for side in lacking):
                yield "uncrossed_relied", ruled.item.title
            if not ruled.admitted and not ruled.reasoned:
                yield "no_reason", ruled.item.title
            state: ExhibitState = "部分采信" if ruled.partly else "采信" if ruled.admitted else "不采信"
            self.state[ruled.item.id] = replace(known, state=state, ruled=turn.number, reason=ruled.reason)

    def take_up(self, act: str, identity: str, side: str) -> None:
        """Note an exhibit's state where a trial is taken up in the middle."""
        known = self.state.get(identity)
        if known is None:
            return
        if act == "exhibit" and known.shown is None:
            self.state[identity] = replace(known, state="已出示", shown=0)
        elif act == "cross":
            self.state[identity] = replace(known, state="已质证", heard={**known.heard, side: 0})


# --- which exhibits a text means ------------------------------------------------------------------------------------

_DIGIT = "一二三四五六七八九"
_NUMBER = rf"(?:\d{{1,2}}|[{_DIGIT}]?十[{_DIGIT}]?|[{_DIGIT}])(?!性)"
_NUMBERED = re.compile(rf"证据\s*({_NUMBER})((?:\s*(?:[、和及与，,]|至|到|[-—~])\s*(?:证据)?\s*{_NUMBER})*)")
_ORDINAL = re.compile(rf"第\s*({_NUMBER})\s*(?:份|项|号|件)?证据|({_NUMBER})\s*号证据")
_MORE = re.compile(rf"([、和及与，,]|至|到|[-—~])\s*(?:证据)?\s*({_NUMBER})")
_BRACKETS = re.compile(r"[（(【\[][^（(【\[）)】\]]{0,80}[）)】\]]")
_NOISE = re.compile(
    r"[《》“”「」\"'\s]|打印件|复印件|原件|[一二两三四五六七八九十\d]+(?:份|张|页|册|笔|组|个|把|部)|若干"
)
ALL_MEANT = re.compile(r"其余|其他证据|全部|所有|均|都没|都无|上述证据|以上证据")
"""Words by which an opinion reaches beyond the exhibits it names."""
_NEAR = 0.5
"""Share of the pairs of a title by which it is known."""
_FEWEST = 3
"""A part of a title shorter than this names nothing; a whole title (借条) may be shorter."""


def items_named(text: str, items: Sequence[ProcedureExhibit]) -> tuple[ProcedureExhibit, ...]:
    """The exhibits of one side that a text names by number (证据一, 第2份证据, 证据一至三) or by title, in their
    order."""
    return _named(text, tuple(items))


@lru_cache(maxsize=64)
def _named(text: str, items: tuple[ProcedureExhibit, ...]) -> tuple[ProcedureExhibit, ...]:
    """Remembered: every act of a turn asks about the whole turn."""
    text = text[:MAX_REPLY]
    numbers = numbers_named(text)
    bare = _NOISE.sub("", _BRACKETS.sub("", text))
    aliases, twins = _aliases(items)
    named = tuple(
        item
        for item in items
        if item.number in numbers
        or any(alias in bare for alias in aliases[item.id] if not (numbers and alias in twins))
    )
    return named or _nearest(bare, items)


def _nearest(bare: str, items: Sequence[ProcedureExhibit]) -> tuple[ProcedureExhibit, ...]:
    """The exhibit most of whose title a text says in other order or with words between (腊月十八写的收条)."""
    said = bigrams(bare)
    share = {item: recall(bigrams(_NOISE.sub("", item.title)), said) for item in items}
    best = max(share.values(), default=0.0)
    near = [item for item, value in share.items() if value == best >= _NEAR]
    return tuple(near) if len(near) == 1 else ()


@lru_cache(maxsize=1024)
def numbers_named(text: str) -> frozenset[int]:
    """Numbers of exhibits in a text; ranges are filled."""
    found: set[int] = set()
    for match in _NUMBERED.finditer(text):
        last = _value(match[1])
        found.add(last)
        for joint, number in _MORE.findall(match[2]):
            value = _value(number)
            found.update(range(last, value + 1) if joint in "至到-—~" else (value,))
            last = value
    for match in _ORDINAL.finditer(text):
        found.add(_value(match[1] or match[2]))
    return frozenset(found)


def _value(number: str) -> int:
    return int(number) if number.isdecimal() else chinese_to_int(number) or 0


@lru_cache(maxsize=64)
def _aliases(items: tuple[ProcedureExhibit, ...]) -> tuple[dict[str, set[str]], set[str]]:
    """Names of each exhibit: the title, its parts at 、 and behind 的, and endings that no other exhibit here shares.
    And the names that two exhibits of one title bear (价格认定结论书（第一次）、（重新认定）): there the number says
    which is meant."""
    titles = {item.id: _NOISE.sub("", _BRACKETS.sub("", item.title)) for item in items}
    aliases: dict[str, set[str]] = {}
    for identity, title in titles.items():
        parts = {title, *title.split("、")}
        parts |= {part.rsplit("的", 1)[-1] for part in parts}
        parts |= {part[start:] for part in set(parts) for start in range(1, max(1, len(part) - _FEWEST + 1))}
        others = [other for key, other in titles.items() if key != identity]
        aliases[identity] = {
            part
            for part in parts
            if (part == title and len(part) >= 2)
            or (len(part) >= _FEWEST and not any(part in other for other in others))
        }
    return aliases, {alias for one, other in combinations(aliases.values(), 2) for alias in one & other}


# --- what a court makes of them (认证) ------------------------------------------------------------------------------

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
class ExhibitRuling:
    """What was said about an exhibit in court. partly: only a part of it is admitted."""

    item: ProcedureExhibit
    admitted: bool
    reason: str
    reasoned: bool
    partly: bool = False


def rulings(text: str, hearing: Hearing, shown: Iterable[ProcedureExhibit]) -> Iterator[ExhibitRuling]:
    """What a turn decides about exhibits: the words before each 采信 or 不予采信 name them and give the reason.

    X，其中……予以采信，……不予采信 admits a part of what it names.
    """
    offered = list(shown)
    taken: set[str] = set()
    for _, sentence in sentences(text):
        begin = 0
        last: list[ExhibitRuling] = []
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
                last = [ExhibitRuling(item, admitted, reason, bool(_REASON.search(reason))) for item in meant]
            elif last and last[0].admitted != admitted and (part := last[0].reason.find("其中")) >= 0:
                reason = sentence[sentence.index(last[0].reason) + part :].strip("。；; \n")
                last = [replace(one, admitted=True, partly=True, reason=reason) for one in last]
        yield from last


def _meant(piece: str, hearing: Hearing, offered: list[ProcedureExhibit], taken: set[str]) -> list[ProcedureExhibit]:
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


def _of(hearing: Hearing, side: Side) -> tuple[ProcedureExhibit, ...]:
    return tuple(item for item in hearing.exhibits if item.owner == side)


def _without_numbers(piece: str) -> str:
    return piece.replace("证据", "　")
