"""The worker: whatever a reader does is one sentence and costs one job, and the child outlives nobody."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from store.errors import BadInput, NotFound
from store.worker import JobLimits, Worker, read_lines, write_lines

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
HARM = "tests.support.parsers_that_harm"
POSIX = pytest.mark.skipif(os.name == "nt", reason="limits of the operating system")


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker() as one:
        yield one
    assert one.pid is None


@POSIX
@pytest.mark.parametrize(
    ("function", "arguments", "sentence"),
    [
        ("dies", (), r"broke its reader \(signal 11\)"),
        ("spins", (), "needs more than 1 s or 1 GiB to be read"),
        ("sleeps", (), "needs more than 1 s or 1 GiB to be read"),
        ("hoards", (), "needs more than 1 s or 1 GiB to be read"),
        ("floods", (), "needs more than 1 s or 1 GiB to be read"),
        ("fills", ("{}/large",), r"cannot be read \(File too large\)"),
        ("raises", (), r"cannot be read \(Odd: x{100,}\)"),
        ("missing", (), r"cannot be read \(AttributeError: .*\)"),
        ("calls", (), r"cannot be read \(.*Network use refused.*\)"),
    ],
)
def test_whatever_a_reader_does_is_a_sentence(
    worker: Worker, tmp_path: Path, function: str, arguments: tuple[str, ...], sentence: str
) -> None:
    limits = JobLimits(cpu=1, wall=2 if function == "sleeps" else 60, fsize=8 << 20)
    with pytest.raises(BadInput, match=f"^a.xlsx {sentence}[.]") as caught:
        given = [argument.format(tmp_path) for argument in arguments]
        worker.run(f"{HARM}:{function}", *given, label="a.xlsx", limits=limits)
    assert len(str(caught.value)) <= 400
    first, *values = worker.run(f"{HARM}:fine", label="a.xlsx")
    second, *_ = worker.run(f"{HARM}:fine", label="a.xlsx")
    assert first == second == worker.pid, "one child serves job after job"
    assert values == ["\ud800", float("inf"), None]


@POSIX
def test_each_piece_of_a_long_file_has_its_own_time(worker: Worker) -> None:
    assert worker.run(f"{HARM}:in_pieces", label="a.jsonl", limits=JobLimits(cpu=1)) == "done"


@POSIX
def test_a_killed_child_is_replaced(worker: Worker) -> None:
    pid, *_ = worker.run(f"{HARM}:fine", label="a")
    os.kill(pid, 9)
    for _ in range(1200):
        if worker.pid is None:
            break
        time.sleep(0.1)
    assert worker.run(f"{HARM}:fine", label="a")[0] == worker.pid != pid


def test_an_error_of_the_reader_keeps_its_words(worker: Worker) -> None:
    with pytest.raises(NotFound) as caught:
        worker.run("store.importers.reading:head", "/nowhere/at/all", label="x")
    assert caught.value.title == "There is no file /nowhere/at/all"


@POSIX
@pytest.mark.parametrize("doing", ["time.sleep(600)", f"worker.run('{HARM}:spins', label='a', limits=limits)"])
def test_a_child_dies_with_its_parent(doing: str) -> None:
    script = (
        "import time; from store.worker import JobLimits, Worker\nworker, limits = Worker(), JobLimits(cpu=1)\n"
        f"print(worker.run('{HARM}:fine', label='a')[0], flush=True); {doing}"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for _ in range(1200):
        if gone(pid):
            return
        time.sleep(0.1)
    raise AssertionError(f"process {pid} lives on")


def gone(pid: int) -> bool:
    """Whether a process has ended; a dead one that nobody has waited for has."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_child_loads_little() -> None:
    with Worker() as fresh:
        loaded = fresh.run(f"{HARM}:modules", label="a")
    assert not {"textual", "llama_cpp", "numpy", "pydantic", "sqlite3", "jinja2"} & set(loaded)


def test_lines_come_back_as_they_were(tmp_path: Path) -> None:
    items: list[Any] = [["甲", "\ud800", 1.5, None], {"a": "\u2028\n"}, 3]
    write_lines(tmp_path / "items", items)
    assert list(read_lines(tmp_path / "items")) == items
