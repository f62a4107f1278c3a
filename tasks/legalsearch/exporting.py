"""What a verl trainer needs of a run: a folder that trains. Rows, reward, tools over the run's pack, loop, launch
script.

The texts of the folder stand under `training/`; facts that a run knows are filled in. Training is the trainer's
business: Moot writes files and starts nothing.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from models.engine import Ask
from store.journal import Journal
from store.manifest import locate
from store.pack import Pack
from tasks.agents.prompts import fill_text
from tasks.episode.events import Event, Record, ToolReturned
from tasks.episode.seats import CausedEvent
from tasks.episode.state import State, apply
from tasks.episode.with_tools import shortened
from tasks.errors import RecordMismatch
from tasks.legalsearch.agents import paper
from tasks.legalsearch.agents.briefing import function, instruction, system
from tasks.legalsearch.agents.paper import PROMPT, estimated
from tasks.legalsearch.benchmark import briefing_of, toolbox_of
from tasks.legalsearch.questions import LawQuestion, load_questions
from tasks.legalsearch.rollouts import check_benchmark, has_groups, read_groups
from tasks.legalsearch.settings import LegalSearchSettings, settings_of
from tasks.legalsearch.temporal import Data
from tasks.legalsearch.toolbox import LawToolbox
from tasks.run.engines import run_path
from tasks.run.exporting import refuse_existing, whole_folder, write_lines
from tasks.run.header import HeaderData, header_of, spec_of
from tasks.run.plan import stored_task_file
from tasks.run.spec import RunSpec

AGENT = "moot_search"
"""The loop of the exported module: verl's own ends where a turn has no call, and the first turn plans."""
ABILITY = "deepresearch"
QUERY_TOOL = "rag_retrieve"
QUESTION_TOOLS = ("web_search", "browse_webpage")
REWARD_FILE = "legalsearch_reward.py"


def row(question: LawQuestion, system: str, split: str = "train") -> Data:
    """One training row. `system` is the agent's system prompt, the same in every row of a run."""
    asked, gold = paper.agent_question(question.card), question.gold.answer
    tools = {tool: {"create_kwargs": {"question": asked}} for tool in QUESTION_TOOLS}
    return {
        "data_source": question.kind.id,
        "agent_name": AGENT,
        "prompt": [{"role": "system", "content": system}, {"role": "user", "content": asked}],
        "ability": ABILITY,
        "reward_model": {"style": "rule", "ground_truth": gold, "question": asked},
        "extra_info": {
            "index": question.id,
            "type": question.kind.id,
            "split": split,
            "question": asked,
            "answer": gold,
            "system_prompt": system,
            "deepresearch_task_prompt": instruction(question.card),
            "need_tools_kwargs": True,
            "tools_kwargs": {**tools, QUERY_TOOL: {"create_kwargs": {"query": asked}}},
            "interaction_kwargs": {"query": asked, "ground_truth": gold},
        },
    }


def rows(questions: Iterable[LawQuestion], system: str, split: str = "train") -> list[Data]:
    """A row a question, in the order given."""
    return [row(question, system, split) for question in questions]


def reward_source() -> str:
    """The text of the reward function file: `compute_score` over the standard library and rapidfuzz.

    It is the very module that Moot scores with.
    """
    return resources.files("tasks.legalsearch").joinpath("published.py").read_text(encoding="utf-8")


VERL = "0.9.1"
"""The release whose interfaces the texts were written for; `tests/legalsearch/verl_facts.toml` has what they rely
on."""
ROWS_FILE, ROLLOUTS_FILE, README_FILE = "train.jsonl", "rollouts.jsonl", "README.md"
TOOLS_FILE, LOOP_FILE, LAUNCH_FILE = "tools.yaml", "agent_loop.yaml", "train.sh"
MODULE = "moot_verl"
TOOL_CLASS, LOOP_CLASS = f"{MODULE}.MootTool", f"{MODULE}.MootSearchLoop"
SEARCHED = ("window", "channels", "law_filter", "today")
"""Settings of a run that its tools keep in a trainer."""
ROLLOUTS_NOTE = """\
| `{file}` | the {n} rollouts of this run, with reward, faults of form, advantage within the group and, for \
every token, what it is, its entropy and its shaped advantage, each in two readings (the paper's words, \
the published code) |
"""
UNGRADED_NOTE = "\nHere {n} of {of} rows are consultations.\n"


