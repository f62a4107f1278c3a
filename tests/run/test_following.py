"""A follower tells what the scheduler of another process told: the same records and ends, in the order of each
episode."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.journal import Journal
from store.writer import writer_of
from tasks.episode.driver import INFRASTRUCTURE
from tasks.episode.events import Record, Stopped
from tasks.episode.scheduler import EpisodeEnded, Notice, RecordsCommitted
from tasks.run.following import Follower, standing
from tasks.run.runner import resume_run, start_run
from tasks.run.spec import RunSpec
from tests.support.kill_harness import prepare


class Heard:
    """Keeps what a watcher is told, by episode."""

    def __init__(self) -> None:
        self.records: dict[str, list[Record]] = {}
        self.ends: dict[str, str] = {}
        self.last: dict[str, int] = {}

    def notify(self, notice: Notice) -> None:
        if isinstance(notice, RecordsCommitted):
            self.records.setdefault(notice.episode, []).extend(notice.records)
            self.last[notice.episode] = len(notice.state.records)
        elif isinstance(notice, EpisodeEnded):
            assert notice.episode not in self.ends, "once"
            self.ends[notice.episode] = notice.stopped.outcome


@pytest.fixture
def spec(moot_home: Path) -> RunSpec:
    return RunSpec.model_validate({**prepare(moot_home, tasks=5), "parallel": 2})


def test_a_follower_hears_what_the_watchers_of_the_run_hear(spec: RunSpec, tmp_path: Path) -> None:
    path, told, heard = tmp_path / "r.moot", Heard(), Heard()
    with start_run(spec, out=path) as run:
        follower = Follower(path, [heard])
        assert follower.look() and (follower.n, follower.outcomes, heard.records) == (5, {}, {})
        run.scheduler.watchers.append(told)
        for _ in range(3):
            run.scheduler.step("1")
            assert follower.look() and not follower.look(), "what is known is not told again"
        steps = iter(range(40))
        run.go(lambda: follower.look() is not None and next(steps, None) is not None)
        run.go()
        follower.look()
    assert heard.records == told.records and heard.ends == told.ends and heard.last == told.last
    assert len(told.ends) == 5 and follower.outcomes == told.ends
    later = Follower(path, [silent := Heard()])
    later.look()
    assert later.outcomes == told.ends and silent.records == {}


def test_how_far_a_run_is(spec: RunSpec, tmp_path: Path) -> None:
    path = tmp_path / "r.moot"
    with start_run(spec, out=path) as run:
        assert (standing(path).ended, standing(path).n) == (0, 5)
        while run.scheduler.step("2"):
            pass
        run.scheduler.cancel("1")
        writer = writer_of(path)
        far = standing(path, writer)
        assert far.outcomes == {"cancelled": 1, run.scheduler.episodes["2"].state.stopped.outcome: 1}  # type: ignore[union-attr]
        assert far.ended == 2 and far.rate is not None and far.rate > 0
        assert standing(path).rate is None, "nobody's rate"


def test_an_episode_that_begins_anew_is_open_again(spec: RunSpec, tmp_path: Path) -> None:
    path = tmp_path / "r.moot"
    with start_run(spec, out=path) as run:
        driver = run.scheduler.episodes["3"]
        run.scheduler.step("3")
        driver.stop(Stopped(outcome="error", reason=f"{INFRASTRUCTURE}, 3 times: gone"))
        run.scheduler._commit([driver])
    with Journal.open(path) as journal:
        ended = journal.endings(Stopped.tag)
    assert [episode for episode, _, _ in ended] == ["3"]
    with resume_run(path) as run:
        assert not run.scheduler.episodes["3"].stopped  # its turn comes
        follower = Follower(path, [heard := Heard()])
        follower.look()
        assert len(run.journal.attempts("3")) == 2 and follower.outcomes == {}
        run.go()
        follower.look()
        assert set(follower.outcomes) == set(heard.ends) == {"1", "2", "3", "4", "5"}
