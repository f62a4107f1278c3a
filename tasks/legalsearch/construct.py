"""Makes LegalSearch tasks from any versioned pack: recitals by the paper's rule, and time-travel pairs. Everything is
drawn from a seed: the same book, seed and limit give the same tasks.

Recitals ask for articles that an amendment changed, told apart as the guidelines of the paper do (Appendix G). An
article is a candidate when at least one holds between two neighbouring versions of its law:
  characters  more than 20 % of its characters changed: insertions, deletions and replacements over the length of the
              longer text, blanks left out;
  meaning     the change touches what a provision turns on. Detected in the words only, and so stated: a quantity with
              its unit (三年, 百分之二十, 五千元) or a fraction, a modal (应当, 可以, 不得, 有权 …), a negation or an
              exception (不, 未, 无, 除外 …), or a legal presumption (视为, 推定) occurs more or less often than
              before.
Numbers of articles are no quantities: renumbering shifts them. A change of meaning that none of these words shows is
not found, and one that only reorders them is counted; a person who selects looks at both.

A time-travel pair is one question at two dates, with opposite answers (Figure 1 of the paper): which words of a law
were in force on a day. Options are the clause as it stood before and after an amendment, the clause of further
versions, and that none of them was; their order is drawn once for both dates.

Instructions stand in the four fields of the published records: `system_prompt` and `system_prompt_cot` go with
`task_prompt` to a model without tools; `deepresearch_task_prompt` stands before the question for an agent with tools.
The wording is ours; `@` stands for the law the tasks are about.
"""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice
from random import Random
from typing import Any, Literal

from store.statutes.book import StatuteBook
from store.statutes.comparing import keeps_numbers
from store.statutes.model import Article, ArticleNumber, LawVersion
from store.text.alignment import ALIKE, alike, squeezed
from tasks.legalsearch.settings import KINDS


def construct(
    book: StatuteBook, *, as_of: date, seed: int = 2026, limit: int | None = None,
    faults: Collection[Fault] = frozenset(), prefix: str = "", law: str = "中国法律",
) -> list[dict[str, Any]]:  # fmt: skip
    """LAR tasks and time-travel pairs of a book.

    Args:
        book: versioned statutes.
        as_of: the day up to which versions still in force are asked about.
        seed: of all draws.
        limit: at most so many tasks, half of them pairs; None: all there are.
        faults: articles whose text is damaged, see `changes`.
        prefix: before the ids.
        law: whose law it is, for the prompts.
    """
    rng = Random(f"legalsearch-construct/{seed}")
    found = spread(list(changes(book, faults)), rng)
    wanted = None if limit is None else limit // 4
    travelling = list(islice(pairs(book, found, rng, as_of, prefix, law), wanted))
    left = None if limit is None else limit - 2 * len(travelling)
    return [
        *islice(recitals(book, found, rng, as_of, prefix, law), left),
        *(task for pair in travelling for task in pair),
    ]


def spread(found: Sequence[Change], rng: Random) -> list[Change]:
    """Changes in a drawn order in which laws take turns, so that a short list is not about one law."""
    by_law: dict[str, list[Change]] = {}
    for change in found:
        by_law.setdefault(change.after.law, []).append(change)
    for group in by_law.values():
        rng.shuffle(group)
    rounds = range(max(map(len, by_law.values()), default=0))
    return [group[turn] for turn in rounds for group in by_law.values() if turn < len(group)]


_SYSTEM = "你是熟悉@的法律专业人员。请按照题目给出的时间适用当时施行的法律，回答准确、简洁。"
_TAGGED = "请只把最终答案写在<answer>与</answer>之间。"
_THOUGHT = "请先在<think>与</think>之间写出分析过程，再把最终答案写在<answer>与</answer>之间。"

_ASKS: dict[str, tuple[str, str]] = {
    # form of the answer: (what is asked, an example of the answer)
    "article": (
        "请根据题目给出的法律名称、条次和时间，逐字写出当时施行的条文。"
        "条文有标题的，连同标题一并写出；不要写法律名称、条次和说明。", "条文全文",
    ),
    "letters": ("请从选项中选出全部正确的选项。只写选项字母，多个字母按顺序连写。", "AC"),
    "charges": ("请根据案件事实写出应当认定的罪名。只写罪名，不带“罪”字；有多个罪名的，用分号隔开。", "盗窃;诈骗"),
    "months": ("请根据案件事实和相关法条，计算应当判处的刑期。只写总月数。", "12个月"),
    "consultation": (
        "请回答咨询人的问题，并写明依据。先以“回答:”写出结论和理由，再以“法律依据:”写出条文。", "回答:……法律依据:……",
    ),
}  # fmt: skip
_LAP = "请根据案件事实，从选项中选出应当适用的全部法条。只写选项字母，多个字母按顺序连写。"
_LCA = "请阅读案情和选项，选出全部正确的说法。只写选项字母，多个字母按顺序连写。"


