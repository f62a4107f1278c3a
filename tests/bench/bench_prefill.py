"""What an engine reads in a long trial with a standing file: tokens evaluated against tokens that are strictly new.

A trial of 50 turns whose record outgrows a context of 16,384 tokens several times; its prompts are put to a tiny model, one
after the other. Strictly new is what a prompt has behind the longest beginning that it shares with the one before. Prints
both, their ratio, and the prompt tokens by turn (they must not grow with the square of the turns).

    python tests/bench/bench_prefill.py [--turns 50] [--context 16384]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from models.engine import Ask, Reply, Settings  # noqa: E402
from models.llama.engine import LlamaEngine, LlamaSettings  # noqa: E402
from tests.support.court_run_fixture import first_cases  # noqa: E402
from tests.support.court_stage import Court, talk  # noqa: E402
from tests.support.gguf_files import tiny_llama  # noqa: E402

BOTH = ("原告委托诉讼代理人", "被告委托诉讼代理人")
WORDS = "这是第{}次发言，{}说：双方在二〇二四年三月订立合同，约定价款八万六千元，分三期支付，第一期已经付清，其余两期没有支付。"


def common(one: list[int], other: list[int]) -> int:
    """Tokens that two prompts begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def main() -> int:
    """Play, ask, count."""
    options = argparse.ArgumentParser()
    options.add_argument("--turns", type=int, default=50)
    options.add_argument("--context", type=int, default=16384)
    chosen = options.parse_args()
    case = next(case for case in first_cases() if case.env == "CI")
    said = talk(lambda role, number: WORDS.format(number, role) * 6, lambda role, number: BOTH)
    prompts = Court(case, said, turns=chosen.turns, context=chosen.context).run().prompts("judge")
    with tempfile.TemporaryDirectory() as folder:
        path = tiny_llama(Path(folder) / "tiny.gguf", context=1 << 17)
        engine = LlamaEngine(path, LlamaSettings(ctx=1 << 17, slots=1, threads=1))
        evaluated = new = folds = 0
        before: list[int] = []
        sizes = []
        for number, ask in enumerate(prompts, 1):
            tokens = engine.tokens_of(ask.messages)
            shared = common(before, tokens)
            new += len(tokens) - shared
            folds += bool(before) and shared < len(before) - 40
            asked = Ask("judge", ask.messages, ask.prompt, settings=Settings(max_tokens=1), episode="one")
            (reply,) = engine.answer([asked])
            assert isinstance(reply, Reply), reply
            evaluated += reply.usage.evaluated
            sizes.append(len(tokens))
            before = tokens
            print(
                f"turn {number}: prompt {len(tokens)}, new {len(tokens) - shared}, evaluated {reply.usage.evaluated}"
            )
        engine.end()
    print(
        f"{len(prompts)} turns, {folds} folds: evaluated {evaluated}, strictly new {new}, ratio {evaluated / new:.3f}"
    )
    print(f"largest prompt {max(sizes)} tokens, prompt tokens of all turns {sum(sizes)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
