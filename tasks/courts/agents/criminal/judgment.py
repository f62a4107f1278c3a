"""The judgment as it is pronounced: what was charged and pleaded, facts found, evidence, reasons, articles, orders, appeal.

刑事诉讼法第二百条、第二百零三条; 刑诉法解释第二百九十五条、第三百条. Everything it says was heard, is held by the court, or is law.
"""

from __future__ import annotations

import re

from tasks.courts.agents.court_above import court_above
from tasks.courts.agents.criminal.admitting import admissions
from tasks.courts.agents.criminal.agenda import denies, procedure_of
from tasks.courts.agents.criminal.asking import filled
from tasks.courts.agents.criminal.charges import cited_by_prosecution
from tasks.courts.agents.criminal.circumstances import Circumstances, words
from tasks.courts.agents.criminal.facts import Count, charged_facts, figure, main_sum, rest_of, sums
from tasks.courts.agents.criminal.heard import Heard
from tasks.courts.agents.criminal.law import CRIMINAL_LAW, PROCEDURE_LAW, Cited, cite, crime, interpretation, listed
from tasks.courts.agents.criminal.orders import handed_over, orders, settled
from tasks.courts.agents.criminal.reasons import Reasons
from tasks.courts.agents.criminal.sentence import Sentencing
from tasks.courts.agents.criminal.serving import set_off
from tasks.courts.agents.criminal.weighing import Weighing
from tasks.courts.scores.bigrams import bigrams

_NUMBER = re.compile(r"^\s*(?:[一二三四五六七八九十]、\s*)+")
_LATER = re.compile(r"抓获|查获|到案|传唤|归案|解救|如实供述|认罪认罚|赔偿|退赔|谅解|取保候审")
_PLEADS = re.compile(r"^我?对[^。]*(?:没有|无)异议|认罪认罚|具结书|^我?(?:没有|无)异议")
_OF_EVIDENCE = re.compile(r"证据|录像|录音|证言|笔录|陈述|供述|供认|鉴定|结论|清单|明细|记录|照片|截图|[借收欠]条|凭证|报告|合同|流水|[书函单]")
MOST_TOLD = 5
"""Sentences of the accused that are quoted."""
LONG = 700
"""Characters of a plea that is quoted whole."""
_TOTAL = re.compile(r"(?:共计|合计|总计)(?:人民币)?\d[\d,.]*万?元")
_MUTUAL = re.compile(r"，?(?:继而|进而|并|随后)?(?:互相|相互)(?:厮打|殴打|推打)|(?:厮打|互殴|打斗)(?:过程)?中，")
"""How an indictment tells of a fight of both, where the court finds defence."""
_LEADS = re.compile(r"(?:打电话)?(?:纠集|邀约|召集|指使|组织)$")


def judgment(heard: Heard) -> str:
    """The whole judgment, from the charge to the notice of appeal."""
    weighing = Weighing(heard)
    circumstances = Circumstances(weighing)
    sentencing = Sentencing(weighing, circumstances)
    reasons = Reasons(weighing, circumstances, sentencing)
    items = orders(weighing, circumstances, sentencing)
    parts = [
        _charge(weighing, sentencing, circumstances),
        _found(weighing, circumstances),
        _evidence(weighing),
        f"本院认为，{reasons.text()}{settled(weighing, circumstances)}",
        _order(weighing, circumstances, sentencing, len(items) > 1),
        "\n".join(items),
        filled(words()["order"]["appeal"], {"court": court_above(str(heard.view.held.get("court", {}).get("name", "")))}),
    ]
    return "\n".join(part for part in parts if part)


# --- charge, plea, facts, evidence ----------------------------------------------------------------------------------------


def _charge(weighing: Weighing, sentencing: Sentencing, circumstances: Circumstances) -> str:
    """What was charged, with its facts where not all of it stands, what the accused said to it, what his counsel pleads."""
    text, heard = words()["words"], weighing.heard
    if not weighing.charges:
        return ""
    request = re.sub(r"^量刑建议[：:]", "", sentencing.request.text) if sentencing.request else ""
    facts = charged_facts(heard) if denies(heard) else ""
    said = filled(
        text["charge_facts" if facts else "charge"],
        {"facts": "", "name": heard.name, "charges": "、".join(weighing.charges), "request": f"，{request}" if request else ""},
    )
    said = said.replace("公诉机关指控：", f"公诉机关指控：{facts.strip().rstrip('。')}。") if facts else said
    if denies(heard):
        whole = all(weighing.contest.charge(name, weighing.charges) for name in weighing.charges)
        plea = text["plea_denied" if whole else "plea_partial"]
    elif circumstances.pleads:
        plea = text["plea_guilty"].replace("{signed}", text["signed"] if circumstances.signed else "")
    else:
        plea = ""
    told = said + filled(plea, {"name": heard.name}) + _argued(heard) + _defence(weighing)
    return "".join(_harmless(part) if _OF_EVIDENCE.search(part) else part for part in re.split(r"(?<=[。；])", told))


