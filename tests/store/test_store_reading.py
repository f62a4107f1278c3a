"""Readers of other people's files: by content, in a stream, with the line of what is wrong, never outside the folder;
of files that people write by hand, what no person writes is refused."""

from __future__ import annotations

import gzip
import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import BadInput, NotFound
from store.files import BY_HAND, read_text
from store.importers import reading
from store.importers.reading import entered, files_in, records
from tasks.courts.casefile.loading import load_dispute
from tasks.courts.casefile.questions import load_questions
from tasks.legalagentbench.construct.compose import Parts
from tasks.run.suite import read_suite

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_reader")]

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3)
    ),
    max_leaves=6,
)
OBJECTS = st.lists(
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), VALUES, max_size=4), max_size=6
)


@given(OBJECTS, st.sampled_from(["lines", "array", "indented"]), st.booleans(), st.booleans(), st.booleans())
def test_every_layout_reads_the_same(
    tmp_path: Path, items: list[dict[str, Any]], layout: str, packed: bool, bom: bool, ascii_only: bool
) -> None:
    if layout == "lines":
        text = "\n".join(json.dumps(item, ensure_ascii=ascii_only) for item in items)
    else:
        text = json.dumps(items, ensure_ascii=ascii_only, indent=2 if layout == "indented" else None)
    content = text.encode("utf-8-sig" if bom else "utf-8")
    path = tmp_path / "file.txt"
    path.write_bytes(gzip.compress(content) if packed else content)
    assert [item for _, item in records(path)] == items


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'{"a": 1}\n{"a": }\n', 2),
        (b'{"a": 1}\n\n[1]\n', 3),
        (b'{"a": 1}\n{"a": "\xff"}\n', 2),
        (b'{"a": 1}\n{"a": "\\ud800"}\n', 2),
        (b'[\n{"a": 1},\n{"a": }\n]', 3),
        (b'[\n{"a": 1}\n{"a": 2}\n]', 3),
        (b'[{"a": 1},\n', 2),
        (b"{" * 100_000, 1),
        (b'{"a": ' + b"9" * 5000 + b"}", 1),
    ],
)
def test_what_is_wrong_is_named_by_line(tmp_path: Path, content: bytes, line: int) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=rf"^rows\.jsonl, line {line}\b"):
        list(records(path))


WHOLE = gzip.compress(b'{"a": 1}\n' * 1000, mtime=0)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cut", WHOLE[:-20]),
        ("noise", b"\x1f\x8b" + b"x" * 50),
        ("long line", b'{"a": 1}\n{"a": "' + b"x" * 200 + b'"}'),
        ("long array", b'[{"a": "' + b"x" * 300_000),
    ],
)
def test_a_damaged_or_endless_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes
) -> None:
    monkeypatch.setattr(reading, "MAX_RECORD", 100)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput, match=name):
        list(records(tmp_path / name))


def test_missing_paths() -> None:
    with pytest.raises(NotFound), entered(Path("/nowhere/at/all")):
        pass
    with pytest.raises(NotFound):
        list(records(Path("/nowhere/at/all")))


def packed(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_a_zip_is_a_folder_and_goes_away(tmp_path: Path) -> None:
    archive = packed(tmp_path / "a.zip", {"top/tables/A.jsonl": b"{}", "top/b.txt": b"x"})
    with entered(archive) as root:
        assert [path.relative_to(root).as_posix() for path in files_in(root)] == ["b.txt", "tables/A.jsonl"]
    assert not root.exists()


@pytest.mark.parametrize("name", ["a/../../x", "/etc/x", "C:x", "x/C:/y", "\\x", "a\\..\\..\\x"])
def test_a_zip_cannot_lead_outside(tmp_path: Path, name: str) -> None:
    archive = packed(tmp_path / "a.zip", {"good": b"x", name: b"x"})
    with pytest.raises(BadInput, match="would leave"), entered(archive):
        pass


def test_links_secrets_and_bombs_in_a_zip(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(BadInput, match="symbolic link"), entered(tmp_path / "link.zip"):
        pass
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w") as archive:
        archive.writestr("zeros", b"x")
        archive.filelist[0].file_size = reading.MAX_ARCHIVE + 1  # a reader never gives more than is stated here
    with pytest.raises(BadInput, match="unpacks to more than 16 GiB"), entered(tmp_path / "bomb.zip"):
        pass
    broken = io.BytesIO()
    with zipfile.ZipFile(broken, "w") as archive:
        archive.writestr("a", b"hello hello hello")
    (tmp_path / "broken.zip").write_bytes(broken.getvalue().replace(b"hello hello", b"hello jello"))
    with pytest.raises(BadInput, match="cannot be read"), entered(tmp_path / "broken.zip"):
        pass


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_in_a_folder(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "a.jsonl").write_text("{}")
    (root / ".hidden").write_text("x")
    (root / "b.jsonl").symlink_to(root / "a.jsonl")
    (root / "sub" / "round").symlink_to(root)
    assert [path.name for path in files_in(root)] == ["a.jsonl", "b.jsonl"]
    (tmp_path / "secret").write_text("x")
    (root / "sub" / "c.jsonl").symlink_to(tmp_path / "secret")
    with pytest.raises(BadInput, match=r"sub/c\.jsonl"):
        files_in(root)


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
