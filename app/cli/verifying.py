"""`moot review FILE` and `moot tasks publish`: people verify tasks, and what passed is written with who passed it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from app.cli.names import PACK
from app.cli.notes import note
from app.cli.tables import bounds, number, percent, table
from app.strings import t
from app.terminal import clean, json_text
from app.verify_words import call_words, cause_words, law_words, verdict_words
from store.files import written_whole
from tasks.errors import UsageError

if TYPE_CHECKING:
    from tasks.verifying.citing import Cited
    from tasks.verifying.decisions import Decision
    from tasks.verifying.standing import PairAgreement, Standing
    from tasks.verifying.taskset import Task, TaskSet, Text

_SQLITE = b"SQLite format 3\0"
_Command = TypeVar("_Command", bound=Callable[..., Any])
OPTIONS = (
    click.option("--decision", type=click.Choice(["accept", "correct", "reject"]),
        help="Of a task: what you decide."),
    click.option("--why", multiple=True, help="Of a task: code of a reason; may be given again."),
    click.option("--question", default=None, help="Of a task: the question as it should be."),
    click.option("--answer", default=None, help="Of a task: the answer as it should be."),
    click.option("--key", multiple=True, help="Of a task: a key as it should be; give all of them."),
    click.option("--key-middle", multiple=True, help="Of a task: a middle key as it should be; give all of them."),
    click.option("--consensus", is_flag=True, help="Of a task: the decision that its reviewers agreed on."),
    click.option(
        "--add", type=click.Path(path_type=Path), default=None,
        help="Take over the log of another reviewer of the file."
    ),
    click.option("--pack", type=PACK, default=None, help="Corpus pack of the tasks, for the law that they cite."),
)  # fmt: skip


def deciding(command: _Command) -> _Command:
    """The options by which a person decides about a task."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


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
    path: Path, task_id: str, author: str, reason: str, *, decision: Any, why: Sequence[str], question: str | None,
    answer: str | None, key: Sequence[str], key_middle: Sequence[str], consensus: bool, add: Path | None,
    pack: str | None,
    as_json: bool,
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
    lists: dict[str, Text] = {"key": tuple(key), "key_middle": tuple(key_middle)}
    fields: dict[str, Text] = {name: value for name, value in lists.items() if value}
    fields |= {name: value for name, value in (("question", question), ("answer", answer)) if value is not None}
    if not task_id or decision is None:
        if fields or why or consensus or (decision is not None and not task_id):
            raise UsageError(
                "a decision needs a task and --decision", "Give both: moot review FILE TASK --decision accept."
            )
        return _list(tasks, author, as_json) if not task_id else _show(tasks, task_id, author, pack or "", as_json)
    made = decide(tasks, task_id, decision, author, why=why, note=reason, fields=fields, consensus=consensus)
    if as_json:
        return click.echo(json_text(made.line(tasks)))
    click.echo(
        clean(t("verify.said", task=made.task, verdict=verdict_words(made), author=made.author), multiline=False)
    )
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


def _shown(one: Standing, author: str) -> tuple[Decision, ...]:
    """Verdicts that may stand in a list: one's own side, or, where nobody asks, those that two have given."""
    from tasks.verifying.standing import visible_to

    if author:
        return visible_to(one, author)[0]
    return one.decisions if len(one.reviewers) > 1 else ()


def _said(one: Standing, author: str) -> str:
    shown = _shown(one, author)
    if not shown:
        return t("verify.hidden", n=len(one.reviewers)) if one.reviewers else "–"
    newest = [*one.newest, *([one.outcome] if one.status == "settled" and one.outcome else [])]
    return t("show.comma").join(f"{word.author} {t(f'verify.verdict.{word.verdict}')}" for word in newest)


def _row_data(one: Standing, group: str, author: str) -> dict[str, Any]:
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


def _show(tasks: TaskSet, task_id: str, author: str, pack: str, as_json: bool) -> None:
    from tasks.verifying.citing import cited, day_of, laws_of, pack_of
    from tasks.verifying.decisions import decisions_of
    from tasks.verifying.standing import standings, visible_to

    task = tasks.task(task_id)
    standing = standings(tasks, decisions_of(tasks))[task.id]
    seen, hidden = visible_to(standing, author)
    with pack_of(tasks, pack) as opened:
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


def _law_data(one: Cited) -> dict[str, Any]:
    version = one.version
    return {
        "law": one.law, "article": str(one.number), "force": one.force, "version": version.label if version else None,
        "from": version.valid_from.isoformat() if version and version.valid_from else None,
        "to": version.valid_to.isoformat() if version and version.valid_to else None,
    }  # fmt: skip


@click.command(name="publish")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The task file to write.")
@click.option(
    "--reviewers",
    type=click.IntRange(1, 9),
    default=2,
    show_default=True,
    help="Reviewers who must have passed a task.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def publish_tasks(file: Path, out: Path, reviewers: int, as_json: bool) -> None:
    """Write the tasks of a FILE that reviewers accepted or corrected, each with who decided what and when.

    Example: moot tasks publish made.jsonl --out verified.jsonl
    """
    from store.errors import BadInput
    from tasks.verifying.decisions import decisions_of
    from tasks.verifying.publishing import publish
    from tasks.verifying.taskset import read_set

    if out.exists():
        raise BadInput(f"{out} exists", "Choose another --out.")
    tasks = read_set(file)
    made = publish(tasks, decisions_of(tasks), reviewers)
    with written_whole(out, new=True) as stream:
        for record in made.records:
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")
    if as_json:
        counts = {"n": len(made.records), "accepted": made.accepted, "corrected": made.corrected}
        told = {"file": str(file), "set": tasks.hash, "out": str(out), **counts}
        return click.echo(json_text({**told, "refused": dict(made.refused), "causes": dict(made.causes)}))
    said = t("verify.published", n=len(made.records), accepted=made.accepted, corrected=made.corrected, out=out)
    click.echo(clean(said, multiline=False))
    for name, n in made.refused.items():
        if n:
            click.echo(f"  {t(f'verify.refused.{name}')} {n}")
    for code, n in made.causes.items():
        click.echo(f"    {cause_words(code)} {n}")
    return None
