"""The trainee with the tables of law: what comes to mind, how it is answered, and that every row is law."""

from __future__ import annotations

from datetime import date
from statistics import mean
from typing import Any

import pytest

pytest.importorskip("tasks.experts")

from store.builder import PackBuilder
from store.pack import Pack
from store.search.law_search import LawSearch
from store.statutes.applicable import CaseDates
from store.statutes.model import Law, LawVersion
from store.statutes.names import aliases_of
from tasks.courts.agents.registry import EXPERT
from tasks.courts.play.episode import law_day
from tasks.courts.play.record import topic_turns
from tasks.courts.procedure.turns import Turn
from tasks.courts.scores.laws import cited_articles, unknown
from tasks.courts.scores.topics import floor_turns, strict_scores
from tasks.episode.events import Leaked
from tasks.experts.advice.knowledge import recalled, rules_of, stands
from tasks.experts.advice.polarity import question_of, read_question
from tasks.experts.advice.seat import Trainee, chosen
from tests.support.advice_plays import CASES, play, said_by
from tests.support.statute_fixture import articles

pytestmark = pytest.mark.slow

DAY = date(2025, 3, 1)


def test_the_trainee_is_above_the_floor() -> None:
    for env in ("KQ", "LC"):
        cases = [case for case in CASES.values() if case.env == env]
        floor = mean(strict_scores(case, floor_turns(case), {}).rates["BIN"] or 0 for case in cases)
        rules = [strict_scores(case, topic_turns(play(case.id, "law", EXPERT).events), {}).rates for case in cases]
        assert mean(rate["BIN"] or 0 for rate in rules) > floor
        assert mean(rate["NBIN_proxy"] or 0 for rate in rules) > 0.3


@pytest.mark.parametrize("profile", ["law", pytest.param("j1", marks=pytest.mark.slow)])
def test_every_dialogue_ends_and_nothing_leaks(profile: Any) -> None:
    plays = [play(case.id, profile, EXPERT) for case in CASES.values() if case.env in ("KQ", "LC")]
    assert {one.case.id: one.outcome for one in plays if one.outcome != "finished"} == {}
    assert not [one.case.id for one in plays if any(isinstance(event, Leaked) for event in one.events)]


def test_only_articles_of_the_day_are_cited() -> None:
    for one in (one for one in (play(case_id, "law", EXPERT) for case_id in CASES) if one.case.env in ("KQ", "LC")):
        day = law_day(one.case)
        cited, _ = cited_articles("\n".join(one.own))
        assert cited, one.case.id
        assert [article for article in cited if unknown(article, CaseDates(day, None, day, day))] == []


def test_every_row_of_the_table_is_law_in_force_and_can_come_to_mind() -> None:
    rules = rules_of(DAY)
    assert len(rules) > 900
    assert len({rule.place.law for rule in rules}) > 40
    for rule in rules:
        assert stands(rule.place, DAY), rule.place.named
        assert 5 < len(rule.text) < 260 and rule.keys, rule.place.named
    before = {rule.place.law for rule in rules_of(date(2020, 6, 1))}
    assert "中华人民共和国民法典" not in before and "中华人民共和国劳动合同法" in before


