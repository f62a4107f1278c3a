"""Tool calls of a random model under grammar: every one must satisfy its schema. `bench_grammar.py [N]`, 1,000 by
default.

The schema is that of a whole task: all 14 tables with their 28 lookups and columns, retrievers, calculators, final
answer.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from models.engine import Ask, Message, Reply, Settings  # noqa: E402
from models.llama.engine import LlamaEngine, LlamaSettings  # noqa: E402
from models.schema import violation  # noqa: E402
from tasks.legalagentbench.schemas import THOUGHT, action_schema  # noqa: E402
from tasks.legalagentbench.tools import TOOLS  # noqa: E402
from tests.support.gguf_files import tiny_llama  # noqa: E402

BATCH = 8


def valid_calls(count: int, folder: Path) -> tuple[int, Counter[str], list[str]]:
    """How many of `count` replies are valid, how often each tool was called, and what was wrong with the others."""
    path = tiny_llama(folder / "tiny.gguf", quantised="Q8_0", context=8192)
    schema = action_schema(TOOLS.values(), {"thought": THOUGHT})
    engine = LlamaEngine(path, LlamaSettings(ctx=8192, threads=1, slots=BATCH))
    valid, tools, wrong = 0, Counter[str](), []
    try:
        for start in range(0, count, BATCH):
            asks = [
                Ask(
                    "agent", (Message("user", f"第{number}题"),), "bench/1", schema, episode=str(number),
                    settings=Settings(temperature=1.0, seed=number, max_tokens=4000),
                )
                for number in range(start, min(start + BATCH, count))
            ]  # fmt: skip
            for result in engine.answer(asks):
                problem = judge(result, schema)
                valid += not problem
                if problem:
                    wrong.append(problem)
                else:
                    assert isinstance(result, Reply)
                    tools[json.loads(result.text)["action"]] += 1
    finally:
        engine.close()
    return valid, tools, wrong


def judge(result: object, schema: dict[str, object]) -> str:
    """What is wrong with a reply, '' for nothing."""
    if not isinstance(result, Reply):
        return str(result)
    try:
        value = json.loads(result.text)
    except ValueError as error:
        return f"{result.finish}: {error}"
    return violation(schema, value)


def main() -> int:
    """Print the count; 0 when every call was valid."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 1000
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        valid, tools, wrong = valid_calls(count, Path(folder))
    print(f"{valid} of {count} tool calls valid; {len(tools)} different actions; {time.monotonic() - started:.0f} s")
    for problem in wrong[:5]:
        print(f"  {problem}")
    return 0 if valid == count else 1


if __name__ == "__main__":
    sys.exit(main())
