"""Procedure following scores: `compat` as published, `strict` as a lawyer would defend it; both say which turn earned
what.

Scores are shares from 0 to 1. compat credits an action when one of its key words occurs, in any stage, in a judge
utterance whose next entry is a party's; it stands apart from the tables and the parser, so that neither can change
it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tasks.courts.procedure.acts import own_words
from tasks.courts.procedure.model import Duty, Hearing, ProfileName, TrialState, Turn, side_of
from tasks.courts.procedure.tracker import follow
from tasks.courts.scores.rulings import unfilled
from tasks.scoring.result import Score

COMPAT, STRICT = "pfs_compat", "pfs_strict"
VERSIONS: Mapping[str, str] = {COMPAT: "pfs_compat/2", STRICT: "pfs_strict/3"}
WEIGHTS: Mapping[str, float] = {"ACT": 0.4, "STA": 0.3, "ORD": 0.3}
"""Of the strict score."""

PUBLISHED: Mapping[str, Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "CI": {
        "开庭审理": {
            "核实身份": ("核实双方当事人的身份", "核实双方当事人身份", "核实当事人身份", "核实身份"),
            "审判庭构成": ("构成", "合议庭", "本庭构成"),
            "适用程序": ("适用简易程序", "适用程序", "程序"),
            "诉讼权利": ("诉讼权利", "告知双方当事人在诉讼中的权利"),
            "申请回避": ("回避",),
            "缺席后果": ("缺席审理", "缺席后果"),
        },
        "法庭调查": {
            "原告陈述": ("诉讼请求", "起诉事实"),
            "被告答辩": ("辩护", "答辩", "辩称"),
            "举证质证": ("出示证据", "质证"),
            "法官发问": ("发问",),
        },
        "庭审辩论": {"争议焦点": ("争议焦点",), "最后陈述": ("其他想要说", "其他要说", "其他陈述", "陈述")},
        "法庭调解": {"调解": ("调解",)},
    },
    "CR": {
        "开庭审理": {
            "前科劣迹": ("前科劣迹",),
            "审判程序": ("适用程序", "程序"),
            "明确罪名": ("罪名是", "明确罪名"),
            "申请回避": ("申请回避",),
            "诉讼权利": ("诉讼权利", "告知双方当事人在诉讼中的权利"),
            "核实身份": ("核实",),
            "认罪认罚": ("认罪认罚",),
        },
        "法庭调查": {"法庭询问": ("询问被告", "法庭询问")},
    },
}
"""Stage -> action -> key words of the published rule: 13 civil and 8 criminal actions."""
STAGE_TAGS = ("<开庭审理>", "<法庭调查>", "<庭审辩论>", "<法庭调解>")
MOST_ARTICLES = 20
"""More signs 第 than this in a civil judgment fail the case in the published rule."""
FEWEST_TURNS = 4
FOREIGN = ("公诉人", "模拟被告回应")
"""Words that a civil judgment must not hold in the published rule."""
_OTHERS = ("<结束庭审>", "本院认为", "判决", "第")


def _keys(stages: Mapping[str, Mapping[str, tuple[str, ...]]]) -> set[str]:
    return {word for actions in stages.values() for words in actions.values() for word in words}


_WORDS: Mapping[str, re.Pattern[str]] = {
    env: re.compile(
        "|".join(sorted({*STAGE_TAGS, *FOREIGN, *_OTHERS, *_keys(stages)}, key=lambda word: (-len(word), word)))
    )
    for env, stages in PUBLISHED.items()
}
"""All words that the published rule looks for, the longest first."""


@dataclass(frozen=True, slots=True)
class CompatPfs:
    """The published score of one case. `credits`: action -> turn; `failures`: why everything is 0."""

    pfs: float
    sta: float
    act: float
    uni: float
    credits: Mapping[str, int]
    failures: tuple[str, ...]


def compat(turns: Sequence[Turn], env: Literal["CI", "CR"]) -> CompatPfs:
    """The published rule. Turns of anybody but the judge and the parties are no entries of the published log.

    Where several utterances could be the judgment, the last one is.
    """
    log = [turn for turn in turns if turn.speaker == "judge" or side_of(env, turn.speaker)]
    heard = [
        turn
        for turn, after in zip(log, log[1:], strict=False)
        if turn.speaker == "judge" and side_of(env, after.speaker)
    ]
    credits: dict[str, int] = {}
    shares = []
    for actions in PUBLISHED[env].values():
        for action, words in actions.items():
            for turn in heard:
                if any(word in turn.text for word in words):
                    credits[action] = turn.number
                    break
        shares.append(float(all(action in credits for action in actions)))
    count = sum(map(len, PUBLISHED[env].values()))
    sta, act = sum(shares) / len(shares), len(credits) / count
    uni = _published_unity(log, env)
    failures = _published_failures(log, env)
    if failures or not uni:
        return CompatPfs(0.0, 0.0, 0.0, 0.0 if failures else uni, credits, failures)
    return CompatPfs((sta + act) / 2, sta, act, uni, credits, ())


def own_words_of(text: str, hearing: Hearing) -> str:
    """An utterance of the judge without those words of the published rule that it only quotes from the case file."""
    return own_words(text, _WORDS[hearing.env], hearing.texts)


def moved_by_text(turns: Sequence[Turn], hearing: Hearing) -> tuple[str, ...]:
    """What of the published score rests on words that the judge only read out of the case file: actions and failures.

    The published rule takes every word for the judge's own and is kept as it is; this says where that changes the
    score.
    """
    own = [replace(t, text=own_words_of(t.text, hearing)) if t.speaker == "judge" else t for t in turns]
    found, bare = compat(turns, hearing.env), compat(own, hearing.env)
    if found.pfs == bare.pfs:
        return ()
    unity = {"UNI"} if found.uni != bare.uni and found.failures == bare.failures else set()
    return tuple(sorted({*found.credits} ^ {*bare.credits} | {*found.failures} ^ {*bare.failures} | unity))


def _published_unity(log: Sequence[Turn], env: str) -> float:
    said = [turn.text for turn in log if turn.speaker == "judge"]
    if env == "CI":
        bundled = any(sum(tag in text for tag in STAGE_TAGS) >= 3 for text in said)
    else:
        bundled = any("<开庭审理>" in text and "<结束庭审>" in text for text in said)
    return float(bool(said) and not bundled)


def _published_failures(log: Sequence[Turn], env: str) -> tuple[str, ...]:
    said = [turn.text for turn in log if turn.speaker == "judge"]
    judgments = [text for text in said if "本院认为" in text and "判决" in text]
    failures = []
    if not judgments:
        failures.append("no_judgment")
    elif env == "CI":
        if any(word in judgments[-1] for word in FOREIGN):
            failures.append("foreign_role")
        if judgments[-1].count("第") > MOST_ARTICLES:
            failures.append("runaway_citations")
    elif unfilled(judgments[-1]):
        failures.append("template")
    if env == "CR" and not all(text.strip() for text in said):
        failures.append("empty_utterance")
    if not log or log[-1].number < FEWEST_TURNS:
        failures.append("too_short")
    return tuple(failures)


@dataclass(frozen=True, slots=True)
class StrictPfs:
    """The strict score of one case. `shares`: group of duties -> share done."""

    pfs: float
    sta: float
    act: float
    ord: float
    uni: float
    shares: Mapping[str, float]
    course: TrialState


def strict(turns: Sequence[Turn], hearing: Hearing, name: ProfileName = "law") -> StrictPfs:
    """UNI' x (0.4 ACT' + 0.3 STA' + 0.3 ORD) over the mandatory duties of the hearing but those that the judge did
    and no valid answer met."""
    return assess(follow(turns, hearing, name))


def assess(course: TrialState) -> StrictPfs:
    """The strict score of a course; all of a trial that never began are 0."""
    owed = course.owed()
    done = course.done
    groups: dict[str, list[Duty]] = {}
    for duty in owed:
        groups.setdefault(duty.group, []).append(duty)
    shares = {name: sum(duty.key in done for duty in group) / len(group) for name, group in groups.items()}
    act = sum(shares.values()) / len(shares) if shares else 0.0
    stages: dict[str, list[float]] = {}
    for name, group in groups.items():
        stages.setdefault(group[0].spec.stages[-1 if group[0].spec.ends else 0], []).append(shares[name])
    sta = sum(all(share == 1 for share in part) for part in stages.values()) / len(stages) if stages else 0.0
    order = _order(course, set(groups))
    uni = float(course.judge_turns > 0 and not any(v.fatal for v in course.violations))
    pfs = uni * (WEIGHTS["ACT"] * act + WEIGHTS["STA"] * sta + WEIGHTS["ORD"] * order)
    return StrictPfs(pfs, sta, act, order, uni, shares, course)


def _order(course: TrialState, groups: set[str]) -> float:
    """ORD: the longest run of first credits in the order of the agenda, over all of them.

    Acts that may come in more than one stage are in no order.
    """
    first: dict[str, tuple[int, int]] = {}
    fixed = {spec.id for spec in course.profile.acts.values() if len(spec.stages) == 1}
    for credit in course.credits:
        if credit.group in groups and credit.act in fixed:
            first[credit.group] = min(first.get(credit.group, (credit.at, credit.order)), (credit.at, credit.order))
    if not first:
        return 0.0
    run: list[int] = []
    for _, order in sorted(first.values()):
        place = bisect_right(run, order)
        run[place : place + 1] = [order]
    return len(run) / len(first)


def scores(turns: Sequence[Turn], hearing: Hearing, name: ProfileName) -> list[Score]:
    """Both scores of a trial with their evidence, for the table of scores; settings say of each stage whether all its
    actions are done, 0 in a trial whose score is 0."""
    published, ours = compat(turns, hearing.env), strict(turns, hearing, name)
    counts = bool(published.uni) and not published.failures
    stages = {
        stage: float(counts and all(action in published.credits for action in actions))
        for stage, actions in PUBLISHED[hearing.env].items()
    }
    return [
        Score(
            COMPAT,
            VERSIONS[COMPAT],
            {"env": hearing.env, "stages": stages},
            {"PFS": published.pfs, "STA": published.sta, "ACT": published.act, "UNI": published.uni},
            [
                *({"action": action, "turn": turn} for action, turn in published.credits.items()),
                *({"failure": code} for code in published.failures),
                *({"moved_by_text": what} for what in moved_by_text(turns, hearing)),
            ],
        ),
        Score(
            STRICT,
            VERSIONS[STRICT],
            {
                "env": hearing.env,
                "profile": name,
                "procedure": hearing.procedure,
                "stages": {stage: ours.uni * done for stage, done in _stages(ours).items()},
            },  # fmt: skip
            {
                "PFS": ours.pfs,
                "STA": ours.sta,
                "ACT": ours.act,
                "ORD": ours.ord,
                "UNI": ours.uni,
            },
            evidence(ours.course),
        ),
    ]


def _stages(found: StrictPfs) -> dict[str, float]:
    """Name of a stage -> 1 where all its groups of duties are wholly done, else 0."""
    groups: dict[str, Duty] = {}
    for duty in found.course.owed():
        groups.setdefault(duty.group, duty)
    done: dict[str, bool] = {}
    for name, duty in groups.items():
        stage = duty.spec.stages[-1 if duty.spec.ends else 0]
        done[stage] = done.get(stage, True) and found.shares[name] == 1
    return {stage.name: float(done[stage.id]) for stage in found.course.profile.stages if stage.id in done}


def evidence(course: TrialState) -> list[Mapping[str, object]]:
    """Credits with their turn and articles, then what got no valid answer and why, then violations with theirs."""
    basis = {duty.key: [b.label for b in duty.basis] for duty in course.duties}
    credited: list[Mapping[str, object]] = [
        {"act": c.key, "turn": c.turn, "reply": c.reply, "late": c.late, "quote": c.quote,
            "basis": basis.get(c.key, [])}
        for c in course.credits
    ]  # fmt: skip
    faults = [
        {"violation": v.code, "turn": v.turn, "act": v.act, "side": v.side, "detail": v.detail, "clear": v.clear}
        for v in course.violations
    ]
    unmet = [{"unmet": u.key, "turn": u.turn, "side": u.side, "reason": u.reason} for u in course.unmet]
    return [*credited, *unmet, *faults]
