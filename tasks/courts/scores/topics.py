"""Scores of KQ and LC: BIN, NBIN, BIN_all, NBIN_all and COV, the published rule beside a strict one (shares from 0 to
1).

Published rule: a topic counts where the tracker found a reply on it, all others are skipped; a yes-no topic earns 1
when all replies on it give the gold, 0.5 when all are qualified; a law topic 1 or 0; the rest is graded. Strict: a
topic is reached when it was asked and something was answered; a reply that only asks back or cannot be read is no
answer and no contradiction; an echo or a repeat earns nothing; articles are compared as law and number, under every
name a law goes by. What a grader has not graded is missing, never 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from store.statutes.model import ArticleNumber
from store.statutes.names import key_of_name
from store.text.citation import citations
from store.text.normalise import fold_width
from store.text.numerals import int_to_chinese
from tasks.agents.degenerate import EMPTY
from tasks.agents.prompts import fill
from tasks.courts.casefile.case import AdviceCase, Topic
from tasks.courts.casefile.law import shipped_laws
from tasks.courts.play.tracking import TopicTurn, track_by_rules
from tasks.courts.scores.bigrams import point_coverage
from tasks.courts.scores.documents import LONGEST, graded, whole_mean
from tasks.scoring.result import Grading

PROMPT = "grader-topic/1"
METRICS = ("BIN", "NBIN", "BIN_all", "NBIN_all", "COV")
LISTED = 8
"""A strict answer on one article names at most so many in one reply: a list of articles is no answer."""
FLOOR_REPLY = "这个问题不能一概而论，要看具体情况，建议依照有关法律规定处理。"
"""The fixed formula of the floor: half of every yes-no topic, nothing else."""

Ref = tuple[str, ArticleNumber]
"""Key of the law's name, article."""
Rates = dict[str, float | None]
_GOLD = {"yes": "是", "no": "否"}


@dataclass(frozen=True, slots=True)
class TopicScore:
    """One topic. `score` is None where a grader is needed and has not spoken, `proxy` does without."""

    topic_id: str
    type: str
    reached: bool
    score: float | None
    proxy: float | None
    evidence: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TopicScores:
    """The rates of a case and what they are made of. `finished`: whether every topic was reached.

    The published code keeps no dialogue that did not finish; that belongs to the mean over cases, not to the case.
    """

    rates: Rates
    topics: tuple[TopicScore, ...]
    finished: bool


def compat_scores(case: AdviceCase, turns: Sequence[TopicTurn], grades: Mapping[str, float | None]) -> TopicScores:
    """The published rule.

    Turns belong to the topic that the tracker names. A case without a reached yes-no topic has BIN 0, and law topics
    of KQ, which the published code looks up under a misspelt name, are not scored.

    Args:
        case: the case.
        turns: the dialogue.
        grades: verdict name (`topic:T6`) -> 0 to 1; None or not there: not graded.
    """
    rows = []
    for topic in case.topics:
        own = [turn for turn in turns if turn.tracked.topic_id == topic.id]
        rows.append(_scored(topic, own, bool(own), grades, strict=False))
    unscored = frozenset({"law"}) if case.env == "KQ" else frozenset[str]()
    rates = _rates(rows, unscored)
    return TopicScores({**rates, "BIN": rates["BIN"] or 0.0}, tuple(rows), all(row.reached for row in rows))


def strict_scores(case: AdviceCase, turns: Sequence[TopicTurn], grades: Mapping[str, float | None]) -> TopicScores:
    """The strict rule; arguments as for `compat_scores`. Cases without such topics have no rate."""
    rows = []
    for topic in case.topics:
        all_own = [turn for turn in turns if turn.pointer == topic.id or turn.tracked.topic_id == topic.id]
        own = [turn for turn in all_own if turn.fault not in EMPTY]
        answered = any(turn.tracked.answered and turn.tracked.topic_id == topic.id for turn in own)
        # Asked and never answered is a failure of the agent: it is reached and earns nothing.
        asked = any(turn.pointer == topic.id for turn in all_own)
        rows.append(_scored(topic, own, asked or answered, grades, strict=True))
    return TopicScores(_rates(rows, frozenset()), tuple(rows), all(row.reached for row in rows))


