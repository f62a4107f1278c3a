"""What the tests of models share: a server, an engine before it that has asked it nothing yet, and a question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from models.endpoint import EndpointEngine
from models.endpoint_server import connect
from models.engine import Ask, EngineError, Message, Reply, SamplingSettings
from models.specs import Opening
from tests.support.fake_endpoint import MODEL, FakeServer, fake_server


@pytest.fixture(autouse=True)
def nothing_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOOT_API_KEY", "MOOT_ENDPOINT_TIMEOUT"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with fake_server() as running:
        yield running


@pytest.fixture
def engine(server: FakeServer) -> EndpointEngine:
    return EndpointEngine(connect(Opening(server.spec)), MODEL, {}, together=4)


def question(text: str = "原告是谁？", *more: Message, **named: Any) -> Ask:
    """`settings` as a mapping; the rest as `Ask` has it."""
    chosen = SamplingSettings(**named.pop("settings", {}))
    return Ask("agent", (Message("user", text), *more), "react/1", settings=chosen, **named)


def reply(engine: EndpointEngine, ask: Ask | None = None, listen: Any = None) -> Reply:
    (result,) = engine.answer([ask or question()], listen)
    assert isinstance(result, Reply), result
    return result


def failure(engine: EndpointEngine, ask: Ask | None = None) -> str:
    """The one sentence with which a call ends."""
    (result,) = engine.answer([ask or question()])
    assert isinstance(result, EngineError), result
    assert "\n" not in str(result) and len(str(result)) < 900
    return str(result)
