"""Many runs and many episodes: lists read what is sealed and open nothing twice; memory and work do not grow with
what is over. Work is counted, never timed."""

from __future__ import annotations

import gc
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from store import identity, labels, places, run_file, run_index
from store.cache import file_of
from store.errors import BadInput, DamagedData, NotFound, StoreError
from store.journal import Journal, ScoreRow
from tasks.episode.driver import Driver
from tasks.episode.state import digest
from tasks.run import listing
from tasks.run.engines import run_path, run_paths
from tasks.run.listing import brief_of, read_run, runs
from tasks.run.opened import Run
from tasks.run.reading import read_episode
from tasks.run.rescoring import append_scores, read_stored, summary_of
from tasks.run.runner import resume_run, start_run
from tasks.run.spec import RunSpec
from tests.support.altered import alter
from tests.support.kill_harness import prepare
from tests.support.typed import moot

pytestmark = pytest.mark.slow

OLD = 5 * identity.GRANULARITY


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """The settings of a run of three tasks, and one that has ended, as the command line leaves it."""
    home = tmp_path_factory.mktemp("large")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(home))
        spec = prepare(home, tasks=3)
        with start_run(RunSpec.model_validate(spec), out=home / "ended.moot") as run:
            run.go()
            run.record_scores()
    return spec, run.journal.path


@pytest.fixture
def spec(once: tuple[dict[str, Any], Path], moot_home: Path) -> dict[str, Any]:
    shutil.copytree(once[1].parent / "packs", moot_home / "packs")
    return once[0]


Played = Callable[..., Path]


@pytest.fixture
def played(once: tuple[dict[str, Any], Path], spec: dict[str, Any]) -> Played:
    """A copy of the ended run among the runs, under any name."""
    places.runs().mkdir(parents=True, exist_ok=True)
    return lambda name="r": Path(shutil.copyfile(once[1], places.runs() / f"{name}.moot"))


def begun(spec: dict[str, Any], name: str = "r", **changes: Any) -> Run:
    return start_run(RunSpec.model_validate({**spec, **changes}), out=places.runs() / f"{name}.moot")


@pytest.fixture(autouse=True)
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the file system stands later than every file."""
    now = identity.now
    monkeypatch.setattr(identity, "now", lambda: now() + OLD)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run files that were opened."""
    names: list[str] = []
    look = run_file.look

    def looked(path: Path, *, write: bool) -> None:
        names.append(path.name)
        look(path, write=write)

    monkeypatch.setattr(run_file, "look", looked)
    return names


# --- seals ---


