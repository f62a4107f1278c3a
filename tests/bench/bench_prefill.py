"""What an engine reads in a long trial with a standing file: tokens evaluated against tokens that are strictly new.

A trial of 50 turns whose record outgrows a context of 16,384 tokens several times. The judge is a tiny model behind
llama.cpp whose words are given by a grammar, so that it reads and speaks as any model does. Strictly new is what a
prompt has behind the longest beginning that it shares with the one before and what was said to it. Prints both, their
ratio, and the prompt tokens by turn (they must not grow with the square of the turns).

    python tests/bench/bench_prefill.py [--turns 50] [--context 16384]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from models.engine import Ask, Message, Reply  # noqa: E402
from models.llama.engine import LlamaEngine, LlamaSettings  # noqa: E402
from tests.support.court_run_fixture import first_cases  # noqa: E402
from tests.support.court_stage import Court, plain_reply  # noqa: E402
from tests.support.gguf_files import tiny_llama  # noqa: E402

BOTH = ("原告委托诉讼代理人", "被告委托诉讼代理人")
WORDS = (
    "这是第{}次发言，{}说：双方在二〇二四年三月订立合同，约定价款八万六千元，分三期支付，第一期已经付清，"
    "其余两期没有支付。"
)


def common(one: list[int], other: list[int]) -> int:
    """Tokens that two prompts begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def given(words: str) -> dict[str, object]:
    """The schema of these words to both sides and of nothing else."""
    to = {"type": "array", "items": {"enum": list(BOTH)}, "minItems": 2, "maxItems": 2}
    said = {"to": to, "stage": {"enum": [""]}, "say": {"enum": [words]}}
    return {"type": "object", "properties": said, "required": list(said), "additionalProperties": False}


def main() -> int:
    """Play, count."""
    options = argparse.ArgumentParser()
    options.add_argument("--turns", type=int, default=50)
    options.add_argument("--context", type=int, default=16384)
    chosen = options.parse_args()
    case = next(case for case in first_cases() if case.env == "CI")
    evaluated, new, folds, sizes = [], [], 0, []
    before: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        path = tiny_llama(Path(folder) / "tiny.gguf", context=1 << 17)
        engine = LlamaEngine(path, LlamaSettings(ctx=1 << 17, slots=1, threads=1))

        def play(ask: Ask, role: str, number: int) -> str | Reply:
            nonlocal before, folds
            words = WORDS.format(number, role) * 4
            if role != "judge":
                return plain_reply(ask, role, words, BOTH)
            tokens = engine.tokens_of(ask.messages)
            shared = common(before, tokens)
            folds += bool(before) and shared < len(before) - 200
            (reply,) = engine.answer([replace(ask, schema=given(words), episode="one")])
            assert isinstance(reply, Reply), reply
            new.append(len(tokens) - shared)
            evaluated.append(reply.usage.evaluated)
            sizes.append(len(tokens))
            before = engine.tokens_of((*ask.messages, Message("assistant", reply.text)))
            print(f"turn {number}: prompt {sizes[-1]}, new {new[-1]}, evaluated {evaluated[-1]}", flush=True)
            return reply

        Court(case, play, turns=chosen.turns, context=chosen.context).run()
        engine.end()
    total, strictly = sum(evaluated), sum(new)
    print(
        f"{len(sizes)} turns, {folds} folds: evaluated {total}, strictly new {strictly}, ratio {total / strictly:.3f}"
    )
    print(f"largest prompt {max(sizes)} tokens, prompt tokens of all turns {sum(sizes)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
