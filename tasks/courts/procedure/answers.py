"""Whether an utterance answers what was asked, from its words alone.

Does it say anything at all: Chinese, of its own (`tasks.agents.degenerate`), about this case? Does it speak to the
act that asked for it: 申请 or 不申请 to 回避, a name or confirmation to identity? Mechanisms, not lists of phrases:
shares of characters and of pairs of neighbouring characters, from 0 to 1. Whether it holds what the case file gives
its speaker to say is for `credits` (trials) and `simulated.talks`. What a party says on the merits is never judged
here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice

from store.text.ideographs import HAN
from tasks.agents.degenerate import EMPTY, closed, denies, stated
from tasks.courts.procedure.acts import CaseNames, sentences
from tasks.courts.procedure.classifier import Classifier, features, folded, shipped
from tasks.courts.procedure.model import Reason, Turn
from tasks.courts.scores.bigrams import bigrams

MAX_REPLY = 20_000
"""Characters of a reply that are read."""

_BROKEN = re.compile(
    r"\s*(?:[\[【（(]?(?:错误|出错|error|调用失败|请求失败|超时|timeout)|none\s*$|null\s*$)", re.IGNORECASE
)
_WORDS = re.compile(rf"[{HAN}A-Za-z0-9]")
_PLAIN_NO = r"(?:^|[，。、；,\s])(?:没有了?|无|不需要|不用|否|不)(?:[，。；！,\s]|$)"
_KINDS = {
    "identity": re.compile(
        rf"属实|无误|确认|没错|正确|[12]\d{{3}}年|住所地|法定代表人|负责人|[{HAN}]族|出生|身份证|代理人"
    ),
    "recusal": re.compile(r"回避|申请|没有异议|无异议|" + _PLAIN_NO),
    "mediation": re.compile(r"调解|和解|同意|愿意|不愿|拒绝|可以|接受|方案"),
    "view": re.compile(
        r"真实性|合法性|关联性|三性|异议|认可|质证|证明目的|证明力|意见|属实|看[清过到]|无关|不予|不能证明"
        r"|不认|认的|都?认[，。；！]|真的|假的|伪造|(?:是|不是)我|签的|收到|" + _PLAIN_NO
    ),
    "evidence": re.compile(r"证据|出示|提交|真实性|合法性|关联性|三性|异议|质证|证明|认可|" + _PLAIN_NO),
    "plea": re.compile(r"异议|认罪|不认|我认|属实|承认|否认|意见|冤|没有做|没做|不是我|是我|" + _PLAIN_NO),
}


def broken(text: str) -> bool:
    """Whether a reply is empty or the trace of a failure."""
    return not _WORDS.search(text[:MAX_REPLY]) or bool(_BROKEN.match(text))


def responsive(kind: str, text: str, names: Iterable[str] = ()) -> bool:
    """Whether a reply answers a question of a kind (see `reply` in the tables); exhibits are judged by
    `items_named`. A question put back is no answer."""
    text = text[:MAX_REPLY]
    if broken(text):
        return False
    if kind == "identity" and any(name in text for name in names if name):
        return True
    if pattern := _KINDS.get(kind):
        return bool(pattern.search(stated(text)))
    return kind != "open" or len(_WORDS.findall(text)) >= 4


# --- words alone ----------------------------------------------------------------------------------------------------

VALID = 0.8
"""Of the turns of a simulated role so many must be answers, on the mean of its episodes, for a run to be comparable.
Rules in all seats of the 72 authored cases reach 0.95 and more in every role: docs/courts.md has the figures."""
LONGEST = 4000
LINES = 40
"""Lines of a text that are looked at one by one: what else stands there (a tag, a quotation) takes no answer away."""
CHINESE = 0.5
"""Of the letters of an utterance so many are Chinese characters."""
GROUNDED = 0.2
"""So many pairs of a longer utterance stand in what its speaker holds, in what was said before, or in the language of
courts. The rules' turns on the 72 authored cases have 0.29 and more in court without the last; Chinese about
something else 0.19 and less."""
FEWEST = 8
"""Pairs from which on an utterance is long enough for that."""
DENIAL = 32
"""Pairs below which an utterance with a denial in it need not show it either: 没有别的了，就是刚才说的这些."""

_LETTER = re.compile(r"[^\W\d_]")
_CHINESE = re.compile(rf"[{HAN}]")
_ADDRESS = re.compile(r"审判长|审判员|法官|律师|公诉人|辩护人|法庭|[您你我]")


def fault(turn: Turn, known: frozenset[str] | set[str]) -> Reason:
    """What is wrong with an utterance whatever was asked; '' where nothing is.

    Args:
        turn: what was said; what it was taken from was found when it was said. Who speaks for another too has
            answered all the same.
        known: pairs of all that the speaker holds and of all that was said before.
    """
    lines = [line for line in turn.text[:LONGEST].splitlines()[:LINES] if not broken(line)]
    against = [_of_line(line, known) for line in lines] or ["silent"]
    found = "" if "" in against else against[0]
    return turn.fault if turn.fault in EMPTY and found in ("", "unrelated") else found


def _of_line(line: str, known: frozenset[str] | set[str]) -> Reason:
    if len(_CHINESE.findall(line)) < CHINESE * len(_LETTER.findall(line)):
        return "script"
    return "" if grounded(line, known) else "unrelated"


def grounded(text: str, known: frozenset[str] | set[str]) -> bool:
    """Whether an utterance speaks of the case; a short one, or one that only denies, need not show it."""
    said = bigrams(text)
    return len(said) < FEWEST or len(said & known) >= GROUNDED * len(said) or (denies(text) and len(said) < DENIAL)


def replies(question: str, text: str, known: frozenset[str] | set[str]) -> bool:
    """Whether words say anything to a question of which the case file knows no answer: a denial, a word of a question
    that can be answered by yes or no, a word of the matter (`known`, pairs), or some words of one's own beside the
    form of address."""
    if denies(text):
        return True
    rest = bigrams(_ADDRESS.sub("，", text))
    if closed(question) and (rest & bigrams(question[-LONGEST:]) or re.match(r"[是对有会能]", text.strip())):
        return True
    return len(rest) >= FEWEST // 2 or bool((rest - bigrams(question)) & known)


# --- the act that asked ---------------------------------------------------------------------------------------------

MOST = 40


def may_answer(act: str, text: str, known: CaseNames) -> bool:
    """Whether a reply, or one of its sentences, may be meant as an answer to an act (its id in the tables); nothing
    is said against a reply to an act that the classifier does not know."""
    return act not in _places() or answers_anything(text) or act in _answered(text, known)


def answers_anything(text: str) -> bool:
    """Whether a reply is a denial in a few words (没有。): it answers whatever was asked."""
    return len(bigrams(text)) < FEWEST and denies(text)


@lru_cache(maxsize=512)
def _answered(text: str, known: CaseNames) -> frozenset[str]:
    """Remembered: each act of a turn asks about the whole reply."""
    model, found = _model(), set[str]()
    for words in parts(text, known):
        scores = model.scores(features(words))
        found.update(act for act, place in _places().items() if scores[place] >= 0)
    return frozenset(found)


def parts(text: str, known: CaseNames) -> list[str]:
    """What is read of a reply, folded: the whole, then its sentences."""
    said = [text, *(words for _, words in islice(sentences(text), MOST))]
    return [words for part in said if (words := folded(part, known.persons, known.titles).text)]


def _model() -> Classifier:
    return shipped("replies")


@lru_cache(maxsize=1)
def _places() -> dict[str, int]:
    return {act: place for place, act in enumerate(_model().acts)}


@cache
def court_language() -> frozenset[str]:
    """Pairs of the words in which parties speak in court whatever the case is, from the tables of the rules' seats:
    an accused who repents needs no word of the file."""
    folder = files("tasks.courts.agents.trial")
    names = ("speech.toml", "hearing_civil.toml", "hearing_criminal.toml")
    return frozenset[str]().union(*(bigrams(folder.joinpath(name).read_text(encoding="utf-8")) for name in names))
