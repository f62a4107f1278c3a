"""`moot tasks construct` for LegalAgentBench: what is wanted, progress on stderr, and what the set covers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from app.cli.data import Talk
from app.strings import t
from store.pack import Pack
from tasks.errors import UsageError

if TYPE_CHECKING:
    from models.engine import Engine
    from tasks.legalagentbench.construct.compose import Parts
    from tasks.legalagentbench.construct.generate import Generator, Made

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
    engine, talk = _rewriter(seats), Talk()
    try:
        made = generator(pack, lambda rng: Parts(text, rng), seed, talk)
        found = construct_set(made, wanted, lambda n: writing_set(made, n))
        if engine is not None:
            found = _reworded(made, found, Parts(text, made.rng), engine, talk)
    finally:
        if engine is not None:
            engine.close()
        talk.close()
    return found.tasks[:limit], {"coverage": found.report}


def _rewriter(seats: Sequence[str]) -> Engine | None:
    """The engine of --seat rewriter=SPEC, open; None without the seat."""
    from tasks.legalagentbench.construct.rewrite import AT_A_TIME, SEAT
    from tasks.run.engines import open_engine

    if not seats:
        return None
    role, _, spec = seats[-1].partition("=")
    if len(seats) > 1 or role != SEAT or ":" not in spec:
        raise UsageError(f"'{' '.join(seats)}' names no rewriter", "Write --seat rewriter=SPEC, once.")
    return open_engine(spec, parallel=AT_A_TIME)


def _reworded(made: Generator, found: Made, parts: Parts, engine: Engine, talk: Talk) -> Made:
    """The set with the rewordings that were kept."""
    from tasks.legalagentbench.construct.generate import Made, check, coverage
    from tasks.legalagentbench.construct.rewrite import Rewriter

    rewriter = Rewriter(engine, parts, lambda task: check(task, made.toolbox, made.brute), made.names())
    tasks: list[dict[str, Any]] = []
    for task in rewriter.rewrite(found.tasks):
        tasks.append(task)
        talk("rewriting", len(tasks), len(found.tasks))
    return Made(tasks, {**found.report, **coverage(tasks), "rewritten": rewriter.report()})


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
