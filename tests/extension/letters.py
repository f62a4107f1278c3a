"""An importer from elsewhere: a text file with `name<TAB>sentence` lines becomes a pack with one table."""

from __future__ import annotations

from pathlib import Path

from store.importers import Progress
from store.importers.tables import import_pack as from_table


def import_pack(source: Path, name: str, progress: Progress) -> Path:
    """Writes the lines as the table of companies, and has that imported."""
    rows = [line.split("\t") for line in source.read_text("utf-8").splitlines() if "\t" in line]
    made = source.with_name("CompanyInfo.csv")
    made.write_text("公司名称,经营范围\n" + "".join(f"{first},{second}\n" for first, second in rows), "utf-8")
    return from_table(made, name, progress)
