"""Statutes as plain text and as JSON: layouts that are read, and one clear sentence for those that are not."""

from __future__ import annotations

import copy
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from store import places
from store.errors import BadInput
from store.importers import silent
from store.importers.law.plaintext import read_text
from store.pack import Pack
from store.statutes.book import ArticleFound, StatuteBook
from store.statutes.model import ArticleNumber
from tasks.registry import importer

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

LAW: dict[str, Any] = {
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


@pytest.mark.parametrize("text", [line(LAW), json.dumps(LAW, indent=2), json.dumps([LAW])])
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
    law = copy.deepcopy(LAW)
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
        (
            "versions.0.valid_from",
            "2023-02-30",
            "versions[0].valid_from must be a day of the calendar as YYYY-MM-DD",
        ),
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
    second = copy.deepcopy(LAW) | {"links": []}
    second["versions"] = [{"label": "又", "valid_from": "2019-01-01", "articles": []}]
    write(tmp_path / "a.json", line(LAW))
    write(tmp_path / "b.jsonl", line(second))
    with pytest.raises(
        BadInput, match=r"b.jsonl, line 1: versions\[0\]: 又 and 中华人民共和国渡口法 .* both apply on 2019-01-01"
    ):
        importer("law-json")(tmp_path, "p", silent)
