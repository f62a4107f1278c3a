"""Why an attempt failed, by rules: the classes as data, what was found in a record, and what every record can tell.

Nothing here asks a model. A finding names a class, says why in both languages, and points to steps of the record with
words quoted from it, so that a reader can open the episode where it went wrong. All classes that apply are kept; the
first of them in the order of `CLASSES` that the agent did not make good is the main one. A benchmark knows more than
the record alone (`tasks.benchmark.Benchmark.failure`): what had to be found, and what its tools refuse.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from tasks.episode.events import ActionParsed, Answered, Record, ToolCalled, ToolReturned
from tasks.episode.state import State
from tasks.episode.with_tools import SEAT
from tasks.scoring.names import Names
from tasks.scoring.result import INFRASTRUCTURE

VERSION = "failures/1"
QUOTED = 120
"""Characters of a quotation."""
AGAIN = 3
"""The same call so many times is a loop."""
ENDLESS = 2
"""So many rejected replies at the end were not made good."""
MOST_PLACES = 6


@dataclass(frozen=True, slots=True)
class FailureClass:
    """A way to fail. label and says: Chinese, English; says: its definition in a sentence."""

    name: str
    label: Names
    says: Names


CLASSES: tuple[FailureClass, ...] = (
    FailureClass("error", ("故障", "Machinery error"), (
        "引擎或程序出错，或者这一题被取消：与智能体无关。",
        "An engine or the program broke, or the episode was cancelled: it says nothing of the agent.")),
    FailureClass("context_full", ("上下文已满", "Context full"), (
        "模型的上下文装不下这一题的记录。", "The record no longer fitted into the context of the model.")),
    FailureClass("outside_pack", ("数据包未收录", "Outside the pack"), (
        "查的对象有依据，但数据包没有收录这一行、这一格或这一条文。",
        "What was asked for is well founded, but the pack does not hold the row, the cell or the article.")),
    FailureClass("format", ("格式错误", "Format"), (
        "回复读不出行动或答案，而且没有改正。",
        "A reply could not be read as an action or an answer, and that was not made good.")),
    FailureClass("legal_knowledge", ("法律知识", "Legal knowledge"), (
        "混淆了法律上不同的字段（如立案日期与审理日期），答了同一行另一列的值；或者误读了案号。",
        "Fields that differ in law were confused (the filing for the hearing date), so that another column of the "
        "same row was given; or a case number was misread.")),
    FailureClass("planning", ("计划缺陷", "Planning"), (
        "最初的计划缺少解题路径必需的一步，或者步骤的先后走不通。",
        "The first plan lacks a step that the way to the answer needs, or has steps in an order that cannot work.")),
    FailureClass("argument_error", ("参数错误", "Argument error"), (
        "工具拒绝了传入的参数（形状、列名或查询对象），而且没有改正。",
        "A tool refused its arguments (their shape, a column, the name asked for), and that was not made good.")),
    FailureClass("wrong_tool", ("工具选错", "Wrong tool"), (
        "调用了不存在的工具，或者在该用的工具从未调用时调用了查不到所需内容的工具。",
        "A tool was called that does not exist, or that cannot hold what is needed while the one that does was "
        "never called.")),
    FailureClass("loop", ("反复调用", "Loop"), (
        "同样的调用或发言一再重复，没有进展。", "The same call or utterance came again and again without progress.")),
    FailureClass("limit", ("触及上限", "Limit"), (
        "在查到所需内容之前用完了步数、词元或时间。",
        "Turns, tokens or time ran out before what is needed was found.")),
    FailureClass("wrong_version", ("条文版本错误", "Wrong version"), (
        "引用或检索到的是所问日期并非施行的条文版本。",
        "The article that was cited or retrieved is of a version not in force on the day.")),
    FailureClass("missing_hop", ("缺少一跳", "Missing hop"), (
        "解题必需的一个中间值或法条从未出现在工具的返回里。",
        "A value or an article that is needed on the way was never shown by a tool.")),
    FailureClass("wrong_number", ("证据齐全，数值有误", "Wrong number"), (
        "所需的证据都已见到，但答案里的数字、日期、刑期或是非判断与参照不同。",
        "All evidence was seen, but a number, day, term or yes-or-no in the answer differs from the key.")),
    FailureClass("retrieved_unused", ("检索到而未用", "Retrieved, not used"), (
        "所需的法条已在检索结果里，答案没有依它作出。",
        "The article was among the hits, and the answer does not follow it.")),
    FailureClass("evidence_unused", ("证据齐全，答案未写", "Evidence not in the answer"), (
        "所需的内容已经出现在工具的返回里，答案却没有写出。",
        "What was needed stands in what tools returned, but not in the answer.")),
    FailureClass("other", ("其他", "Other"), (
        "按规则看不出原因，或者原因不在智能体（记录不全，答案只是换了说法），须人来看。",
        "The rules find no reason, or none in the agent (an incomplete record, an answer in other words); somebody "
        "has to look.")),
)  # fmt: skip
"""In the order of precedence: what cannot be blamed on the agent, then causes before what follows from them."""
BY_NAME = {one.name: one for one in CLASSES}
ORDER = {one.name: place for place, one in enumerate(CLASSES)}
GENERIC = ("error", "context_full", "format", "loop", "limit", "other")
"""Classes that the record of any benchmark can tell."""

REASONS: dict[str, Names] = {
    "broke": ("引擎或程序出错", "the engine or the program broke"),
    "context": ("上下文已满", "the context was full"),
    "turns": ("步数用尽", "the turns ran out"),
    "tokens": ("词元用尽", "the tokens ran out"),
    "time": ("时间用尽", "the time ran out"),
    "stalled": ("发言没有进展", "nothing moved on"),
    "again": ("同样的调用一再重复", "the same call again and again"),
    "rejected": ("回复读不出行动", "a reply was no action"),
    "no_answer": ("没有写出答案", "there is no answer"),
    "unreadable": ("答案读不出所要求的形式", "the answer is not of the form asked for"),
    "shape": ("参数的形状不对", "the arguments are of the wrong shape"),
    "column": ("列名不存在", "there is no such column"),
    "operand": ("计算的对象不是数", "what was to be calculated is no number"),
    "name": ("查询的名称从未出现过", "the name asked for stands nowhere"),
    "kind": ("查询对象的种类与工具不符", "the tool does not take what it was given"),
    "no_such_tool": ("没有这个工具", "there is no such tool"),
    "other_tool": ("所需的工具从未调用", "the tool that is needed was never called"),
    "plan_lacks": ("计划里没有这一步", "the plan lacks this step"),
    "plan_order": ("计划的先后走不通", "the order of the plan cannot work"),
    "row": ("数据包没有这一行", "the pack does not hold the row"),
    "cell": ("数据包没有这一格", "the pack does not hold the cell"),
    "article": ("数据包没有这一条的文本", "the pack does not hold the text of the article"),
    "case_number": ("案号与所见相差几个字", "the case number differs from the one seen by a few characters"),
    "other_column": ("答了同一行另一列的值", "another column of the same row was given"),
    "column_asked": ("查了同类的另一列", "another column of the same kind was asked for"),
    "never_seen": ("从未见到", "never seen"),
    "never_called": ("从未查到", "never looked up"),
    "number": ("数字与参照不同", "the number differs from the key"),
    "judged": ("是非判断与参照相反", "the yes-or-no is the opposite of the key"),
    "other_row": ("答了另一行的值", "another row was given"),
    "unsaid": ("见到而没有写出", "seen and not said"),
    "unsaid_sum": ("证据齐全而没有得出", "not concluded from complete evidence"),
    "cited_version": ("答案是另一版本的条文", "the answer is the article of another version"),
    "found_version": ("只检索到另一版本", "only another version was retrieved"),
    "chosen_version": ("所选的说法出自另一版本", "what was chosen is the law of another version"),
    "unfollowed": ("条文已检索到", "the article had been retrieved"),
    "worded": ("意思相同，只是没有用参照的字样", "the same is said in other words than the key"),
    "unknown": ("按规则看不出原因", "the rules find no reason"),
    "no_basis": ("题目没有说明依据的法条", "the task does not say on which article it rests"),
}
"""Why a class applies, in Chinese and English; the quotations say what it is about."""

Status = Literal["solved", "failed", "ungraded", "unfinished", "unjudged"]
STATUSES: dict[Status, Names] = {
    "solved": ("答对", "solved"),
    "failed": ("未答对", "failed"),
    "ungraded": ("待评分员", "waits for a grader"),
    "unfinished": ("未完成", "unfinished"),
    "unjudged": ("走到结尾，这里不判断成败", "came to its end, not judged here"),
}


@dataclass(frozen=True, slots=True)
class StepQuote:
    """A step of the record, and words quoted from it. Step 0: no step of the agent."""

    step: int
    quote: str

    @classmethod
    def of(cls, step: int, *words: object) -> StepQuote:
        """Words on one line, cut to `QUOTED` characters."""
        text = " ".join(" ".join(str(word) for word in words if word not in (None, "")).split())
        return cls(step, text if len(text) <= QUOTED else f"{text[: QUOTED - 1]}…")


@dataclass(frozen=True, slots=True)
class Finding:
    """A class that applies. why: key of `REASONS`; places: the first is where it went wrong; decisive: whether it was
    never made good."""

    failure: str
    why: str
    places: tuple[StepQuote, ...]
    decisive: bool = True

    @property
    def step(self) -> int:
        """Where it went wrong; 0 where there are no steps, as in an imported answer."""
        return self.places[0].step if self.places else 0

    def data(self) -> dict[str, object]:
        """As JSON data."""
        return {
            "class": self.failure, "why": self.why, "decisive": self.decisive, "step": self.step,
            "evidence": [{"step": place.step, "quote": place.quote} for place in self.places],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What an attempt came to: findings in the order of precedence, none for what is solved. from_summary: no call is
    recorded, so the detailed answer stood for what was seen."""

    status: Status
    findings: tuple[Finding, ...] = ()
    from_summary: bool = False

    @property
    def main(self) -> Finding | None:
        """The first that was not made good; there is one for every failure."""
        return next((one for one in self.findings if one.decisive), None)


