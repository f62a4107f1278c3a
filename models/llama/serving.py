"""Continuous batching of calls with one model, in the child process: calls join and leave while others go on.

A step is a prefill (a chunk of one prompt, or several short prompts of at most so many tokens) and then a decode of
one token for each call that generates: no generation waits for a long prompt, and calls with short prompts are
decoded together from the beginning. A call that is done leaves at once, and the next takes its slot. A chunk is
evaluated on its own: beside tokens of other calls llama.cpp cuts it (its first token goes with theirs), so that its
chunks would no longer follow from the prompt alone; with float weights that changed 3 of 60 prompts and every reply
of three in 60, and it saves no time. Of tokens as many go in one batch as this model's kernels allow without changing
a bit (`native.together`), the others one batch after the other; the tokens of a prompt that are evaluated one by one
go with them. One prefill at a time, so that the next finds its prefix in memory. Cancelling takes effect within one
step. Units: milliseconds, tokens, bytes.
"""

from __future__ import annotations

import math
import re
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from models.engine import Ask, Finish, Message, Reply, ToolInfo, Usage
from models.llama import native
from models.llama.decoding import Generation, Sampler, tokens_of_text
from models.llama.native import CHUNK, Context, Model
from models.llama.process import EngineCall, Options, error_text, reply_data
from models.llama.reasoning import opens, silent
from models.llama.sequences import Key, PrefillPlan, Segment, SequenceMemory, StreamMatch, StreamPool, plan
from models.llama.template import ChatTemplate, RenderedPiece

OwnTurns = Callable[[str], tuple[list[int], str]]
"""Text of an assistant message -> (the generated tokens, the text that they leave over)."""


class Prompter:
    """Makes prompts for one model and its template."""

    def __init__(self, model: Model, template: ChatTemplate, specials: Collection[str]) -> None:
        self._model = model
        self._template = template
        longest_first = sorted(specials, key=len, reverse=True)
        self._special = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def runs(
        self, messages: Sequence[Message], *, thinking: bool, own: OwnTurns, tools: Sequence[ToolInfo] = ()
    ) -> tuple[list[Segment], str]:
        """The prompt as stretches of tokens, and the text of its last frame (it may open a reasoning block)."""
        pieces = self._template.pieces(messages, thinking=thinking, tools=tools)
        runs: list[Segment] = []
        waiting: list[RenderedPiece] = []
        for piece in pieces:
            at = piece.message
            generated: list[int] = []
            rest = piece.text
            if piece.kind == "content" and at is not None and messages[at].role == "assistant":
                generated, rest = own(piece.text)
            if not generated:
                waiting.append(piece)
                continue
            self._flush(waiting, runs)
            runs.append(Segment(tuple(generated), generated=True))
            waiting = [RenderedPiece(rest, "content", at)] if rest else []
        self._flush(waiting, runs)
        if self._model.adds_bos and not (runs and runs[0].tokens and runs[0].tokens[0] == self._model.bos):
            first = runs.pop(0) if runs and not runs[0].generated else Segment(())
            runs.insert(0, Segment((self._model.bos, *first.tokens)))
        return runs, pieces[-1].text if pieces and pieces[-1].kind == "frame" else ""

    def _flush(self, pieces: list[RenderedPiece], runs: list[Segment]) -> None:
        """Tokenise a stretch of text: as a whole where no content looks like a special token, else piece by piece."""
        joined = "".join(piece.text for piece in pieces)
        tokens: list[int] = []
        if self._specials_in(joined) == sum(self._specials_in(p.text) for p in pieces if p.kind == "frame"):
            tokens = self._model.tokenize(joined, special=True)
        else:
            for kind, group in groupby(pieces, key=lambda piece: piece.kind):
                text = "".join(piece.text for piece in group)
                tokens += self._model.tokenize(text, special=kind == "frame")
        if tokens:
            runs.append(Segment(tuple(tokens)))
        pieces.clear()

    def _specials_in(self, text: str) -> int:
        return len(self._special.findall(text)) if self._special else 0


