"""A fictional law with three versions, one of them renumbered, for tests of statutes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from store.builder import PackBuilder
from store.statutes.comparing import links_between
from store.statutes.model import Article, ArticleNumber, Law, LawVersion, Link
from store.statutes.names import aliases_of

LAMPS = "中华人民共和国路灯法"
KITES = "中华人民共和国风筝法"

TEXTS = (
    "为了规范路灯的设置和使用，保障夜间通行安全，制定本法。",
    "在城市道路两侧设置路灯，应当经过照明主管机关许可。",
    "路灯的高度不得低于五米，不得高于十二米。",
    "任何人不得在雷雨天攀爬路灯；违反的，处五十元以下罚款。",
    "照明主管机关应当每年检查路灯一次，并公布检查结果。",
    "路灯损坏的，管理人应当在三日内修复。",
    "本法自公布之日起三十日后施行。",
)


def number(key: str) -> ArticleNumber:
    first, _, sub = key.partition("-")
    return ArticleNumber(int(first), int(sub or 0))


def articles(law: str, label: str, texts: dict[str, str | None], **more: str) -> list[Article]:
    return [Article(law, label, number(key), text=text, **more) for key, text in texts.items()]


def plain(texts: Sequence[str | None]) -> dict[str, str | None]:
    return {str(place): text for place, text in enumerate(texts, 1)}


def lamp_versions() -> list[tuple[LawVersion, list[Article]]]:
    """1990: seven articles; 2000: article 3 changed, 4-1 added; 2010 (after a gap of a day): renumbered by a new
    article 2."""
    first = plain(TEXTS)
    second = {
        **first,
        "3": "路灯的高度不得低于六米，不得高于十二米。",
        "4-1": "在路灯上悬挂广告的，处二百元以下罚款。",
    }
    second = dict(sorted(second.items(), key=lambda item: number(item[0])))
    third = plain([TEXTS[0], "本法所称路灯，是指设置在道路两侧供夜间照明的灯具。", *list(second.values())[1:]])
    windows = [
        (date(1990, 1, 1), date(1999, 12, 31)),
        (date(2000, 1, 1), date(2009, 12, 30)),
        (date(2010, 1, 1), None),
    ]
    labels = [LAMPS, f"{LAMPS}(2000修正)", f"{LAMPS}(2010修订)"]
    return [
        (LawVersion(LAMPS, label, *window), articles(LAMPS, label, texts))
        for label, window, texts in zip(labels, windows, (first, second, third), strict=True)
    ]


def build(name: str = "lamps", as_of: str = "") -> Path:
    """A pack with the law of lamps, and a law of kites that it replaced in 1990."""
    with PackBuilder(name, jurisdiction="XX", source="test", licence="", coverage="complete", as_of=as_of) as builder:
        builder.add_law(Law(LAMPS, "路灯法", "法律", "authored"), aliases_of(LAMPS, "灯法"))
        builder.add_law(Law(KITES, "风筝法", "法律", "authored"), aliases_of(KITES))
        before: list[Article] = []
        for version, listed in lamp_versions():
            builder.add_version(version, listed)
            assert version.valid_from is not None
            for link in links_between(before, listed, version.valid_from):
                builder.add_link(link)
            before = listed
        kites = LawVersion(KITES, KITES, date(1980, 1, 1), date(1989, 12, 31))
        builder.add_version(kites, articles(KITES, KITES, {"1": None, "2": "风筝不得高于路灯。"}))
        builder.add_link(Link("succeeded", KITES, None, LAMPS, None, date(1990, 1, 1), "路灯法第七条"))
        return builder.finish()
