"""Solved episodes of the fictional pack, damaged by a program in a known way, a class of failure at a time.

Written from the definitions of the classes alone (`tasks.scoring.failures.CLASSES`), never from the detectors. What a
damaged call comes to is what the real tools answer to it. First the calls of the gold paths of LegalAgentBench, then
attempts at LegalSearch that the rules solved over the fictional statutes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from store.journal import ScoreRow
from store.pack import Pack
from store.schema import LOOKUPS
from store.statutes.model import ArticleNumber
from tasks.benchmark import benchmark
from tasks.episode.events import (
    ActionParsed,
    Answered,
    AttemptStarted,
    Event,
    LimitHit,
    Planned,
    Record,
    Seated,
    StepEnded,
    Stopped,
    ToolCalled,
    ToolReturned,
)
from tasks.episode.seats import CausedEvent
from tasks.episode.state import State, fold
from tasks.legalagentbench.tools import OUTSIDE, Toolbox
from tasks.legalsearch.benchmark import toolbox_of
from tasks.legalsearch.coverage import Coverage
from tasks.run.spec import RunSpec
from tasks.scoring.result import ScoreContext

MANY = 24
"""Episodes of a class and a benchmark, at most."""
UNSURE = ("根据已有的信息无法确定。", "抱歉，没有查到相关内容。", "暂时不能回答这个问题。")
ENDS = {"turn_limit": "limit of 10 turns reached", "context_full": "the context of the model is full"}


@dataclass(frozen=True)
class Call:
    tool: str
    input: Any
    returns: Mapping[str, Any] | None = None
    """What it comes to, where that is not asked of the tool."""


@dataclass(frozen=True)
class Refused:
    note: str = "没有 JSON"


@dataclass(frozen=True)
class Script:
    """An episode to be: its plan, moves, answer (None: none), end."""

    moves: Sequence[Call | Refused]
    answer: str | None
    plan: Sequence[str] = ()
    outcome: str = "finished"


@dataclass(frozen=True)
class Injected:
    """A damaged episode: the class that was put in, how, the question, what became of it."""

    benchmark: str
    expected: str
    how: str
    question: Any
    state: State
    rows: Sequence[ScoreRow] = ()


@dataclass
class Writer:
    """Writes the records of an episode."""

    records: list[Record] = field(default_factory=list)
    step: int = 0

    def add(self, event: Event, parent: int | None = None) -> int:
        self.records.append(Record(len(self.records), self.step, parent, 0.0, event))
        return len(self.records) - 1

    @property
    def state(self) -> State:
        return fold(self.records)


def played(name: str, question: Any, script: Script, call: Callable[[Writer, Call], None]) -> State:
    """The state of an episode that goes by a script."""
    writer = Writer()
    writer.add(AttemptStarted(benchmark=name, task_id=question.id, attempt=1, seed=0, card=question.card))
    writer.add(Seated(seat="agent", policy="react/1", engine="toy:x"))
    writer.step = 1
    if script.plan:
        writer.add(Planned(seat="agent", steps=tuple(script.plan), tools=tuple(script.plan)))
    for number, move in enumerate(script.moves, 1):
        writer.step = number
        if isinstance(move, Refused):
            writer.add(ActionParsed(seat="agent", result="rejected", note=move.note))
        else:
            writer.add(ActionParsed(seat="agent", result="ok"))
            call(writer, move)
        writer.add(StepEnded())
    if script.answer is not None:
        writer.step += bool(script.moves)
        writer.add(Answered(seat="agent", res=script.answer, summary=script.answer))
    if script.outcome == "turn_limit":
        writer.add(LimitHit(kind="turns", limit=10, used=10))
    writer.add(
        Stopped.model_validate({"outcome": script.outcome, "reason": ENDS.get(script.outcome, script.outcome)})
    )
    writer.add(StepEnded())
    return writer.state


def with_tools(toolbox: Toolbox) -> Callable[[Writer, Call], None]:
    """Calls the tools of LegalAgentBench."""

    def call(writer: Writer, move: Call) -> None:
        asked = writer.add(ToolCalled(seat="agent", tool=move.tool, input=move.input))
        if move.returns is None:
            found = toolbox.call(move.tool, move.input)
            told = {"status": found.status, "observation": found.observation, "value": found.value}
        else:
            told = dict(move.returns)
        writer.add(ToolReturned(seat="agent", tool=move.tool, **told), asked)

    return call


Maker = Callable[[Random, Any, Toolbox], "Script | None"]
NUMERAL = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?)(?P<unit>[^0-9A-Za-z]{0,2})")
DATE = re.compile(r"[0-9]{4}年[0-9]{2}月[0-9]{2}日")
CASE = re.compile(r"（[0-9]{4}）.+号|.*〔[0-9]{4}〕[0-9]+号")


def calls_of(question: Any) -> list[Call]:
    return [Call(tool, given) for tool, given in question.gold.calls]


def lookups(calls: Sequence[Call]) -> list[int]:
    """Places of the calls of tables."""
    return [n for n, one in enumerate(calls) if one.tool in LOOKUPS]


def firsts(calls: Sequence[Call]) -> list[int]:
    """Places where a table is called for the first time."""
    return [n for n in lookups(calls) if calls[n].tool not in {one.tool for one in calls[:n]}]


def guess(rng: Random, question: Any) -> str:
    """What somebody says who does not know: that, or the reference with other values."""
    if rng.random() < 0.5:
        return rng.choice(UNSURE)
    answer = question.gold.answer
    for key in question.gold.keys:
        answer = answer.replace(key, other_value(rng, key))
    return str(answer)


def other_value(rng: Random, key: str) -> str:
    """A value of the kind of a key, and not it."""
    if NUMERAL.search(key):
        return re.sub("[0-9]+", lambda m: str(int(m[0]) + rng.randint(1, 8)).zfill(len(m[0])), key, count=1)
    return rng.choice(("未知", "朗照甲乙丙有限公司", "某法院"))


def column(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """A column that the table does not have."""
    calls = calls_of(question)
    named = "get_company_register_name"
    places = [n for n in lookups(calls) if calls[n].input["columns"] and calls[n].tool != named]
    if not places:
        return None
    at = rng.choice(places)
    names = list(calls[at].input["columns"])
    names[rng.randrange(len(names))] = rng.choice(("法院全称", "投资总额", "母公司名称", "立案时间", "涉案总额"))
    moves = [*calls[:at], *[Call(calls[at].tool, {**calls[at].input, "columns": names})] * rng.randint(1, 2)]
    return Script(moves, guess(rng, question))


def shape(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """Arguments of another shape."""
    calls = calls_of(question)
    at = rng.choice(lookups(calls))
    given = dict(calls[at].input)
    name = LOOKUPS[calls[at].tool].parameters[0]
    wrong: Any = rng.choice(
        ({"columns": given["columns"]}, {**given, name: [given[name]]}, {**given, "columns": "全部"}, given[name])
    )
    return Script([*calls[:at], Call(calls[at].tool, wrong)], guess(rng, question))


def name(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """A name that nobody bears."""
    calls = calls_of(question)
    bodies = ("公司", "事务所", "法院")
    places = [n for n in lookups(calls) if str(calls[n].input.get("identifier", "")).endswith(bodies)]
    if not places:
        return None
    at = rng.choice(places)
    nobody = "关于" + calls[at].input["identifier"] + rng.choice(("总部", "一案", "（分）"))
    given = {**calls[at].input, "identifier": nobody}
    return Script([*calls[:at], Call(calls[at].tool, given)], guess(rng, question))


def tool(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """Another tool in the place of one, which is never called."""
    calls = calls_of(question)
    path = {one.tool for one in calls}
    tables = {LOOKUPS[one].table for one in path if one in LOOKUPS}
    at = rng.choice(firsts(calls))
    others = [one for one in LOOKUPS.values() if one.table not in tables and one.parameters == ("identifier",)]
    value = next(iter(calls[at].input.values()))
    wrong = rng.choice([one.tool for one in others] * 3 + ["search_company", "get_case_detail", "query_database"])
    return Script([*calls[:at], Call(wrong, {"identifier": value, "columns": []})], guess(rng, question))


def hop(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """A step of the way is left out, and all that need it."""
    calls = calls_of(question)
    at = rng.choice(firsts(calls))
    return Script(calls[:at], guess(rng, question), [one.tool for one in calls])


def plan_without(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """A plan without a step that is needed, carried out as far as it goes."""
    calls = calls_of(question)
    path = list(dict.fromkeys(one.tool for one in calls if one.tool in LOOKUPS))
    if len({LOOKUPS[one].table for one in path}) < 2:
        return None
    lost = rng.choice([one for one in path if sum(LOOKUPS[one].table == LOOKUPS[other].table for other in path) == 1])
    first = next(n for n, one in enumerate(calls) if one.tool == lost)
    return Script(calls[:first], guess(rng, question), [one.tool for one in calls if one.tool != lost])


def plan_reversed(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """Two steps of the plan change places; the one that comes too early has only the name of the question to ask
    for."""
    calls = calls_of(question)
    path = list(dict.fromkeys(one.tool for one in calls if one.tool in LOOKUPS))
    if len(path) < 2 or "identifier" not in calls[0].input:
        return None
    at = rng.randrange(len(path) - 1)
    plan = [*path[:at], path[at + 1], path[at], *path[at + 2 :]]
    before = [one for one in calls[: next(n for n, one in enumerate(calls) if one.tool == path[at])]]
    early = Call(
        path[at + 1], {**dict.fromkeys(LOOKUPS[path[at + 1]].parameters, calls[0].input["identifier"]), "columns": []}
    )
    return Script([*before, early], guess(rng, question), plan)


def again(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """A call again and again, without end."""
    calls = calls_of(question)
    at = rng.randrange(len(calls)) if len(calls) > 1 else 0
    if at == len(calls) - 1:
        at = max(0, at - 1)
    if len(calls) == 1:
        return Script([calls[0]] * rng.randint(4, 8), None, outcome="turn_limit")
    end = rng.choice(("turn_limit", "finished", "loop"))
    moves = [*calls[:at], *[calls[at]] * rng.randint(3, 7)]
    return Script(moves, guess(rng, question) if end == "finished" else None, outcome=end)


def refused(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """Replies that are no action; or an empty answer."""
    calls = calls_of(question)
    kind = rng.choice(("stuck", "gave up", "empty"))
    if kind == "empty":
        return Script(calls, rng.choice(("", " ", "\n")))
    moves = [*calls[: rng.randrange(len(calls))], *[Refused()] * rng.randint(2, 5)]
    if kind == "stuck":
        return Script(moves, None, outcome="turn_limit")
    return Script(moves, rng.choice(UNSURE))


def full(rng: Random, question: Any, box: Toolbox) -> Script | None:
    calls = calls_of(question)
    return Script(calls[: rng.randrange(len(calls) + 1)], None, outcome="context_full")


def broken(rng: Random, question: Any, box: Toolbox) -> Script | None:
    calls = calls_of(question)
    return Script(calls[: rng.randrange(len(calls) + 1)], None, outcome=rng.choice(("error", "cancelled")))


def short(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """The turns run out on the right way."""
    calls = calls_of(question)
    at = rng.randrange(len(calls))
    while at and all(one.tool not in LOOKUPS for one in calls[at:]):
        at -= 1
    answer = rng.choice((None, rng.choice(UNSURE)))
    return Script(calls[:at], answer, outcome="turn_limit")


def lacking(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """The pack does not hold what is asked for."""
    calls = calls_of(question)
    at = rng.choice(firsts(calls))
    gone = {"status": "outside_pack", "observation": OUTSIDE, "complete": False}
    return Script([*calls[:at], replace(calls[at], returns=gone)], guess(rng, question))


def numeral(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """Another number, or day, in the answer."""
    figures = [key for key in question.gold.keys if NUMERAL.fullmatch(key) or DATE.fullmatch(key)]
    keys = [key for key in figures if key in question.gold.answer]
    keys = [key for key in keys if len(NUMERAL.match(key)["number"]) < 12]  # type: ignore[index]
    if not keys:
        return None
    key = rng.choice(keys)
    other = other_value(rng, key)
    if DATE.fullmatch(key):
        other = f"{int(key[:4]) + rng.choice((-1, 1))}{key[4:]}"
    return Script(calls_of(question), question.gold.answer.replace(key, other))


def silent(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """A value that was seen is not in the answer."""
    observed = "\n".join(box.call(tool_, given).observation for tool_, given in question.gold.calls)
    keys = [key for key in question.gold.keys if key in observed]
    if not keys or len(keys) < len(question.gold.keys):
        return None
    answer = question.gold.answer
    for key in rng.sample(keys, rng.randint(1, len(keys))):
        answer = answer.replace(key, rng.choice(("（略）", "见附件", "已查到")))
    return Script(calls_of(question), answer)


def kind_of(value: object) -> str:
    text = "" if value is None else str(value)
    if DATE.fullmatch(text):
        return "date"
    if re.fullmatch(r"[0-9.]+(?:万|亿)?", text):
        return "number"
    return "text" if 2 <= len(text) <= 40 else ""


def says(key: str, value: object) -> bool:
    """Whether a key is a value, or a sum of money that is it."""
    if str(value) == key or not key.endswith("元") or kind_of(value) != "number":
        return str(value) == key
    return key.startswith(f"{float(str(value)):.2f}" if re.fullmatch("[0-9.]+", str(value)) else "x")


def beside(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """The value of another column of the same row; asked for as well, or alone."""
    calls = calls_of(question)
    for at in rng.sample(range(len(calls)), len(calls)):
        if calls[at].tool not in LOOKUPS or LOOKUPS[calls[at].tool].shape == "name":
            continue
        whole = box.call(calls[at].tool, {**calls[at].input, "columns": []}).value
        asked = box.call(calls[at].tool, calls[at].input).value
        if not whole or not asked:
            continue
        both = (found if isinstance(found, list) else [found] for found in (whole, asked))
        rows = list(zip(*both, strict=True))
        rng.shuffle(rows)
        for row, shown in rows:
            for wanted, value in shown.items():
                key = next((one for one in question.gold.keys if says(one, value)), None)
                others = [
                    name_ for name_ in row
                    if name_ != wanted and kind_of(row[name_]) == kind_of(value) and row[name_] != value
                    and str(row[name_]) not in question.card["question"]
                    and str(row[name_]) not in "".join(question.gold.keys)
                ]  # fmt: skip
                if key is None or not others or key not in question.gold.answer:
                    continue
                other = rng.choice(others)
                columns = list(calls[at].input["columns"])
                in_place = [other if one == wanted else one for one in columns]
                columns = [*columns, other] if rng.random() < 0.5 else in_place
                moves = [*calls[:at], Call(calls[at].tool, {**calls[at].input, "columns": columns}), *calls[at + 1 :]]
                text = str(row[other]) + ("元" if key.endswith("元") and "元" not in str(row[other]) else "")
                return Script(moves, question.gold.answer.replace(key, text))
    return None


def flipped(rng: Random, number: str) -> str:
    """A case number with one or two other digits."""
    places = [n for n, character in enumerate(number) if character.isdigit()]
    found = list(number)
    for n in rng.sample(places, rng.randint(1, 2)):
        found[n] = str((int(found[n]) + rng.randint(1, 9)) % 10)
    return "".join(found)


def misread(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """A case number read wrong, in a call or in the answer."""
    calls = calls_of(question)
    places = [n for n in lookups(calls) if CASE.fullmatch(str(calls[n].input.get("identifier", "")))]
    keys = [key for key in question.gold.keys if CASE.fullmatch(key) and key in question.gold.answer]
    if keys and (not places or rng.random() < 0.5):
        key = rng.choice(keys)
        return Script(calls, question.gold.answer.replace(key, flipped(rng, key)))
    if not places:
        return None
    at = rng.choice(places)
    given = {**calls[at].input, "identifier": flipped(rng, calls[at].input["identifier"])}
    if box.call(calls[at].tool, given).status == "ok":
        return None
    return Script([*calls[:at], Call(calls[at].tool, given)], rng.choice(UNSURE))


LAB: Mapping[str, Sequence[Maker]] = {
    "argument_error": (column, shape, name), "wrong_tool": (tool,), "missing_hop": (hop,),
    "planning": (plan_without, plan_reversed),
    "loop": (again,), "format": (refused,), "context_full": (full,), "error": (broken,), "limit": (short,),
    "outside_pack": (lacking,), "wrong_number": (numeral,), "evidence_unused": (silent,),
    "legal_knowledge": (beside, misread),
}  # fmt: skip
"""Class -> ways to put it in."""


def lab(pack: Pack, questions: Sequence[Any], seed: int = 0, many: int = MANY) -> Iterator[Injected]:
    """Damaged episodes of LegalAgentBench, and whole ones (class '')."""
    box = Toolbox(pack)
    asked = [question for question in questions if question.gold.calls]
    for question in asked:
        whole = _lab(question, Script(calls_of(question), question.gold.answer), box)
        yield Injected("legalagentbench", "", "whole", question, whole)
    for expected, makers in LAB.items():
        for maker in makers:
            rng, made = Random(f"{seed}/{expected}/{maker.__name__}"), 0
            for question in rng.sample(asked, len(asked)):
                script = maker(rng, question, box)
                if script is not None and made * len(makers) < many:
                    made += 1
                    yield Injected("legalagentbench", expected, maker.__name__, question, _lab(question, script, box))


def _lab(question: Any, script: Script, box: Toolbox) -> State:
    return played("legalagentbench", question, script, with_tools(box))


class LawStage:
    """Plays scripts with the tools of LegalSearch over the fictional statutes."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.spec = RunSpec(benchmark="legalsearch", agent="rules", pack=pack.name)
        self.toolbox = toolbox_of(pack, self.spec)
        self.coverage = Coverage(pack)
        self.bench = benchmark("legalsearch")

    def play(self, question: Any, script: Script) -> tuple[State, Sequence[ScoreRow]]:
        state = played("legalsearch", question, script, self._call)
        result = self.bench.result(question.id, 0, state)
        return state, self.bench.score_rows(1, question, result, ScoreContext(pack=self.pack, spec=self.spec))

    @staticmethod
    def chinese(key: str) -> str:
        """第七十八条, of 78."""
        number, _, sub = key.partition("-")
        return ArticleNumber(int(number), int(sub or 0)).chinese

    def _call(self, writer: Writer, move: Call) -> None:
        steps = self.toolbox.call(writer.state, move.tool, move.input)
        sent: int | None = None
        while True:
            try:
                item = steps.send(sent)
            except StopIteration:
                return
            sent = writer.add(item.event, item.parent) if isinstance(item, CausedEvent) else writer.add(item)  # type: ignore[arg-type]


