"""The dialog for a new run: who is tested, with which engine and how, on what; step by step or all at once.

Every answer is checked before anything starts, and what is wrong is said beside its field in one sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, get_origin

from pydantic.fields import FieldInfo
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Collapsible, Input, Select, Static

from app.desk import engines_offered
from app.desk.dialogs import SHEET, Dialog
from app.desk.engines_offered import ROOM, EngineField, EngineOption, ModeField
from app.desk.episode.renderers import one, policy_name, seat_name
from app.desk.widgets.field import Field, choice, line, plain
from app.library import PackLine, RunLine
from app.strings import known, t, term
from app.strings.sentences import translated
from app.terminal import truncate
from store.errors import StoreError
from store.pack import Pack
from tasks import registry
from tasks.agents.modes import mode_of
from tasks.benchmark import Benchmark, Choices, benchmark, loadable
from tasks.errors import TaskError, UsageError
from tasks.run.engines import form_of
from tasks.run.spec import RunSpec
from tasks.settings import shown, text_of, values

RULES = "rules"


class SeatsForm(Collapsible):
    """The seats of one benchmark beside the tested one; `values` reads them."""

    DEFAULT_CSS = """
    SeatsForm { border: none; padding: 0; background: transparent; & > Contents { padding: 0; } }
    """

    def __init__(self, bench: Benchmark) -> None:
        self.bench = bench
        self._fields = {
            role: Field(seat_name(role), choice(_among(who), None, RULES), id=f"{bench.name}-{role}-seat-field")
            for role, who in bench.roles.items()
            if len(who) > 1
        }
        super().__init__(*self._fields.values(), title=t("new.seats"), collapsed=True)

    def offer(self, offers: Sequence[EngineOption]) -> None:
        """Engines that can be had, for every seat that a model may take; what was chosen stays chosen."""
        models = [(truncate(one(offer.label), ROOM), offer.spec) for offer in offers]
        for role, field in self._fields.items():
            if "model" in self.bench.roles[role]:
                select = field.query_one(Select)
                kept = select.value
                select.set_options(plain([*_among(self.bench.roles[role]), *models]))
                select.value = kept

    def values(self) -> dict[str, str]:
        """Role -> who sits there, where that is not the rules."""
        chosen = {role: field.query_one(Select).value for role, field in self._fields.items()}
        return {role: value for role, value in chosen.items() if isinstance(value, str) and value != RULES}


def _among(who: Choices) -> list[tuple[str, str]]:
    return [(policy_name(name), name) for name in who if name != "model"]


ANY = "*"
"""Stands for an empty value: a list takes none."""
SWITCH = {"on": True, "off": False}


class SettingsForm(Vertical):
    """The settings of one benchmark; `values` reads them."""

    DEFAULT_CSS = "SettingsForm { height: auto; }"

    def __init__(self, bench: Benchmark) -> None:
        super().__init__()
        self.bench = bench

    def compose(self) -> ComposeResult:
        for name, info in self._settings():
            yield Field(
                _label(name), _control(name, info), note=_note(name, info), id=f"{name}-field", short=_short(info)
            )

    def fit(self, *, with_model: bool) -> None:
        for name, info in self._settings():
            self.query_one(f"#{name}-field").display = with_model or not shown(info, "for_models")

    def values(self) -> dict[str, Any]:
        """What differs from the defaults; a value that is none is said beside its line, and left out."""
        found: dict[str, object] = {}
        for name, info in self._settings():
            field = self.query_one(f"#{name}-field", Field)
            if not field.display:
                continue
            try:
                read = self.bench.settings.of({name: _read(field.control, info)}, self.bench.name)
            except UsageError as error:
                field.fault(error.title.partition(": ")[2] or error.title)
            else:
                found[name] = getattr(read, name)
        return {
            name: value for name, value in found.items() if value != self.bench.settings.model_fields[name].default
        }

    def _settings(self) -> Iterator[tuple[str, FieldInfo]]:
        for name, info in self.bench.settings.model_fields.items():
            group = shown(info, "group")
            if not shown(info, "hidden") and (not group or registry.names(group)):
                yield name, info


def _label(name: str) -> str:
    return t(f"new.{name}") if known(f"new.{name}") else name.replace("_", " ")


def _note(name: str, info: FieldInfo) -> str:
    return t(f"new.{name}.note") if known(f"new.{name}.note") else translated(info.description or "")


def _short(info: FieldInfo) -> bool:
    return info.annotation in (int, float, float | None)


def _control(name: str, info: FieldInfo) -> Select[str] | Input:
    if info.annotation is bool:
        return choice([(_word(name, value), value) for value in SWITCH], name, "on" if info.default else "off")
    if among := values(info):
        given = [value or ANY for value in among]
        return choice([(_word(name, value), value) for value in given], name, info.default or ANY)
    empty = t(f"new.{name}.empty") if known(f"new.{name}.empty") else ""
    written = (
        ",".join(info.default)
        if isinstance(info.default, tuple)
        else f"{'' if info.default is None else info.default}"
    )
    return line(name, written, empty)


def _word(name: str, value: str) -> str:
    for key in (
        f"new.{name}.{'all' if value == ANY else value}",
        f"case.value.{name}.{value}",
        f"new.switch.{value}",
    ):
        if known(key):
            return t(key)
    return value


def _read(control: Any, info: FieldInfo) -> Any:
    raw = str(control.value)
    if info.annotation is bool:
        return SWITCH[raw]
    if values(info):
        return "" if raw == ANY else raw
    text = raw.strip()
    if get_origin(info.annotation) is tuple:
        return tuple(part.strip() for part in text.replace("，", ",").split(",") if part.strip())
    if text and shown(info, "from_file"):
        return text_of(text)
    return text if info.annotation is str or text else info.default


ALL = "*"
"""The value of the list's first line."""
NAMED = 48
"""Cells of a line of the list."""


