"""The lawyer who drafts (CD, DD), by rules: asks, keeps a dossier, writes the document."""
