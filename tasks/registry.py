"""What can be added to Moot without touching it, by entry points of packages: see `GROUPS`.

A package declares `[project.entry-points."moot.benchmarks"]` with `name = "module:attribute"`, and likewise for the
other groups. Ours are declared in our own pyproject.toml and loaded the same way, on use. Of a name that two packages
register the first is kept, ours before others; one that cannot be loaded is named and skipped, and so is a package
whose own files are damaged, for they are read whenever something is looked up.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import Any, Literal, NamedTuple, TypeVar, cast, get_args, overload

from store.errors import NotFound
from store.importers import Import
from tasks.errors import UsageError

Group = Literal["benchmarks", "environments", "agents", "tools", "scorers", "engines", "importers"]
GROUPS: tuple[Group, ...] = get_args(Group)
OURS = "mootbench"
T = TypeVar("T")
PUBLISHED: Mapping[Group, tuple[str, ...]] = {
    "benchmarks": ("legalagentbench", "legalsearch", "courts"),
    "environments": ("KQ", "LC", "CD", "DD", "CI", "CR"),
}
"""Those of the papers, in the order in which they are offered and tabled; others follow by package and name."""

ADDED: dict[tuple[Group, str], Any] = {}
"""What a notebook or a test has added in this process; it comes before what is installed."""


class ExtensionProblem(NamedTuple):
    """An extension that is not there although it is installed: which, from which package, and why. Of a package that
    cannot be read at all nobody knows the names."""

    group: Group | None
    name: str
    package: str
    reason: str


@dataclass(frozen=True, eq=False, slots=True)
class ExtensionEntry:
    """An entry point of ours or of an extension; `package` is the distribution that declares it, '' where its own
    files do not say. Each is itself alone: an entry point is slow to hash."""

    package: str
    point: EntryPoint


@cache
def declared() -> tuple[tuple[ExtensionEntry, ...], tuple[ExtensionProblem, ...]]:
    """All entry points of groups `moot.*`, ours first, then by package and name, and the packages on the path whose
    entry points cannot be read. Of a package that lies on the path twice the first counts, as it does on import."""
    found: dict[str, tuple[ExtensionEntry, ...]] = {}
    problems: list[ExtensionProblem] = []
    for one in distributions():
        try:
            points = tuple(point for point in one.entry_points if str(point.group).startswith("moot."))
            if not points:
                continue
        except Exception as error:
            place = _folder(one)
            problems.append(ExtensionProblem(None, "", place, f"its entry points cannot be read: {error}"))
            continue
        package = _name(one)
        found.setdefault(package.casefold(), tuple(ExtensionEntry(package, point) for point in points))
    every = (each for points in found.values() for each in points)
    order = sorted(every, key=lambda each: (each.package != OURS, each.package, each.point.name))
    return tuple(order), tuple(problems)


def _name(one: Distribution) -> str:
    try:
        return str(one.metadata["Name"] or "") or _folder(one)
    except Exception:
        return _folder(one)


def _folder(one: Distribution) -> str:
    return getattr(getattr(one, "_path", None), "name", "")


@cache
def _installed(group: Group) -> tuple[Mapping[str, ExtensionEntry], tuple[ExtensionProblem, ...]]:
    """Name -> entry point, and what was left out because its name was taken."""
    found: dict[str, ExtensionEntry] = {}
    problems: list[ExtensionProblem] = []
    for each in declared()[0]:
        if each.point.group != f"moot.{group}":
            continue
        first = found.setdefault(each.point.name, each)
        if first.point.value != each.point.value:
            problems.append(
                ExtensionProblem(group, each.point.name, each.package, f"the name is taken by {first.package}")
            )
    return found, tuple(problems)


def damaged() -> tuple[ExtensionProblem, ...]:
    """The installed packages whose entry points cannot be read, whoever they are for."""
    return declared()[1]


def names(group: Group) -> list[str]:
    """What is registered in a group, ours first, in the order of their packages. Nothing is loaded."""
    own, _ = _installed(group)
    found = dict.fromkeys([*own, *(name for there, name in ADDED if there == group)])
    return [
        *(name for name in PUBLISHED.get(group, ()) if name in found),
        *(name for name in found if name not in PUBLISHED.get(group, ())),
    ]


@overload
def load(group: Group, name: str) -> Any: ...
@overload
def load(group: Group, name: str, kind: type[T]) -> T: ...
def load(group: Group, name: str, kind: type | None = None) -> Any:
    """What stands behind a name; `kind`: what it has to be.

    Raises:
        UsageError: nothing is registered by that name, or it cannot be loaded, or is something else.
    """
    found = ADDED.get((group, name))
    if found is None:
        if (point := _installed(group)[0].get(name)) is None:
            raise UsageError(f"unknown {_ONE[group]} '{name}'", _hint(group, name))
        try:
            found = _loaded(point)
        except ExtensionLoadError as error:
            raise unusable(group, name, str(error)) from error.__cause__
    if kind is not None and not isinstance(found, kind):
        raise unusable(group, name, f"it is no {_ONE[group]}, but {found!r:.100}")
    return found


def offered(group: Group, kind: type[T]) -> dict[str, T]:
    """What a group holds by name; what cannot be loaded, or is something else, is left out."""
    made = {}
    for name in names(group):
        with contextlib.suppress(UsageError):
            made[name] = load(group, name, kind)
    return made


class ExtensionLoadError(Exception):
    """What stands behind an entry point cannot be had; the message says why."""


@cache
def _loaded(found: ExtensionEntry) -> Any:
    """A hearing asks for its environment some thousand times. What others print on import is no result of a
    command."""
    said = contextlib.nullcontext() if found.package == OURS else contextlib.redirect_stdout(sys.stderr)
    try:
        with said:
            return found.point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ExtensionLoadError(f"{type(error).__name__}: {error}") from error


def unusable(group: Group, name: str, why: str) -> UsageError:
    """What is registered and is not what it should be, as a sentence that names the package."""
    found = _installed(group)[0].get(name)
    title = f"{_ONE[group]} '{name}' cannot be loaded: {why}"
    if found is not None:
        title = f"{_ONE[group]} '{name}' of package {found.package} cannot be loaded: {why}"
    return UsageError(title, "Mend or uninstall the package.")


def extensions(group: Group) -> dict[str, str]:
    """What other packages have added: name -> package. Nothing is loaded."""
    found, _ = _installed(group)
    return {name: each.package for name, each in found.items() if each.package != OURS}


def problems(group: Group) -> list[ExtensionProblem]:
    """What others have installed and is not there: names taken twice, and what fails to load. Loads them all."""
    found, taken = _installed(group)
    failed = []
    for name, package in extensions(group).items():
        try:
            _loaded(found[name])
        except ExtensionLoadError as error:
            failed.append(ExtensionProblem(group, name, package, str(error)))
    return [*taken, *failed]


def importer(name: str) -> Import:
    """The importer of a format, of ours or of an installed package; `_` and `-` are the same.

    Raises:
        NotFound: there is no such format.
        UsageError: it cannot be loaded, or is no importer.
    """
    wanted, known = name.lower().replace("_", "-"), names("importers")
    if wanted not in known:
        raise NotFound(f"There is no import format named {name}", f"Formats: {', '.join(known)}.")
    found = load("importers", wanted)
    if not callable(found):
        raise unusable("importers", wanted, "this is no function that imports")
    return cast(Import, found)


_ONE: Mapping[Group, str] = {
    "benchmarks": "benchmark", "environments": "court environment", "agents": "agent", "tools": "tool",
    "scorers": "scorer", "engines": "engine", "importers": "import format",
}  # fmt: skip


def _hint(group: Group, wanted: str) -> str:
    known = names(group)
    near = "".join(f"Did you mean {name}? " for name in get_close_matches(wanted, known, n=1))
    return f"{near}Known: {', '.join(known)}." if known else "This copy of Moot is not installed: pip install it."
