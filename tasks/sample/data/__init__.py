"""Texts and word lists of the sample pack, read through importlib.resources."""
