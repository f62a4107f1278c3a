"""Unpacks a zip archive of a stranger into an empty folder; runs in the reading process (`child.py`) and nowhere
else.

No member leaves the folder, whatever its name; sizes are counted as they are written, not as the archive states them.
"""

from __future__ import annotations

import re
import shutil
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from store.errors import BadInput
from store.importers.child import MAX_ARCHIVE, MAX_FILE, MAX_MEMBERS, MAX_RATIO, RATIO_COUNTS_FROM

_DRIVE = re.compile(r"[A-Za-z]:")
_CHUNK = 1 << 20


def unpack(path: str, label: str, folder: str) -> Iterator[bool | None]:
    """Unpack an archive; gives at last whether it was one (a workbook, and what only ends like one, is none).

    Raises:
        BadInput: too many members, too large, one that would leave the folder, a link, encrypted, or twice the same.
    """
    source, root = Path(path), Path(folder)
    if not zipfile.is_zipfile(source):
        yield False
        return
    with zipfile.ZipFile(source) as archive:
        members = archive.infolist()
        if any(member.filename == "xl/workbook.xml" for member in members):
            yield False
            return
        if len(members) > MAX_MEMBERS:
            raise BadInput(f"{label} has {len(members):,} members, at most {MAX_MEMBERS:,} are unpacked")
        for member in members:
            _check_member(label, member)
        left = min(MAX_ARCHIVE, max(RATIO_COUNTS_FROM, source.stat().st_size * MAX_RATIO))
        for member in members:
            for written in _unpack_member(archive, member, root, label):
                left -= written
                if left < 0:
                    raise BadInput(f"{label} unpacks to far more than its size", "Unpack it yourself first.")
                yield None
    yield True


def _check_member(label: str, member: zipfile.ZipInfo) -> None:
    name = member.orig_filename
    shown = f"{name!r:.120}"
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or name.startswith(("/", "\\")) or _DRIVE.match(name) or "\0" in name:
        raise BadInput(f"{label}: the member {shown} would leave the folder it is unpacked to")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise BadInput(f"{label}: the member {shown} is a symbolic link")
    if member.flag_bits & 1:
        raise BadInput(f"{label}: the member {shown} is encrypted")


def _unpack_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, root: Path, label: str) -> Iterator[int]:
    """Writes one member, giving the size of each piece before it is written."""
    target = root.joinpath(*PurePosixPath(member.filename.replace("\\", "/")).parts)
    if member.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        raise BadInput(f"{label}: the member {member.filename!r:.120} occurs twice")
    size = 0
    with archive.open(member) as packed, target.open("xb") as plain:
        while data := packed.read(_CHUNK):
            size += len(data)
            if size > MAX_FILE:
                raise BadInput(f"{label}: the member {member.filename!r:.120} has more than {MAX_FILE >> 30} GiB")
            yield len(data)
            plain.write(data)
    shutil.copystat(archive.filename or target, target)
