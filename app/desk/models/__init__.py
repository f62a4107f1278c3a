"""Models: the library of GGUF files."""
