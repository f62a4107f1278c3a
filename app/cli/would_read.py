"""`moot show RUN EPISODE --would-read SEAT`: the prompt that a model in a seat would get, with its sizes by part.

Sizes in characters, and in tokens as the density of the seat's engine says (estimated where none counted).
"""

from __future__ import annotations

import click

from app.prompt_sizes import sizes
from app.strings import t
from app.terminal import clean, json_text
from store.journal import Journal
from tasks.courts.casefile.roles import names_of, role_name, role_of
from tasks.courts.environment import codes
from tasks.episode.seats import Card
from tasks.episode.state import fold
from tasks.run.engines import run_path
from tasks.run.peeking import Reading, would_read
from tasks.run.reading import read_episode


def show_prompt(run_name: str, episode: str, seat: str, *, step: int | None, context: int, as_json: bool) -> None:
    """Print the prompt of a seat at a step."""
    path = run_path(run_name)
    with Journal.open(path) as journal:
        state = fold(read_episode(journal, episode))
    named = next((known for known in state.seats if seat in _words(state.card, known)), seat)
    reading = would_read(path, episode, named, step=step, context=context)
    if as_json:
        click.echo(json_text(data_of(reading)))
        return
    for message in reading.ask.messages:
        click.echo(clean(f"[{message.role}]\n{message.content}\n"))
    line = t("show.would_read", seat=reading.seat, policy=reading.policy, step=reading.step, **sizes(reading))
    click.echo(clean(line, multiline=False), err=True)


def _words(card: Card, seat: str) -> tuple[str, ...]:
    """By what a seat may be called: name in the record, role, what courts call it in this case and elsewhere."""
    env = card.get("env")
    if env not in codes():
        return (seat,)
    role = role_of(env, seat)
    return (seat, role, role_name(role, env), names_of(card).get(role, role))


def data_of(reading: Reading) -> dict[str, object]:
    """A prompt as data."""
    budget, messages = reading.budget, reading.ask.messages
    return {
        "run": reading.run,
        "episode": reading.episode,
        "seat": reading.seat,
        "policy": reading.policy,
        "prompt": reading.ask.prompt,
        "step": reading.step,
        "context": budget.context,
        "reply": budget.reply + budget.thought,
        "tokens": budget.tokens(sum(len(message.content) for message in messages)),
        "parts": {name: {"characters": size, "tokens": budget.tokens(size)} for name, size in reading.parts.items()},
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        "schema": reading.ask.schema,
    }
