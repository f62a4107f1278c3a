"""Shards as tasks of Ray: connecting, submitting, waiting. The only module that knows Ray, which is an extra.

Ray's own parts speak natively, past the guard of Python's sockets, so what they may reach is decided here: without an
address Ray is started on this machine alone, bound to the loopback, and goes with the command; an address beyond this
machine needs the same consent as any host, and is looked at before Ray is. Nothing is reported to its makers, no
dashboard is started. Times are seconds.
"""

from __future__ import annotations

import importlib
import logging
import os
import secrets
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from app.cluster.hub import Hub, Look
from app.cluster.placing import Need
from app.cluster.shard import Order, play
from models.errors import ForeignHost
from models.hosts import is_near, normal_host
from tasks.errors import TaskError, UsageError
from tasks.run import engines

KNOCK = 5.0
"""Seconds for an address to answer at all, and for Ray behind it to say who it is."""
LOOKS = 0.5
"""Seconds between two looks at how far the shards are."""
AGAIN = 3
"""Times that Ray begins a shard again whose process or node died, or that could not be played where it was."""
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
"""Nothing is reported; and which GPUs a task may see stays as it is on the node."""
_ALONE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}
"""For a Ray of this machine: the switch by which it binds to the loopback, read when it is imported, and a secret of
its own, for other users of the machine reach the loopback, too."""

_SETTINGS = b"\x04"
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0" + _SETTINGS + b"\0\0\0\0\0"
"""How a client of HTTP/2 begins, and the kind of frame that a server begins with (RFC 9113, 3.4)."""


class NodeTrouble(Exception):
    """A shard could not be played on a node: may go better on another, so Ray tries again."""

    def __init__(self, node: str, title: str, hint: str = "") -> None:
        super().__init__(node, title, hint)  # as it travels
        self.node, self.title, self.hint = node, title, hint


def address_of(on: str) -> str:
    """The address in `ray[:ADDRESS]`, '' for this machine alone.

    Raises:
        UsageError: it is not of that form.
    """
    kind, colon, address = on.partition(":")
    host, _, port = address.rpartition(":")
    with suppress(ValueError):
        if kind == "ray" and not colon:
            return ""
        if kind == "ray" and port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16:
            return f"{_bracketed(normal_host(host))}:{int(port)}"
    raise UsageError(f"--on '{on}' is not ray[:HOST:PORT]", "For example --on ray, or --on ray:10.0.0.1:6379.")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Ray, connected; without an address started here, and ended with the block.

    Raises:
        UsageError: Ray is not installed, or no Ray of this release answers at the address.
        ForeignHost: the address is of another machine, and nobody allowed it.
    """
    host = address.rpartition(":")[0].strip("[]")
    os.environ.update(_QUIET if address else {**_QUIET, **_ALONE, "RAY_AUTH_TOKEN": secrets.token_hex(32)})
    if address and _has_token():  # Ray takes it for a cluster that it starts itself, and has to be told for another
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    try:
        ray: Any = importlib.import_module("ray")  # an extra, and slow to load
    except ImportError:
        raise UsageError("Ray is not installed here", "Install the extra: pip install 'mootbench[ray]'.") from None
    if address and not is_near(host):
        engines.admit(ForeignHost(host))
    if address:
        _knock(address)
    try:
        ray.init(
            address=address or "local", include_dashboard=None if address else False, log_to_driver=False,
            logging_level=logging.ERROR, configure_logging=True, namespace="moot",
        )  # fmt: skip
    except (
        ConnectionError,
        RuntimeError,
        ValueError,
        TimeoutError,
        SystemExit,
    ) as error:  # it exits where it gives up
        said = str(error).strip().splitlines()[0][:300] if str(error).strip() else type(error).__name__
        raise UsageError(
            f"Ray at {address or 'this machine'} cannot be used: {said}",
            "Every machine needs the same release of Ray and of Python, and this one has to be part of the cluster.",
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _has_token() -> bool:
    named = os.environ.get("RAY_AUTH_TOKEN_PATH")
    return (
        bool(os.environ.get("RAY_AUTH_TOKEN"))
        or (Path(named) if named else Path.home() / ".ray/auth_token").is_file()
    )


def _knock(address: str) -> None:
    """See whether gRPC is spoken there, before Ray's own client waits for two minutes and ends this process."""
    nobody = UsageError(
        f"no Ray answers at {address}", "Start one with `ray start --head`, or correct the address after --on ray:."
    )
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), KNOCK) as knocking:
            if os.environ.get("RAY_USE_TLS") == "1":
                return
            knocking.settimeout(KNOCK)
            knocking.sendall(_PREFACE)
            if knocking.recv(9)[3:4] != _SETTINGS:
                raise nobody
    except OSError:
        raise nobody from None


class Cluster:
    """The shards of one run on a connected Ray."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._hub: Any = None

    def room(self, need: Need) -> tuple[int, int]:
        """How many shards find a place at once, and how many nodes there are."""
        nodes = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        return sum(need.times(resources) for resources in nodes), len(nodes)

    def submit(self, order: Order, hub: tuple[Any, ...], need: Need) -> list[Any]:
        """Hand all shards to Ray; gives what `wait` waits for."""
        ray = self._ray
        here = ray.get_runtime_context().get_node_id()
        beside = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(here, soft=False)
        self._hub = ray.remote(Hub).options(num_cpus=0, scheduling_strategy=beside).remote(*hub)
        task = ray.remote(_shard).options(
            num_cpus=need.processors, memory=need.memory, max_retries=AGAIN, retry_exceptions=[NodeTrouble]
        )
        return [task.remote(order, number, self._hub) for number in range(1, order.shards + 1)]

    def stop(self) -> None:
        """No shard begins a step any more."""
        if self._hub is not None:
            self._hub.stop.remote()

    def wait(self, refs: Sequence[Any], watch: Callable[[Look], None]) -> list[str]:
        """Wait for all shards, telling how far they are; gives why shards could not be played, a sentence each."""
        pending, failed = list(refs), []
        try:
            while pending:
                done, pending = self._ray.wait(pending, num_returns=len(pending), timeout=LOOKS)
                watch(self._ray.get(self._hub.look.remote()))
                failed += [said for ref in done if (said := self._outcome(ref))]
        except self._ray.exceptions.RayError as error:
            raise TaskError(f"the cluster is lost: {_first_line(error)}", "The same command goes on.") from error
        return failed

    def _outcome(self, ref: Any) -> str:
        try:
            self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, NodeTrouble):
                return f"{cause.node}: {cause.title}. {cause.hint}".strip(". ") + "."
            if os.environ.get("MOOT_DEBUG"):
                raise
            return _first_line(cause or error)
        except self._ray.exceptions.RayError as error:
            return _first_line(error)
        return ""


def _first_line(error: BaseException) -> str:
    said = next(iter(str(error).strip().splitlines()), "")[:300]
    return f"{type(error).__name__}: {said}"


def _shard(order: Order, number: int, hub: Any) -> int | None:
    """On a node."""
    ray: Any = importlib.import_module("ray")  # an extra

    def line(name: str, *given: Any) -> Any:
        return ray.get(getattr(hub, name).remote(*given))

    node = ray.util.get_node_ip_address()
    try:
        return play(order, number, node, line)
    except ray.exceptions.RayError:
        raise
    except Exception as error:
        if hasattr(error, "exit_code"):
            raise NodeTrouble(node, getattr(error, "title", str(error)), getattr(error, "hint", "")) from None
        if isinstance(error, OSError):
            raise NodeTrouble(node, str(error)) from None
        raise
