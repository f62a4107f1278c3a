"""Agreement of raters: against published worked examples, against independent formulas, and from the command line.

All ratings made here are synthetic: drawn from confusions that are chosen, so that the true agreement is known.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.library import read_run
from store.journal import Entry, EpisodeRow, Journal, ScoreRow
from tasks.errors import UsageError
from tasks.run.engines import open_engine, run_path
from tasks.run.rescoring import read_stored
from tasks.run.runner import resume_run, start_run
from tasks.run.spec import RunSpec
from tasks.scoring.agreement import (
    Coefficient,
    alpha,
    alphas,
    compare,
    differences,
    of_journal,
    ratings_of,
    weighted_kappa,
)
from tasks.scoring.grader import grade_run
from tasks.scoring.human import add_score, drawn, human_row, newest, sample
from tests.support.law_run_fixture import prepare_law
from tests.support.typed import moot

pytestmark = pytest.mark.slow

NAN = math.nan


def expand(counts: Sequence[Sequence[int]]) -> tuple[list[float], list[float]]:
    """The ratings that a table of counts stands for."""
    pairs = [(i, j) for i, row in enumerate(counts) for j, count in enumerate(row) for _ in range(count)]
    return [float(i) for i, _ in pairs], [float(j) for _, j in pairs]


def kappa_by_definition(first: Sequence[float], second: Sequence[float], power: int) -> float:
    """Mean disagreement of the pairs over that of every value of one with every value of the other, by loops."""
    seen = sum(abs(x - y) ** power for x, y in zip(first, second, strict=True)) / len(first)
    chance = sum(abs(x - y) ** power for x in first for y in second) / len(first) ** 2
    return 1 - seen / chance


def alpha_by_definition(table: Sequence[Sequence[float]]) -> float:
    """Interval alpha from pairs of values inside units and across all, by loops."""
    units = [[value for value in unit if not math.isnan(value)] for unit in zip(*table, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    every = list(itertools.chain(*units))
    n = len(every)
    seen = sum(sum((x - y) ** 2 for x in unit for y in unit) / (len(unit) - 1) for unit in units) / n
    chance = sum((x - y) ** 2 for x in every for y in every) / (n * (n - 1))
    return 1 - seen / chance


@pytest.mark.parametrize(
    ("source", "counts", "linear", "quadratic"),
    [
        # Agresti (1990), couples on a question of the Hill survey; weighted kappa as printed by the R package vcd.
        ("Agresti 1990", [[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]], 0.2374, None),
        # Two dermatologists on 88 patients; weighted kappa as printed in the SAS/STAT guide, PROC FREQ.
        ("SAS/STAT", [[10, 4, 1, 0], [5, 10, 12, 2], [2, 4, 12, 5], [0, 2, 6, 13]], 0.5082, None),
        # Boyd et al. (1982), two radiologists on 85 xeromammograms; as printed in the Stata manual, `kap`, wgt(w) and
        # wgt(w2).
        ("Stata kap", [[21, 12, 0, 0], [4, 17, 1, 0], [3, 9, 15, 2], [0, 0, 0, 1]], 0.5684, 0.6714),
    ],
)
def test_weighted_kappa_of_published_tables(
    source: str, counts: list[list[int]], linear: float, quadratic: float | None
) -> None:
    first, second = expand(counts)
    assert weighted_kappa(first, second, "linear").value == pytest.approx(linear, abs=5e-5), source
    if quadratic is not None:
        assert weighted_kappa(first, second, "quadratic").value == pytest.approx(quadratic, abs=5e-5), source


KRIPPENDORFF_2011 = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
"""Computing Krippendorff's Alpha-Reliability (2011), section C: four observers, twelve units, values missing."""


def test_alpha_of_the_published_example() -> None:
    assert alpha(KRIPPENDORFF_2011, "interval").value == pytest.approx(0.849, abs=5e-4)
    assert alpha(KRIPPENDORFF_2011, "ordinal").value == pytest.approx(0.815, abs=5e-4)
    assert alpha_by_definition(KRIPPENDORFF_2011) == pytest.approx(0.849, abs=5e-4)


