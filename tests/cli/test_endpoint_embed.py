"""A pack with the vectors of a server's model: the server is found again, and no other model answers for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from app import hosts
from store import manifest as manifests
from store.pack import Pack
from store.search.reembedding import BATCH
from tests.models.test_endpoint_embedding import embeddings, send, vector
from tests.support.fake_endpoint import MODEL, FakeServer, fake_server
from tests.support.statute_fixture import build
from tests.support.typed import moot

QUESTION = "路灯的高度"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with fake_server() as running:
        running.chat = embeddings(cut=1900)
        build("lamps")
        yield running


def embed(server: FakeServer, *more: str) -> tuple[int, str, str]:
    return moot("data", "embed", "lamps", "--model", f"endpoint:{server.url}", *more)


def test_a_pack_is_searched_with_the_server_that_embedded_it(server: FakeServer) -> None:
    code, said, error = embed(server, "--json")
    assert code == 0, error
    recorded = {"kind": "endpoint", "url": f"{server.url}/v1", "model": MODEL, "longest": 500, "dimensions": 6}
    assert json.loads(said)["embedder"] == recorded
    sent = [body["input"] for path, _, body in server.seen if path.endswith("/embeddings")]
    assert len(sent[-1]) == 26 <= BATCH and [len(texts) for texts in sent[:-1]] == [2, 2], "a batch is one request"
    found = moot("law", "search", QUESTION, "--pack", "lamps", "--json").data
    assert any("dense" in hit["ranks"] for hit in found["hits"])
    assert [body["input"] for path, _, body in server.seen if path.endswith("/embeddings")][len(sent) :] == [
        [QUESTION]
    ]
    found = moot("law", "search", QUESTION * 101, "--pack", "lamps", "--json").data
    assert found["hits"] and "long_query" in found["notes"]


def test_no_other_model_answers_for_the_one_that_embedded_it(server: FakeServer) -> None:
    assert embed(server)[0] == 0
    server.lists("other-model")
    code, said, error = moot("law", "search", QUESTION, "--pack", "lamps")
    assert (code, said) == (1, "") and f"no model '{MODEL}'" in error and error.count("\n") == 1
    server.lists("other-model", owned_by="llamacpp")
    code, said, error = moot("law", "search", QUESTION, "--pack", "lamps")
    assert (code, said) == (1, "") and f"embedded with '{MODEL}', and the server has 'other-model'" in error
    server.lists(MODEL)
    server.chat = lambda call: send(call, [[1.0] * 7 for _ in call.body["input"]])
    code, said, error = moot("law", "search", QUESTION, "--pack", "lamps")
    assert (code, said) == (1, "") and "have 6 dimensions, the model gives 7" in error


def test_a_server_that_is_gone_leaves_the_other_channels(server: FakeServer) -> None:
    assert embed(server)[0] == 0
    server.http.server_close()
    found = moot("law", "search", QUESTION, "--pack", "lamps", "--json").data
    assert found["hits"] and "no_dense" in found["notes"]


def test_a_dimension_that_changes_in_mid_run_leaves_the_pack_as_it_was(server: FakeServer) -> None:
    counts = iter(range(100))
    server.chat = lambda call: send(call, [vector(text) + [1.0] * (next(counts) > 2) for text in call.body["input"]])
    code, said, error = embed(server)
    assert (code, said) == (1, "") and "one vector of one length" in error and error.count("\n") == 1
    with Pack.open("lamps", verify=True) as pack:
        assert (pack.manifest.embedder or {})["kind"] == "lsa"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("endpoint:http://192.0.2.7/v1#m", "Allow it with `moot config hosts allow 192.0.2.7`."),
        ("endpoint:nowhere", "is no address of a server"),
        ("endpoint:http://127.0.0.1:9/v1#m", "no server answers"),
    ],
)
def test_a_server_that_may_not_be_asked_is_one_sentence(server: FakeServer, spec: str, said: str) -> None:
    code, out, error = moot("data", "embed", "lamps", "--model", spec)
    assert code in (1, 2) and not out and said in error and error.count("\n") == 1


def test_hosts_are_allowed_by_name(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.endpoint_server.is_near", lambda host: False)
    code, said, error = embed(server)
    assert (code, said) == (2, "") and "nobody allowed it" in error and server.seen == []
    hosts.allow("127.0.0.1")
    assert embed(server)[0] == 0
    for revoke, noted in ((False, False), (True, True)):
        if revoke:
            hosts.revoke("127.0.0.1")
        found = moot("law", "search", QUESTION, "--pack", "lamps", "--json").data
        assert found["hits"] and ("no_dense" in found["notes"]) == noted


@pytest.mark.parametrize("facts", [{"url": "nowhere"}, {"longest": "x"}, {"model": 5}])
def test_a_record_of_somebody_else_is_a_sentence_or_works(server: FakeServer, facts: dict[str, Any]) -> None:
    assert embed(server)[0] == 0
    with Pack.open("lamps") as pack:
        manifest, folder = pack.manifest, pack.path
    assert manifest.embedder is not None
    manifests.write(folder, manifest.model_copy(update={"embedder": manifest.embedder | facts}))
    code, _, error = moot("law", "search", QUESTION, "--pack", "lamps")
    assert (code, error.count("\n")) == ((0, 0) if "longest" in facts else (1, 1))
