"""What llama.cpp does with a file that fits its own rules badly ends in a sentence: neither memory without end nor
the chatter of a debugger."""

from __future__ import annotations

from pathlib import Path

import gguf
import pytest

pytest.importorskip("llama_cpp")

from models.engine import EngineError
from models.llama import native
from models.llama.engine import LlamaEngine, LlamaSettings
from tests.support.gguf_files import tiny_llama


def test_a_library_that_gives_up_says_what_it_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = gguf.GGUFWriter.add_block_count

    def and_experts(writer: gguf.GGUFWriter, layers: int) -> None:
        named(writer, layers)
        writer.add_expert_count(3)

    monkeypatch.setattr(gguf.GGUFWriter, "add_block_count", and_experts)
    engine = LlamaEngine(tiny_llama(tmp_path / "experts.gguf"), LlamaSettings(ctx=256, threads=1, slots=1))
    try:
        with pytest.raises(EngineError, match="GGML_ASSERT") as caught:
            engine.load()
    finally:
        engine.close()
    assert "Inferior" not in str(caught.value) and "print_info" not in str(caught.value)


def test_the_first_complaint_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "complaints", native.deque(maxlen=12))
    assert native.complaint("nothing") == "nothing"
    native._note(native.ERROR_LEVEL, b"llama_model_load: error loading model: invalid n_rot: 1, expected 48\n", None)
    native._note(native.ERROR_LEVEL, b"llama_model_load_from_file_impl: failed to load model\n", None)
    assert native.complaint("nothing") == "error loading model: invalid n_rot: 1, expected 48"
