"""The transcript of a court episode as blocks: utterances as a 庭审笔录 has them, between them in small print what
came of them.

A `Transcript` of the desk shows the blocks. The label of an utterance of the tested seat is its turn; that of small
print is a sign. Text of models is cleaned here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.court_words import SIDES, act_name, env_name, exhibit_words, fault_words
from app.desk.court.scene import EpisodeSnapshot
from app.desk.episode.renderers import (
    ENDS,
    EventBlock,
    Line,
    Piece,
    call_lines,
    duration,
    many,
    one,
    policy_name,
    render,
    routed_words,
    tracked_words,
    utterance_marks,
)
from app.strings import t
from app.strings.sentences import translated
from store.text.numerals import chinese_to_int
from tasks.courts.casefile.roles import role_of
from tasks.courts.play.record import shown
from tasks.courts.procedure.model import CODES
from tasks.episode.events import (
    ActDone,
    AttemptStarted,
    Event,
    ExhibitMoved,
    Leaked,
    ModelCalled,
    Record,
    Routed,
    Said,
    Seated,
    StageEntered,
    Stopped,
    TopicTracked,
    Violation,
)
from tasks.episode.with_tools import SEAT

GUTTER = 3
"""Cells of the column of signs and turns."""
SIGNS: Mapping[type[Event], tuple[str, str]] = {
    ActDone: ("✔", "dim"), Violation: ("✘", "bad"), Leaked: ("!", "bad"), ExhibitMoved: ("◇", "dim"),
    TopicTracked: ("·", "dim"), Routed: ("→", "dim"),
}  # fmt: skip
REASONS: Mapping[str, str] = {
    "the hearing was closed": "closed", "all topics were asked": "topics",
    "the lawyer ended the interview": "interview",
    "the judge said the same": "twice", "limit of": "limit",
}  # fmt: skip
"""How the reason of an end begins -> the words for it; others are shown as they are recorded."""


class CourtLines:
    """Makes the blocks of one episode. It remembers which utterances a person made, so records come in their
    order."""

    def __init__(self, scene: EpisodeSnapshot) -> None:
        self.scene = scene
        self._typed: set[tuple[int, str]] = set()
        self._titles = {item.id: item.title for item in getattr(scene.case, "evidence", ())}
        self._makers: Mapping[type[Event], Callable[[Record, Any], EventBlock | None]] = {
            AttemptStarted: self._began, Said: self._said, StageEntered: self._stage, ActDone: self._act,
            Violation: self._fault, ExhibitMoved: self._exhibit, Leaked: self._leak, TopicTracked: self._tracked,
            Routed: self._routed, ModelCalled: self._called, Stopped: self._stopped,
        }  # fmt: skip

    def make(self, records: Sequence[Record]) -> dict[int, EventBlock | None]:
        """The blocks of records that came together, by sequence number, in the order in which they are shown."""
        made: dict[int, EventBlock | None] = {}
        self._titles |= {r.event.exhibit: r.event.title for r in records if isinstance(r.event, ExhibitMoved)}
        alone = _joined_acts(records)
        for group in _groups(_headings_first(records)):
            first, kind = group[0], _kind(group[0])
            made |= dict.fromkeys(record.seq for record in group)
            if kind == "missing":
                made[first.seq] = self._omitted(first, [record.event for record in group])
            elif kind == "seats":
                made[first.seq] = self._cast(group)
            elif first.seq not in alone:
                made[first.seq] = self._block(first)
        return made

    def _block(self, record: Record) -> EventBlock | None:
        maker = self._makers.get(type(record.event))
        if maker is not None:
            return maker(record, record.event)
        if isinstance(record.event, Seated):
            return self._seated(record, record.event)
        block = render(record)
        return _narrow(block) if block is not None else None

    # what is said

    def _said(self, record: Record, event: Said) -> EventBlock:
        scene = self.scene
        role = role_of(scene.env, event.seat)
        tested = event.seat == SEAT
        head: list[Piece] = [(scene.name(role), "label" if tested else "seat")]
        if (record.step, event.seat) in self._typed:
            head.append((f"（{t('court.person')}）", "mark"))
        others = [scene.brief(to) for to in event.to if scene.court or to != scene.tested]
        if scene.court and others and event.to != ("judge",):
            head += [(" → ", "dim"), ("、".join(others), "seat")]
        text = shown(event.text)
        first, *rest = many(text) if text else (((t("court.silent"), "dim"),),)
        number = str(event.turn) if tested and event.turn else ""
        lines = ((*head, ("：", "dim"), *first), *rest, *utterance_marks(event))
        return EventBlock(record.seq, record.step, f"{number:>{GUTTER - 1}}", "dim", lines, event.text)

    def _stage(self, record: Record, event: StageEntered) -> EventBlock:
        return EventBlock(
            record.seq, record.step, "", "label", (((one(event.name), "label"),),), event.name, heading=True
        )

    # small print

    def _small(self, record: Record, words: str, note: str = "") -> EventBlock:
        sign, tone = SIGNS[type(record.event)]
        line: list[Piece] = [(one(words), tone)]
        if note:
            line.append((f"  {one(note)}", "dim"))
        return EventBlock(record.seq, record.step, f" {sign}", tone, (tuple(line),), f"{words} {note}".strip())

    def _act(self, record: Record, event: ActDone) -> EventBlock:
        title = self._titles.get(event.exhibit, "")
        side = SIDES.get(event.side, event.side)
        name = event.name + (f"（{side}）" if side and side not in event.name else "")
        return self._small(
            record, f"{name}：{title}" if title else name, shorthand(event.basis[0]) if event.basis else ""
        )

    def _fault(self, record: Record, event: Violation) -> EventBlock:
        return self._small(record, fault_words(event, self.scene.env))

    def _omitted(self, record: Record, events: Sequence[Event]) -> EventBlock:
        """All that the court left out, an act once."""
        acts: dict[str, list[str]] = {}
        for event in events:
            if isinstance(event, Violation):
                acts.setdefault(event.act, []).append("" if event.detail else SIDES.get(event.side, event.side))
        env = self.scene.env
        named = "、".join(_times(act_name(act, env), sides) for act, sides in acts.items())
        return self._small(record, f"{CODES['missing']}：{named}")

    def _exhibit(self, record: Record, event: ExhibitMoved) -> EventBlock:
        return self._small(record, exhibit_words(event))

    def _leak(self, record: Record, event: Leaked) -> EventBlock:
        return self._small(record, f"{t('court.leak')}：“{event.text}”")

    def _routed(self, record: Record, event: Routed) -> EventBlock | None:
        words = routed_words(event, self.scene.brief)
        # An announcement is for everybody; who asks must say whom, so a person, and any judge under j1, is told.
        spoken = (
            bool(event.to or event.dropped) or self.scene.profile == "j1" or (record.step, event.seat) in self._typed
        )
        if not words or not spoken:
            return None
        block = self._small(record, words)
        return (
            block
            if event.how and not event.dropped
            else replace(block, tone="warn", lines=(((one(words), "warn"),),))
        )

    def _tracked(self, record: Record, event: TopicTracked) -> EventBlock:
        return self._small(
            record, tracked_words(event, self.scene.topic(event.pointer)), t(f"court.made_by.{event.made_by}")
        )

    def _called(self, record: Record, event: ModelCalled) -> EventBlock | None:
        if event.human:
            self._typed.add((record.step, event.seat))
            return None
        lines, full = call_lines(event)
        cost = [t("call.generated", n=f"{event.generated:,}")]
        if event.origin == "cached":
            cost.append(t("origin.cached"))
        elif event.reused:
            cost.append(t("court.reused", share=round(100 * event.reused / (event.evaluated + event.reused))))
        cost += [duration(event.milliseconds)] if event.milliseconds else []
        ended = [(t(f"finish.{event.finish}"), ENDS[event.finish]), (" · ", "dim")] if event.finish in ENDS else []
        head: Line = ((t("event.model_called"), "dim"), ("  ", "dim"), *ended, (" · ".join(cost), "dim"))
        return EventBlock(record.seq, record.step, "", "dim", (head,), event.text, full=full or lines)

    def _seated(self, record: Record, event: Seated) -> EventBlock:
        who = player(self.scene, event)
        line: Line = ((self.scene.seat(event.seat), "seat"), (" ← ", "dim"), (who, "dim"))
        return EventBlock(
            record.seq, record.step, "", "dim", (line,), f"{event.seat} {event.policy} {event.engine}".rstrip()
        )

    def _cast(self, group: Sequence[Record]) -> EventBlock:
        """Who sits where at the beginning: those of one kind on one line."""
        seats: dict[str, list[str]] = {}
        for record in group:
            if isinstance(record.event, Seated):
                seats.setdefault(player(self.scene, record.event), []).append(self.scene.seat(record.event.seat))
        lines = tuple((("、".join(names), "dim"), (" ← ", "dim"), (who, "dim")) for who, names in seats.items())
        raw = "\n".join("".join(text for text, _ in line) for line in lines)
        return EventBlock(group[0].seq, group[0].step, "", "dim", lines, raw)

    # beginning and end

    def _began(self, record: Record, event: AttemptStarted) -> EventBlock:
        lines = tuple(opening_lines(self.scene, event.task_id))
        raw = "\n".join("".join(text for text, _ in line) for line in lines)
        return EventBlock(record.seq, record.step, "", "question", lines, raw)

    def _stopped(self, record: Record, event: Stopped) -> EventBlock:
        why = next((key for begin, key in REASONS.items() if event.reason.startswith(begin)), "")
        reason = t(f"court.ended.{why}") if why else one(translated(event.reason))
        tone = "good" if event.outcome == "finished" else "bad" if event.outcome == "error" else "warn"
        line: Line = ((t(f"outcome.{event.outcome}"), tone), *(((f" · {reason}", "dim"),) if reason else ()))
        return EventBlock(record.seq, record.step, " ■", tone, (line,), f"{event.outcome} {event.reason}".strip())


def opening_lines(scene: EpisodeSnapshot, task: str) -> Iterator[Line]:
    """What stands above the transcript: the case, and of a trial the court, its docket and its bench."""
    case = scene.case
    yield ((f"{env_name(scene.env)} {one(task)}", "question"),)
    court = getattr(case, "court", None)
    if case is None or court is None or not scene.court:
        return
    yield ((one("　".join(filter(None, (court.name, court.docket)))), "text"),)
    bench = [f"{court.presiding.title} {court.presiding.name}"] if court.presiding else []
    bench += [f"{member.title} {member.name}" for member in court.panel]
    bench += [f"书记员 {court.clerk}"] if court.clerk else []
    yield ((one("　".join(filter(None, (scene.cause, court.procedure)))), "text"),)
    yield ((one("　".join(bench)), "dim"),)


def shorthand(label: str) -> str:
    """民诉法 第一百四十条 in small print: 民诉法第140条."""
    digits = _NUMERAL.sub(lambda match: f"第{chinese_to_int(match[1]) or match[1]}条", label)
    return digits.replace(" ", "")


_NUMERAL = re.compile(r"第([零〇一二三四五六七八九十百千]+)条")


def _headings_first(records: Sequence[Record]) -> list[Record]:
    """The records with each stage before the utterance that opened it."""
    ordered: list[Record] = []
    for record in records:
        if isinstance(record.event, StageEntered):
            said = next(
                (at for at, r in enumerate(ordered) if r.step == record.step and isinstance(r.event, Said)),
                len(ordered),
            )
            ordered.insert(said, record)
        else:
            ordered.append(record)
    return ordered


def _groups(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Records that are shown together: who sits where at the beginning, what the court left out in the end."""
    group: list[Record] = []
    for record in records:
        if group and _kind(record) and _kind(record) == _kind(group[0]):
            group.append(record)
            continue
        if group:
            yield group
        group = [record]
    if group:
        yield group


