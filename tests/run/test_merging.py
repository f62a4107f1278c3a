"""Several runs become one: as if it had been played as one, or not at all."""

from __future__ import annotations

import json
import os
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.cli.main import cli
from store import journal_format
from store.errors import DamagedData, StoreError
from store.journal import Journal, ScoreRow
from tasks.episode.state import digest
from tasks.errors import RecordMismatch, UsageError
from tasks.run.header import header_of
from tasks.run.merging import merge_runs
from tasks.run.reading import read_episode
from tasks.run.rescoring import read_stored, summary_of
from tasks.run.runner import resume_run, start_run
from tasks.run.seat_prompt import verify
from tasks.run.spec import RunSpec
from tests.support.kill_harness import CONTEXT, prepare

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Played:
    """What most tests begin with, played once: a home and the settings of its runs, the whole run, and its halves."""

    home: Path
    spec: dict[str, Any]
    whole: Path
    halves: tuple[Path, Path]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Six tasks twice, before a model whose words are drawn by the seed of each call, and that fails now and then."""
    home = tmp_path_factory.mktemp("merging")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(home))
        spec = {**prepare(home, tasks=6, delay_ms=0), "epochs": 2}
        one, two = shards(spec, home, 2)
        return Played(home, spec, play(spec, home / "whole.moot"), (one, two))


@pytest.fixture
def spec(played: Played, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The settings, in the home that they belong to."""
    monkeypatch.setenv("MOOT_HOME", str(played.home))
    return played.spec


@pytest.fixture
def halves(spec: dict[str, Any], played: Played, tmp_path: Path) -> list[Path]:
    """Both halves of the run, a copy of each that belongs to the test."""
    return [Path(shutil.copy(half, tmp_path)) for half in played.halves]


def play(spec: dict[str, Any], path: Path, **changes: Any) -> Path:
    with start_run(RunSpec.model_validate({**spec, **changes}), out=path) as run:
        run.go()
        run.record_scores()
    return path


def shards(spec: dict[str, Any], folder: Path, count: int, **changes: Any) -> list[Path]:
    return [play(spec, folder / f"{k}of{count}.moot", shard=(k, count), **changes) for k in range(1, count + 1)]


def digests(path: Path) -> list[tuple[str, int, str, str]]:
    """Episodes in their order, with what happened in them."""
    with Journal.open(path) as journal:
        return [
            (row.id, row.position, row.task_id, digest(read_episode(journal, row.id))) for row in journal.episodes()
        ]


def scores(path: Path) -> list[list[object]]:
    """What stands in the scores of each episode, without times."""
    with Journal.open(path) as journal:
        return [
            [
                (score.scorer, score.version, score.value, score.evidence)
                for attempt in journal.attempts(row.id)
                for score in journal.scores(attempt.id)
            ]
            for row in journal.episodes()
        ]


def test_shards_merge_into_the_run_that_one_machine_would_have_made(
    spec: dict[str, Any], played: Played, tmp_path: Path
) -> None:
    whole = played.whole
    parts = shards(spec, tmp_path, 3)
    assert len(set(map(str, digests(whole)))) == 12
    made = merge_runs([parts[2], parts[0], parts[1]], tmp_path / "merged.moot")
    assert (made.parts, made.episodes, made.missing, made.unfinished) == (3, 12, 0, 0)
    assert digests(made.path) == digests(whole)
    assert scores(made.path) == scores(whole)
    assert all(scores(made.path))
    one, two = (summary_of(read_stored(path)).block() for path in (whole, made.path))
    assert {**one, "run": ""} == {**two, "run": ""}
    assert verify(made.path) == verify(whole)
    with Journal.open(made.path) as journal:
        journal.check()
        header = header_of(journal)
    assert [(part["run"], tuple(part["shard"])) for part in header["merged"]["parts"]] == [
        ("3of3", (3, 3)),
        ("1of3", (1, 3)),
        ("2of3", (2, 3)),
    ]
    with Journal.open(parts[2]) as journal:
        assert header["merged"]["parts"][0]["state"] == journal.state()
    assert header["spec"]["shard"] is None


def test_any_split_by_task_merges_into_the_same_run(spec: dict[str, Any], played: Played, tmp_path: Path) -> None:
    parts = [
        play(spec, tmp_path / f"{who}.moot", task_ids=[str(n) for n, owner in enumerate("cbbaab", 1) if owner == who])
        for who in "abc"
    ]
    merge_runs(parts[::-1], tmp_path / "merged.moot")
    assert digests(tmp_path / "merged.moot") == digests(played.whole)


