"""Verification of tasks by people: decisions, their log, how tasks stand, what is published."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from store.errors import BadInput
from tasks.errors import UsageError
from tasks.legalagentbench.questions import load_questions
from tasks.scoring.agreement import weighted_kappa
from tasks.verifying.decisions import (
    add_log,
    decide,
    decisions_of,
    log_of,
)  # fmt: skip
from tasks.verifying.standing import FIELD, agreement, publish, standings, visible_to
from tasks.verifying.taskset import TaskSet, cited, day_of, laws_of, read_set


def record(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"t-{number}", "question": f"第{number}家公司涉案几次？", "answer": f"经查询，{number}0次。",
        "key": [f"{number}0次"],
        "key_middle": [], "hops": 1, "way": "get_company_info", **more,
    }  # fmt: skip


def write(path: Path, *records: dict[str, Any]) -> TaskSet:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), encoding="utf-8")
    return read_set(path)


@pytest.fixture
def tasks(tmp_path: Path) -> TaskSet:
    return write(tmp_path / "set.jsonl", *(record(n) for n in range(1, 7)))


def status(tasks: TaskSet, task: str) -> str:
    return standings(tasks, decisions_of(tasks))[task].status


def test_a_set_is_known_by_what_its_tasks_say(tasks: TaskSet, tmp_path: Path) -> None:
    text = tasks.path.read_text(encoding="utf-8")
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(text.replace("\n", "\r\n").encode()))
    assert read_set(packed).hash == tasks.hash
    other = tmp_path / "other.jsonl"
    other.write_text(text.replace("涉案几次", "涉案多少次", 1), encoding="utf-8")
    assert read_set(other).hash != tasks.hash


def test_the_log_is_appended_and_the_newest_word_counts(tasks: TaskSet) -> None:
    decide(tasks, "t-1", "reject", "Li", why=["leak"])
    before = log_of(tasks.path).read_bytes()
    decide(tasks, "t-1", "accept", "Li")
    assert log_of(tasks.path).read_bytes().startswith(before)
    assert [one.verdict for one in decisions_of(tasks)] == ["reject", "accept"]
    standing = standings(tasks, decisions_of(tasks))["t-1"]
    assert standing.status == "once" and standing.outcome is not None and standing.outcome.verdict == "accept"
    assert not list(tasks.path.parent.glob("*.lock"))


def test_two_reviewers_agree_disagree_and_settle(tasks: TaskSet) -> None:
    decide(tasks, "t-1", "accept", "Li")
    standing = standings(tasks, decisions_of(tasks))["t-1"]
    assert visible_to(standing, "Wang") == ((), 1) and visible_to(standing, "") == ((), 1)
    assert len(visible_to(standing, "Li")[0]) == 1
    decide(tasks, "t-1", "reject", "Wang", why=["unclear"])
    assert status(tasks, "t-1") == "disputed"
    decide(tasks, "t-1", "correct", "Li", fields={"question": "第1家公司总共涉案几次？"}, consensus=True)
    assert status(tasks, "t-1") == "settled"
    decide(tasks, "t-1", "reject", "Wang", why=["unclear"])
    assert status(tasks, "t-1") == "disputed", "who objects after a consensus opens the matter again"
    assert status(tasks, "t-2") == "open"


@pytest.mark.parametrize(
    ("task", "author", "more", "said"),
    [
        ("t-1", "Li", {"consensus": True}, "nobody disagrees"),
        ("t-1", " \n", {}, "author"),
        ("t-9", "Li", {}, "t-9"),
    ],
)
def test_a_decision_that_cannot_be_is_refused(
    tasks: TaskSet, task: str, author: str, more: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        decide(tasks, task, "accept", author, **more)


def test_two_corrections_agree_when_they_say_the_same(tasks: TaskSet) -> None:
    decide(tasks, "t-1", "correct", "Li", fields={"question": "几次涉案？"})
    decide(tasks, "t-1", "correct", "Wang", fields={"question": "几次涉案？ "})
    decide(tasks, "t-2", "correct", "Li", fields={"question": "几次涉案？"})
    decide(tasks, "t-2", "correct", "Wang", fields={"question": "涉案几次呢？"})
    assert (status(tasks, "t-1"), status(tasks, "t-2")) == ("agreed", "disputed")


def test_agreement_takes_the_first_word_of_each(tasks: TaskSet) -> None:
    said = {"t-1": "aa", "t-2": "ar", "t-3": "rr", "t-4": "ra", "t-5": "aa"}
    words: dict[str, Any] = {"a": ("accept", []), "r": ("reject", ["keys"])}
    for task, both in said.items():
        for author, word in zip(("Li", "Wang"), both, strict=True):
            decide(tasks, task, words[word][0], author, why=words[word][1])
    decide(tasks, "t-2", "accept", "Wang")
    (pair,) = agreement(list(standings(tasks, decisions_of(tasks)).values()))
    assert (pair.first, pair.second, pair.n, pair.equal.value) == ("Li", "Wang", 5, 0.6)
    # Li and Wang each accept 3 of 5: chance .52, kappa (.6 - .52) / .48.
    assert pair.kappa.value == pytest.approx(0.08 / 0.48)


def test_nominal_kappa_counts_every_difference_alike() -> None:
    one, two = [0, 1, 2, 2, 0, 1], [0, 2, 2, 1, 1, 1]
    nominal = weighted_kappa(one, two, "nominal").value
    seen = sum(a == b for a, b in zip(one, two, strict=True)) / 6
    chance = sum(one.count(v) * two.count(v) for v in (0, 1, 2)) / 36
    assert nominal == pytest.approx((seen - chance) / (1 - chance))


def test_only_what_passed_is_published_with_who_and_when(tasks: TaskSet, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="open 6"):
        publish(tasks, decisions_of(tasks))
    for author in ("Li", "Wang"):
        decide(tasks, "t-1", "accept", author)
        decide(tasks, "t-2", "correct", author, fields={"answer": "共20次。"}, why=["wrong_answer"])
        decide(tasks, "t-3", "reject", author, why=["leak", "unclear"])
    decide(tasks, "t-4", "accept", "Li")
    decide(tasks, "t-5", "accept", "Li")
    decide(tasks, "t-5", "reject", "Wang", why=["keys"])
    made = publish(tasks, decisions_of(tasks))
    assert made.refused == {"open": 1, "few": 1, "disputed": 1, "rejected": 1}
    assert made.causes == {"leak": 1, "unclear": 1} and (made.accepted, made.corrected) == (1, 1)
    assert [one["id"] for one in made.records] == ["t-1", "t-2"]
    told = made.records[1][FIELD]
    assert made.records[1]["answer"] == "共20次。" and told["before"] == {"answer": "经查询，20次。"}
    assert told["set"] == tasks.hash and told["reviewers"] == ["Li", "Wang"]
    assert [(one["author"], one["verdict"]) for one in told["decisions"]] == [("Li", "correct"), ("Wang", "correct")]
    out = tmp_path / "out.jsonl"
    out.write_text("".join(json.dumps(one) + "\n" for one in made.records), encoding="utf-8")
    assert all(set(question.card) == {"id", "question"} for question in load_questions(out))
    assert len(publish(tasks, decisions_of(tasks), reviewers=1).records) == 3


def test_the_log_of_another_reviewer_is_added_once(tasks: TaskSet, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    there = write(tmp_path / "there" / "copy.jsonl", *(record(n) for n in range(1, 7)))
    decide(there, "t-1", "accept", "Wang")
    decide(tasks, "t-1", "accept", "Li")
    assert len(add_log(tasks, log_of(there.path))[0]) == 1 and add_log(tasks, log_of(there.path)) == ((), [])
    assert status(tasks, "t-1") == "agreed"


def test_the_log_of_another_set_is_refused_naming_both(tasks: TaskSet, tmp_path: Path) -> None:
    other = write(tmp_path / "other.jsonl", record(1), record(2))
    decide(other, "t-1", "accept", "Wang")
    with pytest.raises(BadInput) as told:
        add_log(tasks, log_of(other.path))
    assert f"other.jsonl ({other.hash[:12]})" in told.value.title
    assert f"set.jsonl ({tasks.hash[:12]})" in told.value.title
    assert not log_of(tasks.path).exists()


def test_a_task_file_that_changed_under_its_log_is_refused(tasks: TaskSet) -> None:
    decide(tasks, "t-1", "accept", "Li")
    before = log_of(tasks.path).read_bytes()
    changed = write(tasks.path, record(1), record(2))
    with pytest.raises(BadInput, match="is about the task set"):
        decide(changed, "t-1", "accept", "Wang")
    assert log_of(tasks.path).read_bytes() == before


def test_citations_are_held_against_the_day_of_the_task(tmp_path: Path) -> None:
    text = "依据《中华人民共和国合同法》第五十二条和《中华人民共和国民法典》第一百五十三条、《某某法》第一条。"
    made = write(
        tmp_path / "law.jsonl",
        record(1, answer=f"{text}10次", as_of="2020-06-01"),
        record(2, answer=f"{text}20次", as_of="2021-06-01"),
        record(3, answer=f"{text}《中华人民共和国民法典》第九千条。30次"),
    )
    found = [[one.force for one in cited(task, day_of(task, None), laws_of(None))] for task in made.tasks]
    assert found == [
        ["in_force", "not_yet", "unknown"],
        ["ended", "in_force", "unknown"],
        ["no_day", "no_day", "unknown", "no_article"],
    ]
