"""What the child process does for a living: loads one model and answers calls with it, which come and go as they
like.

A step is a chunk of a newcomer's prompt, or several short ones of at most so many tokens, and then one token of
everybody who speaks, so that nobody falls silent while somebody reads, and newcomers with short prompts speak
together from the beginning; who is done leaves at once, and the next takes its place. A chunk is evaluated on its
own: beside tokens of others llama.cpp cuts it (its first token goes with theirs), in other words its chunks would no
longer follow from the prompt alone; with float weights that changed 3 of 60 prompts and every speech of three in 60,
and it saves no time. Of tokens as many go in one batch as this model's kernels allow without changing a bit
(`native.together`), the others in turns; the tokens of a prompt that are read one by one go with them. One newcomer
reads at a time, so that the next finds what it read. Cancelling takes effect within one step. Units: milliseconds,
tokens, bytes.
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

from models.engine import Ask, Finish, Message, Reply, Tool, Usage
from models.llama import native
from models.llama.decoding import Sampler, Speaker, spoken_part
from models.llama.native import CHUNK, Context, Model
from models.llama.process import Call, Options, reply_data, told
from models.llama.reasoning import opens, silent
from models.llama.sequences import Found, Key, Memory, Plan, Pool, Run, plan
from models.llama.template import ChatTemplate, Piece

OwnTurn = Callable[[str], tuple[list[int], str]]
"""Text of an assistant message -> (the generated tokens, the text that they leave over)."""


class Prompter:
    """Makes prompts for one model and its template."""

    def __init__(self, model: Model, template: ChatTemplate, specials: Collection[str]) -> None:
        self._model = model
        self._template = template
        longest_first = sorted(specials, key=len, reverse=True)
        self._special = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def runs(
        self, messages: Sequence[Message], *, thinking: bool, own: OwnTurn, tools: Sequence[Tool] = ()
    ) -> tuple[list[Run], str]:
        """The prompt as stretches of tokens, and the text of its last frame (it may open a reasoning block)."""
        pieces = self._template.pieces(messages, thinking=thinking, tools=tools)
        runs: list[Run] = []
        waiting: list[Piece] = []
        for piece in pieces:
            at = piece.message
            spoken: list[int] = []
            rest = piece.text
            if piece.kind == "content" and at is not None and messages[at].role == "assistant":
                spoken, rest = own(piece.text)
            if not spoken:
                waiting.append(piece)
                continue
            self._flush(waiting, runs)
            runs.append(Run(tuple(spoken), spoken=True))
            waiting = [Piece(rest, "content", at)] if rest else []
        self._flush(waiting, runs)
        if self._model.adds_bos and not (runs and runs[0].tokens and runs[0].tokens[0] == self._model.bos):
            first = runs.pop(0) if runs and not runs[0].spoken else Run(())
            runs.insert(0, Run((self._model.bos, *first.tokens)))
        return runs, pieces[-1].text if pieces and pieces[-1].kind == "frame" else ""

    def _flush(self, pieces: list[Piece], runs: list[Run]) -> None:
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
            runs.append(Run(tuple(tokens)))
        pieces.clear()

    def _specials_in(self, text: str) -> int:
        return len(self._special.findall(text)) if self._special else 0


Emit = Callable[[dict[str, object]], None]
PAUSE = 0.04
"""Seconds between two pieces of news of the same call."""
MOST_TURNS = 400
"""Own turns remembered by sequence."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A call of an order, by its place in it; its time is up at `until`."""

    order: int
    index: int
    call: Call
    until: float


@dataclass
class Turn:
    """A call in motion: it reads while there are `borders` of its prompt left, then it speaks."""

    asked: Asked
    key: Key
    found: Found
    plan: Plan
    borders: deque[int]
    memory: Memory
    speaker: Speaker
    started: float
    token: int = 0
    """What it said last, to be evaluated next."""
    batch: int = 1
    told: float = 0.0

    @property
    def ask(self) -> Ask:
        """The question."""
        return self.asked.call.ask

    @property
    def next(self) -> Sequence[int]:
        """The tokens that are evaluated next: a chunk of the prompt, or what it said last."""
        at = len(self.memory.tokens)
        return self.plan.tokens[at : self.borders[0]] if self.borders else (self.token,)

    @property
    def wants(self) -> bool:
        """Whether a token is drawn from what is evaluated next."""
        return len(self.borders) < 2


