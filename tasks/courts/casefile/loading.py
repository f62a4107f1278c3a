"""Reads case files: JSON lines, an array, one object, or TOML, and names file, case, field and remedy of every fault.

A folder is read through: every .toml, .json and .jsonl file in it. A civil dispute gives its three cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from store.errors import BadInput, NotFound
from store.files import read_text, toml_of
from store.importers.reading import head, records
from tasks.courts.casefile.case import (
    DISPUTE_SCHEMA,
    SCHEMA,
    Case,
    Dispute,
)
from tasks.courts.casefile.people import REFUSED_ROLES
from tasks.courts.casefile.sense import GOLD_MISSING, CaseFinding, contradictions, wrong
from tasks.courts.environment import codes, environment
from tasks.episode.plain import plain
from tasks.task_files import TASK_SUFFIXES, task_files

_MISSING = {
    "gold": GOLD_MISSING,
    "claims": "Write at least one [[claims]] with id, text and kind.",
    "parties": "Name the parties, one [[parties]] each.",
    "topics": "Write at least one [[topics]].",
    "criminal": "Write the charge, the plea and the opinions under [criminal].",
}
_SHAPES = (
    ("date", "no day", "Write a day as YYYY-MM-DD."),
    ("int", "no whole number", "Write a whole number, without quotes."),
    ("float", "no number", "Write a number, a sum in yuan, without quotes."),
    ("finite_number", "no number", "Write a number, a sum in yuan, without quotes."),
    ("bool", "neither yes nor no", "Write true or false."),
    ("string_type", "no text", "Write a text in quotes."),
    (("tuple", "list"), "no list", "Write a list in square brackets."),
    (("model", "dict"), "no table of fields", "Write a table of fields."),
)
"""How a kind of fault that pydantic finds begins -> what the value is not, and what to write."""
_LAYOUTS = (
    "Layouts that are known: TOML or JSON with schema j1case/1 or j1dispute/1, and records of the published"
    " benchmark (docs/court-cases.md)."
)


class CaseFault(BadInput):
    """A case that cannot be used; `faults`: all that is wrong with it."""

    def __init__(self, where: str, faults: list[CaseFinding]) -> None:
        first = faults[0]
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(f"{where}, {first.field}: {first.what}{more}", first.todo)
        self.where = where
        self.faults = tuple(faults)

    @property
    def lines(self) -> list[str]:
        """A line a fault: where, which field, what is wrong, what to do."""
        return [f"{self.where}, {fault.text}" for fault in self.faults]


def unknown_layout(where: str) -> CaseFault:
    """What is said of a file or a record that is no case in a layout that is read."""
    return CaseFault(where, [wrong("layout", "is not known", _LAYOUTS)])


def case_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where each record stands, and its fields, of a file or of all files of a folder; `NotFound`, `CaseFault` or
    `BadInput` where there is nothing, something else than TOML and JSON, or a broken file."""
    if not path.exists():
        raise NotFound(f"There is no case file {path}", "Give a file or a folder of case files.")
    for file in task_files(path):
        if file.suffix == ".toml":
            yield str(file), toml_of(file, read_text(file))
        elif file.suffix not in TASK_SUFFIXES and head(file).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
            raise unknown_layout(str(file))
        else:
            yield from ((f"{file}, line {line}", fields) for line, fields in records(file, str(file)))


def read_case(where: str, fields: Mapping[str, Any]) -> Case:
    """One case; `where` names file and line. Raises `CaseFault` with everything that is wrong."""
    where = _named(where, fields)
    if faults := _shape(fields):
        raise CaseFault(where, faults)
    case: Case = _validated(where, fields, environment(str(fields["env"])).case.model_validate)
    return case


def read_dispute(where: str, fields: Mapping[str, Any]) -> Dispute:
    """One civil dispute; raises `CaseFault` with everything that is wrong."""
    dispute: Dispute = _validated(_named(where, fields), fields, Dispute.model_validate)
    return dispute


def load_dispute(path: Path) -> Dispute:
    """The dispute of a TOML file."""
    return read_dispute(str(path), toml_of(path, read_text(path)))


def _validated(where: str, fields: Mapping[str, Any], validate: Any) -> Any:
    try:
        made = validate(fields)
    except ValidationError as error:
        raise CaseFault(where, [_fault(detail, fields) for detail in error.errors(include_url=False)]) from None
    if faults := contradictions(made):
        raise CaseFault(where, faults)
    return made


