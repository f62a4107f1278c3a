"""Runs: what to run, its header, starting, resuming, forking, reading and scoring again. One journal file a run."""
