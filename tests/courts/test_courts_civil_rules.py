"""The civil trial by rules: a judge who keeps the procedure and judges by what was heard, lawyers who answer what is
asked."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.text.dates import dates_in
from tasks.courts.agents.citing import Cited, court_above, listed, within
from tasks.courts.agents.civil.asks import asked_of
from tasks.courts.agents.civil.case import NO_DECISION
from tasks.courts.agents.civil.judge import CivilJudge
from tasks.courts.agents.civil.parties import CivilLawyer
from tasks.courts.agents.civil.pleadings import claimed, claims_in, points_in
from tasks.courts.agents.clerk import Clerk
from tasks.courts.agents.model.held import held_lines
from tasks.courts.agents.own_words import outer
from tasks.courts.agents.trial.exhibits import none_left, offers_in, opinion_in
from tasks.courts.casefile.case import CivilCase
from tasks.courts.casefile.material import Judge, Member, Stance
from tasks.courts.casefile.questions import load_questions
from tasks.courts.casefile.visibility import visible
from tasks.courts.environment import environment
from tasks.courts.play.episode import CourtEpisode
from tasks.courts.play.flow import limit_of
from tasks.courts.play.record import for_procedure, spoken
from tasks.courts.play.views import CourtView
from tasks.courts.procedure import bench, pfs
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.tables import ProfileName
from tasks.courts.procedure.turns import Turn
from tasks.courts.scores.bigrams import bigrams, recall
from tasks.courts.scores.judgment import score
from tasks.courts.scores.laws import cited_articles, published_laws
from tasks.episode.actions import Move, Say
from tasks.episode.driver import Driver
from tasks.episode.events import AttemptStarted, Leaked, Seated, Violation
from tasks.episode.state import State
from tasks.episode.with_tools import SEAT
from tasks.sample.courtcases import court_cases

pytestmark = pytest.mark.slow

CASES: dict[str, CivilCase] = {
    case.id: case for case in court_cases() if isinstance(case, CivilCase) and case.env == "CI"
}
LOAN = CASES["CI-0001"]
SHORT = LOAN.model_copy(update={"evidence": tuple(e for e in LOAN.evidence if e.id in ("E1", "E6"))})
"""The loan with an exhibit a side, for trials that need not be long."""
_PLAYED: dict[tuple[int, str], tuple[State, tuple[Turn, ...]]] = {}
"""Trials that were played already; the same record follows from the same case."""
JUDGE, PLAINTIFF, DEFENDANT = "judge", "plaintiff_lawyer", "defendant_lawyer"
UPSTREAM = Path(__file__).parents[1] / "upstream_courts" / "ci.jsonl"


class Scripted:
    """Says what a function makes of the view."""

    def __init__(self, speak: Callable[[CourtView], Say]) -> None:
        self.speak = speak

    def move(self, view: CourtView) -> Move:
        yield from ()
        return self.speak(view)


def move(policy: Any, view: CourtView) -> Say:
    steps = policy.move(view)
    with pytest.raises(StopIteration) as stopped:
        next(steps)
    said = stopped.value.value
    assert isinstance(said, Say)
    return said


def play(
    case: CivilCase, profile: ProfileName = "law", turns: int | None = None, **others: Any
) -> tuple[State, tuple[Turn, ...]]:
    """A whole trial by rules, played once for each case of this module; `others`: who sits elsewhere, by role."""
    own = (case is SHORT or case is CASES.get(case.id)) and turns is None and not others
    if own and (id(case), profile) in _PLAYED:
        return _PLAYED[id(case), profile]
    seats: dict[str, Any] = {
        "clerk": Clerk(),
        JUDGE: CivilJudge(),
        PLAINTIFF: CivilLawyer(),
        DEFENDANT: CivilLawyer(),
        **others,
    }
    program = CourtEpisode({case.id: case}, lambda name, one, role: seats[role], profile, turns)
    driver = Driver("e", 1, program, time.time, time.perf_counter)
    driver.note(AttemptStarted(benchmark="courts", task_id=case.id, attempt=1, seed=3, card={"id": case.id}), step=0)
    for seat in (SEAT, *environment("CI").others):
        driver.note(Seated(seat=seat, policy="x/1"), step=0)
    while not driver.stopped:
        driver.advance()
        assert driver.state.steps < 400
    played = driver.state, spoken([record.event for record in driver.state.records], "CI")
    if own:
        _PLAYED[id(case), profile] = played
    return played


def strict(case: CivilCase, record: Sequence[Turn], profile: ProfileName) -> pfs.Strict:
    return pfs.strict(for_procedure(record, "CI"), hearing_of(case), profile)


def of(state: State, kind: type) -> list[Any]:
    return [record.event for record in state.records if isinstance(record.event, kind)]


def of_judge(record: Sequence[Turn]) -> list[str]:
    return [turn.text for turn in record if turn.speaker == JUDGE and turn.number > 0]


def checked(case: CivilCase, profile: ProfileName) -> tuple[Turn, ...]:
    """A trial in which the procedure is kept to the letter and nothing is given away."""
    state, record = play(case, profile)
    assert state.stopped is not None and state.stopped.outcome == "finished", (case.id, state.stopped)
    assert not of(state, Leaked), case.id
    assert not of(state, Violation), (case.id, of(state, Violation))
    assert strict(case, record, profile).pfs == 1, case.id
    assert pfs.compat(record, "CI").pfs == 1, case.id
    assert record[-1].number <= limit_of(case, profile)
    return record


# --- whole trials ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", ["law", "j1"])
def test_the_procedure_is_kept_in_every_sample_trial(profile: ProfileName) -> None:
    for case in [*CASES.values()][:: 1 if profile == "law" else 2]:
        record = checked(case, profile)
        said = of_judge(record)
        assert bench.closes(said[-1]) and not any(bench.closes(text) for text in said[:-1])
        assert max(Counter(said).values()) == 1
        assert said[-1].count("第") <= 20
        found = score(case, said, turns=record[-1].number)
        assert found.failed is None and found.strict["LAW_FAKE"] == 0
        if profile == "j1":
            assert all(len(turn.to) <= 1 for turn in record if turn.speaker == JUDGE)


@pytest.mark.parametrize("profile", ["law", "j1"])
def test_each_side_is_asked_about_those_who_appear_for_the_other(profile: ProfileName) -> None:
    said = play(SHORT, profile)[1]
    asked = [turn for turn in said if turn.speaker == JUDGE and "身份和代理权限有无异议" in turn.text]
    assert [turn.to for turn in asked] == (
        [(PLAINTIFF, DEFENDANT)] if profile == "law" else [(PLAINTIFF,), (DEFENDANT,)]
    )
    replies = [turn for turn in said if "身份和代理权限没有异议" in turn.text and turn.speaker != JUDGE]
    assert Counter(turn.speaker for turn in replies) == {PLAINTIFF: 1, DEFENDANT: 1}
    qualified = next(turn for turn in said if "符合法律规定，可以参加本案诉讼" in turn.text)
    assert qualified.number > asked[-1].number and "均无异议" in qualified.text


def court(case: CivilCase, **changes: Any) -> CivilCase:
    return case.model_copy(update={"court": case.court.model_copy(update=changes)})


def alone(case: CivilCase) -> CivilCase:
    return case.model_copy(update={"parties": tuple(p.model_copy(update={"counsel": None}) for p in case.parties)})


PANEL = (Member(name="褚行知", title="审判员"), Member(name="钮秋白", title="人民陪审员"))
SOLE, HEAD = Judge(name="燕知秋", title="独任审判员"), Judge(name="燕知秋", title="审判长")
OTHER_CASES: Mapping[str, Callable[[], CivilCase]] = {
    "small claims, no counsel": lambda: court(alone(CASES["CI-0007"]), procedure="小额诉讼程序", presiding=SOLE,
        panel=()),
    "ordinary and collegial": lambda: court(SHORT, procedure="普通程序", presiding=HEAD, panel=PANEL),
    "simplified, no counsel": lambda: alone(CASES["CI-0006"]),
    "nothing known of the bench": lambda: court(SHORT, procedure="普通程序", name="", presiding=None, clerk=""),
    "no exhibits at all": lambda: CASES["CI-0005"].model_copy(update={"evidence": ()}),
    "exhibits of one side": lambda: CASES["CI-0012"].model_copy(
        update={"evidence": tuple(e for e in CASES["CI-0012"].evidence if e.owner == "P1")}
    ),
    "imported": lambda: next(q.case for q in load_questions(UPSTREAM) if isinstance(q.case, CivilCase)),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER_CASES)
def test_the_procedure_is_kept_in_cases_of_other_shapes(name: str) -> None:
    case = OTHER_CASES[name]()
    record = checked(case, "law")
    if "small" in name:
        assert "终审判决" in record[-1].text and "上诉状" not in record[-1].text
    if "no exhibits" in name:
        assert "判决如下：\n驳回" in record[-1].text
    if name in ("small claims, no counsel", "imported"):
        assert checked(case, "j1")[0].text == "现在开庭。"


def test_many_exhibits_fit_into_fifty_turns() -> None:
    names = "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥角亢氐房心尾箕斗"
    exhibits = tuple(
        LOAN.evidence[0].model_copy(
            update={"id": f"E{n}", "owner": "P1" if n <= 20 else "D1", "title": f"{sign}号收货单据", "objections": ()}
        )
        for n, sign in enumerate(names, 1)
    )
    case = LOAN.model_copy(update={"evidence": exhibits})
    state, record = play(case, "j1")
    assert state.stopped is not None and state.stopped.outcome == "finished" and record[-1].number <= 50
    assert "判决如下" in record[-1].text and strict(case, record, "j1").pfs > 0.9


def test_parties_of_a_divorce_are_in_court_themselves_and_no_company_is_asked_in_person() -> None:
    divorce, sale = (play(CASES[name])[1] for name in ("CI-0006", "CI-0002"))
    assert "原告逯安平及其委托诉讼代理人山若谷已到庭" in divorce[0].text and "的委托诉讼代理人" in sale[0].text
    assert "本人沟通" not in "".join(turn.text for turn in sale)
    assert "原告提交的被告名下银行账户交易明细" in divorce[-1].text
    assert "离婚纠纷一案，不公开审理的理由是离婚案件，双方当事人申请不公开审理。" in "".join(
        turn.text for turn in divorce
    )


def test_every_turn_follows_from_the_record_alone() -> None:
    """No memory: whoever is seated anew says what was said."""
    case = SHORT
    record = play(case)[1]
    for place, turn in enumerate(record):
        if turn.speaker == "clerk":
            continue
        seat = CivilJudge() if turn.speaker == JUDGE else CivilLawyer()
        view = replace(view_of(case, turn.speaker, record[:place]), turn=turn.number, limit=limit_of(case, "law"))
        assert move(seat, view).text == turn.text


def test_a_genuine_exhibit_is_relied_on_and_a_question_gets_one_answer() -> None:
    record = play(CASES["CI-0002"])[1]
    assert "证据二送货单一份、证据三催款函及邮寄凭证，双方对真实性、合法性、关联性没有异议" in record[-1].text
    assert "证据四委托代理合同、律师费发票和付款回单，对方以“原告违约在先" in record[-1].text
    asked = [turn.text for turn, heard in zip(record[1:], record, strict=False) if "法庭发问" in heard.text]
    assert asked and not any("不清楚" in text for text in asked)


def test_what_is_admitted_is_granted_and_what_is_disputed_is_left_open() -> None:
    text = play(LOAN)[1][-1].text
    assert (
        NO_DECISION in text
        and "证据四普洱茶进货清单一份，对方以" in text
        and "判决如下：\n驳回原告周映川的诉讼请求。" in text
    )
    admitted = tuple(d.model_copy(update={"position": "admit", "text": "没有异议，同意支付"}) for d in SHORT.defences)
    text = play(SHORT.model_copy(update={"defences": admitted, "answer": ""}))[1][-1].text
    assert "被告罗成溪于本判决生效之日起十日内归还原告周映川借款本金200000元" in text and "律师费8000元" in text
    assert "驳回" not in text and "由被告罗成溪负担" in text and NO_DECISION not in text
    divorce = play(CASES["CI-0006"])[1][-1].text
    assert "准予原告逯安平与被告臧雨眠离婚" in divorce and "不得另行结婚" in divorce and "各负担75元" in divorce


@pytest.mark.parametrize("name", ["CI-0001", "CI-0005", "CI-0006"])
def test_issues_are_questions_and_leave_out_what_is_admitted(name: str) -> None:
    said = next(text for text in of_judge(play(CASES[name])[1]) if "争议焦点如下" in text)
    listed = re.findall(r"[一二三四五六七八]、([^；。]+)", said)
    assert listed and all(re.search("是否|应否|能否|有无", one) for one in listed), listed
    assert len(set(listed)) == len(listed)
    if name == "CI-0006":
        assert not any("离婚" in one for one in listed) and "双方没有争议" in said


@pytest.mark.parametrize(
    "question",
    ["第3批货物的颜色是谁挑选的？", "面馆现在经营得怎么样？", "你认识原告的妻子吗？", "原告店里一共有几名员工？"],
)
def test_what_no_field_of_a_party_tells_it_does_not_know(question: str) -> None:
    asked = [Turn(1, JUDGE, (DEFENDANT,), f"法庭发问：被告，{question}")]
    assert move(CivilLawyer(), view_of(LOAN, DEFENDANT, asked)).text == "这个情况我方不清楚。"


def test_a_point_that_answers_a_claim_is_debated_on_the_issue_of_that_claim() -> None:
    met = 0
    for case in CASES.values():
        record = play(case)[1]
        court = next(
            turn.text for turn in reversed(record) if turn.speaker == JUDGE and "本案的争议焦点" in turn.text
        )
        issues = re.findall("[一二三四五六七八]、([^；。]+)", court[court.index("争议焦点") :])
        debate = next(turn.text for turn in record if turn.speaker == DEFENDANT and "发表辩论意见" in turn.text)
        for number, said in re.findall("关于争议焦点(.)，(.+)。", debate):
            points = [one for one in case.defences if said.split("，")[0] in one.text]
            answered = {claim.text for claim in case.claims for one in points if claim.id in one.answers}
            issue = issues["一二三四五六七八".index(number)]
            near = max((claim.text for claim in case.claims), key=lambda text: recall(bigrams(issue), bigrams(text)))
            assert not answered or near in answered, (case.id, number, said)
            met += bool(answered)
    assert met >= 2 * len(CASES)


def test_mutual_debate_answers_points_of_the_other_side() -> None:
    met = 0
    for case in CASES.values():
        record = play(case)[1]
        start = next(at for at, turn in enumerate(record) if "互相辩论" in turn.text and turn.speaker == JUDGE)
        for turn in record[start + 1 : start + 3]:
            quoted = re.findall("所称“([^”]+)”，(.+)", turn.text)
            other = "".join(one.text for one in record[: start + 2] if one.speaker not in (JUDGE, turn.speaker))
            heard = re.sub("[，；。：“”‘’]", "", other)
            assert all(re.sub("[，；。：‘’]", "", point) in heard for point, _ in quoted), turn.text
            assert len({answer for _, answer in quoted}) == len(quoted) <= 3
            met += bool(quoted)
    assert met >= len(CASES)


def test_statutes_are_cited_before_interpretations() -> None:
    substance, procedure = Cited("中华人民共和国民法典", 509), Cited("中华人民共和国民事诉讼法", 67)
    reading = Cited("最高人民法院关于审理民间借贷案件适用法律若干问题的规定", 25)
    text = listed(within([reading, substance], 9, procedure))
    assert text.index("民法典") < text.index("民事诉讼法") < text.index("民间借贷")
    held = Cited("最高人民法院关于适用《中华人民共和国民法典》合同编通则若干问题的解释", 65)
    inner = listed(within([held], 9, procedure))
    assert "《最高人民法院关于适用〈中华人民共和国民法典〉合同编通则若干问题的解释》第六十五条" in inner
    plain = inner.replace("〈", "《").replace("〉", "》")
    assert cited_articles(inner) == cited_articles(plain) and len(cited_articles(inner)[0]) == 2
    gold = [plain.split("、")[-1]]
    assert published_laws(gold, inner) == published_laws(gold, plain) == 1
    assert outer("“甲称‘乙’”和‘丙’") == "“甲称‘乙’”和“丙”"


# --- settlement, takeover, nonsense ---------------------------------------------------------------------------------


def test_sides_that_would_settle_are_asked_for_their_terms_once_then_judged() -> None:
    terms = {
        "P1": Stance(stance="accept_if", terms="一次付清", amount=150000),
        "D1": Stance(stance="accept_if", amount=170000),
    }
    case = SHORT.model_copy(update={"mediation": terms})
    record = play(case, "law")[1]
    assert sum("请原告、被告提出具体的方案" in text for text in of_judge(record)) == 1
    assert "判决如下" in record[-1].text and strict(case, record, "law").pfs == 1


HUMAN = (
    ((PLAINTIFF,), "开庭了。原告说一下你方的身份、谁来出庭。"),
    ((DEFENDANT,), "被告也报一下身份。"),
    ((PLAINTIFF, DEFENDANT),
        "今天公开开庭审理周映川诉罗成溪民间借贷纠纷一案，适用简易程序，由审判员程思砚独任审理，书记员韩小满记录。"
     "你们有权申请回避、提供证据、进行辩论、请求调解。双方是否申请回避？"),
    ((PLAINTIFF,), "现在进行法庭调查，原告陈述一下诉讼请求和事实理由。"),
    ((DEFENDANT,), "被告答辩。"),
    ((PLAINTIFF,), "原告举证。"),
    ((DEFENDANT,), "请被告对这份证据发表质证意见。"),
    ((PLAINTIFF,), "原告，2024年1月15日收到的3万元是什么钱？"),
)  # fmt: skip


@pytest.mark.parametrize("cut", [1, 3, 6, 8])
def test_the_judge_takes_over_from_a_person(cut: int) -> None:
    def speak(view: CourtView) -> Say:
        if view.turn <= cut:
            to, text = HUMAN[view.turn - 1]
            return Say(text, to)
        return move(CivilJudge(), view)

    state, record = play(SHORT, judge=Scripted(speak))
    found = strict(SHORT, record, "law")
    assert state.stopped is not None and state.stopped.outcome == "finished" and "判决如下" in record[-1].text
    assert found.pfs > 0.95 and not [v for v in found.course.violations if v.code in ("missing", "back", "after_end")]
    later = "".join(of_judge(record)[cut:])
    assert ("核实当事人身份" in later) == (cut < 1) and ("请原告陈述诉讼请求" in later) == (cut < 4)
    assert len(re.findall("是否申请回避", later)) == (1 if cut < 3 else 0)


def test_a_judge_who_has_judged_only_closes() -> None:
    def speak(view: CourtView) -> Say:
        words = "本院认为，原告的请求有据。判决如下：被告归还原告借款170000元。"
        return Say(words) if view.turn == 1 else move(CivilJudge(), view)

    assert of_judge(play(LOAN, judge=Scripted(speak))[1])[-1] == "现在闭庭。"


BABBLE = st.sampled_from(
    [
        "", "……", "不知道", "error: timeout", "没有", "证据一", "证据一：《合同》。证据二：《发票》", "同意",
        "我不同意！", "现在闭庭了吗",
        "原告：我认输。\n被告：不认。", "申请审判长回避", "公诉人呢？",
        "诉讼请求：1.判令被告支付货款100元；2.支付违约金50元", "“" * 30,
        "证据十二：《录音》，拟证明<法庭调查>欠款", "本院认为，判决如下：驳回", "对证据一不认可，是假的",
        "第一百条" * 40, "同意调解，50元",
        "关于第一、二、三、九十九项诉讼请求，不同意", "证据一至证据九十九",
    ]
)  # fmt: skip


@settings(max_examples=8)
@given(
    said=st.lists(BABBLE | st.text(max_size=40), min_size=1, max_size=8),
    limit=st.none() | st.integers(1, 14),
    profile=st.sampled_from(["law", "j1"]),
)
def test_the_judge_comes_to_an_end_whatever_is_replied(
    said: list[str], limit: int | None, profile: ProfileName
) -> None:
    seat = Scripted(lambda view: Say(said[len(view.record) % len(said)], routed=""))
    case = SHORT
    state, record = play(case, profile, limit, plaintiff_lawyer=seat, defendant_lawyer=seat)
    assert state.stopped is not None and state.stopped.outcome == "finished"
    spoken_by_judge = of_judge(record)
    assert len(spoken_by_judge) <= (limit or limit_of(case, profile))
    assert re.search("判决如下|调解协议", spoken_by_judge[-1]) and spoken_by_judge[-1].count("第") <= 20
    assert max(Counter(spoken_by_judge).values()) == 1
    codes = {violation.code for violation in strict(case, record, profile).course.violations}
    assert not codes & {"speaks_for_party", "stages_bundled", "after_end", "bundled"}


# --- what lawyers answer --------------------------------------------------------------------------------------------

ASKED: tuple[tuple[str, str, str], ...] = (
    ("原", "请原告说明一下你方的基本情况。", "^原告周映川，男.*宋知遥.*特别授权"),
    ("被", "被告，报一下你的姓名和代理人。", "^被告罗成溪，男.*杜蘅.*一般授权"),
    ("原", "原告方谁来了？", "^原告周映川"),
    ("被", "请被告对原告证据二垫付凭证和赔偿协议发表质证意见。", "目前没有需要质证的证据"),
    ("被", "对原告出庭人员的身份有无异议？", "没有异议"),
    ("原", "以上诉讼权利听清楚了吗？要不要申请回避？", "不申请回避"),
    ("被", "被告是否要求本庭人员回避？", "不申请回避"),
    ("被", "无正当理由中途退庭的，可以缺席判决，被告明白吗？", "清楚"),
    ("原", "原告，说说你的诉讼请求和事实理由。", "一、判令被告归还.*二、判令.*四、本案诉讼费.*事实和理由："),
    ("原", "请原告只陈述诉讼请求。", "^诉讼请求：(?!.*事实和理由)"),
    ("原", "下面进行法庭调查。原告先说。", "诉讼请求：一、"),
    ("原", "原告有没有需要增加、变更的诉讼请求？", "不变更"),
    (
        "被",
        "被告，对原告起诉的内容有什么答辩意见？",
        "关于第一项诉讼请求.*关于第二项诉讼请求.*关于第三项诉讼请求，被告不同意",
    ),
    ("被", "被告怎么说？", "关于第一项诉讼请求"),
    ("被", "被告是否提起反诉？", "不提起反诉"),
    ("被", "双方对适用简易程序有无异议？", "^没有异议"),
    ("原", "本庭归纳争议焦点为：3万元的性质。双方对此有无异议？", "^对归纳的争议焦点没有异议"),
    ("原", "请原告举证。", "^证据一：借条一张，书证，来源：原告持有的原件，载明：“.*”，拟证明双方于(?!.*证据二)"),
    ("原", "请原告将全部证据一并出示。", "证据一：.*证据五：.*出示完毕"),
    ("被", "被告有证据要提交吗？", "^证据一：手机银行转账记录，"),
    ("被", "被告，2024年1月15日转给原告的3万元是什么钱？", "转账3万元.*还款"),
    ("原", "原告，借款是怎么交付的？", "转账"),
    ("原", "原告，你说的茶叶有没有送货单？", "没有|不清"),
    ("被", "法庭询问：被告，利息付到什么时候？", "利息付至2023年9月14日"),
    ("被", "被告欠原告多少钱？", "17万元"),
    ("原", "现在开始法庭辩论，先由原告发言。", "^发表辩论意见.*茶叶往来.*支持原告的诉讼请求"),
    ("被", "有没有新的辩论意见？", "^没有新的辩论意见"),
    ("原", "最后还有什么要说的？", "支持原告的全部诉讼请求"),
    ("被", "请被告作最后陈述。", "坚持答辩意见"),
    ("原", "愿不愿意调解？", "^不同意调解"),
    ("被", "被告，同不同意由法庭主持调解，有什么方案？", "同意调解，可以由双方协商(?!.*[0-9]元)"),
    ("被", "法庭提出方案：被告一次性支付原告15万元，被告能否接受？", "同意该调解方案"),
    ("被", "法庭提出方案：被告一次性支付原告19万元，被告能否接受？", "不同意该方案"),
    ("原", "本庭建议被告支付20万元了结本案，原告是否同意该方案？", "不同意该方案"),
    ("原", "原告还有什么需要补充的吗？", "^没有补充"),
    ("被", "是否申请鉴定？", "^不申请"),
    ("原", "对被告的质证意见，原告有什么回应？", "坚持举证意见"),
    ("原", "被告，请你答辩。", "我方是原告，请法庭明确"),
)


def view_of(case: CivilCase, role: str, record: Sequence[Turn], profile: ProfileName = "law") -> CourtView:
    return CourtView(
        seat=role, card={}, history=(), step=1, role=role, env="CI", profile=profile, case_id=case.id,
        held=visible(case, "CI", role), record=tuple(record), turn=len(record), limit=50, day=case.dates.proceeding,
    )  # fmt: skip


def test_whoever_takes_the_bench_goes_on_after_a_judge_who_spoke_for_a_party() -> None:
    before = Turn(1, JUDGE, (PLAINTIFF,), "原告今天嗓子哑了，我替她讲：她的请求就是要回押金八千，别的不要。")
    said = move(CivilJudge(), view_of(LOAN, JUDGE, [before, Turn(1, PLAINTIFF, (JUDGE,), "好的。")]))
    assert said.to == (PLAINTIFF,) and "基本情况" in said.text


@pytest.mark.parametrize(("side", "question", "answer"), ASKED)
def test_lawyers_answer_what_is_asked(side: str, question: str, answer: str) -> None:
    role = {"原": PLAINTIFF, "被": DEFENDANT}[side]
    said = move(CivilLawyer(), view_of(LOAN, role, [Turn(1, JUDGE, (role,), question)])).text
    assert re.search(answer, said.replace("\n", " ")), said


def test_counsel_name_the_limit_only_when_asked_again() -> None:
    first = [Turn(1, JUDGE, (DEFENDANT,), "被告是否同意调解？"), Turn(1, DEFENDANT, (JUDGE,), "同意调解。")]
    second = [*first, Turn(2, JUDGE, (DEFENDANT,), "双方均有协商解决的意愿，请被告提出具体的方案。")]
    said = move(CivilLawyer(), view_of(LOAN, DEFENDANT, second)).text
    assert re.search("分十二个月.*不超过176000元", said)


def test_two_answers_to_one_claim_take_one_position() -> None:
    case = CASES["CI-0002"]
    said = move(CivilLawyer(), view_of(case, DEFENDANT, [Turn(1, JUDGE, (DEFENDANT,), "请被告答辩。")])).text
    assert said.count("关于第一项诉讼请求") == 1 and "其一，36盏灯" in said and "其二，120盏灯" in said
    heard = [point for point in points_in(said, ()) if point.claims == {1}]
    assert [point.position for point in heard] == ["partly"]


def test_lawyers_speak_on_the_exhibit_that_was_shown() -> None:
    record = [
        Turn(1, JUDGE, (PLAINTIFF,), "请原告继续出示证据。"),
        Turn(1, PLAINTIFF, (JUDGE,), "证据四：《普洱茶进货清单一份》，拟证明3万元是货款。"),
        Turn(2, JUDGE, (DEFENDANT,), "请被告发表质证意见。"),
    ]
    said = move(CivilLawyer(), view_of(LOAN, DEFENDANT, record)).text
    assert (
        said.startswith("对证据四《普洱茶进货清单一份》")
        and "对真实性有异议，系原告自己书写" in said
        and "合法性没有异议" in said
    )
    other = [*record[:1], Turn(1, PLAINTIFF, (JUDGE,), "证据二：《银行转账电子回单》，证明交付。"), *record[2:]]
    assert "均无异议" in move(CivilLawyer(), view_of(LOAN, DEFENDANT, other)).text


def test_objections_find_their_exhibit_in_whatever_order_the_other_side_offers() -> None:
    ids = [one.id for one in LOAN.evidence if one.owner == "P1"]
    objected = {
        one.id: told.weight or told.truth for one in LOAN.evidence for told in one.objections if told.by == "D1"
    }
    titles = {one.id: one.title for one in LOAN.evidence}
    for number, identity in enumerate(reversed(ids), 1):
        record = [
            Turn(1, JUDGE, (PLAINTIFF,), "请原告出示证据。"),
            Turn(1, PLAINTIFF, (JUDGE,), f"证据{number}：{titles[identity]}，拟证明原告的主张。"),
            Turn(2, JUDGE, (DEFENDANT,), f"请被告对证据{number}发表质证意见。"),
        ]
        said = move(CivilLawyer(), view_of(LOAN, DEFENDANT, record)).text
        assert (objected[identity].rstrip("。") in said) if identity in objected else "均无异议" in said, identity
    record[1] = Turn(1, PLAINTIFF, (JUDGE,), "证据四：一份材料，拟证明原告的主张。")
    assert "系原告自己书写" in move(CivilLawyer(), view_of(LOAN, DEFENDANT, record[:2] + [
        Turn(2, JUDGE, (DEFENDANT,), "请被告对证据四发表质证意见。")
    ])).text  # fmt: skip
    card = "\n".join(held_lines(view_of(LOAN, DEFENDANT, record)))
    assert f"对方证据“{titles['E4']}”，你的质证意见：" in card and "你方证据" in card and "你没有异议" in card


def test_lawyers_offer_one_exhibit_at_a_time_and_say_when_nothing_is_left() -> None:
    record: list[Turn] = []
    for number in range(1, 8):
        record.append(Turn(number, JUDGE, (PLAINTIFF,), "请原告出示证据。"))
        said = move(CivilLawyer(), view_of(LOAN, PLAINTIFF, record)).text
        record.append(Turn(number, PLAINTIFF, (JUDGE,), said))
        if number <= 5:
            assert len(re.findall("(?m)^证据", said)) == 1 and said.endswith("证据出示完毕。") == (number == 5)
        else:
            assert "没有其他证据向法庭出示" in said
    none = LOAN.model_copy(update={"evidence": ()})
    assert move(CivilLawyer(), view_of(none, DEFENDANT, [Turn(1, JUDGE, (DEFENDANT,), "请被告举证。")])).text == (
        "被告没有证据向法庭出示。"
    )


def test_a_party_without_counsel_speaks_for_itself() -> None:
    case = alone(LOAN)
    said = move(
        CivilLawyer(), view_of(case, PLAINTIFF, [Turn(1, JUDGE, (PLAINTIFF,), "请原告说明身份，是否申请回避？")])
    ).text
    assert "本人到庭，没有委托诉讼代理人" in said and "我不申请回避" in said
    opening = [turn.text for turn in play(alone(SHORT))[1][:8]]
    assert not any("代理权限" in text for text in opening) and any("身份有无异议" in text for text in opening)


def test_a_question_of_the_other_side_is_answered_by_this_one() -> None:
    record = [
        Turn(1, JUDGE, (PLAINTIFF,), "原告可以向被告发问。"),
        Turn(1, PLAINTIFF, (DEFENDANT,), "被告，你2024年1月15日转账的附言是什么？"),
    ]
    assert "还款" in move(CivilLawyer(), view_of(LOAN, DEFENDANT, record)).text


@settings(max_examples=60)
@given(question=st.text(max_size=120) | st.sampled_from([one[1] for one in ASKED]))
def test_lawyers_say_something_to_anything(question: str) -> None:
    for role in (PLAINTIFF, DEFENDANT):
        assert move(CivilLawyer(), view_of(LOAN, role, [Turn(1, JUDGE, (role,), question)])).text.strip()


# --- reading --------------------------------------------------------------------------------------------------------


def test_claims_are_read_from_many_forms() -> None:
    numbered = claims_in(
        "诉讼请求：1.判令被告支付货款8000元；2.判令被告支付利息500元（以8000元为基数）；3.诉讼费由被告承担。"
        "事实与理由：2024年……"
    )
    assert [(c.kind, c.amount) for c in numbered] == [("pay", 8000), ("pay", 500), ("costs", None)]
    loose = claims_in("我要求离婚，孩子由我抚养。被告每月支付抚养费1500元。")
    assert [c.kind for c in loose] == ["declare", "pay"]
    assert claims_in("今天天气不错") == []
    assert claimed("共计47922.35元（已扣除被告垫付的8000元），其中医疗费39862.35元") == 47922.35
    assert claimed("按照总价款16599元的三倍赔偿原告49797元") == 49797
    assert claimed("办理解除原告为公司40万元银行贷款所承担保证责任的手续") is None


def test_the_answer_is_read_with_and_without_numbers() -> None:
    claims = claims_in("诉讼请求：一、支付货款8000元；二、支付违约金2000元；三、返还保证金500元。")
    told = points_in(
        "关于第一、三项诉讼请求，被告不同意，没有收到货。关于第二项诉讼请求，被告部分认可，违约金过高。", claims
    )
    assert [(sorted(p.claims), p.position) for p in told] == [([1, 3], "deny"), ([2], "partly")]
    free = points_in("货款8000元属实，没有异议。违约金约定过高，请求调减。", claims)
    assert [(sorted(p.claims), p.position) for p in free] == [([1], "admit"), ([2], "deny")]


def test_exhibits_and_opinions_are_read() -> None:
    offered = offers_in(
        "原告提交证据1：借条原件，用以证明借款关系。证据2、转账凭证（复印件），证明交付20万元。", "plaintiff"
    )
    assert [(o.number, o.title) for o in offered] == [(1, "借条原件"), (2, "转账凭证（复印件）")]
    assert offered[1].purpose == "交付20万元" and offers_in("没有证据。", "plaintiff") == ()
    assert offers_in("出示工程竣工验收单，由原告签字，证明工程合格。", "defendant")[0].title == "工程竣工验收单"
    assert none_left("原告的证据已经出示完毕。") and not none_left(
        "证据三：《说明》，证明被告没有证据支持其主张。", offered=True
    )
    assert opinion_in("对三性均无异议。").against == {}
    against = opinion_in(
        "真实性不予认可，没有原件；对合法性、关联性没有异议；不能达到证明目的，借条没有写利息。"
    ).against
    assert set(against) == {"truth", "weight"} and "没有原件" in against["truth"]


def test_days_are_read_as_they_are_written() -> None:
    assert dates_in("二〇二三年九月五日、2024-03-04和2024.5.12") == [
        date(2023, 9, 5),
        date(2024, 3, 4),
        date(2024, 5, 12),
    ]


def test_a_judge_asks_only_the_side_that_is_named() -> None:
    both = "请原告陈述诉讼请求；请被告进行答辩。"
    assert [a.kind for a in asked_of(both, "plaintiff")] == ["claim"] and [
        a.kind for a in asked_of(both, "defendant")
    ] == ["answer"]


# --- law ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "above"),
    [
        ("浙江省杭州市西湖区人民法院", "浙江省杭州市中级人民法院"),
        ("广西壮族自治区南宁市青秀区人民法院", "广西壮族自治区南宁市中级人民法院"),
        ("湖北省荆州市沙市区人民法院", "湖北省荆州市中级人民法院"),
        ("江苏省昆山市人民法院", "上一级人民法院"),
        ("北京市朝阳区人民法院", "上一级人民法院"),
        ("云栖县人民法院", "上一级人民法院"),
        ("浙江省杭州市中级人民法院", "浙江省高级人民法院"),
        ("北京市第三中级人民法院", "北京市高级人民法院"),
        ("", "上一级人民法院"),
    ],
)
def test_the_court_of_appeal_is_named_only_where_the_name_tells_it(name: str, above: str) -> None:
    assert court_above(name) == above


def _asks_back(times: int) -> Callable[[CourtView], Say]:
    """A defendant who meets the first `times` calls for 质证 with a question of its own."""

    def speak(view: CourtView) -> Say:
        said = sum("你方工程师为什么没有到场" in turn.text for turn in view.own)
        if (
            any(one.kind == "cross" for one in asked_of(view.asked.text if view.asked else "", "defendant"))
            and said < times
        ):
            return Say("@原告 你方工程师为什么没有到场？")
        return move(CivilLawyer(), view)

    return speak


@pytest.mark.parametrize("times", [1, 2])
def test_a_side_that_asks_back_is_asked_for_its_view_once_more(times: int) -> None:
    state, record = play(SHORT, **{DEFENDANT: Scripted(_asks_back(times))})
    bench_said = [turn.text for turn in record if turn.speaker == "judge"]
    assert sum("发表质证意见" in text and "原告证据一" in text for text in bench_said) == 2
    assert any("视为放弃质证权利" in text for text in bench_said) == (times == 2)
    assert state.stopped and not [one for one in of(state, Violation) if one.code == "uncrossed_relied"]
