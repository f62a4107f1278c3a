"""The metadata of a GGUF file: keys with values, read forward through a small window.

What is said is kept as it is said; `Facts` then asks for each fact by key and refuses what is not of its kind or
range. Refusals are `Unsound`. Lengths are bytes.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import BinaryIO, NoReturn

from models.llama import ggml

PAGE = 1 << 18
"""Bytes read at a time."""
_LENGTH = struct.Struct("<Q")


class Unsound(Exception):
    """What is wrong with the file, as the end of a sentence that begins with its name."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


class Window:
    """A cursor over a file of `size` bytes."""

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

    def _check(self, count: int) -> None:
        if count > self.size - self.position:
            raise Unsound("ends in the middle of its header", "The copy is incomplete or damaged: fetch it again.")

    def _need(self, count: int) -> None:
        if count <= len(self._page) - self._at:
            return
        self._check(count)
        rest = self._page[self._at :]
        self._offset, self._at = self.position, 0
        self._page = rest + self._file.read(max(count - len(rest), PAGE))
        if len(self._page) < count:
            raise Unsound("became shorter while it was read")


Scalar = str | int | float | bool

KEY_LIMIT, TEXT_LIMIT = 256, 1 << 16
"""Longest key, and text that is kept."""
SMALL_ARRAY = 512
"""Longest array of whole numbers whose elements are kept: one for each layer, and no model has more layers."""
TEMPLATE, TOKENS = "tokenizer.chat_template", "tokenizer.ggml.tokens"


@dataclass(frozen=True, slots=True)
class Array:
    """An array: type and number of its elements, and the elements of a short array of integers or truths."""

    kind: int
    count: int
    numbers: tuple[int, ...] | None


def shown(text: str) -> str:
    """A name of the file as it may stand in a sentence."""
    return "".join(c if c.isprintable() else "?" for c in text[:64])


def read_metadata(window: Window, count: int) -> Facts:
    """The next `count` keys with their values."""
    values: dict[str, Scalar] = {}
    arrays: dict[str, Array] = {}
    for _ in range(count):
        key = read_name(window, KEY_LIMIT, "a metadata key")
        if key in values or key in arrays:
            raise Unsound(f"says '{shown(key)}' twice")
        kind = window.unsigned(4)
        if kind == ggml.ARRAY:
            arrays[key] = _array(window, key)
        elif kind == ggml.TEXT:
            text = _text(window, key)
            if text is not None:
                values[key] = text
        elif kind in ggml.NUMBERS:
            values[key] = window.number(*ggml.NUMBERS[kind])
        else:
            raise Unsound(f"gives '{shown(key)}' the unknown type {kind}")
    return Facts(values, arrays)


def read_name(window: Window, limit: int, what: str) -> str:
    """A name with its length before it; `what` says of what."""
    length = window.unsigned(8)
    if not 0 < length <= limit:
        raise Unsound(f"has {what} of {length} bytes where 1 to {limit} are allowed")
    try:
        return window.take(length).decode()
    except UnicodeDecodeError:
        raise Unsound(f"has {what} that is not text") from None


def _text(window: Window, key: str) -> str | None:
    """A text; None when it is so long that nobody needs it here."""
    length = window.unsigned(8)
    if length > TEXT_LIMIT and key != TEMPLATE:
        window.skip(length)
        return None
    raw = window.take(length)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        if key == TEMPLATE or key.startswith("general.arch"):
            raise Unsound(f"has something in '{shown(key)}' that is not text") from None
        return raw.decode("utf-8", "replace")


def _array(window: Window, key: str) -> Array:
    kind, count = window.unsigned(4), window.unsigned(8)
    if kind == ggml.TEXT:
        window.skip_texts(count)
        return Array(kind, count, None)
    if kind not in ggml.NUMBERS:
        raise Unsound(f"has an array of the unknown type {kind} in '{shown(key)}'")
    form, size = ggml.NUMBERS[kind]
    if count > SMALL_ARRAY or form in ("<f", "<d"):
        window.skip(count * size)
        return Array(kind, count, None)
    return Array(kind, count, tuple(int(window.number(form, size)) for _ in range(count)))


class Facts:
    """Metadata that is asked for by key and must be of its kind and range."""

    def __init__(self, values: dict[str, Scalar], arrays: dict[str, Array]) -> None:
        self.values = values
        self.arrays = arrays

    def text(self, key: str) -> str:
        """A text; '' when there is none."""
        value = self.values.get(key, "")
        if not isinstance(value, str):
            raise Unsound(f"has a number where '{shown(key)}' should be text")
        return value

    def count(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number in a range; without a default it must be there."""
        value = self.values.get(key, default)
        if value is None:
            raise Unsound(f"does not say '{shown(key)}'")
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.refuse(key, value)
        return value

    def per_layer(self, key: str, layers: int, default: tuple[int, ...] | None, high: int) -> tuple[int, ...]:
        """A number for each layer, from one number for all or from an array."""
        array = self.arrays.get(key)
        if array is None:
            if key not in self.values and default is not None:
                return default
            return (self.count(key, 0, high),) * layers
        if array.numbers is None or array.count != layers:
            raise Unsound(f"has {array.count} values in '{shown(key)}' for {layers} layers")
        if not all(0 <= number <= high for number in array.numbers):
            self.refuse(key, next(number for number in array.numbers if not 0 <= number <= high))
        return array.numbers

    def refuse(self, key: str, value: object) -> NoReturn:
        """Say that a value cannot be."""
        raise Unsound(f"says {shown(str(value))} for '{shown(key)}', which cannot be")
