"""An episode as Markdown: what `e` on the desk writes. Text of models and corpora stands in fences it cannot
leave."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.court_words import DISCLAIMER
from app.desk.episode.renderers import Block, one, policy_name, seat_name
from app.desk.episode.shown import blocks_of
from app.desk.messages import RunFacts
from app.strings import t
from app.terminal import clean
from store import places
from store.files import written_whole
from tasks.episode.events import (
    Answered,
    AttemptStarted,
    Planned,
    Record,
    Seated,
    StepEnded,
    Thought,
    ToolCalled,
    ToolReturned,
)
from tasks.run.header import is_fictional


def fence(text: str, kind: str = "") -> str:
    """The text in a fence longer than any in it."""
    text = clean(text)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{kind}\n{text}\n{marks}"


def episode_markdown(facts: RunFacts, episode: str, records: Sequence[Record], blocks: Sequence[Block] = ()) -> str:
    """The record of an episode, step by step; as the transcript that its `blocks` make, where they are given."""
    lines = [
        f"# {t('app.title')} · {one(facts.benchmark)} · {one(episode)}",
        "",
        f"- {t('export.run')}: `{one(facts.id)}`",
    ]
    lines.append(f"- {t('export.pack')}: `{one(facts.pack)}`")
    if is_fictional(facts.header):
        lines.append(f"- {t('mark.fictional')}")
    if blocks:
        return "\n".join([*lines, f"- {DISCLAIMER}", *_transcript(blocks)]) + "\n"
    step = 0
    for record in records:
        if record.step != step:
            step = record.step
            lines += ["", f"## {t('event.step', step=step)}"]
        if not isinstance(record.event, StepEnded):
            lines += ["", *_event(record)]
    return "\n".join(lines) + "\n"


def _transcript(blocks: Sequence[Block]) -> Iterator[str]:
    """A heading a stage, and what was said and done in it in a fence."""
    said: list[str] = []
    for block in blocks:
        text = "\n".join("".join(part for part, _ in line) for line in block.lines)
        if block.heading:
            yield from (
                ("", fence("\n".join(said), "text"), "", f"## {one(text)}") if said else ("", f"## {one(text)}")
            )
            said = []
        else:
            said.append(f"{block.label} {text}".strip())
    if said:
        yield from ("", fence("\n".join(said), "text"))


def _event(record: Record) -> list[str]:
    match record.event:
        case AttemptStarted(card=card):
            return [f"**{t('event.question')}**", "", fence(str(card.get("question", "")), "text")]
        case Seated(seat=seat, policy=policy, engine=engine):
            return [f"{t('event.seated')}: {seat_name(seat)} ← {policy_name(policy, engine)} (`{one(policy)}`)"]
        case Planned(steps=steps):
            return [
                f"**{t('event.planned')}**",
                "",
                fence("\n".join(f"{n}. {s}" for n, s in enumerate(steps, 1)), "text"),
            ]
        case Thought(text=text):
            return [f"**{t('event.thought')}**", "", fence(text, "text")]
        case ToolCalled(tool=tool, input=arguments):
            shown = json.dumps(arguments, ensure_ascii=False, indent=1)
            return [f"**{t('event.tool_called')}** `{one(tool)}`", "", fence(shown, "json")]
        case ToolReturned(status=status, observation=observation):
            return [f"**{t('event.observation')}** {t(f'status.{status}')}", "", fence(observation, "text")]
        case Answered(res=res, summary=summary):
            more = [] if summary == res else ["", f"**{t('event.summary')}**", "", fence(summary, "text")]
            return [f"**{t('event.answered')}**", "", fence(res, "text"), *more]
    block = next(iter(blocks_of([record])), None)
    if block is None:
        return []
    return [f"**{block.label}**", "", fence("\n".join("".join(p for p, _ in line) for line in block.whole), "text")]


def export_episode(facts: RunFacts, episode: str, records: Sequence[Record], blocks: Sequence[Block] = ()) -> Path:
    """Write the Markdown beside everything else Moot keeps; gives the path. A new export replaces the old one."""
    folder = places.home() / "exports"
    name = re.sub(r"[^\w.-]+", "_", f"{facts.id}-{episode}")[:120]
    path = folder / f"{name}.md"
    with written_whole(path, parents=True) as file:
        file.write(episode_markdown(facts, episode, records, blocks))
    return path
