"""本院认为: why charges stand or fail, each circumstance, the range, suspension, what becomes of the 量刑建议 and the defence."""

from __future__ import annotations

import re

from store.text.numerals import int_to_chinese
from tasks.courts.agents.criminal.admitting import ground_of, short
from tasks.courts.agents.criminal.answers import Answers
from tasks.courts.agents.criminal.asking import filled
from tasks.courts.agents.criminal.circumstances import Circumstances, words
from tasks.courts.agents.criminal.contest import Allegation
from tasks.courts.agents.criminal.facts import figure, sums
from tasks.courts.agents.criminal.heard import Exhibit
from tasks.courts.agents.criminal.law import Tier, conduct, crime
from tasks.courts.agents.criminal.sentence import Sentencing, refusal_words
from tasks.courts.agents.criminal.weighing import Finding, Weighing
from tasks.courts.scores.bigrams import bigrams, recall

_CONDUCT = r"被告人{name}(?P<what>[^。；]{{6,120}}?)，?(?:其行为(?:触犯|已?构成)|应当以[^，。；]{{2,20}}罪(?:追究|定罪))"
_INJURY = re.compile(r"致(?:使)?[^，。；]{0,8}(?:轻伤|重伤|死亡|轻微伤)(?:一级|二级)?|(?:一|二|两|三)人(?:轻伤|重伤|死亡|轻微伤)(?:一级|二级)?")
_STRIKES = re.compile(r"捅|刺|砍|打|击|踢|推|砸|持|扎|戳")
_VALUATION = re.compile(r"价格(?:认定|鉴定|评估)|价值(?:认定|鉴定|评估)|评估")
_BOUGHT = re.compile(r"小票|发票|购(?:买|机|车|物)|付款凭证")
_FORGED = re.compile(r"伪造|虚构|隐瞒|掩盖|销毁|做假|假账")
_MANY = 3
"""Acts from which on they are 多次."""
_SENTENCING = re.compile(r"从轻|减轻|缓刑|量刑|请求|自首|坦白|谅解|前科|异议|从犯")
_BORNE_OUT = 0.35
"""Share of an argument's character pairs that the exhibits on the point hold, where they bear it out."""
_SIGNED = re.compile(r"(?<=[。；”])[\u4e00-\u9fff·]{2,16}[，\s]{0,2}\d{4}年\d{1,2}月\d{1,2}日。?\s*$")
"""The line with which a document is signed."""
_EXCERPT = 64
_MOST = 3
"""Exhibits that are quoted for a point."""


