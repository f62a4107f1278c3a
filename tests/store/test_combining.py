"""Two packs become one: whose versions, whose texts, and what is said where they differ."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from store import combining
from store.builder import PackBuilder
from store.combining import combine
from store.errors import BadInput
from store.pack import Pack
from store.statutes.book import StatuteBook
from store.statutes.model import Law, LawVersion
from tests.support.statute_fixture import KITES, LAMPS, TEXTS, articles, build, lamp_versions, number


def quiet(part: str, done: int, total: int | None) -> None: ...


def other(name: str = "other", *, jurisdiction: str = "XX", provenance: str = "authored") -> Path:
    """The first version of the lamps with another wording, a version that overlaps, a text the kites lacked, a law
    more."""
    with PackBuilder(
        name, jurisdiction=jurisdiction, source="test", licence="", coverage="complete", as_of="2020-01-01"
    ) as builder:
        builder.add_law(Law(LAMPS, "路灯法", "法律", provenance), ("灯法",))  # type: ignore[arg-type]
        version, listed = lamp_versions()[0]
        changed = replace(listed[2], text="路灯的高度不得低于五米，不得高于十三米。")
        builder.add_version(version, [*listed[:2], changed, *listed[3:]])
        within = LawVersion(LAMPS, f"{LAMPS}(1995修正)", date(1995, 1, 1), date(1996, 1, 1))
        builder.add_version(within, articles(LAMPS, within.label, {"1": TEXTS[0]}))
        builder.add_law(Law(KITES, "风筝法", "法律", "authored"))
        kites = LawVersion(KITES, KITES, date(1980, 1, 1), date(1988, 12, 31))
        builder.add_version(kites, articles(KITES, KITES, {"1": "放风筝，应当避开电线。", "2": "风筝不得高于路灯。"}))
        builder.add_law(Law("中华人民共和国陀螺法", "陀螺法", "法律", "authored"))
        tops = LawVersion("中华人民共和国陀螺法", "中华人民共和国陀螺法", date(2001, 1, 1), None)
        builder.add_version(tops, articles(tops.law, tops.label, {"1": "陀螺不得在车行道上抽打。"}))
        return builder.finish()


@pytest.mark.slow
def test_versions_of_the_first_texts_of_the_second_and_every_difference_counted() -> None:
    build()
    other()
    with Pack.open("lamps") as first, Pack.open("other") as second:
        path = combine(first, second, "both", quiet)
        hashes = [(pack.name, pack.hash) for pack in (first, second)]
        refuse(first, second)
    report = json.loads((path / combining.REPORT).read_text(encoding="utf-8"))
    with Pack.open("both") as both:
        assert [(part.name, part.hash) for part in both.manifest.parts] == hashes
        book = StatuteBook(both)
        assert [(one.text, one.text_source) for one in book.articles(KITES, KITES)] == [
            ("放风筝，应当避开电线。", "other"), ("风筝不得高于路灯。", "lamps"),
        ]  # fmt: skip
        assert next(v for v in book.versions(KITES)).valid_to == date(1989, 12, 31), "the first wins"
        third = next(one for one in book.articles(LAMPS, LAMPS) if one.number == number("3"))
        assert third.text == TEXTS[2] and third.text_source == "lamps"
        assert [version.label for version in book.versions(LAMPS)] == [v.label for v, _ in lamp_versions()]
        assert book.versions("中华人民共和国陀螺法")[0].source == "other"
    assert report["precedence"] == combining.PRECEDENCE
    counts = report["counts"]
    assert (counts["texts_filled"], counts["versions_of_second"], counts["articles_left_out"]) == (1, 1, 1)
    conflicts = {kind: found["n"] for kind, found in report["conflicts"].items()}
    assert conflicts == {"texts": 1, "windows": 1, "version_overlaps": 1}
    assert "十二米" in report["conflicts"]["texts"]["examples"][0]


def refuse(first: Pack, second: Pack) -> None:
    """What cannot be one pack is refused and leaves nothing."""
    other("abroad", jurisdiction="YY")
    other("real", provenance="imported")
    with Pack.open("abroad") as abroad, Pack.open("real") as real:
        for one, two, name, said in (
            (first, first, "x", "same pack"),
            (first, abroad, "x", "jurisdictions"),
            (first, real, "x", "authored"),
            (first, second, "other", "one of the packs"),
            (first, second, "both", "exists"),
        ):
            with pytest.raises(BadInput, match=said):
                combine(one, two, name, quiet)
    assert not (first.path.parent / "x").exists()
