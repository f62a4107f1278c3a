"""The web snapshot: pages in a pack, search for any text, snippets, windows, days, and packs that have no pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import manifest as manifests
from store import places
from store.builder import PackBuilder
from store.errors import BadInput
from store.pack import Pack, verify_pack
from store.web import MAX_WINDOWS, WebSnapshot, cut
from tests.support.web_pages import pages_of

PAGES = (
    ("https://a.example/1", "违约金的新规则", date(2019, 3, 5),
        "约定的违约金过分高于损失的，可以请求适当减少。\n\n另见定金。"),
    ("https://a.example/2", "定金与押金", date(2013, 1, 1), "定金不得超过主合同标的额的百分之二十。违约金见另页。"),
    ("https://b.example/x?id=3", "论坛：试用期", None, "试用期最长六个月，违约金一般不能约定。"),
)  # fmt: skip


def built(pages: tuple[tuple[str, str, date | None, str], ...] = PAGES, name: str = "web") -> Path:
    with PackBuilder(name, jurisdiction="x", source="x", licence="", coverage="harvest", as_of="") as builder:
        for url, title, day, text in pages:
            builder.add_page(url, title, day, text, "imported", "a test")
    return places.packs() / name


@pytest.fixture(scope="module")
def path(home: Path) -> Path:
    return built()


@pytest.fixture(scope="module")
def snapshot(path: Path) -> Iterator[WebSnapshot]:
    with Pack.open(path) as pack:
        found = WebSnapshot.of(pack)
        assert found is not None
        with found:
            yield found


def test_pages_are_counted_verified_and_found_again(path: Path, snapshot: WebSnapshot) -> None:
    assert snapshot.pages == 3 and verify_pack(path) == []
    with Pack.open(path, verify=True) as pack:
        assert pack.counts()["pages"] == 3 and pack.provenance == {"imported"}
        assert [found.id for found in pages_of(pack)] == [1, 2, 3], "ids follow the addresses"
    page = snapshot.page("https://a.example/1")
    assert page is not None and (page.title, page.day, page.source) == ("违约金的新规则", date(2019, 3, 5), "a test")
    assert snapshot.page("https://a.example/1/") == snapshot.page("HTTPS://A.example:443/1#top") == page
    assert snapshot.page("https://a.example/9") is None and snapshot.page("\ud800' OR 1") is None


def test_search_ranks_by_title_and_text_and_shows_where(snapshot: WebSnapshot) -> None:
    hits = snapshot.search("违约金过高怎么减少")
    assert [hit.rank for hit in hits] == [1, 2, 3] and hits[0].page.url == "https://a.example/1"
    assert "违约金" in hits[0].snippet and hits[0].page.text == "" and hits[0].score > hits[1].score
    assert [hit.page.url for hit in snapshot.search("定金", k=1)] == ["https://a.example/2"]
    assert snapshot.search("押") and snapshot.search("", k=3) == [] and snapshot.search("定金", k=0) == []


def test_pages_published_later_or_without_a_day_are_hidden_on_demand(snapshot: WebSnapshot) -> None:
    def urls(before: date | None) -> set[str]:
        return {hit.page.url for hit in snapshot.search("违约金", before=before)}

    assert len(urls(None)) == 3
    assert urls(date(2019, 3, 5)) == {"https://a.example/1", "https://a.example/2"}
    assert urls(date(2019, 3, 4)) == {"https://a.example/2"} and urls(date(2000, 1, 1)) == set()
    assert {hit.page.url for hit in snapshot.search("约", before=date(2019, 3, 4))} <= {"https://a.example/2"}


@given(st.text(alphabet="甲。乙\n！a", max_size=300), st.integers(1, 50))
def test_windows_are_verbatim(text: str, size: int) -> None:
    pieces = cut(text, size)
    assert "".join(pieces) == text and all(len(piece) <= size for piece in pieces)
    assert len(pieces) == 1 or all(pieces)


def test_windows_end_with_paragraphs_then_sentences(snapshot: WebSnapshot) -> None:
    assert cut("一二三四五六。\n七八九。十", 9) == ["一二三四五六。\n", "七八九。十"]
    assert cut("一二三四。五六七八九", 8) == ["一二三四。", "五六七八九"]
    assert cut("一" * 10, 4) == ["一" * 4, "一" * 4, "一" * 2]
    page = snapshot.page("https://a.example/1")
    assert page is not None and len(snapshot.windows(page, size=2)) == MAX_WINDOWS
    assert "".join(snapshot.windows(page, size=2, most=None)) == page.text
    with pytest.raises(ValueError):
        snapshot.windows(page, size=0)


def test_the_same_pages_give_the_same_bytes_in_any_order() -> None:
    one = manifests.read(built(name="one"))
    other = manifests.read(built(PAGES[::-1], "other"))
    assert one.files["web.db"] == other.files["web.db"] and one.hash == other.hash


@pytest.mark.parametrize(
    ("url", "text", "message"),
    [
        ("file:///etc/passwd", "x", "no address"),
        ("https://a.example/#x", "x", "no address"),
        ("https://user:secret@a.example/", "x", "no address"),
        ("https://a.example/9", " \n", "no text"),
        ("https://a.example/9", "\ud800", "not valid Unicode"),
        ("https://a.example/1", "x", "Two pages have the address"),
    ],
)
def test_bad_pages_are_refused_and_leave_nothing(url: str, text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        built((*PAGES, (url, "t", None, text)))
    assert list(places.packs().iterdir()) == []


def test_a_pack_without_pages_has_no_snapshot() -> None:
    path = built(())
    content = json.loads((path / manifests.FILE).read_text("utf-8"))
    assert content["counts"]["pages"] == 0 and not (path / "web.db").exists()
    with Pack.open("web", verify=True) as pack:
        assert WebSnapshot.of(pack) is None and pack.counts()["pages"] == 0
