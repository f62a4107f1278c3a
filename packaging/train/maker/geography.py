"""Invented provinces, cities and counties of the fictional jurisdiction, with codes that no real place has.

Region codes start with 91 to 95 (real ones end at 82), telephone area codes lie in 012x and 011x (never assigned as
area codes), postal codes start with 9. 望舒市 is governed directly: 省份 = 城市, as upstream writes such places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate
from random import Random

_LAND: dict[str, dict[str, tuple[str, ...]]] = {
    "云海省": {
        "栖云市": ("揽月区", "枕溪区", "松照区", "云岫区", "石笕县"),
        "听潮市": ("潮音区", "鸥汀区", "银鲛区", "沙笛县", "望帆县"),
        "鹤屿市": ("竹笙区", "芦雪区", "栖鹭区", "镜潭县"),
        "碧落市": ("星槎区", "霜钟区", "枫染县", "流萤县"),
    },
    "琅川省": {
        "玉笛市": ("梅笺区", "桐音区", "筝河区", "琴岫区", "笙谷县"),
        "锦澜市": ("锦梭区", "织云区", "染溪区", "机杼县", "素绢县"),
        "长歌市": ("扬清区", "击节区", "远笳区", "牧笛县"),
        "归雁市": ("雁书区", "落霞区", "归帆县", "寄梅县"),
    },
    "霁原省": {
        "初霁市": ("东曦区", "西曜区", "虹起区", "暖阳区", "雨歇县"),
        "朗照市": ("明烛区", "清辉区", "皓野区", "照壁县"),
        "雪映市": ("寒英区", "玉絮区", "冰笋县", "踏雪县"),
        "风禾市": ("麦浪区", "穗影区", "打禾县"),
    },
    "墨泽省": {
        "砚湖市": ("墨痕区", "砚北区", "砚南区", "洗笔区", "藏锋县"),
        "松烟市": ("松针区", "烟岚区", "古隶区", "飞白县"),
        "宣毫市": ("兼毫区", "素笺区", "悬腕县"),
        "朱印市": ("朱砂区", "石章区", "白文县"),
    },
    "望舒市": {
        "望舒市": ("桂影区", "玉轮区", "冰鉴区", "素娥区", "广寒区", "蟾宫区", "清光区", "金波区"),
    },
}
_ENGLISH = {
    "云海": "Yunhai", "琅川": "Langchuan", "霁原": "Jiyuan Plain", "墨泽": "Moze", "望舒": "Wangshu", "栖云": "Qiyun",
    "听潮": "Tingchao", "鹤屿": "Heyu", "碧落": "Biluo", "玉笛": "Yudi", "锦澜": "Jinlan", "长歌": "Changge",
    "归雁": "Guiyan", "初霁": "Chuji", "朗照": "Langzhao", "雪映": "Xueying", "风禾": "Fenghe", "砚湖": "Yanhu",
    "松烟": "Songyan", "宣毫": "Xuanhao", "朱印": "Zhuyin",
}  # fmt: skip
_ROADS = (
    "听松路", "枕流路", "流觞路", "衔月路", "扶摇大道", "倚云路", "踏歌路", "采薇路", "望岫路", "拾翠路", "引凫路",
    "临渊大道", "停云路", "折柳路", "秉烛路", "煮雪路", "衔泥路", "晴耕路", "雨读路", "负暄路", "鸣蝉路", "蒹葭路",
    "芰荷路", "抱朴路", "见素路", "守拙大道", "行歌路", "归棹路", "微澜路", "飞羽路", "沉璧路", "浮金路",
)  # fmt: skip
_ESTATES = ("扶光大厦", "停云广场", "见山中心", "揽秀商务楼", "临风大厦", "澄怀大楼", "浮玉国际中心", "照影写字楼")
_PARKS = ("高新技术产业园", "经济开发区", "循环经济示范园", "临港产业园", "现代物流园", "装备制造基地")


@dataclass(frozen=True, slots=True)
class Place:
    """A county or district. `code` is its region code, six digits."""

    province: str
    city: str
    county: str
    code: int
    area_code: str

    @property
    def whole(self) -> str:
        """省市县 written out once; a directly governed city is not repeated."""
        return (self.province if self.province != self.city else "") + self.city + self.county

    @property
    def postcode(self) -> int:
        """Postal code: an int, as upstream stores it."""
        return self.code // 100 * 100 + (self.code % 100) // 5

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Place names a company registered here may begin with."""
        return (bare(self.province), bare(self.city))


