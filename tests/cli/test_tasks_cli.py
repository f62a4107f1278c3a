"""`moot tasks`: made tasks are read back, faults are all named, gold stays hidden."""

from __future__ import annotations

import json
import re
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli.tasks import tasks
from store.builder import PackBuilder
from store.errors import BadInput, NotFound
from tasks.errors import RecordMismatch, UsageError
from tasks.run.header import is_fictional
from tasks.run.plan import stored_task_file
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec

pytestmark = pytest.mark.slow


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(tasks, arguments)


@pytest.fixture
def sample(sample_pack: Path) -> str:
    return sample_pack.name


def test_construct_validate_and_show(sample: str, tmp_path: Path) -> None:
    out = tmp_path / "made.jsonl"
    made = ("construct", "--benchmark", "legalsearch", "--pack", sample, "--out")
    told = json.loads(invoke(*made, str(out), "--limit", "20", "--json").output)
    assert told["n"] == 20 and told["tasks"] == {"lar": 10, "kqa": 10} and told["pairs"] == 5
    changes = told["changes"]
    assert changes["all"] == changes["characters"] + changes["meaning"] - changes["both"]
    checked = invoke("validate", str(out))
    assert checked.exit_code == 0 and "legalsearch" in checked.output
    again = invoke(*made, str(out))
    assert isinstance(again.exception, BadInput)
    hidden = invoke("show", "sample-lar-001", "--tasks", str(out))
    answer = json.loads(out.read_text(encoding="utf-8").splitlines()[0])["answer"]
    assert hidden.exit_code == 0 and answer not in hidden.output
    assert answer.splitlines()[0] in invoke("show", "sample-lar-001", "--tasks", str(out), "--gold").output
    shown = json.loads(invoke("show", "sample-lar-001", "--tasks", str(out), "--json").output)
    assert "gold" not in shown and "answer" not in shown["card"] and shown["benchmark"] == "legalsearch"
    second = tmp_path / "again.jsonl"
    invoke(*made, str(second), "--limit", "20")
    assert second.read_bytes() == out.read_bytes()


def test_walks_of_the_other_benchmark(sample: str, tmp_path: Path) -> None:
    out = tmp_path / "walks.jsonl"
    told = json.loads(invoke("construct", "--pack", sample, "--out", str(out), "--limit", "4", "--json").stdout)
    assert told["n"] == 4 and told["tasks"] == {"1": 3, "2": 1}
    assert json.loads(invoke("validate", str(out), "--json").output)["benchmark"] == "legalagentbench"


def test_tasks_of_the_pack(sample: str) -> None:
    assert "sample-travel-26a" in invoke("show", "sample-travel-26a").output
    assert invoke("show", "sample-101").exit_code == 0
    missing = invoke("show", "sample-travel-26c")
    assert isinstance(missing.exception, NotFound) and "sample-travel-26a" in str(missing.exception)


def test_every_fault_is_named(tmp_path: Path) -> None:
    good = {"id": "a", "type": "lbk", "question": "甲？\nA: 一\nB: 二", "answer": "A"}
    lines = [
        good,
        {**good, "question": ""},
        {**good, "id": "b", "answer": "C"},
        {**good, "id": "c", "type": "xyz"},
        good,
        {**good, "id": "d", "pair": "p"},
        {"type": "lbk"},
    ]
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8")
    result = invoke("validate", str(path), "--benchmark", "legalsearch")
    assert result.exit_code == 1
    for words in (
        "line 2: field 'question'",
        "line 3: field 'answer'",
        "line 4: task c",
        "line 5: task a stands",
        "line 7: field 'id'",
    ):
        assert words in result.output
    assert "pair p has 1 members" in result.output
    told = json.loads(invoke("validate", str(path), "--json").output)
    assert told["ok"] is False and len(told["faults"]) == 5 and told["tasks"] == 7


def test_hostile_text_is_cleaned(tmp_path: Path) -> None:
    path = tmp_path / "evil.jsonl"
    task = {"id": "x\x1b[31m", "type": "zz\x1b]0;t\x07", "question": "q\x9b31m", "answer": "A"}
    path.write_text(json.dumps(task), encoding="utf-8")
    assert "\x1b" not in invoke("validate", str(path)).output


