"""The expert on civil matters."""
