"""Criminal trials by rules: the parties answer what is asked, the judge keeps the procedure, weighs, sentences within
the law."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tasks.courts.agents.citing import cite, court_above, listed
from tasks.courts.agents.clerk import Clerk
from tasks.courts.agents.criminal.accused import Accused
from tasks.courts.agents.criminal.asking import kinds_of
from tasks.courts.agents.criminal.case import Case
from tasks.courts.agents.criminal.counsel import DefenceLawyer, Procurator
from tasks.courts.agents.criminal.judge import CriminalJudge
from tasks.courts.agents.criminal.sentence import pronounced, request_of, served, set_off
from tasks.courts.agents.trial.exhibits import offers_in
from tasks.courts.casefile.case import CriminalCase
from tasks.courts.casefile.law import shipped_laws
from tasks.courts.casefile.prosecution import Sentence
from tasks.courts.casefile.roles import procedural
from tasks.courts.casefile.upstream import import_upstream
from tasks.courts.casefile.visibility import visible
from tasks.courts.environment import Ending, environment
from tasks.courts.play.episode import CourtEpisode, law_day
from tasks.courts.play.flow import limit_of, next_cue
from tasks.courts.play.record import spoken
from tasks.courts.play.views import CourtView
from tasks.courts.procedure import pfs
from tasks.courts.procedure.bench import rulings
from tasks.courts.procedure.findings import Course
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.machine import follow
from tasks.courts.procedure.replies import items_named
from tasks.courts.procedure.tables import ProfileName
from tasks.courts.procedure.turns import Item, Turn
from tasks.courts.scores import judgment, laws
from tasks.episode.actions import Move, Say
from tasks.episode.driver import Driver
from tasks.episode.events import AttemptStarted, Leaked, Seated, Violation
from tasks.episode.with_tools import SEAT
from tasks.sample.courtcases import criminal_cases

pytestmark = pytest.mark.slow

CASES = {case.id: case for case in criminal_cases()}
RULES: Mapping[str, Any] = {
    SEAT: CriminalJudge(), "clerk": Clerk(), "procurator": Procurator(), "defendant": Accused(),
    "defence_lawyer": DefenceLawyer(),
}  # fmt: skip
JUDGE = "judge"
SEATS = ("judge", "procurator", "defendant", "defence_lawyer")


Trial = tuple[tuple[Turn, ...], str, list[Any]]


def run(case: CriminalCase, profile: ProfileName) -> Trial:
    """A whole trial by rules as a run plays it: what was said, the outcome, violations and leaks that were noted."""
    program = CourtEpisode({case.id: case}, lambda name, one, role: RULES[SEAT if role == JUDGE else role], profile)
    driver = Driver("e", 1, program, time.time, time.perf_counter)
    driver.note(AttemptStarted(benchmark="courts", task_id=case.id, attempt=1, seed=3, card={"id": case.id}), step=0)
    for seat in (SEAT, *environment("CR").others):
        driver.note(Seated(seat=seat, policy="court-rules/1"), step=0)
    while not driver.stopped:
        driver.advance()
        assert driver.state.steps < 600
    events = [record.event for record in driver.state.records]
    faults = [event for event in events if isinstance(event, Violation | Leaked)]
    return spoken(events, "CR"), driver.state.stopped.outcome if driver.state.stopped else "", faults


def play(
    case: CriminalCase, profile: ProfileName = "law", turns: int | None = None, **others: Any
) -> tuple[tuple[Turn, ...], str]:
    """What is said in a trial with others in some seats, and its outcome; no journal, so quick."""
    sits = {**RULES, JUDGE: RULES[SEAT], **others}
    held = {role: visible(case, "CR", role) for role in sits if role != SEAT}
    limit = turns or limit_of(case, profile)
    record: list[Turn] = []
    while not isinstance(cue := next_cue(case, profile, limit, record), Ending):
        say = Say(cue.fixed, cue.to)
        if not cue.fixed:
            view = view_of(case, cue.role, *record, profile=profile, turn=cue.turn, limit=limit, held=held[cue.role])
            say = said_by(sits[cue.role], view)
        to = tuple(role for role in say.to if role in SEATS and role != cue.role)
        if cue.role == JUDGE:
            to = to[:1] if profile == "j1" else to
        else:
            to = to[:1] if to and profile == "law" else cue.to
        record.append(Turn(cue.turn, cue.role, to, say.text))
    return tuple(record), cue.outcome


def view_of(
    case: CriminalCase,
    role: str,
    *said: Turn,
    profile: ProfileName = "law",
    turn: int = 9,
    limit: int = 60,
    held: Any = None,
) -> CourtView:
    there = tuple(one for one in SEATS if one != role)
    return CourtView(
        seat=role, card={}, history=(), step=1, role=role, env="CR", profile=profile, case_id=case.id,
        day=law_day(case),
        held=visible(case, "CR", role) if held is None else held, record=said, turn=turn, limit=limit, there=there,
    )  # fmt: skip


def said_by(policy: Any, view: CourtView) -> Say:
    made = policy.move(view)
    try:
        while True:
            next(made)
    except StopIteration as end:
        assert isinstance(end.value, Say)
        return end.value


def as_procedure(turns: Sequence[Turn]) -> list[Turn]:
    return [
        Turn(t.number, procedural("CR", t.speaker), tuple(procedural("CR", r) for r in t.to), t.text, t.stage)
        for t in turns
    ]


def bench(turns: Sequence[Turn]) -> list[Turn]:
    return [turn for turn in turns if turn.speaker == JUDGE and turn.number > 0]


def changed(case: CriminalCase, **fields: Any) -> CriminalCase:
    """The case with other fields: `criminal__plea__stance="guilty"` reaches inside."""
    data = case.model_dump(by_alias=True)
    for path, value in fields.items():
        *way, last = path.split("__")
        place: Any = data
        for key in way:
            place = place[key]
        place[last] = value
    return CriminalCase.model_validate(data)


@pytest.fixture(scope="module")
def trials() -> dict[tuple[str, str], Trial]:
    law: dict[tuple[str, str], Trial] = {(name, "law"): run(case, "law") for name, case in CASES.items()}
    journalled = ("CR-0004", "CR-0009")
    return law | {
        (name, "j1"): run(case, "j1") if name in journalled else (*play(case, "j1"), [])
        for name, case in CASES.items()
    }


class Spoken:
    """Says what a function makes of the view."""

    def __init__(self, speak: Callable[[CourtView], Say | str]) -> None:
        self.speak = speak

    def move(self, view: CourtView) -> Move:
        yield from ()
        said = self.speak(view)
        return said if isinstance(said, Say) else Say(said)


# --- the judge ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", ["law", "j1"])
def test_all_sample_trials_keep_the_procedure(profile: ProfileName, trials: Any) -> None:
    for name, case in CASES.items():
        turns, ended, faults = trials[name, profile]
        assert ended == "finished" and not faults, (name, faults)
        ours = pfs.strict(as_procedure(turns), hearing_of(case), profile)
        assert ours.pfs == 1.0 and not ours.course.violations, (name, ours.course.violations)
        assert pfs.compat(as_procedure(turns), "CR").pfs == 1.0, name
        said = bench(turns)
        assert profile == "law" or len(said) <= 35
        assert all(len(turn.to) <= 1 for turn in said), "one side a turn"
        assert all(one.text != two.text for one, two in zip(said, said[1:], strict=False))


def test_the_judge_knows_only_what_is_said_and_the_words_are_the_same_each_time(trials: Any) -> None:
    case, other = CASES["CR-0002"], CASES["CR-0010"]
    blind = case.model_copy(update={"gold": other.gold})
    assert play(blind)[0] == trials["CR-0002", "law"][0]
    turns = trials["CR-0006", "law"][0]
    read = next(turn for turn in turns if turn.speaker == "procurator" and "查明" in turn.text)
    before = [turn.text for turn in turns if turn.number < read.number and turn.speaker == JUDGE]
    assert not any("郎栋" in text or "纠集" in text for text in before), (
        "facts are not known before the indictment is read"
    )


def test_what_is_admitted_is_judged_and_what_is_disputed_is_left_open(trials: Any) -> None:
    for name, case in CASES.items():
        turns = trials[name, "law"][0]
        text = turns[-1].text
        found = judgment.score(case, [turn.text for turn in bench(turns)], turns=turns[-1].number)
        assert found.failed is None
        cited, unnamed = laws.cited_articles(text)
        assert cited and not unnamed
        assert [one for one in cited if laws.unknown(one, case.dates.for_law)] == [], name
        said = text.split("判决如下：")[1]
        if case.criminal.plea.stance == "guilty":
            assert "犯" in said and "无罪" not in said, name
        else:
            assert "不就争议作裁判" in text and "无罪" in said, name
    hearing = hearing_of(CASES["CR-0006"])
    ruled = {one.item.title: one for one in rulings(trials["CR-0006", "law"][0][-1].text, hearing, hearing.exhibits)}
    assert set(ruled) == {item.title for item in hearing.exhibits}
    assert all(one.reasoned for one in ruled.values() if not one.admitted) and not all(
        one.admitted for one in ruled.values()
    )


def test_things_held_are_named_one_by_one_and_what_was_given_back_is_not() -> None:
    judged = "\n".join(turn.text for turn in play(CASES["CR-0001"])[0] if turn.speaker == JUDGE)
    assert "扣押在案的钳子一把，依法予以没收" in judged and "扣押在案的财物" not in judged


def test_nothing_is_disposed_of_where_the_prosecution_says_that_nothing_is_held(trials: Any) -> None:
    for name in ("CR-0006", "CR-0008"):
        assert "本案没有查封、扣押、冻结的涉案财物" in "".join(turn.text for turn in trials[name, "law"][0])
        judged = trials[name, "law"][0][-1].text
        assert not re.search("扣押在案|第六十四条|违法所得|涉案财物", judged), name
    returned = trials["CR-0007", "law"][0][-1].text
    assert "的违法所得依法予以追缴或者责令退赔" in returned and "扣押在案" not in returned


def test_a_request_is_followed_where_nobody_objects_to_it() -> None:
    asked = {"text": "建议判处有期徒刑十个月，并处罚金人民币六千元", "months": (10, 10)}
    text = play(changed(CASES["CR-0001"], criminal__request=asked))[0][-1].text
    assert "判处有期徒刑十个月，并处罚金人民币六千元" in text and "予以采纳" in text and "第二百零一条" in text
    heavy = changed(
        CASES["CR-0001"], criminal__request=asked, criminal__defence_opinion="对量刑建议有异议，量刑建议过重。"
    )
    text = play(heavy)[0][-1].text
    assert "不宣告刑罚" in text and "不予采纳" in text


def test_a_challenge_gets_an_answer_and_the_hearing_goes_on() -> None:
    def speak(view: CourtView) -> Say | str:
        if "回避" in (view.asked.text if view.asked else ""):
            return "我申请审判长回避，我看他不顺眼。"
        return said_by(Accused(), view)

    turns, ended = play(CASES["CR-0001"], defendant=Spoken(speak))
    assert ended == "finished"
    assert any("依法当庭驳回" in turn.text for turn in bench(turns))


NOISE = (
    "", "……", "我不知道。", "好的。", "证据一：借条。", "没有。", "判处有期徒刑三年", "应当以盗窃罪追究其刑事责任",
    "建议判处有期徒刑", "2024年3月5日",
    "92000元", "没有异议。", "有异议！", "我不认。", "自首", "(((【】", "\n\n", "一、二、三、",
    "12345678901234567890元", "我申请回避", "举证完毕。",
    "本院认为，判决如下：", "<法庭调查>", "拘役九十九年", "🙂", "请公诉人宣读起诉书。", "有期徒刑零月", "13月45日",
    "[错误] timeout",
)  # fmt: skip


@settings(max_examples=10)
@given(
    st.sampled_from(sorted(CASES)),
    st.sampled_from(["law", "j1"]),
    st.sets(st.sampled_from(["procurator", "defendant", "defence_lawyer"]), min_size=1),
    st.integers(0, 10_000),
)
@example("CR-0001", "law", {"defence_lawyer"}, 1164)
@example("CR-0001", "j1", {"defence_lawyer", "defendant", "procurator"}, 1646)
def test_nonsense_never_stops_the_judge(name: str, profile: ProfileName, who: set[str], seed: int) -> None:
    dice = random.Random(seed)

    def speak(view: CourtView) -> Say:
        to = (dice.choice(view.there),) if dice.random() < 0.1 else ()
        return Say("".join(dice.choice(NOISE) for _ in range(dice.randint(0, 5))), to)

    turns, ended = play(CASES[name], profile, **dict.fromkeys(who, Spoken(speak)))
    assert ended == "finished"
    asked = Counter(turn.text for turn in bench(turns) if "下一份" not in turn.text and "其余证据" not in turn.text)
    assert max(asked.values()) <= 2, asked
    cited, _ = laws.cited_articles(turns[-1].text)
    assert not [one for one in cited if laws.unknown(one, CASES[name].dates.for_law)]


@pytest.mark.parametrize("profile", ["law", "j1"])
def test_a_trial_ends_within_any_limit(profile: ProfileName) -> None:
    for limit in (1, 2, 3, 5, 8, 13, 21):
        turns, ended = play(CASES["CR-0009"], profile, limit)
        assert ended == "finished" and len(bench(turns)) <= limit
        assert limit < 8 or any("最后陈述" in turn.text for turn in bench(turns)[:-1])


OTHER_WORDS: tuple[tuple[str, str], ...] = (
    ("defendant", "开庭了。被告人，先把你的姓名、出生年月、住址这些基本情况说一下。"),
    ("defendant", "以前被处罚过没有？这次是什么时候被采取强制措施的？"),
    ("defendant", "起诉书什么时候送到你手里的？"),
    ("defendant", "你对本庭的组成人员要不要申请回避？"),
    ("procurator", "进行法庭调查，公诉人宣读起诉书。"),
    ("defendant", "起诉书指控的事实和罪名，你有没有异议？"),
    ("procurator", "公诉人先举证，拿第一份证据出来。"),
)


@pytest.mark.parametrize("until", [2, 5, 7])
def test_the_judge_takes_over_in_the_middle_and_asks_nothing_again(until: int) -> None:
    def speak(view: CourtView) -> Say:
        at = len(bench(view.record))
        if at < until:
            role, text = OTHER_WORDS[at]
            return Say(text, (role,), routed="words")
        return said_by(CriminalJudge(), view)

    turns, ended = play(CASES["CR-0006"], judge=Spoken(speak))
    assert ended == "finished" and "判决如下" in turns[-1].text and "寻衅滋事罪" in turns[-1].text
    later = " ".join(turn.text for turn in bench(turns)[until:])
    assert "出生地、文化程度" not in later and ("有无前科劣迹" in later) is (until < 2)
    assert "合议庭" in later and "辩护权利" not in later and "法庭辩论" in later
    assert ("宣读起诉书" in later) is (until < 5) and ("诉讼权利" in later) and ("首先核实" not in later)


def test_thin_imported_cases_are_tried_to_the_end(request: pytest.FixtureRequest) -> None:
    case = import_upstream(request.path.parents[1] / "upstream_courts" / "cr.jsonl").cases[0]
    assert isinstance(case, CriminalCase)
    for profile in ("law", "j1"):
        turns, ended = play(case, profile)  # type: ignore[arg-type]
        ours = pfs.strict(as_procedure(turns), hearing_of(case), profile)  # type: ignore[arg-type]
        assert ended == "finished" and ours.pfs == 1.0 and not ours.course.violations
        assert "未载明" not in " ".join(turn.text for turn in turns)
        assert "犯" in turns[-1].text.split("判决如下：")[1]


# --- the parties ----------------------------------------------------------------------------------------------------


def reply(case: str, role: str, text: str, *before: Turn, profile: ProfileName = "law") -> Say:
    policies = {"procurator": Procurator(), "defendant": Accused(), "defence_lawyer": DefenceLawyer()}
    view = view_of(CASES[case], role, *before, Turn(9, JUDGE, (role,), text), profile=profile)
    return said_by(policies[role], view)


ACCUSED: tuple[tuple[str, str], ...] = (
    ("被告人，把你的个人基本情况向法庭说一下。", "我叫邵远舟.*1996年2月9日出生.*初中文化.*上河村"),
    ("你叫什么名字，哪年出生的？", "我叫邵远舟"),
    ("你多大年纪了，在哪里住？", "住在望川省云栖县"),
    ("以前有没有坐过牢，或者被公安机关处理过？", "行政拘留十日"),
    ("你是什么时候被抓的，关在哪里？", "2024年5月20日被刑事拘留，6月3日被逮捕.*第二看守所"),
    ("起诉书你拿到了吗？什么时候拿到的？", "2024年8月5日"),
    ("你要不要申请换掉哪位审判人员，也就是申请回避？", "不申请回避"),
    ("刚才宣读的权利你都听明白了吗？", "听清楚了"),
    ("公诉人指控你的这些事，你认不认？", "没有异议"),
    ("起诉书上说的是不是事实？你认罪吗？", "没有异议"),
    ("你签认罪认罚具结书的时候有没有人逼你？", "自愿签的"),
    ("你对检察院的量刑建议有没有意见？", "没有意见"),
    ("把当天发生的事情经过跟法庭讲一讲。", "我撬开.*挂锁"),
    ("你为什么要去偷手机？", "欠了两个月房租"),
    ("偷来的手机你怎么处理的？", "1500元"),
    ("你有没有赔偿被害人？", "4260元"),
    ("你是怎样到案的？", "^(?!.*(?:民警|抓获)).*警察.*把我抓了"),
    ("这份证据你看清楚了吗，有没有意见？", "没有异议"),
    ("你还有什么要为自己辩护的？", "糊涂|后悔|认罪"),
    ("最后你还有什么想说的？", "对不起店主"),
    ("你自己有没有证据要交给法庭？", "由我的辩护人提交"),
    ("是否同意由温若谷律师为你辩护？", "同意"),
    ("你同意适用简易程序吗？", "同意适用简易程序"),
    ("你家里养了几条狗？", "不清楚"),
)
PROCURATOR: tuple[tuple[str, str], ...] = (
    ("请公诉机关指控犯罪。", "窃得被害人贺屿.*应当以盗窃罪追究"),
    ("公诉人，宣读一下起诉书吧。", "澜松检刑诉〔2024〕198号.*第二百六十四条"),
    ("你们指控被告人犯什么罪名？", "罪名是盗窃罪"),
    ("公诉人有哪些证据能够证明上述指控？", "^公诉人现在向法庭出示证据一：(?!.*证据二：)"),
    ("可以打包出示剩下的证据。", "证据一：.*证据九：.*举证完毕"),
    ("公诉机关的量刑建议是什么？", "有期徒刑八个月"),
    ("请公诉人发表出庭意见。", "秘密窃取他人财物.*量刑建议"),
    ("对辩护人刚才的辩护观点，公诉人怎么回应？", "坚持"),
    ("被害人的损失有没有得到赔偿？", "贺屿.*4260元"),
    ("作案工具和赃物怎么处理，公诉人有什么建议？", "钳子一把.*没收"),
    ("公诉人对适用简易程序有意见吗？", "没有意见"),
    ("公诉人是否申请回避？", "不申请"),
)
DEFENDER: tuple[tuple[str, str], ...] = (
    ("辩护人要不要申请回避？", "不申请回避"),
    ("辩护人怎么看这份证据？", "真实性、合法性、关联性没有异议"),
    ("辩护人有没有材料要交？", "收条及谅解书.*举证完毕"),
    ("请律师发表辩护词。", "系坦白"),
    ("辩护人对指控罪名有没有意见？", "没有异议"),
    ("律师，量刑建议你们同意吗？", "没有异议"),
    ("辩护人还有没有补充？", "没有补充"),
    ("请说明你的身份和所在律师事务所。", "望川知止律师事务所律师温若谷"),
)


@pytest.mark.parametrize(
    ("role", "text", "wanted"),
    [
        (role, *row)
        for role, rows in (("defendant", ACCUSED), ("procurator", PROCURATOR), ("defence_lawyer", DEFENDER))
        for row in rows
    ],
)
def test_parties_answer_however_they_are_asked(role: str, text: str, wanted: str) -> None:
    assert re.search(wanted, reply("CR-0001", role, text).text.replace("\n", "")), reply("CR-0001", role, text).text


def test_several_questions_are_answered_in_their_order() -> None:
    said = reply(
        "CR-0001", "defendant", "你以前受过什么处罚？什么时候被采取强制措施？起诉书哪天收到的？对本庭是否申请回避？"
    ).text
    places = [said.index(words) for words in ("行政拘留", "刑事拘留", "8月5日", "回避")]
    assert places == sorted(places)
    assert "\n" not in said and "被告人" not in said


def test_an_accused_who_denies_does_not_tell_on_himself() -> None:
    asked = "把当天的经过如实讲清楚，你有没有打人，有没有让人看着他？"
    for name, words in (
        ("CR-0008", ("扇", "拉回", "收走")),
        ("CR-0009", ("交给其白色晶体", "0.6克")),
        ("CR-0006", ("踢其腰腿部两脚",)),
    ):
        said = reply(name, "defendant", asked).text
        assert not any(word in said for word in words), said
    assert "不承认" in reply("CR-0008", "defendant", "对起诉书指控的事实和罪名有无异议？").text


def test_who_is_given_the_word_to_examine_asks_the_accused_once() -> None:
    first = reply("CR-0003", "procurator", "公诉人可以讯问被告人。")
    assert first.to == ("defendant",) and 2 <= first.text.count("？") <= 3
    done = Turn(8, "procurator", ("defendant",), first.text)
    assert reply("CR-0003", "procurator", "公诉人可以讯问被告人。", done).to == ()
    assert reply("CR-0003", "procurator", "公诉人可以讯问被告人。", profile="j1").to == ()
    assert reply("CR-0003", "defence_lawyer", "辩护人有无问题向被告人发问？").to == ("defendant",)
    view = view_of(CASES["CR-0003"], "defendant", Turn(9, "procurator", ("defendant",), first.text))
    said = said_by(Accused(), view).text
    assert "110报警" in said and "46000元" in said


def _show(case: str, *numbers: int) -> list[Turn]:
    """The prosecution offers its exhibits one by one, as far as the last number."""
    turns: list[Turn] = []
    for number in range(1, max(numbers) + 1):
        turns.append(Turn(number, JUDGE, ("procurator",), "请公诉人继续出示证据。"))
        view = view_of(CASES[case], "procurator", *turns)
        turns.append(Turn(number, "procurator", (JUDGE,), said_by(Procurator(), view).text))
    return turns


def test_exhibits_come_one_at_a_time_with_name_source_and_purpose() -> None:
    turns = _show("CR-0002", 8)
    mine = [item for item in hearing_of(CASES["CR-0002"]).exhibits if item.owner == "procurator"]
    for number, turn in enumerate(turns[1::2], 1):
        assert [offer.number for offer in offers_in(turn.text, turn.speaker)] == [number]
        assert mine[number - 1] in items_named(turn.text, mine) and "来源于" in turn.text and "拟证明" in turn.text
    assert "举证完毕" in turns[-1].text
    assert "举证完毕" in reply("CR-0002", "procurator", "请公诉人继续出示证据。", *turns).text


def test_objections_are_raised_to_the_exhibit_they_belong_to() -> None:
    shown = _show("CR-0002", 4)
    counsel = reply("CR-0002", "defence_lawyer", "请辩护人对证据四发表质证意见。", *shown).text
    assert "两次陈述对付款原因说法矛盾" in counsel and "真实性" in counsel
    assert "没有异议" in reply("CR-0002", "defence_lawyer", "请辩护人对证据三发表质证意见。", *shown).text
    assert "第二次改口" in reply("CR-0002", "defendant", "被告人对证据四有无异议？", *shown).text
    every = reply(
        "CR-0002", "defence_lawyer", "请辩护人对公诉人出示的全部证据发表质证意见。", *_show("CR-0002", 8)
    ).text
    assert (
        all(f"证据{number}" in every for number in "四五六八")
        and "证据三" not in every
        and "其他证据没有异议" in every
    )


def test_objections_find_their_exhibit_by_words_where_ids_tell_no_place() -> None:
    case = CASES["CR-0002"]
    renamed = case.model_copy(
        update={
            "evidence": tuple(
                one.model_copy(update={"id": f"{name}x"})
                for one, name in zip(case.evidence, "abcdefghijk", strict=True)
            )
        }
    )
    view = view_of(
        renamed,
        "defence_lawyer",
        *_show("CR-0002", 5),
        Turn(9, JUDGE, ("defence_lawyer",), "请辩护人对证据五发表质证意见。"),
    )
    assert "聊天记录只涉及尚可心和庞既白" in said_by(DefenceLawyer(), view).text


def test_objections_follow_the_title_in_whatever_order_exhibits_are_offered() -> None:
    case = CASES["CR-0002"]
    mine = [item for item in hearing_of(case).exhibits if item.owner == "procurator"]
    told = {item.title: _counsel_on(item.title, number) for number, item in enumerate(mine, 1)}
    assert any("异议，" in text or "有意见" in text for text in told.values())
    for number, item in enumerate(reversed(mine), 1):
        said = _counsel_on(item.title, number)
        assert re.sub("证据.", "", said) == re.sub("证据.", "", told[item.title])
    for role in ("defence_lawyer", "defendant"):
        known = [one for one in view_of(case, role).held["evidence"] if one["owner"] == "PROC"]
        assert known and all(set(one) <= {"id", "owner", "title", "objections"} for one in known)


def _counsel_on(title: str, number: int) -> str:
    """What counsel says of an exhibit that the prosecution offers under a number."""
    which = f"证据{'一二三四五六七八九十'[number - 1]}"
    shown = [
        Turn(1, JUDGE, ("procurator",), "请公诉人出示证据。"),
        Turn(1, "procurator", (JUDGE,), f"{which}：{title}，拟证明指控的事实。"),
    ]  # fmt: skip
    return reply("CR-0002", "defence_lawyer", f"请辩护人对{which}发表质证意见。", *shown).text


def test_the_prosecution_answers_the_exhibits_of_the_defence() -> None:
    shown = [
        Turn(1, JUDGE, ("defence_lawyer",), "辩护人有无证据向法庭出示？"),
        Turn(1, "defence_lawyer", (JUDGE,), "辩护人向法庭出示辩方证据一：借条，属于书证，拟证明是借款。"),
    ]
    assert "掩盖诈骗的手段" in reply("CR-0002", "procurator", "公诉人对辩护人出示的证据一有无异议？", *shown).text


# --- law and arithmetic ---------------------------------------------------------------------------------------------


def test_articles_are_listed_as_judgments_list_them_and_only_where_they_exist() -> None:
    day = date(2024, 6, 1)
    assert (
        listed([cite("72.1"), cite("72.3"), cite("133-1.1")])
        == "《中华人民共和国刑法》第七十二条第一款、第三款、第一百三十三条之一第一款"
    )
    assert not cite("999").exists(day) and cite("264").exists(day) and cite("264").exists(None)
    assert shipped_laws().versions("中华人民共和国刑法")
    assert (
        court_above("望川省澜江市松汀区人民法院") == "望川省澜江市中级人民法院"
        and court_above("云栖县人民法院") == "上一级人民法院"
    )


@pytest.mark.parametrize(
    ("text", "kind", "months", "probation", "fine"),
    [
        ("量刑建议：建议判处有期徒刑八个月，并处罚金人民币四千元。", "有期徒刑", 8, 0, 4000),
        ("建议判处拘役四个月至五个月，并处罚金人民币四千元至六千元。", "拘役", 4, 0, 5000),
        ("建议对被告人判处有期徒刑一年六个月，缓刑二年。", "有期徒刑", 18, 24, 0),
        ("建议判处有期徒刑三年至四年，不适用缓刑，并处罚金2万元。", "有期徒刑", 42, 0, 20000),
        ("建议判处拘役三个月，缓刑，并处罚金。", "拘役", 3, 3, 1000),
        ("建议以甲罪判处有期徒刑一年；以乙罪判处有期徒刑二年；决定执行有期徒刑二年六个月。", "有期徒刑", 30, 0, 0),
    ],
)
def test_requests_are_read(text: str, kind: str, months: int, probation: int, fine: int) -> None:
    found = request_of(Case(view_of(CASES["CR-0001"], JUDGE, Turn(1, "procurator", (JUDGE,), text))))
    assert found is not None
    assert (found.kind, found.months, found.probation_months, found.fine) == (kind, months, probation, fine)


def test_terms_are_pronounced_and_custody_is_set_off() -> None:
    assert (
        pronounced(Sentence(kind="有期徒刑", months=18, fine=4000, probation_months=24))
        == "判处有期徒刑一年六个月，缓刑二年，并处罚金人民币四千元"
    )
    assert pronounced(Sentence(kind="单处罚金", months=0, fine=8000)) == "单处罚金人民币八千元"
    broken = [
        {"measure": "拘留", "since": "2024-04-09", "until": "2024-04-16"},
        {"measure": "取保候审", "since": "2024-04-16", "until": "2024-07-08"},
        {"measure": "逮捕", "since": "2024-07-08"},
    ]  # fmt: skip
    assert set_off(broken) == (date(2024, 7, 8), 8)
    assert "至2024年11月29日止" in served(Sentence(kind="拘役", months=5, fine=5000), broken)
    whole = [
        {"measure": "拘留", "since": "2024-05-20", "until": "2024-06-03"},
        {"measure": "逮捕", "since": "2024-06-03"},
    ]
    assert set_off(whole) == (date(2024, 5, 20), 0) and "至2025年1月19日止" in served(
        Sentence(kind="有期徒刑", months=8), whole
    )
    assert "至" not in served(
        Sentence(kind="有期徒刑", months=8), [{"measure": "取保候审", "since": "2024-05-20"}]
    ).replace("直至", "")


def test_questions_to_others_and_rights_read_out_ask_nothing() -> None:
    rights = "被告人依法享有下列诉讼权利：可以申请回避；可以提出证据；可以自行辩护；可以作最后陈述。你听清楚没有？"
    assert kinds_of(rights, "defendant") == ("heard",)
    assert kinds_of("辩护人是否申请回避？请公诉人发表公诉意见。", "defence_lawyer") == ("recusal",)


def test_everybody_is_heard_on_the_property_of_which_the_prosecution_speaks(trials: Any) -> None:
    for (name, profile), (turns, *_) in trials.items():
        told = next(
            (
                at
                for at, turn in enumerate(turns)
                if turn.speaker == "procurator" and re.search(r"在案扣押|尚未退赔的损失", turn.text)
            ),
            None,
        )
        if told is None:
            continue
        asked = [turn for turn in turns[told:] if turn.speaker == JUDGE and "处理建议" in turn.text]
        assert [turn.to for turn in asked] == [("defendant",), ("defence_lawyer",)], (name, profile)
        debate = next(
            at
            for at, turn in enumerate(turns)
            if turn.speaker == JUDGE and re.search(r"进行法庭辩论|不再进行法庭调查", turn.text)
        )
        assert turns.index(asked[-1]) < debate


def test_no_question_is_put_twice_and_answers_keep_to_the_matter(trials: Any) -> None:
    for name in CASES:
        turns = trials[name, "law"][0]
        put = [
            part for turn in turns if "defendant" in turn.to and turn.speaker in ("procurator", "defence_lawyer",
                JUDGE)
            for part in turn.text.split("？")[:-1] if "异议" not in part
        ]  # fmt: skip
        assert len(put) == len(set(put)), (name, [part for part in put if put.count(part) > 1])
        told = [turn.text for turn in turns if turn.speaker == "defendant"]
        assert not any(re.search(r"民警|抓获|如实供述|作案", text) for text in told), name
        assert sum("刚才说过了" in text for text in told) <= 1, name


def test_of_two_exhibits_with_one_title_the_number_tells() -> None:
    items = (
        Item("a", "procurator", "价格认定结论书（第一次）", 1),
        Item("b", "procurator", "价格认定结论书（重新认定）", 2),
    )
    assert items_named("出示证据二：价格认定结论书（重新认定）。", items) == items[1:]
    assert items_named("出示价格认定结论书。", items) == items


def test_the_court_is_addressed_as_it_sits_and_the_accused_waits_outside(trials: Any) -> None:
    for name, case in CASES.items():
        turns = trials[name, "law"][0]
        alone = case.court.presiding.title == "独任审判员"
        opinions = [
            turn.text
            for turn in turns
            if turn.speaker in ("procurator", "defence_lawyer") and "发表如下" in turn.text
        ]
        lay = "、人民陪审员" if any(one.title == "人民陪审员" for one in case.court.panel) else ""
        address = "尊敬的审判员：" if alone else f"审判长、审判员{lay}："
        assert all(text.startswith(address) for text in opinions), name
        assert "在庭外候审" in turns[0].text and not re.search("被告人[^，]{2,4}已到庭", turns[0].text)


def test_a_side_heard_on_all_owes_no_second_answer() -> None:
    case = CASES["CR-0002"]
    turns, _ = play(case)

    def course(said: Sequence[Turn]) -> Course:
        return follow(as_procedure(said), hearing_of(case))

    place = next(
        at
        for at, turn in enumerate(turns)
        if turn.speaker == "judge" and "涉案财物的情况" in turn.text or "被害人损失的情况" in turn.text
    )
    more = (
        Turn(0, "judge", ("defendant",), "被告人对公诉人出示的证据一有无异议？"),
        Turn(0, "defendant", ("judge",), "……"),
    )
    again = course([*turns[:place], *more, *turns[place:]])
    first = [
        at for at, turn in enumerate(turns) if turn.speaker == "defendant" and turns[at - 1].text == more[0].text
    ]
    silent = [
        turn if at not in first else Turn(turn.number, turn.speaker, turn.to, "……") for at, turn in enumerate(turns)
    ]
    assert not [one for one in again.violations if one.code == "no_answer"]
    after = course(silent)
    assert first and {one.reason for one in after.unmet} == {"silent"}
    assert not [one for one in after.violations if one.code in ("no_answer", "missing", "uncrossed_relied")]


def test_counsel_asks_no_client_for_proof_and_contested_points_are_met_in_debate(trials: Any) -> None:
    met = set()
    for (name, profile), (turns, *_) in trials.items():
        for at, turn in enumerate(turns):
            if turn.speaker == "defence_lawyer" and "defendant" in turn.to:
                assert not re.search("材料|证据|证人", turn.text), turn.text
            for point in re.findall("针对“([^”]+)”的意见", turn.text) if turn.speaker != JUDGE else ():
                other = "defence_lawyer" if turn.speaker == "procurator" else "procurator"
                heard = "".join(one.text for one in turns[:at] if one.speaker == other)
                assert re.sub("[，；。：]", "", point) in re.sub("[，；。：]", "", heard)
                met.add(name)
        if profile == "law":
            assert not any("罪名是什么" in turn.text for turn in turns if turn.speaker == JUDGE), name
    assert len(met) >= 3
