"""Corpus: what a pack holds, left; its rows, or a tool that is called here, in the middle; the record and where its
values lead, right.

Reading runs in named workers; what comes late, after something else was opened, is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import ContentSwitcher

from app.desk.bindings import bindings
from app.desk.corpus import places
from app.desk.corpus.form import FieldBox, ToolForm
from app.desk.corpus.places import BrowseState, TreeEntry
from app.desk.corpus.views import RowsView, by_columns, record_rows, tree_rows
from app.desk.episode.renderers import Line, many, one
from app.desk.scaffold import PanesScreen
from app.desk.widgets.choice import Choice, EmptyState
from app.desk.widgets.find_bar import FindBar
from app.desk.widgets.key_bar import KeyBar
from app.desk.widgets.lines import TextPane
from app.strings import t, term
from store.browsing import Dataset
from store.errors import StoreError
from store.pack import Pack
from store.schema import Row
from tasks.legalagentbench.construct.tree import RecordLink
from tasks.legalagentbench.tools import TOOLS, LabToolResult, Toolbox

Found = TypeVar("Found")
NARROW_TREE = "-tree"
"""On a narrow screen the tree and what it opened take turns."""


class CorpusScreen(PanesScreen):
    """Tree, middle, record; on a narrow screen the record stands below the rows, and the tree gives way to them."""

    CSS_PATH = "corpus.tcss"
    area = "corpus"
    help_id = "corpus"
    BINDINGS: ClassVar[list[BindingType]] = bindings("corpus")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    FIRST = "#tree"
    TITLES = {"#tree": "corpus_screen.tree", "#record": "corpus_screen.record"}

    def __init__(self) -> None:
        super().__init__()
        self.pack: Pack | None = None
        self.place: BrowseState | None = None
        self.row: Row | None = None
        """The record that is shown."""
        self._packs: list[str] = []
        self._before: list[BrowseState] = []
        self._words: tuple[str, ...] = ()
        self._everywhere = False
        self._waiting: tuple[str, str] | None = None

    def panes(self) -> ComposeResult:
        with Horizontal(id="panes"):
            yield Choice("corpus_tree", id="tree")
            with Horizontal(id="main"):
                with Vertical(id="middle"), ContentSwitcher(initial="rows", id="views"):
                    yield RowsView(id="rows")
                    with VerticalScroll(id="tool", can_focus=False):
                        yield ToolForm(id="form")
                        yield TextPane(id="said")
                yield Choice("corpus_record", id="record")
        yield FindBar("corpus_screen.find", id="find")
        yield EmptyState(id="nothing")

    def on_mount(self) -> None:
        self.add_class(NARROW_TREE)

    def on_unmount(self) -> None:
        pack, self.pack = self.pack, None
        if pack is not None:
            pack.close()

    def reload(self) -> None:
        self._work("packs", places.pack_names, self._have)

    def show(self) -> None:
        self.query_one(EmptyState).say(t("corpus_screen.nothing"), t("corpus_screen.nothing.hint"))
        self.query_one("#record", Choice).rebuild()
        pack, place = self.pack, self.place
        marks = "  ".join(t(f"mark.{kind}") for kind in sorted(pack.provenance)) if pack is not None else ""
        name = one(pack.name) if pack is not None else ""
        self.show_title(t("corpus_screen.title", pack=name) + (f"  ● {marks}" if marks else ""))
        middle = self.query_one("#middle")
        if place is None:
            middle.border_title = ""
        elif place.tool:
            middle.border_title, middle.border_subtitle = t("corpus_screen.tool"), ""
        else:
            via = f" ← {one(place.via)}" if place.via else ""
            words = f" / {' '.join(place.words)}" if place.words else ""
            middle.border_title = f"{one(places.dataset_name(place.dataset))}{via}{one(words)}"

    def retranslate(self) -> None:
        super().retranslate()
        self._count()

    # workers

    def _work(self, name: str, work: Callable[[], Found], then: Callable[[Found], object]) -> None:
        """A job about the open pack; what it runs into once the pack is closed is of no interest."""
        pack = self.pack

        def failed(error: BaseException) -> bool:
            return isinstance(error, StoreError) and self.pack is not pack

        self.job(f"corpus_{name}", work, then, failed)

    # packs

    def _have(self, names: list[str]) -> None:
        self._packs = names
        self.set_class(not names, "-empty")
        if names and (self.pack is None or self.pack.name not in names):
            self._open(names[0])

    def _open(self, name: str) -> None:
        self._work("open", partial(Pack.open, name), self._opened)

    def _opened(self, pack: Pack) -> None:
        before, self.pack = self.pack, pack
        self.query_one(ToolForm).pack = pack
        if before is not None:
            before.close()
        self._before, self.place = [], None
        self._show_record(None)
        self.show()
        self._count()
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self.look_up(*waiting)
        else:
            self.go(BrowseState(Dataset("CompanyInfo")), keep=False)

    def _count(self) -> None:
        if self.pack is not None:
            words = self._words if self._everywhere else ()
            self._work("tree", partial(places.tree, self.pack, words), self._counted)

    def _counted(self, entries: list[TreeEntry]) -> None:
        things = [entry for entry in entries if entry.opens]
        self.query_one("#tree", Choice).offer(things, partial(tree_rows, entries))

    def action_pack(self) -> None:
        if self.pack is not None and len(self._packs) > 1:
            at = self._packs.index(self.pack.name) if self.pack.name in self._packs else -1
            self._open(self._packs[(at + 1) % len(self._packs)])

    # places

    def go(self, place: BrowseState, *, keep: bool = True) -> None:
        if keep and self.place is not None and self.place != place:
            self._before.append(replace(self.place, cursor=max(0, self.query_one(RowsView).cursor)))
        self.place = place
        self.set_class(bool(place.tool), "-tool")
        if place.tool:
            self.query_one(ContentSwitcher).current = "tool"
            self.call_later(self._show_form, place.tool, False)
        elif self.pack is not None:
            self.query_one(ContentSwitcher).current = "rows"
            self._work("place", partial(_read, self.pack, place), self._shown)
        self.show()

    def look_up(self, tool: str, value: str) -> None:
        """Show what a tool finds by a value; once the pack is open."""
        if self.pack is None:
            self._waiting = (tool, value)
            return
        self._work("found", partial(places.found, self.pack, tool, value), self.go)
        self.remove_class(NARROW_TREE)
        self.query_one(RowsView).focus()

    async def _show_form(self, tool: str, into: bool) -> None:
        form = self.query_one(ToolForm)
        if form.tool is None or form.tool.name != tool:
            self.query_one("#said", TextPane).show(())
            await form.show(TOOLS[tool])
        if into or self.focused is not self.query_one("#tree"):
            form.begin()

    def _shown(self, found: tuple[BrowseState, int, list[Row]]) -> None:
        place, total, first = found
        if place is self.place:
            self.query_one(RowsView).show(place, total, first)
            if not first:
                self._show_record(None)
            self.query_one("#middle").border_subtitle = t("corpus_screen.rows", n=total)

    @on(RowsView.PageRequested)
    def _page_wanted(self, event: RowsView.PageRequested) -> None:
        if self.pack is not None and self.place is not None:
            pack, place, number = self.pack, self.place, event.number
            take = partial(self.query_one(RowsView).take, place, number)
            self._work(f"page:{number}", lambda: places.page(pack, place, number), take)

    @on(Choice.Highlighted)
    def _looked(self, event: Choice.Highlighted) -> None:
        view, chosen = event.view, isinstance(event, Choice.Selected)
        if isinstance(view, RowsView):
            row = view.row(event.index)
            if row is not None and chosen:
                self._enter(row)
            elif row is not None and self.row != row:
                self._show_record(row)
                if self.pack is not None:
                    self._work("links", partial(places.links_of, self.pack, row), partial(self._linked, row))
        elif view.id == "tree":
            self._open_entry(view.chosen, into=chosen)
        elif chosen and view.id == "record" and view.chosen is not None:
            self.go(places.followed(view.chosen))
            self.query_one(RowsView).focus()

    def _linked(self, row: Row, links: list[RecordLink]) -> None:
        if self.row == row:
            self._show_record(row, links)

    def _show_record(self, row: Row | None, links: Sequence[RecordLink] = ()) -> None:
        """Show a record, first without its links, which take longer."""
        other = row is None or self.row is None or (row.table, row.number) != (self.row.table, self.row.number)
        self.row, links = row, by_columns(row, links) if row is not None else []
        self.query_one("#record", Choice).offer(links, partial(record_rows, row, links), at=0, top=other)

    def _enter(self, row: Row) -> None:
        inner = places.inside(row)
        if inner is not None:
            self.go(inner)
        else:
            self.query_one("#record").focus()

    def _open_entry(self, entry: TreeEntry, *, into: bool) -> None:
        words = self._words if self._everywhere else ()
        place = (
            BrowseState(entry.dataset, words)
            if entry.dataset
            else BrowseState(Dataset("CompanyInfo"), tool=entry.tool)
        )
        if self.place is None or (self.place.dataset, self.place.tool, self.place.via) != (
            place.dataset,
            place.tool,
            "",
        ):
            self._before = []
            self.go(place, keep=False)
        if into:
            self.remove_class(NARROW_TREE)
            if place.tool:
                self.call_later(self._show_form, place.tool, True)
            else:
                self.query_one(RowsView).focus()

    # tools

    @on(ToolForm.CallRequested)
    def _call(self, event: ToolForm.CallRequested) -> None:
        self._work("call", partial(Toolbox(self.pack).call, event.tool.name, event.given), self._called)

    def _called(self, result: LabToolResult) -> None:
        notes = [t(f"status.{result.status}")]
        notes += [t("mark.outside_cells", n=result.unknown)] if result.unknown else []
        notes += [t("mark.incomplete")] if not result.complete and result.status == "ok" else []
        marks = [f"● {term('mark', kind)}" for kind in result.provenance]
        head: Line = (
            (" · ".join(notes), "good" if result.status == "ok" else "warn"),
            ("  ", "dim"),
            ("  ".join(marks), "mark"),
        )
        self.query_one("#said", TextPane).show((head, *many(result.observation)))

    # words, order, the way back

    def action_find(self) -> None:
        self._everywhere = False
        self.query_one(FindBar).open()

    def action_everywhere(self) -> None:
        self._everywhere = True
        self.add_class(NARROW_TREE)
        self.query_one(FindBar).open()

    @on(FindBar.QueryChanged)
    def _filter(self, event: FindBar.QueryChanged) -> None:
        self._words = tuple(event.words.split())
        if self._everywhere:
            self._count()
        if self.place is not None and not self.place.tool:
            self.go(self.place.filtered(self._words), keep=False)

    @on(FindBar.MatchRequested)
    def _went(self) -> None:
        self.query_one(FindBar).remove_class("-open")
        self._home()

    @on(FindBar.Closed)
    def _unfilter(self) -> None:
        self.query_one(FindBar).clear()
        self._home()
        self._everywhere, was = False, self._everywhere
        self._words = ()
        if was:
            self._count()

    def _home(self) -> None:
        if self._everywhere:
            self.query_one("#tree").focus()
        else:
            self.remove_class(NARROW_TREE)
            self.query_one(RowsView).focus()

    def action_sort(self) -> None:
        if self.place is not None and not self.place.tool:
            self.go(self.place.sorted_next(), keep=False)

    def action_turn(self) -> None:
        if self.place is not None and not self.place.tool:
            self.go(self.place.turned(), keep=False)

    def action_back(self) -> None:
        """From the record to the rows, from a link to where it was followed, from the rows to the tree, then home."""
        aside = isinstance(self.focused, FieldBox) or self.focused is self.query_one("#record")
        if aside and not (self.place and self.place.via):
            self.query_one("#tree" if self.place and self.place.tool else "#rows").focus()
            self.set_class(bool(self.place and self.place.tool), NARROW_TREE)
        elif self._before and self.focused is not self.query_one("#tree"):
            self.go(self._before.pop(), keep=False)
            if self.place is not None and not self.place.tool:
                self.query_one(RowsView).focus()
        elif self.focused is not self.query_one("#tree"):
            self.add_class(NARROW_TREE)
            self.query_one("#tree").focus()
        else:
            self.run_worker(self.desk.action_mode("home"), name="corpus_leave", exit_on_error=False)

    def possible(self) -> dict[str, object]:
        rows = self.place is not None and not self.place.tool
        return {"find": rows, "everywhere": rows, "sort": rows, "turn": rows, "pack": len(self._packs) > 1}

    def on_descendant_focus(self) -> None:
        around = self.focused.ancestors_with_self if self.focused else []
        area = next((node.help_id for node in around if isinstance(node, FindBar | ToolForm)), "corpus")
        self.query_one(KeyBar).areas(area, "app")
        if self.focused is not None and self.focused.id in ("rows", "record"):
            self.remove_class(NARROW_TREE)


def _read(pack: Pack, place: BrowseState) -> tuple[BrowseState, int, list[Row]]:
    return place, places.total(pack, place), places.page(pack, place, place.cursor // places.PAGE)
