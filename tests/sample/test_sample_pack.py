"""The shipped pack: nothing in it changes unnoticed, and nothing could be real."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from store.pack import Pack
from store.schema import CORPORA, TABLES
from store.statutes.book import StatuteBook
from tasks.sample import FICTION_LABEL, JURISDICTION, fiction_label, is_fictional
from tasks.sample.build import rows
from tests.support.web_pages import pages_of

pytestmark = pytest.mark.slow


World = dict[str, list[dict[str, Any]]]

CONTENT = {
    "CompanyInfo": "60 ffecc3c557cd",
    "CompanyRegister": "472 24c78f6c50ea",
    "SubCompanyInfo": "342 58c34fa66692",
    "LegalDoc": "950 1b2354c1dd81",
    "CourtInfo": "104 70806c364179",
    "CourtCode": "104 b7cbd684f68b",
    "LawfirmInfo": "237 95030ee9fa32",
    "LawfirmLog": "79 12ca3637854b",
    "AddrInfo": "832 54f41b4db72d",
    "LegalAbstract": "150 92231b5f59e6",
    "RestrictionCase": "133 13eb297bbfa6",
    "FinalizedCase": "228 d5279d375e13",
    "DishonestyCase": "72 7fe078b4bbf8",
    "AdministrativeCase": "210 1a8e87905264",
    "LegalKnowledge": "137 ae79b6b15fbf",
    "LegalArticle": "264 760b4c24441e",
    "LegalCases": "24 e524bcdd6bb1",
    "laws": "14 1c661062e0a7",
    "versions": "49 e65640467457",
    "articles": "2313 ccff088d31f4",
    "links": "44 12d662238b67",
    "pages": "55 f2c4e0f9b457",
    "courts": "72 0e97b091f90b",
    "legalagentbench": "60 0b19bac5d415",
    "legalsearch": "235 f62499f6a7dc",
}
"""Part of the pack -> how many, and the beginning of the hash of all of them. Who changes data on purpose records it
anew, and looks whether its tables still agree."""


@pytest.fixture(scope="module")
def world() -> World:
    return {table: list(rows(table)) for table in TABLES}


@pytest.fixture(scope="module")
def pack(sample_built: Path) -> Iterator[Pack]:
    with Pack.open(sample_built, verify=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def texts(pack: Pack) -> dict[str, list[str]]:
    found = pack.reader.all("SELECT corpus, text FROM document ORDER BY number", ())
    return {corpus: [text for of, text in found if of == corpus] for corpus in CORPORA}


def column(world: World, table: str, name: str) -> list[object]:
    return [row[name] for row in world[table]]


def contents(pack: Pack, texts: dict[str, list[str]]) -> dict[str, str]:
    """Part of the pack -> how many there are, and the hash of all of them."""
    book = StatuteBook(pack)
    versions = [version for law in book.laws() for version in book.versions(law.name)]
    articles = [article for one in versions for article in book.articles(one.law, one.label)]
    links = [link for law in book.laws() for link in book.links(law.name)]
    pages = [[page.url, page.title, page.day, page.text] for page in pages_of(pack)]
    files = {benchmark: pack.task_file(benchmark) for benchmark in pack.counts()["tasks"]}
    parts: dict[str, list[Any]] = {
        **{table: [list(row.cells.items()) for row in pack.rows(table)] for table in TABLES},
        **texts,
        "laws": [[law.name, law.short, law.level] for law in book.laws()],
        "versions": [[one.law, one.label, one.adopted, one.valid_from, one.valid_to] for one in versions],
        "articles": [[one.number.key, one.chapter, one.title, one.text, one.amended_by] for one in articles],
        "links": [[one.kind, one.from_law, one.from_number, one.to_law, one.to_number, one.basis] for one in links],
        "pages": pages,
        **{benchmark: path.read_text("utf-8").splitlines() for benchmark, path in files.items() if path},
    }
    hashed = {part: hashlib.sha256(json.dumps(held, default=str).encode()) for part, held in parts.items()}
    return {part: f"{len(held)} {hashed[part].hexdigest()[:12]}" for part, held in parts.items()}


def test_nothing_was_changed_unnoticed(pack: Pack, texts: dict[str, list[str]]) -> None:
    assert contents(pack, texts) == CONTENT


def test_the_pack_says_that_it_is_fictional(pack: Pack) -> None:
    assert pack.manifest.jurisdiction == JURISDICTION and pack.manifest.coverage == "complete"
    assert set(pack.provenance) == {"authored"} and is_fictional(set(pack.provenance))
    assert fiction_label("authored") == FICTION_LABEL and fiction_label("imported") == ""


def test_nothing_could_be_real(world: World, texts: dict[str, list[str]]) -> None:
    provinces = set(map(str, column(world, "AddrInfo", "省份")))
    prefixes = {name[:-1] for name in provinces | set(map(str, column(world, "AddrInfo", "城市")))}
    names = [*column(world, "CompanyRegister", "公司名称"), *column(world, "LawfirmInfo", "律师事务所名称")]
    assert all(any(str(name).startswith(prefix) for prefix in prefixes) for name in names)
    codes = column(world, "CompanyRegister", "统一社会信用代码")
    assert all(re.fullmatch(r"919[1-5]\d{4}[0-9A-Z]{9}Z", str(code)) for code in codes)
    phones = [*column(world, "CompanyRegister", "联系电话"), *column(world, "LawfirmInfo", "通讯电话")]
    assert all(re.fullmatch(r"01[12]\d-\d{8}|12\d{9}", str(phone)) for phone in phones)
    hosts = [
        *column(world, "CompanyInfo", "官方网址"),
        *column(world, "CompanyRegister", "联系邮箱"),
        *column(world, "CourtInfo", "法院官网"),
    ]
    assert all(host == "-" or str(host).endswith(".example") for host in hosts)
    real = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
    assert not any(province[:-1] in real for province in provinces)
    assert all("中华人民共和国" not in text for group in texts.values() for text in group)