def _kind(record: Record) -> str:
    if isinstance(record.event, Seated) and record.step == 0:
        return "seats"
    return (
        "missing"
        if isinstance(record.event, Violation) and record.event.turn is None and record.event.code == "missing"
        else ""
    )


def _times(act: str, sides: Sequence[str]) -> str:
    """An act with the sides it was owed to, or how many exhibits."""
    named = [side for side in sides if side and side not in act]
    if len(sides) > 1 and not named:
        return f"{act}（{len(sides)}）"
    return f"{act}（{'、'.join(named)}）" if named else act


def _joined_acts(records: Sequence[Record]) -> set[int]:
    """Moves of exhibits that an act in the same step already tells."""
    told = {(r.step, r.event.exhibit) for r in records if isinstance(r.event, ActDone) and r.event.exhibit}
    return {
        r.seq for r in records
        if isinstance(r.event, ExhibitMoved) and (r.step, r.event.exhibit) in told and not r.event.reason
    }  # fmt: skip


def _narrow(block: EventBlock) -> EventBlock:
    """A block of the general view with its label in the line, for a narrow column of signs."""
    if not block.label or not block.lines:
        return block
    head: Line = ((block.label, block.tone), ("  ", "dim"), *block.lines[0])
    full = block.full
    if full is not None:
        full = (((block.label, block.tone), ("  ", "dim"), *full[0]), *full[1:])
    return replace(block, label="", lines=(head, *block.lines[1:]), full=full)


def player(scene: EpisodeSnapshot, seated: Seated) -> str:
    """Who plays a seat; an authored judgment does not answer to what is said today, and says so."""
    if scene.court and seated.policy.startswith("court-gold/"):
        return t("court.reference_judge")
    return policy_name(seated.policy, seated.engine)
