"""How Chinese legal text writes numbers, money, dates and words: one owner for all rooms.

Pure functions over strings. Whatever they are given they return a value or None and never raise for a text; money is
in yuan (元), dates are calendar days without a time zone.
"""
