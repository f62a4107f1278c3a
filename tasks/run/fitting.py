"""Whether the context of the model in every seat holds what the seat has to read, before a run begins.

Where a SPEC does not say how long a reply may be, the tokens that are kept for one are lowered until every task
fits, to `LEAST` at the lowest, and stand in the SPEC of the run, so that a resumed run gets the same prompts. A
context that suffices changes nothing. What still does not fit is refused, with a value that works and with the tasks
that do fit. Tokens; a context that nobody states is believed.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from models.sampling import having, limits_of
from tasks.agents.budgets import LEAST_REPLY, MARGIN, ContextBudget, prompt_in
from tasks.benchmark import Benchmark, Question
from tasks.episode.events import Seated
from tasks.errors import UsageError
from tasks.run.spec import RunSpec

LEAST = 512
"""Tokens of a reply to which a run is lowered unasked: a short turn with room to spare; a longer text of the tested
seat is continued once."""
STEP, WIDER = 64, 1024
"""A reply that is lowered, and a context that is advised, are multiples of these."""
USED = 1 - 1 / MARGIN
"""Of a context, what prompt and reply may take."""
MOST_IDS = 20
"""Tasks that a refusal names."""
Casts = Sequence[tuple[Question, Sequence[Seated]]]


@dataclass(frozen=True, slots=True)
class Fitting:
    """What the models of a run need.

    spec: the run, with the replies that were `lowered`, by seat; needs: task -> seat -> tokens of context; narrow:
    task -> the first seat whose context is too small for it.
    """

    spec: RunSpec
    lowered: dict[str, int]
    needs: dict[str, dict[str, int]]
    narrow: dict[str, Seated]


def fitted(bench: Benchmark, casts: Casts, spec: RunSpec) -> Fitting:
    """The run with replies as short as its tasks need, and what does not fit. casts: who sits where, with the context
    of each engine."""
    needs: dict[str, dict[str, int]] = {question.id: {} for question, _ in casts}
    seats: dict[str, list[tuple[Question, Seated]]] = defaultdict(list)
    for question, cast in casts:
        for sits in cast:
            if need := bench.need(question, sits, spec):
                needs[question.id][sits.seat] = need
                seats[sits.seat].append((question, sits))
    lowered: dict[str, int] = {}
    for seat, asked in seats.items():
        sits = asked[0][1]
        reply, thought = limits_of(sits.engine)
        usual, room = ContextBudget.of(sits).reply, sits.context * USED - thought
        prompts = {question.id: prompt_in(needs[question.id][seat], sits) for question, _ in asked}
        tight = any(needs[task][seat] > sits.context for task in prompts)
        if not sits.context or not tight or reply or usual <= LEAST:
            continue
        fit = [room - prompt for prompt in prompts.values() if room - prompt >= LEAST]
        lowered[seat] = min(usual, _stepped(min(fit, default=LEAST)))
        for task, prompt in prompts.items():
            kept = lowered[seat] if room - prompt >= LEAST else LEAST
            needs[task][seat] = math.ceil((prompt + thought + kept) / USED)
    narrow = {
        question.id: sits
        for question, cast in reversed(casts)
        for sits in reversed(cast)
        if 0 < sits.context < needs[question.id].get(sits.seat, 0)
    }
    changed = {seat: having(seats[seat][0][1].engine, {"reply": reply}) for seat, reply in lowered.items()}
    model = changed.pop(bench.seat, spec.model)
    spec = spec.model_copy(update={"model": model, "seats": {**spec.seats, **changed}}) if lowered else spec
    return Fitting(spec, lowered, needs, dict(reversed(narrow.items())))


def refuse_narrow(found: Fitting, casts: Casts, trained: Callable[[Seated], int]) -> None:
    """Refuse a run with tasks that do not fit. trained: tokens that the model of a seat was trained for, 0 where
    nobody says.

    Raises:
        UsageError: names the tasks, a value of the SPEC that works, and the tasks that do fit.
    """
    if not found.narrow:
        return
    sits = next(iter(found.narrow.values()))
    alike = [task for task, one in found.narrow.items() if one.seat == sits.seat]
    need = max(found.needs[task][sits.seat] for task in alike)
    least = having(sits.engine, {"reply": LEAST}) if sits.seat in found.lowered else sits.engine
    prompt = prompt_in(need, sits.model_copy(update={"engine": least}))
    setting, wide = _advice(sits, prompt, trained(sits))
    way = f"Write {setting} in its SPEC." if setting else f"Take a model with a context of {wide} tokens."
    others = _others(found, casts)
    raise UsageError(
        f"{_named(list(found.narrow))}: seat {sits.seat} needs a context of about {need} tokens, its model has "
        f"{sits.context}",
        f"{way} These fit: {others}." if others else way,
    )


def _advice(sits: Seated, prompt: int, trained: int) -> tuple[str, int]:
    """What a SPEC has to say to make room for a prompt of so many tokens, '' where nothing helps; and the context
    that would be enough."""
    reply, thought = limits_of(sits.engine)
    room = _stepped(sits.context * USED - prompt - thought)
    wide = math.ceil((prompt + thought + (reply or LEAST)) / USED / WIDER) * WIDER
    if room >= LEAST_REPLY:
        return f"#reply={room}", wide
    if wide <= trained:
        return f"#ctx={wide}", wide
    fits = prompt + thought + LEAST_REPLY <= trained * USED
    return f"#ctx={trained},reply={LEAST_REPLY}" if fits else "", wide


def _others(found: Fitting, casts: Casts) -> str:
    """The tasks that fit, as options: types that fit as a whole, else tasks."""
    fit = [question for question, _ in casts if question.id not in found.narrow]
    broken = {question.group for question, _ in casts if question.id in found.narrow}
    whole = dict.fromkeys(question.group for question in fit if question.group not in broken)
    if whole and (len(fit) > MOST_IDS or not any(question.group in broken for question in fit)):
        return " ".join(f"--type {group}" for group in whole)
    return " ".join(f"--task {question.id}" for question in fit[:MOST_IDS])


def _named(tasks: Sequence[str]) -> str:
    names, n = ", ".join(tasks[:MOST_IDS]), len(tasks)
    if n == 1:
        return f"task {names}"
    return f"{n} tasks ({names})" if n <= MOST_IDS else f"{n} tasks ({names} and {n - MOST_IDS} more)"


def _stepped(reply: float) -> int:
    return int(reply) // STEP * STEP
