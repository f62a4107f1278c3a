"""A run as a log of Inspect AI, which its viewer and its readers open: `.json`, or `.eval`, a zip with a member a
sample.

Gold is in it as the target of a sample, since the run is over: such a log is no task file, and nothing of it may be
shown to a model under test. Episodes that have not ended are left out and counted. Samples are written one by one, so
that memory does not grow with the run; the file is there whole or not at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from store.files import written_whole
from store.journal import Journal
from tasks.episode.events import Stopped
from tasks.errors import UsageError
from tasks.exchange.episodes import played, tested
from tasks.exchange.inspect_sample import NOBODY, Data, moment, sample_of, spent, summary_of, uid
from tasks.run.header import HeaderData, is_fictional
from tasks.run.reading import read_episode
from tasks.run.rescoring import StoredRun, read_stored
from tasks.run.rescoring import summary_of as metrics_of
from tasks.scoring.metrics import Metric, Summary

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
        with made.open(_member("summaries.json"), mode="w", force_zip64=True) as member:
            copyfileobj(summaries, member)
        made.writestr("header.json", _bytes(head))
    return n


def _bytes(value: Data) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def _member(name: str) -> ZipInfo:
    member = ZipInfo(name)
    member.compress_type = ZIP_DEFLATED
    return member


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
    done = ended == summary.tally.n
    created = run.header.get("created", "")
    return {
        "version": VERSION, "status": "success" if done else "cancelled", "eval": _spec(run, summary),
        "plan": {"name": "plan", "steps": [{"solver": tested(run.header)[0], "params": {}}], "config": {}},
        "results": {
            "total_samples": summary.tally.n, "completed_samples": ended, "scores": list(_scores(summary)),
            "metadata": {"outcomes": dict(summary.tally.outcomes), "flags": dict(summary.tally.flags)},
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
            "seed": spec.get("seed"), "limits": limits, "settings": run_settings(header),
            "fictional": is_fictional(header),
            "pack": {key: value for key, value in header.get("pack", {}).items() if key != "path"},
            **{key: header[key] for key in FACTS if key in header},
        },
    }  # fmt: skip


def run_settings(header: HeaderData) -> Data:
    """What the run was asked to do, without where its files lie on this machine."""
    return {name: value for name, value in header["spec"].items() if name not in ("tasks", "pack")}


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
    """What is needed to judge a figure."""
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
