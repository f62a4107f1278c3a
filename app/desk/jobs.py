"""What a screen or pane has of the desk that it stands on: the desk itself, and jobs in threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from textual.worker import Worker, WorkerState


class _Job(NamedTuple):
    worker: Worker[Any] | None
    then: Callable[[Any], object] | None
    failed: Callable[[BaseException], object] | None


class OnDesk:
    """A screen or pane that stands on the desk. Slow work is a named job; of two of one name the newer counts."""

    app: Any
    run_worker: Any

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._jobs: dict[str, _Job] = {}

    @property
    def desk(self) -> Any:
        """The app, an `app.desk.shell.Desk`: untyped here, for it imports the screens."""
        return self.app

    def job(
        self,
        name: str,
        work: Callable[[], object],
        then: Callable[[Any], object] | None = None,
        failed: Callable[[BaseException], object] | None = None,
    ) -> None:
        """Do `work` in a thread, in place of what is under way by this name.

        Args:
            name: of the job.
            work: runs in the thread.
            then: takes what was found; None is nothing.
            failed: takes the error; unless it returns True, a dialog says what went wrong.
        """
        worker = self.run_worker(work, name=name, group=name, thread=True, exclusive=True, exit_on_error=False)
        self._jobs[name] = _Job(worker, then, failed)

    def drop(self, *names: str) -> None:
        """What these jobs find or run into is of no interest any more."""
        self._jobs |= dict.fromkeys(names, _Job(None, None, None))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        event.stop()
        job = self._jobs.get(event.worker.name)
        if job is not None and job.worker is not event.worker:
            return
        error = event.worker.error if event.state == WorkerState.ERROR else None
        if job is not None and job.failed is not None and error is not None and job.failed(error) is True:
            return
        found = None if self.desk.worker_failed(event) else event.worker.result
        if job is not None and job.then is not None and found is not None:
            job.then(found)
