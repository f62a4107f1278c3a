"""The experts on substance: what they decide of what is disputed, and that their tables are law."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest

pytest.importorskip("tasks.experts")

from tasks.courts.agents.citing import cite, listed
from tasks.courts.agents.civil.case import NO_DECISION
from tasks.courts.agents.civil.judge import CivilJudge
from tasks.courts.agents.criminal.judge import CriminalJudge
from tasks.courts.casefile.law import shipped_laws
from tasks.courts.scores.judgment import floor, score
from tasks.experts.civil import judging
from tasks.experts.civil.judging import UNPROVEN, articles, causes, references
from tasks.experts.criminal.circumstances import interpretations, table
from tasks.experts.criminal.judging import decide
from tasks.legalsearch.rules.facts import by_canonical
from tests.courts import test_courts_civil_rules as civil
from tests.courts import test_courts_criminal_rules as criminal

pytestmark = pytest.mark.slow

CIVIL, CRIMINAL = CivilJudge(decide=judging.judge), CriminalJudge(decide=decide)


def test_civil_articles_are_found_and_none_is_made_up() -> None:
    gained = []
    for case in [*civil.CASES.values()][::2]:
        record = civil.play(case, judge=CIVIL)[1]
        assert civil.strict(case, record, "law").pfs == 1, case.id
        found = score(case, civil.of_judge(record), turns=record[-1].number)
        assert found.failed is None and found.strict["LAW_FAKE"] == 0 and NO_DECISION not in record[-1].text
        gained.append((found.strict["LAW"] or 0) - (floor(case).strict["LAW"] or 0))
    assert sum(gained) / len(gained) > 0.6


def test_a_claim_without_evidence_is_refused_for_want_of_proof() -> None:
    bare = civil.LOAN.model_copy(update={"evidence": (), "defences": (), "answer": "请求依法判决。"})
    assert UNPROVEN in civil.play(bare, judge=CIVIL)[1][-1].text


def test_every_civil_article_exists_and_only_law_of_the_day_is_cited() -> None:
    laws = shipped_laws()
    for one in references():
        numbers = {
            number.number for version in laws.versions(one.law) for number in laws.numbers(one.law, version.label)
        }
        assert one.number in numbers, one
    assert len(causes()) >= 50
    words = "被告支付货款、违约金；违约金过高，请求调减"
    new = articles("买卖合同纠纷", words, words, words, date(2023, 5, 1), date(2024, 10, 1), old=False)
    assert {("中华人民共和国民法典", 628), ("中华人民共和国民法典", 585)} <= {(one.law, one.number) for one in new}
    before = articles("买卖合同纠纷", words, words, words, date(2023, 5, 1), date(2023, 6, 1), old=False)
    assert not any("合同编通则" in one.law for one in before) and any("合同编通则" in one.law for one in new)
    old = articles("买卖合同纠纷", words, words, words, date(2019, 5, 1), date(2021, 6, 1), old=True)
    assert {one.law for one in old} == {"中华人民共和国合同法"}


def test_criminal_charges_stand_on_what_the_objections_leave() -> None:
    found: dict[str, Any] = {
        case.id: criminal.play(case, judge=CRIMINAL)[0][-1].text for case in list(criminal.CASES.values())[:4]
    }
    assert all("判决如下" in text and "犯" in text.partition("判决如下")[2] for text in found.values())
    bare = next(iter(criminal.CASES.values())).model_copy(update={"evidence": ()})
    assert "无罪" in criminal.play(bare, judge=CRIMINAL)[0][-1].text.partition("判决如下")[2]


def test_only_who_admits_is_said_to_admit() -> None:
    said = {name: criminal.play(criminal.CASES[name], judge=CRIMINAL)[0][-1].text for name in ("CR-0001", "CR-0002")}
    assert ["被告人对上述事实没有异议" in text for text in said.values()] == [True, False]
    assert all("经审理查明" in text for text in said.values())


def test_the_table_of_interpretations_is_law() -> None:
    charges = table()["see"]
    assert len(charges) > 10 and all(charge in by_canonical() for charge in charges)
    for charge in charges:
        assert all(article.exists(date(2024, 6, 1)) for article, _ in interpretations(charge)), charge
    assert listed([cite("264"), cite("52")]) == "《中华人民共和国刑法》第二百六十四条、第五十二条"


@pytest.mark.parametrize("name", ["CR-0006", "CR-0008", "CR-0009"])
def test_a_denial_is_not_borne_out_by_those_who_accuse(name: str) -> None:
    text = criminal.play(criminal.CASES[name], judge=CRIMINAL)[0][-1].text
    told = next(part for part in re.split("(?<=。)", text) if "供述和辩解" in part)
    assert "相互印证" not in told and "辩解不予采信" in told
    accused = next(part for part in re.split("(?<=。)", text) if "相互印证" in part)
    assert "被告人" not in accused.replace("被告人亲属", "")
