"""A court episode as an audience sees it: what is said, one utterance after the other, and quietly beside it where it
stands.

Nothing of the machine is in it: no figures, prompts or tools. Rows are made for a width in cells; texts are cleaned
here, markers of address and tags of stages are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.court_words import SIDES, fault_words
from app.desk.court.casefile import STATES, exhibit_name
from app.desk.court.draft import DraftView, is_title, label_in
from app.desk.court.lines import REASONS, player
from app.desk.court.programme import ProgrammeItem, programme
from app.desk.court.scene import EpisodeSnapshot
from app.desk.episode.renderers import Line, many, one
from app.desk.episode.scores import StepScores
from app.strings import t
from app.terminal import clean, pad, truncate, width
from app.words import score_name
from app.wrapping import wrap
from tasks.courts.casefile.case import CivilCase, CriminalCase
from tasks.courts.casefile.roles import role_of, seat_of
from tasks.courts.environment import Role, environment
from tasks.courts.play.record import shown
from tasks.courts.scores.columns import LOWER, OF_RUN
from tasks.courts.scores.drafted import TITLE
from tasks.courts.scores.rulings import RULES
from tasks.episode.events import ActDone, ModelCalled, Record, Said, Stopped, Violation
from tasks.episode.with_tools import SEAT

INDENT = "　　"
"""Every paragraph is moved in by two characters."""
RULING = "question"
"""Role of the items of a ruling."""
ACTS = 6
"""Acts that are named beside what is said."""
MARKS: Mapping[str, tuple[str, str]] = {
    "done": ("✔", "good"), "now": ("▶", "label"), "partly": ("◐", "dim"), "failed": ("◐", "dim"),
    "open": ("○", "dim"),
}  # fmt: skip
"""How far a stage is -> sign and role."""
TONES: Mapping[Role, str] = {
    "judge": "label", "trainee": "label", "plaintiff_lawyer": "tool", "plaintiff": "tool", "procurator": "tool",
    "defendant_lawyer": "seat", "defendant": "seat", "defence_lawyer": "seat", "client": "seat",
}  # fmt: skip
"""Who speaks -> the colour of the name: the bench, who claims or accuses, who answers."""
_ITEM = re.compile(r"[一二三四五六七八九十]{1,3}、")
_BREAK = re.compile(r"(?<=[：:；;。])[ \t]*(?=[一二三四五六七八九十]{1,3}、)")


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something said: by whom, to whom ('' where it goes without saying), and whether a person said it."""

    seq: int
    step: int
    role: Role
    speaker: str
    to: str
    person: bool
    text: str

    @property
    def tone(self) -> str:
        return TONES.get(self.role, "text")


def utterances(scene: EpisodeSnapshot) -> tuple[Utterance, ...]:
    """All that was said, in its order."""
    typed: set[tuple[int, str]] = set()
    found: list[Utterance] = []
    for record in scene.records:
        event = record.event
        if isinstance(event, ModelCalled) and event.human:
            typed.add((record.step, event.seat))
        elif isinstance(event, Said):
            role = role_of(scene.env, event.seat)
            others = [one(scene.name(to)) for to in event.to if to != "judge"] if scene.court else []
            person = (record.step, event.seat) in typed
            text = clean(shown(event.text))
            found.append(
                Utterance(record.seq, record.step, role, one(scene.name(role)), "、".join(others), person, text)
            )
    return tuple(found)


def until(records: Sequence[Record], step: int) -> list[Record]:
    """The records up to the end of a step."""
    return [record for record in records if record.step <= step]


# the head


def title_lines(scene: EpisodeSnapshot, task: str, fictional: bool) -> list[Line]:
    """Court, docket, cause and procedure; of what is no trial, what it is."""
    court = getattr(scene.case, "court", None) if scene.court else None
    cause = scene.case.cause if scene.case is not None else ""
    name = court.name if court is not None else environment(scene.env).names[0]
    facts = (court.docket, cause, court.procedure) if court is not None else (cause or task,)
    below: list[tuple[str, str]] = [("　".join(one(fact) for fact in facts if fact), "dim")]
    if fictional:
        below += [("　", "dim"), (t("mark.fictional"), "mark")]
    return [((one(name), "question"),), tuple(below)]


