"""Scores of courts runs: rows of an attempt, what graders are asked, and every path of the block."""

from __future__ import annotations

import re
from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest

from store.journal import ScoreRow
from tasks.courts.benchmark import Courts
from tasks.courts.casefile.case import AdviceCase
from tasks.courts.environment import PUBLISHED
from tasks.courts.scores.aggregate import ALIKE, NO_GRADER, NOTHING_SCORED, UNFINISHED, stored_overall
from tasks.courts.scores.columns import LOWER, averaged, metrics
from tasks.courts.scores.drafted import floor_document, with_end_mark
from tasks.courts.scores.judgment import FORMULA, gold_text
from tasks.courts.scores.score import gradings, score_one
from tasks.courts.scores.topics import FLOOR_REPLY
from tasks.episode.events import Event, Leaked, ModelCalled, Record, Said, Seated
from tasks.episode.state import fold
from tasks.run.spec import RunSpec
from tasks.scoring.metrics import RULES
from tasks.scoring.result import NOTHING, Result, ScoreContext
from tests.support.court_results import CASES, advice, ask, draft, made, trial
from tests.support.court_trials import GOOD_CIVIL, GOOD_CRIMINAL
from tests.support.summaries import court_summary as summarise

pytestmark = pytest.mark.slow

SPEC = RunSpec(benchmark="courts")


def full(result: Result, value: float | None = 1.0) -> dict[str, float | None]:
    """The same grade for everything that is asked of a result."""
    return {name: value for one in gradings(ask(result.task_id), result) for name in one.failed}


def context(*results: Result, value: float | None = 1.0, spec: RunSpec = SPEC, **more: Any) -> ScoreContext:
    return ScoreContext(graded={(one.task_id, one.epoch): full(one, value) for one in results}, spec=spec, **more)


def block(*results: Result, given: ScoreContext = NOTHING) -> dict[str, Any]:
    return summarise(
        "r", [ask(name) for name in dict.fromkeys(one.task_id for one in results)], list(results), given
    ).block()


def everything() -> list[Result]:
    return [
        advice("KQ-0001"), advice("LC-0001"), draft("CD-0001"), draft("DD-0001"),
        trial("CI-0004", GOOD_CIVIL), trial("CR-0001", GOOD_CRIMINAL[:-1]),
    ]  # fmt: skip


# --- gradings and rows ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("result", everything(), ids=lambda result: result.task_id)
def test_an_attempt_has_rows_of_both_rules_and_unique_verdicts(result: Result) -> None:
    question = ask(result.task_id)
    asked = gradings(question, result)
    names = [name for one in asked for name in one.failed]
    assert names and len(names) == len(set(names))
    rows = {row.scorer: row for row in score_one(question, result, context(result))}
    kind = {"KQ": "topics", "LC": "topics", "CD": "documents", "DD": "documents"}.get(question.case.env, "judgment")
    expected = {f"{kind}_compat", f"{kind}_strict", "consistency", "validity"}
    assert set(rows) == expected | ({"pfs_compat", "pfs_strict"} if kind == "judgment" else set())
    for name, row in rows.items():
        assert row.version and row.settings["env"] == question.case.env
        assert all(v is None or 0 <= v <= 1 for k, v in row.value.items() if k not in ("SEN_d", "FINE_d")), name
        assert row.evidence or name in ("judgment_compat",)


SILENT = [
    advice("KQ-0001", {topic.id: "" for topic in CASES["KQ-0001"].topics}),  # type: ignore[union-attr]
    draft("CD-0001", "询问结束"),
    trial("CI-0005", GOOD_CIVIL[:20], judgment=""),
]


@pytest.mark.parametrize("result", [*everything(), *SILENT], ids=lambda result: result.task_id)
def test_every_strict_score_says_what_it_rests_on(result: Result) -> None:
    rows = score_one(ask(result.task_id), result, context(result))
    for row in (one for one in rows if one.scorer.endswith("_strict")):
        rests = [one for one in row.evidence if "metrics" in one]
        assert all(set(one) == {"metrics", "what", "found", "turn", "quote"} and one["what"] for one in rests)
        said = {turn.turn: turn.text for turn in result.heard if isinstance(turn, Said)}
        for one in rests:
            assert one["turn"] is None or one["turn"] in said, one
        named = {name for one in rests for name in one["metrics"]}
        assert {name for name, value in row.value.items() if value is not None} <= named, row.scorer
        for name, value in row.value.items():
            own = [one["found"] for one in rests if name in one["metrics"] and one["found"] is not None]
            if name in ("LAW", "REA_points", "JUD_claims", "Label", "CRI", "PROB"):
                assert value is None or value == pytest.approx(sum(own) / len(own)), name


