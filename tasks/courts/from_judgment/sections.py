"""The parts of a first-instance judgment, found by the words with which courts open them.

Text is matched in its folded form, whose length is that of the text, and cut from the text as it stands. What opens a
part is data, `sections.toml`: a table for civil and one for criminal judgments
(《人民法院民事裁判文书制作规范》, 法院刑事诉讼文书样式).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from store.tables import Table, beside, filled
from store.text.ideographs import HAN
from store.text.normalise import fold_width
from tasks.courts.casefile.judgment import STARTS, Env, Judgment

_RULES = re.compile(r"判决如下[ \t]*[:;,。]?")
_REASON = re.compile(rf"{STARTS}(?:本院(?:经审理|经审查|经评议|依法)?认为)[:,]?", re.MULTILINE)
_TAIL = re.compile(
    rf"{STARTS}(?:如不服本|如对本判决不服|不服本判决|当事人不服"
    r"|(?:审判长|独任审判员|代理审判员|审判员|书记员)[ :]|本判决为终审)"
    rf"|^(?:审判长|代理审判员|审判员|人民陪审员)(?=[{HAN}]{{2,4}}$)",
    re.MULTILINE,
)
_BASIS = re.compile(r"(?:依照|依据|根据|按照|适用)(?=[^。;\n《]{0,20}《|[^。;\n《]{0,30}(?:法|条例|规定|解释)第)")
_LEAD = re.compile(r"[,;]?(?:综上(?:所述)?|据此|为此|故|现|并)?[,;]?$")
_COURSE = re.compile(
    r"^(?:原告.{0,160}?(?:一案|纠纷案)|[^\n]{0,60}?(?:人民检察院)[^\n]{0,40}?(?:起诉书|指控|提起公诉)"
    r"|[^\n]{0,80}?(?:一案)[^\n]{0,20}?(?:本院|现已))",
    re.MULTILINE,
)
"""The paragraph that tells the course of the case: the parties are named before it."""


class _Sections(Table):
    parts: dict[str, str]
    anchors: dict[Env, dict[str, str]]


@cache
def anchors(env: Env) -> Mapping[str, str]:
    """Part -> what opens it, at the head of a sentence."""
    table = beside(__package__, "sections", _Sections)
    return {key: filled(words, table.parts) for key, words in table.anchors[env].items()}


def taken_apart(text: str, env: Env) -> Judgment:
    """A judgment in its parts; the text holds 判决如下."""
    folded = fold_width(text)
    rules = list(_RULES.finditer(folded))
    ruled_from, ruled = rules[-1].span() if rules else (len(text), len(text))
    end = _TAIL.search(folded, ruled)
    stop = end.start() if end else len(text)
    found = [(key, start) for key, start in _anchored(folded, env) if start < ruled_from]
    begin = _reason_start(folded, ruled_from, max((start for key, start in found if key == "found"), default=0))
    first = min([start for _, start in found] + [begin])
    course = _COURSE.search(folded[:first])
    named = course.start() if course else first
    head = tuple(filter(None, map(str.strip, text[:named].split("\n"))))
    reason, laws = _reason_and_laws(text[begin:ruled_from])
    parts = _parts(text[:begin], [place for place in found if place[1] < begin])
    decided = text[ruled:stop].strip().lstrip("：:；;，,。 ")
    return Judgment(env, text, head, text[named:first].strip(), parts, reason, laws, decided, text[stop:].strip())


def _anchored(folded: str, env: Env) -> list[tuple[str, int]]:
    """Parts and where they begin. What tells why somebody stayed away before any claim belongs to the course of the
    case."""
    named = "|".join(f"(?P<{key}>{words})" for key, words in anchors(env).items())
    marks = re.finditer(f"{STARTS}(?:{named})", folded, re.MULTILINE)
    found = [(mark.lastgroup or "", mark.start()) for mark in marks]
    openings = {"CI": ("claims", "told", "complaint"), "CR": ("charge", "found")}[env]
    first = next((place for place, (key, _) in enumerate(found) if key in openings), None)
    return [] if first is None else found[first:]


def _reason_start(folded: str, stop: int, after: int) -> int:
    """Where 本院认为 begins: the first at the head of a paragraph behind the facts, else the first behind them."""
    places = [match.start() for match in _REASON.finditer(folded, after, stop)]
    heads = [place for place in places if place == 0 or folded[place - 1] == "\n"]
    if heads or places:
        return (heads or places)[0]
    plain = folded.rfind("本院认为", after, stop)
    return plain if plain >= 0 else stop


def _parts(text: str, found: list[tuple[str, int]]) -> dict[str, str]:
    parts: dict[str, list[str]] = {}
    ends = [start for _, start in found[1:]] + [len(text)] * bool(found)
    for (key, start), end in zip(found, ends, strict=True):
        parts.setdefault(key, []).append(text[start:end].strip())
    return {key: "\n".join(filter(None, pieces)) for key, pieces in parts.items()}


def _reason_and_laws(text: str) -> tuple[str, str]:
    """The reasons and the clause 依照《…》第…条 at their end."""
    folded = fold_width(text)
    floor = max(0, len(folded) - 3000)
    for match in reversed(list(_BASIS.finditer(folded, floor))):
        behind = folded[match.start() :]
        if behind.rstrip("。;,:\n 之的规定").count("。") == 0 and "条" in behind:
            start = match.start()
            # A list of laws goes on: the clause begins at the first 依照 of its sentence.
            sentence = max(folded.rfind(sign, 0, start) for sign in "。\n;") + 1
            first = _BASIS.search(folded, sentence)
            start = first.start() if first else start
            lead = _LEAD.search(folded[:start])
            return _bare(text[: lead.start() if lead else start]), text[start:].strip(" \t\n，,：:")
    return _bare(text), ""


def _bare(reason: str) -> str:
    match = _REASON.match(fold_width(reason))
    return (reason[match.end() :] if match else reason).strip(" \t\n：:，,")


def opened(paper: Judgment, key: str) -> str:
    """The words of a part without those that open it."""
    text = paper.part(key)
    match = re.match(rf"[ \t]*(?:{anchors(paper.env)[key]})[ \t:,]*", fold_width(text))
    return text[match.end() if match else 0 :].lstrip(" ，,：:\n")