def stage_line(scene: EpisodeSnapshot) -> Line:
    """The stages and how far they are; of advice its topics, of a draft its parts."""
    items: Sequence[ProgrammeItem] = programme(scene)
    if not scene.court:
        items = items[0].children if items else ()
    pieces: list[tuple[str, str]] = []
    for number, item in enumerate(items, 1):
        sign, tone = MARKS[item.mark]
        advice = environment(scene.env).kind == "advice"
        name = t("court.topic", n=number) if advice else item.text
        now = item.mark == "now"
        # Blanks that do not break keep a sign with its name.
        pieces += [("　", "dim")] if pieces else []
        pieces += [
            (f"{sign}\u00a0", tone),
            (one(name).replace(" ", "\u00a0"), "label" if now else "text" if item.mark == "done" else "dim"),
        ]
    return tuple(pieces)


# what is said


def heading(said: Utterance) -> Line:
    """审判长　→　原告委托诉讼代理人."""
    pieces: list[tuple[str, str]] = [(said.speaker, said.tone)]
    if said.person:
        pieces.append((f"（{t('court.person')}）", "mark"))
    if said.to:
        pieces += [("　→　", "dim"), (said.to, "text")]
    return tuple(pieces)


def heading_rule(said: Utterance, room: int) -> Line:
    """The line below the heading, its beginning in the colour of the speaker."""
    mine = min(width(said.speaker), room)
    return (("━" * mine, said.tone), ("─" * (room - mine), "rule"))


def paragraphs(said: Utterance) -> list[Line]:
    """The text in paragraphs; the items of a ruling each have their own and stand out."""
    if not said.text:
        return [((t("court.silent"), "dim"),)]
    head, introduction, rulings = said.text.partition(RULES)
    text = head + introduction + _BREAK.sub("\n", rulings) if said.role == "judge" else said.text
    lines: list[Line] = []
    ruled = opened = False
    for part in filter(None, map(str.strip, text.split("\n"))):
        # A ruling of one item has no number: it is what follows the words that open it.
        lines.append(((INDENT, "text"), (part, RULING if opened or (ruled and _ITEM.match(part)) else "text")))
        opened = said.role == "judge" and part.endswith(f"{RULES}：")
        ruled = ruled or (said.role == "judge" and RULES in part)
    return lines


def before_lines(said: Sequence[Utterance], room: int, rows: int) -> list[Line]:
    """What was said just before, each on so many rows below its speaker; on one row together with it where there is
    but one."""
    lines: list[Line] = []
    for utterance in said:
        text = " ".join(utterance.text.split())
        if rows == 1:
            lines.append((_cut(f"{utterance.speaker}：{text}", room),))
            continue
        lines += [
            ((utterance.speaker, "rule"),),
            *(((row, "rule"),) for row in _rows(text, room, rows - 1)),
            (("", "rule"),),
        ]
    return lines


def _cut(text: str, cells: int) -> tuple[str, str]:
    return truncate(text, cells), "rule"


def _rows(text: str, room: int, count: int) -> list[str]:
    """A text on at most so many rows, with a sign where there is more."""
    spans = wrap(text, room)
    rows = [text[start:end] for start, end in spans[:count]]
    if len(spans) > count:
        rows[-1] = truncate(rows[-1] + "……", room) if width(rows[-1]) + 2 > room else rows[-1] + "…"
    return rows


# beside it


def act_lines(scene: EpisodeSnapshot, room: int) -> list[Line]:
    """The acts done last, each with its article; an act that comes again and again is told once, where it was done
    last."""
    acts: dict[str, list[tuple[int, ActDone]]] = {}
    for record in scene.records:
        if isinstance(record.event, ActDone):
            acts[record.event.name] = [*acts.pop(record.event.name, []), (record.step, record.event)]
    last = max((record.step for record in scene.records), default=0)
    lines: list[Line] = []
    for name, done in list(acts.items())[-ACTS:]:
        fresh = done[-1][0] == last
        whole = one(name) + _of_whom(scene, done)
        named = whole if width(whole) <= room - 2 else truncate(one(name), room - 2)
        lines.append((("✔ ", "good" if fresh else "dim"), (named, "text" if fresh else "dim")))
        if basis := next(iter(done[-1][1].basis), ""):
            lines.append((("  ", "dim"), (one(basis).replace(" ", ""), "rule")))
    return lines


def _of_whom(scene: EpisodeSnapshot, done: Sequence[tuple[int, ActDone]]) -> str:
    """The sides an act was done to; of exhibits the last, or how many there were at once."""
    step, act = done[-1]
    exhibits = list(dict.fromkeys(event.exhibit for at, event in done if at == step and event.exhibit))
    if exhibits:
        number = one(exhibit_name(scene, exhibits[0]).split(" ")[0])
        return t("presenter.of.many", n=len(exhibits)) if len(exhibits) > 1 else t("presenter.of", what=number)
    sides = dict.fromkeys(SIDES.get(event.side, event.side) for _, event in done if event.side)
    named = "、".join(side for side in sides if side not in act.name)
    return t("presenter.of", what=named) if named else ""


