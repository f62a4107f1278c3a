"""Who may sit in a seat of any benchmark: a person, the floor, the reference; and what model methods share."""
