"""`moot show RUN --failures`: why attempts failed, by class, with a command that opens an example where it went
wrong."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.tables import percent, table
from app.strings import language, t
from app.terminal import clean, json_text
from tasks.run.failing import ClassCount, EpisodeFailure, RunFailures, failures_of
from tasks.scoring.failures import BY_NAME, CLASSES, REASONS, STATUSES


def show_failures(path: Path, run_name: str, episode: str | None, *, as_json: bool) -> None:
    """Print the classes of a run, or what was found in one episode."""
    found = failures_of(path, episode)
    if as_json:
        click.echo(json_text({**found.data(), "episodes": [one.data() for one in found.episodes]}))
        return
    for line in _run(found, run_name) if episode is None else _episode(found.episodes[0]):
        click.echo(clean(line, multiline=False))


def _run(found: RunFailures, run_name: str) -> list[str]:
    """The statuses, a row a class that occurs, and what is not told here."""
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
    if any(one.verdict.from_summary for one in found.episodes):
        made.append(t("failures.from_summary"))
    return made


def _row(one: ClassCount, failed: int, run_name: str) -> list[str]:
    step = next((f.step for f in one.example.verdict.findings if f.failure == one.name), 0) if one.example else 0
    link = f"moot show {run_name} {one.example.episode}{f' --step {step}' if step else ''}" if one.example else ""
    return [label(one.name), str(one.main), percent(one.main / failed if failed else None), str(one.any), link]


def _episode(one: EpisodeFailure) -> list[str]:
    """What was found in an episode, the main reason first."""
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
