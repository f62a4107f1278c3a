"""Words of a Chinese text as the full-text index sees them, cut by jieba.

jieba keeps a cache in the shared temporary folder and talks on stderr unless told otherwise; both are settled here,
once, under a lock. Afterwards it is only read, which is safe from several threads.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import threading
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

from store import places

_lock = threading.Lock()
_ready: Any = None


def words(text: str) -> list[str]:
    """The words of a text in order, long words followed by nothing but preceded by their parts; no punctuation."""
    return [word for word in _jieba().cut_for_search(text) if any(character.isalnum() for character in word)]


def cut(text: str) -> list[str]:
    """The text as jieba's default mode cuts it, everything included: joined, the pieces are the text again."""
    return list(_jieba().cut(text))


@functools.cache
def segmenter() -> str:
    """Name, version and dictionary of the cutter: an index made by another one cannot be searched."""
    jieba = _jieba()
    dictionary = Path(jieba.__file__).parent / "dict.txt"
    with dictionary.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return f"jieba {jieba.__version__} {digest[:16]}"


def _jieba() -> Any:
    global _ready
    if _ready is None:
        with _lock:
            if _ready is None:
                _ready = _load()
    return _ready


def _load() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba

        jieba.setLogLevel(logging.CRITICAL + 1)
        with suppress(OSError):
            places.cache().mkdir(parents=True, exist_ok=True)
            jieba.dt.tmp_dir = str(places.cache())
        jieba.dt.initialize()
    return jieba
