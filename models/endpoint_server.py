"""The connection to an OpenAI-compatible server: its address, its answers as bytes, its failures as one sentence
each.

httpx is imported on use (it is slow to load, and brings rich along, which only `app` may know). Units: seconds.
"""

from __future__ import annotations

import json
import math
import os
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from models.endpoint_flight import Flight, Watch
from models.endpoint_refusals import Refused, about_status, code_of, shown, words_of
from models.endpoint_wire import REPLY_LIMIT, Collector, EventReader, News, message_of, parse_json, too_long
from models.engine import EngineError, Unavailable
from models.errors import BadEngine, ForeignHost
from models.hosts import is_near, normal_host

if TYPE_CHECKING:
    import httpx

KEY_VARIABLE = "MOOT_API_KEY"
SILENCE_VARIABLE = "MOOT_ENDPOINT_TIMEOUT"
CONNECT = 5.0
"""Seconds to reach a server."""
SILENCE = 600.0
"""Seconds a server may say nothing new: a laptop reads a long prompt for minutes before the first word."""
PACE = 10.0
"""Seconds for each token that a reply may have, beside the silence before it: the whole call takes no longer."""
LAST = 30.0
"""Seconds for the counts after the last word."""
PROBE = 30.0
"""Seconds for a question about the server itself, its answer included."""
PAGE_LIMIT = 4_000_000
"""Bytes of an answer that is no chat completion."""
LONGEST_ASKED = 3600.0
"""Seconds of a Retry-After that are kept to; what is longer is cut to it."""
EXAMPLE = "For example endpoint:http://127.0.0.1:8080#MODEL."


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is: `base` is what paths such as /chat/completions are added to, `origin` the root of the host,
    `key` the environment variable that holds the key for this host ('' for none)."""

    base: str
    origin: str
    model: str
    key: str = KEY_VARIABLE


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is no chat completion: status, the server's words, and how long it asks to wait (None: not
    said)."""

    status: int
    text: str
    wait: float | None = None
    location: str = ""


def read_addresses(rest: str, hosts: Mapping[str, str] | None = None) -> list[Address]:
    """The addresses in the SPEC `endpoint:URL,URL#MODEL`, all of the one model.

    Raises:
        BadEngine: one of them is no address, or stands there twice.
        ForeignHost: one leads to a host beyond this machine that is not among `hosts`.
    """
    urls, mark, model = rest.partition("#")
    found = [read_address(f"{url.strip()}{mark}{model}", hosts) for url in urls.split(",")]
    bases = [address.base for address in found]
    if twice := next((base for base in bases if bases.count(base) > 1), ""):
        raise BadEngine(f"the server {twice} stands in the SPEC twice", "Name each server once.")
    return found


def read_address(rest: str, hosts: Mapping[str, str] | None = None) -> Address:
    """The address in `URL#MODEL`; the model may be missing where a server has only one.

    Args:
        rest: URL#MODEL.
        hosts: hosts beyond this machine that may be reached -> the environment variable with the key bound to each.

    Raises:
        BadEngine: no address, or one with secrets in it.
        ForeignHost: a host beyond this machine that is not among `hosts`.
    """
    url, _, model = rest.partition("#")
    try:
        parts = urlsplit(url)
        host, port = normal_host(parts.hostname or ""), parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if "@" in parts.netloc or parts.query:
        raise BadEngine(
            "the address of the endpoint holds a user name, a password or a query, and a SPEC is stored with its run",
            f"Leave it out and put the key into the environment variable {KEY_VARIABLE}.",
        )
    if parts.scheme not in ("http", "https") or not host or any(ch <= " " or not ch.isprintable() for ch in rest):
        raise BadEngine(f"'{shown(url)}' is no address of a server", EXAMPLE)
    key = KEY_VARIABLE if is_near(host) else (hosts or {}).get(host)
    if key is None:
        raise ForeignHost(host)
    named = f"[{host}]" if ":" in host else host
    origin = f"{parts.scheme}://{named}{'' if port is None else f':{port}'}"
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    return Address(f"{origin}{path or '/v1'}", origin, model, key)


