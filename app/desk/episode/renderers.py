"""How each kind of event looks in the record: one renderer an event, in a table.

A renderer turns an event into a `EventBlock`: a label, lines of (text, role) pieces, and the raw source that `y`
copies. Roles are names; the widget gives them colours from the theme. All text from tasks, models and corpora is
cleaned here.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from app.desk.law.events import call_texts, items_of, returned_lines, summary, tool_name
from app.strings import counted, known, language, t
from app.strings.sentences import translated
from app.terminal import clean, pad, truncate
from app.words import marks_of
from models.errors import BadEngine
from models.sampling import bare
from tasks.agents.native import words
from tasks.episode.events import (
    ActDone,
    ActionParsed,
    Answered,
    AttemptStarted,
    EngineFailed,
    Event,
    ExhibitMoved,
    Leaked,
    LimitHit,
    ModelCalled,
    Planned,
    Record,
    Routed,
    Said,
    Seated,
    StageEntered,
    Stopped,
    Thought,
    TokensReported,
    ToolCalled,
    ToolReturned,
    ToolsChosen,
    TopicTracked,
    Unknown,
    Violation,
)
from tasks.episode.scheduler import HUMAN
from tasks.run.listing import RunLine

Piece = tuple[str, str]
"""Text and its role."""
Line = tuple[Piece, ...]
"""One line before wrapping."""

ROLES = (
    "text", "label", "dim", "thought", "tool", "value", "answer", "question", "good", "warn", "bad", "seat", "mark",
    "rule", "match", "removed", "added",
)  # fmt: skip
SHORT = 6
"""Lines shown of a long text until it is unfolded."""
ALL = 10_000


@dataclass(frozen=True)
class EventBlock:
    """What one event shows. `fold` is the number of wrapped lines shown until a person unfolds it.

    `full` is shown instead of `lines` once it is unfolded, where that is more than the rest of the same lines. A
    `heading` stands alone, with a line across.
    """

    seq: int
    step: int
    label: str
    tone: str
    lines: tuple[Line, ...]
    raw: str
    fold: int = ALL
    full: tuple[Line, ...] | None = None
    heading: bool = False

    @property
    def whole(self) -> tuple[Line, ...]:
        """All lines: what is shown of it when it is unfolded."""
        return self.lines if self.full is None else self.full


def one(text: str) -> str:
    """Untrusted text on one line."""
    return clean(text, multiline=False)


def many(text: str, role: str = "text") -> tuple[Line, ...]:
    """Untrusted text as lines of one role."""
    return tuple(((line, role),) for line in clean(text).split("\n"))


def seat_name(seat: str) -> str:
    """The seat in words of the court."""
    return t(f"seat.{seat}") if known(f"seat.{seat}") else one(seat)


def policy_name(policy: str, engine: str = "") -> str:
    """Who sits there: "规则，无模型", or the method, with its form where it is not the default, and its model."""
    name = policy.split("/")[0]
    form = f"policy.form.{policy.partition('+')[2]}"
    words = t(f"policy.{name}") if known(f"policy.{name}") else one(policy)
    words = t("policy.in_form", policy=words, form=t(form)) if known(form) else words
    return t("policy.with_model", policy=words, model=engine_name(engine)) if engine and engine != "human" else words


def player_name(line: RunLine) -> str:
    """Who played a run: the policy with its model, or the file that it was imported from. First in how many episodes
    a person answered in its place: where there is little room, the end is cut."""
    helped = t("home.people", n=line.people) if line.people and line.agent != HUMAN else ""
    return helped + (one(line.source) or policy_name(line.agent, line.model))


def engine_name(spec: str) -> str:
    """The short name of an engine: a file without its folder, a model without its address, and no settings."""
    try:
        kind, colon, rest = bare(spec).partition(":")
    except BadEngine:
        kind, colon, rest = spec.partition(":")
    if not colon:
        return one(spec)
    if kind == "endpoint":
        return one(rest.rpartition("#")[2] or rest)
    name = re.split(r"[\\/]", rest.partition("#")[0])[-1] or rest
    return one(name.removesuffix(".gguf") if kind == "llama" else f"{kind}:{name}")


def compact(value: Any) -> str:
    """JSON data on one line, short and readable: a person's view of a tool's input."""
    if isinstance(value, str):
        return one(value)
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return one("、".join(value))
    return one(json.dumps(value, ensure_ascii=False))


def provenance_marks(event: ToolReturned) -> list[Piece]:
    """Where the data came from and what the pack could not say."""
    marks: list[Piece] = [(t("mark.fictional"), "mark")] if "authored" in event.provenance else []
    if event.status == "outside_pack":
        return marks
    if event.unknown:
        marks.append((counted("mark.outside_cells", event.unknown), "warn"))
    if not event.complete:
        marks.append((t("mark.incomplete"), "warn"))
    return marks


def size_of(value: Any) -> str:
    """How much a tool returned, in words; '' for a single value."""
    if isinstance(value, list):
        return counted("event.items", len(value))
    return counted("event.cells", len(value)) if isinstance(value, dict) else ""


def duration(milliseconds: float) -> str:
    """A machine time in three figures or so."""
    if milliseconds >= 1000:
        return t("event.seconds", n=f"{milliseconds / 1000:.1f}")
    return t("event.milliseconds", n=f"{milliseconds:.0f}" if milliseconds >= 10 else f"{milliseconds:.1f}")


def between(pieces: Iterable[Piece]) -> list[Piece]:
    """Pieces that say something, with a dot between each two."""
    joined: list[Piece] = []
    for piece in filter(itemgetter(0), pieces):
        joined += [(" · ", "dim"), piece] if joined else [piece]
    return joined


def _joined(pieces: Iterable[Piece]) -> Line:
    return tuple(between(pieces))


def _block(
    record: Record, label: str, tone: str, lines: tuple[Line, ...], raw: str, fold: int = ALL,
    full: tuple[Line, ...] | None = None,
) -> EventBlock:  # fmt: skip
    return EventBlock(record.seq, record.step, label, tone, lines, raw, fold, full)


def _attempt(record: Record, event: AttemptStarted) -> EventBlock:
    question = str(event.card.get("question", ""))
    return _block(record, t("event.question"), "label", many(question, "question"), question, 12)


def _seated(record: Record, event: Seated) -> EventBlock:
    line = ((seat_name(event.seat), "seat"), (" ← ", "dim"), (policy_name(event.policy, event.engine), "text"))
    return _block(record, t("event.seated"), "dim", (line,), f"{event.seat} {event.policy} {event.engine}".rstrip())


def _planned(record: Record, event: Planned) -> EventBlock:
    lines = tuple(
        ((f"{number}. ", "dim"), (one(step), "text")) for number, step in enumerate(event.steps, 1)
    )  # fmt: skip
    return _block(record, t("event.planned"), "label", lines or many("—", "dim"), "\n".join(event.steps), 12)


def _tools(record: Record, event: ToolsChosen) -> EventBlock:
    tables = "、".join(map(one, event.tables))
    head = _joined(
        [(counted("event.tables", len(event.tables)), "label"), (counted("event.tools", len(event.tools)), "dim")]
    )
    note = many(translated(event.note), "warn" if event.result == "repaired" else "bad") if event.note else ()
    return _block(
        record, t("event.tools_chosen"), "dim", (head, ((tables, "text"),), *note), "\n".join(event.tools), SHORT
    )


def _thought(record: Record, event: Thought) -> EventBlock:
    return _block(record, t("event.thought"), "dim", many(event.text, "thought"), event.text, SHORT)


def _model(record: Record, event: ModelCalled) -> EventBlock:
    if event.human:
        return _block(record, t("event.human_called"), "seat", many(event.text), event.text, SHORT)
    lines, full = call_lines(event)
    return _block(record, t("event.model_called"), "dim", lines, words(event), full=full)


def _parsed(record: Record, event: ActionParsed) -> EventBlock | None:
    if event.result == "ok":
        return None
    tone = "warn" if event.result == "repaired" else "bad"
    return _block(
        record, t(f"event.action_{event.result}"), tone, many(translated(event.note) or "—"), event.note, SHORT
    )


def _called(record: Record, event: ToolCalled) -> EventBlock:
    pieces: list[Piece] = [(tool_name(event.tool), "tool")]
    if (texts := call_texts(event.tool, event.input)) is not None:
        pieces += [("  ", "dim"), (texts, "value")]
    elif isinstance(event.input, dict):
        for name, value in event.input.items():
            shown = t("event.all_columns") if name == "columns" and value == [] else compact(value)
            pieces += [("  " if len(pieces) == 1 else " · ", "dim"), (f"{one(str(name))}=", "dim"), (shown, "value")]
    elif event.input is not None:
        pieces += [("  ", "dim"), (compact(event.input), "value")]
    raw = json.dumps({"tool": event.tool, "input": event.input}, ensure_ascii=False)
    return _block(record, t("event.tool_called"), "tool", (tuple(pieces),), raw, SHORT)


TONES = {"ok": "good", "no_data": "warn", "outside_pack": "warn"}
"""Status of a tool -> role; every other status is an error."""


def _returned(record: Record, event: ToolReturned) -> EventBlock:
    status = t(f"status.{event.status}") if known(f"status.{event.status}") else one(event.status)
    tone = TONES.get(event.status, "bad")
    size = summary(event) if items_of(event) else [(size_of(event.value), "dim")]
    took = duration(event.milliseconds) if event.milliseconds else ""
    head = _joined([(status, tone), *size, *provenance_marks(event), (took, "dim")])
    whole = (head, *many(event.observation)) if event.observation else (head,)
    lines, full = ((head, *returned_lines(event)), whole) if items_of(event) else (whole, None)
    return _block(record, t("event.observation"), tone, lines, event.observation, SHORT, full)


def _said(record: Record, event: Said) -> EventBlock:
    to = (("、".join(map(seat_name, event.to)), "seat"), ("：", "dim")) if event.to else ()
    first, *rest = many(event.text)
    head = ((seat_name(event.seat), "seat"), (" → " if to else "：", "dim"), *to, *first)
    return _block(record, t("event.said"), "seat", (head, *rest, *utterance_marks(event)), event.text)


def utterance_marks(event: Said) -> tuple[Line, ...]:
    """The line under words that a limit of tokens ended, or in which nothing of the speaker's own is said."""
    return (((marks, "warn"),),) if (marks := marks_of(event)) else ()


