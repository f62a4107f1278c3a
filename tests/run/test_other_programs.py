"""Exports for other programs: logs of Inspect AI, CSV, calls by seat, rows; of golden runs, and of hostile ones."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict

from store.errors import NotFound, StoreError
from store.journal import EpisodeRow, Journal, text_hash
from tasks.episode.events import AttemptStarted, ModelCalled, Record, Stopped, ToolReturned, entry_of
from tasks.episode.state import fold
from tasks.errors import UsageError
from tasks.exchange.inspect_log import LIMITS, export_inspect
from tasks.exchange.rows import CARD_FILE, COLUMNS, ROWS_FILE, SCHEMA, export_rows, export_seats, table_lines
from tasks.run import plan
from tasks.run.exporting import write_lines
from tasks.run.header import HeaderData, spec_of
from tasks.run.imported import Sources, read_run, save_run
from tasks.run.reading import read_episode
from tasks.run.rescoring import read_stored, summary_of
from tasks.run.spec import RunSpec

GOLDEN = Path(__file__).parents[1] / "golden"
RUNS = ("courts", "legalagentbench", "legalsearch")
INSPECT = importlib.util.find_spec("inspect_ai") is not None


class Shape(BaseModel):
    """What the writer promises: these keys with these types, and no others."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Message(Shape):
    role: Literal["system", "user", "assistant", "tool"]
    content: str | list[dict[str, str]]
    source: str = ""
    model: str = ""
    tool_calls: list[dict[str, Any]] = []
    tool_call_id: str | None = None


class Usage(Shape):
    input_tokens: int
    input_tokens_cache_read: int
    output_tokens: int
    reasoning_tokens: int
    total_tokens: int


class Choice(Shape):
    message: Message
    stop_reason: Literal["stop", "max_tokens", "model_length", "tool_calls", "unknown"]


class Output(Shape):
    model: str
    choices: list[Choice]
    completion: str
    usage: Usage | None = None
    time: float = 0.0


class Score(Shape):
    value: dict[str, float | None] | float
    explanation: str | None
    metadata: dict[str, Any]


class Event(Shape):
    timestamp: str
    working_start: float
    event: str


class ModelEvent(Event):
    event: Literal["model"]
    model: str
    role: str
    input: list[Message]
    tools: list[Any]
    tool_choice: Literal["auto"]
    config: dict[str, Any]
    output: Output
    completed: str
    working_time: float
    metadata: dict[str, Any]


class ToolEvent(Event):
    event: Literal["tool"]
    type: Literal["function"]
    id: str
    function: str
    arguments: dict[str, Any]
    result: str
    completed: str
    working_time: float
    metadata: dict[str, Any]


class InfoEvent(Event):
    event: Literal["info"]
    source: str
    data: dict[str, Any]


class Limit(Shape):
    type: Literal["context", "time", "token", "operator", "custom"]
    limit: float
    reason: str


class Sample(Shape):
    id: str
    epoch: int
    input: str
    target: str
    messages: list[Message]
    output: Output
    scores: dict[str, Score]
    metadata: dict[str, Any]
    events: list[ModelEvent | ToolEvent | InfoEvent]
    model_usage: dict[str, Usage]
    role_usage: dict[str, Usage]
    uuid: str
    attachments: dict[str, str]
    limit: Limit | None
    error: dict[str, str] | None
    started_at: str = ""
    completed_at: str = ""
    total_time: float = 0.0
    working_time: float = 0.0


class Metric(Shape):
    name: str
    value: float
    metadata: dict[str, Any]


class Figure(Shape):
    name: str
    scorer: str
    params: dict[str, Any]
    scored_samples: int
    metrics: dict[str, Metric]
    metadata: dict[str, Any]


class Results(Shape):
    total_samples: int
    completed_samples: int
    scores: list[Figure]
    metadata: dict[str, Any]


class Stats(Shape):
    started_at: str
    completed_at: str
    model_usage: dict[str, Usage]
    role_usage: dict[str, Usage]


