"""The people who seek advice and the lawyers who answer them, by rules: whole dialogues, many ways to ask, what is
told unasked, and whatever else may be said."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean
from typing import Any

import pytest

from tasks.courts.agents import registry
from tasks.courts.agents.clients import InformingClient
from tasks.courts.casefile.case import AdviceCase, CivilCase
from tasks.courts.casefile.visibility import leaks
from tasks.courts.environment import environment
from tasks.courts.play.episode import traits_of
from tasks.courts.play.record import topic_turns
from tasks.courts.procedure.model import Turn
from tasks.courts.scores.consistency import RoleMessage, consistency, style_share
from tasks.courts.scores.documents import strict_score
from tasks.courts.scores.drafted import END_MARK, Kind, floor_document, with_end_mark
from tasks.courts.scores.topics import ceiling_turns, strict_scores
from tasks.episode.events import Leaked
from tests.support.advice_plays import CASES, Play, play, said_by

pytestmark = pytest.mark.slow


def background(case_id: str) -> str:
    case = CASES[case_id]
    assert isinstance(case, AdviceCase)
    return case.client.background


# --- whole dialogues ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", ["law", pytest.param("j1", marks=pytest.mark.slow)])
def test_every_dialogue_ends_and_nothing_leaks(profile: Any) -> None:
    plays = [play(case_id, profile) for case_id in CASES]
    assert len(plays) == 48
    unfinished = {one.case.id: one.outcome for one in plays if one.outcome != "finished"}
    if profile == "j1":  # a client whose questions are not answered asks them again until the turns are used up
        unfinished = {
            name: outcome for name, outcome in unfinished.items() if (name[:2], outcome) != ("LC", "turn_limit")
        }
    assert unfinished == {}
    assert [event for one in plays for event in one.events if isinstance(event, Leaked)] == []


def test_clients_stay_in_their_case_and_sound_like_their_traits() -> None:
    styles = []
    for one in map(play, list(CASES)[::3]):
        role = environment(one.case.env).others[0]
        traits = traits_of(one.case, role, one.state.seed)
        dialogue = [
            RoleMessage(role if event.seat == role else environment(one.case.env).tested, event.text)
            for event in one.said
        ]
        found = consistency(one.case, one.case.env, role, dialogue, traits)
        assert (found.score, found.slips) == (1.0, ()), one.case.id
        # The opening line is the environment's, whatever the traits.
        styles.append(
            style_share([event.text for event in one.said if event.seat == role and event.turn > 0], traits)
        )
    assert mean(style for style in styles if style is not None) > 0.95


def test_a_client_never_tells_everything_at_once() -> None:
    for case_id, case in CASES.items():
        told = case.client.background if isinstance(case, AdviceCase) else getattr(case, "complaint", "")
        if case.env in ("LC", "CD"):
            role = environment(case.env).others[0]
            longest = max(len(event.text) for event in play(case_id).said if event.seat == role)
            assert longest < 0.85 * len(told) + 120, case_id


def test_gold_is_the_ceiling() -> None:
    for env in ("KQ", "LC"):
        cases = [case for case in CASES.values() if case.env == env]
        for case in cases:
            gold, ceiling = (
                _rates(play(case.id, "law", registry.GOLD)),
                strict_scores(case, ceiling_turns(case), {}).rates,
            )
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


def test_without_statutes_the_trainee_says_that_he_does_not_know() -> None:
    for one in (one for one in map(play, CASES) if one.case.env in ("KQ", "LC")):
        assert any("没有查到可以直接引用的条文" in text for text in one.own), one.case.id
        assert not any("《" in text for text in one.own), one.case.id


# --- those who tell -------------------------------------------------------------------------------------------------

PHRASES = (
    ("CD-0001", "请问您怎么称呼？", "周映川"),
    ("CD-0001", "请说一下您的姓名、性别、民族、出生日期。", "周映川，男，汉族，1979年4月12日"),
    ("CD-0001", "您家住在哪里？", "柳荫街26号3幢502室"),
    ("CD-0001", "您的联系电话是多少？", "0417"),
    ("CD-0001", "您是做什么工作的？", "茶叶店经营者"),
    ("CD-0001", "您的工作单位是哪里？", "不方便透露"),
    ("CD-0001", "对方叫什么名字？住在哪儿？", "石桥路9号1幢301室"),
    ("CD-0001", "被告的电话是多少？", "我不清楚"),
    ("CD-0001", "请您把双方的基本信息都说一下。", "罗成溪"),
    ("CD-0001", "请说明以下情况：\n1. 原告和被告的基本信息；\n2. 诉讼请求；\n3. 证据。", "罗成溪"),
    ("CD-0001", "您有哪些诉讼请求？", "归还我借款本金200000元"),
    ("CD-0001", "您希望法院判对方做什么？", "律师费8000元"),
    ("CD-0001", "请把借款的来龙去脉讲一遍。", "装修其经营的面馆"),
    ("CD-0001", "利息付到哪一天？", "2023年9月14日"),
    ("CD-0001", "您手上有什么证据吗？", "借条一张"),
    ("CD-0001", "借条是原件还是复印件？", "我持有的原件"),
    ("CD-0001", "微信聊天记录能证明什么？", "多次催要"),
    ("CD-0001", "有证人吗？", "没有证人"),
    ("CD-0001", "您想向哪个法院起诉？", "不懂"),
    ("CD-0001", "起诉状怎么写，您有要求吗？", "您是律师"),
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
    role, record = (
        environment(case.env).others[0],
        [
            Turn(0, environment(case.env).others[0], (), "律师您好。"),
            Turn(1, environment(case.env).tested, (), question),
        ],
    )
    told = said_by(InformingClient(None), case, role, record)
    assert answer in told
    assert leaks(told, case, case.env, role, [turn.text for turn in record]) == []


def test_days_and_sums_come_roughly_first_and_exactly_when_asked_again() -> None:
    case = CASES["CD-0001"]
    careless = {"conscientiousness": "low", "extraversion": "medium"}
    record = [Turn(0, "plaintiff", (), "您好。"), Turn(1, "plaintiff_lawyer", (), "您的诉讼请求是什么？")]
    first = said_by(InformingClient(None), case, "plaintiff", record, traits=careless)
    record += [Turn(1, "plaintiff", (), first), Turn(2, "plaintiff_lawyer", (), "诉讼请求的金额请说准确。")]
    second = said_by(InformingClient(None), case, "plaintiff", record, traits=careless)
    assert "200000元" not in first and "几十万" in first
    assert "200000元" in second and "13500元" in second


OPENLY = ("请问您需要起诉什么？", "您请讲。", "好的，请继续。", "请问您需要什么帮助？")


@pytest.mark.parametrize("question", [*OPENLY, "明白了，请继续陈述您的诉求。"])
@pytest.mark.parametrize("case_id", ["CD-0001", "DD-0001"])
def test_who_is_asked_openly_or_for_one_thing_again_tells_claims_then_the_story_then_exhibits(
    case_id: str, question: str
) -> None:
    """Never that something is not known while something is left to tell."""
    case: Any = CASES[case_id]
    role, tested = environment(case.env).others[0], environment(case.env).tested
    record, said = [Turn(0, role, (), environment(case.env).opening)], list[str]()
    for number in range(1, 8):
        record.append(Turn(number, tested, (role,), question))
        said.append(said_by(InformingClient(None), case, role, record))
        record.append(Turn(number, role, (tested,), said[-1]))
    heads = {
        "CD-0001": ("归还我借款本金200000元", "装修其经营的面馆", "借条一张"),
        "DD-0001": ("已于2024年1月15日还款3万元", "", "手机银行转账记录"),
    }[case_id]
    places = [next(at for at, text in enumerate(said) if head in text) for head in heads if head]
    assert places == sorted(places) and places[0] == 0, said
    assert not any("清楚" in text or "没有别的" in text for text in said[: places[-1] + 1]), said


def test_a_draft_that_names_facts_is_answered_with_what_is_owed_next() -> None:
    """A drafter who hands in its text again and again is told all there is, not the same fact to the end."""
    case: Any = CASES["DD-0003"]
    draft = "尊敬的法官，对方于2023年8月1日入职我们公司，任仓储物流主管，工作至2024年5月31日。"
    record, said = [Turn(0, "defendant", (), environment(case.env).opening)], list[str]()
    for number in range(1, 9):
        record.append(Turn(number, "defendant_lawyer", ("defendant",), draft))
        said.append(said_by(InformingClient(None), case, "defendant", record))
        record.append(Turn(number, "defendant", ("defendant_lawyer",), said[-1]))
    assert max(map(said[:4].count, said[:4])) <= 2 and "该说的都说了" in said[-1], said


@pytest.mark.parametrize(
    ("case_id", "question"),
    [("DD-0003", "请提供一些基本信息。"), ("CD-0001", "请问您怎么称呼？"), ("CD-0003", "对方公司的法定代表人是谁？")],
)
def test_who_was_told_twice_is_told_what_is_owed_next(case_id: str, question: str) -> None:
    case: Any = CASES[case_id]
    role, tested = environment(case.env).others[0], environment(case.env).tested
    record, said = [Turn(0, role, (), environment(case.env).opening)], list[str]()
    for number in range(1, 9):
        record.append(Turn(number, tested, (role,), question))
        said.append(said_by(InformingClient(None), case, role, record))
        record.append(Turn(number, role, (tested,), said[-1]))
    assert max(map(said[:5].count, said[:5])) <= 2 and any("证据" in one or "材料" in one for one in said[2:]), said


# --- the lawyer -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case_id", ["CD-0001", "DD-0003"])
@pytest.mark.parametrize("turns", [1, 3, 20])
def test_rules_interview_and_hand_in_the_empty_form_in_time(case_id: str, turns: int) -> None:
    one = Play(CASES[case_id], "law", turns=turns)
    assert one.outcome == "finished" and len(one.own) <= min(turns, 5)
    assert one.own[-1].startswith("民事") and one.own[-1].endswith(END_MARK)
    kind: Kind = "CD" if case_id.startswith("CD") else "DD"
    assert one.own[-1] == with_end_mark(floor_document(kind))


# --- anything may be said -------------------------------------------------------------------------------------------


def test_what_a_client_said_is_no_leak_in_the_words_of_a_document() -> None:
    case = CASES["CD-0001"]
    assert isinstance(case, CivilCase)
    heard = ["2023年3月15日，对方因装修其经营的面馆向我借款20万元，我当日通过银行转账交付。"]
    written = "2023年3月15日，被告因装修其经营的面馆向原告借款20万元，原告当日通过银行转账交付。"
    assert leaks(written, case, "CD", "plaintiff_lawyer", heard) == []
    assert leaks(written, case, "CD", "plaintiff_lawyer", [])[0].field == "complaint"
    hired, company = "2023年8月1日入职{}", "澜江拾光里家居用品有限公司"
    heard = [f"我{hired.format('对方')}。", f"对方叫{company}。"]
    assert leaks(hired.format(company), CASES["CD-0003"], "CD", "plaintiff_lawyer", heard) == []
    assert leaks(hired.format(company), CASES["CD-0003"], "CD", "plaintiff_lawyer", heard[1:]) != []
    advice = CASES["LC-0004"]
    assert isinstance(advice, AdviceCase)
    assert leaks("。".join(advice.topics[0].points), advice, "LC", "trainee") == []
    assert leaks("。".join(advice.topics[0].points), advice, "LC", "client") != []


@pytest.fixture(scope="module", autouse=True)
def _forget() -> Iterator[None]:
    yield
    play.cache_clear()
