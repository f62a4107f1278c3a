"""The statutes of the fictional jurisdiction through time: every version of every law, worked out backwards.

The data files hold the newest text of a law and its amendments: what an amendment changed is written as the words it
made and the words that stood there before, so that a reader sees the change and not two copies. Versions come out
oldest first. Days are inclusive; a version ends on the day before the next one begins, or before the law's repeal.

Amendments are tables with `label`, `adopted`, `in_force`, and any of
  was          [number, words now, words before]; [number, whole text before]. Numbers are those of the text it made.
  titles       [number, title now, title before]
  inserted     numbers that came with it
  renumbered   [number before, number now]
  deleted      {n, after, text}: articles it took out, in the numbers before it
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cache
from importlib.resources import files

from store.builder import PackBuilder
from store.statutes.model import Article, ArticleNumber, Law, LawVersion, Link
from store.text.dates import plain_date
from tasks.sample import JURISDICTION, statutebook
from tasks.sample.data import Table

_FOLDER = "data/statutes"
_SOURCE = "虚构数据"
_LEVEL = "法律"


@dataclass(frozen=True, slots=True)
class Version:
    """One version and its articles in their order."""

    version: LawVersion
    articles: tuple[Article, ...]


@dataclass(frozen=True, slots=True)
class History:
    """A law with all its versions, oldest first, and the links that begin at it."""

    law: Law
    aliases: tuple[str, ...]
    versions: tuple[Version, ...]
    links: tuple[Link, ...]


@dataclass(slots=True)
class _Entry:
    """An article on its way back in time. `uid` stays the same when its number changes."""

    uid: int
    number: ArticleNumber
    chapter: str
    title: str
    text: str
    amended_by: str = ""


@dataclass(slots=True)
class _State:
    entries: list[_Entry]
    changed: set[int] = field(default_factory=set)
    """Entries to which the amendment that made this state gave their form."""


@cache
def histories() -> tuple[History, ...]:
    """All laws: the six of the LegalArticle corpus first, then the others, in the order of their files."""
    newest = {law.title: law for law in statutebook.laws()}
    books = [*_data("history"), *_data("further")]
    successors = {book["succeeds"]: book for book in books if "succeeds" in book}
    return tuple(_history(book, newest.get(book["law"]), successors.get(book["law"])) for book in books)


def statute_count() -> int:
    """The number of articles of all versions."""
    return sum(len(one.articles) for history in histories() for one in history.versions)


def add_statutes(builder: PackBuilder) -> int:
    """Write the statute book into a pack that is being built; gives the number of articles of all versions."""
    for history in histories():
        builder.add_law(history.law, history.aliases)
        for one in history.versions:
            builder.add_version(one.version, one.articles)
        for link in history.links:
            builder.add_link(link)
    return statute_count()


def _data(part: str) -> Iterator[Table]:
    folder = files("tasks.sample").joinpath(f"{_FOLDER}/{part}")
    for entry in sorted(folder.iterdir(), key=lambda path: path.name):
        if entry.name.endswith(".toml"):
            yield tomllib.loads(entry.read_text(encoding="utf-8"))


def _history(book: Table, newest: statutebook.Law | None, successor: Table | None) -> History:
    name, amendments = book["law"], book.get("amendment", [])
    states = _states(book, _newest(book, newest), amendments)
    begins = [book["in_force"], *(amendment["in_force"] for amendment in amendments)]
    labels = [name, *(f"{name}({amendment['label']})" for amendment in amendments)]
    adopted = [book["adopted"], *(amendment["adopted"] for amendment in amendments)]
    ends = [*begins[1:], book.get("repealed")]
    versions = []
    for label, first, end, day, state in zip(labels, begins, ends, adopted, states, strict=True):
        last = date.fromisoformat(end) - timedelta(days=1) if end else None
        version = LawVersion(
            name, label, date.fromisoformat(first), last, date.fromisoformat(day), source=JURISDICTION
        )
        versions.append(Version(version, tuple(_article(version, entry) for entry in state.entries)))
    law = Law(name, book["short"], _LEVEL, "authored")
    return History(law, tuple(book.get("aliases", ())), tuple(versions), tuple(_links(book, amendments, successor)))


def _newest(book: Table, corpus: statutebook.Law | None) -> _State:
    if corpus is not None:
        found = [(str(article.number), article.chapter, "", article.text) for article in corpus.articles]
    else:
        found = [
            (article["n"], chapter["title"], article.get("title", ""), article["text"])
            for chapter in book["chapter"]
            for article in chapter["articles"]
        ]
    return _State(
        [
            _Entry(uid, number_of(key), chapter, title, text)
            for uid, (key, chapter, title, text) in enumerate(found, 1)
        ]
    )


def _states(book: Table, newest: _State, amendments: list[Table]) -> list[_State]:
    """The law after each amendment and before the first, oldest first."""
    states = [newest]
    spare = 10_000
    for amendment in reversed(amendments):
        before = _before(book["law"], states[0], amendment, spare)
        spare += 100
        states.insert(0, before)
    acts: dict[int, str] = {}
    for state, amendment in zip(states[1:], amendments, strict=True):
        act = f"关于修改《{book['law']}》的决定（{plain_date(amendment['adopted'])}）"
        acts |= dict.fromkeys(state.changed, act)
        for entry in state.entries:
            entry.amended_by = acts.get(entry.uid, "")
    return states


def _before(law: str, after: _State, amendment: Table, spare: int) -> _State:
    """The law as it stood before an amendment; marks in `after` what the amendment changed."""
    entries = [replace(entry) for entry in after.entries]
    by_key = {entry.number.key: entry for entry in entries}
    for key, *words in amendment.get("was", ()):
        entry = by_key[key]
        if len(words) == 1:
            entry.text = words[0]
        elif words[0] in entry.text:
            entry.text = entry.text.replace(*words)
        else:
            raise ValueError(f"{law} {amendment['label']} {key}: these words do not stand there: {words[0]}")
        after.changed.add(entry.uid)
    for key, now, then in amendment.get("titles", ()):
        if by_key[key].title != now:
            raise ValueError(f"{law} {amendment['label']} {key}: its title is {by_key[key].title}")
        by_key[key].title = then
        after.changed.add(by_key[key].uid)
    for key in amendment.get("inserted", ()):
        after.changed.add(by_key[key].uid)
        entries.remove(by_key[key])
    moved = {new: old for old, new in amendment.get("renumbered", ())}
    for entry in entries:
        entry.number = number_of(moved.get(entry.number.key, entry.number.key))
    for place, gone in enumerate(amendment.get("deleted", ()), 1):
        at = next(i for i, entry in enumerate(entries) if entry.number.key == gone["after"])
        entries.insert(
            at + 1,
            _Entry(spare + place, number_of(gone["n"]), entries[at].chapter, gone.get("title", ""), gone["text"]),
        )
    numbers = [entry.number for entry in entries]
    if numbers != sorted(set(numbers)):
        raise ValueError(f"{law} before {amendment['label']}: its numbers do not rise")
    return _State(entries)


def _links(book: Table, amendments: list[Table], successor: Table | None) -> Iterator[Link]:
    name = book["law"]
    for amendment in amendments:
        act = f"《{name}》{plain_date(amendment['adopted'])}修订"
        for old, new in amendment.get("renumbered", ()):
            day = date.fromisoformat(amendment["in_force"])
            yield Link("renumbered", name, number_of(old), name, number_of(new), day, act)
    if successor is not None:
        if successor["in_force"] != book["repealed"]:
            raise ValueError(f"{name} ends on another day than {successor['law']} begins")
        day = date.fromisoformat(successor["in_force"])
        yield Link(
            "succeeded", name, None, successor["law"], None, day, f"《{successor['law']}》施行，《{name}》同时废止"
        )


def _article(version: LawVersion, entry: _Entry) -> Article:
    return Article(
        version.law,
        version.label,
        entry.number,
        "",
        entry.chapter,
        "",
        entry.title,
        entry.text,
        entry.amended_by,
        _SOURCE,
    )


class HistoryBook:
    """The histories as a book to construct tasks from, before there is a pack; answers like `StatuteBook`."""

    def __init__(self) -> None:
        self._histories = {history.law.name: history for history in sorted(histories(), key=lambda one: one.law.name)}

    def laws(self) -> list[Law]:
        """All laws by name."""
        return [history.law for history in self._histories.values()]

    def versions(self, law: str) -> list[LawVersion]:
        """The versions of a law, oldest first."""
        return [one.version for one in self._histories[law].versions]

    def articles(self, law: str, label: str) -> tuple[Article, ...]:
        """The articles of a version."""
        return next(one.articles for one in self._histories[law].versions if one.version.label == label)

    def links(self, law: str) -> list[Link]:
        """Links that begin or end at a law."""
        return [
            link
            for history in self._histories.values()
            for link in history.links
            if law in (link.from_law, link.to_law)
        ]

    def on(self, law: str, number: ArticleNumber, day: date) -> Article:
        """The article in force on a day; LookupError where there is none."""
        for version in self.versions(law):
            if version.covers(day):
                for article in self.articles(law, version.label):
                    if article.number == number:
                        return article
        raise LookupError(f"{law} {number.key} {day}")


def number_of(key: str) -> ArticleNumber:
    """133-1 or 133 as an article number."""
    number, _, sub = key.partition("-")
    return ArticleNumber(int(number), int(sub or 0))
