"""Building moves a pack in whole or leaves nothing; damage is found and named."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store import places
from store.builder import PackBuilder
from store.errors import BadInput, DamagedData, NotFound, StoreError
from store.pack import Pack, remove_pack, verify_pack


def build(name: str = "p", text: str = "甲") -> Path:
    with PackBuilder(name, jurisdiction="x", source="s", licence="l", coverage="harvest", as_of="") as made:
        made.add_row("AddrInfo", {"地址": text}, "harvested")
        made.add_document("LegalArticle", "抵押权人就该抵押财产优先受偿", "harvested")
        made.add_tasks("legalagentbench", ['{"id": 1}'])
        made.add_file("calls.jsonl", b"{}\n")
        return made.finish()


def left_behind() -> list[str]:
    return sorted(path.name for path in places.packs().iterdir())


def test_a_failed_build_leaves_nothing_and_keeps_the_old_pack_and_another_replaces_it_whole() -> None:
    build()
    with (
        pytest.raises(RuntimeError),
        PackBuilder("p", jurisdiction="x", source="s", licence="l", coverage="harvest", as_of="") as made,
    ):
        made.add_row("AddrInfo", {"地址": "乙"}, "harvested")
        raise RuntimeError
    for text in ("甲", "乙"):
        assert left_behind() == ["p"]
        with Pack.open("p", verify=True) as pack:
            assert pack.distinct("AddrInfo", "地址") == [text]
        build(text="乙")


@pytest.mark.skipif(
    os.name == "nt" or getattr(os, "geteuid", lambda: 1)() == 0, reason="permissions do not bind here"
)
def test_a_read_only_place_is_one_sentence() -> None:
    places.packs().mkdir(parents=True)
    places.packs().chmod(0o500)
    try:
        with pytest.raises(StoreError, match="could not be written"):
            build()
    finally:
        places.packs().chmod(0o700)


def test_a_folder_that_is_no_pack_is_not_replaced() -> None:
    (places.packs() / "p").mkdir(parents=True)
    (places.packs() / "p" / "thesis.txt").write_text("x")
    with pytest.raises(BadInput, match="is not a pack"):
        build()
    with pytest.raises(BadInput, match="is not a pack"):
        remove_pack("p")
    assert (places.packs() / "p" / "thesis.txt").exists()


def test_unknown_packs_are_usage_errors(tmp_path: Path) -> None:
    for wanted in ("nowhere", "sample", tmp_path / "nowhere", str(tmp_path / "nowhere")):
        with pytest.raises(NotFound) as raised:
            Pack.open(wanted)
        assert raised.value.exit_code == 2


def test_a_pack_opens_by_path_wherever_it_lies(tmp_path: Path) -> None:
    moved = tmp_path / "on a stick?#%20"
    shutil.move(build(), moved)
    with Pack.open(moved, verify=True) as pack:
        assert pack.name == "p" and pack.distinct("AddrInfo", "地址") == ["甲"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(tmp_path_factory.mktemp("home")))
        return build()


@settings(max_examples=60)
@given(data=st.data())
def test_any_flipped_bit_is_found_and_named(sound: Path, data: st.DataObject) -> None:
    files = sorted(path for path in sound.rglob("*") if path.is_file())
    path = data.draw(st.sampled_from(files), label="file")
    original = path.read_bytes()
    place = data.draw(st.integers(0, len(original) - 1), label="byte")
    bit = data.draw(st.integers(0, 7), label="bit")
    changed = bytearray(original)
    changed[place] ^= 1 << bit
    try:
        path.write_bytes(changed)
        problems = verify_pack(sound)
        assert [problem.file for problem in problems] == [path.relative_to(sound).as_posix()]
        with pytest.raises((DamagedData, BadInput)):
            Pack.open(sound, verify=True)
    finally:
        path.write_bytes(original)
    assert verify_pack(sound) == []


def test_damage_names_hashes(sound: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(sound, tmp_path / "copy")
    tasks = copy / "tasks" / "legalagentbench.jsonl"
    tasks.write_bytes(tasks.read_bytes().replace(b"1", b"2"))
    (copy / "extra.txt").write_text("x")
    (copy / "calls.jsonl").unlink()
    found = {problem.file: problem for problem in verify_pack(copy)}
    assert set(found) == {"tasks/legalagentbench.jsonl", "extra.txt", "calls.jsonl"}
    changed = found["tasks/legalagentbench.jsonl"]
    assert len(changed.expected) == len(changed.actual) == 64 and changed.expected != changed.actual
    with pytest.raises(DamagedData, match="calls.jsonl"):
        Pack.open(copy)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", DamagedData),
        (b"{}", DamagedData),
        (b"\xff", DamagedData),
        (b"[" * 100_000, DamagedData),
        (b'{"format": "moot-pack/9"}', BadInput),
        (b'{"format": 1}', BadInput),
    ],
)
def test_unreadable_manifests(sound: Path, tmp_path: Path, content: bytes, error: type[StoreError]) -> None:
    copy = shutil.copytree(sound, tmp_path / "copy")
    (copy / "manifest.json").write_bytes(content)
    said = "earlier development version" if content.endswith(b": 1}") else r"manifest\.json"
    with pytest.raises(error, match=said) as raised:
        Pack.open(copy)
    assert raised.value.exit_code == 1
    assert [problem.file for problem in verify_pack(copy)] == ["manifest.json"]


def test_a_manifest_cannot_point_outside(sound: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(sound, tmp_path / "copy")
    manifest = json.loads((copy / "manifest.json").read_bytes())
    manifest["files"]["../sound"] = "0" * 64
    manifest["sizes"]["../sound"] = 1
    (copy / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(DamagedData, match="outside the pack"):
        Pack.open(copy)


def test_a_pack_that_lost_its_manifest(sound: Path) -> None:
    folder = places.packs() / "lost"
    shutil.copytree(sound, folder)
    (folder / "manifest.json").unlink()
    with pytest.raises(DamagedData, match="has no manifest"):
        Pack.open("lost")
    remove_pack("lost")
    assert left_behind() == []
