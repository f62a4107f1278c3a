"""Reads files that others made: by content, in a stream, naming file and line of what is wrong.

JSON comes as lines or as one array, plain or gzipped. Folders and zip archives are only entered where they cannot
lead outside; a worker unpacks the latter.
"""

from __future__ import annotations

import codecs
import gzip
import json
import os
import re
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final, TypeVar, cast

from store.errors import BadInput, NotFound
from store.files import real_path
from store.schema import storable
from store.worker import JobLimits, Worker

MAX_RECORD: Final = 64 << 20
"""Bytes of one JSON record, of one line, of a file that is read as a whole: this process reads them."""
MAX_ARCHIVE: Final = 16 << 30
"""Bytes of everything in a zip archive: limits of a process do not spare the disk."""
BULK: Final = JobLimits(cpu=600, wall=3600)
"""For archives and tables, which may be large."""

_CHUNK = 1 << 20
_DRIVE = re.compile(r"[A-Za-z]:")
_GZIP = b"\x1f\x8b"
_BLANK = b" \t\r\n\xef\xbb\xbf"
_ZIP_END = b"PK\x05\x06"
_ZIP_TAIL = (64 << 10) + 22
"""A zip archive ends with its list of members, that with this mark and a comment of at most 64 KiB."""
_SPACE = re.compile(r"[ \t\r\n]*")
_PLACE = re.compile(r", line ([0-9]+): (.*?)(?: \([^()]*\))?", re.DOTALL)
"""Where a record is wrong, and what is, without its detail."""
NAMED = 10
"""Lines that are named for a kind of fault."""
T = TypeVar("T")


def raised(error: BadInput) -> None:
    """Let a fault of a record end the reading."""
    raise error


