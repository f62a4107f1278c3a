"""Every field of a case reaches exactly the roles that may hold it; words of other fields are found again."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import count
from typing import Any

import pytest

from tasks.courts.casefile.case import Case, Env
from tasks.courts.casefile.visibility import FORMULAS, LEAK, Leak, leaks, leaves, visible
from tasks.courts.environment import PUBLISHED, environment
from tasks.sample.build import civil_disputes, consultation_cases, criminal_cases, knowledge_cases

IDENTITY = "name|gender|ethnicity|address|workplace|representative|representative_title|birth_date|kind"
PRIVATE = "birthplace|education|occupation|contact|counsel\\..*"
EXHIBIT = "title|kind|source|purpose|excerpt|witness\\..*|proves"
BENCH = r"court\.(name|docket|procedure|presiding\..*|panel.*|clerk|public|closed_reason)"

# Field -> who holds it, written down apart from the table; what no line names is held by nobody.
HELD: dict[Env, dict[str, str]] = {
    "KQ": {
        r"client\.occupation": "client trainee",
        r"client\.persona\..*": "client",
        "theme": "client",
        "agent_title": "trainee",
        r"dates\.asked": "client trainee",
        r"topics\[\]\.(question|aliases)": "client tracker",
        r"topics\[\]\.type": "tracker",
    },
    "LC": {
        r"client\.(role|background|persona\..*)": "client",
        r"dates\.asked": "client trainee",
        r"topics\[\]\.(question|aliases)": "client tracker",
        r"topics\[\]\.type": "tracker",
    },
    "CD": {
        rf"parties\[plaintiff\]\.({IDENTITY}|{PRIVATE}|persona\..*)": "plaintiff",
        rf"parties\[defendant\]\.({IDENTITY})": "plaintiff",
        r"facts\[(plaintiff|both)\]\.text": "plaintiff",
        r"claims\[\]\..*": "plaintiff",
        "complaint": "plaintiff",
        rf"evidence\[plaintiff\]\.({EXHIBIT})": "plaintiff",
        r"dates\.filed": "plaintiff plaintiff_lawyer",
    },
    "DD": {
        rf"parties\[defendant\]\.({IDENTITY}|{PRIVATE}|persona\..*)": "defendant",
        rf"parties\[plaintiff\]\.({IDENTITY})": "defendant",
        r"facts\[(defendant|both)\]\.text": "defendant",
        r"defences\[\]\..*": "defendant",
        "answer": "defendant",
        rf"evidence\[defendant\]\.({EXHIBIT})": "defendant",
        r"claims\[\]\..*": "defendant_lawyer",
        r"dates\.filed": "defendant defendant_lawyer",
        r"complaint|cause|court\.name|court\.docket": "defendant_lawyer",
    },
    "CI": {
        rf"parties\[plaintiff\]\.({IDENTITY})": "plaintiff_lawyer defendant_lawyer judge",
        rf"parties\[defendant\]\.({IDENTITY})": "plaintiff_lawyer defendant_lawyer judge",
        rf"parties\[plaintiff\]\.({PRIVATE})": "plaintiff_lawyer judge",
        rf"parties\[defendant\]\.({PRIVATE})": "defendant_lawyer judge",
        r"parties\[\w+\]\.(kind|name|representative|counsel\.name)": "+clerk",
        r"facts\[plaintiff\]\.text": "plaintiff_lawyer",
        r"facts\[defendant\]\.text": "defendant_lawyer",
        r"facts\[both\]\.text": "plaintiff_lawyer defendant_lawyer",
        r"claims\[\]\..*|complaint": "plaintiff_lawyer",
        r"defences\[\]\..*|answer": "defendant_lawyer",
        rf"evidence\[plaintiff\]\.({EXHIBIT})": "plaintiff_lawyer",
        rf"evidence\[defendant\]\.({EXHIBIT})": "defendant_lawyer",
        r"evidence\[defendant\]\.title": "+plaintiff_lawyer",
        r"evidence\[plaintiff\]\.title": "+defendant_lawyer",
        r"evidence\[defendant\]\.objections\[plaintiff\]\..*": "plaintiff_lawyer",
        r"evidence\[plaintiff\]\.objections\[defendant\]\..*": "defendant_lawyer",
        r"(statements|mediation)\[plaintiff\].*": "plaintiff_lawyer",
        r"(statements|mediation)\[defendant\].*": "defendant_lawyer",
        r"court\.third_party_findings": "judge",
        rf"{BENCH}|cause": "judge clerk",
        r"dates\.proceeding": "judge clerk plaintiff_lawyer defendant_lawyer",
        r"dates\.filed": "judge plaintiff_lawyer defendant_lawyer",
    },
    "CR": {
        rf"parties\[defendant\]\.({IDENTITY}|{PRIVATE})": "defendant defence_lawyer procurator judge",
        r"parties\[defendant\]\.(kind|name|counsel\.name)": "+clerk",
        r"parties\[defendant\]\.persona\..*": "defendant",
        r"facts\[defendant\]\.text": "defendant",
        r"criminal\.plea\.(facts|charge|text)": "defendant",
        r"criminal\.plea\.stance": "defendant defence_lawyer",
        r"criminal\.plea\.signed": "defendant defence_lawyer procurator",
        r"criminal\.(record|custody.*)": "defendant judge",
        r"criminal\.served": "defendant",
        r"statements\[defendant\]": "defendant",
        rf"evidence\[defendant\]\.({EXHIBIT})": "defendant defence_lawyer",
        rf"evidence\[prosecution\]\.({EXHIBIT})": "procurator",
        r"evidence\[prosecution\]\.title": "+defence_lawyer defendant",
        r"evidence\[defendant\]\.title": "+procurator",
        r"evidence\[prosecution\]\.objections\[defendant\]\..*": "defendant",
        r"evidence\[prosecution\]\.objections\[counsel\]\..*": "defence_lawyer",
        r"evidence\[defendant\]\.objections\[prosecution\]\..*": "procurator",
        r"criminal\.defence_opinion": "defence_lawyer",
        r"criminal\.(indictment|opinion|charges.*|request\..*|victims.*|prosecution\.indictment_no)": "procurator",
        r"criminal\.prosecution\.(name|prosecutor|title)": "procurator clerk",
        r"court\.third_party_findings": "judge",
        rf"{BENCH}": "judge clerk",
        r"dates\.proceeding": "judge clerk procurator defendant defence_lawyer",
        r"dates\.filed": "judge procurator",
        "cause": "clerk",
    },
}


def filled(value: Any, mark: count[int], name: str = "") -> Any:
    """The same data in which every free text is a mark of its own."""
    if isinstance(value, dict):
        return {key: filled(item, mark, key) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, mark, name) for item in value]
    fixed = r"[A-Z]{1,7}\d*|\d{4}-\d\d-\d\d|[a-z_0-9/]+|[A-Z]{2}-\d{4}"
    kept = "kind title measure result gender procedure answer law kinds charge charges".split()
    if not isinstance(value, str) or name in kept or value.endswith("罪") or re.fullmatch(fixed, value):
        return value
    return f"〔{next(mark):04}〕"


@cache
def marked(env: Env) -> Case:
    """A case in which everything is filled in that a case may have."""
    civil = civil_disputes()[0].cases()
    case = {"KQ": knowledge_cases()[0], "LC": consultation_cases()[0], "CR": criminal_cases()[0]}.get(env) or next(
        one for one in civil if one.env == env
    )
    data = case.fields()
    if "parties" in data:
        for party in data["parties"]:
            party |= {name: "某" for name in ("birthplace", "education", "workplace", "contact", "occupation")}
        data["court"] |= {
            "third_party_findings": "某",
            "closed_reason": "某",
            "panel": [{"name": "某", "title": "人民陪审员"}],
        }
        own = "D1" if env != "CR" else "A1"
        data["facts"].append({"id": "F90", "text": "某", "known_by": [own]})
        data["facts"].append({"id": "F91", "text": "某"})
        for exhibit in data["evidence"]:
            others = {"P1": ["D1"], "D1": ["P1"], "PROC": ["A1", "COUNSEL"], "A1": ["PROC"]}[exhibit["owner"]]
            texts = dict.fromkeys(("truth", "legality", "relevance", "weight"), "某")
            exhibit["objections"] = [{"by": by, **texts} for by in others]
            exhibit["witness"] = {"name": "某", "address": "某", "relation": "某"}
    if env in ("CD", "DD", "CI"):
        data["claims"][0]["parts"] = [{"text": "某", "amount": 200000}]
        data["mediation"] = {party: {"stance": "accept_if", "terms": "某", "amount": 1} for party in ("P1", "D1")}
    return environment(env).case.model_validate(filled(data, count()))


@pytest.mark.parametrize("env", PUBLISHED)
def test_every_field_reaches_exactly_the_roles_that_may_hold_it(env: Env) -> None:
    case = marked(env)
    views = {role: json.dumps(visible(case, env, role), ensure_ascii=False) for role in environment(env).seats}
    fields = list(leaves(case))
    assert len(fields) > 15
    for path, value in fields:
        wanted: set[str] = set()
        for pattern, roles in HELD[env].items():
            if re.fullmatch(pattern, path):
                wanted |= set(roles.lstrip("+").split())
        assert {role for role, held in environment(env).seats.items() if path in held.holds} == wanted, path
        if isinstance(value, str):
            for token in re.findall("〔[0-9]{4}〕", value):
                assert {role for role, text in views.items() if token in text} == wanted, (path, token)


@pytest.mark.parametrize("env", PUBLISHED)
def test_gold_reaches_nobody(env: Env) -> None:
    for path, _ in leaves(marked(env)):
        if re.search(r"(^|\.)(gold|disputed|points)(\.|$)|^topics\[\]\.(answer|laws)", path):
            assert not any(path in held.holds for held in environment(env).seats.values()), path
    assert not any(
        "gold" in path or "disputed" in path for held in environment(env).seats.values() for path in held.holds
    )


def test_leaks_are_runs_of_twenty_characters_of_fields_not_held() -> None:
    case = civil_disputes()[0].cases()[2]
    secret = case.gold.reason[:40]
    assert leaks(f"我方认为，{secret}。", case, "CI", "plaintiff_lawyer") == [Leak("gold.reason", secret, 5, 45)]
    assert leaks(secret[: LEAK - 1], case, "CI", "plaintiff_lawyer") == []
    assert leaks(secret[:LEAK], case, "CI", "plaintiff_lawyer")[0].text == secret[:LEAK]
    # Reasons have set phrases, which a judge finds alone; twice as long a run is none.
    assert leaks(secret[: 2 * LEAK - 1], case, "CI", "judge") == []
    assert leaks(secret[: 2 * LEAK], case, "CI", "judge")[0].text == secret[: 2 * LEAK]
    spaced = " ".join(secret[:25])
    assert leaks(spaced, case, "CI", "plaintiff_lawyer")[0].text == spaced


def test_own_fields_and_what_was_said_before_are_no_leak() -> None:
    case = civil_disputes()[0].cases()[2]
    assert leaks(case.complaint, case, "CI", "plaintiff_lawyer") == []
    assert {leak.field for leak in leaks(case.complaint, case, "CI", "defendant_lawyer")} == {"complaint"}
    heard = ["审判长：请陈述。", f"原告：{case.complaint}"]
    assert leaks(case.complaint, case, "CI", "defendant_lawyer", heard) == []


def test_titles_of_laws_and_formulas_are_free() -> None:
    case = civil_disputes()[0].cases()[2]
    text = f"依照《最高人民法院关于审理民间借贷案件适用法律若干问题的规定》第二十五条，判决如下。{FORMULAS[0]}"
    assert leaks(text, case, "CI", "judge") == []


def test_citations_of_the_gold_are_no_leak() -> None:
    case = civil_disputes()[0].cases()[2]
    cited = (
        "《中华人民共和国民法典》第六百七十五条、第六百七十六条、第六百八十条第二款，"
        "《中华人民共和国民事诉讼法》第六十七条第一款"
    )
    gold = case.gold.model_copy(update={"as_cited": (cited,), "reason": f"依照{cited}的规定。"})
    case = case.model_copy(update={"gold": gold})
    for role in ("judge", "plaintiff_lawyer"):
        assert leaks(f"依照{cited}，判决如下。", case, "CI", role) == []
    advice = knowledge_cases()[0]
    topic = advice.topics[0].model_copy(update={"answer": cited})
    advice = advice.model_copy(update={"topics": (topic, *advice.topics[1:])})
    assert [leak.field for leak in leaks(cited, advice, "KQ", "client")] == ["topics[].answer"]


def test_a_client_does_not_read_out_answers() -> None:
    case = knowledge_cases()[0]
    answer = case.topics[5].answer
    assert leaks(answer, case, "KQ", "client")[0].field == "topics[].answer"
    assert leaks(answer, case, "KQ", "client", answer) == []
    assert leaks(case.topics[5].question, case, "KQ", "client") == []
