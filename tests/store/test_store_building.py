"""A pack is built whole or not at all, and takes the place of another: killed between any two steps, there is the old
one or the new one. Damage is found and named."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store import manifest as manifests
from store import places
from store.builder import PackBuilder
from store.errors import BadInput, DamagedData, NotFound, StoreError
from store.pack import Pack, remove_pack, verify_pack
from tests.support.typed import moot


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
def sound(home: Path) -> Path:
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


ROOT = Path(__file__).resolve().parents[2]


def said(name: str = "p") -> list[str]:
    with Pack.open(name, verify=True) as pack:
        return pack.distinct("AddrInfo", "地址")


KILLED = """
import json, os, shutil, sys
from itertools import count
from pathlib import Path
from store import manifest as manifests, places, placing
from store.errors import StoreError
from store.pack import Pack, remove_pack
from tests.store.test_store_building import build, left_behind, said

WATCHED = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "shutil.rmtree"}
WATCHED.add("tempfile.mkdtemp")
armed = False
left = 1 << 30

def watch(event, arguments):
    global left
    if armed and event in WATCHED and ".py" not in str(arguments[0]):
        left -= 1
        if left < 0:
            os._exit(9)

sys.addaudithook(watch)

def arming(work):
    def armed_work(*arguments):
        global armed
        armed = True
        try:
            return work(*arguments)
        finally:
            armed = False
    return armed_work

placing.StagingFolder.commit = arming(placing.StagingFolder.commit)
removing = arming(remove_pack)
packs = places.packs()
kept = packs.parent / "kept"
build(text="甲")
shutil.copytree(packs, kept)

def found(what):
    global left
    for step in range(200):
        shutil.rmtree(packs)
        shutil.copytree(kept, packs)
        child = os.fork()
        if not child:
            left = step
            removing("p") if what == "remove" else build(text="乙")
            os._exit(0)
        _, status = os.waitpid(child, 0)
        there = (packs / "p").is_dir()
        listed = [folder.name for folder in manifests.installed()]
        try:
            now = said()
        except StoreError as error:
            now = [type(error).__name__]
        build("q")
        yield os.waitstatus_to_exitcode(status), there, listed, now, left_behind()
        if not status:
            return

print(json.dumps({what: list(found(what)) for what in ("replace", "remove")}))
"""


Killed = list[tuple[int, bool, list[str], list[str], list[str]]]


@pytest.fixture(scope="module")
def killed(home: Path) -> dict[str, Killed]:
    """What each kill left, of a pack that was being replaced and of one that was being removed."""
    environment = {**os.environ, "MOOT_HOME": str(home / "killed")}
    done = subprocess.run(
        [sys.executable, "-c", KILLED], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    every: dict[str, Killed] = json.loads(done.stdout)
    for found in every.values():
        assert [one[0] for one in found] == [9] * (len(found) - 1) + [0] and len(found) > 8, "killed at each step"
    return every


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the child is forked")
def test_replacing_is_killed_between_any_two_steps(killed: dict[str, Killed]) -> None:
    found = killed["replace"]
    said = [now for _, _, _, now, _ in found]
    first = said.index(["乙"])
    assert said == [["甲"]] * first + [["乙"]] * (len(found) - first) and 0 < first < len(found) - 1
    assert not all(there for _, there, _, _, _ in found), "one kill is where the place is empty"
    assert all(listed == ["p"] for _, _, listed, _, _ in found)
    assert all(left == ["p", "q"] for *_, left in found), "nothing stays behind"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the child is forked")
def test_removing_is_killed_between_any_two_steps(killed: dict[str, Killed]) -> None:
    found = killed["remove"]
    said = [now for _, _, _, now, _ in found]
    first = said.index(["NotFound"])
    assert said == [["甲"]] * first + [["NotFound"]] * (len(found) - first) and 0 < first < len(found) - 1
    assert all(left == (["p", "q"] if now == ["甲"] else ["q"]) for _, _, _, now, left in found)


def test_a_pack_comes_back_from_its_side_place() -> None:
    build()
    build("p-q", "丙")
    aside = places.packs() / ".replaced-p-abcdefgh"
    aside.mkdir()
    (places.packs() / "p").rename(aside / "pack")
    with pytest.raises(NotFound):
        Pack.open("q")
    assert [folder.name for folder in manifests.installed()] == ["p", "p-q"]
    assert said() == ["甲"] and said("p-q") == ["丙"] and left_behind() == ["p", "p-q"]
    (places.packs() / "p").rename(places.packs() / "elsewhere")
    aside.mkdir()
    (places.packs() / "elsewhere").rename(aside / "pack")
    assert [pack["name"] for pack in moot("data", "list", "--json").data["packs"]] == ["p", "p-q"]


@pytest.mark.slow
def test_who_opens_while_it_is_replaced_sees_one_or_the_other() -> None:
    build()
    seen: set[str] = set()
    faults: list[BaseException] = []
    over = threading.Event()

    def read() -> None:
        while not over.is_set():
            try:
                with Pack.open("p") as pack:
                    seen.update(pack.distinct("AddrInfo", "地址"))
            except BaseException as error:
                faults.append(error)
                return

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for turn in range(6):
        build(text="甲乙"[turn % 2])
    over.set()
    for reader in readers:
        reader.join()
    assert not faults and seen <= {"甲", "乙"}


def test_what_killed_builds_left_goes_with_the_next_one() -> None:
    for name in (".building-p-old", ".building-p-young", ".removed-p-abcdefgh"):
        (places.packs() / name).mkdir(parents=True)
        (places.packs() / name / "corpus.db").write_bytes(b"x")
    (places.packs() / ".building-p-orphan.lock").touch()
    later = 4e9
    os.utime(places.packs() / ".building-p-young", (later, later))
    build()
    assert left_behind() == ["p"]


def test_an_empty_table_replaces_nothing(tmp_path: Path) -> None:
    full = tmp_path / "CompanyInfo.csv"
    full.write_text("公司名称,公司代码\n甲公司,1\n", encoding="utf-8")
    assert moot("data", "import", "tables", full, "--name", "p")[0] == 0
    (tmp_path / "AddrInfo.csv").write_text("地址,省份\n", encoding="utf-8")
    code, _, err = moot("data", "import", "tables", tmp_path, "--name", "p")
    assert code == 1 and "no rows in it" in err
    with Pack.open("p", verify=True) as pack:
        assert pack.counts()["tables"]["CompanyInfo"] == 1
    assert left_behind() == ["p"]
