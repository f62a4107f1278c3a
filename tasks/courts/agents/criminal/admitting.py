"""认证: which exhibits the court relies on, group by group and why; each contested one by itself (刑诉法解释第七十一条, 第三百条).

A sentence says of every exhibit that it names what becomes of it, so a ground is quoted without words that would decide of others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.courts.agents.criminal.agenda import contests
from tasks.courts.agents.criminal.asking import filled
from tasks.courts.agents.criminal.circumstances import words
from tasks.courts.agents.criminal.heard import Exhibit
from tasks.courts.agents.criminal.weighing import Admitted, Weighing
from tasks.courts.scores.bigrams import bigrams, recall, sentences

NEAR = 0.12
"""Share of the character pairs of an exhibit that another holds which bears it out."""
_LEGALITY = "签名|核对|捺印|程序|刑讯|逼供|非法|合法"
_SHORT = 46
_WEIGHT = re.compile(r"对证明目的有意见|对关联性有异议|恰好|同时(?:证明|显示)|不(?:能|反映)|只(?:统计|涉及|能)")
_DECIDES = re.compile(r"采信|采纳|(?:不予|不能|不应|予以|可以|依法)(?:认定|确认)|上述|以上|前述|全部|各项|其余|其他证据|[？?!！]")
_GROUPS = (("things", ("物证", "书证")), ("people", ("被害人陈述", "证人证言")), ("own", ("供述",)), ("expert", ("鉴定意见",)), ("scene", ("勘验",)), ("media", ("视听资料",)))
_VIEW = re.compile(
    r"^(?:公诉人|辩护人|被告人)?(?:对(?:辩方|控方)?证据[^，：。]{1,6}(?:发表(?:质证)?意见：|有意见，))?(?:对(?:真实性|合法性|关联性|证明目的)有(?:异议|意见)，)?"
)
_PERSON = re.compile(r"户籍|到案|受案|抓获经过")
_SIDES = {"defence_lawyer": "辩护人", "defendant": "被告人", "procurator": "公诉人"}


def admissions(weighing: Weighing) -> str:
    """What becomes of the exhibits: the uncontested by kind, then each contested one, then those refused in part or whole."""
    text = words()["words"]
    relied = [one for one in weighing.admitted if one.result == "采信"]
    disputed = [one for one in relied if _contested(one)]
    said = [_groups([one.exhibit for one in relied if one not in disputed], "proof" if weighing.convicted else "admitted")]
    said += [_although(weighing, one.exhibit) for one in disputed]
    for one in sorted(weighing.admitted, key=lambda one: one.result != "不采信"):
        if one.result != "采信":
            ground = ground_of(one.exhibit, _LEGALITY if one.why == "illegal" else "")
            why = filled(words()["refusal"][one.why], {"what": _alleged(weighing, one.exhibit), "ground": ground}).strip("，")
            said.append(filled(text["refused" if one.result == "不采信" else "partly"], {"title": one.exhibit.name, "why": why}))
    return "".join(said)


def _groups(exhibits: Sequence[Exhibit], key: str) -> str:
    """The exhibits of each kind with why they are believed; those of the defence last."""
    text = words()["words"]
    said = []
    for name, kinds in _GROUPS:
        titles = [one.name for one in exhibits if one.owner == "procurator" and one.kind in kinds]
        said += [filled(text[f"group_{name}"], {"titles": "，".join(titles)})] if titles else []
    shown = [one.name for one in exhibits if one.owner != "procurator"]
    said += [filled(text["group_defence"], {"titles": "，".join(shown)})] if shown else []
    return filled(text[key], {"groups": "；".join(said)}) if said else ""


def _although(weighing: Weighing, exhibit: Exhibit) -> str:
    """A contested exhibit that is relied on: who contested it, on what ground, and why it is believed."""
    text = words()["words"]
    role = next((role for role in _SIDES if contests(exhibit.views.get(role, ""))), "defence_lawyer")
    ground = ground_of(exhibit, role=role)
    others = [
        one.exhibit for one in weighing.admitted
        if one.result == "采信" and one.exhibit is not exhibit and not weighing.own_word(one.exhibit) and not _PERSON.search(one.exhibit.name)
    ]  # fmt: skip
    pairs = bigrams(exhibit.offer.body)
    near = sorted(others, key=lambda one: -recall(bigrams(one.offer.body), pairs))
    borne = [one.name for one in near[:2] if recall(bigrams(one.offer.body), pairs) >= NEAR]
    key = "although_weight" if _WEIGHT.search(exhibit.views.get(role, "")) else "although_borne" if borne else "although_bare"
    values = {"side": _SIDES[role], "title": exhibit.name, "others": "、".join(borne)}
    values["ground"] = f"提出“{ground}”" if ground and not _DECIDES.search(ground) else "提出异议"
    return filled(text[key], values)


def ground_of(exhibit: Exhibit, first: str = "", role: str = "") -> str:
    """The ground on which an exhibit is contested, in the words of the other side; one of these words before others."""
    for who in (role,) if role else ("defence_lawyer", "defendant", "procurator"):
        parts = [_VIEW.sub("", part) for part in re.split(r"[。；]", exhibit.views.get(who, ""))]
        parts = [part for part in parts if len(part) > 5 and not re.search(r"(?:没有|无)异议", part)]
        if parts:
            chosen = next((part for part in parts if first and re.search(first, part)), parts[0])
            return chosen.removesuffix("，不得作为定案的根据")
    return ""


def short(text: str) -> str:
    """The beginning of a count, to the end of a clause."""
    first = next(iter(sentences(text)), text)
    kept = ""
    for part in re.split(r"(?<=，)", first):
        if kept and len(kept) + len(part) > _SHORT:
            break
        kept += part
    return kept.strip("，。；")


def _contested(one: Admitted) -> bool:
    return bool(one.why) and any(contests(view) for view in one.exhibit.views.values())


def _alleged(weighing: Weighing, exhibit: Exhibit) -> str:
    """What an exhibit was to prove and does not."""
    for count, found in weighing.proved:
        if found and not found.proven and exhibit in found.shaken:
            return short(count.text)
    return next((one.words for one, found in weighing.allegations if not found.proven and exhibit in found.shaken), "指控")
