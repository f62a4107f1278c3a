"""Topic tracking of KQ and LC: which question a reply answers, and what it says, with the words that say it.

The controller owns the pointer to the topic that is being asked; the tracker only reads one reply of the agent. A
model in the tracker's seat answers under `tracker_schema`; what it quotes must stand in the reply word for word, else
its verdict does not count. Without a model `track_by_rules` reads the grammar: a position is a clause with part of
the predicate that was asked behind a modal or a denial, or with most of it, or without words of its own (可以,
不成立); its denials against those of the question give yes or no. All functions here are total.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from models.engine import Message, SamplingSettings
from store.text.ideographs import HAN
from store.text.normalise import fold_width
from tasks.agents.conversation import structured
from tasks.agents.prompts import fill
from tasks.courts.casefile.case import AdviceCase
from tasks.courts.scores.bigrams import LONGEST, bigrams, recall, sentences
from tasks.episode.events import Fault, TopicTracked
from tasks.episode.plain import plain_text
from tasks.episode.seats import Sent, Yield, emit

Verdict = Literal["yes", "no", "depends", "unclear", "none"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
"""unclear: the reply speaks of what was asked, but what it says of it cannot be read; none: it does not."""
PROMPT = "topic-tracker/1"
FOLLOW_UPS = 2
"""So many times the public asks on when a reply leaves a topic open; then comes the next topic."""
QUOTE = 300
"""Longest quote in characters."""
_READ = 6000
"""Characters of a reply that a model in the tracker's seat reads."""


@dataclass(frozen=True, slots=True)
class TrackedReply:
    """What one reply says.

    topic_id: the topic that the reply speaks to, None for none of them; answered: whether it gives an answer at all;
    verdict: of a yes-no question; quote: words of the reply that say it; made_by: who read it.
    """

    topic_id: str | None
    answered: bool = False
    verdict: Verdict = "none"
    quote: str = ""
    made_by: Literal["rules", "model"] = "rules"


@dataclass(frozen=True, slots=True)
class TopicTurn:
    """One exchange: the topic that the controller had asked, what the agent replied, what the tracker read in it;
    number of the turn of the reply, 0 where nobody knows; fault: why the reply says nothing of its own, '' where it
    does."""

    pointer: str
    reply: str
    tracked: TrackedReply
    turn: int = 0
    fault: Fault = ""


def tracker_schema(case: AdviceCase) -> dict[str, object]:
    """The JSON schema of a tracker's answer: only topics of the case, or null."""
    return {
        "type": "object",
        "properties": {
            "topic_id": {"enum": [*(topic.id for topic in case.topics), None]},
            "answered": {"type": "boolean"},
            "verdict": {"enum": list(VERDICTS)},
            "quote": {"type": "string", "maxLength": QUOTE},
        },
        "required": ["topic_id", "answered", "verdict", "quote"],
        "additionalProperties": False,
    }


def tracker_text(case: AdviceCase, pointer: str, reply: str) -> str:
    """What a model in the tracker's seat is asked. It holds no answers, so it cannot favour them."""
    kinds = {"binary": "是非题", "law": "法条题", "open": "开放题"}
    listed = "\n".join(f"{topic.id}（{kinds[topic.type]}）{topic.question}" for topic in case.topics)
    return fill(PROMPT, topics=listed, pointer=pointer, reply=reply[:_READ])


def read_tracker(value: object, case: AdviceCase, reply: str) -> TrackedReply:
    """The answer of a model, taken for what can be checked: an unknown topic is none, an unfound quote no verdict."""
    if not isinstance(value, Mapping):
        return TrackedReply(None, made_by="model")
    kinds = {topic.id: topic.type for topic in case.topics}
    named, verdict, quote = value.get("topic_id"), value.get("verdict"), value.get("quote")
    topic_id = named if isinstance(named, str) and named in kinds else None
    if (
        topic_id is None
        or not isinstance(quote, str)
        or not _WORD.search(quote)
        or quote not in _MARKUP.sub(" ", reply)
    ):
        # A topic may be closed by words that were said, never by an object that claims to be the tracker's.
        return TrackedReply(None if isinstance(quote, str) and quote in reply else topic_id, made_by="model")
    # Without a quote the claim that something was answered is the tracker's word only.
    said: Verdict = verdict if isinstance(verdict, str) and verdict in VERDICTS else "none"
    answered = value.get("answered") is True and said != "unclear"
    position_taken = kinds[topic_id] == "binary" and (answered or said == "unclear")
    return TrackedReply(topic_id, answered, said if position_taken else "none", quote, "model")


