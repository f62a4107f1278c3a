"""Joins neighbouring mentions that mean one thing: attribute and threshold, attribute and choice, count and measure
word."""

from __future__ import annotations

import re
from dataclasses import replace

from tasks.legalagentbench.rules.mentions import Mention, Modifier
from tasks.legalagentbench.rules.vocabulary import words


def combine(mentions: list[Mention], text: str) -> list[Mention]:
    """Joins neighbours that mean one thing: attribute + threshold, attribute + choice, count + measure word."""
    mentions = _aggregated(_apart(_once(_investors(mentions, text)), text), text)
    result: list[Mention] = []
    index = 0
    while index < len(mentions):
        mention = mentions[index]
        following = mentions[index + 1] if index + 1 < len(mentions) else None
        gap = text[mention.end : following.start] if following else ""
        joined = _join(mention, following, gap) if following else None
        if joined is not None:
            mentions[index + 1] = joined
            index += 1
            continue
        if (
            mention.text in ("多少", "有多少")
            and mention.kind == "count"
            and result
            and result[-1].concepts
            and re.fullmatch(r"(?:分别|各自|具体)?(?:是|为|达)?", text[result[-1].end : mention.start])
        ):
            index += 1
            continue
        if mention.kind == "listed" and re.search(
            r"(?:[几多][家个]|多少[家个]|哪[些几]|哪家|分别)(?:公司|企业)?$",
            text[max(0, mention.start - 6) : mention.start],
        ):
            mention = replace(mention, kind="modifier", modifier=Modifier("listed"))
            mentions[index] = mention
        if (
            mention.kind == "term"
            and result
            and mention.text.startswith(("在哪", "位于", "在什么", "在何", "坐落", "设在", "具体"))
            and "address" in mention.concepts
            and {"address", "register_address", "office_address"} & set(result[-1].concepts)
        ):
            index += 1
            continue
        if mention.kind == "pointer":
            if following and not gap and following.relations:
                mentions[index + 1] = replace(following, pointing=True)
        elif (
            mention.kind == "term"
            and following
            and following.kind == "entity"
            and _LABELS.fullmatch(gap)
            and mention.concepts
        ):
            pass
        elif mention.kind != "filler":
            result.append(_listed(mention, mentions, index, text))
        index += 1
    return result


def _once(mentions: list[Mention]) -> list[Mention]:
    """A year said twice counts once, where the second time says what it is the year of:
    2019年也有新设的，2019年成立的法院."""
    kept: list[Mention] = []
    for index, mention in enumerate(mentions):
        if mention.modifier and mention.modifier.op == "in" and _undated(mentions, index):
            later = (m for m in range(index + 1, len(mentions)) if mentions[m].modifier == mention.modifier)
            if any(not _undated(mentions, other) for other in later):
                continue
        kept.append(mention)
    return kept


def _undated(mentions: list[Mention], index: int) -> bool:
    """Whether no word of founding stands right after a year."""
    following = mentions[index + 1] if index + 1 < len(mentions) else None
    return not (
        following
        and following.text in ("成立", "设立", "创立", "创办", "注册")
        and following.start - mentions[index].end <= 2
    )


def _investors(mentions: list[Mention], text: str) -> list[Mention]:
    """投资某公司的上市公司 and 哪家公司投资了某公司 both speak of the parent."""
    result = list(mentions)
    for index, mention in enumerate(mentions[:-1]):
        entity = mentions[index + 1]
        if (
            mention.kind not in ("invests", "verb")
            or mention.unit
            or entity.kind != "entity"
            or text[mention.end : entity.start].strip("对到")
        ):
            continue
        noun = _INVESTOR.match(text, entity.end)
        before = mentions[index - 1] if index else None
        if noun or (before is not None and _WHO.search(text[max(0, mention.start - 9) : mention.start])):
            end = noun.end() if noun else entity.end
            parent = Mention(
                "term",
                entity.end,
                end,
                noun[0] if noun else mention.text,
                3.0,
                relations=("parent",),
                factor=entity.factor,
                facts=("closing",) if not noun else (),
            )
            result[index] = entity
            result[index + 1] = parent
            result = [m for m in result if m is parent or m is entity or not (parent.start <= m.start < parent.end)]
            if not noun:
                result = [
                    m
                    for m in result
                    if not (mention.start - 9 <= m.start < mention.start and m.kind in ("term", "which"))
                ]
            return result
    return result


