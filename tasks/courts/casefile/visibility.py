"""Who holds what: the fields of the case file that a seat of an environment is granted. Prompts and the leak check
rest on it.

A field is a path of the case file in which items of lists are named by whose they are: `parties[plaintiff].name`,
`facts[both].text` (known to both sides; [plaintiff], [defendant], [nobody]), `evidence[prosecution].title`,
`evidence[plaintiff].objections[defendant].truth` (also [counsel], [prosecution]), `statements[defendant]`; other
lists have []. What no role is granted (gold, disputed, answers, provenance) reaches nobody. Beyond the published
benchmark, the title of the cause goes where the docket goes, and bench and procedure go to whoever opens the hearing:
judges have to announce them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, chain, product
from typing import Any

from store.text.normalise import fold_width
from tasks.courts.casefile.case import Case, Env
from tasks.courts.casefile.law import shipped_laws
from tasks.courts.casefile.people import COUNSEL, PROCURATORATE
from tasks.courts.environment import Path, Role, Seat, environment
from tasks.errors import UsageError

LEAK = 20
"""Characters, without blanks, from which on a run of somebody else's field is a leak."""

FORMULAS = (
    "如果未按本判决指定的期间履行给付金钱义务，应当依照《中华人民共和国民事诉讼法》第二百六十四条的规定，"
    "加倍支付迟延履行期间的债务利息。",
    "如不服本判决，可以在判决书送达之日起十五日内，向本院递交上诉状，并按照对方当事人的人数提出副本，"
    "上诉于中级人民法院。",
    "如不服本判决，可在接到判决书的第二日起十日内，通过本院或者直接向中级人民法院提出上诉。",
    "刑期从判决执行之日起计算。判决执行以前先行羁押的，羁押一日折抵刑期一日",
    "公诉机关指控的犯罪事实清楚，证据确实、充分，罪名成立",
    "的犯罪情节和悔罪表现，没有再犯罪的危险，宣告缓刑对所居住社区没有重大不良影响，可以宣告缓刑",
    "在前罪有期徒刑执行完毕后五年以内再犯应当判处有期徒刑以上刑罚之罪，系累犯，依法应当从重处罚。",
)
"""What every judgment says; saying it too gives nothing away, nor do articles with the title of their law."""

_REASONED = ("gold.reason", "gold.reason_points")
"""Reasons consist of set phrases (审理期间退赔…元，酌情从轻处罚): of a judge, only twice as long a run is none of
chance."""
_ME = re.compile(r"我(?:们(?:公司)?|公司)?")
_N = "[0-9零一二三四五六七八九十百千]"
_CITED = re.compile(
    rf"《[^《》]{{2,40}}(?:《[^《》]{{2,40}}》[^《》]{{0,40}})?》"
    rf"(?:[、,;和及与]?(?:第{_N}{{1,9}}[条款项](?:之{_N}{{1,3}})?|第?\({_N}{{1,3}}\)项))+"
)
"""A law and the articles cited of it, with 款 and 项, in half-width forms."""
_STRUCTURE = frozenset({"id", "side", "owner", "by"})
_LISTS_BY_SIDE = frozenset({"parties", "facts", "evidence", "objections", "statements", "mediation"})


@dataclass(frozen=True, slots=True)
class Leak:
    """A run of a text that stands in a field the role does not hold; start and end in characters of the text."""

    field: Path
    text: str
    start: int
    end: int


def grant(env: Env, role: Role) -> Seat:
    """What a role of an environment holds; `agent` is the role under test."""
    here = environment(env)
    found = here.seats.get(here.tested if role == "agent" else role)
    if found is None:
        raise UsageError(f"there is no role '{role}' in {env}", f"Its roles: {', '.join(here.seats)}.")
    return found


def visible(case: Case, env: Env, role: Role) -> dict[str, Any]:
    """The part of a case that a role holds, as JSON data with the shape of the case file; empty fields left out.

    Items keep what ties them together (id, side, owner, by). Raises `UsageError` where the environment has no such
    role.
    """
    held: dict[str, Any] = json.loads(_held(CaseKey(case), env, role))
    return held


def leaves(case: Case) -> Iterator[tuple[Path, Any]]:
    """Every field of a case that says something, with its path, structure left out."""
    return _leaves(_data(case), "", _sides(case))


