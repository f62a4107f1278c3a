"""What a criminal judgment or record tells of the accused: charges, 量刑建议, plea, 前科 and 强制措施."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from store.text.dates import ANY_TERM, days, months_in
from store.text.ideographs import HAN
from store.text.money import named_sums
from store.text.normalise import fold_width
from tasks.courts.casefile.judgment import JudgmentText, sentences

_INDICTED = re.compile(r"指控(?:被告人)?[^,。;]{0,16}?犯(?:有)?(?P<names>[^,。;]{2,60}?罪)(?=[,。;]|一案|的|$)")
_NAMED = re.compile(rf"(?:构成|以)(?P<name>[{HAN}、]{{2,30}}?罪)(?=[,。;]|追究)")
_KIND = r"(?P<kind>有期徒刑|拘役|管制)"
_ADVISED = re.compile(r"(?:建议|量刑(?:意见|建议))[^。]{0,80}?(?:判处|处以|处(?=[有拘管罚])|在|适用|科处|以)[^。]*")
_ADVISERS = re.compile(r"公诉|检察|量刑建议|量刑意见|建议判处|建议对")
_FINE = re.compile(r"罚金[^,。;]{0,40}")
_PLEAS = {
    "not_guilty": re.compile(
        r"被告人(?![^。]{0,14}(?:如实|自愿))[^。;]{0,60}?(?:不构成(?:犯罪|[^,。;]{2,12}罪)|(?<!不)无罪(?:的)?辩解"
        r"|辩称[^。;]{0,20}?(?:无罪|没有(?:犯罪|实施))"
        r"|拒不(?:认罪|供认)|不认罪|否认(?:指控|控罪|犯罪|起诉)|指控[^。;,]{0,6}不(?:属实|是事实))"
        r"|庭审中[^。]{0,40}无罪辩解"
    ),
    "partial": re.compile(
        r"被告人[^。;]{0,40}?对[^。;]{0,30}?(?:罪名|数额|金额|部分|情节|定性)[^。;]{0,12}?(?<!没)(?<!均无)(?<!无)"
        r"(?:有|提出)异议"
        r"|被告人[^。;]{0,30}?(?:只|仅)?承认[^。;]{0,20}?(?:但|否认)"
    ),
    "guilty": re.compile(
        r"(?:被告人?|其|上述事实)[^。;]{0,60}?(?:对[^。;]{0,60}?(?:均|亦)?(?:没有|无|未提出|不持)(?:任何)?异议"
        r"|(?:均|亦)?(?:没有|无)异议|供认|(?:自愿|当庭|庭审中|能)[^,。;]{0,8}?认罪"
        r"|认罪认罚|具结悔过|认罪(?:态度|悔罪)|认罪、悔罪|表示认罪)"
    ),
}
"""How the accused stands to the charge -> words of the judgment that say so; the first that fits."""
_CLAUSES = re.compile(r"[^。;\n]+[。;\n]?|[。;\n]")
_COUNSELS = re.compile(r"(?<!及其)(?<!和其)辩护人")
_OBJECTS = re.compile(r"被告人[^。;\n]{0,80}?(?:没有|无|有|未提出|不持)(?:任何)?异议")
_CONFESSED = re.compile(r"如实(?:供述|交代|陈述)")
_SIGNED = re.compile(r"(?:签署|签字|出具|提交)[^。;]{0,16}?具结|具结书|签字具结")
_UNSIGNED = re.compile(r"(?:未|没有|拒绝|拒不|不愿|不同意)[^,。;]{0,8}(?:签署|签字|签订|具结)")


def charges_of(paper: JudgmentText) -> list[str]:
    """指控的罪名, from the course of the case or the charge itself."""
    for text in (paper.course, paper.part("charge"), paper.part("opinion"), paper.reason):
        if match := _INDICTED.search(fold_width(text)):
            return [name for name in re.split(r"(?<=罪)(?:、|和|与|及)", match["names"]) if name.endswith("罪")]
    named = _NAMED.search(fold_width(paper.part("opinion")))
    return [named["name"]] if named else []


def request_of(paper: JudgmentText) -> dict[str, Any] | None:
    """量刑建议, its text and what can be read of it."""
    for sentence in sentences("\n".join((paper.all_of("opinion charge"), paper.reason))):
        folded = fold_width(sentence)
        if "辩护人" in folded and "公诉" not in folded:
            continue
        if (advised := _ADVISED.search(folded)) and _ADVISERS.search(folded):
            text = sentence[advised.start() : advised.end()].strip(" ，,。；;")
            return {"text": text, **_terms(folded[advised.start() :])}
    return None


def _terms(folded: str) -> dict[str, object]:
    """Kind, months, 缓刑 and fine of a recommendation; of several crimes what is to be served."""
    folded = folded.rpartition("决定执行")[2]
    found: dict[str, object] = {}
    one = re.search(rf"{_KIND}(?P<least>{ANY_TERM})(?:以上)?(?:至|到|-|—|~|、)?(?P<most>{ANY_TERM})(?:以下)?", folded)
    several = re.search(
        rf"(?P<least>{ANY_TERM})(?:以上|至|到)(?P<most>{ANY_TERM})(?:以下)?的?(?P<kind>有期徒刑|拘役)", folded
    )
    for match in filter(None, (one, several)):
        least, most = months_in(match["least"]), months_in(match["most"])
        if match is one:
            found["kind"] = match["kind"]
            most = least if most is None else most
        if least is not None and most is not None:
            found |= {"kind": match["kind"], "months": sorted([least, most])}
    if "缓刑" in folded:
        found["probation"] = not re.search(r"不(?:适用|宜|宣告)缓刑", folded)
    if (fine := _FINE.search(folded)) and (named := [one.amount for one in named_sums(fine.group())]):
        found["fine"] = [min(named), max(named)]
    return found


def plea_of(paper: JudgmentText) -> dict[str, Any]:
    """How the accused stands to the charge, in the words of the judgment; without such words there is no stance."""
    told, own = _own(paper.all_of("plea evidence found charge opinion defence")), paper.part("plea")
    reason = _own(paper.reason)
    texts = [fold_width(text) for text in (_own(own), reason, told)]
    stances = (name for text in texts for name, pattern in _PLEAS.items() if pattern.search(text))
    stance = next(stances, "guilty" if _CONFESSED.search(f"{reason}\n{told}") else "")
    if not stance:
        return {}
    words = fold_width(f"{told}\n{reason}\n{paper.course}")
    found: dict[str, object] = {"stance": stance, "signed": None}
    if _SIGNED.search(words):
        found["signed"] = not _UNSIGNED.search(words)
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


# --- before the trial -----------------------------------------------------------------------------------------------

_MEASURES = ("指定居所监视居住", "监视居住", "取保候审", "逮捕", "拘留")
_MEASURE = re.compile(r"(?P<measure>指定居所监视居住|监视居住|取保候审|(?:执行|批准)?逮捕|(?:刑事)?拘留)")
_PUNISHED = r"行政拘留|司法拘留|拘留[0-9一二三四五六七八九十]{1,3}[日天]"
_NOT_CUSTODY = re.compile(rf"{_PUNISHED}|(?:决定|批准|不)(?:予)?逮捕(?:,|。|$)|解除|撤销")
_EARLIER = re.compile(rf"{_PUNISHED}|曾因|判处|刑满")
_HELD = re.compile(r"羁押|涉嫌|因本案")
_PLACE = re.compile(r"(?:现)?羁押于(?P<place>[^,。;]{2,30})")
_RECORD = re.compile(r"曾因|因犯|前科|刑满释放|行政处罚|劣迹|判处|累犯|行政拘留|违法犯罪记录")
_DAY_ALONE = re.compile(r"\s*[于自]?(?:[0-9]{4}年|同年)?[0-9]{1,2}月[0-9]{1,2}日[,;]?\s*")
_CLAUSE = re.compile(r"[^,;。\n]+[,;。\n]*")


@dataclass(frozen=True, slots=True)
class AccusedRecord:
    """record: 前科劣迹, "" where the text tells none; custody: as a case file writes it; rest: what is neither, or
    has no day."""

    record: str
    custody: tuple[dict[str, Any], ...]
    rest: str


def standing_of(text: str) -> AccusedRecord:
    """Sentence by sentence: what lies between the first and the last clause on measures of this case is custody, what
    else tells of punishments is the record.
    """
    record: list[str] = []
    custody: list[str] = []
    rest: list[str] = []
    for sentence in re.findall(r"[^。\n]+[。\n]?", text):
        clauses = [sentence[match.start() : match.end()] for match in _CLAUSE.finditer(fold_width(sentence))]
        held = [place for place, clause in enumerate(clauses) if _is_custody(fold_width(clause))]
        first, last = (held[0], held[-1] + 1) if held else (0, 0)
        # A day may stand before the measure in a clause of its own.
        if first and _DAY_ALONE.fullmatch(fold_width(clauses[first - 1])):
            first -= 1
        custody.append("".join(clauses[first:last]))
        other = "".join([*clauses[:first], *clauses[last:]])
        (record if _RECORD.search(fold_width(other)) else rest).append(other)
    told = _custody("".join(custody))
    undated = "".join(custody) if not told else ""
    return AccusedRecord(_whole(record), tuple(told), _whole([*rest, undated]))


def _whole(parts: list[str]) -> str:
    return "".join(parts).strip(" ,，;；\n")


def _is_custody(clause: str) -> bool:
    return not _EARLIER.search(clause) and bool(_HELD.search(clause) or _MEASURE.search(clause))


def _custody(told: str) -> list[dict[str, Any]]:
    """强制措施 with the day from which each holds; the next one ends it."""
    folded, named = fold_width(told), list(days(told))
    found: list[dict[str, Any]] = []
    for place, day in enumerate(named):
        until = named[place + 1].start if place + 1 < len(named) else len(folded)
        clause = folded[day.end : until].partition("。")[0]
        match = _MEASURE.search(clause)
        if match is None or _NOT_CUSTODY.search(clause[: match.end() + 6]):
            continue
        measure = next(name for name in _MEASURES if name in match["measure"])
        if found:
            found[-1]["until"] = day.day.isoformat()
        found.append({"measure": measure, "since": day.day.isoformat()})
    if found and (place_match := _PLACE.search(folded)):
        found[-1]["place"] = told[place_match.start("place") : place_match.end("place")]
    return found
