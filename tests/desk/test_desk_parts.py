"""Parts of the desk that need no screen: wrapping, renderers, plan, looking back, words, export."""

from __future__ import annotations

import pkgutil
import re
import string
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App
from textual.css.model import SelectorType
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

from app import desk, strings
from app.cli.watcher import Player
from app.desk import live
from app.desk.bindings import KEYS
from app.desk.episode.controller import Controller
from app.desk.episode.cursor import episode_markdown, export_episode, fence
from app.desk.episode.plan_pane import plan_items
from app.desk.episode.renderers import RENDERERS, render
from app.desk.episode.scores import EpisodeScorer
from app.desk.live import FollowedRun, LiveRun
from app.desk.messages import EpisodeWatched, PlayMode, RunClosed, RunFacts, RunFailed, RunOpened
from app.library import read_records, read_run, read_stored
from app.wrapping import NO_END, NO_START, wrap
from tasks.episode.events import EVENTS, Record, StepEnded, Thought, ToolReturned, Unknown
from tasks.episode.state import fold
from tasks.errors import RecordMismatch
from tasks.run.opened import Run
from tests.run.test_comparing import imported
from tests.support.desk_fixture import COURT, build_pack, header, imported_law_run, records, write_run

ROOT = Path(__file__).resolve().parents[2]


def test_no_closing_mark_begins_a_line_and_numbers_stay_whole() -> None:
    text = "《民法典》第六百七十五条规定，借款人应当按照约定的期限返还借款。金额为24,000元（其中本金20,000.00元）。"
    for width in range(12, 60):
        lines = [text[a:b] for a, b in wrap(text, width)]
        assert "".join(lines) == text
        assert all(cell_len(line) <= width for line in lines)
        assert not any(line[0] in NO_START for line in lines[1:])
        assert not any(line[-1] in NO_END for line in lines[:-1])
        assert any("24,000" in line for line in lines)


@given(
    st.text(alphabet=string.printable + "，。《》（）“”法院民初", max_size=200), st.integers(2, 40), st.integers(0, 4)
)
def test_wrapping_loses_nothing_but_blanks_and_never_overflows(text: str, width: int, hang: int) -> None:
    text = " ".join(text.split())
    spans = wrap(text, width, hang)
    assert re.sub(r"\s", "", "".join(text[a:b] for a, b in spans)) == re.sub(r"\s", "", text)
    for number, (a, b) in enumerate(spans):
        room = max(2, width - hang) if number else max(2, width)
        assert cell_len(text[a:b]) <= room


def classes(base: type) -> Iterator[type]:
    for kind in base.__subclasses__():
        yield kind
        yield from classes(kind)


def test_every_style_is_of_a_class_that_there_is() -> None:
    """Textual passes over a selector that no class has, and a pane that was renamed has no frame any more."""
    for module in pkgutil.walk_packages(desk.__path__, "app.desk."):
        import_module(module.name)
    styles = Stylesheet(variables=App().get_css_variables())
    styles.read_all(sorted(Path(desk.__path__[0]).rglob("*.tcss")))
    every = [one for rule in styles.rules for chain in rule.selector_set for one in chain.selectors]
    named = {one.name for one in every if one.type is SelectorType.TYPE}
    assert "EvidencePane" in named and named - {kind.__name__ for kind in classes(DOMNode)} == set()


def test_every_event_has_a_renderer_or_is_known_to_show_nothing() -> None:
    assert set(EVENTS.values()) - set(RENDERERS) == {StepEnded}


def test_a_terminal_shows_the_blocks_of_the_desk_and_of_what_a_tool_returned_the_beginning() -> None:
    called, returned = (next(r for r in records() if r.event.tag == tag) for tag in ("tool_called", "tool_returned"))
    assert isinstance(returned.event, ToolReturned)
    event = returned.event.model_copy(update={"observation": "长" * 1000 + "\n二" * 20})
    texts = [text for _, text in Player({}).play([called, replace(returned, event=event)])]
    assert [text.split()[0] for text in texts] == ["工具调用", "工具返回"]
    rows = texts[1].split("\n")
    assert 2 < len(rows) < 10 and all(row.startswith(" " * 9) for row in rows[1:])
    assert rows[1].endswith("长…") and all(cell_len(row) < 420 for row in rows)


def test_the_same_episode_of_another_run_is_shown_anew(tmp_path: Path) -> None:
    at = Controller(None)
    later = [replace(record, at=record.at + 1) for record in records()]
    for name, made in (("one", records()), ("two", later)):
        at.show_stored(RunFacts(name, tmp_path, {}), (), "k-1", made)
        assert not at.again and at.shown.records == made
    at.show_stored(RunFacts("two", tmp_path, {}), (), "k-1", later)
    assert at.again, "the reader stays where she is"


