"""What a model call shows in the record: what it cost, how it ended, what it thought, and how sure it was.

Tokens are the engine's own, times milliseconds of the whole call. The only speed that can be told from a record is
that of the whole call, reading included, and it is named so. Log-probabilities are natural, of the tokens as they
were drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from app.strings import known, t
from app.strings.sentences import said
from app.terminal import clean
from tasks.agents.native import words
from tasks.episode.events import ModelCalled, Record

Piece = tuple[str, str]
Line = tuple[Piece, ...]
Chance = tuple[str, float, tuple[tuple[str, float], ...]]
"""A token, its log-probability, and the likeliest tokens of its place with theirs."""

ENDS = {"length": "warn", "context_full": "bad", "cancelled": "warn", "time_limit": "warn"}
"""How a call may have ended other than by itself -> role."""
SURE = ((0.9, "text"), (0.5, "seat"), (0.1, "warn"), (0.0, "bad"))
"""From this probability on -> role of a token."""
SHORT = 40
"""Characters of a reply that is shown without being unfolded."""
DOUBTS = 8
"""Places shown at which the model was least sure."""


def cost_line(event: ModelCalled) -> Line:
    """Tokens read anew, reused and generated; the time; the speed of the whole call; how many were decoded
    together."""
    return tuple(between(_cost(event)))


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
    rate = total_rate(event)
    if rate is not None:
        pieces.append((t("call.rate", n=f"{rate:.0f}" if rate >= 10 else f"{rate:.1f}"), "dim"))
    if event.batch > 1:
        pieces.append((t("call.batch", n=event.batch), "dim"))
    return pieces


def total_rate(event: ModelCalled) -> float | None:
    """Generated tokens a second over the whole call, None where that says nothing."""
    return 1000 * event.generated / event.milliseconds if event.generated and event.milliseconds > 0 else None


def call_lines(event: ModelCalled) -> tuple[tuple[Line, ...], tuple[Line, ...] | None]:
    """The lines of a call, and those it has unfolded; None where one short line of speech is all there is to fold."""
    ended: list[Piece] = [(t(f"finish.{event.finish}"), ENDS[event.finish])] if event.finish in ENDS else []
    head: list[Line] = [tuple(between([*ended, *_cost(event)]))]
    if event.note:
        head.append(((clean(said(event.note), multiline=False), ENDS.get(event.finish, "dim")),))
    text = words(event)
    speech = lines_of(text, "dim")
    if not event.reasoning and not event.logprobs and len(speech) == 1 and len(text) <= SHORT:
        return (*head, *(speech if text else ())), None
    thought: Piece = (t("call.reasoning", n=f"{len(event.reasoning):,}"), "thought")
    spoken: Piece = (t("call.speech", n=f"{len(text):,}"), "dim")
    folded = [thought, spoken] if event.reasoning else [spoken]
    if event.logprobs:
        folded.append((t("call.chances", n=f"{len(event.logprobs):,}"), "dim"))
    unfolded: list[Line] = []
    if event.reasoning:
        unfolded += [((thought[0], "label"),), *lines_of(event.reasoning, "thought")]
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


def lines_of(text: str, role: str) -> tuple[Line, ...]:
    """Untrusted text as lines of one role."""
    return tuple(((line, role),) for line in clean(text).split("\n"))


def between(pieces: Iterable[Piece]) -> list[Piece]:
    """Pieces with a dot between each two."""
    joined: list[Piece] = []
    for piece in pieces:
        joined += [(" · ", "dim"), piece] if joined else [piece]
    return joined


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
    """A probability, whatever a record says."""
    return math.exp(logprob) if logprob <= 0 else 1.0


def _role(logprob: float) -> str:
    share = _share(logprob)
    return next(role for at_least, role in SURE if share >= at_least)


def _percent(logprob: float) -> str:
    share = _share(logprob)
    return f"{share:.0%}" if share >= 0.1 else f"{share:.2%}"
