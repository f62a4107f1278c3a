"""`moot review`: scores that people add to a RUN and how far raters agree; what people decide about the tasks of a
FILE, and the tasks that passed, written with who passed them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import RUN, json_option, note, say, table
from app.figures import bounds, number, percent
from app.strings import t
from app.terminal import clean, json_text
from app.words import call_words, cause_words, law_words, verdict_words
from store.files import written_whole
from store.journal import Journal, ScoreRow
from tasks.errors import UsageError
from tasks.run.engines import run_path
from tasks.run.header import header_of

if TYPE_CHECKING:
    from tasks.scoring.agreement import Agreement, Coefficient
    from tasks.verifying.decisions import Decision
    from tasks.verifying.standing import PairAgreement, TaskStatus
    from tasks.verifying.taskset import Task, TaskCitation, TaskSet

COLUMNS = (
    "metric", "group", "raters", "n", "clusters", "raw", "kappa_linear", "kappa_quadratic", "interval",
    "alpha_ordinal",
    "interval", "alpha_interval", "difference", "limits",
)  # fmt: skip
REVIEWERS = 2
"""Who must have passed a task that is published."""
_SQLITE = b"SQLite format 3\0"


def is_task_file(name: str) -> bool:
    """Whether a name is that of a file which is no run."""
    path = Path(name)
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) != _SQLITE
    except (OSError, ValueError):
        return False


def review_tasks(
    path: Path, task_id: str, author: str, reason: str, *, decision: Any, why: Sequence[str], consensus: bool,
    add: Path | None, publish: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """List the tasks of a file, show one, or append a decision about it."""
    from tasks.verifying.decisions import add_log, decide
    from tasks.verifying.taskset import read_set

    tasks = read_set(path)
    if add is not None:
        came, again = add_log(tasks, add)
        note(t("verify.added", n=len(came), file=add))
        if again:
            note(t("verify.again", names=t("show.comma").join(again)))
    if publish is not None:
        if task_id:
            raise UsageError("--publish writes the whole set", "Leave the task out.")
        return _publish(tasks, publish, as_json)
    if not task_id or decision is None:
        if why or consensus or (decision is not None and not task_id):
            raise UsageError(
                "a decision needs a task and --decision", "Give both: moot review FILE TASK --decision accept."
            )
        return _list(tasks, author, as_json) if not task_id else _show(tasks, task_id, author, as_json)
    made = decide(tasks, task_id, decision, author, why=why, note=reason, consensus=consensus)
    if as_json:
        return click.echo(json_text(made.line(tasks)))
    say(t("verify.said", task=made.task, verdict=verdict_words(made), author=made.author))
    return None


def _list(tasks: TaskSet, author: str, as_json: bool) -> None:
    from tasks.verifying.decisions import decisions_of
    from tasks.verifying.standing import STATUSES, agreement, standings

    found = list(standings(tasks, decisions_of(tasks)).values())
    pairs = agreement(found)
    counts = Counter(one.status for one in found)
    group = {task.id: task.group for task in tasks.tasks}
    if as_json:
        rows = [_row_data(one, group[one.task], author) for one in found]
        data = {"file": str(tasks.path), "set": tasks.hash, "benchmark": tasks.benchmark, "n": len(found)}
        counted = {name: counts[name] for name in STATUSES}
        told = [_pair_data(pair) for pair in pairs]
        return click.echo(json_text({**data, "counts": counted, "tasks": rows, "agreement": told}))
    lines = [[one.task, group[one.task], t(f"verify.status.{one.status}"), _said(one, author)] for one in found]
    click.echo(table([t(f"verify.{name}") for name in ("task", "group", "status", "decided")], lines, left=4))
    parts = [f"{t(f'verify.status.{name}')} {counts[name]}" for name in STATUSES if counts[name]]
    note(t("verify.counts", set=tasks.name, n=len(found), parts=t("show.comma").join(parts)))
    if pairs:
        click.echo("\n" + agreement_lines(pairs))
    return None


def _shown(one: TaskStatus, author: str) -> tuple[Decision, ...]:
    """Verdicts that may stand in a list: one's own side, or, where nobody asks, those that two have given."""
    from tasks.verifying.standing import visible_to

    if author:
        return visible_to(one, author)[0]
    return one.decisions if len(one.reviewers) > 1 else ()


