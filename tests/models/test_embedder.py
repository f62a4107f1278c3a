"""Vectors of texts: the model is loaded once, and texts that are read together have the vectors of those read
alone."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llama_cpp")

from models.llama.embedder import Embedder
from store.errors import TextTooLong
from tests.support.gguf_files import tiny_bert

pytestmark = pytest.mark.slow

TEXTS = [
    "合同",
    "路灯损坏的，管理人应当在三日内修复。",
    "a",
    *(f"第{n}条 应当" * n for n in range(1, 22)),
    "法" * 500,
]


@pytest.mark.parametrize(("kind", "pooling"), [("bert", ""), ("bert", "CLS"), ("tiny", ""), ("recurrent", "")])
def test_texts_read_together_have_the_vectors_of_texts_read_alone(
    kind: str, pooling: str, tiny_gguf: Path, bert_gguf: Path, recurrent_gguf: Path, tmp_path: Path
) -> None:
    path = {"bert": bert_gguf, "tiny": tiny_gguf, "recurrent": recurrent_gguf}[kind]
    model = Embedder(
        tiny_bert(tmp_path / "bert.gguf", pooling=pooling) if pooling else path, threads=1, force=kind != "bert"
    )
    try:
        together, alone = model(TEXTS), np.concatenate([model([text]) for text in TEXTS])
    finally:
        model.close()
    assert together.dtype == np.float32 and together.shape == (len(TEXTS), 64)
    cosines = (together * alone).sum(1) / np.linalg.norm(together, axis=1) / np.linalg.norm(alone, axis=1)
    assert cosines.min() > 0.9999
    assert not np.allclose(together[0], together[1])


def test_a_text_that_is_too_long_has_no_vector(bert_gguf: Path) -> None:
    model = Embedder(bert_gguf, threads=1)
    try:
        with pytest.raises(TextTooLong, match="text 2 has 702 tokens, this model takes 512"):
            model(["合同", "法" * 700])
        assert model(["法" * 510]).shape == (1, 64)
        assert [text.cut for text in model.tokens(["合同", "法" * 700])] == [False, True] and model.cut == 1
    finally:
        model.close()


@pytest.mark.skipif(sys.platform == "win32", reason="there a file that is mapped cannot be removed")
def test_the_model_is_loaded_once(bert_gguf: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(bert_gguf, tmp_path / "bert.gguf"))
    model = Embedder(path, threads=1)
    try:
        first = model(["合同"])
        path.unlink()
        assert (model(["合同"]) == first).all()
        assert len(model.tokens(["合同"])[0].ids) == 4, "tokens need another context of the same model"
        assert (model(["合同"]) == first).all()
    finally:
        model.close()
