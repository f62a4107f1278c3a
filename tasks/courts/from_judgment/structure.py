"""A judgment taken apart: its heading (title, court, docket number, the people named before the story begins) and its
sections, found by the words with which courts open them (《人民法院民事裁判文书制作规范》, 法院刑事诉讼文书样式).

Text is matched in its folded form, whose length is that of the text, and cut from the text as it stands. What opens a
section is data, `sections.toml`. Constellations that a case file cannot hold are refused by name, as its validator
refuses them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from store.errors import BadInput
from store.tables import beside, filled
from store.text.ideographs import HAN
from store.text.normalise import fold_width
from tasks.courts.casefile.judgment import STARTS, Env, JudgmentText
from tasks.courts.casefile.loading import CaseFault
from tasks.courts.casefile.names import is_organisation
from tasks.courts.casefile.people import REFUSED_ROLES
from tasks.courts.casefile.sense import too_many, wrong

_SEEN = 40
"""Lines of a heading that are looked at for title and docket number."""
_TITLE = re.compile(
    r"[^。,;:\n]{0,40}?(?P<field>民事|刑事|行政|赔偿|执行)?(?P<civil>附带民事)?(?P<kind>判决书|裁定书|调解书|决定书"
    r"|支付令|起诉书|起诉状|答辩状|笔录)(?:\([^()]{0,12}\))?"
)
_DOCKET = re.compile(
    r"\( ?[12][0-9]{3} ?\)[^\s(),。;:]{1,16}?字?(?:第)? ?[0-9-]{1,12} ?号(?:之[一二三四五六七八九十])?"
)
_STEP = re.compile(r"(?P<field>[民刑行执商知赔])[^\d]{0,4}?(?P<step>初|终|再|申|监|抗|提|特|督|破|复)")
_COURT = re.compile(
    rf"(?:中华人民共和国)?(?P<court>[{HAN}]{{2,24}}?(?:人民法院|法院|法庭))(?:[民刑行]事.{{0,12}}书)?$"
)
_ROLE = re.compile(
    r"^(?:[一二两三四五六七八九十上列述以]{0,4}(?:原告|被告|被告人)(?:的)?(?:共同)?(?=委托|辩护|法定|诉讼代))?"
    r"(?:共同)?"
    r"(?P<role>附带民事诉讼原告人?|附带民事诉讼被告人?|附带民事公益诉讼起诉人|反诉原告|反诉被告|公诉机关|抗诉机关"
    r"|被告单位|被告人|自诉人|上诉人|被上诉人|原审原告|原审被告人?|再审申请人|申诉人"
    r"|原告|被告|第三人|被害人|被害单位|法定代表人|主要负责人|代表人|负责人|经营者|投资人|执行事务合伙人|法定代理人"
    r"|指定代理人|委托诉讼代理人|委托代理人|诉讼代理人|诉讼代表人|指定辩护人|辩护人|翻译人员|翻译)"
    r"(?P<note>\([^()\n]{0,30}\))?(?:[一二三四五六七八九十0-9]{1,2}(?=[:,]))?[ :]{0,3}(?P<rest>.*)$"
)
_NAME = re.compile(
    r"[A-Za-z][A-Za-z.'-]*(?:,? [A-Za-z][A-Za-z.'-]*){1,5}|[^,。;:\s(]{1,60}"
    r"(?:\((?!以下|原名|曾用|反诉|下称|又名|系|女|男|特别|一般)[^()]{1,20}\)[^,。;:\s(]{1,40})?"
)
_SHORT = re.compile(r"\((?:以下)?(?:简称|称)(?:为|:)?[“\"]?(?P<short>[^()“”\"]{2,30})[”\"]?\)")
_FORMER = re.compile(
    rf"(?:曾用名|又名|别名|化名|绰号|自报名)(?:为|:)?[“\"]?(?P<name>[{HAN}]{{2,4}})[”\"]?(?=[,。()]|$)"
)
_BRACKET = re.compile(rf"^[^(),。;]+\((?P<name>[{HAN}·]{{2,20}}|[A-Za-z .,'-]{{4,40}})\)(?=[,。;]|$)")
"""Another name of the same person: 张三（张小三），男."""
_TOLD_TOO = re.compile(
    r"(?<=[。;]) *(?=(?:委托(?:诉讼)?代理人|法定代表人|法定代理人|主要负责人|负责人|经营者|"
    rf"(?:指定)?辩护人)[:{HAN}])"
)
PARTY = ("原告", "被告", "被告人")
SPEAKS_FOR = ("法定代表人", "主要负责人", "代表人", "负责人", "经营者", "投资人", "执行事务合伙人")
COUNSEL = ("委托诉讼代理人", "委托代理人", "诉讼代理人", "辩护人", "指定辩护人")
_FIRST_ONLY = "Only first-instance judgments (一审判决书) make a case."
_NO_SEAT = "Only plaintiff and defendant have seats."
_REFUSED: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("第三人",), f"{REFUSED_ROLES['third_party']} takes no seat in a trial here",
     f"{_NO_SEAT} Choose a judgment without one."),
    (("附带民事诉讼原告人", "附带民事诉讼原告", "附带民事诉讼被告人", "附带民事诉讼被告", "附带民事公益诉讼起诉人"),
     f"{REFUSED_ROLES['civil_plaintiff']} takes no seat in a trial here", "Choose a judgment without 附带民事诉讼."),
    (("法定代理人", "指定代理人"),
     f"{REFUSED_ROLES['guardian']} takes no seat in a trial here: a party is a minor or cannot sue alone", _NO_SEAT),
    (("反诉原告", "反诉被告"), "there is a counterclaim (反诉); one claim side sues the other here",
     "Choose a judgment without 反诉."),
    (("被告单位", "诉讼代表人"), "a company is accused (单位犯罪)", "Only natural persons can be tried here."),
    (("自诉人",), "a private prosecution (自诉) has no 公诉人", "Choose a case that a 人民检察院 prosecutes."),
    (("上诉人", "被上诉人", "抗诉机关", "原审原告", "原审被告", "原审被告人", "再审申请人", "申诉人"),
     "it is a judgment of a later instance", _FIRST_ONLY),
)  # fmt: skip
"""Roles of a heading -> why there is no case, and what to do."""
_LATER, _OTHER_STEPS = frozenset("终再申监抗提复"), frozenset("特督破")


@dataclass(frozen=True, slots=True)
class HeadingEntry:
    """Somebody in the heading: role as written, name, and the paragraph that tells the rest."""

    role: str
    note: str
    name: str
    words: str

    @property
    def is_company(self) -> bool:
        """Whether the party is an organisation."""
        folded = fold_width(self.words)
        told = "统一社会信用代码" in folded or "住所地" in folded and not re.search(r",[男女](?=[,。])", folded)
        return is_organisation(self.name) or told

    @property
    def aliases(self) -> tuple[str, ...]:
        """Short and former names that the heading gives."""
        folded = fold_width(self.words)
        return tuple(match[1] for pattern in (_SHORT, _FORMER, _BRACKET) for match in pattern.finditer(folded))

    def aliases_in(self, folded: str) -> tuple[str, ...]:
        """Short names that a text gives where it first names the party: …公司（以下简称启明公司）."""
        found = (_SHORT.match(folded, match.end()) for match in re.finditer(re.escape(fold_width(self.name)), folded))
        return tuple(dict.fromkeys([*self.aliases, *(match["short"] for match in found if match)]))


@dataclass(frozen=True, slots=True)
class JudgmentHeading:
    """What stands before the story."""

    title: str
    court: str
    docket: str
    entries: tuple[HeadingEntry, ...]

    def of(self, role: str) -> list[HeadingEntry]:
        """Everybody with a role."""
        return [entry for entry in self.entries if entry.role == role]


def kind_of(text: str, label: str) -> Env:
    """Civil or criminal judgment of first instance.

    Raises:
        BadInput: another kind of document, or another instance.
    """
    folded = fold_width(text)
    lines = folded.split("\n")
    title = next(filter(None, map(_title, lines[:_SEEN])), None)
    if title and title["kind"] != "判决书":
        raise BadInput(
            f"{label} is a {title['kind']}, no judgment", "Only first-instance judgments (判决书) make a case."
        )
    if title and title["civil"]:
        raise CaseFault(label, [wrong("parties", _REFUSED[1][1], _REFUSED[1][2])])
    if title and title["field"] in ("行政", "赔偿", "执行"):
        what = f"{label} is a judgment in {title['field']} matters"
        raise BadInput(what, "Only civil and criminal judgments make a case.")
    if "判决如下" not in folded:
        kind = next((word for word in ("裁定如下", "决定如下", "达成如下协议") if word in folded), "")
        what = f"is no judgment ({kind})" if kind else "is no judgment: it has no 判决如下"
        raise BadInput(f"{label} {what}", "Give the full text of a first-instance judgment (判决书).")
    number = docket_in(lines)
    docket = _STEP.search(number)
    field, step = (docket["field"], docket["step"]) if docket else ("", "")
    later = number if step in _LATER else title[0] if title and re.search("二审|再审|终审", title[0]) else ""
    if later:
        raise BadInput(f"{label} is a judgment of a later instance ({later})", _FIRST_ONLY)
    if step in _OTHER_STEPS or field in ("行", "执", "赔"):
        raise BadInput(f"{label} is no ordinary civil or criminal case ({number})", _FIRST_ONLY)
    accused, sued = folded.count("被告人"), len(re.findall(r"原告|被告(?!人)", folded))
    named = _ENVS.get(title["field"] if title else "") or _ENVS.get(field)
    env = named or ("CR" if accused > sued else "CI" if sued else None)
    if env is None:
        what = f"{label} has neither 原告 and 被告 nor a 被告人"
        raise BadInput(what, "Give the full text of a first-instance judgment.")
    return env


def _title(folded: str) -> re.Match[str] | None:
    return _TITLE.fullmatch(folded) if len(folded) < 60 else None


_ENVS: dict[str, Env] = {"民事": "CI", "刑事": "CR", "民": "CI", "商": "CI", "知": "CI", "刑": "CR"}


def docket_in(lines: Sequence[str]) -> str:
    """The docket number of a heading."""
    for line in lines[:_SEEN]:
        if (match := _DOCKET.search(fold_width(line))) and len(line) < 80:
            return line[match.start() : match.end()].replace(" ", "")
    return ""


def judgment_alone(text: str) -> tuple[str, str]:
    """The first judgment of a file, without what a page puts around it; a note where a second one follows."""
    lines = text.split("\n")
    folded = [fold_width(line) for line in lines]
    rules = next((place for place, line in enumerate(folded) if "判决如下" in line), len(lines))
    titles = [place for place, line in enumerate(folded) if _title(line)]
    start = max((place for place in titles if place < rules), default=0)
    while start and len(lines[start - 1]) < 40 and _COURT.search(folded[start - 1]):
        start -= 1
    end = next((place for place in titles if place > rules), len(lines))
    while rules < end < len(lines) and _COURT.search(folded[end - 1]):
        end -= 1
    note = "the file holds another document behind the first judgment; it was not read" if end < len(lines) else ""
    return "\n".join(lines[start:end]), note


def heading_of(head: Sequence[str], env: Env) -> JudgmentHeading:
    """What the lines before the story say."""
    title = court = ""
    entries: list[HeadingEntry] = []
    for line in _split(head):
        folded = fold_width(line)
        if not title and (match := _title(folded)):
            title = match["kind"]
        if not court and not entries and len(line) < 60 and (found := _COURT.search(folded)):
            court = found["court"]
            continue
        match = _ROLE.match(folded)
        if match is None:
            if entries and env == "CR" and entries[-1].role == "被告人":
                last = entries[-1]
                entries[-1] = HeadingEntry(last.role, last.note, last.name, f"{last.words}{line}")
            continue
        rest = line[match.start("rest") :]
        name = _NAME.match(folded[match.start("rest") :])
        for one in rest[: name.end()].split("、") if name else ():
            if one.strip():
                entries.append(HeadingEntry(match["role"], match["note"] or "", one.strip(), rest))
    return JudgmentHeading(title, court, docket_in(head), tuple(entries))


def _split(head: Sequence[str]) -> Iterator[str]:
    for line in head:
        cuts = [0, *(match.start() for match in _TOLD_TOO.finditer(fold_width(line))), len(line)]
        yield from (part for start, end in zip(cuts, cuts[1:], strict=False) if (part := line[start:end].strip()))


def refuse(heading: JudgmentHeading, accused: Sequence[str], env: Env, label: str) -> None:
    """Refuse what a case file cannot hold: `CaseFault` with all reasons. accused: names that the rulings speak of as
    被告人, where the heading is missing."""
    faults = [
        wrong("parties", what, todo)
        for roles, what, todo in _REFUSED
        if any(entry.role in roles or any(role in entry.note for role in roles) for entry in heading.entries)
    ]
    names = {role: {entry.name for entry in heading.of(role)} for role in PARTY}
    several = names["被告"] if env == "CI" else names["被告人"] or set(accused)
    faults += too_many(env == "CR", len(names["原告"]), len(several))
    if faults:
        raise CaseFault(label, faults)


# --- sections -------------------------------------------------------------------------------------------------------

_RULES = re.compile(r"判决如下[ \t]*[:;,。]?")
_REASON = re.compile(rf"{STARTS}(?:本院(?:经审理|经审查|经评议|依法)?认为)[:,]?", re.MULTILINE)
_TAIL = re.compile(
    rf"{STARTS}(?:如不服本|如对本判决不服|不服本判决|当事人不服"
    r"|(?:审判长|独任审判员|代理审判员|审判员|书记员)[ :]|本判决为终审)"
    rf"|^(?:审判长|代理审判员|审判员|人民陪审员)(?=[{HAN}]{{2,4}}$)",
    re.MULTILINE,
)
_BASIS = re.compile(r"(?:依照|依据|根据|按照|适用)(?=[^。;\n《]{0,20}《|[^。;\n《]{0,30}(?:法|条例|规定|解释)第)")
_LEAD = re.compile(r"[,;]?(?:综上(?:所述)?|据此|为此|故|现|并)?[,;]?$")
_COURSE = re.compile(
    r"^(?:原告.{0,160}?(?:一案|纠纷案)|[^\n]{0,60}?(?:人民检察院)[^\n]{0,40}?(?:起诉书|指控|提起公诉)"
    r"|[^\n]{0,80}?(?:一案)[^\n]{0,20}?(?:本院|现已))",
    re.MULTILINE,
)
"""The paragraph that tells the course of the case: the parties are named before it."""


@cache
def anchors(env: Env) -> Mapping[str, str]:
    """Part -> what opens it, at the head of a sentence."""
    table = beside(__package__, "sections")
    return {key: filled(words, table["parts"]) for key, words in table[env].items()}


def taken_apart(text: str, env: Env) -> JudgmentText:
    """A judgment in its parts; the text holds 判决如下."""
    folded = fold_width(text)
    rules = list(_RULES.finditer(folded))
    ruled_from, ruled = rules[-1].span() if rules else (len(text), len(text))
    end = _TAIL.search(folded, ruled)
    stop = end.start() if end else len(text)
    found = [(key, start) for key, start in _anchored(folded, env) if start < ruled_from]
    begin = _reason_start(folded, ruled_from, max((start for key, start in found if key == "found"), default=0))
    first = min([start for _, start in found] + [begin])
    course = _COURSE.search(folded[:first])
    named = course.start() if course else first
    head = tuple(filter(None, map(str.strip, text[:named].split("\n"))))
    reason, laws = _reason_and_laws(text[begin:ruled_from])
    parts = _parts(text[:begin], [place for place in found if place[1] < begin])
    decided = text[ruled:stop].strip().lstrip("：:；;，,。 ")
    return JudgmentText(env, text, head, text[named:first].strip(), parts, reason, laws, decided, text[stop:].strip())


def _anchored(folded: str, env: Env) -> list[tuple[str, int]]:
    """Parts and where they begin. What tells why somebody stayed away before any claim belongs to the course of the
    case."""
    named = "|".join(f"(?P<{key}>{words})" for key, words in anchors(env).items())
    marks = re.finditer(f"{STARTS}(?:{named})", folded, re.MULTILINE)
    found = [(mark.lastgroup or "", mark.start()) for mark in marks]
    openings = {"CI": ("claims", "told", "complaint"), "CR": ("charge", "found")}[env]
    first = next((place for place, (key, _) in enumerate(found) if key in openings), None)
    return [] if first is None else found[first:]


def _reason_start(folded: str, stop: int, after: int) -> int:
    """Where 本院认为 begins: the first at the head of a paragraph behind the facts, else the first behind them."""
    places = [match.start() for match in _REASON.finditer(folded, after, stop)]
    heads = [place for place in places if place == 0 or folded[place - 1] == "\n"]
    plain = folded.rfind("本院认为", after, stop)
    return next(iter(heads or places), plain if plain >= 0 else stop)


def _parts(text: str, found: list[tuple[str, int]]) -> dict[str, str]:
    parts: dict[str, list[str]] = {}
    ends = [start for _, start in found[1:]] + [len(text)] * bool(found)
    for (key, start), end in zip(found, ends, strict=True):
        parts.setdefault(key, []).append(text[start:end].strip())
    return {key: "\n".join(filter(None, pieces)) for key, pieces in parts.items()}


def _reason_and_laws(text: str) -> tuple[str, str]:
    """The reasons and the clause 依照《…》第…条 at their end."""
    folded = fold_width(text)
    floor = max(0, len(folded) - 3000)
    for match in reversed(list(_BASIS.finditer(folded, floor))):
        behind = folded[match.start() :]
        if behind.rstrip("。;,:\n 之的规定").count("。") == 0 and "条" in behind:
            start = match.start()
            # A list of laws goes on: the clause begins at the first 依照 of its sentence.
            sentence = max(folded.rfind(sign, 0, start) for sign in "。\n;") + 1
            first = _BASIS.search(folded, sentence)
            start = first.start() if first else start
            lead = _LEAD.search(folded[:start])
            return _bare(text[: lead.start() if lead else start]), text[start:].strip(" \t\n，,：:")
    return _bare(text), ""


def _bare(reason: str) -> str:
    match = _REASON.match(fold_width(reason))
    return (reason[match.end() :] if match else reason).strip(" \t\n：:，,")


def opened(paper: JudgmentText, key: str) -> str:
    """The words of a part without those that open it."""
    text = paper.part(key)
    match = re.match(rf"[ \t]*(?:{anchors(paper.env)[key]})[ \t:,]*", fold_width(text))
    return text[match.end() if match else 0 :].lstrip(" ，,：:\n")
