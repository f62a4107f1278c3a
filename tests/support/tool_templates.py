"""Chat templates in the manner of published families, written for tests: `templates/*.jinja`; those of `tools-` know
tools, and each has its calls in another form."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "templates"


def source(name: str) -> str:
    """The text of a template."""
    return (FOLDER / f"{name}.jinja").read_text("utf-8")


BY_FORM = {form: source(f"tools-{form}") for form in ("hermes", "llama", "mistral", "glm", "coder")}
"""Form of calls -> a template that writes it."""
HERMES = BY_FORM["hermes"]
FAILING = "{% if tools %}{{ raise_exception('tools are not for this model') }}{% endif %}" + HERMES
ODD = HERMES.replace("<tool_call>", "⟦").replace("</tool_call>", "⟧")
"""Has its calls in a form that nobody knows."""
ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
"""Takes hours of processor time."""
