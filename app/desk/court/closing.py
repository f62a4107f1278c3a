"""The card at the end of a court episode: how it ended, what was ruled, duties done, faults, and scores in plain
words.

Scores are shown from 0 to 100; what needs a grader and has none is unscored and says so. Nothing here reads the
reference: scores come from the scorekeeper, and the caller leaves them out while a person holds the tested seat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from app.court_words import fault_words
from app.desk.court.lines import REASONS
from app.desk.court.programme import programme
from app.desk.court.scene import Scene
from app.desk.court.stage import RULING, Utterance, paragraphs
from app.desk.episode.renderers import Line, one
from app.desk.episode.scores import StepScores
from app.strings import t
from app.terminal import pad, width
from app.words import score_name
from tasks.courts.environment import environment
from tasks.courts.scores.of_run.columns import LOWER, OF_RUN
from tasks.episode.events import Stopped, Violation
from tasks.episode.with_tools import SEAT

FAULTS = 4
"""Faults that are named."""
WORST = 100.0
GRADED = frozenset({"NBIN", "DOC", "JUD", "REA"})
"""What only a grader can score."""


def closing_lines(scene: Scene, said: Sequence[Utterance], scores: StepScores | None, why: str = "") -> list[Line]:
    """The card of what was `said`; `why` stands in place of scores that are not shown, or not there yet."""
    lines: list[Line] = [((result(scene), "text"),)]
    for title, part in (
        ("ruling", _rulings(said)),
        ("procedure", _procedure(scene)),
        ("scores", _scores(scene, scores, why)),
    ):
        rows = list(part)
        if rows:
            lines += [(("", "dim"),), ((t(f"presenter.{title}"), "label"),), *rows]
    return lines


def result(scene: Scene) -> str:
    """How it ended, in a sentence."""
    stopped = next((event for event in reversed(scene.events) if isinstance(event, Stopped)), None)
    if stopped is None:
        return t("presenter.open")
    why = next((key for begin, key in REASONS.items() if stopped.reason.startswith(begin)), "")
    reason = t(f"presenter.ended.{why}") if why else t(f"outcome.{stopped.outcome}")
    return t("presenter.result" if stopped.outcome == "finished" else "presenter.broken", reason=reason)


def _rulings(said: Sequence[Utterance]) -> Iterator[Line]:
    """What the court ruled, in its own words: the items of its last judgment."""
    for utterance in reversed(said):
        items = [line for line in paragraphs(utterance) if line[-1][1] == RULING]
        if items:
            yield from (((line[-1][0], "text"),) for line in items)
            return


def _procedure(scene: Scene) -> Iterator[Line]:
    """Duties done of those owed, and faults."""
    if not scene.court:
        return
    counts = [item.count for item in programme(scene) if item.count is not None]
    if counts:
        done, owed = sum(count[0] for count in counts), sum(count[1] for count in counts)
        yield (
            (t("presenter.duties"), "dim"),
            (t("presenter.duties.count", done=done, owed=owed), "good" if done == owed else "text"),
        )
    faults = [event for event in scene.events if isinstance(event, Violation)]
    yield (
        (t("presenter.faults"), "dim"),
        (
            t("presenter.faults.count", n=len(faults)) if faults else t("presenter.faults.none"),
            "warn" if faults else "good",
        ),
    )
    yield from (((f"　✘ {one(fault_words(event, scene.env))}", "bad"),) for event in faults[:FAULTS])
    if len(faults) > FAULTS:
        yield ((f"　{t('presenter.faults.more', n=len(faults) - FAULTS)}", "dim"),)


def _scores(scene: Scene, scores: StepScores | None, why: str) -> Iterator[Line]:
    """A line a metric of the published table: strict rule, then the paper's."""
    if scores is None:
        yield ((why, "dim"),)
        return
    names = {metric: score_name(metric).removesuffix(" ↓") for metric in environment(scene.env).reported}
    room = max(map(width, names.values())) + 2
    for metric, name in names.items():
        values = [
            _value(metric, rule, table) for rule, table in (("strict", scores.strict), ("compat", scores.compat))
        ]
        if len(set(values)) == 1 and not values[0][2]:
            yield (pad(name, room), "text"), (values[0][0], "dim")
        else:
            yield (pad(name, room), "text"), *_joined(values)
    yield ((t("presenter.scale.lower" if LOWER & set(names) else "presenter.scale"), "rule"),)


def _value(metric: str, rule: str, table: Mapping[str, float | None]) -> tuple[str, str, str]:
    """A value in words, its colour, and the rule it is by."""
    value = table.get(metric)
    words = t(f"scores.{rule}")
    if value is None:
        reason = "graded" if metric in GRADED else "of_run" if rule == "compat" and metric in OF_RUN else "none"
        return t(f"presenter.unscored.{reason}"), "dim", "" if metric in GRADED else words
    figure = f"{value * WORST:.1f}"
    if metric in LOWER:
        return t("presenter.lower", n=figure), "text", words
    return figure, "text", words


def _joined(values: Sequence[tuple[str, str, str]]) -> Iterator[tuple[str, str]]:
    for number, (value, tone, rule) in enumerate(values):
        yield ("　" if number else "") + f"{rule} ", "dim"
        yield value, tone


def tested_by_person(scene: Scene) -> bool:
    """Whether a person sat in the tested seat last."""
    seated = scene.seats.get(SEAT)
    return seated is not None and seated.engine == "human"