@dataclass(frozen=True, slots=True)
class TaskOption:
    """One task to choose: its id, the group in whose rows it counts, and how it is called in a list."""

    id: str
    group: str
    label: str


def offered_tasks(pack: str, name: str) -> list[TaskOption]:
    """The tasks that a pack has for a benchmark; none where they cannot be read (the start of a run says why).

    Slow (files are read): called from workers.
    """
    try:
        with Pack.open(pack) as opened:
            path = opened.task_file(name)
            questions = benchmark(name).load(path) if path else ()
    except (StoreError, TaskError, OSError):
        return []
    return [
        TaskOption(
            question.id,
            question.group,
            str(getattr(question, "heading", f"{question.id} {question.card['question']}")),
        )
        for question in questions
    ]


class TaskField(Field):
    """Gives the id of a task, '' for none. What can be offered comes later, from a worker: `offer`."""

    def __init__(self) -> None:
        super().__init__(t("new.task"), choice([(t("new.task.all"), ALL)], "task"), id="task-field")
        self._tasks: Sequence[TaskOption] = ()

    @property
    def chosen(self) -> str:
        value = self.query_one("#task", Select).value
        return value if isinstance(value, str) and value != ALL else ""

    @property
    def groups(self) -> set[str]:
        """The groups that have tasks; none while nothing is known."""
        return {task.group for task in self._tasks}

    def offer(self, tasks: Sequence[TaskOption], group: str = "") -> None:
        """Put these in the list, those of a group where one is named; what was chosen stays chosen where it can."""
        self._tasks = tasks
        kept = self.chosen
        shown = [task for task in tasks if group in ("", task.group)]
        select = self.query_one("#task", Select)
        lines = [(t("new.task.all"), ALL), *((truncate(one(task.label), NAMED), task.id) for task in shown)]
        select.set_options(plain(lines))
        select.value = kept if kept in {task.id for task in shown} else ALL

    def narrow(self, group: str) -> None:
        self.offer(self._tasks, group)


PARALLEL = 16
"""Episodes driven together when everything runs without a model: their steps share one commit."""
FEW = 10
"""Tasks of a first run."""
NUMBERS: dict[str, tuple[str, int | None, int]] = {
    "limit": (str(FEW), None, 1_000_000),
    "parallel": ("1", 1, 64),
    "turns": ("", None, 10_000),
    "seed": ("0", 0, 2**31 - 1),
}
"""Field -> (what stands there at first, what an empty field means, the greatest number)."""