def state_lines(scene: EpisodeSnapshot, room: int) -> list[Line]:
    """The exhibits that were shown, each with its state."""
    lines: list[Line] = []
    for exhibit, moved in scene.exhibits.items():
        sign, tone = STATES.get(moved.state, ("·", "text"))
        size = room - 2 - width(moved.state) - 1
        lines.append(
            ((f"{sign} ", tone), (pad(one(exhibit_name(scene, exhibit)), size), "dim"), (f" {moved.state}", tone))
        )
    return lines


def topic_lines(scene: EpisodeSnapshot) -> list[Line]:
    """The questions of somebody who asks for advice, those that were put."""
    items = programme(scene)
    asked = [item for item in (items[0].children if items else ()) if item.mark != "open"]
    signs = (MARKS[item.mark] for item in asked)
    return [
        ((f"{sign} ", tone), (one(item.text), "text" if item.mark == "now" else "dim"))
        for item, (sign, tone) in zip(asked, signs, strict=True)
    ]


def strip_lines(scene: EpisodeSnapshot, room: int) -> list[Line]:
    """All that stands beside what is said: acts and exhibits of a trial, the questions of advice."""
    parts = (
        (("acts", act_lines(scene, room)), ("exhibits", state_lines(scene, room)))
        if scene.court
        else (("topics", topic_lines(scene)),)
    )
    lines: list[Line] = []
    for name, part in parts:
        if part and not (name == "topics" and environment(scene.env).kind == "draft"):
            lines += [*([(("", "dim"),)] if lines else []), ((t(f"presenter.{name}"), "label"),), *part]
    return lines


def document_lines(draft: DraftView) -> list[Line]:
    """The document that a lawyer wrote, its title and labels marked."""
    return [((text, _role(draft, text)),) for ((text, _),) in many(shown(draft.text))]


def _role(draft: DraftView, text: str) -> str:
    if is_title(draft.kind, text):
        return "question"
    return "label" if label_in(draft.kind, text) else "text"


def is_document(said: Utterance, draft: DraftView) -> bool:
    """Whether it is the utterance that holds the document."""
    return said.text == clean(shown(draft.text))


def beside_document(said: Utterance, draft: DraftView) -> list[Line]:
    """What a lawyer said before the document, and that it stands beside it."""
    lines = said.text.split("\n")
    title = next((at for at, line in enumerate(lines) if is_title(draft.kind, line)), 0)
    before = [((INDENT, "text"), (line.strip(), "text")) for line in lines[:title] if line.strip()]
    return [*before, ((INDENT, "text"), (t("presenter.written", what=TITLE[draft.kind]), "dim"))]


# the beginning


def cast_lines(scene: EpisodeSnapshot) -> list[Line]:
    """Who is there: the role, in court the name, and who plays it."""
    court = getattr(scene.case, "court", None) if scene.court else None
    names = _names(scene.case) if scene.court and isinstance(scene.case, CivilCase | CriminalCase) else {}
    rows = [
        (
            one(scene.name(role)),
            one(names.get(role, "")),
            player(scene, seated),
            TONES.get(role, "text"),
        )
        for role in scene.roles
        if role != "tracker" and (seated := scene.seats.get(seat_of(scene.env, role))) is not None
    ]
    if court is not None:
        rows[1:1] = [(one(member.title), one(member.name), "", "label") for member in court.panel]
    columns = [max((width(row[at]) for row in rows), default=0) + 4 for at in (0, 1)]
    columns[1] *= any(row[1] for row in rows)
    return [
        ((pad(role, columns[0]), tone), (pad(name, columns[1]), "text"), (who, "dim"))
        for role, name, who, tone in rows
    ]


def _names(case: CivilCase | CriminalCase) -> dict[Role, str]:
    """Role -> the name that is called out in court; a party that has no counsel speaks for itself."""
    court = case.court
    names: dict[Role, str] = {"judge": court.presiding.name if court.presiding else "", "clerk": court.clerk}
    for party in case.parties:
        counsel = party.counsel.name if party.counsel else ""
        if isinstance(case, CriminalCase):
            names |= {"defendant": party.name, "defence_lawyer": counsel}
        else:
            names[f"{party.side}_lawyer"] = counsel if party.counsel else party.name
    if isinstance(case, CriminalCase):
        names["procurator"] = case.criminal.prosecution.prosecutor
    return names


