"""Where a person stands in a corpus, without a screen: what can be opened, what a window shows, what a record says.

Offsets and counts are in rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.strings import t, term
from store import manifest as manifests
from store.browsing import ARTICLES, LAWS, Dataset, SortOrder, count, datasets, suggested, window
from store.errors import StoreError
from store.pack import Pack
from store.schema import LOOKUPS, UNKNOWN, Row
from store.statutes.model import ArticleNumber
from tasks.legalagentbench.construct.tree import RecordLink, links
from tasks.legalagentbench.schemas import callable_tools

PAGE = 100
"""Rows that are read at once."""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A line of the tree: a dataset with its number of rows, a tool, or a heading (neither)."""

    text: str
    dataset: Dataset | None = None
    tool: str = ""
    rows: int = 0

    @property
    def opens(self) -> bool:
        return self.dataset is not None or bool(self.tool)


@dataclass(frozen=True, slots=True)
class BrowseState:
    """What the middle shows: a dataset through a filter, in an order; or the rows that a link found; or a tool."""

    dataset: Dataset
    words: tuple[str, ...] = ()
    order: SortOrder = SortOrder()
    found: tuple[Row, ...] = ()
    via: str = ""
    tool: str = ""
    cursor: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        return self.dataset.columns

    def filtered(self, words: Sequence[str]) -> BrowseState:
        return replace(self, words=tuple(words), cursor=0)

    def sorted_next(self) -> BrowseState:
        """By the next column, after the last in the order of the pack again."""
        columns = ("", *self.columns)
        at = columns.index(self.order.column)
        return replace(self, order=SortOrder(columns[(at + 1) % len(columns)], self.order.down), cursor=0)

    def turned(self) -> BrowseState:
        column = self.order.column or self.columns[0]
        return replace(self, order=SortOrder(column, not self.order.down), cursor=0)


def pack_names() -> list[str]:
    """Packs that can be read, the sample first."""
    found = []
    for folder in manifests.installed():
        try:
            manifests.read(folder)
        except StoreError:
            continue
        found.append(folder.name)
    return sorted(found, key=lambda name: (name != "sample", name))


def tree(pack: Pack, words: Sequence[str] = ()) -> list[TreeEntry]:
    """All that can be opened; with words, how many rows of each hold them."""
    found = [(dataset, count(pack, dataset, words) if words and rows else rows) for dataset, rows in datasets(pack)]
    tables = [TreeEntry(dataset_name(dataset), dataset, rows=rows) for dataset, rows in found]
    tools = callable_tools()
    entries = [
        TreeEntry(t("corpus_screen.tables")),
        *tables[:14],
        TreeEntry(t("corpus_screen.documents")),
        *tables[14:17],
    ]
    entries += [TreeEntry(t("corpus_screen.statutes")), *tables[17:]]
    for kind in dict.fromkeys(tool.kind for tool in tools):
        entries.append(TreeEntry(t(f"corpus_screen.tools.{kind}")))
        entries += [TreeEntry(tool.name, tool=tool.name) for tool in tools if tool.kind == kind]
    return entries


def dataset_name(dataset: Dataset) -> str:
    """The name of a dataset."""
    if dataset.kind == ARTICLES:
        return dataset.law
    return t(f"corpus_screen.shelf.{dataset.kind}")


def column_name(column: str) -> str:
    """A column in words; those of tables are words already."""
    return term("corpus_screen.column", column)


def cell_text(row: Row, column: str) -> str:
    """A cell as a person reads it."""
    cell = row.cells[column]
    if cell is UNKNOWN:
        return t("corpus_screen.unknown")
    if row.table == ARTICLES and column == "number":
        return ArticleNumber(int(str(cell)), int(str(row.cells["sub"] or 0))).chinese
    return "" if cell is None else str(cell)


def shown_columns(place: BrowseState) -> tuple[str, ...]:
    """Columns of the middle."""
    return tuple(column for column in place.columns if column != "sub")


def total(pack: Pack, place: BrowseState) -> int:
    """How many rows there are to see."""
    return len(_held(place)) if place.via else count(pack, place.dataset, place.words)


def page(pack: Pack, place: BrowseState, number: int) -> list[Row]:
    """The rows of one page."""
    start = number * PAGE
    if place.via:
        return list(_held(place)[start : start + PAGE])
    return window(pack, place.dataset, place.words, place.order, start=start, most=PAGE)


def _held(place: BrowseState) -> list[Row]:
    """The rows that a link found, through the filter, in the order."""
    held = [row for row in place.found if all(any(w in str(c) for c in row.cells.values()) for w in place.words)]
    column = place.order.column
    if column:
        held.sort(
            key=lambda row: (isinstance(row.cells[column], str), str(row.cells[column])), reverse=place.order.down
        )
    return held


def followed(link: RecordLink) -> BrowseState:
    """Where a link leads."""
    return BrowseState(Dataset(link.table), found=link.rows, via=f"{link.tool}（{'、'.join(link.values)}）")


def found(pack: Pack, tool: str, value: str) -> BrowseState:
    """What a look-up finds by a value."""
    return BrowseState(
        Dataset(LOOKUPS[tool].table), found=pack.find(LOOKUPS[tool], [value]).rows, via=f"{tool}（{value}）"
    )


def inside(row: Row) -> BrowseState | None:
    """What a row holds in turn: the articles of a law."""
    return BrowseState(Dataset(ARTICLES, str(row.cells["name"]))) if row.table == LAWS else None


def links_of(pack: Pack, row: Row) -> list[RecordLink]:
    """Where a record leads."""
    return links(pack, row) if row.table not in (LAWS, ARTICLES) else []


def what(tool: str) -> str:
    """A tool as a link names it: the table it reads."""
    return t(f"corpus_screen.shelf.{LOOKUPS[tool].table}")


NAMED = (
    "get_company_info", "get_company_register", "get_sub_company_info", "get_legal_document", "get_restriction_case",
    "get_finalized_case", "get_dishonesty_case", "get_administrative_case", "get_court_info", "get_lawfirm_info",
)  # fmt: skip
"""Look-ups by the name of a thing, whose names the palette finds."""


def named(typed: str, most: int = 8) -> list[tuple[str, str]]:
    """(look-up, name) of things in the first pack whose names hold what is typed; one look-up a name."""
    names = pack_names()
    if not names:
        return []
    found: dict[str, str] = {}
    with Pack.open(names[0]) as pack:
        for tool in NAMED:
            for name in suggested(pack, tool, "identifier", typed, most):
                found.setdefault(name, tool)
    return [(tool, name) for name, tool in found.items()][:most]
