"""Reads files that others made: by content, in a stream, within limits, naming file and line of what is wrong.

JSON comes as lines or as one array, plain or gzipped. Folders and zip archives are only entered where they cannot lead
outside. All limits are in bytes.
"""

from __future__ import annotations

import codecs
import gzip
import json
import re
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from store.errors import BadInput, NotFound
from store.layout import storable

MAX_RECORD = 64 << 20
MAX_FILE = 8 << 30
MAX_ARCHIVE = 16 << 30
MAX_MEMBERS = 20_000
MAX_RATIO = 400
RATIO_COUNTS_FROM = 16 << 20
"""A compressed file may grow this far whatever its ratio."""

_CHUNK = 1 << 20
_GZIP = b"\x1f\x8b"
_BLANK = b" \t\r\n\xef\xbb\xbf"
_DRIVE = re.compile(r"[A-Za-z]:")
_SPACE = re.compile(r"[ \t\r\n]*")


def records(path: Path, label: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a file with the line on which each begins.

    Raises:
        BadInput: something is no JSON object; the title names file and line.
    """
    label = label or path.name
    pieces = _from_array(path, label) if head(path).lstrip(_BLANK).startswith(b"[") else _from_lines(path, label)
    for line, content, text in pieces:
        if not isinstance(content, dict):
            raise BadInput(f"{label}, line {line}: {type(content).__name__} instead of a JSON object")
        if "\\u" in text and not storable(json.dumps(content, ensure_ascii=False)):
            raise BadInput(f"{label}, line {line}: not valid Unicode")
        yield line, content


def head(path: Path, size: int = 4096) -> bytes:
    """The first bytes of a file, unpacked when it is gzipped."""
    with opened(path) as stream:
        return stream.read(size)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A file to read from, unpacked on the way when its content is gzip.

    Raises:
        NotFound: no such file.
        BadInput: damaged gzip, or more bytes than the limits allow; names the line for who reads by lines.
    """
    if not path.is_file():
        raise NotFound(f"There is no file {path}")
    with path.open("rb") as raw:
        packed = raw.read(2) == _GZIP
        raw.seek(0)
        if not packed:
            yield raw
            return
        with gzip.GzipFile(fileobj=raw) as stream:
            capped = _Capped(stream, path.name, path.stat().st_size)
            try:
                yield cast(IO[bytes], capped)
            except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                raise BadInput(f"{capped.place}: damaged gzip ({error})") from None


class _Capped:
    """Counts what is unpacked and stops a file that grows out of all proportion."""

    def __init__(self, stream: gzip.GzipFile, label: str, packed: int) -> None:
        self._stream = stream
        self._label = label
        self._cap = min(MAX_FILE, max(RATIO_COUNTS_FROM, packed * MAX_RATIO))
        self._seen = 0
        self._line = 0

    @property
    def place(self) -> str:
        """The file, and the line that was asked for last when it is read by lines."""
        return f"{self._label}, line {self._line}" if self._line else self._label

    def read(self, size: int = -1) -> bytes:
        return self._counted(self._stream.read(min(size, _CHUNK) if size >= 0 else _CHUNK))

    def readline(self, size: int = -1) -> bytes:
        self._line += 1
        return self._counted(self._stream.readline(size))

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")

    def _counted(self, data: bytes) -> bytes:
        self._seen += len(data)
        if self._seen > self._cap:
            raise BadInput(f"{self.place}: unpacks to more than {self._cap >> 20} MiB", "Unpack it yourself first.")
        return data


def _from_lines(path: Path, label: str) -> Iterator[tuple[int, Any, str]]:
    with opened(path) as stream:
        number = 0
        while raw := stream.readline(MAX_RECORD + 1):
            number += 1
            if len(raw) > MAX_RECORD:
                raise BadInput(f"{label}, line {number}: longer than {MAX_RECORD >> 20} MiB")
            try:
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError:
                raise BadInput(f"{label}, line {number}: not UTF-8") from None
            if text:
                yield number, _parsed(text, label, number), text


def _parsed(text: str, label: str, line: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"{label}, line {line}: not valid JSON ({error.msg}, column {error.colno})") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{label}, line {line}: not readable as JSON ({error})") from None


def _from_array(path: Path, label: str) -> Iterator[tuple[int, Any, str]]:
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
    """The text of a JSON array, read piece by piece and thrown away behind the reader."""

    def __init__(self, stream: IO[bytes], label: str) -> None:
        self._stream = stream
        self._label = label
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._ended = False
        self._line = 1
        self._json = json.JSONDecoder()

    def next_character(self) -> str:
        """The next character that is not blank; it is not consumed."""
        while True:
            match = _SPACE.match(self._text)
            self._drop(match.end() if match else 0)
            if self._text:
                return self._text[0]
            if not self._more():
                raise BadInput(f"{self._label}, line {self._line}: the array does not end")

    def expect(self, character: str) -> None:
        """Consume one character."""
        if self.next_character() != character:
            raise BadInput(f"{self._label}, line {self._line}: expected {character!r}, found {self._text[0]!r}")
        self._drop(1)

    def value(self) -> tuple[int, Any, str]:
        """Consume one value: the line it begins on, the value, its text."""
        self.next_character()
        wanted = 0
        while True:
            try:
                content, end = self._json.raw_decode(self._text)
                if end < len(self._text) or self._ended:
                    line, text = self._line, self._text[:end]
                    self._drop(end)
                    return line, content, text
            except json.JSONDecodeError as error:
                if self._ended:
                    line = self._line + self._text.count("\n", 0, error.pos)
                    raise BadInput(f"{self._label}, line {line}: not valid JSON ({error.msg})") from None
            except (ValueError, RecursionError) as error:
                raise BadInput(f"{self._label}, line {self._line}: not readable as JSON ({error})") from None
            wanted = max(_CHUNK, 2 * len(self._text))
            if len(self._text) > MAX_RECORD:
                raise BadInput(f"{self._label}, line {self._line}: not valid JSON, or a value too long to read")
            while len(self._text) < wanted and self._more():
                pass

    def _drop(self, count: int) -> None:
        self._line += self._text.count("\n", 0, count)
        self._text = self._text[count:]

    def _more(self) -> bool:
        if self._ended:
            return False
        data = self._stream.read(1 << 16)
        self._ended = not data
        try:
            self._text += self._decode.decode(data, self._ended)
        except UnicodeDecodeError:
            line = self._line + self._text.count("\n")
            raise BadInput(f"{self._label}, after line {line}: not UTF-8") from None
        return not self._ended


@contextmanager
def entered(source: Path) -> Iterator[Path]:
    """A folder to read from: the source itself, or a zip archive unpacked into a temporary place.

    A single file other than an archive is yielded as it is.

    Raises:
        NotFound: there is nothing at the source.
        BadInput: an archive that is damaged, too large, or leads outside.
    """
    if not source.exists():
        raise NotFound(f"There is nothing at {source}", "Give a folder or a file.")
    if source.is_dir() or not is_archive(source):
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="moot-import-") as folder:
        root = Path(folder)
        _unpack(source, root)
        inside = list(root.iterdir())
        yield inside[0] if len(inside) == 1 and inside[0].is_dir() else root


