"""The tools of the tested seat: real statutes only, as of the day of the case, arguments of any shape."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from store.builder import PackBuilder
from store.errors import NotFound, StoreError
from store.pack import Pack
from store.statutes.model import Law, LawVersion
from store.statutes.names import aliases_of
from tasks.courts.casefile.case import Case
from tasks.courts.play import tools as court_tools
from tasks.courts.play.tools import CourtTools
from tasks.episode.events import ToolCalled, ToolReturned
from tasks.episode.state import State
from tasks.errors import UsageError
from tasks.run.spec import RunSpec
from tests.support.court_run_fixture import first_cases
from tests.support.court_stage import Court, plain_reply
from tests.support.statute_fixture import KITES, LAMPS, articles, build, lamp_versions

EVERY = ("search_law", "show_law", "search_cases")
CASE = next(case for case in first_cases() if case.env == "CI")


def on_day(day: date | None) -> Case:
    dates = CASE.dates.model_copy(update={"proceeding": day, "judged": day}) if day else type(CASE.dates)()
    return CASE.model_copy(update={"dates": dates})


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a pack of imported laws and judgments, one of which is invented."""
    folder = tmp_path_factory.mktemp("tools")
    about = {"jurisdiction": "XX", "source": "test", "licence": "", "coverage": "complete", "as_of": "2020-01-01"}
    patch = pytest.MonkeyPatch()
    patch.setenv("MOOT_HOME", str(folder))
    with PackBuilder("real", **about) as builder:  # type: ignore[arg-type]
        for name, versions in ((LAMPS, lamp_versions()), (KITES, kite_versions())):
            builder.add_law(Law(name, aliases_of(name)[0], "法律", "imported"), aliases_of(name))
            for version, listed in versions:
                builder.add_version(version, listed)
        builder.add_document("LegalCases", "路灯损坏三日未修，行人跌伤，管理人赔偿医疗费。", "imported")
        builder.add_document("LegalCases", "虚构案例：路灯损坏，管理人不赔偿。", "authored")
        builder.finish()
    patch.undo()
    return folder


