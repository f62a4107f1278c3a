"""What the tests of the store share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from store.worker import Worker


@pytest.fixture(scope="module")
def one_reader() -> Iterator[None]:
    """One child reads for all imports of a module. That each import has its own, and what a child may not do, is
    tested in test_worker and through the command."""
    with Worker() as worker, pytest.MonkeyPatch.context() as patch:
        for module in ("reading", "tables", "web"):
            patch.setattr(f"store.importers.{module}.Worker", lambda: nullcontext(worker))
        yield
