"""`moot show`: read what happened. Nothing here runs an agent, except --verify, which writes nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import groupby, islice
from tempfile import TemporaryFile
from typing import Any

import click

from app.cli.failing import show_failures
from app.cli.names import RUN
from app.cli.notes import note
from app.cli.watcher import PlainWatcher, record_data
from app.cli.would_read import show_prompt
from app.score_names import score_figure, score_name
from app.strings import t
from app.terminal import clean, json_text, pad, truncate, width
from store.journal import Journal, ScoreRow
from tasks.episode.episodes import UNFINISHED
from tasks.episode.events import OUTCOMES, ModelCalled
from tasks.episode.state import digest, fold
from tasks.episode.watcher import Committed
from tasks.errors import UsageError
from tasks.run.engines import run_path
from tasks.run.header import HeaderData, header_of
from tasks.run.peeking import verify
from tasks.run.reading import read_episode, stopped_of


@click.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@click.argument("episode", required=False)
@click.option("--verify", is_flag=True, help="Run the episode (or all) again and compare with the record.")
@click.option("--attempt", type=click.IntRange(1), default=None, help="Show this attempt instead of the last.")
@click.option("--prompts", is_flag=True, help="Show the prompts that models saw, too.")
@click.option(
    "--would-read", "seat", metavar="SEAT", default=None, help="Show the prompt that a model in this seat would get."
)
@click.option(
    "--step",
    type=click.IntRange(1),
    default=None,
    help="Of an episode, only this step; with --would-read at this step, by default the last time it was asked.",
)
@click.option(
    "--context",
    type=click.IntRange(1024, 1 << 20),
    default=None,
    help="With this context in tokens; default: of its seat.",
)
@click.option(
    "--outcome",
    type=click.Choice((*OUTCOMES, UNFINISHED)),
    default=None,
    help="Of a run, only episodes that ended so.",
)
@click.option("--text", default="", metavar="TEXT", help="Of a run, only episodes with this in task or question.")
@click.option("--limit", type=click.IntRange(1), default=None, help="Of a run, only the first N episodes.")
@click.option("--failures", is_flag=True, help="Say why attempts failed, by class, with the steps that show it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(
    run_name: str, episode: str | None, verify: bool, attempt: int | None, prompts: bool, seat: str | None,
    step: int | None, context: int | None, outcome: str | None, text: str, limit: int | None,
    failures: bool, as_json: bool,
) -> None:  # fmt: skip
    """Show a RUN, or one EPISODE of it event by event.

    Example: moot show 20261121-120000-legalagentbench-rules-1a2b sample-405 --verify
    """
    path = run_path(run_name)
    if episode is not None and (outcome or text or limit):
        raise UsageError("--outcome, --text and --limit choose among the episodes of a run", "Leave the episode out.")
    if seat is not None:
        if episode is None:
            raise UsageError("--would-read needs an episode", "Name it behind the run: `moot show RUN` lists them.")
        return show_prompt(run_name, episode, seat, step=step, context=context or 0, as_json=as_json)
    if context:
        raise UsageError("--context belongs to --would-read", "Add --would-read SEAT.")
    if step and episode is None:
        raise UsageError("--step needs an episode", "Name it behind the run: `moot show RUN` lists them.")
    if failures:
        if outcome or text or limit or step or attempt or verify:
            raise UsageError("--failures looks at the last attempt of every episode", "Leave the other choices out.")
        return show_failures(path, run_name, episode, as_json=as_json)
    if verify:
        return _verify(run_name, episode, as_json)
    with Journal.open(path) as journal:
        if episode is None:
            _show_run(journal, as_json, outcome, text, limit)
        else:
            _show_episode(journal, episode, attempt, prompts, step, as_json)


def _show_run(journal: Journal, as_json: bool, outcome: str | None, text: str, limit: int | None) -> None:
    """All of it or, where an episode is damaged, nothing: what is to be said is gathered in a file, not in memory."""
    header = header_of(journal)
    found = islice(_episodes(journal, outcome, text), limit)
    with TemporaryFile("w+", encoding="utf-8", errors="replace", newline="") as kept:
        if as_json:
            told = {"run": header["run"], "header": header, "episodes": []}
            kept.write(json_text(told).removesuffix("]}"))
            for number, episode in enumerate(found):
                kept.write((", " if number else "") + json_text(episode))
            kept.write("]}\n")
        else:
            kept.writelines(f"{clean(line, multiline=False)}\n" for line in _lines(journal, header, found))
        kept.seek(0)
        while piece := kept.read(1 << 16):
            click.echo(piece, nl=False)


def _lines(journal: Journal, header: HeaderData, episodes: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A run as text: its heading, and a line an episode."""
    if missing := header.get("merged", {}).get("missing"):
        note(t("merge.missing", n=f"{missing:,}", total=f"{missing + journal.count():,}"))
    spec = header["spec"]
    calls = "" if spec["calls"] == "schema" else f" · calls {spec['calls']}"
    yield f"{header['run']}  {spec['benchmark']} · {spec['agent']} · {header['pack']['name']}{calls}"
    widest = max((width(row.id) for row, _ in journal.walk()), default=0)
    for e in episodes:
        yield (
            f"{pad(e['episode'], widest)} {pad(t('outcome.' + e['outcome']), 12)} {e['steps']:>4}  "
            f"{truncate(e['question'], 80)}"
        )


