"""Presenter mode under a pilot: two trials by rules from beginning to end, by keys and by themselves; a person in a
seat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from app import strings
from app.court_words import DISCLAIMER
from app.desk.court.scene import EpisodeSnapshot, scene_of
from app.desk.court.stage import (
    RULING,
    cast_lines,
    closing_lines,
    heading,
    paragraphs,
    stage_line,
    strip_lines,
    title_lines,
    utterances,
)
from app.desk.court.stage import until as until_step
from app.desk.dialogs import HelpScreen
from app.desk.episode.scores import EpisodeScorer
from app.desk.episode.screen import EpisodeScreen
from app.desk.episode.seat import PresenterSeat
from app.desk.live import PACES
from app.desk.presenter import PresenterScreen, SlideView
from app.desk.widgets.answer_box import AnswerBox, AnswerText
from app.library import read_records
from app.strings import t
from tasks.episode.events import AttemptStarted, Record, Said
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.desk.conftest import NARROW, SIZES, WIDE, desk, reach, text_of, until
from tests.support.court_run_fixture import prepare_courts
from tests.support.court_terms import wrong_words
from tests.support.slow_engine import SlowEngine, install

pytestmark = pytest.mark.slow

TASKS = {"KQ": "1", "LC": "2", "CD": "3", "DD": "4", "CI": "5", "CR": "6"}
"""Environment -> its case in the task file of the fixture."""
WHERE = {"CI": "civil", "CR": "criminal"}
LAYMEN = ("defendant", "plaintiff", "client")
DEBUG = re.compile(r"词元|token|prompt|提示词|引擎|seq|JSON|search_law|[{}]|第 ?\d+ ?步|重用|ms\b", re.IGNORECASE)
"""What an audience is not to see."""


@pytest.fixture(scope="module")
def courts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """A small pack, settings of a run on it, and whole runs by rules: of a civil and a criminal trial, and of a
    complaint."""
    home = tmp_path_factory.mktemp("presented")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(home))
        settings = prepare_courts(home)
        settings["pack"] = str(home / "packs" / "bare")
        paths = {}
        for env in ("CI", "CR", "CD"):
            spec = RunSpec(**{**settings, "parallel": 1, "task_ids": (TASKS[env],)})
            with start_run(spec, out=home / f"{env}.moot") as run:
                run.go()
                paths[env] = run.journal.path
    yield {"settings": settings, **paths}


async def presented(pilot: Pilot[Any], env: str, courts: dict[str, Any]) -> PresenterScreen:
    """Open a stored episode and show it."""
    pilot.app.open_episode(courts[env], TASKS[env])
    return await opened(pilot)


async def live(pilot: Pilot[Any], env: str, courts: dict[str, Any]) -> PresenterScreen:
    """Begin an episode and show it; what goes by itself waits for nobody."""
    pilot.app.controller.pace = len(PACES) - 1
    await pilot.app.start(RunSpec(**{**courts["settings"], "task_ids": (TASKS[env],)}), everything=False)
    return await opened(pilot)


async def opened(pilot: Pilot[Any]) -> PresenterScreen:
    await reach(pilot, EpisodeScreen, lambda screen: screen.controller.loaded and screen.controller.keeper)
    await pilot.press("f12")
    return await reach(pilot, PresenterScreen)


def lines_of(screen: PresenterScreen, name: str) -> str:
    """What a board says, before its lines are wrapped."""
    board = screen.query_one(f"#{name}", SlideView)
    return "\n".join("".join(text for text, _ in line) for line in board._make(board.room))


def fits(pilot: Pilot[Any], screen: PresenterScreen) -> str:
    """What holds for every slide; the text of the screen."""
    text = text_of(pilot)
    assert DISCLAIMER in text and not DEBUG.search(text), DEBUG.search(text)
    assert all(cell_len(line) <= pilot.app.size.width for line in text.split("\n"))
    return text.replace("\u00a0", " ")


async def go(pilot: Pilot[Any], screen: PresenterScreen, at: int) -> str:
    """To a slide: a few by key would take long."""
    screen.at = at
    screen.settle()
    await pilot.pause()
    return fits(pilot, screen)


@pytest.mark.parametrize("env", ["CI", "CR"])
async def test_a_trial_from_its_beginning_to_its_result(env: str, courts: dict[str, Any]) -> None:
    before = courts[env].read_bytes()
    async with desk(WIDE) as pilot:
        screen = await presented(pilot, env, courts)
        last = len(screen.said)
        for size in SIZES if env == "CI" else (WIDE,):
            await pilot.resize_terminal(*size)
            case, text = screen.whole.case, await go(pilot, screen, 0)
            assert screen.at == 0 and "规则，无模型" in text and "虚构数据" in text and "○ 法庭调查" in text
            assert case.court.name in text and case.court.docket in text and case.cause in text
            named = [case.court.presiding.name, case.court.clerk, *(party.counsel.name for party in case.parties)]
            named += [case.parties[0].name, case.criminal.prosecution.prosecutor] if env == "CR" else []
            assert all(re.search(rf"{name} +规则，无模型", text) for name in named), named
            for at in (1, last // 3, last // 2, last - 2):
                await go(pilot, screen, at)
                await pilot.press("f2")
                fits(pilot, screen)
                assert screen.slide == screen.said[at] and lines_of(screen, "speaker").startswith(
                    screen.slide.speaker
                )
                assert lines_of(screen, "speech").replace("\n", "").replace("　", "") == re.sub(
                    r"\s", "", screen.slide.text
                )
                assert (screen.slide.text[:8] in text_of(pilot)) and screen.said[at - 1].text[:8] in text_of(pilot)
            await pilot.press("f2")
            bold = [line[-1][0] for line in paragraphs(screen.slide) if line[-1][1] == RULING]
            assert screen.at == last and bold and screen.query_one("#speech", SlideView).beyond
            await pilot.press("end")
            text = fits(pilot, screen)
            assert "闭庭" in text and "✔ 评议宣判" in text and (" 采信" in text) == (size == WIDE)
            await pilot.press("f2")
            await until(pilot, lambda: "程序遵循" in lines_of(screen, "speech"))
            fits(pilot, screen)
            card = lines_of(screen, "speech")
            assert bold[0] in card and "审判人员宣布闭庭" in card and "严格口径" in card and "未评分：" in card
            assert re.search(r"(\d+) 项，完成 \1 项", card) and "程序瑕疵　　　　无" in card
        await pilot.press("f2", "f3")
        assert screen.closing and not screen.auto
    assert courts[env].read_bytes() == before


@pytest.mark.parametrize("env", ["CI", "CR"])
def test_the_words_are_those_of_courts(env: str, courts: dict[str, Any]) -> None:
    facts, _, episode, records = read_records(courts[env], TASKS[env])
    keeper = EpisodeScorer(facts)
    case = keeper.questions[TASKS[env]].case
    whole = scene_of(facts.header, records, case)
    assert whole is not None
    said = utterances(whole)
    assert len(said) > 40
    shown = [
        *title_lines(whole, "", True),
        *cast_lines(whole),
        *closing_lines(whole, said, keeper.step(records, episode)),
    ]
    for number, one in enumerate(said):
        shown += [heading(one), *(paragraphs(one) if one.role not in LAYMEN else ())]
        if number % 8 == 0:
            scene = scene_of(facts.header, until_step(records, one.step), case)
            shown += [stage_line(scene), *strip_lines(scene, 60)]
    for line in shown:
        text = "".join(part for part, _ in line)
        assert not wrong_words(text, WHERE[env]) and not DEBUG.search(text), text


async def test_keys_go_back_forward_and_by_themselves_and_letters_do_nothing(courts: dict[str, Any]) -> None:
    async with desk() as pilot:
        screen = await presented(pilot, "CI", courts)
        exhibit = next(at for at, said in enumerate(screen.said, 1) if "的质证意见" in said.text)
        text = await go(pilot, screen, exhibit)
        assert "▶ 法庭调查" in text and "○ 评议宣判" in text and "采信" not in text
        assert re.search(r"◐ 原告证据一 借条一张 +已质证", text)
        assert "✔ 质证（原告证据一）" in text and "民诉法第七十一条" in text
        await pilot.press(*"qnbgfslaceixwk+-/", "space", "enter", "ctrl+p", "f11")
        assert pilot.app.screen is screen and screen.at == exhibit
        assert fits(pilot, screen) == text and strings.language() == "zh"
        last = len(screen.said)
        await pilot.press("f8")
        assert screen.closing and screen.at == last + 1
        await pilot.press("f7", "f7", "f7")
        assert screen.at == last - 2
        await pilot.press("f3")
        assert screen.auto and "自动进行" in fits(pilot, screen)
        await pilot.press("f6", "f6", "f6", "f6")
        await until(pilot, lambda: screen.closing)
        assert not screen.auto and screen.controller.shown.at is None
        await pilot.press("f1")
        assert isinstance(pilot.app.screen, HelpScreen) and "演示模式" in text_of(pilot)
        await pilot.press("escape", "f10")
        assert isinstance(pilot.app.screen, EpisodeScreen) and not pilot.app.screen.controller.shown.back


async def test_a_person_takes_a_seat_speaks_gives_it_back_and_sees_no_scores_of_the_tested_seat(
    courts: dict[str, Any],
) -> None:
    async with desk(NARROW) as pilot:
        screen = await live(pilot, "CI", courts)
        for n in (1, 2, 3):
            await pilot.press("f2")
            await until(pilot, lambda n=n: len(screen.said) == screen.at == n)
        await pilot.press("f9")
        assert isinstance(pilot.app.screen, PresenterSeat) and "书记员" not in text_of(pilot).split("由本人")[1]
        await pilot.press("f9")
        await until(pilot, lambda: screen.asked and isinstance(pilot.app.focused, AnswerText))
        text = text_of(pilot)
        assert screen.said[-1].text[:12] in text and "由本人发言" in text and DISCLAIMER in text
        assert "^O" not in text and "^T" not in text
        await pilot.press(*"qnb")
        assert screen.query_one(AnswerText).text == "qnb"
        await pilot.press("f10")
        await reach(pilot, EpisodeScreen)
        assert pilot.app.screen.query_one(AnswerText).text == "qnb"
        await pilot.press("f12")
        screen = await reach(pilot, PresenterScreen)
        box = screen.query_one(AnswerText)
        assert box.text == "qnb"
        box.text = "请被告说明当事人的基本情况、出庭人员及其代理权限。"
        await pilot.press("f7")
        assert screen.at == 2 and screen.asked and not screen.auto
        await pilot.press("f5")
        await until(pilot, lambda: len(screen.said) == 5 and screen.asked)
        assert screen.said[3].person and screen.said[3].to == "被告委托诉讼代理人" and screen.at == 5
        await pilot.press("f7")
        assert "独任审判员（本人）　→　被告委托诉讼代理人" in text_of(pilot)
        await pilot.press("f8", "f9", "f9")
        await until(pilot, lambda: not screen.controller.human)
        assert not screen.asked and not screen.query_one(AnswerBox).is_open
        await pilot.press("f4", "f3")
        await until(pilot, lambda: len(screen.said) > 6)
        await pilot.press("f3")
        await until(pilot, lambda: screen.controller.moving == "paused")
        assert not screen.auto and not screen.said[-1].person
        await pilot.press("f9", "home", "enter")
        await until(pilot, lambda: screen.controller.human)
        await pilot.press("f3")
        await until(pilot, lambda: screen.asked)
        box = screen.query_one(AnswerText)
        box.text = "本院认为，借款属实。判决如下：一、被告归还借款；二、驳回其他诉讼请求。现在闭庭。"
        await pilot.press("f5")
        await until(pilot, lambda: screen.controller.over)
        await pilot.press("f8")
        await pilot.pause()
        card = lines_of(screen, "speech")
        assert screen.closing and t("presenter.hidden") in card and "程序遵循" not in card
        assert "遗漏" in card and "\n二、驳回其他诉讼请求。" in card
        assert "F9" not in text_of(pilot).splitlines()[-1]
        actions = ("stop", "step", "auto", "seat")
        assert [pilot.app.episode_screen.check_action(name, ()) for name in actions] == [False] * 4


async def test_a_document_stands_beside_what_is_said(courts: dict[str, Any]) -> None:
    async with desk() as pilot:
        screen = await presented(pilot, "CD", courts)
        wrote = next(
            n for n, said in enumerate(screen.said, 1) if "民事起诉状" in said.text and "诉讼请求" in said.text
        )
        for size in SIZES:
            await pilot.resize_terminal(*size)
            text = await go(pilot, screen, wrote)
            document = lines_of(screen, "aside" if size == WIDE else "speech")
            assert document.startswith("民事起诉状") and "事实和理由" in document
            assert ("全文在右侧" in text) == (size == WIDE) and "/" not in text


def trial(*events: Any) -> EpisodeSnapshot:
    """A civil trial without its case file."""
    began = AttemptStarted(benchmark="courts", task_id="CI-1", attempt=1, seed=0, card={"id": "CI-1", "env": "CI"})
    scene = scene_of({}, [Record(n, n, None, 0.0, event) for n, event in enumerate((began, *events))])
    assert scene is not None
    return scene


def test_words_of_models_are_cleaned_and_neither_marked_up_nor_marked() -> None:
    text = "<法庭调查>对原告说：[bold red]请[/] 陈述\x1b]52;c;aGk=\x07。\u202e"
    (said,) = utterances(trial(Said(seat="agent", text=text, to=("plaintiff_lawyer",), turn=1)))
    assert said.text == "[bold red]请[/] 陈述␛。⍰" and said.to == "原告委托诉讼代理人"
    assert "".join(part for part, _ in heading(said)) == "审判长　→　原告委托诉讼代理人"
    (line,) = paragraphs(said)
    assert line[-1] == (said.text, "text")


async def test_while_a_model_makes_its_turn_its_name_stands_there_and_no_word_of_it(
    courts: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = install(monkeypatch, SlowEngine())
    async with desk(NARROW) as pilot:
        spec = RunSpec(**{**courts["settings"], "task_ids": (TASKS["CI"],), "agent": "direct", "model": "slow:model"})
        await pilot.app.start(spec, everything=False)
        screen = await opened(pilot)
        await pilot.press("f2")
        await until(pilot, lambda: len(screen.said) == 1)
        await pilot.press("f2")
        await until(pilot, engine.waits.is_set)
        engine.tell("thinking", "先核对身份", 5, episode=TASKS["CI"])
        await until(pilot, lambda: screen.turn is not None and screen.turn.thought)
        text = fits(pilot, screen)
        assert "请独任审判员发言 ……" in text and "先核对身份" not in text and screen.check_action("next", ()) is None
        engine.end('{"text": "现在开庭。请原告说明身份。", "to": ["原告"]}')
        await until(pilot, lambda: len(screen.said) == 2)
        assert "现在开庭" in fits(pilot, screen) and "发言 ……" not in text_of(pilot)
