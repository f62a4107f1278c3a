"""LegalAgentBench as the runner sees it: agents, episodes, results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from store.journal import ScoreRow
from store.pack import Pack
from tasks.events import ToolReturned
from tasks.legalagentbench.environment import SEAT, ToolEpisode
from tasks.legalagentbench.questions import Question, load_questions
from tasks.legalagentbench.scoring import score_block, score_one
from tasks.legalagentbench.tools import TOOLS, Toolbox
from tasks.policies.echo import EchoPolicy
from tasks.policies.gold import GoldPolicy
from tasks.policies.human import HumanPolicy
from tasks.policies.react import ReactPolicy
from tasks.program import Program
from tasks.prompts import digest
from tasks.scoring.result import Result
from tasks.seats import Policy
from tasks.state import State


class LegalAgentBench:
    """300 tasks over 17 corpora and 37 tools; any task file of the same layout."""

    name = "legalagentbench"
    seat = SEAT
    agents: Mapping[str, tuple[str, bool]] = {
        "rules": ("rules/1", False),
        "react": ("react/1", True),
        "human": ("human/1", False),
        "gold": ("gold/1", False),
        "echo": ("echo/1", False),
    }

    def load(self, path: Path) -> list[Question]:
        """The questions of a task file."""
        return load_questions(path)

    def program(self, pack: Pack, questions: Sequence[Question], max_turns: int | None) -> Program:
        """Tools over the pack and every policy that may sit in the seat; gold is granted to `gold` alone."""
        makers: dict[str, Callable[[], Policy]] = {
            "rules/1": lambda: _rules(pack),
            "react/1": lambda: ReactPolicy(tuple(TOOLS.values())),
            "human/1": HumanPolicy,
            "gold/1": lambda: GoldPolicy({question.id: question.gold for question in questions}),
            "echo/1": EchoPolicy,
        }
        return ToolEpisode(cache(lambda name: makers[name]()), Toolbox(pack), max_turns)

    def prompts(self, agent: str) -> dict[str, str]:
        """Prompt name -> hash."""
        policy, needs_model = self.agents[agent]
        return {policy: digest(policy)} if needs_model else {}

    def result(self, task_id: str, epoch: int, state: State) -> Result:
        """Answer, outcome, tokens, flags and what was really observed."""
        answered = state.answered
        return Result(
            task_id=task_id,
            outcome=state.stopped.outcome if state.stopped else "cancelled",
            res=answered.res if answered else "",
            summary=answered.summary if answered else "",
            tokens=state.tokens,
            flags=state.flags,
            observations=tuple(r.event.observation for r in state.records if isinstance(r.event, ToolReturned)),
            epoch=epoch,
        )

    def score_rows(self, attempt: int, question: Question, result: Result) -> list[ScoreRow]:
        """The scores of one attempt, for the journal."""
        return [
            ScoreRow(attempt, score.scorer, score.version, score.settings, score.value, score.evidence, "moot")
            for score in score_one(question, result)
        ]

    def score(
        self, run: str, questions: Sequence[Question], results: Sequence[Result], walker: Sequence[Result] | None = None
    ) -> dict[str, Any]:
        """The score block."""
        return score_block(run, questions, results, walker=walker)


def _rules(pack: Pack) -> Policy:
    """Imported on use: its vocabulary and the names of the pack are only needed when the planner plays."""
    from tasks.policies.rules.names import NameIndex
    from tasks.policies.rules.policy import RulesPolicy

    return RulesPolicy(NameIndex.of(pack))
