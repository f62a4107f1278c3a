"""Writes a 民事起诉状 or a 民事答辩状 from what a lawyer has learnt, in the customary order and with the customary heads.

民事诉讼法第一百二十四条 (complaint), 第一百二十八条 (defence). What was not learnt stays open; nothing is made up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from tasks.courts.agents.drafting.dossier import Dossier, Proof
from tasks.courts.scores.drafts import paper, party_lines

RESPONDENT = "答辩人"
_COURT = "××××人民法院"
_PLACE = re.compile(
    r"(?:[\u4e00-\u9fff]{2,8}?(?:省|自治区))?[\u4e00-\u9fff]{2,8}?(?:市|自治州|盟)(?:[\u4e00-\u9fff]{1,8}?(?:区|县|旗|市))?|(?:[\u4e00-\u9fff]{2,8}?(?:省|自治区))[\u4e00-\u9fff]{1,8}?县"
)


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
    """The court of the defendant's domicile (民事诉讼法第二十二条); blank where the address does not tell the district."""
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
