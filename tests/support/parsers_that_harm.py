"""Readers as a worker must survive them. Here, because the worker imports the module of its function: this one takes
it no time."""

from __future__ import annotations

import os
import time
from typing import Any


def fine() -> Any:
    print("a library that talks")
    return [os.getpid(), "\ud800", 1e308 * 10, None]


def spins() -> Any:
    while True:
        pass


def in_pieces() -> Any:
    """Two seconds and a half, in pieces that take less than one: the limit is one second, and one to notice it."""
    from store.worker import renew_time

    for _ in range(3):
        renew_time()
        until = time.process_time() + 0.8
        while time.process_time() < until:
            pass
    return "done"


def sleeps() -> Any:
    time.sleep(600)


def hoards() -> Any:
    held = []
    while True:
        held.append(bytearray(64 << 20))


def floods() -> Any:
    return "x" * (65 << 20)


def fills(path: str) -> Any:
    with open(path, "wb") as stream:
        while True:
            stream.write(bytes(1 << 20))


def dies() -> Any:
    os.kill(os.getpid(), 11)


def raises() -> Any:
    raise type("Odd", (BaseException,), {})("x" * 10_000)


def calls() -> Any:
    import socket

    return socket.create_connection(("203.0.113.1", 80), timeout=1)


def modules() -> Any:
    import sys

    return sorted(sys.modules)
