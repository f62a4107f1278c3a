"""Engines: whatever turns a prompt into a reply."""