class Spec(Shape):
    eval_id: str
    run_id: str
    created: str
    task: str
    task_id: str
    task_version: int
    task_display_name: str
    task_args: dict[str, Any]
    solver: str
    dataset: dict[str, Any]
    model: str
    model_args: dict[str, Any]
    config: dict[str, Any]
    packages: dict[str, str]
    scorers: list[dict[str, Any]]
    metadata: dict[str, Any]


class Log(Shape):
    version: Literal[2]
    status: Literal["success", "cancelled"]
    eval: Spec
    plan: dict[str, Any]
    results: Results
    stats: Stats
    samples: list[Sample] = []


@pytest.fixture
def golden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the golden runs, whose task files lie beside them and not where they were recorded."""
    folder = shutil.copytree(GOLDEN, tmp_path / "golden")

    def beside(header: HeaderData) -> RunSpec:
        spec = spec_of(header)
        found = folder / Path(spec.tasks or "").name
        return spec.model_copy(update={"tasks": str(found)}) if found.is_file() else spec

    monkeypatch.setattr(plan, "spec_of", beside)
    monkeypatch.chdir(folder)
    return tmp_path


def zipped(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]:
    """Head, samples and summaries of a log in a zip."""
    with zipfile.ZipFile(path) as made:
        names = made.namelist()
        assert made.testzip() is None and len(names) == len(set(names))
        samples = [json.loads(made.read(name)) for name in names if name.startswith("samples/")]
        head = json.loads(made.read("header.json"))
        start = json.loads(made.read("_journal/start.json"))
        assert start == {name: head[name] for name in ("version", "eval", "plan")}
        return head, samples, json.loads(made.read("summaries.json"))


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_log_has_the_shape_that_is_promised(golden: Path, name: str) -> None:
    run = Path(f"{name}.moot")
    n = export_inspect(run, golden / "a.json")
    assert export_inspect(run, golden / "made" / "a.eval") == n
    whole = json.loads((golden / "a.json").read_text("utf-8"))
    log = Log.model_validate(whole)
    head, samples, summaries = zipped(golden / "made" / "a.eval")
    assert {**head, "samples": samples} == whole and list(whole)[-1] == "samples"
    assert len(log.samples) == n == log.results.total_samples == log.results.completed_samples == len(summaries)
    assert [(one["id"], one["epoch"]) for one in summaries] == [(one.id, one.epoch) for one in log.samples]
    stored = read_stored(run)
    gold = {question.id: question for question in stored.questions}
    assert all(one.target and (one.target == getattr(gold[one.id].gold, "answer", one.target)) for one in log.samples)
    with Journal.open(run) as journal:
        for row, sample in zip(journal.episodes(), log.samples, strict=True):
            records = read_episode(journal, row.id)
            returned = {record.parent for record in records if isinstance(record.event, ToolReturned)}
            assert len(sample.events) == len(records) - len(returned)
            state, total = fold(records), sum(usage.total_tokens for usage in sample.model_usage.values())
            assert (row.task_id, row.epoch + 1, state.tokens) == (sample.id, sample.epoch, total)
            check_prompts(journal, records, sample)
    for by in ("model_usage", "role_usage"):
        held = sum(usage.total_tokens for one in log.samples for usage in getattr(one, by).values())
        assert sum(usage.total_tokens for usage in getattr(log.stats, by).values()) == held
    summary = summary_of(stored)
    figures = {(one.name, metric.name): metric.value for one in log.results.scores for metric in one.metrics.values()}
    assert figures == {
        (f"{row.measure.rule}/{row.measure.name}", row.group.name): row.value for row in summary.scores
        if row.value is not None
    }  # fmt: skip
    assert not any(one.startswith(str(golden)) for one in re.findall(r'"([^"]*)"', json.dumps(head)))


def check_prompts(journal: Journal, records: list[Record], sample: Sample) -> None:
    """Every prompt of the record stands in the log, each long text of it once."""
    asked = [record.event for record in records if isinstance(record.event, ModelCalled)]
    events = [event for event in sample.events if isinstance(event, ModelEvent)]
    named: set[str] = set()
    for call, event in zip(asked, events, strict=True):
        texts = [str(message.content) for message in event.input]
        named |= {text.removeprefix("attachment://") for text in texts if text.startswith("attachment://")}
        shown = [sample.attachments.get(text.removeprefix("attachment://"), text) for text in texts]
        assert shown == [journal.text_of(name) for _, name in call.messages]
        assert event.output.completion == call.text and event.role == call.seat
    assert named == set(sample.attachments)


@pytest.mark.skipif(not INSPECT, reason="inspect_ai is not installed; nothing of the product needs it")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ending", ["eval", "json"])
@pytest.mark.parametrize("name", RUNS)
def test_inspect_reads_the_log(golden: Path, name: str, ending: str) -> None:
    from inspect_ai.log import read_eval_log, read_eval_log_sample, read_eval_log_sample_summaries

    path = golden / f"log.{ending}"
    n = export_inspect(Path(f"{name}.moot"), path)
    log = read_eval_log(str(path), resolve_attachments=True)
    assert log.status == "success" and log.samples is not None and len(log.samples) == n
    assert len(read_eval_log_sample_summaries(str(path))) == n
    first = log.samples[0]
    assert read_eval_log_sample(str(path), first.id, first.epoch).output.completion == first.output.completion
    assert read_eval_log(str(path), header_only=True).results is not None
    assert not any("attachment://" in str(event) for event in first.events)


def test_the_calls_of_a_seat_are_there_whole(golden: Path) -> None:
    run, out = Path("legalagentbench.moot"), golden / "seats"
    counts = export_seats(run, out)
    lines = [json.loads(line) for line in (out / "agent.jsonl").read_text("utf-8").splitlines()]
    assert counts == {"agent.jsonl": len(lines)} == {path.name: 16 for path in out.iterdir()}
    with Journal.open(run) as journal:
        asked = [
            (row.id, record.event) for row in journal.episodes() for record in read_episode(journal, row.id)
            if isinstance(record.event, ModelCalled)
        ]  # fmt: skip
        for (episode, event), line in zip(asked, lines, strict=True):
            shown = [message["content"] for message in line["messages"]]
            assert (line["episode"], shown) == (episode, [journal.text_of(name) for _, name in event.messages])
            assert line["reply"]["content"] == event.text and line["human"] == event.human
            assert line["policy"] == ("human/1" if event.human else "react/1")
            assert (
                line["prompt_tokens"] + line["generated_tokens"] == event.evaluated + event.reused + event.generated
            )
    with pytest.raises(UsageError, match="no calls of models"):
        export_seats(Path("courts.moot"), golden / "none")
    assert not (golden / "none").exists()


@pytest.mark.parametrize("name", RUNS)
def test_rows_have_one_schema_and_a_card_that_says_it(golden: Path, name: str) -> None:
    run, out = Path(f"{name}.moot"), golden / "rows"
    counts = export_rows(run, out)
    rows = [json.loads(line) for line in (out / ROWS_FILE).read_text("utf-8").splitlines()]
    assert counts[ROWS_FILE] == len(rows) and sorted(counts) == sorted(path.name for path in out.iterdir())
    types = {"string": str, "int64": int, "float64": float, "bool": bool}
    for row in rows:
        assert list(row) == list(SCHEMA)
        assert all(value is None or type(value) is types[SCHEMA[column]] for column, value in row.items()), row
        assert row["gold"] and isinstance(json.loads(row["scores"]), dict)
    card = (out / CARD_FILE).read_text("utf-8")
    front = card.split("---\n")[1]
    told = dict(re.findall(r"  - name: (\w+)\n    dtype: (\w+)", front))
    assert told == SCHEMA and f"data_files: {ROWS_FILE}" in front and f"{len(rows)} episodes" in card
    table = list(csv.DictReader(io.StringIO("\n".join(table_lines(run)))))
    assert list(table[0]) == list(COLUMNS) and [row["episode"] for row in table] == [row["episode"] for row in rows]
    for one, row in zip(table, rows, strict=True):
        assert (one["outcome"], one["tokens"]) == (row["outcome"], str(row["tokens"]))
        assert [float(one[rule]) if one[rule] else None for rule in ("compat", "strict")] == [
            row["compat"],
            row["strict"],
        ]


# --- hostile and unfinished runs ------------------------------------------------------------------------------------

IDS = ("=HYPERLINK(1)", "../../etc/x", "a\x1b]0;t\x07b", "名/字\n二", "@SUM(A1)", "-1", "plain 1.2")


def imported(folder: Path, *, unfinished: int = 0) -> Path:
    """A run of tasks with hostile ids; the last `unfinished` of them have not ended."""
    tasks = [{"id": name, "question": f"问{name}", "answer": f"=答{name}", "key": ["答"], "hops": 1} for name in IDS]
    said = [{"id": name, "res": f"=1+1 答{name}", "summary": "+答"} for name in IDS]
    for file, rows in (("tasks.json", tasks), ("react_m{}.jsonl", said)):
        text = json.dumps(rows) if file.endswith(".json") else "\n".join(map(json.dumps, rows))
        (folder / file).write_text(text, "utf-8")
    sources = Sources("legalagentbench", folder / "tasks.json", folder / "react_m{}.jsonl")
    found = read_run(sources)
    for records in found.records[len(IDS) - unfinished :]:
        del records[-2:]
    return save_run(sources, found, out=folder / "run.moot")


def test_hostile_names_lead_nowhere_and_are_no_formulas(tmp_path: Path) -> None:
    run = imported(tmp_path)
    text = "\n".join(table_lines(run))
    assert text.count("\n") == len(IDS) and not re.search("[\x00-\x09\x0b-\x1f\x7f]", text)
    for row in csv.DictReader(io.StringIO(text)):
        assert not any(str(cell).startswith(("=", "+", "-", "@")) for cell in row.values()), row
        assert (row["agent"], row["model"], row["steps"], row["seconds"]) == ("imported/react", "m{}", "", "")
    assert export_inspect(run, tmp_path / "x.eval") == len(IDS)
    with zipfile.ZipFile(tmp_path / "x.eval") as made:
        members = [name for name in made.namelist() if name.startswith("samples/")]
    assert len(set(members)) == len(IDS) and all(
        re.fullmatch(r"samples/[\w .-]+_epoch_1\.json", name) for name in members
    )
    assert not any(".." in name for name in members) and "samples/plain 1.2_epoch_1.json" in members
    head, samples, _ = zipped(tmp_path / "x.eval")
    Log.model_validate({**head, "samples": samples})
    assert {one["id"] for one in samples} == {question.id for question in read_stored(run).questions}
    assert "started_at" not in samples[0] and head["eval"]["model"] == "m{}"
    export_rows(run, tmp_path / "rows")
    assert "m{}" in (tmp_path / "rows" / CARD_FILE).read_text("utf-8")


def test_what_has_not_ended_is_left_out_of_a_log_and_counted(tmp_path: Path) -> None:
    run = imported(tmp_path, unfinished=2)
    assert export_inspect(run, tmp_path / "x.json") == len(IDS) - 2
    log = Log.model_validate_json((tmp_path / "x.json").read_text("utf-8"))
    assert (log.status, log.results.total_samples, log.results.completed_samples) == (
        "cancelled",
        len(IDS),
        len(IDS) - 2,
    )
    table = list(csv.DictReader(io.StringIO("\n".join(table_lines(run)))))
    assert [row["outcome"] for row in table].count("unfinished") == 2 and len(table) == len(IDS)
    (tmp_path / "none").mkdir()
    empty = imported(tmp_path / "none", unfinished=len(IDS))
    for ending in ("json", "eval"):
        assert export_inspect(empty, tmp_path / f"none.{ending}") == 0
    assert (
        json.loads((tmp_path / "none.json").read_text("utf-8"))["samples"] == [] == zipped(tmp_path / "none.eval")[1]
    )


def test_seats_of_any_name_get_files_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names, text = ("../x", "A", "", "审判长", "c/../..", "x" * 300), "问"
    run = imported(tmp_path)
    with Journal.open(run) as journal:
        header = journal.header
    path = tmp_path / "seats.moot"
    call = {"prompt": "p/1", "asked": "d", "messages": (("user", text_hash(text)),), "settings": {}, "finish": "stop"}
    events = [AttemptStarted(benchmark="legalagentbench", task_id="1", attempt=1, seed=0, card={})]
    events += [ModelCalled(seat=seat, call=n, text=f"答{n}", **call) for n, seat in enumerate(names)]  # type: ignore[list-item,arg-type]
    with Journal.create(path, header, [EpisodeRow("1", 0, "1")]) as journal:
        attempt = journal.attempts("1")[0].id
        journal.append([entry_of(attempt, Record(n, 0, None, 1.0, event)) for n, event in enumerate(events)], [text])
    counts = export_seats(path, tmp_path / "out")
    files = [file.name for file in (tmp_path / "out").iterdir()]
    assert len(files) == len(names) == len(counts) and set(counts.values()) == {1}
    assert all(re.fullmatch(r"[\w-]*\.jsonl", file) and len(file) < 80 for file in files)
    seats = {json.loads((tmp_path / "out" / file).read_text("utf-8"))["seat"] for file in files}
    assert seats == set(names)


def test_limits_and_errors_of_a_sample(tmp_path: Path) -> None:
    for outcome in (*LIMITS, "error"):
        folder = tmp_path / outcome
        folder.mkdir()
        run = imported(folder)
        sources = Sources("legalagentbench", folder / "tasks.json", folder / "react_m{}.jsonl")
        found = read_run(sources)
        for records in found.records:
            place = next(n for n, record in enumerate(records) if isinstance(record.event, Stopped))
            stopped = Stopped(outcome=outcome, reason="why")  # type: ignore[arg-type]
            records[place] = Record(place, 1, None, records[place].at, stopped)
        run.unlink()
        export_inspect(save_run(sources, found, out=run), folder / "x.json")
        one = Log.model_validate_json((folder / "x.json").read_text("utf-8")).samples[0]
        assert (one.error or {}).get("message", "") == ("why" if outcome == "error" else "")
        assert (one.limit.reason if one.limit else "") == ("" if outcome == "error" else f"{outcome}: why")
        assert one.output.choices[0].stop_reason == "unknown"


@pytest.mark.parametrize("form", ["inspect", "rows", "csv"])
def test_without_its_task_file_nothing_is_written(tmp_path: Path, form: str) -> None:
    run = imported(tmp_path)
    (tmp_path / "tasks.json").unlink()
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(NotFound, match="task file"):
        match form:
            case "inspect":
                export_inspect(run, tmp_path / "x.eval")
            case "rows":
                export_rows(run, tmp_path / "x")
            case "csv":
                write_lines(tmp_path / "x.csv", table_lines(run))
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_nothing_is_written_over_and_endings_say_the_form(tmp_path: Path) -> None:
    run = imported(tmp_path)
    for name in ("x.json", "x.eval"):
        (tmp_path / name).write_text("mine", "utf-8")
        with pytest.raises(StoreError, match="File exists"):
            export_inspect(run, tmp_path / name)
        assert (tmp_path / name).read_text("utf-8") == "mine"
    with pytest.raises(UsageError, match="neither"):
        export_inspect(run, tmp_path / "x.txt")
    (tmp_path / "there").mkdir()
    for export in (export_rows, export_seats):
        with pytest.raises(StoreError, match="is there already"):
            export(run, tmp_path / "there")
    assert list((tmp_path / "there").iterdir()) == []
