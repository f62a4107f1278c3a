"""The exported folder trains: its loop plays tasks of the sample pack with a model by script, as Moot's own agent
does.

Over stand-ins for verl's base classes that say what the facts file says. Where MOOT_VERL names the folder of an
unpacked wheel (`pip download verl --no-deps`, unzip), that release is compared with the facts file.
"""

from __future__ import annotations

import ast
import asyncio
import importlib.util
import inspect
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from store.journal import Journal
from tasks.episode.events import ModelCalled
from tasks.legalsearch.agents.trajectory_pieces import spoken
from tasks.legalsearch.exporting import VERL, export_verl
from tasks.legalsearch.questions import LawQuestion, load_questions
from tasks.legalsearch.rewards import reward
from tasks.run.reading import read_episode
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.support import verl_stage
from tests.support.verl_stage import Server, Tokenizer, config

pytestmark = pytest.mark.slow

FACTS = tomllib.loads(Path(__file__).with_name("verl_facts.toml").read_text("utf-8"))
WHEEL = os.environ.get("MOOT_VERL", "")
WITH_WHEEL = pytest.mark.skipif(not WHEEL, reason="MOOT_VERL names no folder of an unpacked verl wheel")
PLAN = "<think>\n先查\n</think>\n<plan>\n1. 查条文\n2. 作答\n</plan>"


def call(tool: str, *texts: str, argument: str = "query") -> str:
    body = json.dumps({"name": tool, "arguments": {argument: texts}}, ensure_ascii=False)
    return f"<think>\n查\n</think>\n<tool_call>\n{body}\n</tool_call>"


def answer(text: str) -> str:
    return f"<think>\n答\n</think>\n<answer>\n{text}\n</answer>"


class World:
    """A run on the sample pack with a scripted model, the folder that was exported from it, and its questions."""

    def __init__(self, folder: Path, pack: Path, tasks: Sequence[str]) -> None:
        self.folder = folder / "out"
        every = load_questions(pack / "tasks" / "legalsearch.jsonl")
        wanted = [next(question for question in every if question.kind.id == task) for task in tasks]
        self.questions = {question.id: question for question in wanted}
        self.replies = {question.id: replies(question) for question in wanted}
        for question in wanted:
            script = folder / f"{question.id}.json"
            script.write_text(json.dumps(by_rule(self.replies[question.id])), encoding="utf-8")
            spec = RunSpec(
                benchmark="legalsearch", agent="search", model=f"scripted:{script}", paper=True, pack=str(pack),
                task_ids=(question.id,),
                settings={"today": "2024-12-31"},
            )  # fmt: skip
            with start_run(spec, out=folder / f"{question.id}.moot") as run:
                run.go()
        last = folder / f"{wanted[-1].id}.moot"
        export_verl(last, self.folder)
        self.row = json.loads((self.folder / "train.jsonl").read_text("utf-8"))
        self.runs = {question.id: folder / f"{question.id}.moot" for question in wanted}

    def said_by_moot(self, task: str) -> str:
        """The whole conversation as Moot's agent had it, in ChatML."""
        with Journal.open(self.runs[task]) as journal:
            calls = [record.event for record in read_episode(journal, task) if isinstance(record.event, ModelCalled)]
            messages = [{"role": role, "content": journal.text(name)} for role, name in calls[-1].messages]
        ids = Tokenizer().apply_chat_template(messages, add_generation_prompt=True)
        return Tokenizer().decode(ids) + spoken(calls[-1]) + "<|im_end|>"


def replies(question: LawQuestion) -> list[str]:
    return [
        PLAN,
        call("rag_retrieve", question.text[:60], "路灯"),
        call("web_search", question.text[:30]),
        answer(question.gold.answer),
    ]


def by_rule(said: Sequence[str]) -> dict[str, Any]:
    """The same replies for a scripted engine, which answers by the last message."""
    heard = ('"search_query"', '"result_count"', "</plan>")
    rules = [{"when": when, "replies": [reply]} for when, reply in zip(heard, reversed(said), strict=False)]
    return {"rules": rules, "otherwise": [said[0]]}


@pytest.fixture(scope="module")
def world(sample_built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(tmp_path_factory.mktemp("home")))
        yield World(tmp_path_factory.mktemp("world"), sample_built, ("ptp", "lar", "kqa"))


@pytest.fixture(scope="module")
def module(world: World) -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        verl_stage.stand_ins(patch)
        yield verl_stage.load(world.folder, patch)


@pytest.fixture(scope="module")
def tools(world: World, module: ModuleType) -> list[Any]:
    """The tools as the trainer makes them out of tools.yaml."""
    made = []
    for entry in json.loads((world.folder / "tools.yaml").read_text("utf-8"))["tools"]:
        assert entry["class_name"] == "moot_verl.MootTool" and entry["config"]["type"] == "native"
        where = entry["config"]["pack"].removeprefix("${oc.env:MOOT_PACK,'").removesuffix("'}")
        schema = SimpleNamespace(function=SimpleNamespace(**entry["tool_schema"]["function"]))
        made.append(module.MootTool({**entry["config"], "pack": where}, schema))
    return made


