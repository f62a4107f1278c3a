"""Whether the other one in an interview answers: who asks for advice words the topic it was given (KQ, LC), a party
tells its lawyer what was asked of its own data, claims and exhibits (CD, DD). In talks of other kinds only the words
are looked at.

What a lawyer's question to a client asks for is read by words: whose identity, facts, claims, defences, evidence. The
client who answers reads it so too. What cannot be read asks for nothing in particular.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from store.tables import beside
from store.text.normalise import fold_width
from tasks.agents.degenerate import denies
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase
from tasks.courts.casefile.people import Party
from tasks.courts.casefile.visibility import grant, leaves
from tasks.courts.environment import Ending, Role, TopicCue, environment
from tasks.courts.play.episode import next_cue
from tasks.courts.play.tracking import TopicTurn
from tasks.courts.procedure.answers import FEWEST, fault, replies
from tasks.courts.procedure.model import Reason, Turn
from tasks.courts.scores.bigrams import bigrams, recall

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


def _items(case: CivilCase, client: Client, want: RequestedSlot) -> tuple[tuple[str, ...], float] | None:
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


# --- what a question asks for ---------------------------------------------------------------------------------------

Owner = Literal["own", "other"]
Client = Literal["plaintiff", "defendant"]
LONGEST = 2000
"""Characters of an utterance that are read."""
IDENTITY = (
    "name", "gender", "ethnicity", "birth_date", "address", "contact", "occupation", "workplace", "representative",
    "representative_title", "education", "birthplace",
)  # fmt: skip
WHOLE = "identity"
"""身份信息: all of it, without a field."""


@dataclass(frozen=True, slots=True)
class RequestedSlot:
    """One thing that is asked for. owner: whose identity, '' for all else; more: whether there is anything
    further."""

    slot: str
    owner: Owner | Literal[""] = ""
    more: bool = False


_SLOT = re.compile("|".join(f"(?P<{slot}>{words})" for slot, words in beside(__package__, "asking")["slots"].items()))
_MORE = re.compile(
    r"还有(?:没有|什么|哪些|其他|其它|别的|要|需要|无)?|补充|遗漏|除此(?:之外|以外)|另外有|接着说|继续(?:说|讲)"
    r"|然后呢|后来呢|后来|别的|其余|其他|剩下"
)
_ASKS = re.compile(
    r"[?？]|请(?!假|求|您?稍)|告诉|说(?:说|一下|明|清|准)|讲(?:讲|一下|清)|提供|介绍|吗|呢|什么|哪|多少|是否|有没有"
    r"|怎么|如何|谁|几"
)
_ITEM = re.compile(r"[(]?(?:[0-9]{1,2}|[一二三四五六七八九十]{1,3})[.、)]|[-*•]")
_PLACES: Mapping[Client, Mapping[Owner, str]] = {
    "plaintiff": {
        "own": r"您|你(?!们双方)|本人|自己|原告|我方|贵(?:公司|方|单位)",
        "other": r"对方|被告|他们?|她们?|欠款人|借款人|侵权人",
    },
    "defendant": {
        "own": r"您|你(?!们双方)|本人|自己|被告|答辩人|我方|贵(?:公司|方|单位)",
        "other": r"对方|原告|他们?|她们?|起诉(?:您|你)的",
    },
}  # fmt: skip
_BOTH = re.compile(
    r"双方(?:当事人)?的?|(?:您|你|原告)(?:和|与|以及|跟)(?:对方|被告)|(?:您|你|被告)(?:和|与|以及|跟)(?:对方|原告)"
    r"|原被告|原、被告"
)


@lru_cache(maxsize=1024)
def wanted(utterance: str, client: Client) -> tuple[RequestedSlot, ...]:
    """What an utterance of the lawyer asks for, in the order in which it asks; () where it asks for nothing known.

    Args:
        utterance: whole; sentences that ask nothing are passed over.
        client: whom it is said to.
    """
    found: dict[RequestedSlot, None] = {}
    last: Owner = "own"
    for sentence in asking(utterance):
        for one in _of(sentence, client, last):
            found.setdefault(one)
            last = one.owner or last
    return tuple(found)


@lru_cache(maxsize=1024)
def asking(utterance: str) -> tuple[str, ...]:
    """The sentences of an utterance that ask for something, with the items of the lists that they open."""
    text = fold_width(utterance[:LONGEST])
    asked: list[str] = []
    opened = False
    for part in (part.strip() for part in re.findall(r"[^。！!?;\n]*[。！!?;\n]?", text)):
        asks = bool(_ASKS.search(part))
        if asks or (opened and _ITEM.match(part)):
            asked.append(part)
        if asks or (part and not _ITEM.match(part)):
            opened = asks and ":" in part
    return tuple(asked)


def _of(sentence: str, client: Client, last: Owner) -> Iterator[RequestedSlot]:
    matches = [(match.start(), match.lastgroup or "") for match in _SLOT.finditer(sentence)]
    if any(slot == "representative" for _, slot in matches):
        # 法定代表人的姓名 is no name of the party.
        at = _at(matches, "representative")
        matches = [(place, slot) for place, slot in matches if slot != "name" or not 0 < place - at < 8]
    more = bool(_MORE.search(sentence))
    slots = {slot for _, slot in matches}
    fields = slots & set(IDENTITY)
    if "witness" in slots:
        # 证人的姓名和住址 is the witness's, whatever stands before or behind.
        matches = [(at, slot) for at, slot in matches if slot not in IDENTITY or at < _at(matches, "witness")]
    for at, slot in matches:
        if slot in IDENTITY or slot == WHOLE:
            if slot == WHOLE and (fields or slots & {"facts", "claims", "evidence", "defences"}):
                continue
            for owner in _owners(sentence, at, client, last):
                yield RequestedSlot(slot, owner)
        elif slot == "facts" and slots & {"claims", "evidence", "defences", "purpose", "sums", "witness", "source"}:
            continue  # 证明什么事实, 对哪些事实有异议
        elif slot not in ("evidence", "sums") or slot in _listed(sentence, slots):
            yield RequestedSlot(slot, "", more)
    if not matches and more:
        yield RequestedSlot("more", "", True)


_LISTS = re.compile(
    r"(?:有|是)?(?:哪些|什么|没有|哪几)(?:证据|诉讼请求|请求|要求|证明材料|材料|凭证)|证据(?:有|吗|都有)"
    r"|诉讼请求(?:有|是|都有)|提供[^，。]{0,6}证据"
)


def _listed(sentence: str, slots: set[str]) -> set[str]:
    """Of evidence and sums, what is asked for in its own right: 这些证据从哪里来 asks for sources alone."""
    lists = bool(_LISTS.search(sentence))
    evidence = lists or not slots & {"source", "purpose"}
    sums = not (lists and "claims" in slots)
    return {slot for slot, asked in (("evidence", evidence), ("sums", sums)) if asked}


def _at(matches: list[tuple[int, str]], slot: str) -> int:
    return next(at for at, found in matches if found == slot)


def _owners(sentence: str, at: int, client: Client, last: Owner) -> tuple[Owner, ...]:
    """Whose it is: who was named last before it, else in the sentence, else in the sentence before."""
    if _BOTH.search(sentence):
        return ("own", "other")
    named: list[tuple[int, Owner]] = [
        (match.start(), owner) for owner, words in _PLACES[client].items() for match in re.finditer(words, sentence)
    ]
    before = [pair for pair in named if pair[0] < at]
    if before:
        return (max(before)[1],)
    behind = {owner for _, owner in named}
    return (behind.pop() if len(behind) == 1 else last,)
