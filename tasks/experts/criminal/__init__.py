"""The expert on criminal matters."""
