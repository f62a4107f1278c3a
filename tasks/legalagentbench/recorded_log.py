"""`recorded-log:FILE`: a published run log as an engine, so that a real run can be watched, stepped and scored again.

The engine keeps no memory: it finds the task by the question inside the messages (by the steps made so far where the
prompt shows no question), the step by `Ask.step`, the kind of call by `Ask.prompt`, so a resumed or forked episode
gets the same replies. It answers the calls of `--paper` mode alone. What the log does not hold is said in the note of
a reply, never made up. Tokens are not in these logs: every count is 0.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from models.engine import Ask, EngineError, Listener, Reply
from models.errors import BadEngine
from models.specs import Opening
from store import identity
from store.errors import StoreError
from store.importers.logs.calls import read_observation, values_quoted
from store.importers.logs.episodes import LoggedEpisode, LoggedStep, read_episodes
from store.importers.logs.literal import Literal
from store.importers.logs.reading import find_logs
from store.schema import TABLES
from tasks.legalagentbench.agents.reading import STEP_MARK, steps_of
from tasks.legalagentbench.logged_actions import PLAN_MADE_UP_OF, action_of

KIND = "recorded-log"
PLANS = ("plan-solve", "plan-execute")
REPLANNED = 0.05
"""Share of tasks whose steps quote a value that only an earlier result can have told, from which on a log was
replanned. A plan that was written before any result can do so by chance only."""

TELLING = 4
"""Characters from which on a quoted value counts for that."""

NO_TOKENS = "日志没有记录词元数"
ALL_TABLES = "日志没有记录这次调用：选用全部表"


@dataclass(frozen=True)
class RunLog:
    """A log by question. Where a task was run more than once, the last run that came to an answer counts."""

    path: Path
    digest: str
    episodes: dict[str, LoggedEpisode]

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """The agents whose log this may be, the likelier one first.

        Both planning methods print the same lines, but only replanning lets a step quote what an earlier step found.
        """
        if any(episode.layout == "react" for episode in self.episodes.values()):
            return ("react",)
        quoting = sum(map(_quotes_results, self.episodes.values()))
        return ("plan-execute",) if quoting > REPLANNED * len(self.episodes) else PLANS

    def find(self, text: str) -> LoggedEpisode | None:
        """The episode whose question stands in the text, word for word; of several the longest."""
        found = [question for question in self.episodes if question in text]
        return self.episodes[max(found, key=len)] if found else None

    def find_by_steps(self, text: str, count: int) -> LoggedEpisode | None:
        """The episode whose first `count` steps all stand in the text; None when there is none, or more than one."""
        found = {
            question: sum(map(len, steps[:count]))
            for question, steps in self._plans.items()
            if len(steps) >= count and all(step in text for step in steps[:count])
        }
        longest = [question for question, length in found.items() if length == max(found.values())]
        return self.episodes[longest[0]] if len(longest) == 1 else None

    @cached_property
    def _plans(self) -> dict[str, list[str]]:
        """The steps of each episode as a policy reads them from a plan."""
        return {question: steps_of(_plan(episode.steps)) for question, episode in self.episodes.items()}


def read_run_log(path: Path) -> RunLog:
    """Read a log, plain or gzipped.

    Raises:
        BadEngine: there is no such file, or it is no run log; the title names file and line.
    """
    if path.is_dir():
        raise BadEngine(f"{path} is a folder", "Give one run log, for example recorded-log:log_react.txt.")
    try:
        facts = path.stat()
        return _read(path.absolute(), identity.of(facts))
    except (OSError, ValueError) as error:  # ValueError: no name that a file can have
        reason = getattr(error, "strerror", None) or "no such name"
        raise BadEngine(f"{path} cannot be read: {reason}", "Check the path of the run log.") from error
    except StoreError as error:
        raise BadEngine(error.title, error.hint) from error


@lru_cache(maxsize=2)
def _read(path: Path, _: str) -> RunLog:
    """A log is read once as long as the file stays the same: every episode of a run asks for its method."""
    find_logs(path)
    runs = list(read_episodes(path))
    episodes: dict[str, LoggedEpisode] = {}
    for episode in runs:
        question = _newlines(episode.question)
        known = episodes.get(question)
        if question and (known is None or known.answer is None or episode.answer is not None):
            episodes[question] = episode
    if not episodes:
        raise BadEngine(f"{path}: no task in it begins with its question", "Is this a whole run log?")
    return RunLog(path, identity.sha256(path), episodes)


class RecordedLogs:
    """Opens the engine of `recorded-log:FILE`."""

    def __call__(self, opening: Opening) -> RecordedLogEngine:
        """The engine over that log; `BadEngine` when it is no run log."""
        return RecordedLogEngine(read_run_log(Path(opening.rest)))

    def agents(self, rest: str) -> tuple[str, ...]:
        """Whose log it may be: react, plan-solve or plan-execute."""
        return read_run_log(Path(rest)).methods


open_recorded_log = RecordedLogs()


class RecordedLogEngine:
    """Answers with what the model of a published run said at the same place."""

    def __init__(self, log: RunLog) -> None:
        self._log = log
        self._closed = False

    def describe(self) -> dict[str, object]:
        """Kind, file and hash, the method and size of the log, and what of a run is not in it."""
        inferred = ["table filter: all tables"]
        if self._log.methods[0] in PLANS:
            inferred += [
                "plans: the steps that were made",
                "actions: from the text of the steps where it leaves no choice",
            ]
        return {
            "kind": KIND,
            "file": self._log.path.name,
            "sha256": self._log.digest,
            "method": self._log.methods[0],
            "tasks": len(self._log.episodes),
            "tokens": "not recorded",
            "inferred": inferred,
        }

    def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
        """The recorded reply to each Ask."""
        return [self._one(ask) for ask in asks]

    def cancel(self) -> None:
        """Nothing is ever in flight for long."""

    def close(self) -> None:
        """Answer no more."""
        self._closed = True

    def _one(self, ask: Ask) -> Reply | EngineError:
        try:
            return self._reply(ask)
        except EngineError as error:
            return error

    def _reply(self, ask: Ask) -> Reply:
        if self._closed:
            raise EngineError("this engine has been closed")
        name = ask.prompt.rpartition("/")[0] or ask.prompt
        if name not in CALLS:
            raise EngineError(
                f"a recorded log holds no reply to {ask.prompt or 'this call'}",
                "It answers the calls of --paper mode.",
            )
        methods, reply = CALLS[name]
        if not set(methods) & set(self._log.methods):
            raise EngineError(
                f"{self._log.path.name} is the log of a {self._log.methods[0]} run, {ask.prompt} asks for another "
                f"method",
                f"Use --agent {self._log.methods[0]}.",
            )
        prompt = _newlines("\n".join(message.content for message in ask.messages))
        episode = self._log.find(prompt)
        if episode is None and name == "plan-action":
            episode = self._log.find_by_steps(prompt, ask.step)
        if episode is None:
            raise EngineError(
                f"{self._log.path.name} holds no run of this task: its question or its steps are not in it",
                "Choose the tasks of the log with --task.",
            )
        text, note = reply(episode, ask.step)
        return Reply(text, note="；".join(filter(None, (note, NO_TOKENS))))


def _table_filter(episode: LoggedEpisode, step: int) -> tuple[str, str]:
    return f"```json\n{json.dumps(list(TABLES))}\n```", ALL_TABLES


def _thought(episode: LoggedEpisode, step: int) -> tuple[str, str]:
    return _step(episode, step).thought, ""


def _action(episode: LoggedEpisode, step: int) -> tuple[str, str]:
    _step(episode, step)
    action = action_of(episode, step - 1)
    return action.text, action.note


def _whole_plan(episode: LoggedEpisode, step: int) -> tuple[str, str]:
    _step(episode, 1)
    return _plan(episode.steps), PLAN_MADE_UP_OF


def _plan_so_far(episode: LoggedEpisode, step: int) -> tuple[str, str]:
    """The steps up to the one that comes next: what a later replanning wrote is not known yet."""
    _step(episode, 1)
    return _plan(episode.steps[:step]), PLAN_MADE_UP_OF


def _answer(episode: LoggedEpisode, step: int) -> tuple[str, str]:
    if episode.answer is None:
        raise _broken_off(episode)
    return episode.answer, ""


def _summary(episode: LoggedEpisode, step: int) -> tuple[str, str]:
    if episode.summary is None:
        raise _broken_off(episode)
    return episode.summary, ""


CALLS: dict[str, tuple[tuple[str, ...], Callable[[LoggedEpisode, int], tuple[str, str]]]] = {
    "table-filter": (("react", *PLANS), _table_filter),
    "react-thought": (("react",), _thought),
    "react-action": (("react",), _action),
    "plan-solve": (("plan-solve",), _whole_plan),
    "plan-execute": (("plan-execute",), _plan_so_far),
    "plan-action": (PLANS, _action),
    "replan": (("plan-execute",), _plan_so_far),
    "answer": (("react", *PLANS), _answer),
    "summary": (("react", *PLANS), _summary),
}
"""Prompt without its version -> the methods that use it, and the text and note of the reply at a step (from 1)."""


def _step(episode: LoggedEpisode, number: int) -> LoggedStep:
    if number > len(episode.steps) or (number == 1 and not episode.steps):
        raise _broken_off(episode) if episode.answer is None else _ended(episode)
    return episode.steps[number - 1]


def _ended(episode: LoggedEpisode) -> EngineError:
    return EngineError(
        f"the recorded run of this task ended after {len(episode.steps)} steps", "There is nothing to go on with."
    )


def _broken_off(episode: LoggedEpisode) -> EngineError:
    reason = f": {episode.crash[:200]}" if episode.crash else ""
    return EngineError(f"the recorded run of this task broke off after {len(episode.steps)} steps{reason}")


def _plan(steps: Sequence[LoggedStep]) -> str:
    """The steps as a plan. A mark 第n步： inside a step would cut it in two, so there it loses its colon."""
    lines = (STEP_MARK.sub(lambda mark: mark[0].rstrip("：: "), step.said) for step in steps)
    return "\n".join(f"第{number}步：{line}" for number, line in enumerate(lines, 1))


def _quotes_results(episode: LoggedEpisode) -> bool:
    """Whether a step quotes a value that an earlier result showed and neither the question nor an earlier step
    held."""
    known, shown = episode.question, set[str]()
    for step in episode.steps:
        if any(value in shown and value not in known for value in values_quoted(step.said)):
            return True
        known += step.said
        if step.recording is not None:
            shown |= _texts(read_observation(step.recording.result).value)
    return False


def _texts(value: Literal) -> set[str]:
    """The texts in a result that are long enough to be no chance find."""
    if isinstance(value, dict | list):
        return set().union(*map(_texts, value.values() if isinstance(value, dict) else value))
    return {value} if isinstance(value, str) and len(value) >= TELLING else set()


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n")
