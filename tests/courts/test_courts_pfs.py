"""Scores of procedure following: the published rule on made-up logs, the strict rule, the rows for the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tasks.courts.procedure import pfs
from tasks.courts.procedure.model import FATAL, Turn
from tasks.courts.procedure.pfs import PUBLISHED, compat, scores, strict
from tests.support.court_trials import BAD_CIVIL, GOOD_CIVIL, GOOD_CRIMINAL, GOOD_FAST, HEARINGS

JUDGMENT = "本院认为，被告违约，判决如下：返还三万元。"


def log(*pairs: tuple[str, str], judgment: str = JUDGMENT) -> list[Turn]:
    """Judge lines, each followed by its party's line, then the judgment; numbered as the benchmark numbers."""
    turns = []
    for number, (asked, party) in enumerate(pairs, 1):
        turns.append(Turn(number, "judge", (), asked))
        if party:
            turns.append(Turn(number, party, ("judge",), "好的。"))
    number = max(len(pairs), 4) + 1
    return [*turns, Turn(number, "judge", (), judgment)]


# --- compat ---------------------------------------------------------------------------------------------------------


def words(env: str) -> list[tuple[str, str]]:
    stages = PUBLISHED[env].values()  # type: ignore[index]
    return [(action, word) for actions in stages for action, known in actions.items() for word in known]


@pytest.mark.parametrize("env", ["CI", "CR"])
def test_each_key_word_earns_its_action(env: Any) -> None:
    for action, word in words(env):
        result = compat(log((f"甲{word}乙", "defendant_lawyer" if env == "CI" else "accused")), env)
        assert result.credits[action] == 1 and not result.failures, word


def test_all_key_words_together_make_the_full_score() -> None:
    every = "，".join(word for _, word in words("CI"))
    result = compat(log((every, "plaintiff_lawyer")), "CI")
    assert (result.pfs, result.sta, result.act, result.uni) == (1, 1, 1, 1)


def test_a_stage_counts_only_when_all_its_actions_do() -> None:
    result = compat(log(("请原告陈述诉讼请求", "plaintiff_lawyer"), ("是否调解", "defendant_lawyer")), "CI")
    assert set(result.credits) == {"原告陈述", "最后陈述", "调解"}
    assert result.sta == 1 / 4 and result.act == 3 / 13 and result.pfs == (1 / 4 + 3 / 13) / 2


def test_only_what_a_party_answers_at_once_counts() -> None:
    clerk = [Turn(1, "judge", (), "质证"), Turn(1, "clerk", (), "记录"), *log(("无", "plaintiff"))]
    assert compat(log(("质证", "")), "CI").credits == compat(clerk, "CI").credits == {}
    assert compat(log(), "CI").act == 0


def test_an_agenda_earns_much_and_the_statute_nothing() -> None:
    agenda = "下面将依次核实身份、告知诉讼权利、询问回避、质证、调解。"
    assert len(compat(log((agenda, "plaintiff")), "CI").credits) == 5
    assert compat(log(("核对双方的基本情况", "plaintiff")), "CI").credits == {}


def test_unity_of_the_published_rule() -> None:
    three = "<开庭审理><法庭调查><庭审辩论>质证"
    two = "<开庭审理><法庭调查>质证"
    assert compat(log((three, "plaintiff")), "CI").uni == 0 and compat(log((three, "plaintiff")), "CI").pfs == 0
    assert compat(log((two, "plaintiff")), "CI").uni == 1
    assert compat(log(("<开庭审理>核实<结束庭审>", "accused")), "CR").uni == 0
    assert compat([], "CI").uni == 0


@pytest.mark.parametrize(
    ("env", "judgment", "code"),
    [
        ("CI", "现在休庭。", "no_judgment"),
        ("CI", JUDGMENT + "公诉人", "foreign_role"),
        ("CI", JUDGMENT + "模拟被告回应：好", "foreign_role"),
        ("CI", JUDGMENT + "第一条、" * 21, "runaway_citations"),
        ("CR", JUDGMENT + "判处有期徒刑[刑期]", "template"),
    ],
)
def test_failures_of_the_published_rule(env: str, judgment: str, code: str) -> None:
    result = compat(log(("质证，核实", "plaintiff" if env == "CI" else "accused"), judgment=judgment), env)  # type: ignore[arg-type]
    assert result.failures == (code,) and result.pfs == result.act == result.sta == 0
    assert compat(log(("质证", "plaintiff"), judgment=JUDGMENT + "第一条、" * 20), "CI").failures == ()


