"""The Board: all runs of the same tasks beside each other, and what papers printed."""
