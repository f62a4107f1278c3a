"""Workbooks (XLSX) as plain rows, every cell as a person reads it; runs in a worker.

What a cell shows and what it holds differ: dates are numbers, codes lose their zeros, units stand in a format. So

- a day is an ISO day (`2024-03-05`), as far as its format shows it (`2024-03`, `2024`, with its time of day), by the
  workbook's epoch (1900, 1904);
- a share is shown with its sign (`60%`), a code with the zeros and strokes of its format (`000000`, `000-0000`), a
  number or text with the words that its format writes beside it or instead of it (`0"万元"`, `@"市"`,
  `[=1]"存续"`); marks of yuan are no unit, other numbers stay numbers;
- a merged cell gives its value to each of its rows and columns;
- titles and units above the names of the columns, rows that are a total or one cell merged over the whole width, and
  hidden sheets, rows and columns are left out and named;
- macros are named, never run;
- what cannot be said in this way (an error, a truth value, a formula that nobody computed) is refused by place.
"""

from __future__ import annotations

import operator
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final
from unicodedata import category

from store.errors import BadInput
from store.importers.table_files import MOST_ABOVE, Found, Rows, head_at, header_of, is_remark, row_of
from store.schema import CORPORA, TABLES
from store.worker import write_lines

_WHOLE: Final = re.compile(rb'<mergeCell |<(?:row|col) [^>]*\bhidden="(?:1|true)"')
"""What only a sheet that is read whole tells: merged ranges stand behind the rows."""
_UNCOMPUTED: Final = re.compile(
    rb'<c (?![^>]*\bt="str")[^>]*?r="([A-Z0-9]+)"[^>]*>\s*<f(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>'
)
"""A cell with a formula and no value; an empty text is one."""
_CHUNK: Final = 1 << 20

Cells = tuple[Any, ...]
Names = Mapping[int, str]
"""Number of a row or column -> how a report calls it."""
Spread = Mapping[tuple[int, int], Any]
"""Row and column of a cell in a merged range -> the cell that the range shows."""


def read_workbook(path: str, label: str, stem: str, out: str) -> Found:
    """All sheets that hold something; the only one is named by the file (`stem`) when its own name says nothing.

    Raises:
        BadInput: a cell or a heading that cannot be said; the title names sheet and row.
    """
    import openpyxl

    with warnings.catch_warnings(), Path(path).open("rb") as stream:
        warnings.simplefilter("ignore")
        whole, macros = _scan(path, label)
        # Given a path, openpyxl judges by its suffix.
        book = openpyxl.load_workbook(stream, read_only=not whole, data_only=True)
        sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible" and _holds_something(sheet)]
        hidden = [
            f"{label}, sheet {sheet.title} (hidden)" for sheet in book.worksheets if sheet.sheet_state != "visible"
        ]
        found: Found = []
        for sheet in sheets:
            known = sheet.title in TABLES or sheet.title in CORPORA
            table = stem if len(sheets) == 1 and not known else sheet.title
            where, rows = f"{label}, sheet {sheet.title}", f"{out}/{len(found)}"
            left_out = [] if found else [*macros, *hidden]
            write_lines(rows, _sheet(sheet, where, _spread(sheet) if whole else {}, left_out, _hidden(sheet, whole)))
            found.append((table, where, rows, left_out))
    return found


def _scan(path: str, label: str) -> tuple[bool, list[str]]:
    """Whether a sheet has merged or hidden cells, and the macros, which are never run.

    Raises:
        BadInput: a formula without the value that a program has computed for it, which reads as an empty cell.
    """
    whole = False
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        macros = [f"{label}: its macros"] if "xl/vbaProject.bin" in names else []
        for name in names:
            if not (name.startswith("xl/worksheets/") and name.endswith(".xml")):
                continue
            rest = b""
            with archive.open(name) as part:
                while chunk := part.read(_CHUNK):
                    text = rest + chunk
                    whole = whole or bool(_WHOLE.search(text))
                    if found := _UNCOMPUTED.search(text):
                        what = f"{label}, cell {found[1].decode()}: a formula whose value was never computed"
                        raise BadInput(what, "Open it in a spreadsheet program, save it, and import it again.")
                    rest = text[-9000:]  # a formula has 8,192 characters at most
    return whole, macros


def _holds_something(sheet: Any) -> bool:
    # What a sheet says of its own size is not believed: rows beyond it would be lost, rows before it invented.
    if hasattr(sheet, "reset_dimensions"):
        sheet.reset_dimensions()
    return any(cell is not None for cells in sheet.iter_rows(values_only=True) for cell in cells)


def _spread(sheet: Any) -> Spread:
    found = {}
    for area in sheet.merged_cells.ranges:
        shown = sheet.cell(area.min_row, area.min_col)
        for row in range(area.min_row, area.max_row + 1):
            for column in range(area.min_col, area.max_col + 1):
                found[row, column] = shown
    return found


