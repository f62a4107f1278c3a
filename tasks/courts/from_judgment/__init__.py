"""Published first-instance judgments as drafts of case files: read, masked, taken apart by section, never trusted
unread."""
