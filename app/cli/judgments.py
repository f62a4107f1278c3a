"""`moot tasks from-judgment`: a published judgment as the draft of a case file, masked, derived and unreviewed."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from app.cli.consent import allow_host_option
from app.strings.sentences import said
from app.terminal import clean, json_text
from store.errors import BadInput
from store.files import written_whole

if TYPE_CHECKING:
    from tasks.courts.from_judgment.drafting import Draft


@click.command(name="from-judgment")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), default=None, help="The case file to write; default: stdout.")
@click.option(
    "--env", type=click.Choice(["CI", "CR"]), default=None, help="What the judgment has to be; default: what it is."
)
@click.option(
    "--keep-names", is_flag=True, help="Leave the names of people; numbers and addresses are masked all the same."
)
@click.option("--mask-companies", is_flag=True, help="Mask companies that are parties too.")
@click.option(
    "--model",
    "spec",
    default="",
    metavar="SPEC",
    help="Ask this engine for what the rules missed; it sees masked text.",
)
@allow_host_option
@click.option("--json", "as_json", is_flag=True, help="Print case, masked, missing and notes as JSON.")
@click.pass_context
def from_judgment(
    ctx: click.Context,
    file: Path,
    out: Path | None,
    env: Literal["CI", "CR"] | None,
    keep_names: bool,
    mask_companies: bool,
    spec: str,
    as_json: bool,
) -> None:
    """Draft a case file from the Chinese first-instance judgment in FILE (txt, docx, html, text PDF).

    Names, numbers and addresses are masked. The draft is unreviewed: the report names what is missing and what to
    look at. Exit code 1 when the draft does not load and is not written to a file.

    Example: moot tasks from-judgment judgment.docx --out case.jsonl
    """
    if out is not None and out.exists():
        raise BadInput(f"{out} exists", "Choose another --out.")
    made = _drafted(file, spec, env=env, keep_names=keep_names, mask_companies=mask_companies)
    if out is not None:
        with written_whole(out, new=True) as stream:
            stream.write(json.dumps(made.case_fields, ensure_ascii=False) + "\n")
    if as_json:
        masked = [asdict(one) for one in made.masked]
        notes = [*made.notes, *(f"needed: {fault}" for fault in made.needed)]
        click.echo(
            json_text({"case": made.case_fields, "masked": masked, "missing": list(made.missing), "notes": notes})
        )
    elif out is None:
        click.echo(json_text(made.case_fields))
    for line in report(made, out):
        click.echo(clean(said(line), multiline=False), err=True)
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
    lines += [f"needed: {fault}" for fault in made.needed]
    name = str(out) if out else "The draft"
    unusable = f"{name} does not load yet: write what is needed first (see above)."
    lines.append(unusable if made.needed else f"{name} loads.")
    return lines


def _drafted(file: Path, spec: str, **options: Any) -> Draft:
    from tasks.courts.from_judgment.drafting import draft
    from tasks.run.engines import open_engine

    if not spec:
        return draft(file, **options)

    engine = open_engine(spec)
    try:
        return draft(file, **options, engine=engine)
    finally:
        engine.close()