class NewRunScreen(Dialog[tuple[RunSpec, bool] | None]):
    """Gives a RunSpec and whether everything is to run at once; None when cancelled."""

    CSS_PATH = [SHEET, "new_run.tcss"]
    help_id = "new_run"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]

    def __init__(self, packs: Sequence[PackLine], runs: Sequence[RunLine] | None = None, engine: str = "") -> None:
        """Open the dialog.

        Args:
            packs: packs with tasks.
            runs: runs whose replies may serve as an engine; None reads them from disk.
            engine: a SPEC chosen already; the first agent is then one that needs a model.
        """
        super().__init__()
        self._packs = packs
        self._runs = runs
        self._engine = engine
        self._everything = False
        self._offers: Sequence[EngineOption] = ()

    def compose(self) -> ComposeResult:
        every = loadable()
        names = [name for name in every if any(name in pack.tasks for pack in self._packs)] or every
        offered = [(term("benchmark", name), name) for name in names]
        with Vertical(classes="dialog") as box:
            box.border_title = t("new.title")
            with VerticalScroll(id="form", can_focus=False):
                yield Field(t("new.benchmark"), choice(offered, "benchmark"), id="benchmark-field")
                yield Field(
                    t("new.agent"), choice(self._agents(names[0]), "agent", self._first(names[0])), id="agent-field"
                )
                yield EngineField(self._engine)
                yield ModeField()
                yield SettingsForm(benchmark(names[0]))
                yield TaskField()
                yield SeatsForm(benchmark(names[0]))
                packs = [(pack_label(pack), pack.name) for pack in self._packs]
                yield Field(t("new.pack"), choice(packs, "pack"), id="pack-field")
                for name, (value, _, _) in NUMBERS.items():
                    yield Field(
                        t(f"new.{name}"), line(name, value, t(f"new.{name}.empty")), note=t(f"new.{name}.note"),
                        id=f"{name}-field", short=True,
                    )  # fmt: skip
            with Horizontal(classes="buttons"):
                yield Button(t("new.step"), variant="primary", id="step", compact=True)
                yield Button(t("new.everything"), id="everything", compact=True)
                yield Button(t("new.cancel"), id="cancel", compact=True)
            yield Static("", id="busy", markup=False)

    async def on_mount(self) -> None:
        """The first question has the cursor, so that a stray Enter starts nothing; engines are looked for
        meanwhile."""
        self.query_one("#benchmark").focus()
        await self._fit()
        self.job("offers", partial(engines_offered.offered, self._runs), self._offer, lambda error: True)

    @on(Select.Changed, "#benchmark, #pack")
    def _look_for_tasks(self) -> None:
        def show(found: Sequence[TaskOption]) -> bool:
            self.query_one(TaskField).offer(found, self._env)
            return True

        work = partial(offered_tasks, self._chosen("pack"), self._chosen("benchmark"))
        self.job("tasks", work, show, lambda error: show(()))

    @on(Select.Changed, "#env")
    def _narrow_tasks(self) -> None:
        self.query_one(TaskField).narrow(self._env)

    # what is chosen

    def _agents(self, name: str) -> list[tuple[str, str]]:
        offered = benchmark(name).agents.items()
        return [
            (
                t("new.with_model", policy=_agent_name(agent, policy)) if needs_model else _agent_name(agent, policy),
                agent,
            )
            for agent, (policy, needs_model) in offered
        ]

    def _first(self, name: str) -> str | None:
        """The agent that is chosen at first: one that fits the engine, if there is one already."""
        agents = benchmark(name).agents
        return (
            next((agent for agent, (_, needs_model) in agents.items() if needs_model), None) if self._engine else None
        )

    def _chosen(self, name: str) -> str:
        value = self.query_one(f"#{name}", Select).value
        return value if isinstance(value, str) else ""

    @property
    def _settings(self) -> SettingsForm:
        return next(form for form in self.query(SettingsForm) if form.bench.name == self._chosen("benchmark"))

    @property
    def _env(self) -> str:
        """The court environment that is chosen; '' for all, and where there is none to choose."""
        value = next((str(select.value) for select in self._settings.query("#env").results(Select)), ANY)
        return "" if value == ANY else value

    @property
    def with_model(self) -> bool:
        return benchmark(self._chosen("benchmark")).agents.get(self._chosen("agent"), ("", False))[1]

    async def _fit(self) -> None:
        """Show the fields that mean something for this agent; those of a benchmark are made when it is first
        chosen."""
        bench = benchmark(self._chosen("benchmark"))
        if all(form.bench.name != bench.name for form in self.query(SettingsForm)):
            form, seats = self.query_one("#form"), SeatsForm(bench)
            await form.mount(SettingsForm(bench), after=self.query(SettingsForm).last())
            await form.mount(seats, after=self.query(SeatsForm).last())
            seats.offer(self._offers)
        for name in ("#engine", "#mode-field", "#parallel-field"):
            self.query_one(name).display = self.with_model
        for form in self.query(SettingsForm):
            form.display = form is self._settings
        self._settings.fit(with_model=self.with_model)
        for seats in self.query(SeatsForm):
            seats.display = seats.bench.name == self._settings.bench.name and bool(seats.bench.roles)
        for field in self.query_one("#engine").query(Field):
            field.fault("")
        self.query_one(ModeField).offer(bench, self._chosen("agent"))

    @on(Select.Changed, "#benchmark")
    async def _benchmark_changed(self) -> None:
        agents = self.query_one("#agent", Select)
        offered = self._agents(self._chosen("benchmark"))
        kept = agents.value
        agents.set_options(offered)
        agents.value = kept if kept in [agent for _, agent in offered] else offered[0][1]
        await self._fit()

    @on(Select.Changed, "#agent")
    async def _agent_changed(self) -> None:
        await self._fit()

    @on(Select.Changed, "#offers")
    @on(Input.Changed, "#spec")
    def _engine_changed(self) -> None:
        trained = form_of(self.query_one(EngineField).spec)
        self.query_one(ModeField).prefer(mode_of(trained, paper=False))

    # checking and starting

    def _read(self) -> RunSpec | None:
        """The answers as a spec, or None when one is wrong; then its field says so and has the cursor."""
        numbers = {name: self._number(name) for name in NUMBERS if name != "parallel" or self.with_model}
        self.query_one("#pack-field", Field).fault(
            "" if self._chosen("benchmark") in self._tasks() else t("new.no_tasks")
        )
        spec = self.query_one(EngineField).spec if self.with_model else ""
        if self.with_model and not spec:
            self.query_one(EngineField).fault(t("engine.none"))
        settings = self._settings.values()
        task, groups = self.query_one(TaskField).chosen, self.query_one(TaskField).groups
        if self._env and groups and self._env not in groups:
            self._settings.query_one("#env-field", Field).fault(t("new.env.absent", env=self._env))
        faulty = (field for field in self.query(Field) if field.bad)
        bad = next((field for field in faulty if all(node.display for node in field.ancestors_with_self)), None)
        if bad is not None:
            bad.control.focus()
            return None
        return RunSpec(
            **settings, benchmark=self._chosen("benchmark"), agent=self._chosen("agent"), model=spec,
            task_ids=(task,) if task else (), pack=self._chosen("pack"), limit=numbers["limit"],
            max_turns=numbers["turns"], seed=numbers["seed"] or 0, seats=self._seats.values(),
            parallel=numbers.get("parallel") or (PARALLEL if self._everything else 1),
            **(self.query_one(ModeField).flags if self.with_model else {}),
        )  # fmt: skip

    @property
    def _seats(self) -> SeatsForm:
        return next(form for form in self.query(SeatsForm) if form.bench.name == self._settings.bench.name)

    def _tasks(self) -> dict[str, int]:
        return next((pack.tasks for pack in self._packs if pack.name == self._chosen("pack")), {})

    def _number(self, name: str) -> int | None:
        _, empty, most = NUMBERS[name]
        text = self.query_one(f"#{name}", Input).value.strip()
        least = 0 if name == "seed" else 1
        if not text:
            return empty
        if text.isdecimal() and least <= int(text) <= most:
            return int(text)
        self.query_one(f"#{name}-field", Field).fault(t("new.not_a_number", least=least, most=f"{most:,}"))
        return None

    async def _submit(self, everything: bool) -> None:
        await self._fit()  # F5 may come before the message of the last choice
        self._everything = everything
        spec = self._read()
        if spec is None or self._busy:
            return
        if not spec.model and not spec.seats:
            self.dismiss((spec, everything))
            return
        self._say(t("engine.checking"))
        checked = partial(self._checked, spec)
        self.job("check", partial(engines_offered.refusal, spec), checked, checked)

    @property
    def _busy(self) -> bool:
        return any(
            worker.node is self and worker.name == "check" and not worker.is_finished for worker in self.workers
        )

    def _say(self, text: str) -> None:
        self.query_one("#busy", Static).update(text)
        self.query_one("#busy").display = bool(text)

    def _offer(self, offers: Sequence[EngineOption]) -> None:
        self._offers = offers
        self.query_one(EngineField).offer(offers)
        for seats in self.query(SeatsForm):
            seats.offer(offers)

    def _checked(self, spec: RunSpec, why: object) -> bool:
        """The engines of a run were looked at; why they cannot be had, '' where they can."""
        sentence = one(str(why))
        self._say("")
        if not sentence:
            if self.is_current:
                self.dismiss((spec, self._everything))
        elif self.with_model:
            self.query_one(EngineField).fault(sentence)
            self.query_one(EngineField).focus_control()
        else:
            self._say(sentence)
        return True

    def pressed(self, button: str) -> None:
        if button == "cancel":
            self.action_cancel()
        else:
            self.call_later(self._submit, button == "everything")

    def on_input_submitted(self) -> None:
        self.focus_next()

    async def action_confirm(self) -> None:
        await self._submit(everything=False)


def _agent_name(agent: str, policy: str) -> str:
    """The agent in words: of its policy where that has words of its own."""
    return policy_name(policy) if known(f"policy.{policy.split('/')[0]}") else policy_name(agent)


def pack_label(pack: PackLine) -> str:
    """A pack in a list, with the mark of fictional data."""
    mark = f"  ● {t('mark.fictional')}" if "authored" in pack.provenance else ""
    return f"{one(pack.name)}{mark}"
