"""Published run logs as engines: what they hold is said at its place, what they lack is said to be lacking."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.cli.main import main
from app.cli.tools import tools
from models.engine import Ask, EngineError, Message, Reply
from models.errors import BadEngine
from store.importers.legalagentbench import import_pack
from store.importers.logs.episodes import read_episodes
from store.journal import Journal
from store.schema import TABLES
from tasks.benchmark import benchmark
from tasks.episode.events import ActionParsed, ToolCalled, ToolReturned
from tasks.episode.state import digest
from tasks.legalagentbench.parser import parse_action
from tasks.legalagentbench.recorded_log import open_recorded_log, read_run_log
from tasks.run.engines import open_engine, run_path
from tasks.run.reading import Results, read_episode
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.support import run_logs as logs

pytestmark = pytest.mark.slow

Ask1 = Callable[..., Reply | EngineError]


@pytest.fixture
def log(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a text as a log."""

    def write(text: str) -> Path:
        path = tmp_path / "log.txt"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def engine(log: Callable[[str], Path]) -> Callable[[str], Ask1]:
    """Opens a text as an engine that is asked (prompt, step, question)."""

    def opened(text: str) -> Ask1:
        made = open_engine(f"recorded-log:{log(text)}")

        def ask(prompt: str, step: int, question: str) -> Reply | EngineError:
            messages = (Message("user", f"例题……\n问题：{question}\n此前的步骤：……"),)
            (reply,) = made.answer([Ask("agent", messages, prompt, step=step)])
            return reply

        return ask

    return opened


def text_of(reply: Reply | EngineError) -> str:
    assert isinstance(reply, Reply), reply
    return reply.text


def test_episodes_are_read_whole(log: Callable[[str], Path]) -> None:
    listed, broken, coded, endless = read_episodes(log(logs.react_log()))
    assert [e.question for e in (listed, broken, coded, endless)] == [
        logs.LISTED,
        logs.BROKEN,
        logs.CODED,
        logs.ENDLESS,
    ]
    assert [s.thought for s in listed.steps] == ["先查公司信息。", "列名不对。", "查无此公司。", "可以回答。"]
    assert (listed.steps[0].said, listed.steps[0].result, listed.steps[0].line) == (logs.LOOKUP, logs.LISTING, 3)
    assert (listed.answer, listed.summary) == ("2016年07月25日上市。", "该公司2016年07月25日上市。\n\n详见公告。")
    assert (broken.steps, broken.answer, broken.crash) == ((), None, "openai.BadRequestError: too long")
    assert coded.steps[1].recording is None and coded.answer == logs.CODE
    assert len(endless.steps) == 10


def test_a_react_log_answers_at_its_place_and_again(engine: Callable[[str], Ask1]) -> None:
    ask = engine(logs.react_log())
    for _ in range(2):
        assert text_of(ask("react-thought/1", 2, logs.LISTED)) == "列名不对。"
        assert text_of(ask("react-action/1", 1, logs.LISTED)) == logs.LOOKUP
        assert text_of(ask("answer/1", 10, logs.ENDLESS)) == "代码是990101。"
        assert text_of(ask("summary/1", 4, logs.LISTED)).startswith("该公司")
    tables = ask("table-filter/1", 1, logs.CODED)
    assert all(table in text_of(tables) for table in TABLES)
    assert isinstance(tables, Reply) and "全部表" in tables.note and "词元" in tables.note
    assert (tables.usage.evaluated, tables.usage.generated) == (0, 0)


@pytest.mark.parametrize(
    ("prompt", "step", "question", "said"),
    [
        ("react-thought/1", 1, "日志里没有的问题？", "its question or its steps are not in it"),
        ("react-thought/1", 1, logs.BROKEN, "broke off after 0 steps: openai.BadRequestError"),
        ("answer/1", 1, logs.BROKEN, "broke off"),
        ("react-thought/1", 5, logs.LISTED, "ended after 4 steps"),
        ("plan-solve/1", 1, logs.LISTED, "is the log of a react run"),
        ("react/2", 1, logs.LISTED, "--paper"),
    ],
)
def test_what_a_log_lacks_is_one_sentence(
    engine: Callable[[str], Ask1], prompt: str, step: int, question: str, said: str
) -> None:
    reply = engine(logs.react_log())(prompt, step, question)
    assert isinstance(reply, EngineError)
    assert said in str(reply)


def test_an_engine_that_was_closed_says_so(log: Callable[[str], Path]) -> None:
    made = open_engine(f"recorded-log:{log(logs.react_log())}")
    made.close()
    made.close()
    (reply,) = made.answer([Ask("agent", (Message("user", logs.LISTED),), "answer/1", step=1)])
    assert isinstance(reply, EngineError) and "closed" in str(reply)


