"""Evidence as judgments list it: numbered, or in one long sentence; each piece an exhibit of whoever offers it.

What a judgment does not say of an exhibit (what it is to prove, what was objected) is left out, never made up; the
kind is read from the title where a word of it (`exhibits.toml`) leaves no doubt.
"""

from __future__ import annotations

import re
from typing import Any

from store.tables import beside
from store.text.ideographs import HAN
from store.text.normalise import fold_width
from tasks.courts.casefile.judgment import items, sentences
from tasks.courts.casefile.names import is_masked, name_at, surname_of

MOST = 60
"""Exhibits of one judgment that are taken over."""
_CLAUSE = re.compile(
    r"[,。;:](?:拟|欲|用以|用于|旨在|共同|均)?(?:证明|证实|载明|显示|反映)|(?<=供述|证言|陈述|笔录)[,:]"
)
_CLAUSE_ALONE = re.compile(r"(?:拟|欲|用以|用于|旨在|共同|均)(?:证明|证实)")
_LIST = re.compile(
    r"(?:(?:^|(?<=[,;:且并另还均实案]))有|(?<=案)由|包括|(?:如下|下列)证据[:,]?|证据(?:有|如下|为)?:"
    r"|证据(?:有|如下|为)|提交了?|提供了?|出示了?)[:,]?"
)
_LIST_ENDS = re.compile(
    r"等?(?:(?:经[^,。]{0,12}的)?证据材料|书证|证据|材料)?(?:在卷|在案)?(?:予以|足以|均|以)?(?:证实|证明|佐证|为证"
    r"|相互印证)|等(?:书证|证据材料|证据|材料)"
)
_TESTED = re.compile(
    r"^[^、,，;]{0,24}?经[^、,，;]{0,16}?(?:举证|质证|认证|核实|属实|确认)(?:、(?:质证|认证|核实|属实|确认))*的"
)
_SAID = r"(?P<what>(?:证人)?(?:证言|证词)(?:笔录)?|陈述(?:笔录)?|供述(?:(?:和|与|及)辩解|笔录)?)"
_BY_ONE = re.compile(
    rf"^(?P<role>证人|被害人|同案犯|同案人|鉴定人)?(?P<name>[{HAN}]{{1,4}}?[0-9]?)"
    rf"(?:等(?:[0-9]+)?人)?的?{_SAID}(?P<rest>.*)$"
)
_ONE = re.compile(rf"^(?P<role>证人|被害人|同案犯|同案人|鉴定人)?(?P<name>[{HAN}]{{1,4}}?[0-9]?)(?:等人?)?$")
_AND = re.compile(r"^(?:以及|并有|且有|还有|及其?|和|与|有)")
_OWN_TITLE = re.compile(r"[^,。;:、]{2,40}[:,](?:证实|证明|载明|显示|反映|主要(?:内容|证实|证明))")
_LED = re.compile(r"^[^。，,：:]{0,24}证据(?:有|如下|为|包括)?[：:]\s*")
"""认定上述事实的证据有："""
_OTHERS = re.compile(r"等(?:书证|物证|证据材料|证据|材料|在卷|经[^等]{2,12}的)?(?:证据)?所?$")
"""What closes a list and belongs to no title."""
_LONG = 80
"""Characters of a title that somebody can say."""
_IDLE = re.compile(
    r"^(?:证实|证明|佐证|足以认定|足资认定|予以|在案|在卷|相互印证|查证属实|证据|其|到|公诉机关|上述)$|无异议"
    r"|不持异议|(?:制作|出具|提供|提交|调取)$"
)
_UNNAMED = re.compile(r"相应的?(?:证据)?$|(?:相关|有关)证据$")
"""Evidence that is not listed: what follows tells something else."""
_HEADS = re.compile(
    r"^(?:书证|物证|证人证言|鉴定意见|视听资料|电子数据|勘验笔录|被害人陈述|被告人供述(?:和辩解)?|其他证据材料)[:：]"
)


def exhibits(text: str, env: str, owner: str, first: int) -> list[dict[str, Any]]:
    """The exhibits of a passage; `first`: the number of the first one."""
    listed = [item for item in items(text, 1)[1] if len(item) < 3000]
    told = [made for item in listed for made in _numbered(item, env)] if listed else _unnumbered(text, env)
    kept = [(title, words) for title, words in told if title][:MOST]
    return [_made(number, owner, title, words, env) for number, (title, words) in enumerate(kept, first)]


def exhibit_of(text: str, env: str, owner: str, number: int) -> dict[str, Any]:
    """A text that tells of one exhibit, as the exhibit; what its title leaves out is its content."""
    title, words = _parted(text)
    if len(title) > _LONG:
        title = re.split(r"[,，:：;；]", title)[0][:_LONG]
    made = _made(number, owner, title or text[:_LONG], words, env)
    if len(title) + len(words) < len(text.strip()) - 4 and not words:
        made["excerpt"] = text[:20_000]
    return made


def named_exhibits(titles: str, owner: str, first: int) -> list[dict[str, Any]]:
    """The exhibits of a civil party whose titles stand between 、."""
    return [_made(number, owner, title, "", "CI") for number, title in enumerate(_flat(titles)[:MOST], first)]


def kind_of(title: str, env: str) -> str:
    """The kind of evidence that a title names, or ""."""
    kinds = beside(__package__, "exhibits", dict[str, dict[str, re.Pattern[str]]])[env]
    return next((kind for kind, words in kinds.items() if words.search(fold_width(title))), "")


