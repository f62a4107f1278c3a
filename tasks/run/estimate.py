"""What a run that is planned will use: tokens, seconds, bytes of its file; from what earlier runs on this machine
used and what was measured of its models, never from anything else.

Tasks of one type (hops, a task of LegalSearch, an environment) are taken to cost what those of an earlier run did in
the mean. What nobody has seen is None, not a guess.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from models.sampling import bare
from store.errors import StoreError
from store.journal import Journal
from tasks.benchmark import Question
from tasks.episode.events import ModelCalled
from tasks.episode.records import record_of
from tasks.episode.scheduler import HUMAN
from tasks.errors import TaskError
from tasks.run.cast import Cast
from tasks.run.header import header_of, spec_of
from tasks.run.listing import runs
from tasks.run.reading import stopped_of
from tasks.run.speeds import Speed

REPLAYED = "recorded"
"""How SPECs begin whose engines read nothing: they say what was answered before."""
MOST_RUNS, MOST_EPISODES = 20, 30
"""Earlier runs that are opened, and episodes of a type that are read of one."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a seat: of prompts, those that were read and those that had been read before; written."""

    read: float = 0.0
    reused: float = 0.0
    written: float = 0.0

    def plus(self, other: Tokens, times: float = 1.0) -> Tokens:
        """The sum."""
        return Tokens(
            self.read + times * other.read, self.reused + times * other.reused, self.written + times * other.written
        )


@dataclass(frozen=True, slots=True)
class Seen:
    """What tasks of a type cost in an earlier run: mean tokens of an episode by seat, bytes of its file an
    episode."""

    run: str
    model: str
    episodes: int
    tokens: Mapping[str, Tokens]
    size: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will use. seats: seat -> its tokens; size: bytes of its file; both None where `missing` names types
    that no earlier run has. at_most: tokens that its own limits allow. seen: type -> where that is from."""

    seats: Mapping[str, Tokens] | None
    size: float | None
    at_most: int | None
    seen: Mapping[str, Seen] = field(default_factory=dict)
    missing: Sequence[str] = ()

    @property
    def tokens(self) -> Tokens | None:
        """Of all seats."""
        total = Tokens()
        for one in (self.seats or {}).values():
            total = total.plus(one)
        return None if self.seats is None else total

    def seconds(self, engines: Mapping[str, str], speeds: Mapping[str, Speed], parallel: int) -> float | None:
        """Seconds that the models compute; None where tokens are not known, or the speed of an engine.

        Args:
            engines: seat -> SPEC of who sits there.
            speeds: SPEC -> what was measured.
            parallel: episodes that go on at a time.
        """
        if self.seats is None or any(engines.get(seat) not in speeds for seat in self.seats):
            return None
        total = 0.0
        for seat, tokens in self.seats.items():
            speed = speeds[engines[seat]]
            total += tokens.read / speed.prefill + tokens.written / speed.speaking(parallel)[1]
        return total


def engines_of(cast: Cast) -> dict[str, str]:
    """Seat -> SPEC of the model that sits there from the beginning."""
    return {sits.seat: sits.engine for sits in (cast.tested, *cast.others) if sits.engine not in ("", HUMAN)}


def estimate(cast: Cast, questions: Sequence[Question], chosen: Sequence[Question]) -> Estimate:
    """What a run of the `chosen` questions will use; `questions` are all of the task file."""
    spec = cast.spec
    types = {question.id: question.group for question in questions}
    wanted = dict.fromkeys(question.group for question in chosen)
    seen: dict[str, Seen] = {}
    for path in islice(_earlier(cast), MOST_RUNS):
        if seen.keys() >= wanted.keys():
            break
        with suppress(StoreError, TaskError, OSError), Journal.open(path) as journal:
            seen = {**_seen(journal, cast, types), **seen}
    episodes = len(chosen) * spec.epochs
    bounds = [spec.budget_tokens, None if spec.max_tokens is None else spec.max_tokens * episodes]
    at_most = min((bound for bound in bounds if bound is not None), default=None)
    missing = [name for name in wanted if name not in seen]
    if missing:
        return Estimate(None if cast.engines else {}, None, at_most, {}, missing)
    seats = dict.fromkeys(engines_of(cast), Tokens())
    for question in chosen:
        for seat, tokens in seen[question.group].tokens.items():
            seats[seat] = seats[seat].plus(tokens, spec.epochs)
    size = sum(seen[question.group].size for question in chosen) * spec.epochs
    return Estimate(seats, size, at_most, {name: seen[name] for name in wanted})


def _earlier(cast: Cast) -> Iterator[Path]:
    """Runs of the same benchmark and agent that were played here, those of the same model first, then the newest."""
    spec = cast.spec
    same = [
        line
        for line in runs()
        if (line.benchmark, line.agent, bool(line.model)) == (spec.benchmark, spec.agent, bool(spec.model))
        and line.finished
        and not (line.error or line.source or line.parent or line.model.startswith(REPLAYED))
    ]
    yield from (line.path for line in sorted(same, key=lambda line: bare(line.model) != bare(spec.model)))


def _seen(journal: Journal, cast: Cast, types: Mapping[str, str]) -> dict[str, Seen]:
    """Type -> what its tasks cost in a run; nothing where it was played in another form, by other seats,
    or with replies of others."""
    header = header_of(journal)
    then, spec, engines = spec_of(header), cast.spec, engines_of(cast)
    sat = {seat for seat, who in then.seats.items() if ":" in who}
    if (
        then.cache
        or (then.calls, then.paper) != (spec.calls, spec.paper)
        or sat != {s for s, w in spec.seats.items() if ":" in w}
    ):
        return {}
    attempts_of: dict[str, list[int]] = defaultdict(list)
    for row, attempts in journal.walk():
        known = types.get(row.task_id)
        if known is not None and len(attempts_of[known]) < MOST_EPISODES and stopped_of(journal, attempts[-1].id):
            attempts_of[known].append(attempts[-1].id)
    size = journal.path.stat().st_size / journal.count()
    found = {}
    for name, episodes in attempts_of.items():
        total = dict.fromkeys(engines, Tokens())
        for attempt in episodes:
            for seat, tokens in _used(journal, attempt):
                if seat in total:
                    total[seat] = total[seat].plus(tokens, 1 / len(episodes))
        if episodes and (not engines or any(one.written for one in total.values())):
            found[name] = Seen(str(header["run"]), then.model, len(episodes), total, size)
    return found


def _used(journal: Journal, attempt: int) -> Iterator[tuple[str, Tokens]]:
    for entry in journal.entries(attempt, ModelCalled.tag):
        event = record_of(entry).event
        if isinstance(event, ModelCalled):
            yield event.seat, Tokens(event.evaluated, event.reused, event.generated)
