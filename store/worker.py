"""The worker: one child process that reads what comes from elsewhere, within limits of the operating system.

Parsers of archives, workbooks, databases, HTML, PDF and chat templates were not written for enemies. A job names a
function, which runs in the child and gives back JSON; what is large it writes into files, which the parent reads
(`write_lines`, `read_lines`). The limits of the process are the only bound: nothing inside a reader is counted again.
A job that goes over one, or brings the child down, is a `BadInput` of one sentence; the next job starts a new child.

Jobs and outcomes cross the pipes as lines of JSON. The child ends when its pipe does, so it outlives nobody. Windows
has none of these limits but `wall`. Units: seconds, bytes.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final

from store.errors import BadInput, NotFound, StoreError

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

OUTCOME: Final = 64 << 20
"""Bytes of an outcome; what is larger belongs into a file."""
OVER_MEMORY: Final = 86
"""Exit code: the memory did not suffice, and what is left of it is no place to go on."""
_SIGNALS = ("SIGXCPU", "SIGALRM", "SIGKILL")
_EXCEEDED = {OVER_MEMORY} | {-getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)}
"""How a child ends that went over a limit; SIGKILL is sent by a system that runs out of memory."""
_AGAIN = "Open it in the program that made it and save it again, or save it as plain text or CSV."
_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
"""Libraries for numbers would reserve memory for every core."""
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class JobLimits:
    """What a job may take: processor time, time by the clock, memory, and the size of each file that it writes."""

    cpu: int = 60
    wall: int = 600
    memory: int = 1 << 30
    fsize: int = 8 << 30


def command(name: str = "_worker", program: str = "app.cli.engine") -> list[str]:
    """How this application starts its own child: by name, as a person would, so that it also works in a bundle."""
    if getattr(sys, "frozen", False):
        return [sys.executable, name]
    # -P: modules of the folder that the user happens to be in have no business in the child.
    return [sys.executable, "-P", "-m", program, name]


class Worker:
    """A child that is started by the first job. Jobs come from any thread and wait for each other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._stderr: IO[bytes] | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The process that is running, None when there is none."""
        child = self._child
        return child.pid if child is not None and child.poll() is None else None

    def run(self, function: str, *arguments: Any, label: str, limits: JobLimits = JobLimits()) -> Any:  # noqa: B008  frozen
        """What a function gives in the child.

        Args:
            function: `module:name`. It is imported in the child alone, as is whatever library it needs.
            arguments: of the function, as JSON.
            label: what the input is called in messages.
            limits: of this job.

        Raises:
            StoreError: of the function.
            BadInput: the function failed otherwise, or went over a limit; the title begins with the label.
        """
        job = {"function": function, "arguments": arguments, "limits": asdict(limits)}
        with self._lock:
            outcome = None
            try:
                child = self._started()
                assert child.stdin is not None and child.stdout is not None
                with contextlib.suppress(OSError, ValueError, RecursionError):
                    child.stdin.write(json.dumps(job).encode() + b"\n")
                    child.stdin.flush()
                    outcome = json.loads(child.stdout.readline(OUTCOME))
                if outcome is None:
                    raise self._death(label, limits)
            finally:  # also when the wait is interrupted: half an outcome would be read as that of the next job
                if outcome is None:
                    self._end()
        if "value" in outcome:
            return outcome["value"]
        kind = NotFound if outcome["kind"] == "NotFound" else BadInput
        if outcome["kind"]:
            raise kind(outcome["title"], outcome["hint"])
        raise BadInput(f"{label} cannot be read ({outcome['title']})", _AGAIN)

    def close(self) -> None:
        """End the child at once and wait until it is gone; closing twice is harmless."""
        with self._lock:
            self._end()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is not None and self._child.poll() is None:
            return self._child
        self._end()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  closed with the child
        pipe, environment = subprocess.PIPE, os.environ | _ONE_THREAD
        try:
            self._child = subprocess.Popen(command(), stdin=pipe, stdout=pipe, stderr=self._stderr, env=environment)
        except OSError as error:
            raise StoreError(f"The reading process could not be started: {error.strerror or error}") from None
        return self._child

    def _death(self, label: str, limits: JobLimits) -> BadInput:
        assert self._child is not None
        try:
            code = self._child.wait(timeout=5.0)
        except subprocess.TimeoutExpired:  # it lives, so its outcome was too long
            code = OVER_MEMORY
        if code in _EXCEEDED:
            return BadInput(f"{label} needs more than {limits.cpu} s or {limits.memory >> 30} GiB to be read", _AGAIN)
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return BadInput(f"{label} broke its reader ({how}{self._last_words()})", _AGAIN)

    def _last_words(self) -> str:
        assert self._stderr is not None
        self._stderr.seek(max(0, self._stderr.seek(0, os.SEEK_END) - 200))
        words = " ".join(self._stderr.read().decode("utf-8", "replace").split())
        return f": {words}" if words else ""

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout, self._stderr):
                with contextlib.suppress(OSError):  # what could not be written to it
                    pipe.close()  # type: ignore[union-attr]


def write_lines(path: Path | str, items: Iterable[Any]) -> None:
    """Write items as JSON, one a line; half of a character in a text is kept as its escape."""
    with open(path, "w", encoding="ascii") as stream:
        for item in items:
            stream.write(json.dumps(item) + "\n")


def read_lines(path: Path | str) -> Iterator[Any]:
    """The items that `write_lines` wrote, one after the other."""
    with open(path, encoding="ascii") as stream:
        yield from map(json.loads, stream)


# --- the child's end ------------------------------------------------------------------------------------------------


def main() -> int:
    """Serve until the parent closes the pipe. Ctrl-C at the terminal is the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGXCPU", "SIGALRM"):  # a parent may have turned them off
        if kind := getattr(signal, name, None):
            signal.signal(kind, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {kind})
    jobs, outcomes = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # whatever a library prints must not be read as an outcome
    with contextlib.suppress(BrokenPipeError):
        for raw in jobs:
            job = json.loads(raw)
            _begin(JobLimits(**job["limits"]))
            line = _outcome(job)
            _alarm(0)
            outcomes.write(line + b"\n")
            outcomes.flush()
    return 0


