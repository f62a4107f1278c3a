"""Conversations of the courts are sampled: who says by which values, where these stand, and that runs repeat."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli.driving import sampling_lines
from models.sampling import DEFAULT, drawn_by
from tasks.benchmark import benchmark
from tasks.courts.settings import CourtSettings
from tasks.episode.events import ModelCalled, Seated
from tasks.episode.state import digest
from tasks.reports.comparison import text, who
from tasks.reports.formats import text_report
from tasks.run.cast import Cast, sampled, seat_later
from tasks.run.comparing import compare
from tasks.run.engines import completed
from tasks.run.header import header_of
from tasks.run.opened import Run
from tasks.run.reading import read_episode
from tasks.run.rescoring import read_stored, summary_of
from tasks.run.runner import fork_run, resume_run, start_run
from tasks.run.seat_prompt import verify
from tasks.run.spec import RunSpec
from tests.models.test_gguf_header import sound
from tests.support.court_run_fixture import prepare_courts
from tests.support.fake_endpoint import Call, fake_server

GREEDY, USUAL = (0.0, 1.0, 0), (0.7, 0.8, 20)


@pytest.fixture
def model(tmp_path: Path, moot_home: Path) -> str:
    """Its replies hang on the seed of each call alone."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"otherwise": [f"第{n}种说法。" for n in range(50)]}, ensure_ascii=False), "utf-8")
    return f"scripted:{script}"


def start(home: Path, model: str, out: str = "run.moot", **changes: Any) -> Run:
    seats = {"client": model} if changes.pop("client", True) else {}
    spec = {**prepare_courts(home, 2), "agent": "direct", "model": model, "seats": seats, "max_turns": 3, **changes}
    return start_run(RunSpec.model_validate({"task_ids": ("1",), **spec}), out=home / out)


def calls(run: Run, episode: str = "1") -> list[ModelCalled]:
    events = (record.event for record in read_episode(run.journal, episode))
    return [event for event in events if isinstance(event, ModelCalled)]


def used(run: Run, seat: str) -> set[tuple[object, ...]]:
    made = (call.settings for call in calls(run) if call.seat == seat)
    return {tuple(one[name] for name in ("temperature", "top_p", "top_k")) for one in made}


@pytest.mark.parametrize(
    ("said", "changes", "tested", "client"),
    [
        ("", {}, USUAL, USUAL),
        ("", {"profile": "j1"}, GREEDY, GREEDY),
        ("", {"temperature": 1.0}, (1.0, 1.0, 0), USUAL),
        ("", {"temperature": 0.5, "profile": "j1"}, (0.5, 1.0, 0), GREEDY),
        ("#temperature=0.2", {"temperature": 1.0}, (0.2, 1.0, 0), (0.2, 1.0, 0)),
        ("#top_p=0.5", {"profile": "j1"}, (0.0, 0.5, 0), (0.0, 0.5, 0)),
    ],
)
def test_the_spec_goes_before_the_option_before_the_profile_before_what_is_recommended(
    model: str, moot_home: Path, said: str, changes: dict[str, Any], tested: object, client: object
) -> None:
    with start(moot_home, model + said, **changes) as run:
        run.go()
        assert (used(run, "agent"), used(run, "client")) == ({tested}, {client})
        header = header_of(run.journal)
        sits = {e.seat: e for r in read_episode(run.journal, "1") if isinstance(e := r.event, Seated)}
    assert header["spec"]["model"] == sits["agent"].engine in header["engines"]
    assert header["spec"]["seats"]["client"] == sits["client"].engine
    assert sits["tracker"].engine == "", "rules are not sampled"


def test_only_who_speaks_is_sampled(model: str, moot_home: Path) -> None:
    with start(moot_home, model, seats={"tracker": model}) as run:
        assert run.spec.seats == {"tracker": model}
        assert run.spec.model == f"{model}#temperature=0.7,top_p=0.8,top_k=20,repeat_penalty=1.1"


def test_a_sampled_run_repeats_where_it_goes_on_and_differs_by_epoch(model: str, moot_home: Path) -> None:
    with start(moot_home, model, epochs=2) as run:
        run.go()
        whole = {name: digest(read_episode(run.journal, name)) for name in ("1#1", "1#2")}
        first, second = ([call.text for call in calls(run, name)] for name in whole)
        assert first != second
    assert all(verify(moot_home / "run.moot", name)[name] for name in whole)
    with start(moot_home, model, "cut.moot", epochs=2) as run:
        steps = iter(range(4))
        run.go(lambda: next(steps, None) is not None)
    with resume_run(moot_home / "cut.moot") as run:
        run.go()
        assert {name: digest(read_episode(run.journal, name)) for name in whole} == whole
    with fork_run(moot_home / "run.moot", "1#1", 3, out=moot_home / "fork.moot") as run:
        run.go()
        assert [call.text for call in calls(run, "1#1")] == first
    bench = benchmark("courts")
    sits = seat_later(bench, "client", model, "")
    with start(moot_home, model, "rules.moot", client=False) as run:
        run.go()
    with fork_run(moot_home / "rules.moot", "1", 2, newcomer=sits, out=moot_home / "joined.moot") as run:
        run.go()
        assert used(run, "client") == {USUAL}, "who joins is sampled as the others are"
    with start(moot_home, f"recorded:{moot_home / 'run.moot'}", "again.moot", epochs=2) as run:
        run.go()
        assert [call.text for call in calls(run, "1#1")] == first, "a record is asked as it was"


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ({}, DEFAULT),
        ({"temp": 0.6, "top_p": 0.95},
            {"temperature": 0.6, "top_p": 0.95, "top_k": 20, "repeat_penalty": 1.0}),
        ({"top_k": 64, "min_p": 0.05, "penalty_repeat": 1.05},
            {**DEFAULT, "top_k": 64, "min_p": 0.05, "repeat_penalty": 1.05}),
        ({"temp": float("nan"), "top_p": "half", "top_k": -1, "min_p": True}, DEFAULT),
    ],
)  # fmt: skip
def test_the_file_of_a_model_recommends_values(tmp_path: Path, said: dict[str, Any], wanted: dict[str, Any]) -> None:
    path = sound(tmp_path / "m.gguf", {f"general.sampling.{key}": value for key, value in said.items()})
    assert drawn_by(completed(f"llama:{path}", "agent")) == wanted
    assert drawn_by(completed(f"llama:{path}#ctx=512,top_k=3", "agent")) == {**wanted, "top_k": 3}
    assert completed(f"llama:{path}#temperature=0.1", "agent") == f"llama:{path}#temperature=0.1"


