"""Runs on many machines. Placement, retries and health are Ray's; ours are shards, the files they need, and their
merge."""