def prompts(kind: str, law: str = "中国法律") -> dict[str, str]:
    """The four prompt fields of a task of this kind.

    Args:
        kind: id of one of the 13 tasks.
        law: whose law it is, as the prompt names it.
    """
    ask, example = _ASKS[KINDS[kind].form]
    ask = {"lap": _LAP, "lca": _LCA}.get(kind, ask)
    system = _SYSTEM.replace("@", law)
    return {
        "system_prompt": f"{system}\n{_TAGGED}",
        "system_prompt_cot": f"{system}\n{_THOUGHT}",
        "task_prompt": f"{ask}\n答案格式：\n<answer>\n{example}\n</answer>",
        "deepresearch_task_prompt": f"{ask}例如“{example}”。",
    }


def record(
    kind: str, task_id: str, question: str, answer: str, *, law: str = "中国法律", pair: str = "", cluster: str = "",
    **more: object,
) -> dict[str, object]:  # fmt: skip
    """A task line: the published fields, pair and cluster where they are set, and whatever else tells how it was
    made."""
    extra = {"pair": pair, "cluster": cluster}
    return {
        "id": task_id,
        "type": kind,
        **prompts(kind, law),
        "question": question,
        "answer": answer,
        **{name: value for name, value in extra.items() if value},
        **more,
    }


def choice(text: str, options: list[str]) -> str:
    """A question with its options, laid out as the published files do."""
    lines = "\n".join(f"{chr(ord('A') + place)}: {option}" for place, option in enumerate(options))
    return f"问题: {text}\n选项:\n{lines}\n"


_RECITE = (
    "以{day}为准，请逐字写出当时施行的《{law}》{number}。",
    "{day}施行的《{law}》{number}是怎样规定的？请写出条文全文。",
    "假设今天是{day}。请默写现行《{law}》{number}的全部内容。",
    "案件应当适用{day}有效的法律，请抄录《{law}》{number}的原文。",
)
_MONTHS = 0.3
"""Share of questions that name a month only, where one version covers the month."""
LONGEST = 1200
"""Longer articles are not asked for."""


def gold(article: Article) -> str:
    """The answer to recite: the title in 【】 where the article has one, then its text."""
    title = f"【{article.title}】" if article.title else ""
    return f"{title}{article.text}"


def recitals(
    book: StatuteBook, found: Sequence[Change], rng: Random, as_of: date, prefix: str, law: str
) -> Iterator[dict[str, object]]:
    """LAR tasks for the changes, in their order; an article of a version is asked for once."""
    seen: set[tuple[str, str, str]] = set()
    for change in found:
        for article, version in ((change.before, change.old), (change.after, change.new)):
            key = (article.law, article.label, article.number.key)
            answer = gold(article)
            if key in seen or len(answer) > LONGEST:
                continue
            day = draw_day(book, version, rng, as_of)
            if day is None:
                continue
            seen.add(key)
            yield record(
                "lar", f"{prefix}lar-{len(seen):03d}", _question(book, article, version, day, rng), answer, law=law,
                cluster=change.rule, why=list(change.why), changed=round(change.share, 3), day=day.isoformat(),
                version=version.label,
            )  # fmt: skip


def _question(book: StatuteBook, article: Article, version: LawVersion, day: date, rng: Random) -> str:
    month_only = rng.random() < _MONTHS and whole_month(book, version, day)
    asked = rng.choice(_RECITE)
    return asked.format(day=written(day, month_only=month_only), law=article.law, number=article.number.chinese)


OPEN_YEARS = 2
"""A version that is still in force is asked about within so many years of its first day, where the book has no later
day."""
_TRIES = 40


def in_force(book: StatuteBook, law: str, day: date) -> LawVersion | None:
    """The version of a law on a day; None where there is none, or more than one."""
    covering = [version for version in book.versions(law) if version.covers(day)]
    return covering[0] if len(covering) == 1 else None


def draw_day(book: StatuteBook, version: LawVersion, rng: Random, as_of: date) -> date | None:
    """A day inside the window of a version on which no other version of the law claims to be in force.

    The end of an open window is `as_of`, or some time after its start where it starts later.
    """
    first = version.valid_from
    if first is None:
        return None
    last = version.valid_to or max(as_of, first)
    if version.valid_to is None and last == first:
        last = first + timedelta(days=365 * OPEN_YEARS)
    for _ in range(_TRIES):
        day = first + timedelta(days=rng.randint(0, (last - first).days))
        if in_force(book, version.law, day) == version:
            return day
    return None


