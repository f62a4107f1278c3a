"""`moot demo`: a ready episode of the fictional jurisdiction, on the desk or as plain text without a terminal."""

from __future__ import annotations

import sys

import click

from app.cli.watcher import PlainWatcher
from app.ready import demo_run, ensure_sample
from app.strings import t
from app.terminal import clean
from tasks.legalagentbench.asking import asked_file


@click.command()
@click.option(
    "--ask", "question", default=None, metavar="TEXT", help="Ask this instead, about the fictional jurisdiction."
)
@click.option("--plain", is_flag=True, help="Plain text even in a terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print the score block as JSON after the episode.")
def demo(question: str | None, plain: bool, as_json: bool) -> None:
    """Watch a task of the fictional sample pack being solved, step by step: by the small model that comes with Moot
    where llama.cpp is installed, else by the rules agent.

    `moot models list` says what the model can be asked. Nobody scores the answer to a question.

    Example: moot demo --plain
    """
    if question is not None:
        asked_file(question)  # what cannot be asked is said before anything opens
    if sys.stdin.isatty() and sys.stdout.isatty() and not plain and not as_json:
        from app.desk.main import open_desk

        sys.exit(open_desk(demo=True, question=question or ""))
    from app.cli.driving import print_summary
    from tasks.run.header import header_of

    ensure_sample(lambda: click.echo(t("demo.building"), err=True))
    made, why = demo_run(question or "")
    with made:
        stream = sys.stderr if as_json else sys.stdout
        stream.write(t("demo.title.rules" if why else "demo.title") + "\n")
        if why:
            click.echo(clean(why, multiline=False), err=True)
        made.scheduler.watchers.append(PlainWatcher(stream))
        made.go()
        made.record_scores()
        if as_json or made.spec.tasks is None:
            print_summary(made.summary(), as_json, header_of(made.journal))
        else:
            click.echo(t("demo.unscored"), err=True)
        click.echo(clean(t("demo.ended", run=made.id), multiline=False), err=True)
