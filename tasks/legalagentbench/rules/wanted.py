"""Reads the words of a question between its named things: relations, attributes, conditions, selections, counts.

The result is a list of mentions in order. What they mean together is decided by `plan`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from tasks.legalagentbench.rules.joining import combine
from tasks.legalagentbench.rules.mentions import Mention
from tasks.legalagentbench.rules.patterns import chosen, pattern_at
from tasks.legalagentbench.rules.recognise import Entity
from tasks.legalagentbench.rules.vocabulary import words

Entry = tuple[str, str, tuple[str, ...], tuple[str, ...], float]
"""(word, kind, relations, attributes, weight)."""


@lru_cache(maxsize=1)
def _dictionary() -> dict[str, list[Entry]]:
    """First character -> (word, kind, relations, attributes, weight), longest word first."""
    named: dict[str, tuple[list[str], list[str], float]] = {}
    for slot, table in enumerate((words().relations, words().attributes)):
        for name, weight, listed in table:
            for word in listed:
                entry = named.setdefault(word, ([], [], weight))
                names = entry[0] if slot == 0 else entry[1]
                if name not in names:
                    names.append(name)
    entries = {word: ("term", relations, concepts, weight) for word, (relations, concepts, weight) in named.items()}
    for word in words().sum_words:
        known = entries.get(word)
        entries[word] = ("sum", [], known[2] if known else [], 2.5)
    for word in words().aggregates:
        entries[word] = ("sum", [], [], 2.5)
    for word in words().count_nouns:
        entries[word] = ("count", [], [], 2.0)
    for extremes in (words().maximum, words().minimum, words().earliest, words().latest):
        for word in extremes:
            entries[word] = ("select", [], [], 3.0)
    heads: dict[str, list[Entry]] = {}
    for word, (kind, relations, concepts, weight) in entries.items():
        heads.setdefault(word[0], []).append((word, kind, tuple(relations), tuple(concepts), weight))
    for bucket in heads.values():
        bucket.sort(key=lambda entry: -len(entry[0]))
    return heads


def _word(text: str, position: int, limit: int) -> Mention | None:
    for word, kind, relations, concepts, weight in _dictionary().get(text[position], ()):
        end = position + len(word)
        if end <= limit and text.startswith(word, position):
            mention = Mention(kind, position, end, word, weight, relations, concepts)
            if kind == "select":
                weight = 1.2 if word == "最新" else weight
                return replace(mention, weight=weight, modifier=chosen(word))
            if word in words().aggregates:
                return replace(mention, facts=(words().aggregates[word],))
            if kind == "count":
                return replace(mention, unit=words().units.get(word, ""))
            return mention
    return None


_FORMATTING = re.compile(
    r"（(?:以|按|按照)[^（）]*(?:计|计数|统计|为准|计算|来算|算|输出|回答)）|（[^（）]*(?:保留|单位|格式|小数"
    r"|四舍五入|取整|整数)[^（）]*）|(?:请)?(?:注意)?[，：]?(?:金额|结果|数额|总额|数值|答案|日期|时间|回答"
    r"|数据)?(?:请|均|统一|都)?(?:四舍五入)?(?:保留|取)(?:到|至)?(?:小数点后)?[一两二2-4](?:位)?(?:小数)?|"
    r"(?:以|用|按照?)(?:亿元|万元|元)为单位|单位(?:为|是|：)?(?:亿元|万元|元)|(?:回答|输出|结果)?(?:的)?(?:输出|日期"
    r"|时间)?格式(?:使用|为|是|请使用|采用|：)?[“\"]?[xX]{2,4}年[xX]{2}月[xX]{2}日[”\"]?"
)
_ASKED = re.compile(r"多少|哪|是谁|什么|是否|吗|几[家个次起]|[？?]")


def _clause_factors(text: str, entities: list[Entity]) -> list[float]:
    """How much each character counts: small talk and reasons little, questions fully."""
    factors = [1.0] * len(text)
    asking = re.compile(
        r"多少|哪|是谁|什么|是否|是不是|吗|几[家个次起件条所]|提供|查询|查一下|查找|确认|告诉|列出|核实|请问|了解"
        r"|知道|想要|[？?]"
    )
    seen_entity = False
    for match in re.finditer(r"[^，。；？！]+[，。；？！]?", text):
        clause = match[0]
        has_entity = any(
            match.start() <= e.start < match.end()
            for e in entities
            if e.kind != "place" or (e.place and e.place.county)
        )
        factor = 1.0
        talk = next(
            (w for w in words().small_talk if clause.startswith(w)),
            "以" if re.match(r"以(?!及|下|前|后|上|来|往|何|内|外|它|其|该|这家|这个)", clause) else "",
        )
        if (
            talk
            and not (has_entity and len(clause) > 25)
            and not re.search(r"需要(?:确认|了解|知道|查)|想|请问|[？?]", clause)
        ):
            factor = 0.12
        elif any(clause.startswith(w) for w in words().preamble):
            asked = _ASKED.search(clause)
            factor = 1.0 if asked and (has_entity or seen_entity) else 0.7 if has_entity or seen_entity else 0.15
        elif not asking.search(clause) and not has_entity and not seen_entity:
            factor = 0.4
        seen_entity = seen_entity or has_entity
        for position in range(match.start(), match.end()):
            factors[position] = factor
    for match in re.finditer(
        r"(?:以便|从而|为(?:我们?|客户|当事人|后续|进一步|其|委托人)[^，。？]{0,20}提供|以(?:评估|确保|确定|判断"
        r"|进一步|帮助|支持|制定|更好))[^，。？！]*",
        text,
    ):
        if not any(match.start() <= e.start < match.end() for e in entities):
            for position in range(match.start(), match.end()):
                factors[position] = min(factors[position], 0.15)
    return factors


def read(text: str, entities: list[Entity]) -> list[Mention]:
    """All mentions of a tidy question, in order."""
    factors = _clause_factors(text, entities)
    starts = {entity.start: entity for entity in entities}
    mentions: list[Mention] = []
    blanks = [m.span() for m in _FORMATTING.finditer(text)]
    position = 0
    while position < len(text):
        skip = next((end for start, end in blanks if start <= position < end), None)
        if skip is not None and position not in starts:
            position = skip
            continue
        if position in starts:
            entity = starts[position]
            weight = 4.0 if entity.kind != "place" or (entity.place and entity.place.county) else 0.5
            mentions.append(
                Mention(
                    "entity", entity.start, entity.end, entity.name, weight, entity=entity, factor=factors[position]
                )
            )
            position = entity.end
            continue
        limit = next((entity.start for entity in entities if entity.start > position), len(text))
        word, pattern = _word(text, position, limit), pattern_at(text, position, limit)
        best = word if word and (not pattern or len(word.text) > len(pattern.text)) else pattern
        if best is None:
            position += 1
            continue
        mentions.append(replace(best, factor=factors[position]))
        if best.kind == "modifier" and best.relations:
            mentions[-1] = replace(mentions[-1], relations=())
            mentions.append(
                Mention("term", best.end, best.end, "文书", 1.0, best.relations, factor=factors[position])
            )
        position = best.end
    return combine(mentions, text)
