"""Which hosts beyond this machine may be reached: those that the person at this machine allowed, and nobody else.

The answers live in one file of the user's configuration, and never in a run, a pack or a SPEC: whoever made those
must not decide whom this machine talks to. Beside each host stands the name of the environment variable that holds
the key bound to it; the key itself is never stored. The file is read anew whenever an engine is opened, so that a
host that was revoked is shut from the next opening on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from app.guard import open_hosts
from models.errors import ForeignHost
from models.hosts import is_near, normal_host
from store import places
from store.errors import BadInput, NotFound
from store.files import BY_HAND, read_whole, real_path, written_whole
from tasks.errors import UsageError
from tasks.run import engines

if TYPE_CHECKING:
    from tasks.run.opened import Run

VARIABLE = r"^(?:[A-Z_][A-Z0-9_]*)?$"
"""How an environment variable for a key is called: in capitals, so that a key is not taken for its name."""

Ask = Callable[[str, str], bool]
"""Asks the person once: (host, the run that wants to reach it or '') -> whether it is allowed from now on."""

origin: ContextVar[str] = ContextVar("origin", default="")
"""The run whose engines are being opened, as the question names it."""


class Host(BaseModel):
    """What was decided about a host."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    key_env: str = Field(default="", pattern=VARIABLE)
    """The environment variable that holds the key for this host; '' when it is sent none."""


class _HostsFile(BaseModel):
    model_config = ConfigDict(extra="forbid")
    hosts: dict[str, Host] = Field(default_factory=dict)

    @field_validator("hosts")
    @classmethod
    def _one_spelling(cls, hosts: dict[str, Host]) -> dict[str, Host]:
        for host in hosts:
            if normal_host(host) != host:
                raise ValueError(f"'{host}' is not the usual spelling of a host")
        return hosts


def checked_host(host: str) -> str:
    """The one spelling of a host that a person named; `UsageError` for what is an address of the web, a port or a
    pattern."""
    try:
        return normal_host(host)
    except ValueError:
        hint = "Give a name or a plain address without port, e.g. 192.168.0.7."
        raise UsageError(f"'{host}' is no host", hint) from None


# --- the file -------------------------------------------------------------------------------------------------------


def file_of_hosts() -> Path:
    """Where the answers are kept."""
    return places.config() / "hosts.json"


def allowed() -> dict[str, Host]:
    """The hosts that the user allowed, by name; `BadInput` for a damaged file, which allows nothing."""
    path = file_of_hosts()
    try:
        return _HostsFile.model_validate_json(read_whole(path, BY_HAND)).hosts
    except NotFound:
        return {}
    except ValidationError as error:
        first = error.errors()[0]
        reason = f"{'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg']}"
    except BadInput as error:
        reason = error.title
    raise BadInput(
        f"{path} does not say which hosts are allowed ({reason})", "Correct or delete it; until then none is."
    )


def allow(host: str, key_env: str = "") -> None:
    """Remember that a host may be reached, and which environment variable holds its key."""
    try:
        decided = Host(key_env=key_env)
    except ValidationError:  # not shown: it may be the key itself
        hint = "Name a variable in capitals, e.g. --key-env BOX_KEY, and put the key into it."
        raise UsageError("what follows --key-env is no name of an environment variable", hint) from None
    _change(lambda hosts: {**hosts, host: decided})


def revoke(host: str) -> None:
    """Forget that a host may be reached; `NotFound` when it was not allowed."""

    def without(hosts: Mapping[str, Host]) -> dict[str, Host]:
        if host not in hosts:
            raise NotFound(f"host {host} was not allowed", "`moot config hosts` lists those that are.")
        return {name: decided for name, decided in hosts.items() if name != host}

    _change(without)


def _change(made_of: Callable[[dict[str, Host]], dict[str, Host]]) -> None:
    path = real_path(file_of_hosts())
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        content = _HostsFile(hosts=made_of(allowed())).model_dump_json(indent=1)
        with written_whole(path, private=True) as file:
            file.write(content + "\n")


# --- opening engines ------------------------------------------------------------------------------------------------


class Consent:
    """Decides for this process, at every opening of an engine that leads beyond this machine."""

    def __init__(self, named: Iterable[str], ask: Ask | None) -> None:
        """Take the hosts `named` for this command alone; `ask` is None where nobody can be asked."""
        self._named = frozenset(named)
        self._ask = ask
        self._reached: set[str] = set()
        self._lock = threading.Lock()

    def __call__(self, refusal: ForeignHost) -> str:
        """Let the guard pass the host; gives the environment variable with its key. Raises the refusal where the
        answer is no."""
        host = refusal.host
        with self._lock:  # two engines that want the same host: one question
            known = allowed()
            if host not in known and host not in self._named:
                if self._ask is None or not self._ask(host, origin.get()):
                    raise refusal
                allow(host)
                known = allowed()
            self._reached = {name for name in (*self._reached, host) if name in known or name in self._named}
            open_hosts(self._reached)
        return known[host].key_env if host in known else ""


def consent(named: Iterable[str] = (), ask: Ask | None = None) -> None:
    """From now on engines of this process may lead to hosts that are allowed, that are named here, or that `ask` says
    yes to."""
    engines.admit = Consent((checked_host(host) for host in named), ask)


def with_origin(opener: Callable[..., Run], run: Path, *arguments: object) -> Run:
    """Open or fork a stored run; a question about a host names it."""
    origin.set(run.stem)
    return opener(run, *arguments)


def refuse_near(host: str) -> None:
    """`UsageError` for this machine itself, about which there is nothing to decide."""
    if is_near(host):
        raise UsageError(f"{host} is this machine, which may always be reached", "Name another host.")
