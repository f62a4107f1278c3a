"""The Law screen under a pilot: asking, days, gaps, history, comparison, faults; and the text of its screens as
stored.

MOOT_UPDATE_SCREENS=1 writes the stored screens anew.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from app import law_reading
from app.desk.episode.faces import EvidencePane
from app.desk.episode.renderers import render
from app.desk.law.form import LawForm
from app.desk.law.screen import LawScreen
from app.desk.widgets.choice import Choice, EmptyState
from app.desk.widgets.lines import LineView, row_text
from app.law_lines import law_bar, period_bar, reading_lines
from app.law_reading import ArticleView, LawTimespan, StatutePack, first_choice, life_of, statute_packs
from app.law_words import note_words
from store.statutes.book import NoText
from store.statutes.model import Article, ArticleNumber, Law, LawVersion
from store.statutes.relations import Doubt, Relation
from tasks.episode.events import Record, ToolCalled, ToolReturned
from tests.desk.conftest import EVERYWHERE, NARROW, WIDE, desk, reach, same_as_stored, text_of, until
from tests.support.statute_fixture import LAMPS, build

pytestmark = pytest.mark.slow

TODAY = date(2024, 6, 1)


@pytest.fixture(autouse=True)
def fixed_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(law_reading, "today", lambda: TODAY)


def busy(screen: Screen[Any]) -> bool:
    return any(worker.name.startswith("law_") and not worker.is_finished for worker in screen.workers)


@pytest.fixture
def lamps() -> Path:
    return build()


async def at_law(pilot: Pilot[Any]) -> LawScreen:
    await pilot.press("f7")
    screen = await reach(pilot, LawScreen, lambda screen: screen._loaded)
    await until(pilot, lambda: screen.book is not None or screen.has_class("-empty"))
    return screen


async def asked(pilot: Pilot[Any], words: str, day: str = "") -> LawScreen:
    screen = pilot.app.screen if isinstance(pilot.app.screen, LawScreen) else await at_law(pilot)
    form = screen.query_one(LawForm)
    form.query_one("#words", Input).value = words
    form.query_one("#day", Input).value = day
    before = screen.asked
    form.action_ask()
    await until(pilot, lambda: screen.asked is not before and not busy(screen))
    assert screen.asked is not None
    screen.query_one("#hits").border_subtitle = screen.query_one("#hits").border_subtitle.rpartition(" · ")[0]
    await pilot.pause()
    return screen


def shown(screen: LawScreen, view: str) -> str:
    return "\n".join(row_text(row) for row in screen.query_one(f"#{view}", LineView).rows)


def article_text(screen: LawScreen) -> str:
    return shown(screen, "text")


def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hits that hold the word, in the order of their ids with given ranks: stored screens do not hang on how the
    search ranks."""
    real = law_reading.LawDesk.ask

    def ask(self: Any, text: str, day: date | None) -> Any:
        found = real(self, text, day)
        fine = (line for line in found.hits if found.direct or "罚款" in (line.hit.article.text or ""))
        hits = sorted(fine, key=lambda line: line.hit.id)
        ranks = ({"exact": 1, "keyword": 3, "bm25": 2}, {"keyword": 1, "dense": 4}, {"bm25": 1})
        lines = (replace(line, hit=replace(line.hit, ranks=ranks[place % 3])) for place, line in enumerate(hits))
        notes = tuple(note for note in found.answer.notes if note != "no_dense")
        return replace(found, hits=tuple(lines), answer=replace(found.answer, notes=notes))

    monkeypatch.setattr(law_reading.LawDesk, "ask", ask)


