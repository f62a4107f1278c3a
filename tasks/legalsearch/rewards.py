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
from typing import Literal

from tasks.legalsearch import published
from tasks.legalsearch.answers import strict_answer
from tasks.legalsearch.measures import Verdict
from tasks.legalsearch.questions import LawQuestion

Reading = Literal["paper", "code"]
READINGS: tuple[Reading, ...] = ("paper", "code")

_TAG = re.compile(rf"<(/?)({'|'.join(published.TAGS)})>")
_RESPONSE = re.compile(r"<tool_response>.*?</tool_response>", re.DOTALL)
_PLAN = re.compile(r"<plan>.*?</plan>", re.DOTALL)
_PLANNING = re.compile(r"<think>(?:(?!</?think>).)*</think>\s*<plan>.*?</plan>", re.DOTALL)


def faults_of(trajectory: str, reading: Reading) -> tuple[str, ...]:
    """What is wrong with the form of a trajectory, in short sentences; nothing where it passes. Total.

    The code counts tags over the whole text, tool responses included, and asks for all five of them. The paper asks
    for balanced tags and a plan in the first round. Our reading of that: what tools answered is not the agent's; tags
    close in the order in which they opened and do not enclose one another; the first round is everything up to the
    second think or the first tool response, and a plan stands in it.
    """
    return tuple(published.format_faults(trajectory) if reading == "code" else _paper_faults(trajectory))


def _paper_faults(trajectory: str) -> list[str]:
    words = _RESPONSE.sub("", trajectory)
    faults = _balance(words)
    if not _PLAN.search(first_round(trajectory)):
        faults.append("no plan in the first round")
    return faults


def _balance(words: str) -> list[str]:
    """Unbalanced tags of the agent's words; the first fault of each kind."""
    opened, faults = "", []
    for match in _TAG.finditer(words):
        closing, tag = bool(match[1]), match[2]
        if closing and opened == tag:
            opened = ""
        elif closing:
            faults.append(f"</{tag}> closes nothing" if not opened else f"</{tag}> inside <{opened}>")
        elif opened:
            faults.append(f"<{tag}> inside <{opened}>")
        else:
            opened = tag
    if opened:
        faults.append(f"<{opened}> is never closed")
    return list(dict.fromkeys(faults))


def first_round(trajectory: str) -> str:
    """The agent's first round: up to the second think or the first tool response."""
    ends = [place for tag in ("<tool_response>",) if (place := trajectory.find(tag)) >= 0]
    first = trajectory.find("<think>")
    second = trajectory.find("<think>", first + 1) if first >= 0 else -1
    return trajectory[: min([*ends, *([second] if second >= 0 else []), len(trajectory)])]


TokenKind = Literal["plan", "agent", "tool"]


def token_kinds(tokens: Sequence[str]) -> list[TokenKind]:
    """What each token of a trajectory is: of planning (a think directly followed by a plan, tags included), other
    words of the agent, or of a tool's response. A token on a border belongs to where it begins.

    Args:
        tokens: the texts of the tokens; joined they are the trajectory.
    """
    text = "".join(tokens)
    tools = [match.span() for match in _RESPONSE.finditer(text)]
    plans = [match.span() for match in _PLANNING.finditer(text)]
    kinds: list[TokenKind] = []
    start = 0
    for token in tokens:
        kinds.append("tool" if _inside(start, tools) else "plan" if _inside(start, plans) else "agent")
        start += len(token)
    return kinds


def _inside(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(first <= place < last for first, last in spans)


EPSILON = 1e-6
"""Added to the standard deviation by the code."""
ALPHA = 0.1
"""Weight of the entropy."""
KAPPA = 2.0
"""Above 1, so that a negative advantage stays negative."""

_SEMICOLON = re.compile("[;；]")


@dataclass(frozen=True, slots=True)
class Reward:
    """A reward and why. `value` is None for a well-formed consultation that no grader has seen."""

    value: float | None
    faults: tuple[str, ...]
    answer: str


def reward(question: LawQuestion, trajectory: str, reading: Reading, verdict: Verdict | None = None) -> Reward:
    """The reward of a whole trajectory: 0 when its form is wrong, else whether its answer is right."""
    faults, gold, task = faults_of(trajectory, reading), question.gold.answer, question.kind.id
    given = published.reward_answer(trajectory) if reading == "code" else strict_answer(trajectory)
    if faults:
        return Reward(0.0, faults, given)
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
    advantage: float, entropies: Sequence[float], kinds: Sequence[TokenKind], reading: Reading
) -> list[float]:
    """The advantage of every token of one rollout: A + min(alpha * H, |A| / kappa), 0 on what a tool answered.

    Args:
        advantage: A of the rollout.
        entropies: H of each token under the policy that wrote it, in nats.
        kinds: what each token is.
        reading: "paper" shapes planning tokens only, "code" all tokens of the agent.
    """
    if len(entropies) != len(kinds):
        raise ValueError(f"{len(entropies)} entropies but {len(kinds)} tokens")
    shaped = {"plan"} if reading == "paper" else {"plan", "agent"}
    most = abs(advantage) / KAPPA
    return [
        0.0 if kind == "tool" else advantage + (min(ALPHA * max(entropy, 0.0), most) if kind in shaped else 0.0)
        for entropy, kind in zip(entropies, kinds, strict=True)
    ]