FAULTS = 4
"""Faults that are named."""
WORST = 100.0
GRADED = frozenset({"NBIN", "DOC", "JUD", "REA"})
"""What only a grader can score."""


def closing_lines(
    scene: EpisodeSnapshot, said: Sequence[Utterance], scores: StepScores | None, why: str = ""
) -> list[Line]:
    """The card of what was `said`; `why` stands in place of scores that are not shown, or not there yet."""
    lines: list[Line] = [((result(scene), "text"),)]
    for title, part in (
        ("ruling", _rulings(said)),
        ("procedure", _procedure(scene)),
        ("scores", _scores(scene, scores, why)),
    ):
        rows = list(part)
        if rows:
            lines += [(("", "dim"),), ((t(f"presenter.{title}"), "label"),), *rows]
    return lines


def result(scene: EpisodeSnapshot) -> str:
    """How it ended, in a sentence."""
    stopped = next((event for event in reversed(scene.events) if isinstance(event, Stopped)), None)
    if stopped is None:
        return t("presenter.open")
    why = next((key for begin, key in REASONS.items() if stopped.reason.startswith(begin)), "")
    reason = t(f"presenter.ended.{why}") if why else t(f"outcome.{stopped.outcome}")
    return t("presenter.result" if stopped.outcome == "finished" else "presenter.broken", reason=reason)


def _rulings(said: Sequence[Utterance]) -> Iterator[Line]:
    for utterance in reversed(said):
        items = [line for line in paragraphs(utterance) if line[-1][1] == RULING]
        if items:
            yield from (((line[-1][0], "text"),) for line in items)
            return


def _procedure(scene: EpisodeSnapshot) -> Iterator[Line]:
    if not scene.court:
        return
    counts = [item.count for item in programme(scene) if item.count is not None]
    if counts:
        done, owed = sum(count[0] for count in counts), sum(count[1] for count in counts)
        yield (
            (t("presenter.duties"), "dim"),
            (t("presenter.duties.count", done=done, owed=owed), "good" if done == owed else "text"),
        )
    faults = [event for event in scene.events if isinstance(event, Violation)]
    yield (
        (t("presenter.faults"), "dim"),
        (
            t("presenter.faults.count", n=len(faults)) if faults else t("presenter.faults.none"),
            "warn" if faults else "good",
        ),
    )
    yield from (((f"　✘ {one(fault_words(event, scene.env))}", "bad"),) for event in faults[:FAULTS])
    if len(faults) > FAULTS:
        yield ((f"　{t('presenter.faults.more', n=len(faults) - FAULTS)}", "dim"),)


def _scores(scene: EpisodeSnapshot, scores: StepScores | None, why: str) -> Iterator[Line]:
    if scores is None:
        yield ((why, "dim"),)
        return
    names = {metric: score_name(metric).removesuffix(" ↓") for metric in environment(scene.env).reported}
    room = max(map(width, names.values())) + 2
    for metric, name in names.items():
        values = [
            _value(metric, rule, table) for rule, table in (("strict", scores.strict), ("compat", scores.compat))
        ]
        if len(set(values)) == 1 and not values[0][2]:
            yield (pad(name, room), "text"), (values[0][0], "dim")
        else:
            yield (pad(name, room), "text"), *_joined(values)
    yield ((t("presenter.scale.lower" if LOWER & set(names) else "presenter.scale"), "rule"),)


def _value(metric: str, rule: str, table: Mapping[str, float | None]) -> tuple[str, str, str]:
    value = table.get(metric)
    words = t(f"scores.{rule}")
    if value is None:
        reason = "graded" if metric in GRADED else "of_run" if rule == "compat" and metric in OF_RUN else "none"
        return t(f"presenter.unscored.{reason}"), "dim", "" if metric in GRADED else words
    figure = f"{value * WORST:.1f}"
    if metric in LOWER:
        return t("presenter.lower", n=figure), "text", words
    return figure, "text", words


def _joined(values: Sequence[tuple[str, str, str]]) -> Iterator[tuple[str, str]]:
    for number, (value, tone, rule) in enumerate(values):
        yield ("　" if number else "") + f"{rule} ", "dim"
        yield value, tone


def tested_by_person(scene: EpisodeSnapshot) -> bool:
    """Whether a person sat in the tested seat last."""
    seated = scene.seats.get(SEAT)
    return seated is not None and seated.engine == "human"
