"""Trials by rules: the judge keeps the procedure whatever is said, sides answer what is asked and state what they
owe, the judgment decides what was admitted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tasks.courts.agents.model.conversation import cue_text, rounds_of
from tasks.courts.agents.references import GoldJudge
from tasks.courts.agents.registry import GOLD
from tasks.courts.agents.trial.civil import CivilLawyer
from tasks.courts.agents.trial.criminal import Accused, DefenceLawyer, Procurator
from tasks.courts.agents.trial.judge import Judge
from tasks.courts.casefile.case import Case, CivilCase, CriminalCase
from tasks.courts.casefile.material import PanelMember
from tasks.courts.casefile.material import PresidingJudge as Presiding
from tasks.courts.play.episode import law_day, limit_of
from tasks.courts.play.view import CourtView
from tasks.courts.procedure import acts, pfs
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.model import ProfileName, Turn
from tasks.courts.procedure.tracker import Tracker
from tasks.courts.scores.laws import cited_articles, unknown
from tasks.episode.seats import Move, Say
from tasks.sample.build import court_cases
from tests.support.court_stage import Court, Speaks, by_rules, said_by, views

pytestmark = pytest.mark.slow

CASES: dict[str, Any] = {case.id: case for case in court_cases() if case.env in ("CI", "CR")}
LOAN, FRAUD = CASES["CI-0001"], CASES["CR-0002"]
SHORT = LOAN.model_copy(update={"evidence": tuple(e for e in LOAN.evidence if e.id in ("E1", "E6"))})
"""The loan with an exhibit a side, for trials that need not be long."""
SEATS: Mapping[str, Any] = {
    "judge": Judge(), "plaintiff_lawyer": CivilLawyer(), "defendant_lawyer": CivilLawyer(),
    "procurator": Procurator(),
    "defendant": Accused(), "defence_lawyer": DefenceLawyer(),
}  # fmt: skip


class Obedient:
    """A judge who says what the aid tells him, to whom it names; the judgment is the gold's."""

    def __init__(self, case: Case, otherwise: Mapping[int, Say] | None = None) -> None:
        self.case, self.otherwise, self.cues = case, otherwise or {}, list[str]()

    def move(self, view: CourtView) -> Move:
        yield from ()
        rounds = rounds_of(view)
        self.cues.append(cue_text(view, rounds, len(rounds) - 1).splitlines()[-1])
        if view.turn in self.otherwise:
            return self.otherwise[view.turn]
        found = re.fullmatch(r"【提示】接下来是“(.+?)”，对(.+?)说(，一次说完)?：(.+)", self.cues[-1])
        assert found, self.cues[-1]
        stage, name, judges, words = found.groups()
        if judges:
            words = said_by(GoldJudge(self.case), replace(view, turn=view.limit)).text.replace("现在闭庭", "")
        return Say(words, tuple(role for role in view.there if view.called(role) == name), stage=stage)


def aided(case: Case, turns: int | None = None, otherwise: Mapping[int, Say] | None = None, **seated: Any) -> Any:
    """A trial under such a judge, and the judge."""
    judge = Obedient(case, otherwise)
    return by_rules(case, turns=turns, aided=True, judge=judge, **seated), judge


@cache
def trial(name: str, profile: ProfileName = "law") -> Court:
    return by_rules(CASES[name], profile)


def view_of(case: Case, role: str, *record: Turn, profile: ProfileName = "law", limit: int = 60) -> CourtView:
    return views(case, role, record=record, turn=9, limit=limit, profile=profile, day=law_day(case), traits={})


def reply(case: Case, role: str, text: str, *before: Turn, **more: Any) -> Say:
    """What a side by rules says to words of the judge."""
    asked = Turn(9, "judge", (role,), text)
    return said_by(SEATS[role], view_of(case, role, *before, asked, **more))


def of_judge(record: Sequence[Turn]) -> list[str]:
    return [turn.text for turn in record if turn.speaker == "judge" and turn.number > 0]


def strict(case: Case, record: Sequence[Turn], profile: ProfileName = "law") -> pfs.StrictPfs:
    assert isinstance(case, CivilCase | CriminalCase)
    return pfs.strict(record, hearing_of(case), profile)


