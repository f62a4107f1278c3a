"""Invented names of people, brands and firms, drawn without repetition, and the marks that show they are invented.

A credit code has the real length and layout but region 91…95 and, as its last character, Z: the real alphabet of
check digits leaves out I, O, S, V and Z, so no such code can exist.
"""

from __future__ import annotations

from random import Random

from maker.geography import Place

FIRST = {
    "梧": "wu", "霭": "ai", "澹": "dan", "翊": "yi", "琮": "cong", "榛": "zhen", "岑": "cen", "漪": "yi", "簌": "su",
    "皎": "jiao", "蔚": "wei", "砺": "li", "衡": "heng", "穗": "sui", "泠": "ling", "沅": "yuan", "珩": "heng",
    "旌": "jing", "壑": "he", "樨": "xi", "溯": "su", "蕴": "yun", "暄": "xuan", "阑": "lan", "蒹": "jian",
    "弈": "yi", "澍": "shu", "朔": "shuo", "茗": "ming", "笃": "du", "稷": "ji", "鹭": "lu", "弦": "xian", "棣": "di",
}  # fmt: skip
SECOND = {
    "声": "sheng", "白": "bai", "渡": "du", "野": "ye", "禾": "he", "舟": "zhou", "庭": "ting", "屏": "ping",
    "章": "zhang", "遥": "yao", "澄": "cheng", "序": "xu", "谣": "yao", "帆": "fan", "棠": "tang", "崖": "ya",
    "徽": "hui", "霁": "ji", "溪": "xi", "弘": "hong", "辰": "chen", "朗": "lang", "岚": "lan", "石": "shi",
    "墟": "xu", "笙": "sheng", "衍": "yan", "堂": "tang", "麓": "lu", "铎": "duo", "潆": "ying", "知": "zhi",
}  # fmt: skip
_SURNAMES = "沈顾陆纪程祝容柏岳温闻骆傅喻施邵邹尹谷向卓季游桑苗阮蓝费凌褚宁穆简翁莫裴丛管宗荆靳滕"
_GIVEN_A = "知云怀景若清书允望明思静亦远宛承见嘉可令修子时君启以闻疏"
_GIVEN_B = "舟川和遥宁岚秋行一晏之筠初棠桐白泽渊阑安野深衡朴南霖辞"
_FIRM_A = "衡直允明持鉴约信正知观载循秉敬达原澄谨慎恪尚公怀"
_FIRM_B = "平言诺度法则理义诚道辩准行规直谦证和律本衷微远方"


class Namer:
    """Draws names; a brand or firm name is never given twice."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._used: set[str] = set()

    def brand(self) -> tuple[str, str]:
        """A company brand of two characters (three when the two-character ones run out) and its pinyin."""
        for attempt in range(10_000):
            first, second = self._rng.choice(tuple(FIRST)), self._rng.choice(tuple(SECOND))
            sign, sound = first + second, FIRST[first] + SECOND[second]
            if attempt > 40:
                third = self._rng.choice(tuple(SECOND))
                sign, sound = sign + third, sound + SECOND[third]
            if sign not in self._used:
                self._used.add(sign)
                return sign, sound
        raise AssertionError("the stock of brands is exhausted")

    def take(self, other: Namer) -> None:
        """Never give what another has given."""
        self._used |= other._used

    def firm(self, prefix: str) -> str:
        """Name of a law firm, with its place prefix."""
        for attempt in range(10_000):
            middle = self._rng.choice(_FIRM_A) + self._rng.choice(_FIRM_B)
            if attempt > 40:
                middle += self._rng.choice(_FIRM_B)
            if len(set(middle)) == len(middle) and (name := f"{prefix}{middle}律师事务所") not in self._used:
                self._used.add(name)
                return name
        raise AssertionError("the stock of firm names is exhausted")

    def fresh(self, name: str) -> bool:
        """Whether a full name is still free; it is taken from now on."""
        free = name not in self._used
        self._used.add(name)
        return free


def person(rng: Random) -> str:
    """Full name of an invented person."""
    return rng.choice(_SURNAMES) + rng.choice(_GIVEN_A) + (rng.choice(_GIVEN_B) if rng.random() < 0.82 else "")


def masked(rng: Random) -> str:
    """A party as published judgments write it: 沈某某."""
    return rng.choice(_SURNAMES) + ("某某" if rng.random() < 0.7 else "某")


def starred(rng: Random) -> str:
    """An applicant as enforcement notices write it: 沈**."""
    return rng.choice(_SURNAMES) + ("**" if rng.random() < 0.7 else "*")


_ALPHABET = "0123456789ABCDEFGHJKLMNPQRTUWXY"


def credit_code(rng: Random, place: Place, kind: str = "91") -> str:
    """18 characters: kind, region, nine of the body, and the impossible check digit Z."""
    newer = rng.random() < 0.4
    body = "MA" + "".join(rng.choices(_ALPHABET, k=7)) if newer else f"{rng.randint(100_000_000, 999_999_999)}"
    return f"{kind}{place.code}{body}Z"


def organisation_code(credit: str) -> str:
    """组织机构代码 inside a credit code: 8 characters, a dash, one more."""
    return f"{credit[8:16]}-{credit[16]}"
