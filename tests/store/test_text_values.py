"""Numbers, money, dates and widths: what texts mean, and that no text breaks the readers."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

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
