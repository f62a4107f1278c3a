"""The 60 tasks of the shipped pack: walkable with the real tools, every key where it must be."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from store.pack import Pack
from store.schema import LOOKUPS, TABLES
from tasks.legalagentbench.construct.source import PackSource, RowSource, WalkRejected, written
from tasks.legalagentbench.construct.tree import court_code
from tasks.legalagentbench.questions import LabQuestion, load_questions
from tasks.legalagentbench.tools import Toolbox
from tasks.sample.build import rows
from tasks.scoring.strict import explain

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pack(sample_built: Path) -> Iterator[Pack]:
    with Pack.open(sample_built) as opened:
        yield opened


@pytest.fixture(scope="module")
def questions(pack: Pack) -> list[LabQuestion]:
    path = pack.task_file("legalagentbench")
    assert path is not None
    return load_questions(path)


@pytest.fixture(scope="module")
def tasks(pack: Pack) -> list[dict[str, Any]]:
    path = pack.task_file("legalagentbench")
    assert path is not None
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_groups(questions: list[LabQuestion]) -> None:
    groups = Counter(question.gold.group for question in questions)
    assert groups == {"1-hop": 12, "2-hop": 12, "3-hop": 10, "4-hop": 8, "5-hop": 6, "writing": 12}
    assert len({question.id for question in questions}) == 60
    assert len({question.card["question"] for question in questions}) == 60


def test_every_database_tool_and_retriever_is_used(questions: list[LabQuestion]) -> None:
    used = {tool for question in questions for tool, _ in question.gold.calls}
    assert used >= set(LOOKUPS)
    assert used >= {
        "legal_knowledge_retriever",
        "legal_article_retriever",
        "legal_case_retriever",
        "get_sum",
        "get_rank",
    }


def test_walking_the_path_finds_every_key(pack: Pack, questions: list[LabQuestion]) -> None:
    tools = Toolbox(pack)
    for question in questions:
        results = [tools.call(tool, given) for tool, given in question.gold.calls]
        allowed = {"ok", "no_data"} if len(results) > 1 else {"ok"}
        assert {result.status for result in results} <= allowed, question.id
        assert all(result.complete for result in results)
        summary = "\n".join([question.gold.answer, *(result.observation for result in results)])
        for key in question.gold.keys:
            assert key in question.gold.answer, (question.id, key)
        for key in question.gold.middle:
            assert key in summary, (question.id, key)


def test_the_strict_rule_accepts_the_reference_answers(questions: list[LabQuestion]) -> None:
    for question in questions:
        rows = explain(question.gold.keys, question.gold.middle, question.gold.answer, question.gold.answer)
        assert all(row.strict_hit for row in rows if row.kind == "key"), question.id


def test_middle_keys_of_paths_stand_in_observations(pack: Pack, questions: list[LabQuestion]) -> None:
    tools = Toolbox(pack)
    for question in questions:
        if question.gold.group == "writing":
            continue
        seen = "\n".join(tools.call(tool, given).observation for tool, given in question.gold.calls)
        assert all(key in seen for key in question.gold.middle), question.id


def test_no_key_stands_in_the_question(questions: list[LabQuestion]) -> None:
    for question in questions:
        if question.gold.group != "writing":
            keys = [key for key in question.gold.keys if "上市公司" not in key or len(key) > 7]
            assert not any(key in question.card["question"] for key in keys), question.id


def test_hops_and_way_agree_with_the_path(tasks: list[dict[str, Any]]) -> None:
    for task in tasks:
        way = task["way"].split("----") if task["way"] else []
        if task["hops"] == "writing":
            assert way == []
            continue
        assert len(way) == task["hops"]
        called = [step["tool"] for step in task["path"] if step["tool"] in LOOKUPS]
        assert [tool for i, tool in enumerate(called) if i == 0 or called[i - 1] != tool] == way


def test_questions_are_worded_differently(tasks: list[dict[str, Any]]) -> None:
    heads = Counter(task["question"][:12] for task in tasks if task["hops"] != "writing")
    assert max(heads.values()) <= 3 and len(heads) >= 25
    assert all("{" not in task["question"] + task["answer"] for task in tasks)


def test_writing_tasks_cite_articles_the_retriever_can_find(pack: Pack, tasks: list[dict[str, Any]]) -> None:
    tools = Toolbox(pack)
    wanted = found = 0
    for task in (task for task in tasks if task["hops"] == "writing"):
        assert "委托" in task["question"] and "答辩状格式" in task["question"]
        assert task["answer"].startswith("答辩人") and "被答辩人：" in task["answer"]
        seen = "".join(tools.call(step["tool"], step["input"]).observation for step in task["path"])
        citations = [key for key in task["key"] if key.startswith("岚洲")]
        assert citations
        wanted += len(citations)
        found += sum(f"{citation}：" in seen for citation in citations)
    assert found == wanted


def test_a_pack_and_its_rows_answer_alike(pack: Pack) -> None:
    held, stored = RowSource({table: list(rows(table)) for table in TABLES}), PackSource(pack)
    company = str(next(rows("FinalizedCase"))["终本公司名称"])
    for tool in ("get_finalized_case_company_list", "get_legal_document_company_list", "get_company_register"):
        assert held.find(tool, [company]) == stored.find(tool, [company])
        assert held.hidden(tool, company) == stored.hidden(tool, company)
    assert held.values("CourtInfo", "法院名称") == stored.values("CourtInfo", "法院名称")
    place = ("法院省份", "法院城市", "法院区县")
    assert held.places("CourtInfo", place) == stored.places("CourtInfo", place)


def test_key_shapes() -> None:
    assert written(3, "次") == "3次"
    assert written("1.31亿", "亿元2") == "1.31亿元"
    assert written(3546224, "元2") == "3546224.00元"
    assert written("65.0", "plain") == "65"
    for nothing in ("-", " - ", None, ""):
        with pytest.raises(WalkRejected):
            written(nothing)
    with pytest.raises(WalkRejected):
        written(10_050, "亿元2")
    assert court_code("（2021）云海0102民初123号") == "云海0102"
    assert court_code("（2020）云海民终9号") == "云海"
