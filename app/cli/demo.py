"""`moot demo`: a ready episode of the fictional jurisdiction, on the desk or as plain text without a terminal."""

from __future__ import annotations

import sys

import click

from app.strings import t
from app.terminal import clean
from app.watcher import PlainWatcher
from store import places
from tasks.runner import Run, start_run
from tasks.spec import RunSpec

TASK_HOPS = 3
"""The demo shows a task of at least this many hops."""


@click.command()
@click.option("--plain", is_flag=True, help="Plain text even in a terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print the score block as JSON after the episode.")
def demo(plain: bool, as_json: bool) -> None:
    """Watch the rules agent solve a task of the fictional sample pack, step by step.

    Example: moot demo --plain
    """
    if sys.stdin.isatty() and sys.stdout.isatty() and not plain and not as_json:
        from app.main import open_desk

        sys.exit(open_desk(demo=True))
    from app.cli.run import print_block

    with demo_run() as made:
        stream = sys.stderr if as_json else sys.stdout
        stream.write(t("demo.title") + "\n")
        made.scheduler.watchers.append(PlainWatcher(stream))
        made.go()
        made.record_scores()
        print_block(made.score(), as_json, made.journal.header)
        click.echo(clean(t("demo.ended", run=made.id), multiline=False), err=True)


def ensure_sample() -> None:
    """Build the sample pack if it is not there."""
    if (places.packs() / "sample" / "manifest.json").is_file():
        return
    from tasks.sample.build import build_sample

    click.echo(t("demo.building"), err=True)
    build_sample()


def demo_run() -> Run:
    """A run of the rules agent on one task of several hops; nothing has been driven yet."""
    from store.pack import Pack
    from tasks.legalagentbench.questions import load_questions

    ensure_sample()
    with Pack.open("sample") as pack:
        path = pack.task_file("legalagentbench")
        assert path is not None
        questions = load_questions(path)
    hops = [q for q in questions if q.gold.group == f"{TASK_HOPS}-hop"]
    chosen = (hops or questions)[0]
    return start_run(RunSpec(benchmark="legalagentbench", task_ids=(chosen.id,)), argv=sys.argv[1:])
