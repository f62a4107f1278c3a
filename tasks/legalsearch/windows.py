"""Recitals once more with the window off and with the newest versions only, beside the score of a run of the rules.

The rules need no model and repeat exactly, so what the date filter is worth can stand beside every figure. The
episodes are played in memory; nothing of them is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, get_args

from store.search.law_search import Window
from tasks.episode.driver import Driver, Limits
from tasks.episode.events import AttemptStarted, Seated
from tasks.episode.program import Program
from tasks.episode.state import State
from tasks.episode.with_tools import SEAT
from tasks.legalsearch.questions import Question
from tasks.legalsearch.settings import settings_of
from tasks.run.spec import RunSpec
from tasks.scoring.result import Result

WINDOWS: tuple[Window, ...] = get_args(Window)
MOST_STEPS = 20
S = TypeVar("S")


def by_window(
    questions: Sequence[Question],
    spec: RunSpec,
    policy: str,
    program: Callable[[RunSpec], Program],
    result: Callable[[str, State], Result],
    score: Callable[[Sequence[Question], Sequence[Result]], S],
) -> dict[str, S]:
    """Window -> the scores of the recitals among the questions, for the windows that a run did not use.

    Args:
        questions: of the run.
        spec: its settings; only the window is changed.
        policy: the policy that plays, one without a model.
        program: the rules of an episode under given settings.
        result: what an ended episode came to.
        score: the scores of recitals.
    """
    recitals = [question for question in questions if question.kind.form == "article"]
    found: dict[str, S] = {}
    own = settings_of(spec).window
    for window in WINDOWS if recitals else ():
        if window != own:
            played = program(spec.having(window=window))
            found[window] = score(recitals, [result(q.id, _play(q, played, policy, spec.seed)) for q in recitals])
    return found


def _play(question: Question, program: Program, policy: str, seed: int) -> State:
    driver = Driver(question.id, 0, program, lambda: 0.0, lambda: 0.0, Limits(turns=MOST_STEPS))
    driver.note(
        AttemptStarted(benchmark="legalsearch", task_id=question.id, attempt=1, seed=seed, card=question.card), step=0
    )
    driver.note(Seated(seat=SEAT, policy=policy), step=0)
    while not driver.stopped and driver.ask is None:
        driver.advance()
    return driver.state
