"""What a verl trainer needs of a run: training rows, the reward function, how to use both; rollouts where it has groups.

The folder is complete in itself. Training is the trainer's business: Moot writes files and starts nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from store.journal import Journal
from tasks.agents.prompts import fill
from tasks.legalsearch.agents.paper import PROMPT
from tasks.legalsearch.agents.phrases import tool_schemas
from tasks.legalsearch.questions import Question, load_questions
from tasks.legalsearch.rollouts import check_benchmark, has_groups, read_groups
from tasks.legalsearch.settings import settings_of
from tasks.legalsearch.toolbox import OFFERED
from tasks.legalsearch.verl import REWARD_FILE, reward_source, row
from tasks.run.engines import run_path
from tasks.run.exporting import refuse_existing, whole_folder, write_lines
from tasks.run.header import header_of, spec_of
from tasks.run.rescoring import stored_task_file

ROWS_FILE, ROLLOUTS_FILE, README_FILE = "train.jsonl", "rollouts.jsonl", "README.md"

README = """\
# {n} tasks of run {run} for a verl trainer

- `{rows}`: one training row a task (data_source, agent_name, prompt, ability, reward_model, extra_info). The gold answer is
  in it: do not train on tasks that you evaluate with.
- `{reward}`: the reward function `compute_score(data_source, solution_str, ground_truth, extra_info)`. It needs Python and
  rapidfuzz, nothing of Moot, and is the module that Moot itself scores with.{rollouts}

## Use

Rows load as they are; where a trainer wants parquet:

    python -c "import datasets as d; d.load_dataset('json', data_files='{rows}', split='train').to_parquet('train.parquet')"

Then, in the settings of the trainer:

    data.train_files=train.parquet
    data.prompt_key=prompt
    data.reward_fn_key=data_source
    custom_reward_function.path={reward}
    custom_reward_function.name=compute_score
    algorithm.adv_estimator=grpo
    algorithm.norm_adv_by_std_in_grpo=True
    actor_rollout_ref.rollout.n=8
    actor_rollout_ref.rollout.temperature=1.0
    actor_rollout_ref.actor.use_kl_loss=False
    actor_rollout_ref.actor.entropy_coeff=0

The tools `rag_retrieve`, `web_search` and `browse_webpage` are the trainer's to run; rows name them under
`extra_info.tools_kwargs`. Their answers must be masked out of the loss. Shaping by entropy (the paper's equation 5) is a
change of the trainer's advantage: A + min(0.1 H, |A| / 2), without gradient.

`compute_score` gives `score` (0 or 1, 0 when the format fails), `format` and `scored`. A consultation (`lcs`) is scored only
with a grader: pass one as `grade(question, answer, gold) -> (answer is right, legal basis is right)`; without it `scored` is
0 and such rows should stay out of training.
{ungraded}"""
ROLLOUTS_NOTE = """
- `{file}`: the {n} rollouts of this run, one a line, with reward, faults of form, advantage within the group and, for every
  token, what it is, its entropy and its shaped advantage, each in two readings (the paper's words, the published code)."""
UNGRADED_NOTE = "\nHere {n} of {of} rows are consultations.\n"


def export_verl(name: str | Path, out: Path) -> dict[str, int]:
    """Write the folder; returns file -> number of lines.

    Raises:
        UsageError: the run is of another benchmark.
        StoreError: `out` is there already, or cannot be written.
        RecordMismatch: the task file has changed since the run.
    """
    refuse_existing(out)
    with Journal.open(run_path(name)) as journal:
        header, episodes = header_of(journal), journal.episodes()
        check_benchmark(header)
        asked = {episode.task_id for episode in episodes}
        questions = [one for one in load_questions(stored_task_file(header)) if one.id in asked]
    system = system_prompt(settings_of(spec_of(header)).tools)
    counts: dict[str, int] = {}
    with whole_folder(out) as folder:
        counts[ROWS_FILE] = write_lines(folder / ROWS_FILE, (_line(row(question, system)) for question in questions))
        source = reward_source()
        counts[REWARD_FILE] = write_lines(folder / REWARD_FILE, source.splitlines())
        if has_groups(episodes):
            counts[ROLLOUTS_FILE] = write_lines(folder / ROLLOUTS_FILE, map(_line, rollout_lines(name)))
        readme = _readme(str(header["run"]), questions, counts.get(ROLLOUTS_FILE))
        counts[README_FILE] = write_lines(folder / README_FILE, readme.splitlines())
    return counts


def rollout_lines(name: str | Path) -> Iterator[dict[str, object]]:
    """Every rollout of a run as JSON data, group by group."""
    for group in read_groups(name):
        yield from group.lines()


def system_prompt(tools: str) -> str:
    """The system prompt of the published loop with the tools of a run: only its form of trajectory passes the reward's
    format check, whatever form the run itself had. A run without tools gets all of them, as the check asks for a call."""
    return fill(PROMPT, tools=tool_schemas(OFFERED[tools] or OFFERED["on"]))


def _line(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _readme(run: str, questions: list[Question], rollouts: int | None) -> str:
    consultations = sum(question.kind.form == "consultation" for question in questions)
    return README.format(
        n=len(questions),
        run=run,
        rows=ROWS_FILE,
        reward=REWARD_FILE,
        rollouts="" if rollouts is None else ROLLOUTS_NOTE.format(file=ROLLOUTS_FILE, n=rollouts),
        ungraded=UNGRADED_NOTE.format(n=consultations, of=len(questions)) if consultations else "",
    )
