"""llama.cpp's own reading of a grammar, in a process of its own: a line of JSON in, a line of JSON out.

{"grammar", "accept": [texts]} tells which texts the grammar accepts; {"grammar", "samples", "seed"} draws as many
replies from random numbers, as a model without any training would write them.
"""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any

import llama_cpp as lib
import numpy as np

from models.llama.native import Wellformed

CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class Box:
    """A vocabulary, and one grammar at a time."""

    def __init__(self, path: str) -> None:
        self._quiet = lib.llama_log_callback(lambda *_: None)
        lib.llama_log_set(self._quiet, ctypes.c_void_p(0))
        settings = lib.llama_model_default_params()
        settings.vocab_only = True
        self.model = lib.llama_model_load_from_file(path.encode(), settings)
        self.vocab = lib.llama_model_get_vocab(self.model)
        self.size = lib.llama_vocab_n_tokens(self.vocab)
        every = range(self.size)
        self.pieces = [self.piece(token) for token in every]
        control = [token for token in every if lib.llama_vocab_is_control(self.vocab, token)]
        self.ends = {token for token in every if lib.llama_vocab_is_eog(self.vocab, token)}
        self.wellformed = Wellformed(self.pieces, set(control) - self.ends)
        letters = [token for token in every if len(self.pieces[token]) == 1 and token not in self.ends]
        self.ascii = np.array(letters, dtype=np.int32)
        self.letters = {piece: token for token, piece in reversed(list(enumerate(self.pieces)))}

    def piece(self, token: int) -> bytes:
        buffer = ctypes.create_string_buffer(512)
        length = lib.llama_token_to_piece(self.vocab, token, buffer, 512, 0, True)
        return buffer.raw[: max(0, length)]

    def serve(self, order: dict[str, Any]) -> dict[str, Any]:
        grammar = lib.llama_sampler_init_grammar(self.vocab, order["grammar"].encode(), b"root")
        if not grammar:
            return {"loaded": False}
        rng = np.random.default_rng(order.get("seed", 1))
        result = {
            "loaded": True,
            "accepted": [self.accepts(grammar, text) for text in order.get("accept", ())],
            "texts": [self.sample(grammar, rng) for _ in range(order.get("samples", 0))],
        }
        lib.llama_sampler_free(grammar)
        return result

    def allowed(self, grammar: Any, tokens: Any) -> Any:
        data = np.zeros(len(tokens), dtype=CANDIDATE)
        data["id"] = tokens
        array = lib.llama_token_data_array(
            data=data.ctypes.data_as(lib.llama_token_data_p), size=len(tokens), selected=-1, sorted=False
        )
        lib.llama_sampler_apply(grammar, ctypes.byref(array))
        return np.isfinite(data["logit"])

    def accepts(self, grammar: Any, text: str) -> bool:
        lib.llama_sampler_reset(grammar)
        for letter in text:
            raw = letter.encode("utf-8", "surrogatepass")
            tokens = [self.letters[raw]] if raw in self.letters else [self.letters[bytes([byte])] for byte in raw]
            for token in tokens:
                if not self.allowed(grammar, [token])[0]:
                    return False
                lib.llama_sampler_accept(grammar, token)
        return bool(self.allowed(grammar, [min(self.ends)])[0])

    def sample(self, grammar: Any, rng: np.random.Generator) -> str:
        """Random tokens; quotes and the end come more often than chance, or texts would all be of full length."""
        lib.llama_sampler_reset(grammar)
        text, pending = b"", b""
        favoured = np.array([self.letters[b'"'], min(self.ends)], dtype=np.int32)
        every = np.arange(self.size, dtype=np.int32)
        for _ in range(100_000):
            some = rng.integers(0, self.size, 8, dtype=np.int32)
            some[0] = rng.choice(favoured) if rng.random() < 0.15 else some[0]
            for tokens in (some, self.ascii if rng.random() < 0.7 else some, every):
                fits = tokens[self.allowed(grammar, tokens) & self.wellformed.allowed(pending, tokens)]
                if len(fits):
                    break
            else:
                return "stuck: " + text.decode("utf-8", "replace")
            token = int(fits[0] if tokens is some else rng.choice(fits))
            if token in self.ends:
                return text.decode("utf-8")
            lib.llama_sampler_accept(grammar, token)
            text += self.pieces[token]
            pending = self.wellformed.after(pending, token)
        return "endless: " + text.decode("utf-8", "replace")


if __name__ == "__main__":
    box = Box(sys.argv[1])
    for line in sys.stdin:
        sys.stdout.write(json.dumps(box.serve(json.loads(line))) + "\n")
        sys.stdout.flush()
