"""Case files: the schema, what is refused and how it is said, the authored cases."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from store.errors import BadInput
from tasks.courts.casefile.case import Dispute
from tasks.courts.casefile.loading import CaseFault, read_case, read_dispute
from tasks.courts.casefile.people import LawRef
from tasks.courts.casefile.questions import load_questions
from tasks.courts.checking.case import check_case
from tasks.sample.build import civil_disputes, court_cases, criminal_cases, knowledge_cases
from tests.support.court_run_fixture import DROP, changed

FOLDER = Path(str(files("tasks.sample") / "data" / "courts"))
FILES = sorted(FOLDER.rglob("*.toml"))
DOCS = Path(__file__).resolve().parents[2] / "docs" / "court-cases.md"


def civil() -> dict[str, Any]:
    return civil_disputes()[0].cases()[2].fields()


def criminal() -> dict[str, Any]:
    return criminal_cases()[0].fields()


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}-{path.stem}" for path in FILES])
def test_every_authored_case_is_sound(path: Path) -> None:
    cases = [one.case for one in load_questions(path)]
    number, findings = path.name[:2], check_case(cases[-1])
    assert [str(finding) for finding in findings if finding.level == "error"] == []
    assert number != "01" or not findings, "what others begin with"
    assert len({case.cluster for case in cases}) == 1
    kinds = {"disputes": ["CD", "DD", "CI"], "criminal": ["CR"], "knowledge": ["KQ"], "consultation": ["LC"]}
    assert [case.id for case in cases] == [f"{env}-00{number}" for env in kinds[path.parent.name]]
    assert all(case.provenance.source == "authored" and case.provenance.licence == "MIT" for case in cases)


def test_written_and_read_again_it_is_the_same(tmp_path: Path) -> None:
    cases = court_cases()
    lines, array = tmp_path / "cases.jsonl", tmp_path / "cases.json"
    lines.write_text("\n".join(json.dumps(case.fields(), ensure_ascii=False) for case in cases), encoding="utf-8")
    array.write_text(json.dumps([case.fields() for case in cases]), encoding="utf-8")
    assert [one.case for one in load_questions(lines)] == [one.case for one in load_questions(array)] == cases
    with pytest.raises(BadInput, match="stands in .* already"):
        [one.case for one in load_questions(tmp_path)]


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("中华人民共和国刑法第六十七条第三款", "《中华人民共和国刑法》第六十七条第三款"),
        ("《中华人民共和国刑法》第133条之一", "《中华人民共和国刑法》第一百三十三条之一"),
        ("中华人民共和国劳动合同法第三十九条第（一）项", "《中华人民共和国劳动合同法》第三十九条第（一）项"),
        (
            "最高人民法院关于审理劳动争议案件适用法律问题的解释（一）第六条",
            "《最高人民法院关于审理劳动争议案件适用法律问题的解释（一）》第六条",
        ),
        (
            "最高人民法院关于适用《中华人民共和国民法典》合同编通则若干问题的解释第六十五条第二款",
            "《最高人民法院关于适用《中华人民共和国民法典》合同编通则若干问题的解释》第六十五条第二款",
        ),
        ("中华人民共和国刑法 133-1", "《中华人民共和国刑法》第一百三十三条之一"),
    ],
)
def test_a_law_may_be_written_as_a_text(text: str, chinese: str) -> None:
    ref = LawRef.model_validate(text)
    assert ref.chinese == chinese
    assert LawRef.model_validate(chinese) == ref


@pytest.mark.parametrize("text", ["民法典", "刑法第一条、第二条", "", "见刑法第一条。"])
def test_a_text_that_names_no_single_article_is_refused(text: str) -> None:
    with pytest.raises(ValidationError, match="names no single article"):
        LawRef.model_validate(text)


Change = tuple[str, Any, str]
"""Path, value, what is said."""
CIVIL: list[Change] = [
    ("gold", DROP, "gold: is missing. Write the judgment"),
    ("claims", DROP, "claims: is missing. Write at least one"),
    ("claims", [], "claims: is empty"),
    ("env", "XX", "env: 'XX' is no environment. Known: KQ"),
    ("env", DROP, "env: is missing"),
    ("schema", "j1case/9", "schema: 'j1case/9' is not known"),
    ("parties.1", DROP, "parties: no defendant"),
    ("parties.0.side", "第三人", "parties.P1.side: 第三人 takes no seat"),
    ("parties.0.side", "witness", "parties.P1.side: 证人 takes no seat in a trial here. Testimony"),
    ("parties.0.side", "king", "'king' is no known role"),
    ("parties.0.birth_date", "2024-02-02", "parties.P1.birth_date: 2024-02-02 is not before"),
    ("parties.0.kind", "company", "parties.P1: a company has no gender"),
    ("dates.judged", "2020-01-01", "dates.judged: 2020-01-01 lies before dates.proceeding"),
    ("evidence.0.owner", "P9", "evidence.E1.owner: P9 is no owner of this case. Known: P1, D1"),
    ("gold.charges", ["盗窃罪"], "gold.charges: is no field of a case file. Take it out."),
    ("evidence.0.ownr", "P1", "evidence.E1.ownr: is no field of a case file. Did you mean owner?"),
    ("evidence.0.objections.0.by", "P1", "P1 objects to an exhibit of its own side"),
    ("facts.0.known_by", ["P1", "Z"], "facts.F1.known_by: Z is no party"),
    ("facts.1.id", "F1", "facts: the id F1 stands there 2 times"),
    ("claims.0.amount", 1.005, "claims.C1.amount: an amount is in yuan with at most two decimals"),
    ("claims.0.amount", -1, "claims.C1.amount: -1 is below 0. Write another"),
    ("dates.filed", "昨天", "dates.filed: '昨天' is no day. Write a day as YYYY-MM-DD."),
    ("amount", "两万", "amount: '两万' is no number. Write a number, a sum in yuan, without quotes."),
    ("complaint", 5, "complaint: 5 is no text. Write a text in quotes."),
    ("gold.rulings.0.claim", "C9", "gold.rulings: C9 is no claim"),
    ("gold.rulings.0.outcome", "maybe", "'maybe' is not allowed. Allowed: 'granted'"),
    ("gold.laws", ["民法典"], "gold.laws[0]: '民法典' names no single article"),
    ("statements.Q", "x", "statements: Q is no party"),
]
CRIMINAL: list[Change] = [
    ("parties.+", lambda c: {**c["parties"][0], "id": "A2", "name": "乙"}, "2 accused; one is tried at a time"),
    ("parties.0.side", "plaintiff", "a criminal case has no plaintiff"),
    ("criminal", DROP, "criminal: is missing"),
    ("criminal.plea.stance", "maybe", "criminal.plea.stance: 'maybe' is not allowed"),
    ("criminal.custody.0.since", "2024-01-01", "criminal.custody[0].since: 2024-01-01 lies before"),
    ("gold.sentence.months", 2, "93 days in custody"),
    ("gold.sentence", {"kind": "无罪"}, "无罪 and the list of charges contradict"),
    ("gold.sentence.kind", "无期徒刑", "无期徒刑 has a term of 8 months"),
    ("gold.sentence.until", "2025-03-19", "is after the end of the term (2025-01-19)"),
    ("criminal.charges.0.name", "盗窃", "criminal.charges[0].name"),
]


FAULTS = [*((civil, *one) for one in CIVIL), *((criminal, *one) for one in CRIMINAL)]


@pytest.mark.parametrize(("case", "path", "value", "said"), FAULTS, ids=[said[:40] for *_, said in FAULTS])
def test_what_is_wrong_with_a_case_is_one_clear_sentence(
    case: Callable[[], dict[str, Any]], path: str, value: Any, said: str
) -> None:
    fields = changed(case(), path, value)
    with pytest.raises(CaseFault) as caught:
        read_case("cases.jsonl, line 3", fields)
    assert any(said in str(fault) for fault in caught.value.faults), [str(f) for f in caught.value.faults]
    assert str(caught.value).startswith("cases.jsonl, line 3, case C")
    assert "\n" not in str(caught.value) and "pydantic" not in str(caught.value)


def test_all_faults_are_named_at_once() -> None:
    fields = civil()
    del fields["cause"], fields["claims"]
    with pytest.raises(CaseFault, match=r"\(and 1 more\)") as caught:
        read_case("f", fields)
    assert [fault.field for fault in caught.value.faults] == ["cause", "claims"]


def test_topics_answer_what_they_ask() -> None:
    fields = knowledge_cases()[0].fields()
    fields["topics"][0]["answer"] = "也许"
    fields["topics"][3]["laws"] = []
    with pytest.raises(CaseFault) as caught:
        read_case("f", fields)
    assert [fault.field for fault in caught.value.faults] == ["topics.T1.answer", "topics.T4.laws"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.toml", "schema = ", "is no TOML"),
        ("a.toml", b"\xff\xfe", "not UTF-8"),
        ("a.jsonl", "{", "line 1: not valid JSON"),
        ("a.jsonl", "", "no cases in it"),
        ("a.jsonl", "[1]", "int instead of a JSON object"),
        ("a.jsonl", '{"原告": "甲"}', "layout: is not known"),
        ("a.csv", "原告,被告", "layout: is not known"),
        ("a.jsonl", '{"env": 3, "id": 7}', "env: '3' is no environment"),
        ("a.jsonl", '{"schema": "j1dispute/1"}', "number: is missing"),
        ("a.jsonl", '{"env": "CI", "parties": 7, "id": "x", "gold": [], "dates": null}', "line 1, case x"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, content: str | bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BadInput) as caught:
        [one.case for one in load_questions(path)]
    text = " ".join([str(caught.value), *(str(fault) for fault in getattr(caught.value, "faults", ()))])
    assert said in text and str(path) in text


def test_the_guide_shows_the_dispute_that_is_shipped() -> None:
    blocks = re.findall(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    shown = next(block for block in blocks if "j1dispute/1" in block)
    dispute = read_dispute("guide", tomllib.loads(shown))
    assert dispute == civil_disputes()[0] and isinstance(dispute, Dispute)
