"""Weighs the evidence as it was offered and contested in court; decides which counts stand, which exhibits are relied on.

What nobody contests stands if there is any evidence beside the word of the accused (刑事诉讼法第五十五条). What is contested must be
borne by evidence that the objections leave standing: things, records, opinions count double what people say; what is shaken
on a ground of its own (contradiction, missing signature, proof of the contrary) counts nothing; unshaken exhibits of the
defence on the same point count against. Points have no unit; below `ENOUGH` the doubt is the accused's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from tasks.courts.agents.criminal.agenda import procedure_of
from tasks.courts.agents.criminal.asking import NO_OBJECTION
from tasks.courts.agents.criminal.charges import charged
from tasks.courts.agents.criminal.contest import Allegation, Contest
from tasks.courts.agents.criminal.facts import Count, days, figure, sums, total_weight, whole_sum
from tasks.courts.agents.criminal.heard import Exhibit, Heard
from tasks.courts.agents.criminal.law import crime
from tasks.courts.agents.criminal.repelling import CHARGES, Repelled, repelled
from tasks.courts.scores.bigrams import bigrams, recall

ENOUGH = 2.0
THING, WORD, CONFESSION = (2.0, 1.5, 0.0), (1.0, 0.5, 0.0), 1.5
"""Points of an objective exhibit and of testimony, by how far it is shaken: not, in general terms, on a ground of its own."""
AGAINST = (1.0, 0.75, 0.0)
"""The same for an exhibit of the defence."""
NEAR, PART, BY_DAY, ALL = 0.12, 0.4, 2.0, -1.0
"""Share of the character pairs of a count, of a single allegation, that an exhibit on it holds; no exhibit; every one."""
_GROUND = re.compile(
    r"矛盾|不一致|对不上|不相?符|不吻合|说法不一|前后不|改口|没有[^，。；]{0,10}(?:签名|核对|捺印|签字|印证|依据|记录)|未经[^，。；]{0,8}(?:核对|质证)|复印件|转述|恰好|恰恰|不(?:能)?反映|证明[^，。；]{0,4}是"
    r"|不能(?:单独|证明)|没有任何|只(?:统计|涉及|能证明)|谈不上|不等于|刑讯|逼供|诱供|非法(?:取得|收集)|程序违法|没有出庭|未出庭|形成过程|来源不明"
)
_GENERAL = re.compile(r"夸大|利害关系|推责|推卸|责任推给|袒护|经济纠纷|亲属关系|自己列|自行制作|单方制作")
_GUESS = re.compile(r"不排除|可能|恐怕|也许")
"""An objection that only supposes something."""
_DEFECT = re.compile(
    r"签名|签字|捺印|手印|核对|刑讯|逼供|诱供|威胁|引诱|欺骗|非法|程序违法|见证人|录音录像|疲劳|(?:一起|共同|同时|集体|没有个别)[^，。；]{0,6}(?:询问|讯问|作证|谈话)|一人(?:询问|讯问)|资质|资格|来源不明|无法确认"
)
"""Grounds on which evidence is excluded, not only doubted (刑诉法第五十六条, 刑诉法解释第七十条至第一百三十八条)."""
_REGULAR = re.compile(r"(?:有|均|已|在场)[^，。；]{0,4}签名|签名捺印|同步录音录像|核对无误")
"""The exhibit itself says that it was taken as it must be."""
_BARE = re.compile(r"空白|未(?:签名|签字|盖章|捺印)|(?:没有|无)[^，。；]{0,4}(?:签名|签字|盖章|原件)|复印件|照片")
_BARENESS = re.compile(r"没有?人?签|未签|空白|盖章|原件|不认可")
_OBJECTIVE_SAYS = re.compile(r"(?:和|与|跟|同)[^，。；]{0,6}?(?P<what>视频|录像|监控|录音|照片|鉴定|勘验|电子数据|转账记录|通话记录)[^，。；]{0,8}(?:对不上|矛盾|不相?符|不一致|相反|不吻合)")
_ASPECT = re.compile(r"真实性|合法性|关联性")
_LEGAL = re.compile(r"对合法性有异议|合法性(?:有异议|不(?:予)?认可)|不得作为定案")
_TRUE = re.compile(r"对真实性有异议|真实性(?:有异议|不(?:予)?认可)")
_DENIES = re.compile(r"没有?(?:卖|打|骗|偷|动手|踢|做|干)|不是(?:我|骗|偷)|借的|赔我|还我|冤")
_VALUED = re.compile(r"价格(?:认定|鉴定|评估)|评估报告|资产评估|司法会计")
_TAKEN_UP = re.compile(r"重新(?:认定|鉴定|评估)[^。]{0,24}?(?P<sum>\d[\d,.]*万?元)[^。]{0,16}(?:认可|无异议|没有异议)")

Result = Literal["采信", "部分采信", "不采信"]


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be proved: its sums and days, its words."""

    text: str
    sums: frozenset[float]
    days: frozenset[str]
    pairs: frozenset[str]
    near: float = NEAR


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of something contested. stands: exhibits that bear it; shaken: those that do not any more; against: the defence's."""

    text: str
    proven: bool
    stands: tuple[Exhibit, ...] = ()
    shaken: tuple[Exhibit, ...] = ()
    against: tuple[Exhibit, ...] = ()


