"""Who speaks next, whom it reaches, when it ends: the controller of the courts with policies that say what a test
wants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tasks.courts.casefile.case import Case
from tasks.courts.environment import environment
from tasks.courts.play.episode import CLOSING
from tasks.courts.play.record import by_words, shown, strict, topic_turns
from tasks.courts.play.view import CourtView
from tasks.courts.procedure.model import ProfileName
from tasks.episode.seats import Say
from tasks.episode.with_tools import SEAT
from tasks.sample.build import court_cases
from tests.support.court_stage import Court, Speaks, by_rules

CASES = {case.id: case for case in court_cases()}
CI, CR = environment("CI"), environment("CR")


def of_env(env: str) -> Case:
    return next(case for case in CASES.values() if case.env == env)


def play(
    case: Case, speak: Callable[[CourtView], Say], profile: ProfileName = "law", turns: int | None = None
) -> Court:
    everybody = dict.fromkeys(environment(case.env).seats, Speaks(speak))
    return by_rules(case, profile, turns=turns, **everybody)


def seats(court: Court) -> list[str]:
    return [event.seat for event in court.tagged("said")]


def answers(view: CourtView) -> Say:
    asked = f"请问：{view.topic and view.topic.question}"
    return Say("是的，可以，依照法律规定您有权这样做。" if view.role == "trainee" else asked)


@pytest.mark.parametrize("env", ["KQ", "LC"])
def test_advice_asks_one_topic_after_the_other_and_closes(env: str) -> None:
    case = of_env(env)
    views: list[CourtView] = []

    def speak(view: CourtView) -> Say:
        views.append(view)
        return answers(view)

    court = play(case, speak)
    assert court.outcome == "finished"
    turns = court.record
    assert turns[0].speaker == ("trainee" if env == "KQ" else "client") and turns[0].number == 0
    cues = [view.topic.kind for view in views if view.topic is not None]
    assert cues[-1] == "close" and (env == "LC" or cues[0] == "theme")
    asked = [view.topic.id for view in views if view.topic is not None and view.topic.kind == "ask"]
    assert asked == [topic.id for topic in case.topics]  # type: ignore[union-attr]
    assert [turn.pointer for turn in topic_turns(court.events)][:1] == asked[:1]
    assert all(event.seat == "tracker" for event in court.tagged("topic_tracked"))


def test_a_client_cannot_end_a_consultation_early() -> None:
    court = play(of_env("KQ"), lambda view: Say(CLOSING if view.role == "client" else "视情况而定，不能一概而论。"))
    assert len(court.tagged("topic_tracked")) >= len(of_env("KQ").topics)  # type: ignore[union-attr]


def test_a_topic_is_asked_three_times_at_most_and_the_limit_holds() -> None:
    court = play(of_env("KQ"), lambda view: Say("您能再说说吗？" if view.role == "trainee" else "那怎么办？"))
    pointers = [event.pointer for event in court.tagged("topic_tracked")]
    assert max(map(pointers.count, set(pointers))) == 3
    assert play(of_env("KQ"), answers, turns=2).outcome == "turn_limit"


@pytest.mark.parametrize("env", ["CD", "DD"])
def test_a_lawyer_ends_the_interview_and_nobody_else(env: str) -> None:
    case = of_env(env)
    lawyer = environment(case.env).tested

    def speak(view: CourtView) -> Say:
        drafts = view.turn == 4 and view.role == lawyer
        return Say("民事起诉状……询问结束" if drafts else "请问？" if view.role == lawyer else "询问结束")

    court = play(case, speak)
    assert court.outcome == "finished" and [one.turn for one in court.tagged("said")] == [0, 1, 1, 2, 2, 3, 3, 4]
    endless = play(case, lambda view: Say("嗯。"), "j1")
    assert endless.outcome == "turn_limit" and endless.record[-1].number == environment(case.env).turns


def test_the_judge_is_answered_in_the_order_in_which_he_asks() -> None:
    def speak(view: CourtView) -> Say:
        if view.role != "judge":
            return Say(f"{view.role}答：确认无误。")
        return (
            Say("现在闭庭。")
            if view.turn == 3
            else Say(f"第{view.turn}问", ("defendant_lawyer", "plaintiff_lawyer", "nobody"))
        )

    court = play(of_env("CI"), speak)
    assert seats(court) == ["clerk", *[SEAT, "defendant_lawyer", "plaintiff_lawyer"] * 2, SEAT]
    assert court.outcome == "finished" and court.tagged("routed")[0].dropped == ("nobody",)
    assert court.tagged("stage_entered")[0].stage == "opening"


def test_who_is_questioned_by_a_party_answers_once() -> None:
    def speak(view: CourtView) -> Say:
        if view.role == "judge":
            return Say("公诉人可以讯问被告人。", ("procurator",)) if view.turn == 1 else Say("现在闭庭。")
        return Say("你当时在哪里？", ("defendant",)) if view.role == "procurator" else Say("在家。", ("procurator",))

    assert seats(play(of_env("CR"), speak)) == ["clerk", SEAT, "procurator", "defendant", SEAT]


def test_published_trials_reach_one_role_and_begin_with_the_fixed_line() -> None:
    def speak(view: CourtView) -> Say:
        both = ("plaintiff_lawyer", "defendant_lawyer")
        return Say(f"问{view.turn}", both) if view.role == "judge" else Say("答", ("defendant_lawyer",))

    court = play(of_env("CI"), speak, "j1", turns=3)
    assert seats(court) == [SEAT] + [SEAT, "plaintiff_lawyer"] * 3 and court.record[0].text == "现在开庭。"
    assert court.outcome == "turn_limit" and court.tagged("routed")[0].dropped == ("defendant_lawyer",)


@pytest.mark.parametrize(
    ("words", "profile", "turns"),
    [
        (lambda n: "请等一下。", "law", 3), (lambda n: "请等一下。", "j1", 2), (lambda n: f"第{n}句", "law", 5),
        (lambda n: f"第{n}句", "j1", 3),
    ],
)  # fmt: skip
def test_a_judge_who_reaches_nobody_stalls(words: Callable[[int], str], profile: ProfileName, turns: int) -> None:
    court = play(of_env("CI"), lambda view: Say(words(view.turn)), profile)
    own = [event for event in court.tagged("said") if event.seat == SEAT and event.turn > 0]
    assert court.outcome == "stalled" and len(own) == turns


def test_what_a_seat_does_not_hold_is_a_leak() -> None:
    case = of_env("CI")
    court = play(case, lambda view: Say(case.gold.reason if view.role == "judge" else "好", view.there[:1]), turns=2)  # type: ignore[union-attr]
    assert court.tagged("leaked") and "leak" in court.driver.state.flags


@pytest.mark.parametrize(
    ("text", "env", "found"),
    [
        ("请原告陈述诉讼请求。", "CI", ("plaintiff_lawyer",)), ("请被告答辩。", "CI", ("defendant_lawyer",)),
        ("双方当事人是否申请回避？", "CI", ("plaintiff_lawyer", "defendant_lawyer")),
        ("请公诉人宣读起诉书。", "CR", ("procurator",)), ("被告人，你对指控的事实有无异议？", "CR", ("defendant",)),
        ("请辩护人发表质证意见。", "CR", ("defence_lawyer",)), ("现在开庭。", "CI", ()), ("你好", "KQ", ()),
    ],
)  # fmt: skip
def test_the_words_of_a_judge_say_whom_they_reach(text: str, env: Any, found: tuple[str, ...]) -> None:
    assert by_words(text, environment(env)) == found


def test_published_markers_have_their_precedence_and_are_not_read_out() -> None:
    assert strict("对被告说：答辩。对原告说：陈述。", CI) == (("plaintiff_lawyer",), ("defendant_lawyer",))
    assert strict("对被告辩护人说：请质证。", CR) == (("defence_lawyer",), ()) and strict("请原告陈述", CI) == (
        (),
        (),
    )
    assert shown("<法庭调查>对公诉机关说：请宣读起诉书。") == "请宣读起诉书。"
