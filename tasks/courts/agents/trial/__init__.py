"""Trials by rules: the record, the agenda, the judge and the sides of both courts."""
