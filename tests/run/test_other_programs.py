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
from typing import Any

import pytest

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


NONE = type(None)
NUMBER = (int, float)
USAGE = dict.fromkeys(
    ("input_tokens", "input_tokens_cache_read", "output_tokens", "reasoning_tokens", "total_tokens"), int
)
MESSAGE = {
    "role": {"system", "user", "assistant", "tool"},
    "content": (str, list),
    **{"source?": str, "model?": str, "tool_calls?": [dict], "tool_call_id?": (str, NONE)},
}
ENDS = {"stop", "max_tokens", "model_length", "tool_calls", "unknown"}
OUTPUT = {
    **{"model": str, "completion": str, "time?": NUMBER, "usage?": (dict, NONE)},
    "choices": [{"message": MESSAGE, "stop_reason": ENDS}],
}
EVENT = {"timestamp": str, "working_start": NUMBER, "event": str}
TIMED = {**EVENT, "completed": str, "working_time": NUMBER, "metadata": dict}
EVENTS: dict[str, Any] = {
    "model": {
        **{**TIMED, "model": str, "role": str, "tools": list, "tool_choice": {"auto"}, "config": dict},
        **{"input": [MESSAGE], "output": OUTPUT},
    },
    "tool": {**TIMED, "type": {"function"}, "id": str, "function": str, "arguments": dict, "result": str},
    "info": {**EVENT, "source": str, "data": dict},
}
SAMPLE = {
    **{"id": str, "epoch": int, "input": str, "target": str, "uuid": str, "metadata": dict, "events": list},
    **{"messages": [MESSAGE], "output": OUTPUT, "model_usage": {"*": USAGE}, "role_usage": {"*": USAGE}},
    **{"attachments": {"*": str}, "limit": (dict, NONE), "error": (dict, NONE)},
    **{"started_at?": str, "completed_at?": str, "total_time?": NUMBER, "working_time?": NUMBER},
    "scores": {"*": {"value": (dict, *NUMBER), "explanation": (str, NONE), "metadata": dict}},
}
METRIC = {"name": str, "value": NUMBER, "metadata": dict}
FIGURE = {
    **{"name": str, "scorer": str, "params": dict, "scored_samples": int, "metadata": dict},
    "metrics": {"*": METRIC},
}
EVAL = {
    **dict.fromkeys(("eval_id", "run_id", "created", "task", "task_id", "task_display_name", "solver", "model"), str),
    **dict.fromkeys(("task_args", "dataset", "model_args", "config", "packages", "metadata"), dict),
    **{"task_version": int, "scorers": [dict]},
}
LOG = {
    **{"version": {2}, "status": {"success", "cancelled"}, "eval": EVAL, "plan": dict, "samples": [SAMPLE]},
    "results": {"total_samples": int, "completed_samples": int, "scores": [FIGURE], "metadata": dict},
    "stats": {"started_at": str, "completed_at": str, "model_usage": {"*": USAGE}, "role_usage": {"*": USAGE}},
}
"""What the writer promises: these keys with these types and no others; one with '?' may be missing, '*' is any."""


def holds(value: Any, shape: Any, place: str = "log") -> Any:
    """The value, whose shape is as promised."""
    if isinstance(shape, dict):
        named = {name.rstrip("?"): name for name in (value if "*" in shape else shape)}
        least = {name for name in named.values() if not name.endswith("?")}
        assert least <= value.keys() <= named.keys(), place
        for name in value:
            holds(value[name], shape["*"] if "*" in shape else shape[named[name]], f"{place}.{name}")
    elif isinstance(shape, list):
        for one in value:
            holds(one, shape[0], place)
    elif isinstance(shape, set):
        assert value in shape, place
    else:
        assert isinstance(value, shape) and not isinstance(value, bool), place
    return value


