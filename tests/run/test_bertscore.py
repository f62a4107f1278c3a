"""BERTScore: the published formula by another way, token vectors of llama.cpp, and `moot score --scorer
bertscore`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.llama.embedder import Embedder, Tokens
from store.journal import Journal
from tasks.benchmark import benchmark
from tasks.errors import UsageError
from tasks.legalsearch.settings import KINDS
from tasks.run.bertscoring import score_texts
from tasks.run.imported import Sources, read_run, save_run
from tasks.run.listing import read_run as listed
from tasks.run.rescoring import read_stored, summary_of
from tasks.scoring.bertscore import NONE, BertScore, bertscore
from tests.legalsearch.test_rollouts import question
from tests.support.gguf_files import tiny_bert
from tests.support.typed import moot

pytestmark = pytest.mark.slow

# --- the formula ----------------------------------------------------------------------------------------------------


def published(
    candidate: list[list[float]], reference: list[list[float]], weights: tuple[list[float], list[float]]
) -> tuple[float, float, float]:
    """Equations of section 3 of the paper, and what the program does with special tokens, one number at a time."""

    def cosine(a: list[float], b: list[float]) -> float:
        return sum(x * y for x, y in zip(a, b, strict=True)) / (math.hypot(*a) * math.hypot(*b))

    def mean(ours: list[list[float]], theirs: list[list[float]], weight: list[float]) -> float:
        best = [max(cosine(one, other) for other in theirs) for one in ours]
        return sum(w * value for w, value in zip(weight, best, strict=True)) / sum(weight)

    precision, recall = mean(candidate, reference, weights[0]), mean(reference, candidate, weights[1])
    return precision, recall, 2 * precision * recall / (precision + recall)


def text(seed: int, ids: list[int], width: int = 5) -> Tokens:
    """A text between two special tokens, with vectors drawn from a seed."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(0.3, 1, (len(ids) + 2, width)).astype(np.float32)
    return Tokens((1, *ids, 2), (True, *(False for _ in ids), True), False, vectors)


IDS = st.lists(st.integers(10, 16), min_size=1, max_size=9)


@given(IDS, IDS, st.integers(0, 1 << 30))
def test_it_is_the_published_formula(first: list[int], second: list[int], seed: int) -> None:
    candidate, reference = text(seed, first), text(seed + 1, second)
    weights = tuple([0.0 if special else 1.0 for special in one.special] for one in (candidate, reference))
    found = bertscore(candidate, reference)
    assert found is not None
    expected = published(candidate.vectors.tolist(), reference.vectors.tolist(), weights)  # type: ignore[arg-type]
    assert found[:2] == pytest.approx(expected[:2], rel=1e-6, abs=1e-9)
    assert found.f1 == pytest.approx(expected[2], rel=1e-5) or abs(sum(expected[:2])) < 1e-4


def test_special_tokens_weigh_nothing_and_can_be_met() -> None:
    vectors = np.eye(4, dtype=np.float32)
    candidate = Tokens((1, 9, 2), (True, False, True), False, vectors[[0, 1, 2]])
    reference = Tokens((1, 8, 2), (True, False, True), False, vectors[[1, 3, 2]])
    assert bertscore(candidate, reference) == BertScore(1.0, 0.0, 0.0), "the word is like the [CLS] of the other text"


def test_the_same_text_is_like_itself_and_an_empty_one_like_nothing() -> None:
    one, empty = text(3, [10, 11, 12]), Tokens((1, 2), (True, True), False, np.ones((2, 5), dtype=np.float32))
    assert bertscore(one, one) == pytest.approx(BertScore(1.0, 1.0, 1.0))
    assert bertscore(empty, one) == NONE and bertscore(one, empty) is None
    assert bertscore(Tokens((), (), False, np.zeros((0, 1), dtype=np.float32)), one) == NONE
    gone = Tokens(one.ids, one.special, False, np.zeros_like(one.vectors))
    assert bertscore(gone, one) == BertScore(0.0, 0.0, 0.0), "no vector has no direction"


