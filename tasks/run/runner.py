"""Runs of many episodes: start, resume, fork. One journal file a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from models.engine import Engine
from store import places
from store.errors import StoreError
from store.journal import SUFFIX, EpisodeRow, Journal
from store.pack import Pack
from store.replies import Replies, file_of_replies
from store.run_file import reading
from tasks.benchmark import Benchmark, Question, benchmark
from tasks.episode.events import ModelCalled, Seated
from tasks.episode.scheduler import Scheduler
from tasks.episode.state import completed, digest, fold
from tasks.episode.watcher import Watcher
from tasks.errors import UsageError
from tasks.run.budget import Budget
from tasks.run.cached import KnownReplies
from tasks.run.cast import Cast, check_seat, formed
from tasks.run.engines import run_path
from tasks.run.experiment import check_same, make_header
from tasks.run.header import header_of, now, refuse_imported, spec_of, unchanged
from tasks.run.opened import Run, check_calls, close_engines, open_engines, roomed
from tasks.run.plan import choose, episodes_of, refuse_narrow, task_file
from tasks.run.reading import episode_of, read_episode
from tasks.run.spec import RunSpec, fresh_id
from tasks.run.taking_up import driver_of, look_at, read_over, taken_up


def start_run(
    spec: RunSpec,
    watchers: Sequence[Watcher] = (),
    *,
    out: Path | None = None,
    argv: Sequence[str] = (),
    suite: Mapping[str, str] | None = None,
) -> Run:
    """Prepare a new run: everything is checked before the file is written. `suite`: what its header says of the suite
    that it is a member of."""
    bench = benchmark(spec.benchmark)
    spec = formed(bench, spec)
    cast = Cast.of(bench, spec)
    if cast.engines:
        day = datetime.now().astimezone().date()
        spec = spec.having(**bench.settings.of(spec.settings, bench.name).begun(day))
    pack = Pack.open(spec.pack)
    engines: dict[str, Engine] = {}
    try:
        tasks = task_file(spec, pack)
        with unchanged(tasks) as tasks_hash:
            questions = list(bench.load(tasks))
        chosen = choose(bench, questions, spec)
        program = bench.program(pack, questions, spec)
        cast.check(chosen)
        engines = open_engines(spec, *cast.engines)
        check_calls([cast.tested], engines)
        seated = ((question, [roomed(sits, engines) for sits in cast.at(question)]) for question in chosen)
        refuse_narrow(bench, seated, spec)
        name = out.stem if out else fresh_id(spec)
        path = out or places.runs() / f"{name}{SUFFIX}"
        rows = list(episodes_of(chosen, spec.epochs))
        header = make_header(name, spec, bench, pack, tasks, tasks_hash, chosen, engines, argv)
        header |= {"suite": dict(suite)} if suite else {}
        journal = Journal.create(path, header, rows)
    except BaseException:
        close_engines(engines)
        pack.close()
        raise
    run = _open(name, spec, bench, journal, pack, questions, engines, watchers)
    run.program = program
    run.rows = {row.id: row for row in rows}
    run.scheduler.episodes.expect(run.rows)
    return run


def resume_run(name: str | Path, watchers: Sequence[Watcher] = (), *, new_attempt: bool = False) -> Run:
    """Take up an interrupted run where its record ends. `new_attempt` begins unfinished episodes anew."""
    path = run_path(name)
    with reading(path):
        return _resumed(path, watchers, new_attempt)


def _resumed(path: Path, watchers: Sequence[Watcher], new_attempt: bool) -> Run:
    journal = Journal.open(path, write=True)
    try:
        header = header_of(journal)
        refuse_imported(header)
        spec = spec_of(header)
        bench = benchmark(spec.benchmark)
        pack = Pack.open(header.get("pack", {}).get("path") or spec.pack)
        tasks = task_file(spec, pack)
        with unchanged(tasks):
            check_same(header, bench, spec, pack, tasks, new_attempt)
            questions = list(bench.load(tasks))
    except BaseException:
        journal.close()
        raise
    run = _open(str(header["run"]), spec, bench, journal, pack, questions, {}, watchers)
    run.new_attempt = new_attempt
    try:
        for row, attempts in journal.walk():
            look_at(run, row, attempts[-1].id)
    except BaseException:
        run.close()
        raise
    return run


def fork_run(
    name: str | Path,
    episode: str,
    step: int,
    watchers: Sequence[Watcher] = (),
    *,
    newcomer: Seated | None = None,
    engine: str = "",
    out: Path | None = None,
    argv: Sequence[str] = (),
) -> Run:
    """A new run with one episode that shares the first `step` steps of an old one and goes on from there.

    `argv` is the command line that forks.

    Raises:
        UsageError: the episode has no such step, or no seat for the newcomer.
    """
    path = run_path(name)
    with Journal.open(path) as old:
        header = header_of(old)
        refuse_imported(header)
        row, records = episode_of(old, episode)
    ended_in = next(
        (r.step for r in records if r.event.tag == "stopped" and records[-1].event.tag == "step_ended"), None
    )
    available = ended_in - 1 if ended_in else fold(completed(records)).steps
    if not 0 <= step <= available:
        if ended_in == step:
            raise UsageError(
                f"episode {episode} ended in step {step}: there is nothing to go on from", f"Choose 0 to {available}."
            )
        raise UsageError(f"episode {episode} has no step {step}", f"Choose 0 to {available}.")
    spec = spec_of(header).model_copy(update={"budget_tokens": None, "budget_seconds": None})  # of the run it left
    bench = benchmark(spec.benchmark)
    pack = Pack.open(header.get("pack", {}).get("path") or spec.pack)
    tasks = task_file(spec, pack)
    with unchanged(tasks):
        check_same(header, bench, spec, pack, tasks, True)
        questions = list(bench.load(tasks))
    fresh = out.stem if out else fresh_id(spec)
    kept = [
        record
        for record in completed(records, step)
        if record.event.tag != "stopped" and record.event.tag != "limit_hit"
    ]
    with Journal.open(path) as old:
        named = (name for record in kept if isinstance(record.event, ModelCalled) for name in record.event.texts)
        found = ((name, old.text(name)) for name in dict.fromkeys(named))
        texts = {name: text for name, text in found if text is not None}
    seats = fold(kept).seats
    if newcomer is not None:
        check_seat(newcomer, seats, episode)
    sitting = {**seats, **({newcomer.seat: newcomer} if newcomer else {})}
    engines = open_engines(spec, engine, *(sits.engine for sits in sitting.values()))
    check_calls(sitting.values(), engines)
    header = {
        **header, "run": fresh, "created": now(), "command": list(argv), "spec": spec.model_dump(mode="json"),
        "parent": {
            "run": header["run"], "episode": row.id, "step": step, "digest": digest(kept),
            **({"seat": newcomer.seat, "policy": newcomer.policy, "engine": newcomer.engine} if newcomer else {}),
        },
    }  # fmt: skip
    header.pop("suite", None)  # a fork is no member
    journal = Journal.create(
        out or places.runs() / f"{fresh}{SUFFIX}", header, [EpisodeRow(row.id, 0, row.task_id, row.epoch)]
    )
    with nothing_left(journal):
        run = _open(fresh, spec, bench, journal, pack, questions, engines, watchers)
        (attempt,) = journal.attempts(row.id)
        run.rows[row.id] = row
        driver = driver_of(run, row.id, attempt.id)
        driver.load(kept)
        driver.fresh.extend(kept)
        driver.texts.update(texts)
        if newcomer is not None:
            driver.seat(run.described(newcomer))
        run.scheduler.add(driver)
        return run


@contextmanager
def nothing_left(fork: Journal) -> Iterator[None]:
    """A fork that fails before its first step of its own leaves no file behind."""
    try:
        yield
    except Exception:
        fork.close()
        own = 0
        with suppress(StoreError), Journal.open(fork.path) as journal:
            steps = (fold(read_episode(journal, row.id)).steps for row in journal.episodes())
            own = max(steps, default=0) - header_of(journal)["parent"]["step"]
        if own < 1:
            fork.path.unlink()
        raise


def _open(
    name: str, spec: RunSpec, bench: Benchmark, journal: Journal, pack: Pack, questions: list[Question],
    engines: dict[str, Engine], watchers: Sequence[Watcher],
) -> Run:  # fmt: skip
    known = KnownReplies(Replies(file_of_replies()), engines) if spec.cache else None
    scheduler = Scheduler(journal, engines, watchers, known=known)
    budget = Budget(spec.budget_tokens, spec.budget_seconds)
    run = Run(name, spec, bench, journal, scheduler, questions, pack, engines, budget=budget, known=known)
    run.scheduler.episodes.begin = partial(taken_up, run)
    run.scheduler.episodes.read = partial(read_over, run)
    return run
