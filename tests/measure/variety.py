"""How varied a set of questions is beside another: distinct-n (share of different n-grams) and self-BLEU, both over
characters: `python tests/measure/variety.py FILE OTHER` prints both, of task files.

Every run of digits counts as one character, so that figures add no variety. Self-BLEU: mean BLEU-4 of each question
against all others; 0 is all different, 1 all alike.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tasks.legalagentbench.questions import WRITING, load_questions

_DIGITS = re.compile(r"\d+")


def _grams(text: str, n: int) -> Counter[str]:
    text = _DIGITS.sub("0", text)
    return Counter(text[i : i + n] for i in range(len(text) - n + 1))


def distinct(texts: Sequence[str], n: int) -> float:
    """Different n-grams over all n-grams."""
    whole: Counter[str] = Counter()
    for text in texts:
        whole.update(_grams(text, n))
    return len(whole) / max(1, whole.total())


def self_bleu(texts: Sequence[str]) -> float:
    """Mean BLEU-4 of each text with all others as references, brevity left out (lengths are alike)."""
    logs = [0.0] * len(texts)
    for n in range(1, 5):
        counted = [_grams(text, n) for text in texts]
        first: dict[str, tuple[int, int]] = {}
        second: dict[str, int] = {}
        for index, grams in enumerate(counted):
            for gram, times in grams.items():
                best = first.get(gram, (0, -1))
                if times > best[0]:
                    first[gram], second[gram] = (times, index), best[0]
                else:
                    second[gram] = max(second.get(gram, 0), times)
        for index, grams in enumerate(counted):
            hit = sum(min(t, second.get(g, 0) if first[g][1] == index else first[g][0]) for g, t in grams.items())
            logs[index] += math.log(max(hit, 0.1) / max(1, grams.total())) / 4
    return sum(map(math.exp, logs)) / max(1, len(texts))


def diversity(texts: Sequence[str]) -> dict[str, float]:
    """distinct-1 to distinct-4 and self-BLEU, rounded to four decimals."""
    shares = {f"distinct_{n}": round(distinct(texts, n), 4) for n in range(1, 5)}
    return {**shares, "self_bleu": round(self_bleu(texts), 4)}


def side_by_side(one: Sequence[str], other: Sequence[str]) -> dict[str, Any]:
    """Two sets measured alike: as many texts of each as the smaller has, taken evenly, since both figures follow the
    number."""
    n = min(len(one), len(other))
    even = ([texts[i * len(texts) // max(1, n)] for i in range(n)] for texts in (one, other))
    this, that = ({"length": round(sum(map(len, few)) / max(1, n), 1), **diversity(few)} for few in even)
    return {"n": n, "this": this, "other": that}


def main() -> None:
    """The command line; writing tasks are left out."""
    files = (load_questions(Path(name)) for name in sys.argv[1:3])
    one, other = ([str(q.card["question"]) for q in found if q.group != WRITING] for found in files)
    print(json.dumps(side_by_side(one, other)))


if __name__ == "__main__":
    main()
