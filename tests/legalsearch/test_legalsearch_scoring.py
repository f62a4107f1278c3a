"""Scores: hand-computed cases of every rule, the block with its floors, ceilings, coverage and bounds, what stands
beside a run: printed rows, recitals by year, queries with a time."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from xml.etree import ElementTree

import pytest

from tasks.benchmark import benchmark
from tasks.episode.events import OUTCOMES
from tasks.legalsearch import published
from tasks.legalsearch.benchmark import LegalSearch
from tasks.legalsearch.coverage import VersionText, attribute
from tasks.legalsearch.measures import Verdict, citation_f1, cited, compat_score, strict_details, strict_score
from tasks.legalsearch.questions import LawGold, LawQuestion, load_questions
from tasks.legalsearch.scoring import Evidence, score_one
from tasks.legalsearch.settings import IN_DOMAIN, KINDS
from tasks.legalsearch.summary import LawSummary
from tasks.legalsearch.temporal import pair_member, pair_table
from tasks.reports.formats import FORMATS
from tasks.run.rescoring import StoredRun, read_stored
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tasks.scoring.metrics import Report
from tasks.scoring.overall import Overall
from tasks.scoring.result import Result, ScoredAttempt
from tests.support.law_run_fixture import prepare_law
from tests.support.summaries import law_summary as summarise

Data = Callable[..., Path]
OPTIONS = "\nA: 甲\nB: 乙\nC: 丙\nD: 丁"


def question(kind: str, answer: str, number: int = 1, text: str = "问题？", cluster: str = "") -> LawQuestion:
    task_id = f"{kind}_{number}"
    body = text + OPTIONS if KINDS[kind].form == "letters" else text
    return LawQuestion(task_id, {"id": task_id, "type": kind, "question": body}, LawGold(answer, cluster or task_id))


def result(asked: LawQuestion, text: str, outcome: str = "finished", epoch: int = 0) -> Result:
    return Result(asked.id, outcome, text, text, epoch=epoch)


def test_rouge_l_by_hand() -> None:
    # 最长公共子序列 abd = 3; R = 3/4, P = 3/5
    assert published.rouge_l("ab x\nde", "abcd") == pytest.approx(2.44 * 0.45 / (0.75 + 1.44 * 0.6))
    assert published.rouge_l("abxde", "abcd", 1.0) == pytest.approx(2 / 3)
    assert published.rouge_l("", "abcd") == published.rouge_l("xyz", "abcd") == published.rouge_l("", "") == 0.0
    assert published.rouge_l("【盗窃罪】 甲，乙", "【盗窃罪】甲，乙") == 1.0
    assert published.rouge_l("甲乙", "【丙】甲乙") == pytest.approx(2.44 * 0.4 / (0.4 + 1.44))


def test_other_character_measures_by_hand() -> None:
    assert published.character_f1("aab", "abb") == pytest.approx(2 / 3)
    assert published.character_jaccard("aab", "abc") == pytest.approx(2 / 3)
    assert published.bleu_4("abcd", "abcde") == pytest.approx(math.exp(-0.25))
    assert published.bleu_4("abcde", "abcde") == published.bleu_4("ab", "ab") == 1.0
    assert published.bleu_4("abcxe", "abcde") == 0.0
    # 4-grams 1/2, 3-grams 2/3, 2-grams 3/4, 1-grams 4/5
    assert published.bleu_4("abcdx", "abcde") == pytest.approx((0.8 * 0.75 * 2 / 3 * 0.5) ** 0.25)


@pytest.mark.parametrize(
    ("given_answer", "gold", "right"),
    [
        ("盗窃;诈骗", "诈骗；盗窃", True),
        ("盗窃罪； 诈骗罪", "诈骗;盗窃", True),
        ("盗窃", "盗窃罪", False),
        ("盗窃", "盗窃;诈骗", False),
        ("盗窃;", "盗窃", False),
        ("盗窃;盗窃", "盗窃;诈骗", False),
        ("贩卖毒品", "走私、贩卖、运输、制造毒品", False),
    ],
)
def test_published_charges(given_answer: str, gold: str, right: bool) -> None:
    assert published.charges_match(given_answer, gold) is right


def test_published_answers() -> None:
    two = "x <ANSWER>\nA\n</Answer> y <answer>B</answer>"
    assert published.metrics_answer(two) == published.reward_answer(two) == "A"
    assert published.metrics_answer(" AB\n") == "AB"
    assert published.reward_answer("AB") == ""


@pytest.mark.parametrize(
    ("kind", "gold", "said", "compat", "strict"),
    [
        ("kqa", "AB", "AB", 1, 1),
        ("kqa", "AB", "BA", 0, 1),
        ("kqa", "AB", "<answer>A,B</answer>", 0, 1),
        ("kqa", "AB", "A", 0, 0),
        ("lap", "D", "答案：D", 0, 1),
        ("ptp", "12个月", "12个月", 1, 1),
        ("ptp", "12个月", "1年", 0, 1),
        ("ptp", "12个月", "13个月", 0, 0),
        ("ptp", "12个月", "", 0, 0),
        ("ccp", "盗窃", "盗窃罪", 1, 1),
        ("ccp", "走私、贩卖、运输、制造毒品", "贩卖毒品罪", 0, 1),
        ("ccp", "盗窃;诈骗", "盗窃罪，诈骗罪", 0, 1),
        ("lar", "甲乙丙", "甲 乙丙", 1, 1),
        ("cpa", "A", "<tool_response><answer>B</answer></tool_response><answer>A</answer>", 0, 1),
    ],
)
def test_compat_and_strict(kind: str, gold: str, said: str, compat: float, strict: float) -> None:
    asked = question(kind, gold)
    assert compat_score(asked, said) == compat
    assert strict_score(asked, said) == strict


def test_terms_have_bands_and_a_distance() -> None:
    details = strict_details(question("ptp", "36个月"), "三年三个月")
    assert details["within_10"] == 1.0
    assert details["log_distance"] == pytest.approx(math.log(40 / 37))
    assert details["points"] == 1.0
    assert strict_details(question("ptp", "36个月"), "44个月")["within_10"] == 0.0
    assert strict_details(question("ptp", "36个月"), "44个月")["within_25"] == 1.0
    assert strict_details(question("ptp", "1个月"), "2个月")["within_10"] == 1.0
    assert strict_details(question("ptp", "12个月"), "5年")["points"] == 0.0
    assert strict_details(question("ptp", "12个月"), "无期徒刑")["log_distance"] is None
    # ln(19/13) = 0.379
    assert strict_details(question("ptp", "12个月"), "18个月")["points"] == 0.8


def test_citations_of_a_consultation() -> None:
    gold = "回答:可以。法律依据:《中华人民共和国劳动合同法》第四十七条经济补偿…依照本法第八十七条…第四十八条用人单位…"
    assert cited(gold) == {("劳动合同法", "47"), ("劳动合同法", "48")}
    assert citation_f1("《劳动合同法》第47条", gold) == pytest.approx(2 / 3)
    assert citation_f1("《劳动法》第四十七条", gold) == 0.0
    assert citation_f1("随便", "没有依据") is None
    asked = question("lcs", gold)
    assert (compat_score(asked, gold), strict_score(asked, gold)) == (None, None)
    assert (compat_score(asked, "", Verdict(True, False)), strict_score(asked, "", Verdict(True, False))) == (
        0.5,
        0.0,
    )


OLD, NEW = "【缓刑】对于累犯，不适用缓刑。", "【缓刑】对于累犯和犯罪集团的首要分子，不适用缓刑。"


def test_a_recital_is_attributed_to_the_version_it_resembles() -> None:
    versions = [VersionText("旧", OLD, False), VersionText("新", NEW, True), VersionText("更新", NEW + "\n", False)]

    def reading(text: str, candidates: Sequence[VersionText] = versions) -> Any:
        found = attribute(text, NEW, candidates)
        return found and (found.reading, found.label)

    assert reading(NEW) == reading("对于累犯和犯罪集团的首要分子，不适用缓刑。") == ("right", "新")
    assert reading("对于累犯，不适用缓刑。") == ("wrong", "旧")
    assert reading("我不知道") == reading("") == ("neither", "")
    assert reading(OLD, versions[1:]) is None
    assert reading(OLD, versions[:1]) == ("wrong", "旧")


def test_wrong_version_rate() -> None:
    asked = [question("lar", NEW, n) for n in range(1, 5)]
    texts = {"lar_4": ()}
    evidence = Evidence(
        versions=lambda q: texts.get(q.id, (VersionText("旧", OLD, False), VersionText("新", NEW, True)))
    )
    said = [OLD, NEW, "无", OLD]
    results = [result(one, text) for one, text in zip(asked, said, strict=True)]
    rate = summarise("r", asked, results, evidence).block()["wrong_version"]
    assert [rate[key] for key in ("n", "right", "wrong", "neither")] == [2, 1, 1, 1]
    assert rate["rate"] == pytest.approx(50) and rate["abstained"] == 0
    silent = [replace(one, flags=frozenset({"abstained"})) if one.task_id == "lar_1" else one for one in results]
    block = summarise("r", asked, silent, evidence).block()
    assert block["wrong_version"] == {**block["wrong_version"], "n": 1, "right": 1, "wrong": 0, "abstained": 1}
    assert (block["flags"]["abstained"], block["wrong_version"]["rate"]) == (1, 0.0)
    [_, strict, found] = score_one(asked[0], silent[0], evidence)
    assert strict.value["score"] == 0.0 and found.evidence[0]["reading"] == "abstained"
    assert summarise("r", asked, results).block()["wrong_version"] is None
    scorers = [score.scorer for score in score_one(asked[0], results[0], evidence)]
    assert scorers == ["compat", "strict", "wrong_version"]


def test_the_block_counts_errors_and_coverage() -> None:
    lar = [question("lar", "甲乙丙丁", n, "2004年3月？" if n < 3 else "2012年？") for n in range(1, 5)]
    kqa = [question("kqa", "A", n) for n in range(1, 3)]
    results = [
        result(lar[0], "甲乙丙丁"), result(lar[1], ""), result(lar[2], "甲乙丙丁", "error"),
        result(kqa[0], "A"), result(kqa[1], "a。", "turn_limit"), Result("stranger", "finished", "", ""),
    ]  # fmt: skip
    block = summarise("r", [*lar, *kqa], results, Evidence(covered={"lar_1"})).block()
    assert tuple(block["outcomes"]) == OUTCOMES
    assert sum(block["outcomes"].values()) == block["n"] == 6
    assert block["outcomes"]["error"] == 2
    assert block["compat"]["lar"] == {"all": 25.0, "covered": 100.0, "n": 4, "n_covered": 1, "n_scored": 4}
    assert block["compat"]["kqa"] == {"all": 50.0, "covered": None, "n": 2, "n_covered": None, "n_scored": 2}
    strict = block["strict"]["lar"]
    assert (strict["all"], strict["n_scored"]) == (50.0, 2)
    assert strict["bounds"] == {"errors_as_zero": 25.0, "errors_as_one": 75.0}
    assert block["strict"]["kqa"]["all"] == 100.0
    assert block["lar_by_year"]["2004"]["all"] == 50.0
    assert block["overall"]["compat"]["in_domain"]["mean"] == 37.5
    assert block["overall"]["compat"]["out_of_domain"] == {
        "mean": None, "tasks": [], "missing": ["cpa", "pae", "nje", "ungee", "lbk", "pfe"],
    }  # fmt: skip
    for rule in ("compat", "strict"):
        assert block["intervals"][rule].keys() == block[rule].keys()
        for task, parts in block["intervals"][rule].items():
            for part, interval in parts.items():
                value = block[rule][task][part]
                assert (value is None) == (interval is None)
                assert value is None or 0.0 <= interval[0] <= value <= interval[1] <= 100.0
    json.dumps(block, allow_nan=False, ensure_ascii=False)


def test_consultations_wait_for_a_grader() -> None:
    asked = [question("lcs", "依据《民法典》第五条", n) for n in (1, 2, 3)]
    results = [result(one, "依据《民法典》第五条") for one in asked[:2]] + [result(asked[2], "", "error")]
    block = summarise("r", asked, results).block()
    assert (block["compat"]["lcs"]["all"], block["strict"]["lcs"]["n_scored"], block["ungraded"]) == (None, 0, 2)
    assert block["details"]["strict"]["lcs"]["citation_overlap"] == 100.0
    assert block["floor"]["compat"]["lcs"] is None
    graded = Evidence(verdicts={("lcs_1", 0): Verdict(True, False), ("lcs_2", 0): Verdict(True, True)})
    given = [score_one(asked[2], results[2], evidence)[0].value["score"] for evidence in (Evidence(), graded)]
    assert given == [0.0, 0.0]  # what others got changes no row
    rows = [score.row(n) for n, one in enumerate(zip(asked, results, strict=True)) for score in score_one(*one)]
    assert LegalSearch().overall(rows) == Overall("lcs", None, None)
    block = summarise("r", asked, results, graded).block()
    assert block["compat"]["lcs"]["all"] == 50.0
    assert block["strict"]["lcs"]["all"] == 50.0
    assert block["ungraded"] == 0


def test_block_of_nothing() -> None:
    json.dumps(summarise("r", [], []).block(), allow_nan=False)
    block = summarise("r", [question("kqa", "A")], []).block()
    assert block["strict"]["kqa"]["all"] is None
    assert block["intervals"]["strict"]["kqa"]["all"] is None


FLOORS = {
    "lar": (20.45, None), "kqa": (20.31, "ABCD"), "lap": (21.88, "A"), "ccp": (4.69, "以危险方法危害公共安全"),
    "ptp": (14.06, "36个月"), "lca": (15.62, "B"), "cpa": (21.88, "A"), "pae": (10.94, "ABCD"), "nje": (23.44, "D"),
    "ungee": (23.44, "A"), "lbk": (26.56, "A"), "pfe": (39.06, "B"),
}  # fmt: skip


def test_floors_and_ceilings_of_the_development_files(data: Data) -> None:
    folder = data("legalsearch_r1")
    questions = [q for name in ("evaluation_dev.jsonl", "ood_dev.jsonl") for q in load_questions(folder / name)]
    golds = [result(q, f"<answer>{q.gold.answer}</answer>") for q in questions]
    block = summarise("r", questions, golds).block()
    for task, (value, answer) in FLOORS.items():
        floor = block["floor"]["compat"][task]
        assert round(floor["all"], 2) == value
        assert answer is None or floor["answer"] == answer
    for rule in ("compat", "strict"):
        assert set(block["ceiling"][rule]) == set(KINDS)
        assert all(ceiling == {"all": 100.0} for ceiling in block["ceiling"][rule].values())
        assert all(scores["all"] == 100.0 for task, scores in block[rule].items() if task != "lcs")
    assert block["clusters"]["lar"] == 62
    assert block["details"]["compat"]["lar"]["bleu_4"] == 100.0


def asked(kind: str, answer: str, number: int, year: int = 2012) -> LawQuestion:
    options = "\nA: 甲\nB: 乙\nC: 丙\nD: 丁" if kind == "kqa" else ""
    card = {
        "id": f"{kind}_{number}",
        "type": kind,
        "question": f"请背诵{year}年5月有效的《某法》第{number}条。{options}",
    }
    return LawQuestion(f"{kind}_{number}", card, LawGold(answer, f"{kind}_{number}"))


def ran(*said: tuple[LawQuestion, str], rules: bool = True) -> LawSummary:
    made = summarise("r", [one for one, _ in said], [Result(one.id, "finished", text, text) for one, text in said])
    return replace(made, rules=rules)


@pytest.mark.parametrize(("answers", "applies"), [("BBB", False), ("AAB", True), ("AAA", True)])
def test_a_task_below_the_constant_answer_is_said_to_be_none_for_the_rules(answers: str, applies: bool) -> None:
    said = [
        (asked("kqa", gold, number), given) for number, (gold, given) in enumerate(zip("AAC", answers, strict=True))
    ]
    summary = ran(*said)
    found = summary.block()["applies"]
    assert isinstance(found, dict) and found["kqa"]["applies"] is applies and bool(found["kqa"]["why"]) is not applies
    for language, words in (("zh", "规则代理不适用"), ("en", "does not apply")):
        assert any(words in text for _, text in summary.notes(language)) is not applies
    model = replace(summary, rules=False)
    assert model.block()["applies"] is None and not dict(model.notes("zh"))["applies"]


def test_printed_rows_stand_beside_the_tasks_that_were_run() -> None:
    report = Report(ran((asked("kqa", "A", 1), "A"), (asked("lar", "甲乙丙丁", 2, 2004), "甲乙")))
    printed, years = report.summary.tables([report], "zh")
    assert printed.columns == ("法条背诵", "知识问答"), "a mean over some of its tasks is not the printed one"
    kinds = [row.kind for row in printed.rows]
    assert kinds == ["own"] + ["published"] * 18
    best = next(row for row in printed.rows if row.heads[0] == "LegalSearch-R1")
    assert [cell.value for cell in best.cells] == [96.73, 50.0]
    assert years.columns == ("2004",) and years.rows[0].cells[0].note == "n=1"
    assert {one.tag for one in ElementTree.fromstring(years.plot).iter()} >= {"circle", "text"}
    other = Report(ran((asked("kqa", "A", 1), "A")))
    assert [table.key for table in other.summary.tables([other], "zh")] == ["printed Table 2"]
    whole = Report(ran(*((asked(kind, "A" if kind in ("kqa", "lap", "lca") else "12个月", n), "A")
        for n, kind in enumerate(IN_DOMAIN) if kind not in ("lap", "lca", "lcs"))))  # fmt: skip
    assert "域内平均" not in whole.summary.tables([whole], "zh")[0].columns
    for form in ("html", "md", "json"):
        assert "DeepSeek-V3.2" in FORMATS[form]([report], "zh")


@pytest.mark.slow
def test_queries_with_a_time_are_counted_beside_the_printed_ones(moot_home: Path, tmp_path: Path) -> None:
    world = prepare_law(moot_home)
    spec = RunSpec(benchmark="legalsearch", pack="lamps", tasks=world["tasks"], agent="rules")
    out = tmp_path / "own.moot"
    with start_run(spec, out=out) as run:
        run.go()
    bench = benchmark("legalsearch")
    run = read_stored(out)
    [table] = bench.report_tables(run, "zh")
    own, *printed = table.rows
    queries, aware = (cell.value for cell in own.cells[:2])
    assert queries and aware and 0 < aware <= queries
    assert [row.cells[1].value for row in printed] == [97, 227, 502, 537]
    assert ElementTree.fromstring(table.plot) is not None


@pytest.mark.parametrize(
    ("kind", "gold", "said", "right", "read"),
    [
        ("kqa", "AB", "答案是BA", True, "AB"),
        ("kqa", "AB", "无法确定", False, "无法确定"),
        ("ptp", "12个月", "一年", True, "fixed 12.0"),
        ("ccp", "盗窃;抢劫", "抢劫罪；盗窃罪", True, "抢劫；盗窃"),
        ("lar", "第一条 甲乙丙丁", "第一条　甲乙丙丁", True, "第一条甲乙丙丁"),
        ("ptp", "12个月", "", False, ""),
    ],
)
def test_answers_to_a_pair_are_read_strictly(kind: str, gold: str, said: str, right: bool, read: str) -> None:
    made = pair_member(question(kind, gold), said)
    assert (made.right, made.read) == (right, read)


def test_consistency_on_pairs_stands_in_the_report() -> None:
    members = question("kqa", "A", 1), question("kqa", "B", 2)
    asked = [replace(one, gold=replace(one.gold, pair="a")) for one in members]
    said = [ScoredAttempt(Result(one.id, "finished", one.gold.answer, "")) for one in asked]
    run = cast(StoredRun, SimpleNamespace(questions=asked, attempts=said, header={"run": "r"}))
    table = pair_table(run, "en")
    assert table is not None
    assert [cell.value for cell in table.rows[0].cells] == [100.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    assert pair_table(cast(StoredRun, SimpleNamespace(questions=asked, attempts=said[:1], header={})), "en") is None
