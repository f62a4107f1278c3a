"""A court episode as it stands: who is there, what was said, whose turn it is, what each may see. Read from records
alone.

The case file comes from the task file of the run and may be missing; then what the records say is all there is. Turns
are exchanges of the tested seat, as limits count them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from app.court_words import SIDES, env_of
from app.strings import known, language, t
from store.text.numerals import int_to_chinese
from tasks.courts.casefile.case import Case, CivilCase, CriminalCase, Env, Fields
from tasks.courts.casefile.roles import names_of, role_name, role_of, seat_of
from tasks.courts.casefile.visibility import visible
from tasks.courts.environment import Cue, Ending, Role, environment
from tasks.courts.play.episode import limit_of, made, next_cue
from tasks.courts.play.record import spoken, topic_turns
from tasks.courts.play.tracking import TopicTurn
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.model import Duty, Hearing, ProfileName, Turn, duties
from tasks.episode.events import AttemptStarted, Event, ExhibitMoved, Record, Seated
from tasks.episode.scheduler import HUMAN
from tasks.episode.seats import Card
from tasks.episode.with_tools import SEAT
from tasks.run.header import HeaderData

SHORT: Mapping[str, str] = {"原告委托诉讼代理人": "原告代理人", "被告委托诉讼代理人": "被告代理人"}
"""Names that are too long for a bar."""

OWNERS: Mapping[str, str] = {"procurator": "控方", "defence": "辩方"}
"""Side -> whose exhibits they are, where that is not the name of the side."""


@dataclass(frozen=True)
class EpisodeSnapshot:
    """An episode at one of its steps.

    case: None where the task file is gone or not yet read. max_turns: as the run set them, None for those of the
    case. holders: seats that a person holds now, at the head, whatever step is looked at.
    """

    env: Env
    records: Sequence[Record]
    case: Case | None = None
    profile: ProfileName = "law"
    max_turns: int | None = None
    holders: frozenset[str] = frozenset()
    asked: str = ""
    """The seat that a person was asked to speak for, '' where nobody is waited for."""
    seats: Mapping[str, Seated] = field(default_factory=dict)
    names: Mapping[Role, str] = field(default_factory=dict)
    """What the card of the episode calls a role otherwise than its environment does."""

    @cached_property
    def events(self) -> list[Event]:
        return [record.event for record in self.records]

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        return spoken(self.events, self.env)

    @cached_property
    def tracked(self) -> tuple[TopicTurn, ...]:
        return topic_turns(self.events)

    @property
    def court(self) -> bool:
        return environment(self.env).trial

    @property
    def tested(self) -> Role:
        return environment(self.env).tested

    @property
    def roles(self) -> tuple[Role, ...]:
        return tuple(environment(self.env).seats)

    @cached_property
    def limit(self) -> int | None:
        if self.max_turns is not None or self.case is None:
            return self.max_turns
        return limit_of(self.case, self.profile)

    @cached_property
    def made(self) -> int:
        return made(self.turns, environment(self.env))

    @cached_property
    def cue(self) -> Cue | Ending | None:
        """What comes next; None without the case."""
        if self.case is None or self.limit is None:
            return None
        return next_cue(environment(self.env), self.case, self.profile, self.limit, self.turns, self.tracked)

    @cached_property
    def reader(self) -> Role:
        """Whose file is shown: the person's, else that of whoever speaks next, else of the tested seat."""
        if self.asked:
            return role_of(self.env, self.asked)
        if self.holders:
            return next((role for role in self.roles if seat_of(self.env, role) in self.holders), self.tested)
        cue = self.cue
        return cue.role if isinstance(cue, Cue) and cue.role != "tracker" else self.tested

    @property
    def tested_held(self) -> bool:
        return SEAT in self.holders

    @cached_property
    def seen(self) -> Fields:
        """The part of the case file that the reader holds, {} without the case."""
        return visible(self.case, self.env, self.reader) if self.case is not None else {}

    @property
    def cause(self) -> str:
        """What it is about; '' for a person under test who must not know it yet."""
        told = self.case is not None and (not self.tested_held or "cause" in self.seen)
        return self.case.cause if self.case is not None and told else ""

    @cached_property
    def hearing(self) -> Hearing | None:
        """What the procedure knows of the case; None for what is no trial, or without the case."""
        return hearing_of(self.case) if isinstance(self.case, CivilCase | CriminalCase) and self.court else None

    @cached_property
    def duties(self) -> tuple[Duty, ...]:
        """All that the hearing may hold; () where there is none."""
        return duties(self.hearing, self.profile) if self.hearing is not None else ()

    @cached_property
    def titles(self) -> Mapping[str, str]:
        return {item.id: item.title for item in getattr(self.case, "evidence", ())}

    @cached_property
    def numbers(self) -> Mapping[str, str]:
        """Exhibit of a trial -> 原告证据一: its owner and its place among the exhibits of that side."""
        return {
            item.id: t(
                "court.exhibit", owner=OWNERS.get(item.owner, SIDES[item.owner]), n=int_to_chinese(item.number)
            )
            for item in (self.hearing.exhibits if self.hearing is not None else ())
        }

    @cached_property
    def exhibits(self) -> Mapping[str, ExhibitMoved]:
        """Exhibit -> its last move."""
        return {event.exhibit: event for event in self.events if isinstance(event, ExhibitMoved)}

    def knows(self, exhibit: str) -> bool:
        """Whether an exhibit may be named: it was shown in court, the reader holds it, or no person is to be kept
        from it."""
        if not self.holders or exhibit in self.exhibits:
            return True
        return any(item.get("id") == exhibit and item.get("title") for item in self.seen.get("evidence", ()))

    def topic(self, topic: str) -> str:
        """话题 2: a topic by its place."""
        topics = [one.id for one in getattr(self.case, "topics", ())]
        return t("court.topic", n=topics.index(topic) + 1 if topic in topics else topic)

    def name(self, role: Role) -> str:
        """What courts call a role; in English what it is called there."""
        if language() != "zh":
            title = getattr(getattr(getattr(self.case, "court", None), "presiding", None), "title", "")
            key = f"court.title.{title}" if role == "judge" and title else f"seat.{role}"
            return t(key) if known(key) else role
        return self.names.get(role) or role_name(role, self.env, self.case)

    def brief(self, role: Role) -> str:
        """The name, short enough for a bar."""
        name = self.name(role)
        return SHORT.get(name, name)

    def seat(self, seat: str) -> str:
        return self.name(role_of(self.env, seat))


