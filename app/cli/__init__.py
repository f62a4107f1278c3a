"""The `moot` command line: one module a command; results on stdout, talk on stderr, exit 0, 1 or 2."""
