"""The readers of what models and people write, in a process of its own where their work is counted: one line of JSON
for each.

`python -m tests.support.growth_readers NAME` prints the places whose work grows faster than the text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.support.growth import faults, meter

Reader = Callable[[str], object]


@contextmanager
def questions() -> Iterator[Reader]:
    """Questions about laws."""
    from store.pack import Pack
    from store.search.query import analyse
    from store.statutes.book import StatuteBook
    from tests.support.statute_fixture import build

    with Pack.open(build()) as pack:
        book = StatuteBook(pack)
        yield lambda text: analyse(text, book)


@contextmanager
def hearings() -> Iterator[Reader]:
    """What is said in court."""
    from tasks.courts.procedure.machine import follow
    from tasks.courts.procedure.turns import Turn
    from tests.support.court_turns import HEARINGS, PLAINTIFF

    yield lambda text: follow(
        [Turn(1, "judge", PLAINTIFF, text), Turn(1, "plaintiff_lawyer", ("judge",), text)], HEARINGS["civil"]
    )


@contextmanager
def judgments() -> Iterator[Reader]:
    """Judgments to be scored."""
    from tasks.courts.scores import judgment
    from tests.courts.test_courts_judgment import lending, theft

    cases = (theft(), lending())
    yield lambda text: [judgment.score(case, [f"本院认为{text}判决如下：{text}"]) for case in cases]


@contextmanager
def replies() -> Iterator[Reader]:
    """Tagged replies of models."""
    from tasks.legalsearch.agents.reading import defused, read_freely, read_strictly, steps_of

    yield lambda text: (read_freely(text), read_strictly(text, first=True), defused(text), steps_of(text))


@contextmanager
def lines() -> Iterator[Reader]:
    """Text on the screen, broken into lines."""
    from app.wrapping import wrap

    yield lambda text: wrap(text, 40)


READERS = {
    "questions": (questions, ["2015年3月5日", "第一百", "《", "路灯法第三条、", "一", "去年", "第三、"]),
    "hearings": (
        hearings,
        ["请原告出示证据，被告质证", "《证据一、", "（（（（", "\n", "证据一、二，", "是否申请回避", "原告：",
            "判决如下。"],
    ),
    "judgments": (
        judgments,
        [*"犯 1 一 1, 5元 第一、 第一条、 罚金一 撤销 本院认为判决如下一、 （缓刑 驳回, 无 x 《 《a》".split(), " ",
            "\n"],
    ),
    "replies": (
        replies,
        ["<think>", "</think>", "<plan><think>", "<", "< ", "＜", "<tool_call>{", '{"a":', "[", "1. ",
            "<answer>x</answer>",
         "<think>a</plan>"],
    ),
    "lines": (lines, ["=", "…", "，", "（", "[red]", "中", "a ", "\u0301", "e\u200d", "。）"]),
}  # fmt: skip
SIZES = {"questions": 4000, "hearings": 800, "judgments": 1500, "replies": 2000, "lines": 2000}
"""Small, because places are counted one by one; of questions only the first dates and articles are looked at,
of sums in a judgment only what is near."""

if __name__ == "__main__":
    meter("store", "tasks", "app")
    made, units = READERS[sys.argv[1]]
    with made() as read:
        json.dump(
            [fault for unit in units for fault in faults(read, unit, SIZES[sys.argv[1]])],
            sys.stdout,
            ensure_ascii=False,
        )