def test_graders_are_asked_about_models_in_the_other_seats_alone() -> None:
    result = draft("CD-0001", policy="court/1+free", seed=3)
    asked = {name: one for one in gradings(ask("CD-0001"), result) for name in one.failed}
    assert set(asked) == {"CLA", "EVI", "F&R", "CON_plaintiff"}
    text = asked["CON_plaintiff"].text
    assert CASES["CD-0001"].parties[0].name in text and "呃，叫" in text and "律师您好" not in text  # type: ignore[union-attr]
    for policy in ("court-rules/1", "court-human/1"):
        names = [name for one in gradings(ask("CD-0001"), draft("CD-0001", policy=policy)) for name in one.failed]
        assert not [name for name in names if name.startswith("CON_")]
    told = block(result, given=ScoreContext(graded={("CD-0001", 0): {"CON_plaintiff": 0.9}}))
    assert told["consistency_details"]["CD"]["plaintiff"]["graded"] == 90
    assert told["unscored"]["strict"]["DOC"] == NO_GRADER, "the word on a role is none on the document"


def test_a_broken_attempt_is_zero_in_compat_and_missing_in_strict() -> None:
    result = replace(draft("CD-0001"), outcome="error")
    rows = {row.scorer: row.value for row in score_one(ask("CD-0001"), result, NOTHING)}
    assert set(rows["documents_compat"].values()) == {0.0} and set(rows["documents_strict"].values()) == {None}
    assert gradings(ask("CD-0001"), result) == ()


# --- the whole table ------------------------------------------------------------------------------------------------


def test_the_gold_has_everything_that_the_rules_let_it_have() -> None:
    results = everything()
    whole = block(*results, given=context(*results))
    assert whole["n"] == 6 and whole["outcomes"]["finished"] == 6 and sum(whole["outcomes"].values()) == 6
    assert whole["clusters"] == {"KQ": 1, "LC": 1, "CD": 1, "DD": 1, "CI": 1, "CR": 1, "overall": 5}
    for rule in RULES:
        assert tuple(whole[rule])[:6] == PUBLISHED
        for env in PUBLISHED:
            assert tuple(whole[rule][env]) == metrics(rule, env)
            ceiling = whole["ceiling"][rule][env]
            for metric in metrics(rule, env):
                value = whole[rule][env][metric]
                procedure = metric in ("PFS", "STA", "ACT", "UNI", "ORD")
                assert value is None or procedure or value == ceiling[metric], (env, metric)
        assert not whole["overall"][rule]["missing"] and len(whole["overall"][rule]["columns"]) == 16
        columns = [whole[rule][env][metric] for env in PUBLISHED for metric in averaged(env)]
        assert whole[rule]["overall"] == pytest.approx(sum(columns) / 16)
        assert whole["intervals"][rule]["overall"] is None, "one cluster a family: no spread to learn from"
    assert (whole["strict"]["DD"]["FOR"], whole["compat"]["DD"]["FOR"]) == (100, 60), "the published divisor is five"
    assert whole["strict"]["CR"]["VER"] == whole["compat"]["CR"]["VER"] == 0
    assert "LIFE" in whole["strict"]["CR"] and whole["strict"]["CR"]["LIFE"] is None
    assert whole["strict"]["CI"]["PFS"] > 30 and whole["compat"]["CI"]["ACT"] > 50
    assert whole["turns"]["CD"]["mean"] == 2
    assert whole["stages"]["CI"]["strict"]["法庭辩论"] in (0, 100)


def test_without_a_grader_nothing_is_zero_and_the_proxies_speak() -> None:
    whole = block(*everything())
    missing = ["KQ NBIN", "LC NBIN", "CD DOC", "DD DOC", "CI JUD", "CI REA", "CR REA"]
    for env, metric in map(str.split, [*missing, "CD F&R"]):
        for rule in RULES:
            assert whole[rule][env][metric] is None and whole["unscored"][rule][env][metric] == NO_GRADER, metric
            assert whole["intervals"][rule][env][metric] is None and whole["n_scored"][rule][env][metric] == 0
    assert whole["strict"]["bounds"]["errors_as_zero"]["CI"]["REA"] == 0
    assert whole["strict"]["bounds"]["errors_as_one"]["CI"]["REA"] == 100
    strict = whole["strict"]
    assert strict["KQ"]["NBIN_proxy"] == strict["CD"]["DOC_proxy"] == strict["DD"]["DOC_proxy"] == 100
    assert strict["CI"]["JUD_claims"] == 100 and strict["CR"]["REA_points"] > 0
    assert whole["overall"]["strict"]["missing"] == missing and whole["strict"]["overall"] is not None