def judged(findings: Iterable[Finding], attempt: AttemptRecord, why: str, from_summary: bool) -> Diagnosis:
    """A failure with what was found."""
    found = sorted(_merged(findings), key=lambda one: (ORDER[one.failure], not one.decisive, one.step))
    if not any(one.decisive for one in found):
        found.append(Finding("other", why, (StepQuote.of(last_step(attempt.state), attempt.res),)))
    if from_summary:  # nothing was played here: there is no step to go to
        found = [replace(one, places=tuple(replace(place, step=0) for place in one.places)) for one in found]
    return Diagnosis("failed", tuple(found), from_summary)


def _merged(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, those that say the same of several places as one."""
    same: dict[tuple[str, str, bool], list[StepQuote]] = {}
    for one in findings:
        same.setdefault((one.failure, one.why, one.decisive), []).extend(one.places)
    return [Finding(*key[:2], tuple(dict.fromkeys(places))[:MOST_PLACES], key[2]) for key, places in same.items()]


@dataclass(frozen=True, slots=True)
class ObservedCall:
    """A call of the tested seat with what came back; `status` '' where nothing did."""

    step: int
    tool: str
    input: Any
    status: str = ""
    observation: str = ""
    value: Any = None
    unknown: int = 0

    @property
    def ok(self) -> bool:
        """Whether the tool gave something."""
        return self.status == "ok"

    @property
    def place(self) -> StepQuote:
        """The call and what came back."""
        asked = (f"{self.tool}({spelt(self.input)})", "→") if self.tool else ()
        return StepQuote.of(self.step, *asked, self.observation)


def spelt(value: object) -> str:
    """JSON data as text, the same for the same data."""
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return str(type(value))


def calls_of(records: Sequence[Record]) -> list[ObservedCall]:
    """The calls of the tested seat in order."""
    returned: dict[int, ToolReturned] = {}
    for record in records:
        if isinstance(record.event, ToolReturned) and record.parent is not None:
            returned.setdefault(record.parent, record.event)
    found = []
    for record in records:
        called = record.event
        if isinstance(called, ToolCalled) and called.seat == SEAT:
            back = returned.get(record.seq)
            more = (back.status, back.observation, back.value, back.unknown) if back else ()
            found.append(ObservedCall(record.step, called.tool, called.input, *more))
    return found


def last_step(state: State) -> int:
    """The last step of a record."""
    return state.records[-1].step if state.records else 0


def answer_step(state: State) -> int:
    """The step of the answer; the last one where there is none."""
    return next((one.step for one in reversed(state.records) if isinstance(one.event, Answered)), last_step(state))


ENDS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(INFRASTRUCTURE, ("error", "broke")),
    "context_full": ("context_full", "context"),
    "turn_limit": ("limit", "turns"),
    "token_limit": ("limit", "tokens"),
    "time_limit": ("limit", "time"),
    "loop": ("loop", "stalled"),
    "stalled": ("loop", "stalled"),
}
"""Outcome -> the class and the reason that it tells by itself."""


class AttemptRecord:
    """An attempt, read once. What a benchmark knows beyond the record it says in a class of its own."""

    complete = False
    """Whether what was needed had been seen, so that what happened on the way is no reason."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.res = state.answered.res if state.answered else ""
        self.calls = calls_of(state.records)

    @property
    def read(self) -> str:
        """The answer as it is judged."""
        return self.res

    @property
    def concluded(self) -> bool:
        """Whether all was seen and something answered."""
        return bool(self.complete and self.read.strip())

    @property
    def excused(self) -> bool:
        """Whether a limit is no reason."""
        return self.concluded

    @property
    def said(self) -> StepQuote:
        """The answer."""
        return StepQuote.of(answer_step(self.state), self.read or self.res)


A = TypeVar("A", bound=AttemptRecord)
Detector = Callable[[A], Iterator[Finding]]
"""What looks for one kind of failure in an attempt."""


def _end(attempt: AttemptRecord) -> Iterator[Finding]:
    """What the outcome tells by itself."""
    state = attempt.state
    if state.stopped is not None and (found := ENDS.get(state.stopped.outcome)):
        decisive = not attempt.excused or found[0] in ("error", "context_full")
        yield Finding(*found, (StepQuote.of(last_step(state), state.stopped.reason),), decisive)


def _repeated(attempt: AttemptRecord) -> Iterator[Finding]:
    """Calls that came again and again, where nothing new can come of it; the place is the first repetition."""
    same: dict[tuple[str, str], list[ObservedCall]] = defaultdict(list)
    for call in attempt.calls:
        same[call.tool, spelt(call.input)].append(call)
    for often in same.values():
        if len(often) >= AGAIN:
            places = tuple(call.place for call in often[1:])
            yield Finding("loop", "again", places[:MOST_PLACES], not attempt.concluded)


def _unreadable(attempt: AttemptRecord) -> Iterator[Finding]:
    """Replies that were no action, and answers that say nothing.

    A rejected reply is made good by a later one that is read. It is not where the last ones were rejected, where half
    of all were, nor where a plan that is carried out step by step has lost its step, unless what was needed was seen
    all the same.
    """
    state = attempt.state
    planned = sum(record.event.tag == "planned" for record in state.records)
    readings = [
        (record.step, record.event)
        for record in state.records
        if isinstance(record.event, ActionParsed) and record.event.seat == SEAT
    ]
    rejected = [(at, one) for at, one in readings if one.result == "rejected"]
    if rejected:
        open_end = all(one.result == "rejected" for _, one in readings[-ENDLESS:])
        many = 2 * len(rejected) >= len(readings)
        lost = planned == 1 and any(at > 0 for at, _ in rejected)
        yield Finding(
            "format", "rejected", tuple(StepQuote.of(at, one.note) for at, one in rejected)[:MOST_PLACES],
            not attempt.concluded and (open_end or many or lost),
        )  # fmt: skip
    answered, outcome = state.answered, state.stopped.outcome if state.stopped else ""
    if outcome == "finished" and answered is not None and not answered.res.strip():
        yield Finding("format", "no_answer", (StepQuote.of(answer_step(state), answered.summary),))


def verdict(
    attempt: A, detectors: Sequence[Detector[A]] = (), *, why: str = "unknown", from_summary: bool = False
) -> Diagnosis:
    """Why an attempt failed: what any record tells, then what the detectors of its benchmark find; `other` for the
    reason `why` where nothing of it was left standing."""
    every: tuple[Detector[A], ...] = (_end, _repeated, _unreadable, *detectors)
    return judged((one for detector in every for one in detector(attempt)), attempt, why, from_summary)


def generic(state: State) -> Diagnosis:
    """What the record of any benchmark tells: why an episode did not come to its end.

    What an episode that came to its end is worth is not judged here.
    """
    if state.stopped is None:
        return Diagnosis("unfinished")
    if state.stopped.outcome == "finished":
        return Diagnosis("unjudged")
    return verdict(AttemptRecord(state))
