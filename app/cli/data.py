"""`moot data`: build, import, list, check and remove packs. Results on stdout, progress on stderr."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

import click

from app.cli.common import Data, ParagraphHelpGroup, json_option, note, output, say
from app.strings import t
from app.strings.sentences import translated
from app.terminal import clean, json_text, pad
from store import manifest as manifests
from store.errors import DamagedData, StoreError
from store.manifest import Manifest
from store.pack import Pack, remove_pack, verify_pack
from store.run_file import reading
from store.schema import CORPORA, TABLES
from tasks import registry
from tasks.errors import UsageError
from tasks.registry import importer

_BAR = 24
_REPORTS = ("statutes.json", "web.json", "exams.json")
"""What an importer says about the files it read; a pack has one of them, or none."""


class ProgressPrinter:
    """Progress on stderr: one line a phase, with a bar that moves only on a terminal."""

    def __init__(self) -> None:
        self._phase = ""
        self._since = time.perf_counter()
        self.seconds: dict[str, float] = {}
        """Phase -> how long it took; a phase that is only a remark (nothing done of nothing) has no time."""
        self._tty = sys.stderr.isatty()

    def __call__(self, phase: str, done: int, total: int | None) -> None:
        """A phase has come so far."""
        new = phase != self._phase
        now = time.perf_counter()
        if total != 0:
            self.seconds[phase] = self.seconds.get(phase, 0.0) + now - self._since
            self._since = now
        if new and self._tty and self._phase:
            click.echo(err=True)
        self._phase = phase
        text = clean(translated(phase), multiline=False)
        if self._tty:
            click.echo(f"\r{text} {self._bar(done, total)}\x1b[K", err=True, nl=False)
        elif new:
            click.echo(text, err=True)

    def __enter__(self) -> ProgressPrinter:
        return self

    def __exit__(self, *_: object) -> None:
        """End the line of the last phase."""
        if self._tty and self._phase:
            click.echo(err=True)
        self._phase = ""

    def _bar(self, done: int, total: int | None) -> str:
        if not total:
            return str(done) if done else ""
        filled = _BAR * min(done, total) // total
        return f"[{'#' * filled}{'.' * (_BAR - filled)}] {done}/{total}"


def _pack_name(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and not manifests.is_name(value):
        raise click.BadParameter(f"{value!r} cannot name a pack (letters, digits, '-', '_', '.', up to 64)")
    return value


@click.group(cls=ParagraphHelpGroup)
def data() -> None:
    """Build, import, list and verify corpus packs.

    Example: moot data build sample
    """


@data.group(cls=ParagraphHelpGroup)
def build() -> None:
    """Build a pack that comes with Moot.

    Example: moot data build sample
    """


@build.command()
@json_option()
def sample(as_json: bool) -> None:
    """Build the fictional jurisdiction (虚构法域) with its tasks.

    Example: moot data build sample
    """
    from tasks.sample.build import build_sample

    show_pack(lambda talk: build_sample(progress=talk), as_json)


class _ImportCommand(click.Command):
    """Says which formats there are, those of other packages too."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Formats"):
            formatter.write_dl([(name, "") for name in registry.names("importers")])


@data.command("import", cls=_ImportCommand)
@click.argument("format_name", metavar="FORMAT")
@click.argument("source", metavar="PATH", type=click.Path(path_type=Path))
@click.option("--name", default=None, callback=_pack_name, help="Name of the pack; default: the format.")
@click.option(
    "--map",
    "map_file",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FILE",
    help="What the tables and columns are, for the format `tables`; `moot data template` writes such a file.",
)
@json_option()
def import_(format_name: str, source: Path, name: str | None, map_file: Path | None, as_json: bool) -> None:
    """Import a folder, zip or file of a FORMAT as a pack.

    Example: moot data import tables my_corpora --name full
    """
    from store.builder import nothing_refused

    import_pack = importer(format_name)
    if map_file is not None:
        from store.importers import tables

        if import_pack is not tables.import_pack:
            raise UsageError("only tables are imported by a map", "Name the format tables.")
        import_pack = partial(tables.import_pack, maps=tables.read_map(map_file))
    chosen = name or format_name.lower().replace("_", "-")
    with nothing_refused():
        show_pack(lambda talk: import_pack(source, chosen, talk), as_json)


@data.command()
@click.argument("source", metavar="PATH", type=click.Path(path_type=Path))
@json_option()
def template(source: Path, as_json: bool) -> None:
    """Write a map of the tables in a folder, zip or file, to be edited for `moot data import tables PATH --map FILE`.

    Example: moot data template my_tables > map.toml
    """
    from store.importers.tables import guessed

    with ProgressPrinter() as talk:
        found = {place: asdict(one) for place, one in guessed(source, talk).items()}
    if as_json:
        return click.echo(json_text(found))
    for line in _map_lines(found):
        say(line)


