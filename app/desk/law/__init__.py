"""Law: statutes in time."""
