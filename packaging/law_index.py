"""Writes the list of national laws that ships with Moot: titles, days and article numbers, not a word of text.

    python packaging/law_index.py FOLDER

FOLDER holds laws in Markdown as `moot data import law-markdown` reads them (the layout of LawRefBook/Laws). The list
answers one question: does a cited article exist? Short names are no part of it: `store.statutes.names` makes them of
titles.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from store.importers.law.markdown import import_pack  # noqa: E402
from store.pack import Pack  # noqa: E402
from store.statutes.book import StatuteBook  # noqa: E402
from store.statutes.model import ArticleNumber, LawVersion  # noqa: E402
from store.statutes.shipped import LISTED  # noqa: E402

HEAD = f"""\
# National laws: title, level, versions. A version is first day/last day:article numbers; ~ before days
# that were concluded, nothing for a day that is not known; 133-1 is 第一百三十三条之一. Facts only. \
Written by packaging/{Path(__file__).name}.
"""


def lines(book: StatuteBook) -> Iterator[str]:
    """One line a law by title; a law without numbered articles is left out."""
    for law in sorted(book.laws(), key=lambda law: law.name):
        told = [_version(version, book.numbers(law.name, version.label)) for version in book.versions(law.name)]
        versions = [one for one in dict.fromkeys(told) if not one.endswith(":")]
        if versions:
            yield "\t".join((law.name, law.level, ";".join(versions)))


def _version(version: LawVersion, numbers: Iterable[ArticleNumber]) -> str:
    first, last = (day and day.isoformat() for day in (version.valid_from, version.valid_to))
    named = runs(sorted(number for number in numbers if number.number))
    return f"{'~' if version.inferred else ''}{first or ''}/{last or ''}:{named}"


def runs(numbers: Iterable[ArticleNumber]) -> str:
    """1..16 17 17-1 18..452: what `store.statutes.shipped.numbers_of` reads."""
    found: list[list[int]] = []
    subs: list[str] = []
    for number in numbers:
        if number.sub:
            subs.append(number.key)
        elif found and found[-1][1] == number.number - 1:
            found[-1][1] = number.number
        else:
            found.append([number.number, number.number])
    return " ".join([*(f"{a}..{b}" if b > a else str(a) for a, b in found), *subs])


def main(folder: Path) -> None:
    """Import the folder into a place of its own and write the list."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["MOOT_HOME"] = home
        import_pack(folder, "laws", lambda *_: None)
        with Pack.open("laws") as pack:
            made = [*lines(StatuteBook(pack))]
    target = ROOT / "store" / "statutes" / "data" / LISTED
    target.write_text(HEAD + "\n".join(made) + "\n", "utf-8")
    print(f"{len(made)} laws, {target.stat().st_size} bytes: {target.relative_to(ROOT)}", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
