"""A JSON schema as a grammar over the tokens of a model, by llguidance: what it lets pass is a valid value.

It may allow less than the schema: properties come in the order of the schema and no others, at most one blank stands
after a comma or colon, texts, lists and numbers are bounded where the schema sets no bounds (`bounded`), and texts
hold no control characters, nor escapes for what JSON takes as it is. llguidance matches bytes, so half characters
and control tokens are excluded. Lengths are in Unicode characters.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from llguidance import LLMatcher, LLTokenizer
from llguidance.llamacpp import lltokenizer_from_vocab
from numpy.typing import NDArray

from models.llama.native import Model, NativeError
from models.schema import LONGEST_TEXT, Schema, rebuilt

MOST_ITEMS = 50
"""Items of a list without `maxItems`."""
_LARGEST = 10**15 - 1
_DECIMALS = 1e-6
_FORM: Any = {
    "item_separator": ", ?",
    "key_separator": ": ?",
    "whitespace_flexible": False,
    "json_allowed_escapes": '"\\nt',
}
"""How a value is written; the separators are regular expressions."""
_TEXT = r"[^\x80-\x9f]"
"""A character of a text, before it is written as JSON; those below the blank have no escape in `_FORM`."""
_SLICES = [rf'[^"\\\x00-\x1f\x7f-\x9f]{count}' for count in ("{1,10}", "{1,30}", "+")]
"""Parts of the vocabulary whose place in a text is computed once: llguidance's own would let control characters
pass, and so be of no use inside `_TEXT`."""


def bounded(schema: Schema) -> Schema:
    """The schema with bounds wherever it sets none."""
    made: Schema = rebuilt(schema, _bounded)
    return made


def _bounded(part: dict[str, Any], _: str) -> dict[str, Any]:
    if "const" in part or "enum" in part:
        return part
    match part.get("type"):
        case "string" if "pattern" not in part:
            least, most = part.pop("minLength", 0), part.pop("maxLength", LONGEST_TEXT)
            return {**part, "pattern": f"^{_TEXT}{{{least},{most}}}$"}
        case "array":
            return {"maxItems": max(MOST_ITEMS, part.get("minItems", 0)), **part}
        case "integer":
            return {"minimum": -_LARGEST, "maximum": _LARGEST, **part}
        case "number":
            return {"minimum": -_LARGEST, "maximum": _LARGEST, "multipleOf": _DECIMALS, **part}
        case "object" if "properties" in part:
            return {"additionalProperties": False, **part}
    return part


@lru_cache(maxsize=1)
def vocabulary(model: Model) -> LLTokenizer:
    """The tokens of a model as llguidance matches them; about a second for 150,000 of them, once a model."""
    ends = [token for token in range(model.size) if model.ends(token)]
    try:
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # llguidance asks in an old way
            return lltokenizer_from_vocab(model.vocab, eos_token=ends, slices=_SLICES)
    except Exception as error:
        raise NativeError(f"replies of this model cannot be bound to a schema: {_line(error)}") from error


class Grammar:
    """The state of one reply. Raises NativeError for a schema that no grammar can express, and for one that takes
    too much to follow."""

    def __init__(self, model: Model, schema: Mapping[str, Any]) -> None:
        self._model = model
        try:
            source = LLMatcher.grammar_from_json_schema(json.dumps(bounded(schema)), overrides=_FORM)
            self._matcher = LLMatcher(vocabulary(model), source, log_level=0)
            if self._matcher.is_error():
                raise ValueError(self._matcher.get_error())
        except ValueError as error:
            raise NativeError(f"no grammar can express the schema: {_line(error)}") from error

    def allows(self, token: int) -> bool:
        """Whether a token may come next."""
        if self._model.ends(token):
            return self._matcher.is_accepting()
        return self._matcher.validate_tokens([token]) == 1

    def allowed(self) -> NDArray[np.int64]:
        """All tokens that may come next, in the order of their ids."""
        bits = np.frombuffer(self._matcher.compute_bitmask(), dtype=np.uint8)
        self._check()
        return np.flatnonzero(np.unpackbits(bits, count=self._model.size, bitorder="little"))

    def accept(self, token: int) -> None:
        """A token was taken."""
        self._matcher.consume_token(token)
        self._check()

    def _check(self) -> None:
        if self._matcher.is_error():
            words = _line(self._matcher.get_error())
            raise NativeError(f"the grammar of the schema cannot follow the reply: {words}")


def _line(words: object) -> str:
    return " ".join(str(words).split())
