"""A run file from elsewhere: whatever its header says, lists stay whole, and opening it is fine or one sentence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app import library
from app.cli.main import cli
from store import places
from store.errors import DamagedData
from store.journal import Entry, EpisodeRow, Journal
from tasks.run.header import header_of
from tests.run.test_golden import FOLDER

SPEC = {"benchmark": "legalagentbench", "agent": "rules"}
GOOD: dict[str, Any] = {
    "run": "r",
    "spec": SPEC,
    "tasks": {"file": "t", "sha256": "0"},
    "pack": {"name": "sample", "hash": "0"},
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e200, 1e200) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
WRONG: list[tuple[str, Any]] = [
    *(("pack", value) for value in (None, "sample", {"name": None}, {"provenance": "authored"})),
    *(("spec", value) for value in ([], {}, {"benchmark": 1}, {**SPEC, "seats": ["judge"]})),
    *(("run", value) for value in ("", "../r", "/r", r"..\r", "r\0", ["r"], "r" * 10_000)),
    *(("pack", {"path": path}) for path in (r"\\server\share\pack", "//server/share/pack", r"/\server\share\p")),
    *(("spec", {**SPEC, name: "//server/share/x"}) for name in ("pack", "web", "law_pack", "tasks")),
    *(("engines", "x"), ("engines", {"a": 1}), ("command", 7), ("prompts", None), ("parent", {"run": 1})),
    *(("tasks", {"sha256": 5}), ("limits", None), ("imported", 3), ("created", {}), ("versions", {"moot": None})),
]


def make(name: str, header: dict[str, Any]) -> Path:
    path = places.runs() / f"{name}.moot"
    Journal.create(path, header, [EpisodeRow("1", 0, "1")]).close()
    return path


@pytest.mark.parametrize(("key", "value"), WRONG)
def test_a_header_of_another_shape_is_one_sentence_and_one_line(key: str, value: Any) -> None:
    bad, good = make("bad", {**GOOD, key: value}), make("good", GOOD)
    with Journal.open(bad) as journal, pytest.raises(DamagedData, match="its header is not that of a run"):
        header_of(journal)
    lines = {line.path: line for line in library.runs()}
    assert lines[bad].error and not lines[good].error


def test_commands_refuse_a_header_of_another_shape() -> None:
    bad, good = make("bad", {**GOOD, "pack": None}), make("good", GOOD)
    listed = CliRunner().invoke(cli, ["list", "--json"], catch_exceptions=False)
    rows = {row["path"]: row for row in json.loads(listed.output)["runs"]}
    assert "error" in rows[str(bad)] and rows[str(good)]["n"] == 1
    for command in ("show", "report", "resume", "score"):
        assert isinstance(CliRunner().invoke(cli, [command, str(bad)]).exception, DamagedData), command


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.sampled_from([*GOOD, "parent", "imported", "engines", "prompts", "limits", "command", "x"]),
        JSON,
        min_size=1,
    )
)
def test_any_header_is_read_whole_or_refused(tmp_path: Path, found: dict[str, Any]) -> None:
    path = tmp_path / "r.moot"
    path.unlink(missing_ok=True)
    Journal.create(path, {**GOOD, **found}, [EpisodeRow("1", 0, "1")]).close()
    line = library.read_run(path)
    assert line.error or (line.id == "r" and line.n == 1)  # the name of its file, whatever it calls itself


def test_a_complete_header_comes_back_as_it_was_written(tmp_path: Path) -> None:
    for release in sorted(FOLDER.glob("*.moot")):
        shutil.copy(release, tmp_path / release.name)
        with Journal.open(tmp_path / release.name) as journal:
            raw, header = journal.header, header_of(journal)
            assert {key: header[key] for key in raw} == {**raw, "spec": header["spec"]}
            assert raw["spec"].items() <= {**header["spec"], **raw["spec"]}.items()


@pytest.mark.parametrize("data", [{}, None, {"outcome": ["finished"]}, {"outcome": "unheard of"}])
def test_an_end_that_says_nothing_is_no_end(data: Any) -> None:
    path = make("r", GOOD)
    with Journal.open(path, write=True) as journal:
        (attempt,) = journal.attempts("1")
        journal.append([Entry(attempt.id, 0, 1, None, 1.0, "stopped", data)])
    assert library.read_run(path).outcomes == {"unfinished": 1}
    listed = CliRunner().invoke(cli, ["list", "--json"], catch_exceptions=False)
    assert json.loads(listed.output)["runs"][0]["outcomes"] == {"unfinished": 1}
