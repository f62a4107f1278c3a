"""What every module and table of the rule seats is worth: scores with it and without it, on unseen cases and on the
known 72.

A knock-out puts a neutral result in the place of a module's entry, or empties a table, in a process of its own;
nobody writes a journal, so that a row costs seconds. Scores are 0-100, strict rule unless a name says otherwise; VER
is better when low.

    python tests/measure/ablation_courts.py                # the table
    python tests/measure/ablation_courts.py --scores       # all scores as they are, with intervals
"""

from __future__ import annotations

import argparse
import importlib
import json
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2]))

from tasks.courts.agents import registry  # noqa: E402
from tasks.courts.agents.registry import expert  # noqa: E402
from tasks.courts.benchmark import Courts  # noqa: E402
from tasks.courts.casefile.questions import CourtQuestion, load_questions  # noqa: E402
from tasks.courts.environment import codes, environment  # noqa: E402
from tasks.courts.play.episode import CourtEpisode  # noqa: E402
from tasks.courts.play.tracker_seat import RULES as TRACKER  # noqa: E402
from tasks.courts.play.views import CourtPolicy, CourtView  # noqa: E402
from tasks.courts.scores.of_run.members import together  # noqa: E402
from tasks.courts.scores.of_run.rating import Heard, followed, rates  # noqa: E402
from tasks.episode.driver import Driver, Limits  # noqa: E402
from tasks.episode.events import AttemptStarted, Seated  # noqa: E402
from tasks.episode.with_tools import SEAT  # noqa: E402
from tasks.run.spec import RunSpec  # noqa: E402
from tasks.sample.courtcases import court_cases  # noqa: E402
from tasks.scoring.context import ScoreContext  # noqa: E402

ENVS = ("KQ", "LC", "CD", "DD", "CI", "CR")
FOLDERS = {
    "KQ": "knowledge",
    "LC": "consultation",
    "CD": "disputes",
    "DD": "disputes",
    "CI": "disputes",
    "CR": "criminal",
}
SHOWN: Mapping[str, Sequence[str]] = {
    "KQ": ("BIN", "NBIN_proxy"), "LC": ("BIN", "NBIN_proxy"), "CD": ("FOR", "DOC_proxy"), "DD": ("FOR", "DOC_proxy"),
    "CI": ("PFS", "JUD_claims", "REA_points", "LAW", "LAW_FAKE"),
    "CR": ("PFS", "CRI", "VER", "REA_points", "LAW", "LAW_FAKE"),
}  # fmt: skip
GROUPS = ("open", "closed", "known")
"""The opened and the closed half of the unseen files, and the sample cases."""

TESTED_BY = Courts.agents["rules"][0]
"""The policy of the tested seat; `--plain` leaves the experts out."""

Scores = dict[tuple[str, str, str], float | None]
"""(group, environment, metric) -> value."""


def _nobody(name: str) -> Any:
    raise AssertionError(f"no model sits here: {name}")


def cases_of(env: str) -> dict[str, list[CourtQuestion]]:
    """Group -> cases."""
    unseen = [one for one in load_questions(HERE.parents[1] / "court_unseen" / FOLDERS[env]) if one.case.env == env]
    return {
        "open": [one for one in unseen if int(one.id[-1]) % 2],
        "closed": [one for one in unseen if not int(one.id[-1]) % 2],
        "known": [CourtQuestion(case) for case in court_cases() if case.env == env],
    }


def block_of(questions: Sequence[CourtQuestion], profile: Any = "law") -> dict[str, Any]:
    """The score block of cases that the rules play in memory."""
    bench = Courts()
    named = registry.policies(None, _nobody)
    program = CourtEpisode({one.id: one.case for one in questions}, named, profile, None)
    results = []
    for one in questions:
        results.append(_played(program, one))
    spec = RunSpec(benchmark="courts", settings={"profile": profile})
    return bench.summary("ablation", questions, results, ScoreContext(spec=spec)).block()