def whole_month(book: StatuteBook, version: LawVersion, day: date) -> bool:
    """Whether the version alone was in force on every day of the month."""
    length = calendar.monthrange(day.year, day.month)[1]
    return all(in_force(book, version.law, day.replace(day=n)) == version for n in (1, length)) and not any(
        other.valid_from and day.replace(day=1) < other.valid_from <= day.replace(day=length)
        for other in book.versions(version.law)
    )


def written(day: date, *, month_only: bool = False) -> str:
    """2019年4月7日, or 2019年4月."""
    return f"{day.year}年{day.month}月" if month_only else f"{day.year}年{day.month}月{day.day}日"


SHARE = 0.20
"""More than this share of characters is a significant revision (Appendix G, criterion 1)."""

Reason = Literal["quantity", "modal", "negation", "presumption"]
Fault = tuple[str, str, ArticleNumber | None]

_NUMBER = "[零〇○一二三四五六七八九十百千万亿两0-9]+(?:[点.][零〇一二三四五六七八九0-9]+)?"
QUANTITY = re.compile(
    rf"(?<![第零〇○一二三四五六七八九十百千万亿两0-9.])(?:[百千万]分之{_NUMBER}"
    rf"|{_NUMBER}分之{_NUMBER}"
    rf"|{_NUMBER}(?:个月|周岁|小时|毫克|公斤|平方米|万元|亿元|[年月日天岁元倍次人名条支吨克亩级]))(?![条款项章节审])"
)
"""A quantity with its unit; 第三条 and 第一审 are none."""
_WORDS: tuple[tuple[Reason, re.Pattern[str]], ...] = (
    ("quantity", QUANTITY),
    ("modal", re.compile("应当|必须|可以|不得|禁止|有权|无权|不予|从轻|从重|减轻|加重|免除|并处|单处")),
    ("negation", re.compile("除外|但是|但|不|未|无|非")),
    ("presumption", re.compile("视为|推定|举证责任|举证证明")),
)


@dataclass(frozen=True, slots=True)
class Change:
    """An article before and after an amendment. `share` of its characters changed, from 0 to 1."""

    before: Article
    after: Article
    old: LawVersion
    new: LawVersion
    share: float
    reasons: tuple[Reason, ...]
    rule: str
    """The article's law and newest number that is known: questions about it are no independent draws."""

    @property
    def why(self) -> tuple[str, ...]:
        """The criteria of the guidelines that it meets."""
        found = ("characters",) if self.share > SHARE else ()
        return (*found, "meaning") if self.reasons else found


def share_changed(old: str, new: str) -> float:
    """How much of a text changed, from 0 to 1: edits of single characters over the length of the longer text."""
    from rapidfuzz.distance import Levenshtein

    return float(Levenshtein.normalized_distance(squeezed(old), squeezed(new)))


def meaning_changed(old: str, new: str) -> tuple[Reason, ...]:
    """The kinds of decisive words that occur more or less often than before; () when none do."""
    return tuple(
        kind
        for kind, words in _WORDS
        if Counter(words.findall(squeezed(old))) != Counter(words.findall(squeezed(new)))
    )


def changes(book: StatuteBook, faults: Collection[Fault] = frozenset()) -> Iterator[Change]:
    """All candidates of a book, law by law and version by version, in the order of the articles.

    Args:
        book: the statutes.
        faults: (law, label, number) of articles whose text is known to be damaged; a number of None means the
            version.
    """
    for law in book.laws():
        versions = [version for version in book.versions(law.name) if version.valid_from is not None]
        steps = list(_steps(book, law.name, versions))
        latest = _latest_numbers(steps)
        for old, new, pairs in steps:
            for before, after in pairs:
                if _damaged(before, faults) or _damaged(after, faults):
                    continue
                text, revised = before.text or "", after.text or ""
                share = share_changed(text, revised)
                reasons = meaning_changed(text, revised) if share else ()
                rule = f"{law.name}{latest.get((new.label, after.number), after.number).chinese}"
                change = Change(before, after, old, new, share, reasons, rule)
                if change.why:
                    yield change


_Step = tuple[LawVersion, LawVersion, list[tuple[Article, Article]]]


