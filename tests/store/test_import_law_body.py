"""Bodies of statutes: headings, articles and what has no number, in every layout that sources are known to have."""

from __future__ import annotations

import pytest

from store.errors import BadInput
from store.importers.law.body import Body, read_body
from store.importers.law.parsed import decode
from store.statutes.model import ArticleNumber


def body(*lines: str, title: str = "", amends: bool = False, part: str = "") -> Body:
    return read_body(enumerate(lines, 1), title=title, amends=amends, part=part)


def keys(found: Body) -> list[str]:
    return [article.number.key for article in found.articles]


def texts(found: Body) -> list[str]:
    return [article.text for article in found.articles]


@pytest.mark.parametrize(
    ("line", "title", "text"),
    [
        ("第 一 条渡船应当登记。", "", "渡船应当登记。"),
        ("第１条　渡船应当登记。", "", "渡船应当登记。"),
        ("**第一条** 渡船应当登记。", "", "渡船应当登记。"),
        ("\u200b第一条\u00a0\u00a0渡船\u200b应当登记。", "", "渡船应当登记。"),
        ("第一条 【登记】 渡船应当登记。", "登记", "渡船应当登记。"),
        ("第一条：渡船应当登记。", "", "渡船应当登记。"),
        ("第一条中小渡船应当登记。", "", "中小渡船应当登记。"),
        ("第一条到期的渡船应当登记。", "", "到期的渡船应当登记。"),
        ("第一条", "", ""),
    ],
)
def test_an_article_is_known_however_it_is_set(line: str, title: str, text: str) -> None:
    (found,) = body(line).articles
    assert (found.number.key, found.title, found.text) == ("1", title, text)


def test_paragraphs_that_begin_with_a_citation_are_no_articles() -> None:
    found = body(
        "第一条 渡船应当登记。",
        "第二条规定的例外，从其规定。",
        "第二条、第三条另有规定的，从其规定。",
        "第二条第一款的渡船，由乡镇登记。",
        "第二条 渡口应当有人值守。",
        "第一条所称渡船，包括渡筏。",
    )
    assert keys(found) == ["1", "2"]
    assert texts(found)[0].count("\n") == 3
    assert texts(found)[1].endswith("包括渡筏。")


def test_insertions_and_words_that_begin_like_them() -> None:
    found = body("第三条 甲。", "第三条之一 乙。", "第三条 之二 丙。", "第四条之一般规定 丁。")
    assert keys(found) == ["3", "3-1", "3-2"]
    assert found.skipped == [(ArticleNumber(0), ArticleNumber(3))]


def test_headings_without_marks_broken_headings_and_contents() -> None:
    found = body(
        "目　录", "第一章 总则", "第二章 船员、渡工和", "附则",
        "## 第一编 总则", "## 第一分编 通则", "第一章　总　则", "第一条 甲。", "第一节 范围", "第二条 乙。",
        "第二章 船员、渡工和", "其他人员的职责", "第三条 丙。", "一、过渡", "第四条 丁。", "附则", "第五条 戊。",
    )  # fmt: skip
    assert keys(found) == ["1", "2", "3", "4", "5"]
    part, people = "第一编 总则 第一分编 通则", "第二章 船员、渡工和其他人员的职责"
    assert [(a.part, a.chapter, a.section) for a in found.articles] == [
        (part, "第一章 总 则", ""), (part, "第一章 总 则", "第一节 范围"), (part, people, ""), (part, "一、过渡", ""),
        ("附则", "", ""),
    ]  # fmt: skip


def test_headings_that_lost_their_number_or_their_line() -> None:
    found = body(
        "第一章 总则", "第一条 甲。", "渡船、渡筏和", "船员的登记", "第二条 乙。第三章 渡工", "第三条 丙：",
        "（一）大风", "第四条 丁。", "渡口的安全", "第一节 一般规定", "第五条 戊。", "渡口",
    )  # fmt: skip
    assert [(a.chapter, a.text) for a in found.articles] == [
        ("第一章 总则", "甲。"),
        ("渡船、渡筏和船员的登记", "乙。"),
        ("第三章 渡工", "丙：\n（一）大风"),
        ("第三章 渡工", "丁。"),
        ("渡口的安全", "戊。\n渡口"),
    ]


def test_what_stands_before_and_after_the_articles_is_kept_without_number() -> None:
    found = body(
        "虚构渡口条例", "为保障渡运安全，制定本条例。", "第一条 甲。", "附则", "第二条 自公布之日起施行。",
        "附件一：收费表", "大船 三元", "附件二", "小船 一元",
        title="虚构渡口条例",
    )  # fmt: skip
    assert [(a.number.key, a.title, a.text) for a in found.articles] == [
        ("0-1", "引言", "为保障渡运安全，制定本条例。"),
        ("1", "", "甲。"),
        ("2", "", "自公布之日起施行。"),
        ("0-2", "附件一：收费表", "大船 三元"),
        ("0-3", "附件二", "小船 一元"),
    ]


def test_a_decision_without_articles_is_one_text() -> None:
    found = body("虚构高级渡口院：", "一、可以。", "二、此复。", title="关于渡船的批复")
    assert [(a.number.key, a.title, a.text) for a in found.articles] == [
        ("0-1", "正文", "虚构高级渡口院：\n一、可以。\n二、此复。")
    ]


def test_what_an_amendment_quotes_is_its_text() -> None:
    found = body(
        "第五条 增加一节。",
        "第七节 渡口",
        "第九十条 渡口归公。",
        "第九十一条 渡船归公。",
        "第六条 删去一条。",
        title="虚构宪法修正案",
        amends=True,
    )
    assert keys(found) == ["5", "6"]
    assert "第九十条 渡口归公。" in texts(found)[0]


def test_the_law_in_an_annex_is_read_when_nothing_before_it_has_a_number() -> None:
    found = body("现将规定重新公布。", "附：", "渡船规定", "第一条 甲。", "第二条 乙。", title="渡船规定")
    assert [key for key in keys(found) if not key.startswith("0")] == ["1", "2"]


def test_gaps_and_restarts_are_told() -> None:
    found = body("第一条 甲。", "第四条 乙。", "第二条 丙。", "第五条")
    assert found.skipped == [(ArticleNumber(1), ArticleNumber(4))]
    assert found.restarts == [(3, ArticleNumber(2))]
    assert found.wordless == [ArticleNumber(5)]


def test_texts_are_decoded_by_content() -> None:
    text = "第一条 渡船。"
    assert {decode(text.encode(code), "x") for code in ("utf-8", "utf-8-sig", "gb18030", "utf-16")} == {text}
    with pytest.raises(BadInput, match="x is no text"):
        decode(b"PK\0\0\xff\xff", "x")
