"""`moot models try`: a model in every seat, a few turns each."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from app.cli.common import json_option, say
from app.cli.driving import interruptible
from app.ready import ensure_sample
from app.strings import t
from app.strings.sentences import said
from app.terminal import clean, json_text, pad
from tasks.run import scenes
from tasks.run.engines import open_engine

QUOTED = 60
"""Characters of a reply that are quoted."""


@click.command("try")
@click.argument("model", metavar="SPEC")
@click.option(
    "--seat", "seats", multiple=True, metavar="NAME", help="Only this seat, in every form; may be repeated."
)
@json_option()
def try_(model: str, seats: tuple[str, ...], as_json: bool) -> None:
    """Say in which seats a model can sit: a few turns of fixed tasks in each, a line a seat.

    It tells whether replies can be read and say something of their own, not whether they are right. All seats
    take a model of 1.5B about twenty minutes on two cores; Ctrl-C shows what was done.

    Example: moot models try llama:qwen --seat react --seat trainee
    """
    plan = scenes.scenes(seats)
    ensure_sample(lambda: say(t("demo.building"), err=True))
    open_engine(model).close()  # what is wrong with it is said before anything is played
    done: list[scenes.Trial] = []
    stops: list[threading.Event] = []

    @contextmanager
    def watched(cut: Callable[[], None]) -> Iterator[threading.Event]:
        with interruptible(cut) as stopped:
            stops.append(stopped)
            yield stopped

    try:
        with TemporaryDirectory(prefix="moot-try-") as folder:
            for number, (scene, form) in enumerate(plan, 1):
                seat = " ".join(filter(None, (scene.seat, form)))
                say(t("try.playing", number=number, n=len(plan), seat=seat), err=True)
                found = scenes.trial(scene, model, form, Path(folder), watched)
                if any(stopped.is_set() for stopped in stops):
                    break
                done.append(found)
                if not as_json:
                    _print(found)
    except KeyboardInterrupt:  # while a model is opened
        pass
    if as_json:
        click.echo(json_text({"model": model, "seats": [found.data() for found in done]}))
    if len(done) < len(plan):
        say(t("try.stopped", done=len(done), n=len(plan)), err=True)
        sys.exit(1)


def _print(found: scenes.Trial) -> None:
    own, data = found.figures, found.data()
    share = {name: f"{100 * found.share(name):.0f}%" for name in ("echo", "repeat")}
    each = {name: f"{data[f'{name}_each']:.0f}" for name in ("evaluated", "reused")}
    why = t(f"try.why.{found.why}", failed=said(found.failed)) if found.why else ""
    say(t(
        "try.row", seat=pad(found.seat, 12), form=pad(found.form or "-", 7), calls=own["calls"],
        read=f"{100 * found.read:.0f}%", **share, loops=own["loops"], **each,
        speed=f"{data['tokens_per_second']:.1f}", verdict=t(f"try.verdict.{found.verdict}"), why=why,
        quote=clean(found.quote, multiline=False)[:QUOTED],
    ))  # fmt: skip
