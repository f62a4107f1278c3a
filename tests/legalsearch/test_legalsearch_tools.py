"""The three tools of the search agent over a small pack: what they answer, mark, refuse, and ask of other seats. The
policy of rules: what it asks, and what it makes of the answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from models.engine import Ask, Reply
from store.builder import PackBuilder
from store.pack import Pack
from store.search.law_search import LawSearch, SearchSettings
from store.search.notes import sentences
from store.statutes.applicable import CaseDates
from store.web import WebSnapshot
from tasks.episode.events import Event, Planned, Record, Seated, Thought, ToolReturned
from tasks.episode.seats import Answer, CallTool, CausedEvent, View
from tasks.episode.state import State, apply
from tasks.legalsearch.agents.briefing import RAG
from tasks.legalsearch.rules import LawRulesPolicy
from tasks.legalsearch.settings import LegalSearchSettings
from tasks.legalsearch.toolbox import HITS, MOST, LawToolbox, ToolSettings, retrieved
from tasks.run.spec import RunSpec
from tests.support.statute_fixture import LAMPS

PAGES = {
    "https://deng.example/1": ("路灯高度新规", date(2010, 2, 1), "路灯的高度不得低于六米。" * 40),
    "https://deng.example/2": ("风筝节通知", None, "风筝节在河边举行，风筝不得高于路灯。"),
}


@pytest.fixture(scope="module")
def snapshot(home: Path) -> Iterator[WebSnapshot]:
    with PackBuilder("web", jurisdiction="XX", source="t", licence="", coverage="complete", as_of="") as builder:
        for url, (title, day, text) in PAGES.items():
            builder.add_page(url, title, day, text, "authored", "t")
        path = builder.finish()
    with Pack.open(path) as pack:
        found = WebSnapshot.of(pack)
        assert found is not None
        yield found


class Stage:
    """An episode that only calls tools; `says` answers the questions of other seats."""

    def __init__(self, toolbox: LawToolbox, question: str = "", **says: Any) -> None:
        self.toolbox, self.says = toolbox, says
        self.state = State(card={"id": "1", "question": question})
        self.asks: list[Ask] = []
        for seat in says:
            self._note(Seated(seat=seat, policy=f"{seat}/1", engine="stub:x"))

    def _note(self, event: Event) -> int:
        seq = len(self.state.records)
        self.state = apply(self.state, Record(seq, 1, None, 0.0, event))
        return seq

    def call(self, tool: str, arguments: object) -> ToolReturned:
        steps = self.toolbox.call(self.state, tool, arguments)
        sent: Any = None
        while True:
            try:
                item = steps.send(sent)
            except StopIteration:
                event = self.state.records[-1].event
                assert isinstance(event, ToolReturned)
                return event
            if isinstance(item, Ask):
                self.asks.append(item)
                sent = Reply(self.says[item.seat](item))
            else:
                sent = self._note(item.event if isinstance(item, CausedEvent) else item)


def stage(pack: Pack | None, web: WebSnapshot | None = None, question: str = "", **more: Any) -> Stage:
    spec = RunSpec(
        benchmark="legalsearch", **{k: v for k, v in more.items() if k in LegalSearchSettings.model_fields}
    )
    says = {k: v for k, v in more.items() if k not in LegalSearchSettings.model_fields}
    return Stage(LawToolbox(LawSearch(pack) if pack else None, web, ToolSettings.of(spec)), question, **says)


def test_an_article_is_found_in_the_version_of_the_day_and_marked(lamps: Pack) -> None:
    on = stage(lamps, question="1995年3月1日，张某设置的路灯高五米。")
    found = on.call("rag_retrieve", {"query": ["1995年3月1日 路灯法第三条"]})
    (one,) = found.value
    first = one["hits"][0]
    assert (found.status, first["law"], first["number"], first["mark"]) == ("ok", LAMPS, "3", "applicable")
    assert first["valid_from"] == "1990-01-01" and first["valid_to"] == "1999-12-31" and first["says"]
    assert one["analysis"]["laws"] == [LAMPS] and one["analysis"]["numbers"] == ["3"]
    assert found.provenance == ("authored",)
    told = json.loads(found.observation)
    assert told[0]["results"][0]["法条内容"].startswith("路灯的高度不得低于五米")
    assert len(one["hits"]) <= HITS


@pytest.mark.parametrize(("window", "wanted"), [("on", "1990-01-01"), ("newest", "2010-01-01")])
def test_the_window_is_a_setting_of_the_run(lamps: Pack, window: str, wanted: str) -> None:
    found = stage(lamps, window=window).call("rag_retrieve", {"query": ["1995年 路灯的高度 不得低于"]})
    assert {hit["valid_from"] for hit in found.value[0]["hits"] if hit["law"] == LAMPS} == {wanted}


def test_a_later_version_is_marked_by_its_rule(lamps: Pack) -> None:
    found = stage(lamps, question="1995年3月1日发生", window="newest").call(
        "rag_retrieve", {"query": ["路灯法 高度"]}
    )
    marks = {hit["mark"] for hit in found.value[0]["hits"] if hit["law"] == LAMPS}
    assert marks == {"not"} and all(hit["says"] for hit in found.value[0]["hits"])


@pytest.mark.parametrize("arguments", [None, [], {"query": []}, {"query": ["  "]}, {"query": [1, "a"]}, "路灯"])
def test_bad_arguments_are_one_sentence(lamps: Pack, arguments: object) -> None:
    found = stage(lamps).call("rag_retrieve", arguments)
    assert found.status == "call_error" and "query" in found.observation and found.value is None


def test_tools_that_are_not_offered_are_unknown(lamps: Pack) -> None:
    found = stage(lamps, tools="rag").call("web_search", {"query": ["x"]})
    assert found.status == "call_error" and "rag_retrieve" in found.observation
    assert stage(lamps, tools="off").call("rag_retrieve", {"query": ["x"]}).status == "call_error"


def test_a_hit_is_listed_once_a_call(lamps: Pack) -> None:
    queries = ["1995年 路灯的高度 不得低于", "1995年 路灯的高度", "1995年 路灯 高度"]
    found = stage(lamps).call("rag_retrieve", {"query": queries})
    told = json.loads(found.observation)
    listed = [one["id"] for query in told for one in query["results"]]
    hits = [hit["id"] for query in found.value for hit in query["hits"]]
    assert len(listed) == len(set(listed)) == len(set(hits)) < len(hits), "the data keeps what each query found"
    assert [query["result_count"] for query in told] == [len(query["results"]) for query in told]
    assert any("已列在前面的查询里" in "".join(query.get("说明", ())) for query in told)


def test_a_day_that_is_today_reaches_the_search(lamps: Pack) -> None:
    query = {"query": ["现行《路灯法》 路灯的高度"]}
    found = [stage(lamps, today=day).call("rag_retrieve", query) for day in ("1995-03-01", "2015年3月1日")]
    starts = [{hit["valid_from"] for hit in one.value[0]["hits"] if hit["law"] == LAMPS} for one in found]
    assert starts[0] == {"1990-01-01"} and starts[0].isdisjoint(starts[1])


def test_without_statutes_the_tool_says_so() -> None:
    assert stage(None).call("rag_retrieve", {"query": ["路灯"]}).status == "no_data"


def test_pages_are_read_word_for_word_only_after_they_were_found(lamps: Pack, snapshot: WebSnapshot) -> None:
    on = stage(lamps, snapshot)
    url = "https://deng.example/1"
    early = on.call("browse_webpage", {"url_list": [url]})
    assert early.status == "no_data" and "不在此前" in early.observation
    found = on.call("web_search", {"query": ["路灯 高度 新规"]})
    assert found.value[0]["pages"][0]["url"] == url and found.value[0]["pages"][0]["day"] == "2010-02-01"
    read = on.call("browse_webpage", {"url_list": [url]})
    assert read.status == "ok" and "不得低于六米" in read.value[0]["windows"][0]["text"] and not on.asks
    unknown = on.call("browse_webpage", {"url_list": ["https://nowhere.example/"]})
    assert unknown.status == "no_data"


def test_analyser_and_reader_are_asked_where_they_sit(lamps: Pack, snapshot: WebSnapshot) -> None:
    analysed = {
        "time_info": ["1995-01-01", "1995-12-31"],
        "chapter_info": ["第三条"],
        "keywords": ["高度"],
        "law_info": ["路灯法"],
    }
    read = {"extracted_info": "不得低于六米", "page_down": False, "summary": "新规"}
    on = stage(
        lamps, snapshot, "路灯多高？", analyser=lambda ask: json.dumps(analysed), reader=lambda ask: json.dumps(read)
    )
    found = on.call("rag_retrieve", {"query": ["当年路灯多高"]})
    assert found.value[0]["analysis"]["made_by"] == "analyser"
    assert found.value[0]["hits"][0]["valid_from"] == "1990-01-01"
    on.call("web_search", {"query": ["路灯 高度"]})
    page = on.call("browse_webpage", {"url_list": ["https://deng.example/1"]})
    window = page.value[0]["windows"][0]
    assert (window["summary"], window["extracted"]) == ("新规", "不得低于六米")
    assert [ask.seat for ask in on.asks] == ["analyser", "reader"] and all(ask.parent is not None for ask in on.asks)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("1995年3月 路灯法第四条之一", "尚未施行"),
        ("2009年12月31日 路灯法第三条", "缺口"),
        ("2005年 风筝法第二条", "已经废止"),
        ("1995年3月 火星法第二条", "没有收录《火星法》"),
    ],
)
def test_a_model_learns_why_there_is_no_text(lamps: Pack, query: str, said: str) -> None:
    returned = stage(lamps).call("rag_retrieve", {"query": [query]})
    assert said in "".join(json.loads(returned.observation)[0].get("说明", [])), returned.observation


def test_every_note_has_a_sentence_or_none() -> None:
    assert sentences(["gap:路灯法:2009-12-31", "no_dense"]) == [
        "《路灯法》的版本表在2009-12-31没有文本，这是数据的缺口；所列为前后相邻的文本，不是当日的文本。"
    ]
    assert sentences(["no_article:路灯法:4-1:not_yet", "no_article:路灯法:4-1:not_yet"])[0].startswith(
        "《路灯法》第4-1条在所问日期尚未施行"
    )
    assert sentences(["strange", "dropped:number", "{0}{1}:x"]) == ["按全部条件没有结果，已放宽条件。"]


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
