"""What a lawyer would laugh at is found: wrong law, sums that do not add up, sentences that do not exist."""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.cli.tasks import tasks as tasks_group
from store.statutes.applicable import CaseDates
from store.statutes.model import Article, ArticleNumber, LawVersion
from tasks.courts.casefile.law import check_text, shipped_laws
from tasks.courts.casefile.loading import read_case
from tasks.courts.casefile.sense import CaseFinding
from tasks.courts.checking.case import check_case, court_fee
from tasks.errors import UsageError
from tasks.sample.build import civil_disputes, criminal_cases, knowledge_cases
from tests.support.court_run_fixture import DROP, changed

Change = Callable[[dict[str, Any]], Any]
LOAN = "中华人民共和国民法典第六百七十五条"


def found(fields: dict[str, Any], change: Change) -> list[CaseFinding]:
    fields = copy.deepcopy(fields)
    change(fields)
    return check_case(read_case("f", fields))


def civil() -> dict[str, Any]:
    return civil_disputes()[0].cases()[2].fields()


def criminal() -> dict[str, Any]:
    return criminal_cases()[0].fields()


CIVIL: list[tuple[str, Any, str]] = [
    (
        "gold.laws.+",
        "民法典第六百七十六条",
        "《民法典》 is not in the statute book. Did you mean 中华人民共和国民法典?",
    ),
    (
        "gold.laws.+",
        "中华人民共和国民法典第一千三百条",
        "《中华人民共和国民法典》 has no 第一千三百条 in any version",
    ),
    ("gold.laws.+", "中华人民共和国合同法第二百零六条", "is not the law of this case"),
    ("gold.laws.+", LOAN, "stands there twice"),
    ("gold.reason", "依照《中华人民共和国民法典》第一千九百条。", "gold.reason: 《中华"),
    ("amount", 221000, "amount: 221000, but the claims add up to 221500"),
    ("claims.0.parts", [{"text": "本金", "amount": 1}], "claims.C1.parts: add up to 1, the claim is 200000"),
    ("claims.0.text", "判令还钱", "claims.C1.text: does not say 200000 yuan"),
    ("gold.rulings.-1", DROP, "gold.rulings: no ruling on C3"),
    ("gold.rulings.0.outcome", "granted", "is granted in full, but 176000 is not 200000"),
    ("gold.rulings.0.amount", 300000, "is granted in part, but 300000 is not above 0 and up to 200000"),
    ("gold.rulings.0.amount", 175000, "the judgment does not say 175000 yuan"),
    ("gold.rulings.2.amount", 8000, "is rejected and yet 8000 yuan"),
    ("gold.judgment.2", DROP, "does not reject what is not granted"),
    ("gold.fee.total", 2300, "the shares add up to 2311.25, not 2300"),
    ("court.procedure", "普通程序", "2311.25 yuan; 《诉讼费用交纳办法》 gives 4622.5"),
    ("parties.1.birth_date", "2010-01-01", "is 14: a 法定代理人"),
    ("parties.1.contact", "13912345678", "looks like a telephone number"),
    ("parties.1.name", "张某", "looks like a masked name"),
    ("dates.filed", DROP, "dates.filed: is missing"),
    ("dates.judged", "2026-01-01", "is later than the index of laws"),
]
CRIMINAL: list[tuple[str, Any, str]] = [
    ("gold.charges", ["诈骗罪"], "诈骗罪 was not charged"),
    ("gold.sentence.months", 9, "does not say 有期徒刑九个月"),
    ("gold.sentence.months", 9, "held since 2024-05-20, so the term runs to 2025-02-19"),
    ("gold.sentence.fine", 9000, "does not say a fine of 9000 yuan"),
    ("parties.0.birth_date", "2007-02-09", "is 17: a 法定代理人"),
    ("criminal.custody.0.until", "2024-07-20", "拘留 of more than 37 days"),
]


FAULTS = [*((civil, *one) for one in CIVIL), *((criminal, *one) for one in CRIMINAL)]


@pytest.mark.parametrize(("case", "path", "value", "said"), FAULTS, ids=[str(n) for n in range(len(FAULTS))])
def test_faults_of_a_case(case: Callable[[], dict[str, Any]], path: str, value: Any, said: str) -> None:
    findings = [str(finding) for finding in check_case(read_case("f", changed(case(), path, value)))]
    assert any(said in text for text in findings), findings


def test_a_draft_of_a_judgment_may_hold_masked_names_but_no_numbers() -> None:
    def change(case: Any) -> None:
        case["provenance"]["source"] = "derived"
        case["parties"][1].update(name="张某", contact="13912345678")

    findings = [str(finding) for finding in found(civil(), change)]
    assert not any("masked name" in text for text in findings)
    assert any("looks like a telephone number" in text for text in findings)


