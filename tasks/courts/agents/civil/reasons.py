"""本院认为: what a civil court finds on each disputed question, by which rule, with which arithmetic, and what follows.

A paragraph each 争议焦点, in the words in which it was put; a claim is decided in the paragraph of the question that asks for it
alone, or else of the last that it turns on. Nothing but what was heard, and the statements of law of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from store.text.normalise import fold_width
from tasks.courts.agents.civil.asks import acts_of, asks
from tasks.courts.agents.civil.case import Case, Finding
from tasks.courts.agents.civil.fault import liability
from tasks.courts.agents.civil.findings import LEGAL
from tasks.courts.agents.civil.issues import Issue, issues
from tasks.courts.agents.civil.law import cause_of, under_old_law
from tasks.courts.agents.civil.limitation import limitation
from tasks.courts.agents.civil.questions import table
from tasks.courts.agents.civil.quoting import gist, quotable, spoken
from tasks.courts.agents.civil.sums import sums, yuan
from tasks.courts.agents.civil.weighing import NEAR, Weighed, nearest, overlap
from tasks.courts.scores.bigrams import bigrams, recall

_CONTRACT = re.compile(r"[一-鿿]{0,24}(?:合同|协议)(?!书?附件|解除)")
_BETWEEN = re.compile(r"双方|原、被告|合同(?:关系|成立)|租赁关系|借款关系|转让价款|服务")
_NO_QUESTION = re.compile(r"^答辩意见")
_SHARE = re.compile(r"比例|过失|过错|搭[载乘]|防卫|减轻")
_CLAUSE = re.compile(r"[^；;。]+")
_TAKEN_OFF = re.compile(r"(?:核减|应当扣除)(?P<sum>[0-9.]+元)$")
_DENIES = re.compile(r"(?P<what>原告(?:以|主张|认为)[^，]{4,60})，(?:不能|不)成立$")
PAID = re.compile(r"(?:支付|偿还|归还|返还|退还|给付|汇|转|交付?|付|还)(?:了|过|给|清|至|款|账)|已经?(?:陆续|分期|累计|共计?|全部|实际)*(?:支付|偿还|归还|返还|退还|给付|付|还)|还款|付款|转账")
"""Words by which somebody says that money was paid."""
_OWED = re.compile(r"欠|借(?:款|到|了|入)|剩余|余款|应当|需|愿|同意|未|没有|承认|认可")
_LEGAL_END = re.compile(r"[，。；;]+$")


def reasons(case: Case, found: Sequence[Finding]) -> str:
    """The reasons, from the legal relation to the last claim."""
    cause = cause_of(case.cause)
    said = [f"本院认为，本案系{case.cause or cause.basis}。{cause.principle}"]
    if under_old_law(cause.moment, "".join(case.trial.story), case.hearing):
        said.append(
            "本案的法律事实发生在民法典施行以前，应当适用当时的法律、司法解释的规定，但是法律、司法解释另有规定的除外。"
        )
    said += _valid(case)
    said += _admitted(found)
    said += _Paragraphs(case, found).all()
    if not found:
        said.append("原告没有陈述明确的诉讼请求和事实，其起诉缺乏事实依据，应当予以驳回。")
    return "\n".join(said)


def _valid(case: Case) -> list[str]:
    """That the contract binds, where one is before the court and nobody says that it is void."""
    if cause_of(case.cause).group != "contract" or "无效" in case.trial.defence:
        return []
    if "保证" in case.cause:
        shown = any("保证" in one.offer.says for one in case.standing)
        return ["原、被告之间的保证合同合法有效，被告应当按照约定承担保证责任。"] if shown else []
    named = (_CONTRACT.search(one.offer.title) for one in case.standing if _BETWEEN.search(one.offer.purpose))
    return [
        f"双方之间的{match[0]}系当事人真实意思表示，依法成立并有效，各方应当按照约定履行。"
        for match in named
        if match
    ][:1]


def _admitted(found: Sequence[Finding]) -> list[str]:
    """Claims that nobody contests, each in a sentence."""
    return [
        f"被告对原告关于{quotable(one.claim.brief, 120)}的请求没有异议，{''.join(f'{why}，' for why in one.reasons[:-1])}本院予以支持。"
        for one in found
        if one.uncontested
    ]


UNPROVEN = "原告没有提供足以证明其主张的证据，应当承担举证不能的后果"
"""What is said where nothing was proven and the law on the claim has no more to say."""


class _Paragraphs:
    """The paragraphs of one judgment, so that no rule and no finding is said twice."""

    def __init__(self, case: Case, found: Sequence[Finding]) -> None:
        self._case = case
        self._found = {one.claim.number: one for one in found if not one.uncontested}
        self._issues = issues(case)
        old = under_old_law(cause_of(case.cause).moment, "".join(case.trial.story), case.hearing)
        self._law = "old" if old else "new"
        self._told: set[str] = set()
        self._lessened: set[str] = set()
        self._refused = [one for one in case.weighed if not one.admitted and one.offer.purpose]

    def all(self) -> list[str]:
        """A paragraph each question, then claims that no question asked for."""
        homes = {number: self._home(number) for number in self._found}
        said = []
        for place, issue in enumerate(self._issues):
            mine = [self._found[number] for number, home in homes.items() if home == place]
            said.append(self._paragraph(issue, mine))
        said += [
            self._sentence(f"{self._conclusion(self._found[number])}") for number, home in homes.items() if home < 0
        ]
        rest = [one for one in self._refused if one.name not in self._told]
        return [
            *said,
            *(
                f"{_side(one)}主张{quotable(one.offer.purpose, 80)}，所举的{quotable(one.offer.title, 60)}，{one.reason}，本院不予认定。"
                for one in rest
            ),
        ]

    def _home(self, number: int) -> int:
        """The question in whose paragraph a claim is decided; -1 where none asks for it."""
        asked = [place for place, issue in enumerate(self._issues) if number in issue.claims]
        return max(
            asked,
            key=lambda place: (
                self._issues[place].whole,
                -len(self._issues[place].claims),
                self._speaks(number, place),
                place,
            ),
            default=-1,
        )

    def _speaks(self, number: int, place: int) -> float:
        """How much of what a claim is about stands in a question."""
        return recall(self._found[number].claim.topic, bigrams(self._issues[place].text))

    def _paragraph(self, issue: Issue, mine: Sequence[Finding]) -> str:
        parts = [part for part in (*self._doctrines(issue), *self._findings(issue, mine)) if not _asks(part)]
        parts += [self._conclusion(one) for one in mine]
        body = "".join(self._sentence(part) for part in dict.fromkeys(parts) if part)
        asked = "原告的诉讼请求能否成立" if _NO_QUESTION.match(issue.text) else issue.text
        return f"关于{asked}的问题。{body or '本院结合下列各项一并认定。'}"

    def _sentence(self, text: str) -> str:
        return _LEGAL_END.sub("", text) + "。"

    # --- rules ------------------------------------------------------------------------------------------------------

    def _doctrines(self, issue: Issue) -> Iterator[str]:
        """What the law says on the question, each rule once in a judgment."""
        about = "\n".join([issue.text, *issue.parts])
        for rule in table()["doctrines"]:
            if rule["says"] in self._told or not re.search(rule.get("cause", ""), self._case.cause):
                continue
            if rule.get("law", self._law) == self._law and re.search(rule["on"], about):
                self._told.add(rule["says"])
                yield rule["says"]

    # --- findings ---------------------------------------------------------------------------------------------------

    def _findings(self, issue: Issue, mine: Sequence[Finding]) -> Iterator[str]:
        """What becomes of each contention that raises the question."""
        on = [self._found[number] for number in sorted(issue.claims) if number in self._found]
        share, why = liability(self._case)
        if share < 1 and _SHARE.search(issue.text):
            yield f"{why}，被告应当承担{round(share * 100)}%的赔偿责任" if self._once(why) else ""
        for part in issue.parts:
            yield self._treated(part, on, mine)

    def _once(self, text: str) -> bool:
        told = text in self._told
        self._told.add(text)
        return not told

    def _treated(self, part: str, on: Sequence[Finding], mine: Sequence[Finding]) -> str:
        """What is found on one contention; '' where the conclusion says it."""
        if "诉讼时效" in part and (run := limitation(self._case)):
            return run if self._once(run) else ""
        failed = self._failed(part)
        followed = self._followed(part, on, mine)
        return f"{failed}。{followed}" if failed and followed else failed or followed

    def _failed(self, part: str) -> str:
        """What the plaintiff offered against a contention, where the court does not rely on it."""
        for one in self._refused:
            if (
                one.offer.side == "plaintiff"
                and one.name not in self._told
                and overlap(one.offer.purpose, part) >= NEAR
            ):
                self._told.add(one.name)
                return f"原告主张{quotable(one.offer.purpose, 80)}，所举的{quotable(one.offer.title, 60)}，{one.reason}，本院不予认定"
        return ""

    def _followed(self, part: str, on: Sequence[Finding], mine: Sequence[Finding]) -> str:
        """Whether a contention is followed, and why."""
        plain = fold_width(part)
        for one in on:
            for value, words in (*one.less.sums, *one.less.excluded):
                if words in plain and self._once(f"{part}{value}"):
                    return self._lessens(part, value, set_off=(value, words) in one.less.sums)
            if re.search(one.adopts, part):
                return "被告的该项意见有事实和法律依据，予以采纳" if one not in mine and self._once(part) else ""
            if one.less.sums and (denied := _DENIES.match(part)):
                return f"据此，{denied['what']}不能成立"
            if (one.defeated and part in one.defeated) or all(other.outcome == "rejected" for other in on):
                return ""
        if liability(self._case)[0] < 1 and _SHARE.search(part):
            return ""
        return self._not_followed(part)

    def _lessens(self, part: str, value: float, *, set_off: bool) -> str:
        shown = self._bears(part, "defendant" if set_off else "plaintiff", value=value)
        if not set_off:
            self._lessened.add(yuan(value))
            return f"对于{gist(part, 50)}的意见，原告未能证明该部分属于其请求的合理范围，{yuan(value)}应予核减"
        self._lessened.add(yuan(value))
        lead = f"{shown}，" if shown else ""
        named = {one.yuan for one in sums(fold_width(part))}
        if named == {value}:
            return f"{lead}被告的该项意见成立，{yuan(value)}应予扣除"
        own = "".join(one.offer.says for one in self._case.standing if one.offer.side == "defendant")
        shown_sums = {one.yuan for one in sums(fold_width(own))}
        lacking = [yuan(other) for other in sorted((named & _paid(part)) - {value} - shown_sums)]
        rest = f"，被告主张的{'、'.join(lacking)}举证不足，不予认定" if lacking else ""
        return f"{lead}其中有依据的部分为{yuan(value)}，应予扣除{rest}"

    def _not_followed(self, part: str) -> str:
        """Why a contention is not followed."""
        if not self._once(part):
            return ""
        for one in self._refused:
            if one.offer.side == "defendant" and overlap(one.offer.purpose, part) >= NEAR:
                self._told.add(one.name)
                objected = f"原告提出“{gist(one.objection, 60)}”的异议，" if one.objection else ""
                return f"被告为此提交的{quotable(one.offer.title, 60)}，{objected}{one.reason}，不足以证明其主张，本院不予采信"
        against = self._bears(part, "plaintiff", 0.5)
        if against and not LEGAL.search(part):
            return f"{against}，被告未能反驳，该项意见不予采纳"
        if LEGAL.search(part):
            return "被告的该项意见与上述规定和查明的事实不符，缺乏法律依据，不予采纳"
        return f"被告主张{gist(part, 40)}，证据不足，不予采纳"

    def _bears(self, part: str, side: str, least: float = NEAR, *, value: float = 0.0) -> str:
        """What the nearest exhibit of a side that stands says on a contention."""
        own = [one for one in self._case.standing if one.offer.side == side]
        like, one = nearest(part, own)
        if one is None or like < least:
            return ""
        clause = max(
            _CLAUSE.findall(one.offer.excerpt) or [one.offer.purpose],
            key=lambda text: (
                any(abs(said.yuan - value) < 0.01 for said in sums(fold_width(text))),
                recall(bigrams(part), bigrams(text)),
            ),
        )
        return f"{quotable(one.offer.title, 60)}显示{spoken(clause)}" if clause else ""

    def _standing(self, side: str) -> bool:
        return any(one.offer.side == side for one in self._case.standing)

    # --- conclusions --------------------------------------------------------------------------------------------------

    def _lessening(self, step: str) -> bool:
        """Whether a step only says again what was found to be taken off."""
        match = _TAKEN_OFF.search(step)
        return match is not None and match["sum"] in self._lessened

    def _conclusion(self, one: Finding) -> str:
        """Rule, arithmetic and result of a claim."""
        parts = [why for why in one.reasons if why and self._once(why)]
        parts += [step for step in one.steps if self._once(step) and not self._lessening(step)]
        amount = yuan(one.amount or 0)
        wish = quotable(one.claim.brief, 120)
        end = {
            "granted": f"原告要求{wish}，本院予以支持",
            "partly": f"故对原告要求{wish}的请求，本院支持{amount}，超出部分不予支持",
            "rejected": f"故对原告要求{wish}的请求，本院不予支持",
        }[one.outcome]
        if one.worded:
            lead = "判令" if one.worded.startswith("被告") else ""
            end = f"故本院{lead}{quotable(one.worded, 160)}，对超出部分不予支持"
        if one.outcome == "rejected" and not parts and not self._standing("plaintiff"):
            parts = [UNPROVEN]
        told = "，".join([*(part.rstrip("。，") for part in parts), end])
        return end if _asks(told) else told


def _asks(text: str) -> bool:
    """Whether words would ask for something if they were read out."""
    return any(asks(act.act) and act.act != "question" for act in acts_of(text))


def _paid(part: str) -> set[float]:
    """The sums that a contention says were paid, not those that it says are owed, borrowed or offered."""
    clauses = re.split(r"[，,；;。]", fold_width(part))
    return {
        one.yuan for clause in clauses if PAID.search(clause) and not _OWED.search(clause) for one in sums(clause)
    }


def _side(one: Weighed) -> str:
    return "原告" if one.offer.side == "plaintiff" else "被告"