def test_an_ended_run_is_sealed_and_its_line_reads_no_event(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    path = played()
    with Journal.open(path) as journal:
        assert journal.summary() is not None
        computed = listing._made(journal)
    for name in ("entries", "tail", "scores", "attempts"):
        monkeypatch.setattr(Journal, name, lambda *_: pytest.fail("it read the episodes"))
    line = read_run(path)
    assert (line.n, line.finished, line.compat, line.strict) == (3, 3, computed.compat, computed.strict)
    assert line.compat is not None


def test_an_open_run_has_no_seal(spec: dict[str, Any]) -> None:
    left = iter([True] * 3)
    with begun(spec) as run:
        run.go(lambda: next(left, False))
    with Journal.open(run.journal.path) as journal:
        assert journal.summary() is None
    assert read_run(run.journal.path).state == "unfinished"
    with resume_run(run.journal.path) as run:
        run.go()
        run.record_scores()
    with Journal.open(run.journal.path) as journal:
        assert journal.summary() is not None


def test_whatever_is_written_afterwards_makes_a_seal_stale(played: Played) -> None:
    path = played()
    with Journal.open(path, write=True) as journal:
        attempt = journal.attempts("1")[-1].id
        journal.add_scores([ScoreRow(attempt, "compat", "x/1", {}, {"success": 0.0}, [], "moot")])
        assert journal.summary() is None
        was = brief_of(journal).compat
    assert was is not None and read_run(path).compat == was
    assert append_scores(read_stored(path)) > 0
    with Journal.open(path) as journal:
        assert journal.summary() is not None, "scoring seals again"


def test_the_end_of_an_attempt_is_proven(played: Played) -> None:
    path = played()
    with Journal.open(path) as journal:
        attempt = journal.attempts("1")[-1].id
        whole = journal.entries(attempt)
        (stopped, *_) = journal.tail(attempt, "stopped")
        assert stopped == next(entry for entry in whole if entry.tag == "stopped")
        assert journal.tail(attempt, "attempt_started") == whole and journal.tail(attempt, "nothing") == []
    for change in (
        "SET data = '{\"outcome\":\"loop\"}' WHERE tag = 'stopped'",
        "SET tag = 'stoqped' WHERE tag = 'stopped'",
    ):
        other = path.with_name("changed.moot")
        shutil.copyfile(path, other)
        alter(other, f"UPDATE events {change}")
        with Journal.open(other) as journal, pytest.raises(DamagedData):
            journal.tail(attempt, "stopped")


# --- lists ---


def test_a_list_opens_no_file_that_it_has_seen(played: Played, opened: list[str]) -> None:
    paths = [played(f"r{n}") for n in range(3)]
    opened.clear()
    first = list(runs())
    assert sorted(opened) == ["r0.moot", "r1.moot", "r2.moot"]
    opened.clear()
    assert list(runs()) == first and not opened
    with Journal.open(paths[0], write=True) as journal:
        journal.begin_attempt("1", "again")
    opened.clear()
    changed = {line.id: line for line in runs()}
    assert opened == ["r0.moot"] and changed["r0"].state == "unfinished"
    paths[1].unlink()
    assert {line.id for line in runs()} == {"r0", "r2"}
    assert set(run_index.remembered()) == {str(paths[0]), str(paths[2])}


@pytest.mark.parametrize("harm", ["another version", "noise", "read-only", "page"])
def test_an_index_that_is_broken_counts_for_nothing(
    played: Played, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    played()
    true = list(runs())
    index = file_of("lines")
    match harm:
        case "another version":
            monkeypatch.setattr(run_index, "VERSION", run_index.VERSION + 1)
            assert not run_index.remembered()
        case "noise":
            index.write_bytes(os.urandom(5000))
        case "page":
            index.write_bytes(index.read_bytes()[:4096] + os.urandom(index.stat().st_size - 4096))
        case "read-only":
            index.chmod(0o400)
    assert list(runs()) == true and list(runs()) == true
    if harm != "read-only":
        assert list(runs()) == true and len(run_index.remembered()) == 1, "it began anew"


def test_a_damaged_file_is_a_line_each_time(played: Played, opened: list[str]) -> None:
    path = played()
    path.write_bytes(path.read_bytes()[:3000])
    (places.runs() / "folder.moot").mkdir()
    for _ in range(2):
        opened.clear()
        lines = {line.id: line for line in runs()}
        assert lines["r"].state == lines["folder"].state == "damaged" and "r.moot" in opened


def test_a_run_that_is_written_says_so(spec: dict[str, Any]) -> None:
    left = iter([True] * 3)
    with begun(spec) as run:
        run.go(lambda: next(left, False))
        (line,) = runs()
        assert line.state == "running" and line.finished < line.n
    (line,) = runs()
    assert line.state == "unfinished"
    beside = run.journal.path.with_name(f".{run.journal.path.name}.lock")
    beside.touch()  # as a process that was killed leaves it
    (line,) = runs()
    assert line.state == "unfinished"


# --- names, tags, removal ---


def test_a_name_and_tags_stand_for_runs(played: Played) -> None:
    first, second = played("r1"), played("r2")
    labels.change(first, lambda label: labels.RunLabel(name="基线", tags=("7b",)))
    labels.change(second, lambda label: labels.RunLabel(tags=("7b", "law")))
    assert run_path("基线") == first and run_path("tag:law") == second
    assert run_paths(["tag:7b", "r2"]) == [first, second]
    with pytest.raises(NotFound, match="2 runs have the tag"):
        run_path("tag:7b")
    with pytest.raises(NotFound):
        run_path("基线", exact=True)
    assert {line.id: (line.name, line.tags) for line in runs()} == {
        "r1": ("基线", ("7b",)),
        "r2": ("", ("7b", "law")),
    }
    for taken in ("基线", "r1"):
        with pytest.raises(BadInput):
            labels.change(second, lambda label, taken=taken: labels.RunLabel(name=taken))  # type: ignore[misc]
    labels.change(first, lambda label: None)
    assert first.name not in labels.labels()


@pytest.mark.parametrize("name", [" ", "latest", "-x", "a/b", "a\\b", "tag:x", "x" * 81, "a\x1b[0m"])
def test_what_cannot_be_a_name(name: str) -> None:
    with pytest.raises(BadInput):
        labels.check_name(name)


def test_names_that_cannot_be_read_hide_no_run(played: Played) -> None:
    path = played()
    labels.change(path, lambda label: labels.RunLabel(name="x"))
    file = places.config() / labels.FILE
    file.write_text('{"runs": 3}', encoding="utf-8")
    assert [line.id for line in runs()] == ["r"]
    with pytest.raises(DamagedData, match="names and tags"):
        labels.change(path, lambda label: labels.RunLabel(name="y"))
    assert file.read_text(encoding="utf-8") == '{"runs": 3}', "nothing is written over it"


def test_removing_takes_what_lies_beside_and_nothing_else(played: Played, tmp_path: Path) -> None:
    path = played()
    kept = played("kept")
    for end in run_file.BESIDE:
        path.with_name(f"{path.name}{end}").touch()
    linked = places.runs() / "linked.moot"
    linked.symlink_to(kept)
    assert run_file.remove(linked) == [linked] and kept.exists()
    run_file.remove(path)
    assert sorted(file.name for file in places.runs().iterdir()) == ["kept.moot"]
    foreign = tmp_path / "other.moot"
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE t (x)")
    database.close()
    with pytest.raises(BadInput, match="not a run"):
        run_file.remove(foreign)
    with Journal.open(kept, write=True), pytest.raises(StoreError, match="another process"):
        run_file.remove(kept)
    assert foreign.exists() and kept.exists()


# --- many episodes ---


def test_an_episode_that_is_over_leaves_memory_and_stays_readable(spec: dict[str, Any]) -> None:
    most = 0

    class Looking:
        def notify(self, notice: object) -> None:
            nonlocal most
            most = max(most, len(run.scheduler.episodes.moving))

    def drivers() -> int:
        gc.collect()
        return sum(isinstance(one, Driver) for one in gc.get_objects())

    before = drivers()
    with begun(spec, epochs=4, parallel=2) as run:
        run.scheduler.watchers.append(Looking())
        run.go()
        held = drivers() - before
        assert most <= 2 and not run.scheduler.episodes.moving and held <= 4
        episodes = run.scheduler.episodes
        assert len(episodes) == 12 and not episodes.open
        for name in episodes:
            assert digest(episodes[name].state.records) == digest(read_episode(run.journal, name))
            stopped = episodes[name].state.stopped
            assert stopped is not None and episodes.outcome(name) == stopped.outcome


LOOKS = {
    "line": lambda path: read_run(path),
    "score": lambda path: append_scores(read_stored(path)),
    "summary": lambda path: summary_of(read_stored(path)),
    "resume": lambda path: resume_run(path).close(),
}


def test_statements_grow_in_proportion(spec: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the episodes take at most about four times the statements, whatever is wanted of a run."""
    figures: dict[str, list[int]] = {what: [] for what in LOOKS}
    for epochs in (2, 8):
        with begun(spec, f"r{epochs}", epochs=epochs) as run:
            run.go()
            monkeypatch.setattr(run, "rows", {})  # nothing is sealed: the work is done by whoever looks
        for what, look in LOOKS.items():
            path = run.journal.path.with_name(f"{what}{epochs}.moot")
            shutil.copy(run.journal.path, path)
            with counted_statements() as count:
                look(path)
            figures[what].append(count[0])
    assert {what: few for what, (few, many) in figures.items() if not 0 < many <= 4.4 * few} == {}


@contextmanager
def counted_statements() -> Iterator[list[int]]:
    """Statements that run files are asked."""
    count, connect = [0], run_file.connect

    def counting(path: Path, *, write: bool) -> sqlite3.Connection:
        opened = connect(path, write=write)
        opened.set_trace_callback(lambda _: count.__setitem__(0, count[0] + 1))
        return opened

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_file, "connect", counting)
        yield count


def test_an_episode_that_has_not_begun_can_be_shown(spec: dict[str, Any]) -> None:
    with begun(spec) as run:
        path, episode = run.journal.path, run.journal.episodes()[0].id
    for more, code in (([], 0), (["--json"], 0), (["--step", "1"], 2)):
        ended, _, err = moot("show", path, episode, *more)
        assert ended == code and "could not be made sense of" not in err
