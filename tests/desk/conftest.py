"""What all tests of the desk share: a desk under a pilot, waiting for facts, screens as they are stored.

MOOT_UPDATE_SCREENS=1 writes the stored screens anew.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, TextArea

from app.desk.episode.screen import EpisodeScreen
from app.desk.episode.transcript import Transcript
from app.desk.shell import Desk
from app.desk.widgets.lines import row_text
from app.desk.widgets.score_strip import ScoreStrip
from app.strings import language
from store import places
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.cli.test_background import home  # noqa: F401
from tests.support import idle
from tests.support.court_plays import Played, install, play
from tests.support.court_plays import build_pack as court_pack
from tests.support.desk_fixture import build_pack
from tests.support.patience import PATIENCE

SCREENS = Path(__file__).parents[1] / "screens"
UPDATE = bool(os.environ.get("MOOT_UPDATE_SCREENS"))
WIDE, NARROW = (120, 40), (80, 24)
S = TypeVar("S", bound=Screen[Any])


read_rules = Stylesheet._parse_rules
known_rules: dict[Any, Any] = {}


def rules_once(sheet: Stylesheet, css: str, *place: Any, **how: Any) -> Any:
    """Rules of a style sheet, read once for all desks of a session instead of once for each."""
    key = frozenset(sheet._variables.items()), css, place, tuple(how.items())
    if key not in known_rules:
        known_rules[key] = read_rules(sheet, css, *place, **how)
    return known_rules[key]


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A fixed clock zone, language and cursor."""
    monkeypatch.setattr(Stylesheet, "_parse_rules", rules_once)
    monkeypatch.setenv("TZ", "UTC")
    if hasattr(time, "tzset"):
        time.tzset()
    for box in (Input, TextArea):
        monkeypatch.setattr(box, "cursor_blink", False, raising=False)


@pytest.fixture
def pack() -> Path:
    return build_pack()


@pytest.fixture(scope="session")
def plays(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Played]:
    """Ended episodes of four environments: to be read only."""
    place = tmp_path_factory.mktemp("plays")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(place))
        install(patch)
        return play(place / "plays.moot", court_pack())


def ended_run(name: str, agent: str, **more: Any) -> Path:
    """A run of the tasks of the small pack, under a name that does not change with the time."""
    path = places.runs() / f"{name}.moot"
    with start_run(RunSpec(benchmark="legalagentbench", pack="small", agent=agent, **more), out=path) as run:
        run.go()
        run.record_scores()
    return path


@pytest.fixture(scope="session")
def ended_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two runs: `runs` is a copy that belongs to a test."""
    place = tmp_path_factory.mktemp("ended")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(place))
        build_pack()
        ended_run("first", "rules")
        ended_run("second", "echo")
    return place


@pytest.fixture
def runs(ended_runs: Path, moot_home: Path) -> tuple[Path, Path]:
    shutil.copytree(ended_runs, moot_home, dirs_exist_ok=True)
    return places.runs() / "first.moot", places.runs() / "second.moot"


@asynccontextmanager
async def desk(size: tuple[int, int] = WIDE, **options: Any):  # type: ignore[no-untyped-def]
    app = Desk(**options)
    app.animation_level = "none"
    with pytest.MonkeyPatch.context() as patch:
        idle.install(patch, app)
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: app.home_screen is None or app.home_screen._loaded)
            yield pilot
            text_of(pilot)
            await app.depart()


async def until(pilot: Pilot[Any], true: Callable[[], object]) -> None:
    """Wait for a fact instead of a time."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "waited in vain"
        await pilot.pause(0.02)
    await pilot.pause()


async def reach(pilot: Pilot[Any], kind: type[S], ready: Callable[[S], object] = lambda screen: True) -> S:
    """Wait for a screen of this kind, and until it is ready."""
    await until(pilot, lambda: isinstance(pilot.app.screen, kind) and ready(pilot.app.screen))
    assert isinstance(pilot.app.screen, kind)
    return pilot.app.screen


def episode(pilot: Pilot[Any]) -> EpisodeScreen:
    assert isinstance(pilot.app.screen, EpisodeScreen)
    return pilot.app.screen


async def begun(pilot: Pilot[Any], spec: RunSpec) -> EpisodeScreen:
    """The first episode of a new run, before its first step."""
    await pilot.app.start(spec, everything=False)  # type: ignore[attr-defined]
    return await reach(pilot, EpisodeScreen, lambda screen: screen.controller.loaded)


async def opened(pilot: Pilot[Any], path: Path) -> EpisodeScreen:
    pilot.app.open_episode(path, "k-1")  # type: ignore[attr-defined]
    screen = await reach(pilot, EpisodeScreen, lambda screen: screen.controller.loaded)
    await until(pilot, lambda: screen.controller.keeper is not None and screen.query_one(ScoreStrip)._run is not None)
    return screen


def text_of(pilot: Pilot[Any]) -> str:
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips) + "\n"


def record_text(screen: EpisodeScreen) -> str:
    return "\n".join(row_text(row) for row in screen.query_one(Transcript).rows)


LOOKS = 300
"""How often a screen is looked at until it is as stored: widths of columns, say, come after what stands in them."""


async def same_as_stored(pilot: Pilot[Any], view: str, *, everywhere: bool = False) -> None:
    """What is shown is what is stored, in Chinese on a wide screen; `everywhere` narrow and in English, too."""
    words, size = language(), pilot.app.size
    if not everywhere and (words, size) != ("zh", WIDE):
        return
    path = SCREENS / f"{view}-{words}-{size.width}x{size.height}.txt"
    if UPDATE:
        await pilot.pause(1)
        path.write_text(text_of(pilot), encoding="utf-8")
    assert path.exists(), f"no stored screen {path.name}: run with MOOT_UPDATE_SCREENS=1"
    stored = path.read_text(encoding="utf-8")
    for _ in range(LOOKS):
        if text_of(pilot) == stored:
            return
        await pilot.pause(0.02)
    assert text_of(pilot) == stored


SIZES = (WIDE, NARROW)
EVERYWHERE = pytest.mark.parametrize(
    "language, size", [("zh", WIDE), ("zh", NARROW), ("en", WIDE)], ids=["zh-wide", "zh-narrow", "en-wide"]
)
