"""Readers that drafts of judgments and records of the published layout share: exhibits, record and custody, rulings
on one accused."""

from __future__ import annotations

import pytest

from tasks.courts.casefile.charged import standing_of
from tasks.courts.casefile.exhibits import exhibits
from tasks.courts.casefile.judgment import claim_of


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        # A list goes on behind a category that it closes.
        (
            "以上事实，有经庭审质证的户籍证明、收条等书证；证人闻人舟、即墨川的证言；辨认笔录；被告人的供述等证据证实。",
            ["户籍证明", "收条", "证人闻人舟的证言", "证人即墨川的证言", "辨认笔录", "被告人的供述"],
        ),
        ("上述事实，被告人亦无异议。本案由公安机关出具的到案经过、称量笔录等证据证实，足以认定。",
         ["公安机关出具的到案经过", "称量笔录"]),
        # What is listed before and behind exhibits that stand alone.
        (
            "公诉机关出示了现场照片、扣押清单等证据。认定上述事实的证据有：价格认定结论书：证实手机价值3200元。"
            "监控录像：证实经过。画面中可见一名男子。另有户籍证明等证据证实。",
            ["现场照片", "扣押清单", "价格认定结论书", "监控录像", "户籍证明"],
        ),
        # Evidence that nobody lists, and words about it.
        ("公诉机关当庭出示了相应证据，提请本院依法判处。", []),
        ("上述证据经法庭质证，查证属实，本院予以采信。", []),
        ("手机内含有他人信息，证实其来源。", []),
    ],
)  # fmt: skip
def test_exhibits_are_those_that_a_text_lists(text: str, titles: list[str]) -> None:
    found = exhibits(text, "CR", "PROC", 1)
    assert [one["title"] for one in found] == titles
    assert all("purpose" not in one and one.get("kind") != "未载明" for one in found)


@pytest.mark.parametrize(
    ("text", "record", "measures", "rest"),
    [
        ("无前科，2024年2月1日被取保候审", "无前科", [("取保候审", "2024-02-01")], ""),
        ("因涉嫌犯诈骗罪于2024年3月5日被刑事拘留，同月19日经批准被逮捕，现羁押于澜江市看守所。", "",
         [("拘留", "2024-03-05"), ("逮捕", "2024-03-19")], ""),
        ("曾因盗窃于2019年被行政拘留十日。因涉嫌盗窃于2024年1月2日被取保候审。", "曾因盗窃于2019年被行政拘留十日。",
         [("取保候审", "2024-01-02")], ""),
        ("无前科，2024年7月2日，因涉嫌盗窃被刑事拘留", "无前科", [("拘留", "2024-07-02")], ""),
        ("现被取保候审", "", [], "现被取保候审"), ("群众", "", [], "群众"), ("", "", [], ""),
    ],
)  # fmt: skip
def test_record_and_custody_are_told_apart(
    text: str, record: str, measures: list[tuple[str, str]], rest: str
) -> None:
    found = standing_of(text)
    assert (found.record, found.rest) == (record, rest)
    assert [(one["measure"], one["since"]) for one in found.custody] == measures


@pytest.mark.parametrize(
    ("text", "kind", "amount"),
    [
        ("判令被告归还借款本金200000元", "pay", 200000),
        ("判令被告协助办理价值300000元的股权变更登记", "perform", None),
        ("确认双方的租赁合同无效", "declare", None),
        ("本案诉讼费由被告承担", "costs", None),
    ],
)
def test_what_is_claimed_is_a_sum_an_act_a_declaration_or_costs(text: str, kind: str, amount: int | None) -> None:
    claim = claim_of(1, text, [])
    assert (claim["kind"], claim.get("amount")) == (kind, amount)
