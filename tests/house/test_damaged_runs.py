"""Damaged run files through the command line and the desk: every command ends with 0, 1 or 2 and one sentence, prints
nothing that a terminal obeys, and the sound run beside them stays in the list."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from textual.widgets import Static

from app.cli.main import main
from app.desk.dialogs import ProblemScreen
from app.desk.home.run import RunScreen
from app.library import RunLine
from store.errors import StoreError
from store.journal import Journal
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.desk.conftest import desk, until
from tests.support.damaged_runs import DAMAGES, ODD, places, rewrite

pytestmark = pytest.mark.slow

OBEYED = re.compile("\x1b|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
"""What moves a cursor, changes a terminal or turns the order of what is read."""
SPECS = {
    "legalagentbench": {"benchmark": "legalagentbench", "agent": "gold", "limit": 2},
    "legalsearch": {"benchmark": "legalsearch", "agent": "gold", "limit": 1},
    "courts": {"benchmark": "courts", "agent": "gold", "env": "KQ", "limit": 1},
}


@pytest.fixture(scope="module")
def home(sample_built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample pack."""
    path = tmp_path_factory.mktemp("damaged")
    (path / "packs").mkdir()
    (path / "packs" / "sample").symlink_to(sample_built, target_is_directory=True)
    return path


@pytest.fixture(scope="module")
def sound(home: Path) -> dict[str, Path]:
    """A short run of each benchmark that has ended, by benchmark."""
    paths = {name: home / f"{name}.moot" for name in SPECS}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(home))
        for name, path in paths.items():
            with start_run(RunSpec.model_validate(SPECS[name]), out=path) as run:
                run.go()
                run.record_scores()
    return paths


@pytest.fixture
def runs(home: Path, sound: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of runs with one that is sound, `good.moot`."""
    monkeypatch.setenv("MOOT_HOME", str(home))
    folder = home / "runs"
    folder.mkdir()
    shutil.copy(sound["legalagentbench"], folder / "good.moot")
    yield folder
    shutil.rmtree(folder)


def refusals(runs: Path, path: Path, episode: str) -> list[int]:
    """Drive the commands over a run file; their exit codes, once all promises were seen to hold."""
    commands = (
        ("list", "--json"),
        ("show", str(path)),
        ("show", str(path), "--prompts", "--", episode),
        ("report", str(path), "--format", "json"),
        ("export", str(path), "--to", "jsonl"),
        ("score", str(path), "--json"),
        ("resume", str(path)),
    )
    codes = []
    for command in commands:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main(list(command))
        code = int(ended.value.code or 0)
        assert code in (0, 1, 2), command
        assert code == 0 or err.getvalue().strip(), f"{command} was refused without a word"
        assert "Traceback" not in err.getvalue(), command
        assert not OBEYED.search(out.getvalue() + err.getvalue()), command
        if command[0] == "list":
            assert code == 0
            listed = json.loads(out.getvalue())
            assert str(runs / "good.moot") in {row["path"] for row in listed["runs"]}
            assert path.name in out.getvalue(), "a damaged file is named too"
        codes.append(code)
    return codes


def first_episode(path: Path) -> str:
    with Journal.open(path) as journal:
        return journal.episodes()[0].id


@pytest.mark.parametrize("damage", DAMAGES)
def test_no_damage_brings_a_command_down(runs: Path, sound: dict[str, Path], damage: str) -> None:
    path = runs / "bad.moot"
    shutil.copy(sound["legalagentbench"], path)
    episode = first_episode(path)
    DAMAGES[damage](path)
    refusals(runs, path, episode)


@pytest.mark.parametrize("benchmark", SPECS)
@settings(max_examples=6)
@given(data=st.data())
def test_no_value_brings_a_command_down(
    runs: Path, sound: dict[str, Path], benchmark: str, data: st.DataObject
) -> None:
    """Whatever the header and the events say, also where the hash chain vouches for it."""
    path = runs / "odd.moot"
    path.unlink(missing_ok=True)
    where, value = data.draw(st.sampled_from(places(sound[benchmark]))), data.draw(st.sampled_from(ODD))
    try:
        rewrite(sound[benchmark], path, where, value)
    except (StoreError, UnicodeError, OverflowError):
        assume(False)
    refusals(runs, path, first_episode(sound[benchmark]))


async def test_the_desk_says_one_sentence_of_a_damaged_run(runs: Path, sound: dict[str, Path]) -> None:
    kinds = ("empty", "cut at 0.7", "without events", "a cell of bytes", "header emptied")
    for number, kind in enumerate(kinds):
        path = runs / f"bad{number}.moot"
        shutil.copy(sound["courts"], path)
        DAMAGES[kind](path)
    async with desk() as pilot:
        app = pilot.app
        assert len(app.home_screen.runs) == len(kinds) + 1
        for number in range(len(kinds)):
            screen = RunScreen(RunLine(runs / f"bad{number}.moot", "bad"))
            app.push_screen(screen)
            await until(pilot, lambda screen=screen: screen.stored or isinstance(app.screen, ProblemScreen))
            if isinstance(app.screen, ProblemScreen):
                said = " ".join(str(part.content) for part in app.screen.query(Static))
                assert not OBEYED.search(said) and "Error" not in said.split(":")[0]
            while len(app.screen_stack) > 1:
                app.pop_screen()
                await pilot.pause()
