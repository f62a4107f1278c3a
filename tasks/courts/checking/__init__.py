"""The legal coherence of a case: what an author checks before a lawyer reads it."""