QUESTIONS = (
    ("房东卖房没有通知我，我可以让法院认定他们的买卖合同无效吗？", "民法典》第七百二十八条", "no"),
    ("新房东让我下周就搬走，我租期还有半年，我必须搬吗？", "民法典》第七百二十五条", "no"),
    ("包工头跑了，我能直接找工地的总包公司要工钱吗？", "保障农民工工资支付条例", "yes"),
    ("我怀孕了，公司可以把我辞退吗？", "劳动合同法》第四十二条", "no"),
    ("嫁出去的女儿没有继承权，对吗？", "民法典》第一千一百二十六条", "no"),
    ("我在借条上只是作为见证人签了名，债主让我还钱，我要还吗？", "规定》第二十条", "no"),
    ("取保候审期间没有经过批准，可以自己回外省老家吗？", "刑事诉讼法》第七十一条", "no"),
    ("打篮球时被对方正常碰撞受伤，能要求他赔偿吗？", "民法典》第一千一百七十六条", "no"),
    ("第一次起诉离婚没判离，能马上再起诉吗？", "民事诉讼法》第一百二十七条", "no"),
    ("老公骂我威胁我但没动手，能申请人身安全保护令吗？", "反家庭暴力法》第", "yes"),
    ("公司招聘时要求交五百元服装押金，合法吗？", "劳动合同法》第九条", "no"),
    ("劳动合同只签了两年，试用期可以约定三个月吗？", "劳动合同法》第十九条", "no"),
    ("员工辞职必须经过老板批准吗？", "劳动合同法》第三十七条", "no"),
    ("没交工伤保险，受伤了单位要赔吗？", "工伤保险条例》第六十二条", "yes"),
    ("网购定做的窗帘可以七天无理由退货吗？", "消费者权益保护法》第二十五条", "no"),
    ("打印遗嘱只有一个见证人，有效吗？", "民法典》第一千一百三十六条", "no"),
    ("侄子能不能继承没有子女的伯父的遗产？", "民法典》第一千一百二十八条", "yes"),
    ("父亲去世欠的债，儿子必须全部偿还吗？", "民法典》第一千一百六十一条", "no"),
    ("借条上没写利息，可以要求对方付利息吗？", "民法典》第六百八十条", "no"),
    ("未经房东同意转租，房东可以解除合同吗？", "民法典》第七百一十六条", "yes"),
    ("物业为了催缴物业费可以停水停电吗？", "民法典》第九百四十四条", "no"),
    ("法院会主动审查诉讼时效吗？", "民法典》第一百九十三条", "no"),
    ("捡到钱包可以自己留下吗？", "民法典》第三百一十四条", "no"),
    ("抵押的房子可以卖吗？", "民法典》第四百零六条", "yes"),
    ("申请人身安全保护令必须先起诉离婚吗？", "反家庭暴力法》第二十三条", "no"),
    ("被抢劫时反击打伤歹徒，算防卫过当吗？", "刑法》第二十条", "no"),
    ("只有被告人口供没有其他证据能定罪吗？", "刑事诉讼法》第五十五条", "no"),
    ("起诉状不会写，可以口头起诉吗？", "民事诉讼法》第一百二十三条", "yes"),
    ("小额诉讼案件可以上诉吗？", "民事诉讼法》第一百六十五条", "no"),
    ("一人公司的股东证明不了财产独立，要承担连带责任吗？", "公司法》第二十三条", "yes"),
    ("父母可以偷看孩子的日记吗？", "未成年人保护法》第六十三条", "no"),
)


@pytest.mark.parametrize(("question", "article", "verdict"), QUESTIONS)
def test_questions_of_everyday_law(question: str, article: str, verdict: str) -> None:
    asked = read_question(question_of(question))
    found = recalled(asked.text, "", DAY)
    assert asked.binary
    assert article in "".join(one.rule.place.named for one in found[:2])
    assert chosen(asked, found)[0].rule.weighed(asked) == verdict


def test_a_yes_no_question_is_answered_with_yes_or_no_first() -> None:
    case = CASES["KQ-0001"]
    told = said_by(
        Trainee(None), case, "trainee", [*_opened("trainee"), Turn(1, "client", (), "小额诉讼案件可以上诉吗？")]
    )
    assert told.startswith("不可以。根据《中华人民共和国民事诉讼法》第一百六十五条")
    unknown_one = said_by(
        Trainee(None), case, "trainee", [*_opened("trainee"), Turn(1, "client", (), "月亮上的矿归谁呢？")]
    )
    assert "没有可以直接引用的条文" in unknown_one and "《" not in unknown_one


def test_the_trainee_asks_back_when_nothing_was_told() -> None:
    opening = [Turn(0, "client", (), "您好，我遇到了一件麻烦事，想请您从法律上帮我看看。")]
    asked = said_by(Trainee(None), CASES["LC-0001"], "trainee", opening)
    assert asked.endswith("？") and "经过" in asked


