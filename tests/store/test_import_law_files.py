"""Statutes as plain text, as JSON and in the layouts of LegalSearch-R1: what is read, one clear sentence for what is
not, nothing half-imported."""

from __future__ import annotations

import copy
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from store import places
from store.errors import BadInput, NotFound
from store.importers import silent
from store.importers.law import legalsearch
from store.importers.law.plaintext import read_text
from store.pack import Pack
from store.statutes.book import ArticleFound, StatuteBook
from store.statutes.check import check
from store.statutes.model import ArticleNumber
from store.text.citation import parse_number
from tasks.registry import importer
from tests.support.statute_fixture import TEXTS, number

pytestmark = pytest.mark.slow

STATUTE = """
　　　　中华人民共和国渡船
　　　　　　管理法
（2001年2月3日第九届全国人民代表大会常务委员会第20次会议通过　根据2012年5月6日第十一届全国人民代表大会
常务委员会第26次会议《关于修改〈中华人民共和国渡船管理法〉的决定》修正）

目　录
第一章　总则
第二章　渡船
第三章　附则

第一章　总则
第一条　为保障渡运安全，制定本法。
第二条　国家对渡船实行登记。
　　登记办法由主管部门规定。
第二章　渡船
第三条　渡船应当适航。
第三条之一　渡船应当保险。
第五条　禁止超载：
　　（一）人员；
　　（二）车辆。
第三章　附则
第六条　本法自2001年5月1日起施行。1980年1月2日国务院公布的《渡船条例》同时废止。
"""