def test_where_one_environment_ran_its_metrics_stand_on_top() -> None:
    one = block(draft("CD-0001"), draft("CD-0002"))
    for tree in (
        one["compat"],
        one["strict"],
        one["floor"]["strict"],
        one["ceiling"]["compat"],
        one["intervals"]["strict"],
    ):
        assert tree["FOR"] == tree["CD"]["FOR"]
    assert one["consistency"]["plaintiff"] == one["consistency"]["CD"]["plaintiff"] == 100
    assert one["n_scored"]["strict"]["FOR"] == 2 and one["unscored"]["compat"]["DOC"] == NO_GRADER
    assert one["strict"]["bounds"]["errors_as_zero"]["FOR"] == 100
    assert "FOR" not in block(draft("CD-0001"), draft("DD-0001"))["strict"]


# --- failures, errors, gradings -------------------------------------------------------------------------------------


def test_errors_count_in_compat_and_widen_strict() -> None:
    good, lost = draft("CD-0001"), Result("CD-0002", "error", "", "")
    found = block(good, lost, given=context(good))
    assert found["compat"]["FOR"] == 50 and found["n_scored"]["compat"]["FOR"] == 2
    assert found["strict"]["FOR"] == 100 and found["n_scored"]["strict"]["FOR"] == 1
    assert found["strict"]["bounds"]["errors_as_zero"]["FOR"] == 50
    assert found["strict"]["bounds"]["errors_as_one"]["FOR"] == 100
    assert found["outcomes"]["error"] == 1 and found["strict"]["n_scored"] == 1
    low, high = found["intervals"]["compat"]["overall"]
    assert low < found["compat"]["overall"] < high
    assert "only 2 clusters" in found["interval_methods"]["compat"]["overall"]
    alone = block(lost)
    assert alone["strict"]["DOC"] is None and alone["unscored"]["strict"]["DOC"] == NOTHING_SCORED
    assert not alone["comparable"] and alone["not_comparable"] == [NOTHING_SCORED]
    assert alone["compat"]["DOC"] == 0 and alone["strict"]["overall"] is None and alone["compat"]["overall"] == 0


def test_a_task_without_a_result_is_an_error() -> None:
    found = summarise("r", [ask("CD-0001"), ask("CD-0002")], [draft("CD-0001")], NOTHING).block()
    assert found["n"] == 2 and found["outcomes"]["error"] == 1 and found["compat"]["FOR"] == 50


def test_no_document_is_zero_even_without_a_grader() -> None:
    found = block(draft("CD-0001", "询问结束"))
    assert found["compat"]["DOC"] == found["strict"]["DOC"] == found["strict"]["DOC_proxy"] == 0
    assert "DOC" not in found["unscored"]["strict"]
    # The empty form: sections without a word are nothing that a grader could read.
    empty = block(draft("CD-0001", floor_document("CD")))
    assert empty["compat"]["FOR"] == 100 and empty["compat"]["DOC"] == empty["strict"]["DOC"] == 0


def test_a_failed_grading_is_missing_and_named() -> None:
    results = [draft("CD-0001"), draft("CD-0002"), draft("CD-0003")]
    given = context(*results[:2])
    failed = {**given.graded, ("CD-0002", 0): {**full(results[1]), "F&R": None}}
    found = block(*results, given=ScoreContext(graded=failed, spec=SPEC))
    assert found["strict"]["CLA"] == 100 and found["unscored"]["strict"]["CLA"] == "1 not graded"
    assert found["unscored"]["strict"]["DOC"] == "1 gradings failed, 1 not graded"
    assert found["n_scored"]["strict"]["DOC"] == 1 and found["n_scored"]["strict"]["CLA"] == 2
    bounds = found["strict"]["bounds"]
    assert bounds["errors_as_zero"]["F&R"] == pytest.approx(100 / 3) and bounds["errors_as_one"]["F&R"] == 100
    every = ScoreContext(graded={(one.task_id, 0): full(one, None) for one in results})
    assert block(*results, given=every)["unscored"]["compat"]["DOC"] == "3 gradings failed"


