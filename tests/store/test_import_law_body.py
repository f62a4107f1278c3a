"""Statutes in Markdown: headings and articles in every layout that sources are known to have, histories, entry into
force, repeals, versions beside each other. All laws here are made up."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from store.errors import BadInput
from store.importers import silent
from store.importers.law import naming
from store.importers.law.body import Body, read_body
from store.importers.law.history import entry_into_force, last_change, read_history, repeals
from store.importers.law.parsed import ParsedArticle, decode
from store.pack import Pack
from store.statutes.book import ArticleFound, Gap, NotYetInForce, RepealedArticle, StatuteBook
from store.statutes.model import ArticleNumber
from tasks.registry import importer


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
        "第二章 船员、渡工和", "其他人员的职责", "第三条 丙。", "一、过渡", "第四条 丁。", "## 附 则", "第五条 戊。",
    )  # fmt: skip
    assert keys(found) == ["1", "2", "3", "4", "5"]
    part, people = "第一编 总则 第一分编 通则", "第二章 船员、渡工和其他人员的职责"
    assert [(a.part, a.chapter, a.section) for a in found.articles] == [
        (part, "第一章 总 则", ""), (part, "第一章 总 则", "第一节 范围"), (part, people, ""), (part, "一、过渡", ""),
        ("附 则", "", ""),
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


D = date
END = "<!-- INFO END -->"


def law(title: str, history: list[str], *articles: str) -> str:
    return "\n\n".join([f"# {title}", *history, END, *articles]) + "\n"


def closing(text: str) -> list[ParsedArticle]:
    return [ParsedArticle(ArticleNumber(9), text)]


def folder(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def imported(root: Path, format_name: str = "law-markdown", said: list[str] | None = None) -> dict[str, Any]:
    heard = [] if said is None else said
    path = importer(format_name)(root, "p", lambda phase, done, total: heard.append(phase))
    return dict(json.loads((path / "statutes.json").read_text(encoding="utf-8")))


# History
# ---------------------------------------------------------------------------------------------------------------


def test_history_lines_hold_one_decision_or_several() -> None:
    events, before = read_history(
        [
            "虚构国渡口",
            "管理法",
            "1991年4月9日 第七届全国人民代表大会第四次会议通过",
            "2007年10月28日第十届全国人民代表大会常务委员会《关于修改〈渡口法〉的决定》第一次修正根据2012年8月31日《关于修改〈渡口法〉的",
            "决定》第二次修正　",
            "二〇一三年一月一日 施行",
            "2020年2月30日 修订",
        ]
    )
    assert before == ["虚构国渡口", "管理法"]
    assert [(event.day, event.kind) for event in events] == [
        (D(1991, 4, 9), "adopted"),
        (D(2007, 10, 28), "changed"),
        (D(2012, 8, 31), "changed"),
        (D(2013, 1, 1), "in_force"),
    ]
    assert events[2].act == "关于修改〈渡口法〉的决定"


def test_a_committee_that_adopts_again_amends_but_two_committees_enact() -> None:
    twice, _ = read_history(
        ["2003年12月4日 最高人民法院审判委员会第1次会议通过", "2020年12月23日 最高人民法院审判委员会第2次会议通过"]
    )
    joint, _ = read_history(
        ["2006年12月25日 最高人民法院审判委员会第1次会议、2007年2月14日最高人民检察院第十届检察委员会第7次会议通过"]
    )
    change = last_change(twice)
    assert change is not None and change.day == D(2020, 12, 23)
    assert [event.kind for event in joint] == ["adopted", "adopted"]


# Entry into force
# ------------------------------------------------------------------------------------------------------

ENACTED = ["2010年1月5日 虚构国人民代表大会通过", "2010年1月8日 虚构国主席令第3号公布"]


@pytest.mark.parametrize(
    ("words", "history", "changed", "day", "inferred"),
    [
        ("本法自2010年3月1日起施行。", ENACTED, False, D(2010, 3, 1), False),
        ("本办法于二〇一〇年三月一日生效。", ENACTED, False, D(2010, 3, 1), False),
        ("本法自公布之日起施行。", ENACTED, False, D(2010, 1, 8), False),
        ("本法自公布之日起施行。", ENACTED[:1], False, D(2010, 1, 5), True),
        ("本法自公布之日起30日后施行。", ENACTED, False, D(2010, 2, 7), False),
        ("本法自公布之日起三个月后施行。", ENACTED, False, D(2010, 4, 8), False),
        ("渡口归公。", ENACTED, False, D(2010, 1, 5), True),
        ("渡口归公。", [*ENACTED, "2010年5月1日 施行"], False, D(2010, 5, 1), False),
        ("本法自2010年3月1日起施行。", [*ENACTED, "2015年6月1日 第一次修正"], True, D(2015, 6, 1), True),
        ("本法自公布之日起施行。", [*ENACTED, "2015年6月1日 第一次修正"], True, D(2015, 6, 1), True),
        ("本法自2015年9月1日起施行。", [*ENACTED, "2015年6月1日 修订"], True, D(2015, 9, 1), False),
        ("第三条自2012年1月1日起施行。", ENACTED, False, D(2010, 1, 5), True),
        ("渡口归公。", ["1990年1月1日 渡口局令第1号发布  自发布之日施行"], False, D(1990, 1, 1), False),
    ],
)
def test_entry_into_force(words: str, history: list[str], changed: bool, day: date, inferred: bool) -> None:
    events, _ = read_history(history)
    change = last_change(events)
    state = change.day if change else events[0].day
    entry = entry_into_force(closing(words), events, state, changed)
    assert (entry.day, entry.inferred) == (day, inferred)
    assert entry.basis


@pytest.mark.parametrize(
    ("sentence", "titles"),
    [
        ("本法自2010年1月1日起施行，1990年2月3日国务院发布的《渡口条例》（令第9号）同时废止。", ["渡口条例"]),
        ("《甲法》、《乙法》和《丙法（试行）》同时废止。", ["甲法", "乙法", "丙法（试行）"]),
        (
            "甲部《甲规定》（〔2000〕8号）、乙部《乙规定》（〔2001〕9号）即行废止；与本法不一致的，以本法为准。",
            ["甲规定", "乙规定"],
        ),
        ("最高渡口院《关于适用〈渡口法〉若干问题的解释》同时废止。", ["关于适用〈渡口法〉若干问题的解释"]),
        ("《甲法》第三条同时废止。", []),
        ("《甲法》规定的许可失效的，依照《乙法》处理。", []),
        ("渡口证书失去效力。", []),
    ],
)
def test_repeals_of_whole_laws(sentence: str, titles: list[str]) -> None:
    assert [repeal.title for repeal in repeals(closing(sentence))] == titles


# Names and levels
# ------------------------------------------------------------------------------------------------------


def test_names() -> None:
    assert (
        naming.group_key("中华人民共和国渡口法(试行)")
        == naming.group_key("渡口法")
        == naming.group_key("《渡 口法》(2010-01-05)")
    )
    assert naming.group_key("渡口修正案（二）") != naming.group_key("渡口修正案（三）")
    assert naming.group_key("宪法修正案（1988年）") != naming.group_key("宪法修正案（1993年）")
    assert naming.tidy("最高人民法院 最高人民检察院关于渡船的解释") == "最高人民法院、最高人民检察院关于渡船的解释"
    assert "渡口法" in naming.aliases("中华人民共和国渡口法", ["中华人民共和国渡口法（试行）"])
    assert "关于渡船的解释" in naming.aliases("最高人民法院关于渡船的解释", [])


@pytest.mark.parametrize(
    ("folders", "title", "history", "level"),
    [
        (("宪法",), "中华人民共和国宪法", [], "宪法"),
        (("行政法规",), "渡口条例", ["2010年1月5日 国务院令第1号公布"], "行政法规"),
        (("行政法规",), "渡口算法规定", ["2010年1月5日 国家渡口办公室2010年第2次室务会议通过"], "部门规章"),
        (("x",), "最高人民法院关于渡船的解释", [], "司法解释"),
        ((), "人民检察院渡船规则", [], "司法解释"),
        ((), "中华人民共和国渡口法", [], "法律"),
        ((), "渡口守则", [], ""),
    ],
)
def test_levels(folders: tuple[str, ...], title: str, history: list[str], level: str) -> None:
    assert naming.level_of(folders, title, read_history(history)[0]) == level


# Versions
# --------------------------------------------------------------------------------------------------------------

FIRST = "2000年1月5日 全国人民代表大会常务委员会第1次会议通过"
SECOND = "2010年6月1日 全国人民代表大会常务委员会第9次会议《关于修改〈中华人民共和国渡口法〉的决定》第一次修正"
THIRD = "2020年6月1日 全国人民代表大会常务委员会第19次会议修订"
OLD = law("中华人民共和国渡口法", [FIRST], "第一条 旧。", "第二条 本法自2000年3月1日起施行。")
MIDDLE = law("中华人民共和国渡口法", [FIRST, SECOND], "第一条 中。", "第二条 本法自2000年3月1日起施行。")
NEW = law("中华人民共和国渡口法", [FIRST, SECOND, THIRD], "第一条 新。", "第二条 本法自2020年9月1日起施行。")


def windows(name: str = "p") -> dict[str, tuple[date | None, date | None, bool]]:
    with Pack.open(name) as pack:
        book = StatuteBook(pack)
        return {
            version.label: (version.valid_from, version.valid_to, version.inferred)
            for found in book.laws()
            for version in book.versions(found.name)
        }


def test_versions_end_where_the_next_begins(tmp_path: Path) -> None:
    names = {
        "经济法__渡口法(2000-01-05).md": OLD,
        "经济法__渡口法(2010-06-01).md": MIDDLE,
        "经济法__渡口法(2020-06-01).md": NEW,
    }
    imported(folder(tmp_path, **names))
    title = "中华人民共和国渡口法"
    assert windows() == {
        title: (D(2000, 3, 1), D(2010, 5, 31), True),
        f"{title}(2010修正)": (D(2010, 6, 1), D(2020, 8, 31), True),
        f"{title}(2020修订)": (D(2020, 9, 1), None, False),
    }
    with Pack.open("p") as pack:
        book = StatuteBook(pack)
        found = book.on("渡口法", ArticleNumber(1), D(2015, 1, 1))
        assert isinstance(found, ArticleFound) and found.article.text == "中。"
        assert isinstance(book.on("渡口法", ArticleNumber(1), D(1999, 1, 1)), NotYetInForce)


def test_a_decision_in_the_collection_says_when_its_change_entered_into_force(tmp_path: Path) -> None:
    act = law(
        "关于修改《中华人民共和国渡口法》的决定",
        [SECOND[:9] + " 通过"],
        "一、第一条改为：“第一条 中。”",
        "本决定自2010年8月1日起施行。",
    )
    report = imported(folder(tmp_path, **{"渡口法(2010-06-01).md": MIDDLE, "决定.md": act}))
    assert windows()["中华人民共和国渡口法(2010修正)"] == (D(2010, 8, 1), None, False)
    assert report["one_text"] == ["决定.md"]


def test_repeal_ends_a_law_and_links_it(tmp_path: Path) -> None:
    new = law(
        "中华人民共和国航道法",
        ["2018年1月5日 通过"],
        "第一条 航道。",
        "第二条 本法自2018年5月1日起施行。《中华人民共和国渡口法》、《渡船条例》同时废止。",
    )
    report = imported(folder(tmp_path, **{"渡口法(2010-06-01).md": MIDDLE, "航道法.md": new}))
    assert windows()["中华人民共和国渡口法(2010修正)"][1] == D(2018, 4, 30)
    assert report["links"] == {"succeeded": 2}
    with Pack.open("p") as pack:
        answer = StatuteBook(pack).on("渡口法", ArticleNumber(1), D(2019, 1, 1))
    assert isinstance(answer, RepealedArticle)
    assert [(link.to_law, link.basis) for link in answer.successors] == [
        ("中华人民共和国航道法", "《中华人民共和国渡口法》、《渡船条例》同时废止")
    ]


@pytest.mark.parametrize(
    ("change", "day"), [("2015年6月1日 修订", D(2015, 6, 1)), ("2015年6月1日 第一次修正", D(2010, 1, 5))]
)
def test_what_a_revised_law_repeals_it_repeals_anew(tmp_path: Path, change: str, day: date) -> None:
    text = law("渡口法", [ENACTED[0], change], "第一条 本法自公布之日起施行。《渡船条例》同时废止。")
    path = importer("law-markdown")(folder(tmp_path, **{"渡口法.md": text}), "p", silent)
    with Pack.open(path) as pack:
        assert [link.on for link in StatuteBook(pack).links("渡船条例")] == [day]


def test_the_same_version_twice(tmp_path: Path) -> None:
    other = MIDDLE.replace("第一条 中。", "第一条 衷。")
    narrow = MIDDLE.replace("。", "。\u200b").replace("第一条 ", "第一条　")
    names = {"a__渡口法(2010-06-01).md": MIDDLE, "b__渡口法(2010-06-01).md": narrow, "c__渡口法.md": other}
    said: list[str] = []
    report = imported(folder(tmp_path, **names), said=said)
    assert [report["became"][kind] for kind in ("parsed", "duplicate", "conflict", "refused")] == [1, 1, 1, 0]
    (conflict,) = [line for line in said if line.startswith("contradiction")]
    assert "1 articles differ (第一条)" in conflict
    assert len(windows()) == 1


def test_a_law_in_several_files_is_one(tmp_path: Path) -> None:
    head = ["# {}", "2020年5月28日 第十三届全国人民代表大会第三次会议通过", "2021年1月1日 施行"]

    def part(name: str, *articles: str) -> str:
        return law("中华人民共和国渡典", [line.format(name) for line in head], *articles)

    files = {
        "渡典__总则.md": part("总则", "## 第一章 一般规定", "第一条 甲。", "第二条 乙。"),
        "渡典__渡船编.md": part("渡船编", "## 第一分编 通则", "第三条 丙。"),
        "渡典__附则.md": part("附则", "##", "第四条 本法自2021年1月1日起施行。"),
    }
    report = imported(folder(tmp_path, **files))
    assert report["became"]["part_of_a_law"] == 3 and report["versions"] == 1
    assert windows() == {"中华人民共和国渡典": (D(2021, 1, 1), None, False)}
    with Pack.open("p") as pack:
        articles = StatuteBook(pack).articles("中华人民共和国渡典", "中华人民共和国渡典")
    assert [(a.number.number, a.part) for a in articles] == [
        (1, "第一编 总则"), (2, "第一编 总则"), (3, "第二编 渡船 第一分编 通则"), (4, "附则"),
    ]  # fmt: skip


REFUSED = {
    "空.md": ("", "is empty"),
    "无.md": ("# 渡口\n\n没有条文。\n", "has neither"),
    "无题.md": (f"渡口\n{END}\n第一条 甲。", "does not begin with a title"),
    "无文.md": (f"# 渡口\n2000年1月1日 公布\n{END}\n", "no text"),
    "表.csv": ("a,b", "no Markdown file"),
}


def test_what_a_source_lacks_is_named_and_the_rest_imported(tmp_path: Path) -> None:
    bad = {name: text for name, (text, _) in REFUSED.items()}
    with pytest.raises(BadInput, match="holds no law in Markdown"):
        importer("law-markdown")(folder(tmp_path / "bad", **bad), "p", silent)
    sparse = law("渡口规则", ["2000年1月1日 公布"], "第一条 甲。", "第四条 乙。", "第六条 自2000年2月1日起施行。")
    dated = law("渡口条例", ["2000年1月1日 国务院令第1号公布  根据"], "第一条 自2000年2月1日起施行。")
    files = {"渡口法(2000-01-05).md": OLD, "渡口法(2020-06-01).md": NEW, "渡口规则.md": sparse}
    report = imported(folder(tmp_path / "some", **files, **bad, **{"行政法规__渡口条例(2011-01-08).md": dated}))
    assert report["files"] == 9 and report["became"]["parsed"] == 4 and report["refused"].keys() == bad.keys()
    assert all(reason in report["refused"][name] for name, (_, reason) in REFUSED.items())
    assert report["remarks"] == ["渡口规则.md: 第二条 to 第三条 are missing", "渡口规则.md: 第五条 is missing"]
    assert report["last_change_not_in_history"] == ["行政法规/渡口条例(2011-01-08).md"]
    found = windows()
    assert found["渡口条例(2011修正)"] == (D(2011, 1, 8), None, True)
    assert found["中华人民共和国渡口法"] == (D(2000, 3, 1), D(2010, 5, 31), True)
    with Pack.open("p") as pack:
        answer = StatuteBook(pack).on("渡口法", ArticleNumber(1), D(2015, 1, 1))
    assert isinstance(answer, Gap), "the version of 2010 has no text, and none is invented"
