"""Judgments become drafts of case files: whatever the file, nobody is named, nothing is invented, and drafts load."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app.cli.tasks import tasks
from store.errors import BadInput, NotFound
from store.text.normalise import fold_width
from tasks.courts.casefile.case import CivilCase, CriminalCase
from tasks.courts.casefile.questions import load_questions
from tasks.courts.from_judgment.drafting import Draft, draft, draft_of
from tasks.courts.from_judgment.masking import mask, stand_ins
from tasks.courts.from_judgment.reading import MAX_TEXT, text_of
from tasks.errors import UsageError
from tests.support import judgment_texts as texts
from tests.support.typed import Terminal, moot

pytestmark = pytest.mark.slow


NAMES = ("LOAN", "WORKS", "THEFT", "ASSAULT")
MAKERS: dict[str, Callable[[str], bytes]] = {
    "UTF-8": lambda text: text.encode(),
    "GB18030": lambda text: text.encode("gb18030"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "docx": texts.as_docx,
    "html": texts.as_html,
    "cut lines": lambda text: "\r\n".join(
        line[start : start + 36] for line in text.splitlines() for start in range(0, len(line), 36)
    ).encode(),
    "pdf": texts.as_pdf,
}


def drafted(text: str, **options: Any) -> Draft:
    return draft_of(text_of(text.encode(), "judgment"), "judgment", **options)


@cache
def plain(name: str) -> Draft:
    """One of the four judgments as it stands."""
    return drafted(getattr(texts, name))


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(tasks, ["from-judgment", *map(str, arguments)])


# --- readers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", MAKERS)
def test_a_judgment_reads_the_same_from_every_kind_of_file(make: str, tmp_path: Path) -> None:
    """By content: the name of the file says nothing. A PDF may lose where a paragraph ends at the edge of a line."""
    for name in ("LOAN", "THEFT"):
        path = tmp_path / "judgment.bin"
        path.write_bytes(MAKERS[make](getattr(texts, name)))
        made, same = draft(path), plain(name)
        assert made.masked == same.masked and made.missing == same.missing and made.needed == ()
        left_out = ("facts", "criminal") if make == "pdf" else ()
        for field in same.case_fields.keys() - set(left_out):
            assert made.case_fields[field] == same.case_fields[field], field


def test_a_table_of_a_docx_and_what_was_struck_out() -> None:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>"
    body = (
        f"<w:tbl><w:tr>{cell.format('证据')}{cell.format('借条')}</w:tr></w:tbl>"
        "<w:p><w:del><w:r><w:t>删去</w:t></w:r></w:del><w:r><w:t>留下</w:t><w:br/><w:t>换行</w:t></w:r></w:p>"
    )
    read = text_of(_zipped(f"<w:document {space}><w:body>{body}</w:body></w:document>"), "a")
    assert read.splitlines() == ["证据 借条", "留下", "换行"]


def _zipped(document: str, name: str = "word/document.xml") -> bytes:
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, document)
    return stream.getvalue()


def _encrypted() -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(texts.as_pdf(texts.LOAN))))
    writer.encrypt("secret", algorithm="RC4-128")
    stream = BytesIO()
    writer.write(stream)
    return stream.getvalue()


def _bomb() -> str:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 9))
    return f'<!DOCTYPE w [<!ENTITY e0 "哈">{levels}]><w>&e8;</w>'


BROKEN: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b" \n\t", "is empty"),
    "blank": (lambda: "\u200b\u3000\n".encode(), "has no text"),
    "long": (lambda: "。\n".join(["判决如下"] * MAX_TEXT).encode(), "characters"),
    "picture": (lambda: b"\x89PNG\r\n\0\0\0" * 99, "neither text nor docx nor PDF"),
    "no encoding": (lambda: "判决".encode() * 50 + b"\xff\xfe\xff" * 50, "no text in UTF-8 or GB18030"),
    "scan": (lambda: texts.as_pdf("\n\n"), "is a scan"),
    "encrypted": (_encrypted, "is an encrypted PDF"),
    "damaged pdf": (lambda: texts.as_pdf(texts.LOAN)[:300], "is a PDF that cannot be read"),
    "old word": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "an old Word file"),
    "rtf": (lambda: b"{\\rtf1 x}", "is RTF"),
    "zip": (lambda: _zipped("x", "a.txt"), "is a zip archive and no docx"),
    "damaged docx": (lambda: texts.as_docx(texts.LOAN)[:-300], "is a damaged docx"),
    "no xml": (lambda: _zipped("<w:p>"), "is a damaged docx"),
    "entities": (lambda: _zipped(_bomb()), "declares entities"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_file_that_cannot_be_read_is_one_sentence(kind: str, tmp_path: Path) -> None:
    make, says = BROKEN[kind]
    path = tmp_path / "judgment.txt"
    path.write_bytes(make())
    with pytest.raises(BadInput, match=re.escape(says)) as caught:
        draft(path)
    assert caught.value.exit_code == 1 and caught.value.title.startswith("judgment.txt") and caught.value.hint
    assert "\n" not in str(caught.value)


def test_there_must_be_a_file(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        draft(tmp_path / "none.txt")
    with pytest.raises(BadInput, match="is a folder"):
        draft(tmp_path)


# --- what is refused ------------------------------------------------------------------------------------------------

REFUSED: dict[str, tuple[str, str, str, str]] = {
    "ruling": ("LOAN", "民 事 判 决 书", "民 事 裁 定 书", "裁定书"),
    "no judgment": ("LOAN", "判决如下", "裁定如下", "裁定如下"),
    "appeal": ("LOAN", "望0102民初1836号", "望01民终1836号", "later instance"),
    "title of an appeal": ("WORKS", "民事判决书", "启明公司与白桥二审民事判决书", "later instance"),
    "administrative": ("LOAN", "民 事 判 决 书", "行政判决书", "行政"),
    "third party": ("LOAN", "被告：罗成溪", "第三人：白桥，女。\n被告：罗成溪", "第三人"),
    "two plaintiffs": ("LOAN", "被告：罗成溪", "原告：白桥，女。\n被告：罗成溪", "2 plaintiffs (原告)"),
    "two in one line": ("LOAN", "被告：罗成溪，男", "被告：罗成溪、白桥，男", "2 defendants (被告)"),
    "two defendants": (
        "LOAN",
        "委托诉讼代理人：杜蘅",
        "被告：白桥，女。\n委托诉讼代理人：杜蘅",
        "2 defendants (被告)",
    ),
    "counterclaim": ("LOAN", "原告：周映川", "原告（反诉被告）：周映川", "反诉"),
    "guardian": ("LOAN", "委托诉讼代理人：宋知遥", "法定代理人：宋知遥", "法定代理人"),
    "civil minor": ("LOAN", "1979年4月12日", "2010年4月12日", "minor"),
    "criminal minor": ("THEFT", "1990年5月1日", "2008年5月1日", "minor"),
    "young, told by the court": ("THEFT", "被告人林海涛系累犯", "被告人林海涛犯罪时未满十八周岁，系累犯", "minor"),
    "two accused": ("THEFT", "辩护人赵宁，望川", "被告人白桥，女，1991年5月1日出生。\n辩护人赵宁，望川", "2 accused"),
    "company": ("THEFT", "被告人林海涛，男", "被告单位启明公司。\n被告人林海涛，男", "单位犯罪"),
    "civil part": ("THEFT", "刑 事 判 决 书", "刑事附带民事判决书", "附带民事"),
    "private": ("THEFT", "公诉机关望川省澜江市青禾区人民检察院。", "自诉人冯小雪，女。", "自诉"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_no_case_can_be_made_of_is_refused_by_name(kind: str) -> None:
    name, old, new, says = REFUSED[kind]
    text = getattr(texts, name)
    assert old in text
    with pytest.raises(BadInput) as caught:
        drafted(text.replace(old, new, 1))
    assert says in caught.value.title and caught.value.hint


def test_only_the_first_judgment_of_a_file_is_read() -> None:
    made = drafted(texts.THEFT + texts.LOAN)
    assert made.case_fields["cause"] == "盗窃罪" and any("another document" in note for note in made.notes)
    assert made.case_fields["court"]["clerk"] == "柳某"


# --- masking --------------------------------------------------------------------------------------------------------

SECRETS = {
    "LOAN": "周映川 罗成溪 宋知遥 杜蘅 程思砚 韩小满 韩冬 530102197904121234 13987654321 6222021234567890123 柳荫街 "
    "石桥路 502室".split(),
    "WORKS": "欧阳平 白桥 沈秋 庄敏 柳叶 姜文 桂花巷 云台街道".split(),
    "THEFT": "林海涛 赵宁 姜文 冯小雪 冯大雪 陶然 白桥 柳叶 柳巷".split(),
    "ASSAULT": "阿依努尔 买买提 文海 钟大力 孟春 夏至 沈秋 庄敏 秦岭 姜文 77号 301室".split(),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_draft_names_nobody_is_marked_as_one_and_loads(name: str, tmp_path: Path) -> None:
    path, out = tmp_path / f"{SECRETS[name][0]}.txt", tmp_path / "case.jsonl"
    path.write_text(getattr(texts, name), encoding="utf-8")
    said, made = invoke(path, "--json"), plain(name)
    assert said.exit_code == 0
    assert [secret for secret in SECRETS[name] if secret in said.output + repr(made)] == []
    assert {one.kind for one in made.masked} >= {"name", "address below the district"}
    assert all(one.count > 0 for one in made.masked)
    provenance = made.case_fields["provenance"]
    assert provenance["source"] == "derived" and provenance["reviewed"] is False
    assert "not reviewed" in provenance["note"] and "Masked: " in provenance["note"]
    done = invoke(path, "--out", out)
    assert done.exit_code == 0 and done.stdout == "" and f"{out} loads." in done.stderr and "missing: " in done.stderr
    (question,) = load_questions(out)
    assert isinstance(question.case, CivilCase if name in ("LOAN", "WORKS") else CriminalCase)
    assert json.loads(out.read_text(encoding="utf-8")) == json.loads(said.stdout)["case"]
    assert isinstance(invoke(path, "--out", out).exception, BadInput)


def test_one_stand_in_a_person_and_no_other() -> None:
    made = plain("THEFT")
    names = {one.replacement: one.count for one in made.masked if one.kind == "name"}
    assert names["林某"] == texts.THEFT.count("林海涛") and {"冯某甲", "冯某乙"} <= names.keys()
    assert made.case_fields["criminal"]["victims"][0]["name"] == "冯某甲"
    # What already stands for somebody is nobody else's.
    found = stand_ins([("王小明",), ("王大明", "王二明")], "王某乙到庭")
    assert found == {"王小明": "王某甲", "王大明": "王某丙", "王二明": "王某丙"}
    assert drafted(texts.THEFT.replace("林海涛", "林某")).masked[-1].replacement == "陶某"
    assert drafted(texts.THEFT.replace("林海涛", "林某")).case_fields["parties"][0]["name"] == "林某"


@pytest.mark.parametrize(
    ("name", "unmasked", "masked"),
    [
        ("LOAN", "罗成溪", "罗𠅤溪"),
        ("LOAN", "罗成溪", "罗\uf967溪"),
        ("LOAN", "罗成溪", "罗\U0002f81a溪"),
        ("LOAN", "罗成溪", "\uf90f成溪"),
        ("LOAN", "罗成溪", "罗成\U000e0100溪"),
        ("THEFT", "冯小雪", "李㑇"),
        ("THEFT", "陶然", "陶\U0002b820然"),
        ("THEFT", "姜文", "姜\U00031350"),
    ],
)
def test_names_with_rare_ideographs_are_masked_whole(name: str, unmasked: str, masked: str) -> None:
    """Extensions, compatibility forms and variation selectors: not one character of a given name stays."""
    whole, same = getattr(texts, name), plain(name)
    made = drafted(whole.replace(unmasked, masked))
    told = fold_width(repr((made.case_fields, made.masked)))
    assert [sign for sign in fold_width(masked)[1:] if sign in told and sign not in fold_width(whole)] == []
    assert made.case_fields["cause"] == same.case_fields["cause"]
    assert sum(one.count for one in made.masked) == sum(one.count for one in same.masked)


KINDS = {
    "dot of another font": ("LOAN", "罗成溪", "古丽•艾则孜", "古丽 艾则孜"),
    "dot of katakana": ("THEFT", "林海涛", "迪丽・阿迪力", "迪丽 阿迪力"),
    "full stop": ("LOAN", "罗成溪", "艾尼．玉素甫", "艾尼 玉素甫"),
    "no surname": ("THEFT", "林海涛", "扎西顿珠", "扎西顿珠 顿珠"),
    "witness without a surname": ("THEFT", "陶然", "邉见云", "邉见云 见云"),
    "blanks": ("LOAN", "罗成溪", "欧 阳 川", "欧阳川 欧川 阳川"),
    "blank in running text": ("THEFT", "被害人冯小雪不备", "被害人冯 小雪不备", "冯小雪 小雪"),
    "three words": ("ASSAULT", "钟大力", "阿不都·吐尔逊·买买提", "阿不都 吐尔逊 买买提"),
    "Latin": ("LOAN", "罗成溪", "Tom", "Tom"),
    "family name first": ("LOAN", "罗成溪", "SMITH, JOHN", "SMITH JOHN"),
    "two of counsel": ("LOAN", "委托诉讼代理人：杜蘅", "委托诉讼代理人：杜蘅、宗白华", "杜蘅 宗白华"),
    "former name": ("LOAN", "被告：罗成溪，男", "被告：罗成溪（曾用名罗大溪），男", "罗成溪 罗大溪"),
    "brackets": ("LOAN", "被告：罗成溪，男", "被告：罗成溪（罗小川），男", "罗成溪 罗小川"),
    "two of one surname": ("LOAN", "罗成溪", "周映", "周映川 周映 映川"),
    "one in another": ("LOAN", "杜蘅", "罗成", "罗成溪 罗成 成溪"),
    "given name alone": ("LOAN", "附言为“还款”", "附言为“映川，还款”", "映川"),
    "business": ("LOAN", "茶叶店经营者", "澜江市周映川茶叶店经营者", "周映川 映川"),
    "title of the page": ("LOAN", "望川省澜江市青禾区人民法院", "周映川与罗成溪案\n澜江法院", "周映川 罗成溪"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_no_part_of_a_name_stands_anywhere(kind: str) -> None:
    name, old, new, secrets = KINDS[kind]
    made = drafted(getattr(texts, name).replace(old, new))
    assert made.needed == () and made.case_fields["cause"] == plain(name).case_fields["cause"]
    assert [secret for secret in secrets.split() if secret in repr((made.case_fields, made.masked, made.notes))] == []


def test_an_ordinary_word_is_masked_in_the_open_and_a_longer_one_stays() -> None:
    told = "附言为“还款”，称已系安全带、双方安全到达"
    text = texts.LOAN.replace("罗成溪", "安全").replace("附言为“还款”", told)
    made = drafted(text)
    assert "安全带" in repr(made.case_fields) and "安全到达" not in repr(made.case_fields)
    assert any("双方安某到达" in note for note in made.notes) and made.unsure == 2


def test_a_file_is_written_after_a_yes_where_a_name_is_not_sure(tmp_path: Path) -> None:
    path, out = tmp_path / "judgment.txt", tmp_path / "case.jsonl"
    text = texts.THEFT.replace("在青禾区万象商场三楼", "与张建国一起在青禾区万象商场三楼")
    path.write_text(text, encoding="utf-8")
    asked = invoke(path, "--out", out)
    assert isinstance(asked.exception, UsageError) and "1 words or places" in asked.exception.title
    assert "…被告人林某与张建国一起在青禾区…" in asked.stderr and not out.exists()
    assert moot("tasks", "from-judgment", path, "--out", out, stdin=Terminal("n\n")).code == 130 and not out.exists()
    assert moot("tasks", "from-judgment", path, "--out", out, stdin=Terminal("y\n")).code == 0 and out.exists()
    named = invoke(path, "--out", tmp_path / "林海涛盗窃案.jsonl")
    assert isinstance(named.exception, BadInput) and "林某盗窃案.jsonl" in named.exception.hint


def test_rare_names_that_nothing_says_are_ones_are_told_and_counted() -> None:
    made = drafted(texts.THEFT.replace("在青禾区万象商场三楼", "与张㛃国一起在青禾区万象商场三楼"))
    assert any(note.startswith("names: 1 ") and "张㛃国" in note for note in made.notes)


def test_names_are_kept_when_asked_and_companies_always() -> None:
    kept = drafted(texts.WORKS, keep_names=True)
    assert kept.case_fields["parties"][1]["name"] == "白桥" and "桂花巷" not in repr(kept)
    assert not any(one.kind == "name" for one in kept.masked)
    assert kept.case_fields["cause"] == "装饰装修合同纠纷"
    company = plain("WORKS").case_fields["parties"][0]
    assert (company["name"], company["address"]) == ("澜江市启明装饰工程有限公司", "澜江市石桥区东港路18号")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("车牌号为苏A12345的轿车、沪A·D12345号车", "车牌号为（车牌略）的轿车、（车牌略）号车"),
        ("邮箱a.b-c@mail.example.com，微信号abc_1234，QQ号12345678",
            "邮箱（邮箱略），微信号（账号略），QQ号（账号略）"),
        ("微信转账5000元，支付宝20000元，微信群内", "微信转账5000元，支付宝20000元，微信群内"),
        ("银行卡6222 0212 3456 7890 123，尾号0123", "银行卡（账号略），尾号0123"),
        ("货款13800000000元，合同编号123456789012345678", "货款13800000000元，合同编号123456789012345678"),
        ("统一社会信用代码911234567890123456", "统一社会信用代码911234567890123456"),
        ("电话：0512-66668888，手机139 1234 5678", "电话：（电话略），手机（电话略）"),
        ("住上海市浦东新区世纪大道100号", "住上海市浦东新区（地址略）"),
        ("在本区泗泾镇江川北路1205弄3号602室门口", "在本区（地址略）门口"),
        ("宣告缓刑对所居住社区没有重大不良影响，在居住地的县级司法机关报到",
            "宣告缓刑对所居住社区没有重大不良影响，在居住地的县级司法机关报到"),
    ],
)  # fmt: skip
def test_numbers_and_addresses(text: str, masked: str) -> None:
    assert mask(text, [])[0] == masked


def test_words_of_the_story_are_not_taken_for_names() -> None:
    assert plain("WORKS").case_fields["complaint"].endswith("被告尚欠工程款60000元。")
    text = texts.THEFT.replace(
        "经审理查明的事实", "辩护人关于量刑的意见、会计师事务所的报告、被害人家属的陈述与经审理查明的事实"
    )
    names, same = (
        {one.replacement for one in made.masked if one.kind == "name"} for made in (drafted(text), plain("THEFT"))
    )
    assert names == same


# --- what is read ---------------------------------------------------------------------------------------------------


def test_a_civil_judgment_in_full() -> None:
    made = plain("LOAN")
    case = made.case_fields
    assert (case["id"], case["cause"], case["amount"]) == ("CI-2024望0102民初1836", "民间借贷纠纷", 221500)
    assert case["dates"] == {"filed": "2024-06-17", "proceeding": "2024-08-06", "judged": "2024-08-20"}
    assert [(one["kind"], one.get("amount")) for one in case["claims"]] == [
        ("pay", 200000), ("pay", 13500), ("pay", 8000), ("costs", None),
    ]  # fmt: skip
    assert case["parties"][0] == {
        "id": "P1", "side": "plaintiff", "kind": "person", "name": "周某", "gender": "男", "birth_date": "1979-04-12",
        "ethnicity": "汉族", "occupation": "茶叶店经营者", "address": "望川省澜江市青禾区",
        "counsel": {"name": "宋某", "firm": "望川明衡律师事务所", "authority": "特别授权"},
    }  # fmt: skip
    assert case["court"] == {
        "name": "望川省澜江市青禾区人民法院", "docket": "（2024）望0102民初1836号", "procedure": "简易程序",
        "presiding": {"name": "程某", "title": "独任审判员"}, "clerk": "韩某甲",
    }  # fmt: skip
    assert [(one["owner"], one["title"], one["kind"]) for one in case["evidence"]] == [
        ("P1", "借条一张", "书证"), ("P1", "银行转账电子回单", "电子数据"), ("P1", "微信聊天记录", "电子数据"),
        ("P1", "委托代理合同及律师费发票", "书证"), ("D1", "手机银行转账记录", "电子数据"),
    ]  # fmt: skip
    assert case["complaint"].startswith("原、被告系多年朋友") and case["answer"].startswith("一、收到借款")
    gold = case["gold"]
    assert [(one["claim"], one["outcome"], one["amount"]) for one in gold["rulings"]] == [
        ("C1", "partly", 176000), ("C2", "partly", 6600), ("C3", "rejected", 0),
    ]  # fmt: skip
    assert gold["fee"] == {"total": 2311.25, "plaintiff": 406.25, "defendant": 1905}
    assert (len(gold["judgment"]), len(gold["issues"])) == (5, 2)
    assert gold["reason"].endswith("律师费没有约定，不予支持。")
    assert gold["laws"][3] == "最高人民法院关于审理民间借贷案件适用法律若干问题的规定第二十八条第二款第（二）项"
    assert len(gold["laws"]) == 5 and len(gold["as_cited"]) == 3
    assert set(made.missing) == {
        "dates.acted", "statements", "defences", "gold.reason_points", "evidence[].objections", "evidence[].gold",
        "evidence[].proves",
        "facts[].known_by", "facts[].disputed",
    }  # fmt: skip


def test_the_older_form_and_a_defendant_who_stays_away() -> None:
    made = plain("WORKS")
    case = made.case_fields
    assert case["parties"][0]["representative"] == "欧阳某" and case["parties"][0]["representative_title"] == "总经理"
    assert [one["text"] for one in case["claims"]] == [
        "被告支付工程款60000元",
        "被告支付违约金5000元",
        "案件受理费由被告承担",
    ]
    assert case["answer"] == "被告白某经传票传唤无正当理由拒不到庭。"
    assert any(note.startswith("answer: the defendant did not answer") for note in made.notes)
    assert [one["title"] for one in case["court"]["panel"]] == ["审判员", "人民陪审员"]
    assert [one["outcome"] for one in case["gold"]["rulings"]] == ["granted", "rejected"]
    assert {"evidence", "parties.P1.counsel", "parties.D1.occupation", "court.procedure", "gold.issues"} <= set(
        made.missing
    )


def test_a_criminal_judgment_in_full() -> None:
    made = plain("THEFT")
    case, criminal, gold = made.case_fields, made.case_fields["criminal"], made.case_fields["gold"]
    assert case["dates"] == {
        "acted": "2024-06-30",
        "filed": "2024-09-03",
        "proceeding": "2024-09-20",
        "judged": "2024-09-25",
    }
    assert criminal["prosecution"] == {
        "name": "望川省澜江市青禾区人民检察院", "indictment_no": "望青检刑诉〔2024〕31号", "prosecutor": "姜某",
    }  # fmt: skip
    assert criminal["charges"] == [{"name": "盗窃罪"}] and criminal["record"].startswith("曾因犯盗窃罪")
    assert criminal["request"]["months"] == [6, 8] and criminal["request"]["fine"] == [2000, 2000]
    assert criminal["plea"]["stance"] == "guilty" and criminal["plea"]["signed"] is True
    assert criminal["custody"] == [
        {"measure": "拘留", "since": "2024-07-02", "until": "2024-07-15"},
        {"measure": "逮捕", "since": "2024-07-15", "place": "澜江市看守所"},
    ]
    assert criminal["victims"][0]["settled"].endswith("取得谅解")
    assert criminal["opinion"].startswith("公诉机关认为") and criminal["defence_opinion"].startswith("辩护人赵某提出")
    assert [one["title"] for one in case["evidence"]][3:6] == [
        "证人冯某乙的证言",
        "证人陶某的证言",
        "被害人冯某甲的陈述",
    ]
    assert case["evidence"][3]["witness"] == {"name": "冯某乙"} and {one["owner"] for one in case["evidence"]} == {
        "PROC"
    }
    assert gold["charges"] == ["盗窃罪"] and gold["sentence"] == {
        "kind": "有期徒刑", "months": 7, "fine": 2000, "since": "2024-07-02", "until": "2025-02-01",
        "request_adopted": True,
    }  # fmt: skip
    assert [law[-8:] for law in gold["laws"]][:2] == ["法第二百六十四条", "第六十五条第一款"]


def test_two_crimes_one_of_them_denied() -> None:
    made = plain("ASSAULT")
    criminal, sentence = made.case_fields["criminal"], made.case_fields["gold"]["sentence"]
    assert criminal["plea"]["stance"] == "partial" and len(criminal["charges"]) == 2
    assert (sentence["months"], sentence["probation_months"]) == (12, 24) and "退赔" in sentence["property"]
    assert [(one["charge"], one["months"]) for one in sentence["counts"]] == [("故意伤害罪", 8), ("寻衅滋事罪", 7)]
    assert [one["kind"] for one in made.case_fields["evidence"]] == [
        "被害人陈述", "证人证言", "证人证言", "鉴定意见", "勘验、检查、辨认、侦查实验等笔录",
    ]  # fmt: skip
    assert criminal["custody"][1] == {"measure": "取保候审", "since": "2021-12-02"}
    assert {"dates.proceeding", "court.procedure", "criminal.opinion", "criminal.record"} <= set(made.missing)


@pytest.mark.parametrize(
    ("said", "stance"),
    [
        ("被告人林海涛辩称其没有实施盗窃，指控的罪名不成立，不构成犯罪。", "not_guilty"),
        ("被告人林海涛对指控的盗窃数额有异议。", "partial"),
        ("被告人林海涛对指控的犯罪事实供认不讳。辩护人赵宁认为被告人林海涛不构成盗窃罪。", "guilty"),
    ],
)
def test_how_the_accused_stands_to_the_charge(said: str, stance: str) -> None:
    old = "被告人林海涛对指控的事实、罪名及量刑建议没有异议，同意适用简易程序且签字具结，在开庭审理过程中亦无异议。"
    assert drafted(texts.THEFT.replace(old, said)).case_fields["criminal"]["plea"]["stance"] == stance


def test_parties_by_name_alone_claim_and_answer() -> None:
    full = plain("LOAN")
    text = texts.LOAN.replace("原告周映川向本院提出", "周映川向本院提出").replace("被告罗成溪辩称，", "罗成溪辩称，")
    named = drafted(text)
    assert not named.needed
    assert [named.case_fields[part] for part in ("claims", "complaint", "answer", "evidence")] == [
        full.case_fields[part] for part in ("claims", "complaint", "answer", "evidence")
    ]
    silent = drafted(re.sub("被告罗成溪辩称，.*", "罗成溪未作答辩。", texts.LOAN))
    assert silent.case_fields["answer"].endswith("未作答辩。")
    assert silent.case_fields["claims"] == full.case_fields["claims"]


def test_other_ways_to_write_it_civil() -> None:
    text = texts.WORKS.replace("审判员 庄敏", "审判员：庄　敏").replace(
        "书记员 姜文", "书记员：姜　文\n附：相关法律条文"
    )
    text = text.replace(
        "三、案件受理费由被告承担。", "三、案件受理费由被告承担。审理中，原告变更第二项请求为支付违约金4000元。"
    )
    text = text.replace(
        "有原告陈述、装饰装修合同、转账凭证等证据", "有原告提供的装饰装修合同、付款凭证，被告提交的现场照片等证据"
    )
    made = drafted(text)
    case = made.case_fields
    assert [secret for secret in SECRETS["WORKS"] if secret in repr(made)] == [] and "庄 敏" not in repr(made)
    assert case["court"]["clerk"] == "姜某" and [one["kind"] for one in case["claims"]] == ["pay", "pay", "costs"]
    assert any(note.startswith("claims: the plaintiff changed them") for note in made.notes)
    assert [(one["owner"], one["title"]) for one in case["evidence"]] == [
        ("P1", "装饰装修合同"), ("P1", "付款凭证"), ("D1", "现场照片"),
    ]  # fmt: skip


def test_other_ways_to_write_it_criminal() -> None:
    text = texts.THEFT.replace(
        "因涉嫌犯盗窃罪于2024年7月2日被刑事拘留", "2024年7月2日因涉嫌犯盗窃罪被澜江市公安局刑事拘留"
    )
    text = text.replace(
        "经审理查明的事实与公诉机关指控的事实一致。",
        "经审理查明的事实、证据与公诉机关的指控相一致。\n另查明，手机已经发还。",
    )
    text = text.replace("上述事实，有公诉机关提交，并经法庭质证、认证的", "为证实上述指控，公诉机关当庭出示了")
    made = drafted(text)
    case, same = made.case_fields, plain("THEFT").case_fields
    assert case["criminal"]["custody"] == same["criminal"]["custody"]
    assert [one["text"] for one in case["facts"]] == [same["facts"][0]["text"], "另查明，手机已经发还。"]
    assert [one["title"] for one in case["evidence"]] == [one["title"] for one in same["evidence"]]


SILENT = (
    texts.THEFT.replace("，自愿认罪认罚", "")
    .replace("其如实供述自己的罪行，依法从宽处理", "")
    .replace(
        "被告人林海涛对指控的事实、罪名及量刑建议没有异议，同意适用简易程序且签字具结，在开庭审理过程中亦无异议。\n",
        "",
    )
    .replace("如实供述，", "")
)
"""A judgment that does not say how the accused stands to the charge."""


def test_a_plea_that_is_not_told_is_not_invented() -> None:
    made = drafted(SILENT)
    assert "plea" not in made.case_fields["criminal"] and "criminal.plea.stance" in made.missing
    assert [fault.field for fault in made.needed] == ["criminal.plea"]


def test_an_acquittal() -> None:
    text = texts.THEFT.replace(
        "被告人林海涛犯盗窃罪，判处有期徒刑七个月，并处罚金人民币二千元。", "被告人林海涛无罪。"
    )
    text = re.sub(r"（刑期从.*?）\n", "", text)
    made = drafted(text)
    assert made.case_fields["gold"]["charges"] == [] and made.case_fields["gold"]["sentence"]["kind"] == "无罪"
    assert made.needed == ()


def test_what_contradicts_is_left_out_and_told() -> None:
    made = drafted(texts.LOAN.replace("2024年6月17日立案", "2024年9月17日立案"))
    assert made.needed == () and "proceeding" not in made.case_fields["dates"]
    assert any(note.startswith("dates.proceeding: left out") for note in made.notes)


# --- the command ----------------------------------------------------------------------------------------------------


def test_the_command_as_json(tmp_path: Path) -> None:
    path = tmp_path / "judgment.docx"
    path.write_bytes(texts.as_docx(SILENT))
    done = invoke(path, "--json")
    told = json.loads(done.stdout)
    assert done.exit_code == 1 and set(told) == {"case", "masked", "missing", "notes"}
    assert {"kind": "name", "count": 1, "replacement": "陶某"} in told["masked"]
    assert any(note.startswith("needed: criminal.plea") for note in told["notes"])
    assert "The draft does not load yet" in done.stderr
    written = invoke(path, "--out", tmp_path / "case.jsonl")
    assert written.exit_code == 0 and f"{tmp_path / 'case.jsonl'} does not load yet" in written.stderr
    assert (tmp_path / "case.jsonl").is_file()


# --- real judgments -------------------------------------------------------------------------------------------------


def test_masked_judgments_become_cases_that_load(data: Callable[..., Path]) -> None:
    records = [
        json.loads(line) for line in data("courts", "judge_criminal_sample.jsonl").read_text("utf-8").splitlines()
    ]
    loaded = figures = listed = 0
    for record in records:
        laws = "、".join(f"{law['law']}{law['article']}{law['paragraph_text']}" for law in record["court_law"])
        rulings = "\n".join(record["court_judgment"])
        text = (
            f"刑事判决书\n{record['facts']}\n本院认为，{record['court_reason']}。依照{laws}之规定，判决如下：\n"
            f"{rulings}"
        )
        made = drafted(text)
        gold, wanted = made.case_fields["gold"], record["gold"]
        sentence = gold["sentence"]
        loaded += made.needed == ()
        listed += bool(made.case_fields.get("evidence"))
        read = [sentence.get(name, 0) for name in ("months", "probation_months", "fine")]
        figures += gold["charges"] == [wanted["charge"]] and read == [
            wanted[name] for name in ("sentence_months", "probation_months", "fine_yuan")
        ]
        assert not any(one.kind == "name" for one in made.masked), record["id"]
    # Three of them say that evidence was shown, and list none; none has its heading.
    assert (len(records), loaded, figures, listed) == (46, 46, 46, 43)
