"""Vectors of a model in a pack: made once, found again by the sum of the file, silent where the file is not at
hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.pack import Pack
from tasks.run.engines import embedder_of
from tests.support.gguf_files import tiny_bert
from tests.support.statute_fixture import build
from tests.support.typed import moot

pytestmark = pytest.mark.slow

pytest.importorskip("llama_cpp")


def test_a_pack_is_searched_with_the_model_that_embedded_it(bert_gguf: Path, moot_home: Path) -> None:
    build("lamps")
    code, said, error = moot("data", "embed", "lamps", "--model", bert_gguf, "--json")
    assert code == 0, error
    with Pack.open("lamps", verify=True) as pack:
        assert pack.manifest.embedder is not None and pack.manifest.embedder["kind"] == "gguf"
        assert embedder_of(pack) is None, "the library does not have the file yet"
    found = moot("law", "search", "路灯的高度", "--pack", "lamps", "--json").data
    assert "no_dense" in json.dumps(found) and not any("dense" in hit["ranks"] for hit in found["hits"])
    assert moot("models", "add", bert_gguf, "--name", "bert")[0] == 0
    found = moot("law", "search", "路灯的高度", "--pack", "lamps", "--json").data
    assert any("dense" in hit["ranks"] for hit in found["hits"])


def test_what_is_no_model_or_no_pack_is_one_line(tmp_path: Path) -> None:
    build("lamps")
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF?")
    for arguments in (("lamps", "--model", bad), ("lamps", "--model", "nobody"), ("nowhere", "--model", bad)):
        code, _, error = moot("data", "embed", *arguments)
        assert code in (1, 2) and error.strip() and "Traceback" not in error
    with Pack.open("lamps", verify=True) as pack:
        assert (pack.manifest.embedder or {}).get("kind") != "gguf"


def test_a_chat_model_is_refused_by_name_unless_forced(tiny_gguf: Path) -> None:
    build("lamps")
    code, said, error = moot("data", "embed", "lamps", "--model", tiny_gguf)
    assert (code, said) == (2, "") and f"'{tiny_gguf.name}' is a chat model" in error and error.count("\n") == 1
    code, said, error = moot("data", "embed", "lamps", "--model", tiny_gguf, "--force", "--json")
    assert code == 0 and json.loads(said)["embedder"]["dimensions"] == 64, error


def test_articles_that_are_too_long_are_counted_and_long_questions_keep_their_words(tmp_path: Path) -> None:
    build("lamps")
    small = tiny_bert(tmp_path / "small.gguf", context=24)
    code, said, error = moot("data", "embed", "lamps", "--model", small, "--json")
    assert code == 0, error
    parts = json.loads(said)["embedder"]["parts"]
    assert parts > 0 and f"{parts} articles are longer than the model takes" in error
    assert moot("models", "add", small, "--name", "small")[0] == 0
    for text, noted in (("路灯的高度", False), ("路灯的高度" * 20, True)):
        found = moot("law", "search", text, "--pack", "lamps", "--json").data
        assert found["hits"] and ("long_query" in found["notes"]) == noted
    assert "问题超出向量模型的长度" in moot("law", "search", "路灯的高度" * 20, "--pack", "lamps")[1]
