"""The papers that an episode holds, made of its events and the heads of its case; pure functions.

A judgment is what the judge read out, under the heads that a written judgment has. A transcript is all that was said,
in its order. Complaint and answer are the last message of the lawyer that is one. What an episode does not hold is
not made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tasks.courts.casefile.case import Case, CivilCase, CriminalCase
from tasks.courts.casefile.roles import role_name, role_of
from tasks.courts.environment import environment
from tasks.courts.papers import heads
from tasks.courts.papers.heads import Trial
from tasks.courts.papers.paper import Paper, Paragraph, lines
from tasks.courts.play.routing import shown
from tasks.courts.scores.drafted import END_MARK, TITLE, kind_of_case, strict_document
from tasks.courts.scores.rulings import judgment_of
from tasks.episode.events import ActDone, Event, Said, Seated, StageEntered
from tasks.episode.scheduler import HUMAN
from tasks.episode.with_tools import SEAT

COURT = "××××人民法院"
"""Where a case names no court."""
_BEGINS = re.compile(
    r"^\s*[#*【]*\s*(?:经?审理查明|经?本院审理查明|原告.{0,60}诉称|公诉机关.{0,40}指控|本院(?:经审理)?认为|本院查明)"
)
_CLOSING = re.compile(r"^(?:宣判完毕。?)?\s*(?:现在)?(?:宣布)?(?:闭庭|休庭)。?$|^询问结束。?$")
_SIGNED = re.compile(
    r"^[\s*]*(?:审\s*判\s*[长员]|独任审判员|人民陪审员|法官助理|书\s*记\s*员)\s*[:： ]|^[\s*]*(?:二〇"
    r"|20)\S{2,12}日[\s*]*$"
)
_MARKDOWN = re.compile(r"^\s{0,3}#{1,6}\s+|\*\*")
_PLAINT = re.compile(r"诉称|提出(?:如下)?诉讼请求|辩称|辩护意见")
_CHARGE = re.compile(r"^公诉机关.{0,40}指控")
_LEAD = re.compile(
    r"^(?:[^，。：]{2,20}：)?(?:诉讼请求|答辩意见|(?:辩护人)?(?:发表)?(?:如下)?辩护意见)(?:如下)?[：。]\s*"
)
"""How a speaker opens a pleading: nothing that a judgment repeats."""
_BLANK = r"[\d〇一二三四五六七八九十　 ]{0,9}"
_RIGHT = re.compile(
    rf"^(?:起诉人|具状人|答辩人|原告|被告)(?:（(?:签[名字章]|盖章)+）)?[:：].{{0,80}}$"
    rf"|^{_BLANK}年{_BLANK}月{_BLANK}日$"
)


@dataclass(frozen=True, slots=True)
class Held:
    """An episode to make papers of: what happened, and its case."""

    case: Case
    events: Sequence[Event]

    @property
    def said(self) -> list[Said]:
        """What was said, in order."""
        return [event for event in self.events if isinstance(event, Said)]

    @property
    def tested(self) -> list[str]:
        """What the tested seat said, as it is read out."""
        return [event.text for event in self.said if event.seat == SEAT]

    def name(self, seat: str) -> str:
        """Who speaks, in court language."""
        role = role_of(self.case.env, seat)
        name = role_name(role, self.case.env, self.case)
        return "审判员" if name == "独任审判员" else name


def transcript(held: Held) -> Paper | None:
    """庭审笔录 of a trial, 谈话笔录 of other talks."""
    if not held.said:
        return None
    case = held.case
    body = tuple(_record(held))
    if not isinstance(case, CivilCase | CriminalCase) or not environment(case.env).trial:
        return Paper((environment(case.env).names[0], "谈话笔录"), body=body)
    top = (*heads.hearing_facts(case), *heads.parties(case))
    return Paper(
        (case.court.name or COURT, "庭审笔录"), case.court.docket,
        body=(*(Paragraph(line, "flush") for line in top), *body),
        signed=heads.signatures(case, judged=False),
    )  # fmt: skip


def _record(held: Held) -> Iterator[Paragraph]:
    """Stage by stage. The events of a stage follow the words that opened it, so a heading goes before those."""
    kept: list[Event] = []
    for event in held.events:
        if isinstance(event, StageEntered):
            last = next((place for place in reversed(range(len(kept))) if _opens(kept[place])), len(kept))
            kept.insert(last, event)
        elif isinstance(event, Said):
            kept.append(event)
    for event in kept:
        if isinstance(event, StageEntered):
            yield Paragraph(event.name, "head")
        elif isinstance(event, Said):
            to = "、".join(held.name(one) for one in event.to) if event.seat == SEAT else ""
            first, *rest = shown(event.text).splitlines() or ["（未发言）"]
            yield Paragraph(f"{held.name(event.seat)}{f'（对{to}）' if to else ''}：{first.strip()}")
            yield from lines("\n".join(rest))


def _opens(event: Event) -> bool:
    return isinstance(event, Said) and event.seat == SEAT


def judgment(held: Held) -> Paper | None:
    """民事判决书 or 刑事判决书."""
    case = held.case
    if not isinstance(case, CivilCase | CriminalCase) or not environment(case.env).trial:
        return None
    found = judgment_of(held.tested)
    if found is None:
        return None
    text = list(_read_out(found.text))
    pleaded = () if any(_PLAINT.search(line.text) for line in text) else tuple(_pleadings(held, case))
    charge = sum(1 for line in text[:1] if _CHARGE.search(line.text))
    return Paper(
        (case.court.name or COURT, "刑事判决书" if heads.criminal(case) else "民事判决书"), case.court.docket,
        heads.parties(case), (Paragraph(heads.origin(case)), *text[:charge], *pleaded, *text[charge:]),
        heads.signatures(case, judged=True),
    )  # fmt: skip


def _read_out(text: str) -> Iterator[Paragraph]:
    """The judgment without what only the hearing needs: what leads up to it, the closing, signatures of its own."""
    said = [_MARKDOWN.sub("", line).strip() for line in shown(text).splitlines()]
    begin = next((place for place, line in enumerate(said) if _BEGINS.search(line)), 0)
    for line in said[begin:]:
        if line and not _CLOSING.match(line) and not _SIGNED.match(line):
            yield Paragraph(line)


def _pleaders(case: Trial) -> Iterator[tuple[str, str, str, str]]:
    """Act and seat of those whose pleading a judgment tells, who they are, and the word for it."""
    if heads.criminal(case):
        for party in case.parties:
            yield "self_defence/accused", "defendant", f"被告人{party.name}", "辩称"
            if party.counsel:
                yield "defence/defence", "defence", f"辩护人{party.counsel.name}", "提出"
        return
    for act, side, verb in (("claim", "plaintiff", "诉称"), ("answer", "defendant", "辩称")):
        pleads = next((party for party in case.parties if party.side == side), None)
        if pleads is not None:
            yield f"{act}/{side}", side, f"{heads.side_name(pleads, case)}{pleads.name}", verb


def _pleadings(held: Held, case: Trial) -> Iterator[Paragraph]:
    """What the parties pleaded, in the words in which they did (民事诉讼法第一百五十五条; 刑诉法解释第三百条:
    反映控辩双方的意见)."""
    for key, seat, who, verb in _pleaders(case):
        turn = next((event.turn for event in held.events if isinstance(event, ActDone) and event.key == key), None)
        text = "\n".join(e.text for e in held.said if e.turn == turn and e.seat.startswith(seat)).strip()
        if turn is None or not text:
            continue
        told = "向本院提出诉讼请求" if text.startswith("诉讼请求") else verb
        first, *rest = [line for line in _LEAD.sub("", text).splitlines() if line.strip()] or [""]
        yield Paragraph(f"{who}{told}：{first.strip()}")
        yield from lines("\n".join(rest))


def drafted(held: Held) -> Paper | None:
    """民事起诉状 or 民事答辩状, from its title on, without the words that end the interview."""
    case = held.case
    kind = kind_of_case(case) if isinstance(case, CivilCase) else None
    document = strict_document(case, held.tested) if kind and isinstance(case, CivilCase) else None
    if kind is None or document is None:
        return None
    text = held.tested[document.message].partition(END_MARK)[0]
    _, title, rest = text.partition(TITLE[kind])
    kept = [_MARKDOWN.sub("", line).strip() for line in (rest if title else text).splitlines()]
    kept = [line for line in kept if line]
    signed: list[str] = []
    while kept and len(signed) < 4 and _RIGHT.match(kept[-1]):
        signed.insert(0, kept.pop())
    body: list[Paragraph] = []
    for line in kept:
        after = bool(body) and body[-1].text.rstrip("：:") == "此致"
        body.append(Paragraph(line, "flush" if after else "body"))
    return Paper((TITLE[kind],), body=tuple(body), signed=tuple(signed))


def _only(kind: str) -> Callable[[Held], Paper | None]:
    return lambda held: drafted(held) if held.case.env == kind else None


PAPERS: Mapping[str, tuple[str, Callable[[Held], Paper | None]]] = {
    "judgment": ("判决书", judgment), "complaint": ("民事起诉状", _only("CD")), "answer": ("民事答辩状", _only("DD")),
    "transcript": ("笔录", transcript),
}  # fmt: skip
"""Name of a document -> what courts call it, and what makes it; the first that an episode holds is its own."""


def seated(events: Sequence[Event]) -> str:
    """Who holds the tested seat, as the record names it."""
    found = [event for event in events if isinstance(event, Seated) and event.seat == SEAT]
    if not found:
        return ""
    engine = {"": "规则，无模型", HUMAN: "本人"}.get(found[-1].engine, found[-1].engine)
    return engine
