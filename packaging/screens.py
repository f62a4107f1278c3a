"""Draws the pictures of the desk in docs/screens: twelve screens at 120x40, in Chinese and in English, on the sample
pack. The models and what they say are stand-ins: no weights are needed.

    python packaging/screens.py [FOLDER [PART...]]

PART is records, models, law, review, court or presenter; without one all are drawn.

Textual's SVG names fonts on a server; that block is taken out, so that no browser goes on line for them, and the
widths of Chinese texts are set right.
"""

from __future__ import annotations

import asyncio
import html
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

SIZE = (120, 40)
LANGUAGES = ("zh", "en")
CELL = 12.2
"""Width of a cell in Textual's picture."""
FONTS = "'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', 'Sarasa Mono SC', Menlo, Consolas, monospace"
FONT_SIZE = f"{CELL / 0.602:.2f}px"
"""At this size a character of the first font is one cell wide."""


def offline(svg: str) -> str:
    """The picture without anything that is fetched, every character in its cell."""
    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg)
    svg = re.sub(r"font-family:\s*Fira Code[^;]*;", f"font-family: {FONTS};", svg)
    svg = svg.replace("font-size: 20px;", f"font-size: {FONT_SIZE};")
    svg = re.sub(r'x="([0-9.]+)" y="([0-9.]+)" textLength="[^"]*"( [^>]*)?>([^<]*)<', _placed, svg)
    return re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)


def _placed(match: re.Match[str]) -> str:
    """A text whose characters stand where a terminal puts them; Textual counts characters, not cells."""
    from rich.cells import cell_len

    x, y, rest, content = float(match.group(1)), match.group(2), match.group(3) or "", match.group(4)
    text = html.unescape(content)
    blanks = len(text) - len(text.lstrip("\u00a0"))
    if 0 < blanks < len(text):
        x, text = x + blanks * CELL, text[blanks:]
        content = html.escape(text, quote=False)
    if text.isascii():
        return f'x="{x:g}" y="{y}"{rest}>{content}<'
    places = " ".join(f"{x + cell_len(text[:index]) * CELL:g}" for index in range(len(text)))
    return f'x="{places}" y="{y}"{rest}>{content}<'


def runs() -> None:
    """What the pictures show: whole runs of the rules agent and of the reference, and the demo after its steps."""
    from app.ready_episodes import demo_run
    from tasks.run.runner import start_run
    from tasks.run.spec import RunSpec

    for agent in ("gold", "rules"):
        with start_run(RunSpec(benchmark="legalagentbench", agent=agent, parallel=16)) as run:
            run.go()
            run.record_scores()
    demo, _ = demo_run()
    with demo as run:
        run.go()
        run.record_scores()


def stand_ins(folder: Path) -> None:
    """A library of models and an engine that recites, in place of real ones."""
    from app.desk import engines_offered
    from app.desk.engines_offered import EngineOption
    from app.desk.models import listing as model_list
    from app.strings import t
    from tests.support.gguf_files import tiny_llama
    from tests.support.model_fixture import stand_in_shelf

    tiny = tiny_llama(folder / "tiny.gguf")
    model_list.list_models = lambda: stand_in_shelf(tiny, t("models.state.missing"))
    engines_offered.offered = lambda runs=None: [
        EngineOption(f"llama:{line.name}", line.summary) for line in model_list.list_models().lines if not line.fault
    ]


Keep = Callable[[str], None]


async def draw(folder: Path, home: Path, names: Sequence[str]) -> None:
    """Every picture of the parts. What leaves a run or a pack behind comes last, so that the lists are the same in
    all."""
    from app import strings
    from app.desk.shell import Desk
    from app.ready_episodes import ensure_sample

    ensure_sample()
    if "records" in names:
        runs()
    stand_ins(home)
    for part in (PARTS[name] for name in PARTS if name in names):
        for language in LANGUAGES:
            os.environ["MOOT_LANG"] = language
            strings.set_language(language)
            app = Desk()
            app.animation_level = "none"

            def keep(what: str, app: Desk = app, language: str = language) -> None:
                svg = offline(app.export_screenshot(title="Moot"))
                (folder / f"{what}-{language}-120x40.svg").write_text(svg, encoding="utf-8")

            async with app.run_test(size=SIZE) as pilot:
                await pilot.pause(1)
                await part(app, pilot, keep)
                await app.depart()


