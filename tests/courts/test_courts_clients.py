"""The people who seek advice and the lawyers who answer them, by rules: whole dialogues, many ways to ask, what is
told unasked, and whatever else may be said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from statistics import mean
from typing import Any

import pytest

from tasks.courts.agents import registry
from tasks.courts.agents.clients import InformingClient
from tasks.courts.casefile.case import AdviceCase
from tasks.courts.casefile.visibility import leaks
from tasks.courts.environment import environment
from tasks.courts.play.episode import law_day, traits_of
from tasks.courts.play.record import topic_turns
from tasks.courts.procedure.model import Turn
from tasks.courts.scores.consistency import RoleMessage, consistency, style_share
from tasks.courts.scores.documents import strict_score
from tasks.courts.scores.drafted import END_MARK, floor_document, with_end_mark
from tasks.courts.scores.topics import ceiling_turns, strict_scores
from tasks.episode.with_tools import SEAT
from tasks.sample.build import court_cases
from tests.support.court_stage import Court, by_rules, said_by, views

pytestmark = pytest.mark.slow

CASES: dict[str, Any] = {case.id: case for case in court_cases() if case.env in ("KQ", "LC", "CD", "DD")}


@cache
def play(case_id: str, profile: Any = "law", agent: str = registry.RULES) -> Court:
    return by_rules(CASES[case_id], profile, agent=agent)


def own(court: Court) -> list[str]:
    """What the tested seat said."""
    return [event.text for event in court.tagged("said") if event.seat == SEAT and event.turn > 0]


def told(case: Any, role: str, record: Sequence[Turn], **traits: str) -> str:
    """What somebody says who tells of a case, after this."""
    number = max(1, sum(turn.speaker == environment(case.env).tested and turn.number > 0 for turn in record))
    view = views(case, role, record=tuple(record), turn=number, traits=traits, day=law_day(case))
    return said_by(InformingClient(None), view).text


def asked_each_time(case_id: str, words: str, turns: int) -> list[str]:
    """What a client says who is told the same in each turn."""
    case = CASES[case_id]
    role, tested = environment(case.env).others[0], environment(case.env).tested
    record, said = [Turn(0, role, (), environment(case.env).opening)], list[str]()
    for number in range(1, turns + 1):
        record.append(Turn(number, tested, (role,), words))
        said.append(told(case, role, record))
        record.append(Turn(number, role, (tested,), said[-1]))
    return said


# --- whole dialogues ------------------------------------------------------------------------------------------------


def test_every_dialogue_ends_and_nothing_leaks() -> None:
    plays = [play(case_id) for case_id in CASES] + [play(case_id, "j1") for case_id in list(CASES)[::6]]
    for one in plays:
        # A client whose questions are not answered asks them again until the turns are used up.
        again = one.driver.program.profile == "j1" and one.case.env == "LC"  # type: ignore[attr-defined]
        assert one.outcome == "finished" or again and one.outcome == "turn_limit", one.case.id
        assert one.tagged("leaked") == [], one.case.id


def test_clients_stay_in_their_case_and_sound_like_their_traits() -> None:
    styles = []
    for one in map(play, list(CASES)[::3]):
        role, tested = environment(one.case.env).others[0], environment(one.case.env).tested
        traits = traits_of(one.case, role, one.driver.state.seed)
        said = one.tagged("said")
        dialogue = [RoleMessage(role if event.seat == role else tested, event.text) for event in said]
        found = consistency(one.case, one.case.env, role, dialogue, traits)
        assert (found.score, found.slips) == (1.0, ()), one.case.id
        # The opening line is the environment's, whatever the traits.
        styles.append(style_share([event.text for event in said if event.seat == role and event.turn > 0], traits))
    assert mean(style for style in styles if style is not None) > 0.95


def test_a_client_never_tells_everything_at_once() -> None:
    for case_id, case in CASES.items():
        if case.env in ("LC", "CD"):
            story = case.client.background if case.env == "LC" else case.complaint
            role = environment(case.env).others[0]
            longest = max(len(event.text) for event in play(case_id).tagged("said") if event.seat == role)
            assert longest < 0.85 * len(story) + 120, case_id


def test_gold_is_the_ceiling() -> None:
    for name in [name for name, case in CASES.items() if isinstance(case, AdviceCase)][::2]:
        turns = topic_turns(play(name, "law", registry.GOLD).events)
        gold, ceiling = (strict_scores(CASES[name], one, {}).rates for one in (turns, ceiling_turns(CASES[name])))
        assert all(gold[rate] == ceiling[rate] for rate in ("BIN", "NBIN_proxy", "COV")), name


@pytest.mark.parametrize("case_id", ["CD-0001", "DD-0003"])
def test_the_gold_document_is_the_ceiling(case_id: str) -> None:
    one = play(case_id, "law", registry.GOLD)
    score = strict_score(one.case, own(one), {}).rates  # type: ignore[arg-type]
    assert (len(own(one)), score["FOR"], score["DOC_proxy"]) == (3, 1.0, 1.0)


def test_without_statutes_the_trainee_says_that_he_does_not_know() -> None:
    for one in (one for one in map(play, CASES) if one.case.env in ("KQ", "LC")):
        assert any("没有查到可以直接引用的条文" in text for text in own(one)), one.case.id
        assert not any("《" in text for text in own(one)), one.case.id


# --- those who tell -------------------------------------------------------------------------------------------------

PHRASES = (
    ("CD-0001", "请说一下您的姓名、性别、民族、出生日期。", "周映川，男，汉族，1979年4月12日"),
    ("CD-0001", "您家住在哪里？", "柳荫街26号3幢502室"),
    ("CD-0001", "您的联系电话是多少？", "0417"),
    ("CD-0001", "您是做什么工作的？", "茶叶店经营者"),
    ("CD-0001", "您的工作单位是哪里？", "不方便透露"),
    ("CD-0001", "对方叫什么名字？住在哪儿？", "石桥路9号1幢301室"),
    ("CD-0001", "被告的电话是多少？", "我不清楚"),
    ("CD-0001", "请说明以下情况：\n1. 原告和被告的基本信息；\n2. 诉讼请求；\n3. 证据。", "罗成溪"),
    ("CD-0001", "请您把双方的基本信息都说一下。", "罗成溪"),
    ("CD-0001", "您有哪些诉讼请求？", "归还我借款本金200000元"),
    ("CD-0001", "您希望法院判对方做什么？", "律师费8000元"),
    ("CD-0001", "请把借款的来龙去脉讲一遍。", "装修其经营的面馆"),
    ("CD-0001", "利息付到哪一天？", "2023年9月14日"),
    ("CD-0001", "您手上有什么证据吗？", "借条一张"),
    ("CD-0001", "借条是原件还是复印件？", "我持有的原件"),
    ("CD-0001", "有证人吗？", "没有证人"),
    ("CD-0001", "起诉状怎么写，您有要求吗？", "您是律师"),
    ("CD-0003", "对方公司的全称是什么，法定代表人是谁，担任什么职务？", "司徒瑞"),
    ("CD-0004", "谁能作证？请说证人的姓名和住址。", "詹守田，住在望川省石堰县禾溪镇桥头村"),
    ("DD-0007", "贵公司的全称、住所地和法定代表人的姓名、职务是什么？", "温庭昀，职务是执行董事"),
    ("DD-0007", "原告叫什么名字，住哪里？", "虞星眠"),
    ("DD-0007", "对原告的起诉，您有什么意见？", "不构成欺诈"),
    ("DD-0007", "您有什么证据材料？从哪里来的？", "我们公司从店铺后台打印"),
    ("DD-0001", "您同意归还本金吗？", "现欠本金17万元"),
)


@pytest.mark.parametrize(("case_id", "question", "answer"), PHRASES)
def test_a_lawyer_may_ask_in_many_words(case_id: str, question: str, answer: str) -> None:
    case, here = CASES[case_id], environment(CASES[case_id].env)
    record = [Turn(0, here.others[0], (), "律师您好。"), Turn(1, here.tested, (), question)]
    said = told(case, here.others[0], record)
    assert answer in said
    assert leaks(said, case, case.env, here.others[0], [turn.text for turn in record]) == []


def test_days_and_sums_come_roughly_first_and_exactly_when_asked_again() -> None:
    case = CASES["CD-0001"]
    careless = {"conscientiousness": "low", "extraversion": "medium"}
    record = [Turn(0, "plaintiff", (), "您好。"), Turn(1, "plaintiff_lawyer", (), "您的诉讼请求是什么？")]
    first = told(case, "plaintiff", record, **careless)
    record += [Turn(1, "plaintiff", (), first), Turn(2, "plaintiff_lawyer", (), "诉讼请求的金额请说准确。")]
    second = told(case, "plaintiff", record, **careless)
    assert "200000元" not in first and "几十万" in first
    assert "200000元" in second and "13500元" in second


OPENLY = ("请问您需要起诉什么？", "您请讲。", "明白了，请继续陈述您的诉求。")


@pytest.mark.parametrize("question", OPENLY)
@pytest.mark.parametrize("case_id", ["CD-0001", "DD-0001"])
def test_who_is_asked_openly_or_for_one_thing_again_tells_claims_then_the_story_then_exhibits(
    case_id: str, question: str
) -> None:
    """Never that something is not known while something is left to tell."""
    said = asked_each_time(case_id, question, 7)
    heads = {
        "CD-0001": ("归还我借款本金200000元", "装修其经营的面馆", "借条一张"),
        "DD-0001": ("已于2024年1月15日还款3万元", "", "手机银行转账记录"),
    }[case_id]
    places = [next(at for at, text in enumerate(said) if head in text) for head in heads if head]
    assert places == sorted(places) and places[0] == 0, said
    assert not any("清楚" in text or "没有别的" in text for text in said[: places[-1] + 1]), said


def test_a_draft_that_names_facts_is_answered_with_what_is_owed_next() -> None:
    """A drafter who hands in its text again and again is told all there is, not the same fact to the end."""
    draft = "尊敬的法官，对方于2023年8月1日入职我们公司，任仓储物流主管，工作至2024年5月31日。"
    said = asked_each_time("DD-0003", draft, 8)
    assert max(map(said[:4].count, said[:4])) <= 2 and "该说的都说了" in said[-1], said


@pytest.mark.parametrize(
    ("case_id", "question"),
    [("DD-0003", "请提供一些基本信息。"), ("CD-0001", "请问您怎么称呼？"), ("CD-0003", "对方公司的法定代表人是谁？")],
)
def test_who_was_told_twice_is_told_what_is_owed_next(case_id: str, question: str) -> None:
    said = asked_each_time(case_id, question, 8)
    assert max(map(said[:5].count, said[:5])) <= 2 and any("证据" in one or "材料" in one for one in said[2:]), said


# --- the lawyer -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("case_id", "turns"), [("CD-0001", 1), ("CD-0001", 20), ("DD-0003", 3)])
def test_rules_interview_and_hand_in_the_empty_form_in_time(case_id: str, turns: int) -> None:
    one = by_rules(CASES[case_id], turns=turns)
    document = own(one)[-1]
    assert one.outcome == "finished" and len(own(one)) <= min(turns, 5)
    assert document.startswith("民事") and document.endswith(END_MARK)
    assert document == with_end_mark(floor_document("CD" if one.case.env == "CD" else "DD"))


# --- anything may be said -------------------------------------------------------------------------------------------


def test_what_a_client_said_is_no_leak_in_the_words_of_a_document() -> None:
    case = CASES["CD-0001"]
    heard = ["2023年3月15日，对方因装修其经营的面馆向我借款20万元，我当日通过银行转账交付。"]
    written = "2023年3月15日，被告因装修其经营的面馆向原告借款20万元，原告当日通过银行转账交付。"
    assert leaks(written, case, "CD", "plaintiff_lawyer", heard) == []
    assert leaks(written, case, "CD", "plaintiff_lawyer", [])[0].field == "complaint"
    hired, company = "2023年8月1日入职{}", "澜江拾光里家居用品有限公司"
    heard = [f"我{hired.format('对方')}。", f"对方叫{company}。"]
    assert leaks(hired.format(company), CASES["CD-0003"], "CD", "plaintiff_lawyer", heard) == []
    assert leaks(hired.format(company), CASES["CD-0003"], "CD", "plaintiff_lawyer", heard[1:]) != []
    advice = CASES["LC-0004"]
    assert leaks("。".join(advice.topics[0].points), advice, "LC", "trainee") == []
    assert leaks("。".join(advice.topics[0].points), advice, "LC", "client") != []


@pytest.fixture(scope="module", autouse=True)
def _forget() -> Iterator[None]:
    yield
    play.cache_clear()
