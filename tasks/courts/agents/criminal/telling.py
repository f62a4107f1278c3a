"""How an accused tells what is on file: days as people say them, custody in one sentence, facts in the first
person."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from store.text.dates import plain_date
from tasks.courts.agents.criminal.asking import speech
from tasks.courts.scores.bigrams import sentences

MEASURES = {"拘留": "刑事拘留", "逮捕": "逮捕", "取保候审": "取保候审", "监视居住": "监视居住"}


def birthday(person: Mapping[str, Any]) -> str:
    """1996年2月9日出生; '' where it is not known."""
    day = plain_date(person.get("birth_date", ""))
    return f"{day}出生" if day else ""


def identity(person: Mapping[str, Any]) -> str:
    """What 刑诉法解释第二百三十五条 asks of an accused, in the first person, as far as it is on file."""
    place = person.get("birthplace", "")
    told = [
        f"我叫{person['name']}" if person.get("name") else "", person.get("gender", ""), birthday(person),
        person.get("ethnicity", ""), f"出生地是{place}" if place else "", person.get("education", ""),
        person.get("occupation", ""), f"在{person['workplace']}工作" if person.get("workplace") else "",
        f"住在{person['address']}" if person.get("address") else "",
    ]  # fmt: skip
    return "，".join(filter(None, told)) + "。"


def custody(measures: Sequence[Mapping[str, Any]]) -> str:
    """2024年5月20日被刑事拘留，6月3日被逮捕，羁押在…; '' where nothing is on file."""
    told, year = [], ""
    for one in measures:
        if day := plain_date(one.get("since", "")):
            told.append(f"{day.removeprefix(year)}被{MEASURES.get(one['measure'], one['measure'])}")
            year = day[:5]
    last = measures[-1] if told else {}
    held = last.get("measure") in ("拘留", "逮捕") and not last.get("until") and last.get("place")
    return "，".join(told) + (f"，现在羁押在{last['place']}" if held else "")


def in_first_person(text: str, name: str) -> str:
    """A fact of the case as the accused tells it: 邵远舟被民警抓获 -> 我被警察抓了."""
    told = re.sub(rf"(?:被告人)?{re.escape(name)}", "我", text) if name else text
    told = re.sub(r"(?:将|把)其(?=[^，。；]{0,6}(?:抓|查获|传唤|带至|带到|带回|控制))", "把我", told)
    told = re.sub(r"(被|由|在|从)其(?=[\u4e00-\u9fff])", r"\1我", told)
    for cue, words in _plain():
        told = cue.sub(words, told)
    return re.sub(r"^(?:被告人|其)", "", told)


@cache
def _plain() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(cue), words) for cue, words in speech()["plain"]["words"])


def parts(text: str) -> list[str]:
    """The sentences of a text, trimmed."""
    found = [one.strip() for one in sentences(text) if one.strip()]
    return [one if one[-1] in "。！？；!?;" else f"{one}。" for one in found]


def own_words(text: str) -> str:
    """承认X；否认Y，称Z -> 我承认X；我不承认Y，Z."""
    text = re.sub(r"(^|[；;，。])承认", r"\1我承认", text)
    text = re.sub(r"(^|[；;，。])(?:否认|不承认)", r"\1我不承认", text)
    return re.sub(r"([；;，。]|^)(?:称|辩称)", r"\1", text)
