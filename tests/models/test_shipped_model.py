"""The model that comes with Moot: listed, resolved, checked by its sum, kept, played in the form it was trained
for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from models.errors import BadEngine
from models.llama import library, shipped
from models.llama.engine import LlamaEngine
from store import places
from tasks.benchmark import benchmark
from tasks.run.cast import Cast, formed, seat_later
from tasks.run.spec import RunSpec

REAL = Path(shipped.__file__).parents[1] / "tiny"


def listed() -> list[str]:
    return [entry.name for entry in library.entries(places.models())]


def test_it_is_listed_resolved_and_in_no_catalogue(shipped_model: Path, tiny_gguf: Path) -> None:
    (entry,) = library.entries(places.models())
    assert entry.shipped and entry.state(places.models()) == "ok" and entry.file(places.models()) == shipped_model
    assert (
        library.resolve("moot-tiny", places.models())
        == library.resolve("Moot-Tiny", places.models())
        == shipped_model
    )
    library.add(tiny_gguf, places.models(), name="own")
    assert listed() == ["moot-tiny", "own"]
    kept = json.loads((places.models() / library.CATALOGUE).read_text("utf-8"))
    assert [one["name"] for one in kept["models"]] == ["own"] and "shipped" not in kept["models"][0]


def test_it_cannot_be_removed_nor_its_name_taken(shipped_model: Path, tiny_gguf: Path) -> None:
    with pytest.raises(BadEngine, match="comes with Moot and stays"):
        library.remove("moot-tiny", places.models())
    with pytest.raises(BadEngine, match="is the model that comes with Moot"):
        library.add(tiny_gguf, places.models(), name="MOOT-tiny")
    assert shipped_model.is_file() and listed() == ["moot-tiny"]


@pytest.mark.parametrize(("harm", "state"), [("gone", "missing"), ("flipped", "changed"), ("cut", "changed")])
def test_a_file_that_is_not_what_the_card_says_is_refused(shipped_model: Path, harm: str, state: str) -> None:
    data = shipped_model.read_bytes()
    shipped_model.unlink()
    if harm != "gone":
        shipped_model.write_bytes(data[:-1] + bytes([data[-1] ^ 1]) if harm == "flipped" else data[:1000])
    (entry,) = library.entries(places.models())
    assert entry.state(places.models()) == state
    with pytest.raises(BadEngine, match="gone" if harm == "gone" else "damaged") as refused:
        library.resolve("moot-tiny", places.models())
    assert "Install Moot again" in refused.value.hint


@pytest.mark.parametrize("words", ["", "name = 3", "\udce9".encode("utf-8", "surrogateescape").decode("latin-1")])
def test_a_card_that_cannot_be_read_is_no_model(moot_home: Path, words: str) -> None:
    shipped.FOLDER.mkdir()
    (shipped.FOLDER / shipped.CARD).write_text(words, encoding="latin-1")
    assert shipped.card() is None and listed() == [] and not shipped.is_shipped("llama:moot-tiny")


def test_it_plays_in_the_form_it_was_trained_for_unless_told(shipped_model: Path) -> None:
    bench = benchmark("legalagentbench")

    def policy(**more: object) -> str:
        spec = RunSpec(benchmark=bench.name, **{"agent": "react", "model": "llama:moot-tiny", **more})  # type: ignore[arg-type]
        return Cast.of(bench, formed(bench, spec)).tested.policy

    assert policy() == policy(model="llama:moot-tiny#ctx=256,temperature=0.5") == "react/1+compact"
    assert policy(calls="schema") == policy(model="llama:other") == "react/1"
    assert policy(agent="plan-solve") == "plan-solve/1", "an agent that has no such form plays as it does"
    assert seat_later(bench, bench.seat, "llama:moot-tiny", "rules/1").policy == "react/1+compact"
    assert seat_later(bench, bench.seat, "llama:other", "rules/1").policy == "react/1"


def test_a_small_model_has_one_thread_however_many_cores_there_are(
    shipped_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    engine = LlamaEngine(shipped_model)
    assert engine.threads == 1
    engine.end()


def test_the_card_tells_the_truth_about_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "FOLDER", REAL)
    about, entry = shipped.card(), library.shipped_entry()
    if about is None:
        pytest.skip("this tree has no model")
    assert entry is not None and entry.state(places.models()) == "ok" and entry.context >= about.context
    assert about.kinds and about.form == "compact" and entry.size <= 6_000_000
