"""Drafted documents: where they are found, labels, order, identity, slots; published faults kept, strict without;
consistency."""

from __future__ import annotations

import pytest

from models.schema import violation
from tasks.courts.casefile.case import CivilCase
from tasks.courts.scores.consistency import RoleMessage, consistency
from tasks.courts.scores.documents import PARTS, compat_score, gradings, strict_score
from tasks.courts.scores.drafted import (
    EVIDENCE,
    FLOOR_REPLY,
    ceiling_document,
    opening_sentence,
    published_document,
    strict_document,
    with_end_mark,
)
from tasks.errors import UsageError
from tasks.sample.build import civil_disputes

TRIPLES = [dispute.cases() for dispute in civil_disputes()]
DRAFTED = [case for triple in TRIPLES for case in triple[:2]]
COMPLAINT, DEFENCE, _ = TRIPLES[0]
FULL = {"PLA": 1.0, "DEF": 1.0, "CLA": 1.0, "EVI": 1.0, "F&R": 1.0, "RES": 1.0}


def both(case: CivilCase, *messages: str) -> tuple[dict[str, float | None], dict[str, float | None]]:
    return compat_score(case, messages, FULL).rates, strict_score(case, messages, FULL).rates


@pytest.mark.parametrize("case", DRAFTED, ids=lambda case: case.id)
def test_ceiling_of_the_authored_cases(case: CivilCase) -> None:
    messages = ["请问您的姓名？", with_end_mark(ceiling_document(case))]
    strict, compat = strict_score(case, messages, FULL), compat_score(case, messages, FULL)
    assert {name: rate for name, rate in strict.rates.items() if rate != 1} == {}
    assert compat.rates["FOR"] == (1 if case.env == "CD" else 0.6) and compat.rates["DOC"] == 1
    assert strict.evidence["repeated"] == []


def test_the_customary_order() -> None:
    text = ceiling_document(COMPLAINT)
    parts = ["民事起诉状", "原告：", "被告：", "诉讼请求：", "事实和理由：", EVIDENCE, "此致", "附：", "起诉人："]
    assert [text.find(part) for part in parts] == sorted(text.find(part) for part in parts)
    assert text.endswith("起诉人：周映川\n2024年6月17日")
    answer = ceiling_document(DEFENCE)
    parts = ["民事答辩状", "答辩人：", "答辩如下：", EVIDENCE, "此致", "附："]
    assert [answer.find(part) for part in parts] == sorted(answer.find(part) for part in parts)
    assert opening_sentence(DEFENCE) in answer


def test_no_document_is_zero_and_missing_grades_are_missing() -> None:
    for rates in both(COMPLAINT, FLOOR_REPLY, "询问结束"):
        assert set(rates.values()) == {0.0}
    text = [ceiling_document(COMPLAINT)]
    for rates in (compat_score(COMPLAINT, text, {}).rates, strict_score(COMPLAINT, text, {"CLA": None}).rates):
        assert rates["CLA"] is None and rates["DOC"] is None and rates["PLA"] == 1
    assert strict_score(COMPLAINT, text, {}).rates["DOC_proxy"] == 1


def test_a_missing_label() -> None:
    text = ceiling_document(COMPLAINT).replace(EVIDENCE, "证明材料如下")
    compat, strict = both(COMPLAINT, text)
    assert compat["FOR"] == 0.8 and strict["Label"] == 0.8 and strict["FOR"] == 0
    assert strict["EVI"] == 0 and strict["EVI_proxy"] == 0 and compat["EVI"] == 1


def test_swapped_labels() -> None:
    text = ceiling_document(COMPLAINT)
    head, claims = text.split("诉讼请求：")
    claims, facts = claims.split("事实和理由：")
    facts, rest = facts.split(EVIDENCE)
    compat, strict = both(COMPLAINT, f"{head}事实和理由：{facts}诉讼请求：{claims}{EVIDENCE}{rest}")
    assert compat["FOR"] == 1 and compat["Seq"] == 1
    assert strict["FOR"] == 0 and strict["Label"] == 1 and strict["CLA_proxy"] == strict["F&R_proxy"] == 1


def test_repeated_labels() -> None:
    text = ceiling_document(COMPLAINT).replace("事实和理由：\n", "事实和理由：\n被告：借钱不还。\n")
    document = strict_document(COMPLAINT, [text])
    assert document is not None and document.repeated == ("defendant",)
    assert both(COMPLAINT, text)[1]["FOR"] == 1
    # The signature of a defence repeats its first label, as it should.
    answer = strict_document(DEFENCE, [ceiling_document(DEFENCE)])
    assert answer is not None and answer.repeated == () and answer.ordered


def test_the_sentence_of_a_defence_is_filled_in() -> None:
    text = ceiling_document(DEFENCE)
    other = text.replace("民初1836号", "民初1837号")
    compat, strict = both(DEFENCE, other)
    assert compat["FOR"] == 0.4 and strict["Label"] == 2 / 3 and strict["DEF_proxy"] == 1
    loose = text.replace("（2024）望0102民初1836号", " (2024)望0102民初1836号 ").replace(
        "答辩如下：", "答辩意见如下:"
    )
    compat, strict = both(DEFENCE, loose)
    assert compat["FOR"] == 0.4 and strict["FOR"] == 1


