"""One episode: the record in the middle, plan and seats, evidence and scores around it."""
