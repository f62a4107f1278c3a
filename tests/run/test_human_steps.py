"""What a person did is marked by seat and step wherever a run is shown or handed on, and is no figure of who is
tested."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from store.journal import Journal
from tasks.episode.events import ModelCalled, Seated
from tasks.episode.scheduler import HUMAN
from tasks.errors import UsageError
from tasks.exchange.inspect_log import export_inspect
from tasks.exchange.rows import export_rows, export_seats, table_lines
from tasks.legalsearch.rollouts import GroupMember, make_group
from tasks.reports.as_csv import by_task
from tasks.reports.comparison import FORMATS as COMPARED
from tasks.reports.formats import FORMATS
from tasks.run.comparing import DroppedTask, compare, dropped, side_of
from tasks.run.exporting import event_lines
from tasks.run.failing import failures_of
from tasks.run.listing import brief_of, read_run
from tasks.run.reading import human_steps
from tasks.run.rescoring import read_stored, summary_of
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tasks.scoring.metrics import Report
from tasks.scoring.result import HumanSteps
from tests.legalsearch.test_rollouts import episode, question
from tests.support.desk_fixture import build_pack

PERSON = Seated(seat="agent", policy="human/1", engine=HUMAN)
RIGHT = "0000-1234567"


def played(path: Path, *people: str, agent: str = "echo") -> Path:
    """Both tasks of the small pack; a person answers the second one rightly where it is named."""
    with start_run(RunSpec(benchmark="legalagentbench", pack="small", agent=agent), out=path) as run:
        for name in people:
            run.seat(name, PERSON)
            run.scheduler.step(name)
            run.scheduler.answer(name, RIGHT)
        run.go()
        run.record_scores()
    return path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the pack, a run in which a person helped, and one without."""
    home = tmp_path_factory.mktemp("helped")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(home))
        build_pack()
        played(home / "helped.moot", "k-2")
        played(home / "alone.moot")
    return home


@pytest.fixture
def helped(runs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOOT_HOME", str(runs))
    return runs / "helped.moot"


def test_what_a_person_did_enters_no_figure_of_the_policy(helped: Path) -> None:
    alone = helped.with_name("alone.moot")
    block, whole = summary_of(read_stored(helped)).block(), summary_of(read_stored(alone)).block()
    assert block["people"] == [{"episode": "k-2", "steps": {"agent": [1]}, "counted": False}]
    assert (block["n"], block["outcomes"]["finished"], block["flags"]["human"]) == (1, 1, 1)
    assert block["compat"]["success"]["all"] == block["strict"]["success"]["all"] == 0.0
    assert "people" not in whole and whole["n"] == 2
    with Journal.open(helped) as journal:
        totals = brief_of(journal)
    assert (totals.n, totals.people, totals.compat, totals.strict) == (2, 1, 0.0, 0.0)
    line = read_run(helped)
    assert (line.compat, line.n) == (0.0, 2)
    found = failures_of(helped)
    assert [one.episode for one in found.episodes] == ["k-1"] and found.data()["left_out"] == ["k-2"]
    assert [one.episode for one in failures_of(helped, "k-2").episodes] == ["k-2"]


def test_a_person_who_is_tested_has_figures(helped: Path, tmp_path: Path) -> None:
    with start_run(
        RunSpec(benchmark="legalagentbench", pack="small", agent=HUMAN, task_ids=("k-2",)), out=tmp_path / "own.moot"
    ) as run:
        run.scheduler.step("k-2")
        run.scheduler.answer("k-2", RIGHT)
        run.go()
        run.record_scores()
    block = summary_of(read_stored(run.journal.path)).block()
    assert (block["n"], block["strict"]["success"]["all"], block["people"][0]["counted"]) == (1, 1.0, True)


def test_a_report_names_the_steps_in_every_format(helped: Path) -> None:
    run = read_stored(helped)
    report = Report(summary_of(run), run.header)
    for form in ("text", "html", "md"):
        assert "k-2 受测席位第 1 步（不计入）" in FORMATS[form]([report], "zh")
        assert "k-2 tested seat in step 1 (in no figure)" in FORMATS[form]([report], "en")
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"]([report], "zh"))))
    assert {row["human_steps"] for row in rows} == {"k-2 agent:1"}
    side, questions = side_of(helped)
    lines = list(csv.DictReader(io.StringIO(by_task([(report, side, questions)]))))
    assert {(row["task"], row["human_steps"]) for row in lines} == {("k-1", ""), ("k-2", "agent:1")}


def test_every_export_marks_the_steps(helped: Path, tmp_path: Path) -> None:
    export_inspect(helped, tmp_path / "log.json")
    log = json.loads((tmp_path / "log.json").read_text("utf-8"))
    assert log["results"]["metadata"]["people"] == [{"episode": "k-2", "steps": {"agent": [1]}, "counted": False}]
    assert (log["status"], log["results"]["total_samples"]) == ("success", 2)
    echo, person = log["samples"]
    assert not echo["metadata"]["people"]["steps"] and person["metadata"]["people"]["steps"] == {"agent": [1]}
    (call,) = (event for event in person["events"] if event["event"] == "model")
    assert call["model"] == person["output"]["model"] == "human" and call["metadata"]["step"] == 1
    assert not person["model_usage"] and not log["stats"]["model_usage"]

    export_rows(helped, tmp_path / "rows")
    rows = [json.loads(line) for line in (tmp_path / "rows" / "episodes.jsonl").read_text("utf-8").splitlines()]
    table = list(csv.DictReader(table_lines(helped)))
    for lines in (rows, table):
        assert [(line["task"], line["human_steps"]) for line in lines] == [("k-1", ""), ("k-2", "agent:1")]
    export_seats(helped, tmp_path / "seats")
    (line,) = (json.loads(line) for line in (tmp_path / "seats" / "agent.jsonl").read_text("utf-8").splitlines())
    assert (line["episode"], line["step"], line["human"]) == ("k-2", 1, True)
    events = [line for line in event_lines(helped) if line["kind"] == "event" and line["tag"] == ModelCalled.tag]
    assert [(event["step"], event["data"]["human"]) for event in events] == [(1, True)]  # type: ignore[index]


def test_a_rollout_that_a_person_helped_is_none_of_the_policy() -> None:
    members = [GroupMember(number, episode("A")) for number in (1, 2, 3)]
    records = [
        replace(record, event=record.event.model_copy(update={"human": True}))
        if isinstance(record.event, ModelCalled) and record.step == 3
        else record
        for record in members[1].records
    ]
    made = make_group(question(), [members[0], GroupMember(2, records), members[2]])
    assert made.human == (2,) and [one.number for one in made.rollouts] == [1, 3] and not made.left_out
    assert {(line["rollout"], *line["human"]) for line in made.lines()} == {(1, 2), (3, 2)}


def test_a_person_in_another_seat_is_named_and_counted(helped: Path) -> None:
    run = read_stored(helped)
    people = [HumanSteps("CI-1", {"plaintiff_lawyer": (2, 5), "agent": (3,)}, True)]
    report = Report(replace(summary_of(run), people=people), run.header)
    assert "CI-1 原告委托诉讼代理人第 2, 5 步，受测席位第 3 步\n" in FORMATS["text"]([report], "zh")
    more = [HumanSteps(f"CI-{n}", {"agent": (1,)}, n > 3) for n in range(1, 14)]
    told = FORMATS["text"]([Report(replace(report.summary, people=more), run.header)], "zh")
    assert "CI-3 受测席位第 1 步（不计入）；CI-4 受测席位第 1 步；" in told and "；另有 3 个对局" in told


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ({}, {}, None),
        ({"people": {"judge": (1,)}}, {}, ("around", 0)),
        ({"people": {"judge": (1,)}}, {"people": {"client": (2,)}}, None),
        ({}, {"values": {}, "outcome": "unfinished"}, ("open", 1)),
        ({"values": {}}, {"values": {}}, ("unscored", None)),
        ({"values": {}}, {"values": {}, "outcome": "unfinished"}, ("open", 1)),
        (None, {}, ("missing", 0)),
        ({}, None, ("missing", 1)),
    ],
)
def test_every_task_of_either_run_is_counted_or_has_a_reason(
    helped: Path, first: dict[str, Any] | None, second: dict[str, Any] | None, why: tuple[str, int | None] | None
) -> None:
    side, questions = side_of(helped)
    (plain,) = side.tasks["k-1"]
    sides = [
        replace(side, tasks={} if change is None else {"k-1": [replace(plain, **change)]}, left_out={})
        for change in (first, second)
    ]
    found = dropped(*sides, [one.id for one in questions], ("strict", "success"))
    assert [(one.task, one.why, one.side) for one in found] == ([("k-1", *why)] if why else [])