def _answered(record: Record, event: Answered) -> EventBlock:
    lines = many(event.res, "answer")
    if event.summary and event.summary != event.res:
        lines += (((t("event.summary"), "dim"),), *many(event.summary, "dim"))
    return _block(record, t("event.answered"), "answer", lines, event.res, 10)


def _limit_words(event: LimitHit) -> str:
    return f"{t(f'limit.{event.kind}')} {event.used:g} / {event.limit:g}"


def _stopped(record: Record, event: Stopped) -> EventBlock:
    tone = "good" if event.outcome == "finished" else "bad" if event.outcome == "error" else "warn"
    pieces: list[Piece] = [(t(f"outcome.{event.outcome}"), tone)]
    if event.reason and event.reason != "answered":
        pieces.append((one(translated(event.reason)), "dim"))
    return _block(
        record, t("event.stopped"), tone, (_joined(pieces),), f"{event.outcome} {event.reason}".strip(), SHORT
    )


def _tokens(record: Record, event: TokensReported) -> EventBlock:
    line = t("event.tokens", prompt=f"{event.prompt:,}", generated=f"{event.generated:,}")
    return _block(record, t("fact.tokens"), "dim", (((line, "dim"),),), f"{event.prompt} {event.generated}")


def _unknown(record: Record, event: Unknown) -> EventBlock:
    raw = json.dumps({event.name: event.content}, ensure_ascii=False)
    return _block(
        record, t("event.unknown"), "warn", (((one(event.name), "text"),), ((one(raw), "dim"),)), raw, SHORT
    )


