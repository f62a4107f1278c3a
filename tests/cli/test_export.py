"""`moot export`: rows load back, the reward file scores like Moot in a bare interpreter, nothing is written over."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rapidfuzz

from store.errors import StoreError
from tasks.legalsearch.questions import load_questions
from tasks.legalsearch.rewards import reward
from tasks.legalsearch.settings import KINDS
from tasks.run.exporting import whole_folder, write_lines
from tests.legalsearch.test_rollouts import answer, episode, question, stored
from tests.support.patience import PATIENCE
from tests.support.statute_fixture import build
from tests.support.typed import moot

PLANNED = "<think>想</think><plan>查</plan>"
SEARCHED = "<think>查</think><tool_call>{}</tool_call><tool_response>文</tool_response>"


FILES = [
    "README.md", "agent_loop.yaml", "legalsearch_reward.py", "moot_verl.py", "rollouts.jsonl", "tools.yaml",
    "train.jsonl",
    "train.sh",
]  # fmt: skip


@pytest.fixture
def run(tmp_path: Path, moot_home: Path) -> Path:
    build("lamps")
    (tmp_path / "in").mkdir()
    rounds = [("kqa_1", episode("A")), ("kqa_1", episode("B")), ("lcs_2", episode("x")), ("lcs_2", episode("y"))]
    return stored(tmp_path / "in", rounds, 2)


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_rows_rollouts_and_reward_for_a_trainer(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "made" / "rows"
    code, told, _ = moot("export", run, "--to", "verl", "--out", out, "--json")
    assert code == 0
    files = json.loads(told)["files"]
    assert sorted(files) == sorted(path.name for path in out.iterdir()) == FILES
    assert files == {path.name: len(path.read_text("utf-8").splitlines()) for path in out.iterdir()}
    assert (files["train.jsonl"], files["rollouts.jsonl"]) == (2, 4)
    rows = read(out / "train.jsonl")
    assert [row["extra_info"]["index"] for row in rows] == ["kqa_1", "lcs_2"]
    assert [row["reward_model"]["ground_truth"] for row in rows] == ["A", "依据"]
    first, second = ({key: sorted(row[key]) if isinstance(row[key], dict) else "" for key in row} for row in rows)
    assert first == second, "one shape"
    ((role, system),) = {(row["prompt"][0]["role"], row["prompt"][0]["content"]) for row in rows}
    assert role == "system" and "rag_retrieve" in system and "<plan>" in system
    assert [one.gold.answer for one in load_questions(out / "train.jsonl")] == ["A", "依据"]
    assert [line["advantage"]["paper"] for line in read(out / "rollouts.jsonl")] == [1.0, -1.0, None, None]
    readme = (out / "README.md").read_text(encoding="utf-8")
    assert "2 tasks of run r" in readme and "the 4 rollouts" in readme and "1 of 2 rows are consultations" in readme
    assert "{" not in readme.replace("{}", "") and "The longest prompt here has about 4" in readme
    assert (out.stat().st_mode & 0o777) == (tmp_path.joinpath("in").stat().st_mode & 0o777)
    assert list(out.parent.iterdir()) == [out]


def test_rows_of_a_run_without_groups(tmp_path: Path) -> None:
    build("lamps")
    run = stored(tmp_path, [("kqa_1", episode("A"))], 1)
    assert moot("export", run, "--to", "verl", "--out", tmp_path / "rows")[0] == 0
    assert sorted(path.name for path in (tmp_path / "rows").iterdir()) == [
        name for name in FILES if name != "rollouts.jsonl"
    ]
    code, _, said = moot("export", run, "--to", "rollouts")
    assert code == 2 and "plays every task once" in said and said.count("\n") == 1


def test_nothing_is_written_over(run: Path, tmp_path: Path) -> None:
    folder, file = tmp_path / "rows", tmp_path / "x.jsonl"
    folder.mkdir()
    file.write_text("mine", encoding="utf-8")
    for form, out in (("verl", folder), ("jsonl", file), ("rollouts", file), ("verl", file)):
        code, told, said = moot("export", run, "--to", form, "--out", out)
        assert (code, told) == (1, "") and "is there already" in said and said.count("\n") == 1
    assert list(folder.iterdir()) == [] and file.read_text(encoding="utf-8") == "mine"


def test_forms_for_other_programs(run: Path, tmp_path: Path) -> None:
    code, told, _ = moot("export", run, "--to", "csv")
    lines = told.splitlines()
    assert code == 0 and len(lines) == 5 and lines[0].startswith("run,benchmark,task,group,")
    code, told, _ = moot("export", run, "--to", "csv", "--out", tmp_path / "x.csv", "--json")
    assert code == 0 and json.loads(told)["files"] == {"x.csv": 4}, "the head is no row"
    assert (tmp_path / "x.csv").read_text("utf-8").splitlines() == lines
    for form, name, files in (
        ("inspect", "x.eval", {"x.eval": 4}), ("inspect", "x.json", {"x.json": 4}),
        ("seats", "seats", {"agent.jsonl": 12}),
        ("rows", "rows", {"episodes.jsonl": 4, "README.md": 75}),
    ):  # fmt: skip
        code, told, err = moot("export", run, "--to", form, "--out", tmp_path / "made" / name, "--json")
        assert code == 0, err
        assert json.loads(told) == {"out": str(tmp_path / "made" / name), "files": files}
        code, told, err = moot("export", run, "--to", form, "--out", tmp_path / "made" / name)
        assert (code, told) == (1, "") and "is there already" in err and err.count("\n") == 1
    code, told, _ = moot("export", run, "--to", "inspect", "--out", tmp_path / "y.eval")
    assert code == 0 and told == "已写出 y.eval：4 个样本\n"


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), whole_folder(tmp_path / "rows") as folder:
        (folder / "half").write_text("x", encoding="utf-8")
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError):
        write_lines(tmp_path / "x", (str(1 // n) for n in (1, 0)))
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot write"), whole_folder(tmp_path / "file" / "rows"):
        pass


def test_events_as_lines(run: Path, tmp_path: Path) -> None:
    code, told, _ = moot("export", run, "--to", "jsonl")
    lines = [json.loads(line) for line in told.splitlines()]
    kinds = [line["kind"] for line in lines]
    assert code == 0 and kinds[:3] == ["header", "episode", "attempt"]
    assert (kinds.count("episode"), kinds.count("event"), kinds.count("score")) == (4, 44, 1)
    events = [line for line in lines if line["kind"] == "event" and line["tag"] == "model_called"]
    assert len(events[0]["data"]["entropies"]) == len(events[0]["data"]["tokens"]) == 6
    assert moot("export", run, "--to", "jsonl", "--out", tmp_path / "x.jsonl")[0] == 0
    assert read(tmp_path / "x.jsonl") == lines


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--to", "html"), 2, "moot report"),
        (("--to", "inspect"), 2, "FILE.eval"),
        (("--to", "inspect", "--out", "x.txt"), 2, "neither .eval nor .json"),
        (("--to", "verl"), 2, "--out FOLDER"), (("--to", "csv", "--json"), 2, "--out"),
        (("--to", "tar"), 2, "verl"),
        (("--to", "jsonl", "--out", "/proc/none/x"), 1, "/proc/none"),
    ],
)  # fmt: skip
def test_mistakes_are_one_sentence(run: Path, arguments: tuple[str, ...], code: int, says: str) -> None:
    ended, told, said = moot("export", run, *arguments)
    assert (ended, told) == (code, "") and says in said and said.count("\n") == 1


def test_a_changed_task_file_is_noticed(run: Path, tmp_path: Path) -> None:
    (run.parent / "tasks.jsonl").write_text('{"id": "kqa_1"}\n', encoding="utf-8")
    code, _, said = moot("export", run, "--to", "verl", "--out", tmp_path / "rows")
    assert code == 1 and "changed since the run" in said and not (tmp_path / "rows").exists()


BARE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import legalsearch_reward as reward
assert not {"tasks", "store", "models", "pydantic", "numpy"} & set(sys.modules)
cases = json.load(open(sys.argv[2], encoding="utf-8"))
asked = {"question": "?"}
print(json.dumps([reward.compute_score(*case, extra_info=asked) for case in cases]))
"""


