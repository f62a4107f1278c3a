"""Scores of court episodes: what an attempt earned, what graders are asked about it, and the rows of a run.

Scores of attempts are shares from 0 to 1, those of a run go from 0 to 100. What needs a grader and has none is
missing and says why; it is never 0.
"""
