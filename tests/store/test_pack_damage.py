"""No byte of a pack that differs is used: on run, resume, fork, law, tools and in the middle of a run."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from app.cli.main import main
from store import identity
from store import manifest as manifests
from store.builder import PackBuilder
from store.errors import BadInput, Damaged, StoreError
from store.journal import Journal
from store.pack import Pack, verify_pack
from store.statutes.book import StatuteBook
from tasks.run.plan import task_file
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.support.flips import Flip, flipped, flips
from tests.support.kill_harness import prepare

LOOKUP = '{"identifier": "临海市", "columns": []}'


def moot(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(ended.value.code or 0), capsys.readouterr().err


def uses(out: Path) -> dict[str, list[object]]:
    return {
        "law": ["law", "search", "借款利息", "--pack", "sample"],
        "tools": ["tools", "call", "get_company_info", "--input", LOOKUP, "--pack", "sample"],
        "run": ["run", "legalagentbench", "--limit", "1", "--pack", "sample", "--out", out],
    }


@pytest.mark.slow
def test_a_flipped_bit_is_refused_wherever_it_is(
    sample_pack: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    every = flips(sample_pack, 20, seed=12)
    assert len({flip.file for flip in every}) == 15
    for flip in every:
        with flipped(sample_pack, flip):
            with pytest.raises(StoreError) as raised:
                Pack.open("sample")
            assert flip.file.split("/")[-1] in str(raised.value), flip
            for name, arguments in uses(tmp_path / "run.moot").items():
                code, said = moot(capsys, *arguments)
                assert code == 1 and "Traceback" not in said and said.count("\n") <= 2, (flip, name, said)
    assert not (tmp_path / "run.moot").exists()
    Pack.open("sample", verify=True).close()


def test_a_reset_time_does_not_hide_a_change(sample_pack: Path) -> None:
    Pack.open("sample").close()
    path = sample_pack / "corpus.db"
    before = path.stat()
    with flipped(sample_pack, Flip("corpus.db", before.st_size - 1, 0)):
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        with pytest.raises(Damaged, match=r"corpus\.db"):
            Pack.open("sample")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    Pack.open("sample").close()


def test_opening_again_reads_no_file(sample_pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "SETTLED", 0)
    Pack.open("sample").close()
    for known in (dict(identity._known), {}):  # this process, another one
        monkeypatch.setattr(identity, "_known", known)
        with monkeypatch.context() as patch:
            patch.setattr(identity, "_read", lambda path: pytest.fail(f"{path} is read"))
            Pack.open("sample").close()


def test_verifying_reads_whatever_is_remembered(sample_pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = manifests.read(sample_pack).files
    with flipped(sample_pack, Flip("web.db", 5_000, 3)):
        remembered = {identity.identity(sample_pack / file): digest for file, digest in right.items()}
        monkeypatch.setattr(identity, "_known", remembered)
        assert [problem.file for problem in verify_pack(sample_pack)] == ["web.db"]
        with pytest.raises(Damaged, match=r"web\.db"):
            Pack.open("sample", verify=True)


def test_nobody_is_told_of_damage_on_the_word_of_a_cache(sample_pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {identity.identity(path): "0" * 64 for path in sample_pack.rglob("*") if path.is_file()}
    monkeypatch.setattr(identity, "_known", wrong)
    Pack.open("sample").close()


def test_a_manifest_with_another_word_is_refused(sample_pack: Path) -> None:
    path = sample_pack / "manifest.json"
    sealed = path.read_text(encoding="utf-8")
    content = json.loads(sealed)
    for changed in (
        sealed.replace('"as_of": "', '"as_of": "9'),
        sealed.replace('"seal"', '"seaL"'),
        sealed.replace("\n", "\r\n"),
        sealed + "\n",
        json.dumps(content),
        json.dumps({key: value for key, value in content.items() if key != "seal"}),
    ):
        path.write_bytes(changed.encode())
        with pytest.raises(Damaged, match=r"manifest\.json is damaged"):
            manifests.read(sample_pack)
        assert [problem.file for problem in verify_pack(sample_pack)] == ["manifest.json"]
    path.write_bytes(sealed.encode())
    manifests.read(sample_pack)


def test_a_file_that_is_swapped_while_it_is_opened(sample_pack: Path) -> None:
    changed = pytest.raises(Damaged, match="changed while it was opened")
    with Pack.open("sample") as pack, changed, pack.using("web.db") as path:
        other = path.with_name("other")
        other.write_bytes(path.read_bytes())
        other.replace(path)


def recorded(path: Path) -> dict[str, list[str]]:
    """Episode -> the tags of its events, attempt after attempt."""
    with Journal.open(path) as journal:
        return {
            row.id: [entry.tag for attempt in journal.attempts(row.id) for entry in journal.entries(attempt.id)]
            for row in journal.episodes()
        }


def spec(**settings: object) -> RunSpec:
    return RunSpec.model_validate({"benchmark": "legalagentbench", "limit": 2, **settings})


def test_a_run_goes_on_only_with_what_it_recorded(
    sample_pack: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "run.moot"
    with start_run(spec(), out=path) as run:
        run.scheduler.step(next(iter(run.scheduler.episodes)))
    before = recorded(path)
    episode = next(iter(run.scheduler.episodes))
    for file in ("corpus.db", "vectors.usearch", "tasks/courts.jsonl"):
        with flipped(sample_pack, Flip(file, 4_000, 0)):
            fork = ["fork", path, episode, "--turn", "0", "--out", tmp_path / "fork.moot"]
            for arguments in (["resume", path], fork, ["show", path, episode, "--verify"]):
                code, said = moot(capsys, *arguments)
                assert code == 1 and file.split("/")[-1] in said, (file, arguments, said)
    assert recorded(path) == before and not (tmp_path / "fork.moot").exists()


def test_a_fork_does_not_go_on_with_another_pack(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path, settings = tmp_path / "run.moot", prepare(tmp_path)
    with start_run(spec(**settings), out=path) as run:
        episode = next(iter(run.scheduler.episodes))
    with PackBuilder("kill", jurisdiction="x", source="", licence="", coverage="complete", as_of="") as built:
        built.add_row("CompanyInfo", {"公司名称": "乙公司"}, "authored")
    code, said = moot(capsys, "fork", path, episode, "--turn", "0", "--out", tmp_path / "fork.moot")
    assert code == 1 and "changed since the run began" in said and not (tmp_path / "fork.moot").exists()


@pytest.mark.usefixtures("sample_pack")
def test_damage_in_the_middle_stops_the_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no outcome of an episode: nothing would be known of the sixty episodes that end so."""
    path, find = tmp_path / "run.moot", Pack.find

    def broken(self: Pack, *asked: object) -> object:
        raise Damaged("corpus.db cannot be read: database disk image is malformed", "Build the pack again.")

    monkeypatch.setattr(Pack, "find", broken)
    code, said = moot(capsys, "run", "legalagentbench", "--limit", "3", "--out", path)
    assert code == 1 and said.count("corpus.db cannot be read") == 1 and "Traceback" not in said
    assert not any("stopped" in tags for tags in recorded(path).values())
    monkeypatch.setattr(Pack, "find", find)
    assert moot(capsys, "resume", path)[0] == 0


