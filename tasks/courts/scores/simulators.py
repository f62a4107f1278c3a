"""The simulated roles of an attempt: whether they answer, whether they stay in their case, and what keeps a run from
being compared.

Read by rules from their own grants and the record (`simulated`, `scores.consistency`); a model's seat may be graded
besides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tasks.courts.agents.registry import HUMAN
from tasks.courts.casefile.case import Case, CivilCase, CriminalCase
from tasks.courts.environment import Role, environment
from tasks.courts.play.episode import limit_of, traits_of
from tasks.courts.play.tracking import TopicTurn
from tasks.courts.procedure.answers import VALID
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.model import NONSENSE, ProfileName, Reason, Turn
from tasks.courts.procedure.tracker import follow
from tasks.courts.scores.consistency import COMPARABLE, Consistency, RoleMessage, consistency
from tasks.courts.scores.transcript import CourtTranscript, simulated
from tasks.courts.settings import settings_of
from tasks.courts.simulated.talks import reasons
from tasks.run.spec import RunSpec
from tasks.scoring.metrics import Metric
from tasks.scoring.result import ScoreContext


def answered(case: Case, transcript: CourtTranscript, profile: ProfileName) -> tuple[Validity, ...]:
    """How far each simulated role of an attempt answered what it was asked; roles that a person held are left out."""
    roles = [role for role in simulated(case) if HUMAN not in transcript.sat.get(role, ())]
    return validities(case, roles, transcript.record, transcript.topics, transcript.over, profile)


def consistencies(
    case: Case, transcript: CourtTranscript, seed: int, valid: Sequence[Validity] = ()
) -> tuple[Consistency, ...]:
    """Each simulated role of an attempt, in the order of its seats; `seed`: of the attempt, `valid`: see
    `answered`."""
    dialogue = [RoleMessage(turn.speaker, turn.text) for turn in transcript.record]
    drawn = transcript.seed if transcript.seed is not None else seed
    nonsense = {one.role: one.nonsense for one in valid}
    return tuple(
        consistency(case, case.env, role, dialogue, traits_of(case, role, drawn), nonsense.get(role))
        for role in simulated(case)
    )


def objections(
    context: ScoreContext, attempts: Sequence[tuple[Case, CourtTranscript]], rows: Sequence[Metric]
) -> list[str]:
    """Why the numbers of a run may not be ranked with those of others; nothing where they may.

    Args:
        context: the run: its spec and pack.
        attempts: its episodes.
        rows: of the run; those of the sections `validity` and `consistency` tell how the simulated roles answered.
    """
    spec, found = context.spec, [transcript for _, transcript in attempts]
    least = {
        "validity": ("answers in {:.1f} of 100 turns, below {:.0f}", 100 * VALID),
        "consistency": ("is consistent in {:.1f} of 100 messages, below {:.0f}", 100 * COMPARABLE),
    }
    made = [
        f"{row.group.name} {row.measure.name} {words.format(row.value, floor)}"
        for section, (words, floor) in least.items()
        for row in rows
        if row.measure.section == section and row.value is not None and row.value < floor
    ]
    made += _changed(spec, attempts)
    if spec is not None and settings_of(spec).profile == "j1":
        calls = sum(one.tools for one in found)
        loose = sum(how in ("field", "words") for one in found for how in one.routed)
        if calls:
            made.append(f"profile j1 knows no tools, {calls} were called")
        if loose:
            made.append(f"profile j1 routes by markers, {loose} turns of the judge were routed otherwise")
    judged = any(environment(case.env).trial for case, _ in attempts)
    if spec is not None and judged and (aid := settings_of(spec).aid) != "off":
        made.append(f"the judge was aided: {aid}")
    pack = context.pack
    if spec is not None and (law_pack := settings_of(spec).law_pack):
        made.append(f"statutes were imported: pack {law_pack}")
    elif pack is not None and "imported" in pack.provenance and pack.manifest.counts.statutes:
        made.append(f"statutes were imported: pack {pack.name}")
    return made


def _changed(spec: RunSpec | None, attempts: Sequence[tuple[Case, CourtTranscript]]) -> Iterator[str]:
    """Limits and seats that are not those of a plain run."""
    if spec is not None and spec.max_turns:
        profile = settings_of(spec).profile
        if other := sum(limit_of(case, profile) != spec.max_turns for case, _ in attempts):
            yield f"turns were limited to {spec.max_turns}, not as the profile has it, in {other} attempts"
    if spec is not None and settings_of(spec).profile == "j1" and settings_of(spec).fold:
        yield "the record of the published procedure was folded (--fold)"
    people: dict[tuple[str, str], int] = {}
    players: dict[tuple[str, str], set[str]] = {}
    for case, transcript in attempts:
        for role, held in transcript.players.items():
            players.setdefault((case.env, role), set()).update(held)
            if role in simulated(case) and HUMAN in transcript.sat.get(role, ()):
                people[case.env, role] = people.get((case.env, role), 0) + 1
    measured = settings_of(spec).measured if spec is not None else ""
    simulators = ((case.env, transcript.leaks & {*simulated(case)} - {measured}) for case, transcript in attempts)
    for (env, role), count in Counter((env, role) for env, roles in simulators for role in sorted(roles)).items():
        yield f"{env} {role} said what it does not hold in {count} attempts"
    for (env, role), count in people.items():
        yield f"{env} {role} was played by a person in {count} attempts"
    for (env, role), sitters in players.items():
        if len(sitters) > 1:
            yield f"{env} {role} was not held by one player: {', '.join(sorted(sitters))}"


# --- whether a role answers -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Validity:
    """Of one role in one episode. turns: those that had something to answer; invalid: place in the record -> why."""

    role: Role
    turns: int
    invalid: Mapping[int, Reason] = field(default_factory=dict)

    @property
    def share(self) -> float | None:
        """Turns that are answers; None where the role was never asked."""
        return 1 - len(self.invalid) / self.turns if self.turns else None

    @property
    def nonsense(self) -> Mapping[int, Reason]:
        """The turns in which the role spoke as nobody of the case."""
        return {at: reason for at, reason in self.invalid.items() if reason in NONSENSE}


def validities(
    case: Case, roles: Sequence[Role], record: Sequence[Turn], tracked: Sequence[TopicTurn] = (),
    read: Sequence[int] = (),
    profile: ProfileName = "law",
) -> tuple[Validity, ...]:  # fmt: skip
    """The validity of each of these roles in an episode.

    Args:
        case: the case file.
        roles: of the visibility table, the simulated ones.
        record: what was said, by role.
        tracked: exchanges of KQ and LC; `read`: how many of them were over at each turn of the record.
        profile: of the procedure of a trial.
    """
    if isinstance(case, CivilCase | CriminalCase) and environment(case.env).trial:
        course = follow(record, hearing_of(case), profile)
        found = {
            role: [(one.at, one.reason) for one in course.replies if record[one.at].speaker == role] for role in roles
        }
    else:
        found = {role: list(reasons(case, role, record, tracked, read)) for role in roles}
    faulty = {role: {at: reason or record[at].fault for at, reason in turns} for role, turns in found.items()}
    return tuple(
        Validity(role, len(turns), {at: reason for at, reason in turns.items() if reason})
        for role, turns in faulty.items()
    )
