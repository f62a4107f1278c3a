"""What the command line and the desk both say: an engine is away, sizes of a prompt, names of scores, and what
reviewers decide about tasks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from app.strings import known, language, t
from app.strings.sentences import translated
from tasks.episode import exchange
from tasks.episode.scheduler import EngineUnavailable

if TYPE_CHECKING:
    from tasks.episode.events import Said
    from tasks.run.seat_prompt import SeatPrompt
    from tasks.verifying.decisions import Decision
    from tasks.verifying.taskset import TaskCitation


def away_text(notice: EngineUnavailable) -> str:
    """Who does not answer, and what becomes of those who ask."""
    reason = translated(notice.error.title)
    if notice.seconds is None:
        return t("run.lost", reason=reason, n=len(exchange.WAITS) + 1)
    return t("run.away", reason=reason, seconds=f"{max(1.0, notice.seconds):.0f}")


def failure_name(name: str) -> str:
    """A class of failures in the current language."""
    from tasks.scoring.failures import BY_NAME

    return BY_NAME[name].label[language() == "en"]


def marks_of(event: Said) -> str:
    """What stands behind words: that a limit ended them, that they say nothing of their own; '' for nothing."""
    return (t("event.unfinished") if event.unfinished else "") + (
        t("event.mark", words=t(f"flag.{event.fault}")) if event.fault else ""
    )


def sizes(reading: SeatPrompt) -> dict[str, str]:
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


def score_name(name: str) -> str:
    """The name of a value in the current language, as the head of a row: by the interface's own words, else as
    reports name it."""
    from tasks.scoring.names import MEASURES, measure_name

    key = f"scores.{name}"
    words = t(key) if name not in MEASURES and known(key) else measure_name(name, language())
    return words[:1].upper() + words[1:]


def score_figure(name: str, value: float) -> str:
    """A value of an episode as people read it: a share in points of 100, a distance of logarithms as it is."""
    from tasks.scoring.names import DISTANCES

    return f"{value:.2f}" if name in DISTANCES else f"{100 * value:.1f}"


def cause_words(code: str) -> str:
    """A cause in the language of the screen."""
    from tasks.verifying.decisions import causes

    cause = causes().get(code)
    return code if cause is None else cause.zh if language() == "zh" else cause.en


def verdict_words(one: Decision) -> str:
    """What somebody decided, with why."""
    words = t(f"verify.verdict.{one.verdict}")
    why = t("show.comma").join(map(cause_words, one.causes))
    return f"{words}{t('verify.brackets', text=why)}" if why else words


def call_words(call: Any) -> str:
    """A call of the path on one line."""
    if not isinstance(call, dict):
        return str(call)
    return f"{call.get('tool', '')} {json.dumps(call.get('input'), ensure_ascii=False)}"


def law_words(one: TaskCitation) -> str:
    """A cited article, whether it was in force, and the days of the version."""
    window = f"  {one.version.valid_from or '?'} – {one.version.valid_to or ''}" if one.version else ""
    return f"《{one.law}》{one.number.chinese}  {t(f'verify.force.{one.force}')}{window}"
