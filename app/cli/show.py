"""`moot show`: read what happened. Nothing here runs an agent, except --verify, which writes nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import click

from app.cli.common import RUN, json_option, note, say, table
from app.cli.watcher import PlainWatcher, record_data
from app.figures import percent
from app.strings import language, t
from app.terminal import clean, json_text, pad, truncate, width
from app.words import score_figure, score_name, sizes
from store.journal import Journal, ScoreRow
from tasks.courts.casefile.roles import names_of, role_name, role_of
from tasks.courts.environment import codes
from tasks.episode.events import OUTCOMES, ModelCalled
from tasks.episode.scheduler import UNFINISHED, RecordsCommitted
from tasks.episode.seats import Card
from tasks.episode.state import digest, fold
from tasks.errors import UsageError
from tasks.reports.model import human_line
from tasks.run.engines import run_path
from tasks.run.failing import ClassCount, EpisodeFailure, RunFailures, failures_of
from tasks.run.header import HeaderData, header_of
from tasks.run.reading import human_steps, read_episode, stopped_of
from tasks.run.seat_prompt import SeatPrompt, verify, would_read
from tasks.scoring.failures import BY_NAME, CLASSES, REASONS, STATUSES
from tasks.scoring.result import HumanSteps


def show_failures(path: Path, run_name: str, episode: str | None, *, as_json: bool) -> None:
    """Print the classes of a run, or what was found in one episode."""
    found = failures_of(path, episode)
    if as_json:
        return click.echo(json_text({**found.data(), "episodes": [one.data() for one in found.episodes]}))
    for line in _run(found, run_name) if episode is None else _episode(found.episodes[0]):
        say(line)


def _run(found: RunFailures, run_name: str) -> list[str]:
    statuses = [f"{words(STATUSES[name])} {n}" for name, n in found.statuses.items() if n]
    rows = [_row(one, found.failed, run_name) for one in found.counts if one.any]
    head = [t(f"failures.{name}") for name in ("class", "main", "share", "any")]
    made = [t("failures.head", run=found.run, statuses=" · ".join(statuses))]
    if rows:
        lines = table(head, [row[:4] for row in rows]).split("\n")
        made += [lines[0], *(f"{line}   {row[4]}" for line, row in zip(lines[1:], rows, strict=True))]
    silent = [label(one.name) for one in CLASSES if one.name not in found.tells]
    if silent:
        made.append(t("failures.not_told", benchmark=found.benchmark, classes=t("show.comma").join(silent)))
    if found.left_out:
        made.append(t("failures.left_out", n=len(found.left_out), episodes=t("show.comma").join(found.left_out)))
    if any(one.verdict.from_summary for one in found.episodes):
        made.append(t("failures.from_summary"))
    return made


def _row(one: ClassCount, failed: int, run_name: str) -> list[str]:
    step = ["--step", str(one.step)] if one.step else []
    link = " ".join(["moot show", run_name, one.example.episode, *step]) if one.example else ""
    return [label(one.name), str(one.main), percent(one.main / failed if failed else None), str(one.any), link]


def _episode(one: EpisodeFailure) -> list[str]:
    main = one.verdict.main
    told = [one.episode, words(STATUSES[one.verdict.status]), *([label(main.failure)] if main else [])]
    made = ["  ".join([*told, *([t("failures.imported")] if one.verdict.from_summary else [])])]
    for found in one.verdict.findings:
        mark = "▸" if found is main else " " if found.decisive else "~"
        made.append(f"{mark} {label(found.failure)}{t('failures.colon')}{words(REASONS[found.why])}")
        for place in found.places:
            at = t("event.step", step=place.step) + " " if place.step else ""
            made.append(f"    {at}{place.quote}")
    return made


def label(name: str) -> str:
    """A class in the language of the interface."""
    return words(BY_NAME[name].label)


def words(pair: tuple[str, str]) -> str:
    """Chinese or English."""
    return pair[language() == "en"]


def show_prompt(run_name: str, episode: str, seat: str, *, step: int | None, context: int, as_json: bool) -> None:
    """Print the prompt of a seat at a step."""
    path = run_path(run_name)
    with Journal.open(path) as journal:
        state = fold(read_episode(journal, episode))
    named = next((known for known in state.seats if seat in _words(state.card, known)), seat)
    reading = would_read(path, episode, named, step=step, context=context)
    if as_json:
        return click.echo(json_text(data_of(reading)))
    for message in reading.ask.messages:
        click.echo(clean(f"[{message.role}]\n{message.content}\n"))
    line = t("show.would_read", seat=reading.seat, policy=reading.policy, step=reading.step, **sizes(reading))
    say(line, err=True)


def _words(card: Card, seat: str) -> tuple[str, ...]:
    """By what a seat may be called: name in the record, role, what courts call it in this case and elsewhere."""
    env = card.get("env")
    if env not in codes():
        return (seat,)
    role = role_of(env, seat)
    return (seat, role, role_name(role, env), names_of(card).get(role, role))


def data_of(reading: SeatPrompt) -> dict[str, object]:
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
@click.option("--failures", is_flag=True, help="Say why attempts failed, by class, with the steps that show it.")
@json_option()
def show(
    run_name: str, episode: str | None, verify: bool, attempt: int | None, prompts: bool, seat: str | None,
    step: int | None, context: int | None, outcome: str | None, failures: bool, as_json: bool,
) -> None:  # fmt: skip
    """Show a RUN, or one EPISODE of it event by event.

    Example: moot show 20261121-120000-legalagentbench-rules-1a2b sample-405 --verify
    """
    path = run_path(run_name)
    if episode is not None and outcome:
        raise UsageError("--outcome chooses among the episodes of a run", "Leave the episode out.")
    if seat is not None:
        if episode is None:
            raise UsageError("--would-read needs an episode", "Name it behind the run: `moot show RUN` lists them.")
        return show_prompt(run_name, episode, seat, step=step, context=context or 0, as_json=as_json)
    if context:
        raise UsageError("--context belongs to --would-read", "Add --would-read SEAT.")
    if step and episode is None:
        raise UsageError("--step needs an episode", "Name it behind the run: `moot show RUN` lists them.")
    if failures:
        if outcome or step or attempt or verify:
            raise UsageError("--failures looks at the last attempt of every episode", "Leave the other choices out.")
        return show_failures(path, run_name, episode, as_json=as_json)
    if verify:
        return _verify(run_name, episode, as_json)
    with Journal.open(path) as journal:
        if episode is None:
            _show_run(journal, as_json, outcome)
        else:
            _show_episode(journal, episode, attempt, prompts, step, as_json)


def _show_run(journal: Journal, as_json: bool, outcome: str | None) -> None:
    """All of it or, where an episode is damaged, nothing: what is to be said is gathered in a file, not in memory."""
    header = header_of(journal)
    found = _episodes(journal, outcome)
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
    if missing := header.get("merged", {}).get("missing"):
        note(t("merge.missing", n=f"{missing:,}", total=f"{missing + journal.count():,}"))
    spec = header["spec"]
    calls = "" if spec["calls"] == "schema" else f" · calls {spec['calls']}"
    yield f"{header['run']}  {spec['benchmark']} · {spec['agent']} · {header['pack']['name']}{calls}"
    widest = max((width(row.id) for row, _ in journal.walk()), default=0)
    for e in episodes:
        yield (
            f"{pad(e['episode'], widest)} {pad(t('outcome.' + e['outcome']), 12)} {e['steps']:>4}  "
            f"{_by_people(e)}{truncate(e['question'], 80)}"
        )


def _by_people(episode: dict[str, Any]) -> str:
    steps = HumanSteps(episode["episode"], episode["human_steps"])
    return t("show.people", steps=human_line(steps, language())) if steps.steps else ""


def _episodes(journal: Journal, outcome: str | None) -> Iterator[dict[str, Any]]:
    """The episodes that ended so, as JSON data. Only the ends of the others are read."""
    people = human_steps(journal)
    for row, attempts in journal.walk():
        stopped = stopped_of(journal, attempts[-1].id) if outcome is not None else None
        if outcome is not None and outcome != (stopped.outcome if stopped else UNFINISHED):
            continue
        state = fold(read_episode(journal, row.id))
        yield {
            "episode": row.id,
            "task": row.task_id,
            "epoch": row.epoch,
            "attempts": len(attempts),
            "steps": state.steps,
            "tokens": state.tokens,
            "outcome": state.stopped.outcome if state.stopped else UNFINISHED,
            "flags": sorted(state.flags),
            "human_steps": people[attempts[-1].id].steps if attempts[-1].id in people else {},
            "question": str(state.card.get("question", "")),
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
        return click.echo(json_text(data))
    watcher = PlainWatcher(sys.stdout)
    for record in shown if prompts else ():
        if isinstance(record.event, ModelCalled):
            carried = dict(record.event.carried)
            for at, (role, name) in enumerate(record.event.messages):
                more = f"  {journal.text_of(carried[at])}" if at in carried else ""
                click.echo(clean(f"    [{role}] {journal.text_of(name)}{more}"))
            if record.event.tools_name:
                click.echo(clean(f"    [tools] {journal.text_of(record.event.tools_name)}"))
        watcher.notify(RecordsCommitted(episode, (record,), state))
    if not prompts:
        watcher.notify(RecordsCommitted(episode, tuple(shown), state))
    if step:
        return
    last = [a for a in journal.attempts(episode) if attempt is None or a.number == attempt][-1]
    for line in _rests(journal.scores(last.id)):
        say(line)


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
