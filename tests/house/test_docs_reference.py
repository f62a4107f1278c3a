"""The reference is what the program says; a built site is searched for what a browser would fetch from elsewhere."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from tasks.courts.agents.model.card import prompts

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"


@cache
def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "packaging" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_what_the_program_says() -> None:
    """A change of commands, options, settings, tools, keys or entry points is followed by packaging/reference.py."""
    made = {name: page().rstrip("\n") + "\n" for name, page in script("reference").PAGES.items()}
    stale = [name for name, text in made.items() if (REFERENCE / name).read_text(encoding="utf-8") != text]
    assert stale == [], "run: python packaging/reference.py"
    assert sorted(path.name for path in REFERENCE.iterdir()) == sorted(made)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_page_of_prompts_shows_each_of_them(language: str) -> None:
    made = script("prompts").page(language)
    assert all(f"`{name}`" in made for name in prompts() if not name.startswith(("court-phrases/", "court-seat/")))


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.html", '<script src="https://x.example/a.js"></script>', 1),
        ("a.html", '<script src="//x.example/a.js"></script>', 1),
        ("a.html", '<link rel="stylesheet" href="https://fonts.example/css">', 1),
        ("a.html", '<link rel="preconnect" href="https://fonts.example">', 1),
        ("a.html", '<img src="a.svg" srcset="a.svg 1x, https://x.example/b.svg 2x">', 1),
        ("a.html", '<style>@font-face { src: url("https://x.example/f.woff2") }</style>', 1),
        ("a.html", '<p style="background: url(//x.example/b.png)">', 1),
        ("a.html", '<script>fetch("https://x.example/search.json")</script>', 1),
        ("a.css", "@import 'https://fonts.example/css';", 1),
        ("a.js", 'element.src = "https://x.example/a.js"', 1),
        ("a.svg", '<svg><image href="https://x.example/a.png"/></svg>', 1),
        ("a.html", '<a href="https://x.example/">a link</a> <link rel="canonical" href="https://x.example/">', 0),
        ("a.html", '<script src="_static/a.js"></script><img src="b.svg"><p>fetch("https://x.example")</p>', 0),
        ("a.svg", '<svg xmlns="http://www.w3.org/2000/svg"><!-- https://x.example --></svg>', 0),
        ("a.css", "p { background: url(b.png) }", 0),
    ],
)  # fmt: skip
def test_what_is_loaded_from_elsewhere_is_found(name: str, text: str, found: int) -> None:
    assert len(script("site_check").loads(name, text)) == found


def test_the_check_of_a_site_fails_where_it_should(tmp_path: Path) -> None:
    def check() -> int:
        command = [sys.executable, str(ROOT / "packaging" / "site_check.py"), str(tmp_path)]
        return subprocess.run(command, capture_output=True, check=False).returncode

    assert check() == 1, "no page at all"
    (tmp_path / "index.html").write_text('<a href="https://x.example/">a link</a>', encoding="utf-8")
    assert check() == 0
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "a.css").write_text("@import url(https://x.example/a.css);", encoding="utf-8")
    assert check() == 1


def test_pictures_fetch_nothing() -> None:
    assert list(script("site_check").outside(ROOT / "docs")) == []
