"""Run files that mean harm: made from real small runs by change at every layer, seeded, about a hundred kinds.

`hostile_runs(seed, count, folder)` writes each case into a folder of its own below `folder` (its log or rollback
journal beside it) and names it; `place` puts a case into a folder of runs. The kinds are in `hostile_files` (the file
and SQLite's pages), `hostile_sql` (the schema), `hostile_values` (header and JSON) and `hostile_events` (events,
attempts, scores).
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from store.journal import SUFFIX, Journal, ScoreRow
from tasks.run.imported import Sources, read_run, save_run
from tasks.run.reading import GRADER
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tasks.scoring.human import add_score
from tests.support.hostile_content import Content, Misfit, read, write_first, write_own


class Hostile(NamedTuple):
    """A case: its name, its kind, the file to open, and the episode to ask for."""

    name: str
    kind: str
    path: Path
    episode: str


@dataclass(frozen=True)
class Base:
    """A good run to start from."""

    name: str
    path: Path

    @cached_property
    def content(self) -> Content:
        """Its rows."""
        return read(self.path)

    @property
    def episode(self) -> str:
        """Its first episode."""
        return str(self.content.episodes[0][0])


# real runs to start from

SCRIPT = {
    "otherwise": [
        '思考：查一查。\n```json\n{"action": "get_company_info", "action_input": {"identifier": "甲公司", '
        '"columns": []}}\n```',
        "不知道",
    ]
}


def _played(folder: Path, name: str, steps: int | None = None, **spec: Any) -> Path:
    path = folder / f"{name}{SUFFIX}"
    left = iter(range(steps if steps is not None else 1 << 30))
    with start_run(RunSpec(**spec), out=path) as run:
        run.go(lambda: next(left, None) is not None)
        if steps is None:
            run.record_scores()
    return path


def _model(folder: Path, name: str, steps: int | None = None) -> Path:
    script = folder / "script.json"
    script.write_text(json.dumps(SCRIPT, ensure_ascii=False), encoding="utf-8")
    return _played(
        folder,
        name,
        steps,
        benchmark="legalagentbench",
        agent="react",
        model=f"scripted:{script}",
        first=1,
        max_turns=3,
    )


def _imported(folder: Path, name: str) -> Path:
    files = folder / "tasks.jsonl", folder / "replies.jsonl"
    rows = [{"id": f"lcs-{n}", "type": "lca", "question": "哪一项？\nA: 甲\nB: 乙", "answer": "A"} for n in (1, 2)]
    replies = [{"data_source": "lca", "index": row["id"], "response": "A"} for row in rows]
    for file, lines in zip(files, (rows, replies), strict=True):
        file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    sources = Sources("legalsearch", *files)
    return save_run(sources, read_run(sources), out=folder / f"{name}{SUFFIX}")


def _graded(folder: Path, name: str) -> Path:
    """The advice again, with the words of two people and of a grader."""
    path = _played(folder, name, benchmark="courts", agent="rules", env="KQ", first=1)
    with Journal.open(path, write=True) as journal:
        episode = journal.episodes()[0].id
        for author, value in (("Li", 7.0), ("Wang", 6.0)):
            add_score(journal, episode, "REA", value, author, "两点没有写到。")
        attempt = journal.attempts(episode)[-1].id
        journal.add_scores(
            [
                ScoreRow(
                    attempt,
                    GRADER,
                    "grader/1",
                    {"model": "toy"},
                    {"REA": 0.6, "topic:T1": None},
                    [{"reason": "大致"}],
                    "toy",
                )
            ]
        )
    return path


MAKERS: dict[str, Callable[[Path, str], Path]] = {
    "rules": lambda folder, name: _played(folder, name, benchmark="legalagentbench", agent="rules", first=2),
    "unfinished": lambda folder, name: _played(folder, name, 2, benchmark="legalagentbench", agent="rules", first=2),
    "law": lambda folder, name: _played(folder, name, benchmark="legalsearch", agent="rules", first=2),
    "trial": lambda folder, name: _played(folder, name, benchmark="courts", agent="rules", env="CI", first=1),
    "half_trial": lambda folder, name: _played(folder, name, 9, benchmark="courts", agent="rules", env="CI", first=1),
    "graded": _graded,
    "model": _model,
    "half_model": lambda folder, name: _model(folder, name, 1),
    "imported": _imported,
}
GOOD = ("rules", "graded", "imported")
"""Runs that lie beside a hostile one and must stay readable."""


def make_bases(folder: Path, names: Sequence[str] = tuple(MAKERS)) -> dict[str, Base]:
    """Real runs by name, made with the product on the sample pack of this MOOT_HOME; some need seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    return {name: Base(name, MAKERS[name](folder, f"base-{name}")) for name in names}


