"""The parent's end of the child process: starts it, hears it, and ends it when it is silent. Units: seconds, bytes.

A broken file, a crash or a kill costs the call in flight: whoever waits gets an `EngineError`, and the next order starts a
new child.
"""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from models.engine import EngineError
from models.llama.wire import line

SILENCE = 20.0
"""Seconds without a heartbeat after which the child counts as hung."""
STANDSTILL = 600.0
"""Seconds without a single evaluation, while at work, after which it counts as hung: a chunk of a large model is slow."""
GRACE = 20.0
"""Seconds that a cancelled call may take to end by itself before the child is killed."""
News = Callable[[Mapping[str, Any]], None]


def command(name: str = "_engine") -> list[str]:
    """How this application starts its own children: by name, as a person would, so that it also works in a bundle, and
    with `-P`, so that no module in the folder that a person happens to be in takes the place of ours."""
    return [sys.executable, *(() if getattr(sys, "frozen", False) else ("-P", "-m", "app.cli.main")), name]


class ChildFailed(EngineError):
    """An order failed inside the child, which lives on; `kind` is missing, memory, native or error."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class Process:
    """One child process. Orders come from one thread at a time; `cancel` and `kill` from any."""

    def __init__(self, *, silence: float = SILENCE, standstill: float = STANDSTILL) -> None:
        self.silence = silence
        self._standstill = standstill
        self._child: subprocess.Popen[bytes] | None = None
        self._news: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._orders: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._said: deque[str] = deque(maxlen=20)
        self._number = 0
        self._cancelled_at = 0.0
        self._ticks = (0, 0.0)
        self._waited_for = False
        self.memory = 0
        """Resident bytes of the child at its last heartbeat."""

    @property
    def pid(self) -> int | None:
        """The child's process id, None when there is none."""
        return self._child.pid if self.alive and self._child else None

    @property
    def alive(self) -> bool:
        """Whether a child is running."""
        return self._child is not None and self._child.poll() is None

    def start(self) -> None:
        """Start a child unless one is running."""
        if self.alive:
            return
        self.kill()
        self._news = queue.SimpleQueue()
        self._orders = queue.SimpleQueue()
        self._said.clear()
        child = subprocess.Popen(command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._child = child
        threading.Thread(target=self._tell, args=(child, self._orders), daemon=True, name="engine-orders").start()
        threading.Thread(target=self._hear, args=(child, self._news), daemon=True, name="engine-news").start()
        threading.Thread(target=self._overhear, args=(child,), daemon=True, name="engine-stderr").start()

    def order(self, op: str, news: News | None = None, **what: Any) -> Any:
        """Give an order and wait for its result; `news` hears what comes in between.

        Raises:
            ChildFailed: the order failed, the child lives on.
            EngineError: the child died, or hung and was killed.
        """
        self.start()
        self._number += 1
        self._cancelled_at = 0.0
        number = self._number
        self._write({"op": op, "id": number, **what})
        began = time.monotonic()
        self._ticks = (-1, began)
        self._waited_for = True
        try:
            return self._result(number, news, began)
        finally:
            self._waited_for = False

    def _result(self, number: int, news: News | None, heard: float) -> Any:
        while True:
            try:
                data = self._news.get(timeout=0.25)
            except queue.Empty:
                self._check(heard)
                continue
            if data is None:
                raise self._died()
            heard = time.monotonic()
            if data.get("event") == "beat":
                self._beat(data, heard)
                self._check(heard)
            elif data.get("id") != number:
                continue
            elif data.get("event") != "done":
                if news is not None:
                    news(data)
            elif "failed" in data:
                raise ChildFailed(data["failed"], data["text"])
            else:
                return data["result"]

    def cancel(self) -> None:
        """Stop the order being carried out, from any thread; a child that does not obey is killed, however often it is told."""
        self._cancelled_at = self._cancelled_at or time.monotonic()
        with contextlib.suppress(EngineError):
            self._write({"op": "cancel", "id": self._number})

    def kill(self) -> None:
        """End the child at once."""
        child, self._child = self._child, None
        if child is None:
            return
        self._orders.put(None)
        with contextlib.suppress(OSError):
            child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout, child.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def close(self) -> None:
        """Let the child go: the end of its pipe ends it; one that does not go is killed."""
        child = self._child
        if child is not None:
            self._orders.put(None)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(timeout=1.0)
        self.kill()

    def _write(self, data: Mapping[str, Any]) -> None:
        if self._child is None:
            raise EngineError("the model's process is not running")
        self._orders.put(line(data))

    def _beat(self, data: Mapping[str, Any], now: float) -> None:
        self.memory = int(data.get("memory", 0))
        if data.get("ticks") != self._ticks[0]:
            self._ticks = (int(data.get("ticks", 0)), now)

    def _check(self, heard: float) -> None:
        """Kill a child that is silent, stands still, or does not let itself be cancelled."""
        now = time.monotonic()
        if not self.alive:
            if self._news.empty():
                raise self._died()
            return
        if now - heard > self.silence:
            reason = f"the model's process has been silent for {self.silence:g} seconds and was ended"
        elif now - self._ticks[1] > self._standstill:
            reason = f"the model has computed nothing for {self._standstill:g} seconds and its process was ended"
        elif self._cancelled_at and now - self._cancelled_at > GRACE:
            reason = "the model's process did not stop when it was cancelled and was ended"
        else:
            return
        self.kill()
        raise EngineError(reason, "The next call starts it anew.")

    def _died(self) -> EngineError:
        child = self._child
        code = child.poll() if child is not None else None
        if child is not None and code is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = child.wait(timeout=2.0)
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        words = " ".join(self._said)[-300:].strip()
        self.kill()
        return EngineError(
            f"the model's process died ({how})" + (f": {words}" if words else ""), "The next call starts it anew."
        )

    @staticmethod
    def _tell(child: subprocess.Popen[bytes], orders: queue.SimpleQueue[bytes | None]) -> None:
        """Writes in a thread of its own: a child that reads no more must hold up nobody who orders or cancels."""
        assert child.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            while (order := orders.get()) is not None:
                child.stdin.write(order)
                child.stdin.flush()
        with contextlib.suppress(OSError, ValueError):
            child.stdin.close()

    def _hear(self, child: subprocess.Popen[bytes], news: queue.SimpleQueue[dict[str, Any] | None]) -> None:
        assert child.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            for raw in child.stdout:
                with contextlib.suppress(ValueError):
                    data = json.loads(raw)
                    if self._waited_for or data.get("event") != "beat":
                        news.put(data)
                    else:  # nobody waits: beats must not pile up
                        self.memory = int(data.get("memory", 0))
        news.put(None)

    def _overhear(self, child: subprocess.Popen[bytes]) -> None:
        assert child.stderr is not None
        with contextlib.suppress(OSError, ValueError):
            for raw in child.stderr:
                self._said.append(raw[:500].decode("utf-8", "replace").strip())
