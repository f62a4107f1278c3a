"""The 60 tasks of the shipped pack: walkable with the real tools, every key where it must be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.pack import Pack
from store.schema import TABLES
from tasks.legalagentbench.construct.source import PackSource, RowSource, WalkRejected, written
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


def test_walking_the_path_finds_every_key(pack: Pack, questions: list[LabQuestion]) -> None:
    tools = Toolbox(pack)
    for question in questions:
        results = [tools.call(tool, given) for tool, given in question.gold.calls]
        allowed = {"ok", "no_data"} if len(results) > 1 else {"ok"}
        assert {result.status for result in results} <= allowed, question.id
        assert all(result.complete for result in results)
        written_in = [question.gold.answer] if question.gold.group == "writing" else []
        seen = "\n".join([*written_in, *(result.observation for result in results)])
        assert all(key in question.gold.answer for key in question.gold.keys), question.id
        assert all(key in seen for key in question.gold.middle), question.id


def test_the_strict_rule_accepts_the_reference_answers(questions: list[LabQuestion]) -> None:
    for question in questions:
        rows = explain(question.gold.keys, question.gold.middle, question.gold.answer, question.gold.answer)
        assert all(row.strict_hit for row in rows if row.kind == "key"), question.id


def test_no_key_stands_in_the_question(questions: list[LabQuestion]) -> None:
    for question in questions:
        if question.gold.group != "writing":
            keys = [key for key in question.gold.keys if "上市公司" not in key or len(key) > 7]
            assert not any(key in question.card["question"] for key in keys), question.id


def test_writing_tasks_cite_articles_the_retriever_can_find(pack: Pack, questions: list[LabQuestion]) -> None:
    tools = Toolbox(pack)
    for question in (one for one in questions if one.gold.group == "writing"):
        seen = "".join(tools.call(tool, given).observation for tool, given in question.gold.calls)
        citations = [key for key in question.gold.keys if key.startswith("岚洲")]
        assert citations and all(f"{citation}：" in seen for citation in citations), question.id


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
    assert written(3, "次") == "3次" and written("65.0", "plain") == "65"
    assert written("1.31亿", "亿元2") == "1.31亿元" and written(3546224, "元2") == "3546224.00元"
    for nothing, shape in (("-", ""), (" - ", ""), (None, ""), ("", ""), (10_050, "亿元2")):
        with pytest.raises(WalkRejected):
            written(nothing, *filter(None, [shape]))
