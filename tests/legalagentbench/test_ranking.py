"""How the retrievers of a run rank: another order, kept in the record, the same after a resume and in a fork, refused
in a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from store.builder import PackBuilder
from store.journal import Journal
from store.pack import Pack
from tasks.legalagentbench.tools import Toolbox
from tasks.run.reading import read_episode
from tasks.run.runner import fork_run, resume_run, start_run
from tasks.run.spec import RunSpec
from tests.support.typed import moot

LETTERS = "虚构法第一条：张三把货物交给李四以后李四一直没有付钱。"
WORDS = "虚构法第二条：买受人应当支付价款，逾期支付的应当承担违约责任，货物交付以后风险转移。"
QUERY = "张三把货物交给李四以后，李四逾期不支付价款，应承担什么违约责任"
TASK = {"id": 1, "question": "？", "answer": "a", "key": ["a"], "key_middle": [], "type": "1-1", "way": "x"}
CALL = f'/legal_article_retriever {{"identifier": "{QUERY}", "k": 2}}'
ORDER = {"hybrid": [LETTERS, WORDS], "words": [WORDS, LETTERS]}


@pytest.fixture
def spec(moot_home: Path) -> RunSpec:
    with PackBuilder(
        "two", jurisdiction="虚构法域", source="t", licence="MIT", coverage="complete", as_of=""
    ) as pack:
        for corpus in ("LegalArticle", "LegalKnowledge", "LegalCases"):
            for text in (LETTERS, WORDS):
                pack.add_document(corpus, text, "authored")
    tasks = moot_home / "tasks.json"
    tasks.write_text(json.dumps([TASK], ensure_ascii=False), "utf-8")
    return RunSpec(benchmark="legalagentbench", agent="human", pack="two", tasks=str(tasks))


def given(path: Path) -> list[Any]:
    """What the tools of a run returned."""
    with Journal.open(path) as journal:
        return [r.event.value for r in read_episode(journal, "1") if r.event.tag == "tool_returned"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["article", "knowledge", "case"])
def test_each_retriever_takes_the_ranking(spec: RunSpec, kind: str) -> None:
    with Pack.open("two") as pack:
        for ranking in ("hybrid", "words"):
            called = Toolbox(pack, ranking=ranking).call(f"legal_{kind}_retriever", {"identifier": QUERY, "k": 2})
            assert called.value == ORDER[ranking]
        assert Toolbox(pack).call(f"legal_{kind}_retriever", {"identifier": QUERY, "k": 1}).value == [LETTERS]


@pytest.mark.parametrize("ranking", ["", "words"])
def test_a_run_keeps_its_ranking_when_it_goes_on_and_when_it_is_forked(spec: RunSpec, ranking: str) -> None:
    order = ORDER[ranking or "hybrid"]
    with start_run(spec.having(ranking=ranking) if ranking else spec) as run:
        path = run.journal.path
        run.scheduler.step("1")
        run.scheduler.answer("1", CALL)
    with Journal.open(path) as journal:
        assert journal.header["spec"]["ranking"] == (ranking or "hybrid")
    with resume_run(path) as run:
        run.scheduler.step("1")
        run.scheduler.answer("1", CALL)
    assert given(path) == [order, order]
    with fork_run(path, "1", 1) as run:
        fork = run.journal.path
        run.scheduler.step("1")
        run.scheduler.answer("1", CALL)
    assert given(fork) == [order, order]


def test_another_ranking_is_refused_in_a_sentence(spec: RunSpec, moot_home: Path, tmp_path: Path) -> None:
    done = moot(
        "run", "legalagentbench", "--pack", "two", "--tasks", spec.tasks, "--agent", "echo", "--ranking", "best"
    )
    assert done.code == 2 and all(word in done.err for word in ("best", "hybrid", "words"))
    assert len(done.err.strip().splitlines()) == 1 and not list(moot_home.rglob("*.moot"))
    with start_run(spec) as run, Journal.open(run.journal.path) as journal:
        header, episodes = journal.header, journal.episodes()
    header["spec"]["ranking"] = "best"
    Journal.create(tmp_path / "odd.moot", header, episodes).close()
    done = moot("resume", tmp_path / "odd.moot")
    assert done.code == 1 and "ranking" in done.err and "hybrid" in done.err
    assert len(done.err.strip().splitlines()) == 1
