"""Construction from the planning tree: coverage, checks that can fail, splits, the command and its bad input."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from app.cli.main import cli
from models.engine import Ask, EngineError, Listener, Reply, Usage
from store.errors import BadInput, StoreError
from store.pack import Pack
from store.schema import LOOKUPS
from tasks.errors import TaskError
from tasks.legalagentbench.construct.brute import BruteSolver, agrees
from tasks.legalagentbench.construct.compose import TOPICS, Parts, shipped_parts
from tasks.legalagentbench.construct.follow import linked
from tasks.legalagentbench.construct.generate import ConstructedTasks, check, construct_set, generator, rows_of
from tasks.legalagentbench.construct.plans import Plan, PlanStep
from tasks.legalagentbench.construct.rewrite import Rewriter
from tasks.legalagentbench.construct.source import WalkRejected
from tasks.legalagentbench.construct.tree import branches, opens, starts
from tasks.legalagentbench.construct.writing import writing_set
from tasks.legalagentbench.tools import Toolbox
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec

pytestmark = pytest.mark.slow

SPREAD = (56, 12, 8, 6, 4, 4)


def _made(pack: Pack, seed: int = 5) -> ConstructedTasks:
    made = generator(pack, lambda rng: Parts(shipped_parts(), rng), seed)
    return construct_set(made, SPREAD, lambda n: writing_set(made, n))


@pytest.fixture(scope="module")
def pack(sample_built: Path) -> Iterator[Pack]:
    with Pack.open(sample_built) as opened:
        yield opened


@pytest.fixture(scope="module")
def made(pack: Pack) -> ConstructedTasks:
    return _made(pack)


def test_the_tree_reaches_every_tool_from_some_value() -> None:
    assert {tool for _, tool, _ in starts()} == set(LOOKUPS)
    assert ("get_court_code", "court_code") in opens("case")
    assert any(b.link == "关联上市公司全称" and b.gives == "company" for b in branches("company"))


def test_a_set_has_its_distribution_and_uses_every_tool(pack: Pack, made: ConstructedTasks) -> None:
    groups = Counter(str(task["hops"]) for task in made.tasks)
    assert dict(groups) == dict(zip(("1", "2", "3", "4", "5", "writing"), SPREAD, strict=True))
    assert made.report["kinds_of_tools"]["database"] == 28 and made.report["kinds_of_tools"]["retriever"] == 3
    assert [task["question"] for task in made.tasks] == [task["question"] for task in _made(pack).tasks]


@pytest.mark.parametrize(("agent", "share"), [("gold", 1.0), ("echo", 0.0)])
def test_gold_hits_every_key_of_a_set_and_echo_none(
    made: ConstructedTasks, sample_pack: Path, tmp_path: Path, agent: str, share: float
) -> None:
    tasks = tmp_path / "own.jsonl"
    tasks.write_text("".join(json.dumps(task, ensure_ascii=False) + "\n" for task in made.tasks), encoding="utf-8")
    spec = RunSpec(benchmark="legalagentbench", agent=agent, pack=str(sample_pack), tasks=str(tasks))
    with start_run(spec, out=tmp_path / "own.moot") as run:
        run.go()
        assert run.summary().block()["strict"]["success"]["all"] == share


def test_a_check_finds_what_is_wrong_with_a_task(pack: Pack, made: ConstructedTasks) -> None:
    task = next(t for t in made.tasks if t["hops"] == 2)
    brute, tools = BruteSolver(rows_of(pack)), Toolbox(pack)
    assert check(task, tools, brute) == ""
    assert "key" in check({**task, "question": task["question"] + task["key"][0]}, tools, brute)
    assert "lacks" in check({**task, "question": "请问是哪家？"}, tools, brute)
    assert "hold" in check({**task, "answer": "不知道"}, tools, brute)
    assert "call" in check({**task, "path": [{"tool": "get_sum", "input": []}]}, tools, brute)
    assert "disagrees" in check({**task, "key": ["别的"], "answer": "别的"}, tools, brute)


def test_brute_force_keeps_every_reading() -> None:
    row = {"公司名称": "甲", "关联上市公司全称": "乙"}
    plan = {"kind": "company", "start": "SubCompanyInfo.公司名称",
        "ask": {"how": "columns", "columns": ["关联上市公司全称"],
            "value": ""}, "steps": [{"tool": "get_sub_company_info", "opened": "company"}]}  # fmt: skip
    solver = BruteSolver({"SubCompanyInfo": [row, {**row, "关联上市公司全称": "丙"}]})
    assert solver.answers(Plan.of(plan), ["甲"]) == {("乙",), ("丙",)}
    assert agrees(("3250000",), ["325.00万元"]) and not agrees(("3250000",), ["326.00万元"])


@pytest.mark.parametrize(("text", "said"), [
    ("", "scene: Field required"), (shipped_parts().replace("[wh]", "[wo]"), "wh: Field required"),
    (f"alias = ['x']\n{re.sub(r'.alias.[^[]*', '', shipped_parts())}", "alias: Input should be a valid dict"),
    (f"{shipped_parts()}\nmore = []", "reply.more: List should have"), (f"{shipped_parts()}\n[more]", "more: Extra"),
])  # fmt: skip
def test_a_file_of_parts_that_is_none_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        Parts(text, Random(1))


def test_slots_are_filled(made: ConstructedTasks) -> None:
    parts = Parts(shipped_parts(), Random(1))
    assert not any("{" in parts.draw(f"scene.{topic}") for topic in TOPICS.values() for _ in range(40))
    for task in made.tasks:
        assert "{" not in task["question"] + task["answer"]
        if "plan" in task:
            assert task["answer"].startswith("经查询，") and all(key in task["answer"] for key in task["key"])


class Saying:
    """An engine that answers each question with what is made of it."""

    def __init__(self, made_of: Callable[[str], str]) -> None:
        self._made_of = made_of

    def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
        questions = [ask.messages[0].content.rpartition("【题目】\n")[2] for ask in asks]
        return [Reply(self._made_of(question), Usage()) for question in questions]

    def describe(self) -> dict[str, object]:
        return {}

    def cancel(self) -> None: ...

    def close(self) -> None: ...


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda task, text: "前台转来一个问题，" + text, ""),
        (lambda task, text: "请问是哪一家法院执行了这起案件？", "entity"),
        (lambda task, text: text + task["key"][0], "gives"),
        (lambda task, text: text + task["key_middle"][0], "gives"),
        (lambda task, text: text + "先调用get_company_info。", "gives"),
        (lambda task, text: text + "共3次。", "figures"),
        (lambda task, text: text + "，与听潮云麓有限公司无关。", "another"),
        (lambda task, text: f"{''.join(task['start']['value'])}怎么样，请详细说一说？", "figures|part|unit"),
        (lambda task, text: "", "usable"),
    ],
)
def test_a_rewording_that_leaks_or_loses_is_refused(
    pack: Pack, made: ConstructedTasks, change: Callable[[dict[str, Any], str], str], reason: str
) -> None:
    tasks = [task for task in made.tasks if task["hops"] in (2, 3) and task["key_middle"]][::3]
    brute, tools = BruteSolver(rows_of(pack)), Toolbox(pack)
    for task in tasks:

        def said(text: str, task: dict[str, Any] = task) -> str:
            return json.dumps({"question": change(task, text)}, ensure_ascii=False)

        engine = Saying(said)
        rewriter = Rewriter(
            engine, Parts(shipped_parts(), Random(1)), lambda t: check(t, tools, brute), ("听潮云麓有限公司",)
        )
        (after,) = rewriter.rewrite([task])
        if reason:
            assert after == task and re.search(reason, next(iter(rewriter.refused)))
        else:
            assert after["composed"] == task["question"] != after["question"] and rewriter.accepted == 1


def test_nonsense_of_a_rewriter_is_counted(sample_pack: Path, tmp_path: Path) -> None:
    out, script = tmp_path / "own.jsonl", tmp_path / "script.json"
    script.write_text(
        json.dumps({"otherwise": ["好的", '{"question": "甲公司在哪里，有几个股东？"}']}), encoding="utf-8"
    )
    line = ["tasks", "construct", "--pack", str(sample_pack), "--out", str(out), "--limit", "8", "--json", "--seat"]
    result = CliRunner().invoke(cli, [*line, f"rewriter=scripted:{script}"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)["coverage"]["rewritten"]
    assert told["accepted"] == 0 and sum(told["refused"].values()) == 16
    out.unlink()
    for wrong in "grader=scripted:x", "rewriter", f"rewriter=scripted:{tmp_path / 'gone'}":
        assert CliRunner().invoke(cli, [*line, wrong]).exit_code
    assert not out.exists()


def test_the_command_writes_a_set_and_refuses_bad_input(sample_pack: Path, tmp_path: Path) -> None:
    out = tmp_path / "own.jsonl"
    line = ["tasks", "construct", "--pack", str(sample_pack), "--out", str(out)]
    result = CliRunner().invoke(cli, [*line, "--limit", "12", "--json"])
    assert result.exit_code == 0, result.output
    assert len(out.read_text(encoding="utf-8").splitlines()) == 12
    out.unlink()
    assert isinstance(CliRunner().invoke(cli, [*line, "--distribution", "1/2"]).exception, (StoreError, TaskError))
    assert not out.exists()


@pytest.mark.parametrize("change", [
    {"start": 5}, {"start": "nope"}, {"start": "LegalDoc.xxx"}, {"start": "LegalDoc.place"},
    {"start": "CourtInfo.place"},
    {"ask": {"how": "over", "columns": ["日期"], "value": "abc"}}, {"ask": {"how": "over", "columns": ["日期"]}},
    {"ask": {"how": "year", "columns": []}}, {"ask": {"how": "columns", "columns": []}}, {"ask": {"how": "row"}},
    {"ask": {"how": "columns", "columns": ["日期"], "value": "abc"}}, {"ask": {"how": "columns", "columns": ["xxx"]}},
    {"ask": []}, {"more": 1}, {"steps": []}, {"steps": [{"tool": "get_sum", "opened": "case"}]},
    *(
        {"steps": [{"tool": "get_legal_document", "opened": "case"} | wrong]}
        for wrong in (
            {"link": "place"}, {"pick": ["x"]}, {"pick": "odd:日期"}, {"via": "x"}, {"role": "xxx"}, {"rol": ""},
        )
    ),
    {"steps": [{"tool": "get_legal_document", "opened": "case", "link": "案号"}] * 2000},
    {"steps": [{"tool": "get_legal_document", "opened": "case"}] * 2},
    {"steps": [{"tool": "get_legal_document_company_list", "opened": "company"}], "start": "CompanyInfo.公司名称"},
])  # fmt: skip
def test_a_path_that_fits_no_table_and_no_tool_is_none(change: dict[str, Any]) -> None:
    plan = {"kind": "case", "start": "LegalDoc.案号", "steps": [{"tool": "get_legal_document", "opened": "case"}]}
    sound = {**plan, "ask": {"how": "columns", "columns": ["日期"]}}
    assert Plan.of(sound).way == "get_legal_document"
    with pytest.raises(ValueError, match="."):
        Plan.of(sound | change)


def test_an_enforcement_has_no_plaintiff() -> None:
    row = {"案号": "（2021）甲0101执恢12号", "原告": "甲公司", "关联公司": "乙公司"}
    with pytest.raises(WalkRejected):
        linked(row, PlanStep("get_legal_document", "case", "", "原告"))
    assert linked(row, PlanStep("get_legal_document", "case", "", "关联公司")) == ("乙公司",)
    assert linked({**row, "案号": "（2021）甲0101民初12号"}, PlanStep("get_legal_document", "case", "", "原告")) == (
        "甲公司",
    )
