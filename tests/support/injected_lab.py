"""Ways in which attempts at LegalAgentBench fail, put into the calls of the fictional pack's gold paths."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from store.pack import Pack
from store.schema import LOOKUPS
from tasks.episode.events import (
    ToolCalled,
    ToolReturned,
)
from tasks.episode.state import State
from tasks.legalagentbench.tools import OUTSIDE, Toolbox
from tests.support.injected import MANY, UNSURE, Call, Injected, Refused, Script, Writer, played


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
    places = [
        n
        for n, one in enumerate(calls)
        if one.tool in LOOKUPS and one.input["columns"] and one.tool != "get_company_register_name"
    ]
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
    places = [n for n, one in enumerate(calls) if one.tool in LOOKUPS]
    at = rng.choice(places)
    given = dict(calls[at].input)
    name = LOOKUPS[calls[at].tool].parameters[0]
    wrong: Any = rng.choice(
        ({"columns": given["columns"]}, {**given, name: [given[name]]}, {**given, "columns": "全部"}, given[name])
    )
    return Script([*calls[:at], Call(calls[at].tool, wrong)], guess(rng, question))


def name(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """A name that nobody bears."""
    calls = calls_of(question)
    places = [
        n
        for n, one in enumerate(calls)
        if one.tool in LOOKUPS and str(one.input.get("identifier", "")).endswith(("公司", "事务所", "法院"))
    ]
    if not places:
        return None
    at = rng.choice(places)
    given = {
        **calls[at].input,
        "identifier": "关于" + calls[at].input["identifier"] + rng.choice(("总部", "一案", "（分）")),
    }
    return Script([*calls[:at], Call(calls[at].tool, given)], guess(rng, question))


def tool(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """Another tool in the place of one, which is never called."""
    calls = calls_of(question)
    path = {one.tool for one in calls}
    tables = {LOOKUPS[one].table for one in path if one in LOOKUPS}
    places = [n for n, one in enumerate(calls) if one.tool in LOOKUPS and one.tool not in {c.tool for c in calls[:n]}]
    at = rng.choice(places)
    others = [one for one in LOOKUPS.values() if one.table not in tables and one.parameters == ("identifier",)]
    value = next(iter(calls[at].input.values()))
    wrong = rng.choice([one.tool for one in others] * 3 + ["search_company", "get_case_detail", "query_database"])
    return Script([*calls[:at], Call(wrong, {"identifier": value, "columns": []})], guess(rng, question))


def hop(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """A step of the way is left out, and all that need it."""
    calls = calls_of(question)
    places = [n for n, one in enumerate(calls) if one.tool in LOOKUPS and one.tool not in {c.tool for c in calls[:n]}]
    at = rng.choice(places)
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
    at = rng.choice(
        [n for n, one in enumerate(calls) if one.tool in LOOKUPS and one.tool not in {c.tool for c in calls[:n]}]
    )
    gone = {"status": "outside_pack", "observation": OUTSIDE, "complete": False}
    return Script([*calls[:at], replace(calls[at], returns=gone)], guess(rng, question))


def numeral(rng: Random, question: Any, box: Toolbox) -> Script | None:
    """Another number, or day, in the answer."""
    keys = [
        key
        for key in question.gold.keys
        if (NUMERAL.fullmatch(key) or DATE.fullmatch(key)) and key in question.gold.answer
    ]
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
        rows = list(
            zip(
                whole if isinstance(whole, list) else [whole],
                asked if isinstance(asked, list) else [asked],
                strict=True,
            )
        )
        rng.shuffle(rows)
        for row, shown in rows:
            for wanted, value in shown.items():
                key = next(
                    (
                        one
                        for one in question.gold.keys
                        if str(value) == one
                        or (
                            one.endswith("元")
                            and kind_of(value) == "number"
                            and one.startswith(f"{float(value):.2f}" if re.fullmatch("[0-9.]+", str(value)) else "x")
                        )
                    ),
                    None,
                )
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
                columns = (
                    [*columns, other] if rng.random() < 0.5 else [other if one == wanted else one for one in columns]
                )
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
    places = [
        n
        for n, one in enumerate(calls)
        if one.tool in LOOKUPS and CASE.fullmatch(str(one.input.get("identifier", "")))
    ]
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
        yield Injected(
            "legalagentbench",
            "",
            "whole",
            question,
            _lab(question, Script(calls_of(question), question.gold.answer), box),
        )
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