def verdict_name(topic: Topic) -> str:
    """The name under which a grade of a topic is kept."""
    return f"topic:{topic.id}"


def gradings(case: AdviceCase, turns: Sequence[TopicTurn]) -> list[Grading]:
    """What a grader is asked: one grading an open topic on which something was said."""
    made = []
    for topic in case.topics:
        given = words_on(topic, turns)
        if topic.type == "open" and given:
            text = fill(
                PROMPT, question=topic.question, gold=topic.answer, given=given[:LONGEST],
                points="\n".join(f"- {point}" for point in topic.points) or "（无）",
            )  # fmt: skip
            made.append(graded(PROMPT, text, verdict_name(topic)))
    return made


def words_on(topic: Topic, turns: Sequence[TopicTurn]) -> str:
    """What the agent said while the topic was asked or, by the tracker, on it."""
    said = [turn.reply for turn in turns if topic.id in (turn.pointer, turn.tracked.topic_id)]
    return "\n".join(text for text in said if text.strip())


def binary_score(gold: str, verdicts: Sequence[str]) -> float:
    """1 when all verdicts are the gold 是 or 否, 0.5 when all are depends, else 0; no verdict at all is 0."""
    if verdicts and all(_GOLD.get(verdict) == gold for verdict in verdicts):
        return 1.0
    return 0.5 if verdicts and all(verdict == "depends" for verdict in verdicts) else 0.0


def law_compat(answer: str, words: str) -> bool:
    """Published look-up: each article of the gold text has its law's name and its number, Chinese or Arabic, in the
    words.

    款 and 项 of the gold are dropped; the two need not stand together; short names do not match.
    """
    wanted = [cited for cited in citations(unnested(answer)) if cited.law]
    if not wanted:
        return bool(answer.strip()) and answer.strip() in words
    return all(
        (cited.law or "") in unnested(words)
        and any(form in words for form in (cited.number.chinese, _arabic(cited.number)))
        for cited in wanted
    )


def law_strict(topic: Topic, replies: Iterable[str]) -> tuple[bool, dict[str, object]]:
    """Whether one reply names the law and article that the topic asks for, and what was named.

    Gold are the articles of the answer, else of `laws`; a law counts under all its names, a number without a law
    belongs to the law named before it. A reply with more than eight articles names none.
    """
    wanted = gold_articles(topic)
    named: list[str] = []
    hit = False
    for reply in replies:
        found = articles_in(reply)
        named += [f"{law}{number.chinese}" for law, number in found]
        hit = hit or (bool(wanted) and wanted <= found and len(found) <= LISTED)
    return hit, {"named": sorted(set(named))}


def gold_articles(topic: Topic) -> frozenset[Ref]:
    """Law and number of what a topic asks for; 款 and 项 do not count."""
    said = articles_in(topic.answer)
    return said or frozenset((key_of_name(ref.law), ref.number) for ref in topic.laws)


_TITLE = re.compile(r"《(?P<title>[^《》\n]{2,80})》")
_NESTED = re.compile(r"《(?:[^《》\n]{0,60}《[^《》\n]{1,60}》){1,3}[^《》\n]{0,60}》")


def unnested(text: str) -> str:
    """The text with titles inside titles in quotation marks: 《关于适用“民法典”…的解释》; its length stays."""

    def inner(match: re.Match[str]) -> str:
        title = match.group()
        return f"《{title[1:-1].replace('《', '“').replace('》', '”')}》"

    return _NESTED.sub(inner, text)


def articles_in(text: str) -> frozenset[Ref]:
    """Law and number of every article that a text names with its law, near it or before it."""
    flat = unnested(fold_width(text))
    titles = [(match.end(), match["title"]) for match in _TITLE.finditer(flat)]
    found: set[Ref] = set()
    last: str | None = None
    for cited in citations(flat):
        before = [title for end, title in titles if end <= cited.start]
        law = cited.law or (before[-1] if before else last)
        if law:
            last = law
            found.add((_key(law), cited.number))
    return frozenset(found)