def rollout(module: ModuleType, tools: list[Any], row: dict[str, Any], server: Server, **limits: Any) -> Any:
    async def play() -> Any:
        loop = module.MootSearchLoop(
            trainer_config=SimpleNamespace(config=config(**limits)), server_manager=server, tokenizer=Tokenizer(),
            processor=None, dataset_cls=None, data_config=SimpleNamespace(config={}), hf_model_type="qwen2",
            tools=SimpleNamespace(tools=tools), name="moot_search",
        )  # fmt: skip
        return await loop.run({"temperature": 1.0}, raw_prompt=row["prompt"], extra_info=row["extra_info"])

    return asyncio.run(play())


def score(folder: Path, question: LawQuestion, said: str) -> dict[str, float]:
    spec = importlib.util.spec_from_file_location("exported_reward", folder / "legalsearch_reward.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: dict[str, float] = module.compute_score(question.kind.id, said, question.gold.answer, {"question": "?"})
    return made


def rows_of(world: World) -> dict[str, dict[str, Any]]:
    """A row a question; the exported one serves as the shape of the others."""
    from tasks.legalsearch.exporting import row

    system = world.row["prompt"][0]["content"]
    return {task: row(question, system) for task, question in world.questions.items()}


def test_a_trajectory_is_what_moots_own_agent_says_and_hears_and_earns_the_same(
    world: World, module: ModuleType, tools: list[Any]
) -> None:
    assert [tool.name for tool in tools] == ["rag_retrieve", "web_search", "browse_webpage"]
    for task, row in rows_of(world).items():
        server = Server(world.replies[task])
        made = rollout(module, tools, row, server)
        text = Tokenizer().decode([*made.prompt_ids, *made.response_ids])
        assert text == world.said_by_moot(task)
        own = "".join(
            chr(one)
            for one, kept in zip(made.response_ids, made.response_mask, strict=True)
            if kept and one < verl_stage.BEGIN
        )
        assert own == "".join(world.replies[task]), "the loss is over the words of the agent alone"
        assert len(made.response_logprobs) == len(made.response_mask)
        assert {p for p, kept in zip(made.response_logprobs, made.response_mask, strict=True) if not kept} == {0.0}
        assert made.num_turns == 4 + 2 + 1 and made.extra_fields["max_global_steps"] == 4
        said = Tokenizer().decode(made.response_ids, skip_special_tokens=True)
        ours = reward(world.questions[task], said, "code")
        assert score(world.folder, world.questions[task], said)["score"] == ours.value == 1.0
    assert world.row["agent_name"] == "moot_search" and "<tools>" in world.row["prompt"][0]["content"]


@pytest.mark.parametrize(
    ("replies", "turns", "value"),
    [
        ([PLAN, call("rag_retrieve", "路灯"), answer("无此答案")], 3, 0.0),
        ([PLAN, call("rag_retrieve", "路灯"), "<think>不闭合"], 3, 0.0),
        ([PLAN, *[call("rag_retrieve", "路灯")] * 20], 15, 0.0),
        ([PLAN, call("no_such_tool", "路灯"), answer("A")], 3, None),
    ],
)  # fmt: skip
def test_where_the_loop_ends(
    world: World, module: ModuleType, tools: list[Any], replies: list[str], turns: int, value: float | None
) -> None:
    server = Server(replies, logprobs=False)
    made = rollout(module, tools, world.row, server)
    assert len(server.prompts) == turns and made.response_logprobs is None
    said = Tokenizer().decode(made.response_ids, skip_special_tokens=True)
    question = next(iter(reversed(world.questions.values())))
    given = score(world.folder, question, said)["score"]
    assert given == reward(question, said, "code").value and value in (given, None)


def test_an_answer_of_a_tool_that_does_not_fit_is_left_out(
    world: World, module: ModuleType, tools: list[Any]
) -> None:
    server = Server([PLAN, call("rag_retrieve", "路灯"), answer("A")])
    made = rollout(module, tools, world.row, server, response=len(PLAN) + 200)
    assert len(server.prompts) == 2 and len(made.response_ids) == len(made.response_mask) < len(PLAN) + 200
    assert "<tool_response>" not in Tokenizer().decode(made.response_ids)
    cut = rollout(module, tools, world.row, Server([PLAN, "字" * 999]), response=300)
    assert len(cut.response_ids) == len(cut.response_mask) == 300


def test_pages_open_after_they_were_found_in_the_same_trajectory(
    world: World, module: ModuleType, tools: list[Any]
) -> None:
    search = call("web_search", next(iter(world.questions.values())).text[-30:])
    first = Server([PLAN, search, answer("A")])
    rollout(module, tools, world.row, first)
    url = Tokenizer().decode(first.prompts[-1]).rsplit('"url": "', 1)[1].partition('"')[0]
    opened = call("browse_webpage", url, argument="url_list")
    for searched, found in (([search], True), ([], False)):
        server = Server([PLAN, *searched, opened, answer("A")])
        rollout(module, tools, world.row, server)
        heard = Tokenizer().decode(server.prompts[-1]).rpartition("<tool_response>")[2]
        assert ("page_text" in heard) is found and ("不在此前" in heard) is not found


def signature(function: Any) -> list[str]:
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [marks.get(one.kind, "") + one.name for one in inspect.signature(function).parameters.values()]


def test_what_is_exported_has_the_signatures_of_verl(world: World, module: ModuleType) -> None:
    wanted = {name.rpartition(":")[2]: names for name, names in FACTS["signatures"].items()}
    for stand_in in ("BaseTool", "AgentLoopBase"):
        for name, names in wanted.items():
            owner, _, method = name.partition(".")
            if owner == stand_in:
                assert signature(getattr(getattr(verl_stage, owner), method)) == names, "the stand-in is as verl is"
    assert signature(module.MootTool.__init__) == wanted["BaseTool.__init__"]
    assert signature(module.MootTool.execute) == wanted["BaseTool.execute"]
    run = signature(module.MootSearchLoop.run)
    assert [name for name in run if name != "priority"] == wanted["AgentLoopBase.run"]
    assert inspect.iscoroutinefunction(module.MootTool.execute)
    assert inspect.iscoroutinefunction(module.MootSearchLoop.run)
    loop = (world.folder / "agent_loop.yaml").read_text("utf-8")
    assert loop == "- name: moot_search\n  _target_: moot_verl.MootSearchLoop\n"


def launched(folder: Path) -> dict[str, str]:
    """The settings that the launch script hands to the trainer."""
    fake = folder.parent / "python"
    fake.write_text(
        '#!/bin/sh\nfor one in "$@"; do echo "$one"; done\necho "pack=$MOOT_PACK path=$PYTHONPATH"\n',
        encoding="utf-8",
    )
    fake.chmod(0o755)
    own = {"MODEL": "/models/some model", "PYTHON": str(fake), "PYTHONPATH": "", "MOOT_PACK": ""}
    environment = {**os.environ, **own}
    ran = subprocess.run(
        ["bash", str(folder / "train.sh"), "trainer.save_freq=9"], capture_output=True, text=True, check=True,
        env=environment
    )  # fmt: skip
    module, *given = ran.stdout.splitlines()[1:]
    assert module == "verl.trainer.main_ppo" and given[-2] == "trainer.save_freq=9"
    tools = json.loads((folder / "tools.yaml").read_text("utf-8"))["tools"]
    assert given[-1] == f"pack={tools[0]['config']['pack'][20:-2]} path={folder}"
    return {key: value.strip("'") for key, _, value in (one.partition("=") for one in given[:-2])}


@pytest.mark.skipif(sys.platform == "win32", reason="verl and its launch script run on Linux")
def test_the_launch_script_sets_the_lengths_of_the_paper(world: World) -> None:
    given = launched(world.folder)
    assert sorted(given) == sorted(FACTS["config"]["keys"]) and FACTS["version"] == VERL
    rollout = "actor_rollout_ref.rollout"
    wanted = {
        "data.max_prompt_length": "4096", "data.max_response_length": "28671", f"{rollout}.max_model_len": "32767",
        f"{rollout}.n": "8", f"{rollout}.multi_turn.max_assistant_turns": "15", "data.train_batch_size": "64",
        "actor_rollout_ref.actor.optim.lr": "1e-6", "actor_rollout_ref.model.path": "/models/some model",
        "data.train_files": str(world.folder / "train.jsonl"),
    }  # fmt: skip
    assert {key: given[key] for key in wanted} == wanted
    files = [value for key, value in given.items() if value.startswith(str(world.folder))]
    assert len(files) == 5 and all(Path(file).is_file() for file in files)


@WITH_WHEEL
def test_the_facts_are_those_of_the_wheel() -> None:
    yaml = pytest.importorskip("yaml")
    wheel = Path(WHEEL)
    assert list(wheel.glob(f"verl-{FACTS['version']}.dist-info")), "the wheel is of another release"
    for name, names in FACTS["signatures"].items():
        owner, _, method = name.rpartition(":")[2].partition(".")
        arguments = next(
            node.args
            for node in _class(wheel, name).body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == method
        )
        found = [one.arg for one in arguments.args] + [one.arg for one in arguments.kwonlyargs]
        assert found + ([f"**{arguments.kwarg.arg}"] if arguments.kwarg else []) == names, f"{owner}.{method}"
    for name, names in FACTS["fields"].items():
        body = _class(wheel, name).body
        fields = {
            node.target.id for node in body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        }
        assert set(names) <= fields, name
    settings = yaml.safe_load((wheel / "verl/trainer/config/_generated_ppo_trainer.yaml").read_text("utf-8"))
    for key in FACTS["config"]["keys"]:
        here = settings
        for part in key.split("."):
            assert part in here, key
            here = here[part]


def _class(wheel: Path, name: str) -> ast.ClassDef:
    file, _, inside = name.partition(":")
    tree = ast.parse((wheel / file).read_text("utf-8"))
    return next(
        node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == inside.partition(".")[0]
    )
