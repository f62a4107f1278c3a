"""Loops in a reply: the same span over and over at its end. Small models fall into them and do not come out again.

Lengths in characters. Only the end of a text is looked at, so the cost does not grow with it.
"""

from __future__ import annotations

import re

EVERY = 16
"""Tokens, or pieces of a server, after which a reply is looked at again."""
LONGEST_SPAN = 400
"""Of what is repeated."""
LEAST = 160
"""Of all copies together: a refrain is no loop."""
COPIES, COPIES_OF_A_CHARACTER = 4, 40
"""How often a span stands there, and one of fewer than `SHORT` characters."""
SHORT = 4
_WORD = re.compile(r"[^\W_]")


def loops(text: str) -> bool:
    """Whether a text ends in a loop. Rules, blanks to fill in and spans without a letter or a digit are none."""
    end = text[-LONGEST_SPAN * COPIES :]
    for size in range(1, min(LONGEST_SPAN, len(end) // COPIES) + 1):
        span = end[-size:]
        copies = max(COPIES, -(-LEAST // size), COPIES_OF_A_CHARACTER if size < SHORT else 0)
        if end[-2 * size : -size] == span and end.endswith(span * copies) and _WORD.search(span):
            return True
    return False
