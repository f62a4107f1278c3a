"""The desk in a real terminal, fed with text that attacks terminals: every byte that comes out is checked.

Task questions, replies of the model, corpus rows, observations, answers, names of runs and packs all carry escape
sequences, 8-bit controls, bidirectional overrides, markup and 5,000 combining marks.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shutil
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyte
import pytest

from tests.support.patience import PATIENCE

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")]

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = re.compile(
    # shape of the mouse pointer
    r"\x1b\]22;(?:default|pointer|text|grab|grabbing|not-allowed|wait|help|[ensw]{1,4}-resize)\x07"
    r"|\x1b\[(?:"
    r"[0-9;:]*m"  # colours
    r"|[0-9;]*[HfABCDEFGJK]"  # moving and clearing
    # modes: mouse, focus, paste, whole frames
    r"|\?(?:7|25|1000|1002|1003|1004|1006|1015|1016|1049|2004|2026|2048)[hl]"
    r"|\?(?:2026|2048)\$p"
    r"|>[0-9]*u|<u|6n"  # keyboard protocol, cursor query
    r")"
)
"""All that the desk may say to a terminal besides text: no other OSC (titles, clipboard, links), no DCS, no other
ESC."""


def offences(stream: bytes) -> list[str]:
    """What in the stream is neither text that is safe to print nor an allowed sequence."""
    try:
        text = stream.decode("utf-8")
    except UnicodeDecodeError as error:
        return [f"not UTF-8 at byte {error.start}"]
    found = []
    marks = position = 0
    while position < len(text):
        match = ALLOWED.match(text, position)
        if match:
            position = match.end()
            continue
        character = text[position]
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks > 8:
            found.append(f"more than 8 combining marks at {position}")
        if category in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") and character not in "\r\n":
            found.append(f"{text[position : position + 12]!r} at {position}")
        position += 1
    return found


LOOKS = 6
"""Of 30 ms each."""


class Desk:
    """A program in a pseudo-terminal: what it sent, and the screen that came of it."""

    def __init__(self, arguments: list[str], columns: int, lines: int) -> None:
        import fcntl
        import struct
        import termios

        self.stream = b""
        self._screen = pyte.Screen(columns, lines)
        self._feeder = pyte.ByteStream(self._screen)
        self._fed = 0
        self._ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", "ESCDELAY": "20"}
        environment = {**os.environ, **terminal}
        for name in ("NO_COLOR", "COLUMNS", "LINES", "TEXTUAL_DRIVER"):
            environment.pop(name, None)
        self.process = subprocess.Popen(
            [sys.executable, *arguments], cwd=ROOT, env=environment, stdin=theirs, stdout=theirs, stderr=theirs,
            start_new_session=True,
        )  # fmt: skip
        self._name = os.ttyname(theirs)
        os.close(theirs)

    def read(self, seconds: float) -> bool:
        """Take in what comes for so long; False when the program has closed its end."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self._ours], [], [], left)[0]:
                return True
            try:
                came = os.read(self._ours, 65536)
            except OSError:
                return False
            if not came:
                return False
            self.stream += came
        return True

    @property
    def screen(self) -> pyte.Screen:
        """What came of it all; made when somebody looks."""
        self._feeder.feed(self.stream[self._fed :])
        self._fed = len(self.stream)
        return self._screen

    @property
    def text(self) -> str:
        screen = self.screen
        # pyte's own `display` fails on the right half of a wide character whose left half has been overwritten
        lines = (screen.buffer[y] for y in range(screen.lines))
        return "\n".join("".join(line[x].data for x in range(screen.columns)) for line in lines)

    @property
    def last_words(self) -> str:
        plain = re.sub(ALLOWED, "", self.stream[-20_000:].decode("utf-8", "replace"))
        return f"the program ended; it said:\n{plain[-4000:]}"

    def wait(self, shown: Callable[[str], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not shown(self.text):
            assert time.monotonic() < end, f"never came; the screen shows:\n{self.text}"
            assert self.read(0.1), self.last_words

    def settle(self) -> None:
        """Read until every key has been taken and `LOOKS` looks in a row find nothing new and every thread asleep.

        So many that an escape is taken for itself: the desk waits, asleep, whether it begins a sequence with the key
        after it.
        """
        quiet, end = 0, time.monotonic() + PATIENCE
        while quiet < LOOKS:
            assert time.monotonic() < end, f"never still; the screen shows:\n{self.text}"
            before = len(self.stream)
            assert self.read(0.03), self.last_words
            quiet = quiet + 1 if before == len(self.stream) and not self.untaken and self.asleep else 0

    @property
    def asleep(self) -> bool:
        """Whether the program waits, in all its threads: one that was only given no processor counts as working."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        if not tasks.is_dir():  # no Linux: nothing tells, so give it time
            time.sleep(0.1)
            return True
        states = []
        for task in tasks.iterdir():
            with contextlib.suppress(OSError):
                states.append((task / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0])
        return all(state == "S" for state in states)

    @property
    def untaken(self) -> int:
        """Bytes typed that the program has not read: an escape must not meet the key after it."""
        import fcntl
        import termios

        with contextlib.suppress(OSError):
            theirs = os.open(self._name, os.O_RDONLY | os.O_NOCTTY)
            try:
                return int.from_bytes(fcntl.ioctl(theirs, termios.FIONREAD, bytes(4)), sys.byteorder)
            finally:
                os.close(theirs)
        return 0

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def press(self, keys: str) -> None:
        self.type(keys)
        self.settle()

    def finish(self) -> int:
        end = time.monotonic() + PATIENCE
        while self.read(0.1) and time.monotonic() < end:
            pass
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        with contextlib.suppress(OSError):
            os.close(self._ours)


@contextlib.contextmanager
def desk(*arguments: str, columns: int = 120, lines: int = 40) -> Iterator[Desk]:
    opened = Desk([*arguments], columns, lines)
    try:
        yield opened
    finally:
        opened.close()


ATTACKS = {
    "colour": "\x1b[31;5m红\x1b[2J\x1b[H",
    "title": "\x1b]0;改了标题\x07",
    "clipboard": "\x1b]52;c;cm0gLXJmIC8=\x1b\\",
    "link": "\x1b]8;;https://attack.invalid\x1b\\点我\x1b]8;;\x1b\\",
    "eight-bit": "\x9b2J\x9d52;c;QQ==\x9c\x90q\x9c\x85",
    "device": "\x1bP+q544e\x1b\\\x1b_Gi=31\x1b\\\x1b^x\x1b\\\x1bc\x1b[6n\x1b[c",
    "bell": "\x07\x08\x08\x08\x0e\x0f\x7f\x00",
    "return": "真话\r假话",
    "bidi": "\u202e反过来\u202c\u2066\u2069\u200f",
    "invisible": "民\u200b法\ufeff典\u2060\U000e0041\U000e0042",
    "marks": "重" + "\u0301" * 5000,
    "markup": "[/red][@click=app.quit]退出[/][b][link=https://attack.invalid]x[/link] [bold red",
    "private": "\ue0b0\U000f0000\uffff",
}
NASTY = " ".join(ATTACKS.values())


def test_the_check_finds_each_attack() -> None:
    harmless = {"colour", "markup", "return"}  # to a terminal
    found = {name for name, attack in ATTACKS.items() if offences(attack.encode("utf-8", "surrogatepass"))}
    assert found == ATTACKS.keys() - harmless and offences(b"\x1b[31q")


@pytest.fixture
def hostile_run(moot_home: Path) -> Path:
    """A finished run in which every text attacks, beside a run and a pack whose names do."""
    from store.builder import PackBuilder
    from tasks.run.runner import start_run
    from tasks.run.spec import RunSpec

    about = {"jurisdiction": NASTY, "source": NASTY, "licence": NASTY}
    with PackBuilder("hostile", coverage="complete", as_of="2026-01-01", **about) as pack:
        for name, code, source in ((f"甲公司{NASTY}", "999001", NASTY), ("乙公司", NASTY, "")):
            row = {"公司名称": name, "公司代码": code, "法人代表": NASTY}
            pack.add_row("CompanyInfo", row, "authored", source=source)
        pack.add_document("LegalKnowledge", NASTY, "authored")
    call = {"action": "get_company_info", "action_input": {"identifier": "乙公司", "columns": []}}
    replies = [
        f"思考：{NASTY}\n```json\n{json.dumps(call, ensure_ascii=False)}\n```",
        f"{NASTY} 没有行动",
        f"思考：查。\n```json\n{json.dumps({'action': NASTY, 'action_input': NASTY})}\n```",
        f"```json\n{json.dumps({'action': 'legal_knowledge_retriever', 'action_input': {'query': NASTY, 'k': 2}})}\n"
        f"```",
        f"思考：答。\n```json\n{json.dumps({'action': 'Final Answer', 'action_input': f'答：{NASTY}'})}\n```",
    ]
    (moot_home / "script.json").write_text(json.dumps({"otherwise": replies}), encoding="utf-8")
    tasks = [
        {"id": n, "question": f"{n} {NASTY}乙公司？{NASTY}", "answer": NASTY, "key": [NASTY], "key_middle": [NASTY],
         "type": "1-1", "way": "get_company_info"}
        for n in (1, 2)
    ]  # fmt: skip
    (moot_home / "tasks.json").write_text(json.dumps(tasks), encoding="utf-8")
    spec = RunSpec(
        benchmark="legalagentbench", agent="react", model=f"scripted:{moot_home / 'script.json'}", pack="hostile",
        tasks=str(moot_home / "tasks.json"), max_turns=8, seed=3,
    )  # fmt: skip
    path = moot_home / "runs" / "hostile.moot"
    with start_run(spec, out=path) as run:
        run.go()
        run.record_scores()
    shutil.copy(path, path.with_name("\x1b]0;title\x07\x9b2J\u202e[red].moot"))
    broken = moot_home / "packs" / "\x1b]52;c;QQ==\x07[b]\u202e"
    broken.mkdir()
    (broken / "manifest.json").write_text(json.dumps({"name": NASTY}))
    return path


COMMANDS = [
    *(line.split() for line in ("list", "list --json", "score hostile", "score hostile --json", "report hostile")),
    *(["show", "hostile", *more.split()] for more in ("", "1", "1 --prompts", "1 --json")),
    ["show", "\x1b]0;no such\x07run"],
    *(line.split() for line in ("data list", "data list --json", "data verify", "doctor", "doctor --json")),
    ["tools", "call", "get_company_info", "--input", '{"identifier": "乙公司", "columns": []}', "--pack", "hostile"],
    ["run", "legalagentbench", "--pack", "hostile", "--tasks", "\x1b]0;x\x07.json"],
    *("run legalagentbench --pack hostile --agent rules --tasks tasks.json --watch".split() + more
        for more in (["plain"], ["json", "--json"])),
]  # fmt: skip


ONE_BY_ONE = """
import json, os, sys, traceback
from pathlib import Path
from app.cli.main import main
for number, arguments in enumerate(json.loads(sys.argv[1])):
    for stream, name in ((1, "out"), (2, "err")):
        file = os.open(Path(sys.argv[2], f"{number}.{name}"), os.O_WRONLY | os.O_CREAT)
        os.dup2(file, stream)
        os.close(file)
    try:
        main(arguments)
    except SystemExit:
        pass
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
"""
"""Gives each command in turn two files for what it prints; one process, for most of a short command is its start."""


def test_the_command_line_prints_nothing_that_acts(hostile_run: Path, moot_home: Path, tmp_path: Path) -> None:
    lines = [[str(moot_home / "tasks.json") if word == "tasks.json" else word for word in line] for line in COMMANDS]
    command = [sys.executable, "-c", ONE_BY_ONE, json.dumps(lines), str(tmp_path)]
    subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=True)
    for number, arguments in enumerate(lines):
        said, complained = ((tmp_path / f"{number}.{name}").read_bytes() for name in ("out", "err"))
        assert b"Traceback" not in complained, (arguments, complained[-3000:])
        assert said or complained, arguments
        assert offences(said) == [], arguments
        assert offences(complained) == [], arguments


OPEN = """
import sys
from pathlib import Path
from app.guard import install_guard
from app.desk.main import open_desk
install_guard()
sys.exit(open_desk(*map(Path, sys.argv[1:])))
"""

NARROW = {"columns": 80, "lines": 24}
"""Most is cut here; an episode is driven in the wide size."""


def leave(opened: Desk) -> None:
    """Quit, and hold the whole stream to the allowed set."""
    opened.type("\x11")
    assert opened.finish() == 0, opened.stream[-3000:].decode("utf-8", "replace")
    assert offences(opened.stream) == []


def test_an_episode_in_every_view(hostile_run: Path) -> None:
    with desk("-c", OPEN, str(hostile_run), **NARROW) as opened:
        opened.wait(lambda text: "已结束" in text)
        opened.press("\r")
        opened.wait(lambda text: "⍰" in text or "␛" in text)
        for keys in ("\x1b[H", "\x1b[B" * 6, "\r", "\x1b[F", "\r", *"vvmbg]["):
            opened.press(keys)
        for keys in ("/乙公司\r\r", "\x1b", "\x1bOP", "\x1b", "\x10", "\x1b", "f", "\x1b", "s", "\x1b", "l"):
            opened.press(keys)
        assert "\U000e0041" not in opened.text and "\u202e" not in opened.text
        leave(opened)


def records_of(path: Path) -> list[Any]:
    from store.journal import Journal
    from tasks.run.reading import read_episode

    with Journal.open(path) as journal:
        return [record for row in journal.episodes() for record in read_episode(journal, row.id)]
