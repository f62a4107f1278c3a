"""Very long observations: whole in the record, shortened in every prompt, and none at all beyond a bound."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.engine import Ask, Message
from store.builder import PackBuilder
from store.journal import Journal
from tasks.agents.budgets import ContextBudget
from tasks.agents.policies import HumanPolicy
from tasks.episode.events import ModelCalled, ToolReturned
from tasks.episode.seats import View
from tasks.episode.state import digest
from tasks.episode.with_tools import SHOWN, shortened
from tasks.legalagentbench.tools import LabToolResult, Toolbox
from tasks.legalsearch.agents.talking import response
from tasks.run.reading import attempts_of, read_episode
from tasks.run.runner import resume_run, start_run
from tasks.run.spec import RunSpec
from tests.support import law_stage
from tests.support.policy_stage import EVERY, Actor, Rehearsal, well_behaved

HUGE = "".join(f"{number:06}号约定的内容如下，" for number in range(20_000))
WIDE = lambda self, beside=0: 1 << 20  # noqa: E731
"""A context in which nothing but the length of an observation matters."""
MARK = "…【此处略去{}字，全文共{}字】…"
LEFT = SHOWN - 60
"""Characters that stay."""
ENOUGH = 200_000
"""Characters: more than any prompt here needs that holds a few shortened observations, and less than a whole one."""


def test_what_the_published_runs_saw_stays_as_it_is() -> None:
    for size in (0, 1, 12_983, 38_000, 40_960, SHOWN):
        text = HUGE[:size]
        assert shortened(text) is text
        assert response(text, "ok", paper=True) == f"<tool_response>\n{text}\n</tool_response>"


def test_head_and_tail_with_a_mark() -> None:
    short = shortened(HUGE)
    head, tail = short.split(MARK.format(len(HUGE) - LEFT, len(HUGE)))
    assert HUGE.startswith(head) and HUGE.endswith(tail) and len(head) + len(tail) == LEFT and len(head) > len(tail)
    assert shortened(HUGE) == short == shortened(short), "shortened once"


def test_lines_are_not_torn() -> None:
    text = "\n".join(f"第{number}行 {'字' * 90}" for number in range(3000))
    head, _, tail = shortened(text).partition("…【")
    mark, _, tail = tail.partition("】…")
    assert head.endswith("字\n") and tail.startswith("第")
    assert f"此处略去{len(text) - len(head) - len(tail)}字，全文共{len(text)}字" == mark


@given(st.text("甲\n乙", max_size=60), st.integers(1, 9000))
def test_it_is_total_and_bounded(text: str, times: int) -> None:
    whole = text * times
    short = shortened(whole)
    assert short == whole if len(whole) <= SHOWN else len(short) <= SHOWN


def longest(asks: list[Ask]) -> int:
    return max(sum(len(message.content) for message in ask.messages) for ask in asks)


@pytest.mark.parametrize("policy", [name for name in EVERY if "direct" not in name])
def test_every_method_shows_it_shortened(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ContextBudget, "characters", WIDE)
    monkeypatch.setattr(Toolbox, "call", lambda self, tool, given: LabToolResult("ok", HUGE, HUGE))
    actor = Actor(well_behaved(policy))
    episode = Rehearsal(policy, actor).run()
    assert [event.observation for event in episode.events("tool_returned")] == [HUGE] * 2
    assert longest(actor.asks) < ENOUGH
    assert MARK.format(len(HUGE) - LEFT, len(HUGE)) in "".join(message.content for message in actor.asks[-1].messages)
    again = Rehearsal(policy, Actor(well_behaved(policy)))
    again.driver.recorded = list(episode.records)[2:]
    assert digest(again.run().records) == digest(episode.records)


@pytest.mark.parametrize("mode", law_stage.MODES)
def test_the_search_agent_too(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ContextBudget, "characters", WIDE)
    said = law_stage.script(law_stage.well_behaved(mode))
    huge = f"{HUGE}<tool_call>{HUGE}"
    episode = law_stage.Episode(law_stage.mode_name(mode), said, results={"rag_retrieve": ("ok", huge)}).run()
    asks = episode.actor.asks
    assert longest(asks) < ENOUGH
    mark = f"全文共{len(huge)}字】"
    assert mark in "".join(message.content for message in asks[-1].messages)
    assert mark in episode.text, "a trainer reads what the model read"
    assert episode.events("tool_returned")[0].observation == huge


def test_a_person_sees_it_whole() -> None:
    from tasks.episode.events import Record

    event = ToolReturned(seat="agent", tool="get_sum", status="ok", observation=HUGE)
    question = next(
        HumanPolicy().move(View("agent", {"question": "几家？"}, (Record(0, 1, None, 0.0, event),), 2, None))
    )
    assert isinstance(question, Ask) and question.messages[-1] == Message("tool", HUGE)


CALL = '```json\n{"action": "get_company_info", "action_input": {"identifier": "甲公司", "columns": []}}\n```'


@pytest.fixture
def spec(moot_home: Path) -> Callable[[int], RunSpec]:
    """A run of so many turns in the published form of ReAct over a pack whose one row has a cell of three hundred
    thousand characters."""
    with PackBuilder(
        "huge", jurisdiction="虚构法域", source="test", licence="MIT", coverage="complete", as_of="2026-01-01"
    ) as pack:
        pack.add_row("CompanyInfo", {"公司名称": "甲公司", "经营范围": HUGE}, "authored")
    script, tasks = moot_home / "script.json", moot_home / "tasks.json"
    script.write_text(json.dumps({"otherwise": [CALL]}), encoding="utf-8")
    task = {
        "id": 1,
        "question": "甲公司？",
        "answer": "甲",
        "key": ["甲"],
        "key_middle": [],
        "type": "1-1",
        "way": "get_company_info",
    }
    tasks.write_text(json.dumps([task], ensure_ascii=False), encoding="utf-8")
    return lambda turns: RunSpec(
        benchmark="legalagentbench", agent="react", model=f"scripted:{script}", pack="huge", tasks=str(tasks),
        max_turns=turns, paper=True
    )  # fmt: skip


def test_the_record_holds_it_whole_and_prompts_do_not(spec: Callable[[int], RunSpec], tmp_path: Path) -> None:
    """In the published form every call repeats all observations; what the texts of the prompts weigh does not follow
    them."""
    path = tmp_path / "r.moot"
    with start_run(spec(3), out=path) as run:
        run.go()
        (one,) = attempts_of(run.journal, run.bench)
        assert one.result.outcome == "turn_limit"
    with Journal.open(path) as journal:
        records = read_episode(journal, "1")
        calls = [record.event for record in records if isinstance(record.event, ModelCalled)]
        told = [record.event for record in records if isinstance(record.event, ToolReturned)]
        first, *others = told
        assert len(others) == 2 and HUGE in first.observation and HUGE in first.value["经营范围"]
        assert {(event.status, event.observation, event.value) for event in others} == {
            ("ok", shortened(first.observation), None)
        }
        prompts = {name for call in calls for _, name in call.messages}
        sizes = [len(journal.text(name) or "") for name in prompts]
    assert max(sizes) < 4 * SHOWN
    assert path.stat().st_size < 24 * len(HUGE), "observation and value, six bytes a character, and the prompts"
    with resume_run(path) as run:
        run.go()
        (one,) = attempts_of(run.journal, run.bench)
    assert one.result.outcome == "turn_limit", "the record is the same when it is read again"
