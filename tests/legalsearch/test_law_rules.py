"""The policy of rules for LegalSearch: what it asks, and what it makes of the answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from store.pack import Pack
from store.search.law_search import LawSearch, SearchSettings
from store.statutes.applicable import CaseDates
from tasks.episode.events import Event, Planned, Record, Thought, ToolReturned
from tasks.episode.seats import Answer, CallTool, View
from tasks.legalsearch.agents.briefing import RAG
from tasks.legalsearch.rules import LawRulesPolicy
from tasks.legalsearch.toolbox import HITS, MOST, retrieved

ACCUSED = (
    "\n案件事实: 公诉机关指控，2016年5月8日凌晨，被告人甲某翻窗进入乙某家中，趁其熟睡，"
    "秘密窃取手机一部（价值2000元）。\n"
)


class Table:
    """A policy at a table with the real search: plays an episode as the loop of a run does."""

    def __init__(self, pack: Pack, offered: Sequence[str] = (RAG,), **settings: Any) -> None:
        self.search = LawSearch(pack)
        self.settings = SearchSettings(k=HITS, **settings)
        self.policy = LawRulesPolicy(self.search, self.settings, tuple(offered))
        self.calls: list[list[str]] = []
        self.events: list[Event] = []

    def play(self, card: dict[str, Any], max_turns: int | None = None) -> Answer:
        self.calls, self.events = [], []
        history: list[Record] = []
        while True:
            action = self._move(View("agent", card, tuple(history), len(history) + 1, max_turns))
            if isinstance(action, Answer):
                return action
            assert isinstance(action, CallTool) and action.tool == RAG
            queries = action.input["query"]
            assert 1 <= len(queries) <= MOST[RAG] and all(query.strip() for query in queries)
            self.calls.append(queries)
            answers = [self.search.search(query, self.settings) for query in queries]
            value = [retrieved(answer, CaseDates(), lambda version: "unknown") for answer in answers]
            event = ToolReturned(seat="agent", tool=RAG, status="ok", observation="", value=value)
            history.append(Record(len(history), 1, None, 0.0, event))

    def _move(self, view: View) -> Any:
        move = self.policy.move(view)
        try:
            event = next(move)
            while True:
                assert isinstance(event, Event)
                self.events.append(event)
                event = move.send(0)
        except StopIteration as stop:
            return stop.value

    def recite(self, question: str) -> str:
        return self.play({"id": "x", "type": "lar", "question": question}).res


def test_an_article_is_recited_as_in_force_on_the_day(lamps: Pack) -> None:
    table = Table(lamps)
    assert "五米" in table.recite("现在是1995年3月，请背诵《中华人民共和国路灯法》第三条。")
    assert "六米" in table.recite("请提供2005年4月1日时有效的《中华人民共和国路灯法》第三条的完整条文。")
    assert "主管机关许可" in table.recite("请提供2015年4月时有效的《中华人民共和国路灯法》第三条的完整条文。")
    planned = [event for event in table.events if isinstance(event, Planned)]
    assert len(planned) == 1 and planned[0].tools[0] == RAG
    assert all(isinstance(event, Planned | Thought) for event in table.events)


def test_what_the_tool_hides_the_policy_does_not_know(lamps: Pack) -> None:
    question = "请提供2005年4月1日时有效的《中华人民共和国路灯法》第四条之一的完整条文。"
    assert "悬挂广告" in Table(lamps).recite(question)
    assert "悬挂广告" not in Table(lamps, window="newest").recite(question)
    untold = Table(lamps, offered=())
    assert untold.recite(question) == "" and untold.calls == []


def test_a_missing_text_is_said_and_nothing_is_made_up(lamps: Pack) -> None:
    table = Table(lamps)
    question = "请提供1985年时有效的《中华人民共和国风筝法》第一条的完整条文。"
    answer = table.play({"id": "x", "type": "lar", "question": question})
    assert answer.abstained and "风筝法" in answer.res and "不以其他版本代替" in answer.res
    table.policy = LawRulesPolicy(table.search, table.settings, (RAG,), abstain=False)
    assert table.recite(question) == ""
    consulted = Table(lamps).play({"id": "x", "type": "lcs", "question": "？"})
    assert consulted.abstained and "法律依据:无" in consulted.res


def test_the_last_turn_is_an_answer(lamps: Pack) -> None:
    table = Table(lamps)
    table.play({"id": "x", "type": "kqa", "question": "路灯多高？\n选项:\nA: 五米\nB: 六米"}, max_turns=1)
    assert table.calls == []


def test_every_task_has_an_answer_in_its_form(lamps: Pack) -> None:
    table = Table(lamps)
    options = "\n选项:\nA: 五年检查一次\nB: 应当经过照明主管机关许可\nC: 三人\nD: 无"
    for kind in ("kqa", "lca", "nje", "pfe", "cpa", "pae", "ungee", "lbk"):
        asked = f"\n问题: 在2005年的时间背景下，在城市道路两侧设置路灯应当怎样，是哪一项？{options}"
        assert table.play({"id": "x", "type": kind, "question": asked}).res == "B"
    assert table.play({"id": "x", "type": "kqa", "question": f"问题: 下列正确的有哪些？{options}"}).res == "ABCD"
    assert table.play({"id": "x", "type": "ccp", "question": ACCUSED}).res == "", "the pack holds no crime"
    term = table.play({"id": "x", "type": "ptp", "question": f"{ACCUSED}相关法条: 刑法第264条"}).res
    assert re.fullmatch(r"[1-9][0-9]*个月", term)
    said = table.play({"id": "x", "type": "lcs", "question": "用户提问: 路灯损坏多久修复？"}).res
    assert said.startswith("回答:") and "法律依据:《中华人民共和国路灯法》" in said
    for card in ({}, {"type": "lar"}, {"type": "lap", "question": "选项:\nA: 刑法第一条"}, {"question": "？\n"}):
        assert isinstance(table.play(card), Answer)


def test_moves_depend_on_the_record_alone(lamps: Pack) -> None:
    question = "请提供2005年4月1日时有效的《中华人民共和国路灯法》第三条的完整条文。"
    card = {"id": "x", "type": "lar", "question": question}
    first, second = Table(lamps), Table(lamps)
    assert first.play(card) == first.play(card) == second.play(card)
