"""Runs in the forms that other programs read: logs of Inspect AI, tables, calls by seat, rows for data sets."""
