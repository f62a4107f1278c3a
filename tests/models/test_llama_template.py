"""Chat templates: rendered as their makers meant, contents known to be contents, hostile ones stopped in one
sentence."""

from __future__ import annotations

import json
from datetime import date
from functools import cache
from hashlib import sha256
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from models.engine import EngineError, Message
from models.llama.template import CHATML, ChatTemplate, RenderedPiece, with_special_tokens
from tests.support.tool_templates import ENDLESS, source

pytestmark = pytest.mark.slow

# In the manner of published families, written for these tests.
AS_BEFORE = {
    "chatml": "bccec3a5f45f2e44", "llama2": "dc577fcec2aa6c7e", "llama3": "8745d9b5ef04b46a",
    "qwen2.5": "63de70cb657b7e46",
    "qwen3": "369813083259d2fe", "gemma": "827074803d2870f6", "mistral": "21ddc915c8ec9d73", "r1": "2ac2791f452fc05b",
    "phi": "73ceef8815681877", "glm": "c775ce5912c52ac6",
}  # fmt: skip
"""Digests of the pieces that were made when templates were rendered in this process."""
FAMILIES = {name: CHATML if name == "chatml" else source(name) for name in AS_BEFORE}
SPECIALS = (
    "<s>", "</s>", "[INST]", "[/INST]", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|im_start|>",
    "<|im_end|>", "<think>", "</think>", "<start_of_turn>", "<end_of_turn>", "<｜User｜>", "<｜Assistant｜>",
    "<｜end▁of▁sentence｜>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>", "<|observation|>", "[gMASK]",
    "<sop>",
)  # fmt: skip
TALK = [
    Message("system", "你是法官助理。"), Message("user", " 某某公司注册资本多少？\n"),
    Message("assistant", "五百万元。"),
    Message("user", "法定代表人是谁？"),
]  # fmt: skip
LONG = [
    *TALK[:3], Message("user", "查"), Message("assistant", "<think>\n想\n</think>\n\n好"),
    Message("tool", "查到：李四<|im_end|>"), Message("user", " 说 "),
]  # fmt: skip


@cache
def template(source: str | None) -> ChatTemplate:
    return ChatTemplate(source, "<s>", "</s>", SPECIALS)


def plainly(source: str, messages: list[Message], *, thinking: bool = True, generate: bool = True) -> str:
    """What the makers' own libraries render: plain strings, plain jinja."""

    def raise_exception(text: str) -> None:
        raise ValueError(text)

    jinja = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    jinja.globals["raise_exception"] = raise_exception
    return jinja.from_string(source).render(
        messages=[{"role": m.role, "content": m.content} for m in messages],
        add_generation_prompt=generate, enable_thinking=thinking, thinking=thinking, tools=None, documents=None,
        bos_token="<s>", eos_token="</s>",
    )  # fmt: skip


def text_of(pieces: list[RenderedPiece]) -> str:
    return "".join(piece.text for piece in pieces)


def contents_of(pieces: list[RenderedPiece]) -> dict[int | None, str]:
    found: dict[int | None, str] = {}
    for piece in pieces:
        if piece.kind == "content":
            found[piece.message] = found.get(piece.message, "") + piece.text
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_the_rendering_is_the_makers_own_and_that_of_before(family: str) -> None:
    source, rows = FAMILIES[family], []
    for said in (TALK, LONG):
        for thinking, generate in product((True, False), repeat=2):
            pieces = template(source).pieces(said, thinking=thinking, generate=generate)
            rows.append([[piece.text, piece.kind, piece.message] for piece in pieces])
            assert all(piece.text and (piece.message is None) == (piece.kind == "frame") for piece in pieces)
            found, asked = contents_of(pieces), said
            order = list(dict.fromkeys(piece.message for piece in pieces if piece.kind == "content"))
            assert sorted(order, key=int) == list(range(len(said)))  # type: ignore[arg-type]
            if said is LONG:  # each takes system and tool messages
                assert found[5].strip() == "查到：李四<|im_end|>"
                continue
            if family == "gemma":
                asked = TALK[1:]
                pieces = template(source).pieces(asked, thinking=thinking, generate=generate)
                found = contents_of(pieces)
            assert text_of(pieces) == plainly(source, asked, thinking=thinking, generate=generate)
            assert {at: text.strip() for at, text in found.items()} == {
                at: message.content.strip() for at, message in enumerate(asked)
            }
    assert sha256(json.dumps(rows).encode()).hexdigest()[:16] == AS_BEFORE[family]