def export_verl(name: str | Path, out: Path) -> dict[str, int]:
    """Write the folder; returns file -> number of lines.

    Raises:
        UsageError: the run is of another benchmark.
        StoreError: `out` is there already, or cannot be written; or the pack of the run is gone.
        RecordMismatch: task file or pack have changed since the run.
    """
    refuse_existing(out)
    with Journal.open(run_path(name)) as journal:
        header, episodes = header_of(journal), journal.episodes()
        check_benchmark(header)
        asked = {episode.task_id for episode in episodes}
        questions = [one for one in load_questions(stored_task_file(header)) if one.id in asked]
    pack, chosen = _pack_of(header), settings_of(spec_of(header))
    settings = tool_settings(chosen)
    tools = SearchTools(pack, **settings, prompt=chosen.prompt)
    tools.close()
    rows = [row(question, tools.system) for question in questions]
    texts = {
        REWARD_FILE: reward_source(),
        TOOLS_FILE: tools_file(tools, pack, settings),
        f"{MODULE}.py": _text(f"{MODULE}.py"),
    }
    facts = {
        "run": str(header["run"]), "n": str(len(rows)), "pack": str(pack), "verl": VERL, "agent": AGENT, "target":
        LOOP_CLASS, "rows": ROWS_FILE, "reward": REWARD_FILE, "module": f"{MODULE}.py", "tools": TOOLS_FILE, "loop":
        LOOP_FILE, "launch": LAUNCH_FILE, "longest": f"{max(map(_length, rows), default=0):,}",
    }  # fmt: skip
    counts: dict[str, int] = {}
    with whole_folder(out) as folder:
        counts[ROWS_FILE] = write_lines(folder / ROWS_FILE, map(_line, rows))
        if has_groups(episodes):
            counts[ROLLOUTS_FILE] = write_lines(folder / ROLLOUTS_FILE, map(_line, rollout_lines(name)))
        facts |= _notes(questions, counts.get(ROLLOUTS_FILE))
        texts[LOOP_FILE], texts[README_FILE] = (fill_text(_text(file), **facts) for file in (LOOP_FILE, README_FILE))
        texts[LAUNCH_FILE] = fill_text(
            _text(LAUNCH_FILE), **{**facts, "pack": shlex.quote(str(pack)), "run": shlex.quote(facts["run"])}
        )
        counts |= {
            file: write_lines(folder / file, text.removesuffix("\n").split("\n")) for file, text in texts.items()
        }
    return counts


def tool_settings(chosen: LegalSearchSettings) -> dict[str, object]:
    """The settings of a run that its tools keep. Tools that were off are on: the reward's check asks for a call."""
    given, default = chosen.model_dump(mode="json"), type(chosen)().model_dump(mode="json")
    kept = {name: given[name] for name in SEARCHED if given[name] != default[name]}
    kept["tools"] = "on" if chosen.tools == "off" else chosen.tools
    return {**kept, **({"web": str(locate(chosen.web))} if chosen.web else {})}


def tools_file(tools: SearchTools, pack: Path, settings: Mapping[str, object]) -> str:
    """The tools as the trainer's configuration has them; JSON, which is YAML. The pack may be named from outside."""
    where = "${oc.env:MOOT_PACK,'" + str(pack).replace("\\", "\\\\").replace("'", "\\'") + "'}"
    entries = [
        {
            "class_name": TOOL_CLASS,
            "config": {"type": "native", "pack": where, "settings": dict(settings)},
            "tool_schema": schema,
        }
        for schema in tools.schemas
    ]
    return json.dumps({"tools": entries}, ensure_ascii=False, indent=2)