def in_order(case: Case, court: Court, profile: ProfileName) -> None:
    """The procedure is kept to the letter, nothing is said twice or given away, no law is invented."""
    record, said = court.record, of_judge(court.record)
    found = strict(case, record, profile)
    assert court.driver.stopped and court.outcome == "finished", case.id
    assert found.pfs == 1.0 and not found.course.violations, (case.id, found.course.violations)
    assert not court.tagged("violation") and not court.tagged("leaked"), case.id
    assert pfs.compat(record, "CR" if case.env == "CR" else "CI").pfs == 1.0, case.id
    assert record[-1].number <= limit_of(case, profile)
    assert acts.closes(said[-1]) and not any(acts.closes(text) for text in said[:-1])
    assert all(one != two for one, two in zip(said, said[1:], strict=False))
    assert said[-1].count("第") <= 20
    assert not [one for one in cited_articles(said[-1])[0] if unknown(one, case.dates.for_law)]
    if profile == "j1":
        assert all(len(turn.to) <= 1 for turn in record if turn.speaker == "judge")


# --- whole trials ---------------------------------------------------------------------------------------------------


def shape(case: Any) -> tuple[object, ...]:
    hearing = hearing_of(case)
    return hearing.procedure, hearing.needs, case.criminal.plea.stance if case.env == "CR" else ""


SHAPES = [*{shape(case): name for name, case in CASES.items()}.values()]
"""A sample case of each procedure, need and plea."""
J1 = ("CI-0001", "CI-0006", "CR-0001", "CR-0004")
"""Whose shapes differ most under the published procedure."""


@pytest.mark.parametrize(("name", "profile"), [*((name, "law") for name in SHAPES), *((name, "j1") for name in J1)])
def test_sample_trials_of_every_shape_keep_the_procedure(name: str, profile: ProfileName) -> None:
    in_order(CASES[name], trial(name, profile), profile)


def test_the_first_score_of_a_trial_reads_no_turn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    case = court(CASES["CI-0001"])
    read: list[Turn] = []
    feed = Tracker.feed
    monkeypatch.setattr(Tracker, "feed", lambda self, turn: (read.append(turn), feed(self, turn))[-1])
    record = by_rules(case).record
    assert strict(case, record).pfs == 1.0
    assert read == list(record)


def court(case: Any, **changes: Any) -> Any:
    return case.model_copy(update={"court": case.court.model_copy(update=changes)})


def alone(case: Any) -> Any:
    return case.model_copy(update={"parties": tuple(p.model_copy(update={"counsel": None}) for p in case.parties)})


PANEL = (PanelMember(name="褚行知", title="审判员"), PanelMember(name="钮秋白", title="人民陪审员"))
SOLE, HEAD = Presiding(name="燕知秋", title="独任审判员"), Presiding(name="燕知秋", title="审判长")
OTHER_CASES: Mapping[str, Callable[[], Case]] = {
    "small claims, no counsel": lambda: court(
        alone(CASES["CI-0007"]), procedure="小额诉讼程序", presiding=SOLE, panel=()
    ),
    "ordinary and collegial": lambda: court(SHORT, procedure="普通程序", presiding=HEAD, panel=PANEL),
    "nothing known of the bench": lambda: court(SHORT, procedure="普通程序", name="", presiding=None, clerk=""),
    "no exhibits at all": lambda: CASES["CI-0005"].model_copy(update={"evidence": ()}),
}


@pytest.mark.parametrize(
    ("name", "profile"), [*((name, "law") for name in OTHER_CASES), ("ordinary and collegial", "j1")]
)
def test_cases_of_other_shapes_keep_the_procedure(name: str, profile: ProfileName) -> None:
    case = OTHER_CASES[name]()
    found = by_rules(case, profile)
    in_order(case, found, profile)
    assert ("终审判决" in found.record[-1].text) is ("small" in name)


def test_every_turn_follows_from_the_record_alone() -> None:
    """No memory: whoever is seated anew says what was said; a judge holds no gold."""
    for case, other in ((SHORT, CASES["CI-0002"]), (CASES["CR-0004"], CASES["CR-0010"])):
        record = by_rules(case).record
        assert by_rules(case.model_copy(update={"gold": other.gold})).record == record
        for place, turn in enumerate(record):
            if turn.speaker in SEATS and turn.number > 0:
                view = view_of(case, turn.speaker, *record[:place], limit=limit_of(case, "law"))
                assert said_by(SEATS[turn.speaker], view).text == turn.text


@pytest.mark.parametrize(
    ("name", "profile", "limit"),
    [("CR-0009", "law", 1), ("CR-0009", "law", 8), ("CR-0009", "j1", 3), ("CI-0001", "law", 21)],
)
def test_a_trial_ends_within_any_limit(name: str, profile: ProfileName, limit: int) -> None:
    found = by_rules(CASES[name], profile, turns=limit)
    said = of_judge(found.record)
    assert found.outcome == "finished" and len(said) <= limit
    assert "判决如下" in said[-1]


