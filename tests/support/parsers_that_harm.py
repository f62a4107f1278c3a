"""Parsers as a reading process must survive them. Here, because that process imports the module of its function: this
one takes it no time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any


def fine(path: str, label: str) -> Iterator[Any]:
    yield [os.getpid(), "\ud800", 1e308 * 10, None]


def spins(path: str, label: str) -> Iterator[Any]:
    yield ["begun"]
    while True:
        pass


def hoards(path: str, label: str) -> Iterator[Any]:
    held = []
    while True:
        held.append(bytearray(64 << 20))
        yield None


def floods(path: str, label: str) -> Iterator[Any]:
    while True:
        yield ["x" * 100_000]


def dies(path: str, label: str) -> Iterator[Any]:
    os.kill(os.getpid(), 11)
    yield


def leaves(path: str, label: str) -> Iterator[Any]:
    yield
    raise SystemExit("bye")


def raises(path: str, label: str) -> Iterator[Any]:
    yield
    raise type("Odd", (BaseException,), {})("x" * 10_000)


def calls(path: str, label: str) -> Iterator[Any]:
    import socket

    yield socket.create_connection(("203.0.113.1", 80), timeout=1)
