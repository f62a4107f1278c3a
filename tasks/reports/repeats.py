"""How far the repeats of a run (`--epochs`) lie apart: the mean of each, their spread, and how far single tasks
change.

Figures stand on a scale from 0 to 100. Court runs have a table of their own, made as the published one is.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, stdev

from tasks.reports.words import word
from tasks.run.comparing import Attempt, Key, Side
from tasks.scoring.metrics import EMPTY, Cell, Row, Table

SCALE = 100.0


def spread(side: Side, language: str) -> Table | None:
    """A line a measure: the mean over the tasks in each repeat; mean and standard deviation of those, the mean
    standard deviation within a task, how many tasks came out differently. None where tasks were played once."""
    repeats = 1 + max((one.repeat for attempts in side.tasks.values() for one in attempts), default=0)
    if repeats < 2:
        return None
    keys = dict.fromkeys(key for attempts in side.tasks.values() for one in attempts for key in one.values)
    rows = []
    for key in keys:
        tasks = [_known(attempts, key) for attempts in side.tasks.values()]
        means = [
            mean(found) if (found := [task[repeat] for task in tasks if repeat in task]) else None
            for repeat in range(repeats)
        ]
        known = [value for value in means if value is not None]
        several = [list(task.values()) for task in tasks if len(task) > 1]
        rule, name = key
        rows.append(
            Row(
                (f"{word(f'{rule}.all', language)} {word(f'compare.{name}', language)}",),
                (
                    *(EMPTY if value is None else Cell(SCALE * value) for value in means),
                    Cell(SCALE * mean(known)) if known else EMPTY,
                    Cell(SCALE * stdev(known)) if len(known) > 1 else EMPTY,
                    Cell(SCALE * mean(map(stdev, several))) if several else EMPTY,
                    Cell(text=f"{sum(len(set(values)) > 1 for values in several)}/{len(several)}"),
                ),
            )
        )
    if not rows:
        return None
    columns = [word("court.repeat", language).format(n=number) for number in range(1, repeats + 1)]
    columns += [word(name, language) for name in ("court.mean", "court.sd", "repeats.within", "repeats.changed")]
    title = f"{word('repeats.title', language)} · {side.run}"
    return Table("repeats", title, (word("measure", language),), tuple(columns), tuple(rows))


def _known(attempts: Sequence[Attempt], key: Key) -> dict[int, float]:
    """Repeat -> value, of those that have one."""
    return {one.repeat: value for one in attempts if (value := one.values.get(key)) is not None}
