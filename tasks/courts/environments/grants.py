"""Words for what seats are granted: paths of the case file that several environments share (see
`casefile.visibility`)."""

from __future__ import annotations


def fields_of(item: str, fields: str) -> list[str]:
    """Fields of one item, named by words between blanks."""
    return [f"{item}.{field}" for field in fields.split()]


OTHER = "kind name gender ethnicity birth_date address workplace representative representative_title"
OWN = (
    f"{OTHER} birthplace education occupation contact counsel.name counsel.profession counsel.firm counsel.authority"
)
PERSONA = "persona.legal_literacy " + " ".join(
    [f"persona.big5.{t}" for t in ("extraversion", "stability", "openness", "agreeableness", "conscientiousness")]
    + [f"persona.style.{t}" for t in ("tone", "content", "interaction")]
)
EXHIBIT = "title kind source purpose excerpt witness.name witness.address witness.relation proves"
OBJECTION = "truth legality relevance weight text"
CLAIM = "text kind amount parts[].text parts[].amount facts"
DEFENCE = "text position answers facts"
HEARD_ON = ("dates.proceeding", "dates.filed")
"""The day of the hearing and that of the complaint or indictment."""
BENCH = "name docket procedure presiding.name presiding.title panel[].name panel[].title clerk public closed_reason"


def objections(owner: str, by: str) -> list[str]:
    """What a side says against the evidence of another."""
    return fields_of(f"evidence[{owner}].objections[{by}]", OBJECTION)


def exhibits(owner: str) -> list[str]:
    """The evidence of a side, without what others say of it."""
    return fields_of(f"evidence[{owner}]", EXHIBIT)


def facts(side: str) -> list[str]:
    """What a side knows, alone or with the other."""
    return [f"facts[{side}].text", "facts[both].text"]


def client_of(side: str, other: str) -> list[str]:
    """A party that tells its lawyer of the matter."""
    return [
        *fields_of(f"parties[{side}]", f"{OWN} {PERSONA}"), *fields_of(f"parties[{other}]", OTHER),
        *facts(side), *exhibits(side), "dates.filed",
    ]  # fmt: skip


def lawyer_of(side: str, other: str) -> list[str]:
    """A lawyer who goes to court with the file."""
    return [
        *fields_of(f"parties[{side}]", OWN), *fields_of(f"parties[{other}]", OTHER), *facts(side), *exhibits(side),
        # Both sides have exchanged their evidence before the hearing (民诉法第一百三十六条第四项,
        # 民诉法解释第二百二十四条): each knows what the other will offer by its name, and has its objections ready by
        # it.
        f"evidence[{other}].title", *objections(other, side),
        f"statements[{side}]", *HEARD_ON, *fields_of(f"mediation[{side}]", "stance terms amount"),
    ]  # fmt: skip


CLAIMS = fields_of("claims[]", CLAIM)
DEFENCES = fields_of("defences[]", DEFENCE)
