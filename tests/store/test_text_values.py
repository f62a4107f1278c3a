"""Numbers, money, dates, widths, article numbers, citations: what texts mean, and that no text breaks the readers."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from store.statutes.model import ArticleNumber
from store.statutes.names import aliases_of, key_of_name, short_name, without_version
from store.text.citation import LARGEST, citations, parse_number
from store.text.dates import days_between, parse_date
from store.text.money import format_money, named_sums, parse_money
from store.text.normalise import fold_width, widen_brackets
from store.text.numerals import chinese_to_int, int_to_chinese, to_decimal


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("六百七十五", 675), ("十五", 15), ("两百", 200), ("壹佰贰拾叁", 123), ("二〇二一", 2021), ("一千零一", 1001),
        ("负五", -5), ("廿", 20), ("", None), ("十百", None), ("一点五", None), ("12", None), ("第三条", None),
        ("一" * 100, None),
    ],
)  # fmt: skip
def test_chinese_numerals(text: str, value: int | None) -> None:
    assert chinese_to_int(text) == value


@example(2_300_001_000)
@given(st.integers(-(10**16) + 1, 10**16 - 1))
def test_chinese_numerals_come_back(number: int) -> None:
    assert chinese_to_int(int_to_chinese(number)) == number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.5", "1234.5"), ("１２", "12"), ("-5", "-5"), ("3.87亿", "387000000"), ("1亿2000万", "120000000"),
        ("3万5千", "35000"), ("2百万", "2000000"), ("三点一四", "3.14"), ("负一点五", "-1.5"), ("1,00", None),
        ("1万2亿", None), ("万", None), ("abc", None), ("1.2.3", None), ("", None),
    ],
)  # fmt: skip
def test_to_decimal(text: str, value: str | None) -> None:
    assert to_decimal(text) == (None if value is None else Decimal(value))


@pytest.mark.parametrize(
    ("cell", "yuan"),
    [
        ("3.87亿", "387000000"), ("459.15万", "4591500"), ("941600.00元", "941600"), ("26200万", "262000000"),
        ("1000万元", "10000000"), ("人民币５,000元整", "5000"), ("壹佰万元整", "1000000"), (0.1, "0.1"), (12, "12"),
        ("-", None), (" - ", None), ("", None), (None, None), (float("nan"), None), (True, None),
        ("200万美元", None), ("九" * 200, None),
    ],
)  # fmt: skip
def test_parse_money(cell: str | int | float | None, yuan: str | None) -> None:
    assert parse_money(cell) == (None if yuan is None else Decimal(yuan))


def test_format_money() -> None:
    assert format_money(Decimal("387000000"), "亿元", None) == "3.87亿元"
    assert format_money(Decimal("387000000"), "万元", 2) == "38700.00万元"
    assert format_money(Decimal("0.125"), "元", 2) == "0.13元"
    assert format_money(Decimal(1000), "元", None) == "1000元"


@given(st.decimals(0, 10**12, places=2), st.sampled_from(["元", "万元", "亿元"]))
def test_money_comes_back(yuan: Decimal, unit: str) -> None:
    assert parse_money(format_money(yuan, unit, None)) == yuan  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["2014年05月12日", "2014-05-12", "2014年5月12日", "2014/5/12", "二〇一四年五月十二日", "２０１４年５月１２日"],
)
def test_dates(text: str) -> None:
    assert parse_date(text) == date(2014, 5, 12)


@pytest.mark.parametrize("text", ["2014年02月30日", "2014-05/12", "20140512", "2014年", "0000-01-01", ""])
def test_no_dates(text: str) -> None:
    assert parse_date(text) is None


@given(st.dates(), st.dates())
def test_dates_come_back_and_differ_by_days(first: date, second: date) -> None:
    assert first + timedelta(days_between(first, second)) == second


def test_widths() -> None:
    assert fold_width("（２０２０）京０１０５　民初①号，￥") == "(2020)京0105 民初①号,¥"
    assert widen_brackets("(2020)x") == "（2020）x"


def test_the_label_of_a_sum_begins_where_the_one_before_ends() -> None:
    found = named_sums("被告赔偿医疗费100元合计100元")
    assert [(one.amount, one.total) for one in found] == [(100.0, False), (100.0, True)]
    assert [one.label for one in named_sums("医疗费100元误工费50元")] == ["医疗费", "误工费"]


NUMBERS = st.builds(ArticleNumber, st.integers(1, LARGEST), st.integers(0, 40))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("第一百三十三条之一", "133-1"), ("133-1", "133-1"), ("第１３３条", "133"),
        ("第 一百 三十三 条 之 一", "133-1"),
        ("一百三十三", "133"), ("第两百条", "200"), ("第二〇一条", "201"), ("第115条", "115"),
        ("第133条之1", "133-1"),
        ("第一百二十条之六", "120-6"), ("第一千二百六十条", "1260"), ("第一百二条", None), ("第零条", None),
        ("第条", None),
        ("第三条第四条", None), ("第100000条", None), ("-1", None), ("1.5", None), ("", None), ("刑法第三条", None),
        ("第三条之零", None), ("²", None), ("一" * 200, None),
    ],
)  # fmt: skip
def test_numbers(text: str, key: str | None) -> None:
    found = parse_number(text)
    assert (found.key if found else None) == key


@given(NUMBERS)
def test_a_number_comes_back_from_every_form(number: ArticleNumber) -> None:
    assert parse_number(number.chinese) == number
    assert parse_number(number.key) == number
    spaced = " ".join(number.chinese)
    assert parse_number(spaced) == number
    (found,) = citations(f"依照《甲法》{number.chinese}的规定")
    assert (found.law, found.number) == ("甲法", number)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("依照《中华人民共和国刑法》第二百五十三条之一第二款、第六十七条第三款",
            [("中华人民共和国刑法", "253-1", 2, None), ("中华人民共和国刑法", "67", 3, None)]),
        ("刑法第72条第一款第（二）项，民事诉讼法第115条", [("刑法", "72", 1, 2), ("民事诉讼法", "115", None, None)]),
        ("根据民法典第一千二百六十条之规定", [("民法典", "1260", None, None)]),
        ("违反本法第三条之一般规定", [(None, "3", None, None)]),
        ("《甲法》第三条和同法第五条", [("甲法", "3", None, None), ("甲法", "5", None, None)]),
        ("《甲法》第三条规定了许可。又见第五条", [("甲法", "3", None, None), (None, "5", None, None)]),
        ("最高人民法院关于适用民法典时间效力的若干规定第一条",
            [("最高人民法院关于适用民法典时间效力的若干规定", "1", None, None)]),
        ("没有条款", []),
    ],
)  # fmt: skip
def test_citations(text: str, expected: list[tuple[str | None, str, int | None, int | None]]) -> None:
    assert [(c.law, c.number.key, c.paragraph, c.item) for c in citations(text)] == expected


@pytest.mark.parametrize(
    "name",
    ["《中华人民共和国刑法》", "中华人民共和国刑法（2020修正）", "刑法(2009第二次修正)", "刑 法", "刑法(1997修订)"],
)
def test_one_law_has_one_key(name: str) -> None:
    assert key_of_name(name) == "刑法"


@pytest.mark.parametrize(
    ("name", "without"),
    [
        ("中华人民共和国民事诉讼法(试行)", "中华人民共和国民事诉讼法"), ("公司法(2023-12-29)", "公司法"),
        ("婚姻法(1980)", "婚姻法"),
        ("刑法修正案（七）", "刑法修正案（七）"), ("关于若干问题的决定（一）", "关于若干问题的决定（一）"),
        ("()", "()"), ("", ""),
    ],
)  # fmt: skip
def test_only_brackets_of_versions_fall_away(name: str, without: str) -> None:
    assert without_version(name) == without


def test_short_names() -> None:
    assert short_name("中华人民共和国刑事诉讼法") == "刑事诉讼法"
    assert {"刑事诉讼法", "刑诉法", "刑诉"} <= set(aliases_of("中华人民共和国刑事诉讼法"))


def test_a_year_glued_to_an_article_is_no_part_of_its_number() -> None:
    for text in ("刑法第一百三十三条之一2015-10-31", "第133条之1 2016年6月", "第一百三十三条之一 二〇一六年"):
        (found,) = citations(text)
        assert found.number == ArticleNumber(133, 1), text
