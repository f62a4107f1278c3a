"""Advice and drafting with rules in every seat: whole dialogues of both profiles, and the trainee's knowledge of law."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from statistics import mean
from typing import Any

import pytest

from store.builder import PackBuilder
from store.pack import Pack
from store.search.law_search import LawSearch
from store.statutes.applicable import CaseDates
from store.statutes.model import Law, LawVersion
from store.statutes.names import aliases_of
from tasks.courts.agents import registry
from tasks.courts.agents.advice.answering import kind_of, several
from tasks.courts.agents.advice.polarity import question_of, read_question
from tasks.courts.agents.advice.seat import Trainee, chosen
from tasks.courts.agents.advice.weighing import in_force, recalled, rules_of
from tasks.courts.agents.clients.manner import ASIDES, WORRIES
from tasks.courts.agents.clients.seat import AskingClient
from tasks.courts.agents.clients.voices import narrative
from tasks.courts.casefile.case import AdviceCase
from tasks.courts.casefile.roles import OTHERS
from tasks.courts.casefile.visibility import TESTED
from tasks.courts.play.episode import law_day, traits_of
from tasks.courts.play.flow import TopicCue
from tasks.courts.play.record import topic_turns
from tasks.courts.procedure.turns import Turn
from tasks.courts.scores.consistency import Message, consistency, style_share
from tasks.courts.scores.documents import strict_score
from tasks.courts.scores.drafted import END_MARK
from tasks.courts.scores.laws import cited_articles, unknown
from tasks.courts.scores.topics import ceiling_turns, floor_turns, strict_scores
from tasks.episode.events import Leaked
from tests.advice_plays import CASES, Play, play, said_by
from tests.statute_fixture import articles

DAY = date(2025, 3, 1)


# --- whole dialogues ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", ["law", pytest.param("j1", marks=pytest.mark.slow)])
def test_every_dialogue_ends_and_nothing_leaks(profile: Any) -> None:
    plays = [play(case_id, profile) for case_id in CASES]
    assert len(plays) == 48
    assert {one.case.id: one.outcome for one in plays if one.outcome != "finished"} == {}
    assert [event for one in plays for event in one.events if isinstance(event, Leaked)] == []


def test_clients_stay_in_their_case_and_sound_like_their_traits() -> None:
    styles = []
    for one in map(play, list(CASES)[::3]):
        role = OTHERS[one.case.env][0]
        traits = traits_of(one.case, role, one.state.seed)
        dialogue = [Message(role if event.seat == role else TESTED[one.case.env], event.text) for event in one.said]
        found = consistency(one.case, one.case.env, role, dialogue, traits)
        assert (found.score, found.comparable, found.slips) == (1.0, True, ()), one.case.id
        # The opening line is the environment's, whatever the traits.
        styles.append(style_share([event.text for event in one.said if event.seat == role and event.turn > 0], traits))
    assert mean(style for style in styles if style is not None) > 0.95


def test_a_client_never_tells_everything_at_once() -> None:
    for case_id, case in CASES.items():
        told = case.client.background if isinstance(case, AdviceCase) else getattr(case, "complaint", "")
        if case.env in ("LC", "CD"):
            role = OTHERS[case.env][0]
            longest = max(len(event.text) for event in play(case_id).said if event.seat == role)
            assert longest < 0.85 * len(told) + 120, case_id


def test_documents_are_formally_right_and_complete() -> None:
    for env, least in (("CD", 0.95), ("DD", 0.97)):
        scores = [strict_score(one.case, one.own, {}).rates for one in map(play, CASES) if one.case.env == env]
        assert [score["FOR"] for score in scores] == [1.0] * 12
        assert mean(score["DOC_proxy"] or 0 for score in scores) > least
        assert min(score["DOC_proxy"] or 0 for score in scores) > 0.9


def test_a_lawyer_asks_one_thing_a_turn_and_ends_with_the_document() -> None:
    for one in (one for one in map(play, CASES) if one.case.env in ("CD", "DD")):
        assert all(text.count("？") <= 2 and len(text) < 90 for text in one.own[:-1])
        assert one.own[-1].endswith(END_MARK) and one.own[-1].startswith("民事")
        assert len(one.own) < 20


def test_the_trainee_is_above_the_floor_and_gold_is_the_ceiling() -> None:
    for env in ("KQ", "LC"):
        cases = [case for case in CASES.values() if case.env == env]
        floor = mean(strict_scores(case, floor_turns(case), {}).rates["BIN"] or 0 for case in cases)
        rules = [_rates(play(case.id)) for case in cases]
        assert mean(rate["BIN"] or 0 for rate in rules) > floor
        assert mean(rate["NBIN_proxy"] or 0 for rate in rules) > 0.3
        for case in cases:
            gold, ceiling = _rates(play(case.id, "law", registry.GOLD)), strict_scores(case, ceiling_turns(case), {}).rates
            assert {name: gold[name] for name in ("BIN", "NBIN_proxy", "COV")} == {
                name: ceiling[name] for name in ("BIN", "NBIN_proxy", "COV")
            }


def _rates(one: Play) -> Any:
    assert isinstance(one.case, AdviceCase)
    return strict_scores(one.case, topic_turns(one.events), {}).rates


@pytest.mark.parametrize("case_id", ["CD-0001", "DD-0003"])
def test_the_gold_document_is_the_ceiling(case_id: str) -> None:
    one = play(case_id, "law", registry.GOLD)
    score = strict_score(one.case, one.own, {}).rates
    assert (len(one.own), score["FOR"], score["DOC_proxy"]) == (3, 1.0, 1.0)


def test_only_articles_of_the_day_are_cited() -> None:
    for one in (one for one in map(play, CASES) if one.case.env in ("KQ", "LC")):
        day = law_day(one.case)
        cited, _ = cited_articles("\n".join(one.own))
        assert cited, one.case.id
        assert [article for article in cited if unknown(article, CaseDates(day, None, day, day))] == []


# --- the trainee ----------------------------------------------------------------------------------------------------


def test_every_row_of_the_table_is_law_in_force_and_can_come_to_mind() -> None:
    rules = rules_of(DAY)
    assert len(rules) > 900
    assert len({rule.law for rule in rules}) > 40
    for rule in rules:
        assert rule.number is None or in_force(rule.law, rule.number, DAY), rule.named
        assert 5 < len(rule.text) < 260 and rule.keys, rule.named
    before = {rule.law for rule in rules_of(date(2020, 6, 1))}
    assert "中华人民共和国民法典" not in before and "中华人民共和国劳动合同法" in before


QUESTIONS = (
    ("租的房子水管坏了，房东一直不来修，我自己花钱修的，能让房东出这笔钱吗？", "民法典》第七百一十三条", "yes"),
    ("房东卖房没有通知我，我可以让法院认定他们的买卖合同无效吗？", "民法典》第七百二十八条", "no"),
    ("新房东让我下周就搬走，我租期还有半年，我必须搬吗？", "民法典》第七百二十五条", "no"),
    ("包工头跑了，我能直接找工地的总包公司要工钱吗？", "保障农民工工资支付条例", "yes"),
    ("我怀孕了，公司可以把我辞退吗？", "劳动合同法》第四十二条", "no"),
    ("医院拒绝给我复印病历，这样可以吗？", "民法典》第一千二百二十五条", "no"),
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
    ("APP不给通讯录权限就不让用，合法吗？", "个人信息保护法》第十六条", "no"),
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
    assert article in "".join(one.rule.named for one in found[:2])
    assert chosen(asked, "binary", found)[0].rule.verdict(asked) == verdict


def test_a_yes_no_question_is_answered_with_yes_or_no_first() -> None:
    case = CASES["KQ-0001"]
    told = said_by(Trainee(None), case, "trainee", [*_opened("trainee"), Turn(1, "client", (), "竞业限制可以约定三年吗？")])
    assert told.startswith("不可以。根据《中华人民共和国劳动合同法》第二十四条")
    unknown_one = said_by(Trainee(None), case, "trainee", [*_opened("trainee"), Turn(1, "client", (), "月亮上的矿归谁呢？")])
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
        builder.add_version(version, articles(law, law, {"406": "抵押的房子在抵押期间也可以转让，这是测试用的文字。"}))
        builder.finish()
    record = [*_opened("trainee"), Turn(1, "client", (), "抵押的房子可以卖吗？")]
    with Pack.open("laws") as pack:
        told = said_by(Trainee(LawSearch(pack)), CASES["KQ-0001"], "trainee", record, day=DAY)
    assert told.startswith("可以。") and "条文原话是：“抵押的房子在抵押期间也可以转让" in told
    assert "条文原话" not in said_by(Trainee(None), CASES["KQ-0001"], "trainee", record, day=DAY)


def test_an_open_question_is_answered_in_points_without_foreign_articles() -> None:
    case, record = CASES["KQ-0001"], _opened("trainee")
    asked = Turn(1, "client", (), "租的房子到期了，房东扣着押金不退，我该怎么要，要准备哪些证据？")
    told = said_by(Trainee(None), case, "trainee", [*record, asked], day=DAY)
    assert "第一，" in told and "第三，" in told and "起诉" in told and "交接" in told
    cited, _ = cited_articles(told)
    assert {article.law for article in cited} == {"中华人民共和国民法典"} and len(cited) <= 4
    strange = Turn(1, "client", (), "试用期里店长让我走人，公司要具备什么条件才可以解除合同？")
    cited, _ = cited_articles(said_by(Trainee(None), case, "trainee", [*record, strange], day=DAY))
    assert {article.law for article in cited} == {"中华人民共和国劳动合同法"}


def test_the_trainee_asks_for_the_fact_that_decides_once() -> None:
    case = CASES["LC-0001"]
    record = [
        Turn(0, "client", (), "您好。"), Turn(1, "trainee", (), "请说说经过。"),
        Turn(1, "client", (), "我们要离婚。离婚以后孩子的抚养权会判给我吗？"),
    ]  # fmt: skip
    counter = said_by(Trainee(None), case, "trainee", record, turn=2)
    assert counter.endswith("？") and "几岁" in counter
    record += [Turn(2, "trainee", (), counter), Turn(2, "client", (), "孩子归谁，法院会判给我吗？")]
    again = said_by(Trainee(None), case, "trainee", record, turn=3)
    assert "第一千零八十四条" in again and "几岁" not in again
    known = [*record[:2], Turn(1, "client", (), "孩子五岁，一直是我带。离婚以后孩子的抚养权会判给我吗？")]
    assert "第一千零八十四条" in said_by(Trainee(None), case, "trainee", known, turn=2)


def _opened(speaker: str) -> list[Turn]:
    return [Turn(0, speaker, (), "您好。")]


# --- those who ask ---------------------------------------------------------------------------------------------------


def test_the_background_comes_bit_by_bit_and_counter_questions_are_answered() -> None:
    one = play("LC-0004")
    texts = [event.text for event in one.said if event.seat == "client" and event.turn > 0]
    background = CASES["LC-0004"].client.background  # type: ignore[union-attr]
    sentences = [part for part in background.split("。") if len(part) > 8]
    assert all(sum(part in text for part in sentences) <= len(sentences) // 2 for text in texts)
    record = [
        Turn(0, "client", (), "您好。"), Turn(1, "trainee", (), "请说说经过。"), Turn(1, "client", (), "我被公司辞退了。"),
        Turn(2, "trainee", (), "公司之前给您做过培训或者调过岗位吗？"),
    ]  # fmt: skip
    topic = CASES["LC-0004"].topics[1]  # type: ignore[union-attr]
    cue = TopicCue("ask", topic.id, topic.question, topic.aliases)
    told = said_by(AskingClient(None), CASES["LC-0004"], "client", record, topic=cue)
    assert told.index("没有给我做过培训") < told.index(topic.question)


@pytest.mark.parametrize("env", ["KQ", "LC"])
def test_asides_are_few_and_never_the_same(env: Any) -> None:
    """What is added to the story and the questions: at most one remark a turn, in half of the turns, none of them twice."""
    remarks = (*ASIDES[env], *WORRIES[env])
    for case_id in (case_id for case_id in CASES if case_id.startswith(env)):
        texts = [event.text.replace("你", "您") for event in play(case_id).said if event.seat == "client"]
        counts = [sum(text.count(remark) for remark in remarks) for text in texts]
        assert max(counts) <= 1 and sum(counts) <= (len(texts) + 1) // 2, case_id
        assert all(sum(text.count(remark) for text in texts) <= 1 for remark in remarks), case_id
        assert all(text.rstrip().endswith(("？", "?", "。")) for text in texts)


def test_the_story_comes_in_the_order_of_events() -> None:
    for case_id, least in (("LC-0001", 5), ("LC-0008", 5)):
        parts = narrative(CASES[case_id].client.background)  # type: ignore[union-attr]
        told = "".join(event.text for event in play(case_id).said if event.seat == "client")
        places = [place for part in parts if (place := told.find(part.rstrip("。")[-12:])) >= 0]
        assert len(places) >= least and places == sorted(places), case_id


@pytest.fixture(scope="module", autouse=True)
def _forget() -> Iterator[None]:
    yield
    play.cache_clear()


@pytest.mark.parametrize(
    ("said", "asked", "claim"),
    [
        ("房东讲押金一分都不用退。真是这样吗？", "房东讲押金一分都不用退，真是这样吗？", "theirs"),
        ("出嫁的女儿分不到遗产。是这么回事吗？", "出嫁的女儿分不到遗产，是这么回事吗？", "own"),
        ("网上骂人谁都管不着，这话对吗？", "网上骂人谁都管不着，这话对吗？", "own"),
        ("监视居住好像最长半年？是刑诉法哪条定的？", "监视居住好像最长半年，是刑诉法哪条定的？", ""),
        ("我租了一套房。押金能不退吗？", "押金能不退吗？", ""),
    ],
)
def test_a_bare_tail_keeps_the_matter_of_the_sentence_before_it(said: str, asked: str, claim: str) -> None:
    assert question_of(said) == asked
    assert read_question(asked).claim == claim


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("对方没有提，法院可以自己拿时效判我输？", "binary"), ("我能要求什么赔偿？", "open"), ("要找谁？", "open"),
        ("能打折还是能退？", "open"), ("您能不能说得再明白一点，押金不退合法吗？", "binary"),
    ],
)  # fmt: skip
def test_a_mark_alone_may_ask_and_a_preface_is_no_question(text: str, kind: str) -> None:
    asked = read_question(text)
    assert (kind_of(asked), several(asked)) == (kind, ())


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
        ("诈骗的钱全退了也取得谅解，可以不起诉吗？", FRAUD, 3, "yes"),
        ("骗来的钱送给朋友了，能追回来吗？", FRAUD, 10, "yes"),
    ],
)
def test_the_fact_asked_about_decides_the_answer(text: str, law: str, number: int, verdict: str) -> None:
    asked = read_question(text)
    rule = chosen(asked, "binary", recalled(text, "", DAY))[0].rule
    assert (rule.law, rule.number and rule.number.number, rule.verdict(asked)) == (law, number, verdict)