def test_attempts_and_words_of_people_come_along(halves: list[Path], tmp_path: Path) -> None:
    with Journal.open(halves[0], write=True) as journal:
        row = journal.episodes()[0]
        first = journal.attempts(row.id)[0]
        rows = journal.entries(first.id)
        second = journal.begin_attempt(row.id, "once more")
        journal.append(type(entry)(second.id, *_rest(entry)) for entry in rows)
        journal.add_scores([ScoreRow(second.id, "human", "1", {}, {"SUC": 0.5}, ["因为"], "张三")])
        before = journal.attempts(row.id), journal.scores(second.id)
    made = merge_runs(halves, tmp_path / "merged.moot").path
    with Journal.open(made) as journal:
        attempts = journal.attempts(row.id)
        assert [(a.number, a.reason, a.at) for a in attempts] == [(a.number, a.reason, a.at) for a in before[0]]
        assert [_rest(entry) for entry in journal.entries(attempts[0].id)] == [_rest(entry) for entry in rows]
        (said,) = journal.scores(attempts[1].id)
        assert (said.scorer, said.value, said.author, said.at) == ("human", {"SUC": 0.5}, "张三", before[1][0].at)


def _rest(entry: Any) -> tuple[Any, ...]:
    return entry.seq, entry.step, entry.parent, entry.at, entry.tag, entry.data


def test_a_gap_is_named_and_refused_unless_it_is_meant(spec: dict[str, Any], played: Played, tmp_path: Path) -> None:
    parts = shards(spec, tmp_path, 3)
    out = tmp_path / "merged.moot"
    with pytest.raises(UsageError, match=r"4 of 12 episodes .* the first is 2#1.*Add shard 2/3"):
        merge_runs([parts[0], parts[2]], out)
    assert not out.exists()
    made = merge_runs([parts[0], parts[2]], out, partial=True)
    assert (made.episodes, made.missing) == (8, 4)
    shown = CliRunner().invoke(cli, ["show", str(out)])
    assert "12 局中有 4 局不在所合并的评测里" in shown.output
    assert "2 次评测，缺 4 局" in CliRunner().invoke(cli, ["report", str(out), "--format", "md"]).output
    whole = merge_runs([out, parts[1]], tmp_path / "whole.moot")  # what was partial can be made whole
    assert whole.missing == 0
    assert digests(whole.path) == digests(played.whole)


def test_an_episode_in_two_runs_is_refused_by_name(spec: dict[str, Any], halves: list[Path], tmp_path: Path) -> None:
    again = play(spec, tmp_path / "again.moot", task_ids=["3"])
    with pytest.raises(UsageError, match=r"episode 3#1 is in both .*1of2\.moot and .*again\.moot"):
        merge_runs([*halves, again], tmp_path / "merged.moot")
    assert not (tmp_path / "merged.moot").exists()


def test_what_is_unfinished_is_refused_or_goes_on_in_the_merged_run(
    spec: dict[str, Any], played: Played, halves: list[Path], tmp_path: Path
) -> None:
    one = halves[0]
    steps = iter([True] * 7)
    with start_run(RunSpec.model_validate({**spec, "shard": (2, 2)}), out=tmp_path / "2.moot") as run:
        run.go(lambda: next(steps, False))
    out = tmp_path / "merged.moot"
    with pytest.raises(UsageError, match=r"episode .* of .*2\.moot is unfinished"):
        merge_runs([one, tmp_path / "2.moot"], out)
    assert list(tmp_path.glob("*merged*")) == []
    made = merge_runs([one, tmp_path / "2.moot"], out, partial=True)
    assert made.missing == 0 < made.unfinished
    with resume_run(out) as run:
        run.go()
    assert digests(out) == digests(played.whole)


def changed_task(spec: dict[str, Any]) -> dict[str, Any]:
    file = Path(spec["tasks"])
    other = file.with_name("other.json")
    other.write_text(file.read_text(encoding="utf-8") + " ", encoding="utf-8")
    return {"tasks": str(other)}