def key_of_environment(variable: str = KEY_VARIABLE) -> str:
    """The key for servers that ask for one; '' when there is none."""
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or not key.isprintable():
        raise BadEngine(f"{variable} holds characters that no key has", "Set it anew, without line breaks.")
    return key


def silence_of_environment() -> float:
    """Seconds that a server may say nothing."""
    said = os.environ.get(SILENCE_VARIABLE, "")
    try:
        seconds = float(said) if said else SILENCE
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86_400:
        raise BadEngine(f"{SILENCE_VARIABLE}={shown(said)} is no number of seconds", "Give 1 to 86400, or unset it.")
    return seconds


class Server:
    """One server. Every failure of the connection is an `EngineError` with a sentence; no secret is in any of
    them."""

    def __init__(self, address: Address, *, key: str = "", silence: float = SILENCE) -> None:
        import httpx

        self.address = address
        self.key = key
        self.silence = silence
        headers = {"User-Agent": "moot", "Connection": "close", "Accept-Encoding": "identity"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        secure = address.base.startswith("https:")
        self._client = httpx.Client(
            headers=headers,
            verify=ssl.create_default_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(connect=CONNECT, read=silence, write=max(CONNECT, 60.0), pool=None),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),  # none is kept, so none is sent
        )

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def get(self, url: str, flight: Flight | None = None) -> Any | Refusal:
        """The JSON value at an address (None when it is no JSON), or the server's refusal."""
        flight = flight or Flight()
        with (
            flight.watch(math.inf, flight.clock() + PROBE) as watch,
            self._plainly(watch),
            self._client.stream("GET", url, extensions={"trace": watch.trace}) as response,
        ):
            raw = _body(response)
            if len(raw) > PAGE_LIMIT:
                raise EngineError(f"the server at {url} sent more than {PAGE_LIMIT // 1_000_000} MB about itself")
            return parse_json(raw) if response.status_code == 200 else self._refusal(response, raw)

    def chat(
        self,
        body: Mapping[str, object],
        flight: Flight,
        collector: Collector,
        say: Callable[[News], None],
        until: float = math.inf,
    ) -> Refusal | None:
        """Ask for a chat completion and gather it; None when the collector holds the reply.

        It is the whole reply unless the flight was stopped or the time `until` has come.
        """
        url = f"{self.address.base}/chat/completions"
        try:
            content = json.dumps(body, allow_nan=False).encode()
        except (ValueError, TypeError, RecursionError) as error:
            raise Refused(
                f"the question cannot be written as JSON: {shown(str(error))}", "See settings and schema."
            ) from None
        reader, kind = EventReader(), ""
        whole = flight.clock() + self.silence + PACE * collector.tokens
        with flight.watch(self.silence, min(until, whole)) as watch:
            try:
                with self._plainly(watch), self._client.stream(
                    "POST", url, content=content, headers={"Content-Type": "application/json"},
                    extensions={"trace": watch.trace}
                ) as response:  # fmt: skip
                    if response.status_code != 200:
                        return self._refusal(response, _body(response))
                    kind = response.headers.get("content-type", "")
                    for data in _objects(response, reader):
                        heard = collector.heard
                        for news in collector.take(data):
                            say(news)
                        if collector.error or collector.over or (collector.finish and collector.counts):
                            break
                        if collector.heard > heard:
                            watch.hear(LAST if collector.finish else math.inf)
            except EngineError:
                if not (collector.finish or flight.stopped or flight.clock() >= until):
                    raise  # a connection that breaks after the last word took nothing away
        if collector.error:
            return Refusal(code_of(collector.error), shown(message_of(collector.error), self.key))
        if collector.finish or flight.stopped or flight.clock() >= until:
            return None
        url = self.address.base
        if not collector.known and "event-stream" not in kind:
            page = "a web page" if "html" in kind else "no chat completion"
            raise EngineError(
                f"what the server at {url} sent is {page}", "Is the address right? It usually ends in /v1."
            )
        # half a reply must not pass for a whole one
        raise EngineError(f"the server at {url} broke off before the end of its reply", "See the server's own log.")

    def error(self, refusal: Refusal) -> EngineError:
        """The sentence for a refusal that stands."""
        return about_status(
            refusal.status,
            refusal.text,
            url=self.address.base,
            keyed=bool(self.key),
            variable=self.address.key,
            location=refusal.location,
            wait=refusal.wait,
        )

    def _refusal(self, response: httpx.Response, raw: bytes) -> Refusal:
        headers = response.headers
        words = words_of(raw, headers.get("content-type", ""), self.key)
        return Refusal(
            response.status_code, words, _seconds(headers.get("retry-after", "")), headers.get("location", "")
        )

    @contextmanager
    def _plainly(self, watch: Watch) -> Iterator[None]:
        """Failures of the connection become sentences."""
        import httpx

        url = self.address.base
        hint = f"Allow more with {SILENCE_VARIABLE}=SECONDS, or see the server's own log."
        try:
            yield
            if watch.ran_out:  # a stream without a stated length just ends where it is cut
                raise httpx.ReadTimeout("")
        except (httpx.ConnectTimeout, httpx.ConnectError) as error:
            cause = _root(error)
            if isinstance(error, httpx.ConnectTimeout) or isinstance(cause, ConnectionRefusedError):
                raise Unavailable(f"no server answers at {url}", "Start it or correct the address.") from None
            if isinstance(cause, ssl.SSLError):
                reason = shown(getattr(cause, "verify_message", "") or cause.reason or str(cause))
                raise EngineError(
                    f"the server at {url} cannot prove who it is: {reason}", "See SSL_CERT_FILE for own certificates."
                ) from None
            raise Unavailable(
                f"cannot reach {url}: {shown(getattr(cause, 'strerror', None) or str(cause))}"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, RuntimeError) as error:  # the last one: closed under way
            if watch.ran_out or isinstance(error, httpx.TimeoutException):
                raise EngineError(f"the server at {url} {watch}", hint) from None
            reason = shown(str(_root(error)) or type(error).__name__, self.key)
            raise EngineError(f"the connection to {url} broke: {reason}", "See the server's own log.") from None


