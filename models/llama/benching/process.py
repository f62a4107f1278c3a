"""The pipe to the process with the plain llama.cpp loops (`raw`); it lives as long as one measurement."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from models.engine import EngineError
from models.llama.process import command


class RawProcess:
    """Asks the loops to run. Failures are `EngineError`."""

    def __init__(self, path: Path, *, length: int, streams: int, threads: int, batch: int) -> None:
        self.path = path
        self.threads = threads
        self.batch = batch
        self._process = subprocess.Popen(
            command("_raw"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        try:
            shape = {"length": length, "streams": streams, "threads": threads, "batch": batch}
            self.adds_bos: bool = self._ask({"do": "open", "path": str(path), **shape})["adds_bos"]
        except BaseException:
            self.close()
            raise

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ""
        if not line:
            raise EngineError(
                "the process with the plain llama.cpp loops ended", "Is there memory for a second context?"
            )
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise EngineError(f"plain llama.cpp failed: {answer['error']}")
        return answer

    def run(self, loop: str, **values: Any) -> dict[str, float]:
        """Milliseconds of one loop: {"prefill", "decode"}."""
        result: dict[str, float] = self._ask({"do": loop, **values})["result"]
        return result

    def count(self, pieces: Sequence[tuple[str, bool]]) -> list[int]:
        """Tokens of each (text, whether special tokens in it are live)."""
        counts: list[int] = self._ask({"do": "count", "pieces": list(pieces)})["result"]
        return counts

    def names(self, tokens: Sequence[int | None]) -> list[str]:
        """The texts of special tokens, '' for none."""
        names: list[str] = self._ask({"do": "names", "tokens": list(tokens)})["result"]
        return names

    def chat(self, calls: Sequence[dict[str, Any]], *, length: int, stateless: bool) -> list[dict[str, Any]]:
        """The calls through the chat API: one row {"prompt", "evaluated", "counted", "generated", "ms"} each."""
        shape = {"length": length, "threads": self.threads, "batch": self.batch, "stateless": stateless}
        turns: list[dict[str, Any]] = self._ask(
            {"do": "chat", "path": str(self.path), "calls": list(calls), **shape}
        )["turns"]
        return turns

    def close(self) -> None:
        """End the process."""
        process = self._process
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):  # what ended it has been said
                    stream.close()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def __enter__(self) -> RawProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
