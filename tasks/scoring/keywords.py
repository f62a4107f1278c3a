"""Keyword scores of LegalAgentBench: success and process rate, published rule and strict rule, and the live evidence
rate.

Source of the published rule: measured from the 24 published runs, all 336 rates. Success: share of `key` in `res`.
Process: share of `key` + `key_middle` in `summary`, another text. Keys are a list, so a repeated key counts twice.
All rates are shares from 0 to 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.scoring.strict import is_derived, shows_key, strict_hit

COMPAT_VERSION = "compat/1"
_ARTICLE = re.compile(r".{2,60}第[零〇一二三四五六七八九十百千]+条(?:之[一二三四五六七八九十]+)?")
_MARKS = str.maketrans("", "", "《》")


@dataclass(frozen=True, slots=True)
class KeyMatch:
    """One key and where it stands. Answer keys are looked up in `res`, middle keys in `summary`.

    `in_question`: the question already states it. `seen`: some real observation shows it. `derived`: it can only be
    computed, so no observation could show it.
    """

    key: str
    kind: Literal["key", "middle"]
    in_question: bool
    compat_hit: bool
    strict_hit: bool
    seen: bool
    derived: bool = False


def compat_hit(key: str, text: str) -> bool:
    """The published rule: a plain, case-sensitive substring."""
    return key in text


def share(keys: Sequence[str], hit: Callable[[str], bool]) -> float | None:
    """Share of the keys that hit, each as often as it is listed; None when there are no keys."""
    return sum(map(hit, keys)) / len(keys) if keys else None


def success_compat(res: str, keys: Sequence[str]) -> float:
    """Share of the keys that occur in the answer."""
    return share(keys, lambda key: compat_hit(key, res)) or 0.0


def process_compat(summary: str, keys: Sequence[str], middle: Sequence[str]) -> float:
    """Share of keys and middle keys together that occur in the detailed answer."""
    return share([*keys, *middle], lambda key: compat_hit(key, summary)) or 0.0


def success_strict(res: str, keys: Sequence[str]) -> float:
    """Share of the keys that the answer states, by the strict rule."""
    return share(keys, lambda key: strict_hit(key, res)) or 0.0


def process_strict(summary: str, keys: Sequence[str], middle: Sequence[str]) -> float:
    """Share of keys and middle keys together that the detailed answer states, by the strict rule."""
    return share([*keys, *middle], lambda key: strict_hit(key, summary)) or 0.0


def not_given(question: str, keys: Iterable[str]) -> list[str]:
    """The keys that the question does not state yet: what an agent has to find."""
    return [key for key in keys if not strict_hit(key, question)]


def _seen(key: str, observations: Sequence[str]) -> bool:
    return any(shows_key(key, observation) for observation in observations)


def evidence_rate(observations: Sequence[str], keys: Sequence[str], middle: Sequence[str]) -> float:
    """Share of keys and middle keys that real observations have shown so far; derived keys stay in the
    denominator."""
    return share([*keys, *middle], lambda key: _seen(key, observations)) or 0.0


def evidence_rate_literal(observations: Sequence[str], keys: Sequence[str], middle: Sequence[str]) -> float | None:
    """The same over the keys that an observation could show (counts and the like left out); None when there are
    none."""
    return share([key for key in (*keys, *middle) if not is_derived(key)], lambda key: _seen(key, observations))


def explain(
    keys: Sequence[str],
    middle: Sequence[str],
    res: str,
    summary: str,
    observations: Sequence[str] = (),
    question: str = "",
) -> list[KeyMatch]:
    """Every key of the task and where it stands, answer keys first, in the order of the task."""
    rows: list[tuple[str, Literal["key", "middle"], str]] = [(key, "key", res) for key in keys]
    rows += [(key, "middle", summary) for key in middle]
    return [
        KeyMatch(
            key=key,
            kind=kind,
            in_question=bool(question) and strict_hit(key, question),
            compat_hit=compat_hit(key, text),
            strict_hit=strict_hit(key, text),
            seen=_seen(key, observations),
            derived=is_derived(key),
        )
        for key, kind, text in rows
    ]


def article_recall(observations: Sequence[str], keys: Sequence[str]) -> float | None:
    """Share of the articles among the keys that a retriever gave among its k texts, each of which begins 法名第X条：.

    Observations hold texts as tools returned them. None where no key is a citation.
    """
    wanted = [key.translate(_MARKS) for key in keys if _ARTICLE.fullmatch(key)]
    seen = "\n".join(observations).translate(_MARKS)
    return sum(f"{article}：" in seen for article in wanted) / len(wanted) if wanted else None
