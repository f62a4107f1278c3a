"""Builds a pack from the published run logs of LegalAgentBench: what tools printed there, and nothing a model wrote.

The corpora behind those runs were never published; the logs show a part of them. The pack says so (coverage
"harvest"): a lookup that the logs do not answer is outside the pack, not empty. Two files stand beside the database:
`calls.jsonl` (every recorded call that was used, one JSON object a line) and `harvest.json` (what was found, and
disagreements).
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from store.builder import PackBuilder
from store.errors import BadInput
from store.importers import Progress
from store.importers.logs.harvest import Harvest
from store.importers.logs.merging import MergedTables, merge, write
from store.importers.logs.reading import LogCounts, find_logs, read_log
from store.schema import LOOKUPS, TABLES

CALLS = "calls.jsonl"
REPORT = "harvest.json"
_EVERY = 200


def import_pack(source: Path, name: str, progress: Progress) -> Path:
    """Import a log, or every log in a folder, as a pack.

    Raises:
        NotFound: `source` does not exist.
        BadInput: no log there, or one that is not UTF-8; names file and line.
    """
    progress("looking for run logs", 0, None)
    logs, others = find_logs(source)
    tally = LogCounts()
    with PackBuilder(
        name,
        jurisdiction="CN",
        source=f"tool observations in {len(logs)} published run logs of LegalAgentBench",
        licence="MIT (LegalAgentBench, github.com/CSHaitao/LegalAgentBench)",
        coverage="harvest",
        as_of="",
    ) as builder:
        harvest = _read(logs, tally, progress)
        merged = merge(harvest)
        if not merged.rows and not harvest.calls and not any(harvest.documents.values()):
            raise BadInput(
                f"{source}: no tool result can be read in {len(logs)} logs", "Are these logs of tool runs?"
            )
        summary = _summary(logs, others, tally, harvest, merged)
        write(builder, harvest, merged, progress)
        for corpus, texts in harvest.documents.items():
            for text in texts:
                builder.add_document(corpus, text, "harvested")
        builder.add_file(CALLS, _call_lines(harvest))
        builder.add_file(REPORT, (json.dumps(summary, ensure_ascii=False, indent=1) + "\n").encode())
        path = builder.finish()
    progress(in_words(summary), len(merged.rows), len(merged.rows))
    return path


def in_words(summary: dict[str, Any]) -> str:
    """The summary in one line."""
    documents = sum(summary["documents"].values())
    return (
        f"{summary['rows_total']} rows in {len(summary['rows'])} tables, {summary['lists']} complete lists,"
        f" {summary['misses']} recorded misses, {documents} documents, {summary['calls']} calls,"
        f" {summary['contradictions']} contradictions"
    )


def _read(logs: list[Path], tally: LogCounts, progress: Progress) -> Harvest:
    total = sum(path.stat().st_size for path in logs)
    harvest = Harvest()
    for path in logs:
        for count, recording in enumerate(read_log(path, tally)):
            if count % _EVERY == 0:
                progress(f"reading {path.name}", min(tally.bytes, total), total)
            harvest.take(recording)
    harvest.take_steps()
    progress("reading", total, total)
    return harvest


def _call_lines(harvest: Harvest) -> bytes:
    lines = [
        json.dumps(
            {
                "tool": recorded.call.tool,
                "known_tool": recorded.call.known,
                "input": recorded.call.input,
                "status": recorded.observation.status,
                "observation": recorded.observation.text,
                "seen": recorded.seen,
            },
            ensure_ascii=False,
        )
        for recorded in harvest.calls.values()
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _summary(
    logs: list[Path], others: list[Path], tally: LogCounts, harvest: Harvest, merged: MergedTables
) -> dict[str, Any]:
    rows = Counter(row.table for row in merged.rows)
    statuses = Counter(recorded.observation.status for recorded in harvest.calls.values())
    lists = sum(LOOKUPS[tool].shape == "many" for tool, _ in merged.lookups)
    return {
        "logs": [path.name for path in logs],
        "skipped_files": [path.name for path in others],
        "lines": tally.lines,
        "recordings": dict(tally.recordings),
        "out_of_turn": tally.out_of_turn,
        "two_results": tally.two_results,
        "rows": {table: rows[table] for table in TABLES if rows[table]},
        "rows_total": len(merged.rows),
        "lists": lists,
        "single_rows": len(merged.lookups) - lists,
        "misses": len(harvest.missing),
        "documents": {corpus: len(texts) for corpus, texts in harvest.documents.items()},
        "calls": len(harvest.calls),
        "calls_by_status": dict(sorted(statuses.items())),
        "recorded": sum(recorded.seen for recorded in harvest.calls.values()),
        "notes": dict(sorted(harvest.tally.items())),
        "contradictions": harvest.contradictions,
        "contradictions_described": harvest.described,
    }