def write(path: Path, data: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_a_plain_text(tmp_path: Path) -> None:
    said: list[str] = []
    source = write(tmp_path / "渡船管理法.txt", STATUTE.encode("gb18030"))
    importer("law-text")(source, "p", lambda phase, done, total: said.append(phase))
    assert "remark: 渡船管理法.txt: 第四条 is missing" in said
    with Pack.open("p") as pack:
        book = StatuteBook(pack)
        law = book.law("渡船管理法")
        assert law is not None and (law.name, law.level) == ("中华人民共和国渡船管理法", "法律")
        (version,) = book.versions(law.name)
        assert (version.label, version.valid_from, version.inferred) == (
            f"{law.name}(2012修正)",
            date(2012, 5, 6),
            True,
        )
        articles = book.articles(law.name, version.label)
        assert [article.number.key for article in articles] == ["1", "2", "3", "3-1", "5", "6"]
        assert articles[1].text == "国家对渡船实行登记。\n登记办法由主管部门规定。"
        assert [article.chapter for article in articles] == ["第一章 总则"] * 2 + ["第二章 渡船"] * 3 + [
            "第三章 附则"
        ]


def test_a_plain_text_without_blanks_after_the_numbers() -> None:
    text = STATUTE.replace("条　", "条").replace("之一　", "之一").replace("第五条", "第四条")
    found = read_text(text.replace("第六条", "第五条"), "x.txt").articles
    assert [article.number.key for article in found] == ["1", "2", "3", "3-1", "4", "5"]


def test_a_title_from_the_file_name_where_the_text_has_none() -> None:
    law = read_text("第一条 渡船应当登记。\n第二条 本办法自2010年1月1日起施行。", "渡船办法(2009-12-01).txt")
    assert (law.name, law.adopted, law.valid_from) == ("渡船办法", date(2009, 12, 1), date(2010, 1, 1))


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"", "is empty"), ("今天天气很好。".encode(), "has no article"), (b"%PDF\0\x80\xff", "is no text in")],
)
def test_a_text_that_is_no_law(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(BadInput, match="holds no law as plain text") as caught:
        importer("law-text")(write(tmp_path / "x.txt", data), "p", silent)
    assert reason in caught.value.hint
    assert not list(places.packs().glob("*"))


# JSON
# ------------------------------------------------------------------------------------------------------------------

FERRY: dict[str, Any] = {
    "law": "中华人民共和国渡口法",
    "aliases": ["渡法"],
    "versions": [
        {
            "label": "中华人民共和国渡口法",
            "adopted": "2000-01-05",
            "valid_from": "2000-03-01",
            "valid_to": "2020-08-31",
            "articles": [{"number": "第一条", "text": "旧。", "chapter": "第一章 总则"},
                {"number": "1-1", "text": None}],
        },
        {"valid_from": "2020-09-01", "articles": [{"number": "第2条", "title": "登记", "text": "新。"}]},
    ],
    "links": [
        {
            "kind": "renumbered", "from_law": "中华人民共和国渡口法", "from_number": "第一条",
            "to_law": "中华人民共和国渡口法",
            "to_number": "第二条", "on": "2020-09-01", "basis": "2020年修订",
        }
    ],
}  # fmt: skip


def line(law: object) -> str:
    return json.dumps(law, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("text", [line(FERRY), json.dumps(FERRY, indent=2), json.dumps([FERRY])])
def test_laws_in_json(tmp_path: Path, text: str) -> None:
    importer("law-json")(write(tmp_path / "laws.json", text), "p", silent)
    with Pack.open("p") as pack:
        book = StatuteBook(pack)
        assert book.law("渡法") == book.law("渡口法")
        found = book.on("渡口法", ArticleNumber(1), date(2010, 1, 1))
        assert isinstance(found, ArticleFound) and found.article.text == "旧。"
        assert book.on("渡口法", ArticleNumber(1, 1), date(2010, 1, 1)).kind == "no_text"
        assert pack.manifest.counts.statutes == 3


def changed(path: str, value: object) -> dict[str, Any]:
    law = copy.deepcopy(FERRY)
    place: Any = law
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in way:
        place = place[step]
    place[last] = value
    return law


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("law", "", "laws.json, line 1: law must be text that is not empty"),
        ("laws", "x", "laws is no field of this layout"),
        ("versions", {}, "versions must be a list, is {}"),
        ("versions.0", 7, "versions[0] must be an object, is 7"),
        ("versions.0.valid_from", "2023-02-30", "versions[0].valid_from must be a day of the calendar as YYYY-MM-DD"),
        ("versions.0.valid_from", None, "as YYYY-MM-DD, is null"),
        ("versions.0.valid_to", "1999-01-01", "versions[0].valid_to: 1999-01-01 is before valid_from 2000-03-01"),
        ("versions.0.valid_to", None, "both apply on 2020-09-01"),
        ("versions.0.inferred", "no", "versions[0].inferred must be true or false"),
        ("versions.0.articles.1.number", "第一条", "versions[0].articles[1].number: 第一条 is in this version twice"),
        ("versions.0.articles.1.number", "第一百二条", "articles[1].number must name an article"),
        ("versions.0.articles.0.text", 3, "articles[0].text must be text that is not empty, is 3"),
        ("links.0.kind", "moved", "links[0].kind must be one of renumbered, succeeded"),
        ("aliases.0", 3, "aliases[0] must be text"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_imported(tmp_path: Path, path: str, value: object, sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        importer("law-json")(write(tmp_path / "laws.json", line(changed(path, value))), "p", silent)
    assert sentence in caught.value.title
    assert "\n" not in caught.value.title
    assert not list(places.packs().glob("*"))


def test_versions_that_overlap_between_files_are_named(tmp_path: Path) -> None:
    second = copy.deepcopy(FERRY) | {"links": []}
    second["versions"] = [{"label": "又", "valid_from": "2019-01-01", "articles": []}]
    write(tmp_path / "a.json", line(FERRY))
    write(tmp_path / "b.jsonl", line(second))
    with pytest.raises(
        BadInput, match=r"b.jsonl, line 1: versions\[0\]: 又 and 中华人民共和国渡口法 .* both apply on 2019-01-01"
    ):
        importer("law-json")(tmp_path, "p", silent)


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
    facts = {"valid_from": days[0], "valid_to": days[1], "path": path, "article_no": which, "title": ""}
    return {**facts, "text": text, **more}


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
    index = row("1", has_text=True), row("2", has_text=False, title="许可"), row("1", NEW, has_text=False)
    source = folder(
        tmp_path,
        menu__csv=MENU,
        index__jsonl=lines(*index),
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
        ({"t__jsonl": lines(row("1", text="甲")) + "{\n"}, r"t\.jsonl, line 2: not valid JSON"),
        ({"c__jsonl": lines(chunk("1", "甲", valid_from="1990.13.1"))}, "'1990.13.1' is not a date"),
        ({"c__json": json.dumps({LAW: {"第一章": {"第一条": "甲"}}}, indent=1, ensure_ascii=False)},
            f"no days for {LAW}"),
        ({"c__json": "{" * 5}, "not readable as JSON"),
    ],
)  # fmt: skip
def test_mistakes_name_their_place_and_leave_nothing(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        legalsearch.import_pack(folder(tmp_path, **files), "p", silent)
    assert not places.packs().exists() or list(places.packs().iterdir()) == []


def test_a_place_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        importer("legalsearch")(tmp_path / "nowhere", "p", silent)
