"""Whole episodes of a run log: question, thoughts, actions or plan steps, results, answers, and how a run broke off.

The harvest of rows needs what tools printed and nothing else; a run that is to be watched or scored again needs all
of it. Lines are told apart by `reading.Turns`; what stands between two episodes is the question of the next one. Line
numbers count from 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from store.importers.logs.reading import RESULT, Layout, Recording, Tally, Turns, log_lines

_CHAINED = ("During handling of the above exception", "The above exception was")
"""What Python prints between two tracebacks of one crash."""


@dataclass(frozen=True, slots=True)
class LoggedStep:
    """One step. thought: ReAct only; said: the action (ReAct) or the step of the plan; line: where it begins.

    recording: what the harness printed for it; None when the log breaks off before, or leaves open what is step and
    what is result.
    """

    line: int
    thought: str
    said: str
    recording: Recording | None

    @property
    def result(self) -> str | None:
        """The text of what came back."""
        return self.recording.result if self.recording else None


@dataclass(frozen=True, slots=True)
class LoggedEpisode:
    """One task as it was run. answer and summary are None where the run broke off; crash is then the error's last
    line."""

    line: int
    layout: Layout
    question: str
    steps: tuple[LoggedStep, ...]
    answer: str | None
    summary: str | None
    crash: str


def read_episodes(path: Path) -> Iterator[LoggedEpisode]:
    """The episodes of a log in order; one that broke off before its first step has none.

    Raises:
        NotFound: there is no such file.
        BadInput: the bytes are not UTF-8, the gzip is damaged, or a line has no end; names file and line.
    """
    turns = Turns(path, Tally())
    collector = _Collector()
    for number, text, _ in log_lines(path):
        for recording in turns.take(number, text):
            collector.close(recording)
        yield from collector.take(turns, number)
    for recording in turns.flush():
        collector.close(recording)
    yield from collector.end()


@dataclass(slots=True)
class _Step:
    line: int
    thought: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    recording: Recording | None = None

    def finished(self) -> LoggedStep:
        return LoggedStep(self.line, _text(self.thought).strip(), _text(self.said).strip(), self.recording)


@dataclass(slots=True)
class _Episode:
    line: int
    question: str
    layout: Layout = "react"
    steps: list[_Step] = field(default_factory=list)
    answer: list[str] | None = None
    summary: list[str] | None = None
    crash: str = ""

    def finished(self) -> LoggedEpisode:
        steps = tuple(step.finished() for step in self.steps)
        answer, summary = (None if lines is None else _text(lines) for lines in (self.answer, self.summary))
        return LoggedEpisode(self.line, self.layout, self.question, steps, answer, summary, self.crash)


def _text(lines: list[str]) -> str:
    """Lines as one text: without the one blank after the marker and the empty lines at the end."""
    return "\n".join(lines).removeprefix(" ").rstrip("\n")


class _Collector:
    """Puts the lines of a log together."""

    def __init__(self) -> None:
        self.layout: Layout = "react"
        self.episode: _Episode | None = None
        self.outside: list[str] = []
        self.begins = 1
        self.growing: list[str] = []
        self.tracing = False

    def close(self, recording: Recording) -> None:
        """A result is complete."""
        if self.episode is not None and self.episode.steps:
            self.episode.steps[-1].recording = recording

    def take(self, turns: Turns, number: int) -> Iterator[LoggedEpisode]:
        """Takes a line as `turns` sees it; yields the episode that it ends."""
        text = turns.said
        if turns.kind in ("thought", "step"):
            self.tracing = False
            if turns.step == 1:
                yield from self.end()
                self.layout = "react" if turns.kind == "thought" else "plan"
                self.episode = _Episode(self.begins, self._question(), self.layout)
            self._step(turns.kind == "thought", text, number)
        elif turns.kind == "crash":
            yield from self._crash(number)
        elif turns.kind == "outside":
            self._outside(text, number)
        elif self.episode is not None:
            self._rest(turns.kind, text, self.episode)

    def end(self) -> Iterator[LoggedEpisode]:
        """Hands on the episode that is open."""
        if self.episode is not None:
            yield self.episode.finished()
        self.episode, self.growing = None, []

    def _question(self) -> str:
        question, self.outside = "\n".join(self.outside).strip(), []
        return question

    def _step(self, thought: bool, text: str, number: int) -> None:
        assert self.episode is not None
        step = _Step(number)
        self.episode.steps.append(step)
        self.growing = step.thought if thought else step.said
        result = None if thought else next(reversed(list(RESULT.finditer(text))), None)
        self.growing.append(text[: result.start()] if result else text)

    def _rest(self, kind: str, text: str, episode: _Episode) -> None:
        if kind == "action":
            self.growing = episode.steps[-1].said
        elif kind == "answer":
            self.growing = episode.answer = []
        elif kind == "summary":
            self.growing = episode.summary = []
        elif kind == "observation":
            self.growing = []  # the recording has it
            return
        self.growing.append(text)

    def _outside(self, text: str, number: int) -> None:
        if self.tracing and (not text.strip() or text.startswith((" ", *_CHAINED))):
            return
        if self.tracing:
            self.tracing = False
            if self.episode is not None:
                self.episode.crash = text
            return
        if not self.outside:
            if not text.strip():
                return
            self.begins = number
        self.outside.append(text)

    def _crash(self, number: int) -> Iterator[LoggedEpisode]:
        """A traceback ends the open episode, or that of the question just printed."""
        chained = any(line.startswith(_CHAINED) for line in self.outside)
        question = self._question()
        if question and not chained:
            yield from self.end()
            self.episode = _Episode(self.begins, question, self.layout)
        self.tracing = True
        self.growing = []
