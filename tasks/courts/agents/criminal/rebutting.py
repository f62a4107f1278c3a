"""The debate between prosecution and defence: which points the other side made, and what one's own evidence says to each.

刑事诉讼法第一百九十八条; 刑诉法解释第二百八十一条, 第二百八十六条. A side answers what was said in court from the exhibits that it holds,
its own opinion, and what it has against the other side's exhibits; it quotes the other side by a few words alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from store.text.numerals import int_to_chinese
from tasks.courts.agents.criminal.asking import NO_OBJECTION, Floor, kinds_of
from tasks.courts.agents.criminal.examining import alleged
from tasks.courts.agents.criminal.facts import listed, points_of
from tasks.courts.agents.criminal.objections import GROUNDS, objections, showings
from tasks.courts.procedure.turns import Turn
from tasks.courts.scores.bigrams import bigrams, recall

NEAR, CORE = 0.15, 0.25
"""Share of the character pairs of an exhibit's purpose that an allegation, or an indictment as a whole, holds."""
SHARED = 4
"""Character pairs that a sentence of the own opinion shares with the point that it answers."""
MOST = 4
"""Points that are answered one by one."""
_HEAD = 34
_SALUTATION = re.compile(r"^[^。]*发表(?:如下|以下)?辩护意见[：。]?")
_CLOSING = re.compile(r"请求|综上|如果法庭|恳请")
_DISPUTES = re.compile(
    r"证据不足|不能(?:认定|成立|排除|证明|单独)|不(?:应|予|宜)?(?:当)?认定|不构成|不成立|无罪|扣除|不属于|不当|有异议|矛盾|没有(?:证据|其他证据|排除|非法|被)"
    r"|不应|不符合|应当(?:认定|适用|采信|以)|系从犯|构成自首|认定为?自首|过错|民间借贷|异议|变化|数额应为"
)
_WISHES = re.compile(r"从轻|减轻|从宽|缓刑|采纳量刑建议|初犯|没有前科|赔偿|退赔|谅解|坦白|如实供述|认罪")
_CIRCUMSTANCES = (
    ("自首", r"自首|坦白评价|法定义务"), ("从犯", r"从犯|主犯"), ("立功", r"立功"), ("未遂", r"未遂"), ("赔偿", r"赔偿|退赔"), ("退赔", r"退赔|赔偿"),
    ("过错", r"过错"), ("谅解", r"谅解"), ("缓刑", r"缓刑"), ("坦白", r"坦白|如实供述"),
)  # fmt: skip
"""A circumstance as the defence names it -> words by which the own opinion speaks of it."""
_REFUSED = re.compile(r"不(?:构成|属于|具有|是|影响|调整|符合|应|宜)|没有|按.{1,4}评价|拒不|未如实")
_EVIDENCE = re.compile(r"证据不足|矛盾|没有被|没有其他证据|扣除|罪不能成立|不构成(?!自首)")
_CHARGE = re.compile(r"追究其刑事责任")
_PERSON = re.compile(r"身份|到案|归案|前科|案件来源|态度")
_TESTIMONY = re.compile(r"陈述|证言|供述")
_AGREES = re.compile(r"[^。；，]{0,40}(?:没有|无)异议(?!的)")


def defence_of(record: Sequence[Turn]) -> str:
    """What the defence lawyer has pleaded: the answers to the calls for the defence."""
    return _answers(record, "defence_lawyer", "opinion")


def answer_of(record: Sequence[Turn], role: str) -> str:
    """What a side has said last in the debate."""
    return _answers(record, role, "mutual", last=True)


def _answers(record: Sequence[Turn], role: str, kind: str, *, last: bool = False) -> str:
    said: list[str] = []
    asked = False
    for turn in record:
        if turn.speaker == "judge":
            asked = role in turn.to and kind in kinds_of(turn.text, role)
        elif asked and turn.speaker == role:
            said.append(turn.text)
    return "\n".join(said[-1:] if last else said)


def contested(record: Sequence[Turn]) -> list[tuple[int, str]]:
    """The points of the defence that dispute something, each with its number among all points, as said."""
    pleaded = _SALUTATION.sub("", defence_of(record))
    points = points_of(pleaded)
    numbered = list(enumerate(points))[1:] if listed(pleaded) else list(enumerate(points, 1))
    kept = [(place, "。".join(part for part in point.split("。") if not _CLOSING.match(part.strip())).strip()) for place, point in numbered]
    return [(place, point) for place, point in kept if _DISPUTES.search(_AGREES.sub("", point))]


def reply(floor: Floor) -> str:
    """The prosecutor's answer to the defence: each disputed point from the evidence, the rest in a sentence."""
    points = [(place, point) for place, point in contested(floor.view.record) if not _granted(floor, point)]
    if not points:
        wishes = bool(_WISHES.search(defence_of(floor.view.record)))
        return floor.say("reply_wishes" if wishes else "mutual")
    said: list[str] = []
    for place, point in points[:MOST]:
        said.append(_to_point(floor, place, point, "".join(said)))
    return floor.say("reply_head") + "".join(dict.fromkeys(said)) + floor.say("reply_close")


