"""Opens the engine of a SPEC, of whatever kind is registered. `recorded:RUN`, here, reads the journal of an earlier
run.

A SPEC may stand in a file that came from elsewhere. Whether it may lead beyond this machine is therefore nothing that
a caller hands in: every engine is opened here, and `admit` is asked for every host.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from models.endpoint_embedding import LONGEST, EndpointEmbedder
from models.engine import Ask, ContextLimits, Engine, EngineError, Message, Reply, SamplingSettings
from models.errors import BadEngine, ForeignHost
from models.llama import shipped
from models.llama.embedder import Embedder
from models.llama.header import model_sha256, read_header
from models.llama.library import entries, resolve
from models.sampling import DEFAULT, bare, context_of, drawn_by, having, recommended
from models.scripted import RecordedEngine
from models.specs import Opening, check_file, check_spec, on_another_machine
from store import places
from store.errors import NotFound, StoreError
from store.journal import SUFFIX, Journal
from store.labels import TAG, labels
from store.pack import Pack
from store.search.vectors import Embed
from tasks import registry
from tasks.agents.modes import CALLS, Calls
from tasks.episode.driver import reply_of
from tasks.episode.events import ModelCalled, Seated, record_of
from tasks.run.header import header_of, spec_of
from tasks.run.reading import list_runs

_FILES = frozenset({"llama", "scripted"})
"""Kinds whose SPEC names a plain file, or something that is no path at all."""


Made = TypeVar("Made")

LATEST = "latest"
"""What stands for the run that was written last, where a run is named."""


def shut(refusal: ForeignHost) -> NoReturn:
    """Nobody leaves this machine."""
    raise refusal


admit: Callable[[ForeignHost], str] = shut
"""Decides about a host beyond this machine before anything is sent to it: gives the environment variable with the key
bound to the host ('' for none), or raises the refusal. The app puts the user's own decisions here."""


def open_engine(spec: str, *, parallel: int = 1) -> Engine:
    """The engine of a SPEC; errors say what is wrong with it.

    Args:
        spec: what stands after `--model` or `--seat ROLE=`.
        parallel: how many episodes will ask at a time, so that an engine can make room for them.
    """
    kind, rest = check_spec(bare(spec), registry.names("engines"))
    if kind in _FILES:
        _file(kind, rest)
    opener: Callable[[Opening], object] = registry.load("engines", kind)
    if not callable(opener):
        raise registry.unusable("engines", kind, "this is no function that opens engines")
    made = _admitted(opener, rest, parallel)
    if not isinstance(made, Engine):
        raise registry.unusable("engines", kind, f"it opens no engine, but {made!r:.100}")
    return made


def _admitted(opener: Callable[[Opening], Made], rest: str, parallel: int) -> Made:
    """What an opener makes, with every host beyond this machine that it names, one after the other, if it is let."""
    hosts: dict[str, str] = {}
    while True:
        try:
            return opener(Opening(rest, parallel, hosts, places.models()))
        except ForeignHost as found:
            refusal = found
        if refusal.host in hosts:
            raise refusal
        hosts[refusal.host] = admit(refusal)  # not within `except`: what fails now has causes of its own


def completed(spec: str, seat: str, *, ask: bool = True) -> str:
    """A SPEC that names no temperature, with the values by which its model is sampled in a seat: those of its file or
    of its record, else Moot's own; with `ask` a server is asked for one token to see which of them it takes."""
    kind, _, rest = bare(spec).partition(":")
    if "temperature" in drawn_by(spec):
        return spec
    values: Mapping[str, int | float] = DEFAULT
    if kind == "llama" and (found := file_of(spec)):
        values = recommended(read_header(found[1]).metadata)
    elif kind == "recorded":
        with Journal.open(run_path(rest, exact=True)) as journal:
            then = spec_of(header_of(journal))
        values = drawn_by(then.seats.get(seat, then.model))
    elif kind == "endpoint" and ask:
        engine = open_engine(spec)
        settings = replace(SamplingSettings(max_tokens=1), **values)  # type: ignore[arg-type]
        answer = engine.answer([Ask(seat, (Message("user", "1"),), "sampling", settings=settings)])[0]
        engine.close()
        refused = answer.title if isinstance(answer, EngineError) else ""
        values = {name: value for name, value in values.items() if f"not take {name} =" not in refused}
    return having(spec, values)


def form_of(spec: str) -> Calls:
    """How the model behind a SPEC has learnt to call tools; "schema" where nobody says."""
    about = shipped.card() if shipped.is_shipped(spec) else None
    return next((form for form in CALLS if about is not None and form == about.form), "schema")


def file_of(spec: str) -> tuple[str, Path] | None:
    """The file that stands behind a SPEC: how it is named there, and where it lies; None where there is none.

    Raises:
        BadEngine: it is none that could be read.
        NotFound: there is no such run.
    """
    kind, rest = check_spec(bare(spec), registry.names("engines"))
    name = rest.partition("#")[0]
    if kind == "recorded":
        return name, run_path(name, exact=True)
    return (name, _file(kind, rest)) if kind in _FILES else None


def _file(kind: str, rest: str) -> Path:
    """Where the file of a SPEC lies; `BadEngine` where that is none that could be read."""
    name = rest.partition("#")[0]
    path = resolve(name, places.models()) if kind == "llama" else Path(name)
    check_file(name if on_another_machine(name) else str(path))
    return path


