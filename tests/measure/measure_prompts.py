"""What a model in the judge's seat has read when it comes to judge: all trials of the sample, played by rules, in
both profiles.

A pleading, an issue, an exhibit or an objection counts as read when the words that were spoken stand in the prompt
whole. Contexts in tokens, sizes in characters.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tasks.episode.events import ActDone, Said
from tasks.run.reading import read_episode
from tasks.run.runner import start_run
from tasks.run.seat_prompt import SeatPrompt, would_read
from tasks.run.spec import RunSpec

OWED = {
    "CI": ("claim", "answer", "issues", "exhibit", "cross"),
    "CR": ("indictment", "objection", "statement", "plea_check", "exhibit", "cross", "fast_views"),
}
"""Acts whose words must be before a judge when he judges."""


def words_of(reading: SeatPrompt) -> str:
    """The prompt as one text: what stands in JSON as it was said, blanks and indents left out."""
    texts = []
    for message in reading.ask.messages:
        try:
            texts.append(str(json.loads(message.content)["say"]))
        except (ValueError, TypeError, KeyError):
            texts.append(message.content)
    return "".join("".join(texts).split())


@pytest.mark.parametrize("profile", ["law", "j1"])
@pytest.mark.parametrize("env", OWED)
def test_nothing_of_weight_is_missing_at_the_judgment(
    env: str, profile: str, sample_pack: Path, tmp_path: Path
) -> None:
    out = tmp_path / "trials.moot"
    spec = RunSpec(benchmark="courts", agent="rules", settings={"env": env, "profile": profile})
    with start_run(spec, out=out) as run:
        run.go()
        stored = {row.id: read_episode(run.journal, row.id) for row in run.journal.episodes()}
    assert len(stored) == 12
    whole: Counter[int] = Counter()
    for name, records in stored.items():
        said = {record.seq: record.event.text for record in records if isinstance(record.event, Said)}
        owed = {
            said[record.parent]
            for record in records
            if isinstance(record.event, ActDone) and record.event.key.split("/")[0] in OWED[env]
            and record.parent in said
        }  # fmt: skip
        assert len(owed) >= (1 if env == "CR" and profile == "j1" else 3)
        for context in (8192, 16384, 32768):
            reading = would_read(out, name, "judge", context=context)
            read = words_of(reading)
            missing = [text for text in owed if "".join(text.split()) not in read]
            whole[context] += not missing
            size = sum(len(message.content) for message in reading.ask.messages)
            print(f"\n{name} {profile} {context}: {size} characters, {len(missing)} of {len(owed)} missing", end="")
            if profile == "law":
                assert reading.budget.tokens(size) <= reading.budget.prompt
    print(f"\n{env} {profile}: {dict(whole)} of 12 whole")
    assert whole[16384] == whole[32768] == 12
    assert whole[8192] == 12
