"""Loops in a reply: found at its end, whatever its span, and no refrain, rule or blank is one."""

from __future__ import annotations

import pytest

from models.repetition import LONGEST_SPAN, loops

CLAUSE = "公司违法约定了过长的试用期，可以要求赔偿的依据是《中华人民共和国劳动合同法》的规定，"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("依据如下：" + CLAUSE * 4, True),
        ("依据如下：" + CLAUSE * 3, False),
        ("依据如下：" + CLAUSE * 4 + "此外没有了。", False),
        ("好" * 200, True),
        ("好" * 100, False),
        ("谢谢。" * 60, True),
        ("1234567890" * (LONGEST_SPAN // 10) + "甲", False),
        ("姓名：" + "＿" * 500, False),
        ("-" * 500, False),
        ("", False),
    ],
)
def test_a_loop_is_told_from_what_only_repeats(text: str, found: bool) -> None:
    assert loops(text) is found
