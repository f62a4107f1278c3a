"""What every test may rely on: a home of its own, and the development data when it is there."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import click
import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from app import strings
from app.strings import sentences
from models.llama import shipped

ROOT = Path(__file__).resolve().parents[1]

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
"""Two workers on two cores: linear algebra on several threads would spend most of its time waiting for the other
worker."""
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
"""Tests start several hundred processes; each would compile the product anew."""

MEMORY, ROOM = Path("/dev/shm"), 4 << 30
if not {"PYTEST_DEBUG_TEMPROOT", "TMPDIR"} & os.environ.keys() and hasattr(os, "ST_NOEXEC"):
    with suppress(OSError):
        disk = os.statvfs(MEMORY)
        if disk.f_bavail * disk.f_frsize >= ROOM and not disk.f_flag & os.ST_NOEXEC:
            os.environ["PYTEST_DEBUG_TEMPROOT"] = str(MEMORY)
"""Where there is much memory, folders of tests lie in it: a run waits for the disk at each of its steps, and so much
was waited for in half of the tests. What is promised there, that it survives, no test could see on a disk either."""

gc.set_threshold(100_000, 10, 10)
gc.disable()
"""Much is made and little is thrown away: looking through all of it took a fortieth of the time. While tests are
collected, all of it stays."""

settings.register_profile(
    "any machine",
    max_examples=50,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("any machine")
"""Properties hold or fail by what they say: never by the speed of the machine, nor by what an earlier run has left.
Each is tried fifty times."""


_context = click.Context.__init__


def _as_below_moot(
    self: click.Context, command: click.Command, parent: click.Context | None = None, *rest: Any, **named: Any
) -> None:
    """click keeps, for the life of a command, the help option of the first context that it meets: also where a test
    calls one command alone, that is the one which all have below `moot`."""
    if parent is None:
        named.setdefault("help_option_names", ["-h", "--help"])
    _context(self, command, parent, *rest, **named)


click.Context.__init__ = _as_below_moot  # type: ignore[method-assign]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Half as many workers again as there are cores: many tests wait for a process, a pipe or a terminal."""
    cores = os.cpu_count() or 1
    return cores + (cores + 1) // 2


def pytest_collection(session: pytest.Session) -> None:
    """Workers read the modules of tests in different orders before they collect: what one has compiled the others
    load. In a fresh checkout each would compile all of them at the same time."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None:
        return
    folders = [Path(session.config.invocation_params.dir, word) for word in session.config.args]
    files = sorted(file for folder in folders for file in folder.rglob("test_*.py"))
    begin = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for file in (*files[begin:], *files[:begin]):
        with suppress(Exception, pytest.skip.Exception):  # who collects it, says it
            import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Eight thousand tests stay until the end: they need not be looked through again and again."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def signals_as_usual() -> Iterator[None]:
    """Under nohup, or in the background of a script, some signals are ignored; processes of tests would inherit
    that."""
    numbers = [getattr(signal, name) for name in ("SIGHUP", "SIGINT", "SIGQUIT") if hasattr(signal, name)]
    ignored = [number for number in numbers if signal.getsignal(number) == signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders for one test after another, not there yet. Numbered here: `mktemp` reads all that there are for each
    new one."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def moot_home(
    homes: Iterator[Path], tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A fresh MOOT_HOME and the language of MOOT_LANG: no test sees the user's packs or runs, nor what another
    chose."""
    home = next(homes)
    home.mkdir()
    monkeypatch.setenv("MOOT_HOME", str(home))
    monkeypatch.setenv("MOOT_LANG", "zh")
    monkeypatch.setattr(
        shipped, "FOLDER", home / "tiny"
    )  # nor the model that comes with Moot: `shipped_model` lays it there
    ours, theirs = home / "cache" / "jieba.cache", everywhere(tmp_path_factory) / "jieba.cache"
    if theirs.is_file():  # else each process of each test would read the dictionary of the segmenter anew
        ours.parent.mkdir()
        with suppress(OSError):
            os.link(theirs, ours)
    yield home
    strings.set_language(None)
    if not theirs.is_file():
        with suppress(OSError):
            os.link(ours, theirs)


