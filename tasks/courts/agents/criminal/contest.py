"""What the defence contests: charges, counts, single allegations, sums to be taken off; read from plea and defence as heard."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tasks.courts.agents.criminal.facts import Count, by_day, charged_facts, counts, days, main_sum, points_of, sums
from tasks.courts.agents.criminal.heard import Heard
from tasks.courts.scores.bigrams import bigrams, recall
from tasks.legalsearch.charges import canonical

_CONTESTED = re.compile(
    r"证据不足|不能认定|不能成立|不成立|不构成|不应(?:当)?认定|无罪|予以扣除|应当[^，。；]{0,20}扣除|不予认定|(?<!没)(?<!无)有异议|不能排除|不存在"
)
_DENIED = re.compile(r"否认|不承认|不认(?!识|为)|不是我|没有(?:做|干|卖|打|骗|偷|拿|叫)|没[卖打骗偷拿叫做]|冤|均不承认|借的|还我的")
_CHARGE_DENIED = re.compile(r"不承认[^，。；]{0,6}(?:构成|罪名)|不构成(?=[，。；、]|$|[^，。；]{0,16}罪)|无罪|不认(?:这个|这|该)?罪|罪名(?:均|都)?(?:不承认|不认|有异议)|不是犯罪|罪名有异议|(?:都|均)不(?:认|承认)|不认为是犯罪|(?:说我)?犯罪，?我不认")
_AGREED = re.compile(r"[^。；，]{0,60}(?:没有|无)异议")
_GREETING = re.compile(r"^[^。\n]*发表(?:如下|以下)?(?:辩护)?意见[：。]?")
_REPEATED = re.compile(r"[^。\n]*(?:坚持已经发表|没有(?:新的|补充)|没有意见)[^。\n]*。?")
_ALLEGED = re.compile(r"(?:指控|认定|起诉)(?:被告人[\u4e00-\u9fff·]{0,4})?(?P<what>[^，。；：]{3,30}?)(?:的?(?:事实|部分|一节))?(?:的)?(?:证据不足|不能成立|不能认定|有异议)")
_DENIAL = re.compile(r"(?:否认|不承认)(?P<what>[^，。；]{2,24})")
_GRAVER = re.compile(
    r"(?:不(?:构成|属于?|是|认(?:定)?为?|存在|能认定为?|应当?认定为?)|没有|并非|不系)(?P<what>(?:交通)?(?:肇事后?)?逃逸|入户(?:抢劫|盗窃)?|持械|持枪)|(?P<other>逃逸|入户|持械|持枪)[^，。；]{0,6}(?:不(?:能)?成立|不能认定)"
)
"""Circumstances that open a graver range, contested by name."""
_SAID_BY = (("逃逸", "逃|驶离|离开现场"), ("入户", "入户|户内|住宅|家中|住处"), ("持枪", "枪"), ("持械", "刀|棍|械|斧"))
"""Circumstance -> words by which the facts tell of it."""
_TAKEN_OFF = re.compile(r"扣除|抵扣|冲抵|不应?(?:当)?计入|已(?:作为|经)[^，。]{0,12}(?:支付|付给|退还|返还)")
LIKE = 0.3
"""Share of an allegation's character pairs that the indictment must hold for it to be alleged there."""


@dataclass(frozen=True, slots=True)
class Allegation:
    """A single thing that is alleged and contested, in the words of the defence."""

    words: str
    name: str = ""
    """Of a circumstance of the law (逃逸): its name; `words` is the clause of the indictment that tells of it."""
    told: str = ""
    """The sentence in which that clause stands."""

    @property
    def pairs(self) -> frozenset[str]:
        """Pairs of characters."""
        return bigrams(self.told or self.words)


