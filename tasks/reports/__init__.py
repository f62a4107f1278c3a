"""Metric rows as something to read or to send on. Pure functions to text; `formats` has them all."""
