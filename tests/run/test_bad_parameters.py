"""A setting that there is not, or no value of it, is one class of error wherever it stands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import moot
from models.errors import BadEngine
from tasks.run.engines import open_engine


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (lambda f: moot.run("legalagentbench", colour="red"), "no setting 'colour'"),
        (lambda f: moot.run("legalsearch", today="soon"), "is not a date"),
        (lambda f: moot.run("courts", measured="jury"), "no environment has a role 'jury'"),
        (lambda f: moot.run("legalsearch", window="wide"), "window"),
        (lambda f: moot.run("legalagentbench", epochs="many"), "epochs"),
        (lambda f: moot.search_tools("sample", colour="red"), "no setting 'colour'"),
        (lambda f: open_engine(f"llama:{f}#presence_penalty=1.5"), "'presence_penalty' is no setting"),
        (lambda f: open_engine(f"llama:{f}#ctx=many"), "ctx=many is not a number"),
        (lambda f: open_engine(f"llama:{f}#temperature=9"), "temperature=9 is not a number"),
        (lambda f: open_engine("endpoint:http://127.0.0.1:9#m#thinking=maybe"), "neither on nor off"),
        (lambda f: open_engine("endpoint:http://127.0.0.1:9#m#top_p=1,ctx=9"), "'ctx' is no setting of an endpoint"),
    ],
)  # fmt: skip
def test_a_bad_parameter_has_its_own_class(
    sample_pack: object, tiny_gguf: Path, bad: Callable[[Path], object], says: str
) -> None:
    with pytest.raises(moot.BadParameter, match=says) as found:
        bad(tiny_gguf)
    assert isinstance(found.value, BadEngine | moot.UsageError) and found.value.exit_code == 2
    assert "\n" not in str(found.value)
