"""The court of appeal as far as the name of the court of first instance tells it; else 上一级人民法院, never an invented
court.

人民法院组织法 (2018) 第十三、二十二、二十四条: a basic court stands in a district, county or county-level city, an intermediate court in
a city with districts, a prefecture, league or autonomous prefecture; the direct municipalities have several, so none
is named.
"""

from __future__ import annotations

import re

ABOVE = "上一级人民法院"
_PROVINCE = r".{2,8}?(?:省|自治区)"
_DIRECT = re.compile(r"(?:北京|天津|上海|重庆)市")
_MIDDLE = re.compile(rf"^(?P<province>{_PROVINCE}|(?:北京|天津|上海|重庆)市).{{0,20}}中级人民法院$")
_BASIC = re.compile(
    rf"^(?P<seat>(?:{_PROVINCE})?[\u4e00-\u9fff]{{1,12}}?(?:市|自治州|盟|地区))[\u4e00-\u9fff]{{1,12}}(?:区|县|市|旗)人民法院$"
)


def court_above(name: str) -> str:
    """浙江省杭州市中级人民法院 for 浙江省杭州市西湖区人民法院; 上一级人民法院 where no city with districts is named."""
    name = name.strip()[:60]
    if match := _MIDDLE.match(name):
        return f"{match['province']}高级人民法院"
    match = None if _DIRECT.match(name) else _BASIC.match(name)
    return f"{match['seat']}中级人民法院" if match else ABOVE