def test_of_two_runs_of_a_task_the_last_complete_one_counts(engine: Callable[[str], Ask1]) -> None:
    again = logs.react(logs.LISTED, ("又一次。", logs.final("甲"), ""), end=logs.ended("甲"))
    assert text_of(engine(logs.react_log() + again)("answer/1", 1, logs.LISTED)) == "甲"
    assert text_of(engine(again + logs.crashed(logs.LISTED))("answer/1", 1, logs.LISTED)) == "甲"


def test_a_question_that_contains_another_is_found(engine: Callable[[str], Ask1]) -> None:
    longer = logs.react(f"{logs.LISTED}代码又是多少？", ("想", logs.final("乙"), ""), end=logs.ended("乙"))
    ask = engine(logs.react_log() + longer)
    assert text_of(ask("answer/1", 1, f"{logs.LISTED}代码又是多少？")) == "乙"
    assert text_of(ask("answer/1", 1, logs.LISTED)) != "乙"


def test_calls_of_a_plan_are_inferred_or_said_to_be_unknown(engine: Callable[[str], Ask1]) -> None:
    ask = engine(logs.plan_log(quoting=True))

    def parsed(step: int, question: str) -> Any:
        return parse_action(text_of(ask("plan-action/1", step, question)))

    first = ask("plan-action/1", 1, logs.LISTED)
    assert isinstance(first, Reply) and "取自步骤文字" in first.note
    call = parsed(1, logs.LISTED)
    assert (call.result, call.tool, call.input) == (
        "ok", "get_company_info", {"identifier": logs.COMPANY, "columns": ["上市日期"]},
    )  # fmt: skip
    unknown = ask("plan-action/1", 2, logs.LISTED)
    assert isinstance(unknown, Reply) and "不能确定" in unknown.note and "当时的结果：求和时" in unknown.note
    assert parsed(2, logs.LISTED).result == "rejected"
    last = parsed(3, logs.LISTED)
    assert (last.result, last.tool) == ("ok", "Final Answer")
    assert last.input == "它的上市日期是'2016年07月25日'。\n就是这一天。"
    assert parsed(1, logs.CODED).input["columns"] == ["法院代字"], "the recorded result shows the columns"
    assert parsed(4, logs.CODED).input["columns"] == ["法院名称", "邮编"]
    assert [parsed(step, logs.CODED).result for step in (3, 5, 6)] == ["rejected"] * 3


def test_a_replanning_log_tells_no_step_too_early(engine: Callable[[str], Ask1]) -> None:
    ask = engine(logs.plan_log(quoting=True))
    first = text_of(ask("plan-execute/1", 1, logs.CODED))
    assert "第1步：" in first and "第2步" not in first
    second = text_of(ask("replan/1", 2, logs.CODED))
    assert second.startswith(first) and "第2步：" in second and "第3步：" not in second
    whole = text_of(engine(logs.plan_log(quoting=False))("plan-solve/1", 1, logs.CODED))
    assert [line[:4] for line in whole.splitlines()] == [f"第{n}步：" for n in range(1, 7)]


def test_the_method_is_told_by_the_content(log: Callable[[str], Path], tmp_path: Path) -> None:
    assert open_recorded_log.agents(str(log(logs.react_log())))[0] == "react"
    assert open_recorded_log.agents(str(log(logs.plan_log(quoting=True))))[0] == "plan-execute"
    assert open_recorded_log.agents(str(log(logs.plan_log(quoting=False))))[0] == "plan-solve"
    assert read_run_log(log(logs.plan_log(quoting=False))).methods == ("plan-solve", "plan-execute")
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(logs.react_log().replace("\n", "\r\n").encode()))
    assert open_recorded_log.agents(str(packed))[0] == "react"
    assert read_run_log(packed).find(f"问题：{logs.CODED}") is not None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        (b"", "not a run log"),
        ("普通文字\n".encode(), "not a run log"),
        (b"\xff\xfe\n", "not UTF-8"),
        (gzip.compress(logs.react_log().encode())[:200], "damaged gzip"),
        (logs.react("", ("想", "做", "见")).encode(), "begins with its question"),
    ],
)
def test_no_run_log(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "file"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadEngine, match=said):
        open_engine(f"recorded-log:{path}")
    with pytest.raises(BadEngine, match="folder"):
        open_engine(f"recorded-log:{tmp_path}")


# Asking the tools again
# ------------------------------------------------------------------------------------------------


def replayed(path: Path, pack: str) -> Any:
    result = CliRunner().invoke(tools, ["replay", "--log", str(path), "--pack", pack, "--json"])
    assert result.exit_code == 0, result.exception
    return json.loads(result.output)


