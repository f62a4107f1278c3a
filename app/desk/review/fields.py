"""A case file as a reader goes through it: its fields in the order of a trial, each with what the coherence check
says of it.

Fields are read as JSON data, so that a draft that is no case yet is shown too; what no table names comes last, and
nothing is left out. Amounts are in yuan, terms in months.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.desk.episode.renderers import Line, many, one
from app.desk.review.laws import ref_of, refs_in
from app.strings import known, t
from app.strings.sentences import said
from app.terminal import width
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase, Fields
from tasks.courts.casefile.law import Finding
from tasks.courts.casefile.people import LawRef
from tasks.courts.environment import codes, environment
from tasks.courts.from_judgment.drafting import Draft

SHORT = 26
"""Cells up to which a value stands on one line with others."""
GAP = ("　", "dim")
"""Between two facts on one line."""
HEAD = ("id", "env", "cause", "theme", "agent_title", "difficulty", "amount", "source", "dates", "provenance")
"""What the first field gathers."""
_DISPUTE = (
    "court", "parties*", "claims*", "complaint", "defences*", "answer", "facts*", "evidence*", "statements",
    "mediation",
    "gold.issues", "gold.reason", "gold.reason_points", "gold.rulings*", "gold.judgment", "gold.fee", "gold.laws*",
)  # fmt: skip
_TRIAL = (
    "court", "criminal.prosecution", "parties*", "criminal.charges", "criminal.indictment", "criminal.custody",
    "criminal.served",
    "criminal.record", "criminal.victims", "criminal.plea", "facts*", "evidence*", "statements", "criminal.opinion",
    "criminal.request", "criminal.defence_opinion", "gold.charges", "gold.reason", "gold.reason_points",
    "gold.sentence",
    "gold.judgment", "gold.laws*",
)  # fmt: skip
_ADVICE = ("client", "topics*")
_ORDERS: Sequence[tuple[type[Case], Sequence[str]]] = (
    (AdviceCase, _ADVICE),
    (CivilCase, _DISPUTE),
    (CriminalCase, _TRIAL),
)


def order_of(env: str) -> Sequence[str]:
    """Paths in the order of a trial, with * each item is a field of its own; () of a case that is none of ours."""
    made = environment(env).case if env in codes() else Case
    return next((paths for kind, paths in _ORDERS if issubclass(made, kind)), ())


_MONEY = frozenset({"amount", "total", "plaintiff", "defendant", "fine"})
_MONTHS = frozenset({"months", "probation_months", "political_rights_months", "least_months", "most_months"})
_SILENT = frozenset({"schema", "lang"})
_OWN_NUMBERS = ("gold.judgment",)
"""Lists whose entries begin with numbers of their own."""
_USUAL: Mapping[str, object] = {
    "disputed": False,
    "gold": True,
    "retrial": False,
    "public": True,
    "kind": "person",
}
"""Values that go without saying."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its path in the file, the section it belongs to, its name, what it says, what was found about it,
    the law it cites."""

    path: str
    section: str
    name: str
    lines: tuple[Line, ...]
    findings: tuple[Finding, ...] = ()
    refs: tuple[LawRef, ...] = ()

    @property
    def level(self) -> str:
        """error, warning, or '' where nothing was found."""
        levels = {found.level for found in self.findings}
        return "error" if "error" in levels else "warning" if levels else ""


def fields_of(data: Fields, findings: Sequence[Finding] = ()) -> list[Field]:
    """All fields of a case, in order, each finding at the field that it is about."""
    order = order_of(str(data.get("env", "")))
    named = {path.rstrip("*").split(".")[0] for path in order} | {*HEAD} | _SILENT
    found = [_head(data)]
    for path in order:
        found += _at(data, path)
    inside = {path.rstrip("*") for path in order}
    for name, value in data.items():
        if name not in named:
            found += _made(name, value)
        elif name in ("gold", "criminal") and isinstance(value, Mapping):
            found += [
                field
                for key, item in value.items()
                if f"{name}.{key}" not in inside
                for field in _made(f"{name}.{key}", item)
            ]
    return _with_findings(found, findings)


def packed(line: Line, room: int) -> Iterator[Line]:
    """A line of facts as lines of whole facts; any other line as it is."""
    facts: list[Line] = [()]
    for piece in line:
        if piece == GAP:
            facts.append(())
        else:
            facts[-1] = (*facts[-1], piece)
    shown: Line = ()
    for fact in facts:
        if shown and _cells(shown) + _cells(fact) + 2 > room:
            yield shown
            shown = ()
        shown = (*shown, *((GAP,) if shown else ()), *fact)
    yield shown


def _cells(line: Line) -> int:
    return sum(width(text) for text, _ in line)


def draft_field(made: Draft) -> Field:
    """What became of a judgment: what keeps it from being a case, what was masked, what is missing, what to look
    at."""
    parts = (
        ("needed", "bad", [said(str(fault)) for fault in made.needed]),
        ("masked", "text", [f"{_masked_words(masked.kind)} × {masked.count} → {masked.replacement}"
            for masked in made.masked]),
        ("notes", "warn", list(made.notes)),
        ("missing", "dim", ["、".join(map(_path_words, made.missing))] if made.missing else []),
    )  # fmt: skip
    lines: list[Line] = []
    for name, role, texts in parts:
        if name == "needed" and not texts:
            continue
        lines.append(((t(f"case.draft.{name}", n=len(made.missing) if name == "missing" else len(texts)), "label"),))
        lines += [((f"· {one(text)}", role),) for text in texts] or [((t("case.draft.none"), "good"),)]
    return Field("draft", t("case.draft"), t("case.draft"), tuple(lines))


def _masked_words(kind: str) -> str:
    return t(f"case.masked.{kind}") if known(f"case.masked.{kind}") else one(kind)


def _path_words(path: str) -> str:
    label = _label(path.replace("[]", ""))
    return f"{label}（{path}）" if label != path.rpartition(".")[2] else path


def _head(data: Fields) -> Field:
    kept = {name: data[name] for name in HEAD if name in data}
    return Field("", t("case.head"), t("case.head"), tuple(_lines(kept)))


def _at(data: Fields, path: str) -> list[Field]:
    here: object = data
    for part in path.rstrip("*").split("."):
        here = here.get(part) if isinstance(here, Mapping) else None
    return _made(path, here)


def _made(path: str, value: object) -> list[Field]:
    plain = path.rstrip("*")
    section = _label(plain)
    if value in (None, "", [], {}, ()):
        return []
    if path.endswith("*") and isinstance(value, list | tuple):
        return [_item(plain, section, number, item) for number, item in enumerate(value, 1)]
    return [Field(plain, section, section, tuple(_lines(value, plain)), refs=tuple(refs_in(value)))]


def _item(path: str, section: str, number: int, item: Any) -> Field:
    ref = ref_of(item) if path.endswith("laws") else None
    if ref is not None:
        return Field(f"{path}[{number}]", section, one(ref.chinese), (((one(ref.chinese), "text"),),), refs=(ref,))
    identity = str(item.get("id") or item.get("claim") or number) if isinstance(item, Mapping) else str(number)
    title = str(item.get("title") or item.get("name") or "") if isinstance(item, Mapping) else ""
    name = one(identity) + (f"  {one(title)}" if title else "")
    hidden = {"id", "claim", "title", "name"} if title else {"id", "claim"}
    rest = {key: value for key, value in item.items() if key not in hidden} if isinstance(item, Mapping) else item
    return Field(f"{path}.{identity}", section, name, tuple(_lines(rest, path)), refs=tuple(refs_in(item)))


def _lines(value: object, path: str = "") -> Iterator[Line]:
    """A value in lines: short facts beside each other, long texts below their names."""
    if isinstance(value, Mapping):
        yield from _table(value, path)
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value, 1):
            ref = ref_of(item) if isinstance(item, Mapping) and "law" in item else None
            mark = (f"{number}. " if len(value) > 1 and path not in _OWN_NUMBERS else "", "dim")
            if ref is not None:
                yield (mark, (one(ref.chinese), "text"))
            elif isinstance(item, Mapping):
                first, *rest = list(_table(item, path)) or [()]
                yield (mark, *first)
                yield from (((" " * len(mark[0]), "dim"), *line) for line in rest)
            else:
                first, *rest = many(_words(item, path))
                yield (mark, *first)
                yield from rest
    else:
        yield from many(_words(value, path))


def _table(value: Mapping[str, Any], path: str) -> Iterator[Line]:
    beside: list[tuple[str, str]] = []
    below: list[Line] = []
    if isinstance(value.get("text"), str):
        yield from many(value["text"])
    for key, item in value.items():
        if (
            key in _SILENT
            or key == "text"
            or item in (None, "", [], {}, ())
            or (key in _USUAL and item == _USUAL[key])
        ):
            continue
        inner = f"{path}.{key}".lstrip(".")
        name, ref = _label(inner), ref_of(item) if isinstance(item, Mapping) and "article" in item else None
        text = _inline(item, inner, ref)
        if text and width(text) <= SHORT and "\n" not in text:
            beside += [*([GAP] if beside else []), (f"{name} ", "dim"), (one(text), "text")]
        elif text:
            first, *rest = many(text)
            below += [((f"{name}：", "dim"), *first), *rest]
        elif len(lines := list(_lines(item, inner))) == 1:
            below.append(((f"{name}：", "dim"), *lines[0]))
        elif lines:
            below += [((f"{name}：", "dim"),), *((("  ", "dim"), *line) for line in lines)]
    if beside:
        yield tuple(beside)
    yield from below


def _inline(item: Any, path: str, ref: LawRef | None) -> str:
    """A value that is no table; '' for one that is."""
    if ref is not None:
        return ref.chinese
    if isinstance(item, list | tuple):
        return (
            "" if any(isinstance(part, Mapping) for part in item) else "、".join(_words(part, path) for part in item)
        )
    return "" if isinstance(item, Mapping) else _words(item, path)


def _label(path: str) -> str:
    """The name of a field: by its whole path, else by the last two parts, else by the last."""
    parts = path.split(".")
    keys = (f"case.{'.'.join(parts[-n:])}" for n in (len(parts), 2, 1))
    return next((t(key) for key in keys if known(key)), one(parts[-1]))


def _words(value: object, path: str) -> str:
    """A value in words: 元, 个月, the terms of courts for what files write in English."""
    last = path.rpartition(".")[2]
    if isinstance(value, bool):
        return t(f"case.value.{str(value).lower()}")
    if isinstance(value, int | float) and last in _MONEY:
        return t("case.yuan", n=f"{value:,.2f}".removesuffix(".00"))
    if isinstance(value, int | float) and last in _MONTHS:
        return t("case.months", n=f"{value:g}")
    named = (f"case.value.{last}.{value}", f"case.value.{value}") if isinstance(value, str) else ()
    return next((t(key) for key in named if known(key)), str(value))


def _with_findings(found: Sequence[Field], findings: Sequence[Finding]) -> list[Field]:
    places: dict[int, list[Finding]] = {}
    for finding in findings:
        places.setdefault(_place(found, finding), []).append(finding)
    return [replace(field, findings=tuple(places.get(number, ()))) for number, field in enumerate(found)]


def _place(found: Sequence[Field], finding: Finding) -> int:
    """The field that a finding is about: the article it names, the longest path it begins with, the first below it,
    else the head."""
    about = finding.field
    named = [
        (number, field.refs[0])
        for number, field in enumerate(found)
        if field.path.startswith(f"{about}[") and field.refs
    ]
    for number, ref in named:
        if ref.law in finding.what and ref.number.chinese in finding.what:
            return number
    for number, ref in named:
        if ref.law in finding.what:
            return number
    above = [
        (len(field.path), number)
        for number, field in enumerate(found)
        if field.path and f"{about}.".startswith(f"{field.path}.")
    ]
    if above:
        return max(above, key=lambda pair: pair[0])[1]
    return next(
        (number for number, field in enumerate(found) if field.path.startswith((f"{about}.", f"{about}["))), 0
    )