async def records(app: Any, pilot: Any, keep: Keep) -> None:
    """Home, and an episode looked back at."""
    keep("home")
    await pilot.press("enter")
    await pilot.pause(1.5)
    await pilot.press("b")
    await pilot.pause(1)
    keep("episode")


async def models(app: Any, pilot: Any, keep: Keep) -> None:
    """The library of models, and one that speaks in an episode."""
    await pilot.press("f4")
    await pilot.pause(0.5)
    await pilot.press("down")
    await pilot.pause(0.5)
    keep("models")
    await pilot.press("escape")
    await turn(app, pilot, keep)


async def turn(app: Any, pilot: Any, keep: Keep) -> None:
    """A model in the middle of its second turn, and what it saw in the first."""
    import json

    import pytest

    from models.engine import Reply, Usage
    from store import places
    from tasks import registry
    from tests.support.desk_fixture import CASE, COMPANY, build_pack
    from tests.support.slow_engine import SlowEngine, TalkPolicy, install, open_slow, talk

    pack = places.packs() / "small"
    if not pack.exists():
        build_pack()
    thought = "题目问涉案金额最高的案件由哪个法院审理，还问负责人。先按公司名称列出裁判文书，再由案号里的代字查法院。"
    call = {"identifier": COMPANY, "columns": ["案号", "涉案金额（元）"]}
    speech = f"先列出该公司的裁判文书。/get_legal_document_company_list {json.dumps(call, ensure_ascii=False)}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TalkPolicy, "name", "react/1")
        engine = install(patch, SlowEngine())
        patch.setitem(registry.ADDED, ("engines", "llama"), open_slow)
        spec = talk(pack).model_copy(update={"model": "llama:stand-in-7b-q4_k_m.gguf"})
        await app.start(spec, everything=False)
        await pilot.pause(1)
        engine.end(
            Reply(speech, Usage(612, 0, 74, 3100.0, "fresh"), reasoning=thought, tokens=tuple(range(1000, 1074)))
        )
        await pilot.press("n")
        await pilot.pause(1)
        await pilot.press("n")
        engine.tell("reading", done=180, total=180)
        for done, character in enumerate(f"涉案金额最高的是{CASE}，代字是云溪0101。", 1):
            engine.tell("thinking", character, done)
            await pilot.pause(0.04)
        for done, character in enumerate("由法院代字查法院名称。", 40):
            engine.tell("speaking", character, done)
            await pilot.pause(0.04)
        await pilot.pause(0.5)
        keep("turn")
        await pilot.press("x")
        await pilot.pause(0.5)
        await pilot.press("w")
        await pilot.pause(1)
        keep("prompt")
        await pilot.press("escape")
        app.controller.leave()
        await pilot.pause(0.5)


ASKED = ("岚洲刑法典第七十八条", "2016-05-01")
"""An article of the sample pack with several wordings, and a day."""
HOLE = ("路灯法第三条", "2009-12-31")
"""A day that the versions of the fictional law of lamps leave out."""


async def law(app: Any, pilot: Any, keep: Keep) -> None:
    """A search by words, two wordings of an article, and a day that the versions leave out."""
    from datetime import date

    from app import law_reading
    from store import places
    from tests.support.statute_fixture import build

    law_reading.today = lambda: date(2026, 6, 1)
    if not (places.packs() / "lamps").exists():
        build()
    await pilot.press("f7")
    await wait_idle(app, pilot)
    app.screen.query_one("#form").select.value = "sample"
    await wait_idle(app, pilot)
    await ask(app, pilot, "盗窃 数额 处罚", "2016-05-01")
    keep("law")
    await ask(app, pilot, *ASKED)
    await pilot.press("3")
    await wait_idle(app, pilot)
    keep("law-diff")
    app.screen.query_one("#form").select.value = "lamps"
    await wait_idle(app, pilot)
    await ask(app, pilot, *HOLE)
    await pilot.press("1")
    await wait_idle(app, pilot)
    keep("law-gap")