def controller(shown: LiveRun) -> Controller:
    """One that shows a run in motion, on a desk where no thread begins."""
    desk = SimpleNamespace(home_screen=None, problem=lambda *_: None, run_worker=lambda *_, **__: None)
    at = Controller(desk)
    at.views, at.live, at.source = [SimpleNamespace(is_mounted=False)], shown, shown.number
    at.receive(shown.number, RunOpened(RunFacts("one", Path("one"), {}), ()))
    at.receive(shown.number, EpisodeWatched("k-1", fold(records()[:-1]), None))
    at.receive(shown.number, PlayMode("auto"))
    return at


def never() -> Run:
    raise AssertionError("no thread begins")


def test_a_run_that_opens_shows_nothing_of_the_one_before() -> None:
    at = controller(LiveRun(never, lambda *_: None))
    assert at.loaded and at.episode == "k-1"
    assert at.live is not None
    at.receive(at.live.number, RunOpened(RunFacts("two", Path("two"), {}), ()))
    assert at.facts is not None and at.facts.id == "two"
    assert not at.loaded and not at.state.records and not at.episode


def test_a_run_that_is_left_is_at_rest_though_the_next_one_cannot_be_opened() -> None:
    at = controller(LiveRun(never, lambda *_: None))
    assert at.goes_on
    begun = at.begin(never)
    assert at.moving == "stored" and at.loaded
    at.receive(begun.number, RunFailed("gone", ""))
    at.receive(begun.number, RunClosed())
    assert at.moving == "stored" and at.live is None and at.facts is not None and at.facts.id == "one"


def test_all_runs_that_were_left_are_known_until_they_let_go_of_their_files() -> None:
    first = LiveRun(never, lambda *_: None)
    at = controller(first)
    second, third = at.begin(never), at.begin(never)
    assert at.runs == [first, second, third]
    first.closed.set()
    assert at.begin(never) is at.live and at.runs == [second, third, at.live]


