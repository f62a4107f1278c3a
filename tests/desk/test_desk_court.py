"""The court screen under a pilot: what is shown of each environment, looking back, tabs, a person in the seat and out
of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widgets import OptionList, Select, Static, TextArea

from app.court_words import DISCLAIMER
from app.desk.board import BoardScreen
from app.desk.court.panes import ProgrammePane
from app.desk.dialogs import HelpScreen
from app.desk.episode.cursor import PapersScreen
from app.desk.episode.grounds_screen import EvidenceScreen, EvidenceView
from app.desk.episode.scores import ClaimOutcome
from app.desk.episode.screen import EpisodeScreen
from app.desk.episode.seat import SeatScreen
from app.desk.episode.transcript import Transcript
from app.desk.home.new_run import ALL, NewRunScreen, SeatsForm, TaskField
from app.desk.home.run import RunScreen
from app.desk.home.screen import HomeScreen
from app.desk.widgets.answer_box import AnswerBox
from app.desk.widgets.field import Field
from app.desk.widgets.lines import LinesPane, LineView, row_text
from app.desk.widgets.score_strip import ScoreStrip
from store import places
from tasks.episode.events import Said
from tasks.run.listing import read_run
from tasks.run.spec import RunSpec
from tests.desk.conftest import (
    NARROW,
    WIDE,
    begun,
    desk,
    reach,
    text_of,
    until,
)
from tests.support.court_plays import Played, build_pack, install, play

pytestmark = pytest.mark.slow


@pytest.fixture
def pack(monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pack for runs of a test's own, in which everybody recites."""
    install(monkeypatch)
    return build_pack()


async def opened(pilot: Pilot[Any], played: Played, episode: str) -> EpisodeScreen:
    pilot.app.open_episode(played.path, episode)
    screen = await reach(pilot, EpisodeScreen, lambda screen: screen.controller.episode == episode)
    await until(pilot, lambda: screen.controller.keeper is not None)
    return screen


async def trial(pilot: Pilot[Any], pack: Path) -> EpisodeScreen:
    """The civil trial, before its first step."""
    screen = await begun(pilot, RunSpec(benchmark="courts", pack=str(pack), task_ids=("CI-0001",)))
    await until(pilot, lambda: screen.controller.keeper is not None)
    return screen


async def tab(pilot: Pilot[Any], screen: EpisodeScreen, index: int) -> str:
    """Show a pane on the right; what it says."""
    screen.action_aside(index)
    await pilot.pause()
    return pane(screen, screen.tab)


def pane(screen: EpisodeScreen, name: str) -> str:
    return "\n".join(row_text(row).rstrip() for row in screen.query_one(f"#{name}", LineView).rows)


SHOWN = {
    "CI-0001": ("民事一审庭审 CI-0001", "庭审程序", "庭审笔录", ("file", "exhibits", "evidence", "scores")),
    "CR-0001": ("刑事一审庭审 CR-0001", "庭审程序", "庭审笔录", ("file", "exhibits", "evidence", "scores")),
    "CD-0001": ("起诉状撰写 CD-0001", "文书要素", "询问笔录", ("file", "document", "evidence", "scores")),
    "LC-0001": ("法律咨询 LC-0001", "话题", "咨询笔录", ("file", "evidence", "scores")),
}


async def test_every_environment_fills_its_panes(plays: dict[str, Played]) -> None:
    async with desk() as pilot:
        for case, (title, left, middle, tabs) in SHOWN.items():
            screen = await opened(pilot, plays[case], case)
            for size in (WIDE, NARROW) if case == "CI-0001" else (WIDE,):
                await pilot.resize_terminal(*size)
                await until(pilot, lambda size=size: screen.size.width == size[0])  # noqa: B023
                if size == NARROW:
                    screen.action_view(0)
                await pilot.pause()
                shown = text_of(pilot)
                record = screen.query_one(Transcript)
                assert record.scroll_offset.y == record.max_scroll_y, "the end of the record is in view"
                assert title in shown and middle in shown and DISCLAIMER in shown and "虚构数据" in shown
                assert "轮" in shown.splitlines()[0] and "规则" in shown.splitlines()[0]
                for index, name in enumerate(tabs):
                    assert (await tab(pilot, screen, index)).strip() and screen.query_one(f"#{name}").display, name
                    displayed = [other for other in SHOWN["CI-0001"][3] if screen.query_one(f"#{other}").display]
                    assert displayed in ([name], [])
                if size == NARROW:
                    screen.action_view(1)
                    await pilot.pause()
                assert left in text_of(pilot) and pane(screen, "programme").strip()
                assert all(cell_len(line) <= size[0] for line in text_of(pilot).split("\n"))
            await pilot.resize_terminal(*WIDE)


