"""A report as one HTML file that opens from a stick: no script, no font or image from elsewhere, all text escaped.

A content security policy inside the file forbids everything but its own style, should an escape ever be missed.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from tasks.reports.courts import footer, tables_of
from tasks.reports.model import COLUMNS, agent, cells, counts, facts, fictional, heading, lines, measure, printable
from tasks.reports.tables import as_html
from tasks.reports.words import word
from tasks.scoring.metrics import Group, Metric, Report

STYLE = """
:root{color-scheme:light dark;--line:#8884;--bar:#3a7bd5;--mark:#b45309}
body{font:15px/1.5 system-ui,"Noto Sans CJK SC","Microsoft YaHei","PingFang SC",sans-serif;margin:2rem auto;max-width:78rem;padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2.2rem;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.86rem}
th,td{border-bottom:1px solid var(--line);padding:.25rem .5rem;text-align:right;vertical-align:top}
th{font-weight:600}th.t,td.t{text-align:left;overflow-wrap:anywhere}tr.first td{border-top:2px solid var(--line)}
.scroll{overflow-x:auto}dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;font-size:.86rem}
dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}.mark{color:var(--mark);font-weight:600}
svg{display:block;width:8rem;height:1rem}svg.plot{width:auto;height:auto;max-width:100%}
h3{font-size:1rem;margin-top:1.8rem}small{display:block;opacity:.75;white-space:nowrap}.note,.foot{font-size:.82rem;opacity:.85}
tr.published td,tr.limit td,tr.count td{opacity:.75}tr.spread td{font-style:italic}
"""
PLOT = 100
"""Width of the little plot, in its own units: a rate of 1."""


def page(reports: Sequence[Report], language: str = "zh") -> str:
    """The whole document."""
    title = _text(word("title", language))
    parts = [
        f'<!doctype html><html lang="{"en" if language == "en" else "zh-CN"}"><head><meta charset="utf-8">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="viewport" content="width=device-width">',
        f"<title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1>",
    ]
    if len(reports) > 1:
        parts.append(f"<h2>{_text(word('overview', language))}</h2>")
        parts += _table(reports, None, language)
    for table in tables_of(reports, language):
        parts += as_html(table)
    for report in reports:
        parts += _section(report, language)
    foot = [f'<p class="foot">{_text(line)}</p>' for line in footer(reports, language)]
    return "\n".join([*parts, *foot, "</body></html>\n"])


def _section(report: Report, language: str) -> Iterable[str]:
    yield f"<h2>{_text(report.summary.run)}</h2>"
    labels = [_text(agent(report, language))] if report.header else []
    labels += [f'<span class="mark">{_text(word("fictional", language))}</span>'] if fictional(report) else []
    yield f"<p>{' · '.join([_text(report.summary.benchmark), *labels])}</p>"
    yield from _table([report], report.summary.groups, language)
    yield "<dl>"
    for label, text in (*counts(report, language), *facts(report, language)):
        yield f"<dt>{_text(label)}</dt><dd>{_text(text)}</dd>"
    yield "</dl>"


def _table(reports: Sequence[Report], groups: Sequence[Group] | None, language: str) -> Iterable[str]:
    several = len(reports) > 1
    heads = [word("run", language)] if several else []
    heads += [word("measure", language), word("group", language)]
    yield '<div class="scroll"><table><thead><tr>'
    yield "".join(f'<th class="t">{_text(head)}</th>' for head in heads)
    yield (
        "".join(f"<th>{_text(heading(reports, column, language))}</th>" for column in COLUMNS)
        + "<th></th></tr></thead><tbody>"
    )
    for report in reports:
        shown = report.summary.wholes if groups is None else groups
        for line in lines(report, shown):
            names = [report.summary.run + (f" 〔{word('fictional', language)}〕" if fictional(report) else "")]
            names = names if several else []
            names += [measure(line, language), line.group.label[language == "en"]]
            first = ' class="first"' if line.group == shown[0] and not several else ""
            yield (
                f"<tr{first}>"
                + "".join(f'<td class="t">{_text(name)}</td>' for name in names)
                + "".join(f"<td>{_text(cell)}</td>" for cell in cells(line, language))
                + f"<td>{_plot(line)}</td>"
                + "</tr>"
            )
    yield "</tbody></table></div>"


def _plot(row: Metric) -> str:
    """The figure as a dot, its interval as a bar, floor and reference as thin marks."""
    if row.value is None:
        return ""
    scale = PLOT / row.measure.unit.top
    shapes = ['<rect x="0" y="7" width="100" height="1" fill="var(--line)"/>']
    if row.interval:
        left, width = row.interval.low * scale, max(0.5, (row.interval.high - row.interval.low) * scale)
        shapes.append(f'<rect x="{left:.1f}" y="5" width="{width:.1f}" height="5" fill="var(--bar)" opacity=".4"/>')
    for limit in (row.limits.get("floor"), row.limits.get("reference")):
        if limit is not None:
            shapes.append(f'<rect x="{limit * scale:.1f}" y="2" width=".8" height="11" fill="var(--mark)"/>')
    shapes.append(f'<circle cx="{row.value * scale:.1f}" cy="7.5" r="2.5" fill="var(--bar)"/>')
    return f'<svg viewBox="-3 0 106 15" aria-hidden="true">{"".join(shapes)}</svg>'


def _text(value: object) -> str:
    return html.escape(printable(str(value)))
