"""What the trials of both courts share: the record as it was heard, exhibits, the agenda, a side that has the
floor."""