def test_labels_as_people_write_them() -> None:
    text = ceiling_document(COMPLAINT).replace("原告：周", "**原告（自然人）：** 周").replace("被告：罗", "被告: 罗")
    text = text.replace("诉讼请求：", "## 一、诉讼请求").replace("事实和理由：", "**事实与理由**")
    compat, strict = both(COMPLAINT, text.replace(EVIDENCE, "证据及证据来源："))
    assert strict["FOR"] == 1 and strict["DOC"] == strict["DOC_proxy"] == 1
    assert compat["FOR"] == 0.2


def test_the_last_message_that_is_a_document() -> None:
    mention = "民事起诉状已经写好，请核对。询问结束"
    messages = [ceiling_document(COMPLAINT), mention]
    published, strict = published_document(COMPLAINT, messages), strict_document(COMPLAINT, messages)
    assert published is not None and published.message == 1 and strict is not None and strict.message == 0
    compat, fair = both(COMPLAINT, *messages)
    assert compat["FOR"] == 0 and compat["DOC"] == 0 and fair["FOR"] == fair["DOC"] == 1
    draft = ceiling_document(COMPLAINT).replace("200000元", "100元")
    assert both(COMPLAINT, draft, ceiling_document(COMPLAINT))[1]["CLA_proxy"] == 1
    thought = f"<think>\n{ceiling_document(COMPLAINT)}\n</think>请问金额？"
    assert strict_document(COMPLAINT, [thought]) is None
    assert strict_document(COMPLAINT, ["我将为您起草民事起诉状。"]) is None


def test_identity_letter_by_letter_and_in_one_spelling() -> None:
    text = ceiling_document(COMPLAINT).replace("1979年4月12日", "1979-04-12").replace("汉族，茶", "民族：汉，茶")
    text = text.replace("柳荫街26号", "柳荫街 26 号")
    compat, strict = both(COMPLAINT, text)
    assert compat["PLA"] == 0.4 and strict["PLA"] == 1 and strict["DEF"] == 1
    swapped = ceiling_document(COMPLAINT).replace("周映川，男", "周映川，女")
    score = strict_score(COMPLAINT, [swapped], FULL)
    assert score.evidence["PLA"] == {"missing": ["gender"]} and score.rates["PLA"] == 0.8


def test_a_side_without_exhibits_has_no_such_part() -> None:
    bare = DEFENCE.model_copy(update={"evidence": tuple(item for item in DEFENCE.evidence if item.owner == "P1")})
    rates = strict_score(bare, [ceiling_document(bare)], FULL).rates
    assert "EVI" not in rates and rates["DOC"] == rates["FOR"] == 1
    assert len(gradings(bare, [ceiling_document(bare)])) == 1


def test_gradings_of_the_text_parts() -> None:
    made = gradings(COMPLAINT, [ceiling_document(COMPLAINT)])
    assert [next(iter(grading.failed)) for grading in made] == ["CLA", "EVI", "F&R"]
    assert len({grading.prompt for grading in made}) == 3
    assert all(violation(grading.schema, {"reason": "齐全", "score": 10}) == "" for grading in made)
    assert made[0].read({"reason": "齐全", "score": 9})[0] == {"CLA": 0.9}
    assert "借条一张" in made[1].text and "普洱" not in made[0].text
    assert gradings(COMPLAINT, [FLOOR_REPLY]) == []
    assert {part.name for part in PARTS["DD"]} == {"RES", "DEF", "EVI"}


def slips(*messages: RoleMessage, role: str = "plaintiff") -> list[tuple[str, str]]:
    return [(slip.kind, slip.text) for slip in consistency(COMPLAINT, "CD", role, messages).slips]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("2023年3月15日我借给他20万元，说好从3月15日算起，一年，年利率9%。", []),
        ("他在2024年1月给我转了三万块钱，我有3份材料，依照民法典第675条。", []),
        ("2023年3月16日我借给他20万元。", ["day"]),
        ("我借给他25万元。", ["amount"]),
        ("他一共打了37个电话。", ["number"]),
        ("我叫李四光。", ["name"]),
        ("钱是江城市人民法院让我交的，我可以向人民法院起诉。", ["name"]),
        ("作为一个人工智能语言模型，我不能回答。", ["model_talk"]),
        ("律师：请讲。\n原告：好的。", ["role_break"]),
    ],
)
def test_what_a_role_cannot_know_or_say(text: str, kinds: list[str]) -> None:
    assert [kind for kind, _ in slips(RoleMessage("plaintiff", text))] == kinds


def test_what_was_said_before_may_be_repeated() -> None:
    asked = RoleMessage("plaintiff_lawyer", "您是2020年5月1日买的房，花了300万元？")
    told = RoleMessage("plaintiff", "不是2020年5月1日，也不是300万元。")
    assert slips(asked, told) == [] and len(slips(told)) == 2


def test_leaks_count_and_scores_are_by_message() -> None:
    leaked = RoleMessage("plaintiff", f"判决说：{COMPLAINT.gold.judgment[0]}")
    found = consistency(COMPLAINT, "CD", "plaintiff", [leaked, RoleMessage("plaintiff", "好的。")])
    assert "leak" in {slip.kind for slip in found.slips} and found.score == 0.5
    silent = consistency(COMPLAINT, "CD", "plaintiff", [])
    assert silent.score is None
    with pytest.raises(UsageError):
        consistency(COMPLAINT, "CD", "king", [])
