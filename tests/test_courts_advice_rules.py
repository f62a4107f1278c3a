"""Advice and drafting with rules in every seat: whole dialogues of both profiles, who says what, and what a document holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from statistics import mean
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.builder import PackBuilder
from store.pack import Pack
from store.search.law_search import LawSearch
from store.statutes.applicable import CaseDates
from store.statutes.model import Law, LawVersion
from store.statutes.names import aliases_of
from tasks.courts.casefile import AdviceCase, Case, CivilCase
from tasks.courts.play import CourtEpisode, law_day, traits_of
from tasks.courts.procedure.turns import Turn
from tasks.courts.roles import OTHERS
from tasks.courts.scores.consistency import Message, consistency, style_share
from tasks.courts.scores.documents import strict_score
from tasks.courts.scores.drafted import END_MARK
from tasks.courts.scores.laws import cited_articles, unknown
from tasks.courts.scores.topics import ceiling_turns, floor_turns, strict_scores
from tasks.courts.tracker_seat import RULES as TRACKER
from tasks.courts.views import CourtView
from tasks.courts.visibility import TESTED, leaks, visible
from tasks.driver import Driver, Limits
from tasks.environment import SEAT
from tasks.events import AttemptStarted, Event, Leaked, Said, Seated
from tasks.policies.court import registry
from tasks.policies.court.advice import in_force, recalled, rules_of
from tasks.policies.court.asking import wanted
from tasks.policies.court.clients import AskingClient, TellingClient
from tasks.policies.court.dossier import learnt
from tasks.policies.court.drafter import Drafter
from tasks.policies.court.polarity import question_of, read_question
from tasks.policies.court.trainee import Trainee
from tasks.sample.courtcases import court_cases
from tests.statute_fixture import articles

CASES = {case.id: case for case in court_cases() if case.env in ("KQ", "LC", "CD", "DD")}
DAY = date(2025, 3, 1)


class Play:
    """One episode in memory, everybody by rules but the tested seat."""

    def __init__(self, case: Case, profile: Any = "law", agent: str = registry.RULES, turns: int | None = None) -> None:
        self.case = case
        program = CourtEpisode({case.id: case}, registry.policies(None, _nobody), profile, turns)
        driver = Driver(case.id, 1, program, lambda: 0.0, lambda: 0.0, Limits(turns=500))
        card = {"id": case.id, "env": case.env, "question": ""}
        driver.note(AttemptStarted(benchmark="courts", task_id=case.id, attempt=1, seed=7, card=card), step=0)
        for seat in (SEAT, *OTHERS[case.env]):
            policy = agent if seat == SEAT else TRACKER if seat == "tracker" else registry.RULES
            driver.note(Seated(seat=seat, policy=policy, engine=""), step=0)
        while not driver.stopped:
            driver.advance()
        self.state = driver.state
        self.events: list[Event] = [record.event for record in driver.state.records]
        self.said = [event for event in self.events if isinstance(event, Said)]
        self.outcome = driver.state.stopped.outcome if driver.state.stopped else ""

    @property
    def own(self) -> list[str]:
        return [event.text for event in self.said if event.seat == SEAT and event.turn > 0]


def _nobody(name: str) -> Any:
    raise AssertionError(f"no model plays here: {name}")


@cache
def play(case_id: str, profile: Any = "law", agent: str = registry.RULES) -> Play:
    return Play(CASES[case_id], profile, agent)


def said_by(policy: Any, case: Case, role: str, record: Sequence[Turn], **more: Any) -> str:
    """One utterance of a policy, with the view that the controller would give."""
    view = CourtView(
        seat=role, card={}, history=(), step=1, role=role, env=case.env, profile="law", case_id=case.id,
        held=visible(case, case.env, role), record=tuple(record), limit=more.pop("limit", 20),
        turn=more.pop("turn", max(1, sum(turn.speaker == TESTED[case.env] and turn.number > 0 for turn in record))),
        traits=more.pop("traits", {}), day=more.pop("day", law_day(case)), **more,
    )  # fmt: skip
    move = policy.move(view)
    with pytest.raises(StopIteration) as end:
        next(move)
    return str(end.value.value.text)


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
    from tasks.courts.record import topic_turns

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
    assert found[0].rule.verdict(asked) == verdict


def test_a_yes_no_question_is_answered_with_yes_or_no_first() -> None:
    case = CASES["KQ-0001"]
    told = said_by(Trainee(None), case, "trainee", [*_opened("trainee"), Turn(1, "client", (), "竞业限制可以约定三年吗？")])
    assert told.startswith("不可以。根据《中华人民共和国劳动合同法》第二十四条")
    unknown_one = said_by(Trainee(None), case, "trainee", [*_opened("trainee"), Turn(1, "client", (), "月亮上的矿归谁呢？")])
    assert "没有找到" in unknown_one and "《" not in unknown_one


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


def _opened(speaker: str) -> list[Turn]:
    return [Turn(0, speaker, (), "您好。")]


# --- clients --------------------------------------------------------------------------------------------------------

PHRASES = (
    ("CD-0001", "请问您怎么称呼？", "周映川"),
    ("CD-0001", "请说一下您的姓名、性别、民族、出生日期。", "周映川，男，汉族，1979年4月12日"),
    ("CD-0001", "您家住在哪里？", "柳荫街26号3幢502室"),
    ("CD-0001", "您的联系电话是多少？", "0417"),
    ("CD-0001", "您是做什么工作的？", "茶叶店经营者"),
    ("CD-0001", "您的工作单位是哪里？", "不方便透露"),
    ("CD-0001", "对方叫什么名字？住在哪儿？", "石桥路9号1幢301室"),
    ("CD-0001", "被告的电话是多少？", "我不清楚"),
    ("CD-0001", "被告的性别、民族和出生年月呢？", "男，汉族，1981年11月3日"),
    ("CD-0001", "请您把双方的基本信息都说一下。", "罗成溪"),
    ("CD-0001", "您有哪些诉讼请求？", "归还我借款本金200000元"),
    ("CD-0001", "您希望法院判对方做什么？", "律师费8000元"),
    ("CD-0001", "这些钱是怎么算出来的？", "200000元为基数"),
    ("CD-0001", "请把借款的来龙去脉讲一遍。", "装修其经营的面馆"),
    ("CD-0001", "您是什么时候把钱借出去的？", "2023年3月15日"),
    ("CD-0001", "利息付到哪一天？", "2023年9月14日"),
    ("CD-0001", "您手上有什么证据吗？", "借条一张"),
    ("CD-0001", "借条是原件还是复印件？", "我持有的原件"),
    ("CD-0001", "微信聊天记录能证明什么？", "多次催要"),
    ("CD-0001", "有证人吗？", "没有证人"),
    ("CD-0001", "您想向哪个法院起诉？", "不懂"),
    ("CD-0001", "起诉状怎么写，您有要求吗？", "您是律师"),
    ("CD-0001", "您家养狗吗？", "不清楚"),
    ("CD-0003", "对方公司的全称是什么，法定代表人是谁，担任什么职务？", "司徒瑞"),
    ("CD-0004", "谁能作证？请说证人的姓名和住址。", "詹守田，住在望川省石堰县禾溪镇桥头村"),
    ("DD-0007", "贵公司的全称、住所地和法定代表人的姓名、职务是什么？", "温庭昀，职务是执行董事"),
    ("DD-0007", "原告叫什么名字，住哪里？", "虞星眠"),
    ("DD-0007", "对原告的起诉，您有什么意见？", "不构成欺诈"),
    ("DD-0007", "原告的哪些说法您不同意？", "不应退款"),
    ("DD-0007", "您有什么证据材料？从哪里来的？", "我们公司从店铺后台打印"),
    ("DD-0001", "您同意归还本金吗？", "现欠本金17万元"),
)


@pytest.mark.parametrize(("case_id", "question", "answer"), PHRASES)
def test_a_lawyer_may_ask_in_many_words(case_id: str, question: str, answer: str) -> None:
    case = CASES[case_id]
    role, record = OTHERS[case.env][0], [Turn(0, OTHERS[case.env][0], (), "律师您好。"), Turn(1, TESTED[case.env], (), question)]
    told = said_by(TellingClient(None), case, role, record)
    assert answer in told
    assert leaks(told, case, case.env, role, [turn.text for turn in record]) == []


def test_several_questions_are_answered_in_their_order() -> None:
    case = CASES["CD-0001"]
    record = [Turn(0, "plaintiff", (), "您好。"), Turn(1, "plaintiff_lawyer", (), "您叫什么名字？有什么诉讼请求？有哪些证据？")]
    told = said_by(TellingClient(None), case, "plaintiff", record)
    assert told.index("周映川") < told.index("200000元") < told.index("借条一张")


def test_days_and_sums_come_roughly_first_and_exactly_when_asked_again() -> None:
    case = CASES["CD-0001"]
    careless = {"conscientiousness": "low", "extraversion": "medium"}
    record = [Turn(0, "plaintiff", (), "您好。"), Turn(1, "plaintiff_lawyer", (), "您的诉讼请求是什么？")]
    first = said_by(TellingClient(None), case, "plaintiff", record, traits=careless)
    record += [Turn(1, "plaintiff", (), first), Turn(2, "plaintiff_lawyer", (), "诉讼请求的金额请说准确。")]
    second = said_by(TellingClient(None), case, "plaintiff", record, traits=careless)
    assert "200000元" not in first and "几十万" in first
    assert "200000元" in second and "13500元" in second


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
    from tasks.courts.flow import TopicCue

    cue = TopicCue("ask", topic.id, topic.question, topic.aliases)
    told = said_by(AskingClient(None), CASES["LC-0004"], "client", record, topic=cue)
    assert told.index("没有给我做过培训") < told.index(topic.question)


# --- the lawyer -----------------------------------------------------------------------------------------------------


def interview(answers: dict[str, str], turns: int = 20) -> tuple[list[str], str]:
    """The questions of the drafter to somebody who answers in words of their own, and the document."""
    case = CASES["CD-0001"]
    record = [Turn(0, "plaintiff", (), "我要起诉。")]
    for turn in range(1, turns + 1):
        asked = said_by(Drafter(None), case, "plaintiff_lawyer", record, turn=turn, limit=turns)
        record.append(Turn(turn, "plaintiff_lawyer", ("plaintiff",), asked))
        if END_MARK in asked:
            break
        reply = next((said for words, said in answers.items() if re.search(words, asked)), "没有了。")
        record.append(Turn(turn, "plaintiff", ("plaintiff_lawyer",), reply))
    return [turn.text for turn in record if turn.speaker == "plaintiff_lawyer"], record[-1].text


OWN_WORDS = {
    "^请问您的姓名": "陈小满，女，汉族，1990年5月6日生，家住北河省南江市东城区槐树街3号。",
    "^您的职业": "我的手机号是13900001111",
    "^对方": "他叫刘大海，是男的，身份证我没见过，住在北河省南江市西城区柳巷9号。",
    "^您希望": "我就是要他把五万块钱还我：1、要求被告归还借款50000元；2、支付逾期利息；3、诉讼费由他出。",
    "^请把事情": "2024年1月10日他说做生意周转，向我借了50000元，说好半年还。到期以后我去要过好几次，他都说没钱。谢谢律师，麻烦您了。",
    "^您手里": "1、借条，在我手里，是原件。2、微信转账截图，我手机里截的。",
    "^这些证据": "借条能证明他借了钱；微信转账截图证明我把钱给他了。",
    "证人": "证人叫赵春生，住在北河省南江市东城区杏花路8号。",
}


def test_free_wording_is_understood() -> None:
    asked, document = interview(OWN_WORDS)
    for part in (
        "原告：陈小满，女，1990年5月6日出生，汉族，住北河省南江市东城区槐树街3号。", "被告：刘大海，男", "住北河省南江市西城区柳巷9号",
        "归还借款50000元", "逾期利息", "2024年1月10日", "借条", "微信转账截图", "证人：赵春生，住北河省南江市东城区杏花路8号。",
        "北河省南江市西城区人民法院",
    ):  # fmt: skip
        assert part in document, part
    assert "谢谢" not in document and "麻烦" not in document
    assert len(asked) < 16


def test_rough_figures_are_asked_for_once_more_and_silence_too() -> None:
    rough = {**OWN_WORDS, "^您希望": "一是要求被告归还借款几万", "^诉讼请求里": "一是要求被告归还借款50000元"}
    asked, document = interview(rough)
    assert sum("再说准确一点" in text and "诉讼请求" in text for text in asked) == 1
    assert "50000元" in document and "几万" not in document.split("事实和理由")[0]
    silent, empty = interview({".": "。"})
    assert sum("诉讼请求是什么" in text for text in silent) == 1
    assert empty.startswith("民事起诉状") and empty.endswith(END_MARK)


@pytest.mark.parametrize("turns", [1, 2, 4, 6])
def test_a_document_is_handed_in_before_the_turns_are_over(turns: int) -> None:
    asked, document = interview(OWN_WORDS, turns)
    assert len(asked) <= turns
    assert document.startswith("民事起诉状") and END_MARK in document
    for case_id in ("CD-0009", "DD-0011"):
        one = Play(CASES[case_id], "law", turns=turns)
        assert one.outcome == "finished" and len(one.own) <= turns


@pytest.mark.parametrize(
    ("question", "slots"),
    [
        ("您的诉讼请求是什么？", ["claims"]), ("这些证据从哪里来？", ["source"]), ("还有别的证据吗？", ["evidence"]),
        ("证人的姓名和住址是什么？", ["witness"]), ("好的，我记下了。", []), ("事情的经过是怎样的？", ["facts"]),
    ],
)  # fmt: skip
def test_what_a_question_asks_for(question: str, slots: list[str]) -> None:
    assert [want.slot for want in wanted(question, "plaintiff")] == slots


# --- anything may be said ---------------------------------------------------------------------------------------------

WORDS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from("第一是。；，？吗2023年3月5日20万元《民法典》我对方证据证人叫住在（）“”\n没有了询问结束"), max_size=60).map("".join),
)
FREELY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@FREELY
@given(WORDS, st.sampled_from(["CD-0004", "DD-0007", "LC-0004", "KQ-0002"]))
def test_the_other_side_may_say_anything(text: str, case_id: str) -> None:
    case = CASES[case_id]
    tested, other = TESTED[case.env], OTHERS[case.env][0]
    policy: Any = Trainee(None) if case.env in ("KQ", "LC") else Drafter(None)
    client: Any = AskingClient(None) if case.env in ("KQ", "LC") else TellingClient(None)
    heard = [Turn(0, other, (), text), Turn(1, tested, (), text), Turn(1, other, (), text)]
    assert said_by(policy, case, tested, heard).strip()
    assert isinstance(said_by(client, case, other, [*heard, Turn(2, tested, (), text)]), str)


@FREELY
@given(WORDS)
def test_the_drafter_always_ends(text: str) -> None:
    asked, document = interview({".": text}, 12)
    assert len(asked) <= 12 and END_MARK in document
    assert learnt([Turn(1, "plaintiff", (), text)], "plaintiff").client == "plaintiff"


def test_what_a_client_said_is_no_leak_in_the_words_of_a_document() -> None:
    case = CASES["CD-0001"]
    assert isinstance(case, CivilCase)
    heard = ["2023年3月15日，对方因装修其经营的面馆向我借款20万元，我当日通过银行转账交付。"]
    written = "2023年3月15日，被告因装修其经营的面馆向原告借款20万元，原告当日通过银行转账交付。"
    assert leaks(written, case, "CD", "plaintiff_lawyer", heard) == []
    assert leaks(written, case, "CD", "plaintiff_lawyer", [])[0].field == "complaint"
    advice = CASES["LC-0004"]
    assert isinstance(advice, AdviceCase)
    assert leaks("。".join(advice.topics[0].points), advice, "LC", "trainee") == []
    assert leaks("。".join(advice.topics[0].points), advice, "LC", "client") != []


@pytest.fixture(scope="module", autouse=True)
def _forget() -> Iterator[None]:
    yield
    play.cache_clear()
