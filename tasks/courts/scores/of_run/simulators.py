"""The simulated roles of an attempt: whether they stay in their case, and what keeps a run from being compared.

Read by rules from their own grants and the record (`scores.consistency`); a model's seat may be graded besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tasks.courts.casefile.case import Case
from tasks.courts.play.episode import traits_of
from tasks.courts.scores.consistency import COMPARABLE, Consistency, Message, consistency
from tasks.courts.scores.of_run.gradings import simulated
from tasks.courts.scores.of_run.rating import Heard
from tasks.courts.settings import settings_of
from tasks.scoring.context import ScoreContext


def consistencies(case: Case, heard: Heard, seed: int) -> tuple[Consistency, ...]:
    """Each simulated role of an attempt, in the order of its seats; `seed`: of the attempt."""
    dialogue = [Message(turn.speaker, turn.text) for turn in heard.record]
    drawn = heard.seed if heard.seed is not None else seed
    return tuple(
        consistency(case, case.env, role, dialogue, traits_of(case, role, drawn)) for role in simulated(case)
    )


def objections(
    context: ScoreContext, heard: Iterable[Heard], consistent: Mapping[str, Mapping[str, float | None]]
) -> list[str]:
    """Why the numbers of a run may not be ranked with those of others; nothing where they may.

    Args:
        context: the run: its spec and pack.
        heard: its episodes.
        consistent: environment -> simulated role -> consistency, 0 to 100.
    """
    spec, found = context.spec, list(heard)
    made = [
        f"{env} {role} is consistent in {share:.1f} of 100 messages, below {100 * COMPARABLE:.0f}"
        for env, roles in consistent.items()
        for role, share in roles.items()
        if share is not None and share < 100 * COMPARABLE
    ]
    if spec is not None and settings_of(spec).profile == "j1":
        calls = sum(one.tools for one in found)
        loose = sum(how in ("field", "words") for one in found for how in one.routed)
        if calls:
            made.append(f"profile j1 knows no tools, {calls} were called")
        if loose:
            made.append(f"profile j1 routes by markers, {loose} turns of the judge were routed otherwise")
    pack = context.pack
    if spec is not None and (law_pack := settings_of(spec).law_pack):
        made.append(f"statutes were imported: pack {law_pack}")
    elif pack is not None and "imported" in pack.provenance and pack.manifest.counts.statutes:
        made.append(f"statutes were imported: pack {pack.name}")
    return made
