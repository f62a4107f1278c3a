"""The Review screen under a pilot: blind scores, their history, agreement, cases with their findings; and what is
kept from whom.

MOOT_UPDATE_SCREENS=1 writes the stored screens anew.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from app.desk.dialogs.help import HelpScreen
from app.desk.dialogs.problem import ProblemScreen
from app.desk.home.run import RunScreen
from app.desk.law import shelf as law_shelf
from app.desk.review import (
    log,
    runs,
    sources,
)
from app.desk.review.agreement import AgreementPane
from app.desk.review.beside import beside_lines
from app.desk.review.cases import fields_in, look
from app.desk.review.cases_pane import CasesPane
from app.desk.review.fields import fields_of
from app.desk.review.form import number_in
from app.desk.review.path import SaveScreen
from app.desk.review.record import entries_of
from app.desk.review.reference import reference_lines
from app.desk.review.scores import ScoresPane
from app.desk.review.screen import ReviewScreen
from app.desk.widgets.field import Field
from app.desk.widgets.lines import LineView, row_text
from app.desk.widgets.things import Things
from app.library import RunLine
from store import places
from store.journal import Journal
from tasks.courts.casefile.law import Finding
from tasks.errors import UsageError
from tasks.scoring.coefficients import weighted_kappa
from tasks.scoring.human import add_score
from tests.desk.test_desk_screens import LANGUAGES, NARROW, SIZES, desk, same_as_stored, text_of, until
from tests.support.judgment_texts import LOAN
from tests.support.review_fixture import CASES, FEW, GRADED, build_cases, court_run, graded

pytestmark = pytest.mark.slow

REASON = "抵充顺序没有说明依据，律师费一项缺少说理。"
AGAIN = "再读一遍：抵充顺序其实写到了。"
EVIL = "[/b]\x1b]52;c;AA\x07\u202e甲"


@pytest.fixture(autouse=True)
def fixed_day(monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import date

    monkeypatch.setattr(law_shelf, "today", lambda: date(2026, 6, 1))


@pytest.fixture
def pack() -> Path:
    return build_cases()


def screen_of(pilot: Pilot[Any]) -> ReviewScreen:
    assert isinstance(pilot.app.screen, ReviewScreen)
    return pilot.app.screen


async def idle(pilot: Pilot[Any]) -> None:
    """Until no worker of the Review screen is at work and all it found is shown."""
    review = pilot.app.review_screen  # type: ignore[attr-defined]
    await until(pilot, lambda: not review.busy)
    await pilot.pause()


async def at_review(pilot: Pilot[Any], *keys: str) -> ReviewScreen:
    await pilot.press("f10")
    await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen))
    await idle(pilot)
    for key in keys:
        await pilot.press(key)
        await idle(pilot)
    screen: ReviewScreen = pilot.app.review_screen  # type: ignore[attr-defined]
    return screen


def lines_of(screen: ReviewScreen, name: str) -> str:
    return "\n".join(row_text(row).rstrip() for row in screen.pane.query_one(name, LineView).rows)


def flat(text: str) -> str:
    return "".join(text.split())


async def fill_in(pilot: Pilot[Any], value: str, author: str, reason: str) -> None:
    form = screen_of(pilot).pane.query_one("#form")
    for name, text in (("value", value), ("author", author)):
        for box in form.query(f"#{name}").results(Input):
            box.value = text
    form.query_one("#reason", TextArea).text = reason
    await pilot.press("f5")
    await idle(pilot)


def human_rows(path: Path) -> list[Any]:
    with Journal.open(path) as journal:
        return [row for row in journal.scores() if row.scorer == "human"]


# what it looks like


@pytest.mark.parametrize("language", LANGUAGES)
async def test_screens_look_as_stored(language: str, pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_LANG", language)
    court_run(pack)

    async def both(pilot: Pilot[Any], what: str) -> None:
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await idle(pilot)
            await same_as_stored(pilot, f"review-{what}-{language}-{size[0]}x{size[1]}")
            assert "仅供评测演示" in text_of(pilot)

    async with desk() as pilot:
        screen = await at_review(pilot, "enter", "enter")
        await both(pilot, "scores")
        await pilot.press("3")
        await idle(pilot)
        await pilot.press("enter")
        await idle(pilot)
        await pilot.press("end")
        await both(pilot, "case")
        assert screen.pane.on_court


async def test_without_runs_and_cases_it_says_what_to_do() -> None:
    async with desk(NARROW) as pilot:
        await at_review(pilot)
        assert "moot run courts" in text_of(pilot)
        await pilot.press("3")
        await idle(pilot)
        assert "按 o 打开" in text_of(pilot)
        await pilot.press("l")
        await idle(pilot)
        assert "o to open" in text_of(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, ReviewScreen))


# human scores


async def test_scores_are_blind_and_corrections_keep_what_was_said(pack: Path) -> None:
    """First on a wide screen, then corrected on a narrow one."""
    path, told = court_run(pack), flat(GRADED["REA"][1])
    before = sha256(path.read_bytes()).hexdigest()
    async with desk() as pilot:
        await until(pilot, lambda: pilot.app.home_screen.runs)
        await pilot.press("i")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen))
        await idle(pilot)
        screen = screen_of(pilot)
        listed = lines_of(screen, "#episodes")
        assert "抽样 CI：1 题抽 1 题" in listed and "待评 判决主文、裁判理由" in listed
        await pilot.press("enter")
        await idle(pilot)
        await pilot.press("down")
        await idle(pilot)
        pane = screen.query_one(ScoresPane)
        assert pane.metric == "REA" and told[:6] not in flat(text_of(pilot))
        assert "盲评：另有 1 个评分" in lines_of(screen, "#history")
        assert "本院认为" in lines_of(screen, "#reference") and "评分标准" in lines_of(screen, "#reference")
        assert "宣判" in lines_of(screen, "#hearing") and "独任审判员" in lines_of(screen, "#hearing")
        assert sha256(path.read_bytes()).hexdigest() == before, "looking writes nothing"

        await pilot.press("s")
        await fill_in(pilot, "11", "李评", REASON)
        assert "0 至 10" in str(pane.query_one("#said").render()) and human_rows(path) == []
        await fill_in(pilot, "７", "李评", "")
        assert "请写理由" in str(pane.query_one("#said").render()) and human_rows(path) == []
        await fill_in(pilot, "７", "李评", REASON)
        (row,) = human_rows(path)
        assert (row.value, row.author, row.evidence) == ({"REA": 0.7}, "李评", [{"reason": REASON}])
        history = flat(lines_of(screen, "#history"))
        assert told in history and flat(REASON) in history and "✔ 7" in lines_of(screen, "#metrics")
        assert pane.query_one("#reason", TextArea).text == "" and pane.query_one("#author", Input).value == "李评"
        await pilot.press("up")
        await idle(pilot)
        assert "盲评：另有 1 个评分" in lines_of(screen, "#history"), "another metric is still blind"
        await pilot.press("down")

        await pilot.resize_terminal(*NARROW)
        pane.remove_class("-writes")
        await idle(pilot)
        assert (
            pane.query_one("#hearing").region
            and pane.query_one("#reference").region
            and not pane.query_one("#form").region
        )
        await pilot.press("v")
        assert pane.query_one("#metrics").has_focus and not pane.query_one("#hearing").region
        await pilot.press("s")
        await fill_in(pilot, "8.5", "李评", AGAIN)
        history = flat(lines_of(screen, "#history"))
        assert flat(REASON) in history and flat(AGAIN) in history and "已被取代" in history
        assert [row.value["REA"] for row in human_rows(path)] == [0.7, 0.85]
        pane.query_one("#author", Input).value = "王评"
        await idle(pilot)
        assert flat(AGAIN) not in flat(text_of(pilot)), "blind to others, too"


async def test_the_list_says_what_is_scored_and_an_episode_keeps_its_draft(pack: Path) -> None:
    path = court_run(pack, (*FEW, "CI-0001"), outcomes=("finished", "error", "finished", "finished", "finished"))
    with Journal.open(path, write=True) as journal:
        add_score(journal, "KQ-0001", "topic:T6", 3, "Li", "好")
    async with desk() as pilot:
        screen = await at_review(pilot, "enter")
        text = lines_of(screen, "#episodes")
        assert "CR-0001" not in text and "其余题目" in text
        assert "已评 话题 T6" in text and "已评：Li" in text
        await pilot.press("enter")
        await idle(pilot)
        pane = screen.query_one(ScoresPane)
        pane.query_one("#reason", TextArea).text = "写到一半"
        await pilot.press("right_square_bracket")
        await idle(pilot)
        assert pane.query_one("#reason", TextArea).text == ""
        await pilot.press("left_square_bracket")
        await idle(pilot)
        assert pane.query_one("#reason", TextArea).text == "写到一半"
        await pilot.press("f1")
        await pilot.pause()
        assert isinstance(pilot.app.screen, HelpScreen) and "盲评" in text_of(pilot)
        await pilot.press("escape", "l")
        await pilot.pause()
        assert "1 Human scores" in text_of(pilot)


class Moving:
    """A run in motion, as far as the desk asks."""

    def __init__(self, path: Path) -> None:
        self.path, self.number, self.closed = path, 1, threading.Event()

    def close(self) -> None:
        self.closed.set()


async def test_a_run_in_motion_is_refused_and_one_that_is_over_is_stored(pack: Path) -> None:
    """A case that a person still plays in it is not shown either."""
    open_, over = (
        court_run(pack, ("CI-0001", "CI-0001"), outcomes=("finished", "")),
        court_run(pack, run="20261122-120000-courts-rules-0002"),
    )
    async with desk() as pilot:
        app: Any = pilot.app
        app.live = Moving(open_)
        await app.review(open_, "CI-0001")
        await until(pilot, lambda: isinstance(app.screen, ProblemScreen))
        assert "正在进行，不能评分" in text_of(pilot)
        await pilot.press("escape", "3")
        await idle(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ProblemScreen))
        assert "正由本人在进行中的评测里作答" in text_of(pilot)
        await pilot.press("escape")
        cases = app.review_screen.query_one(CasesPane)
        assert cases.fields == [] and cases.query_one("#fields", Things).count == 0
        await pilot.press("right_square_bracket")
        await idle(pilot)
        assert cases.review is not None and cases.review.entry.id == "CR-0001"
        app.live = moving = Moving(over)
        await app.review(over, "CI-0001")
        await idle(pilot)
        assert moving.closed.is_set() and app.review_screen.query_one(ScoresPane).review is not None
        app.live = None
        await app.action_mode("home")
        app.push_screen(RunScreen(RunLine(over, over.stem, outcomes={"finished": 4}, n=4)))
        await until(pilot, lambda: isinstance(app.screen, RunScreen) and app.screen.stored is not None)
        await pilot.press("down", "i")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))
        await idle(pilot)
        assert app.review_screen.query_one(ScoresPane).review.chosen.episode == "CR-0001"


def test_gold_stays_hidden_while_a_person_plays_the_task(pack: Path) -> None:
    path = court_run(pack, ("CI-0001", "CI-0001", "CD-0001"), outcomes=("finished", "", "finished"))
    review = runs.read_review(path, "CI-0001")
    assert review.held and runs.held_tasks(path) == {"CI-0001"} and not runs.ended(path)
    text = "".join(part for asked in review.asked for line in reference_lines(review, asked) for part, _ in line)
    assert "参照不显示" in text and CASES["CI-0001"].gold.reason[:12] not in text  # type: ignore[union-attr]
    assert not runs.read_review(path, "CD-0001").held
    with pytest.raises(UsageError, match="没有正常结束"):
        runs.read_review(path, "CI-0001.1")


def test_what_can_be_scored_is_what_graders_are_asked_and_the_parts_of_roles(pack: Path) -> None:
    path = court_run(pack)
    wanted = {
        "CI-0001": ["JUD", "REA", "CON_plaintiff_lawyer", "CON_defendant_lawyer"],
        "CR-0001": ["REA", "CON_procurator", "CON_defendant"],
        "KQ-0001": ["topic:T6", "CON_client"], "CD-0001": ["CLA", "EVI", "F&R", "CON_plaintiff"],
    }  # fmt: skip
    for episode, metrics in wanted.items():
        review = runs.read_review(path, episode)
        assert [asked.metric for asked in review.asked] == metrics
        assert all(asked.rubric.startswith("你是评分员") for asked in review.asked)
        for asked in review.asked:
            assert len(reference_lines(review, asked)) > 8


# agreement


async def test_a_run_that_cannot_be_read_is_told_once_whoever_comes_back_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gave_up = ScoresPane.failed

    def and_back(pane: ScoresPane, name: str) -> None:
        """The screen is shown again before anything else is done."""
        gave_up(pane, name)
        pane.enter()

    monkeypatch.setattr(ScoresPane, "failed", and_back)
    (tmp_path / "bad.moot").write_bytes(b"no run")
    async with desk() as pilot:
        await pilot.app.review(tmp_path / "bad.moot")  # type: ignore[attr-defined]
        await until(pilot, lambda: isinstance(pilot.app.screen, ProblemScreen))
        await idle(pilot)
        await pilot.press("escape")
        await idle(pilot)
        screen = screen_of(pilot)
        assert screen.pane.path is None and screen.query_one(ScoresPane).step == "runs"  # type: ignore[attr-defined]


async def test_agreement_of_two_graders_and_a_person_is_shown(pack: Path) -> None:
    """Synthetic: the person goes up by a tenth an episode, one grader is a tenth above, the other always says 0.5."""
    path = court_run(pack, ("CD-0001",) * 9)
    with Journal.open(path, write=True) as journal:
        for n, row in enumerate(journal.episodes()):
            attempt = journal.attempts(row.id)[-1].id
            add_score(journal, row.id, "CLA", n, "Li", "评")
            journal.add_scores(
                [
                    graded(attempt, "CLA", (n + 1) / 10, "好", "scripted:mild"),
                    graded(attempt, "CLA", 0.5, "好", "scripted:flat"),
                ]
            )
    async with desk() as pilot:
        screen = await at_review(pilot, "2", "enter")
        pane = screen.query_one(AgreementPane)
        assert pane.rows is not None and [len(row.raters) for row in pane.rows] == [2, 2, 2, 3]
        await pilot.press("down")
        await idle(pilot)
        text, detail = lines_of(screen, "#rows"), lines_of(screen, "#detail")
        kappa = weighted_kappa([n / 10 for n in range(9)], [(n + 1) / 10 for n in range(9)], "quadratic").value
        assert kappa is not None and f"{kappa:.2f}" in text and "H1–G3" in text and "-0.10" in text and "全体" in text
        assert "human Li" in detail and "grader scripted:mild" in detail and f"{kappa:.2f}" in detail
        plot = [line for line in detail.split("\n") if "|" in line]
        assert len(plot) >= 9 and sum(line.count("1") for line in plot) >= 9 and any("=" in line for line in plot)
        await pilot.press("end")
        await idle(pilot)
        assert "|" not in lines_of(screen, "#detail"), "three raters have no differences"
        await pilot.press("escape")
        await idle(pilot)
        assert pane.step == "runs"


# cases


async def test_a_case_is_read_field_by_field_and_marked(pack: Path) -> None:
    files = {path: path.read_bytes() for path in pack.rglob("*") if path.is_file()}
    async with desk() as pilot:
        screen = await at_review(pilot, "3", "enter")
        pane = screen.query_one(CasesPane)
        sections = list(dict.fromkeys(field.section for field in pane.fields))
        order = [
            "案件",
            "法院与审判组织",
            "当事人",
            "诉讼请求",
            "事实和理由",
            "答辩要点",
            "证据",
            "本院认为",
            "判决主文",
            "裁判所依据的法条",
        ]
        assert [name for name in sections if name in order] == order
        await pilot.press("end")
        await idle(pilot)
        assert "✔ 适用" in lines_of(screen, "#beside") and "2024-01-01—今" in lines_of(screen, "#beside")
        assert "● 虚构数据" in text_of(pilot) and "未审阅" in text_of(pilot)
        await pilot.press("s")
        await fill_in(pilot, "", "", "说理与主文一致")
        assert "请写姓名" in str(pane.query_one("#said").render()) and log.reviews() == ()
        await fill_in(pilot, "", "王审", "说理与主文一致")
        (line,) = log.reviews()
        assert (line.case, line.author, line.note, line.source) == (
            "CI-0001",
            "王审",
            "说理与主文一致",
            "pack courts",
        )
        assert "已审阅" in text_of(pilot) and "✔" in lines_of(screen, "#case-list")
        await pilot.press("home")
        await idle(pilot)
        assert "王审" in lines_of(screen, "#beside") and "说理与主文一致" in lines_of(screen, "#beside")
        await pilot.press("right_square_bracket")
        await idle(pilot)
        assert pane.review is not None and pane.review.entry.id == "CR-0001" and "未审阅" in text_of(pilot)
    assert {path: path.read_bytes() for path in pack.rglob("*") if path.is_file()} == files


async def test_faults_are_listed_at_their_fields_and_a_bad_path_is_a_dialog(pack: Path, tmp_path: Path) -> None:
    fields = json.loads(json.dumps(CASES["CI-0001"].fields()))
    fields["court"]["docket"] = f"无号{EVIL}"
    fields["gold"]["laws"].append({"law": "中华人民共和国民法典", "article": 9999})
    unreadable = {**fields, "id": "CI-0002", "amount": "很多"}
    (tmp_path / "cases.jsonl").write_text(
        "".join(json.dumps(one) + "\n" for one in (fields, unreadable)), encoding="utf-8"
    )
    (tmp_path / "a.txt").write_text("今天天气很好。", encoding="utf-8")
    async with desk(NARROW) as pilot:
        screen = await at_review(pilot, "3", "o")
        await pilot.press("enter")
        await pilot.pause()
        assert "请填写文件或文件夹的路径" in text_of(pilot)
        pilot.app.screen.query_one("#path", Input).value = str(tmp_path / "cases.jsonl")
        await pilot.press("f5")
        await until(pilot, lambda: screen.query_one(CasesPane).review)
        await idle(pilot)
        assert "2 处必须改" in text_of(pilot) and "\x1b" not in text_of(pilot)
        await pilot.press("f")
        await idle(pilot)
        assert "court.docket" in lines_of(screen, "#beside") and "\x1b" not in lines_of(screen, "#fields")
        await pilot.press("f")
        await idle(pilot)
        assert "第九千九百九十九条" in lines_of(screen, "#beside") and "索引和数据包里没有这一条" in lines_of(
            screen, "#beside"
        )
        await pilot.press("right_square_bracket")
        await idle(pilot)
        assert "amount" in lines_of(screen, "#beside") and screen.check_action("form", ()) is None
        for bad, said in ((f"没有[这个]{EVIL}", "没有这个文件"), ("a.txt", "判决")):
            await pilot.press("o")
            pilot.app.screen.query_one("#path", Input).value = str(tmp_path / bad)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(pilot.app.screen, ProblemScreen))
            assert said in text_of(pilot) and "\x1b" not in text_of(pilot)
            await pilot.press("escape")
        pane = screen.query_one(CasesPane)
        assert pane.review is not None and pane.review.entry.id == "CI-0002", "what was shown is still there"


async def test_a_judgment_is_drafted_masked_and_saved_once(pack: Path, tmp_path: Path) -> None:
    judgment, saved = tmp_path / "判决.txt", tmp_path / "草稿.jsonl"
    judgment.write_text(LOAN, encoding="utf-8")
    async with desk() as pilot:
        screen = await at_review(pilot, "3")
        pane = screen.query_one(CasesPane)
        pane.open_path(f"'{judgment}'")
        await idle(pilot)
        shown = lines_of(screen, "#fields")
        assert "身份号码 × 1 → （身份证号略）" in shown and "文书里没有" in shown and "13987654321" not in shown
        assert "周映川" not in text_of(pilot) + shown
        await pilot.press("w")
        dialog = pilot.app.screen
        assert isinstance(dialog, SaveScreen)
        for target in (judgment, tmp_path / "none" / "x.jsonl", tmp_path):
            dialog.query_one("#path-field", Field).fault("")
            dialog.query_one("#path", Input).value = str(target)
            await pilot.press("enter")
            await until(pilot, lambda: dialog.query_one("#path-field").has_class("-bad"))
            assert judgment.read_text(encoding="utf-8") == LOAN
        dialog.query_one("#path", Input).value = str(saved)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen))
        pane.open_path(str(saved))
        await idle(pilot)
        assert pane.source is not None and pane.source.draft is None and len(pane.source.cases) == 1
        assert screen.check_action("save", ()) is False


# without a screen


def test_the_log_is_appended_and_survives_a_broken_line() -> None:
    log.mark("CI-1", "a", "pack p", " 王\n审 ", "好\n\u2028\x85的")
    with log.log_file().open("a", encoding="utf-8") as file:
        file.write('{"at": "cut')
    log.mark("CI-1", "b", "pack p", "李审", "")
    known = log.reviews()
    note = log.plain_text("好\n\u2028\x85的")
    assert [(one.author, one.note, one.digest) for one in known] == [("王 审", note, "a"), ("李审", "", "b")]
    assert log.log_file().parent.parent == places.home()
    assert log.status_of(known, "CI-1", "b")[0] == "reviewed"
    assert log.status_of(known, "CI-1", "c")[0] == "changed"
    assert log.status_of(known, "CI-2", "b") == ("open", ())
    with pytest.raises(UsageError):
        log.mark("CI-1", "a", "pack p", " \n", "")


@pytest.mark.parametrize(
    ("text", "value"),
    [("7", 7.0), ("７．５", 7.5), (" 0 ", 0.0), ("nan", None), ("inf", None), ("", None), ("八", None)],
)
def test_a_value_is_a_number_as_people_type_it(text: str, value: float | None) -> None:
    assert number_in(text) == value


def pieces(lines: Any) -> Iterator[str]:
    return (text for line in lines for text, _ in line)


@pytest.mark.parametrize("case", FEW)
def test_every_text_of_a_case_is_shown_and_none_acts_on_the_terminal(case: str) -> None:
    entry = sources.CaseEntry("x", CASES[case].fields(), CASES[case])
    review = look(sources.Source("x", Path("x"), (entry,)), entry)
    assert review.errors == 0
    fields = fields_in(review)
    shown = flat("".join(text for field in fields for text in (field.name, *pieces(field.lines))))
    texts = [
        value
        for _, value in walk(entry.fields)
        if isinstance(value, str) and len(value) > 12 and value != entry.fields.get("schema")
    ]
    assert [text for text in texts if flat(text) not in shown] == []
    for field in fields:
        assert all("\n" not in text for text in pieces(beside_lines(review, field, 40)))
    evil = json.loads(json.dumps(entry.fields, ensure_ascii=False).replace("。", "。" + json.dumps(EVIL)[1:-1]))
    for field in fields_of(evil, [Finding("error", "gold.laws", EVIL, EVIL)]):
        assert not any(set(text) & set("\x1b\x07\u202e\n") for text in (field.name, *pieces(field.lines)))


def walk(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from walk(item, f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from walk(item, path)
    else:
        yield path, value


def test_the_record_of_another_benchmark_is_question_and_answer(moot_home: Path) -> None:
    from tasks.run.runner import start_run
    from tasks.run.spec import RunSpec
    from tests.support.law_run_fixture import prepare_law

    world = prepare_law(moot_home, tasks=1)
    question = {
        "id": "1",
        "type": "lcs",
        "question": f"2005年5月，路灯坏了多久应当修好？{EVIL}",
        "answer": "三日内。《路灯法》第六条",
    }
    Path(world["tasks"]).write_text(json.dumps(question, ensure_ascii=False) + "\n", encoding="utf-8")
    with start_run(RunSpec(**{**world, "agent": "gold"}), out=moot_home / "r.moot") as run:
        run.go()
    review = runs.read_review(moot_home / "r.moot", "1")
    text = "".join(part for entry in entries_of(review) for part in (entry.heading, *pieces(entry.lines)))
    assert "问题" in text and "路灯坏了多久" in text and "三日内" in text and "\x1b" not in text
    assert [(asked.metric, asked.scale) for asked in review.asked] == [("answer", 1.0), ("basis", 1.0)]
    after = runs.append(review, "answer", 1, "Li", "与参照一致")
    assert runs.visible_to(after.rows, "answer", "Li")[0][0].value == 1.0 and runs.visible_to(
        after.rows, "answer", "Wang"
    ) == ([], 1)
