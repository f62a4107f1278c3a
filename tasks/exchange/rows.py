"""A run as a data set: JSON lines with one flat schema, a row an episode, and a card that fixes the types of columns.

`datasets.load_dataset(FOLDER)` reads the folder as it is. No cell is a list or an object: what has parts is JSON
text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from store.journal import Journal
from tasks.exchange.episodes import Played, played
from tasks.exchange.table import facts
from tasks.reports.model import plain
from tasks.run.exporting import whole_folder, write_lines
from tasks.run.header import HeaderData, is_fictional
from tasks.run.rescoring import StoredRun, read_stored

ROWS_FILE, CARD_FILE = "episodes.jsonl", "README.md"
_WHOLE, _REAL = "int64", "float64"
SCHEMA = {
    "run": "string", "benchmark": "string", "task": "string", "group": "string", "cluster": "string", "epoch": _WHOLE,
    "episode": "string", "agent": "string", "model": "string", "outcome": "string", "reason": "string",
    "steps": _WHOLE, "calls": _WHOLE, "prompt_tokens": _WHOLE, "generated_tokens": _WHOLE, "tokens": _WHOLE,
    "seconds": _REAL, "compat": _REAL, "strict": _REAL, "flags": "string", "question": "string", "gold": "string",
    "answer": "string", "summary": "string", "scores": "string", "fictional": "bool",
}  # fmt: skip
"""Column -> type; any may be null."""
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


def _row(header: HeaderData, one: Played) -> dict[str, object]:
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
