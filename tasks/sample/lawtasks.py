"""The LegalSearch tasks of the sample pack: all 13 kinds, on the law of the fictional jurisdiction.

Some are drawn from the statute book (recitals, pairs on the words in force, blanks), some computed from it (terms by
the 基准刑 of an article and the adjustments of the general part), the rest is authored: time-travel pairs, criminal
cases, consultations and examination questions, each with the articles that it follows from in `basis`. Terms are in
months.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import islice
from random import Random
from typing import Any

from store.statutes.model import Article
from store.tables import beside
from store.text.numerals import chinese_to_int
from tasks.legalsearch.construct import changes, spread
from tasks.legalsearch.construct.book import written
from tasks.legalsearch.construct.changes import Change
from tasks.legalsearch.construct.prompts import choice, record
from tasks.legalsearch.construct.recital import gold, recitals
from tasks.legalsearch.construct.travel import pairs
from tasks.sample import JURISDICTION
from tasks.sample.lawcloze import cloze
from tasks.sample.lawhistory import HistoryBook, number_of
from tasks.sample.ledger import stream

LAW = f"{JURISDICTION}岚洲的法律"
CODE = "岚洲刑法典"
AS_OF = date(2024, 12, 31)
RECITALS = 28
WORD_PAIRS = 6

EXAMS: dict[str, str] = {
    "cpa": "岚洲注册会计师考试", "pae": "岚洲专利代理师考试", "nje": "岚洲司法考试", "ungee": "岚洲法律硕士联考",
    "lbk": "岚洲法律基础知识", "pfe": "岚洲公共基础知识",
}  # fmt: skip
"""Kind -> the fictional examination that the question is said to be from."""

BLANKS: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    # kind, how many questions, laws they are about
    ("cpa", 6, ("岚洲公司组织法", "岚洲企业公司条例", "岚洲合同法典")),
    ("pae", 6, ("岚洲专利法",)),
    ("nje", 4, ("岚洲民事诉讼与执行法", "岚洲消费者保护法")),
    ("ungee", 6, (CODE, "岚洲民事通则", "岚洲民事关系条例")),
    ("lbk", 6, ("岚洲侵权责任法", "岚洲合同条例")),
    ("pfe", 6, ("岚洲行政处罚法", "岚洲劳动关系法", "岚洲劳动条例")),
    ("kqa", 6, ("岚洲合同法典", "岚洲劳动关系法", "岚洲民事通则")),
)

GENERAL = ("17", "18", "30", "33-1", "105")
"""Articles of the code that apply beside others in many cases: no wrong option."""

Task = dict[str, Any]


def law_tasks(seed: int) -> list[Task]:
    """All tasks, kind by kind in the order of their making; the same seed gives the same tasks."""
    book = HistoryBook()
    found = spread(list(changes(book)), stream(seed, "law-order"))
    return [
        *recitals_of(book, found, seed),
        *word_pairs(book, found, seed),
        *travel_pairs(seed),
        *criminal_cases(book, seed),
        *terms(book),
        *consultations(book),
        *examinations(seed),
        *blanks(book, found, seed),
    ]


def recitals_of(book: HistoryBook, found: list[Change], seed: int) -> Iterator[Task]:
    """LAR by the rule of the paper."""
    return islice(recitals(book, found, stream(seed, "law-recital"), AS_OF, "sample-", LAW), RECITALS)


def word_pairs(book: HistoryBook, found: list[Change], seed: int) -> Iterator[Task]:
    """Pairs on the words in force."""
    for pair in islice(pairs(book, found, stream(seed, "law-pairs"), AS_OF, "sample-", LAW), WORD_PAIRS):
        yield from pair


def travel_pairs(seed: int) -> Iterator[Task]:
    """Authored pairs: the same facts at two dates, with opposite answers."""
    rng = stream(seed, "law-travel")
    for n, entry in enumerate(_data("pairs")["pair"], 1):
        name = f"sample-travel-{n:02d}"
        options, letters = _shuffled(entry["options"], rng)
        for side, day, cite, answer in zip("ab", entry["days"], entry["cite"], entry["answers"], strict=True):
            text = _dated(entry["facts"], day, entry.get("after", 0)) + entry["ask"]
            yield _made(
                entry["kind"], f"{name}{side}", choice(_headed(entry["kind"], text), options), letters[answer],
                [(cite, day)], pair=name, cluster=name,
            )  # fmt: skip


def criminal_cases(book: HistoryBook, seed: int) -> Iterator[Task]:
    """CCP: name the charges. LAP: choose the articles among others of the code."""
    rng = stream(seed, "law-cases")
    count = {"ccp": 0, "lap": 0}
    for entry in _data("criminal")["case"]:
        kind, day = entry["kind"], entry["day"]
        count[kind] += 1
        task_id = f"sample-{kind}-{count[kind]:02d}"
        applied = [book.on(CODE, number_of(key), date.fromisoformat(day)) for key in entry["cite"]]
        facts = f"案件事实: {_dated(entry['facts'], day)}"
        basis = [(f"{CODE} {key}", day) for key in entry["cite"]]
        if kind == "ccp":
            answer = ";".join(article.title.removesuffix("罪") for article in applied)
            yield _made(kind, task_id, facts + "\n", answer, basis)
            continue
        options = [*applied, *_distractors(book, applied, day, rng)]
        options.sort(key=lambda article: rng.random())
        answer = "".join(letter for letter, one in zip("ABCD", options, strict=True) if one in applied)
        lines = "\n".join(
            f"{letter}: {CODE}{one.number.chinese}" for letter, one in zip("ABCD", options, strict=True)
        )
        yield _made(kind, task_id, f"{facts}\n选项:\n{lines}\n", answer, basis)


def terms(book: HistoryBook) -> Iterator[Task]:
    """PTP: terms that follow by arithmetic; two days make a pair."""
    for n, entry in enumerate(_data("criminal")["term"], 1):
        days, several = entry["days"], len(entry["days"]) > 1
        for side, day in zip("ab" if several else ("",), days, strict=True):
            on = date.fromisoformat(day)
            offence = book.on(CODE, number_of(entry["article"]), on)
            amount = entry.get("amount") or _amount(offence, entry.get("steps", 0))
            used = [book.on(CODE, number_of(key), on) for key in entry["with"]]
            cited = "、".join(article.number.chinese for article in (offence, *used))
            facts = _dated(entry["facts"], day).replace("{amount}", str(amount))
            question = f"案件事实: {facts}本案在两个月内审结。\n相关法条: {CODE}{cited}\n"
            basis = [(f"{CODE} {key}", day) for key in (entry["article"], *entry["with"], "30")]
            name = f"sample-ptp-{n:02d}"
            pair = {"pair": name} if several else {}
            yield _made(
                "ptp",
                f"{name}{side}",
                question,
                f"{term_months(offence, used, amount)}个月",
                basis,
                cluster=name,
                **pair,
            )


def consultations(book: HistoryBook) -> Iterator[Task]:
    """LCS: advice and the article in force."""
    for n, entry in enumerate(_data("consultation")["consultation"], 1):
        law, _, key = entry["cite"].partition(" ")
        article = book.on(law, number_of(key), date.fromisoformat(entry["day"]))
        question = f"用户提问: {_dated(entry['question'], entry['day'])}\n"
        answer = f"回答:{entry['advice']}法律依据:《{law}》{article.number.chinese}规定：{gold(article)}"
        yield _made("lcs", f"sample-lcs-{n:02d}", question, answer, [(entry["cite"], entry["day"])])


def examinations(seed: int) -> Iterator[Task]:
    """Authored examination questions."""
    rng = stream(seed, "law-exams")
    count: dict[str, int] = {}
    for entry in _data("exams")["question"]:
        kind, year = entry["kind"], entry["year"]
        count[kind] = count.get(kind, 0) + 1
        text = _headed(kind, f"在{year}年的时间背景下，{entry['text']}")
        basis = [(cite, f"{year}-07-01") for cite in entry["cite"]]
        options, letters = _shuffled(entry["options"], rng)
        answer = "".join(sorted(letters[letter] for letter in entry["answer"]))
        yield _made(kind, f"sample-{kind}-{count[kind]:02d}", choice(text, options), answer, basis)


def blanks(book: HistoryBook, found: list[Change], seed: int) -> Iterator[Task]:
    """Questions with a quantity blanked out."""
    rng = stream(seed, "law-blanks")
    used: set[str] = set()
    for kind, wanted, laws in BLANKS:
        made = 0
        for change in (change for change in found if change.after.law in laws):
            if made == wanted:
                break
            if change.rule in used or (question := cloze(book, change, rng)) is None:
                continue
            used.add(change.rule)
            made += 1
            letter = "ABCD"[question.options.index(question.answer)]
            cite = (f"{question.article.law} {question.article.number.key}", f"{question.year}-07-01")
            text = choice(_headed(kind, question.text), list(question.options))
            yield _made(kind, f"sample-{kind}-b{made:02d}", text, letter, [cite], cluster=change.rule)


_THRESHOLD = re.compile(r"(?:价值|数额|酒精含量)(?P<n>[一二三四五六七八九十百千万]+)(?:元|毫克)以上")
_BASE = re.compile(r"基准刑为(?P<n>[一二三四五六七八九十百]+)个月")
_STEP = re.compile(r"每增加(?P<n>[一二三四五六七八九十百千万]+)(?:元|毫克)，增加(?P<m>[一二三四五六七八九十百]+)个月")
_SHARE = re.compile(r"(?P<how>减少|增加)基准刑的百分之(?P<n>[一二三四五六七八九十]+)")


def term_months(offence: Article, used: Iterable[Article], amount: int) -> int:
    """The term in months by 第三十条第二款: the 基准刑 with whole steps above the threshold, all shares added and
    taken once.

    Args:
        offence: the article that names the 基准刑, as in force.
        used: the articles of the general part that reduce or raise it.
        amount: in yuan or milligrams, 0 where the 基准刑 does not depend on it.
    """
    text = offence.text or ""
    months = _value(_BASE, text)
    if amount:
        step = _STEP.search(text)
        assert step is not None
        above = amount - _value(_THRESHOLD, text)
        months += above // _number(step["n"]) * _number(step["m"])
    share = 0
    for article in used:
        match = _SHARE.search(article.text or "")
        assert match is not None
        share += _number(match["n"]) * (1 if match["how"] == "增加" else -1)
    return months * (100 + share) // 100


def _amount(offence: Article, steps: int) -> int:
    """So much that the 基准刑 rises by whole steps."""
    if not steps:
        return 0
    step = _STEP.search(offence.text or "")
    assert step is not None
    return _value(_THRESHOLD, offence.text or "") + steps * _number(step["n"])


def _value(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.search(text)
    assert match is not None
    return _number(match["n"])


def _number(text: str) -> int:
    value = chinese_to_int(text)
    assert value is not None
    return value


def _distractors(book: HistoryBook, applied: list[Article], day: str, rng: Random) -> list[Article]:
    """Other articles of the code as in force: of the same chapters first, so that they are not told apart at a
    glance."""
    on = date.fromisoformat(day)
    version = next(version for version in book.versions(CODE) if version.covers(on))
    chapters = {article.chapter for article in applied}
    others = [
        one for one in book.articles(CODE, version.label) if one not in applied and one.number.key not in GENERAL
    ]
    near = [one for one in others if one.chapter in chapters]
    return rng.sample(near, 4 - len(applied))


def _shuffled(options: list[str], rng: Random) -> tuple[list[str], dict[str, str]]:
    """Options in a drawn order, and the new letter of each old one: where right options stand is no clue."""
    order = list(range(len(options)))
    rng.shuffle(order)
    return [options[old] for old in order], {"ABCDEF"[old]: "ABCDEF"[new] for new, old in enumerate(order)}


def _headed(kind: str, text: str) -> str:
    return f"（{EXAMS[kind]}）{text}" if kind in EXAMS else text


def _made(kind: str, task_id: str, question: str, answer: str, basis: list[tuple[str, str]], **more: str) -> Task:
    """A task line; basis: (law and article, day) that the answer follows from."""
    told = [
        {"law": cite.split(" ")[0], "article": number_of(cite.split(" ")[1]).chinese, "day": day}
        for cite, day in basis
    ]
    return record(kind, task_id, question, answer, law=LAW, basis=told, **{"cluster": task_id, **more})


def _dated(text: str, day: str, after: int = 0) -> str:
    on = date.fromisoformat(day)
    months = on.year * 12 + on.month - 1 + after
    later = on.replace(year=months // 12, month=months % 12 + 1)
    return text.replace("{day}", written(on)).replace("{after}", written(later))


def _data(name: str) -> Mapping[str, Any]:
    return beside(__package__, f"data/lawtasks/{name}")