def _said(one: TaskStatus, author: str) -> str:
    shown = _shown(one, author)
    if not shown:
        return t("verify.hidden", n=len(one.reviewers)) if one.reviewers else "–"
    newest = [*one.newest, *([one.outcome] if one.status == "settled" and one.outcome else [])]
    return t("show.comma").join(f"{word.author} {t(f'verify.verdict.{word.verdict}')}" for word in newest)


def _row_data(one: TaskStatus, group: str, author: str) -> dict[str, Any]:
    shown = [word.model_dump(mode="json") for word in _shown(one, author)]
    return {"id": one.task, "group": group, "status": one.status, "reviewers": len(one.reviewers), "decisions": shown}


def _pair_data(pair: PairAgreement) -> dict[str, Any]:
    spans = {
        name: (found.interval.low, found.interval.high) if found.interval else None
        for name, found in (("equal", pair.equal), ("kappa", pair.kappa))
    }
    return {
        "raters": [pair.first, pair.second], "n": pair.n, "equal": pair.equal.value, "kappa": pair.kappa.value,
        "intervals": spans, "why": pair.kappa.reason,
    }  # fmt: skip


def agreement_lines(pairs: Sequence[PairAgreement]) -> str:
    """A row a pair of reviewers: tasks, share decided alike, kappa, each with its interval."""
    rows = []
    for pair in pairs:
        equal, kappa = pair.equal, pair.kappa
        share = (100 * equal.interval.low, 100 * equal.interval.high) if equal.interval else None
        span = (kappa.interval.low, kappa.interval.high) if kappa.interval else None
        why = t(f"agreement.why.{kappa.reason}") if kappa.reason else ""
        rows.append([
            pair.first, pair.second, str(pair.n), percent(equal.value), bounds(share), number(kappa.value),
            bounds(span, 2), why
        ])  # fmt: skip
    head = [
        t(f"verify.{name}") for name in ("first", "second", "both", "equal", "interval", "kappa", "interval", "why")
    ]
    return table(head, rows, left=2)


def _show(tasks: TaskSet, task_id: str, author: str, as_json: bool) -> None:
    from tasks.verifying.decisions import decisions_of
    from tasks.verifying.standing import standings, visible_to
    from tasks.verifying.taskset import cited, day_of, laws_of, pack_of

    task = tasks.task(task_id)
    standing = standings(tasks, decisions_of(tasks))[task.id]
    seen, hidden = visible_to(standing, author)
    with pack_of(tasks) as opened:
        day = day_of(task, opened)
        laws = cited(task, day, laws_of(opened))
    if as_json:
        data = {
            "id": task.id, "group": task.group, "set": tasks.hash, "status": standing.status,
            "day": day and day.isoformat(),
            "record": dict(task.record), "laws": [_law_data(one) for one in laws], "hidden": hidden,
            "decisions": [one.model_dump(mode="json") for one in seen],
        }  # fmt: skip
        return click.echo(json_text(data))
    lines = [f"{task.id}  {task.group}  {t(f'verify.status.{standing.status}')}", *_body(task)]
    lines += ["", t("verify.laws", day=day.isoformat() if day else t("verify.no_day"))] if laws else []
    lines += [f"  {'✔' if one.good else '✘'} {law_words(one)}" for one in laws]
    lines += ["", t("verify.decisions")] if seen or hidden else []
    lines += [
        f"  {one.at[:16].replace('T', ' ')} UTC  {one.author}  {verdict_words(one)}  {one.note}".rstrip()
        for one in seen
    ]
    lines += [f"  {t('verify.blind', n=hidden)}"] if hidden else []
    click.echo("\n".join(clean(line) for line in lines))
    return None


def _body(task: Task) -> list[str]:
    lines: list[str] = []
    for name, value in task.texts.items():
        shown = [value] if isinstance(value, str) else [f"· {text}" for text in value]
        lines += ["", t(f"verify.field.{name}"), *(f"  {text}" for text in shown)]
    calls = task.record.get("path")
    if isinstance(calls, list) and calls:
        lines += ["", t("verify.path"), *(f"  {n}. {call_words(call)}" for n, call in enumerate(calls, 1))]
    return lines