def _line(label: str, tone: str, words: Callable[[Any], str]) -> Callable[[Record, Any], EventBlock | None]:
    """The renderer of an event that is told in a line; nothing is shown where there are no words."""

    def show(record: Record, event: Any) -> EventBlock | None:
        said = words(event)
        return (
            _block(record, t(label), tone, many(said, "text" if tone == "dim" else tone), said, SHORT)
            if said
            else None
        )

    return show


# The words of the courts take a moment to load: only their events need them.


def _fault_words(event: Violation) -> str:
    from app.court_words import fault_words

    return fault_words(event)


def _exhibit_words(event: ExhibitMoved) -> str:
    from app.court_words import exhibit_words

    return exhibit_words(event)


def routed_words(event: Routed, name: Callable[[str], str] = seat_name) -> str:
    """Whom an utterance reached where its words alone do not say it, and who was addressed in vain; '' for the plain
    case."""
    lost = t("court.dropped", to="、".join(map(name, event.dropped))) if event.dropped else ""
    if not event.to:
        return lost or (t("court.unrouted") if not event.how else "")
    how = f"court.routed.{event.how}"
    reached = t(how, to="、".join(map(name, event.to))) if known(how) else ""
    return "；".join(filter(None, (reached, lost)))


def tracked_words(event: TopicTracked, topic: str = "") -> str:
    """What a reply says on the topic that was asked; `topic` is what to call it."""
    said = (
        t(f"court.verdict.{event.verdict}")
        if event.verdict != "none"
        else t("court.answered" if event.answered else "court.open")
    )
    return f"{topic or event.pointer} {said}" + (f"：“{event.quote}”" if event.quote else "")


