"""The socket guard: Moot talks to nobody but this machine, whatever a library tries.

Installed by the command line before anything else runs. It is a Python audit hook, so it sees every socket call of
Python code in this process and cannot be taken out again. Name look-ups count as network use: they are refused before
a question leaves the machine. It does not see native code that calls the operating system by itself, nor programs
started as children: Moot starts only itself, and the child puts on a guard of its own, without any allowed host, before
it loads a model. `moot doctor` lets both prove it; tests/test_offline.py traces the system calls of native code.
"""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from types import FrameType, ModuleType
from typing import Any

_allowed: set[str] = set()
_installed = False
_prepared = False


class NetworkRefused(ConnectionError):
    """Something tried to reach beyond this machine; says what, whereto and which line of which module."""

    exit_code = 1

    def __init__(self, action: str, target: str, caller: str) -> None:
        super().__init__(
            f"Network use refused: {action} {target}, tried by {caller}. Moot works offline and reaches only this machine"
        )
        self.action = action
        self.target = target
        self.caller = caller


def _caller() -> str:
    """The innermost frame outside the standard library, as `module, line n`; else the innermost of all but ours."""
    frame: FrameType | None = sys._getframe(1)
    nearest = ""
    while frame is not None:
        module = frame.f_globals.get("__name__", "?")
        if module != __name__:
            here = f"{module}, line {frame.f_lineno}"
            if module.partition(".")[0] not in sys.stdlib_module_names or module == "__main__":
                return here
            nearest = nearest or here
        frame = frame.f_back
    return nearest or "an unknown caller"


def _text(host: object) -> str:
    raw = bytes(host).decode("utf-8", "replace") if isinstance(host, bytes | bytearray) else str(host)
    return raw.partition("%")[0].rstrip(".").casefold()


def _is_open(host: object) -> bool:
    name = _text(host)
    if name == "localhost" or name in _allowed:
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def _check_host(action: str, host: object, port: object = None) -> None:
    if not _is_open(host):
        shown = _text(host) or "every address"
        raise NetworkRefused(action, shown if port is None else f"{shown} port {port}", _caller())


def _check_address(action: str, sock: Any, address: Any) -> None:
    family = getattr(sock, "family", None)
    kind = getattr(family, "name", str(family))
    if kind == "AF_UNIX" or address is None:
        return
    if kind in ("AF_INET", "AF_INET6") and isinstance(address, tuple) and len(address) >= 2:
        _check_host(action, address[0], address[1])
    else:
        raise NetworkRefused(action, f"an address of family {kind}", _caller())


def _prepare() -> None:
    """Look before names are looked up: `connect(("name", 80))` asks the name server before its audit event."""
    global _prepared
    socket: ModuleType | None = sys.modules.get("socket")
    if _prepared or socket is None or not hasattr(socket, "create_connection"):
        return
    _prepared = True

    def watched(name: str) -> Callable[..., Any]:
        plain = getattr(socket.socket, name)

        @wraps(plain)
        def call(sock: Any, *args: Any) -> Any:
            if args:
                _check_address(name, sock, args[-1])
            return plain(sock, *args)

        return call

    for name in ("connect", "connect_ex", "bind", "sendto"):
        setattr(socket.socket, name, watched(name))
    look_up = socket.getaddrinfo

    @wraps(look_up)
    def getaddrinfo(host: Any, *args: Any, **named: Any) -> Any:
        found = look_up(host, *args, **named)
        if host is not None and _text(host) in _allowed:
            _allowed.update(_text(address[0]) for *_, address in found)
        return found

    socket.getaddrinfo = getaddrinfo  # type: ignore[attr-defined]


_CHECKS: dict[str, Callable[[tuple[Any, ...]], None]] = {
    "socket.__new__": lambda args: _prepare(),
    "socket.connect": lambda args: _check_address("connect", args[0], args[1]),
    "socket.bind": lambda args: _check_address("bind", args[0], args[1]),
    "socket.sendto": lambda args: _check_address("sendto", args[0], args[1]),
    "socket.sendmsg": lambda args: _check_address("sendmsg", args[0], args[1]),
    "socket.getaddrinfo": lambda args: None if args[0] is None else _check_host("look up", args[0]),
    "socket.gethostbyname": lambda args: _check_host("look up", args[0]),
    "socket.gethostbyaddr": lambda args: _check_host("look up", args[0]),
    "socket.getnameinfo": lambda args: _check_host("look up", args[0][0]),
}
"""Audit event -> its check; every other event passes at once."""


def install_guard(allow: Iterable[str] = ()) -> None:
    """Refuse every connection, datagram, listener and name look-up that leaves this machine.

    Loopback addresses (127.0.0.0/8, ::1), `localhost` and Unix sockets stay open. A second call only adds hosts.

    Args:
        allow: host names or addresses that may be reached too.
    """
    global _installed
    _allowed.update(_text(host) for host in allow if host)
    if _allowed:
        import socket  # noqa: F401  its look-ups must be watched from the first one on

        _prepare()
    if _installed:
        return
    _installed = True
    find = _CHECKS.get

    def hook(event: str, args: tuple[Any, ...]) -> None:
        check = find(event)
        if check is not None:
            check(args)

    sys.addaudithook(hook)


def is_installed() -> bool:
    """Whether the guard is on in this process."""
    return _installed


def prove() -> NetworkRefused | None:
    """Try to reach an address that belongs to nobody (192.0.2.1, RFC 5737) and return the guard's refusal.

    None says that the guard did not refuse. Nothing is sent in either case: the socket is a datagram socket, whose
    `connect` only notes an address.
    """
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except NetworkRefused as refusal:
            return refusal
        except OSError:
            return None
    return None
