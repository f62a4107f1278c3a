"""Which part of an episode is on the screen: its head, or an earlier step; and what of it is written to a file. Reads
stored records, runs no code.

Steps count from 0 (the setting up); step k shows everything up to the end of step k.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, OptionList, Static

from app.court_words import DISCLAIMER
from app.desk.dialogs import Dialog, buttons
from app.desk.episode.renderers import EventBlock, each, one, policy_name, render, step_list
from app.desk.jobs import OnDesk
from app.desk.messages import RunFacts
from app.desk.widgets.field import Field, LineInput
from app.strings import t
from app.terminal import clean
from store import places
from store.errors import StoreError
from store.files import written_whole
from tasks.courts.papers.episode_papers import papers_of, write_paper
from tasks.courts.papers.forms import WRITERS, CourtPaper
from tasks.episode.events import Record, StepEnded
from tasks.episode.state import fold
from tasks.errors import TaskError
from tasks.run.header import is_fictional
from tasks.run.reading import steps_by_people

Maker = Callable[[Sequence[Record]], Mapping[int, EventBlock | None]]
"""Records that came together -> their blocks by sequence number, in the order in which they are shown."""


class EpisodeCursor:
    """The records of one episode and the step that is looked at; `at` is None at the head.

    `make` may be exchanged for what a benchmark shows; `relabel` makes all blocks anew with it.
    """

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.at: int | None = None
        self.make: Maker = each
        self._blocks: dict[int, EventBlock | None] = {}

    def reset(self, records: Sequence[Record]) -> None:
        self.records = list(records)
        self.at = None
        self._blocks.clear()

    def extend(self, records: Sequence[Record]) -> list[Record]:
        fresh = [record for record in records if record.seq >= len(self.records)]
        self.records += fresh
        return fresh

    @property
    def total(self) -> int:
        return sum(isinstance(record.event, StepEnded) for record in self.records)

    @property
    def step(self) -> int:
        return self.total if self.at is None else self.at

    @property
    def back(self) -> bool:
        return self.at is not None

    def visible(self) -> list[Record]:
        return self.records if self.at is None else [record for record in self.records if record.step <= self.at]

    def blocks(self) -> list[EventBlock]:
        return self.blocks_of(self.visible())

    def blocks_of(self, records: Sequence[Record]) -> list[EventBlock]:
        """The blocks of some of the records; each is made once, so that views can keep what they made of it."""
        fresh = [record for record in records if record.seq not in self._blocks]
        if fresh:
            self._blocks |= self.make(fresh)
        wanted = {record.seq for record in records}
        return [block for seq, block in self._blocks.items() if block is not None and seq in wanted]

    def relabel(self) -> None:
        self._blocks.clear()

    def go(self, by: int) -> bool:
        """Look so many steps later or earlier; False when there is no such step. The last step is the head."""
        target = self.step + by
        if not 0 <= target <= self.total or target == self.step:
            return False
        self.at = None if target == self.total else target
        return True

    def go_to_head(self) -> None:
        self.at = None


def fork_words(records: Sequence[Record], step: int, name: Callable[[str], str]) -> list[str]:
    """What a fork of an episode keeps up to a step, which of that a person did, and what is played anew by whom;
    `name` is what a seat is called."""
    kept = [record for record in records if record.step <= step]
    by_people = steps_by_people(kept)
    seated = [(name(seat), policy_name(who.policy, who.engine)) for seat, who in fold(kept).seats.items()]
    cast = [t("episode.seat", seat=seat, policy=policy) for seat, policy in seated]
    return [
        t("fork.kept", n=step) if step else t("fork.nothing"),
        *([t("fork.people", steps=step_list(by_people)) if by_people else t("fork.no_people")] if step else []),
        t("fork.anew", step=step + 1, cast=t("fork.and").join(cast)),
    ]


class StepScreen(Dialog[int | None]):
    """Gives the number of a step, 0 to `total`; None when nobody goes there."""

    def __init__(self, total: int) -> None:
        super().__init__()
        self._total = total

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = t("jump.title")
            note = t("jump.note", of=self._total)
            yield Field(t("jump.step"), LineInput(id="step", max_length=9), note=note, id="step-field", short=True)
            yield buttons(t("jump.yes"))

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def action_confirm(self) -> None:
        text = self.query_one(Input).value.strip()
        if text.isdecimal() and int(text) <= self._total:
            self.dismiss(int(text))
        else:
            self.query_one(Field).fault(t("jump.none", of=self._total))


def fence(text: str) -> str:
    """The text in a fence longer than any in it."""
    text = clean(text)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}text\n{text}\n{marks}"


def episode_markdown(
    facts: RunFacts, episode: str, records: Sequence[Record], blocks: Sequence[EventBlock] = ()
) -> str:
    """The record of an episode, step by step; as the transcript that its `blocks` make, where they are given."""
    lines = [f"# {t('app.title')} · {one(facts.benchmark)} · {one(episode)}", ""]
    lines += [f"- {t('export.run')}: `{one(facts.id)}`", f"- {t('export.pack')}: `{one(facts.pack)}`"]
    if is_fictional(facts.header):
        lines.append(f"- {t('mark.fictional')}")
    if blocks:
        return "\n".join([*lines, f"- {DISCLAIMER}", *_transcript(blocks)]) + "\n"
    step = 0
    for record in records:
        if record.step != step:
            step = record.step
            lines += ["", f"## {t('event.step', step=step)}"]
        if not isinstance(record.event, StepEnded):
            lines += ["", *_event(record)]
    return "\n".join(lines) + "\n"


def _transcript(blocks: Sequence[EventBlock]) -> Iterator[str]:
    said: list[str] = []
    for block in blocks:
        text = "\n".join("".join(part for part, _ in line) for line in block.lines)
        if block.heading:
            if said:
                yield from ("", fence("\n".join(said)))
            yield from ("", f"## {one(text)}")
            said = []
        else:
            said.append(f"{block.label} {text}".strip())
    if said:
        yield from ("", fence("\n".join(said)))


def _event(record: Record) -> list[str]:
    block = render(record)
    if block is None:
        return []
    return [f"**{block.label}**", "", fence("\n".join("".join(p for p, _ in line) for line in block.whole))]


def export_episode(
    facts: RunFacts, episode: str, records: Sequence[Record], blocks: Sequence[EventBlock] = ()
) -> Path:
    """Write the Markdown beside everything else Moot keeps; gives the path. A new export replaces the old one."""
    folder = places.home() / "exports"
    name = re.sub(r"[^\w.-]+", "_", f"{facts.id}-{episode}")[:120]
    path = folder / f"{name}.md"
    with written_whole(path, parents=True) as file:
        file.write(episode_markdown(facts, episode, records, blocks))
    return path


Wish = tuple[CourtPaper, str, str] | None
"""A paper, its name and its form; None: the record as Markdown."""


class PapersScreen(Dialog[tuple[Wish] | None]):
    """Gives what is to be written, in a tuple of one; None where nothing is."""

    def __init__(self, papers: Mapping[str, CourtPaper]) -> None:
        super().__init__()
        self._wishes: list[Wish] = [(paper, name, form) for name, paper in papers.items() for form in WRITERS]
        self._wishes.append(None)

    def compose(self) -> ComposeResult:
        told = [
            t("export.record") if wish is None else f"{wish[0].titles[-1]} · {wish[2].upper()}"
            for wish in self._wishes
        ]
        with Vertical(classes="dialog") as box:
            box.border_title = t("export.title")
            yield OptionList(*map(one, told), markup=False, compact=True)
            yield Static(t("export.hint"), classes="dialog--hint", markup=False)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss((self._wishes[event.option_index],))

    def action_confirm(self) -> None:
        self.query_one(OptionList).action_select()


def offered(path: Path, episode: str) -> Mapping[str, CourtPaper]:
    """The papers of an episode; none where its task file cannot be read, so that the record can still be written."""
    try:
        return papers_of(path, episode)
    except (StoreError, TaskError):
        return {}


def export_paper(run: str, episode: str, paper: CourtPaper, name: str, form: str) -> Path:
    """Write a paper beside the other exports, under a name that is free; gives the path."""
    folder = places.home() / "exports"
    stem = re.sub(r"[^\w.-]+", "_", f"{run}-{episode}")[:100] + f"-{name}"
    number, path = 1, folder / f"{stem}.{form}"
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.{form}"
    write_paper(paper, form, path, parents=True)
    return path


class ExportingScreen(OnDesk):
    """A screen whose episode can be written to a file."""

    controller: Any
    face: Any

    def action_export(self) -> None:
        """Write the looked-at record as Markdown; of a court episode, offer its papers as well."""
        facts = self.controller.facts
        if facts.benchmark == "courts":
            self.job("papers", partial(offered, facts.path, self.controller.episode), self.offer_papers)
        else:
            self._export(None)

    def offer_papers(self, papers: Mapping[str, CourtPaper]) -> None:
        """Ask which of the papers is wanted; where there is none, the record is written."""
        if papers:
            self.app.push_screen(PapersScreen(papers), lambda wish: self._export(*wish) if wish else None)
        else:
            self._export(None)

    def _export(self, wish: Wish) -> None:
        at = self.controller
        if wish is not None:
            return self.job("export", partial(export_paper, at.facts.id, at.episode, *wish), self._exported)
        blocks = () if self.face.ruled else tuple(at.shown.blocks())
        work = partial(export_episode, at.facts, at.episode, tuple(at.shown.visible()), blocks)
        return self.job("export", work, self._exported)

    def _exported(self, path: Path) -> None:
        self.desk.say(t("export.done", path=one(str(path))))
