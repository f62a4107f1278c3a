"""Human scores: what a person says of an ended attempt, appended beside the words of graders and rules.

A person scores on the scale of the metric; the row keeps a share from 0 to 1 as graders give it, and the reason. Who
corrects herself appends another row, the newest counts. A seeded sample of each group says which episodes people are
asked about.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from store.errors import NotFound
from store.journal import EpisodeRow, Journal, ScoreRow
from tasks.episode.plain import plain_text
from tasks.episode.scheduler import HUMAN
from tasks.episode.seats import Card
from tasks.episode.state import State, fold
from tasks.errors import UsageError
from tasks.run.reading import read_episode
from tasks.scoring.result import INFRASTRUCTURE

SCORER, VERSION = HUMAN, "human/1"
SHARE = 0.10
"""Share of the episodes of a group that people are offered."""
SEED = 0
"""Of the sample, wherever it is drawn."""
GRADED = 10.0
SCALES: Mapping[str, float] = {"answer": 1.0, "basis": 1.0}
"""Metric -> its best value where a person says right or wrong; every other metric is scored from 0 to 10."""
LONGEST_NAME, LONGEST_REASON = 80, 4000
_METRIC = re.compile(r"[A-Za-z][\w&.:-]{0,63}", re.ASCII)
_ENVIRONMENT = re.compile(r"([A-Z]{2})-")

Group = Callable[[str, Mapping[str, object]], str]
"""(task id, card) -> the group of an episode."""


def group_of(task_id: str, card: Card) -> str:
    """The environment of a court, by card or task id; the task of LegalSearch; else `all`."""
    named = card.get("env") or card.get("type")
    prefix = _ENVIRONMENT.match(task_id)
    return str(named) if named else prefix[1] if prefix else "all"


def scale_of(metric: str) -> float:
    """The best value of a metric on the scale that a person uses; the worst is 0."""
    return SCALES.get(metric, GRADED)


def human_row(
    attempt: int, metric: str, value: float, author: str, reason: str, earlier: Iterable[ScoreRow] = ()
) -> ScoreRow:
    """The row of one human score, ready to be appended.

    Args:
        attempt: its id.
        metric: a verdict as graders name it (`REA`, `topic:T3`).
        value: from 0 to `scale_of(metric)`.
        author: who scores.
        reason: why.
        earlier: scores of the attempt; what the author said of the metric before is named as superseded.

    Raises:
        UsageError: the value is off the scale, or metric, author or reason are empty or too long.
    """
    author, reason = " ".join(plain_text(author).split()), plain_text(reason).strip()
    top = scale_of(metric)
    if not _METRIC.fullmatch(metric):
        raise UsageError(
            f"'{plain_text(metric)[:80]}' is no name of a metric", "Name one as graders do, such as REA."
        )
    if not math.isfinite(value) or not 0 <= value <= top:
        raise UsageError(f"{value:g} is not on the scale of {metric}", f"Give a number from 0 to {top:g}.")
    for what, text, longest in (("author", author, LONGEST_NAME), ("reason", reason, LONGEST_REASON)):
        if not text:
            raise UsageError(f"a human score needs its {what}", f"Give --{what}.")
        if len(text) > longest:
            raise UsageError(f"the {what} has {len(text)} characters", f"Give at most {longest}.")
    before = newest(earlier).get((attempt, author, metric))
    settings = {"scale": top, "given": value, **({"supersedes": before.at} if before else {})}
    return ScoreRow(attempt, SCORER, VERSION, settings, {metric: value / top}, [{"reason": reason}], author)


def add_score(journal: Journal, episode: str, metric: str, value: float, author: str, reason: str) -> ScoreRow:
    """Append a human score of the last attempt of an episode; the journal is open for writing.

    Raises:
        NotFound: there is no such episode.
        UsageError: it has not ended, or as for `human_row`.
    """
    rows = [row for row in journal.episodes() if row.id == episode]
    if not rows:
        raise NotFound(
            f"no episode '{plain_text(episode)}' in {journal.path.name}", "`moot show RUN` lists its episodes."
        )
    if not _scorable(_state(journal, rows[0])):
        raise UsageError(f"episode {rows[0].id} has not come to an end of its own", "Score it when it has.")
    attempt = journal.attempts(episode)[-1].id
    row = human_row(attempt, metric, value, author, reason, journal.scores(attempt))
    journal.add_scores([row])
    return row


def newest(rows: Iterable[ScoreRow]) -> dict[tuple[int, str, str], ScoreRow]:
    """(attempt, author, metric) -> the row that counts; rows come oldest first, as the journal gives them."""
    found: dict[tuple[int, str, str], ScoreRow] = {}
    for row in rows:
        if row.scorer == SCORER and isinstance(row.value, Mapping):
            found.update({(row.attempt, row.author, metric): row for metric in row.value})
    return found


@dataclass(frozen=True, slots=True)
class SampledEpisode:
    """An episode that people are asked about; `of`: ended episodes of its group; `authors`: who has scored it
    already."""

    episode: str
    task_id: str
    group: str
    of: int
    outcome: str
    attempt: int
    authors: tuple[str, ...]


def sample(journal: Journal, group: Group = group_of, share: float = SHARE, seed: int = SEED) -> list[SampledEpisode]:
    """The seeded sample of a run: of each group the share of its ended episodes, at least one; groups in order of the
    run.

    Episodes that failed or were cancelled hold nothing to score and are not counted.
    """
    groups: dict[str, dict[str, SampledEpisode]] = {}
    for row in journal.episodes():
        state = _state(journal, row)
        if not _scorable(state) or state.stopped is None:
            continue
        attempt = journal.attempts(row.id)[-1].id
        authors = tuple(sorted({score.author for score in journal.scores(attempt) if score.scorer == SCORER}))
        name = group(row.task_id, state.card)
        groups.setdefault(name, {})[row.id] = SampledEpisode(
            row.id, row.task_id, name, 0, state.stopped.outcome, attempt, authors
        )
    return [
        SampledEpisode(one.episode, one.task_id, one.group, len(members), one.outcome, one.attempt, one.authors)
        for members in groups.values()
        for one in map(members.__getitem__, drawn(list(members), share, seed))
    ]


def drawn(episodes: Sequence[str], share: float, seed: int) -> list[str]:
    """The share of the episodes with the lowest hashes, rounded up, at least one of any.

    The order hangs on seed and id alone: more episodes move one out only where a newcomer ranks before it.
    """
    if not 0 < share <= 1:
        raise UsageError(f"a sample of {share:g} is none", "Give a share above 0, at most 1.")
    count = math.ceil(share * len(episodes) - 1e-9)
    return sorted(episodes, key=lambda name: (sha256(f"{seed}\0{name}".encode()).digest(), name))[:count]


def _state(journal: Journal, row: EpisodeRow) -> State:
    return fold(read_episode(journal, row.id))


def _scorable(state: State) -> bool:
    return state.stopped is not None and state.stopped.outcome not in INFRASTRUCTURE
