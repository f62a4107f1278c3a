"""Articles whose words are not in the pack, asked for by their titles (条标, names of crimes): how often they are
among the first ten, with the first day of their version and without a day. Every twelfth one; percent."""

from __future__ import annotations

from pathlib import Path

from store.pack import Pack
from store.search.law_search import LawSearch, SearchSettings

LEAST = {"R1": 88.0, "R10": 98.0}


def test_articles_without_words_are_found_by_title(published_statutes: Path) -> None:
    with Pack.open(published_statutes) as pack:
        search = LawSearch(pack)
        catalogue = search.catalogue
        sql = "SELECT id, title FROM articles WHERE text IS NULL AND title <> '' ORDER BY id"
        titled = pack.reader.all(sql)[::12]
        for dated in (True, False):
            found = {"R1": 0, "R10": 0}
            for row, title in titled:
                version = catalogue.versions[int(catalogue.version[row - 1])]
                settings = SearchSettings(k=10, at=version.valid_from if dated else None)
                wanted = catalogue.article[row - 1]
                hits = [catalogue.article[hit.id - 1] == wanted for hit in search.search(title, settings).hits]
                found["R1"] += any(hits[:1])
                found["R10"] += any(hits)
            rates = {name: round(100 * count / len(titled), 1) for name, count in found.items()}
            print(f"{'day' if dated else 'no day':6} n {len(titled)} {rates}")
            assert all(rates[name] >= least for name, least in LEAST.items())
