"""A run as a log of Inspect AI, which its viewer and its readers open: `.json`, or `.eval`, a zip with a member a
sample.

Written from its log schema, version 2 (read back with inspect_ai 0.3.285). Gold is in it as the target of a sample,
since the run is over: nothing of it may be shown to a model under test. Episodes that have not ended are left out and
counted. Samples are written one by one, so that memory does not grow with the run. Texts of prompts that are longer
than `INLINE` characters are attachments, each once; what has no like there stands as an info event, whole. Epochs
count from 1, times are ISO 8601 in UTC, durations in seconds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from store.files import written_whole
from store.journal import Journal, ScoreRow, text_hash
from tasks.episode.events import (
    LimitHit,
    ModelCalled,
    Record,
    Said,
    Stopped,
    TokensReported,
    ToolCalled,
    ToolReturned,
)
from tasks.errors import UsageError
from tasks.exchange.episodes import LastAttempt, Message, SeatCall, calls, played, prompt_of, reply_of, tested
from tasks.run.header import is_fictional
from tasks.run.reading import read_episode
from tasks.run.rescoring import StoredRun, read_stored
from tasks.run.rescoring import summary_of as metrics_of
from tasks.scoring.metrics import Metric, Summary

Data = dict[str, Any]
VERSION = 2
ENDINGS = (".eval", ".json")
FACTS = ("tasks", "engines", "prompts", "versions", "parent", "imported", "merged")
"""What a log says of a run as its header does; where files lie on this machine is left out."""


def export_inspect(name: str | Path, out: Path) -> int:
    """Write the log; returns how many samples are in it.

    Raises:
        UsageError: the ending of `out` is neither .eval nor .json.
        StoreError: it is there already, or cannot be written.
        RecordMismatch, NotFound: the task file is not the one that was run, or is gone.
    """
    if out.suffix not in ENDINGS:
        raise UsageError(f"--out {out.name} is neither .eval nor .json", "The ending says the form of the log.")
    run = read_stored(name)
    with written_whole(out, new=True, parents=True, binary=True) as file:
        return _zipped(run, file) if out.suffix == ".eval" else _plain(run, file)


def _plain(run: StoredRun, file: IO[bytes]) -> int:
    """One JSON object with its samples last: whoever reads no more than the head stops there."""
    n = 0
    file.write(_bytes(head_of(run))[:-1] + b', "samples": [')
    for n, sample in enumerate(samples(run), 1):
        file.write((b",\n" if n > 1 else b"\n") + _bytes(sample))
    file.write(b"]}\n")
    return n


def _zipped(run: StoredRun, file: IO[bytes]) -> int:
    """A member a sample, and a list of all in short, which waits outside memory until they are written."""
    n, head = 0, head_of(run)
    with ZipFile(file, "w", ZIP_DEFLATED) as made, TemporaryFile() as summaries:
        made.writestr("_journal/start.json", _bytes({name: head[name] for name in ("version", "eval", "plan")}))
        for n, sample in enumerate(samples(run), 1):
            made.writestr(f"samples/{_named(sample['id'])}_epoch_{sample['epoch']}.json", _bytes(sample))
            summaries.write((b",\n" if n > 1 else b"[") + _bytes(summary_of(sample)))
        summaries.write(b"]" if n else b"[]")
        summaries.seek(0)
        member = ZipInfo("summaries.json")
        member.compress_type = ZIP_DEFLATED
        with made.open(member, mode="w", force_zip64=True) as file_of_all:
            copyfileobj(summaries, file_of_all)
        made.writestr("header.json", _bytes(head))
    return n


def _bytes(value: Data) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def _named(task: str) -> str:
    """The name of a member: the id of its task as Inspect looks it up, unless it could lead out of a folder."""
    if re.fullmatch(r"\w[\w .-]{0,150}", task):
        return task
    return re.sub(r"[^\w-]+", "_", task)[:80] + f"-{uid(task)}"


def samples(run: StoredRun) -> Iterator[Data]:
    """The samples of a log, one by one: episodes that have ended."""
    seat, (_, model) = run.bench.seat, tested(run.header)
    with Journal.open(run.path) as journal:
        for one in played(run, journal):
            if one.ended:
                yield sample_of(journal, one, str(run.header["run"]), seat, model or NOBODY, "imported" in run.header)


def head_of(run: StoredRun) -> Data:
    """All of a log but its samples."""
    summary = metrics_of(run)
    usage, roles, ended, last = _spent(run)
    n = summary.tally.n + sum(not one.counted for one in summary.people)
    done = ended == n
    created = run.header.get("created", "")
    return {
        "version": VERSION, "status": "success" if done else "cancelled", "eval": _spec(run, summary),
        "plan": {"name": "plan", "steps": [{"solver": tested(run.header)[0], "params": {}}], "config": {}},
        "results": {
            "total_samples": n, "completed_samples": ended, "scores": list(_scores(summary)),
            "metadata": {
                "outcomes": dict(summary.tally.outcomes), "flags": dict(summary.tally.flags),
                "people": [asdict(person) for person in summary.people],
            },
        },
        "stats": {
            "started_at": created, "completed_at": last if "imported" not in run.header else created,
            "model_usage": usage, "role_usage": roles,
        },
    }  # fmt: skip


def _spec(run: StoredRun, summary: Summary) -> Data:
    header = run.header
    spec, (agent, model), name = header["spec"], tested(header), str(header["run"])
    limits = {key: value for key, value in header.get("limits", {}).items() if value is not None}
    settings = {key: value for key, value in spec.items() if key not in ("tasks", "pack")}  # files on this machine
    return {
        "eval_id": uid(name), "run_id": name, "created": header.get("created") or "1970-01-01T00:00:00+00:00",
        "task": f"moot/{spec['benchmark']}", "task_id": uid(name, "task"), "task_version": 0,
        "task_display_name": str(spec["benchmark"]), "task_args": {}, "solver": agent,
        "dataset": {
            "name": header.get("tasks", {}).get("file", ""), "samples": len(run.questions), "shuffled": False,
        },
        "model": model or NOBODY, "model_args": {},
        "config": {"epochs": summary.tally.epochs, "limit": spec.get("limit")},
        "packages": {"mootbench": header.get("versions", {}).get("moot", "")},
        "scorers": [{"name": one, "metadata": {"version": version}} for one, version in summary.scorers.items()],
        "metadata": {
            "harness": "Moot (模拟法庭评测台)", "agent": agent, "seats": spec.get("seats", {}),
            "seed": spec.get("seed"), "limits": limits, "settings": settings,
            "fictional": is_fictional(header),
            "pack": {key: value for key, value in header.get("pack", {}).items() if key != "path"},
            **{key: header[key] for key in FACTS if key in header},
        },
    }  # fmt: skip


def _scores(summary: Summary) -> Iterator[Data]:
    """A score of a log for each measure, with its groups as metrics; what has no value is no metric there."""
    by_measure: dict[Any, list[Metric]] = {}
    for row in (*summary.scores, *summary.section("added")):
        by_measure.setdefault(row.measure, []).append(row)
    for measure, rows in by_measure.items():
        rule = measure.rule or measure.section
        valued = [row for row in rows if row.value is not None]
        whole = sorted(valued, key=lambda row: not (row.group.whole or row.group.name == "all"))
        if valued:
            yield {
                "name": f"{rule}/{measure.name}", "scorer": rule, "params": {},
                "scored_samples": max((row.n for row in rows), default=0),
                "metrics": {
                    row.group.name: {"name": row.group.name, "value": row.value, "metadata": _judged(row)}
                    for row in whole
                },
                "metadata": {
                    "label": list(measure.names), "best": measure.unit.top if measure.unit.top < 1e9 else None,
                    "better": measure.better,
                },
            }  # fmt: skip


def _judged(row: Metric) -> Data:
    interval = (
        {"low": row.interval.low, "high": row.interval.high, "method": row.interval.method} if row.interval else None
    )
    return {"n": row.n, "interval": interval, "clusters": row.group.clusters, "limits": dict(row.limits)}


def _spent(run: StoredRun) -> tuple[dict[str, Data], dict[str, Data], int, str]:
    """Tokens by model and by seat, how many episodes have ended, and when the last of them did ('' for none)."""
    usage: dict[str, Data] = {}
    roles: dict[str, Data] = {}
    ended, last = 0, 0.0
    _, model = tested(run.header)
    with Journal.open(run.path) as journal:
        for row, _ in journal.walk():
            records = read_episode(journal, row.id)
            spent(records, model or NOBODY, usage, roles)
            if any(isinstance(record.event, Stopped) for record in records):
                ended, last = ended + 1, max(last, records[-1].at)
    return usage, roles, ended, moment(last) if ended else ""


# Samples
# ----------------------------------------------------------------------------------------------------------

INLINE = 100
"""Characters of a text in a prompt that stand where they are read; as Inspect keeps it."""
LIMITS: Mapping[str, str] = {
    "turn_limit": "custom", "token_limit": "token", "time_limit": "time", "context_full": "context", "loop": "custom",
    "stalled": "custom", "cancelled": "operator",
}  # fmt: skip
"""Outcome -> what Inspect calls the limit that ended a sample; none of its own for turns that every release reads."""
_KINDS: Mapping[str, str] = {"turn_limit": "turns", "token_limit": "tokens", "time_limit": "seconds"}
_REASONS: Mapping[str, str] = {
    "length": "max_tokens",
    "repetition": "max_tokens",
    "stop": "stop",
    "context_full": "model_length",
}
_CONFIG: Mapping[str, str] = {
    "temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "max_tokens": "max_tokens", "seed": "seed",
    "stop": "stop_seqs",
}  # fmt: skip
"""Sampling setting -> its name in a log."""
NOBODY = "none/none"
"""What Inspect calls the model of a run without one."""


def uid(*parts: object) -> str:
    """A short id that is the same whenever the same is exported."""
    return sha256("\0".join(map(str, parts)).encode("utf-8", "replace")).hexdigest()[:22]


def moment(at: float) -> str:
    """Seconds since the epoch as Inspect writes moments."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def sample_of(journal: Journal, one: LastAttempt, run: str, seat: str, model: str, imported: bool) -> Data:
    """The sample of an episode.

    Args:
        journal: of the run, open.
        one: the episode, which has ended.
        run: id of the run.
        seat: the tested one.
        model: what is told of the model in it.
        imported: whether its times are those of the import, which say nothing of the run.
    """
    state, texts = one.state, dict[str, str]()
    stopped, first = state.stopped, state.records[0].at if state.records else 0.0
    assert stopped is not None
    made = list(calls(state.records))
    usage: dict[str, Data] = {}
    roles: dict[str, Data] = {}
    spent(state.records, model, usage, roles)
    result, finished = one.result.res, stopped.outcome == "finished"
    own = [call for call in made if call.event.seat == seat]
    who = name_of(own[-1]) if own and own[-1].event.human else model
    answer: Data = {"role": "assistant", "content": result, "source": "generate", "model": who}
    error = {"message": stopped.reason, "traceback": "", "traceback_ansi": ""}
    sample: Data = {
        "id": one.row.task_id, "epoch": one.row.epoch + 1, "input": one.asked, "target": one.gold,
        "messages": list(_messages(journal, one, seat, made)),
        "output": {
            "model": who, "choices": [{"message": answer, "stop_reason": "stop" if finished else "unknown"}],
            "completion": result,
        },
        "scores": {name: told for name, row in one.scores.items() if (told := score_of(row)) is not None},
        "metadata": {
            "episode": one.row.id, "group": one.question.group, "cluster": one.question.cluster,
            "outcome": stopped.outcome, "reason": stopped.reason, "flags": sorted(one.result.flags),
            "attempts": one.attempts, "steps": state.steps, "compat": one.compat, "strict": one.strict,
            "people": asdict(one.people),
        },
        "events": list(_events(journal, state.records, made, texts, first)), "model_usage": usage,
        "role_usage": roles, "uuid": uid(run, one.row.id), "attachments": texts, "limit": limit_of(one),
        "error": error if stopped.outcome == "error" else None,
    }  # fmt: skip
    if not imported and state.records:
        last = state.records[-1].at
        times = {"started_at": moment(first), "completed_at": moment(last), "total_time": max(0.0, last - first)}
        sample |= {**times, "working_time": state.milliseconds / 1000}
    return sample


