"""Scores for the desk: of one episode as it stands at a step, and of a run so far. Called from workers only.

This is the one place of the desk that holds gold. What leaves it are rates (0 to 1) and, for the score strip, the
keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from app.desk.messages import RunFacts
from app.strings import t
from app.words import failure_name, score_name
from store.journal import Journal, ScoreRow
from tasks.benchmark import EvidenceItem, benchmark
from tasks.courts.scores.rulings import judgment_of
from tasks.episode.events import Record, Said, ToolReturned
from tasks.episode.state import State, fold, imported
from tasks.episode.with_tools import SEAT
from tasks.run.failing import EpisodeFailure
from tasks.run.header import spec_of
from tasks.run.plan import stored_task_file
from tasks.run.reading import grades, stopped_of, summarise
from tasks.scoring.metrics import Limit, Metric, Summary
from tasks.scoring.result import Grade, ScoreContext
from tasks.scoring.strict import shows_key

AROUND = 30
"""Characters that are quoted on either side of a key."""
Texts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """What became of a claim: granted, partly, rejected, omitted; the sum awarded, the words."""

    outcome: str
    amount: float | None
    words: str


@dataclass(frozen=True, slots=True)
class ReferencePair:
    """Own and reference next to each other. title: of a claim its id and words; part: of what else; holds: None where
    nobody judges the whole.

    own, gold: outcomes of a claim, or paragraphs.
    """

    title: str
    own: ClaimOutcome | Texts
    gold: ClaimOutcome | Texts
    holds: bool | None = None
    seq: int | None = None
    part: Literal["whole", "answer"] = "whole"


@dataclass(frozen=True, slots=True)
class ScoreEvidence:
    """Something that scores rest on. metrics: names, the first is what it is listed under; found: whether it is as it
    should be, None where that is no yes or no; seq: of the record that shows it."""

    metrics: tuple[str, ...]
    what: str
    found: bool | None
    seq: int | None = None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class EpisodeEvidence:
    """All of an episode."""

    beside: tuple[ReferencePair, ...] = ()
    rows: tuple[ScoreEvidence, ...] = ()


def grounds(
    rows: Iterable[ScoreRow], case: Any, records: Sequence[Record], rests: Iterable[EvidenceItem] = ()
) -> EpisodeEvidence:
    """The grounds of the newest scores of an episode.

    Args:
        rows: its score rows.
        case: the case file of a court, None elsewhere.
        records: of the episode.
        rests: what its benchmark says beyond them.
    """
    kept = [one for row in rows if isinstance(row.evidence, list) for one in row.evidence if isinstance(one, Mapping)]
    turns = _turns(records)
    found = [_rest(one, turns) for one in kept if one.get("metrics")]
    keys = {str(one["key"]): one for one in kept if "key" in one}
    found += [
        ScoreEvidence(("score",), one.what, one.found, _returned(one.step, records), one.quote) for one in rests
    ]
    beside = [*_claims(kept, case, turns), *_judgment(case, records), *_answers(kept)]
    return EpisodeEvidence(tuple(beside), (*(_key(one, records) for one in keys.values()), *found))


def _turns(records: Sequence[Record]) -> dict[int, int]:
    """Turn -> the record in which it was spoken, the tested seat's first."""
    found: dict[int, int] = {}
    for mine in (False, True):
        for record in records:
            event = record.event
            if isinstance(event, Said) and (event.seat == SEAT) is mine:
                found[event.turn] = record.seq
    return found


def _returned(step: int, records: Sequence[Record]) -> int | None:
    """The record of a step that shows what its tool gave."""
    return next((one.seq for one in records if one.step == step and isinstance(one.event, ToolReturned)), None)


def _rest(one: Mapping[str, Any], turns: Mapping[int, int]) -> ScoreEvidence:
    seq = turns.get(one.get("turn") or -1)
    return ScoreEvidence(
        tuple(map(str, one["metrics"])), str(one["what"]), one["found"], seq, str(one.get("quote") or "")
    )


def _claims(kept: Sequence[Mapping[str, Any]], case: Any, turns: Mapping[int, int]) -> Iterator[ReferencePair]:
    """Claim by claim: what the judgment made of it, what the reference made of it."""
    rests = [one for one in kept if "JUD_claims" in one.get("metrics", ())]
    read = next((one["claims"] for one in kept if one.get("claims")), ())
    words = {claim.id: claim.text for claim in getattr(case, "claims", ())}
    gold = {ruling.claim: ruling.text for ruling in getattr(getattr(case, "gold", None), "rulings", ())}
    for place, one in enumerate(read):
        claim = str(one["claim"])
        seq = turns.get(rests[place].get("turn") or -1) if place < len(rests) else None
        yield ReferencePair(
            f"{claim} {words.get(claim, '')}".strip(), ClaimOutcome(one["said"], one["amount"], str(one["words"])),
            ClaimOutcome(one["gold"], one["gold_amount"], gold.get(claim, "")), bool(one["holds"]), seq,
        )  # fmt: skip


