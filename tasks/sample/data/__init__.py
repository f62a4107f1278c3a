"""Texts and word lists of the sample pack, read through importlib.resources."""

from typing import Any

Table = dict[str, Any]
"""A table of a TOML file as its reader gives it; the files are ours, a slip in one shows when the pack is built."""
