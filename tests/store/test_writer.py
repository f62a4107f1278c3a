"""Who writes a run file: the card beside the lock, what a killed process leaves behind, and wishes that a run
stops."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from store import writer
from store.errors import StoreError
from store.journal import EpisodeRow, Journal
from store.writer import on_stop_requested, request_stop, stop_requested, writer_of, writers
from tests.support.patience import PATIENCE

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
