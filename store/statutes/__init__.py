"""Statutes in time: laws, their versions with the days they applied, the articles of each version."""
