"""Civil trials of first instance by rules: the bench and both parties."""