def test_a_server_is_asked_before_the_run_which_values_it_takes() -> None:
    def picky(call: Call) -> None:
        return call.refuse(400, "unknown field top_k") if "top_k" in call.body else call.speak("好")

    with fake_server() as server:
        spec = f"endpoint:{server.spec}"
        assert drawn_by(completed(spec, "agent")) == DEFAULT
        server.chat = picky
        assert drawn_by(completed(spec, "agent")) == {"temperature": 0.7, "top_p": 0.8, "repeat_penalty": 1.1}
        before = len(server.seen)
        assert drawn_by(completed(spec, "agent", ask=False)) == DEFAULT and len(server.seen) == before


def test_a_server_that_ignores_the_seed_is_a_mark_of_the_run(moot_home: Path) -> None:
    def drawing(call: Call) -> None:
        server.chat = lambda call: call.speak(f"第{len(server.asked)}句")
        call.speak("好")

    said = "同一种子的两次评测不一定一致"
    with fake_server() as server:
        spec = f"endpoint:{server.spec}"
        for name, chat, probed in (("kept", server.chat, 2), ("anew", drawing, 2), ("greedy", drawing, 0)):
            server.chat, before, ignored = chat, len(server.asked), name == "anew"
            with start(moot_home, spec, f"{name}.moot", **({} if probed else {"temperature": 0})) as run:
                assert sum("cache_prompt" in body for body in server.asked[before:]) == probed
                assert len(run.troubles()) == ignored
                run.go()
                assert sum(call.generated for call in calls(run)) > 0
                assert not any("cache_prompt" in body for body in server.asked[before + 4 :])
                marks = [one.partition("#temp")[0] for one in header_of(run.journal)["seed_ignored"]]
            stored = read_stored(moot_home / f"{name}.moot")
            assert marks == [spec] * ignored
            assert (said in text_report([summary_of(stored)], [stored.header], "zh")) == ignored
    (found,) = compare([moot_home / "kept.moot", moot_home / "anew.moot"])
    assert [said in who(side, "zh") for side in (found.first, found.second)] == [False, True]
    assert text([found], "zh").count(said) == 1


def test_a_comparison_tells_another_form_of_conversation(
    model: str, moot_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("new", "old"):
        with start(moot_home, model, f"{name}.moot") as run:
            run.go()
            run.record_scores()
        monkeypatch.setattr(CourtSettings, "prompts", lambda self: {})  # as runs were before
    (found,) = compare([moot_home / "old.moot", moot_home / "new.moot"])
    assert found.differences == [("prompts.conversation", "–", "chat-1")]


@pytest.mark.parametrize(
    ("model", "line"),
    [
        ("scripted:a.json", "采样：scripted:a.json，温度 0.7 / top_p 0.8 / top_k 20 / repeat_penalty 1.1（默认）"),
        ("scripted:a.json#temperature=0.2", "采样：scripted:a.json，温度 0.2（SPEC）"),
        ("scripted:a.json#temperature=0", ""),
        ("endpoint:http://127.0.0.1:1#m#temperature=0.7,top_p=0.8,repeat_penalty=1.1",
            "采样：endpoint:http://127.0.0.1:1#m，温度 0.7 / top_p 0.8 / "
            "repeat_penalty 1.1（默认；服务器不接受 top_k）"),
        ("llama:{file}", "采样：llama:{file}，温度 0.6 / top_p 0.8 / top_k 20 / repeat_penalty 1.0（文件推荐）"),
    ],
)  # fmt: skip
def test_what_will_be_sampled_is_said_in_a_line(
    model: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_LANG", "zh")
    path = sound(tmp_path / "m.gguf", {"general.sampling.temp": 0.6})
    bench = benchmark("courts")
    spec = RunSpec(benchmark="courts", agent="direct", model=model.format(file=path))
    cast = Cast.of(bench, sampled(bench, spec, ask=False))
    assert list(sampling_lines(cast)) == ([line.format(file=path)] if line else [])
