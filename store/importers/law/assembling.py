"""Lays the versions of each law beside each other: windows, labels, succession, and texts that are there twice.

A version ends on the day before the next one begins. Which versions there were, the histories of all texts of a law
tell; a version that a history names and no text holds leaves a gap and is never invented. Days are inclusive.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cache

from store.importers.law import naming
from store.importers.law.history import enacted, last_change
from store.importers.law.parsed import LawDecision, ParsedLaw, Repeal
from store.statutes.model import LawVersion, Link
from store.statutes.names import short_name
from store.tables import Words, beside
from store.text.numerals import int_to_chinese

_DAY = timedelta(days=1)
_MEETING = re.compile(r"第[0-9一二三四五六七八九十百]+次")
_BODIES = re.compile(
    r"^(?:(?:最高人民法院|最高人民检察院|全国人民代表大会常务委员会|全国人民代表大会|国务院|公安部|司法部)[、和]?)+"
)


@dataclass(slots=True)
class VersionPlan:
    """A version and the texts that hold it, in the order of its parts; parts: what each of them is called."""

    version: LawVersion
    texts: list[ParsedLaw]
    parts: list[str] = field(default_factory=list)
    repeals: tuple[Repeal, ...] = ()
    repeals_on: date | None = None


@dataclass(slots=True)
class LawPlan:
    """A law with its versions, the oldest first."""

    name: str
    short: str
    level: str
    aliases: list[str]
    versions: list[VersionPlan] = field(default_factory=list)


@dataclass(slots=True)
class PackPlan:
    """Everything to write. same: pairs of texts (kept, left out) that hold one version of one law."""

    laws: list[LawPlan] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    same: list[tuple[ParsedLaw, ParsedLaw]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def assemble(found: Sequence[ParsedLaw]) -> PackPlan:
    """The plan for all texts of a collection; the order of the texts makes no difference."""
    plan = PackPlan()
    groups: dict[str, list[ParsedLaw]] = defaultdict(list)
    for text in sorted(found, key=lambda text: text.source):
        groups[naming.group_key(text.name)].append(text)
    acts = _Acts(found)
    names: dict[str, str] = {}
    for key in sorted(groups):
        law = _assemble_law(groups[key], acts, plan)
        plan.laws.append(law)
        names[key] = law.name
    _repeal(plan, names)
    plan.laws.sort(key=lambda law: law.name)
    return plan


class _Acts:
    """When decisions that change laws entered into force, as far as the collection holds them."""

    def __init__(self, found: Iterable[ParsedLaw]) -> None:
        self._by_title: dict[str, date] = {}
        self._by_meeting: dict[tuple[date, str], set[date]] = defaultdict(set)
        for law in found:
            if not naming.amends(law.name) or law.inferred or law.valid_from is None:
                continue
            self._by_title[_act_key(law.name)] = law.valid_from
            for event in law.history:
                if event.kind in ("adopted", "changed") and (meeting := _MEETING.search(event.text)):
                    self._by_meeting[event.day, event.body + meeting.group()].add(law.valid_from)

    def entry(self, event: LawDecision, law: str) -> tuple[date, bool, str] | None:
        """Day, whether it is inferred, and basis, for a change of a law by one of these decisions."""
        if event.act and (day := self._by_title.get(_act_key(event.act))) is not None:
            return day, False, f"《{event.act}》自{day.isoformat()}起施行"
        meeting = _MEETING.search(event.text)
        days = self._by_meeting.get((event.day, event.body + meeting.group()), set()) if meeting else set()
        if len(days) == 1:
            day = next(iter(days))
            return day, True, f"同次会议通过的修改决定自{day.isoformat()}起施行，据此推定"
        if (day := _known_entries().get((naming.group_key(law), event.day))) is not None:
            return day, True, f"{event.day.isoformat()}的修改决定自{day.isoformat()}起施行（一般知识）"
        return None


@cache
def _known_entries() -> dict[tuple[str, date], date]:
    """(key of the law, day of the decision) -> first day in force."""
    rows = beside(__package__, "decisions", dict[str, tuple[tuple[date, date, Words], ...]])["decisions"]
    return {(naming.group_key(law), decided): entered for decided, entered, laws in rows for law in laws}


def _act_key(title: str) -> str:
    return naming.group_key(_BODIES.sub("", naming.tidy(title)))


def _assemble_law(texts: list[ParsedLaw], acts: _Acts, plan: PackPlan) -> LawPlan:
    versions = _versions(texts, plan)
    titles = [group[0].name for group in versions]
    name = naming.law_name(titles)
    levels = [group[0].level for group in versions if group[0].level]
    others = [alias for group in versions for text in group for alias in (text.name, *text.aliases)]
    law = LawPlan(name, short_name(name), levels[-1] if levels else "", naming.aliases(name, others))
    changes = _changes(versions)
    labels: set[str] = set()
    for group in versions:
        entered, adopted, inferred, source = _entered(group, name, changes, acts)
        label = _label(group[0], name, changes, labels, plain=_plain_ones(versions))
        labels.add(label)
        law.versions.append(_planned(group, LawVersion(name, label, entered, None, adopted, inferred, source)))
    _end_versions(law, versions, changes, acts, plan)
    return law


def _versions(texts: list[ParsedLaw], plan: PackPlan) -> list[list[ParsedLaw]]:
    """Texts of one law by version, the oldest first; a version is one text, or its parts in order."""
    parts = [text for text in texts if text.part]
    by_state: dict[date | None, list[ParsedLaw]] = defaultdict(list)
    told = {text.digest: text.state for text in texts if text.history}
    for text in texts:
        if not text.part:
            # A text without history is the same version as one in the same words that has one.
            state = text.state if text.history else told.get(text.digest, text.state)
            by_state[state].append(text)
    versions: list[list[ParsedLaw]] = []
    for same in by_state.values():
        best = max(same, key=_preference)
        plan.same.extend((best, other) for other in same if other is not best)
        versions.append([best])
    by_part: dict[date | None, list[ParsedLaw]] = defaultdict(list)
    for text in parts:
        by_part[text.state].append(text)
    versions.extend(sorted(group, key=lambda text: (_ends(text)[0], text.source)) for group in by_part.values())
    return sorted(versions, key=lambda group: (group[0].state or date.min, group[0].source))


def _preference(text: ParsedLaw) -> tuple[bool, bool, date, bool, int]:
    """Which of two texts of one version is kept: with a history, dated, later published, without gaps, longer."""
    return bool(text.history), text.dated, text.adopted or date.min, not text.problems, len(text.numbered)


def _changes(versions: list[list[ParsedLaw]]) -> dict[date, LawDecision | None]:
    """Every day on which the law changed or was enacted anew, from all histories and the versions themselves."""
    days: dict[date, LawDecision | None] = {}
    for group in versions:
        for text in group:
            for event in text.history:
                if event.kind == "changed":
                    days[event.day] = event
            if text.state is not None:
                days.setdefault(text.state, None)
    return days


def _entered(
    group: list[ParsedLaw], name: str, changes: dict[date, LawDecision | None], acts: _Acts
) -> tuple[date | None, date | None, bool, str]:
    """(valid_from, adopted, inferred, source) of a version; its own words first, then those of the act that made
    it."""
    law = group[-1] if len(group) > 1 else group[0]
    stated = next((text for text in group if not text.inferred), law)
    entered, inferred, basis = stated.valid_from, stated.inferred, stated.basis
    event = changes.get(law.state) if law.state else None
    if inferred and event is not None and (act := acts.entry(event, name)) is not None:
        entered, inferred, basis = act
    source = group[0].source if len(group) == 1 else group[0].source.rpartition("/")[0] or name
    return entered, law.adopted, inferred, f"{source}；{basis}" if basis else source


def _plain_ones(versions: list[list[ParsedLaw]]) -> int:
    return sum(1 for group in versions if not group[0].changed)


def _label(law: ParsedLaw, name: str, changes: dict[date, LawDecision | None], taken: set[str], *, plain: int) -> str:
    """刑法(2020修正), the plain name for a law as it was enacted; always another one for another version."""
    if law.name != name and naming.group_key(law.name) == naming.group_key(name) and law.name.endswith(("）", ")")):
        label = law.name
    elif not law.changed:
        label = name if plain == 1 or not taken or law.state is None else f"{name}({law.state.year})"
    elif law.state is None:
        label = name
    else:
        same_year = sorted(day for day, event in changes.items() if day.year == law.state.year and event is not None)
        place = same_year.index(law.state) + 1 if law.state in same_year else 1
        event = changes.get(law.state)
        kind = "修订" if event is not None and "修订" in event.text else "修正"
        ordinal = f"第{'一二三四五六七八九'[place - 1]}次" if 1 < place < 10 else ""
        label = f"{name}({law.state.year}{ordinal}{kind})"
    if label in taken:
        label = f"{name}({law.state.isoformat() if law.state else len(taken) + 1})"
    while label in taken:
        label += "'"
    return label


def _planned(group: list[ParsedLaw], version: LawVersion) -> VersionPlan:
    repeals = {repeal.title: repeal for text in group for repeal in text.repeals}
    last = group[-1]
    day = last.closing_day
    if day is None:
        # What an amended text repeals it has repealed since it was enacted; a text revised as a whole is a new one.
        change = last_change(last.history)
        anew = change is None or change.day != last.state or ("修订" in change.text and not change.act)
        day = version.valid_from if anew and not last.unlisted else enacted(last.history)
    return VersionPlan(version, group, _parts(group), tuple(repeals.values()), day)


def _parts(group: list[ParsedLaw]) -> list[str]:
    """What the parts of a law in several texts are called; counted (第三编 合同) where none is missing before
    them."""
    named, last = [], 0
    for place, text in enumerate(group, 1):
        part = text.part
        first, end = _ends(text)
        whole = first == last + 1
        last = end if whole else -1
        if whole and part and not part.startswith(("第", "附")):
            part = f"第{int_to_chinese(place)}编 {part.removesuffix('编')}"
        named.append(part)
    return named


def _ends(text: ParsedLaw) -> tuple[int, int]:
    """The numbers of the first and last article."""
    numbered = text.numbered
    return (numbered[0].number.number, numbered[-1].number.number) if numbered else (0, 0)


def _end_versions(
    law: LawPlan,
    versions: list[list[ParsedLaw]],
    changes: dict[date, LawDecision | None],
    acts: _Acts,
    plan: PackPlan,
) -> None:
    states = [group[0].state for group in versions]
    for place, planned in enumerate(law.versions):
        version, state = planned.version, states[place]
        later = min((day for day in changes if state is not None and day > state), default=None)
        if later is None or version.valid_from is None:
            continue
        inferred, basis = version.inferred, version.source
        if later in states:
            following = law.versions[states.index(later)].version
            begins = following.valid_from
            if begins is None:
                continue
            inferred = inferred or following.inferred
        else:
            event = changes[later]
            act = acts.entry(event, law.name) if event is not None else None
            begins, inferred = (act[0], inferred or act[1]) if act else (later, True)
            basis += f"；{later.isoformat()}的修改没有文本"
        if begins <= version.valid_from:
            plan.remarks.append(
                f"{version.label} would end on {(begins - _DAY).isoformat()}, before it begins on"
                f" {version.valid_from.isoformat()}; its days are left open"
            )
            planned.version = replace(version, valid_from=None, valid_to=None, inferred=True, source=basis)
            continue
        planned.version = replace(version, valid_to=begins - _DAY, inferred=inferred, source=basis)


def _repeal(plan: PackPlan, names: dict[str, str]) -> None:
    """Ends laws that other laws repeal, and links them; a law that repeals its own older version links to nothing."""
    laws = {law.name: law for law in plan.laws}
    without_body: dict[str, set[str]] = defaultdict(set)
    for law in plan.laws:
        without_body[_act_key(law.name)].add(law.name)
    first: dict[tuple[str, str], tuple[date, Repeal, bool]] = {}
    for law in plan.laws:
        for planned in law.versions:
            for repeal in planned.repeals:
                title = naming.tidy(repeal.title).replace("〈", "《").replace("〉", "》")
                short = without_body.get(_act_key(title), set())
                target = names.get(naming.group_key(title)) or (next(iter(short)) if len(short) == 1 else title)
                if target == law.name or planned.repeals_on is None:
                    continue
                known = first.get((target, law.name))
                if known is None or planned.repeals_on < known[0]:
                    first[target, law.name] = (planned.repeals_on, repeal, planned.version.inferred)
    for (target, name), (day, repeal, inferred) in sorted(first.items(), key=lambda item: (item[1][0], item[0])):
        if target in laws and not _ended(laws[target], day, inferred, name, plan):
            continue
        plan.links.append(Link("succeeded", target, None, name, None, day, repeal.sentence))


def _ended(law: LawPlan, day: date, inferred: bool, by: str, plan: PackPlan) -> bool:
    """Close the last version of a repealed law; False where the law was made anew later."""
    planned = law.versions[-1]
    version = planned.version
    begins = version.valid_from or version.adopted
    if begins is not None and begins >= day:
        plan.remarks.append(f"{by} repealed {law.name} on {day.isoformat()}, but {version.label} begins later")
        return False
    if version.valid_to is None or version.valid_to >= day:
        source = f"{version.source}；由《{by}》废止"
        inferred = version.inferred or inferred
        planned.version = replace(version, valid_to=day - _DAY, inferred=inferred, source=source)
    return True
