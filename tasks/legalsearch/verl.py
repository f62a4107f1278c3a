"""Rows and a reward function for a verl trainer: what `moot export RUN --to verl` writes.

A row has the shape of the published training rows: data_source, agent_name, prompt, ability, reward_model,
extra_info. Rows are JSON objects with the same keys throughout, so that `datasets.load_dataset("json", …)` and a
parquet writer take them as they are. Moot only writes them; training is the trainer's business.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib import resources

from tasks.legalsearch.agents import paper
from tasks.legalsearch.agents.phrases import instruction
from tasks.legalsearch.questions import Question
from tasks.legalsearch.temporal import Data

AGENT = "moot_search"
"""The loop of the exported module: verl's own ends where a turn has no call, and the first turn plans."""
ABILITY = "deepresearch"
QUERY_TOOL = "rag_retrieve"
QUESTION_TOOLS = ("web_search", "browse_webpage")
REWARD_FILE = "legalsearch_reward.py"


def row(question: Question, system: str, split: str = "train") -> Data:
    """One training row. `system` is the agent's system prompt, the same in every row of a run."""
    asked, gold = paper.asked(question.card), question.gold.answer
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


def rows(questions: Iterable[Question], system: str, split: str = "train") -> list[Data]:
    """A row a question, in the order given."""
    return [row(question, system, split) for question in questions]


def as_lines(made: Sequence[dict[str, object]]) -> str:
    """Rows as JSON lines."""
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in made)


def reward_source() -> str:
    """The text of the reward function file: `compute_score` over the standard library and rapidfuzz.

    It is the very module that Moot scores with.
    """
    return resources.files("tasks.legalsearch").joinpath("published.py").read_text(encoding="utf-8")
