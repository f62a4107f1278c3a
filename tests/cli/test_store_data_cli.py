"""`moot data`: results on stdout, talk on stderr, exit codes that scripts can use."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.library import packs
from store import manifest as manifests
from store import places
from tests.support.typed import moot

ROWS = '{"地址": "一路1号", "省份": "甲省", "城市": "乙市", "区县": "丙区"}\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "AddrInfo.jsonl").write_text(ROWS, encoding="utf-8")
    return folder


def test_import_list_stats_verify_remove(source: Path) -> None:
    code, out, err = moot("data", "import", "tables", source, "--name", "mine", "--json")
    assert code == 0 and json.loads(out)["tables"]["AddrInfo"] == 1
    assert "reading AddrInfo.jsonl" in err and "\r" not in err

    code, out, _ = moot("data", "list", "--json")
    (pack,) = json.loads(out)["packs"]
    assert {"name", "format", "provenance", "tables", "documents", "statutes", "tasks"} <= set(pack)
    shown = [pack[key] for key in ("name", "format", "provenance", "statutes")]
    assert shown == ["mine", "moot-pack/1", ["imported"], 0]
    code, out, _ = moot("data", "list")
    assert code == 0 and "mine" in out and "导入" in out

    code, out, _ = moot("data", "list", "mine", "--json")
    assert json.loads(out)["packs"][0]["tables"]["AddrInfo"] == {"rows": 1, "cells": 4, "known_cells": 4}
    corpora = json.loads(out)["packs"][0]["corpora"]
    assert len(corpora) == 17 and corpora["AddrInfo"] == {"size": 1, "paper": 19533}
    code, out, _ = moot("data", "list", "mine")
    assert code == 0 and "100.0%" in out and "19,533" in out

    code, out, _ = moot("data", "verify")
    assert code == 0 and "完好" in out
    code, out, _ = moot("data", "remove", "mine", "--json")
    assert code == 0 and list(places.packs().iterdir()) == []


def test_damage_is_exit_code_one(source: Path) -> None:
    moot("data", "import", "tables", source)
    corpus = places.packs() / "tables" / "corpus.db"
    content = bytearray(corpus.read_bytes())
    content[5000] ^= 1
    corpus.write_bytes(content)
    code, out, _ = moot("data", "verify", "tables", "--json")
    (problem,) = json.loads(out)["packs"][0]["problems"]
    assert code == 1 and problem["file"] == "corpus.db" and len(problem["actual"]) == 64
    code, out, err = moot("data", "verify")
    assert code == 1 and "corpus.db" in out and problem["expected"] in out and err == ""

    corpus.write_bytes(content[:-1])
    code, out, _ = moot("data", "list", "--json")
    assert code == 0 and "corpus.db" in json.loads(out)["packs"][0]["error"]
    code, _, err = moot("data", "list", "tables")
    assert code == 1 and "damaged" in err
    moot("data", "import", "tables", source, "--name", "sound")
    code, out, _ = moot("data", "list", "sound")
    assert code == 0 and "100.0%" in out, "the sound one is still counted"
    code, out, _ = moot("data", "list")
    assert code == 0 and "corpus.db" in out and "sound" in out
    assert moot("data", "list", "tables", "--json")[:2] == (1, "")
    moot("data", "remove", "sound", "--json")
    (places.packs() / "tables" / "manifest.json").unlink()
    code, out, _ = moot("data", "verify", "--json")
    assert code == 1 and json.loads(out)["packs"][0]["problems"][0]["file"] == "manifest.json"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("import", "parquet", "."), 2, "no import format named parquet"),
        (("import", "tables", "/nowhere"), 2, "nothing at /nowhere"),
        (("import", "tables", ".", "--name", "../x"), 2, "cannot name a pack"),
        (("verify", "nowhere"), 2, "no pack named nowhere"),
        (("list", "nowhere"), 2, "no pack named nowhere"),
        (("remove", "nowhere"), 2, "no pack named nowhere"),
        (("remove", "../.."), 2, "no pack named"),
        (("template", "/nowhere"), 2, "nothing at /nowhere"),
        (("import", "web", ".", "--map", "x.toml"), 2, "only tables are imported by a map"),
        (("import", "tables", ".", "--map", "/nowhere.toml"), 2, "/nowhere.toml"),
        (("build", "novel"), 2, "novel"),
        (("verify", "a\x1b]0;x\x07"), 2, "no pack named"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], code: int, said: str) -> None:
    got, out, err = moot("data", *arguments)
    assert (got, out) == (code, "")
    assert said in err and len(err.splitlines()) == 1 and "\x1b" not in err


def test_a_template_is_edited_and_imported_by(source: Path, tmp_path: Path) -> None:
    (source / "AddrInfo.jsonl").rename(source / "住址.jsonl")
    assert moot("data", "import", "tables", source)[0] == 1
    code, out, _ = moot("data", "template", source)
    assert code == 0 and "# AddrInfo: 地址、省份、城市、区县" in out
    _, listed, _ = moot("data", "template", source, "--json")
    columns = {"地址": "", "省份": "", "城市": "", "区县": ""}
    assert json.loads(listed) == {"住址.jsonl": {"table": "", "columns": columns}} == tomllib.loads(out)
    edited = out.replace('table = ""', 'table = "AddrInfo"').replace('"地址" = ""', '"地址" = "地址"')
    (tmp_path / "map.toml").write_text(edited, encoding="utf-8")
    code, out, err = moot("data", "import", "tables", source, "--map", tmp_path / "map.toml", "--json")
    assert code == 0 and json.loads(out)["tables"]["AddrInfo"] == 1 and "住址.jsonl: 省份" in err
    (tmp_path / "empty").mkdir()
    code, _, err = moot("data", "template", tmp_path / "empty")
    assert code == 2 and "没有表" in err or "holds no table" in err


def resealed(name: str, change: Callable[[dict[str, Any], Path], None]) -> None:
    """A pack whose manifest somebody wrote anew, with a seal that holds."""
    folder = places.packs() / name
    content = json.loads((folder / manifests.FILE).read_text())
    content.pop("seal")
    change(content, folder)
    seal = hashlib.sha256(manifests._canonical(content)).hexdigest()
    (folder / manifests.FILE).write_bytes(manifests._canonical({**content, "seal": seal}))


@pytest.mark.parametrize("said", ["../../evil\x1b[31m", "x" * 1_000_000])
def test_a_pack_goes_by_the_name_of_its_folder(source: Path, said: str) -> None:
    assert moot("data", "import", "tables", source, "--name", "mine")[0] == 0
    resealed("mine", lambda content, _: content.update(name=said))
    assert [(pack.name, bool(pack.error)) for pack in packs()] == [("mine", True)]
    code, out, _ = moot("data", "list")
    assert code == 0 and out.startswith("mine　✘") and len(out) < 800 and out.count("\n") == 1


def test_nothing_installed() -> None:
    assert moot("data", "list", "--json")[1].strip() == '{"packs": []}'
    code, out, err = moot("data", "list")
    assert (code, out) == (0, "") and "moot data build sample" in err
    assert moot("data", "verify")[0] == 0


def test_a_pack_goes_by_the_name_of_its_folder_wherever_it_is_opened(source: Path) -> None:
    moot("data", "import", "tables", source, "--name", "mine")
    (places.packs() / "mine").rename(places.packs() / "yours")
    code, out, _ = moot("data", "list", "--json")
    assert code == 0 and "says that it is the pack mine" in json.loads(out)["packs"][0]["error"]
    for use in (("data", "list", "yours"), ("law", "show", "刑法", "第一条", "--pack", "yours")):
        code, out, err = moot(*use)
        assert (code, out) == (1, "") and "says that it is the pack mine" in err and err.count("\n") == 1
