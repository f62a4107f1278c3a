"""Both rules of procedure on judge turns labelled by people who had not read the patterns.

`court_labels_independent.jsonl` holds 190 turns, their replies, the acts that a lawyer would credit to them and the
faults that a lawyer would name. Eighteen people have written the other sets without having seen the program; whatever
had been measured and read was trained on later. Nothing is trained on `labels_unseen_i` to `l`, 80 turns each by four
people. Run with -s for the figures.

`no_answer` is a fault only where nobody who was asked says anything. The labels credit the first two demands of an
overloaded turn, and hold stages for thrown together from two on, the tables from three; a note in `why` says where a
label proved wrong.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.courts.procedure.labels import ORDER, LabelCheck, LabelRates, measured, rates, read_rows

LABELS = Path(__file__).parents[1] / "courts"
ROWS = read_rows(LABELS / "court_labels_independent.jsonl")
CLASSES = ("good", "missing", "bundled", "wrong_stage", "wrong_addressee")


@pytest.fixture(scope="module")
def judged() -> list[LabelCheck]:
    return measured(ROWS)[1]


def order_as_one(codes: frozenset[str]) -> set[str]:
    return {"order" if code in ORDER else code for code in codes}


def left_open(one: LabelCheck) -> int:
    """Of the duties that the turn only seems to do: how many stay undone."""
    return len(set(one.row.owes) - one.found)


def test_rates_on_turns_labelled_without_the_patterns(judged: list[LabelCheck]) -> None:
    law = rates((one.found, one.row.acts) for one in judged)
    strict = rates((one.actions, one.wanted_actions) for one in judged)
    published = rates((one.published, one.wanted_actions) for one in judged)
    named = rates((one.faults, one.row.blamed()) for one in judged)
    place = rates((order_as_one(one.faults), order_as_one(one.row.blamed())) for one in judged)
    print(f"\n{len(ROWS)} judge turns, {sum(len(row.acts) for row in ROWS)} acts")
    for name, found in {
        "strict, law": law, "strict, j1": strict, "compat": published, "faults": named, "order as one": place,
    }.items():  # fmt: skip
        print(f"{name:12} {found} precision {found.precision:.3f} recall {found.recall:.3f}")
    for kind in CLASSES:
        rows = [one for one in judged if one.row.kind == kind]
        exact = sum(one.found == set(one.row.acts) for one in rows)
        blamed = sum(order_as_one(one.faults) == order_as_one(one.row.blamed()) for one in rows)
        theirs = sum(one.published == one.wanted_actions for one in rows)
        print(f"{kind:16} turns {len(rows):3} exact: acts {exact:3} faults {blamed:3} compat {theirs:3}")
    owed = sum(len(row.owes) for row in ROWS)
    stay = sum(left_open(one) for one in judged)
    print(f"seeming duties that stay open: {stay} of {owed}")
    assert reaches(law, 0.83, 0.92) and reaches(strict, 0.76, 0.89) and reaches(place, 0.84, 0.6)
    assert published.precision and published.recall and reaches(strict, published.precision, published.recall)
    assert stay / owed >= 0.85


def reaches(found: LabelRates, precision: float, recall: float) -> bool:
    return (found.precision or 0) >= precision and (found.recall or 0) >= recall


def test_few_good_turns_are_blamed(judged: list[LabelCheck]) -> None:
    good = [one for one in judged if one.row.kind == "good"]
    assert sum(bool(one.faults) for one in good) <= len(good) / 8


@pytest.mark.parametrize(
    ("names", "law_least", "actions_least", "faults_least"),
    [
        ("ab", (0.96, 0.97), (0.89, 0.95), (0.76, 0.83)),
        ("cd", (0.9, 0.95), (0.89, 0.92), (0.85, 0.76)),
        ("efg", (0.95, 0.95), (0.9, 0.97), (0.87, 0.82)),
        ("ijkl", (0.95, 0.95), (0.92, 0.95), (0.92, 0.87)),
    ],
)
def test_rates_on_turns_that_nobody_saw_when_they_were_written(
    names: str, law_least: tuple[float, float], actions_least: tuple[float, float], faults_least: tuple[float, float]
) -> None:
    """Of these only the last four are not trained on."""
    every: list[LabelCheck] = []
    for name in names:
        figures, found = measured(read_rows(LABELS / f"labels_unseen_{name}.jsonl"))
        print(name, figures)
        every += found
    law = rates((one.found, one.row.acts) for one in every)
    strict = rates((one.actions, one.wanted_actions) for one in every)
    published = rates((one.published, one.wanted_actions) for one in every)
    faults = rates((one.faults, one.row.blamed()) for one in every)
    assert reaches(law, *law_least) and reaches(strict, *actions_least) and reaches(faults, *faults_least)
    assert strict.right > published.right and strict.wrong < published.wrong