@pytest.mark.skipif(os.name == "nt", reason="pipes and devices in folders")
@pytest.mark.usefixtures("sample_pack")
def test_tasks_are_no_pipe_and_no_device(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with Pack.open("sample") as pack:
        for named in (tmp_path / "pipe", Path("/dev/zero")):
            with pytest.raises(BadInput, match="neither a file nor a folder"):
                task_file(spec(tasks=str(named)), pack)
    asked = ["run", "legalagentbench", "--tasks", str(tmp_path / "pipe"), "--out", str(tmp_path / "run.moot")]
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", *asked], cwd=Path(__file__).parents[2], capture_output=True, text=True,
        timeout=120
    )  # fmt: skip
    assert done.returncode == 1 and "pipe" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.usefixtures("sample_pack")
def test_tasks_that_change_while_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tasks.legalagentbench.benchmark import LegalAgentBench

    tasks = tmp_path / "tasks.jsonl"
    with Pack.open("sample") as pack:
        own = pack.task_file("legalagentbench")
        assert own is not None
        tasks.write_bytes(own.read_bytes())
    load = LegalAgentBench.load

    def loaded(self: LegalAgentBench, path: Path) -> object:
        found = load(self, path)
        path.write_bytes(path.read_bytes().replace(b"1", b"2", 1))
        return found

    monkeypatch.setattr(LegalAgentBench, "load", loaded)
    with pytest.raises(Exception, match="changed while it was read"):
        start_run(spec(tasks=str(tasks)), out=tmp_path / "run.moot")
    assert not (tmp_path / "run.moot").exists()


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("law_versions", "valid_from = '9999-99-99'"),
        ("law_versions", "law = -5"),
        ("law_versions", "id = 9223372036854775000"),
        ("articles", "version = 9223372036854775807"),
        ("articles", "version = -1"),
        ("articles", "number = 9223372036854775807"),
    ],
)
def test_a_pack_whose_hashes_hold_and_whose_statutes_make_no_sense_is_one_sentence(
    sample_pack: Path, table: str, change: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = forged(sample_pack, tmp_path / "forged", table, change)
    for arguments in (("law", "search", "借款利息"), ("law", "check"), ("run", "legalsearch", "--limit", "1")):
        code, said = moot(capsys, *arguments, "--pack", folder)
        assert code == 1 and str(folder) in said and "Traceback" not in said


def test_links_of_a_forged_pack_are_read_when_they_are_asked_for(sample_pack: Path, tmp_path: Path) -> None:
    folder = forged(
        sample_pack, tmp_path / "forged", "law_links", "on_day = 'never', kind = 'succeeded', from_number = NULL"
    )
    with Pack.open(folder) as pack, pytest.raises(Damaged, match="make no sense"):
        StatuteBook(pack).succeeded()


def test_rows_of_a_forged_pack_that_are_out_of_their_order_are_one_sentence(
    sample_pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = forged(sample_pack, tmp_path / "forged", "articles", "id = 9000000")
    code, said = moot(capsys, "law", "search", "合同", "--pack", folder)
    assert code == 1 and str(folder) in said and "Traceback" not in said


def test_a_forged_pack_is_merged_with_none(
    sample_pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = forged(sample_pack, tmp_path / "forged", "document", "provenance = ''")
    code, said = moot(capsys, "data", "merge", folder, "sample", "--name", "both")
    assert code == 1 and str(folder) in said and "Traceback" not in said
    assert not (sample_pack.parent / "both").exists()


def forged(pack: Path, folder: Path, table: str, change: str) -> Path:
    """A copy with another row, sealed as whoever forges packs can seal it."""
    shutil.copytree(pack, folder)
    with closing(sqlite3.connect(folder / manifests.CORPUS, isolation_level=None)) as database:
        database.execute(f"UPDATE {table} SET {change} WHERE rowid = (SELECT max(rowid) FROM {table})")
    content = json.loads((folder / manifests.FILE).read_text(encoding="utf-8"))
    del content["seal"]
    manifest = manifests.Manifest.model_validate_json(json.dumps(content))
    marks = {file: identity.read_all(folder / file) for file in manifest.files}
    sizes = {file: (folder / file).stat().st_size for file in manifest.files}
    manifests.write(folder, manifest.model_copy(update={"files": marks, "sizes": sizes}))
    assert verify_pack(folder) == []
    return folder