def leaks(text: str, case: Case, env: Env, role: Role, public_record: str | Sequence[str] = "") -> list[Leak]:
    """Runs of 20 characters or more that a role took from fields it does not hold and that nobody said before.

    Blanks do not count and full-width forms are one with half-width forms. Titles of laws and formulas of judgments
    are free.
    """
    said = _plain(text)
    if len(said) < LEAK:
        return []
    own_part, outside = _divided(CaseKey(case), env, role)
    own = [said[at : at + LEAK] for at in range(len(said) - LEAK + 1)]
    every = frozenset(own) - own_part
    elsewhere = [(path, grams) for path, grams in outside if not every.isdisjoint(grams)]
    if not elsewhere:
        return []
    inside: set[str] = set()
    record = [public_record] if isinstance(public_record, str) else public_record
    here = environment(env)
    retold = _retold(case, here.retold, record) if here.retold and role == here.tested else []
    for earlier in record:
        inside |= _grams(earlier)
        for me, other in retold:
            inside |= _grams(other.join(me.join(_ME.split(earlier)).split("对方")))
    public = ((at, at + LEAK) for at, gram in enumerate(own) if gram in own_part or gram in inside)
    # Who asks for advice is not told the article that answers: there it is the secret itself.
    told = here.kind == "advice" and role != here.tested
    cited = () if told else (match.span() for match in _CITED.finditer(said))
    free = _covered(len(said), chain(public, cited))
    found: dict[tuple[int, int], Leak] = {}
    places = [at for at, character in enumerate(fold_width(text)) if not character.isspace()]
    for path, grams in elsewhere:
        least = 2 * LEAK if role == "judge" and path.startswith(_REASONED) else LEAK
        for first, last in _runs(gram in grams and free[at] == free[at + LEAK] for at, gram in enumerate(own)):
            if last - first + LEAK < least:
                continue
            start, end = places[first], places[last + LEAK - 1] + 1
            found.setdefault((start, end), Leak(path, text[start:end], start, end))
    return sorted(found.values(), key=lambda leak: (leak.start, leak.end))


def _retold(case: Case, names: tuple[str, str], record: Sequence[str]) -> list[tuple[str, str]]:
    """What a document may put for 我 and 对方: the sides of the case, and the names that somebody told."""
    sides = {"原告": "plaintiff", "被告": "defendant"}
    told = {
        party.side: party.name for party in getattr(case, "parties", ()) if any(party.name in one for one in record)
    }
    mine, others = ([name, *([told[sides[name]]] if sides[name] in told else [])] for name in names)
    return list(product(mine, others))


class CaseKey:
    """A case as a key: the object itself, which nothing changes, so that what it holds is worked out once and not
    every turn."""

    __slots__ = ("case",)

    def __init__(self, case: Case) -> None:
        self.case = case

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CaseKey) and other.case is self.case

    def __hash__(self) -> int:
        return id(self.case)


@lru_cache(maxsize=512)
def _held(same: CaseKey, env: Env, role: Role) -> str:
    """What a role holds, as JSON text: each view gets data of its own, with which a policy may do as it likes."""
    kept = _kept(_data(same.case), "", grant(env, role).holds, _sides(same.case))
    return json.dumps(kept if isinstance(kept, dict) else {}, ensure_ascii=False)


@lru_cache(maxsize=128)
def _divided(same: CaseKey, env: Env, role: Role) -> tuple[frozenset[str], tuple[tuple[Path, frozenset[str]], ...]]:
    """Runs of text that are free to a role or that it holds, and those of each other field."""
    here, holds = environment(env), grant(env, role).holds
    found = here.finds if role in ("agent", here.tested) else frozenset()
    inside: set[str] = set(_free())
    outside: list[tuple[Path, frozenset[str]]] = []
    for path, value in leaves(same.case):
        grams = _grams(value) if isinstance(value, str) else frozenset()
        if path in holds or path in found:
            inside |= grams
        elif grams and not path.endswith(("].law", ".law.law", ".as_cited")):
            outside.append((path, grams))
    return frozenset(inside), tuple(outside)


def _data(case: Case) -> dict[str, Any]:
    data = case.model_dump(mode="json", by_alias=True)
    for name in ("schema", "id", "env", "lang", "source", "provenance", "difficulty"):
        data.pop(name, None)
    return data


