"""Who sits where in the episodes of a run: the tested seat, the seats beside it, and whoever takes one later.

A seat that nobody named is kept by its rules. A SPEC of an engine that replays a run of others can only play the
agents whose run it is, in the published calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tasks.added import check_agent
from tasks.agents.modes import mode_of, named
from tasks.benchmark import Benchmark, Question
from tasks.episode.events import Seated
from tasks.episode.scheduler import HUMAN
from tasks.errors import UsageError
from tasks.run.engines import completed, form_of
from tasks.run.spec import RunSpec


@dataclass(frozen=True, slots=True)
class Cast:
    """The cast of a run when its episodes begin; `of` makes one, checked."""

    bench: Benchmark
    spec: RunSpec
    tested: Seated
    """Who sits in the tested seat; the name of its policy says its mode, too."""
    others: tuple[Seated, ...]
    """Who sits in the seats beside it that the run names."""

    @classmethod
    def of(cls, bench: Benchmark, spec: RunSpec) -> Cast:
        """The cast that a run asks for.

        Raises:
            UsageError: a seat, an agent, a setting or a pair of them means nothing in this benchmark.
            BadEngine: the model is the log of a run, and that cannot be read.
        """
        bench.settings.of(spec.settings, bench.name)
        _check_seats(bench, spec)
        policy, needs_model = _tested(bench, spec)
        engine = spec.model if needs_model else HUMAN if spec.agent == HUMAN else ""
        others = tuple(_other(bench, role, spec.seats[role]) for role in bench.roles if role in spec.seats)
        return cls(bench, spec, Seated(seat=bench.seat, policy=policy, engine=engine), others)

    @property
    def engines(self) -> tuple[str, ...]:
        """The SPECs of the models that sit somewhere when the run begins."""
        named_ones = (sits.engine for sits in (self.tested, *self.others))
        return tuple(dict.fromkeys(engine for engine in named_ones if engine not in ("", HUMAN)))

    def prompts(self) -> dict[str, str]:
        """Prompt name -> hash, over all seats that the run names, and of what it brings along."""
        policies = (sits.policy for sits in (self.tested, *self.others))
        own = self.bench.settings.of(self.spec.settings, self.bench.name).prompts() if self.engines else {}
        return {name: digest for policy in policies for name, digest in self.bench.prompts(policy).items()} | own

    def at(self, question: Question) -> list[Seated]:
        """Who sits where when the episode of a question begins."""
        cast = self.bench.cast(question)
        if cast is None:
            return [self.tested, *self.others]
        return [self.tested, *(_other(self.bench, role, self.spec.seats.get(role, "rules")) for role in cast)]

    def check(self, questions: Iterable[Question]) -> None:
        """Refuse a seat that is named and exists in none of the chosen episodes."""
        there = {sits.seat for question in questions for sits in self.at(question)}
        for role in self.spec.seats:
            if role in self.bench.roles and role not in there:
                raise UsageError(f"no chosen task has a seat '{role}'", f"Seats here: {', '.join(sorted(there))}.")


def formed(bench: Benchmark, spec: RunSpec) -> RunSpec:
    """The run with the calls that its model was trained to make, where nobody said how it calls and the agent knows
    that form."""
    form, (policy, _) = form_of(spec.model), bench.agents.get(spec.agent, ("", False))
    said = "calls" in spec.model_fields_set or spec.paper or form == "schema"
    return (
        spec
        if said or not bench.modes(named(policy, mode_of(form, paper=False)))
        else spec.model_copy(update={"calls": form})
    )


def drawn(sits: Seated, bench: Benchmark, spec: RunSpec, *, ask: bool = True) -> Seated:
    """A sitter whose SPEC is completed by the values of sampling, where his seat samples; `ask`: a server, too."""
    samples = ":" in sits.engine and bench.settings.of(spec.settings, bench.name).samples(sits.seat)
    return sits.model_copy(update={"engine": completed(sits.engine, sits.seat, ask=ask)}) if samples else sits


def sampled(bench: Benchmark, spec: RunSpec, *, ask: bool = True) -> RunSpec:
    """The run whose models are sampled, with their values in its SPECs."""
    cast = Cast.of(bench, spec)
    tested, *others = (drawn(sits, bench, spec, ask=ask).engine for sits in (cast.tested, *cast.others))
    seats = {sits.seat: engine for sits, engine in zip(cast.others, others, strict=True) if ":" in engine}
    return spec.model_copy(update={"model": tested if spec.model else "", "seats": {**spec.seats, **seats}})


def seat_later(bench: Benchmark, seat: str, value: str, sitting: str) -> Seated:
    """Who takes a seat in a run that goes on.

    Args:
        bench: the benchmark of the run.
        seat: the seat.
        value: an agent without a model by name (rules, human, gold, echo), or the SPEC of a model.
        sitting: the policy that sat there before. A model takes over its method and mode if it was a method for
            models of this release, otherwise the first such method of the benchmark; one that was trained for a form
            of calls makes those.

    Raises:
        UsageError: there is no such seat, or nobody of that name can sit there.
    """
    seat = bench.aliases.get(seat, seat)
    if seat in bench.roles:
        return _other(bench, seat, value)
    if seat != bench.seat:
        raise UsageError(f"{bench.name} has no seat '{seat}'", _known_seats(bench, [bench.seat, *bench.roles]))
    if value in bench.agents:
        policy, needs_model = bench.agents[value]
        if needs_model:
            raise UsageError(f"agent '{value}' needs a model", f"Give its SPEC: --seat {seat}=llama:FILE.")
        return Seated(seat=seat, policy=policy, engine=HUMAN if value == HUMAN else "")
    check_policy_name(bench, value)
    first = bench.agents[first_model_agent(bench)][0]
    trained = named(first, mode_of(form_of(value), paper=False))
    kept = sitting if bench.modes(sitting) else first
    return Seated(seat=seat, policy=trained if trained != first and bench.modes(trained) else kept, engine=value)


def check_policy_name(bench: Benchmark, value: str) -> None:
    """Refuse what is neither an agent nor in the form of the SPEC of a model for the tested seat."""
    if value not in bench.agents and ":" not in value:
        alone = ", ".join(agent for agent, (_, needs_model) in bench.agents.items() if not needs_model)
        raise UsageError(
            f"'{value}' cannot sit in seat '{bench.seat}'", f"Possible: {alone}, or the SPEC of a model."
        )


def check_seat(sits: Seated, seats: Mapping[str, Seated], episode: str) -> None:
    """Refuse a newcomer to a seat that an episode has not."""
    if sits.seat not in seats:
        raise UsageError(f"episode {episode} has no seat '{sits.seat}'", f"Its seats: {', '.join(sorted(seats))}.")


def first_model_agent(bench: Benchmark) -> str:
    """The agent that plays a model when nobody says how."""
    return next(agent for agent, (_, needs_model) in bench.agents.items() if needs_model)


def _tested(bench: Benchmark, spec: RunSpec) -> tuple[str, bool]:
    """The policy of the tested seat, with its mode, and whether it needs a model."""
    if spec.paper and spec.calls != "schema":
        raise UsageError("--paper and --calls exclude each other", "The published calls are free text already.")
    if spec.agent not in bench.agents:
        check_agent(spec.agent)
        raise UsageError(f"unknown agent '{spec.agent}' for {bench.name}", f"Known: {', '.join(bench.agents)}.")
    policy, needs_model = bench.agents[spec.agent]
    if needs_model and not spec.model:
        raise UsageError(f"agent '{spec.agent}' needs a model", "Give --model SPEC, for example llama:FILE_OR_NAME.")
    if spec.model and not needs_model:
        raise UsageError(f"agent '{spec.agent}' uses no model", "Leave --model out.")
    mode = mode_of(spec.calls, paper=spec.paper)
    name = named(policy, mode)
    if name != policy and not bench.modes(name):
        raise UsageError(f"agent '{spec.agent}' has no {mode} form", "Leave the option out.")
    return name, needs_model


def _check_seats(bench: Benchmark, spec: RunSpec) -> None:
    """A seat that means nothing in a benchmark is refused, not ignored."""
    known = [bench.seat, *bench.roles, *bench.graders]
    for role in spec.seats:
        if role == bench.seat or role in bench.aliases:
            raise UsageError(f"'{role}' is the tested seat", "Say who sits there with --agent and --model.")
        if role not in known:
            raise UsageError(f"{bench.name} has no seat '{role}'", _known_seats(bench, known))
        if role in bench.graders and ":" not in spec.seats[role]:
            raise UsageError(f"'{spec.seats[role]}' cannot sit in seat '{role}'", "Possible: SPEC of a model.")


def _known_seats(bench: Benchmark, known: Sequence[str]) -> str:
    if len(known) == 1 and not bench.aliases:
        return f"Its only seat is '{bench.seat}'."
    also = f" ({', '.join(bench.aliases)})" if bench.aliases else ""
    return f"Its seats: {', '.join(role + also * (role == bench.seat) for role in known)}."


def _other(bench: Benchmark, role: str, value: str) -> Seated:
    choices = bench.roles[role]
    if value in choices and not choices[value][1]:
        return Seated(seat=role, policy=choices[value][0], engine=HUMAN if value == HUMAN else "")
    if "model" not in choices or ":" not in value:
        known = ", ".join("SPEC of a model" if choice == "model" else choice for choice in choices)
        raise UsageError(f"'{value}' cannot sit in seat '{role}'", f"Possible: {known}.")
    return Seated(seat=role, policy=choices["model"][0], engine=value)
