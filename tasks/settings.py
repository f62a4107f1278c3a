"""The settings of a run that only one benchmark knows: a model that it owns; options, forms and help come of it.

A field's type says what may be given, its description what it does. `metavar` stands for its value in help; `hidden`
keeps it off the command line and the desk; `for_models` off the desk where an agent without a model is tested,
`group` where nothing is registered in that group; `one_of` names the group of whose names it takes one; `from_file`:
the setting is a text, and a command and a form are given the file that holds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.config import JsonDict
from pydantic.fields import FieldInfo

from store.errors import StoreError
from store.files import read_text
from tasks import registry
from tasks.errors import BadSetting, UsageError

COMMON = frozenset(
    "benchmark agent model seat seats pack tasks tasks_file task task_ids limit task_seed epochs seed max_turns"
    " max_tokens max_seconds turns parallel paper free rollouts dry_run allow_host out watch json as_json settings"
    " engine spec mode calls help max_failures budget_tokens budget_seconds cache shard on shards background"
    " debug first type types only".split()
)
"""What every run, its command and its form call their own."""


LONGEST_TEXT = 100_000
"""Characters of a text that a setting reads from a file."""


class Settings(BaseModel):
    """Nothing to set: what a benchmark starts from. Values are frozen; unknown names are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        """Refuse a name that every run has: stored beside it, one would be taken for the other."""
        if taken := sorted(cls.model_fields.keys() & COMMON):
            raise TypeError(f"{cls.__name__}: {', '.join(taken)} is a setting of every run")

    @classmethod
    def of(cls, given: Mapping[str, object], benchmark: str) -> Self:
        """The settings that a run gives, the others at their defaults.

        Args:
            given: name -> value, as typed or as stored.
            benchmark: whose settings these are, for the sentence about a wrong one.

        Raises:
            BadSetting: there is no such setting, or it takes no such value.
        """
        try:
            return cls.model_validate(dict(given))
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(map(str, first["loc"][:1])).replace("_", "-") or benchmark
            if first["type"] == "extra_forbidden":
                raise BadSetting(f"{benchmark} has no setting '{name}'", "Leave the option out.") from error
            raise BadSetting(f"{name}: {first['msg']}", f"See `moot run {benchmark} --help`.") from error

    def begun(self, day: date) -> dict[str, object]:
        """What a run with a model fixes when it begins on this day; a run that goes on finds it in its record."""
        return {}

    def samples(self, seat: str) -> bool:
        """Whether a model in this seat is sampled where its SPEC names no temperature."""
        return False

    def prompts(self) -> dict[str, str]:
        """Name -> hash or version of the prompts that a run with a model brings along itself."""
        return {}


def text_of(path: str) -> str:
    """The text of a file that a setting is given.

    Raises:
        UsageError: there is no such file, or no text of a reasonable length in it.
    """
    try:
        text = read_text(path, 4 * LONGEST_TEXT).strip()
    except StoreError as error:
        raise UsageError(error.title, "Name a text file in UTF-8.") from error
    if not text:
        raise UsageError(f"{path} is an empty file", "Name a text file in UTF-8.")
    if len(text) > LONGEST_TEXT:
        raise UsageError(
            f"the text in file {path} is longer than {LONGEST_TEXT:,} characters", "Name a text file in UTF-8."
        )
    return f"{text}\n"


def setting(
    default: Any,
    description: str,
    *,
    metavar: str = "",
    hidden: bool = False,
    for_models: bool = False,
    group: str = "",
    one_of: str = "",
    from_file: bool = False,
    **more: Any,
) -> Any:
    """A field of `Settings`. `more` are bounds, as pydantic has them."""
    extra: JsonDict = {
        "metavar": metavar,
        "hidden": hidden,
        "for_models": for_models,
        "group": group,
        "one_of": one_of,
        "from_file": from_file,
    }
    return Field(default, description=description, json_schema_extra=extra, **more)


def values(field: FieldInfo) -> tuple[str, ...]:
    """What a field takes one of, "" for the default included; () where it takes anything of its type."""
    if group := shown(field, "one_of"):
        return "", *registry.names(group)
    return get_args(field.annotation) if get_origin(field.annotation) is Literal else ()


def shown(field: FieldInfo, key: str) -> Any:
    """What `setting` said about a field: metavar, hidden, for_models, group, one_of or from_file."""
    extra = field.json_schema_extra
    return extra.get(key) if isinstance(extra, dict) else None
