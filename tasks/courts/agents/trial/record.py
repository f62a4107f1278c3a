"""A trial as its judge has followed it, from the record alone: questions and answers, exhibits with the views on
them, claims, charges and what was admitted.

Whoever sat in any seat before, and in whatever words, makes no difference: an exchange is a turn of the judge with
the answers to it, and what it was about is read from its words. Sides are those of the procedure (`procedure.turns`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

from store.tables import beside
from store.text.ideographs import HAN
from store.text.numerals import int_to_chinese, to_decimal
from tasks.agents.degenerate import stated
from tasks.courts.casefile.material import collegial
from tasks.courts.play.view import CourtView
from tasks.courts.procedure.acts import parse
from tasks.courts.procedure.answers import broken, responsive
from tasks.courts.procedure.exhibits import numbers_named
from tasks.courts.procedure.hearing import holds_property
from tasks.courts.procedure.model import SIDES, Turn, profile, side_of

OTHER: Mapping[str, str] = {"plaintiff": "defendant", "defendant": "plaintiff"}
NAME: Mapping[str, str] = {
    "plaintiff": "原告", "defendant": "被告", "procurator": "公诉人", "accused": "被告人", "defence": "辩护人",
}  # fmt: skip
HEARERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "CI": {"plaintiff": ("defendant",), "defendant": ("plaintiff",)},
    "CR": {"procurator": ("accused", "defence"), "defence": ("procurator",)},
}
"""Court -> who offers exhibits -> who speaks on them."""
OFFERING, VIEWING = ("exhibit", "defence_evidence"), "cross"
IDLE = 2
WAIVED = "视为放弃质证权利"
DENIES = re.compile(
    r"不承认|否认|真不是|不全是|多算了|没有那么多|不认(?!识|为)|不构成|不是(?:我|事实|诈骗|犯罪)|冤|无罪|有异议"
    r"|没有(?:做|干|卖|打|骗|偷|拿|犯罪)|没[卖打骗偷拿做干]"
)
LONGEST = 6_000
ASPECTS = {"truth": "真实性", "legality": "合法性", "relevance": "关联性", "weight": "证明目的"}
NO_OBJECTION = re.compile(r"[^，。；：\n]*(?:(?:没有|无)(?:任何)?(?:异议|意见)|不持异议)")
CONTESTS = re.compile(
    r"不(?:予)?认可|有异议|持异议|有意见|不属实|不真实|不合法|无关|不具有|不能(?:证明|达到|看出|反映|说明|代表)|不予"
    r"|否认|不承认|无法(?:确认|核实|证明)|不符|伪造"
)

_NUMBER = r"[一二三四五六七八九十]{1,3}|[0-9]{1,3}"
_EXHIBIT = re.compile(rf"证据\s*(?P<n>{_NUMBER})\s*(?:[：:、，,.]|是|为|系|(?=《))")
_TITLE_END = re.compile(r"[，,。；;（(\n：:]")
_OFFERS = re.compile(
    r"(?:出示|提交|举示|宣读|提供)(?:了)?(?:的)?(?:以下)?(?:证据(?!\s*[一二三四五六七八九十0-9]))?(?:有|是|为|一份"
    r"|一组)?\s*[：:，,]?(?P<title>[^，,。；;\n]{2,80})"
)
_PURPOSE = re.compile(r"(?:拟证明|用以证明|用于证明|用来证明|证明目的[是为：:]+)(?P<purpose>[^\n。]{2,300})")
_NONE_LEFT = re.compile(
    r"(?:出示|举证|提交|提供|举示)(?:均|都|已|已经|全部)*完毕|(?:没有|无|再无|不再)(?:其他|别的|更多|新的|任何|提交"
    r"|补充)*的?证据"
    r"|证据.{0,8}(?:没有了|到此为止|就这些)|^\s*(?:没有了?|无|没了|完毕|不提交)[了。！.]*\s*$"
)
_ABOUT = re.compile(
    rf"[^，。；;：:\n与和同]{{0,16}}?证据\s*(?:{_NUMBER})[^，,。；;：:\n]*(?:[，,]证据[^，,。；;：:\n]*)*"
)
"""The head of a sentence that names exhibits; 与证据三矛盾 is about another."""
_OTHERS = re.compile(r"[^，。；;：:\n与和同]{0,12}?(?:其余|其他|全部|所有|上述|以上)")
_SENTENCE = re.compile(r"[^。；;！!？?\n]+")
_COUNTED = re.compile(r"[一二三四五六七八九十两0-9第]")
_ORDINAL = "一二三四五六七八九十"
_ITEM = re.compile(
    rf"(?:^|(?<=[\n；;。：:]))\s*(?:第?[{_ORDINAL}]{{1,3}}[、.．，,：:](?=[^元])|[0-9]{{1,2}}[、.．)）](?![0-9])"
    rf"|[（(][{_ORDINAL}0-9]{{1,3}}[）)][、.]?)\s*"
)
_CLAIMS_BEGIN = re.compile(r"诉讼请求[^：:。，,；;\n]{0,8}[：:]?")
_CLAIMS_END = re.compile(r"事实(?:和|与|及|、)?理由|理由(?:如下|是)")
_ASKS = re.compile(r"判令|判决|请求|要求|确认|准予|撤销|解除|支付|返还|退还|赔偿|归还|偿还|承担|停止|履行|分割|抚养")
_COSTS = re.compile(r"诉讼费|受理费|保全费")
_LEAD = re.compile(r"^(?:请求|依法|判令|判决|请法院|人民法院|要求|请|、|，|：)+")
_ASIDE = re.compile(r"[（(][^（）()]{0,300}[）)]|[，,]其中[^；;。]*")
_ON_CLAIM = re.compile(rf"第(?P<numbers>[{_ORDINAL}0-9]{{1,3}}(?:[、，,和及][{_ORDINAL}0-9]{{1,3}}){{0,12}})项")
_AGREES = re.compile(r"没有异议|无异议|(?<!不)同意|(?<!不予)(?<!不)认可|(?<!不)属实")
_REFUSES = re.compile(
    r"不同意|不(?:予)?认可|不应|驳回|不承担|没有.{0,6}依据|不成立|不能成立|拒绝|不属实|否认|无权|不存在|不构成"
    r"|部分|其余|但|扣除|调减|减少|过高|超出"
)
_CHARGE = rf"[{HAN}、（）()]{{2,30}}?(?<!犯)罪"
_CHARGED = re.compile(
    rf"(?:罪名(?:是|为|系)|应当?以|构成(?:了)?|涉嫌(?:犯)?)(?P<names>{_CHARGE}(?:[、和]{_CHARGE})*)"
)
_FACTS = re.compile(
    rf"(?:审查查明|查明)[：:，,]?\s*(?P<facts>.+?)(?=认定上述事实的证据|本院认为|被告人[{HAN}·]{{1,8}}的行为|$)",
    re.DOTALL,
)
_REQUEST = re.compile(r"量刑建议[^。；]{0,20}(?:有异议|不当|过重|偏重|有意见)|(?:有异议|不同意)[^。；]{0,8}量刑建议")


@lru_cache(maxsize=4096)
def acts_owed(text: str, env: Literal["CI", "CR"], side: str) -> tuple[str, ...]:
    """The acts of a judge's words to which a side owes a reply, in their order."""
    table = profile("law", env).acts
    found = [act for act in parse(text, env) if act.act in table and side in table[act.act].asked]
    return tuple(dict.fromkeys(act.act for act in found if not act.named or side in act.named))


