"""The record of an ended episode as a scorer reads it: 庭审笔录 with speakers and stages, or question and answer.

Entries carry the number of the utterance they belong to, so that a view can go to the words that a metric is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textual.events import Resize

from app.court_words import addressees, speaker
from app.desk.episode.renderers import Line, many, one, seat_name
from app.desk.review.runs import EpisodeReview, ReviewMetric
from app.desk.widgets.lines import DisplayRow, LinesPane, rule, wrapped
from app.strings import known, language, t
from app.terminal import truncate
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase, Env
from tasks.courts.casefile.people import style
from tasks.courts.casefile.questions import CourtQuestion
from tasks.courts.casefile.roles import names_of, role_name, role_of
from tasks.courts.casefile.visibility import visible
from tasks.courts.environment import codes
from tasks.courts.play.episode import persona_of, traits_of
from tasks.courts.play.record import shown
from tasks.courts.scores.documents import PARTS, gold_text
from tasks.courts.scores.drafted import kind_of_case
from tasks.courts.scores.score import CONSISTENCY
from tasks.episode.events import Said, StageEntered, TopicTracked
from tasks.episode.with_tools import SEAT

TOPIC = "topic:"
RULED = "判决如下"


@dataclass(frozen=True, slots=True)
class TranscriptEntry:
    """One utterance: its lines, and its place among all. A heading stands alone, with a line across; its place is
    -1."""

    lines: tuple[Line, ...]
    place: int = -1
    heading: str = ""


def entries_of(review: EpisodeReview) -> list[TranscriptEntry]:
    """The record, in order."""
    if review.env is not None:
        return list(_hearing(review, review.env))
    asked, result = str(getattr(review.question, "card", {}).get("question", "")), review.result
    parts = [("event.question", asked, "question"), ("event.answered", result.res, "answer")]
    if result.summary and result.summary != result.res:
        parts.append(("event.summary", result.summary, "text"))
    found: list[TranscriptEntry] = []
    for place, (name, text, role) in enumerate(parts):
        found += [
            TranscriptEntry((), -1, t(name)),
            TranscriptEntry(
                many(text, role) if text.strip() else (((t("review_screen.nothing_said"), "warn"),),), place
            ),
        ]
    return found


def _hearing(review: EpisodeReview, env: Env) -> Iterator[TranscriptEntry]:
    """Utterances with the stage they begin above them: what follows from an utterance is recorded after it."""
    events, names = review.events, names_of(review.question.card)
    for place, event in enumerate(events):
        if not isinstance(event, Said):
            continue
        for later in events[place + 1 :]:
            if isinstance(later, Said):
                break
            if isinstance(later, StageEntered):
                yield TranscriptEntry((), -1, one(later.name))
        to = f" → {one(addressees(event.to, env, names))}" if event.to else ""
        first, *rest = many(shown(event.text))
        yield TranscriptEntry(
            (((one(speaker(event.seat, env, names)), "seat"), (f"{to}：", "dim"), *first), *rest), place
        )


def place_of(review: EpisodeReview, metric: str) -> int:
    """The utterance that a metric is about: the reply on a topic, the first words of a role, else the judgment or the
    last words of the tested seat."""
    said = [(place, event) for place, event in enumerate(review.events) if isinstance(event, Said)]
    if metric.startswith(TOPIC):
        topic = metric.removeprefix(TOPIC)
        tracked = [
            place
            for place, event in enumerate(review.events)
            if isinstance(event, TopicTracked) and topic in (event.pointer, event.topic)
        ]
        return max((place for place, _ in said if tracked and place < tracked[0]), default=-1)
    if metric.startswith(CONSISTENCY) and review.env is not None:
        role = metric.removeprefix(CONSISTENCY)
        return next((place for place, event in said if role_of(review.env, event.seat) == role), -1)
    own = [(place, event) for place, event in said if event.seat == SEAT]
    judged = [place for place, event in own if RULED in event.text]
    return max(judged or [place for place, _ in own], default=1 if review.env is None else -1)


class RecordPane(LinesPane):
    """Shows entries; the owner of a row is the place of its entry."""

    def __init__(self, help_id: str, *, id: str) -> None:
        super().__init__(help_id, id=id)
        self._entries: Sequence[TranscriptEntry] = ()
        self._place = -1
        self._waits = False

    def show_entries(self, entries: Sequence[TranscriptEntry]) -> None:
        self._entries = entries
        self.rebuild()

    def go_to(self, place: int) -> None:
        self._place, self._waits = place, True
        self.call_after_refresh(self._reveal)

    def rebuild(self) -> None:
        """Make the rows again; a view that was hidden goes where it was sent."""
        super().rebuild()
        if self._waits:
            self.call_after_refresh(self._reveal)

    def on_resize(self, event: Resize) -> None:
        top = self.rows[self.scroll_offset.y].owner if self.scroll_offset.y < len(self.rows) else -1
        super().on_resize(event)
        if not self._waits and self.scroll_offset.y:
            self.go_to(top if top >= 0 else self._place)

    def _reveal(self) -> None:
        if self.rows and not self._stale:
            self._waits = False
            top = next((y for y, row in enumerate(self.rows) if row.owner == self._place >= 0), 0)
            self.scroll_to(y=top, animate=False, force=True, immediate=True)

    def build(self, width: int) -> Iterable[DisplayRow]:
        for entry in self._entries:
            if entry.heading:
                yield rule(entry.heading, width)
            for number, line in enumerate(entry.lines):
                start = (("  ", "text"),) if number else ()
                for row in wrapped((*start, *line), width, 2):
                    yield DisplayRow(tuple(row), entry.place)


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


def reference_lines(review: EpisodeReview, asked: ReviewMetric) -> list[Line]:
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
