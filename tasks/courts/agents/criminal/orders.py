"""判决主文: conviction or acquittal, punishment, what becomes of property (刑法第六十四条)."""

from __future__ import annotations

import re

from store.text.numerals import int_to_chinese
from tasks.courts.agents.criminal.agenda import PROPERTY
from tasks.courts.agents.criminal.asking import filled
from tasks.courts.agents.criminal.circumstances import Circumstances, words
from tasks.courts.agents.criminal.facts import days, sums
from tasks.courts.agents.criminal.sentence import Sentencing
from tasks.courts.agents.criminal.serving import money, pronounced, served
from tasks.courts.agents.criminal.weighing import Weighing

_SEIZED = re.compile(r"(?:其中)?(?P<things>[^，。；]{2,80}?)(?:，)?系(?:作案工具|违禁品)[^。]*没收")
_ASKED = re.compile(r"建议(?:依法)?(?:予以)?没收(?P<things>[^。；，]{2,40})|(?P<more>[^，。；]{2,40})，?建议(?:依法)?(?:予以)?没收")
_NONE = re.compile(r"(?:没有|无)(?:查封|扣押|冻结)[^。；]{0,16}")
_RETURNED = re.compile(r"已经?(?:依法)?发还|发还(?:清单|被害人|失主|[\u4e00-\u9fff]{2,3}[；。，])")
_FOUND = re.compile(r"(?:查获|缴获|搜出|查扣|查封|扣押)[^。；]{0,40}?(?:毒品|甲基苯丙胺|海洛因|冰毒|氯胺酮|大麻|晶体)")
_WEAPON = re.compile(r"(?:提取|查获|扣押|缴获)(?:到|了)?(?P<thing>[^，。；、的]{0,8}(?:刀|棍|枪|斧|锤|钳|钢管|匕首)(?:[一二两三四]?[把根支个件])?)")
_PRICE = re.compile(r"以(?P<sum>\d[\d,.]*万?元)的价格[^，。；]{0,12}(?:贩卖|出售|卖)|以(?P<more>\d[\d,.]*万?元)的价格向")
_GAIN = re.compile(r"(?:获利|违法所得|非法获利|牟利)(?:人民币)?(?P<sum>\d[\d,.]*万?元)")
_PAID_IN = re.compile(r"(?:退缴|代缴|上缴)[^。；]{0,10}违法所得")
_DEPOSITED = re.compile(r"缴存(?:在本院的)?赔偿款(?P<sum>\d[\d,.]*万?元)")
_VICTIM = re.compile(r"被害人(?P<name>[^的，。；：]{2,24})的损失")


def orders(weighing: Weighing, circumstances: Circumstances, sentencing: Sentencing) -> list[str]:
    """The items in order, numbered where there are several; the first is the verdict."""
    verdict = _verdict(weighing, sentencing)
    items = [verdict, *_property(weighing, circumstances)]
    if len(items) == 1:
        return items
    return [f"{int_to_chinese(place)}、{item}" for place, item in enumerate(items, 1)]


def _verdict(weighing: Weighing, sentencing: Sentencing) -> str:
    text, name = words()["order"], weighing.heard.name
    if not weighing.convicted:
        return filled(text["acquit"], {"name": name})
    whole = sentencing.whole
    said = [
        filled(text["count"], {"name": name if place == 0 else "", "charge": one.charge, "punishment": pronounced(one.punishment)})
        for place, one in enumerate(sentencing.counts)
    ]
    if len(said) == 1:
        one = sentencing.counts[0]
        said = [filled(text["count"], {"name": name, "charge": one.charge, "punishment": pronounced(whole)})]
    else:
        said = [said[0], *(part.removeprefix("被告人") for part in said[1:])]
        said.append(filled(text["combined"], {"punishment": pronounced(whole).removeprefix("判处")}))
    custody = weighing.heard.view.held.get("criminal", {}).get("custody", ())
    note = served(whole, custody)
    supervised = filled(text["supervised"], {"name": name}) if whole.probation else ""
    return "；".join(said) + "。" + note + supervised


