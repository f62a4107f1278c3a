"""How many needed articles stand among the k that a ranking gives: what a retriever of a writing task is worth.

Rankings of the corpus LegalArticle: its two keyword channels, both alike (what `legal_article_retriever` gives) and with words first, vectors
fitted to the corpus (the kind of ranking that upstream uses; its model is a closed service), and all three fused. Queries:
the phrases along the path of the authored complaints, and the facts of each complaint as they stand.

    python tests/bench/bench_retrievers.py [PACK ...]          moot data build sample --scale 1 --name s1
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from store.layout import text_index  # noqa: E402
from store.pack import Pack  # noqa: E402
from store.search import bigrams, vectors  # noqa: E402
from store.search.documents import DEPTH, _ranked, _words  # noqa: E402
from store.search.fusion import USUAL, fuse, fuse_weighted  # noqa: E402
from store.search.terms import folded, trigrams  # noqa: E402
from tasks.sample.writing import entries  # noqa: E402

CORPUS = "LegalArticle"
AT = (1, 5, 10, 50)
WORDS_FIRST = 5.0
Ranking = Callable[[str], Sequence[int]]


def rankings(pack: Pack, numbers: Sequence[int], texts: Sequence[str]) -> dict[str, Ranking]:
    """Row numbers of the corpus, best first, by way of ranking."""
    fitted = vectors.fit(bigrams.count([([folded(text) for text in texts], 1.0)]))
    assert fitted is not None, "the corpus has texts that share words"
    vectoriser, rows = fitted

    def trigram(query: str) -> list[int]:
        return _ranked(pack, text_index("trigram", CORPUS), trigrams(folded(query)), DEPTH)

    def words(query: str) -> list[int]:
        return _ranked(pack, text_index("words", CORPUS), _words(pack, folded(query)), DEPTH)

    def dense(query: str) -> list[int]:
        near = rows @ vectoriser.vector([(bigrams.distinct(folded(query)), 1.0)])
        return [numbers[at] for at in np.argsort(-near, kind="stable")[:DEPTH]]

    def fused(*ways: Ranking) -> Ranking:
        return lambda query: [number for number, _ in fuse([way(query) for way in ways])]

    def words_first(query: str) -> list[int]:
        ways = {"trigram": trigram(query), "words": words(query)}
        return [number for number, _ in fuse_weighted(ways, {"words": WORDS_FIRST}, USUAL)]

    return {
        "three characters": trigram, "words": words, "both (the tool)": fused(trigram, words), "words first": words_first,
        "vectors": dense, "all three": fused(trigram, words, dense),
    }  # fmt: skip


def asked() -> dict[str, list[tuple[str, list[str]]]]:
    """Queries with the articles that each needs, by kind of query."""
    phrases = [(group[0], list(group[1:])) for entry in entries() for group in entry["cite"]]
    facts = [
        (entry["facts"], [article for group in entry["cite"] for article in group[1:]])
        for entry in entries()
        if entry["cite"]
    ]
    return {"phrases of the path": phrases, "facts of the complaint": facts}


def main() -> None:
    """A line a pack, kind of query and ranking: share of the needed articles among the best k."""
    for name in sys.argv[1:] or ["sample"]:
        with Pack.open(name) as pack:
            found = pack.reader.all("SELECT number, text FROM document WHERE corpus = ? ORDER BY number", (CORPUS,))
            texts = dict(found)
            ways = rankings(pack, list(texts), list(texts.values()))
            for kind, queries in asked().items():
                for way, ranked in ways.items():
                    ranks: list[int] = []
                    for query, needed in queries:
                        given = [texts[number] for number in ranked(query)]
                        ranks += [
                            next((at for at, text in enumerate(given) if text.startswith(f"{article}：")), DEPTH)
                            for article in needed
                        ]
                    shares = "  ".join(f"R@{k} {sum(rank < k for rank in ranks) / len(ranks):.2f}" for k in AT)
                    print(f"{name:8} {len(texts):6} articles  {kind:24} {way:18} n {len(ranks):3}  {shares}")


if __name__ == "__main__":
    main()
