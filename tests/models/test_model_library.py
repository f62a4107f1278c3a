"""The library of model files: names, copies, cached sums, and a catalogue that is never lost."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from models.errors import BadEngine
from models.llama import library as lib


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture(scope="module")
def stick(tmp_path_factory: pytest.TempPathFactory, tiny_gguf: Path) -> Path:
    """A model on a stick: its header is read once, for it lies there for all tests."""
    return Path(shutil.copy(tiny_gguf, tmp_path_factory.mktemp("stick") / "Qwen2.5 小 (Q8_0).gguf"))


@pytest.fixture
def model(stick: Path) -> Iterator[Path]:
    """The same, put back as it was."""
    content, times = stick.read_bytes(), stick.stat()
    yield stick
    if not stick.exists():
        stick.write_bytes(content)
    os.utime(stick, ns=(times.st_atime_ns, times.st_mtime_ns))


def test_an_empty_library(library: Path) -> None:
    assert lib.entries(library) == []
    assert not library.exists()
    with pytest.raises(BadEngine, match=r"No model 'x' in the library.*is empty"):
        lib.resolve("x", library)


def test_add_registers_the_path_and_remove_leaves_the_file(library: Path, model: Path) -> None:
    entry = lib.add(model, library)
    assert entry.name == "Qwen2.5-小-Q8_0" and not entry.copied and Path(entry.path) == model
    assert entry.sha256 == sha256(model.read_bytes()).hexdigest()
    assert (entry.architecture, entry.quantisation, entry.context, entry.has_template) == ("llama", "F32", 4096, True)
    assert lib.entries(library) == [entry] and entry.state(library) == "ok"
    assert lib.resolve("Qwen2.5-小-Q8_0", library) == model
    assert lib.resolve("qwen2.5-小-q8_0", library) == model
    assert lib.remove("Qwen2.5-小-Q8_0", library) == (entry, False)
    assert model.is_file() and lib.entries(library) == []


def test_a_copy_lives_in_the_library_and_goes_with_it(library: Path, model: Path) -> None:
    told: list[tuple[int, int]] = []
    entry = lib.add(model, library, name="小模型", copy=True, progress=lambda *sizes: told.append(sizes))
    size = model.stat().st_size
    assert told[-1] == (size, size)
    file = library / "files" / "小模型.gguf"
    assert entry.copied and lib.resolve("小模型", library) == file
    assert file.read_bytes() == model.read_bytes() and entry.sha256 == sha256(file.read_bytes()).hexdigest()
    moved = library.rename(library.with_name("elsewhere"))
    assert lib.resolve("小模型", moved) == moved / "files" / "小模型.gguf"
    assert lib.remove("小模型", moved) == (entry, True)
    assert [path.name for path in (moved / "files").iterdir()] == [] and model.is_file()


def test_adding_the_same_file_again_renews_its_entry(library: Path, model: Path) -> None:
    first = lib.add(model, library)
    os.utime(model, ns=(1, 1))
    assert first.state(library) == "changed"
    second = lib.add(model, library)
    assert second.mtime == 1 and second.state(library) == "ok" and lib.entries(library) == [second]


def test_a_name_is_taken_once_whatever_its_case(library: Path, model: Path, tiny_gguf: Path) -> None:
    lib.add(model, library, name="Tiny")
    for copy in (False, True):
        with pytest.raises(BadEngine, match="has a model 'Tiny' already"):
            lib.add(tiny_gguf, library, name="tiny", copy=copy)
    lib.add(tiny_gguf, library, name="another")
    assert [entry.name for entry in lib.entries(library)] == ["Tiny", "another"]
    assert not (library / "files" / "tiny.gguf").exists()


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("qwen2.5-7b-instruct-q4_k_m.gguf", "qwen2.5-7b-instruct-q4_k_m"),
        ("a#b:c=d,e.gguf", "a-b-c-d-e"),
        ("...gguf", "model"),
        ("x" * 99 + ".gguf", "x" * 64),
        ("model.GGUF", "model"),
        ("x.gguf.GGUF", "x"),
    ],
)
def test_a_name_is_made_from_the_file(file: str, name: str) -> None:
    assert lib.name_for(Path(file)) == name and lib.is_name(name)


def test_what_cannot_be_a_name_is_refused(library: Path, model: Path) -> None:
    for name in ("", "a b", "a/b", "../x", "a#b", ".x", "a.gguf", "x" * 65, "a\x1b", "x.", "-x"):
        with pytest.raises(BadEngine, match="cannot name a model"):
            lib.add(model, library, name=name)
    assert lib.entries(library) == []


def test_what_is_no_sound_gguf_is_not_added(library: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_text("<html>")
    with pytest.raises(BadEngine, match="web page"):
        lib.add(bad, library, copy=True)
    assert not library.exists()


def test_a_disk_that_is_too_small_is_said_before_anything_is_copied(
    library: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(100, 99, 1))  # type: ignore[attr-defined]
    with pytest.raises(BadEngine, match=r"No room for a copy: 0\.00 GB needed, 0\.00 GB free"):
        lib.add(model, library, copy=True)
    assert list((library / "files").iterdir()) == []


def test_a_file_that_is_gone_is_said_with_what_to_do(library: Path, model: Path) -> None:
    entry = lib.add(model, library, name="m")
    model.unlink()
    assert entry.state(library) == "missing"
    with pytest.raises(BadEngine, match=r"The file of 'm' is gone.*moot models remove m"):
        lib.resolve("m", library)
    assert lib.remove("m", library) == (entry, False)


def test_paths_and_names_are_told_apart(
    library: Path, model: Path, tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lib.add(model, library, name="m")
    assert lib.resolve(str(tiny_gguf), library) == tiny_gguf
    assert lib.resolve("nowhere.gguf", library) == Path("nowhere.gguf")
    assert lib.resolve("~nobody-of-this-name/x.gguf", library) == Path("~nobody-of-this-name/x.gguf")
    monkeypatch.chdir(model.parent)
    Path("m").mkdir()
    Path("weights").write_bytes(b"x")
    assert lib.resolve("m", library) == model
    assert lib.resolve("weights", library) == Path("weights")
    assert lib.resolve("./m", library) == Path("m"), "a path is written as one"
    with pytest.raises(BadEngine, match="Known: m"):
        lib.resolve("n", library)
    with pytest.raises(BadEngine):
        lib.resolve("a\0b", library)


DAMAGE = (b"", b"\xff\xfe\x00", b"[]", b'{"format": 1}', b"[" * 100_000, b'{"format": 2, "models": []}')


def test_a_damaged_catalogue_is_one_sentence_and_stays_as_it_is(library: Path, model: Path, tiny_gguf: Path) -> None:
    lib.add(model, library, name="m", copy=True)
    catalogue = library / "catalogue.json"
    sound = catalogue.read_bytes()
    for content in (*DAMAGE, sound[:-40]):
        catalogue.write_bytes(content)
        for act in (
            lambda: lib.entries(library),
            lambda: lib.resolve("m", library),
            lambda: lib.remove("m", library),
            lambda: lib.add(tiny_gguf, library),
        ):
            with pytest.raises(BadEngine, match="catalogue") as caught:
                act()
            assert "\n" not in str(caught.value)
        assert catalogue.read_bytes() == content and (library / "files" / "m.gguf").is_file()
    assert lib.resolve(str(tiny_gguf), library) == tiny_gguf