def records(
    path: Path, label: str = "", fault: Callable[[BadInput], None] = raised
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a file with the line on which each begins.

    Args:
        path: of the file.
        label: what it is called in titles.
        fault: is given what is wrong with a record, which is then passed over; without one it is raised. What keeps
            the rest from being read is always raised.

    Raises:
        BadInput: something is no JSON object; the title names file and line.
    """
    label = label or path.name
    array = head(path).lstrip(_BLANK).startswith(b"[")
    for line, content, text in _from_array(path, label) if array else _from_lines(path, label, fault):
        try:
            _check(content, text, label, line)
        except BadInput as error:
            fault(error)
        else:
            yield line, cast(dict[str, Any], content)


def _check(content: object, text: str, label: str, line: int) -> None:
    if not isinstance(content, dict):
        raise BadInput(f"{label}, line {line}: {type(content).__name__} instead of a JSON object")
    if "\\u" in text and not storable(json.dumps(content, ensure_ascii=False)):
        raise BadInput(f"{label}, line {line}: not valid Unicode")


class BadRecords(BadInput):
    """Several records of a file are wrong. faults: of each kind what is said of the first, how many, and some
    lines."""

    def __init__(self, label: str, faults: Iterable[tuple[str, int, Sequence[int]]]) -> None:
        self.faults = [(first, n, named(lines, n)) for first, n, lines in faults]
        first, n, lines = self.faults[0]
        if len(self.faults) == 1:
            super().__init__(f"{first}; {n} records like it: line {lines}", "Mend them, or take them out.")
        else:
            n = sum(count for _, count, _ in self.faults)
            super().__init__(f"{label}: {n} records are wrong", "Mend them, or take them out.")


def named(lines: Sequence[int], n: int) -> str:
    """Lines in words; of n faults not all may be among them."""
    known = list(dict.fromkeys(lines))
    return ", ".join(map(str, known)) + (" …" if n > len(lines) else "")


def read_each(path: Path, read: Callable[[str, int, dict[str, Any]], T], label: str = "") -> list[T]:
    """What `read` makes of every record, given the label of the file, the line, and the record.

    Raises:
        BadInput: one of them is wrong; the title names file and line.
        BadRecords: several are; all are named together.
    """
    label = label or path.name
    found: list[T] = []
    faults: dict[str, tuple[BadInput, int, list[int]]] = {}

    def keep(error: BadInput) -> None:
        place = _PLACE.fullmatch(error.title.removeprefix(label))
        kind, line = (place[2], int(place[1])) if place else (error.title, 0)
        first, count, lines = faults.setdefault(kind, (error, 0, []))
        faults[kind] = (first, count + 1, lines if len(lines) >= NAMED else [*lines, line])

    try:
        for line, fields in records(path, label, keep):
            try:
                found.append(read(label, line, fields))
            except BadInput as error:
                keep(error)
    except BadInput as error:  # what stands behind it cannot be read
        keep(error)
    if sum(count for _, count, _ in faults.values()) > 1:
        raise BadRecords(label, ((first.title, count, lines) for first, count, lines in faults.values()))
    for wrong, _, _ in faults.values():
        raise wrong
    return found


def head(path: Path, size: int = 4096) -> bytes:
    """The first bytes of a file, unpacked when it is gzipped."""
    with opened(path) as stream:
        return stream.read(size)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A file to read from, unpacked on the way when its content is gzip.

    Raises:
        NotFound: no such file.
        BadInput: damaged gzip.
    """
    if not os.path.isfile(path):
        raise NotFound(f"There is no file {path}")
    with path.open("rb") as raw:
        packed = raw.read(2) == _GZIP
        raw.seek(0)
        if not packed:
            yield raw
            return
        with gzip.GzipFile(fileobj=raw) as stream:
            try:
                yield cast(IO[bytes], stream)
            except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                raise BadInput(f"{path.name}: damaged gzip ({error})") from None


def read_bytes(path: Path, label: str) -> bytes:
    """All bytes of a file, unpacked when it is gzipped.

    Raises:
        BadInput: there are more than a record may have.
    """
    with opened(path) as stream:
        data = stream.read(MAX_RECORD + 1)
    if len(data) > MAX_RECORD:
        raise BadInput(f"{label}: longer than {MAX_RECORD >> 20} MiB", "Divide it into files of one law each.")
    return data


def _from_lines(path: Path, label: str, fault: Callable[[BadInput], None]) -> Iterator[tuple[int, object, str]]:
    with opened(path) as stream:
        number = 0
        while raw := stream.readline(MAX_RECORD + 1):
            number += 1
            if len(raw) > MAX_RECORD:
                raise BadInput(f"{label}, line {number}: longer than {MAX_RECORD >> 20} MiB")
            try:
                text = _decoded(raw, label, number)
                content = _parsed(text, label, number) if text else None
            except BadInput as error:
                fault(error)
                continue
            if text:
                yield number, content, text


def _decoded(raw: bytes, label: str, line: int) -> str:
    try:
        return raw.decode("utf-8-sig" if line == 1 else "utf-8").strip()
    except UnicodeDecodeError:
        raise BadInput(f"{label}, line {line}: not UTF-8") from None


def _parsed(text: str, label: str, line: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"{label}, line {line}: not valid JSON (column {error.colno})") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{label}, line {line}: not readable as JSON ({error})") from None


def _from_array(path: Path, label: str) -> Iterator[tuple[int, object, str]]:
    with opened(path) as stream:
        text = _ArrayText(stream, label)
        text.expect("[")
        if text.next_character() == "]":
            return
        while True:
            yield text.value()
            if text.next_character() == "]":
                return
            text.expect(",")


class _ArrayText:
    """The text of a JSON array, read piece by piece and let go behind the reader."""

    def __init__(self, stream: IO[bytes], label: str) -> None:
        self._stream = stream
        self._label = label
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = 0
        self._ended = False
        self._line = 1
        self._json = json.JSONDecoder()

    def next_character(self) -> str:
        """The next character that is not blank; it is not consumed."""
        while True:
            match = _SPACE.match(self._text, self._at)
            self._drop(match.end() if match else self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                raise BadInput(f"{self._label}, line {self._line}: the array does not end")
            self._more()

    def expect(self, character: str) -> None:
        """Consume one character."""
        if (found := self.next_character()) != character:
            raise BadInput(f"{self._label}, line {self._line}: expected {character!r}, found {found!r}")
        self._drop(self._at + 1)

    def value(self) -> tuple[int, Any, str]:
        """Consume one value: the line it begins on, the value, its text."""
        self.next_character()
        while True:
            try:
                content, end = self._json.raw_decode(self._text, self._at)
                if end < len(self._text) or self._ended:
                    line, text = self._line, self._text[self._at : end]
                    self._drop(end)
                    return line, content, text
            except json.JSONDecodeError as error:
                if self._ended:
                    line = self._line + self._text.count("\n", self._at, error.pos)
                    column = error.pos - self._text.rfind("\n", 0, error.pos)
                    raise BadInput(f"{self._label}, line {line}: not valid JSON (column {column})") from None
            except (ValueError, RecursionError) as error:
                raise BadInput(f"{self._label}, line {self._line}: not readable as JSON ({error})") from None
            held = len(self._text) - self._at
            if held > MAX_RECORD:
                raise BadInput(f"{self._label}, line {self._line}: not valid JSON, or a value too long to read")
            self._more(max(_CHUNK, held))

    def _drop(self, end: int) -> None:
        """Everything before `end` is done with; it is let go when more is read, not once for each value."""
        self._line += self._text.count("\n", self._at, end)
        self._at = end

    def _more(self, size: int = 1 << 16) -> None:
        """Read on, about so many bytes."""
        pieces = [self._text[self._at :]]
        while size > 0 and not self._ended:
            data = self._stream.read(min(size, _CHUNK))
            size -= len(data)
            self._ended = not data
            try:
                pieces.append(self._decode.decode(data, self._ended))
            except UnicodeDecodeError:
                line = self._line + sum(piece.count("\n") for piece in pieces)
                raise BadInput(f"{self._label}, after line {line}: not UTF-8") from None
        self._text, self._at = "".join(pieces), 0


@contextmanager
def entered(source: Path) -> Iterator[Path]:
    """A folder to read from: the source itself, or a zip archive unpacked into a temporary place.

    A single file other than an archive, and a workbook, is yielded as it is.

    Raises:
        NotFound: there is nothing at the source.
        BadInput: an archive that is damaged, too large, or leads outside.
    """
    if not source.exists():
        raise NotFound(f"There is nothing at {source}", "Give a folder or a file.")
    if not source.is_file() or not is_zip(source):
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="moot-import-") as folder:
        with Worker() as worker:
            job = f"{__name__}:unpack", str(source), source.name, folder
            unpacked = worker.run(*job, label=source.name, limits=BULK)
        if not unpacked:
            yield source
            return
        inside = list(Path(folder).iterdir())
        yield inside[0] if len(inside) == 1 and inside[0].is_dir() else Path(folder)


def unpack(path: str, label: str, folder: str) -> bool:
    """Unpack an archive, in a worker; gives whether it was one (a workbook, and what only ends like one, is none).

    Raises:
        BadInput: too large, a member that would leave the folder, a link, encrypted, or twice the same.
    """
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if any(member.filename == "xl/workbook.xml" for member in members):
            return False
        for member in members:
            _check_member(label, member)
        # A member never gives more bytes than it states.
        if sum(member.file_size for member in members) > MAX_ARCHIVE:
            raise BadInput(f"{label} unpacks to more than {MAX_ARCHIVE >> 30} GiB", "Unpack it yourself first.")
        for member in members:
            target = Path(folder).joinpath(*PurePosixPath(member.filename.replace("\\", "/")).parts)
            if member.is_dir():
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.exists():
                raise BadInput(f"{label}: the member {member.filename!r:.120} occurs twice")
            with archive.open(member) as packed, target.open("xb") as plain:
                shutil.copyfileobj(packed, plain, _CHUNK)
    return True


def _check_member(label: str, member: zipfile.ZipInfo) -> None:
    name = member.orig_filename
    shown = f"{name!r:.120}"
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or name.startswith(("/", "\\")) or any(map(_DRIVE.match, parts)) or "\0" in name:
        raise BadInput(f"{label}: the member {shown} would leave the folder it is unpacked to")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise BadInput(f"{label}: the member {shown} is a symbolic link")
    if member.flag_bits & 1:
        raise BadInput(f"{label}: the member {shown} is encrypted")


def files_in(root: Path, most: int | None = None) -> list[Path]:
    """All files under a folder in a stable order, hidden ones left out.

    Raises:
        BadInput: a symbolic link leads outside the folder, or it holds more than `most` files and folders.
    """
    top = real_path(root)
    found: list[Path] = []
    waiting = [root]
    seen = 0
    while waiting:
        folder = waiting.pop()
        inside = sorted(folder.iterdir())
        seen += len(inside)
        if most is not None and seen > most:
            raise BadInput(f"{root} holds more than {most:,} files and folders", "Name the folder that is meant.")
        for path in inside:
            if path.name.startswith("."):
                continue
            if path.is_symlink() and not real_path(path).is_relative_to(top):
                raise BadInput(f"{path.relative_to(root)} is a link that leads outside {root}", "Remove the link.")
            if path.is_dir():
                if not path.is_symlink():
                    waiting.append(path)
            elif path.is_file():
                found.append(path)
    return sorted(found)


def labelled_files(root: Path) -> list[tuple[Path, str]]:
    """The file, or all files of the folder, each with its path inside what is imported."""
    if root.is_file():
        return [(root, root.name)]
    return [(path, path.relative_to(root).as_posix()) for path in files_in(root)]


def is_zip(path: Path) -> bool:
    """Whether a file ends like a zip archive; whether it is one shows when it is read."""
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - _ZIP_TAIL))
        return _ZIP_END in stream.read(_ZIP_TAIL)
