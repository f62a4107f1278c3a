"""Dialogs that any screen may open."""
