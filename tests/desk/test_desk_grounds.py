"""The way from a score to its evidence: claims beside the reference, keys with what showed them, and back to the
record."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.desk.episode.grounds_screen import EvidenceScreen, EvidenceView
from app.desk.episode.scores import ClaimOutcome
from app.desk.episode.screen import EpisodeScreen
from app.desk.episode.transcript import Transcript
from app.desk.widgets.lines import row_text
from app.desk.widgets.score_strip import ScoreStrip
from tasks.episode.events import Said, ToolReturned
from tests.desk import test_desk_court
from tests.desk.conftest import NARROW, WIDE, desk, opened, text_of, until
from tests.support.court_plays import Played
from tests.support.desk_fixture import COURT, write_run

pytestmark = pytest.mark.slow

SIZES = pytest.mark.parametrize("size", [WIDE, NARROW, (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")


@SIZES
async def test_a_civil_judgment_stands_beside_the_reference(plays: dict[str, Played], size: tuple[int, int]) -> None:  # noqa: F811
    async with desk(size) as pilot:
        screen = await test_desk_court.opened(pilot, plays["CI-0001"], "CI-0001")
        strip = screen.query_one(ScoreStrip)
        await until(pilot, lambda: strip.step is not None and strip.step.grounds.rows)
        assert strip.step is not None and screen.controller.keeper is not None
        question = screen.controller.keeper.questions["CI-0001"]
        claims = {claim.id: claim for claim in question.case.claims}
        ruled = {ruling.claim: ruling for ruling in question.case.gold.rulings}
        pairs = [pair for pair in strip.step.grounds.beside if isinstance(pair.gold, ClaimOutcome)]
        assert [pair.title.split()[0] for pair in pairs] == list(ruled)
        for pair, ruling in zip(pairs, ruled.values(), strict=True):
            assert isinstance(pair.gold, ClaimOutcome) and (pair.gold.outcome, pair.gold.amount) == (
                ruling.outcome,
                ruling.amount,
            )
            assert claims[ruling.claim].text in pair.title
        screen.action_aside(3)
        await pilot.pause()
        assert strip.has_focus or strip.focus()
        await until(pilot, lambda: strip.has_focus)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, EvidenceScreen))
        await until(pilot, lambda: "参照" in text_of(pilot) and "本次" in text_of(pilot))
        view = pilot.app.screen.query_one(EvidenceView)
        shown = "\n".join(row_text(row) for row in view.rows)
        assert "JUD" not in shown and "PFS" not in shown and "诉讼行为完成率" in shown
        place = next(at for at, thing in enumerate(view.things) if thing.seq is not None)
        wanted = view.things[place].seq
        view.move_to(place)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, EpisodeScreen))
        block = screen.query_one(Transcript).current
        records = {record.seq: record.event for record in screen.controller.state.records}
        assert block is not None and block.seq == wanted and isinstance(records[block.seq], Said)


async def test_a_key_leads_to_the_observation_that_holds_it(pack: Path) -> None:  # noqa: F811
    async with desk() as pilot:
        screen = await opened(pilot, write_run(pack))
        strip = screen.query_one(ScoreStrip)
        await until(pilot, lambda: strip.step is not None)
        assert strip.step is not None
        rows = {row.what: row for row in strip.step.grounds.rows}
        events = {record.seq: record.event for record in screen.controller.state.records}
        shown = events[rows[COURT].seq or 0]
        assert isinstance(shown, ToolReturned) and COURT in shown.observation and COURT in rows[COURT].quote
        strip.hide("a person sits there")
        screen.action_grounds()
        await pilot.pause()
        assert pilot.app.screen is screen