def _hidden(sheet: Any, whole: bool) -> tuple[Names, Names]:
    """The rows and the columns that nobody sees, with their names."""
    from openpyxl.utils import get_column_letter

    if not whole:
        return {}, {}
    rows = [number for number, row in sheet.row_dimensions.items() if row.hidden]
    spans = [(one.min, min(one.max, sheet.max_column)) for one in sheet.column_dimensions.values() if one.hidden]
    columns = [at for first, last in spans for at in range(first, last + 1)]
    return {at: f"row {at}" for at in sorted(rows)}, {at: f"column {get_column_letter(at)}" for at in sorted(columns)}


def _sheet(sheet: Any, where: str, spread: Spread, left_out: list[str], hidden: tuple[Names, Names]) -> Rows:
    hidden_rows, hidden_columns = hidden
    rows: Iterator[tuple[int, Cells]] = (
        (
            number,
            tuple(spread.get((number, at), cell) for at, cell in enumerate(cells, 1) if at not in hidden_columns),
        )
        for number, cells in enumerate(sheet.iter_rows(), 1)
        if number not in hidden_rows
    )
    above = list(islice(rows, MOST_ABOVE + 1))
    at = head_at({id(cell): cell.value for cell in cells}.values() for _, cells in above)
    head = above[at][1] if above else ()
    if spread and any(one is below for one, below in zip(head, [*above, (0, ())][at + 1][1], strict=False)):
        raise BadInput(f"{where}: the first row is merged with the second", "Put the names of columns in one row.")
    columns = header_of((_shown(cell, where) for cell in head), where)
    left_out += [f"{where}, {name} (hidden)" for name in (*hidden_rows.values(), *hidden_columns.values())]
    for number, cells in above[:at]:
        left_out += [f"{where}, row {number} ({cell.value!s:.40})" for cell in cells if cell.value][:1]
    for number, cells in chain(above[at + 1 :], rows):
        place = f"{where}, row {number}"
        values = [_shown(cell, f"{place}: {columns[at]:.60}" if at < len(columns) else place)
                  for at, cell in enumerate(cells)]  # fmt: skip
        if all(value is None for value in values):
            continue
        if len({id(cell) for cell in cells[: len(columns)]}) == 1 < len(columns) or is_remark(values, columns):
            left_out.append(f"{place} ({next(value for value in values if value is not None)!s:.40})")
            continue
        yield place, row_of(columns, values, place)


# What a cell shows
# ----------------------------------------------------------------------------------------------------------------


_WRITE: Final = "Write text or a number there."


def _shown(cell: Any, where: str) -> str | int | float | None:
    value = _serial(cell)
    if value is None:
        return None
    if isinstance(value, bool) or cell.data_type == "e":
        raise BadInput(f"{where} holds {value}, neither text nor number", _WRITE)
    if isinstance(value, datetime):
        return _day_in_format(value, str(cell.number_format))
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.isoformat(timespec="seconds")
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    if isinstance(value, int | float):
        return in_format(value, str(cell.number_format))
    if isinstance(value, str):
        text = value.replace("_x000D_\n", "\n")  # the escape of XML for a carriage return
        return _text_in_format(text, str(cell.number_format)) or None
    raise BadInput(f"{where} holds a {type(value).__name__}, neither text nor number", _WRITE)


def _serial(cell: Any) -> Any:
    """The value of a cell; a day where its format shows one and openpyxl sees none: the first day of the epoch, a
    day of the week (`aaaa`)."""
    value = cell.value
    if not isinstance(value, time | int | float) or isinstance(value, bool):
        return value
    codes = set(_CODES.sub("", str(cell.number_format)).casefold())
    if isinstance(value, time):
        return datetime.combine(cell.parent.parent.epoch, value) if codes & set("yd") else value
    if codes == {"a"} and value >= 1:
        from openpyxl.utils.datetime import from_excel

        return from_excel(value, cell.parent.parent.epoch)
    return value


_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|[\\!](?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<condition>[<>=][^\]]*)\]'
    r"|\[[^\]]*\]|(?P<section>;)|(?P<digits>[0#?.,]+|General|G/通用格式)|(?P<percent>%)|(?P<text>@)|(?P<other>.)",
    re.S,
)
_GENERAL = ("General", "G/通用格式")
_YUAN = frozenset({"", "¥", "￥", "元", "CNY", "RMB", "人民币"})
_CODES = re.compile(r'"[^"]*"|[\\!_*].|\[[^\]]*\]')
"""What of a format of days is no code of a part of a day."""


def _day_in_format(value: datetime, form: str) -> str:
    """A day as far as its format shows it; whole where it shows a day without its year."""
    codes = _CODES.sub("", form.partition(";")[0]).casefold()
    if value.time() != time() and set(codes) & set("hs"):
        return value.isoformat(sep=" ", timespec="seconds")
    far = 10 if "d" in codes or not set(codes) & set("ye") else 7 if "m" in codes else 4
    return value.date().isoformat()[:far]