def _property(weighing: Weighing, circumstances: Circumstances) -> list[str]:
    """Confiscation, gains, restitution; where property was spoken of and nothing is left to order, that."""
    heard, text = weighing.heard, words()["order"]
    told = heard.answers("procurator", "property")
    every = heard.answers("procurator", "charge", "indictment", "opinion", "property")
    every += " ".join(one.name for one in heard.exhibits)
    items: list[str] = []
    if weighing.convicted:
        if matches := list(_SEIZED.finditer(told)) or list(_ASKED.finditer(told))[:1]:
            things = [(match["things"] or match.groupdict().get("more") or "").strip("，：的") for match in matches]
            items.append(filled(text["confiscate"], {"things": "、".join(things)}))
        elif tools := _tools(weighing):
            items.append(filled(text["confiscate"], {"things": f"作案工具{tools}"}))
        elif any(name.endswith("毒品罪") for name in weighing.convicted) and _FOUND.search(circumstances.facts + circumstances.shown):
            items.append(filled(text["confiscate"], {"things": "毒品"}))
        items += _gains(weighing)
        items += [
            filled(text["restore"], {"name": heard.name, "victim": victim, "sum": money(sum_)}) for victim, sum_ in circumstances.owed
        ]
        if kept := handed_over(weighing):
            victim = _VICTIM.search(told)
            whom = f"被害人{victim['name']}" if victim else "被害人"
            items.append(filled(text["handed"], {"name": heard.name, "sum": money(kept), "victim": whom}))
    if not items and PROPERTY.search(_NONE.sub("", every)) and not _RETURNED.search(told + every):
        items.append(text["deposited"])
    return items


def settled(weighing: Weighing, circumstances: Circumstances) -> str:
    """That nothing is left to order on property, for the reasons; '' where something is, or nothing was spoken of."""
    heard, text = weighing.heard, words()["order"]
    every = heard.answers("procurator", "charge", "indictment", "opinion", "property")
    every += " ".join(one.name for one in heard.exhibits)
    if _property(weighing, circumstances) or not (PROPERTY.search(_NONE.sub("", every)) and _RETURNED.search(every)):
        return ""
    paid = re.search(r"退赔|退缴|赔偿", circumstances.shown + circumstances.facts)
    return str(text["settled" if paid else "returned_only"])


def handed_over(weighing: Weighing) -> float:
    """What the accused has paid in at the court for the victim, in yuan; 0 for nothing."""
    match = _DEPOSITED.search(" ".join(one.offer.body for one in weighing.heard.exhibits))
    return sums(match["sum"])[0] if match else 0.0


def _gains(weighing: Weighing) -> list[str]:
    """What the accused has gained by crimes without a victim to whom it goes back."""
    text, name = words()["order"], weighing.heard.name
    found = 0.0
    for charge in weighing.convicted:
        facts = "".join(count.text for count in weighing.stands(charge))
        if charge.endswith("毒品罪"):
            found += sum(sums(match["sum"] or match["more"])[0] for match in _PRICE.finditer(facts)) or _transferred(weighing, charge)
        elif match := _GAIN.search(facts):
            found += sums(match["sum"])[0]
    if not found:
        return []
    paid = any(_PAID_IN.search(one.offer.body) for one in weighing.heard.exhibits if one.owner != "procurator")
    return [filled(text["gains_paid" if paid else "gains"], {"name": name, "sum": money(found)})]


def _transferred(weighing: Weighing, charge: str) -> float:
    """What the accused was paid on the days of the acts that stand, by a record of payments that is relied on."""
    acts = {day for count in weighing.stands(charge) if count.whole for day in count.days}
    relied = [one.exhibit.offer.body for one in weighing.admitted if one.result != "不采信" and one.exhibit.kind != "供述"]
    parts = (part for body in relied for part in re.split(r"[；。]", body) if f"向{weighing.heard.name}" in part and "转账" in part)
    return sum(max(sums(part), default=0.0) for part in parts if acts & set(days(part)))


def _tools(weighing: Weighing) -> str:
    """A weapon that was seized as the tool of the crime, by the exhibit that shows it."""
    for one in weighing.admitted:
        if one.result == "采信" and "作案工具" in one.exhibit.offer.body and (match := _WEAPON.search(one.exhibit.offer.body)):
            return match["thing"]
    return ""
