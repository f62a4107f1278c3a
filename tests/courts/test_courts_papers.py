"""Court papers: what an episode holds comes on paper as courts set it, in two forms, and hostile text stays
text."""

from __future__ import annotations

import csv
import io
import re
import sys
import zipfile
from collections.abc import Iterator
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import docx
import pytest

from tasks.courts.casefile.case import Case, CivilCase, CriminalCase
from tasks.courts.papers import episode_papers
from tasks.courts.papers.episode_papers import PAPERS, PapersInput, papers_of
from tasks.courts.papers.forms import DISCLAIMER, FICTIONAL, WRITERS, CourtPaper, Paragraph, written_day
from tasks.episode.events import ActDone, Event, Said
from tasks.sample.build import court_cases
from tests.support import court_plays
from tests.support.court_plays import build_pack, play
from tests.support.court_terms import wrong_words
from tests.support.typed import moot

pytestmark = pytest.mark.slow

EVIL = "<script>alert(1)</script>&\x00\x07\x1b[31m\u202e\ufffe\ud800" + "甲" * 500
PAPER = CourtPaper(
    ("某某人民法院", "民事判决书"), "（2024）某01民初1号", ("原告：甲，男。",),
    (Paragraph("开庭", "head"), Paragraph("本院认为，" + "原告主张成立，" * 200), Paragraph("某某人民法院", "flush")),
    ("审　判　员　　乙", "二〇二四年八月二十日"), "评测记录：r，CI-0001。", (DISCLAIMER, FICTIONAL),
)  # fmt: skip


def case_of(name: str) -> Case:
    return next(case for case in court_cases() if case.id == name)


def panelled(case: CivilCase) -> CivilCase:
    fields = case.fields()
    fields["court"] |= {
        "procedure": "普通程序", "presiding": {"name": "程思砚", "title": "审判长"},
        "panel": [{"name": "林川", "title": "审判员"}, {"name": "何渡", "title": "人民陪审员"}],
    }  # fmt: skip
    return type(case).model_validate(fields)


