"""The criminal expert: whether contested charges stand, what weighs for and against the accused, and the articles.

A contested charge stands on two exhibits of the prosecution that the objections leave standing, his own earlier words
aside (刑事诉讼法第五十五条). The sentence is the middle of what the prosecution asks for; where it asks for none,
none is pronounced.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.courts.agents.citing import CRIMINAL_LAW, CRIMINAL_PROCEDURE, Cited, cite
from tasks.courts.agents.criminal.asking import DENIES
from tasks.courts.agents.criminal.case import Case, agreed, charged, cited_by_prosecution
from tasks.courts.agents.criminal.judgment import Decision, verdict_laws
from tasks.courts.agents.criminal.sentence import count_request, request_of, set_off
from tasks.courts.agents.own_words import agree
from tasks.courts.agents.trial.agenda import filled
from tasks.courts.agents.trial.heard import Exhibit
from tasks.courts.casefile.prosecution import Sentence
from tasks.experts.criminal.circumstances import Circumstances, interpretations, words

GENERAL_PART = 101
"""Articles of the Criminal Law up to this one are on crime and punishment in general."""
ENOUGH = 2
"""Exhibits that bear a contested charge."""
_SHAKEN = re.compile(
    r"真实性有异议|合法性有异议|复印件|没有[^，。；]{0,10}(?:签名|核对|捺印)|刑讯|逼供|非法|来源不明"
)


def decide(case: Case) -> Decision:
    """The substance of a judgment."""
    names, found, text = charged(case), Circumstances(case), words()["reason"]
    if not names or not _proven(case):
        reasons = filled(text["not_charge"], {"charge": "、".join(names) or "罪名"})
        return Decision(
            False, _exhibits(case, False), reasons, [cite("55", CRIMINAL_PROCEDURE), *verdict_laws(case, None)], ()
        )
    whole = request_of(case)
    counts = [one for name in names if (one := count_request(case, name))]
    said = [filled(text["guilty"], {"name": case.name, "charge": name}) for name in names]
    said += [f"{one.text}。" for one in found.found]
    said += [filled(text["probation"], {"name": case.name}) + "。"] if whole and whole.probation_months else []
    said.append(text["adopt" if whole else "no_request"])
    laws = [*_laws(case, names, found, whole), *_procedure(case, found, whole)]
    return Decision(True, _exhibits(case, True), "".join(said), laws, names, counts, whole)


def _proven(case: Case) -> bool:
    shown = [one for one in case.exhibits if one.owner == "procurator" and not _own_words(one)]
    if case.denies:
        return sum(not _refused(one) for one in shown) >= ENOUGH
    return bool(shown) or case.procedure == "速裁"


def _exhibits(case: Case, facts: bool) -> str:
    """What becomes of each exhibit: relied on with what bears it out, alone, or not. facts: those charged are
    found."""
    text = words()["reason"]
    groups: dict[str, list[str]] = {"borne_out": [], "alone": [], "denied": [], "open": []}
    kept = [one for one in case.exhibits if not _refused(one)]
    for one in case.exhibits:
        borne_out = any(_bears_out(other, one, kept) for other in kept if other is not one)
        denied = facts and one.owner == "procurator" and _denying(one)
        worth = "open" if one not in kept else "denied" if denied else "borne_out" if borne_out else "alone"
        groups[worth].append(one.offer.title)
    return "".join(filled(text[key], {"titles": "，".join(names)}) for key, names in groups.items() if names)


def _own_words(one: Exhibit) -> bool:
    """Whether an exhibit holds earlier words of the accused (刑事诉讼法第五十条, 供述和辩解)."""
    return bool(re.search(r"供述|辩解|讯问笔录", f"{one.offer.title}{one.offer.words[:40]}"))


def _denying(one: Exhibit) -> bool:
    """Whether words of an accused that are shown as an exhibit contest the charge."""
    return _own_words(one) and ("辩解" in one.offer.title or bool(DENIES.search(one.offer.words)))


def _bears_out(other: Exhibit, one: Exhibit, among: Sequence[Exhibit]) -> bool:
    """Whether another exhibit of the same side speaks of the same matter, and neither alone denies it."""
    if (other.owner, _denying(other)) != (one.owner, _denying(one)):
        return False
    return agree(one.offer.words, other.offer.words, [each.offer.words for each in among])


def _refused(one: Exhibit) -> bool:
    return not agreed(one) and any(_SHAKEN.search(view) for view in one.views.values())


# --- articles -------------------------------------------------------------------------------------------------------


def _laws(case: Case, names: Sequence[str], found: Circumstances, whole: Sentence | None) -> list[Cited]:
    """Articles of the Criminal Law, those of the charges as the prosecution cites them, then interpretations of
    it."""
    laws = [one for one in cited_by_prosecution(case) if one.number > GENERAL_PART]
    articles = [law for circumstance in found.found for law in circumstance.articles]
    general = [law for law in articles if law.law == CRIMINAL_LAW]
    further = [law for name in names for law, cue in interpretations(name) if re.search(cue, found.facts)]
    further += [law for law in articles if law.law not in (CRIMINAL_LAW, CRIMINAL_PROCEDURE)]
    general += [cite("64")] if case.property_due else []
    general += [cite("69")] if len(names) > 1 else []
    if whole is not None:
        general += [cite("52"), cite("53")] if whole.fine else []
        custody = case.view.held.get("criminal", {}).get("custody", ())
        if whole.months and not whole.probation_months and set_off(custody)[1]:
            general.append(cite({"拘役": "44", "管制": "41"}.get(whole.kind, "47")))
        if whole.probation_months:
            general += [cite("72.1"), cite("73.1" if whole.kind == "拘役" else "73.2"), cite("73.3")]
            general += [cite("72.3")] if whole.fine else []
    return [*laws, *sorted(general, key=lambda law: (law.number, law.paragraph)), *further]


def _procedure(case: Case, found: Circumstances, followed: Sentence | None) -> list[Cited]:
    places = ["15"] if found.has("plea") else []
    places += ["55"] if case.denies else []
    places += ["201"] if found.signed and followed else []
    places += ["222", "224"] if case.procedure == "速裁" else []
    return [cite(place, CRIMINAL_PROCEDURE) for place in places]
