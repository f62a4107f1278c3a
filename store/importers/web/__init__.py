"""Imports saved web pages (HTML, MHTML, Markdown, JSON lines) as a pack that holds a web snapshot and nothing else.

A folder, a zip or one file. Every file is accounted for in the report (`web.json` in the pack): a page, or named with
the reason. One address is one page: of two texts the one with the newer day counts, and the conflict is told. Nothing
is fetched, and nothing of a page is written but its text.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from datetime import date
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from store.errors import BadInput
from store.importers import Progress
from store.importers.reading import entered, head, labelled_files
from store.importers.web.pages import Kind, ParsedPage, kind_of
from store.web_tables import host_of, local_address
from store.worker import JobLimits, Worker, read_lines

if TYPE_CHECKING:
    from store.builder import PackBuilder

REPORT = "web.json"
_HEAD = 64 << 10
_OUTCOMES = ("page", "duplicate", "conflict", "refused", "not_a_page")
_EVERY = 20
_LIMITS = JobLimits(cpu=30)
"""Of a page, in a file of its own or in a list."""


@dataclass(frozen=True, slots=True)
class _PageVersion:
    label: str
    day: date | None
    digest: bytes


class _Import:
    """Takes page after page into the builder, decides between two of one address, and accounts for every file and
    every line: label -> what became of it, and a sentence where it is no page."""

    def __init__(self, builder: PackBuilder) -> None:
        self._builder = builder
        self._lists: set[str] = set()  # files of JSON, of which each line is a page
        self._remarks: list[str] = []
        self.outcomes: dict[str, tuple[str, str]] = {}
        self.kept: dict[str, _PageVersion] = {}

    def take_file(self, path: Path, label: str, worker: Worker, out: str) -> None:
        """Take the pages of a file, which the worker writes to `out`; one that cannot be read is named."""
        try:
            kind: Kind | None = kind_of(head(path, _HEAD), path.name)
            if whole := _saved_beside(path):
                self._say(label, "not_a_page", f"{label} is a part of the saved page {whole}")
            elif kind is None:
                self._say(label, "not_a_page", f"{label} is no HTML, MHTML, Markdown or JSON lines")
            else:
                job = "store.importers.web.pages:read_pages", str(path), label, kind, out
                worker.run(*job, label=label, limits=_LIMITS)
                if kind == "json":
                    self._lists.add(label)
                for where, page, why in read_lines(out):
                    if page is None:
                        self._say(where, "refused", why)
                    else:
                        self._take(ParsedPage.from_plain(page), where)
        except BadInput as error:
            self._say(label, "refused", error.title)
        except OSError as error:
            self._say(label, "refused", f"{label} cannot be read: {error.strerror or error}")

    def _take(self, page: ParsedPage, label: str) -> None:
        url = page.url or local_address(label)
        self._remarks.extend(page.remarks)
        new = _PageVersion(label, page.day, hashlib.sha256(page.text.encode("utf-8", "replace")).digest())
        old = self.kept.get(url)
        if old is not None and not _newer(new, old):
            self._lose(new, old, url)
            return
        self._say(label, "page", "")
        if old is not None:
            self._lose(old, new, url)
        title = page.title or PurePosixPath(label).stem
        text = page.text.encode("utf-8", "replace").decode()
        self._builder.add_page(url, title, page.day, text, "imported", label, replace=old is not None)
        self.kept[url] = new

    def _lose(self, lost: _PageVersion, kept: _PageVersion, url: str) -> None:
        if lost.digest == kept.digest:
            self._say(lost.label, "duplicate", f"{url}: the same text as {kept.label}")
            return
        days = f"{kept.day or 'no day'} against {lost.day or 'no day'}"
        self._say(lost.label, "conflict", f"{url}: {kept.label} counts, another text ({days})")

    def _say(self, label: str, outcome: str, reason: str) -> None:
        self.outcomes[label] = (outcome, reason)

    def refused(self) -> list[str]:
        """Why files and lines were left out, one sentence each."""
        return [reason for outcome, reason in self.outcomes.values() if outcome == "refused"]

    def summary(self) -> dict[str, Any]:
        """As JSON: counts first, then names with reasons. `files` is the sum of `became`."""
        lines, files = Counter[str](), Counter[str]()
        for label, (outcome, _) in self.outcomes.items():
            (lines if label.rpartition(", line ")[0] in self._lists else files)[outcome] += 1
        named = {
            kind: {label: reason for label, (outcome, reason) in self.outcomes.items() if outcome == kind}
            for kind in _OUTCOMES[1:]
        }
        return {
            "files": files.total() + len(self._lists),
            "became": {**{kind: files[kind] for kind in _OUTCOMES}, "list_of_pages": len(self._lists)},
            "lines": {kind: lines[kind] for kind in _OUTCOMES[:4]},
            "pages": len(self.kept),
            "dated": sum(one.day is not None for one in self.kept.values()),
            "local_addresses": sum(not host_of(url) for url in self.kept),
            "hosts": len({host_of(url) for url in self.kept} - {""}),
            **named,
            "remarks": self._remarks,
        }


def import_pack(source: Path, name: str, progress: Progress) -> Path:
    """Build a pack of all pages in a folder, a zip or one file.

    Raises:
        NotFound: nothing is there.
        BadInput: no file holds a page, a zip or a link leads outside.
    """
    # The worker imports this package too, and has no use for what builds packs: it would start three times slower.
    from store.builder import PackBuilder

    with Worker() as worker, entered(source) as root, TemporaryDirectory(prefix="moot-import-") as folder:
        files = labelled_files(root)
        # jurisdiction: pages of any origin stand side by side, so none is claimed.
        with PackBuilder(
            name, jurisdiction="", source=f"saved web pages, imported from {source.name}",
            licence="as stated by whoever saved the pages", coverage="harvest", as_of="",
        ) as builder:  # fmt: skip
            taken = _Import(builder)
            for done, (path, label) in enumerate(files, 1):
                taken.take_file(path, label.encode("utf-8", "replace").decode(), worker, f"{folder}/pages")
                if done % _EVERY == 0 or done == len(files):
                    progress("reading pages", done, len(files))
            if not taken.kept:
                hint = next(iter(taken.refused()), "")
                raise BadInput(
                    f"{source} holds no web page",
                    hint or "Give HTML, MHTML, Markdown or JSON lines with url, title, text.",
                )
            summary = taken.summary()
            builder.add_file(REPORT, (json.dumps(summary, ensure_ascii=False, indent=1) + "\n").encode())
            progress("indexing pages, moving the pack in", 0, None)
            path = builder.finish()
    progress("indexing pages, moving the pack in", 1, 1)
    for reason in taken.refused():
        progress(f"left out: {reason}", 0, 0)
    progress(in_words(summary), 0, 0)
    return path


def in_words(summary: dict[str, Any]) -> str:
    """The report in one line."""
    became = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in summary["became"].items() if count)
    lines = ", ".join(f"{count} {kind}" for kind, count in summary["lines"].items() if count)
    return (
        f"{summary['files']} files ({became}){f', lines: {lines}' if lines else ''}: {summary['pages']} pages of"
        f" {summary['hosts']} hosts, {summary['dated']} with a day,"
        f" {summary['local_addresses']} without an address of the web"
    )


def _saved_beside(path: Path) -> str:
    """The page that a browser saved together with the folder of this file (`page_files/frame.html`)."""
    folder = path.parent
    stems = {folder.name.removesuffix(end) for end in ("_files", ".files", "_file") if folder.name.endswith(end)}
    pages = (folder.parent / f"{stem}{ending}" for stem in stems for ending in (".html", ".htm", ".xhtml"))
    return next((page.name for page in pages if page.is_file()), "")


def _newer(one: _PageVersion, other: _PageVersion) -> bool:
    return one.day is not None and (other.day is None or one.day > other.day)
