"""Both rules of procedure on judge turns labelled by somebody who had not read the patterns.

`court_labels_independent.jsonl` holds 190 turns, their replies, the acts that a lawyer would credit to them and the
faults that a lawyer would name; the file was finished before its author opened the tables. Run with -s for the
figures.

Since then eighteen people have written turns without having seen the program. Some wrote to be trained on (`turns_a`
to `turns_j`, dense in faults and in turns that only seem to do something, 1,569 turns), some to measure
(`labels_spoken`, `labels_formal`, `labels_model`, `labels_unseen_a` to `l`); whatever had been measured and read was
trained on later. Nothing is trained on `labels_unseen_i` to `l`, 80 turns each by four people. Precision / recall on
these 320, before the whole turn was read (and e to h and turns_h to j were trained on) / now: acts 0.95 / 0.96 and
0.95 / 0.95, actions 0.91 / 0.96 and 0.92 / 0.96, faults 0.91 / 0.79 and 0.93 / 0.88. Of what followed when they had
been measured once only one number was chosen with their figures in view (SURE in
packaging/court_classifiers.py; with the former one faults 0.92 / 0.88). At first sight the
earlier ones had, acts / actions / faults: spoken, formal and model
0.92 / 0.84, 0.77 / 0.85, 0.53 / 0.74; c and d 0.91 / 0.96, 0.89 / 0.93, 0.86 / 0.77; e and f 0.93 / 0.96, 0.89 /
0.98, 0.87 / 0.81; g 0.96 / 0.95, 0.87 / 1.00, 0.88 / 0.85; h 0.90 / 0.95, 0.85 / 0.97, 0.76 / 0.52. A lawyer who
labelled e and f again from the bare turns agreed with 194 of 195 acts and with all 42 faults.

`no_answer` is a fault only where nobody who was asked says anything; the first four sets also named it where somebody
answered beside the point or left a part out, which 16 remarks in `why` tell.

The 190 turns at first sight, precision / recall:

* strict, acts of the law: 0.85 / 0.71 (139 right, 25 wrong, 57 missed)
* strict, actions of the benchmark: 0.75 / 0.69; compat on the same: 0.37 / 0.35
* faults of a turn: 0.63 / 0.45; 0.75 / 0.52 where the three names of an act before its time count as one
* duties that a turn only seems to do and that stay open: 40 of 46; good turns that are blamed: 0 of 97

That was with lists of phrases, which these turns then corrected (0.92 / 0.98, 0.88 / 0.99). The classifier that reads
acts now is trained on them, too; left out they have 0.86 / 0.94. What differs
is partly another view: of an overloaded turn the labels credit the first two demands, and they hold stages for thrown
together from two on, the tables from three. A note in `why` says where a label proved wrong.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.courts.procedure.labels import FAULTS, ORDER, Judged, Rates, measured, rates, read_rows

pytestmark = pytest.mark.slow

SETS = {name: read_rows(Path(__file__).with_name(f"labels_{name}.jsonl")) for name in ("spoken", "formal", "model")}
ROWS = read_rows(Path(__file__).with_name("court_labels_independent.jsonl"))
CLASSES = ("good", "missing", "bundled", "wrong_stage", "wrong_addressee")


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    return measured(ROWS)[1]


def order_as_one(codes: frozenset[str]) -> set[str]:
    return {"order" if code in ORDER else code for code in codes}


def test_the_labels_hold_together() -> None:
    assert len(ROWS) == 190
    assert {row.kind for row in ROWS} == set(CLASSES)
    assert all(set(row.faults) <= FAULTS | {"missing"} for row in ROWS)


def left_open(one: Judged) -> int:
    """Of the duties that the turn only seems to do: how many stay undone."""
    return len(set(one.row.owes) - one.found)


def test_rates_on_turns_labelled_without_the_patterns(judged: list[Judged]) -> None:
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


def reaches(found: Rates, precision: float, recall: float) -> bool:
    return (found.precision or 0) >= precision and (found.recall or 0) >= recall


def test_few_good_turns_are_blamed(judged: list[Judged]) -> None:
    good = [one for one in judged if one.row.kind == "good"]
    assert sum(bool(one.faults) for one in good) <= len(good) / 8


def test_rates_on_three_sets_of_development() -> None:
    told = {name: measured(rows) for name, rows in SETS.items()}
    for name, (figures, _) in told.items():
        print(name, figures)
    every = [one for _, found in told.values() for one in found]
    assert len(every) == 180
    law = rates((one.found, one.row.acts) for one in every)
    strict = rates((one.actions, one.wanted_actions) for one in every)
    published = rates((one.published, one.wanted_actions) for one in every)
    faults = rates((one.faults, one.row.blamed()) for one in every)
    print("together", law, strict, published, faults)
    assert reaches(law, 0.95, 0.95) and reaches(strict, 0.92, 0.92) and reaches(faults, 0.88, 0.86)
    assert strict.right > published.right and strict.wrong < published.wrong


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
    every: list[Judged] = []
    for name in names:
        figures, found = measured(read_rows(Path(__file__).with_name(f"labels_unseen_{name}.jsonl")))
        print(name, figures)
        every += found
    law = rates((one.found, one.row.acts) for one in every)
    strict = rates((one.actions, one.wanted_actions) for one in every)
    published = rates((one.published, one.wanted_actions) for one in every)
    faults = rates((one.faults, one.row.blamed()) for one in every)
    assert reaches(law, *law_least) and reaches(strict, *actions_least) and reaches(faults, *faults_least)
    assert strict.right > published.right and strict.wrong < published.wrong