@pytest.mark.parametrize(
    ("answer", "refused"),
    [
        ("法庭听得见吗？我申请审判长回避。", True),
        ("我还没有想好，别人是否申请审判长回避？", False),
        ("请告知我当事人是否申请回避。", False),
        ("不申请回避。", False),
    ],
)
def test_a_challenge_gets_an_answer_and_a_question_about_one_does_not(answer: str, refused: bool) -> None:
    def challenge(view: CourtView) -> Say:
        return Say(answer) if "回避" in (view.asked.text if view.asked else "") else said_by(Accused(), view)

    said = "".join(of_judge(by_rules(CASES["CR-0001"], defendant=Speaks(challenge)).record))
    assert ("当庭驳回" in said) is refused


def test_a_judge_who_has_judged_only_closes() -> None:
    over = Turn(1, "judge", (), "本院认为，原告的请求有据。判决如下：被告归还原告借款170000元。")
    closing = said_by(Judge(), view_of(LOAN, "judge", over)).text
    assert "现在闭庭" in closing and "判决如下" not in closing


# --- judgment -------------------------------------------------------------------------------------------------------


def test_what_is_admitted_is_granted_and_for_the_rest_rules_do_not_judge() -> None:
    def admits(view: CourtView) -> Say:
        if "进行答辩" in (view.asked.text if view.asked else ""):
            return Say("关于第一项诉讼请求，被告没有异议。关于第二项诉讼请求，被告不同意，没有约定。")
        return said_by(CivilLawyer(), view)

    text = by_rules(SHORT, defendant_lawyer=Speaks(admits)).record[-1].text
    assert "被告罗成溪于本判决生效之日起十日内归还原告周映川借款本金200000元；" in text
    assert "本规则席位只就当事人承认或者没有争议的事项裁判" in text and "驳回原告周映川的其他诉讼请求" in text
    guilty, denies = (trial(name).record[-1].text for name in ("CR-0001", "CR-0002"))
    assert "犯盗窃罪，判处有期徒刑八个月，并处罚金人民币四千元" in guilty
    assert "不代表对案件的判断" in denies and "无罪" in denies


CROSS = "请被告对证据一发表质证意见。"


@pytest.mark.parametrize(
    ("view", "fault", "finding"),
    [
        ("对证据一的真实性、合法性、关联性均无异议。", "", "双方对真实性、合法性、关联性均无异议"),
        ("证据一看过了。", "", "对方未提出异议"),
        ("请您告诉我对证据一是否有异议。", "", "未经质证"),
        (CROSS, "echo", "未经质证"),
        ("对证据一的真实性不认可。", "", "对方以“对证据一的真实性不认可”为由提出异议"),
    ],
)
def test_a_judgment_says_of_an_exhibit_what_was_said_on_it(view: str, fault: Any, finding: str) -> None:
    record = [
        Turn(1, "judge", ("plaintiff_lawyer",), "请原告出示证据。"),
        Turn(1, "plaintiff_lawyer", ("judge",), "出示证据一：借条一张，证明借款20万元。"),
        Turn(2, "judge", ("defendant_lawyer",), CROSS),
        Turn(2, "defendant_lawyer", ("judge",), view, fault=fault),
    ]
    text = said_by(Judge(), view_of(LOAN, "judge", *record, limit=9)).text
    assert finding in text and ("均无异议" in finding or "均无异议" not in text), text


@pytest.mark.parametrize(
    ("plea", "found", "absent"),
    [("我没有打他。", "控辩双方对指控的事实有争议", "不足以"), ("", "庭审记录不足以认定指控的事实", "有争议的事实")],
)
def test_a_judgment_names_a_dispute_only_where_somebody_disputed(plea: str, found: str, absent: str) -> None:
    asked = Turn(2, "judge", ("defendant",), "被告人，你对起诉书指控的事实和罪名有无异议？")
    record = [
        Turn(1, "judge", ("procurator",), "请公诉人宣读起诉书。"),
        asked,
        Turn(2, "defendant", ("judge",), plea),
    ]
    text = said_by(Judge(), view_of(CASES["CR-0001"], "judge", *(record if plea else record[:1]), limit=9)).text
    assert found in text and absent not in text, text
    assert ("对指控有异议" in text) is bool(plea)


