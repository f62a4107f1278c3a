"""How many needed articles stand among the k that a ranking gives: what a retriever of a writing task is worth.

Rankings of the corpus LegalArticle: its two keyword channels, both together as `legal_article_retriever` ranks them
under each setting
`ranking`, vectors fitted to the corpus (the kind of ranking that upstream uses; its model is a closed service), and
all three fused. Queries: the phrases along the path of the authored complaints, and the facts of each complaint as
they stand.

    python tests/bench/bench_retrievers.py [PACK ...]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from store.pack import Pack  # noqa: E402
from store.search import bigrams, search_documents, vectors  # noqa: E402
from store.search.documents import DEPTH, channels  # noqa: E402
from store.search.fusion import fuse  # noqa: E402
from store.search.terms import folded  # noqa: E402
from tasks.legalagentbench.construct.writing import complaints  # noqa: E402
from tasks.legalagentbench.tools import RANKINGS  # noqa: E402

CORPUS = "LegalArticle"
AT = (1, 5, 10, 50)
Ranking = Callable[[str], Sequence[int]]


def rankings(pack: Pack, numbers: Sequence[int], texts: Sequence[str]) -> dict[str, Ranking]:
    """Row numbers of the corpus, best first, by way of ranking."""
    fitted = vectors.fit(bigrams.count([([folded(text) for text in texts], 1.0)]))
    assert fitted is not None, "the corpus has texts that share words"
    vectoriser, rows = fitted

    def keyword(query: str) -> dict[str, list[int]]:
        return channels(pack, CORPUS, folded(query), DEPTH)

    def tool(weights: Mapping[str, float]) -> Ranking:
        return lambda query: [one.number for one in search_documents(pack, CORPUS, query, DEPTH, weights)]

    def dense(query: str) -> list[int]:
        near = rows @ vectoriser.vector([(bigrams.distinct(folded(query)), 1.0)])
        return [numbers[at] for at in np.argsort(-near, kind="stable")[:DEPTH]]

    return {
        "three characters": lambda query: keyword(query)["trigram"],
        "words alone": lambda query: keyword(query)["words"],
        **{f"ranking {name}": tool(weights) for name, weights in RANKINGS.items()},
        "vectors": dense,
        "all three": lambda query: [number for number, _ in fuse([*keyword(query).values(), dense(query)])],
    }


def asked() -> dict[str, list[tuple[str, list[str]]]]:
    """Queries with the articles that each needs, by kind of query."""
    phrases = [(group[0], list(group[1:])) for entry in complaints() for group in entry["cite"]]
    facts = [
        (entry["facts"], [article for group in entry["cite"] for article in group[1:]])
        for entry in complaints()
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
