"""Which hosts beyond this machine a run may reach: those named with --allow-host, and nobody else.

They are stored with the run, so that it can go on later. A run file from elsewhere opens nothing by itself: whoever made
it must not decide whom this machine talks to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from app.guard import install_guard
from store import places
from store.journal import Journal
from tasks.engines import run_path
from tasks.errors import UsageError
from tasks.header import header_of, spec_of
from tasks.runner import Run


def checked_hosts(hosts: Iterable[str]) -> tuple[str, ...]:
    """The hosts, each once and without brackets; `UsageError` for what is an address, a port or a pattern instead."""
    found = {host: host.strip("[]") for host in hosts}
    for host, bare in found.items():
        numeric = bare.count(":") > 1  # an address of version 6
        if not bare or any(ch <= " " or ch in "/@*,#?" for ch in bare) or (":" in bare and not numeric):
            raise UsageError(f"'{host}' is no host", "Give a name or an address without port, e.g. --allow-host 192.168.0.7.")
    return tuple(dict.fromkeys(found.values()))


def open_hosts_of(run: str | Path, named: Iterable[str] = ()) -> tuple[str, ...]:
    """Let the guard pass the hosts that a stored run may reach, and those named now; gives the hosts of the run.

    Raises:
        UsageError: the run lies outside the folder of runs and was allowed a host that is not named now.
    """
    named = checked_hosts(named)
    path = run_path(run)
    with Journal.open(path) as journal:
        stored = spec_of(header_of(journal)).allow_hosts if "spec" in header_of(journal) else ()
    unnamed = [host for host in stored if host not in named]
    if unnamed and path.resolve().parent != places.runs().resolve():
        raise UsageError(
            f"this run reaches beyond this machine, to {', '.join(unnamed)}",
            f"If that is meant, add {' '.join(f'--allow-host {host}' for host in unnamed)}.",
        )
    install_guard(allow=(*stored, *named))
    return stored


def with_hosts(opener: Callable[..., Run], run: Path, *arguments: Any) -> Run:
    """Open or fork a stored run with the hosts that it may reach."""
    open_hosts_of(run)
    return opener(run, *arguments)
