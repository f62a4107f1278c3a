"""Fields of the published records -> fields of a case file: what the environments share, and those of advice.

Total: what cannot be read is noted as dropped, never raised. What is derived is read by the readers of
    `from_judgment`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from store.text.dates import parse_date
from tasks.courts.casefile.exhibits import exhibit_of, exhibits
from tasks.courts.casefile.judgment import procedure_in
from tasks.courts.casefile.ruled import laws_of

NOTHING = frozenset(("", "无", "没有", "-", "无异议", "不详", "未知", "未载明", "none", "null"))
"""What records write where there is nothing."""
STYLE = "behavioral_style"
_YES, _NO = re.compile(r"^(?:是|对|可以|能|有|需要|应当)"), re.compile(r"^(?:否|不|没有|无)")
_SEXES = {"男": "男", "女": "女", "男性": "男", "女性": "女", "male": "男", "female": "女"}
_TRIED = re.compile(r"适用[^。，；]{0,4}程序[^。，；]{0,12}审[理判]")


class Notes:
    """What an import filled in and dropped, in words."""

    def __init__(self) -> None:
        self.filled: list[str] = []
        self.dropped: list[str] = []

    def fill(self, what: str) -> None:
        """A field of the case that the record does not give."""
        if what not in self.filled:
            self.filled.append(what)

    def drop(self, what: str) -> None:
        """A field of the record that the case does not take over."""
        if what not in self.dropped:
            self.dropped.append(what)

    def text(self, value: object, where: str) -> str:
        """A value as text; what is no text or number is dropped."""
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value).strip()
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            return "\n".join(value).strip()
        if value is not None:
            self.drop(where)
        return ""

    def said(self, value: object, where: str) -> str:
        """A text that says something; "" for 无 and its like."""
        text = self.text(value, where)
        return "" if text.lower() in NOTHING else text

    def texts(self, value: object, where: str) -> list[str]:
        """A list of texts, also from one text or a table of them."""
        if isinstance(value, dict):
            value = list(value.values())
        items = value if isinstance(value, list) else [] if value is None else [value]
        return [text for number, item in enumerate(items) if (text := self.text(item, f"{where}[{number}]"))]

    def inner(self, value: object, where: str) -> dict[str, Any]:
        """A table; anything else is dropped."""
        if isinstance(value, dict):
            return value
        if value is not None:
            self.drop(where)
        return {}

    def rest(self, fields: Mapping[str, object], known: str, where: str = "") -> None:
        """Note what a table has beside the fields that are known."""
        for name in fields:
            if name not in known.split():
                self.drop(f"{where}.{name}" if where else str(name))


def advice_fields(env: str, record: dict[str, object], notes: Notes) -> dict[str, object]:
    """KQ and LC."""
    notes.rest(record, "id theme roles topic_list")
    roles = notes.inner(record.get("roles"), "roles")
    notes.rest(roles, "legal_agent general_public", "roles")
    public = notes.inner(roles.get("general_public"), "roles.general_public")
    notes.rest(public, f"occupation role background {STYLE}", "roles.general_public")
    client = {
        name: notes.said(public.get(name), f"roles.general_public.{name}")
        for name in ("occupation", "role", "background")
    }
    agent = roles.get("legal_agent")
    theme = notes.said(record.get("theme"), "theme")
    notes.fill("dates.asked (unknown: the law of which day is asked about)")
    return {
        "id": record.get("id"),
        "cause": theme,
        "theme": theme,
        "agent_title": notes.text(None if agent is None else str(agent), "roles.legal_agent"),
        "client": {**client, "persona": persona(public.get(STYLE), notes, "client")},
        "topics": list(_topics(record.get("topic_list"), notes)),
    }


def _topics(value: object, notes: Notes) -> Iterator[dict[str, Any]]:
    for number, item in enumerate(value if isinstance(value, list) else [], 1):
        where = f"topic_list[{number - 1}]"
        topic = notes.inner(item, where)
        notes.rest(topic, "type topic content", where)
        question, answer = (notes.text(topic.get(name), f"{where}.{name}") for name in ("topic", "content"))
        if not question or not answer:
            notes.drop(f"{where} (no question or no answer)")
            continue
        kind = notes.text(topic.get("type"), f"{where}.type").lower()
        made: dict[str, object] = {"id": f"T{number}", "question": question, "answer": answer, "type": "open"}
        laws = laws_of(answer, []).get("laws")
        if kind in ("binary", "qa"):
            if _YES.match(answer) or _NO.match(answer):
                made |= {"type": "binary", "answer": "是" if _YES.match(answer) else "否"}
                if answer.rstrip("。.") not in ("是", "否"):
                    notes.fill(f"topics.T{number}.answer (reduced to 是 or 否)")
            else:
                notes.fill(f"topics.T{number}.type (open: the answer is neither 是 nor 否)")
        elif kind.endswith("law") and laws:
            made |= {"type": "law", "laws": laws}
        elif kind.endswith("law"):
            notes.fill(f"topics.T{number}.type (open: the answer names no article)")
        elif "open" not in kind:
            notes.fill(f"topics.T{number}.type (open instead of {kind[:20] or 'nothing'})")
        yield made


def person(fields: dict[str, object], party: str, side: str, notes: Notes, where: str) -> dict[str, object]:
    """A party of a record; who has a representative and no sex is a company, as published."""
    known = f"name gender sex ethnicity birth_date address occupation education contact {STYLE} representative"
    notes.rest(fields, known, where)
    made: dict[str, object] = {"id": party, "side": side, "persona": persona(fields.get(STYLE), notes, where)}
    for name in ("name", "address", "contact"):
        if text := notes.said(fields.get(name), f"{where}.{name}"):
            made[name] = text
    if not ("gender" in fields or "sex" in fields or "representative" not in fields):
        notes.fill("parties.kind (company: it has a representative)")
        leader = notes.said(fields.get("representative"), f"{where}.representative")
        return {**made, "kind": "company", "representative": leader}
    for name in ("ethnicity", "occupation", "education"):
        made[name] = notes.said(fields.get(name), f"{where}.{name}")
    sex = notes.said(fields.get("gender", fields.get("sex")), f"{where}.gender")
    made["gender"] = _SEXES.get(sex.lower(), "")
    if sex and not made["gender"]:
        notes.drop(f"{where}.gender ({sex[:20]})")
    born = notes.said(fields.get("birth_date"), f"{where}.birth_date")
    made["birth_date"] = parse_date(born) if born else None
    if born and made["birth_date"] is None:
        notes.drop(f"{where}.birth_date ({born[:20]})")
    if "representative" in fields:
        notes.drop(f"{where}.representative (of a person)")
    return made


def persona(style: object, notes: Notes, where: str) -> dict[str, Any]:
    """How somebody speaks, in the words of the record."""
    text = notes.said(style, f"{where}.{STYLE}")
    return {"style": {"tone": text}} if text else {}


def evidence_of(
    value: object, env: str, owner: str, where: str, notes: Notes, *, other: str = "", before: int = 0
) -> list[dict[str, Any]]:
    """Exhibits of a table {evidence_1: {evidence, dispute}}, a list, or a text that lists them; `other`: who
    disputes."""
    if isinstance(value, str):
        row = f"证据：{value}" if "、" in value else ""
        if listed := exhibits(value, env, owner, before + 1) or exhibits(row, env, owner, before + 1):
            return _read(listed, notes)
        value = value.splitlines()
    named = dict(enumerate(value)) if isinstance(value, list) else notes.inner(value, where)
    found: list[dict[str, Any]] = []
    for name, item in named.items():
        place = f"{where}.{name}"
        fields = item if isinstance(item, dict) else {"evidence": item}
        notes.rest(fields, "evidence dispute", place)
        if not (text := notes.said(fields.get("evidence"), place)):
            continue
        exhibit = exhibit_of(text, env, owner, before + len(found) + 1)
        dispute = notes.said(fields.get("dispute"), f"{place}.dispute")
        if dispute and other:
            exhibit["objections"] = [{"by": other, "text": dispute}]
        elif dispute:
            notes.drop(f"{place}.dispute")
        found.append(exhibit)
    return _read(found, notes)


def _read(found: list[dict[str, Any]], notes: Notes) -> list[dict[str, Any]]:
    for field in ("title", "kind", "purpose", "excerpt", "witness"):
        if any(field in exhibit for exhibit in found):
            notes.fill(f"evidence.{field} (read from the words)")
    return found


def court_of(env: str, record: dict[str, object], notes: Notes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Court, and the gold as the record has it: judgment, reason, laws, as_cited."""
    info = notes.inner(record.get("court_info"), "court_info")
    notes.rest(info, "case_id court_name", "court_info")
    court = {
        "name": notes.said(info.get("court_name"), "court_info.court_name"),
        "docket": notes.said(info.get("case_id"), "court_info.case_id"),
    }
    for name in court:
        if not court[name]:
            notes.fill(f"court.{name} (empty)")
    if env in ("CD", "DD"):
        return court, {}
    hearing = notes.inner(record.get("court_information"), "court_information")
    notes.rest(hearing, "third_party_findings ground_truth", "court_information")
    where = "court_information.ground_truth"
    truth = notes.inner(hearing.get("ground_truth"), where)
    notes.rest(truth, "court_reason court_law court_judgment", where)
    cited = notes.texts(truth.get("court_law"), f"{where}.court_law")
    reason = notes.text(truth.get("court_reason"), f"{where}.court_reason")
    court["third_party_findings"] = notes.said(
        hearing.get("third_party_findings"), "court_information.third_party_findings"
    )
    gold = {
        "judgment": notes.texts(truth.get("court_judgment"), f"{where}.court_judgment"),
        "reason": reason,
        "laws": _laws(cited, notes, f"{where}.court_law"),
        "as_cited": cited,
    }
    return {**court, **_bench(env, reason, notes)}, gold if truth else {}


def _bench(env: str, reason: str, notes: Notes) -> dict[str, str]:
    told = _TRIED.search(reason)
    procedure = procedure_in(told[0]) if told else ""
    if procedure:
        notes.fill(f"court.procedure ({procedure}, read from the reasons)")
    else:
        notes.fill("court.procedure (普通程序)")
    law = "刑事诉讼法第一百八十三条" if env == "CR" else "民事诉讼法第四十条"
    notes.fill(f"the bench ({'合议庭' if procedure in ('', '普通程序') else '独任审判员'}, {law}; nobody is named)")
    notes.fill("court.presiding, court.clerk (empty)")
    notes.fill("court.public (open, as the law has it)")
    return {"procedure": procedure} if procedure else {}


def _laws(texts: list[str], notes: Notes, where: str) -> list[Any]:
    laws: list[Any] = []
    for text in texts:
        unread: list[str] = []
        found: Any = laws_of(text, unread).get("laws") or []
        if unread or not found:
            notes.drop(f"{where} ({text[:40]}: no article)")
        laws += [law for law in found if law not in laws]
    return laws