class Contest:
    """What is in dispute, as the record tells."""

    def __init__(self, heard: Heard) -> None:
        self.heard = heard
        self.accused = "\n".join(
            filter(None, (heard.answers("defendant", "plea", "fast"), heard.answers("defendant", "statement", "self_defence")))
        )
        pleaded = heard.answers("defence_lawyer", "opinion", "plea") or heard.answers("defence_lawyer", "mutual")
        self.counsel = _GREETING.sub("", _REPEATED.sub("", pleaded)).strip()
        self.counts = counts(heard)
        if len(self.counts) == 1 and len(acts := by_day(self.counts[0])) > 1:
            named = {day for clause in self._denials for day in days(clause)}
            self.counts = acts if any(act.days & named for act in acts) else self.counts

    @cached_property
    def points(self) -> tuple[str, ...]:
        """The points of the defence, each as said."""
        return points_of(self.counsel)

    def charge(self, name: str, all_names: Sequence[str]) -> bool:
        """Whether the defence says that the accused has not committed this crime."""
        plain = name.removesuffix("罪")
        told = _GRAVER.sub("", _AGREED.sub("", self.accused))
        if _CHARGE_DENIED.search(told) and not any(_only(told, other) for other in all_names if other != name):
            return True
        for sentence in re.split(r"[。；]", _GRAVER.sub("", _AGREED.sub("", self.counsel))):
            named = canonical(plain) and plain in sentence
            if _CHARGE_DENIED.search(sentence) and (named or not any(o.removesuffix("罪") in sentence for o in all_names)):
                return True
            if named and _CONTESTED.search(sentence):
                return True
        return False

    def count(self, count: Count) -> bool:
        """Whether the defence contests that this happened: denied with its sum or day, or said not to be proved."""
        others = [other for other in self.counts if other is not count]
        own_sums = count.sums - frozenset().union(*(other.sums for other in others)) if others else count.sums
        own_days = count.days - frozenset().union(*(other.days for other in others)) if others else count.days
        return any(
            own_sums & set(sums(clause)) or own_days & set(days(clause))
            for clause in self._denials
        )

    @cached_property
    def _denials(self) -> list[str]:
        told = [part for part in re.split(r"[；。\n]|，(?=(?:否认|承认|我不承认|我承认|对))", self.accused) if _DENIED.search(part)]
        contested = [part for part in re.split(r"[。；\n]", _AGREED.sub("", self.counsel)) if _CONTESTED.search(part)]
        return [*told, *contested]

    @cached_property
    def allegations(self) -> tuple[Allegation, ...]:
        """Single allegations of the indictment that are contested, each once."""
        charged = bigrams(charged_facts(self.heard))
        found: list[Allegation] = list(self._graver())
        for match in (*_ALLEGED.finditer(self.counsel), *_DENIAL.finditer(self.accused)):
            words = re.sub(r"^(?:被告人|其|的)", "", match["what"]).strip()
            one = Allegation(words)
            if len(words) > 3 and recall(one.pairs, charged) >= LIKE and all(recall(one.pairs, o.pairs) < 0.5 for o in found):
                found.append(one)
        return tuple(found)

    def _graver(self) -> Iterator[Allegation]:
        """Circumstances of the law that the indictment tells of and the defence denies."""
        told = f"{self.accused}\n{self.counsel}"
        named = " ".join(match["what"] or match["other"] for match in _GRAVER.finditer(told))
        for name, cue in _SAID_BY:
            if name not in named:
                continue
            for sentence in re.split(r"(?<=。)", charged_facts(self.heard)):
                clause = next((part for part in re.split(r"[，。；]", sentence) if re.search(cue, part)), "")
                if clause:
                    traffic = name == "逃逸" and "事故" in charged_facts(self.heard)
                    yield Allegation(clause, f"肇事后{name}" if traffic else name, sentence)
                    break

    @cached_property
    def taken_off(self) -> tuple[float, ...]:
        """Sums that the defence wants to see taken off what is charged."""
        facts = charged_facts(self.heard)
        # An item of the only count can be taken off, its total cannot; of several counts each is contested as a whole.
        charged = {main_sum(facts)} if len(self.counts) == 1 else set(sums(facts))
        found: list[float] = []
        for sentence in re.split(r"[。；\n]", f"{self.counsel}\n{self.accused}"):
            if _TAKEN_OFF.search(sentence):
                found += [value for value in sums(sentence)[:1] if value not in charged]
        return tuple(dict.fromkeys(found))


def _only(text: str, name: str) -> bool:
    """Whether a denial names another charge and no more."""
    return name.removesuffix("罪") in text