async def ask(app: Any, pilot: Any, words: str, day: str) -> None:
    """Write into the boxes of the Law screen and search."""
    app.screen.query_one("#words").value, app.screen.query_one("#day").value = words, day
    app.screen.query_one("#form").action_ask()
    await wait_idle(app, pilot)


async def wait_idle(app: Any, pilot: Any) -> None:
    """Wait until nothing of the screen is at work."""
    await pilot.pause(0.3)
    while any(not worker.is_finished for worker in app.screen.workers):
        await pilot.pause(0.05)
    await pilot.pause(0.3)


SCORED = ("7", "李评", "主要理由成立；抵充的依据只有一句话，律师费一项没有说理。")
"""Value, author and reason of the score that is shown."""


async def review(app: Any, pilot: Any, keep: Keep) -> None:
    """An episode that a person has just scored on one metric, the others still blind."""
    from store import places
    from tests.support.review_fixture import build_cases, court_run

    run, cases = "20261121-120000-courts-rules-0001", ("CI-0001", "CI-0004", "CR-0001", "KQ-0001")
    if not (places.packs() / "courts").exists():
        build_cases(cases=cases)
    (places.runs() / f"{run}.moot").unlink(missing_ok=True)
    path = court_run(places.packs() / "courts", cases, run)
    await app.review(path, "CI-0001")
    await wait_idle(app, pilot)
    await pilot.press("down", "s")
    for name, text in zip(("value", "author"), SCORED, strict=False):
        app.screen.query_one(f"#scores #{name}").value = text
    app.screen.query_one("#scores #reason").text = SCORED[2]
    await pilot.press("f5")
    await wait_idle(app, pilot)
    keep("review-scores")


def trial(case: str, steps: int = 0) -> Path:
    """A run of the rules in every seat of a case, after so many steps or to its end with its scores."""
    from store import places
    from tasks.run.runner import start_run
    from tasks.run.spec import RunSpec

    path = places.runs() / f"20261121-1{2 if steps else 3}0000-courts-rules-{case}.moot"
    if not path.exists():
        with start_run(RunSpec(benchmark="courts", task_ids=(case,)), out=path) as run:
            if steps:
                while steps and run.scheduler.step(case):
                    steps -= 1
            else:
                run.go()
                run.record_scores()
    return path


async def opened(app: Any, pilot: Any, path: Path, case: str) -> None:
    """The episode of a case on the screen."""
    app.open_episode(path, case)
    await pilot.pause(0.5)
    while app.controller.episode != case or app.controller.keeper is None:
        await pilot.pause(0.05)


async def court(app: Any, pilot: Any, keep: Keep) -> None:
    """A civil trial and a draft, somewhere on their way."""
    for name, case, steps in (("civil", "CI-0002", 34), ("draft", "CD-0002", 99)):
        await opened(app, pilot, trial(case, steps), case)
        app.screen.action_aside(1)
        await pilot.pause(1)
        keep(f"court-{name}")


async def presenter(app: Any, pilot: Any, keep: Keep) -> None:
    """Presenter mode: a criminal judgment at its rulings."""
    await opened(app, pilot, trial("CR-0002"), "CR-0002")
    await pilot.press("f12")
    await pilot.pause(0.3)
    screen = app.screen
    screen.at = next((at for at, said in enumerate(screen.said, 1) if "判决如下" in said.text), len(screen.said))
    screen.settle()
    await pilot.press("end")
    await pilot.pause(1.5)
    keep("presenter-criminal")


PARTS = {"records": records, "models": models, "law": law, "review": review, "court": court, "presenter": presenter}
"""In the order in which they are drawn."""


def main() -> None:
    """Draw into docs/screens, or the folder given."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "screens"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["TZ"] = "UTC"
    if hasattr(time, "tzset"):
        time.tzset()
    with tempfile.TemporaryDirectory() as home:
        os.environ["MOOT_HOME"] = home
        asyncio.run(draw(folder, Path(home), sys.argv[2:] or tuple(PARTS)))
    print("\n".join(str(path) for path in sorted(folder.glob("*.svg"))))


if __name__ == "__main__":
    main()
