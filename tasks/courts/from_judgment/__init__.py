"""Published first-instance judgments as drafts of case files: read, masked, taken apart by section, never trusted unread."""

from tasks.courts.from_judgment.drafting import Draft, draft, draft_of
from tasks.courts.from_judgment.masking import Masked

__all__ = ["Draft", "Masked", "draft", "draft_of"]
