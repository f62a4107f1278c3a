"""Which cases a person has reviewed: an append-only log of JSON lines beside packs and runs.

Neither pack nor case file is ever changed by a review. A line names the hash of what was reviewed, so that a case
that was changed afterwards shows as such. Lines that cannot be read are passed over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from app.strings import t
from store import places
from store.errors import NotFound
from store.files import read_whole
from tasks.episode.plain import plain_text
from tasks.errors import UsageError
from tasks.scoring.human import LONGEST_NAME, LONGEST_REASON

PATIENCE = 5.0
"""Seconds to wait for another desk that writes to the log."""
MOST_BYTES = 1 << 26
"""Size that the log may have."""
Status = Literal["reviewed", "changed", "open"]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """One line: when (UTC, ISO), which case with which hash, from where, by whom, and what was noted."""

    at: str
    case: str
    digest: str
    source: str
    author: str
    note: str


def log_file() -> Path:
    """Where the log lies."""
    return places.home() / "reviews" / "cases.jsonl"


def reviews() -> tuple[Reviewed, ...]:
    """All lines, oldest first; `BadInput` where the log is no plain file. Only a line feed ends a line: a note may
    hold other separators."""
    try:
        lines = read_whole(log_file(), MOST_BYTES).decode("utf-8", "replace").split("\n")
    except NotFound:
        return ()
    return tuple(found for line in lines if (found := _read(line)) is not None)


def _read(line: str) -> Reviewed | None:
    try:
        data = json.loads(line)
        return Reviewed(**{field.name: str(data[field.name]) for field in fields(Reviewed)})
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def mark(case: str, digest: str, source: str, author: str, note: str) -> Reviewed:
    """Append that a case was reviewed; on disk when it returns.

    Raises:
        UsageError: author or note are too long, the author is missing, or the log cannot be written.
    """
    author, note = " ".join(plain_text(author).split()), plain_text(note).strip()
    if not author or len(author) > LONGEST_NAME:
        raise UsageError(t("review_screen.bad.author", n=LONGEST_NAME))
    if len(note) > LONGEST_REASON:
        raise UsageError(t("review_screen.bad.reason_long", n=LONGEST_REASON))
    made = Reviewed(datetime.now(UTC).isoformat(timespec="seconds"), case, digest, source, author, note)
    path = log_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock", timeout=PATIENCE), path.open("ab") as file:
            # A line that was cut off by a crash ends here, so that it spoils no other.
            broken = file.tell() > 0 and not _ends_a_line(path)
            file.write(
                b"\n" * broken + json.dumps(asdict(made), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
            )
            file.flush()
            os.fsync(file.fileno())
    except (OSError, Timeout) as error:
        raise UsageError(
            t("review_screen.log_failed", path=path), str(getattr(error, "strerror", "") or error)
        ) from None
    return made


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def status_of(known: Iterable[Reviewed], case: str, digest: str) -> tuple[Status, tuple[Reviewed, ...]]:
    """Whether a case was reviewed as it is, or before it changed; with its lines."""
    own = tuple(one for one in known if one.case == case)
    same = [one for one in own if one.digest == digest]
    return ("reviewed" if same else "changed" if own else "open"), own
