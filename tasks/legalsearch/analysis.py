"""Temporal analysis of stored runs: do agents ask with a date, do they get the right version, do answers follow the
date.

| what | from | after |
|---|---|---|
| temporally aware queries by tool and task | the queries of `ToolCalled`, as the agent wrote them | Figure 3, Figure
5 bottom |
| tool calls by tool and task, length of the answers | `ToolCalled`, `ToolReturned` | Figure 5 top |
| recitals by the year of the question | the score block | Figure 2 |
| wrong-version rate | the score block (`versions.py`) | ours |
| temporal consistency on pairs | strict scores of the first time a pair was played | ours (`temporal.py`) |
| trajectories that keep the form, in both readings | episodes of the search policy | the reward's format check |

Scores and the wrong-version rate are from 0 to 100, other rates and shares from 0 to 1. The length of an answer is in
characters, and in tokens where the engine counted prompts: what the next prompt has more than the last one and its
reply, so with the few tokens that a chat template puts around it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from store.journal import Journal
from tasks.episode.events import ModelCalled, Record, Seated, ToolCalled, ToolReturned
from tasks.legalsearch import published
from tasks.legalsearch.answers import letters, strict_answer, term
from tasks.legalsearch.charges import charges
from tasks.legalsearch.format import READINGS, Reading, check
from tasks.legalsearch.kinds import KINDS
from tasks.legalsearch.measures import strict_score
from tasks.legalsearch.questions import Question, by_id
from tasks.legalsearch.rollouts import check_benchmark
from tasks.legalsearch.temporal import TOOLS, Data, PairMember, ToolUse, awareness, consistency, queries_of
from tasks.legalsearch.trajectory import trajectory
from tasks.run.reading import read_episode
from tasks.run.rescoring import StoredRun, read_stored, summary_of
from tasks.scoring.statistics import rate_interval

SEARCHING = "search/"
"""How the name of a policy begins whose episodes have the published form."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a tool answered in one call: characters, and tokens where the engine counted them."""

    tool: str
    status: str
    characters: int
    tokens: int | None


def tool_calls(task: str, records: Sequence[Record], seat: str = "agent") -> tuple[list[ToolUse], list[Said]]:
    """The tool calls of an episode by the tested seat, and what came back, both in order."""
    uses: list[ToolUse] = []
    said: list[Said] = []
    for index, record in enumerate(records):
        event = record.event
        if isinstance(event, ToolCalled) and event.seat == seat:
            uses.append(ToolUse(task, event.tool, queries_of(event.input)))
        elif isinstance(event, ToolReturned) and event.seat == seat:
            tokens = _tokens(records, index, seat)
            said.append(Said(event.tool, event.status, len(event.observation), tokens))
    return uses, said


def _tokens(records: Sequence[Record], index: int, seat: str) -> int | None:
    """What the prompt grew by through one answer; None when calls do not stand right before and behind it."""
    before = _neighbour(reversed(records[:index]), seat)
    after = _neighbour(records[index + 1 :], seat)
    if before is None or after is None:
        return None
    grown = after.evaluated + after.reused - (before.evaluated + before.reused + before.generated)
    return grown if grown > 0 else None


def _neighbour(records: Iterable[Record], seat: str) -> ModelCalled | None:
    for record in records:
        event = record.event
        if isinstance(event, ModelCalled) and event.seat == seat:
            return event
        if isinstance(event, ToolReturned) and event.seat == seat:
            return None
    return None


def lengths(said: Iterable[Said]) -> dict[str, Data]:
    """By tool: calls that were answered, how they ended, and the mean length of an answer."""
    by_tool: dict[str, list[Said]] = {tool: [] for tool in TOOLS}
    for one in said:
        by_tool.setdefault(one.tool, []).append(one)
    return {tool: _lengths(members) for tool, members in by_tool.items()}


def _lengths(members: Sequence[Said]) -> Data:
    counted = [one.tokens for one in members if one.tokens is not None]
    return {
        "answers": len(members),
        "statuses": dict(sorted(Counter(one.status for one in members).items())),
        "characters": _mean([one.characters for one in members]),
        "tokens": _mean(counted),
        "counted": len(counted),
    }


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def pair_member(question: Question, res: str) -> PairMember:
    """An answer to one half of a time-travel pair, read strictly. A recital is right from the ROUGE-L of the reward
    on."""
    score = strict_score(question, res) or 0.0
    return PairMember(question, score >= published.LAR_PASS, one_spelling(question, res))


