"""Engines: whatever turns a prompt into a reply. This room knows no other room."""