def track_by_rules(case: AdviceCase, pointer: str, reply: str) -> TrackedReply:
    """The same without a model: the topic is the pointer, the verdict the position of the reply."""
    topic = next((topic for topic in case.topics if topic.id == pointer), None)
    if topic is None:
        return TrackedReply(None)
    # What a reply quotes is one sentence with what introduces it; its own questions say nothing.
    whole = _QUOTED.sub(lambda found: re.sub(r"[。！？；!?;\n]", "，", found[0]), reply[:LONGEST])
    statements = [part for part in sentences(whole) if bigrams(part) and not _QUESTION.search(part.strip())]
    if not statements:
        return TrackedReply(topic.id)
    wordings = [fold_width(text) for text in (topic.question, *topic.aliases)]
    if topic.type == "binary":
        verdict, sentence = _position(wordings, statements, _theme(case))
    else:
        pairs = frozenset().union(*map(bigrams, wordings))
        verdict, sentence = "none", max(statements, key=lambda part: len(bigrams(part) & pairs)).strip()
    start = whole.index(sentence)
    return TrackedReply(topic.id, bool(sentence), verdict, reply[start : start + min(len(sentence), QUOTE)])


def open_topics(case: AdviceCase, turns: Sequence[TopicTurn]) -> list[str]:
    """Topics still to be asked, in order: not answered, and not yet given up after two more tries."""
    left = []
    for topic in case.topics:
        own = [turn for turn in turns if turn.pointer == topic.id]
        answered = any(turn.tracked.answered and turn.tracked.topic_id == topic.id for turn in turns)
        if not answered and len(own) <= FOLLOW_UPS:
            left.append(topic.id)
    return left


_WORD = re.compile(f"[{HAN}]")
_MARKUP = re.compile(r"\{.*\}|<[^<>\n]{1,40}>", re.DOTALL)
"""Objects and tags in a reply, which are no words of an answer."""
_QUESTION = re.compile(r"[?？]|(?:吗|呢)[。!！]?\s*$")
_QUOTED = re.compile(r"[“「『\"][^”」』\"]{1,400}[”」』\"]")
_CLAUSE = re.compile(r"[^，,：:；;。！!\s]+[，,]?")
_FIXED = re.compile(
    r"不(?:仅|但|论|管|过|同|动产|法|当|服|满|足|妨|要紧|可抗力)|非(?:机动|常|法(?=\w{2}))|无(?:论|偿|理由|民事)|未成年|否则|没错|违法(?=\w{2,6}的)"
)
"""Words in which 不, 无, 未, 没 and 非 deny nothing."""
_WITHIN = re.compile(
    r"以[^，]{0,24}为由|因[^，]{0,12}[而就]|(?:没有?|未经?)[^，]{0,10}(?:就|便|则|(?=不))"
    r"|(?<=[为对给向由担又既且])(?:未|没有?|不)\w{1,12}的(?=\w)"
)
"""Reasons, needed conditions and descriptions inside a clause: 没有追认就不…, 未经同意不得…, 由没有过错的一方…"""
_DENIAL = re.compile(r"不|没有?|无|未|非|勿|否|拒绝?|禁止?|免[除予责于]|驳回|违[反法规]|丧失|消灭|终止|失效|影响")
"""Adverbs of denial, and verbs that deny what follows them or what they are said of."""
_MODAL = re.compile(
    r"可以?|能够?|有权|允许|应当?|应该|该|必?须|必需|需要?|要|得|会|将|(?:负?有)?义务|[是算](?!数)|属于|构成|有(?!效)"
)
_VALID = re.compile(r"(?:法律)?(?<!时)效力?|成立|合法|算数|作数|约束力?|(?<=违)[法规反]")
"""What makes an act count."""
_EITHER = re.compile(r"(\w{1,2})[不没]\1|是否|能否|可否|有无")
"""能不能, 算不算: asked, not said."""
_EMPTY = frozenset(
    "的了吗呢么吧啊着过地得之其此该这那个些样种下里中上内外和与及或并且而但也就都又再才便即则仍依旧然已经曾一两几多半"
    "我你您他她它们咱自己人者在到去来给把被跟同对为从向以按照由于因所让使将会能可以要需必须应当是有不行没无未非"
    "第年月日天元岁请完全般通常原则算法院律规"
)
"""Characters of grammar, of measure, and of any advice."""
_JOIN = re.compile(r"^(?:(?P<so>因此|所以|综上|总之|故|可见|也就是说)|但是?|可是|不过|而且?|并且|同时|另外|那么)")
_SUPPOSED = re.compile(r"^(?:如果?|若|假如|要是|倘若|一旦|除非|只要|只有|前提)|的话[，,]?$")
_ASIDE = re.compile(
    r"^(?:虽然|尽管|即使|因为|由于|未经(?!.*不)|建议|请)|(?:(?<!是\w{2})(?<!是\w{3})的|时|期间|后|前)[，,]$|才|咨询|是指"
)
"""Clauses that lead to another (concessions, reasons, the case of a rule), and advice on what to do next."""
_FIRST = re.compile(r"^\w{0,5}(?<![给对向为让使跟和与帮替])(?:我们?|本人)(?!方|国|认为|觉得|看|还?可以|有权)")
_KNOWS = re.compile(
    r"^\w{0,4}(?:[查找索问]到|查|找|检索|核实|确认|确定|判断|清楚|了解|知道|把握|答复|回复|回答|请示|研究|理解|明白)"
)
"""What one knows or will look up, as the predicate of a clause without a subject."""
_FOCUS = re.compile(r"(?<![可所难予得])([以按由])照?(\w{3})")
"""按…, 以…为准, 由…: where a question turns on the standard or the person, another one is the opposite."""
_DEPENDS = re.compile(
    r"取决于|不一定|一概而论|因.而异|[视看][^，。；]{0,12}情况|(?:具体|分|因|[两三几]种)情况"
    r"|(?:要|得|还)看(?!护|管|守|病|望)"
)
_MOSTLY = re.compile(r"(?:一般|通常|原则上).{0,60}(?:但|不过|然而)")


