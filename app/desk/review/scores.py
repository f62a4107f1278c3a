"""Human scores: a run, its sample, and one episode with the record, the reference and a form. Blind: what graders and
others said of a metric is shown to an author only after this author has scored it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from app import library
from app.desk.episode.renderers import Line, one
from app.desk.review.form import ReviewForm
from app.desk.review.pane import ReviewPane, admit, run_thing, words
from app.desk.review.record import RecordPane, entries_of, metric_words, place_of, plain_words, reference_lines
from app.desk.review.runs import (
    EpisodeReview,
    EpisodeToScore,
    MetricScore,
    ReviewMetric,
    RunToScore,
    append,
    read_review,
    read_run,
    visible_to,
)
from app.desk.widgets.choice import Choice, ChoiceItem, ChoiceList, fixed
from app.desk.widgets.lines import LinesPane
from app.library import RunLine
from app.strings import counted, t
from tasks.courts.scores.score import CONSISTENCY

COURTS = "courts"


class ScoresPane(ReviewPane):
    """Runs, episodes of a run, scoring of one."""

    BEGINNING = "runs"

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.path: Path | None = None
        self.runs: list[RunLine] = []
        self.run: RunToScore | None = None
        self.review: EpisodeReview | None = None
        self._wanted = ""
        self._listed = False

    def compose(self) -> ComposeResult:
        with ContentSwitcher(initial=self.BEGINNING, id="steps"):
            yield ChoiceList("review", id="runs")
            yield ChoiceList("review", id="episodes")
            with Horizontal(id="scoring"):
                with Vertical(id="left"):
                    yield ChoiceList("review_score", id="metrics")
                    yield LinesPane("review_score", id="history")
                yield RecordPane("review_record", id="hearing")
                with Vertical(id="right"):
                    yield LinesPane("review_reference", id="reference")
                    yield ReviewForm(id="form")

    # what is on disk

    def enter(self) -> None:
        self.job("runs", lambda: list(library.runs()), self._have_runs)
        if self.path is not None:
            self.read()

    def take(self, path: Path | None, episode: str = "") -> None:
        """Another run and one of its episodes, or the list of runs."""
        self._wanted = episode
        self.path = path
        if path is None:
            self.go("runs")
        else:
            self.read()

    def read(self) -> None:
        path, live = self.path, self.desk.live
        if path is None:
            return

        def job() -> RunToScore:
            admit(live, path)
            return read_run(path)

        self.job("run", job, self._have_run, self._no_run)

    def open(self, episode: str) -> None:
        path, live = self.path, self.desk.live
        if path is None:
            return

        def job() -> EpisodeReview:
            admit(live, path)
            return read_review(path, episode)

        self.job("episode", job, self._have_episode)

    def _have_runs(self, runs: list[RunLine]) -> None:
        self.runs = [run for run in runs if not run.error and run.finished]
        self._listed = True
        self._show_runs()

    def _no_run(self, error: BaseException) -> None:
        self.run = None
        self.take(None)

    def _have_run(self, run: RunToScore) -> None:
        self.run = run
        self._show_episodes()
        wanted, self._wanted = self._wanted, ""
        if wanted:
            self.open(wanted)
        elif self.step == "runs":
            self.go("episodes")

    def _have_episode(self, review: EpisodeReview) -> None:
        again = self.review is not None and self.review.chosen == review.chosen and self.review.path == review.path
        self.review = review
        self.query_one("#hearing", RecordPane).show_entries(entries_of(review))
        self._show_metrics(at=None if again else 0)
        if self.step != "scoring":
            self.go("scoring")
        self._show_metric()

    # what is shown

    def retranslate(self) -> None:
        for name in ("metrics", "hearing", "reference", "form", "history"):
            self.query_one(f"#{name}").border_title = t(f"review_screen.pane.{name}")
        self.query_one(ReviewForm).retranslate()
        self._show_runs()
        self._show_episodes()
        if self.review is not None:
            self.query_one("#hearing", RecordPane).show_entries(entries_of(self.review))
            self._show_metrics()
            self._show_metric()

    def _show_runs(self) -> None:
        empty = "review_screen.no_runs" if self._listed else "home.loading"
        said = words(t(empty), t("review_screen.no_runs.hint") if self._listed else "")
        self.query_one("#runs", ChoiceList).show([run_thing(run) for run in self.runs], said)

    def _show_episodes(self) -> None:
        if self.run is None:
            return
        said = words(t("review_screen.no_episodes"), t("review_screen.no_episodes.hint"))
        self.query_one("#episodes", ChoiceList).show(list(_episode_things(self.run)), said)

    @property
    def _asked(self) -> ReviewMetric | None:
        place = self.query_one("#metrics", ChoiceList).cursor
        asked = self.review.asked if self.review is not None else ()
        return asked[place] if 0 <= place < len(asked) else None

    @property
    def metric(self) -> str:
        return self._asked.metric if self._asked is not None else ""

    def _show_metrics(self, at: int | None = None) -> None:
        review, author = self.review, self.query_one(ReviewForm).author
        if review is None:
            return
        things = []
        for asked in review.asked:
            shown, hidden = visible_to(review.rows, asked.metric, author)
            own = next((given for given in shown if given.person and given.author == author and given.counts), None)
            scored = own is not None and own.value is not None
            mark = (f"✔ {own.value * asked.scale:g}", "good") if own and own.value is not None else ("○", "warn")
            state = f"  {_short(asked.metric)}" + ("" if scored else f" · {t('review_screen.waits')}")
            blind: tuple[Line, ...] = (((f"  {counted('review_screen.hidden', hidden)}", "dim"),),) if hidden else ()
            name = metric_words(asked.metric, review.question)
            things.append(ChoiceItem(fixed((mark, (f" {name}", "question")), ((state, "dim"),), *blind)))
        self.query_one("#metrics", ChoiceList).show(
            things, words(t("review_screen.no_metrics"), t("review_screen.no_metrics.hint")), at=at
        )

    def _show_metric(self) -> None:
        review, metric = self.review, self.metric
        form, reference = self.query_one(ReviewForm), self.query_one("#reference", LinesPane)
        form.set_class(not metric, "-none")
        asked = self._asked
        if review is None or asked is None:
            reference.show(words(t("review_screen.no_metrics"), t("review_screen.no_metrics.hint")))
            self.query_one("#history", LinesPane).show([])
            return
        reference.show(reference_lines(review, asked))
        self.query_one("#hearing", RecordPane).go_to(place_of(review, metric))
        form.border_title = f"{t('review_screen.pane.form')} {metric_words(metric, review.question, 24)}"
        form.open((str(review.path), review.chosen.episode, metric), asked.scale)
        self._show_history()

    def _show_history(self) -> None:
        review, asked = self.review, self._asked
        if review is None or asked is None:
            return
        shown, hidden = visible_to(review.rows, asked.metric, self.query_one(ReviewForm).author)
        lines = [line for given in shown for line in _given_lines(given, asked.scale)]
        if hidden:
            lines = [((counted("review_screen.hidden", hidden), "text"),), ((t("review_screen.hidden.hint"), "dim"),)]
        self.query_one("#history", LinesPane).show(lines or [((t("review_screen.no_history"), "dim"),)])

    def title(self) -> list[str]:
        run, review = self.run, self.review
        if self.step == "runs" or run is None:
            return [t("review_screen.choose_run")]
        fictional = [f"● {t('mark.fictional')}"] if run.fictional else []
        if self.step == "episodes" or review is None:
            sampled = sum(line.sampled for line in run.episodes)
            return [*fictional, t("review_screen.sample", n=sampled, of=len(run.episodes)), one(run.id)]
        return [one(review.chosen.episode), *fictional, t(f"outcome.{review.chosen.outcome}"), one(run.id)]

    @property
    def on_court(self) -> bool:
        return self.step != "runs" and self.run is not None and self.run.benchmark == COURTS

    @property
    def first(self) -> Widget:
        reads = self.screen.has_class("-narrow") and not self.has_class("-writes")
        return self.query_one(
            {"runs": "#runs", "episodes": "#episodes"}.get(self.step, "#hearing" if reads else "#metrics")
        )

    # wishes

    def can(self, action: str) -> bool | None:
        scoring = self.step == "scoring"
        rules: dict[str, bool | None] = {
            "open": True, "form": (bool(self.metric) or None) if scoring else False, "near": scoring,
            "view": scoring and self.screen.has_class("-narrow"), "wide": scoring, "runs": self.step != "runs",
        }  # fmt: skip
        return rules.get(action, False)

    def on_choice_highlighted(self, event: Choice.Highlighted) -> None:
        event.stop()
        if event.view.id == "metrics":
            self._show_metric()

    def on_choice_selected(self, event: Choice.Selected) -> None:
        event.stop()
        if event.view.id == "runs":
            return self.take(self.runs[event.index].path)
        if event.view.id == "metrics":
            self.form()
        elif event.view.id == "episodes" and self.run is not None:
            self.open(self.run.episodes[event.index].chosen.episode)
        return None

    def form(self) -> None:
        if self.metric:
            self.add_class("-writes")
            self.query_one(ReviewForm).focus_first()

    def view(self) -> None:
        self.toggle_class("-writes")
        self.query_one("#metrics" if self.has_class("-writes") else "#hearing").focus()

    def near(self, by: int) -> None:
        if self.run is None or self.review is None:
            return
        names = [line.chosen.episode for line in self.run.episodes]
        at = names.index(self.review.chosen.episode) + by if self.review.chosen.episode in names else -1
        if 0 <= at < len(names):
            self.query_one("#episodes", ChoiceList).move_to(at, tell=False)
            self.open(names[at])

    def back(self) -> bool:
        if self.step == "scoring":
            self.go("episodes")
            self.read()
            return True
        if self.step == "episodes":
            self.take(None)
            return True
        return False

    @on(ReviewForm.AuthorChanged)
    def _author_changed(self) -> None:
        self._show_metrics()
        self._show_history()

    @on(ReviewForm.Cancelled)
    def _left(self) -> None:
        self.query_one("#metrics").focus()

    @on(ReviewForm.EntrySubmitted)
    def _submitted(self, event: ReviewForm.EntrySubmitted) -> None:
        review, metric, live = self.review, self.metric, self.desk.live
        if review is None:
            return

        def job() -> EpisodeReview:
            admit(live, review.path)
            return append(review, metric, event.value, event.author, event.reason)

        self.job("append", job, self._appended)

    def _appended(self, review: EpisodeReview) -> None:
        """The score is on disk: what others said of the metric may be seen now."""
        if self.review is None or self.review.chosen != review.chosen:
            return
        self.review = review
        form = self.query_one(ReviewForm)
        form.clear()
        self._show_metrics()
        self._show_history()
        form.say(t("review_screen.appended", metric=one(self.metric)))
        self.query_one("#metrics").focus()
        self.post_message(self.ViewChanged())


def _short(metric: str) -> str:
    """The name of a metric as graders have it; who plays a role is said in words."""
    return "CON" if metric.startswith(CONSISTENCY) else one(metric)


def _episode_things(run: RunToScore) -> Iterator[ChoiceItem]:
    """The sample under a heading a group, then all others."""
    before = ""
    for line in run.episodes:
        group = line.chosen.group
        key = f"{line.sampled} {group if line.sampled else ''}"
        heading = ""
        if key != before:
            chosen = sum(other.sampled and other.chosen.group == group for other in run.episodes)
            heading = (
                t("review_screen.sample_of", group=one(group), chosen=chosen, of=line.chosen.of)
                if line.sampled
                else t("review_screen.others")
            )
        before = key
        yield ChoiceItem(partial(_episode_lines, line), heading)


def _episode_lines(line: EpisodeToScore, width: int) -> Iterator[Line]:
    chosen = line.chosen
    done = line.sampled and not line.waiting and bool(line.scored)
    mark = ("✔ ", "good") if done else ("○ ", "warn") if line.waiting else ("  ", "dim")
    people = (
        t("review_screen.by", names=t("law_screen.kept.join").join(map(one, chosen.authors)))
        if chosen.authors
        else ""
    )
    yield (mark, (one(chosen.episode), "question"), (f"  {t(f'outcome.{chosen.outcome}')}  {people}", "dim"))
    if line.sampled:
        parts = (("scored", line.scored, "good"), ("waiting", line.waiting, "warn"))
        join = t("law_screen.kept.join").join
        told = [
            (f"{t(f'review_screen.{name}', names=join(plain_words(each, chosen.group) for each in names))}  ", role)
            for name, names, role in parts
            if names
        ]
        yield (("  ", "dim"), *(told or [(t("review_screen.no_metrics"), "dim")]))


def _given_lines(given: MetricScore, scale: float) -> Iterator[Line]:
    """Who, how much, why; an older word of the same author is dim."""
    role = "text" if given.counts else "dim"
    value = "—" if given.value is None else f"{given.value * scale:g}"
    who = t("review_screen.person" if given.person else "review_screen.grader", who=one(given.author))
    yield (
        (value, "value" if given.counts else "dim"),
        (f"/{scale:g}  ", "dim"),
        (who, role),
        (f"  {t('review_screen.superseded')}" if not given.counts else "", "dim"),
    )
    if given.reason:
        yield ((f"  {one(given.reason)}", role if not given.counts else "dim"),)
