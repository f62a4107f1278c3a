"""A model in parts is one model: found by its first part or its name, sized, summed, copied and played whole."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from models.engine import Ask, Message, Reply, SamplingSettings
from models.errors import BadEngine
from models.llama import library as lib
from models.llama.engine import LlamaEngine, LlamaSettings
from models.llama.header import joined_sha256, model_sha256, parts_of, read_header
from store import places
from tasks.run.engines import file_of, open_engine
from tests.support.gguf_files import tiny_llama

ASK = Ask("agent", (Message("user", "依据何在？"),), "p", settings=SamplingSettings(temperature=0.0, max_tokens=12))


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three parts of the model that `tiny_gguf` is in one file."""
    return tiny_llama(tmp_path_factory.mktemp("parts") / "qwen.gguf", split=8)


def reply(path: Path) -> Reply:
    engine = LlamaEngine(path, LlamaSettings(ctx=256, threads=1))
    try:
        (answer,) = engine.answer([ASK])
    finally:
        engine.close()
    assert isinstance(answer, Reply)
    return answer


def test_a_model_in_parts_is_that_of_one_file(first: Path, tiny_gguf: Path) -> None:
    parts, one, whole = parts_of(first), read_header(first), read_header(tiny_gguf)
    assert [part.name for part in parts] == [f"qwen-0000{n}-of-00003.gguf" for n in (1, 2, 3)]
    assert one.size == sum(part.stat().st_size for part in parts)
    assert (one.parameters, one.weights, one.context) == (whole.parameters, whole.weights, whole.context)
    assert reply(first).text == reply(tiny_gguf).text


def test_it_is_named_by_any_part_or_the_name_that_they_share(first: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(first.parent)
    for name in ("qwen-00001-of-00003.gguf", "qwen-00003-of-00003.gguf", "qwen.gguf", "./qwen", "qwen"):
        assert lib.resolve(name, first.parent / "models") == Path(first.name)
        assert file_of(f"llama:{name}#ctx=256") == (name, Path(first.name))


def test_a_part_that_is_missing_is_named_in_one_sentence(first: Path) -> None:
    entry = lib.add(first, places.models(), name="m")
    gone = parts_of(first)[1]
    away = gone.rename(gone.with_name("away"))
    for refuse in (lambda: read_header(first), lambda: open_engine(f"llama:{first}"), lambda: open_engine("llama:m")):
        with pytest.raises(BadEngine, match=r"is one of 3 parts of a model, and 'qwen-00002-of-00003\.gguf' is not"):
            refuse()
    assert entry.state(places.models()) == "missing"
    away.rename(gone)


def test_the_library_holds_all_parts(first: Path, tmp_path: Path) -> None:
    library, parts = tmp_path / "models", parts_of(first)
    sums = [sha256(part.read_bytes()).hexdigest() for part in parts]
    entry = lib.add(first.with_name("qwen.gguf"), library)
    assert (entry.name, entry.size, entry.path) == ("qwen", read_header(first).size, str(first))
    assert entry.sha256 == joined_sha256(sums) == model_sha256(first)
    told: list[tuple[int, int]] = []
    copied = lib.add(first, library, name="own", copy=True, progress=lambda *sizes: told.append(sizes))
    files = parts_of(copied.file(library))
    assert [file.name for file in files] == [f"own-0000{n}-of-00003.gguf" for n in (1, 2, 3)]
    assert copied.sha256 == entry.sha256 and told[-1] == (entry.size, entry.size)
    assert read_header(lib.resolve("own", library)).size == entry.size
    os.utime(parts[2])
    assert entry.state(library) == "changed" and copied.state(library) == "ok"
    assert lib.remove("own", library) == (copied, True) and not any(file.exists() for file in files)
    assert all(part.exists() for part in parts)


def test_a_name_of_the_library_wins_over_a_folder_of_that_name(
    tiny_gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lib.add(tiny_gguf, places.models(), name="qwen")
    monkeypatch.chdir(tmp_path)
    Path("qwen").mkdir()
    assert file_of("llama:qwen") == ("qwen", tiny_gguf)
    open_engine("llama:qwen").close()
    with pytest.raises(BadEngine, match="qwen is a folder, no file"):
        open_engine("llama:./qwen")
