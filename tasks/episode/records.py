"""Between records (events in their place) and the rows of a journal."""

from __future__ import annotations

from store.journal import Entry
from tasks.episode.events import Record, decode, encode


def record_of(entry: Entry) -> Record:
    """The record of a journal row; an event of another release becomes `Unknown`."""
    return Record(entry.seq, entry.step, entry.parent, entry.at, decode(entry.tag, entry.data))


def entry_of(attempt: int, record: Record) -> Entry:
    """The journal row of a record."""
    tag, data = encode(record.event)
    return Entry(attempt, record.seq, record.step, record.parent, record.at, tag, data)
