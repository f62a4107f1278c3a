"""What can be added to Moot without touching it, by entry points of packages: see `GROUPS`.

A package declares `[project.entry-points."moot.benchmarks"]` with `name = "module:attribute"`, and likewise for the
other groups. Ours are declared in our own pyproject.toml and loaded the same way, on use. Of a name that two packages
register the first is kept, ours before others; one that cannot be loaded is named and skipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, NamedTuple, get_args

from tasks.errors import UsageError

Group = Literal["benchmarks", "environments", "agents", "tools", "scorers", "engines", "importers"]
GROUPS: tuple[Group, ...] = get_args(Group)
OURS = "mootbench"
PUBLISHED: Mapping[Group, tuple[str, ...]] = {
    "benchmarks": ("legalagentbench", "legalsearch", "courts"),
    "environments": ("KQ", "LC", "CD", "DD", "CI", "CR"),
}
"""Those of the papers, in the order in which they are offered and tabled; others follow by package and name."""

ADDED: dict[tuple[Group, str], Any] = {}
"""What a notebook or a test has added in this process; it comes before what is installed."""


class Problem(NamedTuple):
    """An extension that is not there although it is installed: which, from which package, and why."""

    group: Group
    name: str
    package: str
    reason: str


@cache
def _installed(group: Group) -> tuple[Mapping[str, EntryPoint], tuple[Problem, ...]]:
    """Name -> entry point, and what was left out because its name was taken."""
    found: dict[str, EntryPoint] = {}
    problems: list[Problem] = []
    for point in sorted(
        entry_points(group=f"moot.{group}"),
        key=lambda point: (package_of(point) != OURS, package_of(point), point.name),
    ):
        if point.name not in found:
            found[point.name] = point
        # One package that lies on the path twice is seen twice.
        elif found[point.name].value != point.value:
            problems.append(
                Problem(group, point.name, package_of(point), f"the name is taken by {package_of(found[point.name])}")
            )
    return found, tuple(problems)


def package_of(point: EntryPoint) -> str:
    """The distribution that declares an entry point; '' where nobody says."""
    return point.dist.name if point.dist is not None else ""


def names(group: Group) -> list[str]:
    """What is registered in a group, ours first, in the order of their packages. Nothing is loaded."""
    own, _ = _installed(group)
    found = dict.fromkeys([*own, *(name for there, name in ADDED if there == group)])
    return [
        *(name for name in PUBLISHED.get(group, ()) if name in found),
        *(name for name in found if name not in PUBLISHED.get(group, ())),
    ]


def load(group: Group, name: str) -> Any:
    """What stands behind a name.

    Raises:
        UsageError: nothing is registered by that name, or it cannot be loaded.
    """
    if (group, name) in ADDED:
        return ADDED[group, name]
    point = _installed(group)[0].get(name)
    if point is None:
        raise UsageError(f"unknown {_ONE[group]} '{name}'", _hint(group, name))
    try:
        return _loaded(point)
    except (Exception, SystemExit) as error:
        raise unusable(group, name, f"{type(error).__name__}: {error}") from error


@cache
def _loaded(point: EntryPoint) -> Any:
    """A hearing asks for its environment some thousand times."""
    return point.load()


def unusable(group: Group, name: str, why: str) -> UsageError:
    """What is registered and is not what it should be, as a sentence that names the package."""
    point = _installed(group)[0].get(name)
    title = f"{_ONE[group]} '{name}' cannot be loaded: {why}"
    if point is not None:
        title = f"{_ONE[group]} '{name}' of package {package_of(point)} cannot be loaded: {why}"
    return UsageError(title, "Mend or uninstall the package.")


def extensions(group: Group) -> dict[str, str]:
    """What other packages have added: name -> package. Nothing is loaded."""
    found, _ = _installed(group)
    return {name: package_of(point) for name, point in found.items() if package_of(point) != OURS}


def problems(group: Group) -> list[Problem]:
    """What others have installed and is not there: names taken twice, and what fails to load. Loads them all."""
    found, taken = _installed(group)
    failed = []
    for name, point in ((name, found[name]) for name in extensions(group)):
        try:
            point.load()
        except (Exception, SystemExit) as error:
            failed.append(Problem(group, name, package_of(point), f"{type(error).__name__}: {error}"))
    return [*taken, *failed]


_ONE: Mapping[Group, str] = {
    "benchmarks": "benchmark", "environments": "court environment", "agents": "agent", "tools": "tool",
    "scorers": "scorer", "engines": "engine", "importers": "import format",
}  # fmt: skip


def _hint(group: Group, wanted: str) -> str:
    known = names(group)
    near = "".join(f"Did you mean {name}? " for name in get_close_matches(wanted, known, n=1))
    return f"{near}Known: {', '.join(known)}." if known else "This copy of Moot is not installed: pip install -e ."
