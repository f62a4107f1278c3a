"""Every word the interface shows, in one reviewed table a language: `zh.toml` is the text, `en.toml` its twin.

Chinese terms are those of courts and of the field. A key is `section.name`; both tables hold the same keys. The
language follows MOOT_LANG, then the locale; where neither says anything it is Chinese. A key press switches it while
the desk runs.
"""

from __future__ import annotations

import locale
import os
import tomllib
from functools import cache
from importlib import resources
from typing import Any

from app.terminal import clean

LANGUAGES = ("zh", "en")
_SILENT = ("", "c", "posix")
_chosen: str | None = None


def language() -> str:
    """`zh` or `en`: as chosen while running, else as MOOT_LANG or the locale say, else Chinese."""
    return _chosen or _from_environment()


def set_language(chosen: str | None) -> None:
    """Choose the language from now on; None goes back to what the environment says."""
    global _chosen
    if chosen is not None and chosen not in LANGUAGES:
        raise ValueError(f"unknown language {chosen!r}, known: {', '.join(LANGUAGES)}")
    _chosen = chosen


def t(key: str, **values: object) -> str:
    """The text of a key in the current language, `{name}` filled in; a key that no table holds is shown as it is."""
    text = table(language()).get(key)
    if text is None:
        return key
    return text.format(**values) if values else text


def counted(key: str, n: int, **values: object) -> str:
    """The text of a key for a number of things; `<key>.one` is its singular where a language has one."""
    singular = f"{key}.one"
    return t(singular if n == 1 and known(singular) else key, n=n, **values)


def duration(seconds: float) -> str:
    """A time in words: seconds, minutes, or hours."""
    if seconds >= 2 * 3600:
        return t("progress.hours", n=f"{seconds / 3600:.1f}")
    minutes = round(seconds / 60)
    return t("progress.minutes", n=minutes) if minutes else t("progress.seconds", n=max(1, round(seconds)))


def billions(count: int) -> str:
    """A number of parameters as models are called by: 7.6B, 494M."""
    return f"{count / 1e9:.1f}B" if count >= 1e9 else f"{count / 1e6:.0f}M" if count >= 1e6 else f"{count / 1e3:.0f}K"


def size_words(size: float) -> str:
    """Bytes as people say them."""
    for unit, bytes_ in (("GB", 1e9), ("MB", 1e6)):
        if size >= bytes_:
            return f"{size / bytes_:.{1 if unit == 'GB' else 0}f} {unit}"
    return f"{size / 1e3:.0f} kB"


def known(key: str) -> bool:
    """Whether there is a text of this key."""
    return key in table("zh")


def term(section: str, name: str) -> str:
    """What a name of the program is called, by `section.name`; one without words stands as it is, on one line."""
    key = f"{section}.{name}"
    return t(key) if known(key) else clean(name, multiline=False)


@cache
def table(name: str) -> dict[str, str]:
    """All texts of a language, by key."""
    content = resources.files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return dict(_flat(tomllib.loads(content), ""))


def _flat(branch: dict[str, Any], prefix: str) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for key, value in branch.items():
        if isinstance(value, dict):
            pairs += _flat(value, f"{prefix}{key}.")
        else:
            pairs.append((f"{prefix}{key}", value))
    return pairs


def _from_environment() -> str:
    names = [os.environ.get("MOOT_LANG", "")]
    names.append(next((v for n in ("LC_ALL", "LC_MESSAGES", "LANG") if (v := os.environ.get(n))), ""))
    if not any(names[1:]):
        names.append(_system_locale())
    for name in names:
        spoken = name.lower().replace("-", "_").split(".")[0].split("_")[0]
        if spoken.startswith(("zh", "chinese")):
            return "zh"
        if spoken not in _SILENT:
            return "en"
    return "zh"


def _system_locale() -> str:
    try:
        return locale.getlocale()[0] or ""
    except ValueError:
        return ""
