"""The dialogs that decide who plays: a new run with a model, and who sits in a seat from the next turn on."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Select, Static

from app.desk import engines_offered
from app.desk.dialogs import HelpScreen
from app.desk.engines_offered import EngineField, EngineOption
from app.desk.episode.screen import EpisodeScreen
from app.desk.episode.seat import BACK, SeatScreen
from app.desk.home.new_run import NewRunScreen, SeatsForm, SettingsForm
from app.desk.home.screen import HomeScreen
from app.desk.widgets.answer_box import AnswerBox
from app.desk.widgets.field import Field
from app.library import PackLine, packs, runs
from store.journal import Journal
from tasks.agents.modes import CALLS
from tasks.episode.events import Seated
from tasks.legalagentbench.benchmark import LegalAgentBench
from tasks.run.opened import Run
from tasks.run.reading import list_runs, read_episode
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.desk.conftest import (
    EVERYWHERE,
    NARROW,
    WIDE,
    begun,
    desk,
    reach,
    same_as_stored,
    text_of,
    until,
)
from tests.support import slow_engine
from tests.support.patience import PATIENCE
from tests.support.slow_engine import SPEC, SlowEngine, install, talk

pytestmark = pytest.mark.slow

AGENTS = {
    "rules": ("rules/1", False), "react": ("react/1", True), "plan-solve": ("plan-solve/1", True),
    "plan-execute": ("plan-execute/1", True), "direct": ("direct/1", True), "human": ("human/1", False),
    "gold": ("gold/1", False), "echo": ("echo/1", False),
}  # fmt: skip
OFFERS = [
    EngineOption("llama:qwen2.5-7b", "qwen2.5-7b · 7.6B Q4_K_M · 4.7 GB"),
    EngineOption("recorded:r1", "03-01 08:30 的记录：ReAct"),
]


GOLD = RunSpec(benchmark="legalagentbench", agent="gold", pack="small", task_ids=("k-1",))


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> SlowEngine:
    return install(monkeypatch, SlowEngine())


def scripted(home: Path) -> str:
    path = home / "script.json"
    path.write_text(json.dumps({"otherwise": ["我不知道"]}), encoding="utf-8")
    return f"scripted:{path}"


def seats(path: Path) -> list[Seated]:
    with Journal.open(path) as journal:
        return [record.event for record in read_episode(journal, "k-1") if isinstance(record.event, Seated)]


def fault(screen: Any, name: str) -> str:
    field = screen.query_one(f"#{name}-field", Field)
    return str(field.query_one(".field--note", Static).content) if field.bad else ""


# a new run


async def new_run(pilot: Pilot[Any]) -> NewRunScreen:
    await until(pilot, lambda: isinstance(pilot.app.screen, HomeScreen) and pilot.app.screen.packs)
    await pilot.press("n")
    await until(pilot, lambda: isinstance(pilot.app.screen, NewRunScreen) and not busy(pilot))
    assert isinstance(pilot.app.screen, NewRunScreen)
    return pilot.app.screen


def busy(pilot: Pilot[Any]) -> bool:
    return any(worker.node is pilot.app.screen and not worker.is_finished for worker in pilot.app.workers)


@EVERYWHERE
async def test_dialogs_look_as_stored(
    language: str, size: tuple[int, int], pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_LANG", language)
    monkeypatch.setattr(LegalAgentBench, "agents", AGENTS)
    monkeypatch.setattr(engines_offered, "offered", lambda runs=None: OFFERS)
    async with desk(size) as pilot:
        screen = await new_run(pilot)
        await same_as_stored(pilot, "new", everywhere=True)
        if (language, size) != ("zh", WIDE):
            return
        screen.query_one("#agent", Select).value = "plan-execute"
        screen.query_one("#limit", Input).value = "many"
        screen.query_one("#seed", Input).value = "-1"
        await pilot.pause()
        await pilot.press("f5")
        await pilot.pause()
        await same_as_stored(pilot, "new-model")
        await pilot.press("escape")
        await begun(pilot, GOLD)
        await pilot.press("s")
        await until(pilot, lambda: isinstance(pilot.app.screen, SeatScreen) and not busy(pilot))
        await same_as_stored(pilot, "seat")
        highlight(pilot, "plan-solve")
        await pilot.pause()
        await same_as_stored(pilot, "seat-model")
        await pilot.press("f1")
        await pilot.pause()
        assert isinstance(pilot.app.screen, HelpScreen)


async def test_an_engine_is_asked_for_only_where_an_agent_needs_one_and_its_mode_goes_into_the_run(
    pack: Path, moot_home: Path
) -> None:
    async with desk() as pilot:
        screen = await new_run(pilot)
        wanted: list[Any] = []
        screen.dismiss = wanted.append
        assert pilot.app.focused is screen.query_one("#benchmark")
        assert screen.query_one("#agent", Select).value == "rules" and not screen.query_one(EngineField).display
        assert not screen.query_one("#mode-field").display and not screen.query_one("#parallel-field").display
        await pilot.press("enter", "escape")
        assert pilot.app.screen is screen and not wanted, "a stray Enter starts nothing"
        await pilot.press("f5")
        await until(pilot, lambda: wanted)
        await pilot.click("#everything")
        await until(pilot, lambda: len(wanted) == 2)
        assert [(spec.agent, spec.model, spec.limit, spec.parallel) for spec, _ in wanted] == [
            ("rules", "", 10, 1),
            ("rules", "", 10, 16),
        ]
        screen.query_one("#agent", Select).value = "react"
        await pilot.pause()
        assert screen.query_one(EngineField).display and screen.query_one("#mode-field").display
        assert "docs/models.md" in text_of(pilot), "an empty library says what to do"
        screen.query_one("#spec", Input).value = scripted(moot_home)
        modes = ("lean", "native", "compact", "free", "paper")
        for number, mode in enumerate(modes, 3):
            screen.query_one("#mode", Select).value = mode
            await pilot.pause()
            await pilot.press("f5")
            await until(pilot, lambda number=number: len(wanted) == number)
        for mode, (spec, everything) in zip(modes, wanted[2:], strict=True):
            assert (spec.paper, spec.parallel, everything) == (mode == "paper", 1, False)
            assert spec.calls == (mode if mode in CALLS else "schema")
        screen.query_one("#agent", Select).value = "echo"
        await pilot.pause()
        assert not screen.query_one(EngineField).display


async def test_what_is_wrong_is_said_beside_its_field_before_anything_starts(pack: Path, moot_home: Path) -> None:
    async with desk(NARROW) as pilot:
        screen = await new_run(pilot)
        screen.query_one("#agent", Select).value = "react"
        await pilot.pause()
        await pilot.press("f5")
        assert "llama:" in fault(screen, "spec")
        for name, wrong in (("limit", "0"), ("parallel", "65"), ("turns", "1.5"), ("seed", "x")):
            screen.query_one(f"#{name}", Input).value = wrong
        screen.query_one("#spec", Input).value = "magic:lamp"
        await pilot.pause()
        await pilot.press("f5")
        await pilot.pause()
        for name in ("limit", "parallel", "turns", "seed"):
            assert "整数" in fault(screen, name) and not fault(screen, "spec")
        assert pilot.app.focused is screen.query_one("#limit")
        for name, right in (("limit", "1"), ("parallel", "2"), ("turns", ""), ("seed", "7")):
            screen.query_one(f"#{name}", Input).value = right
        for spec, words in (
            ("magic:lamp", "names no engine"), ("scripted:/nowhere.json", "cannot read script"),
            ("recorded:nobody", "no run"), ("llama:absent", "absent"),
        ):  # fmt: skip
            screen.query_one("#spec", Input).value = spec
            await pilot.pause()
            await pilot.press("f5")
            await until(pilot, lambda words=words: words in fault(screen, "spec"))  # type: ignore[misc]
            assert pilot.app.screen is screen and not list_runs()
        screen.query_one("#spec", Input).value = scripted(moot_home)
        await pilot.pause()
        await pilot.press("f5")
        await reach(pilot, EpisodeScreen, lambda screen: screen.controller.loaded)
    (path,) = list_runs()
    with Journal.open(path) as journal:
        spec = journal.header["spec"]
    asked = [spec[name] for name in ("agent", "parallel", "seed", "max_turns", "limit")]
    assert asked == ["react", 2, 7, None, 1]
    assert spec["calls"] == "schema" and not spec["paper"]


async def test_a_benchmark_is_asked_about_when_it_is_chosen_and_keeps_its_answers(pack: Path) -> None:
    async with desk() as pilot:
        line = PackLine("small", tasks={"legalagentbench": 2, "courts": 6, "legalsearch": 13})
        screen, wanted = NewRunScreen([line], engine=SPEC), []
        await pilot.app.push_screen(screen)
        screen.dismiss = wanted.append  # type: ignore[method-assign,assignment]
        await until(pilot, lambda: screen.is_current and not busy(pilot))
        assert [form.bench.name for form in screen.query(SettingsForm)] == ["legalagentbench"]
        screen.query_one("#benchmark", Select).value = "courts"
        await pilot.press("f5")
        await until(pilot, lambda: busy(pilot) or wanted or screen.query(".-bad"))
        env = screen.query_one("#env", Select)
        env.value = "CI"
        for name in ("legalsearch", "courts"):
            screen.query_one("#benchmark", Select).value = name
            await pilot.pause()
        assert env.value == "CI" and env.is_attached
        seats = [form for form in screen.query(SeatsForm) if form.display]
        assert [form.bench.name for form in seats] == ["courts"]
        offered = [value for _, value in seats[0].query(Select).first(Select)._options]
        assert "rules" in offered
        shown = [form.bench.name for form in screen.query(SettingsForm) if form.display]
        assert shown == ["courts"] and len(screen.query(SettingsForm)) == 3


def test_records_of_models_are_offered_and_read_as_engines(pack: Path, moot_home: Path) -> None:
    with start_run(
        RunSpec(benchmark="legalagentbench", agent="react", model=scripted(moot_home), pack=str(pack), max_turns=2)
    ) as run:
        run.go()
    (offer,) = engines_offered.offered()
    assert offer.spec == f"recorded:{run.id}" and "ReAct" in offer.label
    assert engines_offered.refusal(RunSpec(benchmark="legalagentbench", agent="react", model=offer.spec)) == ""
    assert [line.id for line in runs()] == [run.id] and packs()


# a seat


async def in_seat_dialog(pilot: Pilot[Any]) -> SeatScreen:
    await pilot.press("s")
    await until(pilot, lambda: isinstance(pilot.app.screen, SeatScreen) and not busy(pilot))
    assert isinstance(pilot.app.screen, SeatScreen)
    return pilot.app.screen


def highlight(pilot: Pilot[Any], agent: str) -> None:
    who = pilot.app.screen.query_one("#who", OptionList)
    who.focus()
    who.highlighted = [option.id for option in who.options].index(agent)


async def test_a_model_takes_the_seat_and_plays_on(
    pack: Path, engine: SlowEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[threading.Thread] = []
    real = slow_engine.open_slow
    monkeypatch.setattr(
        slow_engine, "open_slow", lambda opening: (opened.append(threading.current_thread()), real(opening))[1]
    )
    async with desk() as pilot:
        screen = await begun(pilot, GOLD)
        await pilot.press("n")
        await until(pilot, lambda: screen.controller.shown.total == 1)
        dialog = await in_seat_dialog(pilot)
        who = dialog.query_one("#who", OptionList)
        assert {option.id for option in who.options} == set(LegalAgentBench.agents)
        assert who.options[0].id == "human" and who.highlighted == 0
        labels = {option.id: str(option.prompt) for option in who.options}
        assert "参照" in labels["gold"] and "需模型" in labels["react"] and "参照" not in labels["rules"]
        assert "现任：参照答案" in text_of(pilot)
        highlight(pilot, "react")
        await pilot.pause()
        await pilot.press("f5")
        assert "llama:" in fault(dialog, "spec")
        dialog.query_one("#spec", Input).value = "llama:/nowhere.gguf"
        await pilot.pause()
        await pilot.press("f5")
        await until(pilot, lambda: "nowhere.gguf" in fault(dialog, "spec"))
        await pilot.press("escape")
        assert pilot.app.screen is screen and screen.controller.state.seats["agent"].policy == "gold/1"
        assert screen.controller.moving == "paused"
        dialog = await in_seat_dialog(pilot)
        highlight(pilot, "talk")
        await pilot.pause()
        assert dialog.query_one(EngineField).display
        await pilot.press("enter")
        assert pilot.app.focused is dialog.query_one("#spec"), "no engine is chosen yet: the cursor goes there"
        dialog.query_one("#spec", Input).value = SPEC
        await pilot.pause()
        await pilot.press("enter", "enter")
        await until(
            pilot, lambda: pilot.app.screen is screen and screen.controller.state.seats["agent"].engine == SPEC
        )
        assert threading.main_thread() not in opened and len(opened) == 2, (
            "checked, then opened by the thread of the run"
        )
        await pilot.press("n")
        await until(pilot, engine.waits.is_set)
        engine.end("云溪县人民法院，负责人陆知行")
        await until(pilot, lambda: screen.controller.over)
        engine.closed = False
    assert engine.closed, "the run closes what was opened on the way"
    (path,) = list_runs()
    assert [seat.policy for seat in seats(path)] == ["gold/1", "talk/1"] and seats(path)[-1].described


async def test_an_answer_waits_in_the_box_while_another_run_is_opened(pack: Path) -> None:
    spec = GOLD.model_copy(update={"agent": "human"})
    gate = threading.Event()

    def late() -> Run:
        gate.wait(PATIENCE)
        return start_run(spec)

    async with desk() as pilot:
        screen = await begun(pilot, spec)
        await pilot.press("n")
        await until(pilot, lambda: screen.box.is_open)
        first = screen.controller.facts
        await pilot.app.begin(late)  # type: ignore[attr-defined]
        await pilot.press("o", "k", "f5")
        await pilot.pause()
        assert screen.box.is_open and screen.box.text == "ok"
        gate.set()
        await until(pilot, lambda: screen.controller.facts is not first and screen.controller.loaded)
        assert not screen.box.is_open


async def test_leaving_gives_the_seat_back_to_the_model_that_had_it(pack: Path, engine: SlowEngine) -> None:
    async with desk() as pilot:
        screen = await begun(pilot, talk(pack))
        await pilot.press("s", "enter")
        await until(pilot, lambda: screen.query_one(AnswerBox).is_open)
        await pilot.press("escape")
        dialog = await in_seat_dialog(pilot)
        who = dialog.query_one("#who", OptionList)
        assert who.options[0].id == BACK and SPEC in str(who.options[0].prompt)
        assert "human" not in {option.id for option in who.options}
        await pilot.press("enter")
        await until(pilot, lambda: screen.controller.state.seats["agent"].engine == SPEC)
        assert not screen.query_one(AnswerBox).is_open
