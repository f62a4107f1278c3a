"""The generation of one call: which token comes next, what text the tokens make, and when it ends.

Tokens are drawn freely and tested against the grammar of the schema; only when one is refused are the others masked.
Reasoning runs free, the grammar begins with speech. Times are not known here.
"""

from __future__ import annotations

import codecs
import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import llama_cpp as lib
import numpy as np
from numpy.typing import NDArray

from models.engine import Ask, Finish, Phase, TokenChance
from models.llama.grammar import Grammar
from models.llama.native import Logits, Model, NativeError
from models.llama.reasoning import BLOCKS, Splitter
from models.repetition import EVERY, loops

Ids = NDArray[np.int32] | NDArray[np.int64]
Wide = NDArray[np.float64]
LOWEST = -1e4
"""Stands for a logit of minus infinity beside its weight of 0."""
LOOKED_BACK = 1024
"""Tokens that a repeat penalty looks back on, those of the prompt counted: the last few turns of a conversation."""


def _penalties(model: Model, penalty: float) -> Any:
    """The sampler of the repeat penalty; older builds of llama.cpp are not told the size of the vocabulary."""
    make = lib.llama_sampler_init_penalties
    size = (model.size,) if len(make.argtypes) == 5 else ()
    return make(*size, LOOKED_BACK, penalty, 0.0, 0.0)


class Sampler:
    """Draws tokens by the settings and the schema of a call."""

    def __init__(self, model: Model, ask: Ask) -> None:
        settings = ask.settings
        if not 0 < settings.repeat_penalty < math.inf:
            raise NativeError(f"repeat_penalty = {settings.repeat_penalty} is not more than 0")
        self._grammar = Grammar(model, ask.schema) if ask.schema is not None else None
        self._chain = None
        if settings.temperature > 0 or settings.repeat_penalty != 1.0:
            self._chain = lib.llama_sampler_chain_init(lib.llama_sampler_chain_default_params())
            links = []
            if settings.repeat_penalty != 1.0:
                links.append(_penalties(model, settings.repeat_penalty))
            if settings.temperature > 0:
                if settings.top_k > 0:
                    links.append(lib.llama_sampler_init_top_k(settings.top_k))
                if settings.top_p < 1:
                    links.append(lib.llama_sampler_init_top_p(settings.top_p, 1))
                if settings.min_p > 0:
                    links.append(lib.llama_sampler_init_min_p(settings.min_p, 1))
                links += [
                    lib.llama_sampler_init_temp(settings.temperature),
                    lib.llama_sampler_init_dist(settings.seed & 0xFFFFFFFF),
                ]
            else:
                links.append(lib.llama_sampler_init_greedy())
            for link in links:
                lib.llama_sampler_chain_add(self._chain, link)

    @property
    def has_grammar(self) -> bool:
        """Whether replies are bound to a grammar."""
        return self._grammar is not None

    def draw(self, logits: Logits, *, bound: bool) -> int:
        """The next token; with `bound` one that the grammar allows."""
        token = self._free(logits)
        if bound and self._grammar is not None and not self._grammar.allows(token):
            token = self._masked(logits, self._grammar.allowed())
        return token

    def prime(self, tokens: Sequence[int]) -> None:
        """Show the prompt to a repeat penalty, as llama.cpp's own programs do."""
        if self._chain is not None:
            for token in tokens[-LOOKED_BACK:]:
                lib.llama_sampler_accept(self._chain, token)

    def accept(self, token: int, *, bound: bool) -> None:
        """The token was taken."""
        if self._chain is not None:
            lib.llama_sampler_accept(self._chain, token)
        if bound and self._grammar is not None:
            self._grammar.accept(token)

    def _free(self, logits: Logits) -> int:
        if self._chain is None:
            token = int(np.argmax(logits))
            if not np.isfinite(logits[token]):
                raise NativeError("the model computes no numbers; its file is damaged")
            return token
        return self._from(logits, np.arange(len(logits), dtype=np.int32))

    def _masked(self, logits: Logits, allowed: Ids) -> int:
        """The draw among what the grammar allows."""
        if not len(allowed):
            raise NativeError("the grammar allows no token of this vocabulary")
        if self._chain is None:
            return int(allowed[np.argmax(logits[allowed])])
        return self._from(logits, allowed)

    def _from(self, logits: Logits, tokens: Ids) -> int:
        data = np.empty(len(tokens), dtype=CANDIDATE)
        data["id"], data["logit"], data["p"] = tokens, logits[tokens], 0.0
        array = lib.llama_token_data_array(
            data=data.ctypes.data_as(lib.llama_token_data_p), size=len(tokens), selected=-1, sorted=False
        )
        lib.llama_sampler_apply(self._chain, ctypes.byref(array))
        selected = int(array.selected)
        if not 0 <= selected < int(array.size):
            raise NativeError("no token could be drawn; the numbers of the model are not finite")
        return int(array.data[selected].id)

    def close(self) -> None:
        """Free what the chain holds."""
        if self._chain is not None:
            lib.llama_sampler_free(self._chain)
            self._chain = None


