"""The sentence for an engine where nobody answers: on the command line and on the desk."""

from __future__ import annotations

from app.strings import t
from app.strings.sentences import said
from tasks.episode import exchange
from tasks.episode.watcher import EngineAway


def away_text(notice: EngineAway) -> str:
    """Who does not answer, and what becomes of those who ask."""
    reason = said(notice.error.title)
    if notice.seconds is None:
        return t("run.lost", reason=reason, n=len(exchange.WAITS) + 1)
    return t("run.away", reason=reason, seconds=f"{max(1.0, notice.seconds):.0f}")
