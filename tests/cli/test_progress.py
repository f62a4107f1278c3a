"""The line of a run in motion: what it counts, how often it comes, and that a terminal sees one line."""

from __future__ import annotations

import io

import pytest

from app.cli.watcher import SELDOM, Progress
from app.terminal import width
from models.engine import Unavailable
from tasks.episode.events import Event, ModelCalled, Record, Stopped
from tasks.episode.scheduler import EngineUnavailable, RecordsCommitted
from tasks.episode.state import State


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def told(*events: Event) -> RecordsCommitted:
    return RecordsCommitted(
        "1", tuple(Record(n, 1, None, 0.0, event) for n, event in enumerate(events)), State(task_id="1")
    )


def called(generated: int, human: bool = False) -> ModelCalled:
    return ModelCalled(
        seat="agent", call=1, prompt="p/1", asked="x", messages=(), settings={}, text="说", finish="stop",
        generated=generated, human=human,
    )  # fmt: skip


def test_figures_of_a_run_in_motion() -> None:
    clock, stream = Clock(), io.StringIO()
    progress = Progress(4, stream, clock)
    assert progress.line() == "0/4"
    clock.now = 60.0
    progress.notify(told(called(600), called(999, human=True), Stopped(outcome="finished")))
    assert progress.line() == "1/4 · 每分钟 1.0 题 · 约剩 3 分钟 · 每秒 10 词元"
    progress.notify(told(Stopped(outcome="error")))
    progress.notify(told(Stopped(outcome="loop")))
    assert progress.line() == "3/4 · 每分钟 3.0 题 · 约剩 20 秒 · 每秒 10 词元 · 故障 1 · 陷入循环 1"


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_lines_come_seldom_and_a_terminal_sees_one(stream: io.StringIO) -> None:
    clock = Clock()
    progress = Progress(100, stream, clock)
    for second in range(100):
        clock.now = float(second)
        progress.notify(told(called(5), Stopped(outcome="finished")))
    text = stream.getvalue()
    if stream.isatty():
        assert text.count("\r") == 99 and text.count("\n") == 1 and text.endswith("\n")
        assert len({width(part) for part in text.rstrip("\n").split("\r")[1:]}) == 1, "nothing of a longer line stays"
    else:
        assert text.count("\n") == 99 // SELDOM, "the summary follows the last"


def test_who_does_not_answer_has_a_line_of_its_own() -> None:
    clock, stream = Clock(), Terminal()
    progress = Progress(2, stream, clock)
    clock.now = 1.0
    progress.notify(told(called(5)))
    progress.notify(EngineUnavailable("endpoint:x", Unavailable("no server answers at x"), 4.2))
    assert stream.getvalue().split("\n")[1:] == ["moot: no server answers at x。4 秒后重试。", ""]
