"""What of a judgment says who somebody is: names, numbers and addresses, replaced before anything else is read.

Kinds (`masking.toml`) follow the rules on publishing judgments (法释〔2016〕19号第八条至第十条): names of natural
persons, identity numbers, addresses below the district, telephones, accounts, plates, e-mail and chat accounts.
Companies and days of birth stay. All that a draft holds is read from the masked text, so that what was masked cannot
come back through a field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, count

from store.tables import beside, filled
from store.text.ideographs import HAN
from store.text.normalise import fold_width
from tasks.courts.casefile.names import around, is_word, parts_of, starts_at, surname_of, words_in


@dataclass(frozen=True, slots=True)
class MaskedItem:
    """One thing that was masked: its kind, how often it stood there, and what stands there now. Never the thing
    itself."""

    kind: str
    count: int
    replacement: str


_SIGNS = "甲乙丙丁戊己庚辛壬癸"
LEFT_OUT = "略）"
"""How every replacement of a number or an address ends."""
ADDRESS = f"（地址{LEFT_OUT}"

_KEPT = re.compile(
    r"(?:信用代码|注册号|机构代码|许可证号?|编号|批号|案号|文号|发票号码?|证书号|序列号|串号)(?:为|是|:|\s){0,3}$"
)

_RESIDENCE = re.compile(
    r"(?:住所地|住所|户籍所在地|户籍地|户口所在地|现住址|现住地|现住|现居住地|现居住于|暂住地|暂住|经常居住地|居住地"
    r"|住址|家住|住)(?:为|是|于|在|:|\s){0,3}"
    r"(?P<said>(?!地|的|社区|派出|公安|司法|所|居委|村委|人民"
    rf"|以)(?=[{HAN}]{{1,12}}?[省市县区旗州镇乡村街路])[^,。;\n()]{{3,80}})"
)
_UPPER = re.compile(
    rf"(?:[{HAN}]{{2,8}}?(?:省|自治区|特别行政区))?(?:(?:(?![镇乡街路村巷弄号])[{HAN}]){{2,9}}?(?:市"
    r"|自治州|地区|盟|州))?"
    rf"(?:(?:(?![镇乡街路村巷弄号])[{HAN}]){{1,8}}?(?:(?<![小园社校厂院])区|县|旗|市))?"
)
"""Province, city and district at the head of an address."""
_HOUSE = re.compile(
    rf"(?:(?<=[区县市旗在于至到往从,。、;:的(位住])|^)(?:(?![区县市旗在于至到往从的号])[{HAN}0-9]){{1,24}}?"
    r"(?:路|街|街道|大道|巷|弄|胡同|里|村|庄|屯|组|小区|花园|公寓|大厦|广场|苑|园|城)(?:[0-9]{1,5}[A-Za-z]?-?){1,2}"
    r"(?:号楼?|弄|幢|栋|座|单元|室|楼|组|门)"
    r"(?:之?[0-9一二三四五六七八九十]{1,5}[A-Za-z]?(?:号楼?|弄|幢|栋|座|单元|室|楼|层|门|房|户)"
    r"|[0-9]{1,4}-[0-9]{1,5}(?:室|号)?){0,5}",
    re.MULTILINE,
)


def mask(
    text: str, people: Sequence[Sequence[str]], kept_lines: Iterable[str] = ()
) -> tuple[str, tuple[MaskedItem, ...], tuple[str, ...]]:
    """The text without what tells people, a list of what went, and the places where a name was masked by guess.

    Args:
        text: of the judgment.
        people: the names of each natural person, the full one first; parties first.
        kept_lines: lines whose address is that of a company.
    """
    found: list[MaskedItem] = []
    table = beside(__package__, "masking")
    for kind, (replacement, pattern) in table["numbers"].items():
        text, times = _each(text, re.compile(filled(pattern, table["parts"])), partial(_numbered, replacement))
        if times:
            found.append(MaskedItem(kind, times, replacement))
    kept = set(kept_lines)
    lines = [(line, 0) if line in kept else _addresses(line) for line in text.split("\n")]
    if times := sum(count for _, count in lines):
        found.append(MaskedItem("address below the district", times, ADDRESS))
    text = "\n".join(line for line, _ in lines)
    text, counts, guesses = without_names(text, stand_ins(people, text))
    return text, (*found, *(MaskedItem("name", times, new) for new, times in counts.items())), guesses


def without_names(text: str, found: Mapping[str, str]) -> tuple[str, Mapping[str, int], tuple[str, ...]]:
    """The text with stand-ins for names, however they are spaced; how often each stands there now; places masked by
    guess: an ordinary word, or a given name alone. A longer word of the dictionary (安全带) is no name (安全).

    Args:
        text: any text of the file.
        found: name -> stand-in, as of `stand_ins`.
    """
    if not found:
        return text, {}, ()
    said = {_key(name): new for name, new in found.items()}
    given = {_key(part): new for name, new in found.items() for part in parts_of(name)}
    counts = dict.fromkeys(found.values(), 0)
    folded = fold_width(text)
    words = words_in(folded)
    parts: list[str] = []
    guesses: list[tuple[int, int]] = []
    last = length = 0
    any_name = "|".join(_spaced(key) for key in sorted({**given, **said}, key=len, reverse=True))
    for match in re.finditer(any_name, folded, re.IGNORECASE):
        (start, end), key = match.span(), _key(match[0])
        plain = key not in said or is_word(match[0])
        behind_role = starts_at(folded, start)
        if plain and not behind_role and words[start] == words[end - 1] != (start, end):
            continue
        new = said.get(key) or given[key]
        counts[new] += 1
        parts += [text[last:start], new]
        length += start - last + len(new)
        last = end
        if plain and not behind_role:
            guesses.append((length - len(new), length))
    text = "".join([*parts, text[last:]])
    places = tuple(dict.fromkeys(around(text, *place) for place in guesses))
    return text, {new: times for new, times in counts.items() if times}, places


_PIECE = re.compile(rf"[{HAN}〇]|[^\W{HAN}〇]+")


def _key(name: str) -> str:
    """A name without what stands between its characters or words."""
    return " ".join(_PIECE.findall(fold_width(name).casefold()))


def _spaced(key: str) -> str:
    """Pattern of a name whose characters may stand apart; words in Latin letters are whole."""
    pieces = key.split(" ")
    if not re.search(f"[{HAN}]", key):
        return rf"(?<![A-Za-z]){'[ ,.-]{0,2}'.join(map(re.escape, pieces))}(?![A-Za-z])"
    return "[ ·.]?".join(map(re.escape, pieces))


def _numbered(replacement: str, match: re.Match[str]) -> str | None:
    return None if _KEPT.search(match.string[max(0, match.start() - 16) : match.start()]) else replacement


def _addresses(line: str) -> tuple[str, int]:
    line, first = _each(line, _RESIDENCE, _residence)
    line, second = _each(line, _HOUSE, lambda match: ADDRESS)
    return line, first + second


def _residence(match: re.Match[str]) -> str | None:
    address = match["said"]
    upper = _UPPER.match(address)
    length = upper.end() if upper else 0
    return None if address[length:] in ("", "内", "人") else f"{address[:length]}{ADDRESS}"


def _each(text: str, pattern: re.Pattern[str], swap: Callable[[re.Match[str]], str | None]) -> tuple[str, int]:
    """A text with what a pattern finds in its folded form replaced; None leaves a match as it is."""
    part = "said" if "said" in pattern.groupindex else 0
    parts: list[str] = []
    last = times = 0
    for match in pattern.finditer(fold_width(text)):
        new = swap(match)
        if new is not None:
            start, end = match.span(part) if match[part] else match.span()
            parts += [text[last:start], new]
            last, times = end, times + 1
    return ("".join([*parts, text[last:]]), times) if times else (text, 0)


def stand_ins(people: Sequence[Sequence[str]], text: str) -> dict[str, str]:
    """Name -> what stands for it, the same throughout a file and different from anything that stands there already.
    people: the names of each person, the full one first; the first people first."""
    surnames = [surname_of(names[0]) for names in people]
    used: set[str] = set()
    found: dict[str, str] = {}
    for names, surname in zip(people, surnames, strict=True):
        alone = [f"{surname}某"] if surname and surnames.count(surname) == 1 else []
        more = (f"{surname}某{suffix}" for suffix in chain(_SIGNS, count(11)))
        stand_in = next(one for one in chain(alone, more) if one not in used and one not in text)
        used.add(stand_in)
        for name in names:
            found.setdefault(name, stand_in)
    return found
