"""Shards without a cluster: what a node does, what the asking machine keeps, whatever is lost on the way."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from app.cluster import parcels, shard
from app.cluster.hub import Hub, forget, shard_file
from app.cluster.parcels import Parcel, fetch, read_piece
from app.cluster.placing import Need, need_of, shards_for
from app.cluster.shard import Order, Permitted, Post, play
from models.errors import BadEngine, ForeignHost
from store import places
from store.errors import Damaged, StoreError
from store.journal import Journal
from store.pack import Pack
from tasks.episode.state import digest
from tasks.errors import TaskError
from tasks.run import engines
from tasks.run.merging import merge_runs
from tasks.run.reading import read_episode
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tasks.run.verifying import verify
from tests.support.gguf_files import tiny_llama
from tests.support.kill_harness import prepare

pytestmark = pytest.mark.slow


class Node(Exception):
    """The node is gone."""


class Stage:
    """A head, and nodes with homes of their own that reach it by calls of methods."""

    def __init__(self, home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, shards: int) -> None:
        self.monkeypatch = monkeypatch
        self.home, self.folder = home, folder
        self.spec: dict[str, Any] = {**prepare(home, tasks=6), "epochs": 2}
        script = Path(self.spec["model"].removeprefix("scripted:"))
        with Pack.open("kill") as pack:
            there = {"kill": pack.path, self.spec["tasks"]: Path(self.spec["tasks"]), str(script): script}
        self.parcels = {name: Parcel.of(path) for name, path in there.items()}
        self.order = Order(RunSpec.model_validate(self.spec).model_dump(mode="json"), self.parcels, {}, shards, 0.0)
        (folder / "kept").mkdir()
        self.hub = Hub(str(folder / "kept"), shards, self.parcels)
        self.calls: list[str] = []

    def line(self, name: str, *given: Any) -> Any:
        self.calls.append(name)
        return getattr(self.hub, name)(*given)

    def on_node(self, name: str) -> Path:
        """From now on this process is a node where nothing of the asking machine is found."""
        home = self.folder / name
        home.mkdir(exist_ok=True)
        self.monkeypatch.setenv("MOOT_HOME", str(home))
        self.monkeypatch.setattr(Parcel, "is_at", away(self.home))
        return home

    def back(self) -> None:
        """This process is the asking machine again."""
        places.bring({})
        self.monkeypatch.setenv("MOOT_HOME", str(self.home))

    def merged(self) -> Path:
        self.back()
        files = [shard_file(self.folder / "kept", n, self.order.shards) for n in range(1, self.order.shards + 1)]
        return merge_runs(files, self.folder / "merged.moot", at=RunSpec.model_validate(self.spec)).path


real_is_at = Parcel.is_at


def away(home: Path) -> Any:
    return lambda parcel, root: not root.is_relative_to(home) and real_is_at(parcel, root)


@pytest.fixture
def stage(moot_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(shard, "SHARE", 0)  # a copy at every commit, however long copies take
    monkeypatch.setattr(shard, "install_guard", lambda: None)  # it cannot be taken out of this process again
    monkeypatch.setattr(engines, "admit", engines.admit)
    yield Stage(moot_home, tmp_path, monkeypatch, 3)
    places.bring({})


def digests(path: Path) -> list[tuple[str, str]]:
    with Journal.open(path) as journal:
        return [(row.id, digest(read_episode(journal, row.id))) for row in journal.episodes()]


def whole(stage: Stage) -> Path:
    stage.back()
    with start_run(RunSpec.model_validate(stage.spec), out=stage.folder / "whole.moot") as run:
        run.go()
        run.record_scores()
    return stage.folder / "whole.moot"


def test_nodes_that_have_nothing_play_the_run_of_one_machine(stage: Stage) -> None:
    for number in (3, 1, 2):
        stage.on_node(f"node-{number % 2}")
        assert play(stage.order, number, "n", stage.line) == 0
    assert stage.calls.count("read") == 2 * 2 * (len(stage.parcels["kill"].files) + 2)  # once a node, with its end
    look = stage.hub.look()
    assert sum(look.outcomes.values()) == 12
    made = stage.merged()
    assert digests(made) == digests(whole(stage))
    with Journal.open(made) as journal:
        header = journal.header
        assert all(journal.scores(journal.attempts(row.id)[-1].id) for row in journal.episodes())
    assert (header["pack"]["path"], header["spec"]["pack"], header["spec"]["tasks"]) == (
        None,
        "kill",
        stage.spec["tasks"],
    )
    assert verify(made, "1#1")["1#1"] == verify(stage.folder / "whole.moot", "1#1")["1#1"]
    assert [path.name for path in (stage.folder / "node-1" / "cache").glob("shard-*")] == []


@pytest.mark.parametrize("after", [1, 3, 5])
def test_a_shard_goes_on_elsewhere_from_its_last_copy(stage: Stage, after: int) -> None:
    left = [after]

    def cut(name: str, *given: Any) -> Any:
        if name == "keep":
            left[0] -= 1
            if left[0] < 0:
                raise Node
        return stage.line(name, *given)

    stage.on_node("first")
    with pytest.raises(Node):
        play(stage.order, 1, "first", cut)
    kept = shard_file(stage.folder / "kept", 1, 3)
    with Journal.open(kept) as journal:
        before = {row.id: journal.entries(journal.attempts(row.id)[-1].id) for row in journal.episodes()}
    assert sum(map(len, before.values())) > 0
    stage.on_node("second")
    for number in (1, 2, 3):
        assert play(stage.order, number, "second", stage.line) == 0
    with Journal.open(kept) as journal:  # nothing that had been handed on was played again
        for row, entries in before.items():
            assert journal.entries(journal.attempts(row)[0].id)[: len(entries)] == entries
    assert digests(stage.merged()) == digests(whole(stage))


def test_an_earlier_player_that_is_alive_is_not_listened_to(stage: Stage) -> None:
    begun = stage.hub.begin(1, "first", 1)
    assert stage.hub.tell(1, begun.turn, {"finished": 1}, 0, [])
    again = stage.hub.begin(1, "second", 2)
    assert not stage.hub.tell(1, begun.turn, {"finished": 7}, 9, [])
    assert not stage.hub.keep(1, begun.turn, 0, b"old", True)
    assert stage.hub.keep(1, again.turn, 0, b"new", True)
    assert stage.hub.look().outcomes == {"finished": 1}
    assert stage.hub.journal(1, 0) == b"new"
    assert stage.hub.begin(1, "third", 3).size == 3


def test_who_was_told_to_stop_leaves_a_shard_that_goes_on(stage: Stage) -> None:
    calls = iter(range(3))

    def stopping(name: str, *given: Any) -> Any:
        if name == "keep" and next(calls, None) is None:
            stage.hub.stop()
        return stage.line(name, *given)

    stage.monkeypatch.setattr(shard, "TOLD", 0.0)
    stage.on_node("node")
    left = play(stage.order, 1, "n", stopping)
    assert left
    assert play(stage.order, 2, "n", stage.line) is None  # not begun
    stage.hub = Hub(str(stage.folder / "kept"), 3, stage.parcels)  # the same command once more
    for number in (1, 2, 3):
        assert play(stage.order, number, "n", stage.line) == 0
    assert digests(stage.merged()) == digests(whole(stage))


def test_too_many_errors_stop_all_shards(stage: Stage) -> None:
    hub = Hub(str(stage.folder), 2, {}, max_failures=3)
    one, two = hub.begin(1, "n", 1), hub.begin(2, "n", 2)
    assert hub.tell(1, one.turn, {"error": 2, "finished": 5}, 0, [])
    assert not hub.tell(2, two.turn, {"error": 1}, 0, [])


def test_what_does_not_arrive_whole_is_refused_and_fetched_anew(stage: Stage) -> None:
    stage.on_node("node")
    parcel = stage.parcels["kill"]
    known = {parcel.id: parcel}
    with pytest.raises(Damaged, match="did not arrive as it was sent"):
        fetch(parcel, lambda *place: read_piece(known, *place).replace(b"e", b"f"))
    cut = iter(range(2))
    with pytest.raises(Node):
        fetch(parcel, lambda *place: read_piece(known, *place) if next(cut, None) is not None else _gone())
    shelf = places.cache() / "fetched" / parcel.id
    assert list(shelf.iterdir()) == []
    where = fetch(parcel, lambda *place: read_piece(known, *place))
    file = where / parcel.files[0][0]
    file.write_bytes(b"damaged since")
    again = fetch(parcel, lambda *place: read_piece(known, *place))
    assert again == where
    assert real_is_at(parcel, where)


def _gone() -> bytes:
    raise Node


def test_what_lies_there_already_is_not_fetched(stage: Stage) -> None:
    for parcel in stage.parcels.values():
        assert fetch(parcel, lambda *_: _gone()) == Path(parcel.home)


def test_large_files_travel_in_pieces(stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(parcels, "PIECE", 7)
    file = tmp_path / "model.gguf"
    file.write_bytes(bytes(range(256)))
    parcel = Parcel.of(file)
    assert (parcel.name, [name for name, _ in parcel.files]) == ("model.gguf", [""])
    stage.monkeypatch.setattr(Parcel, "is_at", lambda parcel, root: root != file and real_is_at(parcel, root))
    asked: list[int] = []
    found = fetch(parcel, lambda *place: asked.append(place[2]) or read_piece({parcel.id: parcel}, *place))
    assert found.read_bytes() == file.read_bytes()
    assert found.name == "model.gguf"
    assert asked == [*range(0, 256, 7), 256]


def test_a_full_disk_on_a_node_is_one_sentence(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.on_node("node")
    plain = Path.open

    def full(path: Path, *given: Any, **named: Any) -> Any:
        if ".part" in path.parts and given == ("wb",):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return plain(path, *given, **named)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(StoreError, match=r"cannot write .*: No space left on device\. Free some space"):
        play(stage.order, 1, "n", stage.line)


def test_a_node_without_the_model_says_so(stage: Stage) -> None:
    stage.on_node("node")
    script = stage.spec["model"].removeprefix("scripted:")
    order = Order(stage.order.spec, {name: one for name, one in stage.parcels.items() if name != script}, {}, 3, 0.0)
    Path(script).unlink()
    with pytest.raises(BadEngine, match="cannot read script"):
        play(order, 1, "n", stage.line)


def test_episodes_that_stand_still_are_an_error_of_the_shard(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.on_node("node")
    monkeypatch.setattr(Post, "follow", lambda post, made: 3)
    with pytest.raises(TaskError, match="shard 1/3: 3 episodes stand still"):
        play(stage.order, 1, "n", stage.line)


def test_a_node_reaches_what_the_asking_machine_consented_to_and_nothing_else() -> None:
    permitted = Permitted({"10.0.0.7": "BOX_KEY"})
    assert permitted(ForeignHost("10.0.0.7")) == "BOX_KEY"
    with pytest.raises(ForeignHost):
        permitted(ForeignHost("10.0.0.8"))


def test_the_copies_go_when_the_run_is_merged(tmp_path: Path) -> None:
    folder = tmp_path / "r.moot.shards"
    folder.mkdir()
    (folder / "1-of-1.moot").write_bytes(b"")
    forget(folder)
    assert not folder.exists()
    forget(folder)


def test_rules_need_little_and_shards_are_not_too_large() -> None:
    need = need_of(["", "endpoint:http://127.0.0.1:1/v1#m"], {}, 4)
    assert need.processors == 1
    assert need.times({"CPU": 4.0, "memory": 10.0 * need.memory}) == 4
    assert need.times({"CPU": 4.0, "memory": 2.5 * need.memory}) == 2
    assert [shards_for(*case) for case in ((300, 2), (10, 64), (5, 0), (1_000_000, 64))] == [3, 10, 1, 10_000]


def test_a_model_asks_for_its_threads_and_its_memory(tmp_path: Path) -> None:
    file = tiny_llama(tmp_path / "m.gguf")
    small = need_of([f"llama:{file}#threads=3,ctx=512"], {str(file): file}, 1)
    large = need_of([f"llama:{file}#threads=3,ctx=512,slots=16"], {str(file): file}, 1)
    assert small.processors == large.processors == 3
    assert Need(1, 0).memory < need_of([], {}, 1).memory < small.memory < large.memory
