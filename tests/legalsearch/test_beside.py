"""What stands beside a run of LegalSearch: printed rows, recitals by year, queries with a time, where the rules do
not apply."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from xml.etree import ElementTree

import pytest

from tasks.benchmark import benchmark
from tasks.legalsearch.questions import LawGold, LawQuestion
from tasks.legalsearch.settings import IN_DOMAIN
from tasks.legalsearch.summary import LawSummary
from tasks.legalsearch.temporal import pair_member, pair_table
from tasks.reports.formats import FORMATS
from tasks.run.rescoring import StoredRun, read_stored
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tasks.scoring.metrics import Report
from tasks.scoring.result import Result, ScoredAttempt
from tests.legalsearch.test_rollouts import question
from tests.support.law_run_fixture import prepare_law
from tests.support.summaries import law_summary as summarise


def asked(kind: str, answer: str, number: int, year: int = 2012) -> LawQuestion:
    options = "\nA: 甲\nB: 乙\nC: 丙\nD: 丁" if kind == "kqa" else ""
    card = {
        "id": f"{kind}_{number}",
        "type": kind,
        "question": f"请背诵{year}年5月有效的《某法》第{number}条。{options}",
    }
    return LawQuestion(f"{kind}_{number}", card, LawGold(answer, f"{kind}_{number}"))


def ran(*said: tuple[LawQuestion, str], rules: bool = True) -> LawSummary:
    made = summarise("r", [one for one, _ in said], [Result(one.id, "finished", text, text) for one, text in said])
    return replace(made, rules=rules)


@pytest.mark.parametrize(("answers", "applies"), [("BBB", False), ("AAB", True), ("AAA", True)])
def test_a_task_below_the_constant_answer_is_said_to_be_none_for_the_rules(answers: str, applies: bool) -> None:
    said = [
        (asked("kqa", gold, number), given) for number, (gold, given) in enumerate(zip("AAC", answers, strict=True))
    ]
    summary = ran(*said)
    found = summary.block()["applies"]
    assert isinstance(found, dict) and found["kqa"]["applies"] is applies and bool(found["kqa"]["why"]) is not applies
    for language, words in (("zh", "规则代理不适用"), ("en", "does not apply")):
        assert any(words in text for _, text in summary.notes(language)) is not applies
    model = replace(summary, rules=False)
    assert model.block()["applies"] is None and not dict(model.notes("zh"))["applies"]


def test_printed_rows_stand_beside_the_tasks_that_were_run() -> None:
    report = Report(ran((asked("kqa", "A", 1), "A"), (asked("lar", "甲乙丙丁", 2, 2004), "甲乙")))
    printed, years = report.summary.tables([report], "zh")
    assert printed.columns == ("法条背诵", "知识问答"), "a mean over some of its tasks is not the printed one"
    kinds = [row.kind for row in printed.rows]
    assert kinds == ["own"] + ["published"] * 18
    best = next(row for row in printed.rows if row.heads[0] == "LegalSearch-R1")
    assert [cell.value for cell in best.cells] == [96.73, 50.0]
    assert years.columns == ("2004",) and years.rows[0].cells[0].note == "n=1"
    assert {one.tag for one in ElementTree.fromstring(years.plot).iter()} >= {"circle", "text"}
    other = Report(ran((asked("kqa", "A", 1), "A")))
    assert [table.key for table in other.summary.tables([other], "zh")] == ["printed Table 2"]
    whole = Report(ran(*((asked(kind, "A" if kind in ("kqa", "lap", "lca") else "12个月", n), "A")
        for n, kind in enumerate(IN_DOMAIN) if kind not in ("lap", "lca", "lcs"))))  # fmt: skip
    assert "域内平均" not in whole.summary.tables([whole], "zh")[0].columns
    for form in ("html", "md", "json"):
        assert "DeepSeek-V3.2" in FORMATS[form]([report], "zh")


@pytest.mark.slow
def test_queries_with_a_time_are_counted_beside_the_printed_ones(moot_home: Path, tmp_path: Path) -> None:
    world = prepare_law(moot_home)
    spec = RunSpec(benchmark="legalsearch", pack="lamps", tasks=world["tasks"], agent="rules")
    out = tmp_path / "own.moot"
    with start_run(spec, out=out) as run:
        run.go()
    bench = benchmark("legalsearch")
    run = read_stored(out)
    [table] = bench.report_tables(run, "zh")
    own, *printed = table.rows
    queries, aware = (cell.value for cell in own.cells[:2])
    assert queries and aware and 0 < aware <= queries
    assert [row.cells[1].value for row in printed] == [97, 227, 502, 537]
    assert ElementTree.fromstring(table.plot) is not None


@pytest.mark.parametrize(
    ("kind", "gold", "said", "right", "read"),
    [
        ("kqa", "AB", "答案是BA", True, "AB"),
        ("kqa", "AB", "无法确定", False, "无法确定"),
        ("ptp", "12个月", "一年", True, "fixed 12.0"),
        ("ccp", "盗窃;抢劫", "抢劫罪；盗窃罪", True, "抢劫；盗窃"),
        ("lar", "第一条 甲乙丙丁", "第一条　甲乙丙丁", True, "第一条甲乙丙丁"),
        ("lar", "第一条 甲乙丙丁", "第二条", False, "第二条"),
        ("ptp", "12个月", "", False, ""),
    ],
)
def test_answers_to_a_pair_are_read_strictly(kind: str, gold: str, said: str, right: bool, read: str) -> None:
    made = pair_member(question(kind, gold), said)
    assert (made.right, made.read) == (right, read)


def test_consistency_on_pairs_stands_in_the_report() -> None:
    asked = [
        replace(one, gold=replace(one.gold, pair="a")) for one in (question(number=1), question(gold="B", number=2))
    ]
    said = [ScoredAttempt(Result(one.id, "finished", one.gold.answer, "")) for one in asked]
    run = cast(StoredRun, SimpleNamespace(questions=asked, attempts=said, header={"run": "r"}))
    table = pair_table(run, "en")
    assert table is not None
    assert [cell.value for cell in table.rows[0].cells] == [100.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    assert pair_table(cast(StoredRun, SimpleNamespace(questions=asked, attempts=said[:1], header={})), "en") is None
