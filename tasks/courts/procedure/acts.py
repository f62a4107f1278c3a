"""Reads what a judge says as speech acts: agenda and quotations are cut, the rest is read clause by clause by a
classifier.

Sentences that only list what will come ("下面将依次…") and words of the law that are quoted do nothing; they are
blanked, so that positions stay. An act may be a clause, a sentence, or split over three; its place are the words that
speak for it most. The parser knows nothing of stages, sides or replies: that is the machine's work. It never raises.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import islice
from typing import Literal

import numpy as np
from pydantic import BaseModel

from store.text.ideographs import HAN
from tasks.courts.procedure.classifier import Features, bare, features, folded, in_stage, shipped
from tasks.courts.procedure.model import SIDES, Hearing, Profile, Side, profile

MAX_TEXT = 20_000
"""Characters of a turn that are read; a longer one has lost its way."""
MOST = 500
"""Sentences of a turn that are read, and half of its clauses: more is no speech, and reading takes time for each."""
TOGETHER = 3
"""Sentences in a row that are read as one: an act may be split over them."""

INSTEAD = "speaks_for_party"
"""What the classifier knows beside acts: the judge says what others have to say (我替他答了)."""
MENTION = "mentions"
"""And: acts are only spoken of, because they come later, are over, or stand in the law."""

CLAUSE = 5
"""Characters of a part of a sentence that may be an act of its own."""

_CLAUSE = re.compile(r"[^，,、：:]+[，,、：:]?")
_SENTENCE = re.compile(r"[^。！？!?；;\n]*[。！？!?；;\n]?")
_BLANK = "\u3000"
_SPACE = " \t\u3000"
_AHEAD = re.compile(
    r"稍后|随后将|届时|待会儿?|接下来(?:的|将|会|依次|庭审)|下面将|将(?:会)?(?:依次|按照|按以下)"
    r"|(?:今天|今日|本次|此次).{0,6}庭审.{0,6}(?:将|会|分|包括)|庭审(?:将|分为|包括|的?(?:流程|程序|顺序|议程))"
)
_IN_TURN = re.compile(r"依次|顺序|流程|议程")
_REQUEST = re.compile(r"(?:请|由)(?:原告|原、|被告|公诉|辩护|双方|控辩)")
_LATER = re.compile(r"稍后|随后将|届时|待会儿?")
_SPEECHES = re.compile(r"公诉意见|辩护意见|自行辩护|答辩|最后意见")
"""Words that name an item of the agenda only in a sentence about what comes later: elsewhere they ask for it."""
_ITEMS = re.compile(r"身份|权利|回避|焦点|起诉书|讯问|发问|法庭调查|举证|质证|证据|辩论|最后陈述|调解|评议|宣判|判决")
_QUOTED = re.compile(
    rf"(?:《[^》\n]{{2,60}}》|[{HAN}]{{0,8}}(?:诉讼法|民法典|刑法|解释))(?:第[一二三四五六七八九十百零〇\d]{{1,8}}条)?"
    r"(?:第[一二三四五六七八九十\d]{1,3}款)?(?:明确)?规定[，,：:]"
)
_RIGHTS = re.compile(r"(?:下列|以下|如下)[^。\n]{0,12}权利[^。\n]*")
_MARKER = re.compile(r"对(?:原告|被告当事人|被告辩护人|被告|公诉机关)说[：:，,]?")
"""The published marks of address: 对原告说 asks nothing and says nothing of the plaintiff."""
_SPOKEN = re.compile(r"[“「『]([^”」』\n]{12,400})[”」』]")
_QUESTION = re.compile(
    r"什么|何时|何地|何人|哪|谁|多少|几|为何|为什么|怎么|如何|是否|有没有|有无|是不是|吗|呢|能否|可否|没有[？?]"
)
_TELL = re.compile(r"(?:说说|讲讲|讲一下|回答).{2,}")
_FORMAL = re.compile(
    r"意见|异议|焦点|认不认|认可|协商|调解|补充|答复|罪名|看清|听清|清楚|证据|诉讼请求|自愿"
    r"|答辩状|起诉状|身体(?:有没有|有无|是否|状况|能否)|不舒服|继续(?:开庭|参加)"
)
"""A question about these is one of procedure or of the room, not of the court's own on the facts."""
_ADDRESSED = re.compile(
    rf"(?:(?<![{HAN}])|请|由|问(?:一下)?|下面|现在|首先|先|传)(原告|被告人|被告|公诉人|公诉机关|检察员|辩护人|控方"
    r"|辩方)(?!(?:提交|出示|提供|主张|陈述)的)"
)
_ROLES = re.compile(r"原告|被告人?|公诉(?:人|机关)|检察员|辩护人|控方|辩方")
_NAMED: dict[tuple[str, str], Side] = {
    ("CI", "原告"): "plaintiff",
    ("CI", "被告"): "defendant",
    ("CR", "被告人"): "accused",
    ("CR", "被告"): "accused",
    ("CR", "公诉人"): "procurator",
    ("CR", "公诉机关"): "procurator",
    ("CR", "检察员"): "procurator",
    ("CR", "控方"): "procurator",
    ("CR", "辩护人"): "defence",
    ("CR", "辩方"): "defence",
}
_BOTH = re.compile(r"原、?被告(?!人)|先(?:由)?原告.{0,4}[后再](?:由)?被告")


