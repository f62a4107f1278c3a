"""LegalSearch as the runner sees it: 13 tasks, agents with and without tools, seats for analyser, reader and
grader."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from weakref import WeakKeyDictionary

from store.journal import ScoreRow
from store.pack import Pack
from store.search.law_search import CHANNELS, LawSearch
from tasks.agents.budgets import least_context
from tasks.agents.conversation import BEGUN
from tasks.agents.modes import split
from tasks.agents.native import check_tools, tools_size
from tasks.agents.policies import GoldPolicy
from tasks.agents.prompts import digest, fill
from tasks.benchmark import Benchmark, Choices, EvidenceItem
from tasks.episode.events import Seated, ToolReturned
from tasks.episode.seats import Policy, Program
from tasks.episode.state import State
from tasks.episode.with_tools import ToolEpisode
from tasks.errors import UsageError
from tasks.legalsearch.agents import DIRECT_PROMPTS, SEARCH_PROMPTS
from tasks.legalsearch.agents.briefing import RAG, WEB, Briefing, definitions, system
from tasks.legalsearch.agents.policies import DirectLawPolicy, SearchPolicy
from tasks.legalsearch.agents.talking import wanted
from tasks.legalsearch.answers import strict_answer
from tasks.legalsearch.coverage import Coverage
from tasks.legalsearch.failures import APPLIES, evidence_of, failure_of
from tasks.legalsearch.measures import Verdict
from tasks.legalsearch.predictions import grading_of, match, read_predictions
from tasks.legalsearch.questions import LawQuestion, load_questions
from tasks.legalsearch.rules import LawRulesPolicy
from tasks.legalsearch.scoring import VERSIONS, Evidence, score_one, summarise
from tasks.legalsearch.seats import PROMPTS as HELPER_PROMPTS
from tasks.legalsearch.settings import IN_DOMAIN, KINDS, OUT_OF_DOMAIN, TEXTS, LegalSearchSettings, settings_of
from tasks.legalsearch.summary import LawSummary, ToolsetFacts
from tasks.legalsearch.temporal import pair_table, query_table
from tasks.legalsearch.toolbox import OFFERED, LawToolbox, ToolSettings, snapshot_of
from tasks.run.engines import embedder_of
from tasks.run.reading import GRADER
from tasks.run.rescoring import StoredRun
from tasks.run.spec import RunSpec
from tasks.scoring.failures import Diagnosis as Failure
from tasks.scoring.metrics import Table
from tasks.scoring.overall import Overall, by_task, mean
from tasks.scoring.published import PublishedRow, published
from tasks.scoring.result import NOTHING, Grading, PredictedAnswer, Predictions, Result, ScoreContext, ScoredAttempt

SEARCH, DIRECT, COT = "search/1", "direct-law/1", "direct-law-cot/1"
WITH_TOOLS = ("rules", "search", "human")
TURNS = 15
"""Assistant turns of the published loop."""
NAMES = 400
"""Characters that the names of the laws of a pack take in a card, up to the most that are named."""


class LegalSearch(Benchmark):
    """13 tasks about the law in force on a day; any task file of the published layout."""

    name = "legalsearch"
    agents: Choices = {
        "rules": ("law-rules/1", False),
        "search": (SEARCH, True),
        "direct": (DIRECT, True),
        "direct-cot": (COT, True),
        "human": ("human/1", False),
        "gold": ("law-gold/1", False),
        "echo": ("echo/1", False),
    }
    roles: Mapping[str, Choices] = {
        "analyser": {"rules": ("query-rules/1", False), "model": ("analyser/1", True)},
        "reader": {"rules": ("verbatim/1", False), "model": ("reader/1", True)},
    }
    graders: Sequence[str] = ("grader",)
    turns = TURNS
    with_tools = frozenset({SEARCH})
    methods = {SEARCH: SEARCH_PROMPTS, DIRECT: DIRECT_PROMPTS, COT: DIRECT_PROMPTS}
    settings = LegalSearchSettings
    scorers = VERSIONS
    failures: Sequence[str] = APPLIES

    def load(self, path: Path) -> list[LawQuestion]:
        """The questions of a task file."""
        return load_questions(path)

    def need(self, question: LawQuestion, sits: Seated, spec: RunSpec) -> int:
        """For a model in the tested seat: its card with tools and names of laws, the question, one result."""
        method, mode = split(sits.policy)
        prompts = self.methods.get(method, {}).get(mode, ())
        if ":" not in sits.engine or sits.seat != self.seat or not prompts:
            return 0
        chosen, size = settings_of(spec), len(fill(prompts[0]))
        if method == SEARCH:
            brief = Briefing(OFFERED[chosen.tools], today=chosen.today, own=chosen.prompt)
            size = len(system(prompts[0], brief, mode)) + NAMES + BEGUN
            size += tools_size(definitions(brief)) if mode == "native" else 0
        asked = len(wanted(question.card, mode)) + len(str(question.card["question"]))
        return least_context(size + asked, sits)

    def program(self, pack: Pack, questions: Sequence[LawQuestion], spec: RunSpec) -> Program:
        """Tools over the pack and every policy that may sit in the seat; gold is granted to `gold` alone."""
        chosen = settings_of(spec)
        _check_channels(chosen)
        if chosen.prompt and spec.agent != "search":
            raise UsageError(f"agent '{spec.agent}' has no system prompt to replace", "--prompt goes with search.")
        toolbox = toolbox_of(pack, spec)
        if spec.agent == "search" and chosen.tools == "web" and not toolbox.offered:
            raise UsageError(f"pack '{pack.name}' holds no web snapshot", "Import one: moot data import web FOLDER.")
        check_tools(spec.calls, toolbox.offered)
        settings, brief = toolbox.settings, briefing_of(toolbox, pack, chosen)
        heat, entropy = chosen.temperature, chosen.entropy
        models: dict[str, Callable[[str], Policy]] = {
            SEARCH: lambda name: SearchPolicy(name, brief, temperature=heat, entropy=entropy),
            DIRECT: lambda name: DirectLawPolicy(name, cot=False, temperature=heat, entropy=entropy),
            COT: lambda name: DirectLawPolicy(name, cot=True, temperature=heat, entropy=entropy),
        }
        others: dict[str, Callable[[], Policy]] = {
            "law-rules/1": lambda: _rules(pack, toolbox, settings, abstain=chosen.abstain),
            "law-gold/1": lambda: GoldPolicy("law-gold/1", {one.id: one.gold.answer for one in questions}),
        }
        return ToolEpisode(self.policies(pack, models, others), toolbox.call, spec.max_turns)

    def prompts(self, policy: str) -> dict[str, str]:
        """Prompt name -> hash."""
        role, _, version = policy.partition("/")
        if role in HELPER_PROMPTS and version == "1":
            return {name: digest(name) for name in HELPER_PROMPTS[role]}
        return super().prompts(policy)

    def published(self) -> Sequence[PublishedRow]:
        """Tables 2 and 4 of the paper."""
        return published(Path(__file__).with_name("published.toml"))

    def result(self, task_id: str, epoch: int, state: State) -> Result:
        """As of every benchmark; without a snapshot of the web an episode is marked."""
        returned = (record.event for record in state.records if isinstance(record.event, ToolReturned))
        offline = any(event.status == "no_snapshot" for event in returned)
        made = super().result(task_id, epoch, state)
        return replace(made, flags=made.flags | {"rag_only"}) if offline else made

    def score_rows(
        self, attempt: int, question: LawQuestion, result: Result, context: ScoreContext = NOTHING
    ) -> list[ScoreRow]:
        """The scores of one attempt, for the journal."""
        return [score.row(attempt) for score in score_one(question, result, _evidence([question], context))]

    def failure(self, question: LawQuestion, state: State, rows: Sequence[ScoreRow]) -> Failure:
        """Why an attempt failed."""
        return failure_of(question, state, rows)

    def evidence(self, question: LawQuestion, state: State) -> Iterable[EvidenceItem]:
        """Articles that the answer needs, and what was retrieved."""
        return evidence_of(question, state)

    def report_tables(self, run: StoredRun, language: str) -> Sequence[Table]:
        """How many queries name a time, beside the figures of the paper; consistency on time-travel pairs."""
        return [table for table in (query_table(run, language), pair_table(run, language)) if table]

    def texts(self, question: LawQuestion, result: Result) -> tuple[str, str]:
        """The answer without its reasoning and the reference answer, where both are texts."""
        is_text = question.kind.form in TEXTS
        return (strict_answer(result.res), question.gold.answer) if is_text else ("", "")

    def gradings(self, question: LawQuestion, result: Result) -> Sequence[Grading]:
        """A consultation is for a grader."""
        asked = grading_of(question, result)
        return () if asked is None else (asked,)

    def predictions(self, questions: Sequence[LawQuestion], path: Path, tokens: Path | None = None) -> Predictions:
        """Rows of the published metrics script."""
        if tokens is not None:
            raise UsageError("legalsearch has no token files", "Leave --tokens out.")
        results, notes = match(questions, read_predictions(path))
        return Predictions({one.task_id: PredictedAnswer(one.res, one.summary) for one in results}, notes)

    def summary(
        self,
        run: str,
        questions: Sequence[LawQuestion],
        attempts: Iterable[ScoredAttempt],
        context: ScoreContext = NOTHING,
    ) -> LawSummary:
        """What a run came to, with the tools it had."""
        evidence = _evidence(questions, context)
        rules = context.spec is not None and context.spec.agent == "rules"
        return replace(summarise(run, questions, attempts, evidence), tools=_tools(context), rules=rules)

    def overall(self, rows: Iterable[ScoreRow]) -> Overall | None:
        """The mean of the one task that was run, or over the tasks of one domain, as published: the inner one where
        any of its tasks has a score."""
        waits, graded = False, False

        def seen() -> Iterator[ScoreRow]:
            nonlocal waits, graded
            for row in rows:
                values = row.value if isinstance(row.value, dict) else {}
                waits |= row.scorer == "compat" and values.get("score") is None
                graded |= row.scorer == GRADER and None not in values.values()
                yield row

        means = by_task(seen())
        if waits and not graded:  # those that failed would be a selection
            means = {
                task: (None, None) if task in KINDS and KINDS[task].form == "consultation" else both
                for task, both in means.items()
            }
        if len(means) < 2:
            return next((Overall(task, *both) for task, both in means.items()), None)
        scored = [task for task, both in means.items() if both != (None, None)]
        inside = any(task in IN_DOMAIN for task in scored or means)
        own = [both for task, both in means.items() if task in (IN_DOMAIN if inside else OUT_OF_DOMAIN)]
        compat, strict = (mean(both[place] for both in own) for place in (0, 1))
        return Overall("in_domain" if inside else "out_of_domain", compat, strict)


def toolbox_of(pack: Pack, spec: RunSpec) -> LawToolbox:
    """The tools of a run; those for web pages are offered only where there is a snapshot."""
    chosen, settings = settings_of(spec), ToolSettings.of(spec)
    statutes = LawSearch(pack, embed=embedder_of(pack)) if pack.manifest.counts.statutes else None
    return LawToolbox(statutes, snapshot_of(chosen, pack), settings)


def briefing_of(toolbox: LawToolbox, pack: Pack, chosen: LegalSearchSettings) -> Briefing:
    """What the search agent of a run is told."""
    laws = tuple(law.name for law in toolbox.search.book.laws()) if toolbox.search else ()
    return Briefing(toolbox.offered, laws, pack.manifest.as_of, chosen.today, chosen.prompt)


def _rules(pack: Pack, toolbox: LawToolbox, settings: ToolSettings, *, abstain: bool) -> Policy:
    if toolbox.search is None:
        raise UsageError(
            f"pack '{pack.name}' holds no statutes for the rules to look up", "Name another with --pack."
        )
    return LawRulesPolicy(toolbox.search, settings.search, toolbox.offered, abstain=abstain)


_COVERAGE: WeakKeyDictionary[Pack, Coverage] = WeakKeyDictionary()


def _coverage(pack: Pack) -> Coverage:
    """One a pack: it remembers what it has read."""
    if pack not in _COVERAGE:
        _COVERAGE[pack] = Coverage(pack)
    return _COVERAGE[pack]


def _evidence(questions: Sequence[LawQuestion], context: ScoreContext) -> Evidence:
    verdicts = {
        key: Verdict(bool(grade["answer"]), bool(grade["basis"]))
        for key, grade in context.graded.items()
        if grade.get("answer") is not None and grade.get("basis") is not None
    }
    coverage = _coverage(context.pack) if context.pack is not None else None
    if coverage is None or not coverage.useful:
        return Evidence(verdicts=verdicts)
    return Evidence(coverage.covered(questions), verdicts, coverage)


def _tools(context: ScoreContext) -> ToolsetFacts | None:
    """Which tools the agent of a run had, and whether statutes were all it could search; None when nobody knows."""
    spec = context.spec
    if spec is None or not spec.pack:
        return None
    settings = settings_of(spec)
    offered = OFFERED[settings.tools] if spec.agent in WITH_TOOLS else ()
    here = context.pack is not None and context.pack.manifest.counts.pages > 0
    snapshot = bool(settings.web) or (here if context.pack is not None else None)
    there = [tool for tool in offered if tool == RAG or snapshot is not False]
    return ToolsetFacts(there, snapshot, bool(offered) and (WEB not in offered or snapshot is False))


def _check_channels(settings: LegalSearchSettings) -> None:
    for name in settings.channels:
        if name not in CHANNELS:
            raise UsageError(f"there is no channel named '{name}'", f"Channels: {', '.join(CHANNELS)}.")
