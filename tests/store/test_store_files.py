"""Files that people write by hand: what no person writes is refused in one sentence, and nothing is cut off."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from store.errors import BadInput
from store.files import BY_HAND, read_text
from tasks.courts.casefile.loading import load_dispute
from tasks.courts.casefile.questions import load_questions
from tasks.legalagentbench.construct.compose import Parts
from tasks.run.suite import read_suite

READERS = [read_suite, load_questions, load_dispute, lambda path: Parts(read_text(path), Random(1))]
DEEP = "nested deeper than 100 levels"


@pytest.mark.parametrize(("reader", "text", "said"), [
    *((reader, f"a = {'[' * 150}{']' * 150}", DEEP) for reader in READERS),
    (read_suite, f"{'a = {' * 150}{'}' * 150}", DEEP), (read_suite, f"a = {'9' * 5000}", "too large"),
    (read_suite, f"a = 0x{'9' * 5000}", "too large"), (read_suite, "a = nan", "too large"),
])  # fmt: skip
def test_toml_that_no_person_writes_is_refused(
    reader: Callable[[Path], Any], text: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=f"is no TOML: .*{said}"):
        reader(path)


def test_no_part_of_a_large_case_in_toml_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"a = '" + b"a" * BY_HAND + b"'")
    with pytest.raises(BadInput, match="larger than 1,000,000 bytes"):
        load_questions(path)