def cases() -> list[tuple[str, str, str]]:
    """Every task with right, nearly right and wrong answers, each in good and bad form."""
    law = (
        "第一条　为了规范路灯的设置和使用，保障夜间通行安全，根据实际情况，制定本法。本法所称路灯，"
        "是指城市道路两侧的照明设施。"
    )
    golds = {"lar": law, "lcs": "回答：可以。法律依据：第一条", "ccp": "盗窃;抢劫", "ptp": "12个月"}
    said = {
        "lar": [law, f"【宗旨】{law}", law[:-3], law[:30], law.replace("，", ", "), law * 2],
        "ccp": ["盗窃;抢劫", "抢劫；盗窃罪", "盗窃", "盗窃;抢劫;诈骗", "盗窃、抢劫", " 盗窃 ; 抢劫 "],
        "ptp": ["12个月", "12", "1年", "十二个月", "12个月 "],
        "lcs": ["可以", ""],
    }
    made = []
    for kind in KINDS:
        gold = golds.get(kind, "AC")
        for text in said.get(kind, ["AC", "CA", "A,C", "A", "ac", "AC ", ""]):
            tagged = "".join(answer(text))
            forms = [
                PLANNED + SEARCHED + tagged, PLANNED + tagged, tagged, text, PLANNED + SEARCHED + tagged + "<think>",
                PLANNED + SEARCHED.replace("文", "<answer>B</answer>") + tagged, PLANNED * 2 + SEARCHED + tagged,
                (PLANNED + SEARCHED + tagged).upper(),
            ]  # fmt: skip
            made += [(kind, form, gold) for form in forms]
    return made


def test_the_exported_reward_agrees_with_moot_in_a_bare_interpreter(run: Path, tmp_path: Path) -> None:
    """No site-packages, nothing of Moot: the standard library and rapidfuzz alone."""
    out = tmp_path / "rows"
    assert moot("export", run, "--to", "verl", "--out", out)[0] == 0
    shutil.copytree(Path(rapidfuzz.__file__).parent, out / "rapidfuzz")
    every = cases()
    assert len(every) > 400
    (tmp_path / "cases.json").write_text(json.dumps(every), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", BARE, str(out), str(tmp_path / "cases.json")],
        capture_output=True, text=True, check=False, timeout=PATIENCE, cwd=tmp_path,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    rewards = 0
    for (kind, text, gold), made in zip(every, json.loads(ran.stdout), strict=True):
        ours = reward(question(kind, gold), text, "code")
        assert made == {
            "score": ours.value or 0.0,
            "format": float(not ours.faults),
            "scored": float(ours.value is not None),
        }, (kind, text)
        rewards += made["score"] == 1.0
    assert 10 < rewards < len(every) / 2
