"""What a courts run came to: its rows, what is counted beside them, the published block and the notes of a report.

Figures are from 0 to 100, distances apart. Groups are the environments that ran, and all together. Compat counts
failures as published, strict leaves broken attempts out and shows both bounds. Sections beside the scores: `overall`
(the other mean), `repeat N` (each repeat of the tasks), `turns`, `stages`, `consistency` and `graded` (of the
simulated roles, by rules and by a grader). In the block a tree holds one object an environment; where one environment
ran, its metrics stand at the top level too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tasks.courts.casefile.case import Case, Env
from tasks.courts.casefile.questions import CourtQuestion
from tasks.courts.environment import codes, environment
from tasks.courts.procedure.model import CODES
from tasks.courts.scores import aggregate
from tasks.courts.scores.aggregate import (
    NOTHING_SCORED,
    Columns,
    CourtScores,
    Members,
    averaged_in,
    columns,
    mean_of,
    overall,
    rated,
    values_of,
    with_verdicts,
)
from tasks.courts.scores.columns import OVERALL, OVERALL_NAMES, averaged, column_names, metrics
from tasks.courts.scores.score import ceiling, floor
from tasks.courts.scores.simulators import objections
from tasks.courts.settings import settings_of
from tasks.episode.events import FAULTS
from tasks.reports.words import phrase, show, word
from tasks.scoring.metrics import (
    POINTS,
    RULES,
    AttemptCounts,
    Group,
    Limit,
    Measure,
    Metric,
    Pick,
    Report,
    Rule,
    Summary,
    Table,
    Tree,
    nested,
)
from tasks.scoring.names import measure_name
from tasks.scoring.result import Result, Score, ScoreContext, ScoredAttempt, complete, newest, with_versions

BENCHMARK = "courts"
FLAGS = ("outside_pack", "leak", "repaired", "rejected", "length", "repetition", *FAULTS, "human", "human_role")


@dataclass(frozen=True)
class CourtSummary(Summary):
    """profile: of the procedure; scored: attempts that the machinery did not break; objections: why the numbers may
    not be ranked with those of other runs; unfinished: environment -> dialogues that did not reach every topic;
    violations: code -> how often; moved: environment -> compat metric -> trials in which words read out of the case
    file move it; roles: environment -> simulated role -> what is known of it;
    answers: likewise, how it answered; unmet: environment -> act -> duties that got no valid answer."""

    limits = {
        "floor": ("下限：固定套话", "Floor: fixed formula"),
        "reference": ("上限：参照答案", "Ceiling: gold answer"),
    }
    profile: str = "law"
    scored: int = 0
    objections: Sequence[str] = ()
    unfinished: Mapping[str, int] = field(default_factory=dict)
    violations: Mapping[str, int] = field(default_factory=dict)
    moved: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    roles: Mapping[str, Mapping[str, Tree]] = field(default_factory=dict)
    answers: Mapping[str, Mapping[str, Tree]] = field(default_factory=dict)
    unmet: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def envs(self) -> list[str]:
        """The environments that ran."""
        return [group.name for group in self.groups if not group.whole]

    def tree(self, rows: Iterable[Metric], pick: Pick) -> Tree:
        """Environment -> metric, the overall score beside them."""
        return _shaped(rows, pick, self.envs)

    def limit(self, name: Limit) -> dict[str, Tree]:
        """The trees of a limit, of those environments that have it."""
        rows = [row for row in self.scores if name in row.limits]
        return {
            rule: _shaped(
                [row for row in rows if row.measure.rule == rule], lambda row: row.limits[name], _envs(rows)
            )
            for rule in RULES
        }

    def by_env(self, pick: Pick, where: Callable[[Metric], bool] = lambda row: True) -> dict[str, Tree]:
        """The trees of both rules without the overall score."""
        return self.by_rule(pick, lambda row: not row.group.whole and where(row))

    def block(self) -> Tree:
        """The published block."""
        made = super().block()
        low, high = (self.by_env(lambda row, side=side: row.bounds and row.bounds[side])["strict"] for side in (0, 1))  # type: ignore[misc]
        repeats = range(self.tally.epochs if self.tally.epochs > 1 else 0)
        consistency = nested((row.group.name, row.measure.name, row.value) for row in self.section("consistency"))
        return {
            **made,
            "profile": self.profile,
            "strict": {
                **self.by_rule(lambda row: row.value)["strict"], "n_scored": self.scored,
                "bounds": {"errors_as_zero": low, "errors_as_one": high},
            },
            "overall": {rule: self._overall(rule) for rule in RULES},
            "n_scored": self.by_env(lambda row: row.n),
            "unscored": self.by_env(lambda row: row.why, lambda row: bool(row.why)),
            "floor": {"rule": "an episode of echo", **self.limit("floor")},
            "ceiling": {
                "rule": "gold answer, full grades; procedure by definition", **self.limit("reference"),
            },
            "design_effect": {},
            "effective_n": {},
            "unfinished": dict(self.unfinished),
            "turns": {
                env: {**{row.measure.name: row.value for row in rows}, "n": rows[0].n}
                for env in self.envs
                if (rows := [row for row in self.section("turns") if row.group.name == env])
            },
            "stages": self._stages(),
            "violations": dict(self.violations),
            "moved_by_text": {env: dict(counts) for env, counts in self.moved.items()},
            "consistency": _flat(consistency),
            "consistency_details": {
                env: dict(roles) for env, roles in self.roles.items()
            },
            "validity": _flat(nested((row.group.name, row.measure.name, row.value)
                for row in self.section("validity"))),
            "validity_details": {
                env: dict(roles) for env, roles in self.answers.items()
            },
            "unmet": {env: dict(counts) for env, counts in self.unmet.items()},
            "comparable": not self.objections,
            "not_comparable": list(self.objections),
            "repeats": [{"epoch": epoch, **self._repeat(f"repeat {epoch}")} for epoch in repeats],
        }  # fmt: skip

    def _stages(self) -> Tree:
        rows = self.section("stages")
        return {
            env: {rule: {row.measure.name: row.value for row in own if row.measure.rule == rule} for rule in RULES}
            for env in self.envs
            if (own := [row for row in rows if row.group.name == env])
        }

    def _repeat(self, section: str) -> dict[str, Tree]:
        rows = self.section(section)
        return {
            rule: _shaped([row for row in rows if row.measure.rule == rule], lambda row: row.value, _envs(rows))
            for rule in RULES
        }

    def columns(self, rule: str) -> tuple[list[str], list[str]]:
        """The columns that the overall score rests on, and those that it lacks."""
        rows = {f"{env} {name}": self.value(rule, env, name) for env in self.envs for name in averaged(env)}
        return [name for name, value in rows.items() if value is not None], [
            name for name, value in rows.items() if value is None
        ]

    def _overall(self, rule: str) -> Tree:
        there, missing = self.columns(rule)
        by_env = self.value(rule, OVERALL, "by_env", "overall")
        return {"mean": self.value(rule, OVERALL, OVERALL), "by_env": by_env, "columns": there, "missing": missing}

    def notes(self, language: str) -> list[tuple[str, str]]:
        """Profile, whether the run may be compared, what is unscored and why, limits, faults."""
        faults = {
            code: CODES.get(code, code) if language != "en" else code.replace("_", " ") for code in self.violations
        }
        envs = {env: environment(env).label[language == "en"] for env in self.envs}
        why = "; ".join(phrase(reason, language) for reason in self.objections)
        reasons: dict[str, dict[str, None]] = {}
        for env in self.envs:
            for row in self.scores:
                if row.why and row.group.name == env:
                    reasons.setdefault(phrase(row.why, language), {})[f"{env} {row.measure.name}"] = None
        return [
            ("profile", word(f"profile.{self.profile}", language)),
            ("comparable", word(f"comparable.{'no' if self.objections else 'yes'}", language).format(why=why)),
            ("overall_of", self._rests_on(language)),
            ("limits", word("limits.order", language)),
            ("compat_ceiling", self._short_of_full(language)),
            ("unscored", "; ".join(f"{reason}: {column_names(names, language)}" for reason,
                names in reasons.items())),
            ("unfinished", ", ".join(f"{envs[env]} {count}" for env, count in self.unfinished.items() if count)),
            ("unmet", "; ".join(f"{envs[env]} {sum(counts.values())}" for env, counts in self.unmet.items())),
            ("violations", ", ".join(f"{faults[code]} {count}" for code, count in self.violations.items())),
            ("moved_by_text", "; ".join(
                f"{envs[env]}: " + ", ".join(f"{measure_name(name, language)} {n}" for name, n in counts.items())
                for env, counts in self.moved.items()
            )),
        ]  # fmt: skip

    def _rests_on(self, language: str) -> str:
        """The columns that the overall scores rest on, where some lack."""
        made = {rule: self.columns(rule) for rule in RULES}
        if not any(missing for _, missing in made.values()):
            return ""
        said = {
            rule: word("overall.only", language).format(names=column_names(there, language) or "–")
            for rule, (there, _) in made.items()
        }
        if len(set(said.values())) == 1:
            return said["compat"]
        return "; ".join(f"{word(f'{rule}.all', language)} {text}" for rule, text in said.items())

    def _short_of_full(self, language: str) -> str:
        """Metrics of which even the gold answer does not earn everything by the published rule, and why."""
        found: dict[str, list[str]] = {}
        for env in self.envs:
            for row in self.scores:
                best = row.limits.get("reference")
                if (
                    (row.measure.rule, row.group.name, row.measure.better) == ("compat", env, "up")
                    and best is not None
                    and best < 100
                ):
                    why = "ceiling.labels" if (env, row.measure.name) == ("DD", "FOR") else "ceiling.gold"
                    found.setdefault(why, []).append(
                        f"{row.group.label[language == 'en']} {row.measure.called(language)} {show(best, 1)}"
                    )
        return "; ".join(f"{', '.join(names)} ({word(why, language)})" for why, names in found.items())

    def tables(self, reports: Sequence[Report], language: str) -> list[Table]:
        """Tables beside the published ones; loaded on use, reports of other benchmarks do without them."""
        from tasks.reports.court_tables import court_tables

        return court_tables(reports, language)


def _shaped(rows: Iterable[Metric], pick: Pick, envs: Sequence[str]) -> Tree:
    trees: dict[str, Tree] = {env: {} for env in envs}
    beside: Tree = {}
    for row in rows:
        (beside if row.group.whole else trees[row.group.name])[row.measure.name] = pick(row)
    return {**_flat(dict(trees)), **beside}


def _flat(tree: Tree) -> Tree:
    """A tree by environment; where one ran, what it holds stands at the top level too."""
    only = next(iter(tree.values())) if len(tree) == 1 else {}
    return {**tree, **only} if isinstance(only, dict) else tree


def _envs(rows: Iterable[Metric]) -> list[str]:
    return list(dict.fromkeys(row.group.name for row in rows if not row.group.whole))


def summarise(
    run: str, questions: Sequence[CourtQuestion], attempts: Iterable[ScoredAttempt], context: ScoreContext
) -> CourtSummary:
    """What a run came to.

    Args:
        run: id of the run.
        questions: all tasks that were asked; one without a result counts as an error.
        attempts: with their rows, in any order, repeats included; attempts at no question are left out.
        context: what was run (its profile and seed), the words of graders.
    """
    cases = {question.id: question.case for question in questions}
    limits: dict[Limit, list[CourtScores]] = {
        "floor": _limits(cases.values(), floor),
        "reference": _limits(cases.values(), ceiling),
    }
    best = {one.case.id: one.values for one in limits["reference"]}
    made = []
    versions: dict[str, str] = {}
    for attempt in complete(questions, with_versions(attempts, versions)):
        case, key = cases[attempt.result.task_id], (attempt.result.task_id, attempt.result.epoch)
        could = best.get(case.id) or {rule: dict.fromkeys(metrics(rule, case.env), 1.0) for rule in RULES}
        made.append(rated(case, attempt, context.graded.get(key, {}), could))
    members = by_env(made)
    clusters = {env: {one.case.cluster for one in own} for env, own in members.items()}
    groups = {env: Group(env, environment(env).label, len(own), len(clusters[env])) for env, own in members.items()}
    whole = Group(OVERALL, OVERALL_NAMES, None, len(set[str]().union(*clusters.values())), whole=True)
    tally = AttemptCounts.of([one.result for one in made], FLAGS)
    scored = sum(one.result.scored for one in made)
    every = {"compat": tally.n, "strict": scored}
    unmet = {env: counts for env, own in members.items() if (counts := aggregate.unmet(own))}
    found = {rule: columns(members, rule, groups) for rule in RULES}
    extremes: dict[Rule, dict[Limit, Columns]] = {
        rule: {name: columns(by_env(own), rule, groups) for name, own in limits.items()} for rule in RULES
    }
    rows: list[Metric] = []
    for rule in RULES:
        for (env, name), row in found[rule].items():
            there = {limit: own[env, name].value for limit, own in extremes[rule].items() if (env, name) in own}
            count = sum(unmet.get(env, {}).values()) if rule == "strict" and name in ("PFS", "STA", "ACT") else 0
            left_out = f"{count} duties that got no valid answer are left out" if count else ""
            rows.append(replace(row, limits=there, why=row.why or left_out))
    for rule in RULES:
        rows += overall(found[rule], members, rule, whole, every[rule], extremes[rule])
    rows += _repeats(made, groups, whole) if tally.epochs > 1 else []
    rows += [row for env, own in members.items() for row in aggregate.beside(groups[env], own)]
    reasons = objections(context, [(one.case, one.transcript) for one in made], rows)
    return CourtSummary(
        run, BENCHMARK, tally, [*groups.values(), whole], rows,
        versions, "metrics", settings_of(context.spec).profile if context.spec else "law", scored,
        reasons + ([] if scored else [NOTHING_SCORED]),
        {env: sum(not one.finished for one in own) for env,
            own in members.items() if environment(env).kind == "advice"},
        aggregate.violations(made),
        {env: moved for env, own in members.items() if (moved := aggregate.moved_by_text(own))},
        {env: aggregate.details(own) for env, own in members.items()},
        {env: aggregate.answers(own) for env, own in members.items()},
        unmet,
    )  # fmt: skip


def _repeats(made: Sequence[CourtScores], groups: Mapping[Env, Group], whole: Group) -> Iterator[Metric]:
    """The columns of each repeat of the tasks, and their mean."""
    for epoch in sorted({one.result.epoch for one in made}):
        own = by_env([one for one in made if one.result.epoch == epoch])
        for rule in RULES:
            found = columns(own, rule, groups)
            for (env, name), one in found.items():
                yield Metric(_again(rule, name, epoch), groups[env], one.value, one.n)
            mean = mean_of(found, averaged_in(found))
            yield Metric(_again(rule, OVERALL, epoch), whole, mean, sum(map(len, own.values())))


def _again(rule: Rule, name: str, epoch: int) -> Measure:
    return Measure(rule, name, unit=POINTS, section=f"repeat {epoch}")


def by_env(rated: Sequence[CourtScores]) -> Members:
    """Attempts by environment in the order of the published tables, with the scores that a whole run is needed
    for."""
    full = with_verdicts(rated)
    found = {env: [one for one in full if one.env == env] for env in codes()}
    return {env: own for env, own in found.items() if own}


def _limits(cases: Iterable[Case], limit: Callable[[Case], Sequence[Score]]) -> list[CourtScores]:
    """What cases come to at a limit, those that have it."""
    made = []
    for case in cases:
        if scores := limit(case):
            one = ScoredAttempt(Result(case.id, "finished", "", ""), newest(score.row(0) for score in scores))
            made.append(rated(case, one, {}, values_of(case.env, one)))
    return made