def said(*texts: str, seat: str = "agent", stage: str = "") -> list[Said]:
    return [Said(seat=seat, text=text, turn=number, stage=stage) for number, text in enumerate(texts, 1)]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with a run of all plays, once for all tests: they only read it."""
    folder = tmp_path_factory.mktemp("papers")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(folder))
        court_plays.install(patch)
        play(folder / "r.moot", build_pack())
    yield folder


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOOT_HOME", str(home))
    return home / "r.moot"


# --- what is on a paper ---------------------------------------------------------------------------------------------


def test_a_day_is_written_as_below_a_judgment() -> None:
    assert written_day(date(2024, 10, 20)) == "二〇二四年十月二十日" and "年" in written_day(None)


def test_a_sole_judge_signs_as_审判员_and_a_panel_by_its_titles() -> None:
    case = case_of("CI-0001")
    assert isinstance(case, CivilCase)
    assert [title for title, _ in episode_papers.bench(case)] == ["审判员"]
    assert [title for title, _ in episode_papers.bench(panelled(case))] == ["审判长", "审判员", "人民陪审员"]
    signed = episode_papers.signatures(panelled(case), judged=True)
    assert [line.replace("　", "")[:3] for line in signed] == ["审判长", "审判员", "人民陪", "二〇二", "书记员"]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"procedure": "普通程序", "public": True}, "本院依法适用普通程序，组成合议庭，公开开庭审理了本案。"),
        ({"procedure": "简易程序", "presiding": None}, "本院依法适用简易程序，实行独任审判，公开开庭审理了本案。"),
        ({"public": False, "closed_reason": "涉及个人隐私"}, "组成合议庭，不公开开庭审理了本案（涉及个人隐私）。"),
    ],
)
def test_a_criminal_judgment_says_how_the_court_sat(told: dict[str, Any], said: str) -> None:
    case = case_of("CR-0001")
    assert isinstance(case, CriminalCase)
    base = {"procedure": "普通程序", "panel": (), "presiding": None, "public": True}
    court = case.court.model_copy(update={**base, **told})
    text = episode_papers.origin(case.model_copy(update={"court": court}))
    assert said in text and text.count("依法") == 1 and text.endswith("现已审理终结。")
    unnamed = case.criminal.prosecution.model_copy(update={"prosecutor": ""})
    nobody = case.criminal.model_copy(update={"prosecution": unnamed})
    text = episode_papers.origin(case.model_copy(update={"criminal": nobody}))
    assert "指派" not in text, "who was there is not invented"


def test_heads_use_the_terms_of_their_proceedings() -> None:
    for case in court_cases():
        if case.env in ("CI", "CR"):
            told = (*episode_papers.parties(case), episode_papers.origin(case), *episode_papers.hearing_facts(case))  # type: ignore[arg-type]
            text = "\n".join(told)
            found = wrong_words(text, "civil" if case.env == "CI" else "criminal")
            assert [one for one in found if one.word != "独任审判员"] == [], text
            assert "None" not in text and "，。" not in text and "。。" not in text


def test_a_judgment_is_what_was_read_out_without_what_only_the_hearing_needs() -> None:
    read = (
        "现在进行宣判。\n**经审理查明**：借款属实。\n本院认为，应当偿还。判决如下：\n一、被告偿还借款。\n"
        "审判员：王某\n现在闭庭。"
    )
    paper = episode_papers.judgment(PapersInput(case_of("CI-0001"), said("现在开庭。", read)))
    assert paper is not None and paper.titles[1] == "民事判决书" and paper.docket.startswith("（2024）")
    first, *text = [part.text for part in paper.body]
    assert text == ["经审理查明：借款属实。", "本院认为，应当偿还。判决如下：", "一、被告偿还借款。"]
    assert first.startswith("原告周映川与被告罗成溪民间借贷纠纷一案")
    assert paper.parties[0].startswith("原告：周映川，男")


def test_a_judgment_tells_what_both_sides_pleaded() -> None:
    def body(name: str, *told: tuple[str, str, str]) -> list[str]:
        events: list[Event] = []
        for turn, (key, seat, text) in enumerate(told, 1):
            events += [Said(seat=seat, text=text, turn=turn), ActDone(key=key, name="", turn=turn)]
        paper = episode_papers.judgment(PapersInput(case_of(name), events))
        assert paper is not None
        return [part.text for part in paper.body[1:]]

    ruling = "本院认为，应当如此。判决如下：\n一、如此。"
    assert body(
        "CI-0001",
        ("claim/plaintiff", "plaintiff_lawyer", "诉讼请求：一、还款。\n事实和理由：借款到期。"),
        ("answer/defendant", "defendant_lawyer", "答辩意见如下：\n利息过高。"),
        ("", "agent", ruling),
    )[:3] == ["原告周映川向本院提出诉讼请求：一、还款。", "事实和理由：借款到期。", "被告罗成溪辩称：利息过高。"]
    told = (
        ("self_defence/accused", "defendant", "我认罪。"),
        ("defence/defence", "defence_lawyer", "尊敬的审判员：辩护人发表如下辩护意见。系初犯。"),
    )
    charge = "公诉机关指控，被告人邵远舟的行为构成盗窃罪。"
    assert body("CR-0001", *told, ("", "agent", f"{charge}\n经审理查明，属实。\n{ruling}"))[:4] == [
        charge, "被告人邵远舟辩称：我认罪。", "辩护人温若谷提出：系初犯。", "经审理查明，属实。",
    ]  # fmt: skip
    own = f"{charge}\n被告人邵远舟辩称没有异议。\n{ruling}"
    assert body("CR-0001", *told, ("", "agent", own)) == own.splitlines()


def test_what_an_episode_does_not_hold_is_not_made() -> None:
    held = PapersInput(case_of("CI-0001"), said("现在开庭。"))
    assert [name for name, (_, make) in PAPERS.items() if make(held)] == ["transcript"]
    assert not [name for name, (_, make) in PAPERS.items() if make(PapersInput(case_of("CI-0001"), []))]


# --- stored episodes ------------------------------------------------------------------------------------------------


def test_each_environment_has_its_own_paper(run: Path) -> None:
    own = {name: next(iter(papers_of(run, name).items())) for name in court_plays.CASES}
    assert {name: (kind, paper.titles[-1]) for name, (kind, paper) in own.items()} == {
        "CI-0001": ("judgment", "民事判决书"), "CR-0001": ("judgment", "刑事判决书"),
        "CD-0001": ("complaint", "民事起诉状"), "LC-0001": ("transcript", "谈话笔录"),
    }  # fmt: skip
    assert all(paper.marks == (DISCLAIMER, FICTIONAL) and "CI" in paper.source or name != "CI-0001"
               for name, (_, paper) in own.items())  # fmt: skip
    assert "询问结束" not in "".join(part.text for part in own["CD-0001"][1].body)
    spoken = papers_of(run, "CI-0001")["transcript"]
    text = "\n".join(part.text for part in spoken.body)
    assert text.index("书记员：现在") < text.index("审判员：") and "原告委托诉讼代理人：" in text
    assert [part.text for part in spoken.body if part.style == "head"][:2] == ["开庭", "法庭调查"]


# --- forms ----------------------------------------------------------------------------------------------------------


def as_text(form: str, content: bytes) -> str:
    if form == "html":
        return content.decode("utf-8")
    file = docx.Document(io.BytesIO(content))
    around = [*file.sections[0].header.paragraphs, *file.sections[0].footer.paragraphs]
    return "\n".join(line.text for line in (*around, *file.paragraphs))


@pytest.mark.parametrize("form", sorted(WRITERS))
def test_every_form_has_title_number_text_signatures_and_marks(form: str) -> None:
    text = re.sub(r"\s", "", as_text(form, WRITERS[form](PAPER)))
    signed = ("审判员", "二〇二四年八月二十日")
    for wanted in ("某某人民法院", "民事判决书", "（2024）某01民初1号", *signed, DISCLAIMER, FICTIONAL):
        assert re.sub(r"\s", "", wanted) in text, wanted


def test_a_docx_has_the_layout_of_the_courts() -> None:
    file = docx.Document(io.BytesIO(WRITERS["docx"](PAPER)))
    section = file.sections[0]
    assert (round(section.page_width.mm), round(section.page_height.mm)) == (210, 297)
    body = next(line for line in file.paragraphs if line.text.startswith("本院认为"))
    assert body.paragraph_format.first_line_indent.pt == 32 and body.paragraph_format.line_spacing.pt == 29
    assert body.runs[0].font.size.pt == 16 and file.paragraphs[0].runs[0].font.size.pt == 22
    assert "PAGE" in section.footer._element.xml


class _Outside(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.said = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [tag] if tag in ("script", "img", "link", "iframe", "object", "base", "form") else []
        self.found += [name for name, _ in attrs if name.startswith("on") or name in ("src", "href", "srcdoc")]

    def handle_data(self, data: str) -> None:
        self.said += data


@pytest.mark.parametrize("form", sorted(WRITERS))
def test_hostile_text_stays_text_and_breaks_no_file(form: str) -> None:
    body, signed = (Paragraph(EVIL), Paragraph(EVIL, "head")), (EVIL, f"审　判　员　　{EVIL}")
    paper = CourtPaper((EVIL, EVIL), EVIL, (EVIL,), body, signed, EVIL, (EVIL,))
    content = WRITERS[form](paper)
    text = as_text(form, content)
    assert not set(text) & set("\x00\x07\x1b\u202e\ufffe")
    if form == "docx":
        assert "<script>alert(1)</script>" in text
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                if name.endswith(".xml"):
                    ElementTree.fromstring(archive.read(name))
    if form == "html":
        page = _Outside()
        page.feed(text)
        assert page.found == [] and "url(" not in text and "@import" not in text and "default-src 'none'" in text
        assert "<script>alert(1)</script>" in page.said


# --- the command line -----------------------------------------------------------------------------------------------


def test_export_writes_a_paper_once_and_says_which(run: Path, tmp_path: Path) -> None:
    out, there = tmp_path / "x.docx", tmp_path / "x.html"
    to_docx = ("export", run, "CI-0001", "--to", "docx", "--out", out)
    assert moot(*to_docx, "--json").data == {
        "out": str(out), "document": "民事判决书", "marks": [DISCLAIMER, FICTIONAL]
    }  # fmt: skip
    before = out.read_bytes()
    code, told, err = moot(*to_docx)
    assert (code, told) == (1, "") and "is there already" in err and out.read_bytes() == before
    assert moot("export", run, "CI-0001", "--to", "html", "--document", "transcript", "--out", there).code == 0
    assert there.stat().st_size > 1000


@pytest.mark.parametrize(
    ("command", "arguments", "words"),
    [
        ("export", "CI-0001 --to html --document complaint --out x.html", "holds no complaint"),
        ("export", "CI-0001 --to docx", "--to docx writes a file"),
        ("export", "--to docx", "--to docx writes an episode"),
        ("export", "--to html", "a run as a page is a report"),
        ("export", "CI-0001 --to jsonl", "--to jsonl writes a whole run"),
        ("export", "no --to html --out x.html", "no episode"),
        ("report", "--by task", "--by task is for CSV files"),
        ("report", "--transcripts 2", "--transcripts is for pages"),
        ("report", "--format html --transcripts 0", "write a number from 1, or all"),
    ],
)
def test_what_cannot_be_written_is_one_sentence(
    command: str, arguments: str, words: str, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, told, err = moot(command, run, *arguments.split())
    assert code in (1, 2) and told == "" and words in err and not (tmp_path / "x.html").exists()
    assert command == "report" or err.count("\n") == 1


def test_without_the_extra_the_sentence_says_what_to_install(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "docx", None)
    made = moot("export", run, "CI-0001", "--to", "docx", "--out", tmp_path / "x.docx")
    assert made.code == 2 and "mootbench[documents]" in made.err and not (tmp_path / "x.docx").exists()


def test_a_report_folds_episodes_and_says_what_it_leaves_out(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    assert moot("report", run, "--format", "html", "--transcripts", 1, "--out", out).code == 0
    page = out.read_text("utf-8")
    assert len(re.findall("<summary>[A-Z]{2}-0001</summary>", page)) == page.count("<details>") == 1
    assert page.count('<p class="said">') > 4 and re.search("另有 3 局未列出|3 more episodes", page)
    made = moot("report", run, "--format", "csv", "--by", "task")
    tasks = {row["task"] for row in csv.DictReader(io.StringIO(made.out))}
    assert made.code == 0 and {"CI-0001", "CD-0001"} <= tasks
