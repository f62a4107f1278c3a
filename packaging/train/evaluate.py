"""What the model in the box can do, measured as a user would: packs and task files on disk, llama.cpp, `moot run`.

Share of tasks with all keys in the answer (strict), by hops, with 95 % intervals of Wilson. Fresh jurisdictions have
seeds and names that no training chunk has.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from rollouts import SEED, Jurisdiction, Maker, Split, Task, fresh, shipped, tasks_of
from vocabulary import letters_of

from store.builder import PackBuilder
from store.schema import TABLES
from tasks.sample import JURISDICTION

ROOT = Path(__file__).resolve().parents[2]
CONTEXT = 1024
HOPS = (1, 2, 3)
Cell = tuple[str, str, list[Task]]


def asked(
    land: Jurisdiction, other: Jurisdiction, split: Split, n: int, name: str, many: bool | None = None
) -> list[Task]:
    """Tasks of one to three hops, n of each; many: those that end in a list, or none of them."""
    rng = Random(f"evaluate/{name}")
    maker = Maker(land, rng, split, other)
    made: list[Task] = []
    for hops in HOPS[1:] if split.held_paths else HOPS:
        found: list[Task] = []
        while len(found) < n:
            task = next(tasks_of(maker, rng, 1, (hops,), 0.0))
            if many is None or ("list" in task["path"][-1]["tool"]) == many:
                found.append(task)
        made += found
    return made


def cells(n: int, land: Jurisdiction, other: Jurisdiction, ours: Jurisdiction) -> Iterator[Cell]:
    """Name, pack and tasks of each part of the table: n by hops in the parts that matter most, n in all in the
    others."""
    known, held = Split(SEED), Split(SEED, "held")
    yield "known wordings", "fresh", asked(land, other, known, n, "known")
    yield "held-out wordings", "fresh", asked(land, other, held, n, "held")
    yield "held-out paths", "fresh", asked(land, other, Split(SEED, "known", True), n // 2, "paths")
    yield "single rows, known wordings", "fresh", asked(land, other, known, n, "rows", False)
    yield "lists and counts, known wordings", "fresh", asked(land, other, known, n // 3, "lists", True)
    maker = Maker(land, Random("evaluate/strangers"), known, other)
    strangers = list(tasks_of(maker, Random("strangers"), n, HOPS, 1.0))
    yield "entities that do not exist", "fresh", [{**task, "hops": 1} for task in strangers]
    yield "shipped pack, known wordings", "sample", asked(ours, other, known, n, "shipped")
    yield (
        "shipped pack, wordings of the constructor",
        "sample",
        asked(ours, other, Split(SEED, "constructor"), n // 3, "own"),
    )
    yield "shipped pack, held-out wordings", "sample", asked(ours, other, held, n, "shipped held")


def build(land: Jurisdiction, name: str) -> None:
    """A pack of a jurisdiction."""
    with PackBuilder(
        name,
        jurisdiction=JURISDICTION,
        source="fictional (虚构数据)",
        licence="MIT",
        coverage="complete",
        as_of="2024-12-31",
    ) as builder:
        for table in TABLES:
            for row in land.rows[table]:
                builder.add_row(table, row, "authored")
        builder.finish()


@contextmanager
def home(folder: Path) -> Iterator[None]:
    """Packs are built and looked for in a folder of their own meanwhile."""
    before = os.environ.get("MOOT_HOME")
    os.environ["MOOT_HOME"] = str(folder)
    try:
        yield
    finally:
        del os.environ["MOOT_HOME"]
        if before is not None:
            os.environ["MOOT_HOME"] = before


def command(*arguments: str) -> Any:
    """A command of the product with --json."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "app.cli.main", *arguments, "--json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    if done.returncode:
        sys.exit(f"moot {' '.join(arguments)}: {done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout)


def run(
    agent: str, model: str, tasks: Path | None, pack: str, out: Path, drawn: str = "", *more: str
) -> dict[str, Any]:
    """The score block of one run, with its seconds; drawn: further settings of the model."""
    given = ["--agent", agent, "--pack", pack, "--out", str(out), *more]
    if tasks:
        given += ["--tasks", str(tasks)]
    if agent == "react":
        given += ["--model", f"llama:{model}#threads=1,ctx={CONTEXT}{drawn}", "--calls", "compact"]
    began = time.time()
    return {**command("run", "legalagentbench", *given), "seconds": time.time() - began}


def rows(name: str, agent: str, block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Rows of the table from a score block."""
    shares, spans = block["strict"]["all_keys"], block["intervals"]["strict"]["all_keys"]
    actions = block["actions"]
    for group, n in block["groups"].items():
        yield {
            "cell": name, "agent": agent, "group": group, "n": n, "success": shares[group], "interval": spans[group],
            "path": (block["evidence_rate"] or {}).get(group), "actions": actions,
            "seconds": round(block["seconds"], 1),
            "tokens": block["tokens"]["total"],
        }  # fmt: skip


def laid(place: Path, n: int, letters: Sequence[str]) -> list[tuple[str, str, str]]:
    """Packs and task files in a folder, or those that it has: name, pack and task file ("" the pack's own) of each
    part."""
    listed = place / "parts.json"
    if not listed.exists():
        land, other, ours = fresh("evaluate/a", letters), fresh("evaluate/b", letters), shipped()
        command("data", "build", "sample")
        build(land, "fresh")
        todo = []
        for number, (name, pack, tasks) in enumerate(cells(n, land, other, ours)):
            path = place / f"{number}.jsonl"
            lines = (json.dumps({"id": f"t{i}", **task}, ensure_ascii=False) for i, task in enumerate(tasks))
            path.write_text("\n".join(lines), encoding="utf-8")
            todo.append((name, pack, str(path)))
        todo.append(("tasks that come with the pack", "sample", ""))
        listed.write_text(json.dumps(todo, ensure_ascii=False), encoding="utf-8")
    return [tuple(one) for one in json.loads(listed.read_text(encoding="utf-8"))]


def measured(place: Path, agent: str, model: Path, tasks: str, pack: str) -> dict[str, Any]:
    """The score block of a run; one that stands in the folder is not run again."""
    about = sha256(f"{agent}/{tasks}/{pack}".encode() + (model.read_bytes() if agent == "react" else b"")).hexdigest()
    kept = place / f"{agent}-{about[:16]}.json"
    if not kept.exists():
        out = kept.with_suffix(".run")
        out.unlink(missing_ok=True)
        block = run(agent, str(model.resolve()), Path(tasks) if tasks else None, pack, out)
        kept.write_text(json.dumps(block, ensure_ascii=False), encoding="utf-8")
    block: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return block


def evaluate(model: Path, n: int, agents: Sequence[str], real: Sequence[str], place: Path) -> list[dict[str, Any]]:
    """All rows of the table; the `place` keeps packs, tasks and runs: what was measured there is not again."""
    place = place.resolve()
    place.mkdir(parents=True, exist_ok=True)
    found: list[dict[str, Any]] = []
    with home(place):
        for name, pack, tasks in laid(place, n, letters_of(model)):
            for agent in agents:
                block = measured(place, agent, model, tasks, pack)
                found += rows(name, "moot-tiny" if agent == "react" else agent, block)
    if real:
        found += rows("real questions", "moot-tiny", measured(place, "react", model, *real))
    return found
