"""Parties, counsel and bench of a judgment as a case file writes them; what is not said is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from store.tables import beside
from store.text.ideographs import HAN
from store.text.normalise import fold_width
from tasks.courts.casefile.figures import days
from tasks.courts.casefile.judgment import Env, Judgment, procedure_in
from tasks.courts.from_judgment.heading import Entry, Heading
from tasks.courts.from_judgment.masking import LEFT_OUT

_SIDES = {"CI": (("原告", "plaintiff", "P1"), ("被告", "defendant", "D1")), "CR": (("被告人", "defendant", "A1"),)}
_BORN = re.compile(r"(?:出生|生)")
_OUT = re.compile(rf"（[^（）]{{1,6}}{LEFT_OUT}")
_FIRM = re.compile(rf"(?P<firm>[{HAN}（）()]{{2,40}}?(?:律师事务所|法律服务所|法律援助中心))")
_AUTHORITY = re.compile(r"特别授权(?:代理)?|一般授权(?:代理)?|一般代理|法律援助(?:中心)?指派|委托辩护")
_SIGNED = re.compile(
    r"(?P<title>审判长|代理审判员|助理审判员|审判员|人民陪审员|法官助理|代书记员|书记员)[ :]{0,3}"
    rf"(?P<name>[{HAN}·]{{2,8}}?(?:[0-9A-Za-z]|[×xX*]{{1,2}})?)(?=\s|$|审判|代理审|助理审|人民陪审|法官助"
    r"|代?书记员|二[〇○零Oo0]|[0-9]{4}年|本件)"
)
_CLOSED = re.compile(r"不公开(?:开庭)?(?:进行)?审理")
_WHY_CLOSED = re.compile(r"[^,。;]{0,20}(?:个人隐私|国家秘密|商业秘密|未成年)[^,。;]{0,20}")


def parties(heading: Heading, env: Env, notes: list[str]) -> Iterator[dict[str, Any]]:
    """The parties of a heading, each with the counsel that is named behind it."""
    for role, side, party in _SIDES[env]:
        for entry in heading.of(role)[:1]:
            made = {"id": party, "side": side, **(_company(entry) if entry.is_company else _person(entry))}
            place = heading.entries.index(entry)
            for other in heading.entries[place + 1 :]:
                if other.is_party:
                    break
                _attach(made, other, notes)
            yield made


def _company(entry: Entry) -> dict[str, Any]:
    found = {"kind": "company", "name": entry.name}
    for clause in _clauses(entry.words):
        match = re.match(r"(?:住所地|住所|住址|经营场所|地址)(?:为|:)?(?P<value>.+)", fold_width(clause))
        if match:
            found.setdefault("address", _plain(clause[match.start("value") :]))
    return found


def _person(entry: Entry) -> dict[str, object]:
    found: dict[str, object] = {"kind": "person", "name": entry.name}
    fields = beside(__package__, "parties", dict[str, re.Pattern[str]])
    for clause in _clauses(entry.words.split("因涉嫌")[0])[:14]:
        born = next(days(clause), None)
        if born and _BORN.search(clause[born.end :][:6]):
            found.setdefault("birth_date", born.day.isoformat())
            clause = re.sub(r"^(?:出生|生)(?:于)?", "出生于", clause[born.end :])
            if len(clause) < 5:
                continue
        for name, pattern in fields.items():
            match = pattern.fullmatch(fold_width(clause))
            if match:
                value = _plain(clause[match.start("value") : match.end("value")])
                if value and name not in found:
                    found[name] = value
                break
    return found


def _clauses(words: str) -> list[str]:
    """The clauses behind the name."""
    return [clause for part in re.split(r"[，,。；;]", words)[1:] if (clause := part.strip())]


def _plain(text: str) -> str:
    """A value without the marks of what was masked, and without a bracket that has lost its other half."""
    text = _OUT.sub("", text).strip()
    for opens, closes in ("（）", "()"):
        if text.count(opens) != text.count(closes):
            text = text.strip(f"{opens}{closes}")
    return text


def _attach(party: dict[str, object], entry: Entry, notes: list[str]) -> None:
    """Put a representative or counsel to the party before it."""
    where = f"parties.{party['id']}"
    if entry.represents and party["kind"] == "company":
        if "representative" in party:
            return
        title = next(iter(_clauses(entry.words)), "")
        party["representative"] = entry.name
        party["representative_title"] = entry.role if entry.role == "经营者" else title[:40]
    elif entry.is_counsel:
        if "counsel" in party:
            notes.append(f"{where}.counsel: a second one is named; a case file holds one")
            return
        folded = fold_width(entry.words)
        firm, authority = _FIRM.search(folded, len(entry.name)), _AUTHORITY.search(folded)
        party["counsel"] = {
            "name": entry.name,
            **({"firm": firm["firm"].lstrip(",，:：系")} if firm else {}),
            **({"authority": authority.group()} if authority else {}),
        }
    elif entry.role in ("翻译人员", "翻译"):
        notes.append("翻译人员 takes no seat in a trial here; left out")


def bench(paper: Judgment, heading: Heading) -> dict[str, Any]:
    """Court, docket, procedure and bench."""
    course, signed = fold_width(paper.course), list(_SIGNED.finditer(fold_width(paper.tail)))
    found: dict[str, object] = {"name": heading.court, "docket": heading.docket}
    if procedure := procedure_in(course):
        found["procedure"] = procedure
    judges = [(match["title"], match["name"]) for match in signed]
    chair = [name for title, name in judges if title == "审判长"]
    others = [(title, name) for title, name in judges if title.endswith("审判员")]
    if chair:
        found["presiding"] = {"name": chair[0], "title": "审判长"}
        lay = [("人民陪审员", name) for title, name in judges if title == "人民陪审员"]
        found["panel"] = [
            {"name": name, "title": title} for title, name in [*(("审判员", n) for _, n in others), *lay]
        ]
    elif others and len(judges) <= 3:
        found["presiding"] = {"name": others[0][1], "title": "独任审判员"}
    elif match := re.search(rf"审判员(?P<name>[{HAN}]{{2,4}}?)独任", course):
        found["presiding"] = {"name": match["name"], "title": "独任审判员"}
    clerk = next((name for title, name in judges if title.endswith("书记员")), "")
    found["clerk"] = clerk
    if _CLOSED.search(course):
        found["public"] = False
        why = _WHY_CLOSED.search(course)
        found["closed_reason"] = why.group().strip() if why else ""
    return {name: value for name, value in found.items() if value not in ("", [])}


def signed_by(tail: str) -> list[str]:
    """Names below a judgment."""
    return [match["name"] for match in _SIGNED.finditer(fold_width(tail))]


def judged(paper: Judgment) -> dict[str, str]:
    """The day of the judgment: the last that stands below it and is no day of an appeal."""
    found = [day.day.isoformat() for day in days(paper.tail)]
    return {"judged": found[-1]} if found else {}
