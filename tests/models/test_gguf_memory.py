"""The memory estimate: its parts, what it proposes, and how near it comes to the buffers that llama.cpp reports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from models.errors import BadEngine
from models.llama import memory
from models.llama.header import GgufHeader, read_header

pytestmark = pytest.mark.slow


@pytest.fixture
def tiny(tiny_gguf: Path) -> GgufHeader:
    return read_header(tiny_gguf)


def shaped(tiny: GgufHeader, **facts: object) -> GgufHeader:
    """A header of a common 7B shape: 28 layers, 28 heads over 4 of 128 numbers, 152,064 tokens."""
    shape: dict[str, object] = {
        "layers": 28, "heads": 28, "heads_kv": 4, "embedding": 3584, "key_length": 128,
        "value_length": 128, "vocabulary": 152_064, "weights": 4_700_000_000, "context": 32_768,
    }  # fmt: skip
    return replace(tiny, **(shape | facts))  # type: ignore[arg-type]


def test_layers_that_keep_no_keys_are_not_counted(tiny: GgufHeader) -> None:
    every, fourth = (shaped(tiny, metadata={"llama.full_attention_interval": text}) for text in ("1", "4"))
    assert memory.estimate(every, 4096, 1).cache == 28 * 4 * 256 * 2 * 4096
    assert memory.estimate(fourth, 4096, 1).cache == 7 * 4 * 256 * 2 * 4096


def test_a_recurrent_state_is_the_same_for_any_length(recurrent_gguf: Path) -> None:
    header = read_header(recurrent_gguf)
    assert memory.estimate(header, 1024, 2).cache == memory.estimate(header, 65536, 2).cache > 0


def test_what_does_not_fit_is_refused_with_what_would(tiny: GgufHeader) -> None:
    header = shaped(tiny)
    memory.refuse_too_large(header, 8192, 4, free=10**11)
    memory.refuse_too_large(header, 8192, 4, free=0)
    with pytest.raises(BadEngine) as caught:
        memory.refuse_too_large(header, 8192, 8, free=6_500_000_000)
    assert caught.value.title.endswith("needs about 8.8 GB for 8 × 8192 tokens, 6.5 GB are free")
    assert "#ctx=3072,slots=8 or #ctx=8192,slots=3" in caught.value.hint
    for length, count in memory.fitting(header, 8192, 8, 6_500_000_000):
        assert memory.estimate(header, length, count).total <= 6_500_000_000


def test_what_cannot_fit_at_all_says_how_large_a_file_may_be(tiny: GgufHeader) -> None:
    header = shaped(tiny)
    assert memory.fitting(header, 8192, 1, 3_000_000_000) == []
    with pytest.raises(BadEngine, match=r"file of up to 2\.\d GB"):
        memory.refuse_too_large(header, 8192, 1, free=3_000_000_000)
    with pytest.raises(BadEngine, match="Close other programs"):
        memory.refuse_too_large(header, 8192, 1, free=100_000_000)


def test_one_short_sequence_is_proposed_where_nothing_else_fits(tiny: GgufHeader) -> None:
    header = shaped(tiny)
    free = memory.estimate(header, 2048, 1).total
    assert memory.fitting(header, 8192, 8, free) == [(2048, 1)]


def test_free_memory_of_a_container(tmp_path: Path) -> None:
    assert memory.available(tmp_path) > 1000
    group = tmp_path / "sys" / "fs" / "cgroup"
    group.mkdir(parents=True)
    (group / "memory.max").write_text("max\n")
    (group / "memory.current").write_text("700\n")
    (group / "memory.stat").write_text("anon 5\ninactive_file 100\n")
    assert memory.available(tmp_path) > 1000
    (group / "memory.max").write_text("1000\n")
    assert memory.available(tmp_path) == 400


BUFFERS = """
import ctypes, json, re, sys
import llama_cpp as lib
from models.llama.native import model_settings
said = []
note = lib.llama_log_callback(lambda level, text, _: said.append(text.decode("utf-8", "replace")))
lib.llama_log_set(note, ctypes.c_void_p(0))
lib.llama_backend_init()
path, length, slots = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
model = lib.llama_model_load_from_file(path.encode(), model_settings())
settings = lib.llama_context_default_params()
settings.n_ctx, settings.n_seq_max = length * slots, slots
settings.n_batch = settings.n_ubatch = 256
settings.flash_attn_type, settings.kv_unified, settings.swa_full = 0, False, True
settings.n_threads = settings.n_threads_batch = 1
assert lib.llama_init_from_model(model, settings)
found = re.findall(r"(\\w+) buffer size = +([0-9.]+) MiB", "".join(said))
print(json.dumps([[name, float(size) * (1 << 20)] for name, size in found]))
"""


def buffers(path: Path, length: int, slots: int) -> dict[str, float]:
    """Bytes of the buffers that llama.cpp says it allocated, by kind."""
    done = subprocess.run(
        [sys.executable, "-c", BUFFERS, str(path), str(length), str(slots)],
        env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    sizes: dict[str, float] = {}
    for name, size in json.loads(done.stdout):
        sizes[name] = sizes.get(name, 0.0) + size
    return sizes


@pytest.mark.parametrize(("kind", "length", "slots"), [("tiny", 4096, 8), ("wide", 8192, 2), ("recurrent", 2048, 4)])
def test_the_estimate_is_near_what_llama_cpp_allocates(
    tmp_path: Path, tiny_gguf: Path, recurrent_gguf: Path, kind: str, length: int, slots: int
) -> None:
    pytest.importorskip("llama_cpp")
    from tests.support.gguf_files import tiny_llama

    if kind == "wide":
        path = tiny_llama(tmp_path / "wide.gguf", quantised="Q8_0", layers=3, width=512, context=8192)
    else:
        path = {"tiny": tiny_gguf, "recurrent": recurrent_gguf}[kind]
    header = read_header(path)
    found = buffers(path, length, slots)
    need = memory.estimate(header, length, slots)
    assert need.weights == pytest.approx(found["model"], rel=0.02)
    cache = found.get("KV", 0.0) + found.get("RS", 0.0)
    assert 0.98 * cache <= need.cache <= 1.3 * cache
    computed = need.work - memory.PROCESS - memory.TOKEN * header.vocabulary
    assert computed == pytest.approx(found["compute"] + found["output"], rel=0.1)
