"""`moot demo`: a ready episode of the fictional jurisdiction, on the desk or as plain text without a terminal."""

from __future__ import annotations

import sys

import click

from app.cli.watcher import PlainWatcher
from app.ready import demo_run, ensure_sample
from app.strings import t
from app.terminal import clean


@click.command()
@click.option("--plain", is_flag=True, help="Plain text even in a terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print the score block as JSON after the episode.")
def demo(plain: bool, as_json: bool) -> None:
    """Watch the rules agent solve a task of the fictional sample pack, step by step.

    Example: moot demo --plain
    """
    if sys.stdin.isatty() and sys.stdout.isatty() and not plain and not as_json:
        from app.desk.main import open_desk

        sys.exit(open_desk(demo=True))
    from app.cli.driving import print_summary
    from tasks.run.header import header_of

    ensure_sample(lambda: click.echo(t("demo.building"), err=True))
    with demo_run() as made:
        stream = sys.stderr if as_json else sys.stdout
        stream.write(t("demo.title") + "\n")
        made.scheduler.watchers.append(PlainWatcher(stream))
        made.go()
        made.record_scores()
        print_summary(made.summary(), as_json, header_of(made.journal))
        click.echo(clean(t("demo.ended", run=made.id), multiline=False), err=True)
