"""The roles of the days that a question names: conduct, procedure, judgment, or none of these."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.search.query import Span
from store.search.times import periods
from store.statutes.applicable import judge_version
from store.statutes.model import LawVersion
from store.text.normalise import fold_width
from tasks.legalsearch.dates import case_dates, span_mentions

DRUNK = "2010年5月3日张某醉酒驾驶机动车被查获，2012年3月1日法院开庭审理，如何适用刑法第一百三十三条之一？"


def spans(text: str) -> tuple[Span, ...]:
    unique: dict[tuple[date, date], Span] = {}
    for one in periods(fold_width(text))[0]:
        unique.setdefault((one.first, one.last), Span(one.first, one.last, one.said))
    return tuple(unique.values())


def read(text: str) -> tuple[str | None, ...]:
    """acted, acted_until, proceeding, judged of a text, as texts."""
    dates = case_dates(text, spans(text))
    days = (dates.acted, dates.acted_until, dates.proceeding, dates.judged)
    return tuple(day.isoformat() if day else None for day in days)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DRUNK, ("2010-05-03", None, "2012-03-01", None)),
        ("行为时为2010年5月3日，裁判时为2012年3月1日，适用哪一版？", ("2010-05-03", None, None, "2012-03-01")),
        ("行为时：2010年5月3日；诉讼时：2011年6月1日。", ("2010-05-03", None, "2011-06-01", None)),
        (
            "被告人鲁某，1985年3月5日出生，2006年7月因犯盗窃罪被判处有期徒刑一年。2014年9月3日，鲁某醉酒驾驶拖拉机。"
            "2015年12月1日提起公诉。",
            ("2014-09-03", None, "2015-12-01", None),
        ),
        (
            "鲁某曾因诈骗于2008年4月1日被判处拘役，2008年9月30日刑满释放。2014年9月3日，鲁某在河边盗窃风筝。",
            ("2014-09-03", None, None, None),
        ),
        ("被告人鲁某（女，1985年3月5日生）于2014年9月3日盗窃风筝。", ("2014-09-03", None, None, None)),
        ("2014年9月3日，鲁某盗窃路灯。案发后，鲁某于2014年10月1日外逃。", ("2014-09-03", None, None, None)),
        ("2014年9月3日，鲁某砸毁路灯。2014年9月20日，经鉴定，路灯价值三百元。", ("2014-09-03", None, None, None)),
        ("2014年9月3日，鲁某盗窃路灯。2016年3月1日，鲁某在家属陪同下，到公安机关投案。",
            ("2014-09-03", None, "2016-03-01", None)),
        ("2014年9月3日，鲁某盗窃后被刑事拘留，2014年10月8日被逮捕。", ("2014-09-03", None, "2014-10-08", None)),
        (
            "甲与乙于2019年3月1日签订借款合同，2020年6月2日甲向法院起诉，2021年2月3日法院作出一审判决。",
            ("2019-03-01", None, "2020-06-02", "2021-02-03"),
        ),
    ],
)  # fmt: skip
def test_roles(text: str, expected: tuple[str | None, ...]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("从2010年5月1日至2012年3月1日，鲁某非法经营路灯。", ("2010-05-01", "2012-03-01")),
        ("2010年5月至2012年3月期间，被告人鲁某收受风筝。", ("2010-05-01", "2012-03-31")),
        ("2010年5月3日、2011年6月4日，鲁某先后盗窃路灯。", ("2010-05-03", "2011-06-04")),
        ("具体如下：1、2010年5月3日，鲁某盗窃路灯。2、2012年6月4日，鲁某盗窃路灯。", ("2010-05-03", "2012-06-04")),
        ("2010年5月开始，鲁某销售假灯油。2012年8月6日，公安机关在店内查获灯油。", ("2010-05-01", "2012-08-06")),
        ("2010年5月3日，鲁某盗窃路灯。2010年8月4日，鲁某殴打看灯人。", ("2010-05-03", None)),
        ("2010年5月3日，鲁某盗窃路灯。2013年8月4日，鲁某殴打看灯人。", (None, None)),
        ("2010年5月3日晴。2010年5月20日雨。", ("2010-05-03", None)),
        ("2010年，被告人鲁某盗窃路灯。", (None, None)),
        ("2010年我借给邻居一盏灯，他不还。", ("2010-01-01", "2010-12-31")),
    ],
)
def test_conduct_goes_on_only_where_the_text_says_so(text: str, expected: tuple[str | None, str | None]) -> None:
    assert read(text)[:2] == expected


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("请提供2015年1月1日时有效的《刑事诉讼法》第七十三条。", "2015-01-01", "2015-01-01"),
        ("现在是2018年11月，请背诵正在施行的《民事诉讼法》第一条。", "2018-11-01", "2018-11-30"),
        ("在2016年的时间背景下，盗窃罪如何处罚？", "2016-01-01", "2016-12-31"),
        ("2016年3月1日，路灯法第三条怎么说？", "2016-03-01", "2016-03-01"),
    ],
)
def test_a_day_as_of_which_a_text_is_asked(text: str, first: str, last: str) -> None:
    assert read(text) == (first, last, last, None)


def test_one_bare_day_of_a_question_about_procedure() -> None:
    assert read("2016年3月1日，被告收到传票，答辩期限多长，向哪个法院提出管辖异议？")[2] == "2016-03-01"
    assert read("2016年3月1日天晴，风筝断线，谁来赔？")[2] is None


def test_days_that_only_options_name_are_none_of_the_case() -> None:
    assert read("问题: 下列哪项正确?\n选项:\nA: 2010年3月1日起诉\nB: 2011年3月1日签订合同") == (None,) * 4
    assert read("甲2010年3月1日签订合同。\n选项:\nA: 2012年3月1日起诉")[::2] == ("2010-03-01", None)


def test_a_later_law_is_not_the_law_of_an_earlier_act() -> None:
    later = LawVersion("中华人民共和国刑法", "2011修正", date(2011, 5, 1), None)
    then = LawVersion("中华人民共和国刑法", "2009修正", date(2009, 2, 28), date(2011, 4, 30))
    dates = case_dates(DRUNK, spans(DRUNK))
    assert judge_version(later, dates).verdict == "possible"
    assert (judge_version(then, dates).verdict, judge_version(then, dates).rule.key) == (
        "applicable",
        "criminal_at_act",
    )


def test_the_same_day_may_be_named_twice() -> None:
    text = "2014年8月27日，鲁某在家中贩卖灯油时被查获。2014年8月27日，鲁某被刑事拘留。"
    assert [sorted(day.roles) for day in span_mentions(text, spans(text))] == [["acted", "caught"], ["proceeding"]]
    assert read(text) == ("2014-08-27", None, "2014-08-27", None)


WORDS = st.sampled_from(
    "2010年5月3日 2012年 2012年3月至5月 2015年以前 2014年开始 同年7月1日 次日 ， 。 ； （ ） 《 》 被告人 鲁某 出生 "
    "投案 判决 多次 盗窃 "
    "被判处 曾 因 1、 行为时为 时有效的 第三条 \n选项: 至 从 期间 案发后".split(" ")
)


@given(st.lists(WORDS | st.text(max_size=6), max_size=24).map("".join))
def test_total_on_any_text(text: str) -> None:
    found = case_dates(text, spans(text))
    assert found.acted is None or found.acted_until is None or found.acted <= found.acted_until