@dataclass(frozen=True, slots=True)
class SpeechAct:
    """A speech act: act of the `law` table, its place in the turn, and the sides that its sentence speaks to by
    name."""

    act: str
    start: int
    end: int
    quote: str
    named: frozenset[Side] = frozenset()
    fallback: bool = False
    sure: bool = True
    """Whether the words are clear enough to blame somebody for them; doubtful ones may earn credit."""

    def shares(self, start: int, end: int) -> bool:
        """Whether it lies on the same words as another act, so that both are one question: half of the shorter one
        at least."""
        common = min(self.end, end) - max(self.start, start)
        return 2 * common >= min(self.end - self.start, end - start) > 0

    def within(self, other: SpeechAct) -> bool:
        """Whether most of its words are those of another."""
        return 2 * (min(self.end, other.end) - max(self.start, other.start)) > self.end - self.start


@dataclass(frozen=True, slots=True)
class CaseNames:
    """Names and titles of exhibits of a case, which mean nothing by themselves."""

    persons: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    called: tuple[tuple[str, Side], ...] = ()
    """How a side may be called by name; a surname that two of them bear calls nobody."""

    @classmethod
    def of(cls, hearing: Hearing) -> CaseNames:
        """What a hearing names."""
        return cls(
            tuple(name for names in hearing.names.values() for name in names),
            tuple(item.title for item in hearing.exhibits),
            _called(hearing),
        )


NOBODY = CaseNames()


def _called(hearing: Hearing) -> tuple[tuple[str, Side], ...]:
    names: dict[str, set[Side]] = {}
    for side in hearing.sides:
        for name in hearing.names.get(side, ()):
            for called in (name, f"{name[:1]}律师"):
                names.setdefault(called, set()).add(side)
    return tuple((name, side) for name, sides in names.items() if len(name) > 1 and len(sides) == 1 for side in sides)