@pytest.mark.parametrize(
    ("cause", "claim", "fee", "right"),
    [
        ("健康权纠纷", "赔偿损失", 603.75, True),
        ("健康权纠纷", "赔偿损失", 2311.25, True),
        ("健康权纠纷", "赔偿损失", 1200, False),
        ("提供劳务者受害责任纠纷", "赔偿医疗费", 803.75, True),
        ("机动车交通事故责任纠纷", "赔偿车辆修理费", 603.75, False),
        ("网络侵权责任纠纷", "恢复名誉", 603.75, True),
        ("民间借贷纠纷", "赔偿医疗费", 603.75, False),
        ("离婚纠纷", "离婚", 150, True),
    ],
)
def test_where_a_person_was_hurt_either_scale_of_fees_will_do(
    cause: str, claim: str, fee: float, right: bool
) -> None:
    def change(case: dict[str, Any]) -> None:
        case["cause"] = cause
        case["claims"][0]["text"] += claim
        case["gold"]["fee"] = {"total": fee, "plaintiff": 0, "defendant": fee}

    said = [finding.what for finding in found(civil(), change)]
    assert any("《诉讼费用交纳办法》 gives" in one for one in said) != right, said


def test_a_number_after_a_title_belongs_to_it() -> None:
    title = "最高人民法院关于审理建设工程施工合同纠纷案件适用法律问题的解释"
    new, old = (CaseDates(day, None, day, day) for day in (date(2023, 5, 1), date(2016, 5, 1)))
    for text, dates in (
        (f"《{title}》（一）第四十五条", new),
        (f"《{title}（一）》第四十五条", new),
        (f"《{title}》第二条", old),
    ):
        assert list(check_text("f", text, dates, shipped_laws())) == [], text
    assert "is not the law" in str(next(check_text("f", f"《{title}》（二）第二十六条", new, shipped_laws())))


def test_advice() -> None:
    fields = knowledge_cases()[0].fields()

    def change(case: dict[str, Any]) -> None:
        del case["dates"], case["theme"], case["topics"][5]["points"]
        case["topics"][0]["laws"] = []
        case["topics"][3]["answer"] = "那一条"
        case["topics"][1]["question"] = case["topics"][0]["question"]

    said = "\n".join(str(finding) for finding in found(fields, change))
    parts = ("dates.asked: is missing", "T1.laws: is missing", "T4.answer: names none", "T6.points", "is asked twice")
    assert all(part in said for part in parts)


def test_an_imported_case_may_lack_what_an_authored_one_may_not() -> None:
    findings = found(civil(), lambda c: (c.update(provenance={"source": "imported"}), c["dates"].clear()))
    assert [finding for finding in findings if finding.level == "error"] == []


class Book:
    """A statute book with the words of one article."""

    def versions(self, law: str) -> list[LawVersion]:
        return [LawVersion(law, "v", date(2000, 1, 1), None)]

    def numbers(self, law: str, label: str) -> frozenset[ArticleNumber]:
        return frozenset(ArticleNumber(n) for n in range(1, 1300))

    def article(self, law: str, label: str, number: ArticleNumber) -> list[Article]:
        return [Article(law, label, number, text="第一款。\n（一）甲；\n（二）乙。\n第二款。")]


def test_paragraphs_are_counted_where_the_text_is_at_hand() -> None:
    fields = civil()
    fields["gold"]["laws"].append("中华人民共和国民法典第一条第三款")
    findings = check_case(read_case("f", fields), Book())
    assert any("中华人民共和国民法典第一条 has 2 paragraphs (款)" in str(finding) for finding in findings)


def test_an_interpretation_younger_than_the_facts_is_a_warning() -> None:
    law = "最高人民法院关于适用《中华人民共和国民法典》合同编通则若干问题的解释第六十五条"

    def change(case: dict[str, Any]) -> None:
        case["dates"]["acted_until"] = "2023-06-01"
        case["gold"]["laws"].append(law)

    findings = found(civil(), change)
    assert [finding.level for finding in findings] == ["warning"] and "younger than the facts" in findings[0].what


def test_the_fee_of_the_court() -> None:
    fees = {5000: 50, 10_000: 50, 100_000: 2300, 200_000: 4300, 500_000: 8800, 1_000_000: 13_800, 221_500: 4622.5}
    assert {amount: court_fee(amount) for amount in fees} == fees


def test_the_command_names_file_and_field(tmp_path: Path) -> None:
    def said(*words: str) -> tuple[int, str]:
        made = CliRunner().invoke(tasks_group, ["validate", *words])
        return made.exit_code, made.output

    path = tmp_path / "x.toml"
    path.write_text('schema = "j1dispute/1"\nnumber = 1', encoding="utf-8")
    code, text = said("--law", str(path), str(tmp_path / "none"))
    assert code == 1 and f"{path}: error: claims: is missing" in text
    assert "There is no case file" in text and "0 件" in text
    (tmp_path / "empty").mkdir()
    code, text = said("--law", str(tmp_path / "empty"))
    assert code == 1 and "empty: error: no cases in it" in text
    assert "中华人民共和国民法典\t2021-01-01.." in said("--laws")[1]
    assert isinstance(CliRunner().invoke(tasks_group, ["validate", "--laws", str(path)]).exception, UsageError)