def _argued(heard: Heard) -> str:
    """What the accused says for himself, in his own words, where he contests anything."""
    if not denies(heard):
        return ""
    told = heard.answers("defendant", "plea", "fast") + heard.answers("defendant", "self_defence")
    parts = [part.strip() for part in re.split(r"(?<=[。！？])|\n", told) if part.strip()]
    kept = ""
    for part in [part for part in parts if not _PLEADS.search(part)][:MOST_TOLD]:
        kept += "" if part in kept else part
    quoted = kept.replace("“", "‘").replace("”", "’")
    return filled(words()["words"]["argued"], {"told": quoted}) if quoted else ""


def _defence(weighing: Weighing) -> str:
    """The plea of the defence as it was made, without the greeting; a long one by the first sentences of its points."""
    counsel = weighing.contest.counsel
    if len(counsel) > LONG:
        points = (re.split(r"(?<=。)", point.strip()) for point in weighing.contest.points)
        counsel = "".join("".join(parts[:2]) for parts in points)
    return filled(words()["words"]["counsel"], {"opinion": counsel.strip().rstrip("。；，") + "。"}) if counsel else ""


def _harmless(text: str) -> str:
    """What a party said of evidence, without the words by which a court itself decides of exhibits; the meaning stays."""
    text = re.sub(r"(?:不予|不能|不应|难以|不)采信", "不得作为定案根据", text)
    text = re.sub(r"(?:不予|不能|不应|难以|不)(认定|采纳|确认)", r"无法\1", text)
    return re.sub(r"(?:应予|予以|均予|依法|可以)(认定|采纳|确认)", r"应当\1", text).replace("采信", "作为定案根据")


def _found(weighing: Weighing, circumstances: Circumstances) -> str:
    """经审理查明: what is charged as far as it stands."""
    heard = weighing.heard
    stands = [count for count, finding in weighing.proved if finding is None or finding.proven]
    if not stands:
        return ""
    facts = charged_facts(heard)
    failed = [count for count, finding in weighing.proved if finding and not finding.proven]
    if failed:
        rest = [
            _NUMBER.sub("", part)
            for part in re.split(r"(?<=。)", rest_of(facts, weighing.counts))
            if _LATER.search(part) and "：" not in part and not any(part in count.text for count in stands)
        ]
        told = "".join(_whole(_corrected(weighing, count), heard.name, facts) for count in stands)
        body = _preamble(facts, stands, failed, sum(map(weighing.amount, weighing.convicted))) + told + "".join(rest)
    else:
        body = facts
        for count in stands:
            body = body.replace(count.text, _corrected(weighing, count))
    for allegation, finding in weighing.allegations:
        if not finding.proven:
            body = _without(body, allegation.words)
    if weighing.repelled:
        body = _MUTUAL.sub("", body)
    if off := [value for value, finding in weighing.taken_off if finding.proven]:
        total = sum(weighing.amount(name) for name in weighing.convicted)
        note = f"其中人民币{figure(off[0])}元不属于被告人{heard.name}占有的款项，应予扣除，犯罪数额为人民币{figure(total)}元。"
        body = _after_sum(body, note)
    body = _as_told(body.strip(), candid=circumstances.candid or not denies(heard))
    return filled(words()["words"]["found"], {"facts": body}) + _besides(weighing, body, circumstances)


def _as_told(body: str, *, candid: bool) -> str:
    """The facts without the number of an only count, and without a confession that the court does not find."""
    body = body if re.search(r"[二2][、．]", body) else re.sub(r"^[一1][、．]", "", body)
    if candid:
        return body
    kept = [part for part in re.split(r"(?<=。)", body) if not re.fullmatch(r"[^。]{0,24}(?:如实供述|认罪认罚)[^。]*。", part)]
    return "".join(re.sub(r"，[^，。]{0,10}(?<!未)(?:如实供述|认罪认罚)[^，。]*", "", part) for part in kept)


