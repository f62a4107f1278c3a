"""The log of a run for machines: one JSON object a line, in a file that grows at its end.

Every line has `time` (UTC), `level` and `event`; what else it has follows from the event, times in milliseconds. It
says what happened, never what was said: no prompt, no reply, no key, and of an error only our own words, for behind
their colon a server may quote. A full file
is moved to FILE.1, and that to FILE.2.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import wraps
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import click

from app.cli.common import note
from app.terminal import clean, json_text
from models.engine import Ask, Usage
from store.files import cannot_write
from tasks.episode.events import (
    AttemptStarted,
    EngineFailed,
    Event,
    LimitHit,
    ModelCalled,
    Seated,
    StepEnded,
    Stopped,
    ToolReturned,
)
from tasks.episode.scheduler import Committed, EngineAway, Notice, Waiting, Watcher
from tasks.errors import UsageError
from tasks.run.header import HeaderData

BYTES, KEPT = 64_000_000, 2
"""Bytes that a file may have, and how many full ones are kept."""
ROOT = "moot"
_log = logging.getLogger(ROOT)
_log.addHandler(logging.NullHandler())


def own_words(text: str) -> str:
    """What an error says before it quotes anybody."""
    return clean(text.partition(": ")[0], multiline=False)


def say(event: str, fields: Mapping[str, object], level: int = logging.INFO) -> None:
    """Write a line, where there is a log."""
    if configured():
        _log.log(level, event, extra={"fields": dict(fields)})


def configured() -> bool:
    """Whether there is a log."""
    return len(_log.handlers) > 1


def file() -> Path | None:
    """The file of the log; None where there is no log."""
    return next((Path(one.baseFilename) for one in _log.handlers if isinstance(one, _File)), None)


def failed(error: BaseException) -> None:
    """Something failed: its kind, and what we say of it."""
    kind = type(error).__name__
    said = own_words(str(getattr(error, "title", ""))) if hasattr(error, "exit_code") else ""
    say("failed", {"kind": kind, "said": said}, logging.ERROR)


class Lines(logging.Formatter):
    """A record as JSON; what the caller names comes after time, level and event."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        told = {"time": moment, "level": record.levelname.lower(), "event": record.getMessage()}
        told |= getattr(record, "fields", {})
        return json_text(told)


class _File(RotatingFileHandler):
    """A line that cannot be written must not end a run: it is said once, and the log ends there."""

    def handleError(self, record: logging.LogRecord) -> None:
        error = sys.exc_info()[1]
        why = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
        _log.removeHandler(self)
        with suppress(OSError, ValueError):
            note(f"the log {self.baseFilename} ends here: {why}")
        with suppress(OSError, ValueError):
            self.close()


def start(path: Path | None) -> Callable[[], None]:
    """Begin a log; gives what ends it. Without a path there is none.

    Raises:
        StoreError: the file cannot be written.
    """
    if path is None:
        return lambda: None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            raise UsageError(f"--log-file {path} is no file", "Name a file.")
        handler = _File(path, maxBytes=BYTES, backupCount=KEPT, encoding="utf-8", errors="replace")
        _end_line(path, handler)
    except OSError as error:
        raise cannot_write(path, error) from error
    handler.setFormatter(Lines())
    level, propagate = _log.level, _log.propagate
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
    _log.propagate = False

    def end() -> None:
        _log.removeHandler(handler)
        _log.setLevel(level)
        _log.propagate = propagate
        handler.close()

    return end


def _end_line(path: Path, handler: _File) -> None:
    """A line that a kill has cut is ended, so that the next one is whole."""
    with path.open("rb") as stream:
        stream.seek(0, 2)
        if not stream.tell():
            return
        stream.seek(-1, 2)
        cut = stream.read(1) != b"\n"
    if cut and handler.stream is not None:
        handler.stream.write("\n")


