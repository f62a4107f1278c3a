"""`check` finds each planted fault, says how sure it is, and is silent about a sound book."""

from __future__ import annotations

from datetime import date

import pytest

from store.builder import PackBuilder
from store.pack import Pack
from store.statutes.book import StatuteBook
from store.statutes.check import KINDS, StatuteFault, check
from store.statutes.model import Article, Law, LawVersion
from tests.support.statute_fixture import TEXTS, articles, build, number, plain

LAW = "甲法"


def findings(*versions: tuple[LawVersion, list[Article]], law: str = LAW) -> list[StatuteFault]:
    with PackBuilder("p", jurisdiction="XX", source="", licence="", coverage="complete", as_of="") as builder:
        builder.add_law(Law(law))
        for version, listed in versions:
            builder.add_version(version, listed)
    with Pack.open("p") as pack:
        return list(check(StatuteBook(pack)))


def version(label: str, first: str | None, last: str | None, law: str = LAW) -> LawVersion:
    days = [date.fromisoformat(day) if day else None for day in (first, last)]
    return LawVersion(law, label, days[0], days[1])


def sound(label: str) -> list[Article]:
    return articles(LAW, label, plain(TEXTS))


def test_a_sound_book_but_for_its_gap() -> None:
    build()
    with Pack.open("lamps") as pack:
        (gap,) = check(StatuteBook(pack))
    assert (gap.kind, gap.sure, gap.values["first"], gap.values["days"]) == ("gap", "certain", "2009-12-31", "1")


@pytest.mark.parametrize(
    ("windows", "kinds"),
    [
        ((("2000-01-01", "2004-12-31"), ("2005-01-01", None)), []),
        ((("2000-01-01", "2004-12-30"), ("2005-01-01", None)), ["gap"]),
        ((("2000-01-01", "2005-01-01"), ("2005-01-01", None)), ["overlap"]),
        (((None, None), ("2005-01-01", None)), ["no_days"]),
    ],
)
def test_windows(windows: tuple[tuple[str | None, str | None], ...], kinds: list[str]) -> None:
    versions = [(version(f"v{n}", *window), sound(f"v{n}")) for n, window in enumerate(windows)]
    assert [finding.kind for finding in findings(*versions)] == kinds


def test_windows_against_known_law() -> None:
    law = "中华人民共和国合同法"
    listed = articles(law, law, {"1": "甲。"})
    found = findings((version(law, "1999-10-02", "2019-12-31", law), listed), law=law)
    assert {(f.kind, f.values["listed"], f.values["known"]) for f in found} == {
        ("window_ends", "2019-12-31", "2020-12-31"), ("window_begins", "1999-10-02", "1999-10-01"),
    }  # fmt: skip
    assert all("条" in finding.values["basis"] for finding in found)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["1", "2", "3", "3-1"], []),
        (["1", "3", "4"], [("missing_numbers", None, "第二条")]),
        (["3", "4", "5"], [("missing_numbers", None, "第一条")]),
        ([*map(str, range(1, 34)), "55", "183"],
            [("stray_number", "55", "第三十三条"), ("stray_number", "183", "第三十三条")]),
    ],
)  # fmt: skip
def test_numbers(keys: list[str], expected: list[tuple[str, str | None, str]]) -> None:
    found = findings((version("v", "2000-01-01", None), articles(LAW, "v", dict.fromkeys(keys, "甲。"))))
    shown = [
        (f.kind, f.number.key if f.number else None, f.values.get("first", f.values.get("last", ""))) for f in found
    ]
    assert shown == expected


def test_a_number_listed_twice_and_what_it_really_is() -> None:
    old, new = (
        [
            Article(LAW, label, number(key), title=title, text=title)
            for key, title in (("1", "许可"), (second, "广告"))
        ]
        for label, second in (("old", "1"), ("new", "1-1"))
    )
    found = findings((version("old", "2000-01-01", "2000-12-31"), old), (version("new", "2001-01-01", None), new))
    assert [(f.kind, f.values["really"]) for f in found if f.kind == "duplicate"] == [("duplicate", "第一条之一")]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("灯具应当坚固。\n第二章 检查", ["heading_inside"]),
        ("灯具应当坚固。\n附则", ["heading_inside"]),
        ("适用本法第三编第十六章的规定。", []),
        ("依照第二章的规定处理。\n第三章规定的除外。", []),
        ("有下列情形之一的，处罚款：", ["cut_short"]),
    ],
)
def test_texts(text: str, kinds: list[str]) -> None:
    found = findings((version("v", "2000-01-01", None), articles(LAW, "v", plain(["甲。", text, "乙。"]))))
    assert [finding.kind for finding in found] == kinds


@pytest.mark.parametrize("swapped", [False, True])
def test_a_paragraph_that_moved_to_the_next_article(swapped: bool) -> None:
    whole = plain(["甲的规定如此。", f"{TEXTS[1]}\n{TEXTS[2]}", TEXTS[3], "末。"])
    damaged = plain(["甲的规定如此。", TEXTS[1], f"{TEXTS[3]}\n{TEXTS[2]}", "末。"])
    first, second = (damaged, whole) if swapped else (whole, damaged)
    found = findings(
        (version("old", "2000-01-01", "2000-12-31"), articles(LAW, "old", first)),
        (version("new", "2001-01-01", None), articles(LAW, "new", second)),
    )
    (fault,) = found
    assert (fault.kind, fault.label, fault.number) == ("moved_paragraph", "old" if swapped else "new", number("2"))
    assert (fault.values["to"], fault.sure) == ("第三条", "possible")


def test_a_moved_paragraph_at_the_end_of_a_chapter_is_the_known_fault_and_renumbering_is_none() -> None:
    def listed(label: str, texts: list[str]) -> list[Article]:
        chapters = ["第一章"] * 2 + ["第二章"] * 2
        numbered = enumerate(zip(texts, chapters, strict=True), 1)
        return [Article(LAW, label, number(str(n)), chapter=chapter, text=text) for n, (text, chapter) in numbered]

    old = listed("old", ["甲的规定如此。", f"{TEXTS[1]}\n{TEXTS[2]}", TEXTS[3], "末。"])
    new = listed("new", ["甲的规定如此。", TEXTS[1], f"{TEXTS[3]}\n{TEXTS[2]}", "末。"])
    (fault,) = findings((version("old", "2000-01-01", "2000-12-31"), old), (version("new", "2001-01-01", None), new))
    assert (fault.kind, fault.sure) == ("moved_paragraph", "likely")


def test_what_is_no_fault() -> None:
    amendment = "甲法修正案"
    quoted = articles(amendment, amendment, {"3": "增加一节：\n第七节 监察委员会", "4": "乙。"})
    assert findings((version(amendment, "2000-01-01", None, amendment), quoted), law=amendment) == []
    formula = articles(LAW, "v", {"1": "计算公式：\n税额＝销售额×税率", "2": "乙。"})
    assert findings((version("v", "2000-01-01", None), formula)) == []
    law = "中华人民共和国劳动合同法"
    later = version(f"{law}(2012修正)", "2013-07-01", None, law)
    assert findings((later, articles(law, later.label, {"1": "甲。"})), law=law) == []


def test_versions_without_rows_and_every_kind_has_words() -> None:
    from app.law_words import finding_data
    from app.strings import LANGUAGES, table

    (found,) = findings((version("v", "2000-01-01", None), []))
    assert found.kind == "no_rows" and "v" in finding_data(found)["what"]
    for language in LANGUAGES:
        keys = {f"law.{group}.{kind}" for group in ("kind", "fault", "todo") for kind in KINDS}
        assert keys <= table(language).keys()
