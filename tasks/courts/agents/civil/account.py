"""经审理查明: the account of the facts that a civil court finds, in the order of time, each fact once.

From the account of the plaintiff as far as nobody denies it or an exhibit bears it out, from that of the defendant as far as an
exhibit bears it out, then from the words of the exhibits that stand what neither has told. Denied and unproven facts are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from store.text.normalise import fold_width
from tasks.courts.agents.civil.case import Case
from tasks.courts.agents.civil.lessening import UNIT
from tasks.courts.agents.civil.quoting import quotable
from tasks.courts.agents.civil.sums import chinese, days, sums, yuan
from tasks.courts.agents.civil.weighing import NEAR, Weighed, overlap
from tasks.courts.scores.bigrams import bigrams, recall

MOST_TOLD, MOST_EXHIBIT = 16, 8
"""Sentences of the accounts, and clauses of one exhibit, that are read out."""
KNOWN = 0.6
"""From this share of pairs on a clause was told before."""
BORNE = 0.35
"""From this share on an exhibit bears out what its side tells."""
_ARGUES = re.compile(
    r"应予|构成|诉至|起诉|故诉|为此|为维护|依法|不存在|属于|视为|拖延|置之不理|各种理由|拒|享受|身心|精神痛苦|恶意|当然|有权|无权"
    r"|应当|合法权益|请求|不是|长期|却|没有道理|过错|重大过失|协商不成|目的落空|不予理会|冒充|殴打|破裂|均应|不应|应为|应退"
    r"|一句|连续发生|自愿调减|的损失有|倍赔偿|困难|天经地义|判如所请|请法院|完全是|捏造|已经严重|尚欠|至今|从来|系维修翻新|不服|不能|以后无"
)
_OWED = {"应当", "应予", "均应", "应为", "应退"}
"""Words of argument that among the terms of a contract say what is owed."""
_SELF = re.compile(r"(?<![自“‘：])我(?:们|方)?(?![国省市县])(?![^“”]*”)")
"""A plaintiff without counsel tells the story of himself; words in quotation marks stay."""
_TERMS = re.compile(r"约定|载明|注明|写明|承诺")
_LOOSE = re.compile(r"^(?:但|并|且|而|其中|其|该|此后|此前|至今|仍|后来|另|也|才)")
_MONTH_DAY = re.compile(r"(?<![0-9年])(?P<m>[0-9]{1,2})月(?:(?P<d>[0-9]{1,2})[日号])?")
_YEAR = re.compile(r"(?P<y>20[0-9]{2})年(?:(?P<m>[0-9]{1,2})月)?(?:(?P<d>[0-9]{1,2})[日号])?")
_DATED_END = re.compile(r"^(?P<what>[^，]{2,40}(?:，[^，]{2,40})?)，(?P<day>20[0-9]{2}年[0-9]{1,2}月[0-9]{1,2}日)$")
_PAID = re.compile(
    r"付款人(?P<from>[^，,；;。：:]{2,30})[，,]收款人(?P<to>[^，,；;。：:]{2,30})[，,](?:金额)?(?P<sum>[0-9.,]+)元(?P<rest>[^；;。]*)"
)
_AT = re.compile(r"(?P<day>[0-9]{4}年[0-9]{1,2}月[0-9]{1,2}日)")
_FOR = re.compile(r"(?:附言|用途|摘要)[：:]?(?P<note>[^，,；;。]{1,20})")
_SIGNED = re.compile(
    r"^(?:[^，：:]{0,16}(?:签名|签字|人|方|师|单位|代表|用途|附言|摘要)(?:[（(][^）)]{1,6}[）)])?[：:][^，]{1,30}(?:[，,].{0,16})?"
    r"|[0-9]{4}年[0-9]{1,2}月[0-9]{1,2}日(?:[，,]双方盖章)?)$"
)
_SPEAKS = re.compile(r"[？?！!‘“]|[我你您]|贵司|今(?:又|向|收|借|欠)|本人")
_DENIES = re.compile(r"没有|未|不是|并非|从未|不存在|否认|不属实|虚假|伪造")
_YIELDS = re.compile(r"属实|(?:没有|无)异议|(?<!不)认可")
_VERBS: tuple[tuple[str, str], ...] = (
    (r"认定书|决定书|裁决书|判决书|鉴定", "认定："), (r"照片|视频|录像|截图", "显示："),
    (r"发票|凭证|回单|收据|流水|清单|记录|明细|票据|登记", "记载："), (r"《[^》]*(?:合同|协议|章程)[^》]*》|合同$|协议$", "约定："),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Fact:
    """A sentence of the account, with the day by which it is placed."""

    text: str
    when: tuple[int, int, int]
    place: int


def account(case: Case) -> str:
    """The facts that are found, from 经审理查明 on."""
    facts = _Account(case).facts()
    said = [one.text for one in facts]
    if case.findings:
        said.append(f"另查明，{quotable(case.findings, 400)}")
    if case.standing:
        said.append("上述事实，有当事人的陈述和经庭审质证的证据在案佐证")
    if not facts and not case.findings:
        said = ["双方对本案事实各执一词，均未提交足以认定的材料"]
    return "经审理查明：" + "。".join(said) + "。"


class _Account:
    """The facts of one trial, as they are gathered."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._facts: list[_Fact] = []
        self._told = ""
        self._now = (0, 0, 0)
        self._answering = False

    def facts(self) -> list[_Fact]:
        """All that is found, by day; what has no day stays behind what it follows."""
        for sentence in self._case.trial.story:
            self._sentence(sentence, self._stands)
        self._now, self._answering = (0, 0, 0), True
        for sentence in re.split(r"[。\n]", self._case.trial.said("answer", "defendant").partition("另外说明")[2]):
            self._sentence(sentence, self._borne_out)
        for one in self._case.standing:
            self._exhibit(one)
        return sorted(self._facts, key=lambda one: (one.when, one.place))[: MOST_TOLD * 2]

    def _add(self, text: str, when: tuple[int, int, int], *, quoted: bool = False) -> None:
        plain = text if quoted else quotable(text, 300)
        if len(plain) < 6:
            return
        self._facts.append(_Fact(plain, when, len(self._facts)))
        self._told += f"。{fold_width(plain)}"

    def _known(self, clause: str) -> bool:
        """Whether a clause was told, with its sums."""
        named = {yuan(one.yuan) for one in sums(fold_width(clause))}
        told = {yuan(one.yuan) for one in sums(self._told)}
        return named <= told and recall(bigrams(clause), bigrams(self._told)) >= KNOWN

    # --- accounts of the parties -------------------------------------------------------------------------------------

    def _sentence(self, sentence: str, stands: Callable[[str], bool]) -> None:
        """A sentence of a party without what is argued, denied or unproven."""
        kept: list[str] = []
        terms, when, argues = False, self._now, False
        if not self._answering:
            sentence = _SELF.sub("原告", sentence)
        for part in re.findall(r"[^，,；;]+[，,；;]?", sentence.strip("：: ")):
            clause = part.rstrip("，,；;")
            terms = terms or bool(_TERMS.search(clause))
            self._now = _day_of(clause, self._now)
            words = {found[0] for found in _ARGUES.finditer(clause)}
            argued = bool(words - _OWED if terms and "应当对" not in clause else words)
            if clause.strip() and not argued and stands(clause) and not (not kept and _LOOSE.search(clause)):
                when = when if kept else self._now
                kept.append(part.strip())
            argues = argues or bool(argued)
        text = "".join(kept).rstrip("，,；;")
        if argues and not days(text) and not _MONTH_DAY.search(text) and len(text) * 2 < len(sentence):
            return
        dated = when[0] and not (self._answering and not days(text) and not _MONTH_DAY.match(text))
        if len(text) > 8 and (dated or not self._answering) and not self._known(text):
            year = f"{when[0]}年" if when[0] and self._answering and _MONTH_DAY.match(text) else ""
            self._add(year + text, when)

    def _stands(self, clause: str) -> bool:
        """Whether nobody denies a clause of the plaintiff, or an exhibit that stands bears it out."""
        if _disputed_unit(clause, self._case):
            return False
        denied = [
            part
            for point in self._case.points
            if point.position != "admit"
            for part in re.split(r"[，,；;。]", point.text)
            if len(part) > 5 and _DENIES.search(part) and not _YIELDS.search(part) and overlap(part, clause) >= 0.5
        ]
        figures = {yuan(one.yuan) for one in sums(fold_width(clause))}
        refused = any(
            (not one.admitted or "truth" in one.contested)
            and one.offer.side == "plaintiff"
            and (
                overlap(one.offer.purpose, clause) >= 0.4
                or (figures and figures <= {yuan(s.yuan) for s in sums(fold_width(one.offer.purpose))})
            )
            for one in self._case.weighed
        )
        if not denied and not refused:
            return True
        return any(
            one.offer.side == "plaintiff"
            and figures <= {yuan(s.yuan) for s in sums(fold_width(one.offer.says))}
            and overlap(one.offer.excerpt, clause) >= 0.5
            for one in self._case.standing
        )

    def _borne_out(self, clause: str) -> bool:
        """Whether an exhibit of the defendant that stands says what a clause of the defendant tells."""
        return len(clause) > 5 and any(
            one.offer.side == "defendant"
            and not one.contested & {"truth"}
            and recall(bigrams(clause), bigrams(one.offer.excerpt)) >= BORNE
            for one in self._case.standing
        )

    # --- exhibits ----------------------------------------------------------------------------------------------------

    def _exhibit(self, one: Weighed) -> None:
        """What an exhibit says that was not told: payments as deeds, talk in its own words, the rest in indirect speech."""
        text, title = one.offer.excerpt, quotable(one.offer.title, 60)
        if not text:
            if one.offer.purpose and not one.contested and not self._known(one.offer.purpose):
                self._add(f"{title}能够证明{one.offer.purpose}", self._near(one.offer.purpose))
            return
        paid = list(_payments(text, self._case))
        for sentence in paid:
            if not self._known(sentence) or not _same_day(sentence, self._told):
                self._add(sentence, max(_day_of(sentence, (0, 0, 0)), self._first()))
        if paid:
            text = _PAID.sub("", text)
        if _SPEAKS.search(text):
            if not self._known(text):
                self._add(f"{title}载明“{quotable(text, 240)}”", self._near(text, title), quoted=True)
            return
        fresh = [part for part in _clauses(text) if not self._known(part) and not _SIGNED.match(part)]
        if fresh:
            verb = next((verb for words, verb in _VERBS if re.search(words, one.offer.title)), "载明：")
            body = "；".join(quotable(part, 160) for part in fresh[:MOST_EXHIBIT])
            self._add(f"{title}{verb}{body}", self._near(text, title))

    def _first(self) -> tuple[int, int, int]:
        """The day of the legal relation, with which the account begins: the first that the account names."""
        return next((one.when for one in self._facts if one.when[0]), (0, 0, 0))

    def _near(self, text: str, title: str = "") -> tuple[int, int, int]:
        """The place of words of an exhibit: by their own day, else behind the sentence that is nearest to them."""
        own = _day_of(text, _day_of(title, (0, 0, 0)))
        if own[0] and own[1]:
            return max(own, self._first())
        like, fact = max(
            ((overlap(one.text, text), one) for one in self._facts), key=lambda pair: pair[0], default=(0.0, None)
        )
        return fact.when if fact is not None and like >= NEAR / 2 else (9999, 0, 0)


