"""The parent's end of the reading process: gives it files, takes plain items, ends it when it goes over its limits.

One process serves all files of an import and starts with the first that needs it. A file that kills it costs that
file: whoever waits gets a `BadInput` that names the file, and the next file gets a new process. Units: bytes,
seconds.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from store.errors import BadInput, NotFound, StoreError
from store.importers.child import (
    LENGTH,
    MAX_FILE,
    MAX_RATIO,
    MAX_RECORD,
    MEMORY,
    OVER_MEMORY,
    RATIO_COUNTS_FROM,
    SECONDS,
    SILENCE,
)

_AGAIN = "Open it in the program that made it and save it again, or save it as plain text or CSV."
_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
"""Libraries for numbers would reserve memory for every core."""
_REASONS = {
    getattr(signal, "SIGXCPU", None): "needs more than {seconds} seconds of computing to be read",
    getattr(signal, "SIGKILL", None): "was too much for this machine: the system ended its reader",
}


def command() -> list[str]:
    """How this application starts its own child: by name, as a person would, so that it also works in a bundle."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "_read"]
    return [sys.executable, "-P", "-m", "app.cli.engine", "_read"]


class ReadingProcess:
    """Use as a context manager; only one file is read at a time."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None
        self._waiting: float | None = None
        self._silent = False

    def __enter__(self) -> ReadingProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The process that is running, None when there is none."""
        return self._child.pid if self._child is not None and self._child.poll() is None else None

    def read(
        self,
        function: Callable[..., Iterator[Any]],
        path: Path,
        label: str,
        *arguments: Any,
        seconds: float = SECONDS,
    ) -> Iterator[Any]:
        """What `function(path, label, *arguments)` gives when it is called in the reading process.

        function: at the top of its module; its arguments and what it gives are JSON. label: names the file in
        messages.

        Raises:
            BadInput: the function refused the file, tripped over it, or went over a limit; the title names the file.
        """
        order = {
            "function": f"{function.__module__}:{function.__qualname__}",
            "arguments": [str(path), label, *arguments],
            "seconds": seconds,
        }
        child = self._started()
        cap = min(MAX_FILE, max(4 * RATIO_COUNTS_FROM, path.stat().st_size * MAX_RATIO))
        done = False
        try:
            assert child.stdin is not None
            child.stdin.write(json.dumps(order).encode() + b"\n")
            child.stdin.flush()
            while True:
                frame, size = self._frame(child, label, seconds)
                if isinstance(frame, dict):
                    done = True
                    _raise_for(frame, label)
                    return
                cap -= size
                if cap < 0:
                    raise BadInput(f"{label} gives far more than its size allows", _AGAIN)
                yield from frame
        except OSError:
            raise self._died(label, seconds) from None
        finally:
            if not done:
                self.close()

    def close(self) -> None:
        """End the process at once and wait until it is gone; closing twice is harmless."""
        child, self._child = self._child, None
        said, self._said = self._said, None
        if child is not None:
            with contextlib.suppress(OSError):
                child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]
        if said is not None:
            said.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is not None and self._child.poll() is None:
            return self._child
        self.close()
        self._silent, self._waiting = False, None
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  closed with the process
        try:
            self._child = subprocess.Popen(
                command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                env=os.environ | _ONE_THREAD,
            )
        except OSError as error:
            raise StoreError(f"The reading process could not be started: {error.strerror or error}") from None
        threading.Thread(target=self._watch, args=(self._child,), daemon=True, name="reading-watch").start()
        return self._child

    def _watch(self, child: subprocess.Popen[bytes]) -> None:
        """Ends a child that has nothing to say for too long; the wait for its pipe then ends too."""
        pause = threading.Event()
        while child.poll() is None and self._child is child:
            since = self._waiting
            if since is not None and time.monotonic() - since > SILENCE:
                self._silent = True
                with contextlib.suppress(OSError):
                    child.kill()
            pause.wait(1.0)

    def _frame(self, child: subprocess.Popen[bytes], label: str, seconds: float) -> tuple[Any, int]:
        assert child.stdout is not None
        self._waiting = time.monotonic()
        try:
            length = int.from_bytes(child.stdout.read(LENGTH), "big")
            if length > 2 * MAX_RECORD:
                raise BadInput(f"{label} has a row of more than {MAX_RECORD >> 20} MiB", _AGAIN)
            data = child.stdout.read(length)
            if not data or len(data) < length:
                raise self._died(label, seconds)
            return json.loads(data.decode("utf-8", "surrogatepass")), length
        except (ValueError, RecursionError):
            raise BadInput(f"{label} broke its reader", _AGAIN) from None
        finally:
            self._waiting = None

    def _died(self, label: str, seconds: float) -> StoreError:
        assert self._child is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(timeout=10.0)
        code = self._child.poll()
        if self._silent:
            return BadInput(f"{label} could not be read within {SILENCE} seconds", _AGAIN)
        if code == OVER_MEMORY:
            return BadInput(f"{label} needs more than {MEMORY >> 20} MiB of memory to be read", _AGAIN)
        reason = _REASONS.get(-code if code else None)
        if reason is not None:
            return BadInput(f"{label} {reason.format(seconds=seconds)}", _AGAIN)
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return BadInput(f"{label} broke its reader ({how}{self._last_words()})", _AGAIN)

    def _last_words(self) -> str:
        if self._said is None:
            return ""
        with contextlib.suppress(OSError):
            self._said.seek(max(0, self._said.seek(0, os.SEEK_END) - 200))
            words = " ".join(self._said.read().decode("utf-8", "replace").split())
            return f": {words}" if words else ""
        return ""


def _raise_for(end: dict[str, Any], label: str) -> None:
    if "missing" in end:
        raise NotFound(*end["missing"])
    if "refused" in end:
        raise BadInput(*end["refused"])
    if "failed" in end:
        raise BadInput(f"{label} cannot be read ({end['failed']})", _AGAIN)
