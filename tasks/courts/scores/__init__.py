"""Scores of the court environments: published rules beside strict ones, pure functions over what was said."""
