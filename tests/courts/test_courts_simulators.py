"""Simulators are checked before they count: nonsense, assent, echo, silence and repetition in every role; sound ones
as ever."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import pytest

from tasks.courts.agents import registry
from tasks.courts.benchmark import HEARD
from tasks.courts.casefile.case import Case
from tasks.courts.environment import PUBLISHED, environment
from tasks.courts.play.view import CourtView
from tasks.courts.procedure import pfs
from tasks.courts.procedure.answers import VALID
from tasks.courts.procedure.hearing import hearing_of
from tasks.courts.procedure.model import REASONS, TrialState, Turn, side_of
from tasks.courts.scores.simulators import Validity, answered, validities
from tasks.courts.scores.summary import CourtSummary
from tasks.courts.scores.transcript import CourtTranscript, simulated
from tasks.courts.simulated.talks import reasons
from tasks.episode.events import Leaked, Seated
from tasks.episode.seats import Say
from tasks.run.spec import RunSpec
from tasks.scoring.result import Result, ScoreContext
from tests.support.court_results import CASES, ask
from tests.support.court_stage import Court, Speaks, by_rules
from tests.support.summaries import court_summary as summarise

pytestmark = pytest.mark.slow

UNRELATED = """今天天气不错，我们打算去公园散步，顺便拍几张照片，晚上再一起吃火锅。
这道菜的做法很简单，先把土豆切成丝，用清水泡十分钟，再下锅大火快炒，最后放盐和醋。
昨天的球赛踢得很精彩，上半场主队先进一球，下半场客队连追两球，最后点球决胜。
这款手机的屏幕很亮，电池也耐用，就是拍照的颜色偏黄，总的来说值得推荐。
春天来了，山上的花都开了，孩子们在草地上放风筝，老人坐在树下聊天下棋。
我觉得学英语最重要的是坚持，每天背二十个单词，听半个小时的广播，三个月就会有效果。""".split("\n")
ENGLISH = (
    "Thank you for the question, I will gladly help with that.",
    "The quick answer depends on many circumstances of the matter.",
    "Please see the attached summary for further details of the topic.",
)


def _random(view: CourtView) -> str:
    generator = random.Random(f"{view.case_id}/{view.role}/{view.step}")
    return "".join(chr(generator.randrange(0x4E00, 0x9F00)) for _ in range(40))


def _symbols(view: CourtView) -> str:
    generator = random.Random(f"{view.case_id}/{view.role}/{view.step}")
    return "".join(generator.choice("abcxyz0129#%&;qwk ") for _ in range(60))


KINDS: Mapping[str, Callable[[CourtView], str]] = {
    "characters": _random,
    "letters": _symbols,
    "unrelated": lambda view: UNRELATED[len(view.own) % len(UNRELATED)],
    "english": lambda view: ENGLISH[len(view.own) % len(ENGLISH)],
    "assents": lambda view: "好的，审判长。" if view.env in ("CI", "CR") else "好的，没问题。",
    "echo": lambda view: view.asked.text if view.asked else "",
    "silent": lambda view: "",
    "repeats": lambda view: "我方的情况材料里写得很清楚，请看材料就可以了。",
}


def broken(kind: str) -> Speaks:
    """Somebody who speaks like this in every turn."""
    return Speaks(lambda view: Say(KINDS[kind](view)))


SHORT = {"CI": "CI-0005", "CR": "CR-0005"}
ROLES = [(env, role) for env in PUBLISHED for role in simulated(CASES[f"{env}-0002"])]


PAIRS = [(*one, kind) for n, one in enumerate(ROLES) for k, kind in enumerate(KINDS) if (n + k) % 4 == 0]
"""Each role with every fourth kind of broken simulator, its neighbours with others."""
REASON = {"letters": {"script"}, "english": {"script"}, "silent": {"silent"}, "echo": {"echo", "evades"}}


@cache
def play(case_id: str, role: str = "", kind: str = "") -> Court:
    """A whole episode by rules, with a broken simulator in one seat."""
    return by_rules(CASES[case_id], **({role: broken(kind)} if kind else {}))


def result_of(court: Court) -> Result:
    heard = tuple(event for event in court.events if isinstance(event, HEARD))
    return Result(court.case.id, court.outcome, "", "", heard=heard)


def run_of(*courts: Court, **settings: object) -> CourtSummary:
    spec = RunSpec(benchmark="courts", **settings)  # type: ignore[arg-type]
    questions = [ask(court.case.id) for court in courts]
    return summarise("r", questions, [result_of(court) for court in courts], ScoreContext(spec=spec))


def valid(court: Court) -> Mapping[str, Validity]:
    return {one.role: one for one in answered(court.case, CourtTranscript.of(court.case, result_of(court)), "law")}


def strict(court: Court) -> pfs.StrictPfs:
    case = court.case
    return pfs.strict(court.record, hearing_of(case))  # type: ignore[arg-type]


# --- whole episodes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("env", "role", "kind"), PAIRS)
def test_a_broken_simulator_forbids_comparison_and_is_named(env: str, role: str, kind: str) -> None:
    court = play(SHORT.get(env, f"{env}-0002"), role, kind)
    found = valid(court)
    share = found[role].share
    assert share is not None and share < VALID and set(found[role].invalid.values()) <= set(REASONS)
    assert set(found[role].invalid.values()) <= REASON.get(kind, set(REASONS))
    assert all(one.share is None or one.share >= VALID for name, one in found.items() if name != role)
    block = run_of(court).block()
    assert block["comparable"] is False
    assert [why for why in block["not_comparable"] if why.startswith(f"{env} {role} answers in ")]  # type: ignore[attr-defined]
    assert block["validity"][env][role] == pytest.approx(100 * share)  # type: ignore[index]
    if kind in ("characters", "letters", "english", "unrelated"):
        assert block["consistency"][env][role] < 50  # type: ignore[index]
    if environment(env).trial:
        credits_nothing(strict(court).course, side_of(env, role))


def credits_nothing(course: TrialState, side: str | None) -> None:
    """No duty is credited by such a side, and none is held against the judge."""
    assert not {credit.key for credit in course.credits if credit.side == side}
    unmet = {one.key for one in course.unmet}
    assert unmet and not unmet & course.done and not unmet & {duty.key for duty in course.owed()}
    assert not [one for one in course.violations if one.code == "no_answer" and one.side == side]


@pytest.mark.parametrize("env", PUBLISHED)
def test_rules_are_sound_in_every_seat_and_their_scores_are_what_they_were(env: str) -> None:
    for number in (1, 7):
        court = play(f"{env}-{number:04}")
        assert all((one.share or 0.0) >= 0.9 for one in valid(court).values()), court.case.id
        block = run_of(court).block()
        assert block["comparable"] and block["not_comparable"] == [] and block["unmet"] == {}
        if environment(env).trial:
            assert strict(court).pfs == 1.0 and not strict(court).course.unmet


def test_who_says_only_yes_moves_strict_and_not_the_published_rule() -> None:
    both = dict.fromkeys(("plaintiff_lawyer", "defendant_lawyer"), broken("assents"))
    court = by_rules(CASES["CI-0002"], **both)
    course = strict(court).course
    asked = {duty.key for duty in course.duties if duty.mandatory and duty.spec.asked}
    assert not asked & course.done and {one.key for one in course.unmet} <= asked
    turns = court.record
    assert pfs.compat(turns, "CI").pfs == 1.0, "the published rule is kept as it is"
    summary = run_of(court)
    assert summary.block()["unmet"]["CI"]["claim"] == 1  # type: ignore[index]
    row = summary.row("strict", "CI", "ACT")
    assert row is not None and "no valid answer" in row.why


# --- limits and seats -----------------------------------------------------------------------------------------------


def test_changed_limits_and_seats_forbid_comparison() -> None:
    court = play("KQ-0001")
    reasons_of = lambda summary: " ".join(summary.block()["not_comparable"])  # noqa: E731
    assert "turns were limited to 3" in reasons_of(run_of(court, max_turns=3))
    assert not reasons_of(run_of(court, max_turns=court.driver.program.limit(court.case)))  # type: ignore[attr-defined]
    result = result_of(court)
    person = Seated(seat="client", policy=registry.HUMAN, engine="human")
    taken = replace(result, heard=(*result.heard, person))
    summary = summarise("r", [ask("KQ-0001")], [taken], ScoreContext())
    assert "KQ client was played by a person in 1 attempts" in reasons_of(summary)
    assert summary.answers["KQ"]["client"]["turns"] == 0, "a person is no simulator"
    told = replace(result, heard=(*result.heard, Leaked(seat="client", field="topics[].answer", text="无效")))
    assert "KQ client said what it does not hold in 1 attempts" in reasons_of(
        summarise("r", [ask("KQ-0001")], [told], ScoreContext())
    )
    other = replace(
        result, epoch=1, heard=(*result.heard[:1], Seated(seat="client", policy="court/1"), *result.heard[2:])
    )
    mixed = summarise("r", [ask("KQ-0001")], [result, other], ScoreContext())
    assert "KQ client was not held by one player" in reasons_of(mixed)


# --- single turns ---------------------------------------------------------------------------------------------------


def _answer(case: Case, speaker: str, question: str, text: str) -> str:
    turns = (Turn(1, "judge", (speaker,), f"现在进行法庭调查。{question}"), Turn(1, speaker, ("judge",), text))
    found = validities(case, [speaker], turns)
    return next(iter(found[0].invalid.values()), "")


@pytest.mark.parametrize(
    ("speaker", "question", "text", "reason"),
    [
        ("plaintiff_lawyer", "请原告陈述诉讼请求和事实理由。",
            "要求被告归还借款二十万元、利息1.35万元，承担律师费8000元。", ""),
        ("plaintiff_lawyer", "请原告陈述诉讼请求和事实理由。", "我方坚持诉讼请求，请法院依法支持我方的主张。",
            "incomplete"),
        ("plaintiff_lawyer", "请原告陈述诉讼请求。", "现在进行法庭调查。请原告陈述诉讼请求。", "incomplete"),
        ("defendant_lawyer", "请被告答辩。", "好的，审判长。", "incomplete"),
        ("plaintiff_lawyer", "请原告出示证据，说明名称和证明目的。", "证据一借条一张，证明借款关系。", ""),
        ("plaintiff_lawyer", "请原告出示证据，说明名称和证明目的。", "我方没有证据。", "incomplete"),
        ("plaintiff_lawyer", "请原告出示证据，说明名称和证明目的。", "我方要求被告归还借款本金。", "evades"),
    ],
)  # fmt: skip
def test_an_answer_holds_what_the_file_gives_to_say(speaker: str, question: str, text: str, reason: str) -> None:
    assert _answer(CASES["CI-0001"], speaker, question, text) == reason


def test_a_client_puts_the_topic_it_was_given_and_tells_its_own_data() -> None:
    case = CASES["KQ-0001"]
    topic = case.topics[0].question  # type: ignore[attr-defined]

    def put(text: str) -> str:
        record = (
            Turn(0, "trainee", (), "您好。"), Turn(1, "client", (), "我想了解劳动合同中的试用期。"),
            Turn(1, "trainee", (), "请您说说具体情况。"), Turn(2, "client", (), text),
        )  # fmt: skip
        return dict(reasons(case, "client", record, (), (0, 0, 0, 0)))[3]

    assert put(topic) == "" and put("合同签了一年，试用期能约定三个月吗，您帮我看看？") == ""
    assert put("公司的试用期工资发得太晚了，我很生气。") == "evades"

    def told(text: str) -> str:
        questions = (Turn(0, "plaintiff", (), "您好。"), Turn(1, "plaintiff_lawyer", (), "请问您的姓名和住址？"))
        return dict(reasons(CASES["CD-0001"], "plaintiff", (*questions, Turn(1, "plaintiff", (), text))))[2]

    assert told("我叫周映川。") == "" and told("我说不上来。") == "incomplete" and told("") == "silent"
