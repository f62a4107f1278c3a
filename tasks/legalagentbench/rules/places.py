"""Provinces and cities of China (`places.toml`) and how an address or a loose mention names a place. General
geography, no data of a pack.

A place is (province, city, county) as the tables write it; a municipality repeats itself: 北京市, 北京市, 海淀区.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from store.tables import Table, Words, beside


class Place(NamedTuple):
    """Full names; '' where unknown."""

    province: str
    city: str
    county: str


MUNICIPALITIES = ("北京市", "上海市", "天津市", "重庆市")


class _Places(Table):
    """cities: full name of a province -> its cities, without 市; aliases: other names of provinces."""

    provinces: Words
    aliases: dict[str, str]
    cities: dict[str, Words]


def _short(name: str) -> str:
    return re.sub(r"(维吾尔|回族|壮族)?自治区$|特别行政区$|[省市盟]$|地区$|(\w族){1,3}自治州$", "", name) or name


@cache
def provinces() -> Mapping[str, str]:
    """Short or full name -> full name."""
    table = beside(__package__, "places", _Places)
    return {name: full for full in table.provinces for name in (full, _short(full))} | table.aliases


@cache
def _cities() -> Mapping[str, tuple[str, str]]:
    """Short or full name -> (province, full name of the city)."""
    found: dict[str, tuple[str, str]] = {}
    for province, names in beside(__package__, "places", _Places).cities.items():
        for name in names:
            full = name if re.search(r"盟$|地区$|自治州$", name) else f"{name}市"
            found[full] = (province, full)
            found.setdefault(_short(name) if full == name else name, (province, full))
    return found | {name: (name, name) for name in MUNICIPALITIES}


_LONGEST = 12
_COUNTY = re.compile(r"(?:[一-龥]{1,9}?(?:自治县|自治旗|林区|新区|县|区|旗)|[一-龥]{1,4}?市)(?!人民|场|内|域)")
_NOT_COUNTY = re.compile(
    r"律师|法院|公司|所在|所属|事务|开发区|工业区|园区|保税区|示范区|高新区|经开区|^市辖区|小区|社区|校区|街区|景区"
    r"|地区|厂区|[路街道号村镇乡]"
)


def _prefix(text: str, names: Mapping[str, object]) -> str:
    return next((text[:size] for size in range(min(_LONGEST, len(text)), 1, -1) if text[:size] in names), "")


def parse_place(text: str) -> tuple[Place, int]:
    """The place at the start of a text and how many characters name it; missing parts are ''."""
    position, province, city, county = 0, "", "", ""
    if word := _prefix(text, provinces()):
        rest = text[len(word) :]
        if not (word == "吉林" and rest.startswith("市")):
            province, position = provinces()[word], len(word)
    if province in MUNICIPALITIES:
        city = province
        if text[position:].startswith(province):
            position += len(province)
        if text[position:].startswith("市辖区"):
            position += 3
    elif (word := _prefix(text[position:], _cities())) and province in ("", _cities()[word][0]):
        province, city = _cities()[word]
        position += len(word)
    if position and (match := _COUNTY.match(text, position)) and not _NOT_COUNTY.search(match[0]):
        county, position = match[0], match.end()
    return Place(province, city, county), position