def _position(wordings: Sequence[str], statements: Sequence[str], theme: frozenset[str]) -> tuple[Verdict, str]:
    """The position of a reply and the sentence that holds it: the last conclusion, else an answer without words of
    its own, else the last said without a condition; under conditions alone depends, if they say both."""
    predicates, pairs = [_predicate(text, theme) for text in wordings], frozenset().union(*map(bigrams, wordings))
    ranked: list[list[tuple[Verdict, str]]] = [[], [], [], []]
    touched = hedged = False
    for sentence in statements:
        supposed = concludes = False
        about = len(bigrams(sentence) & pairs) > 1
        for clause in _CLAUSE.findall(fold_width(_QUOTED.sub("", sentence))):
            if joint := _JOIN.search(clause):
                concludes, clause = concludes or bool(joint["so"]), clause[joint.end() :]
            verdict, share = _reading(predicates, clause)
            if hedge := _DEPENDS.search(clause):
                if verdict != "none" or _EITHER.search(clause) or not _content(clause[: hedge.start()]):
                    ranked[0 if concludes else 2].append(("depends", sentence))
                supposed = hedged = True
            elif _SUPPOSED.search(clause):
                supposed = hedged or recall(bigrams(_SUPPOSED.sub("", clause)), pairs) < 0.5
            elif not _of_speaker(clause, wordings) and (
                share > 1 or (about and not _ASIDE.search(clause) and not _EITHER.search(clause))
            ):
                touched = touched or verdict != "none" or share >= 0.6
                if verdict != "none":
                    ranked[3 if supposed else 0 if concludes else 1 if share > 1 else 2].append((verdict, sentence))
    hedges = [sentence for sentence in statements if _MOSTLY.search(sentence)]
    hedges += [sentence for _, sentence in ranked[3][-1:] if len(dict(ranked[3])) > 1]
    best = ranked[0][-1:] or ranked[1][:1] or ranked[2][-1:] or [("depends", sentence) for sentence in hedges]
    return (best[0][0], best[0][1].strip()) if best else ("unclear" if touched else "none", "")