def _named(where: str, fields: Mapping[str, Any]) -> str:
    identity = fields.get("id")
    return f"{where}, case {plain(identity)}" if isinstance(identity, str) and identity else where


def _shape(fields: Mapping[str, Any]) -> list[CaseFinding]:
    given, env = fields.get("schema", SCHEMA), fields.get("env")
    if given != SCHEMA:
        what = f"{plain(str(given))[:40]!r} is not known"
        return [wrong("schema", what, f"Write {SCHEMA}, or {DISPUTE_SCHEMA} for a dispute.")]
    if env not in codes():
        what = "is missing" if env is None else f"{plain(str(env))[:40]!r} is no environment"
        return [wrong("env", what, f"Known: {', '.join(codes())}.")]
    return []


def _fault(detail: Any, fields: Mapping[str, Any]) -> CaseFinding:
    place = list(detail["loc"])
    field, last = _path(place, fields), str(place[-1]) if place else ""
    kind, value = detail["type"], detail.get("input")
    shown = repr(plain(value) if isinstance(value, str) else value)[:60]
    if kind == "missing":
        return wrong(field, "is missing", _MISSING.get(last, "Write it."))
    if kind == "extra_forbidden":
        near = [] if last in _field_names() else get_close_matches(last, _field_names(), 1)
        return wrong(field, "is no field of a case file", f"Did you mean {near[0]}?" if near else "Take it out.")
    if kind == "literal_error" and last == "side":
        return _refused(field, str(plain(value)))
    if kind == "literal_error":
        return wrong(field, f"{shown} is not allowed", f"Allowed: {detail['ctx']['expected']}.")
    if kind in ("too_short", "string_too_short"):
        return wrong(field, "is empty", _MISSING.get(last, "Write it, or leave the field out where that is allowed."))
    if kind == "value_error":
        return wrong(field or "case", str(detail["ctx"]["error"]), "Correct it.")
    if kind.startswith(("greater_than", "less_than")):
        ((bound, limit),) = detail["ctx"].items()
        return wrong(
            field,
            {
                "gt": f"{shown} is not above {limit:g}", "ge": f"{shown} is below {limit:g}",
                "lt": f"{shown} is not below {limit:g}", "le": f"{shown} is above {limit:g}",
            }[bound],
            "Write another number.",
        )  # fmt: skip
    for words, what, todo in _SHAPES:
        if kind.startswith(words):
            return wrong(field, f"{shown} is {what}", todo)
    return wrong(field, f"{shown}: {detail['msg'][:1].lower()}{detail['msg'][1:]}", "Correct it.")


def _refused(field: str, role: str) -> CaseFinding:
    name = REFUSED_ROLES.get(role, role if role in REFUSED_ROLES.values() else "")
    if name:
        todo = {
            "证人": 'Testimony is an exhibit of kind = "证人证言" with a witness.',
            "鉴定人": 'An expert opinion is an exhibit of kind = "鉴定意见".',
            "被害人": "Victims are named under criminal.victims.",
        }.get(name, "Only plaintiff and defendant have seats.")
        return wrong(field, f"{name} takes no seat in a trial here", todo)
    return wrong(field, f"{role[:40]!r} is no known role", "Allowed: plaintiff, defendant.")


def _path(place: list[Any], fields: Any) -> str:
    """parties.P1.birth_date: items that have an id are named by it."""
    path, here = "", fields
    for part in place:
        if isinstance(part, int):
            here = here[part] if isinstance(here, list | tuple) and part < len(here) else None
            name = here.get("id") if isinstance(here, dict) else None
            path += f".{plain(name)}" if isinstance(name, str) and name else f"[{part}]"
        else:
            here = here.get(part) if isinstance(here, dict) else None
            path += f".{part}" if path else str(part)
    return str(plain(path))


@cache
def _field_names() -> tuple[str, ...]:
    names: set[str] = set()
    waiting: list[type[BaseModel]] = [*(environment(code).case for code in codes()), Dispute]
    seen: set[type[BaseModel]] = set()
    while waiting:
        model = waiting.pop()
        seen.add(model)
        for name, info in model.model_fields.items():
            names.add(info.alias or name)
            waiting += [inner for inner in _models(info.annotation) if inner not in seen]
    return tuple(sorted(names))


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)
