"""A small fictional pack and hand-made runs for tests and pictures of the desk. Everything in it is invented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from store import places
from store.builder import PackBuilder
from store.journal import SUFFIX, EpisodeRow, Journal, ScoreRow
from store.pack import Pack
from tasks.episode.events import (
    Answered,
    AttemptStarted,
    Event,
    Planned,
    Record,
    Seated,
    StepEnded,
    Stopped,
    Thought,
    ToolCalled,
    ToolReturned,
    entry_of,
)
from tasks.run.header import file_hash
from tasks.run.imported import Sources, read_run, save_run

COMPANY = "云溪县澄江水务有限公司"
COURT = "云溪县人民法院"
CASE = "（2023）云溪0101民初88号"
QUESTION = f"{COMPANY}作为被告、涉案金额最高的案件由哪个法院审理？该法院的负责人是谁？"
TASKS: tuple[dict[str, Any], ...] = (
    {
        "id": "k-1", "question": QUESTION, "answer": f"由{COURT}审理，负责人是陆知行。", "key": [COURT, "陆知行"],
        "key_middle": [CASE, "1284500.5"], "hops": 3,
        "path": [
            {"tool": "get_legal_document_company_list",
                "input": {"identifier": COMPANY, "columns": ["案号", "涉案金额（元）"]}},
            {"tool": "get_court_code", "input": {"identifier": "云溪0101", "columns": ["法院名称"]}},
            {"tool": "get_court_info", "input": {"identifier": COURT, "columns": ["法院负责人", "法院地址"]}},
        ],
    },
    {
        "id": "k-2", "question": f"{COURT}的联系电话是多少？", "answer": "联系电话是0000-1234567。",
        "key": ["0000-1234567"], "hops": 1,
        "path": [{"tool": "get_court_info", "input": {"identifier": COURT, "columns": ["法院联系电话"]}}],
    },
)  # fmt: skip


def build_pack(name: str = "small") -> Path:
    """A pack with one company, three cases, one court and two tasks."""
    builder = PackBuilder(
        name, jurisdiction="虚构法域", source="tests", licence="MIT", coverage="complete", as_of="2024-12-31"
    )
    with builder:
        for number, amount in ((88, 1284500.5), (12, 96000.0), (7, 3100.0)):
            builder.add_row(
                "LegalDoc",
                {
                    "关联公司": COMPANY,
                    "案号": f"（2023）云溪0101民初{number}号",
                    "原告": "季云",
                    "被告": COMPANY,
                    "涉案金额（元）": amount,
                },
                "authored",
            )
        builder.add_row("CourtCode", {"法院名称": COURT, "法院代字": "云溪0101", "行政级别": "区县"}, "authored")
        builder.add_row(
            "CourtInfo",
            {
                "法院名称": COURT,
                "法院负责人": "陆知行",
                "法院地址": "云溪县明理路1号",
                "法院联系电话": "0000-1234567",
            },
            "authored",
        )
        builder.add_tasks("legalagentbench", [json.dumps(task, ensure_ascii=False) for task in TASKS])
    return places.packs() / name


def records() -> list[Record]:
    """An episode of the rules agent on the first task: three calls, one of them without data, and the answer."""
    rows = [
        {"案号": f"（2023）云溪0101民初{n}号", "涉案金额（元）": a}
        for n, a in ((88, 1284500.5), (12, 96000.0), (7, 3100.0))
    ]
    court = {"法院负责人": "陆知行", "法院地址": "云溪县明理路1号", "法院官网": "〔未收录〕"}
    seat = {"seat": "agent"}
    steps: list[list[Event]] = [
        [
            AttemptStarted(benchmark="legalagentbench", task_id="k-1", attempt=1, seed=0,
                card={"id": "k-1", "question": QUESTION}),
            Seated(**seat, policy="rules/1"),
        ],
        [
            Planned(
                **seat,
                steps=(f"起点：{COMPANY}", "查案件，取涉案金额最高者", "由案号代字查法院", "查法院信息"),
                tools=("", "get_legal_document_company_list", "get_court_code", "get_court_info"),
            ),
            Thought(**seat, text=f"用get_legal_document_company_list查“{COMPANY}”的裁判文书。"),
            ToolCalled(**seat, tool="get_legal_document_company_list",
                input={"identifier": COMPANY, "columns": ["案号", "涉案金额（元）"]}),
            ToolReturned(
                **seat, tool="get_legal_document_company_list", status="ok", observation=str(rows), value=rows,
                provenance=("authored",), milliseconds=0.42,
            ),
        ],
        [
            Thought(**seat, text=f"案号{CASE}的法院代字是“云溪0101”。"),
            ToolCalled(**seat, tool="get_court_code", input={"identifier": "云溪0101", "columns": ["法院名称"]}),
            ToolReturned(
                **seat, tool="get_court_code", status="ok", observation=str({"法院名称": COURT}),
                value={"法院名称": COURT},
                provenance=("authored",), milliseconds=0.18,
            ),
        ],
        [
            Thought(**seat, text=f"查“{COURT}”的法院负责人。"),
            ToolCalled(**seat, tool="get_court_info",
                input={"identifier": COURT, "columns": ["法院负责人", "法院地址", "法院官网"]}),
            ToolReturned(
                **seat, tool="get_court_info", status="ok", observation=str(court), value=court, unknown=1,
                provenance=("authored",), milliseconds=0.2,
            ),
        ],
        [
            Thought(**seat, text="所需信息已查完，整理答案。"),
            Answered(**seat, res=f"由{COURT}审理，负责人是陆知行。",
                summary=f"由{COURT}审理，负责人是陆知行。\n经过：{CASE}涉案金额1284500.5元，为最高。"),
            Stopped(outcome="finished", reason="answered"),
        ],
    ]  # fmt: skip
    found: list[Record] = []
    for step, events in enumerate(steps):
        parent: int | None = None
        for event in [*events, StepEnded(milliseconds=1.0)] if step else events:
            found.append(
                Record(len(found), step, parent if isinstance(event, ToolReturned) else None, 1700000000.0, event)
            )
            parent = len(found) - 1 if isinstance(event, ToolCalled) else parent
    return found


def header(
    run: str,
    pack: Path,
    agent: str = "rules",
    *,
    benchmark: str = "legalagentbench",
    created: str = "2026-03-01T08:30:00+00:00",
) -> dict[str, Any]:
    """A header as the runner writes it, with a fixed moment."""
    with Pack.open(pack) as opened:
        tasks = opened.task_file(benchmark)
        return {
            "format": 1, "run": run, "created": created,
            "spec": {"benchmark": benchmark, "agent": agent, "pack": str(pack)},
            "tasks": {"file": f"{benchmark}.jsonl", "sha256": file_hash(tasks) if tasks else "0" * 64},
            "pack": {
                "name": opened.name, "hash": opened.hash, "path": str(pack), "provenance": sorted(opened.provenance),
                "jurisdiction": "虚构法域",
            },
            "prompts": {}, "engines": {}, "limits": {"turns": None, "tokens": None, "seconds": None}, "versions": {},
            "command": [],
        }  # fmt: skip


def write_run(
    pack: Path, run: str = "20260301-083000-legalagentbench-rules-0001", *, upto: int | None = None
) -> Path:
    """A stored run with the hand-made episode (all of it, or up to a step) and its scores."""
    path = places.runs() / f"{run}{SUFFIX}"
    kept = [record for record in records() if upto is None or record.step <= upto]
    with Journal.create(path, header(run, pack), [EpisodeRow("k-1", 0, "k-1")]) as journal:
        (attempt,) = journal.attempts("k-1")
        journal.append([entry_of(attempt.id, record) for record in kept])
        if upto is None:
            for scorer in ("compat", "strict"):
                journal.add_scores(
                    [ScoreRow(attempt.id, scorer, f"{scorer}/1", {}, {"success": 1.0, "process": 1.0}, [], "moot")]
                )
    return path


def law_tasks(folder: Path, kinds: str) -> tuple[Path, Path]:
    """Task file and predictions: the first task of each kind is answered wrong, every other one right."""
    folder.mkdir(exist_ok=True)
    rows = [
        {"id": f"{kind}-{n}", "type": kind, "question": "哪一项？\nA: 甲\nB: 乙", "answer": "A"}
        for kind in kinds.split()
        for n in (1, 2)
    ]
    replies = [
        {
            "data_source": row["type"],
            "index": row["id"],
            "response": "B" if row["id"].endswith("1") else row["answer"],
        }
        for row in rows
    ]
    files = folder / "tasks.jsonl", folder / "replies.jsonl"
    for file, lines in zip(files, (rows, replies), strict=True):
        file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return files


def imported_law_run(folder: Path, kinds: str) -> Path:
    """A run of LegalSearch made of predictions, without a pack."""
    sources = Sources("legalsearch", *law_tasks(folder, kinds))
    return save_run(sources, read_run(sources))