def scene_of(
    header: HeaderData,
    records: Sequence[Record],
    case: Case | None = None,
    *,
    holders: frozenset[str] = frozenset(),
    asked: str = "",
) -> EpisodeSnapshot | None:
    """The scene of some records of a run with this header, with the case where it is theirs; None where they are no
    court episode."""
    began = next((record.event for record in records if isinstance(record.event, AttemptStarted)), None)
    env = env_of(began.card) if began is not None else None
    if env is None:
        return None
    if case is not None and case.env != env:  # the file of another episode, whatever the record says
        case = None
    spec = header.get("spec", {})
    seats = {record.event.seat: record.event for record in records if isinstance(record.event, Seated)}
    profile: ProfileName = "j1" if spec.get("profile") == "j1" else "law"
    turns = spec.get("max_turns")
    limit, names = turns if isinstance(turns, int) else None, names_of(began.card) if began is not None else {}
    return EpisodeSnapshot(env, records, case, profile, limit, holders, asked, seats, names)


def plain_scene(card: Card) -> EpisodeSnapshot | None:
    """Who is who in an episode with this card, and no more; None where it is no court episode."""
    env = env_of(card)
    return EpisodeSnapshot(env, (), names=names_of(card)) if env is not None else None


def human_seats(seats: Mapping[str, Seated]) -> frozenset[str]:
    """The seats that people hold."""
    return frozenset(seat for seat, seated in seats.items() if seated.engine == HUMAN)
