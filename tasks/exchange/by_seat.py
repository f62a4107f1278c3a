"""The calls of a run by seat, for reading and for training: a file of JSON lines a seat, a line a call.

A line holds the messages that were read and the reply, in the form that servers and trainers know, with who sat there
and what the call cost (tokens, milliseconds). Calls of people are among them, marked `human`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from store.files import naming
from store.journal import Journal
from tasks.errors import UsageError
from tasks.exchange.episodes import Call, calls, prompt_of, reply_of
from tasks.run.engines import run_path
from tasks.run.exporting import whole_folder
from tasks.run.header import HeaderData, header_of
from tasks.run.reading import read_episode

LONGEST_NAME = 60


def export_seats(name: str | Path, out: Path) -> dict[str, int]:
    """Write the folder; returns file -> number of lines. The task file of the run is not needed.

    Raises:
        UsageError: nobody was asked in it.
        StoreError: `out` is there already, or cannot be written.
    """
    counts: dict[str, int] = {}
    files: dict[str, str] = {}
    with Journal.open(run_path(name)) as journal, whole_folder(out) as folder:
        header = header_of(journal)
        for row, attempts in journal.walk():
            about = {
                "run": header["run"], "benchmark": header["spec"]["benchmark"], "task": row.task_id,
                "epoch": row.epoch, "episode": row.id, "attempt": attempts[-1].number,
            }  # fmt: skip
            for call in calls(read_episode(journal, row.id)):
                seat = call.event.seat
                if seat not in files:
                    files[seat] = _file_name(seat, files.values())
                file = files[seat]
                line = json.dumps({**about, **_told(journal, header, call)}, ensure_ascii=False)
                with naming(folder / file), (folder / file).open("a", encoding="utf-8", errors="replace") as stream:
                    stream.write(f"{line}\n")
                counts[file] = counts.get(file, 0) + 1
        if not counts:
            raise UsageError(
                f"run {header['run']} holds no calls of models", "`--to jsonl` holds everything it recorded."
            )
    return counts


def _told(journal: Journal, header: HeaderData, call: Call) -> dict[str, object]:
    event = call.event
    return {
        "step": call.record.step, "call": event.call, "seat": event.seat, "policy": call.policy,
        "engine": call.engine, "human": event.human, "prompt": event.prompt,
        "prompt_sha256": header["prompts"].get(event.prompt, ""), "messages": prompt_of(journal, event),
        "reply": reply_of(event), "finish": event.finish,
        "tools": json.loads(journal.text_of(event.tools_name)) if event.tools_name else [],
        "schema": json.loads(journal.text_of(event.schema_name)) if event.schema_name else None,
        "settings": event.settings, "prompt_tokens": event.evaluated + event.reused,
        "generated_tokens": event.generated, "milliseconds": event.milliseconds,
    }  # fmt: skip


def _file_name(seat: str, taken: Iterable[str]) -> str:
    """A file name for a seat, whatever a run file from elsewhere calls it; none that a disk takes for another."""
    safe, used, number = re.sub(r"[^\w-]+", "_", seat)[:LONGEST_NAME], {name.casefold() for name in taken}, 1
    name = f"{safe}.jsonl"
    while name.casefold() in used:
        number += 1
        name = f"{safe}-{number}.jsonl"
    return name
