"""Whom this machine may talk to is decided at this machine: spellings of hosts, the file of answers, keys, and every
question."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textual.widgets import Static

from app import hosts
from app.cli.driving import grade
from app.desk import engines_offered
from app.desk.dialogs import HostScreen, ProblemScreen
from app.guard import open_hosts
from models.endpoint_server import read_address
from models.errors import BadEngine, ForeignHost
from models.hosts import is_near, normal_host
from store import places
from store.errors import BadInput
from store.journal import Journal
from tasks.benchmark import benchmark
from tasks.episode.events import Record, Seated, entry_of
from tasks.run import engines
from tasks.run.engines import open_engine
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.desk.conftest import desk, until
from tests.support.desk_fixture import build_pack, write_run
from tests.support.fake_endpoint import MODEL, FakeServer, fake_server
from tests.support.typed import Terminal, moot

pytestmark = pytest.mark.slow

FOREIGN = "endpoint:http://192.0.2.7:9#m"
"""An address that belongs to nobody (RFC 5737)."""
KEY, BOUND = "sk-of-this-machine", "sk-of-the-box"


@pytest.fixture(autouse=True)
def nobody_decided(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("MOOT_API_KEY", raising=False)
    yield
    engines.admit = engines.shut
    open_hosts(())


# --- spellings ------------------------------------------------------------------------------------------------------

DOTS = ".。．｡"
ODD = st.text(
    st.sampled_from(f"aZx0179-_:%@/\\[]#? \t\n\0{DOTS}…․ßİıſＬｌ①\u00ad\u200b\u200d٣é中\ud800"), max_size=24
)
NAMES = st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?(\.[a-z]([a-z0-9-]{0,8}[a-z0-9])?){0,3}", fullmatch=True)
ADDRESSES = st.ip_addresses().map(str)


def spelled(host: str) -> str | None:
    try:
        return normal_host(host)
    except ValueError:
        return None


@given(st.one_of(ODD, NAMES, ADDRESSES, st.text(max_size=12)))
@example("xn--zz--1234.de")
@example("127.0.0.1.")
@example("[::1]")
def test_a_host_has_one_spelling_and_that_is_what_is_connected_to(host: str) -> None:
    normal = spelled(host)
    if normal is None:
        return
    assert normal.isascii() and normal == normal.lower().strip(".") and spelled(normal) == normal
    url = httpx.URL(f"http://[{normal}]/" if ":" in normal else f"http://{normal}/")
    assert url.raw_host.decode() == normal and url.host, "the library that connects reads it the same way"


@given(st.one_of(ODD, NAMES, ADDRESSES))
def test_an_address_of_a_server_leads_where_it_was_looked_at(host: str) -> None:
    try:
        base = httpx.URL(read_address(f"http://{host}#m").base).raw_host.decode()
    except ForeignHost as refusal:
        assert not is_near(refusal.host) and spelled(refusal.host) == refusal.host
        assert read_address(f"http://{host}#m", {refusal.host: ""}).key == ""
    except BadEngine:
        pass
    else:
        assert is_near(base) and spelled(base) == base


def test_what_is_no_host() -> None:
    hosts = (
        ". .. a..b localhost.. 127.1 0x7f.1 2130706433 0177.0.0.1 127.0.0.1.5 1.2.3 a.0x ::1%eth0 fe80::1%25eth0 "
        "[::1 [127.0.0.1] a@localhost localhost:80 localhost/ a\\b * -a xn--a 法_院.example"
    ).split()
    hosts += ["", "loc alhost", "localhost\0", "a" * 64, "a." * 127 + "a"]
    assert [host for host in hosts if spelled(host) is not None] == []


def test_what_only_looks_like_this_machine() -> None:
    names = ("localhost.localdomain", "box.localhost", "localhost.example", "127.0.0.1.example", "0.0.0.0")
    for host in (*names, "::127.0.0.1", "::"):
        normal = normal_host(host)
        assert not is_near(normal)
        with pytest.raises(ForeignHost):
            read_address(f"http://[{normal}]#m" if ":" in normal else f"http://{normal}#m")


# --- the file -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"\xff\xfe", b"[]", b'{"hosts": []}', b'{"hosts": {"Box.Example": {}}}',
        b'{"hosts": {"*": {}}}', b'{"hosts": {"box.example": null}}', b'{"hosts": {"box.example": {"key": "sk-1"}}}',
        b'{"hosts": {"box.example": {"key_env": "sk-1"}}}', b'{"more": 1, "hosts": {}}', b'{"hosts":' * 5000,
        b" " * 1_000_001,
    ],
)  # fmt: skip
def test_a_damaged_file_is_one_sentence_and_allows_nothing(raw: bytes) -> None:
    path = hosts.file_of_hosts()
    path.parent.mkdir(parents=True)
    path.write_bytes(raw)
    for attempt in (hosts.allowed, lambda: hosts.allow("192.0.2.7"), lambda: hosts.revoke("box.example")):
        with pytest.raises(BadInput, match="hosts.json does not say which hosts are allowed") as caught:
            attempt()
        assert "\n" not in str(caught.value)
    hosts.consent(named=["192.0.2.7"], ask=lambda host, run: True)
    with pytest.raises(BadInput):
        open_engine(FOREIGN)
    assert path.read_bytes() == raw


@pytest.fixture
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_LANG", "en")


@pytest.mark.usefixtures("english")
def test_hosts_are_listed_allowed_and_revoked() -> None:
    assert moot("config", "hosts")[:2] == (0, "")
    code, out, _ = moot("config", "hosts", "allow", "Box.Example.", "--key-env", "BOX_KEY", "--json")
    assert code == 0
    rows = [{"host": "box.example", "key_env": "BOX_KEY"}]
    assert json.loads(out) == {"file": str(hosts.file_of_hosts()), "hosts": rows}
    listed = moot("config", "hosts", "allow", "[2001:db8:0::1]")[1]
    assert listed == "box.example  key from BOX_KEY\n2001:db8::1  no key\n"
    assert moot("config", "hosts", "revoke", "BOX.example")[1] == "2001:db8::1  no key\n"
    code, _, err = moot("config", "hosts", "revoke", "box.example")
    assert code == 2 and "was not allowed" in err
    for wrong in ("http://box", "127.1", "localhost.", "::ffff:127.0.0.1", "a b"):
        code, out, err = moot("config", "hosts", "allow", wrong)
        assert (code, out, err.count("\n")) == (2, "", 1)
    code, out, err = moot("config", "hosts", "allow", "box", "--key-env", "sk-geheim")
    assert code == 2 and "geheim" not in out + err and "in capitals" in err
    assert json.loads(moot("config", "hosts", "--json")[1])["hosts"] == [{"host": "2001:db8::1", "key_env": ""}]


# --- keys -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def box(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """A server that this machine knows as box.example."""
    plain = socket.getaddrinfo

    def resolve(host: Any, *args: Any, **named: Any) -> Any:
        return plain("127.0.0.1" if host in ("box.example", b"box.example") else host, *args, **named)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with fake_server() as server:
        yield server


def sent(server: FakeServer, host: str) -> set[str]:
    """The keys that a server was sent when an engine was opened at a host."""
    server.seen.clear()
    open_engine(f"endpoint:http://{host}:{server.http.server_port}#{MODEL}").close()
    return {headers.get("Authorization", "") for _, headers, _ in server.seen}


def test_a_key_reaches_only_the_host_that_it_is_bound_to(box: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_API_KEY", KEY)
    monkeypatch.setenv("BOX_KEY", BOUND)
    assert sent(box, "127.0.0.1") == {f"Bearer {KEY}"} == sent(box, "localhost")
    hosts.consent(named=["BOX.example."])
    assert sent(box, "box.example") == {""}
    hosts.allow("box.example", "BOX_KEY")
    assert sent(box, "Box.Example.") == {f"Bearer {BOUND}"} and sent(box, "127.0.0.1") == {f"Bearer {KEY}"}
    hosts.allow("box.example", "MOOT_API_KEY")
    assert sent(box, "box.example") == {f"Bearer {KEY}"}, "bound by name"
    hosts.consent()
    hosts.revoke("box.example")
    with pytest.raises(ForeignHost):
        sent(box, "box.example")
    assert box.seen == []


# --- every route ----------------------------------------------------------------------------------------------------


def test_every_route_asks_once_and_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    questions: list[tuple[str, str]] = []
    hosts.consent(ask=lambda *question: bool(questions.append(question)))  # asks a person who says no to everything
    pack = build_pack()
    bench = benchmark("legalagentbench")
    plan = RunSpec(benchmark=bench.name, agent="react", model=FOREIGN, pack=str(pack))
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("something was sent"))
    with pytest.raises(ForeignHost):
        start_run(plan)
    with start_run(plan.model_copy(update={"agent": "gold", "model": ""})) as run:
        with pytest.raises(ForeignHost):
            run.seat("k-1", Seated(seat="agent", policy="react/1", engine=FOREIGN))
        with pytest.raises(ForeignHost):
            grade(run.journal, bench, run.questions, FOREIGN)
    assert "192.0.2.7" in engines_offered.refusal(plan)
    assert questions == [("192.0.2.7", "")] * 4
    assert hosts.allowed() == {}


def test_a_yes_is_remembered_and_a_revoked_host_is_asked_about_again(box: FakeServer) -> None:
    asked: list[str] = []

    def ask(host: str, run: str) -> bool:
        asked.append(host)
        return True

    hosts.consent(ask=ask)
    sent(box, "box.example")
    hosts.consent()
    sent(box, "box.example")
    assert asked == ["box.example"] and set(hosts.allowed()) == {"box.example"}
    hosts.revoke("box.example")
    hosts.consent(named=["192.0.2.9"], ask=ask)
    sent(box, "box.example")
    assert asked == ["box.example"] * 2


@pytest.mark.usefixtures("english")
def test_only_a_yes_is_a_yes() -> None:
    line = ("run", "legalagentbench", "--agent", "react", "--model", FOREIGN, "--pack", build_pack())
    for typed in ("\n", "n\n", "nein\n\n", ""):
        code, out, err = moot(*line, stdin=Terminal(typed))
        assert code in (2, 130) and out == "" and "192.0.2.7" in err
    assert hosts.allowed() == {} and list(places.home().rglob("*.moot")) == []


def shared(pack: Path, engine: str = FOREIGN) -> Path:
    """An unfinished run whose seat went to a model on another machine."""
    path = write_run(pack, "shared", upto=1)
    with Journal.open(path, write=True) as journal:
        (attempt,) = journal.attempts("k-1")
        number = len(list(journal.entries(attempt.id)))
        seated = Seated(seat="agent", policy="react/1", engine=engine)
        journal.append([entry_of(attempt.id, Record(number, 1, None, 1700000000.0, seated))])
    return path


@pytest.mark.usefixtures("english")
def test_a_run_from_elsewhere_sends_nothing_and_looks_nothing_up_before_a_yes(box: FakeServer) -> None:
    shared(build_pack(), f"endpoint:http://box.example:{box.http.server_port}#{MODEL}")
    tried: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        for owner, name in ((socket, "getaddrinfo"), *((socket.socket, name) for name in ("connect", "sendto"))):
            patch.setattr(owner, name, lambda *_, name=name, **__: tried.append(name))
        for line in ("resume shared", "fork shared k-1 --turn 1"):
            code, _, err = moot(*line.split())
            assert code == 2 and err.count("\n") == 1
            assert "--allow-host box.example" in err and "moot config hosts allow box.example" in err
        for typed in ("\n", "no\n"):
            code, _, err = moot("resume", "shared", stdin=Terminal(typed))
            assert code == 2 and err.count("[y/N]") == 1
            assert "Run shared wants to reach host box.example" in err and "No key is sent" in err
        for line in ("show shared --verify", "score shared"):
            moot(*line.split())
    assert tried == [] == box.seen
    moot(*"resume shared --allow-host box.example".split())
    assert box.asked and {headers.get("Authorization", "") for _, headers, _ in box.seen} == {""}
    assert hosts.allowed() == {}, "for this command alone"


# --- the desk -------------------------------------------------------------------------------------------------------


async def test_the_desk_asks_in_a_dialog() -> None:
    pack = build_pack()
    path = shared(pack)
    plan = RunSpec(benchmark="legalagentbench", agent="react", model=FOREIGN, pack=str(pack))
    async with desk() as pilot:
        app = pilot.app

        async def fork() -> None:
            app.fork(path, "k-1", 1)

        routes = (
            ("shared", lambda: app.resume(path), ("enter",)),
            ("shared", fork, ("escape",)),
            ("", lambda: app.start(plan, everything=False), ("f5", "escape")),
        )
        for run, begin, keys in routes:
            await begin()
            await until(pilot, lambda: isinstance(app.screen, HostScreen) and app.focused is not None)
            assert app.focused.id == "no"
            shown = " ".join(str(part.content) for part in app.screen.query(Static))
            assert "192.0.2.7" in shown and run in shown
            await pilot.press(*keys)
            await until(pilot, lambda: isinstance(app.screen, ProblemScreen) and app.live is None)
            assert sum(isinstance(screen, HostScreen) for screen in app.screen_stack) == 0
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(app.screen, ProblemScreen))
    assert hosts.allowed() == {}


async def test_a_yes_on_the_desk_is_remembered(box: FakeServer) -> None:
    model = f"endpoint:http://box.example:{box.http.server_port}#{MODEL}"
    plan = RunSpec(benchmark="legalagentbench", agent="react", model=model)
    async with desk() as pilot:
        app = pilot.app
        first = app.run_worker(lambda: engines_offered.refusal(plan), thread=True)
        await until(pilot, lambda: isinstance(app.screen, HostScreen) and app.focused is not None)
        await pilot.press("f5", "enter")
        await until(pilot, lambda: first.is_finished)
        second = app.run_worker(lambda: engines_offered.refusal(plan), thread=True)
        await until(pilot, lambda: second.is_finished)
        assert first.result == second.result == "" and not isinstance(app.screen, HostScreen)
    assert set(hosts.allowed()) == {"box.example"}