async def test_export_offers_the_papers_that_the_episode_holds(plays: dict[str, Played]) -> None:
    async with desk() as pilot:
        await opened(pilot, plays["CI-0001"], "CI-0001")
        folder = places.home() / "exports"
        await pilot.press("e")
        await reach(pilot, PapersScreen)
        shown = [str(option.prompt) for option in pilot.app.screen.query_one(OptionList).options]
        assert shown == [
            "民事判决书 · DOCX",
            "民事判决书 · HTML",
            "庭审笔录 · DOCX",
            "庭审笔录 · HTML",
            "庭审笔录 · Markdown",
        ]
        await pilot.press("enter")
        await until(pilot, lambda: list(folder.glob("*-judgment.docx")))
        for _ in range(2):  # nothing is written over
            await pilot.press("e")
            await reach(pilot, PapersScreen)
            await pilot.press("down", "enter")
            await until(pilot, lambda: not isinstance(pilot.app.screen, PapersScreen))
        await until(pilot, lambda: len(list(folder.glob("*-judgment*.html"))) == 2)
        await pilot.press("e")
        await reach(pilot, PapersScreen)
        await pilot.press("end", "enter")
        await until(pilot, lambda: list(folder.glob("*.md")))


async def test_keys_of_the_court_screen_and_looking_back(plays: dict[str, Played]) -> None:
    played = plays["CI-0001"]
    before = played.path.read_bytes()
    async with desk(WIDE) as pilot:
        screen = await opened(pilot, played, "CI-0001")
        await pilot.press("c")
        assert screen.tab == "exhibits" and "借条一张" in pane(screen, "exhibits")
        await pilot.press("c", "c", "c")
        assert screen.tab == "file" and "参照裁判" not in pane(screen, "file")
        await pilot.press("a")
        assert "参照裁判" in pane(screen, "file") and "本院认为" in pane(screen, "file")
        await pilot.press("a")
        assert "参照裁判" not in pane(screen, "file")
        screen.query_one("#file", LinesPane).focus()
        await pilot.press("y")
        assert pilot.app.clipboard.startswith("▍原告")
        programme = screen.query_one(ProgrammePane)
        programme.focus()
        await pilot.press("home", "enter", "down", "down", "enter")
        block = screen.query_one(Transcript).current
        assert block is not None and "核对当事人" in block.raw
        some = len(programme.things)
        await pilot.press("z")
        assert len(programme.things) > some, "every stage shows what is below it"
        await pilot.press("z")
        assert len(programme.things) < some
        await pilot.press("f1")
        assert isinstance(pilot.app.screen, HelpScreen) and "庭审程序" in text_of(pilot)
        await pilot.press("escape", "l")
        shown = text_of(pilot)
        assert "Programme" in shown and "Sole judge" in shown and "Case file" not in pane(screen, "record")
        await pilot.press("l")
        assert "▶" not in pane(screen, "programme") and "✘" in pane(screen, "programme")
        await pilot.press(*"b" * 9)
        left = pane(screen, "programme")
        assert screen.controller.shown.back and "▶ 法庭调查" in left and "✘" not in left and "0/7" in left
        assert "现在闭庭" not in pane(screen, "record") and "未出示 7" in await tab(pilot, screen, 1)
        await pilot.press("g")
        assert "现在闭庭" in pane(screen, "record") and "已质证 2" in pane(screen, "exhibits")
    assert played.path.read_bytes() == before


async def test_while_a_trial_is_open_what_has_not_happened_has_no_score(plays: dict[str, Played]) -> None:
    async with desk(WIDE) as pilot:
        for case, waiting in (
            ("CI-0001", ("判决结果", "裁判理由")),
            ("CR-0001", ("裁判理由",)),
            ("CD-0001", ("文书内容",)),
        ):
            screen = await opened(pilot, plays[case], case)
            strip = screen.query_one(ScoreStrip)
            for back in (1, 3):
                for _ in range(back):
                    await pilot.press("b")
                await until(
                    pilot,
                    lambda strip=strip: (  # type: ignore[misc]
                        strip._step is not None and not any(w.name == "step_scores" for w in pilot.app.workers)
                    ),
                )
                rows = (await tab(pilot, screen, len(SHOWN[case][3]) - 1)).split("── ")[0].splitlines()
                lines = {" ".join(cells[:-2]): cells[-2:] for cells in (row.split() for row in rows[1:])}
                assert lines and all("0.0" not in values for values in lines.values()), lines
                assert all(lines[metric] == ["未评分", "未评分"] for metric in waiting), lines
            await pilot.press("g")
            await until(pilot, lambda: any(" 0.0 " in f"{row_text(row)} " for row in strip.rows))  # noqa: B023