def _to_point(floor: Floor, place: int, point: str, before: str) -> str:
    """The answer to one point: what the opinion says of that circumstance, the exhibits on that allegation, or the opinion."""
    said = {"nth": f"第{int_to_chinese(place)}点", "head": _head(point)}
    opinion = [part.strip() for part in re.split(r"[。；]", str(floor.matter.get("opinion", ""))) if part.strip()]
    if own := _own(floor, point):
        return floor.say("reply_refused", own=own, **said)
    if any(cue in point for cue, _ in _CIRCUMSTANCES) and not _EVIDENCE.search(point):
        return floor.say("reply_open", **said)
    clause = alleged(str(floor.matter.get("indictment", "")), point, floor.name)
    near = max((part for part in opinion if not _CHARGE.search(part)), key=lambda part: len(bigrams(part) & bigrams(point)), default="")
    if clause and (shown := _shown(_bearing(floor.own_exhibits, clause, NEAR))) and shown not in before:
        answer = floor.say("reply_shown", shown=shown, together=_together(shown), clause=clause, **said)
    elif near and len(bigrams(near) & bigrams(point)) >= SHARED:
        answer = floor.say("reply_opinion", own=near, **said)
    elif shown := _shown(_bearing(floor.own_exhibits, str(floor.matter.get("indictment", "")), CORE)):
        answer = floor.say("reply_same" if shown in before else "reply_core", shown=shown, together=_together(shown), **said)
    else:
        answer = floor.say("reply_bare", **said)
    against = [text for text in _objected(floor, point) if text.rstrip("。") not in before]
    return answer + "".join(floor.say("reply_against", text=text) for text in against[:1])


def _own(floor: Floor, point: str) -> str:
    """What the own opinion says of a circumstance that a point is about; '' where the point is about the evidence."""
    opinion = [part.strip() for part in re.split(r"[。；]", str(floor.matter.get("opinion", ""))) if part.strip()]
    own = (part for cue, told in _CIRCUMSTANCES if cue in point for part in opinion if re.search(told, part))
    return "" if _EVIDENCE.search(point) else next(own, "")


def _granted(floor: Floor, point: str) -> bool:
    """Whether the own opinion has taken a circumstance into account already."""
    own = _own(floor, point)
    return bool(own) and not _REFUSED.search(own)


def _together(shown: str) -> str:
    return "能够相互印证，" if shown.count("证实") > 1 else ""


def _shown(items: Sequence[Mapping[str, Any]]) -> str:
    return "，".join(f"{item['title']}证实{_purpose(item)}" for item in items)


def again(floor: Floor) -> str:
    """The prosecutor's second answer: what bears out the exhibits that the defence has attacked in the debate."""
    attacked = answer_of(floor.view.record, "defence_lawyer")
    titles = [item for item in floor.own_exhibits if item["title"] in attacked]
    others = [item for item in floor.own_exhibits if item not in titles]
    told = []
    for item in titles[:2]:
        near = _bearing(others, _purpose(item), CORE)[:1] if _TESTIMONY.search(item["title"]) else []
        told += [floor.say("again_with", title=item["title"], other=near[0]["title"])] if near else []
    return "".join(told) + floor.say("again_close") if told else floor.say("mutual_done")


def defend(floor: Floor) -> str:
    """The defence lawyer's answer to the prosecutor: what was said against the exhibits he named, what the own ones show."""
    heard = answer_of(floor.view.record, "procurator")
    said = []
    for title, grounds in _attacks(floor):
        if title in heard:
            said.append(floor.say("defend_ground", title=title, text=grounds.rstrip("。")))
    points = contested(floor.view.record)
    for item in floor.own_exhibits:
        if any(recall(bigrams(_purpose(item)), bigrams(point)) >= NEAR for _, point in points):
            said.append(floor.say("defend_own", title=item["title"], purpose=_purpose(item)))
    said = list(dict.fromkeys(said))[:3]
    if not said or "关于辩护人的第" not in heard:
        return floor.say("mutual")
    return floor.say("defend_head") + "".join(said) + floor.say("defend_close")


def _attacks(floor: Floor) -> Iterator[tuple[str, str]]:
    """Titles of the prosecution's exhibits with what this role holds against them, as it was raised in court."""
    offers = [offer for _, listed in showings(floor.view.record, "procurator") for offer in listed]
    for offer, grounds in objections(floor, offers):
        told = [text for ground, text in grounds.items() if NO_OBJECTION.sub("", text).strip("，。； ")]
        if told:
            yield offer.title, re.sub(r"^[，；]", "", NO_OBJECTION.sub("", told[0]))


def _objected(floor: Floor, point: str) -> list[str]:
    """What this side holds against exhibits of the other side that are near a point."""
    held = [one for item in floor.others_exhibits for one in item.get("objections", ())]
    texts = [one[ground] for one in held for ground in GROUNDS if one.get(ground)]
    wanted = bigrams(point)
    return sorted((text for text in texts if recall(bigrams(text), wanted) >= NEAR), key=lambda text: -recall(bigrams(text), wanted))


def _bearing(items: Sequence[Mapping[str, Any]], what: str, least: float) -> list[Mapping[str, Any]]:
    """The exhibits whose purpose is nearest to something, two at most; what tells of his person or his arrest alone is none."""
    wanted = bigrams(what)
    fits = [item for item in items if not _PERSON.search(_purpose(item))]
    scored = [(recall(bigrams(_purpose(item)), wanted), place) for place, item in enumerate(fits)]
    return [fits[place] for score, place in sorted(scored, key=lambda pair: (-pair[0], pair[1]))[:2] if score >= least]


def _purpose(item: Mapping[str, Any]) -> str:
    return str(item.get("purpose", "")).removeprefix("证明").rstrip("。")


def _head(point: str) -> str:
    """The first words of a point, to the end of a clause, so that it is named and not said again."""
    kept = ""
    for part in re.split(r"(?<=[，；：])", point.strip().split("。")[0]):
        if kept and len(kept) + len(part) > _HEAD:
            break
        kept += part
    return kept.strip("，；：")[:60]
