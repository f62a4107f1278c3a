"""What reviewers decide about tasks, in the language of the screen; for the desk and the command line."""

from __future__ import annotations

import json
from typing import Any

from app.strings import language, t
from tasks.verifying.citing import Cited
from tasks.verifying.decisions import Decision, causes


def cause_words(code: str) -> str:
    """A cause in the language of the screen."""
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


def law_words(one: Cited) -> str:
    """A cited article, whether it was in force, and the days of the version."""
    window = f"  {one.version.valid_from or '?'} – {one.version.valid_to or ''}" if one.version else ""
    return f"《{one.law}》{one.number.chinese}  {t(f'verify.force.{one.force}')}{window}"
