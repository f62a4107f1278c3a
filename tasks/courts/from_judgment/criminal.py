"""A criminal judgment as the fields of a CR case."""

from __future__ import annotations

import re
from typing import Any

from store.text.ideographs import HAN
from store.text.normalise import fold_width
from tasks.courts.from_judgment.exhibits import prosecution_exhibits
from tasks.courts.from_judgment.figures import TERM, days, months, sums
from tasks.courts.from_judgment.heading import Heading
from tasks.courts.from_judgment.names import names_at
from tasks.courts.from_judgment.parties import bench, judged, parties
from tasks.courts.from_judgment.sections import Paper, lead_of, sentences
from tasks.courts.from_judgment.sentencing import accused_in, criminal_gold
from tasks.courts.from_judgment.standing import standing_of
from tasks.courts.from_judgment.stories import clipped, facts_of

_INDICTED = re.compile(r"指控(?:被告人)?[^,。;]{0,16}?犯(?:有)?(?P<names>[^,。;]{2,60}?罪)(?=[,。;]|一案|的|$)")
_FILE_NUMBER = re.compile(r"以(?P<number>[^,。;以]{2,40}?号)(?:《)?起诉书")
_PROCURATOR = re.compile(rf"(?P<name>[{HAN}]{{2,30}}?人民检察院)")
_SENT = re.compile(
    rf"指派(?P<title>代理检察员|检察员|检察官|副检察长|检察长)?(?:助理)?(?P<name>[{HAN}]{{2,4}}?[0-9]?)"
    r"(?:、[^,。]{2,20})?(?:等)?出庭"
)
_FILED = re.compile(r"向本院(?:提起公诉|提出公诉|起诉)|移送本院|提起公诉")
_HEARD = re.compile(r"(?:公开|不公开)?(?:开庭)?审理(?!终结)|开庭")
_CLEAN = re.compile(r"(?:无|没有)(?:违法犯罪|犯罪)?(?:前科|记录|劣迹)[^,。;]{0,8}|无违法犯罪记录")
_KIND = r"(?P<kind>有期徒刑|拘役|管制)"
_ADVISED = re.compile(r"(?:建议|量刑(?:意见|建议))[^。]{0,80}?(?:判处|处以|处(?=[有拘管罚])|在|适用|科处|以)[^。]*")
_FINE = re.compile(r"罚金[^,。;]{0,40}")
_PLEAS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("not_guilty", re.compile(
        r"被告人(?![^。]{0,14}(?:如实|自愿))[^。;]{0,60}?(?:不构成(?:犯罪|[^,。;]{2,12}罪)|(?<!不)无罪(?:的)?辩解"
        r"|辩称[^。;]{0,20}?(?:无罪|没有(?:犯罪|实施))"
        r"|拒不(?:认罪|供认)|不认罪|否认(?:指控|控罪|犯罪|起诉)|指控[^。;,]{0,6}不(?:属实|是事实))"
        r"|庭审中[^。]{0,40}无罪辩解"
    )),
    ("partial", re.compile(
        r"被告人[^。;]{0,40}?对[^。;]{0,30}?(?:罪名|数额|金额|部分|情节|定性)[^。;]{0,12}?(?<!没)(?<!均无)(?<!无)"
        r"(?:有|提出)异议"
        r"|被告人[^。;]{0,30}?(?:只|仅)?承认[^。;]{0,20}?(?:但|否认)"
    )),
    ("guilty", re.compile(
        r"(?:被告人?|其|上述事实)[^。;]{0,60}?(?:对[^。;]{0,60}?(?:均|亦)?(?:没有|无|未提出|不持)(?:任何)?异议"
        r"|(?:均|亦)?(?:没有|无)异议|供认|(?:自愿|当庭|庭审中|能)[^,。;]{0,8}?认罪"
        r"|认罪认罚|具结悔过|认罪(?:态度|悔罪)|认罪、悔罪|表示认罪)"
    )),
)  # fmt: skip
"""How the accused stands to the charge -> words of the judgment that say so; the first that fits."""
_CLAUSES = re.compile(r"[^。;\n]+[。;\n]?|[。;\n]")
_COUNSELS = re.compile(r"(?<!及其)(?<!和其)辩护人")
_OBJECTS = re.compile(r"被告人[^。;\n]{0,80}?(?:没有|无|有|未提出|不持)(?:任何)?异议")
_CONFESSED = re.compile(r"如实(?:供述|交代|陈述)")
_SIGNED = re.compile(r"(?:签署|签字|出具|提交)[^。;]{0,16}?具结|具结书|签字具结")
_UNSIGNED = re.compile(r"(?:未|没有|拒绝|拒不|不愿|不同意)[^,。;]{0,8}(?:签署|签字|签订|具结)")
_VICTIM = re.compile(r"(?:被害人|受害人)(?:\([^()]{0,12}\))?")
_HARMED = re.compile(r"被害单位(?P<name>[^,。;:、的]{2,30}?(?:公司|银行|厂|店|医院|学校|合作社|村民委员会|局))")
_AS_CHARGED = re.compile(
    r"[^。]{0,30}?查明[^。]{0,20}?(?:与|和)[^。]{0,30}?指控[^。]{0,16}?(?:一致|相同|无异)[^。]{0,10}(?:。|$)\s*"
)
_SETTLED = re.compile(r"[^,。;]*谅解[^,。;]*")


