"""What other packages add is there like our own: found by entry points, loaded on use, named when it is broken.

A package is installed as pip would leave it: its modules on the path, beside them the metadata with the entry points.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import tomllib
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import NoReturn

import pytest

from app.cli.main import main
from tasks import registry
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "tests" / "extension"
BROKEN = """
[moot.benchmarks]
broken = broken:Nothing
courts = riddles:Riddles
number = wrong:NUMBER
nameless = riddles:Riddles
seeded = wrong:Seeded

[moot.agents]
rules = wrong:text
seven = wrong:NUMBER

[moot.tools]
seven = wrong:NUMBER
get_sum = wrong:adds

[moot.scorers]
seven = wrong:NUMBER
silly = wrong_scorer:silly

[moot.engines]
absent = nowhere:open
leaver = wrong_engine:open
number = wrong:NUMBER
text = wrong:text
"""
WRONG = """
from tasks.legalagentbench.benchmark import LegalAgentBench
from tasks.settings import Settings, setting
import moot

NUMBER = 7


@moot.tool(name="get_sum", description="相加")
def adds(numbers: list[int]) -> int:
    return sum(numbers)


def text(opening):
    return opening.rest
"""

Moot = Callable[..., tuple[int, str, str]]


def install(folder: Path, package: str, entry_points: str) -> None:
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(entry_points, "utf-8")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of installed packages."""
    folder = tmp_path / "site"
    folder.mkdir()
    for module in EXTENSION.glob("*.py"):
        shutil.copy(module, folder)
    groups = tomllib.loads((EXTENSION / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    install(folder, "aa_extension", "".join(
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in places.items()) for group,
        places in groups.items()
    ))  # fmt: skip
    return folder


@pytest.fixture
def moot(site: Path) -> Moot:
    """The command in a child of this process, with that folder on its path as at its start."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with TemporaryFile() as out, TemporaryFile() as err:
            child = os.fork()
            if child == 0:
                answer(site, arguments, out.fileno(), err.fileno())
            _, status = os.waitpid(child, 0)
            for file in (out, err):
                file.seek(0)
            printed, said = out.read().decode(), err.read().decode()
        assert os.WIFEXITED(status) and "Traceback" not in said, said
        return os.waitstatus_to_exitcode(status), printed, said

    return run


def answer(site: Path, arguments: Sequence[str], out: int, err: int) -> NoReturn:
    """The forked child: everything is imported already, only what is installed is looked for anew."""
    code = 99
    signal.alarm(int(PATIENCE))
    try:
        for descriptor, name in ((out, "stdout"), (err, "stderr")):  # pytest has its own in their place
            setattr(sys, name, os.fdopen(os.dup(descriptor), "w", encoding="utf-8"))
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
        sys.path.insert(0, str(site))
        for looked_up in vars(registry).values():
            getattr(looked_up, "cache_clear", dict)()
        os.environ["COLUMNS"] = "100"
        main(list(arguments))
    except SystemExit as ended:
        code = int(ended.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def test_a_benchmark_is_run_scored_and_shown_with_its_own_settings(moot: Moot, sample_pack: Path) -> None:
    shown = moot("run", "--help")[1]
    assert re.search("riddles +rules", shown) and re.search("(?s)legalsearch +rules, .*guesser", shown), shown
    code, out, err = moot("run", "riddles", "--help")
    assert code == 0 and "--shout / --no-shout" in out and "--guess WORDS" in out and "--window" not in out, err
    tasks = str(sample_pack / "tasks" / "legalagentbench.jsonl")
    code, out, err = moot(*"run riddles --guess 不知道 --shout --limit 2 --json --tasks".split(), tasks)
    assert code == 0, err
    block = json.loads(out)
    assert (block["n"], block["outcomes"]["finished"]) == (2, 2)
    (line,) = json.loads(moot("list", "--json")[1])["runs"]
    run = str(line["run"])
    shown = json.loads(moot("show", run, "--json")[1])
    spec = shown["header"]["spec"]
    assert spec["guess"] == "不知道" and spec["shout"] is True and "settings" not in spec
    for command in (("report", run), ("score", run, "--json")):
        code, out, err = moot(*command)
        assert code == 0 and out, err
    assert "shout = True" in moot("report", run)[1]


async def test_its_settings_are_lines_of_the_form() -> None:
    from textual.app import App, ComposeResult
    from textual.widgets import Input, Select

    from app.desk.home.new_run import SettingsForm
    from tests.extension.riddles import Riddles

    class Form(App[None]):
        def compose(self) -> ComposeResult:
            yield SettingsForm(Riddles())

    async with Form().run_test() as pilot:
        form = pilot.app.query_one(SettingsForm)
        assert form.values() == {}
        form.query_one("#shout", Select).value = "on"
        form.query_one("#guess", Input).value = " 北京 "
        assert form.values() == {"shout": True, "guess": "北京"}
        assert "shout" in str(form.query_one("#shout-field Label").render())


def test_the_settings_of_another_benchmark_are_refused(moot: Moot, sample_pack: Path) -> None:
    code, _, err = moot("run", "riddles", "--window", "off")
    assert (code, err) == (2, "moot: riddles has no setting 'window'. Leave the option out.\n")
    code, _, err = moot("run", "courts", "--shout")
    assert (code, err) == (2, "moot: courts has no setting 'shout'. Leave the option out.\n")


def test_an_engine_sits_in_a_seat(moot: Moot, sample_pack: Path) -> None:
    code, out, err = moot(*"run legalagentbench --agent direct --model parrot:北京 --limit 2 --json".split())
    assert code == 0 and json.loads(out)["outcomes"]["finished"] == 2, err
    code, _, err = moot("run", "legalagentbench", "--agent", "direct", "--model", "owl:x")
    assert code in (1, 2) and "parrot:…" in err


def test_an_agent_sits_in_the_tested_seat_of_its_benchmarks(moot: Moot, sample_pack: Path) -> None:
    for benchmark in ("legalagentbench", "legalsearch"):
        code, out, err = moot("run", benchmark, "--agent", "guesser", "--limit", "2", "--json")
        assert code == 0 and json.loads(out)["outcomes"]["finished"] == 2, err
    run = json.loads(moot("list", "--json")[1])["runs"][0]["run"]
    assert "guesser/1" in moot("show", run, json.loads(moot("show", run, "--json")[1])["episodes"][0]["episode"])[1]
    code, out, err = moot("report", "latest")
    assert code == 0 and "guesser" in out, err


def test_an_environment_is_played_scored_and_shown(moot: Moot, site: Path, sample_pack: Path, tmp_path: Path) -> None:
    tasks = tmp_path / "debts.jsonl"
    parts = {"cause": "民间借贷纠纷", "creditor": "甲公司", "debtor": "乙公司", "amount": 5000}
    case = {"schema": "j1case/1", "env": "LH", "id": "LH-1", **parts}
    tasks.write_text(json.dumps(case, ensure_ascii=False), "utf-8")
    assert "[KQ|LC|CD|DD|CI|CR|LH]" in moot("run", "courts", "--help")[1]
    assert "LH 1" in moot("tasks", "validate", str(tasks))[1]
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text(json.dumps({**case, "amount": "viel"}), "utf-8")
    assert "amount" in moot("tasks", "validate", str(wrong))[1]
    scores = {}
    for agent in (
        ("rules",),
        ("gold",),
        ("echo",),
        ("direct", "--model", "parrot:询问结束，甲公司", "--seat", "creditor=parrot:不知道"),
    ):
        code, out, err = moot("run", "courts", "--env", "lh", "--tasks", str(tasks), "--json", "--agent", *agent)
        assert code == 0, err
        block = json.loads(out)
        scores[agent[0]] = block["strict"]["LH"]["TOLD"]
        assert (block["floor"]["strict"]["LH"]["TOLD"], block["ceiling"]["strict"]["LH"]["TOLD"]) == (0, 100)
        assert block["compat"]["LH"] == {} and block["strict"]["overall"] == scores[agent[0]]
    assert scores == {"rules": 100, "gold": 100, "echo": 0, "direct": pytest.approx(100 / 3)}
    run = json.loads(moot("list", "--json")[1])["runs"][-1]["run"]
    assert "\n律师函撰写 · n = 1\n" in moot("report", run)[1] and "律师函" in moot("show", run, "LH-1")[1]
    assert moot("resume", run)[0] == 0
    (site / "letters_of_demand.py").unlink()
    shown = moot("show", run, "LH-1")
    assert shown[0] == 0 and "律师函" in shown[1] and len(json.loads(moot("list", "--json")[1])["runs"]) == 4
    for command in ("report", "score", "resume"):
        code, _, err = moot(command, run)
        assert code == 1 and "court environment 'LH' of package aa_extension cannot be loaded" in err


def test_a_tool_is_listed_called_and_given_to_a_model(moot: Moot, sample_pack: Path, tmp_path: Path) -> None:
    assert "weather" in moot("tools", "list")[1]
    code, out, err = moot("tools", "call", "weather", "--input", '{"city": "无锡", "days": 2}', "--json")
    assert code == 0 and json.loads(out)["value"] == {"城市": "无锡", "天气": ["晴", "晴"], "数据包": "sample"}, err
    refused = json.loads(moot("tools", "call", "weather", "--input", '{"city": 7}', "--json")[1])
    assert refused["status"] == "call_error"
    script = tmp_path / "script.json"
    call = {"thought": "查天气", "action": "weather", "action_input": {"city": "无锡", "days": 1}}
    last = {"thought": "知道了", "action": "Final Answer", "action_input": "晴"}
    said, ended = (json.dumps(one, ensure_ascii=False) for one in (call, last))
    script.write_text(json.dumps({"rules": [{"when": "无锡", "replies": [ended]}], "otherwise": [said]}), "utf-8")
    line = f"run legalagentbench --agent react --model scripted:{script} --limit 1 --json --with-tools weather"
    code, out, err = moot(*line.split())
    assert code == 0 and json.loads(out)["outcomes"]["finished"] == 1, err
    run = json.loads(moot("show", "latest", "--json")[1])
    shown = moot("show", "latest", run["episodes"][0]["episode"], "--json")[1]
    returned = [record for record in json.loads(shown)["records"] if record["tag"] == "tool_returned"]
    assert len(returned) == 1 and "无锡" in json.dumps(returned, ensure_ascii=False)
    assert run["header"]["spec"]["with_tools"] == ["weather"]


def test_a_scorer_stands_beside_the_figures_of_the_benchmark(moot: Moot, site: Path, sample_pack: Path) -> None:
    (site / "wrong.py").write_text(WRONG, "utf-8")
    scorer = (
        "import moot\n\n\n@moot.scorer('silly/2', label=('傻', 'silly'))\ndef silly(question, result):\n"
        "    return 1 / 0\n"
    )
    (site / "wrong_scorer.py").write_text(scorer, "utf-8")
    install(site, "zz_broken", BROKEN)
    code, out, err = moot("run", "legalagentbench", "--agent", "guesser", "--limit", "3", "--json")
    assert code == 0, err
    added = json.loads(out)["added"]
    assert added["brevity"]["value"] == 0.98 and added["brevity"]["n"] == 3 and added["brevity"]["version"] == "1"
    assert added["silly"]["value"] is None and "ZeroDivisionError" in added["silly"]["why"] and "seven" not in added
    assert json.loads(moot("score", "latest", "--json")[1])["added"] == added
    report = moot("report", "latest")[1]
    assert "简洁 0.980" in report and "傻 – ZeroDivisionError" in report
    shutil.rmtree(site / "zz_broken-1.0.dist-info")
    shutil.rmtree(site / "aa_extension-1.0.dist-info")
    assert "added" not in json.loads(moot("score", "latest", "--json")[1])


def test_an_importer_makes_a_pack(moot: Moot, tmp_path: Path) -> None:
    source = tmp_path / "letters.txt"
    source.write_text("甲公司\t造灯\n乙公司\t修灯\n", "utf-8")
    code, out, err = moot("data", "import", "letters", str(source), "--name", "mine", "--json")
    assert code == 0, err
    assert json.loads(moot("data", "list", "--json")[1])["packs"][0]["tables"]["CompanyInfo"] == 2
    assert "letters" in moot("data", "import", "--help")[1]
    code, _, err = moot("data", "import", "parquet", str(source))
    assert code == 2 and "no import format named parquet" in err and "letters" in err


def test_a_broken_extension_is_named_and_everything_else_goes_on(moot: Moot, site: Path, sample_pack: Path) -> None:
    (site / "broken.py").write_text("raise RuntimeError('half installed')\n", "utf-8")
    install(site, "zz_broken", BROKEN)
    code, out, err = moot("run", "courts", "--limit", "1", "--json")
    assert code == 0 and json.loads(out)["benchmark"] == "courts", err
    code, _, err = moot("run", "broken")
    said = "moot: benchmark 'broken' of package zz_broken cannot be loaded: RuntimeError: half installed"
    assert code == 2 and err.startswith(said)
    assert moot("run", "--help")[0] == 0
    checks = {check["key"]: check for check in json.loads(moot("doctor", "--json")[1])["checks"]}
    found = checks["extensions"]
    assert found["status"] == "failed" and all(word in found["detail"] for word in ("broken", "courts", "absent"))


def test_a_run_of_an_extension_that_is_gone_opens_and_says_so(moot: Moot, site: Path, sample_pack: Path) -> None:
    tasks = str(sample_pack / "tasks" / "legalagentbench.jsonl")
    assert moot("run", "riddles", "--limit", "1", "--tasks", tasks)[0] == 0
    shutil.rmtree(site / "aa_extension-1.0.dist-info")
    (line,) = json.loads(moot("list", "--json")[1])["runs"]
    run = str(line["run"])
    code, out, err = moot("show", run)
    assert code == 0 and "riddles" in out, err
    code, _, err = moot("score", run)
    assert code in (1, 2) and "riddles" in err