def test_replay_of_a_log_counts_every_step(log: Callable[[str], Path]) -> None:
    logs.make_pack()
    found = replayed(log(logs.react_log()), logs.PACK)
    assert found["by_status"]["ok"] == {"calls": 2, "same": 2}
    assert found["by_status"]["no_data"] == found["by_status"]["bad_column"] == {"calls": 1, "same": 1}
    assert (found["method"], found["tasks"], found["steps"]) == ("react", 4, 16)
    assert (found["final"], found["refused"], found["unknown"]) == (2, {"steps": 10, "same": 10, "repaired": 0}, {})
    found = replayed(log(logs.plan_log(quoting=True)), logs.PACK)
    assert found["by_status"]["ok"] == {"calls": 3, "same": 3}
    assert (found["inferred"], found["final"]) == (4, 1)
    assert found["unknown"] == {"math_error": 1, "bad_column": 2, "refused": 1}
    assert found["differences"] == {"bad_column": {"outside_pack": 1}}, "the pack of this test knows no such court"
    shown = CliRunner().invoke(tools, ["replay", "--log", str(log(logs.plan_log(quoting=True))), "--pack", logs.PACK])
    assert "4 次调用由计划步骤的文字推断" in shown.output


def test_calls_and_log_together_are_refused(log: Callable[[str], Path]) -> None:
    path = str(log(logs.react_log()))
    result = CliRunner().invoke(tools, ["replay", "--log", path, "--calls", path])
    assert getattr(result.exception, "exit_code", None) == 2


REACT_LOGS = ("log_react_1205_gpt-4o-2024-08-06.txt", "log_react_1205_gpt-3.5-turbo.txt")
PLAN_LOGS = {"log_plan_solve_1205_qwen-max.txt": "plan-solve", "log_plan_execute_1205_glm-4-plus.txt": "plan-execute"}


def test_published_logs_through_the_tools(data: Callable[..., Path]) -> None:
    import_pack(data("legalagentbench"), "harvested", lambda *_: None)
    for name in REACT_LOGS:
        found = replayed(data("legalagentbench", "raw_logs", name), "harvested")
        assert found["method"] == "react" and not found["unknown"] and not found["differences"]
        assert all(tally["calls"] == tally["same"] for tally in found["by_status"].values())
    for name, method in PLAN_LOGS.items():
        found = replayed(data("legalagentbench", "raw_logs", name), "harvested")
        assert found["method"] == method
        assert sum(tally["calls"] for tally in found["by_status"].values()) == found["inferred"] > 120
        now = {status for counts in found["differences"].values() for status in counts}
        assert now <= {"unknown_cells", "outside_pack"}, "what differs is what the pack does not hold"


def test_published_answers_are_read_to_the_byte(data: Callable[..., Path]) -> None:
    questions = {
        d["id"]: d["question"] for d in json.loads(data("legalagentbench", "dataset_dev.json").read_text("utf-8"))
    }
    for name, run in (
        ("log_react_1205_gpt-4o-2024-08-06.txt", "react_gpt-4o-2024-08-06"),
        ("log_plan_solve_1205_qwen-max.txt", "plan_solve_qwen-max"),
    ):
        log = read_run_log(data("legalagentbench", "raw_logs", name))
        lines = data("legalagentbench", "predictions_dev", f"{run}.jsonl").read_text("utf-8").splitlines()
        for line in map(json.loads, lines):
            episode = log.episodes[questions[line["id"]]]
            assert (episode.answer or "silence", episode.summary or "silence") == (line["res"], line["summary"])


# Whole runs
# ------------------------------------------------------------------------------------------------------------


def moot(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """A command as typed: exit code, standard output, standard error."""
    code = 0
    try:
        main(list(arguments))
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(bool(stop.code))
    out, err = capsys.readouterr()
    return code, out, err


def outcomes(run: str) -> dict[str, tuple[str, str]]:
    """Task -> (outcome, answer) of a run."""
    bench = benchmark("legalagentbench")
    with Journal.open(run_path(run)) as journal:
        return {
            result.task_id: (result.outcome, result.res) for result in Results(lambda: nullcontext(journal), bench)
        }


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, ...]:
    """Arguments that name the pack and the tasks of the small logs."""
    logs.make_pack()
    return "--pack", logs.PACK, "--tasks", str(logs.make_tasks(tmp_path))