SUMMARY = (
    "id", "epoch", "input", "target", "metadata", "scores", "model_usage", "role_usage", "started_at", "completed_at",
    "total_time", "working_time", "uuid",
)  # fmt: skip
SHORT = 1000
"""Characters of question and reference in a summary."""


def summary_of(sample: Data) -> Data:
    """What lists of samples show of one."""
    made = {name: sample[name] for name in SUMMARY if name in sample}
    made |= {name: sample[name][:SHORT] for name in ("input", "target")}
    made["scores"] = {
        name: {**told, "explanation": None, "metadata": None} for name, told in sample["scores"].items()
    }
    error, limit = sample["error"], sample["limit"]
    made |= {"error": error["message"] if error else None, "limit": limit["type"] if limit else None}
    return made | {"completed": True, "message_count": len(sample["messages"])}


def score_of(row: ScoreRow) -> Data | None:
    """A score with what it rests on, a line each; None where it has no value."""
    if row.value is None or row.value == {}:
        return None
    kept = row.evidence if isinstance(row.evidence, list) else []
    settings = row.settings if isinstance(row.settings, dict) else {}
    return {
        "value": row.value, "explanation": "\n".join(_line(one) for one in kept) or None,
        "metadata": {"version": row.version, "author": row.author, "settings": settings},
    }  # fmt: skip