def criminal_case(paper: Paper, heading: Heading, notes: list[str]) -> dict[str, Any]:
    """All fields that the judgment gives; `notes` gathers what a reader has to know."""
    people = list(parties(heading, "CR", notes))
    if not people and (names := accused_in(paper.ruled)):
        people = [{"id": "A1", "side": "defendant", "kind": "person", "name": names[0]}]
        notes.append("parties.A1: named by the rulings only; the heading is missing")
    standing = standing_of(next((entry.words for entry in heading.of("被告人")), ""))
    gold = criminal_gold(paper, notes)
    charged = charges_of(paper)
    if not charged and gold.get("charges"):
        charged = list(gold["charges"])
        notes.append("criminal.charges: taken from the rulings; the judgment does not say what was charged")
    charges = [{"name": name} for name in charged if len(name) <= 80]
    dates = _dates(paper)
    return {
        "cause": "、".join(charged) or "、".join(gold.get("charges", [])),
        "dates": dates,
        "parties": people,
        "facts": _facts(paper, notes),
        "evidence": prosecution_exhibits(paper.part("evidence")),
        "court": bench(paper, heading),
        "criminal": _given({
            "prosecution": _prosecution(paper, heading),
            "charges": charges,
            "indictment": _indictment(paper, notes),
            "opinion": clipped(paper.part("opinion"), "criminal.opinion", notes),
            "request": request_of(paper),
            "plea": plea_of(paper),
            "record": standing.record[:20_000] or _clean(paper),
            "custody": list(standing.custody),
            "victims": _victims(paper),
            "defence_opinion": clipped(paper.part("defence"), "criminal.defence_opinion", notes),
        }),
        "gold": gold,
    }  # fmt: skip


def _facts(paper: Paper, notes: list[str]) -> list[dict[str, Any]]:
    """经审理查明; where the court finds what was charged, the facts are those of the charge."""
    found, charge = paper.part("found"), paper.part("charge")
    same = _AS_CHARGED.match(fold_width(found))
    if charge and same:
        notes.append("facts: the court finds what was charged; the facts are those of the charge")
        told = charge[lead_of(charge, "CR", "charge") :].lstrip(" ，,：:称\n")
        return facts_of(f"{told}\n{found[same.end() :]}", notes)
    return facts_of(found, notes)


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in ("", [], {}, None)}


def charges_of(paper: Paper) -> list[str]:
    """指控的罪名, from the course of the case or the charge itself."""
    for text in (paper.course, paper.part("charge"), paper.part("opinion"), paper.reason):
        if match := _INDICTED.search(fold_width(text)):
            return [name for name in re.split(r"(?<=罪)(?:、|和|与|及)", match["names"]) if name.endswith("罪")]
    named = re.search(rf"(?:构成|以)(?P<name>[{HAN}、]{{2,30}}?罪)(?=[,。;]|追究)", fold_width(paper.part("opinion")))
    return [named["name"]] if named else []


def _dates(paper: Paper) -> dict[str, str]:
    found: dict[str, str] = {}
    course = fold_width(paper.course)
    for day in days(paper.course):
        behind = re.split(r"[0-9]{4}年", re.split(r"[。;]", course[day.end :])[0][:60])[0]
        if "filed" not in found and _FILED.search(behind):
            found["filed"] = day.day.isoformat()
        elif _HEARD.search(behind) and "立案" not in behind:
            found["proceeding"] = day.day.isoformat()
    story = paper.part("charge") or paper.part("found")
    story = story[lead_of(story, "CR", "charge" if paper.part("charge") else "found") :].lstrip(" \n，,：:称1一、.．")
    first = next(days(story), None)
    # Only a day with which the story opens is surely one of the act.
    if first is not None and first.start <= 2:
        found["acted"] = first.day.isoformat()
    if day_judged := judged(paper):
        found["judged"] = day_judged
    return found


def _prosecution(paper: Paper, heading: Heading) -> dict[str, str]:
    named = next((entry.name for entry in heading.of("公诉机关")), "")
    course = fold_width(paper.course)
    if not named and (match := _PROCURATOR.search(course or fold_width(paper.part("charge")[:60]))):
        named = match["name"]
    found = {"name": named.strip("。 ")}
    if match := _FILE_NUMBER.search(course):
        found["indictment_no"] = paper.course[match.start("number") : match.end("number")]
    if match := _SENT.search(course):
        found["prosecutor"] = match["name"]
        if match["title"] in ("检察官", "副检察长", "检察长"):
            found["title"] = match["title"]
    given = {name: value for name, value in found.items() if value}
    return given if "prosecutor" in given else {**given, "title": ""}


