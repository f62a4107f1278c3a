"""Run files: what is appended is read back and damage is named; who writes one, and wishes that a run stops."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store import writer
from store.errors import BadInput, DamagedData, NotFound, StoreError
from store.journal import Entry, EpisodeRow, Journal, ScoreRow, text_hash
from store.journal_format import EARLIER_APPLICATION_ID
from store.writer import on_stop_requested, request_stop, stop_requested, writer_of, writers
from tests.support.altered import alter
from tests.support.patience import PATIENCE

HEADER = {"run": "r", "spec": {"benchmark": "legalagentbench"}}


def make(path: Path, episodes: int = 2) -> Journal:
    return Journal.create(path, HEADER, [EpisodeRow(str(n), n, str(n)) for n in range(episodes)])


def entry(attempt: int, seq: int, data: object = None) -> Entry:
    return Entry(attempt, seq, 1, None, 1.5, "thought", {"seat": "agent", "text": "想"} if data is None else data)


def test_what_is_appended_is_read_back(tmp_path: Path) -> None:
    with make(tmp_path / "r.moot") as journal:
        (attempt,) = journal.attempts("0")
        journal.append([entry(attempt.id, 0), entry(attempt.id, 1)], ["长文本"])
    with Journal.open(tmp_path / "r.moot") as journal:
        assert journal.header == HEADER
        assert [e.seq for e in journal.entries(attempt.id)] == [0, 1]
        assert journal.entries(attempt.id)[0] == entry(attempt.id, 0)
        assert journal.text(text_hash("长文本")) == "长文本"
        assert journal.text("nothing") is None


@settings(max_examples=30)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(st.characters()),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_any_json_data_survives(tmp_path: Path, data: object) -> None:
    path = tmp_path / "r.moot"
    path.unlink(missing_ok=True)
    with make(path) as journal:
        (attempt,) = journal.attempts("0")
        journal.append([Entry(attempt.id, 0, 0, None, 0.0, "x", data)])
        assert journal.entries(attempt.id)[0].data == data


def test_the_record_cannot_be_changed_or_deleted(tmp_path: Path) -> None:
    path = tmp_path / "r.moot"
    with make(path) as journal:
        (attempt,) = journal.attempts("0")
        journal.append([entry(attempt.id, 0)])
        journal.add_scores([ScoreRow(attempt.id, "s", "1", {}, 0.5, {}, "moot")])
    database = sqlite3.connect(path)
    for statement in ("UPDATE events SET tag='x'", "UPDATE scores SET value='1'", "DELETE FROM attempts"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            database.execute(statement)
    database.close()


def test_a_half_failed_append_leaves_nothing(tmp_path: Path) -> None:
    with make(tmp_path / "r.moot") as journal:
        (attempt,) = journal.attempts("0")
        journal.append([entry(attempt.id, 0)])
        with pytest.raises(StoreError):
            journal.append([entry(attempt.id, 1), entry(attempt.id, 0)])
        assert [e.seq for e in journal.entries(attempt.id)] == [0]


def test_one_writer_many_readers(tmp_path: Path) -> None:
    path = tmp_path / "r.moot"
    with make(path) as journal:
        with pytest.raises(StoreError, match="another process"):
            Journal.open(path, write=True)
        with Journal.open(path) as reader:
            (attempt,) = journal.attempts("0")
            journal.append([entry(attempt.id, 0)])
            assert len(reader.entries(attempt.id)) == 1
            with pytest.raises(StoreError, match="opened for reading"):
                reader.append([entry(attempt.id, 1)])
    Journal.open(path, write=True).close()


def test_a_finished_run_opens_from_a_read_only_folder(tmp_path: Path) -> None:
    folder = tmp_path / "stick"
    folder.mkdir()
    with make(folder / "r.moot"):
        pass
    assert sorted(p.name for p in folder.iterdir()) == ["r.moot"]
    folder.chmod(0o500)
    try:
        with Journal.open(folder / "r.moot") as journal:
            assert journal.header == HEADER
    finally:
        folder.chmod(0o700)


def test_bad_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        Journal.open(tmp_path / "absent.moot")
    (tmp_path / "text.moot").write_text("not a database, only words that go on for a while")
    with pytest.raises(DamagedData, match="text.moot"):
        Journal.open(tmp_path / "text.moot")
    foreign = sqlite3.connect(tmp_path / "foreign.moot")
    foreign.execute("CREATE TABLE t (x)")
    foreign.close()
    with pytest.raises(BadInput, match="not a run"):
        Journal.open(tmp_path / "foreign.moot")
    make(tmp_path / "r.moot").close()
    shutil.copy(tmp_path / "r.moot", tmp_path / "second.moot")
    alter(tmp_path / "r.moot", "PRAGMA user_version=99")
    with pytest.raises(BadInput, match="newer release"):
        Journal.open(tmp_path / "r.moot")
    alter(tmp_path / "second.moot", f"PRAGMA application_id={EARLIER_APPLICATION_ID}")
    for write in (False, True):
        with pytest.raises(BadInput, match="earlier development version") as raised:
            Journal.open(tmp_path / "second.moot", write=write)
        assert raised.value.exit_code == 1
    with pytest.raises(StoreError, match="already exists"):
        make(tmp_path / "r.moot")


def test_power_loss_leaves_a_prefix(tmp_path: Path) -> None:
    """A cut at any place in the write-ahead log loses whole transactions from the end, never parts or earlier
    ones."""
    path = tmp_path / "r.moot"
    journal = make(path)
    (attempt,) = journal.attempts("0")
    for seq in range(6):
        journal.append([entry(attempt.id, seq, {"text": "字" * 500})])
    log = (tmp_path / "r.moot-wal").read_bytes()
    for cut in range(0, len(log), max(1, len(log) // 40)):
        copy = tmp_path / "cut"
        copy.mkdir()
        shutil.copy(path, copy / "r.moot")
        (copy / "r.moot-wal").write_bytes(log[:cut])
        with Journal.open(copy / "r.moot") as found:
            found.check()
            if found.episodes():
                seqs = [e.seq for e in found.entries(attempt.id)]
                assert seqs == list(range(len(seqs)))
        shutil.rmtree(copy)
    journal.close()


def _altered(tmp_path: Path, statement: str) -> Path:
    path = tmp_path / "r.moot"
    with make(path) as journal:
        (attempt,) = journal.attempts("0")
        journal.append([entry(attempt.id, 0), entry(attempt.id, 1), entry(attempt.id, 2)], ["长文本"])
        journal.add_scores([ScoreRow(attempt.id, "compat", "1", {}, {"score": 0.0}, {}, "moot")] * 2)
        journal.begin_attempt("1", "again")
    alter(path, statement)
    return path


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET data = '{broken' WHERE seq = 1",
        "UPDATE events SET step = 9 WHERE seq = 2",
        "DELETE FROM events WHERE seq = 1",
        "UPDATE texts SET text = 'x'",
        "DELETE FROM header",
        "UPDATE header SET value = '{'",
        "UPDATE header SET value = '\"s\"' WHERE key = 'run'",
        "DELETE FROM header WHERE key = 'spec'",
        "DELETE FROM events WHERE seq = 2",
        "UPDATE episodes SET task_id = 'other' WHERE position = 0",
        "DELETE FROM episodes WHERE position = 1",
        "UPDATE attempts SET reason = 'other' WHERE id = 1",
        "DELETE FROM attempts WHERE number = 2",
        "UPDATE scores SET value = '4.0' WHERE id = 1",
        "UPDATE scores SET author = 'somebody' WHERE id = 2",
        "DELETE FROM scores WHERE id = 2",
        "INSERT INTO scores SELECT 9, attempt, scorer, version, settings, value, evidence, author, at FROM scores "
        "WHERE id = 1",
        "DELETE FROM heads WHERE name LIKE 'scores/%'",
        "UPDATE heads SET count = count + 1",
    ],
)
def test_a_record_changed_by_other_means_is_named(tmp_path: Path, statement: str) -> None:
    path = _altered(tmp_path, statement)
    with Journal.open(path) as journal, pytest.raises(DamagedData, match=r"r\.moot"):
        _whole(journal)
        journal.text(text_hash("长文本"))


@pytest.mark.parametrize("loss", ["file", "replaced", "folder", "log"])
def test_a_run_whose_file_goes_away_stops_at_the_next_commit(tmp_path: Path, loss: str) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    path = folder / "r.moot"
    with make(path) as journal:
        (attempt,) = journal.attempts("0")
        journal.append([entry(attempt.id, 0)])
        if loss == "file":
            path.unlink()
        elif loss == "replaced":
            shutil.copy(path, folder / "other")
            (folder / "other").replace(path)
        elif loss == "folder":
            folder.rename(tmp_path / "elsewhere")
        else:
            path.with_name("r.moot-wal").unlink()
        with pytest.raises(StoreError, match="while the run was writing"):
            journal.append([entry(attempt.id, 1)])


def test_a_file_that_is_no_run_is_not_written_to(tmp_path: Path) -> None:
    for content in (b"", b"x" * 200):
        (tmp_path / "z.moot").write_bytes(content)
        with pytest.raises(DamagedData):
            Journal.open(tmp_path / "z.moot", write=True)
        assert (tmp_path / "z.moot").read_bytes() == content


def test_a_flipped_bit_is_refused_or_changes_nothing(tmp_path: Path) -> None:
    path = _altered(tmp_path, "SELECT 1")
    sound = path.read_bytes()
    with Journal.open(path) as journal:
        known = _whole(journal)
    chance = random.Random(1)
    for _ in range(300):
        content = bytearray(sound)
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
        try:
            with Journal.open(path) as journal:
                found = _whole(journal)
        except StoreError:
            continue
        assert found == known


def _whole(journal: Journal) -> object:
    episodes = journal.episodes()
    attempts = [attempt for row in episodes for attempt in journal.attempts(row.id)]
    entries = [journal.entries(attempt.id) for attempt in attempts]
    return dict(journal.header), episodes, attempts, entries, journal.scores(), list(journal.texts())


ROOT = Path(__file__).resolve().parents[2]
HOLDER = """
import sys, time
from pathlib import Path
from store.journal import Journal
journal = Journal.open(Path(sys.argv[1]), write=True)
print('writing', flush=True)
sys.stdin.read()
journal.close()
"""


def beside(path: Path) -> list[str]:
    """What lies beside a run file under its name."""
    return sorted(file.name for file in path.parent.iterdir() if file.name.startswith("."))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "r.moot"
    Journal.create(path, {"run": "r"}, [EpisodeRow("1", 0, "1")]).close()
    return path


@pytest.fixture
def holder(run: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that writes the run until its input ends."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(run)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == b"writing\n"
        yield process
        process.kill()


def test_whoever_writes_says_so_and_leaves_nothing_behind(run: Path) -> None:
    assert writer_of(run) is None and writers(run.parent) == {}
    with Journal.open(run, write=True):
        found = writer_of(run)
        assert found is not None and found.process == os.getpid()
        assert writers(run.parent) == {"r.moot": found}
        assert writer_of(run) == found, "looking changes nothing"
    assert writer_of(run) is None and beside(run) == []


def test_another_process_is_named_until_it_is_killed(run: Path, holder: subprocess.Popen[bytes]) -> None:
    found = writer_of(run)
    assert found is not None and found.process == holder.pid
    with pytest.raises(StoreError, match="being written by another process") as refused:
        Journal.open(run, write=True)
    assert "moot attach" in refused.value.hint and "moot stop" in refused.value.hint
    assert writer_of(run) == found
    holder.kill()
    holder.wait()
    assert len(beside(run)) == 2, "lock and card were left"
    assert writer_of(run) is None and beside(run) == []
    Journal.open(run, write=True).close()


@pytest.mark.parametrize("card", ["", "[1]", '{"process": 1e999, "since": "x"}', "[" * 5000])
def test_a_card_without_a_lock_says_nothing_and_a_broken_one_names_nobody(run: Path, card: str) -> None:
    stale = run.with_name(".r.moot.writer")
    stale.write_text(f'{{"process": {os.getpid()}, "since": 1.0}}')
    assert writer_of(run) is None, "the process lives, but it does not write"
    assert request_stop(run) is None and not stop_requested(run)
    with Journal.open(run, write=True):
        stale.write_text(card)
        found = writer_of(run)
        assert found is not None and found.process == 0


def test_a_wish_is_heard_once_and_not_by_the_next(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "LOOK", 0.01)
    heard = threading.Event()
    calls: list[int] = []

    def stop() -> None:
        calls.append(1)
        heard.set()

    with Journal.open(run, write=True):
        with on_stop_requested(run, stop):
            assert not stop_requested(run)
            asked = request_stop(run)
            assert asked is not None and asked.process == os.getpid()
            assert request_stop(run) == asked, "twice does no harm"
            assert heard.wait(PATIENCE)
        assert stop_requested(run)
    run.with_name(".r.moot.stop").touch()
    with Journal.open(run, write=True):
        assert not stop_requested(run), "left for another"
    assert calls == [1] and beside(run) == []


def test_looking_refuses_no_writer(run: Path) -> None:
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            writer_of(run)

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            Journal.open(run, write=True).close()
    finally:
        over.set()
        for thread in threads:
            thread.join()