Emit = Callable[[dict[str, object]], None]
PAUSE = 0.04
"""Seconds between two pieces of news of the same call."""
MOST_TURNS = 400
"""Own turns remembered by sequence."""


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call of an order, by its place in it; its time is up at `until`."""

    order: int
    index: int
    call: EngineCall
    until: float


@dataclass
class ActiveCall:
    """A call that has a slot: in prefill while there are `borders` of its prompt left, then in decode."""

    pending: PendingCall
    key: Key
    found: StreamMatch
    plan: PrefillPlan
    borders: deque[int]
    memory: SequenceMemory
    generation: Generation
    started: float
    token: int = 0
    """The last token that was drawn, to be evaluated next."""
    batch: int = 1
    reported_at: float = 0.0

    @property
    def ask(self) -> Ask:
        """The question."""
        return self.pending.call.ask

    @property
    def next(self) -> Sequence[int]:
        """The tokens that are evaluated next: a chunk of the prompt, or the last one drawn."""
        at = len(self.memory.tokens)
        return self.plan.tokens[at : self.borders[0]] if self.borders else (self.token,)

    @property
    def wants(self) -> bool:
        """Whether a token is drawn from what is evaluated next."""
        return len(self.borders) < 2


class ModelServer:
    """The model of this process. `emit` sends news to the parent, `cancelled` says whether an order is to stop."""

    def __init__(self, emit: Emit, cancelled: Callable[[int], bool]) -> None:
        self._emit = emit
        self._cancelled = cancelled
        self._model: Model | None = None
        self._active: list[ActiveCall] = []
        self._waiting: deque[PendingCall] = deque()
        self._open: dict[int, int] = {}
        """Orders, and how many of their calls have no answer yet."""
        self._own_turns: OrderedDict[Key, OrderedDict[str, tuple[list[int], str]]] = OrderedDict()
        self.ticks = 0
        """Counts evaluations: a number that stands still for long says that llama.cpp hangs."""

    def load(self, order: int, options: Options) -> dict[str, Any]:
        """Load the model and set up its memory; gives the facts."""

        def progress(done: float) -> bool:
            self.ticks += 1
            news = {"event": "delta", "phase": "loading", "done": round(done * 100), "total": 100}
            self._emit({"id": order, **news})
            return not self._cancelled(order)

        self._options = options
        model = Model(options.path, progress)
        self._model = model
        specials = model.specials()
        template = ChatTemplate(options.template, model.name_of(model.bos), model.name_of(model.eos), specials)
        self._prompter = Prompter(model, template, specials)
        self._context = Context(model, length=options.context, streams=options.slots, threads=options.threads)
        self._pool = StreamPool(self._context, options.slots, rolls_back=model.rolls_back, limit=options.offload)
        self._together, self._min_batch = options.together, 2
        return {
            "context": self._context.length, "slots": options.slots, "threads": options.threads,
            "together": self._together, "rolls_back": model.rolls_back, "vocabulary": model.size,
            "template": template.name, "build": native.build(),
        }  # fmt: skip

    def join(self, order: int, calls: Sequence[EngineCall]) -> None:
        """Take calls in; each is answered as soon as it can be, and the order is done with the last of them."""
        now = time.perf_counter()
        self._open[order] = len(calls)
        for index, call in enumerate(calls):
            seconds = call.ask.seconds
            self._waiting.append(PendingCall(order, index, call, math.inf if seconds is None else now + seconds))

    @property
    def busy(self) -> bool:
        """Whether calls are in motion."""
        return bool(self._waiting or self._active)

    def give_up(self) -> list[int]:
        """Forget all calls in motion, after something that none of them alone is to blame for; the orders they were
        of."""
        for active in self._active:
            active.generation.sampler.close()
            self._pool.drop(active.key)
        left = list(self._open)
        self._active.clear()
        self._waiting.clear()
        self._open.clear()
        return left

    def step(self) -> None:
        """Go on with all calls: about a chunk of prefill, one token of each in decode."""
        self._stop_expired()
        prefill_tokens = 0
        while (prefill := self._next_prefill()) is not None and len(prefill.next) > 1:
            if prefill_tokens and prefill_tokens + len(prefill.next) > CHUNK:
                break
            prefill_tokens += len(prefill.next)
            self._prefill(prefill)
        self._decode()

    def _next_prefill(self) -> ActiveCall | None:
        """The call in prefill, else the next that finds a slot; None where there is none."""
        prefill = next((active for active in self._active if active.borders), None)
        while prefill is None and self._waiting and len(self._active) < self._options.slots:
            if self._active and not self._together:
                assert self._model is not None
                self._together, self._min_batch = native.together(
                    self._model, self._options.slots, self._options.threads
                )
            prefill = self._start(self._waiting.popleft())
        return prefill

    def _stop_expired(self) -> None:
        """Answer calls that are cancelled or out of time with what there is."""
        now = time.perf_counter()

        def end(pending: PendingCall) -> Finish | None:
            return "cancelled" if self._cancelled(pending.order) else "time_limit" if now >= pending.until else None

        for active in list(self._active):
            if finish := end(active.pending):
                self._finish(active, finish)
        for pending in list(self._waiting):
            if finish := end(pending):
                self._waiting.remove(pending)
                self._reply(pending, Reply("", Usage(), finish))

    def _find_own_turns(self, key: Key, call: EngineCall) -> Callable[[str], tuple[list[int], str]]:
        """Finds the tokens of an earlier turn by its text."""
        assert self._model is not None
        model = self._model
        for text, tokens in call.turns:  # the record is right where it and this process disagree
            plainly = tokens_of_text(model, tokens, text, thinks=False)
            self._remember(key, text, plainly if plainly[0] else tokens_of_text(model, tokens, text, thinks=True))
        known = self._own_turns.get(key, OrderedDict())
        return lambda text: known.get(text, ([], text))

    def _remember(self, key: Key, text: str, generated: tuple[list[int], str]) -> None:
        turns = self._own_turns.setdefault(key, OrderedDict())
        self._own_turns.move_to_end(key)
        turns[text] = generated
        while len(turns) > MOST_TURNS:
            turns.popitem(last=False)
        while len(self._own_turns) > MOST_TURNS:
            self._own_turns.popitem(last=False)

    def _start(self, pending: PendingCall) -> ActiveCall | None:
        """Give a call its slot; None when it is answered already."""
        ask, started = pending.call.ask, time.perf_counter()
        assert self._model is not None
        busy = {active.key for active in self._active}
        key = (ask.episode, ask.seat)
        while key in busy:
            key = (key[0], key[1] + "'")
        sampler = None
        try:
            runs, frame = self._prompter.runs(
                ask.messages,
                thinking=ask.settings.thinking,
                own=self._find_own_turns((ask.episode, ask.seat), pending.call),
                tools=ask.tools,
            )
            wanted = plan(runs)
            if (length := len(wanted.tokens)) >= self._context.length:
                note = f"the prompt of {length} tokens does not fit the context of {self._context.length}"
                self._reply(pending, Reply("", Usage(), "context_full", note=note))
                return None
            sampler = Sampler(self._model, ask)
            sampler.prime(wanted.tokens)
            found = self._pool.find(key, wanted, busy.__contains__)
            active = ActiveCall(
                pending, key, found, wanted, deque(border for border in wanted.borders if border > found.reused),
                self._pool.memory(key), Generation(self._model, ask, sampler, opens(frame)), started,
            )  # fmt: skip
        except Exception as error:  # whatever one call runs into, the others go on
            if sampler is not None:
                sampler.close()
            self._pool.drop(key)
            self._answered(pending, {"event": "failed", "title": error_text(error), "hint": ""})
            return None
        self._active.append(active)
        self._report_prefill(active)
        return active

    def _prefill(self, active: ActiveCall) -> None:
        """Evaluate the next chunk of a prompt."""
        try:
            logits = self._context.prefill(
                active.found.stream, active.next, len(active.memory.tokens), logits=active.wants
            )
        except Exception as error:
            return self._fail(active, error)
        self.ticks += 1
        self._advance(active, logits)

    def _decode(self) -> None:
        """One more token for every call that has one."""
        for active in list(self._active):
            if not active.borders and len(active.memory.tokens) >= self._context.length:
                self._finish(active, "context_full")
        ready = sorted(
            (active for active in self._active if len(active.next) == 1), key=lambda active: active.found.stream
        )
        width = max(1, self._together)
        for start in range(0, len(ready), width):
            group = ready[start : start + width]
            size = len(group) if len(group) >= self._min_batch else 1
            for at in range(0, len(group), size):
                if any(self._cancelled(active.pending.order) for active in ready):
                    return
                self._decode_batch(group[at : at + size])

    def _decode_batch(self, group: list[ActiveCall]) -> None:
        """One token of each of these calls in one evaluation."""
        rows = [(active.found.stream, active.next[0], len(active.memory.tokens), active.wants) for active in group]
        try:
            found = self._context.decode(rows)
        except Exception as error:
            for active in group:
                self._fail(active, error)
            return
        self.ticks += 1
        for active, logits in zip(group, found, strict=True):
            active.batch = max(active.batch, len(group))
            self._advance(active, logits)

    def _advance(self, active: ActiveCall, logits: native.Logits | None) -> None:
        """What was next has been evaluated: go on to the next border, or draw a token."""
        active.memory.grow(active.next)
        try:
            if active.borders:
                active.borders.popleft()
                if logits is None:
                    return self._report_prefill(active)
                self._pool.checkpoint(active.key)
            assert logits is not None
            token = active.generation.take(logits)
        except Exception as error:
            return self._fail(active, error)
        if token is None:
            return self._finish(active, "stop")
        active.token = token
        self._report_text(active)

    def _fail(self, active: ActiveCall, error: Exception) -> None:
        """End one call; its sequence is in an unknown state."""
        self._active.remove(active)
        active.generation.sampler.close()
        self._pool.drop(active.key)
        self._answered(active.pending, {"event": "failed", "title": error_text(error), "hint": ""})

    def _finish(self, active: ActiveCall, finish: Finish) -> None:
        """The call is over, for this reason unless its generation has one of its own."""
        self._active.remove(active)
        generation, total = active.generation, len(active.plan.tokens)
        generation.end(finish)
        self._report_text(active, last=True)
        generation.sampler.close()
        assert self._model is not None
        if generation.tokens and generation.finish != "cancelled":
            own = tokens_of_text(self._model, generation.tokens, generation.speech, thinks=generation.thinks)
            self._remember((active.ask.episode, active.ask.seat), generation.speech, own)
        reason = generation.finish or finish
        if reason == "context_full":
            generated = len(generation.tokens)
            note = f"the context of {self._context.length} tokens is full after {generated} generated tokens"
        else:
            note = silent(reason, generation.speech, generation.reasoning, False, len(generation.tokens))
        prefill_tokens = min(total, len(active.memory.tokens))  # all of the prompt, unless it was cut short
        usage = Usage(
            evaluated=prefill_tokens - active.found.reused,
            reused=active.found.reused,
            generated=len(generation.tokens),
            milliseconds=round((time.perf_counter() - active.started) * 1000, 3),
            origin=active.found.origin,
            batch=active.batch,
            reasoned=generation.reasoning_tokens,
        )
        reply = Reply(
            generation.speech, usage, reason, generation.reasoning, tuple(generation.tokens),
            tuple(generation.chances), note, tuple(generation.entropies),
        )  # fmt: skip
        self._reply(active.pending, reply)

    def _reply(self, pending: PendingCall, reply: Reply) -> None:
        self._answered(pending, {"event": "reply", **reply_data(reply)})

    def _answered(self, pending: PendingCall, news: dict[str, object]) -> None:
        """Send the answer to a call, and with the last one of an order that it is done."""
        self._emit({"id": pending.order, "index": pending.index, **news})
        self._open[pending.order] -= 1
        if not self._open[pending.order]:
            del self._open[pending.order]
            self._emit({"event": "done", "id": pending.order, "result": None})

    def _report_prefill(self, active: ActiveCall) -> None:
        now = time.perf_counter()
        if now - active.reported_at > PAUSE:
            active.reported_at = now
            self._report(active, "reading", done=len(active.memory.tokens), total=len(active.plan.tokens))

    def _report_text(self, active: ActiveCall, *, last: bool = False) -> None:
        now = time.perf_counter()
        if last or now - active.reported_at > PAUSE:
            active.reported_at = now
            for phase, text in active.generation.news():
                self._report(active, phase, text=text, done=len(active.generation.tokens))

    def _report(self, active: ActiveCall, phase: str, *, text: str = "", done: int = 0, total: int = 0) -> None:
        news = {"event": "delta", "phase": phase, "episode": active.ask.episode, "seat": active.ask.seat}
        self._emit({"id": active.pending.order, **news, "text": text, "done": done, "total": total})

    def close(self) -> None:
        """Free everything."""
        if self._model is not None:
            self._context.close()
            self._model.close()
            self._model = None
