"""Widgets that several screens use. They are given data or post messages; they never fetch anything themselves."""
