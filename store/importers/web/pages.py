"""All pages of one saved file as plain items; runs in the reading process (`store/importers/child.py`) and nowhere
else.

Items: ["page", where, fields of a `ParsedPage`], ["refused", where, why]; a file of JSON begins with ["lines"].
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from store.errors import BadInput
from store.importers.reading import records
from store.importers.web.decoding import read_page
from store.importers.web.hypertext import read_html
from store.importers.web.jsonlines import read_record
from store.importers.web.markdown import read_markdown
from store.importers.web.mhtml import read_mhtml

_READERS = {"html": read_html, "mhtml": read_mhtml, "markdown": read_markdown}


def read_pages(path: str, label: str, kind: str) -> Iterator[list[object] | None]:
    """The page of a file, or all pages of a file of JSON: none of them when it is no JSON to its end.

    Raises:
        BadInput: the file holds no page; the title says why.
    """
    if kind != "json":
        yield ["page", label, _READERS[kind](read_page(Path(path), label), label).plain()]
        return
    for _ in records(Path(path), label):
        yield None
    yield ["lines"]
    last = 0
    for number, (line, record) in enumerate(records(Path(path), label), 1):
        where = f"{label}, line {line}" + (f" ({number})" if line == last else "")
        last = line
        try:
            yield ["page", where, read_record(record, where).plain()]
        except BadInput as error:
            yield ["refused", where, error.title]
