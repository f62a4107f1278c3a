"""The courts as the runner sees them: their environments, a tested seat and its others, rules, people, models and
references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from models.engine import Message
from store.journal import ScoreRow
from store.pack import Pack
from tasks.added import makers_of
from tasks.agents.modes import split
from tasks.agents.native import check_tools
from tasks.agents.prompts import digest
from tasks.benchmark import Benchmark, Choices
from tasks.courts.agents import registry
from tasks.courts.agents.model.card import need, prompts
from tasks.courts.agents.model.conversation import parts
from tasks.courts.agents.model.seat import ModelSeat
from tasks.courts.casefile.case import Case
from tasks.courts.casefile.questions import CourtQuestion, load_questions
from tasks.courts.environment import Role, codes, environment
from tasks.courts.play import tracking
from tasks.courts.play.episode import CourtEpisode, limit_of
from tasks.courts.play.tools import CourtTools
from tasks.courts.play.view import CourtPolicy
from tasks.courts.scores.aggregate import stored_overall, stored_values
from tasks.courts.scores.score import gradings, score_one, versions
from tasks.courts.scores.summary import CourtSummary, summarise
from tasks.courts.settings import CourtSettings, settings_of
from tasks.episode.events import ActionParsed, AttemptStarted, Leaked, Routed, Said, Seated, ToolCalled, TopicTracked
from tasks.episode.seats import Program
from tasks.episode.state import State
from tasks.episode.with_tools import SEAT
from tasks.errors import UsageError
from tasks.run.spec import RunSpec
from tasks.scoring.metrics import Rule, Value
from tasks.scoring.overall import Overall
from tasks.scoring.published import PublishedRow
from tasks.scoring.result import NOTHING, Grading, Result, ScoreContext, ScoredAttempt, replies_of

_ANYBODY: Choices = {
    "rules": (registry.RULES, False), "human": (registry.HUMAN, False), "model": (registry.MODEL, True),
}  # fmt: skip
_TRACKER: Choices = {"rules": (tracking.RULES, False), "model": (tracking.MODEL, True)}
_CLERK: Choices = {"rules": (registry.RULES, False)}
_SPECIAL: Mapping[str, Choices] = {"tracker": _TRACKER, "clerk": _CLERK}

HEARD = (AttemptStarted, Seated, Said, Routed, TopicTracked, ToolCalled, Leaked)
"""Events that scorers read: what was said, by whom and to whom, what the tracker made of it, tools, leaks, the seed
of the attempt."""


class Courts(Benchmark):
    """KQ, LC, CD, DD, CI, CR and what packages add; case files of ours or of the published layout."""

    name = "courts"
    agents: Choices = {
        "rules": (registry.RULES, False),
        "direct": (registry.MODEL, True),
        "human": (registry.HUMAN, False),
        "gold": (registry.GOLD, False),
        "echo": (registry.ECHO, False),
    }
    aliases: Mapping[str, str] = {"judge": SEAT, "trainee": SEAT}
    graders: Sequence[str] = ("grader",)
    turns = 50
    turn_is_step = False
    settings = CourtSettings

    def __init__(self) -> None:
        seats = dict.fromkeys(role for code in codes() for role in environment(code).others)
        self.roles = {role: _SPECIAL.get(role, _ANYBODY) for role in seats}
        self.scorers = versions()

    def load(self, path: Path) -> list[CourtQuestion]:
        """The cases of a task file."""
        return load_questions(path)

    def among(
        self, chosen: Sequence[CourtQuestion], questions: Sequence[CourtQuestion], spec: RunSpec
    ) -> Sequence[CourtQuestion]:
        """Those of the environment that a run names."""
        env = settings_of(spec).env
        kept = [question for question in chosen if env in ("", question.case.env)]
        if chosen and not kept:
            there = dict.fromkeys(question.case.env for question in questions)
            raise UsageError(f"no task of environment '{env}' is chosen", f"The task file has {', '.join(there)}.")
        return kept

    def program(self, pack: Pack, questions: Sequence[CourtQuestion], spec: RunSpec) -> Program:
        """Every policy that may sit in a seat, and the tools of the tested one; gold is granted to `gold` alone."""
        settings = settings_of(spec)
        cases = {question.id: question.case for question in questions}
        tools = CourtTools.of(pack, spec, cases)
        check_tools(spec.calls, tools.offered)
        heat, entropy = settings.temperature or 0.0, settings.entropy
        named = registry.policies(tools.search, lambda name: ModelSeat(name, temperature=heat, entropy=entropy))
        added = {name: make() for name, make in makers_of(self.name, pack).items()}

        def seated(name: str, case: Case, role: Role) -> CourtPolicy:
            return added[name] if name in added and role == environment(case.env).tested else named(name, case, role)

        return CourtEpisode(
            cases, seated, settings.profile, spec.max_turns, tools.call, tools.offered, fold=settings.fold,
            aided=settings.aid == "duties", measured=settings.measured,
        )  # fmt: skip

    def cast(self, question: CourtQuestion) -> Sequence[str]:
        """Everybody has a seat: the journal says who sat where."""
        return environment(question.case.env).others

    def modes(self, policy: str) -> tuple[str, ...]:
        """The modes that a model policy knows."""
        base, mode = split(policy)
        return registry.MODES if base == registry.MODEL and mode in registry.MODES else ()

    def need(self, question: CourtQuestion, sits: Seated, spec: RunSpec) -> int:
        """Tokens of context that a model needs in a seat; 0 for whoever is no model."""
        if ":" not in sits.engine or sits.seat not in (self.seat, *environment(question.case.env).others):
            return 0
        settings = settings_of(spec)
        limit = spec.max_turns or limit_of(question.case, settings.profile)
        folds = settings.fold or settings.profile == "law"
        return 0 if sits.seat == "tracker" else need(question.case, sits, settings.profile, limit, folds=folds)

    def parts(self, messages: Sequence[Message]) -> dict[str, int]:
        """Characters of a prompt by part."""
        return parts(messages)

    def prompts(self, policy: str) -> dict[str, str]:
        """Prompt name -> hash."""
        if policy == tracking.MODEL:
            return {name: digest(name) for name in tracking.PROMPTS}
        base, mode = split(policy)
        return {name: digest(name) for name in prompts(mode)} if base == registry.MODEL else {}

    def published(self) -> Sequence[PublishedRow]:
        """Tables 2 and 5 of the paper; loaded on use, as all tables of the paper are."""
        from tasks.reports.court_published import rows

        return rows()

    def result(self, task_id: str, epoch: int, state: State) -> Result:
        """What was said, and what the controller made of it."""
        events = [record.event for record in state.records]
        said = [event.text for event in events if isinstance(event, Said) and event.seat == SEAT and event.turn > 0]
        return Result(
            task_id=task_id,
            outcome=state.stopped.outcome if state.stopped else "cancelled",
            res=said[-1] if said else "",
            summary="\n\n".join(said),
            tokens=state.tokens,
            seconds=state.milliseconds / 1000,
            flags=state.flags,
            epoch=epoch,
            actions=tuple(event.result for event in events if isinstance(event, ActionParsed) and event.seat == SEAT),
            heard=tuple(event for event in events if isinstance(event, HEARD)),
            replies=replies_of(state.records),
        )

    def score_rows(
        self, attempt: int, question: CourtQuestion, result: Result, context: ScoreContext = NOTHING
    ) -> list[ScoreRow]:
        """The scores of one attempt, for the journal."""
        return [score.row(attempt) for score in score_one(question, result, context)]

    def values(self, rows: Iterable[ScoreRow]) -> Mapping[tuple[Rule, str], Value]:
        """The values of an attempt, with the mean of the columns of the published main table."""
        return stored_values(list(rows))

    def gradings(self, question: CourtQuestion, result: Result) -> Sequence[Grading]:
        """Open topics, text parts of documents, rulings and reasons are for a grader."""
        return gradings(question, result)

    def summary(
        self,
        run: str,
        questions: Sequence[CourtQuestion],
        attempts: Iterable[ScoredAttempt],
        context: ScoreContext = NOTHING,
    ) -> CourtSummary:
        """What a run came to."""
        return summarise(run, questions, attempts, context)

    def overall(self, rows: Iterable[ScoreRow]) -> Overall | None:
        """The mean of the columns of the published table."""
        return stored_overall(rows)