RENDERERS: dict[type[Event], Callable[[Record, Any], EventBlock | None]] = {
    StageEntered: _line("event.stage", "label", lambda event: event.name),
    ActDone: _line("event.act", "dim", lambda event: " ".join((event.name, *event.basis[:1]))),
    Violation: _line("event.fault", "bad", _fault_words),
    ExhibitMoved: _line("event.exhibit", "dim", _exhibit_words),
    Leaked: _line("event.leaked", "bad", lambda event: f"{t('court.leak')}：{event.text}"),
    Routed: _line("event.routed", "dim", routed_words),
    TopicTracked: _line("event.tracked", "dim", tracked_words),
    AttemptStarted: _attempt,
    Seated: _seated,
    Planned: _planned,
    Thought: _thought,
    ModelCalled: _model,
    EngineFailed: _line("event.engine_failed", "bad", lambda event: event.message),
    ActionParsed: _parsed,
    ToolCalled: _called,
    ToolReturned: _returned,
    ToolsChosen: _tools,
    Said: _said,
    Answered: _answered,
    LimitHit: _line("event.limit_hit", "warn", _limit_words),
    Stopped: _stopped,
    TokensReported: _tokens,
    Unknown: _unknown,
}
"""Event -> renderer. Events that are not here (the end of a step) show nothing."""


def render(record: Record) -> EventBlock | None:
    """The block of a record, or None when it shows nothing."""
    renderer = RENDERERS.get(type(record.event))
    return renderer(record, record.event) if renderer else None


def each(records: Sequence[Record]) -> dict[int, EventBlock | None]:
    """Every record as its event looks by itself, by sequence number."""
    return {record.seq: render(record) for record in records}


def label_width() -> int:
    """Cells of the column of labels in the current language."""
    return 8 if language() == "zh" else 12


LONGEST = 400
"""Cells shown of a line that a tool returned, in plain text."""


