"""Two packs become one: versions and windows of the first, texts of the second where the version is the same.

The first named wins wherever the two differ, and every difference is counted by kind with examples (`merge.json` in
the pack); nothing is settled in silence. Rows say which pack they come from. One version of one law and a page of
rows are held at a time.

Versions are the same where they have one label, or begin on one day. A further version of the second pack comes along
unless its days meet those of a version of the first. A table, a corpus and the tasks of a benchmark come from the
first pack that holds any; pages of the web come from both, by their addresses.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from store import manifest as manifests
from store import places, web_tables
from store.builder import PackBuilder
from store.connection import Reader, quoted
from store.errors import BadInput
from store.files import real_path
from store.manifest import MergedPack
from store.pack import Pack
from store.run_file import reading
from store.schema import CORPORA, LOOKUPS, TABLES, UNKNOWN
from store.statutes.book import StatuteBook
from store.statutes.model import Article, ArticleNumber, Law, LawVersion
from store.statutes.names import key_of_name
from store.text.alignment import squeezed
from store.text.dates import parse_date
from store.text.normalise import fold_width

EXAMPLES = 10
_SHOWN = 60


class Conflicts:
    """What differed by kind, with examples, and how much came from where."""

    def __init__(self) -> None:
        self._conflicts: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, list[str]] = {}
        self._notes: dict[str, str] = {}

    def add(self, kind: str, example: str) -> None:
        """One difference."""
        self._conflicts[kind] += 1
        listed = self._examples.setdefault(kind, [])
        if len(listed) < EXAMPLES:
            listed.append(example)

    def count(self, what: str, n: int) -> None:
        """So much was taken, or left out."""
        self._counts[what] += n

    def note(self, what: str, sentence: str) -> None:
        """Something to know, once."""
        self._notes[what] = sentence

    def windows(self, one: LawVersion, other: LawVersion) -> None:
        """Count two versions that are the same, and their days where these differ."""
        self.count("versions_same", 1)
        if (one.valid_from, one.valid_to) != (other.valid_from, other.valid_to):
            days = " | ".join(f"{v.valid_from or '?'}/{v.valid_to or ''}" for v in (one, other))
            self.add("windows", f"{one.label}: {days}")

    def data(self) -> dict[str, Any]:
        """As JSON data."""
        kinds = sorted(self._conflicts)
        return {
            "counts": dict(sorted(self._counts.items())),
            "conflicts": {kind: {"n": self._conflicts[kind], "examples": self._examples[kind]} for kind in kinds},
            "notes": dict(sorted(self._notes.items())),
        }


def same_version(one: LawVersion, other: LawVersion) -> bool:
    """Whether two packs mean one version: one label, or one first day."""
    starts = one.valid_from is not None and one.valid_from == other.valid_from
    return starts or fold_width(one.label) == fold_width(other.label)


def tagged(article: Article, pack: str) -> Article:
    """The article with the pack that its words come from."""
    return replace(article, text_source=f"{pack}: {article.text_source}" if article.text_source else pack)


def provided(version: LawVersion, pack: str) -> LawVersion:
    """The version with the pack that its days come from."""
    return replace(version, source=f"{pack}: {version.source}" if version.source else pack)


def joined(
    version: LawVersion, mine: Sequence[Article], theirs: Sequence[Article], conflicts: Conflicts
) -> list[Article]:
    """The articles of the first pack with words of the second where they have none, and those that it lacks, in
    place."""
    waiting: dict[ArticleNumber, list[Article]] = {}
    for article in theirs:
        waiting.setdefault(_place(article), []).append(article)
    made = []
    for article in mine:
        found = waiting.get(_place(article))
        made.append(_one(version, article, found.pop(0), conflicts) if found else article)
    for article in (article for rest in waiting.values() for article in rest):
        conflicts.add("articles_only_in_second", f"{version.label} {article.number}")
        at = max((n for n, known in enumerate(made, 1) if known.number <= article.number), default=0)
        made.insert(at, replace(article, law=version.law, label=version.label))
    return made


def _place(article: Article) -> ArticleNumber:
    return article.number


def _one(version: LawVersion, article: Article, other: Article, conflicts: Conflicts) -> Article:
    where = f"{version.label} {article.number}"
    if article.text is None and other.text is not None:
        conflicts.count("texts_filled", 1)
        filled = {name: getattr(other, name) for name in ("text", "text_source", "derived", "amended_by")}
        return replace(article, title=article.title or other.title, **filled)
    if article.text is not None and other.text is not None and squeezed(article.text) != squeezed(other.text):
        conflicts.add("texts", f"{where}: {_apart(article.text, other.text)}")
    if article.title and other.title and article.title != other.title:
        conflicts.add("titles", f"{where}: {article.title} | {other.title}")
    return article


def _apart(one: str, other: str) -> str:
    """Two texts from where they part, blanks left away."""
    one, other = squeezed(one), squeezed(other)
    at = next(
        (n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other))
    )
    return " | ".join(text[max(0, at - 8) : at + _SHOWN] for text in (one, other))


REPORT = "merge.json"
PRECEDENCE = "first named wins"
_PAGE = 500

Progress = Callable[[str, int, int | None], None]


def combine(first: Pack, second: Pack, name: str, progress: Progress) -> Path:
    """Build the pack `name` of two; gives its path. It is there whole or not at all.

    Raises:
        BadInput: the two are one, or contradict each other, or the name is taken.
    """
    _check(first, second, name)
    conflicts, packs = Conflicts(), (first, second)
    parts = [MergedPack(name=pack.name, hash=pack.hash, source=pack.manifest.source) for pack in packs]
    with (
        reading(f"{first.path} with {second.path}"),
        PackBuilder(
            name,
            jurisdiction=first.manifest.jurisdiction or second.manifest.jurisdiction,
            source=f"merged ({PRECEDENCE}): {first.name} {first.hash[:12]}, {second.name} {second.hash[:12]}",
            licence=" + ".join(dict.fromkeys(pack.manifest.licence for pack in packs)),
            coverage="complete" if all(pack.manifest.coverage == "complete" for pack in packs) else "harvest",
            as_of=_as_of(packs),
            parts=parts,
        ) as builder,
    ):
        _statutes(builder, first, second, conflicts, progress)
        for step in (_tables, _documents, _pages, _tasks):
            step(builder, packs, conflicts)
        if any((pack.manifest.embedder or {}).get("model") for pack in packs):
            conflicts.note("vectors", "vectors of a model are made again: moot data embed")
        report = {
            "precedence": PRECEDENCE, "sources": [part.model_dump() for part in parts], **conflicts.data(),
        }  # fmt: skip
        builder.add_file(REPORT, (json.dumps(report, ensure_ascii=False, indent=1) + "\n").encode())
        return builder.finish(progress)


def _check(first: Pack, second: Pack, name: str) -> None:
    manifests.check_name(name)
    if real_path(first.path) == real_path(second.path) or first.hash == second.hash:
        raise BadInput(f"{first.name} and {second.name} are the same pack", "Name two packs that differ.")
    if name in (first.name, second.name):
        raise BadInput(f"{name} is one of the packs that are merged", "Choose another name: --name NAME.")
    if (places.packs() / name).exists():
        hint = f"Choose another name, or remove it first: moot data remove {name}."
        raise BadInput(f"A pack named {name} exists", hint)
    one, other = first.manifest.jurisdiction, second.manifest.jurisdiction
    if one and other and one != other:
        raise BadInput(
            f"{first.name} and {second.name} are of different jurisdictions ({one}, {other})",
            "Only packs of one jurisdiction can be merged.",
        )


def _as_of(packs: tuple[Pack, Pack]) -> str:
    """The earlier day of those packs that hold statutes: later than that not all of it is certain."""
    dated = [pack.manifest.as_of for pack in packs if pack.manifest.counts.statutes] or [
        p.manifest.as_of for p in packs
    ]
    return min((day for day in dated if parse_date(day)), default=dated[0])


# Statutes
# --------------------------------------------------------------------------------------------------------------


def _statutes(builder: PackBuilder, first: Pack, second: Pack, conflicts: Conflicts, progress: Progress) -> None:
    one, other = StatuteBook(first), StatuteBook(second)
    by_key = {key_of_name(law.name): law for law in one.laws()}
    theirs = {
        law.name: by_key[key].name if (key := key_of_name(law.name)) in by_key else law.name for law in other.laws()
    }
    origins: dict[str, list[str]] = {}
    for name, merged in theirs.items():
        origins.setdefault(merged, []).append(name)
    laws = {law.name: law for law in other.laws()} | {law.name: law for law in one.laws()}
    names = sorted({law.name for law in one.laws()} | set(theirs.values()))
    for done, name in enumerate(names, 1):
        counterparts = [law for law in other.laws() if law.name in origins.get(name, ())]
        builder.add_law(_law(laws[name], counterparts, first, second))
        _versions(builder, (one, first.name), (other, second.name), name, origins.get(name, []), conflicts)
        if done % 100 == 0 or done == len(names):
            progress("merging laws", done, len(names))
    _aliases(builder, one, other, theirs, conflicts)
    _links(builder, one, other, theirs, conflicts)


def _law(law: Law, counterparts: list[Law], first: Pack, second: Pack) -> Law:
    """The law as the first pack has it, with what it leaves blank."""
    for other in counterparts:
        if other.provenance != law.provenance:
            raise BadInput(
                f"{law.name} is {law.provenance} in {first.name} and {other.provenance} in {second.name}",
                "Fiction and real law cannot be one law.",
            )
        law = replace(law, short=law.short or other.short, level=law.level or other.level)
    return law


def _versions(
    builder: PackBuilder,
    one: tuple[StatuteBook, str],
    other: tuple[StatuteBook, str],
    law: str,
    names: list[str],
    conflicts: Conflicts,
) -> None:
    (book, pack), (second_book, second_pack) = one, other
    own = book.versions(law) if any(known.name == law for known in book.named(law)) else []
    left = [version for name in names for version in second_book.versions(name)]
    for version in own:
        match = next((one for one in left if same_version(version, one)), None)
        mine = [tagged(article, pack) for article in book.articles(law, version.label)]
        if match is not None:
            left.remove(match)
            conflicts.windows(version, match)
            theirs = [tagged(article, second_pack) for article in second_book.articles(match.law, match.label)]
            mine = joined(version, mine, theirs, conflicts)
            version = replace(version, adopted=version.adopted or match.adopted)
        builder.add_version(provided(version, pack), mine)
    for version in left:
        articles = second_book.articles(version.law, version.label)
        if over := next((known for known in own if _meet(known, version)), None):
            conflicts.add("version_overlaps", f"{version.label} {_days(version)} | {over.label} {_days(over)}")
            conflicts.count("articles_left_out", len(articles))
            continue
        moved = (replace(tagged(article, second_pack), law=law) for article in articles)
        builder.add_version(replace(provided(version, second_pack), law=law), moved)
        conflicts.count("versions_of_second", 1)


def _meet(one: LawVersion, other: LawVersion) -> bool:
    """Whether two versions share a day; one without a first day has none."""
    if one.valid_from is None or other.valid_from is None:
        return False
    later, earlier = (one, other) if one.valid_from >= other.valid_from else (other, one)
    return earlier.valid_to is None or later.valid_from is None or later.valid_from <= earlier.valid_to


def _days(version: LawVersion) -> str:
    return f"{version.valid_from or '?'}/{version.valid_to or ''}"


def _aliases(
    builder: PackBuilder, one: StatuteBook, other: StatuteBook, theirs: dict[str, str], conflicts: Conflicts
) -> None:
    known = {alias: list(laws) for alias, laws in one.aliases().items()}
    wanted = dict(known)
    for alias, laws in other.aliases().items():
        renamed = [theirs[law] for law in laws]
        if alias in known and set(renamed) - set(known[alias]):
            conflicts.add("aliases", f"{alias}: {'、'.join(known[alias])} | {'、'.join(renamed)}")
        elif alias not in known:
            wanted[alias] = renamed
    by_name = {law.name: law for book in (other, one) for law in book.laws()}
    for alias, laws in wanted.items():
        for law in laws:
            builder.add_alias(by_name[law].name, alias)


def _links(
    builder: PackBuilder, one: StatuteBook, other: StatuteBook, theirs: dict[str, str], conflicts: Conflicts
) -> None:
    seen = {}
    for law in one.laws():
        for link in one.links(law.name):
            seen[link.kind, link.from_law, link.from_number, link.to_law, link.to_number] = link.on
            builder.add_link(link)
    for name in theirs:
        for link in other.links(name):
            moved = replace(
                link, from_law=theirs.get(link.from_law, link.from_law), to_law=theirs.get(link.to_law, link.to_law)
            )
            key = moved.kind, moved.from_law, moved.from_number, moved.to_law, moved.to_number
            if key not in seen:
                builder.add_link(moved)
            elif seen[key] != moved.on and link.from_law == name:
                conflicts.add("links", f"{moved.from_law} → {moved.to_law}: {seen[key]} | {moved.on}")


# Everything else
# -------------------------------------------------------------------------------------------------------


def _tables(builder: PackBuilder, packs: tuple[Pack, Pack], conflicts: Conflicts) -> None:
    for table, columns in TABLES.items():
        tools = [lookup.tool for lookup in LOOKUPS.values() if lookup.table == table]
        marks = ", ".join("?" * len(tools))
        answers = f"FROM known_answer WHERE tool IN ({marks})"
        holders = [
            pack for pack in packs
            if pack.manifest.counts.tables.get(table) or pack.reader.all(f"SELECT 1 {answers} LIMIT 1", tuple(tools))
        ]  # fmt: skip
        for pack in holders[1:]:
            conflicts.add("tables", f"{table}: {pack.name}")
            conflicts.count("rows_left_out", pack.manifest.counts.tables.get(table, 0))
        for pack in holders[:1]:
            names = ", ".join(quoted(column) for column in columns)
            sql = f"SELECT number, known, provenance, source, {names} FROM {quoted(table)}"
            for _, known, provenance, source, *values in _pages_of(pack.reader, sql):
                cells = {
                    c: v if known >> at & 1 else UNKNOWN
                    for at, (c, v) in enumerate(zip(columns, values, strict=True))
                }
                builder.add_row(table, cells, provenance, source=_from(pack, source))
            for tool in tools:
                _answers(builder, pack, tool)


def _answers(builder: PackBuilder, pack: Pack, tool: str) -> None:
    after, sql = "", "SELECT key, kind FROM known_answer WHERE tool = ? AND key > ? ORDER BY key LIMIT ?"
    while batch := pack.reader.all(sql, (tool, after, _PAGE)):
        for key, kind in batch:
            rows = pack.reader.all(
                "SELECT number FROM known_row WHERE tool = ? AND key = ? ORDER BY position", (tool, key)
            )
            numbers, values = [number for (number,) in rows], json.loads(key)
            if kind == "one":
                builder.known_one(tool, values, numbers[0])
            else:
                builder.known_list(tool, values, numbers)
        after = batch[-1][0]


def _documents(builder: PackBuilder, packs: tuple[Pack, Pack], conflicts: Conflicts) -> None:
    for corpus in CORPORA:
        holders = [pack for pack in packs if pack.manifest.counts.documents.get(corpus)]
        for pack in holders[1:]:
            conflicts.add("documents", f"{corpus}: {pack.name}")
        for pack in holders[:1]:
            for document in pack.documents(corpus):
                builder.add_document(corpus, document.text, document.provenance)


def _pages(builder: PackBuilder, packs: tuple[Pack, Pack], conflicts: Conflicts) -> None:
    seen: dict[str, int] = {}
    for pack in packs:
        if web_tables.FILE not in pack.manifest.files:
            continue
        with pack.using(web_tables.FILE) as path:
            reader = Reader(path)
            try:
                sql = "SELECT id, url, title, day, text, provenance, source FROM page"
                for _, url, title, day, text, provenance, source in _pages_of(reader, sql, "id"):
                    said = hash((title, day, text))
                    if url not in seen:
                        builder.add_page(url, title, parse_date(day or ""), text, provenance, _from(pack, source))
                    elif seen[url] != said:
                        conflicts.add("pages", url)
                    seen.setdefault(url, said)
            finally:
                reader.close()


def _tasks(builder: PackBuilder, packs: tuple[Pack, Pack], conflicts: Conflicts) -> None:
    for benchmark in sorted({name for pack in packs for name in pack.manifest.counts.tasks}):
        holders = [pack for pack in packs if pack.manifest.counts.tasks.get(benchmark)]
        for pack in holders[1:]:
            conflicts.add("tasks", f"{benchmark}: {pack.name}")
            conflicts.count("tasks_left_out", pack.manifest.counts.tasks[benchmark])
        if holders and (path := holders[0].task_file(benchmark)) is not None:
            with path.open(encoding="utf-8") as stream:
                builder.add_tasks(benchmark, stream)


def _pages_of(reader: Reader, sql: str, key: str = "number") -> Iterator[tuple[Any, ...]]:
    """The rows of a table in the order of their numbers, the number first."""
    last = 0
    while batch := reader.all(f"{sql} WHERE {key} > ? ORDER BY {key} LIMIT ?", (last, _PAGE)):
        yield from batch
        last = batch[-1][0]


def _from(pack: Pack, source: str) -> str:
    return f"{pack.name}: {source}" if source else pack.name