def _steps(book: StatuteBook, law: str, versions: list[LawVersion]) -> Iterator[_Step]:
    """Neighbouring versions with the articles that are the same rule in both and have words in both."""
    for old, new in zip(versions, versions[1:], strict=False):
        before, after = _by_number(book, old), _by_number(book, new)
        renumbered = [
            link
            for link in book.links(law)
            if link.kind == "renumbered" and link.on == new.valid_from and link.from_law == link.to_law == law
        ]
        links = {link.from_number: link.to_number for link in renumbered}
        taken = set(links.values())
        # Links that were concluded from likeness leave out what they could not place: there a number alone says
        # nothing.
        concluded = any(link.inferred for link in renumbered)
        kept = not concluded and (
            bool(links) or keeps_numbers(list(before.values()), list(after.values())) is not False
        )
        pairs = []
        for number, article in before.items():
            target = links.get(number) or (None if number in taken else number)
            other = after.get(target) if target else None
            if other is None or not (kept or alike(article.text or "", other.text or "") >= ALIKE):
                continue
            pairs.append((article, other))
        yield old, new, pairs


def _by_number(book: StatuteBook, version: LawVersion) -> dict[ArticleNumber, Article]:
    """The articles of a version that have words and a number of their own; numbers listed twice are left out."""
    articles = book.articles(version.law, version.label)
    counts = Counter(article.number for article in articles)
    return {
        article.number: article
        for article in articles
        if article.text and article.number.number and counts[article.number] == 1
    }


def _latest_numbers(steps: list[_Step]) -> dict[tuple[str, ArticleNumber], ArticleNumber]:
    """(label, number) -> the number of the rule in the newest version to which it can be followed."""
    latest: dict[tuple[str, ArticleNumber], ArticleNumber] = {}
    for old, new, pairs in reversed(steps):
        for before, after in pairs:
            latest[old.label, before.number] = latest.get((new.label, after.number), after.number)
    return latest


def _damaged(article: Article, faults: Collection[Fault]) -> bool:
    key = (article.law, article.label)
    return (*key, article.number) in faults or (*key, None) in faults


LONGEST_CLAUSE = 220
"""Clauses of more characters make no readable option."""
NONE = "以上各项当日均未施行"
_SENTENCE = re.compile(r"[^。；\n]+[。；]?")
_MOST = 4


def clause(text: str, other: str) -> str:
    """The sentences of a text that do not stand in the other one, joined."""
    known = {squeezed(sentence) for sentence in _SENTENCE.findall(other)}
    return "".join(s.strip() for s in _SENTENCE.findall(text) if squeezed(s) not in known).rstrip("；。")


def pairs(
    book: StatuteBook, found: Sequence[Change], rng: Random, as_of: date, prefix: str, law: str
) -> Iterator[tuple[dict[str, object], dict[str, object]]]:
    """Two tasks for each change whose clauses can be told apart; none for a rule that was used before."""
    others: dict[str, list[Change]] = {}
    for change in found:
        others.setdefault(change.rule, []).append(change)
    used: set[str] = set()
    for change in found:
        if change.rule in used:
            continue
        texts = [clause(change.before.text or "", change.after.text or "")]
        texts.append(clause(change.after.text or "", change.before.text or ""))
        if not all(0 < len(text) <= LONGEST_CLAUSE for text in texts) or _inside(*texts):
            continue
        days = [draw_day(book, version, rng, as_of) for version in (change.old, change.new)]
        if days[0] is None or days[1] is None:
            continue
        used.add(change.rule)
        options = [*texts, *_further(change, others[change.rule], texts)][: _MOST - 1]
        rng.shuffle(options)
        options.append(NONE)
        name = f"{prefix}pair-{len(used):03d}"
        first, second = (
            record(
                "kqa", f"{name}{side}", _pair_question(change, day, options), "ABCD"[options.index(text)], law=law,
                pair=name, cluster=change.rule, why=list(change.why), day=day.isoformat(),
            )
            for side, day, text in zip("ab", (days[0], days[1]), texts, strict=True)
        )  # fmt: skip
        yield first, second


def _inside(one: str, other: str) -> bool:
    """Whether one clause is a part of the other, so that both would be words in force."""
    short, long = sorted((squeezed(one), squeezed(other)), key=len)
    return short in long


def _further(change: Change, family: Sequence[Change], texts: Sequence[str]) -> Iterator[str]:
    """The same clause in other versions, where it can be told from the two at hand."""
    for other in family:
        if other is change:
            continue
        for article, beside in ((other.before, other.after), (other.after, other.before)):
            text = clause(article.text or "", beside.text or "")
            full = (change.before.text or "", change.after.text or "")
            inside = any(squeezed(text) in squeezed(words) for words in full)
            if 0 < len(text) <= LONGEST_CLAUSE and not inside and not any(_inside(text, known) for known in texts):
                yield text
                return


def _pair_question(change: Change, day: date, options: list[str]) -> str:
    number = change.after.number.chinese if change.after.number == change.before.number else ""
    where = f"《{change.after.law}》{number}"
    return choice(f"关于{where}，下列哪一项文字在{written(day)}正在施行？", options)
