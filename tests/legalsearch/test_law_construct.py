"""Construction of LegalSearch tasks: the rule of Appendix G, days inside windows, pairs that turn on the date."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from store.pack import Pack
from store.statutes.book import ArticleFound, StatuteBook
from store.statutes.model import Article, ArticleNumber, Law, LawVersion, Link
from store.text.citation import citations
from tasks.legalsearch.construct import (
    NONE,
    changes,
    construct,
    draw_day,
    gold,
    in_force,
    meaning_changed,
    prompts,
    share_changed,
    whole_month,
)
from tasks.legalsearch.questions import load_questions, options
from tasks.legalsearch.settings import KINDS
from tasks.legalsearch.temporal import PairMember, consistency

AS_OF = date(2024, 12, 31)
LAW = "灯塔法"
DAYS = re.compile(r"(\d{4})年(\d{1,2})月(?:(\d{1,2})日)?")


@dataclass
class Shelf:
    """A book in memory: versions of one law as (label, first, last, {number: text})."""

    rows: list[tuple[str, str, str | None, dict[str, str]]]
    link: list[Link] = field(default_factory=list)

    def laws(self) -> Sequence[Law]:
        return [Law(LAW, provenance="authored")]

    def versions(self, law: str) -> Sequence[LawVersion]:
        return [
            LawVersion(LAW, label, date.fromisoformat(first), date.fromisoformat(last) if last else None)
            for label, first, last, _ in self.rows
        ]

    def articles(self, law: str, label: str) -> Sequence[Article]:
        texts = next(texts for name, _, _, texts in self.rows if name == label)
        return [
            Article(LAW, label, ArticleNumber(int(key)), text=text, position=n)
            for n, (key, text) in enumerate(texts.items(), 1)
        ]

    def links(self, law: str) -> Sequence[Link]:
        return self.link


@pytest.fixture(scope="module")
def book(sample_built: Path) -> Iterator[StatuteBook]:
    with Pack.open(sample_built) as pack:
        yield StatuteBook(pack)


@pytest.fixture(scope="module")
def every(book: StatuteBook) -> list[dict[str, Any]]:
    return construct(book, as_of=AS_OF)


@pytest.mark.parametrize(
    ("old", "new", "share"),
    [("甲" * 10, "甲" * 8 + "乙乙", 0.2), ("甲" * 10, "甲" * 7 + "乙" * 3, 0.3), ("甲乙", "甲 乙\n", 0.0),
        ("甲" * 8, "甲" * 10, 0.2)],
)  # fmt: skip
def test_share_of_changed_characters(old: str, new: str, share: float) -> None:
    assert share_changed(old, new) == pytest.approx(share)


@pytest.mark.parametrize(
    ("old", "new", "reasons"),
    [
        ("诉讼时效期间为三年。", "诉讼时效期间为四年。", ("quantity",)),
        ("不得超过百分之二十。", "不得超过百分之十五。", ("quantity",)),
        ("可以申请调解。", "应当申请调解。", ("modal",)),
        ("视为追认。", "视为拒绝追认。", ()),
        ("由经营者承担。", "推定由经营者承担。", ("presumption",)),
        ("不适用本条。", "适用本条。", ("negation",)),
        ("依照第三条处理。", "依照第五条处理。", ()),
        ("第一审判决。", "第二审判决。", ()),
        ("以虚伪表示实施。", "以虚假的意思表示实施。", ()),
        ("三年 以内", "三年以内", ()),
    ],
)
def test_meaning_is_read_from_decisive_words(old: str, new: str, reasons: tuple[str, ...]) -> None:
    assert meaning_changed(old, new) == reasons


def test_exactly_a_fifth_is_not_more_than_a_fifth() -> None:
    same = {"2": "灯塔由守塔人看护。", "3": "灯塔夜间点亮。"}
    shelf = Shelf([
        ("v1", "2000-01-01", "2009-12-31", {"1": "灯塔由域政府建造维护。", **same}),
        ("v2", "2010-01-01", None, {"1": "灯塔由市政机构建造维护。", **same}),
    ])  # fmt: skip
    (found,) = changes(shelf)
    assert found.why == ("characters",) and found.share > 0.2 and found.rule == f"{LAW}第一条"
    shelf.rows[1][3]["1"] = "灯塔由府政域建造维护。"
    assert 0 < share_changed(shelf.rows[0][3]["1"], shelf.rows[1][3]["1"]) <= 0.2
    assert list(changes(shelf)) == []


def test_days_avoid_overlaps_and_gaps() -> None:
    shelf = Shelf([
        ("v1", "2000-01-01", "2010-06-30", {"1": "灯塔费为三元。"}),
        ("v2", "2010-06-01", "2015-12-31", {"1": "灯塔费为五元。"}),
        ("v3", "2016-02-01", None, {"1": "灯塔费为八元。"}),
    ])  # fmt: skip
    first, second, third = shelf.versions(LAW)
    rng = random.Random(1)
    for version in (first, second, third):
        for _ in range(200):
            day = draw_day(shelf, version, rng, AS_OF)
            assert day and in_force(shelf, LAW, day) == version and day <= AS_OF
    assert in_force(shelf, LAW, date(2010, 6, 15)) is None and in_force(shelf, LAW, date(2016, 1, 15)) is None
    assert not whole_month(shelf, first, date(2010, 6, 1)) and whole_month(shelf, second, date(2010, 7, 9))
    assert not whole_month(shelf, third, date(2016, 1, 31))
    inside = LawVersion(LAW, "x", date(2010, 6, 5), date(2010, 6, 20))
    assert draw_day(shelf, inside, rng, AS_OF) is None


def test_a_renumbered_law_is_followed_by_its_links(book: StatuteBook) -> None:
    every = list(changes(book))
    found = [one for one in every if one.before.number != one.after.number]
    assert len(found) >= 8
    for one in found:
        assert any(
            (link.from_number, link.to_number) == (one.before.number, one.after.number)
            for link in book.links(one.after.law)
        )
    interest = [one for one in every if one.rule == "岚洲民事诉讼与执行法第三十八条"]
    assert [(one.before.number.key, one.after.number.key) for one in interest] == [("33", "33"), ("33", "38")]


def test_a_law_numbered_afresh_without_links_is_not_compared_by_number() -> None:
    texts = [
        f"{word}的事项由{word}管理机关办理，期限为{n}日。"
        for n, word in zip("一二三四五六", "灯塔港渔盐林", strict=True)
    ]
    old = {str(n): text for n, text in enumerate(texts, 1)}
    new = {str(n): text for n, text in enumerate(["总则。", "目的是保护。", "定义另行规定。", *texts], 1)}
    shelf = Shelf([("v1", "2000-01-01", "2009-12-31", old), ("v2", "2010-01-01", None, new)])
    assert all(one.share < 0.5 for one in changes(shelf))


def test_recitals_are_the_article_in_force(book: StatuteBook, every: list[dict[str, Any]]) -> None:
    made = [task for task in every if task["type"] == "lar"]
    assert len(made) > 400
    for task in made:
        (cited,) = citations(task["question"])
        assert cited.law is not None
        match = DAYS.search(task["question"])
        assert match
        year, month, day = int(match[1]), int(match[2]), match[3]
        for n in (int(day),) if day else (1, 15, 28):
            found = book.on(cited.law, cited.number, date(year, month, n))
            assert isinstance(found, ArticleFound)
            article = found.article
            assert gold(article) == task["answer"], task["id"]
        assert set(task["why"]) <= {"characters", "meaning"} and task["why"]
    assert any(not DAYS.search(task["question"])[3] for task in made)  # type: ignore[index]
    assert any(task["answer"].startswith("【") for task in made)
    assert len({task["question"] for task in made}) == len(made)


def test_pairs_have_one_question_and_two_answers(book: StatuteBook, every: list[dict[str, Any]]) -> None:
    by_pair: dict[str, list[dict[str, Any]]] = {}
    for task in every:
        if "pair" in task:
            by_pair.setdefault(task["pair"], []).append(task)
    assert len(by_pair) > 100
    for first, second in by_pair.values():
        assert options(first["question"]) == options(second["question"]) and first["answer"] != second["answer"]
        assert DAYS.sub("", first["question"]) == DAYS.sub("", second["question"])
        assert NONE in options(first["question"]).values()
        for task in (first, second):
            law = str(re.search("《(.+?)》", task["question"])[1])  # type: ignore[index]
            version = in_force(book, law, date.fromisoformat(task["day"]))
            assert version
            law_text = "\n".join(one.text or "" for one in book.articles(law, version.label))
            shown = options(task["question"])
            for letter, text in shown.items():
                sentences = [part for part in re.split("[。；]", text) if part]
                stands = all(part in law_text for part in sentences) and text != NONE
                assert stands == (letter == task["answer"]), (task["id"], letter)


def test_the_same_seed_gives_the_same_tasks(book: StatuteBook) -> None:
    one, again, other = (construct(book, as_of=AS_OF, limit=40, seed=seed) for seed in (1, 1, 7))
    assert one == again != other and len(one) == 40
    assert sum("pair" in task for task in one) == 20
    laws = {str(task["cluster"]).split("第")[0] for task in one}
    assert len(laws) >= 10


def test_prompts_fit_the_form_of_the_answer(tmp_path: Path, book: StatuteBook) -> None:
    for kind in KINDS:
        assert all("@" not in text and text for text in prompts(kind).values())
        assert (
            "<answer>" in prompts(kind)["task_prompt"] and "<answer>" not in prompts(kind)["deepresearch_task_prompt"]
        )
    path = tmp_path / "tasks.jsonl"
    lines = [json.dumps(task, ensure_ascii=False) for task in construct(book, as_of=AS_OF, limit=20)]
    path.write_text("\n".join(lines), encoding="utf-8")
    questions = load_questions(path)
    assert len(questions) == 20 and all(question.temporal for question in questions)
    assert all("why" not in question.card and "day" not in question.card for question in questions)
    members = [PairMember(one, True, one.gold.answer) for one in questions if one.gold.pair]
    assert consistency(members)["rate"] == 1.0 and consistency(members)["n"] == 5