def _indictment(paper: Paper, notes: list[str]) -> str:
    charge = paper.part("charge")
    if charge:
        return clipped(
            charge[lead_of(charge, "CR", "charge") :].lstrip(" ，,：:称\n") or charge, "criminal.indictment", notes
        )
    found = paper.part("found")
    if found:
        notes.append("criminal.indictment: the judgment does not tell the charge; 经审理查明 stands there")
        return clipped(found[lead_of(found, "CR", "found") :].lstrip(" ，,：:\n"), "criminal.indictment", notes)
    return ""


def request_of(paper: Paper) -> dict[str, Any] | None:
    """量刑建议, its text and what can be read of it."""
    text = "\n".join(filter(None, (paper.part("opinion"), paper.part("charge"), paper.reason)))
    for sentence in sentences(text):
        folded = fold_width(sentence)
        if "辩护人" in folded and "公诉" not in folded:
            continue
        advised = _ADVISED.search(folded)
        if advised is None or not re.search("公诉|检察|量刑建议|量刑意见|建议判处|建议对", folded):
            continue
        request: dict[str, object] = {"text": sentence[advised.start() : advised.end()].strip(" ，,。；;")}
        return {**request, **_terms(folded[advised.start() :])}
    return None


def _terms(folded: str) -> dict[str, object]:
    """Kind, months, 缓刑 and fine of a recommendation; of several crimes what is to be served."""
    folded = folded.rpartition("决定执行")[2]
    found: dict[str, object] = {}
    if match := re.search(rf"{_KIND}(?P<least>{TERM})(?:以上)?(?:至|到|-|—|~|、)?(?P<most>{TERM})(?:以下)?", folded):
        found["kind"] = match["kind"]
        least, most = months(match["least"]), months(match["most"])
        if least is not None:
            found["months"] = sorted([least, least if most is None else most])
    if match := re.search(
        rf"(?P<least>{TERM})(?:以上|至|到)(?P<most>{TERM})(?:以下)?的?(?P<kind>有期徒刑|拘役)", folded
    ):
        least, most = months(match["least"]), months(match["most"])
        if least is not None and most is not None:
            found |= {"kind": match["kind"], "months": sorted([least, most])}
    if "缓刑" in folded:
        found["probation"] = not re.search(r"不(?:适用|宜|宣告)缓刑", folded)
    if (fine := _FINE.search(folded)) and (named := sums(fine.group())):
        found["fine"] = [min(named), max(named)]
    return found


def plea_of(paper: Paper) -> dict[str, Any]:
    """How the accused stands to the charge, in the words of the judgment; without such words there is no stance."""
    told = _own(
        "\n".join(
            filter(None, (paper.part(key) for key in ("plea", "evidence", "found", "charge", "opinion", "defence")))
        )
    )
    own, reason = paper.part("plea"), _own(paper.reason)
    found: dict[str, object] = {}
    for text in (_own(own), reason, told):
        stance = next((name for name, pattern in _PLEAS if pattern.search(fold_width(text))), "")
        if stance:
            found["stance"] = stance
            break
    if not found and _CONFESSED.search(f"{reason}\n{told}"):
        found["stance"] = "guilty"
    if not found:
        return {}
    words = fold_width(f"{told}\n{reason}\n{paper.course}")
    if _SIGNED.search(words):
        found["signed"] = not _UNSIGNED.search(words)
    else:
        found["signed"] = None
    for name, word in (("facts", "事实"), ("charge", "罪名")):
        said = next((match for match in _OBJECTS.finditer(fold_width(told)) if word in match.group()), None)
        if said:
            found[name] = told[said.start() : said.end()][:2000]
    if own:
        found["text"] = own[:20_000]
    return found


def _own(text: str) -> str:
    """A text without what only the 辩护人 says."""
    clauses = (match for match in _CLAUSES.finditer(fold_width(text)) if not _COUNSELS.search(match.group()))
    return "".join(text[match.start() : match.end()] for match in clauses)


def _clean(paper: Paper) -> str:
    told = "\n".join((paper.part("found"), paper.part("charge"), paper.reason))
    return "无" if _CLEAN.search(fold_width(told)) else ""


def _victims(paper: Paper) -> list[dict[str, Any]]:
    text = fold_width("\n".join(paper.part(key) for key in ("charge", "found", "evidence")))
    named = (name for match in _VICTIM.finditer(text) for name in names_at(text, match.end(), masked=True))
    firms = (match["name"] for match in _HARMED.finditer(text))
    found: list[dict[str, object]] = [{"name": name} for name in list(dict.fromkeys([*named, *firms]))[:20]]
    if len(found) == 1 and (settled := _SETTLED.search(f"{text}\n{fold_width(paper.reason)}")):
        found[0]["settled"] = settled.group().strip()[:2000]
    return found
