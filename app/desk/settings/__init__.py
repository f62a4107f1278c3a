"""Settings: what the user decided for this machine."""
