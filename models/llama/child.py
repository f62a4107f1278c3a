"""The child process: reads orders from its own pipe, lets a `ModelServer` carry them out, and beats while it lives.

One thread reads orders (so that cancelling works while llama.cpp computes), one beats, the first one computes: calls
are in motion together, and whatever else is ordered is done between two of their steps. Standard output belongs to
the pipe alone: what libraries print goes to standard error, which the parent keeps for the reason when the process
dies. Memory figures in bytes, one beat every half second.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, BinaryIO

import psutil

from store.worker import JobLimits

BEAT = 0.5
Order = dict[str, Any]
Prove = Callable[[], str]
"""Tries to reach the network; gives the refusal as text, '' when nothing refused."""


def main(prove: Prove | None = None) -> int:
    """Serve until the parent closes the pipe. Ctrl-C at the terminal is the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(ImportError, ValueError, OSError):  # no image of gigabytes on the disk when it dies
        resource = importlib.import_module("resource")
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    orders, news = _own_pipes()
    child = EngineChild(orders, news, prove)
    return child.serve()


def _own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the parent, out of reach of anything that prints or reads."""
    orders, news = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return orders, news


class EngineChild:
    """Orders in, news out."""

    def __init__(self, orders: BinaryIO, news: BinaryIO, prove: Prove | None) -> None:
        self._orders = orders
        self._news = news
        self._prove = prove
        self._queue: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._cancelled: set[int] = set()
        self._server: Any = None
        self._encoder: Any = None

    def serve(self) -> int:
        """Carry out orders, one after the other, and between them go on with the calls in motion."""
        threading.Thread(target=self._listen, daemon=True, name="orders").start()
        threading.Thread(target=self._beat, daemon=True, name="beat").start()
        while True:
            try:
                order = self._queue.get(block=self._server is None or not self._server.busy)
            except queue.Empty:
                self._go_on()
                continue
            if order is None:
                break
            number = int(order.get("id", 0))
            try:
                if order["op"] == "answer":
                    from models.llama.process import call_of

                    self._server.join(number, [call_of(call) for call in order["calls"]])
                else:
                    self._done(number, {"result": self._carry_out(number, order)})
            except Exception as error:
                self._done(number, _failure(error))
        for loaded in (self._server, self._encoder):
            if loaded is not None:
                loaded.close()
        return 0

    def _go_on(self) -> None:
        """One step of the calls in motion. What each of them runs into ends that one; the rest is for all."""
        try:
            self._server.step()
        except Exception as error:
            for number in self._server.give_up():
                self._done(number, _failure(error))

    def _carry_out(self, number: int, order: Order) -> Any:
        match order["op"]:
            case "hello":
                from models.llama import native

                native.start()
                return {"build": native.build(), "pid": os.getpid()}
            case "prove":
                return {"refusal": self._prove() if self._prove else ""}
            case "load":
                from models.llama import native
                from models.llama.process import Options
                from models.llama.serving import ModelServer

                native.start()
                self._server = ModelServer(self._emit, self._cancelled.__contains__)
                return self._server.load(number, Options(**order["options"]))
            case "facts":
                with self._vocabulary(order["path"]) as words:
                    return words.facts()
            case "count":
                with self._vocabulary(order["path"]) as words:
                    return {"tokens": len(words.tokenize(order["text"], special=False))}
            case "embed":
                stopped = partial(self._cancelled.__contains__, number)
                return self._encoding(order, stopped).embed(order["texts"], stopped)
            case "embed_tokens":
                stopped = partial(self._cancelled.__contains__, number)
                return self._encoding(order, stopped).embed_tokens(order["texts"], stopped)
            case other:
                raise ValueError(f"unknown order {other}")

    @staticmethod
    @contextlib.contextmanager
    def _vocabulary(path: str) -> Iterator[Any]:
        """The model of a file without its weights."""
        from models.llama import native

        native.start()
        with _bounded_memory(), contextlib.closing(native.Model(path, lambda _: True, words_only=True)) as model:
            yield model

    def _encoding(self, order: Order, stopped: Callable[[], bool]) -> Any:
        """The embedding model of an order, which is loaded once and stays until another is wanted."""
        from models.llama.embedding import Encoder

        if self._encoder is None or self._encoder.path != order["path"]:
            if self._encoder is not None:
                self._encoder.close()
                self._encoder = None
            self._encoder = Encoder(order["path"], order["threads"], stopped)
        return self._encoder

    def _listen(self) -> None:
        """Orders as they come; the end of the pipe is the end of the process, whatever it is doing."""
        for raw in self._orders:
            try:
                order = json.loads(raw)
            except ValueError:
                continue
            if order.get("op") == "cancel":
                self._cancelled.add(int(order["id"]))
            else:
                self._queue.put(order)
        self._queue.put(None)
        threading.Event().wait(2.0)
        os._exit(0)

    def _beat(self) -> None:
        pause, process = threading.Event(), psutil.Process()
        while not pause.wait(BEAT):
            self._emit(
                {"event": "beat", "memory": process.memory_info().rss, "ticks": getattr(self._server, "ticks", 0)}
            )

    def _done(self, number: int, how: dict[str, Any]) -> None:
        self._emit({"event": "done", "id": number, **how})

    def _emit(self, data: dict[str, Any]) -> None:
        from models.llama.process import line

        with self._lock, contextlib.suppress(BrokenPipeError, ValueError):
            self._news.write(line(data))
            self._news.flush()


@contextlib.contextmanager
def _bounded_memory() -> Iterator[None]:
    """A limit of memory for what a file says of itself: as much more as a job of the worker has. Linux alone counts
    it."""
    process = psutil.Process()
    try:
        resource = importlib.import_module("resource")
        taken = process.memory_info().data
    except (ImportError, AttributeError):
        yield
        return
    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = taken + JobLimits().memory
    resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))


def _failure(error: Exception) -> dict[str, str]:
    """Why an order failed, by kind and in words."""
    from models.llama.process import error_text

    kinds = {MemoryError: "memory", ImportError: "missing"}
    native = "native" if type(error).__name__ == "NativeError" else "error"
    kind = next((kind for known, kind in kinds.items() if isinstance(error, known)), native)
    return {"failed": kind, "text": error_text(error)}
