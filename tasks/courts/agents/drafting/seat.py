"""The lawyer who drafts (CD, DD), by rules: asks for every element of the document, one thing a turn, then writes it.

What to ask next is worked out anew from the record: what was asked, what was learnt, what was answered roughly or not
at all. There is always a document before the last turn is over.

The document is a 民事起诉状 or a 民事答辩状 in the customary order and with the customary heads:
民事诉讼法第一百二十四条 (complaint), 第一百二十八条 (defence). What was not learnt stays open; nothing is made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from store.search.law_search import LawSearch
from store.tables import beside
from tasks.courts.agents.clients.asking import Client
from tasks.courts.agents.drafting.dossier import Dossier, Proof, learnt
from tasks.courts.play.views import CourtView
from tasks.courts.scores.drafted import END_MARK
from tasks.courts.scores.drafts import paper, party_lines, with_end_mark
from tasks.episode.actions import Move, Say

MOST = 5
"""So many times at most is one list asked for."""
RESPONDENT = "答辩人"
_COURT = "××××人民法院"
_PLACE = re.compile(
    r"(?:[\u4e00-\u9fff]{2,8}?(?:省|自治区))?[\u4e00-\u9fff]{2,8}?(?:市|自治州|盟)(?:[\u4e00-\u9fff]{1,8}?(?:区|县"
    r"|旗|市))?|(?:[\u4e00-\u9fff]{2,8}?(?:省|自治区))[\u4e00-\u9fff]{1,8}?县"
)


@dataclass(frozen=True, slots=True)
class Step:
    """A question that may be put now. essential: put even when turns run short."""

    question: str
    essential: bool = False


class Drafter:
    """Interviews a client and hands in the document."""

    def __init__(self, search: LawSearch | None = None) -> None:
        del search

    def move(self, view: CourtView) -> Move:
        """The next question, or the document with the end mark."""
        yield from ()
        client: Client = "plaintiff" if view.env == "CD" else "defendant"
        known = learnt(view.record, client, RESPONDENT if client == "defendant" else "")
        left = view.limit - view.turn
        steps = list(_steps(known))
        essential = [step for step in steps if step.essential]
        for step in steps:
            if left > 0 and (step.essential or left > len(essential)):
                return Say(step.question, view.there)
        text = complaint(known, view.day) if client == "plaintiff" else defence(known, view.held)
        # A client who says the mark would end the document in its middle.
        return Say(with_end_mark(text.replace(END_MARK, "")), view.there)


def _steps(known: Dossier) -> Iterator[Step]:
    """All questions that are open, in the order of the document."""
    yield from _identity(known)
    for slot in ("claims", "facts", "evidence") if known.client == "plaintiff" else ("defences", "evidence"):
        yield from _list(known, slot)
    unproven = any(not proof.purpose for proof in known.evidence)
    if unproven and "purpose" not in known.closed and known.asked["purpose"] < 3:
        yield Step(f"{'其余的' if known.asked['purpose'] else '这些'}证据分别能证明什么？")
    if not known.asked["witness"]:
        yield Step("有没有证人？证人的姓名和住址是什么？")


def _identity(known: Dossier) -> Iterator[Step]:
    words, own, times = beside(__package__, "interview")["identity"], known.own, known.asked["own"]
    if not times:
        yield Step(words["own"], True)
        return
    if own.get("birth_date", "日")[-1] != "日" and "own.birth_date" not in known.exact:
        yield Step(words["born"])
    if not own.get("name") and times < 2:
        yield Step(words["again"], True)
    if not own.get("contact") and "own.contact" not in known.exact and times < (3 if own.get("birth_date") else 2):
        yield Step(words["contact_company" if own.get("representative") else "contact"])
    if not known.asked["other"]:
        yield Step(words[known.client], True)
    elif known.other.get("birth_date", "日")[-1] != "日" and "other.birth_date" not in known.exact:
        yield Step(words["other_born"])


def _list(known: Dossier, slot: str) -> Iterator[Step]:
    """First the question, then what is missing of the list, then exact figures; once more where nothing was said."""
    words, times = beside(__package__, "interview")[slot], known.asked[slot]
    if not times:
        yield Step(words["first"], True)
    elif not getattr(known, slot):
        if times < 2:
            yield Step(words["again"], True)
    elif slot not in known.closed:
        if times < MOST:
            yield Step(words["more"])
    elif "exactly" in words and known.rough(slot) and slot not in known.exact:
        yield Step(words["exactly"])


def complaint(known: Dossier, day: date | None) -> str:
    """The complaint of a plaintiff."""
    claims = [f"{place}．{claim.rstrip('。；')}；" for place, claim in enumerate(known.claims, 1)]
    if claims:
        claims[-1] = claims[-1].rstrip("；") + "。"
    story = _story(known.facts)
    if story:
        story += "为维护原告合法权益，诉至法院，请求依法支持原告的诉讼请求。"
    parts = [
        _party("原告", known.own), _party("被告", known.other),
        "\n".join(["诉讼请求：", *(["请求依法判令："] if claims else []), *claims]), f"事实和理由：\n{story}",
    ]  # fmt: skip
    court = court_of(known.other.get("address", ""))
    return paper("CD", parts, _evidence(known), court, known.own.get("name", ""), day, _enclosed(known))


def defence(known: Dossier, held: Mapping[str, Any]) -> str:
    """The defence of a defendant; court, docket and cause are in the papers that the lawyer holds."""
    court = held.get("court", {})
    name, docket = str(court.get("name", "")) or _COURT, str(court.get("docket", "")) or "（　　）……民初……号"
    parties = f"原告{known.other.get('name', '')}诉被告{known.own.get('name', '')}"
    points = [f"{place}．{point.rstrip('。；')}。" for place, point in enumerate(known.defences, 1)]
    opening = f"对{name}{docket}{parties}{held.get('cause', '')}一案的起诉，答辩如下："
    parts = [_party(RESPONDENT, known.own), "\n".join([opening, *points, "综上，请求法院查明事实，依法裁判。"])]
    return paper("DD", parts, _evidence(known), name, known.own.get("name", ""), None, _enclosed(known))


def _enclosed(known: Dossier) -> str:
    return f"，证据{len(known.evidence)}份" if known.evidence else ""


def _story(clauses: Sequence[str]) -> str:
    """The clauses as sentences: a new one where a day begins, and none that ends in a comma."""
    text = re.sub(r"[，,；;](?=(?:\d{4}年)?\d{1,2}月\d{1,2}日|\d{4}年\d{1,2}月)", "。", "".join(clauses))
    return f"{text.rstrip('，,；;。')}。" if text else ""


def court_of(address: str) -> str:
    """The court of the defendant's domicile (民事诉讼法第二十二条); blank where the address does not tell the
    district."""
    match = _PLACE.match(address)
    return f"{match.group()}人民法院" if match else _COURT


def _party(role: str, known: Mapping[str, str]) -> str:
    organisation = re.search(r"公司|合作社|中心|医院|学校|厂$|店$|事务所|委员会", known.get("name", ""))
    return party_lines(role, {"representative": "", **known} if organisation else known)


def _led(before: str, value: str | None) -> str:
    return f"{before}{value}" if value else ""


def _evidence(known: Dossier) -> str:
    lines: list[str] = []
    named: set[str] = set()
    for place, proof in enumerate(known.evidence, 1):
        lines.append(f"{place}．{_exhibit(proof)}")
        if proof.witness:
            named.add(proof.witness)
            lines.append(f"证人：{proof.witness}{_led('，住', _where(proof, known.witnesses))}。")
    lines += [f"证人：{name}{_led('，住', where)}。" for name, where in known.witnesses if name not in named]
    return "\n".join(lines)


def _exhibit(proof: Proof) -> str:
    parts = [proof.title, _led("来源：", proof.source), proof.purpose]
    return "；".join(part.strip("。；") for part in parts if part) + "。"


def _where(proof: Proof, witnesses: Sequence[tuple[str, str]]) -> str:
    return proof.witness_address or next((where for name, where in witnesses if name == proof.witness), "")
