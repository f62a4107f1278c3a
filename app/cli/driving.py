"""Drives an open run from the command line: watchers on stderr, the person at the terminal, signals, the grader, what
comes out."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import click

from app import background
from app.cli.common import note, say
from app.cli.watcher import JsonWatcher, PlainWatcher, Progress
from app.shutdown import ASKED, signal_handlers, without_terminal
from app.strings import known, language, t
from app.strings.sentences import error_text
from app.terminal import clean, json_text
from models.engine import Ask
from models.sampling import DEFAULT, bare, drawn_by
from store import places
from store.journal import Journal
from store.writer import on_stop_requested
from tasks.benchmark import Benchmark, Question
from tasks.episode.scheduler import EpisodeEnded, Notice, Watcher
from tasks.episode.seats import Card
from tasks.errors import UsageError
from tasks.run.cast import Cast
from tasks.run.engines import completed, open_engine
from tasks.run.header import header_of
from tasks.run.opened import Run
from tasks.run.reading import GRADER
from tasks.run.rescoring import StoredRun
from tasks.scoring.grader import grade_run
from tasks.scoring.metrics import Summary


def grade(journal: Journal, bench: Benchmark, questions: Sequence[Question], spec: str) -> None:
    """Grade the ended episodes of an open run; says how many, and how many gradings failed."""
    engine = open_engine(spec)
    try:
        known = {question.id: question for question in questions}
        rows = grade_run(journal, bench, known, engine, spec, _progress)
    finally:
        engine.close()
    failed = sum(bool(row.settings.get("failed")) for row in rows)
    n = len(rows)
    note(
        f"{n} answers graded by {spec}, {failed} gradings failed and are missing"
        if failed
        else f"{n} answers graded by {spec}"
    )


def grade_stored(run: StoredRun, seats: Sequence[str]) -> None:
    """Grade a stored run with the grader that `--seat grader=SPEC` names."""
    for pair in seats:
        role, _, spec = pair.partition("=")
        if role != GRADER or role not in run.bench.graders or ":" not in spec:
            raise UsageError(
                f"'{pair}' names no grader for {run.bench.name}",
                "Write --seat grader=SPEC." if run.bench.graders else "Its scores need none.",
            )
        with Journal.open(run.path, write=True) as journal:
            grade(journal, run.bench, run.questions, spec)


def _progress(done: int, total: int) -> None:
    if done < total:
        note(f"{done} of {total} graded")


def watcher(left: int, watch: str, card_of: Callable[[str], Card] = lambda episode: {}) -> Watcher:
    """Who shows a run with `left` open episodes on stderr: its events as text or JSON, else only how far it is."""
    if watch == "plain":
        return PlainWatcher(sys.stderr, card_of)
    if watch == "json":
        return JsonWatcher(sys.stderr)
    return Progress(left, sys.stderr)


class Failures:
    """Counts episodes that ended in an error."""

    def __init__(self) -> None:
        self.count = 0

    def notify(self, notice: Notice) -> None:
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
    left = made.scheduler.episodes.open
    if play(made, watch, lambda seconds: finish(made, as_json, seconds, left), max_failures) != "ended":
        sys.exit(1)


Ending = Literal["ended", "left", "stopped"]
"""All episodes of a run are over; some are left; somebody wanted it to stop before they were."""


def play(made: Run, watch: str, after: Callable[[float], object], max_failures: int | None = None) -> Ending:
    """Play a run to its end, or as far as it goes, and close it. When it has ended its scores are recorded, and
    `after` is called with the seconds that it took; else what is left is said."""
    path = made.journal.path
    with made, interruptible(made.scheduler.interrupt) as stopped, on_stop_requested(path, stopped.halt):
        failures, left = Failures(), made.scheduler.episodes.open
        if background.is_here():
            background.refuse_people(background.engines_of(made))
            background.began(made.id, path)
        episodes = made.scheduler.episodes
        made.scheduler.watchers += [failures, watcher(left, watch, lambda name: episodes[name].state.card)]

        def go_on() -> bool:
            return not stopped.is_set() and (max_failures is None or failures.count < max_failures)

        if n := sum(bool(getattr(question, "notes", ())) for question in made.questions):
            note(t("run.filled", n=n))
        say(t("run.started", run=made.id, n=len(made.scheduler.episodes)), err=True)
        for line in (*lowered_lines(made.lowered), *sampling_lines(made.cast)):
            say(line, err=True)
        said = _say_troubles(made, set())
        started = time.perf_counter()
        made.go(go_on)
        while go_on() and made.budget.spent() is None and _ask_person(made, stopped):
            made.go(go_on)
        seconds = time.perf_counter() - started
        _say_troubles(made, said)
        if made.known is not None and made.known.taken:
            note(t("run.cached", n=made.known.taken))
        if unfinished(path, episodes.open, episodes.errors, len(episodes)):
            if spent := made.budget.spent():
                note(error_text(spent))
            return "stopped" if stopped.is_set() else "left"
        after(seconds)
        return "ended"


def named(section: str, name: str) -> str:
    """What the interface calls something; its code where it has no name."""
    key = f"{section}.{name}"
    return t(key) if known(key) else name


def lowered_lines(lowered: Mapping[str, int]) -> Iterator[str]:
    """Which seats keep fewer tokens for a reply, so that the tasks fit."""
    for seat, reply in lowered.items():
        yield t("run.lowered", seat=named("seat", seat), reply=reply)


def sampling_lines(cast: Cast) -> Iterator[str]:
    """By which values each model is sampled, who says so, and what its server does not take."""
    for spec in cast.engines:
        if (values := drawn_by(spec)).get("temperature"):
            told = values.items() <= (usual := drawn_by(completed(bare(spec), cast.bench.seat, ask=False))).items()
            lost = usual.keys() - values.keys()
            source = "default.lost" if lost else "default" if usual == DEFAULT else "file"
            known = told and (not lost or (spec.startswith("endpoint:") and lost == {"top_k"}))
            said = " / ".join(f"{name} {value}" for name, value in values.items())
            said = said.replace("temperature", t("sampling.temperature"))
            yield t(
                "sampling.line", model=bare(spec), values=said, source=t(f"sampling.{source if known else 'spec'}")
            )


def finish(made: Run, as_json: bool, seconds: float, played: int) -> None:
    """Grade a run whose episodes are over, where that is asked for, and print what came of it; `played`: just now.

    Exits with 1 where all ended in an error.
    """
    graded(made)
    summary, header = made.summary(), header_of(made.journal)
    episodes, n = made.scheduler.episodes, len(made.scheduler.episodes)
    if played:
        click.echo(t("run.ended", seconds=f"{seconds:.1f}", rate=f"{played / max(seconds, 1e-9):.1f}"), err=True)
    else:
        click.echo(t("run.over"), err=True)
    nothing_but_errors = name_errors(episodes.errors, n)
    print_summary(summary, as_json, header)
    if nothing_but_errors:
        sys.exit(1)


def graded(made: Run) -> None:
    """Ask the grader of a run whose episodes are over, where there is one."""
    if grader := made.spec.seats.get(GRADER):
        grade(made.journal, made.bench, made.questions, grader)


def _say_troubles(made: Run, said: set[str]) -> set[str]:
    """Name what troubles a run that goes on all the same, and was not `said` before; gives what is said by now."""
    sentences = dict.fromkeys(error_text(error) for error in made.troubles())
    for sentence in sentences:
        if sentence not in said:
            note(sentence)
    return {*said, *sentences}


def unfinished(path: Path, left: int, reasons: Counter[str], n: int) -> int:
    """Say how many episodes of a run that is not played any more are left open, and how it goes on."""
    if left:
        name = path.stem if path.parent == places.runs() else path
        hint = f"`moot resume {name}` goes on."
        note(f"stopped with {left} episodes unfinished. {hint}")
        name_errors(reasons, n)
    return left


def name_errors(reasons: Counter[str], n: int) -> bool:
    """Say why episodes failed (reason -> how many of n), which a count alone does not; whether nothing else came of
    any."""
    failed = reasons.total()
    if failed:
        reason, count = reasons.most_common(1)[0]
        most = "" if count == failed else f" ({count} times)"
        note(f"{failed} of {n} episodes ended in an error, most often{most}: {reason}")
    return 0 < failed == n


def print_summary(summary: Summary, as_json: bool, header: Mapping[str, object]) -> None:
    """The score block on stdout; as text with what the header says about agent, data and versions."""
    if as_json:
        click.echo(json_text(summary.block()))
        return
    from tasks.reports.formats import text_report

    click.echo(clean(text_report([summary], [header], language())))


def _ask_person(made: Run, stopped: Stopping) -> bool:
    """Put one open question to the person at the terminal; False when there is none, or it is not to be answered."""
    moving = made.scheduler.episodes.moving.values()
    asking = (d for d in moving if not d.stopped and made.scheduler.asks_human(d))
    driver = next(asking, None)
    if driver is None or driver.ask is None:
        return False
    for words in _unheard(driver.ask, driver.state.card):
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


def _unheard(ask: Ask, card: Card) -> list[str]:
    """What a person is shown with a question: in court all that was said since their last turn, else the last
    word."""
    said = [message.content for message in ask.messages]
    if not card.get("env"):
        return said[-1:]
    from app.court_words import env_of, speaker
    from tasks.courts.casefile.roles import names_of

    if (env := env_of(card)) is None:
        return said[-1:]
    own = f"{speaker(ask.seat, env, names_of(card))}："
    last = max((place for place, words in enumerate(said) if words.startswith(own)), default=-1)
    return said[last + 1 :] or said[-1:]


class Stopping(threading.Event):
    """Set when the run is to stop. `reading`: only the wait for a line is under way, which only an exception ends."""

    reading = False

    def __init__(self, cut: Callable[[], None]) -> None:
        super().__init__()
        self._cut = cut
        self.over = threading.Event()

    def halt(self) -> None:
        """Let no step begin any more, and cut the calls in flight; from any thread."""
        self.set()
        # not here: whoever was interrupted may hold a lock of the engine
        threading.Thread(target=self._insist, daemon=True).start()

    def _insist(self) -> None:
        """Again and again: a call may begin just after the others were cut."""
        while not self.over.is_set():
            self._cut()
            self.over.wait(0.5)


@contextmanager
def interruptible(cut: Callable[[], None]) -> Iterator[Stopping]:
    """Turns Ctrl-C, SIGTERM and SIGHUP into a flag and cuts the calls in flight.

    Their questions stay open, what came before is stored. A second one ends the program.
    """
    stopped = Stopping(cut)

    def stop(number: int, _: object) -> None:
        without_terminal(number)
        if stopped.is_set():
            raise KeyboardInterrupt
        stopped.set()
        if stopped.reading:
            raise KeyboardInterrupt
        stopped.halt()

    try:
        with signal_handlers(stop, "SIGINT", *ASKED):
            yield stopped
    finally:
        stopped.over.set()