def one_spelling(question: Question, res: str) -> str:
    """An answer so written that equal answers are equal texts."""
    read, form = strict_answer(res), question.kind.form
    if form == "letters" and (chosen := letters(read, question.options)) is not None:
        return "".join(sorted(chosen))
    if form == "charges" and (named := charges(read)):
        return "；".join(sorted(map(str, named)))
    if form == "months" and (given := term(read)) is not None:
        return f"{given.kind} {given.months}"
    return published.recital(read)


class FormCount:
    """How many trajectories keep the form, by reading, and what is wrong with the others."""

    def __init__(self) -> None:
        self._passed: dict[Reading, list[bool]] = {reading: [] for reading in READINGS}
        self._faults: dict[Reading, Counter[str]] = {reading: Counter() for reading in READINGS}
        self._clusters: list[str] = []

    def add(self, text: str, cluster: str) -> None:
        """Count one trajectory; those of one cluster are no independent draws."""
        self._clusters.append(cluster)
        for reading in READINGS:
            made = check(text, reading)
            self._passed[reading].append(made.passed)
            self._faults[reading].update(made.faults)

    def as_dict(self) -> Data | None:
        """By reading: n, passed, rate with its interval, faults by frequency; None for no trajectories."""
        if not self._clusters:
            return None
        made: Data = {}
        for reading in READINGS:
            interval = rate_interval(self._passed[reading], self._clusters)
            assert interval is not None
            made[reading] = {
                "n": len(self._clusters),
                "passed": sum(self._passed[reading]),
                "rate": sum(self._passed[reading]) / len(self._clusters),
                "interval": [interval.low, interval.high],
                "faults": dict(self._faults[reading].most_common()),
            }
        return made


def analyse(name: str | Path) -> Data:
    """The temporal analysis of one stored run, as JSON data.

    Raises:
        UsageError: the run is of another benchmark.
        RecordMismatch: its task file has changed since.
    """
    run = read_stored(name)
    check_benchmark(run.header)
    return analysis_of(run, summary_of(run).block())


def analysis_of(run: StoredRun, block: Data) -> Data:
    """The same of a run that has been read, with its score block."""
    questions = by_id(run.questions)
    uses: list[ToolUse] = []
    said: list[Said] = []
    by_task: dict[str, list[Said]] = {}
    form = FormCount()
    with Journal.open(run.path) as journal:
        for row in journal.episodes():
            question, records = questions[row.task_id], read_episode(journal, row.id)
            made, back = tool_calls(question.kind.id, records, run.bench.seat)
            uses += made
            said += back
            by_task.setdefault(question.kind.id, []).extend(back)
            if _searches(records, run.bench.seat):
                form.add(trajectory(records), question.gold.cluster)
    members = [
        pair_member(questions[result.task_id], result.res)
        for result in run.results
        if result.epoch == 0 and questions[result.task_id].gold.pair
    ]
    return {
        "run": str(run.header["run"]),
        "agent": run.header["spec"]["agent"],
        "model": run.header["spec"].get("model", ""),
        "n": block["n"],
        "awareness": awareness(uses),
        "answers": {
            "all": lengths(said),
            "by_task": {task: lengths(by_task[task]) for task in KINDS if task in by_task},
        },
        "lar_by_year": block["lar_by_year"],
        "wrong_version": block["wrong_version"],
        "consistency": consistency(members),
        "format": form.as_dict(),
    }


def _searches(records: Sequence[Record], seat: str) -> bool:
    sits = [record.event for record in records if isinstance(record.event, Seated) and record.event.seat == seat]
    return bool(sits) and sits[-1].policy.startswith(SEARCHING)


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Recitals by year and run. `cells[row][column]` is (mean from 0 to 100, number of recitals); None where there
    are none."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[tuple[float, int] | None, ...], ...]


def heat_map(runs: Mapping[str, Data], part: str = "all") -> HeatMap:
    """Years across, runs down (Figure 2).

    Args:
        runs: name -> its analysis or score block.
        part: "all", or "covered" for the questions whose statute the pack holds.
    """
    years = sorted({year for run in runs.values() for year in run["lar_by_year"]})
    count = "n" if part == "all" else "n_covered"
    cells = tuple(tuple(_cell(run["lar_by_year"].get(year), part, count) for year in years) for run in runs.values())
    return HeatMap(tuple(runs), tuple(years), cells)


def _cell(scores: Data | None, part: str, count: str) -> tuple[float, int] | None:
    value = scores.get(part) if scores else None
    return None if scores is None or value is None else (float(value), int(scores.get(count) or 0))
