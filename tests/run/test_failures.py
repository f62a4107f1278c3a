"""Why attempts fail: a small case of each class, records that are nonsense, and what the command line says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.journal import ScoreRow
from tasks.benchmark import benchmark
from tasks.episode.events import (
    OUTCOMES,
    ActionParsed,
    Answered,
    AttemptStarted,
    Event,
    Planned,
    Record,
    Seated,
    Stopped,
    ToolCalled,
    ToolReturned,
)
from tasks.episode.state import State, fold
from tasks.legalagentbench.questions import LabQuestion, read_question
from tasks.legalsearch.failures import evidence_of
from tasks.legalsearch.questions import read_question as read_law
from tasks.run.failing import why
from tasks.scoring.failures import BY_NAME, REASONS, Diagnosis, calls_of, generic
from tests.support.typed import moot

LAB, LAW, COURTS = (benchmark(name) for name in ("legalagentbench", "legalsearch", "courts"))
CASE = "（2020）琅川0101执12号"
COMPANY = "云海朔岚物流有限公司"
COURT = "云海市朔岚区人民法院"
TASK = read_question(
    "here",
    {
        "id": "t1", "question": f"{CASE}的终本公司是哪家，何时立案，它被限制高消费几次？", "hops": 2,
        "answer": f"{COMPANY}，2020年03月04日立案，2次。", "key": ["2020年03月04日", "2次"], "key_middle": [COMPANY],
        "way": "get_finalized_case----get_restriction_case_company_list",
    },
)  # fmt: skip
FIRST = ("get_finalized_case", {"identifier": CASE, "columns": ["终本公司名称", "立案日期", "终本日期"]})
ROW = {"终本公司名称": COMPANY, "立案日期": "2020年03月04日", "终本日期": "2021年05月06日"}
SECOND = ("get_restriction_case_company_list", {"identifier": COMPANY, "columns": ["案号"]})
ROWS = [{"案号": "（2019）琅川0101执1号"}, {"案号": "（2019）琅川0101执2号"}]
RIGHT = "立案于2020年03月04日，共2次。"


def call(tool: str, given: Any, value: Any = None, status: str = "ok", **more: Any) -> list[Event]:
    shown = str(value) if value is not None else status
    back = ToolReturned(seat="agent", tool=tool, status=status, observation=shown, value=value, **more)
    return [ActionParsed(seat="agent", result="ok"), ToolCalled(seat="agent", tool=tool, input=given), back]


def state(
    steps: list[list[Event]],
    answer: str | None = RIGHT,
    outcome: str = "finished",
    task: Any = TASK,
    policy: str = "react/1",
) -> State:
    """An attempt, a step a list of events; what a tool returned hangs on its call."""
    start = AttemptStarted(benchmark="b", task_id=task.id, attempt=1, seed=0, card=task.card)
    records = [Record(0, 0, None, 0.0, start), Record(1, 0, None, 0.0, Seated(seat="agent", policy=policy))]
    end: list[Event] = [] if answer is None else [Answered(seat="agent", res=answer, summary=answer)]
    for step, events in enumerate([*steps, [*end, Stopped.model_validate({"outcome": outcome, "reason": "so"})]], 1):
        for event in events:
            parent = len(records) - 1 if isinstance(event, ToolReturned) else None
            records.append(Record(len(records), step, parent, 0.0, event))
    return fold(records)


def verdict(made: State, task: Any = TASK, rows: list[ScoreRow] | None = None) -> Diagnosis:
    bench = LAB if isinstance(task, LabQuestion) else LAW
    return bench.failure(task, made, rows or [])


def main(made: State, task: Any = TASK) -> tuple[str, str, int]:
    found = verdict(made, task).main
    assert found is not None
    return found.failure, found.why, found.step


PLAN_LACKS = ("planning", "plan_lacks", 1)
BOTH = [call(*FIRST, ROW), call(*SECOND, ROWS)]
UNSURE = "无法确定。"
REFUSED = [ActionParsed(seat="agent", result="rejected", note="没有 JSON")]
FLIPPED = {**FIRST[1], "identifier": CASE.replace("12号", "13号")}


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (state([], None, "error"), ("error", "broke", 1)),
        (state([call(*FIRST, ROW)], None, "context_full"), ("context_full", "context", 2)),
        (state([call(*FIRST, status="outside_pack")], UNSURE), ("outside_pack", "row", 1)),
        (state([call(*FIRST, {"立案日期": "〔未收录〕"}, unknown=1)], UNSURE), ("outside_pack", "cell", 1)),
        (state([call(*FIRST, ROW), REFUSED, REFUSED], UNSURE), ("format", "rejected", 2)),
        (state(BOTH, " "), ("format", "no_answer", 3)),
        (state(BOTH, "立案于2021年05月06日，共2次。"), ("legal_knowledge", "other_column", 3)),
        (state([call("get_finalized_case", FLIPPED, status="no_data")], UNSURE),
            ("legal_knowledge", "case_number", 1)),
        (state([[Planned(seat="agent", steps=("一",), tools=(FIRST[0],))], call(*FIRST, ROW)], UNSURE),
            ("planning", "plan_lacks", 1)),
        (state([[Planned(seat="agent", steps=("二", "一"), tools=(SECOND[0], FIRST[0]))]], UNSURE),
            ("planning", "plan_order", 1)),
        (state([call(*FIRST, status="bad_column")], UNSURE), ("argument_error", "column", 1)),
        (state([call(*FIRST, status="call_error")], UNSURE), ("argument_error", "shape", 1)),
        (state([call(*FIRST, ROW), call(SECOND[0], {**SECOND[1], "identifier": "某公司"}, status="no_data")], UNSURE),
            ("argument_error", "name", 2)),
        (state([call(*FIRST, ROW), call(SECOND[0], {**SECOND[1], "identifier": CASE}, status="no_data")], UNSURE),
            ("argument_error", "kind", 2)),
        (state([call("get_court_info", {"identifier": COURT, "columns": []}, status="no_data")], UNSURE),
            ("wrong_tool", "other_tool", 1)),
        (state([call("get_everything", {}, status="call_error")], UNSURE), ("wrong_tool", "no_such_tool", 1)),
        (state([call(*FIRST, ROW)] * 4, UNSURE), ("loop", "again", 2)),
        (state([call(*FIRST, ROW)], None, "turn_limit"), ("limit", "turns", 2)),
        (state([call(*FIRST, ROW)], UNSURE), ("missing_hop", "never_called", 2)),
        (state([], UNSURE), ("missing_hop", "never_seen", 1)),
        (state([[Planned(seat="agent", steps=("一",), tools=(FIRST[0],)), *call(*FIRST, ROW)]], UNSURE), PLAN_LACKS),
        (state(BOTH, "立案于2020年03月04日，共5次。"), ("wrong_number", "number", 3)),
        (state(BOTH, "共2次。"), ("evidence_unused", "unsaid", 3)),
        (state(BOTH, "立案于2020年03月04日，次数见附件。"), ("evidence_unused", "unsaid_sum", 3)),
        (state(BOTH, "立案于2020年03月04日，共两起。"), ("other", "worded", 3)),
    ],
)  # fmt: skip
def test_each_class_and_where_it_shows(made: State, expected: tuple[str, str, int]) -> None:
    assert main(made) == expected


def test_what_was_made_good_is_no_reason() -> None:
    """A wrong column, an unreadable reply and repetitions that did no harm are told, and not blamed."""
    tried = [call(*FIRST, status="bad_column"), REFUSED, *BOTH, call(*SECOND, ROWS), call(*SECOND, ROWS)]
    assert verdict(state(tried)) == Diagnosis("solved")
    found = verdict(state(tried, "立案于2020年03月04日，共5次。"))
    assert found.main and found.main.failure == "wrong_number"
    assert {one.failure for one in found.findings if not one.decisive} == {"argument_error", "format", "loop"}


def test_a_prediction_is_read_by_its_details() -> None:
    made = state([], f"{COMPANY}于2020年03月04日立案，共5次。", policy="imported/1")
    found = verdict(made)
    assert found.from_summary and found.main and found.main.failure == "wrong_number" and found.main.step == 0


# LegalSearch
# ----------------------------------------------------------------------------------------------------------

OPTIONS = "\n选项:\nA: 高度不得低于五米\nB: 高度不得低于六米\nC: 以上都不对"
CHOICE = read_law(
    "here",
    {
        "id": "l1", "type": "kqa", "question": f"2015年，路灯的高度不得低于多少？{OPTIONS}", "answer": "B",
        "basis": [{"law": "中华人民共和国路灯法", "article": "第三条", "day": "2015-01-02"}],
    },
)  # fmt: skip
TERM = read_law("here", {"id": "l2", "type": "ptp", "question": "几个月？相关法条: 路灯法第三条", "answer": "6个月"})
RECITAL = read_law(
    "here", {"id": "l3", "type": "lar", "question": "抄录《路灯法》第三条在2015年的原文。",
        "answer": "路灯的高度不得低于六米，不得高于十二米。"}
)  # fmt: skip
OLD = {
    "law": "路灯法",
    "label": "路灯法",
    "number": "3",
    "text": "路灯的高度不得低于五米，不得高于十二米。",
    "valid_from": "1990-01-01",
    "valid_to": "1999-12-31",
    "mark": "not",
}
NEW = {
    **OLD,
    "label": "路灯法(2000修正)",
    "text": "路灯的高度不得低于六米，不得高于十二米。",
    "valid_from": "2000-01-01",
    "valid_to": None,
    "mark": "applicable",
}
QUERY = {"query": ["路灯"]}


def look(*hits: dict[str, Any], notes: tuple[str, ...] = ()) -> list[Event]:
    return call("rag_retrieve", QUERY, [{"query": "路灯", "notes": list(notes), "hits": list(hits)}])


@pytest.mark.parametrize(
    ("task", "steps", "answer", "expected"),
    [
        (CHOICE, [look(OLD, NEW)], "A", ("wrong_version", "chosen_version", 2)),
        (CHOICE, [look(OLD)], "C", ("wrong_version", "found_version", 1)),
        (RECITAL, [look(OLD, NEW)], OLD["text"] + "任何人不得攀爬。", ("wrong_version", "cited_version", 2)),
        (CHOICE, [look(NEW)], "C", ("retrieved_unused", "unfollowed", 2)),
        (TERM, [look(NEW)], "9个月", ("wrong_number", "number", 2)),
        (TERM, [look(NEW)], "不好说", ("format", "unreadable", 2)),
        (CHOICE, [look()], "A", ("missing_hop", "never_seen", 1)),
        (CHOICE, [look({**NEW, "text": None})], "A", ("outside_pack", "article", 1)),
        (CHOICE, [look(notes=("no_article:路灯法:3:no_text",))], "A", ("outside_pack", "article", 1)),
        (CHOICE, [call("rag_retrieve", 5, status="call_error")], "A", ("argument_error", "shape", 1)),
        (CHOICE, [call("law_search", QUERY, status="call_error")], "A", ("wrong_tool", "no_such_tool", 1)),
        (CHOICE, [look()] * 3, "A", ("loop", "again", 2)),
    ],
)  # fmt: skip
def test_each_class_of_legalsearch(
    task: Any, steps: list[list[Event]], answer: str, expected: tuple[str, str, int]
) -> None:
    assert main(state(steps, answer, task=task), task) == expected


def test_an_answer_leans_on_the_articles_that_it_needs() -> None:
    hits = (OLD, {**OLD, "number": "7-1"}, NEW)
    found = evidence_of(CHOICE, state([look(*hits)], "B", task=CHOICE))
    assert [(one.what.partition("　")[0], one.found, one.step) for one in found] == [
        ("路灯法第三条", False, 1),
        ("路灯法(2000修正)第三条", True, 1),
        ("路灯法第七条之一", None, 1),
    ]
    (none,) = evidence_of(CHOICE, state([look()], "B", task=CHOICE))
    assert none.what.startswith("路灯法第三条") and (none.found, none.step) == (False, 0)


def test_a_consultation_waits_for_its_grader() -> None:
    task = read_law(
        "here", {"id": "c", "type": "lcs", "question": "灯坏了？", "answer": "修。法律依据:《路灯法》第六条"}
    )
    made = state([look()], "修。", task=task)
    assert verdict(made, task).status == "ungraded"
    graded = [ScoreRow(1, "grader", "1", {}, {"answer": 1.0, "basis": value}, [], "x") for value in (0.0, 1.0)]
    assert verdict(made, task, graded[:1]).status == "failed" and verdict(made, task, graded).status == "solved"


def test_without_a_basis_the_rules_say_so() -> None:
    task = read_law("here", {"id": "k", "type": "kqa", "question": f"哪项正确？{OPTIONS}", "answer": "B"})
    assert main(state([look(NEW)], "C", task=task), task)[:2] == ("other", "no_basis")


# Any benchmark
# --------------------------------------------------------------------------------------------------------


def test_courts_are_told_by_their_record_alone() -> None:
    assert why(COURTS, None, state([], "闭庭")).status == "unjudged"
    stuck = ([REFUSED, REFUSED], "turn_limit", "format")
    for steps, outcome, name in (([], "turn_limit", "limit"), ([], "stalled", "loop"), ([], "error", "error"), stuck):
        found = why(COURTS, None, state(steps, None, outcome)).main
        assert found is not None and found.failure == name


DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12) | st.sampled_from([CASE, COMPANY, ROW, OLD,
        [NEW]]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["hits", "notes", "identifier",
        "columns", "law", "text", "x"]), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
TOOL = st.sampled_from([FIRST[0], SECOND[0], "get_sum", "rag_retrieve", "nothing", ""])
TEXT = st.text(max_size=20) | st.sampled_from([RIGHT, CASE, "A", "2次", COMPANY])
EVENT: st.SearchStrategy[Event] = st.one_of(
    st.builds(ToolCalled, seat=st.just("agent"), tool=TOOL, input=DATA),
    st.builds(
        ToolReturned, seat=st.just("agent"), tool=TOOL,
        status=st.sampled_from(["ok", "no_data", "outside_pack", "bad_column", "?"]),
        observation=TEXT, value=DATA, unknown=st.integers(0, 2),
    ),
    st.builds(ActionParsed, seat=st.just("agent"), result=st.sampled_from(["ok", "repaired", "rejected"]), note=TEXT),
    st.builds(Planned, seat=st.just("agent"), steps=st.just(("a",)), tools=st.tuples(TOOL, TOOL)),
    st.builds(Answered, seat=st.just("agent"), res=TEXT, summary=TEXT),
    st.builds(Stopped, outcome=st.sampled_from(OUTCOMES), reason=TEXT),
)  # fmt: skip


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(0, 20), EVENT), max_size=14))
def test_any_record_has_a_verdict(rows: list[tuple[int, int | None, Event]]) -> None:
    made = fold(Record(seq, step, parent, 0.0, event) for seq, (step, parent, event) in enumerate(rows))
    for found in (verdict(made), verdict(made, CHOICE), verdict(made, RECITAL), verdict(made, TERM), generic(made)):
        assert (found.status == "failed") == (found.main is not None)
        assert all(one.failure in BY_NAME and one.why in REASONS for one in found.findings)
    assert all(one.step >= 0 for one in calls_of(made.records))


# The command line
# -----------------------------------------------------------------------------------------------------


def test_show_and_report_say_why_a_prediction_failed(tmp_path: Path) -> None:
    """One right, one with a wrong number, one that stands for an exception."""
    task = {"answer": "2次", "key": ["2次"], "key_middle": [], "way": "get_court_info", "hops": 1}
    tasks = [{"id": n, "question": f"第{n}问", **task} for n in (1, 2, 3)]
    said = [{"id": n, "res": text, "summary": text} for n, text in enumerate(("共2次", "共9次", "silence"), 1)]
    dataset, predictions, run = (tmp_path / name for name in ("d.json", "p.json", "run.moot"))
    dataset.write_text(json.dumps(tasks), encoding="utf-8")
    predictions.write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    words = ("legalagentbench", "--dataset", dataset, "--predictions", predictions, "--out", run)
    assert moot("score-predictions", *words).code == 0
    told = moot("show", run, "--failures", "--json").data
    assert told["statuses"]["solved"] == 1 and told["statuses"]["failed"] == 2
    assert told["classes"]["wrong_number"]["main"] == 1 and told["classes"]["wrong_number"]["share"] == 0.5
    assert sum(one["main"] for one in told["classes"].values()) == 2
    example = told["classes"]["wrong_number"]["example"]
    text = moot("show", run, "--failures").out
    assert f"moot show {run} {example['episode']}" in text and "证据齐全，数值有误" in text
    assert example["step"] == 0 and "--step" not in text, "nothing was played here: there is no step to open"
    alone = moot("show", run, example["episode"], "--failures").out
    assert "导入，无步骤" in alone and "第 1 步" not in alone
    assert "9 ≠ 2次" in alone and "数字与参照不同" in alone
    block = moot("report", run, "--format", "json").data["reports"][0]
    assert block["failures"] == {"error": 1, "wrong_number": 1}
    page = moot("report", run, "--format", "html").out
    assert "失败主因" in page and "证据齐全，数值有误 1" in page