def test_which_answers_are_texts() -> None:
    bench: Any = benchmark("legalsearch")
    golds = {"article": "第一条", "consultation": "可以", "letters": "A", "charges": "盗窃", "months": "12个月"}
    for kind, one in KINDS.items():
        asked, said = question(kind, golds[one.form]), _result("<think>想</think><answer>可以的</answer>")
        told = ("可以的", golds[one.form]) if one.form in ("article", "consultation") else ("", "")
        assert bench.texts(asked, said) == told


def _result(res: str) -> Any:
    from tasks.scoring.result import Result

    return Result("1", "finished", res, res)


# --- runs -----------------------------------------------------------------------------------------------------------

ANSWERS = ("甲公司的代码是688106。", "涉案两次", "判决驳回", "诉讼费由原告负担", "")
SAID = ("代码是688106", "涉案两次", "", "由原告负担诉讼费", "无参照")


def stored(folder: Path, *, failed: int = 0, answers: tuple[str, ...] = ANSWERS) -> Path:
    """A run of tasks with and without reference answers; the first `failed` of them ended in an error."""
    tasks = [
        {"id": n, "question": f"问{n}", "answer": answer, "key": ["答"], "hops": 1, "way": f"get_{'abcdef'[n]}"}
        for n, answer in enumerate(answers)
    ]
    said = [
        {"id": n, "res": "silence" if n < failed else text_, "summary": "silence"} for n, text_ in enumerate(SAID)
    ]
    (folder / "tasks.json").write_text(json.dumps(tasks), "utf-8")
    (folder / "said.json").write_text(json.dumps(said), "utf-8")
    sources = Sources("legalagentbench", folder / "tasks.json", folder / "said.json")
    return save_run(sources, read_run(sources), out=folder / "run.moot")


class Letters:
    """A model whose tokens are characters: a vector is a number of the character, whatever stands around it."""

    asked = 0

    def tokens(self, texts: Any) -> list[Tokens]:
        self.asked += len(texts)
        assert all(texts), "nobody embeds nothing"
        every = [(1, *map(ord, text), 2) for text in texts]
        return [Tokens(ids, self._special(ids), False, self._vectors(ids)) for ids in every]

    def _special(self, ids: tuple[int, ...]) -> tuple[bool, ...]:
        return tuple(one < 3 for one in ids)

    def _vectors(self, ids: tuple[int, ...]) -> Any:
        return np.array([np.random.default_rng(one).normal(0.5, 1, 6) for one in ids], dtype=np.float32)


MODEL = {"model": "m.gguf", "sha256": "7d" * 32}


def scores_in(path: Path) -> list[Any]:
    with Journal.open(path) as journal:
        return journal.scores()


def rows_of(path: Path) -> list[Any]:
    return [row for row in scores_in(path) if row.scorer == "bertscore"]


def test_a_run_is_scored_once_and_says_with_what(tmp_path: Path) -> None:
    path, model = stored(tmp_path, failed=1), Letters()
    told: list[tuple[int, int, int]] = []
    assert score_texts(read_stored(path), model, MODEL, "lin", lambda *n: told.append(n)) == 3
    assert told == [(3, 3, 3)]
    rows = rows_of(path)
    assert {row.author for row in rows} == {"lin"} and {row.version for row in rows} == {"bertscore/1"}
    assert [row.settings for row in rows] == [{**MODEL, "layer": "last", "idf": False, "rescale": None}] * 3
    assert rows[0].value == pytest.approx({"precision": 1.0, "recall": 1.0, "f1": 1.0})
    assert rows[1].value == {"precision": 0.0, "recall": 0.0, "f1": 0.0}, "nothing was answered"
    assert rows[2].evidence == [
        {"answer_tokens": 8, "reference_tokens": 8, "answer_cut": False, "reference_cut": False}
    ]
    before = model.asked
    assert score_texts(read_stored(path), model, MODEL, "lin") == 0 and model.asked == before
    line = listed(path)
    assert line.compat is not None and line.strict is not None, (
        "the rules count, though only words were compared so far"
    )
    summary = summary_of(read_stored(path))
    found = {row.measure.name: row for row in summary.section("added")}
    assert [found[f"bertscore_{part}"].n for part in ("precision", "recall", "f1")] == [3, 3, 3]
    assert found["bertscore_f1"].value == pytest.approx(sum(row.value["f1"] for row in rows) / 3)
    assert "m.gguf 7d7d7d7d7d7d" in found["bertscore_f1"].measure.label[1]
    block: Any = summary.block()
    assert block["added"]["bertscore_f1"]["version"] == "bertscore/1 m.gguf 7d7d7d7d7d7d"