# cases


@dataclass
class Case:
    """What a kind gets: chance of its own, the good runs, the place to write to, a folder for bait, and its number in
    the kind."""

    rng: random.Random
    bases: dict[str, Base]
    path: Path
    bait: Path
    number: int
    episode: str = ""

    def pick(self, *names: str) -> Base:
        """One of these bases (of all), as far as they were made."""
        known = [self.bases[name] for name in names or self.bases if name in self.bases]
        if not known:
            raise Misfit
        base = self.rng.choice(known)
        self.episode = base.episode
        return base

    def turn(self, choices: Sequence[Any]) -> Any:
        """The choice whose turn it is in this kind: all come once before one comes again, in an order of the seed."""
        order = list(range(len(choices)))
        random.Random(len(choices)).shuffle(order)
        return choices[order[self.number % len(order)]]

    def copy(self, *names: str) -> Base:
        """Put a copy of a base at the place of the case: the file itself, or its rows in the first format."""
        base = self.pick(*names)
        self.path.unlink(missing_ok=True)
        if self.rng.random() < 0.5:
            shutil.copyfile(base.path, self.path)
        else:
            write_first(self.path, base.content)
        return base

    def write(self, content: Content, strict: bool = True) -> None:
        """Write content with chains that hold: by the product where it can, in every second case, else in the first
        format."""
        if not (strict and self.rng.random() < 0.5 and write_own(self.path, content)):
            try:
                write_first(self.path, content, strict)
            except (sqlite3.Error, UnicodeError, OverflowError) as error:  # no file can hold it
                raise Misfit from error


Kind = Callable[[Case], None]
HEAVY = 3
"""Cases at most of a kind whose files are large."""


def all_kinds() -> dict[str, Kind]:
    """Every kind by name."""
    from tests.support import hostile_events, hostile_files, hostile_sql, hostile_values

    return {
        kind.__name__: kind
        for module in (hostile_files, hostile_sql, hostile_values, hostile_events)
        for kind in module.KINDS
    }


def heavy_kinds() -> frozenset[str]:
    """The names of kinds whose files are large."""
    from tests.support import hostile_events, hostile_files, hostile_sql, hostile_values

    return frozenset(
        kind.__name__
        for module in (hostile_files, hostile_sql, hostile_values, hostile_events)
        for kind in module.LARGE
    )


def hostile_runs(
    seed: int,
    count: int,
    folder: Path,
    bases: dict[str, Base] | None = None,
    kinds: Sequence[str] = (),
    large: bool = True,
) -> list[Hostile]:
    """Write `count` cases, the same for the same seed and folder; kinds take turns.

    Args:
        seed: of all chance.
        count: how many cases.
        folder: where they are written; made if missing.
        bases: real runs, else they are made with the pack `sample` of this MOOT_HOME.
        kinds: only kinds whose name begins with one of these.
        large: whether kinds with large files take part.
    """
    folder = folder.absolute()
    bases = bases if bases is not None else make_bases(folder / ".bases")
    bait = make_bait(folder / ".bait")
    heavy = heavy_kinds()
    table = {
        name: kind for name, kind in all_kinds().items()
        if (not kinds or name.startswith(tuple(kinds))) and (large or name not in heavy)
    }  # fmt: skip
    return list(islice(_cases(seed, folder, bases, bait, table, heavy), count))


