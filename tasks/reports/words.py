"""The words of a report in both languages, `words.toml`; terms agree with the interface's table (a test compares
them)."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping

from store.tables import TomlTable, beside
from tasks.courts.casefile.roles import role_name
from tasks.courts.environment import codes, environment
from tasks.courts.procedure.model import REASONS
from tasks.scoring.metrics import Metric
from tasks.scoring.names import Names

SCALE = 100.0
"""The one scale on which people read shares; JSON and CSV keep the unit of the measure."""


class _Texts(TomlTable):
    """words: key -> (Chinese, English); phrases: pattern of what a score block says -> how a Chinese report says
    it."""

    words: dict[str, Names]
    phrases: dict[str, str]


def _texts() -> _Texts:
    return beside(__package__, "words", _Texts)


def words() -> Mapping[str, Names]:
    """Key -> (Chinese, English)."""
    return _texts().words


def word(key: str, language: str = "zh") -> str:
    """The word of a key; a key without one is shown as it is, without its section."""
    pair = words().get(key)
    return key.rpartition(".")[2] if pair is None else pair[language == "en"]


def width(text: str) -> int:
    """Cells that a text fills in a terminal."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in ("W", "F") else 1 for c in text
    )


def show(value: float | None, places: int = 4) -> str:
    """A figure for a table; a dash when there is none."""
    return "–" if value is None else f"{value:.{places}f}"


def figure(row: Metric, value: float | None, places: int | None = None) -> str:
    """A figure of a row for people: a share on the scale of 100 that every screen has, a count as it is."""
    unit = row.measure.unit
    if not math.isfinite(unit.top):
        return show(value, unit.places)
    return show(in_hundreds(row, value), unit.places if places is None else places)


def in_hundreds(row: Metric, value: float | None) -> float | None:
    """A value of a row with a best one, from 0 to 100."""
    return None if value is None else SCALE * value / row.measure.unit.top


def with_names(text: str, language: str) -> str:
    """The sentence of a score block with environment and role called as people call them."""

    def named(found: re.Match[str]) -> str:
        env, role = found.groups()
        if env not in codes():
            return found[0]
        who = role.replace("_", " ") if language == "en" else role_name(role, env)
        return f"{environment(env).label[language == 'en']} {who}"

    return re.sub(r"(\w+) (\w+)(?= (?:is consistent in|answers in|was played by|was not held by) )", named, text)


def phrase(text: str, language: str = "zh") -> str:
    """A sentence of a score block in the language of the report; the block itself keeps one wording."""
    text = with_names(text, language)
    if language != "en":
        for chinese, english in REASONS.values():
            text = re.sub(english, chinese, text)
        for english, chinese in _texts().phrases.items():
            text = re.sub(english, chinese, text)
    return text
