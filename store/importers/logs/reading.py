"""Finds in a run log the lines that the harness wrote, and hands them on as recordings, one line at a time.

Two layouts cover the three published methods: ReAct prints 思考 n, 行动 n, 观察 n, one line each; plan-solve and
plan-execute print 第n步计划: the step 执行结果: its result. Model text lost its newlines before it was printed, so an
invented observation sits inside a 思考 or 行动 line, never at the start of one; only final answers and summaries span
lines. A marker therefore counts only at the start of a line *and* in its turn: 观察 n directly after 行动 n, step n
after step n-1, and a new episode after a blank line outside an answer. Anything else is counted as out of turn, not
read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from store.errors import BadInput, NotFound
from store.importers.reading import files_in, opened

SNIFFED_LINES = 5_000
LOG_SUFFIXES = frozenset({".txt", ".log"})

Layout = Literal["react", "plan"]

_STEP = re.compile(r"(思考|行动|观察) ([1-9][0-9]{0,3}):(.*)", re.DOTALL)
_PLAN = re.compile(r"第([1-9][0-9]{0,3})步计划[:：](.*)", re.DOTALL)
_RESULT = re.compile(r"执行结果[:：] ?")
_ENDS = {
    "final_anwer is": "answer",
    "summary_answer is": "after answer",
    "Traceback (most recent call last)": "outside",
}
"""Marker -> the turn that follows it."""
_TURNS = {"思考": "thought", "行动": "action", "观察": "observation"}


@dataclass(frozen=True, slots=True)
class Recording:
    """One thing that was done and what came back.

    said: the model's action (ReAct) or the step of its plan; result: what the harness printed after it, with its own
    newlines when it spans lines; line: where the result starts, counted from 1.
    """

    file: Path
    line: int
    layout: Layout
    said: str
    result: str


@dataclass(slots=True)
class LogCounts:
    """What the reader met on its way."""

    lines: int = 0
    bytes: int = 0
    recordings: dict[str, int] = field(default_factory=lambda: {"react": 0, "plan": 0})
    out_of_turn: int = 0
    two_results: int = 0


def find_logs(source: Path) -> tuple[list[Path], list[Path]]:
    """Run logs at `source` (a file, or a folder searched through), and the text files that turned out to be none.

    Raises:
        NotFound: there is nothing at `source`.
        BadInput: a single file is no run log, a folder holds none, or a link leads out of the folder.
    """
    if not source.exists():
        raise NotFound(f"{source} does not exist", "Give a run log or a folder that holds run logs.")
    if source.is_file():
        if not looks_like_log(source):
            raise BadInput(
                f"{source}, line 1: not a run log",
                "Its lines should start with 思考 1:, 行动 1:, 观察 1: or 第1步计划:.",
            )
        return [source], []
    logs: list[Path] = []
    others: list[Path] = []
    for path in files_in(source):
        if path.suffix.lower() not in LOG_SUFFIXES:
            continue
        try:
            found = looks_like_log(path)
        except BadInput:
            found = False
        (logs if found else others).append(path)
    if not logs:
        raise BadInput(
            f"{source}: no run log in this folder",
            f"{len(others)} .txt or .log files were looked at; none has lines that start with 思考 1: or 第1步计划:.",
        )
    return logs, others


def looks_like_log(path: Path) -> bool:
    """Whether the first step of an episode stands at the start of one of the first lines.

    Raises:
        BadInput: before such a line there are bytes that are no UTF-8 text.
    """
    for number, text, _ in log_lines(path):
        plan = _PLAN.match(text)
        if text.startswith("思考 1:") or (plan and plan[1] == "1" and _RESULT.search(text)):
            return True
        if number >= SNIFFED_LINES:
            break
    return False


def read_log(path: Path, tally: LogCounts) -> Iterator[Recording]:
    """The recordings of one log in order, streamed.

    Raises:
        BadInput: the bytes are not UTF-8 or a line has no end; names file and line.
    """
    reader = _Turns(path, tally)
    for number, text, size in log_lines(path):
        tally.lines += 1
        tally.bytes += size
        yield from reader.take(number, text)
    yield from reader.flush()


def log_lines(path: Path) -> Iterator[tuple[int, str, int]]:
    """Number, text without its end, and bytes of each line, unpacked when the content is gzip.

    Only a line feed ends a line, because texts hold other separators.
    """
    try:
        with opened(path) as stream:
            for number, raw in enumerate(stream, 1):
                try:
                    text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError:
                    raise BadInput(f"{path}, line {number}: not UTF-8 text", "Save the log as UTF-8.") from None
                yield number, text.removesuffix("\n").removesuffix("\r"), len(raw)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})", "Check the file and its permissions.") from None


class _Turns:
    """Follows the turn of one log: outside (questions), thought, action, observation, plan step, answer."""

    def __init__(self, path: Path, tally: LogCounts) -> None:
        self.path, self.tally = path, tally
        self.turn = "outside"
        self.step = 0
        self.blanks = 1
        self.action = ""
        self.open: tuple[int, Layout, str] | None = None
        self.held: list[str] = []

    def take(self, number: int, text: str) -> Iterator[Recording]:
        """Reads one line; yields the recording that it closes."""
        blanks, self.blanks = self.blanks, self.blanks + 1 if not text.strip() else 0
        if self.turn == "after answer" and blanks >= 2 and self.blanks == 0:
            self.turn = "outside"
        if text.startswith(tuple(_ENDS)):
            yield from self.flush()
            self.turn = next(turn for marker, turn in _ENDS.items() if text.startswith(marker))
        elif (match := _STEP.match(text)) is not None:
            yield from self._react(match, number, blanks)
        elif (match := _PLAN.match(text)) is not None:
            yield from self._plan(match, number, blanks)
        elif self.open is not None:
            self.held.append(text)
        elif self.turn in ("thought", "action"):
            self.turn = "lost"

    def flush(self) -> Iterator[Recording]:
        """Closes the open observation."""
        if self.open is not None:
            line, layout, said = self.open
            self.tally.recordings[layout] += 1
            yield Recording(self.path, line, layout, said, "\n".join(self.held).rstrip("\n"))
        self.open, self.held = None, []

    def _react(self, match: re.Match[str], number: int, blanks: int) -> Iterator[Recording]:
        kind, step, rest = match[1], int(match[2]), match[3]
        fits = {
            "思考": self._starts(step, blanks, "observation") or (self._goes_on() and step == self.step + 1),
            "行动": self.turn == "thought" and step == self.step,
            "观察": self.turn == "action" and step == self.step,
        }[kind]
        if not fits:
            self._refuse(match[0])
            return
        yield from self.flush()
        self.step = step
        self.turn = _TURNS[kind]
        if kind == "行动":
            self.action = rest
        elif kind == "观察":
            self.open, self.held = (number, "react", self.action), [rest.removeprefix(" ")]

    def _plan(self, match: re.Match[str], number: int, blanks: int) -> Iterator[Recording]:
        step = int(match[1])
        if not (self._starts(step, blanks) or (self.turn == "plan" and step == self.step + 1)):
            self._refuse(match[0])
            return
        yield from self.flush()
        self.step, self.turn = step, "plan"
        parts = _RESULT.split(match[2])
        if len(parts) == 2:
            self.open, self.held = (number, "plan", parts[0].strip()), [parts[1]]
        elif len(parts) > 2:
            self.tally.two_results += 1

    def _starts(self, step: int, blanks: int, *turns: str) -> bool:
        """A new episode; only ReAct may follow a run that was cut off, as its steps hold no lines of a model."""
        return step == 1 and blanks > 0 and self.turn in ("outside", *turns)

    def _goes_on(self) -> bool:
        return self.turn in ("observation", "lost")

    def _refuse(self, text: str) -> None:
        """A marker out of its turn is text of a model or of a question."""
        self.tally.out_of_turn += 1
        if self.open is not None:
            self.held.append(text)
