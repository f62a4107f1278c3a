"""Tables of words, patterns and sentences as TOML beside the module that reads them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, TypeVar, overload

from pydantic import BaseModel, BeforeValidator, TypeAdapter

T = TypeVar("T")
Words = Annotated[tuple[str, ...], BeforeValidator(str.split)]
WordSet = Annotated[frozenset[str], BeforeValidator(str.split)]
"""Words that stand in the file as one string, with blanks between them."""
Characters = Annotated[frozenset[str], BeforeValidator(frozenset)]
"""The characters of one string."""


class TomlTable(BaseModel, frozen=True, extra="forbid"):
    """What a file holds: its keys are the fields, and there are no others."""


def filled(pattern: str, parts: Mapping[str, str]) -> str:
    """A pattern with its parts, `{NAME}`, in it."""
    return re.sub(r"\{([A-Z_]+)\}", lambda part: parts[part[1]], pattern)


@overload
def beside(package: str, name: str) -> Mapping[str, Any]: ...
@overload
def beside(package: str, name: str, shape: type[T]) -> T: ...
def beside(package: str, name: str, shape: Any = dict[str, Any]) -> Any:
    """The table `name`.toml of a package, read once, in a shape that pydantic checks.

    Raises:
        ValidationError: the file is not of that shape (a mistake in the table, never the user's).
    """
    return _read(package, name, shape)


@cache
def _read(package: str, name: str, shape: Any) -> Any:
    content = files(package).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return TypeAdapter(shape).validate_python(tomllib.loads(content))
