"""Every act of the judge under paraphrases written by people who had not read the program (acts_CI.jsonl,
acts_CR.jsonl).

Two thirds trained the classifier; the third that the hash of the text keeps back did not, and is what is measured
here. Run with -s for every act.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any, Literal

import pytest

from tasks.courts.procedure.acts import CaseNames, parse

Env = Literal["CI", "CR"]
LEAST = {"CI": (0.85, 0.16), "CR": (0.85, 0.23)}
"""Recall of turns that do their act, and share of turns that only seem to and are taken for it: .853 and .153, .852
and .194. Lists of phrases had .436 and .171, .547 and .216."""
KNOWN = {
    "CI": CaseNames(("沈秋白", "闻一舟", "陆明远", "祁山"), ("借条", "银行转账凭证", "微信聊天记录", "还款收据")),
    "CR": CaseNames(("邵北辰", "顾鸣", "尹澜")),
}


def rows(env: Env) -> list[dict[str, Any]]:
    lines = Path(__file__).with_name(f"acts_{env}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def held_out(text: str) -> bool:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % 3 == 0


@pytest.mark.parametrize("env", ("CI", "CR"))
def test_acts_are_read_in_words_nobody_trained(env: Env) -> None:
    kept = [row for row in rows(env) if held_out(row["text"])]
    taken: Counter[tuple[str, bool]] = Counter()
    count: Counter[tuple[str, bool]] = Counter()
    for row in kept:
        key = row["act"], row["does"]
        count[key] += 1
        taken[key] += row["act"] in {found.act for found in parse(row["text"], env, KNOWN[env])}
    for act in dict.fromkeys(row["act"] for row in kept):
        print(
            f"{env} {act:18} {taken[act, True]:3}/{count[act, True]:3}  wrong {taken[act, False]}/{count[act, False]}"
        )
    recall, wrong = (
        sum(n for (_, does), n in taken.items() if does is asked)
        / sum(n for (_, does), n in count.items() if does is asked)
        for asked in (True, False)
    )
    print(f"{env} {len(kept)} turns: recall {recall:.3f}, wrong turns taken {wrong:.3f}")
    least, most = LEAST[env]
    assert recall >= least and wrong <= most


@pytest.mark.parametrize("env", ("CI", "CR"))
def test_what_a_case_is_called_changes_nothing(env: Env) -> None:
    known = CaseNames(("欧阳望舒",), ("质证回避调解协议书",))
    named = parse("请就质证回避调解协议书发表质证意见，欧阳望舒。", env, known)
    assert {found.act for found in named} <= {"cross"}
