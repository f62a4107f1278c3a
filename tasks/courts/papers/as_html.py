"""A court paper as one HTML file: a sheet on the screen, A4 pages from a printer."""

from __future__ import annotations

from markupsafe import Markup

from tasks.courts.papers.paper import DISCLAIMER, FICTIONAL, Paper
from tasks.reports.page import source, templates


def written(paper: Paper) -> tuple[bytes, str | None]:
    """The file; it embeds no font."""
    template = templates(__package__).get_template("paper.html")
    # The mark of later pages stands in the style sheet, so only our own words may come there.
    mark = "　".join(mark for mark in paper.marks if mark in (DISCLAIMER, FICTIONAL))
    style = Markup(source(__package__, "paper.css").replace("MARK", mark))
    return template.render(paper=paper, style=style).encode("utf-8"), None
