"""A model in any seat of a court: its card, the record as it went through it, its replies."""