def _played(program: CourtEpisode, one: CourtQuestion) -> Any:
    """One episode with rules in every seat."""
    driver = Driver(one.id, 1, program, lambda: 0.0, lambda: 0.0, Limits(turns=500))
    driver.note(AttemptStarted(benchmark="courts", task_id=one.id, attempt=1, seed=0, card=one.card), step=0)
    for seat in (SEAT, *environment(one.case.env).others):
        policy = TESTED_BY if seat == SEAT else TRACKER if seat == "tracker" else registry.RULES
        driver.note(Seated(seat=seat, policy=policy, engine=""), step=0)
    while not driver.stopped:
        driver.advance()
    return Courts().result(one.id, 0, driver.state)


def scores(envs: Iterable[str], profile: Any = "law") -> Scores:
    """All shown scores of some environments."""
    found: Scores = {}
    for env in envs:
        for group, questions in cases_of(env).items():
            block = block_of(questions, profile)
            for metric in SHOWN[env]:
                found[group, env, metric] = block["strict"].get(metric)
            found[group, env, "ended"] = 100.0 * block["outcomes"]["finished"] / block["n"]
            found[group, env, "leak"] = float(block["flags"]["leak"])
            found[group, env, "violations"] = float(sum(block["violations"].values()) if block["violations"] else 0)
    return found


# --- the judgment alone ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tried:
    """A trial up to its judgment. view: what the judge saw before it."""

    group: str
    env: str
    case: Any
    view: CourtView
    heard: Heard


class _Watched:
    """A judge whose last view before the judgment is kept."""

    def __init__(self, policy: CourtPolicy, views: dict[str, CourtView]) -> None:
        self._policy, self._views = policy, views

    def move(self, view: CourtView) -> Any:
        said = yield from self._policy.move(view)
        if "判决如下" in said.text and view.case_id not in self._views:
            self._views[view.case_id] = view
        return said


def tried(env: str) -> list[Tried]:
    """All trials of an environment, played once."""
    found = []
    views: dict[str, CourtView] = {}
    named = registry.policies(None, _nobody)

    def watched(name: str, case: Any, role: Any) -> CourtPolicy:
        policy = named(name, case, role)
        return _Watched(policy, views) if role == "judge" else policy

    for group, questions in cases_of(env).items():
        program = CourtEpisode({one.id: one.case for one in questions}, watched, "law", None)
        for one in questions:
            result = _played(program, one)
            found.append(Tried(group, env, one.case, views[one.id], Heard.of(one.case, result)))
    return found


def judged(trials: Sequence[Tried]) -> Scores:
    """The scores of trials whose judgment is given anew."""
    values: dict[tuple[str, str, str], list[float]] = {}
    policies: dict[str, CourtPolicy] = {}
    named = registry.policies(None, _nobody)
    for one in trials:
        policy = policies.setdefault(one.env, named(TESTED_BY, one.case, "judge"))
        text = _say(policy, one.view).text
        turns = tuple(
            replace(turn, text=text) if turn.speaker == "judge" and turn.number == one.view.turn else turn
            for turn in one.heard.record
        )
        own = tuple(text if place == one.view.turn - 1 else words for place, words in enumerate(one.heard.own))
        heard = replace(one.heard, record=turns, own=own)
        strict = together(rates(one.case, heard)({}), followed(one.case, heard, "law"), one.env)["strict"]
        for metric in SHOWN[one.env]:
            if (value := strict.get(metric)) is not None:
                values.setdefault((one.group, one.env, metric), []).append(value)
    return {key: 100 * sum(listed) / len(listed) for key, listed in values.items()}


def _say(policy: CourtPolicy, view: CourtView) -> Any:
    move = policy.move(view)
    try:
        next(move)
    except StopIteration as end:
        return end.value
    raise AssertionError("rules ask nobody")


