"""`moot suite`: a file of runs is read strictly, played one after the other, taken up again, and told in one
table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from store import places
from store.journal import Journal
from tasks.errors import UsageError
from tasks.run.figures import figures_of
from tasks.run.header import header_of
from tasks.run.runner import fork_run, start_run
from tasks.run.suite import read_suite
from tests.support.fake_endpoint import DONE, chunk, fake_server
from tests.support.kill_harness import prepare
from tests.support.typed import moot


@pytest.fixture
def spec(moot_home: Path) -> dict[str, Any]:
    return prepare(moot_home, tasks=2)


@pytest.fixture
def write(tmp_path: Path, spec: dict[str, Any]) -> Callable[[str], Path]:
    """A suite file on the pack and tasks of the harness."""

    def made(text: str, common: str = "") -> Path:
        file = tmp_path / "first.toml"
        head = f'[settings]\npack = "kill"\ntasks = {json.dumps(spec["tasks"])}\n{common}\n'
        file.write_text(head + text, encoding="utf-8")
        return file

    return made


TWO = '[[runs]]\nbenchmarks = "legalagentbench"\nagents = ["gold", "echo"]\n'


def rows(out: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(out)["runs"]
    return found


def test_it_is_played_told_and_passed_over(write: Any) -> None:
    file = write(TWO)
    code, out, _ = moot("suite", "run", file, "--dry-run", "--json")
    assert code == 0 and not list(places.runs().glob("*.moot"))
    assert [(row["agent"], row["state"], row["n"]) for row in rows(out)] == [("gold", "new", 2), ("echo", "new", 2)]
    code, out, err = moot("suite", "run", file, "--json")
    made = rows(out)
    assert code == 0 and "1/2 first-" in err
    assert [(row["agent"], row["finished"], row["outcomes"], row["error"]) for row in made] == [
        ("gold", 2, {"finished": 2}, ""), ("echo", 2, {"finished": 2}, ""),
    ]  # fmt: skip
    gold, echo = made
    assert gold["strict"]["value"] == 1.0 > echo["strict"]["value"]
    low, high = gold["strict"]["interval"]
    assert 0 < low < high == gold["strict"]["top"] and gold["tokens"] == 0 and gold["strict"]["n"] == 2
    with Journal.open(Path(gold["path"])) as journal:
        assert header_of(journal)["suite"] == {"name": "first", "member": gold["member"]}
    before = {path.name: path.stat().st_mtime_ns for path in places.runs().glob("*.moot")}
    code, out, err = moot("suite", "run", file)
    assert code == 0 and err.count("已结束，跳过") == 2 and "100.0" in out
    assert before == {path.name: path.stat().st_mtime_ns for path in places.runs().glob("*.moot")}
    assert rows(moot("suite", "run", file, "--dry-run", "--json")[1]) == made
    assert [row["run"] for row in json.loads(moot("list", "--text", "first-", "--json")[1])["runs"]]
    with fork_run(gold["path"], "1", 0) as forked:
        assert "suite" not in header_of(forked.journal)


def test_tokens_that_nobody_counted_are_marked(write: Any) -> None:
    with fake_server() as server:
        server.chat = lambda call: call.send(chunk({"content": "没有查到。"}, "stop") + DONE)
        text = '[[runs]]\nbenchmarks = "legalagentbench"\nagents = "react"\nmodels = "endpoint:{}"\n'
        file = write(text.format(server.spec))
        _, out, err = moot("suite", "run", file)
        (row,) = rows(moot("suite", "run", file, "--dry-run", "--json")[1])
        assert row["estimated"] and row["tokens"] > 0, err
        assert f"~{row['tokens']:,}" in out and figures_of(row["path"]).estimated


def test_what_is_there_goes_on_and_what_is_gone_begins_anew(write: Any) -> None:
    file = write(TWO)
    gold, echo = read_suite(file).members
    with start_run(gold.spec, out=gold.path, suite=gold.facts) as run:
        run.go(lambda: False)
    assert [row["state"] for row in rows(moot("suite", "run", file, "--dry-run", "--json")[1])] == [
        "unfinished",
        "new",
    ]
    code, out, _ = moot("suite", "run", file, "--dry-run", "--json")
    assert code == 0 and [row["strict"] for row in rows(out)] == [None, None]
    code, _, err = moot("suite", "run", file)
    assert code == 0 and "未完成" in err and "尚未开始" in err
    echo.path.unlink()
    code, out, err = moot("suite", "run", file, "--json")
    assert code == 0 and "跳过" in err and [row["finished"] for row in rows(out)] == [2, 2]
    more = write(TWO + "seeds = [0, 1]\n")
    states = [
        (row["agent"], row["seed"], row["state"])
        for row in rows(moot("suite", "run", more, "--dry-run", "--json")[1])
    ]
    assert states == [("gold", 0, "finished"), ("gold", 1, "new"), ("echo", 0, "finished"), ("echo", 1, "new")]


def test_a_member_is_known_by_what_is_asked_not_by_how_fast(write: Any, tmp_path: Path) -> None:
    plain = [member.id for member in read_suite(write(TWO)).members]
    assert [one.id for one in read_suite(write(TWO, "parallel = 3\nbudget-tokens = 9")).members] == plain
    assert not {one.id for one in read_suite(write(TWO, "max_turns = 3")).members} & set(plain)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "t.json").write_text("[]", encoding="utf-8")
    text = '[settings]\npack = "kill"\ntasks = "t.json"\n[[runs]]\nbenchmarks = "legalagentbench"\n'
    for folder in (tmp_path, tmp_path / "sub"):
        (folder / "s.toml").write_text(text, encoding="utf-8")
    (here,), (there,) = (read_suite(folder / "s.toml").members for folder in (tmp_path, tmp_path / "sub"))
    assert here.id == there.id and there.spec.tasks == str(tmp_path / "sub" / "t.json"), "it may be moved"


def test_a_model_that_is_missing_is_named_before_anything_starts(write: Any) -> None:
    file = write(TWO + '[[runs]]\nbenchmarks = "legalagentbench"\nmodels = ["llama:none"]\n')
    code, out, err = moot("suite", "run", file)
    assert code != 0 and not out and "runs[2]" in err and "none" in err and not list(places.runs().glob("*.moot"))


def test_a_run_that_fails_is_told_and_the_others_go_on(write: Any, spec: dict[str, Any]) -> None:
    script = Path(spec["model"].removeprefix("scripted:"))
    script.write_text(json.dumps({"failure_rate": 1.0, "otherwise": ["x"]}), encoding="utf-8")
    model = json.dumps(spec["model"])
    file = write(f'[[runs]]\nbenchmarks = "legalagentbench"\nagents = "react"\nmodels = {model}\n' + TWO)
    code, out, err = moot("suite", "run", file, "--json")
    assert code == 1 and "2 of 2 episodes ended in an error" in err
    assert [row["outcomes"] for row in rows(out)] == [{"error": 2}, {"finished": 2}, {"finished": 2}]


def test_an_ended_member_of_another_task_file_is_refused(write: Any, spec: dict[str, Any]) -> None:
    file = write(TWO)
    assert moot("suite", "run", file)[0] == 0
    tasks = Path(spec["tasks"])
    tasks.write_text(tasks.read_text("utf-8") + " ", encoding="utf-8")
    code, out, err = moot("suite", "run", file)
    assert code != 0 and not out and "runs[1]" in err
    code, out, err = moot("suite", "run", file, "--dry-run", "--json")
    assert code != 0 and "runs[1]" in err, "how far it is can be seen nevertheless"
    assert [(row["state"], row["strict"]) for row in rows(out)] == [("finished", None)] * 2


def test_a_file_in_the_place_of_a_member_is_no_member(write: Any) -> None:
    file = write(TWO)
    assert moot("suite", "run", file)[0] == 0
    gold, echo = read_suite(file).members
    for taken, episodes in ((gold.path.read_bytes(), 2), (None, 1)):
        if taken is not None:
            echo.path.write_bytes(taken)
        else:  # one that is not over would be gone on with
            echo.path.unlink()
            start_run(gold.spec.model_copy(update={"limit": episodes}), out=echo.path).close()
        code, out, err = moot("suite", "run", file)
        assert code != 0 and not out and echo.run in err and "runs[1]" in err


def test_more_runs_than_anybody_plays_are_refused_at_once(write: Any) -> None:
    many = "agents = [{0}]\nmodels = [{0}]\nseeds = {1}".format(", ".join(['"x"'] * 3000), list(range(3000)))
    with pytest.raises(UsageError, match="27000000000 runs, at most 2000"):
        read_suite(write(f'[[runs]]\nbenchmarks = "legalagentbench"\n{many}'))


@pytest.mark.chinese_sentences
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1", "runs：缺少"),
        (
            '[[runs]]\nbenchmarks = "courts"\nagent = "rules"',
            ".toml:3，runs[1].agent：不认识的字段。此处可用的有：benchmarks",
        ),
        ('[[runs]]\nbenchmarks = "courts"\n[[runs]]\nbenchmarks = "courts"\nagents = ["nix"]', ".toml:3，runs[2]"),
        ('[[runs]]\nbenchmarks = "nix"', "runs[1]：未知的评测基准“nix”"),
        ('[[runs]]\nbenchmarks = "courts"\nseeds = [1, 1]', "已写在 runs[1]"),
        ('[[runs]]\nbenchmarks = "courts"\nsettings = { limit = 0 }', "limit：应不小于 1"),
        ('[[runs]]\nbenchmarks = "courts"\nsettings = { shard = [1, 2] }', "没有设置项“shard”"),
        ('[[runs]]\nbenchmarks = "courts"\nagents = "human"', "不能有人就座"),
        ('name = "a/b"\n[[runs]]\nbenchmarks = "courts"', "“a/b”不能用作名称"),
        ("[[runs]\n", "不是 TOML"),
        ('[settings]\nlimt = 3\n[[runs]]\nbenchmarks = "courts"', ".toml:2，settings.limt：courts 没有设置项“limt”"),
        (
            '[settings]\nlimt = 3\nlimit = "a"\n[[runs]]\nbenchmarks = "courts"\nagents = "nix"',
            "settings.limit：应为整数",
        ),
        (
            '[settings]\nlimt = 3\nlimit = "a"\n[[runs]]\nbenchmarks = "courts"\nagents = "nix"',
            ".toml:4，runs[1]：courts 没有智能体“nix”",
        ),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(text, encoding="utf-8")
    code, out, err = moot("suite", "run", file)
    assert code in (1, 2) and not out and said in err and str(file) in err and err.count("\n") == 1


@pytest.mark.chinese_sentences
def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    binary = tmp_path / "b.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    for file, said in ((tmp_path / "none.toml", "没有文件"), (tmp_path, "不是普通文件"), (binary, "不是 UTF-8")):
        code, _, err = moot("suite", "run", file)
        assert code == 1 and said in err and err.count("\n") == 1
