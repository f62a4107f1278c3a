"""Settings of sampling and of context in a SPEC, behind its last '#':
`llama:qwen.gguf#ctx=16384,temperature=0.7,top_p=0.8,reply=4096,thinking=off`, `endpoint:URL#MODEL#temperature=0.7`.

It belongs to the seat that the SPEC stands in, goes before what agents and settings of a benchmark ask for, and is
recorded with every call; two seats with one model share its engine. `reply` and `reasoning` are in tokens; where
`reasoning` is given, the reply is counted without it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

from models.engine import Ask
from models.errors import BadEngineSetting

RANGES: Mapping[str, tuple[float, float]] = {
    "temperature": (0, 5),
    "top_p": (0, 1),
    "top_k": (0, 1_000_000),
    "min_p": (0, 1),
    "repeat_penalty": (0.01, 10),
    "reply": (1, 1 << 20),
    "reasoning": (1, 1 << 20),
    "context": (1024, 1 << 20),
}
"""Name -> least and most."""
WHOLE = frozenset({"top_k", "reply", "reasoning", "context"})
SWITCHES: Mapping[str, Mapping[str, bool]] = {"thinking": {"on": True, "off": False}}
NAMES = (*RANGES, *SWITCHES)
DEFAULT: Mapping[str, int | float] = {"temperature": 0.7, "top_p": 0.8, "top_k": 20, "repeat_penalty": 1.1}
"""Moot's own values, for models whose file recommends none (those that Qwen2.5 was released with)."""
SAMPLING = {
    "temperature": "temp", "top_p": "top_p", "top_k": "top_k", "min_p": "min_p", "repeat_penalty": "penalty_repeat",
}  # fmt: skip
"""Name here -> name behind `general.sampling.` in a GGUF file (llama.cpp, pull request 17120)."""
_FIELDS = {"reply": "max_tokens"}
"""Name here -> field of `models.engine.SamplingSettings`, where they differ."""


CONTEXT = 8192
"""Tokens of a context of which nobody has said anything: what a local model is opened with."""
DENSITY = 0.75
"""Tokens a character of Chinese where no engine counted them: models that know Chinese need 0.55 to 0.7."""
PASSAGE = (
    "审判长：现在继续开庭。请原告就第二份证据说明名称、来源和证明目的。"
    "原告委托诉讼代理人：该份银行转账回单由开户行出具，证明原告于2024年3月18日"
    "向被告账户转入人民币86,500元。审判长：被告对该证据的真实性、合法性、关联性发表质证意见。"
    "被告委托诉讼代理人：对真实性没有异议，对证明目的不予"
    "认可，该笔款项是双方此前合伙经营的分红，不是借款，依照《中华人民共和国民法典》第六百六十七条，"
    "双方之间不成立借款合同关系。"
)
"""Court prose by which an engine tells how many tokens it needs for a character."""
DENSITIES = (0.2, 4.0)
"""Tokens a character of Chinese that a tokenizer can have: from whole phrases to one a byte, with some to spare."""
DIGITS = 7
"""Of a context that is believed; a longer number is refused where the engine is opened."""


def context_of(spec: str) -> int:
    """Tokens of context that a SPEC names (`ctx=` of a local model, `context=` of a server); `CONTEXT` where it
    names none."""
    return named_context(spec) or CONTEXT


def named_context(spec: str) -> int:
    """The same, 0 where the SPEC names none."""
    return _tokens(_said(spec)[1].get("context" if spec.startswith("endpoint:") else "ctx", ""))


def density_of(tokens: int) -> float:
    """Tokens a character, where `PASSAGE` is so many tokens, rounded up; 0 where no tokenizer has so many."""
    return believed(math.ceil(tokens / len(PASSAGE) * 100) / 100)


def believed(density: float) -> float:
    """A density that a tokenizer can have; 0 in place of any other."""
    least, most = DENSITIES
    return density if least <= density <= most else 0.0


def limits_of(spec: str) -> tuple[int, int]:
    """Tokens that a SPEC gives a reply, and reasoning beside it; 0 where it says nothing of them."""
    said = _said(spec)[1]
    return _tokens(said.get("reply", "")), _tokens(said.get("reasoning", ""))


def _tokens(said: str) -> int:
    return int(said) if said.isdecimal() and len(said) <= DIGITS else 0


def recommended(metadata: Mapping[str, str]) -> dict[str, int | float]:
    """The values of sampling in the metadata of a GGUF file, else `DEFAULT`; no number in its range is none. A file
    that recommends others and no repeat penalty wants none."""
    found: dict[str, int | float] = {}
    for name, key in SAMPLING.items():
        with suppress(ValueError):
            value, (low, high) = float(metadata.get(f"general.sampling.{key}", "")), RANGES[name]
            if low <= value <= high:
                found[name] = int(value) if name in WHOLE else value
    return {**DEFAULT, **({"repeat_penalty": 1.0} if found else {}), **found}


def drawn_by(spec: str) -> dict[str, int | float]:
    """The values of sampling that a SPEC names."""
    return {name: value for name, value in _divided(spec)[1].items() if name in SAMPLING}  # type: ignore[misc]


def having(spec: str, values: Mapping[str, int | float]) -> str:
    """The SPEC with values that it does not name."""
    said = _said(spec)[1]
    more = ",".join(f"{name}={value}" for name, value in values.items() if name not in said)
    return f"{spec}{',' if said else '#'}{more}" if more else spec


def bare(spec: str) -> str:
    """The SPEC of the engine alone: without what it says of speaking."""
    return _divided(spec)[0]


def sampled(ask: Ask, spec: str) -> Ask:
    """The question with the settings of the SPEC in whose seat it is asked."""
    given = _divided(spec)[1]
    return replace(ask, settings=replace(ask.settings, **given)) if given else ask  # type: ignore[arg-type]


@lru_cache(maxsize=256)
def _divided(spec: str) -> tuple[str, Mapping[str, object]]:
    """SPEC without settings of speaking, and these by field of `Settings`.

    Raises:
        BadEngineSetting: one of them has no such value, or an endpoint names something else behind its model.
    """
    before, said = _said(spec)
    server = spec.startswith("endpoint:")
    ours = [name for name in said if name in NAMES and (server or name != "context")]  # a local model has its `ctx`
    others = [name for name in said if name not in ours]
    if others and server and (ours or "#" in before):
        raise BadEngineSetting(f"'{others[0]}' is no setting of an endpoint", f"Known: {', '.join(NAMES)}.")
    if not ours:
        return spec, {}
    rest = f"{before}#{','.join(f'{name}={said[name]}' for name in others)}" if others else before
    values = {name: _value(name, said[name]) for name in ours}
    return rest, {_FIELDS.get(name, name): value for name, value in values.items() if name != "context"}


def _said(spec: str) -> tuple[str, dict[str, str]]:
    """What stands before the settings, and the settings: name -> value as it was written."""
    before, mark, last = spec.rpartition("#")
    parts = [part.partition("=") for part in last.split(",") if part.strip()] if mark and "=" in last else []
    return before, {name.strip(): value.strip() for name, _, value in parts}


def _value(name: str, text: str) -> object:
    if name in SWITCHES:
        if text not in SWITCHES[name]:
            raise BadEngineSetting(f"{name}={text} is neither on nor off", f"For example {name}=off.")
        return SWITCHES[name][text]
    low, high = RANGES[name]
    try:
        value = int(text) if name in WHOLE else float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise BadEngineSetting(
            f"{name}={text} is not a number from {low:g} to {high:g}",
            f"For example {name}={max(low, min(high, 1)):g}.",
        )
    return value
