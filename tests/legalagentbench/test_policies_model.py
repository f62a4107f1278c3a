"""The model policies: what they ask, in which order, and what they make of any reply."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.engine import Ask, EngineError, Message, Reply
from models.schema import violation
from tasks.episode.events import ModelCalled, Seated, Stopped
from tasks.episode.scheduler import HUMAN
from tasks.episode.state import digest
from tasks.legalagentbench.agents.cards import CALCULATORS
from tasks.legalagentbench.tools import TOOLS
from tasks.run.reading import read_episode
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.support.policy_stage import (
    ACTIONS,
    EVERY,
    FINAL,
    FREE,
    LEAN,
    PAPER,
    QUESTION,
    RANK,
    SPEC,
    STEPS,
    SUM,
    THOUGHT,
    Actor,
    Rehearsal,
    Stage,
    fenced,
    lean,
    plan_text,
    well_behaved,
)

FILTER, LEAN_END, PAPER_END = ["table-filter/1"], ["answer-summary/1"], ["answer/1", "summary/1"]
PLANNED = "plan-action-paper/1"
ASKED = {
    "react/1": [*FILTER, *["react/1"] * 3, *LEAN_END],
    "plan-solve/1": [*FILTER, "plan-solve/1", *["plan-action/1"] * 3, *LEAN_END],
    "plan-execute/1": [*FILTER, *["plan-execute/1"] * 3, *LEAN_END],
    "direct/1": ["direct/1"],
    "react/1+paper": [*FILTER, *["react-thought/1", "react-action/1"] * 3, *PAPER_END],
    "plan-solve/1+paper": [*FILTER, "plan-solve-paper/1", *["plan-action-paper/1"] * 3, *PAPER_END],
    "plan-execute/1+paper": [*FILTER, "plan-execute-paper/1", *[PLANNED, "replan/1"] * 2, PLANNED, *PAPER_END],
}
"""Policy -> the calls of a task of three turns, the last of which is the final action."""


def play(
    policy: str, said: Callable[[Ask, int], str | Reply | EngineError] | None = None, turns: int | None = None
) -> Rehearsal:
    return Rehearsal(policy, Actor(said or well_behaved(policy)), turns=turns).run()


@pytest.mark.parametrize("policy", EVERY)
def test_a_task_is_solved_by_the_calls_of_its_method(policy: str) -> None:
    stage = play(policy)
    assert stage.actor.prompts == ASKED[policy.removesuffix("+free")]
    assert stage.outcome == "finished"
    (answer,) = stage.events("answered")
    assert "1234家" in answer.res and "1234家" in answer.summary, "the comma between digits is gone"
    called = [(e.tool, e.input) for e in stage.events("tool_called")]
    assert called == ([] if policy.startswith("direct") else [SUM, RANK])
    assert {e.result for e in stage.events("action_parsed")} <= {"ok"}
    assert [e.tag for e in stage.events("thought")] == (["thought"] * 3 if policy.startswith("react") else [])
    plans = stage.events("planned")
    assert len(plans) == {"plan-solve": 1, "plan-execute": 3}.get(policy.split("/")[0], 0)
    assert all(plan.tools[-1] == "" for plan in plans) and all(plan.tools[0] == "get_sum" for plan in plans[:1])


@pytest.mark.parametrize("policy", [*LEAN, *FREE])
def test_a_conversation_grows_at_its_end_only(policy: str) -> None:
    calls = [ask for ask in play(policy).actor.asks if ask.prompt != "table-filter/1"]
    said = well_behaved(policy)
    for before, after in zip(calls, calls[1:], strict=False):
        assert after.messages[: len(before.messages)] == before.messages
        assert after.messages[len(before.messages)] == Message("assistant", said(before, 0))
        roles = [message.role for message in after.messages[1:]]
        assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
    assert not any("先想想" in message.content for ask in calls for message in ask.messages), "reasoning stays out"
    assert calls[0].messages[0].role == "system" and QUESTION in calls[0].messages[1].content


COMPACT = "react/1+compact"


def compactly(ask: Ask, number: int) -> str:
    return lean(ACTIONS[min(ask.step, len(ACTIONS)) - 1])


def test_a_compact_conversation_is_question_actions_and_observations() -> None:
    stage = play(COMPACT, compactly)
    assert stage.actor.prompts == ["react-compact/1"] * 3
    assert stage.outcome == "finished" and stage.events("answered")[0].res == "两家"
    assert [(one.tool, one.input) for one in stage.events("tool_called")] == [SUM, RANK]
    *_, last = stage.actor.asks
    assert not any(name in last.messages[0].content for name in TOOLS), "no tool is described"
    assert [message.role for message in last.messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert QUESTION in last.messages[1].content and last.messages[2].content == lean(SUM)
    assert last.schema is not None and violation(last.schema, json.loads(lean(("没有的工具", {})))), (
        "the schema holds"
    )


def test_a_compact_agent_that_does_not_end_is_left_the_answer_alone() -> None:
    stage = play(COMPACT, lambda ask, number: lean(SUM if ask.step < 3 else FINAL), turns=2)
    last = stage.actor.asks[-1].schema
    assert (
        last is not None and violation(last, json.loads(lean(SUM))) and not violation(last, json.loads(lean(FINAL)))
    )
    assert (stage.outcome, stage.events("answered")[0].res) == ("turn_limit", "两家")
    assert play(COMPACT, lambda ask, number: "胡言", turns=2).outcome == "turn_limit"


@pytest.mark.parametrize("policy", LEAN)
def test_lean_calls_carry_the_schema_of_their_reply(policy: str) -> None:
    stage = play(policy)
    said = well_behaved(policy)
    for ask in stage.actor.asks:
        assert ask.schema is not None and ask.settings.temperature == 0 and not ask.settings.stop
        assert violation(ask.schema, json.loads(said(ask, 0))) == ""
    assert all(ask.schema is None for ask in play(f"{policy}+free").actor.asks)


@pytest.mark.parametrize("policy", PAPER)
def test_paper_calls_are_single_messages_without_stop(policy: str) -> None:
    for ask in play(policy).actor.asks:
        assert [message.role for message in ask.messages] == ["user"]
        assert (ask.schema, ask.settings.stop, ask.settings.temperature) == (None, (), 0.0)


def test_the_scratchpad_of_react_holds_thought_action_and_observation() -> None:
    asks = play("react/1+paper").actor.asks
    thought, action = asks[3], asks[4]
    action_text = fenced(SUM).replace("\n", "")
    assert f"思考 1: {THOUGHT}\n行动 1: {action_text}\n观察 1: 3\n思考 2:" in thought.messages[0].content
    assert action.messages[0].content == f"{thought.messages[0].content} {THOUGHT}\n行动 2:"
    answer = next(ask for ask in asks if ask.prompt == "answer/1").messages[0].content
    assert "观察 2: [2, 1]" in answer and "Final Answer" in answer and QUESTION in answer


def test_the_scratchpad_of_a_plan_holds_steps_and_observations_but_no_call() -> None:
    asks = play("plan-solve/1+paper").actor.asks
    second = [ask for ask in asks if ask.prompt == "plan-action-paper/1"][1].messages[0].content
    scratchpad = second.split("（示例完）")[1]
    assert scratchpad == f"\n\n要执行的一步：{STEPS[1]}\n已经完成的步骤：\n第1步：{STEPS[0]} 结果：3\n\n行动："
    assert QUESTION not in second


@pytest.mark.parametrize("policy", ["react/1", "plan-execute/1"])
@pytest.mark.parametrize("mode", ["", "+paper"])
def test_after_ten_turns_the_answer_is_asked_for(policy: str, mode: str) -> None:
    def endless(ask: Ask, number: int) -> str:
        steps = [f"用get_sum求第{n}个和" for n in range(1, 12)]
        call = (SUM[0], {"identifier": [1, ask.step]})
        said = well_behaved(policy + mode)(ask, number)
        if ask.prompt in ("plan-execute-paper/1", "replan/1"):
            return plan_text(steps)
        if ask.prompt == "plan-execute/1":
            return plan_text(steps) + fenced(call) if mode else lean(call, plan=steps[:10])
        if ask.prompt == "react/1":
            return f"思考：再算。{fenced(call)}" if mode else lean(call, thought="再算。")
        return (
            fenced(call) if ask.prompt.split("/")[0] in ("react-action", "plan-action", "plan-action-paper") else said
        )

    stage = play(policy + mode, endless)
    assert stage.outcome == "turn_limit" and "limit of 10 turns" in stage.events("stopped")[0].reason
    assert len(stage.events("tool_called")) == 10
    assert "1234" in stage.events("answered")[0].res
    shorter = play(policy + mode, endless, turns=2)
    assert (shorter.outcome, len(shorter.events("tool_called"))) == ("turn_limit", 2)


@pytest.mark.parametrize("policy", EVERY)
def test_resume_after_every_event_gives_the_same_episode(policy: str) -> None:
    """Odd replies included: a step with a repaired reply is replayed like any other."""
    good = well_behaved(policy)

    def play_odd(ask: Ask, number: int) -> str:
        told = ask.messages[-1].content
        return (
            "我想想"
            if ask.step == 2 and "回复无效" not in told and "summary" not in ask.prompt
            else good(ask, number)
        )

    whole = play(policy, play_odd)
    wanted = digest(whole.records)
    for cut in range(2, len(whole.records)):
        if isinstance(whole.records[cut - 1].event, Stopped):
            continue  # written in one transaction with the end of its step
        actor = Actor(play_odd)
        stage = Rehearsal(policy, actor, records=whole.records[:cut]).run()
        assert digest(stage.records) == wanted
        assert len(actor.asks) == sum(isinstance(r.event, ModelCalled) for r in whole.records[cut:])


def test_an_invalid_reply_is_complained_of_once() -> None:
    def said(ask: Ask, number: int) -> str:
        if ask.prompt != "react/1" or ask.step > 1:
            return well_behaved("react/1")(ask, number)
        column = "母公司" if number == 1 else "公司名称"
        return lean(("get_sub_company_info", {"identifier": "甲", "columns": [column]}), thought="查母公司")

    stage = play("react/1", said)
    second = stage.actor.asks[2]
    assert [m.role for m in second.messages] == ["system", "user", "assistant", "user"]
    assert "回复无效" in second.messages[-1].content and "母公司" in second.messages[-1].content
    first = stage.events("action_parsed")[0]
    assert first.result == "repaired" and "重问1次" in first.note
    later = stage.actor.asks[3].messages
    assert later[:4] == second.messages, "the complaint stays in the conversation"
    assert stage.driver.state.flags >= {"repaired"}


def test_a_reply_that_stays_invalid_consumes_the_step() -> None:
    good = well_behaved("react/1")
    stage = play("react/1", lambda ask, n: "不" if ask.step == 1 and ask.prompt == "react/1" else good(ask, n))
    assert [e.result for e in stage.events("action_parsed")] == ["rejected", "ok", "ok"]
    assert stage.actor.prompts.count("react/1") == 2 + 2
    assert "行动无效" in stage.actor.asks[3].messages[-1].content
    assert stage.outcome == "finished"


def test_fenced_json_is_taken_without_asking_again() -> None:
    """An endpoint that ignores the schema often wraps its JSON."""
    stage = play("react/1", lambda ask, n: f"好的。\n```json\n{well_behaved('react/1')(ask, n)}\n```")
    assert stage.actor.prompts == ASKED["react/1"]
    assert {e.result for e in stage.events("action_parsed")} == {"repaired"}
    assert [e.text for e in stage.events("thought")] == [THOUGHT] * 3


def test_free_text_is_repaired_and_never_asked_again() -> None:
    said = {1: "思考：求和\n行动：{'action': 'get_sum', 'action_input': [1, 2]}", 2: "嗯"}
    good = well_behaved("react/1+free")
    stage = play(
        "react/1+free",
        lambda ask, n: said[ask.step] if ask.prompt == "react/1" and ask.step in said else good(ask, n),
    )
    assert [e.result for e in stage.events("action_parsed")] == ["repaired", "rejected", "ok"]
    assert stage.events("tool_called")[0].input == [1, 2]
    assert [e.text for e in stage.events("thought")] == ["求和", THOUGHT]
    action = next(ask for ask in stage.actor.asks if ask.prompt == "react/1")
    assert "观察：" in action.settings.stop


def test_paper_takes_only_what_the_published_parser_took() -> None:
    """What has to be repaired was an illegal format there; the step is consumed."""
    bare = lean(SUM)
    stage = play(
        "react/1+paper",
        lambda ask, n: (
            bare if ask.step == 1 and ask.prompt == "react-action/1" else well_behaved("react/1+paper")(ask, n)
        ),
    )
    assert [e.result for e in stage.events("action_parsed")] == ["rejected", "ok", "ok"]
    assert "观察 1: 行动格式不合要求" in stage.actor.asks[3].messages[0].content


# The table filter
# ------------------------------------------------------------------------------------------------------


def chosen(policy: str, *replies: str) -> tuple[Rehearsal, Any]:
    stage = play(
        policy,
        lambda ask, n: (
            replies[min(n, len(replies)) - 1] if ask.prompt == "table-filter/1" else well_behaved(policy)(ask, n)
        ),
    )
    (event,) = stage.events("tools_chosen")
    return stage, event


@pytest.mark.parametrize("policy", ["react/1", "react/1+free", "react/1+paper"])
def test_tables_decide_the_tools(policy: str) -> None:
    said = '{"tables": ["CourtInfo"]}' if policy == "react/1" else '```json\n["CourtInfo"]\n```'
    stage, event = chosen(policy, said)
    assert event.tables == ("CompanyInfo", "CourtInfo", "AddrInfo") and event.result == "ok"
    tools = event.tools
    assert "get_court_code" in tools, "court tables share their tools"
    assert "get_sub_company_info" not in tools and "legal_article_retriever" in tools
    assert ("get_division" in tools) == (policy != "react/1+paper")
    card = stage.actor.asks[1].messages[0].content
    assert "get_court_code" in card and "get_sub_company_info(" not in card


@pytest.mark.parametrize("policy", ["react/1", "react/1+paper"])
def test_tables_that_cannot_be_read_are_asked_for_again(policy: str) -> None:
    _, event = chosen(policy, '{"tables": ["CourtInfo", "公司表"]}')
    assert (event.tables, event.result) == (("CompanyInfo", "CourtInfo", "AddrInfo"), "repaired")
    assert "公司表" in event.note
    stage, event = chosen(policy, "不知道")
    assert stage.actor.prompts.count("table-filter/1") == 3
    assert (len(event.tables), event.result) == (14, "rejected") and event.note
    assert set(TOOLS) - set(event.tools) == {"finish", *set(CALCULATORS["lean"]) - set(event.tools)}
    _, event = chosen(policy, "不知道", '["LegalDoc"]' if "+" in policy else '{"tables": ["LegalDoc"]}')
    assert ("LegalDoc" in event.tables, event.result) == (True, "repaired")


# Plans
# -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["plan-solve/1", "plan-solve/1+free", "plan-solve/1+paper"])
def test_a_plan_without_steps_goes_straight_to_the_answer(policy: str) -> None:
    good = well_behaved(policy)
    stage = play(policy, lambda ask, n: "没有计划" if ask.prompt.startswith("plan-solve") else good(ask, n))
    assert stage.outcome == "finished" and not stage.events("tool_called")
    assert stage.events("action_parsed")[0].result == "rejected"


def test_of_a_plan_that_stops_in_a_loop_the_whole_steps_are_carried_out_once() -> None:
    good, looped = (
        well_behaved("plan-solve/1"),
        '{"plan": ["用get_sum求和", "用get_rank排序", "用get_rank排序", "用get_r',
    )
    stage = play("plan-solve/1", lambda ask, n: looped if ask.prompt.startswith("plan-solve") else good(ask, n))
    assert [plan.steps for plan in stage.events("planned")] == [("用get_sum求和", "用get_rank排序")]
    assert stage.actor.prompts.count("plan-solve/1") == 1 and len(stage.events("tool_called")) == 2
    assert stage.events("action_parsed")[0].result == "repaired"


def test_a_long_paper_plan_is_cut() -> None:
    """And a plan may end without a final action."""
    said = {"plan-solve-paper/1": plan_text([f"用get_sum求第{n}个和" for n in range(1, 40)])}
    said["plan-action-paper/1"] = fenced(SUM)
    stage = play("plan-solve/1+paper", lambda ask, n: said.get(ask.prompt, "答"))
    assert (stage.outcome, len(stage.events("tool_called"))) == ("finished", 20)


def test_positional_replanning_skips_work_and_the_lean_form_does_not() -> None:
    """A model that drops what is done from its plan: published position counting passes over a step."""
    done: list[str] = []

    def paper(ask: Ask, n: int) -> str:
        if ask.prompt in ("plan-execute-paper/1", "replan/1"):
            return plan_text(STEPS[len(done) :] or STEPS[-1:])
        if ask.prompt == "plan-action-paper/1":
            step = ask.messages[0].content.split("要执行的一步：")[-1].split("\n")[0]
            done.append(step)
            return fenced(ACTIONS[STEPS.index(step)])
        return well_behaved("plan-execute/1+paper")(ask, n)

    stage = play("plan-execute/1+paper", paper)
    assert done == [STEPS[0], STEPS[2]], "the ranking was skipped"
    assert [e.tool for e in stage.events("tool_called")] == ["get_sum"]
    lean_stage = play("plan-execute/1")
    assert [e.tool for e in lean_stage.events("tool_called")] == ["get_sum", "get_rank"]


# Answers
# ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "res"),
    [
        ('{"answer": "两家", "summary": "共两家"}', "两家"),
        ('```json\n{"answer": "两家", "summary": "共两家"}\n```', "两家"),
        (lean(("Final Answer", "两家")), "两家"),
        ("共有两家公司。", "共有两家公司。"),
        ('{"answer": "没有写完', FINAL[1]),
        ("", FINAL[1]),
    ],
)
def test_an_answer_that_cannot_be_read_is_not_lost(reply: str, res: str) -> None:
    stage = play(
        "react/1",
        lambda ask, n: reply if ask.prompt == "answer-summary/1" else well_behaved("react/1")(ask, n),
    )
    (answer,) = stage.events("answered")
    assert answer.res == res
    noted = [e for e in stage.events("action_parsed") if e.note.startswith("作答")]
    assert len(noted) == (not reply.startswith('{"answer": "两家", "s'))


# Seats that change hands
# -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [name for name in EVERY if not name.startswith("direct")])
def test_models_and_people_take_over_from_each_other(tmp_path: Path, policy: str) -> None:
    stage = Stage(tmp_path / "stage.moot", policy, Actor(well_behaved(policy)))
    assert stage.scheduler.step("0")
    stage.scheduler.seat("0", Seated(seat="agent", policy="human/1", engine=HUMAN))
    stage.scheduler.run()
    stage.scheduler.answer("0", '/get_sum {"identifier": [5, 6]}')
    stage.scheduler.run()
    stage.scheduler.answer("0", "/get_sum {")
    stage.scheduler.seat("0", Seated(seat="agent", policy=policy, engine=SPEC))
    asked = len(stage.actor.asks)
    stage.run()
    assert stage.outcome == "finished" and len(stage.events("tools_chosen")) == 1
    told = [ask.messages[-1].content for ask in stage.actor.asks[asked:]]
    assert any("11" in text and "[5, 6]" in text for text in told)


@pytest.mark.parametrize(("policy", "outcome"), [("react/1", "loop"), ("react/1+paper", "turn_limit")])
def test_identical_calls_end_an_episode_but_not_a_published_one(policy: str, outcome: str) -> None:
    stage = Rehearsal(policy, Actor(lambda ask, n: well_behaved(policy)(replace(ask, step=1), n)), turns=6).run()
    assert stage.outcome == outcome
    assert len(stage.events("tool_called")) == (3 if outcome == "loop" else 6)


@pytest.mark.parametrize(("kind", "limits"), [("writing", (4096, 0)), ("2-hop", (800, 3296))])
@pytest.mark.parametrize("agent", ["direct", "react"])
def test_a_task_that_asks_for_a_document_has_room_for_it(
    agent: str, kind: str, limits: tuple[int, int], sample_pack: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"otherwise": ["不知道"]}, ensure_ascii=False), "utf-8")
    spec = RunSpec(
        benchmark="legalagentbench", agent=agent, model=f"scripted:{script}", types=(kind,), limit=1, max_turns=1
    )
    with start_run(spec) as run:
        run.go()
        records = read_episode(run.journal, run.journal.episodes()[0].id)
    last = [record.event for record in records if isinstance(record.event, ModelCalled)][-1]
    assert (last.settings["max_tokens"], last.settings["reasoning"]) == limits
