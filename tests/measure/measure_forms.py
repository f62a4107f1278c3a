"""Rules as a model: what the rules said in every seat, put as a reply of a model in each form, comes back as the same
turn.

72 cases of the sample, played by rules; then played again with a model in every seat that may have one, whose replies
are the rules' words as an object under the schema, as free text, or in the native form, where the tested seat looks a
law up before it speaks, as long as it may. The record has to be the same, word for word, and so the scores.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pytest

from models.engine import Ask
from store.pack import Pack
from store.search.law_search import LawSearch
from tasks.courts.agents.model import replies
from tasks.courts.casefile.case import Case
from tasks.courts.casefile.roles import own_names, role_name
from tasks.courts.environment import PUBLISHED, environment
from tasks.courts.play.record import spoken
from tasks.courts.play.tools import STATUTES, CourtTools
from tasks.courts.play.view import CourtView
from tasks.courts.procedure.model import ProfileName, Turn
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tasks.sample.build import court_cases
from tests.support.court_stage import Court
from tests.support.statute_fixture import build

EVERYBODY = "全体"
Mode = Literal["lean", "free", "native"]
CALL = '<tool_call>{"name": "search_law", "arguments": {"query": "路灯"}}</tool_call>'


def reply(ask: Ask, turn: Turn, case: Case, view: CourtView) -> str:
    """A turn of the rules in the form that is asked for."""
    if ask.schema is None:
        return replies.written(turn, view)
    schema: Mapping[str, Any] = ask.schema["anyOf"][0] if "anyOf" in ask.schema else ask.schema
    names = [role_name(role, case.env, case) for role in turn.to]
    value: dict[str, Any] = {}
    for name, part in schema["properties"].items():
        if name == "to":
            value["to"] = (names or [EVERYBODY]) if "items" in part else names[0]
        else:
            value[name] = {"action": "say", "stage": turn.stage, "say": turn.text}[name]
    return json.dumps(value, ensure_ascii=False)


def again(case: Case, turns: list[Turn], *, profile: ProfileName, mode: Mode, search: LawSearch) -> Court:
    """The episode with a model in every seat that says what the rules said there."""
    waiting: dict[str, list[Turn]] = defaultdict(list)
    looked: set[int] = set()
    for turn in turns:
        waiting[turn.speaker].append(turn)

    def play(ask: Ask, role: str, number: int) -> str:
        if ask.tools and waiting[role] and len(waiting[role]) not in looked:
            looked.add(len(waiting[role]))
            return CALL
        there = tuple(one for one in environment(case.env).seats if one not in (role, "clerk", "tracker"))
        view = CourtView(
            seat=ask.seat, card={"names": own_names(case)}, history=(), step=1, role=role, here=environment(case.env),
            profile=profile,
            case_id=case.id, held={}, there=there,
        )  # fmt: skip
        return reply(ask, waiting[role].pop(0), case, view) if waiting[role] else "。"

    tools = CourtTools(search, {case.id: case}, STATUTES) if mode == "native" else None
    court = Court(case, play, profile=profile, mode="" if mode == "lean" else mode, tools=tools)
    while not court.driver.stopped:
        before = len(court.record)
        asked = len(court.asks)
        court.step()
        if len(court.asks) == asked:  # the controller spoke: what the rules had there is done
            for turn in court.record[before:]:
                if waiting[turn.speaker] and waiting[turn.speaker][0].text == turn.text:
                    waiting[turn.speaker].pop(0)
    return court


def words(turns: Iterable[Turn]) -> list[tuple[str, tuple[str, ...], str]]:
    """Who said what to whom; a stage that is declared shows in the scores."""
    return [(turn.speaker, turn.to, turn.text) for turn in turns]


@pytest.mark.parametrize(("profile", "modes"), [("law", ("lean", "free", "native")), ("j1", ("free",))])
@pytest.mark.parametrize("env", PUBLISHED)
def test_what_rules_say_comes_back_from_every_form(
    env: str, profile: ProfileName, modes: tuple[Mode, ...], sample_pack: Path, tmp_path: Path
) -> None:
    spec = RunSpec(benchmark="courts", agent="rules", settings={"env": env, "profile": profile, "tools": "off"})
    with start_run(spec, out=tmp_path / "rules.moot") as run:
        run.go()
        states = {name: driver.state for name, driver in run.scheduler.episodes.items()}
        bench = run.bench
    cases = {case.id: case for case in court_cases() if case.env == env}
    statutes = LawSearch(Pack.open(build()))
    looked = same = 0
    for mode, (name, state) in product(modes, states.items()):
        turns = list(spoken([record.event for record in state.records], env))
        court = again(cases[name], turns, profile=profile, mode=mode, search=statutes)
        assert words(court.record) == words(turns), (name, mode)
        question = next(q for q in run.questions if q.id == name)
        rows = [bench.score_rows(1, question, bench.result(name, 0, one)) for one in (state, court.driver.state)]
        assert [row.value for row in rows[0]] == [row.value for row in rows[1]], (name, mode)
        looked += len(court.tagged("tool_called"))
        assert bool(court.tagged("tool_called")) == (mode == "native"), name
        same += 1
    print(f"\n{env} {profile}: {same} of {len(states) * len(modes)} the same, {looked} native calls made between")
