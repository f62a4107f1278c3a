"""Benchmarks, environments, policies and scorers. Knows `store` and `models`, never a screen."""
