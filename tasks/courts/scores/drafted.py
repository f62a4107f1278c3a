"""Finds the document that a lawyer drafted and takes it apart by its labels: 民事起诉状 (CD) and 民事答辩状 (DD).

The published reading takes the last message that mentions the document and looks labels up letter by letter, wherever
they stand. The strict reading takes the last message that is one, from its title on, and labels at the head of a
line, whatever their punctuation. Elements: 民事诉讼法第一百二十四条 (complaint), 第一百二十八条 (defence).

Documents that are no agent's are made here too: the ceiling, drafted from the case, and the floor, the empty form.
Form and order are those of the law and the forms of the courts; signature and the day of a defence stay open.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from store.text.dates import plain_date
from store.text.normalise import fold_width
from tasks.courts.casefile.case import CivilCase
from tasks.courts.casefile.material import Exhibit
from tasks.courts.casefile.people import Party, party_lines

Kind = Literal["CD", "DD"]
TITLE: Mapping[str, str] = {"CD": "民事起诉状", "DD": "民事答辩状"}
END_MARK = "询问结束"
LONGEST = 30_000
"""Characters of a document that are read."""
EVIDENCE = "证据和证据来源，证人姓名和住所："


@dataclass(frozen=True, slots=True)
class SectionLabel:
    """A scored label. key: of its section; published: its letters; strict: how it may be written at the head of a
    line."""

    key: str
    published: str
    strict: re.Pattern[str]


def _headed(words: str, *, colon: bool = False) -> re.Pattern[str]:
    """A label at the head of a line, in bold, numbered or in brackets; followed by a colon, or alone on its line."""
    lead = r"^[ \t#*>【\[]{0,12}(?:[(]?[一二三四五六七八九十0-9]{1,3}[)]?[、.)]?[ \t]?)?[*【\[]{0,4}"
    tail = r"[ \t]?:" if colon else r"[ \t]?(?::|$)"
    return re.compile(rf"{lead}(?:{words})(?:\([^()\n]{{1,16}}\))?[】\]*]{{0,6}}{tail}[ \t*]{{0,6}}", re.MULTILINE)


LABELS: Mapping[str, tuple[SectionLabel, ...]] = {
    "CD": (
        SectionLabel("plaintiff", "原告：", _headed("原告", colon=True)),
        SectionLabel("defendant", "被告：", _headed("被告", colon=True)),
        SectionLabel("claims", "诉讼请求：", _headed("诉讼请求")),
        SectionLabel("facts", "事实和理由：", _headed("事实[和与及、]?理由")),
        SectionLabel("evidence", EVIDENCE,
            _headed("证据[和与及、]?(?:证据)?来源(?:[,、和及与]?证人(?:的)?姓名[和与及、]住[所址])?")),
    ),
    "DD": (
        SectionLabel("respondent", "答辩人：", _headed("答辩人", colon=True)),
        SectionLabel("answer", "答辩如下：", re.compile(r"^[^\n]{0,200}?答辩(?:意见)?如下[*]*[ \t]*(?::|$)[ \t*]*",
            re.MULTILINE)),
        SectionLabel("evidence", EVIDENCE,
            _headed("证据[和与及、]?(?:证据)?来源(?:[,、和及与]?证人(?:的)?姓名[和与及、]住[所址])?")),
    ),
}  # fmt: skip
"""Scored labels in their order. Of a defence the second is the whole sentence; its order is that of 答辩如下."""

_KINDS_OF_PARTY = re.compile(r"(原告|被告|答辩人)[（(][^（）()\n]{1,16}[）)][：:]")
_TAIL = re.compile(r"^[ \t*#]*(?:此[ \t]*致|附[:项件]|起诉人|具状人)", re.MULTILINE)
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_RUN = re.compile(r"[ \t\u3000]+")


@dataclass(frozen=True, slots=True)
class DraftDocument:
    """A document by one of the two readings.

    text: as read; sections: label key -> what stands below it; found: keys of the labels that count, in the scored
    order; ordered: whether all anchors stand in the scored order; repeated: labels that stand more than once.
    """

    kind: Kind
    text: str
    message: int
    sections: Mapping[str, str]
    found: tuple[str, ...]
    ordered: bool
    repeated: tuple[str, ...] = ()

    @property
    def labels(self) -> float:
        """Labels found over labels scored."""
        return len(self.found) / len(LABELS[self.kind])


def kind_of_case(case: CivilCase) -> Kind | None:
    """Which document a case asks for; None for a trial."""
    return case.env if case.env in ("CD", "DD") else None


def side(case: CivilCase, name: str) -> Party | None:
    """The party of a side."""
    return next((party for party in case.parties if party.side == name), None)


def opening_sentence(case: CivilCase) -> str:
    """对…人民法院（2024）…民初…号原告…诉被告……一案的起诉，答辩如下：, filled in from the case."""
    plaintiff, defendant = side(case, "plaintiff"), side(case, "defendant")
    names = f"原告{plaintiff.name if plaintiff else ''}诉被告{defendant.name if defendant else ''}"
    return f"对{case.court.name}{case.court.docket}{names}{case.cause}一案的起诉，答辩如下："


def published_document(case: CivilCase, messages: Sequence[str]) -> DraftDocument | None:
    """The document as the published code finds it; None when no message of the lawyer mentions one."""
    kind = kind_of_case(case)
    if kind is None:
        return None
    for number in range(len(messages) - 1, -1, -1):
        text = messages[number]
        if _mentions(kind, text):
            return _published(case, kind, _KINDS_OF_PARTY.sub(r"\1：", text), number)
    return None


def _mentions(kind: Kind, text: str) -> bool:
    if kind == "CD":
        return TITLE[kind] in text or all(word in text for word in ("原告", "被告", "证据和证据来源"))
    return TITLE[kind] in text and "答辩人" in text


def _published(case: CivilCase, kind: Kind, text: str, number: int) -> DraftDocument:
    places = {label.key: text.find(label.published) for label in LABELS[kind]}
    sections = {
        label.key: text[places[label.key] + len(label.published) : _next(places, places[label.key], len(text))]
        for label in LABELS[kind]
        if places[label.key] >= 0
    }
    at = list(places.values())
    found = [key for key, place in places.items() if place >= 0]
    if kind == "DD" and not _published_sentence(case, text):
        found = [key for key in found if key != "answer"]
    ordered = min(at) >= 0 and at == sorted(at)
    repeated = tuple(label.key for label in LABELS[kind] if text.count(label.published) > 1)
    return DraftDocument(kind, text, number, sections, tuple(found), ordered, repeated)


def _published_sentence(case: CivilCase, text: str) -> bool:
    """Court and docket as the case has them, then the parties and the cause, then the fixed end."""
    names = [party.name for party in case.parties]
    for match in re.finditer(re.escape(f"对{case.court.name}{case.court.docket}"), text):
        middle, end, _ = text[match.end() :].partition("一案的起诉，答辩如下：")
        if end and "\n" not in middle and "。" not in middle and all(word in middle for word in (*names, case.cause)):
            return True
    return False


def strict_document(case: CivilCase, messages: Sequence[str]) -> DraftDocument | None:
    """The last message that is a document: its title on a line and a label, or two labels. None without any."""
    kind = kind_of_case(case)
    if kind is None:
        return None
    title = re.compile(rf"^[ \t#*【《]*{TITLE[kind]}[ \t*】》]*$", re.MULTILINE)
    for number in range(len(messages) - 1, -1, -1):
        text = _RUN.sub(" ", fold_width(_THOUGHT.sub("", messages[number][: 2 * LONGEST]).replace("\r\n", "\n")))
        headed = title.search(text)
        text = text[headed.end() if headed else 0 :][:LONGEST]
        document = _strict(case, kind, text.partition(END_MARK)[0], number)
        if len(document.sections) >= (1 if headed else 2):
            return document
    return None


def _strict(case: CivilCase, kind: Kind, text: str, number: int) -> DraftDocument:
    matches = {label.key: list(label.strict.finditer(text)) for label in LABELS[kind]}
    first = {key: found[0] for key, found in matches.items() if found}
    places = {key: match.start() for key, match in first.items()}
    # The signature 答辩人：… repeats a label, rightly: only what stands before 此致 is counted.
    last = max(places.values(), default=0)
    tail = next((match.start() for match in _TAIL.finditer(text) if match.start() > last), len(text))
    sections = {key: text[match.end() : _next(places, places[key], tail)].strip() for key, match in first.items()}
    found = [key for key in (label.key for label in LABELS[kind]) if key in first]
    if "answer" in first and not _strict_sentence(case, first["answer"].group()):
        found.remove("answer")
    at = [places.get(label.key, -1) for label in LABELS[kind]]
    repeated = tuple(key for key, hits in matches.items() if sum(hit.start() < tail for hit in hits) > 1)
    return DraftDocument(kind, text, number, sections, tuple(found), min(at) >= 0 and at == sorted(at), repeated)


def _strict_sentence(case: CivilCase, sentence: str) -> bool:
    """Whether the opening sentence of a defence names what is answered: court, docket, the plaintiff and the
    cause."""
    plaintiff = side(case, "plaintiff")
    said = bare(sentence)
    wanted = (case.court.name, case.court.docket, plaintiff.name if plaintiff else "", case.cause)
    return "一案" in said and all(bare(word) in said for word in wanted)


def _next(places: Mapping[str, int], place: int, end: int) -> int:
    return min((other for other in places.values() if other > place), default=max(end, place))


_BRACKETS = str.maketrans("〔〕[]【】", "()()()")


def bare(text: str) -> str:
    """A text in half-width forms without blanks, all brackets round."""
    return "".join(fold_width(text).translate(_BRACKETS).split())


def own_exhibits(case: CivilCase, kind: Kind) -> list[Exhibit]:
    """The exhibits of the side that the document is drafted for."""
    party = side(case, "plaintiff" if kind == "CD" else "defendant")
    return [exhibit for exhibit in case.evidence if party is not None and exhibit.owner == party.id]


# --- documents that are no agent's ----------------------------------------------------------------------------------

FLOOR_REPLY = "请您介绍一下案件的情况。"
"""The fixed formula of a lawyer who never drafts: every score is 0."""


def ceiling_document(case: CivilCase) -> str:
    """The document with everything the client can tell; ValueError for a case that asks for none."""
    kind = kind_of_case(case)
    if kind is None:
        raise ValueError(f"{case.id} asks for no document")
    return _complaint(case) if kind == "CD" else _defence(case)


def floor_document(kind: Kind) -> str:
    """The empty form: what the order and the labels alone are worth."""
    heads = {
        "CD": ["原告：", "被告：", "诉讼请求：", "事实和理由：", EVIDENCE],
        "DD": ["答辩人：", "对××××人民法院（××××）……民初……号……一案的起诉，答辩如下：", EVIDENCE],
    }
    signed = "起诉人：" if kind == "CD" else "答辩人："
    return "\n\n".join([TITLE[kind], *heads[kind], "此致\n××××人民法院", signed])


def with_end_mark(document: str) -> str:
    """The document as the lawyer's last message."""
    return f"{document}\n\n{END_MARK}"


