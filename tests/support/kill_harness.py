"""Kills a run at random moments and holds it to its promises. Used by a test (20 kills) and by the benchmark (300).

The parent keeps its own list of what the run acknowledged (its watcher was told) and compares the journal with it:
every acknowledged event is there once and unchanged, the file is whole, and the resumed run ends as an uninterrupted
one.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from store.builder import PackBuilder
from store.journal import Journal
from tasks.episode.events import record_of
from tasks.episode.scheduler import Notice, RecordsCommitted
from tasks.episode.state import digest
from tasks.run.reading import read_episode
from tasks.run.runner import resume_run, start_run
from tasks.run.spec import RunSpec

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["tasks.run.runner", "tasks.legalagentbench.benchmark", "store.builder", "tests.support.kill_harness"]
)

CALL = (
    '思考：查一查。\n```json\n{"action": "get_company_info", "action_input": {"identifier": "甲公司", "columns": '
    "[]}}\n```"
)
MISS = (
    '```json\n{"action": "get_company_register", "action_input": {"identifier": "乙公司", "columns": '
    '["注册资本"]}}\n```'
)
ODD = "我不知道该做什么"
END = '思考：够了。\n```json\n{"action": "Final Answer", "action_input": "代码是 999001"}\n```'
SCRIPT = {"delay_ms": [0, 3], "failure_rate": 0.05, "otherwise": [CALL, MISS, ODD, CALL, END]}


class Acknowledge:
    """Tells the parent what has been published."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe

    def notify(self, notice: Notice) -> None:
        if isinstance(notice, RecordsCommitted):
            self.pipe.send(
                [(notice.episode, r.seq, json.dumps(r.event.data(), sort_keys=True)) for r in notice.records]
            )


def child(home: str, spec: dict[str, Any] | None, path: str, pipe: Connection) -> None:
    os.environ["MOOT_HOME"] = home
    if spec is None:
        run = resume_run(Path(path), [Acknowledge(pipe)])
    else:
        run = start_run(RunSpec.model_validate(spec), [Acknowledge(pipe)], out=Path(path))
    with run:
        run.go()
        run.record_scores()


@dataclass
class Report:
    kills: int = 0
    lost: list[str] = field(default_factory=list)
    resumed: int = 0
    different: list[str] = field(default_factory=list)


def prepare(folder: Path, tasks: int = 6, delay_ms: int = 3) -> dict[str, Any]:
    """A small pack, a script whose replies come after so much at most, and a task file; MOOT_HOME is `folder`."""
    with PackBuilder(
        "kill", jurisdiction="虚构法域", source="test", licence="MIT", coverage="complete", as_of="2026-01-01"
    ) as pack:
        pack.add_row("CompanyInfo", {"公司名称": "甲公司", "公司代码": "999001"}, "authored")
    (folder / "script.json").write_text(json.dumps({**SCRIPT, "delay_ms": [0, delay_ms]}), encoding="utf-8")
    task = {"answer": "999001", "key": ["999001"], "key_middle": [], "type": "1-1", "way": "get_company_info"}
    lines = [{"id": n, "question": f"甲公司的代码是多少？（{n}）", **task} for n in range(1, tasks + 1)]
    (folder / "tasks.json").write_text(json.dumps(lines, ensure_ascii=False), encoding="utf-8")
    return {
        "benchmark": "legalagentbench", "agent": "react", "model": f"scripted:{folder / 'script.json'}",
        "pack": "kill", "tasks": str(folder / "tasks.json"), "seed": 5, "parallel": 2, "max_turns": 12,
    }  # fmt: skip


def digests(path: Path) -> dict[str, str]:
    with Journal.open(path) as journal:
        journal.check()
        return {row.id: digest(read_episode(journal, row.id)) for row in journal.episodes()}


def trial(
    folder: Path, spec: dict[str, Any], wanted: dict[str, str], seed: int, whole: float, report: Report
) -> None:
    """Start a run, kill it again and again at random moments of the `whole` time it takes, and let the last resume
    finish."""
    chance = random.Random(seed)
    path = folder / f"trial-{seed}.moot"
    acknowledged: dict[tuple[str, int], str] = {}
    for life in range(20):
        ours, theirs = CONTEXT.Pipe(duplex=False)
        first = not path.exists()
        process = CONTEXT.Process(
            target=child, args=(str(folder), spec if first else None, str(path), theirs), daemon=True
        )
        process.start()
        theirs.close()
        _listen(ours, acknowledged, until=1)
        deadline = time.monotonic() + chance.uniform(0, whole) if life < 3 else None
        alive = _listen(ours, acknowledged, deadline=deadline)
        if alive:
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
            report.kills += 1
            _listen(ours, acknowledged)
        process.join()
        if path.exists():
            _check(path, acknowledged, report)
        if not alive and process.exitcode == 0:
            break
        report.resumed += 1
    if digests(path) != wanted:
        report.different.append(path.name)


def _listen(
    pipe: Connection, acknowledged: dict[tuple[str, int], str], *, until: int = 0, deadline: float | None = None
) -> bool:
    """Collect acknowledgements until so many have come, the time is up (True), or the child is gone (False)."""
    came = 0
    while not until or came < until:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        try:
            if not pipe.poll(left):
                return True
            for episode, seq, data in pipe.recv():
                acknowledged[episode, seq] = data
            came += 1
        except (EOFError, OSError):
            return False
    return True


def _check(path: Path, acknowledged: dict[tuple[str, int], str], report: Report) -> None:
    with Journal.open(path) as journal:
        journal.check()
        found: dict[tuple[str, int], str] = {}
        for row in journal.episodes():
            for attempt in journal.attempts(row.id):
                for entry in journal.entries(attempt.id):
                    found[row.id, entry.seq] = json.dumps(record_of(entry).event.data(), sort_keys=True)
    report.lost += [f"{path.name}: {key}" for key, data in acknowledged.items() if found.get(key) != data]


def run_trials(folder: Path, kills: int, seed: int = 1, *, tasks: int = 6, **changes: Any) -> Report:
    """Trials until at least `kills` kills have been survived; `changes` of the run that is killed."""
    spec = {**prepare(folder, tasks), **changes}
    whole = folder / "whole.moot"
    ours, theirs = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=child, args=(str(folder), spec, str(whole), theirs), daemon=True)
    process.start()
    theirs.close()
    _listen(ours, {}, until=1)
    began = time.monotonic()
    _listen(ours, {})
    lasted = time.monotonic() - began
    process.join()
    wanted = digests(whole)
    report = Report()
    for _ in range(kills * 20):
        if report.kills >= kills:
            break
        trial(folder, spec, wanted, seed, lasted, report)
        seed += 1
    return report
