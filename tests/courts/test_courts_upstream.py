"""Records of the published layout and masked judgments become cases, and every gap is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from store.errors import BadInput
from tasks.courts.casefile.case import AdviceCase, CivilCase, CriminalCase
from tasks.courts.casefile.people import Counsel
from tasks.courts.casefile.questions import load_questions
from tasks.courts.casefile.upstream import read_upstream, upstream_env

FOLDER = Path(__file__).parents[1] / "upstream_courts"
ENVS = ["KQ", "LC", "CD", "DD", "CI", "CR"]


def record(env: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FOLDER / f"{env.lower()}.jsonl").read_text(encoding="utf-8").splitlines()[0])
    return loaded


@pytest.mark.parametrize("env", ENVS)
def test_each_layout_is_known_and_read(env: str) -> None:
    (question,) = load_questions(FOLDER / f"{env.lower()}.jsonl")
    assert question.case.env == env and question.id.startswith(f"{env}-")
    assert question.notes[0].startswith("filled in: ") and question.case.provenance.source == "imported"
    assert upstream_env(question.case.fields()) is None


def test_topics_keep_what_can_be_scored() -> None:
    case, report = read_upstream("f", record("KQ"))
    assert isinstance(case, AdviceCase)
    assert [topic.type for topic in case.topics] == ["binary", "binary", "open", "law", "open", "open"]
    assert [topic.answer for topic in case.topics[:2]] == ["是", "否"]
    assert [law.chinese for law in case.topics[3].laws] == ["《中华人民共和国民法典》第一千一百三十四条"]
    assert (case.theme, case.client.occupation, case.agent_title) == ("遗嘱", "退休教师", "法律实习生")
    assert "topic_list[6] (no question or no answer)" in report.dropped
    assert "topics.T3.type (open: the answer is neither 是 nor 否)" in report.filled


def test_a_complaint_and_a_defence() -> None:
    case, _ = read_upstream("f", record("CD"))
    other, _ = read_upstream("f", record("DD"))
    assert isinstance(case, CivilCase) and isinstance(other, CivilCase)
    plaintiff, defendant = case.parties
    assert (plaintiff.kind, plaintiff.gender, str(plaintiff.birth_date)) == ("person", "女", "1988-05-02")
    assert (defendant.kind, defendant.representative) == ("company", "闻人朔")
    assert [claim.kind for claim in case.claims] == ["pay", "declare", "pay", "costs"]
    assert [claim.amount for claim in case.claims] == [50000, None, 300, None]
    assert [exhibit.owner for exhibit in case.evidence] == ["P1", "P1"]
    assert [exhibit.owner for exhibit in other.evidence] == ["D1"]
    assert other.court.docket == "（2024）望0105民初901号" and len(other.defences) == 2
    assert case.cluster == other.cluster == "陶若汐诉澜江市拾穗家具有限公司"


def test_a_criminal_trial_with_the_published_misspelling() -> None:
    case, report = read_upstream("f", record("CR"))
    assert isinstance(case, CriminalCase)
    assert case.criminal.plea.text == "后悔，愿意接受处罚" and case.criminal.record == "无前科"
    assert [(one.measure, str(one.since)) for one in case.criminal.custody] == [("取保候审", "2024-02-01")]
    assert case.parties[0].counsel == Counsel(name="纪晚亭", profession="律师")
    assert case.criminal.charges[0].name == "危险驾驶罪" and case.gold.charges == ("危险驾驶罪",)
    sentence = case.gold.sentence
    assert (sentence.kind, sentence.months, sentence.probation_months, sentence.fine) == ("拘役", 1, 2, 2000)
    assert [law.number.key for law in case.gold.laws] == ["133-1", "67"]
    assert case.criminal.defence_opinion == "被告人自首，血液酒精含量较低，请求从轻处罚。"
    assert "defendant.personal_information.birth_date (1990-02-30)" in report.dropped
    assert "defendant.personal_information.hobby" in report.dropped
    assert "criminal.plea.stance (guilty, as published)" in report.filled


def test_two_plaintiffs_are_refused_in_one_sentence(tmp_path: Path) -> None:
    fields = record("CD")
    fields["specific_characters"]["plaintiff"] = [
        fields["specific_characters"]["plaintiff"],
        {"name": "陶若渝", "gender": "女"},
    ]
    with pytest.raises(BadInput, match=r"2 plaintiffs \(原告\); one plaintiff sues one defendant here"):
        read_upstream("f", fields)
    path = tmp_path / "cd.json"
    path.write_text(json.dumps([fields, record("CD")]), encoding="utf-8")
    with pytest.raises(BadInput, match="line 1"):
        load_questions(path)


@pytest.mark.parametrize(
    ("env", "drop", "said"),
    [
        ("CI", "court_information", "gold: is missing"),
        ("CI", "plaintiff_claim", "claims: is empty"),
        ("CI", "id", "id: is missing"),
        ("CD", "case_details", "complaint: is missing"),
        ("KQ", "topic_list", "layout: is not known"),
    ],
)
def test_what_a_record_lacks_is_named(env: str, drop: str, said: str) -> None:
    fields = record(env)
    del fields[drop]
    with pytest.raises(BadInput, match=said):
        read_upstream("f, line 1", fields)
