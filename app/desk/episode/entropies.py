"""The tokens of an episode with entropies and advantages, as the desk shows them; read from the record, nothing is
run.

Entropy is in nats. Without a group of rollouts of the same task there is no advantage, and the reason is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.desk.messages import RunFacts
from store.journal import Journal
from tasks.episode.events import Record
from tasks.legalsearch.format import READINGS, Reading
from tasks.legalsearch.questions import load_questions
from tasks.legalsearch.rollouts import (
    EntropyLabel,
    Member,
    TokenRow,
    entropy_label,
    make_group,
    token_rows,
    verdict_of,
)
from tasks.legalsearch.trajectory import trajectory_tokens
from tasks.run.header import header_of
from tasks.run.plan import stored_task_file
from tasks.run.reading import grades, read_episode


@dataclass(frozen=True)
class Tokens:
    """One rollout for the eye. `number` of `of` in its group; `rewards` and `advantages` are None where nobody knows
    them."""

    rows: Mapping[Reading, Sequence[TokenRow]]
    entropy: EntropyLabel
    number: int = 1
    of: int = 1
    rewards: Mapping[Reading, float | None] = field(default_factory=dict)
    advantages: Mapping[Reading, float | None] = field(default_factory=dict)
    faults: Mapping[Reading, Sequence[str]] = field(default_factory=dict)
    why: str = ""


def read_tokens(facts: RunFacts, episode: str, records: Sequence[Record]) -> Tokens:
    """The tokens of an episode, with its place in the group of its task where the run played it several times.

    Raises:
        StoreError, TaskError: the run or its task file cannot be read.
    """
    alone = Tokens(
        {reading: token_rows(records, None, reading) for reading in READINGS},
        entropy_label(trajectory_tokens(records)),
    )
    with Journal.open(facts.path) as journal:
        rows = journal.episodes()
        mine = next((row for row in rows if row.id == episode), None)
        group = [row for row in rows if mine is not None and row.task_id == mine.task_id]
        if mine is None or len(group) < 2:
            return alone
        asked = next(
            (one for one in load_questions(stored_task_file(header_of(journal))) if one.id == mine.task_id), None
        )
        if asked is None:
            return alone
        graded = grades(journal)
        members = [
            Member(row.epoch + 1, read_episode(journal, row.id), verdict_of(graded.get((row.task_id, row.epoch))))
            for row in group
        ]
    made = make_group(asked, members)
    number = mine.epoch + 1
    found = next((rollout for rollout in made.rollouts if rollout.number == number), None)
    if found is None:
        return Tokens(
            alone.rows, alone.entropy, number, len(group), why="; ".join(dict.fromkeys(made.left_out.values()))
        )
    return Tokens(
        found.tokens,
        found.entropy,
        number,
        len(group),
        {reading: found.rewards[reading].value for reading in READINGS},
        found.advantages,
        {reading: found.rewards[reading].faults for reading in READINGS},
        "; ".join(dict.fromkeys(made.left_out.values())),
    )
