"""Records of the published layout, of all six environments, from the file to the scores: what they say is kept, and
nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from store.errors import BadInput
from store.text.normalise import fold_width
from tasks.courts.casefile.case import AdviceCase, CivilCase, CriminalCase
from tasks.courts.casefile.people import Counsel
from tasks.courts.casefile.questions import load_questions
from tasks.courts.casefile.upstream import read_upstream, upstream_env
from tasks.courts.procedure import pfs
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.scores import judgment
from tests.support.court_stage import Court, by_rules, talk

FOLDER = Path(__file__).parents[1] / "upstream_courts"
FILE = FOLDER / "various.jsonl"
RECORDS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
IMPORTED = [read_upstream(str(FILE), fields) for fields in RECORDS]
CASES = {case.id: case for case, _ in IMPORTED}
REPORTS = {report.case: report for _, report in IMPORTED}
TRIALS = [name for name, case in CASES.items() if case.env in ("CI", "CR")]
_FORM = frozenset("schema id env lang side owner by claim outcome source based_on birth_date".split())
"""Fields that say how the file is built, and days, which the file writes otherwise than the record."""
_INVENTED = ("未载明", "None", "False", "没有签署", "没有签认罪认罚", "（否认）", "某某")


def record(env: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FOLDER / f"{env.lower()}.jsonl").read_text(encoding="utf-8").splitlines()[0])
    return loaded


@pytest.mark.parametrize("env", ["KQ", "LC", "CD", "DD", "CI", "CR"])
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
    people = fields["specific_characters"]
    people["plaintiff"] = [people["plaintiff"], {"name": "陶若渝", "gender": "女"}]
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


# --- many at once ---------------------------------------------------------------------------------------------------


def trial(name: str) -> CivilCase | CriminalCase:
    case = CASES[name]
    assert isinstance(case, CivilCase | CriminalCase)
    return case


def plain(text: str) -> str:
    return "".join(fold_width(text).split())


def texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from texts(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item, path)
    elif isinstance(value, str) and value and path.rpartition(".")[2] not in _FORM:
        yield path, value


@cache
def played(name: str, profile: Any = "law") -> Court:
    return by_rules(CASES[name], profile)


@pytest.mark.parametrize(("name", "record"), list(zip(CASES, RECORDS, strict=True)))
def test_nothing_stands_in_a_case_that_its_record_does_not_say_or_the_report_does_not_name(
    name: str, record: dict[str, Any]
) -> None:
    said, told = plain(json.dumps(record, ensure_ascii=False)), " ".join(REPORTS[name].filled)
    for path, value in texts(CASES[name].fields()):
        kept = all(plain(line) in said for line in value.splitlines())
        assert kept or path in told or path.rpartition(".")[0] in told, (path, value)


def test_counsel_sit_where_the_layout_has_lawyers() -> None:
    for party in (*trial("CI-201").parties, *trial("CR-302").parties):
        assert party.counsel is not None and party.counsel.profession == "律师" and not party.counsel.name
    assert trial("CR-303").parties[0].counsel is None
    one = trial("CR-301").parties[0].counsel
    assert one is not None and (one.name, one.firm) == ("即墨澄", "望川观澜律师事务所")


@pytest.mark.parametrize(
    ("name", "procedure", "panel"),
    [("CI-201", "简易程序", False), ("CI-202", "普通程序", True), ("CR-301", "速裁程序", False),
        ("CR-302", "普通程序", True)],
)  # fmt: skip
def test_the_bench_is_the_one_of_the_procedure(name: str, procedure: str, panel: bool) -> None:
    case = trial(name)
    assert (case.court.procedure, case.court.collegial) == (procedure, panel)
    assert ("collegial" in hearing_of(case).needs) is panel
    said = "".join(turn.text for turn in played(name).record if turn.speaker == "judge")
    assert ("合议庭审理" in said) is panel and ("独任审" in said) is not panel


def test_custody_is_no_record() -> None:
    for name, record, measures in (
        ("CR-301", "无前科。", ["拘留", "取保候审"]),
        ("CR-302", "曾因犯寻衅滋事罪，于2015年8月被判处有期徒刑一年，2016年7月刑满释放。", ["拘留", "逮捕"]),
        ("CR-303", "无", []),
        ("CR-304", "", ["取保候审"]),
    ):
        case = trial(name)
        assert isinstance(case, CriminalCase)
        assert case.criminal.record == record and [one.measure for one in case.criminal.custody] == measures


def test_pleas_are_those_of_the_record() -> None:
    found = {
        name: (case.criminal.plea.stance, case.criminal.plea.signed)
        for name in TRIALS
        if isinstance(case := trial(name), CriminalCase)
    }
    assert found == {
        "CR-301": ("guilty", True), "CR-302": ("guilty", None), "CR-303": ("not_guilty", None), "CR-304": ("guilty",
        None),
    }  # fmt: skip
    assert "criminal.plea.stance (guilty, as published)" in REPORTS["CR-302"].filled


def test_criminal_gold_is_that_of_the_accused() -> None:
    found = {}
    for name in TRIALS:
        case = trial(name)
        if isinstance(case, CriminalCase):
            one = case.gold.sentence
            found[name] = (case.gold.charges, one.kind, one.months, one.probation_months, one.fine)
    assert found == {
        "CR-301": (("盗窃罪",), "有期徒刑", 6, 12, 2000), "CR-302": (("故意伤害罪",), "有期徒刑", 16, 0, 0),
        "CR-303": (("运输毒品罪",), "无期徒刑", 0, 0, 0), "CR-304": (("盗窃罪", "掩饰、隐瞒犯罪所得罪"), "有期徒刑",
            16, 0, 8000),
    }  # fmt: skip
    joint = trial("CR-302")
    assert isinstance(joint, CriminalCase) and [charge.name for charge in joint.criminal.charges] == ["故意伤害罪"]
    assert not any("西门渡犯" in ruling for ruling in joint.gold.judgment) and "38650元" in joint.gold.judgment[1]
    assert any("other accused" in what for what in REPORTS["CR-302"].dropped)


def test_civil_gold_says_what_became_of_each_claim() -> None:
    found = {}
    for name in TRIALS:
        case = trial(name)
        if isinstance(case, CivilCase):
            found[name] = [(one.claim, one.outcome, one.amount) for one in case.gold.rulings]
            assert case.gold.fee is not None
    assert found == {
        "CI-201": [("C1", "partly", 80000), ("C2", "granted", 4300), ("C3", "rejected", 0)],
        "CI-202": [("C1", "granted", None), ("C2", "partly", 1200)],
        "CI-203": [("C1", "granted", 18000), ("C2", "granted", 12000)],
    }


def test_exhibits_are_read_from_the_words() -> None:
    contract, receipts, invoice, photographs = trial("CI-201").evidence
    assert (contract.title, contract.kind, contract.objections) == ("货架加工合同一份", "书证", ())
    assert contract.purpose == "证明双方约定了价款、付款期限和违约金"
    assert receipts.objections[0].text.startswith("真实性认可") and not receipts.objections[0].truth
    assert (invoice.purpose, photographs.kind, photographs.owner) == ("", "", "D1")
    assert [one.title for one in trial("CR-303").evidence][1:3] == ["证人万俟良的证言", "查获经过"]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_rules_play_it_to_the_end_and_invent_nothing(name: str) -> None:
    case = CASES[name]
    for profile in ("law", "j1") if name in ("CI-201", "CR-302") else ("law",):
        court = played(name, profile)
        assert court.outcome == "finished" and not court.tagged("leaked")
        said = "\n".join(turn.text for turn in court.record)
        assert not any(word in said for word in _INVENTED)
        if isinstance(case, CivilCase | CriminalCase) and name in TRIALS:
            turns = court.record
            assert pfs.strict(turns, hearing_of(case), profile).pfs == 1.0


@pytest.mark.parametrize("name", CASES)
def test_prompts_hold_nothing_that_the_record_lacks(name: str) -> None:
    court = Court(CASES[name], talk(lambda role, number: f"第{number}句。"), turns=6).run()
    shown = "\n".join(
        message.content for _, ask in court.asks for message in ask.messages if message.role == "system"
    )
    assert shown and not any(word in shown for word in _INVENTED)
    assert CASES[name].env != "DD" or "案由：" not in shown


@pytest.mark.parametrize("name", TRIALS)
def test_the_judgment_of_the_gold_earns_every_score(name: str) -> None:
    case = trial(name)
    best = judgment.score(case, [judgment.gold_text(case)])
    wanted = ("JUD_claims", "LAW") if case.env == "CI" else ("CRI", "LAW")
    assert best.failed is None and [best.strict[metric] for metric in wanted] == [1.0, 1.0]
    assert case.env == "CI" or best.strict["VER"] == 0.0
