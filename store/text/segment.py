"""Words of a Chinese text as the full-text index sees them, cut by jieba.

jieba keeps a cache in the shared temporary folder and talks on stderr unless told otherwise; both are settled here,
once, under a lock. Afterwards it is only read, which is safe from several threads.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import re
import threading
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

from store import places

MAX_RUN = 400
"""Characters without a mark or blank that are cut as one; no run in published statutes and judgments reaches 200."""
_IN_RUN = r"[\u4E00-\u9FD5a-zA-Z0-9+#&._%\-]"
"""What jieba takes together, as its own pattern has it."""
_LONG = re.compile(rf"(?<!{_IN_RUN}){_IN_RUN}{{{MAX_RUN + 1}}}")
_RUNS = re.compile(rf"{_IN_RUN}{{1,{MAX_RUN}}}|(?:(?!{_IN_RUN}).)+", re.DOTALL)

_lock = threading.Lock()
_ready: Any = None


def words(text: str) -> list[str]:
    """The words of a text in order, long words followed by nothing but preceded by their parts; no punctuation."""
    jieba = _jieba()
    cut = (word for piece in _pieces(text) for word in jieba.cut_for_search(piece))
    return [word for word in cut if any(character.isalnum() for character in word)]


def cut(text: str) -> list[str]:
    """The text as jieba's default mode cuts it, everything included: joined, the pieces are the text again."""
    jieba = _jieba()
    return [word for piece in _pieces(text) for word in jieba.cut(piece)]


def _pieces(text: str) -> list[str]:
    """The text itself; cut up when it runs on without a mark for longer than any sentence does.

    jieba looks at such a run as a whole, and its model for unknown words copies its path at every character: work
    grows with the square of the run. Between two runs it keeps nothing, so texts with shorter runs are cut as ever.
    """
    return _RUNS.findall(text) if _LONG.search(text) else [text]


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
