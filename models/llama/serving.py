"""What the child process does for a living: loads one model and answers batches of calls with it.

Calls of a batch start one after the other and then decode together, as many in one batch as this model's kernels allow
without changing a bit (`native.together`), the others in turns. Cancelling takes effect within one chunk or one token.
Units: milliseconds, tokens, bytes.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from models.engine import Ask, Reply, Usage
from models.llama import native
from models.llama.decoding import Sampler, Speaker, spoken_part
from models.llama.native import CHUNK, Context, Model, NativeError
from models.llama.prompts import Prompter
from models.llama.reasoning import opens, silent
from models.llama.sequences import Found, Key, Plan, Pool, plan
from models.llama.template import ChatTemplate
from models.llama.wire import Call, Options, reply_data

Emit = Callable[[dict[str, object]], None]
PAUSE = 0.04
"""Seconds between two pieces of news of the same call."""
MOST_TURNS = 400
"""Own turns remembered by sequence."""


@dataclass
class Turn:
    """One call in motion."""

    index: int
    ask: Ask
    key: Key
    found: Found
    plan: Plan
    speaker: Speaker
    started: float
    until: float = math.inf
    """When its time is up."""
    token: int | None = None
    batch: int = 1
    told: float = 0.0


class Server:
    """The model of this process. `emit` sends news to the parent, `cancelled` says whether the calls are to stop."""

    def __init__(self, emit: Emit, cancelled: Callable[[], bool]) -> None:
        self._emit = emit
        self._cancelled = cancelled
        self._model: Model | None = None
        self._turns: OrderedDict[Key, OrderedDict[str, tuple[list[int], str]]] = OrderedDict()
        self.ticks = 0
        """Counts evaluations: a number that stands still for long says that llama.cpp hangs."""

    def load(self, options: Options) -> dict[str, Any]:
        """Load the model and set up its memory; gives the facts."""
        self._options = options
        model = Model(options.path, self._loading)
        self._model = model
        specials = model.specials()
        template = ChatTemplate(options.template, model.name_of(model.bos), model.name_of(model.eos), specials)
        self._prompter = Prompter(model, template, specials)
        self._context = Context(model, length=options.context, streams=options.slots, threads=options.threads)
        self._pool = Pool(self._context, options.slots, rolls_back=model.rolls_back, room=options.parking)
        self._together, self._pays = options.together, 2
        return {
            "context": self._context.length, "slots": options.slots, "threads": options.threads,
            "together": self._together, "rolls_back": model.rolls_back, "vocabulary": model.size,
            "template": template.name, "build": native.build(),
        }  # fmt: skip

    def tokens_of(self, call: Call) -> list[int]:
        """The prompt's token ids, as a call would get them."""
        key = (call.ask.episode, call.ask.seat)
        runs, _ = self._prompter.runs(
            call.ask.messages,
            thinking=call.ask.settings.thinking,
            own=self._own(key, call),
            tools=call.ask.tools,
        )
        return [token for run in runs for token in run.tokens]

    def tokenize(self, text: str) -> list[int]:
        """Token ids of plain text."""
        assert self._model is not None
        return self._model.tokenize(text, special=False)

    def facts(self) -> dict[str, int]:
        """How many sequences live and are parked."""
        return {**self._pool.facts(), "together": self._together}

    def answer(self, calls: list[Call]) -> None:
        """Answer all calls; each reply is emitted as soon as it is there."""
        if len(calls) > 1 and self._options.slots > 1 and not self._together:
            assert self._model is not None
            self._together, self._pays = native.together(self._model, self._options.slots, self._options.threads)
        waiting = deque(enumerate(calls))
        active: list[Turn] = []
        began = time.perf_counter()
        while waiting or active:
            if self._cancelled():
                self._stop_all(waiting, active)
                return
            while waiting and len(active) < self._options.slots and not self._cancelled():
                index, call = waiting.popleft()
                until = math.inf if call.ask.seconds is None else began + call.ask.seconds
                turn = self._start(index, call, {turn.key for turn in active}, until)
                if turn is not None:
                    active.append(turn)
            for turn in active:
                if turn.token is not None and time.perf_counter() >= turn.until:
                    turn.token = None
                    turn.speaker.end("time_limit")
            active = [turn for turn in active if not self._over(turn)]
            self._speak(active)

    def _loading(self, done: float) -> bool:
        self.ticks += 1
        self._emit({"event": "delta", "phase": "loading", "done": round(done * 100), "total": 100})
        return not self._cancelled()

    def _own(self, key: Key, call: Call) -> Callable[[str], tuple[list[int], str]]:
        """Finds the tokens of an earlier turn by its text."""
        assert self._model is not None
        model = self._model
        for text, tokens in call.turns:  # the record is right where it and this process disagree
            plainly = spoken_part(model, tokens, text, thinks=False)
            self._remember(key, text, plainly if plainly[0] else spoken_part(model, tokens, text, thinks=True))
        known = self._turns.get(key, OrderedDict())
        return lambda text: known.get(text, ([], text))

    def _remember(self, key: Key, text: str, spoken: tuple[list[int], str]) -> None:
        turns = self._turns.setdefault(key, OrderedDict())
        self._turns.move_to_end(key)
        turns[text] = spoken
        while len(turns) > MOST_TURNS:
            turns.popitem(last=False)
        while len(self._turns) > MOST_TURNS:
            self._turns.popitem(last=False)

    def _start(self, index: int, call: Call, busy: set[Key], until: float) -> Turn | None:
        """Read the prompt of a call and draw its first token; None when it is answered already."""
        ask, started = call.ask, time.perf_counter()
        assert self._model is not None
        key = (ask.episode, ask.seat)
        while key in busy:
            key = (key[0], key[1] + "'")
        sampler = None
        try:
            runs, frame = self._prompter.runs(
                ask.messages,
                thinking=ask.settings.thinking,
                own=self._own((ask.episode, ask.seat), call),
                tools=ask.tools,
            )
            wanted = plan(runs)
            if len(wanted.tokens) >= self._context.length:
                self._full(index, len(wanted.tokens))
                return None
            sampler = Sampler(self._model, ask, call.grammar)
            found = self._pool.find(key, wanted, lambda other: other in busy)
            speaker = Speaker(self._model, ask, sampler, opens(frame))
            turn = Turn(index, ask, key, found, wanted, speaker, started, until, told=started)
            logits = self._read(turn)
            if logits is None:
                self._finish(turn, "cancelled" if self._cancelled() else "time_limit")
                return None
            turn.token = speaker.take(logits)
            return turn
        except Exception as error:  # whatever one call runs into, the others of the batch go on
            if sampler is not None:
                sampler.close()
            self._pool.drop(key)
            self._emit({"event": "failed", "index": index, "title": str(error) or type(error).__name__, "hint": ""})
            return None

    def _full(self, index: int, length: int) -> None:
        note = f"the prompt of {length} tokens does not fit the context of {self._context.length}"
        reply = Reply("", Usage(), "context_full", note=note)
        self._emit({"event": "reply", "index": index, **reply_data(reply)})

    def _read(self, turn: Turn) -> native.Logits | None:
        """Evaluate what is new of a prompt; None when cancelled or out of time on the way."""
        tokens, total = turn.plan.tokens, len(turn.plan.tokens)
        memory = self._pool.memory(turn.key)
        at, logits = turn.found.reused, None
        for border in turn.plan.borders:
            if border <= at:
                continue
            now = time.perf_counter()
            if self._cancelled() or now >= turn.until:
                return None
            if now - turn.told > PAUSE or at == turn.found.reused:
                turn.told = now
                self._tell(turn, "reading", done=at, total=total)
            chunk = tokens[at:border]
            logits = self._context.read(turn.found.stream, chunk, at, logits=border == total)
            self.ticks += 1
            memory.grow(chunk)
            at = border
        self._pool.mark(turn.key)
        return logits

    def _speak(self, active: list[Turn]) -> None:
        """One more token for every call in motion."""
        active.sort(key=lambda turn: turn.found.stream)
        width = max(1, self._together)
        for start in range(0, len(active), width):
            group = active[start : start + width]
            places = [len(self._pool.memory(turn.key).tokens) for turn in group]
            full = [turn for turn, place in zip(group, places, strict=True) if place >= self._context.length]
            for turn in full:
                turn.token = None
                turn.speaker.end("context_full")
            ready = [(turn, place) for turn, place in zip(group, places, strict=True) if turn.token is not None]
            if len(ready) >= self._pays:
                self._speak_together(ready)
            else:
                for one in ready:
                    self._speak_together([one])

    def _speak_together(self, ready: list[tuple[Turn, int]]) -> None:
        """One token of each of these calls in one evaluation; beside each call the place of the token."""
        if not ready or self._cancelled():
            return
        try:
            rows = self._context.speak([(turn.found.stream, turn.token or 0, place) for turn, place in ready])
        except NativeError as error:
            self._fail([turn for turn, _ in ready], error)
            return
        self.ticks += 1
        for (turn, _), logits in zip(ready, rows, strict=True):
            turn.batch = max(turn.batch, len(ready))
            self._pool.memory(turn.key).grow([turn.token or 0])
            try:
                turn.token = turn.speaker.take(logits)
            except NativeError as error:
                self._fail([turn], error)
                continue
            self._tell_text(turn)

    def _over(self, turn: Turn) -> bool:
        if turn.index < 0:
            return True
        if turn.token is not None:
            return False
        self._finish(turn, "stop")
        return True

    def _fail(self, turns: list[Turn], error: NativeError) -> None:
        for turn in turns:
            turn.speaker.sampler.close()
            self._pool.drop(turn.key)
            self._emit({"event": "failed", "index": turn.index, "title": str(error), "hint": ""})
            turn.index, turn.token = -1, None

    def _stop_all(self, waiting: deque[tuple[int, Call]], active: list[Turn]) -> None:
        for turn in active:
            if not self._over(turn):
                self._finish(turn, "cancelled")
        for index, _ in waiting:
            self._emit({"event": "reply", "index": index, **reply_data(Reply("", Usage(), "cancelled"))})

    def _finish(self, turn: Turn, finish: str) -> None:
        speaker, total = turn.speaker, len(turn.plan.tokens)
        speaker.end(finish)  # type: ignore[arg-type]
        self._tell_text(turn, last=True)
        speaker.sampler.close()
        assert self._model is not None
        base = (turn.ask.episode, turn.ask.seat)
        if speaker.tokens and speaker.finish != "cancelled":
            spoken = spoken_part(self._model, speaker.tokens, speaker.speech, thinks=speaker.thinks)
            self._remember(base, speaker.speech, spoken)
        note = ""
        if speaker.finish == "context_full":
            note = (
                f"the context of {self._context.length} tokens is full after {len(speaker.tokens)} generated tokens"
            )
        read = min(total, len(self._pool.memory(turn.key).tokens))  # all of the prompt, unless it was cut short
        usage = Usage(
            evaluated=read - turn.found.reused,
            reused=turn.found.reused,
            generated=len(speaker.tokens),
            milliseconds=round((time.perf_counter() - turn.started) * 1000, 3),
            origin=turn.found.origin,
            batch=turn.batch,
            reasoned=speaker.thought,
        )
        said = speaker.finish or "stop"
        note = note or silent(said, speaker.speech, speaker.reasoning, False, len(speaker.tokens))
        reply = Reply(
            speaker.speech, usage, said, speaker.reasoning, tuple(speaker.tokens),
            tuple(speaker.chances), note, tuple(speaker.entropies),
        )  # fmt: skip
        self._emit({"event": "reply", "index": turn.index, **reply_data(reply)})

    def _tell_text(self, turn: Turn, *, last: bool = False) -> None:
        now = time.perf_counter()
        if last or now - turn.told > PAUSE:
            turn.told = now
            for phase, text in turn.speaker.news():
                self._tell(turn, phase, text=text, done=len(turn.speaker.tokens))

    def _tell(self, turn: Turn, phase: str, *, text: str = "", done: int = 0, total: int = 0) -> None:
        ask = turn.ask
        news = {"event": "delta", "phase": phase, "episode": ask.episode, "seat": ask.seat}
        self._emit({**news, "text": text, "done": done, "total": total})

    def close(self) -> None:
        """Free everything."""
        if self._model is not None:
            self._context.close()
            self._model.close()
            self._model = None


__all__ = ["CHUNK", "Server", "Turn"]
