"""Tables beside their readers: in the shape that the reader asks for, or not at all."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from store.tables import Table, WordSet, beside


class Short(Table):
    stop_words: WordSet


class Odd(Short):
    frame_words: list[int]
    legal_words: WordSet
    legal_endings: WordSet


def test_a_table_is_read_as_it_stands_and_refused_in_another_shape() -> None:
    assert "怎么办" in beside("store.search", "substance")["stop_words"].split()
    with pytest.raises(ValidationError, match="legal_words"):
        beside("store.search", "substance", Short)
    with pytest.raises(ValidationError, match="frame_words"):
        beside("store.search", "substance", Odd)
