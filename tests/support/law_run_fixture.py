"""Runs of LegalSearch in a small world: the laws of lamps and kites, and a task of every kind about them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.statute_fixture import LAMPS, TEXTS, build

OPTIONS = "\nA: 五米\nB: 六米\nC: 十二米\nD: 二十米"
TASKS: tuple[tuple[str, str, str], ...] = (
    ("lar", f"请背诵《{LAMPS}》第三条在1995年3月的内容。", TEXTS[2]),
    ("lcs", "2005年5月，路灯坏了多久应当修好？", "回答:三日内。法律依据:《路灯法》第六条"),
    ("kqa", f"1995年，路灯的高度不得低于多少？{OPTIONS}", "A"),
    ("lap", "2005年3月，张某在路灯上悬挂广告，应适用哪一条？\nA: 第3条\nB: 第4条\nC: 第4条之一\nD: 第5条", "C"),
    ("ccp", "2005年，李某秘密窃取他人财物，构成何罪？", "盗窃"),
    ("ptp", "2005年，李某犯盗窃罪，依刑法第264条，刑期几个月？", "12个月"),
    ("lca", f"2015年，路灯的高度不得低于多少？{OPTIONS}", "B"),
    *(
        (kind, f"在2015年的时间背景下，路灯不得高于多少？{OPTIONS}", "C")
        for kind in ("cpa", "pae", "nje", "ungee", "lbk", "pfe")
    ),
)
"""(kind, question, answer), one of each of the 13 tasks."""

LEAN_CALL = json.dumps({"think": "查", "action": "rag_retrieve", "query": "路灯的高度"}, ensure_ascii=False)
CALL = '<think>查</think>\n<tool_call>{"name": "rag_retrieve", "arguments": {"query": ["路灯的高度"]}}</tool_call>'
"""A call of every round for ever: as an object, and tagged."""
END = "<think>够了</think>\n<answer>A</answer>"


def prepare_law(folder: Path, tasks: int = len(TASKS)) -> dict[str, Any]:
    """Pack and task file, and the settings of a run on them; MOOT_HOME is `folder`."""
    build("lamps")
    lines = [
        {"id": str(n), "type": kind, "question": question, "answer": answer}
        for n, (kind, question, answer) in ((n, TASKS[(n - 1) % len(TASKS)]) for n in range(1, tasks + 1))
    ]
    path = folder / "law.jsonl"
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return {
        "benchmark": "legalsearch", "agent": "search", "model": "", "pack": "lamps", "tasks": str(path), "seed": 5,
        "parallel": 2, "max_turns": None,
    }  # fmt: skip
