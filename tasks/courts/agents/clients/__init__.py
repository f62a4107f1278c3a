"""The people who seek advice, by rules: what they hold, what they say of it, and how they sound."""
