"""The judgment of a court: found, read and scored, by the published rules and the strict ones."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from datetime import date

import pytest

from store.statutes.applicable import CaseDates
from tasks.courts.casefile.material import Sentence
from tasks.courts.casefile.people import LawRef
from tasks.courts.scores import judgment, laws, reasons, rulings, sentence
from tasks.sample.build import court_cases

DAYS = CaseDates(acted=date(2024, 5, 1), proceeding=date(2024, 8, 1), judged=date(2024, 8, 1))


def lending():
    return next(case for case in court_cases() if case.id == "CI-0001")


def theft():
    return next(case for case in court_cases() if case.id == "CR-0001")


def spoken(record: dict) -> str:
    """A real judgment as a judge would say it, the articles of one law joined by 、."""
    cited, last = [], None
    for law in record["court_law"]:
        cited.append(("" if law["law"] == last else law["law"]) + law["article"] + law["paragraph_text"])
        last = law["law"]
    reason = record["court_reason"].rstrip("。")
    return f"本院认为，{reason}。依照{'、'.join(cited)}之规定，判决如下：\n" + "\n".join(record["court_judgment"])


def test_real_judgments_are_read_in_full(data) -> None:
    lines = data("courts", "judge_criminal_sample.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    assert len(records) == 46
    odd = {}
    for record in records:
        gold, text = record["gold"], spoken(record) + "\n如不服本判决，可在接到判决书的第二日起十日内提出上诉。"
        found = rulings.judgment_of([text, "现在闭庭。"])
        assert found is not None and "上诉" not in found.ordered
        said = sentence.read_sentence(found.rulings)
        figures = (said.kind, said.months, said.probation_months, said.fine)
        if figures != (gold["sentence_kind"], gold["sentence_months"], gold["probation_months"], gold["fine_yuan"]):
            odd[record["id"]] = figures
        assert sentence.convictions(found.rulings) == (gold["charge"],), record["id"]
        assert sentence.score_charges(found.rulings, [gold["charge"]]).value == 1
        assert sentence.published_charge(found.reason, found.ordered, record["court_judgment"]) == 1
        cited, unnamed = laws.cited_articles(text)
        wanted = {
            laws.CitedArticle(laws.official_title(law["law"].strip()[1:-1]), law["article_no"], int(bool(law["sub"])))
            for law in record["court_law"]
        }
        assert set(cited) == wanted and not unnamed, record["id"]
    # 判处罚金 and nothing else: the source names no kind of punishment.
    assert odd == {"JUDGE-002": ("单处罚金", 0, 0, 5000)}


@pytest.mark.parametrize(
    ("text", "kind", "months", "probation", "fine"),
    [
        ("被告人甲犯盗窃罪，判处有期徒刑1年6个月，缓刑2年，并处罚金人民币20,000元。", "有期徒刑", 18, 24, 20000),
        ("判处有期徒刑一年零六个月，并处罚金3万元", "有期徒刑", 18, 0, 30000),
        ("判处有期徒刑十八个月，罚金人民币壹万元整（罚金一万元已缴纳）", "有期徒刑", 18, 0, 10000),
        ("判处三年有期徒刑，缓刑考验期四年，处贰万伍仟元罚金", "有期徒刑", 36, 48, 25000),
        ("判处拘役四个月，宣告缓刑八个月，并处罚金1.5万元", "拘役", 4, 8, 15000),
        ("判处管制六个月。没收作案用的管制刀具一把。", "管制", 6, 0, 0),
        ("被告人甲犯贪污罪，判处无期徒刑，剥夺政治权利终身，并处罚金20万元", "无期徒刑", 0, 0, 200000),
        ("判处死刑，缓期二年执行，剥夺政治权利终身", "死刑缓期执行", 0, 0, 0),
        ("判处死刑，剥夺政治权利终身", "死刑", 0, 0, 0),
        ("被告人甲犯盗窃罪，免予刑事处罚。扣押的管制刀具没收。", "免予刑事处罚", 0, 0, 0),
        ("被告人甲无罪。", "无罪", 0, 0, 0),
        ("单处罚金人民币八千元。", "单处罚金", 0, 0, 8000),
    ],
)  # fmt: skip
def test_sentences(text: str, kind: str, months: int, probation: int, fine: float) -> None:
    said = sentence.read_sentence([text])
    assert said is not None
    assert (said.kind, said.months, said.probation_months, said.fine) == (kind, months, probation, fine)


def test_several_crimes_are_served_together() -> None:
    text = (
        "被告人甲犯盗窃罪，判处有期徒刑三年，缓刑四年，并处罚金一万元；犯诈骗罪，判处有期徒刑二年，并处罚金五千元；"
        "数罪并罚，决定执行有期徒刑四年六个月，并处罚金一万五千元。"
    )
    said = sentence.read_sentence([text])
    assert said is not None and (said.months, said.probation_months, said.fine) == (54, 0, 15000)
    assert sentence.convictions([text]) == ("盗窃罪", "诈骗罪")
    plain = sentence.read_sentence(
        ["犯盗窃罪，判处有期徒刑三年，罚金一万元；", "犯诈骗罪，判处拘役二个月，罚金五千元"]
    )
    assert plain is not None and (plain.kind, plain.months, plain.fine) == ("有期徒刑", 36, 15000)
    undone = ["撤销云栖县人民法院对被告人甲犯盗窃罪宣告缓刑二年的部分；", "被告人甲犯诈骗罪，判处有期徒刑八个月"]
    said = sentence.read_sentence(undone)
    assert said is not None and (said.months, said.probation_months) == (8, 0)
    assert sentence.convictions(undone) == ("诈骗罪",)
    assert sentence.read_sentence(["驳回起诉。"]) is None


def test_distances_are_on_a_fixed_scale() -> None:
    gold = Sentence(kind="有期徒刑", months=12, fine=0)
    same = sentence.compare(gold, Sentence(kind="有期徒刑", months=12))
    assert (same.sen, same.fine, same.ver) == (0, None, 0)
    double = sentence.compare(gold, Sentence(kind="拘役", months=25, fine=1000))
    assert double.sen == pytest.approx(math.log(2) / math.log(241)) and not double.kind
    assert double.fine == pytest.approx(math.log(1001) / math.log(1e6 + 1))
    assert sentence.compare(gold, None).ver == 1
    life = Sentence(kind="无期徒刑")
    assert sentence.compare(life, life).probation is None and sentence.compare(gold, None).probation is False
    assert sentence.compare(life, gold).sen == 1 and sentence.compare(life, gold).supreme is False
    assert sentence.compare(life, life).sen == 0 and sentence.compare(life, life).supreme is True


@pytest.mark.parametrize(
    ("gold", "said", "served", "agrees"),
    [
        ((7, 12), (7, 0), (0, 7), False),  # prison for probation
        ((7, 0), (7, 12), (7, 0), False),
        ((7, 12), (10, 0), (0, 10), False),  # the wider of both distances
        ((36, 48), (7, 0), (0, 7), False),
        ((7, 12), (10, 18), (7, 10), True),  # both on probation: the terms that are pronounced
        ((7, 0), (7, 0), (7, 7), True),
        ((48, 0), (48, 0), (48, 48), None),  # no question: more than three years
    ],
)
def test_prison_is_not_probation(gold, said, served, agrees) -> None:
    found = sentence.compare(*(Sentence(kind="有期徒刑", months=m, probation_months=p) for m, p in (gold, said)))
    wide = abs(math.log1p(served[0]) - math.log1p(served[1]))
    assert found.sen_d == pytest.approx(wide) and found.sen == pytest.approx(min(wide / math.log(241), 1))
    assert found.probation is agrees


def test_published_distances() -> None:
    one = sentence.published_distances("判处有期徒刑一年，罚金一千元", "判处有期徒刑一年，罚金一千元")
    two = sentence.published_distances("判处有期徒刑三年", "判处有期徒刑一年，罚金一千元")
    assert (one.sen_d, one.fine_d) == (0, 0) and two.sen_d == pytest.approx(math.log(37 / 13))
    assert sentence.published_distances("判处有期徒刑一年", "判处无期徒刑").sen_d is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("被告人甲犯掩饰、隐瞒犯罪所得罪，判处拘役五个月", ("掩饰、隐瞒犯罪所得罪",)),
        ("被告人甲犯盗窃罪、诈骗罪，判处有期徒刑一年", ("盗窃罪", "诈骗罪")),
        ("被告人甲犯“拒不执行判决、裁定罪”判处有期徒刑六个月", ("拒不执行判决、裁定罪",)),
        ("被告人甲（未满十八周岁）犯组织他人偷越国（边）境罪，判处", ("组织他人偷越国边境罪",)),
        ("被告人甲不构成敲诈勒索罪；指控被告人甲犯诈骗罪不能成立；宣告被告人甲无罪", ()),
    ],
)
def test_convictions(text: str, said: tuple[str, ...]) -> None:
    assert sentence.convictions([text]) == said


def test_charges_are_a_set_under_official_names() -> None:
    renamed = sentence.score_charges(["被告人甲犯组织他人偷越国境罪，判处有期徒刑一年"], ["组织他人偷越国（边）境罪"])
    assert renamed.value == 1
    extra = sentence.score_charges(["被告人甲犯盗窃罪、诈骗罪，判处有期徒刑一年"], ["盗窃罪"])
    assert (extra.value, extra.extra, extra.missing) == (0, ("诈骗",), ())
    assert sentence.published_charge("", "被告人甲犯盗窃罪、诈骗罪", ["被告人甲犯盗窃罪，判处"]) == 1
    assert sentence.score_charges(["被告人甲无罪。"], []).value == 1
    assert sentence.score_charges(["驳回。"], []).value == 0


def test_published_laws_keep_their_faults() -> None:
    assert laws.published_number("第十五条") == 5 and laws.published_number("第一百三十三条之一") == 131
    assert laws.published_number("第二百六十四条") == 264
    gold = [
        "《中华人民共和国刑法》第一百三十三条之一、第六十七条第三款、第二百二十五条第（一）项",
        "《人民陪审员法》",
    ]
    assert laws.published_gold(gold)[0] == (
        "《中华人民共和国刑法》", ["第一百三十三条之一", "第六十七条", "第二百二十五条第（一）项"]
    )  # fmt: skip
    assert laws.published_laws(gold, "依照《中华人民共和国刑法》第一百三十三条之一、第67条、第131条") == 0.5
    assert laws.published_laws(gold, "依照刑法第一百三十三条之一、第六十七条") == 0
    assert laws.published_laws([], "依照刑法") is None
    both = ["《最高人民法院、最高人民检察院关于办理盗窃刑事案件适用法律若干问题的解释》第一条"]
    assert laws.published_laws(both, both[0]) == 1


def test_strict_laws_know_names_lists_and_titles_in_titles() -> None:
    text = (
        "依照刑法第133条之一、第六十七条第一、三款、第五十二条，《刑诉法》第十五条，"
        "《最高人民法院关于适用〈中华人民共和国民法典〉婚姻家庭编的解释（一）》第五条第一款（二）项、第六条，"
        "最高人民法院关于适用《中华人民共和国民法典》有关担保制度的解释第二十五条，《房屋租赁合同》第三条的约定"
    )
    cited, unnamed = laws.cited_articles(text)
    criminal, family = "中华人民共和国刑法", "最高人民法院关于适用《中华人民共和国民法典》婚姻家庭编的解释（一）"
    assert cited == [
        laws.CitedArticle(criminal, 133, 1), laws.CitedArticle(criminal, 67), laws.CitedArticle(criminal, 52),
        laws.CitedArticle("中华人民共和国刑事诉讼法", 15), laws.CitedArticle(family, 5), laws.CitedArticle(family, 6),
        laws.CitedArticle("最高人民法院关于适用《中华人民共和国民法典》有关担保制度的解释", 25),
    ]  # fmt: skip
    assert not unnamed
    assert laws.official_title("关于办理盗窃刑事案件适用法律若干问题的解释").startswith(
        "最高人民法院、最高人民检察院"
    )


def test_strict_laws_score_and_name_what_is_doubtful() -> None:
    gold = [LawRef(law="中华人民共和国刑法", article=264), LawRef(law="中华人民共和国刑法", article=67, paragraph=3)]
    text = (
        "依照《刑法》第二百六十四条、第九百九十九条，《盗窃惩治条例》第三条，《中华人民共和国合同法》第八条，判决如下"
    )
    found = laws.score_laws(text, gold, DAYS)
    assert (found.recall, found.precision, found.f1) == (0.5, 0.25, pytest.approx(1 / 3))
    assert [(doubt.article.number, doubt.why) for doubt in found.doubts] == [
        (999, "no_article"), (3, "not_listed"), (8, "not_in_force")
    ]  # fmt: skip
    assert [found.doubtful(why) for why in ("no_article", "not_in_force", "not_listed")] == [0.25] * 3
    idle = laws.score_laws(text, gold, DAYS, neutral="《合同法》第八条")
    assert idle.precision == pytest.approx(1 / 3) and len(idle.doubts) == 3
    nothing = laws.score_laws("判决如下", gold, DAYS)
    assert (nothing.recall, nothing.precision, nothing.f1) == (0, None, 0)
    assert nothing.doubtful("no_article") is None


@pytest.mark.parametrize(
    ("cited", "why"),
    [
        ("《中华人民共和国网络安全法》第二十一条", None),  # of the list alone, not of the index of verified laws
        ("《烟草专卖法》第三条", None),
        ("《烟草专卖法》第三百条", "no_article"),
        ("《中华人民共和国刑法》第一百三十三条之二", None),
        ("《中华人民共和国刑法》第一百三十三条之九", "no_article"),
        ("《云岫市电动自行车管理条例》第五条", "not_listed"),  # a local rule may well exist
        ("《民事案件案由规定》第九百条", "not_listed"),  # its text has no articles
    ],
)
def test_a_law_is_invented_only_where_it_is_known(cited: str, why: str | None) -> None:
    found = laws.score_laws(f"依照{cited}的规定，判决如下", [], DAYS)
    assert len(found.cited) == 1 and [doubt.why for doubt in found.doubts] == [why] * bool(why)


def test_claims_are_read_from_rulings() -> None:
    case = lending()

    def outcomes(*said: str) -> list[tuple[str, float | None]]:
        _, found = rulings.score_claims(case, said)
        return [(match.read.outcome, match.read.amount) for match in found]

    assert outcomes(
        "被告罗成溪应于十日内偿还原告借款本金人民币17.6万元，并支付利息6,600元（以176000元为基数）",
        "驳回其他诉讼请求",
    ) == [("partly", 176000), ("partly", 6600), ("rejected", 0)]
    assert outcomes("驳回原告的全部诉讼请求") == [("rejected", 0)] * 3
    assert outcomes("被告归还原告借款本金200000元") == [("granted", 200000), ("omitted", None), ("omitted", None)]
    assert outcomes() == [("omitted", None)] * 3
    assert outcomes("被告支付律师费8000元", "驳回原告要求被告支付利息的诉讼请求") == [
        ("omitted", None), ("rejected", 0), ("granted", 8000)
    ]  # fmt: skip
    assert rulings.within(177759, 176000) and not rulings.within(177761, 176000) and not rulings.within(None, 5)


def test_reasons_by_points() -> None:
    gold = "被告人到案后如实供述自己的罪行，依法可以从轻处罚。其前罪执行完毕后五年以内再犯，系累犯，应当从重处罚。"
    points = ["到案后如实供述，可以从轻处罚", "系累犯，应当从重处罚"]

    def made(reason: str) -> list[bool]:
        return [point.made for point in reasons.score_reasons(reason, points, gold).points]

    found = reasons.score_reasons("被告人到案后如实供述自己的罪行，依法可以从轻处罚。", points, gold)
    assert found.value == 0.5 and "如实供述" in found.points[0].quote
    assert made(gold) == [True, True] and made("") == [False, False]
    assert made("其归案以后如实供认，故从轻处罚；刑满不久又犯罪，是累犯，予以从重。") == [True, True]
    denied = reasons.score_reasons("其到案后没有如实供述，不予从轻处罚；其不是累犯，不应从重处罚。", points, gold)
    assert denied.value == 0 and "如实" in denied.points[0].against
    assert reasons.score_reasons("本院认为", [], gold).value is None
    assert reasons.score_reasons(gold, points, "").value is not None, "a case without the gold's reasons"


TIE = """
from tasks.courts.scores.reasons import score_reasons
gold = "山川日月，风花雪夜。山水，川流，川谷，日出，日升，日落，月色。风雨，花开，花谢，雪落，雪飘，雪融，夜深。"
gold += "山川又见，风花又见，川日再来，花雪再来，川日仍在，花雪仍在。"
said = "山川日月" + "某" * 60 + "。" + "风花雪夜" + "某" * 60 + "。"
print(score_reasons(said, ["山川日月，风花雪夜"], gold).points[0].quote[:4])
"""
"""Two passages that share as much with the point: the later one is quoted."""


def test_the_passage_of_a_point_depends_on_no_order_of_a_set() -> None:
    """With this seed of hashes sums that are rounded step by step differ in their last bit."""
    run = [sys.executable, "-X", "utf8", "-c", TIE]
    done = subprocess.run(run, env={**os.environ, "PYTHONHASHSEED": "10"}, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "风花雪夜"


def test_the_judgment_is_found() -> None:
    text = (
        "经审理查明……。本院认为，原告有理。\n**判决如下：**\n1. 被告给付五元；\n2. 驳回其余诉讼请求。\n"
        "如不服本判决，可上诉。"
    )
    found = rulings.judgment_of(["现在开庭。", text, "闭庭。"])
    assert found is not None
    assert (found.reason, found.rulings) == ("原告有理。", ("被告给付五元;", "驳回其余诉讼请求。"))
    split = rulings.judgment_of(["本院认为，事实清楚。", "现判决如下：被告人甲犯盗窃罪，判处拘役一个月。现在闭庭。"])
    assert split is not None and split.rulings == ("被告人甲犯盗窃罪,判处拘役一个月。",)
    assert rulings.judgment_of(["本院认为证据不足。", "休庭。"]) is None
    assert rulings.published_rulings("本院认为，……判决如下：驳回。如不服本判决，可上诉") == "驳回。"


@pytest.mark.parametrize(
    ("env", "said", "turns", "why"),
    [
        ("CI", ["本院认为，有理。判决如下：驳回。"], 9, None),
        ("CI", ["本院认为，有理。"], 9, "no_judgment"),
        ("CI", ["本院认为，有理。判决：驳回。"], 3, "too_short"),
        ("CI", ["本院认为，公诉人有理。判决：驳回。"], 9, "role_confusion"),
        ("CI", ["本院认为" + "第" * 21 + "判决"], 9, "runaway_citations"),
        ("CI", ["本院认为" + "第" * 20 + "判决"], 9, None),
        ("CR", ["本院认为" + "第" * 21 + "判决"], 9, None),
        ("CR", ["", "本院认为，有罪。判决如下：拘役。"], 9, "empty_turn"),
        ("CR", ["本院认为，被告人犯[罪名]罪，判决有期徒刑XX年。"], 9, "template"),
    ],
)
def test_task_failures_as_published(env: str, said: list[str], turns: int, why: str | None) -> None:
    assert rulings.failure(env, said, turns) == why


@pytest.mark.parametrize(
    "case", [case for case in court_cases() if case.env in ("CI", "CR")], ids=lambda case: case.id
)
def test_ceiling_and_floor_of_authored_cases(case) -> None:
    top, low = (judgment.score(case, [said]) for said in (judgment.gold_text(case), judgment.FORMULA[case.env]))
    for metric in ("LAW", "LAW_P", "LAW_F1", "CRI", "JUD_claims", "REA_points"):
        assert top.strict.get(metric, 1) == 1, metric
    assert top.strict["LAW_FAKE"] == top.strict["LAW_OLD"] == top.strict["LAW_UNK"] == 0
    assert top.strict.get("VER", 0) == 0 and top.strict.get("PROB") in (None, 1)
    assert top.failed in (None, "runaway_citations")
    assert low.failed is None and low.strict["LAW_F1"] == 0 and low.strict["REA_points"] == 0


def test_scores_of_a_case_and_what_a_grader_is_asked() -> None:
    case, trial = theft(), lending()
    found = judgment.score(case, ["现在开庭。"], turns=12)
    assert found.failed == "no_judgment" and found.distances is None
    assert found.compat == {"LAW": 0, "CRI": 0, "REA": 0} and found.strict["VER"] == 1
    ended = judgment.score(trial, [judgment.gold_text(trial)], turns=20)
    assert ended.compat["JUD"] is None and ended.compat["REA"] is None
    json.dumps(ended.evidence)
    assert judgment.gradings(case, ["现在开庭。"]) == ()
    asked = judgment.gradings(trial, [judgment.gold_text(trial)])
    assert [one.failed for one in asked] == [{"JUD": None}, {"REA": None}]
    assert "176000元" in asked[0].text and "{" not in asked[0].text.replace("JSON", "")
    assert asked[1].read({"score": 7, "reason": "好"})[0] == {"REA": 0.7}