def _judgment(case: Any, records: Sequence[Record]) -> Iterator[ReferencePair]:
    said = [record for record in records if isinstance(record.event, Said) and record.event.seat == SEAT]
    gold = tuple(getattr(getattr(case, "gold", None), "judgment", ()))
    own = judgment_of([record.event.text for record in said if isinstance(record.event, Said)]) if gold else None
    if own is not None:
        yield ReferencePair("", own.rulings, gold, seq=said[-1].seq)


def _answers(kept: Sequence[Mapping[str, Any]]) -> Iterator[ReferencePair]:
    """What was read from an answer beside what the key says, once."""
    for one in [one for one in kept if "read" in one and "gold" in one][:1]:
        own, gold = (_text(one[name]) for name in ("read", "gold"))
        yield ReferencePair("", (own,), (gold,), own == gold, part="answer")


def _text(value: object) -> str:
    return "、".join(map(str, value)) if isinstance(value, list | tuple) else "" if value is None else str(value)


def _key(one: Mapping[str, Any], records: Sequence[Record]) -> ScoreEvidence:
    """A key of a question, with the observation that first showed it."""
    key = str(one["key"])
    name = "process" if one.get("kind") == "middle" else "success"
    for record in records:
        if isinstance(record.event, ToolReturned) and shows_key(key, record.event.observation):
            text = record.event.observation
            at = max(0, text.find(key))
            quote = text[max(0, at - AROUND) : at + len(key) + AROUND]
            return ScoreEvidence((name,), key, bool(one.get("strict_hit")), record.seq, quote)
    return ScoreEvidence((name,), key, bool(one.get("strict_hit")))


@dataclass(frozen=True)
class StepScores:
    """Scores of an episode at a step. `answered` says whether there is an answer to score; evidence needs none."""

    answered: bool
    compat: dict[str, float | None]
    strict: dict[str, float | None]
    evidence: float | None
    keys: tuple[dict[str, Any], ...]
    rates: tuple[str, ...] = ("success", "process")
    """Which values are shown, in their order."""
    imported: bool = False
    """Whether the answer was made elsewhere, so that nobody knows what was seen."""
    grounds: EpisodeEvidence = EpisodeEvidence()
    """What the scores rest on; nothing while it is open."""


@dataclass(frozen=True)
class GroupScores:
    """One group of a run: the answer rate of all LegalAgentBench tasks, or one task of LegalSearch."""

    group: str
    n: int
    compat: float | None = None
    strict: float | None = None
    compat_interval: tuple[float, float] | None = None
    strict_interval: tuple[float, float] | None = None
    floor: tuple[float | None, float | None] = (None, None)
    """By the published rule and strictly, as the rates: the gold itself may fail a published rule."""
    ceiling: tuple[float | None, float | None] = (None, None)


@dataclass(frozen=True)
class RunScores:
    """Scores of the ended episodes of a run: rates, intervals, floor and ceiling of the answer rate."""

    n: int
    parts: tuple[GroupScores, ...] = ()


COURTS, OVERALL = "courts", "overall"
RATES: dict[str, tuple[str, ...]] = {"legalsearch": ("score",)}
"""Benchmark -> the values of a step that are shown; the default is success and process, the courts have their
metrics."""


def why_words(failure: EpisodeFailure, state: State) -> str:
    """Why an episode failed, and in which step that shows; '' where it did not."""
    main = failure.verdict.main
    if main is None:
        return ""
    step = t("event.step", step=main.step) if main.step else ""
    at = t("failures.imported") if imported(state) else step
    return t("run.why", reason=failure_name(main.failure)) + (t("event.mark", words=at) if at else "")