def _law_data(one: TaskCitation) -> dict[str, Any]:
    version = one.version
    return {
        "law": one.law, "article": str(one.number), "force": one.force, "version": version.label if version else None,
        "from": version.valid_from.isoformat() if version and version.valid_from else None,
        "to": version.valid_to.isoformat() if version and version.valid_to else None,
    }  # fmt: skip


def _publish(tasks: TaskSet, out: Path, as_json: bool) -> None:
    from store.errors import BadInput
    from tasks.verifying.decisions import decisions_of
    from tasks.verifying.standing import publish

    if out.exists():
        raise BadInput(f"{out} exists", "Choose another --out.")
    made = publish(tasks, decisions_of(tasks), REVIEWERS)
    with written_whole(out, new=True) as stream:
        for record in made.records:
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")
    if as_json:
        counts = {"n": len(made.records), "accepted": made.accepted, "corrected": made.corrected}
        told = {"file": str(tasks.path), "set": tasks.hash, "out": str(out), **counts}
        return click.echo(json_text({**told, "refused": dict(made.refused), "causes": dict(made.causes)}))
    said = t("verify.published", n=len(made.records), accepted=made.accepted, corrected=made.corrected, out=out)
    say(said)
    for name, n in made.refused.items():
        if n:
            click.echo(f"  {t(f'verify.refused.{name}')} {n}")
    for code, n in made.causes.items():
        click.echo(f"    {cause_words(code)} {n}")
    return None


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


@click.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@click.argument("episode", required=False)
@click.option(
    "--sample", "sampled", is_flag=True, help="List the episodes of the seeded sample, and how far raters agree."
)
@click.option(
    "--metric",
    default=None,
    help="The metric that is scored, as graders name it: REA, DOC parts such as CLA, topic:T3.",
)
@click.option("--value", type=float, default=None, help="From 0 to 10; answer and basis of legalsearch from 0 to 1.")
@click.option("--author", default=None, help="Who scores.")
@click.option("--reason", default=None, help="Why.")
@click.option(
    "--decision",
    type=click.Choice(["accept", "reject"]),
    help="Of a task: what you decide; corrections are written on the desk.",
)
@click.option("--why", multiple=True, help="Of a task: code of a reason; may be given again.")
@click.option("--consensus", is_flag=True, help="Of a task: the decision that its reviewers agreed on.")
@click.option(
    "--add",
    type=click.Path(path_type=Path),
    default=None,
    help="Take over the log of another reviewer of the file.",
)
@click.option(
    "--publish",
    type=click.Path(path_type=Path),
    default=None,
    help="Write the tasks that reviewers accepted or corrected to this new task file, with who decided what.",
)
@json_option()
def review(
    run_name: str, episode: str | None, sampled: bool, metric: str | None, value: float | None,
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
            "Leave one of them out.",
        )
    if not sampled and episode is None:
        raise UsageError("review needs either --sample or an EPISODE", "`moot review --help` shows both.")
    if sampled:
        return _sample(run_name, as_json)
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
    say(said + more)


def _sample(run_name: str, as_json: bool) -> None:
    from tasks.scoring.agreement import clusters_of, of_journal
    from tasks.scoring.human import SEED, SHARE, sample

    with Journal.open(run_path(run_name)) as journal:
        chosen, header = sample(journal), header_of(journal)
        run, clusters = str(header["run"]), clusters_of(header)
        agreed = of_journal(journal, clusters=clusters, seed=SEED)
    if as_json:
        told = {"share": SHARE, "seed": SEED, "sample": [asdict(one) for one in chosen]}
        return click.echo(json_text({"run": run, **told, "agreement": [row.as_dict() for row in agreed]}))
    if not chosen:
        return note(t("review.empty"))
    rows = [[one.episode, one.group, one.outcome, ", ".join(one.authors) or "–"] for one in chosen]
    click.echo(table([t(f"review.{name}") for name in ("episode", "group", "outcome", "scored")], rows, left=4))
    for group, ended in {one.group: one.of for one in chosen}.items():
        note(t("review.of", group=group, ended=ended, chosen=sum(one.group == group for one in chosen)))
    if agreed:
        if not clusters:
            note(t("agreement.no_clusters"))
        click.echo("\n" + agreement_table(agreed))


def _graded(journal: Journal) -> list[str]:
    from tasks.run.reading import GRADER

    rows: list[ScoreRow] = [row for row in journal.scores() if row.scorer == GRADER]
    return sorted({str(name) for row in rows for name in row.value})