def _key(law: str) -> str:
    return key_of_name(shipped_laws().official(law) or law)


def _arabic(number: ArticleNumber) -> str:
    return f"第{number.number}条" + (f"之{int_to_chinese(number.sub)}" if number.sub else "")


def _scored(
    topic: Topic, own: Sequence[TopicTurn], reached: bool, grades: Mapping[str, float | None], *, strict: bool
) -> TopicScore:
    if not reached:
        return TopicScore(topic.id, topic.type, False, 0.0, 0.0)
    words = "\n".join(turn.reply for turn in own)
    quotes = [turn.tracked.quote for turn in own if turn.tracked.quote]
    evidence: dict[str, object] = {"turns": len(own), "at": [turn.turn for turn in own], "quotes": quotes}
    if topic.type == "binary":
        verdicts = [turn.tracked.verdict for turn in own if turn.tracked.topic_id == topic.id]
        if strict:
            verdicts = [verdict for verdict in verdicts if verdict not in ("unclear", "none")]
            # 是，but it depends: no contradiction, no clear answer either.
            hedged = {verdict for verdict in verdicts if verdict != "depends"}
            if len(hedged) == 1 and "depends" in verdicts and _GOLD[next(iter(hedged))] == topic.answer:
                verdicts = ["depends"]
        score = binary_score(topic.answer, verdicts)
        return TopicScore(topic.id, topic.type, True, score, score, {**evidence, "verdicts": verdicts})
    if topic.type == "law":
        if strict:
            hit, named = law_strict(topic, (turn.reply for turn in own))
            return TopicScore(topic.id, topic.type, True, float(hit), float(hit), {**evidence, **named})
        hit = law_compat(topic.answer, words)
        return TopicScore(topic.id, topic.type, True, float(hit), float(hit), evidence)
    given = grades.get(verdict_name(topic)) if words.strip() else 0.0
    covered = point_coverage(topic.points or (topic.answer,), words)
    return TopicScore(topic.id, topic.type, True, given, covered, evidence)


def _rates(rows: Sequence[TopicScore], unscored: frozenset[str]) -> Rates:
    binary = [row for row in rows if row.type == "binary"]
    others = [row for row in rows if row.type != "binary" and row.type not in unscored]
    reached = [row for row in others if row.reached]
    return {
        "BIN": whole_mean([row.score for row in binary if row.reached]),
        "NBIN": whole_mean([row.score for row in reached]),
        "BIN_all": whole_mean([row.score for row in binary]),
        "NBIN_all": whole_mean([row.score for row in others]),
        "COV": whole_mean([float(row.reached) for row in rows]),
        "NBIN_proxy": whole_mean([row.proxy for row in reached]),
        "NBIN_all_proxy": whole_mean([row.proxy for row in others]),
    }


def ceiling_reply(topic: Topic) -> str:
    """The gold answer as an agent would give it."""
    points = "；".join(topic.points)
    laws = "、".join(ref.chinese for ref in topic.laws)
    basis = f"法律依据是{laws}。" if laws else ""
    if topic.type == "binary":
        head = "是的" if topic.answer == "是" else "不是"
        return f"{head}，答案是“{topic.answer}”。{points}。{basis}"
    return f"{topic.answer.rstrip('。')}。{points}。" + (basis if topic.type == "open" else "")


def scripted_turns(case: AdviceCase, replies: Mapping[str, str]) -> list[TopicTurn]:
    """A dialogue in which every topic is asked once and answered by the reply of its id, read by rules."""
    return [
        TopicTurn(topic.id, replies[topic.id], track_by_rules(case, topic.id, replies[topic.id]))
        for topic in case.topics
        if topic.id in replies
    ]


def floor_turns(case: AdviceCase) -> list[TopicTurn]:
    """The floor: every topic answered by the fixed formula."""
    return scripted_turns(case, {topic.id: FLOOR_REPLY for topic in case.topics})


def ceiling_turns(case: AdviceCase) -> list[TopicTurn]:
    """The ceiling: every topic answered by its gold."""
    return scripted_turns(case, {topic.id: ceiling_reply(topic) for topic in case.topics})
