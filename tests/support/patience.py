"""How long a test waits for what has to come: long enough for any machine, short enough to end one that hangs."""

PATIENCE = 300.0
"""Seconds. Nothing that works ever waits so long; no test says how quick something is."""
