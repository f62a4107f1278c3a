"""Replies that say nothing of their own: found, flagged, asked for once more of a simulated seat, worth nothing under
strict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from models.engine import Ask, Reply
from tasks.agents.degenerate import PromptReply, asks, fault, stated
from tasks.courts.environment import Role
from tasks.courts.play.tracking import TopicTurn, track_by_rules
from tasks.courts.play.view import fault_of
from tasks.courts.procedure.model import Turn
from tasks.courts.scores.topics import ceiling_turns, compat_scores, strict_scores
from tasks.episode.events import Said
from tasks.scoring.result import replies_of
from tests.support.court_run_fixture import first_cases
from tests.support.court_stage import Court, plain_reply, views

CASES = {case.env: case for case in first_cases()}
QUESTION = "我借给工友三万块，借条上没有写利息，借款期限里的利息我能要吗？"
ANSWER = "借条上没有约定利息，借款期限内的利息不能要，法律视为没有利息，但到期以后可以请求逾期利息。"
OTHER = "没有打借条，手里只有银行转账记录，可以去法院起诉要他还钱吗？"
RULES = "先直接回答所问，可以还是不可以。缺少的事实足以改变结论的，分情形说明，或者反问对方一个问题。"


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        (QUESTION, "echo"),
        (f"好的。{QUESTION}", "echo"),
        (f"您问的是：{QUESTION}{ANSWER}", ""),
        ("借条上没有写利息，借款期限里的利息您能要。", ""),  # the question's words, as an answer
        ("缺少的事实足以改变结论的，分情形说明，或者反问对方一个问题。", "recital"),
        (ANSWER, ""),
        ("不能要。", ""),
        ("您好，不能要。\n咨询人：那我该怎么办？", "speaks_for"),
        ("不能要。【咨询人】那我该怎么办？", "speaks_for"),
        ("我是咨询人，想问利息的事情能不能要。", "speaks_for"),
        ("我是咨询人的朋友，利息不能要，因为借条上没有约定。", ""),
        ("咨询人说得对，不能要利息，因为借条上没有约定。", ""),
    ],
)
def test_a_reply_says_something_of_its_own(reply: str, found: str) -> None:
    assert fault(reply, QUESTION, instructions=RULES, others=("咨询人",)) == found


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("", "我申请回避吗？"),
        ("", "请被告说明，对这份证据有没有异议。"),
        ("我同意调解，", "请明确原告同不同意。"),
        ("我申请审判员回避，请法庭审查理由是否成立。", ""),
        ("请您介绍一下经过。", ""),
        ("是否构成违约，由法庭认定。", ""),
    ],
)
def test_who_asks_indirectly_asks_too(said: str, asked: str) -> None:
    assert asks(said + asked) is bool(asked)
    assert stated(f"我还钱。{said}{asked}") == f"我还钱。{said}"
    asked = "请您告诉我您是否申请审判员、书记员回避。"
    assert fault(asked, asked) == "echo" and not fault("我是否申请审判员、书记员回避，由代理人说。", asked)


@pytest.mark.parametrize(
    ("reply", "prompt", "found"),
    [
        (ANSWER, OTHER, "repeat"),
        (ANSWER.replace("但到期", "但是到期"), OTHER, "repeat"),
        (ANSWER, QUESTION, ""),  # to the same words
        (f"可以起诉，转账记录也是证据，并不需要借条。{ANSWER}", OTHER, ""),
        ("没有别的了。", OTHER, ""),
    ],
)
def test_what_was_said_to_other_words_is_a_repeat(reply: str, prompt: str, found: str) -> None:
    earlier = [PromptReply(QUESTION, ANSWER), PromptReply("还有别的吗？", "没有别的了。")]
    assert fault(reply, prompt, earlier) == found
    assert fault(reply, prompt, earlier, again=1) == ""
    word_for_word = reply == ANSWER and found
    assert fault(reply, prompt, earlier, given=ANSWER) == (found if word_for_word else "")


@pytest.mark.parametrize(
    ("reply", "found"), [(ANSWER, "repeat"), ("好的，感谢您的配合。", "repeat"), ("没有别的了。", ""), ("好的。", "")]
)
def test_the_same_a_third_time_in_a_row_is_a_repeat_whatever_was_heard(reply: str, found: str) -> None:
    once = PromptReply(QUESTION, reply)
    assert fault(reply, QUESTION, [once]) == ""
    assert fault(reply, QUESTION, [once, once]) == found
    assert fault(reply, QUESTION, [once, PromptReply(QUESTION, OTHER)]) == ""
    assert fault(reply, QUESTION, [once, once], again=1) == ""


def speaks(role: Role, words: Callable[[int], str]) -> Callable[[Ask, Role, int], str | Reply]:
    """Everybody says something new, and a role these words at its calls."""
    return lambda ask, who, number: plain_reply(
        ask, who, words(number) if who == role else f"第{number}件事，{who}这样说：{hash_of(who, number)}"
    )


def hash_of(role: Role, number: int) -> str:
    return "".join(chr(0x4E00 + (number * 7919 + len(role) * 131 + place * 97) % 20000) for place in range(30))


def test_a_simulated_seat_is_asked_once_more_and_heard_the_second_time() -> None:
    same = "我在这家店做了三个月，店里一直没有跟我签合同。"
    court = Court(
        CASES["KQ"], speaks("client", lambda number: "我想换个问题，工资按什么算？" if number == 3 else same)
    )
    court.run(6)
    said = [e.event for e in court.driver.state.records if isinstance(e.event, Said) and e.event.seat == "client"]
    asks = court.prompts("client")
    assert said[1].text == "我想换个问题，工资按什么算？" and not said[1].fault  # its second call was the same again
    assert asks[2].settings.temperature == 0.7 and asks[2].messages == asks[1].messages
    assert said[2].fault == "repeat"  # the same twice: heard, and flagged
    figures = replies_of(court.driver.state.records)
    assert figures["client"]["repeat"] >= 1 and figures["agent"]["repeat"] == 0
    assert not court.driver.state.flags & {"repeat"}


def test_the_tested_seat_is_flagged_and_never_helped() -> None:
    court = Court(CASES["KQ"], speaks("trainee", lambda number: ANSWER)).run(8)
    own = court.prompts("trainee")
    said = [e.event for e in court.driver.state.records if isinstance(e.event, Said) and e.event.seat == "agent"]
    assert len(own) == sum(one.turn > 0 for one in said)
    assert "repeat" in court.driver.state.flags
    assert replies_of(court.driver.state.records)["agent"]["repeat"] == sum(one.fault == "repeat" for one in said) > 0


def test_an_echo_or_a_repeat_earns_nothing_under_strict() -> None:
    case = CASES["KQ"]
    sound = ceiling_turns(case)  # type: ignore[arg-type]
    empty = [replace(turn, fault="echo") for turn in sound]
    for scores, kept in ((strict_scores, False), (compat_scores, True)):
        whole, none = scores(case, sound, {}).rates, scores(case, empty, {}).rates  # type: ignore[arg-type]
        assert whole["BIN"] == 1
        assert none["BIN"] == (1 if kept else 0) and none["COV"] == whole["COV"]
    again = [
        *sound,
        *(TopicTurn(t.pointer, "不。", track_by_rules(case, t.pointer, "不。"), fault="repeat") for t in sound),
    ]  # type: ignore[arg-type]
    assert strict_scores(case, again, {}).rates["BIN"] == 1  # type: ignore[arg-type]


VIEWS = "请被告{}对原告证据“{}”发表质证意见，就真实性、合法性、关联性以及证明力进行说明。"


@pytest.mark.parametrize(
    ("words", "to", "found"),
    [
        (VIEWS.format("", "借条一张"), "defendant_lawyer", "repeat"),
        (VIEWS.format("", "借条一张"), "plaintiff_lawyer", ""),
        (VIEWS.format("", "转账回单"), "defendant_lawyer", ""),
        (VIEWS.format("直接回答法庭：", "借条一张"), "defendant_lawyer", ""),
    ],
)
def test_a_judge_may_ask_of_the_next_exhibit_and_once_more(words: str, to: str, found: str) -> None:
    record = (
        Turn(9, "judge", ("defendant_lawyer",), VIEWS.format("", "借条一张")),
        Turn(9, "defendant_lawyer", ("judge",), "今天天气很好。"),
    )
    assert fault_of(views(CASES["CI"], "judge", record=record), words, (to,)) == found
    put_back = (record[0], replace(record[1], text=VIEWS.format("", "借条一张"), fault="echo"))
    assert fault_of(views(CASES["CI"], "judge", record=put_back), words, (to,)) == found
