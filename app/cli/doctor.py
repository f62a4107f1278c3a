"""`moot doctor`: what works on this machine, in one screen, and what to do about the rest.

Nothing heavy is imported: libraries are asked for their version through their installed metadata.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import locale
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from app.cli.common import json_option
from app.guard import install_guard, prove
from app.strings import language, size_words, t
from app.terminal import clean, json_text, pad
from store import places
from store.cache import Cache, file_of
from store.errors import StoreError
from tasks import registry

LIBRARIES = ("textual", "pydantic", "numpy", "usearch", "jieba", "cn2an", "rapidfuzz", "sqlite-utils", "openpyxl")
"""Distributions that must be there; the versions of the first four are shown."""
MARKS = {"ok": "✔", "failed": "✘", "absent": "–"}
LOW_SPACE = 200_000_000
"""Bytes of free disk under which a long run is in danger."""


@dataclass(frozen=True)
class Check:
    """One line: what was looked at, how it stands and what helps."""

    key: str
    status: str
    detail: str
    hint: str = ""
    essential: bool = False


def _verdict(key: str, good: bool, detail: str, *, essential: bool = True, hint: str | None = None) -> Check:
    shown = "" if good else t(hint or f"doctor.{key}.hint")
    return Check(key, "ok" if good else "failed" if essential else "absent", detail, shown, essential)


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _program() -> Iterator[Check]:
    detail = f"{platform.python_version()} {platform.system()} {platform.machine()}"
    yield _verdict("python", sys.version_info >= (3, 11), detail)
    try:
        with sqlite3.connect(":memory:") as memory:
            memory.execute("CREATE VIRTUAL TABLE f USING fts5(x, tokenize='trigram')")
            memory.execute("CREATE TABLE s (x ANY) STRICT")
        memory.close()
        searchable = True
    except sqlite3.Error:
        searchable = False
    yield _verdict("sqlite", searchable, sqlite3.sqlite_version)
    versions = {name: _version(name) for name in LIBRARIES}
    missing = [name for name, version in versions.items() if version is None]
    shown = "  ".join(f"{name} {versions[name]}" for name in LIBRARIES[:4])
    yield _verdict(
        "libraries", not missing, t("doctor.libraries.missing", names=", ".join(missing)) if missing else shown
    )
    yield _extensions()


def _extensions() -> Check:
    """What other packages have added, and what of it cannot be had."""
    added = [name for group in registry.GROUPS for name in registry.extensions(group)]
    broken = [*registry.damaged(), *(one for group in registry.GROUPS for one in registry.problems(group))]
    if not broken:
        return Check("extensions", "ok" if added else "absent", ", ".join(added) or t("doctor.extensions.none"))
    told = (f"{f'{one.name} ({one.package})' if one.group else one.package}: {one.reason}" for one in broken)
    return Check("extensions", "failed", "; ".join(told), t("doctor.extensions.hint"))


def _home() -> Check:
    home = places.home()
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home) as probe:
            probe.write(b"moot")
        free = shutil.disk_usage(home).free
    except OSError:
        return _verdict("home", False, t("doctor.home.closed", path=home))
    detail = t("doctor.home.free", path=home, free=size_words(free))
    return _verdict("home", free >= LOW_SPACE, detail, essential=False, hint="doctor.home.full")


def _pack(folder: Path) -> tuple[str, bool]:
    from store.pack import Pack

    try:
        with Pack.open(folder) as pack:
            counts = pack.counts()
    except (StoreError, OSError, sqlite3.Error) as error:
        return t("doctor.packs.broken", name=folder.name, reason=getattr(error, "title", str(error))), False
    sums = {f"{kind}": sum(counts[source].values()) for kind, source in PACK_SUMS.items()}
    return t("doctor.pack", name=folder.name, **sums), True


PACK_SUMS = {"rows": "tables", "documents": "documents", "tasks": "tasks"}
"""Placeholder of the pack's line -> part of the pack's counts that it sums."""


def _data() -> Iterator[Check]:
    yield _home()
    folders = sorted(places.packs().glob("*/manifest.json"))
    if not folders:
        yield _verdict("packs", False, t("doctor.packs.none"), essential=False)
    for manifest in folders:
        detail, good = _pack(manifest.parent)
        hint = "" if good else t("doctor.packs.broken.hint", name=manifest.parent.name)
        yield Check("packs", "ok" if good else "failed", detail, hint)
    runs = sum(
        1 for path in places.runs().glob("[!.]*") if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    )
    yield Check("runs", "ok" if runs else "absent", t("doctor.runs.count", n=runs))
    yield _replies()


def _replies() -> Check:
    """The file of replies that `moot run --cache` takes up again; deleting it empties the cache."""
    path = file_of("replies")
    if not path.is_file():
        return Check("replies", "absent", t("doctor.replies.none", path=path))
    with Cache(path) as replies:
        count, size = replies.size()
    sizes = {"size": size_words(size), "limit": size_words(replies.limit)}
    return Check("replies", "ok", t("doctor.replies.kept", path=path, n=f"{count:,}", **sizes))


def _library() -> Check:
    """The models of the library, and those whose file is gone or another."""
    from models.errors import BadEngine
    from models.llama import library

    folder = places.models()
    try:
        listed = library.entries(folder)
    except (BadEngine, OSError) as error:
        return Check("models", "failed", getattr(error, "title", str(error)), t("doctor.models.hint"))
    if not listed:
        return Check("models", "absent", t("doctor.models.none"))
    away = [entry.name for entry in listed if entry.state(folder) != "ok"]
    hint = t("doctor.models.away", names=", ".join(away)) if away else ""
    shown = ", ".join(f"{one.name}{t('models.shipped.mark') * one.shipped}" for one in listed[:3]) + (
        " …" if len(listed) > 3 else ""
    )
    return Check("models", "failed" if away else "ok", t("doctor.models.count", n=len(listed), names=shown), hint)


def _models() -> Iterator[Check]:
    yield _library()
    found = all(map(importlib.util.find_spec, ("llama_cpp", "llguidance")))
    llama = _version("llama-cpp-python") if found else None
    yield _verdict("llama", llama is not None, llama or t("doctor.llama.none"), essential=False)
    compiler = next(filter(None, map(shutil.which, ("c++", "g++", "clang++", "cl"))), None)
    yield _verdict("compiler", compiler is not None, compiler or t("doctor.compiler.none"), essential=False)


def _colours(term: str) -> str:
    if os.environ.get("NO_COLOR") or term in ("", "dumb"):
        return "none"
    if os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit") or os.environ.get("WT_SESSION"):
        return "true"
    return "many" if "256" in term else "few"


def _fonts() -> Check:
    program = shutil.which("fc-list")
    if program is None:
        return Check("fonts", "absent", t("doctor.fonts.unknown"), t("doctor.fonts.hint"))
    try:
        listed = subprocess.run([program, ":lang=zh", "family"], capture_output=True, timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return Check("fonts", "absent", t("doctor.fonts.unknown"), t("doctor.fonts.hint"))
    names = sorted(
        {line.split(",")[0].strip() for line in listed.decode("utf-8", "replace").splitlines() if line.strip()}
    )
    detail = (
        t("doctor.fonts.count", n=len(names), name=next((n for n in names if "Mono" in n), names[0])) if names else ""
    )
    return _verdict("fonts", bool(names), detail or t("doctor.fonts.none"), essential=False)


def _terminal() -> Iterator[Check]:
    if sys.stdout.isatty():
        columns, lines = shutil.get_terminal_size()
        roomy = columns >= 80 and lines >= 24
        detail = f"{columns}x{lines}" if roomy else t("doctor.screen.small", columns=columns, lines=lines)
        yield _verdict("screen", roomy, detail, essential=False)
    else:
        yield Check("screen", "absent", t("doctor.screen.none"))
    encoding = locale.getpreferredencoding(False)
    named = ", ".join(f"{name}={os.environ[name]}" for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name))
    good = encoding.upper().replace("-", "") == "UTF8" or sys.platform == "win32"
    yield _verdict("encoding", good, f"{encoding} {named}".strip(), essential=False)
    term = os.environ.get("TERM", "")
    colours = "true" if sys.platform == "win32" and not term else _colours(term)
    detail = f"{t(f'doctor.colour.{colours}')} TERM={term or '?'}"
    yield _verdict("colour", colours != "none" or bool(os.environ.get("NO_COLOR")), detail, essential=False)
    yield Check("language", "ok", t("doctor.language.value", name={"zh": "中文", "en": "English"}[language()]))
    yield _fonts()


def _offline() -> Iterator[Check]:
    install_guard()
    refusal = prove()
    detail = t("doctor.offline.proof", target=refusal.target) if refusal else t("doctor.offline.open")
    yield _verdict("offline", refusal is not None, detail)
    yield _offline_child()


def _offline_child() -> Check:
    """The same proof by the process in which models run: it is started, asked to reach out, and ended."""
    from models.engine import EngineError
    from models.llama.process import EngineProcess

    child = EngineProcess()
    try:
        refused = bool(child.order("prove")["refusal"])
    except EngineError as error:
        return Check("offline_child", "failed", error.title, t("doctor.offline_child.dead"))
    finally:
        child.close()
    detail = t("doctor.offline_child.proof" if refused else "doctor.offline.open")
    return _verdict("offline_child", refused, detail, hint="doctor.offline.hint")


AREAS: dict[str, Callable[[], Iterator[Check]]] = {
    "program": _program,
    "data": _data,
    "models": _models,
    "terminal": _terminal,
    "offline": _offline,
}


@click.command(epilog="Example: moot doctor --json")
@json_option("One JSON object on stdout.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Say what works on this machine: program, data, models, terminal, and the proof that nothing leaves it.

    Exit code 0 when the core works (missing models or fonts are no failure), 1 when something essential is broken.
    """
    found = {area: list(look()) for area, look in AREAS.items()}
    works = not any(check.essential and check.status == "failed" for checks in found.values() for check in checks)
    if as_json:
        listed = [{"area": area, **asdict(check)} for area, checks in found.items() for check in checks]
        click.echo(json_text({"ok": works, "checks": listed}))
    else:
        click.echo(t("doctor.title"))
        for area, checks in found.items():
            click.echo(f"\n{t(f'doctor.area.{area}')}")
            for check in checks:
                label = pad(t(f"doctor.{check.key}"), 26 if language() == "en" else 18)
                click.echo(f"  {MARKS[check.status]} {label} {clean(check.detail, multiline=False)}")
                if check.hint:
                    click.echo(f"    {clean(check.hint, multiline=False)}")
        click.echo(f"\n{t('doctor.ready' if works else 'doctor.broken')}")
    ctx.exit(0 if works else 1)
