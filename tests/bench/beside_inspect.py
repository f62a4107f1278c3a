"""The talk of `bench_full_engines.py` played by Inspect AI, for `--inspect PYTHON`: an interpreter that has
inspect_ai and openai.

    PYTHON beside_inspect.py URL MODEL DRAW EPISODES TOGETHER CALLS

Prints the seconds from the first to the last sample.
"""

from __future__ import annotations

import sys
import tempfile
import time
from typing import Any

import inspect_ai
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, get_model
from inspect_ai.solver import solver


def main(url: str, model: str, draw: str, episodes: int, together: int, calls: int) -> None:
    """One evaluation: a sample an episode, as many samples and connections at a time as Moot gets."""
    ends: list[float] = []

    @solver
    def talk() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            ends.append(time.perf_counter())
            for number in range(1, calls + 1):
                await get_model().generate([ChatMessageUser(content=f"{state.input_text}.{number}")])
            ends.append(time.perf_counter())
            return state

        return solve

    samples = [Sample(input=f"{draw}.{episode}") for episode in range(episodes)]
    with tempfile.TemporaryDirectory() as folder:
        server = get_model(f"openai-api/bench/{model}", base_url=url, api_key="none")
        (log,) = inspect_ai.eval(
            inspect_ai.Task(dataset=samples, solver=talk()), model=server, max_samples=together,
            max_connections=together,
            log_dir=folder, display="none", log_level="error",
        )  # fmt: skip
    assert log.status == "success" and len(ends) == 2 * episodes, log.error
    print(max(ends) - min(ends))


if __name__ == "__main__":
    main(*sys.argv[1:4], *map(int, sys.argv[4:7]))
