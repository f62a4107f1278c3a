"""The development data of LegalAgentBench: logs import without a contradiction, packs answer as was recorded."""

from __future__ import annotations

import ast
import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from store.importers import legalagentbench, silent
from store.importers.legalagentbench_logs import CALLS, import_pack
from store.pack import Pack
from store.schema import LOOKUPS, TABLES, UNKNOWN
from tests.store.test_import_logs import cells, report_of


def test_the_development_data_replays_every_lookup(data: Callable[[str], Path]) -> None:
    source = data("legalagentbench")
    legalagentbench.import_pack(source, "legalagentbench", silent)
    with gzip.open(source / "calls.jsonl.gz", "rt", encoding="utf-8") as stream:
        calls = [json.loads(line) for line in stream]
    checked = 0
    with Pack.open("legalagentbench", verify=True) as pack:
        assert pack.counts()["tasks"] == {"legalagentbench": 150}
        assert pack.counts()["documents"] == {"LegalKnowledge": 72, "LegalArticle": 246, "LegalCases": 97}
        for item in calls:
            lookup = LOOKUPS.get(item["tool"])
            if lookup is None or item["status"] not in ("ok", "no_data", "bad_column"):
                continue
            found = pack.find(lookup, [item["input"][parameter] for parameter in lookup.parameters])
            checked += 1
            if item["status"] != "ok":
                assert found.status == {"no_data": "miss", "bad_column": "rows"}[item["status"]], item
                continue
            assert found.complete, item
            columns = item["input"].get("columns") or TABLES[lookup.table]
            rows = [{c: row.cells[c] for c in columns} for row in found.rows]
            if lookup.shape == "name":
                assert found.rows[0].cells[lookup.gives] == item["observation"]
            else:
                said = ast.literal_eval(item["observation"].replace(": nan", ": None"))
                wanted = [said] if lookup.shape == "one" else said
                assert repr(rows) == repr(wanted), item
    assert checked == 2941


@pytest.fixture(scope="module")
def harvest(tmp_path_factory: pytest.TempPathFactory, data: Callable[..., Path]) -> Path:
    """The development logs, imported once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(tmp_path_factory.mktemp("home")))
        seen: list[tuple[str, int, int | None]] = []
        path = import_pack(data("legalagentbench", "raw_logs"), "harvest", lambda *told: seen.append(told))
    assert all(total is None or done <= total for _, done, total in seen)
    return path


def test_development_logs_hold_no_contradiction(harvest: Path) -> None:
    summary = report_of(harvest)
    assert summary["contradictions"] == 0
    assert summary["recordings"] == {"react": 1733, "plan": 1323}
    assert summary["rows_total"] > 2000 and summary["calls"] > 700 and summary["lists"] > 100


def test_recorded_calls_are_those_of_the_development_pack(harvest: Path, data: Callable[..., Path]) -> None:
    def key(call: dict[str, Any]) -> str:
        return json.dumps([call["tool"], call["input"]], sort_keys=True)

    with gzip.open(data("legalagentbench", "calls.jsonl.gz"), "rt", encoding="utf-8") as stream:
        wanted = {key(call): call for call in map(json.loads, stream)}
    for line in (harvest / CALLS).read_text(encoding="utf-8").splitlines():
        call = json.loads(line)
        other = wanted[key(call)]
        assert {k: call[k] for k in ("status", "observation", "known_tool")} == {
            k: other[k] for k in ("status", "observation", "known_tool")
        }


def test_harvested_cells_agree_with_the_development_pack(harvest: Path, data: Callable[..., Path]) -> None:
    from store.importers.logs.harvest import IDENTITY

    compared = 0
    with Pack.open(harvest) as pack:
        for table, names in IDENTITY.items():
            wanted: dict[tuple[str, str], dict[str, Any]] = {}
            for line in data("legalagentbench", "tables", f"{table}.jsonl").read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                wanted.update({(name, row[name]): row for name in names if isinstance(row.get(name), str)})
            for found in cells(pack, table):
                for name in names:
                    other = wanted.get((name, found.get(name, "")), {})
                    shared = found.keys() & other.keys()
                    assert {c: repr(found[c]) for c in shared} == {c: repr(other[c]) for c in shared}
                    compared += len(shared)
    assert compared > 9000


def test_harvested_lists_agree_with_the_development_pack(harvest: Path, data: Callable[..., Path]) -> None:
    agreed = 0
    with Pack.open(harvest) as pack:
        for line in data("legalagentbench", "lists.jsonl").read_text(encoding="utf-8").splitlines():
            wanted = json.loads(line)
            given = wanted["identifier"]
            values = (
                list(given.values()) if isinstance(given, dict) else given if isinstance(given, list) else [given]
            )
            found = pack.find(LOOKUPS[wanted["tool"]], values)
            if not (found.status == "rows" and found.complete):
                continue
            assert len(found.rows) == wanted["n"]
            for row, other in zip(found.rows, wanted["rows"], strict=True):
                assert all(repr(row.cells[c]) == repr(v) for c, v in other.items() if row.cells[c] is not UNKNOWN)
            agreed += 1
    assert agreed > 100


def replayed(pack: Pack, lines: Iterable[str]) -> Counter[str]:
    """How the pack answers recorded calls: same, silent about it (outside, unknown cells, incomplete) or wrong."""
    from tasks.legalagentbench.tools import Toolbox

    counts: Counter[str] = Counter()
    tools = Toolbox(pack)
    for line in lines:
        call = json.loads(line)
        if call["tool"].endswith("_retriever"):
            continue
        result = tools.call(call["tool"], call["input"])
        silent = result.status == "outside_pack" or result.unknown or not result.complete
        same = (result.status, result.observation) == (call["status"], call["observation"])
        counts["same" if same else "silent" if silent else "wrong"] += 1
    return counts


def test_its_own_calls_are_replayed_and_no_other_call_wrongly(harvest: Path, data: Callable[..., Path]) -> None:
    with Pack.open(harvest) as pack:
        own = replayed(pack, (harvest / CALLS).read_text(encoding="utf-8").splitlines())
        with gzip.open(data("legalagentbench", "calls.jsonl.gz"), "rt", encoding="utf-8") as stream:
            others = replayed(pack, stream)
    assert set(own) == {"same"} and own["same"] > 700
    assert others["wrong"] == 0 and others["same"] > 1500