def test_limits_of_agreement_of_the_published_example() -> None:
    """Bland and Altman (1986), peak flow of 17 subjects by two meters: mean -2.1, SD 38.8 l/min."""
    wright = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
    mini = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]
    found = differences(wright, mini)
    assert found.mean.value == pytest.approx(-2.1, abs=0.05)
    assert found.limits is not None
    assert (found.limits[1] - found.limits[0]) / (2 * 1.96) == pytest.approx(38.8, abs=0.05)
    assert found.points[0] == (503.0, -18)


RATING = st.sampled_from([n / 10 for n in range(11)])


@settings(max_examples=25)
@given(st.lists(st.lists(RATING | st.just(NAN), min_size=3, max_size=3), min_size=1, max_size=15))
def test_alpha_is_the_librarys_and_never_nan(units: list[list[float]]) -> None:
    table = np.array(units).T
    for level in ("interval", "ordinal"):
        found = alpha(table, level, draws=40)
        kept = table[:, (~np.isnan(table)).sum(axis=0) >= 2]
        values = np.unique(kept[~np.isnan(kept)])
        if found.value is None:
            assert found.reason and (kept.shape[1] < 2 or len(values) < 2)
            continue
        assert found.value == pytest.approx(krippendorff.alpha(kept, level_of_measurement=level))
        (own,) = alphas(kept, values, level, np.ones((1, kept.shape[1])))
        assert own == pytest.approx(found.value, abs=1e-9)
        if level == "interval":
            assert found.value == pytest.approx(alpha_by_definition(kept.tolist()), abs=1e-9)
        assert found.interval is None or not math.isnan(found.interval.low + found.interval.high)
        assert (found.interval is None) == bool(found.reason)


def test_clusters_are_drawn_whole() -> None:
    """Each unit four times over adds nothing when its copies are one cluster, and narrows the interval when they are
    not."""
    rng = np.random.default_rng(3)
    first = rng.integers(0, 11, 40)
    second = np.clip(first + rng.integers(-3, 4, 40), 0, 10)
    once = weighted_kappa(first.tolist(), second.tolist(), "linear")
    four, names = [np.repeat(x, 4).tolist() for x in (first, second)], np.repeat(np.arange(40), 4).tolist()
    whole, apart = weighted_kappa(*four, "linear", names), weighted_kappa(*four, "linear")
    assert once.interval and whole.interval and apart.interval
    assert (whole.value, whole.interval.low, whole.interval.high) == pytest.approx(
        (once.value, once.interval.low, once.interval.high)
    )
    assert apart.interval.high - apart.interval.low < 0.7 * (once.interval.high - once.interval.low)
    assert alpha(np.array(four), "ordinal", names) == alpha(np.array(four), "ordinal", names), "seeded"


def test_a_rater_of_one_value_and_raters_who_always_agree() -> None:
    units = [str(n) for n in range(12)]
    varied = {unit: n % 4 / 4 for n, unit in enumerate(units)}
    (row,) = compare({"a": varied, "b": dict.fromkeys(units, 0.5)})
    assert row.kappa_linear.value == pytest.approx(0.0), "one value for everything is worth what chance is worth"
    (row,) = compare({"a": varied, "b": varied})
    assert row.kappa_quadratic == Coefficient(1.0, None, "no_spread"), "no interval of width 0 claims certainty"
    assert row.alpha_ordinal.value == pytest.approx(1.0) and row.raw.value == 1.0 and row.raw.interval is not None
    assert row.difference is not None and row.difference.limits == (0.0, 0.0)
    (row,) = compare({"a": varied, "b": varied}, dict.fromkeys(units, "one source"))
    assert (row.clusters, row.kappa_linear.reason) == (1, "one_cluster")


# What people say, in a journal.


def journal_of(path: Path, tasks: Sequence[str], outcomes: Sequence[str] = ()) -> Journal:
    """A run of ended episodes; an outcome '' leaves one open."""
    header = {"run": "r", "spec": {"benchmark": "courts", "agent": "rules"}}
    journal = Journal.create(path, header, [EpisodeRow(task, n, task) for n, task in enumerate(tasks)])
    for n, task in enumerate(tasks):
        attempt = journal.attempts(task)[-1].id
        start = {"benchmark": "courts", "task_id": task, "attempt": 1, "seed": 0, "card": {"id": task}}
        outcome = outcomes[n] if outcomes else "finished"
        rows = [("attempt_started", start), ("stopped", {"outcome": outcome, "reason": ""})][: 2 if outcome else 1]
        journal.append([Entry(attempt, seq, 0, None, 1.0, tag, data) for seq, (tag, data) in enumerate(rows)])
    return journal