def test_a_followed_run_says_which_it_is_whenever_it_is_shown(
    moot_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_run(build_pack())
    plays = iter((True, True, False))
    monkeypatch.setattr(live, "writer_of", lambda path: True if next(plays) else None)
    heard: list[object] = []
    followed = FollowedRun(path, lambda _, notice: heard.append(notice), episode="k-1")
    followed.watch("k-1")  # again, after another run was shown
    followed.work()
    kinds = [type(notice) for notice in heard if isinstance(notice, RunOpened | EpisodeWatched)]
    assert kinds == [RunOpened, EpisodeWatched, RunOpened, EpisodeWatched]


def test_text_of_models_is_cleaned_and_markup_stays_text() -> None:
    record = Record(0, 1, None, 0.0, Thought(seat="agent", text="[/red]\x1b]52;c;aGk=\x07 [b]x[/b] \u202e"))
    block = render(record)
    assert block is not None
    shown = "".join(text for line in block.lines for text, _ in line)
    assert "[/red]" in shown and "[b]x[/b]" in shown and "\x1b" not in shown and "\u202e" not in shown


def test_an_event_of_another_release_is_shown() -> None:
    block = render(Record(0, 1, None, 0.0, Unknown(name="verdict_given", content={"x": 1})))
    assert block is not None and "verdict_given" in block.raw


def test_the_plan_is_ticked_by_what_tools_returned() -> None:
    marks = [[item.mark for item in plan_items([r for r in records() if r.step <= step])] for step in range(5)]
    assert marks == [[], ["done", "done", "now", "open"], ["done"] * 3 + ["now"], ["done"] * 4, ["done"] * 4]
    extra = ToolReturned(seat="agent", tool="get_sum", status="math_error", observation="…")
    found = [*(r for r in records() if r.step <= 2), Record(99, 3, None, 0.0, extra)]
    assert [(item.tool, item.mark) for item in plan_items(found)][-1] == ("get_sum", "extra"), "it is not planned"
    listed = [item.tool for item in plan_items([r for r in records() if r.event.tag != "planned"])]
    assert listed == ["get_legal_document_company_list", "get_court_code", "get_court_info"]


def test_both_tables_hold_the_same_keys_and_placeholders() -> None:
    zh, en = strings.table("zh"), strings.table("en")
    assert set(zh) == set(en)
    for key in zh:
        names = [sorted(re.findall(r"{(\w+)}", table[key])) for table in (zh, en)]
        assert set(names[0]) == set(names[1]), key


def test_every_key_and_word_in_the_code_has_a_text() -> None:
    used: set[str] = set()
    for path in (ROOT / "app").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        used |= set(re.findall(r"""\b(?:t|counted)\(\s*["']([a-z_.]+)["']""", source))
    missing = {key for key in used if "." in key and not key.endswith((".", "_")) and not strings.known(key)}
    assert not missing
    for area, keys in KEYS.items():
        assert len({key.id for key in keys}) == len(keys), area
        for key in keys:
            assert strings.known(f"key.{key.id}") and strings.known(f"key.{key.id}.tip"), f"{area}.{key.id}"
    assert all(strings.known(f"help.area.{area}") for area in KEYS)
    for path in (ROOT / "app" / "desk").rglob("*.py"):
        for about in re.findall(r'help_id = "(\w+)"', path.read_text(encoding="utf-8")):
            assert strings.known(f"help.{about}") and strings.known(f"help.{about}.title"), about


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "zh"),
        ({"LANG": "C.UTF-8"}, "zh"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "zh_TW.UTF-8"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "MOOT_LANG": "en"}, "en"),
    ],
)
def test_the_language_follows_moot_lang_then_the_locale(
    environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MOOT_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(strings, "_system_locale", lambda: "")
    assert strings.language() == expected


def test_a_fence_cannot_be_left() -> None:
    text = fence("before\n```\nafter\n`````")
    assert text.startswith("``````text\n") and text.endswith("\n``````")


def test_the_export_holds_question_steps_and_answer() -> None:
    pack = build_pack()
    facts = RunFacts("r-1", pack, header("r-1", pack))
    text = episode_markdown(facts, "k-1", records())
    assert "## 第 3 步" in text and "虚构数据" in text and COURT in text and "get_court_info" in text
    path = export_episode(facts, "../k/1", records())
    assert path.parent.name == "exports" and path.read_text(encoding="utf-8").startswith("# ")


def test_scores_at_a_step_come_from_what_was_seen_so_far() -> None:
    pack = build_pack()
    path = write_run(pack)
    keeper = EpisodeScorer(read_records(path, "")[0])
    early = keeper.step([r for r in records() if r.step <= 1])
    whole = keeper.step(records())
    assert early is not None and whole is not None
    assert not early.answered and early.evidence == 0.5
    assert whole.answered and whole.compat["success"] == 1.0 and whole.evidence == 1.0
    run = keeper.of_file(path)
    (part,) = run.parts
    assert run.n == 1 and part.compat == 1.0 and part.ceiling[0] == 1.0 and part.compat_interval is not None


@pytest.mark.parametrize(
    ("kinds", "measure", "rate"),
    [
        ("kqa", "kqa", 0.5),
        ("kqa lcs cpa", "in_domain", 0.5),
        ("cpa nje", "out_of_domain", 0.5),
        ("lcs", "lcs", None),
        ("lcs cpa", "out_of_domain", 0.5),
    ],
)
def test_a_run_of_legalsearch_has_a_figure(tmp_path: Path, kinds: str, measure: str, rate: float | None) -> None:
    path = imported_law_run(tmp_path, kinds)
    line = read_run(path)
    assert (line.measure, line.compat, line.strict, line.unscored) == (measure, rate, rate, rate is None)
    stored = read_stored(path)
    assert all(
        stored.scores[f"{kind}-1"] == ((None, None) if kind == "lcs" else (0.0, 0.0)) for kind in kinds.split()
    )
    (tmp_path / "tasks.jsonl").unlink()
    assert read_run(path).compat == rate and read_stored(path).scores == stored.scores  # they are on record


def test_an_imported_run_is_scored_without_a_pack(tmp_path: Path) -> None:
    path = imported_law_run(tmp_path, "kqa lcs")
    facts, _, episode, seen = read_records(path, "kqa-2")
    keeper = EpisodeScorer(facts)
    step = keeper.step(seen, episode)
    assert step is not None and step.answered and step.compat["score"] == 1.0
    assert [(part.group, part.compat) for part in keeper.of_file(path).parts] == [("lcs", None), ("kqa", 0.5)]
    (tmp_path / "tasks.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(RecordMismatch):
        EpisodeScorer(facts)
    assert read_run(path).compat == 0.5 and not read_run(path).error


def test_nobody_knows_what_an_imported_answer_has_seen(tmp_path: Path) -> None:
    facts, _, episode, seen = read_records(imported(tmp_path, "a", [1]), "q1")
    step = EpisodeScorer(facts).step(seen, episode)
    assert (
        step is not None and step.imported and step.evidence is None and step.keys and step.compat["success"] == 1.0
    )
