"""The walls between the rooms hold in fact: each module is imported alone in a fresh interpreter and looked at.

`make lint` holds the same walls by reading the imports; this sees also what is imported by name at run time.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from unicodedata import normalize

import grimp
import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
FORBIDDEN = {
    "store": {"textual", "rich", "app", "tasks", "models"},
    "models": {"textual", "rich", "app", "tasks"},
    "tasks": {"textual", "rich", "app"},
}
"""Room -> what must not be loaded once any of its modules is."""


def modules(room: str) -> list[str]:
    """Dotted names of every module of a room."""
    paths = (path.relative_to(ROOT).with_suffix("") for path in sorted((ROOT / room).rglob("*.py")))
    return [".".join(path.parts).removesuffix(".__init__") for path in paths]


def fresh(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_room_loads_nobody_it_must_not_know() -> None:
    """Each loads those before it anyhow, so one process can load one after the other."""
    loading = (
        "import importlib, json, sys\n"
        "for names in json.loads(sys.argv[1]):\n"
        "    for name in names: importlib.import_module(name)\n"
        "    print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    names = [modules(room) for room in FORBIDDEN]
    loaded = fresh(loading, json.dumps(names)).splitlines()
    assert all(names) and len(loaded) == len(FORBIDDEN)
    for room, found in zip(FORBIDDEN, loaded, strict=True):
        assert set(json.loads(found)) & FORBIDDEN[room] == set(), room


def test_no_rings() -> None:
    """Imports form no ring, wherever in a module they stand: at its head, inside functions, for types alone. So each
    module can be imported alone."""
    graph = grimp.build_graph("app", *FORBIDDEN, cache_dir=None)
    known = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    try:
        tuple(TopologicalSorter(known).static_order())
    except CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(error.args[1])}")


def test_every_package_says_what_it_is() -> None:
    folders = {path.parent for room in ("app", *FORBIDDEN) for path in (ROOT / room).rglob("*.py")}
    silent = [
        str(folder.relative_to(ROOT))
        for folder in sorted(folders)
        if not (folder / "__init__.py").is_file()
        or not ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    ]
    assert silent == []


def test_packaging_and_tests_are_no_packages() -> None:
    """A package of that name would hide the `packaging` library from everything run in the repository root."""
    assert not (ROOT / "packaging" / "__init__.py").exists()
    assert not (ROOT / "tests" / "__init__.py").exists()


def test_no_eval_and_no_pickle() -> None:
    """Text of models and of imported files is never executed, and no file format can execute anything."""
    done = subprocess.run(["git", "ls-files", "-z", "*.py"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    found = []
    word = re.compile(r"\b(?:eval|exec|pickle|shelve|marshal)\b")  # few modules hold one, and only these are parsed
    for name in filter(None, done.stdout.split("\0")):
        text = (ROOT / name).read_text(encoding="utf-8") if (ROOT / name).is_file() else ""
        if name.startswith("tests/") or not word.search(normalize("NFKC", text)):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("eval", "exec"):
                found.append(f"{name}:{node.lineno} {node.func.id}")
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [
                f"{name} {module}" for module in names if module.partition(".")[0] in ("pickle", "shelve", "marshal")
            ]
    assert found == []


def test_no_path_of_a_user_is_resolved() -> None:
    """`Path.resolve` breaks on a loop of links; `real_path` does not. Its own file a module may resolve."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for room in ("app", *FORBIDDEN)
        for path in (ROOT / room).rglob("*.py")
        for text in [path.read_text(encoding="utf-8")]
        if "resolve" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "resolve"
        and not node.args and "__file__" not in ast.unparse(node)
    ]  # fmt: skip
    assert found == []
