"""Substance by rules: what contested evidence shows, what the law says of it, which sentence or sum follows.

Nobody imports this package: seats of `tasks/courts/agents` find it by the entry points `moot.experts` and do without
it.
"""
