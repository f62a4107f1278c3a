"""`moot tasks`: make tasks from a pack, check a task file, show one task. Gold is shown only when asked for."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import PACK, ParagraphHelpGroup, allow_host_option, json_option, say
from app.cli.data import ProgressPrinter
from app.strings import t
from app.strings.sentences import translated
from app.terminal import clean, json_text
from store.errors import BadInput, NotFound
from store.files import written_whole
from store.pack import Pack
from store.text.dates import parse_date
from tasks.benchmark import benchmark, benchmarks
from tasks.errors import UsageError
from tasks.run.validation import benchmark_in, validate

if TYPE_CHECKING:
    from models.engine import Engine
    from tasks.courts.from_judgment.drafting import Draft
    from tasks.legalagentbench.construct.compose import Parts
    from tasks.legalagentbench.construct.generate import ConstructedTasks, Generator


def check_cases(paths: Sequence[Path], as_json: bool) -> bool:
    """Print every error and warning of the cases in files and folders; whether there is an error."""
    from tasks.courts.checking.case import check_files

    lines: list[str] = []
    count = 0
    for found, cases in check_files(paths):
        if not as_json:
            click.echo("".join(f"{clean(translated(line), multiline=False)}\n" for line in found), nl=False)
        lines += found
        count += cases
    errors = sum(": error: " in line for line in lines)
    told = {"ok": not errors, "cases": count, "errors": errors, "findings": lines}
    click.echo(json_text(told) if as_json else t("tasks.checked", n=count, errors=errors))
    return bool(errors)


def print_laws(as_json: bool) -> None:
    """The laws of the shipped index with the first and last day of every version."""
    from tasks.courts.casefile.law import shipped_laws

    known = shipped_laws()
    days = {law: [[str(v.valid_from), str(v.valid_to or "")] for v in known.versions(law)] for law in known.names}
    if as_json:
        return click.echo(json_text(days))
    for law, versions in days.items():
        click.echo("\t".join([law, *("..".join(both) for both in versions)]))


@click.command(name="from-judgment")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), default=None, help="The case file to write; default: stdout.")
@click.option(
    "--keep-names", is_flag=True, help="Leave the names of people; numbers and addresses are masked all the same."
)
@json_option("Print case, masked, missing and notes as JSON.")
@click.pass_context
def from_judgment(ctx: click.Context, file: Path, out: Path | None, keep_names: bool, as_json: bool) -> None:
    """Draft a case file from the Chinese first-instance judgment in FILE (txt, docx, html, text PDF).

    Names, numbers and addresses are masked. The draft is unreviewed: the report names what is missing and what to
    look at. Where it is not sure of a name, it shows the places and writes a file only after a yes. Exit code 1 when
    the draft does not load and is not written to a file.

    Example: moot tasks from-judgment judgment.docx --out case.jsonl
    """
    from tasks.courts.from_judgment.drafting import draft

    if out is not None and out.exists():
        raise BadInput(f"{out} exists", "Choose another --out.")
    made = draft(file, keep_names=keep_names, out=out.name if out is not None else "")
    *told, last = report(made, out)
    for line in told:
        say(translated(line), err=True)
    if out is not None:
        if made.unsure:
            if not sys.stdin.isatty():
                words = f"{made.unsure} words or places of {file.name} may name somebody and were not masked for sure"
                raise UsageError(
                    words, "Look at them (above); write 某 for a name in the judgment, or draft without --out."
                )
            click.confirm(t("tasks.unsure", n=made.unsure), abort=True, err=True)
        with written_whole(out, new=True) as stream:
            stream.write(json.dumps(made.case_fields, ensure_ascii=False) + "\n")
    if as_json:
        masked = [asdict(one) for one in made.masked]
        notes = [*made.notes, *(f"needed: {fault.text}" for fault in made.needed)]
        click.echo(
            json_text({"case": made.case_fields, "masked": masked, "missing": list(made.missing), "notes": notes})
        )
    elif out is None:
        click.echo(json_text(made.case_fields))
    say(translated(last), err=True)
    # A draft that was written can be finished by hand; one that was printed alone is of no use to the next program.
    ctx.exit(1 if made.needed and out is None else 0)


def report(made: Draft, out: Path | None = None) -> list[str]:
    """What a reader has to know of a draft, in lines; `out`: where it was written."""
    case = made.case_fields
    kind = {"CI": "civil", "CR": "criminal"}[case["env"]]
    counts = ", ".join(f"{len(case[name])} {name}" for name in ("claims", "facts", "evidence") if case.get(name))
    lines = [f"{case['id']}: draft of a {kind} case, unreviewed{f' ({counts})' if counts else ''}"]
    if made.masked:
        lines.append("masked: " + ", ".join(f"{one.kind} {one.replacement} ×{one.count}" for one in made.masked))
    if made.missing:
        lines.append(f"missing: {', '.join(made.missing)}")
    lines += [f"note: {note}" for note in made.notes]
    lines += [f"needed: {fault.text}" for fault in made.needed]
    called = str(out) if out else "The draft"
    unusable = f"{called} does not load yet: write what is needed first (see above)."
    lines.append(unusable if made.needed else f"{called} loads.")
    return lines


_GROUPS = 6


def wanted_tasks(distribution: str, count: int | None) -> tuple[int, ...]:
    """Tasks of 1 to 5 hops and of writing; with a count the same shares of it, without writing."""
    parts = distribution.split("/")
    if (
        len(parts) != _GROUPS
        or not all(part.isdecimal() and len(part) < 6 for part in parts)
        or not any(map(int, parts))
    ):
        raise UsageError(f"--distribution {distribution} is no distribution", "Write six numbers: 80/80/60/40/20/20.")
    wanted = tuple(map(int, parts))
    if count is None:
        return wanted
    hops = sum(wanted[:5]) or 1
    shares = [count * part // hops for part in wanted[:5]]
    shares[0] += count - sum(shares)
    return (*shares, 0)


def constructed(
    pack: Pack, seed: int, limit: int | None, wanted: tuple[int, ...], seats: Sequence[str] = ()
) -> tuple[list[dict[str, Any]], dict[str, Any]]:  # fmt: skip
    """The tasks and what is told of them; `seats`: rewriter=SPEC for a model that rewords the questions."""
    from tasks.legalagentbench.construct.compose import Parts, shipped_parts
    from tasks.legalagentbench.construct.generate import construct_set, generator
    from tasks.legalagentbench.construct.writing import writing_set

    text = shipped_parts()
    with closing(_rewriter(seats)) if seats else nullcontext() as engine, ProgressPrinter() as talk:
        made = generator(pack, lambda rng: Parts(text, rng), seed, talk)
        found = construct_set(made, wanted, lambda n: writing_set(made, n))
        if engine is not None:
            found = _reworded(made, found, Parts(text, made.rng), engine, talk)
    return found.tasks[:limit], {"coverage": found.report}


def _rewriter(seats: Sequence[str]) -> Engine:
    from tasks.legalagentbench.construct.rewrite import AT_A_TIME, SEAT
    from tasks.run.engines import open_engine

    role, _, spec = seats[-1].partition("=")
    if len(seats) > 1 or role != SEAT or ":" not in spec:
        raise UsageError(f"'{' '.join(seats)}' names no rewriter", "Write --seat rewriter=SPEC, once.")
    return open_engine(spec, parallel=AT_A_TIME)


def _reworded(
    made: Generator, found: ConstructedTasks, parts: Parts, engine: Engine, talk: ProgressPrinter
) -> ConstructedTasks:
    from tasks.legalagentbench.construct.generate import ConstructedTasks, check, coverage
    from tasks.legalagentbench.construct.rewrite import Rewriter

    rewriter = Rewriter(engine, parts, lambda task: check(task, made.toolbox, made.brute), made.names())
    tasks: list[dict[str, Any]] = []
    for task in rewriter.rewrite(found.tasks):
        tasks.append(task)
        talk("rewriting", len(tasks), len(found.tasks))
    return ConstructedTasks(tasks, {**found.report, **coverage(tasks), "rewritten": rewriter.report()})


def coverage_lines(told: dict[str, Any]) -> list[str]:
    """The coverage in a few lines."""
    kinds = told["kinds_of_tools"]
    lines = [
        t("tasks.covered", database=kinds.get("database", 0), mathematics=kinds.get("mathematics", 0),
          retriever=kinds.get("retriever", 0), tables=len(told["tables"]), columns=told["columns"],
          all=told["columns_in_all"], starts=len(told["starts"]), paths=told["paths"]),
    ]  # fmt: skip
    if "rewritten" in told:
        kept, refused = told["rewritten"]["accepted"], sum(told["rewritten"]["refused"].values())
        lines.append(t("tasks.rewritten", n=kept, refused=refused))
    return lines


_SHOWN = 50
_DAMAGE = ("heading_inside", "moved_paragraph", "cut_short", "duplicate", "mislabelled")
"""Findings about the text of an article that make it no gold."""


@click.group(cls=ParagraphHelpGroup)
def tasks() -> None:
    """Make tasks from a pack, check a task file, show a task.

    Example: moot tasks construct --benchmark legalsearch --pack sample --out lar.jsonl
    """


tasks.add_command(from_judgment)


@tasks.command(name="construct")
@click.option("--benchmark", "name", default="legalagentbench", show_default=True, help="What to make tasks for.")
@click.option(
    "--pack", "pack_name", type=PACK, default="sample", show_default=True, help="Corpus pack, by name or folder."
)
@click.option("--out", "out", required=True, type=click.Path(path_type=Path), help="The task file to write.")
@click.option("--seed", default=2026, show_default=True, help="The same seed gives the same tasks.")
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=None,
    help="So many tasks; of legalagentbench multi-hop tasks in the given distribution.",
)  # fmt: skip
@click.option(
    "--distribution", default="80/80/60/40/20/20", show_default=True, help="Tasks of 1 to 5 hops and of writing."
)
@click.option("--seat", "seats", multiple=True, metavar="rewriter=SPEC", help="A model that rewords the questions.")
@allow_host_option
@json_option()
def construct_tasks(
    name: str, pack_name: str, out: Path, seed: int, limit: int | None, distribution: str,
    seats: tuple[str, ...], as_json: bool,
) -> None:  # fmt: skip
    """Make tasks from the rows or the statutes of a pack.

    legalagentbench: questions over paths of tools. legalsearch: recitals of amended articles, and time-travel pairs.

    Example: moot tasks construct --benchmark legalsearch --pack statutes --out lar.jsonl --limit 100
    """
    if name not in _MAKABLE:
        raise UsageError(f"unknown benchmark '{name}'", f"Tasks can be made for: {', '.join(_MAKABLE)}.")
    if out.exists():
        raise BadInput(f"{out} exists", "Choose another --out.")
    with Pack.open(pack_name) as pack:
        if name == "legalagentbench":
            made, told = constructed(pack, seed, limit, wanted_tasks(distribution, limit), seats)
        else:
            made, told = _travels(pack, seed, limit)
    if not made:
        raise NotFound(
            f"Nothing in pack {pack_name} gives a task for {name}",
            "It takes rows for legalagentbench, and articles with text in two versions for legalsearch.",
        )
    _write(out, made)
    groups = Counter(str(task.get("hops", task["type"])) for task in made)
    data = {
        "pack": pack_name,
        "benchmark": name,
        "out": str(out),
        "seed": seed,
        "n": len(made),
        "tasks": dict(groups),
    }
    if as_json:
        click.echo(json_text({**data, **told}))
        return
    shown = "  ".join(f"{group} {n}" for group, n in groups.items())
    say(t("tasks.made", n=len(made), groups=shown, out=out))
    if "coverage" in told:
        for line in coverage_lines(told["coverage"]):
            click.echo(line)
    if "changes" in told:
        click.echo(t("tasks.changes", **told["changes"]))


@tasks.command(name="validate")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--benchmark", "name", default="", help="Whose tasks they are; default: what the first one looks like.")
@click.option(
    "--law", is_flag=True,
    help="Of court cases, check the law instead: cited articles and their days, sums, rulings, sentences, procedure.",
)  # fmt: skip
@click.option(
    "--laws", is_flag=True, help="List the laws that a case may cite, with the days of their versions, instead."
)
@json_option()
@click.pass_context
def validate_tasks(
    ctx: click.Context, files: Sequence[Path], name: str, law: bool, laws: bool, as_json: bool
) -> None:
    """Check every task of a FILE and name file, line and field of each fault; exit code 1 when there is one. With
    --law several case files, and folders of them; whether the reasons hold is for a person to say.

    Example: moot tasks validate lar.jsonl --benchmark legalsearch

    Example: moot tasks validate --law my-cases/
    """
    if bool(files) == laws or (len(files) > 1 and not law):
        raise UsageError(
            "validate takes either one task file, or case files with --law, or --laws",
            "For example: moot tasks validate --law my-cases/",
        )
    if not files:
        return print_laws(as_json)
    if law:
        ctx.exit(1 if check_cases(files, as_json) else 0)
    file = files[0]
    report = validate(file, name)
    if as_json:
        data = {"file": str(file), "ok": not report.faults, **asdict(report)}
        click.echo(json_text(data))
    else:
        for fault in report.faults[:_SHOWN]:
            say(translated(fault))
        if len(report.faults) > _SHOWN:
            click.echo(t("tasks.more", n=len(report.faults) - _SHOWN))
        for note in report.notes[:_SHOWN]:
            say(t("tasks.note", note=translated(note)))
        groups = "  ".join(f"{group} {n}" for group, n in report.groups.items())
        key = "tasks.faulty" if report.faults else "tasks.sound"
        head = t(key, n=report.tasks, faults=len(report.faults), benchmark=report.benchmark)
        say(f"{head}  {groups}")
    ctx.exit(1 if report.faults else 0)
    return None


@tasks.command(name="show")
@click.argument("task_id", metavar="ID")
@click.option(
    "--pack", "pack_name", type=PACK, default="sample", show_default=True, help="Corpus pack, by name or folder."
)
@click.option(
    "--tasks",
    "file",
    type=click.Path(path_type=Path),
    default=None,
    help="A task file, or a folder of case files, instead of a pack.",
)
@click.option("--gold", is_flag=True, help="Show the gold answer too.")
@json_option()
def show_task(task_id: str, pack_name: str, file: Path | None, gold: bool, as_json: bool) -> None:
    """Show the task of this ID: its question, and its gold when asked for.

    Example: moot tasks show sample-lar-001 --gold
    """
    name, question = _found(task_id, pack_name, file)
    if as_json:
        shown = {"benchmark": name, "card": question.card, **({"gold": _fields(question.gold)} if gold else {})}
        if hasattr(question, "material"):
            shown["case"] = question.material
        click.echo(json_text({"id": question.id, **shown}))
        return
    say(f"{question.id}  {name}  {question.card.get('type', '')}".rstrip())
    click.echo()
    click.echo(clean(str(question.card["question"]).strip()))
    for field, value in getattr(question, "material", {}).items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        click.echo(clean(f"\n{field}  {text}"))
    if not gold:
        click.echo(t("tasks.hidden"), err=True)
        return
    for field, value in _fields(question.gold).items():
        if value:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            click.echo(clean(f"\n{field}  {text}"))


def _fields(gold: Any) -> dict[str, Any]:
    return gold if isinstance(gold, dict) else asdict(gold)


Drafted = tuple[list[dict[str, Any]], dict[str, Any]]


def _travels(pack: Pack, seed: int, limit: int | None) -> Drafted:
    from store.statutes.book import StatuteBook
    from tasks.legalsearch.construct import changes, construct
    from tasks.sample import is_fictional

    book = StatuteBook(pack)
    faults = _damaged(book)
    law = (
        f"{pack.manifest.jurisdiction}的法律" if is_fictional({law.provenance for law in book.laws()}) else "中国法律"
    )
    made = construct(
        book, as_of=_as_of(pack, book), seed=seed, limit=limit, faults=faults, prefix=f"{pack.name}-", law=law
    )
    criteria = [change.why for change in changes(book, faults)]
    of = Counter(reason for why in criteria for reason in why)
    both = sum(len(why) == 2 for why in criteria)
    found = {"all": len(criteria), "characters": of["characters"], "meaning": of["meaning"], "both": both}
    pairs = len({task["pair"] for task in made if "pair" in task})
    return made, {"changes": found, "pairs": pairs, "left_out": len(faults)}


_MAKABLE = ("legalagentbench", "legalsearch")


def _damaged(book: Any) -> frozenset[tuple[str, str, Any]]:
    """Articles of laws with several versions whose text a check finds fault with."""
    from store.statutes.check import check_law

    laws = [law.name for law in book.laws() if len(book.versions(law.name)) > 1]
    return frozenset(
        (finding.law, finding.label, finding.number)
        for law in laws
        for finding in check_law(book, law)
        if finding.kind in _DAMAGE and finding.sure != "possible" and finding.number is not None
    )


def _as_of(pack: Pack, book: Any) -> date:
    """The day up to which the pack tells the law: its own word, else two years after its newest version."""
    day = parse_date(pack.manifest.as_of)
    if day is not None:
        return day
    starts = [v.valid_from for law in book.laws() for v in book.versions(law.name) if v.valid_from]
    return max(starts, default=date(2024, 12, 31)) + timedelta(days=730)


def _write(out: Path, made: list[dict[str, Any]]) -> None:
    with written_whole(out, new=True) as stream:
        for task in made:
            stream.write(json.dumps(task, ensure_ascii=False) + "\n")


def _found(task_id: str, pack_name: str, file: Path | None) -> tuple[str, Any]:
    """The benchmark and the question of this id, in the file or in any task file of the pack."""
    if file is not None:
        candidates = [(benchmark_in(file), file)]
        where = str(file)
    else:
        with Pack.open(pack_name) as pack:
            candidates = [(name, path) for name in benchmarks() if (path := pack.task_file(name)) is not None]
        where = f"pack {pack_name}"
    known: list[str] = []
    for name, path in candidates:
        for question in benchmark(name).load(path):
            if question.id == task_id:
                return name, question
            known.append(question.id)
    raise NotFound(f"There is no task {task_id[:60]} in {where}", _near(task_id, known))


def _near(task_id: str, known: list[str]) -> str:
    from rapidfuzz import fuzz, process

    near = [name for name, score, _ in process.extract(task_id, known, scorer=fuzz.ratio, limit=3) if score >= 60]
    return f"Did you mean {', '.join(near)}?" if near else f"It has {len(known)} tasks."
