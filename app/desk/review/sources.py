"""Where cases to review come from: the tasks of a pack, a file or folder of case files, a published judgment.

Nothing is changed by reading. Slow; called from workers. A record that cannot be read is shown with what is wrong
with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from app import library
from app.strings import t
from store.errors import BadInput, NotFound, StoreError
from store.files import written_whole
from store.importers.reading import head
from store.pack import Pack
from tasks.courts.casefile.case import Case, Fields
from tasks.courts.casefile.loading import CaseFault, case_records, read_case, read_cases
from tasks.courts.casefile.sense import Fault
from tasks.courts.casefile.upstream import read_upstream, upstream_env
from tasks.courts.from_judgment.drafting import Draft, draft
from tasks.errors import UsageError

BENCHMARK = "courts"
LONGEST_PATH = 1000


@dataclass(frozen=True, slots=True)
class PackOfCases:
    """A pack that holds tasks of the courts."""

    name: str
    tasks: int
    fictional: bool


@dataclass(frozen=True, slots=True)
class CaseEntry:
    """One case: where it stands, its fields in their shortest form, the case itself unless it is faulty."""

    where: str
    fields: Fields
    case: Case | None
    faults: tuple[Fault, ...] = ()

    @property
    def id(self) -> str:
        """Id of the case, or where it stands."""
        return str(self.fields.get("id") or self.where)

    @property
    def env(self) -> str:
        """Its environment, '' where it names none."""
        return str(self.fields.get("env") or "")

    @property
    def shown(self) -> Fields:
        """All that it says, defaults included."""
        return self.fields if self.case is None else self.case.model_dump(mode="json", by_alias=True)

    @property
    def digest(self) -> str:
        """Hash of what is in it: a case that was changed is another one."""
        text = json.dumps(self.fields, sort_keys=True, ensure_ascii=True, default=str)
        return sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Source:
    """What was opened: `name` as a person knows it, `path` where it lies; draft: made from a judgment, not yet a
    file."""

    name: str
    path: Path
    cases: tuple[CaseEntry, ...]
    fictional: bool = False
    pack: str = ""
    draft: Draft | None = None


def packs() -> list[PackOfCases]:
    """The packs with court cases."""
    found = library.packs()
    return [
        PackOfCases(one.name, one.tasks[BENCHMARK], "authored" in one.provenance)
        for one in found
        if one.tasks.get(BENCHMARK)
    ]


def open_pack(name: str) -> Source:
    """The court cases of a pack.

    Raises:
        StoreError: the pack or its task file cannot be read.
    """
    with Pack.open(name) as pack:
        path, fictional = pack.task_file(BENCHMARK), "authored" in pack.provenance
    if path is None:
        raise NotFound(t("review_screen.no_cases", name=name), t("review_screen.no_cases.hint"))
    return Source(name, path, tuple(_entries(path)), fictional, name)


def open_path(typed: str) -> Source:
    """The cases of a file or folder of case files, or the draft of the judgment in a file; told apart by content.

    Raises:
        UsageError: nothing was typed, or there is nothing of that name.
        StoreError: it cannot be read.
    """
    text = typed.strip().strip("\"'")
    if not text or len(text) > LONGEST_PATH or "\0" in text:
        raise UsageError(t("review_screen.no_path"), t("review_screen.no_path.hint"))
    path = Path(text).expanduser()
    try:
        there = path.exists()
    except OSError as error:
        raise BadInput(f"{text}: {error.strerror}", t("review_screen.no_path.hint")) from None
    if not there:
        raise UsageError(t("review_screen.nothing_there", path=text), t("review_screen.no_path.hint"))
    try:
        if path.is_dir() or _is_case_file(path):
            cases = tuple(_entries(path))
            if not cases:
                raise BadInput(t("review_screen.no_cases", name=text), t("review_screen.no_cases.hint"))
            return Source(path.name or text, path, cases, all(map(_authored, cases)))
        made = draft(path)
    except OSError as error:
        raise BadInput(f"{text}: {error.strerror}", t("review_screen.no_path.hint")) from None
    return Source(path.name, path, (_drafted(path.name, made),), False, "", made)


def _is_case_file(path: Path) -> bool:
    """TOML by name, JSON by its first sign; everything else may be a judgment."""
    return path.suffix == ".toml" or head(path).lstrip(b" \t\r\n\xef\xbb\xbf")[:1] in (b"{", b"[")


def _authored(entry: CaseEntry) -> bool:
    return entry.case is not None and entry.case.provenance.source == "authored"


def _entries(path: Path) -> Iterator[CaseEntry]:
    for where, fields in case_records(path):
        try:
            cases = (read_upstream(where, fields)[0],) if upstream_env(fields) else read_cases(where, fields)
        except CaseFault as fault:
            yield CaseEntry(where, fields, None, fault.faults)
        except BadInput as fault:
            yield CaseEntry(where, fields, None, (Fault("case", fault.title, fault.hint),))
        else:
            yield from (CaseEntry(where, case.fields(), case) for case in cases)


def _drafted(where: str, made: Draft) -> CaseEntry:
    if made.needed:
        return CaseEntry(where, made.case_fields, None, made.needed)
    case = read_case(where, made.case_fields)
    return CaseEntry(where, case.fields(), case)


def save_draft(fields: Mapping[str, object], typed: str) -> Path:
    """Write a drafted case as one JSON line to a new file.

    Raises:
        UsageError: the path is empty, its folder is missing, or there is something already.
    """
    text = typed.strip().strip("\"'")
    if not text or len(text) > LONGEST_PATH or "\0" in text:
        raise UsageError(t("review_screen.save.empty"))
    path = Path(text).expanduser()
    try:
        with written_whole(path, new=True) as file:
            file.write(json.dumps(fields, ensure_ascii=False) + "\n")
    except StoreError as error:
        cause = error.__cause__
        if isinstance(cause, FileExistsError):
            raise UsageError(t("review_screen.save.exists", path=text)) from None
        why = cause.strerror if isinstance(cause, OSError) else error.title
        raise UsageError(t("review_screen.save.failed", path=text, why=why or "")) from None
    return path
