"""What a server says of itself: the models that it lists, its build, its context. Recorded with a run, so only what
stays the same from day to day; a list is taken for what it is, something of any size that a stranger wrote. Contexts
are in tokens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

from models.endpoint_flight import Flight
from models.endpoint_refusals import shown
from models.endpoint_server import Refusal, Server
from models.engine import EngineError
from models.errors import BadEngine

LISTED = 12
"""Models that a sentence names."""
MOST_LISTED = 10_000
"""Models that a server may list."""
LONGEST_NAME = 500
"""Characters of the name of a model; what is longer is none."""
STATEMENTS: Mapping[str, tuple[str, ...]] = {
    "/props": ("build_info", "total_slots"),  # llama-server
    "/version": ("version",),  # vLLM
    "/api/version": ("version",),  # Ollama
}
"""Where servers speak of themselves, and what of it stays the same from day to day."""
MODEL_FACTS = ("owned_by", "max_model_len", "n_ctx_train", "n_params", "n_vocab", "size")
"""What servers list of a model and keep the same (times of loading they do not)."""


def facts_of(server: Server, flight: Flight | None = None) -> tuple[str, dict[str, Any]]:
    """The model to ask a server for, and what the server says of it and of itself.

    Raises:
        BadEngine: the server does not have the model of its address.
        EngineError: nobody answers, or not as an OpenAI-compatible server does.
    """
    model, facts = _choose(server.address.model, models_of(server, flight), server)
    return model, facts | _statement(server, flight)


def models_of(server: Server, flight: Flight | None = None) -> list[Mapping[str, object]]:
    """What the server lists under /models, each with a name under `id`."""
    url = server.address.base
    answer = server.get(f"{url}/models", flight)
    if isinstance(answer, Refusal) and answer.status != 404:
        raise server.error(answer)
    if not isinstance(answer, Mapping) or not isinstance(answer.get("data"), list | None):
        raise EngineError(f"what answers at {url} lists no models", "Is the address right? It usually ends in /v1.")
    listed = answer["data"] or []
    if len(listed) > MOST_LISTED:
        raise EngineError(
            f"the server at {url} lists {len(listed)} models, more than {MOST_LISTED}", "Is the address right?"
        )
    return [entry for entry in listed if isinstance(entry, Mapping) and _is_name(entry.get("id"))]


def _is_name(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_NAME


def _choose(wanted: str, listed: Sequence[Mapping[str, object]], server: Server) -> tuple[str, dict[str, object]]:
    """The model to ask for, and what the server lists of it."""
    url, names = server.address.base, [str(entry["id"]) for entry in listed]
    if not listed:
        raise BadEngine(f"the server at {url} has no model", "Load one there first.")
    for entry in listed:
        aliases = entry.get("aliases")
        if wanted in (
            entry["id"],
            str(entry["id"]).removesuffix(":latest"),
            *(aliases if isinstance(aliases, list) else ()),
        ):
            return wanted, _facts(entry)
    if len(listed) == 1 and (not wanted or listed[0].get("owned_by") == "llamacpp"):
        return wanted or names[0], _facts(listed[0])  # llama-server answers with its one model, whatever the name
    if not wanted:
        raise BadEngine(f"the server at {url} has several models", f"Name one after '#'. {lists(names)}")
    raise BadEngine(f"the server at {url} has no model '{shown(wanted)}'", lists(names))


def lists(names: Sequence[str]) -> str:
    """Says which models a server has."""
    first = ", ".join(shown(name) for name in names[:LISTED])
    if len(names) > LISTED:
        return f"It lists: {first} and {len(names) - LISTED} more."
    return f"It lists: {first}." if names else "It lists none."


def _facts(entry: Mapping[str, Any]) -> dict[str, Any]:
    meta = entry.get("meta")
    return {
        "id": shown(str(entry["id"])),
        **_scalars({**(meta if isinstance(meta, Mapping) else {}), **entry}, MODEL_FACTS),
    }


def _scalars(data: Mapping[str, Any], names: Sequence[str]) -> dict[str, object]:
    """Those of the names that hold a text or a whole number."""
    found = {name: data.get(name) for name in names}
    return {
        name: shown(value) if isinstance(value, str) else value
        for name, value in found.items()
        if isinstance(value, str | int) and (isinstance(value, str) or abs(value) < 2**53)
    }


def _statement(server: Server, flight: Flight | None) -> dict[str, object]:
    """What the server says of itself, if it is one that does."""
    with suppress(EngineError):  # one that does not answer here is asked no further
        for path, names in STATEMENTS.items():
            said = server.get(f"{server.address.origin}{path}", flight)
            if isinstance(said, Mapping) and (found := _scalars(said, names)):
                return {**found, **_props(said)}
    return {}


def _props(said: Mapping[str, Any]) -> dict[str, Any]:
    """File, context and template as llama-server states them: the file without its folder, the template as its
    hash."""
    found: dict[str, Any] = {}
    if isinstance(said.get("model_path"), str):
        found["file"] = shown(re.split(r"[/\\]", said["model_path"])[-1])
    settings = said.get("default_generation_settings")
    if isinstance(settings, Mapping):
        found |= _scalars(settings, ("n_ctx",))
    if isinstance(said.get("chat_template"), str):
        found["template"] = sha256(said["chat_template"].encode("utf-8", "replace")).hexdigest()
    return found
