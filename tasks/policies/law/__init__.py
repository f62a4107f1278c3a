"""What the model policies of LegalSearch share: schemas, prompts, the reading of tagged text, conversations.

Three modes. lean (the default): every round is one JSON object under a schema. free: the same conversation in tagged text,
read forgivingly. paper: tagged text, read as strictly as the published loop does. Whatever the mode, one round is one model
call, and what has been sent is never changed.
"""

from __future__ import annotations

from tasks.policies.model.modes import Mode

_SEARCH = ("search/1", "search-first/1", "search-last/1", "law-phrases/1", "phrases/1")
_PAPER = ("search-paper/1", "law-phrases/1")
_DIRECT = ("direct-law/1", "law-phrases/1", "phrases/1")
PROMPTS: dict[Mode, dict[str, tuple[str, ...]]] = {
    "lean": {"search/1": _SEARCH, "direct-law/1": _DIRECT, "direct-law-cot/1": _DIRECT},
    "free": {"search/1": _SEARCH, "direct-law/1": _DIRECT, "direct-law-cot/1": _DIRECT},
    "paper": {"search/1": _PAPER, "direct-law/1": _DIRECT, "direct-law-cot/1": _DIRECT},
}
"""Mode -> policy -> the prompt files it uses."""