def _map_lines(found: Data) -> Iterator[str]:
    yield f"# {t('data.map')}"
    for table, columns in TABLES.items():
        yield f"# {table}: {'、'.join(columns)}"
    yield f"# {'、'.join(CORPORA)}: text"
    for place, one in found.items():
        yield from ("", f"[{json_text(place)}]", f"table = {json_text(one['table'])}")
        if one["columns"]:
            yield f"[{json_text(place)}.columns]"
        yield from (f"{json_text(column)} = {json_text(target)}" for column, target in one["columns"].items())


@data.command()
@click.argument("name")
@click.option(
    "--model",
    required=True,
    metavar="SPEC",
    help="An embedding model: a GGUF file, a name of the library, or endpoint:URL#MODEL.",
)
@click.option("--force", is_flag=True, help="Take a chat model too, whose vectors say little of meaning.")
@json_option()
def embed(name: str, model: str, force: bool, as_json: bool) -> None:
    """Give the articles of a pack the vectors of a model. Searches then ask the same model, if it is at hand.

    Example: moot data embed statutes --model bge-small
    """
    from app.hosts import consent
    from store.search.reembedding import reembed
    from tasks.run.engines import open_embedder

    folder = manifests.locate(name)
    consent()
    asked, about = open_embedder(model, force=force)
    show_pack(lambda talk: reembed(folder, asked, about, talk), as_json)
    if parts := (manifests.read(folder).embedder or {}).get("parts"):
        note(f"{parts:,} articles are longer than the model takes: each has the mean of the vectors of its parts")


@data.command("merge")
@click.argument("first")
@click.argument("second")
@click.option("--name", required=True, callback=_pack_name, help="Name of the merged pack.")
@json_option()
def merge_(first: str, second: str, name: str, as_json: bool) -> None:
    """Make one pack of two: versions of FIRST, texts of SECOND where the version is the same.

    Where they differ FIRST wins; each difference is counted, with examples.

    Example: moot data merge statutes laws --name both
    """
    from store.combining import REPORT, combine

    with ProgressPrinter() as talk, Pack.open(first) as one, Pack.open(second) as other:
        path = combine(one, other, name, talk)
    entry = _described(path)
    entry["merge"] = json.loads((path / REPORT).read_text(encoding="utf-8"))
    if as_json:
        return click.echo(json_text(entry))
    say(_line(entry))
    for line in _merged(entry["merge"]):
        say(line)


def _merged(report: Data) -> list[str]:
    first, second = (f"{part['name']} {part['hash'][:12]}" for part in report["sources"])
    lines = [t("data.merged", first=first, second=second)]
    lines += [f"  {t(f'data.merged.{what}')}: {n:,}" for what, n in report["counts"].items()]
    for kind, found in report["conflicts"].items():
        lines.append(t("data.conflict", kind=t(f"data.conflict.{kind}"), n=f"{found['n']:,}"))
        lines += [f"    {example}" for example in found["examples"][:3]]
    return lines + [t(f"data.merge_note.{what}") for what in report["notes"]]


@data.command("list")
@click.argument("name", required=False)
@json_option()
def list_(name: str | None, as_json: bool) -> None:
    """List the packs; of one, count what it holds and how much of it is known: exit code 1 when it is damaged.

    Example: moot data list sample
    """
    packs = [_statistics(manifests.locate(name), databases=as_json)] if name else list(_installed())
    if as_json:
        return click.echo(json_text({"packs": packs}))
    if not packs:
        click.echo(t("data.none"), err=True)
    for pack in packs:
        if name:
            _print_statistics(pack)
        else:
            say(_line(pack))


@data.command()
@click.argument("name", required=False)
@json_option()
def verify(name: str | None, as_json: bool) -> None:
    """Hash every file of a pack (or of all packs) and compare; exit code 1 when something is damaged.

    Example: moot data verify sample
    """
    folders = [manifests.locate(name)] if name else list(manifests.installed())
    if not folders and not as_json:
        click.echo(t("data.none"), err=True)
    checked = [_checked(folder) for folder in folders]
    if as_json:
        click.echo(json_text({"ok": all(pack["ok"] for pack in checked), "packs": checked}))
    for pack in [] if as_json else checked:
        if pack["ok"]:
            say(t("data.sound", name=pack["name"], files=pack["files"]))
        for problem in pack["problems"]:
            reason = str(manifests.PackFault(**problem))
            say(t("data.damaged", name=pack["name"], reason=reason))
    if not all(pack["ok"] for pack in checked):
        raise click.exceptions.Exit(1)


@data.command()
@click.argument("name")
@json_option()
def remove(name: str, as_json: bool) -> None:
    """Remove a pack. Asks first on a terminal, but for --json.

    Example: moot data remove harvest
    """
    if not as_json and sys.stdin.isatty():
        click.confirm(clean(t("data.ask_remove", name=name), multiline=False), abort=True, err=True)
    folder = remove_pack(name)
    output(as_json, {"removed": name, "path": str(folder)}, t("data.removed", name=name))


def show_pack(run: Callable[[ProgressPrinter], Path], as_json: bool) -> None:
    """Make a pack and say what it is."""
    with ProgressPrinter() as talk:
        path = run(talk)
    entry = _described(path)
    if (report := next((path / name for name in _REPORTS if (path / name).is_file()), None)) is not None:
        entry["import"] = json.loads(report.read_text(encoding="utf-8"))
        entry["seconds"] = {phase: round(seconds, 3) for phase, seconds in talk.seconds.items() if len(phase) < 40}
    output(as_json, entry, _line(entry))


