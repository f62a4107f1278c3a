"""Numbers between bounds as pieces of grammar: digit by digit, because a grammar cannot compare.

No exponents, no leading zeros, no plus sign; decimals have up to six places.
"""

from __future__ import annotations

import math

Bound = float | None
_FRACTION = '"." [0-9]{1,6}'
_NO_FRACTION = '"." "0"{1,6}'
_SOME_FRACTION = '"." [0-9]{0,5} [1-9]'


def integers(least: Bound, most: Bound, above: Bound, below: Bound, digits: int) -> str:
    """Whole numbers of up to `digits` digits, `least` <= n <= `most` and `above` < n < `below`; "" if there are
    none."""
    limit = 10**digits - 1
    low = max(
        -limit, -limit if least is None else math.ceil(least), -limit if above is None else math.floor(above) + 1
    )
    high = min(limit, limit if most is None else math.floor(most), limit if below is None else math.ceil(below) - 1)
    parts: list[str] = []
    if low < 0:
        parts += [f'"-" {part}' for part in _naturals(max(1, -high), -low)]
    return " | ".join(parts + _naturals(max(0, low), high))


def decimals(least: Bound, most: Bound, above: Bound, below: Bound, digits: int) -> str:
    """Numbers in the same bounds; one that is not whole is drawn in to the next whole number. "" if none are left."""
    limit = 10**digits - 1
    low, open_low = _tighter(least, above, -limit, 1)
    high, open_high = _tighter(most, below, limit, -1)
    parts: list[str] = []
    if low < 0:
        below_zero = _upwards(max(0, -high), open_high and high <= 0, -low, open_low)
        parts += [f'"-" {part}' for part in below_zero]
    if high >= 0:
        parts += _upwards(max(0, low), open_low and low >= 0, high, open_high)
    return " | ".join(parts)


def _tighter(inclusive: Bound, exclusive: Bound, limit: int, sign: int) -> tuple[int, bool]:
    """The whole bound that holds and whether it is excluded; `sign` is 1 for a lower bound, -1 for an upper one."""
    bounds: list[tuple[int, bool]] = [(limit, False)]
    if inclusive is not None:
        bounds.append((sign * math.ceil(sign * inclusive), False))
    if exclusive is not None:
        bounds.append((sign * math.ceil(sign * exclusive), exclusive == int(exclusive)))
    return max(bounds, key=lambda bound: (sign * bound[0], bound[1]))


def _upwards(low: int, open_low: bool, high: int, open_high: bool) -> list[str]:
    """Decimals from `low` to `high`, both at least 0."""
    inside = _naturals(low + open_low, high - 1)
    parts = [f"({' | '.join(inside)}) ({_FRACTION})?"] if inside else []
    if open_low and low < high:
        parts.append(f'"{low}" {_SOME_FRACTION}')
    if not open_high and (low < high or (low == high and not open_low)):
        parts.append(f'"{high}" ({_NO_FRACTION})?')
    return parts


def _naturals(low: int, high: int) -> list[str]:
    """Whole numbers from `low` to `high`, both at least 0."""
    parts: list[str] = []
    for size in range(len(str(low)), len(str(max(high, 0))) + 1):
        start = max(low, 10 ** (size - 1) if size > 1 else 0)
        end = min(high, 10**size - 1)
        if start <= end:
            parts += _between(str(start), str(end))
    return parts


def _between(low: str, high: str) -> list[str]:
    """Numbers of one length, as ways to write them."""
    size = len(low)
    if low == high:
        return [f'"{low}"']
    if set(low[1:]) <= {"0"} and set(high[1:]) <= {"9"}:
        return [f"[{low[0]}-{high[0]}]" + (f" [0-9]{{{size - 1}}}" if size > 1 else "")]
    first, last = int(low[0]), int(high[0])
    if first == last:
        return [f'"{first}" ({" | ".join(_between(low[1:], high[1:]))})']
    parts = [f'"{first}" ({" | ".join(_between(low[1:], "9" * (size - 1)))})']
    if last - first > 1:
        parts.append(f"[{first + 1}-{last - 1}] [0-9]{{{size - 1}}}")
    return [*parts, f'"{last}" ({" | ".join(_between("0" * (size - 1), high[1:]))})']
