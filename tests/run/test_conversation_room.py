"""A conversation within its room: nothing is lost while there is room, what gives way is marked, and its beginning
stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from models.engine import Message, ToolInfo
from tasks.agents.conversation import BEGUN, CallSpec, Conversation, fitted
from tasks.legalagentbench.agents.acting import NATIVE
from tasks.legalagentbench.agents.reading import native

QUESTION = Message("user", "问题：原告的法定代表人是谁？")


def talk(sizes: list[int]) -> list[Message]:
    made = [Message("system", "卡" * 300), QUESTION]
    for number, size in enumerate(sizes):
        made += [Message("assistant", f"行动{number}"), Message("user", f"观察{number}：" + "甲" * size)]
    return made


def test_what_was_told_gives_way_in_one_go_and_is_marked() -> None:
    whole = talk([900] * 9)
    assert fitted(whole, 100_000) == tuple(whole)
    kept = fitted(whole, 4000)
    assert kept[:2] == tuple(whole[:2]) and kept[-1] == whole[-1], (
        "card, question and the last observation stay whole"
    )
    assert "【此处略去" in kept[3].content and kept[3].content.startswith("观察0")
    prompts = [fitted(whole[:end], 4000) for end in range(2, len(whole) + 1, 2)]
    grown = sum(after[: len(before)] == before for before, after in zip(prompts, prompts[1:], strict=False))
    assert grown >= len(prompts) - 4, "between two cuts a prompt only grows"


def test_tools_take_their_room() -> None:
    tools = (ToolInfo("search", "检索" * 200, {"type": "object", "properties": {}}),)

    def told(room: int, given: tuple[ToolInfo, ...]) -> int:
        conversation = Conversation("卡", room, given)
        conversation.hear("问题")
        for number in range(4):
            conversation.say([f"第{number}步"], CallSpec("react-native/1", native, NATIVE))
            conversation.hear("甲" * 400)
        return sum(len(message.content) for message in conversation.messages())

    assert told(1700, ()) > 1600 and told(1700, tools) <= 1700 - 400 and told(0, tools) > 1600


@given(st.lists(st.integers(0, 3000), max_size=12), st.integers(1500, 6000))
def test_a_prompt_fits_wherever_it_can(sizes: list[int], room: int) -> None:
    whole = talk(sizes)
    kept = fitted(whole, room)
    assert [m.role for m in kept] == [m.role for m in whole] and kept[:2] == tuple(whole[:2])
    least = sum(min(len(m.content), BEGUN) if m.role == "user" else len(m.content) for m in whole[2:]) + 350
    assert sum(len(m.content) for m in kept) <= max(room, least)
