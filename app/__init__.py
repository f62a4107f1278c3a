"""The desk and the `moot` command line: the only room that knows a terminal."""
