"""What a benchmark has to offer so that the runner, the command line and the desk can run it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from models.engine import Message
from store.journal import ScoreRow
from store.pack import Pack
from tasks import registry
from tasks.added import agents_of, makers_of
from tasks.agents.modes import MODES, Mode, split
from tasks.agents.policies import EchoPolicy, HumanPolicy
from tasks.agents.prompts import digest
from tasks.episode.events import ActionParsed, Seated, ToolReturned
from tasks.episode.seats import Policy, Program
from tasks.episode.state import State
from tasks.episode.with_tools import SEAT, unused_or_same
from tasks.errors import UsageError
from tasks.run.spec import RunSpec
from tasks.scoring.failures import GENERIC, Diagnosis, generic
from tasks.scoring.metrics import RULES, Rule, Summary, Table, Value
from tasks.scoring.overall import Overall, mean_of
from tasks.scoring.published import PublishedRow
from tasks.scoring.result import NOTHING, Grading, Predictions, Result, ScoreContext, ScoredAttempt, replies_of
from tasks.settings import Settings

Choices = Mapping[str, tuple[str, bool]]
"""What a person may write for a seat -> (policy name, whether it needs a model)."""


class Question(Protocol):
    """A task as everybody may know it; a benchmark hands its own, gold and all, to its own scorers only."""

    @property
    def id(self) -> str:
        """Id as a string."""
        ...

    @property
    def card(self) -> dict[str, Any]:
        """What everybody may know."""
        ...

    @property
    def group(self) -> str:
        """Name of the group in whose rows it counts."""
        ...

    @property
    def cluster(self) -> str:
        """The name under which statistics group it: questions of one cluster are no independent draws."""
        ...


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """Something of the record that a score rests on. found: whether it is as it should be, None where nobody says;
    step: where it was seen, 0 nowhere."""

    what: str
    found: bool | None
    step: int = 0
    quote: str = ""


class Benchmark(ABC):
    """One benchmark: its tasks, the rules of its episodes, its scores, and what is said of its runs. What is not said
    here goes for one tested seat with policies by name and answers in words.

    seat: the tested seat, agents: who may sit there. roles: the other seats of an episode with who may sit there; the
    choice `model` stands for any SPEC of a model. aliases: other words for the tested seat. graders: seats that score
    ended episodes. turns: turns of an episode with a model unless a run sets its own. turn_is_step: False where a
    turn takes several steps and the rules of the episode count turns themselves. settings: what a run can set here
    beyond the common settings. scorers: scorer -> its version, raised whenever its rule changes or its rows say more:
    rows of another version are scored again when they are read. methods: policy of a model -> the modes that it
    knows, each with the prompt files that it uses; with_tools: those of them that call tools. failures: the classes
    of `tasks.scoring.failures.CLASSES` that it can tell.
    """

    name: str
    seat = SEAT
    agents: Choices
    roles: Mapping[str, Choices] = {}
    aliases: Mapping[str, str] = {}
    graders: Sequence[str] = ()
    turns: int
    turn_is_step = True
    settings: type[Settings] = Settings
    scorers: Mapping[str, str] = {}
    methods: Mapping[str, Mapping[Mode, tuple[str, ...]]] = {}
    with_tools: frozenset[str] = frozenset()
    failures: Sequence[str] = GENERIC

    @abstractmethod
    def load(self, path: Path) -> Sequence[Any]:
        """The questions of a task file."""

    @abstractmethod
    def program(self, pack: Pack, questions: Sequence[Any], spec: RunSpec) -> Program:
        """The rules of an episode, shared by all episodes of a run."""

    @abstractmethod
    def score_rows(
        self, attempt: int, question: Any, result: Result, context: ScoreContext = NOTHING
    ) -> list[ScoreRow]:
        """The scores of one attempt, for the journal."""

    @abstractmethod
    def summary(
        self, run: str, questions: Sequence[Any], attempts: Iterable[ScoredAttempt], context: ScoreContext = NOTHING
    ) -> Summary:
        """What a run came to, as metric rows: made of the score rows of its attempts, scored by nobody again."""

    def among(self, chosen: Sequence[Any], questions: Sequence[Any], spec: RunSpec) -> Sequence[Any]:
        """Of the questions `chosen` by their ids, those that the settings of a run mean; `questions` are all."""
        return chosen

    def cast(self, question: Any) -> Sequence[str] | None:
        """The seats of an episode beside the tested one; None where only those sit that a run names."""
        return None

    def need(self, question: Any, sits: Seated, spec: RunSpec) -> int:
        """Tokens of context that a model needs in a seat; 0 where nobody says."""
        return 0

    def parts(self, messages: Sequence[Message]) -> dict[str, int]:
        """Characters of a prompt by part; by who speaks where it has no parts of its own."""
        sizes: dict[str, int] = {}
        for message in messages:
            sizes[message.role] = sizes.get(message.role, 0) + len(message.content)
        return sizes

    def modes(self, policy: str) -> tuple[str, ...]:
        """The modes (lean, free, paper) that a model policy of this name knows; () for policies without a model, and
        for those of other releases."""
        base, mode = split(policy)
        known = self.methods.get(base, {})
        return tuple(one for one in MODES if one in known) if mode in known else ()

    def prompts(self, policy: str) -> dict[str, str]:
        """Prompt name -> hash, of all prompts that this policy may use."""
        base, mode = split(policy)
        return {name: digest(name) for name in self.methods.get(base, {}).get(mode, ())}

    def policies(
        self, pack: Pack, models: Mapping[str, Callable[[str], Policy]], others: Mapping[str, Callable[[], Policy]]
    ) -> Callable[[str], Policy]:
        """A function from the name of a policy to the policy, which is made once a run; `UsageError` for one of
        another release.

        Args:
            pack: for agents of packages.
            models: policy without its mode -> what makes it, given the whole name.
            others: policy without a model -> what makes it.
        """
        makers = {**makers_of(self.name, pack), "human/1": HumanPolicy, "echo/1": EchoPolicy, **others}

        @cache
        def named(name: str) -> Policy:
            if self.modes(name):
                return models[split(name)[0]](name)
            if name not in makers:
                raise UsageError(
                    f"this release has no policy {name}",
                    "The run can be read and scored; to go on, fork it and seat somebody else with --seat agent=….",
                )
            return makers[name]()

        return named

    def result(self, task_id: str, epoch: int, state: State) -> Result:
        """Answer, outcome, tokens, flags and what was really observed."""
        answered = state.answered
        sits = state.seats.get(SEAT)
        by_model = sits is not None and split(sits.policy)[0] in self.with_tools
        return Result(
            task_id=task_id,
            outcome=state.stopped.outcome if state.stopped else "cancelled",
            res=answered.res if answered else "",
            summary=answered.summary if answered else "",
            tokens=state.tokens,
            seconds=state.milliseconds / 1000,
            flags=state.flags | (unused_or_same(state.records) if by_model else frozenset()),
            observations=tuple(r.event.observation for r in state.records if isinstance(r.event, ToolReturned)),
            epoch=epoch,
            actions=tuple(r.event.result for r in state.records if isinstance(r.event, ActionParsed)),
            replies=replies_of(state.records),
        )

    def gradings(self, question: Any, result: Result) -> Sequence[Grading]:
        """What a grader is asked about an attempt; nothing where rules say everything."""
        return ()

    def predictions(self, questions: Sequence[Any], path: Path, tokens: Path | None = None) -> Predictions:
        """The answers of a prediction file; `tokens` is a file of token counts where the layout has one."""
        raise UsageError(f"{self.name} has no prediction files", f"Play its tasks with `moot run {self.name}`.")

    def texts(self, question: Any, result: Result) -> tuple[str, str]:
        """The answer of an attempt and the reference answer; '' for a reference that is no text (letters, say)."""
        return "", ""

    def values(self, rows: Iterable[ScoreRow]) -> Mapping[tuple[Rule, str], Value]:
        """The values of an attempt by rule and name, from 0 to 1; None where there is nothing to score."""
        return {(row.scorer, name): value for row in rows if row.scorer in RULES for name, value in row.value.items()}

    def overall(self, rows: Iterable[ScoreRow]) -> Overall | None:
        """What sums up a run in a list, from the rows of its attempts; None where nothing was scored."""
        return mean_of(rows)

    def failure(self, question: Any, state: State, rows: Sequence[ScoreRow]) -> Diagnosis:
        """Why an attempt failed, from its record, the question with its gold, and what scorers have stored of it."""
        return generic(state)

    def evidence(self, question: Any, state: State) -> Iterable[EvidenceItem]:
        """What an answer rests on beyond what its scorers keep, what it needs first."""
        return ()

    def published(self) -> Sequence[PublishedRow]:
        """The figures that its paper printed, row by row in its order."""
        return ()

    def report_tables(self, run: Any, language: str) -> Sequence[Table]:
        """The tables of a stored run (`tasks.run.rescoring.StoredRun`) that its rows do not tell: they need its
        record."""
        return ()


def benchmarks() -> list[str]:
    """The names of the benchmarks that are installed; nothing is loaded."""
    return registry.names("benchmarks")


def benchmark(name: str) -> Benchmark:
    """The benchmark of this name; `UsageError` when there is none, or none that can be loaded."""
    maker = registry.load("benchmarks", name)
    try:
        made = maker()
    except Exception as error:
        raise registry.unusable("benchmarks", name, f"{type(error).__name__}: {error}") from error
    if not isinstance(made, Benchmark) or made.name != name:
        raise registry.unusable("benchmarks", name, f"this is no benchmark of its name: {made!r:.100}")
    added = {agent: (one.policy, one.needs_model) for agent, one in agents_of(name).items()}
    made.agents = {**made.agents, **added, **made.agents}
    return made


def loadable() -> list[str]:
    """The names of the benchmarks that can be loaded; loads them all. Who asks for a broken one hears why."""
    found = []
    for name in benchmarks():
        with suppress(UsageError):
            benchmark(name)
            found.append(name)
    return found