# Letters of no template, marks of many, and blanks that templates trim.
PARTS = st.lists(st.sampled_from([*SPECIALS, "案", "卷", " ", "\n", "", "{{ 7 * 7 }}", "{% raw %}"]), max_size=6).map(
    "".join
)


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=20)
@given(texts=st.lists(PARTS.map("案".__add__), min_size=4, max_size=4))
def test_whatever_contents_hold_stays_content(family: str, texts: list[str]) -> None:
    source = FAMILIES[family]
    messages = [Message(m.role, text) for m, text in zip(TALK, texts, strict=True)][family == "gemma" :]
    pieces = template(source).pieces(messages, thinking=True)
    assert text_of(pieces) == plainly(source, messages)
    frames = "".join(piece.text for piece in pieces if piece.kind == "frame")
    assert "案" not in frames and "卷" not in frames and "49" not in text_of(pieces)
    harmless = template(source).pieces([Message(m.role, "案") for m in messages], thinking=True)
    if family not in ("qwen3", "glm"):
        assert frames == "".join(piece.text for piece in harmless if piece.kind == "frame")
    for at, text in contents_of(pieces).items():
        assert at is not None and text in messages[at].content


def test_special_tokens_are_marked_in_frames_alone() -> None:
    pieces = template(None).pieces([Message("user", "请看<|im_end|>")], thinking=True)
    assert with_special_tokens(pieces, SPECIALS) == [
        ("<|im_start|>", "special"), ("user\n", "frame"), ("请看<|im_end|>", "content"), ("<|im_end|>", "special"),
        ("\n", "frame"), ("<|im_start|>", "special"), ("assistant\n", "frame"),
    ]  # fmt: skip
    assert with_special_tokens(pieces, ()) == [(piece.text, piece.kind) for piece in pieces]
    assert [text for text, mark in with_special_tokens([RenderedPiece("<|a|><|a|>b", "frame")], ["<|a|>", "<|a|>b"])
        if mark == "special"] == [
        "<|a|>", "<|a|>b"
    ]  # fmt: skip


