"""A question that a person asks: a task file with it alone, without gold, so that it is played, kept, forked and
shown as every task is, and scored by nobody.

The file lies beside the runs of this machine, since a run names its task file and reads it again.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from store import places
from store.files import written_whole
from tasks.errors import UsageError
from tasks.legalagentbench.questions import ASKED

LONGEST = 500
"""Characters of a question."""


def asked_file(text: str) -> Path:
    """The task file of a question; the same for the same words.

    Raises:
        UsageError: there is nothing asked, or it is too long.
    """
    question = " ".join(text.split())
    if not 0 < len(question) <= LONGEST:
        raise UsageError(
            f"a question has 1 to {LONGEST} characters, this one has {len(question)}",
            "Ask one thing in one sentence.",
        )
    name = f"{ASKED}-{sha256(question.encode('utf-8', 'replace')).hexdigest()[:8]}"
    path = places.home() / "asked" / f"{name}.json"
    if not path.is_file():
        with written_whole(path, parents=True) as file:
            json.dump({"id": name, ASKED: True, "question": question}, file, ensure_ascii=False)
    return path