def test_empty_lines_and_short_logs_fail() -> None:
    turns = log(("核实", "accused"), ("", "accused"))
    assert compat(turns, "CR").failures == ("empty_utterance",) and compat(turns, "CI").failures == ()
    assert compat([Turn(3, "judge", (), JUDGMENT)], "CI").failures == ("too_short",)


# --- strict ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "turns"),
    [("civil", GOOD_CIVIL), ("plea", GOOD_CRIMINAL), ("fast", GOOD_FAST)],
    ids=["civil", "criminal", "fast"],
)
def test_a_good_trial_has_the_full_score(case: str, turns: list[Turn]) -> None:
    result = strict(turns, HEARINGS[case])
    assert (result.pfs, result.sta, result.act, result.ord, result.uni) == (pytest.approx(1), 1, 1, 1, 1)
    assert compat(turns, HEARINGS[case].env).pfs < 0.8


def test_a_bad_judge_has_none() -> None:
    result = strict(BAD_CIVIL, HEARINGS["civil"])
    assert result.pfs == result.uni == 0 and result.act < 0.25
    assert {violation.code for violation in result.course.violations} >= FATAL


def test_the_score_weighs_acts_stages_and_order() -> None:
    without_mediation = [turn for turn in GOOD_CIVIL if "调解？" not in turn.text and "同意调解" not in turn.text]
    result = strict(without_mediation, HEARINGS["civil"])
    assert result.shares["mediate/plaintiff"] == 0 and result.shares["exhibit"] == 1 and result.uni == 1
    assert result.sta == 4 / 5 and result.act == pytest.approx(1 - 2 / len(result.shares))
    assert result.pfs == pytest.approx(0.4 * result.act + 0.3 * result.sta + 0.3 * result.ord)


def test_exhibits_count_by_share() -> None:
    unshown = "；证据三墙面渗水现场照片，证明质量问题"
    turns = [replace(turn, text=turn.text.replace(unshown, "")) for turn in GOOD_CIVIL]
    result = strict(turns, HEARINGS["civil"])
    assert result.shares["exhibit"] == 3 / 4 and result.shares["cross"] == 3 / 4


def test_order_is_the_longest_run_of_the_agenda() -> None:
    turns = list(GOOD_CRIMINAL)
    first = next(i for i, turn in enumerate(turns) if "被告人是否申请回避" in turn.text)
    moved = turns[first : first + 2]
    del turns[first : first + 2]
    identity = next(i for i, turn in enumerate(turns) if "传被告人" in turn.text)
    turns[identity:identity] = moved
    result = strict(turns, HEARINGS["plea"])
    assert result.act == 1 and 0.9 < result.ord < 1


# --- rows for the table of scores -----------------------------------------------------------------------------------


def test_scores_carry_their_evidence() -> None:
    published, ours = scores(GOOD_CRIMINAL, HEARINGS["plea"], "law")
    assert (published.scorer, ours.scorer) == (pfs.COMPAT, pfs.STRICT)
    assert set(published.value) == {"PFS", "STA", "ACT", "UNI"} and set(ours.value) >= {*published.value, "ORD"}
    word = next(row for row in ours.evidence if row.get("act") == "last_word/accused")
    assert "刑诉法 第一百九十八条" in word["basis"] and word["turn"] == 27 and word["reply"] == 27
    assert [row["turn"] for row in published.evidence if row.get("action") == "认罪认罚"] == [8]
    (bad,) = scores(BAD_CIVIL, HEARINGS["civil"], "law")[1:]
    wanted = {"violation": "after_end", "turn": 8, "act": "", "side": None, "detail": "原告满意吗？", "clear": True}
    assert wanted in bad.evidence


def test_what_only_the_whole_of_a_turn_shows_is_said_and_voids_nothing() -> None:
    text = (
        "现在进行法庭调查，双方材料都在卷里，调查结束；进入法庭辩论，意见以书面为准，辩论结束；调解不成，下面宣判。"
    )
    result = strict([Turn(1, "judge", (), text)], HEARINGS["civil"])
    (shown,) = (violation for violation in result.course.violations if not violation.clear)
    assert shown.code in FATAL and shown.turn == 1 and shown.detail in text
    assert result.uni == 1
