"""Home: runs, packs, what to do next, and the dialog for a new run."""
