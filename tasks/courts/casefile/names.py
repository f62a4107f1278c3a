"""Names of people in a judgment: where they stand.

A name is taken where the form of a judgment says that one follows (原告, 法定代表人, 证人…: `names.toml`); words of a
story that merely look like names are told to the reader, never changed.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

from store.tables import Characters, TomlTable, Words, WordSet, beside
from store.text.ideographs import HAN, is_han
from store.text.normalise import fold_width

_MASKED = re.compile(r"[某×Xx*＊△○〇□0-9A-Za-zＡ-Ｚ]")
_LETTERS = "A-Za-zÀ-ɏ"
LATIN = re.compile(rf"[A-Z][a-zÀ-ɏ]{{1,2}}|(?![Xx]+$)[A-Za-z][{_LETTERS} .,'-]{{3,40}}")
"""A name in Latin letters; two or three capitals are a mask (张AB)."""
_FOREIGN = re.compile(rf"[{HAN}]{{1,8}}(?:[·.][{HAN}]{{1,8}})+|[A-Z][{_LETTERS}'-]+(?:,? [A-Z][{_LETTERS}.'-]*)+")
"""Names that show what they are: 阿依努尔·买买提, John Smith."""
_JOIN = re.compile(r"(?:\([^()\n]{0,20}\))?[、和与及]")
_BOUNDARY = re.compile(
    r"[,。;:、()的\s“”\"]|等|$|证言|陈述|供述|[男女][,。]|出庭|到庭|担任|独任|作证|证实|证明|报案|签字|签名|到案"
)


class _Names(TomlTable):
    single: Characters
    double: WordSet
    wordy: Characters
    words: WordSet
    follows: Characters
    roles: Words
    organisations: Words


def _table() -> _Names:
    return beside(__package__, "names", _Names)


@cache
def _after_role() -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(_table().roles)})(?:\([^()\n]{{0,20}}\))?[ :]{{0,3}}")


@cache
def _organisation() -> re.Pattern[str]:
    return re.compile("|".join(_table().organisations))


def is_organisation(name: str) -> bool:
    """Whether a name is that of a company, an office or another organisation."""
    return _organisation().search(name) is not None


def is_masked(name: str) -> bool:
    """Whether a name already stands for another one: 张某, 李××, 王某1, 张3."""
    return _MASKED.search(name) is not None and not LATIN.fullmatch(name)


def surname_of(name: str) -> str:
    """The surname, compound ones included; empty where the name does not begin with one."""
    if len(name) > 2 and name[:2] in _table().double:
        return name[:2]
    return name[:1] if name[:1] in _table().single else ""


def parts_of(name: str) -> Iterator[str]:
    """What of a name tells who it is where it stands alone: words of a long one, a given name that is no word."""
    if re.search(r"[·. ]", name):
        yield from (part for part in re.split(r"[·., ]+", name) if len(part) > 2)
    elif len(given := name[len(surname_of(name)) :]) > 1 and given != name and not _in_dictionary(given):
        yield given


def people_in(folded: str) -> Iterator[str]:
    """Names behind words of roles, lists of them included, in order and with repeats; masked ones are left out.

    Args:
        folded: the text, width folded.
    """
    for match in _after_role().finditer(folded):
        yield from names_at(folded, match.end())


def names_at(folded: str, place: int, *, masked: bool = False) -> Iterator[str]:
    """The names of a list that begins at a place of a folded text: 甲、乙和丙; `masked` as in `name_at`."""
    while name := name_at(folded, place, masked=masked):
        yield name
        join = _JOIN.match(folded, place + len(name))
        if join is None:
            break
        place = join.end()


_SPOKEN = re.compile(r"(?:的|所作的?)?(?:证人)?(?:证言|证词|陈述|供述)")
_STAND_IN = re.compile(
    rf"[{HAN}]{{1,2}}?某{{1,2}}[甲乙丙丁戊己庚辛壬癸0-9]?|某[甲乙丙丁戊己庚辛壬癸]|[{HAN}][×xX*]{{1,2}}"
)


def name_at(text: str, place: int, *, masked: bool = False) -> str:
    """The name that begins at a place of a folded text; empty where none does.

    Args:
        text: folded.
        place: where a name may begin.
        masked: take what already stands for a name too (张某, 王某甲); else it is none.
    """
    if masked and (found := _STAND_IN.match(text, place)):
        return found.group()
    surname = surname_of(text[place : place + 4])
    found = _bounded().match(text, place)
    if found and found["foreign"]:
        return found.group()
    if found and not surname and not _in_dictionary(found.group()):
        spoken = _SPOKEN.match(text, found.end())
        return found.group() if spoken or _is_rare(found.group()) else ""
    if not surname or text[place : place + 2] in _table().words or is_masked(text[place : place + len(surname) + 2]):
        return ""
    for given in (1, 2):
        name = text[place : place + len(surname) + given]
        if len(name) == len(surname) + given and is_han(name) and _BOUNDARY.match(text, place + len(name)):
            surely = _SPOKEN.match(text, place + len(name)) or (not is_word(name) and surname not in _table().wordy)
            return name if surely or _cut_at(text, place, surname) == name else ""
    # In running text only the segmenter can tell where a name ends.
    name = _cut_at(text, place, surname)
    longer = text[place : place + len(surname) + 2]
    if (
        len(name) == len(surname) + 1
        and is_han(longer)
        and longer[-1] not in _table().follows
        and text.count(longer) == text.count(name) > 1
    ):
        return longer
    return name


@cache
def _bounded() -> re.Pattern[str]:
    """What stands between a role and a mark, or the end of a name that shows what it is."""
    ends = rf"(?={_BOUNDARY.pattern}|[{_table().follows}0-9])"
    foreign = (
        rf"(?P<foreign>(?:[{HAN}]{{1,8}}·)+[{HAN}]{{2,8}}?{ends}|[A-Z][{_LETTERS}'-]+(?:,? [A-Z][{_LETTERS}.'-]*)*)"
    )
    return re.compile(rf"{foreign}|[{HAN}]{{2,5}}?(?={_SPOKEN.pattern}|[、,。(])")


def starts_at(text: str, place: int) -> bool:
    """Whether a name may well begin at a place of a folded text: behind a mark or the word of a role."""
    return (
        re.search(rf"(?:^|[^{HAN}]|原告|被告人?|{'|'.join(_table().roles)})$", text[max(0, place - 8) : place])
        is not None
    )


def _cut_at(text: str, place: int, surname: str) -> str:
    """The name that the segmenter sees at a place, or nothing."""
    words = list(_tagger().cut(_common(text[place : place + 8])))
    if not words or not words[0].flag.startswith("nr") or not is_han(words[0].word):
        return ""
    length = len(words[0].word)
    if length == len(surname) and len(words) > 1 and len(words[1].word) <= 2 and is_han(words[1].word):
        length += len(words[1].word)
    return text[place : place + min(length, len(surname) + 2)] if length > len(surname) else ""


def _common(text: str) -> str:
    """A text for the segmenter, which takes an ideograph outside U+4E00 to U+9FD5 for punctuation."""
    return _RARE.sub("伟", text)


_RARE = re.compile(f"(?![\u4e00-\u9fd5])[{HAN}]")


def is_word(text: str) -> bool:
    """Whether a text is an ordinary word, whoever is called by it: 高兴, 文明."""
    tag = str(_tagger().dt.word_tag_tab.get(text, "nr"))
    return not tag.startswith("nr") or (_tagger().dt.tokenizer.FREQ.get(text) or 0) > _COMMON


_COMMON = 1000
"""What the dictionary takes for a name and counts more often is a word as well."""


def _in_dictionary(text: str) -> bool:
    return bool(_tagger().dt.tokenizer.FREQ.get(text))


def _is_rare(text: str) -> bool:
    """Whether a text holds a character that the dictionary lacks, or words that are names of places alone."""
    words = words_in(text)
    return any(not _in_dictionary(sign) for sign in text) or all(
        end - start > 1 and str(_tagger().dt.word_tag_tab.get(text[start:end])).startswith(("nr", "ns"))
        for start, end in words
    )


def words_in(text: str) -> list[tuple[int, int]]:
    """For each character of a text where the word of the dictionary begins and ends in which it stands."""
    found: list[tuple[int, int]] = []
    for word in _tagger().dt.tokenizer.cut(_common(text), HMM=False):
        found += [(len(found), len(found) + len(word))] * len(word)
    return found


@cache
def _tagger() -> Any:
    """The tagger of jieba; it loads its own table of tags at the first word."""
    from store.text import segment

    segment.cut("")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba.posseg

        jieba.posseg.lcut("")
    return jieba.posseg


def suspects(text: str) -> dict[str, int]:
    """Words of a masked text that may be names of people, and where each first stands: what a segmenter takes for
    one, what shows itself what it is, signs that no dictionary has, and ordinary words behind a role."""
    found: dict[str, int] = {}
    looked = 0
    folded = fold_width(text)
    for match in _FOREIGN.finditer(folded):
        found.setdefault(match.group(), match.start())
    for match in _after_role().finditer(folded):
        behind = _bounded().match(folded, match.end())
        name = behind.group() if behind else ""
        surname = surname_of(name)
        if surname and len(name) - len(surname) < 3 and not is_masked(name) and name[:2] not in _table().words:
            found.setdefault(name, match.end())
    for start, end in dict.fromkeys(words_in(text)):
        word = text[start:end]
        name = ""
        if len(word) == 1 and word in _table().single and looked < _LOOKED:
            looked += 1
            name = _cut_at(text, start, word)
        elif len(word) > 1 and not is_word(word):
            name = word
        if (
            name
            and _is_suspect(name)
            and not (_PLACE.match(text, start + len(name)) or _firm().match(text, start + len(name)))
        ):
            found.setdefault(name, start)
        elif is_han(word) and len(word) == 1 and not _in_dictionary(word) and not any(word in one for one in found):
            found.setdefault(text[start : start + 2].strip("，。、\n"), start)
    return found


def around(text: str, start: int, end: int) -> str:
    """A place of a text with some characters on both sides, in one line."""
    return f"…{text[max(0, start - 6) : end + 6]}…".replace("\n", " ")


@cache
def _firm() -> re.Pattern[str]:
    """The rest of the name of an organisation."""
    return re.compile(rf"(?:(?![{_table().follows}])[{HAN}]){{0,4}}?(?:{'|'.join(_table().organisations)})")


_LOOKED = 3000
"""So many surnames are looked at."""
_PLACE = re.compile(r"[省市县区镇乡村路街巷庄屯沟组证]|(?:小区|大厦|嘴$|树$|山$)")
_NO_NAME = re.compile("^由|书$|向$|[万仟佰拾]元?$")


def _is_suspect(word: str) -> bool:
    named = (
        2 <= len(word) <= 4
        and surname_of(word) != ""
        and is_han(word)
        and (len(word) > 2 or word[1] not in _table().follows)
    )
    return named and not (
        is_masked(word) or word[:2] in _table().words or _PLACE.search(word) or _NO_NAME.search(word)
    )
