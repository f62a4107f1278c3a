"""The Review screen under a pilot: blind scores, their history, and what is kept from whom; verification of tasks:
blind decisions, a correction, a disagreement that is settled.

MOOT_UPDATE_SCREENS=1 writes the stored screens anew.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Select, TextArea

from app import law_reading
from app.desk.dialogs import HelpScreen, ProblemScreen
from app.desk.models.dialogs import Tick
from app.desk.review import (
    runs,
)
from app.desk.review.form import number_in
from app.desk.review.pane import ReviewPane
from app.desk.review.record import entries_of, reference_lines
from app.desk.review.scores import ScoresPane
from app.desk.review.screen import ReviewScreen
from app.desk.review.tasks_pane import DecideScreen, TasksPane
from app.desk.widgets.lines import LineView, row_text
from app.strings import t
from store.journal import Journal
from tasks.errors import UsageError
from tasks.scoring.human import add_score
from tasks.verifying import decisions
from tasks.verifying.decisions import decide, decisions_of
from tasks.verifying.standing import standings
from tasks.verifying.taskset import TaskSet, read_set
from tests.desk.conftest import EVERYWHERE, NARROW, desk, same_as_stored, text_of, until
from tests.support.review_fixture import CASES, FEW, GRADED, build_cases, court_run

pytestmark = pytest.mark.slow


REASON = "抵充顺序没有说明依据，律师费一项缺少说理。"
AGAIN = "再读一遍：抵充顺序其实写到了。"
EVIL = "[/b]\x1b]52;c;AA\x07\u202e甲"


@pytest.fixture(autouse=True)
def fixed_day(monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import date

    monkeypatch.setattr(law_reading, "today", lambda: date(2026, 6, 1))


@pytest.fixture
def pack() -> Path:
    return build_cases()


def screen_of(pilot: Pilot[Any]) -> ReviewScreen:
    assert isinstance(pilot.app.screen, ReviewScreen)
    return pilot.app.screen


async def idle(pilot: Pilot[Any]) -> None:
    """Until no worker of the Review screen is at work and all it found is shown."""
    review = pilot.app.review_screen  # type: ignore[attr-defined]
    await until(pilot, lambda: all(w.is_finished for w in review.workers if isinstance(w.node, ReviewPane)))
    await pilot.pause()


async def at_review(pilot: Pilot[Any], *keys: str) -> ReviewScreen:
    await pilot.press("f10")
    await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen))
    await idle(pilot)
    for key in keys:
        await pilot.press(key)
        await idle(pilot)
    screen: ReviewScreen = pilot.app.review_screen  # type: ignore[attr-defined]
    return screen


def lines_of(screen: ReviewScreen, name: str) -> str:
    return "\n".join(row_text(row).rstrip() for row in screen.pane.query_one(name, LineView).rows)


def flat(text: str) -> str:
    return "".join(text.split())


async def fill_in(pilot: Pilot[Any], value: str, author: str, reason: str) -> None:
    form = screen_of(pilot).pane.query_one("#form")
    for name, text in (("value", value), ("author", author)):
        for box in form.query(f"#{name}").results(Input):
            box.value = text
    form.query_one("#reason", TextArea).text = reason
    await pilot.press("f5")
    await idle(pilot)


def human_rows(path: Path) -> list[Any]:
    with Journal.open(path) as journal:
        return [row for row in journal.scores() if row.scorer == "human"]


# what it looks like


@EVERYWHERE
async def test_screens_look_as_stored(
    language: str, size: tuple[int, int], pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_LANG", language)
    court_run(pack)

    async with desk(size) as pilot:
        await at_review(pilot, "enter", "enter")
        await same_as_stored(pilot, "review-scores", everywhere=True)
        assert "仅供评测演示" in text_of(pilot)


async def test_without_runs_and_tasks_it_says_what_to_do() -> None:
    async with desk(NARROW) as pilot:
        await at_review(pilot)
        assert "moot run courts" in text_of(pilot)
        await pilot.press("2")
        await idle(pilot)
        assert "按 o 打开" in text_of(pilot)
        await pilot.press("l")
        await idle(pilot)
        assert "o opens a task file" in text_of(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, ReviewScreen))


# human scores


async def test_scores_are_blind_and_corrections_keep_what_was_said(pack: Path) -> None:
    """First on a wide screen, then corrected on a narrow one."""
    path, told = court_run(pack), flat(GRADED["REA"][1])
    before = sha256(path.read_bytes()).hexdigest()
    async with desk() as pilot:
        await until(pilot, lambda: pilot.app.home_screen.runs)
        await pilot.press("i")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen))
        await idle(pilot)
        screen = screen_of(pilot)
        listed = lines_of(screen, "#episodes")
        assert "抽样 CI：1 题抽 1 题" in listed and "待评 判决主文、裁判理由" in listed
        await pilot.press("enter")
        await idle(pilot)
        await pilot.press("down")
        await idle(pilot)
        pane = screen.query_one(ScoresPane)
        assert pane.metric == "REA" and told[:6] not in flat(text_of(pilot))
        assert "盲评：另有 1 个评分" in lines_of(screen, "#history")
        assert "本院认为" in lines_of(screen, "#reference") and "评分标准" in lines_of(screen, "#reference")
        assert "宣判" in lines_of(screen, "#hearing") and "独任审判员" in lines_of(screen, "#hearing")
        assert sha256(path.read_bytes()).hexdigest() == before, "looking writes nothing"

        await pilot.press("s")
        await fill_in(pilot, "11", "李评", REASON)
        assert "0 至 10" in str(pane.query_one("#said").render()) and human_rows(path) == []
        await fill_in(pilot, "７", "李评", "")
        assert "请写理由" in str(pane.query_one("#said").render()) and human_rows(path) == []
        await fill_in(pilot, "７", "李评", REASON)
        (row,) = human_rows(path)
        assert (row.value, row.author, row.evidence) == ({"REA": 0.7}, "李评", [{"reason": REASON}])
        history = flat(lines_of(screen, "#history"))
        assert told in history and flat(REASON) in history and "✔ 7" in lines_of(screen, "#metrics")
        assert pane.query_one("#reason", TextArea).text == "" and pane.query_one("#author", Input).value == "李评"
        await pilot.press("up")
        await idle(pilot)
        assert "盲评：另有 1 个评分" in lines_of(screen, "#history"), "another metric is still blind"
        await pilot.press("down")

        await pilot.resize_terminal(*NARROW)
        pane.remove_class("-writes")
        await idle(pilot)
        assert (
            pane.query_one("#hearing").region
            and pane.query_one("#reference").region
            and not pane.query_one("#form").region
        )
        await pilot.press("v")
        assert pane.query_one("#metrics").has_focus and not pane.query_one("#hearing").region
        await pilot.press("s")
        await fill_in(pilot, "8.5", "李评", AGAIN)
        history = flat(lines_of(screen, "#history"))
        assert flat(REASON) in history and flat(AGAIN) in history and "已被取代" in history
        assert [row.value["REA"] for row in human_rows(path)] == [0.7, 0.85]
        pane.query_one("#author", Input).value = "王评"
        await idle(pilot)
        assert flat(AGAIN) not in flat(text_of(pilot)), "blind to others, too"


async def test_the_list_says_what_is_scored_and_an_episode_keeps_its_draft(pack: Path) -> None:
    path = court_run(pack, (*FEW, "CI-0001"), outcomes=("finished", "error", "finished", "finished", "finished"))
    with Journal.open(path, write=True) as journal:
        add_score(journal, "KQ-0001", "topic:T6", 3, "Li", "好")
    async with desk() as pilot:
        screen = await at_review(pilot, "enter")
        text = lines_of(screen, "#episodes")
        assert "CR-0001" not in text and "其余题目" in text
        assert "已评 话题 T6" in text and "已评：Li" in text
        await pilot.press("enter")
        await idle(pilot)
        pane = screen.query_one(ScoresPane)
        pane.query_one("#reason", TextArea).text = "写到一半"
        await pilot.press("right_square_bracket")
        await idle(pilot)
        assert pane.query_one("#reason", TextArea).text == ""
        await pilot.press("left_square_bracket")
        await idle(pilot)
        assert pane.query_one("#reason", TextArea).text == "写到一半"
        await pilot.press("f1")
        await pilot.pause()
        assert isinstance(pilot.app.screen, HelpScreen) and "盲评" in text_of(pilot)
        await pilot.press("escape", "l")
        await pilot.pause()
        assert "1 Human scores" in text_of(pilot)


def test_gold_stays_hidden_while_a_person_plays_the_task(pack: Path) -> None:
    path = court_run(pack, ("CI-0001", "CI-0001", "CD-0001"), outcomes=("finished", "", "finished"))
    review = runs.read_review(path, "CI-0001")
    assert review.held and runs.tasks_in_play(path) == {"CI-0001"} and not runs.ended(path)
    text = "".join(part for asked in review.asked for line in reference_lines(review, asked) for part, _ in line)
    assert "参照不显示" in text and CASES["CI-0001"].gold.reason[:12] not in text  # type: ignore[union-attr]
    assert not runs.read_review(path, "CD-0001").held
    with pytest.raises(UsageError, match="没有正常结束"):
        runs.read_review(path, "CI-0001.1")


def test_what_can_be_scored_is_what_graders_are_asked_and_the_parts_of_roles(pack: Path) -> None:
    path = court_run(pack)
    wanted = {
        "CI-0001": ["JUD", "REA", "CON_plaintiff_lawyer", "CON_defendant_lawyer"],
        "CR-0001": ["REA", "CON_procurator", "CON_defendant"],
        "KQ-0001": ["topic:T6", "CON_client"], "CD-0001": ["CLA", "EVI", "F&R", "CON_plaintiff"],
    }  # fmt: skip
    for episode, metrics in wanted.items():
        review = runs.read_review(path, episode)
        assert [asked.metric for asked in review.asked] == metrics
        assert all(asked.rubric.startswith("你是评分员") for asked in review.asked)
        for asked in review.asked:
            assert len(reference_lines(review, asked)) > 8


# without a screen


@pytest.mark.parametrize(
    ("text", "value"),
    [("7", 7.0), ("７．５", 7.5), (" 0 ", 0.0), ("nan", None), ("inf", None), ("", None), ("八", None)],
)
def test_a_value_is_a_number_as_people_type_it(text: str, value: float | None) -> None:
    assert number_in(text) == value


def test_the_record_of_another_benchmark_is_question_and_answer(moot_home: Path) -> None:
    from tasks.run.runner import start_run
    from tasks.run.spec import RunSpec
    from tests.support.law_run_fixture import prepare_law

    world = prepare_law(moot_home, tasks=1)
    question = {
        "id": "1",
        "type": "lcs",
        "question": f"2005年5月，路灯坏了多久应当修好？{EVIL}",
        "answer": "三日内。《路灯法》第六条",
    }
    Path(world["tasks"]).write_text(json.dumps(question, ensure_ascii=False) + "\n", encoding="utf-8")
    with start_run(RunSpec(**{**world, "agent": "gold"}), out=moot_home / "r.moot") as run:
        run.go()
    review = runs.read_review(moot_home / "r.moot", "1")
    text = "".join(
        part
        for entry in entries_of(review)
        for part in (entry.heading, *(part for line in entry.lines for part, _ in line))
    )
    assert "问题" in text and "路灯坏了多久" in text and "三日内" in text and "\x1b" not in text
    assert [(asked.metric, asked.scale) for asked in review.asked] == [("answer", 1.0), ("basis", 1.0)]
    after = runs.append(review, "answer", 1, "Li", "与参照一致")
    assert runs.visible_to(after.rows, "answer", "Li")[0][0].value == 1.0 and runs.visible_to(
        after.rows, "answer", "Wang"
    ) == ([], 1)


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


async def at_tasks(pilot: Pilot[Any], tasks: TaskSet) -> tuple[ReviewScreen, TasksPane]:
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


async def test_tasks_look_as_stored(tasks: TaskSet, monkeypatch: pytest.MonkeyPatch) -> None:

    class Fixed(decisions.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls(2026, 6, 1, 8, 0, tzinfo=tz)

    monkeypatch.setattr(decisions, "datetime", Fixed)
    decide(tasks, "t-1", "accept", "李")
    decide(tasks, "t-1", "reject", "王", why=["unclear"], note="“次数”按哪一年算？")
    async with desk() as pilot:
        _, pane = await at_tasks(pilot, tasks)
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
        screen, _ = await at_tasks(pilot, tasks)
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
        await at_tasks(pilot, tasks)
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
