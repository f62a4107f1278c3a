"""Rewards, group advantages and entropy-shaped advantages, in the paper's words and in its code.

| | paper | code |
|---|---|---|
| format | balanced tags, a plan in the first round | five tags, think count (`published.format_faults`) |
| recital | plain ROUGE-L of at least 0.95 | ROUGE-L with beta 1.2 of at least 0.95 |
| charges | 罪 left away on both sides | 罪 may follow a gold charge |
| answer | the agent's last tagged answer | the first tagged one, tool responses included |
| advantage | (R - mean) / std | (R - mean) / (std + 1e-6) |
| shaping | planning tokens | all tokens of the agent |

Rewards are 0 or 1. Entropy is in nats.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.legalsearch import published
from tasks.legalsearch.answers import strict_answer
from tasks.legalsearch.format import Reading, TokenKind, check
from tasks.legalsearch.measures import Verdict
from tasks.legalsearch.questions import Question

EPSILON = 1e-6
"""Added to the standard deviation by the code."""
ALPHA = 0.1
KAPPA = 2.0
GROUP = 8
"""Rollouts a prompt in the paper."""

_SEMICOLON = re.compile("[;；]")


@dataclass(frozen=True, slots=True)
class Reward:
    """A reward and why. `value` is None for a well-formed consultation that no grader has seen."""

    value: float | None
    faults: tuple[str, ...]
    answer: str


def reward(question: Question, trajectory: str, reading: Reading, verdict: Verdict | None = None) -> Reward:
    """The reward of a whole trajectory: 0 when its form is wrong, else whether its answer is right."""
    form, gold, task = check(trajectory, reading), question.gold.answer, question.kind.id
    given = published.reward_answer(trajectory) if reading == "code" else strict_answer(trajectory)
    if not form.passed:
        return Reward(0.0, form.faults, given)
    if task == "lcs":
        return Reward(None if verdict is None else float(verdict.answer and verdict.basis), (), given)
    right = published.answer_reward(task, given, gold) if reading == "code" else _paper_reward(task, given, gold)
    return Reward(right, (), given)


def _paper_reward(task: str, given: str, gold: str) -> float:
    if task == "lar":
        return float(published.rouge_l(given, gold, 1.0) >= published.LAR_PASS)
    if task == "ccp":
        return float(_bare_charges(given) == _bare_charges(gold))
    return float(given == gold)


def _bare_charges(text: str) -> list[str]:
    return sorted(part.strip().removesuffix("罪") for part in _SEMICOLON.split(text))


def group_advantages(rewards: Sequence[float], epsilon: float = EPSILON) -> list[float]:
    """The advantage of each rollout of one prompt: (R - mean) / (population std + epsilon).

    Where all rewards are equal nothing is learnt: 0. A single rollout has mean 0 and std 1, as in the code. `epsilon`
    0 is the paper's formula.
    """
    if len(rewards) == 1:
        return [rewards[0] / (1.0 + epsilon)]
    if not rewards or max(rewards) == min(rewards):
        return [0.0] * len(rewards)
    mean = math.fsum(rewards) / len(rewards)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in rewards) / len(rewards))
    return [(value - mean) / (spread + epsilon) for value in rewards]


def shaped_advantages(
    advantage: float,
    entropies: Sequence[float],
    kinds: Sequence[TokenKind],
    reading: Reading,
    *,
    alpha: float = ALPHA,
    kappa: float = KAPPA,
) -> list[float]:
    """The advantage of every token of one rollout: A + min(alpha * H, |A| / kappa), 0 on what a tool answered.

    Args:
        advantage: A of the rollout.
        entropies: H of each token under the policy that wrote it, in nats.
        kinds: what each token is.
        reading: "paper" shapes planning tokens only, "code" all tokens of the agent.
        alpha: weight of the entropy.
        kappa: above 1, so that a negative advantage stays negative.
    """
    if len(entropies) != len(kinds):
        raise ValueError(f"{len(entropies)} entropies but {len(kinds)} tokens")
    if kappa <= 1:
        raise ValueError("kappa must be above 1")
    shaped = {"plan"} if reading == "paper" else {"plan", "agent"}
    most = abs(advantage) / kappa
    return [
        0.0 if kind == "tool" else advantage + (min(alpha * max(entropy, 0.0), most) if kind in shaped else 0.0)
        for entropy, kind in zip(entropies, kinds, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Entropy:
    """The entropy of the next token in nats. Not `exact`: from the most likely tokens only, the rest counted as
    one."""

    nats: float
    exact: bool


def entropy_of_top(logprobs: Sequence[float]) -> Entropy:
    """What the most likely tokens say of the entropy: never more than the truth, as the rest counts as one token."""
    shares = [math.exp(min(0.0, value)) for value in logprobs]
    rest = max(0.0, 1.0 - math.fsum(shares))
    return Entropy(max(0.0, -math.fsum(share * math.log(share) for share in [*shares, rest] if share > 0)), False)
