"""`moot list`: what is shown of the runs, in which order, and what can be done with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from store import labels, places
from store.journal import Journal
from tests.support.desk_fixture import build_pack, write_run
from tests.support.typed import moot

OTHER = "20260302-090000-legalagentbench-rules-0002"
FIRST = "20260301-083000-legalagentbench-rules-0001"


def names(*arguments: str) -> list[str]:
    return [row["run"] for row in moot("list", *arguments, "--json").data["runs"]]


@pytest.fixture(autouse=True)
def three_runs(moot_home: Path) -> None:
    pack = build_pack()
    write_run(pack)
    write_run(pack, OTHER, upto=1)
    (places.runs() / "broken.moot").write_bytes(b"no database at all" * 100)


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["--state", "finished"], [FIRST]),
        (["--state", "unfinished"], [OTHER]),
        (["--state", "damaged"], ["broken"]),
        (["--benchmark", "legalagent", "--sort", "name"], [FIRST, OTHER]),
        (["--text", "rules", "--sort", "-name"], [OTHER, FIRST]),
        (["--text", "qwen"], []),
        (["--text", "SMALL", "--sort", "compat"], [FIRST, OTHER]),
        (["--text", "0002"], [OTHER]),
        (["--sort", "name", "--limit", "1"], [FIRST]),
        (["--tag", "7b"], [FIRST]),
        (["--tag", "7b", "--tag", "law"], []),
    ],
)
def test_runs_are_chosen_and_sorted(arguments: list[str], shown: list[str]) -> None:
    assert moot("list", "tag", FIRST, "7b")[0] == 0
    assert names(*arguments) == shown


def test_published_keys_stay_beside_the_new_ones() -> None:
    assert moot("list", "rename", FIRST, "基线")[0] == 0
    code, out, _ = moot("list", "--json")
    rows: dict[str, dict[str, Any]] = {row["run"]: row for row in json.loads(out)["runs"]}
    published = "run path benchmark agent model pack created n finished outcomes parent"
    assert code == 0 and set(published.split()) <= rows[FIRST].keys()
    assert {"run", "path", "error"} <= rows["broken"].keys()
    assert rows[FIRST]["name"] == "基线" and rows[FIRST]["state"] == "finished" and rows[FIRST]["compat"] == 1.0
    assert "基线" in moot("list").out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--sort", "colour"], 2, "cannot be sorted by 'colour'"),
        (["--state", "odd"], 2, "odd"),
        (["rename", FIRST, OTHER], 1, "is taken: it is the id of a run"),
        (["rename", "nothing", "x"], 2, "no run 'nothing'"),
        (["tag", FIRST, "a b"], 1, "cannot be a tag"),
        (["remove", FIRST], 2, "only after a yes"),
        (["remove", "nothing", "--yes"], 2, "no run 'nothing'"),
        (["remove", FIRST, "broken", "--yes"], 1, "not a whole run file"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_changes_nothing(arguments: list[str], code: int, said: str) -> None:
    found, out, err = moot("list", *arguments)
    assert (found, out) == (code, "") and said in err and err.count("\n") == 1
    assert sorted(path.stem for path in places.runs().glob("*.moot")) == [FIRST, OTHER, "broken"]
    assert not labels.labels()


def test_a_run_loses_its_name() -> None:
    moot("list", "rename", FIRST, "基线")
    code, out, _ = moot("list", "rename", FIRST, "--json")
    assert code == 0 and json.loads(out)["name"] == "" and not labels.labels()


def test_a_run_is_removed_with_what_it_was_called() -> None:
    moot("list", "rename", FIRST, "基线")
    code, out, _ = moot("list", "remove", "基线", "--yes", "--json")
    assert code == 0 and [Path(path).stem for path in json.loads(out)["removed"]] == [FIRST]
    assert FIRST not in names() and not labels.labels()


def test_a_run_that_is_written_stays() -> None:
    path = places.runs() / f"{OTHER}.moot"
    with Journal.open(path, write=True):
        code, _, err = moot("list", "remove", FIRST, OTHER, "--yes")
        assert code == 2 and "being written" in err
        assert names("--state", "running") == [OTHER]
    assert (places.runs() / f"{FIRST}.moot").exists() and path.exists()