def test_a_comparison_says_what_it_does_not_count_and_why(helped: Path, tmp_path: Path) -> None:
    alone = helped.with_name("alone.moot")
    (found,) = compare([alone, helped])
    assert found.dropped == [DroppedTask("k-2", "human", 1)] and found.main.found.n == 1
    assert found.second.people == 1 and found.second.left_out.keys() == {"k-2"}
    for form in ("text", "html", "md"):
        assert "2 题中有 1 题未计入：乙由本人作答 1 题" in COMPARED[form]([found], "zh")
        assert "1 of 2 tasks do not count: 1 answered by a person in B" in COMPARED[form]([found], "en")
    (data,) = json.loads(COMPARED["json"]([found], "zh"))["comparisons"]
    assert data["dropped"] == [{"task": "k-2", "why": "human", "side": 1}] and data["only_first"] == []
    both = played(tmp_path / "both.moot", "k-1", "k-2")
    with pytest.raises(UsageError, match="no task in common") as refused:
        compare([alone, both])
    assert "2 of their tasks were answered by a person" in refused.value.hint


@pytest.mark.parametrize(("measured", "counted"), [("client", False), ("", True)])
def test_a_person_for_who_is_measured_has_no_figures(
    sample_pack: Path, tmp_path: Path, measured: str, counted: bool
) -> None:
    spec = RunSpec.model_validate({
        "benchmark": "courts", "agent": "gold", "task_ids": ("KQ-0001",), "max_turns": 2, "measured": measured,
    })  # fmt: skip
    with start_run(spec, out=tmp_path / "seat.moot") as run:
        run.seat("KQ-0001", Seated(seat="client", policy="court-human/1", engine=HUMAN))
        driver = run.scheduler.episodes["KQ-0001"]
        while driver.ask is None:
            run.scheduler.step("KQ-0001")
        run.scheduler.answer("KQ-0001", "您好，我想咨询。")
        run.go()
        (steps,) = human_steps(run.journal).values()
    assert (list(steps.steps), steps.counted) == (["client"], counted)
