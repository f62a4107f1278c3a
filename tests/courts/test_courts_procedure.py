"""Court procedure: duties have their articles, the parser its limits, the machine its rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from store.statutes.shipped import indexed_laws
from tasks.courts.procedure.acts import answer_for_other, cut, parse
from tasks.courts.procedure.answers import responsive
from tasks.courts.procedure.exhibits import numbers_named, rulings
from tasks.courts.procedure.labels import counted
from tasks.courts.procedure.model import (
    FATAL,
    Hearing,
    ProcedureExhibit,
    TrialState,
    Turn,
    duties,
    needed_turns,
    profile,
    turn_limit,
)
from tasks.courts.procedure.pfs import PUBLISHED
from tasks.courts.procedure.tracker import Tracker, follow
from tests.support.court_trials import (
    BAD_CIVIL,
    BOTH,
    DEFENDANT,
    GOOD_CIVIL,
    GOOD_CRIMINAL,
    GOOD_FAST,
    HEARINGS,
    PLAINTIFF,
)

ENVS = ("CI", "CR")


# --- tables ---------------------------------------------------------------------------------------------------------


def test_every_article_of_the_tables_exists_in_the_law_in_force() -> None:
    known = {indexed.law.name: {a.number for a in indexed.versions[-1][1]} for indexed in indexed_laws()}
    cited = {
        (basis.law, basis.number)
        for env in ENVS
        for spec in profile("law", env).acts.values()
        for basis in (*spec.basis, *(b for more in spec.by_basis.values() for b in more))
    }
    assert len(cited) >= 60
    unknown = {law for law, _ in cited} - set(known)
    assert unknown <= {"最高人民法院关于适用简易程序审理民事案件的若干规定"}
    assert [(law, number.key) for law, number in cited if law in known and number not in known[law]] == []
    specs = [spec for env in ENVS for spec in profile("law", env).acts.values()]
    assert [spec.id for spec in specs if not spec.basis and not set(spec.asked) <= set(spec.by_basis)] == []


def test_the_benchmark_has_thirteen_and_eight_actions() -> None:
    for env, count in (("CI", 13), ("CR", 8)):
        published = {action for actions in PUBLISHED[env].values() for action in actions}
        assert counted(env, profile("law", env).acts) == published and len(published) == count


def mandatory(case: str) -> set[str]:
    return {duty.spec.id for duty in duties(HEARINGS[case]) if duty.mandatory}


def test_duties_depend_on_the_procedure() -> None:
    assert {"debate", "final", "deliberate", "appeal"} <= mandatory("civil")
    assert "final_instance" not in mandatory("civil") and "remarry" in mandatory("divorce")
    small = mandatory("civil_small")
    assert "final_instance" in small and "appeal" not in small and "debate" in small
    assert "rights" not in mandatory("civil_summary") and "recusal" in mandatory("civil_summary")
    bare = Hearing("CI", "简易程序", needs=frozenset())
    assert "rights" in {duty.spec.id for duty in duties(bare) if duty.mandatory}
    fast = mandatory("fast")
    assert {"fast_defence", "last_word", "fast_views", "plea_check", "adoption"} <= fast
    assert not fast & {"exhibit", "cross", "prosecution", "defence", "admission", "debate_open"}
    assert {"procedure_consent", "last_word", "exhibit"} <= mandatory("criminal_summary")
    assert "plea_notice" not in mandatory("criminal") and "plea_notice" in mandatory("plea")


def test_undisputed_exhibits_of_summary_criminal_trials_need_no_hearing_of_their_own() -> None:
    owed = {duty.key for duty in duties(HEARINGS["criminal_summary"]) if duty.mandatory}
    assert "cross/K1/accused" in owed and "exhibit/K2" in owed and "cross/K2/accused" not in owed


def test_the_turn_limit_grows_with_the_agenda() -> None:
    assert turn_limit(HEARINGS["civil"], "j1") == 50 and turn_limit(HEARINGS["criminal"], "j1") == 35
    assert turn_limit(HEARINGS["fast"]) < turn_limit(HEARINGS["criminal"])
    more = tuple(ProcedureExhibit(f"E{n}", "plaintiff", f"第{n}号材料", n) for n in range(1, 30))
    assert turn_limit(Hearing("CI", exhibits=more)) > turn_limit(HEARINGS["civil"])
    assert needed_turns(HEARINGS["civil"]) < turn_limit(HEARINGS["civil"])


# --- parser ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "下面将依次进行法庭调查、法庭辩论和最后陈述。",
        "接下来的流程是举证、质证、辩论。",
        "民事诉讼法规定，证据应当在法庭上出示，并由当事人互相质证。",
        "《中华人民共和国刑事诉讼法》第一百九十八条第三款规定：审判长在宣布辩论终结后，被告人有最后陈述的权利。",
    ],
)
def test_agendas_and_quotations_do_nothing(text: str) -> None:
    for env in ENVS:
        assert parse(text, env) == []  # type: ignore[arg-type]
    assert len(cut(text)) == len(text)


# --- replies --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("证据一、证据二三性无异议", {1, 2}),
        ("对证据一、二、四没有意见", {1, 2, 4}),
        ("证据一至三", {1, 2, 3}),
        ("证据1-3和证据5", {1, 2, 3, 5}),
        ("第二份证据，3号证据", {2, 3}),
        ("证据十二", {12}),
        ("没有证据", set()),
    ],
)
def test_numbers_of_exhibits(text: str, numbers: set[int]) -> None:
    assert numbers_named(text) == numbers


@pytest.mark.parametrize(
    ("kind", "text", "answered"),
    [
        ("recusal", "不申请。", True),
        ("recusal", "原告的请求没有依据", False),
        ("mediation", "不同意", True),
        ("mediation", "工程合格", False),
        ("mediation", "请您告诉我是否同意调解。", False),
        ("mediation", "我同意调解，请问原告是否同意？", True),
        ("view", "请原告说明对这份证据有无异议。", False),
        ("identity", "我叫周岚", True),
        ("identity", "听不清", False),
        ("open", "是的。", False),
        ("short", "无。", True),
        ("short", "[错误] 超时", False),
    ],
)
def test_answers(kind: str, text: str, answered: bool) -> None:
    assert responsive(kind, text, ("周岚",)) is answered


# --- machine --------------------------------------------------------------------------------------------------------


def codes(course: TrialState, act: str = "") -> list[str]:
    return [violation.code for violation in course.violations if not act or violation.act == act]


def test_one_step_late_is_credited_and_marked() -> None:
    machine = Tracker.resumed(HEARINGS["civil"], stage="法庭调查")
    machine.feed(Turn(5, "judge", PLAINTIFF, "原告是否申请回避？"))
    machine.feed(Turn(5, "plaintiff_lawyer", ("judge",), "不申请回避。"))
    (credit,) = machine.course(final=False).credits
    assert credit.key == "recusal/plaintiff" and credit.late and credit.reply == 5


def test_no_way_back_unless_the_inquiry_is_reopened() -> None:
    machine = Tracker.resumed(HEARINGS["civil"], stage="法庭辩论")
    machine.feed(Turn(9, "judge", (), "<法庭调查>我们再看看证据。"))
    assert "back" in codes(machine.course(final=False)) and machine.course().stage == "debate"
    machine.feed(Turn(10, "judge", PLAINTIFF, "发现新的事实，现在恢复法庭调查。"))
    assert machine.course().stage == "investigation"


def test_exhibits_go_their_way() -> None:
    course = follow(GOOD_CIVIL, HEARINGS["civil"])
    assert {key: shown.state for key, shown in course.exhibits.items()} == {
        "E1": "采信", "E2": "采信", "E3": "不采信", "E4": "采信",
    }  # fmt: skip
    assert "拍摄时间" in course.exhibits["E3"].reason
    assert course.exhibits["E1"].shown == 10 and course.exhibits["E1"].heard == {"defendant": 11}


def test_who_names_exhibits_rules_on_these_alone() -> None:
    hearing = HEARINGS["civil"]
    first, second, *rest = hearing.exhibits
    borne_out = f"{first.title}，与在案其他证据能够相互印证，予以采信。{second.title}，缺乏佐证，不予采信。"
    ruled = {found.item.id: found.admitted for found in rulings(borne_out, hearing, hearing.exhibits)}
    assert ruled == {first.id: True, second.id: False}
    ruled = {found.item.id for found in rulings(borne_out + "其他证据予以采信。", hearing, hearing.exhibits)}
    assert ruled == {item.id for item in hearing.exhibits} and rest


def test_what_is_admitted_in_part_rules_on_no_other_exhibit() -> None:
    hearing = HEARINGS["civil"]
    first, second, *_ = hearing.exhibits
    said = (
        f"{first.title}，其中与在案其他证据一致的陈述予以采信，与在案其他证据不符的辩解不予采信。"
        f"{second.title}，因对方对其真实性提出异议，缺乏佐证，不予采信。"
    )
    ruled = {found.item.id: found for found in rulings(said, hearing, hearing.exhibits)}
    assert set(ruled) == {first.id, second.id} and ruled[first.id].partly and not ruled[second.id].partly
    assert ruled[first.id].reason.endswith("辩解不予采信") and ruled[second.id].reason.endswith("缺乏佐证")
    others = f"{first.title}予以采信，其他证据不予采信。"
    assert {found.item.id: found.admitted for found in rulings(others, hearing, hearing.exhibits)} == {
        item.id: item is first for item in hearing.exhibits
    }


def test_only_questions_count_against_the_cap() -> None:
    machine = Tracker.resumed(HEARINGS["civil"], stage="评议宣判")
    machine.feed(GOOD_CIVIL[-1])
    course = machine.course(final=False)
    assert {"facts", "admission", "reason", "law", "ruling", "costs", "appeal"} <= course.done
    assert "bundled" not in codes(course)


def test_a_settlement_ends_what_is_owed() -> None:
    machine = Tracker.resumed(HEARINGS["civil"], stage="法庭辩论")
    machine.feed(Turn(1, "judge", BOTH, "双方是否同意调解？"))
    machine.feed(Turn(1, "plaintiff_lawyer", ("judge",), "同意调解。"))
    machine.feed(Turn(1, "defendant_lawyer", ("judge",), "同意。"))
    machine.feed(Turn(2, "judge", BOTH, "双方自愿达成如下调解协议：被告给付原告三万元。本院将制作民事调解书。"))
    course = machine.course()
    assert course.settled and "settlement" in course.done
    assert not {"ruling", "appeal", "reason"} & {violation.act for violation in course.violations}


def test_who_speaks_for_whom() -> None:
    assert answer_for_other("好的。\n被告：我方承认。\n继续。")
    assert answer_for_other("原告回答：“不申请。”")
    assert not answer_for_other("原告：请陈述你的诉讼请求。")
    assert not answer_for_other(
        "民事判决书\n原告：周岚，女，住江枫市。\n被告：启明公司，法定代表人罗平。\n本院认为……"
    )
    assert not answer_for_other("原告诉称：被告施工不合格。")


@pytest.mark.parametrize(("case", "turns"), [("civil", GOOD_CIVIL), ("plea", GOOD_CRIMINAL), ("fast", GOOD_FAST)])
def test_good_trials_owe_nothing(case: str, turns: list[Turn]) -> None:
    course = follow(turns, HEARINGS[case])
    assert list(course.violations) == []
    assert course.judge_turns <= turn_limit(HEARINGS[case])
    assert {duty.key for duty in course.owed()} <= course.done


def test_every_fault_of_a_bad_judge_is_named_with_its_turn() -> None:
    course = follow(BAD_CIVIL, HEARINGS["civil"])
    named = {(violation.code, violation.turn) for violation in course.violations if violation.turn}
    assert named >= {
        ("stages_bundled", 2), ("bundled", 3), ("wrong_addressee", 4), ("speaks_for_party", 6),
        ("uncrossed_relied", 7),
        ("no_reason", 7), ("judgment_before_debate", 7), ("after_end", 8),
    }  # fmt: skip
    missing = {(violation.act, violation.side) for violation in course.violations if violation.code == "missing"}
    assert missing >= {("recusal", "plaintiff"), ("recusal", "defendant"), ("appeal", None), ("costs", None)}
    assert set(codes(course)) >= FATAL


@pytest.mark.parametrize(("dropped", "act"), [("最后陈述", "last_word"), ("辩护人是否申请回避", "recusal")])
def test_one_duty_left_out_of_a_criminal_trial_is_found(dropped: str, act: str) -> None:
    left_out = {
        turn.number
        for turn in GOOD_CRIMINAL
        if turn.speaker == "judge" and dropped in turn.text and "下列" not in turn.text
    }
    kept = [turn for turn in GOOD_CRIMINAL if turn.number not in left_out]
    course = follow(kept, HEARINGS["plea"])
    assert act in {violation.act for violation in course.violations if violation.code == "missing"}


def test_the_wrong_side_is_named() -> None:
    machine = Tracker.resumed(HEARINGS["civil"], stage="法庭调查", done=("exhibit/E1",))
    machine.feed(Turn(1, "judge", DEFENDANT, "请原告质证。"))
    assert "exhibit/E1" not in machine.course(final=False).done


def test_a_ruling_is_about_the_exhibits_of_the_side_that_it_names() -> None:
    """The other side's title may hold the same words, and the other side may be spoken of in the reason."""
    mine = ProcedureExhibit("p1", "plaintiff", "委托代理合同、律师费发票和付款回单", 1)
    theirs = ProcedureExhibit("d1", "defendant", "银行付款回单两张", 1)
    hearing = replace(HEARINGS["civil"], exhibits=(mine, theirs))
    said = (
        f"原告证据一{mine.title}，对方以“该费用与被告无关”为由提出异议，因无法认定，本院不予采信。"
        f"被告证据一{theirs.title}，予以采信。"
    )
    assert {found.item.id: found.admitted for found in rulings(said, hearing, hearing.exhibits)} == {
        "p1": False,
        "d1": True,
    }


@pytest.mark.parametrize(
    ("words", "to", "done"),
    [
        ("原告的诉讼请求是什么？", ("plaintiff_lawyer",), True),
        ("原告的诉讼请求是什么？", (), False),
        ("今天天气不错。", ("plaintiff_lawyer",), False),
    ],
)
def test_a_question_that_is_read_as_nothing_is_put_for_what_is_owed(
    words: str, to: tuple[str, ...], done: bool
) -> None:
    record = [
        Turn(1, "judge", (), "现在进行法庭调查。"),
        Turn(2, "judge", to, words),
        Turn(2, "plaintiff_lawyer", ("judge",), "请求判令被告支付货款二十万元，并承担诉讼费用。"),
    ]
    assert ("claim/plaintiff" in follow(record, HEARINGS["civil"]).done) == done
