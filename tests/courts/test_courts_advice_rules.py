"""Advice and drafting with rules in every seat: whole dialogues of both profiles."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from statistics import mean
from typing import Any

import pytest

from tasks.courts.agents import registry
from tasks.courts.agents.clients.seat import AskingClient
from tasks.courts.agents.clients.speech import CHATTER, WORRY
from tasks.courts.agents.clients.voices import narrative
from tasks.courts.casefile.case import AdviceCase
from tasks.courts.environment import TopicCue, environment
from tasks.courts.play.episode import traits_of
from tasks.courts.play.record import topic_turns
from tasks.courts.procedure.turns import Turn
from tasks.courts.scores.consistency import Message, consistency, style_share
from tasks.courts.scores.documents import strict_score
from tasks.courts.scores.topics import ceiling_turns, strict_scores
from tasks.episode.events import Leaked
from tests.support.advice_plays import CASES, Play, play, said_by

pytestmark = pytest.mark.slow

DAY = date(2025, 3, 1)


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
            Message(role if event.seat == role else environment(one.case.env).tested, event.text)
            for event in one.said
        ]
        found = consistency(one.case, one.case.env, role, dialogue, traits)
        assert (found.score, found.comparable, found.slips) == (1.0, True, ()), one.case.id
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


# --- those who ask --------------------------------------------------------------------------------------------------


def test_the_background_comes_bit_by_bit_and_counter_questions_are_answered() -> None:
    one = play("LC-0004")
    texts = [event.text for event in one.said if event.seat == "client" and event.turn > 0]
    background = CASES["LC-0004"].client.background  # type: ignore[union-attr]
    sentences = [part for part in background.split("。") if len(part) > 8]
    assert all(sum(part in text for part in sentences) <= len(sentences) // 2 for text in texts)
    record = [
        Turn(0, "client", (), "您好。"), Turn(1, "trainee", (), "请说说经过。"),
        Turn(1, "client", (), "我被公司辞退了。"),
        Turn(2, "trainee", (), "公司之前给您做过培训或者调过岗位吗？"),
    ]  # fmt: skip
    topic = CASES["LC-0004"].topics[1]  # type: ignore[union-attr]
    cue = TopicCue("ask", topic.id, topic.question, topic.aliases)
    told = said_by(AskingClient(None), CASES["LC-0004"], "client", record, topic=cue)
    assert told.index("没有给我做过培训") < told.index(topic.question)


@pytest.mark.parametrize("env", ["KQ", "LC"])
def test_asides_are_few_and_never_the_same(env: Any) -> None:
    """What is added to the story and the questions: at most one remark a turn, in half of the turns, none of them
    twice."""
    remarks = (*CHATTER, *WORRY)
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
