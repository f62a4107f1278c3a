"""Which tokens keep a reply well-formed UTF-8, beside what a grammar allows.

llama.cpp matches a grammar by characters and takes any byte for the rest of a character that a byte token began, a
quote too; and it knows control tokens by their names, so that a grammar lets `<|im_start|>` pass as text. Both would
spoil a reply that the grammar was to keep valid. Units: token ids, bytes.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


def rest_of(pending: bytes, piece: bytes) -> bytes | None:
    """The unfinished character after `piece` follows `pending` (itself unfinished), None if that is no UTF-8."""
    data = pending + piece
    try:
        used = codecs.utf_8_decode(data, "strict", False)[1]
    except UnicodeDecodeError:
        return None
    return data[used:]


class Wellformed:
    """Facts of a vocabulary: made once a model. `refused` are tokens that are never text, control tokens first of
    all."""

    def __init__(self, pieces: Sequence[bytes], refused: Iterable[int] = ()) -> None:
        self._pieces = pieces
        self._begins = np.array([rest_of(b"", piece) is not None for piece in pieces], dtype=np.bool_)
        self._goes_on = np.array([0x80 <= (piece or b" ")[0] < 0xC0 for piece in pieces], dtype=np.bool_)
        never = list(refused)
        self._begins[never] = self._goes_on[never] = False

    def allowed(self, pending: bytes, tokens: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which tokens may follow a text that ends with an unfinished character."""
        result: NDArray[np.bool_] = (self._goes_on if pending else self._begins)[tokens]
        if pending:
            for at in np.flatnonzero(result):
                result[at] = rest_of(pending, self._pieces[tokens[at]]) is not None
        return result

    def after(self, pending: bytes, token: int) -> bytes:
        """The unfinished character after a token; nothing where the text is broken already."""
        return rest_of(pending, self._pieces[token]) or b""
