"""The desk among hostile runs: Home shows every good run and a line for each bad one, and each can be opened and
left.

Many files share one desk in a forked child; a child that dies or hangs costs the file it was at, the rest get
another.
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

import pytest

from store.journal import SUFFIX
from tests.support.forked import forked, raised
from tests.support.hostile_runs import Base, Hostile, clear, place
from tests.support.idle import ask_loop

BATCH, MANY = 40, 200
"""Files that one desk opens one after another, and that one library shows together."""
PATIENCE, WORK = 60.0, 5.0
"""Seconds until a screen that shows nothing counts as hung, of which the desk must have had so many of the
processor."""
CODE_WORDS = re.compile(r"^[A-Z]\w*(?:Error|Exception|Exit|Interrupt)\b")
"""How a dialog begins that speaks of an exception instead of the file."""
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

Found = tuple[Hostile, str, tuple[str, ...], int, float]


def drive_desk(
    home: Path, good: Sequence[Base], cases: Sequence[Hostile], memory: int = 4 << 30, patience: float = PATIENCE
) -> Iterator[Found]:
    """(case, what was done, faults, peak kB, seconds) for the library and for each file opened."""
    global PATIENCE
    PATIENCE = patience
    yield from _libraries(home, good, cases, memory)
    waiting = [list(cases[start : start + BATCH]) for start in range(0, len(cases), BATCH)]
    while waiting:
        batch = waiting.pop(0)
        lines, done = _in_child(
            home, good, (), lambda pilot, told, batch=batch: _open_all(pilot, batch, told), memory
        )
        told = {line["case"]: line["faults"] for line in lines if "faults" in line}
        begun = {line["case"] for line in lines} - told.keys()
        for case in batch:
            if case.name in told:
                yield case, "desk: open", tuple(told[case.name]), done.peak, done.seconds / len(told)
        left = [case for case in batch if case.name not in told]
        blamed = [case for case in left if case.name in begun] or ([] if told else left[:1])
        for case in blamed:
            if len(batch) == 1:
                why = done.fault or f"the desk ended: {_last(done.err)}"
                yield case, "desk: open", (why,), done.peak, done.seconds
            else:  # a desk that has shown many files may have other reasons to stop: alone it will say
                waiting.insert(0, [case])
        if rest := [case for case in left if case not in blamed]:
            waiting.insert(0, rest)


def _libraries(home: Path, good: Sequence[Base], cases: Sequence[Hostile], memory: int) -> Iterator[Found]:
    """What Home reads, with each bad file alone among the good ones; then Home itself over all that let it be
    read."""
    whole = []
    for case in cases:
        runs = _put(home, good, [case])
        done = forked(lambda: print(json.dumps(_lines())), memory=memory, seconds=PATIENCE)
        faults = [done.fault] if done.fault else list(_line_faults(case, json.loads(done.out), runs))
        if not done.fault:
            whole.append(case)
        yield case, "desk: library", tuple(faults), done.peak, done.seconds
    for start in range(0, len(whole), MANY):
        batch = whole[start : start + MANY]
        lines, done = _in_child(
            home, good, batch, lambda pilot, told, batch=batch: _library(pilot, batch, told), memory
        )
        faults = lines[0]["faults"] if lines else [done.fault or f"the desk ended: {_last(done.err)}"]
        yield batch[0], f"desk: Home with {len(batch)}", tuple(faults), done.peak, done.seconds


def _lines() -> list[tuple[str, str]]:
    """Name and error of each line of the library."""
    from app import library

    return [(os.fsencode(line.path.name).hex(), line.error) for line in library.runs()]


def _line_faults(case: Hostile, lines: Sequence[Sequence[str]], runs: Path) -> Iterator[str]:
    errors = {os.fsdecode(bytes.fromhex(name)): error for name, error in lines}
    if any(errors.get(path.name, "missing") for path in runs.glob(f"good-*{SUFFIX}")):
        yield "a good run is missing from Home"
    error = errors.get(case.path.name)
    if error is None:
        yield "the bad run is not named on Home"
    elif "\n" in error or CODE_WORDS.search(error) or len(error) > 400:
        yield f"its line on Home is no sentence: {error[:80]!r}"


def _put(home: Path, good: Sequence[Base], cases: Sequence[Hostile]) -> Path:
    """A folder of runs with the good ones and these."""
    runs = home / "runs"
    clear(runs)
    runs.mkdir()
    for base in good:
        shutil.copyfile(base.path, runs / f"good-{base.name}{SUFFIX}")
    for case in cases:
        place(case.path, runs)
    return runs


def _in_child(
    home: Path, good: Sequence[Base], batch: Sequence[Hostile], act: Callable[..., Any], memory: int
) -> tuple[list[dict[str, Any]], Any]:
    _put(home, good, batch)
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "told"

        def told(line: dict[str, Any]) -> None:
            with note.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

        done = forked(lambda: asyncio.run(_desk(act, told)), memory=memory, seconds=PATIENCE * 4 + 4 * len(batch))
        lines = [json.loads(line) for line in note.read_text(encoding="utf-8").splitlines()] if note.exists() else []
    return lines, done


def _last(err: bytes) -> str:
    lines = err.decode(errors="replace").strip().splitlines()
    return lines[-1][:160] if lines else "without a word"


async def _desk(act: Callable[..., Any], told: Callable[[dict[str, Any]], None]) -> None:
    from app.desk.shell import Desk

    app = Desk()
    app.animation_level = "none"
    ask_loop(pytest.MonkeyPatch(), app)
    async with app.run_test(size=(120, 40)) as pilot:
        await act(pilot, told)
        os._exit(0)  # a worker that never ends would keep the process


async def _until(pilot: Any, true: Callable[[], object]) -> bool:
    begun, worked = time.monotonic(), time.process_time()
    while not true():
        if pilot.app._exception is not None:
            return False
        waited = time.monotonic() - begun
        if waited > PATIENCE and (time.process_time() - worked > WORK or waited > 5 * PATIENCE):
            return False
        await pilot.pause(0.02)
    return True


def _problem(app: Any) -> str | None:
    """The words of the dialog on top, if one is there."""
    from app.desk.dialogs.problem import ProblemScreen

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
    home = pilot.app.home_screen
    names = {line.path.name for line in home.runs}
    table = home.query_one("#table")
    cells = [cell.plain for row in range(table.row_count) for cell in table.get_row_at(row)]
    faults = [why] if why else []
    missing = [case.name for case in batch if case.path.name not in names]
    if not why and missing:
        faults.append(f"not named on Home: {len(missing)} of {len(batch)}, such as {missing[0]}")
    if not why and table.row_count != len(home.runs):
        faults.append("Home shows not every line")
    if any(CONTROL.search(cell) for cell in cells):
        faults.append("raw control characters in a cell")
    told({"case": "", "faults": faults})


async def _open_all(pilot: Any, batch: Sequence[Hostile], told: Callable[[dict[str, Any]], None]) -> None:
    await _loaded(pilot)
    for case in batch:
        told({"case": case.name})
        elsewhere = Path(os.environ["MOOT_HOME"]) / "elsewhere" / case.name
        faults = [fault async for fault in _open(pilot, place(case.path, elsewhere))]
        broken = pilot.app._exception
        told({"case": case.name, "faults": [*faults, *([f"the desk broke by {raised(broken)}"] if broken else [])]})
        if broken or not pilot.app.is_running or any(fault.endswith("hangs") for fault in faults):
            os._exit(1)


async def _open(pilot: Any, path: Path) -> Any:
    """The list of its episodes, the first episode, the Review screen: each shows it, or says one sentence."""
    from app.desk.episode.screen import EpisodeScreen
    from app.desk.home.run import RunScreen
    from app.desk.review.screen import ReviewScreen
    from app.library import RunLine

    app = pilot.app
    for mode, screen_of in (("episode", EpisodeScreen), ("review", ReviewScreen)):  # nothing of the file before
        await app.remove_mode(mode)
        app.add_mode(mode, screen_of)
    line = RunLine(path, path.stem)
    screen = RunScreen(line)
    app.push_screen(screen)
    if not await _until(pilot, lambda: screen.stored is not None or _problem(app)):
        yield "the list of episodes hangs"
        return
    async for fault in _said(pilot, "episodes"):
        yield fault
    await _home(pilot)
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
        return
    await pilot.pause(0.1)
    async for fault in _said(pilot, "episode"):
        yield fault
    await _home(pilot)
    await app.review(path)
    await pilot.pause(0.2)
    if not await _until(pilot, lambda: _problem(app) or all(worker.is_finished for worker in app.workers)):
        yield "the review hangs"
        return
    async for fault in _said(pilot, "review"):
        yield fault
    await _home(pilot)


async def _said(pilot: Any, what: str) -> Any:
    """Faults of the dialog on top, which is closed; it must not come back by itself."""
    words = _problem(pilot.app)
    if words is None:
        return
    if CODE_WORDS.search(words):
        yield f"{what}, a dialog of code, {words.split(':')[0]}"
    if len(words) > 2000 or CONTROL.search(words):
        yield f"{what}, the dialog is no sentence"
    pilot.app.pop_screen()
    await pilot.pause(0.3)
    if _problem(pilot.app) == words:
        yield f"{what}, the dialog comes back when it is closed"


async def _home(pilot: Any) -> None:
    """Home, and no dialog left over any mode; what a screen below does on its return is not waited for."""
    app = pilot.app
    for mode in ("review", "episode", "home", "review", "episode", "home"):
        if len(app._screen_stacks.get(mode, ())) > 1 or mode == "home":
            await app.switch_mode(mode)
            while len(app.screen_stack) > 1:
                app.pop_screen()
    await pilot.pause()
