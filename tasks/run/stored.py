"""An episode of a stored run with the rules that it was played by: to run it again, or to ask what would have been
read.

Nothing is written and no engine is opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from store.journal import EpisodeRow, Journal
from store.pack import Pack
from tasks.benchmark import Benchmark, benchmark
from tasks.episode.events import Record
from tasks.episode.program import Program
from tasks.run.engines import run_path
from tasks.run.experiment import check_same
from tasks.run.header import HeaderData, header_of, refuse_imported, spec_of
from tasks.run.plan import task_file
from tasks.run.reading import episode_of
from tasks.run.spec import RunSpec


@dataclass(frozen=True, slots=True)
class Stored:
    """An episode as it stands in its file."""

    header: HeaderData
    row: EpisodeRow
    records: list[Record]
    spec: RunSpec
    bench: Benchmark

    @classmethod
    def of(cls, name: str | Path, episode: str) -> Stored:
        """The last attempt of an episode; `UsageError` where it was played elsewhere, and is only shown here."""
        with Journal.open(run_path(name)) as journal:
            header = header_of(journal)
            refuse_imported(header)
            row, records = episode_of(journal, episode)
        spec = spec_of(header)
        return cls(header, row, records, spec, benchmark(spec.benchmark))

    def program(self, *, other_prompts: bool = False) -> AbstractContextManager[Program]:
        """Its rules, as long as the pack is open (see `program_of`)."""
        return program_of(self.header, other_prompts=other_prompts)


@contextmanager
def program_of(header: HeaderData, *, other_prompts: bool = False) -> Iterator[Program]:
    """The rules that the episodes of a run were played by, as long as the pack is open.

    Args:
        header: of the run.
        other_prompts: whether prompts may have changed since.

    Raises:
        RecordMismatch: the task file or the pack is not that of the run.
    """
    spec = spec_of(header)
    bench = benchmark(spec.benchmark)
    with Pack.open(header.get("pack", {}).get("path") or spec.pack) as pack:
        tasks = task_file(spec, pack)
        check_same(header, bench, spec, pack, tasks, other_prompts)
        yield bench.program(pack, bench.load(tasks), spec)
