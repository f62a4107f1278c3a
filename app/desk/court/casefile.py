"""The case file as a seat may see it, set as court papers are: parties in a sentence each, claims and exhibits
numbered.

It shows what `visible` grants, so that a field that a role does not hold cannot appear. Everything, the reference
judgment with it, is shown only on wish and never to a person who holds a seat.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from app.desk.court.scene import EpisodeSnapshot
from app.desk.episode.renderers import Line, compact, many, one
from app.strings import known, t

STATES: Mapping[str, tuple[str, str]] = {
    "未出示": ("☐", "dim"), "已出示": ("▶", "label"), "已质证": ("◐", "seat"), "采信": ("✔", "good"),
    "部分采信": ("◑", "good"), "不采信": ("✘", "bad"),
}  # fmt: skip
"""State -> sign and role."""


def exhibit_name(scene: EpisodeSnapshot, exhibit: str) -> str:
    """原告证据一 借条; without its title where the person who looks must not know it yet."""
    number = scene.numbers.get(exhibit, exhibit)
    moved = scene.exhibits.get(exhibit)
    title = moved.title if moved is not None and moved.title else scene.titles.get(exhibit, "")
    return f"{number} {title}".strip() if title and scene.knows(exhibit) else number


def exhibit_lines(scene: EpisodeSnapshot) -> list[Line]:
    """How many there are in each state, then every exhibit, one below the other."""
    listed = list(scene.numbers) or list(scene.exhibits)
    if not listed:
        return [((t("court.exhibits.none"), "dim"),)]
    count = Counter(_state(scene, exhibit) for exhibit in listed)
    head = " · ".join(f"{state} {count[state]}" for state in STATES if count[state])
    return [((head, "dim"),), *(line for exhibit in listed for line in _lines(scene, exhibit))]


def _state(scene: EpisodeSnapshot, exhibit: str) -> str:
    moved = scene.exhibits.get(exhibit)
    return moved.state if moved is not None else "未出示"


def _lines(scene: EpisodeSnapshot, exhibit: str) -> Iterator[Line]:
    state = _state(scene, exhibit)
    sign, tone = STATES.get(state, ("·", "text"))
    shown = exhibit in scene.exhibits
    number, _, title = exhibit_name(scene, exhibit).partition(" ")
    yield ((f"{sign} ", tone), (one(number), "text" if shown else "dim"), (f"  {state}", tone))
    if title:
        yield (("  ", "text"), (one(title), "text" if shown else "dim"))
    if shown and (reason := scene.exhibits[exhibit].reason):
        yield (("  ", "text"), (one(reason), tone))
    if shown and (purpose := _purpose(scene, exhibit)):
        yield (("  ", "text"), (one(f"{t('court.file.purpose')}：{purpose}"), "dim"))


def _purpose(scene: EpisodeSnapshot, exhibit: str) -> str:
    """What an exhibit is to prove; for a person, only of what the seat holds."""
    if scene.holders:
        return next(
            (str(item.get("purpose", "")) for item in scene.seen.get("evidence", ()) if item["id"] == exhibit), ""
        )
    return next((item.purpose for item in getattr(scene.case, "evidence", ()) if item.id == exhibit), "")


Data = Mapping[str, Any]
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_SIDES = {"plaintiff": "原告", "defendant": "被告"}
_HIDDEN = frozenset(
    {
        "schema",
        "id",
        "env",
        "lang",
        "source",
        "provenance",
        "difficulty",
        "side",
        "kind",
        "by",
        "owner",
        "topics",
        "gold",
    }
)
"""Fields that tie things together, and those that have a place of their own."""


def file_lines(scene: EpisodeSnapshot, everything: bool = False) -> list[Line]:
    """The file of whoever reads it; `everything` adds what nobody may see, the reference marked as such."""
    if scene.case is None:
        return []
    if not everything:
        lines = list(_sections(scene.seen, scene))
        return lines or [((t("court.file.nothing", who=scene.name(scene.reader)), "dim"),)]
    whole = {name: value for name, value in scene.case.fields().items() if name not in _HIDDEN}
    topics = [topic.model_dump(mode="json", exclude_defaults=True) for topic in getattr(scene.case, "topics", ())]
    lines = list(_sections({**whole, **({"topics": topics} if topics else {})}, scene))
    gold = scene.case.fields().get("gold")
    if gold:
        lines += [_heading(t("court.file.gold"), "mark"), *_gold(gold)]
    return lines


def _sections(data: Data, scene: EpisodeSnapshot) -> Iterator[Line]:
    parties = data.get("parties", ())
    for party in parties:
        yield from _party(party, scene.env)
    owners = {party["id"]: _side(party, scene.env) for party in parties if "id" in party}
    owners |= {"PROC": "公诉机关", "COUNSEL": "辩护人", **scene.numbers}
    if court := _court(data):
        yield _heading(t("court.file.court"))
        yield from court
    for name, section in _SECTIONS.items():
        if value := data.get(name):
            yield _heading(t(f"court.file.{name}"))
            yield from section(value, owners)


def _heading(text: str, role: str = "label") -> Line:
    return ((f"▍{text}", role),)


def _side(party: Data, env: str) -> str:
    return "被告人" if env == "CR" else _SIDES.get(str(party.get("side", "")), "")


def _party(party: Data, env: str) -> Iterator[Line]:
    """原告周映川，男，汉族，1979年4月12日出生，住…."""
    yield _heading(_side(party, env))
    name = one(str(party.get("name", "")))
    words = [str(party[key]) for key in ("gender", "ethnicity") if party.get(key)]
    for key, form in _ABOUT.items():
        if value := party.get(key):
            seat = key == "address" and party.get("kind") == "company"
            words.append(f"住所地{value}" if seat else form.format(_day(str(value))))
    if party.get("representative"):
        title = f"（{party['representative_title']}）" if party.get("representative_title") else ""
        words.append(f"法定代表人{party['representative']}{title}")
    yield ((name, "text"), (one("".join(f"，{word}" for word in words)), "text"))
    if counsel := party.get("counsel"):
        who = "辩护人" if env == "CR" else "委托诉讼代理人"
        told = [str(counsel[key]) for key in ("name", "profession", "firm", "authority") if counsel.get(key)]
        yield (f"{who} ", "dim"), (one("，".join(told)), "text")
    yield from _persona(party.get("persona", {}))


_ABOUT = {
    "birth_date": "{}出生", "birthplace": "出生地{}", "education": "{}", "occupation": "{}", "workplace": "在{}工作",
    "address": "住{}",
    "contact": "{}",
}  # fmt: skip


def _persona(persona: Data) -> Iterator[Line]:
    traits = persona.get("big5", {})
    if traits:
        words = "、".join(f"{t(f'court.trait.{name}')}{t(f'court.level.{level}')}" for name, level in traits.items())
        yield _row("persona", words)
    for name, text in persona.get("style", {}).items():
        yield _row(f"style.{name}", text)


def _court(data: Data) -> list[Line]:
    court = data.get("court", {})
    rows = [("cause", data.get("cause")), *((key, court.get(key)) for key in ("name", "docket", "procedure"))]
    bench = [court["presiding"], *court.get("panel", ())] if court.get("presiding") else []
    names = "、".join(f"{member.get('title', '')} {member.get('name', '')}".strip() for member in bench)
    rows += [("bench", names), ("clerk", court.get("clerk"))]
    if "public" in court:
        rows.append(
            ("public", t("court.file.yes") if court["public"] else court.get("closed_reason") or t("court.file.no"))
        )
    rows += [
        (f"dates.{key}", _day(str(value))) for key, value in data.get("dates", {}).items() if isinstance(value, str)
    ]
    rows.append(("third_party_findings", court.get("third_party_findings")))
    return [_row("court_name" if key == "name" else key, value) for key, value in rows if value]


def _row(name: str, value: object) -> Line:
    key = f"court.file.{name}"
    label = t(key) if known(key) else one(name)
    return ((f"{label}：", "dim"), (_day(one(value) if isinstance(value, str) else compact(value)), "text"))


def _day(text: str) -> str:
    return _DAY.sub(lambda match: f"{match[1]}年{int(match[2])}月{int(match[3])}日", text)


# sections


def _text(value: Any, owners: Mapping[str, str]) -> Iterator[Line]:
    yield from many(str(value))


def _numbered(value: Any, owners: Mapping[str, str]) -> Iterator[Line]:
    for number, item in enumerate(value, 1):
        text = item.get("text") if isinstance(item, Mapping) else str(item)
        if text:
            yield ((f"{number}. ", "dim"), (one(_day(text)), "text"))


def _exhibits(value: Any, owners: Mapping[str, str]) -> Iterator[Line]:
    for item in value:
        whose = owners.get(str(item.get("id", ""))) or owners.get(str(item.get("owner", "")), "")
        if item.get("title"):
            kind = f"（{item['kind']}）" if item.get("kind") else ""
            yield ((f"{whose} ", "seat"), (one(item["title"]), "text"), (one(kind), "dim"))
        for key in ("source", "purpose", "excerpt"):
            if item.get(key):
                yield (("  ", "text"), *_row(key, item[key]))
        if witness := item.get("witness"):
            yield (("  ", "text"), *_row("witness", "，".join(map(str, witness.values()))))
        for objection in item.get("objections", ()):
            points = "；".join(f"{t(f'court.file.{key}')}：{objection[key]}" for key in _POINTS if objection.get(key))
            if points:
                by = owners.get(str(objection.get("by", "")), "")
                about = "" if item.get("title") else f"{whose} "
                yield (("  ", "text"), (f"{about}{by}{t('court.file.objection')}：", "dim"), (one(points), "text"))
        if gold := item.get("gold"):
            yield (
                ("  ", "text"),
                (f"{t('court.file.gold')}：{gold.get('result', '')}　", "mark"),
                (one(str(gold.get("reason", ""))), "dim"),
            )


_POINTS = ("truth", "legality", "relevance", "weight", "text")


def _by_party(value: Any, owners: Mapping[str, str]) -> Iterator[Line]:
    for party, text in value.items():
        yield ((f"{owners.get(party, party)}：", "dim"), (one(str(text)), "text"))


def _mediation(value: Any, owners: Mapping[str, str]) -> Iterator[Line]:
    for party, stance in value.items():
        words = t("court.file.accepts" if stance.get("stance") == "accept_if" else "court.file.refuses")
        terms = f"：{stance['terms']}" if stance.get("terms") else ""
        yield ((f"{owners.get(party, party)}：", "dim"), (one(f"{words}{terms}"), "text"))


def _criminal(value: Any, owners: Mapping[str, str]) -> Iterator[Line]:
    prosecution = value.get("prosecution", {})
    rows = [(f"prosecution.{key}", prosecution.get(key)) for key in ("name", "prosecutor", "indictment_no")]
    rows.append(("charges", "、".join(charge["name"] for charge in value.get("charges", ()) if charge.get("name"))))
    rows += [("indictment", value.get("indictment")), ("opinion", value.get("opinion"))]
    rows.append(("request", value.get("request", {}).get("text")))
    plea = value.get("plea", {})
    rows += [
        ("plea", t(f"court.plea.{plea['stance']}") if plea.get("stance") else ""),
        ("plea.facts", plea.get("facts")),
    ]
    rows += [("plea.charge", plea.get("charge")), ("plea.text", plea.get("text"))]
    rows.append(("plea.signed", t("court.file.yes") if plea.get("signed") else ""))
    rows += [("record", value.get("record")), ("custody", "；".join(map(_custody, value.get("custody", ()))))]
    rows += [("served", _day(str(value.get("served", ""))))]
    rows.append(("victims", "；".join("，".join(map(str, victim.values())) for victim in value.get("victims", ()))))
    rows.append(("defence_opinion", value.get("defence_opinion")))
    yield from (_row(key, text) for key, text in rows if text)


def _custody(one_: Data) -> str:
    days = "至".join(_day(str(one_[key])) for key in ("since", "until") if one_.get(key))
    return f"{one_.get('measure', '')} {days} {one_.get('place', '')}".strip()


def _client(value: Any, owners: Mapping[str, str]) -> Iterator[Line]:
    yield from (_row(f"client.{key}", value[key]) for key in ("occupation", "role", "background") if value.get(key))
    yield from _persona(value.get("persona", {}))


def _topics(value: Any, owners: Mapping[str, str]) -> Iterator[Line]:
    for number, topic in enumerate(value, 1):
        yield ((f"{number}. ", "dim"), (one(str(topic.get("question", ""))), "text"))
        if topic.get("answer"):
            laws = "；".join(compact(law) for law in _laws(topic.get("laws", ())))
            said = f"{topic['answer']}　{laws}" if laws else str(topic["answer"])
            yield (("  ", "text"), (f"{t('court.file.answer_gold')}：", "mark"), (one(said), "dim"))


_SECTIONS: Mapping[str, Callable[[Any, Mapping[str, str]], Iterator[Line]]] = {
    "client": _client, "theme": _text, "agent_title": _text, "topics": _topics, "claims": _numbered,
    "complaint": _text,
    "defences": _numbered, "answer": _text, "criminal": _criminal, "facts": _numbered, "evidence": _exhibits,
    "statements": _by_party, "mediation": _mediation,
}  # fmt: skip
"""Field of a case -> how it is set, in the order in which it is shown."""


# the reference


def _gold(gold: Data) -> Iterator[Line]:
    for key in ("charges", "judgment", "reason", "issues", "reason_points"):
        if value := gold.get(key):
            yield ((t(f"court.file.gold.{key}"), "mark"),)
            yield from (line for text in ([value] if isinstance(value, str) else value) for line in many(text))
    if laws := gold.get("laws"):
        yield ((t("court.file.gold.laws"), "mark"),)
        yield ((one("；".join(_laws(laws))), "text"),)


def _laws(laws: Sequence[Any]) -> list[str]:
    from tasks.courts.casefile.people import LawRef

    return [LawRef.model_validate(law).chinese for law in laws]
