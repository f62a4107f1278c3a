"""The child that renders chat templates: it ends when it must, costs one order, is replaced, and outlives nobody."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from models.engine import Ask, EngineError, Message, Settings
from models.llama import template_process
from models.llama.engine import LlamaEngine, LlamaSettings
from models.llama.template import ChatTemplate
from tests.support.gguf_files import tiny_llama
from tests.support.tool_templates import ENDLESS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
TALK = [Message("user", "问<|im_end|>")]
POSIX = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="limits of POSIX systems")


def child_that(monkeypatch: pytest.MonkeyPatch, does: str) -> template_process.TemplateProcess:
    """A child of its own whose `answer` is this expression; `order` is what it was asked."""
    script = (
        "import sys; from app.cli import engine; from app.guard import prove\n"
        "import models.llama.rendering as r, models.llama.template_process as t\n"
        f"t.LIMIT = 0.3; r.answer = lambda order: {does}; sys.exit(engine.serve('_template'))"
    )
    monkeypatch.setattr(template_process, "command", lambda name: [sys.executable, "-c", script])
    monkeypatch.chdir(ROOT)
    return template_process.TemplateProcess()


def gone(pid: int) -> bool:
    """Whether a process has ended; a dead one that nobody has waited for has."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z"


def wait_for_the_end(pid: int) -> None:
    for _ in range(1200):
        if gone(pid):
            return
        time.sleep(0.1)
    raise AssertionError(f"process {pid} lives on")


@POSIX
def test_one_step_without_end_costs_one_order(monkeypatch: pytest.MonkeyPatch) -> None:
    child = child_that(monkeypatch, "{'renderings': [sum(range(10 ** 15))]} if order['hang'] else {'renderings': []}")
    with pytest.raises(
        EngineError, match="the chat template was stopped: it takes more than 2.4 seconds of processor time"
    ):
        child.ask({"hang": True})
    assert child.pid is None
    assert child.ask({"hang": False}) == {"renderings": []}
    child.close()


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("sys.exit(7)", "its process died (exit code 7)"),
        ("__import__('os').abort()", "its process died ("),
        ("__import__('os').write(1, b'no answer') and sys.exit(7)", "exit code 7"),
        ("t._HEAD and __import__('os').closerange(3, 9)", "its process died ("),
    ],
)
def test_whatever_ends_a_child_is_one_sentence(does: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    child = child_that(monkeypatch, does)
    with pytest.raises(EngineError) as caught:
        child.ask({})
    assert caught.value.title.startswith("the chat template was stopped: ") and said in caught.value.title
    child.close()


@POSIX
def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    child = child_that(
        monkeypatch, "setattr(r, '_compiled', lambda source: bytearray(1 << 32)) or saved({'source': ''})"
    )
    script = template_process.command("_template")[-1].replace("t.LIMIT", "saved = r.answer; t.LIMIT")
    monkeypatch.setattr(template_process, "command", lambda name: [sys.executable, "-c", script])
    assert child.ask({}) == {"failed": "the chat template was stopped: it needs too much memory"}
    child.close()


def test_a_killed_child_is_replaced() -> None:
    template = ChatTemplate(None, "<s>", "</s>")
    before, rendered = template_process.pid(), template.pieces(TALK, thinking=True)
    assert before is not None
    os.kill(before, getattr(signal, "SIGKILL", signal.SIGTERM))
    wait_for_the_end(before)
    assert template.pieces(TALK, thinking=True) == rendered
    assert template_process.pid() not in (None, before)


@POSIX
@pytest.mark.parametrize("doing", ["time.sleep(600)", "template_process.ask({'hang': True})"])
def test_a_child_dies_with_its_parent(doing: str, tmp_path: Path) -> None:
    busy = (
        "import sys; import models.llama.rendering as r, models.llama.template_process as t; r.answer = lambda "
        "order: sum(range(10 ** 15 if 'hang' in order else 9)) and {}; sys.exit(t.main())"
    )
    script = (
        "import sys, time; from models.llama import template_process\n"
        f"template_process.command = lambda name: [sys.executable, '-c', {busy!r}]\n"
        f"template_process.ask({{}}); print(template_process.pid(), flush=True); {doing}"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert not gone(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_for_the_end(pid)


def test_the_child_reaches_no_network_and_loads_little(monkeypatch: pytest.MonkeyPatch) -> None:
    child = child_that(monkeypatch, "{'refused': str(prove()), 'loaded': sorted(sys.modules)}")
    found = child.ask({})
    child.close()
    assert "Network use refused" in found["refused"]
    assert "jinja2" in found["loaded"]
    assert not {"textual", "llama_cpp", "numpy", "pydantic", "sqlite3"} & set(found["loaded"])


def test_a_hostile_template_costs_a_call_and_not_the_engine(tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp")
    path = tiny_llama(tmp_path / "hostile.gguf", template="{% if messages %}" + ENDLESS + "{% endif %}")
    engine = LlamaEngine(path, LlamaSettings(ctx=256, threads=1, slots=1))
    ask = Ask("agent", (Message("user", "问"),), "test/1", settings=Settings(max_tokens=4), episode="e")
    try:
        engine.load()
        pid = engine.process.pid
        (result,) = engine.answer([ask])
        assert isinstance(result, EngineError) and "the chat template was stopped" in result.title
        assert engine.process.pid == pid and engine.tokenize("甲")
    finally:
        engine.close()
