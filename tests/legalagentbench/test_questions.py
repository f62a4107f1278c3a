"""Task files: upstream's slips are read as meant, gold stays out of the card, and bad files are named by line."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from store.errors import BadInput, NotFound
from tasks.legalagentbench.questions import GROUPS, load_questions

TASK = {
    "id": 1,
    "question": "某公司的代码是？",
    "answer": "代码是123。",
    "key": ["123"],
    "key_middle": [],
    "type": "1-1",
    "way": "get_company_info",
}


def write(path: Path, *tasks: Any, lines: bool = False) -> Path:
    text = "\n".join(json.dumps(task, ensure_ascii=False) for task in tasks) if lines else json.dumps(tasks, indent=1)
    path.write_text(text, encoding="utf-8")
    return path


def one(file: Path, /, **fields: Any) -> Any:
    task = {name: value for name, value in (TASK | fields).items() if value is not ...}
    return load_questions(write(file, task))[0]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tasks.json"


def test_array_lines_and_gzip_are_told_apart_by_content(file: Path) -> None:
    second = TASK | {"id": 2}
    array = load_questions(write(file, TASK, second))
    assert load_questions(write(file, TASK, second, lines=True)) == array
    file.write_bytes(gzip.compress(file.read_bytes()))
    assert load_questions(file) == array


def test_the_card_holds_nothing_of_the_gold(file: Path) -> None:
    question = one(file, key=["123", "123"])
    assert question.card == {"id": "1", "question": TASK["question"]}
    assert question.gold.keys == ("123", "123")
    assert question.gold.middle == ()


def test_ids_are_texts_in_the_order_of_their_numbers(file: Path) -> None:
    ids = [300, 9, 10, "x-10", "x-9"]
    tasks = [TASK | {"id": task_id, "hops": 1} for task_id in ids]
    assert [question.id for question in load_questions(write(file, *tasks))] == ["9", "10", "300", "x-9", "x-10"]


@pytest.mark.parametrize(
    ("way", "kind", "path"),
    [
        ("get_a----get_b", "2-1-1", ("get_a", "get_b")),
        ("get_a---get_b---get_c", "3-1-1", ("get_a", "get_b", "get_c")),
        ("【get_a】----【get_b】", "2-1-1", ("get_a", "get_b")),
        (" get_a ----get_b ", "2-1-1 ", ("get_a", "get_b")),
        ("2-6-12", "get_a----get_b", ("get_a", "get_b")),
        ("get_legal_document_lawfirm_list", "1-1", ("get_legal_document_law_list",)),
        ("", "", ()),
        (..., ..., ()),
    ],
)
def test_malformed_paths(file: Path, way: Any, kind: Any, path: tuple[str, ...]) -> None:
    gold = one(file, way=way, type=kind).gold
    assert gold.path == path
    assert gold.cluster == (">".join(path) or "task-1")


def test_paths_with_arguments(file: Path) -> None:
    calls = [
        {"tool": "get_sub_company_info_list", "input": {"identifier": "甲", "columns": []}},
        {"tool": "get_company_register", "input": {"identifier": "乙", "columns": []}},
        {"tool": "get_company_register", "input": {"identifier": "丙", "columns": []}},
        {"tool": "get_sum", "input": [1, 2]},
    ]
    gold = one(file, id="s1", hops=2, path=calls, way=...).gold
    assert gold.calls[1] == ("get_company_register", {"identifier": "乙", "columns": []})
    assert len(gold.calls) == 4
    assert gold.path == ("get_sub_company_info_list", "get_company_register")


@pytest.mark.parametrize(
    ("task_id", "hops", "group"),
    [
        (1, ..., "1-hop"), ("7", ..., "1-hop"), (80, ..., "1-hop"), (81, ..., "2-hop"), (220, ..., "3-hop"),
        (260, ..., "4-hop"), (280, ..., "5-hop"),
        (281, ..., "writing"), (300, ..., "writing"), (1, 3, "3-hop"), ("a", "writing", "writing"), (999, 5, "5-hop"),
    ],
)  # fmt: skip
def test_groups(file: Path, task_id: Any, hops: Any, group: str) -> None:
    gold = one(file, id=task_id, hops=hops).gold
    assert gold.group == group
    assert group != "writing" or gold.cluster == f"writing-{task_id}"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"key": ...}, "no keys"), ({"key": []}, "no keys"), ({"key": "123"}, "'key' is no list"),
        ({"key": [1]}, "'key' is no list"),
        ({"question": ...}, "'question' is missing"), ({"question": "  "}, "'question' is missing"),
        ({"id": ...}, "no id"), ({"id": True}, "no id"),
        ({"id": 301}, "its group"), ({"id": "x1"}, "its group"), ({"hops": 6}, "its group"),
        ({"hops": True}, "its group"),
        ({"answer": 3}, "'answer'"), ({"path": [1]}, "'path'"),
    ],
)  # fmt: skip
def test_a_task_that_cannot_be_scored_is_named(file: Path, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        one(file, **fields)
    assert f"{file}, line 2" in caught.value.title
    assert caught.value.hint


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no tasks"), (b"[]", "no tasks"), (b"{}\n{", "line 1"), (b"[1]", "JSON object"), (b"\xff\xfe", "UTF-8"),
        (b"\x1f\x8bxx", "gzip"),
        (json.dumps(TASK).encode() + b"\n{oops", "line 2: not valid JSON"),
        (json.dumps(TASK).encode() + b"\n" + json.dumps(TASK).encode(), "line 2: task 1 stands here a second time"),
        (b"[" * 100_000, "line 1"),
    ],
)  # fmt: skip
def test_broken_files(file: Path, content: bytes, message: str) -> None:
    file.write_bytes(content)
    with pytest.raises(BadInput, match=message):
        load_questions(file)


def test_no_file(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.json", tmp_path):
        with pytest.raises(NotFound):
            load_questions(path)


def test_the_published_half(data: Any) -> None:
    questions = load_questions(data("legalagentbench", "dataset_dev.json"))
    counts = Counter(question.gold.group for question in questions)
    assert [counts[group] for group in GROUPS] == [40, 40, 30, 20, 10, 10]
    paths = [len({q.gold.path for q in questions if q.gold.group == group}) for group in GROUPS[:5]]
    assert paths == [28, 40, 30, 19, 10]
    lengths = Counter(len(q.gold.path) - int(q.gold.group[0]) for q in questions if q.gold.group != "writing")
    assert set(lengths) <= {0, 1}, "four templates of five hops name six tools"
