"""What somebody names is read only where it is a plain file of a stated size: what is a pipe, a device, a ring of
links, a whole disk, or has a name in no encoding, is read or refused with one sentence, and nobody waits for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from app.preferences import Preferences, file_of_preferences, preferences
from models.errors import BadEngine
from models.llama import library
from store import labels, places
from store import manifest as manifests
from store.errors import BadInput, Damaged, StoreError
from store.files import BY_HAND, read_text
from store.importers import silent
from store.importers.reading import files_in
from store.pack import Pack
from tasks import benchmark
from tasks.benchmark import task_files
from tasks.courts.casefile.loading import load_cases, load_dispute
from tasks.errors import UsageError
from tasks.legalagentbench.construct.compose import Parts
from tasks.run.importing import importer
from tasks.run.suite import read_suite
from tasks.settings import text_of
from tests.support.gguf_files import tiny_llama

NO_TEXT = os.fsdecode(b"\xff\xfe")
READERS: list[Callable[[Path], Any]] = [read_suite, text_of, lambda path: manifests.read(path.parent)]
"""What reads a whole file that a person, a setting or a folder names."""
posix = pytest.mark.skipif(os.name == "nt", reason="pipes, devices and names of bytes")


@posix
@pytest.mark.parametrize("kind", ["pipe", "device", "ring", "folder", "endless"])
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_of_a_size_is_neither_waited_for_nor_read(
    reader: Callable[[Path], Any], kind: str, tmp_path: Path
) -> None:
    path = tmp_path / manifests.FILE
    plant(path, kind)
    with pytest.raises((StoreError, UsageError)) as raised:
        reader(path)
    assert len(str(raised.value)) < 800


@posix
@pytest.mark.parametrize("kind", ["pipe", "device", "ring", "folder", "endless"])
def test_nor_is_a_file_of_ours_that_somebody_replaced(kind: str, moot_home: Path) -> None:
    for path in (places.config() / labels.FILE, file_of_preferences()):
        path.parent.mkdir(parents=True, exist_ok=True)
        plant(path, kind)
    assert preferences() == Preferences()
    with pytest.raises(Damaged, match="the names and tags of runs"):
        labels.labels()


def plant(path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "ring":
        path.symlink_to(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.touch()
        os.truncate(path, 1 << 40)


@posix
def test_links_that_lead_around_in_a_ring_are_no_files(tmp_path: Path) -> None:
    ring, other = tmp_path / "ring.json", tmp_path / "other.json"
    ring.symlink_to(ring)
    other.write_text("{}")
    assert files_in(tmp_path) == [other]


def test_a_folder_of_tasks_is_no_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b.toml", "a.json", "c.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in task_files(tmp_path)] == ["a.json", "b.toml"]
    monkeypatch.setattr(benchmark, "MOST_FILES", 2)
    with pytest.raises(BadInput, match="more than 2 files"):
        task_files(tmp_path)
    os.truncate(tmp_path / "a.json", benchmark.MOST_BYTES + 1)
    with pytest.raises(BadInput, match="more than 2 GiB"):
        task_files(tmp_path / "a.json")


LONG = {
    "lists": f"a = {'[' * 150}{']' * 150}",
    "tables": f"{'a = {' * 150}{'}' * 150}",
}
"""What nests by itself."""


@pytest.mark.parametrize(
    "reader", [read_suite, load_cases, load_dispute, lambda path: Parts(read_text(path), Random(1))]
)
@pytest.mark.parametrize(("text", "said"), [
    *((text, "nested deeper than 100 levels") for text in LONG.values()),
    (f"a = {'9' * 5000}", "too large"), (f"a = 0x{'9' * 5000}", "too large"), ("a = nan", "too large"),
])  # fmt: skip
def test_toml_that_no_person_writes_is_refused(
    reader: Callable[[Path], Any], text: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=f"is no TOML: .*{said}"):
        reader(path)


def test_no_part_of_a_large_case_in_toml_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"a = '" + b"a" * BY_HAND + b"'")
    with pytest.raises(BadInput, match="larger than 1,000,000 bytes"):
        load_cases(path)


@posix
def test_a_name_that_is_no_text_reaches_no_record(moot_home: Path, tmp_path: Path) -> None:
    folder = tmp_path / f"web{NO_TEXT}"
    folder.mkdir()
    (folder / "p.html").write_text(f"<html><body><p>{'合同纠纷的处理。' * 50}</p></body></html>", encoding="utf-8")
    with Pack.open(importer("web")(folder, "p", silent)) as pack:
        assert pack.manifest.source.endswith("web??")
    model = tiny_llama(tmp_path / f"m{NO_TEXT}.gguf")
    with pytest.raises(BadEngine, match="a name that is no text"):
        library.add(model, places.models(), name="m")
