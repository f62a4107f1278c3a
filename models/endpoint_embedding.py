"""Vectors of texts from an OpenAI-compatible server: its `/embeddings`, one request for a batch of texts.

Some servers refuse a text that is longer than the model reads (llama-server, vLLM, TEI), others cut it and say
nothing (Ollama, LM Studio, llama-cpp-python). So at first two long texts are sent that differ in their endings alone:
a server that gives both one vector cuts, and is sent texts of half the length that it was seen to read. Lengths are
characters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from models.endpoint_server import Refusal, connect, facts_of
from models.endpoint_wire import RequestRefused, is_overflow
from models.engine import EngineError
from models.errors import BadEngine, chat_model
from models.specs import Opening
from store.errors import TextTooLong

LONGEST = 2000
"""Of a text that is sent whole."""
SIZES = (LONGEST, 1000, 500, 250, 125, 60)
"""Of texts that are sent first; any embedding model must read the last to its end."""
PROBE, ENDINGS = "当事人应当全面履行各自的义务。", ("路灯", "甲鱼")
SAME = 0.9999
"""Cosine from which on two vectors are taken for one: batches move the last digits."""
LOG = "See the server's own log."
WITHOUT = (404, 405, 501)
WORDS = re.compile("embedding|pooling", re.IGNORECASE)
"""Statuses and words of servers that have no embeddings, or none of this model."""


class EndpointEmbedder:
    """Texts to vectors, by a model of a server. longest: of a text that the server reads to its end, 0 to find out;
    force: take the mean where the model gives a vector for each token, as chat models do.

    Raises:
        BadEngine: the SPEC is wrong, or the server does not have the model, or it is no embedding model.
        ForeignHost: the host is not allowed.
        EngineError: nobody answers, or not as an OpenAI-compatible server does.
    """

    def __init__(self, opening: Opening, *, force: bool = False, longest: int = 0) -> None:
        self._server = connect(opening)
        self.url = self._server.address.base
        self.model = str(facts_of(self._server)[1]["id"])
        """As the server lists it: llama-server answers to any name."""
        self._force, self._width = force, 0
        self.longest = longest or 2 * LONGEST
        self.longest = longest or self._reads()

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row for each text.

        Raises:
            TextTooLong: the server does not read one of them to its end.
            EngineError: it gives no vectors, or not one of the same length for each text.
        """
        if (most := max(map(len, texts), default=0)) > self.longest:
            raise TextTooLong(f"a text has {most} characters, '{self.model}' takes {self.longest}; shorten it")
        body = {"model": self.model, "input": [text or " " for text in texts]}
        answer = self._server.post(f"{self.url}/embeddings", body, self._server.silence)
        if isinstance(answer, Refusal):
            raise self._error(answer, texts)
        data = answer.get("data") if isinstance(answer, Mapping) else None
        try:
            found = {one["index"]: np.asarray(one["embedding"], np.float32) for one in data or ()}
            rows = [found.pop(place) for place in range(len(texts))]
        except (KeyError, ValueError, TypeError):
            found, rows = {}, []
        if any(row.ndim == 2 for row in rows):
            if not self._force:
                raise chat_model(self.model)
            rows = [row.mean(axis=0) for row in rows]
        width = self._width or (rows[0].size if rows else 0)
        fits = rows and not found and width and all(row.shape == (width,) for row in rows)
        if not fits or not np.isfinite(rows).all():
            raise EngineError(f"the server at {self.url} does not give each text one vector of one length", LOG)
        self._width = width
        return np.stack(rows)

    def _error(self, refusal: Refusal, texts: Sequence[str]) -> Exception:
        if is_overflow(refusal.text):
            if len(texts) == 1:  # as long ones need no request of their own
                self.longest = len(texts[0]) - 1
            return TextTooLong(f"a text is too long for '{self.model}': {refusal.text}")
        if refusal.status in WITHOUT or WORDS.search(refusal.text):
            return BadEngine(
                f"the server at {self.url} gives no embeddings of '{self.model}': {refusal.text}",
                "Start it with an embedding model (llama-server: --embeddings).",
            )
        return self._server.error(refusal)

    def _reads(self) -> int:
        """The longest text that is sent whole; a server that refuses what is too long does not cut."""
        failure = EngineError(f"the server at {self.url} gives texts that differ one vector", LOG)
        for size in SIZES:
            start = (PROBE * size)[:size]
            try:
                first, second = self([start + ending * (size // 8) for ending in ENDINGS])
                if first @ second < SAME * np.linalg.norm(first) * np.linalg.norm(second):
                    return size if size == LONGEST else size // 2
            except TextTooLong:
                return LONGEST
            except RequestRefused as error:
                failure = error
        raise failure