def _softmax(logits: Logits) -> tuple[Wide, Wide, float]:
    """The logits relative to the largest, their exponentials, and the sum of these."""
    values = logits.astype(np.float64)
    values -= values.max()
    weights = np.exp(values)
    return values, weights, float(weights.sum())


def _entropy(values: Wide, weights: Wide, total: float) -> float:
    """Entropy of the softmax in nats, of what `_softmax` gives: H = ln Z - sum(w x) / Z; a token of weight 0 adds
    nothing."""
    if not math.isfinite(total):
        raise NativeError("the model computes no numbers; its file is damaged")
    mean = (
        float((weights * np.maximum(values, LOWEST)).sum()) / total
    )  # no dot product: its threads would fight llama.cpp's
    return round(max(0.0, float(np.log(total)) - mean), 9)


def _likeliest(logits: Logits, count: int) -> Ids:
    """The ids of the `count` likeliest tokens, likeliest first, the lower id first among equals."""
    size = len(logits)
    some = np.arange(size) if count >= size else np.argpartition(-logits, count)[:count]
    return some[np.lexsort((some, -logits[some]))].astype(np.int32)


CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)], align=True)


@dataclass
class Generation:
    """Turns tokens into the reply of one call. `thinks` says whether the prompt already opened a reasoning block."""

    model: Model
    ask: Ask
    sampler: Sampler
    thinks: bool
    tokens: list[int] = field(default_factory=list)
    chances: list[TokenChance] = field(default_factory=list)
    entropies: list[float] = field(default_factory=list)
    speech: str = ""
    reasoning: str = ""
    finish: Finish | None = None
    phase: Phase = "speaking"

    def __post_init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._splitter = Splitter(self.thinks)
        self.phase = "thinking" if self.thinks else "speaking"
        self._reported_reasoning = self._reported_speech = 0
        self._reasoning_tokens = 0
        """Tokens of reasoning so far, its marks included."""
        self._forced: list[int] = []
        """Tokens that close the reasoning, because its budget is spent."""
        self._closed = False
        """Whether they were given; a vocabulary that cannot write the mark goes on reasoning, and then that counts as
        reply."""

    @property
    def bound(self) -> bool:
        """Whether the grammar rules the next token: speech has begun."""
        return self.sampler.has_grammar and self.phase == "speaking"

    @property
    def reasoning_tokens(self) -> int:
        """Generated tokens that were reasoning, its marks included; 0 where there was none."""
        return self._reasoning_tokens if self.reasoning else 0

    def take(self, logits: Logits) -> int | None:
        """Draw a token and take it in; the token to evaluate next, None when the turn is over."""
        bound = self.bound and not self._forced
        if bound and not self.tokens:
            first = self.sampler.draw(logits, bound=False)
            bound = not self._opens_reasoning(first)
        forced = bool(self._forced)
        token = self._forced.pop(0) if forced else self.sampler.draw(logits, bound=bound)
        if not forced and self.model.ends(token) and self._may_close:
            self._close_reasoning()  # it has thought, and said nothing yet
            forced, token = True, self._forced.pop(0)
        if not forced and self.model.ends(token):
            self._append_text(self._rest(), last=True)
            self.finish = self.finish or "stop"
            return None
        fresh = self._decoder.decode(self.model.piece(token))
        self._measure(logits, token, fresh)
        self.sampler.accept(token, bound=bound)
        self.tokens.append(token)
        self._append_text(fresh)
        self._apply_budgets()
        if self.finish is None and len(self.tokens) % EVERY == 0 and loops(self.reasoning + self.speech):
            self.end("repetition")
        return token if self.finish is None else None

    def _apply_budgets(self) -> None:
        settings = self.ask.settings
        if (self.phase == "thinking" and not self._closed) or self._forced:
            self._reasoning_tokens = len(self.tokens)
        spent = settings.reasoning and self._reasoning_tokens >= settings.reasoning
        if spent and self._may_close:
            self._close_reasoning()
        spoken = len(self.tokens) - (self._reasoning_tokens if settings.reasoning else 0)
        if self.finish is None and not self._forced and spoken >= settings.max_tokens:
            self.end("length")

    @property
    def _may_close(self) -> bool:
        return bool(self.ask.settings.reasoning) and self.phase == "thinking" and not self._closed

    def _close_reasoning(self) -> None:
        self._closed = True
        marks = self._splitter.closers
        mark = next((one for one in marks if len(self.model.tokenize(one, special=True)) == 1), marks[0])
        self._forced = self.model.tokenize(f"\n{mark}\n\n", special=True)

    def end(self, finish: Finish) -> None:
        """The turn is over for a reason outside the model."""
        self._append_text(self._rest(), last=True)
        self.finish = self.finish or finish

    def news(self) -> list[tuple[Phase, str]]:
        """What may be shown since the last time: text that could still become a stop string is held back."""
        kept_back = max((len(stop) - 1 for stop in self.ask.settings.stop), default=0) if self.finish is None else 0
        upto = max(self._reported_speech, len(self.speech) - kept_back)
        parts: list[tuple[Phase, str]] = [
            ("thinking", self.reasoning[self._reported_reasoning :]),
            ("speaking", self.speech[self._reported_speech : upto]),
        ]
        self._reported_reasoning, self._reported_speech = len(self.reasoning), upto
        return [part for part in parts if part[1]]

    def _opens_reasoning(self, token: int) -> bool:
        name = self.model.piece(token).decode("utf-8", "replace").strip()
        return name in OPENINGS

    def _append_text(self, text: str, *, last: bool = False) -> None:
        pieces = list(self._splitter.feed(text)) if text else []
        if last:
            pieces += self._splitter.finish()
        for phase, part in pieces:
            if phase == "thinking":
                self.reasoning += part
            else:
                self.speech += part
        self.phase = "thinking" if self._splitter.thinking else "speaking"
        if self.speech and self.ask.settings.stop:
            self._cut_at_stop()

    def _cut_at_stop(self) -> None:
        found = [at for at in (self.speech.find(stop) for stop in self.ask.settings.stop if stop) if at >= 0]
        if found:
            self.speech = self.speech[: min(found)]
            self.finish = "stop"

    def _rest(self) -> str:
        """What is left of a character when the turn ends inside it."""
        rest = self._decoder.decode(b"", final=True)
        if rest and self.entropies:
            self.chances[-1] = replace(self.chances[-1], text=self.chances[-1].text + rest)
        return rest

    def _measure(self, logits: Logits, token: int, fresh: str) -> None:
        """Natural log-probabilities and entropy before any sampling setting; `fresh` is the text that the token
        adds."""
        settings = self.ask.settings
        if not settings.logprobs and not settings.entropy:
            return
        values, weights, total = _softmax(logits)
        if settings.entropy:
            self.entropies.append(_entropy(values, weights, total))
        norm = float(np.log(total))
        likeliest = _likeliest(logits, min(settings.logprobs, len(values))) if settings.logprobs else ()
        top = tuple((self._name(int(other)), round(float(values[other]) - norm, 6)) for other in likeliest)
        name = fresh if settings.entropy else self._name(token)
        self.chances.append(TokenChance(name, round(float(values[token]) - norm, 6), top))

    def _name(self, token: int) -> str:
        return self.model.piece(token).decode("utf-8", "replace")