QUESTION = "松烟梧堂精密机械股份有限公司的法定代表人是谁？"


@pytest.fixture
def shipped_model(moot_home: Path, tiny_gguf: Path) -> Path:
    """A stand-in for the model that comes with Moot: a random one with a card. Gives its file."""
    shipped.FOLDER.mkdir()
    file = shipped.FOLDER / "moot-tiny.gguf"
    file.write_bytes(tiny_gguf.read_bytes())
    kinds = f'[[kinds]]\nname = "法定代表人"\nexample = "{QUESTION}"\n'
    words = (
        f'name = "moot-tiny"\nsha256 = "{sha256(file.read_bytes()).hexdigest()}"\nform = "compact"\n'
        f"context = 512\n{kinds}"
    )
    (shipped.FOLDER / shipped.CARD).write_text(words, encoding="utf-8")
    return file


@pytest.fixture(autouse=True)
def plain_sentences(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests read the sentences of the rooms below as these say them, but for those of the table itself."""
    if request.node.get_closest_marker("chinese_sentences") is None:
        monkeypatch.setattr(sentences, "table", dict)
        monkeypatch.setattr(sentences, "templates", list)


def everywhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that lasts for the session and is the same for every worker."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def made_once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[], object]) -> Path:
    """A pack that the first worker who wants it makes, for all of them."""
    home = everywhere(tmp_path_factory) / f"{name}_home"
    built = home / "packs" / name
    with FileLock(f"{home}.lock"), pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(home))
        if not built.is_dir():
            make()
    return built


@pytest.fixture(scope="session")
def sample_built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped pack, built once in a session: to be read only. `sample_pack` is a copy that belongs to a test."""
    from tasks.sample.build import build_sample

    return made_once(tmp_path_factory, "sample", build_sample)


@pytest.fixture(scope="session")
def published_statutes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The statutes of LegalSearch-R1, imported by the command once in a session: to be read only."""
    from click.testing import CliRunner

    from app.cli.data import data as commands

    folder = shared_data("legalsearch_r1", "statutes.jsonl").parent

    def bring_in() -> None:
        done = CliRunner().invoke(commands, ["import", "legalsearch", str(folder), "--name", "statutes"])
        assert done.exit_code == 0, done.output

    return made_once(tmp_path_factory, "statutes", bring_in)


@pytest.fixture
def sample_pack(sample_built: Path, moot_home: Path) -> Path:
    """The shipped pack in the home of this test."""
    return Path(shutil.copytree(sample_built, moot_home / "packs" / "sample"))


def shared_data(*parts: str) -> Path:
    """A folder or file of the development data; the test is skipped when it is absent."""
    path = ROOT.parent.joinpath("shared", "data", *parts)
    if not path.exists():
        pytest.skip(f"development data not present: {'/'.join(parts)}")
    return path


@pytest.fixture(scope="session")
def data() -> object:
    """`data("legalagentbench", "calls.jsonl.gz")` gives a path or skips."""
    return shared_data


@pytest.fixture(scope="session")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny chat model with a ChatML template; see tests/support/gguf_files.py for others."""
    from tests.support.gguf_files import tiny_llama

    return tiny_llama(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="session")
def bert_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny embedding model."""
    from tests.support.gguf_files import tiny_bert

    return tiny_bert(tmp_path_factory.mktemp("gguf") / "bert.gguf")


@pytest.fixture(scope="session")
def recurrent_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny chat model whose memory cannot be rolled back."""
    from tests.support.gguf_files import tiny_recurrent

    return tiny_recurrent(tmp_path_factory.mktemp("gguf") / "recurrent.gguf")