def test_a_log_runs_through_our_policy(
    log: Callable[[str], Path], files: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = f"recorded-log:{log(logs.react_log())}"
    code, out, err = moot(capsys, "run", "legalagentbench", "--model", spec, *files, "--json", "--watch", "plain")
    assert code == 0, err
    block = json.loads(out)
    assert outcomes(block["run"]) == {
        "1": ("finished", "2016年07月25日上市。"),
        "3": ("finished", logs.CODE),
        "5": ("error", ""),
        "7": ("turn_limit", "代码是990101。"),
        "9": ("error", ""),
    }
    assert block["compat"]["success"]["all"] == pytest.approx(0.6)
    assert "思考: 先查公司信息。" in err and logs.LISTING in err and "没有记录词元数" in err
    with Journal.open(run_path(block["run"])) as journal:
        header = journal.header
        records = read_episode(journal, "1")
    assert header["engines"][spec]["method"] == "react" and header["spec"]["paper"]
    observations = [r.event.observation for r in records if isinstance(r.event, ToolReturned)]
    assert observations == [
        logs.LISTING, "One or more specified columns do not exist.", "No data found for the specified identifier.",
    ]  # fmt: skip
    assert moot(capsys, "show", block["run"], "--verify", "--json")[0] == 0


@pytest.mark.parametrize(("quoting", "agent"), [(True, "plan-execute"), (False, "plan-solve")])
def test_a_plan_log_runs_through_its_own_method(
    log: Callable[[str], Path], files: tuple[str, ...], capsys: pytest.CaptureFixture[str], quoting: bool, agent: str
) -> None:
    spec = f"recorded-log:{log(logs.plan_log(quoting))}"
    arguments = ("run", "legalagentbench", "--model", spec, *files, "--task", "1", "--task", "3", "--json")
    code, out, err = moot(capsys, *arguments)
    assert code == 0, err
    run = json.loads(out)["run"]
    assert outcomes(run) == {"1": ("finished", "2016年07月25日上市。"), "3": ("finished", logs.CODE)}
    with Journal.open(run_path(run)) as journal:
        assert journal.header["spec"]["agent"] == agent
        parsed = [r.event.result for r in read_episode(journal, "3") if isinstance(r.event, ActionParsed)]
        called = [r.event.input for r in read_episode(journal, "3") if isinstance(r.event, ToolCalled)]
    assert parsed.count("rejected") == (3 if quoting else 4)
    assert called[0] == {"identifier": logs.COURT, "columns": ["法院代字"]}


def test_a_fork_and_a_resumed_run_are_fed_from_their_step(
    log: Callable[[str], Path], files: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    spec = f"recorded-log:{log(logs.react_log())}"
    whole = json.loads(moot(capsys, "run", "legalagentbench", "--model", spec, *files, "--json")[1])["run"]
    code, out, err = moot(capsys, "fork", whole, "1", "--turn", "2", "--json")
    assert code == 0, err
    forked = json.loads(out)["run"]
    begun = RunSpec(
        benchmark="legalagentbench",
        agent="react",
        model=spec,
        pack=logs.PACK,
        tasks=files[3],
        task_ids=("1",),
    )
    with start_run(begun, out=tmp_path / "cut.moot") as run:
        run.scheduler.step("1")
        run.scheduler.step("1")
    assert moot(capsys, "resume", str(tmp_path / "cut.moot"), "--json")[0] == 0
    with (
        Journal.open(run_path(whole)) as one,
        Journal.open(run_path(forked)) as two,
        Journal.open(tmp_path / "cut.moot") as three,
    ):
        first, *others = (digest(read_episode(journal, "1")) for journal in (one, two, three))
    assert others == [first, first]


def test_a_log_takes_a_seat_with_the_method_it_knows(
    log: Callable[[str], Path], files: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    echoed = json.loads(moot(capsys, "run", "legalagentbench", "--agent", "echo", *files, "--json")[1])["run"]
    spec = f"recorded-log:{log(logs.react_log())}"
    code, out, err = moot(capsys, "fork", echoed, "3", "--turn", "0", "--seat", f"agent={spec}", "--json")
    assert code == 0, err
    assert outcomes(json.loads(out)["run"]) == {"3": ("finished", logs.CODE)}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--agent", "plan-solve"), "is the log of a react run, not of plan-solve"),
        (("--agent", "direct"), "is the log of a react run, not of direct"),
        (("--free",), "--free and --calls make others"),
    ],
)
def test_a_log_plays_no_other_method(
    log: Callable[[str], Path],
    files: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    said: str,
) -> None:
    spec = f"recorded-log:{log(logs.react_log())}"
    code, out, err = moot(capsys, "run", "legalagentbench", "--model", spec, *files, *options)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert said in err


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(BadEngine, match="cannot be read: no such name"):
        read_run_log(Path("\ud800"))