def _line(rests: object) -> str:
    if not isinstance(rests, Mapping):
        return str(rests)
    return " · ".join(f"{name}: {value}" for name, value in rests.items() if value not in (None, "", [], {}))


def limit_of(one: LastAttempt) -> Data | None:
    """The limit that ended an episode, None where none did."""
    if one.outcome not in LIMITS:
        return None
    hit = [
        r.event
        for r in one.state.records
        if isinstance(r.event, LimitHit) and r.event.kind == _KINDS.get(one.outcome)
    ]
    reason = one.state.stopped.reason if one.state.stopped else ""
    return {"type": LIMITS[one.outcome], "limit": hit[-1].limit if hit else 0.0, "reason": f"{one.outcome}: {reason}"}


def name_of(call: SeatCall) -> str:
    """What a log calls the model of a call: its SPEC, or who sat there without one."""
    return "human" if call.event.human else call.engine or call.policy or NOBODY


def spent(records: Iterable[Record], model: str, usage: dict[str, Data], roles: dict[str, Data]) -> None:
    """Add the tokens of an attempt, by model and by seat; `model`: whose they are where they were only reported."""
    records = list(records)
    for call in calls(records):
        if not call.event.human:
            for by, name in ((usage, name_of(call)), (roles, call.event.seat)):
                _add(by, name, _tokens(call.event))
    for told in (record.event for record in records):
        if isinstance(told, TokensReported):
            for by, name in ((usage, model), (roles, told.seat)):
                _add(by, name, _cost(told.prompt, 0, told.generated, 0))


