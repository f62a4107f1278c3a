"""LegalAgentBench as the runner sees it: agents, episodes, results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from store.journal import ScoreRow
from store.pack import Pack
from tasks import registry
from tasks.added import makers_of, tools_named
from tasks.agents.echo import EchoPolicy
from tasks.agents.human import HumanPolicy
from tasks.agents.modes import TURNS, Mode, split
from tasks.agents.named import policies_by_name
from tasks.agents.prompts import digest
from tasks.benchmark import Choices
from tasks.episode.events import ActionParsed, ToolReturned
from tasks.episode.program import Program
from tasks.episode.seats import Policy
from tasks.episode.state import State
from tasks.episode.with_tools import SEAT, ToolEpisode
from tasks.legalagentbench.agents.direct import DirectPolicy, GoldPolicy
from tasks.legalagentbench.agents.plan_solve import PlanExecutePolicy, PlanSolvePolicy
from tasks.legalagentbench.agents.react import ReactPolicy
from tasks.legalagentbench.failures import APPLIES, failure_of
from tasks.legalagentbench.predictions import match, read_predictions, read_tokens
from tasks.legalagentbench.questions import Question, load_questions
from tasks.legalagentbench.scoring import LabSummary, score_one, summarise
from tasks.legalagentbench.tools import TOOLS, Ranking, Toolbox, caller, spec_of
from tasks.run.spec import RunSpec
from tasks.scoring.context import NOTHING, ScoreContext
from tasks.scoring.failures import Verdict
from tasks.scoring.published import Published, published
from tasks.scoring.result import Grading, Predicted, Predictions, Result
from tasks.settings import Settings, setting

_METHODS: dict[str, Callable[..., Policy]] = {
    "react/1": ReactPolicy,
    "plan-solve/1": PlanSolvePolicy,
    "plan-execute/1": PlanExecutePolicy,
}
_STAGES = ("table-filter/1", "examples/1", "phrases/1")
_LEAN: dict[str, tuple[str, ...]] = {
    "react/1": ("react/1", "answer-summary/1", *_STAGES),
    "plan-solve/1": ("plan-solve/1", "plan-action/1", "answer-summary/1", *_STAGES),
    "plan-execute/1": ("plan-execute/1", "answer-summary/1", *_STAGES),
    "direct/1": ("direct/1", "phrases/1"),
}
_PAPER: dict[str, tuple[str, ...]] = {
    "react/1": ("react-thought/1", "react-action/1", "answer/1", "summary/1", *_STAGES),
    "plan-solve/1": ("plan-solve-paper/1", "plan-action-paper/1", "answer/1", "summary/1", *_STAGES),
    "plan-execute/1": ("plan-execute-paper/1", "plan-action-paper/1", "replan/1", "answer/1", "summary/1", *_STAGES),
}
_NATIVE: dict[str, tuple[str, ...]] = {"react/1": ("react-native/1", "answer-summary/1", *_STAGES)}
PROMPTS: dict[Mode, dict[str, tuple[str, ...]]] = {
    "lean": _LEAN,
    "native": _NATIVE,
    "compact": {"react/1": ("react-compact/1", "phrases/1")},
    "free": _LEAN,
    "paper": _PAPER,
}
"""Mode -> policy -> the prompt files it uses; a policy that is missing does not know the mode."""


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


class LegalAgentBench:
    """300 tasks over 17 corpora and 37 tools; any task file of the same layout."""

    name = "legalagentbench"
    seat = SEAT
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
    roles: Mapping[str, Choices] = {}
    aliases: Mapping[str, str] = {}
    graders: Sequence[str] = ()
    turns = TURNS
    turn_is_step = True
    settings = LabSettings
    failures: Sequence[str] = APPLIES

    def load(self, path: Path) -> list[Question]:
        """The questions of a task file."""
        return load_questions(path)

    def among(self, chosen: Sequence[Question], questions: Sequence[Question], spec: RunSpec) -> Sequence[Question]:
        """All of them."""
        return chosen

    def program(self, pack: Pack, questions: Sequence[Question], spec: RunSpec) -> Program:
        """Tools over the pack and every policy that may sit in the seat; gold is granted to `gold` alone."""
        chosen = LabSettings.of(spec.settings, self.name)
        added = tools_named(chosen.with_tools)
        if ours := sorted(added.keys() & TOOLS.keys()):
            raise registry.unusable("tools", ours[0], "it has the name of one of the 37")
        told = tuple(spec_of(tool) for tool in added.values())
        makers: dict[str, Callable[[], Policy]] = {
            **makers_of(self.name, pack),
            "rules/1": lambda: _rules(pack),
            "human/1": HumanPolicy,
            "gold/1": lambda: GoldPolicy({question.id: question.gold for question in questions}),
            "echo/1": EchoPolicy,
        }

        models: dict[str, Callable[[str], Policy]] = {
            **{name: partial(policy, added=told) for name, policy in _METHODS.items()},
            "direct/1": DirectPolicy,
        }
        named = policies_by_name(self.modes, models, makers)
        return ToolEpisode(named, caller(Toolbox(pack, added, chosen.ranking)), spec.max_turns)

    def cast(self, question: Question) -> None:
        """There is no seat beside the tested one."""

    def modes(self, policy: str) -> tuple[str, ...]:
        """The modes that a model policy knows; () for policies without a model and for those of other releases."""
        base, mode = split(policy)
        known = tuple(name for name, by_policy in PROMPTS.items() if base in by_policy)
        return known if mode in known else ()

    def prompts(self, policy: str) -> dict[str, str]:
        """Prompt name -> hash."""
        base, mode = split(policy)
        return {name: digest(name) for name in PROMPTS[mode].get(base, ())}

    def published(self) -> Sequence[Published]:
        """Tables 3, 14 and 15 of the paper."""
        return published(Path(__file__).with_name("published.toml"))

    def result(self, task_id: str, epoch: int, state: State) -> Result:
        """Answer, outcome, tokens, flags and what was really observed."""
        answered = state.answered
        return Result(
            task_id=task_id,
            outcome=state.stopped.outcome if state.stopped else "cancelled",
            res=answered.res if answered else "",
            summary=answered.summary if answered else "",
            tokens=state.tokens,
            seconds=state.milliseconds / 1000,
            flags=state.flags,
            observations=tuple(r.event.observation for r in state.records if isinstance(r.event, ToolReturned)),
            epoch=epoch,
            actions=tuple(r.event.result for r in state.records if isinstance(r.event, ActionParsed)),
        )

    def score_rows(
        self, attempt: int, question: Question, result: Result, context: ScoreContext = NOTHING
    ) -> list[ScoreRow]:
        """The scores of one attempt, for the journal."""
        return [
            ScoreRow(attempt, score.scorer, score.version, score.settings, score.value, score.evidence, "moot")
            for score in score_one(question, result)
        ]

    def failure(self, question: Question, state: State, rows: Sequence[ScoreRow]) -> Verdict:
        """Why an attempt failed."""
        return failure_of(question, state)

    def texts(self, question: Question, result: Result) -> tuple[str, str]:
        """The answer and the reference answer, as the published BERTScore takes them."""
        return result.res, question.gold.answer

    def gradings(self, question: Question, result: Result) -> Sequence[Grading]:
        """Rules say everything."""
        return ()

    def predictions(self, questions: Sequence[Question], path: Path, tokens: Path | None = None) -> Predictions:
        """Published prediction lines, with the token file beside them if there is one."""
        counted = read_tokens(tokens) if tokens else []
        matched = match([question.id for question in questions], read_predictions(path), counted)
        answers = {key: Predicted(one.res, one.summary, one.failed) for key, one in matched.predictions.items()}
        return Predictions(answers, matched.notes, matched.tokens)

    def summary(
        self, run: str, questions: Sequence[Question], results: Sequence[Result], context: ScoreContext = NOTHING
    ) -> LabSummary:
        """What a run came to."""
        return summarise(run, questions, results, walker=context.walker, benchmark=self.name)


def _rules(pack: Pack) -> Policy:
    """Imported on use: its vocabulary and the names of the pack are only needed when the planner plays."""
    from tasks.legalagentbench.rules.names import NameIndex
    from tasks.legalagentbench.rules.policy import RulesPolicy

    return RulesPolicy(NameIndex.of(pack))
