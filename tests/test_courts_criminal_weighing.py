"""What a criminal court makes of contested evidence: defence, acts told by their days, items of a total, exclusion."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tasks.courts.agents.criminal.circumstances import Circumstances
from tasks.courts.agents.criminal.facts import Count, by_day, days
from tasks.courts.agents.criminal.heard import Heard
from tasks.courts.agents.criminal.judgment import judgment
from tasks.courts.agents.criminal.sentence import Sentencing
from tasks.courts.agents.criminal.weighing import Weighing
from tasks.courts.procedure.findings import Course
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.machine import follow
from tasks.courts.procedure.turns import Turn
from tests.test_courts_criminal_rules import CASES, as_procedure, play, view_of

NAME = Heard(view_of(CASES["CR-0003"], "judge")).name
Exhibits = Sequence[tuple[str, str]]
"""Exhibits of the prosecution as offered, each with what counsel says of it."""


def trial(facts: str, charge: str, plea: str, opinion: str, exhibits: Exhibits, own: Sequence[str] = (), asked: str = "") -> Heard:
    """A trial as its judge has heard it, without ceremony."""
    said: list[tuple[str, str, str]] = [
        ("procurator", "请公诉人宣读起诉书。", f"经依法审查查明：{facts}被告人{NAME}的行为构成{charge}，提起公诉，请依法判处。"),
        ("defendant", "被告人对起诉书指控的犯罪事实和罪名有无异议？", plea),
    ]
    for number, (offered, view) in enumerate(exhibits, 1):
        sign = "一二三四五六"[number - 1]
        said.append(("procurator", "请公诉人出示证据。", f"公诉人现在向法庭出示证据{sign}：{offered}"))
        said.append(("defendant", f"被告人对公诉人出示的证据{sign}有无异议？", "没有异议。"))
        said.append(("defence_lawyer", f"请辩护人对证据{sign}发表质证意见。", view or "没有异议。"))
    for number, offered in enumerate(own, 1):
        sign = "一二三四五六"[number - 1]
        said.append(("defence_lawyer", "辩护人有无证据向法庭出示？", f"辩护人向法庭出示辩方证据{sign}：{offered}"))
        said.append(("procurator", f"公诉人对辩护人出示的证据{sign}有无异议？", "公诉人对该证据没有异议。"))
    said.append(("procurator", "请公诉人发表公诉意见。", f"指控成立。{asked}"))
    said.append(("defence_lawyer", "请辩护人发表辩护意见。", opinion))
    turns: list[Turn] = []
    for role, question, answer in said:
        turns += [Turn(len(turns), "judge", (role,), question), Turn(len(turns), role, ("judge",), answer)]
    return Heard(view_of(CASES["CR-0003"], "judge", *turns))


CAMERA = "路口监控录像，属于视听资料，拟证明经过。主要内容：高个男子掐住矮个男子的脖子连续挥拳，矮个男子拿起木凳打了一下。"
BROKEN = "鉴定意见书，属于鉴定意见，拟证明伤情。主要内容：李大牛颅骨骨折，构成{grade}；" + NAME + "颈部皮下出血，构成轻微伤。"
FIGHT = "2024年3月2日，" + NAME + "与李大牛互相厮打，" + NAME + "持木凳打击李大牛头部，致其{grade}。"


@pytest.mark.parametrize(("grade", "guilty"), [("重伤二级", True), ("轻伤二级", False)])
def test_defence_is_complete_below_serious_injury_and_excess_from_there_on(grade: str, guilty: bool) -> None:
    heard = trial(
        FIGHT.format(grade=grade), "故意伤害罪", "打了一下是事实，他掐我脖子，我是正当防卫，不认这个罪。",
        "被告人无罪。李大牛掐颈挥拳，是正在进行的不法侵害，被告人的行为属于正当防卫。",
        [(CAMERA, ""), (BROKEN.format(grade=grade), "")], asked="量刑建议：建议判处有期徒刑四年。",
    )  # fmt: skip
    weighing = Weighing(heard)
    told = judgment(heard)
    assert bool(weighing.convicted) is guilty and "第二十条第一款" in told
    if guilty:
        sentencing = Sentencing(weighing, Circumstances(weighing))
        assert sentencing.refusal == "circumstance" and 12 <= sentencing.whole.months < 36 and "防卫过当" in told
    else:
        assert f"被告人{NAME}无罪" in told and "属于正当防卫" in told and "不能排除合理怀疑" not in told


@pytest.mark.parametrize("seen", ["两人互相厮打，随后矮个男子掐住高个男子挥拳。", "高个男子掐住矮个男子挥拳后离开，矮个男子追上去用木凳打。", "高个男子站在路边。"])
def test_blows_of_both_or_after_the_attack_are_no_defence(seen: str) -> None:
    camera = f"路口监控录像，属于视听资料，拟证明经过。主要内容：{seen}"
    heard = trial(
        FIGHT.format(grade="重伤二级"), "故意伤害罪", "我是正当防卫，不认这个罪。", "被告人无罪。李大牛掐颈挥拳，属于正当防卫。",
        [(camera, ""), (BROKEN.format(grade="重伤二级"), "")],
    )  # fmt: skip
    assert Weighing(heard).repelled is None and Weighing(heard).convicted


SALES = (
    f"2024年3月2日、3月5日、4月1日，被告人{NAME}先后三次在公园向王小二贩卖甲基苯丙胺，共计约1.9克。"
    "2024年4月1日被当场抓获，查获毒品0.7克。"
)
PAID = f"微信转账记录，属于电子数据，拟证明付款。主要内容：3月5日，王小二向{NAME}转账500元；3月2日，王小二向{NAME}转账300元，附言还款。"
LOAN = "对证明目的有意见，3月2日的附言是还款，不能证明是毒资。"


@pytest.mark.parametrize("loan", [LOAN, ""])
def test_acts_told_by_their_days_are_decided_one_by_one(loan: str) -> None:
    heard = trial(
        SALES, "贩卖毒品罪", "三月二号的不认，那是他还我的钱，其他的认。", "三月二日一次证据不足，不能认定，情节严重不能成立。",
        [
            ("证人王小二的证言，拟证明购买经过。主要内容：3月2日、3月5日、4月1日各买一包。", "对真实性有异议，3月2日的说法前后矛盾。"),
            (PAID, loan), ("称量笔录、检验报告，属于鉴定意见，拟证明数量。主要内容：净重0.7克。", ""),
        ],
        asked="被告人多次贩卖毒品，情节严重。量刑建议：建议判处有期徒刑三年六个月，并处罚金一万元。",
    )  # fmt: skip
    weighing = Weighing(heard)
    sentencing, told = Sentencing(weighing, Circumstances(weighing)), judgment(heard)
    assert len(weighing.counts) == 3
    if loan:
        assert [count.days for count, _ in weighing.fails("贩卖毒品罪")] == [{"3月2日"}]
        assert sentencing.whole.months < 36 and sentencing.refusal == "tier" and "五百元，依法予以追缴" in told
        assert "毒品共计0.7克" in told and "不属于多次" in told
    else:
        assert not weighing.fails("贩卖毒品罪") and sentencing.whole.months >= 36 and "1.9克" in told


def test_an_item_of_a_total_is_taken_off_where_it_was_spent_for_the_owner_and_a_debt_is_not() -> None:
    heard = trial(
        f"被告人{NAME}在担任公司经理期间，将甲店50000元、乙店32000元、丙店48000元的货款据为己有，共计130000元。", "职务侵占罪",
        "收钱没交的事实认，三万二是运费。", "乙店的32000元已付运费，应当扣除；丙店的48000元，公司拖欠工资，可以抵扣。",
        [("银行明细，属于书证，拟证明收款。主要内容：甲店50000元，乙店32000元，丙店48000元。", ""),
         ("对账函，属于书证，拟证明伪造对账函掩盖丙店货款48000元。主要内容：丙店尚欠48000元。", "")],
        own=["运费收据，属于书证，拟证明乙店货款已付运费。主要内容：收到运费32000元。"],
    )  # fmt: skip
    weighing = Weighing(heard)
    assert {value: found.proven for value, found in weighing.taken_off} == {32000.0: True, 48000.0: False}
    assert weighing.amount("职务侵占罪") == 98000 and "另行主张" in judgment(heard)


RUN = f"2024年3月2日，被告人{NAME}驾驶货车撞倒行人李大牛，致其死亡，负事故全部责任。事故发生后，{NAME}驾车逃离现场，次日更换保险杠。"


@pytest.mark.parametrize("shown", [True, False])
def test_flight_is_contested_by_itself_and_the_range_follows(shown: bool) -> None:
    exhibits = [("事故认定书，属于书证，拟证明责任。主要内容：因超速负全部责任。", ""),
                ("同车人的证言，属于证人证言，拟证明驾车逃离现场。主要内容：他说撞了人快走。笔录末页没有签名。", "对合法性有异议，末页没有证人签名，应当排除。")]  # fmt: skip
    if shown:
        exhibits.append(("物证检验报告，属于鉴定意见，拟证明次日更换保险杠。主要内容：更换下来的保险杠上有李大牛的血迹。", ""))
    plea, opinion = "撞了人我认，不认逃逸。", "对构成交通肇事罪没有异议。不构成逃逸，被告人不知道撞了人。"
    heard = trial(RUN, "交通肇事罪", plea, opinion, exhibits)
    weighing = Weighing(heard)
    assert weighing.convicted == ("交通肇事罪",) and [found.proven for _, found in weighing.allegations] == [shown]
    months = Sentencing(weighing, Circumstances(weighing)).whole.months
    assert months >= 36 if shown else months < 36
    assert [one.why for one in weighing.admitted][1] == "illegal" and "第八十九条" in judgment(heard)


def test_days_are_read_as_they_are_written_and_spoken() -> None:
    assert days("2024年3月5日、三月五号、十一月二十日") == ["3月5日", "3月5日", "11月20日"]
    acts = by_day(Count("2024年3月2日、5日和4月1日，某人先后三次偷车，共计三辆。4月1日被抓。", "盗窃罪"))
    assert [act.days for act in acts] == [{"3月2日"}, {"3月5日"}, {"4月1日"}]
    assert "三" not in acts[0].text and "被抓" in acts[2].text and "被抓" not in acts[0].text
    assert len(by_day(Count("2024年3月2日某人偷车。", "盗窃罪"))) == 1


def test_a_side_heard_on_all_owes_no_second_answer() -> None:
    case = CASES["CR-0002"]
    turns, _ = play(case)

    def course(said: Sequence[Turn]) -> Course:
        return follow(as_procedure(said), hearing_of(case))

    place = next(at for at, turn in enumerate(turns) if turn.speaker == "judge" and "涉案财物的情况" in turn.text or "被害人损失的情况" in turn.text)
    more = (Turn(0, "judge", ("defendant",), "被告人对公诉人出示的证据一有无异议？"), Turn(0, "defendant", ("judge",), "……"))
    again = course([*turns[:place], *more, *turns[place:]])
    first = [at for at, turn in enumerate(turns) if turn.speaker == "defendant" and turns[at - 1].text == more[0].text]
    silent = [turn if at not in first else Turn(turn.number, turn.speaker, turn.to, "……") for at, turn in enumerate(turns)]
    assert not [one for one in again.violations if one.code == "no_answer"]
    assert first and [one for one in course(silent).violations if one.code in ("no_answer", "missing", "uncrossed_relied")]
