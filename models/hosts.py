"""What a host is called: one spelling each, so that whoever consents, whoever watches and whoever connects mean the
same.

The one spelling is also what is connected to, so it does not matter what other readers would have made of another
one.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address

LOCALHOST = "localhost"
LONGEST = 253
"""Characters of the longest name."""
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


def normal_host(host: str) -> str:
    """The one spelling of a host: a name in lower case and ASCII (`xn--`), without the last dot; an address in its
    shortest form, one of version 4 inside version 6 as the former. Brackets around version 6 are taken off.

    Raises:
        ValueError: no host, or one that readers disagree about: numbers that only some take for an address (127.1,
            0x7f.0.0.1, 2130706433), zones (%eth0), empty labels, marks of an address of the web.
    """
    if len(host) > LONGEST:
        raise ValueError("longer than any name")
    if ":" in host:
        version6 = IPv6Address(host[1:-1] if host.startswith("[") and host.endswith("]") else host)
        if version6.scope_id is not None:
            raise ValueError("a zone means another host on every machine")
        return str(version6.ipv4_mapped or version6)
    name = (host if host.isascii() else _ascii(host)).lower().removesuffix(".")
    labels = name.split(".")
    if len(name) > LONGEST or not all(_LABEL.fullmatch(label) for label in labels):
        raise ValueError("no name of a host")
    if _NUMBER.fullmatch(labels[-1]):  # no name of the network ends in a number: old readers take it for an address
        return str(IPv4Address(name))
    if any(label.startswith("xn--") and _ascii(label) != label for label in labels):
        raise ValueError("no name of a host in another script")
    return name


def _ascii(name: str) -> str:
    """A name in another script as the network knows it: look-alikes of dots, letters and digits become the real ones.

    The library is that of httpx, which connects.
    """
    import idna

    return idna.encode(name, uts46=True).decode("ascii")


def is_near(host: str) -> bool:
    """Whether a host in its one spelling is this machine: 127.0.0.0/8, ::1, localhost."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == LOCALHOST