def _episodes(journal: Journal, outcome: str | None, text: str) -> Iterator[dict[str, Any]]:
    """The episodes that ended so and hold the text in task or question, as JSON data. Only the ends of the others are
    read."""
    for row, attempts in journal.walk():
        stopped = stopped_of(journal, attempts[-1].id) if outcome is not None else None
        if outcome is not None and outcome != (stopped.outcome if stopped else UNFINISHED):
            continue
        state = fold(read_episode(journal, row.id))
        question = str(state.card.get("question", ""))
        if text.lower() not in f"{row.id} {question}".lower():
            continue
        yield {
            "episode": row.id,
            "task": row.task_id,
            "epoch": row.epoch,
            "attempts": len(attempts),
            "steps": state.steps,
            "tokens": state.tokens,
            "outcome": state.stopped.outcome if state.stopped else UNFINISHED,
            "flags": sorted(state.flags),
            "question": question,
        }


def _show_episode(
    journal: Journal, episode: str, attempt: int | None, prompts: bool, step: int | None, as_json: bool
) -> None:
    records = read_episode(journal, episode, attempt)
    state = fold(records)
    shown = [record for record in records if step in (None, record.step)]
    if step is not None and not shown:
        last_step = records[-1].step if records else 0
        raise UsageError(f"episode '{episode}' has no step {step}", f"It has steps up to {last_step}.")
    if as_json:
        last = [a for a in journal.attempts(episode) if attempt is None or a.number == attempt][-1]
        data = {
            "run": header_of(journal)["run"], "episode": episode, "attempt": last.number, "digest": digest(records),
            "outcome": state.stopped.outcome if state.stopped else UNFINISHED,
            "records": [record_data(episode, record) for record in shown],
            "scores": [asdict(score) for score in journal.scores(last.id)],
        }  # fmt: skip
        click.echo(json_text(data))
        return
    watcher = PlainWatcher(sys.stdout)
    for record in shown:
        if prompts and isinstance(record.event, ModelCalled):
            carried = dict(record.event.carried)
            for at, (role, name) in enumerate(record.event.messages):
                more = f"  {journal.text_of(carried[at])}" if at in carried else ""
                click.echo(clean(f"    [{role}] {journal.text_of(name)}{more}"))
            if record.event.tools_name:
                click.echo(clean(f"    [tools] {journal.text_of(record.event.tools_name)}"))
        watcher.notify(Committed(episode, (record,), state))
    if step:
        return
    last = [a for a in journal.attempts(episode) if attempt is None or a.number == attempt][-1]
    for line in _rests(journal.scores(last.id)):
        click.echo(clean(line, multiline=False))


def _rests(scores: list[ScoreRow]) -> Iterator[str]:
    """The newest scores of each scorer that says what they rest on, followed by that: metrics, then what, turn and
    words of each that they rest on."""
    for score in {one.scorer: one for one in scores}.values():
        kept = score.evidence if isinstance(score.evidence, list) else []
        rests = [one for one in kept if isinstance(one, dict) and isinstance(one.get("metrics"), list)]
        if not rests or not isinstance(score.value, dict):
            continue
        values = [
            f"{score_name(name)} {score_figure(name, value)}"
            for name, value in score.value.items()
            if value is not None
        ]
        yield t("show.rests", scorer=score.scorer, version=score.version)
        yield f"  {' · '.join(values)}"
        for metrics, own in groupby(rests, lambda one: one["metrics"]):
            yield f"  [{t('show.listed').join(map(score_name, metrics))}]"
            yield from (f"    {_rest(one)}" for one in own)


def _rest(one: dict[str, Any]) -> str:
    sign = "·" if one.get("found") is None else "✔" if one["found"] else "✘"
    turn = t("show.turn", n=one["turn"]) if one.get("turn") else ""
    quote = f"“{truncate(one['quote'], 60)}”" if one.get("quote") else ""
    what = truncate(str(one.get("what", "")), 100)
    return " ".join(filter(None, (sign, what, turn, quote)))


def _verify(run_name: str, episode: str | None, as_json: bool) -> None:
    steps = verify(run_name, episode)
    if as_json:
        click.echo(json_text({"verified": steps}))
    else:
        click.echo(t("show.verified", episodes=len(steps), steps=sum(steps.values())))
