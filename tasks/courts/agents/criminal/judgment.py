"""The judgment of a criminal trial as it is read out; it decides what nobody disputes and leaves
the rest open.

刑事诉讼法第二百条, 第二百零一条. Rules do not decide what is disputed: a contested charge is not found, a contested
request not followed, and the judgment says so. Months and yuan.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from tasks.courts.agents.citing import CRIMINAL_PROCEDURE, Cited, Versions, court_above, listed, numbered_on
from tasks.courts.agents.criminal.case import Case, agreed, charged, charged_facts, cited_by_prosecution, hearing
from tasks.courts.agents.criminal.sentence import count_request, pronounced, request_of, served
from tasks.courts.agents.trial.agenda import filled, orders
from tasks.courts.casefile.prosecution import Sentence

_VERDICTS: Versions = ((date(2018, 10, 26), 200), (date(2013, 1, 1), 195), (date.min, 162))
"""The article on the verdict, by the first day of its version."""

_SEIZED = re.compile(r"扣押的财物有：([^。\n]{2,300})")
_BACK = re.compile(r"([^，。；：\n]{2,200})已经发还")
_TO_FORFEIT = re.compile(r"其中([^，。；：\n]{2,200})系(?:作案工具|违禁品)，建议依法予以没收")


@dataclass(frozen=True, slots=True)
class Decision:
    """What a judgment decides. facts: whether those charged are found; exhibits: what becomes of them; convicted:
    charges that stand; each: the punishment of each, where there are several; whole: what is to be served, None where
    none is pronounced."""

    facts: bool
    exhibits: str
    reasons: str
    laws: Sequence[Cited]
    convicted: Sequence[str]
    each: Sequence[Sentence] = ()
    whole: Sentence | None = None


Decide = Callable[[Case], Decision]


def judgment(case: Case, decide: Decide) -> str:
    """The whole judgment, from the charge to the notice of appeal."""
    text, order, made = hearing()["undisputed"], hearing()["order"], decide(case)
    values = {
        "name": case.name,
        "charges": "、".join(charged(case)),
        "facts": f"{charged_facts(case).rstrip('。')}。",
    }
    found = filled(text["found"], values) + (text["not_denied"] if case.admits else "")
    parts = [
        filled(text["charge"], values) if values["charges"] else "",
        found if made.facts else text["found_none"],
        made.exhibits or (text["bare"] if made.facts else ""),
        f"本院认为，{made.reasons}",
        filled(order["head"], {"laws": listed(law for law in made.laws if law.exists(case.view.day))}),
        *orders([_verdict(case, made), *(_disposed(case, made) if case.property_due else ())]),
        filled(order["appeal"], {"court": court_above(str(case.bench.get("name", "")))}),
    ]
    return "\n".join(part for part in parts if part)


def _disposed(case: Case, made: Decision) -> list[str]:
    """What becomes of the things that the prosecution said are held and not given back, thing by thing
    (刑诉法解释第二百七十九条): forfeited are the tools of the crime and what is forbidden (刑法第六十四条), as it
    named them; where nothing is held, the gains of who is convicted."""
    told, order = case.answers("procurator", "property"), hearing()["order"]
    forfeit, back = (
        {one for things in named.findall(told) for one in things.split("、")} for named in (_TO_FORFEIT, _BACK)
    )
    seized = _SEIZED.search(told)
    held = [one for one in (seized[1].split("、") if seized else ()) if one not in back]
    if not held:
        return [filled(order["gains"], {"name": case.name})] if made.convicted else [order["no_things"]]
    forfeited, deposited = ([one for one in held if (one in forfeit) == named] for named in (True, False))
    parts = (("forfeited", forfeited), ("deposited", deposited))
    return [filled(order[how], {"things": "、".join(things)}) for how, things in parts if things]


def _verdict(case: Case, made: Decision) -> str:
    text, who, whole = hearing()["order"], {"name": case.name}, made.whole
    charges = "、".join(made.convicted)
    if not charges:
        return filled(text["acquit"], who)
    if whole is None:
        return filled(text["convicted"], {**who, "charges": charges})
    several = len(made.convicted) == len(made.each) > 1
    counts = zip(made.convicted, made.each, strict=True) if several else [(charges, whole)]
    said = [filled(text["count"], {**who, "charge": name, "punishment": pronounced(one)}) for name, one in counts]
    said = [said[0], *(part.removeprefix(f"被告人{case.name}") for part in said[1:])]
    if several:
        said.append(filled(text["combined"], {"punishment": pronounced(whole).removeprefix("判处")}))
    note = served(whole, case.view.held.get("criminal", {}).get("custody", ()))
    return "；".join(said) + "。" + note + (filled(text["supervised"], who) if whole.probation_months else "")


# --- what is undisputed ---


def undisputed(case: Case) -> Decision:
    """Who pleads guilty without reserve is convicted, and punished as is asked for where nobody objects to that."""
    text, names = hearing()["undisputed"], charged(case)
    found = bool(names) and case.admits and (case.procedure == "速裁" or any(map(agreed, case.exhibits)))
    request = request_of(case) if found and not case.request_contested else None
    reasons = filled(
        text["guilty" if found else "not_guilty"], {"name": case.name, "charges": "、".join(names) or "罪名"}
    )
    reasons += text["followed" if request else "left_open"] if found else ""
    laws = [*(cited_by_prosecution(case) if found else []), *verdict_laws(case, request)]
    each = [count_request(case, name) for name in names]
    return Decision(
        found, _exhibits(case), reasons, laws, names if found else (),
        [one for one in each if one], request,
    )  # fmt: skip


def _exhibits(case: Case) -> str:
    text = hearing()["undisputed"]
    sorted_out = {
        key: [one.offer.title for one in case.exhibits if agreed(one) == (key == "admitted")]
        for key in ("admitted", "open")
    }
    return "".join(filled(text[key], {"titles": "，".join(titles)}) for key, titles in sorted_out.items() if titles)


def verdict_laws(case: Case, request: Sentence | None) -> list[Cited]:
    """The article on the verdict, and that on a request that is followed."""
    article = numbered_on(_VERDICTS, case.view.day)
    followed = [Cited(CRIMINAL_PROCEDURE, 201)] if request and article == 200 else []
    return [Cited(CRIMINAL_PROCEDURE, article), *followed]
