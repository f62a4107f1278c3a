"""No byte of a pack that differs is used: on run, resume, fork, law, tools and in the middle of a run."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from store import manifest as manifests
from store.builder import PackBuilder
from store.errors import DamagedData, StoreError
from store.journal import Journal
from store.pack import Pack, verify_pack
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.support.kill_harness import prepare
from tests.support.typed import moot

LOOKUP = '{"identifier": "临海市", "columns": []}'


@contextmanager
def flipped(path: Path, place: int, bit: int = 0) -> Iterator[None]:
    """The file with this bit flipped; `place` in bytes."""
    with path.open("rb+") as stream:
        stream.seek(place)
        (byte,) = stream.read(1)

        def put(value: int) -> None:
            stream.seek(place)
            stream.write(bytes([value]))
            stream.flush()

        put(byte ^ 1 << bit)
        try:
            yield
        finally:
            put(byte)


@pytest.mark.slow
def test_a_flipped_bit_is_refused_wherever_it_is(sample_pack: Path, tmp_path: Path) -> None:
    chance, files = random.Random(12), sorted(path for path in sample_pack.rglob("*") if path.is_file())
    assert len(files) == 15
    for file in files:
        place, bit = chance.randrange(file.stat().st_size), chance.randrange(8)
        with flipped(file, place, bit), pytest.raises(StoreError, match=re.escape(file.name)):
            Pack.open("sample")
    out = tmp_path / "run.moot"
    with flipped(sample_pack / "corpus.db", 4_000):
        for arguments in (
            ["law", "search", "借款利息", "--pack", "sample"],
            ["tools", "call", "get_company_info", "--input", LOOKUP, "--pack", "sample"],
            ["run", "legalagentbench", "--limit", "1", "--pack", "sample", "--out", out],
        ):
            code, _, said = moot(*arguments)
            assert code == 1 and "Traceback" not in said and said.count("\n") <= 2, (arguments, said)
    assert not out.exists()
    Pack.open("sample", verify=True).close()


def test_a_reset_time_does_not_hide_a_change(sample_pack: Path) -> None:
    Pack.open("sample").close()
    path = sample_pack / "corpus.db"
    before = path.stat()
    with flipped(path, before.st_size - 1):
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        with pytest.raises(DamagedData, match=r"corpus\.db"):
            Pack.open("sample")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    Pack.open("sample").close()


def test_a_manifest_with_another_word_is_refused(sample_pack: Path) -> None:
    path = sample_pack / "manifest.json"
    sealed = path.read_text(encoding="utf-8")
    content = json.loads(sealed)
    for changed in (
        sealed.replace('"as_of": "', '"as_of": "9'),
        sealed.replace("\n", "\r\n"),
        json.dumps({key: value for key, value in content.items() if key != "seal"}),
    ):
        path.write_bytes(changed.encode())
        with pytest.raises(DamagedData, match=r"manifest\.json is damaged"):
            manifests.read(sample_pack)
        assert [problem.file for problem in verify_pack(sample_pack)] == ["manifest.json"]
    path.write_bytes(sealed.encode())
    manifests.read(sample_pack)


def recorded(path: Path) -> dict[str, list[str]]:
    """Episode -> the tags of its events, attempt after attempt."""
    with Journal.open(path) as journal:
        return {
            row.id: [entry.tag for attempt in journal.attempts(row.id) for entry in journal.entries(attempt.id)]
            for row in journal.episodes()
        }


def spec(**settings: object) -> RunSpec:
    return RunSpec.model_validate({"benchmark": "legalagentbench", "limit": 2, **settings})


def test_a_run_goes_on_only_with_what_it_recorded(sample_pack: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.moot"
    with start_run(spec(), out=path) as run:
        run.scheduler.step(next(iter(run.scheduler.episodes)))
    before = recorded(path)
    episode = next(iter(run.scheduler.episodes))
    for file, arguments in (
        ("corpus.db", ["resume", path]),
        ("vectors.usearch", ["fork", path, episode, "--turn", "0", "--out", tmp_path / "fork.moot"]),
        ("tasks/courts.jsonl", ["show", path, episode, "--verify"]),
    ):
        with flipped(sample_pack / file, 4_000):
            code, _, said = moot(*arguments)
            assert code == 1 and file.split("/")[-1] in said, (file, arguments, said)
    assert recorded(path) == before and not (tmp_path / "fork.moot").exists()


def test_a_fork_does_not_go_on_with_another_pack(tmp_path: Path) -> None:
    path, settings = tmp_path / "run.moot", prepare(tmp_path)
    with start_run(spec(**settings), out=path) as run:
        episode = next(iter(run.scheduler.episodes))
    with PackBuilder("kill", jurisdiction="x", source="", licence="", coverage="complete", as_of="") as built:
        built.add_row("CompanyInfo", {"公司名称": "乙公司"}, "authored")
    code, _, said = moot("fork", path, episode, "--turn", "0", "--out", tmp_path / "fork.moot")
    assert code == 1 and "changed since the run began" in said and not (tmp_path / "fork.moot").exists()


@pytest.mark.usefixtures("sample_pack")
def test_damage_in_the_middle_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no outcome of an episode: nothing would be known of the sixty episodes that end so."""
    path, find = tmp_path / "run.moot", Pack.find

    def broken(self: Pack, *asked: object) -> object:
        raise DamagedData("corpus.db cannot be read: database disk image is malformed", "Build the pack again.")

    monkeypatch.setattr(Pack, "find", broken)
    code, _, said = moot("run", "legalagentbench", "--limit", "3", "--out", path)
    assert code == 1 and said.count("corpus.db cannot be read") == 1 and "Traceback" not in said
    assert not any("stopped" in tags for tags in recorded(path).values())
    monkeypatch.setattr(Pack, "find", find)
    assert moot("resume", path)[0] == 0