@dataclass(frozen=True, slots=True)
class ExhibitOffer:
    """An exhibit as a side offered it, in words of its own."""

    side: str
    number: int
    title: str
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class CourtExchange:
    """A turn of the judge and what was answered to it, in order."""

    turn: Turn
    replies: tuple[Turn, ...]

    def said(self, side: str) -> str:
        """What a side answered, all of it; traces of a failure and an echo of the question are no answer."""
        own = (turn for turn in self.replies if turn.speaker == side and turn.fault != "echo")
        return "\n".join(turn.text for turn in own if not broken(turn.text))


@dataclass
class TakenExhibit:
    """An exhibit that was offered. views: what each side said on it, '' where it was asked as often as it makes sense
    and gave none; tried: how often it was asked; waived: whether the court said that such a silence is a waiver."""

    owner: str
    offer: ExhibitOffer
    views: dict[str, str] = field(default_factory=dict)
    tried: Counter[str] = field(default_factory=Counter)
    waived: bool = False

    @property
    def silent(self) -> bool:
        """Whether somebody gave no view, and was not told what follows from that."""
        return not self.waived and "" in self.views.values()

    @property
    def objection(self) -> str:
        """What was said against it; '' where nobody contests anything."""
        said = (NO_OBJECTION.sub("", view) for view in self.views.values())
        return "；".join(
            clause for text in said for clause in re.split(r"[，,。；;]", text) if CONTESTS.search(clause)
        )

    @property
    def agreed(self) -> bool:
        """Whether those who were asked contest nothing, or waived it."""
        return bool(self.views) and not self.silent and not self.objection

    @property
    def assented(self) -> bool:
        """Whether all who were asked said that they have nothing against it."""
        return self.agreed and all(NO_OBJECTION.search(view) or _AGREES.search(view) for view in self.views.values())


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A claim as stated. admitted: whether the answer has nothing against it."""

    text: str
    admitted: bool = False

    @property
    def brief(self) -> str:
        """被告归还原告借款本金200000元."""
        return _ASIDE.sub("", _LEAD.sub("", self.text)).strip("，,；;。 ") or self.text


class CourtCase:
    """What decides how a trial goes on and ends. court: who sits, and how; cause: of a civil case; procedure:
    普通程序 where the court knows of none; findings: what the court has found itself."""

    def __init__(self, view: CourtView) -> None:
        self.view = view
        self.env: Literal["CI", "CR"] = "CR" if view.env == "CR" else "CI"
        self.record = [_of_sides(turn, self.env) for turn in view.record]
        self.court: Mapping[str, Any] = view.held.get("court", {})
        self.collegial = collegial(self.court)
        self.procedure = str(self.court.get("procedure", "普通程序"))
        self.cause = str(view.held.get("cause", ""))
        findings = str(self.court.get("third_party_findings", "")).strip()
        self.findings = "" if findings in ("无", "没有", "暂无") else findings
        self.hearers = HEARERS[self.env]
        self.parties: dict[str, Mapping[str, Any]] = {
            "accused" if self.env == "CR" else one["side"]: one for one in reversed(view.held.get("parties", ()))
        }
        self.names = {side: str(one.get("name", "")) for side, one in self.parties.items()}

    @cached_property
    def exchanges(self) -> tuple[CourtExchange, ...]:
        """Turns of the judge with the answers."""
        starts = [place for place, turn in enumerate(self.record) if turn.speaker == "judge"]
        ends = [*starts, len(self.record)][1:]
        pairs = zip(starts, ends, strict=True)
        return tuple(CourtExchange(self.record[start], tuple(self.record[start + 1 : end])) for start, end in pairs)

    @cached_property
    def said(self) -> list[str]:
        """What the court said, turn by turn."""
        return [one.turn.text for one in self.exchanges]

    @cached_property
    def announced(self) -> frozenset[str]:
        """Acts that the court has done by saying them."""
        return frozenset(act.act for text in self.said for act in parse(text, self.env))

    def asks(self, one: CourtExchange, side: str) -> tuple[str, ...]:
        """The acts by which an exchange asks something of a side."""
        return acts_owed(one.turn.text, self.env, side) if side in one.turn.to else ()

    def put(self, side: str, *kinds: str) -> Iterator[CourtExchange]:
        """The exchanges in which a side was asked for any of these things."""
        return (one for one in self.exchanges if set(kinds) & set(self.asks(one, side)))

    def asked(self, side: str, *kinds: str) -> int:
        """How often a side was asked for any of these things."""
        return sum(1 for _ in self.put(side, *kinds))

    def answers(self, side: str, *kinds: str) -> str:
        """What a side said when asked for any of these things."""
        return "\n".join(said for one in self.put(side, *kinds) if (said := one.said(side)))

    def answered(self, side: str, kind: str) -> bool:
        """Whether it gave an answer to the point; exhibits and views on them are counted one by one."""
        table, party = profile("law", self.env).acts, self.parties.get(side, {})
        names = [party.get("name"), party.get("representative"), party.get("counsel", {}).get("name")]
        reply = table[kind].reply if kind in table else "short"
        if kind == VIEWING or kind in OFFERING:
            return False
        return any(
            said and responsive(reply, said, filter(None, names))
            for said in (one.said(side) for one in self.put(side, kind))
        )

    def all_of(self, side: str) -> str:
        """All that a side said."""
        return "\n".join(turn.text for turn in self.record if turn.speaker == side)

    @cached_property
    def reached(self) -> int:
        """The last stage of the `law` table of which anything was asked: 0 opening, 1 investigation, 2 debate."""
        table = profile("law", self.env)
        asked = {act for one in self.exchanges for side in SIDES[self.env] for act in self.asks(one, side)}
        homes = (table.stage(table.acts[act].stages[0]) for act in asked if act != "mediate")
        return max(homes, default=0)

    @cached_property
    def evidence(self) -> EvidenceTaking:
        """The exhibits in the order in which they were offered, and who has still to speak on them."""
        return EvidenceTaking(self)

    # --- a civil case -----------------------------------------------------------------------------------------------

    @cached_property
    def claims(self) -> list[StatedClaim]:
        """The claims as stated but those for costs, with what the answer admits."""
        text = self.answers("plaintiff", "claim") or self.all_of("plaintiff")
        items = [item for item in claims_in(text) if not _COSTS.search(item) or re.search(r"\d元", item)]
        answer = self.answers("defendant", "answer") or self.all_of("defendant")
        return [StatedClaim(item, _admits(answer, number)) for number, item in enumerate(items, 1)]

    # --- a criminal case --------------------------------------------------------------------------------------------

    @property
    def charges(self) -> tuple[str, ...]:
        """The charges with 罪 behind them, as the prosecution, else the clerk, said them."""
        for text in (self.all_of("procurator"), self.all_of("clerk")):
            if found := [name for match in _CHARGED.finditer(text) for name in re.findall(_CHARGE, match["names"])]:
                return tuple(dict.fromkeys(name.strip("、和") for name in found))
        return ()

    @property
    def facts(self) -> str:
        """What the prosecution says happened, without heading, law and request."""
        read = self.answers("procurator", "indictment")
        match = _FACTS.search(read)
        return (match["facts"] if match else read).strip()

    @property
    def admits(self) -> bool:
        """Whether the accused has pleaded guilty without reserve."""
        return bool(self._plea) and not DENIES.search(self._plea)

    @property
    def disputed(self) -> bool:
        """Whether the accused has denied the charge, or somebody contests an exhibit."""
        return bool(DENIES.search(self._plea)) or any(one.objection for one in self.evidence.shown)

    @property
    def _plea(self) -> str:
        return NO_OBJECTION.sub("", self.answers("accused", "objection", "fast_views"))

    @property
    def property_due(self) -> bool:
        """Whether what the prosecution has charged, asked for or shown leaves property to be disposed of."""
        titles = (exhibit.offer.title for exhibit in self.evidence.shown)
        return holds_property(" ".join((self.answers("procurator", "indictment", "prosecution"), *titles)))

    @property
    def request_contested(self) -> bool:
        """Whether the defence has objected to the 量刑建议."""
        said = self.answers("defence", "defence", "fast_defence") + self.answers(
            "accused", "self_defence", "fast_views"
        )
        return bool(_REQUEST.search(NO_OBJECTION.sub("", said)))


class EvidenceTaking:
    """The taking of evidence, exchange by exchange. idle: how often in a row a side was called upon and offered
    nothing; closed: sides that have said that they have no more."""

    def __init__(self, case: CourtCase) -> None:
        self.shown: list[TakenExhibit] = []
        self.idle: Counter[str] = Counter()
        self.closed: set[str] = set()
        self._hearers = case.hearers
        self._by_number = case.env == "CI"
        sides = dict.fromkeys(side for hearers in case.hearers.values() for side in hearers)
        for one in case.exchanges:
            if WAIVED in one.turn.text:
                for exhibit in self.shown:
                    exhibit.waived = "" in exhibit.views.values()
            for owner in case.hearers:
                if set(OFFERING) & set(case.asks(one, owner)):
                    self._offer(owner, one.said(owner))
            for side in sides:
                if VIEWING in case.asks(one, side):
                    self._view(side, one)

    def of(self, owner: str) -> list[TakenExhibit]:
        """All exhibits of a side."""
        return [exhibit for exhibit in self.shown if exhibit.owner == owner]

    def waiting(self, side: str) -> list[TakenExhibit]:
        """The exhibits on which a side has still to speak."""
        return [one for one in self.shown if side in self._hearers[one.owner] and side not in one.views]

    def _key(self, offer: ExhibitOffer) -> object:
        return offer.number if self._by_number else offer.title

    def _offer(self, owner: str, said: str) -> None:
        mine = [exhibit.offer for exhibit in self.of(owner)]
        known = set(map(self._key, mine))
        offers = [offer for offer in offers_in(said, owner, len(mine)) if self._key(offer) not in known]
        self.shown += [TakenExhibit(owner, offer) for offer in offers]
        self.idle[owner] = 0 if offers else self.idle[owner] + 1
        if none_left(said, offered=bool(offers)):
            self.closed.add(owner)

    def _view(self, side: str, one: CourtExchange) -> None:
        waiting = [each for each in self.shown if side in self._hearers[each.owner] and not each.views.get(side)]
        said, numbers = stated(one.said(side)), {exhibit.offer.number for exhibit in waiting}
        spoken = spoken_on(said, sorted(numbers))
        parts = {number: spoken[number] for number in spoken if number in numbers}
        named = numbers_named(one.turn.text) & numbers
        to_point = said and (parts or responsive("view", said))
        meant = ({*parts, *named} or numbers) if to_point else ()
        for exhibit in waiting:
            exhibit.tried[side] += 1
            if exhibit.offer.number in meant:
                exhibit.views[side] = parts.get(exhibit.offer.number, said)
            elif exhibit.tried[side] >= IDLE:
                exhibit.views[side] = ""


def numbered(number: int, title: str) -> str:
    """证据一借条一张; a title that begins with a number stands in brackets: 证据三（2020年的照片）."""
    return f"证据{int_to_chinese(number)}" + (f"（{title}）" if _COUNTED.match(title) else title)


@lru_cache(maxsize=1024)
def offers_in(text: str, side: str, before: int = 0) -> tuple[ExhibitOffer, ...]:
    """The exhibits that a side offers in a reply; `before`: how many it has offered already, for those without
    numbers."""
    text = text[:LONGEST]
    marks = [
        mark
        for mark in _EXHIBIT.finditer(text)
        if text.rfind("“", 0, mark.start()) <= text.rfind("”", 0, mark.start())
    ]
    found: dict[int, ExhibitOffer] = {}
    for mark, after in zip(marks, [*marks[1:], None], strict=bool(marks)):
        words = text[mark.end() : after.start() if after else len(text)].strip()
        number = int(to_decimal(mark["n"]) or 0)
        if words and number not in found:
            found[number] = _offer(side, number, _title(words), words)
    if not marks:
        told = "。".join(part for part in _SENTENCE.findall(text) if not _NONE_LEFT.search(part))
        return (_offer(side, before + 1, match["title"], told),) if (match := _OFFERS.search(told)) else ()
    return tuple(found.values())


def _title(words: str) -> str:
    depth = 0
    for at, character in enumerate(words[:120]):
        depth += (character == "《") - (character == "》")
        if depth <= 0 and _TITLE_END.match(character) and not (character in "（(" and at < 40):
            return words[:at]
    return words[:60]


def _offer(side: str, number: int, title: str, words: str) -> ExhibitOffer:
    proves = _PURPOSE.search(words.replace(title, "", 1))
    return ExhibitOffer(
        side, number, title.strip("，,。；;：: 、"), proves["purpose"].strip("；;，, ") if proves else ""
    )


def none_left(text: str, offered: bool = False) -> bool:
    """Whether a side says that it has no (further) exhibits; beside an offer only its last sentence can say so."""
    parts = [part for part in _SENTENCE.findall(text[:LONGEST]) if part.strip()]
    if offered:
        return bool(parts) and bool(_NONE_LEFT.search(parts[-1])) and "证明" not in parts[-1]
    return any(_NONE_LEFT.search(part) for part in parts)


def spoken_on(text: str, numbers_of: Sequence[int]) -> dict[int, str]:
    """What an opinion says of each exhibit: from the sentence that names it by number to that which names the next;
    what is said of the others (其余证据) belongs to those without words of their own."""
    parts = re.split(r"(?<=[。；;\n])", text[:LONGEST])
    named = [numbers_named(head[0]) if (head := _ABOUT.match(part)) else frozenset[int]() for part in parts]
    found: dict[int, str] = {}
    rest, now = "", frozenset[int]()
    for part, numbers in zip(parts, named, strict=True):
        if not numbers and _OTHERS.match(part):
            rest, now = rest + part, numbers
            continue
        now = numbers or now
        found |= {number: found.get(number, "") + part for number in now}
    return {**(dict.fromkeys(numbers_of, rest) if rest and found else {}), **found}


def claims_in(text: str) -> list[str]:
    """The claims that a plaintiff states: items behind 诉讼请求, else the sentences that ask for something."""
    text = text[:20_000]
    if begin := _CLAIMS_BEGIN.search(text):
        text = text[begin.end() :]
    if (end := _CLAIMS_END.search(text)) and end.start() > 4:
        text = text[: end.start()]
    marks = list(_ITEM.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)] if marks else []
    items = [text[mark.end() : end].strip("；;。，, \n") for mark, end in zip(marks, ends, strict=True)]
    items = [item for item in items if _ASKS.search(item)]
    return items or [part.strip() for part in re.findall(r"[^。；;！!？?\n]+", text) if _ASKS.search(part)][:30]


def _admits(answer: str, number: int) -> bool:
    """Whether what an answer says on a claim, or on all where it names none by number, admits it and refuses
    nothing."""
    marks = list(_ON_CLAIM.finditer(answer))
    ends = [*(mark.start() for mark in marks[1:]), len(answer)]
    parts = [
        answer[mark.end() : end]
        for mark, end in zip(marks, ends, strict=False)
        if number in _numbers(mark["numbers"])
    ]
    said = "".join(parts) if marks else answer
    return bool(_AGREES.search(said)) and not _REFUSES.search(said)


def _numbers(text: str) -> set[int]:
    return {int(to_decimal(one) or 0) for one in re.findall(rf"[{_ORDINAL}]{{1,3}}|[0-9]{{1,2}}", text)}


def _of_sides(turn: Turn, env: Literal["CI", "CR"]) -> Turn:
    """A turn with the sides in the place of those who speak for them."""
    sides = [side_of(env, role) or role for role in (turn.speaker, *turn.to)]
    return replace(turn, speaker=sides[0], to=tuple(sides[1:]))


# --- the tables ----------------------------------------------------------------------------------------------------


def hearing(env: Literal["CI", "CR"]) -> Mapping[str, Any]:
    """The table of a court."""
    return beside(__package__, "hearing_civil" if env == "CI" else "hearing_criminal")


def filled(text: str, values: Mapping[str, object]) -> str:
    """A phrase with its fields; the full stop of a value gives way to that of the phrase."""
    for key, value in values.items():
        words = str(value).strip()
        after = text.partition("{" + key + "}")[2][:1]
        if after in "。；，" and after:
            words = words.rstrip("。；，")
        text = text.replace("{" + key + "}", words)
    return text
