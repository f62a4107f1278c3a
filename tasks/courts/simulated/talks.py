"""Whether the other one in an interview answers: who asks for advice words the topic it was given (KQ, LC), a party
tells its lawyer what was asked of its own data, claims and exhibits (CD, DD). In talks of other kinds only the words
are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tasks.agents.degenerate import denies
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase
from tasks.courts.casefile.people import Party
from tasks.courts.casefile.visibility import grant, leaves
from tasks.courts.environment import Ending, Role, TopicCue, environment
from tasks.courts.play.flow import next_cue
from tasks.courts.play.tracking import TopicTurn
from tasks.courts.procedure.answers import FEWEST, fault, replies
from tasks.courts.procedure.model import Reason, Turn
from tasks.courts.scores.bigrams import bigrams, recall
from tasks.courts.simulated.asking import IDENTITY, WHOLE, Client, Wanted, wanted

PUT = 0.3
"""A topic is put when so many pairs of it, or of another way to ask it, are said; of a theme likewise."""
TOLD = 0.5
"""A datum is told when so many of its pairs are said."""
ITEM = 0.3
"""A claim, a defence or the title of an exhibit in a client's own words."""
_NO_LIMIT = 1_000_000


def reasons(
    case: Case, role: Role, record: Sequence[Turn], tracked: Sequence[TopicTurn] = (), read: Sequence[int] = ()
) -> Iterator[tuple[int, Reason]]:
    """Place in the record of each turn of a role that answers somebody -> why it is no answer, '' where it is one.

    Args:
        case: the case file.
        role: of the visibility table.
        record: what was said, by role.
        tracked: exchanges of KQ and LC; `read`: how many of them were over when each turn of the record was made.
    """
    here = environment(case.env)
    holds = grant(case.env, role).holds
    known: set[str] = set()
    for path, value in leaves(case):
        if path in holds:
            known |= bigrams(str(value))
    own: list[Turn] = []
    for at, turn in enumerate(record):
        heard = next((one.text for one in reversed(record[:at]) if one.speaker != role), "")
        reason: Reason = ""
        if turn.speaker == role and not (at == 0 and here.opening):
            over = tracked[: read[at]] if at < len(read) else tracked
            reason = _reason(case, role, record[:at], turn, heard, own, known, over)
            own.append(turn)
            yield at, reason
        if not reason:
            known |= bigrams(turn.text)


def _reason(
    case: Case, role: Role, before: Sequence[Turn], turn: Turn, heard: str, own: Sequence[Turn], known: set[str],
    tracked: Sequence[TopicTurn],
) -> Reason:  # fmt: skip
    if isinstance(case, AdviceCase):
        cue = _cue(case, before, tracked)
        # What was asked again stands in what is held: only the thanks at the end speak of nothing.
        free = cue is not None and cue.kind == "close"
        return fault(turn, bigrams(turn.text) if free else known) or _put(case, cue, turn.text, known)
    if isinstance(case, CivilCase) and environment(case.env).kind == "draft":
        client: Client = "plaintiff" if role == "plaintiff" else "defendant"
        return fault(turn, known) or _told(case, client, heard, turn.text, own, known)
    return fault(turn, bigrams(turn.text))


# --- advice ---------------------------------------------------------------------------------------------------------


def _cue(case: AdviceCase, before: Sequence[Turn], tracked: Sequence[TopicTurn]) -> TopicCue | None:
    cue = next_cue(environment(case.env), case, "law", _NO_LIMIT, before, tracked)
    return None if isinstance(cue, Ending) else cue.topic


def _put(case: AdviceCase, cue: TopicCue | None, text: str, known: set[str]) -> Reason:
    if cue is None or cue.kind == "close":
        return ""
    said = bigrams(text)
    asked = (case.theme,) if cue.kind == "theme" else (cue.question, *cue.aliases)
    if max((recall(bigrams(one), said) for one in asked if one), default=1.0) >= PUT:
        return ""
    # Who asks on may do so in words of the reply, or of the matter.
    return "" if cue.kind == "follow_up" and len(said & known) >= FEWEST else "evades"


# --- drafts ---------------------------------------------------------------------------------------------------------


def _told(case: CivilCase, client: Client, question: str, text: str, own: Sequence[Turn], known: set[str]) -> Reason:
    """One of the things that were asked for is told; what the file does not hold, or was told, is answered by any
    words."""
    wants = wanted(question, client)
    before, said = bigrams("".join(one.text for one in own)), bigrams(text)
    lists = [found for want in wants if (found := _items(case, client, want))]
    left = [
        (items, least) for items, least in lists if not all(recall(bigrams(item), before) >= least for item in items)
    ]
    if any(recall(bigrams(item), said) >= least for items, least in lists for item in items):
        return ""
    if len(left) < len(wants) or not wants:
        return "" if replies(question, text, known) else "evades"
    return "incomplete" if denies(text) else "evades"


def _items(case: CivilCase, client: Client, want: Wanted) -> tuple[tuple[str, ...], float] | None:
    """What the file holds of what is wanted, and how much of one of them has to be said; None where it holds nothing
    of that kind."""
    if want.slot in IDENTITY or want.slot == WHOLE:
        side = client if want.owner != "other" else ("defendant" if client == "plaintiff" else "plaintiff")
        values = tuple(value for party in case.parties if party.side == side for value in _data(party, want.slot))
        return (values, TOLD) if values else None
    mine = {party.id for party in case.parties if party.side == client}
    exhibits = [one for one in case.evidence if one.owner in mine]
    found: Mapping[str, tuple[str, ...]] = {
        "claims": tuple(claim.text for claim in case.claims) if client == "plaintiff" else (),
        "defences": tuple(one.text for one in case.defences) if client == "defendant" else (),
        "evidence": tuple(one.title for one in exhibits),
        "source": tuple(one.source for one in exhibits if one.source),
        "purpose": tuple(one.purpose for one in exhibits),
    }
    if want.more or want.slot not in found:
        return None
    return (found[want.slot], ITEM) if found[want.slot] else None


def _data(party: Party, slot: str) -> list[str]:
    """A datum of a party as it may be told: of a day the year is enough, for who is vague at first."""
    names = ("name", "address") if slot == WHOLE else (slot,)
    values = [str(value) for name in names if (value := getattr(party, name, None))]
    return [value[:4] if slot == "birth_date" else value for value in values]