@pytest.mark.parametrize("name", ["CI-0001", "CR-0002"])
def test_the_reference_keeps_the_procedure_and_gives_the_authored_judgment(name: str) -> None:
    case = CASES[name]
    found = by_rules(case, agent=GOLD)
    in_order(case, found, "law")
    assert all(line in found.record[-1].text for line in case.gold.judgment)
    assert "规则席位" not in found.record[-1].text


# --- what the sides answer ------------------------------------------------------------------------------------------

ASKED: tuple[tuple[str, str, str], ...] = (
    ("plaintiff_lawyer", "请原告说明一下你方的基本情况。", "^原告周映川，男.*宋知遥.*特别授权"),
    ("plaintiff_lawyer", "原告，说说你的诉讼请求和事实理由。", "一、判令被告归还.*四、本案诉讼费.*事实和理由："),
    ("plaintiff_lawyer", "请原告只陈述诉讼请求。", "^诉讼请求：(?!.*事实和理由)"),
    ("plaintiff_lawyer", "请原告举证。", "^证据一：借条一张，书证，来源：.*载明：“.*”，拟证明双方(?!.*证据二)"),
    ("plaintiff_lawyer", "请原告将全部证据一并出示。", "证据一：.*证据五：.*出示完毕"),
    ("defendant_lawyer", "被告，对原告起诉的内容有什么答辩意见？", "第一项诉讼请求.*第三项诉讼请求，被告不同意"),
    ("defendant_lawyer", "法庭询问：被告，利息付到什么时候？", "利息付至2023年9月14日"),
    ("defendant_lawyer", "请被告对原告证据二发表质证意见。", "目前没有需要质证的证据"),
    ("defendant_lawyer", "被告，同不同意由法庭主持调解？", "同意调解(?!.*[0-9]元)"),
    ("procurator", "请公诉人宣读起诉书。", "经依法审查查明.*以诈骗罪追究其刑事责任"),
    ("defendant", "起诉书指控的事实和罪名，你有没有异议？", "我不承认骗取阮牧之92000元"),
)  # fmt: skip


@pytest.mark.parametrize(("role", "question", "answer"), ASKED)
def test_sides_answer_what_is_asked(role: str, question: str, answer: str) -> None:
    said = reply(LOAN if role.endswith("tiff_lawyer") or role == "defendant_lawyer" else FRAUD, role, question).text
    assert re.search(answer, said.replace("\n", " ")), said


OWED: tuple[tuple[Any, str, tuple[str, ...]], ...] = (
    (LOAN, "plaintiff_lawyer", ("诉讼请求：一、判令被告归还", "事实和理由：", "证据一：", "证据二：", "证据五：")),
    (LOAN, "defendant_lawyer", ("答辩意见", "证据一：", "证据二：")),
    (FRAUD, "procurator", ("经依法审查查明", "证据一：", "证据二：")),
    (FRAUD, "defendant", ("我不承认骗取阮牧之", "请求法庭查清楚")),
)
OPENLY = ("{who}，请发言。", "{who}，您需要起诉什么？", "{who}，请您继续。")
UNKNOWN = re.compile("不清楚|不知道|没有补充|没有别的|没有其他|辩论意见")


@pytest.mark.parametrize("invitation", OPENLY)
@pytest.mark.parametrize(("case", "role", "order"), OWED, ids=[one[1] for one in OWED])
def test_who_is_asked_openly_states_what_is_owed_in_its_order(
    case: Any, role: str, order: tuple[str, ...], invitation: str
) -> None:
    """Claims, then the story, then exhibits: never that nothing is known while something is owed, and no debate."""
    who = {"plaintiff_lawyer": "原告", "defendant_lawyer": "被告", "procurator": "公诉人", "defendant": "被告人"}[
        role
    ]
    record: list[Turn] = [Turn(1, "judge", (), "现在进行法庭调查。")]
    said: list[str] = []
    for number in range(2, 24):
        record.append(Turn(number, "judge", (role,), invitation.format(who=who)))
        said.append(said_by(SEATS[role], view_of(case, role, *record)).text)
        record.append(Turn(number, role, ("judge",), said[-1]))
    places = [next(at for at, text in enumerate(said) if head in text) for head in order]
    assert places == sorted(places) and places[0] == 0, said
    assert not any(UNKNOWN.search(text) for text in said[: places[-1]]), said
    assert len({*said[: places[-1]]}) == places[-1], "nothing owed is stated twice"