def read_log(path: Path) -> dict[str, Any]:
    log: dict[str, Any] = holds(json.loads(path.read_text("utf-8")), LOG)
    for sample in log["samples"]:
        for event in sample["events"]:
            holds(event, EVENTS[event["event"]], event["event"])
            holds([event["output"]["usage"]] if event.get("output", {}).get("usage") else [], [USAGE])
    return log


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
    log = read_log(golden / "a.json")
    head, samples, summaries = zipped(golden / "made" / "a.eval")
    assert {**head, "samples": samples} == log and list(log)[-1] == "samples"
    results = log["results"]
    assert len(samples) == n == results["total_samples"] == results["completed_samples"] == len(summaries)
    assert [(one["id"], one["epoch"]) for one in summaries] == [(one["id"], one["epoch"]) for one in samples]
    stored = read_stored(run)
    gold = {question.id: question for question in stored.questions}
    for one in samples:
        assert one["target"] and one["target"] == getattr(gold[one["id"]].gold, "answer", one["target"])
    with Journal.open(run) as journal:
        for row, sample in zip(journal.episodes(), samples, strict=True):
            records = read_episode(journal, row.id)
            returned = {record.parent for record in records if isinstance(record.event, ToolReturned)}
            assert len(sample["events"]) == len(records) - len(returned)
            assert (row.task_id, row.epoch + 1) == (sample["id"], sample["epoch"])
            assert fold(records).tokens == tokens(sample, "model_usage")
            check_prompts(journal, records, sample)
    for by in ("model_usage", "role_usage"):
        assert tokens(log["stats"], by) == sum(tokens(one, by) for one in samples)
    summary = summary_of(stored)
    assert {
        (one["name"], metric["name"]): metric["value"]
        for one in results["scores"]
        for metric in one["metrics"].values()
    } == {
        (f"{row.measure.rule}/{row.measure.name}", row.group.name): row.value
        for row in summary.scores
        if row.value is not None
    }
    assert not any(one.startswith(str(golden)) for one in re.findall(r'"([^"]*)"', json.dumps(head)))


def tokens(of: dict[str, Any], by: str) -> int:
    return sum(usage["total_tokens"] for usage in of[by].values())


def check_prompts(journal: Journal, records: list[Record], sample: dict[str, Any]) -> None:
    """Every prompt of the record stands in the log, each long text of it once."""
    asked = [record.event for record in records if isinstance(record.event, ModelCalled)]
    events = [event for event in sample["events"] if event["event"] == "model"]
    named: set[str] = set()
    for call, event in zip(asked, events, strict=True):
        texts = [str(message["content"]) for message in event["input"]]
        named |= {text.removeprefix("attachment://") for text in texts if text.startswith("attachment://")}
        shown = [sample["attachments"].get(text.removeprefix("attachment://"), text) for text in texts]
        assert shown == [journal.text_of(name) for _, name in call.messages]
        assert event["output"]["completion"] == call.text and event["role"] == call.seat
    assert named == set(sample["attachments"])


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


def imported(folder: Path, *, unfinished: int = 0, outcome: Any = "") -> Path:
    """A run of tasks with hostile ids; the last `unfinished` of them have not ended, the others ended so."""
    tasks = [{"id": name, "question": f"问{name}", "answer": f"=答{name}", "key": ["答"], "hops": 1} for name in IDS]
    said = [{"id": name, "res": f"=1+1 答{name}", "summary": "+答"} for name in IDS]
    for file, rows in (("tasks.json", tasks), ("react_m{}.jsonl", said)):
        text = json.dumps(rows) if file.endswith(".json") else "\n".join(map(json.dumps, rows))
        (folder / file).write_text(text, "utf-8")
    sources = Sources("legalagentbench", folder / "tasks.json", folder / "react_m{}.jsonl")
    found = read_run(sources)
    for records in found.records[len(IDS) - unfinished :]:
        del records[-2:]
    for records in found.records if outcome else ():
        place = next(n for n, record in enumerate(records) if isinstance(record.event, Stopped))
        records[place] = Record(place, 1, None, records[place].at, Stopped(outcome=outcome, reason="why"))
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
    holds({**head, "samples": samples}, LOG)
    assert {one["id"] for one in samples} == {question.id for question in read_stored(run).questions}
    assert "started_at" not in samples[0] and head["eval"]["model"] == "m{}"
    export_rows(run, tmp_path / "rows")
    assert "m{}" in (tmp_path / "rows" / CARD_FILE).read_text("utf-8")


def test_what_has_not_ended_is_left_out_of_a_log_and_counted(tmp_path: Path) -> None:
    run = imported(tmp_path, unfinished=2)
    assert export_inspect(run, tmp_path / "x.json") == len(IDS) - 2
    log = read_log(tmp_path / "x.json")
    results = log["results"]
    assert log["status"] == "cancelled"
    assert (results["total_samples"], results["completed_samples"]) == (len(IDS), len(IDS) - 2)
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


@pytest.mark.parametrize("outcome", [*LIMITS, "error"])
def test_limits_and_errors_of_a_sample(tmp_path: Path, outcome: Any) -> None:
    run = imported(tmp_path, outcome=outcome)
    export_inspect(run, tmp_path / "x.json")
    one = read_log(tmp_path / "x.json")["samples"][0]
    assert (one["error"] or {}).get("message", "") == ("why" if outcome == "error" else "")
    if outcome != "error":
        kinds = {"context", "time", "token", "operator", "custom"}
        limit = holds(one["limit"], {"type": kinds, "limit": NUMBER, "reason": str})
        assert limit["reason"] == f"{outcome}: why"
    else:
        assert one["limit"] is None
    assert one["output"]["choices"][0]["stop_reason"] == "unknown"


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
