"""Models: the library of GGUF files, and a chat for trying one out."""
