"""The grader's seat: a model reads ended episodes and its word is appended to the scores of their attempts.

A grade is never part of the record of an episode: other graders and people may grade the same attempt. The call is
under grammar; a reply that breaks the schema is asked for once more, then the grading has failed and is missing,
never 0. Each row names prompt, its hash and what the engine says of itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from models.engine import Ask, Engine, EngineError, Message, Reply, SamplingSettings
from models.sampling import sampled
from models.schema import violation
from store.journal import Journal, ScoreRow
from tasks.agents.prompts import digest
from tasks.benchmark import Benchmark, Question
from tasks.episode.plain import plain_text
from tasks.episode.state import fold
from tasks.run.header import description_hash
from tasks.run.reading import GRADER, read_episode
from tasks.run.rescoring import renew_scores
from tasks.scoring.result import Grading

TRIES = 2
BATCH = 8
Progress = Callable[[int, int], None]


def grade_run(
    journal: Journal,
    bench: Benchmark,
    questions: Mapping[str, Question],
    engine: Engine,
    spec: str,
    progress: Progress = lambda done, total: None,
) -> list[ScoreRow]:
    """Grade the last attempts that this grader has not graded yet, append the grades, and the scores that they
    change; returns the grades.

    Args:
        journal: of the run, open for writing.
        bench: its benchmark.
        questions: by id.
        engine: the grader's.
        spec: its SPEC, the author of the grades.
        progress: told how many of how many are graded.
    """
    described = description_hash(engine.describe())
    waiting = []
    for row in journal.episodes():
        attempt = journal.attempts(row.id)[-1].id
        state = fold(read_episode(journal, row.id))
        if state.stopped is None or row.task_id not in questions:
            continue
        for grading in bench.gradings(questions[row.task_id], bench.result(row.task_id, row.epoch, state)):
            if not _graded(journal, attempt, grading, described):
                waiting.append((attempt, row.id, grading))
    made: list[ScoreRow] = []
    try:
        for start in range(0, len(waiting), BATCH):
            batch = waiting[start : start + BATCH]
            replies = _ask(engine, spec, [(episode, grading) for _, episode, grading in batch])
            rows = [
                _row(attempt, grading, reply, described, spec)
                for (attempt, _, grading), reply in zip(batch, replies, strict=True)
            ]
            journal.add_scores(rows)
            made += rows
            progress(len(made), len(waiting))
    finally:  # what was graded before it was stopped counts; what an earlier one left behind, too
        renew_scores(journal, bench, questions)
    return made


def _graded(journal: Journal, attempt: int, grading: Grading, described: str) -> bool:
    for row in journal.scores(attempt):
        same = row.scorer == GRADER and row.version == grading.prompt and row.settings.get("engine") == described
        if (
            same
            and set(row.value) == set(grading.failed)
            and row.settings.get("prompt") == digest(grading.prompt)
            and not row.settings.get("failed")
        ):
            return True
    return False


def _ask(engine: Engine, spec: str, gradings: Sequence[tuple[str, Grading]]) -> list[Reply | str]:
    """A reply under its schema for each, or why there is none."""
    asks = [
        sampled(
            Ask(
                GRADER, (Message("user", grading.text),), grading.prompt, grading.schema, episode=episode,
                settings=SamplingSettings(max_tokens=800,
                    seed=int(sha256(grading.text.encode("utf-8", "surrogatepass")).hexdigest()[:7], 16)),
            ),
            spec,
        )
        for episode, grading in gradings
    ]  # fmt: skip
    found: list[Reply | str] = ["" for _ in asks]
    left = list(range(len(asks)))
    for attempt in range(1, TRIES + 1):
        answers = engine.answer([replace(asks[place], attempt=attempt) for place in left])
        for place, answer in zip(left, answers, strict=True):
            found[place] = _checked(answer, asks[place])
        left = [place for place in left if isinstance(found[place], str)]
        asks = [_again(ask, found[place]) if place in left else ask for place, ask in enumerate(asks)]
        if not left:
            break
    return found


def _checked(answer: Reply | EngineError, ask: Ask) -> Reply | str:
    if isinstance(answer, EngineError):
        return plain_text(str(answer))
    assert ask.schema is not None
    try:
        problem = violation(ask.schema, json.loads(answer.text))
    except (ValueError, RecursionError):
        problem = "the reply is no JSON object"
    return problem or answer


def _again(ask: Ask, problem: Reply | str) -> Ask:
    text = f"{ask.messages[0].content}\n\n（上一次回复无效：{problem}。请只回复所要求的 JSON 对象。）"
    return replace(ask, messages=(Message("user", text),))


def _row(attempt: int, grading: Grading, reply: Reply | str, described: str, spec: str) -> ScoreRow:
    settings = {"prompt": digest(grading.prompt), "engine": described, "spec": spec}
    if isinstance(reply, str):
        kept: dict[str, object] = {"failed": plain_text(reply)}
        return ScoreRow(
            attempt, GRADER, grading.prompt, {**settings, "failed": True}, dict(grading.failed), [kept], spec
        )
    value, evidence = grading.read(json.loads(reply.text))
    return ScoreRow(attempt, GRADER, grading.prompt, settings, value, [evidence], spec)
