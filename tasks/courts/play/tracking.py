"""Topic tracking of KQ and LC: which question a reply answers, and what it says, with the words that say it.

The controller owns the pointer to the topic that is being asked; the tracker only reads one reply of the agent. A
model in the tracker's seat answers under `tracker_schema`; what it quotes must stand in the reply word for word, else
its verdict does not count. Without a model `track_by_rules` reads the reply by lists of cues. All functions here are
total.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from models.engine import Message, Settings
from store.text.ideographs import HAN
from store.text.normalise import fold_width
from tasks.agents.conversation import structured
from tasks.agents.prompts import fill
from tasks.courts.casefile.case import AdviceCase, Topic
from tasks.courts.scores.bigrams import LONGEST, bigrams, sentences
from tasks.episode.actions import Sent, Yield, emit
from tasks.episode.events import Fault, TopicTracked
from tasks.episode.plain import plain_text

Verdict = Literal["yes", "no", "depends", "none"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
PROMPT = "topic-tracker/1"
FOLLOW_UPS = 2
"""So many times the public asks on when a reply leaves a topic open; then comes the next topic."""
QUOTE = 300
"""Longest quote in characters."""
_READ = 6000
"""Characters of a reply that a model in the tracker's seat reads."""


@dataclass(frozen=True, slots=True)
class Tracked:
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
    tracked: Tracked
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


def read_tracker(value: object, case: AdviceCase, reply: str) -> Tracked:
    """The answer of a model, taken for what can be checked: an unknown topic is none, an unfound quote no verdict."""
    if not isinstance(value, Mapping):
        return Tracked(None, made_by="model")
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
        return Tracked(None if isinstance(quote, str) and quote in reply else topic_id, made_by="model")
    # Without a quote the claim that something was answered is the tracker's word only.
    said: Verdict = verdict if isinstance(verdict, str) and verdict in VERDICTS else "none"
    answered = value.get("answered") is True
    return Tracked(topic_id, answered, said if kinds[topic_id] == "binary" and answered else "none", quote, "model")


def track_by_rules(case: AdviceCase, pointer: str, reply: str) -> Tracked:
    """The same without a model: the topic is the pointer, the verdict stands in the sentence nearest to the
    question."""
    topic = next((topic for topic in case.topics if topic.id == pointer), None)
    if topic is None:
        return Tracked(None)
    told = _told(reply)
    if not told:
        return Tracked(topic.id)
    nearest = _nearest(topic, told)
    if topic.type != "binary":
        return Tracked(topic.id, True, "none", nearest[:QUOTE])
    verdict, quote = _verdict(topic, told, nearest)
    return Tracked(topic.id, verdict != "none", verdict, quote[:QUOTE] if verdict != "none" else "")


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
_QUOTED = re.compile(r"[“「『\"][^”」』\"\n]{1,400}[”」』\"]")
_YES = r"是的|是这样|对的|没错|当然|肯定|确实|正确|可以|能够|能|有权|算数|行|是|对|会|需要|应当|要|有效|属于|算"
_NO = (
    r"不是|不对|不能|不可以|不可|不得|不行|不必|不用|不需要|不会|不应当|不应该|不应|不算|不属于|不要|不成立|不合法"
    r"|不构成"
    r"|无须|无需|无效|没有|并非|并不|否|不"
)
_OPENING = re.compile(rf"[\s#*>\-、.：:答一1]*(?P<said>{_NO}|{_YES})(?P<rest>的)?[，,。.！!；;\s*]")
_DEPENDS = re.compile(
    r"视(?:[^，。；]{0,12})?情况|看(?:具体|实际|不同)?情况|(?:具体|分|因)情况|取决于|不一定|不能一概而论|因(?:人|案"
    r"|地)而异"
    r"|(?:要|得|需要?|还)看(?!护|管|守|病|望)|分(?:两|三|几)种情况|有(?:的|时候?)可以.{0,20}有(?:的|时候?)不"
    r"|(?:一般|通常|原则上)[^。！？；]{0,60}(?:但|不过|然而)|无法(?:直接)?(?:判断|确定|回答)"
)
_DOUBLE = re.compile(r"不是不|不能不|并非不|不得不|不会不|没有不|并非没有|不是没有")
_STEMS: tuple[tuple[str, str], ...] = (
    ("效", r"有效|(?:有|具有)(?:法律)?效力|(?:效力)?不(?:受|因此受)影响"), ("可以", r"可以|有权|能够|可(?!能)"),
    ("应当", r"应当|应该|应|必须|须|要|需要|得由"), ("需要", r"需要|需|必须|应当|要"), ("必须", r"必须|应当|需要|要"),
    ("要", r"要|应当|必须|需要|应"), ("属于", r"属于|(?<!但)是(?!否)"), ("算", r"算|属于|构成|认定为"),
    ("构成", r"构成|属于"),
    ("成立", r"成立|有效"), ("合法", r"合法"), ("约束", r"(?:有|具有)约束力|受约束"),
    ("能", r"能够|(?<!可)能|可以|有权"),
    ("会", r"会|将"), ("该", r"应当|应该|应|该|要"), ("过", r"已经?过|过了|届满"), ("为准", r"为准|优先"),
    ("有", r"有|存在"), ("是", r"是|属于"),
)  # fmt: skip
"""What a question turns on -> how an answer says it; the first that a question holds."""
_NEGATED = re.compile(r"(?:不再|不|无|未|没有?|并非|别|勿)(?:得|会|能|是|必|用|再|予)?(?:以[^，。,;；]{0,12})?$")
_NEGATIVE_WORDS = re.compile(r"无效|不(?:再)?(?:有效|成立|合法|属于|构成)|违法|无须|无需|不必|不用|不予")
_CONDITION = re.compile(r"(?:才|须经|如果|如|若|只有|应当|向)[^，。]{0,6}$")
"""须经…才有效 says neither."""
_MODAL = re.compile(
    r"(?P<can>能不能|能否|可否|可不可以|可以|有权|(?<!可)能)|(?P<will>会不会)|(?P<must>要不要|应不应当|该不该)"
)
_MODALS = {"can": "可以", "will": "会", "must": "要"}