@dataclass(frozen=True, slots=True)
class Admitted:
    """认证 of an exhibit."""

    exhibit: Exhibit
    result: Result
    why: str = ""


class Weighing:
    """The evidence of a trial, weighed."""

    def __init__(self, heard: Heard) -> None:
        self.heard = heard
        self.contest = Contest(heard)
        self.charges = charged(heard)
        self.counts = self.contest.counts

    # --- what is proved -----------------------------------------------------------------------------------------------

    @cached_property
    def proved(self) -> tuple[tuple[Count, Finding | None], ...]:
        """Every count, with the finding on it where it is contested."""
        return tuple((count, self._count(count)) for count in self.counts)

    def _count(self, count: Count) -> Finding | None:
        whole = self.contest.charge(count.charge, self.charges) if count.charge else False
        several = len(self.counts) > 1
        if not whole and not (several and self.contest.count(count)):
            return None if self._any_evidence() else Finding(count.text, False)
        return self._weigh(self._target(count))

    def _any_evidence(self) -> bool:
        """Whether there is evidence beside the word of the accused; a 速裁程序 takes none in court."""
        if procedure_of(self.heard) == "速裁":
            return True
        return any(one.owner == "procurator" and not self.own_word(one) for one in self.heard.exhibits)

    def _target(self, count: Count) -> Target:
        others = [other for other in self.counts if other is not count]
        pairs = count.pairs - frozenset().union(*(other.pairs for other in others)) if others else count.pairs
        own_sums = count.sums - frozenset().union(*(other.sums for other in others)) if others else count.sums
        own_days = count.days - frozenset().union(*(other.days for other in others)) if others else count.days
        # Acts that are told in one sentence share their words: the day tells them apart.
        return Target(count.text, own_sums, own_days, pairs, BY_DAY if count.whole else NEAR)

    def _weigh(self, target: Target) -> Finding:
        stands: list[Exhibit] = []
        shaken: list[Exhibit] = []
        against: list[Exhibit] = []
        total = 0.0
        for exhibit in self.heard.exhibits:
            if not self._bears(exhibit, target):
                continue
            level = self.shaken(exhibit, target)
            if exhibit.owner == "procurator":
                points = self._points(exhibit, target, level)
                (stands if points else shaken).append(exhibit)
                total += points
            else:
                if AGAINST[level]:
                    against.append(exhibit)
                total -= AGAINST[level]
        if not stands and not shaken and len(self.counts) == 1 and target.text == self.counts[0].text and target.near > ALL:
            # All that is offered is offered to prove the only count.
            return self._weigh(replace(target, near=ALL))
        return Finding(target.text, total >= ENOUGH, tuple(stands), tuple(shaken), tuple(against))

    def _bears(self, exhibit: Exhibit, target: Target) -> bool:
        body = exhibit.offer.body
        if target.sums & set(sums(body)) or target.days & set(days(body)):
            return True
        return recall(target.pairs, bigrams(body)) >= target.near

    def _points(self, exhibit: Exhibit, target: Target, level: int) -> float:
        if self.own_word(exhibit):
            return 0.0 if level > 1 or self._belies(exhibit, target) else CONFESSION
        return (THING if exhibit.objective else WORD)[level]

    def own_word(self, exhibit: Exhibit) -> bool:
        """Whether it is what the accused said before the trial."""
        return exhibit.kind == "供述" and (self.heard.name in exhibit.name or "同案" not in exhibit.name)

    def _belies(self, exhibit: Exhibit, target: Target) -> bool:
        """Whether the accused denies this very thing in it."""
        told = [part for part in re.split(r"[。；]", exhibit.offer.body) if _DENIES.search(part)]
        return any(recall(bigrams(part), target.pairs) > 0.1 or target.sums & set(sums(part)) or target.days & set(days(part)) for part in told) or (
            bool(told) and len(self.counts) == 1
        )

    # --- how far an exhibit is shaken ---------------------------------------------------------------------------------

    def shaken(self, exhibit: Exhibit, target: Target | None = None) -> int:
        """0: nobody contests it on this point; 1: in general terms, or by the accused alone; 2: on a ground of its own."""
        level = 0
        for role, view in exhibit.views.items():
            for part in re.split(r"[。；]", NO_OBJECTION.sub("", view)):
                if not _objects(part) or (target is not None and self._elsewhere(part, target)):
                    continue
                level = max(level, _level(part, by_accused=role == "defendant"))
        return level

    def _elsewhere(self, part: str, target: Target) -> bool:
        """Whether an objection names days or sums of other counts and none of this."""
        named_days, named_sums = set(days(part)), set(sums(part))
        if (named_days & target.days) or (named_sums & target.sums):
            return False
        others = [count for count in self.counts if count.text != target.text]
        return any(named_days & count.days or named_sums & count.sums for count in others)

    # --- single allegations, sums -------------------------------------------------------------------------------------

    @cached_property
    def allegations(self) -> tuple[tuple[Allegation, Finding], ...]:
        """Contested allegations within counts that stand otherwise."""
        found = []
        for one in self.contest.allegations:
            target = Target(one.words, frozenset(sums(one.words)), frozenset(days(one.words)), one.pairs, PART)
            if one.name:
                others = bigrams("".join(count.text for count in self.counts).replace(one.told, "") + self.heard.name)
                target = Target(one.words, frozenset(), frozenset(), one.pairs - others)
            whole = any(self.contest.charge(name, self.charges) for name in self.charges)
            if not (target.sums or target.days or whole):
                finding = self._weigh(target)
                if finding.stands or finding.shaken:
                    found.append((one, finding))
        return tuple(found)

    @cached_property
    def taken_off(self) -> tuple[tuple[float, Finding], ...]:
        """Sums that the defence wants taken off; proven where an unshaken exhibit of its own, and one more, bear it."""
        found = []
        for value in self.contest.taken_off:
            marks = self._marks(value)
            bearing = [one for one in self.heard.exhibits if self._on(one, value, marks)]
            stands = tuple(one for one in bearing if one.owner == "procurator" or self.shaken(one) < 2)
            own = any(one.owner != "procurator" for one in stands)
            found.append((value, Finding(f"{figure(value)}元", own and len(stands) > 1, stands)))
        return tuple(found)

    def _marks(self, value: float) -> frozenset[str]:
        """Pairs of characters by which an exhibit on a sum is known: of those that name it, and of few others."""
        bodies = [bigrams(one.offer.body) for one in self.heard.exhibits]
        naming = [bigrams(one.offer.body) for one in self.heard.exhibits if value in sums(one.offer.body)]
        told = bigrams(" ".join(part for part in re.split(r"[。；\n]", self.contest.counsel) if value in sums(part)))
        shared = frozenset(told & frozenset().union(*naming)) if naming else frozenset()
        return frozenset(pair for pair in shared if sum(pair in body for body in bodies) <= max(3, len(bodies) // 2))

    def _on(self, exhibit: Exhibit, value: float, marks: frozenset[str]) -> bool:
        named, pairs = sums(exhibit.offer.body), bigrams(exhibit.offer.body)
        adds = any(abs(one + two - value) < 0.01 for place, one in enumerate(named) for two in named[place + 1 :])
        return value in named or (adds and bool(marks & pairs)) or len(marks & pairs) >= 4

    def text_of(self, charge: str) -> str:
        """The established counts of a charge, without clauses whose allegation fails."""
        text = "".join(count.text for count in self.stands(charge))
        for one, found in self.allegations:
            text = text.replace(one.words, "") if one.name and not found.proven else text
        return text

    def stands(self, charge: str) -> list[Count]:
        """The counts of a charge that are established."""
        return [count for count, finding in self.proved if count.charge == charge and (finding is None or finding.proven)]

    def fails(self, charge: str) -> list[tuple[Count, Finding]]:
        """Those that are not."""
        return [(count, found) for count, found in self.proved if count.charge == charge and found and not found.proven]

    @cached_property
    def convicted(self) -> tuple[str, ...]:
        """The charges that stand."""
        whole = self.repelled is not None and self.repelled.kind == "complete"
        return tuple(name for name in self.charges if self.stands(name) and not (whole and CHARGES.search(name)))

    def amount(self, charge: str) -> float:
        """Yuan, or grams, of the established counts of a charge."""
        known, counts = crime(charge), self.stands(charge)
        if any(count.whole for count in counts) and not self.fails(charge):
            counts = [Count(counts[0].whole, charge)]
        if known is not None and known.unit == "克":
            return round(sum(total_weight(count.text) for count in counts), 3)
        total = sum(whole_sum(count.text) for count in counts)
        if (valued := self._valued(counts)) is not None:
            total = valued
        return max(0.0, total - sum(value for value, found in self.taken_off if found.proven))

    def _valued(self, counts: Sequence[Count]) -> float | None:
        """What a second valuation says that the prosecution has taken over."""
        match = _TAKEN_UP.search(self.heard.all_of("procurator"))
        valued = len(counts) == 1 and re.search(r"价值|损失|毁", counts[0].text)
        return sums(match["sum"])[0] if match and valued and sums(match["sum"]) else None

    @cached_property
    def repelled(self) -> Repelled | None:
        """防卫, where it is pleaded and the evidence that is relied on shows the attack."""
        if not any(CHARGES.search(name) for name in self.charges):
            return None
        relied = [one.exhibit for one in self.admitted if one.result != "不采信" and not self.own_word(one.exhibit)]
        facts = "".join(count.text for count in self.counts)
        pleaded = f"{self.contest.counsel}\n{self.contest.accused}"
        return repelled(pleaded, facts, self.heard.name, relied, self.heard.answers("procurator", "opinion"))

    # --- 认证 ---------------------------------------------------------------------------------------------------------

    @cached_property
    def admitted(self) -> tuple[Admitted, ...]:
        """Every exhibit that was offered, and whether the court relies on it."""
        return tuple(self._admit(one) for one in self.heard.exhibits)

    def _admit(self, one: Exhibit) -> Admitted:
        views = _views(one)
        level = self.shaken(one)
        if level == 2 and _illegal(views) and not (_REGULAR.search(one.offer.body) and not _BARE.search(one.offer.body)):
            return Admitted(one, "不采信", "illegal" if one.owner == "procurator" else "rebutted")
        if one.owner != "procurator":
            bare = _BARE.search(one.offer.body) and _BARENESS.search(views)
            rebutted = level == 2 and _TRUE.search(views) and (bare or not one.objective)
            return Admitted(one, "不采信", "rebutted") if rebutted else Admitted(one, "采信", "answered" if level else "")
        if level == 2 and _TRUE.search(views) and (why := self._untrue(one, views)):
            return Admitted(one, "不采信", why)
        if level == 2 and _VALUED.search(one.name) and self._replaced(one):
            return Admitted(one, "不采信", "replaced")
        if any(one in found.shaken for _, found in self._failed()) and not self.own_word(one):
            return Admitted(one, "部分采信", "alone" if not one.objective else "silent")
        if self.own_word(one) and any(one in found.shaken for found in self._upheld()):
            return Admitted(one, "部分采信", "belied")
        return Admitted(one, "采信", "answered" if level else "")

    def _untrue(self, one: Exhibit, views: str) -> str:
        """Why what is contested as untrue is not believed: a thing that nobody contests says otherwise, or nobody stands for it."""
        match = _OBJECTIVE_SAYS.search(views)
        if match and not one.objective and any(
            other.objective and match["what"] in other.offer.title + other.kind and not _TRUE.search(_views(other)) for other in self.heard.exhibits
        ):  # fmt: skip
            return "contradicted"
        return "bare" if one.kind == "书证" and _BARE.search(one.offer.body) and _BARENESS.search(views) else ""

    def _replaced(self, one: Exhibit) -> bool:
        return any(
            other is not one and _VALUED.search(other.name) and self.shaken(other) < 2 for other in self.heard.exhibits
        )

    def _failed(self) -> list[tuple[str, Finding]]:
        whole = [(count.text, found) for count, found in self.proved if found and not found.proven]
        return whole + [(one.words, found) for one, found in self.allegations if not found.proven]

    def _upheld(self) -> list[Finding]:
        return [found for _, found in self.proved if found and found.proven]


def _objects(part: str) -> bool:
    return len(part.strip()) > 3 and not re.fullmatch(r"\s*(?:被告人|辩护人|公诉人)?(?:对证据[一二三四五六七八九十\d]+)?(?:发表质证意见[：:])?\s*", part)


def _views(one: Exhibit) -> str:
    return NO_OBJECTION.sub("", "。".join(one.views.values()))


def _illegal(views: str) -> bool:
    """Whether an objection names a ground of exclusion."""
    return any(_LEGAL.search(part) and _DEFECT.search(part) for part in re.split(r"[。；]", views))


def _level(part: str, *, by_accused: bool) -> int:
    if _GENERAL.search(part) and not _GROUND.search(part):
        return 1
    if by_accused or (_GUESS.search(part) and not _DEFECT.search(part)):
        return 1
    return 2 if _GROUND.search(part) or _ASPECT.search(part) else 1
