"""Runs on a Ray of this machine: with nobody there, with two nodes, with a worker killed in the middle."""

from __future__ import annotations

import http.server
import json
import os
import socket
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app import cluster
from app.cli.main import cli
from app.cluster import address_of
from models.errors import ForeignHost
from store.errors import NotFound
from store.journal import Journal
from tasks.episode.state import digest
from tasks.errors import UsageError
from tasks.run.reading import read_episode
from tasks.run.rescoring import read_stored, summary_of
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.support.kill_harness import prepare

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: the extra [ray]")


def said(*arguments: str) -> Any:
    done = CliRunner().invoke(cli, ["run", "legalagentbench", *arguments])
    return done.exception


@pytest.mark.parametrize(
    "on", ["slurm", "ray:", "ray:host", "ray:host:0", "ray:host:70000", "ray:http://h:1", "ray:0x7f.1:5", "ray:h:６"]
)
def test_what_is_no_address_exits_2(moot_home: Path, on: str) -> None:
    with pytest.raises(UsageError, match="is not ray"):
        address_of(on)


def test_addresses_have_one_spelling() -> None:
    assert address_of("ray") == ""
    assert [address_of(f"ray:{host}:6379") for host in ("LOCALHOST", "10.0.0.1", "[::1]")] == [
        "localhost:6379", "10.0.0.1:6379", "[::1]:6379",
    ]  # fmt: skip


@pytest.fixture
def spec(moot_home: Path) -> dict[str, Any]:
    return prepare(moot_home, tasks=40)


def options(spec: dict[str, Any]) -> list[str]:
    return [
        "--agent", "react", "--model", spec["model"], "--pack", "kill", "--tasks", spec["tasks"], "--seed", "5",
        "--max-turns", "12", "--parallel", "2",
    ]  # fmt: skip


def test_what_means_nothing_is_refused_before_anybody_is_asked(spec: dict[str, Any], tmp_path: Path) -> None:
    assert "--shards belongs to --on" in str(said("--shards", "2"))
    assert "--shard and --on exclude" in str(said("--on", "ray", "--shard", "1/2"))
    assert "--watch and --on exclude" in str(said("--on", "ray", "--watch", "plain"))
    assert "--background and --on exclude" in str(said("--on", "ray", "--background"))
    assert "a cache and a budget are of one machine" in str(said("--on", "ray", "--cache"))
    assert "a person sits at one machine" in str(said("--on", "ray", "--pack", "kill", "--seat", "agent=human"))
    assert isinstance(said("--on", "ray", "--pack", "nowhere"), NotFound)
    (tmp_path / "r.moot").write_bytes(b"")
    assert "already exists" in str(said("--on", "ray", *options(spec), "--out", str(tmp_path / "r.moot")))


@needs_ray
def test_another_machine_needs_consent(spec: dict[str, Any], tmp_path: Path) -> None:
    refused = said("--on", "ray:192.0.2.1:6379", *options(spec), "--out", str(tmp_path / "r.moot"))
    assert isinstance(refused, ForeignHost)
    assert not (tmp_path / "r.moot.shards").exists()


class Stranger(http.server.BaseHTTPRequestHandler):
    """A server that is no Ray."""

    def log_message(self, *_: object) -> None:
        pass


@needs_ray
def test_an_address_where_no_ray_listens_is_one_sentence(
    spec: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "START", 10.0)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = free.getsockname()[1]
    refused = said("--on", f"ray:127.0.0.1:{nobody}", *options(spec), "--out", str(tmp_path / "r.moot"))
    assert str(refused).startswith(f"no Ray answers at 127.0.0.1:{nobody}. Start one")
    server = http.server.HTTPServer(("127.0.0.1", 0), Stranger)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        refused = said("--on", f"ray:127.0.0.1:{server.server_port}", *options(spec))
        assert str(refused).startswith(f"no Ray answers at 127.0.0.1:{server.server_port}. Start one")
    finally:
        server.shutdown()
        serving.join()
        server.server_close()
    assert list(tmp_path.iterdir()) == []


def digests(path: Path) -> list[tuple[str, str]]:
    with Journal.open(path) as journal:
        return [(row.id, digest(read_episode(journal, row.id))) for row in journal.episodes()]


@needs_ray
@pytest.mark.parametrize("kill", ["worker", "node"])
def test_two_nodes_one_killed_give_the_run_of_one_machine(spec: dict[str, Any], tmp_path: Path, kill: str) -> None:
    script = Path(spec["model"].removeprefix("scripted:"))
    script.write_text(json.dumps({**json.loads(script.read_text("utf-8")), "delay_ms": [5, 60]}), encoding="utf-8")
    out = tmp_path / "r.moot"
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.on_two_nodes", str(out), kill, "4", "legalagentbench", *options(spec)],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False,
        env={**os.environ, "MOOT_LANG": "en"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    block, happened = map(json.loads, done.stdout.strip().splitlines()[-2:])
    assert happened["killed"] and happened["episodes"] < 40
    with start_run(RunSpec.model_validate(spec), out=tmp_path / "one.moot") as run:
        run.go()
        run.record_scores()
    assert digests(out) == digests(tmp_path / "one.moot")
    assert {**block, "run": ""} == {**summary_of(read_stored(tmp_path / "one.moot")).block(), "run": ""}
    assert not (tmp_path / "r.moot.shards").exists()
