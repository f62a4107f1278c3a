"""The shipped LegalSearch tasks follow from the fictional statute book, by machine where that can be."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from datetime import date, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from store.text.citation import citations, parse_number
from tasks.legalsearch.charges import charges
from tasks.legalsearch.kinds import KINDS
from tasks.legalsearch.questions import Question, load_questions, options
from tasks.sample.lawhistory import HistoryBook, number_of
from tasks.sample.lawtasks import CODE, law_tasks, term_months

LEAST = {
    "lar": 24, "kqa": 12, "lap": 12, "ccp": 12, "ptp": 12, "lca": 12, "lcs": 12, "cpa": 8, "pae": 8, "nje": 8,
    "ungee": 8,
    "lbk": 8, "pfe": 8,
}  # fmt: skip


@pytest.fixture(scope="module")
def book() -> HistoryBook:
    return HistoryBook()


@pytest.fixture(scope="module")
def tasks() -> list[dict[str, Any]]:
    return law_tasks(2026)


@pytest.fixture(scope="module")
def questions(tasks: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> list[Question]:
    path = tmp_path_factory.mktemp("law") / "legalsearch.jsonl"
    path.write_text("\n".join(json.dumps(task, ensure_ascii=False) for task in tasks), encoding="utf-8")
    return load_questions(path)


def data(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(str(files("tasks.sample").joinpath(f"data/lawtasks/{name}.toml"))).read_text("utf-8"))


def test_counts(questions: list[Question]) -> None:
    counts = Counter(question.kind.id for question in questions)
    assert set(counts) == set(KINDS) and all(counts[kind] >= least for kind, least in LEAST.items())
    assert len(questions) == 235 and len({question.text for question in questions}) == 235
    pairs = Counter(question.gold.pair for question in questions if question.gold.pair)
    assert set(pairs.values()) == {2} and sum(name.startswith("sample-travel") for name in pairs) >= 24


def test_nothing_leaks_and_nothing_is_real_law(questions: list[Question], tasks: list[dict[str, Any]]) -> None:
    for question in questions:
        assert set(question.card) == {"id", "type", "question", "system_prompt", "system_prompt_cot", "task_prompt",
                                      "deepresearch_task_prompt"}  # fmt: skip
        shown = "".join(map(str, question.card.values()))
        assert "中华人民共和国" not in shown and "中国" not in shown and "{" not in shown
    assert "岚洲" in tasks[0]["system_prompt"]


def test_two_dates_change_nothing_but_the_date(tasks: list[dict[str, Any]]) -> None:
    halves: dict[str, list[dict[str, Any]]] = {}
    for task in tasks:
        if "pair" in task:
            halves.setdefault(task["pair"], []).append(task)
    for first, second in halves.values():
        assert first["answer"] != second["answer"] and first["type"] == second["type"]
        assert options(first["question"]) == options(second["question"])
    golds = [task["answer"] for pair in halves.values() for task in pair if task["id"].startswith("sample-travel")]
    assert max(Counter(golds).values()) < 0.4 * len(golds) and set(golds) == set("ABCD")


def test_letters_follow_their_options(tasks: list[dict[str, Any]]) -> None:
    authored = [(f"sample-travel-{n:02d}", entry) for n, entry in enumerate(data("pairs")["pair"], 1)]
    by_id = {task["id"]: task for task in tasks}
    for name, entry in authored:
        for side, answer in zip("ab", entry["answers"], strict=True):
            task = by_id[name + side]
            assert options(task["question"])[task["answer"]] == entry["options"]["ABCD".index(answer)]
    count: Counter[str] = Counter()
    for entry in data("exams")["question"]:
        count[entry["kind"]] += 1
        task = by_id[f"sample-{entry['kind']}-{count[entry['kind']]:02d}"]
        shown = {options(task["question"])[letter] for letter in task["answer"]}
        assert shown == {entry["options"]["ABCD".index(letter)] for letter in entry["answer"]}


def test_recitals_are_the_book(tasks: list[dict[str, Any]], book: HistoryBook) -> None:
    for task in tasks:
        if task["type"] == "lar":
            (cited,) = citations(task["question"])
            article = book.on(str(cited.law), cited.number, date.fromisoformat(task["day"]))
            title = f"【{article.title}】" if article.title else ""
            assert task["answer"] == f"{title}{article.text}"


def test_every_basis_was_in_force(tasks: list[dict[str, Any]], book: HistoryBook) -> None:
    based = [task for task in tasks if "basis" in task]
    assert len(based) == len(tasks) - 28 - 12
    for task in based:
        for one in task["basis"]:
            number = parse_number(one["article"])
            assert number and book.on(one["law"], number, date.fromisoformat(one["day"])).text


def test_authored_pairs_turn_on_words_that_the_other_date_lacks(book: HistoryBook) -> None:
    for entry in data("pairs")["pair"]:
        texts = []
        for cite, day, words in zip(entry["cite"], entry["days"], entry["words"], strict=True):
            law, key = cite.split(" ")
            on = date.fromisoformat(day)
            later = on + timedelta(days=31 * entry.get("after", 0) + 45 * ("after" not in entry))
            text = book.on(law, number_of(key), on).text or ""
            assert words in text and words in (book.on(law, number_of(key), later).text or ""), (cite, day)
            texts.append(text)
        assert entry["words"][0] not in texts[1] and entry["words"][1] not in texts[0], entry["facts"]
        assert len(set(entry["answers"])) == 2 and len(entry["options"]) == 4
        assert "{day}" in entry["facts"] and ("after" in entry) == ("{after}" in entry["facts"])


def test_authored_questions_rest_on_words_in_force_all_year(book: HistoryBook) -> None:
    for entry in data("exams")["question"]:
        texts = []
        for day in (date(entry["year"], 1, 1), date(entry["year"], 12, 31)):
            texts.append(
                [book.on(c.split(" ")[0], number_of(c.split(" ")[1]), day).text or "" for c in entry["cite"]]
            )
        assert texts[0] == texts[1], entry["text"]
        assert all(any(words in text for text in texts[0]) for words in entry["words"]), entry["text"]
        assert entry["answer"] == "".join(sorted(entry["answer"])) and len(entry["options"]) == 4


def test_advice_rests_on_words_in_force(book: HistoryBook, tasks: list[dict[str, Any]]) -> None:
    made = [task["answer"] for task in tasks if task["type"] == "lcs"]
    for entry, answer in zip(data("consultation")["consultation"], made, strict=True):
        law, key = entry["cite"].split(" ")
        text = book.on(law, number_of(key), date.fromisoformat(entry["day"])).text or ""
        assert entry["words"] in text and f"《{law}》" in answer and text in answer


def test_blanks_hold_what_stood_there_all_year(book: HistoryBook, tasks: list[dict[str, Any]]) -> None:
    blanks = [task for task in tasks if "括号中应当填入" in task["question"]]
    assert len(blanks) == 40
    for task in blanks:
        (one,) = task["basis"]
        shown = options(task["question"])
        number, year = parse_number(one["article"]), int(one["day"][:4])
        assert number and len(shown) == 4 and len(set(shown.values())) == 4
        quoted = task["question"].split("“")[1].split("。”")[0]
        for day in (date(year, 1, 1), date(year, 12, 31)):
            text = book.on(one["law"], number, day).text or ""
            right = [letter for letter, value in shown.items() if quoted.replace("（　　）", value) in text]
            assert right == [task["answer"]], task["id"]


def test_charges_are_titles_in_force(book: HistoryBook, tasks: list[dict[str, Any]]) -> None:
    made = [task for task in tasks if task["type"] == "ccp"]
    for entry, task in zip([one for one in data("criminal")["case"] if one["kind"] == "ccp"], made, strict=True):
        on = date.fromisoformat(entry["day"])
        titles = {book.on(CODE, number_of(key), on).title.removesuffix("罪") for key in entry["cite"]}
        assert set(task["answer"].split(";")) == titles and charges(task["answer"]) == charges("；".join(titles))
        assert not any(title in task["question"] for title in titles), task["id"]


def test_articles_to_choose_are_four_of_the_version_in_force(book: HistoryBook, tasks: list[dict[str, Any]]) -> None:
    for task in (task for task in tasks if task["type"] == "lap"):
        shown = options(task["question"])
        on = date.fromisoformat(task["basis"][0]["day"])
        numbers = [citations(text)[0].number for text in shown.values()]
        assert len(set(numbers)) == 4 and all(book.on(CODE, number, on) for number in numbers)
        right = {one["article"] for one in task["basis"]}
        assert {shown[letter].removeprefix(CODE) for letter in task["answer"]} == right


@pytest.mark.parametrize(
    ("key", "day", "with_", "amount", "months"),
    [
        ("78", "2003-06-10", (), 9_500, 14),  # 6 + floor((9500 - 800) / 1000)
        ("78", "2024-06-11", (), 9_500, 9),  # 6 + (9500 - 3500) / 2000
        ("78", "2012-03-12", ("32",), 10_500, 10),  # (6 + 9) less 30 %, 10.5
        ("79", "2021-07-05", ("33-1", "19"), 40_000, 9),  # (6 + 12) less 50 %
        ("82", "2019-06-17", ("32", "33-1"), 60_000, 6),  # (6 + 5) less 40 %, 6.6
        ("98", "2016-02-22", (), 60_000, 16),  # 12 + 40000 / 10000
        ("45", "2020-05-18", ("32", "33-1"), 0, 10),  # 18 less 40 %, 10.8
        ("78", "2017-05-15", ("31",), 11_500, 15),  # (6 + 6) and 30 %, 15.6
    ],
)
def test_terms_by_hand(
    book: HistoryBook, key: str, day: str, with_: tuple[str, ...], amount: int, months: int
) -> None:
    on = date.fromisoformat(day)
    used = [book.on(CODE, number_of(one), on) for one in with_]
    assert term_months(book.on(CODE, number_of(key), on), used, amount) == months


def test_terms_are_ended_under_the_same_law(book: HistoryBook, tasks: list[dict[str, Any]]) -> None:
    for task in (task for task in tasks if task["type"] == "ptp"):
        assert 0 < int(task["answer"].removesuffix("个月")) <= 36
        for one in task["basis"]:
            on, number = date.fromisoformat(one["day"]), parse_number(one["article"])
            assert number and book.on(CODE, number, on).text == book.on(CODE, number, on + timedelta(days=62)).text


def test_another_seed_gives_other_tasks_of_the_same_kinds(tasks: list[dict[str, Any]]) -> None:
    other = law_tasks(7)
    assert Counter(task["type"] for task in other) == Counter(task["type"] for task in tasks)
    assert other != tasks and law_tasks(2026) == tasks
