"""Nothing that a model, a corpus or a file name holds may act on the terminal."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.terminal import COMBINING_LIMIT, clean, json_text, pad, truncate, width

PIECES = [
    "\x1b", "\x1b[", "\x1b[31m", "\x1b]", "\x1b]0;标题\x07", "\x1b]52;c;QUJD\x1b\\", "\x1bP", "\x1b_x\x9c", "\x9b",
    "\x9d",
    "\x9c", "\x07", "\x08", "\r", "\n", "\r\n", "\t", "\x85", "\x7f", "\x00", "\u2028", "\u202e", "\u2066", "\u200b",
    "\u200d",
    "\ufe0f", "\U000e0100", "\ufeff", "\U000e0041", "\ue000", "\ud800", "\udc80", "\u0301", "\u20dd", "\u302a", "◌",
    "⍰",
    "👨", "⚖", "法", "[/red]", "0", ";", "m", " ", "A",
]  # fmt: skip
HOSTILE = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40).map("".join)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("判决\x1b[31m红\x1b[0m", "判决␛红␛"),
        ("\x1b]0;新标题\x07名", "␛名"),
        ("\x1b]52;c;ZWNobyBldmls\x1b\\名", "␛名"),
        ("\x1b]8;;http://x.invalid\x1b\\链接\x1b]8;;\x1b\\", "␛链接␛"),
        ("\x9d52;c;QQ==\x9c名", "␛名"),
        ("\x9b2J名", "␛名"),
        ("\x1bP1$r\x1b\\\x1b_a\x1b\\\x1b^b\x1b\\\x1bXc\x1b\\名", "␛␛␛␛名"),
        ("\x1bc名", "␛名"),
        ("\x1b(0名", "␛名"),
        ("\x1b]0;没有结尾", "␛0;没有结尾"),
        ("\x1b[12;名", "␛名"),
        ("名\x1b", "名␛"),
        ("a\x07b\x08c\x00d\x7f", "a␇b␈c␀d␡"),
        ("真话\r假话", "真话\n假话"),
        ("一\r\n二\u2028三\u2029四\x0b五\x0c六\x85七", "一\n二\n三\n四\n五\n六\n七"),
        ("a\tb", "a    b"),
        ("原告\u202e告被\u202c", "原告⍰告被⍰"),
        ("\u2066甲\u2069", "⍰甲⍰"),
        ("民\u200b法\ufeff典\u00ad", "民⍰法⍰典⍰"),
        ("暗" + "\u200b" * 900, "暗⍰"),
        ("甲\U000e0041\U000e0042乙", "甲⍰乙"),
        ("\ufff9字\ufffa注\ufffb", "⍰字⍰注⍰"),
        ("\ud800\udfff\ue123\ufdd0\U0010ffff", "⍰"),
        ("⚖\ufe0f 👨\u200d⚖\ufe0f", "⚖ 👨⚖"),
        ("葛\U000e0100城", "葛城"),
        ("a\ufe00\ufe01\ufe02b", "a⍰b"),
        ("a\u200db", "a⍰b"),
        ("e" + "\u0301" * 5000 + "x", "e" + "\u0301" * COMBINING_LIMIT + "⍰x"),
        ("\u0301行\n\u0301", "◌\u0301行\n◌\u0301"),
        ("[/red][@click=app.quit]", "[/red][@click=app.quit]"),
        ("(2023)京01民终1号，《民法典》第675条。“甲”—乙", "(2023)京01民终1号，《民法典》第675条。“甲”—乙"),
        ("", ""),
    ],
)
def test_what_is_shown(raw: str, shown: str) -> None:
    assert clean(raw) == shown


def test_one_line_stays_one_line() -> None:
    assert clean("甲\r\n乙\n丙\u2028丁\t戊", multiline=False) == "甲⏎乙⏎丙⏎丁 戊"


@given(HOSTILE, st.booleans())
def test_only_printable_text_comes_out_and_stays_as_it_is(text: str, multiline: bool) -> None:
    once = clean(text, multiline)
    assert clean(once, multiline) == once
    for character in once:
        assert (character == "\n" and multiline) or unicodedata.category(character) not in (
            "Cc",
            "Cf",
            "Cs",
            "Co",
            "Zl",
            "Zp",
        )
    run = 0
    for character in once:
        run = run + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        assert run <= COMBINING_LIMIT


@given(HOSTILE, st.sampled_from([None, 2]))
def test_json_is_safe_and_loses_nothing(text: str, indent: int | None) -> None:
    printed = json_text({"名": [text]}, indent)
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert json.loads(printed) == {"名": [joined]}
    assert clean(printed) == printed
    assert "名" in printed
    assert json_text("\x7f\x9b法\u202e") == '"\\u007f\\u009b法\\u202e"'
    assert json_text("\x7f") == '"\\u007f"'


@given(st.text(alphabet="ab，法《》👨e\u0301", max_size=30), st.integers(0, 20))
def test_cells(text: str, cells: int) -> None:
    assert width(truncate(text, cells)) <= cells
    assert width(pad(text, cells)) == width(pad(text, cells, "right")) == cells
    if width(text) <= cells:
        assert truncate(text, cells) == text


def test_columns_of_chinese_line_up() -> None:
    assert pad("原告", 6) == "原告  "
    assert pad("原告", 6, "right") == "  原告"
    assert truncate("委托诉讼代理人", 7) == "委托诉…"
    assert truncate("委托诉讼代理人", 6) == "委托…"
