"""Imports what was harvested of the LegalAgentBench corpora: rows, complete lists, recorded calls, texts, tasks.

Layout of the folder: tables/<Table>.jsonl (an absent column is unknown, null is upstream's nan), lists.jsonl
(complete, ordered answers of list tools), calls.jsonl.gz (recorded calls), documents/<Corpus>.jsonl, dataset*.json.
Every part may be missing. A recorded call gives the same answer from the pack as it gave then.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from store.builder import PackBuilder
from store.errors import BadInput, named
from store.importers import Progress
from store.importers.logs.calls import lookup_values, read_observation, rows_of
from store.importers.logs.harvest import Fragment, Harvest, Key, as_cells
from store.importers.logs.merging import merge, write
from store.importers.reading import entered, files_in, records
from store.schema import CORPORA, LOOKUPS, TABLES, Lookup

SOURCE = "LegalAgentBench (CSHaitao/LegalAgentBench), rows harvested from its published run logs"
LICENCE = "MIT, copyright 2024 Haitao Li"


def import_pack(source: Path, name: str, progress: Progress) -> Path:
    """Build a pack from a folder or zip in this layout.

    Raises:
        NotFound: nothing is there.
        BadInput: a file is not what it should be (file and line are named), or nothing of the layout was found.
    """
    with entered(source) as root, _builder(name) as builder:
        parts = _parts(root, source)
        harvest = Harvest()
        _read_tables(parts, harvest, progress)
        _read_lists(parts, harvest, progress)
        _read_calls(parts, harvest, progress)
        merged = merge(harvest)
        for line in harvest.described:
            progress(f"contradiction: {line}", 0, 0)
        write(builder, harvest, merged, progress)
        _add_documents(parts, builder, progress)
        _add_tasks(parts, builder, progress)
        progress("moving the pack to its place", 0, None)
        return builder.finish()


def _builder(name: str) -> PackBuilder:
    return PackBuilder(name, jurisdiction="CN", source=SOURCE, licence=LICENCE, coverage="harvest", as_of="2024")


def _parts(root: Path, source: Path) -> dict[str, Path]:
    """Files of the layout by their path in it, without the suffix .gz."""
    if not root.is_dir():
        raise BadInput(f"{source} is not a folder in the layout of the harvested LegalAgentBench data")
    parts = {path.relative_to(root).as_posix().removesuffix(".gz"): path for path in files_in(root)}
    for part in parts:
        folder, _, file = part.rpartition("/")
        known = {"tables": TABLES, "documents": CORPORA}.get(folder)
        if known is not None and file.endswith(".jsonl") and file.removesuffix(".jsonl") not in known:
            raise BadInput(f"{part}: there is no such table or corpus", f"Known: {', '.join(known)}.")
    wanted = {
        "lists.jsonl",
        "calls.jsonl",
        *(f"tables/{t}.jsonl" for t in TABLES),
        *(f"documents/{c}.jsonl" for c in CORPORA),
    }
    if not wanted & set(parts):
        raise BadInput(
            f"{source} holds none of tables/*.jsonl, lists.jsonl, calls.jsonl.gz, documents/*.jsonl",
            "For run logs use the format legalagentbench-logs, for your own tables the format tables.",
        )
    return parts


def _read_tables(parts: Mapping[str, Path], harvest: Harvest, progress: Progress) -> None:
    for table in TABLES:
        part = f"tables/{table}.jsonl"
        for line, content in _records(parts, part, progress):
            cells = {column: value for column, value in content.items() if not column.startswith("_")}
            harvest.loose.append(Fragment(table, _cells(table, cells, f"{part}, line {line}"), f"{part}:{line}"))


def _read_lists(parts: Mapping[str, Path], harvest: Harvest, progress: Progress) -> None:
    part = "lists.jsonl"
    for line, content in _records(parts, part, progress):
        where = f"{part}, line {line}"
        lookup = LOOKUPS.get(str(content.get("tool")))
        if lookup is None or lookup.shape != "many":
            raise BadInput(f"{where}: there is no list tool named {content.get('tool')}")
        given = content.get("identifier")
        values = [given] if isinstance(given, str) else given
        if not isinstance(values, list) or len(values) != len(lookup.parameters) or not _all_text(values):
            raise BadInput(f"{where}: identifier must be {' + '.join(lookup.parameters)} as text")
        rows = content.get("rows")
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise BadInput(f"{where}: rows must be a list of objects")
        if content.get("n", len(rows)) != len(rows):
            raise BadInput(f"{where}: n is {content['n']} but there are {len(rows)} rows")
        _overlay(harvest, lookup, tuple(values), [_cells(lookup.table, row, where) for row in rows], where)


def _read_calls(parts: Mapping[str, Path], harvest: Harvest, progress: Progress) -> None:
    part = "calls.jsonl"
    for line, content in _records(parts, part, progress):
        where = f"{part}, line {line}"
        lookup = LOOKUPS.get(str(content.get("tool")))
        status, said = content.get("status"), content.get("observation")
        if not isinstance(status, str) or not isinstance(said, str) or "input" not in content:
            raise BadInput(f"{where}: a call needs tool, input, status and observation")
        values = lookup_values(lookup, content["input"]) if lookup is not None else None
        if lookup is None or values is None:
            continue
        key = (lookup.tool, values)
        if status == "ok":
            value = read_observation(said, lookup).value
            rows = rows_of(lookup, value, values)
            if rows is None:
                raise BadInput(f"{where}: the observation is not what {lookup.tool} gives")
            _overlay(harvest, lookup, values, [_cells(lookup.table, row, where) for row in rows], where)
        elif status == "no_data":
            harvest.missing.setdefault(key, where)
        elif status == "bad_column":
            harvest.present.setdefault(key, where)
    for key, where in harvest.missing.items():
        if key in harvest.lookups or key in harvest.present:
            raise BadInput(f"{where}: {key[0]} {'、'.join(key[1])} is recorded both as found and as not found")


def _overlay(
    harvest: Harvest, lookup: Lookup, values: tuple[str, ...], rows: list[dict[str, Any]], where: str
) -> None:
    """Lay an answer over earlier ones to the same question."""
    key: Key = (lookup.tool, values)
    if not rows:
        harvest.missing.setdefault(key, where)
        return
    if harvest.lay_over(key, lookup.table, rows, where):
        first = harvest.lookups[key][0]
        raise BadInput(f"{where}: {lookup.tool} {'、'.join(values)} differs from {first.where}")


def _add_documents(parts: Mapping[str, Path], builder: PackBuilder, progress: Progress) -> None:
    for corpus in CORPORA:
        part = f"documents/{corpus}.jsonl"
        for line, content in _records(parts, part, progress):
            text = content.get("text")
            if not isinstance(text, str) or not text:
                raise BadInput(f"{part}, line {line}: no text")
            builder.add_document(corpus, text, "harvested")


def _add_tasks(parts: Mapping[str, Path], builder: PackBuilder, progress: Progress) -> None:
    seen: set[str] = set()
    for part in sorted(parts):
        if "/" in part or not part.startswith("dataset") or not part.endswith((".json", ".jsonl")):
            continue
        lines = []
        for _, content in _records(parts, part, progress):
            task = json.dumps(content.get("id"))
            if task == "null" or task not in seen:
                lines.append(json.dumps(content, ensure_ascii=False))
                seen.add(task)
        builder.add_tasks("legalagentbench", lines)


def _records(parts: Mapping[str, Path], part: str, progress: Progress) -> Iterator[tuple[int, dict[str, Any]]]:
    path = parts.get(part)
    if path is None:
        return
    done = 0
    for line, content in records(path, part):
        yield line, content
        done += 1
        if done % 1000 == 0:
            progress(f"reading {part}", done, None)
    progress(f"reading {part}", done, done)


def _cells(table: str, row: Mapping[str, Any], where: str) -> dict[str, Any]:
    strange = [column for column in row if column not in TABLES[table]]
    if strange:
        raise BadInput(f"{where}: {table} has no column {named(strange)}", f"Columns: {'、'.join(TABLES[table])}.")
    cells = None if any(isinstance(value, bool) for value in row.values()) else as_cells(row)
    if cells is None:
        raise BadInput(f"{where}: a cell of {table} is neither text nor a 64-bit number nor null")
    return dict(cells)


def _all_text(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)