_running: JobLimits | None = None
"""Of the job that is carried out."""


def _begin(limits: JobLimits) -> None:
    global _running
    _running = limits
    _limit(limits)
    _alarm(limits.wall)


def renew_time() -> None:
    """Give the job that calls this its time anew: a piece of a long file may take as long as a file of its own."""
    if _running is not None:
        _begin(_running)


def _outcome(job: Mapping[str, Any]) -> bytes:
    module, _, name = job["function"].partition(":")
    try:
        function: Callable[..., Any] = getattr(importlib.import_module(module), name)
        return json.dumps({"value": function(*job["arguments"])}).encode()
    except StoreError as error:
        found = {"kind": type(error).__name__, "title": error.title, "hint": error.hint}
    except MemoryError:
        os._exit(OVER_MEMORY)
    except OSError as error:
        found = {"kind": "", "title": error.strerror or str(error)[:_LONGEST]}
    except BaseException as error:  # whatever a library trips over in what comes from elsewhere
        found = {"kind": "", "title": _described(error)}
    return json.dumps(found).encode()


def _described(error: BaseException) -> str:
    with contextlib.suppress(Exception):
        if words := " ".join(str(error).split())[:_LONGEST]:
            return f"{type(error).__name__}: {words}"
    return type(error).__name__


def _alarm(seconds: int) -> None:
    """End this process after so much time by the clock, whatever it is doing; 0: no more."""
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)
    elif seconds:
        faulthandler.dump_traceback_later(seconds, exit=True)
    else:
        faulthandler.cancel_dump_traceback_later()


def _limit(limits: JobLimits) -> None:
    """Lower the limits of this process, as far as the system has them. Hard ones stay, so that the next job has its
    own."""
    if resource is None:
        return
    wanted = {
        "RLIMIT_CPU": int(time.process_time()) + limits.cpu + 1,
        # RLIMIT_DATA is what Linux counts best; other systems only know the address space.
        "RLIMIT_DATA": limits.memory,
        "RLIMIT_AS": limits.memory + (1 << 30),
        "RLIMIT_FSIZE": limits.fsize,
        "RLIMIT_CORE": 0,
    }
    for kind, most in wanted.items():
        with contextlib.suppress(AttributeError, ValueError, OSError):  # a system that does not know the limit
            which = getattr(resource, kind)
            hard = resource.getrlimit(which)[1]
            resource.setrlimit(which, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