def _sides(case: Case) -> dict[str, str]:
    parties = getattr(case, "parties", ())
    return {**{party.id: party.side for party in parties}, PROCURATORATE: "prosecution", COUNSEL: "counsel"}


def _whose(name: str, item: Any, key: str, sides: Mapping[str, str]) -> str:
    if name == "parties":
        return str(item.get("side", "nobody"))
    if name == "facts":
        known = {sides[party] for party in item.get("known_by", ()) if party in sides}
        return "nobody" if not known else "both" if len(known) > 1 else known.pop()
    if name == "evidence":
        return sides.get(item.get("owner", ""), "nobody")
    return sides.get(item.get("by", "") if name == "objections" else key, "nobody")


def _items(name: str, value: Any, sides: Mapping[str, str], top: bool) -> Iterator[tuple[str, Any, str]]:
    """Selector, item and key of what a list, or a table by party, holds."""
    sided = name in _LISTS_BY_SIDE and top
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in pairs:
        yield f"[{_whose(name, item, str(key), sides)}]" if sided else "[]", item, str(key)


def _is_list(path: Path, value: Any) -> bool:
    """Lists of objects, and the tables by party; a list of plain values (aliases, months) is one field."""
    if isinstance(value, dict):
        return path in ("statements", "mediation")
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def _leaves(value: Any, path: Path, sides: Mapping[str, str]) -> Iterator[tuple[Path, Any]]:
    name = path.rpartition(".")[2]
    if _is_list(path, value):
        for selector, item, _ in _items(name, value, sides, _tops(path)):
            yield from _leaves(item, path + selector, sides)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in _STRUCTURE:
                yield from _leaves(item, f"{path}.{key}" if path else key, sides)
    elif value not in (None, "", [], {}):
        yield path, "\n".join(value) if isinstance(value, list) and all(isinstance(i, str) for i in value) else value


def _kept(value: Any, path: Path, holds: frozenset[Path], sides: Mapping[str, str]) -> Any:
    name = path.rpartition(".")[2]
    if _is_list(path, value):
        pairs = [
            (key, kept)
            for selector, item, key in _items(name, value, sides, _tops(path))
            if (kept := _kept(item, path + selector, holds, sides)) is not None
        ]
        return (dict(pairs) if isinstance(value, dict) else [kept for _, kept in pairs]) or None
    if isinstance(value, dict):
        made = {
            key: kept
            for key, item in value.items()
            if key not in _STRUCTURE
            and (kept := _kept(item, f"{path}.{key}" if path else key, holds, sides)) is not None
        }
        return {**{key: value[key] for key in value if key in _STRUCTURE}, **made} if made else None
    return value if path in holds and value not in (None, "", [], {}) else None


def _tops(path: Path) -> bool:
    """Facts of a claim are ids, facts of a plea a text: only the lists of the case itself are told apart by side."""
    return "." not in path or path.endswith(".objections")


def _plain(text: str) -> str:
    """The text without blanks, in half-width forms."""
    return "".join(fold_width(text).split())


def _covered(size: int, spans: Iterable[tuple[int, int]]) -> list[int]:
    """How many of the first n characters lie in one of the spans: equal at both ends, none between."""
    inside = bytearray(size)
    for start, end in spans:
        inside[start:end] = b"\x01" * (end - start)
    return [0, *accumulate(inside)]


@lru_cache(maxsize=4096)
def _grams(text: str) -> frozenset[str]:
    plain = "".join(fold_width(text).split())
    return frozenset(plain[at : at + LEAK] for at in range(len(plain) - LEAK + 1))


@cache
def _free() -> frozenset[str]:
    texts: Iterable[str] = (*FORMULAS, *(f"《{name}》" for name in shipped_laws().names))
    return frozenset(gram for text in texts for gram in _grams(text))


def _runs(hits: Iterable[bool]) -> Iterator[tuple[int, int]]:
    """First and last place of each unbroken run."""
    first = None
    last = -1
    for at, hit in enumerate(hits):
        if hit:
            first, last = (at if first is None else first), at
        elif first is not None:
            yield first, last
            first = None
    if first is not None:
        yield first, last
