"""The sizes of a prompt in words, for the command line and the desk: tokens, whole and by part."""

from __future__ import annotations

from app.strings import t
from tasks.run.peeking import Reading


def sizes(reading: Reading) -> dict[str, str]:
    """tokens, parts, context and reply, as the sentences about a prompt name them."""
    budget = reading.budget
    parts = (
        t("show.part", name=t(f"show.part.{name}"), tokens=f"{budget.tokens(size):,}")
        for name, size in reading.parts.items()
    )
    return {
        "tokens": f"{budget.tokens(sum(reading.parts.values())):,}",
        "parts": t("show.comma").join(parts),
        "context": f"{budget.context:,}",
        "reply": f"{budget.reply + budget.thought:,}",
    }
