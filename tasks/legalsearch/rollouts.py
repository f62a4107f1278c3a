"""Rollouts of a stored run: each as one tagged text, with a reward, an advantage within the group of its prompt, and
a shaped advantage a token: what a trainer reads.

Where a model spoke in tagged text (modes free and paper) the text is its own words, with what its tools answered
between them. Everything else (lean and native rounds, rules, a human, the gold reference) is rendered in the same
tags from its events: every plan, call and answer after the thought that came before it, an empty one where nothing
was thought. In rendered parts and in the responses of tools nothing but these tags can be taken for a tag; the
published form (paper mode) leaves responses as they are.

A group is the episodes of one task in a run that played it several times (`moot run … --rollouts G`). Everything
comes in both readings of `rewards.py`: the paper's words and the published code. Nothing is guessed: a consultation
that no grader has seen has no reward and its group no advantages, a token of unknown entropy no shaped advantage
where the entropy would count; each says why. Rewards are 0 or 1, entropy is in nats.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from store.journal import EpisodeRow, Journal
from tasks.agents.budgets import ContextBudget
from tasks.agents.modes import Mode, method, split
from tasks.agents.tags import defused
from tasks.episode.events import (
    Answered,
    Event,
    LimitHit,
    ModelCalled,
    Planned,
    Record,
    Seated,
    Stopped,
    Thought,
    ToolCalled,
    ToolReturned,
)
from tasks.episode.with_tools import SHOWN
from tasks.errors import UsageError
from tasks.legalsearch.agents.talking import most_of, response
from tasks.legalsearch.agents.trajectory_pieces import Source, TrajectoryPiece, pieces
from tasks.legalsearch.measures import Verdict
from tasks.legalsearch.questions import LawQuestion, load_questions
from tasks.legalsearch.rewards import (
    EPSILON,
    READINGS,
    Reading,
    Reward,
    TokenKind,
    group_advantages,
    reward,
    shaped_advantages,
    token_kinds,
)
from tasks.legalsearch.scoring import BENCHMARK
from tasks.run.engines import run_path
from tasks.run.header import header_of, spec_of
from tasks.run.plan import stored_task_file
from tasks.run.reading import grades, read_episode
from tasks.scoring.result import INFRASTRUCTURE, Grade

METHODS = frozenset({"search", "direct-law", "direct-law-cot"})
"""Methods whose free and paper modes speak in tagged text."""


def trajectory_tokens(records: Sequence[Record], seat: str = "agent") -> list[TrajectoryPiece]:
    """The tagged text of an episode, of as much of it as the records hold, in pieces whose texts joined are the
    trajectory.

    A piece of a model is one token where the record holds tokens, else a whole reply. Entropies are in nats, at the
    moment the token was drawn; of lean rounds there are none, because their JSON is not the text shown here.
    """
    writer = _Writer(seat)
    policy, most = "", SHOWN
    for step, group in groupby(records, key=lambda record: record.step):
        events = [record.event for record in group]
        if step:
            writer.step(policy, events, most)
        for event in events:
            if isinstance(event, Seated) and event.seat == seat:
                policy, most = event.policy, most_of(ContextBudget.of(event))
    return writer.finish()


class _Writer:
    """Puts pieces together; a tool's response in paper mode waits until the model has really been given it."""

    def __init__(self, seat: str) -> None:
        self._seat = seat
        self._pieces: list[TrajectoryPiece] = []
        self._waiting = ""
        self._thoughts: list[str] = []

    def step(self, policy: str, events: Iterable[Event], most: int) -> None:
        """One step of the episode. most: characters of a result that a model in the mode free has read."""
        mode: Mode = split(policy)[1]
        tagged = method(policy) in METHODS and mode in ("free", "paper")
        for event in events:
            if isinstance(event, LimitHit) and event.kind == "tokens" and mode == "paper":
                self._waiting = ""  # the response that would pass the limit is never added
            if getattr(event, "seat", None) != self._seat:
                continue
            if isinstance(event, ToolReturned):
                self._flush()
                hinted = event.status if method(policy) in METHODS else ""
                self._waiting = response(event.observation, hinted, most if tagged else SHOWN, paper=mode == "paper")
                if mode != "paper":
                    self._flush()
            elif not tagged:
                self._render(event)
            elif isinstance(event, ModelCalled) and not event.human:
                self._leave_off()
                self._add(pieces(event))

    def finish(self) -> list[TrajectoryPiece]:
        """All pieces."""
        self._flush()
        self._leave_off()
        return self._pieces

    def _leave_off(self) -> None:
        """A thought after which nothing was done."""
        if self._thoughts:
            self._write(self._think())

    def _render(self, event: Event) -> None:
        match event:
            case Thought():
                self._thoughts.append(defused(event.text.strip()))
            case Planned():
                steps = "\n".join(f"{number}. {defused(step)}" for number, step in enumerate(event.steps, 1))
                self._act("plan", steps)
            case ToolCalled():
                call = {"name": event.tool, "arguments": event.input}
                self._act("tool_call", defused(json.dumps(call, ensure_ascii=False)))
            case Answered():
                self._act("answer", defused(event.res))

    def _act(self, tag: str, text: str) -> None:
        self._write(f"{self._think()}\n<{tag}>\n{text}\n</{tag}>")

    def _think(self) -> str:
        text = "\n".join(filter(None, self._thoughts))
        self._thoughts.clear()
        return f"<think>\n{text}\n</think>" if text else "<think></think>"

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, ""
        if waiting:
            self._write(waiting, "tool")

    def _write(self, text: str, source: Source = "rendered") -> None:
        self._add([TrajectoryPiece(text, source)])

    def _add(self, more: Sequence[TrajectoryPiece]) -> None:
        """More pieces, on a new line."""
        if not any(piece.text for piece in more):
            return
        if self._waiting:
            self._flush()
        if self._pieces and not self._pieces[-1].text.endswith("\n"):
            self._pieces.append(TrajectoryPiece("\n", "rendered"))
        self._pieces += more


