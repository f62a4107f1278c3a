"""Reads a file that nobody vouches for: forward only, through a small window, never more than it is allowed to.

No count of the file is trusted: what a count promises is looked for piece by piece, and memory grows with what is
kept, never with what is announced. Offsets and lengths are bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

PAGE = 1 << 18
"""Bytes read at a time."""
HEADER_LIMIT = 256 << 20
"""Bytes before the tensors that are looked at; the headers of real models have a few million."""

_LENGTH = struct.Struct("<Q")


class Unsound(Exception):
    """What is wrong with the file, as the end of a sentence that begins with its name."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


class Window:
    """A cursor over the first `HEADER_LIMIT` bytes of a file of `size` bytes."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self.size = size
        self._page = b""
        self._offset = 0
        self._at = 0

    @property
    def position(self) -> int:
        """Where the next byte is read."""
        return self._offset + self._at

    def take(self, count: int) -> bytes:
        """The next `count` bytes; the caller bounds the count."""
        self._need(count)
        taken = self._page[self._at : self._at + count]
        self._at += count
        return taken

    def peek(self, count: int) -> bytes:
        """The next `count` bytes, which stay the next."""
        self._need(count)
        return self._page[self._at : self._at + count]

    def skip(self, count: int) -> None:
        """Step over `count` bytes without reading them."""
        self._check(count)
        if count <= len(self._page) - self._at:
            self._at += count
            return
        self._offset, self._at, self._page = self.position + count, 0, b""
        self._file.seek(self._offset)

    def number(self, form: str, size: int) -> int | float | bool:
        """One number of this struct form."""
        (value,) = struct.unpack(form, self.take(size))
        assert isinstance(value, int | float)
        return value

    def unsigned(self, size: int) -> int:
        """An unsigned little-endian integer."""
        return int.from_bytes(self.take(size), "little")

    def skip_texts(self, count: int) -> None:
        """Step over `count` texts, each with its length before it."""
        while count:
            page, at, end = self._page, self._at, len(self._page) - _LENGTH.size
            while count and at <= end:
                after = at + _LENGTH.size + _LENGTH.unpack_from(page, at)[0]
                if after > len(page):
                    break
                at = after
                count -= 1
            self._at = at
            if count:
                self.skip(self.unsigned(_LENGTH.size))
                count -= 1

    def texts(self, count: int, longest: int) -> Iterator[bytes]:
        """The next `count` texts, each with its length before it and no longer than this."""
        size = _LENGTH.size
        for _ in range(count):
            if len(self._page) - self._at < size:
                self._need(size)
            start = self._at + size
            (length,) = _LENGTH.unpack_from(self._page, self._at)
            if length > longest:
                raise Unsound(f"has a text of {length} bytes where {longest} are enough")
            if start + length > len(self._page):
                self._need(size + length)
                start = self._at + size
            self._at = start + length
            yield self._page[start : self._at]

    def _check(self, count: int) -> None:
        if count > self.size - self.position:
            raise Unsound("ends in the middle of its header", "The copy is incomplete or damaged: fetch it again.")
        if self.position + count > HEADER_LIMIT:
            raise Unsound(f"has a header of more than {HEADER_LIMIT >> 20} MB, which no model has")

    def _need(self, count: int) -> None:
        if count <= len(self._page) - self._at:
            return
        self._check(count)
        rest = self._page[self._at :]
        self._offset, self._at = self.position, 0
        self._page = rest + self._file.read(max(count - len(rest), PAGE))
        if len(self._page) < count:
            raise Unsound("became shorter while it was read")