def test_failures_alone_are_no_mean_of_what_a_grader_has_not_seen() -> None:
    good, bad = trial("CI-0004", GOOD_CIVIL), trial("CI-0005", GOOD_CIVIL[:20], judgment="")
    found = block(good, bad)
    assert found["compat"]["REA"] is None and found["strict"]["REA"] is None
    graded = block(good, bad, given=context(good, value=0.6))
    assert graded["strict"]["REA"] == graded["compat"]["REA"] == 30 and graded["n_scored"]["strict"]["REA"] == 2
    assert block(bad)["strict"]["REA"] == 0, "no judgment needs no grader"


def test_unfinished_dialogues_are_dropped_as_published() -> None:
    case = CASES["KQ-0001"]
    assert isinstance(case, AdviceCase)
    last = case.topics[-1].id
    whole, part = advice("KQ-0002"), advice("KQ-0001", {last: ""})
    found = block(whole, part, given=context(whole, part))
    assert found["unfinished"] == {"KQ": 1}
    assert found["n_scored"]["compat"]["BIN"] == 1 and found["n_scored"]["strict"]["COV"] == 2
    assert found["compat"]["COV"] < 100 and found["compat"]["NBIN_all"] <= 100
    only = block(part, given=context(part))
    assert only["compat"]["BIN"] is None and only["unscored"]["compat"]["BIN"] == UNFINISHED
    assert only["strict"]["BIN"] is not None


# --- the verdict of a run -------------------------------------------------------------------------------------------


def judged(case_id: str, text: str | None = None, **more: Any) -> Result:
    return trial(case_id, GOOD_CRIMINAL[:20], text, **more)


def test_ver_of_compat_is_scaled_over_the_run_and_failures_are_one() -> None:
    names = ["CR-0001", "CR-0002", "CR-0003", "CR-0004"]
    lost = Result(names[3], "error", "", "")
    found = block(judged(names[0]), judged(names[1], FORMULA["CR"]), judged(names[2], ""), lost)
    # Two trials were finished and differ, two failed: 0, 1, 1 and 1.
    assert tuple(found["compat"][name] for name in ("SEN", "FINE", "VER")) == pytest.approx((75, 75, 75))
    assert found["compat"]["VER"] >= 50 and found["n_scored"]["compat"]["VER"] == 4
    assert found["strict"]["VER"] < 100 and found["n_scored"]["strict"]["VER"] == 3
    assert found["intervals"]["strict"]["SEN_d"] is None and 0 <= found["strict"]["SEN_d"] < 6
    assert found["intervals"]["compat"]["VER"][0] <= found["compat"]["VER"]
    assert "VER" in LOWER and "CR VER" not in found["overall"]["compat"]["columns"]


# --- around the scores ----------------------------------------------------------------------------------------------


def test_clusters_are_disputes() -> None:
    results = [draft("CD-0001"), draft("DD-0001"), trial("CI-0001", GOOD_CIVIL), draft("CD-0002")]
    found = block(*results)
    assert found["clusters"] == {"CD": 2, "DD": 1, "CI": 1, "overall": 2}


def test_repeats_are_told_apart_and_make_no_cluster() -> None:
    found = block(draft("CD-0001"), draft("CD-0001", "询问结束", epoch=1))
    assert [one["strict"]["FOR"] for one in found["repeats"]] == [100, 0] and found["strict"]["FOR"] == 50
    assert found["n"] == 2 and found["clusters"]["CD"] == 1 and found["epochs"] == 2
    assert "only 1 clusters" in found["interval_methods"]["strict"]["FOR"]
    assert block(draft("CD-0001"))["repeats"] == []


def test_limits_of_the_overall_score_are_of_the_columns_that_it_has() -> None:
    found = block(trial("CR-0001", GOOD_CRIMINAL[:-1]))
    there = found["overall"]["strict"]["columns"]
    for side in ("floor", "ceiling"):
        own = [found[side]["strict"][env][metric] for env, metric in map(str.split, there)]
        assert found[side]["strict"]["overall"] == pytest.approx(fmean(own), abs=0.01)


def test_one_trial_alone_says_nothing_by_the_published_distances() -> None:
    alone = block(trial("CR-0001", GOOD_CRIMINAL[:-1]))
    assert alone["compat"]["SEN"] == 0 and alone["unscored"]["compat"]["SEN"] == ALIKE
    harsh = re.sub("判处(?:有期徒刑|拘役)[^，；。]*", "判处有期徒刑九年", gold_text(CASES["CR-0001"]))  # type: ignore[arg-type]
    both = block(trial("CR-0001", GOOD_CRIMINAL[:-1]), trial("CR-0001", GOOD_CRIMINAL[:-1], harsh, epoch=1))
    assert "SEN" not in both["unscored"]["compat"]