def _text_in_format(value: str, form: str) -> str:
    """A text with the words that its format writes beside it."""
    section: Section = next((one for one in _sections(form) if ("text", "@") in one), [])
    words = "".join(text for kind, text in section if kind == "literal")
    return "".join(value if kind == "text" else text for kind, text in section).strip() if words.strip() else value


def in_format(value: int | float, form: str) -> str | int | float:
    """A number as its format shows it, where the format says more than the number does: zeros in front, strokes
    between digits, a share, a unit, a word in its place; else the number. `form` is a number format of Excel
    (ECMA-376 part 1, §18.8.31).

    Digits behind the fifteenth are the file's, not the author's.
    """
    bare = float(f"{value:.15g}") if isinstance(value, float) else value
    section, amount = _section_for(Decimal(repr(bare)), _sections(form))
    kinds = [kind for kind, _ in section]
    words = "".join(text for kind, text in section if kind == "literal")
    named = "".join(letter for letter in words if letter.isalpha() or category(letter) == "Sc")
    if "digits" not in kinds:
        return words.strip() if named and "code" not in kinds else bare
    digits = "".join(text for kind, text in section if kind == "digits")
    first, last = kinds.index("digits"), len(kinds) - kinds[::-1].index("digits")
    between = "".join(text for kind, text in section[first:last] if kind == "literal").strip()
    parted = between and not ("?" in digits or "code" in kinds)  # neither a fraction nor a power of ten
    whole = digits.partition(".")[0]
    padded = "#" not in whole and whole.count("0") > 1
    if not ("percent" in kinds or "%" in words or named not in _YUAN or parted or padded):
        return bare
    if digits in _GENERAL:
        return "".join(str(bare) if kind == "digits" else text for kind, text in section).strip()
    return _written(section, amount * 100 if "percent" in kinds else amount, digits)


Section = list[tuple[str, str]]
"""Kinds of tokens with their text."""


def _sections(form: str) -> list[Section]:
    """The sections of a format: positive, negative, zero, or by conditions of their own."""
    sections: list[Section] = [[]]
    for match in _TOKEN.finditer(form):
        kind = match.lastgroup
        if kind == "section":
            sections.append([])
        elif kind in ("digits", "percent", "condition", "text"):
            sections[-1].append((kind, match[kind]))
        elif kind == "other" and match[kind].isalpha() and match[kind].isascii():
            sections[-1].append(("code", match[kind]))
        elif kind is not None:
            sections[-1].append(("literal", match[kind]))
    return sections


_COMPARE: Mapping[str, Callable[[Decimal, Decimal], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "<>": operator.ne,
}  # fmt: skip


def _section_for(amount: Decimal, sections: list[Section]) -> tuple[Section, Decimal]:
    """The section that shows an amount, and what it shows of it: a section for negative numbers writes its own
    sign."""
    if any(kind == "condition" for section in sections for kind, _ in section):
        for section in sections:
            found = [re.fullmatch(r"([<>=]+)(-?[0-9.]+)", text) for kind, text in section if kind == "condition"]
            if all(match and _COMPARE[match[1]](amount, Decimal(match[2])) for match in found):
                return section, amount
        return sections[-1], amount
    if amount == 0 and len(sections) > 2:
        return sections[2], amount
    if amount < 0 and len(sections) > 1:
        return sections[1], -amount
    return sections[0], amount


def _written(section: Section, amount: Decimal, digits: str) -> str:
    """The digits of a number laid into its section from the right, literals where they stand. A comma between digits
    groups thousands, one behind them divides by a thousand."""
    scaled = digits.rstrip(",")
    amount /= Decimal(1000) ** (len(digits) - len(scaled))
    before, _, after = scaled.partition(".")
    amount = amount.quantize(Decimal(1).scaleb(-len(after)), ROUND_HALF_UP)
    whole, _, fraction = f"{abs(amount):.{len(after)}f}".partition(".")
    whole = f"{int(whole):,}" if "," in before else whole.rjust(before.count("0"), "0")
    while fraction and after[len(fraction) - 1] in "#?" and fraction.endswith("0"):
        fraction = fraction[:-1]
    number = whole + (f".{fraction}" if fraction else "")
    pieces = _cut(number, [text for kind, text in section if kind == "digits"])
    texts = (pieces.pop(0) if kind == "digits" else text for kind, text in section if kind != "condition")
    return ("-" if amount < 0 else "") + "".join(texts).strip()


def _cut(number: str, parts: list[str]) -> list[str]:
    """A number cut into pieces as long as the parts of its format, the first taking what is left."""
    pieces: list[str] = []
    for part in reversed(parts[1:]):
        width = sum(sign in "0#?." for sign in part)
        number, piece = number[: max(0, len(number) - width)], number[max(0, len(number) - width) :]
        pieces.insert(0, piece)
    return [number, *pieces]