def _told(reply: str) -> list[str]:
    """Sentences of a reply that tell something: its own questions say nothing."""
    return [part for part in sentences(reply[:LONGEST]) if bigrams(part) and not _QUESTION.search(part.strip())]


def _nearest(topic: Topic, told: Sequence[str]) -> str:
    """The sentence that shares most pairs with the topic, the first of equals."""
    asked = frozenset().union(*(bigrams(text) for text in (topic.question, *topic.aliases)))
    return max(told, key=lambda sentence: len(bigrams(sentence) & asked)).strip()


def _verdict(topic: Topic, told: Sequence[str], nearest: str) -> tuple[Verdict, str]:
    whole = [part.strip() for part in told]
    hedged = next((part for part in dict.fromkeys((whole[0], nearest)) if _DEPENDS.search(_plain(part))), None)
    if hedged is not None:
        return "depends", hedged
    if opening := _OPENING.match(_plain(whole[0]) + " "):
        # 不，… and 是，… at the head of a reply answer the question as it was put.
        denied = re.fullmatch(_NO, opening["said"]) is not None
        return ("no" if denied else "yes"), whole[0]
    for part in dict.fromkeys((nearest, whole[0])):
        said = _turned(topic.question, _plain(part))
        if said != "none":
            return said, part
    return "none", ""


def _turned(question: str, sentence: str) -> Verdict:
    asked = _tail(fold_width(question))
    modal = _MODAL.search(asked)
    denial = _NEGATIVE_WORDS.search(asked)
    if modal and (denial is None or modal.start() < denial.start()):
        # 能不能要求认定无效: the question turns on 能, not on 无效.
        negative, stem = False, _MODALS[modal.lastgroup or ""]
        if denial and denial.group() == "无效" and "无效" not in sentence and re.search(r"(?<!不)有效", sentence):
            return "no"
    else:
        negative, stem = denial is not None, asked
    words = next((words for key, words in _STEMS if key in stem), r"可以|能够|应当|属于|有效")
    found = re.search(words, sentence)
    if found and _CONDITION.search(sentence[max(0, found.start() - 8) : found.start()]):
        return "none"
    plain = _NEGATIVE_WORDS.search(sentence)
    if plain and (found is None or plain.start() <= found.start()):
        denied = True
    elif found is None:
        return "none"
    else:
        before = sentence[max(0, found.start() - 16) : found.start()]
        denied = bool(_NEGATED.search(before)) and not _DOUBLE.search(before[-4:] + found.group())
    return "yes" if denied == negative else "no"


def _tail(question: str) -> str:
    """The last clause of a question: what comes before it tells the story."""
    clauses = [part for part in re.split(r"[,，。;；]", question.strip().rstrip("?？")) if part.strip()]
    return clauses[-1].strip() if clauses else ""


def _plain(sentence: str) -> str:
    """A sentence without what it quotes, in half-width forms."""
    return fold_width(_QUOTED.sub("", sentence)).strip()


RULES, MODEL = "tracker-rules/1", "tracker/1"
PROMPTS = (PROMPT, "law-phrases/1")
SETTINGS = Settings(max_tokens=600)


def track(case: AdviceCase, pointer: str, reply: str, policy: str, parent: int) -> Generator[Yield, Sent, Tracked]:
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