OPENINGS = tuple(block.opener for block in BLOCKS if block.phase == "thinking")
"""First tokens after which a reply bound to a grammar may first reason freely."""


def tokens_of_text(model: Model, tokens: Sequence[int], text: str, *, thinks: bool) -> tuple[list[int], str]:
    """The generated tokens that make up `text` (speech without reasoning, cut at a stop string), and what text is
    left.

    The tokens are heard once more. When they do not say `text`, are another model's (a seat may change engines), or
    hold control tokens (which must not become live again), all of it is left as text.
    """
    if any(not 0 <= token < model.size or model.is_control(token) for token in tokens):
        return [], text
    decoder, splitter = codecs.getincrementaldecoder("utf-8")("replace"), Splitter(thinks)
    speech, first, best, reasoning_tokens = "", 0, (0, 0), thinks
    for index, token in enumerate(tokens):
        speech += "".join(
            part for phase, part in splitter.feed(decoder.decode(model.piece(token))) if phase == "speaking"
        )
        reasoning_tokens = reasoning_tokens or splitter.thinking
        if reasoning_tokens and not speech:
            first = index + 1
        if len(speech) > len(text):
            break
        if len(speech) > best[1]:
            best = (index + 1, len(speech))
    else:
        tail = decoder.decode(b"", final=True)
        rest = [*(splitter.feed(tail) if tail else []), *splitter.finish()]
        speech += "".join(part for phase, part in rest if phase == "speaking")
        if speech == text:
            return list(tokens[first:]), ""
    if not speech.startswith(text) or best[0] <= first:
        return [], text
    return list(tokens[first : best[0]]), text[best[1] :]