def plain(event: Event, block: EventBlock, gutter: int) -> str:
    """A block as plain text, its label in a column of so many cells.

    Of a call it says the cost, of what a tool returned the beginning, and of who sits where the exact names as well;
    the record keeps the whole.
    """
    lines = ["".join(part for part, _ in line) for line in block.lines]
    if isinstance(event, Seated) and block.label:
        lines = [f"{lines[0]}  {event.policy} {event.engine}".rstrip()]
    if isinstance(event, ModelCalled) and block.full is not None and len(lines) > 1:
        lines = lines[:-1]
    elif isinstance(event, ToolReturned):
        lines = [truncate(line, LONGEST) for line in lines[:SHORT]]
    if block.heading:
        return f"── {''.join(lines)} ──"
    labels = (block.label, *[""] * len(lines))
    return "\n".join(f"{pad(label, gutter)} {line}".rstrip() for label, line in zip(labels, lines, strict=False))


def step_list(steps: Collection[int]) -> str:
    """Numbers of steps as a person writes them: 2–5、7."""
    runs: list[list[int]] = []
    for step in sorted(steps):
        if runs and step == runs[-1][1] + 1:
            runs[-1][1] = step
        else:
            runs.append([step, step])
    return t("show.listed").join(f"{first}–{last}" if last > first else str(first) for first, last in runs)


Chance = tuple[str, float, tuple[tuple[str, float], ...]]
"""A token, its log-probability, and the likeliest tokens of its place with theirs."""

ENDS = {"length": "warn", "repetition": "warn", "context_full": "bad", "cancelled": "warn", "time_limit": "warn"}
"""How a call may have ended other than by itself -> role."""
SURE = ((0.9, "text"), (0.5, "seat"), (0.1, "warn"), (0.0, "bad"))
"""From this probability on -> role of a token."""
SHORT_REPLY = 40
"""Characters of a reply that is shown without being unfolded."""
DOUBTS = 8
"""Places shown at which the model was least sure."""


def cost_line(event: ModelCalled) -> Line:
    """Tokens read anew, reused and generated; the time; the speed of the whole call; how many were decoded
    together."""
    return _joined(_cost(event))


def _cost(event: ModelCalled) -> list[Piece]:
    if event.origin == "cached":
        return [(t("origin.cached"), "warn"), (t("call.generated", n=f"{event.generated:,}"), "dim")]
    pieces: list[Piece] = [(t("call.read", n=f"{event.evaluated:,}"), "dim")]
    origin = t(f"origin.{event.origin}") if event.origin and known(f"origin.{event.origin}") else ""
    if event.reused:
        share = round(100 * event.reused / (event.evaluated + event.reused))
        key = "call.reused.from" if origin else "call.reused"
        pieces.append((t(key, n=f"{event.reused:,}", share=share, origin=origin), "dim"))
    elif event.origin == "evicted":
        pieces.append((origin, "warn"))
    pieces.append((t("call.generated", n=f"{event.generated:,}"), "dim"))
    if event.reasoned:
        parts = {"thought": f"{event.reasoned:,}", "reply": f"{event.generated - event.reasoned:,}"}
        pieces.append((t("call.parted", **parts), "dim"))
    if event.milliseconds:
        pieces.append((t("event.seconds", n=f"{event.milliseconds / 1000:.1f}"), "dim"))
    if event.generated and event.milliseconds > 0:
        rate = 1000 * event.generated / event.milliseconds
        pieces.append((t("call.rate", n=f"{rate:.0f}" if rate >= 10 else f"{rate:.1f}"), "dim"))
    if event.batch > 1:
        pieces.append((t("call.batch", n=event.batch), "dim"))
    return pieces


