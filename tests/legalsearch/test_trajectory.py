"""Trajectories: the tagged text of an episode, token by token, whoever sat in the seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from models.engine import Ask, Reply, TokenChance, Usage
from tasks.episode.events import LimitHit, ModelCalled, Planned, Record, Seated, Thought, ToolReturned
from tasks.episode.seats import Answer, CallTool, Move, Nothing, View, emit
from tasks.legalsearch.agents.trajectory_pieces import BROKEN, entropy_of_top, pieces, spoken
from tasks.legalsearch.published import format_faults, reward_answer
from tasks.legalsearch.rewards import READINGS, faults_of, token_kinds
from tasks.legalsearch.rollouts import trajectory_tokens
from tests.support.law_stage import (
    FOUND,
    MODES,
    PLAN,
    QUERY,
    Episode,
    mode_name,
    script,
    text_answer,
    trajectory,
    well_behaved,
)

RESPONSE = f"<tool_response>\n{FOUND}\n</tool_response>"


def said(mode: str, **more: Any) -> Episode:
    return Episode(mode_name(mode), script(list(well_behaved(mode))), **more).run()


@pytest.mark.parametrize("mode", ["free", "paper"])
def test_tagged_modes_show_the_words_of_the_model(mode: str) -> None:
    plan, first, second, answer = well_behaved(mode)
    assert said(mode).text == "\n".join([plan, first, RESPONSE, second, RESPONSE, answer])


def test_a_lean_episode_is_rendered_in_tags() -> None:
    text = said("lean").text
    assert text == said("free").text, "a well-behaved free run says the same"
    assert reward_answer(text) == "B" and format_faults(text) == []


@pytest.mark.parametrize("mode", MODES)
def test_a_trajectory_grows_at_its_end(mode: str) -> None:
    records = said(mode).records
    texts = [trajectory(records[:count]) for count in range(len(records) + 1)]
    assert texts[0] == "" and texts[-1].endswith("</answer>")
    for before, after in zip(texts, texts[1:], strict=False):
        assert after.startswith(before) or mode == "lean", "a thought waits for its act"


class Reference:
    """A policy without a model: plan, call, answer, each with or without a thought."""

    name = "law-gold/1"

    def __init__(self, thoughts: bool, plans: bool = True) -> None:
        self.thoughts, self.plans = thoughts, plans

    def move(self, view: View) -> Move:
        if view.step == 1 and self.plans:
            yield from emit(Planned(seat=view.seat, steps=PLAN))
        if self.thoughts:
            yield from emit(Thought(seat=view.seat, text="想</think>"))
        if view.step == 1:
            return CallTool(*QUERY)
        return Answer("B") if view.step > 2 else Nothing()


@pytest.mark.parametrize("thoughts", [True, False])
def test_who_has_no_model_is_rendered_too(thoughts: bool) -> None:
    text = Episode("law-gold/1", script([""]), others={"law-gold/1": Reference(thoughts)}).run().text
    assert all(not faults_of(text, reading) for reading in READINGS)
    assert (
        text.startswith("<think></think>\n<plan>\n1. ")
        and RESPONSE in text
        and "想＜/think＞" in text
        or not thoughts
    )
    assert reward_answer(text) == "B"
    without = Episode("law-gold/1", script([""]), others={"law-gold/1": Reference(True, False)}).run().text
    assert "no plan in the first round" in faults_of(without, "paper"), "nothing is made up"


def test_another_seat_says_nothing_here() -> None:
    records = said("free").records
    reader = ModelCalled(
        seat="reader", call=9, prompt="reader/1", asked="", messages=(), settings={}, text="读", finish="stop"
    )
    extra = Record(len(records), records[-1].step, None, 0.0, reader)
    assert trajectory([*records, extra]) == trajectory(records)
    assert trajectory(records, seat="reader") == ""


def test_a_seat_that_changes_hands() -> None:
    episode = Episode("law-gold/1", script(["", text_answer()]), others={"law-gold/1": Reference(True)}).run(steps=1)
    episode.driver.seat(Seated(seat="agent", policy="search/1+free", engine="toy:x"))
    text = episode.run().text
    assert text.startswith("<think></think>\n<plan>") and text.endswith("\n" + text_answer())
    assert all(not faults_of(text, reading) for reading in READINGS)


def test_a_response_that_would_pass_the_limit_is_left_out() -> None:
    episode = said("paper")
    cut = next(at for at, record in enumerate(episode.records) if isinstance(record.event, ToolReturned)) + 1
    records = list(episode.records[:cut])
    assert trajectory(records).endswith(RESPONSE), "on its way it is shown"
    hit = Record(cut, records[-1].step + 1, None, 0.0, LimitHit(kind="tokens", limit=5, used=6))
    assert trajectory([*records, hit]) == "\n".join(well_behaved("paper")[:2])


# tokens


def called(text: str, tokens: Sequence[str], **more: Any) -> ModelCalled:
    rows = tuple((token, -0.5, ()) for token in tokens)
    return ModelCalled.model_validate(
        {"seat": "agent", "call": 1, "prompt": "p", "asked": "", "messages": (), "settings": {}, "text": text,
            "finish": "stop",
         "logprobs": rows, "entropies": tuple(0.1 * number for number in range(len(tokens))), **more}
    )  # fmt: skip


def chances(text: str, size: int = 3) -> tuple[TokenChance, ...]:
    return tuple(
        TokenChance(text[at : at + size], -0.1, (("x", -0.7), ("y", -1.2))) for at in range(0, len(text), size)
    )


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("mode", ["free", "paper"])
def test_tokens_join_to_the_trajectory(mode: str, exact: bool) -> None:
    def play(ask: Ask, number: int) -> Reply:
        text = well_behaved(mode)[ask.step - 1]
        think, _, rest = text.partition("\n</think>\n")
        rows = chances(text)
        entropies = tuple(0.25 for _ in rows) if exact else ()
        return Reply(rest, Usage(), "stop", think.removeprefix("<think>\n"), logprobs=rows, entropies=entropies)

    records = Episode(mode_name(mode), play, entropy=True).run().records
    found = trajectory_tokens(records)
    text = "".join(piece.text for piece in found)
    assert text == trajectory(records) == said(mode).text
    model = [piece for piece in found if piece.source == "model"]
    assert "".join(piece.text for piece in model) == "".join(well_behaved(mode))
    wanted = 0.25 if exact else entropy_of_top([-0.7, -1.2])
    assert {(piece.entropy, piece.exact) for piece in model} == {(wanted, exact)}
    others = [piece for piece in found if piece.source != "model"]
    assert {(piece.source, piece.entropy) for piece in others} == {("tool", None), ("rendered", None)}
    kinds = token_kinds([piece.text for piece in found])
    assert {kind for kind, piece in zip(kinds, found, strict=True) if piece.source == "tool"} == {"tool"}
    assert set(kinds) == {"plan", "agent", "tool"}


def test_without_tokens_a_reply_is_one_piece() -> None:
    found = trajectory_tokens(said("free").records)
    assert [piece.text for piece in found if piece.source == "model"] == well_behaved("free")
    assert {piece.source for piece in trajectory_tokens(said("lean").records)} == {"rendered", "tool"}


THINK = "<think>\n想\n</think>\n"


@pytest.mark.parametrize(
    ("text", "reasoning", "tokens", "joined"),
    [
        ("<answer>甲</answer>", "想", ["<think>", "\n\n", "想", "\n</think>", "\n<answer>", "甲</answer>"],
            "<think>\n\n想\n</think>\n<answer>甲</answer>"),
        ("<plan>", "想", ["[THINK]", "想", "[/THINK]", "<plan>"], THINK + "<plan>"),  # marks of another family
        ("<plan>", "想", ["想", "\n</think>\n", "<plan>"], THINK + "<plan>"),  # the template opened the block
        ("<plan>", "想", ["<plan", ">"], THINK + "<plan>"),  # the server keeps the tokens of the reasoning
        ("甲", "", ["甲", "<tool_", "response>"], "甲"),  # cut at a stop string
        ("甲乙", "", ["甲", BROKEN, BROKEN], "甲乙"),  # a character in two tokens
        ("甲乙，丙", "", ["甲", BROKEN, BROKEN + "，", "丙"], "甲乙，丙"),
        ("甲乙", "想", ["<think>", "\n", BROKEN, BROKEN, "\n</think>\n", "甲", "乙"], THINK + "甲乙"),
        ("甲", "", ["乙", "丙"], "甲"),  # tokens of something else
        ("<think>x</think>甲", "暗想", ["暗想", "<think>x</think>", "甲"], "<think>x</think>甲"),
        ("", "想", ["<think>", "想"], "<think>想"),  # never closed
    ],
)  # fmt: skip
def test_tokens_are_laid_along_what_was_said(text: str, reasoning: str, tokens: list[str], joined: str) -> None:
    found = pieces(called(text, tokens, reasoning=reasoning))
    assert "".join(piece.text for piece in found).strip() == joined.strip()
    assert all(piece.exact == (piece.entropy is not None) for piece in found)


def test_a_think_block_that_was_cut_off_stays_open() -> None:
    assert spoken(called("", [], reasoning="想", finish="length")) == "<think>\n想"
    assert spoken(called("甲", [], reasoning="想")) == THINK + "甲"
    assert spoken(called("<think>x</think>甲", [], reasoning="暗想")) == "<think>x</think>甲"
