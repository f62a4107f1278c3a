"""Verification of tasks under a pilot: blind decisions, a correction, a disagreement that is settled; keys and
screens.

MOOT_UPDATE_SCREENS=1 writes the stored screens anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Select, TextArea

from app.desk.dialogs import ProblemScreen
from app.desk.models.dialogs import Tick
from app.desk.review.screen import ReviewScreen
from app.desk.review.tasks_pane import DecideScreen, TasksPane
from app.strings import t
from tasks.verifying import decisions
from tasks.verifying.decisions import decide, decisions_of
from tasks.verifying.standing import standings
from tasks.verifying.taskset import TaskSet, read_set
from tests.desk.conftest import desk, same_as_stored, text_of, until
from tests.desk.test_desk_review import at_review, idle, lines_of

pytestmark = pytest.mark.slow

CITED = "处罚依据《中华人民共和国民法典》第一百五十三条和《中华人民共和国合同法》第五十二条。"


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TaskSet:
    monkeypatch.chdir(tmp_path)
    record: dict[str, Any] = {
        "id": "t-1", "question": "我是一名执业律师。请告知云溪某公司被限制高消费的次数，以及处罚依据。", "hops": 2,
        "answer": f"经查询，12次。{CITED}", "key": ["12次"], "key_middle": ["云溪县人民法院"], "as_of": "2022-05-01",
        "path": [{"tool": "get_restriction_case_company_list",
            "input": {"identifier": "云溪某公司", "columns": ["案号"]}}],
    }  # fmt: skip
    path = tmp_path / "made.jsonl"
    more = [{**record, "id": f"t-{n}"} for n in (2, 3)]
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in (record, *more)), encoding="utf-8")
    return read_set(path)


async def opened(pilot: Pilot[Any], tasks: TaskSet) -> tuple[ReviewScreen, TasksPane]:
    screen = await at_review(pilot, "2")
    pane = screen.query_one(TasksPane)
    pane.open_path(str(tasks.path))
    await until(pilot, lambda: pane.review is not None)
    await idle(pilot)
    return screen, pane


async def fill(pilot: Pilot[Any], verdict: str, author: str, **texts: str) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, DecideScreen))
    asked = pilot.app.screen
    asked.query_one("#verdict", Select).value = verdict
    asked.query_one("#author", Input).value = author
    for name, text in texts.items():
        asked.query_one(f"#{name.replace('__', '-')}", TextArea).text = text
    await pilot.pause()


async def enter(pilot: Pilot[Any]) -> None:
    await pilot.press("f5")
    await until(pilot, lambda: not isinstance(pilot.app.screen, DecideScreen))
    await idle(pilot)


async def test_screens_look_as_stored(tasks: TaskSet, monkeypatch: pytest.MonkeyPatch) -> None:

    class Fixed(decisions.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls(2026, 6, 1, 8, 0, tzinfo=tz)

    monkeypatch.setattr(decisions, "datetime", Fixed)
    decide(tasks, "t-1", "accept", "李")
    decide(tasks, "t-1", "reject", "王", why=["unclear"], note="“次数”按哪一年算？")
    async with desk() as pilot:
        _, pane = await opened(pilot, tasks)
        pane.author = "李"
        pane.retranslate()
        await idle(pilot)
        await same_as_stored(pilot, "review-task")
        await pilot.press("s")
        await fill(pilot, "correct", "李")
        await pilot.pause()
        await same_as_stored(pilot, "review-decide")


async def test_decisions_are_blind_until_one_has_decided(tasks: TaskSet) -> None:
    decide(tasks, "t-1", "reject", "王", why=["unclear"], note="读不懂")
    async with desk() as pilot:
        screen, _ = await opened(pilot, tasks)
        text = lines_of(screen, "#task-text")
        assert (
            "✔ 《中华人民共和国民法典》第一百五十三条" in text and "已失效" in text and "get_restriction_case" in text
        )
        assert "读不懂" not in text_of(pilot) and t("verify.verdict.reject") not in lines_of(screen, "#task-said")
        await pilot.press("a")
        await fill(pilot, "accept", "李")
        await enter(pilot)
        await until(pilot, lambda: "读不懂" in lines_of(screen, "#task-said"))
        assert [(one.author, one.verdict) for one in decisions_of(tasks)] == [("王", "reject"), ("李", "accept")]
        assert "≠" in lines_of(screen, "#task-list")
        await pilot.press("right_square_bracket")
        await idle(pilot)
        await pilot.press("a")  # the author is known now: no dialog
        await until(pilot, lambda: len(decisions_of(tasks)) == 3)
        assert decisions_of(tasks)[-1].task == "t-2"


async def test_a_correction_that_does_not_hold_is_kept_and_a_consensus_settles(tasks: TaskSet) -> None:
    decide(tasks, "t-1", "reject", "王", why=["keys"])
    async with desk() as pilot:
        await opened(pilot, tasks)
        await pilot.press("s")
        await fill(pilot, "correct", "李", text__key="13次")
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(pilot.app.screen, ProblemScreen))
        assert "13次" in text_of(pilot) and len(decisions_of(tasks)) == 1
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen))
        await pilot.press("s")
        await until(pilot, lambda: isinstance(pilot.app.screen, DecideScreen))
        assert pilot.app.screen.query_one("#text-key", TextArea).text == "13次"
        assert not pilot.app.screen.query("#consensus")
        await fill(pilot, "correct", "李", text__key="12次", text__question="云溪某公司被限制高消费几次？")
        await enter(pilot)
        await until(pilot, lambda: len(decisions_of(tasks)) == 2)
        await idle(pilot)
        await pilot.press("s")
        await fill(pilot, "reject", "李")
        pilot.app.screen.query_one("#why-unclear", Tick).value = True
        pilot.app.screen.query_one("#consensus", Tick).value = True
        await enter(pilot)
        await until(pilot, lambda: standings(tasks, decisions_of(tasks))["t-1"].status == "settled")
