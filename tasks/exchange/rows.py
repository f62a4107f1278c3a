"""A run as a data set: JSON lines with one flat schema, a row an episode, and a card that fixes the types of columns.

`datasets.load_dataset(FOLDER)` reads the folder as it is. No cell is a list or an object: what has parts is JSON
text.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

from store.files import naming
from store.journal import Journal
from tasks.errors import UsageError
from tasks.exchange.episodes import LastAttempt, SeatCall, calls, played, prompt_of, reply_of, tested
from tasks.reports.as_csv import cell
from tasks.reports.model import plain
from tasks.run.engines import run_path
from tasks.run.exporting import whole_folder, write_lines
from tasks.run.header import HeaderData, header_of, is_fictional
from tasks.run.reading import read_episode
from tasks.run.rescoring import StoredRun, read_stored

ROWS_FILE, CARD_FILE = "episodes.jsonl", "README.md"
_WHOLE, _REAL = "int64", "float64"
SCHEMA = {
    "run": "string", "benchmark": "string", "task": "string", "group": "string", "cluster": "string", "epoch": _WHOLE,
    "episode": "string", "agent": "string", "model": "string", "outcome": "string", "reason": "string",
    "steps": _WHOLE, "calls": _WHOLE, "prompt_tokens": _WHOLE, "generated_tokens": _WHOLE, "tokens": _WHOLE,
    "seconds": _REAL, "compat": _REAL, "strict": _REAL, "flags": "string",
    "human_steps": "string", "question": "string", "gold": "string",
    "answer": "string", "summary": "string", "scores": "string", "fictional": "bool",
}  # fmt: skip
"""Column -> type; any may be null."""
COLUMNS = tuple(SCHEMA)[:21]
"""What `facts` says, and the table shows."""


def facts(header: HeaderData, one: LastAttempt) -> dict[str, object]:
    """What is said of an episode, by column; None where nothing is known."""
    state, measured = one.state, "imported" not in header
    agent, model = tested(header)
    return {
        "run": str(header["run"]), "benchmark": str(header["spec"]["benchmark"]), "task": one.row.task_id,
        "group": one.question.group, "cluster": one.question.cluster, "epoch": one.row.epoch, "episode": one.row.id,
        "agent": agent, "model": model, "outcome": one.outcome,
        "reason": state.stopped.reason if state.stopped else "", "steps": state.steps if measured else None,
        "calls": state.calls, "prompt_tokens": state.prompt_tokens, "generated_tokens": state.generated_tokens,
        "tokens": state.tokens, "seconds": round(state.milliseconds / 1000, 3) if measured else None,
        "compat": one.compat, "strict": one.strict, "flags": " ".join(sorted(one.result.flags)),
        "human_steps": one.people.text,
    }  # fmt: skip


def table_lines(name: str | Path) -> Iterator[str]:
    """The lines of the table, its head first."""
    run = read_stored(name)
    yield ",".join(COLUMNS)
    with Journal.open(run.path) as journal:
        for one in played(run, journal):
            yield _line([cell(value) for value in facts(run.header, one).values()])


def _line(values: list[object]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="").writerow(values)
    return stream.getvalue()


CARD = """\
---
configs:
- config_name: default
  data_files: {file}
dataset_info:
  features:
{features}
---
# {run}

{n} episodes of one run of Moot (模拟法庭评测台), a row an episode: `load_dataset` of this folder. \
{n} 个对局，每行一个。

- benchmark · 评测基准: {benchmark}
- agent · 智能体: {agent}
- model · 模型: {model}
- task file sha256 · 题目文件: {tasks}
- pack · 数据包: {pack}{fictional}

`compat` and `strict` sum an attempt up, from 0 to 1 (论文口径、严格口径); `scores` is JSON: \
scorer -> version and values.
`human_steps` says what a person did, as SEAT:STEP (由本人作答的席位和步): a mean of the model leaves out rows with \
`agent:` (计算模型的平均值时应排除).
`gold` is the reference answer: **do not train on it and then test on the same tasks** \
(参照答案在内：用它训练过的模型不能再用同一批题目评测).
Licence and origin are those of the tasks and of the pack. 许可与来源依题目和数据包。
"""


def export_rows(name: str | Path, out: Path) -> dict[str, int]:
    """Write the folder; returns file -> number of lines.

    Raises:
        StoreError: `out` is there already, or cannot be written.
        RecordMismatch, NotFound: the task file is not the one that was run, or is gone.
    """
    run = read_stored(name)
    with whole_folder(out) as folder:
        n = write_lines(folder / ROWS_FILE, row_lines(run))
        return {
            ROWS_FILE: n,
            CARD_FILE: write_lines(folder / CARD_FILE, _card(run.header, n).removesuffix("\n").split("\n")),
        }


def row_lines(run: StoredRun) -> Iterator[str]:
    """A line of JSON an episode."""
    with Journal.open(run.path) as journal:
        for one in played(run, journal):
            yield json.dumps(_row(run.header, one), ensure_ascii=False)


def _row(header: HeaderData, one: LastAttempt) -> dict[str, object]:
    scores = {name: {"version": row.version, "value": row.value} for name, row in one.scores.items()}
    return {
        **facts(header, one), "question": one.asked, "gold": one.gold, "answer": one.result.res,
        "summary": one.result.summary, "scores": json.dumps(scores, ensure_ascii=False),
        "fictional": is_fictional(header),
    }  # fmt: skip


def _card(header: HeaderData, n: int) -> str:
    spec, pack = header["spec"], header.get("pack", {})
    imported = (header.get("imported") or {}).get("file", "")
    told = {
        "run": header["run"], "benchmark": spec["benchmark"], "agent": spec["agent"],
        "model": spec["model"] or imported or "–", "tasks": header.get("tasks", {}).get("sha256", ""),
        "pack": f"{pack.get('name', '')} {pack.get('hash', '')}".strip() or "–",
    }  # fmt: skip
    features = "\n".join(f"  - name: {name}\n    dtype: {kind}" for name, kind in SCHEMA.items())
    return CARD.format(
        file=ROWS_FILE, features=features, n=n, fictional=" · 虚构数据 fictional" if is_fictional(header) else "",
        **{name: plain(str(value)) for name, value in told.items()},
    )  # fmt: skip


def export_seats(name: str | Path, out: Path) -> dict[str, int]:
    """Write the folder; returns file -> number of lines. The task file of the run is not needed.

    Raises:
        UsageError: nobody was asked in it.
        StoreError: `out` is there already, or cannot be written.
    """
    counts: dict[str, int] = {}
    with Journal.open(run_path(name)) as journal, whole_folder(out) as folder:
        header = header_of(journal)
        for row, attempts in journal.walk():
            about = {
                "run": header["run"], "benchmark": header["spec"]["benchmark"], "task": row.task_id,
                "epoch": row.epoch, "episode": row.id, "attempt": attempts[-1].number,
            }  # fmt: skip
            for call in calls(read_episode(journal, row.id)):
                file = re.sub(r"[^\w-]+", "_", call.event.seat)[:60] + ".jsonl"  # a run file may name a path here
                line = json.dumps({**about, **_told(journal, header, call)}, ensure_ascii=False)
                with naming(folder / file), (folder / file).open("a", encoding="utf-8", errors="replace") as stream:
                    stream.write(f"{line}\n")
                counts[file] = counts.get(file, 0) + 1
        if not counts:
            raise UsageError(
                f"run {header['run']} holds no calls of models", "`--to jsonl` holds everything it recorded."
            )
    return counts


def _told(journal: Journal, header: HeaderData, call: SeatCall) -> dict[str, object]:
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