def _described(folder: Path) -> Data:
    manifest = manifests.read(folder)
    return {
        "name": manifest.name,
        "path": str(folder),
        "format": manifest.format,
        "hash": manifest.hash,
        "jurisdiction": manifest.jurisdiction,
        "as_of": manifest.as_of,
        "source": manifest.source,
        "licence": manifest.licence,
        "coverage": manifest.coverage,
        "provenance": list(manifest.provenance),
        "fictional": "authored" in manifest.provenance,
        "embedder": manifest.embedder,
        "bytes": sum(manifest.sizes.values()),
        **manifest.counts.model_dump(),
    }


def _line(pack: Data) -> str:
    if "error" in pack:
        return t("data.damaged", name=pack["name"], reason=translated(pack["error"]))
    statutes = t("data.statutes", n=pack["statutes"]) if pack["statutes"] else ""
    line = t(
        "data.row",
        name=pad(pack["name"], 20),
        provenance="、".join(t(f"mark.{kind}") for kind in pack["provenance"]),
        coverage=t(f"data.{pack['coverage']}"),
        rows=sum(pack["tables"].values()),
        documents=sum(pack["documents"].values()),
        tasks=sum(pack["tasks"].values()),
    )
    pages = t("data.pages", n=pack["pages"]) if pack["pages"] else ""
    return line + statutes + pages


def _statistics(folder: Path, *, databases: bool = False) -> Data:
    with Pack.open(folder) as pack:
        inside = {"databases": pack.databases()} if databases else {}
        return {
            **_described(folder),
            **pack.statistics(),
            **inside,
            "corpora": _corpora(folder, pack.manifest),
        }


def _installed() -> Iterator[Data]:
    """The packs that are there; a damaged one does not hide the others."""
    for folder in manifests.installed():
        try:
            yield _described(folder)
        except StoreError as error:
            yield {"name": folder.name, "path": str(folder), "error": error.title}


PAPER = {
    "CompanyInfo": 695,
    "CompanyRegister": 10_125,
    "SubCompanyInfo": 9_433,
    "LegalDoc": 24_372,
    "LegalAbstract": 1_200,
    "CourtInfo": 3_413,
    "CourtCode": 3_348,
    "LawfirmInfo": 4_768,
    "LawfirmLog": 101,
    "AddrInfo": 19_533,
    "RestrictionCase": 46,
    "FinalizedCase": 119,
    "DishonestyCase": 13,
    "AdministrativeCase": 443,
    "LegalKnowledge": 26_951,
    "LegalArticle": 55_347,
    "LegalCases": 2_370,
}
"""Corpus -> its size in Table 1 of the paper of LegalAgentBench."""


def _corpora(folder: Path, manifest: Manifest) -> Data:
    """The paper's Table 1 for a pack: corpus -> rows or texts, the size in the paper."""
    with reading(folder):
        held = {**manifest.counts.tables, **manifest.counts.documents}
        return {corpus: {"size": held[corpus], "paper": paper} for corpus, paper in PAPER.items()}


def _print_statistics(pack: Data) -> None:
    rows = {table: counts["rows"] for table, counts in pack["tables"].items()}
    say(_line({**pack, "tables": rows}))
    click.echo(f"  {pad('', 23)} {t('data.table')}")
    for number, (corpus, sizes) in enumerate(pack["corpora"].items(), start=1):
        counts = pack["tables"].get(corpus, {})
        share = f"{counts['known_cells'] / counts['cells']:.1%}" if counts.get("cells") else "-"
        columns = len(TABLES[corpus]) if corpus in TABLES else "-"
        figures = f"{columns:>7} {sizes['size']:>9,} {sizes['paper']:>9,} {share:>10}"
        click.echo(f"  {number:>2} {pad(corpus, 20)} {figures}")
    for name, count in pack["tasks"].items():
        say(f"  {pad(name, 20)} {count:>7}")
    if pack["answers"]:
        kinds = "  ".join(f"{kind} {count}" for kind, count in pack["answers"].items())
        click.echo(f"  {t('data.answers')}: {kinds}")
    for file, tables in pack.get("databases", {}).items():
        for table, facts in tables.items():
            columns = ", ".join(f"{name} {kind}".rstrip() for name, kind in facts["columns"].items())
            words = f"  {file}  {pad(table, 24)} {facts['rows']:>7}  {facts['index']}  {columns}"
            say(words)


def _checked(folder: Path) -> Data:
    try:
        problems = verify_pack(folder)
    except DamagedData as error:
        problems = [manifests.PackFault(manifests.FILE, error.title)]
    files = sum(1 for path in folder.rglob("*") if path.is_file())
    listed = [{"file": p.file, "problem": p.problem, "expected": p.expected, "actual": p.actual} for p in problems]
    return {"name": folder.name, "ok": not problems, "files": files, "problems": listed}
