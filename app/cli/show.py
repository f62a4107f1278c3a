"""`moot show` and `moot list`: read what happened. Nothing here runs an agent, except --verify, which writes nothing."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from app.cli.names import RUN
from app.cli.notes import note
from app.cli.watcher import PlainWatcher, record_data
from app.cli.would_read import show_prompt
from app.strings import known, t
from app.strings.sentences import said
from app.terminal import clean, json_text, pad, truncate, width
from store.errors import StoreError
from store.journal import Journal, ScoreRow
from tasks.episode.events import ModelCalled
from tasks.episode.state import digest, fold
from tasks.episode.watcher import Committed
from tasks.errors import UsageError
from tasks.run.engines import run_path
from tasks.run.header import header_of
from tasks.run.peeking import FORMS
from tasks.run.reading import list_runs as run_files
from tasks.run.reading import outcome_of, read_episode
from tasks.run.runner import verify_episode


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
    "--step", type=click.IntRange(1), default=None, help="At this step; default: the last time it was asked."
)
@click.option(
    "--context",
    type=click.IntRange(1024, 1 << 20),
    default=None,
    help="With this context in tokens; default: of its seat.",
)
@click.option("--form", type=click.Choice(FORMS), default=None, help="In this form of reply; default: of its seat.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(
    run_name: str, episode: str | None, verify: bool, attempt: int | None, prompts: bool, seat: str | None,
    step: int | None, context: int | None, form: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Show a RUN, or one EPISODE of it event by event.

    Example: moot show 20261121-120000-legalagentbench-rules-1a2b sample-405 --verify
    """
    path = run_path(run_name)
    if seat is not None:
        if episode is None:
            raise UsageError("--would-read needs an episode", "Name it behind the run: `moot show RUN` lists them.")
        return show_prompt(run_name, episode, seat, step=step, context=context or 0, form=form or "", as_json=as_json)
    if step or context or form:
        raise UsageError("--step, --context and --form belong to --would-read", "Add --would-read SEAT.")
    if verify:
        return _verify(run_name, episode, as_json)
    with Journal.open(path) as journal:
        if episode is None:
            _show_run(journal, as_json)
        else:
            _show_episode(journal, episode, attempt, prompts, as_json)


@click.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_runs(as_json: bool) -> None:
    """List the runs, newest first.

    Example: moot list --json
    """
    rows = [summary(path) for path in run_files()]
    if as_json:
        click.echo(json_text({"runs": rows}))
        return
    if not rows:
        click.echo(t("list.empty"), err=True)
    for row in rows:
        if "error" in row:
            click.echo(clean(f"{row['run']}  ✘ {said(row['error'])}", multiline=False))
            continue
        cells = (
            pad(row["run"], 52),
            pad(row["pack"], 16),
            pad(f"{row['finished']}/{row['n']}", 9),
            row["created"],
            _cut_short(row["outcomes"]),
        )
        click.echo(clean("  ".join(filter(None, cells)), multiline=False))


def _cut_short(outcomes: dict[str, int]) -> str:
    """Episodes that did not come to their end by themselves, by outcome in words; those still open stand in the count."""
    return " · ".join(
        f"{t('outcome.' + name)} {n}" for name, n in outcomes.items() if name not in ("finished", "unfinished")
    )


def summary(path: Any) -> dict[str, Any]:
    """One line about a run file; a damaged file is a line too."""
    try:
        with Journal.open(path) as journal:
            header = header_of(journal)
            outcomes = Counter(outcome_of(journal, row.id) for row in journal.episodes())
            uncovered = journal.uncovered
    except (StoreError, OSError) as error:
        return {"run": path.stem, "path": str(path), "error": getattr(error, "title", None) or str(error)}
    spec = header["spec"]
    return {
        "run": path.stem,
        "path": str(path),
        "benchmark": spec["benchmark"],
        "agent": spec["agent"],
        "model": spec["model"],
        "pack": header["pack"]["name"],
        "created": header["created"],
        "n": outcomes.total(),
        "finished": outcomes.total() - outcomes["unfinished"],
        "outcomes": dict(outcomes),
        "parent": header.get("parent"),
        "uncovered": list(uncovered),
    }


