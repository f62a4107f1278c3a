"""The settings of a run that only one benchmark knows: a model owned by the benchmark, from which options, forms and help come.

A field's type says what may be given, its description what it does. `metavar` stands for its value in help; `hidden` keeps it off
the command line and the desk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from tasks.errors import UsageError


class Settings(BaseModel):
    """Nothing to set: what a benchmark starts from. Values are frozen; unknown names are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def of(cls, given: Mapping[str, Any], benchmark: str) -> Self:
        """The settings that a run gives, the others at their defaults.

        Args:
            given: name -> value, as typed or as stored.
            benchmark: whose settings these are, for the sentence about a wrong one.

        Raises:
            UsageError: there is no such setting, or it takes no such value.
        """
        try:
            return cls.model_validate(dict(given))
        except ValidationError as error:
            first = error.errors()[0]
            name = str(first["loc"][0]).replace("_", "-")
            if first["type"] == "extra_forbidden":
                raise UsageError(f"{benchmark} has no setting '{name}'", "Leave the option out.") from error
            raise UsageError(f"{name}: {first['msg']}", f"See `moot run {benchmark} --help`.") from error


def setting(default: Any, description: str, *, metavar: str = "", hidden: bool = False, **more: Any) -> Any:
    """A field of `Settings`. `more` are bounds, as pydantic has them."""
    return Field(default, description=description, json_schema_extra={"metavar": metavar, "hidden": hidden}, **more)


def shown(field: FieldInfo, key: str) -> Any:
    """What `setting` said about a field: metavar or hidden."""
    extra = field.json_schema_extra
    return extra.get(key) if isinstance(extra, dict) else None
