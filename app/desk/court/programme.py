"""How far an episode has come, as a tree of items: stages with their duties, topics with their verdicts, parts of a
draft.

Of a trial the duties come from the tables of the procedure, their ticks from the record alone, so that an earlier
step shows what was done by then. An exhibit is one item: it is done when every duty on it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.court_words import SIDES, env_name, fault_words
from app.desk.court.casefile import exhibit_name
from app.desk.court.draft import DraftPart, draft_of
from app.desk.court.scene import EpisodeSnapshot
from app.strings import t
from tasks.courts.casefile.case import AdviceCase
from tasks.courts.environment import Kind, environment
from tasks.courts.play.episode import pointer
from tasks.courts.play.tracking import open_topics
from tasks.courts.procedure.model import Duty, Profile, profile
from tasks.courts.scores.drafted import TITLE
from tasks.episode.events import ActDone, Record, StageEntered, Stopped, TopicTracked, Violation


@dataclass(frozen=True, slots=True)
class ProgrammeItem:
    """One line, and what stands below it. `mark` is done, now, partly, open or failed; `count` what is done of what
    is owed.

    key: stays the same from step to step. note: an article, or a state. left: sides that are still to be asked.
    optional: nobody owes it. fault: a violation, no duty. faults: how many there are below. seq: the record it came
    true with. unfolded: whether its children are shown unless a person says otherwise.
    """

    key: str
    text: str
    mark: str = "open"
    note: str = ""
    left: str = ""
    count: tuple[int, int] | None = None
    optional: bool = False
    fault: bool = False
    faults: int = 0
    seq: int | None = None
    children: tuple[ProgrammeItem, ...] = ()
    unfolded: bool = False


def programme(scene: EpisodeSnapshot) -> tuple[ProgrammeItem, ...]:
    """The items of a scene; () where there is nothing to say yet."""
    return tuple(_BUILDERS[environment(scene.env).kind](scene))


def owed_now(items: Sequence[ProgrammeItem]) -> list[str]:
    """What is still owed in the current stage, for whoever presides; [] where nothing is."""
    now = next((item for item in items if item.mark == "now"), None)
    owed = (item for item in (now.children if now else ()) if not (item.optional or item.fault))
    return [item.text + (f"（{item.left}）" if item.left else "") for item in owed if item.mark in ("open", "partly")]


# a trial


@dataclass
class _Course:
    """What the record says: stages and when they began, duties done and where, faults."""

    stage: str = ""
    entered: dict[str, tuple[str, int]] = field(default_factory=dict)
    done: dict[str, tuple[int, str]] = field(default_factory=dict)
    acts: list[tuple[ActDone, int, str]] = field(default_factory=list)
    faults: dict[str, list[tuple[Violation, int]]] = field(default_factory=dict)
    missing: dict[tuple[str, str, str], int] = field(default_factory=dict)
    over: bool = False


def _course(records: Sequence[Record]) -> _Course:
    course = _Course()
    for record in records:
        match record.event:
            case StageEntered() as event:
                course.stage = event.stage
                course.entered.setdefault(event.stage, (event.name, record.seq))
            case ActDone() as event:
                course.done.setdefault(event.key, (record.seq, course.stage))
                course.acts.append((event, record.seq, course.stage))
            case Violation(code="missing", turn=None) as event:
                course.missing[event.act, event.side, event.detail] = record.seq
            case Violation() as event:
                course.faults.setdefault(course.stage, []).append((event, record.seq))
            case Stopped():
                course.over = True
    return course


def _trial(scene: EpisodeSnapshot) -> Iterator[ProgrammeItem]:
    """The stages of the table with their duties; without the case, what is on record."""
    course = _course(scene.records)
    table = profile(scene.profile, "CR" if scene.env == "CR" else "CI")
    names = {stage.id: stage.name for stage in table.stages}
    homes = _homes(scene, course, table)
    for stage, name in names.items():
        if not scene.duties and stage not in course.entered:
            continue
        acts = [*_act_items(scene, course, homes[stage])] if scene.duties else _told_items(course, stage)
        faults = [_fault_item(scene, event, seq) for event, seq in course.faults.get(stage, ())]
        owed = [item for item in acts if not item.optional]
        ready = sum(item.mark == "done" for item in owed)
        lacking = sum(item.mark == "failed" for item in acts)
        current = stage == course.stage and not course.over
        seq = course.entered[stage][1] if stage in course.entered else None
        begun = seq is not None or ready > 0
        mark = "now" if current else "failed" if course.over and lacking else _stage_mark(ready, len(owed), begun)
        count = (ready, len(owed)) if owed and scene.duties else None
        yield ProgrammeItem(
            f"stage/{stage}", name, mark, count=count, faults=len(faults) + lacking, seq=seq,
            children=(*acts, *faults), unfolded=current,
        )  # fmt: skip


def _stage_mark(ready: int, owed: int, begun: bool) -> str:
    return "open" if not begun else "done" if ready == owed else "partly"


def _homes(scene: EpisodeSnapshot, course: _Course, table: Profile) -> Mapping[str, list[Duty]]:
    """Stage -> its duties. One that has several stages stands where it was done, else in the next one it may be done
    in."""
    order = [stage.id for stage in table.stages if not stage.floating]
    now = order.index(course.stage) if course.stage in order else 0
    homes: dict[str, list[Duty]] = {stage.id: [] for stage in table.stages}
    for duty in scene.duties:
        if "settled" in duty.spec.when and duty.key not in course.done:
            continue
        stages = duty.spec.stages
        ahead = [stage for stage in stages if stage not in order or order.index(stage) >= now]
        done = course.done.get(duty.key, (0, ""))[1]
        home = done if done in stages else ahead[0] if ahead else stages[-1]
        homes[home].append(duty)
    return homes


def _act_items(scene: EpisodeSnapshot, course: _Course, duties: Sequence[Duty]) -> Iterator[ProgrammeItem]:
    """One item an act; all that is owed on exhibits in one."""
    exhibits = [duty for duty in duties if duty.spec.exhibits]
    groups: dict[str, list[Duty]] = {}
    for duty in duties:
        groups.setdefault("exhibits" if duty.spec.exhibits else duty.spec.id, []).append(duty)
    for name, group in groups.items():
        yield _exhibits_item(scene, course, exhibits) if name == "exhibits" else _act_item(name, course, group)


def _act_item(name: str, course: _Course, duties: Sequence[Duty]) -> ProgrammeItem:
    owed = [duty for duty in duties if duty.mandatory]
    done = [duty for duty in duties if duty.key in course.done]
    open_ = [duty for duty in owed or duties if duty not in done]
    missing = next(
        (seq for duty in open_ if (seq := course.missing.get((duty.spec.id, duty.side or "", ""))) is not None), None
    )
    mark = "done" if not open_ else "failed" if missing is not None else "partly" if done else "open"
    spec, basis = duties[0].spec, (duty.basis[0].label for duty in duties if duty.basis)
    left = "、".join(SIDES[duty.side] for duty in open_ if duty.side) if done else ""
    seq = course.done[done[0].key][0] if done else missing
    note = "、".join(dict.fromkeys(basis))
    return ProgrammeItem(
        f"act/{name}", spec.name, mark, note, t("court.left", who=left) if left else "", optional=not owed, seq=seq
    )


def _exhibits_item(scene: EpisodeSnapshot, course: _Course, duties: Sequence[Duty]) -> ProgrammeItem:
    """举证质证 3/5, with an item an exhibit."""
    by_exhibit: dict[str, list[Duty]] = {}
    for duty in duties:
        by_exhibit.setdefault(duty.exhibit, []).append(duty)
    children = tuple(_exhibit_item(scene, course, exhibit, own) for exhibit, own in by_exhibit.items())
    owed = [child for child in children if not child.optional] or children
    ready = sum(child.mark == "done" for child in owed)
    mark = (
        "failed"
        if any(c.mark == "failed" for c in owed)
        else _stage_mark(ready, len(owed), any(c.mark != "open" for c in owed))
    )
    optional = all(child.optional for child in children)
    basis = duties[0].basis
    note = basis[0].label if basis else ""
    return ProgrammeItem(
        "act/exhibits",
        t("court.exhibits"),
        mark,
        note,
        count=(ready, len(owed)),
        optional=optional,
        children=children,
    )


def _exhibit_item(scene: EpisodeSnapshot, course: _Course, exhibit: str, duties: Sequence[Duty]) -> ProgrammeItem:
    owed = [duty for duty in duties if duty.mandatory]
    done = [duty for duty in duties if duty.key in course.done]
    open_ = [duty for duty in owed or duties if duty not in done]
    moved = scene.exhibits.get(exhibit)
    state = moved.state if moved is not None else t("court.unshown")
    title = scene.titles.get(exhibit, "")
    missing = next(
        (seq for d in open_ if (seq := course.missing.get((d.spec.id, d.side or "", title))) is not None), None
    )
    mark = "done" if not open_ else "failed" if missing is not None else "partly" if done else "open"
    seq = course.done[done[-1].key][0] if done else missing
    return ProgrammeItem(f"exhibit/{exhibit}", exhibit_name(scene, exhibit), mark, state, optional=not owed, seq=seq)


def _told_items(course: _Course, stage: str) -> list[ProgrammeItem]:
    """Acts that are on record, where nobody knows what else there should be."""
    return [
        ProgrammeItem(f"act/{event.key}", event.name, "done", "、".join(event.basis[:1]), seq=seq)
        for event, seq, where in course.acts
        if where == stage
    ]


def _fault_item(scene: EpisodeSnapshot, event: Violation, seq: int) -> ProgrammeItem:
    note = t("court.turn", n=event.turn) if event.turn else ""
    return ProgrammeItem(f"fault/{seq}", fault_words(event, scene.env), "failed", note, fault=True, seq=seq)


# advice


def _topics(scene: EpisodeSnapshot) -> Iterator[ProgrammeItem]:
    """The topics in the order in which they are asked; a person under test sees a question once it was put."""
    case = scene.case
    read = [(r.event, r.seq) for r in scene.records if isinstance(r.event, TopicTracked)]
    if not isinstance(case, AdviceCase):
        topics = [_topic_item(scene, event.pointer, event.pointer, [(event, seq)], "open") for event, seq in read]
        if topics:
            yield ProgrammeItem("topics", t("court.topics"), "now", children=tuple(topics), unfolded=True)
        return
    left = open_topics(case, scene.tracked)
    now = pointer(case, scene.turns, scene.tracked)
    over = any(isinstance(record.event, Stopped) for record in scene.records)
    children = []
    for topic in case.topics:
        own = [(event, seq) for event, seq in read if event.pointer == topic.id]
        put = bool(own) or topic.id == now
        question = topic.question if put or not scene.tested_held else t("court.not_asked")
        state = "now" if topic.id == now and not over else "open" if topic.id in left else "failed"
        children.append(_topic_item(scene, topic.id, question, own, state))
    ready = sum(child.mark == "done" for child in children)
    mark = "now" if scene.turns and not over else _stage_mark(ready, len(children), over)
    yield ProgrammeItem(
        "topics", t("court.topics"), mark, count=(ready, len(children)), children=tuple(children), unfolded=True
    )


def _topic_item(
    scene: EpisodeSnapshot, topic: str, question: str, read: Sequence[tuple[TopicTracked, int]], state: str
) -> ProgrammeItem:
    """A topic with what the tracker read last, and one item for every exchange on it."""
    answered = next(((event, seq) for event, seq in reversed(read) if event.answered), None)
    last, seq = answered or (read[-1] if read else (None, None))
    verdict = "" if last is None else _verdict(last)
    exchanges = tuple(
        ProgrammeItem(
            f"topic/{topic}/{at}",
            f"“{event.quote}”" if event.quote else t("court.open"),
            "done" if event.answered else "open",
            seq=at,
        )
        for event, at in read
    )
    return ProgrammeItem(
        f"topic/{topic}", question, "done" if answered else state, verdict, seq=seq, children=exchanges
    )


def _verdict(event: TopicTracked) -> str:
    if event.verdict != "none":
        return t(f"court.verdict.{event.verdict}")
    return t("court.answered" if event.answered else "court.open")


# a draft


def _draft(scene: EpisodeSnapshot) -> Iterator[ProgrammeItem]:
    """The parts of the document: what the client has told of each, and what is written."""
    draft = draft_of(scene)
    if draft is None:
        return
    over = any(isinstance(record.event, Stopped) for record in scene.records)
    found = sum(part.found for part in draft.parts)
    mark = "now" if scene.turns and not over else _stage_mark(found, len(draft.parts), over)
    children = tuple(_part_item(part) for part in draft.parts)
    yield ProgrammeItem(
        "draft", TITLE[draft.kind], mark, count=(found, len(children)), children=children, unfolded=True
    )


def _part_item(part: DraftPart) -> ProgrammeItem:
    n = len(part.ticks)
    note = t("court.part", said=part.said, written=part.written, of=n) if n else ""
    ticks = tuple(
        ProgrammeItem(
            f"part/{part.key}/{at}", tick.text, "done" if tick.written else "partly" if tick.said else "open"
        )
        for at, tick in enumerate(part.ticks)
    )
    mark = "done" if part.found else "partly" if part.said else "open"
    return ProgrammeItem(f"part/{part.key}", part.label, mark, note, children=ticks)


def _talk(scene: EpisodeSnapshot) -> Iterator[ProgrammeItem]:
    """How far a talk is that has no plan."""
    over = any(isinstance(record.event, Stopped) for record in scene.records)
    count = (scene.made, scene.limit) if scene.limit is not None else None
    yield ProgrammeItem(
        "talk", env_name(scene.env), "done" if over else "now" if scene.turns else "open", count=count
    )


_BUILDERS: Mapping[Kind, Callable[[EpisodeSnapshot], Iterator[ProgrammeItem]]] = {
    "advice": _topics, "draft": _draft, "trial": _trial, "talk": _talk,
}  # fmt: skip
