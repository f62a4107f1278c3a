"""Reasoning is parted from speech alike however a reply is cut, and no half of a mark is ever spoken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.llama.reasoning import BETWEEN, BLOCKS, Splitter, opens, split

MARKS = [mark for block in BLOCKS for mark in (block.opener, block.closer)] + list(BETWEEN)
REPLIES = st.lists(
    st.one_of(
        st.sampled_from(MARKS),
        st.sampled_from([mark[:cut] for mark in MARKS for cut in (1, 3, len(mark) - 1)]),
        st.sampled_from([" ", "\n\n", "想", "本院认为", "<", "[", "/", "◁"]),
    ),
    max_size=9,
).map("".join)


def in_pieces(text: str, cuts: list[int], opened: bool) -> tuple[str, str, list[str]]:
    splitter = Splitter(opened)
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    parts = [part for a, b in zip(places, places[1:], strict=False) for part in splitter.feed(text[a:b])]
    spoken = [part for phase, part in parts if phase == "speaking"]
    parts += splitter.finish()
    assert all(part for _, part in parts), "nothing empty is told"
    return (
        "".join(part for phase, part in parts if phase == "thinking"),
        "".join(part for phase, part in parts if phase == "speaking"),
        spoken,
    )


@given(text=REPLIES, cuts=st.lists(st.integers(0, 120), max_size=30), opened=st.booleans())
def test_any_cutting_gives_the_same_parts(text: str, cuts: list[int], opened: bool) -> None:
    assert in_pieces(text, cuts, opened)[:2] == split(text, opened=opened)
    assert in_pieces(text, list(range(len(text))), opened)[:2] == split(text, opened=opened)


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.phase == "thinking"])
def test_each_kind_of_block(block: object) -> None:
    opener, closer = block.opener, block.closer  # type: ignore[attr-defined]
    whole = f"{opener}\n先查法条。\n\n再算金额。\n{closer}\n\n 应付五万元。\n"
    assert split(whole) == ("先查法条。\n\n再算金额。", "应付五万元。\n")
    assert split(whole[len(opener) :], opened=True) == ("先查法条。\n\n再算金额。", "应付五万元。\n")
    assert split(whole, opened=True) == ("先查法条。\n\n再算金额。", "应付五万元。\n"), "the model opens once more"
    assert split(f"{opener}\n\n{closer}\n\n好") == ("", "好")
    assert split(f" \n{opener}想{closer}") == ("想", "")
    assert split(f"{opener}想到一半") == ("想到一半", ""), "never closed"
    assert split(f"{opener}想到一半{closer[:-1]}") == (f"想到一半{closer[:-1]}", "")
    assert split(f"{opener}一{closer}\n{opener}二{closer}说") == ("一\n二", "说")
    assert split(f"{opener}引用{opener}又{closer}说") == (f"引用{opener}又", "说")


@pytest.mark.parametrize(
    ("text", "speech"),
    [
        ("", ""), ("  \n", "  \n"), (" 好 ", " 好 "), ("<thin", "<thin"), ("<thinker>", "<thinker>"),
        ("< think>", "< think>"),
        ("</think>好", "</think>好"), ("证据：<think>不算</think>", "证据：<think>不算</think>"),
        ('{"a": "<think>"}', '{"a": "<think>"}'), ("[THINKING", "[THINKING"), ("\n<x>", "\n<x>"),
    ],
)  # fmt: skip
def test_marks_inside_speech_are_speech(text: str, speech: str) -> None:
    assert split(text) == ("", speech)


def test_speech_streams_at_once_and_thinking_is_known() -> None:
    splitter = Splitter()
    assert splitter.feed("<th") == [] and not splitter.thinking
    assert splitter.feed("ink>") == [] and splitter.thinking
    assert splitter.feed("想 ") == [("thinking", "想")]
    assert splitter.feed("法</thi") == [("thinking", " 法")] and splitter.thinking
    assert splitter.feed("nk>") == [] and not splitter.thinking
    assert splitter.feed("\n\n") == []
    assert splitter.feed("说") == [("speaking", "说")]
    assert splitter.feed("<thi") == [("speaking", "<thi")], "no mark counts any more, nothing is held"
    assert splitter.feed("  ") == [("speaking", "  ")]
    assert splitter.finish() == []
    assert Splitter(True).thinking
    assert in_pieces("<think>想</think>说完了", list(range(30)), False)[2] == list("说完了")


@pytest.mark.parametrize(
    ("frame", "opened"),
    [("<｜Assistant｜><think>\n", True), ("<|im_start|>assistant\n", False),
        ("assistant\n<think>\n\n</think>\n\n", False),
     ("[THINK]", True), ("", False), ("<|START_RESPONSE|>", False), ("<|im_start|>assistant\n<think>", True)],
)  # fmt: skip
def test_a_prompt_may_open_the_block(frame: str, opened: bool) -> None:
    assert opens(frame) is opened