def call_lines(event: ModelCalled) -> tuple[tuple[Line, ...], tuple[Line, ...] | None]:
    """The lines of a call, and those it has unfolded; None where one short line of speech is all there is to fold."""
    ended: list[Piece] = [(t(f"finish.{event.finish}"), ENDS[event.finish])] if event.finish in ENDS else []
    head: list[Line] = [_joined([*ended, *_cost(event)])]
    if event.note:
        head.append(((clean(translated(event.note), multiline=False), ENDS.get(event.finish, "dim")),))
    text = words(event)
    speech = many(text, "dim")
    if not event.reasoning and not event.logprobs and len(speech) == 1 and len(text) <= SHORT_REPLY:
        return (*head, *(speech if text else ())), None
    thought: Piece = (t("call.reasoning", n=f"{len(event.reasoning):,}"), "thought")
    spoken: Piece = (t("call.speech", n=f"{len(text):,}"), "dim")
    folded = [thought, spoken] if event.reasoning else [spoken]
    if event.logprobs:
        folded.append((t("call.chances", n=f"{len(event.logprobs):,}"), "dim"))
    unfolded: list[Line] = []
    if event.reasoning:
        unfolded += [((thought[0], "label"),), *many(event.reasoning, "thought")]
        unfolded.append(((spoken[0], "label"),))
    hint: Piece = (t("call.unfold"), "dim")
    return (*head, (*between(folded), hint)), (*head, *unfolded, *speech, *chance_lines(event.logprobs))


def chance_lines(chances: Sequence[Chance]) -> list[Line]:
    """How sure the model was: mean, perplexity, the tokens in colours, and the places of most doubt."""
    if not chances:
        return []
    mean = sum(logprob for _, logprob, _ in chances) / len(chances)
    summary = t(
        "chance.summary", n=f"{len(chances):,}", mean=f"{mean:.2f}", perplexity=f"{math.exp(min(-mean, 99.0)):.2f}"
    )
    lines: list[Line] = [((summary, "label"),)]
    legend: list[Piece] = []
    for at_least, role in SURE:
        legend.append(
            (
                t("chance.from", share=f"{at_least:.0%}")
                if at_least
                else t("chance.below", share=f"{SURE[-2][0]:.0%}"),
                role,
            )
        )
    lines.append(((t("chance.legend"), "dim"), *between(legend)))
    lines += _coloured(chances)
    doubts = [(n, chance) for n, chance in enumerate(chances, 1) if _share(chance[1]) < SURE[0][0]]
    for number, (token, logprob, top) in sorted(doubts, key=lambda pair: pair[1][1])[:DOUBTS]:
        others = [(other, p) for other, p in top if other != token]
        pieces: list[Piece] = [
            (t("chance.place", n=number), "dim"),
            (shown_token(token), _role(logprob)),
            (f" {_percent(logprob)}", "text"),
        ]
        if others:
            pieces.append((t("chance.others"), "dim"))
            pieces += between([(f"{shown_token(other)} {_percent(p)}", "dim") for other, p in others])
        lines.append(tuple(pieces))
    return lines


def totals(records: Iterable[Record]) -> tuple[int, int, int, int]:
    """Model calls of an episode; prompt tokens read anew and reused, and tokens generated by all of them."""
    calls = [record.event for record in records if isinstance(record.event, ModelCalled) and not record.event.human]
    return len(calls), sum(e.evaluated for e in calls), sum(e.reused for e in calls), sum(e.generated for e in calls)


def shown_token(token: str) -> str:
    """A token on one line, its blanks visible."""
    return "「" + clean(token.replace("\n", "↵"), multiline=False).replace(" ", "␣") + "」"


def _coloured(chances: Sequence[Chance]) -> list[Line]:
    lines: list[list[Piece]] = [[]]
    for token, logprob, _ in chances:
        for number, part in enumerate(clean(token).split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append((part, _role(logprob)))
    return [tuple(line) for line in lines]


def _share(logprob: float) -> float:
    return math.exp(logprob) if logprob <= 0 else 1.0


def _role(logprob: float) -> str:
    share = _share(logprob)
    return next(role for at_least, role in SURE if share >= at_least)


def _percent(logprob: float) -> str:
    share = _share(logprob)
    return f"{share:.0%}" if share >= 0.1 else f"{share:.2%}"