@pytest.fixture
def real(home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of that pack."""
    monkeypatch.setenv("MOOT_HOME", str(home))
    return "real"


def kite_versions() -> list[tuple[LawVersion, list[Any]]]:
    version = LawVersion(KITES, KITES, date(1980, 1, 1), date(1989, 12, 31))
    return [(version, articles(KITES, KITES, {"1": None, "2": "风筝不得高于路灯。"}))]


def tools(pack: str, case: Case = CASE, **spec: Any) -> CourtTools:
    return CourtTools.of(Pack.open(pack), RunSpec(benchmark="courts", **spec), {case.id: case})


def called(made: CourtTools, tool: str, given: object, case: Case = CASE) -> ToolReturned:
    """The answer of a call."""
    step = made.call(State(task_id=case.id), tool, given)
    event = next(step)
    assert isinstance(event, ToolCalled)
    child = step.send(1)
    assert not isinstance(child, ToolCalled)
    with pytest.raises(StopIteration):
        step.send(2)
    assert child.parent == 1  # type: ignore[union-attr]
    return child.event  # type: ignore[union-attr, no-any-return]


@pytest.mark.slow
def test_fictional_law_is_never_searched(moot_home: Path) -> None:
    build("lamps")
    assert tools("lamps").search is None and tools("lamps").offered == ()
    with pytest.raises(UsageError, match="holds no real statutes"):
        tools("lamps", law_pack="lamps")
    with pytest.raises(NotFound):
        tools("lamps", law_pack="nowhere")


@pytest.mark.parametrize(
    ("spec", "offered"),
    [
        ({}, EVERY), ({"tools": "rag"}, EVERY[:2]), ({"tools": "web"}, ()), ({"tools": "off"}, ()),
        ({"profile": "j1"}, ()), ({"profile": "j1", "tools": "rag"}, EVERY[:2]),
    ],
)  # fmt: skip
def test_what_is_offered(spec: dict[str, Any], offered: tuple[str, ...], real: str) -> None:
    made = tools(real, **spec)
    assert made.offered == offered and made.search is not None


def test_a_named_pack_goes_before_the_pack_of_the_run_and_is_closed_with_it(real: str) -> None:
    build("lamps")
    pack = Pack.open("lamps")
    made = CourtTools.of(pack, RunSpec(benchmark="courts", law_pack=real), {CASE.id: CASE})
    assert made.offered == EVERY and made.judgments is not None
    books = made.judgments
    pack.close()
    with pytest.raises(StoreError, match="closed"):
        books.reader.all("SELECT 1")


def test_a_search_is_as_of_the_day_of_the_case(real: str) -> None:
    for day, height in ((date(1995, 5, 1), "五米"), (date(2005, 5, 1), "六米")):
        case = on_day(day)
        returned = called(tools(real, case), "search_law", {"query": "2022年路灯的高度不得低于多少"}, case)
        first = returned.observation.splitlines()[0]
        assert height in first and "第三条" in first and "当日有效" in first
        assert returned.value[0]["valid_from"] <= day.isoformat() and len(returned.value) <= 5
        assert returned.provenance == ("imported",) and returned.status == "ok"


@pytest.mark.parametrize(
    ("day", "law", "article", "says", "status"),
    [
        (date(1995, 5, 1), LAMPS, "第三条", "五米", "ok"),
        (date(2005, 5, 1), "《路灯法》", "3", "六米", "ok"),
        (date(2015, 5, 1), LAMPS, "第四条", "六米", "ok"),
        (date(1985, 5, 1), LAMPS, "第三条", "尚未施行", "no_data"),
        (date(2009, 12, 31), LAMPS, "第三条", "缺口", "no_data"),
        (date(2005, 5, 1), KITES, "2", "已经废止", "no_data"),
        (date(1985, 5, 1), KITES, "1", "没有收录它的文本", "no_data"),
        (date(1995, 5, 1), LAMPS, "第四条之一", "没有第四条之一", "no_data"),
        (date(2015, 5, 1), "路标法", "第三条", "没有收录名为", "no_data"),
        (date(2021, 5, 1), LAMPS, "第四条", "数据截至2020-01-01，此后是否修改不明。", "ok"),
        (None, LAMPS, "第四条", "六米", "ok"),
        (date(2015, 5, 1), LAMPS, "随便哪条", "不是一个条次", "call_error"),
    ],
)  # fmt: skip
def test_one_article_on_the_day(day: date | None, law: str, article: str, says: str, status: str, real: str) -> None:
    case = on_day(day)
    returned = called(tools(real, case), "show_law", {"law": law, "article": article}, case)
    assert says in returned.observation and returned.status == status, returned.observation


def test_invented_judgments_are_not_shown(real: str) -> None:
    returned = called(tools(real), "search_cases", {"query": "路灯损坏 赔偿"})
    assert "跌伤" in returned.observation and "虚构" not in returned.observation
    assert returned.provenance == ("imported",)


def test_a_judge_looks_a_statute_up_and_is_shown_it_once(real: str) -> None:
    replied = iter(
        [
            '{"action": "search_law", "query": "路灯的高度"}',
            '{"action": "show_law", "law": "路灯法", "article": "第三条"}',
            '{"action": "say", "to": ["原告委托诉讼代理人"], "stage": "开庭", "say": "请原告陈述诉讼请求。"}',
            '{"action": "say", "to": ["全体"], "stage": "开庭", "say": "稍候。"}',
        ]
    )
    case = on_day(date(2005, 5, 1))
    court = Court(
        case, lambda ask, role, number: next(replied) if role == "judge" else plain_reply(ask, role, "好的。"),
        turns=2,
        tools=tools(real, case),
    ).run()  # fmt: skip
    asks = court.prompts("judge")
    assert [event.tool for event in court.tagged("tool_called")] == ["search_law", "show_law"]
    last = [message.content for message in asks[-1].messages]
    assert sum("六米" in text for text in last) == 2, "a hit, and the article"
    assert [m.content for m in asks[-1].messages if m.role == "assistant"][:2] == [
        '{"action": "search_law", "query": "路灯的高度"}',
        '{"action": "show_law", "law": "路灯法", "article": "第三条"}',
    ]  # fmt: skip
    for before, after in zip(asks, asks[1:], strict=False):
        assert after.messages[: len(before.messages)] == before.messages
    assert court.prompts("plaintiff_lawyer") and not any(
        "六米" in message.content for ask in court.prompts("plaintiff_lawyer") for message in ask.messages
    ), "what the court looks up is not said aloud"


def test_three_calls_are_open_before_an_utterance(real: str) -> None:
    court = Court(
        CASE, lambda ask, role, number: '{"action": "search_law", "query": "路灯"}', turns=1, tools=tools(real)
    ).run()
    assert len(court.tagged("tool_called")) == 3
    assert court.tagged("said")[-1].text == '{"action": "search_law", "query": "路灯"}'
    assert [event.result for event in court.tagged("action_parsed")] == ["ok", "ok", "ok", "rejected"]


def test_a_long_result_is_cut_in_the_prompt_and_kept_in_the_record(
    real: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "长" * 5000
    monkeypatch.setattr(
        court_tools, "search_law", lambda *given: replace(court_tools.ToolResult("ok", long, []), provenance=())
    )
    said = iter(['{"action": "search_law", "query": "路灯"}'])
    court = Court(
        CASE, lambda ask, role, number: next(said, None) or plain_reply(ask, role, "完。"), turns=1, tools=tools(real)
    ).run()
    assert court.tagged("tool_returned")[0].observation == long
    assert len(court.prompts("judge")[1].messages[-1].content) < 1800
