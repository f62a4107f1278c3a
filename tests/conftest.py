"""What every test may rely on: a home of its own, and the development data when it is there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


SLOW = frozenset(
    f"test_{name}.py"
    for name in "ablate data_embed demo desk_law desk_models desk_prompt desk_presenter desk_review desk_court desk_screens desk_seats desk_streaming desk_tokens doctor"
    " endpoint engine_conformance gguf_files gguf_header import_law_files kill llama_engine llama_grammar llama_sequences"
    " llama_template models_bench offline policies_examples policy_conformance pty_hostile recorded_log sample_pack sample_tasks"
    " search_reading statutes_import store_imports store_reading tasks_cli walls".split()
)
"""Modules that open desks, models or processes, or build whole packs: left out of the quick part."""


LONGEST = "test_search_stard.py"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark whole modules as slow; the longest test begins first, so that no core waits for it at the end."""
    items.sort(key=lambda item: item.path.name != LONGEST)
    for item in items:
        if item.path.name in SLOW:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def moot_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh MOOT_HOME: no test sees the user's packs or runs."""
    home = tmp_path_factory.mktemp("moot_home")
    monkeypatch.setenv("MOOT_HOME", str(home))
    monkeypatch.setenv("MOOT_LANG", "zh")
    return home


def shared_data(*parts: str) -> Path:
    """A folder or file of the development data; the test is skipped when it is absent."""
    path = ROOT.parent.joinpath("shared", "data", *parts)
    if not path.exists():
        pytest.skip(f"development data not present: {'/'.join(parts)}")
    return path


@pytest.fixture(scope="session")
def data() -> object:
    """`data("legalagentbench", "calls.jsonl.gz")` gives a path or skips."""
    return shared_data


@pytest.fixture(scope="session")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny chat model with a ChatML template; see tests/gguf_files.py for others."""
    from tests.gguf_files import tiny_llama

    return tiny_llama(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="session")
def bert_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny embedding model."""
    from tests.gguf_files import tiny_bert

    return tiny_bert(tmp_path_factory.mktemp("gguf") / "bert.gguf")


@pytest.fixture(scope="session")
def recurrent_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny chat model whose memory cannot be rolled back."""
    from tests.gguf_files import tiny_recurrent

    return tiny_recurrent(tmp_path_factory.mktemp("gguf") / "recurrent.gguf")
