"""Shards of a run as tasks of Ray, which is an extra: connecting, playing, waiting.

A shard is an ordinary run with a journal of its own, which is handed back when it ends. Packs, task files and models
lie on every node where the run names them; merging compares their hashes. A shard whose node is lost is played again.

Ray's parts speak natively, past the guard of Python's sockets: without an address Ray is started on this machine
alone, bound to the loopback, and goes with the command; an address beyond it needs the same consent as any host.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from app.guard import install_guard, open_hosts
from models.errors import ForeignHost
from models.hosts import is_near, normal_host
from store.journal import SUFFIX
from tasks.episode.events import ModelCalled, Stopped
from tasks.episode.scheduler import Notice, RecordsCommitted
from tasks.errors import TaskError, UsageError
from tasks.run import engines
from tasks.run.runner import resume_run, start_run
from tasks.run.spec import RunSpec

CONNECT = 5.0
"""Seconds for an address to answer at all."""
START = 60.0
"""Seconds for Ray's client to be part of the cluster; by itself it waits for minutes and ends its process."""
PAUSE = 0.5
"""Seconds between two looks at how far the shards are."""
RETRIES = 3
"""Times that Ray begins a shard again whose process or node died, or that could not be played where it was."""
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
"""Nothing is reported; and which GPUs a task may see stays as it is on the node."""
_ALONE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}
"""For a Ray of this machine: the switch by which it binds to the loopback, and a secret, for others reach it, too."""

Report = tuple[dict[str, int], int]
"""How far a shard is: how its episodes ended, tokens written in this turn."""


@dataclass(frozen=True, slots=True)
class ShardSpec:
    """What all shards of a run have in common. spec: of the whole run; hosts: host beyond the machine that may be
    reached -> variable with its key, as whoever asked has decided."""

    spec: dict[str, Any]
    hosts: Mapping[str, str]
    shards: int
    argv: tuple[str, ...] = ()

    def file(self, folder: Path, number: int, *, whole: bool = True) -> Path:
        """Where the journal of a shard is kept; one with open episodes under another name."""
        return folder / f"{number}-of-{self.shards}{'' if whole else '.part'}{SUFFIX}"


class _Hub:
    """Beside the process that asked, called by all shards: how far each is, and whether they are to go on."""

    def __init__(self) -> None:
        self._stopped = False
        self._reports: dict[int, Report] = {}

    def report(self, shard: int, report: Report) -> bool:
        self._reports[shard] = report
        return not self._stopped

    def stop(self) -> None:
        self._stopped = True

    def look(self) -> dict[int, Report]:
        return self._reports


class ShardResult(NamedTuple):
    """A shard as it is handed back: its journal, how many episodes are open, and why where an engine is away."""

    journal: bytes
    left: int
    why: str


def play(order: ShardSpec, number: int, before: bytes, report: Callable[[int, Report], bool]) -> ShardResult:
    """Play a shard to its end, or until `report` says no; before: its journal where it goes on."""
    install_guard()
    open_hosts(order.hosts)

    def admit(refusal: ForeignHost) -> str:
        if refusal.host not in order.hosts:
            raise refusal
        return order.hosts[refusal.host]

    engines.admit = admit
    with tempfile.TemporaryDirectory(prefix="moot-shard-") as folder:
        path = order.file(Path(folder), number)
        if before:
            path.write_bytes(before)
            made = resume_run(path)
        else:
            spec = RunSpec.model_validate({**order.spec, "shard": (number, order.shards)})
            made = start_run(spec, out=path, argv=order.argv)
        with made:
            episodes = made.scheduler.episodes
            reporter = _Reporter(number, report, Counter(filter(None, map(episodes.outcome, episodes))))
            made.scheduler.watchers.append(reporter)
            if reporter.send():
                made.go(lambda: reporter.goes_on)
            reporter.send()
            if not episodes.open:
                made.record_scores()
            lost = (str(error.args[0]) for error in made.scheduler.lost.values())
            left, why = episodes.open, next(lost, "")
        return ShardResult(path.read_bytes(), left, why)


class _Reporter:
    """Follows a shard and tells the hub how far it is."""

    def __init__(self, number: int, report: Callable[[int, Report], bool], outcomes: Counter[str]) -> None:
        self.goes_on = True
        self._number, self._report, self._outcomes = number, report, outcomes
        self._tokens, self._sent = 0, 0.0

    def send(self) -> bool:
        self.goes_on = self._report(self._number, (dict(self._outcomes), self._tokens))
        self._sent = time.monotonic()
        return self.goes_on

    def notify(self, notice: Notice) -> None:
        for record in notice.records if isinstance(notice, RecordsCommitted) else ():
            if isinstance(record.event, ModelCalled):
                self._tokens += record.event.generated
            elif isinstance(record.event, Stopped):
                self._outcomes[record.event.outcome] += 1
        if time.monotonic() - self._sent >= PAUSE:
            self.send()


