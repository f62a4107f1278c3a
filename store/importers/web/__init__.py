"""Imports saved web pages (HTML, MHTML, Markdown, JSON lines) as a pack that holds a web snapshot and nothing else.

A folder, a zip or one file. Every file is accounted for in the report (`web.json` in the pack): a page, or named with
the reason. One address is one page: of two texts the one with the newer day counts, and the conflict is told. Nothing
is fetched, and nothing of a page is written but its text.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from store.errors import BadInput
from store.importers import Progress
from store.importers.reading import BULK, entered, files_in, head
from store.importers.web.parsed import Kind, ParsedPage, kind_of
from store.web_tables import host_of, local_address
from store.worker import JobLimits, Worker, read_lines

if TYPE_CHECKING:
    from store.builder import PackBuilder

REPORT = "web.json"
_HEAD = 64 << 10
_OUTCOMES = ("page", "duplicate", "conflict", "refused", "not_a_page")
_EVERY = 20
_LIMITS = JobLimits(cpu=30)


@dataclass(frozen=True, slots=True)
class _Kept:
    label: str
    day: date | None
    digest: bytes


@dataclass
class _Report:
    """What became of every file and of every line: label -> outcome, and a sentence where it is no page."""

    outcomes: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    lists: set[str] = field(default_factory=set)
    """Files of JSON, of which each line is a page."""
    remarks: list[str] = field(default_factory=list)

    def say(self, label: str, outcome: str, reason: str = "") -> None:
        self.outcomes[label] = outcome
        if reason:
            self.reasons[label] = reason

    def summary(self, kept: dict[str, _Kept]) -> dict[str, Any]:
        """As JSON: counts first, then names with reasons. `files` is the sum of `became`."""
        of_lines = {label for label in self.outcomes if label.rpartition(", line ")[0] in self.lists}
        files = [outcome for label, outcome in self.outcomes.items() if label not in of_lines]
        lines = [self.outcomes[label] for label in of_lines]
        named = {
            kind: {label: self.reasons[label] for label, outcome in self.outcomes.items() if outcome == kind}
            for kind in _OUTCOMES[1:]
        }
        return {
            "files": len(files) + len(self.lists),
            "became": {
                **{kind: files.count(kind) for kind in _OUTCOMES},
                "list_of_pages": len(self.lists),
            },
            "lines": {kind: lines.count(kind) for kind in _OUTCOMES[:4]},
            "pages": len(kept),
            "dated": sum(one.day is not None for one in kept.values()),
            "local_addresses": sum(not host_of(url) for url in kept),
            "hosts": len({host_of(url) for url in kept} - {""}),
            **named,
            "remarks": self.remarks,
        }


class _Intake:
    """Takes page after page into the builder and decides between two of one address."""

    def __init__(self, builder: PackBuilder, report: _Report) -> None:
        self._builder = builder
        self._report = report
        self.kept: dict[str, _Kept] = {}

    def take(self, page: ParsedPage, label: str) -> None:
        url = page.url or local_address(label)
        self._report.remarks.extend(page.remarks)
        new = _Kept(label, page.day, hashlib.sha256(page.text.encode("utf-8", "replace")).digest())
        old = self.kept.get(url)
        if old is None:
            self._report.say(label, "page")
        elif not _newer(new, old):
            self._lost(new, old, url)
            return
        else:
            self._report.say(label, "page")
            self._lost(old, new, url)
        title = page.title or PurePosixPath(label).stem
        text = page.text.encode("utf-8", "replace").decode()
        self._builder.add_page(url, title, page.day, text, "imported", label, replace=old is not None)
        self.kept[url] = new

    def _lost(self, lost: _Kept, kept: _Kept, url: str) -> None:
        if lost.digest == kept.digest:
            self._report.say(lost.label, "duplicate", f"{url}: the same text as {kept.label}")
            return
        days = f"{kept.day or 'no day'} against {lost.day or 'no day'}"
        self._report.say(lost.label, "conflict", f"{url}: {kept.label} counts, another text ({days})")


def import_pack(source: Path, name: str, progress: Progress) -> Path:
    """Build a pack of all pages in a folder, a zip or one file.

    Raises:
        NotFound: nothing is there.
        BadInput: no file holds a page, a zip or a link leads outside.
    """
    # The worker imports this package too, and has no use for what builds packs: it would start three times
    # slower.
    from store.builder import PackBuilder

    report = _Report()
    with Worker() as worker, entered(source) as root, TemporaryDirectory(prefix="moot-import-") as folder:
        files = [root] if root.is_file() else files_in(root)
        # jurisdiction: pages of any origin stand side by side, so none is claimed.
        with PackBuilder(
            name, jurisdiction="", source=f"saved web pages, imported from {source.name}",
            licence="as stated by whoever saved the pages", coverage="harvest", as_of="",
        ) as builder:  # fmt: skip
            intake = _Intake(builder, report)
            for done, path in enumerate(files, 1):
                label = path.name if root.is_file() else path.relative_to(root).as_posix()
                _take_file(path, label.encode("utf-8", "replace").decode(), worker, f"{folder}/pages", intake, report)
                if done % _EVERY == 0 or done == len(files):
                    progress("reading pages", done, len(files))
            if not intake.kept:
                hint = next((why for label, why in report.reasons.items() if report.outcomes[label] == "refused"), "")
                raise BadInput(
                    f"{source} holds no web page",
                    hint or "Give HTML, MHTML, Markdown or JSON lines with url, title, text.",
                )
            summary = report.summary(intake.kept)
            builder.add_file(REPORT, (json.dumps(summary, ensure_ascii=False, indent=1) + "\n").encode())
            progress("indexing pages, moving the pack in", 0, None)
            path = builder.finish()
    progress("indexing pages, moving the pack in", 1, 1)
    for label in (label for label, outcome in report.outcomes.items() if outcome == "refused"):
        progress(f"left out: {report.reasons[label]}", 0, 0)
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


def _take_file(path: Path, label: str, worker: Worker, out: str, intake: _Intake, report: _Report) -> None:
    try:
        kind: Kind | None = kind_of(head(path, _HEAD), path.name)
        if whole := _saved_beside(path):
            report.say(label, "not_a_page", f"{label} is a part of the saved page {whole}")
        elif kind is None:
            report.say(label, "not_a_page", f"{label} is no HTML, MHTML, Markdown or JSON lines")
        else:
            job = "store.importers.web.pages:read_pages", str(path), label, kind, out
            worker.run(*job, label=label, limits=BULK if kind == "json" else _LIMITS)
            if kind == "json":
                report.lists.add(label)
            for where, page, why in read_lines(out):
                if page is None:
                    report.say(where, "refused", why)
                else:
                    intake.take(ParsedPage.from_plain(page), where)
    except BadInput as error:
        report.say(label, "refused", error.title)
    except OSError as error:
        report.say(label, "refused", f"{label} cannot be read: {error.strerror or error}")


def _saved_beside(path: Path) -> str:
    """The page that a browser saved together with the folder of this file (`page_files/frame.html`)."""
    folder = path.parent
    stems = {folder.name.removesuffix(end) for end in ("_files", ".files", "_file") if folder.name.endswith(end)}
    pages = (folder.parent / f"{stem}{ending}" for stem in stems for ending in (".html", ".htm", ".xhtml"))
    return next((page.name for page in pages if page.is_file()), "")


def _newer(one: _Kept, other: _Kept) -> bool:
    return one.day is not None and (other.day is None or one.day > other.day)