OFTEN = {
    2: "path_pack json_deep json_numbers json_odd json_surrogates data_odd tag_unknown card_of_court model_call "
    "score_field score_human episodes_odd attempts_odd header_spec",
    3: "header_value header_nested path_tasks stopped_shape card_odd score_value column_types view_in_place "
    "parent_odd",
    4: "header_named path_engine seat_engine field_odd",
}
"""How often kinds with many faces take their turn for once of the others."""


def _cases(
    seed: int, folder: Path, bases: dict[str, Base], bait: Path, table: dict[str, Kind], heavy: frozenset[str]
) -> Iterator[Hostile]:
    turns = {name: times for times, names in OFTEN.items() for name in names.split()}
    numbers, misses = dict.fromkeys(table, 0), 0
    while misses < len(table):
        for name in [known for known in table for _ in range(turns.get(known, 1))]:
            number, numbers[name] = numbers[name], numbers[name] + 1
            if name in heavy and number >= HEAVY:
                misses += 1
                continue
            made = _case(random.Random(f"{seed} {name} {number}"), number, name, table[name], folder, bases, bait)
            misses = misses + 1 if made is None else 0
            if made is not None:
                yield made


def _case(
    rng: random.Random, number: int, name: str, kind: Kind, folder: Path, bases: dict[str, Base], bait: Path
) -> Hostile | None:
    """One case in a folder of its own; None where it could not be made of any base."""
    home = folder / f"{name}-{number:03d}"
    for _ in range(8):
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        case = Case(rng, bases, home / f"{name}-{number:03d}{SUFFIX}", bait, number)
        try:
            kind(case)
        except Misfit:
            continue
        return Hostile(f"{name}-{number:03d}", name, case.path, case.episode or next(iter(bases.values())).episode)
    shutil.rmtree(home, ignore_errors=True)
    return None


BAIT_SIZE = 1 << 30


def make_bait(folder: Path) -> Path:
    """Things that a run may point to: a pipe that nobody writes to, an endless device, a folder, a huge sparse
    file."""
    folder.mkdir(parents=True, exist_ok=True)
    pipe, huge, loop = folder / "pipe", folder / "huge.jsonl", folder / "loop"
    if not pipe.exists():
        os.mkfifo(pipe)
    with huge.open("wb") as file:
        file.truncate(BAIT_SIZE)
    if not loop.is_symlink():
        loop.symlink_to(loop)
    (folder / "folder").mkdir(exist_ok=True)
    (folder / "empty.jsonl").write_bytes(b"")
    deep = folder / "deep.jsonl"
    deep.write_text('{"id": ' + "[" * 100_000 + "]" * 100_000 + "}\n", encoding="ascii")
    return folder


def place(case: Path, runs: Path) -> Path:
    """Copy a case with all that lies beside it into a folder of runs; links stay links, pipes pipes."""
    runs.mkdir(parents=True, exist_ok=True)
    seen: dict[int, Path] = {}
    for source in sorted(os.scandir(case.parent), key=lambda entry: entry.name):
        target = runs / source.name
        clear(target)
        mode = source.stat(follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            os.symlink(os.readlink(source.path), target)
        elif stat.S_ISFIFO(mode):
            os.mkfifo(target)
        elif stat.S_ISDIR(mode):
            shutil.copytree(source.path, target, symlinks=True)
        elif (twin := seen.setdefault(source.inode(), target)) != target:
            os.link(twin, target)
        else:
            shutil.copyfile(source.path, target)
            os.chmod(target, stat.S_IMODE(mode))
    return runs / case.name


def clear(path: Path) -> None:
    """Take away whatever is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
