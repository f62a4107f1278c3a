"""The policy `law-rules/1`: reads a question by rules, asks the statute search, answers from what it returned."""