async def test_the_seat_that_speaks_next_is_offered_first_and_named(pack: Path) -> None:
    async with desk(WIDE) as pilot:
        screen = await trial(pilot, pack)
        for n, (seat, words) in enumerate(
            (("agent", "接任：独任审判员"), ("plaintiff_lawyer", "接任：原告委托诉讼代理人")), 1
        ):
            await pilot.press("n")
            await until(pilot, lambda: screen.controller.shown.total == n)  # noqa: B023
            await pilot.press("s")
            dialog = await reach(pilot, SeatScreen)
            assert dialog.seat == seat and words in text_of(pilot)
            dialog.query_one("#seat", Select).value = "clerk"
            await pilot.pause()
            assert "接任：书记员" in text_of(pilot)
            await pilot.press("escape")
        await pilot.press("s", "enter")
        await until(pilot, lambda: screen.controller.human and "原告代理人：本人" in text_of(pilot))
        await pilot.press("escape", "s")
        await reach(pilot, SeatScreen)
        assert "离席：原告委托诉讼代理人" in text_of(pilot)


async def test_a_case_is_chosen_from_those_of_its_environment(pack: Path) -> None:
    async with desk(NARROW) as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, HomeScreen) and pilot.app.screen.packs)
        await pilot.press("n")
        screen = await reach(pilot, NewRunScreen)
        tasks = screen.query_one(TaskField)
        await until(pilot, lambda: tasks.groups)
        screen.query_one("#env", Select).value = "KQ"
        await pilot.pause()
        await pilot.press("f5")
        shown = screen.query_one("#env-field", Field)
        assert shown.bad and "KQ" in str(shown.query_one(".field--note", Static).content)
        screen.query_one("#env", Select).value = "CR"
        await pilot.pause()
        offered = [value for _, value in screen.query_one("#task", Select)._options]
        assert offered[0] == ALL and len(offered) > 1 and all(task.startswith("CR-") for task in offered[1:])
        screen.query_one("#env", Select).value = "CI"
        await pilot.pause()
        screen.query_one("#task", Select).focus()
        await pilot.press("enter", *"0001", "enter")
        await pilot.pause()
        assert screen.query_one("#task", Select).value == "CI-0001"
        assert "CI-0001 民事一审庭审" in text_of(pilot)
        seats = screen.query_one(SeatsForm)
        seats.collapsed = False
        await pilot.pause()
        next(field for field in seats.query(Field) if field.id == "courts-defendant_lawyer-seat-field").query_one(
            Select
        ).value = "human"
        await pilot.press("f5")
        played = await reach(pilot, EpisodeScreen, lambda screen: screen.controller.loaded)
        assert played.controller.facts.header["spec"]["seats"] == {"defendant_lawyer": "human"}


async def said(pilot: Pilot[Any], screen: EpisodeScreen, words: str) -> None:
    """Say something and wait until the person is asked again, or it is over."""
    box, n = screen.query_one(AnswerBox), screen.controller.shown.total
    box.query_one(TextArea).focus()
    box.query_one(TextArea).text = words
    await pilot.press("f5")
    await until(
        pilot,
        lambda: (
            screen.controller.over or (screen.controller.shown.total > n and box.is_open and screen.controller.asked)
        ),
    )


async def test_a_person_presides_for_three_turns_and_leaves(pack: Path) -> None:
    async with desk(WIDE) as pilot:
        pilot.app.controller.pace = 4
        screen = await trial(pilot, pack)
        await pilot.press("a")
        assert "参照裁判" in pane(screen, "file")
        await pilot.press("n")
        await until(pilot, lambda: screen.controller.shown.total == 1)
        await pilot.press("s", "enter")
        box = screen.query_one(AnswerBox)
        await until(pilot, lambda: box.is_open and screen.controller.human)
        assert (
            "由本人发言" in str(box.border_title)
            and "@原告　@被告" in text_of(pilot)
            and "核对当事人" in text_of(pilot)
        )
        assert "参照裁判" not in pane(screen, "file") and "独任审判员：本人" in text_of(pilot)
        await pilot.press("escape", "a")
        assert "参照裁判" not in pane(screen, "file"), "nobody in a seat sees all material"
        assert "隐藏" in await tab(pilot, screen, 3) and screen.query_one(ScoreStrip)._step is None
        exhibits = await tab(pilot, screen, 1)
        assert "借条" not in exhibits and "原告证据一" in exhibits
        await said(pilot, screen, "@原告 现在开庭。首先核对当事人身份，请原告方说明身份和代理权限。")
        assert "独任审判员（本人） → 原告代理人：" in pane(screen, "record")
        assert "核对当事人（尚缺被告）" in pane(screen, "programme").replace("\n", "").replace(" ", "")
        await said(pilot, screen, "@被告 请被告方说明身份和代理权限。")
        await said(pilot, screen, "今天公开开庭审理原告周映川诉被告罗成溪民间借贷纠纷一案，由审判员程思砚独任审判。")
        spoken = [
            r.event for r in screen.controller.shown.records if isinstance(r.event, Said) and r.event.seat == "agent"
        ]
        assert [event.to for event in spoken] == [("plaintiff_lawyer",), ("defendant_lawyer",), ()]
        assert "没有送达任何席位" in pane(screen, "record")
        await pilot.press("escape", "s", "enter")
        await until(pilot, lambda: not screen.controller.human and not box.is_open)
        n = screen.controller.shown.total
        await pilot.press("space")
        await until(pilot, lambda: screen.controller.over or screen.controller.shown.total > n + 3)
        assert "独任审判员：规则" in text_of(pilot)


