"""The published rules of LegalSearch-R1, as its code computes them: answers, scores, format check, reward.

This file stands alone: Python's standard library and rapidfuzz are all it needs, so `moot export RUN --to verl`
writes it out as the trainer's reward function, and the trainer and Moot cannot drift apart. `compute_score` has the
signature of a verl reward function. Scores are shares from 0 to 1. A character is a token; white space never counts
in a recital.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping

from rapidfuzz.distance import LCSseq

BETA = 1.2
"""Weight of recall over precision in the published ROUGE-L."""
LAR_PASS = 0.95
"""From this ROUGE-L on a recital earns its reward."""
TAGS = ("think", "plan", "tool_call", "tool_response", "answer")
LETTERED = frozenset({"kqa", "lap", "lca", "cpa", "pae", "nje", "ungee", "lbk", "pfe"})
EXACT = LETTERED | {"ptp"}
"""Tasks whose answer must equal the gold character by character."""

_ANSWER_OPENS = re.compile("<answer>", re.IGNORECASE)
_ANSWER_CLOSES = re.compile("</answer>", re.IGNORECASE)
_SEMICOLON = re.compile("[;；]")


def tagged_answer(text: str) -> str | None:
    """What stands in the first answer tags of a whole trajectory, tool responses included; None without any."""
    opened = _ANSWER_OPENS.search(text)
    closed = _ANSWER_CLOSES.search(text, opened.end()) if opened else None
    return text[opened.end() : closed.start()].strip() if opened and closed else None


def metrics_answer(text: str) -> str:
    """The answer as the metrics script reads it: without tags the whole text is the answer."""
    answer = tagged_answer(text)
    return text.strip() if answer is None else answer


def reward_answer(text: str) -> str:
    """The answer as the reward code reads it: without tags there is none."""
    return tagged_answer(text) or ""


def recital(text: str) -> str:
    """A text without white space: what scores of recitals compare."""
    return "".join(text.split())


def rouge_l(given: str, gold: str, beta: float = BETA) -> float:
    """ROUGE-L on characters, white space aside; `beta` weighs recall, 1 gives the plain F1. 0 where nothing is
    shared."""
    first, second = recital(given), recital(gold)
    common = LCSseq.similarity(first, second)
    if not common:
        return 0.0
    recall, precision = common / len(second), common / len(first)
    weight = beta * beta
    return (1 + weight) * recall * precision / (recall + weight * precision)


def character_f1(given: str, gold: str) -> float:
    """F1 of the characters as bags: order does not count, repeats do."""
    first, second = recital(given), recital(gold)
    common = sum((Counter(first) & Counter(second)).values())
    return 2 * common / (len(first) + len(second)) if common else 0.0


def character_jaccard(given: str, gold: str) -> float:
    """Shared characters over all characters, each counted once."""
    first, second = set(recital(given)), set(recital(gold))
    return len(first & second) / len(first | second) if first | second else 0.0


def bleu_4(given: str, gold: str) -> float:
    """BLEU-4 on characters with one reference: clipped precisions of 1 to 4 characters, equal weights, brevity
    penalty.

    Not smoothed: 0 where no run of four characters is shared. Texts shorter than four are rated up to their length.
    """
    first, second = recital(given), recital(gold)
    longest = min(4, len(first), len(second))
    if not longest:
        return 0.0
    logs = 0.0
    for size in range(1, longest + 1):
        runs, wanted = _runs(first, size), _runs(second, size)
        common = sum((runs & wanted).values())
        if not common:
            return 0.0
        logs += math.log(common / sum(runs.values()))
    brevity = min(0.0, 1 - len(second) / len(first))
    return math.exp(logs / longest + brevity)


def _runs(text: str, size: int) -> Counter[str]:
    return Counter(text[start : start + size] for start in range(len(text) - size + 1))


def charges_match(given: str, gold: str) -> bool:
    """Whether the charges are the same, in any order.

    Both are split at semicolons; there must be as many, and each of the gold's must be given, as it is or with 罪
    behind it. Nothing is taken away from the gold.
    """
    said = [part.strip() for part in _SEMICOLON.split(given)]
    wanted = [part.strip() for part in _SEMICOLON.split(gold)]
    return len(said) == len(wanted) and all(part in said or f"{part}罪" in said for part in wanted)


def answer_score(task: str, given: str, gold: str) -> float | None:
    """The published evaluation score of an answer; None for consultations, which only a grader can score."""
    if task == "lcs":
        return None
    if task == "lar":
        return rouge_l(given, gold)
    if task == "ccp":
        return float(charges_match(given, gold))
    return float(given == gold)


def format_faults(text: str) -> list[str]:
    """What the published format check finds wrong with a trajectory; empty when it passes.

    Every tag must occur and be closed as often as it is opened, and there must be one think for each plan, call and
    answer. Tags are counted wherever they stand, inside tool responses too.
    """
    opened = {tag: text.count(f"<{tag}>") for tag in TAGS}
    closed = {tag: text.count(f"</{tag}>") for tag in TAGS}
    faults = [f"no <{tag}>" for tag in TAGS if not opened[tag]]
    faults += [
        f"<{tag}> opened {opened[tag]} times, closed {closed[tag]} times"
        for tag in TAGS
        if opened[tag] != closed[tag]
    ]
    acts = opened["plan"] + opened["tool_call"] + opened["answer"]
    if opened["think"] != acts:
        faults.append(f"{opened['think']} think for {acts} plan, tool_call and answer together")
    return faults


def answer_reward(task: str, given: str, gold: str) -> float | None:
    """1 or 0 for an answer; None for consultations. Tasks that the code does not know are compared in lower case."""
    if task == "lar":
        return float(rouge_l(given, gold) >= LAR_PASS)
    if task in EXACT or task in ("ccp", "lcs"):
        return answer_score(task, given, gold)
    return float(given.lower() == gold.lower())


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, object] | None = None,
    grade: Callable[[str, str, str], tuple[bool, bool]] | None = None,
    **_: object,
) -> dict[str, float]:
    """The reward of a trajectory, in the form that verl calls.

    Args:
        data_source: the task, `lar` to `pfe`.
        solution_str: the whole trajectory, tool responses included.
        ground_truth: the gold answer.
        extra_info: the row's extra_info; its `question` goes to the grader.
        grade: for consultations: (question, answer, gold) -> whether the answer and its legal basis are right.

    Returns:
        score: 0 when the format fails, else 1 or 0. format: 1 when the check passes. scored: 0 for a consultation
        without a grader, whose score of 0 says nothing.
    """
    passed = not format_faults(solution_str)
    given = reward_answer(solution_str)
    earned = answer_reward(data_source, given, ground_truth)
    if earned is None and grade is not None and passed:
        question = str((extra_info or {}).get("question", ""))
        earned = float(all(grade(question, given, ground_truth)))
    scored = not passed or earned is not None
    return {"score": float(passed and bool(earned)), "format": float(passed), "scored": float(scored)}
