"""`moot attach` and `stop`: see, and end, what another process plays; `moot demo`: a ready episode.

Attach and stop know no more than the run file and what lies beside it; seconds are those of the clock on the wall."""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

import click

from app.cli.common import RUN, json_option, note, output, say
from app.cli.driving import name_errors, print_summary, unfinished, watcher
from app.cli.watcher import PlainWatcher, watch_option
from app.ready_episodes import demo_run, ensure_sample
from app.strings import t
from store.errors import StoreError
from store.journal import Journal
from store.writer import Writer, request_stop, writer_of
from tasks.legalagentbench.questions import question_file
from tasks.run.engines import run_path
from tasks.run.following import POLL, Follower, standing
from tasks.run.reading import stopped_of
from tasks.run.rescoring import read_stored, summary_of

PATIENCE = 60.0
"""Seconds that a run may take to stop before it is said that it does not."""


@click.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@watch_option
@json_option("Print the score block as JSON.")
def attach(run_name: str, watch: str, as_json: bool) -> None:
    """Follow a RUN that another process plays until it ends, and print what came of it. Ctrl-C leaves the run alone.

    Example: moot attach latest --watch plain
    """
    path = run_path(run_name)
    writer = writer_of(path)
    if writer is None:
        note(t("attach.nobody", run=path.stem))
    else:
        try:
            _follow(path, watch, writer)
        except KeyboardInterrupt:
            click.echo(err=True)
            note(t("attach.left", run=path.stem))
            return
    with Journal.open(path) as journal:
        stops = [stopped_of(journal, attempts[-1].id) for _, attempts in journal.walk()]
    errors = Counter(one.reason for one in stops if one is not None and one.outcome == "error")
    if unfinished(path, stops.count(None), errors, len(stops)):
        sys.exit(1)
    run = read_stored(path)
    nothing_but_errors = name_errors(errors, len(stops))
    print_summary(summary_of(run), as_json, run.header)
    if nothing_but_errors:
        sys.exit(1)


def _follow(path: Path, watch: str, writer: Writer) -> None:
    follower = Follower(path)
    follower.look()
    far = standing(path, writer)
    say(t("attach.begun", run=path.stem, pid=writer.process, done=far.ended, n=far.n), err=True)
    follower.watchers.append(watcher(follower.n - len(follower.outcomes), watch))
    while writer_of(path) is not None:
        follower.look()
        time.sleep(POLL)
    follower.look()


@click.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@json_option()
def stop(run_name: str, as_json: bool) -> None:
    """Stop a RUN that another process plays, as Ctrl-C there would, and wait until it has; `moot resume` goes on with
    it.

    Example: moot stop latest
    """
    path = run_path(run_name)
    writer = request_stop(path)
    if writer is None:
        raise StoreError(f"nobody plays run {path.stem}", "`moot list` shows which are being played.")
    end = time.monotonic() + PATIENCE
    while writer_of(path) is not None:
        if time.monotonic() > end:
            raise StoreError(
                f"run {path.stem} has not stopped in {PATIENCE:.0f} s: process {writer.process} does not hear",
                "Wait, or end that process; nothing that is on disk is lost.",
            )
        time.sleep(POLL / 5)
    far = standing(path)
    told = {"run": path.stem, "pid": writer.process, "episodes": far.n, "unfinished": far.n - far.ended}
    output(as_json, told, t("stop.done", run=path.stem, done=far.ended, n=far.n))


@click.command()
@click.option(
    "--ask", "question", default=None, metavar="TEXT", help="Ask this instead, about the fictional jurisdiction."
)
@json_option("Print the score block as JSON after the episode.")
def demo(question: str | None, as_json: bool) -> None:
    """Watch a task of the fictional sample pack being solved, step by step: by the small model that comes with Moot
    where llama.cpp is installed, else by the rules agent.

    `moot models list` says what the model can be asked. Nobody scores the answer to a question.

    Example: moot demo | cat
    """
    if question is not None:
        question_file(question)  # what cannot be asked is said before anything opens
    if sys.stdin.isatty() and sys.stdout.isatty() and not as_json:
        from app.desk.main import open_desk

        sys.exit(open_desk(demo=True, question=question or ""))
    from tasks.run.header import header_of

    ensure_sample(lambda: click.echo(t("demo.building"), err=True))
    made, why = demo_run(question or "")
    with made:
        stream = sys.stderr if as_json else sys.stdout
        stream.write(t("demo.title.rules" if why else "demo.title") + "\n")
        if why:
            say(why, err=True)
        made.scheduler.watchers.append(PlainWatcher(stream))
        made.go()
        if as_json or made.spec.tasks is None:
            print_summary(made.summary(), as_json, header_of(made.journal))
        else:
            click.echo(t("demo.unscored"), err=True)
        say(t("demo.ended", run=made.id), err=True)
