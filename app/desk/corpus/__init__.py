"""Corpora to walk through: tables, texts, laws and tools, the record, and where its values lead."""
