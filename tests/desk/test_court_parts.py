"""What the court screen shows, without a screen: programme, transcript, files by role, exhibits, drafts, briefs,
reading pace."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from rich.cells import cell_len

from app.cli.watcher import Player
from app.court_words import DISCLAIMER
from app.desk.court.casefile import exhibit_lines, file_lines
from app.desk.court.draft import draft_lines, draft_of
from app.desk.court.lines import CourtLines
from app.desk.court.panes import brief_lines
from app.desk.court.programme import ProgrammeItem, programme
from app.desk.court.scene import EpisodeSnapshot, scene_of
from app.desk.episode.cursor import episode_markdown
from app.desk.episode.renderers import EventBlock, Line, each
from app.desk.law.evidence import law_rows
from app.desk.messages import RunFacts
from app.desk.widgets.lines import row_text
from tasks.courts.casefile.visibility import grant, leaves
from tasks.courts.environment import environment
from tasks.courts.procedure.model import CODES
from tasks.episode.events import (
    Fault,
    Record,
    Said,
    ToolCalled,
    ToolReturned,
)
from tasks.sample.build import court_cases
from tests.support.court_plays import Played

pytestmark = pytest.mark.slow


def court_blocks(scene: EpisodeSnapshot) -> list[EventBlock]:
    return [block for block in CourtLines(scene).make(list(scene.records)).values() if block is not None]


def text(lines: Sequence[Line]) -> str:
    return "\n".join("".join(part for part, _ in line) for line in lines)


def words(blocks: Sequence[EventBlock]) -> list[str]:
    return [text(block.lines) for block in blocks]


def flat(items: Sequence[ProgrammeItem]) -> list[ProgrammeItem]:
    return [one for item in items for one in (item, *flat(item.children))]


def named(items: Sequence[ProgrammeItem], name: str) -> ProgrammeItem:
    return next(item for item in flat(items) if item.text.startswith(name))


@pytest.mark.parametrize(
    ("fault", "unfinished", "marks"),
    [
        ("", False, ""), ("", True, "（没有说完：达到长度上限）"), ("repeat", False, "（重复自己的话）"),
        ("echo", True, "（没有说完：达到长度上限）（复述对方的话）"),
    ],
)  # fmt: skip
def test_what_an_utterance_lacks_stands_behind_it(
    fault: Fault, unfinished: bool, marks: str, plays: dict[str, Played]
) -> None:
    said = Said(seat="agent", text="先协商。", to=("client",), turn=2, fault=fault, unfinished=unfinished)
    record = Record(1, 1, None, 0.0, said)
    blocks = CourtLines(plays["LC-0001"].scene(0)).make([record])[1], each([record])[1]
    shown = [text(block.lines) for block in blocks if block]
    shown += [line for card in ({"env": "LC"}, {}) for _, line in Player(card).play([record])]
    assert [one.partition("先协商。")[2].strip() for one in shown] == [marks] * 4


# the programme


def test_stages_and_duties_are_ticked_by_what_was_said_so_far(plays: dict[str, Played]) -> None:
    civil = plays["CI-0001"]
    start, early, later = (programme(civil.scene(step)) for step in (0, 3, 9))
    assert {item.mark for item in start} == {"open"} and [item.text for item in start][0] == "开庭"
    half = named(early, "核对当事人")
    assert half.mark == "partly" and half.left == "尚缺被告" and half.note == "民诉法 第一百四十条"
    opening = named(later, "开庭")
    assert named(later, "核对当事人").mark == "done" and named(later, "宣布案由").mark == "done"
    assert opening.count is not None and named(early, "开庭").count is not None
    assert named(early, "开庭").count[0] < opening.count[0] <= opening.count[1]
    assert named(early, "开庭").unfolded and named(early, "法庭调查").mark == "open"


def test_exhibits_are_counted_one_by_one_and_announcements_are_optional(plays: dict[str, Played]) -> None:
    items = programme(plays["CI-0001"].scene(20))
    exhibits = named(items, "举证质证")
    assert exhibits.count == (2, 7) and [child.mark for child in exhibits.children].count("done") == 2
    assert exhibits.children[0].text == "原告证据一 借条一张" and exhibits.children[0].note == "已质证"
    assert named(items, "宣布适用程序").optional and named(items, "归纳争议焦点").mark != "done"


def test_what_the_court_left_out_is_red_in_its_place_and_faults_are_sentences(plays: dict[str, Played]) -> None:
    items = programme(plays["CI-0001"].scene())
    debate, judgment = named(items, "法庭辩论"), named(items, "评议宣判")
    assert debate.mark == judgment.mark == "failed" and named(judgment.children, "适用的法律").mark == "failed"
    faults = [item.text for item in flat(items) if item.fault]
    assert any(said.startswith(CODES["judgment_before_debate"]) for said in faults)
    assert all(
        item.seq is not None for item in flat(items) if item.fault or item.mark == "failed" and not item.children
    )


def test_without_the_case_the_record_alone_is_listed(plays: dict[str, Played]) -> None:
    civil = plays["CI-0001"]
    scene = scene_of(civil.header, civil.records)
    assert scene is not None and scene.limit is None and file_lines(scene) == []
    items = programme(scene)
    assert named(items, "核对当事人").mark == "done" and all(item.count is None for item in items)
    assert "借条一张" in text(exhibit_lines(scene))


def test_a_person_under_test_sees_questions_once_they_were_put(plays: dict[str, Played]) -> None:
    advice = plays["LC-0001"]
    asked = 5
    free, held = (programme(advice.scene(asked, holders=h))[0].children for h in (frozenset(), frozenset({"agent"})))
    assert len(free) == len(held) and free[-1].text != held[-1].text == "（尚未提问）"
    assert free[0].text == held[0].text


def test_parts_of_a_draft_say_what_was_told_and_written(plays: dict[str, Played]) -> None:
    before, after = (programme(plays["CD-0001"].scene(step))[0] for step in (3, None))
    assert before.mark == "now" and before.children[0].note.startswith("问出 5/5 · 写入 0/5")
    titles = "原告 被告 诉讼请求 事实和理由 证据和证据来源，证人姓名和住所"
    assert after.count == (5, 5) and [child.text for child in after.children] == titles.split()
    held = programme(plays["CD-0001"].scene(3, holders=frozenset({"agent"})))[0]
    assert not any(child.note or child.children for child in held.children), (
        "what scorers look for is hidden from a person"
    )


# the transcript


def test_the_transcript_names_speakers_as_the_court_does(plays: dict[str, Played]) -> None:
    civil, criminal = ("\n".join(words(court_blocks(plays[case].scene()))) for case in ("CI-0001", "CR-0001"))
    assert "独任审判员 → 原告代理人：现在开庭" in civil and "原告委托诉讼代理人：原告周映川" in civil
    assert "被告人：邵远舟" in criminal and "\n被告：" not in criminal


def test_every_utterance_act_and_fault_is_in_the_transcript(plays: dict[str, Played]) -> None:
    for played in plays.values():
        shown = "\n".join(words(court_blocks(played.scene())))
        for record in played.records:
            match record.event:
                case Said(text=said) if said:
                    assert said.splitlines()[0] in shown
                case event if event.tag == "violation" and event.turn is not None:
                    assert CODES[event.code] in shown  # type: ignore[attr-defined]


def lines(plays: dict[str, Played], *events: object, profile: str = "law") -> list[str]:
    civil = plays["CI-0001"]
    header = {**civil.header, "spec": {**civil.header["spec"], "profile": profile}}
    scene = scene_of(header, civil.records, civil.case)
    assert scene is not None
    records = [Record(1000 + at, 90, None, 0.0, event) for at, event in enumerate(events)]  # type: ignore[arg-type]
    return words([block for block in CourtLines(scene).make(records).values() if block is not None])


FOUND = {
    "id": 7, "law": "中华人民共和国民法典", "label": "中华人民共和国民法典", "number": "675",
    "text": "借款人应当按照约定的期限返还借款。",
    "valid_from": "2021-01-01", "valid_to": None, "state": "in_force", "kept": [],
}  # fmt: skip


def test_a_search_of_law_is_told_with_its_window(plays: dict[str, Played]) -> None:
    asked = ToolCalled(seat="agent", tool="search_law", input={"query": "借款 返还期限"})
    found = ToolReturned(
        seat="agent", tool="search_law", status="ok", observation="1. …", value=[FOUND], milliseconds=6.0
    )
    shown = lines(plays, asked, found)
    assert shown[0].endswith("检索法条  借款 返还期限") and "检索法条 → 1 条" in shown[1]
    assert "民法典第六百七十五条" in shown[1] and "2021-01-01" in shown[1]
    for room in (33, 76):
        rows = [row_text(row) for row in law_rows(found, room) or ()]
        assert any("民法典第六百七十五条" in row for row in rows) and any("现行有效" in row for row in rows)
        assert all(cell_len(row) <= room for row in rows)
    value = {"answer": "found", "number": "675"}
    one = ToolReturned(seat="agent", tool="show_law", status="ok", observation="《民法典》……", value=value)
    asked = ToolCalled(seat="agent", tool="show_law", input={"law": "民法典", "article": "675"})
    assert law_rows(one, 40) is None and "查阅条文" in lines(plays, asked)[0]


def test_the_export_reads_as_a_transcript(plays: dict[str, Played]) -> None:
    civil = plays["CI-0001"]
    facts = RunFacts("r-1", civil.path, civil.header)
    said = episode_markdown(facts, "CI-0001", civil.records, court_blocks(civil.scene()))
    assert DISCLAIMER in said and "虚构数据" in said
    assert said.index("## 法庭调查") < said.index("6 独任审判员 → 原告代理人：现在进行法庭调查。")


# what a seat may see


def test_a_file_holds_what_the_role_holds_and_no_more() -> None:
    checked = 0
    for case in court_cases():
        for role in (environment(case.env).tested, *environment(case.env).others):
            holds = grant(case.env, role).holds
            asked = "agent" if role == environment(case.env).tested else role
            seen = text(file_lines(EpisodeSnapshot(case.env, (), case, asked=asked)))
            told = "".join(str(value) for path, value in leaves(case) if path in holds)
            for path, value in leaves(case):
                if path not in holds and isinstance(value, str) and len(value) >= 12 and value not in told:
                    checked += 1
                    assert value not in seen, (case.id, role, path)
    assert checked > 10_000


def test_everything_shows_the_reference_and_says_so() -> None:
    for case in court_cases():
        shown = text(file_lines(EpisodeSnapshot(case.env, (), case), everything=True))
        gold = case.fields().get("gold", {}).get("reason") or getattr(case, "topics", [None])[0]
        assert ("参照裁判" in shown or "参照答案" in shown) and (
            gold.answer if hasattr(gold, "answer") else gold
        ) in shown


def test_the_bench_learns_an_exhibit_when_it_is_shown_and_counsel_knows_what_was_exchanged(
    plays: dict[str, Played],
) -> None:
    civil = plays["CI-0001"]
    free, judge, counsel = (
        text(exhibit_lines(civil.scene(3, holders=frozenset(holders), asked=next(iter(holders), ""))))
        for holders in ((), ("agent",), ("plaintiff_lawyer",))
    )
    assert "借条一张" in free and "借条一张" not in judge and "原告证据一" in judge
    assert counsel == free, "evidence is exchanged before the hearing: the titles of both sides"
    held = civil.scene(3, holders=frozenset({"plaintiff_lawyer"})).seen["evidence"]
    assert {("excerpt" in one) for one in held} == {True, False}, "of the other side the titles alone"
    later = text(exhibit_lines(civil.scene(20, holders=frozenset({"agent"}))))
    assert "借条一张" in later and "已质证 2" in later
    items = flat(programme(civil.scene(3, holders=frozenset({"agent"}))))
    assert "借条一张" not in "".join(item.text for item in items)


def test_a_person_who_judges_does_not_read_the_charge_before_it_is_read_out(plays: dict[str, Played]) -> None:
    held = frozenset({"agent"})
    assert plays["CR-0001"].scene(3).cause == "盗窃罪" and plays["CR-0001"].scene(3, holders=held).cause == ""
    assert plays["CI-0001"].scene(3, holders=held).cause == "民间借贷纠纷", "the civil bench holds its docket"
    assert not any("盗窃罪" in line for line in words(court_blocks(plays["CR-0001"].scene(3, holders=held))))


def test_the_draft_is_shown_with_its_labels(plays: dict[str, Played]) -> None:
    scene = plays["CD-0001"].scene()
    lines = draft_lines(draft_of(scene))
    assert text(lines[:1]).startswith("第 4 轮稿 · 标题 5/5") and (("诉讼请求：", "label"), ("", "text")) in lines
    assert "☐ 出生日期 1981年11月3日" in text(lines)
    assert "还没有写出文书" in text(draft_lines(draft_of(plays["CD-0001"].scene(3))))
    assert "1981" not in text(draft_lines(draft_of(plays["CD-0001"].scene(holders=frozenset({"agent"})))))


# a person


def test_a_judge_is_told_whom_to_address_and_what_is_owed(plays: dict[str, Played]) -> None:
    told = text(brief_lines(plays["CI-0001"].scene(6), "agent"))
    assert "@原告　@被告　@双方" in told and "询问是否申请回避" in told and "被告委托诉讼代理人：" in told
    criminal = text(brief_lines(plays["CR-0001"].scene(3), "agent"))
    assert "@公诉人　@被告人　@辩护人" in criminal and "@被告　" not in criminal


def test_others_are_told_what_is_theirs(plays: dict[str, Played]) -> None:
    assert "询问结束" in text(brief_lines(plays["CD-0001"].scene(3), "agent"))
    client = plays["LC-0001"].scene(4)
    assert "现在请问：漏水是我自己花钱修的" in text(brief_lines(client, "client")) or "请问" in text(
        brief_lines(client, "client")
    )
    assert "请被告答辩" in text(brief_lines(plays["CI-0001"].scene(14), "defendant_lawyer"))
