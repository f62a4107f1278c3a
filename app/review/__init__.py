"""What people review on the desk, without widgets: scores of ended episodes, agreement of raters, case files."""