def _after_sum(body: str, note: str) -> str:
    """The facts with a note behind the sentence that names their total."""
    parts = re.split(r"(?<=。)", body)
    place = next((at for at, part in enumerate(parts) if _TOTAL.search(part) or sums(part)), len(parts) - 1)
    return "".join([*parts[: place + 1], note, *parts[place + 1 :]])


def _besides(weighing: Weighing, body: str, circumstances: Circumstances) -> str:
    """What the court finds beside the charge: payment that the defence has shown, former convictions."""
    heard, told = weighing.heard, []
    paid = next((one.text for one in circumstances.found if one.id == "paid"), "").removesuffix("，酌情从轻处罚")
    if paid and not re.search(r"赔偿|退赔|退缴|补偿", body):
        told.append(paid if re.search(r"后|期间", paid) else f"案发后，{paid}")
    record = str(heard.view.held.get("criminal", {}).get("record", "")).strip().rstrip("。")
    if "判处" in record and record[:10] not in body:
        told.append(filled(words()["words"]["besides_record"], {"name": heard.name, "record": record}))
    return filled(words()["words"]["besides"], {"facts": "".join(f"{one.rstrip('。')}。" for one in told)}) if told else ""


def _preamble(facts: str, stands: list[Count], failed: list[Count], total: float) -> str:
    """What stands before numbered counts, with the total that is found, without other sums and without what only counts that fail are about."""
    head, mark, _ = facts.partition("：")
    if not mark or not _NUMBER.match(facts[len(head) + 1 :].strip()):
        return ""
    lost = frozenset().union(*(count.pairs for count in failed)) - frozenset().union(*(count.pairs for count in stands))
    kept = []
    for clause in head.split("，"):
        if sums(clause):
            if total and _TOTAL.search(clause):
                kept.append(_TOTAL.sub(f"共计人民币{figure(total)}元", clause))
            continue
        parts = clause.split("、")
        left = [part for part in parts if len(bigrams(part) & lost) < 2]
        if left and len(left) < len(parts) and (tail := re.search(r"等[\u4e00-\u9fff]{1,4}$", clause)):
            left[-1] = left[-1].removesuffix(tail[0]) + tail[0]
        kept += ["、".join(left)] if left else []
    return "，".join(kept) + "：" if len(kept) > 1 else ""


def _whole(text: str, name: str, facts: str) -> str:
    """A count as a sentence of its own: with its year, its doer, and the name of what it calls 该…."""
    text = text.strip().rstrip("；，。") + "。"
    years = re.findall(r"\d{4}年", facts[: facts.find(text[:12])])
    if years and re.match(r"\d{1,2}月", text):
        text = years[-1] + text
    for match in re.finditer(r"该([\u4e00-\u9fff]{2,4}?店|公司|单位|[\u4e00-\u9fff]{2}厂)", text):
        if named := re.search(rf"“[^”]{{1,16}}{match[1]}”|[\u4e00-\u9fff]{{4,16}}{match[1]}", facts):
            text = text.replace(match[0], named[0], 1)
    return text if "被告人" in text else re.sub(r"，(?=以|骗|窃|向|在|将|持)", f"，被告人{name}", text, count=1)


def _corrected(weighing: Weighing, count: Count) -> str:
    """A count with the sum that the court finds in place of the one charged."""
    said, found = main_sum(count.text), weighing.amount(count.charge)
    known = crime(count.charge)
    several = len(weighing.stands(count.charge)) > 1 or weighing.taken_off or (known is not None and known.unit == "克")
    if several or not said or not found or said == found or f"{figure(said)}元" not in count.text:
        return count.text
    return count.text.replace(f"{figure(said)}元", f"{figure(found)}元").replace("经认定", "经重新认定")


def _without(text: str, words_: str) -> str:
    """The facts without an allegation that fails: the words that it shares with them, or the clause that says it."""
    shared = max((words_[a:b] for a in range(len(words_)) for b in range(a + 2, len(words_) + 1) if words_[a:b] in text), key=len, default="")
    if len(shared) < 2:
        return text
    if match := _LEADS.search(shared):
        return text.replace(match[0], "与", 1)
    return "".join(part for part in re.split(r"(?<=[，。；])", text) if shared not in part)


def _evidence(weighing: Weighing) -> str:
    """The exhibits that bear the facts, then what becomes of each that was contested (认证)."""
    text, heard = words()["words"], weighing.heard
    if not weighing.convicted and not heard.exhibits:
        return ""
    if not heard.exhibits:
        match = re.search(r"认定上述事实的证据有：([^。]+)", heard.answers("procurator", "indictment"))
        titles = "、".join(re.split(r"；", match[1])) if match else ""
        return filled(text["proved_fast"], {"titles": titles}) if titles else str(text["proved_bare"])
    return admissions(weighing)