def _tokens(event: ModelCalled) -> Data:
    return _cost(event.evaluated, event.reused, event.generated, event.reasoned)


def _cost(read: int, reused: int, generated: int, reasoned: int) -> Data:
    """Prompt tokens that were evaluated, those whose memory was reused, and generated ones, some of them
    reasoning."""
    return {
        "input_tokens": read, "input_tokens_cache_read": reused, "output_tokens": generated,
        "reasoning_tokens": reasoned, "total_tokens": read + reused + generated,
    }  # fmt: skip


def _add(usage: dict[str, Data], name: str, cost: Data) -> None:
    held = usage.setdefault(name, dict.fromkeys(cost, 0))
    for key, count in cost.items():
        held[key] += count


def _messages(journal: Journal, one: LastAttempt, seat: str, made: Sequence[SeatCall]) -> Iterator[Data]:
    """What the tested seat read and said: its last call, which holds what came before; without any what was said
    aloud."""
    own = [call for call in made if call.event.seat == seat]
    if own:
        yield from (message_of(message) for message in prompt_of(journal, own[-1].event))
        yield message_of(reply_of(own[-1].event))
        return
    yield {"role": "user", "content": one.asked, "source": "input"}
    said = [record.event for record in one.state.records if isinstance(record.event, Said)]
    for words in said:
        aloud = words.text if words.seat == seat else f"{words.seat}：{words.text}"
        yield {"role": "assistant" if words.seat == seat else "user", "content": aloud}
    if not said:
        yield {"role": "assistant", "content": one.result.res}


