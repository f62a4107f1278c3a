"""Tokens of a rollout on the desk: entropy, kind, and shaped advantages in both readings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from app.desk.episode.token_view import TokenView, heat
from app.desk.episode.tokens import TokensScreen
from app.desk.home.screen import HomeScreen
from app.desk.widgets.lines import row_text
from app.library import read_records
from tests.desk.conftest import NARROW, WIDE, desk, same_as_stored, text_of, until
from tests.legalsearch.test_rollouts import episode, stored

pytestmark = pytest.mark.slow


async def at_tokens(pilot: Pilot[Any], path: Path, name: str = "kqa_1#1") -> TokensScreen:
    facts, _, _, records = read_records(path, name)
    pilot.app.push_screen(TokensScreen(facts, name, records))
    await until(pilot, lambda: isinstance(pilot.app.screen, TokensScreen) and pilot.app.screen.tokens is not None)
    screen = pilot.app.screen
    assert isinstance(screen, TokensScreen)
    return screen


def rows(screen: TokensScreen) -> list[str]:
    return [row_text(row) for row in screen.query_one(TokenView).rows]


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_tokens_of_a_rollout(size: tuple[int, int], tmp_path: Path) -> None:
    path = stored(
        tmp_path,
        [("kqa_1", episode("A")), ("kqa_1", episode("B")), ("lcs_2", episode("x")), ("lcs_2", episode("y"))],
        2,
    )
    async with desk(size) as pilot:
        screen = await at_tokens(pilot, path)
        text = text_of(pilot)
        assert "精确熵" in text and "第 1／2 次采样" in text and "优势 A = +1.0000" in text and "奖励 1" in text
        plan = next(row for row in rows(screen) if "「查」" in row)
        assert "计划" in plan and "2.000" in plan and plan.count("+1.200") == 2
        call = next(row for row in rows(screen) if "「<tool_call>」" in row)
        assert "其他" in call and "5.000" in call and "+1.000" in call and "+1.500" in call
        assert any("工具" in row for row in rows(screen))
        assert all(cell_len(line) <= size[0] for line in text.split("\n"))
        await same_as_stored(pilot, f"tokens-zh-{size[0]}x{size[1]}")
        await pilot.press("v")
        await pilot.pause()
        assert "<plan>查</plan>" in "".join(rows(screen)).replace(" ", "")
        await pilot.press("l")
        await pilot.pause()
        assert "exact entropies" in text_of(pilot)
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, HomeScreen)


async def test_one_rollout_estimates_and_nothing_known(tmp_path: Path) -> None:
    for how, words in (("top", "前 n 个估计"), ("none", "没有记录熵")):
        folder = tmp_path / how
        folder.mkdir()
        path = stored(folder, [("kqa_1", episode("A", how=how))], 1)
        async with desk() as pilot:
            screen = await at_tokens(pilot, path)
            assert words in text_of(pilot) and "没有组" in text_of(pilot)
            assert any("≥0.693" in row for row in rows(screen)) == (how == "top")


def test_heat() -> None:
    assert [heat(value) for value in (None, 0.0, 0.4, 0.9, 1.5, 3.0)] == [
        "rule",
        "dim",
        "text",
        "good",
        "warn",
        "bad",
    ]
