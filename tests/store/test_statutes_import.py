"""The importer of LegalSearch-R1: layouts by content, disagreements told, mistakes in one sentence, nothing
half-imported."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from store import places
from store.errors import BadInput, NotFound
from store.importers import silent
from store.importers.law import legalsearch
from store.pack import Pack
from store.statutes.book import ArticleFound, StatuteBook
from store.statutes.check import check
from store.text.citation import parse_number
from tasks.registry import importer
from tests.support.statute_fixture import TEXTS, number

pytestmark = pytest.mark.slow

LAW = "中华人民共和国路灯法"
NEW = f"{LAW}(2000修正)"
MENU = f"law_type_version,valid_from,valid_to\n{NEW},2000.01.01,2099.12.31\n{LAW},1990.1.1,1999.12.31\n"


def row(key: str, version: str = LAW, **more: Any) -> dict[str, Any]:
    which = number(key)
    days = {LAW: ("1990-01-01", "1999-12-31"), NEW: ("2000-01-01", "2099-12-31")}[version]
    return {
        "law": LAW, "version": version, "valid_from": days[0], "valid_to": days[1], "part": "",
        "chapter": "第一章 总则",
        "section": "", "article": which.chinese, "article_int": which.number, "article_sub": which.sub, "title": None,
        **more,
    }  # fmt: skip


def chunk(key: str, text: str, version: str = LAW, **more: Any) -> dict[str, Any]:
    which = number(key).chinese
    days = {LAW: ("1990.1.1", "1999.12.31"), NEW: ("2000.01.01", "2099.12.31")}[version]
    path = f"{version} > 未分编部分 > 第一章 总则 > 未分节部分 > {which}"
    return {
        "valid_from": days[0],
        "valid_to": days[1],
        "path": path,
        "article_no": which,
        "title": "",
        "text": text,
        **more,
    }


def lines(*items: object) -> str:
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


def folder(root: Path, **files: str) -> Path:
    for name, text in files.items():
        (root / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return root


def imported(source: Path) -> tuple[StatuteBook, dict[str, Any], list[str]]:
    said: list[str] = []
    path = legalsearch.import_pack(source, "p", lambda phase, done, total: said.append(phase))
    return StatuteBook(Pack.open("p", verify=True)), json.loads((path / "statutes.json").read_text("utf-8")), said


def test_index_texts_and_version_list(tmp_path: Path) -> None:
    source = folder(
        tmp_path,
        menu__csv=MENU,
        index__jsonl=lines(
            row("1", has_text=True), row("2", has_text=False, title="许可"), row("1", NEW, has_text=False)
        ),
        texts__jsonl=lines(row("1", text="甲\u200b\n\n乙", text_source="s", derived=True)),
        tasks__jsonl=lines({"id": 1, "type": "lar", "question": "?", "answer": "!"}),
        law_chunks__pkl="never read",
    )
    book, summary, said = imported(source)
    assert (summary["texts"], summary["index_rows"], summary["articles"], summary["versions"]) == (1, 3, 3, 2)
    answer = book.on("路灯法", number("1"), date(1999, 12, 31))
    assert isinstance(answer, ArticleFound) and answer.article.text == "甲\n乙" and answer.article.derived
    assert book.versions(LAW)[1].valid_to is None, "2099 means open"
    assert book.article(LAW, LAW, number("2"))[0].title == "许可"
    assert any("tasks.jsonl" in line and "--tasks" in line for line in said)
    assert any("law_chunks.pkl" in line for line in said)
    assert said[-1].startswith("1 texts, 3 index rows")


def test_upstream_chunks_give_the_same_book_as_lines_and_as_a_tree(tmp_path: Path) -> None:
    texts = [f"第{parse_number(str(n)).chinese[1:-1]}条 {text}" for n, text in enumerate(TEXTS, 1)]  # type: ignore[union-attr]
    flat = [chunk(str(n), text) for n, text in enumerate(texts, 1)]
    leaves = {number(str(n)).chinese: {"text": text, "title": ""} for n, text in enumerate(texts, 1)}
    tree = {LAW: {"未分编部分": {"第一章 总则": {"未分节部分": leaves}}}}
    seen = []
    for name, content in (("a", lines(*flat)), ("b", json.dumps(tree, ensure_ascii=False, indent=1))):
        (tmp_path / name).mkdir()
        book, summary, _ = imported(folder(tmp_path / name, menu__csv=MENU, chunks__json=content))
        assert summary["texts"] == len(TEXTS)
        seen.append([(a.number, a.chapter, a.text) for a in book.articles(LAW, LAW)])
    assert seen[0] == seen[1] == [(number(str(n)), "第一章 总则", text) for n, text in enumerate(TEXTS, 1)]


def test_a_number_listed_twice_is_put_right_where_the_next_version_shows_it(tmp_path: Path) -> None:
    old = [row("1", title="目的"), row("4", title="攀爬"), row("4", title="广告"), row("5")]
    new = [row("4", NEW, title="攀爬"), row("4-1", NEW, title="广告")]
    book, summary, _ = imported(folder(tmp_path, index__jsonl=lines(*old, *new)))
    (article,) = book.article(LAW, LAW, number("4-1"))
    assert (article.title, article.listed) == ("广告", "第四条")
    assert len(summary["repaired"]) == 1
    assert [f.kind for f in check(book) if f.kind in ("duplicate", "mislabelled")] == ["mislabelled"]


def test_a_number_listed_twice_without_evidence_stays(tmp_path: Path) -> None:
    book, summary, _ = imported(folder(tmp_path, index__jsonl=lines(row("1"), row("1", title="?"))))
    assert len(book.article(LAW, LAW, number("1"))) == 2 and summary["repaired"] == []
    assert [f.kind for f in check(book)] == ["duplicate"]


def test_disagreements_are_told_and_the_index_counts_more(tmp_path: Path) -> None:
    source = folder(
        tmp_path,
        index__jsonl=lines(row("1", title="目的")),
        texts__jsonl=lines(row("1", title="宗旨", chapter="第二章 设置", text="甲")),
        chunks__jsonl=lines(chunk("1", "乙")),
    )
    book, summary, said = imported(source)
    assert summary["conflicts"] == 3 and sum(line.startswith("contradiction: ") for line in said) == 3
    (article,) = book.article(LAW, LAW, number("1"))
    assert (article.title, article.chapter, article.text) == ("目的", "第一章 总则", "甲")


def test_importing_twice_is_importing_once(tmp_path: Path) -> None:
    source = folder(tmp_path, menu__csv=MENU, texts__jsonl=lines(row("1", text="甲"), row("1", NEW, text="乙")))
    hashes = set()
    for _ in range(2):
        legalsearch.import_pack(source, "p", silent)
        with Pack.open("p") as pack:
            hashes.add(pack.hash)
    assert len(hashes) == 1 and [path.name for path in places.packs().iterdir()] == ["p"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"menu__csv": MENU.replace("1990.1.1", "1990.2.30"), "t__jsonl": lines(row("1", text="甲"))},
            r"menu\.csv, line 3: '1990\.2\.30' is not a date"),
        ({"menu__csv": MENU.replace("1999.12.31", "1989.12.31"), "t__jsonl": lines(row("1", text="甲"))},
            r"line 3: .* ends on 1989"),
        ({"menu__csv": MENU.replace("1999.12.31", "1998.12.31"), "t__jsonl": lines(row("1", text="甲"))},
            r"t\.jsonl, line 1: .* 1999-12-31, but .* 1998-12-31 in menu\.csv, line 3"),
        ({"menu__csv": MENU + f"{LAW},1990.1.1,1999.12.31\n", "t__jsonl": lines(row("1", text="甲"))},
            "line 4: .* already listed in line 3"),
        ({"menu__csv": MENU + "甲法\n"}, "line 4: a version needs"),
        ({"menu__csv": MENU}, "holds no articles"),
        ({"t__jsonl": lines(row("1", text=5))}, r"t\.jsonl, line 1: text must be text"),
        ({"t__jsonl": lines(row("1", text="甲", article_int=2))}, "第一条 is numbered 2 and 0"),
        ({"t__jsonl": lines(row("1", text="甲", article="第一百二条"))}, "'第一百二条' is not the number"),
        ({"t__jsonl": lines(row("1", text="甲"), row("2", law=None, text="x"))}, r"line 2: law must be text"),
        ({"t__jsonl": lines(row("1", text="甲")) + "{\n"}, r"t\.jsonl, line 2: not valid JSON"),
        ({"c__jsonl": lines(chunk("1", "甲", valid_from="1990.13.1"))}, "'1990.13.1' is not a date"),
        ({"c__jsonl": lines(chunk("1", "甲", article_no="第一章"))}, "'第一章' is not the number"),
        ({"c__json": json.dumps({LAW: {"第一章": {"第一条": "甲"}}}, indent=1, ensure_ascii=False)},
            f"no days for {LAW}"),
        ({"c__json": "{" * 5}, "not readable as JSON"),
        ({}, "holds no articles"),
    ],
)  # fmt: skip
def test_mistakes_name_their_place_and_leave_nothing(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        legalsearch.import_pack(folder(tmp_path, **files), "p", silent)
    assert not places.packs().exists() or list(places.packs().iterdir()) == []


def test_a_place_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        importer("legalsearch")(tmp_path / "nowhere", "p", silent)
