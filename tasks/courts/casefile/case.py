"""Case files, schema j1case/1: one case of an environment, and the dispute from which three civil cases are made.

KQ and LC ask for advice; CD, DD and CI are the complaint, the defence and the trial of one civil dispute and share
its id as `source`, so that statistics know they are no independent draws; CR is a criminal trial. Fictional people,
real law.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import Field, TypeAdapter

from tasks.courts.casefile.material import (
    Claim,
    Court,
    Criminal,
    Dates,
    Defence,
    Exhibit,
    Fact,
    Sentence,
    Stance,
    Yuan,
)
from tasks.courts.casefile.people import Client, Id, LawRef, Party, Strict, Text, Words

SCHEMA: Literal["j1case/1"] = "j1case/1"
DISPUTE_SCHEMA = "j1dispute/1"
Env = str
"""The code of an environment: KQ, LC, CD, DD, CI, CR, or one that a package adds."""
Fields = dict[str, Any]
"""The fields of a case file, or of a part of it, as JSON has them."""


class Provenance(Strict):
    """Where a case comes from."""

    source: Literal["authored", "derived", "imported"] = "imported"
    licence: Text = ""
    based_on: Text = ""
    """What an imported case was made from."""
    reviewed: bool = False
    """A second pass for legal coherence is done."""
    note: Text = ""


class Topic(Strict):
    """One question of somebody who asks for advice."""

    id: Id
    type: Literal["binary", "law", "open"]
    """binary: 是 or 否; law: which article; open: points to be made."""
    question: Words
    aliases: tuple[Words, ...] = ()
    """Other ways to ask it."""
    answer: Words
    laws: tuple[LawRef, ...] = ()
    points: tuple[Words, ...] = ()
    """What a full answer says, one thing each."""


class Fee(Strict):
    """案件受理费 and who bears it, in yuan."""

    total: Yuan
    plaintiff: Yuan = 0
    defendant: Yuan = 0


class Ruling(Strict):
    """What became of one claim."""

    claim: Id
    outcome: Literal["granted", "partly", "rejected"]
    amount: Yuan | None = None
    text: Text = ""


class CivilGold(Strict):
    """The judgment of a civil dispute; CD and DD, which are scored by the material itself, may go without."""

    rulings: tuple[Ruling, ...] = ()
    """One a claim of kind pay, perform or declare."""
    judgment: tuple[Words, ...] = ()
    """判决主文, a paragraph an entry."""
    fee: Fee | None = None
    issues: tuple[Words, ...] = ()
    """争议焦点."""
    reason: Text = ""
    """本院认为."""
    reason_points: tuple[Words, ...] = ()
    laws: tuple[LawRef, ...] = ()
    as_cited: tuple[Words, ...] = ()
    """Of an imported case: the list of laws in its own words, entries without an article included."""


class CriminalGold(Strict):
    """The judgment of a criminal case."""

    charges: tuple[Words, ...]
    """定罪罪名; none: 无罪."""
    sentence: Sentence
    judgment: Annotated[tuple[Words, ...], Field(min_length=1)]
    reason: Words
    reason_points: tuple[Words, ...] = ()
    laws: Annotated[tuple[LawRef, ...], Field(min_length=1)]
    as_cited: tuple[Words, ...] = ()
    """As in a civil judgment."""


class _Common(Strict):
    """What every case has."""

    cause: Text
    """案由, or the charge; KQ and LC: the field of law. Empty where nobody says."""
    difficulty: Literal["easy", "medium", "hard"] = "medium"
    provenance: Provenance = Provenance()
    dates: Dates = Dates()


class CaseFile(_Common):
    """What the case file of every environment starts with; one from elsewhere derives from it, or from one of
    ours."""

    schema_: Literal["j1case/1"] = Field(SCHEMA, alias="schema")
    id: Annotated[str, Field(pattern=r"^\S{1,64}$")]
    source: Text = ""
    """Cases that share it are no independent draws; empty: the case stands alone."""
    lang: Literal["zh"] = "zh"
    env: Env

    @property
    def cluster(self) -> str:
        """The name under which statistics group the case."""
        return self.source or self.id

    def fields(self) -> Fields:
        """The case as JSON data, ready to be written as a line of a task file."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True) | {"schema": SCHEMA}


class AdviceCase(CaseFile):
    """KQ and LC: somebody asks, the trainee answers."""

    env: Literal["KQ", "LC"]
    theme: Text = ""
    """KQ: what the first question is about in general."""
    agent_title: Text = ""
    """KQ: how the trainee is introduced."""
    client: Client
    topics: Annotated[tuple[Topic, ...], Field(min_length=1)]


class _Civil(_Common):
    """A civil dispute between two parties."""

    parties: tuple[Party, ...]
    facts: tuple[Fact, ...] = ()
    claims: Annotated[tuple[Claim, ...], Field(min_length=1)]
    amount: Yuan | None = None
    """标的额: what the claims of kind pay add up to."""
    complaint: Text = ""
    """事实和理由, as the plaintiff tells it."""
    answer: Text = ""
    """答辩意见 in full, as the defendant tells it."""
    defences: tuple[Defence, ...] = ()
    evidence: tuple[Exhibit, ...] = ()
    statements: dict[Id, Text] = {}
    """Party -> what it adds when asked: at questions of the court, in debate, at the end."""
    court: Court = Court()
    mediation: dict[Id, Stance] = {}
    """Party -> stance; a party that is not named refuses."""
    gold: CivilGold = CivilGold()


class CivilCase(CaseFile, _Civil):
    """CD, DD or CI: one stage of a civil dispute."""

    env: Literal["CD", "DD", "CI"]


class CriminalCase(CaseFile):
    """CR: the trial of one accused."""

    env: Literal["CR"]
    parties: tuple[Party, ...]
    facts: tuple[Fact, ...] = ()
    evidence: tuple[Exhibit, ...] = ()
    statements: dict[Id, Text] = {}
    """A1 -> what the accused says when examined and at the end."""
    court: Court = Court()
    criminal: Criminal
    gold: CriminalGold


Case = CaseFile
"""Of whatever environment."""
_OURS: TypeAdapter[Any] = TypeAdapter(Annotated[AdviceCase | CivilCase | CriminalCase, Field(discriminator="env")])


class Dispute(_Civil):
    """One civil dispute, written once; `cases` makes the three of it."""

    schema_: Literal["j1dispute/1"] = Field(alias="schema")
    number: Annotated[int, Field(ge=1, le=9999)]

    @property
    def source(self) -> str:
        """The cluster of its three cases."""
        return f"civil-{self.number:04}"

    def cases(self) -> tuple[CivilCase, CivilCase, CivilCase]:
        """The complaint, the defence and the trial: CD-0001, DD-0001, CI-0001."""
        shared = {name: getattr(self, name) for name in type(self).model_fields if name not in ("schema_", "number")}
        one, two, three = (
            CivilCase(schema=SCHEMA, id=f"{env}-{self.number:04}", env=env, source=self.source, **shared)
            for env in get_args(CivilCase.model_fields["env"].annotation)
        )
        return one, two, three
