"""`moot models try`: a model in every seat, a few turns each."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from app.cli.common import json_option, say
from app.cli.driving import interruptible
from app.ready_episodes import ensure_sample
from app.strings import t
from app.strings.sentences import translated
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
    done: list[scenes.Row] = []
    with suppress(KeyboardInterrupt), TemporaryDirectory(prefix="moot-try-") as folder:
        for number, (scene, form) in enumerate(plan, 1):
            seat = " ".join(filter(None, (scene.seat, form)))
            say(t("try.playing", number=number, n=len(plan), seat=seat), err=True)
            found = scenes.play(scene, model, form, Path(folder), interruptible)
            if found is None:
                break
            done.append(found)
            if not as_json:
                _print(found)
    if as_json:
        click.echo(json_text({"model": model, "seats": done}))
    if len(done) < len(plan):
        say(t("try.stopped", done=len(done), n=len(plan)), err=True)
        sys.exit(1)


def _print(found: scenes.Row) -> None:
    calls, reason = found["calls"] or 1, found["reason"]
    shown = {
        **found, "seat": pad(found["seat"], 12), "form": pad(found["form"] or "-", 7),
        "quote": clean(found["quote"], multiline=False)[:QUOTED], "read": f"{found['read_at_once']:.0%}",
        **{name: f"{found[name] / calls:.0%}" for name in ("echo", "repeat")},
        "verdict": t(f"try.verdict.{found['verdict']}"), "speed": f"{found['tokens_per_second']:.1f}",
        **{name: f"{found[f'{name}_each']:.0f}" for name in ("evaluated", "reused")},
        "why": t(f"try.why.{reason}", failed=translated(found["failed"])) if reason else "",
    }  # fmt: skip
    say(t("try.row", **shown))
