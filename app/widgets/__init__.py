"""Widgets of the desk, one a file. They are given data or post messages; they never fetch anything themselves."""