@lru_cache(maxsize=256)
def _calling(called: tuple[tuple[str, Side], ...]) -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name, _ in sorted(called, key=lambda one: (-len(one[0]), one[0])))
    return re.compile(
        rf"(?:(?<![{HAN}])|[请由问让先传完后再])({names})(?:律师|代理人|一?方)?(?=[，,、：:！!？?你您先]|$)"
    )


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Sentences with their places."""
    for match in _SENTENCE.finditer(text[:MAX_TEXT]):
        if match[0].strip():
            yield match.start(), match[0]


def cut(text: str) -> str:
    """The text with agenda sentences and quoted law blanked; as long as the text read."""
    text = _MARKER.sub(lambda match: _BLANK * len(match[0]), text)
    kept = []
    at = 0
    for start, sentence in sentences(text):
        kept.append(_BLANK * (start - at))
        at = start + len(sentence)
        kept.append(_BLANK * len(sentence) if is_agenda(sentence) else _without_quotations(sentence))
    return "".join(kept) + _BLANK * (min(len(text), MAX_TEXT) - at)


def is_agenda(sentence: str) -> bool:
    """Whether a sentence only tells what will come: words for the future or a list in turn, and two things or
    more."""
    listed = len({match[0] for match in _ITEMS.finditer(sentence)})
    if _LATER.search(sentence):
        listed += len({match[0] for match in _SPEECHES.finditer(sentence)})
    if listed < 2:
        return False
    if _AHEAD.search(sentence):
        return True
    return bool(_IN_TURN.search(sentence)) and not _REQUEST.search(sentence)


def _without_quotations(sentence: str) -> str:
    if match := _QUOTED.search(sentence):
        sentence = sentence[: match.start()] + _BLANK * (len(sentence) - match.start())
    return _SPOKEN.sub(lambda m: _BLANK * len(m[0]), sentence)


def parse(text: str, env: Literal["CI", "CR"], known: CaseNames = NOBODY) -> list[SpeechAct]:
    """The speech acts of a judge turn in the order of their words; one act at most once a sentence."""
    return list(_parsed(text[:MAX_TEXT], env, known))


@lru_cache(maxsize=2048)
def _parsed(text: str, env: Literal["CI", "CR"], known: CaseNames) -> tuple[SpeechAct, ...]:
    kept = cut(text)
    read = list(_acts(text, env, known, kept))
    told = [act for act in read if act.act == MENTION]
    told += [_to_its_end(act, kept) for act in read if act.act == INSTEAD and act.sure]
    done = (
        act for act in read if act.act == INSTEAD or (act.act != MENTION and not any(act.within(one) for one in told))
    )
    found = sorted(_named(done, kept, env, known), key=lambda act: (act.start, act.end, act.act))
    if not any(_asks(env, act.act) for act in found):
        found = sorted(
            [*found, *_fallbacks(text, env, list(sentences(kept)), known)],
            key=lambda act: (act.start, act.end, act.act),
        )
    return tuple(found)


def _acts(text: str, env: Literal["CI", "CR"], known: CaseNames, kept: str) -> Iterator[SpeechAct]:
    """Acts of single sentences, then those that only several sentences in a row do together."""
    model = shipped(f"acts_{env}")
    done: dict[int, bytearray] = {}
    told = [match.span() for match in _RIGHTS.finditer(kept)]
    for start, said in pieces(kept):
        words = folded(said, known.persons, known.titles)
        if not words.text:
            continue
        seen, end = features(words.text), start + len(said)
        scores = model.scores(seen)
        for act in np.flatnonzero(scores >= 0).tolist():
            covered = done.setdefault(act, bytearray(len(kept)))
            if covered.find(1, start, end) >= 0:
                continue
            covered[start:end] = b"\x01" * (end - start)
            first, last = model.span(act, words, seen)
            if model.acts[act] == MENTION:
                if sum(1 for _ in sentences(said)) > 1:
                    continue
                first, last = 0, len(said)
            if _asks(env, model.acts[act]) and any(low <= start + first < high for low, high in told):
                continue  # one of the rights that are read out
            yield SpeechAct(
                model.acts[act], start + first, start + last, text[start + first : start + last],
                sure=bool(scores[act] >= model.sure[act]),
            )  # fmt: skip


def _to_its_end(act: SpeechAct, kept: str) -> SpeechAct:
    """Words said for somebody else go on to the end of their sentence."""
    homes = [start for start, words in sentences(kept) if start < act.end <= start + len(words)]
    end = next((start + len(words) for start, words in sentences(kept) if start in homes), act.end)
    return replace(act, end=end) if homes and homes[0] <= act.start else act


def _named(found: Iterable[SpeechAct], kept: str, env: Literal["CI", "CR"], known: CaseNames) -> Iterator[SpeechAct]:
    """The acts with the sides that their sentence names, and those that sentences behind it name which do nothing
    else (被告人申请回避吗？辩护人呢？)."""
    acts, homes = list(found), list(sentences(kept))
    begins = [start for start, _ in homes]
    home = [bisect_right(begins, act.end - 1) - 1 for act in acts]
    named: dict[int, frozenset[Side]] = {}
    held = set(home)
    for act, at in zip(acts, home, strict=True):
        if at not in named:
            sides = named[at] = _sides(homes[at][1] if at >= 0 else kept, env, known)
            behind = at + 1
            while (
                sides
                and behind < len(homes)
                and behind not in held
                and (more := _sides(homes[behind][1], env, known))
            ):
                named[at] |= more
                behind += 1
        yield replace(act, named=named[at])


def pieces(kept: str) -> Iterator[tuple[int, str]]:
    """What is read as one, with its place: each clause, each sentence, then two and three sentences in a row."""
    places = [(start, start + len(words)) for start, words in sentences(kept) if words.strip(_SPACE)][:MOST]
    yield from islice((clause for start, end in places for clause in _clauses(kept, start, end)), 2 * MOST)
    for width in range(1, TOGETHER + 1):
        for first in range(len(places) - width + 1):
            start, end = places[first][0], places[first + width - 1][1]
            yield start, kept[start:end]


def _clauses(kept: str, start: int, end: int) -> list[tuple[int, str]]:
    """The parts of a sentence; none where it has only one."""
    found = [m for m in _CLAUSE.finditer(kept, start, end) if len(m[0].strip(_SPACE)) >= CLAUSE]
    return [(match.start(), match[0]) for match in found] if len(found) > 1 else []


def _fallbacks(
    text: str, env: Literal["CI", "CR"], places: Sequence[tuple[int, str]], known: CaseNames
) -> Iterator[SpeechAct]:
    specs = [spec for spec in profile("law", env).acts.values() if spec.fallback]
    for start, sentence in places:
        asks = sentence.rstrip()[-1:] in "？?" and _QUESTION.search(sentence)
        if (asks or _TELL.search(sentence)) and not _FORMAL.search(sentence):
            for spec in specs:
                yield SpeechAct(
                    spec.id,
                    start,
                    start + len(sentence),
                    text[start : start + len(sentence)],
                    _sides(sentence, env, known),
                    True,
                )
            return


@cache
def _asks(env: Literal["CI", "CR"], act: str) -> bool:
    return act not in (INSTEAD, MENTION) and bool(profile("law", env).acts[act].asked)


def _sides(sentence: str, env: str, known: CaseNames = NOBODY) -> frozenset[Side]:
    if env == "CI" and _BOTH.search(sentence):
        return frozenset(SIDES["CI"])
    by_role = {_NAMED[env, match[1]] for match in _ADDRESSED.finditer(sentence) if (env, match[1]) in _NAMED}
    if not known.called:
        return frozenset(by_role)
    side = dict(known.called)
    return frozenset(by_role | {side[match[1]] for match in _calling(known.called).finditer(sentence)})


def given_floor(text: str, env: Literal["CI", "CR"], known: CaseNames) -> frozenset[Side]:
    """The sides that a sentence calls upon without a word of what for (说完被告您来)."""
    words = (said for _, said in sentences(cut(text)))
    return frozenset().union(*(_sides(said, env, known) for said in words if bare(folded(_ROLES.sub("", said)).text)))


def addressed(text: str, env: Literal["CI", "CR"]) -> frozenset[Side]:
    """The sides that any sentence of a text speaks to by name, agenda and quotations left out."""
    return frozenset().union(*(_sides(sentence, env) for _, sentence in sentences(cut(text))))


@lru_cache(maxsize=512)
def faults_of(text: str, stage: str, known: CaseNames) -> frozenset[str]:
    """Codes of the faults that a turn shows.

    Args:
        stage: kind of trial and stage in which the turn begins, as `CI/debate`.
        known: what the case names.
    """
    model = shipped("faults")
    scores = model.scores(turn_features(text, stage, known))
    return frozenset(code for code, score in zip(model.acts, scores.tolist(), strict=True) if score >= 0)


def turn_features(text: str, stage: str, known: CaseNames) -> Features:
    """What the classifier sees of a turn; training and reading share it."""
    alone = features(folded(text[:MAX_TEXT], known.persons, known.titles).text).ids
    return Features(np.concatenate([alone, in_stage(alone, stage)]), np.empty((0, 3), np.int64))


# --- beyond acts ----------------------------------------------------------------------------------------------------

_TAG = re.compile(rf"<\s*([{HAN}]{{2,8}})\s*>")
_CLOSING = re.compile(r"(?:现在|宣布|可以)?闭庭(?!前|后|之前)|庭审(?:到此)?结束(?!前|后)|<\s*结束庭审\s*>")
_MARKS = re.compile(rf"{_CLOSING.pattern}|{_TAG.pattern}")
_REOPENED = re.compile(r"恢复(?:法庭)?(?:调查|辩论)|(?:重新|继续)(?:进行)?法庭(?:调查|辩论)")
_ROLE = (
    r"(?:原告|被告人|被告|公诉人|公诉机关|辩护人)(?:方|的?(?:委托诉讼代理人|诉讼代理人|代理人|代理律师|律师|辩护人))?"
)
_LINE = re.compile(
    rf"(?m)^[ \t　]{{0,8}}[（(【\[*]{{0,4}}{_ROLE}[】\])）*]{{0,4}}(?:回?答|说|表示)?"
    rf"[ \t]{{0,4}}[：:][ \t*]{{0,8}}(.+)$"
)
_ANSWERED = re.compile(rf"{_ROLE}(?:回答|答|回应|表示|说)\s*[：:]\s*[“\"「]")
_VOCATIVE = re.compile(
    r"\s*(?:请|你|您|现|对|是否|首先|先|有无|有没有|就|下面|本庭|法庭|围绕|针对|可以|继续|以上|刚才|根据)|.*[？?]\s*$"
)
_HEADER = re.compile(rf"[，,、]|[男女]|住|法定代表人|[{HAN}]族|出生|有限公司|律师事务所")
_JUDGMENT = re.compile(r"本院认为|判决如下|民事判决书|刑事判决书")
_SIMULATED = re.compile(r"模拟(?:原告|被告|公诉|辩护)")


def spoken_by_judge(text: str, texts: Sequence[str]) -> str:
    """An utterance of a judge without the marks of closing and of stages that it only quotes from the case file."""
    return own_words(text, _MARKS, texts)


def stages_tagged(text: str, profile: Profile) -> list[int]:
    """Indices of the stages whose tags stand in a text, in order, each once."""
    found = (profile.stage(match[1]) for match in _TAG.finditer(text))
    return list(dict.fromkeys(index for index in found if index >= 0))


def closing(text: str) -> int:
    """Where a text has declared the hearing closed; its length where it does not."""
    match = _CLOSING.search(text)
    return match.end() if match else len(text)


def closes(text: str) -> bool:
    """Whether the hearing is declared closed."""
    return bool(_CLOSING.search(text))


def reopens(text: str) -> bool:
    """Whether a return to an earlier stage is declared."""
    return bool(_REOPENED.search(text))


def answer_for_other(text: str, own: Iterable[tuple[int, int]] = ()) -> str:
    """The words with which a judge answers in somebody's place; empty where there are none.

    A line that opens with a role and a colon is somebody's answer unless it addresses the role, is the head of a
    judgment, or does something that only a judge does (`own`: places of such words).
    """
    text = text[:MAX_TEXT]
    if match := _SIMULATED.search(text) or _ANSWERED.search(text):
        return text[match.start() : match.end() + 20]
    judgment = bool(_JUDGMENT.search(text))
    for match in _LINE.finditer(text):
        said = match[1].strip()
        if not said or _VOCATIVE.match(said) or (judgment and _HEADER.search(said)):
            continue
        if any(match.start() < end and start < match.end() for start, end in own):
            continue
        return match[0].strip()
    return ""


# --- what is only read out ------------------------------------------------------------------------------------------
# Titles, purposes and statements may hold anything: 【闭庭】, a stage tag, a masked name. A mark counts as quoted
# where it stands in the utterance together with `BEYOND` more characters exactly as some text of the case has it. A
# mark alone is never a quotation, so that no case file can take the court's own formulas away from it.

BEYOND = 4
"""Characters around a mark that have to come from the case as well."""
_NOT_TOLD = frozenset({"gold", "provenance"})
"""Fields that no role is told, so that nobody can quote them."""


def texts_of(case: BaseModel) -> tuple[str, ...]:
    """All texts of a case file that somebody in court may read out, each once."""
    told = (value for name, value in case if name not in _NOT_TOLD)
    return tuple(dict.fromkeys(text for value in told for text in texts_in(value) if len(text) > BEYOND))


def texts_in(value: object) -> Iterator[str]:
    """All texts in a value of a case file, in their order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, BaseModel):
        for _, part in value:
            yield from texts_in(part)
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from texts_in(part)
    elif isinstance(value, Sequence):
        for part in value:
            yield from texts_in(part)


def own_words(said: str, marks: re.Pattern[str], texts: Sequence[str]) -> str:
    """An utterance in which the marks that are quoted from the case are blanked; as long as before."""

    def kept(match: re.Match[str]) -> str:
        return _BLANK * len(match[0]) if _quoted(said, match.start(), match.end(), holding) else match[0]

    holding = _holding(marks, tuple(texts)) if marks.search(said) else ()
    return marks.sub(kept, said) if holding else said


@lru_cache(maxsize=64)
def _holding(marks: re.Pattern[str], texts: tuple[str, ...]) -> tuple[str, ...]:
    """A text that holds none of the marks need not be looked through for each of them, nor the others for each
    utterance."""
    return tuple(text for text in texts if marks.search(text))


def _quoted(said: str, start: int, end: int, texts: Sequence[str]) -> bool:
    first, last = max(start - BEYOND, 0), min(start, len(said) - (end - start) - BEYOND)
    return any(said[at : at + end - start + BEYOND] in text for at in range(first, last + 1) for text in texts)
