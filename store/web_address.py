"""Addresses of web pages: one spelling for one page, and nothing that points into a machine.

Nothing is ever fetched. A page that says no usable address of its own gets a `local:` address made of its file name.
"""

from __future__ import annotations

from urllib.parse import quote, urlsplit, urlunsplit

LOCAL = "local:"
MAX_ADDRESS = 2048
"""Characters; a longer address is taken as none."""

_LONGEST_NAME = 1900
_PORTS = {"http": 80, "https": 443}


def tidy_address(text: str) -> str | None:
    """An absolute http or https address in one spelling, or None: no fragment, no user, host in small letters."""
    text = text.strip()
    if not text or len(text) > MAX_ADDRESS or not text.isprintable() or any(c in text for c in ' <>"\\'):
        return None
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
        text.encode()
    except (ValueError, UnicodeError):
        return None
    if parts.scheme not in _PORTS or not host or ".." in host or host.startswith("."):
        return None
    if ":" in host:
        host = f"[{host}]"
    place = host if port in (None, _PORTS[parts.scheme]) else f"{host}:{port}"
    return urlunsplit((parts.scheme, place, parts.path or "/", parts.query, ""))


def is_address(url: str) -> bool:
    """Whether it can stand in a snapshot: as `tidy_address` writes it, or a `local:` address."""
    if url.startswith(LOCAL):
        return len(LOCAL) < len(url) <= MAX_ADDRESS and url.isprintable() and " " not in url
    return tidy_address(url) == url


def local_address(label: str) -> str:
    """The address of a page that states none: its path inside what was imported."""
    shown = (c if c.isprintable() and c not in ' %<>"\\' else quote(c, errors="replace") for c in label)
    return LOCAL + "".join(shown)[-_LONGEST_NAME:]


def host_of(url: str) -> str:
    """The host of an address; empty for a local one."""
    return "" if url.startswith(LOCAL) else urlsplit(url).hostname or ""


def spellings(url: str) -> list[str]:
    """Addresses under which a page may stand that is asked for by this one, the likeliest first."""
    tidy = tidy_address(url) or url
    other = tidy.removesuffix("/") if tidy.endswith("/") else f"{tidy}/"
    return list(dict.fromkeys((url, tidy, other)))
