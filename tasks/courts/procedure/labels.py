"""Measures the rules of procedure on labelled turns of judges: precision and recall of acts and faults, as shares
from 0 to 1.

A labelled turn says where a trial stands, what the judge says and what is answered, the duties that a lawyer would
credit to the turn (`acts`, keys as in `Duty.key`) and the faults that he would name. Whoever labels need not know the
rules: the file is the whole interface, JSON lines in the layout of `Row`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from store.errors import BadInput
from store.importers.reading import records
from tasks.courts.procedure.model import (
    CODES,
    SIDES,
    Hearing,
    Procedure,
    ProcedureExhibit,
    ProfileName,
    Role,
    Side,
    TrialState,
    Turn,
    profile,
)
from tasks.courts.procedure.pfs import compat
from tasks.courts.procedure.tracker import Tracker

FAULTS = frozenset(
    {
        "wrong_stage", "too_early", "judgment_before_debate", "wrong_addressee", "no_answer", "bundled",
        "stages_bundled",
        "speaks_for_party", "after_end",
    }
)  # fmt: skip
"""Faults of a turn. `missing` is one of the trial: a row lists in `owes` what its turn leaves undone."""
ORDER = frozenset({"wrong_stage", "too_early", "judgment_before_debate"})
"""Three names of an act before its time."""
NOW = 7
"""Number of the labelled turn and its replies."""
_NEEDS: Mapping[str, tuple[str, ...]] = {
    "plea": ("guilty_plea", "request"), "property": ("property",), "divorce": ("divorce",),
}  # fmt: skip
_TAGS = {"debate": "<法庭辩论>", "mediation": "<法庭辩论><法庭调解>", "last": "<最后陈述>", "judgment": "<评议宣判>"}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LabelledReply(_Part):
    """What was said after the turn, or (with `to`) before it."""

    speaker: Role
    text: str
    to: tuple[Role, ...] = ()


class LabelledWords(_Part):
    """The judge's words; `to` empty for the whole court."""

    to: tuple[Role, ...] = ()
    text: str


class LabelledExhibit(_Part):
    """An exhibit of the case, in the order in which its side offers it."""

    id: str
    owner: Side
    title: str


class LabelledTurn(_Part):
    """A labelled turn. `done`: duties that were done before; `case`: what the case needs; `owes`: what stays undone.

    `class` and `why` are the labeller's own remarks.
    """

    id: str
    env: Literal["CI", "CR"]
    procedure: Procedure
    stage: str
    names: Mapping[Side, tuple[str, ...]] = Field(default_factory=dict)
    exhibits: tuple[LabelledExhibit, ...] = ()
    case: tuple[Literal["plea", "property", "divorce"], ...] = ()
    done: tuple[str, ...] = ()
    before: tuple[LabelledReply, ...] = ()
    turn: LabelledWords
    reply: tuple[LabelledReply, ...] = ()
    kind: str = Field("", alias="class")
    acts: tuple[str, ...]
    faults: tuple[str, ...] = ()
    owes: tuple[str, ...] = ()
    why: str = ""

    def hearing(self) -> Hearing:
        """The case as the procedure sees it: both sides have lawyers; an ordinary procedure has a bench of
        several."""
        count: Counter[Side] = Counter()
        items = []
        for exhibit in self.exhibits:
            count[exhibit.owner] += 1
            items.append(ProcedureExhibit(exhibit.id, exhibit.owner, exhibit.title, count[exhibit.owner]))
        needs = {need for word in self.case for need in _NEEDS[word]} | {"mediable", "represented"}
        needs |= {"collegial"} if self.procedure == "普通程序" else set()
        names: dict[str, tuple[str, ...]] = {str(side): known for side, known in self.names.items()}
        return Hearing(self.env, self.procedure, names, tuple(items), frozenset(needs))

    def turns(self) -> list[Turn]:
        """The labelled turn and its replies."""
        judge = Turn(NOW, "judge", self.turn.to, self.turn.text)
        return [judge, *(Turn(NOW, reply.speaker, ("judge",), reply.text) for reply in self.reply)]

    def actions(self, keys: Iterable[str]) -> frozenset[str]:
        """The actions of the benchmark that duties count for."""
        return counted(self.env, (key.split("/")[0] for key in keys))

    def blamed(self) -> frozenset[str]:
        """The faults of the turn that the label names."""
        return FAULTS & set(self.faults)


def read_rows(path: Path) -> list[LabelledTurn]:
    """The labelled turns of a file.

    Raises:
        NotFound: there is no such file.
        BadInput: a line is broken, or names an act, stage, side, exhibit, fault or field that does not exist.
    """
    rows: dict[str, LabelledTurn] = {}
    for line, fields in records(path, str(path)):
        where = f"{path}, line {line}"
        try:
            row = LabelledTurn.model_validate(fields)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(map(str, first["loc"]))
            if first["type"] == "extra_forbidden":
                raise BadInput(f"{where}: there is no field '{field}' in a labelled turn", "Remove it.") from None
            raise BadInput(f"{where}: '{field}' is missing or not what it should be", first["msg"]) from None
        _check(row, where)
        if row.id in rows:
            raise BadInput(
                f"{where}: the id '{row.id}' stands on an earlier line already", "Give every turn its own."
            )
        rows[row.id] = row
    if not rows:
        raise BadInput(f"{path}: no labelled turns in it", "Write one JSON object a line.")
    return list(rows.values())


