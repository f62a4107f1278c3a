"""What a process that runs foreign files may take: no core when it dies, and so many bytes more while it does a step.

Both are limits of the operating system, kept by itself. Where it knows none (Windows, and macOS for memory) they are
left out.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]


def no_core() -> None:
    """Leave no image of gigabytes on the disk."""
    if resource is not None:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@contextlib.contextmanager
def growing(most: int) -> Iterator[None]:
    """Let this process take at most so many bytes more; whoever wants more is refused them, which ends llama.cpp."""
    now = _data()
    if resource is None or not now:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    lower = soft if soft != resource.RLIM_INFINITY and soft < now + most else now + most
    with contextlib.suppress(ValueError, OSError):  # a lower one holds already
        resource.setrlimit(resource.RLIMIT_DATA, (lower, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data() -> int:
    """Bytes that this process can write to and shares with nobody, which is what the limit counts; 0 where the system
    does not say."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