# --- knock-outs -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Knock:
    """name; the environments that can change; what switches it off."""

    name: str
    envs: tuple[str, ...]
    off: Callable[[], None]
    full: bool = False
    """Whether whole trials have to be played anew: it changes more than the judgment."""


def swap(where: str, neutral: Any) -> None:
    """Put a neutral object in the place of `module:name`, wherever it was imported."""
    module, name = where.split(":")
    old = getattr(importlib.import_module(module), name)
    for one in list(sys.modules.values()):
        if (getattr(one, "__name__", "") or "").startswith("tasks."):
            for key, value in list(vars(one).items()):
                if value is old:
                    setattr(one, key, neutral)


def loaded() -> None:
    """Import everything that a knock-out may have to reach."""
    for seat in (seat for code in codes() for seat in environment(code).seats.values() if seat.rules):
        registry.loaded(seat.rules)
    for kind in ("civil", "criminal", "advice"):
        expert(kind)  # type: ignore[arg-type]


C, R, A = "tasks.experts.civil.", "tasks.experts.criminal.", "tasks.experts.advice."
P = "tasks.courts.agents."


def _at(where: str) -> Any:
    module, name = where.split(":")
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def fun(name: str, envs: Sequence[str], *pairs: tuple[str, Any], full: bool = False) -> Knock:
    """Functions (`module:name`) and methods (`module:Class.name`) replaced by neutral ones."""

    def off() -> None:
        for where, neutral in pairs:
            module, dotted = where.split(":")
            if "." in dotted:
                owner, _, attribute = dotted.rpartition(".")
                setattr(_at(f"{module}:{owner}"), attribute, neutral)
            else:
                swap(where, neutral)

    return Knock(name, tuple(envs), off, full)


def _empty(*_: Any, **__: Any) -> str:
    return ""


def _nil(*_: Any, **__: Any) -> list[Any]:
    return []


def _none(*_: Any, **__: Any) -> None:
    return None


def _iter(*_: Any, **__: Any) -> Any:
    return iter(())


def _cleared(*names: str) -> None:
    """Forget what was read of tables."""
    for name in names:
        _at(name).cache_clear()


def _rows_of_one_table() -> None:
    swap(A + "knowledge:TABLES", ())
    _cleared(
        A + "knowledge:table",
        A + "knowledge:rules_of",
        A + "knowledge:_weights",
        A + "knowledge:_rare",
        A + "knowledge:_length_of",
    )


CI, CR, AD = ("CI",), ("CR",), ("KQ", "LC")
KNOCKS: list[Knock] = [
    fun("civil law, law.toml", CI, (C + "judging:articles", _nil)),
    fun("civil proof of claims", CI, (C + "judging:_proven", lambda case, claim: True)),
    fun(
        "civil issues as put",
        CI,
        (P + "civil.case:issues", lambda case: ["原告的诉讼请求有无事实和法律依据"]),
        full=True,
    ),
    fun(
        "civil debate of parties",
        CI,
        (P + "civil.parties:Reply._to_debate", lambda self: "坚持已经发表的意见，请求依法判决。"),
        full=True,
    ),
    fun("civil mediation", CI, (P + "civil.agenda:_owes_terms", lambda *_: False), full=True),
    fun("criminal proof of charges", CR, (R + "judging:_proven", lambda heard: True)),
    fun("criminal exhibits refused", CR, (R + "judging:_refused", lambda one: False)),
    fun("criminal roles", CR, (R + "circumstances:Circumstances._roles", _iter)),
    fun("criminal surrender", CR, (R + "circumstances:Circumstances._surrender", _iter)),
    fun("criminal plea", CR, (R + "circumstances:Circumstances._plea", _iter)),
    fun("criminal circumstances of the table", CR, (R + "circumstances:Circumstances._table", _iter)),
    fun("criminal payment", CR, (R + "circumstances:Circumstances._payment", _iter)),
    fun(
        "criminal request",
        CR,
        (P + "criminal.sentence:request_of", _none),
        (P + "criminal.sentence:count_request", _none),
    ),
    fun("criminal articles of procedure", CR, (R + "judging:_procedure", _nil)),
    fun("criminal articles of substance", CR, (R + "judging:_laws", _nil)),
    fun("criminal interpretations", CR, (R + "circumstances:interpretations", _nil)),
    fun("advice all rows", AD, (A + "knowledge:recalled", lambda *_, **__: [])),
    Knock("advice rows of fields (advice_*.toml)", AD, _rows_of_one_table),
    fun("advice answers by signs", AD, (A + "polarity:by_signs", lambda *_: "none")),
    fun("advice answers by words", AD, (A + "polarity:by_words", lambda *_: "none")),
    fun("advice what was told before", AD, (A + "knowledge:_BEFORE", 0.0)),
    fun("advice things to do", AD, (A + "seat:numbered", _empty)),
]