def _check(row: LabelledTurn, where: str) -> None:
    """Names that mean nothing: a label that is misspelt would count against the rules."""
    table = profile("law", row.env)
    if row.stage not in {stage.id for stage in table.stages}:
        known = ", ".join(stage.id for stage in table.stages)
        raise BadInput(f"{where}: there is no stage '{row.stage}' in {row.env}", f"Stages: {known}.")
    for key in (*row.acts, *row.owes, *row.done):
        act, *rest = key.split("/")
        if act not in table.acts:
            raise BadInput(f"{where}: there is no act '{act}' in {row.env}", f"Acts: {', '.join(table.acts)}.")
        if not set(rest[bool(table.acts[act].exhibits) :]) <= set(SIDES[row.env]):
            raise BadInput(f"{where}: '{key}' names no side of {row.env}", f"Sides: {', '.join(SIDES[row.env])}.")
    for fault in row.faults:
        if fault not in CODES:
            raise BadInput(f"{where}: there is no fault '{fault}'", f"Faults: {', '.join(CODES)}.")


@dataclass(frozen=True, slots=True)
class LabelCheck:
    """What the rules make of a labelled turn, beside its label. Acts and actions of `found` are what strict
    credits."""

    row: LabelledTurn
    found: frozenset[str]
    faults: frozenset[str]
    actions: frozenset[str]
    published: frozenset[str]

    @property
    def wanted_actions(self) -> frozenset[str]:
        """The actions of the benchmark that the labelled acts count for."""
        return self.row.actions(self.row.acts) - self.row.actions(self.row.done)


def counted(env: Literal["CI", "CR"], acts: Iterable[str]) -> frozenset[str]:
    """The benchmark's own actions (13 civil, 8 criminal) that acts of the law count for."""
    families = profile("j1", env).by_family
    return frozenset(spec.name for act in acts for spec in families.get(act, ()) if spec.duty == "must")


def judged(row: LabelledTurn) -> LabelCheck:
    """Both rules on one turn; what was done before earns nothing twice."""
    law, j1 = course(row, "law"), course(row, "j1")
    before = row.actions(row.done)
    return LabelCheck(
        row,
        frozenset(credit.key for credit in law.credits if credit.turn == NOW) - set(row.done),
        frozenset(v.code for v in law.violations if v.turn == NOW) & FAULTS,
        frozenset(j1.profile.acts[c.act].name for c in j1.credits if c.turn == NOW
            and j1.profile.acts[c.act].duty == "must")
        - before,
        frozenset(compat(row.turns(), row.env).credits) - before,
    )  # fmt: skip


def course(row: LabelledTurn, name: ProfileName) -> TrialState:
    """The course of the trial up to and with a row, taken up where the row says it is."""
    case = row.hearing()
    left = {f"exhibit/{item.id}" for item in case.exhibits} - set(row.done)
    if left and row.stage in _TAGS:  # a trial taken up in a later stage counts every exhibit as heard
        machine = Tracker.resumed(case, name, stage="法庭调查", done=row.done)
        machine.feed(Turn(1, "judge", (), _TAGS[row.stage]))
    else:
        known = {stage.id for stage in profile(name, row.env).stages}
        machine = Tracker.resumed(case, name, stage=row.stage if row.stage in known else "debate", done=row.done)
    for said in row.before:
        machine.feed(Turn(1, said.speaker, said.to, said.text))
    for turn in (*row.turns(), Turn(NOW + 1, "judge", (), "好。")):  # who has not answered by now has not
        machine.feed(turn)
    return machine.course()


@dataclass(frozen=True, slots=True)
class LabelRates:
    """Right, wrong and missed, summed over turns."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float | None:
        """Share of what was found that is right; None where nothing was found."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else None

    @property
    def recall(self) -> float | None:
        """Share of what is labelled that was found; None where nothing is labelled."""
        return self.right / (self.right + self.missed) if self.right + self.missed else None

    def told(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "precision": self.precision, "recall": self.recall,
            "right": self.right, "wrong": self.wrong, "missed": self.missed,
        }  # fmt: skip


def rates(pairs: Iterable[tuple[Iterable[str], Iterable[str]]]) -> LabelRates:
    """Rates over pairs of what was found and what is labelled."""
    right = wrong = missed = 0
    for found, wanted in ((set(one), set(other)) for one, other in pairs):
        right += len(found & wanted)
        wrong += len(found - wanted)
        missed += len(wanted - found)
    return LabelRates(right, wrong, missed)


def measured(rows: Iterable[LabelledTurn]) -> tuple[dict[str, Any], list[LabelCheck]]:
    """The figures of labelled turns as `moot procedure check` prints them, and what the rules make of each turn."""
    found = [judged(row) for row in rows]
    faults = rates((one.faults, one.row.blamed()) for one in found).told()
    faults["order_as_one"] = rates((_as_one(one.faults), _as_one(one.row.blamed())) for one in found).told()
    return {
        "n": len(found),
        "strict": {
            "law": rates((one.found, one.row.acts) for one in found).told(),
            "actions": rates((one.actions, one.wanted_actions) for one in found).told(),
        },
        "compat": rates((one.published, one.wanted_actions) for one in found).told(),
        "faults": faults,
    }, found


def _as_one(codes: Iterable[str]) -> set[str]:
    return {"order" if code in ORDER else code for code in codes}