def bare(name: str) -> str:
    """A place without its last character: 云海省 -> 云海."""
    return name[:-1]


@cache
def places() -> tuple[Place, ...]:
    """All counties and districts, in code order."""
    found = []
    serial = 0
    for p, (province, cities) in enumerate(_LAND.items(), start=91):
        for c, (city, counties) in enumerate(cities.items(), start=1):
            area = f"012{serial}" if serial < 10 else f"011{serial - 10}"
            serial += 1
            found += [Place(province, city, county, p * 10000 + c * 100 + i, area)
                      for i, county in enumerate(counties, start=1)]  # fmt: skip
    return tuple(found)


def provinces() -> tuple[str, ...]:
    """Names of the provinces, the directly governed city included."""
    return tuple(_LAND)


@dataclass(frozen=True)
class Land:
    """Places that the makers of courts, firms and companies draw from. sounds: English form of each prefix."""

    places: tuple[Place, ...]
    sounds: Mapping[str, str]

    @cached_property
    def provinces(self) -> tuple[str, ...]:
        """Names of the provinces, in order."""
        return tuple(dict.fromkeys(place.province for place in self.places))

    @cached_property
    def _cities(self) -> dict[str, tuple[Place, ...]]:
        found: dict[str, list[Place]] = {}
        for place in self.places:
            found.setdefault(place.city, []).append(place)
        return {city: tuple(here) for city, here in found.items()}

    def cities(self, province: str) -> tuple[str, ...]:
        """Names of the cities of a province."""
        return tuple(city for city, here in self._cities.items() if here[0].province == province)

    def in_city(self, city: str) -> tuple[Place, ...]:
        """Counties of a city."""
        return self._cities[city]

    @cached_property
    def _weights(self) -> list[float]:
        return list(accumulate(6 / (1 + (place.code % 100)) + 1 for place in self.places))

    def draw(self, rng: Random) -> Place:
        """A place; the first districts of a city are more likely than its counties."""
        return rng.choices(self.places, cum_weights=self._weights)[0]


@cache
def core() -> Land:
    """The authored places."""
    return Land(places(), _ENGLISH)


def draw_address(rng: Random, place: Place, *, style: str = "any") -> str:
    """An address in `place`. style "any" sometimes leaves out province or county, as registers do; "full" never."""
    road, number = rng.choice(_ROADS), rng.randint(1, 388)
    tail = ""
    if rng.random() < 0.45:
        room = f"{rng.randint(2, 26)}{rng.randint(1, 18):02d}室"
        tail = f"{rng.choice(_ESTATES)}{rng.choice(('', 'A座', 'B座', '1幢'))}{room}"
    roll = rng.random() if style == "any" else 0.0
    if roll < 0.62:
        return f"{place.whole}{road}{number}号{tail}"
    if roll < 0.82:
        return f"{place.city}{rng.choice(_PARKS)}{road}{number}号"
    return f"{place.city}{road}{number}号{tail}"


def landline(rng: Random, place: Place) -> str:
    """A telephone number with a never-assigned area code."""
    return f"{place.area_code}-{rng.randint(2, 8)}{rng.randint(0, 9_999_999):07d}"


def mobile(rng: Random) -> str:
    """A mobile number in the never-assigned range 12x."""
    return f"12{rng.randint(0, 999_999_999):09d}"
