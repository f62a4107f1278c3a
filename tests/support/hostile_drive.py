"""Drives run files through the command line, one forked child a command, and judges what came of it.

Every command must end by itself with exit code 0, 1 or 2, without a traceback, within its limits of memory and time;
it prints nothing that a terminal obeys; a refusal is one sentence; the good runs stay in the list, the bad one is
named in it; a command that reads changes nothing, one that fails leaves nothing half-written: the run of which
nothing but errors came exits with 1 and is whole; a fork with steps of its own may be kept.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from store.journal import SUFFIX, Journal
from tasks.episode.state import fold
from tasks.run.header import header_of
from tasks.run.listing import read_run
from tasks.run.reading import read_episode
from tests.support.forked import MEMORY, PATIENCE, Done, forked
from tests.support.hostile_runs import Base, Hostile, clear, place

OBEYED = re.compile(
    rb"\x1b|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]"
)
"""Bytes that move a cursor, change a terminal or turn the order of what is read."""
HANGS = 3
"""After so many commands that hang on a file the others are not tried."""
SENTENCE, LINES = 4000, 6
"""Bytes and lines at most that a refusal writes."""


def _whole(path: Path) -> bool:
    """Whether a file is a run that can be read and is over, or a fork that kept steps of its own."""
    line = read_run(path)
    return not line.error and line.n > 0 and (set(line.outcomes) == {"error"} or _went_on(path))


def _went_on(fork: Path) -> bool:
    with Journal.open(fork) as journal:
        parent = header_of(journal).get("parent")
        steps = (fold(read_episode(journal, row.id)).steps for row in journal.episodes())
        return parent is not None and max(steps) > parent["step"]


@dataclass(frozen=True, slots=True)
class Command:
    """One use of the command line. `arguments` get the run, the episode, and a folder to write to."""

    name: str
    arguments: Callable[[str, str, str], Sequence[str]]
    writes: bool = False
    fast: bool = False


def _report(form: str) -> Command:
    return Command(f"report {form}", lambda run, _, __: ("report", run, "--format", form), fast=form == "text")


def _export(form: str, fast: bool = False) -> Command:
    return Command(f"export {form}", lambda run, _, __: ("export", run, "--to", form), fast=fast)


COMMANDS: tuple[Command, ...] = (
    Command("list", lambda *_: ("list",), fast=True),
    Command("list --json", lambda *_: ("list", "--json"), fast=True),
    Command("show", lambda run, *_: ("show", run), fast=True),
    Command("show --json", lambda run, *_: ("show", run, "--json")),
    Command("show EPISODE", lambda run, episode, _: ("show", run, "--prompts", "--", episode), fast=True),
    Command("show EPISODE --json", lambda run, episode, _: ("show", run, "--json", "--", episode)),
    Command("show --verify", lambda run, *_: ("show", run, "--verify")),
    *map(_report, ("text", "html", "csv", "md", "json")),
    _export("jsonl", True), *map(_export, ("rollouts", "markdown", "html", "inspect")),
    Command("export jsonl --out", lambda run, _,
        out: ("export", run, "--to", "jsonl", "--out", f"{out}/lines.jsonl")),
    Command("export verl", lambda run, _, out: ("export", run, "--to", "verl", "--out", f"{out}/rows")),
    Command("agreement", lambda run, *_: ("agreement", run, "--plot")),
    Command("agreement --json", lambda run, *_: ("agreement", run, "--json")),
    Command("review --sample", lambda run, *_: ("review", run, "--sample")),
    Command("temporal", lambda run, *_: ("temporal", run)),
    Command("recorded:RUN", lambda run, _, out: ("run", "legalagentbench", "--agent", "react", "--model",
        f"recorded:{run}", "--first", "1", "--max-turns", "2", "--out", f"{out}/played{SUFFIX}")),
    Command("fork", lambda run, episode, out: ("fork", run, "--turn", "1", "--out", f"{out}/forked{SUFFIX}", "--",
        episode)),
    Command("fork --seat", lambda run, episode, out: ("fork", run, "--turn", "0", "--seat", "agent=rules", "--out",
        f"{out}/seated{SUFFIX}", "--", episode)),
    Command("review EPISODE", lambda run, episode, _: ("review", run, "--metric", "REA", "--value", "7", "--author",
        "Li", "--reason", "x", "--", episode), writes=True),
    Command("score", lambda run, *_: ("score", run, "--json"), writes=True, fast=True),
    Command("resume", lambda run, *_: ("resume", run), writes=True, fast=True),
    Command("resume --new-attempt", lambda run, *_: ("resume", run, "--new-attempt", "--json"), writes=True),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one command did to one file; `faults` say what broke which promise."""

    case: Hostile
    command: str
    done: Done
    faults: tuple[str, ...]


