"""Output files are there whole or not at all, and an error of a disk names the file and what to do.

A full disk is a limit on the size of files (RLIMIT_FSIZE): writes then fail in the middle, as on a disk without room.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.desk.episode.cursor import export_episode
from app.desk.messages import RunFacts
from store.errors import StoreError
from store.files import SUFFIX, written_whole
from tasks.errors import UsageError
from tasks.run.exporting import whole_folder, write_lines
from tests.support.kill_harness import prepare
from tests.support.typed import moot

ROOT = Path(__file__).resolve().parents[2]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="limits, pipes and rights of POSIX")
LONG = "字" * 40_000
ROOM = 20_000
"""Bytes that a file may have on the full disk: some of it is written before it fails."""


@contextmanager
def full_disk(room: int = ROOM) -> Iterator[None]:
    """Modules that are loaded meanwhile, here or in a child, are not kept compiled: half of one would break every
    later run."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


# --- one file -------------------------------------------------------------------------------------------------------


def test_a_file_replaces_the_old_one_whole(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    for text in ("一\r\n", "二\n"):
        with written_whole(out) as file:
            file.write(text)
            assert not out.exists() or out.read_bytes().decode() != text
        assert out.read_bytes().decode() == text
    with written_whole(tmp_path / "new" / "deep.bin", parents=True, binary=True) as file:
        file.write(b"\0")
    assert names(tmp_path) == {"out.txt", "new"} and names(tmp_path / "new") == {"deep.bin"}


@pytest.mark.parametrize("failure", [KeyboardInterrupt, UnicodeError])
def test_whatever_ends_the_writing_leaves_the_old_file(tmp_path: Path, failure: type[BaseException]) -> None:
    out = tmp_path / "out.txt"
    out.write_text("old", "utf-8")
    with pytest.raises(failure), written_whole(out) as file:
        file.write("half")
        raise failure
    assert names(tmp_path) == {"out.txt"} and out.read_text("utf-8") == "old"


WRITER = """
import sys
from pathlib import Path
from store.files import written_whole
with written_whole(Path(sys.argv[1])) as file:
    file.write("half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


@POSIX
def test_what_a_killed_writer_left_is_swept_and_that_of_a_living_one_is_not(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    with writing(out) as killed, writing(out) as living:
        killed.kill()
        killed.wait(60)
        assert not out.exists() and len(names(tmp_path)) == 2
        with written_whole(out) as file:
            file.write("mine")
        assert out.read_text("utf-8") == "mine"
        assert [name for name in names(tmp_path) if name.endswith(SUFFIX) and f".{living.pid}-" in name] and len(
            names(tmp_path)
        ) == 2
        living.communicate()
    assert names(tmp_path) == {"out.txt"} and out.read_text("utf-8") == "half"


@contextmanager
def writing(out: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(out)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "writing\n"
        yield process


# --- every command that writes one ----------------------------------------------------------------------------------

FACTS = RunFacts("run-1", Path("run-1.moot"), {})


def _folder(out: Path) -> None:
    with whole_folder(out) as folder:
        write_lines(folder / "rows.jsonl", ["short"])
        write_lines(folder / "long.jsonl", [LONG])


@POSIX
@pytest.mark.parametrize("write", [lambda out: write_lines(out, [LONG]), _folder], ids=["file", "folder"])
def test_a_full_disk_leaves_nothing_and_the_sentence_names_the_file(
    tmp_path: Path, write: Callable[[Path], object]
) -> None:
    out = tmp_path / "out"
    with full_disk(), pytest.raises((StoreError, UsageError)) as caught:
        write(out)
    assert str(out) in str(caught.value) and os.strerror(errno.EFBIG) in str(caught.value)
    assert names(tmp_path) == set()


@POSIX
def test_an_export_of_the_desk_that_fails_keeps_the_one_before(
    moot_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"text": "旧"}
    monkeypatch.setattr("app.desk.episode.cursor.episode_markdown", lambda *_: said["text"])
    path = export_episode(FACTS, "1", ())
    said["text"] = LONG
    with full_disk(), pytest.raises(StoreError, match=path.name):
        export_episode(FACTS, "1", ())
    assert path.read_text("utf-8") == "旧" and names(path.parent) == {path.name}


@POSIX
def test_commands_say_it_in_one_sentence(tmp_path: Path, moot_home: Path) -> None:
    from tasks.run.runner import start_run
    from tasks.run.spec import RunSpec

    spec = RunSpec(**{**prepare(moot_home), "agent": "rules", "model": ""})
    with start_run(spec, out=moot_home / "runs" / "r.moot") as run:
        run.go()
        run.record_scores()
    folder = tmp_path / "out"
    folder.mkdir()
    for line in ("report r --format html", "export r --to jsonl", "export r --to inspect", "export r --to rows"):
        out = folder / ("out.eval" if "inspect" in line else "out")
        with full_disk(500):
            code, _, said = moot(*line.split(), "--out", out)
        assert code == 1 and said.startswith(f"moot: cannot write {out}: "), line
        assert said.count("\n") == 1 and "space" in said and names(folder) == set(), line


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", [["--help"], ["list", "--json"]])
def test_a_full_standard_output_is_named(arguments: list[str], moot_home: Path) -> None:
    command = [sys.executable, "-m", "app.cli.main", *arguments]
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "standard output" in done.stderr and done.stderr.count("\n") == 1, done.stderr
