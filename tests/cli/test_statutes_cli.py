"""`moot law`: what stands on stdout, JSON keys, marks and colours, one sentence for every mistake."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from app.law_reading import today
from store.builder import PackBuilder
from store.statutes.model import Law, LawVersion
from store.statutes.names import aliases_of
from tests.support.statute_fixture import KITES, LAMPS, TEXTS, articles, build, plain
from tests.support.typed import moot


def answer(*arguments: str) -> Any:
    code, out, err = moot("law", *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_show() -> None:
    build()
    code, out, _ = moot("law", "show", "灯法", "第三条", "--at", "1995-01-01")
    assert code == 0 and "五米" in out and "1990-01-01 至 1999-12-31" in out and "已修改" in out and "第二条" in out
    assert "第四条" in out and "原第三条" in out, "the timeline tells the new number"
    data = answer("show", "灯法", "3", "--at", "1995-01-01")
    keys = "pack law article chinese at answer version title text previous next links timeline"
    assert set(keys.split()) <= set(data)
    assert (data["answer"], data["law"], data["chinese"]) == ("found", LAMPS, "第三条")


@pytest.mark.parametrize(
    ("law", "article", "at", "kind", "said"),
    [
        ("路灯法", "1", "1985-01-01", "not_yet", "尚未施行"),
        ("风筝法", "2", "1995-01-01", "repealed", "已废止"),
        ("路灯法", "1", "2009-12-31", "gap", "版本表缺口"),
        ("风筝法", "1", "1985-01-01", "no_text", "未收录文本"),
    ],
)
def test_the_answers_beside_a_text(law: str, article: str, at: str, kind: str, said: str) -> None:
    build()
    code, out, _ = moot("law", "show", law, article, "--at", at)
    assert code == 0 and said in out
    data = answer("show", law, article, "--at", at)
    assert data["answer"] == kind
    if kind == "gap":
        assert data["before"] and data["after"]
    if kind == "repealed":
        assert LAMPS in json.dumps(data["successors"], ensure_ascii=False) and data["law"] == KITES


def test_diff(monkeypatch: pytest.MonkeyPatch) -> None:
    build()
    asked = ("diff", "路灯法", "3", "--from", "1995-01-01", "--to", "2015-01-01")
    code, out, _ = moot("law", *asked)
    assert code == 0 and "第三条 → 第四条" in out and "\x1b" not in out
    assert "1990-01-01 至 1999-12-31" in out and "2010-01-01 至 今" in out
    data = answer(*asked)
    assert data["same"] is False and data["to"]["article"] == "4"
    (clause,) = data["clauses"]
    assert (clause["kind"], clause["old_article"], clause["new_article"]) == ("changed", "3", "4")
    assert [p["text"] for p in clause["pieces"] if p["kind"] != "same"] == ["五米", "六米"]
    code, out, _ = moot("law", "diff", "路灯法", "1", "--from", "1995-01-01", "--to", "2015-01-01")
    assert "相同" in out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    from app.cli.law import _coloured
    from store.text.difference import DiffPiece

    shown = _coloured(DiffPiece("removed", "五\x1b[2J")) + _coloured(DiffPiece("same", "米"))
    assert "\x1b[31m" in shown and "\x1b[2J" not in shown


def test_diff_of_an_article_that_a_revision_dropped() -> None:
    law, first, second = "中华人民共和国路灯法", "1990", "2000"
    with PackBuilder("lamps", jurisdiction="", source="", licence="", coverage="complete", as_of="") as builder:
        builder.add_law(Law(law, "路灯法", "法律", "authored"), aliases_of(law))
        old, new = plain(TEXTS[:3]), plain(TEXTS[:2])
        builder.add_version(LawVersion(law, first, date(1990, 1, 1), date(1999, 12, 31)), articles(law, first, old))
        builder.add_version(LawVersion(law, second, date(2000, 1, 1), None), articles(law, second, new))
        builder.finish()
    code, out, err = moot("law", "diff", "路灯法", "3", "--from", "1999-12-31", "--to", "2000-01-01")
    assert (code, out) == (1, "") and "第三条" in err and len(err.splitlines()) == 1


@pytest.mark.parametrize(("as_of", "told"), [("2020-01-01", "2020-01-01"), ("2999-01-01", "")])
def test_behind_the_data_nothing_is_certain(as_of: str, told: str) -> None:
    build(as_of=as_of)
    ends = told or f"{today()}"
    code, out, err = moot("law", "show", "路灯法", "1", "--at", "2030-01-01")
    assert code == 0 and "可能适用" in out and f"数据截至 {ends}，此后是否修改不明" in out
    assert ("2999-01-01 在今天之后" in err) == (not told)
    assert ("据现有数据有效" in out) == bool(told) and ("现行有效" in out) != bool(told)
    code, out, _ = moot("law", "show", "路灯法", "1", "--at", "2015-01-01")
    assert code == 0 and "可能适用" not in out and "数据截至" not in out
    for command in (
        ("diff", "路灯法", "3", "--from", "1995-01-01", "--to", "2030-01-01"),
        ("search", "路灯", "--at", "2030-01-01"),
    ):
        assert f"数据截至 {ends}" in moot("law", *command)[1], command


def test_check() -> None:
    build()
    code, out, _ = moot("law", "check")
    assert code == 0 and "2009-12-31" in out and "缺口" in out
    data = answer("check", "路灯法", "--pack", "lamps")
    (found,) = data["findings"]
    assert (found["kind"], found["sure"], data["counts"]) == ("gap", "certain", {"gap": 1})
    assert {"what", "todo", "version", "law", "first", "last"} <= set(found)
    assert (data["laws"], data["versions"], data["articles"], data["texts"]) == (2, 4, 26, 25)


def test_data_list_counts_articles() -> None:
    build()
    (pack,) = json.loads(moot("data", "list", "--json")[1])["packs"]
    assert (pack["statutes"], pack["provenance"], pack["fictional"]) == (26, ["authored"], True)
    assert "26 条法条" in moot("data", "list")[1]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("show", "风车法", "1"), 2, "no law named 风车法. Did you mean"),
        (("show", "路灯法", "99"), 2, "has an article 第九十九条"),
        (("show", "路灯法", "一百二"), 2, "not the number of one article"),
        (("show", "路灯法", "1", "--at", "2015-02-30"), 2, "'2015-02-30' is not a date"),
        (("show", "路灯法", "1", "--pack", "nowhere"), 2, "no pack named nowhere"),
        (("diff", "路灯法", "1", "--from", "1995-01-01", "--to", "2015-13-01"), 2, "'2015-13-01' is not a date"),
        (("diff", "路灯法", "1", "--from", "1985-01-01", "--to", "2015-01-01"), 1, "尚未施行"),
        (("diff", "路灯法", "1", "--from", "1985-01-01"), 2, "--to"),
        (("check", "风\x1b[2J"), 2, "no law named"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], code: int, said: str) -> None:
    build()
    got, out, err = moot("law", *arguments)
    assert (got, out) == (code, "")
    assert said in err and len(err.splitlines()) == 1 and "\x1b" not in err


def test_packs_without_statutes_and_several_with() -> None:
    with PackBuilder("sample", jurisdiction="", source="", licence="", coverage="complete", as_of=""):
        pass
    code, _, err = moot("law", "show", "路灯法", "1")
    assert code == 2 and "holds no statutes" in err and "moot data import legalsearch" in err
    build("one")
    assert moot("law", "show", "路灯法", "1")[0] == 0, "the only pack with statutes"
    build("two")
    for arguments in (("check",), ("show", "路灯法", "1"), ("search", "路灯法第三条")):
        code, _, err = moot("law", *arguments)
        assert code == 2 and "--pack" in err and "one, two" in err


def test_the_pack_that_knows_the_law_answers_and_fiction_comes_last() -> None:
    build("sample")
    assert moot("law", "show", "路灯法", "1")[0] == 0, "fiction, where nothing else knows it"
    build("one")
    code, _, err = moot("law", "show", "路灯法", "1")
    assert code == 0 and "moot: pack one" in err
    code, _, err = moot("law", "search", "路灯法第三条")
    assert code == 0 and "moot: pack one" in err
