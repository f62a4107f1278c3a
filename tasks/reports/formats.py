"""Reports in every format: text, Markdown, CSV, HTML, JSON. Apart from the package, because most who want a word of a
report write none."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from tasks.reports.as_csv import comma_separated
from tasks.reports.as_html import page
from tasks.reports.as_markdown import markdown
from tasks.reports.as_text import text
from tasks.reports.model import footer, tables_of
from tasks.scoring.metrics import Report, Summary
from tasks.scoring.names import as_codes


def _json(reports: Sequence[Report], language: str = "zh") -> str:
    content: dict[str, object] = {
        "reports": [
            {
                "header": dict(report.header),
                "block": report.summary.block(),
                **({"failures": dict(report.failures)} if report.failures else {}),
            }
            for report in reports
        ]
    }
    with as_codes():
        if tables := tables_of(reports, language):
            content |= {"tables": [table.data() for table in tables], "notes": footer(reports, language)}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


FORMATS: dict[str, Callable[[Sequence[Report], str], str]] = {
    "text": text,
    "html": page,
    "md": markdown,
    "csv": comma_separated,
    "json": _json,
}
"""Format -> writer of reports in a language ('zh' or 'en')."""


def text_report(
    summaries: Sequence[Summary], headers: Sequence[Mapping[str, object]] = (), language: str = "zh"
) -> str:
    """What runs came to, with their headers if known, as plain text."""
    padded = [*headers, *({} for _ in range(len(summaries) - len(headers)))]
    return text([Report(summary, header) for summary, header in zip(summaries, padded, strict=True)], language)
