"""What a court environment is, and which there are: the six of the published benchmark, and those that packages add.

An environment says who sits in it, what each of them holds of the case file, who speaks next, and what is scored. All
else asks it: a seventh is one file with an `Environment`, registered by its code in the group `moot.environments`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tasks import registry
from tasks.courts.casefile.case import CaseFile, Env
from tasks.courts.play.tracking import TopicTurn
from tasks.courts.procedure.model import Turn
from tasks.episode.with_tools import SEAT
from tasks.errors import UsageError
from tasks.scoring.metrics import Rule, Value
from tasks.scoring.names import Names, called

if TYPE_CHECKING:
    from store.search.law_search import LawSearch

Path = str
"""A field of the case file, as `casefile.visibility` names it."""
Role = str
Kind = Literal["advice", "draft", "trial", "talk"]
"""advice: questions about topics, tracked; draft: an interview that ends in a document; trial: a hearing with its
procedure; talk: whatever else two or more people say to each other."""
PUBLISHED: tuple[Env, ...] = registry.PUBLISHED["environments"]
PLAIN_CARD = "court-seat/1"
"""The card of a seat that has none of its own: name, duty, what it holds, what it must not do."""


@dataclass(frozen=True, slots=True)
class TopicCue:
    """What somebody who asks for advice does next; the controller owns the pointer.

    kind: theme (speak of the matter in general), ask (put this question), follow_up (the reply left it open), close
    (thank and end). first: nothing but the opening line was said before.
    """

    kind: Literal["theme", "ask", "follow_up", "close"]
    id: str = ""
    question: str = ""
    aliases: tuple[str, ...] = ()
    first: bool = False


@dataclass(frozen=True, slots=True)
class Cue:
    """The next utterance: whose it is, the turn it belongs to; `fixed`: words that the environment says itself."""

    role: Role
    turn: int
    fixed: str = ""
    to: tuple[Role, ...] = ()
    topic: TopicCue | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """The episode is over."""

    outcome: Literal["finished", "turn_limit", "stalled"]
    reason: str


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat of an environment.

    Args:
        name: what courts call it.
        holds: the fields of the case file that it knows.
        never: what it must not say or do, for its prompt.
        rules: what sits there by rules: a function of the statute search (None without one), or "module:attribute" of
            one; "": nobody can.
        card: prompt file of a model that sits there; "": the plain one.
        duty: what it is there to do, for the plain card.
        asks: whether it may put questions to others than the court.
        marker: the words by which the published judge speaks to it.
        at: words behind an @ that a person in another seat may call it by.
    """

    name: str
    holds: frozenset[Path] = frozenset()
    never: tuple[str, ...] = ()
    rules: str | Callable[[LawSearch | None], Any] = ""
    card: str = ""
    duty: str = ""
    asks: bool = False
    marker: str = ""
    at: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Environment:
    """A court environment.

    Args:
        code: the name under which cases, runs and reports know it.
        names: what people call it, Chinese and English.
        kind: see `Kind`; how it is played, scored and shown unless it says so itself.
        case: its case file; `env` of it takes this code.
        seats: role -> seat; the tested one first, then the others.
        opening: the fixed line of turn 0; `opener`: who says it where the controller does not, "": the second seat.
        turns: of the published benchmark, or of an episode.
        metrics: rule -> metrics in the order of tables, none under compat where nothing is published; `reported`:
            those of the main table.
        family: environments whose cases are stages of the same matters, for statistics; "": it stands alone.
        gold: "module:attribute" of the policy that is granted the gold, given the case.
        both: whom a judge addresses by words such as 双方; `all_at`: words behind an @ that call them.
        retold: what a document calls the tested seat's client and the other side, who are 我 and 对方 in the
            interview.
        finds: what the tested seat is there to find and to say by itself: who is right has leaked nothing.
        cue: who speaks next, or that it is over, given case, limit, what was said and the topics that were tracked;
            None: as its kind does.
        score: metric -> share from 0 to 1, or None, given the case and what was said; None: as its kind does.
        perfect: what a perfect agent says, turn by turn, given the case: reference and ceiling; None: nobody knows.
        version: of `score`.
    """

    code: Env
    names: Names
    kind: Kind
    case: type[CaseFile]
    seats: Mapping[Role, Seat]
    opening: str
    turns: int
    metrics: Mapping[Rule, tuple[str, ...]]
    reported: tuple[str, ...]
    opener: Role = ""
    family: str = ""
    gold: str = ""
    both: tuple[Role, ...] = ()
    all_at: tuple[str, ...] = ()
    retold: tuple[str, str] | None = None
    finds: frozenset[Path] = frozenset()
    cue: Callable[[Any, int, Sequence[Turn], Sequence[TopicTurn]], Cue | Ending] | None = None
    score: Callable[[Any, Sequence[Turn]], Mapping[str, Value]] | None = None
    perfect: Callable[[Any], Sequence[str]] | None = None
    version: str = "1"

    @property
    def tested(self) -> Role:
        """The role under test; `agent` is another word for it."""
        return next(iter(self.seats))

    @property
    def others(self) -> tuple[Role, ...]:
        """The roles beside the tested one."""
        return tuple(self.seats)[1:]

    def role_of(self, seat: str) -> Role:
        """The role of a seat of an episode."""
        return self.tested if seat == SEAT else seat

    def seat_of(self, role: Role) -> str:
        """The seat of a role."""
        return SEAT if role == self.tested else role

    @property
    def tested_opens(self) -> bool:
        """Whether the tested seat speaks first."""
        return self.opener == self.tested

    @property
    def trial(self) -> bool:
        """Whether it is a hearing of a court."""
        return self.kind == "trial"

    @property
    def label(self) -> Names:
        """What reports call it."""
        return called(self.code, self.names, "zh"), called(self.code, self.names, "en")

    @property
    def markers(self) -> dict[str, Role]:
        """Marker -> role, in the published order of precedence."""
        return {seat.marker: role for role, seat in self.seats.items() if seat.marker}


def environment(code: Env) -> Environment:
    """The environment of this code; `UsageError` where there is none, or none that can be loaded."""
    found = registry.load("environments", code)
    if not isinstance(found, Environment) or found.code != code:
        raise registry.unusable("environments", code, f"this is no court environment of its code: {found!r:.100}")
    return found


def codes() -> tuple[Env, ...]:
    """The environments that can be loaded, published ones first. Who asks for a broken one hears why."""
    found = []
    for code in registry.names("environments"):
        with suppress(UsageError):
            found.append(environment(code).code)
    return tuple(found)
