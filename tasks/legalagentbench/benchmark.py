"""LegalAgentBench as the runner sees it: agents, episodes, results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from store.journal import ScoreRow
from store.pack import Pack
from tasks import registry
from tasks.added import tools_named
from tasks.agents.budgets import least_context
from tasks.agents.conversation import BEGUN
from tasks.agents.modes import TURNS, Mode, split
from tasks.benchmark import Benchmark, Choices
from tasks.episode.events import Seated
from tasks.episode.seats import Policy, Program
from tasks.episode.state import State
from tasks.episode.with_tools import SEAT, ToolEpisode
from tasks.legalagentbench.agents import cards
from tasks.legalagentbench.agents.cards import EXAMPLES, example_names
from tasks.legalagentbench.agents.methods import (
    DirectPolicy,
    GoldPathPolicy,
    PlanExecutePolicy,
    PlanSolvePolicy,
    ReactPolicy,
)
from tasks.legalagentbench.failures import APPLIES, failure_of
from tasks.legalagentbench.predictions import match, read_predictions, read_tokens
from tasks.legalagentbench.questions import ASKED, WRITING, LabQuestion, load_questions
from tasks.legalagentbench.scoring import VERSIONS, LabSummary, score_one, summarise
from tasks.legalagentbench.tools import TOOLS, Ranking, Toolbox, caller, spec_of
from tasks.run.spec import RunSpec
from tasks.scoring.failures import Diagnosis
from tasks.scoring.published import PublishedRow, published
from tasks.scoring.result import NOTHING, PredictedAnswer, Predictions, Result, ScoreContext, ScoredAttempt
from tasks.settings import Settings, setting

_METHODS: dict[str, Callable[..., Policy]] = {
    "react/1": ReactPolicy,
    "plan-solve/1": PlanSolvePolicy,
    "plan-execute/1": PlanExecutePolicy,
}
_STAGES = ("table-filter/1", "examples/1", "phrases/1")
_ANSWERED = ("answer-summary/1", *_STAGES)
_BY_PAPER = ("answer/1", "summary/1", *_STAGES)


def _modes(lean: tuple[str, ...], **others: tuple[str, ...]) -> dict[Mode, tuple[str, ...]]:
    """Mode -> the prompt files of a method; free text uses those of the lean form."""
    return {"lean": lean, "free": lean, **others}  # type: ignore[dict-item]


METHODS: Mapping[str, Mapping[Mode, tuple[str, ...]]] = {
    "react/1": _modes(
        ("react/1", *_ANSWERED),
        native=("react-native/1", *_ANSWERED),
        compact=("react-compact/1", "compact/1"),
        paper=("react-thought/1", "react-action/1", *_BY_PAPER),
    ),
    "plan-solve/1": _modes(
        ("plan-solve/1", "plan-action/1", *_ANSWERED), paper=("plan-solve-paper/1", "plan-action-paper/1", *_BY_PAPER)
    ),
    "plan-execute/1": _modes(
        ("plan-execute/1", *_ANSWERED),
        paper=("plan-execute-paper/1", "plan-action-paper/1", "replan/1", *_BY_PAPER),
    ),
    "direct/1": _modes(("direct/1", "phrases/1")),
}
"""Method -> mode -> the prompt files that it uses; a mode that is missing it does not know."""


class LabSettings(Settings):
    """What a run of LegalAgentBench can set beyond what all runs can."""

    with_tools: tuple[str, ...] = setting(
        (),
        "Tools of other packages that the agent has beside the 37.",
        metavar="NAME,...",
        for_models=True,
        group="tools",
    )
    ranking: Ranking = setting(
        "hybrid", "How the three retrievers rank: both keyword channels alike, or words first."
    )


class LegalAgentBench(Benchmark):
    """300 tasks over 17 corpora and 37 tools; any task file of the same layout."""

    name = "legalagentbench"
    agents: Choices = {
        "rules": ("rules/1", False),
        "react": ("react/1", True),
        "plan-solve": ("plan-solve/1", True),
        "plan-execute": ("plan-execute/1", True),
        "direct": ("direct/1", True),
        "human": ("human/1", False),
        "gold": ("gold/1", False),
        "echo": ("echo/1", False),
    }
    turns = TURNS
    methods = METHODS
    with_tools = frozenset(METHODS) - {"direct/1"}
    settings = LabSettings
    scorers = VERSIONS
    failures: Sequence[str] = APPLIES

    def load(self, path: Path) -> list[LabQuestion]:
        """The questions of a task file."""
        return load_questions(path)

    def result(self, task_id: str, epoch: int, state: State) -> Result:
        """As of every benchmark; an answer with a name of the examples, which nobody asked or found, is marked."""
        made = super().result(task_id, epoch, state)
        sits = state.seats.get(SEAT)
        if sits is None or EXAMPLES not in self.prompts(sits.policy):
            return made
        own = "\n".join((str(state.card.get("question", "")), *made.observations))
        taken = any(name in made.summary and name not in own for name in example_names())
        return replace(made, flags=made.flags | {"example"}) if taken else made

    def need(self, question: LabQuestion, sits: Seated, spec: RunSpec) -> int:
        """For a model: its card with the tools that every task has, the question, one observation. A model that was
        trained for compact calls has the context that it was trained with."""
        method, mode = split(sits.policy)
        prompts = METHODS.get(method, {}).get(mode, ())
        if ":" not in sits.engine or not prompts or mode == "compact":
            return 0
        card = cards.size(method.partition("/")[0], prompts[0], mode)
        return least_context(card + len(str(question.card["question"])) + BEGUN, sits)

    def program(self, pack: Pack, questions: Sequence[LabQuestion], spec: RunSpec) -> Program:
        """Tools over the pack and every policy that may sit in the seat; gold is granted to `gold` alone."""
        chosen = LabSettings.of(spec.settings, self.name)
        added = tools_named(chosen.with_tools)
        if ours := sorted(added.keys() & TOOLS.keys()):
            raise registry.unusable("tools", ours[0], "it has the name of one of the 37")
        told = tuple(spec_of(tool) for tool in added.values())
        documents = frozenset(question.id for question in questions if question.group in (WRITING, ASKED))
        others: dict[str, Callable[[], Policy]] = {
            "rules/1": lambda: _rules(pack),
            "gold/1": lambda: GoldPathPolicy({question.id: question.gold for question in questions}),
        }
        models: dict[str, Callable[[str], Policy]] = {
            **{name: partial(policy, added=told, documents=documents) for name, policy in _METHODS.items()},
            "direct/1": partial(DirectPolicy, documents=documents),
        }
        named = self.policies(pack, models, others)
        return ToolEpisode(named, caller(Toolbox(pack, added, chosen.ranking)), spec.max_turns)

    def published(self) -> Sequence[PublishedRow]:
        """Tables 3, 14 and 15 of the paper."""
        return published(Path(__file__).with_name("published.toml"))

    def score_rows(
        self, attempt: int, question: LabQuestion, result: Result, context: ScoreContext = NOTHING
    ) -> list[ScoreRow]:
        """The scores of one attempt, for the journal."""
        return [score.row(attempt) for score in score_one(question, result)]

    def failure(self, question: LabQuestion, state: State, rows: Sequence[ScoreRow]) -> Diagnosis:
        """Why an attempt failed."""
        return failure_of(question, state)

    def texts(self, question: LabQuestion, result: Result) -> tuple[str, str]:
        """The answer and the reference answer, as the published BERTScore takes them."""
        return result.res, question.gold.answer

    def predictions(self, questions: Sequence[LabQuestion], path: Path, tokens: Path | None = None) -> Predictions:
        """Published prediction lines, with the token file beside them if there is one."""
        counted = read_tokens(tokens) if tokens else []
        matched = match([question.id for question in questions], read_predictions(path), counted)
        answers = {key: PredictedAnswer(one.res, one.summary, one.failed) for key, one in matched.predictions.items()}
        return Predictions(answers, matched.notes, matched.tokens)

    def summary(
        self,
        run: str,
        questions: Sequence[LabQuestion],
        attempts: Iterable[ScoredAttempt],
        context: ScoreContext = NOTHING,
    ) -> LabSummary:
        """What a run came to."""
        return summarise(run, questions, attempts, self.name)


def _rules(pack: Pack) -> Policy:
    """Imported on use: its vocabulary and the names of the pack are only needed when the planner plays."""
    from tasks.legalagentbench.rules.names import NameIndex
    from tasks.legalagentbench.rules.policy import RulesPolicy

    return RulesPolicy(NameIndex.of(pack))
