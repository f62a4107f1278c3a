"""Whether a side of a trial answers what the judge asked it, measured on what the case file gives it to say.

What is asked is what the procedure takes a turn of the judge for (`procedure.machine`). A statement of claims holds
the claims of the file, an answer takes a position on each, an indictment is that of the file, an exhibit is offered
by number or title, an opinion names what it is on and keeps the objections of the file; all else is answered by words
that say anything to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files

from tasks.agents import degenerate
from tasks.agents.degenerate import EMPTY, denies
from tasks.courts.casefile.case import CivilCase, CriminalCase
from tasks.courts.casefile.people import COUNSEL
from tasks.courts.casefile.visibility import Same, leaves
from tasks.courts.environment import environment
from tasks.courts.procedure.acts import Known
from tasks.courts.procedure.exhibits import Exhibits
from tasks.courts.procedure.replies import broken, items_named, responsive
from tasks.courts.procedure.tables import ActSpec
from tasks.courts.procedure.turn_classifiers import speaks_to
from tasks.courts.procedure.turns import SIDE_OF, Hearing, Holding, Point, Side, Turn
from tasks.courts.scores.bigrams import bigrams, recall, sentences
from tasks.courts.scores.consistency import sums_in
from tasks.courts.simulated.wording import FEWEST, LINES, Reason, fault, replies

MADE = 0.35
"""A point is made when so many of its pairs are said; with one of its amounts a third of that is enough."""
LEAST: Mapping[str, float] = {"claim": 0.5, "answer": 0.5}
"""Act -> share of its points that an answer makes; of a longer text (an indictment, which may be read in extracts, an
opinion) one sentence is enough."""
OWN = 2
"""Pairs of what it holds, beside those of the question, that a side says when it is given the floor."""
KEPT = 0.3
"""An objection is kept when so many of its pairs are said."""
_ALL = re.compile(r"(?:全部|所有|各项|任何|其余|其他)[^，。；]{0,6}(?:请求|主张)")
_CONTESTED = re.compile(r"(?<![没无])有[^没无，。；]{0,6}(?:异议|意见)|不(?:予|能)?(?:认可|承认|证明|采信|真实|合法)")


def holdings(case: CivilCase | CriminalCase) -> Mapping[Side, Holding]:
    """What each side of a trial holds."""
    return _holdings(Same(case))


@lru_cache(maxsize=256)
def _holdings(same: Same) -> Mapping[Side, Holding]:
    case = same.case
    assert isinstance(case, CivilCase | CriminalCase)
    points = _civil_points(case) if isinstance(case, CivilCase) else _criminal_points(case)
    fields = [(path, bigrams(str(value))) for path, value in leaves(case)]
    made: dict[Side, Holding] = {}
    for role, seat in environment(case.env).seats.items():
        side = SIDE_OF.get("accused" if (case.env, role) == ("CR", "defendant") else role)
        if side:
            words = frozenset[str]().union(*(pairs for path, pairs in fields if path in seat.holds))
            made[side] = Holding(words, points.get(side, {}), _contests(case, side))
    return made


def _civil_points(case: CivilCase) -> Mapping[Side, Mapping[str, tuple[Point, ...]]]:
    claims = tuple(
        Point(claim.text, sums_in(claim.text), frozenset({claim.id}))
        for claim in case.claims
        if claim.kind != "costs"
    )
    every = frozenset[str]().union(*(claim.of for claim in claims))
    defences = tuple(
        Point(one.text, sums_in(one.text), frozenset(one.answers) & every or every) for one in case.defences
    )
    return {"plaintiff": {"claim": claims}, "defendant": {"answer": defences}}


def _criminal_points(case: CriminalCase) -> Mapping[Side, Mapping[str, tuple[Point, ...]]]:
    matter = case.criminal
    opinion = _sentences(matter.defence_opinion)
    return {
        "procurator": {"indictment": _sentences(matter.indictment), "prosecution": _sentences(matter.opinion)},
        "defence": {"defence": opinion, "fast_defence": opinion},
    }


def _sentences(text: str) -> tuple[Point, ...]:
    return tuple(Point(part, sums_in(part)) for part in sentences(text) if len(bigrams(part)) >= FEWEST)


def _contests(case: CivilCase | CriminalCase, side: Side) -> Mapping[str, tuple[str, ...]]:
    """Exhibit -> what a side has against it."""
    known: dict[str, str] = {party.id: "accused" if case.env == "CR" else party.side for party in case.parties}
    known[COUNSEL] = "defence"
    return {
        exhibit.id: texts
        for exhibit in case.evidence
        for one in exhibit.objections
        if known.get(one.by) == side
        and (texts := tuple(filter(None, (one.truth, one.legality, one.relevance, one.weight))))
    }


@cache
def court_language() -> frozenset[str]:
    """Pairs of the words in which parties speak in court whatever the case is, from the tables of the rules' seats:
    an accused who repents needs no word of the file."""
    folder = files("tasks.courts.agents.trial")
    names = ("speech.toml", "hearing_civil.toml", "hearing_criminal.toml")
    return frozenset[str]().union(*(bigrams(folder.joinpath(name).read_text(encoding="utf-8")) for name in names))


class Answers:
    """Follows a trial and says of each turn of a side whether it is an answer. Without holdings nothing is said
    against any."""

    def __init__(self, hearing: Hearing) -> None:
        self._held = hearing.held
        self._names = Known.of(hearing)
        self._said: list[Turn] = []
        self._own: dict[Side, list[degenerate.Exchange]] = {}
        self._known = {side: {*held.words, *court_language()} for side, held in hearing.held.items()}
        """Side -> pairs of all that it holds, and of all that was said before."""

    def hear(self, turn: Turn, reason: Reason = "") -> None:
        """Take the next turn of anybody; words that were no answer make nothing known."""
        if side := SIDE_OF.get(turn.speaker):
            self._own.setdefault(side, []).append(degenerate.Exchange(self._asked(turn), turn.text))
        if not reason:
            for known in self._known.values():
                known |= bigrams(turn.text)
        self._said.append(turn)

    def plain(self, turn: Turn, side: Side) -> Reason:
        """What is wrong with a turn whatever it answers."""
        if side not in self._held:
            return ""
        asked, own = self._asked(turn), self._own.get(side, ())
        lines = [line for line in turn.text.splitlines()[:LINES] if not broken(line)]
        if turn.fault in EMPTY and any(not degenerate.fault(line, asked, own, again=1) for line in lines):
            turn = replace(turn, fault="")  # one line that answers is an answer; the turn is flagged all the same
        return fault(turn, self._known[side])

    def freely(self, turn: Turn, side: Side) -> Reason:
        """What is wrong with a turn that answers no act of the procedure."""
        if (held := self._held.get(side)) is None:
            return ""
        return "" if replies(self._asked(turn), turn.text, held.words | court_language()) else "evades"

    def to(self, spec: ActSpec, side: Side, asked: str, text: str, exhibits: Exhibits) -> Reason:
        """What is wrong with a text as an answer to an act.

        Args:
            spec: the act that a turn of the judge is taken for.
            side: who was asked.
            asked: that turn.
            text: what the side said.
            exhibits: where they stand before this answer.
        """
        if (held := self._held.get(side)) is None:
            known = court_language() | bigrams(asked)
            said = spec.exhibits or spec.reply in _READ or replies(asked, text, known)
            return "" if said and speaks_to(spec.id, text, self._names) else "evades"
        if spec.exhibits == "owner":
            return _offer(held, side, asked, text, exhibits)
        if spec.exhibits == "other":
            return _opinion(held, side, asked, text, exhibits)
        if points := held.points.get(spec.id):
            return "" if _share(spec.id, points, text) >= LEAST.get(spec.id, 1 / len(points)) else "incomplete"
        if not responsive(spec.reply, text, exhibits.hearing.names.get(side, ())):
            return "evades"
        if spec.reply in _READ:  # what else is said differs with every case, and is compared with it
            return "" if speaks_to(spec.id, text, self._names) else "evades"
        if spec.reply == "open" and not denies(text):
            own = (bigrams(text) & held.words) - bigrams(asked)
            return "" if len(own) >= OWN else "evades"
        return "" if replies(asked, text, held.words | court_language()) else "evades"

    def _asked(self, turn: Turn) -> str:
        """What a turn answers: the last that was said to its speaker, else by the judge."""
        before = [one for one in self._said if one.speaker != turn.speaker]
        to_it = (one for one in reversed(before) if turn.speaker in one.to or one.speaker == "judge")
        return next((one.text for one in to_it), "")


_READ = frozenset({"identity", "recusal", "mediation", "view", "evidence", "plea"})
"""Kinds of replies that `responsive` knows by what they say."""


def _offer(held: Holding, side: Side, asked: str, text: str, exhibits: Exhibits) -> Reason:
    """Whoever has something to offer names it; who has nothing left says anything."""
    if exhibits.offered(side, text) or not exhibits.unshown(side):
        return "" if exhibits.offered(side, text) or replies(asked, text, held.words) else "evades"
    return "incomplete" if denies(text) else "evades"


def _opinion(held: Holding, side: Side, asked: str, text: str, exhibits: Exhibits) -> Reason:
    """An opinion is on what the question or it names. One that names nothing keeps at least one of the objections of
    the file: 没有异议 to all that is shown gives them up."""
    if not exhibits.to_hear(side):
        return "" if replies(asked, text, held.words) else "evades"
    meant = exhibits.heard_on(side, asked, text)
    if not meant:
        return "evades"
    against = [objection for item in meant for objection in held.contests.get(item.id, ())]
    said = bigrams(text)
    if (
        not against
        or items_named(text, meant)
        or any(recall(bigrams(one), said) >= KEPT for one in against)
        or _CONTESTED.search(text)
    ):
        return ""
    return "yields"


def _share(act: str, points: Sequence[Point], text: str) -> float:
    """Share of the points that a text makes; of an answer the share of the claims that it takes a position on."""
    said = bigrams(text)
    made = [point for point in points if _makes(point, said, text)]
    if act != "answer":
        return len(made) / len(points)
    every = frozenset[str]().union(*(point.of for point in points))
    taken = every if made and _ALL.search(text) else frozenset[str]().union(*(point.of for point in made))
    return len(taken) / len(every) if every else len(made) / len(points)


def _makes(point: Point, said: frozenset[str], text: str) -> bool:
    share = recall(bigrams(point.text), said)
    return share >= MADE or (share >= MADE / 3 and bool(point.sums & sums_in(text)))