def run_path(name: str | Path, *, exact: bool = False) -> Path:
    """The file of a run, by path or id, and unless `exact` by the name or the only `tag:T` that this machine gave it,
    by the unique beginning of an id, or `latest`.

    Raises:
        NotFound: there is none, or more than one is meant.
    """
    for candidate in (Path(name), places.runs() / f"{name}{SUFFIX}", places.runs() / str(name)):
        if os.path.isfile(candidate):  # false, too, for what is too long for a file's name
            return candidate
    if os.path.exists(name):
        return Path(name)  # no file: whoever opens it says so
    if not exact:
        if name == LATEST and (newest := list_runs()[:1]):
            return newest[0]
        found = called(str(name))
        if len(found) > 1:
            raise NotFound(f"{len(found)} runs have the tag '{name}': {_few(found)}", "Name one of them.")
        begun = found or [path for path in list_runs() if name and path.name.startswith(str(name))]
        if len(begun) > 1:
            raise NotFound(f"{len(begun)} runs begin with '{name}': {_few(begun)}", "Write more of its name.")
        if begun:
            return begun[0]
    raise NotFound(f"no run '{name}'", "`moot list` shows the runs.")


def run_paths(names: Iterable[str]) -> list[Path]:
    """The files of several runs, each once; a tag stands for all that have it."""
    found = [path for name in names for path in (called(name) if name.startswith(TAG) else ()) or (run_path(name),)]
    return list(dict.fromkeys(found))


def called(name: str) -> list[Path]:
    """The runs that have this name here, or with `tag:` before it this tag, oldest first."""
    tag = name.removeprefix(TAG) if name.startswith(TAG) else None
    wanted = (file for file, label in labels().items() if (label.name == name if tag is None else tag in label.tags))
    return sorted(path for file in wanted if (path := places.runs() / file).is_file())


def _few(found: Sequence[Path]) -> str:
    few = ", ".join(sorted(path.stem for path in found)[:3])
    return f"{few}, …" if len(found) > 3 else few


def open_recorded(opening: Opening) -> Engine:
    """The engine of `recorded:RUN`: answers what was asked in that run with what was answered there."""
    name = opening.rest
    if on_another_machine(name):
        raise BadEngine(f"{name} is on another machine", "Copy the file to this one.")
    replies: dict[str, Reply] = {}
    limits: ContextLimits | None = None
    with Journal.open(run_path(name, exact=True)) as journal:
        run = str(header_of(journal).get("run", name))
        for row in journal.episodes():
            for attempt in journal.attempts(row.id):
                for entry in journal.entries(attempt.id):
                    event = record_of(entry).event
                    if isinstance(event, ModelCalled):
                        replies[event.asked] = reply_of(event)
                    elif isinstance(event, Seated) and ":" in event.engine and limits is None:
                        limits = ContextLimits(event.context or context_of(event.engine), event.density)
    return RecordedEngine(replies, run, limits)


GGUF, ENDPOINT = "gguf", "endpoint"
"""Kinds of the models that packs are embedded with."""


def open_gguf(name: str, *, force: bool = False) -> tuple[Embedder, dict[str, object]]:
    """An embedding model by its file or its name in the library, and what is recorded of it; errors as `Embedder` has
    them."""
    path = resolve(name.removeprefix("llama:"), places.models())
    return Embedder(path, force=force), {"model": path.name, "sha256": model_sha256(path)}


def open_embedder(spec: str, *, force: bool = False) -> tuple[Embed, dict[str, object]]:
    """The embedding model of a file, a name of the library or `endpoint:URL#MODEL`, and what a pack records of it;
    errors as `open_gguf` and `EndpointEmbedder` have them."""
    kind, _, rest = spec.partition(":")
    if kind != ENDPOINT:
        made, about = open_gguf(spec, force=force)
        return made, {"kind": GGUF, **about}
    try:
        served = _admitted(lambda opening: EndpointEmbedder(opening, force=force), rest, 1)
    except ForeignHost as error:  # searches ask it too: leave for one command would help nobody
        raise BadEngine(error.title, f"Allow it with `moot config hosts allow {error.host}`.") from None
    return served, {"kind": ENDPOINT, "url": served.url, "model": served.model, "longest": served.longest}


def embedder_of(pack: Pack) -> Embed | None:
    """The model that a pack was embedded with; None where none is needed, or it is not at hand.

    Without it the dense channel of a search is silent, and the search says so.

    Raises:
        StoreError: its server has another model.
    """
    about, library = pack.manifest.embedder or {}, places.models()
    if about.get("kind") == ENDPOINT:
        return _served(about)
    try:
        known = [entry for entry in entries(library) if entry.sha256 == about.get("sha256")]
        return next((Embedder(one.file(library), force=True) for one in known if one.state(library) == "ok"), None)
    except BadEngine:
        return None


def _served(about: Mapping[str, Any]) -> EndpointEmbedder | None:
    rest, longest = f"{about.get('url')}#{about.get('model')}", about.get("longest")
    most = longest if isinstance(longest, int) and longest > 0 else LONGEST
    try:
        made = _admitted(lambda opening: EndpointEmbedder(opening, force=True, longest=most), rest, 1)
    except (ForeignHost, EngineError):
        return None
    except BadEngine as error:
        raise StoreError(error.title, error.hint) from None
    if made.model != about.get("model"):
        raise StoreError(
            f"the pack was embedded with '{about.get('model')}', and the server has '{made.model}'",
            "Use the model that the pack was embedded with.",
        )
    return made
