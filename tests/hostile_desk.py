"""The desk among hostile runs: Home shows every good run and a line for each bad one, and each can be opened and left.

Many files share one desk in a forked child; a child that dies or hangs costs the file it was at, the rest get another.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from store.journal import SUFFIX
from tests.forked import forked
from tests.hostile_runs import Base, Hostile, clear, place

BATCH = 40
PATIENCE = 60.0
"""Seconds until a screen that shows nothing counts as hung."""
CODE_WORDS = re.compile(r"^[A-Z]\w*(?:Error|Exception|Exit|Interrupt)\b")
"""How a dialog begins that speaks of an exception instead of the file."""
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

Found = tuple[Hostile, str, tuple[str, ...], int, float]


def drive_desk(home: Path, good: Sequence[Base], cases: Sequence[Hostile], memory: int = 4 << 30) -> Iterator[Found]:
    """(case, what was done, faults, peak kB, seconds) for the library and for each file opened."""
    yield from _libraries(home, good, cases, memory)
    left = list(cases)
    while left:
        batch, left = left[:BATCH], left[BATCH:]
        lines, done = _in_child(
            home, good, batch, lambda pilot, told, batch=batch: _open_all(pilot, batch, told), memory
        )
        peak, seconds = done.peak, done.seconds / max(1, len(lines))
        told = {line["case"]: line for line in lines if "faults" in line}
        begun = [line["case"] for line in lines if "faults" not in line]
        for case in batch:
            if case.name in told:
                yield case, "desk: open", tuple(told[case.name]["faults"]), peak, seconds
        unfinished = [case for case in batch if case.name not in told]
        if unfinished:
            at = next((case for case in unfinished if case.name in begun), unfinished[0])
            yield at, "desk: open", (done.fault or f"the desk ended: {_last(done.err)}",), peak, done.seconds
            left = [case for case in unfinished if case is not at] + left


def _libraries(home: Path, good: Sequence[Base], cases: Sequence[Hostile], memory: int) -> Iterator[Found]:
    """Home over many hostile files at once; a library that does not load is halved until the culprits are alone."""
    waiting = [list(cases[start : start + 200]) for start in range(0, len(cases), 200)]
    while waiting:
        batch = waiting.pop(0)
        lines, done = _in_child(
            home, good, batch, lambda pilot, told, batch=batch: _library(pilot, batch, told), memory
        )
        if lines:
            faults = {line["case"]: tuple(line["faults"]) for line in lines}
            for case in batch:
                yield case, "desk: library", faults.get(case.name, ()), done.peak, done.seconds
        elif len(batch) == 1:
            yield (
                batch[0],
                "desk: library",
                (done.fault or f"the desk ended: {_last(done.err)}",),
                done.peak,
                done.seconds,
            )
        else:
            half = len(batch) // 2
            waiting[:0] = [batch[:half], batch[half:]]


def _in_child(
    home: Path, good: Sequence[Base], batch: Sequence[Hostile], act: Callable[..., Any], memory: int
) -> tuple[list[dict[str, Any]], Any]:
    runs = home / "runs"
    clear(runs)
    runs.mkdir()
    for base in good:
        shutil.copyfile(base.path, runs / f"good-{base.name}{SUFFIX}")
    for case in batch:
        place(case.path, runs)
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "told"

        def told(line: dict[str, Any]) -> None:
            with note.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

        done = forked(lambda: asyncio.run(_desk(act, told)), memory=memory, seconds=PATIENCE * 2 + 2 * len(batch))
        lines = [json.loads(line) for line in note.read_text(encoding="utf-8").splitlines()] if note.exists() else []
    return lines, done


def _last(err: bytes) -> str:
    lines = err.decode(errors="replace").strip().splitlines()
    return lines[-1][:160] if lines else "without a word"


async def _desk(act: Callable[..., Any], told: Callable[[dict[str, Any]], None]) -> None:
    from app.shell import Desk

    app = Desk()
    app.animation_level = "none"
    async with app.run_test(size=(120, 40)) as pilot:
        await act(pilot, told)
        app.exit()


async def _until(pilot: Any, true: Callable[[], object], seconds: float = PATIENCE) -> bool:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        await pilot.pause(0.02)
    return True


def _problem(app: Any) -> str | None:
    """The words of the dialog on top, if one is there."""
    from app.screens.problem import ProblemScreen

    screen = app.screen
    return f"{screen._title} {screen._hint}" if isinstance(screen, ProblemScreen) else None


async def _loaded(pilot: Any) -> str:
    """'' when Home has read the library, else why not."""
    app = pilot.app
    if not await _until(pilot, lambda: app.home_screen is not None and (app.home_screen._loaded or _problem(app))):
        return "Home does not load"
    return f"a dialog instead of the library: {words}" if (words := _problem(app)) else ""


async def _library(pilot: Any, batch: Sequence[Hostile], told: Callable[[dict[str, Any]], None]) -> None:
    why = await _loaded(pilot)
    await pilot.pause()
    if why and len(batch) > 1:
        raise SystemExit(1)
    home = pilot.app.home_screen
    lines = {line.path.name: line for line in home.runs}
    table = home.query_one("#table")
    cells = [cell.plain for row in range(table.row_count) for cell in table.get_row_at(row)]
    common = [why] if why else []
    if any(
        lines.get(path.name) is None or lines[path.name].error
        for path in (Path(os.environ["MOOT_HOME"]) / "runs").glob(f"good-*{SUFFIX}")
    ):
        common.append("a good run is missing from Home")
    if not why and table.row_count != len(home.runs):
        common.append("Home shows not every line")
    if any(CONTROL.search(cell) for cell in cells):
        common.append("raw control characters in a cell")
    for case in batch:
        faults = list(common)
        line = lines.get(case.path.name)
        if line is None and not why:
            faults.append("the bad run is not named on Home")
        elif line is not None and ("\n" in line.error or CODE_WORDS.search(line.error) or len(line.error) > 400):
            faults.append(f"its line on Home is no sentence: {line.error[:80]!r}")
        told({"case": case.name, "faults": faults})


async def _open_all(pilot: Any, batch: Sequence[Hostile], told: Callable[[dict[str, Any]], None]) -> None:
    why = await _loaded(pilot)
    for case in batch:
        told({"case": case.name})
        faults = [fault async for fault in _open(pilot, case)]
        told({"case": case.name, "faults": faults})
    assert pilot.app.is_running, why


async def _open(pilot: Any, case: Hostile) -> Any:
    """The list of its episodes, the first episode, the Review screen: each shows it, or says one sentence."""
    from app.library import RunLine
    from app.screens.episode import EpisodeScreen
    from app.screens.run import RunScreen

    app = pilot.app
    path = Path(os.environ["MOOT_HOME"]) / "runs" / case.path.name
    line = next((line for line in app.home_screen.runs if line.path == path), RunLine(path, path.stem))
    screen = RunScreen(line)
    app.push_screen(screen)
    if not await _until(pilot, lambda: screen.stored is not None or _problem(app)):
        yield "the list of episodes hangs"
    async for fault in _said(pilot, "episodes"):
        yield fault
    while len(app.screen_stack) > 1 and app.screen is not screen:
        app.pop_screen()
        await pilot.pause()
    app.pop_screen()
    app.open_episode(path, "")
    if not await _until(
        pilot,
        lambda: (
            _problem(app)
            or (
                isinstance(app.screen, EpisodeScreen)
                and app.screen.loaded
                and app.screen.facts is not None
                and app.screen.facts.path == path
            )
        ),
    ):
        yield "the episode hangs"
    await pilot.pause(0.1)
    async for fault in _said(pilot, "episode"):
        yield fault
    await _home(pilot)
    await app.review(path)
    await pilot.pause(0.2)
    await app.workers.wait_for_complete()
    async for fault in _said(pilot, "review"):
        yield fault
    await _home(pilot)


async def _said(pilot: Any, what: str) -> Any:
    """Faults of the dialogs on top, which are closed."""
    seen = 0
    while (words := _problem(pilot.app)) is not None:
        seen += 1
        if CODE_WORDS.search(words):
            yield f"{what}: a dialog of code: {words.split(':')[0]}"
        if len(words) > 2000 or CONTROL.search(words):
            yield f"{what}: the dialog is no sentence"
        if seen > 3:
            yield f"{what}: more than three dialogs"
            return
        pilot.app.pop_screen()
        await pilot.pause()


async def _home(pilot: Any) -> None:
    app = pilot.app
    while len(app.screen_stack) > 1:
        app.pop_screen()
        await pilot.pause()
    await app.switch_mode("home")
    await pilot.pause()