def test_the_debate_comes_only_once_the_court_has_opened_it() -> None:
    asked = "现在进行法庭调查。请原告陈述诉讼请求、事实和理由。"
    before = [
        Turn(1, "judge", ("plaintiff_lawyer",), asked),
        Turn(1, "plaintiff_lawyer", ("judge",), reply(LOAN, "plaintiff_lawyer", asked).text),
    ]
    assert reply(LOAN, "plaintiff_lawyer", "原告，现在请发言。", *before).text.startswith("证据一：")
    opened = Turn(2, "judge", ("plaintiff_lawyer",), "法庭调查结束，现在进行法庭辩论。请原告发言。")
    assert said_by(CivilLawyer(), view_of(LOAN, "plaintiff_lawyer", *before, opened)).text.startswith("发表辩论意见")


def test_objections_find_their_exhibit_in_whatever_order_it_is_offered() -> None:
    for case, owner, role, objector in (
        (LOAN, "plaintiff_lawyer", "defendant_lawyer", "D1"), (FRAUD, "procurator", "defence_lawyer", "COUNSEL"),
    ):  # fmt: skip
        who = {"plaintiff_lawyer": "原告", "procurator": "公诉人"}[owner]
        mine = [one for one in case.evidence if one.owner in ("P1", "PROC")]
        for number, one in zip("一二三四五六七八九十", reversed(mine), strict=False):
            shown = [
                Turn(1, "judge", (owner,), f"请{who}出示证据。"),
                Turn(1, owner, ("judge",), f"证据{number}：{one.title.replace('，', '、')}，拟证明其主张。"),
            ]
            said = reply(case, role, f"请发表对证据{number}的质证意见。", *shown).text
            points = [
                text
                for told in one.objections
                if told.by == objector
                for text in (told.truth, told.legality, told.relevance, told.weight, told.text)
                if text
            ]
            assert all(text.rstrip("。；") in said for text in points) and (points or "均无异议" in said), said


def test_an_accused_who_denies_does_not_tell_on_himself_and_is_examined_once() -> None:
    asked = "把当天的经过如实讲清楚，你有没有打人，有没有让人看着他？"
    for name, words in (("CR-0008", ("扇", "拉回", "收走")), ("CR-0009", ("交给其白色晶体", "0.6克"))):
        assert not any(word in reply(CASES[name], "defendant", asked).text for word in words)
    case = CASES["CR-0003"]
    first = reply(case, "procurator", "公诉人可以讯问被告人。")
    assert first.to == ("defendant",) and first.text.count("？") >= 2
    done = Turn(8, "procurator", ("defendant",), first.text)
    assert reply(case, "procurator", "公诉人可以讯问被告人。", done).to == ()
    assert reply(case, "procurator", "公诉人可以讯问被告人。", profile="j1").to == ()
    assert len(said_by(Accused(), view_of(case, "defendant", done)).text) > 20


# --- the aid of a judge ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["CI-0001", "CI-0002", "CR-0001", "CR-0004"])
def test_whoever_does_what_the_aid_names_has_done_all_duties(name: str) -> None:
    court, judge = aided(CASES[name])
    found = strict(CASES[name], court.record)
    assert court.outcome == "finished" and found.pfs == 1.0 and not found.course.violations
    assert {duty.key for duty in found.course.owed()} <= found.course.done
    assert "一次说完" in judge.cues[-2] and "闭庭" in judge.cues[-1]
    assert any("发表辩论意见" in cue or "辩护意见" in cue or "速裁" in cue for cue in judge.cues)


def test_what_was_put_twice_in_vain_is_passed_over_and_asked_in_other_words() -> None:
    silent = Speaks(lambda view: Say("", ("judge",)))
    court, judge = aided(SHORT, defendant_lawyer=silent)
    asks = [cue for cue in judge.cues if "对被告委托诉讼代理人说" in cue]
    assert court.outcome == "finished" and len(set(asks)) == len(asks) > 10
    assert set(Counter(cue[-8:] for cue in asks).values()) == {2}


def test_a_stage_that_was_left_too_early_is_reopened() -> None:
    early = {7: Say("现在进行法庭辩论。", (), stage="法庭辩论")}
    court, judge = aided(SHORT, otherwise=early)
    assert judge.cues[7].startswith("【提示】接下来是“法庭调查”") and "恢复法庭调查" in judge.cues[7]
    assert "恢复" not in judge.cues[8]
    assert {duty.key for duty in strict(SHORT, court.record).course.owed()} <= strict(SHORT, court.record).course.done


def test_where_turns_run_out_the_aid_names_the_judgment() -> None:
    court, judge = aided(CASES["CR-0004"], turns=8)
    assert court.outcome == "finished" and "一次说完" in judge.cues[-2] and len(judge.cues) == 8