class Server:
    """The model of this process. `emit` sends news to the parent, `cancelled` says whether an order is to stop."""

    def __init__(self, emit: Emit, cancelled: Callable[[int], bool]) -> None:
        self._emit = emit
        self._cancelled = cancelled
        self._model: Model | None = None
        self._turns: list[Turn] = []
        self._waiting: deque[Asked] = deque()
        self._open: dict[int, int] = {}
        """Orders, and how many of their calls have no answer yet."""
        self._spoken: OrderedDict[Key, OrderedDict[str, tuple[list[int], str]]] = OrderedDict()
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

    def join(self, order: int, calls: Sequence[Call]) -> None:
        """Take calls in; each is answered as soon as it can be, and the order is done with the last of them."""
        now = time.perf_counter()
        self._open[order] = len(calls)
        for index, call in enumerate(calls):
            seconds = call.ask.seconds
            self._waiting.append(Asked(order, index, call, math.inf if seconds is None else now + seconds))

    @property
    def busy(self) -> bool:
        """Whether calls are in motion."""
        return bool(self._waiting or self._turns)

    def give_up(self) -> list[int]:
        """Forget all calls in motion, after something that none of them alone is to blame for; the orders they were
        of."""
        for turn in self._turns:
            turn.speaker.sampler.close()
            self._pool.drop(turn.key)
        left = list(self._open)
        self._turns.clear()
        self._waiting.clear()
        self._open.clear()
        return left

    def step(self) -> None:
        """Go on with all calls: about a chunk of those that read, one token of each that speaks."""
        self._stop_some()
        read = 0
        while (reader := self._reader()) is not None and len(reader.next) > 1:
            if read and read + len(reader.next) > CHUNK:
                break
            read += len(reader.next)
            self._read(reader)
        self._speak()

    def _reader(self) -> Turn | None:
        """Who reads: a newcomer that has not read all of its prompt, else the next that finds a place; None where
        nobody does."""
        reader = next((turn for turn in self._turns if turn.borders), None)
        while reader is None and self._waiting and len(self._turns) < self._options.slots:
            if self._turns and not self._together:
                assert self._model is not None
                self._together, self._pays = native.together(self._model, self._options.slots, self._options.threads)
            reader = self._start(self._waiting.popleft())
        return reader

    def _stop_some(self) -> None:
        """Whose order is cancelled or whose time is up is answered with what there is."""
        now = time.perf_counter()

        def end(asked: Asked) -> Finish | None:
            return "cancelled" if self._cancelled(asked.order) else "time_limit" if now >= asked.until else None

        for turn in list(self._turns):
            if finish := end(turn.asked):
                self._leave(turn, finish)
        for asked in list(self._waiting):
            if finish := end(asked):
                self._waiting.remove(asked)
                self._reply(asked, Reply("", Usage(), finish))

    def _own(self, key: Key, call: Call) -> Callable[[str], tuple[list[int], str]]:
        """Finds the tokens of an earlier turn by its text."""
        assert self._model is not None
        model = self._model
        for text, tokens in call.turns:  # the record is right where it and this process disagree
            plainly = spoken_part(model, tokens, text, thinks=False)
            self._remember(key, text, plainly if plainly[0] else spoken_part(model, tokens, text, thinks=True))
        known = self._spoken.get(key, OrderedDict())
        return lambda text: known.get(text, ([], text))

    def _remember(self, key: Key, text: str, spoken: tuple[list[int], str]) -> None:
        turns = self._spoken.setdefault(key, OrderedDict())
        self._spoken.move_to_end(key)
        turns[text] = spoken
        while len(turns) > MOST_TURNS:
            turns.popitem(last=False)
        while len(self._spoken) > MOST_TURNS:
            self._spoken.popitem(last=False)

    def _start(self, asked: Asked) -> Turn | None:
        """Give a call its place; None when it is answered already."""
        ask, started = asked.call.ask, time.perf_counter()
        assert self._model is not None
        busy = {turn.key for turn in self._turns}
        key = (ask.episode, ask.seat)
        while key in busy:
            key = (key[0], key[1] + "'")
        sampler = None
        try:
            runs, frame = self._prompter.runs(
                ask.messages,
                thinking=ask.settings.thinking,
                own=self._own((ask.episode, ask.seat), asked.call),
                tools=ask.tools,
            )
            wanted = plan(runs)
            if (length := len(wanted.tokens)) >= self._context.length:
                note = f"the prompt of {length} tokens does not fit the context of {self._context.length}"
                self._reply(asked, Reply("", Usage(), "context_full", note=note))
                return None
            sampler = Sampler(self._model, ask)
            sampler.prime(wanted.tokens)
            found = self._pool.find(key, wanted, busy.__contains__)
            turn = Turn(
                asked, key, found, wanted, deque(border for border in wanted.borders if border > found.reused),
                self._pool.memory(key), Speaker(self._model, ask, sampler, opens(frame)), started,
            )  # fmt: skip
        except Exception as error:  # whatever one call runs into, the others go on
            if sampler is not None:
                sampler.close()
            self._pool.drop(key)
            self._answered(asked, {"event": "failed", "title": told(error), "hint": ""})
            return None
        self._turns.append(turn)
        self._tell_reading(turn)
        return turn

    def _read(self, turn: Turn) -> None:
        """Evaluate the next chunk of a prompt."""
        try:
            logits = self._context.read(turn.found.stream, turn.next, len(turn.memory.tokens), logits=turn.wants)
        except Exception as error:
            return self._fail(turn, error)
        self.ticks += 1
        self._take_in(turn, logits)

    def _speak(self) -> None:
        """One more token for every call that has one."""
        for turn in list(self._turns):
            if not turn.borders and len(turn.memory.tokens) >= self._context.length:
                self._leave(turn, "context_full")
        ready = sorted((turn for turn in self._turns if len(turn.next) == 1), key=lambda turn: turn.found.stream)
        width = max(1, self._together)
        for start in range(0, len(ready), width):
            group = ready[start : start + width]
            size = len(group) if len(group) >= self._pays else 1
            for at in range(0, len(group), size):
                if any(self._cancelled(turn.asked.order) for turn in ready):
                    return
                self._speak_together(group[at : at + size])

    def _speak_together(self, group: list[Turn]) -> None:
        """One token of each of these calls in one evaluation."""
        rows = [(turn.found.stream, turn.next[0], len(turn.memory.tokens), turn.wants) for turn in group]
        try:
            found = self._context.speak(rows)
        except Exception as error:
            for turn in group:
                self._fail(turn, error)
            return
        self.ticks += 1
        for turn, logits in zip(group, found, strict=True):
            turn.batch = max(turn.batch, len(group))
            self._take_in(turn, logits)

    def _take_in(self, turn: Turn, logits: native.Logits | None) -> None:
        """What was next has been evaluated: go on to the next border, or draw a token."""
        turn.memory.grow(turn.next)
        try:
            if turn.borders:
                turn.borders.popleft()
                if logits is None:
                    return self._tell_reading(turn)
                self._pool.mark(turn.key)
            assert logits is not None
            token = turn.speaker.take(logits)
        except Exception as error:
            return self._fail(turn, error)
        if token is None:
            return self._leave(turn, "stop")
        turn.token = token
        self._tell_text(turn)

    def _fail(self, turn: Turn, error: Exception) -> None:
        """End one call; its sequence is in an unknown state."""
        self._turns.remove(turn)
        turn.speaker.sampler.close()
        self._pool.drop(turn.key)
        self._answered(turn.asked, {"event": "failed", "title": told(error), "hint": ""})

    def _leave(self, turn: Turn, finish: Finish) -> None:
        """The call is over, for this reason unless its speaker has one of its own."""
        self._turns.remove(turn)
        speaker, total = turn.speaker, len(turn.plan.tokens)
        speaker.end(finish)
        self._tell_text(turn, last=True)
        speaker.sampler.close()
        assert self._model is not None
        if speaker.tokens and speaker.finish != "cancelled":
            spoken = spoken_part(self._model, speaker.tokens, speaker.speech, thinks=speaker.thinks)
            self._remember((turn.ask.episode, turn.ask.seat), speaker.speech, spoken)
        said = speaker.finish or finish
        if said == "context_full":
            generated = len(speaker.tokens)
            note = f"the context of {self._context.length} tokens is full after {generated} generated tokens"
        else:
            note = silent(said, speaker.speech, speaker.reasoning, False, len(speaker.tokens))
        read = min(total, len(turn.memory.tokens))  # all of the prompt, unless it was cut short
        usage = Usage(
            evaluated=read - turn.found.reused,
            reused=turn.found.reused,
            generated=len(speaker.tokens),
            milliseconds=round((time.perf_counter() - turn.started) * 1000, 3),
            origin=turn.found.origin,
            batch=turn.batch,
            reasoned=speaker.thought,
        )
        reply = Reply(
            speaker.speech, usage, said, speaker.reasoning, tuple(speaker.tokens),
            tuple(speaker.chances), note, tuple(speaker.entropies),
        )  # fmt: skip
        self._reply(turn.asked, reply)

    def _reply(self, asked: Asked, reply: Reply) -> None:
        self._answered(asked, {"event": "reply", **reply_data(reply)})

    def _answered(self, asked: Asked, news: dict[str, object]) -> None:
        """Send the answer to a call, and with the last one of an order that it is done."""
        self._emit({"id": asked.order, "index": asked.index, **news})
        self._open[asked.order] -= 1
        if not self._open[asked.order]:
            del self._open[asked.order]
            self._emit({"event": "done", "id": asked.order, "result": None})

    def _tell_reading(self, turn: Turn) -> None:
        now = time.perf_counter()
        if now - turn.told > PAUSE:
            turn.told = now
            self._tell(turn, "reading", done=len(turn.memory.tokens), total=len(turn.plan.tokens))

    def _tell_text(self, turn: Turn, *, last: bool = False) -> None:
        now = time.perf_counter()
        if last or now - turn.told > PAUSE:
            turn.told = now
            for phase, text in turn.speaker.news():
                self._tell(turn, phase, text=text, done=len(turn.speaker.tokens))

    def _tell(self, turn: Turn, phase: str, *, text: str = "", done: int = 0, total: int = 0) -> None:
        news = {"event": "delta", "phase": phase, "episode": turn.ask.episode, "seat": turn.ask.seat}
        self._emit({"id": turn.asked.order, **news, "text": text, "done": done, "total": total})

    def close(self) -> None:
        """Free everything."""
        if self._model is not None:
            self._context.close()
            self._model.close()
            self._model = None


__all__ = ["CHUNK", "Server", "Turn"]