def changed_script(spec: dict[str, Any]) -> dict[str, Any]:
    script = Path(spec["model"].removeprefix("scripted:"))
    script.write_text(script.read_text(encoding="utf-8") + " ", encoding="utf-8")
    return {}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda spec: {"seed": 7}, 'setting seed is 7, not 5'),
        (lambda spec: {"calls": "free"}, 'setting calls is "free", not "schema"'),
        (changed_task, "task file is"),
        (changed_script, "engine scripted:.*, sha256 is"),
    ],
)  # fmt: skip
def test_another_experiment_is_refused_by_its_first_difference(
    spec: dict[str, Any], halves: list[Path], tmp_path: Path, change: Any, said: str
) -> None:
    script = Path(spec["model"].removeprefix("scripted:"))
    before = script.read_bytes()
    two = play(spec, tmp_path / "2.moot", shard=(2, 2), **change(spec))
    script.write_bytes(before)
    with pytest.raises(RecordMismatch, match=rf"2\.moot is of another experiment than .*1of2\.moot: {said}"):
        merge_runs([halves[0], two], tmp_path / "merged.moot")
    assert not (tmp_path / "merged.moot").exists()


def test_another_pack_is_refused(moot_home: Path, tmp_path: Path) -> None:
    one = play(prepare(moot_home, tasks=4), tmp_path / "1.moot", shard=(1, 2))
    with Journal.open(one) as journal:
        header = header_of(journal)
        rows = [row for row in journal.episodes() if row.id == "none"]
    other = {**header, "pack": {**header["pack"], "hash": "0" * 64}}
    Journal.create(tmp_path / "2.moot", other, rows).close()
    with pytest.raises(RecordMismatch, match="pack is .*0000"):
        merge_runs([one, tmp_path / "2.moot"], tmp_path / "merged.moot")


def test_a_damaged_part_is_refused_and_nothing_is_left(halves: list[Path], tmp_path: Path) -> None:
    raw = halves[1].read_bytes()
    spot = raw.rindex(b"get_company_info")
    halves[1].write_bytes(raw[:spot] + b"got" + raw[spot + 3 :])
    with pytest.raises(DamagedData, match="2of2"):
        merge_runs(halves, tmp_path / "merged.moot")
    assert list(tmp_path.glob("*merged*")) == []


def test_the_file_must_be_new(halves: list[Path], tmp_path: Path) -> None:
    before = halves[0].read_bytes()
    with pytest.raises(StoreError, match="already exists"):
        merge_runs(halves, halves[0])
    assert halves[0].read_bytes() == before


def _killed(home: str, parts: list[str], out: str, after: int) -> None:
    os.environ["MOOT_HOME"] = home
    add, left = journal_format.add_events, [after]

    def deadly(*rest: Any) -> None:
        add(*rest)
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    journal_format.add_events = deadly  # type: ignore[assignment]
    merge_runs(parts, Path(out))


def test_a_killed_merge_can_be_done_again(played: Played, halves: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "merged.moot"
    child = CONTEXT.Process(target=_killed, args=(str(played.home), list(map(str, halves)), str(out), 12))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    assert not out.exists()
    merge_runs(halves, out)
    with Journal.open(out) as journal:
        journal.check()
    assert len(digests(out)) == 12


def test_what_was_not_played_here_is_no_part(played: Played, tmp_path: Path) -> None:
    with Journal.open(played.whole) as journal:
        header, rows = header_of(journal), journal.episodes()
    Journal.create(tmp_path / "2.moot", {**header, "imported": {"file": "x", "sha256": ""}}, rows).close()
    with pytest.raises(UsageError, match="was imported, or forked"):
        merge_runs([tmp_path / "2.moot"], tmp_path / "merged.moot")


def test_a_shard_without_tasks_is_refused_before_anything_is_written(spec: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="shard 7/9 has no task: 6 are chosen"):
        play(spec, tmp_path / "r.moot", shard=(7, 9))
    assert not (tmp_path / "r.moot").exists()


@pytest.mark.parametrize("said", ["0/4", "5/4", "2", "a/b", "２/4"])
def test_what_is_no_shard_exits_2(moot_home: Path, said: str) -> None:
    done = CliRunner().invoke(cli, ["run", "legalagentbench", "--shard", said])
    assert isinstance(done.exception, UsageError)
    assert "is not K/N" in str(done.exception)


def test_the_command_says_what_it_wrote(halves: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "merged.moot"
    done = CliRunner().invoke(cli, ["merge", *map(str, halves), "--out", str(out), "--json"])
    assert json.loads(done.output) == {
        "path": str(out), "run": "merged", "parts": 2, "episodes": 12, "missing": 0, "unfinished": 0,
    }  # fmt: skip