@EVERYWHERE
async def test_screens_look_as_stored(
    language: str, size: tuple[int, int], lamps: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_LANG", language)
    steady(monkeypatch)
    async with desk(size) as pilot:
        screen = await at_law(pilot)
        await same_as_stored(pilot, "law-start")
        await asked(pilot, "路灯法第三条", "2005-05-01")
        await same_as_stored(pilot, "law-text", everywhere=True)
        if (language, size) != ("zh", WIDE):
            return
        await asked(pilot, "路灯法第三条", "2009-12-31")
        await same_as_stored(pilot, "law-gap")
        for key, tab in (("2", "timeline"), ("3", "diff")):
            await settle(pilot, screen, key)
            await same_as_stored(pilot, f"law-{tab}")
        await asked(pilot, "悬挂广告 罚款")
        await same_as_stored(pilot, "law-hits")


async def settle(pilot: Pilot[Any], screen: LawScreen, *keys: str) -> None:
    """Press keys, and wait for what they ask for."""
    await pilot.press(*keys)
    await until(pilot, lambda: not busy(screen))


async def test_without_statutes_it_says_what_to_do() -> None:
    async with desk(NARROW) as pilot:
        screen = await at_law(pilot)
        assert screen.query_one(EmptyState).display
        await pilot.press("escape", "1", "2", "y", "o", "f2", "f7")
        build()
        screen.on_screen_resume()
        await until(pilot, lambda: screen.book is not None)
        assert not screen.query_one(EmptyState).display


async def test_an_article_on_a_day_its_neighbours_and_a_day_that_does_not_exist(lamps: Path) -> None:
    async with desk() as pilot:
        screen = await asked(pilot, "灯法第三条", "2005-05-01")
        text = article_text(screen)
        assert "不得低于六米" in text and "2000-01-01 至 2009-12-30" in text
        assert "● 虚构数据" in text_of(pilot) and "第三条" in text_of(pilot)
        assert screen.reading.findings and "核对" in text and "版本表缺口" in text
        assert "所废止的法律（1）《风筝法》" in text
        assert screen.query_one("#hits").has_focus
        await pilot.press("enter")
        assert screen.query_one("#text").has_focus
        for key, number in (("right_square_bracket", "4"), ("left_square_bracket", "3")):
            await pilot.press(key)
            await until(pilot, lambda: screen.reading.number.key == number and not busy(screen))  # noqa: B023
        await pilot.press("y")
        assert "不得低于六米" in pilot.app.clipboard and LAMPS in pilot.app.clipboard
        await pilot.press("escape")
        assert screen.query_one("#hits").has_focus
        await pilot.press("escape")
        assert screen.focused is not None and screen.focused.id == "words"
        await asked(pilot, "路灯法第三条", "2005-05-01")
        before = article_text(screen)
        await pilot.press("t")
        box = screen.query_one("#day", Input)
        assert box.has_focus
        box.value = "2015-02-30"
        await pilot.press("enter")
        await pilot.pause()
        assert "“2015-02-30”不是一个存在的日子" in text_of(pilot)
        assert screen.query_one("#words", Input).value == "路灯法第三条" and article_text(screen) == before
        box.value = "2015-02-28"
        await pilot.pause()
        assert "不是一个存在的日子" not in text_of(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: screen.asked.day == date(2015, 2, 28) and not busy(screen))
        assert "不得低于六米" not in article_text(screen)


ANSWERS = (
    ("路灯法第三条", "1985-01-01", "尚未施行", ("自 1990-01-01 起施行", "后来施行的文字", "不得低于五米")),
    ("路灯法第四条之一", "1995-01-01", "尚未施行", ("当日施行的文本", "悬挂广告")),
    ("风筝法第二条", "2000-01-01", "已废止", ("后续法律：《中华人民共和国路灯法》", "风筝不得高于路灯")),
    ("风筝法第一条", "1985-01-01", "未收录文本", ("未收录文本",)),
    ("路灯法第九十条", "2005-01-01", "未收录", ("检查条号",)),
    ("路灯法第三条", "2009-12-31", "版本表缺口", ("前一文本", "后一文本", "条号变动：第三条 → 第四条")),
)


async def test_every_answer_has_its_own_look_and_a_hole_is_read_by_the_version_before_it(lamps: Path) -> None:
    async with desk() as pilot:
        for words, day, head, also in ANSWERS:
            screen = await asked(pilot, words, day)
            text = article_text(screen)
            assert f"▌{head}　{day}" in text
            assert all(part in text.replace("\n", "") for part in also), text
        assert text.count("路灯的高度不得低于六米") == 2
        await settle(pilot, screen, "3")
        assert screen._sides == (1, 2) and "第四条" in shown(screen, "diff")


async def test_history_and_two_chosen_sides(lamps: Path) -> None:
    async with desk() as pilot:
        screen = await asked(pilot, "路灯法第四条", "2012-01-01")
        await settle(pilot, screen, "2")
        text = shown(screen, "timeline")
        assert "（原第三条）" in text and "✘ 2009-12-31" in text and "文字修改" in text
        await settle(pilot, screen, "home", "o")
        await settle(pilot, screen, "end", "n")
        text = shown(screen, "timeline")
        assert screen._sides == (0, 2) and "〔旧〕" in text and "〔新〕" in text
        await settle(pilot, screen, "3")
        text = shown(screen, "diff")
        assert "低于五米，不得" in text and "低于六米，不得" in text
        assert "1990-01-01—1999-12-31" in text and "2010-01-01—今" in text
        await settle(pilot, screen, "o")
        assert screen._sides == (1, 2) and "两个文本的文字相同" in shown(screen, "diff")
        await settle(pilot, screen, "2", "home", "enter")
        assert screen.reading.version.label == LAMPS and screen.tab == 0
        assert screen.query_one("#timeline", Choice).things[1].entry is not None


async def test_packs_are_chosen_and_a_damaged_one_is_no_obstacle(lamps: Path) -> None:
    build("other")
    (lamps.parent / "torn").mkdir()
    (lamps.parent / "torn" / "manifest.json").write_text("{", encoding="utf-8")
    found = statute_packs()
    assert [shelf.name for shelf in found if not shelf.error] == ["lamps", "other"]
    assert first_choice(found) == "lamps"
    assert first_choice([StatutePack("sample"), StatutePack("statutes")]) == "statutes"
    async with desk() as pilot:
        screen = await asked(pilot, "路灯法第三条", "2005-05-01")
        screen.query_one(LawForm).select.value = "other"
        await until(pilot, lambda: screen.book is not None and screen.book.name == "other" and not busy(screen))
        assert screen.asked is None and screen.query_one("#words", Input).value == "路灯法第三条"


async def test_behind_the_data_the_article_says_so(moot_home: Path) -> None:
    build(as_of="2005-06-01")
    async with desk() as pilot:
        screen = await asked(pilot, "路灯法第三条", "2009-05-01")
        text = article_text(screen)
        assert "数据截至 2005-06-01，此后是否修改不明" in text.replace("\n", "")
        await asked(pilot, "路灯法第四条", "2005-05-01")
        assert "数据截至" not in article_text(screen)
        await asked(pilot, "路灯法第四条", "2012-05-01")
        assert "据现有数据有效" in article_text(screen) and "现行有效" not in article_text(screen)


async def test_an_article_of_an_ended_law_leads_to_its_counterpart(
    moot_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.support.statute_fixture.lamp_versions", lambda: followers())
    build()
    async with desk() as pilot:
        screen = await asked(pilot, "风筝法第二条", "2005-05-01")
        text = article_text(screen).replace("\n", "")
        assert "c 对应条文：《中华人民共和国路灯法》第三条" in text and "未经人工核对" in text
        assert "对应条文" in text_of(pilot)
        await pilot.press("escape", "c")
        await until(pilot, lambda: screen.reading is not None and screen.reading.law.short == "路灯法")
        assert screen.reading.number.key == "3" and screen.reading.counterpart is None
        assert screen.check_action("counterpart", ()) is False


def followers() -> list[Any]:
    """A law of lamps whose third article says what the law of kites said of kites."""
    texts = ("路灯应当许可。", "路灯每年检查。", "风筝不得高于路灯。", "本法自公布之日起施行。")
    version = LawVersion(LAMPS, LAMPS, date(1990, 1, 1), None)
    return [(version, [Article(LAMPS, LAMPS, ArticleNumber(n), text=text) for n, text in enumerate(texts, 1)])]


def test_a_bar_shows_windows_holes_and_the_day() -> None:
    life = LawTimespan(
        date(2000, 1, 1),
        date(2009, 12, 31),
        ((date(2000, 1, 1), date(2004, 12, 31)), (date(2005, 1, 2), None)),
        ((date(2005, 1, 1), date(2005, 1, 1)),),
    )

    def text(pieces: Any) -> str:
        return "".join(part for part, _ in pieces)

    assert text(period_bar((date(2000, 1, 1), date(2004, 12, 31)), life, 10)) == "▮▮▮▮▮▯▯▯▯▯"
    assert text(period_bar((date(2005, 1, 2), None), life, 10)) == "▯▯▯▯▯▮▮▮▮▮"
    assert text(law_bar(life, 10)) == "▮▮▮▮▮✘▮▮▮▮"
    assert text(period_bar((date(2005, 1, 2), None), life, 10, date(2008, 6, 1))) == "▯▯▯▯▯▮▮▮♦▮"
    assert text(period_bar((date(2005, 1, 2), None), life, 10, date(1990, 6, 1))) == "◊▯▯▯▯▮▮▮▮▮"
    assert text(period_bar((date(2003, 1, 1), date(2003, 1, 1)), life, 10)) == "▯▯▯▮▯▯▯▯▯▯"
    assert life_of([], TODAY) is None


def test_notes_of_the_search_are_sentences_or_stand_as_they_are() -> None:
    assert note_words("no_such_date:2015年2月30日") == "“2015年2月30日”不是存在的日子"
    assert note_words("something:else") == "something:else" and note_words("gap") == "gap"


def evidence(event: Any, width: int = 34) -> str:
    pane = EvidencePane()
    pane._event = event
    return "\n".join(row_text(row).rstrip() for row in pane.build(width))


HIT = {
    "id": 7, "law": LAMPS, "label": LAMPS, "number": "4-1", "chinese": "第四条之一", "title": "悬挂广告",
    "text": "在路灯上悬挂广告的，处二百元以下罚款。",
    "valid_from": "2000-01-01", "valid_to": "2009-12-30", "score": 0.1, "ranks": {"exact": 1}, "kept": ["window"],
    "mark": "possible", "rule": "penalty_lighter", "state": "amended",
}  # fmt: skip
RETRIEVED = [
    {
        "query": "悬挂广告[/b]\x1b[2J", "allowed": 3, "of": 22, "notes": [f"gap:{LAMPS}:2009-12-31"],
        "analysis": {"spans": [["2009-12-31", "2009-12-31", "当日"]], "laws": [LAMPS], "numbers": ["4-1"],
            "headings": [], "keywords": ["广告"], "made_by": "rules"},
        "hits": [HIT, {**HIT, "mark": "", "rule": "", "text": None, "valid_from": None, "valid_to": None,
            "state": "unknown"}],
    }
]  # fmt: skip


def returned(tool: str, value: Any) -> Any:
    return ToolReturned(seat="agent", tool=tool, status="ok", observation="[]", value=value, milliseconds=6.0)


def test_retrieved_articles_say_whether_they_apply_and_why() -> None:
    text = evidence(returned("rag_retrieve", RETRIEVED)).replace("\n", "").replace(" ", "")
    assert "检索法条" in text and "路灯法第四条之一" in text and "2000-01-01—2009-12-30已修改" in text
    assert (
        "●时间上可能适用" in text and "新的规定处罚较轻" in text and "《中华人民共和国行政处罚法》第三十七条" in text
    )
    assert text.count("适用") - text.count("适用新的规定") == 1, "without a mark nothing is said"
    assert "（未收录文本）" in text and "版本表缺口" in text and "\x1b" not in text
    assert all(cell_len(line) <= 34 for line in evidence(returned("rag_retrieve", RETRIEVED)).split("\n"))


def test_the_record_tells_calls_and_results_in_words() -> None:
    def line(event: Any) -> str:
        block = render(Record(0, 1, None, 0.0, event))
        assert block is not None
        return "\n".join("".join(text for text, _ in line) for line in block.lines)

    assert (
        line(ToolCalled(seat="agent", tool="rag_retrieve", input={"query": ["借款 返还期限"]}))
        == "检索法条  借款 返还期限"
    )
    assert "query=" in line(ToolCalled(seat="agent", tool="rag_retrieve", input={"query": [], "k": 3}))
    said = line(returned("rag_retrieve", RETRIEVED))
    assert (
        said.startswith("成功 · 检索法条 → 2 条 · 时间上可能适用 1 · 6.0 毫秒")
        and "1. 路灯法第四条之一　2000-01-01—2009-12-30　● 时间上可能适用" in said
    )


def test_a_doubtful_article_is_headed_so_and_never_called_in_force() -> None:
    version = LawVersion("路灯规定", "路灯规定", date(2000, 1, 1), None)
    article = Article("路灯规定", "路灯规定", ArticleNumber(1))
    why = Relation("interprets", "路灯规定", LAMPS, "路灯规定", "标题")
    for doubtful in (True, False):
        doubt = Doubt(LAMPS, date(2010, 1, 1), why) if doubtful else None
        reading = ArticleView(
            Law("路灯规定", ""), ArticleNumber(1), None, date(2026, 1, 1), NoText(article, version), doubt=doubt
        )
        words = "\n".join("".join(text for text, _ in line) for line in reading_lines(reading, 60))
        assert ("▌效力存疑" in words, "施行中" in words) == (doubtful, not doubtful)
