"""`moot law search` and `moot law bench`: what is shown, the JSON keys, one sentence for every mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_statutes_cli import answer
from tests.support.statute_fixture import KITES, LAMPS, build
from tests.support.typed import moot

OLD, MIDDLE = LAMPS, f"{LAMPS}(2000修正)"


@pytest.fixture(autouse=True)
def lamps() -> None:
    build()


def test_search_shows_the_question_and_the_hits() -> None:
    code, out, err = moot("law", "search", "1995年5月路灯法第三条 路灯的高度")
    assert (code, err) == (0, "")
    for said in (
        "1995年5月 = 1995-05-01 至 1995-05-31", LAMPS, "第三条", "高度", "1990-01-01 至 1999-12-31", "已修改", "▮",
        "精确 1", "施行期内", "五米",
    ):  # fmt: skip
        assert said in out
    assert "六米" not in out


def test_search_json() -> None:
    data = answer("search", "2005年以前路灯法第三条")
    keys = "pack query analysis at law window paper allowed of notes milliseconds hits"
    assert set(keys.split()) == set(data)
    assert data["analysis"]["spans"] == [[None, "2004-12-31", "2005年以前"]] and data["analysis"]["numbers"] == ["3"]
    (first, second) = data["hits"]
    shown = (first["label"], first["valid_to"], first["state"], first["ranks"]["exact"])
    assert shown == (MIDDLE, "2009-12-30", "amended", 1) and second["label"] == OLD
    keys = (
        "id law label number chinese title place text valid_from valid_to state score ranks kept provenance worded_by"
    )
    assert set(keys.split()) == set(first)


def test_a_day_that_is_only_a_reading_says_so() -> None:
    data = answer("search", "2005年前后路灯法第三条")
    assert data["analysis"]["approximate"] == ["2005年前后"]
    assert "（约）" in moot("law", "search", "2005年前后路灯法第三条")[1]
    assert answer("search", "2005年路灯法第三条")["analysis"]["approximate"] == []


def test_options_of_the_search() -> None:
    def labels(*more: str) -> list[str]:
        return [hit["label"] for hit in answer("search", "路灯法第三条", *more)["hits"]]

    assert labels("--at", "1995-01-01") == [OLD]
    assert set(labels("--law", "风筝法", "--at", "1985-01-01")) == {KITES}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("",), 2, "nothing to search for"), (("  ",), 2, "nothing to search for"),
        (("路灯", "--law", "路灯管理法"), 2, "no law named 路灯管理法. Did you mean 中华人民共和国路灯法"),
        (("路灯", "--at", "2015-02-30"), 2, "is not a date"),
        (("2015年2月30日的路灯",), 2, "2015年2月30日 is not a date"),
        (("2012年至2010年的路灯",), 2, "2012年至2010年 ends before it begins"),
        (("路灯", "--pack", "nowhere"), 2, "nowhere"),
    ],
)  # fmt: skip
def test_mistakes_of_a_search_are_one_sentence(arguments: tuple[str, ...], code: int, said: str) -> None:
    ended, out, err = moot("law", "search", *arguments)
    assert (ended, out) == (code, "") and said in err and "Traceback" not in err
    assert len(err.strip().splitlines()) <= 2


def test_what_is_told_beside_the_hits() -> None:
    assert "版本表缺口" in moot("law", "search", "2009年12月31日路灯法第三条")[1]
    assert "数据包没有收录 外星法" in moot("law", "search", "外星法第三条 路灯")[1]
    repealed = moot("law", "search", "1995年风筝法 高度")[1]
    assert "已废止" in repealed and "后续法律" in repealed
    assert "没有检索到" in moot("law", "search", "量子色动力学")[1]
    assert (
        "路灯法 在 2009-12-31 是版本表缺口，列出两侧的文本"
        in moot("law", "search", "路灯的高度", "--at", "2009-12-31")[1]
    )
    assert "1850-01-01 早于数据包最早的文本（1980-01-01 起施行）" in moot("law", "search", "1850年 杀人")[1]
    given_up = moot("law", "search", "1995年路灯法第四条之一 悬挂广告")[1]
    assert "按“条号”筛选后没有法条，已放宽" in given_up and "路灯法 没有 第四条之一" in given_up
    assert "末次同文" in moot("law", "search", "雷雨天攀爬路灯的罚款")[1]


@pytest.mark.parametrize(
    "text", ['AND OR NEAR( * "', 'text:"路灯', "路灯*", "^", "'; DROP TABLE laws; --", "\x1b]0;title\x07路灯"]
)
def test_syntax_of_the_index_is_text(text: str) -> None:
    code, out, err = moot("law", "search", text)
    assert (code, err) == (0, "") and "\x1b" not in out


def test_bench(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    questions = [
        {"id": 1, "query": "路灯坏了几天内要修好", "articles": ["路灯法第七条"]},
        {"id": 2, "query": "雷雨天爬路灯会罚款吗", "articles": ["《中华人民共和国路灯法》第五条", "路灯法第九十条"]},
        {"id": 3, "query": "飞船", "articles": ["外星法第三条"]},
    ]
    file.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in questions), encoding="utf-8")
    data = answer("bench", "--queries", str(file))
    assert data["n"] == 3 and data["missing"] == ["路灯法第九十条", "外星法第三条"] and data["gold"] == 4
    keys = {"R5", "R10", "R50", "R100", "MRR10"}
    assert set(data["channels"]) == {"exact", "keyword", "dense", "title", "citing", "bm25"} and all(
        set(row) == keys for row in data["channels"].values()
    )
    assert data["fused"]["R100"] == 50.0 and data["fused"]["MRR10"] <= 66.67, "one, one half, none"
    low, high = data["intervals"]["fused"]["R100"]
    assert low <= 50 <= high
    code, out, _ = moot("law", "bench", "--queries", str(file))
    assert code == 0 and "R@100" in out and "3 个问题" in out


def test_bench_and_what_it_cannot_read(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    for content, said in (
        ("", "no questions"),
        ('{"id": 1}\n', "needs query"),
        ("{\n", "questions.jsonl"),
        ('{"query": 1, "articles": "x"}\n', "needs query"),
    ):
        file.write_text(content, encoding="utf-8")
        code, out, err = moot("law", "bench", "--queries", str(file))
        assert code == 1 and out == "" and said in err and "Traceback" not in err
    assert moot("law", "bench", "--queries", str(tmp_path / "absent"))[0] == 2
