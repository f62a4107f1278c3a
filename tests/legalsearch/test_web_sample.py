"""The fictional web: what its pages say about a law is what the statute book says of that day, or marked as wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from store.importers import silent
from store.importers.web.pages import front_matter
from store.pack import Pack
from store.statutes.book import ArticleFound, StatuteBook
from store.text.citation import parse_number
from store.web import Page, WebSnapshot
from tasks.registry import importer
from tests.support.web_pages import pages_of

FOLDER = Path(str(files("tasks.sample").joinpath("data/web")))


@dataclass(frozen=True)
class Claim:
    """Words that a page says an article has on a day."""

    law: str
    number: str
    words: str
    day: date


@dataclass(frozen=True)
class Stated:
    """What the top of a page's file says for tests: claims that are right, and wrong, and what sort of page it is."""

    url: str
    states: tuple[Claim, ...]
    wrong: tuple[Claim, ...]
    kind: str


def claims(written: str, stated: str) -> Iterator[Claim]:
    """LAW ARTICLE WORDS [@DAY] | …; the day is that of the page where none is written."""
    for one in filter(None, (part.strip() for part in written.split("|"))):
        said, _, other = one.partition(" @")
        law, number, words = said.split(" ", 2)
        yield Claim(law, number, words, date.fromisoformat(other or stated))


@pytest.fixture(scope="module")
def files_of() -> dict[str, Stated]:
    """File name -> what its top says."""
    found = {}
    for path in sorted(FOLDER.glob("*.md")):
        fields, _ = front_matter(path.read_text(encoding="utf-8"))
        states, wrong = (tuple(claims(fields.get(key, ""), fields.get("date", ""))) for key in ("states", "wrong"))
        found[path.stem] = Stated(fields["url"], states, wrong, fields["kind"])
    return found


@pytest.fixture(scope="module")
def pack(sample_built: Path) -> Iterator[Pack]:
    with Pack.open(sample_built) as opened:
        yield opened


@pytest.fixture(scope="module")
def snapshot(pack: Pack) -> Iterator[WebSnapshot]:
    with WebSnapshot(pack) as found:
        yield found


@pytest.fixture(scope="module")
def pages(pack: Pack) -> list[Page]:
    return list(pages_of(pack))


@pytest.fixture(scope="module")
def book(pack: Pack) -> StatuteBook:
    return StatuteBook(pack)


def says(book: StatuteBook, claim: Claim, day: date | None = None) -> bool:
    number = parse_number(claim.number)
    assert number is not None
    found = book.on(claim.law, number, day or claim.day)
    return isinstance(found, ArticleFound) and claim.words in (found.article.text or "")


def test_what_pages_state_is_what_the_statutes_said(book: StatuteBook, files_of: dict[str, Stated]) -> None:
    assert [claim for page in files_of.values() for claim in page.states if not says(book, claim)] == []
    wrong = [claim for page in files_of.values() for claim in page.wrong]
    assert all(says(book, Claim(claim.law, claim.number, "", claim.day)) for claim in wrong)
    assert [claim for claim in wrong if says(book, claim)] == []


def test_every_page_says_that_it_is_fictional_and_names_no_real_place(pages: list[Page]) -> None:
    for page in pages:
        assert page.text.endswith("本页为评测编写，岚洲及其法律、机构、人物均不存在。") and "虚构数据：" in page.text
        assert (urlsplit(page.url).hostname or "").endswith(".example"), page.url
        assert not re.search(r"中华人民共和国|兰州|最高人民法院|民法典|https?://(?!\S*\.example)", page.text), (
            page.url
        )
    assert len({page.url for page in pages}) == len({page.title for page in pages}) == len(pages)


def test_a_run_bound_to_a_day_sees_no_later_page(snapshot: WebSnapshot) -> None:
    day = date(2019, 12, 31)
    hits = snapshot.search("违约金 定金 上限", k=20, before=day)
    assert hits and all(hit.page.day and hit.page.day <= day for hit in hits)


def test_the_folder_imports_as_the_same_snapshot(pages: list[Page]) -> None:
    importer("web")(FOLDER, "imported", silent)
    with Pack.open("imported", verify=True) as pack:
        assert [(page.url, page.text) for page in pages_of(pack)] == [(page.url, page.text) for page in pages]
