"""Ways in which attempts at LegalSearch fail, put into episodes that the rules solved over the fictional statutes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from store.journal import ScoreRow
from store.pack import Pack
from store.statutes.model import ArticleNumber
from tasks.benchmark import benchmark
from tasks.episode.events import (
    ToolCalled,
    ToolReturned,
)
from tasks.episode.seats import CausedEvent
from tasks.episode.state import State
from tasks.legalsearch.benchmark import toolbox_of
from tasks.legalsearch.coverage import Coverage
from tasks.run.spec import RunSpec
from tasks.scoring.result import ScoreContext
from tests.support.injected import MANY, Call, Injected, Refused, Script, Writer, played


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
    return (
        rng.choice(("敲诈勒索", "危险驾驶", "寻衅滋事"))
        if form == "charges"
        else "行政机关应当公开办事程序，并为公民提供便利。"
    )


def older(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    """A recital in the words of another version; retrieved as well, or from memory."""
    if question.kind.form != "article":
        return None
    texts = [
        one for one in stage.coverage(question) if not one.applies and one.text and one.text != question.gold.answer
    ]
    if not texts:
        return None
    chosen = rng.choice(texts)
    if rng.random() < 0.5:
        return Script(calls, chosen.text)
    version = next(
        v
        for law in stage.toolbox.search.book.laws()
        for v in stage.toolbox.search.book.versions(law.name)
        if v.label == chosen.label
    )  # type: ignore[union-attr]
    cited = re.search("《.+?》第.+?条(?:之.)?", question.text)
    if version.valid_from is None or cited is None:
        return None
    day = version.valid_from
    return Script(
        [Call("rag_retrieve", {"query": [f"{day.year}年{day.month}月{day.day}日有效的{cited[0]}"]})], chosen.text
    )


def other_time(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    """The article is looked up as of another day, when it read differently, and the answer follows that."""
    if question.kind.form != "letters" or not question.gold.basis:
        return None
    law, number, day = question.gold.basis[0]
    book = stage.toolbox.search.book  # type: ignore[union-attr]
    others = [
        v
        for v in book.versions(law)
        if v.valid_from and (v.valid_from.isoformat() > day or (v.valid_to and v.valid_to.isoformat() < day))
    ]
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
        none = [
            one
            for one, text in question.options.items()
            if text.startswith("以上") and one not in question.gold.answer
        ]
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


def elsewhere(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    """Looked for in the wrong place."""
    query = rng.choice(("岚洲路灯的高度", "养鱼的行政许可", "档案馆的开放时间"))
    return (
        Script([Call("rag_retrieve", {"query": [query]})], wrong(rng, question))
        if question.kind.form != "article"
        else None
    )


def no_query(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    given: Any = rng.choice(({"query": 5}, {"queries": ["时效"]}, "时效", {"query": []}))
    return Script([Call("rag_retrieve", given)], wrong(rng, question)) if question.kind.form != "article" else None


def no_tool(rng: Random, question: Any, calls: Sequence[Call], answer: str, stage: LawStage) -> Script | None:
    wanted = rng.choice(("law_search", "get_article", "search_statute"))
    return (
        Script([Call(wanted, {"query": ["时效"]})], wrong(rng, question)) if question.kind.form != "article" else None
    )


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
                calls = [
                    Call(one.tool, one.input)
                    for one in (r.event for r in state.records)
                    if isinstance(one, ToolCalled)
                ]
                script = maker(rng, question, calls, state.answered.res if state.answered else "", stage)
                if script is not None and made * len(makers) < many:
                    made += 1
                    yield Injected("legalsearch", expected, maker.__name__, question, *stage.play(question, script))
