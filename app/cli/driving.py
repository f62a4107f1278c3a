"""Drives an open run from the command line: watchers on stderr, the person at the terminal, signals, what comes
out."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from app.cli.grading import grade
from app.cli.notes import note
from app.cli.progress import Progress
from app.cli.watcher import JsonWatcher, PlainWatcher, voice_of
from app.leaving import ASKED, when_asked, without_terminal
from app.strings import language, t
from app.terminal import clean, json_text
from models.engine import Ask
from store import places
from tasks.episode.watcher import EpisodeEnded, Notice, Watcher
from tasks.errors import UsageError
from tasks.run.header import header_of
from tasks.run.reading import GRADER
from tasks.run.runner import Run
from tasks.scoring.metrics import Summary

if TYPE_CHECKING:
    from app.court_words import Voice


def _watchers(made: Run, watch: str) -> list[Watcher]:
    watchers: list[Watcher] = []
    if watch == "plain":
        watchers.append(PlainWatcher(sys.stderr))
    elif watch == "json":
        watchers.append(JsonWatcher(sys.stderr))
    else:
        open_episodes = sum(not driver.stopped for driver in made.scheduler.episodes.values())
        watchers.append(Progress(open_episodes, sys.stderr))
    return watchers


class Failures:
    """Counts episodes that ended in an error."""

    def __init__(self) -> None:
        self.count = 0

    def notify(self, notice: Notice) -> None:
        """Look at what has ended."""
        if isinstance(notice, EpisodeEnded):
            self.count += notice.stopped.outcome == "error"


def drive(made: Run, watch: str, as_json: bool, max_failures: int | None = None) -> None:
    """Play a run to its end, or as far as it goes, and print what came of it.

    Args:
        made: the run; it is closed.
        watch: "plain", "json" or "none".
        as_json: whether the score block is printed as JSON.
        max_failures: errors of episodes after which no step begins any more.

    Exits with 1 where episodes are left, or all ended in an error.
    """
    with made, interruptible(made.scheduler.interrupt) as stopped:
        failures = Failures()
        made.scheduler.watchers += [failures, *_watchers(made, watch)]

        def go_on() -> bool:
            return not stopped.is_set() and (max_failures is None or failures.count < max_failures)

        if n := sum(bool(getattr(question, "notes", ())) for question in made.questions):
            note(t("run.filled", n=n))
        click.echo(clean(t("run.started", run=made.id, n=len(made.scheduler.episodes)), multiline=False), err=True)
        started = time.perf_counter()
        made.go(go_on)
        while go_on() and _ask_person(made, stopped):
            made.go(go_on)
        seconds = time.perf_counter() - started
        left = sum(not driver.stopped for driver in made.scheduler.episodes.values())
        if left:
            name = made.id if made.journal.path.parent == places.runs() else made.journal.path
            hint = f"`moot resume {name}` goes on."
            note(f"stopped with {left} episodes unfinished. {hint}")
            _name_errors(made)
            sys.exit(1)
        made.record_scores()
        finish(made, as_json, seconds)


def finish(made: Run, as_json: bool, seconds: float) -> None:
    """Grade a run whose episodes are over, where that is asked for, and print what came of it.

    Exits with 1 where all ended in an error.
    """
    if grader := made.spec.seats.get(GRADER):
        grade(made.journal, made.bench, made.questions, grader)
    summary, header = made.summary(), header_of(made.journal)
    n = len(made.scheduler.episodes)
    click.echo(t("run.ended", seconds=f"{seconds:.1f}", rate=f"{n / max(seconds, 1e-9):.1f}"), err=True)
    nothing_but_errors = _name_errors(made)
    print_summary(summary, as_json, header)
    if nothing_but_errors:
        sys.exit(1)


def _name_errors(made: Run) -> bool:
    """Say why episodes failed, which a count alone does not; whether nothing else came of any."""
    stops = [driver.state.stopped for driver in made.scheduler.episodes.values()]
    reasons = Counter(stopped.reason for stopped in stops if stopped is not None and stopped.outcome == "error")
    failed = reasons.total()
    if failed:
        reason, count = reasons.most_common(1)[0]
        most = "" if count == failed else f" ({count} times)"
        note(f"{failed} of {len(stops)} episodes ended in an error, most often{most}: {reason}")
    return 0 < failed == len(stops)


def print_summary(summary: Summary, as_json: bool, header: Mapping[str, object]) -> None:
    """The score block on stdout; as text with what the header says about agent, data and versions."""
    if as_json:
        click.echo(json_text(summary.block()))
        return
    from tasks.reports import text_report

    click.echo(clean(text_report([summary], [header], language())))


def _ask_person(made: Run, stopped: Stopping) -> bool:
    """Put one open question to the person at the terminal; False when there is none, or it is not to be answered."""
    asking = (d for d in made.scheduler.episodes.values() if not d.stopped and made.scheduler.asks_human(d))
    driver = next(asking, None)
    if driver is None or driver.ask is None:
        return False
    for words in _unheard(driver.ask, voice_of(driver.state.card)):
        click.echo(clean(words), err=True)
    stopped.reading = True
    try:
        if stopped.is_set():  # it came between two looks at it
            return False
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        return False
    finally:
        stopped.reading = False
    if not line:
        raise UsageError("a human sits in the seat but standard input has ended", "Type an answer, or use the desk.")
    made.scheduler.answer(driver.episode, line.strip())
    return True


def _unheard(ask: Ask, voice: Voice | None) -> list[str]:
    """What a person is shown with a question: in court all that was said since their last turn, else the last
    word."""
    said = [message.content for message in ask.messages]
    if voice is None:
        return said[-1:]
    own = f"{voice.seat(ask.seat)}："
    last = max((place for place, words in enumerate(said) if words.startswith(own)), default=-1)
    return said[last + 1 :] or said[-1:]


class Stopping(threading.Event):
    """Set when the run is to stop. `reading`: only the wait for a line is under way, which only an exception ends."""

    reading = False


@contextmanager
def interruptible(cut: Callable[[], None]) -> Iterator[Stopping]:
    """Turns Ctrl-C, SIGTERM and SIGHUP into a flag and cuts the calls in flight.

    Their questions stay open, what came before is stored. A second one ends the program.
    """
    stopped, over = Stopping(), threading.Event()

    def insist() -> None:
        """Again and again: a call may begin just after the others were cut."""
        while not over.is_set():
            cut()
            over.wait(0.5)

    def stop(number: int, _: object) -> None:
        without_terminal(number)
        if stopped.is_set():
            raise KeyboardInterrupt
        stopped.set()
        if stopped.reading:
            raise KeyboardInterrupt
        # not here: whoever was interrupted may hold a lock of the engine
        threading.Thread(target=insist, daemon=True).start()

    try:
        with when_asked(stop, "SIGINT", *ASKED):
            yield stopped
    finally:
        over.set()