def _objects(response: httpx.Response, reader: EventReader) -> Iterator[dict[str, object]]:
    """The objects of a stream; or the one object of a server that does not stream."""
    kind = response.headers.get("content-type", "")
    size, whole = 0, bytearray()
    for chunk in _raw(response):
        size += len(chunk)
        if size > REPLY_LIMIT:
            raise too_long()
        if kind.startswith("application/json"):
            whole += chunk
            continue
        yield from reader.feed(chunk)
        if reader.done:
            return
    yield from reader.end()
    data = parse_json(bytes(whole)) if whole else None
    if isinstance(data, dict):
        yield data


def _raw(response: httpx.Response) -> Iterator[bytes]:
    """The bytes of an answer as they come: unpacked by nobody, since a few of them may unpack to any size."""
    packed = response.headers.get("content-encoding", "").strip().casefold()
    if packed not in ("", "identity"):
        raise EngineError(
            f"the server packs its answer ({shown(packed)}), though it was asked not to",
            "Turn compression off there.",
        )
    return response.iter_raw()


def _body(response: httpx.Response) -> bytes:
    """The first bytes of an answer that is no stream."""
    raw = bytearray()
    for chunk in _raw(response):
        raw += chunk
        if len(raw) > PAGE_LIMIT:
            break
    return bytes(raw)


def _seconds(said: str) -> float | None:
    """What Retry-After says, as a number or as a date; None where it says nothing that can be waited for."""
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
        except (ValueError, TypeError, OverflowError):  # not said, or no date; one without a zone cannot be compared
            return None
    return min(seconds, LONGEST_ASKED) if seconds >= 0 else None


def _root(error: BaseException) -> BaseException:
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__ or error
    return error