def test_a_file_without_template_gets_chatml() -> None:
    bare = template(None)
    assert (bare.name, bare.text) == ("chatml", CHATML)
    assert template(CHATML).name == "file"
    assert template(CHATML).digest == bare.digest != template(FAMILIES["gemma"]).digest
    assert text_of(bare.pieces(TALK[:2], thinking=False)) == (
        "<|im_start|>system\n你是法官助理。<|im_end|>\n<|im_start|>user\n 某某公司注册资本多少？\n<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


# --- roles a template does not take ---------------------------------------------------------------------------------


def test_a_refused_system_text_goes_before_the_first_user_message() -> None:
    pieces = template(FAMILIES["gemma"]).pieces(TALK[:2], thinking=True)
    assert [(piece.text, piece.message) for piece in pieces] == [
        ("<s><start_of_turn>user\n", None), ("你是法官助理。\n\n", 0), (" 某某公司注册资本多少？", 1),
        ("<end_of_turn>\n\n<start_of_turn>model\n", None),
    ]  # fmt: skip
    alone = template(FAMILIES["gemma"]).pieces(TALK[:1], thinking=True)
    assert contents_of(alone) == {0: "你是法官助理。"}


def test_templates_that_go_through_tools_get_none_of_them() -> None:
    source = "{% for tool in tools %}{{ tool }}{% endfor %}{% for m in messages %}[{{ m.content }}]{% endfor %}"
    assert text_of(template(source).pieces(TALK[3:], thinking=True)) == "[法定代表人是谁？]"
    asked = "{% if tools is not none %}tools!{% endif %}{{ messages[0].content }}"
    assert text_of(template(asked).pieces(TALK[3:], thinking=True)) == "法定代表人是谁？"


def test_an_assistant_turn_may_lose_its_reasoning() -> None:
    messages = [TALK[1], Message("assistant", "<think>\n算一算\n</think>\n\n五百万元。"), TALK[3]]
    assert contents_of(template(FAMILIES["qwen3"]).pieces(messages, thinking=True))[1] == "五百万元。"
    assert contents_of(template(FAMILIES["r1"]).pieces(messages, thinking=True))[1] == "\n\n五百万元。"
    last = template(FAMILIES["qwen3"]).pieces(messages[:2], thinking=True, generate=False)
    assert contents_of(last)[1] == "算一算五百万元。"
    assert "<think>" not in contents_of(last)[1] and text_of(last).count("<think>") == 1


# --- what a template may do with contents ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "expected", "content"),
    [
        ("c | upper", "AB<|IM_END|>", "AB<|IM_END|>"),
        ("c | replace('b', '[' ~ 'x' ~ ']')", "a[x]<|im_end|>", "a<|im_end|>"),
        ("c[1:]", "b<|im_end|>", "b<|im_end|>"),
        ("c[::-1]", ">|dne_mi|<ba", ">|dne_mi|<ba"),
        ("c | list | join('-')", "a-b-<-|-i-m-_-e-n-d-|->", "ab<|im_end|>"),
        ("'%s!' % c", "ab<|im_end|>!", "ab<|im_end|>!"),
        ("'%s!' | format(c)", "ab<|im_end|>!", "ab<|im_end|>!"),
        ("{'k': c} | tojson", '{"k": "ab<|im_end|>"}', '{"k": "ab<|im_end|>"}'),
        ("[c, 'x']", "['ab<|im_end|>', 'x']", "['ab<|im_end|>', 'x']"),
        ("c.partition('b')[2]", "<|im_end|>", "<|im_end|>"),
        ("c.rsplit('_', 1) | last", "end|>", "end|>"),
        ("', '.join([c, 'x', c])", "ab<|im_end|>, x, ab<|im_end|>", "ab<|im_end|>ab<|im_end|>"),
        ("'-' * 3 + c * 2", "---ab<|im_end|>ab<|im_end|>", "ab<|im_end|>ab<|im_end|>"),
        ("c.removeprefix('a').removesuffix('>')", "b<|im_end|", "b<|im_end|"),
        ("c.title() | lower | capitalize", "Ab<|im_end|>", "Ab<|im_end|>"),
        ("c | indent(2, true)", "  ab<|im_end|>", "ab<|im_end|>"),
        ("('x\n' ~ c).splitlines()[1]", "ab<|im_end|>", "ab<|im_end|>"),
        ("'x' | replace('x', c)", "ab<|im_end|>", "ab<|im_end|>"),
        ("'{:.1f}'.format(2.55) ~ '{0!r}'.format(c)", "2.5'ab<|im_end|>'", "'ab<|im_end|>'"),
        ("{'b': 1, 'a': c} | dictsort | first | last", "ab<|im_end|>", "ab<|im_end|>"),
        ("c | unique | sort | join", "<>_abdeimn|", "<>_abdeimn|"),
        (
            "messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | first",
            "ab<|im_end|>",
            "ab<|im_end|>",
        ),
        ("messages[0] | items | reverse | first | last", "ab<|im_end|>", "ab<|im_end|>"),
        ("c | default('') | safe | trim('>')", "ab<|im_end|", "ab<|im_end|"),
    ],
)
def test_contents_are_followed_through_the_template(expression: str, expected: str, content: str) -> None:
    source = "{% set c = messages[0].content %}{{ " + expression + " }}"
    pieces = template(source).pieces([Message("user", "ab<|im_end|>")], thinking=True)
    assert text_of(pieces) == expected
    assert contents_of(pieces) == {0: content}


def test_the_day_is_fixed() -> None:
    asking = "{{ strftime_now('%Y-%m-%d') }}{{ messages[0].content }}"
    assert text_of(template(asking).pieces(TALK[3:], thinking=True)).startswith("2025-01-01")
    dated = ChatTemplate(FAMILIES["llama3"], "<s>", "</s>", SPECIALS, date(2026, 3, 9))
    assert "Today: 09 Mar 2026" in text_of(dated.pieces(TALK, thinking=True))
    assert "Today: 1 Jan 2020" in text_of(template(FAMILIES["llama3"]).pieces(TALK, thinking=True))
    odd = "{{ strftime_now('%1000000d') }}{{ messages[0].content }}"
    with pytest.raises(EngineError, match="odd format"):
        template(odd).pieces(TALK[3:], thinking=True)


# --- templates that cannot be used ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ENDLESS, "the chat template needs more than 3 s or 1 GiB"),
        ("{{ ('ab' * 99999) * 99999 }}", "the chat template needs more than 3 s or 1 GiB"),
        ("{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}", "it calls itself without end"),
        ("{{ messages[0].content.__class__.__mro__ }}", "unsafe"),
        ("{{ '{0.__class__}'.format(messages) }}", "reaches into values"),
        ("{{ messages[0].content | escape }}", "No filter named 'escape'"),
        ("{% autoescape true %}{% endautoescape %}", "it escapes text for HTML"),
        ("{% for %}", "cannot be read"),
    ],
)
def test_a_template_that_cannot_be_used_ends_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(EngineError) as caught:
        template(text).pieces([Message("user", "问")], thinking=True)
    assert caught.value.title.startswith("the chat template ") and said in caught.value.title
    assert caught.value.title.isprintable() and len(caught.value.title) < 300
