"""The socket guard: Moot talks to nobody but this machine, whatever a library tries.

Installed by the command line before anything else runs. It is a Python audit hook, so it sees every socket call of
Python code in this process and cannot be taken out again. Name look-ups count as network use: they are refused before
a question leaves the machine. `localhost` is answered here and never looked up, so that no resolver decides where it
is. Names pass in their one spelling only (`models.hosts`): the resolver is asked for what was looked at.

It does not see native code that calls the operating system by itself, nor programs started as children: Moot starts
only itself, and the child puts on a guard of its own, without any allowed host, before it loads a model. `moot
doctor` lets both prove it; tests/house/test_offline.py traces the system calls of native code.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from types import FrameType
from typing import Any

from models.hosts import LOCALHOST, is_near, normal_host

_open: dict[str, frozenset[str]] = {}
"""Host beyond this machine that may be reached -> the addresses that its look-ups gave, which are open as long as it
is."""
_installed = False
_prepared = False


class NetworkRefused(ConnectionError):
    """Something tried to reach beyond this machine; says what, whereto and which line of which module."""

    exit_code = 1

    def __init__(self, action: str, target: str, caller: str) -> None:
        super().__init__(
            f"Network use refused: {action} {target}, tried by {caller}. Moot works offline and reaches only this "
            f"machine"
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
    return bytes(host).decode("utf-8", "replace") if isinstance(host, bytes | bytearray) else str(host)


def _address(host: object) -> str | None:
    """An address in its one spelling, without the zone that the system adds; None for a name."""
    try:
        return normal_host(str(ipaddress.ip_address(_text(host).partition("%")[0])))
    except ValueError:
        return None


def _is_open_name(host: object) -> bool:
    """Whether a name may be looked up: only in its one spelling, for others may mean something else to the
    resolver."""
    return (name := _text(host)) == LOCALHOST or name in _open


def _is_open_address(address: str) -> bool:
    return is_near(address) or address in _open or any(address in found for found in _open.values())


def _refuse(action: str, host: object, port: object = None) -> None:
    shown = _text(host) or "every address"
    raise NetworkRefused(action, shown if port is None else f"{shown} port {port}", _caller())


def _check_address(action: str, sock: Any, address: Any) -> None:
    """Names are no addresses: whoever gives one below the `socket` module has let C look it up already."""
    family = getattr(sock, "family", None)
    kind = getattr(family, "name", str(family))
    if kind == "AF_UNIX" or address is None:
        return
    if kind in ("AF_INET", "AF_INET6") and isinstance(address, tuple) and len(address) >= 2:
        _check_host(action, address[0], address[1])
    else:
        raise NetworkRefused(action, f"an address of family {kind}", _caller())


def _check_host(action: str, host: object, port: object = None) -> None:
    address = _address(host)
    if address is None or not _is_open_address(address):
        _refuse(action, host, port)


def _check_look_up(host: object) -> None:
    address = _address(host)
    if not (_text(host) in _open if address is None else _is_open_address(address)):
        _refuse("look up", host)


def _prepare() -> None:
    """Look before names are looked up: `connect(("name", 80))` asks the name server before its audit event."""
    global _prepared
    if _prepared:
        return
    _prepared = True

    def watched(name: str) -> Callable[..., Any]:
        plain = getattr(socket.socket, name)

        @wraps(plain)
        def call(sock: Any, *args: Any) -> Any:
            if args and isinstance(args[-1], tuple) and len(args[-1]) >= 2 and _is_open_name(args[-1][0]):
                host, port = args[-1][:2]
                args = (*args[:-1], socket.getaddrinfo(host, port, sock.family, sock.type)[0][4])
            if args:
                _check_address(name, sock, args[-1])
            return plain(sock, *args)

        return call

    for name in ("connect", "connect_ex", "bind", "sendto"):
        setattr(socket.socket, name, watched(name))
    look_up = socket.getaddrinfo

    @wraps(look_up)
    def getaddrinfo(host: Any, *args: Any, **named: Any) -> Any:
        name = "" if host is None else _text(host)
        if name == LOCALHOST:
            found = []
            with suppress(OSError):  # the family asked for is the other one
                found += look_up("::1", *args, **named)
            with suppress(OSError):
                found += look_up("127.0.0.1", *args, **named)
            return found or look_up("127.0.0.1", *args, **named)
        found = look_up(host, *args, **named)
        if name in (known := _open):  # other look-ups may be under way, with other answers
            known[name] |= {address for *_, where in found if (address := _address(where[0]))}
        return found

    socket.getaddrinfo = getaddrinfo


_CHECKS: dict[str, Callable[[tuple[Any, ...]], None]] = {
    "socket.connect": lambda args: _check_address("connect", args[0], args[1]),
    "socket.bind": lambda args: _check_address("bind", args[0], args[1]),
    "socket.sendto": lambda args: _check_address("sendto", args[0], args[1]),
    "socket.sendmsg": lambda args: _check_address("sendmsg", args[0], args[1]),
    "socket.getaddrinfo": lambda args: None if args[0] is None else _check_look_up(args[0]),
    "socket.gethostbyname": lambda args: _check_host("look up", args[0]),
    "socket.gethostbyaddr": lambda args: _check_host("look up", args[0]),
    "socket.getnameinfo": lambda args: _check_host("look up", args[0][0]),
}
"""Audit event -> its check; every other event passes at once."""


def open_hosts(hosts: Iterable[str]) -> None:
    """Let exactly these hosts be reached beside this machine; one that was open before and is not among them is
    shut."""
    global _open
    _open = {name: _open.get(name, frozenset()) for name in map(normal_host, hosts)}


def install_guard() -> None:
    """Refuse every connection, datagram, listener and name look-up that leaves this machine.

    Loopback addresses (127.0.0.0/8, ::1), `localhost` and Unix sockets stay open, and whatever `open_hosts` opened. A
    second call does nothing.
    """
    global _installed
    if _installed:
        return
    _installed = True
    _prepare()
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
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except NetworkRefused as refusal:
            return refusal
        except OSError:
            return None
    return None
