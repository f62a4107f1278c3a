"""How the documentation site is built from the Markdown beside this file: `make docs`, result in site/.

Two sites, site/zh and site/en (`-t en`), so that sidebar, search and titles are in one language; a page without a
translation stands in both. Sphinx with MyST and Furo, because all three are kept well, the search index is a
script (it works from file://, where browsers refuse to fetch JSON), and nothing of theirs is loaded from elsewhere:
no fonts, no scripts, no styles.
"""

import re
from pathlib import Path
from typing import Any

import jieba

jieba.setLogLevel("WARNING")  # words for the search index; it would print its progress

HERE = Path(__file__).parent
ENGLISH = "en" in tags  # type: ignore[name-defined]  # noqa: F821  # Sphinx defines it
TRANSLATED = {path.relative_to(HERE).as_posix() for path in HERE.rglob("*.en.md")}
ORIGINALS = {name.replace(".en.md", ".md") for name in TRANSLATED}
OTHER = "zh" if ENGLISH else "en"

project = "Moot 模拟法庭评测台"
language = "en" if ENGLISH else "zh_CN"
root_doc = "index.en" if ENGLISH else "index"
extensions = ["myst_parser"]
myst_heading_anchors = 4
exclude_patterns = ["screens", *(ORIGINALS if ENGLISH else TRANSLATED)]
highlight_language = "text"
html_theme = "furo"
html_static_path = ["_static"]
html_js_files = ["words.js"]
html_title = project
html_copy_source = False
html_show_copyright = False
html_theme_options = {"footer_icons": [], "navigation_with_keys": True}


def linked(app: Any, docname: str, source: list[str]) -> None:
    """Links to a page of the other language lead to its translation here, else to the other site; the first line of
    a page leads to the other site."""
    folder = (HERE / docname).parent

    def link(match: re.Match[str]) -> str:
        text, target, anchor = match.groups(default="")
        path = (folder / target).resolve()
        name = path.relative_to(HERE).as_posix() if path.is_relative_to(HERE) else ""
        if name not in exclude_patterns:
            return match[0]
        if text not in ("English", "中文"):
            here = target.removesuffix(".en.md").removesuffix(".md")
            return f"[{text}]({here}{'.en' if ENGLISH else ''}.md{anchor})"
        up = "../" * (docname.count("/") + 1)
        return f'<a href="{up}{OTHER}/{name.removesuffix(".md")}.html{anchor}">{text}</a>'

    source[0] = re.sub(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+\.md)(#[^)]*)?\)", link, source[0])


def setup(app: Any) -> None:
    """What Sphinx calls first."""
    app.connect("source-read", linked)