def warm() -> None:
    """Import what the commands use, so that a child need not."""
    import importlib

    from app.cli.main import COMMANDS as known

    for target, _ in known.values():
        importlib.import_module(target.split(":")[0])
    for name in (
        "tasks.benchmark", "tasks.courts.benchmark", "tasks.legalsearch.benchmark", "tasks.legalagentbench.benchmark",
        "tasks.legalsearch.analysis", "tasks.legalsearch.exporting",
        "tasks.courts.scores.of_run.stored", "tasks.scoring.agreement", "tasks.scoring.human",
        "tasks.reports.difference", "jieba", "numpy", "models.scripted", "models.endpoint",
    ):  # fmt: skip
        try:
            importlib.import_module(name)
        except ImportError:
            continue


def command_line(arguments: Sequence[str]) -> Callable[[], None]:
    """The call of the command line with these arguments."""

    def call() -> None:
        from app.cli.main import main

        main(list(arguments))

    return call


class Stage:
    """A folder of runs with good ones in it, and room for one hostile case at a time."""

    def __init__(self, home: Path, good: Sequence[Base], *, memory: int = MEMORY, seconds: float = PATIENCE) -> None:
        """`home` is the MOOT_HOME of this process and holds the pack `sample`."""
        self.runs, self.out = home / "runs", home / "out"
        self.memory, self.seconds = memory, seconds
        clear(self.runs)
        self.runs.mkdir()
        self.good = []
        for base in good:
            self.good.append(self.runs / f"good-{base.name}{SUFFIX}")
            shutil.copyfile(base.path, self.good[-1])

    def drive(self, case: Hostile, commands: Sequence[Command]) -> Iterator[Verdict]:
        """One command after another; the file is put back as it was after each that changed it."""
        before, hung = self._put(case), 0
        for command in commands:
            if hung == HANGS:
                break
            if command.writes:
                before = self._put(case)
            clear(self.out)
            self.out.mkdir()
            path = self.runs / case.path.name
            arguments = command.arguments(str(path), case.episode, str(self.out))
            done = forked(command_line(arguments), memory=self.memory, seconds=self.seconds)
            faults = tuple(self._faults(command, case, done, before))
            hung += done.fault.startswith("hang")
            yield Verdict(case, command.name, done, faults)
            if self._state() != before:
                before = self._put(case)
        self._take_away()

    def _put(self, case: Hostile) -> dict[str, tuple[int, int, int]]:
        self._take_away()
        place(case.path, self.runs)
        return self._state()

    def _take_away(self) -> None:
        for there in os.scandir(self.runs):
            if Path(there.path) not in self.good:
                clear(Path(there.path))

    def _state(self) -> dict[str, tuple[int, int, int]]:
        found = {}
        for there in os.scandir(self.runs):
            status = there.stat(follow_symlinks=False)
            if not there.name.endswith(("-wal", "-shm", ".lock")):
                found[there.name] = (status.st_mode, status.st_size, status.st_mtime_ns)
        return found

    def _faults(
        self, command: Command, case: Hostile, done: Done, before: dict[str, tuple[int, int, int]]
    ) -> Iterator[str]:
        if done.fault:
            yield done.fault
        elif b"Traceback (most recent call last)" in done.err:
            yield f"traceback on stderr: {done.err.decode(errors='replace').strip().splitlines()[-1][:160]}"
        elif done.code not in (0, 1, 2):
            yield f"exit code {done.code}"
        elif done.code:
            said = done.err.strip()
            if not said:
                yield "refused without a word"
            elif len(said) > SENTENCE or said.count(b"\n") >= LINES:
                yield "refused with more than a sentence"
            if not all(_whole(path) for path in self.out.iterdir()):
                yield "left something half-written"
        for where, text in (("stdout", done.out), ("stderr", done.err)):
            if found := OBEYED.search(text):
                yield f"raw {found.group()!r} on {where}"
        if not command.writes:
            after = self._state()
            if changed := [name for name in before if after.get(name) != before[name]]:
                yield f"changed {'the run file' if case.path.name in changed else 'another file'}"
        if command.name.startswith("list") and not done.fault:
            yield from self._listed(command, case, done)

    def _listed(self, command: Command, case: Hostile, done: Done) -> Iterator[str]:
        if command.name == "list":
            there = sum(
                base.stem in line
                for base in self.good
                for line in done.out.decode(errors="replace").splitlines()
                if "good-" in line
            )
            if there < len(self.good):
                yield "a good run is missing from the list"
            return
        try:
            rows = [row["path"] for row in json.loads(done.out)["runs"]]
        except (ValueError, KeyError, TypeError):
            yield "the list is no JSON"
            return
        if any(str(path) not in rows for path in self.good):
            yield "a good run is missing from the list"
        shown = os.fsencode(case.path.name).decode("utf-8", "replace")
        if not any(os.path.basename(row) in (case.path.name, shown) for row in rows) and case.path.name.isprintable():
            yield "the bad run is not named in the list"