def table(envs: Sequence[str], part: str = "") -> None:
    """Print what each knock-out changes: opened half, closed half, known cases; nothing for a score that stays."""
    trials = [one for env in envs if env in ("CI", "CR") for one in tried(env)]
    whole = judged(trials)
    replayed = scores(envs)
    for knock in KNOCKS:
        if not set(knock.envs) & set(envs) or part not in knock.name:
            continue
        full = knock.full or knock.envs[0] not in ("CI", "CR")
        before = replayed if full else whole
        found = _apart(knock, None if full else [one for one in trials if one.env in knock.envs])
        told = [
            f"{group} {env} {metric} {(value or 0) - (before.get((group, env, metric)) or 0):+.1f}"
            if group != "error"
            else f"{env} {metric}"
            for (group, env, metric), value in found.items()
            if group == "error" or abs((value or 0) - (before.get((group, env, metric)) or 0)) > 0.05
        ]
        print(f"{knock.name} | {'; '.join(told) or 'nothing'}", flush=True)


def _apart(knock: Knock, trials: Sequence[Tried] | None) -> Scores:
    """The scores with a knock-out, in a process of its own: tables are read once in a process."""
    ours, theirs = multiprocessing.Pipe(duplex=False)

    def work() -> None:
        try:
            knock.off()
            theirs.send(scores(knock.envs) if trials is None else judged(trials))
        except Exception as error:
            theirs.send({("error", type(error).__name__, str(error)[:80]): None})

    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    found: Scores = ours.recv()
    child.join()
    return found


def main() -> int:
    """Print the table, or all scores."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--scores", action="store_true")
    asked.add_argument("--json")
    asked.add_argument("--env", default=",".join(ENVS))
    asked.add_argument("--profile", default="law")
    asked.add_argument("--part", default="", help="only knock-outs whose name holds this")
    asked.add_argument("--plain", action="store_true", help="without the experts")
    given = asked.parse_args()
    if given.plain:
        global TESTED_BY
        TESTED_BY = registry.RULES
    if given.scores:
        for env in given.env.split(","):
            for group, questions in cases_of(env).items():
                block = block_of(questions, given.profile)
                strict, floor, ends = block["strict"], block["floor"]["strict"], block["intervals"]["strict"]
                print(f"{env} {group:7}", "  ".join(
                    f"{name} {strict[name]:.1f} {[round(end, 1) for end in ends.get(name) or []]} "
                    f"({floor.get(name) or 0:.1f})"
                    for name in SHOWN[env] if strict.get(name) is not None
                ),
                f"ended {block['outcomes']['finished']}/{block['n']} leak {block['flags']['leak']} violations "
                f"{block['violations']}", flush=True)  # fmt: skip
                if given.json:
                    path = Path(f"{given.json}.{env}.{group}.json")
                    path.write_text(json.dumps(block, ensure_ascii=False), encoding="utf-8")
        return 0
    loaded()
    table(given.env.split(","), given.part)
    return 0


if __name__ == "__main__":
    sys.exit(main())