def _show_run(journal: Journal, as_json: bool) -> None:
    header = header_of(journal)
    episodes: list[dict[str, Any]] = []
    for row in journal.episodes():
        state = fold(read_episode(journal, row.id))
        outcome = state.stopped.outcome if state.stopped else "unfinished"
        question = str(state.card.get("question", ""))
        episodes.append(
            {
                "episode": row.id,
                "task": row.task_id,
                "epoch": row.epoch,
                "attempts": len(journal.attempts(row.id)),
                "steps": state.steps,
                "tokens": state.tokens,
                "outcome": outcome,
                "flags": sorted(state.flags),
                "question": question,
            }  # fmt: skip
        )
    if as_json:
        told = {"run": header["run"], "header": header, "uncovered": list(journal.uncovered), "episodes": episodes}
        click.echo(json_text(told))
        return
    if journal.uncovered:
        note(t("show.uncovered"))
    if missing := header.get("merged", {}).get("missing"):
        note(t("merge.missing", n=f"{missing:,}", total=f"{missing + len(episodes):,}"))
    spec = header["spec"]
    calls = "" if spec["calls"] == "schema" else f" · calls {spec['calls']}"
    line = f"{header['run']}  {spec['benchmark']} · {spec['agent']} · {header['pack']['name']}{calls}"
    click.echo(clean(line, multiline=False))
    widest = max((width(e["episode"]) for e in episodes), default=0)
    for e in episodes:
        line = f"{pad(e['episode'], widest)} {pad(t('outcome.' + e['outcome']), 12)} {e['steps']:>4}  {truncate(e['question'], 80)}"
        click.echo(clean(line, multiline=False))


def _show_episode(journal: Journal, episode: str, attempt: int | None, prompts: bool, as_json: bool) -> None:
    records = read_episode(journal, episode, attempt)
    state = fold(records)
    if as_json:
        last = [a for a in journal.attempts(episode) if attempt is None or a.number == attempt][-1]
        data = {
            "run": header_of(journal)["run"], "episode": episode, "attempt": last.number, "digest": digest(records),
            "outcome": state.stopped.outcome if state.stopped else "unfinished",
            "records": [record_data(episode, record) for record in records],
            "scores": [asdict(score) for score in journal.scores(last.id)],
        }  # fmt: skip
        click.echo(json_text(data))
        return
    watcher = PlainWatcher(sys.stdout)
    for record in records:
        if prompts and isinstance(record.event, ModelCalled):
            carried = dict(record.event.carried)
            for at, (role, name) in enumerate(record.event.messages):
                more = f"  {journal.text_of(carried[at])}" if at in carried else ""
                click.echo(clean(f"    [{role}] {journal.text_of(name)}{more}"))
            if record.event.tools_name:
                click.echo(clean(f"    [tools] {journal.text_of(record.event.tools_name)}"))
        watcher.notify(Committed(episode, (record,), state))
    last = [a for a in journal.attempts(episode) if attempt is None or a.number == attempt][-1]
    for line in _rests(journal.scores(last.id)):
        click.echo(clean(line, multiline=False))


def _rests(scores: list[ScoreRow]) -> Iterator[str]:
    """The newest scores of each scorer that says what they rest on, followed by that: metrics, what, turn, words."""
    for score in {one.scorer: one for one in scores}.values():
        kept = score.evidence if isinstance(score.evidence, list) else []
        rests = [one for one in kept if isinstance(one, dict) and isinstance(one.get("metrics"), list)]
        if not rests or not isinstance(score.value, dict):
            continue
        named = {name: f"{t(f'scores.{name}')} {name}" if known(f"scores.{name}") else name for name in score.value}
        values = [f"{named[name]} {value:.3f}" for name, value in score.value.items() if value is not None]
        yield t("show.rests", scorer=score.scorer, version=score.version)
        yield f"  {' · '.join(values)}"
        yield from (f"    {_rest(one)}" for one in rests)


def _rest(one: dict[str, Any]) -> str:
    sign = "·" if one.get("found") is None else "✔" if one["found"] else "✘"
    turn = t("show.turn", n=one["turn"]) if one.get("turn") else ""
    quote = f"“{truncate(one['quote'], 60)}”" if one.get("quote") else ""
    what = truncate(str(one.get("what", "")), 100)
    return " ".join(part for part in (sign, f"[{' '.join(one['metrics'])}]", what, turn, quote) if part)


def _verify(run_name: str, episode: str | None, as_json: bool) -> None:
    with Journal.open(run_path(run_name)) as journal:
        names = [row.id for row in journal.episodes()] if episode is None else [episode]
    steps = {name: verify_episode(run_name, name) for name in names}
    if as_json:
        click.echo(json_text({"verified": steps}))
    else:
        click.echo(t("show.verified", episodes=len(steps), steps=sum(steps.values())))
