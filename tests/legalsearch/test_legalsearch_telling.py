"""What an agent learns when the law had no such text on the day: by words in the observation, and in what the rules
say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.pack import Pack
from store.search.notes import sentences
from tests.legalsearch.test_legalsearch_tools import stage
from tests.support.statute_fixture import LAMPS, build


def test_every_note_has_a_sentence_or_none() -> None:
    assert sentences(["gap:路灯法:2009-12-31", "no_dense"]) == [
        "《路灯法》的版本表在2009-12-31没有文本，这是数据的缺口；所列为前后相邻的文本，不是当日的文本。"
    ]
    assert sentences(["no_article:路灯法:4-1:not_yet", "no_article:路灯法:4-1:not_yet"])[0].startswith(
        "《路灯法》第4-1条在所问日期尚未施行"
    )
    assert sentences(["strange", "dropped:number", "{0}{1}:x"]) == ["按全部条件没有结果，已放宽条件。"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("1995年3月 路灯法第四条之一", "尚未施行"),
        ("2009年12月31日 路灯法第三条", "缺口"),
        ("2005年 风筝法第二条", "已经废止"),
        ("1995年3月 火星法第二条", "没有收录《火星法》"),
    ],
)
def test_a_model_is_told_why_there_is_no_text(moot_home: Path, query: str, said: str) -> None:
    with Pack.open(build("lamps")) as pack:
        returned = stage(pack).call("rag_retrieve", {"query": [query]})
    assert said in "".join(json.loads(returned.observation)[0].get("说明", [])), returned.observation
    assert LAMPS
