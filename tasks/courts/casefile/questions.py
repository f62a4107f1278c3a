"""Court cases as tasks: the card that everybody may see, and the case file, whose parts the visibility table hands
out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from store.errors import BadInput
from tasks.courts.casefile.case import DISPUTE_SCHEMA, Case, Fields
from tasks.courts.casefile.loading import case_records, read_case, read_dispute
from tasks.courts.casefile.roles import own_names
from tasks.courts.casefile.upstream import ImportReport, read_upstream
from tasks.courts.environment import environment


@dataclass(frozen=True, slots=True)
class CourtQuestion:
    """One case as a task. notes: what an import of another layout set to a default, guessed or dropped."""

    case: Case
    notes: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Id of the case."""
        return self.case.id

    @property
    def group(self) -> str:
        """Its environment."""
        return self.case.env

    @property
    def gold(self) -> Fields:
        """What scorers and the reference `gold` are handed: answers of topics, or the judgment."""
        fields = self.case.fields()
        return {name: fields[name] for name in ("topics", "gold") if name in fields}

    @property
    def material(self) -> Fields:
        """The case file without its gold."""
        return {name: value for name, value in self.case.fields().items() if name not in self.gold}

    @property
    def cluster(self) -> str:
        """The name under which statistics group it: CD, DD and CI of one dispute share theirs."""
        return self.case.cluster

    @property
    def heading(self) -> str:
        """How it is called in a list that one chooses from: number, environment and cause."""
        return f"{self.case.id} {environment(self.case.env).names[0]} {self.case.fields().get('cause', '')}"

    @property
    def fictional(self) -> bool:
        """Whether people and facts are made up; of a case that was imported or drafted from a judgment nobody can say
        so."""
        return self.case.provenance.source == "authored"

    @property
    def card(self) -> Fields:
        """Environment and name, and what its roles are called: nothing of what is told in it."""
        names = own_names(self.case)
        env = self.case.env
        card = {"id": self.case.id, "env": env, "question": f"{environment(env).names[0]} {self.case.id}"}
        return {**card, "names": names} if names else card


def read_questions(where: str, fields: Mapping[str, object]) -> tuple[CourtQuestion, ...]:
    """The case of one record, of ours or of the published layout, or the three of a civil dispute; `CaseFault` or
    `BadInput` with what is wrong."""
    if fields.get("schema") == DISPUTE_SCHEMA:
        return tuple(map(CourtQuestion, read_dispute(where, fields).cases()))
    if "schema" not in fields and "env" not in fields:
        return (_imported(*read_upstream(where, fields)),)
    return (CourtQuestion(read_case(where, fields)),)


def load_questions(path: Path) -> list[CourtQuestion]:
    """All cases of a file or folder, in order.

    Raises:
        NotFound: there is nothing at the path.
        CaseFault: a case is unusable; the title names file, line or case, and field.
        BadInput: a file is broken, empty, or a case stands there twice.
    """
    found: dict[str, tuple[str, CourtQuestion]] = {}
    for where, fields in case_records(path):
        for question in read_questions(where, fields):
            if question.id in found:
                what = f"{where}: case {question.id} stands in {found[question.id][0]} already"
                raise BadInput(what, "Remove one of the two.")
            found[question.id] = where, question
    if not found:
        raise BadInput(f"{path}: no cases in it", "A case file is TOML, or JSON with one case a line.")
    return [question for _, question in found.values()]


def _imported(case: Case, report: ImportReport) -> CourtQuestion:
    made = [f"filled in: {', '.join(report.filled)}"] * bool(report.filled)
    return CourtQuestion(case, tuple(made + [f"left out: {', '.join(report.dropped)}"] * bool(report.dropped)))
