"""The fictional web: what its pages say about a law is what the statute book says of that day, or marked as wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from store.builder import PackBuilder
from store.importers import silent
from store.pack import Pack
from store.web import WINDOW, WebSnapshot
from tasks.run.importing import importer
from tasks.sample.build import AS_OF
from tasks.sample.lawhistory import histories
from tasks.sample.webpages import FOOT, Claim, add_pages, pages

TODAY = date.fromisoformat(AS_OF)


def article(law: str, number: str, day: date) -> str:
    """The words of an article on a day; empty when the version of that day lacks it."""
    versions = [one for history in histories() if history.law.name == law for one in history.versions]
    (found,) = [
        one
        for one in versions
        if (begin := one.version.valid_from) and begin <= day <= (one.version.valid_to or date.max)
    ]
    return next((one.text or "" for one in found.articles if one.number.key == number), "")


def says(claim: Claim, day: date | None = None) -> bool:
    return claim.words in article(claim.law, claim.number, day or claim.day)


def in_force(claim: Claim, day: date) -> bool:
    laws = [one.version for history in histories() if history.law.name == claim.law for one in history.versions]
    return any((one.valid_to or date.max) >= day for one in laws) and says(claim, day)


def test_what_pages_state_is_what_the_statutes_said() -> None:
    assert [claim for page in pages() for claim in page.states if not says(claim)] == []
    wrong = [claim for page in pages() for claim in page.wrong]
    assert all(article(claim.law, claim.number, claim.day) for claim in wrong)
    assert [claim for claim in wrong if says(claim)] == []


def test_many_pages_are_out_of_date_some_wrong_some_long() -> None:
    stale = [page for page in pages() if any(not in_force(claim, TODAY) for claim in page.states)]
    assert len(pages()) >= 50 and 20 <= len(stale) <= len(pages()) - 10
    assert sum(bool(page.wrong) for page in pages()) >= 5
    assert sum(len(page.text) > WINDOW for page in pages()) >= 2
    days = [page.day for page in pages() if page.day]
    assert {day.year for day in days} == set(range(2012, 2025)) and max(days) <= TODAY
    assert sum(page.day is None for page in pages()) == 1
    assert len({page.kind for page in pages()}) >= 8


def test_every_page_says_that_it_is_fictional_and_names_no_real_place() -> None:
    for page in pages():
        host = urlsplit(page.url).hostname or ""
        assert page.text.endswith(FOOT) and "虚构数据" in FOOT and host.endswith(".example"), page.name
        assert not re.search(r"中华人民共和国|兰州|最高人民法院|民法典|https?://(?!\S*\.example)", page.text), (
            page.name
        )
    assert len({page.url for page in pages()}) == len({page.title for page in pages()}) == len(pages())


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebSnapshot]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(tmp_path_factory.mktemp("home")))
        with PackBuilder(
            "pages", jurisdiction="x", source="x", licence="", coverage="complete", as_of=AS_OF
        ) as builder:
            assert add_pages(builder) == len(pages())
        with Pack.open("pages", verify=True) as pack:
            assert pack.provenance == {"authored"}
            found = WebSnapshot.of(pack)
            assert found is not None
            with found:
                yield found


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("岚洲劳动关系法 试用期 最长 2016年", "2016-03-labour-launch"),
        ("保证方式没有约定 一般保证 八个月", "2021-12-jianxiu-code-2021"),
        ("外观设计专利 保护期 十四年", "2022-12-patent-2022"),
        ("网购无理由退货 十日", "2021-04-consumer-2021"),
        ("盗窃罪 起点 三千五百元", "2023-01-yunhai-criminal-2022"),
        ("有限公司 出资 八年内缴足", "2024-01-reg-company-2023"),
        ("小额程序 二十万元", "2023-09-wangshu-procedure-2023"),
        ("拒绝调岗 能不能解除", "2024-08-hr-transfer"),
    ],
)
def test_pages_are_found(snapshot: WebSnapshot, query: str, name: str) -> None:
    wanted = next(page for page in pages() if page.name == name)
    assert wanted.url in [hit.page.url for hit in snapshot.search(query, k=5)]


def test_a_run_bound_to_a_day_sees_no_later_page(snapshot: WebSnapshot) -> None:
    day = date(2019, 12, 31)
    hits = snapshot.search("违约金 定金 上限", k=20, before=day)
    assert hits and all(hit.page.day and hit.page.day <= day for hit in hits)


def test_the_folder_imports_as_a_snapshot_too(tmp_path: Path) -> None:
    folder = Path(str(files("tasks.sample").joinpath("data/web")))
    importer("web")(folder, "imported", silent)
    with Pack.open("imported", verify=True) as pack, WebSnapshot(pack) as found:
        assert found.pages == len(pages()) and {page.url for page in found.all_pages()} == {
            page.url for page in pages()
        }
