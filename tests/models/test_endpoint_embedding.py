"""Vectors from servers: those that refuse what is too long, those that cut it in silence, those that give none."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from models.endpoint_embedding import EndpointEmbedder
from models.engine import EngineError
from models.errors import BadEngine, ForeignHost
from models.specs import Opening
from store.errors import MootError, TextTooLong
from tests.support.fake_endpoint import MODEL, Call, FakeServer

Answer = Callable[[Call, list[str]], None]


@pytest.fixture
def server(server: FakeServer) -> FakeServer:
    server.chat = embeddings()
    return server


def vector(text: str) -> list[float]:
    return [1.0, *(float(text.count(character)) for character in "路灯甲鱼合")]


def send(call: Call, rows: list[Any], **more: Any) -> None:
    data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
    call.send(json.dumps({"object": "list", "data": data, **more}).encode(), kind="application/json")


def embeddings(*, cut: int = 10_000, takes: int = 10_000, refusal: str = "", answer: Answer | None = None) -> Any:
    """A server that reads `cut` characters of a text and refuses a text of more than it `takes`."""

    def respond(call: Call) -> None:
        texts: list[str] = call.body["input"]
        assert call.handler.path == "/v1/embeddings" and call.body["model"] == MODEL
        if max(map(len, texts)) > takes:
            return call.refuse(400, refusal)
        if answer is not None and "坏" in texts[0]:
            return answer(call, texts)
        return send(call, [vector(text[:cut]) for text in texts])

    return respond


def opened(server: FakeServer, **more: Any) -> EndpointEmbedder:
    return EndpointEmbedder(Opening(server.spec), **more)


def test_a_batch_is_one_request_and_rows_follow_their_index(server: FakeServer) -> None:
    model = opened(server)
    server.seen.clear()

    def backwards(call: Call) -> None:
        data = [{"index": place, "embedding": vector(text)} for place, text in enumerate(call.body["input"])]
        call.send(json.dumps({"data": data[::-1]}).encode(), kind="application/json")

    server.chat = backwards
    texts = ["路灯", "甲", "", "合同"]
    assert (model(texts) == np.array([vector(text) for text in texts])).all()
    assert [body["input"] for _, _, body in server.seen] == [["路灯", "甲", " ", "合同"]]
    assert (model.url, model.model, model.longest) == (f"{server.url}/v1", MODEL, 2000)


TOO_LONG = "the input length exceeds the context length"


def test_a_server_that_refuses_long_texts_may_be_sent_any(server: FakeServer) -> None:
    server.chat = embeddings(takes=300, refusal=TOO_LONG)
    model = opened(server)
    assert model(["合" * 300])[0, -1] == 300
    for length in (301, 2001):
        with pytest.raises(TextTooLong):
            model(["合", "合" * length])
    with pytest.raises(TextTooLong):
        model(["合" * 400])
    server.seen.clear()
    with pytest.raises(TextTooLong):
        model(["合" * 400])
    assert server.seen == [] and model.longest == 399, "what was refused alone is not sent again"


@pytest.mark.parametrize(
    ("server_like", "longest"),
    [
        ({}, 2000),
        ({"cut": 512}, 250),
        ({"cut": 1999}, 500),
        ({"takes": 600, "refusal": "nein"}, 125),
    ],
)
def test_what_a_server_reads_in_silence_is_found_out(
    server: FakeServer, server_like: dict[str, Any], longest: int
) -> None:
    server.chat = embeddings(**server_like)
    model = opened(server)
    assert model.longest == longest
    model(["合" * longest])
    with pytest.raises(TextTooLong, match=f"takes {longest}"):
        model(["合" * (longest + 1)])


def test_what_was_found_out_is_not_tried_again(server: FakeServer) -> None:
    model = opened(server, longest=40)
    assert not [path for path, _, _ in server.seen if path.endswith("/embeddings")]
    with pytest.raises(TextTooLong):
        model(["合" * 41])


BAD: dict[str, tuple[Answer, str]] = {
    "a vector less": (lambda call, texts: send(call, [[1.0] * 6] * (len(texts) - 1)), "one vector of one length"),
    "a vector more": (lambda call, texts: send(call, [[1.0] * 6] * (len(texts) + 1)), "one vector of one length"),
    "NaN": (lambda call, texts: send(call, [[float("nan")] * 6] * len(texts)), "one vector of one length"),
    "another dimension": (lambda call, texts: send(call, [[1.0] * 7] * len(texts)), "one vector of one length"),
    "two dimensions": (lambda call, texts: send(call, [[1.0] * 6, [1.0] * 5]), "one vector of one length"),
    "words": (lambda call, texts: send(call, ["AAAA"] * len(texts)), "one vector of one length"),
    "no list": (lambda call, texts: call.send(b'{"data": 5}', kind="application/json"), "one vector of one length"),
    "a page": (lambda call, texts: call.send(b"<html>", kind="text/html"), "one vector of one length"),
    "an error with status 200": (
        lambda call, texts: call.send(b'{"error": {"message": "out of memory"}}', kind="application/json"),
        "answered with an error: out of memory",
    ),
    "a failure": (lambda call, texts: call.refuse(500, "broken"), "failed \\(500\\): broken"),
    "too long after all": (lambda call, texts: call.refuse(400, TOO_LONG), "too long for"),
    "too long with status 200": (
        lambda call, texts: call.send(json.dumps({"error": {"message": TOO_LONG}}).encode(), kind="application/json"),
        "too long for",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_vector_is_one_sentence(server: FakeServer, kind: str) -> None:
    answer, said = BAD[kind]
    server.chat = embeddings(answer=answer)
    model = opened(server)
    model(["合", "同"])
    with pytest.raises(MootError, match=said):
        model(["坏", "合"])
    assert model(["合"]).shape == (1, 6)


WITHOUT = (
    (501, "This server does not support embeddings. Start it with `--embeddings`"),
    (501, "this model does not support embeddings"),
    (404, "Not Found"),
    (400, "Pooling type 'none' is not OAI compatible. Please use a different pooling type"),
    (400, "The model does not support Embeddings API"),
    (500, "Llama model must be created with embedding=True to call this method"),
)


def test_a_server_without_embeddings_is_one_sentence(server: FakeServer) -> None:
    for status, words in WITHOUT:
        server.chat = lambda call, status=status, words=words: call.refuse(status, words)
        with pytest.raises(BadEngine, match=f"gives no embeddings of '{MODEL}'") as found:
            opened(server, force=True)
        assert words in found.value.title


def test_a_chat_model_is_refused_by_name_unless_forced(server: FakeServer) -> None:
    server.chat = lambda call: send(call, [[vector(text), vector("路灯")] for text in call.body["input"]])
    with pytest.raises(BadEngine, match=f"'{MODEL}' is a chat model"):
        opened(server)
    assert opened(server, force=True, longest=9)(["合"]).tolist() == [[1.0, 0.5, 0.5, 0.0, 0.0, 0.5]]


def test_a_server_that_gives_all_texts_one_vector_is_refused(server: FakeServer) -> None:
    server.chat = lambda call: send(call, [[1.0, 2.0]] * len(call.body["input"]))
    with pytest.raises(EngineError, match="texts that differ one vector"):
        opened(server)


def test_who_is_asked_is_checked_before_anything_is_sent(server: FakeServer) -> None:
    with pytest.raises(ForeignHost):
        EndpointEmbedder(Opening("http://192.0.2.7/v1#m"))
    with pytest.raises(BadEngine, match="no model 'other'"):
        EndpointEmbedder(Opening(f"{server.url}#other"))
    assert not [path for path, _, _ in server.seen if path.endswith("/embeddings")]