class NodeTrouble(Exception):
    """A shard could not be played on a node: may go better on another, so Ray tries again."""


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
            named = normal_host(host)
            return f"[{named}]:{int(port)}" if ":" in named else f"{named}:{int(port)}"
    raise UsageError(f"--on '{on}' is not ray[:HOST:PORT]", "For example --on ray, or --on ray:10.0.0.1:6379.")


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Ray, connected; without an address started here, and ended with the block.

    Raises:
        UsageError: Ray is not installed, or no Ray of this release answers at the address.
        ForeignHost: the address is of another machine, and nobody allowed it.
    """
    if importlib.util.find_spec("ray") is None:
        raise UsageError("Ray is not installed here", "Install the extra: pip install 'mootbench[ray]'.")
    host, _, port = address.rpartition(":")
    if address and not is_near(host.strip("[]")):
        engines.admit(ForeignHost(host.strip("[]")))
    os.environ.update(_QUIET if address else {**_QUIET, **_ALONE, "RAY_AUTH_TOKEN": secrets.token_hex(32)})
    token = Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray/auth_token")
    if address and (os.environ.get("RAY_AUTH_TOKEN") or token.is_file()):
        os.environ.setdefault("RAY_AUTH_MODE", "token")  # Ray takes it only for a cluster that it starts itself
    if address:
        _try_out(address, host.strip("[]"), int(port))
    ray: Any = importlib.import_module("ray")
    try:
        ray.init(
            address=address or "local", include_dashboard=None if address else False, log_to_driver=False,
            logging_level=logging.ERROR, configure_logging=True, namespace="moot",
        )  # fmt: skip
    except (ConnectionError, RuntimeError, ValueError, TimeoutError, SystemExit) as error:
        raise _no_use(address or "this machine", error) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _try_out(address: str, host: str, port: int) -> None:
    """Begin Ray's client in a process of its own, with a time limit: where it fails it takes its process along."""
    nobody = UsageError(
        f"no Ray answers at {address}", "Start one with `ray start --head`, or correct the address after --on ray:."
    )
    try:
        socket.create_connection((host, port), CONNECT).close()
        begun = f"import ray; ray.init(address={address!r}, log_to_driver=False, logging_level=40)"
        done = subprocess.run(
            [sys.executable, "-c", begun], stdin=subprocess.DEVNULL, capture_output=True, timeout=START, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        raise nobody from None
    if done.returncode:
        raise _no_use(address, done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2])


def _no_use(where: str, why: object) -> UsageError:
    return UsageError(
        f"Ray at {where} cannot be used: {_first_line(why)}",
        "Every machine needs the same release of Ray and of Python, and this one has to be part of the cluster.",
    )


class Cluster:
    """The shards of one run on a connected Ray."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        here = ray.get_runtime_context().get_node_id()
        beside = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(here, soft=False)
        self._hub = ray.remote(_Hub).options(num_cpus=0, scheduling_strategy=beside).remote()

    def room(self, processors: int, memory: int) -> tuple[int, int]:
        """How many shards that need so much find a place at once, and how many nodes there are."""
        nodes = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        fit = (min(one.get("CPU", 0) // processors, one.get("memory", 0) // memory) for one in nodes)
        return int(sum(fit)), len(nodes)

    def stop(self) -> None:
        """No shard begins a step any more."""
        self._hub.stop.remote()

    def play(
        self, order: ShardSpec, before: Mapping[int, bytes], need: tuple[int, int],
        keep: Callable[[int, ShardResult], object], watch: Callable[[dict[int, Report]], object],
    ) -> list[str]:  # fmt: skip
        """Play the shards of an order; gives why some could not be played, a sentence each.

        before: number of each shard that is left -> its journal, b"" for none; need: processors and bytes of memory
        of each; keep is given every shard as it ends, watch told how far all are.
        """
        ray = self._ray
        task = ray.remote(_shard).options(
            num_cpus=need[0], memory=need[1], max_retries=RETRIES, retry_exceptions=[NodeTrouble]
        )
        numbers = {task.remote(order, number, journal, self._hub): number for number, journal in before.items()}
        pending, failed = list(numbers), []
        try:
            while pending:
                done, pending = ray.wait(pending, num_returns=len(pending), timeout=PAUSE)
                watch(ray.get(self._hub.look.remote()))
                for ref in done:
                    try:
                        keep(numbers[ref], ray.get(ref))
                    except ray.exceptions.RayError as error:
                        failed.append(_first_line(getattr(error, "cause", None) or error))
        except ray.exceptions.RayError as error:
            raise TaskError(f"the cluster is lost: {_first_line(error)}", "The same command goes on.") from error
        return failed


def _first_line(error: object) -> str:
    return str(error).strip().partition("\n")[0][:300] or type(error).__name__


def _shard(order: ShardSpec, number: int, before: bytes, hub: Any) -> ShardResult:
    """On a node."""
    ray: Any = importlib.import_module("ray")
    try:
        return play(order, number, before, lambda *given: bool(ray.get(hub.report.remote(*given))))
    except ray.exceptions.RayError:
        raise
    except Exception as error:
        if hasattr(error, "exit_code") or isinstance(error, OSError):
            raise NodeTrouble(f"{ray.util.get_node_ip_address()}: {error}") from None
        raise
