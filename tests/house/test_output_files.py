"""Output files are there whole or not at all, and an error of a disk names the file and what to do.

A full disk is a limit on the size of files (RLIMIT_FSIZE): writes then fail in the middle, as on a disk without room.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.cli import tasks
from app.cli.main import main
from app.desk.episode.markdown import export_episode
from app.desk.messages import RunFacts
from store.errors import StoreError
from store.files import SUFFIX, cannot_write, written_whole
from tasks.errors import UsageError
from tasks.run.exporting import whole_folder, write_lines
from tests.support.kill_harness import prepare

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


@pytest.mark.parametrize("failure", [KeyboardInterrupt, SystemExit, ValueError, UnicodeError])
def test_whatever_ends_the_writing_leaves_the_old_file(tmp_path: Path, failure: type[BaseException]) -> None:
    out = tmp_path / "out.txt"
    out.write_text("old", "utf-8")
    with pytest.raises(failure), written_whole(out) as file:
        file.write("half")
        raise failure
    assert names(tmp_path) == {"out.txt"} and out.read_text("utf-8") == "old"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_every_step_may_fail(tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    out = tmp_path / "out.txt"
    out.write_text("old", "utf-8")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(StoreError, match=r"cannot write .*out\.txt: .*"), written_whole(out) as file:
        file.write("new")
    assert names(tmp_path) == {"out.txt"} and out.read_text("utf-8") == "old"


def test_new_means_new_even_when_somebody_else_was_faster(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    with pytest.raises(StoreError, match="File exists.*Name another file"), written_whole(out, new=True) as file:
        file.write("mine")
        out.write_text("theirs", "utf-8")
    with pytest.raises(StoreError, match="cannot write"), written_whole(out, new=True):
        pass
    assert names(tmp_path) == {"out.txt"} and out.read_text("utf-8") == "theirs"


def test_errors_of_other_files_are_not_blamed_on_this_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), written_whole(tmp_path / "out.txt"):
        (tmp_path / "no such input").read_text("utf-8")
    with pytest.raises(BrokenPipeError), written_whole(tmp_path / "out.txt"):
        raise BrokenPipeError
    assert names(tmp_path) == set()


@POSIX
def test_links_are_followed_and_pipes_written_to(tmp_path: Path) -> None:
    real, link, pipe = tmp_path / "real.txt", tmp_path / "link.txt", tmp_path / "pipe"
    real.write_text("old", "utf-8")
    link.symlink_to(real)
    with written_whole(link) as file:
        file.write("new")
    assert link.is_symlink() and real.read_text("utf-8") == "new"
    os.mkfifo(pipe)
    came: list[str] = []
    reader = threading.Thread(target=lambda: came.append(pipe.read_text("utf-8")))
    reader.start()
    with written_whole(pipe) as file:
        file.write("through")
    reader.join()
    assert (
        came == ["through"]
        and stat.S_ISFIFO(pipe.stat().st_mode)
        and names(tmp_path) == {"real.txt", "link.txt", "pipe"}
    )


@POSIX
@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("folder", ("Is a directory", "not a folder")), ("file/out.txt", ("Not a directory", "name another folder")),
        ("missing/out.txt", ("No such file", "Make its folder")), ("x" * 300, ("name too long", "shorter name")),
    ],
)  # fmt: skip
def test_each_reason_has_its_advice(tmp_path: Path, place: str, words: tuple[str, str]) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("", "utf-8")
    before = names(tmp_path)
    with pytest.raises(StoreError) as caught, written_whole(tmp_path / place) as file:
        file.write("x")
    assert all(word in str(caught.value) for word in (place, *words)) and caught.value.exit_code == 1
    assert names(tmp_path) == before


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO])
def test_errors_that_need_a_special_disk(code: int) -> None:
    said = str(cannot_write(Path("结果.html"), OSError(code, os.strerror(code))))
    assert said.startswith(f"cannot write 结果.html: {os.strerror(code)}. ") and said.endswith(".")
    assert ("space" in said) == (code in (errno.ENOSPC, errno.EDQUOT))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_rights(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with (
            pytest.raises(StoreError, match=r"out\.txt: Permission denied.*may write"),
            written_whole(tmp_path / "out.txt"),
        ):
            pass
    finally:
        tmp_path.chmod(0o700)


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


def _cases(out: Path, moot_home: Path) -> Mapping[str, Callable[[], object]]:
    return {
        "construct": lambda: tasks._write(out, [{"question": LONG}]),
        "export": lambda: write_lines(out, [LONG]),
        "export verl": lambda: _folder(out),
    }  # fmt: skip


@POSIX
@pytest.mark.parametrize("what", ["construct", "export", "export verl"])
def test_a_full_disk_leaves_nothing_and_the_sentence_names_the_file(
    tmp_path: Path, moot_home: Path, what: str
) -> None:
    out = tmp_path / "out"
    with full_disk(), pytest.raises((StoreError, UsageError)) as caught:
        _cases(out, moot_home)[what]()
    assert str(out) in str(caught.value) and os.strerror(errno.EFBIG) in str(caught.value)
    assert names(tmp_path) == set()


@POSIX
def test_a_copy_into_the_library_that_has_no_room_is_named(
    tmp_path: Path, tiny_gguf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from store import places

    with full_disk(500), pytest.raises(SystemExit) as stop:
        main(["models", "add", str(tiny_gguf), "--name", "small", "--copy"])
    said = capsys.readouterr().err
    assert stop.value.code == 1 and str(places.models() / "files" / "small.gguf") in said, said
    assert not [path for path in places.models().rglob("*") if path.suffix in (".gguf", ".part")]


@POSIX
def test_an_export_of_the_desk_that_fails_keeps_the_one_before(
    moot_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"text": "旧"}
    monkeypatch.setattr("app.desk.episode.markdown.episode_markdown", lambda *_: said["text"])
    path = export_episode(FACTS, "1", ())
    said["text"] = LONG
    with full_disk(), pytest.raises(StoreError, match=path.name):
        export_episode(FACTS, "1", ())
    assert path.read_text("utf-8") == "旧" and names(path.parent) == {path.name}


@POSIX
@pytest.mark.parametrize(
    "arguments",
    [
        ["report", "--format", "html", "--out"],
        *(["export", "--to", form, "--out"] for form in ("jsonl", "inspect", "rows")),
    ],
)
def test_commands_say_it_in_one_sentence(
    tmp_path: Path, moot_home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    from tasks.run.runner import start_run
    from tasks.run.spec import RunSpec

    out = tmp_path / ("out.eval" if "inspect" in arguments else "out")
    with start_run(
        RunSpec(**{**prepare(moot_home), "agent": "rules", "model": ""}), out=moot_home / "runs" / "r.moot"
    ) as run:
        run.go()
        run.record_scores()
    command, *rest = arguments
    with full_disk(500), pytest.raises(SystemExit) as stop:
        main([command, "r", *rest, str(out)])
    said = capsys.readouterr().err
    assert (
        stop.value.code == 1
        and said.startswith(f"moot: cannot write {out}: ")
        and said.count("\n") == 1
        and "space" in said
    )
    assert names(tmp_path) == set()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", [["--help"], ["list", "--json"]])
def test_a_full_standard_output_is_named(arguments: list[str], moot_home: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "app.cli.main", *arguments],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1 and "standard output" in done.stderr and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.skipif(os.name == "nt", reason="no modes there")
def test_who_kept_the_old_file_to_himself_does_not_show_the_new_one(tmp_path: Path) -> None:
    from store.files import written_whole

    (tmp_path / "report.md").write_text("old")
    (tmp_path / "report.md").chmod(0o600)
    with written_whole(tmp_path / "report.md") as file:
        file.write("new")
    assert (tmp_path / "report.md").stat().st_mode & 0o777 == 0o600


def test_no_output_file_is_written_by_hand() -> None:
    """Every file that a user named goes through one door; what builds a folder that is moved in whole may write in
    it."""
    import re

    bare = re.compile(r"\.write_text\(|\.write_bytes\(|\bopen\([^)]*[\"'][wx]b?[\"']|tempfile\.NamedTemporary")
    allowed = {
        # within a pack being built
        "store/files.py", "store/manifest.py", "store/builder.py", "store/importers/reading.py",
        # a room that knows no other; pipes
        "models/llama/library.py", "models/llama/child.py",
        # the cache of hashes; members unpacked to a folder of our own
        "app/cluster.py",  # a scratch folder of its own
        "app/leaving.py", "store/writer.py", "store/identity.py", "store/importers/archives.py",
    }  # fmt: skip
    found = {
        str(path.relative_to(ROOT)).replace(os.sep, "/")
        for room in ("app", "store", "tasks", "models")
        for path in (ROOT / room).rglob("*.py")
        if bare.search(path.read_text("utf-8"))
    }
    assert found <= allowed, found - allowed


def test_signals_are_left_as_they_were() -> None:
    before: Any = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit):
        main(["--version"])
    assert signal.getsignal(signal.SIGTERM) is before