def log_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --log-file, and keeps the log as long as the command lasts."""

    @click.option(
        "--log-file", type=click.Path(path_type=Path), default=None, metavar="FILE",
        help="Append what happens to this file, a JSON object a line: calls, durations, tokens, errors; no texts.",
    )  # fmt: skip
    @wraps(command)
    def logged(*arguments: Any, log_file: Path | None, **options: Any) -> Any:
        click.get_current_context().call_on_close(start(log_file))
        try:
            return command(*arguments, **options)
        except Exception as error:
            if not isinstance(error, click.exceptions.Exit | click.exceptions.Abort):
                failed(error)
            raise

    return logged


# --- what a run tells -----------------------------------------------------------------------------------------------


def cost(call: ModelCalled | Usage) -> dict[str, object]:
    """What a call took: milliseconds and tokens."""
    return {
        "ms": call.milliseconds, "evaluated": call.evaluated, "reused": call.reused, "generated": call.generated,
        "reasoned": call.reasoned, "batch": call.batch,
    }  # fmt: skip


def _called(event: ModelCalled) -> dict[str, object]:
    who = {"seat": event.seat, "call": event.call}
    return {**who, "human": True} if event.human else {**who, **cost(event), "finish": event.finish}


def _name(tool: str) -> str:
    """The name of a tool; what a model wrote in its place is a text."""
    return tool if tool.isidentifier() and len(tool) < 64 else "?"


TOLD: Mapping[type[Event], tuple[str, int, Callable[[Any], dict[str, object]]]] = {
    AttemptStarted: ("attempt", logging.INFO, lambda e: {"task": e.task_id, "attempt": e.attempt}),
    Seated: ("seated", logging.INFO, lambda e: {"seat": e.seat, "policy": e.policy, "engine": e.engine}),
    ModelCalled: ("call", logging.INFO, _called),
    EngineFailed: (
        "call_failed", logging.WARNING,
        lambda e: {"seat": e.seat, "call": e.call, "try": e.attempt, "said": own_words(e.message)},
    ),
    ToolReturned: (
        "tool", logging.INFO,
        lambda e: {"seat": e.seat, "tool": _name(e.tool), "status": e.status, "ms": e.milliseconds},
    ),
    StepEnded: ("step", logging.INFO, lambda e: {"ms": e.milliseconds}),
    LimitHit: ("limit", logging.WARNING, lambda e: {"kind": e.kind, "limit": e.limit}),
    Stopped: (
        "episode", logging.INFO,
        lambda e: {"outcome": e.outcome, **({"said": own_words(e.reason)} if e.outcome == "error" else {})},
    ),
}  # fmt: skip
"""Event -> its name in the log, its level, and what is said of it."""


class LogWatcher:
    """Writes what a run tells its watchers."""

    def __init__(self, run: str) -> None:
        self._run = run

    def notify(self, notice: Notice) -> None:
        match notice:
            case Committed(episode, records, state):
                for record in records:
                    self._record(episode, record.step, record.event, state.seats)
            case Waiting(episode, Ask(seat=seat)):
                say("waiting", {"run": self._run, "episode": episode, "seat": seat})
            case EngineAway(spec, error, seconds):
                told = {"kind": type(error).__name__, "said": own_words(error.title), "seconds": seconds}
                say("engine_away", {"run": self._run, "engine": spec, **told}, logging.WARNING)

    def _record(self, episode: str, step: int, event: Event, seats: Mapping[str, Seated]) -> None:
        where = {"run": self._run, "episode": episode, "step": step}
        if (told := TOLD.get(type(event))) is not None:
            name, level, fields = told
            sits = seats.get(getattr(event, "seat", ""))
            engine = {"engine": sits.engine} if isinstance(event, ModelCalled | EngineFailed) and sits else {}
            say(name, {**where, **engine, **fields(event)}, level)


def run_begins(run: str, path: Path, header: HeaderData, left: int) -> list[Watcher]:
    """A run begins, or goes on with `left` episodes; gives whoever writes the log of it, nobody where there is
    none."""
    if not configured():
        return []
    spec = header["spec"]
    about = {name: spec.get(name) for name in ("benchmark", "agent", "model", "pack", "parallel")}
    versions = header.get("versions", {})
    say("run_began", {"run": run, "path": str(path), "episodes": left, **about, "versions": versions})
    return [LogWatcher(run)]


def run_ends(run: str, outcomes: Mapping[str, int], seconds: float) -> None:
    """A run is not played any more: how many of its episodes ended how, after so many seconds."""
    say("run_ended", {"run": run, "ms": round(seconds * 1000), "outcomes": dict(outcomes)})