class Reasons:
    """The reasons of a judgment."""

    def __init__(self, weighing: Weighing, circumstances: Circumstances, sentencing: Sentencing) -> None:
        self.weighing, self.circumstances, self.sentencing = weighing, circumstances, sentencing
        self.heard, self.name = weighing.heard, weighing.heard.name

    def _say(self, key: str, **values: object) -> str:
        return filled(words()["reason"][key], {"name": self.name, **values})

    def text(self) -> str:
        """All of them."""
        if not self.weighing.convicted:
            if self.weighing.repelled:
                return "".join(self._defended(charge) for charge in self.weighing.charges)
            return "".join([*self._lost(), self._acquitted()])
        parts = [*self._lost(), *self._convictions(), *self._points(), *self._sentence()]
        return "".join(parts)

    # --- guilt --------------------------------------------------------------------------------------------------------

    def _acquitted(self) -> str:
        charges = "、".join(self.weighing.charges)
        return self._say("acquitted", charge=charges) if charges and self.weighing.counts else self._say("acquitted_nothing")

    def _lost(self) -> list[str]:
        """Charges of which nothing stands."""
        said = []
        for charge in self.weighing.charges:
            if charge not in self.weighing.convicted and (failed := self.weighing.fails(charge)):
                why = "；".join(self._doubt(finding) for _, finding in failed)
                said.append(self._say("not_charge", charge=charge, why=why, adopted=words()["reason"]["adopted"]))
        return said

    def _convictions(self) -> list[str]:
        upheld = self._upheld()
        said = [self._conduct(one.charge, one.tier) for one in self.sentencing.counts]
        said.append(self._say("upheld_all" if upheld else "upheld") if len(said) == len(self.weighing.charges) else "")
        return said

    def _upheld(self) -> bool:
        """Whether all that is charged stands."""
        findings = [found for _, found in self.weighing.proved if found] + [found for _, found in self.weighing.allegations]
        return self.weighing.repelled is None and all(found.proven for found in findings) and not any(found.proven for _, found in self.weighing.taken_off)

    def _conduct(self, charge: str, tier: Tier) -> str:
        """被告人…，数额较大，其行为已构成…: as the prosecution puts it where all stands, else by the elements of the crime."""
        known = crime(charge)
        opinion = self.heard.answers("procurator", "opinion") or self.heard.answers("procurator", "indictment")
        match = re.search(_CONDUCT.format(name=re.escape(self.name)), opinion)
        amount = self.weighing.amount(charge)
        grade = tier.grade.split("|")[0]
        what = ""
        whole = not self.weighing.fails(charge) and not self.weighing.taken_off
        if match and whole and len(self.weighing.charges) == 1:
            what = self._without_failed(match["what"].strip("，"))
        what = what or conduct(charge) or f"实施了公诉机关指控的{charge.removesuffix('罪')}行为"
        measure = self._measure(charge, amount, known.unit if known else "", grade, what)
        return self._say("guilty", does=what, measure=measure, charge=charge)

    def _without_failed(self, text: str) -> str:
        """The words of the prosecution without the clauses whose allegation fails."""
        failed = [one.words for one, found in self.weighing.allegations if not found.proven]
        verbs = [match[0] for words_ in failed for match in re.finditer(r"纠集|邀约|召集|指使|组织|策划|指挥", words_)]
        return "，".join(part for part in text.split("，") if not any(verb in part for verb in verbs)).strip("，")

    def _measure(self, charge: str, amount: float, unit: str, grade: str, what: str) -> str:
        """The sum or weight that decides, the injury, with the name of the range."""
        said = ""
        if unit and amount and f"{figure(amount)}{unit}" not in what:
            said = f"{'数额' if unit == '元' else '毒品'}共计{figure(amount)}{unit}，"
        if unit == "元" and amount and grade not in what and grade.startswith("数额"):
            said += f"{grade}，"
        facts = "".join(count.text for count in self.weighing.stands(charge))
        if not unit and (match := _INJURY.search(facts)) and not _INJURY.search(what):
            said += f"{match[0]}，" if match[0].startswith("致") else f"致{match[0]}，"
        if not unit and grade in ("情节恶劣", "情节严重") and grade not in what:
            said += f"{grade}，"
        return said

    # --- contested points ---------------------------------------------------------------------------------------------

    def _points(self) -> list[str]:
        adopted = words()["reason"]["adopted"]
        said = []
        for charge in self.weighing.convicted:
            said += [
                self._say("count", what=short(count.text), why=self._doubt(found), adopted=adopted)
                for count, found in self.weighing.fails(charge)
            ]
            if self.weighing.repelled:
                said.append(self._defended(charge))
                continue
            said += [self._answer(charge, found) for count, found in self.weighing.proved if count.charge == charge and found and found.proven]
        for allegation, found in self.weighing.allegations:
            if not found.proven:
                said.append(self._say("allegation", what=allegation.name or allegation.words, why=self._doubt(found), adopted=adopted))
            elif allegation.name:
                said.append(self._graver(allegation, found))
        said += [*self._episodes(), self._valued()]
        said += [self._off(value, found) for value, found in self.weighing.taken_off]
        if any(one.applied.milder for one in self.sentencing.counts):
            said.append(self._say("milder"))
        return said

    def _defended(self, charge: str) -> str:
        """Why what the accused did was defence, and whether it went too far (刑法第二十条)."""
        repelled = self.weighing.repelled
        if repelled is None:
            return ""
        said = self._say("defended", shown="、".join(one.name for one in repelled.shown[:_MOST]))
        if repelled.kind == "complete":
            return said + self._say("defended_complete", charge=charge)
        facts = "".join(count.text for count in self.weighing.counts)
        clause = next((part for part in re.split(r"[，。；]", facts) if _STRIKES.search(part) and self.name in part), "")
        injury = match[0] if (match := _INJURY.search(facts)) else ""
        injury = injury or (f"致被害人{match[0]}" if (match := re.search(r"重伤(?:一级|二级)?|死亡", facts)) else "")
        done = clause.partition(self.name)[2]
        return said + self._say("defended_excess", harm="，".join(filter(None, (done, injury))), charge=charge)

    def _graver(self, allegation: Allegation, finding: Finding) -> str:
        """Why a circumstance of the law that the defence denies is found."""
        wanted = bigrams(allegation.told)
        near = sorted(finding.stands, key=lambda one: -recall(wanted, bigrams(one.offer.body)))
        quoted = [f"{one.name}{_shows(excerpt)}" for one in near if (excerpt := self._quoted(one))][:_MOST]
        told = "；".join(quoted) or f"{'，'.join(one.name for one in near[:_MOST])}能够证实该情节"
        out = [one.exhibit.name for one in self.weighing.admitted if one.why == "illegal"]
        excluded = self._say("graver_excluded", titles="、".join(out)) if out else ""
        return self._say("graver", what=allegation.name, told=told, clause=allegation.words, excluded=excluded) + self._not_twice()

    def _not_twice(self) -> str:
        """That a finding of responsibility in traffic does not rest on the flight, where the defence calls it weighed twice."""
        if "重复评价" not in self.weighing.contest.counsel and "双重" not in self.weighing.contest.counsel:
            return ""
        shares = [one for one in self.heard.exhibits if "事故认定书" in one.name]
        free = [one for one in shares if not re.search(r"逃|驶离|离开", one.offer.body.rpartition("主要内容：")[2])]
        return self._say("not_twice", title=free[0].name) if free else ""

    def _episodes(self) -> list[str]:
        """How many acts stand, where some of several that are told by their days fail."""
        stands = [count for charge in self.weighing.convicted for count in self.weighing.stands(charge) if count.whole]
        failed = any(self.weighing.fails(charge) for charge in self.weighing.convicted)
        few = failed and 0 < len(stands) < _MANY
        return [self._say("episodes", n=int_to_chinese(len(stands)))] if few else []

    def _valued(self) -> str:
        """Which of a price once paid and a valuation decides."""
        amounts = {self.weighing.amount(charge) for charge in self.weighing.convicted}
        relied = [one.exhibit for one in self.weighing.admitted if one.result == "采信"]
        found = [one for one in relied if _VALUATION.search(one.name) and amounts & set(sums(one.offer.body))]
        paid = [one for one in self.heard.exhibits if _BOUGHT.search(one.name) and sums(one.offer.body)]
        if not found or not paid or amounts & set(sums(paid[0].offer.body)):
            return ""
        return self._say("valued", other=paid[0].name, title=found[0].name, sum=f"{figure(max(amounts))}元")

    def _doubt(self, finding: Finding) -> str:
        """Why something is not proved: what is said against each exhibit that was to prove it, what speaks for the defence."""
        said = []
        for one in [one for one in finding.shaken if not self.weighing.own_word(one)][:_MOST]:
            ground = ground_of(one)
            said.append(f"对{one.name}，辩护方提出{ground}，该意见有事实依据" if ground else f"{one.name}不能单独证明该节事实")
        excluded = [one.exhibit for one in self.weighing.admitted if one.why == "illegal"]
        said += [f"{one.name}不得作为定案的根据" for one in excluded if recall(bigrams(finding.text), bigrams(one.offer.body)) > 0.2]
        if finding.against:
            said.append(f"{'，'.join(one.name for one in finding.against[:_MOST])}能够印证被告人的辩解")
        if not said:
            return "公诉机关没有出示能够证明该节事实的证据"
        if argued := self._argument(finding):
            said.append(f"辩护人提出{argued}，与在案证据相符")
        return "；".join(said) + "；此外没有证据能够相互印证"

    def _argument(self, finding: Finding) -> str:
        """What the defence argues from the exhibits on a point, where they bear it out."""
        bodies = bigrams(" ".join(one.offer.body for one in (*finding.against, *finding.shaken)))
        told = [part for part in re.split(r"[。；]", self.weighing.contest.counsel) if 12 < len(part) < 90]
        told = [part for part in told if not _SENTENCING.search(part)]
        best = max(told, key=lambda part: recall(bigrams(part), bodies), default="")
        enough = best and recall(bigrams(best), bodies) > _BORNE_OUT
        return re.sub(r"^(?:第?[一二三四五六七八九][、，])+", "", best) if enough else ""

    def _answer(self, charge: str, finding: Finding) -> str:
        """The answer to a denial that fails: what the exhibits that stand show."""
        wanted = bigrams(finding.text)
        near = sorted(finding.stands, key=lambda one: -recall(wanted, bigrams(one.offer.body)))
        quoted = [f"{one.name}{_shows(excerpt)}" for one in near if (excerpt := self._quoted(one))][:_MOST]
        told = "；".join(quoted) or f"{'，'.join(one.name for one in near[:_MOST])}能够证实指控的事实"
        return self._say("denied", charge=charge, told=told)

    @staticmethod
    def _quoted(exhibit: Exhibit) -> str:
        """The first words of what an exhibit says, to the end of a clause."""
        match = re.search(r"主要内容：(.+)", exhibit.offer.body, re.DOTALL)
        if not match or not exhibit.objective:
            return ""
        first = ""
        for part in re.split(r"(?<=[；。，])", _SIGNED.sub("", match[1].strip().split("公诉人举证完毕")[0])):
            if len(first) + len(part) > _EXCERPT:
                break
            first += part
        first = first.rstrip("；。，")
        return first + "”" * max(0, first.count("“") - first.count("”"))

    def _off(self, value: float, finding: Finding) -> str:
        total = sum(self.weighing.amount(name) for name in self.weighing.convicted)
        if not finding.proven:
            pleaded = [part for part in re.split(r"[；。\n]", self.weighing.contest.counsel) if value in sums(part)]
            if not re.search(r"欠|债|提成|工资|报酬|垫付", "".join(pleaded)):
                return self._say("off_refused", sum=f"{figure(value)}元")
            near = [one for one in finding.stands if one.objective and _FORGED.search(one.offer.body)]
            proof = re.search(r"拟证明([^。]+)", near[0].offer.body) if near else None
            shown = self._say("off_shown", title=near[0].name, what=proof[1]) if proof else ""
            return self._say("off_debt", sum=f"{figure(value)}元", shown=shown)
        bearing = [one for one in finding.stands if one.owner != "procurator" or _adds(one, value)]
        titles = "、".join(one.name for one in bearing)
        return self._say(
            "off", sum=f"{figure(value)}元", titles=titles, amount=f"{figure(total)}元", adopted=words()["reason"]["adopted"]
        )

    # --- sentence -----------------------------------------------------------------------------------------------------

    def _sentence(self) -> list[str]:
        found, made = self.circumstances.found, self.sentencing.whole
        said = [_joined([one.text for one in found], self.name)] if found else []
        said += [self._say("unpaid", victim=victim, sum=f"{figure(sum_)}元") for victim, sum_ in self.circumstances.owed]
        said += [f"{text}。" for one in self.sentencing.counts for text in self._remarks(one.charge)]
        if self.sentencing.refusal in ("tier", "outside"):
            said.append(self._ranged())
        if made.probation:
            said.append(f"{self._say('probation')}。")
        if made.kind == "单处罚金":
            said.append(f"{self._say('fine_alone')}。")
        if self.sentencing.request is not None:
            refused = self.sentencing.refusal
            why = refusal_words(self.sentencing) if refused else ""
            said.append(f"{self._say('reject', why=why) if refused else self._say('adopt')}。")
        elif self.weighing.charges:
            said.append(f"{self._say('no_request')}。")
        answers = Answers(self.weighing, self.circumstances, self.sentencing).text()
        return [*said, answers, *self._declined()]

    def _declined(self) -> list[str]:
        """Wishes of the defence that are not met."""
        made, wished = self.sentencing.whole, self.circumstances.defending
        said = []
        if re.search(r"免予刑事处罚|免除处罚", wished) and made.kind != "免予刑事处罚":
            said.append(self._say("no_exemption"))
        if re.search(r"减轻处罚", wished) and not any(one.lenient for one in self.circumstances.found):
            said.append(self._say("no_mitigation"))
        if re.search(r"(?:请求|建议|适用|判处)[^。；]{0,12}缓刑", wished) and not made.probation and made.months:
            said.append(self._say("no_probation"))
        return said

    def _remarks(self, charge: str) -> list[str]:
        """What the law says of facts of this kind."""
        known = crime(charge)
        facts = "".join(count.text for count in self.weighing.stands(charge))
        return [text for cue, text in known.remarks if cue.search(facts)] if known else []

    def _ranged(self) -> str:
        """Which range applies, where the prosecution asked within another."""
        one = self.sentencing.counts[0]
        said = self.sentencing.said_grade(one.charge)
        grade = one.tier.grade.split("|")[0]
        if said is not None and said is not one.tier and one.applied.tiers.index(said) > one.applied.tiers.index(one.tier):
            found = re.search(said.grade, self.circumstances.accusing)
            return self._say("range_not", said=found[0] if found else said.grade, range=self._range(one.tier))
        return self._say("range", grade=grade, range=self._range(one.tier))

    @staticmethod
    def _range(tier: Tier) -> str:
        years = {36: "三", 60: "五", 84: "七", 120: "十", 24: "二", 12: "一", 180: "十五"}
        high = f"{years.get(tier.most, str(tier.most // 12))}年以下"
        low = f"{years.get(tier.least, str(tier.least // 12))}年以上" if tier.least else ""
        kinds = [f"{low}{high if tier.most < 180 or not low else ''}有期徒刑", *(one for one in tier.light.split() if one != "罚金")]
        kinds += ["无期徒刑"] if tier.life else []
        return "或者".join(filter(None, ("、".join(kinds[:-1]), kinds[-1])))


def _joined(texts: list[str], name: str) -> str:
    """Circumstances in one sentence: 被告人 once, 其 from then on."""
    first, *rest = texts
    rest = [re.sub(rf"^被告人{re.escape(name)}", "其", text) for text in rest]
    return "；".join([first, *rest]) + "。"


def _shows(excerpt: str) -> str:
    """证实，…; a document in the first person is quoted: 载明“…”."""
    return f"载明“{excerpt}”" if excerpt.startswith(("本人", "我", "今")) else f"证实，{excerpt}"


def _adds(exhibit: Exhibit, value: float) -> bool:
    named = sums(exhibit.offer.body)
    return value in named or any(abs(a + b - value) < 0.01 for place, a in enumerate(named) for b in named[place + 1 :])