_INVESTOR = re.compile(r"的(?:那家|该|这家|各)?(?:上市)?(?:母公司|公司|企业|股东|投资方|集团)(?!名称)")
_WHO = re.compile(r"(?:哪[家个些]|哪一家|什么)(?:上市)?(?:公司|企业|母公司|集团)(?:所|曾|对|在)?$")
_LABELS = re.compile(r"(?:是|为|：|:|在|位于|“|\"|‘|'|即|（)*")
_BEFORE = re.compile(r"(?:、|和|及|以及|与|并|，以及|，及|跟|还有|，还有)(?:其|它的|该|相应的|对应的|具体的?)*$")
_AFTER = re.compile(r"^(?:、|和|及|以及|与|，以及|，及|跟|还有|，还有)")


def _listed(mention: Mention, mentions: list[Mention], index: int, text: str) -> Mention:
    """Marks a mention that stands in an enumeration: 原告和被告, 名称、电话及地址."""
    if mention.kind == "modifier" and re.search(
        r"(?:且|并|并且|而且|同时)$", text[max(0, mention.start - 2) : mention.start]
    ):
        return replace(mention, facts=(*mention.facts, "conjunct"))
    if mention.kind in ("count", "which") and re.match(r"(?:呢)?[，。；？！]", text[mention.end :]):
        return replace(mention, facts=(*mention.facts, "closing"))
    if mention.kind != "term":
        return mention
    end = re.match(r"(?:呢)?(?:[。；？！]|$)|(，)", text[mention.end :])
    if end and mention.relations:
        mention = replace(mention, facts=(*mention.facts, "pausing" if end[1] else "closing"))
    joined = _AFTER.match(text[mention.end : mention.end + 3]) or _BEFORE.search(
        text[max(0, mention.start - 8) : mention.start]
    )
    return replace(mention, facts=(*mention.facts, "listed")) if joined else mention


_MEASURED = frozenset(
    "amount fine target unpaid invested capital founded date filed published closed punished ratio listing_date"
    " insured rank served net_raised violations investigations issue_price".split()
)
_CHANGING = re.compile(
    r"^(?:的|审理的|涉及的|又|还|要|须|需|得|又要|只有|为|是|在|于|比|数|且|也|都|均|额|分别|，|达|则|自|金额|时间|中"
    r"|、|数额|有){0,3}$"
)


_TALLIES = (("served",), ("insured",), ("violations",), ("investigations",))
_DATES = frozenset("founded date filed published closed punished listing_date".split())


def _agree(op: str, concepts: tuple[str, ...]) -> bool:
    """Whether a choice suits an attribute: the earliest of dates, the highest of amounts."""
    return op in ("max", "min") or bool(_DATES & set(concepts))


def _aggregated(mentions: list[Mention], text: str) -> list[Mention]:
    """A figure named before its amounts (平均下来某公司案件的金额是多少) belongs to the last amount of the same
    clause."""
    found = list(mentions)
    for place, mention in enumerate(mentions):
        if mention.text not in words().aggregates:
            continue
        stop = next((at for at in range(mention.end, len(text)) if text[at] in "，。；？！"), len(text))
        measured = [
            later
            for later in range(place + 1, len(mentions))
            if mentions[later].end <= stop and set(mentions[later].concepts) & set(_MEASURED)
        ]
        if measured:
            term = mentions[measured[-1]]
            concepts = tuple(concept for concept in term.concepts if concept in _MEASURED)
            found[measured[-1]] = replace(
                term, kind="sum", concepts=concepts, relations=(), facts=mention.facts, weight=2.5
            )
            found.remove(mention)
    return found


_DIFFERENCE = re.compile(r"[^，。；？！]{0,16}?[差减]")
_HIGH_LOW = {"max", "min"}


def _apart(mentions: list[Mention], text: str) -> list[Mention]:
    """The highest and the lowest of one attribute, and a word of difference after them: one figure of many
    amounts."""
    for place, first in enumerate(mentions):
        if first.kind != "select" or first.modifier is None or first.modifier.op not in _HIGH_LOW:
            continue
        other = next((n for n, m in enumerate(mentions[place + 1 : place + 3], place + 1) if m.kind == "select"), 0)
        second = mentions[other].modifier
        if not other or second is None or {first.modifier.op, second.op} != _HIGH_LOW:
            continue
        between, end = text[first.end : mentions[other].start], mentions[other].end
        after = _DIFFERENCE.match(text, end)
        if re.search(r"[，。；？！]", between) or after is None and "减" not in between:
            continue
        near = [n for n in (place - 1, *range(place + 1, other), other + 1) if 0 <= n < len(mentions)]
        measured = next((n for n in near if set(mentions[n].concepts) & _MEASURED), None)
        if measured is None:
            continue
        concepts = tuple(c for c in mentions[measured].concepts if c in _MEASURED)
        start = min(first.start, mentions[measured].start)
        figure = Mention(
            "sum", start, max(end, mentions[measured].end), text[start:end], 2.5, (), concepts,
            factor=first.factor, facts=("spread",),
        )  # fmt: skip
        dropped = {place, other, measured}
        return [figure if n == place else m for n, m in enumerate(mentions) if n == place or n not in dropped]
    return mentions


