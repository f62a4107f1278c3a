"""What the tests of the store share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from store.pack import Pack
from store.worker import Worker
from tests.support.statute_fixture import build


@pytest.fixture(scope="module")
def one_reader() -> Iterator[None]:
    """One child reads for all imports of a module. That each import has its own, and what a child may not do, is
    tested in test_worker and through the command."""
    with Worker() as worker, pytest.MonkeyPatch.context() as patch:
        for module in ("reading", "tables", "web"):
            patch.setattr(f"store.importers.{module}.Worker", lambda: nullcontext(worker))
        yield


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A MOOT_HOME for packs that a module shares."""
    with pytest.MonkeyPatch.context() as patch:
        path = tmp_path_factory.mktemp("home")
        patch.setenv("MOOT_HOME", str(path))
        yield path


@pytest.fixture(scope="session")
def lamps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    """The pack of lamps and kites, open: to be read only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(tmp_path_factory.mktemp("lamps")))
        path = build()
    with Pack.open(path, verify=True) as pack:
        yield pack