def test_mistakes_are_one_sentence(tmp_path: Path, moot_home: Path) -> None:
    out = str(tmp_path / "o.jsonl")
    assert isinstance(invoke("construct", "--benchmark", "courts", "--out", out).exception, UsageError)
    assert isinstance(invoke("construct", "--pack", "nowhere", "--out", out).exception, NotFound)
    assert isinstance(invoke("validate", str(tmp_path / "none.jsonl")).exception, NotFound)
    empty = tmp_path / "empty.jsonl"
    empty.write_text("", encoding="utf-8")
    assert invoke("validate", str(empty)).exit_code == 1
    assert isinstance(invoke("validate", str(empty), "--benchmark", "zz").exception, UsageError)
    with PackBuilder(
        "bare", jurisdiction="虚构", source="t", licence="MIT", coverage="complete", as_of="2024"
    ) as builder:
        builder.add_document("LegalKnowledge", "甲", "authored")
    bare = invoke("construct", "--benchmark", "legalsearch", "--pack", "bare", "--out", out)
    assert isinstance(bare.exception, NotFound) and not Path(out).exists()


def test_case_files_in_toml_are_checked_and_a_dispute_gives_three_cases(tmp_path: Path) -> None:
    with as_file(files("tasks.sample") / "data" / "courts" / "disputes") as folder:
        shipped = sorted(folder.glob("*.toml"))[:2]
        told = json.loads(invoke("validate", str(shipped[0]), "--json").output)
        assert told["ok"] and told["benchmark"] == "courts" and told["groups"] == {"CD": 1, "DD": 1, "CI": 1}
        for path in shipped:
            (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "readme.txt").write_text("no case", encoding="utf-8")
    assert json.loads(invoke("validate", str(tmp_path), "--json").output)["tasks"] == 6
    broken = tmp_path / "z.toml"
    broken.write_text(
        re.sub(r"(?m)^filed = .*$", 'filed = "昨天"', shipped[0].read_text("utf-8"), count=1), encoding="utf-8"
    )
    checked = invoke("validate", str(tmp_path))
    assert checked.exit_code == 1 and str(broken) in checked.output and "'昨天' is no day" in checked.output
    broken.write_bytes(shipped[0].read_bytes())
    twice = invoke("validate", str(tmp_path))
    assert twice.exit_code == 1 and f"stands in {tmp_path / shipped[0].name}" in twice.output
    broken.write_text("id = ", encoding="utf-8")
    assert "is no TOML" in str(invoke("validate", str(tmp_path)).exception)
    assert isinstance(invoke("validate", str(broken), "--benchmark", "legalsearch").exception, UsageError)


def test_a_run_takes_a_folder_of_case_files_and_notices_a_change(sample: str, tmp_path: Path) -> None:
    with as_file(files("tasks.sample") / "data" / "courts" / "knowledge") as shipped:
        for path in sorted(shipped.glob("*.toml"))[:2]:
            (tmp_path / path.name).write_bytes(path.read_bytes())
    assert "KQ-0002" in invoke("show", "KQ-0002", "--tasks", str(tmp_path)).output
    spec = RunSpec(benchmark="courts", agent="rules", tasks=str(tmp_path))
    with start_run(spec, out=tmp_path / "r.moot") as run:
        run.go()
        assert run.summary().block()["groups"] == {"KQ": 2}
        header = run.journal.header
    assert stored_task_file(header) == tmp_path
    (tmp_path / "notes.txt").write_text("no case", encoding="utf-8")
    assert stored_task_file(header) == tmp_path
    next(tmp_path.glob("*.toml")).unlink()
    with pytest.raises(RecordMismatch):
        stored_task_file(header)
    with pytest.raises(UsageError, match="nor folders"):
        start_run(spec.model_copy(update={"benchmark": "legalsearch"}), out=tmp_path / "s.moot")


def test_what_an_import_filled_in_is_named_case_by_case() -> None:
    path = Path(__file__).parents[1] / "upstream_courts" / "ci.jsonl"
    told = json.loads(invoke("validate", str(path), "--json").output)
    assert told["ok"] and any("filled in" in note and "court.docket" in note for note in told["notes"])


def test_an_imported_case_is_not_called_fictional(sample: str, tmp_path: Path) -> None:
    """The mark follows the cases: nobody can say of an imported one that its people are made up."""
    imported = Path(__file__).parents[1] / "upstream_courts" / "kq.jsonl"
    for tasks_file, marked in ((None, True), (str(imported), False)):
        spec = RunSpec(benchmark="courts", agent="rules", env="KQ", limit=1, tasks=tasks_file)
        with start_run(spec, out=tmp_path / f"{marked}.moot") as run:
            assert is_fictional(run.journal.header) is marked
    assert is_fictional({"pack": {"provenance": ["authored"]}}), "tasks that say nothing of themselves: by the pack"