def _clauses(text: str) -> Iterator[str]:
    for part in re.split(r"[；;。]", text):
        if plain := re.sub(r"^第[一二三四五六七八九十百]+条 ?", "", part.strip("，, ")):
            yield _DATED_END.sub(r"\g<day>，\g<what>", plain)


def _payments(text: str, case: Case) -> Iterator[str]:
    """Payment slips as deeds: 2024年1月15日，被告向原告转账30000元，附言“还款”."""
    who = {
        name: side for side, name in (("原告", case.names["plaintiff"]), ("被告", case.names["defendant"])) if name
    }
    for match in _PAID.finditer(text):
        first, second = (who.get(match[name].strip(), match[name].strip()) for name in ("from", "to"))
        around = match["rest"] + text
        when, note = _AT.search(match["rest"]) or _AT.search(around), _FOR.search(match["rest"])
        named = sums(f"{match['sum']}元")
        if when is None or not named:
            continue
        yield (
            f"{when['day']}，{first}向{second}转账{yuan(named[0].yuan)}" + (f"，附言“{note['note']}”" if note else "")
        )


def _same_day(sentence: str, told: str) -> bool:
    day = next(iter(days(sentence)), None)
    return day is not None and chinese(day) in told


def _day_of(text: str, before: tuple[int, int, int]) -> tuple[int, int, int]:
    """The first day or month of a sentence; a month without a year is in the year of what went before."""
    plain = fold_width(text)
    year, month = _YEAR.search(plain), _MONTH_DAY.search(plain)
    if year is not None and (month is None or year.start() <= month.start()):
        return int(year["y"]), int(year["m"] or 0), int(year["d"] or 0)
    if month is not None and before[0]:
        return before[0], int(month["m"]), int(month["d"] or 0)
    if year is not None:
        return int(year["y"]), int(year["m"] or 0), int(year["d"] or 0)
    return before


def _disputed_unit(clause: str, case: Case) -> bool:
    """Whether the answer puts another figure for a unit that a clause names: 月工资."""
    told = {match["label"]: match["n"] for match in UNIT.finditer(fold_width(clause))}
    put = [match for point in case.points for match in UNIT.finditer(fold_width(point.text))]
    return any(match["label"] in told and told[match["label"]] != match["n"] for match in put)