def _join(first: Mention, second: Mention, gap: str) -> Mention | None:
    measured = tuple(c for c in first.concepts if c in _MEASURED)
    if first.kind in ("term", "sum") and measured and second.modifier and len(gap) <= 4 and _CHANGING.match(gap):
        modifier = second.modifier
        if second.kind == "select" or (
            second.kind == "modifier" and modifier.op in (">", ">=", "<", "<=", "between")
        ):
            if "，" in gap and second.kind == "select":
                return None
            return replace(
                second,
                start=first.start,
                text=first.text + gap + second.text,
                modifier=modifier._replace(concepts=measured),
                facts=("after",),
            )
        if modifier.op == "in" and set(measured) & {
            "founded",
            "date",
            "filed",
            "published",
            "closed",
            "punished",
            "listing_date",
        }:
            return replace(
                second,
                start=first.start,
                text=first.text + gap + second.text,
                modifier=modifier._replace(concepts=measured),
            )
    if (
        first.modifier
        and first.modifier.op == "in"
        and second.kind == "term"
        and gap
        in (
            "",
            "的",
            "期间",
            "内",
            "就",
            "度",
            "已",
            "注册",
            "新",
            "才",
            "刚",
            "新近",
            "年内",
            "之内",
            "正式",
            "才新",
        )
        and second.text in ("成立", "设立", "创立", "创办", "注册", "立案", "处罚", "上市")
    ):
        concept = {"立案": "filed", "处罚": "punished", "上市": "listing_date"}.get(second.text, "founded")
        return replace(
            first,
            end=second.end,
            text=first.text + gap + second.text,
            modifier=first.modifier._replace(concepts=(concept,)),
        )
    if (
        first.kind == "select"
        and first.modifier
        and not first.modifier.concepts
        and _agree(first.modifier.op, second.concepts)
        and gap in ("", "的", "一笔", "的一笔", "一次", "一笔的", "涉及")
        and second.kind in ("term", "sum")
    ):
        measured = tuple(c for c in second.concepts if c in _MEASURED)
        if measured and second.text not in ("标的",):
            facts = ("verb",) if second.text in ("成立", "设立", "创立", "创办") else ("before",)
            return replace(
                first,
                end=second.end,
                text=first.text + gap + second.text,
                modifier=first.modifier._replace(concepts=measured),
                facts=facts,
            )
    if (
        first.kind == "select"
        and second.kind == "select"
        and first.modifier
        and second.modifier
        and gap in ("和", "与", "及", "以及", "、", "的和")
        and {first.modifier.op, second.modifier.op} in ({"max", "min"}, {"first", "last"})
    ):
        return replace(
            second,
            start=first.start,
            text=first.text + gap + second.text,
            modifier=Modifier("ends", first.modifier.concepts or second.modifier.concepts),
        )
    if first.kind == "count" and second.kind == "count" and len(gap) <= 6 and not re.search(r"[，。；？]", gap):
        return replace(second, start=first.start, text=first.text + gap + second.text, unit=second.unit or first.unit)
    if (
        first.modifier
        and second.modifier
        and first.modifier.op in (">", ">=", "<", "<=")
        and second.kind == "modifier"
        and not second.modifier.concepts
        and second.modifier.op in (">", ">=", "<", "<=")
        and len(gap) <= 4
    ):
        low, high = (
            (first.modifier, second.modifier) if first.modifier.op[0] == ">" else (second.modifier, first.modifier)
        )
        return replace(
            second,
            start=first.start,
            text=first.text + gap + second.text,
            modifier=Modifier("between", first.modifier.concepts, (low.value, high.value)),
        )
    if (
        first.kind == "term"
        and measured
        and second.kind == "sum"
        and (not second.concepts or second.text == "总额")
        and len(gap) <= 2
        and "，" not in gap
    ):
        return replace(second, concepts=measured, start=first.start, weight=2.5, text=first.text + gap + second.text)
    if first.kind == "sum" and second.kind == "money" and len(gap) <= 4:
        return replace(
            second,
            kind="sum",
            facts=first.facts,
            concepts=first.concepts,
            start=first.start,
            weight=2.5,
            text=first.text + gap + second.text,
        )
    if (
        first.kind == "term"
        and first.concepts in _TALLIES
        and second.kind == "count"
        and len(gap) <= 5
        and "，" not in gap
    ):
        return replace(first, end=second.end, unit=second.unit or first.unit)
    return None
