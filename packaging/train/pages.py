"""Writes the figures of docs/tiny-model.json into the two pages about the model, between their marks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

CELLS = {
    "known wordings": "新法域，训练过的措辞",
    "held-out wordings": "新法域，留出的措辞",
    "held-out paths": "新法域，留出的路径",
    "single rows, known wordings": "新法域，训练过的措辞，只取单行",
    "lists and counts, known wordings": "新法域，列名单与计数",
    "entities that do not exist": "不存在的对象（应答“未查到”）",
    "shipped pack, known wordings": "随附数据包，训练过的措辞",
    "shipped pack, wordings of the constructor": "随附数据包，构造器的措辞",
    "shipped pack, held-out wordings": "随附数据包，留出的措辞",
    "tasks that come with the pack": "随附数据包自带的题目",
    "real questions": "真实题目",
}
AGENTS = {"rules": "规则", "echo": "复述", "gold": "参照"}
HOPS = ("1-hop", "2-hop", "3-hop", "all")
MOST = 12
"""Rows of the curve in the table."""
HEADS = {
    "md": ("题目 | 谁做 | 1 跳 | 2 跳 | 3 跳 | 全部 | 全部的 95% 区间 | 每格 n",
        "处理器分钟 | 步 | 损失 | 训练过的措辞，1 / 2 / 3 跳 | 留出的措辞，1 / 2 / 3 跳"),
    "en.md": ("tasks | agent | 1 hop | 2 hops | 3 hops | all | 95 % of all | n a cell",
        "CPU minutes | steps | loss | known wordings, 1 / 2 / 3 hops | held-out wordings, 1 / 2 / 3 hops"),
}  # fmt: skip


def _table(head: str, lines: list[str]) -> str:
    return "\n".join([f"| {head} |", "|---" * (head.count("|") + 1) + "|", *(f"| {line} |" for line in lines)])


def success(rows: list[dict[str, Any]], page: str) -> str:
    """Cells by hops."""
    lines = []
    for cell, agent in dict.fromkeys((row["cell"], row["agent"]) for row in rows):
        by = {row["group"]: row for row in rows if (row["cell"], row["agent"]) == (cell, agent)}
        shares = " | ".join(f"{by[group]['success']:.2f}" if group in by else "–" for group in HOPS)
        low, high = by["all"]["interval"]
        n = " / ".join(str(by[group]["n"]) for group in HOPS[:3] if group in by)
        named = (CELLS[cell], AGENTS.get(agent, agent)) if page == "md" else (cell, agent)
        lines.append(f"{named[0]} | {named[1]} | {shares} | {low:.2f}–{high:.2f} | {n}")
    return _table(HEADS[page][0], lines)


def learned(points: list[dict[str, Any]], page: str) -> str:
    """The learning curve."""
    lines = []
    measured = [point for point in points if "success" in point]
    for point in [*measured[: -1 : -(-len(measured) // MOST)], measured[-1]]:
        sides = (
            " / ".join(f"{point['success'][f'{cell} {hops}']:.2f}" for hops in (1, 2, 3))
            for cell in ("known", "held wordings")
        )
        lines.append(f"{point['cpu'] / 60:.1f} | {point['step']:.0f} | {point['loss']:.3f} | {' | '.join(sides)}")
    return _table(HEADS[page][1], lines)


def write(figures: Path) -> None:
    """Put both tables into both pages."""
    data = json.loads(figures.read_text(encoding="utf-8"))
    for page in HEADS:
        path = figures.with_suffix(f".{page}")
        text = path.read_text(encoding="utf-8")
        for mark, made in (("success", success(data["table"], page)), ("curve", learned(data["curve"], page))):
            text = re.sub(
                rf"(<!-- {mark} -->\n).*?(\n<!-- end -->)", lambda m, made=made: m[1] + made + m[2], text, flags=re.S
            )
        path.write_text(text, encoding="utf-8")