async def test_replies_that_say_nothing_are_marked_and_counted(tmp_path: Path) -> None:
    """A trainee has one thing to say, whatever he is asked."""
    script, path = tmp_path / "script.json", places.runs() / "repeating.moot"
    words = "依照法律规定，您先同对方协商，协商不成的可以到人民法院起诉，合同和付款凭证都要保留。"
    script.write_text(json.dumps({"otherwise": [words]}, ensure_ascii=False), encoding="utf-8")
    path.parent.mkdir(parents=True, exist_ok=True)
    play(path, build_pack("advice", ("LC-0001",)), agent="direct", model=f"scripted:{script}", calls="free")
    line = re.compile(r"(\S+) (\d+) 次，其中重复自己的话 (\d+)（(\d+%)）")
    async with desk() as pilot:
        screen = RunScreen(read_run(path))
        pilot.app.push_screen(screen)
        await until(pilot, lambda: screen.figures is not None)
        assert (found := line.search(text_of(pilot))) is not None
        who, spoken, repeats, share = found.groups()
        assert who == "受测席位" and 0 < int(repeats) < int(spoken)

        await pilot.press("enter")
        court = await reach(pilot, EpisodeScreen, lambda screen: screen.controller.loaded)
        record = "\n".join(row_text(row) for row in court.query_one(Transcript).rows)
        assert record.count("（重复自己的话）") == int(repeats)
        facts = line.fullmatch(dict(court.face.facts())["答话"])
        assert facts is not None and facts.groups() == ("法律实习生", spoken, repeats, share)

        await pilot.press("f5")
        await reach(pilot, BoardScreen, lambda screen: screen.figures)
        await until(pilot, lambda: line.search(text_of(pilot)))
        board = text_of(pilot)
        assert "复读" in board and f" {share} " in board.replace(line.search(board)[0], "")


async def test_a_civil_judgment_stands_beside_the_reference(plays: dict[str, Played]) -> None:
    async with desk() as pilot:
        screen = await opened(pilot, plays["CI-0001"], "CI-0001")
        strip = screen.query_one(ScoreStrip)
        await until(pilot, lambda: strip.step is not None and strip.step.grounds.rows)
        assert strip.step is not None and screen.controller.keeper is not None
        question = screen.controller.keeper.questions["CI-0001"]
        claims = {claim.id: claim for claim in question.case.claims}
        ruled = {ruling.claim: ruling for ruling in question.case.gold.rulings}
        pairs = [pair for pair in strip.step.grounds.beside if isinstance(pair.gold, ClaimOutcome)]
        assert [pair.title.split()[0] for pair in pairs] == list(ruled)
        for pair, ruling in zip(pairs, ruled.values(), strict=True):
            assert (pair.gold.outcome, pair.gold.amount) == (ruling.outcome, ruling.amount)
            assert claims[ruling.claim].text in pair.title
        screen.action_aside(3)
        await pilot.pause()
        assert strip.has_focus or strip.focus()
        await until(pilot, lambda: strip.has_focus)
        await pilot.press("enter")
        await reach(pilot, EvidenceScreen)
        await until(pilot, lambda: "参照" in text_of(pilot) and "本次" in text_of(pilot))
        view = pilot.app.screen.query_one(EvidenceView)
        shown = "\n".join(row_text(row) for row in view.rows)
        assert "JUD" not in shown and "PFS" not in shown and "诉讼行为完成率" in shown
        place = next(at for at, thing in enumerate(view.things) if thing.seq is not None)
        wanted = view.things[place].seq
        view.move_to(place)
        await pilot.press("enter")
        await reach(pilot, EpisodeScreen)
        block = screen.query_one(Transcript).current
        records = {record.seq: record.event for record in screen.controller.state.records}
        assert block is not None and block.seq == wanted and isinstance(records[block.seq], Said)
