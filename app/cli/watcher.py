"""What shows a run as it goes: a line of progress, a player that writes plain text, and a log of JSON lines."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

import click

from app.strings import duration, t
from app.terminal import clean, json_text, pad
from app.words import away_text
from tasks.episode.events import ModelCalled, Record, Stopped, ToolReturned, encode
from tasks.episode.scheduler import EngineUnavailable, EpisodeEnded, Notice, RecordsCommitted, SeatWaiting

if TYPE_CHECKING:
    from app.desk.court.scene import EpisodeSnapshot
    from app.desk.episode.renderers import EventBlock


watch_option = click.option(
    "--watch",
    type=click.Choice(["plain", "json", "none"]),
    default="none",
    show_default=True,
    help="Show the episodes on stderr as they go.",
)
OFTEN, SELDOM = 0.2, 30.0
"""Seconds between two looks of a line that is written over, and between two lines."""


class Progress:
    """Counts over episodes that still are to be played.

    Args:
        total: episodes that are not over yet.
        stream: where to write; a terminal is written over.
        clock: seconds.
    """

    def __init__(self, total: int, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._stream = stream
        self._clock = clock
        self._over = stream.isatty()
        self._began = self._told = clock()
        self._outcomes: Counter[str] = Counter()
        self._tokens = 0
        self._open = False

    def notify(self, notice: Notice) -> None:
        if isinstance(notice, EngineUnavailable):
            self.say(away_text(notice))
        if not isinstance(notice, RecordsCommitted):
            return
        for record in notice.records:
            if isinstance(record.event, ModelCalled) and not record.event.human:
                self._tokens += record.event.generated if record.event.origin != "cached" else 0
            elif isinstance(record.event, Stopped):
                self._outcomes[record.event.outcome] += 1
        self._look()

    def count(self, outcomes: Mapping[str, int], tokens: int) -> None:
        self._outcomes, self._tokens = Counter(outcomes), tokens
        self._look()

    def say(self, sentence: str) -> None:
        self._end_line()
        self._write(clean(f"moot: {sentence}", multiline=False) + "\n")

    def _look(self) -> None:
        done = self._outcomes.total() == self._total
        if done and not self._over:
            return  # the summary follows
        if done or self._clock() - self._told >= (OFTEN if self._over else SELDOM):
            self._tell()
            if done:
                self._end_line()

    def line(self) -> str:
        """Figures so far; rates only where there is something to divide."""
        seconds, done = self._clock() - self._began, self._outcomes.total()
        parts = [f"{done}/{self._total}"]
        if done and seconds > 0:
            parts.append(t("progress.rate", rate=f"{done / seconds * 60:.1f}"))
        if 0 < done < self._total:
            parts.append(t("progress.left", time=duration(seconds / done * (self._total - done))))
        if self._tokens and seconds > 0:
            parts.append(t("progress.tokens", rate=f"{self._tokens / seconds:.0f}"))
        parts += [f"{t(f'outcome.{kind}')} {n}" for kind, n in sorted(self._outcomes.items()) if kind != "finished"]
        return " · ".join(parts)

    def _tell(self) -> None:
        self._told = self._clock()
        if self._over:
            self._open = True
            self._write("\r" + pad(self.line(), max(20, shutil.get_terminal_size().columns - 1)))
        else:
            self._write(f"{self.line()}\n")

    def _end_line(self) -> None:
        if self._open:
            self._open = False
            self._write("\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class Player:
    """The records of one episode as text for a terminal: the blocks that the desk shows, each behind its label.

    What the desk needs takes a moment to load, the words of the courts another: only who shows an episode waits.
    """

    def __init__(self, card: Mapping[str, Any]) -> None:
        from app.desk.episode.renderers import each, label_width

        self._make: Callable[[Sequence[Record]], Mapping[int, EventBlock | None]] = each
        self._gutter = label_width()
        self.scene: EpisodeSnapshot | None = None
        """Who is who in the episode of a court."""
        if card.get("env"):
            from app.desk.court.lines import GUTTER, CourtLines
            from app.desk.court.scene import plain_scene

            self.scene = plain_scene(card)
            if self.scene is not None:
                self._make, self._gutter = CourtLines(self.scene).make, GUTTER - 1

    def seat(self, seat: str) -> str:
        from app.desk.episode.renderers import seat_name

        return self.scene.seat(seat) if self.scene is not None else seat_name(seat)

    def play(self, records: Sequence[Record]) -> Iterator[tuple[int, str]]:
        """Step and text of what shows something of records that came together."""
        from app.desk.episode.renderers import plain

        by_seq = {record.seq: record for record in records}
        for seq, block in self._make(records).items():
            if block is not None:
                yield block.step, plain(by_seq[seq].event, block, self._gutter)


def plain_line(record: Record) -> str:
    """A record as text, without the time that it took; '' when it shows nothing."""
    if isinstance(record.event, ModelCalled | ToolReturned):
        record = replace(record, event=record.event.model_copy(update={"milliseconds": 0.0}))
    return "\n".join(text for _, text in Player({}).play([record]))


class PlainWatcher:
    """Writes every committed event as it comes, with a heading a step, and one where another episode goes on.

    Args:
        stream: where to write.
        card_of: the card of an episode of which nothing has come yet: a person may be asked before anything does.
    """

    def __init__(self, stream: TextIO, card_of: Callable[[str], Mapping[str, Any]] = lambda episode: {}) -> None:
        self._stream = stream
        self._card_of = card_of
        self._step: tuple[str, int] = ("", -1)
        self._episode = ""
        self._players: dict[str, Player] = {}

    def notify(self, notice: Notice) -> None:
        if isinstance(notice, RecordsCommitted):
            player = self._players.get(notice.episode) or Player(notice.state.card)
            self._players[notice.episode] = player
            for step, text in player.play(notice.records):
                self._head(notice.episode)
                if player.scene is None and step > 0 and self._step != (notice.episode, step):
                    self._step = (notice.episode, step)
                    self._write(t("event.step", step=step))
                self._write(text)
        elif isinstance(notice, EpisodeEnded):
            self._players.pop(notice.episode, None)
        elif isinstance(notice, EngineUnavailable):
            self._write(f"moot: {away_text(notice)}")
        elif isinstance(notice, SeatWaiting):
            self._head(notice.episode)
            player = self._players.get(notice.episode) or Player(self._card_of(notice.episode))
            self._write(f"{t('event.waiting')}: {player.seat(notice.ask.seat)}")
        self._stream.flush()

    def _head(self, episode: str) -> None:
        """Say which episode goes on, unless it is the one of the line before."""
        if episode != self._episode:
            self._episode = episode
            self._write(f"■ {episode}")

    def _write(self, text: str) -> None:
        self._stream.write(clean(text) + "\n")


class JsonWatcher:
    """Writes one JSON object a record: episode, seq, step, parent, at, tag, data."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def notify(self, notice: Notice) -> None:
        if isinstance(notice, RecordsCommitted):
            for record in notice.records:
                self._stream.write(json_text(record_data(notice.episode, record)) + "\n")
            self._stream.flush()
        elif isinstance(notice, EngineUnavailable):
            away = {"engine": notice.spec, "away": str(notice.error), "seconds": notice.seconds}
            self._stream.write(json_text(away) + "\n")
            self._stream.flush()


def record_data(episode: str, record: Record) -> dict[str, Any]:
    """A record as JSON data."""
    tag, data = encode(record.event)
    return {
        "episode": episode,
        "seq": record.seq,
        "step": record.step,
        "parent": record.parent,
        "at": record.at,
        "tag": tag,
        "data": data,
    }
