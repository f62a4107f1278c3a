"""All pages of a web snapshot, by id."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

from store.pack import Pack
from store.web import Page, WebSnapshot


def pages_of(pack: Pack) -> Iterator[Page]:
    with WebSnapshot(pack) as web, closing(sqlite3.connect(pack.path / "web.db")) as database:
        for (url,) in database.execute("SELECT url FROM page ORDER BY id"):
            page = web.page(url)
            assert page is not None
            yield page