def message_of(message: Message) -> Data:
    """A message as a log has it."""
    role = message["role"] if message["role"] in ("system", "user", "assistant", "tool") else "user"
    content: Any = message["content"]
    if reasoning := message.get("reasoning"):
        content = [{"type": "reasoning", "reasoning": reasoning}, {"type": "text", "text": content}]
    made: Data = {"role": role, "content": content}
    called = message.get("tool_calls")
    if role == "assistant" and isinstance(called, list):
        made["tool_calls"] = [_tool_call(one["id"], **one["function"]) for one in called]
    if role == "tool":
        made["tool_call_id"] = message.get("tool_call_id")
    return made


def _tool_call(call_id: str, name: str, arguments: str) -> Data:
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        given = None
    wrong = None if isinstance(given, dict) else f"no JSON object: {arguments}"
    return {
        "id": call_id, "function": name, "arguments": given if wrong is None else {}, "parse_error": wrong,
        "type": "function",
    }  # fmt: skip


def _events(
    journal: Journal, records: Iterable[Record], made: Sequence[SeatCall], texts: dict[str, str], first: float
) -> Iterator[Data]:
    records = list(records)
    called = {call.record.seq: call for call in made}
    returned = {r.parent: r for r in records if isinstance(r.event, ToolReturned)}
    for record in records:
        event = record.event
        about = {"timestamp": moment(record.at), "working_start": max(0.0, record.at - first)}
        if record.seq in called:
            yield {**about, **_model_event(journal, called[record.seq], record, texts)}
        elif isinstance(event, ToolCalled) and record.seq in returned:
            yield {**about, **_tool_event(event, record, returned[record.seq])}
        elif not (isinstance(event, ToolReturned) and returned.get(record.parent) is record):
            yield {
                **about,
                "event": "info",
                "source": f"moot/{event.tag}",
                "data": {"step": record.step, **event.data()},
            }


def _model_event(journal: Journal, call: SeatCall, record: Record, texts: dict[str, str]) -> Data:
    event = call.event
    reply, seconds = message_of(reply_of(event)), event.milliseconds / 1000
    kept = [
        message
        | ({"content": _attached(str(message["content"]), texts)} if isinstance(message["content"], str) else {})
        for message in (message_of(one) for one in prompt_of(journal, event))
    ]
    config = {
        _CONFIG[name]: value for name, value in event.settings.items() if name in _CONFIG and value not in (None, [])
    }
    reason = "tool_calls" if event.calls else _REASONS.get(event.finish, "unknown")
    return {
        "event": "model", "model": name_of(call), "role": event.seat, "input": kept, "tools": [],
        "tool_choice": "auto", "config": config, "completed": moment(record.at), "working_time": seconds,
        "output": {
            "model": name_of(call), "choices": [{"message": reply, "stop_reason": reason}], "completion": event.text,
            "usage": _tokens(event), "time": seconds,
        },
        "metadata": {
            "call": event.call, "step": record.step, "prompt": event.prompt, "policy": call.policy,
            "finish": event.finish,
        },
    }  # fmt: skip


def _attached(text: str, texts: dict[str, str]) -> str:
    if len(text) <= INLINE:
        return text
    name = text_hash(text)[:32]
    texts[name] = text
    return f"attachment://{name}"


def _tool_event(called: ToolCalled, record: Record, back: Record) -> Data:
    result = back.event
    assert isinstance(result, ToolReturned)
    given = called.input if isinstance(called.input, dict) else {"input": called.input}
    return {
        "event": "tool", "type": "function", "id": f"call-{record.seq}", "function": called.tool, "arguments": given,
        "result": result.observation, "completed": moment(back.at), "working_time": result.milliseconds / 1000,
        "metadata": {
            "seat": called.seat, "step": record.step, "status": result.status, "complete": result.complete,
            "unknown": result.unknown, "provenance": list(result.provenance),
        },
    }  # fmt: skip
