"""Screens of the desk, each with a sibling `.tcss`: they compose and route, work happens in workers."""
