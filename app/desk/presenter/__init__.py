"""Presenter mode: a court episode for an audience."""
