"""Vectors of a model in a pack: made once, found again by the sum of the file, silent where the file is not at
hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.pack import Pack
from tasks.run.engines import embedder_of
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