EPSILONS: Mapping[Reading, float] = {"paper": 0.0, "code": EPSILON}
"""What each reading adds to the standard deviation of a group."""
SHAPED: Mapping[Reading, frozenset[TokenKind]] = {"paper": frozenset({"plan"}), "code": frozenset({"plan", "agent"})}
"""The tokens whose advantage the entropy raises."""

EntropyLabel = Literal["exact", "top-n estimate", "partial", "absent"]
"""Exact: over the whole vocabulary, for every token. Partial: exact, but not known for all. Estimates are from
below."""


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One token for the eye. `shaped` is its advantage in the reading asked for, None where that needs an entropy
    that nobody recorded. Not `exact`: the entropy is estimated from the likeliest tokens of an endpoint."""

    text: str
    kind: TokenKind
    entropy: float | None
    exact: bool
    shaped: float | None


def token_rows(
    pieces: Sequence[TrajectoryPiece], kinds: Sequence[TokenKind], advantage: float | None, reading: Reading
) -> list[TokenRow]:
    """The tokens of a rollout with entropy and shaped advantage."""
    return [
        TokenRow(piece.text, kind, piece.entropy, piece.exact, value)
        for piece, kind, value in zip(pieces, kinds, shape(advantage, pieces, kinds, reading), strict=True)
    ]


def kinds_of(pieces: Sequence[TrajectoryPiece]) -> list[TokenKind]:
    """What each token is. Who wrote it is known from the record: tags of tools in the agent's own words do not
    count."""
    read = token_kinds([piece.text for piece in pieces])
    return [
        "tool" if piece.source == "tool" else "agent" if kind == "tool" else kind
        for piece, kind in zip(pieces, read, strict=True)
    ]


def shape(
    advantage: float | None, pieces: Sequence[TrajectoryPiece], kinds: Sequence[TokenKind], reading: Reading
) -> list[float | None]:
    """Shaped advantages of tokens.

    None without an advantage, for words that no model drew (tags that the protocol adds), and where an entropy is
    missing that would change the value.
    """
    if advantage is None:
        return [None] * len(pieces)
    values = shaped_advantages(advantage, [piece.entropy or 0.0 for piece in pieces], kinds, reading)
    return [
        None
        if piece.source == "rendered" or (piece.entropy is None and advantage and kind in SHAPED[reading])
        else value
        for piece, kind, value in zip(pieces, kinds, values, strict=True)
    ]


def entropy_label(pieces: Sequence[TrajectoryPiece]) -> EntropyLabel:
    """How the entropies of an episode were had, over the tokens that a model drew."""
    drawn = [piece for piece in pieces if piece.source == "model"]
    known = [piece for piece in drawn if piece.entropy is not None]
    if not known:
        return "absent"
    if not all(piece.exact for piece in known):
        return "top-n estimate"
    return "exact" if len(known) == len(drawn) else "partial"


@dataclass(frozen=True, slots=True)
class GroupMember:
    """One episode on its way into a group. `number` counts the rollouts of a task from 1."""

    number: int
    records: Sequence[Record]
    verdict: Verdict | None = None

    @property
    def outcome(self) -> str:
        """How it ended; '' when it has not."""
        stops = [record.event for record in self.records if isinstance(record.event, Stopped)]
        return stops[-1].outcome if stops else ""

    @property
    def human(self) -> bool:
        """Whether a person answered in it, so that it is no rollout of the policy."""
        return any(isinstance(record.event, ModelCalled) and record.event.human for record in self.records)


@dataclass(frozen=True, slots=True)
class Rollout:
    """One rollout. `rewards` and `advantages` by reading; an advantage is None where its group has none."""

    task: str
    kind: str
    number: int
    outcome: str
    rewards: Mapping[Reading, Reward]
    advantages: Mapping[Reading, float | None]
    entropy: EntropyLabel
    tokens: Mapping[Reading, Sequence[TokenRow]]

    def as_dict(self) -> dict[str, object]:
        """The rollout as JSON data: what `moot export --to rollouts` writes on one line."""
        paper, code = self.tokens["paper"], self.tokens["code"]
        return {
            "task": self.task,
            "type": self.kind,
            "rollout": self.number,
            "outcome": self.outcome,
            "answer": {reading: self.rewards[reading].answer for reading in READINGS},
            "reward": {reading: self.rewards[reading].value for reading in READINGS},
            "faults": {reading: list(self.rewards[reading].faults) for reading in READINGS},
            "advantage": dict(self.advantages),
            "entropy": self.entropy,
            "tokens": [
                {
                    "text": one.text, "kind": one.kind, "entropy": one.entropy,
                    "shaped_paper": one.shaped, "shaped_code": other.shaped,
                }
                for one, other in zip(paper, code, strict=True)
            ],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class RolloutGroup:
    """The rollouts of one task. `failed` numbers those that the machinery cut short, `human` those in which a person
    answered: they are no rollouts of the policy.

    `left_out` says for each reading without advantages why.
    """

    task: str
    kind: str
    rollouts: tuple[Rollout, ...]
    failed: tuple[int, ...] = ()
    left_out: Mapping[Reading, str] = field(default_factory=dict)
    human: tuple[int, ...] = ()

    def lines(self) -> list[dict[str, Any]]:
        """Its rollouts as JSON data, each with the size of the group and why it was left out, if it was."""
        common = {
            "group": len(self.rollouts), "failed": list(self.failed), "human": list(self.human),
            "left_out": dict(self.left_out),
        }  # fmt: skip
        return [{**rollout.as_dict(), **common} for rollout in self.rollouts]


def make_group(question: LawQuestion, members: Sequence[GroupMember]) -> RolloutGroup:
    """Rewards, advantages and shaped advantages of the rollouts of one task."""
    human = tuple(one.number for one in members if one.human)
    members = [one for one in members if not one.human]
    failed = tuple(one.number for one in members if one.outcome in INFRASTRUCTURE or not one.outcome)
    kept = [one for one in members if one.number not in failed]
    told = [trajectory_tokens(one.records) for one in kept]
    kinds = [kinds_of(pieces) for pieces in told]
    texts = ["".join(piece.text for piece in pieces) for pieces in told]
    rewards: dict[Reading, list[Reward]] = {
        reading: [reward(question, text, reading, one.verdict) for one, text in zip(kept, texts, strict=True)]
        for reading in READINGS
    }
    left_out: dict[Reading, str] = {}
    advantages: dict[Reading, Sequence[float | None]] = {}
    for reading in READINGS:
        values = [made.value for made in rewards[reading] if made.value is not None]
        if len(kept) < 2:
            left_out[reading] = f"{len(kept)} of {len(members)} rollouts came to an end"
        elif len(values) < len(kept):
            left_out[reading] = f"no grader has seen {len(kept) - len(values)} of {len(kept)} rollouts"
        whole = reading not in left_out
        advantages[reading] = group_advantages(values, EPSILONS[reading]) if whole else [None] * len(kept)
    rollouts = tuple(
        Rollout(
            task=question.id,
            kind=question.kind.id,
            number=one.number,
            outcome=one.outcome,
            rewards={reading: rewards[reading][place] for reading in READINGS},
            advantages={reading: advantages[reading][place] for reading in READINGS},
            entropy=entropy_label(told[place]),
            tokens={
                reading: token_rows(told[place], kinds[place], advantages[reading][place], reading)
                for reading in READINGS
            },
        )
        for place, one in enumerate(kept)
    )
    return RolloutGroup(question.id, question.kind.id, rollouts, failed, left_out, human)


def read_groups(name: str | Path) -> Iterator[RolloutGroup]:
    """The groups of a stored run in the order of its tasks, read one at a time.

    Raises:
        UsageError: the run is of another benchmark, or plays every task once.
        RecordMismatch: its task file has changed since.
    """
    with Journal.open(run_path(name)) as journal:
        header = header_of(journal)
        check_benchmark(header)
        rows = journal.episodes()
        if not has_groups(rows):
            raise UsageError(
                f"run {header['run']} plays every task once, so it has no groups",
                "Make one with `moot run legalsearch --agent search --model SPEC --rollouts 8`.",
            )
        questions = {question.id: question for question in load_questions(stored_task_file(header))}
        graded = grades(journal)
        for task, members in groupby(rows, lambda row: row.task_id):
            yield make_group(questions[task], [_member(journal, row, graded) for row in members])


def has_groups(rows: Sequence[EpisodeRow]) -> bool:
    """Whether any task of a run was played more than once."""
    return len({row.task_id for row in rows}) < len(rows)


def check_benchmark(header: Mapping[str, object]) -> None:
    """Refuse a run of another benchmark: only this one has rewards."""
    found = spec_of(header).benchmark
    if found != BENCHMARK:
        raise UsageError(f"run {header['run']} is of {found}", f"Rewards and rollouts belong to {BENCHMARK}.")


def verdict_of(grade: Grade | None) -> Verdict | None:
    """The grader's word on a consultation as it stands in the journal; None when it has not been given, or failed."""
    answer, basis = (grade.get("answer"), grade.get("basis")) if grade else (None, None)
    return None if answer is None or basis is None else Verdict(bool(answer), bool(basis))


def _member(journal: Journal, row: EpisodeRow, graded: Mapping[tuple[str, int], Grade]) -> GroupMember:
    return GroupMember(row.epoch + 1, read_episode(journal, row.id), verdict_of(graded.get((row.task_id, row.epoch))))
