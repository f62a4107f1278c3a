"""Advice by rules: a trainee who answers questions of law from tables of general knowledge."""
