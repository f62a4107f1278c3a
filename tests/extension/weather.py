"""A tool from elsewhere: what a function with typed arguments takes."""

from __future__ import annotations

import moot


@moot.tool
def weather(pack: moot.Pack, city: str, days: int) -> dict[str, object]:
    """查询城市未来几天的天气（虚构）。"""
    return {"城市": city, "天气": ["晴"] * days, "数据包": pack.name}