def _reading(predicates: Sequence[tuple[str, frozenset[str]]], clause: str) -> tuple[Verdict, float]:
    """What a clause says of the predicate as put, and how much of it the clause holds; 2 without words of its own."""
    plain = _FIXED.sub("", _WITHIN.sub("", clause))
    denied = len(_DENIAL.findall(plain)) % 2 == 1
    turns = [found.start() for found in (_MODAL.search(plain), _DENIAL.search(plain)) if found]
    if not _content(_VALID.sub("", _DENIAL.sub("", plain))):
        return ("no" if denied else "yes", 2.0) if turns or _VALID.search(plain) else ("none", 0.0)
    after = plain[min(turns, default=0) :]
    words = _content(after if _content(_VALID.sub("", _DENIAL.sub("", after))) else plain)
    valid = _VALID.search(plain)
    shares = [1.0 if valid and _VALID.search(text) else recall(own, words) for text, own in predicates]
    share = max(shares)
    nearest = predicates[shares.index(share)][0]
    if share < (0.3 if turns else 0.6):
        return "none", share
    denial = _DENIAL.search(nearest)
    if denial and _content(nearest[denial.start() : denial.end() + 1]) & _content(plain):
        denied = not denied
    here, there = _FOCUS.search(plain), _FOCUS.search(predicates[0][0])
    if here and there and here[1] == there[1] and not denied and not _content(here[2]) & _content(there[2]):
        # 由用人单位 may be the 公司 that was asked about; 由您自己 is not.
        return ("no" if here[1] != "由" or re.search("[您你]|自己|自行", plain) else "none"), share
    return ("no" if denied else "yes"), share


def _of_speaker(clause: str, wordings: Sequence[str]) -> bool:
    """Whether a clause is about what the speaker knows or does next, unless that is asked."""
    knows = _KNOWS.search(_MODAL.sub("", _DENIAL.sub("", clause)))
    if knows is None:
        return bool(_FIRST.search(clause))
    return knows[0][-1] == "到" or not any(knows[0][-1] in text for text in wordings)


def _theme(case: AdviceCase) -> frozenset[str]:
    """Characters of the pairs that half of the topics of a case hold: what all of it is about."""
    held = Counter(pair for topic in case.topics for pair in bigrams(" ".join((topic.question, *topic.aliases))))
    return frozenset("".join(pair for pair, count in held.items() if 2 * count >= len(case.topics)))


def _predicate(question: str, theme: frozenset[str]) -> tuple[str, frozenset[str]]:
    """The predicate of a question, from its modal on or its last two characters, and what of it is not its theme."""
    last = re.split(r"[,，。;；]", question.strip().rstrip("?？吗呢不"))[-1]
    last = _EITHER.sub(lambda found: found[1] or found[0][0], _FIXED.sub("", _WITHIN.sub("", last)))
    modal = _MODAL.search(last)
    last = last[modal.start() :] if modal else last.removesuffix("了")[-2:]
    words = _content(_VALID.sub("", last))
    return last, words - theme or words


def _content(text: str) -> frozenset[str]:
    """The characters of a text that carry its matter."""
    return frozenset(re.findall(f"[0-9%{HAN}]", text)) - _EMPTY


RULES, MODEL = "tracker-rules/1", "tracker/1"
PROMPTS = (PROMPT, "law-phrases/1")
SETTINGS = SamplingSettings(max_tokens=600)


def track(
    case: AdviceCase, pointer: str, reply: str, policy: str, parent: int
) -> Generator[Yield, Sent, TrackedReply]:
    """What the reply says on the topic that was asked, recorded with the utterance as its cause."""
    made = track_by_rules(case, pointer, reply)
    if policy == MODEL:
        messages = (Message("user", tracker_text(case, pointer, reply)),)
        value = yield from structured("tracker", messages, PROMPT, tracker_schema(case), SETTINGS, parent)
        made = made if value is None else read_tracker(value, case, reply)
    event = TopicTracked(
        seat="tracker", pointer=pointer, topic=made.topic_id, answered=made.answered, verdict=made.verdict,
        quote=plain_text(made.quote), made_by=made.made_by,
    )  # fmt: skip
    yield from emit(event, parent)
    return made
