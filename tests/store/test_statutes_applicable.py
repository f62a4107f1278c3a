"""Which version a case calls for: the rules a lawyer would name, and no verdict bolder than they are."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.statutes.applicable import CODE, CaseDates, judge_version, kind_of, rules
from store.statutes.model import ArticleNumber, LawVersion

CRIMINAL = "中华人民共和国刑法"
PROCEDURE = "中华人民共和国民事诉讼法"
INHERITANCE = "中华人民共和国继承法"


def day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def version(law: str, first: str | None, last: str | None = None) -> LawVersion:
    return LawVersion(law, law, day(first), day(last))


def case(acted: str | None = None, judged: str | None = None, until: str | None = None, **more: object) -> CaseDates:
    return CaseDates(acted=day(acted), acted_until=day(until), judged=day(judged), **more)  # type: ignore[arg-type]


OLD = version(CRIMINAL, "2011-05-01", "2015-10-30")
NEW = version(CRIMINAL, "2015-11-01", "2017-11-03")
NEXT = version(CRIMINAL, "2017-11-04", "2021-02-28")
CIVIL_CODE = version(CODE, "2021-01-01")
SUCCESSION = version(INHERITANCE, "1985-10-01", "2020-12-31")


@pytest.mark.parametrize(
    ("law", "kind"),
    [
        (CRIMINAL, "criminal"), ("刑法修正案（八）", "criminal"),
        ("全国人民代表大会常务委员会关于惩治骗购外汇、逃汇和非法买卖外汇犯罪的决定", "criminal"),
        (PROCEDURE, "procedure"), ("中华人民共和国刑事诉讼法", "procedure"),
        ("最高人民法院关于适用《中华人民共和国刑事诉讼法》的解释", "procedure"),
        ("最高人民法院关于民事诉讼证据的若干规定", "procedure"), ("中华人民共和国逮捕拘留条例", "procedure"),
        (CODE, "civil"), (INHERITANCE, "civil"),
        ("最高人民法院、最高人民检察院关于办理盗窃刑事案件适用法律若干问题的解释", "criminal_interpretation"),
        ("最高人民法院关于审理买卖合同纠纷案件适用法律问题的解释", "civil"),
        ("中华人民共和国治安管理处罚法", "penalty"), ("中华人民共和国水法", "substantive"),
        ("", "substantive"),
    ],
)  # fmt: skip
def test_kinds(law: str, kind: str) -> None:
    assert kind_of(law) == kind


@pytest.mark.parametrize(
    ("which", "dates", "verdict", "rule"),
    [
        (OLD, case("2014-01-01", "2016-01-01"), "applicable", "criminal_at_act"),
        (NEW, case("2014-01-01", "2016-01-01"), "possible", "criminal_lighter"),
        (NEW, case("2014-01-01"), "possible", "criminal_lighter"),
        (NEXT, case("2014-01-01", "2016-01-01"), "not", "criminal_after"),
        (NEW, case("2014-01-01", "2018-01-01"), "possible", "criminal_between"),
        (OLD, case("2016-01-01", "2018-01-01"), "not", "criminal_ended"),
        (NEW, case("2014-01-01", "2016-01-01", retrial=True), "not", "criminal_retrial"),
        (OLD, case("2014-01-01", "2016-06-01", until="2016-01-01"), "possible", "criminal_continuing"),
        (NEW, case("2014-01-01", "2016-06-01", until="2016-01-01"), "applicable", "criminal_continuing"),
        (OLD, case("2015-10-30", "2016-06-01"), "applicable", "criminal_at_act"),
        (OLD, case(judged="2016-06-01"), "possible", "no_date"),
        (NEXT, case(judged="2016-06-01"), "not", "criminal_after"),
        (version(CRIMINAL, None), case("2014-01-01"), "possible", "no_window"),
    ],
)
def test_criminal_law(which: LawVersion, dates: CaseDates, verdict: str, rule: str) -> None:
    found = judge_version(which, dates)
    assert (found.verdict, found.rule.key) == (verdict, rule)


@pytest.mark.parametrize(
    ("which", "dates", "article", "verdict", "provision"),
    [
        (CIVIL_CODE, case("2021-01-01", "2022-01-01"), None, "applicable", "第一条第一款"),
        (CIVIL_CODE, case("2019-05-01", "2022-01-01"), None, "possible", "第二条"),
        (CIVIL_CODE, case("2004-05-01", "2005-01-01"), 1142, "not", "第二十八条"),
        (CIVIL_CODE, case("2019-05-01", "2022-01-01", until="2021-06-01"), None, "applicable", "第一条第三款"),
        (CIVIL_CODE, case("2019-05-01", "2022-01-01", retrial=True), None, "not", "第五条"),
        (CIVIL_CODE, case("2019-05-01", "2022-01-01"), 1176, "possible", "第十六条"),
        (CIVIL_CODE, case("2019-05-01", "2022-01-01"), 765, "possible", "第十二条"),
        (CIVIL_CODE, case("2019-05-01", "2022-01-01"), 1165, "possible", "第二十四条"),
        (CIVIL_CODE, case("2019-05-01", "2022-01-01"), 144, "possible", "第八条"),
        (SUCCESSION, case("2019-05-01", "2022-01-01"), None, "applicable", "第一条第二款"),
        (SUCCESSION, case("2021-05-01", "2022-01-01"), None, "not", "立法法"),
        (SUCCESSION, case("2019-05-01", "2022-01-01", until="2021-06-01"), None, "possible", "第一条第三款"),
        (SUCCESSION, case("1984-05-01", "1986-01-01"), None, "not", "立法法"),
    ],
)
def test_civil_facts_across_the_code(
    which: LawVersion, dates: CaseDates, article: int | None, verdict: str, provision: str
) -> None:
    found = judge_version(which, dates, number=ArticleNumber(article) if article else None)
    assert found.verdict == verdict and provision in found.rule.basis


@pytest.mark.parametrize(
    ("law", "first", "last", "dates", "verdict", "rule"),
    [
        (PROCEDURE, "2013-01-01", "2017-06-30", case(proceeding=date(2015, 1, 1)), "applicable", "procedure_now"),
        (PROCEDURE, "2013-01-01", "2017-06-30", case("2010-01-01", proceeding=date(2015, 1, 1)), "applicable",
            "procedure_now"),
        (PROCEDURE, "2008-04-01", "2012-12-31", case("2010-01-01", proceeding=date(2015, 1, 1)), "not",
            "procedure_not_then"),
        (PROCEDURE, "2013-01-01", None, case(proceeding=date(2012, 6, 1), judged="2013-06-01"), "possible",
            "procedure_pending"),
        (PROCEDURE, "2013-01-01", None, case("2010-01-01"), "possible", "no_date"),
        ("中华人民共和国治安管理处罚法", "2026-01-01", None, case("2025-06-01", "2026-02-01"), "possible",
            "penalty_lighter"),
        ("中华人民共和国治安管理处罚法", "2013-01-01", "2025-12-31", case("2025-06-01", "2026-02-01"), "applicable",
            "penalty_at_act"),
        ("中华人民共和国治安管理处罚法", "2013-01-01", None, case("2012-06-01", "2013-02-01"), "not", "not_then"),
        ("中华人民共和国公司法", "2024-07-01", None, case("2023-01-01", "2024-12-01"), "possible", "company"),
        ("中华人民共和国公司法", "2018-10-26", "2024-06-30", case("2023-01-01", "2024-12-01"), "applicable",
            "at_act"),
        ("中华人民共和国水法", "2016-09-01", None, case("2010-01-01", "2017-01-01"), "not", "favourable"),
        ("中华人民共和国水法", "2016-09-01", None, case("2016-01-01", "2018-01-01", until="2017-01-01"), "possible",
            "during_act"),
        ("最高人民法院关于办理盗窃刑事案件的解释", "2013-04-04", None, case("2012-01-01", "2013-06-01"), "possible",
            "interpretation_later"),
        ("最高人民法院关于办理盗窃刑事案件的解释", "2013-04-04", None, case("2012-01-01", "2012-06-01"), "not",
            "interpretation_closed"),
        ("最高人民法院关于办理盗窃刑事案件的解释", "1998-03-17", "2013-04-03", case("2012-01-01", "2013-06-01"),
            "applicable", "interpretation_at_act"),
    ],
)  # fmt: skip
def test_other_kinds(law: str, first: str, last: str | None, dates: CaseDates, verdict: str, rule: str) -> None:
    found = judge_version(version(law, first, last), dates)
    assert (found.verdict, found.rule.key) == (verdict, rule)


DAYS = st.none() | st.integers(0, 15000).map(lambda n: date(1985, 1, 1) + timedelta(days=n))
OTHERS = ["中华人民共和国治安管理处罚法", "中华人民共和国水法", "最高人民法院关于盗窃犯罪的解释"]
LAWS = st.sampled_from([CRIMINAL, PROCEDURE, CODE, INHERITANCE, *OTHERS])


@given(LAWS, DAYS, DAYS, DAYS, DAYS, DAYS, DAYS, st.booleans())
def test_no_verdict_is_bolder_than_the_dates(
    law: str, first: date | None, last: date | None, acted: date | None, until: date | None, proceeding: date | None,
    judged: date | None, retrial: bool,
) -> None:  # fmt: skip
    if first and last and last < first:
        first, last = last, first
    which = LawVersion(law, law, first, last)
    dates = CaseDates(acted, until, proceeding, judged, retrial)
    found = judge_version(which, dates)
    assert found.rule.says
    if found.verdict == "applicable" and first:
        days = [d for d in (acted, dates.ended, proceeding, judged) if d]
        assert days and first <= max(days), "a version that began after everything is never applicable"
    if acted is None and proceeding is None and judged is None:
        assert found.verdict == "possible"


def test_every_rule_is_named() -> None:
    assert all(rule.key == key and rule.says.endswith("。") for key, rule in rules().items())
    open_questions = ("no_date", "no_window", "parent_ended", "after_data")
    assert all(rule.basis for key, rule in rules().items() if key not in open_questions)
