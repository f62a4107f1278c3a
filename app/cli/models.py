"""`moot models`: the library of GGUF files, and what a file is worth before it is loaded. Nothing is ever downloaded.

Results on stdout, progress on stderr.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from app.cli.common import Data, ParagraphHelpGroup, json_option, output, say
from app.cli.data import ProgressPrinter
from app.cli.trying import try_
from app.strings import billions, t
from app.strings.sentences import error_text, translated
from app.terminal import clean, json_text, pad
from models.errors import BadEngine
from models.llama import library as shelf
from models.llama import memory, shipped
from models.llama.header import GgufHeader, model_sha256, read_header
from models.llama.library import LibraryEntry
from models.llama.speed import measure
from models.llama.template import complaint
from store import places
from store.identity import Progress
from tasks.run.estimate import keep

SLOTS = (1, 4, 8)
"""Numbers of sequences for which `check` says the memory."""
MEGABYTE = 1_000_000
_MARKS = {True: "✔", False: "✘"}


@click.group(cls=ParagraphHelpGroup)
def models() -> None:
    """Keep a library of GGUF models, and check them before use.

    FILE may be a path or, where that makes sense, a name of the library. `docs/models.md` says which models suit
    which laptop and how to bring them.

    Example: moot models list
    """


@models.command("list")
@json_option()
def list_(as_json: bool) -> None:
    """List the models of the library.

    Example: moot models list --json
    """
    folder = places.models()
    listed = [_described(entry, folder) for entry in shelf.entries(folder)]
    if as_json:
        return click.echo(json_text({"library": str(folder), "models": listed}))
    for model in listed:
        say(_line(model))
        if model["shipped"]:
            click.echo(f"  {clean(_shipped(), multiline=False)}")
    if all(model["shipped"] for model in listed):
        say(t("library.none", folder=folder), err=True)


@models.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", default=None, help="Name in the library; default: made from the file's name.")
@click.option("--copy", is_flag=True, help="Copy the file into the library instead of using it where it lies.")
@json_option()
def add(file: Path, name: str | None, copy: bool, as_json: bool) -> None:
    """Take a GGUF file into the library, after checking it. Without --copy only its path is kept.

    Example: moot models add /media/stick/qwen2.5-7b-instruct-q8_0.gguf --copy --name qwen
    """
    folder = places.models()
    with _talk("library.copying" if copy else "library.hashing", file.name) as progress:
        entry = shelf.add(file, folder, name=name, copy=copy, progress=progress)
    described = _described(entry, folder)
    output(as_json, described, _line(described))


@models.command()
@click.argument("file")
@click.option("--sha256", "expected", default=None, help="The sum that the publisher states; compared.")
@click.option("--speed", is_flag=True, help="Measure tokens a second, too, and keep them for `moot run --dry-run`.")
@json_option()
def check(file: str, expected: str | None, speed: bool, as_json: bool) -> None:
    """Say what a GGUF file (a path or a name) is, whether it is sound, and whether it fits this machine's memory.

    The header and the places of all weights are checked, not the weights themselves: only the sha256 sum says whether
    every bit arrived. Exit code 1 when the file is not sound or the sum is another; too little memory is no failure.

    Example: moot models check qwen2.5-7b-instruct-q8_0.gguf
    """
    wanted = expected.strip().lower() if expected is not None else None
    if wanted is not None and not re.fullmatch("[0-9a-f]{64}", wanted):
        raise click.BadParameter("a sha256 sum has 64 digits from 0 to f", param_hint="--sha256")
    folder = places.models()
    path = shelf.resolve(file, folder)
    try:
        header = read_header(path)
    except BadEngine as error:
        if not path.exists():
            raise
        _print_unsound(path, error, as_json)
        raise click.exceptions.Exit(1) from None
    with _talk("library.hashing", path.name) as progress:
        found = _facts(header, model_sha256(path, progress))
    found["ok"] = wanted is None or wanted == found["sha256"]
    found["expected_sha256"] = wanted
    if speed and found["ok"]:
        found["speed"] = measure(path)
        keep(found["sha256"], found["speed"])
    if as_json:
        click.echo(json_text(found))
    else:
        _print_facts(found)
    if not found["ok"]:
        raise click.exceptions.Exit(1)


@models.command()
@click.argument("name")
@json_option()
def remove(name: str, as_json: bool) -> None:
    """Take a model out of the library. A copy that lies in the library is deleted; any other file stays where it is.

    Example: moot models remove qwen
    """
    folder = places.models()
    entry, deleted = shelf.remove(name, folder)
    file = str(entry.file(folder))
    key = "library.removed.file" if deleted else "library.removed"
    output(as_json, {"removed": entry.name, "path": file, "deleted": deleted}, t(key, name=entry.name, path=file))


models.add_command(try_)


# --- what is printed ------------------------------------------------------------------------------------------------


@contextmanager
def _talk(key: str, name: str) -> Iterator[Progress]:
    """Progress of a long read on stderr, in megabytes; what takes a moment says nothing."""
    with ProgressPrinter() as talk:

        def progress(done: int, total: int) -> None:
            if total > 16 * MEGABYTE:
                talk(t(key, name=name), done // MEGABYTE, total // MEGABYTE)

        yield progress


def _described(entry: LibraryEntry, folder: Path) -> Data:
    return {
        "name": entry.name,
        "path": str(entry.file(folder)),
        "copied": entry.copied,
        "state": entry.state(folder),
        "size": entry.size,
        "sha256": entry.sha256,
        "architecture": entry.architecture,
        "quantisation": entry.quantisation,
        "parameters": entry.parameters,
        "context": entry.context,
        "template": entry.has_template,
        "embedding": entry.is_embedding,
        "recurrent": entry.recurrent,
        "shipped": entry.shipped,
    }


def _shipped() -> str:
    about = shipped.card()
    kinds = "、".join(kind.name for kind in about.kinds) if about else ""
    return t("library.shipped", kinds=kinds or t("library.shipped.none"), context=about.context if about else 0)


def _line(model: Data) -> str:
    kind = "embedding" if model["embedding"] else "chat"
    return t(
        "library.row",
        name=pad(model["name"], 32),
        parameters=pad(billions(model["parameters"]), 6, "right"),
        quantisation=pad(model["quantisation"], 7),
        size=pad(memory.gigabytes(model["size"]), 8, "right"),
        context=pad(str(model["context"]), 6, "right"),
        kind=t(f"library.{kind}"),
        state=_state(model),
        path=model["path"],
    )


def _state(model: Data) -> str:
    if model["state"] == "ok":
        return ""
    gone = shipped.gone(model["name"], model["state"]).title if model["shipped"] else ""
    return f"　✘ {translated(gone) if gone else t('library.state.' + model['state'])}"


def _facts(header: GgufHeader, digest: str) -> Data:
    context, free = memory.default_context(header), memory.available()
    counts = (1,) if header.is_embedding else SLOTS
    needs = [(slots, memory.estimate(header, context, slots)) for slots in counts]
    fitting = memory.fitting(header, context, counts[-1], free) if free else []
    return {
        "ok": True,
        "path": str(header.path),
        "size": header.size,
        "sha256": digest,
        "name": header.name,
        "architecture": header.architecture,
        "quantisation": header.quantisation,
        "parameters": header.parameters,
        "layers": header.layers,
        "context": header.context,
        "tokenizer": header.tokenizer,
        "vocabulary": header.vocabulary,
        "template": "file" if header.template is not None else "chatml",
        "template_problem": "" if header.is_embedding else complaint(header.template),
        "embedding": header.is_embedding,
        "recurrent": header.recurrent,
        "memory": {
            "free": free,
            "context": context,
            "needs": [
                {"slots": slots, "weights": need.weights, "cache": need.cache, "work": need.work, "total": need.total,
                 "fits": not free or need.total <= free}
                for slots, need in needs
            ],
            "fitting": [{"context": length, "slots": slots} for length, slots in fitting],
        },
    }  # fmt: skip


def _print_unsound(path: Path, error: BadEngine, as_json: bool) -> None:
    output(
        as_json,
        {"ok": False, "path": str(path), "reason": error.title, "hint": error.hint},
        t("library.unsound", reason=error_text(error)),
    )


def _print_facts(found: Data) -> None:
    say(t("library.sound", path=found["path"]))
    kind = "embedding" if found["embedding"] else "recurrent" if found["recurrent"] else "chat"
    rows = {
        "name": found["name"],
        "architecture": f"{found['architecture']}　{billions(found['parameters'])}　{found['quantisation']}",
        "kind": t(f"library.{kind}"),
        "context": t("library.context.value", n=found["context"]),
        "template": _template_line(found),
        "tokenizer": t("library.tokenizer.value", kind=found["tokenizer"], n=found["vocabulary"]),
        "size": memory.gigabytes(found["size"]),
        "sha256": _sum_line(found),
    }
    for key, value in rows.items():
        click.echo(f"  {pad(t(f'library.{key}'), 16)} {clean(value, multiline=False)}")
    _print_memory(found["memory"])
    if speed := found.get("speed"):
        (calls, together), *_ = speed["together"].items()
        line = t("library.speed.value", **{**speed, "calls": calls, "together": together})
        click.echo(f"  {pad(t('library.speed'), 16)} {line}")


def _template_line(found: Data) -> str:
    if found["embedding"]:
        return t("library.none.needed")
    if found["template_problem"]:
        return t("library.template.broken", reason=found["template_problem"])
    return t(f"library.template.{found['template']}")


def _sum_line(found: Data) -> str:
    if found["expected_sha256"] is None:
        return str(found["sha256"])
    key = "library.sum.same" if found["ok"] else "library.sum.other"
    return t(key, sum=found["sha256"], expected=found["expected_sha256"])


def _print_memory(needed: Data) -> None:
    free = memory.gigabytes(needed["free"]) if needed["free"] else t("library.free.unknown")
    click.echo(f"  {pad(t('library.memory'), 16)} {t('library.free', free=free)}")
    for need in needed["needs"]:
        sizes = {part: memory.gigabytes(need[part]) for part in ("total", "weights", "cache", "work")}
        line = t("library.need", slots=need["slots"], context=needed["context"], **sizes)
        click.echo(f"  {pad('', 16)} {_MARKS[need['fits']] if needed['free'] else '?'} {line}")
    if all(need["fits"] for need in needed["needs"]):
        return
    fits = " / ".join(f"#ctx={one['context']},slots={one['slots']}" for one in needed["fitting"])
    click.echo(f"  {pad('', 16)} {t('library.fits', settings=fits) if fits else t('library.fits.nothing')}")