def _complaint(case: CivilCase) -> str:
    plaintiff, defendant = side(case, "plaintiff"), side(case, "defendant")
    claims = [f"{number}．{_ended(claim.text, '；')}" for number, claim in enumerate(case.claims, 1)]
    claims[-1] = _ended(claims[-1].rstrip("；"), "。")
    story = case.complaint or "".join(_ended(fact.text, "。") for fact in case.facts)
    parts = [
        _party("原告", plaintiff, counsel=case.dates.filed is not None), _party("被告", defendant),
        "诉讼请求：\n" + "\n".join(claims),
        f"事实和理由：\n{story}",
    ]  # fmt: skip
    return _document(case, "CD", parts, plaintiff, plain_date(case.dates.filed))


def _defence(case: CivilCase) -> str:
    defendant = side(case, "defendant")
    points = "\n".join(f"{number}．{_ended(defence.text, '。')}" for number, defence in enumerate(case.defences, 1))
    lead = _party("答辩人", defendant, counsel=case.dates.filed is not None)
    return _document(case, "DD", [lead, f"{opening_sentence(case)}\n{points or case.answer}"], defendant, "")


def _document(case: CivilCase, kind: Kind, parts: Sequence[str], signed: Party | None, day: str) -> str:
    """A document in the customary order; `parts`: what stands between the title and the evidence."""
    name, who = {"CD": ("起诉状", "起诉人"), "DD": ("答辩状", "答辩人")}[kind]
    ending = (
        f"{EVIDENCE}\n{_exhibits(case, kind) or '无。'}",
        f"此致\n{case.court.name or '××××人民法院'}",
        f"附：本{name}副本1份",
        f"{who}：{signed.name if signed else ''}\n{day or '　　年　月　日'}",
    )
    return "\n\n".join([TITLE[kind], *parts, *ending])


def _party(role: str, party: Party | None, *, counsel: bool = False) -> str:
    """A party with its way of contact: 原告：…，男，1979年4月12日出生，汉族，…，住…。联系方式：…."""
    if party is None:
        return f"{role}："
    contact = [f"联系方式：{party.contact}。"] if party.contact else []
    return "\n".join([*party_lines(role, party, counsel=counsel), *contact])


def _exhibits(case: CivilCase, kind: Kind) -> str:
    lines = []
    for number, exhibit in enumerate(own_exhibits(case, kind), 1):
        source = f"来源：{exhibit.source}；" if exhibit.source else ""
        lines.append(f"{number}．{exhibit.title}（{exhibit.kind}）；{source}{_ended(exhibit.purpose, '。')}")
        if exhibit.witness:
            where = f"，住{exhibit.witness.address}" if exhibit.witness.address else ""
            lines.append(f"证人：{exhibit.witness.name}{where}。")
    return "\n".join(lines)


def _ended(text: str, mark: str) -> str:
    return text.rstrip("。；;.") + mark
