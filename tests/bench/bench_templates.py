"""Hostile chat templates by every way they come in, and what the child costs honest ones. `bench_templates.py
[WORD]`.

Each template goes through `complaint`, `append_only`, `pieces`, the desk's view of a prompt (`w`) and `moot models
check` of a file that carries it. Work is processor time of this process and its children, start of the child
included; the machine may be as busy as it likes. WORD keeps the templates whose name holds it.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from app.desk.episode.seen import _rendered  # noqa: E402
from models.engine import EngineError, Message  # noqa: E402
from models.llama import rendering, template_process  # noqa: E402
from models.llama.template import ChatTemplate, append_only, complaint  # noqa: E402
from tests.models.test_llama_template import FAMILIES, TALK  # noqa: E402
from tests.support.gguf_files import tiny_llama  # noqa: E402
from tests.support.hostile_templates import EVERY  # noqa: E402

MOST_WORK = 5.0
"""Seconds of processor time that anybody may wait for."""
MOST_MEMORY = 1100
"""MiB of a child, above its limit of addresses by what a start costs."""


def by_complaint(source: str) -> str:
    """What `complaint` says."""
    return complaint(source)


def by_append_only(source: str) -> str:
    """The answer of `append_only`, as a sentence."""
    return "" if append_only(ChatTemplate(source, "<s>", "</s>")) else "it is not append-only"


def by_pieces(source: str) -> str:
    """The sentence of `pieces`."""
    ChatTemplate(source, "<s>", "</s>").pieces([Message("user", "问")], thinking=True)
    return ""


def by_desk(source: str) -> str:
    """The sentence under a prompt on the desk."""
    _rendered({"name": "file", "text": source}, TALK, True)
    return ""


WAYS: dict[str, Callable[[str], str]] = {
    "complaint": by_complaint, "append_only": by_append_only, "pieces": by_pieces, "desk": by_desk,
}  # fmt: skip


def work() -> float:
    """Processor time of this process and the children it has reaped."""
    template_process.close()
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def peak() -> int:
    """MiB of the largest child so far."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10


def tried(way: Callable[[], str]) -> tuple[float, str]:
    """Seconds of work and the sentence."""
    before = work()
    try:
        said = way()
    except EngineError as error:
        said = error.title
    return work() - before, said


def checked(source: str, folder: Path) -> tuple[float, str]:
    """`moot models check` of a file that carries the template."""
    path = tiny_llama(folder / "model.gguf", template=source)

    def check() -> str:
        line = [sys.executable, "-m", "app.cli.main", "models", "check", str(path), "--json"]
        done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, check=False)
        if done.returncode or "Traceback" in done.stderr:
            raise RuntimeError(f"exit {done.returncode}: {done.stderr[-300:]}")
        return str(json.loads(done.stdout)["template_problem"])

    return tried(check)


def hostile(word: str) -> list[str]:
    """The table; gives what broke a promise."""
    broken = []
    print(f"{'template':34}" + "".join(f"{name:>12}" for name in (*WAYS, "check")) + "   sentence")
    with tempfile.TemporaryDirectory() as folder:
        for name, source in EVERY.items():
            if word not in name:
                continue
            found = [tried(partial(way, source)) for way in WAYS.values()]
            found.append(checked(source, Path(folder)))
            said = found[2][1]
            print(f"{name:34}" + "".join(f"{took:11.2f}s" for took, _ in found) + f"   {said[:90]}", flush=True)
            for way, (took, sentence) in zip((*WAYS, "check"), found, strict=True):
                if took > MOST_WORK:
                    broken.append(f"{name}: {took:.1f} s by {way}")
                if way == "check" and not source:
                    continue  # a file with an empty template is one without
                if not sentence or not sentence.isprintable() or len(sentence) > 300:
                    broken.append(f"{name}: no sentence by {way}: {sentence[:80]!r}")
    print(f"{len(EVERY)} templates, largest child {peak()} MiB")
    return broken + ([f"a child had {peak()} MiB"] if peak() > MOST_MEMORY else [])


def cost() -> None:
    """Milliseconds of a rendering in this process and through the child, by the length of the conversation."""
    for turns, size in ((4, 20), (60, 500), (400, 2500)):
        said = [Message("user" if at % 2 else "assistant", f"{at}" + "案" * size) for at in range(1, turns)]
        rows = []
        for source in FAMILIES.values():
            template = ChatTemplate(source, "<s>", "</s>")
            call = {
                "messages": [(m.role, m.content) for m in said],
                "thinking": True,
                "generate": True,
                "tools": None,
            }
            order = {**template._order, "calls": [call]}
            jobs = (partial(rendering.answer, order), partial(template.pieces, said, thinking=True))
            rows.append([_milliseconds(job) for job in jobs])
        plain, through = (sum(column) / len(rows) for column in zip(*rows, strict=True))
        what = f"{turns} messages of {size} characters"
        print(
            f"{what}: {plain:.2f} ms in this process, {through:.2f} ms through the child, ratio {through / plain:.2f}"
        )


def _milliseconds(job: Callable[[], object]) -> float:
    job()
    best = 1e9
    for _ in range(7):
        started = time.perf_counter()
        job()
        best = min(best, (time.perf_counter() - started) * 1000)
    return best


def main() -> int:
    """Print both; 0 when nobody waited too long and everybody got a sentence."""
    word = next((argument for argument in sys.argv[1:] if not argument.startswith("-")), "")
    cost()
    broken = hostile(word)
    for line in broken:
        print(f"broken: {line}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
