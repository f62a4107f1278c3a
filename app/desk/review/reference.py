"""What a scorer compares with: the reference text of a metric, and the words by which graders are told how to score
it.

This is gold: it is shown for ended episodes only, and not while a person plays the task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from app.desk.episode.renderers import Line, many, one, seat_name
from app.desk.review.record import TOPIC
from app.desk.review.runs import Asked, EpisodeReview
from app.strings import known, language, t
from app.terminal import truncate
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase, Env
from tasks.courts.casefile.persona import style
from tasks.courts.casefile.questions import CourtQuestion
from tasks.courts.casefile.roles import role_name
from tasks.courts.casefile.visibility import visible
from tasks.courts.environment import codes
from tasks.courts.play.episode import persona_of, traits_of
from tasks.courts.scores.documents import PARTS, gold_text
from tasks.courts.scores.drafted import kind_of_case
from tasks.courts.scores.of_run.rating import CONSISTENCY

Section = tuple[str, Iterable[str]]
"""Key of its heading, and its texts."""


def metric_words(metric: str, question: Any, room: int = 60) -> str:
    """A metric in words: 裁判理由, the question of a topic, the role that is played."""
    case = question.case if isinstance(question, CourtQuestion) else None
    if metric.startswith(TOPIC) and isinstance(case, AdviceCase):
        topic = next((topic for topic in case.topics if topic.id == metric.removeprefix(TOPIC)), None)
        return truncate(one(topic.question), room) if topic else one(metric)
    if metric.startswith(CONSISTENCY) and case is not None:
        return t("review_screen.metric.CON", role=_who(metric.removeprefix(CONSISTENCY), case.env))
    return plain_words(metric)


def plain_words(metric: str, group: str = "") -> str:
    """A metric in words where the task is not at hand; `group` may be an environment."""
    if metric.startswith(CONSISTENCY) and group in codes():
        return t("review_screen.metric.CON", role=_who(metric.removeprefix(CONSISTENCY), group))
    key = f"review_screen.metric.{metric}"
    name, _, part = metric.partition(":")
    return (
        t(key) if known(key) else t("review_screen.metric.topic", name=one(part)) if name == "topic" else one(metric)
    )


def _who(role: str, env: Env) -> str:
    return one(role_name(role, env)) if language() == "zh" else seat_name(role)


def reference_lines(review: EpisodeReview, asked: Asked) -> list[Line]:
    """The reference of a metric under headings, then how graders are told to score."""
    if review.held:
        return [((t("review_screen.held"), "warn"),), *many(t("review_screen.held.hint"), "dim")]
    lines: list[Line] = []
    sections = [*_sections(review, asked.metric), ("rubric", [asked.rubric])]
    for name, texts in sections:
        found = [text for text in texts if text.strip()]
        if found:
            lines += [((t(f"review_screen.section.{name}"), "label"),)]
            role = "dim" if name == "rubric" else "text"
            lines += [line for text in found for line in many(text, role)]
            lines.append(())
    return lines[:-1]


def _sections(review: EpisodeReview, metric: str) -> Iterator[Section]:
    question = review.question
    if not isinstance(question, CourtQuestion):
        gold = getattr(question, "gold", None)
        yield "answer", [str(getattr(gold, "answer", ""))]
        return
    case = question.case
    if metric.startswith(CONSISTENCY):
        yield from _part(case, metric.removeprefix(CONSISTENCY), review.seed)
    elif isinstance(case, AdviceCase):
        yield from _topic(case, metric.removeprefix(TOPIC))
    elif isinstance(case, CivilCase) and (kind := kind_of_case(case)):
        yield "material", [gold_text(case, part) for part in PARTS[kind] if part.name == metric]
    elif metric == "JUD" and isinstance(case, CivilCase):
        yield "claims", _numbered(claim.text for claim in case.claims)
        yield "judgment", case.gold.judgment
        yield (
            "rulings",
            [f"{ruling.claim}：{t(f'case.value.{ruling.outcome}')}　{ruling.text}" for ruling in case.gold.rulings],
        )
    elif isinstance(case, CivilCase | CriminalCase):
        yield "reason", [case.gold.reason]
        yield "points", _numbered(case.gold.reason_points)
        yield "issues", _numbered(case.gold.issues) if isinstance(case, CivilCase) else ()
        yield "judgment", case.gold.judgment
        yield "laws", [ref.chinese for ref in case.gold.laws]


def _topic(case: AdviceCase, name: str) -> Iterator[Section]:
    for topic in case.topics:
        if topic.id == name:
            yield "question", [topic.question]
            yield "answer", [topic.answer]
            yield "points", _numbered(topic.points)
            yield "laws", [ref.chinese for ref in topic.laws]


def _part(case: Case, role: str, seed: int) -> Iterator[Section]:
    """The part of a role: what it holds, and how it was to speak in this attempt."""
    yield "traits", [style(traits_of(case, role, seed), persona_of(case, role))] if persona_of(case, role) else []
    yield "part", list(_told(visible(case, case.env, role)))


def _told(value: object, name: str = "") -> Iterator[str]:
    """Fields in lines, named as in case files."""
    label = f"case.{name}"
    before = f"{t(label)}：" if known(label) else ""
    if isinstance(value, Mapping):
        yield from (
            line
            for key, item in value.items()
            if key not in ("persona", "proves", "side")
            for line in _told(item, str(key))
        )
    elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        for number, item in enumerate(value, 1):
            yield f"【{before.rstrip('：') or name} {number}】"
            yield from _told(item)
    elif isinstance(value, list):
        yield before + "；".join(map(str, value))
    elif value not in (None, "", False):
        yield f"{before}{value}"


def _numbered(texts: Iterable[str]) -> list[str]:
    return [f"{number}. {text}" for number, text in enumerate(texts, 1)]