def files_in(root: Path) -> list[Path]:
    """All files under a folder in a stable order, hidden ones left out.

    Raises:
        BadInput: a symbolic link leads outside the folder.
    """
    top = root.resolve()
    found: list[Path] = []
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        for path in sorted(folder.iterdir()):
            if path.name.startswith("."):
                continue
            if path.is_symlink() and not path.resolve().is_relative_to(top):
                raise BadInput(f"{path.relative_to(root)} is a link that leads outside {root}", "Remove the link.")
            if path.is_dir():
                if not path.is_symlink():
                    waiting.append(path)
            elif path.is_file():
                found.append(path)
    return sorted(found)


def is_archive(path: Path) -> bool:
    """Whether a file is a zip archive other than a workbook."""
    if not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" not in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return True


def _unpack(source: Path, root: Path) -> None:
    try:
        with zipfile.ZipFile(source) as archive:
            members = archive.infolist()
            if len(members) > MAX_MEMBERS:
                raise BadInput(f"{source.name} has more than {MAX_MEMBERS} members")
            for member in members:
                _check_member(source, member)
            left = min(MAX_ARCHIVE, max(RATIO_COUNTS_FROM, source.stat().st_size * MAX_RATIO))
            for member in members:
                left -= _unpack_member(archive, member, root, source.name, left)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise BadInput(f"{source.name} is a zip file that cannot be read: {error}") from None


def _check_member(source: Path, member: zipfile.ZipInfo) -> None:
    name = member.orig_filename
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or name.startswith(("/", "\\")) or _DRIVE.match(name) or "\0" in name:
        raise BadInput(f"{source.name}: the member {name!r} would leave the folder it is unpacked to")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise BadInput(f"{source.name}: the member {name!r} is a symbolic link")
    if member.flag_bits & 1:
        raise BadInput(f"{source.name}: the member {name!r} is encrypted")


def _unpack_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, root: Path, label: str, left: int) -> int:
    target = root.joinpath(*PurePosixPath(member.filename.replace("\\", "/")).parts)
    if member.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return 0
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        raise BadInput(f"{label}: the member {member.filename!r} occurs twice")
    written = 0
    with archive.open(member) as packed, target.open("xb") as plain:
        while data := packed.read(_CHUNK):
            written += len(data)
            if written > min(left, MAX_FILE):
                raise BadInput(f"{label} unpacks to far more than its size", "Unpack it yourself first.")
            plain.write(data)
    shutil.copystat(archive.filename or target, target)
    return written
