"""An importer from elsewhere: a text file with `name<TAB>sentence` lines becomes a pack with one table."""

from __future__ import annotations

from pathlib import Path

import moot


def import_pack(source: Path, name: str, progress: moot.Progress) -> Path:
    """Writes the lines as the table of companies, and has that imported."""
    rows = [line.split("\t") for line in source.read_text("utf-8").splitlines() if "\t" in line]
    made = source.with_name("CompanyInfo.csv")
    made.write_text("公司名称,经营范围\n" + "".join(f"{first},{second}\n" for first, second in rows), "utf-8")
    return moot.import_pack("tables", made, name, progress)