class EpisodeScorer:
    """Scores the episodes of one run, from its task file alone: an imported run has no pack."""

    def __init__(self, facts: RunFacts) -> None:
        """Read the keys, and what a grader said so far.

        Raises:
            StoreError: pack or task file are gone.
            RecordMismatch: the task file is not the one of the run.
        """
        self.bench = benchmark(facts.benchmark)
        self.questions = {question.id: question for question in self.bench.load(stored_task_file(facts.header))}
        self.run = facts.id
        self.spec = spec_of(facts.header)
        with Journal.open(facts.path) as journal:
            self.epochs = {row.id: row.epoch for row in journal.episodes()}
            self._graded = self._grades(journal)

    def _grades(self, journal: Journal) -> Mapping[tuple[str, int], Grade]:
        return grades(journal) if self.bench.graders else {}

    def group(self, task_id: str) -> str:
        """The hop group of a task, its task or environment; '' when unknown."""
        question = self.questions.get(task_id)
        return question.group if question is not None else ""

    def step(self, records: Sequence[Record], episode: str = "") -> StepScores | None:
        """The scores of an episode as its records stand; a grade counts once its answer is there."""
        state = fold(records)
        question = self.questions.get(state.task_id)
        if question is None:
            return None
        result = self.bench.result(state.task_id, self.epochs.get(episode, 0), state)
        context = ScoreContext(graded=self._graded if state.stopped is not None else {}, spec=self.spec)
        if self.bench.name == COURTS and state.stopped is None:
            result = replace(result, outcome="finished")  # a trial has scores as it stands
        rows = {row.scorer: row for row in self.bench.score_rows(0, question, result, context)}
        over = state.stopped is not None
        strict = [row for name, row in rows.items() if not name.endswith("compat")]
        rests = self.bench.evidence(question, state) if over else ()
        made = grounds(strict, getattr(question, "case", None), records, rests) if over else EpisodeEvidence()
        if self.bench.name == COURTS:
            shown = _of_court(rows, bool(result.res), self.group(state.task_id), not over)
            return replace(shown, grounds=made)
        elsewhere = imported(state)
        evidence = None if elsewhere else rows.get("evidence")
        keys = rows.get("evidence")
        return StepScores(
            state.answered is not None,
            rows["compat"].value,
            rows["strict"].value,
            evidence.value.get("evidence_rate") if evidence else None,
            tuple(keys.evidence) if keys else (),
            RATES.get(self.bench.name, ("success", "process")),
            elsewhere and keys is not None,
            made,
        )

    def of_file(self, path: Path) -> RunScores:
        """The scores of those episodes of a run that are over; floor and ceiling are of the same tasks.

        Before anything is over, floor and ceiling are those of all tasks of the run.
        """
        tasks: dict[str, None] = {}
        over: dict[str, str] = {}
        with Journal.open(path) as journal:
            for row, attempts in journal.walk():
                if row.task_id in self.questions:
                    tasks[row.task_id] = None
                    if stopped_of(journal, attempts[-1].id) is not None:
                        over[row.id] = row.task_id
            self._graded = self._grades(journal)
            questions = [self.questions[task] for task in dict.fromkeys(over.values()) or tasks]
            if not questions:
                return RunScores(0)
            context = ScoreContext(graded=self._graded, spec=self.spec)
            made = summarise(journal, self.bench, questions, context, over)
        return RunScores(len(over), tuple(_parts(made, bool(over))))


def _of_court(rows: Mapping[str, ScoreRow], answered: bool, group: str, is_open: bool) -> StepScores:
    """The rows of all scorers of a court episode together, in the order of tables.

    While it is open nothing has failed: what has not happened yet has no value, it is not 0.
    """
    from tasks.courts.environment import codes, environment

    made: dict[str, dict[str, float | None]] = {"compat": {}, "strict": {}}
    for name, row in rows.items():
        if (rule := name.rpartition("_")[2]) in made:
            waits = is_open and bool(row.settings.get("failed"))  # no judgment or document yet
            made[rule].update(
                {metric: None if waits or is_open and not value else value for metric, value in row.value.items()}
            )
    order = environment(group).metrics["strict"] if group in codes() else ()
    rests = () if is_open else tuple(_rests(rows.values()))
    return StepScores(answered, made["compat"], made["strict"], None, rests, tuple(order))


def _rests(rows: Iterable[ScoreRow]) -> Iterator[dict[str, Any]]:
    """What strict scores rest on, as keys of the strip: the first metric, and what."""
    for row in rows:
        for one in row.evidence if isinstance(row.evidence, list) else ():
            if "metrics" in one and one["metrics"]:
                yield {"key": f"{score_name(one['metrics'][0])} {one['what']}", "strict_hit": one["found"]}


def _parts(made: Summary, ended: bool) -> Iterator[GroupScores]:
    """The main rows of a run as shares from 0 to 1; only floor and ceiling before anything has ended."""
    shown = [row for row in made.scores if row.main and row.measure.rule == "compat"]
    several = [group.name for group in made.groups if sum(row.group == group for row in shown) > 1]
    for row in shown:
        measure, group = row.measure, row.group.name
        strict = made.row("strict", group, measure.name)
        name, n = f"{group} {measure.name}" if group in several else group, row.n if ended else 0
        figures: list[Both] = [
            (_share(one, one.value), _ends(one)) if one and ended else (None, None) for one in (row, strict)
        ]
        (compat, its_ends), (strictly, strict_ends) = figures
        floor, ceiling = (
            (_share(row, row.limit(limit)), _share(strict, strict.limit(limit)) if strict else None)
            for limit in SHOWN
        )
        yield GroupScores(name, n, compat, strictly, its_ends, strict_ends, floor, ceiling)


Both = tuple[float | None, tuple[float, float] | None]
"""A value and its interval, as shares."""
SHOWN: tuple[Limit, Limit] = ("floor", "reference")


def _share(row: Metric, value: float | None) -> float | None:
    return None if value is None else value / row.measure.unit.top


def _ends(row: Metric) -> tuple[float, float] | None:
    top = row.measure.unit.top
    return (row.interval.low / top, row.interval.high / top) if row.interval else None
