"""What the court announces before it hears the case: cause, publicity, bench, procedure, those who appear, rights.

刑事诉讼法第一百九十条; 刑诉法解释第二百三十六条至第二百三十八条. The office of the prosecution and the charge are what was said in court.
"""

from __future__ import annotations

import re

from tasks.courts.agents.criminal.agenda import hearing
from tasks.courts.agents.criminal.asking import NO_OBJECTION, filled
from tasks.courts.agents.criminal.charges import charged
from tasks.courts.agents.criminal.heard import Heard
from tasks.courts.casefile.material import collegial

_OFFICE = re.compile(
    r"(?:公诉人)?(?:系)?(?P<office>[\u4e00-\u9fff]{2,24}?人民检察院)(?P<title>检察员|检察官|副检察长|检察长)(?P<name>[\u4e00-\u9fff·]{1,6}?)(?=[，。；,、]|已到庭|$)"
)
_UNHAPPY = re.compile(r"量刑建议[^。；]{0,20}(?:有异议|不当|过重|偏重|有意见)|(?:有异议|不同意)[^。；]{0,8}量刑建议")


def announcements(heard: Heard) -> str:
    """What has not been announced yet, each thing in a sentence; '' when all has."""
    done, words = heard.announced, hearing()["announce"]
    court = heard.view.held.get("court", {})
    office, who = prosecution(heard)
    parts = []
    if "public" not in done or "cause" not in done:
        form = "public" if court.get("public", True) else "closed" if court.get("closed_reason") else "closed_bare"
        charges = charged(heard)
        charge = "、".join(name.removesuffix("罪") for name in charges) or "被指控犯罪"
        parts.append(filled(words["head"], {"court": court.get("name") or "本院"}))
        values = {
            "office": office or "人民检察院",
            "name": heard.name,
            "charge": charge,
            "reason": court.get("closed_reason", ""),
        }
        parts.append(filled(words[form], values))
        parts.append(filled(words["charge"], {"charges": "、".join(charges)}) if charges else "")
    if "procedure" not in done:
        parts.append(filled(words["procedure"], {"procedure": court.get("procedure", "普通程序")}))
    if "panel" not in done:
        parts += [_bench(heard), filled(words["prosecutor"], {"who": who}) if who else "", _counsel(heard)]
    if "rights" not in done:
        parts.append(words["rights"])
    return "".join(parts)


def prosecution(heard: Heard) -> tuple[str, str]:
    """The prosecuting office, and office with prosecutor, as said in court; '' where nobody said."""
    for turn in heard.record:
        if turn.speaker in ("clerk", "procurator") and (match := _OFFICE.search(turn.text)):
            return match["office"], f"{match['office']}指派{match['title']}{match['name']}"
    return "", ""


def request_contested(heard: Heard) -> bool:
    """Whether the defence has objected to the 量刑建议."""
    told = heard.answers("defence_lawyer", "opinion") + heard.answers("defendant", "self_defence", "fast")
    return bool(_UNHAPPY.search(NO_OBJECTION.sub("", told)))


def _bench(heard: Heard) -> str:
    words, court = hearing()["announce"], heard.view.held.get("court", {})
    judge = court.get("presiding", {}).get("name", "")
    clerk = filled(words["clerk"], {"clerk": court.get("clerk", "")})
    members = "、".join(f"{one.get('title', '审判员')}{one.get('name', '')}" for one in court.get("panel", ()))
    if members:
        return filled(words["presides"], {"judge": f"审判员{judge}", "members": members, "clerk": clerk})
    alone = "panel" if collegial(court) else "sole"
    return filled(words[alone], {"judge": judge, "clerk": clerk})


def _counsel(heard: Heard) -> str:
    counsel = heard.party.get("counsel", {})
    if not counsel.get("name"):
        return ""
    return filled(hearing()["announce"]["counsel"], {"firm": counsel.get("firm", ""), "counsel": counsel["name"]})
