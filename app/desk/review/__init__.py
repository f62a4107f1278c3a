"""Review: scores that people give, agreement of raters, cases to be read."""