LawMaker = Callable[[Random, Any, Sequence[Call], str, LawStage], "Script | None"]
"""Of a solved episode: its question, calls, answer."""


def other_letters(rng: Random, question: Any) -> str:
    return rng.choice([one for one in question.options if one not in question.gold.answer] or list(question.options))


def wrong(rng: Random, question: Any) -> str:
    """A readable answer that is not right."""
    form = question.kind.form
    if form == "letters":
        return other_letters(rng, question)
    if form == "months":
        return f"{int(re.search('[0-9]+', question.gold.answer)[0]) + rng.randint(1, 9)}个月"  # type: ignore[index]
    if form == "charges":
        return rng.choice(("敲诈勒索", "危险驾驶", "寻衅滋事"))
    return "行政机关应当公开办事程序，并为公民提供便利。"


def older(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    """A recital in the words of another version; retrieved as well, or from memory."""
    if question.kind.form != "article":
        return None
    others = [one for one in stage.coverage(question) if not one.applies and one.text]
    texts = [one for one in others if one.text != question.gold.answer]
    if not texts:
        return None
    chosen = rng.choice(texts)
    if rng.random() < 0.5:
        return Script(calls, chosen.text)
    book = stage.toolbox.search.book  # type: ignore[union-attr]
    versions = [one for known in book.laws() for one in book.versions(known.name)]
    version = next(one for one in versions if one.label == chosen.label)
    cited = re.search("《.+?》第.+?条(?:之.)?", question.text)
    if version.valid_from is None or cited is None:
        return None
    day = version.valid_from
    query = f"{day.year}年{day.month}月{day.day}日有效的{cited[0]}"
    return Script([Call("rag_retrieve", {"query": [query]})], chosen.text)


def other_time(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    """The article is looked up as of another day, when it read differently, and the answer follows that."""
    if question.kind.form != "letters" or not question.gold.basis:
        return None
    law, number, day = question.gold.basis[0]
    book = stage.toolbox.search.book  # type: ignore[union-attr]
    ended = lambda one: one.valid_to and one.valid_to.isoformat() < day  # noqa: E731
    begun = [one for one in book.versions(law) if one.valid_from]
    others = [one for one in begun if one.valid_from.isoformat() > day or ended(one)]
    if not others or len(question.gold.basis) > 1:
        return None
    on = rng.choice(others).valid_from
    assert on is not None
    query = f"{on.year}年{on.month}月{on.day}日施行的《{law}》第{number}条"
    return Script([Call("rag_retrieve", {"query": [query]})], wrong(rng, question))


def unfollowed(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    """The right hits, and an answer that does not follow them."""
    if question.kind.form not in ("letters", "article", "charges"):
        return None
    if question.gold.pair and question.kind.id == "kqa":  # the other options are words of other versions
        every = [one for one, text in question.options.items() if text.startswith("以上")]
        none = [one for one in every if one not in question.gold.answer]
        return Script(calls, none[0]) if none else None
    return Script(calls, wrong(rng, question))


def months(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    """Another term, where all articles that the gold names were before the agent."""
    if question.kind.form != "months":
        return None
    state, _ = stage.play(question, Script(calls, answer))
    seen = "".join(record.event.observation for record in state.records if isinstance(record.event, ToolReturned))
    whole = all(f'"{stage.chinese(number)}"' in seen for _, number, _ in question.gold.basis)
    return Script(calls, wrong(rng, question)) if whole else None


def unrecited(question: Any, rng: Random, move: Call) -> Script | None:
    """A call and a wrong answer, where more is asked for than the words of an article."""
    return Script([move], wrong(rng, question)) if question.kind.form != "article" else None


def elsewhere(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    """Looked for in the wrong place."""
    query = rng.choice(("岚洲路灯的高度", "养鱼的行政许可", "档案馆的开放时间"))
    return unrecited(question, rng, Call("rag_retrieve", {"query": [query]}))


def no_query(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    given: Any = rng.choice(({"query": 5}, {"queries": ["时效"]}, "时效", {"query": []}))
    return unrecited(question, rng, Call("rag_retrieve", given))


def no_tool(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    wanted = rng.choice(("law_search", "get_article", "search_statute"))
    return unrecited(question, rng, Call(wanted, {"query": ["时效"]}))


def no_letters(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    if rng.random() < 0.3:
        return Script([Refused(), Refused(), Refused()], None, outcome="turn_limit")
    said = rng.choice(("", "这要看具体情况。", "没有足够的信息作出判断"))
    return Script(calls, said) if question.kind.form in ("letters", "months") else None


def same_query(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    query = Call("rag_retrieve", {"query": ["岚洲路灯的高度"]})
    return Script([query] * rng.randint(4, 8), None, outcome=rng.choice(("turn_limit", "loop")))


def law_limit(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    queries = [Call("rag_retrieve", {"query": [text]}) for text in ("岚洲路灯的高度", "养鱼的行政许可")]
    return Script(queries[: rng.randint(0, 2)], None, outcome=rng.choice(("turn_limit", "token_limit")))


def law_full(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    return Script(calls, None, outcome="context_full")


def law_error(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    return Script(calls, None, outcome="error")


LAW: Mapping[str, Sequence[LawMaker]] = {
    "wrong_version": (older, other_time), "retrieved_unused": (unfollowed,), "wrong_number": (months,),
    "missing_hop": (elsewhere,),
    "argument_error": (no_query,), "wrong_tool": (no_tool,), "format": (no_letters,), "loop": (same_query,),
    "limit": (law_limit,),
    "context_full": (law_full,), "error": (law_error,),
}  # fmt: skip


def law(pack: Pack, solved: Sequence[tuple[Any, State]], seed: int = 0, many: int = MANY) -> Iterator[Injected]:
    """Damaged episodes of LegalSearch; `solved` are questions with the states in which rules solved them."""
    stage = LawStage(pack)
    for question, state in solved:
        yield Injected("legalsearch", "", "whole", question, state)
    for expected, makers in LAW.items():
        for maker in makers:
            rng, made = Random(f"{seed}/{expected}/{maker.__name__}"), 0
            for question, state in rng.sample(solved, len(solved)):
                events = [record.event for record in state.records]
                calls = [Call(one.tool, one.input) for one in events if isinstance(one, ToolCalled)]
                script = maker(rng, question, calls, state.answered.res if state.answered else "", stage)
                if script is not None and made * len(makers) < many:
                    made += 1
                    yield Injected("legalsearch", expected, maker.__name__, question, *stage.play(question, script))
