"""A sample of hostile run files through the command line; the bench of the same name has a thousand and the desk.

What each command promises of any file whatever: it ends with 0, 1 or 2 and no other exception, prints nothing that a
terminal obeys, and the good run stays in the list.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from store.journal import Journal
from tests.support.forked import forked
from tests.support.hostile_content import Raw, reseal, write_first, write_own
from tests.support.hostile_desk import drive_desk
from tests.support.hostile_drive import COMMANDS, OBEYED, Stage, warm
from tests.support.hostile_runs import Base, Hostile, all_kinds, hostile_runs, make_bases, place

pytestmark = pytest.mark.slow

BASES = ("rules", "unfinished", "graded")
SHARE = 3
"""Every third kind that keeps its files small takes part, and those named here."""
ALWAYS = (
    "header_named",
    "stopped_shape",
    "view_in_place",
    "json_deep",
    "link_dangling",
    "path_tasks",
    "path_engine",
    "attempts_missing",
    "page_bits",
    "rows_twice",
)
WANTED = ("list --json", "show", "show EPISODE", "report text", "score", "resume")
PARTS = 4
"""Tests that the kinds are dealt to."""
PATIENCE = 120.0
"""Seconds of work after which a child counts as hung."""


@pytest.fixture(scope="module")
def home(sample_built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample pack."""
    path = tmp_path_factory.mktemp("hostile")
    (path / "packs").mkdir()
    (path / "packs" / "sample").symlink_to(sample_built, target_is_directory=True)
    return path


@pytest.fixture(scope="module")
def bases(home: Path) -> dict[str, Base]:
    """Good runs on it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(home))
        return make_bases(home / "bases", BASES)


def drive(stage: Stage, case: Hostile, commands: Sequence[str]) -> list[str]:
    """What is wrong with what the commands did, one after another; an exception that escapes them escapes here."""
    from app.cli.main import main

    faults = []
    path = place(case.path, stage.runs)
    for command in COMMANDS:
        if command.name not in commands:
            continue
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        code: object = None
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main(list(command.arguments(str(path), case.episode, str(stage.out))))
            except SystemExit as ended:
                code = ended.code
            except BaseException as error:
                error.add_note(command.name)
                raise
        texts = []
        for stream in (out, err):
            stream.flush()
            texts.append(stream.buffer.getvalue())  # type: ignore[attr-defined]
        if code not in (0, 1, 2):
            faults.append(f"{command.name}: exit code {code}")
        if code in (1, 2) and not texts[1].strip():
            faults.append(f"{command.name}: refused without a word")
        if any(OBEYED.search(text) for text in texts):
            faults.append(f"{command.name}: raw control characters")
        if command.name == "list --json":
            rows = [row["path"] for row in json.loads(texts[0])["runs"]] if code == 0 else []
            faults += [f"{there.name} is missing from the list" for there in stage.good if str(there) not in rows]
    return faults


@pytest.mark.parametrize("part", range(PARTS))
def test_no_file_brings_a_command_down(
    home: Path, bases: dict[str, Base], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, part: int
) -> None:
    monkeypatch.setenv("MOOT_HOME", str(home))
    warm()
    names = list(all_kinds())
    kinds = [name for place, name in enumerate(names) if place % SHARE == 0 or name in ALWAYS][part::PARTS]
    cases = hostile_runs(12, len(kinds) + len(kinds) // 3 + 1, tmp_path / "cases", bases, kinds, large=False)
    failed = []
    for case in cases:
        stage = Stage(home, [bases["rules"]])

        def call(case: Hostile = case, stage: Stage = stage) -> None:
            sys.__stdout__.write(json.dumps(drive(stage, case, WANTED)))
            sys.__stdout__.flush()

        done = forked(call, seconds=PATIENCE)
        faults = [done.fault] if done.fault else json.loads(done.out)
        failed += [f"{case.name}: {fault}" for fault in faults]
    assert not failed, f"{len(failed)} of {len(cases)} files:\n" + "\n".join(failed)
    assert len(cases) >= 60 // PARTS


def test_the_same_seed_writes_the_same_files(bases: dict[str, Base], tmp_path: Path) -> None:
    kinds = ("file_tr", "sqlite_header", "column_types", "header_", "stopped", "score_h")

    def digests(folder: Path) -> list[tuple[str, str]]:
        cases = hostile_runs(5, 24, folder, bases, kinds)
        return [
            (case.name, hashlib.sha256(json.dumps(str(sqlite_rows(case.path))).encode()).hexdigest())
            for case in cases
        ]

    assert digests(tmp_path / "a") == digests(tmp_path / "b")
    assert len({kind for kind in all_kinds()}) >= 60


def sqlite_rows(path: Path) -> object:
    """What a file holds as text: its SQL, or its bytes where it is no database."""
    import sqlite3

    try:
        with contextlib.closing(sqlite3.connect(path)) as database:
            return list(database.iterdump())
    except sqlite3.Error:
        return path.read_bytes()


def test_what_is_hostile_is_reached(bases: dict[str, Base], tmp_path: Path) -> None:
    """Changed content is sealed anew: no hash refuses it before its readers see it."""
    content = bases["rules"].content.copy()
    content.header["later"] = Raw("[1, 1]")
    content.events[3][6] = {"odd": Raw("1e3")}
    content.scores[0][4] = {"success": 4.0}
    first, own = tmp_path / "first.moot", tmp_path / "own.moot"
    write_first(first, content)
    assert write_own(own, content)
    reseal(first)
    for path in (first, own):
        with Journal.open(path) as journal:
            assert journal.header["later"] == [1, 1]
            attempt = journal.attempts(bases["rules"].episode)[0].id
            assert journal.entries(attempt)[3].data == {"odd": 1000.0}
            assert journal.scores(attempt)[0].value == {"success": 4.0}


def test_the_desk_opens_runs_without_episodes_and_episodes_without_records(
    home: Path, bases: dict[str, Base], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_HOME", str(home))
    cases = hostile_runs(12, 6, tmp_path / "cases", bases, ("episodes_missing", "keys_broken"), large=False)
    found = {(case.name, what): faults for case, what, faults, _, _ in drive_desk(home, [bases["rules"]], cases)}
    assert len(found) > 2 * len(cases) and not {key: faults for key, faults in found.items() if faults}
