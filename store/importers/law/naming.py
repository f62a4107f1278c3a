"""Which texts are versions of one law, what the law is called, and of which level it is: from title, folder and
history."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from store.importers.law.parsed import LawDecision
from store.statutes.names import STATE, key_of_name, short_name
from store.text.normalise import fold_width

_AMENDMENT = re.compile(r"修正案")
_CHANGES = re.compile(r"修正案|关于修改|关于废止|的决定$|的决议$")
_PUNCTUATION = str.maketrans("", "", "、，,：:·－—-（）()《》〈〉 ")
_COURTS = re.compile(r"^(?:最高)?人民(?:法院|检察院)|^最高人民")
_PROVISIONAL = re.compile(r"[（(](?:试行|暂行)[）)]$")

LEVELS = ("宪法", "法律", "行政法规", "监察法规", "司法解释", "部门规章")

_FOLDERS: dict[str, str] = {
    "宪法": "宪法",
    "宪法相关法": "法律",
    "民法典": "法律",
    "民法商法": "法律",
    "民商法": "法律",
    "刑法": "法律",
    "行政法": "法律",
    "经济法": "法律",
    "社会法": "法律",
    "诉讼与非诉讼程序法": "法律",
    "法律": "法律",
    "行政法规": "行政法规",
    "监察法规": "监察法规",
    "司法解释": "司法解释",
    "部门规章": "部门规章",
}
"""Folder -> level of the laws in it."""

_CENTRAL = re.compile(r"国务院|政务院|中央军事?委|中共中央|全国人民代表大会")
_MINISTRY = re.compile(
    r"(?:部|委员会|总局|局|署|办公室|银行|院)(?:令|第|20|19|公布|发布|印发|室务会议|部务会议|局务会议)"
)


def group_key(title: str) -> str:
    """What the titles of all versions of one law have in common."""
    if _AMENDMENT.search(title):
        # The bracket tells amendments apart: 修正案（二）, 宪法修正案（1988年）.
        return fold_width(title).translate(_PUNCTUATION).replace(STATE, "")
    return key_of_name(title).translate(_PUNCTUATION)


def amends(title: str) -> bool:
    """Whether a text changes other laws and so quotes articles that are not its own."""
    return bool(_CHANGES.search(title))


def tidy(title: str) -> str:
    """A title without blanks; those between two issuing bodies are 、."""
    title = re.sub(r"(?<=人民法院) +(?=最高人民检察院)", "、", title.strip())
    return re.sub(r"\s+", "", title)


def law_name(titles: Sequence[str]) -> str:
    """The name of a law whose versions have these titles, the newest last: the newest, without 试行."""
    name = titles[-1]
    lasting = [title for title in titles if not _PROVISIONAL.search(title)]
    return lasting[-1] if lasting and _PROVISIONAL.search(name) else name


def level_of(folders: Iterable[str], title: str, history: Sequence[LawDecision]) -> str:
    """宪法, 法律, 行政法规, 司法解释, 部门规章 …, or nothing where neither folder nor title nor history tells."""
    folder = next((_FOLDERS[name] for name in folders if name in _FOLDERS), "")
    short = short_name(title)
    if short == "宪法" or short.startswith("宪法修正案"):
        return "宪法"
    if _COURTS.match(title):
        own = re.match(r"人民(?:法院|检察院)组织法", title)
        return "法律" if own or folder == "法律" else "司法解释"
    told = " ".join([title, *(event.text for event in history)])
    if folder == "行政法规" and not _CENTRAL.search(told) and _MINISTRY.search(told):
        # Some collections put rules of ministries among the regulations of the State Council.
        return "部门规章"
    if folder:
        return folder
    if any("全国人民代表大会" in event.text for event in history) or re.search(r"(?:法|法典)$", short):
        return "法律"
    if any(re.search(r"国务院", event.text) for event in history):
        return "行政法规"
    return "部门规章" if any(_MINISTRY.search(event.text) for event in history) else ""


def aliases(name: str, titles: Iterable[str]) -> list[str]:
    """Further names of a law: its other titles, without 中华人民共和国, without 试行, without the issuing body."""
    found: dict[str, None] = {}
    for title in (name, *titles):
        for variant in (title, short_name(title), title.replace(STATE, ""), _PROVISIONAL.sub("", title)):
            found[variant] = None
        if _COURTS.match(title) and "关于" in title[:24]:
            found[title[title.index("关于") :]] = None
    found.pop(name, None)
    return [alias for alias in found if len(alias) > 1]
