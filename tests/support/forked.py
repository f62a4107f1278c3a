"""A call in a forked child under a limit of memory and time: what it printed, how it ended, and where it failed.

For benches and tests that need thousands of calls of the command line with everything imported once. Memory in bytes
of address space, time in seconds of the processor, so that other work on the machine changes nothing; `peak` in kB of
resident memory as the kernel counts it, the parent's own included.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MEMORY = 3 << 30
PATIENCE = 60.0
FAULT = 99
"""Exit code of a child whose call raised."""


@dataclass(frozen=True, slots=True)
class Done:
    """How a call ended. `fault` is '' or one line: the exception or signal, with the innermost place in the
    product."""

    code: int
    out: bytes
    err: bytes
    fault: str
    peak: int
    seconds: float


def forked(call: Callable[[], object], *, memory: int = MEMORY, seconds: float = PATIENCE) -> Done:
    """Call in a child; its exit code is that of SystemExit, 0 for a return, `FAULT` for any other exception."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile("w+") as fault:
        sys.stdout.flush()
        sys.stderr.flush()
        started = time.monotonic()
        pid = os.fork()
        if pid == 0:
            _child(call, out.fileno(), err.fileno(), fault, memory)
        status, used, hung = _wait(pid, seconds)
        took = time.monotonic() - started
        for file in (out, err, fault):
            file.seek(0)
        written, said, why = out.read(), err.read(), fault.read()
    if hung:
        why = f"hang at {_place(why)}"
    elif os.WIFSIGNALED(status):
        why = f"killed by {signal.Signals(os.WTERMSIG(status)).name} at {_place(why)}"
    code = os.waitstatus_to_exitcode(status)
    return Done(code, written, said, why.strip(), used, took)


def _wait(pid: int, seconds: float) -> tuple[int, int, bool]:
    """Wait for the end of a child that works for `seconds` at most, and is idle for a quarter of that."""
    pause, spent, idle_since = 0.001, 0.0, time.monotonic()
    while True:
        found, status, used = os.wait4(pid, os.WNOHANG)
        if found:
            return status, used.ru_maxrss, False
        state, now = _worked(pid), time.monotonic()
        if state is None or state[0] == "R" or state[1] > spent + 0.05:
            spent, idle_since = state[1] if state else spent, now if state else idle_since
        if spent > seconds or now - idle_since > (seconds / 4 if state else seconds * 4):
            for ending in (signal.SIGUSR1, signal.SIGKILL):
                os.kill(pid, ending)
                time.sleep(0.3 if ending == signal.SIGUSR1 else 0.0)
            _, status, used = os.wait4(pid, 0)
            return status, used.ru_maxrss, True
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)


def _worked(pid: int) -> tuple[str, float] | None:
    """The state of a process and the seconds of processor time it took so far; None where the kernel does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _child(call: Callable[[], object], out: int, err: int, fault: object, memory: int) -> None:
    code = FAULT
    try:
        null = os.open(os.devnull, os.O_RDONLY)
        for here, there in ((null, 0), (out, 1), (err, 2)):
            os.dup2(here, there)
        # pytest has its own in their place.
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        faulthandler.enable(fault)  # type: ignore[arg-type]
        faulthandler.register(signal.SIGUSR1, file=fault)  # type: ignore[arg-type]
        try:
            call()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
        except BaseException as error:
            fault.write(raised(error))  # type: ignore[attr-defined]
            fault.flush()  # type: ignore[attr-defined]
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def raised(error: BaseException) -> str:
    """Type and words of an exception, and the innermost line of the product that it passed."""
    ours = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_ours(frame.filename)]
    place = f"{Path(ours[-1].filename).relative_to(ROOT)}:{ours[-1].lineno} {ours[-1].name}" if ours else "?"
    words = " ".join(str(error).split())[:160]
    return f"{type(error).__name__} at {place}: {words}"


def _place(dump: str) -> str:
    """The innermost line of the product in what faulthandler wrote; the newest dump counts."""
    for line in dump.rpartition("most recent call first")[2].splitlines():
        if '"' in line and _is_ours(name := line.split('"')[1]):
            return f"{Path(name).relative_to(ROOT)}:{line.split('line ')[1].replace(' in ', ' ')}"
    return "?"


def _is_ours(name: str) -> bool:
    path = Path(name)
    return path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] not in ("tests", ".venv")
