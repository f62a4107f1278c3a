"""`moot agreement` and `moot review`: how far graders and people agree, and the scores that people add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.names import RUN
from app.cli.notes import note
from app.cli.tables import bounds, number, percent, table
from app.cli.verifying import deciding, is_task_file, review_tasks
from app.strings import language, t
from app.terminal import clean, json_text
from store.files import written_whole
from store.journal import Journal, ScoreRow
from tasks.errors import UsageError
from tasks.run.engines import run_path
from tasks.run.header import header_of

if TYPE_CHECKING:
    from tasks.scoring.agreement import Agreement
    from tasks.scoring.coefficients import Coefficient

COLUMNS = (
    "metric", "group", "raters", "n", "clusters", "raw", "kappa_linear", "kappa_quadratic", "interval",
    "alpha_ordinal",
    "interval", "alpha_interval", "difference", "limits",
)  # fmt: skip


@click.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@click.option("--metric", default=None, help="This metric only, such as REA.")
@click.option("--plot", is_flag=True, help="Draw the differences between people and others, too.")
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Write these plots to an HTML file.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the bootstrap.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def agreement(run_name: str, metric: str | None, plot: bool, page: Path | None, seed: int, as_json: bool) -> None:
    """Agreement of all graders and people who scored a RUN, pair by pair: kappa, Krippendorff's alpha, differences.

    Example: moot agreement 20261121-120000-legalsearch-rules-1a2b --metric answer
    """
    from tasks.scoring.agreement import clusters_of, of_journal

    with Journal.open(run_path(run_name)) as journal:
        run = str(header_of(journal)["run"])
        clusters = clusters_of(header_of(journal))
        rows = of_journal(journal, clusters=clusters, metric=metric, seed=seed)
    if not clusters:
        note(t("agreement.no_clusters"))
    plotted = [row for row in rows if row.difference and row.difference.points and row.raters[0].startswith("human ")]
    if page is not None:
        with written_whole(page) as file:
            file.write(_page(run, plotted))
        note(f"wrote {page}")
    if as_json:
        return click.echo(json_text({"run": run, "agreement": [row.as_dict() for row in rows]}))
    if not rows:
        return note(t("agreement.nobody"))
    click.echo(agreement_table(rows))
    if plot and not plotted:
        note(t("agreement.no_plot"))
    for row in plotted if plot else ():
        click.echo(f"\n{clean(_title(row), multiline=False)}\n{_plot(row)}")


def agreement_table(rows: Sequence[Agreement]) -> str:
    """The rows with raters by number, then who they are, and why something is missing."""
    names = list(dict.fromkeys(rater for row in rows for rater in row.raters))
    short = {name: f"{name[0].upper()}{place}" for place, name in enumerate(names, 1)}
    lines, whys = [], []
    for row in rows:
        who = "–".join(short[rater] for rater in row.raters) if len(row.raters) < 3 else t("agreement.everybody")
        mean, limits = (row.difference.mean, row.difference.limits) if row.difference else (None, None)
        lines.append([
            row.metric, row.group, who, str(row.n), str(row.clusters), percent(row.raw.value),
            number(row.kappa_linear.value),
            *_pair(row.kappa_quadratic), *_pair(row.alpha_ordinal), number(row.alpha_interval.value),
            f"{mean.value:+.2f}" if mean and mean.value is not None else "–", bounds(limits, 2),
        ])  # fmt: skip
        for why in dict.fromkeys(one.reason for one in (row.kappa_quadratic, row.alpha_ordinal) if one.reason):
            if why != "not_two_raters":
                whys.append(f"{row.metric} {row.group} {who}: {t(f'agreement.why.{why}')}")
    people = [f"{short[name]} {name}" for name in names]
    head = [t(f"agreement.{name}") for name in COLUMNS]
    return "\n".join([table(head, lines, left=3), "", *(clean(line, multiline=False) for line in (*people, *whys))])


def _pair(coefficient: Coefficient) -> tuple[str, str]:
    interval = coefficient.interval
    return number(coefficient.value), bounds((interval.low, interval.high) if interval else None, 2)


def _title(row: Agreement) -> str:
    return t("agreement.plot", metric=row.metric, group=row.group, first=row.raters[0], second=row.raters[1])


def _plot(row: Agreement) -> str:
    from tasks.reports.difference import difference_text

    assert row.difference is not None
    return difference_text(row.difference.points, row.difference.mean.value, row.difference.limits)


def _page(run: str, rows: Sequence[Agreement]) -> str:
    """A page with a plot a pair, self-contained, under a policy that allows nothing."""
    from tasks.reports.difference import difference_page

    plots = [(_title(row), row.difference) for row in rows if row.difference]
    return difference_page(run, plots, t("agreement.across"), t("agreement.up"), language())


@click.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@click.argument("episode", required=False)
@click.option("--sample", "sampled", is_flag=True, help="List the episodes of the seeded sample.")
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.1,
    show_default=True,
    help="Share of each group in the sample.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the sample.")
@click.option(
    "--metric",
    default=None,
    help="The metric that is scored, as graders name it: REA, DOC parts such as CLA, topic:T3.",
)
@click.option("--value", type=float, default=None, help="From 0 to 10; answer and basis of legalsearch from 0 to 1.")
@click.option("--author", default=None, help="Who scores.")
@click.option("--reason", default=None, help="Why.")
@deciding
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def review(
    run_name: str, episode: str | None, sampled: bool, share: float, seed: int, metric: str | None,
    value: float | None,
    author: str | None, reason: str | None, as_json: bool, **deciding: Any,
) -> None:  # fmt: skip
    """List the episodes of a RUN that people are asked about, or append a person's score of one EPISODE.

    Scores are appended, never changed: a person who corrects herself scores again, and the newest counts.

    A task file instead of a RUN: its tasks are verified. Without a task it lists them, with how far reviewers agree;
    a task is shown, or decided with --decision. The log lies beside the file, as FILE.reviews.jsonl.

    Example: moot review 20261121-120000-courts-rules-1a2b CI-0001 --metric REA --value 7 --author Li --reason "Point
    2 is missing"

    Example: moot review made.jsonl sample-1001 --decision reject --why unclear --author Li
    """
    if is_task_file(run_name):
        if sampled or metric is not None or value is not None:
            raise UsageError(
                f"{run_name} is a task file, and --sample, --metric and --value are about a RUN", "Use --decision."
            )
        return review_tasks(Path(run_name), episode or "", author or "", reason or "", as_json=as_json, **deciding)
    if foreign := [name for name, one in deciding.items() if one]:
        raise UsageError(
            f"--{foreign[0].replace('_', '-')} is about a task file, and {run_name} is none", "Name one."
        )
    if sampled and episode is not None:
        raise UsageError(
            f"review takes either --sample or an EPISODE, and has both: --sample {episode}",
            "A larger sample: --sample --share 0.2.",
        )
    if not sampled and episode is None:
        raise UsageError("review needs either --sample or an EPISODE", "`moot review --help` shows both.")
    if sampled:
        return _sample(run_name, share, seed, as_json)
    if metric is None or value is None or author is None or reason is None:
        given = {"metric": metric, "value": value, "author": author, "reason": reason}
        missing = ", ".join(f"--{name}" for name, one in given.items() if one is None)
        raise UsageError(f"a score of an episode needs {missing}", "A score has metric, value, author and reason.")
    from tasks.scoring.human import add_score

    with Journal.open(run_path(run_name), write=True) as journal:
        row = add_score(journal, str(episode), metric, value, author, reason)
        known = _graded(journal)
    if known and metric not in known:
        note(t("review.unknown", metric=metric, known=", ".join(known)))
    if as_json:
        return click.echo(json_text(asdict(row)))
    more = t("review.superseded") if "supersedes" in row.settings else ""
    said = t(
        "review.added",
        episode=episode,
        metric=metric,
        value=f"{value:g}",
        scale=f"{row.settings['scale']:g}",
        author=row.author,
    )
    click.echo(clean(said + more, multiline=False))


def _sample(run_name: str, share: float, seed: int, as_json: bool) -> None:
    from tasks.scoring.human import sample

    with Journal.open(run_path(run_name)) as journal:
        chosen = sample(journal, share=share, seed=seed)
        run = str(header_of(journal)["run"])
    if as_json:
        return click.echo(
            json_text({"run": run, "share": share, "seed": seed, "sample": [asdict(one) for one in chosen]})
        )
    if not chosen:
        return note(t("review.empty"))
    rows = [[one.episode, one.group, one.outcome, ", ".join(one.authors) or "–"] for one in chosen]
    click.echo(table([t(f"review.{name}") for name in ("episode", "group", "outcome", "scored")], rows, left=4))
    for group, ended in {one.group: one.of for one in chosen}.items():
        note(t("review.of", group=group, ended=ended, chosen=sum(one.group == group for one in chosen)))


def _graded(journal: Journal) -> list[str]:
    """The verdicts that graders gave in this run."""
    from tasks.run.reading import GRADER

    rows: list[ScoreRow] = [row for row in journal.scores() if row.scorer == GRADER]
    return sorted({str(name) for row in rows for name in row.value})
