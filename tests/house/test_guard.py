"""The guard refuses all but this machine. Seen in processes of their own: an audit hook cannot be taken out."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.slow

HEAD = """
import asyncio, os, socket, sys, tempfile
from app.guard import NetworkRefused, install_guard, is_installed, open_hosts, prove
"""


def in_child(code: str, *, head: str = HEAD + "install_guard()\n") -> str:
    """What the code prints; it runs in the repository root with the guard on."""
    command = [sys.executable, "-W", "error", "-c", head + textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


REFUSED = {
    "tcp": "socket.socket().connect(('192.0.2.1', 80))",
    "tcp without exception": "socket.socket().connect_ex(('192.0.2.1', 80))",
    "tcp by name": "socket.socket().connect(('host.invalid', 80))",
    "tcp below the module": "__import__('_socket').socket().connect(('192.0.2.1', 80))",
    "tcp version 6": "socket.socket(socket.AF_INET6).connect(('2001:db8::1', 80))",
    "mapped": "socket.socket(socket.AF_INET6).connect(('::ffff:192.0.2.1', 80))",
    "udp": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    "udp with flags": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', 0, ('192.0.2.1', 53))",
    "udp by name": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('host.invalid', 53))",
    "udp message": "socket.socket(type=socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, ('192.0.2.1', 53))",
    "wildcard": "socket.socket().connect(('0.0.0.0', 80))",
    "listener": "socket.socket().bind(('', 0))",
    "helper": "socket.create_connection(('host.invalid', 80))",
    "look-up": "socket.getaddrinfo('host.invalid', 80)",
    "look-up in bytes": "socket.getaddrinfo(b'host.invalid', 80)",
    "old look-up": "socket.gethostbyname('host.invalid')",
    "reverse look-up": "socket.gethostbyaddr('192.0.2.1')",
    "name of address": "socket.getnameinfo(('192.0.2.1', 80), 0)",
    "almost loopback": "socket.getaddrinfo('127.0.0.1.host.invalid', 80)",
}


def test_refused_with_the_caller_named() -> None:
    tries = "".join(
        f"try:\n    {code}\nexcept NetworkRefused as refusal:\n    print(json.dumps([{name!r}, str(refusal)]))\n"
        for name, code in REFUSED.items()
    )
    keeping = """
import json
sockets = []
class Kept(socket.socket):
    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        sockets.append(self)
socket.socket = Kept
"""
    printed = in_child(f"{keeping}{tries}for kept in sockets:\n    kept.close()\n")
    said = dict(json.loads(line) for line in printed.splitlines())
    assert list(said) == list(REFUSED)
    for name, words in said.items():
        assert words.startswith("Network use refused: ") and "__main__, line " in words, name
    # `connect` with a name resolves it in C before its audit event; the guard is earlier
    assert "connect host.invalid port 80" in said["tcp by name"]


def test_libraries_above_sockets_are_refused_too() -> None:
    printed = in_child(
        """
        import http.client, urllib.request
        for attempt in (lambda: http.client.HTTPConnection("192.0.2.1", timeout=1).request("GET", "/"),
                        lambda: urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                            "http://host.invalid/", timeout=1)):
            try:
                attempt()
            except OSError as error:
                print(error)
        async def ask():
            await asyncio.open_connection("192.0.2.1", 80)
        try:
            asyncio.run(ask())
        except OSError as error:
            print(error)
        """
    )
    assert printed.count("Network use refused") == 3


def test_this_machine_stays_reachable() -> None:
    printed = in_child(
        """
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen()
            port = server.getsockname()[1]
            for host in ("127.0.0.1", "localhost"):
                socket.create_connection((host, port)).close()
            with socket.socket(type=socket.SOCK_DGRAM) as datagram:
                datagram.sendto(b"x", ("127.0.0.1", port))
        async def nothing():
            await asyncio.sleep(0)
        asyncio.run(nothing())
        a, b = socket.socketpair(); a.close(); b.close()
        if hasattr(socket, "AF_UNIX"):
            with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
                server.bind(os.path.join(folder, "s"))
        print("all reached")
        """
    )
    assert printed == "all reached\n"


RESOLVER = """
asked = []
def resolver(host, port, family=0, *args, **named):
    sys.audit("socket.getaddrinfo", host, port, family, 0, 0, 0)  # as the one in C
    asked.append(host)
    found = {"box.invalid": "192.0.2.9", "localhost": "192.0.2.9", "localhost.": "192.0.2.9"}.get(host, host)
    if family == 2 and ":" in found:
        raise socket.gaierror
    return [(10 if ":" in found else 2, 1, 6, "", (found, port))]
socket.getaddrinfo = resolver
def tried(host):
    with socket.socket(type=socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((host, 9))
            return "open"
        except NetworkRefused:
            return "refused"
install_guard()
"""
"""A resolver that sends this machine's own name elsewhere. Datagram sockets: their `connect` sends nothing."""


def test_localhost_is_this_machine_whatever_a_resolver_says() -> None:
    printed = in_child(
        """
        addresses = [sockaddr[0] for *_, sockaddr in socket.getaddrinfo("localhost", 80)]
        print(addresses)
        with socket.socket(type=socket.SOCK_DGRAM) as probe:
            probe.connect(("localhost", 9))
            print(probe.getpeername()[0])
        for name in ("localhost.", "LOCALHOST", "ｌｏｃａｌｈｏｓｔ", "localhost。", "localhost.localdomain",
                     "box.localhost"):
            for attempt in (lambda: socket.getaddrinfo(name, 80), lambda: tried(name)):
                try:
                    assert attempt() == "refused", name
                except NetworkRefused:
                    pass
        open_hosts(["192.0.2.9"])
        print(tried("localhost"), [host for host in asked if ":" not in host and host != "127.0.0.1"])
        """,
        head=HEAD + RESOLVER,
    )
    assert printed == "['::1', '127.0.0.1']\n127.0.0.1\nopen []\n"
