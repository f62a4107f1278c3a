"""What a planned run will use, from an earlier run of the same benchmark, agent and form on this machine and from
measured speeds of its model; what nobody has seen is None, not a guess."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.llama.header import model_sha256
from models.sampling import bare
from store import places
from store.errors import StoreError
from store.files import BY_HAND, read_whole, written_whole
from store.journal import Journal
from tasks.benchmark import Question
from tasks.episode.events import ModelCalled, record_of
from tasks.errors import TaskError
from tasks.run.cast import Cast
from tasks.run.header import header_of, now, spec_of
from tasks.run.listing import runs


@dataclass(frozen=True, slots=True)
class Estimate:
    """Tokens (of prompts `read` and `reused`; `written`) and bytes of the file; None where `missing` names types of
    tasks that no earlier run has. run, model, episodes: where that is from."""

    tokens: Mapping[str, float] | None
    size: float | None
    missing: Sequence[str] = ()
    run: str = ""
    model: str = ""
    episodes: int = 0


def estimate(cast: Cast, questions: Sequence[Question], chosen: Sequence[Question]) -> Estimate:
    """Each of the `chosen` tasks costs what those of its type did in the mean; `questions`: all of the task file."""
    spec, types = cast.spec, {question.id: question.group for question in questions}
    wanted = list(dict.fromkeys(question.group for question in chosen))
    kind = (spec.benchmark, spec.agent, bool(spec.model))
    same = [line for line in runs() if (line.benchmark, line.agent, bool(line.model)) == kind and line.finished]
    for line in sorted(same, key=lambda line: bare(line.model) != bare(spec.model))[:20]:
        if line.error or line.source or line.parent or line.model.startswith("recorded"):
            continue
        with suppress(StoreError, TaskError, OSError), Journal.open(line.path) as journal:
            then, costs, n = spec_of(header_of(journal)), defaultdict[str, Counter[str]](Counter), Counter[str]()
            if then.cache or (then.calls, then.paper, then.seats) != (spec.calls, spec.paper, spec.seats):
                continue
            for row, attempts in journal.walk():
                if (name := types.get(row.task_id)) is not None:
                    n[name] += 1
                    for entry in journal.entries(attempts[-1].id, ModelCalled.tag):
                        if isinstance(call := record_of(entry).event, ModelCalled):
                            costs[name].update(read=call.evaluated, reused=call.reused, written=call.generated)
            if all(n[name] for name in wanted):
                tokens = {
                    key: sum(spec.epochs * costs[question.group][key] / n[question.group] for question in chosen)
                    for key in ("read", "reused", "written")
                }
                size = len(chosen) * spec.epochs * line.path.stat().st_size / journal.count()
                return Estimate(tokens, size, (), line.path.stem, then.model, sum(n[name] for name in wanted))
    return Estimate(None if cast.engines else dict.fromkeys(("read", "reused", "written"), 0.0), None, wanted)


def keep(sha256: str, found: Mapping[str, Any]) -> None:
    """Keep what `models.llama.speed.measure` found of a model file: prefill, decode, together, threads."""
    with written_whole(places.models() / "benches" / f"{sha256}.json", parents=True) as stream:
        json.dump({**found, "measured": now()}, stream)


def speed_of(model: Path) -> dict[str, Any] | None:
    """Tokens a second of a model file on this machine; None where nothing was measured, or nothing can be read."""
    folder = places.models() / "benches"
    with suppress(StoreError, OSError, ValueError):
        if folder.is_dir():  # else its sha256 need not be known
            found: dict[str, Any] = json.loads(read_whole(folder / f"{model_sha256(model)}.json", BY_HAND))
            return found
    return None
