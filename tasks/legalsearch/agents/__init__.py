"""What the model policies of LegalSearch share: schemas, prompts, the reading of tagged text, conversations.

Four modes. lean (the default): every round is one JSON object under a schema. native (search alone): plan and answer
so, between them tools are called in the form that the model was trained with. free: the same conversation in tagged
text, read forgivingly. paper: tagged text, read as strictly as the published loop does. Whatever the mode, one round
is one model call, and what has been sent is never changed.
"""

from __future__ import annotations

from tasks.agents.modes import Mode

_SEARCH = ("search/1", "search-first/1", "search-last/1", "law-phrases/1", "phrases/1")
SEARCH_PROMPTS: dict[Mode, tuple[str, ...]] = {
    "lean": _SEARCH,
    "native": ("search-native/1", "search-first/1", "search-close/1", "law-phrases/1", "phrases/1"),
    "free": _SEARCH,
    "paper": ("search-paper/1", "law-phrases/1"),
}
"""Mode -> the prompt files that the search agent uses."""
DIRECT_PROMPTS: dict[Mode, tuple[str, ...]] = dict.fromkeys(
    ("lean", "free", "paper"), ("direct-law/1", "law-phrases/1", "phrases/1")
)
"""Mode -> the prompt files of direct answers; in paper mode they stand in for prompts that a task file lacks."""