def rollout_lines(name: str | Path) -> Iterator[dict[str, object]]:
    """Every rollout of a run as JSON data, group by group."""
    for group in read_groups(name):
        yield from group.lines()


def _pack_of(header: HeaderData) -> Path:
    with Pack.open(header["pack"].get("path") or spec_of(header).pack) as pack:
        recorded = header["pack"].get("hash")
        if recorded and recorded != pack.hash:
            raise RecordMismatch(f"pack '{pack.name}' is not the one of the run", "Restore it, or start a new run.")
        return pack.path.absolute()


def _length(one: Mapping[str, object]) -> int:
    """About how many tokens a prompt has."""
    messages = one["prompt"]
    assert isinstance(messages, list)
    return sum(estimated(str(message["content"])) for message in messages)


def _text(file: str) -> str:
    return resources.files("tasks.legalsearch").joinpath("training", f"{file}.txt").read_text(encoding="utf-8")


def _notes(questions: list[LawQuestion], rollouts: int | None) -> dict[str, str]:
    consultations = sum(question.kind.form == "consultation" for question in questions)
    return {
        "rollouts": "" if rollouts is None else ROLLOUTS_NOTE.format(file=ROLLOUTS_FILE, n=rollouts),
        "ungraded": UNGRADED_NOTE.format(n=consultations, of=len(questions)) if consultations else "",
    }


def _line(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)


class SearchTools:
    """The search agent's tools outside of a run, for a trainer or a notebook: those over a pack, as a run of
    `legalsearch` with these settings has them. Nobody sits beside the agent: queries are read by rules, pages word
    for word. Texts are what the agent of a run with `--paper` reads.

    Attributes:
        names: the tools on offer.
        schemas: their function schemas, in that order.
        system: the system prompt of the published loop, with the schemas in it.

    Raises:
        StoreError: there is no such pack, or it is damaged.
        UsageError: there is no such setting.
    """

    def __init__(self, pack: str | Path, **settings: Any) -> None:
        self._pack = Pack.open(pack)
        spec = RunSpec(benchmark="legalsearch", agent="search", pack=str(pack), paper=True, settings=settings)
        self._toolbox = toolbox_of(self._pack, spec)
        brief = briefing_of(self._toolbox, self._pack, settings_of(spec))
        self.names = brief.tools
        self.schemas = [function(tool, brief) for tool in brief.tools]
        self.system = system(PROMPT, brief, "paper")

    def trajectory(self, question: str) -> Trajectory:
        """A new trajectory on a question; its text tells the days of the case."""
        return Trajectory(self._toolbox, question)

    def close(self) -> None:
        """Let go of the pack."""
        self._pack.close()


class Trajectory:
    """The calls of one trajectory, with as much of a record as its tools read: a page opens only after it was found,
    and goes on where it was left."""

    def __init__(self, toolbox: LawToolbox, question: str) -> None:
        self._toolbox = toolbox
        self._state = State(card={"question": question})

    def call(self, tool: str, arguments: object) -> str:
        """What the agent reads of a call; a call that means nothing has an answer that says so."""
        steps, sent = self._toolbox.call(self._state, tool, arguments), None
        try:
            while True:
                item = steps.send(sent)
                assert not isinstance(item, Ask), "nobody sits beside the agent"
                sent = self._note(item.event if isinstance(item, CausedEvent) else item)
        except StopIteration:
            last = self._state.records[-1].event
            assert isinstance(last, ToolReturned)
            return shortened(last.observation)

    def _note(self, event: Event) -> int:
        seq = len(self._state.records)
        self._state = apply(self._state, Record(seq, 1, None, 0.0, event))
        return seq
