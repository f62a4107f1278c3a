"""Facts about statutes that ship with the program."""
