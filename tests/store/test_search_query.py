"""Questions read by rules: days in every written form, laws by any name, articles, headings; no text breaks the
reader."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from store.builder import PackBuilder
from store.pack import Pack
from store.search.law_names import LawNames
from store.search.query import ANALYSER_SCHEMA, LawQuery, analyse, from_analyser
from store.search.times import periods
from store.statutes.applicable import CaseDates
from store.statutes.book import StatuteBook
from store.statutes.model import Law, LawVersion
from store.statutes.names import aliases_of, key_of_name
from store.text.normalise import fold_width
from tests.support.statute_fixture import KITES, LAMPS, articles

TODAY = date(2024, 6, 15)
CASE = CaseDates(
    acted=date(2015, 3, 1), acted_until=date(2015, 3, 9), proceeding=date(2015, 9, 1), judged=date(2016, 1, 5)
)
FIRST, LAST = date.min.isoformat(), date.max.isoformat()


@pytest.fixture(scope="module")
def book(lamps: Pack) -> StatuteBook:
    return StatuteBook(lamps)


def days(text: str, today: date | None = TODAY) -> list[tuple[str, str]]:
    found, _ = periods(fold_width(text), today=today, case=CASE)
    return [(one.first.isoformat(), one.last.isoformat()) for one in found]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2012年3月", "2012-03-01", "2012-03-31"), ("２０１２年３月", "2012-03-01", "2012-03-31"),
        ("二〇一二年三月五日", "2012-03-05", "2012-03-05"),
        ("二零一二年十二月", "2012-12-01", "2012-12-31"), ("2012-03-05", "2012-03-05", "2012-03-05"),
        ("2012.3.5", "2012-03-05", "2012-03-05"),
        ("2012/3", "2012-03-01", "2012-03-31"), ("2012年", "2012-01-01", "2012-12-31"),
        ("20120305", "2012-03-05", "2012-03-05"),
        ("2012 年 3 月 5 号", "2012-03-05", "2012-03-05"), ("97年10月1日", "1997-10-01", "1997-10-01"),
        ("2010年至2012年", "2010-01-01", "2012-12-31"), ("2010-2012年", "2010-01-01", "2012-12-31"),
        ("2010至2012年", "2010-01-01", "2012-12-31"),
        ("1999年5月1日到2001年", "1999-05-01", "2001-12-31"), ("2012年3月至5月", "2012-03-01", "2012-05-31"),
        ("2012年3月5日至8日", "2012-03-05", "2012-03-08"),
        ("2012年12月至次年2月", "2012-12-01", "2013-02-28"),
        ("2014年10月7日5时许至10月8日5时许", "2014-10-07", "2014-10-08"),
        ("2015年以前", FIRST, "2014-12-31"), ("2015年3月1日之前", FIRST, "2015-02-28"),
        ("2015年3月以后", "2015-03-01", LAST), ("自2021年1月1日起", "2021-01-01", LAST),
        ("2018年至今", "2018-01-01", "2024-06-15"), ("2009年底", "2009-10-01", "2009-12-31"),
        ("2009年初", "2009-01-01", "2009-03-31"),
        ("2013年上半年", "2013-01-01", "2013-06-30"), ("2013年第三季度", "2013-07-01", "2013-09-30"),
        ("2015年2月下旬", "2015-02-21", "2015-02-28"),
        ("90年代", "1990-01-01", "1999-12-31"), ("上世纪九十年代初", "1990-01-01", "1993-12-31"),
        ("2000年代", "2000-01-01", "2009-12-31"),
        ("去年", "2023-01-01", "2023-12-31"), ("今年四月份", "2024-04-01", "2024-04-30"),
        ("三年前", "2021-01-01", "2021-12-31"), ("半年前", "2023-12-01", "2023-12-31"),
        ("昨天", "2024-06-14", "2024-06-14"), ("案发时", "2015-03-01", "2015-03-09"),
        ("行为时", "2015-03-01", "2015-03-09"), ("判决时", "2016-01-05", "2016-01-05"),
        ("审理时", "2015-09-01", "2015-09-01"), ("现行规定", "2024-06-15", "2024-06-15"),
        ("2016年2月29日", "2016-02-29", "2016-02-29"), ("2015年度", "2015-01-01", "2015-12-31"),
        ("贰零贰壹年零壹月零贰日", "2021-01-02", "2021-01-02"), ("不晚于2022年11月30日", FIRST, "2022-11-30"),
        ("2018年九月初九", "2018-10-17", "2018-10-17"), ("2020年底2021年初", "2020-10-01", "2021-03-31"),
        ("近两年", "2022-06-15", "2024-06-15"),
    ],
)  # fmt: skip
def test_one_period(text: str, first: str, last: str) -> None:
    assert days(text) == [(first, last)]
    assert days(f"问{text}，路灯的规定") == [(first, last)]


def test_a_date_with_blanks_stands_between_blanks() -> None:
    assert days("路灯法 2013 07 01 第三条") == [("2013-07-01", "2013-07-01")]
    assert days("刑法 2010 08") == [("2010-08-01", "2010-08-31")]
    assert days("电话 (2013 07 01)") == []


def test_several_periods_and_what_leans_on_them() -> None:
    assert days("2009年和2023年") == [("2009-01-01", "2009-12-31"), ("2023-01-01", "2023-12-31")]
    assert days("2011年8月订约，次年3月违约，同年9月起诉") == [("2011-08-01", "2011-08-31"),
        ("2012-03-01", "2012-03-31"), ("2012-09-01", "2012-09-30")]  # fmt: skip
    assert days("2012年3月5日、8月9日")[1] == ("2012-08-09", "2012-08-09")
    assert days("现在是2004年3月") == [("2004-03-01", "2004-03-31")], "今天 is what the text says it is"


@pytest.mark.parametrize(
    "text",
    ["(2015)民初字第12号", "（2015）沪01刑终12号", "法释〔2015〕12号", "公告2015年第12号", "2012.35万元", "2012元",
        "有期徒刑三年以上十年以下", "电话13920120", "第2012条", "十五日内", "诉讼时效", "审理期限"],
)  # fmt: skip
def test_what_is_no_day(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("text", "first", "last", "about"),
    [
        ("贰零壹陆年陆月叁日", "2016-06-03", "2016-06-03", False), ("2016年前后", "2015-01-01", "2017-12-31", True),
        ("大约是2009年10月", "2009-09-01", "2009-11-30", True),
        ("2018年春节期间", "2018-02-16", "2018-02-22", True), ("农历二〇一六年八月十五", "2016-09-15", "2016-09-15",
            True), ("2018年夏天", "2018-06-01", "2018-08-31", True),
        ("16年6月", "2016-06-01", "2016-06-30", False), ("1997年9月30日以前", FIRST, "1997-09-30", False),
        ("2020年8月20日之后", "2020-08-21", LAST, False),
        ("截至2023年12月31日", FIRST, "2023-12-31", False),
    ],
)  # fmt: skip
def test_what_is_a_reading_says_so(text: str, first: str, last: str, about: bool) -> None:
    (found,) = periods(fold_width(text), today=TODAY)[0]
    assert (found.first.isoformat(), found.last.isoformat(), found.about) == (first, last, about)
    assert found.said in text


def test_a_time_that_nobody_can_know_is_said() -> None:
    for text in ("当年的事", "几十年前的案子", "前段时间被打", "春节期间加班", "人民公社年代的地"):
        found, notes = periods(text, today=TODAY)
        assert not found and notes, text
    assert periods("疫情期间房东拒绝减租") == ([], ["unclear_time:疫情期间"])
    assert periods("很久以前的判决") == ([], ["unclear_time:很久以前"])
    assert periods("20181305") == ([], ["unclear_time:20181305"])


def test_notes_of_periods() -> None:
    for text, note in (
        ("2015年2月30日", "no_such_date:2015年2月30日"), ("2015-02-30", "no_such_date:2015-02-30"),
        ("2015年13月", "no_such_date:2015年13月"),
        ("2012年至2010年", "reversed_range:2012年至2010年"), ("2012年5月至3月", "reversed_range:2012年5月至3月"),
    ):  # fmt: skip
        assert periods(text) == ([], [note])
    assert periods("去年")[1] == ["relative_date:去年"]
    assert periods("行为时")[1] == ["relative_date:行为时"]


def read(book: StatuteBook, text: str) -> LawQuery:
    return analyse(text, book, today=TODAY)


def keys(query: LawQuery) -> list[str]:
    return [number.key for number in query.numbers]


@pytest.mark.parametrize(
    ("text", "law", "numbers"),
    [
        ("《中华人民共和国路灯法》第三条", LAMPS, ["3"]), ("路灯法第4条之1", LAMPS, ["4-1"]),
        ("灯法3条", LAMPS, ["3"]), ("路灯法 4-1", LAMPS, ["4-1"]),
        ("依照路灯法第 两 条", LAMPS, ["2"]), ("路灯法第三、五条", LAMPS, ["3", "5"]),
        ("路灯法第三条和第五条", LAMPS, ["3", "5"]), ("路灯法第３条至第６条", LAMPS, ["3", "4", "4-1", "5", "6"]),
        ("路灯法3条到5条", LAMPS, ["3", "4", "4-1", "5"]), ("路灯法 3", LAMPS, ["3"]),
        ("路灯法第三至五条", LAMPS, ["3", "4", "4-1", "5"]), ("根据《路灯法》关于检查的第五条", LAMPS, ["5"]),
        ("风筝法第二条", KITES, ["2"]),
    ],
)  # fmt: skip
def test_laws_and_articles(book: StatuteBook, text: str, law: str, numbers: list[str]) -> None:
    query = read(book, text)
    assert (query.laws, keys(query)) == ((law,), numbers)
    assert query.pairs == tuple((law, number) for number in query.numbers)
    assert query.notes == ()


def test_each_article_stays_with_its_law(book: StatuteBook) -> None:
    query = read(book, "路灯法第三条、风筝法第二条")
    assert [(law, number.key) for law, number in query.pairs] == [(LAMPS, "3"), (KITES, "2")]
    assert read(book, "第三条").pairs == ()
    assert (read(book, "本合同第三条的违约金").laws, read(book, "公司章程第十二条").numbers) == ((), ())


def test_a_title_reaches_beyond_the_marks_within_it() -> None:
    rules = "最高人民法院关于适用《路灯法》若干问题的解释(二)"
    names = LawNames({key_of_name(rules): [rules], "路灯法": ["路灯法"]})
    for text in (
        f"{rules}第二条",
        f"依照《路灯法》和{rules}第二条",
        f"《{rules.replace('《', '〈').replace('》', '〉')}》第二条",
    ):
        found = [(one.laws, one.said) for one in names.find(text)]
        assert found[-1][0] == (rules,) and len(found) == 1 + text.startswith("依照"), text


def test_names_that_are_not_there(book: StatuteBook) -> None:
    for text in ("《外星管理条例》第三条", "外星法第三条"):
        query = read(book, text)
        assert (query.laws, query.numbers) == ((), ()) and query.notes[0].startswith("unknown_law:外星"), text
    assert read(book, "《红楼梦》里的路灯").notes == ()
    assert read(book, "关灯法子").laws == (), "a name begins and ends on the border of a word"


def test_a_known_law_that_the_book_lacks_is_not_the_end_of_another() -> None:
    names = LawNames({"合同法": ["甲合同法"]})
    assert [one.laws for one in names.find("劳动合同法第三条与合同法第四条")] == [(), ("甲合同法",)]


def test_a_version_that_is_named_gives_its_window(book: StatuteBook) -> None:
    for text in (
        "路灯法（2000修正）第三条",
        "路灯法(2000年修正)第三条",
        "《中华人民共和国路灯法(2000修正)》第三条",
        "2000年修正的路灯法第三条",
    ):
        query = read(book, text)
        assert [(s.first, s.last) for s in query.spans] == [(date(2000, 1, 1), date(2009, 12, 30))], text
        assert keys(query) == ["3"]
    assert len(read(book, "2000年路灯法第三条").spans) == 1, "no other version applied in the year"
    assert len(read(book, "2010年路灯法第三条").spans) == 1
    assert len(read(book, "2009年路灯法第三条").spans) == 1
    for text, said in (
        ("路灯法(1905修正)", "1905修正"),
        ("2003年修正的路灯法", "2003年"),
        ("2019年路灯法草案", "草案"),
    ):
        assert (read(book, text).notes, read(book, text).spans) == ((f"unknown_version:{LAMPS}({said})",), ()), text


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("旧路灯法的高度", FIRST, "2009-12-31"), ("新路灯法的高度", "2010-01-01", LAST),
        ("原《风筝法》第二条", FIRST, "1989-12-31"),
        ("路灯法施行前设置的路灯", FIRST, "1989-12-31"), ("《路灯法》施行后", "1990-01-01", LAST),
        ("路灯法修订之前", FIRST, "2009-12-31"),
        ("路灯法2005年以后的规定", "2005-01-01", LAST), ("路灯法尚未施行时", FIRST, "1989-12-31"),
        ("风筝法废止前", FIRST, "1989-12-31"),
        ("新路灯法施行以前", FIRST, "2009-12-31"), ("路灯法2000年修正后", "2000-01-01", LAST),
    ],
)  # fmt: skip
def test_a_version_named_by_age_or_by_its_first_day(book: StatuteBook, text: str, first: str, last: str) -> None:
    assert [(s.first.isoformat(), s.last.isoformat()) for s in read(book, text).spans] == [(first, last)]
    assert read(book, text).laws
    for beside in ("路灯法前款", "复原路灯法则", "路灯法后果自负"):
        assert read(book, beside).spans == (), beside


def test_a_day_beside_a_version_counts_and_the_version_is_noted(book: StatuteBook) -> None:
    for text, note in (
        ("2005年3月1日按新路灯法第三条", f"later:{LAMPS}:第三条:2005-03-01:2010-01-01"),
        ("2005年3月1日还能引用原风筝法第二条吗", f"ended:{KITES}:第二条:2005-03-01:1989-12-31"),
    ):
        query = read(book, text)
        assert (query.notes, [s.first for s in query.spans]) == ((note,), [date(2005, 3, 1)]), text
    assert len(read(book, "2015年3月1日新路灯法第三条").spans) == 2


def test_a_short_name_is_read_where_one_title_fits(book: StatuteBook) -> None:
    names = LawNames({"食品安全法": ["甲"], "行政处罚法": ["乙"], "行政许可法": ["丙"]})
    texts = ("依据食安法第三条", "食安法 3条", "行政法第三条", "食安法的规定")
    found = [(one.said, one.laws) for text in texts for one in names.find(text)]
    assert found == [("食安法", ("甲",)), ("食安法", ("甲",))]


def test_an_amendment_means_the_law_that_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_HOME", str(tmp_path))
    names = ("中华人民共和国刑法", "中华人民共和国刑法修正案（九）")
    with PackBuilder("code", jurisdiction="x", source="s", licence="l", coverage="complete", as_of="") as builder:
        for name, first in zip(names, (date(1997, 10, 1), date(2015, 11, 1)), strict=True):
            builder.add_law(Law(name, name, "法律", "authored"), aliases_of(name))
            builder.add_version(LawVersion(name, name, first, None), articles(name, name, {"1": "本法。"}))
    with Pack.open(builder.finish()) as pack:
        code = StatuteBook(pack)
        for text in (
            "刑法修正案（九）施行前的刑法第一条",
            "修正案（九）施行前，第一条",
            "刑修九之前第一条",
            "修九前的第一条",
        ):
            query = read(code, text)
            assert (query.laws, [s.last for s in query.spans]) == ((names[0],), [date(2015, 10, 31)]), text
        assert read(code, "《刑法修正案（九）》第一条").laws == (names[1],)


def test_headings_and_keywords(book: StatuteBook) -> None:
    query = read(book, "路灯法第3章第二节，请问在2016年损坏路灯的赔偿责任怎么办？")
    assert query.headings == ("第三章", "第二节")
    assert (
        query.keywords[0] in ("赔偿", "责任") and "路灯" in query.keywords and "2016" not in "".join(query.keywords)
    )
    assert not {"请问", "怎么办"} & set(query.keywords)


def test_the_analyser_seat(book: StatuteBook) -> None:
    value = {"time_info": ["2009-01-01", "2009-12-31", "2015-02-30"], "law_info": ["灯法", "外星法"],
        "chapter_info": ["第三条", "第二章"], "keywords": ["路灯", "路灯"]}  # fmt: skip
    query = from_analyser("原文", value, book)
    assert [(s.first, s.last) for s in query.spans] == [(date(2009, 1, 1), date(2009, 12, 31))]
    assert (query.laws, keys(query), query.headings, query.keywords) == ((LAMPS,), ["3"], ("第二章",), ("路灯",))
    assert query.notes == ("no_such_date:2015-02-30", "unknown_law:外星法") and query.made_by == "analyser"
    assert set(ANALYSER_SCHEMA["required"]) == set(value)
    for wrong in ({}, {"time_info": 3, "keywords": [1, None]}, {"chapter_info": {"a": 1}}, []):
        assert from_analyser("x", wrong, book) == LawQuery("x", made_by="analyser")  # type: ignore[arg-type]