def test_what_cannot_be_said_is_a_sentence(tmp_path: Path) -> None:
    nothing = read_stored(stored(tmp_path, answers=("",) * 5))
    with pytest.raises(UsageError, match="no task of this run has a reference answer"):
        score_texts(nothing, Letters(), MODEL, "")


# --- llama.cpp ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("llama_cpp")
    return tiny_bert(tmp_path_factory.mktemp("models") / "bert.gguf", context=24)


def test_tokens_of_llama_cpp_with_their_vectors(bert: Path) -> None:
    model = Embedder(bert, threads=1)
    try:
        short, other, again, long = model.tokens(["合同", "[SEP] 合", "合同", "合" * 60])
        whole = model(["合同"])[0]
        build = model.build()
    finally:
        model.close()
    assert len(short.ids) == 4 and short.special == (True, False, False, True) and not short.cut
    assert short.vectors.shape == (4, 64) and (short.vectors == again.vectors).all()
    assert np.allclose(_unit(short.vectors.mean(axis=0)), _unit(np.array(whole)), atol=1e-4), (
        "the mean is the pooled one"
    )
    assert sum(other.special) == 2, "the name of a special token in a text is text"
    assert long.cut and len(long.ids) == 24 and long.special[0] and long.special[-1] and sum(long.special) == 2
    assert build


def _unit(vector: Any) -> Any:
    return vector / np.linalg.norm(vector)


def test_a_run_is_scored_with_llama_cpp(bert: Path, tiny_gguf: Path, tmp_path: Path) -> None:
    path = stored(tmp_path, answers=("甲" * 60, *ANSWERS[1:]))
    before = scores_in(path)
    code, out, err = moot("score", path, "--scorer", "bertscore", "--model", bert, "--json")
    assert code == 0 and "1 texts are longer than the model takes" in err
    assert json.loads(out)["added"]["bertscore_f1"]["n"] == 4
    rows = rows_of(path)
    assert rows[0].evidence[0]["reference_cut"]
    assert rows[1].value == pytest.approx({"precision": 1.0, "recall": 1.0, "f1": 1.0}, abs=1e-6)
    assert len(rows[0].settings["sha256"]) == 64 and rows[0].settings["llama-cpp-python"]
    appended = scores_in(path)[len(before) :]
    assert {row.scorer for row in appended} == {"bertscore"}, "only what was asked for"
    code, out, err = moot("score", path, "--scorer", "bertscore", "--model", bert)
    assert code == 0 and "appended 0 scores" in err and "BERTScore F1" in out and "不可比" in out
    moot("models", "add", bert, "--name", "b")
    code, _, err = moot("score", path, "--scorer", "bertscore", "--scorer", "strict", "--model", "llama:b")
    assert code == 0 and "appended 5 scores" in err
    before = scores_in(path)
    code, out, err = moot("score", path, "--scorer", "bertscore", "--model", tiny_gguf)
    assert (code, out) == (2, "") and f"'{tiny_gguf.name}' is a chat model" in err and scores_in(path) == before
    code, _, err = moot("score", path, "--scorer", "bertscore", "--model", tiny_gguf, "--force")
    assert code == 0 and "appended 4 scores" in err


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--scorer", "bertscore"), 2, "needs an embedding model"),
        (("--model", "x.gguf"), 2, "belongs to bertscore"),
        (("--scorer", "bertscore", "--model", "nobody"), 2, "No model 'nobody'"),
        (("--scorer", "bertscore", "--model", "endpoint:http://127.0.0.1:9"), 2, "an endpoint gives none"),
    ],
)  # fmt: skip
def test_mistakes_are_one_sentence(tmp_path: Path, arguments: tuple[str, ...], code: int, says: str) -> None:
    path = stored(tmp_path)
    before = scores_in(path)
    ended, out, err = moot("score", path, *arguments)
    assert (ended, out) == (code, "") and says in err and err.count("\n") == 1
    assert scores_in(path) == before
