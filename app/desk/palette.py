"""The command palette: every action of the screen that makes sense now, by its name in the current language."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import islice

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.markup import escape

from app import library
from app.desk.bindings import KEYS, Key
from app.desk.corpus import places
from app.desk.episode.renderers import one
from app.desk.home.new_run import offered_tasks
from app.desk.widgets.field import LONGEST_LINE
from app.library import RunLine
from app.strings import known, t
from store.manifest import FILE
from store.places import packs
from store.text.citation import citations
from tasks.run.spec import RunSpec

HIDDEN = ("palette", "quit_now", "close", "open", "open_episode", "review_open", "corpus_open")

SHORTEST = 2
"""Characters of a name that is looked for in the pack."""
MOST = 6
"""Runs, and tasks, that are offered at once."""


class MootCommands(Provider):
    """Offers the actions whose screen is open and which are possible at the moment."""

    def _offered(self) -> Iterator[tuple[str, Key, object]]:
        area = getattr(self.screen, "area", "")
        for name, target in ((area, self.screen), ("app", self.app)):
            if not known(f"palette.{name}"):
                continue
            for key in KEYS[name]:
                if key.id in HIDDEN or target.check_action(key.action.split("(")[0], ()) is not True:
                    continue
                yield (
                    f"{t(f'palette.{name}')}：{key.label}"
                    if t("app.code") == "zh"
                    else f"{t(f'palette.{name}')}: {key.label}",
                    key,
                    target,
                )

    async def discover(self) -> Hits:
        for name, key, target in self._offered():
            yield DiscoveryHit(
                Content(name), partial(self._run, key, target), text=name, help=escape(f"{key.tip} · {key.shown}")
            )

    async def search(self, query: str) -> Hits:
        query = query[:LONGEST_LINE]
        matcher, words = self.matcher(query), query.casefold().split()
        for name, key, target in self._offered():
            tip = key.tip.casefold()  # in a sentence there are too many ways to find letters here and there
            told = len(query) if all(word in tip for word in words) else 0
            score = max(matcher.match(name), told, matcher.match(key.id) * 0.6)
            if score > 0:
                yield Hit(
                    score,
                    Content(name),
                    partial(self._run, key, target),
                    text=name,
                    help=escape(f"{key.tip} · {key.shown}"),
                )

        async for hit in self._things(query.strip()):
            yield hit

    async def _things(self, query: str) -> Hits:
        """Companies, case numbers, courts and firms of the first pack, a citation to be looked up, runs, tasks to
        play."""
        if len(query) < SHORTEST:
            return
        if citations(query):
            name = t("palette.find.law", words=one(query))
            yield Hit(1.0, Content(name), partial(self.app.ask_law, query), text=name)  # type: ignore[attr-defined]
        for tool, value in await asyncio.to_thread(places.named, query):
            name = t("palette.find.name", name=one(value))
            open_ = partial(self.app.look_up, tool, value)  # type: ignore[attr-defined]
            yield Hit(0.9, Content(name), open_, text=name, help=escape(places.what(tool)))
        for line in await asyncio.to_thread(_runs, query):
            name = t("palette.find.run", name=one(f"{line.name} {line.id}".strip()))
            yield Hit(0.85, Content(name), partial(self.app.open_episode, line.path, ""), text=name)  # type: ignore[attr-defined]
        for spec, label in await asyncio.to_thread(_tasks, query):
            name = t("palette.find.task", name=one(label))
            play = partial(self.app.start, spec, everything=False)  # type: ignore[attr-defined]
            yield Hit(0.8, Content(name), play, text=name, help=escape(t("palette.find.task.tip")))

    async def _run(self, key: Key, target: object) -> None:
        await self.app.run_action(key.action, target)  # type: ignore[arg-type]


@lru_cache(maxsize=32)
def _offered(pack: str, name: str, stamp: int) -> tuple[tuple[RunSpec, str], ...]:
    """The tasks of a pack as it was built at `stamp`: a run of the rules on each, and how it is called in a list."""
    return tuple(
        (RunSpec(benchmark=name, pack=pack, task_ids=(task.id,)), task.label) for task in offered_tasks(pack, name)
    )


def _tasks(query: str) -> list[tuple[RunSpec, str]]:
    every = (
        found
        for pack in library.packs()
        for name in pack.tasks
        for found in _offered(pack.name, name, (packs() / pack.name / FILE).stat().st_mtime_ns)
    )
    return list(islice((found for found in every if query.lower() in found[1].lower()), MOST))


def _runs(query: str) -> list[RunLine]:
    lines = (line for line in library.runs() if not line.error)
    return list(islice((line for line in lines if query.lower() in f"{line.name} {line.id}".lower()), MOST))