# --- articles -------------------------------------------------------------------------------------------------------------


def _order(weighing: Weighing, circumstances: Circumstances, sentencing: Sentencing, property_: bool) -> str:
    day = weighing.heard.view.day
    laws = [*_substance(weighing, circumstances, sentencing, property_), *_procedure(weighing, circumstances, sentencing)]
    said = listed(laws, day)
    return filled(words()["order"]["head"], {"laws": said}) if said else "判决如下："


def _substance(
    weighing: Weighing, circumstances: Circumstances, sentencing: Sentencing, property_: bool
) -> list[Cited]:  # fmt: skip
    """Articles of the Criminal Law, then interpretations of it."""
    if not weighing.convicted:
        return [cite("20.1")] if weighing.repelled else []
    laws: list[Cited] = []
    further: list[Cited] = []
    whole = sentencing.whole
    for one in sentencing.counts:
        known = crime(one.charge)
        if known is None:
            laws += cited_by_prosecution(weighing.heard)[:2]
            continue
        places = [one.tier.law, *known.law[1:]] if one.tier.law and "." in one.tier.law else list(known.law)
        facts = "".join(count.text for count in weighing.stands(one.charge))
        laws += [cite(place) for place in dict.fromkeys(known.narrowed(places, facts))]
        laws += [cite("12.1")] if one.applied.milder else []
        conditions = {"base": True, "sum": bool(weighing.amount(one.charge)), "fine": bool(one.punishment.fine)}
        graver = sentencing.said_grade(one.charge)
        conditions["grave"] = one.tier is not one.applied.tiers[0] or graver not in (None, one.applied.tiers[0])
        further += [article for article, when in map(interpretation, known.see) if conditions.get(when, re.search(when, facts))]
    for found in circumstances.found:
        laws += [law for law in found.articles if law.law == CRIMINAL_LAW]
        further += [law for law in found.articles if law.law not in (CRIMINAL_LAW, PROCEDURE_LAW)]
    if whole.fine:
        laws += [cite("52"), cite("53")]
    if property_:
        laws.append(cite("64"))
        laws += [cite("36.1")] if handed_over(weighing) else []
    if whole.months and not whole.probation and set_off(weighing.heard.view.held.get("criminal", {}).get("custody", ()))[1]:
        laws.append(cite({"拘役": "44", "管制": "41"}.get(whole.kind, "47")))
    if len(sentencing.counts) > 1:
        laws.append(cite("69"))
    if whole.probation:
        laws += [cite("72.1"), cite("73.1" if whole.kind == "拘役" else "73.2"), cite("73.3")]
        laws += [cite("72.3")] if whole.fine else []
    general = sorted((law for law in laws if law.number < 102), key=lambda law: (law.number, law.paragraph))
    return [*(law for law in laws if law.number >= 102), *general, *further]


def _procedure(weighing: Weighing, circumstances: Circumstances, sentencing: Sentencing) -> list[Cited]:
    """Articles of the law of criminal procedure and its interpretation."""
    places: list[str] = []
    failed = any(weighing.fails(name) for name in weighing.charges) or any(not f.proven for _, f in weighing.allegations)
    lost = len(weighing.convicted) < len(weighing.charges) or not weighing.convicted
    if circumstances.has("plea"):
        places.append("15")
    if failed or lost or weighing.taken_off or denies(weighing.heard):
        places.append("55")
    if lost:
        places.append("200")
    if circumstances.signed and sentencing.request is not None:
        places.append("201")
    if procedure_of(weighing.heard) == "速裁":
        places += ["222", "224"]
    found = [cite(place, PROCEDURE_LAW) for place in places]
    in_part = any(weighing.fails(name) for name in weighing.convicted) or any(not f.proven for _, f in weighing.allegations)
    in_part = in_part or any(finding.proven for _, finding in weighing.taken_off)
    unsigned = any(one.why == "illegal" and one.exhibit.kind == "供述" for one in weighing.admitted)
    rules = [interpretation("刑诉 94")[0]] if unsigned else []
    if any(one.why == "illegal" and one.exhibit.kind == "证人证言" for one in weighing.admitted):
        rules.append(interpretation("刑诉 89")[0])
    return [*found, *rules, *([interpretation("刑诉 295.1.5")[0]] if in_part else [])]