def graded(
    attempt: int, verdict: str, value: float | None, spec: str = "scripted:g", engine: str = "e1", prompt: str = "p"
) -> ScoreRow:
    kept = {"prompt": prompt, "engine": engine, "spec": spec}
    return ScoreRow(attempt, "grader", f"grader-{verdict.partition(':')[0]}/1", kept, {verdict: value}, [], spec)


def test_a_person_scores_corrects_herself_and_nothing_is_lost(tmp_path: Path) -> None:
    with journal_of(tmp_path / "r.moot", ["CI-1"]) as journal:
        first = add_score(journal, "CI-1", "REA", 7, "  Li\n Hua ", " 漏了一点\ud800 ")
        assert (first.author, first.value, first.evidence) == ("Li Hua", {"REA": 0.7}, [{"reason": "漏了一点\ufffd"}])
        assert first.settings == {"scale": 10.0, "given": 7}
        again = add_score(journal, "CI-1", "REA", 4, "Li Hua", "再读一遍")
        other = add_score(journal, "CI-1", "REA", 9, "Wang", "可以")
        rows = journal.scores()
        assert len(rows) == 3 and again.settings["supersedes"] == rows[0].at and "supersedes" not in other.settings
        counted = newest(rows)
        assert {who: row.value["REA"] for (_, who, _), row in counted.items()} == {"Li Hua": 0.4, "Wang": 0.9}
        assert ratings_of(journal)["CI", "REA"].ratings == {
            "human Li Hua": {"CI-1": 0.4},
            "human Wang": {"CI-1": 0.9},
        }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"value": 10.5}, "0 to 10"),
        ({"value": NAN}, "not on the scale"),
        ({"metric": "answer", "value": 2}, "0 to 1"),
        ({"author": " \n"}, "needs its author"),
        ({"reason": "x" * 4001}, "at most 4000"),
        ({"metric": "no such; metric"}, "no name of a metric"),
    ],
)
def test_a_bad_score_is_one_sentence(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        human_row(1, **{"metric": "REA", "value": 5, "author": "Li", "reason": "好", **given})
    assert "\n" not in str(caught.value)


def test_an_episode_that_has_not_ended_is_not_scored(tmp_path: Path) -> None:
    with journal_of(tmp_path / "r.moot", ["CI-1", "CI-2"], ["", "error"]) as journal:
        for episode in ("CI-1", "CI-2"):
            with pytest.raises(UsageError, match="has not come to an end"):
                add_score(journal, episode, "REA", 5, "Li", "好")
        assert journal.scores() == [] and sample(journal) == []


def test_the_sample_is_a_tenth_of_each_group_and_stays(tmp_path: Path) -> None:
    tasks = [f"CI-{n:04}" for n in range(31)] + [f"KQ-{n:04}" for n in range(4)]
    with journal_of(tmp_path / "r.moot", tasks, ["error", *["finished"] * 34]) as journal:
        chosen = sample(journal, seed=7)
        assert [(one.group, one.of) for one in chosen] == [("CI", 30)] * 3 + [("KQ", 4)]
        assert chosen == sample(journal, seed=7) != sample(journal, seed=8)
        assert "CI-0000" not in {one.episode for one in sample(journal, share=1.0)}
        add_score(journal, chosen[0].episode, "REA", 5, "Li", "好")
        assert [one.authors for one in sample(journal, seed=7)] == [("Li",), (), (), ()]
    names = [str(n) for n in range(200)]
    few = drawn(names[:100], 0.1, 1)
    assert [name for name in drawn(names, 1.0, 1) if int(name) < 100][:10] == few, "newcomers change no order"
    with pytest.raises(UsageError):
        drawn(names, 0.0, 1)


def test_a_persons_word_keeps_no_rule_from_scoring(moot_home: Path) -> None:
    """A person may score an ended episode before its run does: rules score it when the run is taken up."""
    spec = RunSpec(**{**prepare_law(moot_home, tasks=2), "agent": "gold"})
    with start_run(spec, out=moot_home / "r.moot") as run:
        run.go()
        add_score(run.journal, "2", "answer", 1, "Li", "好")
    with resume_run(moot_home / "r.moot") as run:
        run.record_scores()
        run.record_scores()
        (attempt,) = run.journal.attempts("2")
        assert [row.scorer for row in run.journal.scores(attempt.id)].count("human") == 1
        assert sorted(row.scorer for row in run.journal.scores(attempt.id)) == ["compat", "human", "strict"]


def test_an_imported_run_shows_its_rates_beside_a_persons_word(moot_home: Path) -> None:
    world = prepare_law(moot_home, tasks=1)
    answers = moot_home / "answers.jsonl"
    answers.write_text(json.dumps({"data_source": "lar", "index": "1", "response": "路灯"}) + "\n", encoding="utf-8")
    block = moot(
        "score-predictions", "legalsearch", "--dataset", world["tasks"], "--predictions", answers, "--json"
    ).data
    path = moot_home / "runs" / f"{block['run']}.moot"
    before = read_run(path)
    assert before.compat is not None
    assert moot("review", path, "1", "--metric", "answer", "--value", 1, "--author", "Li", "--reason", "好")[0] == 0
    assert read_run(path) == before


def test_raters_of_a_run_are_people_and_each_grader_by_engine_and_prompt(tmp_path: Path) -> None:
    """Synthetic: a grader one point above the person, another engine under the same SPEC, failures and topics."""
    tasks = [f"KQ-{n}" for n in range(8)]
    with journal_of(tmp_path / "r.moot", tasks) as journal:
        for n, task in enumerate(tasks):
            attempt = journal.attempts(task)[-1].id
            add_score(journal, task, "REA", n, "Li", "评")
            journal.add_scores(
                [
                    graded(attempt, "REA", (n + 1) / 10), graded(attempt, "REA", 0.5, engine="e2"),
                    graded(attempt, "REA", None),
                    graded(attempt, "topic:T1", n / 10), graded(attempt, "topic:T2", 0.1),
                    ScoreRow(attempt, "strict", "1", {}, {"REA": 0.9}, [], "moot"),
                ]
            )  # fmt: skip
        rows = of_journal(journal, draws=50)
        assert [(row.metric, len(row.raters)) for row in rows] == [("REA", 2)] * 3 + [("REA", 3), ("topic", 1)]
        assert rows[0].raters == ("human Li", "grader scripted:g e1 grader-REA/1 p")
        assert rows[0].n == 8, "a failed grading hides no earlier grade"
        assert rows[0].difference is not None and rows[0].difference.mean.value == pytest.approx(-0.1)
        assert rows[-1].raters == ("grader scripted:g",) and rows[-1].alpha_ordinal.reason == "one_rater"
        topics = ratings_of(journal, clusters={"KQ-1": "source"})["KQ", "topic"]
        assert topics.ratings["grader scripted:g"]["KQ-3/T1"] == 0.3 and topics.clusters["KQ-1/T2"] == "source"


# From the command line.


def consultations(home: Path, *questions: str) -> str:
    """A run of the reference on questions for advice; gives its id."""
    world = prepare_law(home)
    task = {"type": "lcs", "answer": "三日内。《路灯法》第六条"}
    lines = [json.dumps({"id": str(n), "question": text, **task}) for n, text in enumerate(questions, 1)]
    Path(world["tasks"]).write_text("\n".join(lines), encoding="utf-8")
    words = ("run", "legalsearch", "--agent", "gold", "--tasks", world["tasks"], "--pack", "lamps", "--json")
    return str(moot(*words).data["run"])


def test_what_was_graded_before_a_stop_counts(moot_home: Path) -> None:
    run = read_stored(run_path(consultations(moot_home, "路灯坏了多久应当修好？")))
    script = moot_home / "g.json"
    said = json.dumps({"reason": "评", "answer_correct": True, "basis_correct": True})
    script.write_text(json.dumps({"rules": [], "otherwise": [said]}), encoding="utf-8")

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    spec = f"scripted:{script}"
    with Journal.open(run.path, write=True) as journal, pytest.raises(KeyboardInterrupt):
        grade_run(journal, run.bench, {one.id: one for one in run.questions}, open_engine(spec), spec, stop)
    line = read_run(run.path)
    assert line.strict is not None and line.unscored == 0


def test_two_graders_and_two_people_on_a_run(moot_home: Path) -> None:
    """Synthetic: graders by script, people by seed; the figures are computed again here from what each said."""
    episodes = [str(n) for n in range(1, 13)]
    run = consultations(moot_home, *(f"2005年5月，路灯（{n}号）坏了多久应当修好？" for n in episodes))
    assert "一致" not in moot("review", run, "--sample")[1]
    said: dict[str, dict[str, float]] = {}
    for name, right in (("strict", episodes[:6]), ("mild", episodes[:8])):
        verdicts = {n: {"reason": "评", "answer_correct": n in right, "basis_correct": True} for n in episodes}
        rules = [{"when": f"（{n}号）", "replies": [json.dumps(verdict)]} for n, verdict in verdicts.items()]
        script = moot_home / f"{name}.json"
        script.write_text(json.dumps({"rules": rules, "otherwise": ["{}"]}), encoding="utf-8")
        code, _, error = moot("score", run, "--seat", f"grader=scripted:{script}", "--json")
        assert code == 0 and "12 answers graded" in error
        said[f"grader scripted:{script}"] = {n: float(n in right) for n in episodes}
    listed = moot("review", run, "--sample", "--json").data
    assert {one["group"] for one in listed["sample"]} == {"lcs"}
    rng = np.random.default_rng(11)
    for author in ("Li", "Wang"):
        said[f"human {author}"] = {episode: float(rng.integers(0, 3)) / 2 for episode in episodes[::2]}
        for episode, value in said[f"human {author}"].items():
            more = ("--metric", "answer", "--value", value, "--author", author, "--reason", "依据不足")
            assert moot("review", run, episode, *more).code == 0
    found = moot("review", run, "--sample", "--json").data
    *pairs, whole = [row for row in found["agreement"] if row["metric"] == "answer"]
    assert (len(pairs), len(whole["raters"])) == (6, 4)
    for row in pairs:
        first, second = (said[rater] for rater in row["raters"])
        x, y = zip(*((value, second[one]) for one, value in first.items() if one in second), strict=True)
        assert row["n"] == len(x) == (12 if row["raters"][0].startswith("grader") else 6)
        assert row["kappa_quadratic"]["value"] == pytest.approx(kappa_by_definition(x, y, 2))
        assert row["alpha_interval"]["value"] == pytest.approx(alpha_by_definition([x, y]))
        assert row["raw"]["value"] == pytest.approx(sum(a == b for a, b in zip(x, y, strict=True)) / len(x))
        assert row["difference"]["mean"]["value"] == pytest.approx(sum(x) / len(x) - sum(y) / len(y))
    with Journal.open(moot_home / "runs" / f"{run}.moot") as journal:
        assert sum(row.scorer == "human" for row in journal.scores()) == 12
    assert moot("score", run, "--json").data["ungraded"] == 0, "a person's word is no grade"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["CI-1", "--sample"], "either --sample or an EPISODE"),
        (["CI-1", "--metric", "REA", "--value", "5"], "needs --author, --reason"),
        (["CI-9", "--metric", "REA", "--value", "5", "--author", "Li", "--reason", "好"], "no episode 'CI-9'"),
        (["CI-1", "--metric", "REA", "--value", "11", "--author", "Li", "--reason", "好"], "from 0 to 10"),
    ],
)
def test_mistakes_are_one_line_and_append_nothing(tmp_path: Path, arguments: list[str], said: str) -> None:
    path = tmp_path / "r.moot"
    journal_of(path, ["CI-1"]).close()
    code, out, error = moot("review", path, *arguments)
    assert code == 2 and out == "" and said in error and error.count("\n") == 1
    with Journal.open(path) as journal:
        assert journal.scores() == []
