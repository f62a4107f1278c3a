"""Asks the tools again what recorded runs asked them, and compares every answer to the byte.

The proof that lookups, checks, order, calculators and error texts are those of the published runs. Retrievers are
counted apart: their ranking came from an embedding model of which no trace is left, so only overlap can be compared.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from store.errors import BadInput
from store.importers.logs.calls import read_observation
from store.importers.logs.episodes import LoggedEpisode
from store.importers.reading import records
from store.schema import LOOKUPS
from tasks.legalagentbench.logged_actions import REFUSED, action_of
from tasks.legalagentbench.parser import compat_input, parse_action
from tasks.legalagentbench.tools import FINISH_NAMES, RETRIEVERS, Status, Toolbox, ToolResult

STATUSES: tuple[str, ...] = get_args(Status)
_LONGEST_LIST = 1 << 20


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call of a recorded run: `input` is what came out of the action parser, `observation` without the loop's
    hint."""

    where: str
    tool: str
    input: Any
    status: str
    observation: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A call that gave something else now."""

    recorded: RecordedCall
    result: ToolResult


@dataclass(slots=True)
class Tally:
    """Calls and identical answers."""

    calls: int = 0
    same: int = 0


@dataclass(slots=True)
class Replay:
    """What came of it: by recorded status without retrievers; retrievers; calls that differ, in order."""

    by_status: dict[str, Tally] = field(default_factory=dict)
    retrieved: int = 0
    same_top: int = 0
    overlaps: list[float] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)

    @property
    def calls(self) -> int:
        """Calls that are compared to the byte."""
        return sum(tally.calls for tally in self.by_status.values())

    @property
    def same(self) -> int:
        """Those with the same answer."""
        return sum(tally.same for tally in self.by_status.values())

    @property
    def overlap(self) -> float | None:
        """Mean share of the recorded texts that the retrievers gave again."""
        return sum(self.overlaps) / len(self.overlaps) if self.overlaps else None


def read_calls(path: Path) -> Iterator[RecordedCall]:
    """The calls of a file (JSON array or lines, plain or gzipped).

    Raises:
        NotFound: there is no such file.
        BadInput: a line is no recorded call; the title names file and line.
    """
    for line, entry in records(path, str(path)):
        where = f"{path}, line {line}"
        tool, status, observation = (entry.get(name) for name in ("tool", "status", "observation"))
        if not isinstance(tool, str) or not isinstance(observation, str) or "input" not in entry:
            raise BadInput(f"{where}: no recorded call", "Each needs tool, input, status and observation.")
        if not isinstance(status, str) or status not in STATUSES:
            raise BadInput(f"{where}: unknown status {status!r}", f"Known: {', '.join(STATUSES)}.")
        yield RecordedCall(where, tool, entry["input"], status, observation)


def replay(toolbox: Toolbox, calls: Iterable[RecordedCall]) -> Replay:
    """Call every tool again. Both the text and the status must be the recorded ones."""
    outcome = Replay()
    for recorded in calls:
        result = toolbox.call(recorded.tool, recorded.input)
        if recorded.tool in RETRIEVERS:
            _compare_texts(outcome, recorded, result)
            continue
        tally = outcome.by_status.setdefault(recorded.status, Tally())
        tally.calls += 1
        if (result.status, result.observation) == (recorded.status, recorded.observation):
            tally.same += 1
        else:
            outcome.differences.append(Difference(recorded, result))
    return outcome


def _compare_texts(outcome: Replay, recorded: RecordedCall, result: ToolResult) -> None:
    wanted = _texts(recorded.observation)
    given = result.value if isinstance(result.value, list) else []
    outcome.retrieved += 1
    outcome.same_top += bool(wanted and given and wanted[0] == given[0])
    if wanted:
        outcome.overlaps.append(len(set(wanted) & set(given)) / len(set(wanted)))


def _texts(observation: str) -> list[str]:
    """The texts of a recorded retrieval, which Python printed as a list."""
    if len(observation) > _LONGEST_LIST or not observation.startswith("["):
        return []
    try:
        value = ast.literal_eval(observation)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
    return [text for text in value if isinstance(text, str)]


def as_json(outcome: Replay) -> dict[str, Any]:
    """`{"by_status": {S: {"calls", "same"}}, "retrievers": {"calls", "same_top", "overlap"}}`, all five statuses."""
    recorded = [status for status in STATUSES if status != "outside_pack" or status in outcome.by_status]
    tallies = {status: outcome.by_status.get(status, Tally()) for status in recorded}
    return {
        "by_status": {status: {"calls": tally.calls, "same": tally.same} for status, tally in tallies.items()},
        "retrievers": {
            "calls": outcome.retrieved,
            "same_top": outcome.same_top,
            "overlap": None if outcome.overlap is None else round(outcome.overlap, 4),
        },
    }


# Run logs
# -------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class LogReplay:
    """A run log asked again. Steps fall into: calls (in `replay`), final answers, refused actions, actions unknown.

    refused: recorded actions that the published parser refused; refused_again: those that ours refuses, too, or takes
    with a repair only (`repaired`), which --paper does not. unknown: steps of plans whose call the log leaves open,
    by what came back. unanswered: steps after which the log prints no result.
    """

    tasks: int = 0
    steps: int = 0
    inferred: int = 0
    final: int = 0
    refused: int = 0
    refused_again: int = 0
    repaired: int = 0
    unanswered: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    replay: Replay = field(default_factory=Replay)


def replay_log(toolbox: Toolbox, episodes: Iterable[LoggedEpisode]) -> LogReplay:
    """Read every action of a log with our parser and ask the tools again; the hint of the loop is no part of a
    result."""
    outcome = LogReplay()
    calls: list[RecordedCall] = []
    for episode in episodes:
        outcome.tasks += 1
        outcome.steps += len(episode.steps)
        calls += filter(None, (_logged_call(outcome, episode, index) for index in range(len(episode.steps))))
    outcome.replay = replay(toolbox, calls)
    return outcome


def _logged_call(outcome: LogReplay, episode: LoggedEpisode, index: int) -> RecordedCall | None:
    """The tool call of a step; None when it is none, which is counted."""
    recording = episode.steps[index].recording
    action = action_of(episode, index)
    parsed = parse_action(action.text)
    result = recording.result if recording else ""
    refused = result.startswith(REFUSED)
    if refused and action.kind == "recorded":
        outcome.refused += 1
        outcome.refused_again += parsed.result != "ok"
        outcome.repaired += parsed.result == "repaired"
    elif parsed.tool in FINISH_NAMES:
        outcome.final += 1
    elif recording is None:
        outcome.unanswered += 1
    elif parsed.tool is None:
        outcome.unknown["refused" if refused else read_observation(result).status] += 1
    elif (observation := read_observation(result, LOOKUPS.get(parsed.tool))).status == "unread":
        outcome.unknown["unread"] += 1
    else:
        outcome.inferred += action.kind == "inferred"
        given = compat_input(parsed.tool, parsed.input)
        where = f"{recording.file.name}, line {recording.line}"
        return RecordedCall(where, parsed.tool, given, observation.status, observation.text)
    return None


def log_as_json(outcome: LogReplay) -> dict[str, object]:
    """What `as_json` gives, and what became of the other steps; `differences` says what came instead, by recorded
    status."""
    differences: dict[str, Counter[str]] = {}
    for difference in outcome.replay.differences:
        now = (
            "unknown_cells"
            if difference.result.unknown and difference.result.status == "ok"
            else difference.result.status
        )
        differences.setdefault(difference.recorded.status, Counter())[now] += 1
    return {
        **as_json(outcome.replay),
        "differences": {status: dict(counts) for status, counts in differences.items()},
        "tasks": outcome.tasks,
        "steps": outcome.steps,
        "inferred": outcome.inferred,
        "final": outcome.final,
        "refused": {"steps": outcome.refused, "same": outcome.refused_again, "repaired": outcome.repaired},
        "unanswered": outcome.unanswered,
        "unknown": dict(outcome.unknown),
    }