def test_a_slip_of_a_role_counts_and_forbids_comparison() -> None:
    clean = block(draft("CD-0001"), given=ScoreContext(spec=SPEC))
    assert clean["comparable"] and clean["not_comparable"] == []
    result = draft("CD-0001")
    name = CASES["CD-0001"].parties[0].name  # type: ignore[union-attr]
    last = result.heard[-2].model_copy(update={"text": f"我叫{name}，是2001年2月3日借的，作为AI语言模型我不能说。"})
    broken = replace(result, heard=(*result.heard[:-2], last, result.heard[-1]))
    found = block(broken, given=ScoreContext(spec=SPEC))
    assert found["consistency"]["plaintiff"] == 50 and not found["comparable"]
    assert found["consistency_details"]["CD"]["plaintiff"]["slips"] == {"day": 1, "model_talk": 1}
    assert "CD plaintiff" in found["not_comparable"][0] and "85" in found["not_comparable"][0]


def test_what_else_forbids_comparison() -> None:
    j1 = RunSpec(benchmark="courts", profile="j1")
    loose, marked = trial("CI-0004", GOOD_CIVIL), trial("CI-0004", GOOD_CIVIL, how="marker")
    reasons = " ".join(block(loose, given=ScoreContext(spec=j1))["not_comparable"])
    assert "routed otherwise" in reasons
    assert "routed" not in " ".join(block(marked, given=ScoreContext(spec=j1))["not_comparable"])
    assert "routed" not in " ".join(block(loose, given=ScoreContext(spec=SPEC))["not_comparable"])
    law = RunSpec(benchmark="courts", law_pack="mine")
    assert "statutes were imported: pack mine" in block(loose, given=ScoreContext(spec=law))["not_comparable"]


def test_the_floor_is_exactly_what_such_episodes_earn() -> None:
    kq = CASES["KQ-0001"]
    assert isinstance(kq, AdviceCase)
    results = [
        advice("KQ-0001", {topic.id: FLOOR_REPLY for topic in kq.topics}),
        draft("CD-0001", with_end_mark(floor_document("CD"))), draft("DD-0001", with_end_mark(floor_document("DD"))),
        *(
            made(CASES[name], [Said(seat="agent", text=f"{FORMULA[name[:2]]}\n现在闭庭。", turn=1)])
            for name in ("CI-0001", "CR-0001")
        ),
    ]  # fmt: skip
    found = block(*results)
    for rule in RULES:
        for env in found["groups"]:
            assert found[rule][env] == found["floor"][rule][env], (rule, env)


# --- lists of runs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("graded", [False, True], ids=["no grader", "graded"])
def test_the_overall_score_of_stored_rows_is_that_of_the_block(graded: bool) -> None:
    """Lists of runs have no case files: they sum up what was stored. Broken attempts, unfinished dialogues
    included."""
    broken = replace(trial("CI-0001", GOOD_CIVIL), outcome="error")
    results = [*everything(), broken, advice("LC-0002")]
    given = context(*results, value=0.5) if graded else ScoreContext(spec=SPEC)
    rows = [
        ScoreRow(1, one.scorer, one.version, one.settings, one.value, one.evidence, "moot")
        for result in results
        for one in score_one(ask(result.task_id), result, given)
    ]
    made = block(*results, given=given)
    found = stored_overall(rows)
    assert found is not None
    for rule in RULES:
        assert 100 * (getattr(found, rule) or 0.0) == pytest.approx(made[rule]["overall"]), rule
    assert stored_overall([]) is None


def test_a_person_in_a_simulated_seat_did_not_help_the_tested_agent() -> None:
    def flags(*seats: str) -> frozenset[str]:
        events: list[Event] = [Leaked(seat="client", field="x", text="")]
        for seat in seats:
            called = {"seat": seat, "call": 1, "text": "", "finish": "stop", "human": True}
            empty = {"prompt": "", "asked": "", "messages": (), "settings": {}}
            events += [Seated(seat=seat, policy="court-human/1", engine="human"), ModelCalled(**called, **empty)]
        state = fold(Record(seq, 0, None, 0.0, event) for seq, event in enumerate(events))
        return Courts().result("CI-0001", 0, state).flags

    assert flags("defendant_lawyer") == {"human_role", "leak"} and flags("agent") == {"human", "leak"}
    assert flags("agent", "clerk") == {"human", "human_role", "leak"}
    assert flags() == {"leak"}
