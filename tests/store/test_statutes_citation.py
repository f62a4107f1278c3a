"""Article numbers and citations: every way to write them means one thing, and no text breaks the reader."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.statutes.model import ArticleNumber
from store.statutes.names import aliases_of, key_of_name, short_name, without_version
from store.text.citation import LARGEST, citations, parse_number

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


def test_an_article_is_not_its_neighbour_with_a_sub_number() -> None:
    (found,) = citations("第二百五十三条之一")
    assert found.number != ArticleNumber(253)


@pytest.mark.parametrize(
    "name",
    [
        "刑法",
        "《刑法》",
        "中华人民共和国刑法",
        "《中华人民共和国刑法》",
        "中华人民共和国刑法（2020修正）",
        "刑法(2009第二次修正)",
        "刑 法",
        "刑法(1997修订)",
    ],
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
    for text in (
        "刑法第一百三十三条之一2015-10-31",
        "刑法第133条之一 2015-10-31",
        "第133条之1 2016年6月",
        "第一百三十三条之一 二〇一六年",
    ):
        (found,) = citations(text)
        assert found.number == ArticleNumber(133, 1), text