def test_with_statutes_the_article_is_quoted_as_of_the_day(moot_home: Any) -> None:
    law = "中华人民共和国民法典"
    with PackBuilder("laws", jurisdiction="XX", source="test", licence="", coverage="harvest", as_of="") as builder:
        builder.add_law(Law(law, "民法典", "法律", "imported"), aliases_of(law))
        version = LawVersion(law, law, date(2021, 1, 1), None)
        builder.add_version(
            version, articles(law, law, {"406": "抵押的房子在抵押期间也可以转让，这是测试用的文字。"})
        )
        builder.finish()
    record = [*_opened("trainee"), Turn(1, "client", (), "抵押的房子可以卖吗？")]
    with Pack.open("laws") as pack:
        told = said_by(Trainee(LawSearch(pack)), CASES["KQ-0001"], "trainee", record, day=DAY)
    assert told.startswith("可以。") and "条文原话是：“抵押的房子在抵押期间也可以转让" in told
    assert "条文原话" not in said_by(Trainee(None), CASES["KQ-0001"], "trainee", record, day=DAY)


def test_an_open_question_is_answered_in_points_without_foreign_articles() -> None:
    case, record = CASES["KQ-0001"], _opened("trainee")
    asked = Turn(1, "client", (), "租的房子到期了，房东扣着押金不退，我该怎么要，要准备哪些证据？")
    cited, _ = cited_articles(said_by(Trainee(None), case, "trainee", [*record, asked], day=DAY))
    assert {article.law for article in cited} == {"中华人民共和国民法典"} and len(cited) <= 4


def _opened(speaker: str) -> list[Turn]:
    return [Turn(0, speaker, (), "您好。")]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("房东讲押金一分都不用退。真是这样吗？", "房东讲押金一分都不用退，真是这样吗？"),
        ("监视居住好像最长半年？是刑诉法哪条定的？", "监视居住好像最长半年，是刑诉法哪条定的？"),
        ("我租了一套房。房东换了人，我必须马上搬走吗？", "房东换了人，我必须马上搬走吗？"),
    ],
)
def test_a_short_question_keeps_the_matter_of_the_sentence_before_it(said: str, asked: str) -> None:
    assert question_of(said) == asked


@pytest.mark.parametrize(
    ("text", "binary"),
    [
        ("对方没有提，法院可以自己拿时效判我输？", True), ("我能要求什么赔偿？", False), ("要找谁？", False),
        ("能打折还是能退？", False),
    ],
)  # fmt: skip
def test_a_mark_alone_may_ask_yes_or_no(text: str, binary: bool) -> None:
    assert read_question(text).binary is binary


FRAUD = "最高人民法院、最高人民检察院关于办理诈骗刑事案件具体应用法律若干问题的解释"


@pytest.mark.parametrize(
    ("text", "law", "number", "verdict"),
    [
        ("离婚，孩子刚八个月大，会判给爸爸吗？", "中华人民共和国民法典", 1084, "no"),
        ("离婚，孩子刚八个月大，会判给妈妈吗？", "中华人民共和国民法典", 1084, "yes"),
        ("对方不肯，是不是就离不了婚？", "中华人民共和国民法典", 1079, "no"),
        ("对方不同意，我还能离婚吗？", "中华人民共和国民法典", 1079, "yes"),
        ("结婚后买的车登记在她名下，算夫妻共同财产吗？", "中华人民共和国民法典", 1062, "yes"),
        ("结婚后买的车登记在她名下，就是她一个人的吗？", "中华人民共和国民法典", 1062, "no"),
        ("儿媳守寡后一直伺候公婆，能继承遗产吗？", "中华人民共和国民法典", 1129, "yes"),
        ("儿媳守寡后从没照顾公婆，能继承遗产吗？", "中华人民共和国民法典", 1129, "no"),
        ("妈妈还在世，外孙能和妈妈一起继承外婆的遗产吗？", "中华人民共和国民法典", 1128, "no"),
        ("钱被骗走了，能提附带民事诉讼吗？", "最高人民法院关于适用《中华人民共和国刑事诉讼法》的解释", 176, "no"),
        ("被诈骗的钱，法院能责令退赔吗？", "最高人民法院关于适用《中华人民共和国刑事诉讼法》的解释", 176, "yes"),
        ("骗来的钱送给朋友了，能追回来吗？", FRAUD, 10, "yes"),
    ],
)
def test_the_fact_asked_about_decides_the_answer(text: str, law: str, number: int, verdict: str) -> None:
    asked = read_question(text)
    rule = chosen(asked, recalled(text, "", DAY))[0].rule
    assert (rule.place.law, rule.place.number and rule.place.number.number, rule.weighed(asked)) == (
        law,
        number,
        verdict,
    )
