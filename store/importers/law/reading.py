"""What every reader does once it has title, history and articles: dates, level, names, repeals, and what to remark
on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from store.importers.law import naming
from store.importers.law.body import Body
from store.importers.law.history import closing_day, enacted, entry_into_force, last_change, repeals
from store.importers.law.parsed import Event, ParsedLaw

_UNLISTED_AFTER = timedelta(days=150)
"""Between adoption and publication lie weeks; a version dated later than this was changed by a decision not
listed."""
_PUBLISHED_LATE = "司法解释"
"""Between the committee's adoption and the notice that publishes an interpretation lies up to a year."""


def completed(
    name: str,
    source: str,
    history: tuple[Event, ...],
    body: Body,
    *,
    named_day: date | None = None,
    part: str = "",
    folders: Sequence[str] = (),
    aliases: Sequence[str] = (),
) -> ParsedLaw:
    """A law from its pieces; `named_day` is the day of adoption that the name of the file gives."""
    law = ParsedLaw(name, source, part, history=history, articles=body.articles)
    change, begun = last_change(history), enacted(history)
    law.changed = change is not None
    law.state = change.day if change else begun or named_day
    law.level = naming.level_of(folders, name, history)
    known = [event.day for event in history if event.kind != "in_force"]
    if named_day and known and named_day - max(known) > _UNLISTED_AFTER and law.level != _PUBLISHED_LATE:
        law.unlisted, law.state, law.changed = True, named_day, True
    elif named_day and law.state and law.state - named_day > _UNLISTED_AFTER:
        law.problems.append(
            f"the history goes on to {law.state.isoformat()}, after {named_day.isoformat()} in its name"
        )
    law.adopted, law.dated = named_day or law.state, named_day is not None
    published = max(filter(None, (law.state, named_day)), default=None)
    entry = entry_into_force(law.articles, history, law.state, law.changed, published)
    law.valid_from, law.inferred, law.basis = entry.day, entry.inferred, entry.basis
    law.closing_day = closing_day(law.articles)
    law.aliases = tuple(aliases)
    law.repeals = repeals(law.articles)
    law.problems.extend(remarks(body, part))
    return law


def remarks(body: Body, part: str = "") -> list[str]:
    """What a reader should know about the numbers of a text."""
    found = []
    for last, following in body.skipped:
        between = following.number - last.number - 1
        if following.sub or not between:
            found.append(f"{following.chinese} follows {last.chinese}")
        elif between == 1:
            found.append(f"第{_number(last.number + 1)}条 is missing")
        else:
            found.append(f"第{_number(last.number + 1)}条 to 第{_number(following.number - 1)}条 are missing")
    found += [f"{number.chinese} comes again or late (line {line})" for line, number in body.restarts]
    found += [f"{number.chinese} has no words" for number in body.wordless]
    return found


def _number(number: int) -> str:
    from store.text.numerals import int_to_chinese

    return int_to_chinese(number)