def _made(number: int, owner: str, title: str, words: str, env: str) -> dict[str, Any]:
    """`words`: what a criminal exhibit says, or a civil one is to prove."""
    kind = kind_of(title, env)
    made: dict[str, Any] = {"id": f"E{number}", "owner": owner, "title": title[:200]}
    made |= {"kind": kind} if kind else {}
    made |= {"excerpt" if env == "CR" else "purpose": words[:20_000]} if words else {}
    if kind == "证人证言" and (name := _witness(title[:200])):
        made["witness"] = {"name": name}
    return made


def _numbered(item: str, env: str) -> list[tuple[str, str]]:
    title, words = _parted(item)
    return [(one, words) for one in _people_apart(title, env)]


def _parted(item: str) -> tuple[str, str]:
    """The title of an item, and the clause on what it proves or says; "" where it has none."""
    folded = fold_width(item)
    cut = _CLAUSE.search(folded) or _CLAUSE_ALONE.search(folded)
    if cut is None:
        stop = re.search(r"[。;]|等(?:书证|证据材料|证据|材料)", folded)
        return _title(item[: stop.start() if stop else len(item)]), ""
    return _title(item[: cut.start()]), item[cut.start() :].lstrip("，,。；;：: ").rstrip("；;。 ")


def _unnumbered(text: str, env: str) -> list[tuple[str, str]]:
    """Exhibits without numbers: titles in a row, or each with what it proves (检测报告：证实…。案发经过：证实…。)."""
    lines = sentences(text)
    own = [_OWN_TITLE.match(fold_width(_LED.sub("", line))) is not None for line in lines]
    titled = sum(own) > 1
    found: dict[str, str] = {}
    last = ""
    for line, alone in zip(lines, own, strict=True):
        if titled and alone:
            for last, words in _numbered(_LED.sub("", line), env):
                found.setdefault(last, words)
        elif listed := _in_a_row(line):
            found |= {title: "" for title in listed if title not in found}
        elif last:
            found[last] += f"。{line}".rstrip("。；;")
    return list(found.items())


def _people_apart(title: str, env: str) -> list[str]:
    """The words of several people are so many exhibits; other things under one number are one."""
    apart = _group(title) if env == "CR" else [title]
    return apart if len(apart) > 1 and all(re.search(_SAID, one) for one in apart) else [title]


def _title(text: str) -> str:
    text = text.strip(" ，,。；;：:、")
    head = _HEADS.match(text)
    return text[head.end() :].strip() if head and len(text) > head.end() + 1 else text


def _in_a_row(sentence: str) -> list[str]:
    """Titles of a sentence that lists evidence."""
    folded = fold_width(sentence)
    head = _LIST.search(folded)
    if head is None:
        return []
    ends = [match.start() for match in _LIST_ENDS.finditer(folded, head.end())]
    listed = sentence[head.end() : ends[-1] if ends else len(sentence)]
    found: list[str] = []
    for group in re.split(r"[，,；;。]", re.split("等[，,。]", listed)[0]):
        bare = _TESTED.sub("", _AND.sub("", group.strip()))
        if _UNNAMED.match(bare):
            break
        found += _group(bare)
    titles = (_OTHERS.sub("", title) for title in found)
    return list(dict.fromkeys(title for title in titles if 2 <= len(title) <= 200 and not _IDLE.search(title)))


def _group(group: str) -> list[str]:
    """Titles between 、; 证人甲、乙的证言 is one title a person."""
    found: list[str] = []
    waiting: list[str] = []
    role = ""
    for part in _flat(group):
        spoken, name = _BY_ONE.match(part), _ONE.match(part)
        if spoken and (_named(spoken["name"]) or waiting):
            role = spoken["role"] or role
            found += [f"{role}{one}的{spoken['what']}" for one in [*waiting, spoken["name"]]]
            waiting, role = [], ""
            rest = _title(_AND.sub("", spoken["rest"]))
            found += [rest] if rest else []
        elif name and (
            waiting and not kind_of(part, "CR") or _named(name["name"]) and (name["role"] or is_masked(part))
        ):
            role = name["role"] or role
            waiting.append(name["name"])
        else:
            found += [f"{role}{one}" for one in waiting] + [part]
            waiting, role = [], ""
    return found + [f"{role}{one}" for one in waiting]


def _named(name: str) -> bool:
    return (
        len(name) > 1
        and bool(surname_of(name))
        and not name.endswith(("笔录", "照片", "经过", "证明", "清单", "录像"))
    )


def _flat(group: str) -> list[str]:
    """What stands between 、 outside brackets and book marks."""
    parts, depth, last = [], 0, 0
    for place, sign in enumerate(group):
        depth += sign in "（(《“"
        depth -= sign in "）)》”" and depth > 0
        if sign == "、" and not depth:
            parts.append(group[last:place])
            last = place + 1
    return [title for part in [*parts, group[last:]] if (title := _title(_AND.sub("", part.strip())))]


def _witness(title: str) -> str:
    start = 2 if title.startswith("证人") else 0
    name = name_at(fold_width(title), start, masked=True)
    return (
        name if name and re.match(r"(?:的|所作)?(?:当庭)?(?:证人)?(?:证言|证词)", title[start + len(name) :]) else ""
    )
