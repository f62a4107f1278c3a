"""How a side offers its exhibits: one at a time with name, source, purpose and content, all that are left where that
is asked.

刑诉法解释第二百六十八条: contested exhibits alone, others in groups; 第三百六十五条: name and purpose are enough for what nobody
contests in a 简易程序.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from store.text.numerals import int_to_chinese
from tasks.courts.agents.criminal.asking import Floor
from tasks.courts.agents.criminal.objections import plain_title, showings

_GROUP = re.compile(r"分组|一并|全部|所有|其余|剩余|合并|一次性|概括|综合|打包|集中")
_TELLING = re.compile(r"陈述|证言|供述|鉴定意见|笔录|录像|录音")
"""Titles that say the kind of an exhibit themselves."""
_BRIEF = re.compile(r"仅就|只就|名称和|名称及|简要|摘要")


def names(numbers: Iterable[int]) -> str:
    """证据一, 证据二: the numbers alone, 一、证据二."""
    return "、证据".join(int_to_chinese(number) for number in numbers)


def exhibit_numbers(floor: Floor) -> frozenset[int]:
    """Places of the own exhibits that were offered, by number or by title."""
    offers = [offer for _, listed in showings(floor.view.record, floor.view.role) for offer in listed]
    titles = {plain_title(item["title"]): number for number, item in enumerate(floor.own_exhibits, 1)}
    return frozenset(titles[plain_title(offer.title)] for offer in offers if plain_title(offer.title) in titles)


def left_to_show(floor: Floor) -> list[tuple[int, Mapping[str, Any]]]:
    """The own exhibits that were not offered yet, with their places."""
    done = exhibit_numbers(floor)
    return [(number, item) for number, item in enumerate(floor.own_exhibits, 1) if number not in done]


def offered(floor: Floor, left: Sequence[tuple[int, Mapping[str, Any]]]) -> str:
    """The next exhibit, or all that are left where the judge lets them be offered together."""
    if not _GROUP.search(floor.text) and not _BRIEF.search(floor.text):
        first = "show" if left[0][0] == 1 else "show_more"
        said = (floor.say(first) or floor.say("show")) + _exhibit(floor, *left[0], brief=False)
        return said if len(left) > 1 else said + floor.say("done")
    brief = bool(_BRIEF.search(floor.text))
    listed = "\n".join(_exhibit(floor, number, item, brief) for number, item in left)
    return f"{floor.say('show_all')}\n{listed}\n{floor.say('done')}"


def _exhibit(floor: Floor, number: int, item: Mapping[str, Any], brief: bool) -> str:
    kind = f"属于{item['kind']}，" if item.get("kind") and not _TELLING.search(item["title"]) else ""
    purpose = str(item.get("purpose", "")).removeprefix("证明").rstrip("。")
    source = item.get("source", "")
    said = floor.say(
        "exhibit" if source else "exhibit_short", n=names([number]), title=_comma(item["title"]), kind=kind, source=source,
        purpose=purpose or "起诉书指控的事实",
    )  # fmt: skip
    witness = item.get("witness", {})
    if witness.get("name") and witness.get("relation") and not brief:
        said += floor.say("witness", name=witness["name"], relation=witness["relation"]) or ""
    if item.get("excerpt") not in (None, "", item["title"]) and not brief:
        said += floor.say("excerpt", excerpt=ended(item["excerpt"]))
    return said


def ended(text: str) -> str:
    """A text with a full stop, where it has none of its own before a quotation mark."""
    return text if text[-1:] in "。！？" or text[-2:] in ("。”", "！”", "？”") else f"{text}。"


def _comma(title: str) -> str:
    """A title is named up to its first comma: what follows it begins with one."""
    return title.replace("，", "、")
